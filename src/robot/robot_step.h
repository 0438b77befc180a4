/* robot_step.h - the inside of robot_subsystem: one step that kicks, and its balance of energy.
 *
 *     q_m = q (+) lead v      v+ = v + h a(q_m) + impulses      q+ = q_m (+) (h - lead) v+
 *
 * (integrator.h). Of leapfrog the mass matrix changes in both drifts and what goes with it, c, acts
 * in between: T and V are then off by terms of h^3 in each step, of no certain sign where joints
 * whip around. The kick is therefore given the c that leaves none of them (a discrete gradient;
 * Gonzalez 1996): with W the work of all forces but gravity, h f.(v + v+)/2,
 *
 *     v+ = s v+,  s^2 T(q+, v+) = T(q, v) + V(q) + W - V(q+)
 *
 * of each tree of links that is connected; one that floats is given the momentum that forces have
 * left it with, and the energy that this leaves to its motion about the centre of mass. This is
 * done in every fourth step, for the work of all four: what a step is off by does not grow in so
 * few. Where contacts or limits push, they alone decide about energy.
 *
 * For this, leapfrog keeps in the state how the last step ended: q and v, to know whether anything
 * has come in between, the energy that there should be, and what the last two steps added to v, as
 * a guess for the next. Nothing else depends on it: where it is not known it is computed again.
 */
#ifndef FLG_ROBOT_STEP_H
#define FLG_ROBOT_STEP_H

#include "robot/robot_subsystem.h"

/* Set-up: numbers in the state; trees (robot_step.c) laid out in the region that holds the rest. */
size_t flg_robot_past_numbers(const flg_robot_subsystem *robot);
void flg_robot_past_build(flg_robot_subsystem *robot, flg_region *region);

/* Step: of h from time on, of integrators that kick. As flg_robot_subsystem_advance. */
flg_status flg_robot_step(flg_robot_subsystem *robot, double time, double h, flg_error *error);
/* Step: the same of leapfrog in two parts, up to the kick, where others may push, and from there
 * on. */
flg_status flg_robot_leap(flg_robot_subsystem *robot, double time, double h, flg_error *error);
flg_status flg_robot_land(flg_robot_subsystem *robot, double time, double h, flg_error *error);
/* The guess of the next kick; NULL: none. After the step has begun. */
const flg_kick_guess *flg_robot_guess(const flg_robot_subsystem *robot);

#endif
