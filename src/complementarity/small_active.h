/* small_active.h - A_FF x = -force_F for a small set F of rows, by L D L^T on the stack.
 *
 * Up to 8 rows everything stays in registers: the loops have a constant length and unroll. More
 * rows go in columns of whole vectors. A row whose pivot is not over `tolerance` times its
 * diagonal depends on those before it: then there is no answer (0).
 */
#ifndef FLG_COMPLEMENTARITY_SMALL_ACTIVE_H
#define FLG_COMPLEMENTARITY_SMALL_ACTIVE_H

#include "complementarity/complementarity.h"
#include "math/dense_small.h"

enum { FLG_ACTIVE_UNROLLED = 8, FLG_ACTIVE_MOST = FLG_COMPLEMENTARITY_TABLEAU, FLG_LANES = 4 };

/* m constant, at most 8; elimination to the right, the right-hand side with it */
FLG_SMALL int flg_small_active_unrolled(int m, const double *a, int lda, const int *order,
                                        const double *force, double tolerance, double *answer) {
  double l[FLG_ACTIVE_UNROLLED][FLG_ACTIVE_UNROLLED], x[FLG_ACTIVE_UNROLLED];
  double inverse[FLG_ACTIVE_UNROLLED];
  int sound = 1;
#pragma GCC unroll 8
  for (int j = 0; j < m; j++) {
    x[j] = -force[order[j]];
#pragma GCC unroll 8
    for (int i = j; i < m; i++) l[i][j] = a[order[i] + order[j] * lda];
  }
#pragma GCC unroll 8
  for (int k = 0; k < m; k++) {
    sound &= l[k][k] > tolerance * a[order[k] * (lda + 1)];
    inverse[k] = 1 / l[k][k];
#pragma GCC unroll 8
    for (int j = k + 1; j < m; j++) {
      x[j] -= l[j][k] * x[k] * inverse[k]; /* the division last: the rest can be done meanwhile */
#pragma GCC unroll 8
      for (int i = j; i < m; i++) l[i][j] -= l[i][k] * l[j][k] * inverse[k];
    }
  }
#pragma GCC unroll 8
  for (int k = m - 1; k >= 0; k--) {
#pragma GCC unroll 8
    for (int i = m - 1; i > k; i--) x[k] -= l[i][k] * x[i];
    answer[k] = x[k] *= inverse[k];
  }
  return sound;
}

/* any m: columns of FLG_ACTIVE_MOST, filled up with zeros to whole vectors; what that leaves over
 * the diagonal is never read */
FLG_SMALL int flg_small_active_columns(int m, const double *a, int lda, const int *order,
                                       const double *force, double tolerance, double *x) {
  double l[FLG_ACTIVE_MOST * FLG_ACTIVE_MOST], inverse[FLG_ACTIVE_MOST];
  const int last = (m + FLG_LANES - 1) / FLG_LANES * FLG_LANES;
  for (int j = 0; j < m; j++) {
    const double *source = a + order[j] * lda;
    double *column = l + FLG_ACTIVE_MOST * j;
    for (int i = j / FLG_LANES * FLG_LANES; i < m; i++) column[i] = source[order[i]];
    for (int i = m; i < last; i++) column[i] = 0;
    x[j] = -force[order[j]];
  }
  for (int k = 0; k < m; k++) {
    const double *restrict pivot = l + FLG_ACTIVE_MOST * k;
    if (!(pivot[k] > tolerance * a[order[k] * (lda + 1)])) return 0;
    inverse[k] = 1 / pivot[k];
    for (int j = k + 1; j < m; j++) {
      double *restrict column = l + FLG_ACTIVE_MOST * j;
      const double weight = pivot[j] * inverse[k];
      x[j] -= weight * x[k];
      for (int i = j / FLG_LANES * FLG_LANES; i < last; i += FLG_LANES) {
        for (int lane = 0; lane < FLG_LANES; lane++) column[i + lane] -= pivot[i + lane] * weight;
      }
    }
  }
  for (int k = m - 1; k >= 0; k--) {
    const double *pivot = l + FLG_ACTIVE_MOST * k;
    for (int i = m - 1; i > k; i--) x[k] -= pivot[i] * x[i];
    x[k] *= inverse[k];
  }
  return 1;
}

/* order (m): the rows of F. x (m): the answer, in their order. */
FLG_SMALL int flg_small_active(int m, const double *a, int lda, const int *order,
                               const double *force, double tolerance, double *x) {
  switch (m) {
#define FLG_ACTIVE_CASE(size) \
  case size:                  \
    return flg_small_active_unrolled(size, a, lda, order, force, tolerance, x);
    FLG_ACTIVE_CASE(1)
    FLG_ACTIVE_CASE(2)
    FLG_ACTIVE_CASE(3)
    FLG_ACTIVE_CASE(4)
    FLG_ACTIVE_CASE(5)
    FLG_ACTIVE_CASE(6)
    FLG_ACTIVE_CASE(7)
    FLG_ACTIVE_CASE(8)
#undef FLG_ACTIVE_CASE
    default:
      return flg_small_active_columns(m, a, lda, order, force, tolerance, x);
  }
}

#endif
