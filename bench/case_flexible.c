/* case_flexible - (i) a step of 1/600 s of the arm with flexible booms (15 degrees of freedom), and
 * of the rigid arm (7) beside it. No peer has modal beams. */
#include <string.h>

#include "flexible_arm.h"
#include "race.h"
#include "robot/robot_subsystem.h"

static const double STEP = 1. / 600;

static void build(flg_robot_subsystem *robot, const sample *s, flg_integrator_kind kind) {
  static flg_mistakes mistakes;
  flg_error error = {0};
  flg_robot_options options = {.name = "arm", .integrator = flg_integrator_default()};
  options.integrator.kind = kind;
  sample_require(flg_robot_subsystem_build(robot, &s->model, &options, &mistakes) == FLG_OK &&
                     flg_robot_subsystem_equip(robot, NULL, 0, NULL, 0, &error) == FLG_OK,
                 "robot");
}

static void place(void *of) {
  static const double pose[ARM_LINKS] = {20, 60, 80, -110, -60, 0, 10};
  flg_robot_subsystem *robot = of;
  flexible_arm_pose(&robot->robot, pose, robot->q);
  memset(robot->v, 0, (size_t)robot->robot.velocity_count * sizeof *robot->v);
  for (int k = 0; k < ARM_LINKS; k++) {
    robot->v[robot->robot.links[robot->robot.joint_links[k]].velocity] = 0.1 * (3 - k);
  }
}

static void step(void *of) {
  sample_require(flg_robot_subsystem_advance(of, 0, STEP, 0, 1, NULL) == FLG_OK, "a step failed");
}

int main(void) {
  static const flg_integrator_kind kinds[] = {FLG_INTEGRATOR_SEMI_IMPLICIT,
                                              FLG_INTEGRATOR_LEAPFROG};
  sample *rigid = sample_arm();
  flexible_arm *arm = flexible_arm_build(2, 1, 0.02, true);
  for (int k = 0; k < 2; k++) {
    static flg_robot_subsystem robots[2];
    char work[80];
    build(&robots[0], arm->s, kinds[k]), build(&robots[1], rigid, kinds[k]);
    const racer racers[] = {{"Flange", step, &robots[0], place, .mark = 0},
                            {"Flange, rigid arm", step, &robots[1], place, .mark = 0}};
    snprintf(work, sizeof work, "flexible arm, step of %s", flg_integrator_names[kinds[k]]);
    race("i", work, racers, 2);
    flg_robot_subsystem_release(&robots[0]), flg_robot_subsystem_release(&robots[1]);
  }
  flexible_arm_release(arm);
  sample_release(rigid);
  return 0;
}
