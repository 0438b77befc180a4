/* load.c - from a scenario file to a simulation that is ready to run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/check_coupling.h"
#include "io/file_source.h"
#include "io/load.h"
#include "io/scenario.h"
#include "text/document.h"
#include "text/yaml.h"

/* the scenario as it was written, and what the command line changed */
static void load_text(flg_simulation *simulation, const char *path, const char *const *overrides,
                      int override_count, const flg_load_options *options, flg_mistakes *mistakes) {
  flg_region *region = &simulation->region;
  size_t length;
  simulation->text = options->text != NULL ? flg_region_text(region, options->text, options->length)
                                           : flg_file_read(region, path, FLG_LIMIT_TEXT,
                                                           (flg_place){0}, &length, mistakes);
  for (int k = 0; k < override_count && simulation->text != NULL; k++) {
    const char *text = flg_override_text(region, overrides[k]);
    simulation->text = flg_region_format(region, "%s# %s\n", simulation->text, text);
  }
}

/* a scenario around a component that has none */
static void stand_alone(flg_scenario *scenario, const char *path, flg_region *region) {
  flg_subsystem_keys *keys = flg_region_take(region, 1, sizeof *keys);
  if (keys == NULL) return;
  *keys = (flg_subsystem_keys){.origin = {"component", {.file = path}},
                               .model = path,
                               .step = NAN,
                               .gravity = {NAN, NAN, NAN},
                               .contacts = {.correction = NAN}};
  *scenario = (flg_scenario){.origin = {path, {.file = path}},
                             .name = path,
                             .time = {.end = 1, .macro = 1},
                             .subsystems = {1, keys},
                             .coupling = {.step = NAN},
                             .contacts = {.correction = NAN}};
}

static int longer_first(const void *a, const void *b) {
  const double *one = a, *other = b;
  return (*one < *other) - (*one > *other);
}

/* macro steps that a comparison would run with */
static void check_compared(const flg_scenario *scenario, flg_region *region,
                           flg_mistakes *mistakes) {
  const flg_compare_keys *keys = &scenario->compare;
  const size_t count = (size_t)keys->macro.count;
  if (count == 0 || mistakes->count > 0) return;
  double *macros = flg_region_take(region, count, sizeof *macros);
  if (macros == NULL) return;
  memcpy(macros, keys->macro.values, count * sizeof *macros);
  qsort(macros, count, sizeof *macros, longer_first);
  flg_check_macros(scenario, macros, (int)count, keys->origin.place, mistakes);
}

bool flg_file_is_component(const char *path, flg_region *region, flg_mistakes *mistakes) {
  flg_file_source *files = flg_file_source_build(region, mistakes, NULL);
  if (files == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){.file = path}, "no memory left");
    return false;
  }
  const flg_source source = flg_file_source_view(files);
  return source.ops->is_component(source.self, path);
}

/* a scenario that is no file, with its own copy of what the caller has */
static void take_scenario(flg_scenario *scenario, const char *path, const char *const *overrides,
                          int override_count, const flg_load_options *options, flg_region *region,
                          flg_mistakes *mistakes) {
  flg_node *root = NULL;
  if (options->root == NULL) {
    const char *text = flg_region_text(region, options->text, options->length);
    if (text == NULL) return;
    root = flg_document_parse(region, path, text, options->length, overrides, override_count,
                              mistakes);
  } else {
    root = flg_node_own(region, options->root);
    if (root != NULL) flg_document_override(region, root, overrides, override_count, mistakes);
  }
  if (root != NULL) flg_scenario_from_node(scenario, path, root, region, mistakes);
}

/* the scenario of the file, or one around the component that it is */
void flg_scenario_load_as(flg_scenario *scenario, const char *path, const char *const *overrides,
                          int override_count, const flg_load_options *options, flg_region *region,
                          flg_mistakes *mistakes) {
  if (options->text != NULL) {
    take_scenario(scenario, path, overrides, override_count, options, region, mistakes);
  } else if (options->component && flg_file_is_component(path, region, mistakes)) {
    stand_alone(scenario, path, region);
  } else {
    flg_scenario_read(scenario, path, overrides, override_count, region, mistakes);
  }
}

static void put_files(flg_file_source *files, const flg_load_options *options, flg_region *region) {
  for (int k = 0; k < options->file_count; k++) {
    const char *path =
        flg_region_text(region, options->files[k].path, strlen(options->files[k].path));
    const flg_node *root = flg_node_own(region, options->files[k].root);
    if (path != NULL && root != NULL) flg_file_source_put(files, path, root);
  }
}

static void load_scenario(flg_simulation *simulation, const char *path,
                          const char *const *overrides, int override_count,
                          flg_load_options options, flg_mistakes *mistakes) {
  flg_region *region = &simulation->region;
  flg_scenario *scenario = flg_region_take(region, 1, sizeof *scenario);
  simulation->notices.region = region;
  flg_file_source *files = flg_file_source_build(region, mistakes, &simulation->notices);
  if (scenario == NULL || files == NULL) return;
  put_files(files, &options, region);
  flg_scenario_load_as(scenario, path, overrides, override_count, &options, region, mistakes);
  if (mistakes->count > 0) return;
  flg_check_couplings(scenario, region, mistakes);
  if (options.compare) check_compared(scenario, region, mistakes);
  load_text(simulation, path, overrides, override_count, &options, mistakes);
  flg_compose(simulation, scenario, flg_file_source_view(files), options.compose, mistakes);
  flg_file_source_release(files);
}

/* what was read into a region that failed has holes: mistakes in it may be none */
static void check_memory(const flg_region *region, const char *path, flg_mistakes *mistakes) {
  if (!region->failed) return;
  *mistakes = (flg_mistakes){0};
  flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){.file = path}, "no memory left");
}

flg_status flg_simulation_load_as(flg_simulation **simulation, const char *path,
                                  const char *const *overrides, int override_count,
                                  flg_load_options options, flg_mistakes *mistakes) {
  flg_mistakes unread = {0};
  if (mistakes == NULL) mistakes = &unread;
  if (simulation == NULL || path == NULL || (overrides == NULL && override_count > 0)) {
    return flg_mistake_add(mistakes, FLG_ERR_USAGE, (flg_place){0},
                           "a simulation is loaded to a place, from a path or a text, with as many "
                           "overrides as are counted; an argument is NULL");
  }
  flg_simulation *loaded = calloc(1, sizeof *loaded);
  if (loaded == NULL) {
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  /* names and places point to it for as long as the simulation lives */
  const char *kept = flg_region_text(&loaded->region, path, strlen(path));
  if (kept != NULL) load_scenario(loaded, kept, overrides, override_count, options, mistakes);
  check_memory(&loaded->region, path, mistakes);
  if (mistakes->count > 0) {
    flg_simulation_release(loaded);
    return mistakes->status;
  }
  *simulation = loaded;
  return FLG_OK;
}

void flg_followed_load(flg_controller *followed, flg_simulation *simulation, const char *path,
                       const flg_robot_subsystem *subsystem, flg_mistakes *mistakes) {
  flg_file_source *files = flg_file_source_build(&simulation->region, mistakes, NULL);
  if (files == NULL) {
    check_memory(&simulation->region, path, mistakes);
    return;
  }
  const flg_loader loader = {
      .source = flg_file_source_view(files), .region = &simulation->region, .mistakes = mistakes};
  flg_compose_followed(&loader, path, subsystem, followed);
  flg_file_source_release(files);
  check_memory(&simulation->region, path, mistakes);
}

void flg_pressures_load(flg_pressures *pressures, flg_simulation *simulation, const char *path,
                        const flg_assembly *assembly, flg_mistakes *mistakes) {
  flg_file_source *files = flg_file_source_build(&simulation->region, mistakes, NULL);
  if (files == NULL) {
    check_memory(&simulation->region, path, mistakes);
    return;
  }
  const flg_loader loader = {
      .source = flg_file_source_view(files), .region = &simulation->region, .mistakes = mistakes};
  flg_compose_pressures(&loader, path, assembly, pressures);
  flg_file_source_release(files);
  check_memory(&simulation->region, path, mistakes);
}
