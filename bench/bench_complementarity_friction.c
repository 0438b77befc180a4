/* bench_complementarity_friction - contacts with friction, few and many.
 *
 * Few: columns of bricks on each other (test_wall.h), 1, 4, 8 and 16 contacts, every other column
 * pushed so that it slides; and contacts at random on bodies with a few freedoms more than they
 * have rows. Box and cone, cold and warm: from the states and impulses of a neighbouring problem,
 * velocities changed by 1 %. Siconos solves the same cones by Gauss-Seidel and by Newton, from
 * nothing. Many: a wall of 1000 bricks as sparse rows, 12,000 of them: milliseconds and residual
 * after a number of iterations. Times are the smallest of many batches of 20 problems.
 */
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_Solvers.h>
#include <unistd.h>

#include "complementarity/test_friction.h"
#include "complementarity/test_wall.h"
#include "stopwatch.h"

enum { PROBLEMS = 20 };

static contact_problem problems[PROBLEMS];
static double neighbours[PROBLEMS][LARGEST]; /* q of the problem before */
static FILE *report;                         /* where our lines go; the peers' go nowhere */

static int open_report(void) {
  report = fdopen(dup(STDOUT_FILENO), "w");
  return report != NULL && freopen("/dev/null", "w", stdout) != NULL &&
         freopen("/dev/null", "w", stderr) != NULL;
}

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

typedef struct outcome {
  double seconds; /* a problem */
  int solved;
} outcome;

static int is_right(int is_cone, contact_problem *c, const double *z) {
  bound_tangents(c, z);
  return (is_cone ? coulomb_violation(c, z) : residual_of(&c->p, z, 0)) < 1e-8;
}

/* q of all problems, from states and z as they are */
static void solve_all(flg_complementarity *solver, int is_cone, int neighbour,
                      unsigned char (*states)[LARGEST], double (*z)[LARGEST]) {
  const friction_solver solve = is_cone ? flg_complementarity_cone : flg_complementarity_box;
  for (int k = 0; k < PROBLEMS; k++) {
    double w[LARGEST];
    const contact_problem *c = &problems[k];
    const flg_complementarity_matrix matrix = matrix_of_problem(&c->p);
    solve(solver, &matrix, neighbour ? neighbours[k] : c->p.q, NULL, NULL, c->count, c->contacts,
          states[k], z[k], w, NULL);
  }
}

static outcome measure_ours(flg_complementarity *solver, int is_cone, int warm) {
  static unsigned char before[PROBLEMS][LARGEST], states[PROBLEMS][LARGEST];
  static double last[PROBLEMS][LARGEST], z[PROBLEMS][LARGEST];
  outcome result = {HUGE_VAL, 0};
  memset(before, 0, sizeof before);
  if (warm) solve_all(solver, is_cone, 1, before, last);
  for (int b = 0; b < 6000 / problems[0].p.n; b++) {
    memcpy(states, before, sizeof states);
    memcpy(z, last, sizeof z);
    const double start = now();
    solve_all(solver, is_cone, 0, states, z);
    result.seconds = flg_smaller(result.seconds, (now() - start) / PROBLEMS);
  }
  for (int k = 0; k < PROBLEMS; k++) result.solved += is_right(is_cone, &problems[k], z[k]);
  return result;
}

static outcome measure_siconos(int identity) {
  outcome result = {HUGE_VAL, 0};
  SolverOptions *options = solver_options_create(identity);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
  for (int b = 0; b < 5; b++) {
    double spent = 0;
    result.solved = 0;
    for (int k = 0; k < PROBLEMS; k++) {
      contact_problem *c = &problems[k];
      double z[LARGEST] = {0}, w[LARGEST] = {0}, mu[CONTACTS];
      for (int i = 0; i < c->count; i++) mu[i] = c->contacts[i].coefficient;
      NumericsMatrix *view = NM_create_from_data(NM_DENSE, c->p.n, c->p.n, c->p.a);
      FrictionContactProblem problem = {3, c->count, view, c->p.q, mu};
      const double start = now();
      fc3d_driver(&problem, z, w, options);
      spent += now() - start;
      result.solved += is_right(1, c, z);
      view->matrix0 = NULL;
      NM_clear(view);
      free(view);
    }
    result.seconds = flg_smaller(result.seconds, spent / PROBLEMS);
  }
  solver_options_delete(options);
  return result;
}

static void show(const char *name, outcome result) {
  fprintf(report, "  %-24s %10.2f us   %2d of %d solved\n", name, 1e6 * result.seconds,
          result.solved, PROBLEMS);
}

static void run_few(int is_column, int count) {
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(3 * count, &options);
  random_source source = {9};
  for (int k = 0; k < PROBLEMS; k++) (is_column ? make_column : make_random)(&source, count, k);
  fprintf(report, "\n%d contacts, %s\n", count, is_column ? "a column of bricks" : "at random");
  show("Flange, box, cold", measure_ours(made.solver, 0, 0));
  show("Flange, box, warm", measure_ours(made.solver, 0, 1));
  show("Flange, cone, cold", measure_ours(made.solver, 1, 0));
  show("Flange, cone, warm", measure_ours(made.solver, 1, 1));
  show("Siconos Gauss-Seidel", measure_siconos(SICONOS_FRICTION_3D_NSGS));
  show("Siconos Newton", measure_siconos(SICONOS_FRICTION_3D_NSN_AC));
  drop_solver(&made);
}

/* one solve of the wall; z and states are those of the last */
static void run_wall(const wall *w, const double *q, int is_cone, int iterations, const char *start,
                     unsigned char *states, double *z) {
  flg_complementarity_options options = flg_complementarity_default();
  options.bodies = w->bricks, options.direct_limit = 100;
  options.tolerance = 1e-8, options.iterations = iterations;
  test_solver made = solver_for(w->n, &options);
  double *velocity = wall_space(w->n, sizeof *velocity);
  flg_complementarity_statistics told;
  const flg_complementarity_matrix matrix = matrix_of_wall(w);
  const friction_solver solve = is_cone ? flg_complementarity_cone : flg_complementarity_box;
  const double begin = now();
  solve(made.solver, &matrix, q, NULL, NULL, w->contact_count, w->contacts, states, z, velocity,
        &told);
  const double spent = 1e3 * (now() - begin);
  fprintf(report, "  %s, %s, %4d iterations %8.1f ms, %.3f an iteration, residual %.1e\n",
          is_cone ? "cone" : "box ", start, told.iterations, spent, spent / told.iterations,
          told.residual);
  free(velocity);
  drop_solver(&made);
}

static void run_many(int width, int courses) {
  random_source source = {7};
  wall w = make_wall(&source, width, courses);
  double *z = wall_space(w.n, sizeof *z), *q = wall_space(w.n, sizeof *q);
  unsigned char *states = wall_space(w.n, 1);
  for (int i = 0; i < 12 * w.n; i++) {
    const int body = w.body[i / 6];
    if (body < 0) continue;
    q[i / 12] += w.jacobian[i] * w.velocity[6 * body + i % 6] * (1 + 0.005 * (body % 5 - 2));
  }
  fprintf(report, "\na wall of %d bricks, %d rows\n", w.bricks, w.n);
  for (int is_cone = 0; is_cone < 2; is_cone++) {
    for (int iterations = 50; iterations <= 800; iterations *= 2) {
      memset(states, 0, (size_t)w.n);
      run_wall(&w, w.q, is_cone, iterations, "cold", states, z);
      run_wall(&w, q, is_cone, iterations, "warm", states, z);
    }
  }
  drop_wall(&w);
  free(z), free(q), free(states);
}

int main(void) {
  static const int counts[] = {1, 4, 8, 16};
  if (!open_report()) return 1;
  for (int k = 0; k < 8; k++) run_few(k / 4, counts[k % 4]);
  run_many(40, 25);
  return fclose(report) == 0 ? 0 : 1;
}
