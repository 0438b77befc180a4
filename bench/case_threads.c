/* case_threads - (g) two equal subsystems, coupled by `parallel`: two threads against one, by the
 * clock on the wall. Both give the same bits. Of little use on a machine with other work. */
#include "flange/threads.h"
#include "scenarios.h"

typedef struct shared {
  scenario of;
  flg_threads *threads; /* NULL: the caller does all */
} shared;

static void start(void *of) {
  shared *s = of;
  scenario_start(&s->of);
  flg_simulation_share(s->of.simulation, s->threads);
}

static void run(void *of) {
  shared *s = of;
  scenario_run(&s->of);
}

int main(void) {
  enum { ROUNDS = 15 };
  static double times[2][ROUNDS];
  shared both[2] = {{.of = scenario_load("bench/scenarios/two-arms.yaml")}};
  both[1].of = scenario_load("bench/scenarios/two-arms.yaml");
  scenario_require(flg_threads_build(&both[1].threads, 2, NULL) == FLG_OK, "no threads");
  racer racers[2] = {{"Flange, one thread", run, &both[0], start},
                     {"Flange, two threads", run, &both[1], start}};
  for (int round = 0; round < ROUNDS; round++) {
    for (int k = 0; k < 2; k++) times[k][round] = race_batch(&racers[k], 1, now) / both[k].of.steps;
  }
  scenario_require(
      flg_simulation_hash(both[0].of.simulation) == flg_simulation_hash(both[1].of.simulation),
      "two threads find something else");
  for (int k = 0; k < 2; k++) race_tell("g", "two arms, macro step", &racers[k], times[k], ROUNDS);
  race_figure("g", "two arms, macro step", "Flange", "times one thread", times[0][0] / times[1][0],
              1.6, "");
  scenario_release(&both[1].of);
  flg_threads_release(both[1].threads);
  scenario_release(&both[0].of);
  return 0;
}
