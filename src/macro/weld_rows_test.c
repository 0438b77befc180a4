/* Rows of a weld in axes of the world, against the motion of frames, and against those that other
 * joints have. */
#include "macro/weld_rows.h"

#include "dynamics/test_frames.h"

static flg_moving_frame drawn_frame(random_source *source) {
  return (flg_moving_frame){.pose = random_pose(source), .velocity = random_spatial(source)};
}

/* after a time, without accelerations of its origin or of its turn */
static flg_moving_frame later(flg_moving_frame at, double time) {
  at.pose.position = flg_vec3_add_scaled(at.pose.position, time, at.velocity.linear);
  return at;
}

static double rate_of(const flg_constraint_row *row, const flg_moving_frame end[2]) {
  return flg_spatial_dot(row->side[0], end[0].velocity) +
         flg_spatial_dot(row->side[1], end[1].velocity);
}

static void ports_that_move_as_one_keep_all_rows(void **state) {
  (void)state;
  random_source source = {1};
  for (int first = 0; first < 2; first++) {
    flg_moving_frame end[2] = {drawn_frame(&source), drawn_frame(&source)};
    flg_constraint_row rows[FLG_WELD_ROWS];
    const flg_vec3 d = flg_vec3_subtract(end[first].pose.position, end[1 - first].pose.position);
    end[first].velocity = flg_spatial_shift_motion(end[1 - first].velocity, d);
    flg_weld_rows(end, first, rows);
    for (int i = 0; i < FLG_WELD_ROWS; i++) assert_near(rate_of(&rows[i], end), 0, 1e-14);
  }
}

/* the bias is what rates change by while nothing accelerates */
static void rows_turn_with_the_arm_between_ports(void **state) {
  (void)state;
  const double time = 1e-3;
  random_source source = {2};
  for (int first = 0; first < 2; first++) {
    const flg_moving_frame end[2] = {drawn_frame(&source), drawn_frame(&source)};
    flg_constraint_row rows[3][FLG_WELD_ROWS];
    for (int k = 0; k < 3; k++) {
      const flg_moving_frame then[2] = {later(end[0], (k - 1) * time),
                                        later(end[1], (k - 1) * time)};
      flg_weld_rows(then, first, rows[k]);
    }
    for (int i = 0; i < FLG_WELD_ROWS; i++) {
      const double change = rate_of(&rows[2][i], end) - rate_of(&rows[0][i], end);
      assert_near(rows[1][i].bias, change / (2 * time), 1e-12);
    }
  }
}

/* Small openings, which the rows of joints in axes of A measure as well. */
static void openings_are_those_in_axes_of_the_first_frame(void **state) {
  (void)state;
  const double small = 1e-6;
  random_source source = {3};
  for (int first = 0; first < 2; first++) {
    const flg_pose a = drawn_frame(&source).pose;
    const flg_vec3 turn = flg_vec3_scale(random_vector(&source), small),
                   shift = flg_vec3_scale(random_vector(&source), small);
    const flg_mat3 by = flg_quat_to_matrix(flg_quat_exp(turn));
    const flg_pose b = {.rotation = flg_mat3_multiply(&by, &a.rotation),
                        .position = flg_vec3_add(a.position, shift)};
    const flg_pose end[2] = {first == 0 ? b : a, first == 0 ? a : b};
    double left[FLG_WELD_ROWS];
    flg_weld_measure(end, first, left);
    double expected[FLG_WELD_ROWS];
    flg_spatial_store((flg_spatial){shift, turn}, expected);
    assert_near(max_difference(left, expected, FLG_WELD_ROWS), 0, 1e-15);
  }
}

static void welds_with_elements_or_the_ground_have_rows_like_others(void **state) {
  (void)state;
  flg_interface weld = {
      .kind = FLG_CONSTRAINT_WELD, .rows = 6, .end = {{.subsystem = 0}, {.subsystem = 1}}};
  assert_true(flg_interface_is_plain_weld(&weld));
  weld.element_count = 1;
  assert_false(flg_interface_is_plain_weld(&weld));
  weld.element_count = 0, weld.end[0].subsystem = -1;
  assert_false(flg_interface_is_plain_weld(&weld));
  weld.end[0].subsystem = 1;
  assert_false(flg_interface_is_plain_weld(&weld));
  weld.end[0].subsystem = 0, weld.kind = FLG_CONSTRAINT_REVOLUTE, weld.rows = 5;
  assert_false(flg_interface_is_plain_weld(&weld));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ports_that_move_as_one_keep_all_rows),
      cmocka_unit_test(rows_turn_with_the_arm_between_ports),
      cmocka_unit_test(openings_are_those_in_axes_of_the_first_frame),
      cmocka_unit_test(welds_with_elements_or_the_ground_have_rows_like_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
