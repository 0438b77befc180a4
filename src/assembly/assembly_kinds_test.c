/* Every kind of joint of a component against the robot in joint coordinates that moves alike. */
#include "twins.h"

static const double STEP = 5e-4, END = 1, SAME = 1e-8;

/* both run from the same state to the same end; poses agree */
static void compare(flg_robot_subsystem *robot, parts *p, int first) {
  const flg_assembly_options options = rk4_options();
  flg_assembly *assembly = assemble(p, &options);
  assert_true(flg_assembly_closure(assembly).position < 1e-13);
  assert_true(flg_assembly_closure(assembly).velocity < 1e-12);
  advance_to(assembly, END, STEP);
  assert_int_equal(flg_robot_subsystem_advance(robot, 0, END, 0, 1, NULL), FLG_OK);
  flg_robot_subsystem_refresh(robot, END);
  assert_near(twin_difference(robot, assembly, first), 0, SAME);
  assert_true(flg_assembly_closure(assembly).position < 1e-11);
  assert_true(flg_assembly_closure(assembly).velocity < 1e-11);
  flg_assembly_release(assembly);
}

/* --- trees of joints that robots have, too ------------------------------------------------------
 */

static void compare_tree(random_source *source, int bodies, const flg_joint_kind *kinds,
                         int kind_count) {
  sample *s = random_tree(source, bodies, kinds, kind_count);
  flg_robot_subsystem robot;
  square_axes(&s->model);
  for (int k = 0; k < bodies; k++) s->model.joints[k].armature = 0; /* twins have no rotors */
  build_robot(&robot, &s->model);
  shake_robot(source, &robot);
  parts *p = parts_new(bodies + 1);
  const int first = add_twin(p, &robot);
  compare(&robot, p, first);
  parts_drop(p);
  flg_robot_subsystem_release(&robot);
  sample_release(s);
}

static void each_kind_moves_as_in_joint_coordinates(void **state) {
  (void)state;
  random_source source = {11};
  for (int k = 0; k < ALL_KIND_COUNT; k++) {
    for (int i = 0; i < REPEATS(4); i++) compare_tree(&source, 3, &ALL_KINDS[k], 1);
  }
}

static void trees_of_all_kinds_move_as_in_joint_coordinates(void **state) {
  (void)state;
  random_source source = {12};
  for (int i = 0; i < REPEATS(12); i++) compare_tree(&source, 6, ALL_KINDS, ALL_KIND_COUNT);
}

/* --- joints that are two of a robot's, with nothing in between ----------------------------------
 */

/* a carrier, and on it a body by two joints with a link without mass in between */
static sample *two_joints(random_source *source, flg_joint_kind first, flg_joint_kind second,
                          flg_vec3 apart) {
  sample *s = sample_build(3);
  random_body(source,
              &s->model.bodies[sample_add(s, FLG_WORLD, FLG_JOINT_BALL, random_pose(source))]);
  const int link = sample_add(s, 0, first, random_pose(source));
  s->model.bodies[link].mass = 0, s->model.bodies[link].inertia = (flg_sym3){0};
  const flg_pose shift = {flg_mat3_identity(), apart};
  random_body(source, &s->model.bodies[sample_add(s, link, second, shift)]);
  return s;
}

/* the carrier and the body; returns the body */
static int add_two(parts *p, const flg_robot_subsystem *robot) {
  add_twin_body(p, robot, 0);
  add_twin_body(p, robot, 2);
  add_twin_joint(p, 0, &robot->model->joints[0], FLG_CONSTRAINT_SPHERICAL);
  return 1;
}

static double two_difference(const flg_robot_subsystem *robot, const flg_assembly *assembly) {
  double most = 0;
  for (int k = 0; k < 2; k++) {
    const flg_pose pose = flg_dynamics_frame_pose(robot->dynamics, &robot->robot.anchors[2 * k]);
    most = flg_larger(most, pose_difference(pose, body_pose(assembly, -1, k)));
  }
  return most;
}

static void compare_two(random_source *source, sample *s, flg_constraint_kind kind, double constant,
                        double step) {
  flg_robot_subsystem robot;
  build_robot(&robot, &s->model);
  shake_robot(source, &robot);
  parts *p = parts_new(4);
  const int body = add_two(p, &robot);
  const flg_joint from = {.kind = FLG_JOINT_PRISMATIC,
                          .parent = 0,
                          .child = body,
                          .origin = s->model.joints[1].origin,
                          .axis = s->model.joints[1].axis};
  p->component.joints[add_twin_joint(p, 0, &from, kind)].constant = constant;
  const flg_assembly_options options = rk4_options();
  flg_assembly *assembly = assemble(p, &options);
  assert_true(flg_assembly_closure(assembly).position < 1e-13);
  advance_to(assembly, END, step);
  assert_int_equal(flg_robot_subsystem_advance(&robot, 0, END, 0, 1, NULL), FLG_OK);
  flg_robot_subsystem_refresh(&robot, END);
  assert_near(two_difference(&robot, assembly), 0, SAME);
  flg_assembly_release(assembly);
  parts_drop(p);
  flg_robot_subsystem_release(&robot);
}

static void point_on_line_is_a_slide_with_a_ball(void **state) {
  (void)state;
  random_source source = {13};
  for (int i = 0; i < REPEATS(6); i++) {
    sample *s = two_joints(&source, FLG_JOINT_PRISMATIC, FLG_JOINT_BALL, vec(0, 0, 0));
    s->model.joints[1].axis = random_direction(&source);
    compare_two(&source, s, FLG_CONSTRAINT_POINT_ON_LINE, 0, STEP);
    sample_release(s);
  }
}

static void distance_is_a_rod_between_a_universal_joint_and_a_ball(void **state) {
  (void)state;
  random_source source = {14};
  for (int i = 0; i < REPEATS(6); i++) {
    sample *s = two_joints(&source, FLG_JOINT_UNIVERSAL, FLG_JOINT_BALL, vec(0.8, 0, 0));
    compare_two(&source, s, FLG_CONSTRAINT_DISTANCE, 0.8, STEP / 4); /* it swings fast */
    sample_release(s);
  }
}

/* --- gears and racks: joints that follow others -------------------------------------------------
 */

/* joints 1 and 3 on carriers 0 and 2 (which may be the same one); 3 follows 1 */
static void compare_gear(random_source *source, flg_joint_kind kind, bool one_carrier) {
  sample *s = sample_build(4);
  for (int k = 0; k < 4; k++) {
    const int carrier = k == 3 && !one_carrier ? 2 : 0;
    const bool is_wheel = k == 1 || k == 3;
    const int body = sample_add(s, is_wheel ? carrier : FLG_WORLD,
                                k == 3 ? kind : FLG_JOINT_CONTINUOUS, random_pose(source));
    s->model.joints[body].axis = random_direction(source);
    random_body(source, &s->model.bodies[body]);
  }
  const double ratio = random_uniform(source, -3, 3);
  s->model.joints[3].mimic = (flg_mimic){1, ratio, 0.2};
  flg_robot_subsystem robot;
  build_robot(&robot, &s->model);
  shake_robot(source, &robot);
  parts *p = parts_new(5);
  const int first = add_twin(p, &robot);
  const flg_component_joint *joints = p->component.joints;
  const int gear = add_gear(p, joints[1].coordinate[0], ratio, joints[3].coordinate[0], -1);
  if (kind == FLG_JOINT_PRISMATIC) p->component.joints[gear].kind = FLG_CONSTRAINT_RACK;
  compare(&robot, p, first);
  parts_drop(p);
  flg_robot_subsystem_release(&robot);
  sample_release(s);
}

static void gears_and_racks_move_as_joints_that_follow(void **state) {
  (void)state;
  random_source source = {15};
  for (int i = 0; i < REPEATS(3); i++) {
    compare_gear(&source, FLG_JOINT_CONTINUOUS, true);
    compare_gear(&source, FLG_JOINT_CONTINUOUS, false);
    compare_gear(&source, FLG_JOINT_PRISMATIC, true);
    compare_gear(&source, FLG_JOINT_PRISMATIC, false);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_moves_as_in_joint_coordinates),
      cmocka_unit_test(trees_of_all_kinds_move_as_in_joint_coordinates),
      cmocka_unit_test(point_on_line_is_a_slide_with_a_ball),
      cmocka_unit_test(distance_is_a_rod_between_a_universal_joint_and_a_ball),
      cmocka_unit_test(gears_and_racks_move_as_joints_that_follow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
