/* force_keys.h - what a file of a component says of force elements.
 *
 * Members are NaN, NULL or 0 where the file says nothing and there is no default.
 */
#ifndef FLG_FORCE_KEYS_H
#define FLG_FORCE_KEYS_H

#include "base/fields.h"

/* Where a frame is: [m], and roll, pitch, yaw [rad]. NaNs where keys without a default are absent.
 */
typedef struct flg_placement_keys {
  double at[3], turn[3];
} flg_placement_keys;

/* Two ends, and the frame that those of them get which bring none. */
typedef struct flg_pair_keys {
  flg_texts between;
  flg_placement_keys placement; /* NaNs: not given */
  double axis[3];
} flg_pair_keys;

/* How the keys of an element between two frames begin. */
typedef struct flg_framed_keys {
  flg_origin origin;
  flg_pair_keys pair;
} flg_framed_keys;

/* Along and about x, y, z of the first end. */
typedef struct flg_bushing_numbers {
  double stiffness[2][3], damping[2][3]; /* of displacements, of turns */
  bool implicit;
} flg_bushing_numbers;

/* In place of the joint of an interface. NaNs: not given. */
typedef struct flg_interface_bushing_keys {
  flg_origin origin;
  flg_bushing_numbers numbers;
} flg_interface_bushing_keys;

/* ... of a bushing they go on so. */
typedef struct flg_bushing_keys {
  flg_origin origin;
  flg_pair_keys pair;
  flg_bushing_numbers numbers;
} flg_bushing_keys;

extern const flg_section flg_interface_bushing_section;

/* ... and of one on a coordinate, which a signal drives. */
typedef struct flg_driven_keys {
  flg_origin origin;
  const char *on;
  flg_origin signal;
} flg_driven_keys;

#define FLG_ENDS_HELP                                                                           \
  "two of: a body, marker or port of the component, world, robot/body, robot/port, "            \
  "component/port. Markers and ports bring their own frames, bodies and world take that given " \
  "here; a distance is measured to the origins of bodies"

/* Of a struct `type` with a member `pair`. */
#define FLG_PAIR_FIELDS(type, about_axis)                                                       \
  FLG_KEY_AT(type, pair.placement.at, "at", VECTOR,                                             \
             "its frame, in that of the component, at the start; if absent: the frame that an " \
             "end brings, or the component's",                                                  \
             .size = 3, .unit = "m"),                                                           \
      FLG_KEY_AT(type, pair.placement.turn, "turn", VECTOR,                                     \
                 "roll, pitch, yaw of its frame; 0 if absent", .size = 3, .unit = "rad"),       \
      FLG_KEY_AT(type, pair.axis, "axis", VECTOR, about_axis, .size = 3, .fallback = "[0, 0, 1]")

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

typedef struct flg_motor_keys {
  flg_origin origin;
  const char *on;
  flg_origin voltage;
  double resistance, inductance, torque_constant, back_emf, current;
  flg_numbers limit;
} flg_motor_keys;

typedef struct flg_effort_keys {
  flg_origin origin;
  const char *on;
  flg_origin effort;
  flg_numbers limit;
} flg_effort_keys;

typedef struct flg_friction_keys {
  flg_origin origin;
  double coulomb, stiction, stribeck, viscous;
} flg_friction_keys;

typedef struct flg_stops_keys {
  flg_origin origin;
  double lower, upper, restitution;
} flg_stops_keys;

extern const flg_section flg_spring_section, flg_force_section, flg_motor_section,
    flg_effort_section, flg_friction_section, flg_stops_section;

/* Of a struct `type` with a member `limit`. */
#define FLG_LIMIT_FIELD(type, about) \
  FLG_KEY(type, limit, NUMBERS,      \
          about ", one number for both sides or [lower, upper]; none if absent")

#endif
