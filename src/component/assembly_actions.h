/* assembly_actions.h - the inside of assemblies: what events do to one, by name.
 *
 *     load                             enable, disable
 *     robot/controller, robot/force    enable, disable
 *     robot/joint                      lock, unlock, set, set_velocity
 *     weld                             weld, release (assembly_welds.h)
 *
 * Locking takes the velocities of everything to the nearest that all joints and locks allow, in the
 * mass norm: what a rigid brake would do. Joints that are set, and those that are pinned
 * (subsystem.h), stay at their values, and all else moves to keep the joints closed; where they
 * cannot be closed so, these values change, too, and where they cannot be closed at all, nothing
 * happens. Joints of the component cannot be locked or set.
 */
#ifndef FLG_ASSEMBLY_ACTIONS_H
#define FLG_ASSEMBLY_ACTIONS_H

#include "assembly/assembly.h"

/* Set-up and step: as in subsystem.h; self: an assembly. */
flg_status flg_assembly_aim(const void *self, flg_action action, const char *path, int value_count,
                            int *target, flg_error *error);
void flg_assembly_act(void *self, flg_action action, int target, const double *values);
bool flg_assembly_pin(void *self, int target, bool pinned);
/* The number of a target among those of a robot of the component, -1: it belongs to no other. */
int flg_assembly_guest_target(const flg_assembly *assembly, int target, int robot);

#endif
