/* Rows between bodies, given without their matrix: against the dense matrix of the same rows,
 * against momentum, and against Coulomb's law as the tests write it. */
#include "complementarity/test_friction.h"
#include "complementarity/test_wall.h"

static void multiply_out(const wall *w, double *a) {
  for (int j = 0; j < w->n; j++) {
    for (int i = 0; i < w->n; i++) a[i + j * w->n] = wall_element(w, i, j);
  }
}

static test_solver solver_of_wall(const wall *w, flg_complementarity_method method,
                                  double tolerance, int iterations) {
  flg_complementarity_options options = flg_complementarity_default();
  options.method = method, options.tolerance = tolerance, options.bodies = w->bricks;
  options.iterations = iterations;
  return solver_for(w->n, &options);
}

/* full and different inverse masses */
static void fill_masses(random_source *source, wall *w) {
  for (int b = 0; b < w->bricks; b++) {
    double v[36];
    fill_random(source, 36, v);
    for (int r = 0; r < 36; r++) {
      double sum = r % 7 == 0;
      for (int k = 0; k < 6; k++) sum += v[k + r / 6 * 6] * v[k + r % 6 * 6];
      w->inverse_mass[36 * b + r] = sum;
    }
  }
}

/* of the matrix in another form, found directly and by iterations, and of the dense one */
static void assert_same_speeds(const wall *w, const double *a,
                               const flg_complementarity_matrix *matrix, int iterations) {
  double z[48], v[48], dense_v[48];
  const flg_complementarity_matrix dense = {.n = w->n, .dense = a, .leading = w->n};
  test_solver solvers[] = {solver_of_wall(w, FLG_METHOD_AUTOMATIC, 1e-10, 2000),
                           solver_of_wall(w, FLG_METHOD_ITERATIVE, 1e-10, iterations)};
  assert_int_equal(
      flg_complementarity_linear(solvers[0].solver, &dense, w->q, NULL, z, dense_v, NULL), FLG_OK);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(flg_complementarity_linear(solvers[k].solver, matrix, w->q, NULL, z, v, NULL),
                     FLG_OK);
    assert_true(max_difference(v, dense_v, w->n) < 1e-8);
    drop_solver(&solvers[k]);
  }
}

static void rows_of_bodies_give_the_answer_of_their_dense_matrix(void **state) {
  (void)state;
  static double a[48 * 48];
  random_source source = {71};
  for (int k = 0; k < 20; k++) {
    wall w = make_wall(&source, 2, 2);
    fill_masses(&source, &w);
    multiply_out(&w, a);
    const flg_complementarity_matrix sparse = matrix_of_wall(&w);
    assert_same_speeds(&w, a, &sparse, 20000);
    drop_wall(&w);
  }
}

/* bricks by twos, every pair a group of 12 rows with a rank of 7, as a hinge leaves it */
typedef struct group_pairs {
  flg_sparse_link links[8];
  double D[4][144];
} group_pairs;

/* D = 1 - g g^T over five directions g, one after the other */
static void hinge(random_source *source, double *D) {
  for (int r = 0; r < 144; r++) D[r] = r % 13 == 0;
  for (int k = 0; k < 5; k++) {
    double v[12], g[12] = {0}, length = 0;
    fill_random(source, 12, v);
    for (int r = 0; r < 144; r++) g[r % 12] += D[r] * v[r / 12];
    for (int i = 0; i < 12; i++) length += g[i] * g[i];
    for (int r = 0; r < 144; r++) D[r] -= g[r % 12] * g[r / 12] / length;
  }
}

static void join_pairs(random_source *source, wall *w, group_pairs *made) {
  assert_true(w->bricks <= 8 && w->bricks % 2 == 0);
  for (int b = 0; b < w->bricks; b++) {
    double *D = made->D[b / 2];
    const int first = 6 * (b % 2);
    if (b % 2 == 0) hinge(source, D);
    made->links[b] = (flg_sparse_link){b ^ 1, first, 6, D, 12};
    for (int r = 0; r < 36; r++) {
      w->inverse_mass[36 * b + r] = D[first + r % 6 + 12 * (first + r / 6)];
    }
  }
}

/* J D J^T, with D as one matrix over all bricks */
static void multiply_out_pairs(const wall *w, const group_pairs *of, double *a) {
  static double D[48 * 48], J[48 * 48], X[48 * 48];
  const int m = 6 * w->bricks, n = w->n;
  memset(D, 0, sizeof D), memset(J, 0, sizeof J), memset(X, 0, sizeof X);
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) {
      if (i / 12 == j / 12) D[i + 48 * j] = of->D[i / 12][i % 12 + 12 * (j % 12)];
    }
  }
  for (int k = 0; k < 2 * n; k++) {
    for (int c = 0; c < 6 && w->body[k] >= 0; c++) {
      J[k / 2 + 48 * (6 * w->body[k] + c)] = w->jacobian[6 * k + c];
    }
  }
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < m; k++) X[i + 48 * j] += J[i + 48 * k] * D[k + 48 * j];
    }
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < m; k++) sum += X[i + 48 * k] * J[j + 48 * k];
      a[i + j * n] = sum;
    }
  }
}

/* velocities that the hinges allow: what some impulses make of rest */
static void move_pairs(random_source *source, wall *w, const group_pairs *of) {
  double f[48], u[48] = {0};
  fill_random(source, 6 * w->bricks, f);
  for (int j = 0; j < 6 * w->bricks; j++) {
    for (int i = 0; i < 12; i++) u[j / 12 * 12 + i] += of->D[j / 12][i + 12 * (j % 12)] * f[j];
  }
  memset(w->q, 0, sizeof *w->q * (size_t)w->n);
  for (int i = 0; i < 12 * w->n; i++) {
    const int body = w->body[i / 6];
    if (body >= 0) w->q[i / 12] += w->jacobian[i] * u[6 * body + i % 6];
  }
}

static void groups_give_the_answer_of_their_dense_matrix(void **state) {
  (void)state;
  static double a[48 * 48];
  static group_pairs pairs;
  random_source source = {75};
  for (int k = 0; k < 20; k++) {
    wall w = make_wall(&source, 2, 2);
    join_pairs(&source, &w, &pairs);
    multiply_out_pairs(&w, &pairs, a);
    move_pairs(&source, &w, &pairs);
    const flg_complementarity_matrix sparse = matrix_of_wall(&w);
    flg_sparse_rows joined = *sparse.sparse;
    joined.links = pairs.links;
    const flg_complementarity_matrix groups = {.n = w.n, .sparse = &joined};
    assert_same_speeds(&w, a, &groups, 50000);
    drop_wall(&w);
  }
}

/* every form of the matrix by every way, judged by the law as it is written in the tests */
static void friction_of_bodies_fulfils_the_law(void **state) {
  (void)state;
  static contact_problem c;
  static const flg_complementarity_method methods[] = {FLG_METHOD_AUTOMATIC, FLG_METHOD_ITERATIVE};
  random_source source = {72};
  for (int k = 0; k < 40; k++) {
    wall w = make_wall(&source, 2, 2);
    double z[48], v[48];
    c.p.n = w.n, c.count = w.contact_count;
    memcpy(c.contacts, w.contacts, sizeof *w.contacts * (size_t)w.contact_count);
    memcpy(c.p.q, w.q, sizeof *w.q * (size_t)w.n);
    for (int i = 0; i < w.n; i++) c.p.lower[i] = 0, c.p.upper[i] = HUGE_VAL;
    multiply_out(&w, c.p.a);
    const flg_complementarity_matrix forms[] = {matrix_of_wall(&w), matrix_of_problem(&c.p)};
    for (int m = 0; m < 2; m++) {
      test_solver made = solver_of_wall(&w, methods[m], 1e-9, 20000);
      for (int form = 0; form < 2; form++) {
        assert_int_equal(flg_complementarity_cone(made.solver, &forms[form], w.q, w.contact_count,
                                                  w.contacts, NULL, z, v, NULL),
                         FLG_OK);
        assert_true(coulomb_violation(&c, z) < 1e-7);
        assert_int_equal(flg_complementarity_box(made.solver, &forms[form], w.q, w.contact_count,
                                                 w.contacts, NULL, z, v, NULL),
                         FLG_OK);
        bound_tangents(&c, z);
        assert_true(residual_of(&c.p, z, 0) < 1e-8);
      }
      drop_solver(&made);
    }
    drop_wall(&w);
  }
}

/* What the ground gives is what the bricks had, since they come to rest; and what has converged
 * stays: no iteration from the last impulses. */
static void walls_come_to_rest_on_the_ground(void **state) {
  (void)state;
  static const friction_solver solvers[] = {flg_complementarity_box, flg_complementarity_cone};
  random_source source = {73};
  wall w = make_wall(&source, 4, REPEATS(12) < 12 ? 3 : 12);
  double *z = wall_space(w.n, sizeof *z), *v = wall_space(w.n, sizeof *v), fall = 0;
  unsigned char *states = wall_space(w.n, 1);
  const flg_complementarity_matrix matrix = matrix_of_wall(&w);
  for (int b = 0; b < w.bricks; b++) fall -= w.velocity[6 * b + 2];
  test_solver made = solver_of_wall(&w, FLG_METHOD_ITERATIVE, 1e-7, 50000);
  for (int s = 0; s < 2; s++) {
    flg_complementarity_statistics told;
    double support = 0;
    memset(states, 0, (size_t)w.n);
    assert_int_equal(
        solvers[s](made.solver, &matrix, w.q, w.contact_count, w.contacts, states, z, v, &told),
        FLG_OK);
    assert_int_equal(told.method, FLG_METHOD_ITERATIVE);
    for (int k = 0; k < w.contact_count; k++) {
      if (w.body[6 * k + 1] < 0) support += z[3 * k];
    }
    print_message("%d rows: %d iterations, residual %.1e\n", w.n, told.iterations, told.residual);
    assert_near(support, fall, 4e-7 * fall);
    assert_int_equal(
        solvers[s](made.solver, &matrix, w.q, w.contact_count, w.contacts, states, z, v, &told),
        FLG_OK);
    assert_int_equal(told.iterations, 0);
  }
  drop_solver(&made);
  drop_wall(&w);
  free(z), free(v), free(states);
}

/* Contacts with rows side by side are swept as blocks, others row by row: the motion is the same.
 */
static void blocks_of_cones_do_as_rows_do(void **state) {
  (void)state;
  random_source source = {75};
  wall w = make_wall(&source, 3, 3);
  double *z = wall_space(w.n, sizeof *z), *v = wall_space(w.n, sizeof *v);
  double *softness = wall_space(w.n, sizeof *softness), *reference = wall_space(w.n, sizeof *v);
  test_solver made = solver_of_wall(&w, FLG_METHOD_ITERATIVE, 1e-9, 50000);
  for (int in_rows = 0; in_rows < 2; in_rows++) {
    w.sparse.softness = in_rows ? softness : NULL; /* none, but told: no blocks */
    const flg_complementarity_matrix matrix = matrix_of_wall(&w);
    assert_int_equal(flg_complementarity_cone(made.solver, &matrix, w.q, w.contact_count,
                                              w.contacts, NULL, z, in_rows ? reference : v, NULL),
                     FLG_OK);
  }
  assert_true(max_difference(v, reference, w.n) < 1e-6);
  drop_solver(&made);
  drop_wall(&w);
  free(z), free(v), free(softness), free(reference);
}

/* What is asked for ends the iterations: a part of sigma, of the speeds before, or the effort. */
static void iterations_end_where_it_is_enough(void **state) {
  (void)state;
  random_source source = {76};
  wall w = make_wall(&source, 4, 6);
  double *z = wall_space(w.n, sizeof *z), *v = wall_space(w.n, sizeof *v);
  double *before = wall_space(w.n, sizeof *before);
  flg_complementarity_statistics told[4];
  for (int k = 0; k < 4; k++) {
    flg_complementarity_options options = flg_complementarity_default();
    options.method = FLG_METHOD_ITERATIVE, options.bodies = w.bricks, options.iterations = 20000;
    options.enough = k == 0 ? 0 : 1e-3, options.effort = k == 3 ? w.n : 0;
    test_solver made = solver_for(w.n, &options);
    flg_complementarity_matrix matrix = matrix_of_wall(&w);
    matrix.before = k >= 2 ? before : NULL; /* at rest */
    flg_complementarity_cone(made.solver, &matrix, w.q, w.contact_count, w.contacts, NULL, z, v,
                             &told[k]);
    drop_solver(&made);
  }
  assert_true(told[0].residual <= 1e-10 && told[0].outcome == FLG_OUTCOME_SOLVED);
  assert_true(told[1].residual <= 1e-3 && told[1].outcome == FLG_OUTCOME_STALLED);
  assert_true(told[1].iterations < told[0].iterations);
  assert_true(told[2].residual <= 1e-10 && told[2].outcome == FLG_OUTCOME_SOLVED);
  assert_int_equal(told[3].iterations, 50);
  drop_wall(&w);
  free(z), free(v), free(before);
}

/* w = (1/m + softness) z + q */
static void softness_is_added_to_the_diagonal(void **state) {
  (void)state;
  const int body[2] = {-1, 0};
  const double jacobian[12] = {(double)NAN, 0, 0, 0, 0, 0, 0, 0, 1}, softness = 1.5, q = -3;
  double inverse_mass[36] = {0};
  for (int i = 0; i < 3; i++) inverse_mass[7 * i] = 0.5;
  const flg_sparse_rows sparse = {1, body, jacobian, inverse_mass, &softness};
  const flg_complementarity_matrix matrix = {.n = 1, .sparse = &sparse};
  flg_complementarity_options options = flg_complementarity_default();
  options.bodies = 1;
  for (int iterative = 0; iterative < 2; iterative++) {
    double z, w;
    if (iterative) options.method = FLG_METHOD_ITERATIVE;
    test_solver made = solver_for(1, &options);
    assert_int_equal(flg_complementarity_linear(made.solver, &matrix, &q, NULL, &z, &w, NULL),
                     FLG_OK);
    assert_near(z, 1.5, 1e-9);
    assert_near(w, 0, 1e-9);
    drop_solver(&made);
  }
}

static void rows_that_make_no_sense_are_refused(void **state) {
  (void)state;
  flg_complementarity_options options = flg_complementarity_default();
  options.bodies = 2;
  test_solver made = solver_for(1, &options);
  static const int bodies[][2] = {{0, 0}, {2, -1}, {0, 2}, {-2, 0}, {0, 1}, {0, 1}, {0, 1}, {0, 1}};
  const double q = -1, soft[] = {0, 0, 0, 0, -1, 0, 0, 0};
  for (int k = 0; k < 8; k++) {
    double jacobian[12] = {1, 0, 0, 0, 0, 0, -1}, masses[72], z = 7, w = 7;
    for (int r = 0; r < 72; r++) masses[r] = r % 36 % 7 == 0;
    if (k == 5) jacobian[8] = (double)NAN;
    if (k == 6) masses[1] = 0.1;
    if (k == 7) masses[36] = -1;
    const flg_sparse_rows sparse = {2, bodies[k], jacobian, masses, &soft[k]};
    const flg_complementarity_matrix matrix = {.n = 1, .sparse = &sparse};
    assert_int_equal(flg_complementarity_linear(made.solver, &matrix, &q, NULL, &z, &w, NULL),
                     FLG_ERR_RANGE);
    assert_true(z == 7 && w == 7);
  }
  const flg_sparse_rows many = {.body_count = 3};
  const flg_complementarity_matrix matrix = {.n = 0, .sparse = &many};
  assert_int_equal(flg_complementarity_linear(made.solver, &matrix, &q, NULL, NULL, NULL, NULL),
                   FLG_ERR_RANGE);
  drop_solver(&made);
}

/* M^-1 of bodies whose freedoms differ in size by far: what rounding leaves is accepted, by the
 * sizes of the two freedoms, and ten times as much as the bound is not. */
static void masses_are_symmetric_by_the_sizes_of_their_freedoms(void **state) {
  (void)state;
  flg_complementarity_options options = flg_complementarity_default();
  options.bodies = 1;
  test_solver made = solver_for(1, &options);
  static const int bodies[2] = {0, -1};
  static const double sizes[6] = {1e-3, 1e-3, 1e-3, 1e4, 20, 3e-5}, q = -1;
  for (int k = 0; k < 72; k++) {
    const int i = k % 6, j = k / 6 % 6;
    double jacobian[12] = {1}, masses[36] = {0}, z, w;
    if (i == j) continue;
    for (int r = 0; r < 6; r++) masses[7 * r] = sizes[r];
    masses[i + 6 * j] = (k < 36 ? 1e-10 : 1e-8) * sqrt(sizes[i] * sizes[j]);
    const flg_sparse_rows sparse = {1, bodies, jacobian, masses, NULL};
    const flg_complementarity_matrix matrix = {.n = 1, .sparse = &sparse};
    assert_int_equal(flg_complementarity_linear(made.solver, &matrix, &q, NULL, &z, &w, NULL),
                     k < 36 ? FLG_OK : FLG_ERR_RANGE);
  }
  drop_solver(&made);
}

static void nothing_to_solve_is_solved(void **state) {
  (void)state;
  static const friction_solver solvers[] = {flg_complementarity_box, flg_complementarity_cone};
  flg_complementarity_options options = flg_complementarity_default();
  const flg_sparse_rows nothing = {.body_count = 0};
  const flg_complementarity_matrix forms[] = {
      {.n = 0}, {.n = 0, .sparse = &nothing}, {.n = 0, .dense = (const double[1]){0}}};
  for (int iterative = 0; iterative < 2; iterative++) {
    if (iterative) options.method = FLG_METHOD_ITERATIVE;
    test_solver made = solver_for(0, &options);
    for (int k = 0; k < 6; k++) {
      double z = 7, w = 7;
      flg_complementarity_statistics told;
      assert_int_equal(solvers[k % 2](made.solver, &forms[k / 2], &z, 0, NULL, NULL, &z, &w, &told),
                       FLG_OK);
      assert_true(told.residual == 0 && z == 7 && w == 7);
      assert_int_equal(
          flg_complementarity_linear(made.solver, &forms[k / 2], &z, NULL, &z, &w, NULL), FLG_OK);
    }
    drop_solver(&made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_bodies_give_the_answer_of_their_dense_matrix),
      cmocka_unit_test(groups_give_the_answer_of_their_dense_matrix),
      cmocka_unit_test(friction_of_bodies_fulfils_the_law),
      cmocka_unit_test(walls_come_to_rest_on_the_ground),
      cmocka_unit_test(blocks_of_cones_do_as_rows_do),
      cmocka_unit_test(iterations_end_where_it_is_enough),
      cmocka_unit_test(softness_is_added_to_the_diagonal),
      cmocka_unit_test(rows_that_make_no_sense_are_refused),
      cmocka_unit_test(masses_are_symmetric_by_the_sizes_of_their_freedoms),
      cmocka_unit_test(nothing_to_solve_is_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
