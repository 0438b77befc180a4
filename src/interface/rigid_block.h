/* rigid_block.h - D between ports of one rigid body, of mass m and inertia I about its centre of
 * mass: with r_a from there to port a, and X_a = [1 -[r_a]x; 0 1],
 *
 *     D_ab = X_a diag(1/m, I^-1) X_b^T
 */
#ifndef FLG_INTERFACE_RIGID_BLOCK_H
#define FLG_INTERFACE_RIGID_BLOCK_H

#include "math/dense_small.h"
#include "math/mat3.h"
#include "math/three.h"

enum { FLG_RIGID_ROWS = 6 };

/* how the body turns under unit forces and moments on port b */
FLG_SMALL void flg_rigid_turns(flg_sym3 yields, flg_vec3 arm, flg_three turns[FLG_RIGID_ROWS]) {
  /* the fourth lane is anything */
  const flg_three x = {yields.xx, yields.xy, yields.xz, yields.xz};
  const flg_three y = {yields.xy, yields.yy, yields.yz, yields.yz};
  const flg_three z = {yields.xz, yields.yz, yields.zz, yields.zz};
  turns[0] = y * arm.z - z * arm.y;
  turns[1] = z * arm.x - x * arm.z;
  turns[2] = x * arm.y - y * arm.x;
  turns[3] = x, turns[4] = y, turns[5] = z;
}

/* D_ab in columns of n, from the turns of b and the arm of a; lightness: 1/m */
FLG_SMALL void flg_rigid_block(flg_vec3 arm, double lightness,
                               const flg_three turns[FLG_RIGID_ROWS], double *D, int n) {
  const flg_three lever = {arm.x, arm.y, arm.z, arm.z};
#pragma GCC unroll 6
  for (int j = 0; j < FLG_RIGID_ROWS; j++) {
    flg_three_store_over(flg_three_cross(turns[j], lever), D + j * n);
    flg_vec3_store(flg_three_vector(turns[j]), D + j * n + 3);
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
