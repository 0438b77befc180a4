/* Lemke's method where rows tie. */
#include "complementarity/solver.h"
#include "complementarity/test_problems.h"

enum { ROWS = 6, MOST = 40 };

/* Follows one path; true if it ends in a solution, soon. */
static bool is_solved(flg_complementarity *solver, int n, const double *a, const double *q) {
  static const double ones[ROWS] = {1, 1, 1, 1, 1, 1}, lower[ROWS];
  static const double upper[ROWS] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  const flg_rows rows = {
      .n = n, .a = a, .lda = n, .q = q, .s = ones, .root = ones, .lower = lower, .upper = upper};
  double z[ROWS];
  flg_run run = {.z = z};
  if (flg_lemke(solver, &rows, NULL, 0, &run) != FLG_OUTCOME_SOLVED) return false;
  for (int i = 0; i < n; i++) {
    double w = q[i];
    for (int j = 0; j < n; j++) w += a[i + j * n] * z[j];
    if (!(fabs(flg_smaller(z[i], w)) < 1e-9)) return false;
  }
  return run.iterations <= MOST;
}

/* Whole numbers tie exactly. A matrix without negative numbers is strictly copositive if its
 * diagonal is positive, so every path must end in a solution; without the lexicographic rule, one
 * path in a hundred comes back to where it was. */
static void paths_through_ties_end_in_a_solution(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(ROWS, &options);
  random_source source = {3};
  for (int k = 0; k < REPEATS(20000); k++) {
    double a[ROWS * ROWS], q[ROWS];
    const int n = random_integer(&source, 3, ROWS);
    for (int i = 0; i < n * n; i++) a[i] = i % (n + 1) == 0 ? 1 : random_integer(&source, 0, 2);
    for (int i = 0; i < n; i++) q[i] = random_integer(&source, -2, 0);
    if (!is_solved(made.solver, n, a, q)) fail_msg("problem %d, of %d rows, is not solved", k, n);
  }
  drop_solver(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(paths_through_ties_end_in_a_solution)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
