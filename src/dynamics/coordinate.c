#include "dynamics/coordinate.h"

#include "math/dense_small.h"
#include "math/wide_vectors.h"

double flg_coordinate_unwrap(double angle, double near) {
  return flg_angle_unwrap(angle, near);
}

/* of x of B about z of A, as the one nearest to `near` */
FLG_SMALL double angle_of(const flg_mat3 *a, const flg_mat3 *b, double near) {
  const flg_vec3 x = flg_mat3_column(b, 0);
  const double sine = flg_vec3_dot(x, flg_mat3_column(a, 1));
  const double cosine = flg_vec3_dot(x, flg_mat3_column(a, 0));
  return flg_coordinate_unwrap(atan2(sine, cosine), near);
}

FLG_SMALL void evaluate_angle(const flg_moving_frame end[2], double near, flg_coordinate_row *row) {
  flg_angle_sight sight;
  row->value = angle_of(&end[0].pose.rotation, &end[1].pose.rotation, near);
  flg_angle_see(&end[0].pose.rotation, &end[1].pose.rotation, row, &sight);
  flg_angle_turn(&sight, end[0].velocity.angular, end[1].velocity.angular, row);
}

FLG_WIDE_VECTORS
void flg_coordinate_see_angle(const flg_mat3 *a, const flg_mat3 *b, flg_coordinate_row *row,
                              flg_angle_sight *sight) {
  flg_angle_see(a, b, row, sight);
}

FLG_WIDE_VECTORS
void flg_coordinate_turn_angle(const flg_angle_sight *sight, flg_vec3 w_a, flg_vec3 w_b,
                               flg_coordinate_row *row) {
  flg_angle_turn(sight, w_a, w_b, row);
}

FLG_WIDE_VECTORS
void flg_coordinate_evaluate(flg_coordinate_kind kind, const flg_moving_frame end[2], double near,
                             flg_coordinate_row *row) {
  switch (kind) {
    case FLG_COORDINATE_DISTANCE:
      flg_distance_evaluate(end, row);
      break;
    case FLG_COORDINATE_SLIDE:
      flg_slide_evaluate(end, row);
      break;
    case FLG_COORDINATE_ANGLE:
      evaluate_angle(end, near, row);
      break;
    case FLG_COORDINATE_SUM: /* has no frames: the owner of the other coordinates adds them up */
    case FLG_COORDINATE_KIND_COUNT:
      break;
  }
}
