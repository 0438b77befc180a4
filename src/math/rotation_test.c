#include "math/rotation.h"

#include "check.h"

static const double PI = 3.14159265358979323846;

static flg_vec3 random_vector(random_source *source) {
  return (flg_vec3){random_uniform(source, -1, 1), random_uniform(source, -1, 1),
                    random_uniform(source, -1, 1)};
}

static flg_quat random_rotation(random_source *source) {
  return flg_quat_from_axis_angle(random_vector(source), random_uniform(source, -PI, PI));
}

static double quat_norm(flg_quat q) {
  return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

/* of the closer of q and -q */
static double quat_distance(flg_quat p, flg_quat q) {
  const double a[4] = {p.w, p.x, p.y, p.z}, b[4] = {q.w, q.x, q.y, q.z};
  const double minus[4] = {-q.w, -q.x, -q.y, -q.z};
  return flg_smaller(max_difference(a, b, 4), max_difference(a, minus, 4));
}

static double distance(flg_vec3 a, flg_vec3 b) {
  return flg_vec3_norm(flg_vec3_subtract(a, b));
}

static double mat3_distance(flg_mat3 a, flg_mat3 b) {
  return max_difference(a.m, b.m, 9);
}

static void assert_rotation(flg_mat3 r) {
  const flg_mat3 square = flg_mat3_multiply_transposed(&r, &r);
  assert_near(mat3_distance(square, flg_mat3_identity()), 0, 2e-15);
  const flg_vec3 x = flg_mat3_column(&r, 0), y = flg_mat3_column(&r, 1);
  assert_near(distance(flg_vec3_cross(x, y), flg_mat3_column(&r, 2)), 0, 2e-15);
}

static void quarter_turn_about_z_takes_x_to_y(void **state) {
  (void)state;
  const flg_quat q = flg_quat_from_axis_angle((flg_vec3){0, 0, 7}, PI / 2);
  assert_near(distance(flg_quat_rotate(q, (flg_vec3){1, 0, 0}), (flg_vec3){0, 1, 0}), 0, 1e-15);
  const flg_mat3 r = flg_mat3_from_axis((flg_vec3){0, 0, 1}, 1, 0);
  assert_near(distance(flg_mat3_apply(&r, (flg_vec3){1, 0, 0}), (flg_vec3){0, 1, 0}), 0, 1e-15);
  assert_near(quat_distance(flg_quat_from_axis_angle((flg_vec3){0, 0, 0}, 1), flg_quat_identity()),
              0, 0);
}

static void quaternion_and_matrix_turn_alike(void **state) {
  (void)state;
  random_source source = {71};
  for (int k = 0; k < 2000; k++) {
    const flg_quat p = random_rotation(&source), q = random_rotation(&source);
    const flg_vec3 v = random_vector(&source);
    const flg_mat3 P = flg_quat_to_matrix(p), Q = flg_quat_to_matrix(q);
    assert_rotation(P);
    assert_near(distance(flg_quat_rotate(p, v), flg_mat3_apply(&P, v)), 0, 2e-15);
    const flg_mat3 PQ = flg_mat3_multiply(&P, &Q);
    assert_near(mat3_distance(flg_quat_to_matrix(flg_quat_multiply(p, q)), PQ), 0, 4e-15);
    const flg_quat unit = flg_quat_multiply(p, flg_quat_conjugate(p));
    assert_near(quat_distance(unit, flg_quat_identity()), 0, 1e-15);
  }
}

static void matrix_gives_its_quaternion_back_at_every_angle(void **state) {
  (void)state;
  random_source source = {72};
  const double angles[] = {0,          1e-300,     1e-12,      1e-8, PI / 2, PI - 1e-4,
                           PI - 1e-8,  PI - 1e-15, PI,         -PI,  2 * PI, PI + 1e-8,
                           -PI + 1e-9, 1,          2 * PI / 3, 3};
  for (int k = 0; k < 4000; k++) {
    flg_vec3 axis = random_vector(&source);
    if (k % 3 == 0) axis = (flg_vec3){k % 2, k / 2 % 2, k / 4 % 2};
    const flg_quat q = flg_quat_from_axis_angle(axis, angles[k % 16]);
    const flg_mat3 r = flg_quat_to_matrix(q);
    const flg_quat back = flg_quat_from_matrix(&r);
    assert_near(quat_norm(back), 1, 1e-15);
    assert_near(quat_distance(back, q), 0, 1e-15);
  }
}

static void exp_of_tiny_and_huge_angles_is_exact(void **state) {
  (void)state;
  const double angles[] = {0,    1e-310,  1e-200, 1e-160, 1e-20, 1e-9, 0.99e-4,
                           1e-4, 1.01e-4, 1,      100,    1e6,   1e15, 1e22};
  for (size_t k = 0; k < sizeof angles / sizeof angles[0]; k++) {
    const double angle = angles[k];
    const flg_quat q = flg_quat_exp((flg_vec3){0, -angle, 0});
    assert_near(q.w, cos(angle / 2), 1e-16);
    assert_near(q.y, -sin(angle / 2), 2e-16 * fabs(sin(angle / 2)));
    assert_true(q.x == 0 && q.z == 0);
    assert_near(quat_norm(q), 1, 1e-15);
  }
}

static void log_undoes_exp_up_to_half_a_turn(void **state) {
  (void)state;
  random_source source = {73};
  for (int k = 0; k < 4000; k++) {
    const flg_vec3 axis = flg_vec3_normalise(random_vector(&source));
    const double small = pow(10, random_uniform(&source, -200, 0));
    const double angle = k % 2 == 0 ? small : PI - fmin(small, 3);
    const flg_vec3 r = flg_vec3_scale(axis, angle);
    flg_quat q = flg_quat_exp(r);
    if (k % 3 == 0) q = (flg_quat){-q.w, -q.x, -q.y, -q.z};
    const flg_vec3 back = flg_quat_log(q);
    const int is_half_turn = fabs(q.w) < 1e-15; /* then r and -r are equally short */
    const double error = is_half_turn
                             ? flg_smaller(distance(back, r), distance(flg_vec3_negate(back), r))
                             : distance(back, r);
    assert_near(error, 0, 1e-15 * angle);
  }
  assert_near(flg_vec3_norm(flg_quat_log(flg_quat_identity())), 0, 0);
  const flg_vec3 half = flg_quat_log((flg_quat){0, 0, 0, 1});
  assert_near(half.z, PI, 1e-15);
}

static void log_near_half_a_turn_survives_the_matrix(void **state) {
  (void)state;
  random_source source = {74};
  for (int k = 0; k < 1000; k++) {
    const flg_vec3 axis = flg_vec3_normalise(random_vector(&source));
    const flg_vec3 r = flg_vec3_scale(axis, PI - pow(10, random_uniform(&source, -12, -2)));
    const flg_mat3 matrix = flg_quat_to_matrix(flg_quat_exp(r));
    const flg_vec3 back = flg_quat_log(flg_quat_from_matrix(&matrix));
    assert_near(distance(back, r), 0, 1e-14);
  }
}

static void a_million_steps_stay_unit_and_at_the_analytic_angle(void **state) {
  (void)state;
  const double h = 1e-3;
  const flg_vec3 spin = {3, -4, 12}; /* 13 rad/s */
  flg_quat world = flg_quat_from_axis_angle((flg_vec3){1, 2, 3}, 0.5), body = world;
  const flg_quat start = world;
  for (int k = 0; k < 1000000; k++) {
    world = flg_quat_integrate_world(world, spin, h);
    body = flg_quat_integrate_body(body, spin, h);
  }
  const flg_quat turn = flg_quat_from_axis_angle(spin, 13 * 1e6 * h);
  assert_near(quat_norm(world), 1, 1e-15);
  assert_near(quat_norm(body), 1, 1e-15);
  assert_near(quat_distance(world, flg_quat_multiply(turn, start)), 0, 2e-10);
  assert_near(quat_distance(body, flg_quat_multiply(start, turn)), 0, 2e-10);
}

static void axis_matrix_agrees_with_the_quaternion(void **state) {
  (void)state;
  random_source source = {75};
  for (int k = 0; k < 1000; k++) {
    const flg_vec3 axis = flg_vec3_normalise(random_vector(&source));
    const double angle = random_uniform(&source, -10, 10);
    const flg_mat3 r = flg_mat3_from_axis(axis, sin(angle), cos(angle));
    assert_near(mat3_distance(r, flg_quat_to_matrix(flg_quat_from_axis_angle(axis, angle))), 0,
                4e-15);
  }
}

static void roll_pitch_yaw_turn_about_fixed_axes_in_that_order(void **state) {
  (void)state;
  random_source source = {76};
  for (int k = 0; k < 1000; k++) {
    const double angles[3] = {random_uniform(&source, -PI, PI), random_uniform(&source, -PI, PI),
                              random_uniform(&source, -PI, PI)};
    const flg_mat3 x = flg_mat3_from_axis((flg_vec3){1, 0, 0}, sin(angles[0]), cos(angles[0]));
    const flg_mat3 y = flg_mat3_from_axis((flg_vec3){0, 1, 0}, sin(angles[1]), cos(angles[1]));
    const flg_mat3 z = flg_mat3_from_axis((flg_vec3){0, 0, 1}, sin(angles[2]), cos(angles[2]));
    const flg_mat3 yx = flg_mat3_multiply(&y, &x), zyx = flg_mat3_multiply(&z, &yx);
    assert_near(mat3_distance(flg_mat3_from_roll_pitch_yaw(angles), zyx), 0, 1e-15);
  }
}

static void roll_pitch_yaw_round_trips_give_the_angles_back(void **state) {
  (void)state;
  random_source source = {77};
  for (int k = 0; k < 2000; k++) {
    const double angles[3] = {random_uniform(&source, -3.1, 3.1),
                              random_uniform(&source, -1.5, 1.5),
                              random_uniform(&source, -3.1, 3.1)};
    const flg_mat3 r = flg_mat3_from_roll_pitch_yaw(angles);
    double back[3];
    flg_mat3_to_roll_pitch_yaw(&r, back);
    assert_near(max_difference(angles, back, 3), 0, 1e-14);
  }
}

static void roll_pitch_yaw_in_gimbal_lock_give_the_rotation_back(void **state) {
  (void)state;
  random_source source = {78};
  const double offsets[] = {0, 1e-17, 1e-15, 1e-12, 1e-8, 1e-4};
  for (int k = 0; k < 2400; k++) {
    const double pitch = (k % 2 == 0 ? 1 : -1) * (PI / 2 - offsets[k % 6]);
    const double angles[3] = {random_uniform(&source, -PI, PI), pitch,
                              random_uniform(&source, -PI, PI)};
    const flg_mat3 r = flg_mat3_from_roll_pitch_yaw(angles);
    double back[3];
    flg_mat3_to_roll_pitch_yaw(&r, back);
    assert_near(mat3_distance(flg_mat3_from_roll_pitch_yaw(back), r), 0, 2e-15);
  }
  const flg_mat3 exact = {{0, 0, -1, 0, 1, 0, 1, 0, 0}}; /* a quarter turn about y */
  double back[3];
  flg_mat3_to_roll_pitch_yaw(&exact, back);
  assert_near(back[0], 0, 0);
  assert_near(back[1], PI / 2, 1e-15);
  assert_near(back[2], 0, 0);
}

static void poses_compose_and_invert(void **state) {
  (void)state;
  random_source source = {79};
  for (int k = 0; k < 1000; k++) {
    const flg_pose a = {flg_quat_to_matrix(random_rotation(&source)), random_vector(&source)};
    const flg_pose b = {flg_quat_to_matrix(random_rotation(&source)), random_vector(&source)};
    const flg_vec3 point = random_vector(&source);
    const flg_pose ab = flg_pose_compose(&a, &b), inverse = flg_pose_inverse(&a);
    const flg_vec3 outside = flg_pose_apply(&a, flg_pose_apply(&b, point));
    assert_near(distance(flg_pose_apply(&ab, point), outside), 0, 2e-15);
    assert_near(distance(flg_pose_apply_inverse(&ab, outside), point), 0, 4e-15);
    assert_near(distance(flg_pose_apply(&inverse, flg_pose_apply(&a, point)), point), 0, 4e-15);
    const flg_pose identity = flg_pose_compose(&inverse, &a);
    assert_near(mat3_distance(identity.rotation, flg_pose_identity().rotation), 0, 2e-15);
    assert_near(flg_vec3_norm(identity.position), 0, 2e-15);
  }
}

static void not_a_number_comes_out_again(void **state) {
  (void)state;
  const double nan = (double)NAN;
  assert_true(isnan(flg_quat_exp((flg_vec3){nan, 0, 0}).w));
  assert_true(isnan(flg_quat_normalise((flg_quat){1, nan, 0, 0}).w));
  assert_true(isnan(flg_quat_log((flg_quat){nan, 1, 0, 0}).x));
  const flg_mat3 r = {{nan, 0, 0, 0, 1, 0, 0, 0, 1}};
  assert_true(isnan(flg_quat_from_matrix(&r).w));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quarter_turn_about_z_takes_x_to_y),
      cmocka_unit_test(quaternion_and_matrix_turn_alike),
      cmocka_unit_test(matrix_gives_its_quaternion_back_at_every_angle),
      cmocka_unit_test(exp_of_tiny_and_huge_angles_is_exact),
      cmocka_unit_test(log_undoes_exp_up_to_half_a_turn),
      cmocka_unit_test(log_near_half_a_turn_survives_the_matrix),
      cmocka_unit_test(a_million_steps_stay_unit_and_at_the_analytic_angle),
      cmocka_unit_test(axis_matrix_agrees_with_the_quaternion),
      cmocka_unit_test(roll_pitch_yaw_turn_about_fixed_axes_in_that_order),
      cmocka_unit_test(roll_pitch_yaw_round_trips_give_the_angles_back),
      cmocka_unit_test(roll_pitch_yaw_in_gimbal_lock_give_the_rotation_back),
      cmocka_unit_test(poses_compose_and_invert),
      cmocka_unit_test(not_a_number_comes_out_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
