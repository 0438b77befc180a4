/* robot_stiffness.h - controllers of a robot that are too stiff for its steps. */
#ifndef FLG_ROBOT_STIFFNESS_H
#define FLG_ROBOT_STIFFNESS_H

#include "base/notices.h"
#include "robot/robot_subsystem.h"

/* Set-up, after refresh: tells controllers that are on at the start and with which steps of h, or
 * their sample periods, are over `slack` times as long as stability allows, by the eigenvalues of
 * M^-1 K and M^-1 C at the start:
 *     h^2 k + 2 h c <= 4      semi-implicit, and samples that are held; leapfrog: 2.5 h c
 *     h sqrt(k) <= 2.83,  h c <= 2.78      rk4
 * The adaptive integrator takes steps as short as it needs. FLG_ERR_MEMORY. */
flg_status flg_robot_tell_stiffness(flg_robot_subsystem *robot, double h, double slack,
                                    flg_notices *notices);

#endif
