/* joint_values.h - numbers for the joints of a robot by name, as files give them. */
#ifndef FLG_JOINT_VALUES_H
#define FLG_JOINT_VALUES_H

#include "base/notices.h"
#include "define/robot_definition.h"
#include "model/robot.h"

/* A robot with the name that users know it by, and where what is wrong goes. */
typedef struct flg_jointed {
  const char *name;
  flg_place place; /* where it is asked for */
  const flg_model *model;
  const flg_robot *robot;
  flg_region *region;
  flg_mistakes *mistakes;
  bool ignores_limits;
} flg_jointed;

/* The moving joint of a name, or -1 with a mistake. */
int flg_jointed_find(const flg_jointed *jointed, const char *name, flg_place place);
/* Positions (else velocities) of flg_value items by joint, into q (or v). */
void flg_jointed_values(const flg_jointed *jointed, const flg_items *items, bool positions,
                        double *to);
/* The start: positions and velocities as the keys give them, zero for all other joints, or the
 * nearest end of a joint's range where that leaves zero out. `moved`: such joints; may be NULL. */
void flg_jointed_start(const flg_jointed *jointed, const flg_robot_keys *keys, double *q, double *v,
                       flg_some_names *moved);

#endif
