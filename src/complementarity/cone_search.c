/* Ways to a solution with cones. Sweeps of projected Gauss-Seidel over contacts come near, Newton
 * steps on all rows at once, shortened until they help, finish. Where they are caught, they start
 * again: from the solution of box friction, or near the best so far. */
#include <math.h>
#include <string.h>

#include "complementarity/cone.h"

enum { FIRST_SWEEPS = 10, PLAIN_ROUNDS = 3, NEWTON_STEPS = 25, BRIEF_STEPS = 10 };
enum { EXACT_SWEEPS = 3, ITERATIONS_A_ROUND = 2 };

static const double ENOUGH = 0.1; /* of the tolerance: no more Newton steps */
static const double NEAR = 1e-5;  /* a solution is there: only digits are missing */
static const double SHARE = 1e-5; /* of what pushes: more must not be left to the softness */

/* 1 if the softness of the Newton steps carries what pushes, and not A: then the deviation is small
 * only by the size of z */
static int is_carried_by_softness(const flg_cone *cone, const double *z) {
  double push = 0;
  for (int i = 0; i < cone->rows.n; i++) {
    const double force = fabs(cone->rows.q[i]) * cone->rows.s[i];
    push = force > push ? force : push;
  }
  return cone->softness * flg_rows_magnitude(&cone->rows, z) > SHARE * push;
}

/* a solution may be there, but it is not accepted yet */
static double near_cones(const flg_cone *cone) {
  const double more = 2 * cone->solver->options.tolerance;
  return more > NEAR ? more : NEAR;
}

static void keep_best_cones(const flg_cone *cone, const flg_run *run, double *best) {
  if (!(run->residual < *best) || flg_runs_away(&cone->rows, run->z)) return;
  const double near = near_cones(cone);
  const int doubtful = run->residual < near && is_carried_by_softness(cone, run->z);
  const double value = doubtful ? near : run->residual;
  if (!(value < *best)) return;
  *best = value;
  memcpy(cone->solver->best_z, run->z, (size_t)cone->rows.n * sizeof(double));
}

/* w and the deviation of run->z; what each row would change by is left in solver->step */
static void measure_cones(const flg_cone *cone, flg_run *run) {
  flg_rows_apply(&cone->rows, run->z, run->w);
  run->residual = flg_cone_deviation(cone, run->z, run->w, cone->solver->step);
}

static void approach_cones(const flg_cone *cone, int sweeps, int exact, flg_run *run) {
  flg_cone_sweep(cone, sweeps, exact, run->z, run->w);
  run->iterations += sweeps;
  measure_cones(cone, run);
}

/* How Newton steps may differ: where one is caught between pieces, another is not; and where A
 * hardly resists, softness that is not needed costs digits. */
typedef struct newton_kind {
  double weight, softness;
  int by_squares;
} newton_kind;

/* of rows with a diagonal of 1: enough to factor what is singular; and less, for the last digits */
#define FLG_SOFTER  1e-5
#define FLG_SOFT    1e-8
#define FLG_HARDER  1e-10
#define FLG_HARDEST 1e-12
static const newton_kind kinds[] = {
    {1, FLG_SOFT, 0}, {0.1, FLG_SOFT, 0}, {5, FLG_SOFT, 0}, {0.02, FLG_SOFT, 0}, {50, FLG_SOFT, 0}};
static const newton_kind last_digits[] = {{1, FLG_HARDER, 0}, {1, FLG_HARDEST, 0}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
/* Many contacts share their loads in many ways: steps along these are as long as the softness lets
 * them, and others come off their cones by them. */
static const newton_kind for_many = {1, FLG_SOFTER, 1};
enum { MANY_ROWS = 36 };

/* at least `least` steps */
static void finish_by_newton(flg_cone *cone, newton_kind kind, int least, flg_run *run) {
  const double enough = ENOUGH * cone->solver->options.tolerance;
  cone->weight = kind.weight, cone->softness = kind.softness;
  cone->by_squares = kind.by_squares;
  measure_cones(cone, run);
  const int most = cone->is_brief && !kind.by_squares ? BRIEF_STEPS : NEWTON_STEPS;
  for (int k = 0; k < most && (k < least || run->residual > enough); k++) {
    run->iterations++;
    if (!flg_cone_newton(cone, run)) break;
  }
  cone->weight = 1;
  if (kind.weight != 1) measure_cones(cone, run);
}

/* From the best so far, where it is near. */
static int polish_cones(flg_cone *cone, flg_run *run, double *best) {
  const double tolerance = cone->solver->options.tolerance;
  for (int k = 0; k < 2 && *best <= near_cones(cone) && *best > ENOUGH * tolerance; k++) {
    memcpy(run->z, cone->solver->best_z, (size_t)cone->rows.n * sizeof(double));
    finish_by_newton(cone, last_digits[k], 1, run);
    keep_best_cones(cone, run, best);
  }
  return *best <= tolerance;
}

/* Newton of each kind in turn; 1 if one led to a solution, else run->z stays where it was. */
static int finish_with_any(flg_cone *cone, flg_run *run, double *best) {
  flg_complementarity *solver = cone->solver;
  const size_t bytes = (size_t)cone->rows.n * sizeof(double);
  keep_best_cones(cone, run, best);
  if (*best <= ENOUGH * solver->options.tolerance) return 1;
  memcpy(solver->normals, run->z, bytes);
  const int kind_count = cone->is_brief ? 1 : KINDS;
  for (int k = 0; k < kind_count; k++) {
    finish_by_newton(cone, kinds[k], 0, run);
    keep_best_cones(cone, run, best);
    if (polish_cones(cone, run, best)) return 1;
    memcpy(run->z, solver->normals, bytes);
    measure_cones(cone, run);
  }
  return 0;
}

/* The solution of the box that holds the cone, or the one inside it, is near. 0: none found. */
static int start_from_box(const flg_cone *cone, int round, flg_run *run) {
  flg_complementarity *solver = cone->solver;
  const double part = round % 2 == 0 ? 1 : 0.7071;
  flg_friction_couple(solver, cone->rows.n, cone->contact_count, cone->contacts, part);
  const flg_coupling coupling = {solver->normal, solver->normals};
  return flg_lemke(solver, &cone->rows, &coupling, round / 2, run) == FLG_OUTCOME_SOLVED;
}

/* The best so far, moved at random by this part of the largest entry. */
static void start_near_best(const flg_cone *cone, double part, unsigned *seed, flg_run *run) {
  const flg_rows *rows = &cone->rows;
  const double size = part * flg_rows_magnitude(rows, cone->solver->best_z);
  for (int i = 0; i < rows->n; i++) {
    const double draw = flg_draw(seed) / 32768.0 - 1;
    run->z[i] = cone->solver->best_z[i] + size * rows->s[i] * draw;
  }
}

/* Anywhere, with sizes over three powers of ten. */
static void start_anywhere(const flg_cone *cone, unsigned *seed, flg_run *run) {
  const flg_rows *rows = &cone->rows;
  memset(run->z, 0, (size_t)rows->n * sizeof(double));
  const double size = 10 * flg_rows_magnitude(rows, run->z);
  for (int i = 0; i < rows->n; i++) {
    const double draw = flg_draw(seed) / 32768.0 - 1;
    run->z[i] = size * rows->s[i] * draw * pow(10, -3.0 * flg_draw(seed) / 65536);
  }
  for (int k = 0; k < cone->contact_count; k++) {
    run->z[cone->contacts[k].normal] = fabs(run->z[cone->contacts[k].normal]);
  }
}

/* Newton steps are caught where pieces meet: other starts, until one leads to a solution. */
int flg_cone_search(flg_cone *cone, flg_run *run, double *best) {
  static const double parts[] = {0.1, 0.01, 1};
  const int rounds = cone->solver->options.iterations / ITERATIONS_A_ROUND;
  unsigned seed = 1;
  for (int round = 0; round < rounds; round++) {
    if (round % 4 == 2) {
      start_anywhere(cone, &seed, run);
    } else if (round % 4 != 0) {
      start_near_best(cone, parts[round % 3], &seed, run);
    } else if (!start_from_box(cone, round / 4, run)) {
      continue;
    }
    measure_cones(cone, run);
    if (finish_with_any(cone, run, best)) return 1;
    approach_cones(cone, EXACT_SWEEPS, 1, run);
    if (finish_with_any(cone, run, best)) return 1;
  }
  return 0;
}

int flg_cone_approach(flg_cone *cone, int warm, flg_run *run, double *best,
                      flg_complementarity_method *method) {
  const double enough = ENOUGH * cone->solver->options.tolerance;
  *best = HUGE_VAL;
  *method = FLG_METHOD_NEWTON;
  measure_cones(cone, run);
  keep_best_cones(cone, run, best);
  if (warm) {
    finish_by_newton(cone, cone->rows.n > MANY_ROWS ? for_many : kinds[0], 0, run);
    keep_best_cones(cone, run, best);
    if (polish_cones(cone, run, best)) return 1;
  }
  const int rounds = cone->is_brief ? !warm : PLAIN_ROUNDS;
  for (int round = 0; round < rounds; round++) {
    approach_cones(cone, (round + 1) * FIRST_SWEEPS, round % 2, run);
    *method = run->residual > enough ? FLG_METHOD_NEWTON : FLG_METHOD_FIXED_POINT;
    if (finish_with_any(cone, run, best)) return 1;
  }
  return 0;
}
