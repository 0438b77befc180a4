/* plugins.h - scenarios with the plug-ins of cmake/plugins.cmake, for tests. */
#ifndef FLG_TESTS_PLUGINS_H
#define FLG_TESTS_PLUGINS_H

#include "files.h"
#include "flange/simulation.h"

#define PLUGIN(name) PLUGIN_FOLDER "/" name ".so"

/* A chain of three masses on its own. */
static const char plugin_chain[] =
    "flange: 1\ntime: {end: 1, macro: 0.04}\n"
    "subsystems:\n  a:\n    plugin: " PLUGIN("mass_spring")
    "\n    step: 0.004\n    at: [1, 2, 3]\n    turn: [0.3, 0, 0]\n"
    "    parameters: {masses: 3, mass: 2, stiffness: 50, damping: 0.1, length: 0.5}\n";

/* A cube that is thrown on the ground. */
static const char plugin_cube[] =
    "flange: 1\ntime: {end: 1, macro: 0.04}\n"
    "ground: {shapes: [{kind: plane, friction: 0.3, restitution: 0.6}]}\n"
    "subsystems:\n  a:\n    plugin: " PLUGIN("body")
    "\n    step: 0.004\n    at: [1, 2, 0.1]\n    turn: [0.3, 0.2, 0]\n"
    "    parameters: {mass: 2, size: 0.1, cube: 1, velocity: [1, 0, -2], spin: [0, 3, 1]}\n";

/* The mistakes that a scenario has, all in one text; "" if there are none. */
static inline const char *mistakes_of(const char *scenario, const char *model) {
  static char text[8000];
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  text[0] = '\0';
  test_folder folder = make_folder();
  if (model != NULL) make_file(&folder, "model.yaml", model);
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  remove_folder(&folder);
  for (int k = 0; k < mistakes.count; k++) {
    const size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s\n", mistakes.list[k].message);
  }
  flg_simulation_release(simulation);
  return text;
}

#endif
