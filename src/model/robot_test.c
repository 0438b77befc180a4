#include "model/robot.h"

#include "random_tree.h"

/* --- building ----------------------------------------------------------------------------------
 */

/* a model that cannot be built: the mistakes, of which the first is at that line and says that */
static const flg_mistakes *assert_refused(const flg_model *model, int line, const char *part) {
  static flg_mistakes found;
  flg_region region = {0};
  found = (flg_mistakes){0};
  flg_robot robot = {.link_count = -7};
  const flg_status status = flg_robot_build(&robot, model, &region, &found);
  assert_true(status != FLG_OK && status == found.status && found.count > 0);
  assert_int_equal(robot.link_count, -7);
  if (strstr(found.list[0].message, part) == NULL) {
    print_error("'%s' does not say '%s'\n", found.list[0].message, part);
    fail();
  }
  assert_int_equal(found.list[0].line, line);
  flg_region_release(&region);
  return &found;
}

static sample *chain(int count) {
  sample *s = sample_build(count);
  for (int k = 0; k < count; k++) sample_add(s, k - 1, FLG_JOINT_REVOLUTE, sample_shift(1, 0, 0));
  return s;
}

static void fixed_bodies_become_part_of_their_link(void **state) {
  (void)state;
  sample *s = sample_build(4);
  sample_add(s, FLG_WORLD, FLG_JOINT_FIXED, sample_shift(0, 0, 1)); /* a pedestal */
  sample_add(s, 0, FLG_JOINT_PRISMATIC, sample_shift(0, 0, 1));
  sample_add(s, 1, FLG_JOINT_FIXED, sample_shift(2, 0, 0));
  sample_add(s, 2, FLG_JOINT_FIXED, sample_shift(0, 3, 0));
  sample_finish(s);
  const flg_robot *robot = &s->robot;
  assert_int_equal(robot->link_count, 1);
  assert_int_equal(robot->velocity_count, 1);
  assert_true(robot->links[0].inertia.mass == 3 && robot->links[0].parent == FLG_WORLD);
  assert_true(robot->links[0].placement.position.z == 2);
  const flg_vec3 moment = robot->links[0].inertia.moment;
  assert_true(moment.x == 2 + 2 && moment.y == 3 && moment.z == 0);
  assert_true(robot->anchors[0].link == FLG_WORLD && robot->anchors[0].pose.position.z == 1);
  assert_true(robot->anchors[3].link == 0 && robot->anchors[3].pose.position.y == 3);
  assert_true(robot->joint_links[0] == -1 && robot->joint_links[1] == 0);
  sample_release(s);
}

static void links_come_parents_first_and_branch_by_branch(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < 200; k++) {
    sample *s = random_tree(&source, 30, ALL_KINDS, ALL_KIND_COUNT);
    /* whoever hangs on i is in one piece after it */
    for (int i = 0; i < s->robot.link_count; i++) {
      int end = i + 1, parent = s->robot.links[i].parent;
      assert_true(parent < i);
      while (end < s->robot.link_count && s->robot.links[end].parent >= i) end++;
      for (; end < s->robot.link_count; end++) {
        for (parent = end; parent > i;) parent = s->robot.links[parent].parent;
        assert_true(parent != i);
      }
    }
    sample_release(s);
  }
}

static void order_of_the_file_does_not_matter(void **state) {
  (void)state;
  sample *s = sample_build(3); /* tip, middle, root */
  sample_add(s, 1, FLG_JOINT_BALL, sample_shift(0, 0, 1));
  sample_add(s, 2, FLG_JOINT_REVOLUTE, sample_shift(0, 0, 1));
  sample_add(s, FLG_WORLD, FLG_JOINT_PLANAR, sample_shift(0, 0, 1));
  sample_finish(s);
  assert_true(s->robot.anchors[2].link == 0 && s->robot.anchors[1].link == 1);
  assert_true(s->robot.anchors[0].link == 2 && s->robot.joint_links[0] == 2);
  assert_true(s->robot.links[2].velocity == 4 && s->robot.links[2].position == 4);
  assert_true(s->robot.velocity_count == 7 && s->robot.position_count == 8);
  sample_release(s);
}

static void axes_of_any_direction_become_z(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < 300; k++) {
    sample *s = sample_build(1);
    sample_add(s, FLG_WORLD, FLG_JOINT_PLANAR, flg_pose_identity());
    flg_vec3 axis = random_direction(&source);
    if (k == 0) axis = (flg_vec3){0, 0, 1};
    if (k == 1) axis = (flg_vec3){0, 0, -1};
    if (k == 2) axis = (flg_vec3){1e-9, 0, -1};
    s->model.joints[0].axis = flg_vec3_scale(axis, 3);
    sample_finish(s);
    const flg_mat3 R = s->robot.links[0].placement.rotation;
    const flg_mat3 product = flg_mat3_multiply_transposed(&R, &R), one = flg_mat3_identity();
    const flg_vec3 z = flg_mat3_column(&R, 2), x = flg_mat3_column(&R, 0);
    assert_near(max_difference(product.m, one.m, 9), 0, 1e-15);
    assert_near(max_difference(&z.x, &axis.x, 3), 0, 1e-15);
    assert_near(flg_vec3_dot(flg_vec3_cross(z, x), flg_mat3_column(&R, 1)), 1, 1e-15);
    if (k == 0) assert_memory_equal(&R, &one, sizeof one);
    sample_release(s);
  }
}

static void build_fails_cleanly_without_memory(void **state) {
  (void)state;
  sample *s = chain(3);
  flg_region whole = {0};
  flg_robot robot;
  static flg_mistakes found;
  assert_int_equal(flg_robot_build(&robot, &s->model, &whole, &found), FLG_OK);
  for (size_t limit = 1; limit < whole.bytes; limit += 8) {
    flg_region region = {.limit = limit};
    robot.link_count = -7;
    found = (flg_mistakes){0};
    assert_int_equal(flg_robot_build(&robot, &s->model, &region, &found), FLG_ERR_MEMORY);
    assert_true(robot.link_count == -7 && found.count == 1);
    flg_region_release(&region);
  }
  flg_region_release(&whole);
  sample_release(s);
}

static void hundred_thousand_links_in_a_row_are_built(void **state) {
  (void)state;
  enum { LINKS = 100000 };
  sample *s = chain(LINKS);
  sample_finish(s);
  assert_int_equal(s->robot.link_count, LINKS);
  assert_int_equal(s->robot.links[LINKS - 1].parent, LINKS - 2);
  sample_release(s);
}

/* --- what is refused ---------------------------------------------------------------------------
 */

static void loops_are_told_once(void **state) {
  (void)state;
  sample *s = chain(6);
  s->model.joints[1].parent = 3; /* 1 -> 2 -> 3 -> 1; 4 and 5 hang on it */
  assert_int_equal(assert_refused(&s->model, 4, "joint 'j1' closes a loop")->count, 1);
  s->model.joints[5].parent = 5;
  const flg_mistakes *found = assert_refused(&s->model, 12, "connects body 'b5' with itself");
  assert_int_equal(found->count, 1);
  sample_release(s);
}

static void second_parents_are_told(void **state) {
  (void)state;
  sample *s = chain(4);
  s->model.joints[3].child = 1;
  assert_refused(&s->model, 8,
                 "body 'b1' has two parents: it is the child of joint 'j1' and of joint 'j3'");
  sample_release(s);
}

static void bodies_on_nothing_are_told(void **state) {
  (void)state;
  sample *s = chain(4);
  s->model.joint_count = 3;
  assert_refused(&s->model, 7, "body 'b3' hangs on nothing");
  sample_release(s);
}

static void joints_between_no_bodies_are_told(void **state) {
  (void)state;
  const int wrong[3] = {-2, 4, 1000000};
  for (int k = 0; k < 3; k++) {
    sample *s = chain(4);
    s->model.joints[2].parent = wrong[k];
    assert_refused(&s->model, 6, "joint 'j2' does not connect two bodies");
    s->model.joints[2].parent = 1;
    s->model.joints[2].child = k == 0 ? FLG_WORLD : wrong[k];
    assert_refused(&s->model, 6, "joint 'j2' does not connect two bodies");
    sample_release(s);
  }
}

static void branches_without_mass_are_told(void **state) {
  (void)state;
  sample *s = chain(4);
  s->model.bodies[1].mass = 0, s->model.bodies[1].inertia = (flg_sym3){0};
  sample_finish(s); /* something heavy follows */
  flg_region_release(&s->region);
  s->model.bodies[3].mass = 0, s->model.bodies[3].inertia = (flg_sym3){0};
  assert_refused(&s->model, 7, "body 'b3' has no mass, and nothing with mass is attached to it");
  s->model.joints[3].kind = FLG_JOINT_FIXED; /* a frame on body 2 */
  sample_finish(s);
  sample_release(s);
}

static void ends_without_inertia_are_told(void **state) {
  (void)state;
  const struct end_case {
    flg_joint_kind kind;
    flg_vec3 centre;
    flg_sym3 inertia;
    int is_good;
  } cases[] = {
      {FLG_JOINT_REVOLUTE, {0, 0, 1}, {0, 0, 0, 0, 0, 0}, 0}, /* a point on the axis */
      {FLG_JOINT_REVOLUTE, {1, 0, 1}, {0, 0, 0, 0, 0, 0}, 1},
      {FLG_JOINT_REVOLUTE, {0, 0, 1}, {1, 1, 0, 0, 0, 0}, 0}, /* a rod along the axis */
      {FLG_JOINT_PRISMATIC, {0, 0, 0}, {0, 0, 0, 0, 0, 0}, 1},
      {FLG_JOINT_SCREW, {0, 0, 0}, {0, 0, 0, 0, 0, 0}, 1},
      {FLG_JOINT_CYLINDRICAL, {0, 0, 0}, {0, 0, 0, 0, 0, 0}, 0},
      {FLG_JOINT_PLANAR, {1, 0, 0}, {0, 0, 0, 0, 0, 0}, 0}, /* turns about the point for free */
      {FLG_JOINT_UNIVERSAL, {0, 0, 1}, {0, 0, 0, 0, 0, 0}, 0},
      {FLG_JOINT_BALL, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, 0},
      {FLG_JOINT_FLOATING, {0, 0, 0}, {1, 1, 0, 0, 0, 0}, 0},
      {FLG_JOINT_FLOATING, {1, 2, 3}, {1, 1, 1, 0, 0, 0}, 1},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    sample *s = chain(2);
    flg_joint *joint = &s->model.joints[1];
    joint->kind = cases[k].kind;
    joint->pitch = 0.1;
    s->model.bodies[1].centre = cases[k].centre;
    s->model.bodies[1].inertia = cases[k].inertia;
    if (cases[k].is_good) {
      sample_finish(s);
    } else {
      assert_refused(&s->model, 3, "body 'b1' has no inertia against the motion that joint 'j1'");
    }
    sample_release(s);
  }
}

/* --- positions ---------------------------------------------------------------------------------
 */

static sample *floating_and_ball(void) {
  sample *s = sample_build(3);
  sample_add(s, FLG_WORLD, FLG_JOINT_FLOATING, flg_pose_identity());
  sample_add(s, 0, FLG_JOINT_BALL, flg_pose_identity());
  sample_add(s, 1, FLG_JOINT_CYLINDRICAL, flg_pose_identity());
  sample_finish(s);
  return s;
}

static void zero_is_made_of_zeros_and_unit_quaternions(void **state) {
  (void)state;
  sample *s = floating_and_ball();
  double q[13];
  flg_robot_zero(&s->robot, q);
  const double expected[13] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0};
  assert_memory_equal(q, expected, sizeof q);
  sample_release(s);
}

static void long_spin_stays_exact(void **state) {
  (void)state;
  sample *s = floating_and_ball();
  const double pi = 3.14159265358979323846;
  const double v[11] = {1, 2, 3, 0, 0, 20 * pi, 6 * pi, 8 * pi, 0, 4, 5};
  double q[13];
  flg_robot_zero(&s->robot, q);
  for (int k = 0; k < 1000000; k++) flg_robot_integrate(&s->robot, q, v, 1e-3, q);
  /* 10 000 and 5000 whole turns */
  assert_near(q[0], 1000, 1e-7);
  assert_near(fabs(q[3]), 1, 1e-15);
  assert_near(largest_of(q + 4, 3), 0, 1e-13);
  assert_near(fabs(q[7]), 1, 1e-15);
  assert_near(largest_of(q + 8, 3), 0, 2e-12);
  assert_near(q[12], 5000, 6e-7);
  sample_release(s);
}

static void rate_is_the_derivative_of_the_position(void **state) {
  (void)state;
  random_source source = {3};
  for (int k = 0; k < 200; k++) {
    scene x = random_moving_scene(&source);
    double rate[SCENE_SIZE], before[SCENE_SIZE], after[SCENE_SIZE];
    const double h = 1e-5;
    flg_robot_rate(&x.s->robot, x.q, x.v, rate);
    flg_robot_integrate(&x.s->robot, x.q, x.v, h, after);
    flg_robot_integrate(&x.s->robot, x.q, x.v, -h, before);
    for (int j = 0; j < x.s->robot.position_count; j++) {
      assert_near((after[j] - before[j]) / (2 * h), rate[j], 6e-10);
    }
    sample_release(x.s);
  }
}

static void normalise_touches_quaternions_alone(void **state) {
  (void)state;
  sample *s = floating_and_ball();
  double q[13] = {3, 4, 5, 0, 2, 0, 0, 3, 0, 4, 0, 6, 7};
  const double expected[13] = {3, 4, 5, 0, 1, 0, 0, 0.6, 0, 0.8, 0, 6, 7};
  flg_robot_normalise(&s->robot, q);
  assert_near(max_difference(q, expected, 13), 0, 1e-15);
  sample_release(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fixed_bodies_become_part_of_their_link),
      cmocka_unit_test(links_come_parents_first_and_branch_by_branch),
      cmocka_unit_test(order_of_the_file_does_not_matter),
      cmocka_unit_test(axes_of_any_direction_become_z),
      cmocka_unit_test(build_fails_cleanly_without_memory),
      cmocka_unit_test(hundred_thousand_links_in_a_row_are_built),
      cmocka_unit_test(loops_are_told_once),
      cmocka_unit_test(second_parents_are_told),
      cmocka_unit_test(bodies_on_nothing_are_told),
      cmocka_unit_test(joints_between_no_bodies_are_told),
      cmocka_unit_test(branches_without_mass_are_told),
      cmocka_unit_test(ends_without_inertia_are_told),
      cmocka_unit_test(zero_is_made_of_zeros_and_unit_quaternions),
      cmocka_unit_test(long_spin_stays_exact),
      cmocka_unit_test(rate_is_the_derivative_of_the_position),
      cmocka_unit_test(normalise_touches_quaternions_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
