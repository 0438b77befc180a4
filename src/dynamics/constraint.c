#include "dynamics/constraint.h"

#include "dynamics/relative.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

/* What joints are made of, in the order of their rows. */
enum {
  ACROSS = 1,  /* displacement along x and y of A */
  ALONG = 2,   /* displacement along z of A */
  UPRIGHT = 4, /* x_A.z_B, y_A.z_B: z axes parallel */
  TWIST = 8,   /* y_A.x_B: no turn about them */
  CROSS = 16   /* x_A.y_B */
};

static const unsigned char PARTS[FLG_CONSTRAINT_KIND_COUNT] = {
    [FLG_CONSTRAINT_WELD] = ACROSS | ALONG | UPRIGHT | TWIST,
    [FLG_CONSTRAINT_REVOLUTE] = ACROSS | ALONG | UPRIGHT,
    [FLG_CONSTRAINT_PRISMATIC] = ACROSS | UPRIGHT | TWIST,
    [FLG_CONSTRAINT_CYLINDRICAL] = ACROSS | UPRIGHT,
    [FLG_CONSTRAINT_UNIVERSAL] = ACROSS | ALONG | CROSS,
    [FLG_CONSTRAINT_PLANAR] = ALONG | UPRIGHT,
    [FLG_CONSTRAINT_POINT_ON_LINE] = ACROSS,
    [FLG_CONSTRAINT_SCREW] = ACROSS | UPRIGHT};

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
FLG_SMALL void displace(const flg_sight *seen, flg_vec3 e, flg_constraint_row *row) {
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
  if (kind == FLG_CONSTRAINT_SPHERICAL) return evaluate_spherical(end, rows);
  const unsigned parts = PARTS[kind];
  if (parts == 0) return 0;
  const flg_mat3 *rotation_a = &end[0].pose.rotation, *rotation_b = &end[1].pose.rotation;
  const flg_vec3 x = flg_mat3_column(rotation_a, 0), y = flg_mat3_column(rotation_a, 1);
  const flg_sight seen = flg_relative_sight(end);
  const flg_turn turn = flg_relative_turn(end);
  flg_constraint_row *row = rows;
  if (parts & ACROSS) {
    displace(&seen, x, row++);
    displace(&seen, y, row++);
  }
  if (parts & ALONG) displace(&seen, flg_mat3_column(rotation_a, 2), row++);
  if (parts & UPRIGHT) {
    align(&turn, x, flg_mat3_column(rotation_b, 2), row++);
    align(&turn, y, flg_mat3_column(rotation_b, 2), row++);
  }
  if (parts & TWIST) align(&turn, y, flg_mat3_column(rotation_b, 0), row++);
  if (parts & CROSS) align(&turn, x, flg_mat3_column(rotation_b, 1), row++);
  return (int)(row - rows);
}

int flg_constraint_displacements(flg_constraint_kind kind) {
  if (kind == FLG_CONSTRAINT_SPHERICAL) return 3;
  return (PARTS[kind] & ACROSS ? 2 : 0) + (PARTS[kind] & ALONG ? 1 : 0);
}

int flg_constraint_measure(flg_constraint_kind kind, const flg_pose end[2],
                           double left[FLG_CONSTRAINT_ROWS_MAX]) {
  const flg_vec3 d = flg_vec3_subtract(end[1].position, end[0].position);
  if (kind == FLG_CONSTRAINT_SPHERICAL) {
    flg_vec3_store(d, left);
    return 3;
  }
  const unsigned parts = PARTS[kind];
  const flg_mat3 *a = &end[0].rotation, *b = &end[1].rotation;
  const flg_vec3 x = flg_mat3_column(a, 0), y = flg_mat3_column(a, 1);
  double *row = left;
  if (parts & ACROSS) {
    *row++ = flg_vec3_dot(x, d);
    *row++ = flg_vec3_dot(y, d);
  }
  if (parts & ALONG) *row++ = flg_vec3_dot(flg_mat3_column(a, 2), d);
  if (parts & UPRIGHT) {
    *row++ = flg_vec3_dot(x, flg_mat3_column(b, 2));
    *row++ = flg_vec3_dot(y, flg_mat3_column(b, 2));
  }
  if (parts & TWIST) *row++ = flg_vec3_dot(y, flg_mat3_column(b, 0));
  if (parts & CROSS) *row++ = flg_vec3_dot(x, flg_mat3_column(b, 1));
  return (int)(row - left);
}
