/* test_linear.h - solves random linear problems and judges them; for the test and its long form. */
#ifndef FLG_COMPLEMENTARITY_TEST_LINEAR_H
#define FLG_COMPLEMENTARITY_TEST_LINEAR_H

#include "complementarity/test_problems.h"

/* z, w of a solvable problem; unsolvable ones must be reported. Classes with moderate answers are
 * held to the residual by |q| alone. */
static inline void solve_and_check(flg_complementarity *solver, random_problem *p) {
  double z[LARGEST], w[LARGEST];
  flg_complementarity_statistics statistics;
  const flg_complementarity_matrix matrix = matrix_of_problem(p);
  const flg_status status =
      flg_complementarity_linear(solver, &matrix, p->q, NULL, z, w, &statistics);
  if (p->kind == UNSOLVABLE) {
    assert_int_equal(status, FLG_ERR_PHYSICS);
    assert_int_equal(statistics.outcome, FLG_OUTCOME_UNSOLVABLE);
    return;
  }
  const double residual = residual_of(p, z, p->kind != NEARLY_SINGULAR);
  if (status != FLG_OK || !(residual < 1e-9) || !(statistics.residual < 1e-9)) {
    print_error("kind %d, n = %d: %s by %s after %d iterations, residual %g\n", p->kind, p->n,
                flg_complementarity_outcome_text(statistics.outcome),
                flg_complementarity_method_name(statistics.method), statistics.iterations,
                residual);
    fail();
  }
}

/* w of a semidefinite problem is unique: it must be that of the enumeration */
static inline void compare_with_enumeration(flg_complementarity *solver, random_problem *p) {
  double z[ENUMERATED], w[ENUMERATED], theirs[ENUMERATED] = {0}, sigma = 0;
  const flg_complementarity_matrix matrix = matrix_of_problem(p);
  const flg_status status =
      flg_complementarity_mixed(solver, &matrix, p->q, p->lower, p->upper, NULL, z, w, NULL);
  const double best = enumerate(p, theirs);
  if (status == FLG_ERR_PHYSICS) {
    assert_true(!(best < 1e-9));
    return;
  }
  assert_int_equal(status, FLG_OK);
  assert_true(best < 1e-7);
  for (int i = 0; i < p->n; i++) {
    const double root = sqrt(*entry(p, i, i));
    sigma = flg_larger(sigma, flg_larger(fabs(z[i]), fabs(theirs[i])) * root);
    if (root > 0) sigma = flg_larger(sigma, fabs(p->q[i]) / root);
  }
  for (int i = 0; i < p->n; i++) {
    double difference = 0;
    const double root = sqrt(*entry(p, i, i));
    for (int j = 0; j < p->n; j++) difference += *entry(p, i, j) * (z[j] - theirs[j]);
    if (root > 0) assert_near(difference / root, 0, 5e-12 * sigma);
  }
}

static inline void solve_random_problems(long count, uint64_t seed) {
  static random_problem p;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {seed};
  for (long k = 0; k < count; k++) {
    const int n = random_integer(&source, 1, random_integer(&source, 0, 2) > 0 ? 24 : LARGEST);
    make_problem(&source, (problem_kind)(k % KIND_COUNT), n, &p);
    solve_and_check(made.solver, &p);
    if (n <= ENUMERATED) compare_with_enumeration(made.solver, &p);
  }
  drop_solver(&made);
}

#endif
