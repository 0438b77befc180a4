/* flex.h - elastic coordinates inside the recursion: what flexible links and their nodes add to
 * each pass over the links. Inner header of dynamics/.
 *
 * With w the spin of the link's frame, a its acceleration less gravity, alpha its angular one, u
 * and b rates and accelerations of the elastic coordinates (the rest as in model/modal.h, all in
 * the same axes), the energy T of modal.h gives
 *
 *     force    m a + alpha x h + w x (w x h) + sum_k t_k b_k + 2 w x t + sum_kj t_kj u_k u_j
 *     moment   h x a + I alpha + w x I w + sum_k c_k b_k + I' w + w x c + sum_kj c_kj u_k u_j
 *     on e_k   t_k.a + c_k.alpha + sum_j M_kj b_j + w.sum_j (c_kj - c_jk) u_j - w.I_k(e) w/2
 *
 * with t = sum_k t_k(e) u_k, c = sum_k c_k(e) u_k, I_k(e) = dI/de_k, I' = sum_k I_k(e) u_k.
 *
 * A node at rest at s moves by r = F e + P[e, e]/2 and turns by the rotation whose Rodrigues vector
 * is g = (slopes e)/2: exactly a rotation, with
 *
 *     angular velocity   s = (g' + g x g') 2/(1 + g.g)      its rate while g'' = 0: -(g.s) s
 */
#ifndef FLG_DYNAMICS_FLEX_H
#define FLG_DYNAMICS_FLEX_H

#include "dynamics/scratch.h"

/* A node without mass of its own, as most are. */
static inline bool flg_flex_is_bare(const flg_link *link) {
  return link->node >= 0 && link->inertia.mass == 0;
}

/* One that carries nothing: neither inertia nor, without a force on it, a force comes from it. */
static inline bool flg_flex_is_idle(const flg_dynamics *dynamics, int i) {
  return dynamics->slots[i] < 0 && flg_flex_is_bare(&dynamics->robot->links[i]);
}

/* One that carries nothing has no part in any motion: it sleeps until its motion is read, such as
 * by the page for a shape that is drawn there. From then on it is awake, with the motion that it
 * has by the last state and the last accelerations of forward or inverse dynamics. */
static inline bool flg_flex_sleeps(const flg_dynamics *dynamics, int i) {
  return dynamics->sleeps != NULL && i >= 0 && dynamics->sleeps[i];
}
void flg_flex_wake(const flg_dynamics *dynamics, int i);
static inline void flg_flex_see(const flg_dynamics *dynamics, int link) {
  if (flg_flex_sleeps(dynamics, link)) flg_flex_wake(dynamics, link);
}
/* Set-up, once it is known what hangs on nodes: idle ones fall asleep. */
void flg_flex_send_to_sleep(flg_dynamics *dynamics);

/* Set-up: without memory the region has failed. */
void flg_flex_lay_out(flg_dynamics *dynamics, flg_region *region);

/* --- kinematics ---------------------------------------------------------------------------------
 */

/* A flexible link, after its frame has moved: inertia of the deformed link. */
void flg_flex_deform(flg_dynamics *dynamics, int flex, const double *q);
/* The motion of a node, link i; the second alone where only velocities changed. */
void flg_flex_ride(const flg_dynamics *dynamics, int i, const double *q, const double *v);
void flg_flex_ride_on(const flg_dynamics *dynamics, int i, const double *v);
/* The motion of node i that elastic coordinates x (velocities) add to that of its parent. */
flg_spatial flg_flex_carried(const flg_dynamics *dynamics, int i, const double *x);
/* f += the elastic forces of a force on node i, at its origin. */
void flg_flex_load(const flg_dynamics *dynamics, int i, flg_spatial force, double *f);

/* The columns of elastic coordinates in the Jacobian of a frame at offset from node i. */
void flg_flex_columns(const flg_dynamics *dynamics, int i, flg_vec3 offset, double *J);

/* --- factors ------------------------------------------------------------------------------------
 */

void flg_flex_factor_begin(flg_dynamics *dynamics);
/* Node i hands its articulated inertia to the elastic coordinates that it rides on. */
void flg_flex_hand_inertia(flg_dynamics *dynamics, int i, const flg_articulated *inertia);
/* Frees the elastic coordinates of a flexible link; added as for forward. */
void flg_flex_free(flg_dynamics *dynamics, int flex, const double *added, flg_articulated *inertia);

/* --- forces -------------------------------------------------------------------------------------
 */

/* From generalised forces f, less those of velocities if these count. */
void flg_flex_forces_begin(flg_dynamics *dynamics, const double *f, bool moves);
/* Node i hands a force to the elastic coordinates that it rides on. */
void flg_flex_hand_force(flg_dynamics *dynamics, int i, flg_spatial force);
/* The generalised forces of the elastic coordinates under the force p on the link; returns the
 * force that remains. */
flg_spatial flg_flex_drive(flg_dynamics *dynamics, int flex, flg_spatial p);
/* Accelerations of the elastic coordinates of a link that accelerates as given. */
void flg_flex_answer(const flg_dynamics *dynamics, int flex, flg_spatial link, double *a);

/* carried and answer in lanes. */
FLG_SMALL void flg_flex_carry_node(const flg_dynamics *dynamics, int i, const double *a,
                                   flg_wide_spatial *own) {
  const flg_spatial more = flg_flex_carried(dynamics, i, a);
  own->linear += flg_three_from(more.linear);
  own->angular += flg_three_from(more.angular);
}
FLG_SMALL void flg_flex_answer_wide(const flg_dynamics *dynamics, int flex,
                                    const flg_wide_spatial *link, double *a) {
  flg_flex_answer(dynamics, flex,
                  (flg_spatial){flg_three_vector(link->linear), flg_three_vector(link->angular)},
                  a);
}
/* Inverse dynamics: the force on the frame that elastic accelerations a and velocities need, and
 * into f what elastic coordinates need, after nodes handed their forces (negative) to them. */
flg_spatial flg_flex_need(flg_dynamics *dynamics, int flex, const double *a, double *f);

/* --- sums ---------------------------------------------------------------------------------------
 */

/* Of a flexible link with the velocities of the last kinematics: its momentum at the link's origin,
 * in world axes, and its kinetic energy. */
flg_spatial flg_flex_momentum(const flg_dynamics *dynamics, int flex);
double flg_flex_kinetic_energy(const flg_dynamics *dynamics, int flex);
/* e.K e/2 */
double flg_flex_stored_energy(const flg_dynamics *dynamics, int flex);

#endif
