/* Inverse kinematics against the law of cosines, the pseudo-inverse and what arms cannot reach. */
#include "control/inverse_kinematics.h"

#include "check.h"
#include "math/svd.h"
#include "sample.h"

/* a robot with a frame to be brought somewhere */
typedef struct reacher {
  sample *s;
  flg_region region;
  flg_inverse_kinematics *kinematics;
} reacher;

static reacher reacher_build(sample *s, const flg_reach_options *options) {
  reacher r = {.s = s};
  r.region = (flg_region){0};
  assert_int_equal(flg_inverse_kinematics_build(&r.kinematics, &s->model, &s->robot, s->dynamics,
                                                options, &r.region, NULL),
                   FLG_OK);
  return r;
}

static void reacher_release(reacher *r) {
  flg_region_release(&r->region);
  sample_release(r->s);
}

/* two links of 1 m in the plane, with the tip as frame; orientation does not matter */
static sample *two_links(void) {
  sample *s = sample_build(2);
  sample_add(s, FLG_WORLD, FLG_JOINT_REVOLUTE, sample_shift(0, 0, 0));
  sample_add(s, 0, FLG_JOINT_REVOLUTE, sample_shift(1, 0, 0));
  return s;
}

static reacher tip_of(sample *s, const bool *locked) {
  sample_finish(s);
  flg_reach_options options = {
      .frame = s->robot.anchors[1], .position_only = true, .locked = locked};
  const flg_pose tip = sample_shift(1, 0, 0);
  options.frame.pose = flg_pose_compose(&options.frame.pose, &tip);
  return reacher_build(s, &options);
}

static flg_status reach_for(const reacher *r, double x, double y, double *q, flg_reach *reach) {
  const flg_pose target = sample_shift(x, y, 0);
  return flg_inverse_kinematics_solve(r->kinematics, &target, q, reach);
}

static void two_links_meet_the_law_of_cosines(void **state) {
  (void)state;
  reacher r = tip_of(two_links(), NULL);
  double q[2] = {0.1, 1};
  flg_reach reach;
  assert_int_equal(reach_for(&r, 0.6, 1.1, q, &reach), FLG_OK);
  const double elbow = acos((0.6 * 0.6 + 1.1 * 1.1 - 2) / 2);
  assert_near(q[1], elbow, 3e-14);
  assert_near(q[0], atan2(1.1, 0.6) - elbow / 2, 2e-14);
  assert_true(reach.position < 1e-12 && reach.turn == 0);
  reacher_release(&r);
}

/* two links in the plane and a tool that slides across it, in metres or in other units */
static void reach_with_a_slide(double metre, double *q, flg_reach *reach) {
  sample *s = sample_build(3);
  sample_add(s, FLG_WORLD, FLG_JOINT_REVOLUTE, sample_shift(0, 0, 0));
  sample_add(s, 0, FLG_JOINT_REVOLUTE, sample_shift(metre, 0, 0));
  sample_add(s, 1, FLG_JOINT_PRISMATIC, sample_shift(0.75 * metre, 0, 0));
  sample_finish(s);
  reacher r =
      reacher_build(s, &(flg_reach_options){.frame = s->robot.anchors[2], .position_only = true});
  const flg_pose target = sample_shift(0.5 * metre, 1.1 * metre, -0.3 * metre);
  assert_int_equal(flg_inverse_kinematics_solve(r.kinematics, &target, q, reach), FLG_OK);
  reacher_release(&r);
}

static void the_way_does_not_depend_on_the_unit_of_length(void **state) {
  static const double metres[] = {1024, 1. / 1024};
  double plain[3] = {0.1, 1, 0};
  flg_reach reach;
  (void)state;
  reach_with_a_slide(1, plain, &reach);
  assert_near(plain[2], -0.3, 1e-12);
  for (int k = 0; k < 2; k++) {
    double q[3] = {0.1, 1, 0};
    flg_reach other;
    reach_with_a_slide(metres[k], q, &other);
    assert_true(q[0] == plain[0] && q[1] == plain[1] && q[2] == metres[k] * plain[2]);
    assert_true(other.steps == reach.steps && other.position == metres[k] * reach.position);
  }
}

static void what_is_too_far_is_missed_by_the_difference(void **state) {
  (void)state;
  reacher r = tip_of(two_links(), NULL);
  double q[2] = {0.3, 0.7};
  flg_reach reach;
  assert_int_equal(reach_for(&r, 3, 0, q, &reach), FLG_ERR_RANGE);
  assert_near(reach.position, 1, 5e-9);
  assert_int_equal(reach.limit, -1);
  assert_near(cos(q[0]), 1, 3e-9); /* stretched towards it */
  reacher_release(&r);
}

static void a_stretched_arm_finds_the_way_inwards(void **state) {
  (void)state;
  reacher r = tip_of(two_links(), NULL);
  double q[2] = {0, 0};
  flg_reach reach;
  assert_int_equal(reach_for(&r, 1.5, 0, q, &reach), FLG_OK);
  assert_near(fabs(q[1]), acos((1.5 * 1.5 - 2) / 2), 1e-9);
  reacher_release(&r);
}

static void limits_hold_and_are_named(void **state) {
  (void)state;
  sample *s = two_links();
  s->model.joints[1].lower = -0.5, s->model.joints[1].upper = 0.5;
  reacher r = tip_of(s, NULL);
  double q[2] = {0, 0.2};
  flg_reach reach;
  assert_int_equal(reach_for(&r, 0.6, 1.1, q, &reach), FLG_ERR_RANGE);
  assert_near(fabs(q[1]), 0.5, 0);
  assert_int_equal(reach.limit, 1);
  /* the nearest point of the circle that is left */
  assert_near(reach.position, sqrt(2 + 2 * cos(0.5)) - hypot(0.6, 1.1), 2e-10);
  reacher_release(&r);
}

static void a_locked_joint_stays_where_it_is(void **state) {
  (void)state;
  const bool locked[2] = {true, false};
  reacher r = tip_of(two_links(), locked);
  double q[2] = {0.4, 0.2};
  flg_reach reach;
  assert_int_equal(reach_for(&r, cos(0.4) + cos(1.9), sin(0.4) + sin(1.9), q, &reach), FLG_OK);
  assert_near(q[0], 0.4, 0);
  assert_near(q[1], 1.5, 1e-11);
  reacher_release(&r);
}

static void a_joint_that_mimics_another_goes_with_it(void **state) {
  (void)state;
  sample *s = two_links();
  s->model.joints[1].mimic = (flg_mimic){.joint = 0, .multiplier = -2, .offset = 0.1};
  s->model.joints[1].lower = -1.9, s->model.joints[1].upper = 0.9;
  reacher r = tip_of(s, NULL);
  double q[2] = {0.3, -0.5};
  flg_reach reach;
  const double a = 0.9, b = -2 * a + 0.1;
  assert_int_equal(reach_for(&r, cos(a) + cos(a + b), sin(a) + sin(a + b), q, &reach), FLG_OK);
  assert_near(q[0], a, 1e-11);
  assert_near(q[1], b, 1e-11);
  assert_int_equal(reach_for(&r, cos(1.2) + cos(1.1), sin(1.2) - sin(1.1), q, &reach),
                   FLG_ERR_RANGE);
  assert_near(q[0], 1, 1e-15); /* the leader stops for the limits of its follower */
  q[0] = -0.2, q[1] = 0.5;
  assert_int_equal(reach_for(&r, cos(0.7) + cos(0.8), sin(0.8) - sin(0.7), q, &reach),
                   FLG_ERR_RANGE);
  assert_near(q[0], -0.4, 1e-15);
  reacher_release(&r);
}

/* ---- the seven-joint arm ---- */

static const double Q0[7] = {-1.4245, 1.5466, -0.3685, -1.6337, -1.1393, -1.5466, 1.7171};

static reacher arm(void) {
  sample *s = sample_arm();
  const flg_reach_options options = {.frame = s->robot.anchors[6]};
  return reacher_build(s, &options);
}

static void the_arm_reaches_any_pose_that_it_can_have(void **state) {
  (void)state;
  reacher r = arm();
  random_source random = {7};
  for (int n = 0; n < 200; n++) {
    double q[7], there[7];
    flg_reach reach;
    for (int k = 0; k < 7; k++) {
      q[k] = random_uniform(&random, -3, 3);
      there[k] = q[k] + random_uniform(&random, -0.3, 0.3);
    }
    const flg_pose target = flg_inverse_kinematics_pose(r.kinematics, there);
    assert_int_equal(flg_inverse_kinematics_solve(r.kinematics, &target, q, &reach), FLG_OK);
    assert_true(reach.position <= 1e-11 && reach.turn <= 1e-11);
  }
  reacher_release(&r);
}

/* dq = V diag(1/s) U^T e of J = U diag(s) V^T */
static void pseudo_inverse(const sample *s, const flg_link_anchor *frame, const double error[6],
                           double dq[7]) {
  double J[42], singular[6], u[36], vt[42], work[64];
  assert_true(flg_svd_workspace(6, 7) <= 64);
  flg_dynamics_frame_jacobian(s->dynamics, frame, J);
  assert_int_equal(flg_svd_factor(6, 7, J, 6, singular, u, 6, vt, 6, work), FLG_OK);
  for (int k = 0; k < 7; k++) dq[k] = 0;
  for (int i = 0; i < 6; i++) {
    double along = 0;
    for (int j = 0; j < 6; j++) along += u[j + 6 * i] * error[j];
    for (int k = 0; k < 7; k++) dq[k] += vt[i + 6 * k] * along / singular[i];
  }
}

static void a_redundant_arm_takes_the_shortest_way(void **state) {
  (void)state;
  reacher r = arm();
  double q[7], dq[7];
  const double shift[6] = {1e-5, -2e-5, 3e-5, 0, 0, 0};
  memcpy(q, Q0, sizeof q);
  flg_pose target = flg_inverse_kinematics_pose(r.kinematics, q);
  pseudo_inverse(r.s, &r.s->robot.anchors[6], shift, dq);
  target.position = flg_vec3_add(target.position, flg_vec3_load(shift));
  flg_reach reach;
  assert_int_equal(flg_inverse_kinematics_solve(r.kinematics, &target, q, &reach), FLG_OK);
  for (int k = 0; k < 7; k++) assert_near(q[k] - Q0[k], dq[k], 2e-10);
  reacher_release(&r);
}

static void a_line_through_a_singular_pose_is_followed_smoothly(void **state) {
  (void)state;
  /* the tip passes over the base, where it can move in one direction only: q1 = -q2 / 2 */
  reacher r = tip_of(two_links(), NULL);
  double q[2] = {-acos(0.5), 2 * acos(0.5)};
  for (int n = 0; n <= 200; n++) {
    const double x = 1 - n * 0.01, last = q[1];
    flg_reach reach;
    assert_int_equal(reach_for(&r, x, 0, q, &reach), FLG_OK);
    assert_true(reach.position < 1e-12);
    assert_near(q[1], last, 0.02);
    assert_near(q[1], 2 * acos(x / 2), 3e-13);
    assert_near(q[0], -q[1] / 2, n == 100 ? 0.01 : 1e-6); /* over the base any will do */
  }
  reacher_release(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_links_meet_the_law_of_cosines),
      cmocka_unit_test(the_way_does_not_depend_on_the_unit_of_length),
      cmocka_unit_test(what_is_too_far_is_missed_by_the_difference),
      cmocka_unit_test(a_stretched_arm_finds_the_way_inwards),
      cmocka_unit_test(limits_hold_and_are_named),
      cmocka_unit_test(a_locked_joint_stays_where_it_is),
      cmocka_unit_test(a_joint_that_mimics_another_goes_with_it),
      cmocka_unit_test(the_arm_reaches_any_pose_that_it_can_have),
      cmocka_unit_test(a_redundant_arm_takes_the_shortest_way),
      cmocka_unit_test(a_line_through_a_singular_pose_is_followed_smoothly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
