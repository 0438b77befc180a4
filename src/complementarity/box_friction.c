/* Box friction: mixed problems whose tangent bounds come from the last normals, until they agree.
 * Each of them tells which rows stick and which slide; on those sets the coupled problem is linear,
 * and its solution is taken as soon as it is right. Where that does not settle, the coupled problem
 * is solved as one by Lemke's method, or in the ways of cones. */
#include <math.h>
#include <string.h>

#include "complementarity/cone.h"

/* Eight fixed-point steps as they come, then damped by half: undamped ones converge fastest where
 * they do, and jump between two states where they do not. */
enum { SWEEPS = 20, UNDAMPED = 8, SET_STEPS = 20 };

typedef struct box_problem {
  flg_complementarity *solver;
  flg_rows rows;
  int contact_count;
  const flg_friction_contact *contacts;
} box_problem;

/* residual of z with the bounds that belong to it; w = A z + q */
static double coupled_residual(const box_problem *box, const double *z, double *w) {
  flg_friction_bound(box->solver, box->contact_count, box->contacts, z, 1);
  flg_rows_apply(&box->rows, z, w);
  return flg_rows_residual(&box->rows, z, w);
}

static int is_box_tangent(const box_problem *box, int i) {
  const int owner = box->solver->owner[i];
  return owner >= 0 && box->contacts[owner].normal != i;
}

/* z_i = slope z_normal of a sliding row whose normal is active */
static double slope_of(const box_problem *box, const unsigned char *position, int i, int *normal) {
  const flg_friction_contact *contact = &box->contacts[box->solver->owner[i]];
  *normal = contact->normal;
  if (position[*normal] != FLG_ROW_ACTIVE) return 0;
  return position[i] == FLG_ROW_UPPER ? contact->coefficient : -contact->coefficient;
}

/* z that fulfils the equations of the given positions */
/* Sticking rows are unknowns; a sliding one is a multiple of its normal, so its column is added to
 * that of the normal. What is left is one linear system, unsymmetric because of friction. */
static void solve_sets(const box_problem *box, const unsigned char *position, double *z) {
  flg_complementarity *solver = box->solver;
  const flg_rows *rows = &box->rows;
  const int n = rows->n;
  int *set = solver->order, count = 0;
  double *x = solver->work, *m = solver->newton, *fixed = solver->product;
  for (int i = 0; i < n; i++) {
    z[i] = 0;
    if (position[i] == FLG_ROW_ACTIVE) {
      solver->pivots[i] = count, set[count++] = i;
    } else if (!is_box_tangent(box, i)) {
      z[i] = flg_rows_rest(rows, i, position[i]);
    }
  }
  flg_rows_apply(rows, z, fixed);
  for (int a = 0; a < count; a++) {
    const double *column = rows->a + (size_t)set[a] * (size_t)rows->lda;
    for (int b = 0; b < count; b++) m[b + (size_t)a * (size_t)count] = column[set[b]];
    x[a] = -fixed[set[a]];
  }
  for (int i = 0; i < n; i++) {
    int normal;
    if (!is_box_tangent(box, i) || position[i] == FLG_ROW_ACTIVE) continue;
    const double slope = slope_of(box, position, i, &normal);
    const double *column = rows->a + (size_t)i * (size_t)rows->lda;
    double *target = m + solver->pivots[normal];
    for (int a = 0; a < count && slope != 0; a++) {
      target[(size_t)a * (size_t)count] += slope * column[set[a]];
    }
  }
  flg_lu_solve(count, m, x);
  for (int k = 0; k < count; k++) z[set[k]] = x[k];
  for (int i = 0; i < n; i++) {
    int normal;
    if (!is_box_tangent(box, i) || position[i] == FLG_ROW_ACTIVE) continue;
    z[i] = slope_of(box, position, i, &normal) * z[normal];
  }
}

/* side that row i belongs on, by z - w in scaled variables */
/* The sign of z - w on the bounds, as of a projection: one expression for open, sticking and
 * sliding. */
static unsigned char side_of_box(const flg_rows *rows, const double *z, const double *w, int i) {
  const double s = rows->s[i], y = z[i] / s - w[i] * s;
  const double low = rows->lower[i] / s, high = rows->upper[i] / s;
  if (y < low || (low == high && y <= low)) return FLG_ROW_LOWER;
  return y > high || low == high ? FLG_ROW_UPPER : FLG_ROW_ACTIVE;
}

/* The best so far is kept apart: later attempts may end farther from a solution. */
static void keep_if_better(const box_problem *box, double residual, const double *z,
                           const double *w, const unsigned char *position, flg_run *run) {
  if (!(residual < run->residual)) return;
  const size_t n = (size_t)box->rows.n;
  run->residual = residual;
  memcpy(box->solver->best_z, z, n * sizeof *z);
  memcpy(box->solver->best_w, w, n * sizeof *w);
  memcpy(box->solver->best_position, position, n);
}

static void keep_all_sides(const box_problem *box, const flg_run *run) {
  const size_t n = (size_t)box->rows.n;
  memcpy(box->solver->best_z, run->z, n * sizeof *run->z);
  memcpy(box->solver->best_w, run->w, n * sizeof *run->w);
  memcpy(box->solver->best_position, run->position, n);
}

/* normals first, then the tangents within the bounds that these normals give */
static void clip_coupled(const box_problem *box, double *z) {
  for (int i = 0; i < box->rows.n; i++) {
    if (!is_box_tangent(box, i)) z[i] = flg_clip(z[i], box->rows.lower[i], box->rows.upper[i]);
  }
  flg_friction_bound(box->solver, box->contact_count, box->contacts, z, 1);
  for (int i = 0; i < box->rows.n; i++) {
    z[i] = flg_clip(z[i], box->rows.lower[i], box->rows.upper[i]);
  }
}

/* Newton on the sets: at most `steps` times solved and corrected. */
static int try_sets(box_problem *box, int steps, flg_run *run) {
  flg_complementarity *solver = box->solver;
  unsigned char *position = solver->side;
  double *z = solver->trial, *w = solver->last;
  memcpy(position, run->position, (size_t)box->rows.n);
  for (int k = 0; k < steps; k++) {
    solve_sets(box, position, z);
    clip_coupled(box, z);
    const double residual = coupled_residual(box, z, w);
    keep_if_better(box, residual, z, w, position, run);
    if (run->residual <= solver->options.tolerance) return 1;
    solve_sets(box, position, z);
    flg_friction_bound(solver, box->contact_count, box->contacts, z, 1);
    flg_rows_apply(&box->rows, z, w);
    for (int i = 0; i < box->rows.n; i++) position[i] = side_of_box(&box->rows, z, w, i);
    run->iterations++;
  }
  return 0;
}

/* Normals of the next mixed problem; damped once they do not settle by themselves. */
static void move_normals(const box_problem *box, int k, const double *z, double *normals) {
  const double weight = k < UNDAMPED ? 1 : 0.5;
  for (int c = 0; c < box->contact_count; c++) {
    const int row = box->contacts[c].normal;
    normals[row] += weight * (z[row] - normals[row]);
  }
}

static flg_complementarity_outcome iterate_normals(box_problem *box, flg_run *run,
                                                   flg_complementarity_method *method) {
  flg_complementarity *solver = box->solver;
  const double tolerance = solver->options.tolerance;
  double *normals = solver->normals;
  for (int k = 0; k < SWEEPS; k++) {
    flg_run inner = *run;
    flg_complementarity_method used;
    const flg_complementarity_outcome outcome = flg_solve_rows(solver, &box->rows, &inner, &used);
    run->iterations = inner.iterations, run->indefinite = inner.indefinite;
    run->dependent_rows = inner.dependent_rows;
    if (outcome == FLG_OUTCOME_UNSOLVABLE || outcome == FLG_OUTCOME_INDEFINITE) return outcome;
    *method = FLG_METHOD_FIXED_POINT;
    const double residual = coupled_residual(box, run->z, run->w);
    keep_if_better(box, residual, run->z, run->w, run->position, run);
    if (run->residual <= tolerance) return FLG_OUTCOME_SOLVED;
    *method = FLG_METHOD_NEWTON;
    /* After the first fixed-point step two Newton steps on its sets often end the search. */
    if (k > 0 && try_sets(box, k % 10 == 9 ? SET_STEPS : 2, run)) return FLG_OUTCOME_SOLVED;
    move_normals(box, k, run->z, normals);
    flg_friction_bound(solver, box->contact_count, box->contacts, normals, 1);
    run->keep = 1;
  }
  return FLG_OUTCOME_STALLED;
}

/* takes z, moved inside its bounds, for a candidate */
static int is_solved_by(box_problem *box, flg_run *run) {
  clip_coupled(box, run->z);
  const double residual = coupled_residual(box, run->z, run->w);
  for (int i = 0; i < box->rows.n; i++) {
    run->position[i] = side_of_box(&box->rows, run->z, run->w, i);
  }
  keep_if_better(box, residual, run->z, run->w, run->position, run);
  return run->residual <= box->solver->options.tolerance || try_sets(box, 3, run);
}

/* The coupled problem as one, by Lemke's method. */
static int try_lemke(box_problem *box, flg_run *run) {
  flg_complementarity *solver = box->solver;
  const flg_coupling coupling = {solver->normal, solver->normals};
  flg_friction_couple(solver, box->rows.n, box->contact_count, box->contacts, 1);
  return flg_lemke(solver, &box->rows, &coupling, 0, run) == FLG_OUTCOME_SOLVED &&
         is_solved_by(box, run);
}

static void own_contacts(box_problem *box) {
  for (int k = 0; k < box->contact_count; k++) {
    const flg_friction_contact *contact = &box->contacts[k];
    const int rows[] = {contact->normal, contact->tangent[0], contact->tangent[1]};
    for (int j = 0; j < 3; j++) {
      if (rows[j] >= 0) box->solver->owner[rows[j]] = k;
    }
  }
}

/* A box is a cone of one tangent, twice. */
static flg_cone cones_of(box_problem *box) {
  flg_friction_contact *single = box->solver->single;
  int count = 0;
  for (int k = 0; k < box->contact_count; k++) {
    const flg_friction_contact *contact = &box->contacts[k];
    box->solver->owner[contact->normal] = count;
    for (int j = 0; j < 2; j++) {
      const int row = contact->tangent[j];
      if (row < 0) continue;
      box->solver->owner[row] = count;
      single[count++] = (flg_friction_contact){contact->normal, {row, -1}, contact->coefficient};
    }
  }
  return (flg_cone){.solver = box->solver,
                    .rows = box->rows,
                    .contact_count = count,
                    .contacts = single,
                    .weight = 1};
}

/* Where bodies are wedged, Lemke's path may end in a ray though there is a solution: then the ways
 * to a solution with cones are gone. */
static flg_complementarity_outcome search_sides(box_problem *box, flg_run *run,
                                                flg_complementarity_method *method) {
  double best;
  *method = FLG_METHOD_LEMKE;
  if (try_lemke(box, run)) return FLG_OUTCOME_SOLVED;
  flg_run inner = *run;
  flg_cone cone = cones_of(box);
  if (!flg_cone_approach(&cone, 1, &inner, &best, method)) {
    *method = FLG_METHOD_NEWTON;
    flg_cone_search(&cone, &inner, &best);
  }
  run->iterations = inner.iterations, run->residual = HUGE_VAL;
  memcpy(run->z, box->solver->best_z, (size_t)box->rows.n * sizeof(double));
  own_contacts(box);
  return is_solved_by(box, run) ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}

/* 1 if the caller's states tell of a last time; its normals, or 0 */
static int load_normals(box_problem *box, const unsigned char *states, const double *start) {
  double *normals = box->solver->normals;
  int warm = 0;
  for (int i = 0; i < box->rows.n; i++) {
    const int known = states != NULL && states[i] != FLG_ROW_NEW;
    normals[i] = known && start[i] > 0 && start[i] < HUGE_VAL ? start[i] : 0;
    warm |= known;
  }
  return warm;
}

/* from the sides of the last time, whatever the bounds are now */
/* From one time step to the next few contacts change: the sets of the last one are tried first. */
static int try_last(box_problem *box, const unsigned char *states, flg_run *run) {
  for (int i = 0; i < box->rows.n; i++) {
    const unsigned char last = states[i] & FLG_ROW_POSITION;
    if (is_box_tangent(box, i) && last >= FLG_ROW_ACTIVE && last <= FLG_ROW_UPPER)
      run->position[i] = last;
  }
  return try_sets(box, 3, run);
}

static flg_complementarity_outcome solve_box(box_problem *box, const unsigned char *states,
                                             const double *start, flg_run *run,
                                             flg_complementarity_method *method) {
  flg_complementarity *solver = box->solver;
  if (flg_rows_are_iterated(solver, &box->rows)) {
    flg_friction friction = {.count = box->contact_count, .contacts = box->contacts};
    *method = FLG_METHOD_ITERATIVE;
    flg_run_place(&box->rows, states, start, run->z);
    const flg_complementarity_outcome outcome = flg_iterate(solver, &box->rows, &friction, run);
    keep_all_sides(box, run);
    return outcome;
  }
  const int warm = load_normals(box, states, start);
  flg_friction_bound(solver, box->contact_count, box->contacts, solver->normals, 1);
  flg_run_start(&box->rows, states, run);
  *method = FLG_METHOD_NEWTON;
  if (warm && try_last(box, states, run)) return FLG_OUTCOME_SOLVED;
  flg_friction_bound(solver, box->contact_count, box->contacts, solver->normals, 1);
  flg_run_start(&box->rows, states, run);
  for (int i = 0; i < box->rows.n; i++) {
    run->z[i] = flg_rows_rest(&box->rows, i, run->position[i]);
    if (!(run->residual < HUGE_VAL)) solver->best_z[i] = run->z[i];
  }
  const flg_complementarity_outcome outcome = iterate_normals(box, run, method);
  return outcome == FLG_OUTCOME_STALLED ? search_sides(box, run, method) : outcome;
}

/* all contacts open: impulses of zero solve it */
static flg_complementarity_outcome part_box_problem(box_problem *box, flg_run *run,
                                                    flg_complementarity_method *method) {
  *method = FLG_METHOD_SMALL;
  memset(run->z, 0, (size_t)box->rows.n * sizeof *run->z);
  return is_solved_by(box, run) ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}

flg_status flg_complementarity_box(flg_complementarity *solver,
                                   const flg_complementarity_matrix *matrix, const double *q,
                                   int contact_count, const flg_friction_contact *contacts,
                                   unsigned char *states, double *z, double *w,
                                   flg_complementarity_statistics *statistics) {
  box_problem box = {.solver = solver, .contact_count = contact_count, .contacts = contacts};
  flg_run run = {
      .z = solver->z, .w = solver->w, .position = solver->position, .residual = HUGE_VAL};
  flg_complementarity_method method = FLG_METHOD_AUTOMATIC;
  flg_complementarity_outcome outcome =
      flg_friction_load(solver, matrix, q, contact_count, contacts, &box.rows);
  if (outcome == FLG_OUTCOME_SOLVED) {
    outcome = flg_friction_opens(matrix, &box.rows) ? part_box_problem(&box, &run, &method)
                                                    : solve_box(&box, states, z, &run, &method);
  }
  if (outcome == FLG_OUTCOME_STALLED && run.indefinite) outcome = FLG_OUTCOME_INDEFINITE;
  if (outcome == FLG_OUTCOME_BAD_INPUT || outcome == FLG_OUTCOME_INDEFINITE) {
    flg_run_report(&run, outcome, method, statistics);
    return FLG_ERR_RANGE;
  }
  const size_t n = (size_t)matrix->n;
  if (run.residual < HUGE_VAL) {
    memcpy(run.z, solver->best_z, n * sizeof *z);
    memcpy(run.w, solver->best_w, n * sizeof *w);
    memcpy(run.position, solver->best_position, n);
    flg_friction_bound(solver, contact_count, contacts, run.z, 1);
  }
  run.speeds = flg_rows_speeds(&box.rows, run.z, run.w);
  flg_run_report(&run, outcome, method, statistics);
  memcpy(z, run.z, n * sizeof *z);
  memcpy(w, run.w, n * sizeof *w);
  if (states != NULL) flg_run_classify(solver, &box.rows, &run, states);
  return flg_outcome_status(outcome);
}
