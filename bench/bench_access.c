/* bench_access - the space station arm driven by a program, step by step: seven efforts are written
 * and fourteen numbers read each time (flange/access.h). To be counted by callgrind:
 *
 *     valgrind --tool=callgrind bench_access driven|step|inner MACRO COUNT
 *
 * driven: read, write, step;   step: flg_simulation_step alone;   inner: the micro steps alone, as
 * the simulation makes them. MACRO: micro steps of 1/600 s in a step. Without arguments: times. */
#include "flange/access.h"

#include <string.h>

#include "cosim/simulation.h"
#include "sample.h"
#include "stopwatch.h"

enum { JOINTS = 7 };

typedef struct arm {
  flg_simulation *simulation;
  flg_output position[JOINTS], velocity[JOINTS];
  flg_input effort[JOINTS];
} arm;

static arm load(int macro) {
  static flg_mistakes mistakes;
  static flg_error error;
  arm made = {0};
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
  for (int k = 0; k < JOINTS; k++) {
    snprintf(name, sizeof name, "arm/joint%d.position", k + 1);
    sample_require(flg_output_find(made.simulation, name, &made.position[k], &error) == FLG_OK,
                   name);
    snprintf(name, sizeof name, "arm/joint%d.velocity", k + 1);
    sample_require(flg_output_find(made.simulation, name, &made.velocity[k], &error) == FLG_OK,
                   name);
    snprintf(name, sizeof name, "arm/joint%d.effort", k + 1);
    sample_require(flg_input_find(made.simulation, name, &made.effort[k], &error) == FLG_OK, name);
  }
  return made;
}

static void drive(const arm *of) {
  flg_error error;
  for (int k = 0; k < JOINTS; k++) {
    double q, v;
    flg_output_read(of->simulation, of->position[k], &q, 1, &error);
    flg_output_read(of->simulation, of->velocity[k], &v, 1, &error);
    const double torque = -1e-3 * q - 1e-3 * v;
    flg_input_write(of->simulation, of->effort[k], &torque, 1, &error);
  }
  sample_require(flg_simulation_step(of->simulation, &error) == FLG_OK, error.message);
}

static void step(const arm *of) {
  flg_error error;
  sample_require(flg_simulation_step(of->simulation, &error) == FLG_OK, error.message);
}

static void inner(const arm *of) {
  flg_error error;
  flg_simulation *simulation = of->simulation;
  const flg_subsystem *robot = &simulation->subsystems[0];
  const int steps = simulation->micro_steps[0];
  sample_require(robot->ops->advance(robot->self, flg_simulation_time(simulation),
                                     simulation->macro / steps, 0, steps, &error) == FLG_OK,
                 "advance");
}

static void run(const arm *of, const char *how, int count) {
  for (int k = 0; k < count; k++) {
    (strcmp(how, "driven") == 0 ? drive : strcmp(how, "step") == 0 ? step : inner)(of);
  }
}

int main(int count, char **words) {
  if (count == 4) {
    const arm of = load(atoi(words[2]));
    run(&of, words[1], atoi(words[3]));
    flg_simulation_release(of.simulation);
    return 0;
  }
  for (int macro = 1; macro <= 10; macro += 9) {
    const arm of = load(macro);
    double best[2] = {INFINITY, INFINITY};
    static const char *const ways[2] = {"driven", "step"};
    for (int k = 0; k < 20; k++) {
      const double start = now();
      run(&of, ways[k % 2], 2000);
      best[k % 2] = fmin(best[k % 2], (now() - start) / 2000);
    }
    printf("%d micro steps a step: driven %.3f us, step alone %.3f us\n", macro, 1e6 * best[0],
           1e6 * best[1]);
    flg_simulation_release(of.simulation);
  }
  return 0;
}
