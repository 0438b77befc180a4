/* Chains, trees and loops of rigid bodies with random constraint rows, against a dense solve in long
 * double: accelerations, ranks, and the model of what stays open. */
#include <float.h>

#include "interface/test_systems.h"

enum { TRIALS = 12 };

/* worst error over plans in both orders and forms */
static double worst_error(test_system *s, const double *a) {
  double worst = 0;
  for (int order = 0; order < 2; order++) {
    for (int form = 0; form < 2; form++) {
      flg_plan *plan = plan_of(s, (flg_plan_order)order, (flg_elimination_form)form, 1e-8);
      fill_plan(plan, s, (flg_elimination_form)form);
      assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL, NULL), FLG_OK);
      assert_int_equal(flg_plan_solve(plan, NULL, NULL, NULL), FLG_OK);
      assert_int_equal(flg_plan_totals_view(plan).rank, independent_rows(s));
      const double error = motion_error(plan, s, a);
      if (!(error <= worst)) worst = error;
      flg_plan_release(plan);
    }
  }
  return worst;
}

static double compare_with_dense(test_system *s) {
  dense_system d = dense_of(s);
  double *a = checked(malloc((size_t)d.n * sizeof(double)));
  dense_motion(&d, NULL, a);
  const double error = worst_error(s, a);
  free(a);
  dense_drop(&d);
  return error;
}

static double worst_of_random_systems(uint64_t seed, double ratio, int redundant) {
  random_source source = {seed};
  double worst = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int bodies = random_integer(&source, 5, 64);
    test_system *s = random_tree_system(&source, bodies, ratio, trial % 2, trial / 2 % 2, redundant);
    worst = fmax(worst, compare_with_dense(s));
    system_drop(s);
  }
  return worst;
}

static void chains_and_trees_move_as_the_dense_solution(void **state) {
  (void)state;
  const double error = worst_of_random_systems(1, 10, 0);
  print_message("           mass ratio 10: %.1e\n", error);
  assert_true(error < 1e-12);
}

static void redundant_rows_are_found_and_do_not_change_the_motion(void **state) {
  (void)state;
  const double error = worst_of_random_systems(2, 10, 2);
  print_message("           with redundant rows: %.1e\n", error);
  assert_true(error < 1e-12);
}

static void a_mass_ratio_of_a_million_leaves_eight_digits(void **state) {
  (void)state;
  const double error = fmax(worst_of_random_systems(3, 1e6, 0), worst_of_random_systems(4, 1e6, 2));
  print_message("           mass ratio 1e6: %.1e\n", error);
  assert_true(error < 1e-8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_and_trees_move_as_the_dense_solution),
      cmocka_unit_test(redundant_rows_are_found_and_do_not_change_the_motion),
      cmocka_unit_test(a_mass_ratio_of_a_million_leaves_eight_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
