/* body_kernels.h - how a rigid body turns and flies (bodies_free_step.c), in line: of parts/, and
 * text of generated files (compile/), which so have the same bits.
 *
 * q: centre of mass and quaternion, 7 numbers; momenta in world axes.
 */
#ifndef FLG_PARTS_BODY_KERNELS_H
#define FLG_PARTS_BODY_KERNELS_H

#include <math.h>
#include <stdbool.h>

#include "math/axial.h"
#include "math/dense_small.h"
#include "math/spatial.h"

/* M^-1 r for a 3 x 3 matrix by columns, by Cramer's rule */
FLG_SMALL flg_vec3 flg_body_solve3(const flg_vec3 m[3], flg_vec3 r) {
  const flg_vec3 bc = flg_vec3_cross(m[1], m[2]);
  const double scale = 1 / flg_vec3_dot(m[0], bc);
  return (flg_vec3){scale * flg_vec3_dot(r, bc),
                    scale * flg_vec3_dot(r, flg_vec3_cross(m[2], m[0])),
                    scale * flg_vec3_dot(r, flg_vec3_cross(m[0], m[1]))};
}

enum { FLG_BODY_TURNS_MAX = 30 };

/* the columns of [v]x */
FLG_SMALL flg_vec3 flg_body_skew_column(flg_vec3 v, int k) {
  const flg_mat3 skew = flg_mat3_skew(v);
  return flg_mat3_column(&skew, k);
}

/* Errors square in each of Newton's steps: from this part of the momentum on, the next one leaves
 * rounding, and nothing has to be looked at after it. */
#define FLG_BODY_ALMOST 1e-9

/* u of the turn by Newton's method; false if the body turns too far in the step */
FLG_SMALL bool flg_body_find_turn(flg_sym3 inertia, flg_sym3 inverse, flg_vec3 moment,
                                  flg_quat *turn) {
  const flg_mat3 I = flg_sym3_full(inertia);
  const double almost = FLG_BODY_ALMOST * flg_vec3_norm(moment);
  flg_vec3 u = flg_vec3_scale(flg_sym3_apply(inverse, moment), 0.5);
  double before = INFINITY;
  bool is_last = false;
  for (int k = 0; k < FLG_BODY_TURNS_MAX; k++) {
    const double rest = 1 - flg_vec3_dot(u, u);
    if (!(rest > 0.01)) return false;
    const double s = sqrt(rest);
    *turn = (flg_quat){s, u.x, u.y, u.z};
    if (is_last) return true;
    const flg_vec3 Iu = flg_sym3_apply(inertia, u);
    const flg_vec3 sum = flg_vec3_add_scaled(flg_vec3_cross(u, Iu), s, Iu);
    const flg_vec3 left = flg_vec3_add_scaled(flg_vec3_scale(moment, 0.5), -1, sum);
    const double error = flg_vec3_norm(left);
    if (error == 0 || (k > 1 && error >= 0.5 * before)) return true; /* as good as numbers are */
    before = error, is_last = error <= almost;
    flg_vec3 column[3];
    const double share[3] = {u.x, u.y, u.z};
    for (int j = 0; j < 3; j++) {
      const flg_vec3 Ij = flg_mat3_column(&I, j);
      column[j] = flg_vec3_subtract(flg_vec3_cross(u, Ij), flg_body_skew_column(Iu, j));
      column[j] = flg_vec3_add_scaled(column[j], s, Ij);
      column[j] = flg_vec3_add_scaled(column[j], -share[j] / s, Iu);
    }
    u = flg_vec3_add(u, flg_body_solve3(column, left));
  }
  return true;
}

/* The free flight of a step; false if the body turns too far. */
FLG_SMALL bool flg_body_fly(double mass, flg_sym3 inertia, flg_sym3 inverse, flg_spatial momentum,
                            double h, const double *q, double *to) {
  const flg_quat at = {q[3], q[4], q[5], q[6]};
  const flg_vec3 moment = flg_quat_rotate(flg_quat_conjugate(at), momentum.angular);
  flg_quat turn = {1, 0, 0, 0};
  if (!flg_body_find_turn(inertia, inverse, flg_vec3_scale(moment, h), &turn)) return false;
  turn = flg_quat_normalise(flg_quat_multiply(at, turn));
  flg_vec3_store(flg_vec3_add_scaled(flg_vec3_load(q), h / mass, momentum.linear), to);
  to[3] = turn.w, to[4] = turn.x, to[5] = turn.y, to[6] = turn.z;
  return true;
}

/* I^-1 p, refined: the rounding of I^-1 is the same in every step, and momentum would drift by it
 */
FLG_SMALL flg_vec3 flg_body_spin(flg_sym3 inertia, flg_sym3 inverse, flg_vec3 momentum) {
  const flg_vec3 spin = flg_sym3_apply(inverse, momentum);
  const flg_vec3 left = flg_vec3_subtract(momentum, flg_sym3_apply(inertia, spin));
  return flg_vec3_add(spin, flg_sym3_apply(inverse, left));
}

/* Velocity of a momentum; inertia and inverse in world axes. */
FLG_SMALL flg_spatial flg_body_velocity(double mass, flg_sym3 inertia, flg_sym3 inverse,
                                        flg_spatial momentum) {
  return (flg_spatial){flg_vec3_scale(momentum.linear, 1 / mass),
                       flg_body_spin(inertia, inverse, momentum.angular)};
}

/* Momentum of a velocity. */
FLG_SMALL flg_spatial flg_body_momentum(double mass, flg_sym3 inertia, flg_spatial velocity) {
  return (flg_spatial){flg_vec3_scale(velocity.linear, mass),
                       flg_sym3_apply(inertia, velocity.angular)};
}

/* The velocity that joints see after the first push of a step of rattle: without what the body
 * turns by itself. start, momentum: before and after the push. */
FLG_SMALL flg_spatial flg_body_set_off(double mass, flg_sym3 inverse, flg_vec3 spin,
                                       flg_spatial start, flg_spatial momentum, double h) {
  const flg_vec3 mean =
      flg_vec3_add_scaled(momentum.angular, -h / 2, flg_vec3_cross(spin, start.angular));
  return (flg_spatial){flg_vec3_scale(momentum.linear, 1 / mass), flg_sym3_apply(inverse, mean)};
}

#endif
