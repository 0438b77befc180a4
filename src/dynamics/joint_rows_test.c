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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_those_of_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
