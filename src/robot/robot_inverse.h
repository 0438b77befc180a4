/* robot_inverse.h - which forces on the joints give a robot a motion that is asked for.
 *
 *     f = M a + c - (damping, friction and forces on bodies)
 *
 * Everything is about the state that the subsystem is in; only its scratch changes.
 */
#ifndef FLG_ROBOT_INVERSE_H
#define FLG_ROBOT_INVERSE_H

#include "robot/robot_subsystem.h"

/* Step: the forces f (velocities) that give it the accelerations a (velocities); 0 on joints that
 * are locked, whose accelerations must be 0, and on joints that follow others. */
void flg_robot_subsystem_inverse(flg_robot_subsystem *subsystem, const double *a, double *f);
/* Step: how the accelerations in a micro step of h answer to forces on some coordinates:
 *     response = E^T P (M + diag(added))^-1 E,  column-major (count x count)
 * E the unit vectors of the coordinates; added as in robot_subsystem.h, implicit damping included;
 * P: the gears of joints that follow others.
 * work (velocities). */
void flg_robot_subsystem_response(flg_robot_subsystem *subsystem, double time, double h,
                                  const int *coordinates, int count, double *work,
                                  double *response);

#endif
