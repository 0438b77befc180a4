/* mat3.h - 3 x 3 matrices: general ones (flg_mat3) and symmetric ones (flg_sym3), by value.
 *
 * flg_mat3 is column-major like the dense kernels: element (i, j) is m[i + 3*j], so that `m` can
 * be handed to them with leading dimension 3. flg_sym3 keeps the six different numbers of a
 * symmetric matrix, which is then symmetric to the last bit.
 */
#ifndef FLG_MATH_MAT3_H
#define FLG_MATH_MAT3_H

#include "math/vec3.h"

typedef struct flg_mat3 {
  double m[9]; /* column-major (3 x 3) */
} flg_mat3;

typedef struct flg_sym3 {
  double xx, yy, zz, xy, xz, yz;
} flg_sym3;

static inline flg_mat3 flg_mat3_identity(void) {
  return (flg_mat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static inline flg_vec3 flg_mat3_column(const flg_mat3 *a, int j) {
  const int start = 3 * j;
  return flg_vec3_load(a->m + start);
}

static inline flg_mat3 flg_mat3_from_columns(flg_vec3 x, flg_vec3 y, flg_vec3 z) {
  return (flg_mat3){{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}};
}

/* A v */
static inline flg_vec3 flg_mat3_apply(const flg_mat3 *a, flg_vec3 v) {
  const double *m = a->m;
  return (flg_vec3){m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                    m[2] * v.x + m[5] * v.y + m[8] * v.z};
}

/* A^T v */
static inline flg_vec3 flg_mat3_apply_transposed(const flg_mat3 *a, flg_vec3 v) {
  const double *m = a->m;
  return (flg_vec3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                    m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

/* A B */
static inline flg_mat3 flg_mat3_multiply(const flg_mat3 *a, const flg_mat3 *b) {
  return flg_mat3_from_columns(flg_mat3_apply(a, flg_mat3_column(b, 0)),
                               flg_mat3_apply(a, flg_mat3_column(b, 1)),
                               flg_mat3_apply(a, flg_mat3_column(b, 2)));
}

/* A^T B */
static inline flg_mat3 flg_mat3_multiply_transposed(const flg_mat3 *a, const flg_mat3 *b) {
  return flg_mat3_from_columns(flg_mat3_apply_transposed(a, flg_mat3_column(b, 0)),
                               flg_mat3_apply_transposed(a, flg_mat3_column(b, 1)),
                               flg_mat3_apply_transposed(a, flg_mat3_column(b, 2)));
}

static inline flg_mat3 flg_mat3_transpose(const flg_mat3 *a) {
  const double *m = a->m;
  return (flg_mat3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}

/* A + factor B */
static inline flg_mat3 flg_mat3_add_scaled(const flg_mat3 *a, double factor, const flg_mat3 *b) {
  flg_mat3 sum;
  for (int k = 0; k < 9; k++) sum.m[k] = a->m[k] + factor * b->m[k];
  return sum;
}

/* [v]x, with [v]x u = v x u */
static inline flg_mat3 flg_mat3_skew(flg_vec3 v) {
  return (flg_mat3){{0, v.z, -v.y, -v.z, 0, v.x, v.y, -v.x, 0}};
}

/* factor * identity */
static inline flg_sym3 flg_sym3_diagonal(double factor) {
  return (flg_sym3){factor, factor, factor, 0, 0, 0};
}

/* v v^T */
static inline flg_sym3 flg_sym3_outer(flg_vec3 v) {
  return (flg_sym3){v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z};
}

/* S + factor T */
static inline flg_sym3 flg_sym3_add_scaled(flg_sym3 s, double factor, flg_sym3 t) {
  return (flg_sym3){s.xx + factor * t.xx, s.yy + factor * t.yy, s.zz + factor * t.zz,
                    s.xy + factor * t.xy, s.xz + factor * t.xz, s.yz + factor * t.yz};
}

static inline flg_sym3 flg_sym3_add(flg_sym3 s, flg_sym3 t) {
  return flg_sym3_add_scaled(s, 1, t);
}

/* S v */
static inline flg_vec3 flg_sym3_apply(flg_sym3 s, flg_vec3 v) {
  return (flg_vec3){s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
                    s.xz * v.x + s.yz * v.y + s.zz * v.z};
}

static inline flg_mat3 flg_sym3_full(flg_sym3 s) {
  return (flg_mat3){{s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}};
}

/* S A */
static inline flg_mat3 flg_sym3_multiply(flg_sym3 s, const flg_mat3 *a) {
  return flg_mat3_from_columns(flg_sym3_apply(s, flg_mat3_column(a, 0)),
                               flg_sym3_apply(s, flg_mat3_column(a, 1)),
                               flg_sym3_apply(s, flg_mat3_column(a, 2)));
}

/* The lower triangle of a matrix that is symmetric but for rounding. */
static inline flg_sym3 flg_sym3_from_lower(const flg_mat3 *a) {
  const double *m = a->m;
  return (flg_sym3){m[0], m[4], m[8], m[1], m[2], m[5]};
}

/* R S R^T */
static inline flg_sym3 flg_sym3_rotate(flg_sym3 s, const flg_mat3 *rotation) {
  const flg_mat3 transposed = flg_mat3_transpose(rotation);
  const flg_mat3 right = flg_sym3_multiply(s, &transposed);
  const flg_mat3 product = flg_mat3_multiply(rotation, &right);
  return flg_sym3_from_lower(&product);
}

/* S^-1 by minors, to rounding times the condition number of S; all zero if S is not positive */
static inline flg_sym3 flg_sym3_inverse(flg_sym3 s) {
  const double xx = s.yy * s.zz - s.yz * s.yz, xy = s.xz * s.yz - s.xy * s.zz;
  const double xz = s.xy * s.yz - s.xz * s.yy;
  const double volume = s.xx * xx + s.xy * xy + s.xz * xz, scale = volume > 0 ? 1 / volume : 0;
  return (flg_sym3){scale * xx,
                    scale * (s.xx * s.zz - s.xz * s.xz),
                    scale * (s.xx * s.yy - s.xy * s.xy),
                    scale * xy,
                    scale * xz,
                    scale * (s.xy * s.xz - s.yz * s.xx)};
}

/* Set-up: eigenvalues in ascending order, each to within a few units of rounding of the largest
 * (Jacobi rotations). NaN in any element makes all three NaN. */
void flg_sym3_eigenvalues(flg_sym3 s, double eigenvalues[3]);

#endif
