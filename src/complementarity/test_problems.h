/* test_problems.h - random complementarity problems of every awkward kind, and independent answers.
 *
 * Problems are made so that it is known whether they have a solution. The independent answer for
 * small ones comes by trying all sets of active rows.
 */
#ifndef FLG_COMPLEMENTARITY_TEST_PROBLEMS_H
#define FLG_COMPLEMENTARITY_TEST_PROBLEMS_H

#include <float.h>

#include "check.h"
#include "complementarity/complementarity.h"

#ifndef FLG_TEST_LARGEST /* benchmarks have larger ones */
#define FLG_TEST_LARGEST 64
#endif
enum { LARGEST = FLG_TEST_LARGEST, ENUMERATED = 10 };

typedef enum problem_kind {
  FULL_RANK,
  DUPLICATED_ROWS, /* rank n/2, solvable */
  NEARLY_SINGULAR,
  BADLY_SCALED, /* one of the first two, rows by 1e-6 .. 1e6 */
  ZERO_ROWS,
  EQUAL_PIVOTS,
  UNSOLVABLE,
  KIND_COUNT
} problem_kind;

typedef struct random_problem {
  problem_kind kind;
  int n;
  double a[LARGEST * LARGEST], q[LARGEST];
  double lower[LARGEST], upper[LARGEST];
} random_problem;

static inline double *entry(random_problem *p, int i, int j) {
  return p->a + i + (size_t)j * (size_t)p->n;
}

/* A = V^T V, V (rank x n) */
static inline void fill_gram(random_problem *p, int rank, const double *v) {
  for (int j = 0; j < p->n; j++) {
    for (int i = j; i < p->n; i++) {
      double sum = 0;
      for (int k = 0; k < rank; k++) sum += v[k + i * rank] * v[k + j * rank];
      *entry(p, i, j) = *entry(p, j, i) = sum;
    }
  }
}

/* q = w - A z of a random complementary pair */
static inline void make_solvable(random_source *source, random_problem *p) {
  double z[LARGEST];
  for (int i = 0; i < p->n; i++) {
    const double value = random_uniform(source, 0, 1);
    const int side = random_integer(source, 0, 7);
    z[i] = side < 4 ? value : 0;
    p->q[i] = side > 4 ? value : 0; /* 4: both zero */
  }
  for (int j = 0; j < p->n; j++) {
    for (int i = 0; i < p->n; i++) p->q[i] -= *entry(p, i, j) * z[j];
  }
}

static inline void fill_random(random_source *source, int count, double *x) {
  for (int k = 0; k < count; k++) x[k] = random_uniform(source, -1, 1);
}

static inline void make_full_rank(random_source *source, random_problem *p) {
  static double v[LARGEST * LARGEST];
  fill_random(source, p->n * p->n, v);
  fill_gram(p, p->n, v);
  for (int i = 0; i < p->n; i++) *entry(p, i, i) += 1e-3;
  fill_random(source, p->n, p->q);
}

/* q = -A z: all rows active, w = 0 everywhere */
static inline void make_all_active(random_source *source, random_problem *p) {
  memset(p->q, 0, sizeof p->q);
  for (int j = 0; j < p->n; j++) {
    const double z = random_uniform(source, 0, 1);
    for (int i = 0; i < p->n; i++) p->q[i] -= *entry(p, i, j) * z;
  }
}

/* Rank n/2: n/2 rows at random, and the other half copies of some of them; or pairs, in a space of
 * n/2 dimensions. */
static inline void make_duplicated(random_source *source, random_problem *p) {
  static double v[LARGEST * LARGEST];
  const int rank = p->n > 1 ? p->n / 2 : 1, pairs = random_integer(source, 0, 1);
  fill_random(source, rank * p->n, v);
  for (int j = pairs ? 1 : rank; j < p->n; j += pairs ? 2 : 1) {
    const int twin = pairs ? j - 1 : random_integer(source, 0, rank - 1);
    memcpy(v + j * rank, v + twin * rank, (size_t)rank * sizeof *v);
  }
  fill_gram(p, rank, v);
  if (random_integer(source, 0, 1) > 0) {
    make_solvable(source, p);
  } else {
    make_all_active(source, p);
  }
}

static inline void make_nearly_singular(random_source *source, random_problem *p) {
  make_duplicated(source, p);
  const double little = pow(10, random_uniform(source, -9, -5));
  for (int i = 0; i < p->n; i++) *entry(p, i, i) += little * (1 + *entry(p, i, i));
  if (random_integer(source, 0, 1) > 0) fill_random(source, p->n, p->q);
}

static inline void make_badly_scaled(random_source *source, random_problem *p) {
  if (random_integer(source, 0, 1) > 0) {
    make_full_rank(source, p);
  } else {
    make_duplicated(source, p);
  }
  for (int i = 0; i < p->n; i++) {
    const double factor = pow(10, random_uniform(source, -6, 6));
    for (int j = 0; j < p->n; j++) *entry(p, i, j) *= factor;
    for (int j = 0; j < p->n; j++) *entry(p, j, i) *= factor;
    p->q[i] *= factor;
  }
  for (int j = 0; j < p->n; j++) { /* the two products round differently */
    for (int i = 0; i < j; i++) *entry(p, i, j) = *entry(p, j, i);
  }
}

static inline void make_zero_rows(random_source *source, random_problem *p) {
  make_duplicated(source, p);
  for (int i = 0; i < p->n; i++) {
    if (random_integer(source, 0, 2) > 0) continue;
    for (int j = 0; j < p->n; j++) *entry(p, i, j) = *entry(p, j, i) = 0;
  }
  make_solvable(source, p);
}

/* many ties: unit or constant matrices, sides of one size */
static inline void make_equal_pivots(random_source *source, random_problem *p) {
  const double together = random_integer(source, 0, 2) * 0.5;
  for (int j = 0; j < p->n; j++) {
    for (int i = 0; i < p->n; i++) *entry(p, i, j) = (i == j) + together;
    p->q[j] = random_integer(source, -1, 1);
  }
}

/* a direction d >= 0 with A d = 0 and q'd < 0 */
static inline void make_unsolvable(random_source *source, random_problem *p) {
  static double v[LARGEST * LARGEST];
  double d[LARGEST], push = 0, length = 0;
  const int n = p->n, rank = n > 1 ? n / 2 : 1;
  fill_random(source, rank * n, v);
  for (int j = 0; j < n; j++) d[j] = random_integer(source, 0, 1) * random_uniform(source, 0.2, 1);
  d[n - 1] = 1;
  for (int k = 0; k < rank; k++) {
    v[k + (n - 1) * rank] = 0;
    for (int j = 0; j < n - 1; j++) v[k + (n - 1) * rank] -= v[k + j * rank] * d[j];
  }
  fill_gram(p, rank, v);
  fill_random(source, n, p->q);
  for (int j = 0; j < n; j++) push += d[j] * p->q[j], length += d[j] * d[j];
  for (int j = 0; j < n; j++) p->q[j] -= (push + 0.1 + fabs(push)) * d[j] / length;
}

static inline void make_problem(random_source *source, problem_kind kind, int n,
                                random_problem *p) {
  static void (*const makers[KIND_COUNT])(random_source *, random_problem *) = {
      make_full_rank, make_duplicated,   make_nearly_singular, make_badly_scaled,
      make_zero_rows, make_equal_pivots, make_unsolvable};
  p->kind = kind, p->n = n;
  makers[kind](source, p);
  for (int i = 0; i < n; i++) p->lower[i] = 0, p->upper[i] = HUGE_VAL;
}

static inline flg_complementarity_matrix matrix_of_problem(const random_problem *p) {
  return (flg_complementarity_matrix){.n = p->n, .dense = p->a, .leading = p->n};
}

/* Residual by the header's definition, but written a second time, and by |q| alone (strict). */
static inline double residual_of(random_problem *p, const double *z, int strict) {
  double sigma = 0, worst = 0, s[LARGEST], y[LARGEST], largest = 0;
  for (int i = 0; i < p->n; i++) largest = flg_larger(largest, *entry(p, i, i));
  for (int i = 0; i < p->n; i++) {
    const double a = *entry(p, i, i);
    s[i] = 1 / sqrt(a > 0 ? a : largest > 0 ? largest : 1);
    sigma = flg_larger(sigma, flg_larger(fabs(p->q[i]) * s[i], strict ? 0 : fabs(z[i]) / s[i]));
    y[i] = p->q[i];
    for (int j = 0; j < p->n; j++) y[i] += *entry(p, i, j) * z[j];
  }
  if (sigma == 0) sigma = 1;
  for (int i = 0; i < p->n; i++) {
    const double x = z[i] / s[i], low = p->lower[i] / s[i], high = p->upper[i] / s[i];
    const double inner = flg_smaller(flg_larger(x - y[i] * s[i], low), high);
    const double violation = fabs(x - inner) / sigma;
    worst = flg_larger(worst, violation);
  }
  return worst;
}

/* Solves A_FF x = b by Gaussian elimination with diagonal pivots; 0 if it is singular. */
static inline int solve_set(random_problem *p, int count, const int *set, double *x) {
  double m[ENUMERATED][ENUMERATED];
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) m[i][j] = *entry(p, set[i], set[j]);
  }
  for (int k = 0; k < count; k++) {
    if (!(m[k][k] > 1e-11 * *entry(p, set[k], set[k]))) return 0;
    for (int i = k + 1; i < count; i++) {
      const double factor = m[i][k] / m[k][k];
      for (int j = k; j < count; j++) m[i][j] -= factor * m[k][j];
      x[i] -= factor * x[k];
    }
  }
  for (int k = count - 1; k >= 0; k--) {
    for (int j = k + 1; j < count; j++) x[k] -= m[k][j] * x[j];
    x[k] /= m[k][k];
  }
  return 1;
}

/* z and the active rows of a code: digits in base 2 or 3, of which 0 is lower, 1 active, 2 upper; a
 * free row is active, or 0 and dependent. Returns how many are active, -1 if there is no such
 * bound.
 */
static inline int decode(const random_problem *p, long code, int base, double *z, int *set) {
  int count = 0;
  for (int i = 0; i < p->n; i++, code /= base) {
    const int digit = (int)(code % base);
    const double low = p->lower[i] > -HUGE_VAL || p->upper[i] < HUGE_VAL ? p->lower[i] : 0;
    z[i] = digit == 0 ? low : digit == 2 ? p->upper[i] : 0;
    if (digit == 1) set[count++] = i;
    if (!(fabs(z[i]) < HUGE_VAL)) return -1;
  }
  return count;
}

/* Tries every position of every row. Returns the smallest residual over all of them and its z. */
static inline double enumerate(random_problem *p, double *best_z) {
  long codes = 1;
  int base = 2;
  double best = HUGE_VAL;
  for (int i = 0; i < p->n; i++) base = p->upper[i] < HUGE_VAL ? 3 : base;
  for (int i = 0; i < p->n; i++) codes *= base;
  for (long code = 0; code < codes; code++) {
    double z[ENUMERATED], x[ENUMERATED];
    int set[ENUMERATED];
    const int count = decode(p, code, base, z, set);
    for (int k = 0; k < count; k++) {
      x[k] = -p->q[set[k]];
      for (int j = 0; j < p->n; j++) x[k] -= *entry(p, set[k], j) * z[j];
    }
    if (count < 0 || !solve_set(p, count, set, x)) continue;
    for (int k = 0; k < count; k++) z[set[k]] = x[k];
    const double residual = residual_of(p, z, p->kind != NEARLY_SINGULAR);
    if (!(residual < best)) continue;
    best = residual, memcpy(best_z, z, (size_t)p->n * sizeof *z);
  }
  return best;
}

/* a solver on memory of its own; benchmarks use it too, which know no assertions */
typedef struct test_solver {
  flg_region region;
  flg_complementarity *solver;
} test_solver;

static inline test_solver solver_for(int capacity, const flg_complementarity_options *options) {
  test_solver made = {.solver = NULL};
  if (flg_complementarity_build(&made.solver, capacity, options, &made.region, NULL) != FLG_OK)
    abort();
  return made;
}

static inline void drop_solver(test_solver *made) {
  flg_region_release(&made->region);
}

#endif
