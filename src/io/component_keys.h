/* component_keys.h - the keys of a file of a component. */
#ifndef FLG_COMPONENT_SECTIONS_H
#define FLG_COMPONENT_SECTIONS_H

#include "define/component_definition.h"
#include "io/contact_keys.h"
#include "io/signal_keys.h"
#include "model/mass_properties.h"

/* Fields of a struct `type` with a member `robot` (flg_robot_keys). */
#define FLG_ROBOT_FIELDS(type)                                                                     \
  {"base",                                                                                         \
   FLG_FIELD_CHOICE,                                                                               \
   offsetof(type, robot.base),                                                                     \
   "of a robot: floating: bodies that the model fixes to the world move freely, on a joint "       \
   "`base`; at and turn say where they start",                                                     \
   .choices = flg_base_words,                                                                      \
   .fallback = "fixed"},                                                                           \
      {"velocity",                                                                                 \
       FLG_FIELD_VECTOR,                                                                           \
       offsetof(type, robot.velocity),                                                             \
       "of the origin of a floating base at the start, in the model's axes",                       \
       .size = 3,                                                                                  \
       .unit = "m/s"},                                                                             \
      {"angular_velocity",                                                                         \
       FLG_FIELD_VECTOR,                                                                           \
       offsetof(type, robot.angular_velocity),                                                     \
       "of a floating base at the start, in the model's axes",                                     \
       .size = 3,                                                                                  \
       .unit = "rad/s"},                                                                           \
      {"initial", FLG_FIELD_VALUES, offsetof(type, robot.initial),                                 \
       "positions at the start by joint, rad or m, 0 for those that are not named; ball: "         \
       "quaternion w x y z; floating: x y z, then the quaternion. A word: that configuration",     \
       .word = "the name of a configuration"},                                                     \
      {"initial_velocity", FLG_FIELD_VALUES, offsetof(type, robot.initial_velocity),               \
       "velocities at the start by joint, rad/s or m/s; ball: angular velocity in the child's "    \
       "axes; floating: linear in the joint's axes, then angular in the child's"},                 \
      {"configurations", FLG_FIELD_VALUE_MAPS, offsetof(type, robot.configurations),               \
       "positions by joint under names of their own, besides those of the model, as in {home: "    \
       "{elbow: 90 deg}}"},                                                                        \
      {"armature",                                                                                 \
       FLG_FIELD_VALUES,                                                                           \
       offsetof(type, robot.armature),                                                             \
       "rotor inertia by joint, as the joint feels it: that of the rotor times the gear ratio "    \
       "squared, kg m^2 or kg; in place of the model's",                                           \
       .range = FLG_RANGE_NOT_NEGATIVE,                                                            \
       .number = "one number for all joints that have none"},                                      \
      {"flexible", FLG_FIELD_MAP, offsetof(type, robot.flexible),                                  \
       "bodies of a robot that deform, by name (docs/flexible.md)",                                \
       .section = &flg_flexible_section},                                                          \
      {"self_collision", FLG_FIELD_FLAG, offsetof(type, robot.self_collision),                     \
       "of a robot: its bodies touch each other, but for those that joints connect",               \
       .fallback = "false"},                                                                       \
      {"inertia",                                                                                  \
       FLG_FIELD_CHOICE,                                                                           \
       offsetof(type, robot.inertia),                                                              \
       "of a URDF robot, what is done about inertias that no body can have: strict refuses them, " \
       "repair takes the nearest that one can, trust takes them as they are, from-shapes repairs " \
       "and "                                                                                      \
       "gives links without mass that of their shapes, at 1000 kg/m^3; auto: repair",              \
       .choices = flg_inertia_words,                                                               \
       .fallback = "auto"},                                                                        \
  {                                                                                                \
    "limits", FLG_FIELD_CHOICE, offsetof(type, robot.limits),                                      \
        "of a robot: its joints stop at the ends of their ranges, or ignore them",                 \
        .choices = flg_limits_words, .fallback = "enforced"                                        \
  }

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
       "stiffness and damping are implicit in time in any step; else where it is too long for "    \
       "them",                                                                                     \
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

/* The keys of a component file. */
extern const flg_section flg_component_section;

#endif
