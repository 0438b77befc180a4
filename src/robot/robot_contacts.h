/* robot_contacts.h - what the links of a robot touch and where its joints end, closed in its steps.
 *
 *     v+ = v + h a + (M + added)^-1 J^T L        a, added: of the free robot (robot_forces.h)
 *     q+ = q (+) (h v+ + (M + added)^-1 J^T x)   of semi-implicit; leapfrog kicks half a step later
 *
 * J: six rows of each link that has a contact in this step (its *touch port*, at the link's inner
 * frame), and one of each joint that may reach an end of its range. L and x are the impulses and
 * moves of contact_law.h. Damping of joints, and dry friction that sticks, resist impulses as they
 * resist forces: (M + added) is the same matrix. It takes one kinematics and one factorisation a
 * step; where joints rub, as many as it takes to find which of them stick (robot_friction.h).
 *
 * Pairs that can touch: shapes of links with those of the ground (body FLG_WORLD of the model,
 * which moves with flg_robot_subsystem_place). With self_collision also links with each other and
 * with bodies that are fixed to the ground, but not those that a joint connects.
 *
 * Limits: ends (lower, upper) of joints with one coordinate. Only those that may be reached in the
 * step have rows: gap < 2 h (|v| + |v + h a|). One that an impulse of another contact drives
 * further than that is passed by as much, and brought back as any penetration is, by 0.2 of it in a
 * step; so is a joint that an event puts outside of its range. Joints that are locked stay.
 *
 * Contacts are for integrators that kick (integrator.h): of a robot with another one shapes that
 * can touch are refused. Its limits hold: robot_stages.h.
 */
#ifndef FLG_ROBOT_CONTACTS_H
#define FLG_ROBOT_CONTACTS_H

#include "contacts/contacts.h"
#include "limits/joint_range.h"
#include "robot/robot_subsystem.h"

/* Set-up, on a robot that is where it starts: how many of its joints end, those with one
 * coordinate; none if it ignores that. ranges: (joints of the model). Mistakes: joints that start
 * outside of their range. */
int flg_robot_ranges_find(const flg_robot_subsystem *robot, flg_joint_range *ranges,
                          flg_mistakes *mistakes);
/* Set-up, once, on a robot that is equipped, placed and where it starts: takes shapes and limits
 * from its model, and moves its state to where there is room for what they remember. Where nothing
 * can touch and no joint has an end it does nothing: steps are bitwise what they were. A robot of
 * an assembly must not have any: it is the assembly's to close contacts.
 * options: NULL: flg_contacts_default. Mistakes: shapes that are wrong or need another integrator,
 * joints that start outside of their range. */
flg_status flg_robot_contacts_build(flg_robot_subsystem *robot, const flg_contacts_options *options,
                                    flg_mistakes *mistakes);
void flg_robot_contacts_release(flg_robot_subsystem *robot); /* none is allowed */

/* Links that can touch: their anchors, as ports. 0: none. */
int flg_robot_touch_ports(const flg_robot_subsystem *robot, const flg_link_anchor **anchors);
/* As in subsystem.h; self: a robot subsystem. Contacts and stops of its steps; NULL: there are
 * none. */
flg_contacts *flg_robot_contacts_view(const void *self);
/* The same: what a shape of their scene is. */
flg_touched flg_robot_touched(const void *self, int shape);
/* After recall: what contacts push on a body of the model with [N]. */
flg_vec3 flg_robot_contact_force(const flg_robot_subsystem *robot, int body);
/* Hash of shapes, materials and limits, chained with the seed. */
uint64_t flg_robot_contacts_identity(const flg_robot_subsystem *robot, uint64_t seed);

/* Step: FLG_ERR_UNSOLVED with a sentence if its links are so fast that some pass what they could
 * touch within h, the part of a step before contacts are looked for. */
flg_status flg_robot_contacts_guard(flg_robot_subsystem *robot, double time, double h,
                                    flg_error *error);
/* Step: the kick of a step of h that began at time, of a robot that is where it kicks, and what is
 * `left` of the step after it (robot_step.h); free (velocities): v after forces alone.
 * FLG_ERR_CAPACITY, FLG_ERR_DIVERGED with a sentence as advance of subsystem.h gives it. */
flg_status flg_robot_contacts_kick(flg_robot_subsystem *robot, double time, double h, double left,
                                   double *free, flg_error *error);
/* After it: whether something bounced; whether contacts or limits did anything at all. */
bool flg_robot_contacts_hit(const flg_robot_subsystem *robot);
bool flg_robot_contacts_push(const flg_robot_subsystem *robot);
/* Step: contacts of the state as it is, with the forces of the step that led to it; after
 * kinematics. */
void flg_robot_contacts_recall(flg_robot_subsystem *robot);
/* Step: contacts that may close within a time, after kinematics; as in coupled.h. */
flg_status flg_robot_contacts_find(flg_robot_subsystem *robot, double time_ahead, flg_error *error);

#endif
