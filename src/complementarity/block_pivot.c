/* Block principal pivoting (Kostreva; Judice and Pires): all rows that violate their side change it
 * at once; when that stops to help, only the one of the last index does (Murty). */
#include <math.h>
#include <string.h>

#include "complementarity/active_factor.h"
#include "math/dense.h"

enum { PATIENCE = 4 }; /* block steps that may fail to reduce the violations */

static const double SLACK = 0.01; /* violations are counted over this part of the tolerance */

/* z of the rows that are tight; returns whether any of them is not zero */
/* linear problems rest at zero: no product is needed for what does not push */
static int rest(const flg_rows *rows, const unsigned char *inside, flg_run *run) {
  int resting = 0;
  if (rows->is_linear) {
    memset(run->z, 0, (size_t)rows->n * sizeof *run->z);
    return 0;
  }
  for (int i = 0; i < rows->n; i++) {
    run->z[i] = inside[i] ? 0 : flg_rows_rest(rows, i, run->position[i]);
    resting |= run->z[i] != 0;
  }
  return resting;
}

/* w = A z + q, where only rows inside have a z */
static void apply_inside(flg_complementarity *solver, const flg_rows *rows,
                         const unsigned char *inside, flg_run *run) {
  int *given = solver->pivots, count = 0;
  for (int i = 0; i < rows->n; i++) {
    given[count] = i;
    count += inside[i];
  }
  memcpy(run->w, rows->q, (size_t)rows->n * sizeof *run->w);
  flg_dense_apply_some(rows->n, count, given, rows->a, rows->lda, run->z, run->w);
}

/* z on the active rows, w everywhere */
static void solve_active(flg_complementarity *solver, const flg_active_factor *factor,
                         const unsigned char *inside, flg_run *run) {
  const flg_rows *rows = factor->rows;
  double *x = solver->work;
  const double *force = rows->q;
  const int resting = rest(rows, inside, run);
  if (resting) flg_rows_apply(rows, run->z, run->w), force = run->w;
  for (int k = 0; k < factor->count; k++) x[k] = -force[factor->order[k]];
  flg_active_factor_solve(factor, x);
  for (int k = 0; k < factor->count; k++) run->z[factor->order[k]] = x[k];
  if (resting) {
    flg_rows_apply(rows, run->z, run->w);
  } else {
    apply_inside(solver, rows, inside, run);
  }
}

/* where row i should be; dependent rows (active, not inside) are judged like tight ones */
/* With a slack below the tolerance: rows that are right but for rounding must not change sides for
 * ever. */
static unsigned char better_position(const flg_rows *rows, const flg_run *run, int inside, int i,
                                     double slack) {
  const double z = run->z[i], w = run->w[i], s = rows->s[i];
  const double low = rows->lower[i], high = rows->upper[i];
  if (inside) {
    if (z < low - slack * s) return FLG_ROW_LOWER;
    return z > high + slack * s ? FLG_ROW_UPPER : FLG_ROW_ACTIVE;
  }
  if (low == high) return FLG_ROW_LOWER;
  const double y = w * s;
  const int pushed_up = y < -slack && z<high, pushed_down = y> slack && z > low;
  return pushed_up || pushed_down ? FLG_ROW_ACTIVE : run->position[i];
}

typedef struct violations {
  int count, last, stuck; /* stuck: dependent rows that would have to move */
} violations;

/* The same as count_violations, of a linear problem without dependent rows: there each row is
 * active or at zero. Which of them are wrong cannot be foreseen: there is no branch. */
static violations look_linear(const flg_rows *rows, const flg_run *run, const unsigned char *inside,
                              double slack, unsigned char *wish) {
  enum { OTHER_SIDE = FLG_ROW_ACTIVE ^ FLG_ROW_LOWER };
  violations found = {0, -1, 0};
  for (int i = 0; i < rows->n; i++) {
    const int pulls = run->z[i] < -(slack * rows->s[i]), sinks = run->w[i] * rows->s[i] < -slack;
    const int wrong = (pulls & inside[i]) | (sinks & ~inside[i] & 1);
    wish[i] = (unsigned char)(run->position[i] ^ (OTHER_SIDE & -wrong));
    found.count += wrong;
    found.last = wrong ? i : found.last;
  }
  return found;
}

static violations count_violations(const flg_complementarity *solver, const flg_rows *rows,
                                   const flg_run *run, const unsigned char *inside,
                                   unsigned char *wish) {
  const double slack = SLACK * solver->options.tolerance * flg_rows_magnitude(rows, run->z);
  if (rows->is_linear && run->dependent_rows == 0) {
    return look_linear(rows, run, inside, slack, wish);
  }
  violations found = {0, -1, 0};
  for (int i = 0; i < rows->n; i++) {
    wish[i] = better_position(rows, run, inside[i], i, slack);
    const int left_out = run->position[i] == FLG_ROW_ACTIVE && !inside[i];
    if (left_out && fabs(run->w[i]) * rows->s[i] > slack && wish[i] == FLG_ROW_ACTIVE) {
      found.stuck++;
    } else if (wish[i] != run->position[i]) {
      found.count++, found.last = i;
    }
  }
  return found;
}

static void clip_all(const flg_rows *rows, double *z) {
  for (int i = 0; i < rows->n; i++) z[i] = flg_clip(z[i], rows->lower[i], rows->upper[i]);
}

/* one refinement step, kept if it helps */
static void refine(flg_complementarity *solver, const flg_active_factor *factor, flg_run *run) {
  const flg_rows *rows = factor->rows;
  double *x = solver->work;
  for (int k = 0; k < factor->count; k++) x[k] = -run->w[factor->order[k]];
  flg_active_factor_solve(factor, x);
  memcpy(solver->trial, run->z, (size_t)rows->n * sizeof(double));
  for (int k = 0; k < factor->count; k++) solver->trial[factor->order[k]] += x[k];
  clip_all(rows, solver->trial);
  flg_rows_apply(rows, solver->trial, solver->product);
  const double residual = flg_rows_residual(rows, solver->trial, solver->product);
  if (!(residual < run->residual)) return;
  memcpy(run->z, solver->trial, (size_t)rows->n * sizeof(double));
  memcpy(run->w, solver->product, (size_t)rows->n * sizeof(double));
  run->residual = residual;
}

static flg_complementarity_outcome finish_pivoting(flg_complementarity *solver,
                                                   const flg_active_factor *factor, flg_run *run) {
  const flg_rows *rows = factor->rows;
  int outside = 0;
  for (int i = 0; i < rows->n; i++) {
    outside |= run->z[i] < rows->lower[i] || run->z[i] > rows->upper[i];
  }
  if (outside) clip_all(rows, run->z), flg_rows_apply(rows, run->z, run->w);
  run->residual = flg_rows_residual(rows, run->z, run->w);
  run->indefinite |= factor->indefinite;
  if (run->residual > SLACK * solver->options.tolerance) refine(solver, factor, run);
  return run->residual <= solver->options.tolerance ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}

/* the violating rows change side, all or only the last one */
static void change_sides(const flg_rows *rows, const unsigned char *wish, int only,
                         unsigned char *position) {
  for (int i = 0; i < rows->n; i++) {
    if (only < 0 || only == i) position[i] = wish[i];
  }
}

flg_complementarity_outcome flg_block_pivot(flg_complementarity *solver, const flg_rows *rows,
                                            int single, flg_run *run, int *singles) {
  flg_active_factor factor = flg_active_factor_on(solver, rows);
  unsigned char *inside = solver->mark, *wish = solver->mark + solver->capacity;
  const int blocks = 20, limit = run->iterations + blocks + 2 * rows->n;
  int best = rows->n + 1, patience = PATIENCE, stuck = 0;
  *singles = single;
  while (run->iterations++ < limit) {
    run->dependent_rows = flg_active_factor_update(&factor, run->position, inside);
    solve_active(solver, &factor, inside, run);
    const violations found = count_violations(solver, rows, run, inside, wish);
    if (found.count == 0) {
      const flg_complementarity_outcome outcome = finish_pivoting(solver, &factor, run);
      return found.stuck > 0 ? FLG_OUTCOME_STALLED : outcome;
    }
    if (found.stuck > 0 && stuck++ > 0) break; /* dependent rows need null directions */
    if (found.count < best) best = found.count, patience = PATIENCE;
    const int by_one = single || patience-- <= 0;
    *singles |= by_one;
    change_sides(rows, wish, by_one ? found.last : -1, run->position);
  }
  run->indefinite |= factor.indefinite;
  return FLG_OUTCOME_STALLED;
}
