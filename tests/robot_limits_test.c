/* Joints of robots end where their model says. */
#include "robot/robot_contacts_inner.h"
#include "robot/robot_ends.h"
#include "touching_robot.h"

static touching_robot *pendulum(double lower, double upper, double q, double v) {
  touching_robot *made = touching_new(1, 0, 0, DOWN);
  limit(made, hang_rod(made, FLG_WORLD, flg_pose_identity()), lower, upper);
  touching_start(made);
  made->robot.q[0] = q, made->robot.v[0] = v;
  touching_finish(made);
  return made;
}

static void pendulum_rests_on_its_limit(void **state) {
  (void)state;
  touching_robot *of = pendulum(0.3, 2, 1, 0);
  touching_step(of, 1e-3, 5000);
  assert_near(of->robot.q[0], 0.3, 1e-12);
  assert_near(of->robot.v[0], 0, 1e-12);
  touching_step(of, 1e-3, 100000);
  assert_near(of->robot.q[0], 0.3, 1e-12);
  touching_drop(of);
}

/* 1/3 v^2/2 = g (cos q - cos 1)/2: it lands within a step of the time and the place */
static void pendulum_stops_where_it_hits(void **state) {
  (void)state;
  for (int side = -1; side <= 1; side += 2) {
    touching_robot *of = side > 0 ? pendulum(0.25, 3, 1, 0) : pendulum(-3, -0.25, -1, 0);
    const double speed = sqrt(3 * 9.81 * (cos(0.25) - cos(1)));
    double fastest = 0;
    for (int k = 0; k < 2000; k++) {
      touching_step(of, 1e-3, 1);
      fastest = flg_larger(fastest, fabs(of->robot.v[0]));
      assert_true(side * of->robot.q[0] >= 0.25 - 1e-12);
    }
    assert_near(fastest, speed, 0.01 * speed);
    assert_near(of->robot.q[0], side * 0.25, 1e-12);
    touching_drop(of);
  }
}

/* Integrators of several stages: it falls as exactly as they can, hits, rests; pulled up, it
 * leaves.
 */
static void limits_hold_in_steps_of_several_stages(void **state) {
  (void)state;
  const flg_integrator_kind kinds[] = {FLG_INTEGRATOR_RK4, FLG_INTEGRATOR_ADAPTIVE};
  for (int i = 0; i < 4; i++) {
    const double side = i % 2 == 0 ? 1 : -1, h = 1e-3;
    touching_robot *of = touching_new(1, 0, 0, DOWN);
    const int joint = hang_rod(of, FLG_WORLD, flg_pose_identity());
    limit(of, joint, side > 0 ? 0.25 : -3, side > 0 ? 3 : -0.25);
    of->options.integrator = flg_integrator_default();
    of->options.integrator.kind = kinds[i / 2];
    touching_start(of);
    of->robot.q[0] = side;
    touching_finish(of);
    const double speed = sqrt(3 * 9.81 * (cos(0.25) - cos(1)));
    double fastest = 0;
    for (int k = 0; k < 2000; k++) {
      touching_step(of, h, 1);
      fastest = flg_larger(fastest, fabs(of->robot.v[0]));
      assert_true(side * of->robot.q[0] >= 0.25 - 1e-12);
    }
    assert_near(fastest, speed, 0.01 * speed);
    assert_near(of->robot.q[0], side * 0.25, 1e-12);
    assert_near(of->robot.v[0], 0, 1e-12);
    of->robot.v[0] = 3 * side;
    touching_step(of, h, 100);
    assert_true(side * of->robot.q[0] > 0.4);
    touching_drop(of);
  }
}

/* kinetic energy of velocities where the robot is */
static double kinetic(touching_robot *of, const double *q, const double *v) {
  flg_dynamics_kinematics(of->robot.dynamics, q, v);
  return flg_dynamics_kinetic_energy(of->robot.dynamics);
}

/* A step with limits has no more energy at the place where it starts than the step without. */
static void check_energy(touching_robot *of, touching_robot *free, int steps, double h) {
  const int n = of->robot.robot.velocity_count;
  double q[2], largest = 0;
  for (int k = 0; k < steps; k++) {
    memcpy(q, of->robot.q, (size_t)n * sizeof *q);
    memcpy(free->robot.q, q, (size_t)n * sizeof *q);
    memcpy(free->robot.v, of->robot.v, (size_t)n * sizeof *q);
    touching_step(free, h, 1);
    touching_step(of, h, 1);
    const double allowed = kinetic(free, q, free->robot.v);
    const double there = kinetic(free, q, of->robot.v);
    assert_true(there <= allowed * (1 + 1e-12) + 1e-15);
    largest = flg_larger(largest, allowed - there);
    for (int i = 0; i < n; i++) {
      const flg_joint *joint = &of->s->model.joints[i];
      assert_true(of->robot.q[i] > joint->lower - 1e-9 && of->robot.q[i] < joint->upper + 1e-9);
    }
  }
  assert_true(largest > 0.1); /* something hit */
}

static void pendulum_never_gains_energy_from_its_limits(void **state) {
  (void)state;
  touching_robot *of = pendulum(-0.5, 1, 0.9, -8);
  touching_robot *free = pendulum(-INFINITY, INFINITY, 0, 0);
  check_energy(of, free, 4000, 1e-4);
  touching_drop(of), touching_drop(free);
}

static touching_robot *arm(bool limited, flg_vec3 gravity) {
  touching_robot *of = limited_arm(limited, gravity);
  of->robot.v[0] = 2, of->robot.v[1] = -3;
  touching_finish(of);
  return of;
}

static void arm_never_gains_energy_from_its_limits(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    touching_robot *of = arm(true, k ? DOWN : WEIGHTLESS),
                   *free = arm(false, k ? DOWN : WEIGHTLESS);
    check_energy(of, free, 20000, 1e-4);
    touching_drop(of), touching_drop(free);
  }
}

/* Both joints at rest on their limits, held up against gravity: the moments are those of statics.
 */
static void arm_rests_on_both_limits(void **state) {
  (void)state;
  touching_robot *of = lifted_arm(DOWN);
  touching_finish(of);
  touching_step(of, 1e-3, 6000);
  assert_near(of->robot.q[0], PI / 2, 1e-11);
  assert_near(of->robot.q[1], 0, 1e-11);
  assert_near(of->robot.v[0], 0, 1e-11);
  assert_near(of->robot.v[1], 0, 1e-11);
  touching_drop(of);
}

/* An end that leaves its joint a speed pushes on that joint alone: about the first one nothing
 * acts, M_00 dv_0 + M_01 dv_1 = 0. */
static void ends_that_leave_a_speed_push_on_their_joint_alone(void **state) {
  (void)state;
  touching_robot *of = arm(true, WEIGHTLESS);
  struct flg_robot_touch *touch = of->robot.touch;
  const double before[2] = {2, -3}, speed = -0.7;
  double M[4];
  flg_dynamics_kinematics(of->robot.dynamics, of->robot.q, of->robot.v);
  flg_dynamics_mass(of->robot.dynamics, M);
  touch->knows_ends = true;
  touch->ends[0] = (flg_joint_end){false, 0}, touch->ends[1] = (flg_joint_end){true, speed};
  flg_robot_hold_ends(&of->robot);
  assert_true(flg_robot_stop_at_ends(&of->robot));
  flg_robot_let_go_of_ends(&of->robot);
  assert_true(of->robot.v[1] == speed);
  assert_near(of->robot.v[0], before[0] - M[2] / M[0] * (speed - before[1]), 1e-14);
  touching_drop(of);
}

static void locked_joints_stay_outside_of_their_range(void **state) {
  (void)state;
  touching_robot *of = pendulum(0.3, 2, 0.31, 0);
  flg_robot_subsystem_lock(&of->robot, 0, true);
  of->robot.q[0] = 0.1;
  touching_step(of, 1e-3, 1000);
  assert_true(of->robot.q[0] == 0.1);
  flg_robot_subsystem_lock(&of->robot, 0, false);
  double before = of->robot.q[0];
  for (int k = 0; k < 200; k++) { /* and come back gently, without speed */
    touching_step(of, 1e-3, 1);
    assert_true(of->robot.q[0] >= before && of->robot.q[0] <= 0.3 + 1e-12);
    assert_near(of->robot.v[0], 0, 1e-11);
    before = of->robot.q[0];
  }
  assert_near(before, 0.3, of->contacts.law.slop + 1e-9);
  touching_drop(of);
}

/* A joint that follows another ends with it, and pushes it through the gear. */
static void limits_act_through_joints_that_follow(void **state) {
  (void)state;
  touching_robot *of = touching_new(2, 0, 0, DOWN);
  const int leader = hang_rod(of, FLG_WORLD, flg_pose_identity());
  const int follower = hang_rod(of, FLG_WORLD, sample_shift(3, 0, 0));
  of->s->model.joints[follower].mimic = (flg_mimic){leader, 2, 0};
  limit(of, follower, 0.5, 3);
  touching_start(of);
  of->robot.q[leader] = 1, of->robot.q[follower] = 2;
  touching_finish(of);
  touching_step(of, 1e-3, 3000);
  assert_near(of->robot.q[follower], 0.5, 1e-12);
  assert_near(of->robot.q[leader], 0.25, 1e-12);
  touching_drop(of);
}

static void limits_can_be_ignored(void **state) {
  (void)state;
  double ends[2];
  for (int ignores = 0; ignores < 2; ignores++) {
    touching_robot *of = touching_new(1, 0, 0, DOWN);
    const int rod = hang_rod(of, FLG_WORLD, flg_pose_identity());
    if (ignores) limit(of, rod, 0.3, 2);
    of->options.ignores_limits = ignores;
    touching_start(of);
    of->robot.q[0] = 1;
    touching_finish(of);
    assert_null(of->robot.touch);
    touching_step(of, 1e-3, 1000);
    ends[ignores] = of->robot.q[0];
    touching_drop(of);
  }
  assert_true(ends[0] == ends[1]);
}

/* Far from its ends a joint moves to the last bit as one that has none. */
static void limits_that_are_far_change_no_bit(void **state) {
  (void)state;
  double ends[2];
  for (int limited = 0; limited < 2; limited++) {
    touching_robot *of = touching_new(1, 0, 0, DOWN);
    const int rod = hang_rod(of, FLG_WORLD, flg_pose_identity());
    if (limited) limit(of, rod, -3, 3);
    touching_start(of);
    of->robot.q[0] = 1;
    touching_finish(of);
    touching_step(of, 1e-3, 1000);
    ends[limited] = of->robot.q[0];
    touching_drop(of);
  }
  assert_true(ends[0] == ends[1]);
}

static void start_outside_of_the_range_is_refused(void **state) {
  (void)state;
  touching_robot *of = touching_new(1, 0, 0, DOWN);
  flg_mistakes mistakes = {0};
  limit(of, hang_rod(of, FLG_WORLD, flg_pose_identity()), 0.3, 2);
  touching_start(of);
  flg_robot_contacts_build(&of->robot, NULL, &mistakes);
  assert_int_equal(mistakes.count, 1);
  assert_string_equal(mistakes.list[0].message,
                      "joint 'j0' of 'robot' starts at 0, outside of its limits 0.3 .. 2; give "
                      "another 'initial:', or write 'limits: ignored'");
  assert_null(of->robot.touch);
  touching_drop(of);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_rests_on_its_limit),
      cmocka_unit_test(pendulum_stops_where_it_hits),
      cmocka_unit_test(limits_hold_in_steps_of_several_stages),
      cmocka_unit_test(pendulum_never_gains_energy_from_its_limits),
      cmocka_unit_test(arm_never_gains_energy_from_its_limits),
      cmocka_unit_test(arm_rests_on_both_limits),
      cmocka_unit_test(ends_that_leave_a_speed_push_on_their_joint_alone),
      cmocka_unit_test(locked_joints_stay_outside_of_their_range),
      cmocka_unit_test(limits_act_through_joints_that_follow),
      cmocka_unit_test(limits_can_be_ignored),
      cmocka_unit_test(limits_that_are_far_change_no_bit),
      cmocka_unit_test(start_outside_of_the_range_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
