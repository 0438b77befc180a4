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
    "tests/slides/parallel.yaml",
    "tests/slides/root.yaml",
    "tests/slides/sequential.yaml",
    "tests/trusses/three.yaml",
    "tests/trusses/two.yaml",
};

static mechanism drawn;

/* besides the scheme that it was drawn with, a system with interfaces has one more, in turn */
static int list_generated(system_name *names) {
  int count = 0, turn = 0;
  for (size_t r = 0; r < sizeof SEEDS_OF / sizeof *SEEDS_OF; r++) {
    for (int k = 0; k < SEEDS_OF[r].count; k++) {
      const int seed = SEEDS_OF[r].first + k;
      snprintf(names[count++], NAME_BYTES, "generate/%d", seed);
      draw_mechanism(&drawn, (uint64_t)seed);
      if (!(features_of(&drawn) & HAS_PARTS)) continue;
      snprintf(names[count++], NAME_BYTES, "generate/%d %s", seed,
               flg_coupling_words[turn++ % FLG_COUPLING_COUNT]);
    }
  }
  return count;
}

int list_systems(system_name *names) {
  int count = list_generated(names);
  for (size_t k = 0; k < sizeof SCENARIOS / sizeof *SCENARIOS; k++) {
    char message[MESSAGE_BYTES];
    snprintf(names[count++], NAME_BYTES, "%s", SCENARIOS[k]);
    flg_simulation *simulation = load_system(SCENARIOS[k], message);
    const int interfaces = flg_simulation_interface_count(simulation);
    flg_simulation_release(simulation);
    for (int s = 0; s < FLG_COUPLING_COUNT && interfaces > 0; s++)
      snprintf(names[count++], NAME_BYTES, "%s %s", SCENARIOS[k], flg_coupling_words[s]);
  }
  return count;
}

flg_simulation *load_system(const char *name, char message[MESSAGE_BYTES]) {
  static flg_mistakes mistakes;
  char path[NAME_BYTES], option[NAME_BYTES];
  flg_simulation *simulation = NULL;
  const char *blank = strchr(name, ' '), *override = blank != NULL ? option : NULL;
  snprintf(path, sizeof path, "%.*s", (int)strcspn(name, " "), name);
  if (blank != NULL) snprintf(option, sizeof option, "coupling.scheme=%s", blank + 1);
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
