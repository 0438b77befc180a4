/* Projected Gauss-Seidel, accelerated by nonsmooth nonlinear conjugate gradients (Silcowitz-Hansen,
 * Niebe and Erleben): the change of a sweep is the gradient. For problems too large to factorise.
 * With A = V^T V a sweep works on u = V z, kept in the workspace's matrix area. */
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/dense.h"

enum { SWEEPS_BETWEEN_CHECKS = 10 };

static double relaxed(const flg_rows *rows, int i, double z, double w) {
  const double a = rows->reference[i];
  if (a > 0) return flg_clip(z - w / a, rows->lower[i], rows->upper[i]);
  if (w == 0) return z;
  const double bound = w > 0 ? rows->lower[i] : rows->upper[i];
  return fabs(bound) < HUGE_VAL ? bound : z;
}

/* one sweep; w = A z + q before and after, by columns of a dense A */
static void sweep_dense(const flg_rows *rows, double *z, double *w) {
  for (int i = 0; i < rows->n; i++) {
    const double change = relaxed(rows, i, z[i], w[i]) - z[i];
    if (change == 0) continue;
    z[i] += change;
    flg_dense_apply(rows->n, 1, 1, rows->a + (size_t)i * (size_t)rows->lda, rows->lda, &change, w);
  }
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* the same on u = V z (v_rows) */
static void sweep_factor(const flg_rows *rows, double *z, double *u) {
  memset(u, 0, (size_t)rows->v_rows * sizeof *u);
  flg_dense_apply(rows->v_rows, rows->n, 1, rows->v, rows->ldv, z, u);
  for (int i = 0; i < rows->n; i++) {
    const double *column = rows->v + (size_t)i * (size_t)rows->ldv;
    const double w = dot(rows->v_rows, column, u) + rows->q[i];
    const double change = relaxed(rows, i, z[i], w) - z[i];
    if (change == 0) continue;
    z[i] += change;
    for (int k = 0; k < rows->v_rows; k++) u[k] += change * column[k];
  }
}

static void sweep(flg_complementarity *solver, const flg_rows *rows, flg_run *run) {
  if (rows->a != NULL) {
    flg_rows_apply(rows, run->z, run->w);
    sweep_dense(rows, run->z, run->w);
  } else if (rows->v_rows <= solver->capacity) {
    sweep_factor(rows, run->z, solver->product);
  } else { /* no space for u: Jacobi with the step that always descends */
    flg_rows_apply(rows, run->z, run->w);
    for (int i = 0; i < rows->n; i++) {
      run->z[i] = relaxed(rows, i, run->z[i], run->w[i] / rows->n);
    }
  }
}

/* |change of the sweep|^2 in scaled variables; last becomes the change */
static double change_of(const flg_rows *rows, const double *z, double *last) {
  double sum = 0;
  for (int i = 0; i < rows->n; i++) {
    last[i] = z[i] - last[i];
    sum += last[i] * last[i] / (rows->s[i] * rows->s[i]);
  }
  return sum;
}

static int is_done(const flg_complementarity *solver, const flg_rows *rows, flg_run *run) {
  flg_rows_apply(rows, run->z, run->w);
  const double residual = flg_rows_residual(rows, run->z, run->w);
  if (residual < run->residual) {
    run->residual = residual;
    memcpy(solver->best_z, run->z, (size_t)rows->n * sizeof(double));
  }
  return residual <= solver->options.tolerance;
}

static void mark_positions(const flg_rows *rows, flg_run *run) {
  for (int i = 0; i < rows->n; i++) {
    run->position[i] = FLG_ROW_ACTIVE;
    if (run->z[i] >= rows->upper[i]) run->position[i] = FLG_ROW_UPPER;
    if (run->z[i] <= rows->lower[i]) run->position[i] = FLG_ROW_LOWER;
  }
}

flg_complementarity_outcome flg_iterate(flg_complementarity *solver, const flg_rows *rows,
                                        flg_run *run) {
  double *direction = solver->step, *change = solver->trial, before = HUGE_VAL;
  const int n = rows->n;
  for (int i = 0; i < n; i++) {
    run->z[i] = flg_clip(run->z[i], rows->lower[i], rows->upper[i]), direction[i] = 0;
    solver->best_z[i] = run->z[i];
  }
  run->residual = HUGE_VAL;
  int done = 0;
  for (int k = 1; k <= solver->options.iterations && !done; k++) {
    memcpy(change, run->z, (size_t)n * sizeof *change);
    sweep(solver, rows, run);
    run->iterations++;
    if (k % SWEEPS_BETWEEN_CHECKS == 1) done = is_done(solver, rows, run);
    const double now = change_of(rows, run->z, change), beta = now / before;
    for (int i = 0; i < n && !done; i++) {
      const double momentum = beta <= 1 ? beta * direction[i] : 0;
      run->z[i] += momentum;
      direction[i] = momentum + change[i];
    }
    before = now;
    if (now == 0) break;
  }
  if (!done) is_done(solver, rows, run);
  memcpy(run->z, solver->best_z, (size_t)n * sizeof *run->z);
  flg_rows_apply(rows, run->z, run->w);
  mark_positions(rows, run);
  return run->residual <= solver->options.tolerance ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}
