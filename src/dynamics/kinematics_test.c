#include "dynamics/dynamics.h"

#include "random_tree.h"

static const double STEP = 1e-5;

/* the kinematics of the scene at the time t, velocities growing with a */
static void move_to(const scene *x, double t) {
  double q[SCENE_SIZE], v[SCENE_SIZE], middle[SCENE_SIZE];
  for (int k = 0; k < x->s->robot.velocity_count; k++) {
    v[k] = x->v[k] + t * x->a[k];
    middle[k] = x->v[k] + t / 2 * x->a[k];
  }
  flg_robot_integrate(&x->s->robot, x->q, middle, t, q);
  flg_dynamics_kinematics(x->s->dynamics, q, v);
}

static flg_spatial rate_between(flg_spatial after, flg_spatial before) {
  return flg_spatial_scale(flg_spatial_subtract(after, before), 1 / (2 * STEP));
}

static void assert_spatial_near(flg_spatial actual, flg_spatial expected, double tolerance) {
  double left[6], right[6];
  flg_spatial_store(actual, left);
  flg_spatial_store(expected, right);
  assert_near(max_difference(left, right, 6), 0, tolerance);
}

/* [linear; angular] rate between two poses, world axes */
static flg_spatial pose_rate(const flg_pose *before, const flg_pose *after) {
  const flg_mat3 back = flg_mat3_transpose(&before->rotation);
  const flg_mat3 turn = flg_mat3_multiply(&after->rotation, &back);
  const flg_vec3 angle = flg_quat_log(flg_quat_from_matrix(&turn));
  const flg_vec3 shift = flg_vec3_subtract(after->position, before->position);
  return flg_spatial_scale((flg_spatial){shift, angle}, 1 / (2 * STEP));
}

static void velocity_is_the_rate_of_the_pose(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    move_to(&x, -STEP);
    const flg_pose before = flg_dynamics_frame_pose(x.s->dynamics, &x.frames[0]);
    move_to(&x, STEP);
    const flg_pose after = flg_dynamics_frame_pose(x.s->dynamics, &x.frames[0]);
    move_to(&x, 0);
    assert_spatial_near(flg_dynamics_frame_velocity(x.s->dynamics, &x.frames[0]),
                        pose_rate(&before, &after), 6e-8);
    sample_release(x.s);
  }
}

static void frame_at_the_origin_moves_like_its_link(void **state) {
  (void)state;
  random_source source = {8};
  scene x = random_moving_scene(&source);
  move_to(&x, 0);
  for (int i = FLG_WORLD; i < x.s->robot.link_count; i++) {
    const flg_link_anchor origin = {i, flg_pose_identity()};
    const flg_spatial link = flg_dynamics_link_velocity(x.s->dynamics, i);
    const flg_spatial frame = flg_dynamics_frame_velocity(x.s->dynamics, &origin);
    assert_memory_equal(&link, &frame, sizeof link);
  }
  sample_release(x.s);
}

static void jacobian_times_velocities_is_the_velocity(void **state) {
  (void)state;
  random_source source = {3};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    move_to(&x, 0);
    double J[6 * SCENE_SIZE];
    flg_dynamics_frame_jacobian(x.s->dynamics, &x.frames[0], J);
    flg_spatial sum = {0};
    for (int j = 0; j < x.s->robot.velocity_count; j++) {
      sum = flg_spatial_add_scaled(sum, x.v[j], flg_spatial_load(J + 6 * j));
    }
    assert_spatial_near(flg_dynamics_frame_velocity(x.s->dynamics, &x.frames[0]), sum, 1e-12);
    sample_release(x.s);
  }
}

static void bias_is_the_acceleration_at_constant_velocities(void **state) {
  (void)state;
  random_source source = {4};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    for (int j = 0; j < x.s->robot.velocity_count; j++) x.a[j] = 0;
    move_to(&x, -STEP);
    const flg_spatial before = flg_dynamics_frame_velocity(x.s->dynamics, &x.frames[0]);
    move_to(&x, STEP);
    const flg_spatial after = flg_dynamics_frame_velocity(x.s->dynamics, &x.frames[0]);
    move_to(&x, 0);
    assert_spatial_near(flg_dynamics_frame_bias(x.s->dynamics, &x.frames[0]),
                        rate_between(after, before), 6e-6);
    sample_release(x.s);
  }
}

static void acceleration_is_the_rate_of_the_velocity(void **state) {
  (void)state;
  random_source source = {5};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    move_to(&x, -STEP);
    const flg_spatial before = flg_dynamics_frame_velocity(x.s->dynamics, &x.frames[0]);
    move_to(&x, STEP);
    const flg_spatial after = flg_dynamics_frame_velocity(x.s->dynamics, &x.frames[0]);
    double f[SCENE_SIZE];
    flg_dynamics_inverse(x.s->dynamics, x.q, x.v, x.a, (flg_vec3){1, 2, 3}, NULL, f);
    assert_spatial_near(flg_dynamics_frame_acceleration(x.s->dynamics, &x.frames[0]),
                        rate_between(after, before), 6e-6);
    sample_release(x.s);
  }
}

static void force_on_a_frame_is_the_transposed_jacobian(void **state) {
  (void)state;
  random_source source = {6};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    move_to(&x, 0);
    const int n = x.s->robot.velocity_count;
    double J[6 * SCENE_SIZE], f[SCENE_SIZE] = {0}, expected[SCENE_SIZE] = {0};
    const flg_spatial force = {random_vector(&source, 10), random_vector(&source, 10)};
    flg_dynamics_frame_jacobian(x.s->dynamics, &x.frames[0], J);
    flg_dynamics_frame_force(x.s->dynamics, &x.frames[0], force, f);
    for (int j = 0; j < n; j++) expected[j] = flg_spatial_dot(flg_spatial_load(J + 6 * j), force);
    assert_near(max_difference(f, expected, n), 0, 1e-11);
    sample_release(x.s);
  }
}

static void bodies_are_where_the_model_says_at_zero(void **state) {
  (void)state;
  random_source source = {7};
  for (int k = 0; k < 200; k++) {
    scene x = random_moving_scene(&source);
    flg_robot_zero(&x.s->robot, x.q);
    for (int j = 0; j < x.s->robot.velocity_count; j++) x.v[j] = 0;
    flg_dynamics_kinematics(x.s->dynamics, x.q, x.v);
    flg_pose expected[SCENE_BODIES];
    for (int b = 0; b < x.s->model.body_count; b++) {
      const flg_joint *joint = &x.s->model.joints[b];
      const flg_pose ground = flg_pose_identity();
      const flg_pose *parent = joint->parent < 0 ? &ground : &expected[joint->parent];
      expected[b] = flg_pose_compose(parent, &joint->origin);
      const flg_pose actual = flg_dynamics_frame_pose(x.s->dynamics, &x.s->robot.anchors[b]);
      assert_near(max_difference(actual.rotation.m, expected[b].rotation.m, 9), 0, 1e-13);
      assert_near(max_difference(&actual.position.x, &expected[b].position.x, 3), 0, 1e-13);
    }
    sample_release(x.s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocity_is_the_rate_of_the_pose),
      cmocka_unit_test(frame_at_the_origin_moves_like_its_link),
      cmocka_unit_test(jacobian_times_velocities_is_the_velocity),
      cmocka_unit_test(bias_is_the_acceleration_at_constant_velocities),
      cmocka_unit_test(acceleration_is_the_rate_of_the_velocity),
      cmocka_unit_test(force_on_a_frame_is_the_transposed_jacobian),
      cmocka_unit_test(bodies_are_where_the_model_says_at_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
