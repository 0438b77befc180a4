#include "dynamics/test_frames.h"

static const double H = 2e-4;    /* step of differences: error and rounding are 1e-11 at most */
static const double CLEAR = 0.3; /* distance, and sine between x_B and z_A, of the random states */

static flg_coordinate_row row_of(flg_coordinate_kind kind, const flg_moving_frame end[2],
                                 double near) {
  flg_coordinate_row row;
  flg_coordinate_evaluate(kind, end, near, &row);
  return row;
}

/* away from where gradients do not exist */
static test_motion clear_motion(random_source *source) {
  for (;;) {
    const test_motion motion = random_motion(source);
    const flg_moving_frame *end = motion.start;
    const flg_vec3 d = flg_vec3_subtract(end[1].pose.position, end[0].pose.position);
    const flg_vec3 x = flg_mat3_column(&end[1].pose.rotation, 0);
    const flg_vec3 z = flg_mat3_column(&end[0].pose.rotation, 2);
    if (flg_vec3_norm(d) > CLEAR && flg_vec3_norm(flg_vec3_cross(z, x)) > CLEAR) return motion;
  }
}

/* value and rate at -2h, -h, h, 2h */
static void sample_motion(flg_coordinate_kind kind, const test_motion *motion, double value[4],
                          double rate[4]) {
  static const double TIMES[4] = {-2, -1, 1, 2};
  const double near = row_of(kind, motion->start, 0).value;
  for (int k = 0; k < 4; k++) {
    flg_moving_frame end[2];
    motion_at(motion, TIMES[k] * H, end);
    const flg_coordinate_row row = row_of(kind, end, near);
    value[k] = row.value;
    rate[k] = row.rate;
  }
}

static void derivatives_are_those_of_the_value(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < REPEATS(5000); k++) {
    const flg_coordinate_kind kind = (flg_coordinate_kind)(k % FLG_COORDINATE_SUM);
    const test_motion motion = clear_motion(&source);
    const flg_spatial *a = motion.acceleration;
    const flg_coordinate_row row = row_of(kind, motion.start, 0);
    const double along = dot_sides(row.side, motion.start[0].velocity, motion.start[1].velocity);
    double value[4], rate[4];
    sample_motion(kind, &motion, value, rate);
    assert_near(row.rate, along, 1e-14 * (1 + fabs(along)));
    assert_near(difference(value, H), row.rate, 3e-11 * (1 + fabs(row.rate)));
    const double second = dot_sides(row.side, a[0], a[1]) + row.bias;
    assert_near(difference(rate, H), second, 2e-10 * (1 + fabs(second)));
  }
}

static void both_sides_are_in_balance(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < REPEATS(3000); k++) {
    const flg_coordinate_kind kind = (flg_coordinate_kind)(k % FLG_COORDINATE_SUM);
    const test_motion motion = clear_motion(&source);
    const flg_coordinate_row row = row_of(kind, motion.start, 0);
    assert_near(largest_of(sum_of_sides(motion.start, row.side)), 0, 2e-14);
  }
}

/* --- values ------------------------------------------------------------------------------------
 */

/* B at (x, y, z) of A, turned by the angle about z of A and then leaned by `lean` about its own x
 */
static void place_b(const flg_pose *a, flg_vec3 offset, double angle, double lean,
                    flg_moving_frame end[2]) {
  const flg_mat3 turn = flg_mat3_from_axis((flg_vec3){0, 0, 1}, sin(angle), cos(angle));
  const flg_mat3 tilt = flg_mat3_from_axis((flg_vec3){1, 0, 0}, sin(lean), cos(lean));
  const flg_pose relative = {flg_mat3_multiply(&turn, &tilt), offset};
  end[0] = (flg_moving_frame){.pose = *a};
  end[1] = (flg_moving_frame){.pose = flg_pose_compose(a, &relative)};
}

static void values_are_those_of_the_construction(void **state) {
  (void)state;
  random_source source = {3};
  for (int k = 0; k < REPEATS(2000); k++) {
    const flg_pose a = random_pose(&source);
    const flg_vec3 offset = random_vector(&source);
    const double angle = random_uniform(&source, -PI, PI), lean = random_uniform(&source, -1, 1);
    flg_moving_frame end[2];
    place_b(&a, offset, angle, lean, end);
    assert_near(row_of(FLG_COORDINATE_DISTANCE, end, 0).value, flg_vec3_norm(offset), 1e-14);
    assert_near(row_of(FLG_COORDINATE_SLIDE, end, 0).value, offset.z, 1e-14);
    assert_near(row_of(FLG_COORDINATE_ANGLE, end, angle).value, angle, 1e-14);
  }
}

/* turns by steps of up to nearly half a turn, with the value before as the guess */
static void angles_unwrap_over_many_turns_both_ways(void **state) {
  (void)state;
  random_source source = {4};
  const flg_pose a = random_pose(&source);
  for (int way = -1; way <= 1; way += 2) {
    double angle = 0, near = 0;
    for (int k = 0; k < 1000; k++) {
      angle += way * random_uniform(&source, 0, 3.1);
      flg_moving_frame end[2];
      place_b(&a, (flg_vec3){0, 0, 0}, angle, 0, end);
      near = row_of(FLG_COORDINATE_ANGLE, end, near).value;
      assert_near(near, angle, 1e-15 * (10 + fabs(angle)));
    }
    assert_true(fabs(near) > 200 * 2 * PI);
  }
}

/* --- a hinge -----------------------------------------------------------------------------------
 */

/* parallel z: the rate is the relative spin, the gradient z, and there is no bias */
static void angle_of_a_hinge_is_plain(void **state) {
  (void)state;
  random_source source = {5};
  for (int k = 0; k < REPEATS(1000); k++) {
    const flg_pose a = random_pose(&source);
    const flg_vec3 z = flg_mat3_column(&a.rotation, 2);
    const double spin = random_uniform(&source, -5, 5);
    flg_moving_frame end[2];
    place_b(&a, random_vector(&source), random_uniform(&source, -PI, PI), 0, end);
    end[0].velocity = end[1].velocity = random_spatial(&source);
    end[1].velocity.angular = flg_vec3_add_scaled(end[1].velocity.angular, spin, z);
    const flg_coordinate_row row = row_of(FLG_COORDINATE_ANGLE, end, 0);
    assert_near(row.rate, spin, 1e-14);
    assert_near(flg_vec3_norm(flg_vec3_subtract(row.side[1].angular, z)), 0, 4e-15);
    assert_near(row.bias, 0, 1e-13);
  }
}

/* --- where there is no gradient ----------------------------------------------------------------
 */

static void assert_finite(const flg_coordinate_row *row) {
  assert_true(isfinite(row->value) && isfinite(row->rate) && isfinite(row->bias));
  for (int k = 0; k < 2; k++) assert_true(isfinite(largest_of(row->side[k])));
}

static void origins_that_meet_give_finite_numbers(void **state) {
  (void)state;
  static const double DISTANCES[] = {0, 5e-324, 1e-200, 1e-150, 1e-100, 1e-16};
  random_source source = {6};
  for (size_t k = 0; k < sizeof DISTANCES / sizeof DISTANCES[0]; k++) {
    test_motion motion = random_motion(&source);
    motion.start[0].pose.position = (flg_vec3){0, 0, 0};
    motion.start[1].pose.position = (flg_vec3){DISTANCES[k], 0, 0};
    const flg_coordinate_row row = row_of(FLG_COORDINATE_DISTANCE, motion.start, 0);
    assert_finite(&row);
    assert_near(flg_vec3_norm(row.side[1].linear), 1, 1e-14);
  }
}

/* x of B along z of A, and close to it */
static void axes_at_right_angles_give_finite_numbers(void **state) {
  (void)state;
  static const double ANGLES[] = {0, 1e-200, 1e-16, 1e-12, 1e-8, 1e-4};
  random_source source = {7};
  for (size_t k = 0; k < sizeof ANGLES / sizeof ANGLES[0]; k++) {
    test_motion motion = random_motion(&source);
    const flg_mat3 away = flg_mat3_from_axis((flg_vec3){0, 1, 0}, -cos(ANGLES[k]), sin(ANGLES[k]));
    motion.start[0].pose.rotation = flg_mat3_identity();
    motion.start[1].pose.rotation = away;
    const flg_coordinate_row row = row_of(FLG_COORDINATE_ANGLE, motion.start, 0);
    assert_finite(&row);
    assert_true(flg_vec3_norm(row.side[1].angular) >= 1 - 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_the_value),
      cmocka_unit_test(both_sides_are_in_balance),
      cmocka_unit_test(values_are_those_of_the_construction),
      cmocka_unit_test(angles_unwrap_over_many_turns_both_ways),
      cmocka_unit_test(angle_of_a_hinge_is_plain),
      cmocka_unit_test(origins_that_meet_give_finite_numbers),
      cmocka_unit_test(axes_at_right_angles_give_finite_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
