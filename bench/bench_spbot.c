/* bench_spbot - what a step of the robot SPBot costs (examples/spbot: 17 bodies, 32 joints, 118
 * rows of rank 94, two motors with controllers), by scheme and number of threads, in one process.
 *
 * Wall times, the smallest of many runs of 20 steps, all from the middle of the motion. Ratios are
 * to rk4 with one thread. Run it from the root of the project.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cosim/simulation.h"
#include "stopwatch.h"

enum { SCHEMES = 3, ROUNDS = 40, MACRO_STEPS = 2, MICRO_STEPS = 10, START = 50 };
static const char *const NAMES[SCHEMES] = {"rk4", "rattle", "semi-implicit"};

typedef struct robot {
  flg_simulation *simulation;
  void *start;    /* its state in the middle of the motion */
  double best[2]; /* seconds a step, with one thread and with two */
} robot;

static void give_up(const char *what) {
  fprintf(stderr, "bench_spbot: %s\n", what);
  exit(1);
}

static void advance(const robot *of, int macro_steps) {
  flg_error error;
  for (int k = 0; k < macro_steps; k++) {
    if (flg_simulation_step(of->simulation, &error) != FLG_OK) give_up(error.message);
  }
}

static robot make(const char *scheme) {
  robot made = {.best = {INFINITY, INFINITY}};
  static flg_mistakes mistakes;
  char text[80];
  snprintf(text, sizeof text, "subsystems.spbot.integrator=%s", scheme);
  const char *const overrides[] = {text};
  if (flg_simulation_load(&made.simulation, "examples/spbot/spbot.yaml", overrides, 1, &mistakes) !=
      FLG_OK) {
    give_up(mistakes.list[0].message);
  }
  made.start = malloc(flg_simulation_state_bytes(made.simulation));
  if (made.start == NULL) give_up("no memory");
  advance(&made, START);
  flg_simulation_save(made.simulation, made.start);
  return made;
}

static void measure(robot *of, flg_threads *threads, double *best) {
  flg_simulation_share(of->simulation, threads);
  flg_simulation_restore(of->simulation, of->start);
  const double begin = now();
  advance(of, MACRO_STEPS);
  *best = flg_smaller(*best, (now() - begin) / (MACRO_STEPS * MICRO_STEPS));
}

int main(void) {
  robot robots[SCHEMES];
  flg_threads *two = NULL;
  if (flg_threads_build(&two, 2, NULL) != FLG_OK) give_up("no threads");
  for (int k = 0; k < SCHEMES; k++) robots[k] = make(NAMES[k]);
  /* in turns: whatever else the machine does meets all of them */
  for (int round = 0; round < ROUNDS; round++) {
    for (int k = 0; k < SCHEMES; k++) {
      measure(&robots[k], NULL, &robots[k].best[0]);
      measure(&robots[k], two, &robots[k].best[1]);
    }
  }
  const double unit = robots[0].best[0];
  printf("SPBot, 17 bodies and 118 rows with two motors: ns a step of 1 ms, and times rk4 alone\n");
  printf("%-14s %10s %8s %10s %8s\n", "", "1 thread", "ratio", "2 threads", "ratio");
  for (int k = 0; k < SCHEMES; k++) {
    const double *best = robots[k].best;
    printf("%-14s %10.0f %8.2f %10.0f %8.2f\n", NAMES[k], best[0] * 1e9, best[0] / unit,
           best[1] * 1e9, best[1] / unit);
    flg_simulation_release(robots[k].simulation);
    free(robots[k].start);
  }
  flg_threads_release(two);
  return 0;
}
