/* Robots as parts of an assembly: loops through them move as the same mechanism does with a body
 * for each link. */
#include "component/assembly_freedom.h"
#include "leaves.h"

static void compare(leaves *of, double step) {
  const flg_assembly_options options = rk4_options();
  flg_assembly *apart = assemble_leaves(of, &options, true);
  flg_assembly *joined = assemble_leaves(of, &options, false);
  assert_near(leaves_difference(of, joined, apart), 0, 1e-13);
  assert_near(flg_assembly_energy(joined), flg_assembly_energy(apart),
              1e-12 * fabs(flg_assembly_energy(apart)) + 1e-12);
  flg_freedom freedom[2];
  flg_assembly_freedom(apart, &freedom[0]);
  flg_assembly_freedom(joined, &freedom[1]);
  assert_int_equal(freedom[0].velocities - freedom[0].rank,
                   freedom[1].velocities - freedom[1].rank);
  advance_to(apart, 1, step);
  advance_to(joined, 1, step);
  assert_near(leaves_difference(of, joined, apart), 0, 1e-8);
  assert_true(flg_assembly_closure(joined).position < 1e-11);
  assert_true(flg_assembly_closure(joined).velocity < 1e-11);
  flg_assembly_release(apart);
  flg_assembly_release(joined);
}

static void a_tool_is_joined_to_the_world(void **state) {
  (void)state;
  random_source source = {21};
  const flg_constraint_kind kinds[3] = {FLG_CONSTRAINT_SPHERICAL, FLG_CONSTRAINT_REVOLUTE,
                                        FLG_CONSTRAINT_POINT_ON_LINE};
  for (int i = 0; i < REPEATS(3); i++) {
    leaves *of = leaves_new();
    add_leaf(&source, of, FLG_JOINT_REVOLUTE, FLG_JOINT_REVOLUTE, 7, -1);
    join_leaves(of, kinds[i], ON_WORLD, (leaf_end){0, 6}, end_pose(of, (leaf_end){0, 6}));
    compare(of, 5e-4);
    leaves_drop(of);
  }
}

static void two_robots_hold_hands(void **state) {
  (void)state;
  random_source source = {22};
  const flg_constraint_kind kinds[2] = {FLG_CONSTRAINT_REVOLUTE, FLG_CONSTRAINT_UNIVERSAL};
  for (int i = 0; i < REPEATS(2); i++) {
    leaves *of = leaves_new();
    add_leaf(&source, of, FLG_JOINT_REVOLUTE, FLG_JOINT_REVOLUTE, 4, -1);
    add_leaf(&source, of, FLG_JOINT_BALL, FLG_JOINT_UNIVERSAL, 3, -1);
    join_leaves(of, kinds[i], (leaf_end){0, 3}, (leaf_end){1, 2}, end_pose(of, (leaf_end){1, 2}));
    tie_leaves(of, (leaf_end){0, 1}, (leaf_end){1, 1}, 100, false);
    compare(of, 5e-4);
    leaves_drop(of);
  }
}

static void a_robot_carries_a_body_that_hangs_on_the_world(void **state) {
  (void)state;
  random_source source = {23};
  leaves *of = leaves_new();
  const leaf_end body = {-1, add_free(&source, of)}, tool = {0, 4};
  add_leaf(&source, of, FLG_JOINT_REVOLUTE, FLG_JOINT_REVOLUTE, 5, -1);
  join_leaves(of, FLG_CONSTRAINT_REVOLUTE, tool, body, end_pose(of, tool));
  join_leaves(of, FLG_CONSTRAINT_SPHERICAL, ON_WORLD, body, end_pose(of, body));
  compare(of, 5e-4);
  leaves_drop(of);
}

/* three ports of one robot in two loops */
static void a_robot_has_loops_of_its_own(void **state) {
  (void)state;
  random_source source = {24};
  leaves *of = leaves_new();
  add_leaf(&source, of, FLG_JOINT_REVOLUTE, FLG_JOINT_UNIVERSAL, 6, -1);
  const leaf_end middle = {0, 2}, before = {0, 4}, tool = {0, 5};
  join_leaves(of, FLG_CONSTRAINT_SPHERICAL, middle, tool, end_pose(of, tool));
  join_leaves(of, FLG_CONSTRAINT_POINT_ON_LINE, ON_WORLD, before, end_pose(of, before));
  compare(of, 5e-4);
  leaves_drop(of);
}

static void a_robot_on_a_floating_base_holds_on(void **state) {
  (void)state;
  random_source source = {25};
  for (int i = 0; i < REPEATS(2); i++) {
    leaves *of = leaves_new();
    add_leaf(&source, of, FLG_JOINT_FLOATING, FLG_JOINT_REVOLUTE, 4, -1);
    join_leaves(of, FLG_CONSTRAINT_SPHERICAL, ON_WORLD, (leaf_end){0, 3},
                end_pose(of, (leaf_end){0, 3}));
    compare(of, 5e-4);
    leaves_drop(of);
  }
}

static void a_locked_joint_of_a_robot_in_a_loop_is_a_weld(void **state) {
  (void)state;
  random_source source = {26};
  leaves *of = leaves_new();
  add_leaf(&source, of, FLG_JOINT_REVOLUTE, FLG_JOINT_REVOLUTE, 6, 2);
  join_leaves(of, FLG_CONSTRAINT_SPHERICAL, ON_WORLD, (leaf_end){0, 5},
              end_pose(of, (leaf_end){0, 5}));
  compare(of, 5e-4);
  leaves_drop(of);
}

/* --- the other schemes --------------------------------------------------------------------------
 */

static leaves *carrier(void) {
  random_source source = {27};
  leaves *of = leaves_new();
  const leaf_end body = {-1, add_free(&source, of)}, tool = {0, 4};
  add_leaf(&source, of, FLG_JOINT_REVOLUTE, FLG_JOINT_REVOLUTE, 5, -1);
  join_leaves(of, FLG_CONSTRAINT_REVOLUTE, tool, body, end_pose(of, tool));
  join_leaves(of, FLG_CONSTRAINT_SPHERICAL, ON_WORLD, body, end_pose(of, body));
  return of;
}

/* how far a scheme is off at 0.5 s */
static double scheme_error(flg_scheme scheme, double h) {
  leaves *of = carrier();
  flg_assembly_options options = rk4_options();
  flg_assembly *exact = assemble_leaves(of, &options, true);
  options.scheme = scheme;
  flg_assembly *assembly = assemble_leaves(of, &options, false);
  advance_to(exact, 0.5, 1e-3);
  advance_to(assembly, 0.5, h);
  assert_true(flg_assembly_closure(assembly).position < 1e-11);
  const double error = leaves_difference(of, assembly, exact);
  flg_assembly_release(exact);
  flg_assembly_release(assembly);
  leaves_drop(of);
  return error;
}

static void robots_in_loops_keep_the_orders_of_the_schemes(void **state) {
  (void)state;
  const double rattle = scheme_error(FLG_SCHEME_RATTLE, 1e-3);
  const double euler = scheme_error(FLG_SCHEME_SEMI_IMPLICIT, 1e-3);
  assert_near(log2(rattle / scheme_error(FLG_SCHEME_RATTLE, 5e-4)), 2, 5e-3);
  assert_near(log2(euler / scheme_error(FLG_SCHEME_SEMI_IMPLICIT, 5e-4)), 1, 0.015);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tool_is_joined_to_the_world),
      cmocka_unit_test(two_robots_hold_hands),
      cmocka_unit_test(a_robot_carries_a_body_that_hangs_on_the_world),
      cmocka_unit_test(a_robot_has_loops_of_its_own),
      cmocka_unit_test(a_robot_on_a_floating_base_holds_on),
      cmocka_unit_test(a_locked_joint_of_a_robot_in_a_loop_is_a_weld),
      cmocka_unit_test(robots_in_loops_keep_the_orders_of_the_schemes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
