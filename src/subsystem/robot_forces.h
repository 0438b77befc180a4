/* robot_forces.h - the inside of robot_subsystem: the forces on a robot, and what they make it do.
 */
#ifndef FLG_ROBOT_FORCES_H
#define FLG_ROBOT_FORCES_H

#include "subsystem/robot_subsystem.h"

/* What a controller keeps in the state: a block for each. */
enum { FLG_DRIVE_ENABLED, FLG_DRIVE_SAMPLE, FLG_DRIVE_FORCES };
double *flg_robot_drive(const flg_robot_subsystem *subsystem, int controller);
size_t flg_robot_drive_numbers(const flg_robot *robot);

/* Computes the controllers whose next sample is due. */
void flg_robot_sample(flg_robot_subsystem *subsystem, double time);
/* Forces of all enabled controllers, within the joints' limits, into actuation. */
void flg_robot_actuate(flg_robot_subsystem *subsystem, double time, const double *q,
                       const double *v);
/* a(t, q, v) of the robot, for integrators; the system is the subsystem. */
void flg_robot_acceleration(void *system, double time, const double *q, const double *v, double *a);

#endif
