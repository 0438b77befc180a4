/* Soft rows: G a + C l = gamma, against a dense solve in long double and closed forms; what they
 * tend to when they get stiff or weak. */
#include "interface/test_systems.h"

enum { TRIALS = 24 };

static flg_plan *solved_plan(test_system *s, flg_plan_order order, flg_elimination_form form) {
  flg_plan *plan = plan_of(s, order, form, 1e-8);
  fill_plan(plan, s, form);
  assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
  assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
  return plan;
}

/* --- against a dense solve -----------------------------------------------------------------------
 */

/* every second joint is soft; a third of the systems has gears, a third loops */
static test_system *random_soft_system(random_source *source, int trial, double decades) {
  const int bodies = random_integer(source, 5, 40);
  test_system *s = random_tree_system(source, bodies, 10, trial % 2, trial / 2 % 2, 0);
  if (trial % 3 == 1) add_random_gears(source, s, bodies / 5);
  for (int k = 0; k < bodies / 4 && trial % 3 == 2; k++) {
    const int a = random_integer(source, 1, bodies - 1), b = random_integer(source, 0, a - 1);
    add_random_joint(source, s, a, b, 1);
  }
  for (int j = trial % 2; j < s->joint_count; j += 2) {
    if (!s->joints[j].redundant[s->joints[j].rows - 1]) soften(source, s, j, decades);
  }
  return s;
}

static void springs_on_trees_and_loops_move_as_the_dense_solution(void **state) {
  (void)state;
  random_source source = {81};
  const double decades[2] = {2, 9};
  for (int k = 0; k < 2; k++) {
    double worst = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
      test_system *s = random_soft_system(&source, trial, decades[k]);
      worst = flg_larger(worst, compare_with_dense(s));
      system_drop(s);
    }
    print_message("           compliance over %g decades: %.1e\n", 2 * decades[k], worst);
    assert_true(worst < 1e-12);
  }
}

/* More springs than the bodies have freedom: 10 rows each between two bodies and to the ground. */
static void springs_may_be_more_than_there_is_freedom(void **state) {
  (void)state;
  random_source source = {82};
  for (int trial = 0; trial < TRIALS; trial++) {
    test_system *s = system_of(&source, 4, 10);
    for (int i = 0; i < 4; i++) {
      add_random_joint(&source, s, i, i == 0 ? FLG_GROUND : i - 1, 10);
      soften(&source, s, i, 1);
    }
    assert_true(compare_with_dense(s) < 1e-11); /* and all 40 rows count */
    system_drop(s);
  }
}

static void the_model_that_stays_open_is_symmetric_and_semidefinite(void **state) {
  (void)state;
  random_source source = {83};
  for (int trial = 0; trial < TRIALS; trial++) {
    test_system *s = random_soft_system(&source, trial, 3);
    s->outers[s->outer_count++] = (flg_graph_port){0, 0};
    s->outers[s->outer_count++] = (flg_graph_port){3, 0};
    flg_plan *plan = solved_plan(s, (flg_plan_order)(trial % 2), FLG_FORM_ADMITTANCE);
    flg_plan *root_plan = solved_plan(s, (flg_plan_order)(trial % 2), FLG_FORM_ROOT);
    const flg_plan_root root = flg_plan_root_view(plan, 0);
    const double *H = root.admittance;
    assert_int_equal(root.rows, 12);
    double x[12], work = 0, largest = 0;
    for (int i = 0; i < 144; i++) {
      assert_true(H[i] == H[i / 12 + i % 12 * 12]);
      largest = flg_larger(largest, fabs(H[i]));
    }
    for (int probe = 0; probe < 100; probe++) {
      fill_random(&source, x, 12);
      work = 0;
      for (int i = 0; i < 144; i++) work += x[i % 12] * H[i] * x[i / 12];
      assert_true(work > -1e-14 * largest);
    }
    assert_true(max_difference(H, flg_plan_root_view(root_plan, 0).admittance, 144) <
                1e-12 * largest);
    flg_plan_release(plan), flg_plan_release(root_plan);
    system_drop(s);
  }
}

/* --- limits --------------------------------------------------------------------------------------
 */

/* a chain whose joint 2 is hard, missing, or has the compliance C */
static test_system *chain_with(double C, int is_there) {
  random_source source = {84};
  test_system *s = random_tree_system(&source, 6, 10, 1, 1, 0);
  s->graph_joints[2].soft = C > 0;
  for (int i = 0; i < s->joints[2].rows; i++) s->joints[2].compliance[i] = C;
  if (!is_there) memset(s->joints[2].G, 0, sizeof s->joints[2].G);
  if (!is_there) memset(s->joints[2].gamma, 0, sizeof s->joints[2].gamma);
  return s;
}

/* The difference is in proportion to C on the one side, and to 1 / C on the other. */
static void a_soft_row_tends_to_a_hard_one_and_to_none(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const flg_plan_order order = (flg_plan_order)(k / 2);
    const flg_elimination_form form = (flg_elimination_form)(k % 2);
    double a[2][36];
    for (int is_there = 0; is_there < 2; is_there++) {
      test_system *s = chain_with(0, is_there);
      flg_plan *plan = solved_plan(s, order, form);
      for (int i = 0; i < 36; i++) a[is_there][i] = flg_plan_part_view(plan, i / 6).motion[i % 6];
      flg_plan_release(plan);
      system_drop(s);
    }
    const double C[6] = {1e-12, 1e-9, 1e-6, 1e6, 1e9, 1e12};
    for (int i = 0; i < 6; i++) {
      test_system *s = chain_with(C[i], 1);
      flg_plan *plan = solved_plan(s, order, form);
      const double away = C[i] < 1 ? C[i] : 1 / C[i];
      assert_true(motion_error(plan, s, a[C[i] < 1]) < 1e3 * away + 1e-13);
      assert_true(motion_error(plan, s, a[C[i] > 1]) > 1e-3);
      assert_int_equal(flg_plan_is_redundant(plan, 2, 0), 0);
      flg_plan_release(plan);
      system_drop(s);
    }
  }
}

/* --- springs -------------------------------------------------------------------------------------
 */

/* a body that moves along x and is held by springs there: a row each */
static test_system *mass_on_springs(double mass, double velocity, int springs) {
  random_source source = {85};
  test_system *s = system_of(&source, 1, 1);
  flg_sym3 inertia = flg_sym3_diagonal(mass);
  assert_int_equal(body_model_admittance(mass, inertia, s->H[0]), FLG_OK);
  assert_int_equal(body_model_root(mass, inertia, s->Z[0]), FLG_OK);
  memset(s->bias[0], 0, sizeof s->bias[0]);
  s->bias[0][0] = velocity;
  test_joint *joint = add_joint(s, 0, FLG_GROUND, springs);
  for (int i = 0; i < springs; i++) joint->G[0][i][0] = 1;
  s->graph_joints[0].soft = 1;
  return s;
}

/* One step of h with the spring and the damper taken at its end:
 * m (v+ - v) = - h k (c + h v+) - h d v+,  v+ = (m v - h k c) / (m + h d + h^2 k) */
static void a_stiff_spring_takes_the_implicit_step(void **state) {
  (void)state;
  const double m = 2, v = 3, c = 0.01, h = 0.02, d[2] = {0, 4e3};
  const double k[4] = {1, 1e4, 1e8, 1e12};
  for (int trial = 0; trial < 16; trial++) {
    const double stiffness = k[trial / 4], damping = d[trial / 2 % 2];
    const flg_elimination_form form = (flg_elimination_form)(trial % 2);
    test_system *s = mass_on_springs(m, v, 1);
    s->joints[0].compliance[0] = 1 / (h * h * stiffness + h * damping);
    s->joints[0].gamma[0] = -stiffness * c / (h * stiffness + damping);
    flg_plan *plan = solved_plan(s, FLG_PLAN_BALANCED, form);
    const double after = (m * v - h * stiffness * c) / (m + h * damping + h * h * stiffness);
    assert_near(flg_plan_part_view(plan, 0).motion[0], after, 1e-14);
    assert_near(flg_plan_joint_view(plan, 0).reactions[0], m * (after - v), 1e-13);
    /* the same with accelerations and forces: the factors stay */
    const double C = s->joints[0].compliance[0];
    flg_plan_part_view(plan, 0).bias[0] = 0;
    flg_plan_joint_view(plan, 0).gamma[0] = -(stiffness * c + (h * stiffness + damping) * v) * C;
    assert_int_equal(flg_plan_refresh(plan, NULL), FLG_OK);
    assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
    assert_near(v + h * flg_plan_part_view(plan, 0).motion[0], after, 1e-14);
    flg_plan_release(plan);
    system_drop(s);
  }
}

/* Two springs in the same place are one of the sum of their stiffnesses, and share its force. */
static void parallel_springs_share_the_load(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    test_system *s = mass_on_springs(2, 3, 3);
    const double C[3] = {0.5, 0.25, 1}; /* 1 / C adds up to 7 */
    memcpy(s->joints[0].compliance, C, sizeof C);
    flg_plan *plan = solved_plan(s, FLG_PLAN_BALANCED, (flg_elimination_form)form);
    const double after = 3 / (1 + 7. / 2), sum = 2 * (after - 3);
    assert_near(flg_plan_part_view(plan, 0).motion[0], after, 1e-14);
    assert_int_equal(flg_plan_totals_view(plan).rank, 3);
    for (int i = 0; i < 3; i++) {
      assert_near(flg_plan_joint_view(plan, 0).reactions[i], sum / (7 * C[i]), 1e-14);
      assert_int_equal(flg_plan_is_redundant(plan, 0, i), 0);
    }
    flg_plan_release(plan);
    system_drop(s);
  }
}

/* Beside a hard row a spring has nothing to do; one without compliance is a copy, and left out. */
static void a_row_is_redundant_only_without_compliance(void **state) {
  (void)state;
  const double soft[3] = {1e-3, 1e-6, 0};
  for (int k = 0; k < 6; k++) {
    const flg_elimination_form form = (flg_elimination_form)(k % 2);
    test_system *s = mass_on_springs(2, 3, 2);
    s->joints[0].compliance[1] = soft[k / 2];
    flg_plan *plan = solved_plan(s, FLG_PLAN_BALANCED, form);
    assert_near(flg_plan_part_view(plan, 0).motion[0], 0, 1e-14);
    assert_int_equal(flg_plan_totals_view(plan).rank, k / 2 < 2 ? 2 : 1);
    assert_int_equal(flg_plan_is_redundant(plan, 0, 1), k / 2 == 2);
    const double *reactions = flg_plan_joint_view(plan, 0).reactions;
    assert_near(reactions[0], -6, 1e-9);
    assert_near(reactions[1], 0, 1e-9);
    flg_plan_release(plan);
    system_drop(s);
  }
}

/* A spring between bodies that do not give way: nothing moves, but its force is known. */
static void a_spring_between_fixed_bodies_has_a_force(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    test_system *s = mass_on_springs(2, 3, 1);
    memset(s->H[0], 0, sizeof s->H[0]);
    memset(s->Z[0], 0, sizeof s->Z[0]);
    s->joints[0].compliance[0] = 0.25;
    s->joints[0].gamma[0] = 1;
    flg_plan *plan = solved_plan(s, FLG_PLAN_BALANCED, (flg_elimination_form)form);
    assert_near(flg_plan_joint_view(plan, 0).reactions[0], (1 - 3) / 0.25, 1e-14);
    assert_near(flg_plan_part_view(plan, 0).motion[0], 3, 0);
    flg_plan_release(plan);
    system_drop(s);
  }
}

/* --- steps ---------------------------------------------------------------------------------------
 */

/* New right-hand sides on the factors of the springs, and the springs left out by a scale of 0. */
static void a_refresh_uses_the_same_factors(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    test_system *s = mass_on_springs(2, 3, 1);
    s->joints[0].compliance[0] = 0.5;
    flg_plan *plan = solved_plan(s, FLG_PLAN_BALANCED, (flg_elimination_form)form);
    const flg_plan_joint joint = flg_plan_joint_view(plan, 0);
    const flg_plan_part part = flg_plan_part_view(plan, 0);
    assert_near(joint.reactions[0], -3, 1e-14); /* S = 1/2 + 1/2 */
    joint.gamma[0] = 1, part.bias[0] = -1;
    assert_int_equal(flg_plan_refresh(plan, NULL), FLG_OK);
    assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
    assert_near(joint.reactions[0], 2, 1e-14);
    assert_near(part.motion[0], 0, 1e-14);
    joint.scale[0] = 0;
    assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
    assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
    assert_true(part.motion[0] == -1 && joint.reactions[0] == 0);
    flg_plan_release(plan);
    system_drop(s);
  }
}

static void only_soft_joints_have_a_compliance(void **state) {
  (void)state;
  random_source source = {86};
  test_system *s = random_tree_system(&source, 3, 10, 1, 1, 0);
  add_random_joint(&source, s, 1, 0, 2);
  s->graph_joints[3].soft = 1;
  flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, FLG_FORM_ADMITTANCE, 1e-8);
  for (int j = 0; j < 4; j++) {
    const flg_plan_joint view = flg_plan_joint_view(plan, j);
    assert_true((view.compliance != NULL) == (j == 3));
    if (j == 3) assert_true(view.compliance[0] == 0 && view.compliance[1] == 0);
  }
  flg_plan_release(plan);
  system_drop(s);
}

static void a_compliance_that_cannot_be_ends_in_a_status(void **state) {
  (void)state;
  const double bad[3] = {-1, NAN, INFINITY};
  for (int k = 0; k < 6; k++) {
    const flg_elimination_form form = (flg_elimination_form)(k % 2);
    test_system *s = mass_on_springs(2, 3, 1);
    flg_plan *plan = solved_plan(s, FLG_PLAN_BALANCED, form);
    flg_plan_joint_view(plan, 0).compliance[0] = bad[k / 2];
    assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_ERR_DIVERGED);
    flg_plan_release(plan);
    system_drop(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(springs_on_trees_and_loops_move_as_the_dense_solution),
      cmocka_unit_test(springs_may_be_more_than_there_is_freedom),
      cmocka_unit_test(the_model_that_stays_open_is_symmetric_and_semidefinite),
      cmocka_unit_test(a_soft_row_tends_to_a_hard_one_and_to_none),
      cmocka_unit_test(a_stiff_spring_takes_the_implicit_step),
      cmocka_unit_test(parallel_springs_share_the_load),
      cmocka_unit_test(a_row_is_redundant_only_without_compliance),
      cmocka_unit_test(a_spring_between_fixed_bodies_has_a_force),
      cmocka_unit_test(a_refresh_uses_the_same_factors),
      cmocka_unit_test(only_soft_joints_have_a_compliance),
      cmocka_unit_test(a_compliance_that_cannot_be_ends_in_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
