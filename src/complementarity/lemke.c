/* Lemke's method with the lexicographic rule, on a full tableau. The covering vector is all ones in
 * scaled variables. A matrix that is positive semidefinite ends in a solution or in a ray, and then
 * there is no solution. */
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"

static const double TINY = 1e-11; /* elements that are not pivots */

/* columns: w (m), y (m), y0, right-hand side; row-major */
typedef struct tableau {
  int m, width;
  double *t;
  int *basis; /* column of the basic variable of each row */
} tableau;

static double *row_of(const tableau *t, int i) {
  return t->t + (size_t)i * (size_t)t->width;
}

/* Row i as nonnegative variables: z = base + sign y; a free one has a second y with the other sign,
 * a boxed one a second row that keeps y under its width. */
typedef struct image {
  double base, sign, width;
  int is_free;
} image;

static image image_of(const flg_rows *rows, int i) {
  const double low = rows->lower[i] * rows->root[i], high = rows->upper[i] * rows->root[i];
  if (low > -HUGE_VAL) return (image){low, 1, high - low, 0};
  if (high < HUGE_VAL) return (image){high, -1, HUGE_VAL, 0};
  return (image){0, 1, HUGE_VAL, 1};
}

static int second_kind(const image *im) {
  return im->is_free || im->width < HUGE_VAL;
}

static int size_of(const flg_rows *rows) {
  int m = rows->n;
  for (int i = 0; i < rows->n; i++) {
    const image im = image_of(rows, i);
    m += second_kind(&im);
  }
  return m;
}

/* -M in the y columns of row i of A, for the image with the given sign */
static void fill_row(const flg_rows *rows, int i, double sign, double *row, int m) {
  int extra = rows->n;
  double force = rows->q[i] * rows->s[i];
  for (int j = 0; j < rows->n; j++) {
    const image im = image_of(rows, j);
    const double a = rows->a[(size_t)i + (size_t)j * (size_t)rows->lda] * rows->s[i] * rows->s[j];
    force += a * im.base;
    row[m + j] = -sign * im.sign * a;
    if (!second_kind(&im)) continue;
    if (im.is_free) row[m + extra] = sign * a;
    if (!im.is_free && i == j) row[m + extra] = -1;
    extra++;
  }
  row[2 * m + 1] = sign * force;
}

static void fill_tableau(const flg_rows *rows, tableau *t) {
  const int m = t->m;
  memset(t->t, 0, (size_t)m * (size_t)t->width * sizeof(double));
  int extra = rows->n;
  for (int i = 0; i < rows->n; i++) {
    const image im = image_of(rows, i);
    fill_row(rows, i, im.sign, row_of(t, i), m);
    if (!second_kind(&im)) continue;
    if (im.is_free) {
      fill_row(rows, i, -1, row_of(t, extra), m);
    } else {
      row_of(t, extra)[m + i] = 1;
      row_of(t, extra)[2 * m + 1] = im.width;
    }
    extra++;
  }
  for (int i = 0; i < m; i++) {
    row_of(t, i)[i] = 1;
    row_of(t, i)[2 * m] = -1;
    t->basis[i] = i;
  }
}

/* < 0 if row i, divided by its element in the column, is lexicographically less than row k */
static int compare(const tableau *t, int i, int k, int column) {
  const double *a = row_of(t, i), *b = row_of(t, k);
  const double u = fabs(a[column]), v = fabs(b[column]);
  const double x = a[2 * t->m + 1] / u, y = b[2 * t->m + 1] / v;
  if (fabs(x - y) > TINY * (fabs(x) + fabs(y))) return x < y ? -1 : 1;
  for (int j = 0; j < t->m; j++) {
    const double p = a[j] / u, q = b[j] / v;
    if (fabs(p - q) > TINY * (fabs(p) + fabs(q))) return p < q ? -1 : 1;
  }
  return 0;
}

static int leaving_row(const tableau *t, int column, int first) {
  int best = -1;
  for (int i = 0; i < t->m; i++) {
    if (!first && row_of(t, i)[column] <= TINY) continue;
    if (best < 0 || compare(t, i, best, column) < 0) best = i;
  }
  return best;
}

static void pivot(tableau *t, int row, int column) {
  double *p = row_of(t, row);
  const double inverse = 1 / p[column];
  for (int j = 0; j < t->width; j++) p[j] *= inverse;
  p[column] = 1;
  for (int i = 0; i < t->m; i++) {
    double *x = row_of(t, i);
    const double factor = x[column];
    if (i == row || factor == 0) continue;
    for (int j = 0; j < t->width; j++) x[j] -= factor * p[j];
    x[column] = 0;
  }
  t->basis[row] = column;
}

static int is_trivial(const tableau *t) {
  for (int i = 0; i < t->m; i++) {
    if (row_of(t, i)[2 * t->m + 1] < 0) return 0;
  }
  return 1;
}

static flg_complementarity_outcome follow(tableau *t, int *iterations) {
  const int m = t->m, limit = 20 * m + 20;
  if (is_trivial(t)) return FLG_OUTCOME_SOLVED;
  int entering = 2 * m;
  for (int k = 0; k < limit; k++, ++*iterations) {
    const int row = leaving_row(t, entering, k == 0);
    if (row < 0) return FLG_OUTCOME_UNSOLVABLE;
    const int left = t->basis[row];
    pivot(t, row, entering);
    if (left == 2 * m) return FLG_OUTCOME_SOLVED;
    entering = left < m ? left + m : left - m;
  }
  return FLG_OUTCOME_STALLED;
}

static void read_solution(const flg_rows *rows, const tableau *t, double *z) {
  const int m = t->m;
  for (int i = 0; i < rows->n; i++) z[i] = image_of(rows, i).base * rows->s[i];
  for (int k = 0; k < m; k++) {
    int extra = rows->n;
    for (int i = 0; i < rows->n && t->basis[k] >= m; i++) {
      const image im = image_of(rows, i);
      const double y = row_of(t, k)[2 * m + 1] * rows->s[i];
      if (t->basis[k] == m + i) z[i] += im.sign * y;
      if (second_kind(&im)) {
        if (im.is_free && t->basis[k] == m + extra) z[i] -= y;
        extra++;
      }
    }
  }
}

flg_complementarity_outcome flg_lemke(flg_complementarity *solver, const flg_rows *rows,
                                      flg_run *run) {
  const int m = size_of(rows);
  if (m > solver->tableau_size) return FLG_OUTCOME_STALLED;
  tableau t = {.m = m, .width = 2 * m + 2, .t = solver->tableau, .basis = solver->pivots};
  fill_tableau(rows, &t);
  const flg_complementarity_outcome outcome = follow(&t, &run->iterations);
  if (outcome == FLG_OUTCOME_SOLVED) read_solution(rows, &t, run->z);
  return outcome;
}
