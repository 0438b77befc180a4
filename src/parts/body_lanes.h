/* body_lanes.h - body_kernels.h of four bodies at once, with the bits of one at a time. */
#ifndef FLG_PARTS_BODY_LANES_H
#define FLG_PARTS_BODY_LANES_H

#include "math/lanes.h"
#include "parts/bodies.h"
#include "parts/body_kernels.h"

/* quaternions of four bodies */
FLG_SMALL flg_lanes_quat flg_body_turn_lanes(const double *q) {
  const int apart = FLG_BODY_POSITIONS;
  return (flg_lanes_quat){flg_lanes_load(q + 3, apart), flg_lanes_load(q + 4, apart),
                          flg_lanes_load(q + 5, apart), flg_lanes_load(q + 6, apart)};
}

/* --- where they are -----------------------------------------------------------------------------
 */

/* flg_axial_along */
FLG_SMALL flg_lanes_sym3 flg_axial_along_lanes(flg_four across, flg_four more, flg_lanes_vec3 n) {
  const flg_lanes_vec3 share = flg_lanes_scale(n, more);
  return (flg_lanes_sym3){.xx = across + share.x * n.x,
                          .yy = across + share.y * n.y,
                          .zz = across + share.z * n.z,
                          .xy = share.x * n.y,
                          .xz = share.x * n.z,
                          .yz = share.y * n.z};
}

/* Poses of four bodies with axial inertias, and these in world axes. False if a quaternion is zero:
 * nothing is written. */
FLG_SMALL bool flg_body_place_lanes(const flg_rigid_body *bodies, const double *q,
                                    flg_rigid_motion *motions) {
  flg_lanes_quat turn = flg_body_turn_lanes(q);
  if (!flg_lanes_quat_normalise(&turn)) return false;
  flg_lanes_vec3 column[3];
  flg_lanes_quat_to_matrix(turn, column);
  const flg_lanes_vec3 axis =
      flg_lanes_mat3_apply(column, flg_lanes_vectors(FLG_LANES_OF(bodies, resists.axis)));
  const flg_lanes_sym3 inertia =
      flg_axial_along_lanes(flg_lanes_numbers(FLG_LANES_OF(bodies, resists.across)),
                            flg_lanes_numbers(FLG_LANES_OF(bodies, resists.more)), axis);
  const flg_lanes_sym3 inverse =
      flg_axial_along_lanes(flg_lanes_numbers(FLG_LANES_OF(bodies, yields.across)),
                            flg_lanes_numbers(FLG_LANES_OF(bodies, yields.more)), axis);
#pragma GCC unroll 4
  for (int k = 0; k < FLG_LANES; k++) {
    flg_pose *pose = &motions[k].at.pose;
    pose->position = flg_vec3_load(q + FLG_BODY_POSITIONS * k);
    pose->rotation = flg_mat3_from_columns(flg_lanes_vector_of(&column[0], k),
                                           flg_lanes_vector_of(&column[1], k),
                                           flg_lanes_vector_of(&column[2], k));
    motions[k].inertia = flg_lanes_matrix_of(&inertia, k);
    motions[k].inverse = flg_lanes_matrix_of(&inverse, k);
  }
  return true;
}

/* --- how they fly -------------------------------------------------------------------------------
 */

/* flg_body_solve3 */
FLG_SMALL flg_lanes_vec3 flg_body_solve3_lanes(const flg_lanes_vec3 m[3], flg_lanes_vec3 r) {
  const flg_lanes_vec3 bc = flg_lanes_cross(m[1], m[2]);
  const flg_four scale = 1 / flg_lanes_dot(m[0], bc);
  return (flg_lanes_vec3){scale * flg_lanes_dot(r, bc),
                          scale * flg_lanes_dot(r, flg_lanes_cross(m[2], m[0])),
                          scale * flg_lanes_dot(r, flg_lanes_cross(m[0], m[1]))};
}

/* Newton's step from u towards the turn that leaves nothing; I of the body's axes, Iu = I u */
FLG_SMALL flg_lanes_vec3 flg_body_turn_on_lanes(const flg_lanes_sym3 *I, flg_lanes_vec3 u,
                                                flg_four s, flg_lanes_vec3 Iu,
                                                flg_lanes_vec3 left) {
  const flg_four none = {0, 0, 0, 0}, share[3] = {u.x, u.y, u.z};
  const flg_lanes_vec3 of[3] = {
      {I->xx, I->xy, I->xz}, {I->xy, I->yy, I->yz}, {I->xz, I->yz, I->zz}};
  const flg_lanes_vec3 skew[3] = {{none, Iu.z, -Iu.y}, {-Iu.z, none, Iu.x}, {Iu.y, -Iu.x, none}};
  flg_lanes_vec3 column[3];
#pragma GCC unroll 3
  for (int j = 0; j < 3; j++) {
    column[j] = flg_lanes_subtract(flg_lanes_cross(u, of[j]), skew[j]);
    column[j] = flg_lanes_add_scaled(column[j], s, of[j]);
    column[j] = flg_lanes_add_scaled(column[j], -share[j] / s, Iu);
  }
  return flg_lanes_add(u, flg_body_solve3_lanes(column, left));
}

/* flg_body_find_turn; false if one of them turns too far */
FLG_SMALL bool flg_body_find_turn_lanes(const flg_lanes_sym3 *inertia,
                                        const flg_lanes_sym3 *inverse, flg_lanes_vec3 moment,
                                        flg_lanes_quat *turn) {
  const flg_four none = {0, 0, 0, 0}, half = {0.5, 0.5, 0.5, 0.5};
  const flg_four almost = FLG_BODY_ALMOST * flg_lanes_sqrt(flg_lanes_dot(moment, moment));
  flg_lanes_vec3 u = flg_lanes_scale(flg_lanes_sym3_apply(inverse, moment), half);
  flg_four before = none + INFINITY;
  flg_lanes_mask is_last = {0};
  for (int k = 0; k < FLG_BODY_TURNS_MAX; k++) {
    const flg_four rest = 1 - flg_lanes_dot(u, u);
    if (!flg_lanes_all(rest > 0.01)) return false;
    const flg_four s = flg_lanes_sqrt(rest);
    *turn = (flg_lanes_quat){s, u.x, u.y, u.z};
    if (flg_lanes_all(is_last)) return true;
    const flg_lanes_vec3 Iu = flg_lanes_sym3_apply(inertia, u);
    const flg_lanes_vec3 sum = flg_lanes_add_scaled(flg_lanes_cross(u, Iu), s, Iu);
    const flg_lanes_vec3 left = flg_lanes_add_scaled(flg_lanes_scale(moment, half), none - 1, sum);
    const flg_four error = flg_lanes_sqrt(flg_lanes_dot(left, left));
    /* those that are there stay where they are */
    flg_lanes_mask is_there = is_last | (error == none);
    if (k > 1) is_there |= error >= 0.5 * before;
    const flg_lanes_vec3 next = flg_body_turn_on_lanes(inertia, u, s, Iu, left);
    u = flg_lanes_choose_vec3(is_there, u, next);
    before = error, is_last = is_there | (error <= almost);
  }
  return true;
}

/* flg_body_fly of four bodies, one after the other. False if one of them turns too far: nothing is
 * written. */
FLG_SMALL bool flg_body_fly_lanes(const flg_rigid_body *bodies, const flg_rigid_motion *motions,
                                  double h, const double *q, double *to) {
  const flg_lanes_sym3 inertia = flg_lanes_matrices(FLG_LANES_OF(bodies, inertia));
  const flg_lanes_sym3 inverse = flg_lanes_matrices(FLG_LANES_OF(bodies, inverse));
  const int apart = FLG_BODY_POSITIONS;
  const flg_lanes_quat at = flg_body_turn_lanes(q);
  const flg_four time = {h, h, h, h};
  const flg_lanes_vec3 angular = flg_lanes_vectors(FLG_LANES_OF(motions, momentum.angular));
  const flg_lanes_vec3 moment = flg_lanes_quat_rotate_back(at, angular);
  flg_lanes_quat turn;
  if (!flg_body_find_turn_lanes(&inertia, &inverse, flg_lanes_scale(moment, time), &turn))
    return false;
  turn = flg_lanes_quat_multiply(at, turn);
  if (!flg_lanes_quat_normalise(&turn)) return false;
  const flg_four mass = flg_lanes_numbers(FLG_LANES_OF(bodies, mass));
  const flg_lanes_vec3 linear = flg_lanes_vectors(FLG_LANES_OF(motions, momentum.linear));
  const flg_lanes_vec3 moved =
      flg_lanes_add_scaled(flg_lanes_load_vec3(q, apart), time / mass, linear);
  flg_lanes_store(moved.x, to, apart);
  flg_lanes_store(moved.y, to + 1, apart);
  flg_lanes_store(moved.z, to + 2, apart);
  flg_lanes_store(turn.w, to + 3, apart);
  flg_lanes_store(turn.x, to + 4, apart);
  flg_lanes_store(turn.y, to + 5, apart);
  flg_lanes_store(turn.z, to + 6, apart);
  return true;
}

#endif
