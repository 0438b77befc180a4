#include "math/dense.h"

#include <stddef.h>

#include "math/dense_small.h"
#include "math/lapack.h"
#include "math/wide_vectors.h"

enum { BLOCK = 4 }; /* columns that the kernels take at once */

/* where column j starts, without overflow of int */
static size_t column_start(int j, int ld) {
  return (size_t)j * (size_t)ld;
}

/* so many multiplications that BLAS pays, where there is one */
static int is_large(int rows, int columns, int inner) {
  const double limit = FLG_DENSE_CROSSOVER;
  if ((double)rows * columns * inner <= limit * limit * limit) return 0;
  return flg_lapack_open(NULL) == FLG_OK;
}

static int smaller_size(int a, int b) {
  return a < b ? a : b;
}

/* The two kernels that all the rest is made of. First: y += alpha A x, x with a stride. Each y_i
 * gathers its terms from left to right, whatever the sizes. */
FLG_WIDE_VECTORS
static void add_scaled_columns(int rows, int columns, double alpha, const double *restrict a,
                               int lda, const double *restrict x, int stride, double *restrict y) {
  int j = 0;
  /* Four columns a pass: y is loaded and stored a quarter as often. */
  for (; j + BLOCK <= columns; j += BLOCK) {
    const double *a0 = a + column_start(j, lda), *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
    const double x0 = alpha * x[column_start(j, stride)],
                 x1 = alpha * x[column_start(j + 1, stride)];
    const double x2 = alpha * x[column_start(j + 2, stride)],
                 x3 = alpha * x[column_start(j + 3, stride)];
    for (int i = 0; i < rows; i++) {
      y[i] = (((y[i] + a0[i] * x0) + a1[i] * x1) + a2[i] * x2) + a3[i] * x3;
    }
  }
  for (; j < columns; j++) {
    const double *a0 = a + column_start(j, lda), x0 = alpha * x[column_start(j, stride)];
    for (int i = 0; i < rows; i++) y[i] += a0[i] * x0;
  }
}

/* Second: y += alpha A^T x, each sum over the rows from top to bottom. */
static void add_dots(int rows, int columns, double alpha, const double *restrict a, int lda,
                     const double *restrict x, double *restrict y) {
  int j = 0;
  for (; j + BLOCK <= columns; j += BLOCK) {
    const double *a0 = a + column_start(j, lda), *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
    /* Four sums that do not wait for each other, and x is read once for all of them. */
    double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    for (int i = 0; i < rows; i++) {
      sum0 += a0[i] * x[i];
      sum1 += a1[i] * x[i];
      sum2 += a2[i] * x[i];
      sum3 += a3[i] * x[i];
    }
    y[j] += alpha * sum0;
    y[j + 1] += alpha * sum1;
    y[j + 2] += alpha * sum2;
    y[j + 3] += alpha * sum3;
  }
  for (; j < columns; j++) {
    const double *a0 = a + column_start(j, lda);
    double sum = 0;
    for (int i = 0; i < rows; i++) sum += a0[i] * x[i];
    y[j] += alpha * sum;
  }
}

int flg_dense_is_finite(int rows, int columns, const double *a, int lda) {
  /* 0 times NaN or infinity is NaN: one sum tests all numbers without a branch. */
  double poison = 0;
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++) poison += 0 * a[i + column_start(j, lda)];
  }
  return poison == 0;
}

int flg_dense_lower_is_finite(int n, const double *a, int lda) {
  for (int j = 0; j < n; j++) {
    if (!flg_dense_is_finite(n - j, 1, a + j + column_start(j, lda), lda)) return 0;
  }
  return 1;
}

void flg_dense_mirror(int n, double *a, int lda) {
  for (int j = 0; j < n; j++) {
    for (int i = j + 1; i < n; i++) a[j + column_start(i, lda)] = a[i + column_start(j, lda)];
  }
}

void flg_dense_apply(int rows, int columns, double alpha, const double *a, int lda, const double *x,
                     double *y) {
  add_scaled_columns(rows, columns, alpha, a, lda, x, 1, y);
}

FLG_WIDE_VECTORS
/* A copy of the first kernel with an index in between: an index there would slow all other uses. */
void flg_dense_apply_some(int rows, int count, const int *given, const double *restrict a, int lda,
                          const double *restrict x, double *restrict y) {
  int k = 0;
  for (; k + BLOCK <= count; k += BLOCK) {
    const int j0 = given[k], j1 = given[k + 1], j2 = given[k + 2], j3 = given[k + 3];
    const double *a0 = a + column_start(j0, lda), *a1 = a + column_start(j1, lda);
    const double *a2 = a + column_start(j2, lda), *a3 = a + column_start(j3, lda);
    const double x0 = x[j0], x1 = x[j1], x2 = x[j2], x3 = x[j3];
    for (int i = 0; i < rows; i++) {
      y[i] = (((y[i] + a0[i] * x0) + a1[i] * x1) + a2[i] * x2) + a3[i] * x3;
    }
  }
  for (; k < count; k++) {
    const double *a0 = a + column_start(given[k], lda), x0 = x[given[k]];
    for (int i = 0; i < rows; i++) y[i] += a0[i] * x0;
  }
}

void flg_dense_apply_transposed(int rows, int columns, double alpha, const double *a, int lda,
                                const double *x, double *y) {
  add_dots(rows, columns, alpha, a, lda, x, y);
}

void flg_dense_multiply(int rows, int columns, int inner, double alpha, const double *a, int lda,
                        const double *b, int ldb, double *c, int ldc) {
  if (is_large(rows, columns, inner)) {
    flg_lapack.cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, alpha,
                           a, lda, b, ldb, 1, c, ldc);
    return;
  }
  for (int j = 0; j < columns; j++) {
    add_scaled_columns(rows, inner, alpha, a, lda, b + column_start(j, ldb), 1,
                       c + column_start(j, ldc));
  }
}

void flg_dense_multiply_left_transposed(int rows, int columns, int inner, double alpha,
                                        const double *a, int lda, const double *b, int ldb,
                                        double *c, int ldc) {
  if (is_large(rows, columns, inner)) {
    flg_lapack.cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, columns, inner, alpha, a,
                           lda, b, ldb, 1, c, ldc);
    return;
  }
  for (int j = 0; j < columns; j++) {
    add_dots(inner, rows, alpha, a, lda, b + column_start(j, ldb), c + column_start(j, ldc));
  }
}

void flg_dense_multiply_right_transposed(int rows, int columns, int inner, double alpha,
                                         const double *a, int lda, const double *b, int ldb,
                                         double *c, int ldc) {
  if (is_large(rows, columns, inner)) {
    flg_lapack.cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, inner, alpha, a,
                           lda, b, ldb, 1, c, ldc);
    return;
  }
  for (int j = 0; j < columns; j++) {
    add_scaled_columns(rows, inner, alpha, a, lda, b + j, ldb, c + column_start(j, ldc));
  }
}

void flg_dense_downdate_outer(int n, int inner, const double *w, int ldw, double *c, int ldc) {
  if (is_large(n, n, inner)) {
    flg_lapack.cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, inner, -1, w, ldw, 1, c,
                           ldc);
  } else {
    for (int j = 0; j < n; j++) {
      add_scaled_columns(n - j, inner, -1, w + j, ldw, w + j, ldw, c + j + column_start(j, ldc));
    }
  }
  /* The upper half is copied rather than computed: products in another order would round
   * otherwise. */
  flg_dense_mirror(n, c, ldc);
}

/* column by column, each one brought up to date with all the columns on its left */
static int cholesky_columns(int n, double *a, int lda) {
  for (int j = 0; j < n; j++) {
    double *column = a + j + column_start(j, lda);
    add_scaled_columns(n - j, j, -1, a + j, lda, a + j, lda, column);
    if (!flg_small_is_pivot(column[0])) return j;
    const double root = sqrt(column[0]), inverse = 1 / root;
    column[0] = root;
    for (int i = 1; i < n - j; i++) column[i] *= inverse;
  }
  return n;
}

/* LAPACK stops at a pivot that is not positive, but not at infinity */
static int cholesky_large(int n, double *a, int lda) {
  if (!flg_dense_lower_is_finite(n, a, lda)) return cholesky_columns(n, a, lda);
  int info = 0;
  flg_lapack.dpotrf_("L", &n, a, &lda, &info, 1);
  return info == 0 ? n : info - 1;
}

int flg_dense_cholesky(int n, double *a, int lda) {
  /* Sizes that occur in every step have loops of constant length, which compilers unroll. */
  switch (n) {
    case 3:
      return flg_small_cholesky(3, a, lda);
    case 6:
      return flg_small_cholesky(6, a, lda);
    case 12:
      return flg_small_cholesky(12, a, lda);
    default:
      return is_large(n, n, n) ? cholesky_large(n, a, lda) : cholesky_columns(n, a, lda);
  }
}

void flg_dense_cholesky_solve(int n, const double *l, int ldl, double *x) {
  flg_dense_solve_lower(n, l, ldl, x);
  flg_dense_solve_lower_transposed(n, l, ldl, x);
}

/* work = row j of L D: with it a column is brought up to date by one call of the kernel. D may be
 * negative, so no root is taken, and a pivot is judged by its size alone. */
int flg_dense_ldlt(int n, double *a, int lda, double *work) {
  for (int j = 0; j < n; j++) {
    double *column = a + j + column_start(j, lda);
    for (int k = 0; k < j; k++) work[k] = a[j + column_start(k, lda)] * a[k + column_start(k, lda)];
    add_scaled_columns(n - j, j, -1, a + j, lda, work, 1, column);
    if (!flg_small_is_pivot(fabs(column[0]))) return j;
    const double inverse = 1 / column[0];
    for (int i = 1; i < n - j; i++) column[i] *= inverse;
  }
  return n;
}

/* The four substitutions take BLOCK unknowns at a time: the block's own triangle by hand, the rest
 * by one of the kernels. `unit` leaves the diagonal out. Diagonals are inverted, not divided by:
 * the divisions then do not wait for each other. */
static double inverse_of_diagonal(const double *l, int ldl, int j, int unit) {
  return unit ? 1 : 1 / l[j + column_start(j, ldl)];
}

static void forward_lower(int n, const double *l, int ldl, int unit, double *x) {
  for (int start = 0; start < n; start += BLOCK) {
    const int end = smaller_size(start + BLOCK, n);
    for (int j = start; j < end; j++) {
      x[j] *= inverse_of_diagonal(l, ldl, j, unit);
      for (int i = j + 1; i < end; i++) x[i] -= l[i + column_start(j, ldl)] * x[j];
    }
    add_scaled_columns(n - end, end - start, -1, l + end + column_start(start, ldl), ldl, x + start,
                       1, x + end);
  }
}

static void backward_lower(int n, const double *l, int ldl, int unit, double *x) {
  for (int end = n; end > 0; end -= smaller_size(BLOCK, end)) {
    const int start = end - smaller_size(BLOCK, end);
    add_dots(n - end, end - start, -1, l + end + column_start(start, ldl), ldl, x + end, x + start);
    for (int j = end - 1; j >= start; j--) {
      for (int i = end - 1; i > j; i--) x[j] -= l[i + column_start(j, ldl)] * x[i];
      x[j] *= inverse_of_diagonal(l, ldl, j, unit);
    }
  }
}

void flg_dense_ldlt_solve(int n, const double *a, int lda, double *x) {
  forward_lower(n, a, lda, 1, x);
  for (int j = 0; j < n; j++) x[j] *= inverse_of_diagonal(a, lda, j, 0);
  backward_lower(n, a, lda, 1, x);
}

void flg_dense_solve_lower(int n, const double *l, int ldl, double *x) {
  switch (n) {
    case 3:
      flg_small_solve_lower(3, l, ldl, x);
      break;
    case 6:
      flg_small_solve_lower(6, l, ldl, x);
      break;
    case 12:
      flg_small_solve_lower(12, l, ldl, x);
      break;
    default:
      forward_lower(n, l, ldl, 0, x);
  }
}

void flg_dense_solve_lower_transposed(int n, const double *l, int ldl, double *x) {
  switch (n) {
    case 3:
      flg_small_solve_lower_transposed(3, l, ldl, x);
      break;
    case 6:
      flg_small_solve_lower_transposed(6, l, ldl, x);
      break;
    case 12:
      flg_small_solve_lower_transposed(12, l, ldl, x);
      break;
    default:
      backward_lower(n, l, ldl, 0, x);
  }
}

void flg_dense_solve_upper(int n, const double *r, int ldr, double *x) {
  for (int end = n; end > 0; end -= smaller_size(BLOCK, end)) {
    const int start = end - smaller_size(BLOCK, end);
    for (int j = end - 1; j >= start; j--) {
      x[j] *= inverse_of_diagonal(r, ldr, j, 0);
      for (int i = start; i < j; i++) x[i] -= r[i + column_start(j, ldr)] * x[j];
    }
    add_scaled_columns(start, end - start, -1, r + column_start(start, ldr), ldr, x + start, 1, x);
  }
}

void flg_dense_solve_upper_transposed(int n, const double *r, int ldr, double *x) {
  for (int start = 0; start < n; start += BLOCK) {
    const int end = smaller_size(start + BLOCK, n);
    add_dots(start, end - start, -1, r + column_start(start, ldr), ldr, x, x + start);
    for (int j = start; j < end; j++) {
      for (int i = start; i < j; i++) x[j] -= r[i + column_start(j, ldr)] * x[i];
      x[j] *= inverse_of_diagonal(r, ldr, j, 0);
    }
  }
}

void flg_dense_solve_right(int rows, int n, const double *l, int ldl, double *b, int ldb) {
  if (is_large(rows, n, n)) {
    flg_lapack.cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, n,
                           1, l, ldl, b, ldb);
    return;
  }
  /* From the right: each column of the result needs only columns before it. */
  for (int j = 0; j < n; j++) {
    double *column = b + column_start(j, ldb);
    add_scaled_columns(rows, j, -1, b, ldb, l + j, ldl, column);
    const double inverse = inverse_of_diagonal(l, ldl, j, 0);
    for (int i = 0; i < rows; i++) column[i] *= inverse;
  }
}
