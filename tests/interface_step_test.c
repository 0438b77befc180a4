/* How a plan behaves while stepping: threads, allocations, scratch, NaN, frozen pivots, and the
 * three right-hand sides of one factorisation.
 */
#include "allocations.h"
#include "base/hash.h"
#include "interface/test_systems.h"

/* a tree with a few loops, gears and redundant rows */
static test_system *looped_system(random_source *source, int bodies) {
  test_system *s = random_tree_system(source, bodies, 10, 0, 1, 1);
  for (int k = 0; k < bodies / 6; k++) {
    const int a = random_integer(source, 0, bodies - 1), b = random_integer(source, 0, bodies - 1);
    if (a != b) add_random_joint(source, s, a, b, 1);
  }
  add_random_gears(source, s, bodies / 8);
  return s;
}

/* ... and springs: the joint to the ground, and some of the loops */
static test_system *springy_system(random_source *source, int bodies) {
  test_system *s = looped_system(source, bodies);
  for (int j = 0; j < s->joint_count; j++) {
    if (s->joints[j].rows == 1 || j == 0) soften(source, s, j, 1);
  }
  return s;
}

static void step(flg_plan *plan, flg_pivots pivots, flg_threads *threads) {
  assert_int_equal(flg_plan_factor(plan, pivots, threads), FLG_OK);
  assert_int_equal(flg_plan_solve(plan, threads), FLG_OK);
}

/* all that a solve gives, bit by bit */
static uint64_t result_hash(const flg_plan *plan, const test_system *s) {
  uint64_t hash = FLG_HASH_SEED;
  for (int i = 0; i < s->body_count; i++) {
    const flg_plan_part view = flg_plan_part_view(plan, i);
    hash = flg_hash(hash, view.motion, (size_t)view.rows * sizeof(double));
    hash = flg_hash(hash, view.force, (size_t)view.rows * sizeof(double));
  }
  for (int j = 0; j < s->joint_count; j++) {
    const flg_plan_joint view = flg_plan_joint_view(plan, j);
    hash = flg_hash(hash, view.reactions, (size_t)view.rows * sizeof(double));
  }
  return hash;
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  random_source source = {41};
  for (int trial = 0; trial < 8; trial++) {
    const flg_elimination_form form = (flg_elimination_form)(trial % 2);
    test_system *s = trial < 4 ? springy_system(&source, 60)
                               : random_tree_system(&source, 400, 10, trial % 2, 1, 1);
    flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, form, 1e-8);
    fill_plan(plan, s, form);
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    const uint64_t expected = result_hash(plan, s);
    for (int count = 1; count <= 8; count++) {
      flg_threads *threads = NULL;
      assert_int_equal(flg_threads_build(&threads, count, NULL), FLG_OK);
      step(plan, FLG_PIVOTS_CHOOSE, threads);
      assert_true(result_hash(plan, s) == expected);
      flg_threads_release(threads);
    }
    flg_plan_release(plan);
    system_drop(s);
  }
}

static void scratch_full_of_nan_does_not_change_a_bit(void **state) {
  (void)state;
  random_source source = {42};
  for (int trial = 0; trial < 8; trial++) {
    const flg_elimination_form form = (flg_elimination_form)(trial % 2);
    test_system *s = trial < 4 ? looped_system(&source, 40) : springy_system(&source, 40);
    flg_plan *plan = plan_of(s, (flg_plan_order)(trial / 2 % 2), form, 1e-8);
    fill_plan(plan, s, form);
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    for (int pivots = FLG_PIVOTS_FROZEN; pivots >= FLG_PIVOTS_CHOOSE; pivots--) {
      step(plan, (flg_pivots)pivots, NULL);
      const uint64_t expected = result_hash(plan, s);
      size_t count;
      double *scratch = flg_plan_scratch(plan, &count);
      for (size_t k = 0; k < count; k++) scratch[k] = NAN;
      step(plan, (flg_pivots)pivots, NULL);
      assert_true(result_hash(plan, s) == expected);
    }
    flg_plan_release(plan);
    system_drop(s);
  }
}

static void a_step_allocates_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  random_source source = {43};
  for (int form = 0; form < 2; form++) {
    test_system *s = springy_system(&source, 200);
    flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, (flg_elimination_form)form, 1e-8);
    flg_threads *threads = NULL;
    assert_int_equal(flg_threads_build(&threads, 2, NULL), FLG_OK);
    fill_plan(plan, s, (flg_elimination_form)form);
    step(plan, FLG_PIVOTS_CHOOSE, threads);
    allocations_begin();
    flg_plan_scale(plan, threads);
    step(plan, FLG_PIVOTS_CHOOSE, threads);
    step(plan, FLG_PIVOTS_FROZEN, threads);
    const flg_status status = flg_plan_refresh(plan, threads);
    assert_int_equal(allocations_end(), 0);
    assert_int_equal(status, FLG_OK);
    flg_threads_release(threads);
    flg_plan_release(plan);
    system_drop(s);
  }
}

/* every input in turn, in both forms */
static void nan_anywhere_ends_in_a_status(void **state) {
  (void)state;
  random_source source = {44};
  const double bad[2] = {NAN, INFINITY};
  for (int trial = 0; trial < 80; trial++) {
    const flg_elimination_form form = (flg_elimination_form)(trial % 2);
    test_system *s = looped_system(&source, 12);
    flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, form, 1e-8);
    fill_plan(plan, s, form);
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    const flg_plan_part part = flg_plan_part_view(plan, random_integer(&source, 0, 11));
    const int j = random_integer(&source, 0, s->joint_count - 1);
    const flg_plan_joint joint = flg_plan_joint_view(plan, j);
    int row = 0; /* not one that is left out */
    while (flg_plan_is_redundant(plan, j, row)) row++;
    double *const values[] = {&part.matrix[7], &part.bias[3], &joint.side[0][row + joint.leading],
                              &joint.gamma[row], &joint.scale[row]};
    *values[trial / 2 % 5] = bad[trial / 10 % 2];
    const flg_pivots pivots = trial / 20 % 2 == 0 ? FLG_PIVOTS_CHOOSE : FLG_PIVOTS_FROZEN;
    assert_int_equal(flg_plan_factor(plan, pivots, NULL), FLG_ERR_DIVERGED);
    fill_plan(plan, s, form); /* and it recovers */
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    flg_plan_release(plan);
    system_drop(s);
  }
}

/* --- frozen pivots ------------------------------------------------------------------------------
 */

/* two bodies, three rows twice; the second three turned away by `drift` */
static test_system *drifting_system(double drift) {
  random_source source = {45};
  test_system *s = system_of(&source, 2, 1);
  test_joint *joint = add_random_joint(&source, s, 1, 0, 6);
  for (int i = 0; i < 3; i++) {
    joint->gamma[i + 3] = joint->gamma[i];
    for (int e = 0; e < 2; e++) {
      for (int k = 0; k < 6; k++)
        joint->G[e][i + 3][k] = joint->G[e][i][k] * (1 + drift * (k == i));
    }
  }
  return s;
}

static void frozen_rows_stay_while_others_only_look_independent(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    test_system *s = drifting_system(0), *off = drifting_system(1e-2);
    flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, (flg_elimination_form)form, 1e-8);
    fill_plan(plan, s, (flg_elimination_form)form);
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    assert_int_equal(flg_plan_totals_view(plan).rank, 3);
    fill_plan(plan, off, (flg_elimination_form)form);
    step(plan, FLG_PIVOTS_FROZEN, NULL);
    assert_int_equal(flg_plan_totals_view(plan).rank, 3);
    assert_int_equal(flg_plan_totals_view(plan).rechosen, 0);
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    assert_int_equal(flg_plan_totals_view(plan).rank, 6);
    flg_plan_release(plan);
    system_drop(s), system_drop(off);
  }
}

static void frozen_rows_that_fail_are_chosen_anew(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    test_system *s = drifting_system(0), *off = drifting_system(1e-2);
    flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, (flg_elimination_form)form, 1e-8);
    fill_plan(plan, off, (flg_elimination_form)form);
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    assert_int_equal(flg_plan_totals_view(plan).rank, 6);
    fill_plan(plan, s, (flg_elimination_form)form);
    step(plan, FLG_PIVOTS_FROZEN, NULL);
    assert_int_equal(flg_plan_totals_view(plan).rank, 3);
    assert_int_equal(flg_plan_totals_view(plan).rechosen, 1);
    step(plan, FLG_PIVOTS_FROZEN, NULL);
    assert_int_equal(flg_plan_totals_view(plan).rechosen, 0);
    flg_plan_release(plan);
    system_drop(s), system_drop(off);
  }
}

static void frozen_and_chosen_pivots_give_the_same_bits(void **state) {
  (void)state;
  random_source source = {46};
  test_system *s = springy_system(&source, 60);
  flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, FLG_FORM_ADMITTANCE, 1e-8);
  fill_plan(plan, s, FLG_FORM_ADMITTANCE);
  step(plan, FLG_PIVOTS_CHOOSE, NULL);
  const uint64_t expected = result_hash(plan, s);
  step(plan, FLG_PIVOTS_FROZEN, NULL);
  assert_true(result_hash(plan, s) == expected);
  flg_plan_release(plan);
  system_drop(s);
}

static void factors_alone_and_a_refresh_give_the_same_bits(void **state) {
  (void)state;
  random_source source = {47};
  for (int form = 0; form < 2; form++) {
    test_system *s = springy_system(&source, 60);
    flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, (flg_elimination_form)form, 1e-8);
    fill_plan(plan, s, (flg_elimination_form)form);
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    const uint64_t expected = result_hash(plan, s);
    size_t count;
    double *scratch = flg_plan_scratch(plan, &count);
    for (size_t k = 0; k < count; k++) scratch[k] = NAN;
    assert_int_equal(flg_plan_factor_alone(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
    assert_int_equal(flg_plan_refresh(plan, NULL), FLG_OK);
    assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
    assert_true(result_hash(plan, s) == expected);
    flg_plan_release(plan);
    system_drop(s);
  }
}

/* --- right-hand sides ---------------------------------------------------------------------------
 */

/* gamma of every joint row, and b of every body: from the system, or zero */
static void set_right_hand_side(flg_plan *plan, const test_system *s, int with_bias,
                                int with_gamma) {
  for (int i = 0; i < s->body_count; i++) {
    const flg_plan_part view = flg_plan_part_view(plan, i);
    for (int k = 0; k < 6; k++) view.bias[k] = with_bias ? s->bias[i][k] : 0;
  }
  for (int j = 0; j < s->joint_count; j++) {
    const flg_plan_joint view = flg_plan_joint_view(plan, j);
    for (int i = 0; i < view.rows; i++) view.gamma[i] = with_gamma ? s->joints[j].gamma[i] : 0;
  }
}

/* largest |G y - gamma| of all rows */
static double residual(const flg_plan *plan, const test_system *s, int with_gamma) {
  double worst = 0;
  for (int j = 0; j < s->joint_count; j++) {
    const test_joint *joint = &s->joints[j];
    for (int i = 0; i < joint->rows; i++) {
      double sum = with_gamma ? -joint->gamma[i] : 0;
      for (int e = 0; e < joint->ends; e++) {
        if (joint->body[e] == FLG_GROUND) continue;
        const flg_plan_part view = flg_plan_part_view(plan, joint->body[e]);
        for (int k = 0; k < 6; k++) sum += joint->G[e][i][k] * view.motion[k];
      }
      worst = flg_larger(worst, fabs(sum));
    }
  }
  return worst;
}

/* Velocities (b = v, gamma = 0) and positions (b = 0, gamma = -g) are projected with the factors
 * of the accelerations; projecting again changes nothing. */
static void projections_are_refreshes_of_the_same_factors(void **state) {
  (void)state;
  random_source source = {47};
  for (int form = 0; form < 2; form++) {
    test_system *s = looped_system(&source, 40);
    flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, (flg_elimination_form)form, 1e-8);
    fill_plan(plan, s, (flg_elimination_form)form);
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    assert_true(residual(plan, s, 1) < 1e-11);
    for (int is_position = 0; is_position < 2; is_position++) {
      set_right_hand_side(plan, s, !is_position, is_position);
      assert_int_equal(flg_plan_refresh(plan, NULL), FLG_OK);
      assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
      assert_true(residual(plan, s, is_position) < 1e-11);
    }
    flg_plan_release(plan);
    system_drop(s);
  }
}

static void a_projected_velocity_is_the_nearest_in_the_mass_norm(void **state) {
  (void)state;
  random_source source = {48};
  test_system *s = looped_system(&source, 20);
  flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, FLG_FORM_ADMITTANCE, 1e-8);
  fill_plan(plan, s, FLG_FORM_ADMITTANCE);
  set_right_hand_side(plan, s, 1, 0);
  step(plan, FLG_PIVOTS_CHOOSE, NULL);
  /* v+ - v = M^-1 G^T l is M-orthogonal to v+: v+ . (force on each body) adds up to zero */
  double sum = 0, size = 0;
  for (int i = 0; i < s->body_count; i++) {
    const flg_plan_part view = flg_plan_part_view(plan, i);
    for (int k = 0; k < 6; k++) {
      sum += view.motion[k] * view.force[k];
      size += fabs(view.motion[k] * view.force[k]);
    }
  }
  assert_true(fabs(sum) < 1e-12 * size);
  flg_plan_release(plan);
  system_drop(s);
}

static void push_roots(random_source *source, const flg_plan *plan) {
  for (int k = 0; k < flg_plan_root_count(plan); k++) {
    const flg_plan_root root = flg_plan_root_view(plan, k);
    fill_random(source, root.force, root.rows);
  }
}

static void keep_motion(const flg_plan *plan, const test_system *s, double *to) {
  for (int i = 0; i < s->body_count; i++) {
    memcpy(to + 6 * i, flg_plan_part_view(plan, i).motion, 6 * sizeof(double));
  }
}

/* rows of a weld in axes of the world, as the plan wants them; d = 0: it is open */
static void set_weld(test_joint *joint, int first, const double d[3]) {
  const double lever[3][3] = {{0, -d[2], d[1]}, {d[2], 0, -d[0]}, {-d[1], d[0], 0}};
  const int is_open = d[0] == 0 && d[1] == 0 && d[2] == 0;
  memset(joint->G, 0, sizeof joint->G);
  for (int i = 0; i < 6; i++) {
    joint->G[first][i][i] = is_open ? 0 : 1, joint->G[1 - first][i][i] = is_open ? 0 : -1;
    for (int j = 0; j < 3 && i < 3; j++) joint->G[1 - first][i][3 + j] = lever[i][j];
  }
}

/* a chain that is welded at every other joint; all bodies are open at the root */
static test_system *welded_system(random_source *source, int bodies) {
  test_system *s = random_tree_system(source, bodies, 100, 1, 1, 0);
  for (int i = 1; i < bodies; i += 2) {
    s->graph_joints[i].rows = s->joints[i].rows = 6;
    s->graph_joints[i].weld = 1;
    fill_random(source, s->joints[i].gamma, 6);
  }
  s->outer_count = bodies;
  for (int i = 0; i < bodies; i++) s->outers[i] = (flg_graph_port){i, 0};
  return s;
}

/* the same rows, once known to be welds and once rows like others */
static void welds_are_joints_like_others(void **state) {
  (void)state;
  random_source source = {53};
  double motion[2][60], reactions[2][60];
  for (int trial = 0; trial < 20; trial++) {
    test_system *s = welded_system(&source, 10);
    for (int is_known = 1; is_known >= 0; is_known--) {
      for (int i = 1; i < 10; i += 2) s->graph_joints[i].weld = is_known;
      flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, FLG_FORM_ADMITTANCE, 1e-10);
      for (int i = 1; i < 10 && is_known; i += 2) {
        double d[3] = {0};
        if (random_integer(&source, 0, 3) > 0) fill_random(&source, d, 3);
        set_weld(&s->joints[i], flg_plan_joint_view(plan, i).first, d);
        if (d[0] == 0) memset(s->joints[i].gamma, 0, sizeof s->joints[i].gamma);
      }
      fill_plan(plan, s, FLG_FORM_ADMITTANCE);
      step(plan, FLG_PIVOTS_CHOOSE, NULL);
      random_source pushes = {(uint64_t)trial + 1}; /* the same for both */
      push_roots(&pushes, plan);
      assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
      keep_motion(plan, s, motion[is_known]);
      for (int i = 1; i < 10; i += 2) {
        memcpy(reactions[is_known] + 6 * i, flg_plan_joint_view(plan, i).reactions,
               6 * sizeof(double));
      }
      flg_plan_release(plan);
    }
    for (int i = 0; i < 60; i++) {
      assert_true(fabs(motion[1][i] - motion[0][i]) < 1e-9 * (1 + fabs(motion[0][i])));
      if (i / 6 % 2 == 0) continue;
      assert_true(fabs(reactions[1][i] - reactions[0][i]) < 1e-8 * (1 + fabs(reactions[0][i])));
    }
    system_drop(s);
  }
}

/* all bodies are open at the roots, or all but one; with and without forces */
static void motions_at_the_roots_are_those_of_the_walk_down(void **state) {
  (void)state;
  random_source source = {47};
  double walked[60], moved[60];
  for (int trial = 0; trial < 16; trial++) {
    const flg_elimination_form form = (flg_elimination_form)(trial % 2);
    test_system *s = trial < 8 ? looped_system(&source, 10) : springy_system(&source, 10);
    s->outer_count = s->body_count - trial / 2 % 2;
    for (int i = 0; i < s->outer_count; i++) s->outers[i] = (flg_graph_port){i, 0};
    flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, form, 1e-8);
    fill_plan(plan, s, form);
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    if (trial / 4 % 2 == 1) push_roots(&source, plan);
    assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
    keep_motion(plan, s, walked);
    assert_int_equal(flg_plan_move(plan, NULL), FLG_OK);
    keep_motion(plan, s, moved);
    for (int i = 0; i < 6 * s->body_count; i++) {
      assert_true(fabs(moved[i] - walked[i]) < 1e-9 * (1 + fabs(walked[i])));
    }
    flg_plan_release(plan);
    system_drop(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(factors_alone_and_a_refresh_give_the_same_bits),
      cmocka_unit_test(scratch_full_of_nan_does_not_change_a_bit),
      cmocka_unit_test(a_step_allocates_nothing),
      cmocka_unit_test(nan_anywhere_ends_in_a_status),
      cmocka_unit_test(frozen_rows_stay_while_others_only_look_independent),
      cmocka_unit_test(frozen_rows_that_fail_are_chosen_anew),
      cmocka_unit_test(frozen_and_chosen_pivots_give_the_same_bits),
      cmocka_unit_test(projections_are_refreshes_of_the_same_factors),
      cmocka_unit_test(a_projected_velocity_is_the_nearest_in_the_mass_norm),
      cmocka_unit_test(motions_at_the_roots_are_those_of_the_walk_down),
      cmocka_unit_test(welds_are_joints_like_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
