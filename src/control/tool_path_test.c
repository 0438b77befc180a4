/* Paths of a tool against their geometry: lines, arcs, joints, rests, and what cannot be reached.
 */
#include "control/tool_path.h"

#include "check.h"
#include "sample.h"

enum { JOINTS = ARM_LINKS };
static const double Q0[JOINTS] = {-1.4245, 1.5466, -0.3685, -1.6337, -1.1393, -1.5466, 1.7171};
static const int POSITIONS[JOINTS] = {0, 1, 2, 3, 4, 5, 6};

/* the seven-joint arm on a path */
typedef struct walker {
  sample *s;
  flg_region region;
  flg_tool_path path;
  double q[JOINTS], from[JOINTS];
} walker;

static walker *walker_build(const flg_leg *legs, int leg_count) {
  walker *w = calloc(1, sizeof *w);
  assert_non_null(w);
  w->s = sample_arm();
  const flg_reach_options options = {.frame = w->s->robot.anchors[6]};
  w->region = (flg_region){0};
  w->path = (flg_tool_path){.name = "hand",
                            .legs = legs,
                            .leg_count = leg_count,
                            .model = &w->s->model,
                            .robot = &w->s->robot,
                            .count = JOINTS,
                            .positions = POSITIONS,
                            .from = w->from};
  assert_int_equal(flg_inverse_kinematics_build(&w->path.kinematics, &w->s->model, &w->s->robot,
                                                w->s->dynamics, &options, &w->region, NULL),
                   FLG_OK);
  memcpy(w->q, Q0, sizeof Q0);
  flg_tool_path_begin(&w->path, w->q);
  return w;
}

static void walker_release(walker *w) {
  flg_region_release(&w->region);
  sample_release(w->s);
  free(w);
}

static flg_pose pose_at(walker *w, double time) {
  flg_error error = {0};
  if (flg_tool_path_go(&w->path, time, w->q, &error) != FLG_OK) fail_msg("%s", error.message);
  return flg_inverse_kinematics_pose(w->path.kinematics, w->q);
}

static double quintic(double x) {
  return x * x * x * (10 - 15 * x + 6 * x * x);
}

static double angle_between(const flg_mat3 *a, const flg_mat3 *b) {
  const flg_mat3 turn = flg_mat3_multiply_transposed(a, b);
  return flg_vec3_norm(flg_quat_log(flg_quat_from_matrix(&turn)));
}

static void a_line_is_straight_and_turns_about_one_axis(void **state) {
  (void)state;
  const double turn[3] = {0.3, -0.2, 0.5};
  const flg_leg leg = {.kind = FLG_LEG_LINE,
                       .arrival = 2,
                       .moves = true,
                       .turns = true,
                       .relative = true,
                       .position = {-1, 0.5, 0.7},
                       .rotation = flg_mat3_from_roll_pitch_yaw(turn)};
  walker *w = walker_build(&leg, 1);
  const flg_pose start = w->path.start;
  const flg_mat3 end = flg_mat3_multiply(&leg.rotation, &start.rotation);
  const double whole = angle_between(&start.rotation, &end);
  for (int n = 0; n <= 120; n++) {
    const double share = quintic(n / 120.);
    const flg_pose pose = pose_at(w, n / 60.);
    const flg_vec3 there = flg_vec3_add_scaled(start.position, share, leg.position);
    assert_near(flg_vec3_norm(flg_vec3_subtract(pose.position, there)), 0, 1e-11);
    assert_near(angle_between(&start.rotation, &pose.rotation), share * whole, 1e-11);
    assert_near(angle_between(&pose.rotation, &end), (1 - share) * whole, 1e-11);
  }
  assert_true(w->path.worst.position < 1e-11 && w->path.worst.turn < 1e-11);
  walker_release(w);
}

static void on_an_arc_the_frame_turns_as_one_piece(void **state) {
  (void)state;
  const flg_leg leg = {
      .kind = FLG_LEG_ARC, .arrival = 1, .pivot = {8, 3, 0}, .axis = {0, 5, 0}, .angle = -0.8};
  walker *w = walker_build(&leg, 1);
  const flg_pose start = w->path.start;
  for (int n = 0; n <= 60; n++) {
    const flg_pose pose = pose_at(w, n / 60.);
    const double angle = -0.8 * quintic(n / 60.), x = start.position.x - 8, z = start.position.z;
    assert_near(pose.position.x, 8 + x * cos(angle) + z * sin(angle), 1e-11);
    assert_near(pose.position.y, start.position.y, 1e-11);
    assert_near(pose.position.z, z * cos(angle) - x * sin(angle), 1e-11);
    assert_near(angle_between(&start.rotation, &pose.rotation), -angle, 6e-13);
  }
  walker_release(w);
}

static void legs_follow_each_other_and_arrivals_between_samples_are_met(void **state) {
  (void)state;
  const double joints[JOINTS] = {-1.2, 1.4, -0.4, -1.5, -1.1, -1.4, 1.5};
  const flg_leg legs[] = {
      {.kind = FLG_LEG_LINE, .arrival = 0.333, .moves = true, .relative = true, .position = {0, 1}},
      {.kind = FLG_LEG_LINE, .arrival = 0.5},
      {.kind = FLG_LEG_JOINTS, .arrival = 0.9, .targets = joints},
  };
  walker *w = walker_build(legs, 3);
  const flg_vec3 start = w->path.start.position;
  double resting[JOINTS];
  pose_at(w, 0.3);
  flg_pose pose = pose_at(w, 0.4);
  memcpy(resting, w->q, sizeof resting);
  assert_near(pose.position.y, start.y + 1, 9e-14);
  pose_at(w, 0.45);
  assert_memory_equal(resting, w->q, sizeof resting);
  pose_at(w, 0.7);
  for (int k = 0; k < JOINTS; k++) assert_near(w->q[k], (resting[k] + joints[k]) / 2, 3e-14);
  pose_at(w, 5);
  for (int k = 0; k < JOINTS; k++) assert_near(w->q[k], joints[k], 1e-15);
  walker_release(w);
}

static void what_cannot_be_reached_is_told_with_time_and_distance(void **state) {
  (void)state;
  const flg_leg leg = {.kind = FLG_LEG_LINE, .arrival = 4, .moves = true, .position = {30, 0, 0}};
  walker *w = walker_build(&leg, 1);
  flg_error error = {0};
  flg_status status = FLG_OK;
  int n = 0;
  for (; status == FLG_OK && n < 240; n++) {
    status = flg_tool_path_go(&w->path, n / 60., w->q, &error);
  }
  assert_int_equal(status, FLG_ERR_RANGE);
  assert_true(n > 60 && n < 180);
  assert_non_null(strstr(error.message, "'hand' cannot be reached at t = "));
  assert_non_null(strstr(error.message, "At the end of this move, t = 4 s"));
  walker_release(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_is_straight_and_turns_about_one_axis),
      cmocka_unit_test(on_an_arc_the_frame_turns_as_one_piece),
      cmocka_unit_test(legs_follow_each_other_and_arrivals_between_samples_are_met),
      cmocka_unit_test(what_cannot_be_reached_is_told_with_time_and_distance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
