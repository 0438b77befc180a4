/* The fast path of mixed problems: block principal pivoting as in block_pivot.c, on sets of rows
 * that are bits of a word, with a factor
 *
 *     A_FF = L D L^T        F the bits of sm->active
 *
 * in columns of a fixed leading dimension on the stack, made each time: up to 16 rows that is
 * faster than any update. Whatever it cannot do (a dependent row, too many rounds) it leaves to the
 * others. */
#include <math.h>

#include "complementarity/solver.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

enum { MOST = FLG_COMPLEMENTARITY_SMALL, LANES = 4, PATIENCE = 3, ROUNDS = 24 };

static const double SLACK = 0.01; /* of the tolerance */

typedef struct small {
  double l[MOST * (MOST + 1)]; /* columns of L D, the last one the right-hand side */
  double inverse[MOST];        /* of D */
  double z[MOST], w[MOST];
  double z_slack[MOST], w_slack[MOST];
  int order[MOST];
  unsigned active, upper, fixed; /* sets of rows */
} small;

static inline unsigned bit(int i) {
  return 1U << i;
}

/* A_FF and -force_F into columns of MOST, filled up with zeros to whole vectors */
FLG_SMALL int gather(const flg_rows *rows, small *sm, const double *force) {
  int m = 0;
  for (unsigned left = sm->active; left != 0; left &= left - 1) {
    sm->order[m++] = __builtin_ctz(left);
  }
  const int padded = (m + LANES - 1) / LANES * LANES;
  double *x = sm->l + MOST * m;
  for (int j = 0; j < m; j++) {
    const double *a = rows->a + (size_t)sm->order[j] * (size_t)rows->lda;
    double *column = sm->l + MOST * j;
    for (int i = j; i < m; i++) column[i] = a[sm->order[i]];
    for (int i = m; i < padded; i++) column[i] = 0;
    for (int i = j / LANES * LANES; i < j; i++) column[i] = 0;
    x[j] = -force[sm->order[j]];
  }
  for (int i = m; i < padded; i++) x[i] = 0;
  return m;
}

/* Elimination to the right, the right-hand side with it; 0 if a row is dependent. Whole vectors are
 * subtracted: what that leaves over the diagonal is never read. */
FLG_SMALL int eliminate(const flg_rows *rows, small *sm, int m, double tolerance) {
  const int last = (m + LANES - 1) / LANES * LANES;
  double *restrict x = sm->l + MOST * m;
  for (int k = 0; k < m; k++) {
    const double *restrict pivot = sm->l + MOST * k;
    if (!(pivot[k] > tolerance * rows->reference[sm->order[k]])) return 0;
    const double inverse = sm->inverse[k] = 1 / pivot[k], load = x[k] * inverse;
    for (int j = k + 1; j < m; j++) {
      double *restrict column = sm->l + MOST * j;
      const double weight = pivot[j] * inverse;
      x[j] -= pivot[j] * load;
      for (int i = j / LANES * LANES; i < last; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) column[i + lane] -= pivot[i + lane] * weight;
      }
    }
  }
  return 1;
}

FLG_SMALL void substitute_back(small *sm, int m) {
  double *x = sm->l + MOST * m;
  for (int k = m - 1; k >= 0; k--) {
    const double *pivot = sm->l + MOST * k;
    double sum = x[k];
    for (int i = k + 1; i < m; i++) sum -= pivot[i] * x[i];
    x[k] = sum * sm->inverse[k];
    sm->z[sm->order[k]] = x[k];
  }
}

/* w = q + A z over the columns where z is not zero */
FLG_SMALL void apply(const flg_rows *rows, small *sm) {
  for (int i = 0; i < rows->n; i++) sm->w[i] = rows->q[i];
  for (int j = 0; j < rows->n; j++) {
    const double *a = rows->a + (size_t)j * (size_t)rows->lda, weight = sm->z[j];
    if (weight == 0) continue;
    for (int i = 0; i < rows->n; i++) sm->w[i] += a[i] * weight;
  }
}

/* Which of the violating rows change sides: all, or the last one when that stopped to help. */
FLG_SMALL unsigned rows_to_change(unsigned set, int *best, int *patience) {
  const int count = __builtin_popcount(set);
  if (count < *best) {
    *best = count, *patience = PATIENCE;
    return set;
  }
  return (*patience)-- > 0 ? set : 1U << (31 - __builtin_clz(set));
}

FLG_SMALL int solve_sets(const flg_rows *rows, small *sm, double tolerance) {
  int resting = 0;
  for (int i = 0; i < rows->n; i++) {
    const unsigned char side = sm->upper & bit(i) ? FLG_ROW_UPPER : FLG_ROW_LOWER;
    sm->z[i] = sm->active & bit(i) ? 0 : flg_rows_rest(rows, i, side);
    resting |= sm->z[i] != 0;
  }
  if (resting) apply(rows, sm);
  const int m = gather(rows, sm, resting ? sm->w : rows->q);
  if (!eliminate(rows, sm, m, tolerance)) return 0;
  substitute_back(sm, m);
  apply(rows, sm);
  return 1;
}

/* rows on the wrong side; *above: those of them over their upper bound */
FLG_SMALL unsigned violations(const flg_rows *rows, const small *sm, unsigned *above) {
  unsigned set = 0, over = 0;
  for (int i = 0; i < rows->n; i++) {
    const int below = sm->z[i] < rows->lower[i] - sm->z_slack[i];
    const int high = sm->z[i] > rows->upper[i] + sm->z_slack[i];
    const double pull = sm->upper & bit(i) ? sm->w[i] : -sm->w[i];
    const int wrong = sm->active & bit(i) ? below | high : !(pull <= sm->w_slack[i]);
    set |= (unsigned)wrong << i;
    over |= (unsigned)high << i;
  }
  *above = over & sm->active;
  return set & ~sm->fixed;
}

FLG_WIDE_VECTORS
static int pivot_until_right(const flg_rows *rows, small *sm, double tolerance, int *iterations) {
  int best = MOST + 1, patience = PATIENCE;
  for (int k = 0; k < ROUNDS; k++) {
    ++*iterations;
    if (!solve_sets(rows, sm, tolerance)) return 0;
    unsigned above, set = violations(rows, sm, &above);
    if (set == 0) return 1;
    set = rows_to_change(set, &best, &patience);
    sm->upper = (sm->upper & ~set) | (above & set);
    sm->active ^= set;
  }
  return 0;
}

static void begin_small(const flg_complementarity *solver, const flg_rows *rows, const flg_run *run,
                        small *sm) {
  double sigma = 0;
  sm->active = 0, sm->upper = 0, sm->fixed = 0;
  for (int i = 0; i < rows->n; i++) {
    const double size = fabs(rows->q[i]) * rows->s[i];
    sigma = size > sigma ? size : sigma;
    sm->active |= (unsigned)(run->position[i] == FLG_ROW_ACTIVE) << i;
    sm->upper |= (unsigned)(run->position[i] == FLG_ROW_UPPER) << i;
    sm->fixed |= (unsigned)(rows->lower[i] == rows->upper[i]) << i;
  }
  const double slack = SLACK * solver->options.tolerance * sigma;
  for (int i = 0; i < rows->n; i++) {
    sm->z_slack[i] = slack * rows->s[i], sm->w_slack[i] = slack * rows->root[i];
  }
}

flg_complementarity_outcome flg_small_pivot(flg_complementarity *solver, const flg_rows *rows,
                                            flg_run *run) {
  small sm;
  begin_small(solver, rows, run, &sm);
  const double tolerance = solver->options.pivot_tolerance;
  if (!pivot_until_right(rows, &sm, tolerance, &run->iterations)) return FLG_OUTCOME_STALLED;
  int outside = 0;
  for (int i = 0; i < rows->n; i++) {
    const double z = flg_clip(sm.z[i], rows->lower[i], rows->upper[i]);
    const unsigned char tight = sm.upper & bit(i) ? FLG_ROW_UPPER : FLG_ROW_LOWER;
    outside |= z != sm.z[i];
    run->z[i] = z, run->w[i] = sm.w[i];
    run->position[i] = sm.active & bit(i) ? FLG_ROW_ACTIVE : tight;
  }
  if (outside) flg_rows_apply(rows, run->z, run->w);
  run->dependent_rows = 0;
  run->residual = flg_rows_residual(rows, run->z, run->w);
  return run->residual <= solver->options.tolerance ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}
