/* scenarios.h - scenarios that benchmarks load and run over and over. */
#ifndef FLG_BENCH_SCENARIOS_H
#define FLG_BENCH_SCENARIOS_H

#include <string.h>

#include "cosim/simulation.h"
#include "race.h"

typedef struct scenario {
  const char *path;
  flg_simulation *simulation;
  void *first; /* its state at the start */
  int steps;   /* macro steps of a run */
} scenario;

static inline void scenario_require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static inline scenario scenario_load(const char *path) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  scenario made = {.path = path};
  scenario_require(flg_simulation_load(&made.simulation, path, NULL, 0, &mistakes) == FLG_OK,
                   mistakes.list[0].message);
  made.first = malloc(flg_simulation_state_bytes(made.simulation));
  scenario_require(made.first != NULL, "no memory");
  flg_simulation_save(made.simulation, made.first);
  made.steps = (int)made.simulation->macro_steps;
  return made;
}

static inline void scenario_release(scenario *of) {
  flg_simulation_release(of->simulation);
  free(of->first);
}

static inline void scenario_start(void *of) {
  const scenario *s = (const scenario *)of;
  flg_simulation_restore(s->simulation, s->first);
}

/* a whole run */
static inline void scenario_run(void *of) {
  const scenario *s = (const scenario *)of;
  flg_error error = {0};
  for (int k = 0; k < s->steps; k++) {
    scenario_require(flg_simulation_step(s->simulation, &error) == FLG_OK, error.message);
  }
}

#endif
