/* The fast path: block principal pivoting as in block_pivot.c, on sets of rows that are bits of a
 * word and with a factor L D L^T of a fixed leading dimension, made anew each time: up to 16 rows
 * that is faster than any update. Whatever it cannot do (a dependent row, too many rounds) it
 * leaves to the others. */
#include <math.h>

#include "complementarity/small_factor.h"

static const double SLACK = 0.01; /* of the tolerance */

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

static void begin(const flg_complementarity *solver, const flg_rows *rows, const flg_run *run,
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
  begin(solver, rows, run, &sm);
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
