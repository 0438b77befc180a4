/* dense_small.h - factorise and solve for sizes known when compiling.
 *
 * One body for every size: called with a constant n and inlined, its loops unroll (the pragmas make
 * sure: it is three times faster). Storage, order of summation and results are to the last bit
 * those of dense.h, which itself comes here for n = 3, 6 and 12.
 */
#ifndef FLG_MATH_DENSE_SMALL_H
#define FLG_MATH_DENSE_SMALL_H

#include <float.h>
#include <math.h>

#if defined(__GNUC__) && !defined(FLANGE_SANITIZED) /* each copy full of checks compiles slowly */
#define FLG_SMALL static inline __attribute__((always_inline))
#else
#define FLG_SMALL static inline
#endif

enum { FLG_SMALL_MAX = 12 };

/* A pivot that a square root may be taken of; false for NaN. */
FLG_SMALL int flg_small_is_pivot(double pivot) {
  return pivot > 0 && pivot <= DBL_MAX;
}

/* A = L L^T in place, see flg_dense_cholesky. */
FLG_SMALL int flg_small_cholesky(int n, double *a, int lda) {
#pragma GCC unroll 12
  for (int j = 0; j < n; j++) {
    double column[FLG_SMALL_MAX];
#pragma GCC unroll 12
    for (int i = j; i < n; i++) column[i] = a[i + j * lda];
#pragma GCC unroll 12
    for (int k = 0; k < j; k++) {
      const double weight = a[j + k * lda];
#pragma GCC unroll 12
      for (int i = j; i < n; i++) column[i] -= a[i + k * lda] * weight;
    }
    if (!flg_small_is_pivot(column[j])) return j;
    const double root = sqrt(column[j]), inverse = 1 / root;
    a[j + j * lda] = root;
#pragma GCC unroll 12
    for (int i = j + 1; i < n; i++) a[i + j * lda] = column[i] * inverse;
  }
  return n;
}

/* L x = b in place. */
FLG_SMALL void flg_small_solve_lower(int n, const double *l, int ldl, double *x) {
  double inverse[FLG_SMALL_MAX], y[FLG_SMALL_MAX];
#pragma GCC unroll 12
  for (int i = 0; i < n; i++) inverse[i] = 1 / l[i + i * ldl]; /* off the chain of dependence */
#pragma GCC unroll 12
  for (int i = 0; i < n; i++) y[i] = x[i];
#pragma GCC unroll 12
  for (int j = 0; j < n; j++) {
    y[j] *= inverse[j];
#pragma GCC unroll 12
    for (int i = j + 1; i < n; i++) y[i] -= l[i + j * ldl] * y[j];
  }
#pragma GCC unroll 12
  for (int i = 0; i < n; i++) x[i] = y[i];
}

/* L^T x = b in place. */
FLG_SMALL void flg_small_solve_lower_transposed(int n, const double *l, int ldl, double *x) {
  double inverse[FLG_SMALL_MAX], y[FLG_SMALL_MAX];
#pragma GCC unroll 12
  for (int i = 0; i < n; i++) inverse[i] = 1 / l[i + i * ldl];
#pragma GCC unroll 12
  for (int i = 0; i < n; i++) y[i] = x[i];
#pragma GCC unroll 12
  for (int j = n - 1; j >= 0; j--) {
#pragma GCC unroll 12
    for (int i = n - 1; i > j; i--) y[j] -= l[i + j * ldl] * y[i];
    y[j] *= inverse[j];
  }
#pragma GCC unroll 12
  for (int i = 0; i < n; i++) x[i] = y[i];
}

/* 3 x 3 and 6 x 6 matrices without gaps (leading dimension n). */
static inline int flg_small_cholesky3(double a[9]) {
  return flg_small_cholesky(3, a, 3);
}

static inline int flg_small_cholesky6(double a[36]) {
  return flg_small_cholesky(6, a, 6);
}

#endif
