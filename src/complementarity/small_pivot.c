/* The fast path: principal pivots on a tableau whose size is known when compiling (4, 8, 12 or 16;
 * smaller problems are filled up with rows that rest). The tableau holds
 *
 *     basic = T nonbasic + T_q       z_i basic and w_i nonbasic where row i is active
 *
 * and block pivoting as in block_pivot.c exchanges rows in it. Whatever it cannot do (a dependent
 * row, too many exchanges) it leaves to the others. */
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

enum { MOST = FLG_COMPLEMENTARITY_SMALL, PATIENCE = 3, ITERATIONS = 24 };

static const double SLACK = 0.01; /* of the tolerance */

typedef struct small {
  double t[MOST * (MOST + 1)]; /* column-major, leading dimension: the compiled size */
  double value[MOST], rest[MOST];
  double low[MOST], high[MOST]; /* of the basic variables, with slack */
  unsigned active, upper;       /* sets of rows */
  int resting;                  /* some z rests away from 0 */
} small;

FLG_SMALL void exchange(int size, double *restrict t, int k) {
  double column[MOST];
  const double inverse = 1 / t[k + k * size];
  for (int i = 0; i < size; i++) column[i] = t[i + k * size] * inverse;
  for (int j = 0; j <= size; j++) {
    const double weight = t[k + j * size];
    for (int i = 0; i < size; i++) t[i + j * size] -= column[i] * weight;
    t[k + j * size] = -weight * inverse;
  }
  for (int i = 0; i < size; i++) t[i + k * size] = column[i];
  t[k + k * size] = inverse;
}

/* what the basic variable of row i may be */
FLG_SMALL void set_range(const flg_rows *rows, small *sm, int i, double slack) {
  const unsigned bit = 1U << i;
  const double s = rows->s[i];
  if (sm->active & bit) {
    sm->low[i] = rows->lower[i] - slack * s, sm->high[i] = rows->upper[i] + slack * s;
    sm->rest[i] = 0;
    return;
  }
  const int up = (sm->upper & bit) != 0;
  sm->low[i] = up ? -HUGE_VAL : -slack * rows->root[i], sm->high[i] = up ? slack * rows->root[i] : HUGE_VAL;
  sm->rest[i] = flg_rows_rest(rows, i, up ? FLG_ROW_UPPER : FLG_ROW_LOWER);
  if (rows->lower[i] == rows->upper[i]) sm->low[i] = -HUGE_VAL, sm->high[i] = HUGE_VAL;
  sm->resting |= sm->rest[i] != 0;
}

FLG_SMALL void load(int size, const flg_rows *rows, small *sm) {
  const int n = rows->n;
  for (int j = 0; j < n; j++) {
    const double *a = rows->a + (size_t)j * (size_t)rows->lda;
    for (int i = 0; i < n; i++) sm->t[i + j * size] = a[i];
    for (int i = n; i < size; i++) sm->t[i + j * size] = 0;
  }
  for (int j = n; j < size; j++) {
    for (int i = 0; i < size; i++) sm->t[i + j * size] = i == j;
    sm->low[j] = -HUGE_VAL, sm->high[j] = HUGE_VAL, sm->rest[j] = 0;
  }
  for (int i = 0; i < n; i++) sm->t[i + size * size] = rows->q[i];
  for (int i = n; i < size; i++) sm->t[i + size * size] = 0;
}

FLG_SMALL unsigned violations(int size, small *sm) {
  for (int i = 0; i < size; i++) sm->value[i] = sm->t[i + size * size];
  for (int j = 0; j < size && sm->resting; j++) {
    for (int i = 0; i < size; i++) sm->value[i] += sm->t[i + j * size] * sm->rest[j];
  }
  unsigned set = 0;
  for (int i = 0; i < size; i++) {
    const unsigned outside = (unsigned)!(sm->value[i] >= sm->low[i] && sm->value[i] <= sm->high[i]);
    set |= outside << i;
  }
  return set;
}

/* rows of the set leave or enter; 0 if a pivot is missing */
FLG_SMALL int exchange_rows(int size, const flg_rows *rows, small *sm, unsigned set, double slack,
                            double tolerance) {
  for (unsigned pass = 0; pass < 2; pass++) { /* those that leave first: no pivot is too small */
    unsigned left = pass == 0 ? set & sm->active : set & ~sm->active;
    if (pass == 0) set &= ~left;
    for (; left != 0; left &= left - 1) {
      const int k = __builtin_ctz(left);
      if (pass == 1 && !(sm->t[k + k * size] > tolerance * rows->reference[k])) return 0;
      exchange(size, sm->t, k);
      const unsigned bit = 1U << k;
      sm->upper = pass == 0 && sm->value[k] > sm->high[k] ? sm->upper | bit : sm->upper & ~bit;
      sm->active ^= bit;
      set_range(rows, sm, k, slack);
    }
  }
  return 1;
}

FLG_SMALL int pivot_until_right(int size, const flg_complementarity *solver, const flg_rows *rows,
                                small *sm, double slack, flg_run *run) {
  int best = MOST + 1, patience = PATIENCE;
  const double tolerance = solver->options.pivot_tolerance;
  for (int k = 0; k < ITERATIONS; k++) {
    run->iterations++;
    unsigned set = violations(size, sm);
    if (set == 0) return 1;
    const int count = __builtin_popcount(set);
    if (count < best) {
      best = count, patience = PATIENCE;
    } else if (patience-- <= 0) {
      set = 1U << (31 - __builtin_clz(set));
    }
    if (!exchange_rows(size, rows, sm, set, slack, tolerance)) return 0;
  }
  return 0;
}

FLG_SMALL int pivot_of_size(int size, const flg_complementarity *solver, const flg_rows *rows,
                            small *sm, double slack, flg_run *run) {
  load(size, rows, sm);
  const unsigned start = sm->active;
  sm->active = 0;
  for (int i = 0; i < rows->n; i++) set_range(rows, sm, i, slack);
  if (!exchange_rows(size, rows, sm, start, slack, solver->options.pivot_tolerance)) return 0;
  return pivot_until_right(size, solver, rows, sm, slack, run);
}

FLG_WIDE_VECTORS
static int pivot_any(const flg_complementarity *solver, const flg_rows *rows, small *sm,
                     double slack, flg_run *run) {
  switch ((rows->n + 3) / 4) {
    case 0:
    case 1:
      return pivot_of_size(4, solver, rows, sm, slack, run);
    case 2:
      return pivot_of_size(8, solver, rows, sm, slack, run);
    case 3:
      return pivot_of_size(12, solver, rows, sm, slack, run);
    default:
      return pivot_of_size(16, solver, rows, sm, slack, run);
  }
}

static double start_slack(const flg_complementarity *solver, const flg_rows *rows) {
  double sigma = 0;
  for (int i = 0; i < rows->n; i++) {
    const double size = fabs(rows->q[i]) * rows->s[i];
    sigma = size > sigma ? size : sigma;
  }
  return SLACK * solver->options.tolerance * sigma;
}

flg_complementarity_outcome flg_small_pivot(flg_complementarity *solver, const flg_rows *rows,
                                            flg_run *run) {
  small sm;
  sm.active = 0, sm.upper = 0, sm.resting = 0;
  for (int i = 0; i < rows->n; i++) {
    sm.active |= (unsigned)(run->position[i] == FLG_ROW_ACTIVE) << i;
    sm.upper |= (unsigned)(run->position[i] == FLG_ROW_UPPER) << i;
  }
  const double slack = start_slack(solver, rows);
  if (!pivot_any(solver, rows, &sm, slack, run)) return FLG_OUTCOME_STALLED;
  for (int i = 0; i < rows->n; i++) {
    const int active = (sm.active >> i & 1U) != 0, up = (sm.upper >> i & 1U) != 0;
    run->z[i] = active ? flg_clip(sm.value[i], rows->lower[i], rows->upper[i]) : sm.rest[i];
    run->position[i] = FLG_ROW_LOWER;
    if (active || up) run->position[i] = active ? FLG_ROW_ACTIVE : FLG_ROW_UPPER;
  }
  run->dependent_rows = 0;
  flg_rows_apply(rows, run->z, run->w);
  run->residual = flg_rows_residual(rows, run->z, run->w);
  return run->residual <= solver->options.tolerance ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}
