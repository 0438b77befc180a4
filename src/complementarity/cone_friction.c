/* Coulomb's cone by the projections of Alart and Curnier,
 *
 *     z_n = max(0, y_n)     z_t = disk(mu z_n, y_t)     y = z - rho w
 *
 * and z_i = mid(lower, y_i, upper) on other rows: sweeps of projected Gauss-Seidel over contacts
 * come near, Newton steps on all rows at once, shortened until they help, finish. Where they are
 * caught, they start again: from the solution of box friction, or near the best so far. */
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/dense.h"

enum { FIRST_SWEEPS = 10, PLAIN_ROUNDS = 3, NEWTON_STEPS = 25, HALVINGS = 12 };
enum { LOCAL_SWEEPS = 3, EXACT_SWEEPS = 3, ITERATIONS_A_ROUND = 10 };

/* parts of the tolerance: */
static const double ENOUGH = 0.01;  /* Newton steps go so far */
static const double AS_GOOD = 1e-4; /* what the last solution may be taken with as it is */
static const double NEAR = 0.1;     /* residual from which Newton steps find the way */

typedef struct cone_problem {
  flg_complementarity *solver;
  flg_rows rows;
  int contact_count;
  const flg_friction_contact *contacts;
  double weight; /* rho is this much times s^2; 1 but in some Newton rounds */
} cone_problem;

static size_t at(int i, int j, int n) {
  return (size_t)i + (size_t)j * (size_t)n;
}

/* Both tangents of a contact are measured alike, so that no direction is preferred. */
static void share_scales(const cone_problem *cone) {
  for (int k = 0; k < cone->contact_count; k++) {
    const int a = cone->contacts[k].tangent[0], b = cone->contacts[k].tangent[1];
    if (b < 0) continue;
    double *s = cone->solver->s, *root = cone->solver->root;
    s[a] = s[b] = s[a] < s[b] ? s[a] : s[b];
    root[a] = root[b] = root[a] > root[b] ? root[a] : root[b];
  }
}

static double rho(const cone_problem *cone, int i) {
  return cone->weight * cone->rows.s[i] * cone->rows.s[i];
}

/* y_t of a contact and its length */
typedef struct sliding {
  double y[2], length, radius;
  int open;
} sliding;

static sliding sliding_of(const cone_problem *cone, const flg_friction_contact *contact,
                          const double *z, const double *w, double normal) {
  sliding at_contact = {.radius = normal > 0 ? contact->coefficient * normal : 0,
                        .open = !(normal > 0)};
  for (int j = 0; j < 2; j++) {
    const int row = contact->tangent[j];
    if (row >= 0) at_contact.y[j] = z[row] - rho(cone, row) * w[row];
  }
  at_contact.length = hypot(at_contact.y[0], at_contact.y[1]);
  return at_contact;
}

/* change = projection of y, minus z; returns the largest scaled one, by sigma */
static double deviation(const cone_problem *cone, const double *z, const double *w,
                        double *change) {
  const flg_rows *rows = &cone->rows;
  double sigma = flg_rows_magnitude(rows, z), largest = 0;
  if (!(sigma > 0)) sigma = 1;
  for (int i = 0; i < rows->n; i++) {
    change[i] = flg_clip(z[i] - rho(cone, i) * w[i], rows->lower[i], rows->upper[i]) - z[i];
  }
  for (int k = 0; k < cone->contact_count; k++) {
    const flg_friction_contact *contact = &cone->contacts[k];
    const sliding s = sliding_of(cone, contact, z, w, z[contact->normal] + change[contact->normal]);
    const double shrink = s.length > s.radius ? s.radius / s.length : 1;
    for (int j = 0; j < 2; j++) {
      const int row = contact->tangent[j];
      if (row >= 0) change[row] = shrink * s.y[j] - z[row];
    }
  }
  for (int i = 0; i < rows->n; i++) {
    const double size = fabs(change[i]) * rows->root[i] / sigma;
    if (!(size <= largest)) largest = size;
  }
  return largest == largest ? largest : HUGE_VAL;
}

double flg_cone_residual(flg_complementarity *solver, const flg_rows *rows,
                         const flg_friction *friction, const double *z, const double *w) {
  const cone_problem cone = {.solver = solver,
                             .rows = *rows,
                             .contact_count = friction->count,
                             .contacts = friction->contacts,
                             .weight = 1};
  return deviation(&cone, z, w, solver->last);
}

static void move_row(const cone_problem *cone, int i, double value, double *z, double *w) {
  const double change = value - z[i];
  if (change == 0) return;
  z[i] = value;
  flg_dense_apply(cone->rows.n, 1, 1, cone->rows.a + at(0, i, cone->rows.lda), cone->rows.lda,
                  &change, w);
}

/* the contact alone, all others held: normal and disk in turns */
static void relax_contact(const cone_problem *cone, const flg_friction_contact *contact, double *z,
                          double *w) {
  const int n = contact->normal;
  for (int k = 0; k < LOCAL_SWEEPS; k++) {
    const double normal = z[n] - rho(cone, n) * w[n];
    move_row(cone, n, normal > 0 ? normal : 0, z, w);
    const int both = contact->tangent[1] >= 0;
    const double weight = both ? 0.5 : 1; /* no more than 1 / the larger eigenvalue */
    double y[2] = {0, 0};
    for (int j = 0; j <= both; j++) {
      const int row = contact->tangent[j];
      y[j] = z[row] - weight * rho(cone, row) * w[row];
    }
    const double length = hypot(y[0], y[1]), radius = contact->coefficient * z[n];
    const double shrink = length > radius ? radius / length : 1;
    for (int j = 0; j <= both; j++) move_row(cone, contact->tangent[j], shrink * y[j], z, w);
  }
}

/* the same by the exact solution of one contact, where it has two tangents and a solution */
static void solve_contact(const cone_problem *cone, const flg_friction_contact *contact, double *z,
                          double *w) {
  const int row[3] = {contact->normal, contact->tangent[0], contact->tangent[1]};
  double a[9], q[3], local[3];
  if (row[2] < 0) {
    relax_contact(cone, contact, z, w);
    return;
  }
  for (int i = 0; i < 3; i++) q[i] = w[row[i]];
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      a[i + 3 * j] = cone->rows.a[at(row[i], row[j], cone->rows.lda)];
      q[i] -= a[i + 3 * j] * z[row[j]];
    }
  }
  if (!flg_cone_local(a, q, contact->coefficient, local)) {
    relax_contact(cone, contact, z, w);
    return;
  }
  for (int i = 0; i < 3; i++) move_row(cone, row[i], local[i], z, w);
}

static void sweep(const cone_problem *cone, int exact, double *z, double *w) {
  const flg_rows *rows = &cone->rows;
  for (int i = 0; i < rows->n; i++) {
    if (cone->solver->owner[i] >= 0) continue;
    const double value = z[i] - rho(cone, i) * w[i];
    move_row(cone, i, flg_clip(value, rows->lower[i], rows->upper[i]), z, w);
  }
  for (int k = 0; k < cone->contact_count; k++) {
    (exact ? solve_contact : relax_contact)(cone, &cone->contacts[k], z, w);
  }
}

/* row i of the Jacobian of z - projection(y), scaled: unit or A */
static void set_row(const cone_problem *cone, int i, int is_equation, double *m) {
  const int n = cone->rows.n;
  for (int j = 0; j < n; j++) {
    const double a = cone->rows.a[at(i, j, cone->rows.lda)];
    m[at(i, j, n)] = is_equation ? rho(cone, i) * a : i == j;
  }
}

/* Sliding: z_t - r u, u = y_t/|y_t|; du = (I - u u^T) dy / |y_t|, dr = mu dz_n. */
static void set_sliding(const cone_problem *cone, const flg_friction_contact *contact,
                        const sliding *s, double *m) {
  const int n = cone->rows.n, both = contact->tangent[1] >= 0;
  const double u[2] = {s->y[0] / s->length, s->y[1] / s->length}, ratio = s->radius / s->length;
  for (int a = 0; a <= both; a++) {
    const int row = contact->tangent[a];
    for (int j = 0; j < n; j++) m[at(row, j, n)] = j == row;
    m[at(row, contact->normal, n)] -= contact->coefficient * u[a];
    for (int b = 0; b <= both; b++) {
      const int other = contact->tangent[b];
      const double across = ratio * ((a == b) - u[a] * u[b]);
      for (int j = 0; j < n; j++) {
        const double dy =
            (j == other) - rho(cone, other) * cone->rows.a[at(other, j, cone->rows.lda)];
        m[at(row, j, n)] -= across * dy;
      }
    }
  }
}

static void fill_jacobian(const cone_problem *cone, const double *z, const double *w, double *m) {
  const flg_rows *rows = &cone->rows;
  for (int i = 0; i < rows->n; i++) {
    const double y = z[i] - rho(cone, i) * w[i];
    if (cone->solver->owner[i] < 0 || cone->contacts[cone->solver->owner[i]].normal == i)
      set_row(cone, i, y > rows->lower[i] && y < rows->upper[i], m);
  }
  for (int k = 0; k < cone->contact_count; k++) {
    const flg_friction_contact *contact = &cone->contacts[k];
    const int n = contact->normal;
    const sliding s = sliding_of(cone, contact, z, w, z[n] - rho(cone, n) * w[n]);
    if (!s.open && s.length > s.radius) {
      set_sliding(cone, contact, &s, m);
      continue;
    }
    for (int j = 0; j < 2; j++) {
      if (contact->tangent[j] >= 0) set_row(cone, contact->tangent[j], !s.open, m);
    }
  }
}

/* Columns by s_j, rows by 1/s_i: pure numbers, so that a pivot can be told from rounding. */
static void scale_system(const flg_rows *rows, double *m, double *x) {
  for (int j = 0; j < rows->n; j++) {
    for (int i = 0; i < rows->n; i++) m[at(i, j, rows->n)] *= rows->s[j] / rows->s[i];
    x[j] /= rows->s[j];
  }
}

/* One Newton step, halved until it reduces the deviation. */
static int newton_step(const cone_problem *cone, flg_run *run) {
  flg_complementarity *solver = cone->solver;
  double *change = solver->step;
  const flg_rows *rows = &cone->rows;
  double *x = solver->work, *trial = solver->trial, *w = solver->product, *fresh = solver->last;
  fill_jacobian(cone, run->z, run->w, solver->newton);
  memcpy(x, change, (size_t)rows->n * sizeof *x);
  scale_system(rows, solver->newton, x);
  flg_lu_solve(rows->n, solver->newton, x);
  for (int k = 0; k < HALVINGS; k++) {
    const double length = ldexp(1, -k);
    for (int i = 0; i < rows->n; i++) trial[i] = run->z[i] + length * rows->s[i] * x[i];
    flg_rows_apply(rows, trial, w);
    const double found = deviation(cone, trial, w, fresh);
    if (!(found < run->residual)) continue;
    run->residual = found;
    memcpy(run->z, trial, (size_t)rows->n * sizeof *trial);
    memcpy(run->w, w, (size_t)rows->n * sizeof *w);
    memcpy(change, fresh, (size_t)rows->n * sizeof *change);
    return 1;
  }
  return 0;
}

static void keep_best(const cone_problem *cone, const flg_run *run, double *best) {
  if (!(run->residual < *best)) return;
  *best = run->residual;
  memcpy(cone->solver->best_z, run->z, (size_t)cone->rows.n * sizeof(double));
}

/* w and the deviation of run->z; what each row would change by is left in solver->step */
static void measure(const cone_problem *cone, flg_run *run) {
  flg_rows_apply(&cone->rows, run->z, run->w);
  run->residual = deviation(cone, run->z, run->w, cone->solver->step);
}

static void approach(const cone_problem *cone, int sweeps, int exact, flg_run *run) {
  for (int k = 0; k < sweeps; k++) sweep(cone, exact, run->z, run->w);
  run->iterations += sweeps;
  measure(cone, run);
}

/* Newton steps with a weight of their own: where one is caught between pieces, another is not */
static void finish(cone_problem *cone, double weight, double enough, flg_run *run) {
  cone->weight = weight;
  measure(cone, run);
  for (int k = 0; k < NEWTON_STEPS && run->residual > enough * cone->solver->options.tolerance;
       k++) {
    run->iterations++;
    if (!newton_step(cone, run)) break;
  }
  cone->weight = 1;
  measure(cone, run);
}

/* Newton from run->z with each weight in turn; 1 if it did. run->z stays where it was. */
static int finish_with_any(cone_problem *cone, flg_run *run, double *best) {
  static const double weights[] = {1, 0.1, 5, 0.02, 50};
  flg_complementarity *solver = cone->solver;
  const size_t bytes = (size_t)cone->rows.n * sizeof(double);
  keep_best(cone, run, best);
  memcpy(solver->normals, run->z, bytes);
  for (int k = 0; k < 5 && *best > (k == 0 ? ENOUGH : 1) * solver->options.tolerance; k++) {
    finish(cone, weights[k], ENOUGH, run);
    keep_best(cone, run, best);
    memcpy(run->z, solver->normals, bytes);
    measure(cone, run);
  }
  return *best <= solver->options.tolerance;
}

/* The solution of the box that holds the cone, or the one inside it, is near. 0: none found. */
static int start_from_box(const cone_problem *cone, int round, flg_run *run) {
  flg_complementarity *solver = cone->solver;
  const double part = round % 2 == 0 ? 1 : 0.7071;
  flg_friction_couple(solver, cone->rows.n, cone->contact_count, cone->contacts, part);
  const flg_coupling coupling = {solver->normal, solver->normals};
  return flg_lemke(solver, &cone->rows, &coupling, round / 2, run) == FLG_OUTCOME_SOLVED;
}

/* The best so far, moved at random by this part of the largest entry. */
static void start_near_best(const cone_problem *cone, double part, unsigned *seed, flg_run *run) {
  const flg_rows *rows = &cone->rows;
  const double size = part * flg_rows_magnitude(rows, cone->solver->best_z);
  for (int i = 0; i < rows->n; i++) {
    const double draw = flg_draw(seed) / 32768.0 - 1;
    run->z[i] = cone->solver->best_z[i] + size * rows->s[i] * draw;
  }
}

/* Newton steps are caught where pieces meet: other starts, until one leads to a solution. */
static void search(cone_problem *cone, flg_run *run, double *best) {
  static const double parts[] = {1, 0.01, 0.1};
  const int rounds = cone->solver->options.iterations / ITERATIONS_A_ROUND;
  unsigned seed = 1;
  for (int round = 0; round < rounds; round++) {
    if (round % 4 != 0) {
      start_near_best(cone, parts[round % 3], &seed, run);
    } else if (!start_from_box(cone, round / 4, run)) {
      continue;
    }
    measure(cone, run);
    if (finish_with_any(cone, run, best)) return;
    approach(cone, EXACT_SWEEPS, 1, run);
    if (finish_with_any(cone, run, best)) return;
  }
}

/* Where not even the frictionless problem has a solution, there is none: what pushes along a
 * direction of normals that A does not resist, friction cannot hold either. */
static flg_complementarity_outcome judge_frictionless(const cone_problem *cone, flg_run *run) {
  flg_complementarity *solver = cone->solver;
  flg_complementarity_method method;
  flg_run frictionless = *run;
  flg_friction_bound(solver, cone->contact_count, cone->contacts, NULL, 0);
  flg_run_start(&cone->rows, NULL, &frictionless);
  const flg_complementarity_outcome outcome =
      flg_solve_rows(solver, &cone->rows, &frictionless, &method);
  run->iterations = frictionless.iterations, run->residual = frictionless.residual;
  return outcome;
}

/* From the solution of the last time: as it is, or by Newton steps where it is near. run->z stays
 * where it was if they do not suffice. */
static int start_from_last(cone_problem *cone, flg_run *run, double *best,
                           flg_complementarity_method *method) {
  const double tolerance = cone->solver->options.tolerance;
  const size_t bytes = (size_t)cone->rows.n * sizeof(double);
  measure(cone, run);
  *method = FLG_METHOD_FIXED_POINT;
  if (run->residual > AS_GOOD * tolerance && run->residual < NEAR) {
    *method = FLG_METHOD_NEWTON;
    memcpy(cone->solver->normals, run->z, bytes);
    finish(cone, 1, AS_GOOD, run);
  }
  keep_best(cone, run, best);
  if (run->residual <= (*method == FLG_METHOD_NEWTON ? 1 : AS_GOOD) * tolerance) return 1;
  if (*method == FLG_METHOD_NEWTON) memcpy(run->z, cone->solver->normals, bytes);
  return 0;
}

static flg_complementarity_outcome solve_cones(cone_problem *cone, flg_run *run,
                                               flg_complementarity_method *method) {
  if (flg_rows_are_iterated(cone->solver, &cone->rows)) {
    const flg_friction friction = {cone->contact_count, 1, cone->contacts};
    *method = FLG_METHOD_ITERATIVE;
    return flg_iterate(cone->solver, &cone->rows, &friction, run);
  }
  memcpy(cone->solver->best_z, run->z, (size_t)cone->rows.n * sizeof(double));
  const double tolerance = cone->solver->options.tolerance;
  double best = HUGE_VAL;
  int solved = start_from_last(cone, run, &best, method);
  if (!solved) flg_rows_apply(&cone->rows, run->z, run->w);
  for (int round = 0; round < PLAIN_ROUNDS && !solved; round++) {
    approach(cone, (round + 1) * FIRST_SWEEPS, round % 2, run);
    *method = run->residual > ENOUGH * tolerance ? FLG_METHOD_NEWTON : FLG_METHOD_FIXED_POINT;
    solved = finish_with_any(cone, run, &best);
  }
  if (!solved) {
    const flg_complementarity_outcome outcome = judge_frictionless(cone, run);
    if (outcome != FLG_OUTCOME_SOLVED && outcome != FLG_OUTCOME_STALLED) return outcome;
    search(cone, run, &best);
  }
  memcpy(run->z, cone->solver->best_z, (size_t)cone->rows.n * sizeof(double));
  measure(cone, run);
  return run->residual <= tolerance ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}

/* active: w = 0; a sliding contact has both its tangents tight, on the side of each */
static void mark_positions(const cone_problem *cone, flg_run *run) {
  const flg_rows *rows = &cone->rows;
  for (int i = 0; i < rows->n; i++) {
    const double y = run->z[i] - rho(cone, i) * run->w[i];
    run->position[i] = FLG_ROW_ACTIVE;
    if (y >= rows->upper[i]) run->position[i] = FLG_ROW_UPPER;
    if (y <= rows->lower[i]) run->position[i] = FLG_ROW_LOWER;
  }
  for (int k = 0; k < cone->contact_count; k++) {
    const flg_friction_contact *contact = &cone->contacts[k];
    const sliding s = sliding_of(cone, contact, run->z, run->w, run->z[contact->normal]);
    for (int j = 0; j < 2; j++) {
      const int row = contact->tangent[j];
      if (row < 0) continue;
      run->position[row] = s.y[j] > 0 ? FLG_ROW_UPPER : FLG_ROW_LOWER;
      if (s.length < s.radius) run->position[row] = FLG_ROW_ACTIVE;
    }
  }
}

flg_status flg_complementarity_cone(flg_complementarity *solver,
                                    const flg_complementarity_matrix *matrix, const double *q,
                                    const double *lower, const double *upper, int contact_count,
                                    const flg_friction_contact *contacts, unsigned char *states,
                                    double *z, double *w,
                                    flg_complementarity_statistics *statistics) {
  if (lower == NULL && upper == NULL && solver->options.method == FLG_METHOD_AUTOMATIC &&
      flg_cone_stick(&solver->options, matrix, q, contact_count, contacts, states, z, w,
                     statistics))
    return FLG_OK;
  cone_problem cone = {
      .solver = solver, .contact_count = contact_count, .contacts = contacts, .weight = 1};
  flg_run run = {
      .z = solver->z, .w = solver->w, .position = solver->position, .residual = HUGE_VAL};
  flg_complementarity_method method = FLG_METHOD_AUTOMATIC;
  flg_complementarity_outcome outcome =
      flg_friction_load(solver, matrix, q, lower, upper, contact_count, contacts, &cone.rows);
  if (outcome == FLG_OUTCOME_SOLVED) {
    share_scales(&cone);
    flg_run_place(&cone.rows, states, z, run.z);
    outcome = solve_cones(&cone, &run, &method);
  }
  flg_run_report(&run, outcome, method, statistics);
  if (outcome == FLG_OUTCOME_BAD_INPUT || outcome == FLG_OUTCOME_INDEFINITE) return FLG_ERR_RANGE;
  mark_positions(&cone, &run);
  flg_friction_bound(solver, contact_count, contacts, run.z, 1);
  memcpy(z, run.z, (size_t)matrix->n * sizeof *z);
  memcpy(w, run.w, (size_t)matrix->n * sizeof *w);
  if (states != NULL) flg_run_classify(solver, &cone.rows, &run, states);
  return flg_outcome_status(outcome);
}
