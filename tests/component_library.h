/* component_library.h - libraries of components (`flange compile`) from texts, for tests. */
#ifndef FLG_TESTS_COMPONENT_LIBRARY_H
#define FLG_TESTS_COMPONENT_LIBRARY_H

#include "assembly/assembly.h"
#include "compile/robot_library.h"
#include "component/assembly_contract.h"
#include "io/load.h"
#include "scenarios.h"

/* Compiles the component of a text; how: of its source all but the component. */
static inline flg_status make_component_library(const char *text, flg_mechanism_source how,
                                                const char *output, flg_mistakes *mistakes) {
  static flg_mechanism_library_made made;
  flg_simulation *simulation = NULL;
  const flg_load_options options = {.component = true};
  const flg_library to = {.output = output};
  test_folder folder = make_folder();
  *mistakes = (flg_mistakes){0};
  const char *path = make_file(&folder, "part.yaml", text);
  flg_status status = flg_simulation_load_as(&simulation, path, NULL, 0, options, mistakes);
  remove_folder(&folder);
  if (status != FLG_OK) return status;
  how.component = flg_assembly_component(flg_subsystem_assembly(&simulation->subsystems[0]));
  status = flg_mechanism_library_build(&how, &to, &made, mistakes);
  flg_simulation_release(simulation);
  return status;
}

static inline void must_make_component_library(const char *text, flg_mechanism_source how,
                                               const char *output) {
  static flg_mistakes mistakes;
  if (make_component_library(text, how, output, &mistakes) != FLG_OK) {
    fail_msg("%s", mistakes.list[0].message);
  }
}

/* A name for a library, in place of one of the same process that was removed. */
static inline void name_library(char *library, size_t capacity) {
  test_folder folder = make_folder();
  snprintf(library, capacity, "%s.so", folder.path);
  remove_folder(&folder);
}

#endif
