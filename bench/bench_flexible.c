/* bench_flexible - one step of the arm with flexible booms (15 degrees of freedom) against one of
 * the rigid arm (7), in one process. Times are the smallest of many batches.
 *
 * With arguments, so many steps of one of them and nothing else, to be counted by callgrind:
 *
 *     valgrind --tool=callgrind bench_flexible flexible 1000
 */
#include <string.h>

#include "flexible_arm.h"
#include "math/larger.h"
#include "robot/robot_subsystem.h"
#include "stopwatch.h"

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

static void place(flg_robot_subsystem *robot) {
  static const double pose[ARM_LINKS] = {20, 60, 80, -110, -60, 0, 10};
  flexible_arm_pose(&robot->robot, pose, robot->q);
  memset(robot->v, 0, (size_t)robot->robot.velocity_count * sizeof *robot->v);
  for (int k = 0; k < ARM_LINKS; k++) {
    robot->v[robot->robot.links[robot->robot.joint_links[k]].velocity] = 0.1 * (3 - k);
  }
}

static double time_of(flg_robot_subsystem *robot, int batches, int steps) {
  double best = INFINITY;
  for (int k = 0; k < batches; k++) {
    place(robot);
    const double start = now();
    for (int j = 0; j < steps; j++) flg_robot_subsystem_advance(robot, 0, STEP, 0, 1, NULL);
    best = flg_smaller(best, (now() - start) / steps);
  }
  return best;
}

int main(int argc, char **argv) {
  static const flg_integrator_kind kinds[] = {FLG_INTEGRATOR_SEMI_IMPLICIT,
                                              FLG_INTEGRATOR_LEAPFROG};
  sample *rigid = sample_arm();
  flexible_arm *arm = flexible_arm_build(2, 1, 0.02, true);
  for (int k = 0; k < 2; k++) {
    static flg_robot_subsystem robots[2];
    build(&robots[0], rigid, kinds[k]);
    build(&robots[1], arm->s, kinds[k]);
    if (argc > 2) {
      flg_robot_subsystem *robot = &robots[strcmp(argv[1], "flexible") == 0];
      place(robot);
      flg_robot_subsystem_advance(robot, 0, STEP, 0, atoi(argv[2]), NULL);
      if (argc > 3) continue; /* the second integrator, too */
      return 0;
    }
    const double times[2] = {time_of(&robots[0], 200, 100), time_of(&robots[1], 200, 100)};
    printf("%-14s rigid %.3f us   flexible %.3f us   %.2f times\n", flg_integrator_names[kinds[k]],
           1e6 * times[0], 1e6 * times[1], times[1] / times[0]);
    flg_robot_subsystem_release(&robots[0]);
    flg_robot_subsystem_release(&robots[1]);
  }
  flexible_arm_release(arm);
  sample_release(rigid);
  return 0;
}
