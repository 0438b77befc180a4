#include "dynamics/coordinate.h"

#include "dynamics/joint_kernels.h"
#include "dynamics/relative.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

static const double NO_DISTANCE = 1e-150; /* below, the direction is rounding [m] */
static const double NO_ANGLE = 1e-24;     /* the same, squared sine between x_B and z_A */

/* c = |d|. Along e = d/c:  c' = e.u   c'' = e.u' + |e x u|^2/c
 * Where the origins meet, e is z of A. */
FLG_SMALL void evaluate_distance(const flg_moving_frame end[2], flg_coordinate_row *row) {
  const flg_vec3 d = flg_relative_offset(end), u = flg_relative_velocity(end);
  const double distance = flg_vec3_norm(d);
  const bool apart = distance > NO_DISTANCE;
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
FLG_SMALL void evaluate_slide(const flg_moving_frame end[2], flg_coordinate_row *row) {
  const flg_vec3 z = flg_mat3_column(&end[0].pose.rotation, 2);
  const flg_sight seen = flg_relative_sight(end);
  row->value = flg_vec3_dot(z, seen.offset);
  row->rate = flg_vec3_dot(z, seen.rate);
  flg_relative_push(z, seen.offset, row->side);
  row->bias = flg_vec3_dot(z, seen.bias);
}

double flg_coordinate_unwrap(double angle, double near) {
  return flg_joint_unwrap(angle, near);
}

/* of x of B about z of A, as the one nearest to `near` */
FLG_SMALL double angle_of(const flg_mat3 *a, const flg_mat3 *b, double near) {
  const flg_vec3 x = flg_mat3_column(b, 0);
  const double sine = flg_vec3_dot(x, flg_mat3_column(a, 1));
  const double cosine = flg_vec3_dot(x, flg_mat3_column(a, 0));
  return flg_coordinate_unwrap(atan2(sine, cosine), near);
}

/* c = atan2(x_B.y_A, x_B.x_A). With z = z_A, x = x_B, k = x.z, p = z x x, q = p.p = 1 - k^2 and
 * w = w_B - w_A:
 *     n = (z - k x)/q = x x p/q        c' = n.w        k' = -p.w
 *     c'' = n.(alpha_B - alpha_A) + n.(w x w_A) + k' (2 k c' - x.w)/q
 * Where x is along z, one angle is as good as another, and n is z. */
FLG_SMALL void see_angle(const flg_mat3 *a, const flg_mat3 *b, flg_coordinate_row *row,
                         flg_angle_sight *sight) {
  const flg_vec3 x = flg_mat3_column(b, 0), z = flg_mat3_column(a, 2);
  const flg_vec3 p = flg_vec3_cross(z, x);
  const double q = flg_vec3_dot(p, p), k = flg_vec3_dot(x, z);
  const bool clear = q > NO_ANGLE;
  const flg_vec3 n = clear ? flg_vec3_scale(flg_vec3_cross(x, p), 1 / q) : z;
  flg_relative_twist(n, row->side);
  *sight = (flg_angle_sight){x, p, k, clear ? q : 0};
}

FLG_SMALL void turn_angle(const flg_angle_sight *sight, flg_vec3 w_a, flg_vec3 w_b,
                          flg_coordinate_row *row) {
  const flg_vec3 n = row->side[1].angular, w = flg_vec3_subtract(w_b, w_a);
  row->rate = flg_vec3_dot(n, w);
  row->bias = flg_vec3_dot(n, flg_vec3_cross(w, w_a));
  if (sight->square == 0) return;
  row->bias -= flg_vec3_dot(sight->across, w) *
               (2 * sight->along * row->rate - flg_vec3_dot(sight->x, w)) / sight->square;
}

FLG_SMALL void evaluate_angle(const flg_moving_frame end[2], double near, flg_coordinate_row *row) {
  flg_angle_sight sight;
  row->value = angle_of(&end[0].pose.rotation, &end[1].pose.rotation, near);
  see_angle(&end[0].pose.rotation, &end[1].pose.rotation, row, &sight);
  turn_angle(&sight, end[0].velocity.angular, end[1].velocity.angular, row);
}

FLG_WIDE_VECTORS
void flg_coordinate_see_angle(const flg_mat3 *a, const flg_mat3 *b, flg_coordinate_row *row,
                              flg_angle_sight *sight) {
  see_angle(a, b, row, sight);
}

FLG_WIDE_VECTORS
void flg_coordinate_turn_angle(const flg_angle_sight *sight, flg_vec3 w_a, flg_vec3 w_b,
                               flg_coordinate_row *row) {
  turn_angle(sight, w_a, w_b, row);
}

FLG_WIDE_VECTORS
void flg_coordinate_evaluate(flg_coordinate_kind kind, const flg_moving_frame end[2], double near,
                             flg_coordinate_row *row) {
  switch (kind) {
    case FLG_COORDINATE_DISTANCE:
      evaluate_distance(end, row);
      break;
    case FLG_COORDINATE_SLIDE:
      evaluate_slide(end, row);
      break;
    case FLG_COORDINATE_ANGLE:
      evaluate_angle(end, near, row);
      break;
    case FLG_COORDINATE_SUM: /* has no frames: the owner of the other coordinates adds them up */
    case FLG_COORDINATE_KIND_COUNT:
      break;
  }
}
