/* robot_forces.h - the inside of robot_subsystem: the forces on a robot, and what they make it do.
 */
#ifndef FLG_ROBOT_FORCES_H
#define FLG_ROBOT_FORCES_H

#include "robot/robot_subsystem.h"

/* The state of a controller: a block for each. */
enum { FLG_DRIVE_ENABLED, FLG_DRIVE_SAMPLE, FLG_DRIVE_FORCES };
double *flg_robot_drive(const flg_robot_subsystem *subsystem, int controller);
size_t flg_robot_drive_numbers(const flg_robot *robot);

/* True if a controller samples within that time. */
bool flg_robot_samples_within(const flg_robot_subsystem *subsystem, double time);
/* Computes the controllers whose next sample is due. */
void flg_robot_sample(flg_robot_subsystem *subsystem, double time);
/* Forces of all enabled controllers, within the joints' limits, into actuation. */
void flg_robot_actuate(flg_robot_subsystem *subsystem, double time, const double *q,
                       const double *v);
/* Dry friction around a step of an integrator that is not implicit: its secants are taken before
 * the step of h, and act at its end, (M + h c) v+ = M v. It sticks at any step, and makes the step
 * order 1. h = 0: friction as it is, none at rest. */
void flg_robot_rub_begin(flg_robot_subsystem *subsystem, double h);
void flg_robot_rub_end(flg_robot_subsystem *subsystem, double h);
/* (M + diag(added)) v+ = M v: with infinite entries the v+ nearest to v in the mass norm that is 0
 * there; free rows keep their momentum. Joints that follow others do so afterwards. */
void flg_robot_project(flg_robot_subsystem *subsystem, const double *added);
/* The v+ nearest to v that is 0 where joints are locked, in the norm of M and of what resists over
 * the implicit step: impulses of contacts and ends meet the same (robot_contacts.h). Links that
 * hardly have inertia are held by the damping of their joints alone. */
void flg_robot_project_resisting(flg_robot_subsystem *subsystem);
/* How its own steps of h take damping from now on. */
void flg_robot_set_impulse_step(flg_robot_subsystem *subsystem, double h);
/* How flexible links take elastic forces in a step of the implicit time h, all of it midway:
 *     (M + s C + h^2/4 K) a = f - K e - C v      s = h, of mean velocities h/2
 * Kicks that drift on from e are then steps of the trapezoidal rule: stable at any h, and without
 * damping of their own. Without an implicit time they are forces like others. */
void flg_robot_share_elastic(flg_robot_subsystem *subsystem);
/* Resistance in proportion to v into added, over the implicit step; mean: as for integrators. */
void flg_robot_resist(flg_robot_subsystem *subsystem, const double *v, const double *mean);
/* added of what is made up for at once after a time h: the dampers of joints that they stop within
 * h, and none of those that hardly notice them. */
void flg_robot_damp(flg_robot_subsystem *subsystem, double h);
/* All generalised forces into effort, and what stands on the diagonal of M into added; places the
 * kinematics if forces act on bodies. */
void flg_robot_effort(flg_robot_subsystem *subsystem, double time, const double *q, const double *v,
                      const double *mean);
/* a(t, q, v) of the robot, for integrators; the system is the subsystem. */
void flg_robot_acceleration(void *system, double time, const double *q, const double *v,
                            const double *mean, double *a);

/* The same for steps, by generated code where there is some: it leaves no factors of the mass
 * matrix behind, and kinematics only if ports are pushed. */
void flg_robot_step_acceleration(void *system, double time, const double *q, const double *v,
                                 const double *mean, double *a);

#endif
