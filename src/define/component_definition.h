/* component_definition.h - what a file of a component says: bodies, robots, other components, and
 * what joins them.
 *
 * Members of keys without a default are NaN or NULL where the file says nothing; kinds are indices
 * of the lists in model/component.h.
 */
#ifndef FLG_COMPONENT_DEFINITION_H
#define FLG_COMPONENT_DEFINITION_H

#include "define/contact_definition.h"
#include "define/flexible_definition.h"
#include "define/robot_definition.h"
#include "define/signal_definition.h"
#include "forces/force.h"
#include "forces/force_keys.h"
#include "model/component.h"

typedef struct flg_component_body_keys {
  flg_origin origin;
  double mass, centre[3];
  flg_numbers inertia;
  flg_placement_keys placement;
  double velocity[3], angular_velocity[3]; /* in the component's axes */
  bool fixed, point;
  double gravity[3];          /* NaNs: that of the subsystem */
  flg_items shapes;           /* of flg_shape_keys */
  flg_flexible_keys flexible; /* without origin.name: it is rigid */
  flg_numbers elastic, elastic_velocity;
} flg_component_body_keys;

typedef struct flg_component_robot_keys {
  flg_origin origin;
  const char *model;
  flg_placement_keys placement;
  flg_robot_keys robot;
} flg_component_robot_keys;

typedef struct flg_inner_component_keys {
  flg_origin origin;
  const char *file;
  flg_placement_keys placement;
  flg_items parameters; /* of flg_value */
  flg_items inputs;     /* of flg_wire */
} flg_inner_component_keys;

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
  flg_interface_bushing_keys bushing;       /* of an interface, in place of a joint */
} flg_component_joint_keys;

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
  flg_items listed[FLG_LISTED_MAX];           /* of the keys of flg_listed_kinds */
  flg_items signals, motors, efforts, inputs; /* of the keys in define/signal_definition.h */
  flg_texts outputs;
  flg_items materials; /* of flg_material_keys */
  flg_items shapes;    /* of flg_shape_keys: on the ground */
  flg_touching_keys contacts;
} flg_component_keys;

/* The words for the kinds of joints, NULL at the end. */
extern const char *const flg_constraint_words[];

#endif
