#include "complementarity/active_factor.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"

static const double CLEARLY_NEGATIVE = -1e-6; /* d'Ad of a direction of length 1, scaled */

flg_active_factor flg_active_factor_on(flg_complementarity *solver, const flg_rows *rows) {
  return (flg_active_factor){.rows = rows,
                             .tolerance = solver->options.pivot_tolerance,
                             .l = solver->l,
                             .order = solver->order,
                             .work = solver->curvature};
}

static size_t factor_index(const flg_active_factor *factor, int i, int j) {
  return (size_t)i + (size_t)j * (size_t)factor->rows->n;
}

static double element_of_rows(const flg_rows *rows, int i, int j) {
  return rows->a[(size_t)i + (size_t)j * (size_t)rows->lda];
}

/* d'Ad of d = e_i - (what keeps w of order[0..m) at zero), by its scaled length^2. The column of L
 * that row i would get stands in L's row m. */
static double curvature(const flg_active_factor *factor, int i, int m) {
  const flg_rows *rows = factor->rows;
  double *d = factor->work, *product = d + rows->n, sum = 0, length = 0;
  for (int k = 0; k < m; k++) product[k] = -factor->l[factor_index(factor, m, k)];
  flg_dense_solve_lower_transposed(m, factor->l, rows->n, product);
  memset(d, 0, (size_t)rows->n * sizeof *d);
  for (int k = 0; k < m; k++) d[factor->order[k]] = product[k];
  d[i] = 1;
  memset(product, 0, (size_t)rows->n * sizeof *product);
  flg_dense_apply(rows->n, rows->n, 1, rows->a, rows->lda, d, product);
  for (int k = 0; k < rows->n; k++) {
    sum += d[k] * product[k];
    length += d[k] * d[k] * rows->root[k] * rows->root[k];
  }
  return length < HUGE_VAL ? sum / length : 0;
}

/* left: the pivot of row i after order[0..m) */
static int is_independent(flg_active_factor *factor, int i, int m, double left) {
  const double reference = factor->rows->reference[i];
  factor->left = left;
  if (left < CLEARLY_NEGATIVE * reference && !factor->indefinite) {
    factor->indefinite = curvature(factor, i, m) < CLEARLY_NEGATIVE;
  }
  return left > factor->tolerance * reference && left < HUGE_VAL;
}

/* A row of L, in O(m^2). Where its pivot is rounding the row depends on those before it, and stays
 * out. */
int flg_active_factor_add(flg_active_factor *factor, int i, int force) {
  const flg_rows *rows = factor->rows;
  const int m = factor->count, n = rows->n;
  double *l = factor->l, left = element_of_rows(rows, i, i);
  /* forward substitution along the new row: column k of L is ready when l_k is */
  for (int k = 0; k < m; k++) {
    double sum = element_of_rows(rows, factor->order[k], i);
    for (int j = 0; j < k; j++)
      sum -= l[factor_index(factor, k, j)] * l[factor_index(factor, m, j)];
    const double value = sum / l[factor_index(factor, k, k)];
    l[factor_index(factor, m, k)] = value;
    left -= value * value;
  }
  const int taken = is_independent(factor, i, m, left) || (force && left > 0);
  if (!taken || m == n) return 0;
  l[factor_index(factor, m, m)] = sqrt(left);
  factor->order[m] = i;
  factor->count = m + 1;
  return 1;
}

/* Row `place` out of L leaves one element over the diagonal in each later row: rotated away. */
void flg_active_factor_remove(flg_active_factor *factor, int place) {
  double *l = factor->l;
  const int m = --factor->count;
  for (int i = place; i < m; i++) {
    factor->order[i] = factor->order[i + 1];
    for (int j = 0; j <= i + 1; j++)
      l[factor_index(factor, i, j)] = l[factor_index(factor, i + 1, j)];
  }
  for (int k = place; k < m; k++) {
    double *left = l + factor_index(factor, 0, k), *right = l + factor_index(factor, 0, k + 1);
    const double r = hypot(left[k], right[k]), c = left[k] / r, s = right[k] / r;
    for (int i = k; i < m; i++) {
      const double x = left[i], y = right[i];
      left[i] = c * x + s * y;
      right[i] = c * y - s * x;
    }
    left[k] = r;
  }
}

/* drops row j of the columns that are ready: it depends on the rows before it */
/* Rows after it move up, as if it had never been there. */
static void drop_dependent_row(flg_active_factor *factor, int j, int *count) {
  const int m = --*count;
  memmove(factor->order + j, factor->order + j + 1, (size_t)(m - j) * sizeof(int));
  for (int k = 0; k < j; k++) {
    double *column = factor->l + factor_index(factor, j, k);
    memmove(column, column + 1, (size_t)(m - j) * sizeof(double));
  }
}

/* column by column, each brought up to date with those on its left */
static void factor_anew(flg_active_factor *factor, int count) {
  const flg_rows *rows = factor->rows;
  const int n = rows->n;
  int j = 0;
  while (j < count) {
    double *column = factor->l + factor_index(factor, 0, j), *above = factor->l + j;
    const double *source = rows->a + (size_t)factor->order[j] * (size_t)rows->lda;
    for (int i = j; i < count; i++) column[i] = source[factor->order[i]];
    flg_dense_multiply_right_transposed(count - j, 1, j, -1, above, n, above, n, column + j, n);
    if (!is_independent(factor, factor->order[j], j, column[j])) {
      drop_dependent_row(factor, j, &count);
      continue;
    }
    const double root = sqrt(column[j]), inverse = 1 / root;
    column[j] = root;
    for (int i = j + 1; i < count; i++) column[i] *= inverse;
    j++;
  }
  factor->count = count;
}

/* how many rows would have to be added and removed, one at a time */
static int changes(const flg_active_factor *factor, const unsigned char *position, int *wanted) {
  const int n = factor->rows->n;
  int kept = 0;
  *wanted = 0;
  for (int k = 0; k < factor->count; k++) kept += position[factor->order[k]] == FLG_ROW_ACTIVE;
  for (int i = 0; i < n; i++) *wanted += position[i] == FLG_ROW_ACTIVE;
  return factor->count - kept + *wanted - kept;
}

static void change_few(flg_active_factor *factor, const unsigned char *position,
                       unsigned char *inside) {
  for (int k = factor->count - 1; k >= 0; k--) {
    if (position[factor->order[k]] != FLG_ROW_ACTIVE) flg_active_factor_remove(factor, k);
  }
  for (int k = 0; k < factor->count; k++) inside[factor->order[k]] = 1;
  for (int i = 0; i < factor->rows->n; i++) {
    if (position[i] == FLG_ROW_ACTIVE && !inside[i]) flg_active_factor_add(factor, i, 0);
  }
}

int flg_active_factor_update(flg_active_factor *factor, const unsigned char *position,
                             unsigned char *inside) {
  const int n = factor->rows->n;
  int wanted, count = 0;
  memset(inside, 0, (size_t)n);
  /* m^2 operations a row against m^3/3 for all: few changes are cheaper one by one */
  if (changes(factor, position, &wanted) <= factor->count / 16) {
    change_few(factor, position, inside);
  } else {
    for (int i = 0; i < n; i++) { /* no branches: a processor cannot predict them */
      factor->order[count] = i;
      count += position[i] == FLG_ROW_ACTIVE;
    }
    factor_anew(factor, count);
  }
  for (int k = 0; k < factor->count; k++) inside[factor->order[k]] = 1;
  return wanted - factor->count;
}

void flg_active_factor_solve(const flg_active_factor *factor, double *x) {
  flg_dense_cholesky_solve(factor->count, factor->l, factor->rows->n, x);
}
