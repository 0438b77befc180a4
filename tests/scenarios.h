/* scenarios.h - simulations from texts, for tests. */
#ifndef FLG_TESTS_SCENARIOS_H
#define FLG_TESTS_SCENARIOS_H

#include "cosim/simulation.h"
#include "files.h"

/* Loads a scenario from its text, with `model.yaml` and `robot.yaml` beside it (may be NULL); fails
 * the test with the first mistake. Paths to other files are relative to the root of the project. */
static inline flg_simulation *load_three_texts(const char *scenario, const char *model,
                                               const char *robot) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  test_folder folder = make_folder();
  if (model != NULL) make_file(&folder, "model.yaml", model);
  if (robot != NULL) make_file(&folder, "robot.yaml", robot);
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) {
    fail_msg("%s:%d: %s", mistakes.list[0].file, mistakes.list[0].line, mistakes.list[0].message);
  }
  return simulation;
}

static inline flg_simulation *load_texts(const char *scenario, const char *model) {
  return load_three_texts(scenario, model, NULL);
}

/* The status of a run to its end, and of what is judged then. */
static inline flg_status run_and_judge(flg_simulation *simulation, flg_error *error) {
  flg_status status = FLG_OK;
  while (status == FLG_OK && !flg_simulation_ended(simulation)) {
    status = flg_simulation_step(simulation, error);
  }
  return status == FLG_OK ? flg_simulation_judge(simulation, error) : status;
}

/* One macro step of both, the second from where the first is; kept: room for a state. */
static inline void step_both(flg_simulation *through, flg_simulation *resumed, void *kept) {
  flg_error error;
  flg_simulation_save(through, kept);
  flg_simulation_restore(resumed, kept);
  assert_int_equal(flg_simulation_step(through, &error), FLG_OK);
  assert_int_equal(flg_simulation_step(resumed, &error), FLG_OK);
  assert_true(flg_simulation_hash(through) == flg_simulation_hash(resumed));
}

/* Two simulations of the same texts, run to the end: one goes through, the other is put where the
 * first is before each macro step. */
static inline void resume_bit_for_bit(flg_simulation *through, flg_simulation *resumed) {
  void *kept = malloc(flg_simulation_state_bytes(through));
  assert_non_null(kept);
  while (!flg_simulation_ended(through)) {
    step_both(through, resumed, kept);
  }
  free(kept);
  flg_simulation_release(through), flg_simulation_release(resumed);
}

/* Steps are the same, bit for bit, in a simulation that starts from a snapshot before them. */
static inline void resume_every_step(flg_simulation *(*load)(const char *how), const char *how) {
  flg_simulation *going = load(how);
  void *before = malloc(flg_simulation_state_bytes(going));
  assert_non_null(before);
  for (int k = 0; k < 8; k++) {
    flg_simulation *put = load(how);
    step_both(going, put, before);
    flg_simulation_release(put);
  }
  flg_simulation_release(going);
  free(before);
}

static inline void run_to_end(flg_simulation *simulation) {
  flg_error error;
  while (!flg_simulation_ended(simulation)) {
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  }
}

/* Runs a scenario to its end and returns its last values. */
static inline void final_values(const char *scenario, const char *model, double *values) {
  flg_simulation *simulation = load_texts(scenario, model);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

#endif
