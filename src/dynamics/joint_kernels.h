/* joint_kernels.h - the rows of a joint (joint_rows.h), in line and by what it holds: of
 * joint_rows.c, and text of generated files (compile/), which so have the same bits. With constant
 * `holds` only operations of its rows are left.
 */
#ifndef FLG_DYNAMICS_JOINT_KERNELS_H
#define FLG_DYNAMICS_JOINT_KERNELS_H

#include "math/dense_small.h"
#include "math/spatial.h"
#include "model/constraint_kind.h"

/* Where the frames of a joint are. */
typedef struct flg_joint_sight {
  flg_mat3 axes[2];
  flg_vec3 arm[2]; /* from the ports to the origins */
  flg_vec3 offset; /* from the origin of A to that of B */
} flg_joint_sight;

/* A frame of a joint in that of its link; on the ground, link is NULL, it is in that of the world,
 * and is its own port. */
typedef struct flg_joint_anchor {
  const flg_pose *link, *frame;
} flg_joint_anchor;

/* --- where frames are ---------------------------------------------------------------------------
 */

/* axes that no row asks for are left out: of B, all but those of its rows */
FLG_SMALL flg_vec3 flg_joint_see_end(const flg_joint_anchor *end, unsigned columns, flg_mat3 *axes,
                                     flg_vec3 *arm) {
  if (end->link == NULL) {
    *axes = end->frame->rotation, *arm = (flg_vec3){0, 0, 0};
    return end->frame->position;
  }
  const flg_mat3 *by = &end->link->rotation, *own = &end->frame->rotation;
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) {
    if ((columns >> k & 1) == 0) continue;
    flg_vec3_store(flg_mat3_apply(by, flg_mat3_column(own, k)), axes->m + 3 * k);
  }
  *arm = flg_mat3_apply(by, end->frame->position);
  return flg_vec3_add(end->link->position, *arm);
}

/* bit k: axis k of B has a row */
FLG_SMALL unsigned flg_joint_columns(unsigned holds) {
  return (holds & FLG_HOLDS_TWIST ? 1u : 0) | (holds & FLG_HOLDS_CROSS ? 2u : 0) |
         (holds & FLG_HOLDS_UPRIGHT ? 4u : 0);
}

FLG_SMALL int flg_joint_see(unsigned holds, const flg_joint_anchor end[2], flg_joint_sight *sight,
                            double *left) {
  const flg_vec3 a =
      flg_joint_see_end(&end[0], holds & FLG_HOLDS_POINT ? 0 : 7, &sight->axes[0], &sight->arm[0]);
  const flg_vec3 b =
      flg_joint_see_end(&end[1], flg_joint_columns(holds), &sight->axes[1], &sight->arm[1]);
  const flg_vec3 d = sight->offset = flg_vec3_subtract(b, a);
  if (holds & FLG_HOLDS_POINT) {
    flg_vec3_store(d, left);
    return 3;
  }
  const flg_vec3 x = flg_mat3_column(&sight->axes[0], 0), y = flg_mat3_column(&sight->axes[0], 1);
  double *row = left;
  if (holds & FLG_HOLDS_ACROSS) *row++ = flg_vec3_dot(x, d), *row++ = flg_vec3_dot(y, d);
  if (holds & FLG_HOLDS_ALONG) *row++ = flg_vec3_dot(flg_mat3_column(&sight->axes[0], 2), d);
  if (holds & FLG_HOLDS_UPRIGHT) {
    const flg_vec3 z = flg_mat3_column(&sight->axes[1], 2);
    *row++ = flg_vec3_dot(x, z), *row++ = flg_vec3_dot(y, z);
  }
  if (holds & FLG_HOLDS_TWIST) *row++ = flg_vec3_dot(y, flg_mat3_column(&sight->axes[1], 0));
  if (holds & FLG_HOLDS_CROSS) *row++ = flg_vec3_dot(x, flg_mat3_column(&sight->axes[1], 1));
  return (int)(row - left);
}

/* --- rows ---------------------------------------------------------------------------------------
 */

FLG_SMALL void flg_joint_write_row(flg_vec3 linear, flg_vec3 angular, int leading, double *row) {
  row[0] = linear.x, row[leading] = linear.y, row[2 * leading] = linear.z;
  row[3 * leading] = angular.x, row[4 * leading] = angular.y, row[5 * leading] = angular.z;
}

/* displacement along e: of A, the point that is held is `lever` away */
FLG_SMALL void flg_joint_write_push(flg_vec3 e, flg_vec3 lever, flg_vec3 arm, double *const side[2],
                                    int leading, int i) {
  if (side[0] != NULL) {
    flg_joint_write_row(flg_vec3_negate(e), flg_vec3_cross(e, lever), leading, side[0] + i);
  }
  if (side[1] != NULL) flg_joint_write_row(e, flg_vec3_cross(arm, e), leading, side[1] + i);
}

/* turn about n */
FLG_SMALL void flg_joint_write_twist(flg_vec3 n, double *const side[2], int leading, int i) {
  const flg_vec3 none = {0, 0, 0};
  if (side[0] != NULL) flg_joint_write_row(none, flg_vec3_negate(n), leading, side[0] + i);
  if (side[1] != NULL) flg_joint_write_row(none, n, leading, side[1] + i);
}

FLG_SMALL void flg_joint_write_point(const flg_joint_sight *sight, double *const side[2],
                                     int leading) {
  static const flg_vec3 world[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    flg_joint_write_push(world[i], sight->arm[0], sight->arm[1], side, leading, i);
  }
}

FLG_SMALL void flg_joint_write(unsigned holds, const flg_joint_sight *sight, double *const side[2],
                               int leading) {
  if (holds & FLG_HOLDS_POINT) {
    flg_joint_write_point(sight, side, leading);
    return;
  }
  const flg_vec3 x = flg_mat3_column(&sight->axes[0], 0), y = flg_mat3_column(&sight->axes[0], 1),
                 arm = sight->arm[1];
  const flg_vec3 lever = flg_vec3_add(sight->arm[0], sight->offset);
  int i = 0;
  if (holds & FLG_HOLDS_ACROSS) {
    flg_joint_write_push(x, lever, arm, side, leading, i++);
    flg_joint_write_push(y, lever, arm, side, leading, i++);
  }
  if (holds & FLG_HOLDS_ALONG)
    flg_joint_write_push(flg_mat3_column(&sight->axes[0], 2), lever, arm, side, leading, i++);
  if (holds & FLG_HOLDS_UPRIGHT) {
    const flg_vec3 z = flg_mat3_column(&sight->axes[1], 2);
    flg_joint_write_twist(flg_vec3_cross(z, x), side, leading, i++);
    flg_joint_write_twist(flg_vec3_cross(z, y), side, leading, i++);
  }
  if (holds & FLG_HOLDS_TWIST) {
    flg_joint_write_twist(flg_vec3_cross(flg_mat3_column(&sight->axes[1], 0), y), side, leading,
                          i++);
  }
  if (holds & FLG_HOLDS_CROSS)
    flg_joint_write_twist(flg_vec3_cross(flg_mat3_column(&sight->axes[1], 1), x), side, leading,
                          i++);
}

/* --- motion -------------------------------------------------------------------------------------
 */

/* w x (w x arm) */
FLG_SMALL flg_vec3 flg_joint_swing(flg_vec3 w, flg_vec3 arm) {
  return flg_vec3_cross(w, flg_vec3_cross(w, arm));
}

/* The vectors that directions fixed in A are multiplied with. The origin of B moves by u as A sees
 * it, from the point of A that is there: u = v_B + w_B x arm_B - v_A - w_A x lever, and its
 * acceleration without those of the ports is w_B x (w_B x arm_B) - w_A x (w_A x lever) - 2 w_A x u.
 * Of a spherical joint directions stay: the last term is none. */
typedef struct flg_joint_passing {
  flg_vec3 rate, bias;
} flg_joint_passing;

FLG_SMALL flg_joint_passing flg_joint_pass(const flg_spatial v[2], flg_vec3 lever, flg_vec3 arm,
                                           bool turns) {
  const flg_vec3 w[2] = {v[0].angular, v[1].angular};
  const flg_vec3 b = flg_vec3_add(v[1].linear, flg_vec3_cross(w[1], arm));
  const flg_vec3 a = flg_vec3_add(v[0].linear, flg_vec3_cross(w[0], lever));
  flg_joint_passing of = {.rate = flg_vec3_subtract(b, a)};
  of.bias = flg_vec3_subtract(flg_joint_swing(w[1], arm), flg_joint_swing(w[0], lever));
  if (turns) of.bias = flg_vec3_add_scaled(of.bias, -2, flg_vec3_cross(w[0], of.rate));
  return of;
}

/* How B turns against A: w = w_B - w_A, w x w_A and w . w. */
typedef struct flg_joint_turning {
  flg_vec3 rate, gyration;
  double square;
} flg_joint_turning;

/* g = a.b, a fixed in A and b in B (constraint.c) */
FLG_SMALL void flg_joint_drift_twist(const flg_joint_turning *of, flg_vec3 a, flg_vec3 b,
                                     double left, double *rate, double *bias) {
  const flg_vec3 n = flg_vec3_cross(b, a);
  *rate = flg_vec3_dot(n, of->rate);
  *bias = flg_vec3_dot(n, of->gyration) + flg_vec3_dot(of->rate, a) * flg_vec3_dot(of->rate, b) -
          of->square * left;
}

FLG_SMALL void flg_joint_drift(unsigned holds, const flg_joint_sight *sight, const double *left,
                               const flg_spatial velocity[2], double *rate, double *bias) {
  if (holds & FLG_HOLDS_POINT) {
    const flg_joint_passing of = flg_joint_pass(velocity, sight->arm[0], sight->arm[1], false);
    flg_vec3_store(of.rate, rate);
    flg_vec3_store(of.bias, bias);
    return;
  }
  const flg_vec3 x = flg_mat3_column(&sight->axes[0], 0), y = flg_mat3_column(&sight->axes[0], 1);
  int i = 0;
  if (holds & (FLG_HOLDS_ACROSS | FLG_HOLDS_ALONG)) {
    const flg_vec3 lever = flg_vec3_add(sight->arm[0], sight->offset);
    const flg_joint_passing of = flg_joint_pass(velocity, lever, sight->arm[1], true);
    if (holds & FLG_HOLDS_ACROSS) {
      rate[i] = flg_vec3_dot(x, of.rate), bias[i++] = flg_vec3_dot(x, of.bias);
      rate[i] = flg_vec3_dot(y, of.rate), bias[i++] = flg_vec3_dot(y, of.bias);
    }
    if (holds & FLG_HOLDS_ALONG) {
      const flg_vec3 z = flg_mat3_column(&sight->axes[0], 2);
      rate[i] = flg_vec3_dot(z, of.rate), bias[i++] = flg_vec3_dot(z, of.bias);
    }
  }
  if ((holds & (FLG_HOLDS_UPRIGHT | FLG_HOLDS_TWIST | FLG_HOLDS_CROSS)) == 0) return;
  const flg_vec3 w = flg_vec3_subtract(velocity[1].angular, velocity[0].angular);
  const flg_joint_turning of = {w, flg_vec3_cross(w, velocity[0].angular), flg_vec3_dot(w, w)};
  const flg_mat3 *b = &sight->axes[1];
  if (holds & FLG_HOLDS_UPRIGHT) {
    flg_joint_drift_twist(&of, x, flg_mat3_column(b, 2), left[i], &rate[i], &bias[i]), i++;
    flg_joint_drift_twist(&of, y, flg_mat3_column(b, 2), left[i], &rate[i], &bias[i]), i++;
  }
  if (holds & FLG_HOLDS_TWIST)
    flg_joint_drift_twist(&of, y, flg_mat3_column(b, 0), left[i], &rate[i], &bias[i]), i++;
  if (holds & FLG_HOLDS_CROSS)
    flg_joint_drift_twist(&of, x, flg_mat3_column(b, 1), left[i], &rate[i], &bias[i]);
}

#endif
