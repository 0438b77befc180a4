/* Complementarity problems of every awkward kind, by every method, cold and from the last answer:
 * impulses, speeds, states, and what it took to find them. */
#include "complementarity/test_friction.h"
#include "complementarity/test_wall.h"
#include "stored/kernels.h"

enum { PROBLEMS = 40, WALL_ROWS = 300 };

/* what a solve of n rows left behind */
typedef struct answer {
  int n;
  double z[WALL_ROWS], w[WALL_ROWS];
  unsigned char states[WALL_ROWS];
  flg_complementarity_statistics statistics;
} answer;

static void add_answer(digest *to, const answer *of, flg_status status) {
  const flg_complementarity_statistics *s = &of->statistics;
  const int64_t counts[] = {status,        s->outcome,        s->method,
                            s->iterations, s->dependent_rows, s->even};
  const double measures[] = {s->residual, s->speed, s->excess};
  for (int k = 0; k < 6; k++) add_count(to, counts[k]);
  add_numbers(to, DIGEST_KINDS, 3, measures);
  add_numbers(to, FORCES, of->n, of->z), add_numbers(to, SPEEDS, of->n, of->w);
  for (int i = 0; i < of->n; i++) add_count(to, of->states[i]);
}

static test_solver solver_by(flg_complementarity_method method, int capacity, int bodies) {
  flg_complementarity_options options = flg_complementarity_default();
  options.method = method, options.bodies = bodies;
  options.iterations = 150;
  return solver_for(capacity, &options);
}

/* methods that a solver may begin with */
static flg_complementarity_method drawn_method(random_source *source) {
  return (flg_complementarity_method)random_integer(source, 0, FLG_METHOD_ITERATIVE);
}

/* any mixture of one-sided, boxed, fixed and free rows */
static void draw_bounds(random_source *source, random_problem *p) {
  for (int i = 0; i < p->n; i++) {
    const double a = random_uniform(source, -1, 1);
    const int side = random_integer(source, 0, 5);
    p->lower[i] = side == 0 ? 0 : side == 1 || side == 5 ? -HUGE_VAL : a;
    p->upper[i] = side == 0 || side == 5 ? HUGE_VAL : side == 2 ? a : a + 0.5;
    if (p->upper[i] < p->lower[i]) p->upper[i] = p->lower[i];
  }
}

/* three solves: cold, of a little other q from there, and of the first again */
static void solve_bounded(random_source *source, bool is_mixed, digest *to) {
  static random_problem p;
  static answer of;
  for (int k = 0; k < PROBLEMS; k++) {
    make_problem(source, (problem_kind)(k % KIND_COUNT), random_integer(source, 1, 32), &p);
    if (is_mixed) draw_bounds(source, &p);
    test_solver made = solver_by(drawn_method(source), LARGEST, 0);
    const flg_complementarity_matrix matrix = matrix_of_problem(&p);
    of = (answer){.n = p.n};
    for (int turn = 0; turn < 3; turn++) {
      const double by = turn == 0 ? 1 : 1 + 0.1 * (3 - 2 * turn) * random_uniform(source, -1, 1);
      for (int i = 0; i < p.n; i += 2) p.q[i] *= by;
      const flg_status status = flg_complementarity_mixed(
          made.solver, &matrix, p.q, is_mixed ? p.lower : NULL, is_mixed ? p.upper : NULL,
          of.states, of.z, of.w, &of.statistics);
      add_answer(to, &of, status);
    }
    drop_solver(&made);
  }
}

static void run_linear(random_source *source, digest *to) {
  solve_bounded(source, false, to);
}

static void run_mixed(random_source *source, digest *to) {
  solve_bounded(source, true, to);
}

/* what contacts are told besides their matrix, in turn */
static void tell_more(random_source *source, int k, flg_complementarity_matrix *matrix) {
  matrix->left = k % 4 == 1 ? pow(10, random_uniform(source, -8, -2)) : 0;
  matrix->brief = k % 8 == 5, matrix->stays = k % 3 == 2;
}

static void solve_contacts(random_source *source, friction_solver *solve, int is_cone, digest *to) {
  static contact_problem c;
  static answer of;
  for (int k = 0; k < PROBLEMS; k++) {
    make_friction(source, is_cone, k, &c);
    test_solver made = solver_by(drawn_method(source), LARGEST, 0);
    flg_complementarity_matrix matrix = matrix_of_problem(&c.p);
    tell_more(source, k, &matrix);
    of = (answer){.n = c.p.n};
    for (int turn = 0; turn < 2; turn++) {
      const flg_status status = (*solve)(made.solver, &matrix, c.p.q, c.count, c.contacts,
                                         of.states, of.z, of.w, &of.statistics);
      add_answer(to, &of, status);
      for (int i = 0; i < c.p.n; i++) c.p.q[i] += 0.02 * random_uniform(source, -1, 1);
    }
    drop_solver(&made);
  }
}

static void run_box(random_source *source, digest *to) {
  friction_solver solve = flg_complementarity_box;
  solve_contacts(source, &solve, 0, to);
}

static void run_cone(random_source *source, digest *to) {
  friction_solver solve = flg_complementarity_cone;
  solve_contacts(source, &solve, 1, to);
}

static void run_interior(random_source *source, digest *to) {
  friction_solver solve = flg_complementarity_interior;
  solve_contacts(source, &solve, 1, to);
}

/* answers of others: none at all, and those of the box */
static void run_judge(random_source *source, digest *to) {
  static contact_problem c;
  static answer of;
  for (int k = 0; k < PROBLEMS; k++) {
    make_friction(source, 1, k, &c);
    test_solver made = solver_by(FLG_METHOD_AUTOMATIC, LARGEST, 0);
    const flg_complementarity_matrix matrix = matrix_of_problem(&c.p);
    of = (answer){.n = c.p.n};
    flg_complementarity_box(made.solver, &matrix, c.p.q, c.count, c.contacts, NULL, of.z, of.w,
                            NULL);
    const flg_status status = flg_complementarity_judge(
        made.solver, &matrix, c.p.q, c.count, c.contacts, of.states, of.z, of.w, &of.statistics);
    add_answer(to, &of, status);
    drop_solver(&made);
  }
}

/* walls as sparse rows, with and without softness */
static void run_walls(random_source *source, digest *to) {
  static answer of;
  double softness[WALL_ROWS];
  for (int k = 0; k < 6; k++) {
    wall w = make_wall(source, random_integer(source, 2, 4), random_integer(source, 1, 3));
    test_solver made =
        solver_by(k % 2 == 0 ? FLG_METHOD_AUTOMATIC : FLG_METHOD_ITERATIVE, w.n, w.bricks);
    const double yields = pow(10, random_uniform(source, -6, -1));
    for (int i = 0; i < w.n; i++) softness[i] = yields;
    if (k % 3 != 0) w.sparse.softness = softness;
    flg_complementarity_matrix matrix = matrix_of_wall(&w);
    tell_more(source, k, &matrix);
    of = (answer){.n = w.n};
    for (int turn = 0; turn < 2; turn++) {
      const flg_status status =
          flg_complementarity_cone(made.solver, &matrix, w.q, w.contact_count, w.contacts,
                                   of.states, of.z, of.w, &of.statistics);
      add_answer(to, &of, status);
      for (int i = 0; i < w.n; i++) w.q[i] += 1e-3 * random_uniform(source, -1, 1);
    }
    drop_solver(&made), drop_wall(&w);
  }
}

const kernel complementarity_kernels[] = {{"linear", run_linear, 12}, {"mixed", run_mixed, 12},
                                          {"box", run_box, 8},        {"cone", run_cone, 12},
                                          {"judge", run_judge, 2},    {"interior", run_interior, 6},
                                          {"walls", run_walls, 8},    {NULL, NULL, 0}};
