#include "complementarity/test_linear.h"

/* any mixture of one-sided, boxed, fixed and free rows */
static void set_random_bounds(random_source *source, random_problem *p, int with_free) {
  for (int i = 0; i < p->n; i++) {
    const double root = sqrt(*entry(p, i, i)), unit = root > 0 ? 1 / root : 1;
    const double a = random_uniform(source, -1, 1), b = a + random_uniform(source, 0, 1);
    p->lower[i] = a * unit, p->upper[i] = b * unit;
    switch (random_integer(source, 0, with_free ? 5 : 4)) {
      case 0:
        p->lower[i] = 0, p->upper[i] = HUGE_VAL;
        break;
      case 1:
        p->lower[i] = -HUGE_VAL;
        break;
      case 2:
        p->upper[i] = p->lower[i];
        break;
      case 5:
        p->lower[i] = -HUGE_VAL, p->upper[i] = HUGE_VAL;
        break;
      default:
        break;
    }
  }
}

/* q = w - A z with z inside its bounds and w on the right side */
static void make_mixed_solvable(random_source *source, random_problem *p) {
  double z[LARGEST];
  for (int i = 0; i < p->n; i++) {
    const double low = p->lower[i], high = p->upper[i], value = random_uniform(source, 0, 1);
    const double root = sqrt(*entry(p, i, i)), unit = root > 0 ? 1 / root : 1;
    const double inside = flg_smaller(flg_larger(value * unit, low), high);
    const int side = random_integer(source, 0, 2);
    z[i] = side == 0 && low > -HUGE_VAL ? low : side == 2 && high < HUGE_VAL ? high : inside;
    p->q[i] = z[i] == low ? value / unit : 0;
    if (z[i] == high && low < high) p->q[i] = -value / unit;
  }
  for (int j = 0; j < p->n; j++) {
    for (int i = 0; i < p->n; i++) p->q[i] -= *entry(p, i, j) * z[j];
  }
}

static void small_mixed_problems_agree_with_enumeration(void **state) {
  (void)state;
  static random_problem p;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {21};
  static const problem_kind kinds[] = {FULL_RANK, DUPLICATED_ROWS, ZERO_ROWS, EQUAL_PIVOTS,
                                       BADLY_SCALED};
  for (int k = 0; k < 3000; k++) {
    const int most = k % 300 == 0 ? ENUMERATED : k % 20 == 0 ? 6 : 4;
    make_problem(&source, kinds[k % 5], random_integer(&source, most == ENUMERATED ? 9 : 1, most),
                 &p);
    set_random_bounds(&source, &p, 1);
    if (k % 2 == 0) make_mixed_solvable(&source, &p);
    compare_with_enumeration(made.solver, &p);
  }
  drop_solver(&made);
}

static void solve_mixed(flg_complementarity *solver, random_problem *p) {
  double z[LARGEST], w[LARGEST];
  flg_complementarity_statistics statistics;
  const flg_complementarity_matrix matrix = matrix_of_problem(p);
  const flg_status status =
      flg_complementarity_mixed(solver, &matrix, p->q, p->lower, p->upper, NULL, z, w, &statistics);
  const double residual = residual_of(p, z, 0);
  if (status == FLG_OK && residual < 1e-9) return;
  print_error("kind %d, n = %d: %s by %s, residual %g\n", p->kind, p->n,
              flg_complementarity_outcome_text(statistics.outcome),
              flg_complementarity_method_name(statistics.method), residual);
  fail();
}

static void mixed_problems_of_every_size_and_kind_are_solved(void **state) {
  (void)state;
  static random_problem p;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {22};
  for (int k = 0; k < 3000; k++) {
    const int n = random_integer(&source, 1, k % 3 == 0 ? LARGEST : 20);
    make_problem(&source, (problem_kind)(k % UNSOLVABLE), n, &p);
    set_random_bounds(&source, &p, 1);
    make_mixed_solvable(&source, &p);
    solve_mixed(made.solver, &p);
  }
  drop_solver(&made);
}

static void boxed_rows_have_a_solution_whatever_pushes(void **state) {
  (void)state;
  static random_problem p;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {23};
  for (int k = 0; k < 1000; k++) {
    make_problem(&source, (problem_kind)(k % KIND_COUNT), random_integer(&source, 1, 40), &p);
    for (int i = 0; i < p.n; i++) p.lower[i] = -1, p.upper[i] = random_uniform(&source, -1, 2);
    solve_mixed(made.solver, &p);
  }
  drop_solver(&made);
}

static void free_rows_are_equations(void **state) {
  (void)state;
  static random_problem p;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {24};
  for (int k = 0; k < 200; k++) {
    double z[LARGEST], w[LARGEST];
    unsigned char states[LARGEST] = {0};
    make_problem(&source, FULL_RANK, random_integer(&source, 1, LARGEST), &p);
    for (int i = 0; i < p.n; i++) p.lower[i] = -HUGE_VAL;
    const flg_complementarity_matrix matrix = matrix_of_problem(&p);
    assert_int_equal(
        flg_complementarity_mixed(made.solver, &matrix, p.q, p.lower, p.upper, states, z, w, NULL),
        FLG_OK);
    for (int i = 0; i < p.n; i++) {
      assert_near(w[i], 0, 5e-11);
      assert_int_equal(states[i], FLG_ROW_ACTIVE);
    }
  }
  drop_solver(&made);
}

static void crossed_bounds_are_refused(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(1, &options);
  const double a = 1, q = 0,
               bounds[][2] = {{1, 0},
                              {(double)NAN, 0},
                              {0, (double)NAN},
                              {HUGE_VAL, HUGE_VAL},
                              {-HUGE_VAL, -HUGE_VAL}};
  const flg_complementarity_matrix matrix = {.n = 1, .dense = &a, .leading = 1};
  double z = 7, w = 7;
  for (int k = 0; k < 5; k++) {
    assert_int_equal(flg_complementarity_mixed(made.solver, &matrix, &q, &bounds[k][0],
                                               &bounds[k][1], NULL, &z, &w, NULL),
                     FLG_ERR_RANGE);
    assert_true(z == 7 && w == 7);
  }
  drop_solver(&made);
}

/* d = (1, -1) has d'Ad = -2 */
static void indefinite_matrices_are_told_as_such(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(2, &options);
  const double a[4] = {1, 2, 2, 1}, q[2] = {-1, 1};
  const double lower[2] = {-HUGE_VAL, -HUGE_VAL}, upper[2] = {HUGE_VAL, HUGE_VAL};
  const flg_complementarity_matrix matrix = {.n = 2, .dense = a, .leading = 2};
  double z[2] = {7, 7}, w[2] = {7, 7};
  flg_complementarity_statistics statistics;
  assert_int_equal(
      flg_complementarity_mixed(made.solver, &matrix, q, lower, upper, NULL, z, w, &statistics),
      FLG_ERR_RANGE);
  assert_int_equal(statistics.outcome, FLG_OUTCOME_INDEFINITE);
  assert_true(z[0] == 7 && w[1] == 7);
  drop_solver(&made);
}

/* a pivot that is rounding, even where another rounding was divided by before, is no proof */
static void semidefinite_matrices_are_not_called_indefinite(void **state) {
  (void)state;
  static random_problem p;
  static double v[LARGEST * LARGEST];
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {25};
  for (int k = 0; k < 2000; k++) {
    double z[LARGEST], w[LARGEST];
    flg_complementarity_statistics statistics;
    const int rank = random_integer(&source, 1, 12);
    p.kind = DUPLICATED_ROWS, p.n = random_integer(&source, rank, 40);
    fill_random(&source, rank * p.n, v);
    for (int i = 0; i < rank * p.n; i++) v[i] *= pow(10, random_uniform(&source, -6, 0));
    fill_gram(&p, rank, v);
    set_random_bounds(&source, &p, 1);
    fill_random(&source, p.n, p.q);
    const flg_complementarity_matrix matrix = matrix_of_problem(&p);
    flg_complementarity_mixed(made.solver, &matrix, p.q, p.lower, p.upper, NULL, z, w, &statistics);
    assert_int_not_equal(statistics.outcome, FLG_OUTCOME_INDEFINITE);
  }
  drop_solver(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_mixed_problems_agree_with_enumeration),
      cmocka_unit_test(mixed_problems_of_every_size_and_kind_are_solved),
      cmocka_unit_test(boxed_rows_have_a_solution_whatever_pushes),
      cmocka_unit_test(free_rows_are_equations),
      cmocka_unit_test(crossed_bounds_are_refused),
      cmocka_unit_test(indefinite_matrices_are_told_as_such),
      cmocka_unit_test(semidefinite_matrices_are_not_called_indefinite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
