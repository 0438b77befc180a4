#include "complementarity/complementarity.h"

#include <math.h>
#include <string.h>

#include "complementarity/solver.h"

/* Of the scaled rows: what a solution leaves over by rounding, with six digits to spare; pivots
 * that are rounding; and, of friction by a potential, what its fixed point may still change by. */
static const double TOLERANCE = 1e-10, PIVOT_TOLERANCE = 1e-11, POTENTIAL_TOLERANCE = 1e-6;

/* 2000 rows: a dense factor of them is 32 MB and a second of work; larger problems are iterated. */
flg_complementarity_options flg_complementarity_default(void) {
  return (flg_complementarity_options){.method = FLG_METHOD_AUTOMATIC,
                                       .tolerance = TOLERANCE,
                                       .pivot_tolerance = PIVOT_TOLERANCE,
                                       .potential_tolerance = POTENTIAL_TOLERANCE,
                                       .direct_limit = 2000,
                                       .iterations = 2000};
}

const char *flg_complementarity_method_name(flg_complementarity_method method) {
  static const char *const names[FLG_METHOD_COUNT] = {
      "automatic", "small",     "block",       "single", "descent",
      "lemke",     "iterative", "fixed-point", "newton", "interior"};
  return (unsigned)method < FLG_METHOD_COUNT ? names[method] : "unknown";
}

const char *flg_complementarity_outcome_text(flg_complementarity_outcome outcome) {
  static const char *const texts[] = {
      "solved", "no solution exists", "the residual stayed over the tolerance",
      "the input holds values outside their range", "the matrix is not positive semidefinite"};
  return (unsigned)outcome <= FLG_OUTCOME_INDEFINITE ? texts[outcome] : "unknown";
}

static int is_share(double value) {
  return value > 0 && value < 1;
}

/* written so that NaN is refused */
static int options_are_sound(int capacity, const flg_complementarity_options *options) {
  return capacity >= 0 && capacity <= FLG_COMPLEMENTARITY_MAX &&
         (unsigned)options->method <= FLG_METHOD_ITERATIVE && is_share(options->tolerance) &&
         options->enough >= 0 && options->enough < 1 && is_share(options->pivot_tolerance) &&
         is_share(options->potential_tolerance) && options->direct_limit >= 0 &&
         options->direct_limit <= FLG_COMPLEMENTARITY_MAX && options->iterations > 0 &&
         options->effort >= 0 && options->bodies >= 0 && options->bodies <= FLG_COMPLEMENTARITY_MAX;
}

/* All methods work in these arrays, one after the other: a problem that changes the method takes no
 * more memory. Matrices are as large as direct methods need them, not as the capacity. */
static void complementarity_lay_out(flg_complementarity *solver, flg_region *region) {
  const size_t n = (size_t)solver->capacity + 1, m = (size_t)solver->tableau_size;
  const size_t direct =
      solver->capacity < solver->options.direct_limit ? n : (size_t)solver->options.direct_limit;
  double **const matrices[] = {&solver->a, &solver->l, &solver->newton};
  double **const vectors[] = {&solver->s,    &solver->reference, &solver->lower,  &solver->upper,
                              &solver->z,    &solver->w,         &solver->step,   &solver->trial,
                              &solver->work, &solver->product,   &solver->best_z, &solver->best_w,
                              &solver->last, &solver->normals,   &solver->root};
  int **const integers[] = {&solver->order, &solver->pivots, &solver->owner, &solver->normal};
  for (int k = 0; k < 3; k++)
    *matrices[k] = flg_region_take_scratch(region, direct * direct, sizeof(double));
  for (int k = 0; k < 15; k++) *vectors[k] = flg_region_take(region, n, sizeof(double));
  for (int k = 0; k < 4; k++) *integers[k] = flg_region_take(region, n > m ? n : m, sizeof(int));
  solver->curvature = flg_region_take(region, 2 * n, sizeof(double));
  solver->position = flg_region_take(region, n, 1);
  solver->mark = flg_region_take(region, 2 * n, 1);
  solver->best_position = flg_region_take(region, n, 1);
  solver->side = flg_region_take(region, n, 1);
  solver->tableau = flg_region_take_scratch(region, m * (2 * m + 2), sizeof(double));
  solver->variables = flg_region_take(region, m, sizeof(flg_lemke_variable));
  solver->single = flg_region_take(region, n, sizeof(flg_friction_contact));
  solver->parts = flg_region_take(region, direct, sizeof(flg_interior_part));
  const size_t bodies = (size_t)solver->options.bodies, sparse = bodies > 0 ? n : 1;
  solver->blocks = flg_region_take(region, 24 * sparse, sizeof(double));
  solver->motion = flg_region_take(region, 18 * (bodies + 1), sizeof(double));
  solver->slots = flg_region_take(region, 2 * sparse, sizeof(int));
}

/* A tableau of Lemke's method has a column for each row and its complement, so it is limited on its
 * own. */
static flg_complementarity plan_of(int capacity, const flg_complementarity_options *options) {
  flg_complementarity solver = {.capacity = capacity, .options = *options};
  const int direct = capacity < options->direct_limit ? capacity : options->direct_limit;
  const int wish = (7 * direct + 2) / 3; /* contacts take most: seven for three rows */
  solver.tableau_size = wish < FLG_COMPLEMENTARITY_LEMKE ? wish : FLG_COMPLEMENTARITY_LEMKE;
  return solver;
}

flg_status flg_complementarity_build(flg_complementarity **solver, int capacity,
                                     const flg_complementarity_options *options, flg_region *region,
                                     flg_error *error) {
  if (!options_are_sound(capacity, options)) {
    return flg_fail(error, FLG_ERR_RANGE,
                    "complementarity: capacity %d or one of its options is outside its range",
                    capacity);
  }
  flg_complementarity *made = flg_region_take(region, 1, sizeof *made);
  if (made != NULL) {
    *made = plan_of(capacity, options);
    complementarity_lay_out(made, region);
  }
  if (!region->failed) *solver = made;
  return flg_region_check(region, "a complementarity problem", error);
}

/* of what pushes: impulses that large mean that no finite ones solve the problem */
static const double RUNAWAY = 1e12;

/* Dependent rows with loads that do not fit together have no solution; rounding turns that into
 * huge impulses that cancel. Rows at a bound are not counted: they may be large by the caller's
 * will. */
int flg_runs_away(const flg_rows *rows, const double *z) {
  double push = 0, answer = 0;
  for (int i = 0; i < rows->n; i++) {
    const double load = fabs(z[i]) * rows->root[i];
    const double force = fabs(rows->q[i]) * rows->s[i];
    const int between = z[i] > rows->lower[i] && z[i] < rows->upper[i];
    const double inner = between ? load : 0, outer = between ? 0 : load;
    push = force > push ? force : push;
    push = outer > push ? outer : push;
    answer = inner > answer ? inner : answer;
  }
  return answer > RUNAWAY * push;
}

static flg_complementarity_outcome descend_by_pivots(flg_complementarity *solver,
                                                     const flg_rows *rows, flg_run *run) {
  const flg_complementarity_outcome outcome = flg_descend(solver, rows, run);
  const int none = outcome == FLG_OUTCOME_SOLVED && flg_runs_away(rows, run->z);
  return none ? FLG_OUTCOME_UNSOLVABLE : outcome;
}

/* What Lemke's path ends in is refined by descent: pivots on a tableau lose digits that factors
 * keep. */
static flg_complementarity_outcome solve_by_lemke(flg_complementarity *solver, const flg_rows *rows,
                                                  flg_run *run,
                                                  flg_complementarity_method *method) {
  const flg_complementarity_outcome outcome = flg_lemke(solver, rows, NULL, 0, run);
  if (outcome == FLG_OUTCOME_STALLED) return outcome;
  *method = FLG_METHOD_LEMKE;
  if (outcome == FLG_OUTCOME_UNSOLVABLE) return outcome;
  run->keep = 1;
  return descend_by_pivots(solver, rows, run);
}

/* From fast and not always successful to slow and sure: pivoting on small blocks, block pivoting
 * with single pivots as its fallback, descent, Lemke. Each starts from what is left of the one
 * before. */
flg_complementarity_outcome flg_solve_rows(flg_complementarity *solver, const flg_rows *rows,
                                           flg_run *run, flg_complementarity_method *method) {
  const flg_complementarity_method asked = solver->options.method;
  flg_complementarity_outcome outcome = FLG_OUTCOME_STALLED;
  if (flg_rows_are_iterated(solver, rows)) {
    *method = FLG_METHOD_ITERATIVE;
    return flg_iterate(solver, rows, NULL, run);
  }
  if (asked <= FLG_METHOD_SINGLE) {
    int singles;
    outcome = flg_block_pivot(solver, rows, asked == FLG_METHOD_SINGLE, run, &singles);
    *method = singles ? FLG_METHOD_SINGLE : FLG_METHOD_BLOCK;
  }
  if (outcome == FLG_OUTCOME_SOLVED && flg_runs_away(rows, run->z)) outcome = FLG_OUTCOME_STALLED;
  if (asked == FLG_METHOD_LEMKE) outcome = solve_by_lemke(solver, rows, run, method);
  if (outcome == FLG_OUTCOME_STALLED) {
    *method = FLG_METHOD_DESCENT;
    outcome = descend_by_pivots(solver, rows, run);
  }
  if (outcome == FLG_OUTCOME_STALLED) outcome = solve_by_lemke(solver, rows, run, method);
  if (outcome == FLG_OUTCOME_STALLED && run->indefinite) outcome = FLG_OUTCOME_INDEFINITE;
  return outcome;
}

/* in the order of the outcomes */
flg_status flg_outcome_status(flg_complementarity_outcome outcome) {
  static const flg_status statuses[] = {FLG_OK, FLG_ERR_PHYSICS, FLG_ERR_DIVERGED, FLG_ERR_RANGE,
                                        FLG_ERR_RANGE};
  return statuses[outcome];
}

/* near: z to a bound of its own while active, w to zero while tight */
static unsigned char state_of_row(const flg_rows *rows, const flg_run *run, int i, double near) {
  const unsigned char position = run->position[i];
  const double room = near * rows->s[i], z = run->z[i];
  int potential = fabs(run->w[i]) * rows->s[i] <= near;
  if (position == FLG_ROW_ACTIVE) {
    potential = z - rows->lower[i] <= room || rows->upper[i] - z <= room;
  }
  return (unsigned char)(position | (potential ? FLG_ROW_POTENTIAL : 0));
}

/* In the scale of the whole solution: a contact is potential if a change of that size would switch
 * it. */
void flg_run_classify(const flg_complementarity *solver, const flg_rows *rows, const flg_run *run,
                      unsigned char *states) {
  const double near = solver->options.potential_tolerance * flg_rows_magnitude(rows, run->z);
  for (int i = 0; i < rows->n; i++) states[i] = state_of_row(rows, run, i, near);
}

void flg_run_report(const flg_run *run, flg_complementarity_outcome outcome,
                    flg_complementarity_method method, flg_complementarity_statistics *statistics) {
  if (statistics == NULL) return;
  *statistics = (flg_complementarity_statistics){.outcome = outcome,
                                                 .method = method,
                                                 .iterations = run->iterations,
                                                 .dependent_rows = run->dependent_rows,
                                                 .residual = run->residual,
                                                 .speed = run->speeds.all,
                                                 .excess = run->speeds.beyond};
}

flg_status flg_complementarity_mixed(flg_complementarity *solver,
                                     const flg_complementarity_matrix *matrix, const double *q,
                                     const double *lower, const double *upper,
                                     unsigned char *states, double *z, double *w,
                                     flg_complementarity_statistics *statistics) {
  flg_rows rows;
  flg_run run = {.z = z, .w = w, .position = solver->position, .residual = HUGE_VAL};
  flg_complementarity_method method = FLG_METHOD_AUTOMATIC;
  flg_complementarity_outcome outcome = flg_rows_load(solver, matrix, q, lower, upper, &rows);
  if (outcome == FLG_OUTCOME_SOLVED) {
    run.z = solver->z, run.w = solver->w;
    flg_run_start(&rows, states, &run);
    /* only iterations gain from the impulses of the last step; pivots start from states alone */
    flg_run_place(&rows, flg_rows_are_iterated(solver, &rows) ? states : NULL, z, run.z);
    outcome = flg_solve_rows(solver, &rows, &run, &method);
    run.speeds = flg_rows_speeds(&rows, run.z, run.w);
  }
  flg_run_report(&run, outcome, method, statistics);
  if (outcome == FLG_OUTCOME_BAD_INPUT || outcome == FLG_OUTCOME_INDEFINITE) return FLG_ERR_RANGE;
  memcpy(z, run.z, (size_t)rows.n * sizeof *z);
  memcpy(w, run.w, (size_t)rows.n * sizeof *w);
  if (states != NULL) flg_run_classify(solver, &rows, &run, states);
  return flg_outcome_status(outcome);
}

flg_status flg_complementarity_linear(flg_complementarity *solver,
                                      const flg_complementarity_matrix *matrix, const double *q,
                                      unsigned char *states, double *z, double *w,
                                      flg_complementarity_statistics *statistics) {
  const int small = matrix->n >= 0 && matrix->n <= FLG_COMPLEMENTARITY_TABLEAU &&
                    matrix->n <= solver->capacity && matrix->n <= solver->options.direct_limit &&
                    solver->options.method <= FLG_METHOD_SMALL;
  const int plain = matrix->dense != NULL && matrix->leading >= matrix->n && matrix->scale == NULL;
  if (small && plain && flg_small_linear(&solver->options, matrix, q, states, z, w, statistics))
    return FLG_OK;
  return flg_complementarity_mixed(solver, matrix, q, NULL, NULL, states, z, w, statistics);
}
