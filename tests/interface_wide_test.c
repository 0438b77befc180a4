/* Joints with three and four ends, against a dense solve in long double: gears on trees, graphs
 * that only such joints hold together, groups, copies of rows, and parts with several ports. */
#include "interface/test_systems.h"

enum { TRIALS = 24 };

/* --- motion --------------------------------------------------------------------------------------
 */

static void gears_on_trees_move_as_the_dense_solution(void **state) {
  (void)state;
  random_source source = {71};
  double worst = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int bodies = random_integer(&source, 5, 48);
    test_system *s = random_tree_system(&source, bodies, 10, trial % 2, trial / 2 % 2, trial % 3);
    add_random_gears(&source, s, bodies / 5);
    if (trial % 3 == 0) add_random_groups(&source, s, random_integer(&source, 1, 5));
    worst = flg_larger(worst, compare_with_dense(s));
    system_drop(s);
  }
  print_message("           gears on trees: %.1e\n", worst);
  assert_true(worst < 1e-12);
}

static void wide_joints_alone_hold_a_system_together(void **state) {
  (void)state;
  random_source source = {72};
  double worst = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int bodies = random_integer(&source, 5, 40);
    test_system *s = random_wide_system(&source, bodies, 10);
    if (trial % 2 == 0) add_random_gears(&source, s, bodies / 6);
    if (trial % 3 == 0) add_random_groups(&source, s, random_integer(&source, 1, 5));
    worst = flg_larger(worst, compare_with_dense(s));
    system_drop(s);
  }
  print_message("           wide joints alone: %.1e\n", worst);
  assert_true(worst < 1e-12);
}

/* A reducer on a bench: w_fast - w_housing + 59 (w_disc - w_housing) = 0 about one axis. Torque T
 * on the fast shaft: with inertias J_f, J_d of shaft and disc and a held housing, a_f = T / (J_f +
 * J_d / 59^2), a_d = - a_f / 59, and the housing is turned by T (1 + 59). */
static void a_reducer_turns_as_its_formula_says(void **state) {
  (void)state;
  const double inertia[3] = {2e-4, 3, 0.7}, torque = 0.4, ratio = 59;
  random_source source = {73};
  for (int k = 0; k < 4; k++) {
    const flg_elimination_form form = (flg_elimination_form)(k % 2);
    test_system *s = system_of(&source, 3, 1); /* fast shaft, disc, housing */
    for (int i = 0; i < 3; i++) {
      memset(s->bias[i], 0, sizeof s->bias[i]);
      memset(s->H[i], 0, sizeof s->H[i]);
      memset(s->Z[i], 0, sizeof s->Z[i]);
      for (int r = 0; r < 6; r++) {
        s->H[i][7 * r] = 1 / inertia[i];
        s->Z[i][7 * r] = sqrt(1 / inertia[i]);
      }
    }
    s->bias[0][5] = torque / inertia[0];
    test_joint *held = add_joint(s, 2, FLG_GROUND, 6);
    for (int r = 0; r < 6; r++) held->G[0][r][r] = 1;
    for (int i = 0; i < 2; i++)
      set_revolute(add_joint(s, i, 2, 5), (flg_vec3){0, 0, 1}, (flg_vec3[2]){{0, 0, 0}, {0, 0, 0}});
    test_joint *gear = add_wide_joint(s, 3, (const int[]){0, 2, 1}, 1);
    gear->G[0][0][5] = 1, gear->G[1][0][5] = -1 - ratio, gear->G[2][0][5] = ratio;
    flg_plan *plan = plan_of(s, (flg_plan_order)(k / 2), form, 1e-8);
    fill_plan(plan, s, form);
    assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
    assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
    const double fast = torque / (inertia[0] + inertia[1] / (ratio * ratio));
    assert_near(flg_plan_part_view(plan, 0).motion[5], fast, 1e-13 * fast);
    assert_near(flg_plan_part_view(plan, 1).motion[5], -fast / ratio, 1e-15 * fast);
    assert_near(flg_plan_part_view(plan, 2).motion[5], 0, 1e-15 * fast);
    const double load = torque - inertia[0] * fast; /* what the gear takes of the torque */
    assert_near(flg_plan_joint_view(plan, 3).reactions[0], -load, 1e-12);
    assert_near(flg_plan_joint_view(plan, 0).reactions[5], -load * (1 + ratio), 1e-12);
    flg_plan_release(plan);
    system_drop(s);
  }
}

/* --- redundancy ----------------------------------------------------------------------------------
 */

/* The same gear twice, the second one in other words: its ends in another order, its row scaled. */
static void a_gear_that_is_written_twice_counts_once(void **state) {
  (void)state;
  random_source source = {74};
  for (int trial = 0; trial < 100; trial++) {
    test_system *s = random_tree_system(&source, 6, 10, trial % 2, 1, 0);
    const int ends = 3 + trial % 2, body[4] = {5, 1, 3, 0}, turned[4] = {3, 1, 5, 0};
    const int from[4] = {2, 1, 0, 3};
    const double factor = random_uniform(&source, 0.1, 10);
    const test_joint *gear = add_random_wide_joint(&source, s, ends, body, 1);
    test_joint *copy = add_wide_joint(s, ends, turned, 1);
    for (int e = 0; e < ends; e++) {
      for (int k = 0; k < 6; k++) copy->G[e][0][k] = factor * gear->G[from[e]][0][k];
    }
    copy->gamma[0] = factor * gear->gamma[0];
    copy->redundant[0] = 1;
    assert_true(compare_with_dense(s) < 1e-12); /* it also compares ranks */
    flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, FLG_FORM_ADMITTANCE, 1e-8);
    fill_plan(plan, s, FLG_FORM_ADMITTANCE);
    assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
    const int first = s->joint_count - 2;
    assert_int_equal(
        flg_plan_is_redundant(plan, first, 0) + flg_plan_is_redundant(plan, first + 1, 0), 1);
    flg_plan_release(plan);
    system_drop(s);
  }
}

/* --- several ports -------------------------------------------------------------------------------
 */

enum { PARTS = 3, PORTS = 3, ROWS = 6 * PORTS, JOINTS = 4 };

/* the joints of the graph below: all on one part, two ends on one, and all over */
static const flg_graph_joint PORT_JOINTS[JOINTS] = {
    {2, 3, {{0, 0}, {0, 1}, {0, 2}}},
    {3, 3, {{0, 0}, {0, 2}, {1, 0}}},
    {2, 4, {{1, 1}, {2, 0}, {FLG_GROUND, 0}, {1, 0}}},
    {1, 4, {{2, 2}, {2, 0}, {1, 2}, {0, 1}}}};

static void fill_random_part(random_source *source, flg_elimination_form form,
                             const flg_plan_part *view) {
  double Z[ROWS * ROWS];
  fill_random(source, Z, ROWS * ROWS);
  fill_random(source, view->bias, ROWS);
  for (int k = 0; k < ROWS * ROWS; k++) {
    view->matrix[k] = form == FLG_FORM_ROOT ? Z[k] : 0;
    for (int i = 0; i < ROWS && form == FLG_FORM_ADMITTANCE; i++) {
      view->matrix[k] += Z[k % ROWS + i * ROWS] * Z[k / ROWS + i * ROWS];
    }
  }
}

/* sum G_s a_s = gamma of each row, and sum G_s^T l is the force on each part */
static void assert_joints_hold(const flg_plan *plan) {
  double force[PARTS][ROWS] = {{0}};
  for (int j = 0; j < JOINTS; j++) {
    const flg_plan_joint view = flg_plan_joint_view(plan, j);
    for (int i = 0; i < view.rows; i++) {
      double sum = -view.gamma[i];
      for (int e = 0; e < FLG_JOINT_ENDS_MAX; e++) {
        const flg_graph_port end = PORT_JOINTS[j].end[e];
        const int is_end = e < PORT_JOINTS[j].ends && end.part != FLG_GROUND;
        assert_true((view.side[e] != NULL) == is_end);
        for (int k = 0; k < 6 && is_end; k++) {
          const double g = view.side[e][i + k * view.leading];
          sum += g * flg_plan_part_view(plan, end.part).motion[6 * end.port + k];
          force[end.part][6 * end.port + k] += g * view.reactions[i];
        }
      }
      assert_near(sum, 0, 1e-12);
    }
  }
  for (int p = 0; p < PARTS; p++) {
    assert_true(max_difference(flg_plan_part_view(plan, p).force, force[p], ROWS) < 1e-11);
  }
}

static void ends_may_share_a_part_but_not_a_port(void **state) {
  (void)state;
  random_source source = {75};
  const flg_graph_part part = {.ports = PORTS, .group = FLG_NO_GROUP};
  const flg_graph_part parts[PARTS] = {part, part, part};
  const flg_graph graph = {
      .part_count = PARTS, .joint_count = JOINTS, .parts = parts, .joints = PORT_JOINTS};
  for (int trial = 0; trial < 40; trial++) {
    const flg_plan_options options = {(flg_plan_order)(trial / 2 % 2),
                                      (flg_elimination_form)(trial % 2), 1e-8};
    flg_plan *plan = NULL;
    assert_int_equal(flg_plan_build(&plan, &graph, &options, NULL), FLG_OK);
    assert_int_equal(flg_plan_node_count(plan), 3); /* a reduction and two joins */
    for (int p = 0; p < PARTS; p++) {
      const flg_plan_part view = flg_plan_part_view(plan, p);
      fill_random_part(&source, options.form, &view);
    }
    for (int j = 0; j < JOINTS; j++) {
      const flg_plan_joint view = flg_plan_joint_view(plan, j);
      for (int i = 0; i < view.rows; i++) view.gamma[i] = random_uniform(&source, -1, 1);
      for (int k = 0; k < 6 * view.rows * FLG_JOINT_ENDS_MAX; k++) {
        double *side = view.side[k % FLG_JOINT_ENDS_MAX];
        const int at = k / FLG_JOINT_ENDS_MAX;
        if (side != NULL)
          side[at % view.rows + at / view.rows * view.leading] = random_uniform(&source, -1, 1);
      }
    }
    flg_plan_scale(plan, NULL);
    assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
    assert_int_equal(flg_plan_totals_view(plan).rank, 8);
    assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
    assert_joints_hold(plan);
    flg_plan_release(plan);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gears_on_trees_move_as_the_dense_solution),
      cmocka_unit_test(wide_joints_alone_hold_a_system_together),
      cmocka_unit_test(a_reducer_turns_as_its_formula_says),
      cmocka_unit_test(a_gear_that_is_written_twice_counts_once),
      cmocka_unit_test(ends_may_share_a_part_but_not_a_port),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
