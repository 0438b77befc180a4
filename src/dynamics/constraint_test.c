#include "dynamics/constraint.h"

#include "dynamics/test_frames.h"
#include "math/svd.h"

static const double H = 1e-3; /* step of differences: error 1e-12, rounding 1e-13 */

enum { ROWS_MAX = FLG_CONSTRAINT_ROWS_MAX };

/* rows that are written here, not those of coordinates that the joint has besides */
static int own_rows(flg_constraint_kind kind) {
  switch (kind) {
    case FLG_CONSTRAINT_SCREW:
      return 4;
    case FLG_CONSTRAINT_DISTANCE:
    case FLG_CONSTRAINT_GEAR:
    case FLG_CONSTRAINT_RACK:
      return 0;
    default:
      return flg_constraint_kinds[kind].rows;
  }
}

static flg_constraint_kind random_kind(random_source *source) {
  return (flg_constraint_kind)random_integer(source, 0, FLG_CONSTRAINT_KIND_COUNT - 1);
}

static void every_kind_writes_its_rows(void **state) {
  (void)state;
  random_source source = {1};
  for (int kind = 0; kind < FLG_CONSTRAINT_KIND_COUNT; kind++) {
    const test_motion motion = random_motion(&source);
    flg_constraint_row rows[ROWS_MAX];
    assert_int_equal(flg_constraint_evaluate((flg_constraint_kind)kind, motion.start, rows),
                     own_rows((flg_constraint_kind)kind));
  }
}

/* --- derivatives, anywhere ---------------------------------------------------------------------
 */

/* the rows at -2h, -h, h, 2h */
static void sample_motion(flg_constraint_kind kind, const test_motion *motion,
                          flg_constraint_row rows[4][ROWS_MAX]) {
  static const double TIMES[4] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; k++) {
    flg_moving_frame end[2];
    motion_at(motion, TIMES[k] * H, end);
    flg_constraint_evaluate(kind, end, rows[k]);
  }
}

static void check_derivatives(flg_constraint_kind kind, const test_motion *motion) {
  const flg_moving_frame *end = motion->start;
  flg_constraint_row rows[ROWS_MAX], around[4][ROWS_MAX];
  const int count = flg_constraint_evaluate(kind, end, rows);
  sample_motion(kind, motion, around);
  for (int i = 0; i < count; i++) {
    const flg_constraint_row *row = &rows[i];
    const double left[4] = {around[0][i].left, around[1][i].left, around[2][i].left,
                            around[3][i].left};
    const double rate[4] = {around[0][i].rate, around[1][i].rate, around[2][i].rate,
                            around[3][i].rate};
    const double second =
        dot_sides(row->side, motion->acceleration[0], motion->acceleration[1]) + row->bias;
    assert_near(dot_sides(row->side, end[0].velocity, end[1].velocity), row->rate, 1e-14);
    assert_near(difference(left, H), row->rate, 1e-10);
    assert_near(difference(rate, H), second, 1e-10);
  }
}

static void derivatives_are_those_of_the_rows_anywhere(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < REPEATS(10000); k++) {
    const test_motion motion = random_motion(&source);
    check_derivatives(random_kind(&source), &motion);
  }
}

/* --- balance -----------------------------------------------------------------------------------
 */

/* The rows of a spherical joint are in world axes: off the joint, their moment is that of the gap.
 */
static void both_sides_are_in_balance(void **state) {
  (void)state;
  random_source source = {3};
  for (int k = 0; k < REPEATS(5000); k++) {
    const test_motion motion = random_motion(&source);
    const flg_moving_frame *end = motion.start;
    const flg_constraint_kind kind = random_kind(&source);
    flg_constraint_row rows[ROWS_MAX];
    const int count = flg_constraint_evaluate(kind, end, rows);
    for (int i = 0; i < count; i++) {
      flg_spatial sum = sum_of_sides(end, rows[i].side);
      if (kind == FLG_CONSTRAINT_SPHERICAL) {
        const flg_vec3 d = flg_vec3_subtract(end[1].pose.position, end[0].pose.position);
        const flg_vec3 moment = flg_vec3_cross(d, rows[i].side[1].linear);
        sum.angular = flg_vec3_subtract(sum.angular, moment);
      }
      assert_near(largest_of(sum), 0, 2e-15);
    }
  }
}

/* --- closed joints -----------------------------------------------------------------------------
 */

static flg_mat3 turn_about(double x, double y, double z, double angle) {
  return flg_mat3_from_axis((flg_vec3){x, y, z}, sin(angle), cos(angle));
}

/* some place of B in A where the joint is closed */
static flg_pose closed_pose(flg_constraint_kind kind, random_source *source) {
  flg_pose pose = flg_pose_identity();
  const flg_mat3 any = random_rotation(source);
  const flg_vec3 offset = random_vector(source);
  const double angle = random_uniform(source, -PI, PI);
  const flg_mat3 about_z = turn_about(0, 0, 1, angle), about_x = turn_about(1, 0, 0, angle);
  const flg_mat3 about_y = turn_about(0, 1, 0, random_uniform(source, -PI, PI));
  switch (kind) {
    case FLG_CONSTRAINT_REVOLUTE:
      pose.rotation = about_z;
      break;
    case FLG_CONSTRAINT_PRISMATIC:
      pose.position.z = offset.z;
      break;
    case FLG_CONSTRAINT_CYLINDRICAL:
    case FLG_CONSTRAINT_SCREW:
      pose.rotation = about_z;
      pose.position.z = offset.z;
      break;
    case FLG_CONSTRAINT_SPHERICAL:
      pose.rotation = any;
      break;
    case FLG_CONSTRAINT_UNIVERSAL:
      pose.rotation = flg_mat3_multiply(&about_x, &about_y);
      break;
    case FLG_CONSTRAINT_PLANAR:
      pose.rotation = about_z;
      pose.position = (flg_vec3){offset.x, offset.y, 0};
      break;
    case FLG_CONSTRAINT_POINT_ON_LINE:
      pose.rotation = any;
      pose.position.z = offset.z;
      break;
    default:
      break;
  }
  return pose;
}

static void closed_joint(flg_constraint_kind kind, random_source *source, flg_moving_frame end[2]) {
  const flg_pose a = random_pose(source), relative = closed_pose(kind, source);
  end[0] = (flg_moving_frame){.pose = a};
  end[1] = (flg_moving_frame){.pose = flg_pose_compose(&a, &relative)};
}

/* largest over smallest singular value of the gradients */
static double condition_of(const flg_constraint_row *rows, int count) {
  double matrix[12 * ROWS_MAX], singular[ROWS_MAX], work[1024];
  assert_true(flg_svd_workspace(12, count) <= 1024);
  for (int i = 0; i < count; i++) {
    flg_spatial_store(rows[i].side[0], matrix + (size_t)i * 12);
    flg_spatial_store(rows[i].side[1], matrix + (size_t)i * 12 + 6);
  }
  assert_int_equal(flg_svd_factor(12, count, matrix, 12, singular, NULL, 1, NULL, 1, work), FLG_OK);
  return flg_svd_condition(count, singular);
}

/* Offsets of up to sqrt(2) m are levers, which is all that makes the condition more than 1. */
static void closed_joints_have_zeros_and_independent_rows(void **state) {
  (void)state;
  random_source source = {4};
  for (int k = 0; k < REPEATS(5000); k++) {
    const flg_constraint_kind kind = random_kind(&source);
    flg_moving_frame end[2];
    flg_constraint_row rows[ROWS_MAX];
    closed_joint(kind, &source, end);
    const int count = flg_constraint_evaluate(kind, end, rows);
    if (count == 0) continue;
    for (int i = 0; i < count; i++) assert_near(rows[i].left, 0, 2e-15);
    assert_true(condition_of(rows, count) < 3);
  }
}

/* --- open joints -------------------------------------------------------------------------------
 */

/* B of a closed weld, moved by a small displacement and rotation vector in A */
static int open_weld(flg_constraint_kind kind, flg_vec3 offset, flg_vec3 turn,
                     random_source *source, flg_constraint_row rows[ROWS_MAX]) {
  const flg_pose a = random_pose(source);
  const flg_pose relative = {flg_quat_to_matrix(flg_quat_exp(turn)), offset};
  const flg_moving_frame end[2] = {{.pose = a}, {.pose = flg_pose_compose(&a, &relative)}};
  return flg_constraint_evaluate(kind, end, rows);
}

static void rows_of_a_weld_are_metres_and_radians(void **state) {
  (void)state;
  random_source source = {5};
  for (int k = 0; k < REPEATS(1000); k++) {
    const flg_vec3 offset = random_vector(&source);
    const flg_vec3 turn = flg_vec3_scale(random_vector(&source), 1e-6);
    flg_constraint_row rows[ROWS_MAX];
    assert_int_equal(open_weld(FLG_CONSTRAINT_WELD, offset, turn, &source, rows), 6);
    const double left[6] = {rows[0].left, rows[1].left, rows[2].left,
                            rows[3].left, rows[4].left, rows[5].left};
    const double expected[6] = {offset.x, offset.y, offset.z, turn.y, -turn.x, turn.z};
    assert_near(max_difference(left, expected, 3), 0, 1e-14);
    assert_near(max_difference(left + 3, expected + 3, 3), 0, 1e-12);
  }
}

/* No turn of up to 80 degrees looks like a closed weld, or comes close. */
static void a_turned_weld_is_seen(void **state) {
  (void)state;
  random_source source = {6};
  for (int k = 0; k < REPEATS(5000); k++) {
    const double angle = random_uniform(&source, 1e-6, 1.4);
    const flg_vec3 axis = flg_vec3_normalise(random_vector(&source));
    flg_constraint_row rows[ROWS_MAX];
    const flg_vec3 none = {0, 0, 0};
    open_weld(FLG_CONSTRAINT_PRISMATIC, none, flg_vec3_scale(axis, angle), &source, rows);
    const flg_vec3 seen = {rows[2].left, rows[3].left, rows[4].left};
    assert_true(flg_vec3_norm(seen) > 0.3 * angle);
  }
}

/* --- a joint at work ---------------------------------------------------------------------------
 */

/* A hinge that turns and travels with its body keeps all rows at zero, with all derivatives. */
static void a_turning_hinge_stays_closed(void **state) {
  (void)state;
  random_source source = {7};
  for (int k = 0; k < REPEATS(1000); k++) {
    flg_moving_frame end[2];
    closed_joint(FLG_CONSTRAINT_REVOLUTE, &source, end);
    const flg_vec3 z = flg_mat3_column(&end[0].pose.rotation, 2);
    const double spin = random_uniform(&source, -5, 5), speed_up = random_uniform(&source, -5, 5);
    const flg_spatial a = random_spatial(&source);
    end[0].velocity = end[1].velocity = random_spatial(&source);
    const flg_vec3 w = end[0].velocity.angular;
    end[1].velocity.angular = flg_vec3_add_scaled(w, spin, z);
    flg_spatial b = a; /* alpha_B = alpha_A + speed_up z + w_A x spin z */
    b.angular = flg_vec3_add_scaled(b.angular, speed_up, z);
    b.angular = flg_vec3_add_scaled(b.angular, spin, flg_vec3_cross(w, z));
    flg_constraint_row rows[ROWS_MAX];
    assert_int_equal(flg_constraint_evaluate(FLG_CONSTRAINT_REVOLUTE, end, rows), 5);
    for (int i = 0; i < 5; i++) {
      assert_near(rows[i].rate, 0, 1e-14);
      assert_near(dot_sides(rows[i].side, a, b) + rows[i].bias, 0, 1e-13);
    }
  }
}

/* --- g alone -----------------------------------------------------------------------------------
 */

static void measuring_gives_what_evaluating_leaves(void **state) {
  (void)state;
  random_source source = {8};
  for (int k = 0; k < REPEATS(1000); k++) {
    const flg_constraint_kind kind = random_kind(&source);
    const test_motion motion = random_motion(&source);
    const flg_moving_frame *end = motion.start;
    const flg_pose poses[2] = {end[0].pose, end[1].pose};
    flg_constraint_row rows[ROWS_MAX];
    double left[ROWS_MAX];
    const int count = flg_constraint_evaluate(kind, end, rows);
    assert_int_equal(flg_constraint_measure(kind, poses, left), count);
    for (int i = 0; i < count; i++) assert_near(left[i], rows[i].left, 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_writes_its_rows),
      cmocka_unit_test(derivatives_are_those_of_the_rows_anywhere),
      cmocka_unit_test(both_sides_are_in_balance),
      cmocka_unit_test(closed_joints_have_zeros_and_independent_rows),
      cmocka_unit_test(rows_of_a_weld_are_metres_and_radians),
      cmocka_unit_test(a_turned_weld_is_seen),
      cmocka_unit_test(a_turning_hinge_stays_closed),
      cmocka_unit_test(measuring_gives_what_evaluating_leaves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
