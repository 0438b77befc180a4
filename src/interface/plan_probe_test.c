/* Probes of one joint against the dense system, and where reactions are not unique. */
#include "interface/plan_probe.h"

#include "interface/test_systems.h"

enum { N = FLG_PROBE_ROWS_MAX };

static flg_plan *factored(test_system *s, flg_elimination_form form) {
  flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, form, 1e-8);
  fill_plan(plan, s, form);
  assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
  return plan;
}

static flg_plan_probe probe_of(flg_plan *plan, int joint) {
  flg_plan_probe probe;
  double *work = checked(calloc((size_t)flg_plan_probe_work(plan), sizeof *work));
  assert_int_equal(flg_plan_probe_begin(plan, NULL), FLG_OK);
  assert_int_equal(flg_plan_probe_joint(plan, joint, 1, &probe, work, NULL), FLG_OK);
  free(work);
  return probe;
}

/* the block of the inverse of the whole S that belongs to the joint */
static double worst_of_joint(const dense_system *d, const flg_plan_probe *probe, int first) {
  long double *x = checked(calloc((size_t)d->m, sizeof *x));
  double worst = 0, most = 0;
  for (int k = 0; k < probe->rows; k++) {
    memset(x, 0, (size_t)d->m * sizeof *x);
    x[first + k] = 1;
    dense_solve(d, x);
    for (int i = 0; i < probe->rows; i++) {
      worst = flg_larger(worst, fabs(probe->inverse[i + k * probe->rows] - (double)x[first + i]));
      most = flg_larger(most, fabs((double)x[first + i]));
    }
  }
  free(x);
  return worst / most;
}

static void inverse_is_a_block_of_the_dense_inverse(void **state) {
  (void)state;
  random_source source = {11};
  for (int trial = 0; trial < 20; trial++) {
    test_system *s = random_tree_system(&source, 8, 100, trial % 2, 1, 0);
    const flg_elimination_form form = trial % 4 < 2 ? FLG_FORM_ADMITTANCE : FLG_FORM_ROOT;
    flg_plan *plan = factored(s, form);
    dense_system d = dense_of(s);
    for (int j = 0, first = 0; j < s->joint_count; first += s->joints[j++].rows) {
      const flg_plan_probe probe = probe_of(plan, j);
      assert_int_equal(probe.rank, s->joints[j].rows);
      assert_true(worst_of_joint(&d, &probe, first) < 1e-10);
    }
    dense_drop(&d);
    flg_plan_release(plan);
    system_drop(s);
  }
}

/* The same where rows are frozen: the inverse is found at once. Joints that close loops make blocks
 * that only elimination fills. */
static void frozen_rows_give_the_same_blocks(void **state) {
  (void)state;
  random_source source = {12};
  int frozen = 0;
  for (int trial = 0; trial < 30; trial++) {
    test_system *s = random_tree_system(&source, 12, 100, trial % 2, 0, 0);
    for (int k = 0; k < trial % 4; k++) add_random_joint(&source, s, k, 11 - k, 1 + k);
    flg_plan *plan = factored(s, FLG_FORM_ADMITTANCE);
    assert_int_equal(flg_plan_freeze(plan, NULL), FLG_OK);
    fill_plan(plan, s, FLG_FORM_ADMITTANCE);
    if (!flg_plan_factor_frozen(plan)) {
      assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
    }
    frozen += flg_plan_is_frozen(plan);
    dense_system d = dense_of(s);
    for (int j = 0, first = 0; j < s->joint_count; first += s->joints[j++].rows) {
      const flg_plan_probe probe = probe_of(plan, j);
      assert_true(worst_of_joint(&d, &probe, first) < 1e-10);
    }
    dense_drop(&d);
    flg_plan_release(plan);
    system_drop(s);
  }
  assert_true(frozen > 20);
}

/* Probes leave right-hand sides at rest for the next. */
static void probes_do_not_depend_on_those_before(void **state) {
  (void)state;
  random_source source = {13};
  test_system *s = random_tree_system(&source, 20, 100, 1, 1, 0);
  flg_plan *plan = factored(s, FLG_FORM_ADMITTANCE);
  double *work = checked(calloc((size_t)flg_plan_probe_work(plan), sizeof *work));
  flg_plan_probe first[40], again;
  assert_true(s->joint_count <= 40);
  for (int j = 0; j < s->joint_count; j++) first[j] = probe_of(plan, j);
  for (int j = s->joint_count - 1; j >= 0; j--) {
    assert_int_equal(flg_plan_probe_joint(plan, j, 1, &again, work, NULL), FLG_OK);
    assert_memory_equal(again.inverse, first[j].inverse, sizeof again.inverse);
  }
  free(work);
  flg_plan_release(plan);
  system_drop(s);
}

/* ground - bar - bar - bar - ground, all in one plane: what goes round across it, a force and two
 * moments, can be anything; what it is known by are the two forces in the plane */
static void a_planar_loop_is_loose_across_its_plane(void **state) {
  (void)state;
  random_source source = {5};
  const flg_vec3 z = {0, 0, 1};
  test_system *s = system_of(&source, 3, 10);
  for (int k = 0; k < 4; k++) {
    test_joint *joint =
        k == 3 ? add_joint(s, 2, FLG_GROUND, 5) : add_joint(s, k, k == 0 ? FLG_GROUND : k - 1, 5);
    const flg_vec3 arm[2] = {{k == 3 ? 0.7 : -0.5, 0.2 * k, 0}, {0.6, 0.3 - 0.1 * k, 0}};
    set_revolute(joint, z, arm);
  }
  flg_plan *plan = factored(s, FLG_FORM_ADMITTANCE);
  for (int j = 0; j < 4; j++) {
    const flg_plan_probe probe = probe_of(plan, j);
    assert_int_equal(probe.rank, 2);
    for (int i = 0; i < 5; i++) {
      double c[N] = {0};
      c[i] = 1;
      assert_int_equal(flg_plan_probe_is_unique(&probe, c, 1), i < 2);
    }
  }
  flg_plan_release(plan);
  system_drop(s);
}

/* a joint that says the same twice, and others that do not */
static void a_row_that_is_there_twice_is_loose_in_its_joint_alone(void **state) {
  (void)state;
  random_source source = {3};
  test_system *s = random_tree_system(&source, 5, 10, 1, 0, 0);
  test_joint *joint = add_random_joint(&source, s, 0, FLG_GROUND, 3);
  add_redundant_row(&source, joint);
  const int last = s->joint_count - 1;
  flg_plan *plan = factored(s, FLG_FORM_ADMITTANCE);
  for (int j = 0; j < s->joint_count; j++) {
    const flg_plan_probe probe = probe_of(plan, j);
    assert_int_equal(probe.rank, j == last ? 3 : s->joints[j].rows);
  }
  flg_plan_release(plan);
  system_drop(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_is_a_block_of_the_dense_inverse),
      cmocka_unit_test(frozen_rows_give_the_same_blocks),
      cmocka_unit_test(probes_do_not_depend_on_those_before),
      cmocka_unit_test(a_planar_loop_is_loose_across_its_plane),
      cmocka_unit_test(a_row_that_is_there_twice_is_loose_in_its_joint_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
