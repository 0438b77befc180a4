/* hinge_rows.h - joint_kernels.h of hinges, which most joints are, in lanes: a lane for each row.
 *
 * With axes x, y, z of A and z' of B, d from A to B, the five rows are x.d, y.d, z.d, x.z', y.z'.
 * Products with one vector are then products of whole columns of (x, y, z)^T with its numbers, and
 * so is G. Each lane sees the operations of joint_kernels.h in their order: bits are the same. For
 * functions that are compiled for wide vectors. Axes x' and y' of B are not found.
 */
#ifndef FLG_DYNAMICS_HINGE_ROWS_H
#define FLG_DYNAMICS_HINGE_ROWS_H

#include "dynamics/joint_kernels.h"
#include "math/three.h"

enum {
  FLG_HINGE = FLG_HOLDS_ACROSS | FLG_HOLDS_ALONG | FLG_HOLDS_UPRIGHT, /* what it holds */
  FLG_HINGE_ROWS = 5
};

/* three numbers, and anything */
FLG_SMALL flg_three flg_hinge_three(flg_vec3 v) {
  return (flg_three){v.x, v.y, v.z, v.z};
}

/* Numbers of the axes of A: column.x = (x_x, y_x, z_x, x_x), ... */
typedef struct flg_hinge_columns {
  flg_four x, y, z;
} flg_hinge_columns;

FLG_SMALL flg_hinge_columns flg_hinge_transpose(flg_three x, flg_three y, flg_three z) {
  const flg_four even = __builtin_shufflevector(x, y, 0, 4, 2, 6);
  const flg_four odd = __builtin_shufflevector(x, y, 1, 5, 3, 7);
  const flg_four others[2] = {__builtin_shufflevector(z, x, 0, 4, 2, 6),
                              __builtin_shufflevector(z, x, 1, 5, 3, 7)};
  return (flg_hinge_columns){__builtin_shufflevector(even, others[0], 0, 1, 4, 5),
                             __builtin_shufflevector(odd, others[1], 0, 1, 4, 5),
                             __builtin_shufflevector(even, others[0], 2, 3, 6, 7)};
}

FLG_SMALL flg_hinge_columns flg_hinge_load(const flg_joint_sight *sight) {
  const double *m = (const double *)sight; /* the axes of A come first */
  return flg_hinge_transpose(flg_three_load(m), flg_three_load(m + 3), flg_three_load(m + 6));
}

/* (x.v, y.v, z.v, x.v) */
FLG_SMALL flg_four flg_hinge_along(const flg_hinge_columns *of, flg_vec3 v) {
  return (of->x * v.x + of->y * v.y) + of->z * v.z;
}

FLG_SMALL flg_two flg_hinge_low(flg_four v) {
  return (flg_two){v[0], v[1]};
}

/* --- where frames are ---------------------------------------------------------------------------
 */

/* an end of the joint: its axes (those of B: z alone), and the arm to its origin, which it returns
 */
FLG_SMALL flg_three flg_hinge_see_end(const flg_joint_anchor *end, bool is_first, flg_three axis[3],
                                      flg_three *arm) {
  const double *own = (const double *)end->frame; /* rotation, and position behind it */
  const flg_vec3 place = end->frame->position;
  const int first = is_first ? 0 : 2;
  if (end->link == NULL) {
#pragma GCC unroll 3
    for (int k = first; k < 3; k++) axis[k] = flg_three_load(own + 3 * k);
    *arm = (flg_three){0, 0, 0, 0};
    return flg_hinge_three(place);
  }
  const double *by = (const double *)end->link;
  const flg_three x = flg_three_load(by), y = flg_three_load(by + 3), z = flg_three_load(by + 6);
#pragma GCC unroll 3
  for (int k = first; k < 3; k++) {
    axis[k] = flg_three_combine(x, y, z, flg_vec3_load(own + 3 * k));
  }
  *arm = flg_three_combine(x, y, z, place);
  return flg_hinge_three(end->link->position) + *arm;
}

/* flg_joint_see */
FLG_SMALL void flg_hinge_see(const flg_joint_anchor end[2], flg_joint_sight *sight, double *left) {
  flg_three a[3], b[3], arm[2];
  const flg_three from = flg_hinge_see_end(&end[0], true, a, &arm[0]);
  const flg_three to = flg_hinge_see_end(&end[1], false, b, &arm[1]), d = to - from;
  const flg_hinge_columns columns = flg_hinge_transpose(a[0], a[1], a[2]);
  const flg_four apart = flg_hinge_along(&columns, flg_three_vector(d));
  const flg_four tilts = flg_hinge_along(&columns, flg_three_vector(b[2]));
  /* in the order of their places: a store writes the number behind, too */
  double *numbers = (double *)sight;
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) flg_three_store_over(a[k], numbers + 3 * k);
  flg_three_store_over(b[2], numbers + 9 + 6);
  flg_three_store_over(arm[0], numbers + 18);
  flg_three_store_over(arm[1], numbers + 21);
  sight->offset = flg_three_vector(d);
  flg_three_store_over(apart, left);
  *(flg_two *)(left + 3) = flg_hinge_low(tilts);
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* a column of five numbers */
FLG_SMALL void flg_hinge_store(flg_four rows, double last, double *column) {
  *(flg_four *)column = rows;
  column[4] = last;
}

/* the first three of one, the fourth of the other */
FLG_SMALL flg_four flg_hinge_join(flg_four pushes, flg_four turns) {
  return __builtin_shufflevector(pushes, turns, 0, 1, 2, 7);
}

/* c of all three pushes, and of the first turn, in the last lane */
FLG_SMALL flg_four flg_hinge_spread(double push, double turn) {
  return (flg_four){push, push, push, turn};
}

/* linear columns: e of pushes, turns have none */
FLG_SMALL void flg_hinge_write_linear(const flg_hinge_columns *e, int leading, double *side) {
  const flg_four none = {0, 0, 0, 0};
  flg_hinge_store(flg_hinge_join(e->x, none), 0, side);
  flg_hinge_store(flg_hinge_join(e->y, none), 0, side + leading);
  flg_hinge_store(flg_hinge_join(e->z, none), 0, side + 2 * leading);
}

/* flg_joint_write: of B, arm x e, and n = z' x (x, y); of A, e x lever, and -n */
FLG_SMALL void flg_hinge_write(const flg_joint_sight *sight, double *const side[2], int leading) {
  const flg_hinge_columns e = flg_hinge_load(sight);
  const flg_vec3 y = flg_mat3_column(&sight->axes[0], 1), z = flg_mat3_column(&sight->axes[1], 2);
  const flg_vec3 last = flg_vec3_cross(z, y), arm = sight->arm[1];
  const flg_four by[3] = {flg_hinge_spread(arm.x, z.x), flg_hinge_spread(arm.y, z.y),
                          flg_hinge_spread(arm.z, z.z)};
  const flg_four n[3] = {by[1] * e.z - by[2] * e.y, by[2] * e.x - by[0] * e.z,
                         by[0] * e.y - by[1] * e.x};
  if (side[1] != NULL) {
    double *angular = side[1] + 3 * leading;
    flg_hinge_write_linear(&e, leading, side[1]);
    flg_hinge_store(n[0], last.x, angular);
    flg_hinge_store(n[1], last.y, angular + leading);
    flg_hinge_store(n[2], last.z, angular + 2 * leading);
  }
  if (side[0] != NULL) {
    const flg_hinge_columns back = {-e.x, -e.y, -e.z};
    const flg_vec3 lever = flg_vec3_add(sight->arm[0], sight->offset);
    double *angular = side[0] + 3 * leading;
    flg_hinge_write_linear(&back, leading, side[0]);
    flg_hinge_store(flg_hinge_join(e.y * lever.z - e.z * lever.y, -n[0]), -last.x, angular);
    flg_hinge_store(flg_hinge_join(e.z * lever.x - e.x * lever.z, -n[1]), -last.y,
                    angular + leading);
    flg_hinge_store(flg_hinge_join(e.x * lever.y - e.y * lever.x, -n[2]), -last.z,
                    angular + 2 * leading);
  }
}

/* --- motion -------------------------------------------------------------------------------------
 */

/* flg_joint_pass, with its last term */
FLG_SMALL void flg_hinge_pass(const flg_spatial *first, const flg_spatial *second, flg_three lever,
                              flg_three arm, flg_three *rate, flg_three *bias) {
  const flg_three a = flg_hinge_three(first->angular), b = flg_hinge_three(second->angular);
  const flg_three swept[2] = {flg_three_cross(a, lever), flg_three_cross(b, arm)};
  *rate =
      (flg_hinge_three(second->linear) + swept[1]) - (flg_hinge_three(first->linear) + swept[0]);
  *bias = (flg_three_cross(b, swept[1]) - flg_three_cross(a, swept[0])) +
          -2 * flg_three_cross(a, *rate);
}

/* flg_joint_drift, by the velocities of A and B */
FLG_SMALL void flg_hinge_drift(const flg_joint_sight *sight, const double *left,
                               const flg_spatial *first, const flg_spatial *second, double *rate,
                               double *bias) {
  const flg_hinge_columns e = flg_hinge_load(sight);
  const flg_three lever = flg_hinge_three(sight->arm[0]) + flg_hinge_three(sight->offset);
  flg_three passing, turning;
  flg_hinge_pass(first, second, lever, flg_hinge_three(sight->arm[1]), &passing, &turning);
  flg_three_store_over(flg_hinge_along(&e, flg_three_vector(passing)), rate);
  flg_three_store_over(flg_hinge_along(&e, flg_three_vector(turning)), bias);
  const flg_vec3 z = flg_mat3_column(&sight->axes[1], 2);
  const flg_vec3 w = flg_vec3_subtract(second->angular, first->angular);
  const flg_vec3 gyration = flg_vec3_cross(w, first->angular);
  const flg_two x = flg_hinge_low(e.x), y = flg_hinge_low(e.y), u = flg_hinge_low(e.z);
  const flg_two n[3] = {z.y * u - z.z * y, z.z * x - z.x * u, z.x * y - z.y * x};
  const flg_two across = (w.x * x + w.y * y) + w.z * u, known = *(const flg_two *)(left + 3);
  *(flg_two *)(rate + 3) = (n[0] * w.x + n[1] * w.y) + n[2] * w.z;
  *(flg_two *)(bias + 3) = ((n[0] * gyration.x + n[1] * gyration.y) + n[2] * gyration.z) +
                           across * flg_vec3_dot(w, z) - flg_vec3_dot(w, w) * known;
}

#endif
