/* For problems too large to factorise: rounds of
 *   - projected Gauss-Seidel, accelerated by nonsmooth nonlinear conjugate gradients
 *     (Silcowitz-Hansen, Niebe and Erleben: the change of a sweep is the gradient), which finds out
 *     which rows are active, and
 *   - conjugate gradients on the active rows, with a search along the direction bent at the bounds
 *     (More and Toraldo), which carries what happens at one end of a pile to the other.
 * Bounds of friction follow the normals in the sweeps and stand still in the rest, where the
 * problem is then one of least energy. */
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/wide_vectors.h"

enum { SWEEPS = 10, HALVINGS = 6 };
/* rounds of sweeps over cones in blocks, which are fast, before a leap */
enum { ROUNDS_ALONE = 8 };
enum { BRIEF = 80 };  /* iterations, where other methods follow */
enum { FEWEST = 50 }; /* iterations, whatever the effort */
/* steps of conjugate gradients in a round: few at first, while the active set is not known */
enum { FEW = 25, MANY = 100, ROUNDS_WITH_FEW = 10 };

static const double ENOUGH = 1e-3; /* of the gradient is left: the set matters more */
static const double RIM = 1e-12;   /* of the radius */

/* the bounds, and the disks of cones with the radii in the workspace */
static void project(const flg_complementarity *solver, const flg_rows *rows,
                    const flg_friction *friction, double *z) {
  for (int i = 0; i < rows->n; i++) {
    const int on_disk = friction != NULL && friction->is_cone && solver->owner[i] >= 0;
    if (!on_disk) z[i] = flg_clip(z[i], rows->lower[i], rows->upper[i]);
  }
  for (int k = 0; friction != NULL && friction->is_cone && k < friction->count; k++) {
    const flg_friction_contact *contact = &friction->contacts[k];
    const int t = contact->tangent[0], u = contact->tangent[1];
    const double radius = solver->upper[t], length = u < 0 ? fabs(z[t]) : hypot(z[t], z[u]);
    const double shrink = length > radius ? radius / length : 1;
    z[contact->normal] = z[contact->normal] > 0 ? z[contact->normal] : 0;
    z[t] *= shrink;
    if (u >= 0) z[u] *= shrink;
  }
}

static void bound(flg_complementarity *solver, const flg_friction *friction, const double *z) {
  if (friction != NULL) flg_friction_bound(solver, friction->count, friction->contacts, z, 1);
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

/* Moves z by the momentum and keeps what it was and did; rows between bodies see it in u. */
static void add_momentum(double beta, int n, double *z, const double *change, double *direction) {
  for (int i = 0; i < n; i++) {
    const double momentum = beta <= 1 ? beta * direction[i] : 0;
    z[i] += momentum;
    direction[i] = momentum + change[i];
  }
}

static void go_on_sweeping(const flg_complementarity *solver, const flg_rows *rows, flg_run *run) {
  add_momentum(run->beta, rows->n, run->z, solver->trial, solver->step);
  if (rows->blocks == NULL) {
    flg_sweep_start(rows, run->z, run->w);
  } else {
    add_momentum(run->beta, rows->motions, rows->u, rows->u_before, rows->u_direction);
  }
}

/* One sweep, and what it changed: in solver->trial, and of bodies in u_before. */
static void sweep_once(flg_complementarity *solver, const flg_rows *rows,
                       const flg_friction *friction, flg_run *run) {
  const int motions = rows->blocks == NULL ? 0 : rows->motions;
  const double before = run->change;
  memcpy(solver->trial, run->z, (size_t)rows->n * sizeof(double));
  if (motions > 0) memcpy(rows->u_before, rows->u, (size_t)motions * sizeof(double));
  flg_sweep(solver, rows, friction, run->z, run->w);
  for (int i = 0; i < motions; i++) rows->u_before[i] = rows->u[i] - rows->u_before[i];
  run->change = change_of(rows, run->z, solver->trial);
  run->beta = run->change / before;
  run->iterations++;
}

/* Momentum of bodies, which is kept in u_before until they have moved. */
FLG_WIDE_VECTORS
static void push_bodies(const flg_rows *rows, double beta) {
  for (int i = 0; i < rows->motions; i++) {
    const double momentum = beta * rows->u_direction[i];
    rows->u[i] += momentum;
    rows->u_direction[i] = momentum + rows->u_before[i];
    rows->u_before[i] = rows->u[i];
  }
}

FLG_WIDE_VECTORS
static void note_moves(const flg_rows *rows) {
  for (int i = 0; i < rows->motions; i++) rows->u_before[i] = rows->u[i] - rows->u_before[i];
}

/* The same in one pass over cones in blocks. */
static void sweep_blocks(flg_complementarity *solver, const flg_rows *rows,
                         const flg_friction *friction, flg_run *run) {
  const double before = run->change, beta = run->beta <= 1 ? run->beta : 0;
  push_bodies(rows, beta);
  run->change = flg_sweep_cones(solver, rows, friction, beta, run->z);
  note_moves(rows);
  run->beta = run->change / before;
  run->iterations++;
}

/* Without the momentum of the sweeps before. */
static void forget_momentum(const flg_complementarity *solver, const flg_rows *rows, flg_run *run) {
  const size_t bytes = (size_t)rows->n * sizeof(double);
  run->change = HUGE_VAL, run->beta = 0;
  memset(solver->step, 0, bytes), memset(solver->trial, 0, bytes);
  if (rows->blocks == NULL) return;
  memset(rows->u_direction, 0, (size_t)rows->motions * sizeof(double));
  memset(rows->u_before, 0, (size_t)rows->motions * sizeof(double));
}

/* From run->z, for which w, or u, is known. */
static void sweep_with_momentum(flg_complementarity *solver, const flg_rows *rows,
                                const flg_friction *friction, int fresh, flg_run *run) {
  const int in_blocks = friction != NULL && friction->in_blocks;
  if (fresh) forget_momentum(solver, rows, run);
  for (int k = 0; k < SWEEPS; k++) {
    if (in_blocks) {
      sweep_blocks(solver, rows, friction, run);
    } else {
      if (k > 0 || !fresh) go_on_sweeping(solver, rows, run);
      sweep_once(solver, rows, friction, run);
    }
    if (run->change == 0) return;
  }
}

static double residual_of_rows(flg_complementarity *solver, const flg_rows *rows,
                               const flg_friction *friction, flg_run *run) {
  if (friction != NULL && friction->in_blocks)
    return flg_cones_measure(rows, friction, run->z, run->w, &run->speeds);
  bound(solver, friction, run->z);
  if (friction == NULL || !friction->is_cone) return flg_rows_residual(rows, run->z, run->w);
  if (rows->left > 0) run->speeds = flg_cone_speeds_of(solver, rows, friction, run->z, run->w);
  return flg_cone_residual(solver, rows, friction, run->z, run->w);
}

/* w, or u, the residual and the speeds of run->z; the best is kept. Sweeps add rounding up in u,
 * which counts where masses are far apart: u is computed again here. */
static void measure_rows(flg_complementarity *solver, const flg_rows *rows,
                         const flg_friction *friction, flg_run *run) {
  if (friction != NULL && friction->in_blocks) {
    flg_cones_gather(rows, friction, run->z);
  } else {
    flg_rows_apply(rows, run->z, run->w);
  }
  const double residual = residual_of_rows(solver, rows, friction, run);
  if (residual < run->residual) {
    run->residual = residual;
    memcpy(solver->best_z, run->z, (size_t)rows->n * sizeof(double));
  }
}

/* tangents on the rim of their disk are tight, both, each on its side */
static void mark_cones(const flg_complementarity *solver, const flg_friction *friction,
                       flg_run *run) {
  for (int k = 0; k < friction->count; k++) {
    const int t = friction->contacts[k].tangent[0], u = friction->contacts[k].tangent[1];
    if (u < 0) continue;
    const int slides = hypot(run->z[t], run->z[u]) >= (1 - RIM) * solver->upper[t];
    run->position[t] = run->z[t] < 0 ? FLG_ROW_LOWER : FLG_ROW_UPPER;
    run->position[u] = run->z[u] < 0 ? FLG_ROW_LOWER : FLG_ROW_UPPER;
    if (!slides) run->position[t] = run->position[u] = FLG_ROW_ACTIVE;
  }
}

static void mark_row_positions(const flg_complementarity *solver, const flg_rows *rows,
                               const flg_friction *friction, flg_run *run) {
  for (int i = 0; i < rows->n; i++) {
    run->position[i] = FLG_ROW_ACTIVE;
    if (run->z[i] >= rows->upper[i]) run->position[i] = FLG_ROW_UPPER;
    if (run->z[i] <= rows->lower[i]) run->position[i] = FLG_ROW_LOWER;
  }
  if (friction != NULL && friction->is_cone) mark_cones(solver, friction, run);
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

static int most_iterations(const flg_complementarity *solver, const flg_rows *rows) {
  const int all = solver->options.iterations, effort = solver->options.effort;
  const int most = rows->is_brief && all > BRIEF ? BRIEF : all;
  if (effort == 0 || rows->n == 0) return most;
  const int bearable = effort / rows->n > FEWEST ? effort / rows->n : FEWEST;
  return most < bearable ? most : bearable;
}

/* Where the active rows would be without bounds, as z + step, by conjugate gradients on w. */
static void aim(const flg_complementarity *solver, const flg_rows *rows, int steps, flg_run *run) {
  double *step = solver->step, *p = solver->last, *force = solver->normals, *g = solver->work;
  double *w = solver->trial;
  const int n = rows->n;
  memset(step, 0, (size_t)n * sizeof *step);
  memcpy(w, run->w, (size_t)n * sizeof *w);
  double rest = gradient(rows, run->position, w, p);
  const double enough = ENOUGH * ENOUGH * rest;
  const int left = most_iterations(solver, rows) - run->iterations;
  const int most = left < steps ? left : steps;
  for (int k = 0; k < most && rest > enough; k++, run->iterations++) {
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
static double iterate_energy(const flg_rows *rows, const double *z, const double *w) {
  double sum = 0;
  for (int i = 0; i < rows->n; i++) sum += 0.5 * z[i] * (w[i] + rows->q[i]);
  return sum;
}

/* z + step, bent at the bounds, shortened until it lowers the energy; bounds of friction stay */
static void go(const flg_complementarity *solver, const flg_rows *rows,
               const flg_friction *friction, flg_run *run) {
  double *trial = solver->trial, *w = solver->normals;
  const double before = iterate_energy(rows, run->z, run->w);
  for (int k = 0; k < HALVINGS; k++) {
    const double length = ldexp(1, -k);
    for (int i = 0; i < rows->n; i++) trial[i] = run->z[i] + length * solver->step[i];
    project(solver, rows, friction, trial);
    flg_rows_apply(rows, trial, w);
    if (!(iterate_energy(rows, trial, w) < before)) continue;
    memcpy(run->z, trial, (size_t)rows->n * sizeof *trial);
    memcpy(run->w, w, (size_t)rows->n * sizeof *w);
    return;
  }
}

/* conjugate gradients from where the sweeps are */
static void leap(flg_complementarity *solver, const flg_rows *rows, const flg_friction *friction,
                 int round, flg_run *run) {
  bound(solver, friction, run->z);
  mark_row_positions(solver, rows, friction, run);
  aim(solver, rows, round < ROUNDS_WITH_FEW ? FEW : MANY, run);
  go(solver, rows, friction, run);
}

/* the residual that will do: by sigma, or by what moves */
static double enough(const flg_complementarity *solver, const flg_rows *rows, const flg_run *run) {
  const double share = fmin(1, rows->moving / flg_rows_magnitude(rows, run->z));
  return fmax(solver->options.tolerance, solver->options.enough * share);
}

/* By its largest row in roots of energies, or by the fastest row in its own unit. */
static int is_near_enough(const flg_complementarity *solver, const flg_rows *rows,
                          const flg_friction *friction, const flg_run *run) {
  if (run->residual <= solver->options.tolerance) return 1;
  if (!(rows->left > 0) || friction == NULL || !friction->is_cone)
    return run->residual <= enough(solver, rows, run);
  return run->speeds.beyond <= rows->left;
}

/* Rounds from where run->z is, until one is near enough. */
static void approach_by_rounds(flg_complementarity *solver, const flg_rows *rows,
                               const flg_friction *friction, flg_run *run) {
  const int most = most_iterations(solver, rows);
  const int rounds = friction != NULL && friction->in_blocks ? ROUNDS_ALONE : 1;
  int done = run->residual <= solver->options.tolerance;
  for (int round = 0; !done && run->iterations < most; round++) {
    sweep_with_momentum(solver, rows, friction, round % rounds == 0, run);
    measure_rows(solver, rows, friction, run);
    done = is_near_enough(solver, rows, friction, run);
    if (done || run->iterations >= most || (round + 1) % rounds != 0) continue;
    leap(solver, rows, friction, round, run);
    measure_rows(solver, rows, friction, run);
    done = is_near_enough(solver, rows, friction, run);
  }
}

flg_complementarity_outcome flg_iterate(flg_complementarity *solver, const flg_rows *rows,
                                        flg_friction *friction, flg_run *run) {
  const size_t bytes = (size_t)rows->n * sizeof(double);
  bound(solver, friction, run->z);
  project(solver, rows, friction, run->z);
  memcpy(solver->best_z, run->z, bytes);
  run->residual = HUGE_VAL;
  flg_sweep_prepare(solver, rows, friction);
  measure_rows(solver, rows, friction, run);
  approach_by_rounds(solver, rows, friction, run);
  memcpy(run->z, solver->best_z, bytes);
  bound(solver, friction, run->z);
  flg_rows_apply(rows, run->z, run->w);
  mark_row_positions(solver, rows, friction, run);
  return run->residual <= solver->options.tolerance ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}
