/* Any bytes are targets for a robot (the first byte is t) or a table that its joints follow, or
 * mistakes: never a crash or a hang. What was read without mistakes gives finite joints. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "files.h"
#include "io/load.h"
#include "io/trajectory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 loses some bytes of its own on a few syntax errors */
const char *__lsan_default_suppressions(void) {
  return "leak:libfyaml.so";
}

enum { JOINTS_MAX = 8, STEPS_MAX = 20, LOADED_MOST = 200 };

static const char model[] =
    "flange-model: 1\n"
    "bodies: {sled: {mass: 1}, upper: {mass: 1}, lower: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints:\n"
    "  slide: {kind: prismatic, child: sled, axis: [0, 0, 1], limits: {lower: -1, upper: 1}}\n"
    "  shoulder: {kind: revolute, parent: sled, child: upper, axis: [0, 0, 1]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "markers: {tip: {body: lower, at: [1, 0, 0]}}\n";
static const char scenario[] =
    "flange: 1\ntime: {end: 1, macro: 0.1}\n"
    "subsystems: {a: {model: model.yaml, initial: {elbow: 1}}}\n";

static const char *run, *targets, *table;
static flg_simulation *simulation;
static flg_mistakes mistakes;

static void demand(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

/* What is read stays in the memory of the simulation: another one from time to time. */
static void load(void) {
  static int loaded = 0;
  if (run == NULL) {
    write_file(name_file("model.yaml"), model, sizeof model - 1);
    run = name_file("run.yaml");
    write_file(run, scenario, sizeof scenario - 1);
    targets = name_file("targets.yaml"), table = name_file("table.csv");
  }
  if (simulation != NULL && loaded++ < LOADED_MOST) return;
  flg_simulation_release(simulation);
  simulation = NULL, loaded = 0, mistakes = (flg_mistakes){0};
  const flg_load_options options = {.compose.undriven = true};
  const flg_status status = flg_simulation_load_as(&simulation, run, NULL, 0, options, &mistakes);
  demand(status == FLG_OK, mistakes.count > 0 ? mistakes.list[0].message : "not loaded");
}

static void try_targets(void) {
  flg_trajectory trajectory;
  const flg_status status =
      flg_trajectory_read(&trajectory, simulation, targets, NULL, 0, &mistakes);
  demand((status == FLG_OK) == (mistakes.count == 0), "a status without a mistake");
  for (int k = 0; status == FLG_OK && k < STEPS_MAX && k < trajectory.samples; k++) {
    double joints[JOINTS_MAX] = {0};
    flg_error error = {.status = FLG_OK};
    demand(trajectory.count <= JOINTS_MAX, "too many joints");
    if (flg_trajectory_step(&trajectory, joints, &error) != FLG_OK) {
      demand(error.message[0] != '\0', "no sentence");
      break;
    }
    for (int j = 0; j < trajectory.count; j++) demand(isfinite(joints[j]), "not finite");
  }
}

static void try_table(void) {
  flg_controller followed;
  flg_follower place;
  const flg_place nowhere = {.file = "--subsystem"};
  demand(flg_compose_follower(simulation, NULL, nowhere, &place, &mistakes), "no robot");
  flg_followed_load(&followed, simulation, table, place.subject, &mistakes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  load();
  mistakes = (flg_mistakes){0};
  const bool is_targets = data[0] == 't';
  write_file(is_targets ? targets : table, data + 1, size - 1);
  if (is_targets) {
    try_targets();
  } else {
    try_table();
  }
  return 0;
}
