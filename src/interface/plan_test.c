/* Graphs to plans: depth, groups, loops, hubs, long chains, and what is refused. */
#include "interface/plan.h"

#include <limits.h>

#include "interface/test_systems.h"

static flg_plan *plan_of_graph(const flg_graph *graph, flg_plan_order order) {
  flg_plan_options options = flg_plan_default();
  options.order = order;
  flg_plan *plan = NULL;
  flg_error error = {0};
  if (flg_plan_build(&plan, graph, &options, &error) != FLG_OK) fail_msg("%s", error.message);
  return plan;
}

/* bodies with one port each; each joint from body i to on(i) */
static flg_plan *plan_of_links(int bodies, int (*on)(int body), int rows, flg_plan_order order) {
  flg_graph_part *parts = checked(calloc((size_t)bodies, sizeof *parts));
  flg_graph_joint *joints = checked(calloc((size_t)bodies, sizeof *joints));
  for (int i = 0; i < bodies; i++) {
    parts[i] = (flg_graph_part){.ports = 1, .group = FLG_NO_GROUP};
    if (i > 0) joints[i - 1] = (flg_graph_joint){rows, 2, {{i, 0}, {on(i), 0}}};
  }
  const flg_graph graph = {
      .part_count = bodies, .joint_count = bodies - 1, .parts = parts, .joints = joints};
  flg_plan *plan = plan_of_graph(&graph, order);
  free(parts), free(joints);
  return plan;
}

static int previous(int body) {
  return body - 1;
}

static int hub(int body) {
  (void)body;
  return 0;
}

static void a_balanced_chain_is_logarithmically_deep(void **state) {
  (void)state;
  flg_plan *plan = plan_of_links(1024, previous, 5, FLG_PLAN_BALANCED);
  assert_in_range(flg_plan_depth(plan), 10, 12);
  assert_int_equal(flg_plan_node_count(plan), 1023);
  flg_plan_release(plan);
  plan = plan_of_links(1024, previous, 5, FLG_PLAN_SEQUENTIAL);
  assert_int_equal(flg_plan_depth(plan), 1023);
  flg_plan_release(plan);
}

static void chains_and_hubs_of_100000_bodies_are_planned(void **state) {
  (void)state;
  int (*const links[2])(int) = {previous, hub};
  for (int k = 0; k < 4; k++) {
    flg_plan *plan = plan_of_links(100000, links[k / 2], 1, (flg_plan_order)(k % 2));
    assert_int_equal(flg_plan_node_count(plan), 99999);
    assert_int_equal(flg_plan_root_count(plan), 1);
    assert_true((double)flg_plan_bytes(plan) < 4000.0 * 100000);
    flg_plan_release(plan);
  }
}

/* groups {0, 1, 2} and {3, 4, 5} of a chain that alternates between them, except within */
static void a_group_is_joined_before_what_is_around_it(void **state) {
  (void)state;
  const flg_graph_part parts[6] = {{1, 0, 1}, {1, 0, 1}, {1, 0, 0},
                                   {1, 0, 2}, {1, 0, 2}, {1, 0, -1}};
  const flg_graph_joint joints[6] = {{1, 2, {{1, 0}, {2, 0}}}, {1, 2, {{0, 0}, {1, 0}}},
                                     {1, 2, {{2, 0}, {3, 0}}}, {1, 2, {{3, 0}, {4, 0}}},
                                     {1, 2, {{4, 0}, {5, 0}}}, {1, 2, {{5, 0}, {0, 0}}}};
  const int group_parent[3] = {FLG_NO_GROUP, 0, FLG_NO_GROUP};
  const flg_graph graph = {.part_count = 6,
                           .joint_count = 6,
                           .group_count = 3,
                           .parts = parts,
                           .joints = joints,
                           .group_parent = group_parent};
  for (int order = 0; order < 2; order++) {
    flg_plan *plan = plan_of_graph(&graph, (flg_plan_order)order);
    int seen = 0;
    for (int e = 0; e < flg_plan_node_count(plan); e++) {
      const flg_plan_node_info info = flg_plan_node_view(plan, e);
      const int a = info.child[0], b = info.child[1];
      if (a == ~0 && b == ~1) seen++;                          /* the inner group */
      if (a == ~3 && b == ~4) seen++;                          /* another one */
      if (a >= 0 && b == ~2 && info.child[0] == e - 1) seen++; /* 2 comes to {0, 1} */
      assert_true(info.constraints >= 1 && info.flops > 0 && info.bytes > 0);
    }
    assert_int_equal(seen, 3);
    flg_plan_release(plan);
  }
}

static void loops_close_in_the_lowest_join_that_holds_them(void **state) {
  (void)state;
  /* two bodies with three joints, one of them to the ground, and a third body */
  const flg_graph_part parts[3] = {{1, 0, -1}, {1, 0, -1}, {1, 0, -1}};
  const flg_graph_joint joints[4] = {{2, 2, {{0, 0}, {1, 0}}},
                                     {3, 2, {{1, 0}, {0, 0}}},
                                     {1, 2, {{0, 0}, {FLG_GROUND, 0}}},
                                     {5, 2, {{2, 0}, {1, 0}}}};
  const flg_graph graph = {.part_count = 3, .joint_count = 4, .parts = parts, .joints = joints};
  flg_plan *plan = plan_of_graph(&graph, FLG_PLAN_BALANCED);
  assert_int_equal(flg_plan_node_count(plan), 3);
  int reductions = 0, pairs = 0;
  for (int e = 0; e < 3; e++) {
    const flg_plan_node_info info = flg_plan_node_view(plan, e);
    if (info.child[1] == INT_MIN) reductions += info.constraints == 1;
    pairs += info.constraints == 5;
  }
  assert_true(reductions == 1 && pairs == 2);
  flg_plan_release(plan);
}

/* --- joints with more than two ends --------------------------------------------------------------
 */

/* A robot: link i, its motor's shaft and link i + 1, held by hinges; the gear takes all three. It
 * is closed together with the hinge that comes last, so that no join has more than 6 rows. */
static void a_gear_closes_with_the_last_of_its_hinges(void **state) {
  (void)state;
  enum { LINKS = 64 };
  flg_graph_part parts[2 * LINKS];
  flg_graph_joint joints[3 * LINKS];
  for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
    int count = 0;
    for (int i = 0; i < LINKS; i++) {
      const int at = is_reversed ? LINKS - 1 - i : i, after = is_reversed ? at - 1 : at + 1;
      const flg_graph_port link = {2 * at, 0}, shaft = {2 * at + 1, 0}, next = {2 * after, 0};
      parts[2 * i] = parts[2 * i + 1] = (flg_graph_part){.ports = 1, .group = FLG_NO_GROUP};
      joints[count++] = (flg_graph_joint){5, 2, {shaft, link}};
      if (i == LINKS - 1) continue;
      joints[count++] = (flg_graph_joint){5, 2, {next, link}};
      joints[count++] = (flg_graph_joint){1, 3, {shaft, next, link}};
    }
    const flg_graph graph = {
        .part_count = 2 * LINKS, .joint_count = count, .parts = parts, .joints = joints};
    for (int order = 0; order < 2; order++) {
      flg_plan *plan = plan_of_graph(&graph, (flg_plan_order)order);
      assert_int_equal(flg_plan_node_count(plan), 2 * LINKS - 1);
      for (int e = 0; e < flg_plan_node_count(plan); e++) {
        const flg_plan_node_info info = flg_plan_node_view(plan, e);
        assert_in_range(info.constraints, 5, 6);
        assert_true(info.kept <= 24);
      }
      if (order == FLG_PLAN_BALANCED) assert_in_range(flg_plan_depth(plan), 7, 10);
      flg_plan_release(plan);
    }
  }
}

/* bodies i, i + 1, i + 2 (and i + 3) a joint, its ends in any order, and nothing else but `pairs`
 * joints between two at the start */
static flg_plan *plan_of_gears(int bodies, int ends, int turn, int pairs, flg_plan_order order) {
  flg_graph_part *parts = checked(calloc((size_t)bodies, sizeof *parts));
  flg_graph_joint *joints = checked(calloc((size_t)(bodies + pairs), sizeof *joints));
  int count = 0;
  for (int i = 0; i < bodies; i++) {
    parts[i] = (flg_graph_part){.ports = 1, .group = FLG_NO_GROUP};
    if (i < pairs) joints[count++] = (flg_graph_joint){1, 2, {{i, 0}, {i + 1, 0}}};
    if (i + ends > bodies) continue;
    joints[count].rows = 1, joints[count].ends = ends;
    for (int e = 0; e < ends; e++) joints[count].end[e].part = i + (e + turn) % ends;
    count++;
  }
  const flg_graph graph = {
      .part_count = bodies, .joint_count = count, .parts = parts, .joints = joints};
  flg_plan *plan = plan_of_graph(&graph, order);
  free(parts), free(joints);
  return plan;
}

/* Pieces stay small: memory and time in proportion to the bodies, and the depth to their log. */
static void chains_of_8000_gears_are_planned(void **state) {
  (void)state;
  enum { BODIES = 8000 };
  for (int k = 0; k < 24; k++) {
    const int ends = 3 + k / 2 % 2, turn = k / 4 % 3, pairs = k / 12;
    flg_plan *plan = plan_of_gears(BODIES, ends, turn, pairs, (flg_plan_order)(k % 2));
    assert_int_equal(flg_plan_node_count(plan), BODIES - 1);
    assert_int_equal(flg_plan_root_count(plan), 1);
    assert_true((double)flg_plan_bytes(plan) < 8000.0 * BODIES);
    for (int e = 0; e < BODIES - 1; e++) assert_true(flg_plan_node_view(plan, e).kept <= 36);
    if (k % 2 == FLG_PLAN_BALANCED) assert_true(flg_plan_depth(plan) <= 18);
    flg_plan_release(plan);
  }
}

/* Two rails of hinges, tied by joints of three ends: rungs are closed while the rails grow. */
static void rungs_of_three_ends_close_while_the_rails_grow(void **state) {
  (void)state;
  enum { LENGTH = 2000 };
  static flg_graph_part parts[2 * LENGTH];
  static flg_graph_joint joints[3 * LENGTH];
  int count = 0;
  for (int i = 0; i < LENGTH; i++) {
    const flg_graph_port a = {i, 0}, b = {LENGTH + i, 0}, next = {LENGTH + i + 1, 0};
    parts[i] = parts[LENGTH + i] = (flg_graph_part){.ports = 1, .group = FLG_NO_GROUP};
    if (i + 1 == LENGTH) continue;
    joints[count++] = (flg_graph_joint){5, 2, {{i + 1, 0}, a}};
    joints[count++] = (flg_graph_joint){5, 2, {next, b}};
    joints[count++] = (flg_graph_joint){1, 3, {a, b, next}};
  }
  const flg_graph graph = {
      .part_count = 2 * LENGTH, .joint_count = count, .parts = parts, .joints = joints};
  flg_plan *plan = plan_of_graph(&graph, FLG_PLAN_BALANCED);
  for (int e = 0; e < flg_plan_node_count(plan); e++) {
    assert_true(flg_plan_node_view(plan, e).kept <= 96);
  }
  flg_plan_release(plan);
}

/* A joint lies in the innermost group around all its ends: {0, 1} is joined by it only outside. */
static void a_wide_joint_lies_in_the_group_around_all_its_ends(void **state) {
  (void)state;
  const flg_graph_part parts[4] = {{1, 0, 1}, {1, 0, 1}, {1, 0, 0}, {1, 0, -1}};
  const flg_graph_joint joints[2] = {{1, 3, {{0, 0}, {1, 0}, {2, 0}}}, {1, 2, {{1, 0}, {3, 0}}}};
  const int group_parent[2] = {FLG_NO_GROUP, 0};
  const flg_graph graph = {.part_count = 4,
                           .joint_count = 2,
                           .group_count = 2,
                           .parts = parts,
                           .joints = joints,
                           .group_parent = group_parent};
  for (int order = 0; order < 2; order++) {
    flg_plan *plan = plan_of_graph(&graph, (flg_plan_order)order);
    assert_int_equal(flg_plan_node_count(plan), 3);
    const flg_plan_node_info last = flg_plan_node_view(plan, 2);
    assert_true(last.child[0] == 1 && last.child[1] == ~3 && last.constraints == 1);
    assert_int_equal(flg_plan_node_view(plan, 1).constraints, 1);
    assert_int_equal(flg_plan_node_view(plan, 0).constraints, 0);
    flg_plan_release(plan);
  }
}

/* Bodies that nothing holds are roots of their own, and fall freely. */
static void parts_without_joints_move_freely(void **state) {
  (void)state;
  random_source source = {61};
  test_system *s = system_of(&source, 3, 10);
  s->outers[s->outer_count++] = (flg_graph_port){1, 0};
  flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, FLG_FORM_ADMITTANCE, 1e-8);
  fill_plan(plan, s, FLG_FORM_ADMITTANCE);
  assert_int_equal(flg_plan_root_count(plan), 3);
  assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
  assert_int_equal(flg_plan_root_view(plan, 0).rows, 0);
  const flg_plan_root open = flg_plan_root_view(plan, 1);
  assert_int_equal(open.rows, 6);
  open.force[0] = 2;
  assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
  for (int i = 0; i < 3; i++) {
    const flg_plan_part view = flg_plan_part_view(plan, i);
    const double pushed = i == 1 ? 2 * s->H[1][0] : 0;
    assert_near(view.motion[0], s->bias[i][0] + pushed, 1e-15);
    assert_true(view.motion[4] == s->bias[i][4]);
  }
  flg_plan_release(plan);
  system_drop(s);
}

static void an_empty_graph_is_a_plan(void **state) {
  (void)state;
  const flg_graph graph = {0};
  flg_plan *plan = plan_of_graph(&graph, FLG_PLAN_BALANCED);
  assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
  assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
  assert_int_equal(flg_plan_node_count(plan), 0);
  flg_plan_release(plan);
  flg_plan_release(NULL);
}

static void parts_with_too_many_rows_are_refused(void **state) {
  (void)state;
  flg_graph_part parts[2] = {{1, 0, FLG_NO_GROUP}, {1, 5000, FLG_NO_GROUP}};
  flg_graph_joint joint = {5, 2, {{0, 0}, {1, 0}}};
  const flg_graph graph = {.part_count = 2, .joint_count = 1, .parts = parts, .joints = &joint};
  const flg_plan_options options = flg_plan_default();
  flg_plan *plan = NULL;
  flg_error error = {0};
  assert_int_equal(flg_plan_build(&plan, &graph, &options, &error), FLG_ERR_RANGE);
  assert_true(plan == NULL && error.message[0] != '\0');
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_balanced_chain_is_logarithmically_deep),
      cmocka_unit_test(chains_and_hubs_of_100000_bodies_are_planned),
      cmocka_unit_test(a_group_is_joined_before_what_is_around_it),
      cmocka_unit_test(loops_close_in_the_lowest_join_that_holds_them),
      cmocka_unit_test(a_gear_closes_with_the_last_of_its_hinges),
      cmocka_unit_test(chains_of_8000_gears_are_planned),
      cmocka_unit_test(rungs_of_three_ends_close_while_the_rails_grow),
      cmocka_unit_test(a_wide_joint_lies_in_the_group_around_all_its_ends),
      cmocka_unit_test(parts_without_joints_move_freely),
      cmocka_unit_test(an_empty_graph_is_a_plan),
      cmocka_unit_test(parts_with_too_many_rows_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
