/* robot_actions.h - the inside of robot_subsystem: what events do to a robot, by name.
 *
 * Targets: joints by their number in the model; controllers by theirs, forces after them.
 */
#ifndef FLG_ROBOT_ACTIONS_H
#define FLG_ROBOT_ACTIONS_H

#include "robot/robot_subsystem.h"

/* Set-up: the moving joint of a name, or -1 with a sentence that names the owner; NULL: it is
 * not wanted. */
int flg_robot_joint_find(const char *owner, const flg_model *model, const flg_robot *robot,
                         const char *name, flg_error *error);
/* Set-up: whether so many numbers set the positions (else velocities) of a joint. */
flg_status flg_robot_joint_fits(const flg_model *model, int joint, bool positions, int count,
                                flg_error *error);
/* Set-up and step: as in subsystem.h; self: a robot subsystem. */
flg_status flg_robot_aim(const void *self, flg_action action, const char *path, int value_count,
                         int *target, flg_error *error);
void flg_robot_act(void *self, flg_action action, int target, const double *values);
bool flg_robot_pin(void *self, int target, bool pinned);
/* True if an action with that target switches a controller. */
bool flg_robot_action_switches_controller(const flg_robot_subsystem *subsystem, flg_action action,
                                          int target);

#endif
