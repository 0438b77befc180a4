#include "dynamics/joint_rows.h"

#include "math/dense_small.h"
#include "math/wide_vectors.h"

enum { ACROSS = FLG_HOLDS_ACROSS, ALONG = FLG_HOLDS_ALONG, POINT = FLG_HOLDS_POINT };
enum { UPRIGHT = FLG_HOLDS_UPRIGHT, TWIST = FLG_HOLDS_TWIST, CROSS = FLG_HOLDS_CROSS };

FLG_SMALL unsigned holds_of(flg_constraint_kind kind) {
  return flg_constraint_kinds[kind].holds;
}

/* --- where frames are ---------------------------------------------------------------------------
 */

/* axes that no row asks for are left out: of B, all but those of its rows */
FLG_SMALL flg_vec3 see_end(const flg_joint_anchor *end, unsigned columns, flg_mat3 *axes,
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
FLG_SMALL unsigned columns_of(unsigned holds) {
  return (holds & TWIST ? 1u : 0) | (holds & CROSS ? 2u : 0) | (holds & UPRIGHT ? 4u : 0);
}

FLG_WIDE_VECTORS
int flg_joint_rows_see(flg_constraint_kind kind, const flg_joint_anchor end[2],
                       flg_joint_sight *sight, double left[FLG_CONSTRAINT_ROWS_MAX]) {
  const unsigned holds = holds_of(kind);
  const flg_vec3 a = see_end(&end[0], holds & POINT ? 0 : 7, &sight->axes[0], &sight->arm[0]);
  const flg_vec3 b = see_end(&end[1], columns_of(holds), &sight->axes[1], &sight->arm[1]);
  const flg_vec3 d = sight->offset = flg_vec3_subtract(b, a);
  if (holds & POINT) {
    flg_vec3_store(d, left);
    return 3;
  }
  const flg_vec3 x = flg_mat3_column(&sight->axes[0], 0), y = flg_mat3_column(&sight->axes[0], 1);
  double *row = left;
  if (holds & ACROSS) *row++ = flg_vec3_dot(x, d), *row++ = flg_vec3_dot(y, d);
  if (holds & ALONG) *row++ = flg_vec3_dot(flg_mat3_column(&sight->axes[0], 2), d);
  if (holds & UPRIGHT) {
    const flg_vec3 z = flg_mat3_column(&sight->axes[1], 2);
    *row++ = flg_vec3_dot(x, z), *row++ = flg_vec3_dot(y, z);
  }
  if (holds & TWIST) *row++ = flg_vec3_dot(y, flg_mat3_column(&sight->axes[1], 0));
  if (holds & CROSS) *row++ = flg_vec3_dot(x, flg_mat3_column(&sight->axes[1], 1));
  return (int)(row - left);
}

/* --- rows ---------------------------------------------------------------------------------------
 */

FLG_SMALL void write(flg_vec3 linear, flg_vec3 angular, int leading, double *row) {
  row[0] = linear.x, row[leading] = linear.y, row[2 * leading] = linear.z;
  row[3 * leading] = angular.x, row[4 * leading] = angular.y, row[5 * leading] = angular.z;
}

/* displacement along e: of A, the point that is held is `lever` away */
FLG_SMALL void write_push(flg_vec3 e, flg_vec3 lever, flg_vec3 arm, double *const side[2],
                          int leading, int i) {
  if (side[0] != NULL) {
    write(flg_vec3_negate(e), flg_vec3_cross(e, lever), leading, side[0] + i);
  }
  if (side[1] != NULL) write(e, flg_vec3_cross(arm, e), leading, side[1] + i);
}

/* turn about n */
FLG_SMALL void write_twist(flg_vec3 n, double *const side[2], int leading, int i) {
  const flg_vec3 none = {0, 0, 0};
  if (side[0] != NULL) write(none, flg_vec3_negate(n), leading, side[0] + i);
  if (side[1] != NULL) write(none, n, leading, side[1] + i);
}

FLG_SMALL void write_point(const flg_joint_sight *sight, double *const side[2], int leading) {
  static const flg_vec3 world[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    write_push(world[i], sight->arm[0], sight->arm[1], side, leading, i);
  }
}

FLG_WIDE_VECTORS
void flg_joint_rows_write(flg_constraint_kind kind, const flg_joint_sight *sight,
                          double *const side[2], int leading) {
  const unsigned holds = holds_of(kind);
  if (holds & POINT) {
    write_point(sight, side, leading);
    return;
  }
  const flg_vec3 x = flg_mat3_column(&sight->axes[0], 0), y = flg_mat3_column(&sight->axes[0], 1),
                 arm = sight->arm[1];
  const flg_vec3 lever = flg_vec3_add(sight->arm[0], sight->offset);
  int i = 0;
  if (holds & ACROSS) {
    write_push(x, lever, arm, side, leading, i++);
    write_push(y, lever, arm, side, leading, i++);
  }
  if (holds & ALONG)
    write_push(flg_mat3_column(&sight->axes[0], 2), lever, arm, side, leading, i++);
  if (holds & UPRIGHT) {
    const flg_vec3 z = flg_mat3_column(&sight->axes[1], 2);
    write_twist(flg_vec3_cross(z, x), side, leading, i++);
    write_twist(flg_vec3_cross(z, y), side, leading, i++);
  }
  if (holds & TWIST) {
    write_twist(flg_vec3_cross(flg_mat3_column(&sight->axes[1], 0), y), side, leading, i++);
  }
  if (holds & CROSS)
    write_twist(flg_vec3_cross(flg_mat3_column(&sight->axes[1], 1), x), side, leading, i++);
}

/* --- motion -------------------------------------------------------------------------------------
 */

/* w x (w x arm) */
FLG_SMALL flg_vec3 swing(flg_vec3 w, flg_vec3 arm) {
  return flg_vec3_cross(w, flg_vec3_cross(w, arm));
}

/* What directions fixed in A are multiplied with. The origin of B moves by u as A sees it, from the
 * point of A that is there: u = v_B + w_B x arm_B - v_A - w_A x lever, and its acceleration without
 * those of the ports is w_B x (w_B x arm_B) - w_A x (w_A x lever) - 2 w_A x u. Of a spherical joint
 * directions stay: the last term is none. */
typedef struct passing {
  flg_vec3 rate, bias;
} passing;

FLG_SMALL passing pass(const flg_spatial v[2], flg_vec3 lever, flg_vec3 arm, bool turns) {
  const flg_vec3 w[2] = {v[0].angular, v[1].angular};
  const flg_vec3 b = flg_vec3_add(v[1].linear, flg_vec3_cross(w[1], arm));
  const flg_vec3 a = flg_vec3_add(v[0].linear, flg_vec3_cross(w[0], lever));
  passing of = {.rate = flg_vec3_subtract(b, a)};
  of.bias = flg_vec3_subtract(swing(w[1], arm), swing(w[0], lever));
  if (turns) of.bias = flg_vec3_add_scaled(of.bias, -2, flg_vec3_cross(w[0], of.rate));
  return of;
}

/* How B turns against A: w = w_B - w_A, w x w_A and w . w. */
typedef struct turning {
  flg_vec3 rate, gyration;
  double square;
} turning;

/* g = a.b, a fixed in A and b in B (constraint.c) */
FLG_SMALL void drift_twist(const turning *of, flg_vec3 a, flg_vec3 b, double left, double *rate,
                           double *bias) {
  const flg_vec3 n = flg_vec3_cross(b, a);
  *rate = flg_vec3_dot(n, of->rate);
  *bias = flg_vec3_dot(n, of->gyration) + flg_vec3_dot(of->rate, a) * flg_vec3_dot(of->rate, b) -
          of->square * left;
}

FLG_WIDE_VECTORS
void flg_joint_rows_drift(flg_constraint_kind kind, const flg_joint_sight *sight,
                          const double left[FLG_CONSTRAINT_ROWS_MAX], const flg_spatial velocity[2],
                          double rate[FLG_CONSTRAINT_ROWS_MAX],
                          double bias[FLG_CONSTRAINT_ROWS_MAX]) {
  const unsigned holds = holds_of(kind);
  if (holds & POINT) {
    const passing of = pass(velocity, sight->arm[0], sight->arm[1], false);
    flg_vec3_store(of.rate, rate);
    flg_vec3_store(of.bias, bias);
    return;
  }
  const flg_vec3 x = flg_mat3_column(&sight->axes[0], 0), y = flg_mat3_column(&sight->axes[0], 1);
  int i = 0;
  if (holds & (ACROSS | ALONG)) {
    const flg_vec3 lever = flg_vec3_add(sight->arm[0], sight->offset);
    const passing of = pass(velocity, lever, sight->arm[1], true);
    if (holds & ACROSS) {
      rate[i] = flg_vec3_dot(x, of.rate), bias[i++] = flg_vec3_dot(x, of.bias);
      rate[i] = flg_vec3_dot(y, of.rate), bias[i++] = flg_vec3_dot(y, of.bias);
    }
    if (holds & ALONG) {
      const flg_vec3 z = flg_mat3_column(&sight->axes[0], 2);
      rate[i] = flg_vec3_dot(z, of.rate), bias[i++] = flg_vec3_dot(z, of.bias);
    }
  }
  if ((holds & (UPRIGHT | TWIST | CROSS)) == 0) return;
  const flg_vec3 w = flg_vec3_subtract(velocity[1].angular, velocity[0].angular);
  const turning of = {w, flg_vec3_cross(w, velocity[0].angular), flg_vec3_dot(w, w)};
  const flg_mat3 *b = &sight->axes[1];
  if (holds & UPRIGHT) {
    drift_twist(&of, x, flg_mat3_column(b, 2), left[i], &rate[i], &bias[i]), i++;
    drift_twist(&of, y, flg_mat3_column(b, 2), left[i], &rate[i], &bias[i]), i++;
  }
  if (holds & TWIST) drift_twist(&of, y, flg_mat3_column(b, 0), left[i], &rate[i], &bias[i]), i++;
  if (holds & CROSS) drift_twist(&of, x, flg_mat3_column(b, 1), left[i], &rate[i], &bias[i]);
}
