/* Siconos solves the same problems: linear by Lemke, mixed by enumeration, friction by its
 * Gauss-Seidel on contacts. Matrices are definite here, so that the solution is unique (linear,
 * mixed) or w at least comparable. */
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LinearComplementarityProblem.h>
#include <MLCP_Solvers.h>
#include <MixedLinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <mlcp_cst.h>

#include "complementarity/test_friction.h"

/* Siconos does not free all that its drivers take; read by LeakSanitizer where there is one. */
const char *__lsan_default_suppressions(void); // NOLINT(bugprone-reserved-identifier)
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void) {
  return "leak:libsiconos_numerics";
}

/* a dense matrix on the caller's numbers */
static NumericsMatrix *view_of(int n, double *a) {
  NumericsMatrix *matrix = NM_create_from_data(NM_DENSE, n, n, a);
  assert_non_null(matrix);
  return matrix;
}

static void drop_view(NumericsMatrix *matrix) {
  matrix->matrix0 = NULL;
  NM_clear(matrix);
  free(matrix);
}

static void linear_problems_agree_with_lemke(void **state) {
  (void)state;
  static random_problem p;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  SolverOptions *theirs = solver_options_create(SICONOS_LCP_LEMKE);
  random_source source = {51};
  for (int k = 0; k < 300; k++) {
    double z[LARGEST], w[LARGEST], x[LARGEST] = {0}, y[LARGEST] = {0};
    make_problem(&source, FULL_RANK, random_integer(&source, 1, 32), &p);
    const flg_complementarity_matrix matrix = matrix_of_problem(&p);
    assert_int_equal(flg_complementarity_linear(made.solver, &matrix, p.q, NULL, z, w, NULL),
                     FLG_OK);
    NumericsMatrix *view = view_of(p.n, p.a);
    LinearComplementarityProblem problem = {p.n, view, p.q};
    theirs->iparam[0] = 10000;
    if (linearComplementarity_driver(&problem, x, y, theirs) == 0) {
      for (int i = 0; i < p.n; i++) assert_near(w[i], y[i], 1e-11);
      for (int i = 0; i < p.n; i++) assert_near(z[i], x[i], 1e-10);
    }
    drop_view(view);
  }
  solver_options_delete(theirs);
  drop_solver(&made);
}

/* the first rows are equations, the others one-sided */
static void mixed_problems_agree_with_their_enumeration(void **state) {
  (void)state;
  static random_problem p;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {52};
  int compared = 0;
  for (int k = 0; k < 60; k++) {
    double z[LARGEST], w[LARGEST], x[LARGEST] = {0}, y[LARGEST] = {0};
    const int n = random_integer(&source, 3, 9), equations = random_integer(&source, 1, n - 1);
    make_problem(&source, FULL_RANK, n, &p);
    for (int i = 0; i < equations; i++) p.lower[i] = -HUGE_VAL;
    const flg_complementarity_matrix matrix = matrix_of_problem(&p);
    assert_int_equal(
        flg_complementarity_mixed(made.solver, &matrix, p.q, p.lower, p.upper, NULL, z, w, NULL),
        FLG_OK);
    NumericsMatrix *view = view_of(n, p.a);
    int rows[3] = {0, equations, n}, complementary[2] = {0, 1};
    MixedLinearComplementarityProblem problem = {.isStorageType1 = 1,
                                                 .n = equations,
                                                 .m = n - equations,
                                                 .blocksRows = rows,
                                                 .blocksIsComp = complementary,
                                                 .M = view,
                                                 .q = p.q};
    SolverOptions *theirs = solver_options_create(SICONOS_MLCP_ENUM);
    mlcp_driver_init(&problem, theirs);
    if (mlcp_driver(&problem, x, y, theirs) == 0) {
      for (int i = 0; i < n; i++) assert_near(z[i], x[i], 1e-9);
      compared++;
    }
    mlcp_driver_reset(&problem, theirs);
    solver_options_delete(theirs);
    drop_view(view);
  }
  assert_true(compared > 30);
  drop_solver(&made);
}

static void cone_friction_agrees_with_their_gauss_seidel(void **state) {
  (void)state;
  static contact_problem c;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {53};
  int compared = 0;
  for (int k = 0; k < 100; k++) {
    double z[LARGEST], w[LARGEST], x[LARGEST] = {0}, y[LARGEST] = {0}, mu[CONTACTS];
    const int count = random_integer(&source, 1, 6), n = 3 * count;
    make_contacts(&source, count, n + 3, &c);
    for (int i = 0; i < n; i++) *entry(&c.p, i, i) += 1;
    for (int i = 0; i < count; i++) mu[i] = c.contacts[i].coefficient *= 0.5;
    const flg_complementarity_matrix matrix = matrix_of_problem(&c.p);
    assert_int_equal(
        flg_complementarity_cone(made.solver, &matrix, c.p.q, count, c.contacts, NULL, z, w, NULL),
        FLG_OK);
    NumericsMatrix *view = view_of(n, c.p.a);
    FrictionContactProblem problem = {3, count, view, c.p.q, mu};
    SolverOptions *theirs = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    theirs->dparam[SICONOS_DPARAM_TOL] = 1e-12;
    theirs->iparam[SICONOS_IPARAM_MAX_ITER] = 20000;
    if (fc3d_driver(&problem, x, y, theirs) == 0) {
      for (int i = 0; i < n; i++) assert_near(z[i], x[i], 4e-10);
      compared++;
    }
    solver_options_delete(theirs);
    drop_view(view);
  }
  assert_true(compared > 80);
  drop_solver(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_problems_agree_with_lemke),
      cmocka_unit_test(mixed_problems_agree_with_their_enumeration),
      cmocka_unit_test(cone_friction_agrees_with_their_gauss_seidel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
