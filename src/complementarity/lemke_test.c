/* Lemke's method where rows tie, with bounds of every kind, and with friction. */
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

/* A = B B^T + 1/10, and q */
static void draw_matrix(random_source *source, int n, double *a, double *q) {
  double b[ROWS * ROWS];
  for (int i = 0; i < n * n; i++) b[i] = random_uniform(source, -1, 1);
  for (int i = 0; i < n * n; i++) {
    a[i] = i % (n + 1) == 0 ? 0.1 : 0;
    for (int k = 0; k < n; k++) a[i] += b[i % n + k * n] * b[i / n + k * n];
  }
  for (int i = 0; i < n; i++) q[i] = random_uniform(source, -3, 3);
}

/* how far z is from its bounds, and w = A z + q from what they allow */
static double fault_of(int n, const double *a, const double *q, const double *lower,
                       const double *upper, const double *z) {
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double w = q[i];
    for (int j = 0; j < n; j++) w += a[i + j * n] * z[j];
    const double to = flg_smaller(flg_larger(z[i] - w, lower[i]), upper[i]);
    worst = flg_larger(worst, fabs(z[i] - to));
  }
  return worst;
}

/* Rows with no bound, one or two, none of them at zero, in units of their own; every path ends in
 * the one answer. */
static void bounds_of_every_kind_are_kept(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(3 * ROWS, &options);
  random_source source = {4};
  double worst = 0;
  int stalled = 0;
  for (int k = 0; k < REPEATS(2000); k++) {
    double a[ROWS * ROWS], q[ROWS], s[ROWS], root[ROWS], lower[ROWS], upper[ROWS], z[ROWS];
    const int n = random_integer(&source, 1, ROWS);
    draw_matrix(&source, n, a, q);
    for (int i = 0; i < n; i++) {
      const int kind = random_integer(&source, 0, 3);
      s[i] = random_uniform(&source, 0.2, 3), root[i] = 1 / s[i];
      lower[i] = kind % 2 ? random_uniform(&source, -2, 0.5) : -HUGE_VAL;
      upper[i] = kind < 2 ? HUGE_VAL : random_uniform(&source, 0.5, 2);
    }
    const flg_rows rows = {
        .n = n, .a = a, .lda = n, .q = q, .s = s, .root = root, .lower = lower, .upper = upper};
    for (int path = 0; path < 3; path++) {
      flg_run run = {.z = z};
      const flg_complementarity_outcome outcome = flg_lemke(made.solver, &rows, NULL, path, &run);
      if (outcome != FLG_OUTCOME_SOLVED) { /* rounding may spoil one path, others lead around */
        stalled++;
        continue;
      }
      worst = flg_larger(worst, fault_of(n, a, q, lower, upper, z));
    }
  }
  assert_true(stalled < REPEATS(2000) / 10); /* 26 of 6000 */
  assert_near(worst, 0, 2e-13);
  drop_solver(&made);
}

/* A u = 0 for a u > 0: there is an answer if q . u > 0, and none if it is less: no z lifts u . (A z
 * + q). */
static void rays_prove_that_there_is_no_solution(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(3 * ROWS, &options);
  random_source source = {6};
  for (int k = 0; k < REPEATS(2000); k++) {
    double a[ROWS * ROWS] = {0}, q[ROWS], u[ROWS], s[ROWS], root[ROWS], z[ROWS];
    double lower[ROWS] = {0}, upper[ROWS], square = 0, along = 0;
    const int n = random_integer(&source, 2, ROWS);
    for (int i = 0; i < n; i++) {
      u[i] = random_uniform(&source, 0.5, 2), square += u[i] * u[i], upper[i] = HUGE_VAL;
      s[i] = random_uniform(&source, 0.2, 3), root[i] = 1 / s[i];
    }
    for (int c = 1; c < n; c++) {
      double b[ROWS], part = 0;
      for (int i = 0; i < n; i++) b[i] = random_uniform(&source, -1, 1), part += b[i] * u[i];
      for (int i = 0; i < n; i++) b[i] -= part / square * u[i];
      for (int i = 0; i < n * n; i++) a[i] += b[i % n] * b[i / n];
    }
    for (int i = 0; i < n; i++) q[i] = random_uniform(&source, -1, 1), along += q[i] * u[i];
    if (fabs(along) < 0.1) continue;
    const flg_rows rows = {
        .n = n, .a = a, .lda = n, .q = q, .s = s, .root = root, .lower = lower, .upper = upper};
    flg_run run = {.z = z};
    const flg_complementarity_outcome outcome = flg_lemke(made.solver, &rows, NULL, 0, &run);
    assert_int_equal(outcome, along > 0 ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_UNSOLVABLE);
  }
  drop_solver(&made);
}

/* Contacts of a normal and a tangent that it bounds by a slope, beside a row with bounds of its
 * own. */
static void friction_is_bounded_by_its_normal(void **state) {
  (void)state;
  enum { N = 5 };
  static const int normal[N] = {-1, 0, -1, -1, 3};
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(3 * ROWS, &options);
  random_source source = {5};
  double worst = 0;
  int slides = 0, sticks = 0;
  for (int k = 0; k < REPEATS(2000); k++) {
    double a[ROWS * ROWS], q[ROWS], s[ROWS], root[ROWS], z[ROWS], slope[N] = {0};
    double lower[N] = {0, -HUGE_VAL, -0.5, 0, -HUGE_VAL};
    double upper[N] = {HUGE_VAL, HUGE_VAL, 0.7, HUGE_VAL, HUGE_VAL};
    draw_matrix(&source, N, a, q);
    for (int i = 0; i < N; i++) {
      s[i] = random_uniform(&source, 0.2, 3), root[i] = 1 / s[i];
      if (normal[i] >= 0) slope[i] = random_uniform(&source, 0.05, 0.3);
    }
    const flg_coupling coupling = {normal, slope};
    const flg_rows rows = {
        .n = N, .a = a, .lda = N, .q = q, .s = s, .root = root, .lower = lower, .upper = upper};
    flg_run run = {.z = z};
    if (flg_lemke(made.solver, &rows, &coupling, k % 2, &run) != FLG_OUTCOME_SOLVED) continue;
    for (int i = 0; i < N; i++) {
      if (normal[i] < 0) continue;
      upper[i] = slope[i] * z[normal[i]], lower[i] = -upper[i];
      slides += upper[i] > 0 && fabs(z[i]) > upper[i] - 1e-9;
      sticks += fabs(z[i]) < upper[i] - 1e-9;
    }
    worst = flg_larger(worst, fault_of(N, a, q, lower, upper, z));
  }
  assert_true(slides > REPEATS(2000) / 8 && sticks > REPEATS(2000) / 100);
  assert_near(worst, 0, 1e-13);
  drop_solver(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_through_ties_end_in_a_solution),
      cmocka_unit_test(bounds_of_every_kind_are_kept),
      cmocka_unit_test(rays_prove_that_there_is_no_solution),
      cmocka_unit_test(friction_is_bounded_by_its_normal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
