/* Rows in parts are those that constraint.c evaluates at once, seen from ports away from frames. */
#include "dynamics/joint_rows.h"

#include "dynamics/test_frames.h"

enum { ROWS_MAX = FLG_CONSTRAINT_ROWS_MAX };

/* a frame as one of a link: where the link is, how it moves, and where the frame is in it */
typedef struct carrier {
  flg_pose link, frame;
  flg_spatial velocity; /* of the link */
  flg_vec3 arm;         /* from the link to the frame */
} carrier;

static carrier random_carrier(random_source *source, const flg_moving_frame *at) {
  carrier of = {.frame = random_motion(source).start[0].pose};
  const flg_pose back = flg_pose_inverse(&of.frame);
  of.link = flg_pose_compose(&at->pose, &back);
  of.arm = flg_vec3_subtract(at->pose.position, of.link.position);
  of.velocity = flg_spatial_shift_motion(at->velocity, flg_vec3_negate(of.arm));
  return of;
}

static flg_vec3 swing(const flg_moving_frame *at, flg_vec3 arm) {
  const flg_vec3 w = at->velocity.angular;
  return flg_vec3_cross(w, flg_vec3_cross(w, arm));
}

static void check_row(const flg_constraint_row *row, const carrier of[2], double *const side[2],
                      int i) {
  for (int s = 0; s < 2; s++) {
    double at_port[6];
    flg_spatial_store(flg_spatial_shift_force(row->side[s], flg_vec3_negate(of[s].arm)), at_port);
    for (int j = 0; j < 6; j++) assert_near(side[s][i + j * ROWS_MAX], at_port[j], 1e-13);
  }
}

static void rows_are_those_of_constraints(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < 2000; k++) {
    const flg_constraint_kind kind = k % FLG_CONSTRAINT_KIND_COUNT;
    const test_motion motion = random_motion(&source);
    flg_moving_frame end[2] = {motion.start[0], motion.start[1]};
    const int ground = random_integer(&source, -1, 1); /* an end that does not move, -1: none */
    if (ground >= 0) end[ground].velocity = (flg_spatial){{0}, {0}};
    const carrier of[2] = {random_carrier(&source, &end[0]), random_carrier(&source, &end[1])};
    flg_constraint_row rows[ROWS_MAX];
    const int count = flg_constraint_evaluate(kind, end, rows);
    flg_joint_anchor anchor[2];
    flg_spatial velocity[2];
    for (int s = 0; s < 2; s++) {
      anchor[s] = (flg_joint_anchor){&of[s].link, &of[s].frame};
      velocity[s] = of[s].velocity;
      if (s == ground) anchor[s] = (flg_joint_anchor){NULL, &end[s].pose};
    }
    flg_joint_sight sight;
    double left[ROWS_MAX], rate[ROWS_MAX], bias[ROWS_MAX], G[2][6 * ROWS_MAX];
    double *const side[2] = {ground == 0 ? NULL : G[0], ground == 1 ? NULL : G[1]};
    double *const all[2] = {G[0], G[1]};
    assert_int_equal(flg_joint_rows_see(kind, anchor, &sight, left), count);
    flg_joint_rows_write(kind, &sight, side, ROWS_MAX);
    flg_joint_rows_drift(kind, &sight, left, velocity, rate, bias);
    for (int i = 0; i < count; i++) {
      double swung = rows[i].bias;
      for (int s = 0; s < 2; s++) {
        swung += flg_vec3_dot(rows[i].side[s].linear, swing(&end[s], of[s].arm));
      }
      assert_near(left[i], rows[i].left, 1e-13);
      assert_near(rate[i], rows[i].rate, 4e-13);
      assert_near(bias[i], swung, 1e-12);
      if (ground < 0) check_row(&rows[i], of, all, i);
    }
  }
}

/* Numbers that a hinge has, one after the other; axes x and y of B are not among them. */
typedef struct hinge_numbers {
  double left[5], rate[5], bias[5], G[2][6][5];
  double axes[9], axis[3];
  flg_vec3 arm[2], offset;
} hinge_numbers;

static void hinges_in_lanes_have_the_bits_of_joints(void **state) {
  (void)state;
  const flg_constraint_kind kind = FLG_CONSTRAINT_REVOLUTE;
  const unsigned holds = flg_constraint_kinds[kind].holds;
  random_source source = {2};
  for (int k = 0; k < 1000; k++) {
    const test_motion motion = random_motion(&source);
    const carrier of[2] = {random_carrier(&source, &motion.start[0]),
                           random_carrier(&source, &motion.start[1])};
    const int ground = random_integer(&source, -1, 1);
    flg_joint_anchor end[2] = {{&of[0].link, &of[0].frame}, {&of[1].link, &of[1].frame}};
    if (ground >= 0) end[ground].link = NULL;
    const flg_spatial velocity[2] = {of[0].velocity, of[1].velocity};
    hinge_numbers found[2] = {0};
    for (int plain = 0; plain < 2; plain++) {
      hinge_numbers *to = &found[plain];
      flg_joint_sight sight;
      double left[ROWS_MAX], rate[ROWS_MAX],
          bias[ROWS_MAX],
              *const side[2] = {ground == 0 ? NULL : &to->G[0][0][0],
                                ground == 1 ? NULL : &to->G[1][0][0]};
      if (plain) {
        assert_int_equal(flg_joint_see(holds, end, &sight, left), 5);
        flg_joint_write(holds, &sight, side, 5);
        flg_joint_drift(holds, &sight, left, velocity, rate, bias);
      } else {
        assert_int_equal(flg_joint_rows_see(kind, end, &sight, left), 5);
        flg_joint_rows_write(kind, &sight, side, 5);
        flg_joint_rows_drift(kind, &sight, left, velocity, rate, bias);
      }
      memcpy(to->left, left, sizeof to->left), memcpy(to->rate, rate, sizeof to->rate);
      memcpy(to->bias, bias, sizeof to->bias), memcpy(to->axes, &sight.axes[0], sizeof to->axes);
      flg_vec3_store(flg_mat3_column(&sight.axes[1], 2), to->axis);
      to->arm[0] = sight.arm[0], to->arm[1] = sight.arm[1], to->offset = sight.offset;
    }
    assert_memory_equal(&found[0], &found[1], sizeof found[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_those_of_constraints),
      cmocka_unit_test(hinges_in_lanes_have_the_bits_of_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
