/* driven_arm.h - the space station arm driven by a program, step by step: seven efforts are written
 * and fourteen numbers read each time (flange/access.h). */
#ifndef FLG_BENCH_DRIVEN_ARM_H
#define FLG_BENCH_DRIVEN_ARM_H

#include "cosim/simulation.h"
#include "flange/access.h"
#include "sample.h"

enum { DRIVEN_JOINTS = 7 };

typedef struct driven_arm {
  flg_simulation *simulation;
  flg_output motion[2 * DRIVEN_JOINTS]; /* positions, then velocities */
  flg_input effort[DRIVEN_JOINTS];
} driven_arm;

/* macro: micro steps of 1/600 s in a step */
static inline driven_arm driven_arm_load(int macro) {
  static flg_mistakes mistakes;
  static flg_error error;
  driven_arm made = {0};
  char setting[60], name[40];
  snprintf(setting, sizeof setting, "time.macro=%d/600", macro);
  const char *const settings[] = {setting,
                                  "time.end=1200",
                                  "events=[]",
                                  "subsystems.arm.controllers={}",
                                  "subsystems.arm.integrator=semi-implicit",
                                  "subsystems.arm.initial_velocity={joint1: 0.1, joint4: -0.2}"};
  sample_require(flg_simulation_load(&made.simulation, "examples/ssrms/poses.yaml", settings, 6,
                                     &mistakes) == FLG_OK,
                 "examples/ssrms/poses.yaml");
  for (int k = 0; k < DRIVEN_JOINTS; k++) {
    snprintf(name, sizeof name, "arm/joint%d.position", k + 1);
    sample_require(flg_output_find(made.simulation, name, &made.motion[k], &error) == FLG_OK, name);
    snprintf(name, sizeof name, "arm/joint%d.velocity", k + 1);
    sample_require(
        flg_output_find(made.simulation, name, &made.motion[DRIVEN_JOINTS + k], &error) == FLG_OK,
        name);
    snprintf(name, sizeof name, "arm/joint%d.effort", k + 1);
    sample_require(flg_input_find(made.simulation, name, &made.effort[k], &error) == FLG_OK, name);
  }
  return made;
}

/* read, write, step */
static inline void driven_arm_drive(const driven_arm *of) {
  flg_error error;
  double motion[2 * DRIVEN_JOINTS], torque[DRIVEN_JOINTS];
  flg_output_read_many(of->simulation, of->motion, 2 * DRIVEN_JOINTS, motion, 2 * DRIVEN_JOINTS,
                       &error);
  for (int k = 0; k < DRIVEN_JOINTS; k++)
    torque[k] = -1e-3 * motion[k] - 1e-3 * motion[DRIVEN_JOINTS + k];
  flg_input_write_many(of->simulation, of->effort, DRIVEN_JOINTS, torque, DRIVEN_JOINTS, &error);
  sample_require(flg_simulation_step(of->simulation, &error) == FLG_OK, error.message);
}

/* the micro steps alone, as the simulation makes them */
static inline void driven_arm_advance(const driven_arm *of) {
  flg_error error;
  flg_simulation *simulation = of->simulation;
  const flg_subsystem *robot = &simulation->subsystems[0];
  const int steps = simulation->micro_steps[0];
  sample_require(robot->ops->advance(robot->self, flg_simulation_time(simulation),
                                     simulation->macro / steps, 0, steps, &error) == FLG_OK,
                 "advance");
}

#endif
