/* robot_ends.h - joints that rest on an end of their range, in models of what comes next.
 *
 * An end pushes and never pulls; a model has it as a joint that is held, or not at all. Between
 * steps those count that pushed in the last step. Of its own next micro step a robot that is joined
 * to others knows better: the step is tried with the forces that the model led to, and where other
 * ends push, or leave the joint another speed, the model is made again with these (coupled.h,
 * agrees).
 */
#ifndef FLG_ROBOT_ENDS_H
#define FLG_ROBOT_ENDS_H

#include "robot/robot_subsystem.h"

/* Step: joints whose end pushes are held as locked ones are, for a model of what comes next; let go
 * of them before the state is used or changed. */
void flg_robot_hold_ends(flg_robot_subsystem *robot);
void flg_robot_let_go_of_ends(flg_robot_subsystem *robot);
/* Step: between both, if this step was tried: v as ends leave it, nearest as impulses have it.
 * False: v stays. Factors and accelerations are lost. */
bool flg_robot_stop_at_ends(flg_robot_subsystem *robot);

/* Step: the kick of a step that was tried, as flg_integrator_kick: its mean velocities are those
 * that ends leave. False: no end pushes in it, nothing is done. */
bool flg_robot_kick_at_ends(flg_robot_subsystem *robot, double time, double h, double *free);

/* True if a joint has an end; the same all along. */
bool flg_robot_has_ends(const flg_robot_subsystem *robot);
/* As past_ends of coupled.h. */
double flg_robot_past_ends(const flg_robot_subsystem *robot, const char **joint);
/* Step: whether an end may push in a step of h. */
bool flg_robot_is_near_end(const flg_robot_subsystem *robot, double h);
/* Step: before a step of h is tried, what models have; after it, whether it came out otherwise.
 * Models, and the step itself, have it so from then on, until the ends are forgotten. */
void flg_robot_note_ends(flg_robot_subsystem *robot);
bool flg_robot_ends_differ(flg_robot_subsystem *robot, double h);
void flg_robot_forget_ends(flg_robot_subsystem *robot);
/* Step, after it: joints that were on an end in `before`, a state that nothing has stepped yet, and
 * whose ends push now, are taken to have pushed in it. Returns how many. */
int flg_robot_foresee_ends(const flg_robot_subsystem *robot, double *before);

#endif
