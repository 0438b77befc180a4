/* coordinate_kernels.h - coordinates (coordinate.h) in line: of coordinate.c, and text of generated
 * files (compile/), which so have the same bits. */
#ifndef FLG_DYNAMICS_COORDINATE_KERNELS_H
#define FLG_DYNAMICS_COORDINATE_KERNELS_H

#include <stdbool.h>

#include "dynamics/relative.h"
#include "math/dense_small.h"

typedef struct flg_coordinate_row {
  double value;        /* c [m or rad] */
  double rate;         /* dc/dt */
  flg_spatial side[2]; /* s_A, s_B */
  double bias;         /* of d2c/dt2 */
} flg_coordinate_row;

/* Quantities from which the motion of an angle is found, besides its gradient. */
typedef struct flg_angle_sight {
  flg_vec3 x, across; /* x of B, and z of A cross x of B */
  double along;       /* x of B on z of A */
  double square;      /* of across; 0: any angle is as good */
} flg_angle_sight;

#define FLG_NO_DISTANCE 1e-150 /* below, the direction is rounding [m] */
#define FLG_NO_ANGLE    1e-24  /* the same, squared sine between x_B and z_A */

/* c = |d|. Along e = d/c:  c' = e.u   c'' = e.u' + |e x u|^2/c
 * Where the origins meet, e is z of A. */
FLG_SMALL void flg_distance_evaluate(const flg_moving_frame end[2], flg_coordinate_row *row) {
  const flg_vec3 d = flg_relative_offset(end), u = flg_relative_velocity(end);
  const double distance = flg_vec3_norm(d);
  const bool apart = distance > FLG_NO_DISTANCE;
  const flg_vec3 z = flg_mat3_column(&end[0].pose.rotation, 2);
  const flg_vec3 e = apart ? flg_vec3_scale(d, 1 / distance) : z;
  const flg_vec3 across = flg_vec3_cross(e, u);
  row->value = distance;
  row->rate = flg_vec3_dot(e, u);
  row->side[0] = (flg_spatial){.linear = flg_vec3_negate(e)};
  row->side[1] = (flg_spatial){.linear = e};
  row->bias = apart ? flg_vec3_dot(across, across) / distance : 0;
}

/* c = z_A.d */
FLG_SMALL void flg_slide_evaluate(const flg_moving_frame end[2], flg_coordinate_row *row) {
  const flg_vec3 z = flg_mat3_column(&end[0].pose.rotation, 2);
  const flg_sight seen = flg_relative_sight(end);
  row->value = flg_vec3_dot(z, seen.offset);
  row->rate = flg_vec3_dot(z, seen.rate);
  flg_relative_push(z, seen.offset, row->side);
  row->bias = flg_vec3_dot(z, seen.bias);
}

/* c = atan2(x_B.y_A, x_B.x_A). With z = z_A, x = x_B, k = x.z, p = z x x, q = p.p = 1 - k^2 and
 * w = w_B - w_A:
 *     n = (z - k x)/q = x x p/q        c' = n.w        k' = -p.w
 *     c'' = n.(alpha_B - alpha_A) + n.(w x w_A) + k' (2 k c' - x.w)/q
 * Where x is along z, one angle is as good as another, and n is z. */
FLG_SMALL void flg_angle_see(const flg_mat3 *a, const flg_mat3 *b, flg_coordinate_row *row,
                             flg_angle_sight *seen) {
  const flg_vec3 x = flg_mat3_column(b, 0), z = flg_mat3_column(a, 2);
  const flg_vec3 p = flg_vec3_cross(z, x);
  const double q = flg_vec3_dot(p, p), k = flg_vec3_dot(x, z);
  const bool clear = q > FLG_NO_ANGLE;
  const flg_vec3 n = clear ? flg_vec3_scale(flg_vec3_cross(x, p), 1 / q) : z;
  flg_relative_twist(n, row->side);
  *seen = (flg_angle_sight){x, p, k, clear ? q : 0};
}

FLG_SMALL void flg_angle_turn(const flg_angle_sight *seen, flg_vec3 w_a, flg_vec3 w_b,
                              flg_coordinate_row *row) {
  const flg_vec3 n = row->side[1].angular, w = flg_vec3_subtract(w_b, w_a);
  row->rate = flg_vec3_dot(n, w);
  row->bias = flg_vec3_dot(n, flg_vec3_cross(w, w_a));
  if (seen->square == 0) return;
  row->bias -= flg_vec3_dot(seen->across, w) *
               (2 * seen->along * row->rate - flg_vec3_dot(seen->x, w)) / seen->square;
}

#endif
