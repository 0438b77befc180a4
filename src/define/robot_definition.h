/* robot_definition.h - what is said of a robot besides its model's file: how it is read, what is
 * put on top of it, and how it starts. The same for a subsystem and for a robot inside a component.
 */
#ifndef FLG_ROBOT_DEFINITION_H
#define FLG_ROBOT_DEFINITION_H

#include "base/given.h"
#include "base/region.h"
#include "model/mass_properties.h"

/* The treatment of the ends of joints of a robot. */
typedef enum flg_limits_keeping { FLG_LIMITS_ENFORCED, FLG_LIMITS_IGNORED } flg_limits_keeping;
extern const char *const flg_limits_words[]; /* NULL at the end */

/* The base of the bodies that the model fixes to the world. */
typedef enum flg_base_kind { FLG_BASE_FIXED, FLG_BASE_FLOATING } flg_base_kind;
extern const char *const flg_base_words[]; /* NULL at the end */

#define FLG_CONFIGURATION_ZERO "zero" /* every robot has it: all joints at 0 */

typedef struct flg_robot_keys {
  int base;                                /* flg_base_kind */
  int inertia;                             /* flg_inertia_rule */
  int limits;                              /* flg_limits_keeping */
  bool self_collision;                     /* its bodies touch each other */
  flg_items configurations;                /* of flg_value_map: positions by joint */
  flg_items initial;                       /* of flg_value by joint; without numbers: the name of a
                                              configuration */
  flg_items initial_velocity;              /* of flg_value by joint */
  double velocity[3], angular_velocity[3]; /* of a floating base, in the model's axes; NaN: none */
  flg_items armature;                      /* of flg_value by joint; without a name: all */
  flg_items flexible;                      /* of flg_flexible_keys: bodies by name */
} flg_robot_keys;

/* Values by joint that `initial` means: as given, or those of the configuration that it names, the
 * last of that name. False: there is none. */
bool flg_robot_initial(const flg_robot_keys *keys, const flg_model *model, flg_items *initial);
/* How the file of the robot is read. */
flg_reading flg_robot_reading(const flg_robot_keys *keys);
/* Set-up: the model with armature, configurations and flexible bodies as the keys say; the model
 * that was read stays as it is. NULL with mistakes. */
flg_model *flg_robot_overlay(const flg_robot_keys *keys, const flg_model *read, flg_region *region,
                             flg_mistakes *mistakes);

#endif
