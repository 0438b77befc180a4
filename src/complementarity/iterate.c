/* For problems too large to factorise: rounds of
 *   - projected Gauss-Seidel, accelerated by nonsmooth nonlinear conjugate gradients
 *     (Silcowitz-Hansen, Niebe and Erleben: the change of a sweep is the gradient), which finds out
 *     who is active, and
 *   - conjugate gradients on the active rows, with a search along the direction bent at the bounds
 *     (More and Toraldo), which carries what happens at one end of a pile to the other.
 * With A = V^T V all products go over u = V z. */
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/dense.h"

enum { SWEEPS = 10, GRADIENT_STEPS = 100, HALVINGS = 6 };

static const double ENOUGH = 1e-3; /* of the gradient is left: the set matters more */

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

/* the same on u = V z (v_rows) */
static void sweep_factor(const flg_rows *rows, double *z) {
  double *u = rows->u;
  memset(u, 0, (size_t)rows->v_rows * sizeof *u);
  flg_dense_apply(rows->v_rows, rows->n, 1, rows->v, rows->ldv, z, u);
  for (int i = 0; i < rows->n; i++) {
    const double *column = rows->v + (size_t)i * (size_t)rows->ldv;
    double w = rows->q[i];
    flg_dense_apply_transposed(rows->v_rows, 1, 1, column, rows->ldv, u, &w);
    const double change = relaxed(rows, i, z[i], w) - z[i];
    if (change == 0) continue;
    z[i] += change;
    flg_dense_apply(rows->v_rows, 1, 1, column, rows->ldv, &change, u);
  }
}

static void sweep(const flg_rows *rows, flg_run *run) {
  if (rows->a == NULL && rows->u != NULL) {
    sweep_factor(rows, run->z);
    return;
  }
  flg_rows_apply(rows, run->z, run->w);
  if (rows->a != NULL) {
    sweep_dense(rows, run->z, run->w);
    return;
  }
  for (int i = 0; i < rows->n;
       i++) { /* no space for u: Jacobi with the step that always descends */
    run->z[i] = relaxed(rows, i, run->z[i], run->w[i] / rows->n);
  }
}

/* |change of the sweep|^2 in scaled variables; last becomes the change */
static double change_of(const flg_rows *rows, const double *z, double *last) {
  double sum = 0;
  for (int i = 0; i < rows->n; i++) {
    last[i] = z[i] - last[i];
    sum += last[i] * last[i] * rows->root[i] * rows->root[i];
  }
  return sum;
}

static void sweep_with_momentum(const flg_complementarity *solver, const flg_rows *rows,
                                flg_run *run) {
  double *direction = solver->step, *change = solver->trial, before = HUGE_VAL;
  memset(direction, 0, (size_t)rows->n * sizeof *direction);
  for (int k = 0; k < SWEEPS; k++) {
    memcpy(change, run->z, (size_t)rows->n * sizeof *change);
    sweep(rows, run);
    run->iterations++;
    const double now = change_of(rows, run->z, change), beta = now / before;
    for (int i = 0; i < rows->n && k + 1 < SWEEPS; i++) {
      const double momentum = beta <= 1 ? beta * direction[i] : 0;
      run->z[i] += momentum;
      direction[i] = momentum + change[i];
    }
    before = now;
    if (now == 0) return;
  }
}

/* w and the residual of run->z; the best is kept */
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

/* gradient, scaled, of the active rows: g = -w s^2; returns g'g in scaled variables */
static double gradient(const flg_rows *rows, const unsigned char *position, const double *w,
                       double *g) {
  double sum = 0;
  for (int i = 0; i < rows->n; i++) {
    const double y = position[i] == FLG_ROW_ACTIVE ? w[i] * rows->s[i] : 0;
    g[i] = -y * rows->s[i];
    sum += y * y;
  }
  return sum;
}

/* Where the active rows would be without bounds, as z + step, by conjugate gradients on w. */
static void aim(const flg_complementarity *solver, const flg_rows *rows, flg_run *run) {
  double *step = solver->step, *p = solver->last, *force = solver->normals, *g = solver->work;
  double *w = solver->trial;
  const int n = rows->n;
  memset(step, 0, (size_t)n * sizeof *step);
  memcpy(w, run->w, (size_t)n * sizeof *w);
  double rest = gradient(rows, run->position, w, p);
  const double enough = ENOUGH * ENOUGH * rest;
  for (int k = 0; k < GRADIENT_STEPS && rest > enough; k++, run->iterations++) {
    double resistance = 0, push = 0;
    flg_rows_apply(rows, p, force);
    for (int i = 0; i < n; i++) force[i] -= rows->q[i];
    for (int i = 0; i < n; i++) resistance += p[i] * force[i], push -= p[i] * w[i];
    if (!(resistance > 0)) return;
    const double length = push / resistance;
    for (int i = 0; i < n; i++) step[i] += length * p[i], w[i] += length * force[i];
    const double before = rest;
    rest = gradient(rows, run->position, w, g);
    for (int i = 0; i < n; i++) p[i] = g[i] + rest / before * p[i];
  }
}

/* 1/2 z'Az + q'z */
static double energy(const flg_rows *rows, const double *z, const double *w) {
  double sum = 0;
  for (int i = 0; i < rows->n; i++) sum += 0.5 * z[i] * (w[i] + rows->q[i]);
  return sum;
}

/* z + step, bent at the bounds, shortened until it lowers the energy */
static void go(const flg_complementarity *solver, const flg_rows *rows, flg_run *run) {
  double *trial = solver->trial, *w = solver->normals;
  const double before = energy(rows, run->z, run->w);
  for (int k = 0; k < HALVINGS; k++) {
    const double length = ldexp(1, -k);
    for (int i = 0; i < rows->n; i++) {
      trial[i] = flg_clip(run->z[i] + length * solver->step[i], rows->lower[i], rows->upper[i]);
    }
    flg_rows_apply(rows, trial, w);
    if (!(energy(rows, trial, w) < before)) continue;
    memcpy(run->z, trial, (size_t)rows->n * sizeof *trial);
    memcpy(run->w, w, (size_t)rows->n * sizeof *w);
    return;
  }
}

flg_complementarity_outcome flg_iterate(flg_complementarity *solver, const flg_rows *rows,
                                        flg_run *run) {
  const size_t bytes = (size_t)rows->n * sizeof(double);
  for (int i = 0; i < rows->n; i++) {
    run->z[i] = flg_clip(run->z[i], rows->lower[i], rows->upper[i]);
  }
  memcpy(solver->best_z, run->z, bytes);
  run->residual = HUGE_VAL;
  while (run->iterations < solver->options.iterations) {
    sweep_with_momentum(solver, rows, run);
    if (is_done(solver, rows, run)) break;
    mark_positions(rows, run);
    aim(solver, rows, run);
    go(solver, rows, run);
    if (is_done(solver, rows, run)) break;
  }
  memcpy(run->z, solver->best_z, bytes);
  flg_rows_apply(rows, run->z, run->w);
  mark_positions(rows, run);
  return run->residual <= solver->options.tolerance ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}
