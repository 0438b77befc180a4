/* wide.h - rigid links in vectors of lanes (math/three.h): motions and inertias as kernels to
 * inline. Inner header of dynamics/. The same in plain numbers: joint.h, inertia.h.
 *
 *     rigid        [ m 1     -[h]x ]        articulated    [ M    H ]
 *                  [ [h]x     I    ]                       [ H^T  I ]
 */
#ifndef FLG_DYNAMICS_WIDE_H
#define FLG_DYNAMICS_WIDE_H

#include "dynamics/joint.h"

FLG_SMALL flg_wide_spatial flg_wide_load(const flg_spatial *from) {
  return (flg_wide_spatial){flg_three_load(&from->linear.x), flg_three_load(&from->angular.x)};
}

FLG_SMALL void flg_wide_store(const flg_wide_spatial *from, flg_spatial *to) {
  flg_three_store_over(from->linear, &to->linear.x);
  to->angular = flg_three_vector(from->angular);
}

FLG_SMALL void flg_wide_add(flg_wide_spatial *sum, const flg_wide_spatial *more) {
  sum->linear += more->linear;
  sum->angular += more->angular;
}

/* numbers behind `less` may belong to others */
FLG_SMALL void flg_wide_subtract(flg_wide_spatial *sum, const flg_spatial *less) {
  sum->linear -= flg_three_from(less->linear);
  sum->angular -= flg_three_from(less->angular);
}

FLG_SMALL void flg_wide_add_scaled(flg_wide_spatial *sum, double factor,
                                   const flg_wide_spatial *more) {
  sum->linear += more->linear * factor;
  sum->angular += more->angular * factor;
}

FLG_SMALL double flg_wide_dot(const flg_wide_spatial *a, const flg_wide_spatial *b) {
  return flg_three_sum(a->linear * b->linear + a->angular * b->angular);
}

/* The acceleration of a link from its parent's, while its coordinates do not accelerate. */
FLG_SMALL void flg_wide_carry(flg_wide_spatial *acceleration, const flg_motion *motion) {
  acceleration->linear += flg_three_cross(acceleration->angular, flg_three_load(&motion->arm.x));
  acceleration->linear += flg_three_load(&motion->drift.linear.x);
  acceleration->angular += flg_three_load(&motion->drift.angular.x);
}

/* --- of a link alone ---------------------------------------------------------------------------
 */

/* R S R^T = sum_j (R S)_j R_j^T over the columns R_j */
FLG_SMALL flg_three_sym flg_wide_turn(const flg_sym3 *s, const flg_mat3 *rotation) {
  const flg_three x = flg_three_load(rotation->m), y = flg_three_load(rotation->m + 3),
                  z = flg_three_load(rotation->m + 6);
  const flg_three sx = (x * s->xx + y * s->xy) + z * s->xz,
                  sy = (x * s->xy + y * s->yy) + z * s->yz,
                  sz = (x * s->xz + y * s->yz) + z * s->zz;
  return (flg_three_sym){
      .diagonal = (sx * x + sy * y) + sz * z,
      .next = (sx * flg_three_next(x) + sy * flg_three_next(y)) + sz * flg_three_next(z)};
}

FLG_SMALL flg_wide_inertia flg_wide_inertia_of_link(const flg_link *link,
                                                    const flg_motion *motion) {
  const double *m = motion->rotation.m;
  return (flg_wide_inertia){
      .moment = flg_three_combine(flg_three_load(m), flg_three_load(m + 3), flg_three_load(m + 6),
                                  link->inertia.moment),
      .rotation = flg_wide_turn(&link->inertia.rotation, &motion->rotation)};
}

/* --- from plain numbers, and to them ---------------------------------------------------------- */

FLG_SMALL flg_three_sym flg_wide_sym(const flg_sym3 *s) {
  return (flg_three_sym){{s->xx, s->yy, s->zz, 0}, {s->xy, s->yz, s->xz, 0}};
}

FLG_SMALL flg_sym3 flg_plain_sym(const flg_three_sym *s) {
  return (flg_sym3){.xx = s->diagonal[0],
                    .yy = s->diagonal[1],
                    .zz = s->diagonal[2],
                    .xy = s->next[0],
                    .xz = s->next[2],
                    .yz = s->next[1]};
}

FLG_SMALL flg_wide_articulated flg_wide_of_plain(const flg_articulated *A) {
  const double *m = A->coupling.m;
  return (flg_wide_articulated){
      flg_wide_sym(&A->linear),
      {{m[0], m[4], m[8], 0}, {m[3], m[7], m[2], 0}, {m[6], m[1], m[5], 0}},
      flg_wide_sym(&A->angular)};
}

FLG_SMALL flg_articulated flg_plain_of_wide(const flg_wide_articulated *A) {
  const flg_three d = A->coupling.diagonal, n = A->coupling.next, l = A->coupling.last;
  return (flg_articulated){flg_plain_sym(&A->linear),
                           {{d[0], l[1], n[2], n[0], d[1], l[2], l[0], n[1], d[2]}},
                           flg_plain_sym(&A->angular)};
}

/* inertia * motion */
FLG_SMALL flg_wide_spatial flg_wide_momentum(const flg_wide_inertia *own, double mass,
                                             const flg_wide_spatial *motion) {
  return (flg_wide_spatial){motion->linear * mass + flg_three_cross(motion->angular, own->moment),
                            flg_three_cross(own->moment, motion->linear) +
                                flg_three_sym_apply(&own->rotation, motion->angular)};
}

/* The force that the link's spin alone needs: w x (w x h), w x (I w). */
FLG_SMALL flg_wide_spatial flg_wide_spin(const flg_wide_inertia *own, flg_three w) {
  return (flg_wide_spatial){flg_three_cross(w, flg_three_cross(w, own->moment)),
                            flg_three_cross(w, flg_three_sym_apply(&own->rotation, w))};
}

/* --- articulated -------------------------------------------------------------------------------
 */

FLG_SMALL void flg_wide_join(flg_wide_articulated *sum, const flg_wide_articulated *more) {
  sum->linear.diagonal += more->linear.diagonal;
  sum->linear.next += more->linear.next;
  sum->coupling.diagonal += more->coupling.diagonal;
  sum->coupling.next += more->coupling.next;
  sum->coupling.last += more->coupling.last;
  sum->angular.diagonal += more->angular.diagonal;
  sum->angular.next += more->angular.next;
}

/* Adds a rigid inertia, which fills but a part. */
FLG_SMALL void flg_wide_join_rigid(flg_wide_articulated *sum, double mass,
                                   const flg_wide_inertia *rigid) {
  sum->linear.diagonal += mass;
  sum->coupling.next += flg_three_last(rigid->moment);
  sum->coupling.last -= flg_three_next(rigid->moment);
  sum->angular.diagonal += rigid->rotation.diagonal;
  sum->angular.next += rigid->rotation.next;
}

/* A * motion */
FLG_SMALL flg_wide_spatial flg_wide_resist(const flg_wide_articulated *A,
                                           const flg_wide_spatial *motion) {
  return (flg_wide_spatial){flg_three_sym_apply(&A->linear, motion->linear) +
                                flg_three_mat_apply(&A->coupling, motion->angular),
                            flg_three_mat_apply_transposed(&A->coupling, motion->linear) +
                                flg_three_sym_apply(&A->angular, motion->angular)};
}

/* A * [0; axis] */
FLG_SMALL flg_wide_spatial flg_wide_resist_turn(const flg_wide_articulated *A, flg_three axis) {
  return (flg_wide_spatial){flg_three_mat_apply(&A->coupling, axis),
                            flg_three_sym_apply(&A->angular, axis)};
}

/* A - factor u u^T */
FLG_SMALL void flg_wide_yield(flg_wide_articulated *A, const flg_wide_spatial *u, double factor) {
  const flg_three f = u->linear * factor, n = u->angular * factor;
  const flg_three next = flg_three_next(u->angular);
  A->linear.diagonal -= f * u->linear;
  A->linear.next -= f * flg_three_next(u->linear);
  A->coupling.diagonal -= f * u->angular;
  A->coupling.next -= f * next;
  A->coupling.last -= f * flg_three_last(u->angular);
  A->angular.diagonal -= n * u->angular;
  A->angular.next -= n * next;
}

/* The same inertia about an origin r before. With P = [r]x:
 *     H' = H - M P        I' = I + P H' + (P H)^T */
FLG_SMALL void flg_wide_shift(flg_wide_articulated *A, flg_three r) {
  const flg_three r_next = flg_three_next(r), r_last = flg_three_last(r);
  const flg_three_sym M = A->linear;
  const flg_three_mat H = A->coupling;
  const flg_three M_last = flg_three_last(M.next);
  const flg_three_mat K = {.diagonal = H.diagonal - (M.next * r_last - M_last * r_next),
                           .next = H.next - (M_last * r - M.diagonal * r_last),
                           .last = H.last - (M.diagonal * r_next - M.next * r)};
  A->angular.diagonal +=
      r_next * flg_three_last(K.next + H.next) - r_last * flg_three_next(K.last + H.last);
  A->angular.next += (r_next * flg_three_last(K.last) - r_last * flg_three_next(K.diagonal)) +
                     (r_last * H.diagonal - r * flg_three_last(H.next));
  A->coupling = K;
}

/* The same force about an origin r before. */
FLG_SMALL void flg_wide_shift_force(flg_wide_spatial *force, flg_three r) {
  force->angular += flg_three_cross(r, force->linear);
}

/* --- coordinates -------------------------------------------------------------------------------
 */

/* The force that drives a coordinate under the generalised force f and the force p on its link; p
 * becomes the force on the parent. */
FLG_SMALL void flg_wide_drive_coordinate(flg_coordinate *coordinate, double f,
                                         flg_wide_spatial *p) {
  const flg_wide_spatial S = flg_wide_load(&coordinate->direction),
                         U = flg_wide_load(&coordinate->load);
  coordinate->drive = f - flg_wide_dot(&S, p);
  flg_wide_add_scaled(p, coordinate->yield * coordinate->drive, &U);
}

/* The same for a direction [0; axis]. */
FLG_SMALL void flg_wide_drive_turn(flg_coordinate *coordinate, double f, flg_wide_spatial *p) {
  const flg_three axis = flg_three_load(&coordinate->direction.angular.x);
  const flg_wide_spatial U = flg_wide_load(&coordinate->load);
  coordinate->drive = f - flg_three_sum(axis * p->angular);
  flg_wide_add_scaled(p, coordinate->yield * coordinate->drive, &U);
}

/* f NULL: no generalised forces */
FLG_SMALL void flg_wide_drive_link(const flg_link *link, const double *f,
                                   flg_coordinate *coordinates, flg_wide_spatial *p) {
  int k = link->velocity + link->velocity_count - 1;
  if (flg_joint_is_turn(link->kind)) {
    flg_wide_drive_turn(&coordinates[k], f == NULL ? 0 : f[k], p);
    return;
  }
  for (; k >= link->velocity; k--) {
    flg_wide_drive_coordinate(&coordinates[k], f == NULL ? 0 : f[k], p);
  }
}

/* The acceleration a of a coordinate whose link, held by it, would accelerate as given; the link
 * accelerates with it. */
FLG_SMALL void flg_wide_answer_coordinate(const flg_coordinate *coordinate, flg_wide_spatial *held,
                                          double *a) {
  const flg_wide_spatial S = flg_wide_load(&coordinate->direction),
                         U = flg_wide_load(&coordinate->load);
  *a = coordinate->yield * (coordinate->drive - flg_wide_dot(&U, held));
  flg_wide_add_scaled(held, *a, &S);
}

/* The same for a direction [0; axis]. */
FLG_SMALL void flg_wide_answer_turn(const flg_coordinate *coordinate, flg_wide_spatial *held,
                                    double *a) {
  const flg_wide_spatial U = flg_wide_load(&coordinate->load);
  *a = coordinate->yield * (coordinate->drive - flg_wide_dot(&U, held));
  held->angular += flg_three_load(&coordinate->direction.angular.x) * *a;
}

FLG_SMALL void flg_wide_answer_link(const flg_link *link, const flg_coordinate *coordinates,
                                    flg_wide_spatial *held, double *a) {
  int k = link->velocity;
  if (flg_joint_is_turn(link->kind)) {
    flg_wide_answer_turn(&coordinates[k], held, &a[k]);
    return;
  }
  for (; k < link->velocity + link->velocity_count; k++) {
    flg_wide_answer_coordinate(&coordinates[k], held, &a[k]);
  }
}

#endif
