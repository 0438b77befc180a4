/* component_keys.h - what a file of a component says: bodies, robots, other components, and what
 * joins them.
 *
 * Members of keys without a default are NaN or NULL where the file says nothing; kinds are indices
 * of the lists in model/component.h.
 */
#ifndef FLG_COMPONENT_KEYS_H
#define FLG_COMPONENT_KEYS_H

#include "io/contact_keys.h"
#include "io/signal_keys.h"
#include "model/component.h"

typedef struct flg_component_body_keys {
  flg_origin origin;
  double mass, centre[3];
  flg_numbers inertia;
  flg_placement_keys placement;
  double velocity[3], angular_velocity[3]; /* in the component's axes */
  bool fixed;
  double gravity[3]; /* NaNs: that of the subsystem */
  flg_items shapes;  /* of flg_shape_keys */
} flg_component_body_keys;

typedef struct flg_component_robot_keys {
  flg_origin origin;
  const char *model;
  flg_placement_keys placement;
  flg_items initial, initial_velocity; /* of flg_value, by joint */
  bool self_collision;
  int limits; /* flg_limits_keeping */
} flg_component_robot_keys;

typedef struct flg_inner_component_keys {
  flg_origin origin;
  const char *file;
  flg_placement_keys placement;
  flg_items parameters; /* of flg_value */
  flg_items inputs;     /* of flg_wire */
} flg_inner_component_keys;

/* Two ends, and the frame that those of them get which bring none. */
typedef struct flg_pair_keys {
  flg_texts between;
  flg_placement_keys placement; /* NaNs: not given */
  double axis[3];
} flg_pair_keys;

/* NaNs: not given. */
typedef struct flg_friction_keys {
  flg_origin origin;
  double coulomb, stiction, stribeck, viscous;
} flg_friction_keys;

typedef struct flg_stops_keys {
  flg_origin origin;
  double lower, upper, restitution;
} flg_stops_keys;

typedef struct flg_component_joint_keys {
  flg_origin origin;
  int kind; /* flg_constraint_kind */
  flg_pair_keys pair;
  double axis2[3];
  flg_texts drive, driven; /* of gear and rack: two ends, or the name of a joint or sensor */
  double driven_axis[3];
  double pitch, length, ratio, radius;
  double stiffness, damping;
  bool implicit;
  flg_friction_keys friction;
  flg_stops_keys stops;
  double backlash, restitution, efficiency; /* of gear and rack */
} flg_component_joint_keys;

typedef struct flg_component_spring_keys {
  flg_origin origin;
  flg_texts between;
  const char *on;
  double stiffness, damping, length, rest, preload;
  bool implicit;
} flg_component_spring_keys;

typedef struct flg_component_force_keys {
  flg_origin origin;
  const char *body;
  double at[3], force[3], moment[3];
  int axes; /* 0: world, 1: body */
  bool enabled;
  const char *on;
  double effort;
} flg_component_force_keys;

typedef struct flg_component_sensor_keys {
  flg_origin origin;
  int measure; /* flg_coordinate_kind */
  flg_pair_keys pair;
} flg_component_sensor_keys;

/* A port or a marker; the latter has no `of`. */
typedef struct flg_component_frame_keys {
  flg_origin origin;
  const char *body, *of;
  flg_placement_keys placement; /* NaNs: not given */
} flg_component_frame_keys;

typedef struct flg_component_keys {
  flg_origin origin;
  int version;
  const char *name;
  flg_items parameters; /* of flg_value */
  flg_items bodies, robots, components, joints, springs, forces, sensors, ports, markers;
  flg_items signals, motors, efforts, inputs; /* of the keys in io/signal_keys.h */
  flg_texts outputs;
  flg_items materials; /* of flg_material_keys */
  flg_items shapes;    /* of flg_shape_keys: on the ground */
  flg_touching_keys contacts;
} flg_component_keys;

/* What the ends of joints of a robot do. */
typedef enum flg_limits_keeping { FLG_LIMITS_ENFORCED, FLG_LIMITS_IGNORED } flg_limits_keeping;
extern const char *const flg_limits_words[]; /* NULL at the end */

/* Fields of a struct `type` with the members self_collision and limits. */
#define FLG_ROBOT_TOUCH_FIELDS(type)                                               \
  {"self_collision", FLG_FIELD_FLAG, offsetof(type, self_collision),               \
   "of a robot: its bodies touch each other, but for those that joints connect",   \
   .fallback = "false"},                                                           \
  {                                                                                \
    "limits", FLG_FIELD_CHOICE, offsetof(type, limits),                            \
        "of a robot: its joints stop at the ends of their ranges, or ignore them", \
        .choices = flg_limits_words, .fallback = "enforced"                        \
  }

/* A weld without ends, as if no key were given: for joints that come from elsewhere. */
flg_component_joint_keys flg_component_joint_keys_default(void);

/* Keys that only some kinds of joints have: in components, and between subsystems. */
#define FLG_JOINT_KIND_FIELDS                                                                      \
  {"axis2",                                                                                        \
   FLG_FIELD_VECTOR,                                                                               \
   offsetof(flg_component_joint_keys, axis2),                                                      \
   "of a universal joint: the axis that is fixed in the second body",                              \
   .size = 3,                                                                                      \
   .fallback = "[1, 0, 0]"},                                                                       \
      {"drive", FLG_FIELD_TEXTS, offsetof(flg_component_joint_keys, drive),                        \
       "of gear and rack, what turns: two ends as in `between`, about `axis`, or the name of a "   \
       "joint or sensor with an angle"},                                                           \
      {"driven", FLG_FIELD_TEXTS, offsetof(flg_component_joint_keys, driven),                      \
       "of a gear: what turns with it; of a rack: what slides with it; as `drive`"},               \
      {"driven_axis", FLG_FIELD_VECTOR, offsetof(flg_component_joint_keys, driven_axis),           \
       "of the driven ends, if it differs from `axis`", .size = 3},                                \
      {"pitch", FLG_FIELD_NUMBER, offsetof(flg_component_joint_keys, pitch), "advance of a screw", \
       .unit = "m/rad"},                                                                           \
      {"length",                                                                                   \
       FLG_FIELD_NUMBER,                                                                           \
       offsetof(flg_component_joint_keys, length),                                                 \
       "of a distance; as at the start if absent",                                                 \
       .range = FLG_RANGE_POSITIVE,                                                                \
       .unit = "m"},                                                                               \
      {"ratio", FLG_FIELD_NUMBER, offsetof(flg_component_joint_keys, ratio),                       \
       "of a gear: angle of `drive` by angle of `driven`, with its sign"},                         \
      {"radius", FLG_FIELD_NUMBER, offsetof(flg_component_joint_keys, radius),                     \
       "of a rack: slide of `driven` by angle of `drive`, with its sign", .unit = "m"},            \
      {"stiffness", FLG_FIELD_NUMBER, offsetof(flg_component_joint_keys, stiffness),               \
       "of a spring on its coordinate, at rest at the start, N m/rad or N/m; for kinds with one "  \
       "coordinate. Of gear and rack: of the teeth, by the angle of `drive` or the slide; stiff "  \
       "if 0 or absent",                                                                           \
       .range = FLG_RANGE_NOT_NEGATIVE},                                                           \
      {"damping", FLG_FIELD_NUMBER, offsetof(flg_component_joint_keys, damping),                   \
       "on its coordinate, N m s/rad or N s/m; for kinds with one coordinate, and of gears and "   \
       "racks with a stiffness",                                                                   \
       .range = FLG_RANGE_NOT_NEGATIVE},                                                           \
      {"implicit", FLG_FIELD_FLAG, offsetof(flg_component_joint_keys, implicit),                   \
       "stiffness and damping are linearly implicit in time: they do not bound the step",          \
       .fallback = "false"},                                                                       \
      {"friction", FLG_FIELD_SECTION, offsetof(flg_component_joint_keys, friction),                \
       "on its coordinate, for kinds with one coordinate", .section = &flg_friction_section},      \
      {"stops", FLG_FIELD_SECTION, offsetof(flg_component_joint_keys, stops),                      \
       "of its coordinate, for kinds with one coordinate", .section = &flg_stops_section},         \
      {"backlash", FLG_FIELD_NUMBER, offsetof(flg_component_joint_keys, backlash),                 \
       "of gear and rack: play of the angle of `drive`, or of the slide, in all; in its middle "   \
       "at "                                                                                       \
       "the start; rad or m; none if 0 or absent",                                                 \
       .range = FLG_RANGE_NOT_NEGATIVE},                                                           \
      {"restitution",                                                                              \
       FLG_FIELD_NUMBER,                                                                           \
       offsetof(flg_component_joint_keys, restitution),                                            \
       "of a backlash without stiffness: rate of the teeth after a hit by rate before; 0 if "      \
       "absent",                                                                                   \
       .range = FLG_RANGE_BETWEEN,                                                                 \
       .least = 0,                                                                                 \
       .most = 1},                                                                                 \
  {                                                                                                \
    "efficiency", FLG_FIELD_NUMBER, offsetof(flg_component_joint_keys, efficiency),                \
        "of gear and rack: power out by power in, in either direction; 1 if absent. It sticks "    \
        "within its losses",                                                                       \
        .range = FLG_RANGE_BETWEEN, .least = 0.01, .most = 1                                       \
  }

/* Sections of a joint. */
extern const flg_section flg_friction_section, flg_stops_section;

/* The words for the kinds of joints, NULL at the end. */
extern const char *const flg_constraint_words[];
/* The keys of a component file. */
extern const flg_section flg_component_section;
/* The keys of a joint in it. */
extern const flg_section flg_component_joint_section;

#endif
