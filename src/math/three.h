/* three.h - vectors of three in the lanes of a vector of four, in functions that are compiled for
 * wide ones. The fourth lane is anything: no result depends on it.
 *
 * Matrices (3 x 3) are kept by their cyclic diagonals, so that every product is one of lanes:
 *
 *     diagonal = (A_xx, A_yy, A_zz)    next = (A_xy, A_yz, A_zx)    last = (A_xz, A_yx, A_zy)
 *     A v = diagonal v + next (v_y, v_z, v_x) + last (v_z, v_x, v_y)
 *
 * A symmetric one has no `last` of its own. Memory holds three numbers; a load reads the number
 * behind them, too, which has to be there.
 */
#ifndef FLG_MATH_THREE_H
#define FLG_MATH_THREE_H

#include "math/six.h"
#include "math/vec3.h"

/* Vectors are passed by value to functions that are always in line, where no convention matters. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef flg_four flg_three;

typedef struct flg_three_sym {
  flg_three diagonal, next;
} flg_three_sym;

typedef struct flg_three_mat {
  flg_three diagonal, next, last;
} flg_three_mat;

/* (y, z, x) */
FLG_SMALL flg_three flg_three_next(flg_three v) {
  return (flg_three){v[1], v[2], v[0], v[3]};
}

/* (z, x, y) */
FLG_SMALL flg_three flg_three_last(flg_three v) {
  return (flg_three){v[2], v[0], v[1], v[3]};
}

/* from[3] is read as well. */
FLG_SMALL flg_three flg_three_load(const double *from) {
  return *(const flg_four *)from;
}

FLG_SMALL flg_three flg_three_from(flg_vec3 v) {
  return (flg_three){v.x, v.y, v.z, 0};
}

/* to[3] is written as well: for runs of vectors, stored in their order. */
FLG_SMALL void flg_three_store_over(flg_three v, double *to) {
  *(flg_four *)to = v;
}

FLG_SMALL flg_vec3 flg_three_vector(flg_three v) {
  return (flg_vec3){v[0], v[1], v[2]};
}

FLG_SMALL double flg_three_sum(flg_three v) {
  return (v[0] + v[1]) + v[2];
}

/* a x b */
FLG_SMALL flg_three flg_three_cross(flg_three a, flg_three b) {
  return flg_three_next(a * flg_three_next(b) - flg_three_next(a) * b);
}

/* x v.x + y v.y + z v.z: the matrix of these columns times v */
FLG_SMALL flg_three flg_three_combine(flg_three x, flg_three y, flg_three z, flg_vec3 v) {
  return (x * v.x + y * v.y) + z * v.z;
}

/* S v */
FLG_SMALL flg_three flg_three_sym_apply(const flg_three_sym *s, flg_three v) {
  return (s->diagonal * v + s->next * flg_three_next(v)) + flg_three_last(s->next * v);
}

/* A v */
FLG_SMALL flg_three flg_three_mat_apply(const flg_three_mat *a, flg_three v) {
  return (a->diagonal * v + a->next * flg_three_next(v)) + a->last * flg_three_last(v);
}

/* A^T v */
FLG_SMALL flg_three flg_three_mat_apply_transposed(const flg_three_mat *a, flg_three v) {
  return (a->diagonal * v + flg_three_next(a->last * v)) + flg_three_last(a->next * v);
}

#endif
