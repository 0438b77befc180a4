#include "complementarity/test_linear.h"

enum { PROBLEMS = 20000 };

static void random_problems_of_every_kind_are_solved_or_told_unsolvable(void **state) {
  (void)state;
  solve_random_problems(REPEATS(PROBLEMS), 1);
}

/* every method by itself, without those that come before it */
static void every_method_solves_every_kind(void **state) {
  (void)state;
  static random_problem p;
  for (int method = FLG_METHOD_SMALL; method <= FLG_METHOD_LEMKE; method++) {
    flg_complementarity_options options = flg_complementarity_default();
    options.method = (flg_complementarity_method)method;
    test_solver made = solver_for(LARGEST, &options);
    random_source source = {(uint64_t)method};
    for (int k = 0; k < 40 * KIND_COUNT; k++) {
      make_problem(&source, (problem_kind)(k % KIND_COUNT), random_integer(&source, 1, 40), &p);
      solve_and_check(made.solver, &p);
    }
    drop_solver(&made);
  }
}

static void last_states_make_the_next_solve_shorter(void **state) {
  (void)state;
  static random_problem p;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {11};
  int cold = 0, warm = 0;
  for (int k = 0; k < 100; k++) {
    double z[LARGEST], w[LARGEST];
    unsigned char states[LARGEST] = {0};
    flg_complementarity_statistics statistics;
    make_problem(&source, FULL_RANK, random_integer(&source, 17, 64), &p);
    const flg_complementarity_matrix matrix = matrix_of_problem(&p);
    assert_int_equal(
        flg_complementarity_linear(made.solver, &matrix, p.q, states, z, w, &statistics), FLG_OK);
    cold += statistics.iterations;
    assert_int_equal(
        flg_complementarity_linear(made.solver, &matrix, p.q, states, z, w, &statistics), FLG_OK);
    assert_int_equal(statistics.iterations, 1);
    for (int i = 0; i < p.n; i++) p.q[i] *= random_uniform(&source, 0.99, 1.01);
    assert_int_equal(
        flg_complementarity_linear(made.solver, &matrix, p.q, states, z, w, &statistics), FLG_OK);
    warm += statistics.iterations;
  }
  assert_true(2 * warm < cold);
  drop_solver(&made);
}

/* bounds that are given are looked at one by one, those of linear problems are not: the same bits
 */
static void bounds_of_zero_and_infinity_are_those_of_linear_problems(void **state) {
  (void)state;
  static random_problem p;
  flg_complementarity_options options = flg_complementarity_default();
  options.method = FLG_METHOD_BLOCK;
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {12};
  double low[LARGEST] = {0}, high[LARGEST];
  for (int i = 0; i < LARGEST; i++) high[i] = HUGE_VAL;
  for (int k = 0; k < 50 * KIND_COUNT; k++) {
    double z[2][LARGEST] = {{0}}, w[2][LARGEST] = {{0}};
    unsigned char states[2][LARGEST] = {{0}};
    flg_complementarity_statistics statistics[2];
    make_problem(&source, (problem_kind)(k % KIND_COUNT), random_integer(&source, 1, 64), &p);
    const flg_complementarity_matrix matrix = matrix_of_problem(&p);
    const flg_status linear = flg_complementarity_linear(made.solver, &matrix, p.q, states[0], z[0],
                                                         w[0], &statistics[0]);
    assert_int_equal(flg_complementarity_mixed(made.solver, &matrix, p.q, low, high, states[1],
                                               z[1], w[1], &statistics[1]),
                     linear);
    assert_int_equal(statistics[0].iterations, statistics[1].iterations);
    assert_memory_equal(states[0], states[1], sizeof states[0]);
    assert_memory_equal(z[0], z[1], sizeof z[0]);
    assert_memory_equal(w[0], w[1], sizeof w[0]);
  }
  drop_solver(&made);
}

static void states_tell_active_tight_and_potential_rows(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(4, &options);
  const double a[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const double q[4] = {-1, 1, 0, -1e-9};
  const flg_complementarity_matrix matrix = {.n = 4, .dense = a, .leading = 4};
  unsigned char states[4] = {0};
  double z[4], w[4];
  assert_int_equal(flg_complementarity_linear(made.solver, &matrix, q, states, z, w, NULL), FLG_OK);
  assert_int_equal(states[0], FLG_ROW_ACTIVE);
  assert_int_equal(states[1], FLG_ROW_LOWER);
  assert_int_equal(states[2], FLG_ROW_LOWER | FLG_ROW_POTENTIAL);
  assert_int_equal(states[3], FLG_ROW_ACTIVE | FLG_ROW_POTENTIAL);
  drop_solver(&made);
}

static void expect_refusal(flg_complementarity *solver, const double *a, const double *q) {
  const flg_complementarity_matrix matrix = {.n = 2, .dense = a, .leading = 2};
  double z[2] = {7, 7}, w[2] = {7, 7};
  unsigned char states[2] = {9, 9};
  flg_complementarity_statistics statistics;
  assert_int_equal(flg_complementarity_linear(solver, &matrix, q, states, z, w, &statistics),
                   FLG_ERR_RANGE);
  assert_true(statistics.outcome == FLG_OUTCOME_BAD_INPUT ||
              statistics.outcome == FLG_OUTCOME_INDEFINITE);
  assert_true(z[0] == 7 && w[1] == 7 && states[0] == 9);
}

static void bad_input_is_refused_and_changes_nothing(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(2, &options);
  const double good[4] = {2, 1, 1, 2}, q[2] = {-1, -1};
  const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < 4; k++) {
    for (int b = 0; b < 3; b++) {
      double a[4], force[2] = {-1, -1};
      memcpy(a, good, sizeof a);
      a[k] = bad[b];
      expect_refusal(made.solver, a, q);
      force[k / 2] = bad[b];
      expect_refusal(made.solver, good, force);
    }
  }
  expect_refusal(made.solver, (const double[4]){2, 1, 0.5, 2}, q);
  expect_refusal(made.solver, (const double[4]){2, 1, 1, -2}, q);
  drop_solver(&made);
}

static void sizes_and_options_outside_their_range_are_refused(void **state) {
  (void)state;
  flg_complementarity_options options = flg_complementarity_default();
  flg_complementarity *solver = NULL;
  flg_region region = {.limit = 1000};
  flg_error error = {.status = FLG_OK};
  assert_int_equal(flg_complementarity_build(&solver, 4, &options, &region, &error),
                   FLG_ERR_MEMORY);
  options.tolerance = 0;
  assert_int_equal(flg_complementarity_build(&solver, 4, &options, &region, &error), FLG_ERR_RANGE);
  options = flg_complementarity_default();
  assert_int_equal(flg_complementarity_build(&solver, -1, &options, &region, &error),
                   FLG_ERR_RANGE);
  flg_region_release(&region);
  assert_null(solver);
  test_solver made = solver_for(1, &options);
  const double a[4] = {1, 0, 0, 1}, q[2] = {0};
  double z[2], w[2];
  const flg_complementarity_matrix large = {.n = 2, .dense = a, .leading = 2};
  const flg_complementarity_matrix none = {.n = 0, .dense = a, .leading = 1};
  assert_int_equal(flg_complementarity_linear(made.solver, &large, q, NULL, z, w, NULL),
                   FLG_ERR_RANGE);
  assert_int_equal(flg_complementarity_linear(made.solver, &none, q, NULL, z, w, NULL), FLG_OK);
  drop_solver(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problems_of_every_kind_are_solved_or_told_unsolvable),
      cmocka_unit_test(every_method_solves_every_kind),
      cmocka_unit_test(last_states_make_the_next_solve_shorter),
      cmocka_unit_test(bounds_of_zero_and_infinity_are_those_of_linear_problems),
      cmocka_unit_test(states_tell_active_tight_and_potential_rows),
      cmocka_unit_test(bad_input_is_refused_and_changes_nothing),
      cmocka_unit_test(sizes_and_options_outside_their_range_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
