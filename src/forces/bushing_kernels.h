/* bushing_kernels.h - the six numbers of a bushing (bushing.c), in line: of bushing.c, and text of
 * generated files (compile/), which so have the same bits. */
#ifndef FLG_FORCES_BUSHING_KERNELS_H
#define FLG_FORCES_BUSHING_KERNELS_H

#include "dynamics/constraint_row.h"
#include "math/log_kernel.h"

/* c = 1 / r^2 - (1 + cos r) / (2 r sin r) = (1 - (r/2) cot(r/2)) / r^2, by its series near 0; and
 * c' / r */
static inline double flg_bushing_second_order(double r, double *slope) {
  const double square = r * r;
  /* Both terms of c grow as 1 / r^2 and cancel: the closed form has no digit left near 0. */
  if (r < 0.05) {
    *slope = 1. / 360 + square / 7560 + square * square / 201600;
    return 1. / 12 + square / 720 + square * square / 30240;
  }
  const double sine = sin(r / 2), c = (1 - r / 2 / tan(r / 2)) / square;
  *slope = (1 / (4 * sine * sine) - 1 / (2 * r * tan(r / 2)) - 2 * c) / square;
  return c;
}

/* How r follows the turning of B against A: r'_i = n_i . w, n_i the transposed map of w of the unit
 * vector i, all in axes of A. */
typedef struct flg_bushing_turning {
  flg_vec3 r, rate; /* r and r' */
  double c, slope;  /* and c' / |r| */
} flg_bushing_turning;

static inline flg_vec3 flg_bushing_axis(int i) {
  return (flg_vec3){i == 0, i == 1, i == 2};
}

static inline flg_vec3 flg_bushing_normal(const flg_bushing_turning *of, int i) {
  const flg_vec3 e = flg_bushing_axis(i), across = flg_vec3_cross(of->r, e);
  return flg_vec3_add_scaled(flg_vec3_add_scaled(e, 0.5, across), of->c,
                             flg_vec3_cross(of->r, across));
}

/* n' by r' */
static inline flg_vec3 flg_bushing_normal_rate(const flg_bushing_turning *of, int i) {
  const flg_vec3 e = flg_bushing_axis(i), across = flg_vec3_cross(of->r, e);
  const flg_vec3 moved = flg_vec3_cross(of->rate, e);
  const flg_vec3 twice =
      flg_vec3_add(flg_vec3_cross(of->rate, across), flg_vec3_cross(of->r, moved));
  const double c_rate = of->slope * flg_vec3_dot(of->r, of->rate);
  const flg_vec3 sum = flg_vec3_add_scaled(flg_vec3_scale(moved, 0.5), of->c, twice);
  return flg_vec3_add_scaled(sum, c_rate, flg_vec3_cross(of->r, across));
}

static inline void flg_bushing_measure(const flg_moving_frame end[2], flg_constraint_row *rows) {
  const flg_mat3 *A = &end[0].pose.rotation;
  const flg_sight seen = flg_relative_sight(end);
  const flg_turn spin = flg_relative_turn(end);
  const flg_vec3 own = flg_mat3_apply_transposed(A, spin.rate);
  const flg_mat3 turn = flg_mat3_multiply_transposed(A, &end[1].pose.rotation);
  /* The rotation vector, not three angles in sequence: it treats the axes alike, and has no
   * singular pose below half a turn. */
  flg_bushing_turning of = {.r = flg_quat_log_kernel(flg_quat_from_matrix_kernel(&turn))};
  of.c = flg_bushing_second_order(flg_vec3_norm(of.r), &of.slope);
  of.rate = (flg_vec3){flg_vec3_dot(flg_bushing_normal(&of, 0), own),
                       flg_vec3_dot(flg_bushing_normal(&of, 1), own),
                       flg_vec3_dot(flg_bushing_normal(&of, 2), own)};
  for (int i = 0; i < 3; i++) {
    const flg_vec3 e = flg_mat3_column(A, i), unit = flg_bushing_axis(i);
    rows[i] = (flg_constraint_row){.left = flg_vec3_dot(e, seen.offset),
                                   .rate = flg_vec3_dot(e, seen.rate),
                                   .bias = flg_vec3_dot(e, seen.bias)};
    flg_relative_push(e, seen.offset, rows[i].side);
    const flg_vec3 about = flg_mat3_apply(A, flg_bushing_normal(&of, i));
    rows[i + 3] = (flg_constraint_row){.left = flg_vec3_dot(unit, of.r),
                                       .rate = flg_vec3_dot(unit, of.rate),
                                       .bias = flg_vec3_dot(about, spin.gyration) +
                                               flg_vec3_dot(flg_bushing_normal_rate(&of, i), own)};
    flg_relative_twist(about, rows[i + 3].side);
  }
}

#endif
