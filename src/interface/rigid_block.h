/* rigid_block.h - D between ports of one rigid body, of mass m and inertia I about its centre of
 * mass: with r_a from there to port a, and X_a = [1 -[r_a]x; 0 1],
 *
 *     D_ab = X_a diag(1/m, I^-1) X_b^T
 */
#ifndef FLG_INTERFACE_RIGID_BLOCK_H
#define FLG_INTERFACE_RIGID_BLOCK_H

#include "math/dense_small.h"
#include "math/mat3.h"

enum { FLG_RIGID_ROWS = 6 };

/* how the body turns under unit forces and moments on port b */
FLG_SMALL void flg_rigid_turns(flg_sym3 yields, flg_vec3 arm, flg_vec3 turns[FLG_RIGID_ROWS]) {
  const flg_mat3 columns = flg_sym3_full(yields);
  turns[0] = flg_sym3_apply(yields, (flg_vec3){0, arm.z, -arm.y});
  turns[1] = flg_sym3_apply(yields, (flg_vec3){-arm.z, 0, arm.x});
  turns[2] = flg_sym3_apply(yields, (flg_vec3){arm.y, -arm.x, 0});
  for (int j = 0; j < 3; j++) turns[3 + j] = flg_mat3_column(&columns, j);
}

/* D_ab in columns of n, from the turns of b and the arm of a; lightness: 1/m */
FLG_SMALL void flg_rigid_block(flg_vec3 arm, double lightness, const flg_vec3 turns[FLG_RIGID_ROWS],
                               double *D, int n) {
#pragma GCC unroll 6
  for (int j = 0; j < FLG_RIGID_ROWS; j++) {
    flg_vec3_store(flg_vec3_cross(turns[j], arm), D + j * n);
    flg_vec3_store(turns[j], D + j * n + 3);
  }
#pragma GCC unroll 3
  for (int j = 0; j < 3; j++) D[j * (n + 1)] += lightness;
}

/* D_ba from D_ab, and what is above the diagonal of D_aa: symmetric to the last bit */
FLG_SMALL void flg_rigid_mirror(const double *D_ab, double *D_ba, int n) {
#pragma GCC unroll 6
  for (int j = 0; j < FLG_RIGID_ROWS; j++) {
#pragma GCC unroll 6
    for (int i = 0; i < FLG_RIGID_ROWS; i++) D_ba[i + j * n] = D_ab[j + i * n];
  }
}

FLG_SMALL void flg_rigid_mirror_own(double *D, int n) {
#pragma GCC unroll 6
  for (int j = 0; j < FLG_RIGID_ROWS; j++) {
#pragma GCC unroll 6
    for (int i = 0; i < j; i++) D[i + j * n] = D[j + i * n];
  }
}

#endif
