/* robot_stages.h - the inside of robot_subsystem: steps of several stages (rk4, adaptive).
 *
 * Dry friction acts at the end of the step, by impulses (robot_forces.h). Where a joint would pass
 * an end of its range the step is taken again as semi-implicit steps do it, with the ends closed
 * (robot_contacts.h): order 1 while a joint hits an end or rests on it. Of the adaptive one the
 * step is halved up to four times before, so that this is 1/16 of a step.
 */
#ifndef FLG_ROBOT_STAGES_H
#define FLG_ROBOT_STAGES_H

#include "robot/robot_subsystem.h"

/* Set-up: how many states a step goes back to, at most; 0 of integrators that kick. */
int flg_robot_stages_starts(const flg_robot_subsystem *robot);
/* Step: of h from time on. As flg_robot_subsystem_advance. */
flg_status flg_robot_stages(flg_robot_subsystem *robot, double time, double h, flg_error *error);

#endif
