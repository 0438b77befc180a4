#include "stored/systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coupling/scheme.h"
#include "generate/run.h"

/* Seeds of each range of tests/generate: as they always were, wide, and with bushings between
 * subsystems. */
static const struct { int first, count; } SEEDS_OF[] = {{1, 200}, {1000001, 200}, {8000001, 100}};

static const char *const SCENARIOS[] = {
    "examples/bouncing/bouncing.yaml",
    "examples/capture/capture.yaml",
    "examples/capture/friction.yaml",
    "examples/capture/hop.yaml",
    "examples/flexible-arm/cantilever.yaml",
    "examples/flexible-arm/flexible-arm.yaml",
    "examples/flexible-arm/wrist.yaml",
    "examples/four-bars/four-bars.yaml",
    "examples/governor/governor.yaml",
    "examples/incline/incline.yaml",
    "examples/oscillator/oscillator.yaml",
    "examples/own-subsystem/bounce-twin.yaml",
    "examples/own-subsystem/twin.yaml",
    "examples/pendulum/friction.yaml",
    "examples/pendulum/modelica.yaml",
    "examples/pendulum/pendulum.yaml",
    "examples/pendulum/simple.yaml",
    "examples/slider-crank/slider-crank.yaml",
    "examples/spbot/spbot.yaml",
    "examples/squeezer/squeezer.yaml",
    "examples/ssrms/poses.yaml",
    "examples/ssrms/reach.yaml",
    "examples/table-ii/table-ii.yaml",
    "examples/tower/tower.yaml",
    "examples/wall-push/manoeuvre1-flexible.yaml",
    "examples/wall-push/manoeuvre1-flexible-locked.yaml",
    "examples/wall-push/manoeuvre1-rigid.yaml",
    "examples/wall-push/manoeuvre1-rigid-locked.yaml",
    "examples/wall-push/manoeuvre2-flexible.yaml",
    "examples/wall-push/manoeuvre2-flexible-locked.yaml",
    "examples/wall-push/manoeuvre2-rigid.yaml",
    "examples/wall-push/manoeuvre2-rigid-locked.yaml",
    "examples/wrist/wrist.yaml",
    "tests/faults/systems/flexible.yaml",
    "tests/faults/systems/machine.yaml",
    "tests/slides/parallel.yaml",
    "tests/slides/root.yaml",
    "tests/slides/sequential.yaml",
    "tests/stored/systems/drives.yaml",
    "tests/stored/systems/ends.yaml",
    "tests/stored/systems/mechanisms.yaml",
    "tests/stored/systems/open.yaml",
    "tests/stored/systems/robot.yaml",
    "tests/stored/systems/shapes.yaml",
    "tests/trusses/three.yaml",
    "tests/trusses/two.yaml",
};

/* subsystems that step by other integrators than their own */
static const char *const STEPPED_BY[] = {"semi-implicit", "rk4", "leapfrog", "rattle"};
static const struct {
  const char *path, *subsystem;
} STEPPED[] = {
    {"tests/stored/systems/robot.yaml", "arm"},
    {"tests/stored/systems/drives.yaml", "drives"},
    {"tests/stored/systems/shapes.yaml", "heap"},
    {"tests/stored/systems/open.yaml", "frame"},
    {"tests/faults/systems/machine.yaml", "machine"},
};

/* what couplings can do besides their schemes */
static const char *const OPTIONS[] = {
    "coupling.form=mass",        "coupling.reconcile=both",   "coupling.pose=feedback",
    "coupling.contacts=smooth",  "coupling.reconcile=one",    "coupling.contacts=regularised",
    "coupling.integrator=rk4",   "coupling.pose=none",        "coupling.integrator=rattle",
    "coupling.contacts=opening", "coupling.elastic=implicit", "coupling.integrator=semi-implicit",
    "coupling.elastic=constant", "coupling.causality=second",
};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

static mechanism drawn;

/* besides as it was drawn, each fourth is pushed, and one with interfaces has one more scheme and
 * one more option, in turn */
static int list_generated(system_name *names) {
  int count = 0, turn = 0;
  for (size_t r = 0; r < sizeof SEEDS_OF / sizeof *SEEDS_OF; r++) {
    for (int k = 0; k < SEEDS_OF[r].count; k++) {
      const int seed = SEEDS_OF[r].first + k;
      snprintf(names[count++], NAME_BYTES, "generate/%d", seed);
      if (k % 4 == 0) snprintf(names[count++], NAME_BYTES, "generate/%d pushed", seed);
      draw_mechanism(&drawn, (uint64_t)seed);
      if (!(features_of(&drawn) & HAS_PARTS)) continue;
      snprintf(names[count++], NAME_BYTES, "generate/%d %s", seed,
               flg_coupling_words[turn % FLG_COUPLING_COUNT]);
      snprintf(names[count++], NAME_BYTES, "generate/%d %s", seed, OPTIONS[turn++ % OPTION_COUNT]);
    }
  }
  return count;
}

int list_systems(system_name *names) {
  int count = list_generated(names);
  for (size_t k = 0; k < sizeof SCENARIOS / sizeof *SCENARIOS; k++) {
    char message[MESSAGE_BYTES];
    snprintf(names[count++], NAME_BYTES, "%s", SCENARIOS[k]);
    snprintf(names[count++], NAME_BYTES, "%s pushed", SCENARIOS[k]);
    flg_simulation *simulation = load_system(SCENARIOS[k], message);
    const int interfaces = flg_simulation_interface_count(simulation);
    flg_simulation_release(simulation);
    for (int s = 0; s < FLG_COUPLING_COUNT && interfaces > 0; s++)
      snprintf(names[count++], NAME_BYTES, "%s %s", SCENARIOS[k], flg_coupling_words[s]);
  }
  for (size_t k = 0; k < sizeof STEPPED / sizeof *STEPPED; k++) {
    for (size_t i = 0; i < sizeof STEPPED_BY / sizeof *STEPPED_BY; i++)
      snprintf(names[count++], NAME_BYTES, "%s subsystems.%s.integrator=%s", STEPPED[k].path,
               STEPPED[k].subsystem, STEPPED_BY[i]);
  }
  return count;
}

bool is_pushed(const char *name) {
  const char *blank = strchr(name, ' ');
  return blank != NULL && strcmp(blank + 1, "pushed") == 0;
}

/* NULL: it is as in its file */
static const char *override_of(const char *name, char option[NAME_BYTES]) {
  const char *blank = strchr(name, ' ');
  if (blank == NULL || is_pushed(name)) return NULL;
  snprintf(option, NAME_BYTES, "%s%s",
           strchr(blank, '=') != NULL ? "" : "coupling.scheme=", blank + 1);
  return option;
}

flg_simulation *load_system(const char *name, char message[MESSAGE_BYTES]) {
  static flg_mistakes mistakes;
  char path[NAME_BYTES], option[NAME_BYTES];
  flg_simulation *simulation = NULL;
  const char *override = override_of(name, option);
  snprintf(path, sizeof path, "%.*s", (int)strcspn(name, " "), name);
  message[0] = 0;
  if (strncmp(path, "generate/", 9) == 0) {
    draw_mechanism(&drawn, strtoull(path + 9, NULL, 10));
    load_mechanism(&drawn, override, &simulation, message);
    return simulation;
  }
  mistakes = (flg_mistakes){0};
  flg_simulation_load(&simulation, path, &override, override != NULL, &mistakes);
  if (simulation == NULL) flg_mistake_text(&mistakes.list[0], message, MESSAGE_BYTES);
  return simulation;
}
