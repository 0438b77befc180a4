#include "math/pivoted_cholesky.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "math/dense.h"

/* the symmetric matrix S with its scale */
typedef struct scaled_matrix {
  const double *s; /* lower triangle */
  int lds;
  const double *scale; /* or NULL */
  double tolerance;
} scaled_matrix;

static double scaled_element(const scaled_matrix *matrix, int i, int j) {
  /* Callers fill the lower triangle alone. */
  const int row = i > j ? i : j, column = i > j ? j : i;
  return matrix->s[row + (size_t)column * (size_t)matrix->lds];
}

/* Pivots are compared with what the row yields if it stands alone, not with each other: rows of
 * heavy and of light bodies then count alike. */
static double pivot_scale(const scaled_matrix *matrix, int row) {
  return matrix->scale == NULL ? scaled_element(matrix, row, row) : matrix->scale[row];
}

static int is_over_tolerance(const scaled_matrix *matrix, int row, double left) {
  const double scale = pivot_scale(matrix, row);
  /* Infinite pivots fail here too, so that no inverse becomes 0 unseen. */
  return scale > 0 && left > matrix->tolerance * scale && left <= DBL_MAX;
}

/* L_kk and the rest of column k, and what it leaves of the diagonal below */
static void eliminate_pivot(const scaled_matrix *matrix, int n, const int *order, int k, double *l,
                            int ldl) {
  const size_t ld = (size_t)ldl;
  double *column = l + k * ld;
  for (int i = k + 1; i < n; i++) column[i] = scaled_element(matrix, order[i], order[k]);
  flg_dense_multiply_right_transposed(n - k - 1, 1, k, -1, l + k + 1, ldl, l + k, ldl,
                                      column + k + 1, ldl);
  column[k] = sqrt(column[k]);
  const double inverse = 1 / column[k];
  for (int i = k + 1; i < n; i++) {
    column[i] *= inverse;
    l[i + i * ld] -= column[i] * column[i];
  }
}

/* Only the diagonal is kept up to date; a column is formed when its row is chosen. */
static void start_diagonal(const scaled_matrix *matrix, int n, const int *order, double *l,
                           int ldl) {
  for (int i = 0; i < n; i++)
    l[i + (size_t)i * (size_t)ldl] = scaled_element(matrix, order[i], order[i]);
}

/* the row from k on with the most left in proportion to its scale; n if none is over tolerance */
static int best_row(const scaled_matrix *matrix, int n, const int *order, int k, const double *l,
                    int ldl) {
  int best = n;
  double best_ratio = 0;
  for (int i = k; i < n; i++) {
    const double left = l[i + (size_t)i * (size_t)ldl];
    if (!is_over_tolerance(matrix, order[i], left)) continue;
    const double ratio = left / pivot_scale(matrix, order[i]);
    /* of equals the first row, not the first place: swaps must not matter */
    const int first = ratio == best_ratio && best < n && order[i] < order[best];
    if (ratio > best_ratio || first) best = i, best_ratio = ratio;
  }
  return best;
}

/* exchanges rows k and p, p >= k, of which k columns of L are known */
static void exchange_pivot_rows(int k, int p, int *order, double *l, int ldl) {
  const size_t ld = (size_t)ldl;
  const int row = order[k];
  order[k] = order[p];
  order[p] = row;
  for (int j = 0; j <= k; j++) {
    double *at_k = l + k + (j < k ? j : k) * ld, *at_p = l + p + (j < k ? j : p) * ld;
    const double swapped = *at_k;
    *at_k = *at_p;
    *at_p = swapped;
  }
}

/* A NaN of a scale would compare as redundant, and a row would be dropped without a word. */
static int is_scale_valid(int n, const double *scale) {
  for (int i = 0; i < n && scale != NULL; i++) {
    if (!(scale[i] >= 0 && scale[i] <= DBL_MAX)) return 0;
  }
  return 1;
}

int flg_pivoted_cholesky_factor(int n, const double *s, int lds, const double *scale,
                                double tolerance, int *order, double *l, int ldl) {
  const scaled_matrix matrix = {s, lds, scale, tolerance};
  if (!flg_dense_lower_is_finite(n, s, lds) || !is_scale_valid(n, scale)) return FLG_PIVOT_FAILED;
  for (int i = 0; i < n; i++) order[i] = i;
  start_diagonal(&matrix, n, order, l, ldl);
  for (int k = 0; k < n; k++) {
    const int best = best_row(&matrix, n, order, k, l, ldl);
    if (best == n) return k;
    exchange_pivot_rows(k, best, order, l, ldl);
    eliminate_pivot(&matrix, n, order, k, l, ldl);
  }
  return n;
}

int flg_pivoted_cholesky_refactor(int rank, const int *order, const double *s, int lds,
                                  const double *scale, double tolerance, double *l, int ldl) {
  const scaled_matrix matrix = {s, lds, scale, tolerance};
  start_diagonal(&matrix, rank, order, l, ldl);
  for (int k = 0; k < rank; k++) {
    /* The order is that of an earlier pose: a pivot that has shrunk since then asks for a new
     * choice. */
    if (!is_over_tolerance(&matrix, order[k], l[k + (size_t)k * (size_t)ldl])) return k;
    eliminate_pivot(&matrix, rank, order, k, l, ldl);
  }
  return rank;
}
