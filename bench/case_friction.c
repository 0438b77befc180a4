/* case_friction - (e) contacts with Coulomb's friction against Siconos.
 *
 * Columns of bricks on each other (test_wall.h), 4, 8 and 16 contacts, which share their load in
 * any way, every other column pushed so that it slides; and contacts at random on bodies with a few
 * freedoms more than they have rows. All solve the same cones from nothing; `Flange, warm` starts
 * from the states and impulses of a neighbouring problem, velocities changed by 1 %; `Flange, box`
 * solves pyramids. A call solves 20 problems, the time is that of one. A problem counts as solved
 * where Coulomb's law, calculated by us, holds to 1e-8.
 */
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_Solvers.h>

#include "complementarity/test_friction.h"
#include "complementarity/test_wall.h"
#include "race.h"

enum { PROBLEMS = 20 };

static contact_problem problems[PROBLEMS];
static double neighbours[PROBLEMS][LARGEST]; /* q of the problem before */

static void make_random(random_source *source, int count, int k) {
  make_contacts(source, count, 3 * count + 3, &problems[k]);
  for (int i = 0; i < 3 * count; i++) {
    neighbours[k][i] = problems[k].p.q[i] * random_uniform(source, 0.99, 1.01);
  }
}

/* the first `count` contacts of a column of bricks */
static void make_column(random_source *source, int count, int k) {
  wall w = make_wall(source, 1, (count + 3) / 4);
  contact_problem *c = &problems[k];
  c->count = count, c->p.n = 3 * count;
  memcpy(c->contacts, w.contacts, (size_t)count * sizeof *w.contacts);
  for (int b = 0; b < 6 * w.bricks; b++) {
    if (k % 2 == 1 && b % 6 < 2) w.velocity[b] *= 8;
  }
  for (int i = 0; i < c->p.n; i++) {
    c->p.q[i] = neighbours[k][i] = 0, c->p.lower[i] = 0, c->p.upper[i] = HUGE_VAL;
    for (int j = 0; j < c->p.n; j++) *entry(&c->p, i, j) = wall_element(&w, i, j);
    for (int e = 0; e < 12; e++) {
      const int body = w.body[2 * i + e / 6];
      if (body < 0) continue;
      const double share = w.jacobian[12 * i + e] * w.velocity[6 * body + e % 6];
      c->p.q[i] += share, neighbours[k][i] += share * (1 + 0.005 * ((3 * body + e) % 5 - 2));
    }
  }
  drop_wall(&w);
}

/* --- Flange ----------------------------------------------------------------------------------- */

typedef struct flange_solver {
  flg_complementarity *solver;
  bool is_box;
  unsigned char before[PROBLEMS][LARGEST], states[PROBLEMS][LARGEST];
  double last[PROBLEMS][LARGEST], z[PROBLEMS][LARGEST];
} flange_solver;

static void solve_all(flange_solver *f, bool neighbour) {
  const friction_solver solve = f->is_box ? flg_complementarity_box : flg_complementarity_cone;
  for (int k = 0; k < PROBLEMS; k++) {
    double w[LARGEST];
    const contact_problem *c = &problems[k];
    const flg_complementarity_matrix matrix = matrix_of_problem(&c->p);
    solve(f->solver, &matrix, neighbour ? neighbours[k] : c->p.q, c->count, c->contacts,
          f->states[k], f->z[k], w, NULL);
  }
}

static void flange_start(void *of) {
  flange_solver *f = of;
  memcpy(f->states, f->before, sizeof f->states);
  memcpy(f->z, f->last, sizeof f->z);
}

static void flange_solve(void *of) {
  solve_all(of, false);
}

static void prepare(flange_solver *f, flg_complementarity *solver, bool is_warm, bool is_box) {
  memset(f, 0, sizeof *f);
  f->solver = solver, f->is_box = is_box;
  if (!is_warm) return;
  solve_all(f, true);
  memcpy(f->before, f->states, sizeof f->before);
  memcpy(f->last, f->z, sizeof f->last);
}

/* --- Siconos ---------------------------------------------------------------------------------- */

typedef struct siconos_solver {
  SolverOptions *options;
  NumericsMatrix *matrices[PROBLEMS];
  double mu[PROBLEMS][CONTACTS], z[PROBLEMS][LARGEST];
} siconos_solver;

static void siconos_open(siconos_solver *s, int identity, int iterations) {
  s->options = solver_options_create(identity);
  s->options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  s->options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  for (int k = 0; k < PROBLEMS; k++) {
    contact_problem *c = &problems[k];
    for (int i = 0; i < c->count; i++) s->mu[k][i] = c->contacts[i].coefficient;
    s->matrices[k] = NM_create_from_data(NM_DENSE, c->p.n, c->p.n, c->p.a);
  }
}

static void siconos_close(siconos_solver *s) {
  for (int k = 0; k < PROBLEMS; k++) {
    s->matrices[k]->matrix0 = NULL;
    NM_clear(s->matrices[k]);
    free(s->matrices[k]);
  }
  solver_options_delete(s->options);
}

static void siconos_start(void *of) {
  siconos_solver *s = of;
  memset(s->z, 0, sizeof s->z);
}

static void siconos_solve(void *of) {
  siconos_solver *s = of;
  for (int k = 0; k < PROBLEMS; k++) {
    double w[LARGEST] = {0};
    contact_problem *c = &problems[k];
    FrictionContactProblem problem = {3, c->count, s->matrices[k], c->p.q, s->mu[k]};
    fc3d_driver(&problem, s->z[k], w, s->options);
  }
}

/* --- races ------------------------------------------------------------------------------------ */

static racer enter(const char *name, void (*run)(void *), void (*start)(void *), void *of,
                   double (*z)[LARGEST], bool is_box) {
  racer entered = {name, run, of, start, .parts = PROBLEMS};
  int solved = 0;
  start(of), run(of);
  for (int k = 0; k < PROBLEMS; k++) {
    contact_problem *c = &problems[k];
    bound_tangents(c, z[k]);
    solved += (is_box ? residual_of(&c->p, z[k], 0) : coulomb_violation(c, z[k])) < 1e-8;
  }
  entered.fails = solved < PROBLEMS;
  snprintf(entered.remark, sizeof entered.remark, "%d of %d solved", solved, PROBLEMS);
  return entered;
}

static void race_contacts(bool is_column, int count) {
  static flange_solver cold, warm, box;
  static siconos_solver sweeps, newton;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(3 * count, &options);
  random_source source = {9};
  char work[80];
  for (int k = 0; k < PROBLEMS; k++) (is_column ? make_column : make_random)(&source, count, k);
  prepare(&cold, made.solver, false, false), prepare(&warm, made.solver, true, false);
  prepare(&box, made.solver, false, true);
  siconos_open(&sweeps, SICONOS_FRICTION_3D_NSGS, 10000);
  siconos_open(&newton, SICONOS_FRICTION_3D_NSN_AC, 1000);
  const racer racers[] = {
      enter("Flange", flange_solve, flange_start, &cold, cold.z, false),
      enter("Flange, warm", flange_solve, flange_start, &warm, warm.z, false),
      enter("Flange, box", flange_solve, flange_start, &box, box.z, true),
      enter("Siconos Gauss-Seidel", siconos_solve, siconos_start, &sweeps, sweeps.z, false),
      enter("Siconos Newton", siconos_solve, siconos_start, &newton, newton.z, false)};
  const race_terms terms = {is_column ? 5 : 31, 1, count == 1 ? now : worked};
  snprintf(work, sizeof work, "%d contacts with friction, %s", count,
           is_column ? "bricks" : "at random");
  race_by(&terms, "e", work, racers, 5);
  siconos_close(&sweeps), siconos_close(&newton);
  drop_solver(&made);
}

int main(void) {
  race_silence_peers();
  race_contacts(false, 1);
  for (int count = 4; count <= 16; count *= 2) race_contacts(false, count);
  for (int count = 4; count <= 16; count *= 2) race_contacts(true, count);
  return 0;
}
