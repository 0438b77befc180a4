#include "dynamics/constraint.h"

#include "dynamics/relative.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

/* g = e.d, e fixed in the world: nothing turns, there is no bias. */
FLG_SMALL void meet(flg_vec3 d, flg_vec3 u, flg_vec3 e, flg_constraint_row *row) {
  row->left = flg_vec3_dot(e, d);
  row->rate = flg_vec3_dot(e, u);
  row->side[0] = (flg_spatial){.linear = flg_vec3_negate(e)};
  row->side[1] = (flg_spatial){.linear = e};
  row->bias = 0;
}

static int evaluate_spherical(const flg_moving_frame end[2], flg_constraint_row row[3]) {
  const flg_vec3 d = flg_relative_offset(end), u = flg_relative_velocity(end);
  meet(d, u, (flg_vec3){1, 0, 0}, &row[0]);
  meet(d, u, (flg_vec3){0, 1, 0}, &row[1]);
  meet(d, u, (flg_vec3){0, 0, 1}, &row[2]);
  return 3;
}

/* g = e.d, e fixed in A. */
FLG_SMALL void constraint_displace(const flg_sight *seen, flg_vec3 e, flg_constraint_row *row) {
  row->left = flg_vec3_dot(e, seen->offset);
  row->rate = flg_vec3_dot(e, seen->rate);
  flg_relative_push(e, seen->offset, row->side);
  row->bias = flg_vec3_dot(e, seen->bias);
}

/* g = a.b, a fixed in A and b in B. With w = w_B - w_A:
 *     n = b x a      g' = n.w      g'' = n.(alpha_B - alpha_A) + n.(w x w_A) + (w.a)(w.b) - w.w g
 */
FLG_SMALL void align(const flg_turn *turn, flg_vec3 a, flg_vec3 b, flg_constraint_row *row) {
  const flg_vec3 n = flg_vec3_cross(b, a), w = turn->rate;
  row->left = flg_vec3_dot(a, b);
  row->rate = flg_vec3_dot(n, w);
  flg_relative_twist(n, row->side);
  row->bias = flg_vec3_dot(n, turn->gyration) + flg_vec3_dot(w, a) * flg_vec3_dot(w, b) -
              flg_vec3_dot(w, w) * row->left;
}

FLG_WIDE_VECTORS int flg_constraint_evaluate(flg_constraint_kind kind,
                                             const flg_moving_frame end[2],
                                             flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX]) {
  const unsigned parts = flg_constraint_kinds[kind].holds;
  if (parts & FLG_HOLDS_POINT) return evaluate_spherical(end, rows);
  if (parts == 0) return 0;
  const flg_mat3 *rotation_a = &end[0].pose.rotation, *rotation_b = &end[1].pose.rotation;
  const flg_vec3 x = flg_mat3_column(rotation_a, 0), y = flg_mat3_column(rotation_a, 1);
  const flg_sight seen = flg_relative_sight(end);
  const flg_turn turn = flg_relative_turn(end);
  flg_constraint_row *row = rows;
  if (parts & FLG_HOLDS_ACROSS) {
    constraint_displace(&seen, x, row++);
    constraint_displace(&seen, y, row++);
  }
  if (parts & FLG_HOLDS_ALONG) constraint_displace(&seen, flg_mat3_column(rotation_a, 2), row++);
  if (parts & FLG_HOLDS_UPRIGHT) {
    align(&turn, x, flg_mat3_column(rotation_b, 2), row++);
    align(&turn, y, flg_mat3_column(rotation_b, 2), row++);
  }
  if (parts & FLG_HOLDS_TWIST) align(&turn, y, flg_mat3_column(rotation_b, 0), row++);
  if (parts & FLG_HOLDS_CROSS) align(&turn, x, flg_mat3_column(rotation_b, 1), row++);
  return (int)(row - rows);
}

int flg_constraint_displacements(flg_constraint_kind kind) {
  const unsigned parts = flg_constraint_kinds[kind].holds;
  if (parts & FLG_HOLDS_POINT) return 3;
  return (parts & FLG_HOLDS_ACROSS ? 2 : 0) + (parts & FLG_HOLDS_ALONG ? 1 : 0);
}

/* Residuals alone, for corrections of positions, which need neither rows nor rates: the same order
 * of rows as in flg_constraint_evaluate. */
int flg_constraint_measure(flg_constraint_kind kind, const flg_pose end[2],
                           double left[FLG_CONSTRAINT_ROWS_MAX]) {
  const flg_vec3 d = flg_vec3_subtract(end[1].position, end[0].position);
  const unsigned parts = flg_constraint_kinds[kind].holds;
  if (parts & FLG_HOLDS_POINT) {
    flg_vec3_store(d, left);
    return 3;
  }
  const flg_mat3 *a = &end[0].rotation, *b = &end[1].rotation;
  const flg_vec3 x = flg_mat3_column(a, 0), y = flg_mat3_column(a, 1);
  double *row = left;
  if (parts & FLG_HOLDS_ACROSS) {
    *row++ = flg_vec3_dot(x, d);
    *row++ = flg_vec3_dot(y, d);
  }
  if (parts & FLG_HOLDS_ALONG) *row++ = flg_vec3_dot(flg_mat3_column(a, 2), d);
  if (parts & FLG_HOLDS_UPRIGHT) {
    *row++ = flg_vec3_dot(x, flg_mat3_column(b, 2));
    *row++ = flg_vec3_dot(y, flg_mat3_column(b, 2));
  }
  if (parts & FLG_HOLDS_TWIST) *row++ = flg_vec3_dot(y, flg_mat3_column(b, 0));
  if (parts & FLG_HOLDS_CROSS) *row++ = flg_vec3_dot(x, flg_mat3_column(b, 1));
  return (int)(row - left);
}
