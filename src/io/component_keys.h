/* component_keys.h - the keys of a file of a component. */
#ifndef FLG_COMPONENT_SECTIONS_H
#define FLG_COMPONENT_SECTIONS_H

#include "define/component_definition.h"
#include "io/contact_keys.h"
#include "io/signal_keys.h"
#include "model/mass_properties.h"

/* Fields of a struct `type` with a member `robot` (flg_robot_keys). */
#define FLG_ROBOT_FIELDS(type)                                                                     \
  FLG_KEY_AT(type, robot.base, "base", CHOICE,                                                     \
             "of a robot: floating: bodies that the model fixes to the world move freely, on a "   \
             "joint `base`; at and turn say where they start",                                     \
             .choices = flg_base_words, .fallback = "fixed"),                                      \
      FLG_KEY_AT(type, robot.velocity, "velocity", VECTOR,                                         \
                 "of the origin of a floating base at the start, in the model's axes", .size = 3,  \
                 .unit = "m/s"),                                                                   \
      FLG_KEY_AT(type, robot.angular_velocity, "angular_velocity", VECTOR,                         \
                 "of a floating base at the start, in the model's axes", .size = 3,                \
                 .unit = "rad/s"),                                                                 \
      FLG_KEY_AT(                                                                                  \
          type, robot.initial, "initial", VALUES,                                                  \
          "positions at the start by joint, rad or m, 0 for those that are not named; ball: "      \
          "quaternion w x y z; floating: x y z, then the quaternion. A word: that configuration",  \
          .word = "the name of a configuration"),                                                  \
      FLG_KEY_AT(                                                                                  \
          type, robot.initial_velocity, "initial_velocity", VALUES,                                \
          "velocities at the start by joint, rad/s or m/s; ball: angular velocity in the child's " \
          "axes; floating: linear in the joint's axes, then angular in the child's"),              \
      FLG_KEY_AT(type, robot.configurations, "configurations", VALUE_MAPS,                         \
                 "positions by joint under names of their own, besides those of the model, as in " \
                 "{home: {elbow: 90 deg}}"),                                                       \
      FLG_KEY_AT(type, robot.armature, "armature", VALUES,                                         \
                 "rotor inertia by joint, as the joint feels it: that of the rotor times the "     \
                 "gear ratio squared, kg m^2 or kg; in place of the model's",                      \
                 .range = FLG_RANGE_NOT_NEGATIVE,                                                  \
                 .number = "one number for all joints that have none"),                            \
      FLG_KEY_AT(type, robot.flexible, "flexible", MAP,                                            \
                 "bodies of a robot that deform, by name (docs/flexible.md)",                      \
                 .section = &flg_flexible_section),                                                \
      FLG_KEY_AT(type, robot.self_collision, "self_collision", FLAG,                               \
                 "of a robot: its bodies touch each other, but for those that joints connect",     \
                 .fallback = "false"),                                                             \
      FLG_KEY_AT(type, robot.inertia, "inertia", CHOICE,                                           \
                 "of a URDF robot, what is done about inertias that no body can have: strict "     \
                 "refuses them, repair takes the nearest that one can, trust takes them as they "  \
                 "are, from-shapes repairs and gives links without mass that of their shapes, at " \
                 "1000 kg/m^3; auto: repair",                                                      \
                 .choices = flg_inertia_words, .fallback = "auto"),                                \
      FLG_KEY_AT(type, robot.limits, "limits", CHOICE,                                             \
                 "of a robot: its joints stop at the ends of their ranges, or ignore them",        \
                 .choices = flg_limits_words, .fallback = "enforced")

/* Keys that only some kinds of joints have: in components, and between subsystems. */
#define FLG_JOINT_KIND_FIELDS                                                                      \
  FLG_KEY(flg_component_joint_keys, axis2, VECTOR,                                                 \
          "of a universal joint: the axis that is fixed in the second body", .size = 3,            \
          .fallback = "[1, 0, 0]"),                                                                \
      FLG_KEY(flg_component_joint_keys, drive, TEXTS,                                              \
              "of gear and rack, what turns: two ends as in `between`, about `axis`, or the name " \
              "of a joint or sensor with an angle"),                                               \
      FLG_KEY(flg_component_joint_keys, driven, TEXTS,                                             \
              "of a gear: what turns with it; of a rack: what slides with it; as `drive`"),        \
      FLG_KEY(flg_component_joint_keys, driven_axis, VECTOR,                                       \
              "of the driven ends, if it differs from `axis`", .size = 3),                         \
      FLG_KEY(flg_component_joint_keys, pitch, NUMBER, "advance of a screw", .unit = "m/rad"),     \
      FLG_KEY(flg_component_joint_keys, length, NUMBER,                                            \
              "of a distance; as at the start if absent", .range = FLG_RANGE_POSITIVE,             \
              .unit = "m"),                                                                        \
      FLG_KEY(flg_component_joint_keys, ratio, NUMBER,                                             \
              "of a gear: angle of `drive` by angle of `driven`, with its sign"),                  \
      FLG_KEY(flg_component_joint_keys, radius, NUMBER,                                            \
              "of a rack: slide of `driven` by angle of `drive`, with its sign", .unit = "m"),     \
      FLG_KEY(flg_component_joint_keys, stiffness, NUMBER,                                         \
              "of a spring on its coordinate, at rest at the start, N m/rad or N/m; for kinds "    \
              "with one coordinate. Of gear and rack: of the teeth, by the angle of `drive` or "   \
              "the slide; stiff if 0 or absent",                                                   \
              .range = FLG_RANGE_NOT_NEGATIVE),                                                    \
      FLG_KEY(flg_component_joint_keys, damping, NUMBER,                                           \
              "on its coordinate, N m s/rad or N s/m; for kinds with one coordinate, and of "      \
              "gears and racks with a stiffness",                                                  \
              .range = FLG_RANGE_NOT_NEGATIVE),                                                    \
      FLG_KEY(flg_component_joint_keys, implicit, FLAG,                                            \
              "stiffness and damping are implicit in time in any step; else where it is too long " \
              "for them",                                                                          \
              .fallback = "false"),                                                                \
      FLG_KEY(flg_component_joint_keys, friction, SECTION,                                         \
              "on its coordinate, for kinds with one coordinate",                                  \
              .section = &flg_friction_section),                                                   \
      FLG_KEY(flg_component_joint_keys, stops, SECTION,                                            \
              "of its coordinate, for kinds with one coordinate", .section = &flg_stops_section),  \
      FLG_KEY(flg_component_joint_keys, backlash, NUMBER,                                          \
              "of gear and rack: play of the angle of `drive`, or of the slide, in all; in its "   \
              "middle at the start; rad or m; none if 0 or absent",                                \
              .range = FLG_RANGE_NOT_NEGATIVE),                                                    \
      FLG_KEY(flg_component_joint_keys, restitution, NUMBER,                                       \
              "of a backlash without stiffness: rate of the teeth after a hit by rate before; 0 "  \
              "if absent",                                                                         \
              .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1),                                  \
      FLG_KEY(flg_component_joint_keys, efficiency, NUMBER,                                        \
              "of gear and rack: power out by power in, in either direction; 1 if absent. It "     \
              "sticks within its losses",                                                          \
              .range = FLG_RANGE_BETWEEN, .least = 0.01, .most = 1)

/* The keys of a component file. */
extern const flg_section flg_component_section;

#endif
