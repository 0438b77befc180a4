/* robot_friction.h - dry friction of joints in steps of a robot by itself: which of them stick.
 *
 * The law is that of limits/limit.h, friction at rest as in motion, and so is the search
 * (limits/search.h); a solve is a kick of the step:
 *
 *     sticks   l = -h F w+ / creep: the joint creeps by 1e-9 of the speed that friction takes from
 *              it in a step (1e-6, if links can touch or are joined), and is at rest after it
 *     slips    l = -d h F,  d w+ >= 0                    F: friction of the joint, w+: its rate
 *
 * A rate over the creep says that a joint slips at the start of a step, and which way: the state
 * has no modes. Steps of stages (rk4, adaptive) hold what sticks as locks do, and push on what
 * slips with a constant force; what turns round in such a step is stopped at its end.
 *
 * Contacts and ends of joints are closed in each solve, with what sticks as stiff as in the kick
 * (robot_contacts.h). Where others are joined to the robot and it kicks, the coupling solves:
 * models of a step have a set, the step is tried with it, and where laws ask for another one forces
 * are found again (coupled.h, agrees). Impulses that close interfaces are part of the step before
 * them: joints hold no more of both together than they can. Models for longer, and steps of stages
 * of what is joined, have secants, which yield (robot_forces.h); joints that slip under what
 * such a model holds are loose in it when the macro step is taken again (coupled.h, loosen). In
 * components the assembly searches (assembly/assembly_inner_friction.h).
 */
#ifndef FLG_ROBOT_FRICTION_H
#define FLG_ROBOT_FRICTION_H

#include "limits/inner_friction.h"
#include "robot/robot_subsystem.h"

/* Set-up: what joints rub with, of each velocity. */
void flg_robot_friction_build(flg_robot_subsystem *robot);
/* Set-up, after it: links can touch, or are joined to others. */
void flg_robot_friction_join(flg_robot_subsystem *robot);
/* Of a velocity; its bound is 0 where nothing rubs. */
flg_inner_friction flg_robot_friction_of(flg_robot_subsystem *robot, int velocity);
/* Step: the kick of a step of h that began at time, as flg_integrator_kick. */
void flg_robot_friction_kick(flg_robot_subsystem *robot, double time, double h,
                             const flg_kick_guess *guess, double *free);
/* Step: the same of a robot with contacts or ends, and closes these (robot_contacts_inner.h). */
flg_status flg_robot_friction_close(flg_robot_subsystem *robot, double time, double h, double *free,
                                    flg_error *error);
/* Step, after one of them: what sticks is at rest; v without what it creeps. */
void flg_robot_friction_rest(const flg_robot_subsystem *robot, double *v);
/* Step: models of the step of h from time on have which joints stick, until knows_slips is taken
 * back; the step has the same, as long as has_slips says. is_modelled: it is for that time. */
void flg_robot_friction_model(flg_robot_subsystem *robot, double time, double h);
bool flg_robot_friction_is_modelled(const flg_robot_subsystem *robot, double time);
/* Step, after such a step was tried: whether laws ask for another set, which models have next. */
bool flg_robot_friction_differs(flg_robot_subsystem *robot);
/* Step: before a model for tau, of a robot that is joined to others: joints that were loosened
 * slip in it, as long as has_loose says; others have secants. is_loose: some are in the last. */
bool flg_robot_friction_is_loose(const flg_robot_subsystem *robot);
void flg_robot_friction_foresee(flg_robot_subsystem *robot, double time, double tau);
/* Step, of impulses that are part of the last step of h, to which a robot yields by dv: whether a
 * joint would hold more than it can in that step. It slips from now on, while has_open says. If
 * none does: note. close: none does so far. */
bool flg_robot_friction_is_open(const flg_robot_subsystem *robot, int velocity);
void flg_robot_friction_close_all(flg_robot_subsystem *robot);
bool flg_robot_friction_gives_way(flg_robot_subsystem *robot, const double *dv);
void flg_robot_friction_note(flg_robot_subsystem *robot, const double *dv);
/* Step, after micro steps that started with velocities v: joints that the last of these models held
 * and that have slipped are loose when it is made again. Their number. */
int flg_robot_friction_loosen(flg_robot_subsystem *robot, const double *v);
/* Step: around a step of stages, of integrators that do not kick. */
void flg_robot_friction_begin(flg_robot_subsystem *robot, double time, double h);
void flg_robot_friction_end(flg_robot_subsystem *robot, double h);
#endif
