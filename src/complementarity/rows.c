#include <float.h>
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "complementarity/tile.h"
#include "math/dense.h"
#include "math/larger.h"
#include "math/wide_vectors.h"

static const double ASYMMETRY = 1e-9;      /* of unit rows */
static const double NO_RESISTANCE = 1e-12; /* d'Ad / d'd, scaled, of a direction without end */

static int dense_sizes_are_sound(const flg_complementarity *solver,
                                 const flg_complementarity_matrix *matrix) {
  const int n = matrix->n;
  if (n < 0 || n > solver->capacity) return 0;
  if (matrix->dense != NULL) return matrix->leading >= n;
  return n == 0 || matrix->sparse != NULL;
}

/* Rows without a diagonal are measured like the largest one. */
/* By roots of the diagonal: D_ij / sqrt(D_ii D_jj) is a pure number, whatever the units of rows. */
static int load_scale(flg_complementarity *solver, const flg_rows *rows, const double *scale) {
  double *s = solver->s, *root = solver->root, *reference = solver->reference;
  double largest = 0, least = HUGE_VAL, poison = 0;
  const size_t next = (size_t)rows->lda + 1;
  for (int i = 0; i < rows->n; i++) {
    const double a_ii = rows->a != NULL ? rows->a[(size_t)i * next] : flg_rows_element(rows, i, i);
    const double given = scale == NULL ? a_ii : scale[i];
    poison += 0 * a_ii + 0 * given; /* 0 times NaN or infinity is NaN: no branch in the loop */
    reference[i] = given > a_ii ? given : a_ii;
    largest = reference[i] > largest ? reference[i] : largest;
    least = a_ii < least ? a_ii : least;
    least = given < least ? given : least;
  }
  if (poison != 0 || least < 0) return 0;
  for (int i = 0; i < rows->n; i++) {
    root[i] = sqrt(reference[i]);
    s[i] = 1 / root[i];
  }
  for (int i = 0; i < rows->n && least < DBL_MIN; i++) {
    if (reference[i] >= DBL_MIN) continue;
    root[i] = largest < DBL_MIN ? 1 : sqrt(largest);
    s[i] = 1 / root[i];
  }
  return 1;
}

/* to the last bit, as most are, and finite: tiles, and the columns that are left over */
FLG_WIDE_VECTORS
static int is_exactly_symmetric(int n, const double *a, int lda) {
  flg_tile_bits differences = {0, 0, 0, 0};
  flg_tile_numbers poison = {0, 0, 0, 0};
  double rest = 0;
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    for (int i = 0; i <= j; i += 4) {
      const double *upper = a + i + (size_t)j * (size_t)lda;
      flg_tile_compare(lda, upper, a + j + (size_t)i * (size_t)lda, &differences);
      flg_tile_poison(lda, upper, &poison);
    }
  }
  for (; j < n; j++) {
    const double *column = a + (size_t)j * (size_t)lda, *row = a + j;
    for (int i = 0; i < j; i++) rest += fabs(column[i] - row[(size_t)i * (size_t)lda]);
  }
  rest += (poison[0] + poison[1]) + (poison[2] + poison[3]);
  return ((differences[0] | differences[1]) | (differences[2] | differences[3])) == 0 && rest == 0;
}

/* Unit rows: D_ij / sqrt(D_ii D_jj) are pure numbers, so one tolerance does for all units. */
static int is_symmetric(const flg_rows *rows) {
  if (is_exactly_symmetric(rows->n, rows->a, rows->lda)) return 1;
  double worst = 0, poison = 0;
  for (int j = 0; j < rows->n; j++) {
    const double *column = rows->a + (size_t)j * (size_t)rows->lda, *row = rows->a + j;
    double largest = 0;
    for (int i = 0; i < j; i++) {
      const double difference = column[i] - row[(size_t)i * (size_t)rows->lda];
      poison += 0 * difference;
      const double size = fabs(difference) * rows->s[i];
      largest = size > largest ? size : largest;
    }
    worst = largest * rows->s[j] > worst ? largest * rows->s[j] : worst;
  }
  return poison == 0 && worst <= ASYMMETRY;
}

/* a row may have no bound, but not two on the same side, nor infinity as its value */
static int bounds_are_sound(int n, const double *q, const double *lower, const double *upper) {
  int sound = 1;
  for (int i = 0; i < n; i++) {
    sound &= fabs(q[i]) <= DBL_MAX && lower[i] <= upper[i];
    sound &= lower[i] < HUGE_VAL && upper[i] > -HUGE_VAL;
  }
  return sound;
}

static void rows_fill(int n, double value, double *x) {
  for (int i = 0; i < n; i++) x[i] = value;
}

/* without bounds, a plain LCP: 0 <= z */
static void load_bounds(flg_complementarity *solver, const double *lower, const double *upper,
                        flg_rows *rows) {
  rows->lower = lower, rows->upper = upper;
  if (lower == NULL) rows_fill(rows->n, 0, solver->lower), rows->lower = solver->lower;
  if (upper == NULL) rows_fill(rows->n, HUGE_VAL, solver->upper), rows->upper = solver->upper;
}

/* velocities by roots of the diagonal: roots of energies, which compare between rows */
static double largest_scaled(const flg_rows *rows, const double *w) {
  double largest = 0;
  for (int i = 0; i < rows->n; i++) largest = flg_larger(largest, fabs(w[i]) * rows->s[i]);
  return largest;
}

/* Sizes, then finite numbers, then signs and symmetry: each check may rely on those before it. */
flg_complementarity_outcome flg_rows_load(flg_complementarity *solver,
                                          const flg_complementarity_matrix *matrix, const double *q,
                                          const double *lower, const double *upper,
                                          flg_rows *rows) {
  if (!dense_sizes_are_sound(solver, matrix)) return FLG_OUTCOME_BAD_INPUT;
  *rows = (flg_rows){.n = matrix->n, .a = matrix->dense, .lda = matrix->leading, .q = q};
  rows->s = solver->s, rows->root = solver->root, rows->reference = solver->reference;
  const int direct =
      rows->n <= solver->options.direct_limit && solver->options.method != FLG_METHOD_ITERATIVE;
  if (matrix->dense == NULL && matrix->sparse != NULL) {
    if (!flg_sparse_load(solver, matrix, rows)) return FLG_OUTCOME_BAD_INPUT;
    if (direct) flg_sparse_form(rows, solver->a), rows->a = solver->a, rows->lda = rows->n;
  }
  rows->is_linear = lower == NULL && upper == NULL;
  load_bounds(solver, lower, upper, rows);
  if (!bounds_are_sound(rows->n, q, rows->lower, rows->upper)) return FLG_OUTCOME_BAD_INPUT;
  if (!load_scale(solver, rows, matrix->scale)) return FLG_OUTCOME_BAD_INPUT;
  if (rows->a != NULL && !is_symmetric(rows)) return FLG_OUTCOME_BAD_INPUT;
  rows->left = matrix->left, rows->is_brief = matrix->brief;
  rows->moving = matrix->before == NULL ? HUGE_VAL : largest_scaled(rows, matrix->before);
  return FLG_OUTCOME_SOLVED;
}

void flg_rows_apply(const flg_rows *rows, const double *z, double *w) {
  const int n = rows->n;
  if (n == 0) return;
  if (rows->a == NULL) {
    flg_sparse_apply(rows, z, w);
    return;
  }
  memcpy(w, rows->q, (size_t)n * sizeof *w);
  flg_dense_apply(n, n, 1, rows->a, rows->lda, z, w);
}

/* how large impulses are, by roots of energies: those that there are, and those that stop q */
double flg_rows_magnitude(const flg_rows *rows, const double *z) {
  double push = 0, answer = 0;
  for (int i = 0; i < rows->n; i++) {
    const double force = fabs(rows->q[i]) * rows->s[i], load = fabs(z[i]) * rows->root[i];
    push = force > push ? force : push;
    answer = load > answer ? load : answer;
  }
  return push > answer ? push : answer;
}

/* Where z is far from the bound that w holds it to, or has none, the first measure is |w|: the
 * product adds nothing and is cut off. */
double flg_rows_residual(const flg_rows *rows, const double *z, const double *w) {
  double sigma = flg_rows_magnitude(rows, z), natural = 0, product = 0, poison = 0;
  for (int i = 0; i < rows->n; i++) {
    const double root = rows->root[i], x = z[i] * root, y = w[i] * rows->s[i];
    const double low = rows->lower[i] * root, high = rows->upper[i] * root, inner = x - y;
    const double at_most = inner > high ? high : inner, mid = at_most < low ? low : at_most;
    const double off = fabs(x - mid), slack = fabs(y > 0 ? x - low : high - x);
    const double room = slack < sigma ? slack : sigma, both = slack < HUGE_VAL ? room * fabs(y) : 0;
    poison += 0 * y + 0 * x;
    natural = off > natural ? off : natural;
    product = both > product ? both : product;
  }
  if (sigma < DBL_MIN) sigma = 1;
  natural /= sigma, product = product / sigma / sigma;
  return poison == 0 ? (product > natural ? product : natural) : HUGE_VAL;
}

/* of the sum of what a row adds up: some units in the last place of each term */
static const double ROUNDING = 8 * DBL_EPSILON;

double flg_rows_rounding(const flg_rows *rows, const double *z) {
  double sum = 0;
  for (int i = 0; i < rows->n; i++)
    sum += fabs(z[i]) * rows->root[i] + fabs(rows->q[i]) * rows->s[i];
  return ROUNDING * sum;
}

flg_speeds flg_rows_speeds(const flg_rows *rows, const double *z, const double *w) {
  const double rounding = flg_rows_rounding(rows, z);
  flg_speeds speeds = {0, 0};
  for (int i = 0; i < rows->n; i++) {
    const double y = z[i] - w[i] * rows->s[i] * rows->s[i];
    const double off = fabs(flg_clip(y, rows->lower[i], rows->upper[i]) - z[i]) * rows->root[i];
    speeds.all = flg_larger(speeds.all, off * rows->root[i]);
    speeds.beyond = flg_larger(speeds.beyond, off <= rounding ? 0 : off * rows->root[i]);
  }
  return speeds;
}

/* A direction without end: no bound stops it, nothing resists, and q pushes along it; then there is
 * no solution. */
int flg_rows_is_ray(const flg_rows *rows, const double *d, double tolerance, double *product) {
  double size = 0, resistance = 0, push = 0, largest = 0;
  memset(product, 0, (size_t)rows->n * sizeof *product);
  flg_dense_apply(rows->n, rows->n, 1, rows->a, rows->lda, d, product);
  for (int i = 0; i < rows->n; i++) {
    const double force = fabs(rows->q[i]) * rows->s[i], move = d[i] * rows->root[i];
    size += move * move;
    resistance += d[i] * product[i];
    push -= d[i] * rows->q[i];
    largest = force > largest ? force : largest;
    if (d[i] < 0 ? rows->lower[i] > -HUGE_VAL : d[i] > 0 && rows->upper[i] < HUGE_VAL) return 0;
  }
  return fabs(resistance) <= NO_RESISTANCE * size && push > tolerance * sqrt(size) * largest;
}

/* Warm start: impulses of the last step where rows are known, others at rest. */
int flg_run_place(const flg_rows *rows, const unsigned char *states, const double *start,
                  double *z) {
  int warm = 0;
  for (int i = 0; i < rows->n; i++) {
    const int known = states != NULL && states[i] != FLG_ROW_NEW && fabs(start[i]) <= DBL_MAX;
    z[i] = known ? start[i] : flg_rows_rest(rows, i, FLG_ROW_LOWER);
    warm |= known;
  }
  return warm;
}

/* The same of the active set. States come from another step, whose bounds may have been others. */
void flg_run_start(const flg_rows *rows, const unsigned char *states, flg_run *run) {
  int warm = 0;
  for (int i = 0; i < rows->n; i++) {
    const double low = rows->lower[i], high = rows->upper[i];
    unsigned char position = states == NULL ? FLG_ROW_NEW : states[i] & FLG_ROW_POSITION;
    if (low <= -HUGE_VAL && high >= HUGE_VAL) position = FLG_ROW_ACTIVE;
    if (position == FLG_ROW_ACTIVE && low == high) position = FLG_ROW_LOWER;
    if (position == FLG_ROW_UPPER && high >= HUGE_VAL) position = FLG_ROW_LOWER;
    if (position != FLG_ROW_ACTIVE && position != FLG_ROW_UPPER) position = FLG_ROW_LOWER;
    if (position == FLG_ROW_LOWER && low <= -HUGE_VAL) position = FLG_ROW_UPPER;
    run->position[i] = position;
    warm |= states != NULL && states[i] != FLG_ROW_NEW;
  }
  run->keep = warm;
}
