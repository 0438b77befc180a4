/* Chains, trees and loops of rigid bodies with random constraint rows, against a dense solve in
 * long double: accelerations, ranks, and the model of what stays open. */
#include <lapacke.h>

#include "interface/test_systems.h"

enum { TRIALS = 12 };

static double worst_of_random_systems(uint64_t seed, double ratio, int redundant) {
  random_source source = {seed};
  double worst = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int bodies = random_integer(&source, 5, 64);
    test_system *s =
        random_tree_system(&source, bodies, ratio, trial % 2, trial / 2 % 2, redundant);
    worst = flg_larger(worst, compare_with_dense(s));
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
  const double error =
      flg_larger(worst_of_random_systems(3, 1e6, 0), worst_of_random_systems(4, 1e6, 2));
  print_message("           mass ratio 1e6: %.1e\n", error);
  assert_true(error < 1e-8);
}

/* --- loops ---------------------------------------------------------------------------------------
 */

static void systems_with_loops_move_as_the_dense_solution(void **state) {
  (void)state;
  random_source source = {5};
  double worst = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int bodies = random_integer(&source, 5, 48);
    test_system *s = random_tree_system(&source, bodies, 10, trial % 2, trial / 2 % 2, trial % 3);
    for (int k = 0; k < bodies / 5; k++) { /* one row each: far from blocking the system */
      const int a = random_integer(&source, 1, bodies - 1), b = random_integer(&source, 0, a - 1);
      add_random_joint(&source, s, a, b, 1);
    }
    worst = flg_larger(worst, compare_with_dense(s));
    system_drop(s);
  }
  print_message("           loops: %.1e\n", worst);
  assert_true(worst < 1e-12);
}

/* --- another reference
 * ---------------------------------------------------------------------------- */

/* [M -G^T; G C] [a; l] = [f; gamma], all of it at once, by LAPACK */
static void lapack_motion(const test_system *s, const dense_system *d, double *a) {
  const int n = d->n, size = n + d->m;
  double *K = checked(calloc((size_t)size * (size_t)size, sizeof *K));
  double *x = checked(calloc((size_t)size, sizeof *x));
  lapack_int *pivots = checked(calloc((size_t)size, sizeof *pivots));
  for (int i = 0; i < n; i++) { /* rows times M^-1: a - M^-1 G^T l = b */
    K[i + size * i] = 1;
    x[i] = s->bias[i / 6][i % 6];
    for (int r = 0; r < d->m; r++) K[i + size * (n + r)] = -(double)d->P[r * n + i];
  }
  for (int r = 0; r < d->m; r++) {
    long double gamma = d->rhs[r];
    for (int i = 0; i < n; i++) {
      K[n + r + size * i] = (double)d->G[r * n + i];
      gamma += d->G[r * n + i] * (long double)s->bias[i / 6][i % 6];
    }
    K[n + r + size * (n + r)] = (double)d->C[r];
    x[n + r] = (double)gamma;
  }
  assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, size, 1, K, size, pivots, x, size), 0);
  memcpy(a, x, (size_t)n * sizeof *a);
  free(K), free(x), free(pivots);
}

static void the_kkt_system_solved_by_lapack_agrees(void **state) {
  (void)state;
  random_source source = {6};
  for (int trial = 0; trial < TRIALS; trial++) {
    test_system *s = random_tree_system(&source, random_integer(&source, 5, 30), 10, trial % 2,
                                        trial / 2 % 2, trial % 3);
    if (trial % 4 == 1) add_random_gears(&source, s, 3);
    if (trial % 4 == 3) soften(&source, s, 0, 2), add_random_groups(&source, s, 3);
    dense_system d = dense_of(s);
    double *a = checked(malloc((size_t)d.n * sizeof *a));
    lapack_motion(s, &d, a);
    assert_true(worst_error(s, a) < 1e-12);
    free(a);
    dense_drop(&d);
    system_drop(s);
  }
}

/* --- what stays open
 * ------------------------------------------------------------------------------ */

/* D = A W A^T and r of the outer ports, each column from the motion under a unit force */
static void dense_model(const test_system *s, const dense_system *d, double *D, double *r) {
  const int k = 6 * s->outer_count;
  double *x = checked(calloc((size_t)d->n, sizeof *x)),
         *a = checked(malloc((size_t)d->n * sizeof *a));
  dense_motion(d, NULL, a);
  for (int i = 0; i < k; i++) r[i] = a[6 * s->outers[i / 6].part + i % 6];
  for (int j = 0; j < k; j++) {
    const int at = 6 * s->outers[j / 6].part + j % 6;
    x[at] = 1e6; /* large, so that r does not take digits away */
    dense_motion(d, x, a);
    x[at] = 0;
    for (int i = 0; i < k; i++) {
      D[i + k * j] = (a[6 * s->outers[i / 6].part + i % 6] - r[i]) / 1e6;
    }
  }
  free(x), free(a);
}

/* largest difference, by the largest free admittance or bias: a D near zero is as good as zero */
static double model_error(const flg_plan *plan, const test_system *s, const double *D,
                          const double *r) {
  const flg_plan_root root = flg_plan_root_view(plan, 0);
  double largest = 0, largest_r = 1;
  for (int i = 0; i < s->body_count; i++) {
    for (int k = 0; k < 6; k++) largest = flg_larger(largest, s->H[i][7 * k]);
  }
  for (int i = 0; i < root.rows; i++) largest_r = flg_larger(largest_r, fabs(r[i]));
  assert_int_equal(root.rows, 6 * s->outer_count);
  for (int i = 0; i < root.rows; i++) { /* rows come out in the order of the tree */
    assert_int_equal(root.part[i], s->outers[i / 6].part);
    assert_int_equal(root.row[i], i % 6);
  }
  return flg_larger(max_difference(root.admittance, D, root.rows * root.rows) / largest,
                    max_difference(root.bias, r, root.rows) / largest_r);
}

/* rows of unit length at right angles to each other, as joints have them */
static void orthonormalise(int rows, double G[][6]) {
  for (int i = 0; i < rows; i++) {
    for (int pass = 0; pass < 2; pass++) {
      for (int j = 0; j < i; j++) {
        double along = 0;
        for (int k = 0; k < 6; k++) along += G[i][k] * G[j][k];
        for (int k = 0; k < 6; k++) G[i][k] -= along * G[j][k];
      }
    }
    double square = 0;
    for (int k = 0; k < 6; k++) square += G[i][k] * G[i][k];
    for (int k = 0; k < 6; k++) G[i][k] /= sqrt(square);
  }
}

/* Body 0 is held by `rows` rows; what body 1 shows through its weld has rank 6 - rows. */
static test_system *held_system(random_source *source, int rows, int is_orthonormal) {
  test_system *s = system_of(source, 3, 10);
  if (rows > 0) {
    test_joint *ground = add_random_joint(source, s, 0, FLG_GROUND, rows);
    if (is_orthonormal) orthonormalise(rows, ground->G[0]);
  }
  test_joint *weld = add_joint(s, 1, 0, 6);
  for (int i = 0; i < 6; i++) weld->G[0][i][i] = 1, weld->G[1][i][i] = -1;
  weld->G[1][1][5] = 0.3, weld->G[1][2][4] = -0.3;
  test_joint *hung = add_random_joint(source, s, 2, 1, 3);
  if (is_orthonormal) orthonormalise(3, hung->G[0]), orthonormalise(3, hung->G[1]);
  s->outers[s->outer_count++] = (flg_graph_port){1, 0};
  return s;
}

/* worst error of each form, ranks 6, 5, 4, 3, 2, 1 in turn, both orders */
static void worst_models(uint64_t seed, int is_orthonormal, double worst[2]) {
  random_source source = {seed};
  worst[0] = worst[1] = 0;
  for (int trial = 0; trial < 300; trial++) {
    test_system *s = held_system(&source, trial % 6, is_orthonormal);
    dense_system d = dense_of(s);
    double D[36], r[6];
    dense_model(s, &d, D, r);
    for (int k = 0; k < 4; k++) {
      const flg_elimination_form form = (flg_elimination_form)(k % 2);
      flg_plan *plan = plan_of(s, (flg_plan_order)(k / 2), form, 1e-8);
      fill_plan(plan, s, form);
      assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
      assert_int_equal(flg_plan_totals_view(plan).rank, independent_rows(s));
      worst[form] = flg_larger(worst[form], model_error(plan, s, D, r));
      flg_plan_release(plan);
    }
    dense_drop(&d);
    system_drop(s);
  }
}

static void the_model_of_open_ports_is_right_at_every_rank(void **state) {
  (void)state;
  double worst[2];
  worst_models(7, 1, worst);
  print_message("           rows as of joints: admittance %.1e, root %.1e\n", worst[0], worst[1]);
  assert_true(worst[0] < 1e-13 && worst[1] < 1e-13);
}

/* Entirely random rows may be nearly dependent. S squares that: in the worst of these systems the
 * admittance form loses four digits, on the same numbers on which the root form loses none. */
static void nearly_dependent_rows_leave_the_root_form_its_digits(void **state) {
  (void)state;
  double worst[2];
  worst_models(7, 0, worst);
  print_message("           random rows: admittance %.1e, root %.1e\n", worst[0], worst[1]);
  assert_true(worst[0] < 1e-9 && worst[1] < 1e-13);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_and_trees_move_as_the_dense_solution),
      cmocka_unit_test(redundant_rows_are_found_and_do_not_change_the_motion),
      cmocka_unit_test(a_mass_ratio_of_a_million_leaves_eight_digits),
      cmocka_unit_test(systems_with_loops_move_as_the_dense_solution),
      cmocka_unit_test(the_kkt_system_solved_by_lapack_agrees),
      cmocka_unit_test(the_model_of_open_ports_is_right_at_every_rank),
      cmocka_unit_test(nearly_dependent_rows_leave_the_root_form_its_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
