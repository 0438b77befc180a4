#include "math/pivoted_qr.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "math/dense.h"
#include "math/lapack.h"

enum { LAPACK_BLOCK = 32 };                      /* columns LAPACK may take at once */
static const double SQRT_EPSILON = 1.490116e-08; /* sqrt(DBL_EPSILON) */

static_assert(sizeof(blasint) == sizeof(int), "order is handed to LAPACK as it is");

static int smaller_count(int a, int b) {
  return a < b ? a : b;
}

static double dot_of_columns(int n, const double *x, const double *y) {
  double sum = 0;
  flg_dense_apply_transposed(n, 1, 1, x, n, y, &sum);
  return sum;
}

static double norm_of_column(int n, const double *x) {
  return sqrt(dot_of_columns(n, x, x));
}

/* Turns x (n) into (beta, v_1, ...) with H x = (beta, 0, ...); returns tau. */
/* The sign of beta is that which adds to alpha: the difference would cancel. */
static double reflect_column(int n, double *x) {
  const double tail = norm_of_column(n - 1, x + 1);
  if (tail == 0) return 0;
  const double alpha = x[0], beta = -copysign(hypot(alpha, tail), alpha);
  const double inverse = 1 / (alpha - beta);
  for (int i = 1; i < n; i++) x[i] *= inverse;
  x[0] = beta;
  return (beta - alpha) / beta;
}

/* b := H b, b (n), v = (1, reflector[1..n)) */
static void apply_reflector(int n, const double *reflector, double tau, double *b) {
  const double weight = -tau * (b[0] + dot_of_columns(n - 1, reflector + 1, b + 1));
  b[0] += weight;
  flg_dense_apply(n - 1, 1, 1, reflector + 1, n, &weight, b + 1);
}

static void swap_columns(int rows, double *a, double *b) {
  for (int i = 0; i < rows; i++) {
    const double swapped = a[i];
    a[i] = b[i];
    b[i] = swapped;
  }
}

static int longest_remaining(int from, int to, const double *lengths) {
  int best = from;
  for (int j = from + 1; j < to; j++) {
    if (lengths[j] > lengths[best]) best = j;
  }
  return best;
}

/* The length of the column without its first element, taken off the known length; recomputed where
 * too many digits have been lost since it was last computed (as LAPACK's dlaqp2). */
static void shorten(int n, const double *column, double *length, double *computed) {
  if (*length == 0) return;
  const double part = fabs(column[0]) / *length, left = fmax(0, 1 - part * part);
  const double since = *length / *computed;
  if (left * since * since > SQRT_EPSILON) {
    *length *= sqrt(left);
  } else {
    *length = *computed = norm_of_column(n - 1, column + 1);
  }
}

static void exchange_columns(int rows, int k, int p, double *a, int lda, int *order,
                             double *lengths, double *computed) {
  if (p == k) return;
  /* Column k is finished with: only what belonged to it moves on to place p. */
  swap_columns(rows, a + (size_t)k * lda, a + (size_t)p * lda);
  const int column = order[k];
  order[k] = order[p];
  order[p] = column;
  lengths[p] = lengths[k];
  computed[p] = computed[k];
}

static void factor_by_columns(int rows, int columns, double *a, int lda, double *tau, int *order,
                              double *work) {
  double *lengths = work, *computed = work + columns;
  for (int j = 0; j < columns; j++) {
    order[j] = j;
    lengths[j] = computed[j] = norm_of_column(rows, a + (size_t)j * lda);
  }
  for (int k = 0; k < smaller_count(rows, columns); k++) {
    exchange_columns(rows, k, longest_remaining(k, columns, lengths), a, lda, order, lengths,
                     computed);
    double *pivot = a + k + (size_t)k * lda;
    tau[k] = reflect_column(rows - k, pivot);
    for (int j = k + 1; j < columns; j++) {
      double *column = a + k + (size_t)j * lda;
      apply_reflector(rows - k, pivot, tau[k], column);
      shorten(rows - k, column, &lengths[j], &computed[j]);
    }
  }
}

static void factor_by_lapack(int rows, int columns, double *a, int lda, double *tau, int *order,
                             double *work) {
  for (int j = 0; j < columns; j++) order[j] = 0; /* every column is free to move */
  const int work_count = flg_pivoted_qr_workspace(rows, columns);
  int info = 0; /* only of wrong arguments */
  flg_lapack.dgeqp3_(&rows, &columns, a, &lda, order, tau, work, &work_count, &info);
  for (int j = 0; j < columns; j++) order[j] -= 1;
}

/* The first pivot is the largest, and stands for the scale of the whole matrix. */
static int rank_by_pivots(int count, const double *a, int lda, double tolerance) {
  for (int k = 0; k < count; k++) {
    const double pivot = fabs(a[k + (size_t)k * lda]);
    if (!(pivot > tolerance * fabs(a[0]))) return k;
  }
  return count;
}

int flg_pivoted_qr_workspace(int rows, int columns) {
  (void)rows;
  /* Enough for both ways: LAPACK's blocks, or two lengths a column. */
  return 2 * columns + (columns + 1) * LAPACK_BLOCK;
}

int flg_pivoted_qr_factor(int rows, int columns, double *a, int lda, double tolerance, double *tau,
                          int *order, double *work) {
  if (!flg_dense_is_finite(rows, columns, a, lda)) return FLG_QR_FAILED;
  const int count = smaller_count(rows, columns);
  const double limit = FLG_QR_CROSSOVER;
  /* LAPACK is loaded when first needed; small matrices, the usual case, start without it. */
  const bool is_large = (double)rows * columns * count > limit * limit * limit;
  if (is_large && flg_lapack_open(NULL) == FLG_OK) {
    factor_by_lapack(rows, columns, a, lda, tau, order, work);
  } else {
    factor_by_columns(rows, columns, a, lda, tau, order, work);
  }
  return rank_by_pivots(count, a, lda, tolerance);
}

void flg_pivoted_qr_apply_transposed(int rows, int reflectors, const double *a, int lda,
                                     const double *tau, int columns, double *b, int ldb) {
  for (int j = 0; j < columns; j++) {
    for (int k = 0; k < reflectors; k++) {
      apply_reflector(rows - k, a + k + (size_t)k * lda, tau[k], b + k + (size_t)j * ldb);
    }
  }
}

void flg_pivoted_qr_apply(int rows, int reflectors, const double *a, int lda, const double *tau,
                          int columns, double *b, int ldb) {
  for (int j = 0; j < columns; j++) {
    for (int k = reflectors - 1; k >= 0; k--) {
      apply_reflector(rows - k, a + k + (size_t)k * lda, tau[k], b + k + (size_t)j * ldb);
    }
  }
}

void flg_pivoted_qr_solve(int rows, int columns, int rank, const double *a, int lda,
                          const double *tau, const int *order, double *b, double *x) {
  flg_pivoted_qr_apply_transposed(rows, rank, a, lda, tau, 1, b, rows);
  flg_dense_solve_upper(rank, a, lda, b);
  /* Columns over the rank get nothing: of all solutions one with few entries, not that of least
   * norm. */
  for (int j = 0; j < columns; j++) x[j] = 0;
  for (int k = 0; k < rank; k++) x[order[k]] = b[k];
}
