/* Coulomb's cone: sweeps of projected Gauss-Seidel over contacts come near, Newton steps on all
 * rows at once, shortened until they help, finish. Where they are caught, they start again: from
 * the solution of box friction, or near the best so far. */
#include <math.h>
#include <string.h>

#include "complementarity/cone.h"

static const double RIM = 1e-12; /* of the radius: still on the rim */

/* A cone is round: both tangents need one unit, or the projection on it would be on an ellipse. */
void flg_cone_share_scales(const flg_cone *cone) {
  for (int k = 0; k < cone->contact_count; k++) {
    const int a = cone->contacts[k].tangent[0], b = cone->contacts[k].tangent[1];
    if (b < 0) continue;
    double *s = cone->solver->s, *root = cone->solver->root;
    s[a] = s[b] = s[a] < s[b] ? s[a] : s[b];
    root[a] = root[b] = root[a] > root[b] ? root[a] : root[b];
  }
}

/* Where not even the frictionless problem has a solution, there is none: what pushes along a
 * direction of normals that A does not resist, friction cannot hold either. */
static flg_complementarity_outcome judge_frictionless(const flg_cone *cone, flg_run *run) {
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

/* the best so far becomes the answer */
static flg_complementarity_outcome conclude_cones(const flg_cone *cone, double best, flg_run *run) {
  flg_complementarity *solver = cone->solver;
  memcpy(run->z, solver->best_z, (size_t)cone->rows.n * sizeof(double));
  flg_rows_apply(&cone->rows, run->z, run->w);
  run->residual = flg_cone_deviation(cone, run->z, run->w, solver->step);
  const double larger = best > run->residual ? best : run->residual;
  return larger <= solver->options.tolerance ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}

/* Only where sweeps and Newton have failed is it asked whether there is a solution at all: that
 * question costs as much as the problem. */
static flg_complementarity_outcome solve_cones(flg_cone *cone, int warm, flg_run *run,
                                               flg_complementarity_method *method) {
  double best;
  if (flg_rows_are_iterated(cone->solver, &cone->rows)) {
    flg_friction friction = {cone->contact_count, 1, cone->contacts};
    *method = FLG_METHOD_ITERATIVE;
    return flg_iterate(cone->solver, &cone->rows, &friction, run);
  }
  const int is_there = flg_cone_approach(cone, warm, run, &best, method) || cone->is_brief;
  if (!is_there && best > cone->solver->options.enough) {
    const flg_complementarity_outcome outcome = judge_frictionless(cone, run);
    if (outcome != FLG_OUTCOME_SOLVED && outcome != FLG_OUTCOME_STALLED) return outcome;
    flg_cone_search(cone, run, &best);
  }
  return conclude_cones(cone, best, run);
}

static flg_complementarity_outcome part_cone_problem(const flg_cone *cone, flg_run *run,
                                                     flg_complementarity_method *method) {
  *method = FLG_METHOD_SMALL;
  memset(cone->solver->best_z, 0, (size_t)cone->rows.n * sizeof *run->z);
  return conclude_cones(cone, 0, run);
}

/* active: w = 0; a sliding contact has both its tangents tight, on the side of each */
static void mark_cone_positions(const flg_cone *cone, flg_run *run) {
  const flg_rows *rows = &cone->rows;
  for (int i = 0; i < rows->n; i++) {
    const double y = run->z[i] - flg_cone_rho(cone, i) * run->w[i];
    run->position[i] = FLG_ROW_ACTIVE;
    if (y >= rows->upper[i]) run->position[i] = FLG_ROW_UPPER;
    if (y <= rows->lower[i]) run->position[i] = FLG_ROW_LOWER;
  }
  for (int k = 0; k < cone->contact_count; k++) {
    const flg_friction_contact *contact = &cone->contacts[k];
    const flg_sliding s = flg_cone_slide(cone, contact, run->z, run->w);
    for (int j = 0; j < 2; j++) {
      const int row = contact->tangent[j];
      if (row < 0) continue;
      run->position[row] = s.y[j] > 0 ? FLG_ROW_UPPER : FLG_ROW_LOWER;
      if (s.length < (1 - RIM) * s.radius) run->position[row] = FLG_ROW_ACTIVE;
    }
  }
}

flg_status flg_cone_answer(const flg_cone *cone, flg_run *run, flg_complementarity_outcome outcome,
                           flg_complementarity_method method, unsigned char *states, double *z,
                           double *w, flg_complementarity_statistics *statistics) {
  const int refused = outcome == FLG_OUTCOME_BAD_INPUT || outcome == FLG_OUTCOME_INDEFINITE;
  const size_t bytes = refused ? 0 : (size_t)cone->rows.n * sizeof(double);
  if (!refused) run->speeds = flg_cone_speeds(cone, run->z, run->w);
  flg_run_report(run, outcome, method, statistics);
  if (refused) return FLG_ERR_RANGE;
  mark_cone_positions(cone, run);
  flg_friction_bound(cone->solver, cone->contact_count, cone->contacts, run->z, 1);
  memcpy(z, run->z, bytes);
  memcpy(w, run->w, bytes);
  if (states != NULL) flg_run_classify(cone->solver, &cone->rows, run, states);
  return flg_outcome_status(outcome);
}

/* of what flg_friction_opens asks: most of the time something is pressed; rows that do not exist
 * are refused by flg_friction_load */
/* A glance at q: most calls are answered by it, without loading rows. */
static int may_open(const flg_complementarity_matrix *matrix, int contact_count,
                    const flg_friction_contact *contacts, const double *q) {
  if (matrix->stays) return 0;
  for (int k = 0; k < contact_count; k++) {
    const int row = contacts[k].normal;
    if (row < 0 || row >= matrix->n) return 1;
    if (!(q[row] > 0)) return 0;
  }
  return 1;
}

/* Contacts that all stick are the most frequent case, and need one linear system. */
flg_status flg_complementarity_cone(flg_complementarity *solver,
                                    const flg_complementarity_matrix *matrix, const double *q,
                                    int contact_count, const flg_friction_contact *contacts,
                                    unsigned char *states, double *z, double *w,
                                    flg_complementarity_statistics *statistics) {
  if (solver->options.method == FLG_METHOD_AUTOMATIC &&
      !may_open(matrix, contact_count, contacts, q) &&
      flg_cone_stick(&solver->options, matrix, q, contact_count, contacts, states, z, w,
                     statistics))
    return FLG_OK;
  flg_cone cone = {.solver = solver,
                   .contact_count = contact_count,
                   .contacts = contacts,
                   .weight = 1,
                   .is_brief = matrix->brief};
  flg_run run = {
      .z = solver->z, .w = solver->w, .position = solver->position, .residual = HUGE_VAL};
  flg_complementarity_method method = FLG_METHOD_AUTOMATIC;
  flg_complementarity_outcome outcome =
      flg_friction_load(solver, matrix, q, contact_count, contacts, &cone.rows);
  if (outcome == FLG_OUTCOME_SOLVED) {
    flg_cone_share_scales(&cone);
    const int warm = flg_run_place(&cone.rows, states, z, run.z);
    outcome = flg_friction_opens(matrix, &cone.rows) ? part_cone_problem(&cone, &run, &method)
                                                     : solve_cones(&cone, warm, &run, &method);
  }
  return flg_cone_answer(&cone, &run, outcome, method, states, z, w, statistics);
}

flg_status flg_complementarity_judge(flg_complementarity *solver,
                                     const flg_complementarity_matrix *matrix, const double *q,
                                     int contact_count, const flg_friction_contact *contacts,
                                     unsigned char *states, double *z, double *w,
                                     flg_complementarity_statistics *statistics) {
  flg_cone cone = {
      .solver = solver, .contact_count = contact_count, .contacts = contacts, .weight = 1};
  flg_run run = {
      .z = solver->z, .w = solver->w, .position = solver->position, .residual = HUGE_VAL};
  flg_complementarity_outcome outcome =
      flg_friction_load(solver, matrix, q, contact_count, contacts, &cone.rows);
  if (outcome == FLG_OUTCOME_SOLVED) {
    flg_cone_share_scales(&cone);
    memcpy(solver->best_z, z, (size_t)matrix->n * sizeof *z);
    outcome = conclude_cones(&cone, 0, &run);
  }
  return flg_cone_answer(&cone, &run, outcome, FLG_METHOD_NEWTON, states, z, w, statistics);
}
