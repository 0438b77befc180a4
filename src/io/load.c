/* load.c - from a scenario file to a simulation that is ready to run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "cosim/simulation.h"
#include "io/document.h"
#include "io/model_yaml.h"
#include "io/scenario.h"
#include "io/yaml.h"

/* a scenario that names the same joint twice, or one that is not there, is told so */
static const flg_link *link_named(const flg_robot_subsystem *subsystem, const flg_origin *origin,
                                  flg_region *region, flg_mistakes *mistakes) {
  const flg_model *model = subsystem->model;
  const int joint = flg_model_joint(model, origin->name);
  if (joint >= 0 && subsystem->robot.joint_links[joint] >= 0) {
    return &subsystem->robot.links[subsystem->robot.joint_links[joint]];
  }
  const char **words = flg_region_take(region, (size_t)model->joint_count, sizeof *words);
  if (words == NULL) return NULL;
  for (int k = 0; k < model->joint_count; k++) words[k] = model->joints[k].name;
  const char *close = flg_closest_word(origin->name, words, model->joint_count);
  flg_mistake_add(mistakes, FLG_ERR_INPUT, origin->place, "'%s' has no moving joint '%s'%s%s%s",
                  subsystem->options.name, origin->name, close == NULL ? "" : "; did you mean '",
                  close == NULL ? "" : close, close == NULL ? "" : "'?");
  return NULL;
}

static void set_values(flg_robot_subsystem *subsystem, const flg_items *items, bool positions,
                       flg_region *region, flg_mistakes *mistakes) {
  const flg_value *values = items->items;
  for (int k = 0; k < items->count; k++) {
    const flg_link *link = link_named(subsystem, &values[k].origin, region, mistakes);
    if (link == NULL) continue;
    const int count =
        positions ? flg_joint_kind_positions(link->kind) : flg_joint_kind_velocities(link->kind);
    if (values[k].numbers.count != count) {
      flg_mistake_add(mistakes, FLG_ERR_INPUT, values[k].origin.place,
                      "joint '%s' has %d %s, found %d", values[k].origin.name, count,
                      positions ? "positions" : "velocities", values[k].numbers.count);
      continue;
    }
    double *to = positions ? flg_robot_subsystem_positions(subsystem) + link->position
                           : flg_robot_subsystem_velocities(subsystem) + link->velocity;
    memcpy(to, values[k].numbers.values, (size_t)count * sizeof *to);
  }
}

static void load_subsystem(flg_simulation *simulation, const flg_scenario *scenario, int index,
                           flg_mistakes *mistakes) {
  const flg_subsystem_keys *keys = (const flg_subsystem_keys *)scenario->subsystems.items + index;
  flg_model *model = flg_region_take(&simulation->region, 1, sizeof *model);
  if (model == NULL) return;
  const int before = mistakes->count;
  flg_model_read_yaml(model, keys->model, keys->origin.place, &simulation->region, mistakes);
  if (mistakes->count > before) return;
  const double *gravity = isnan(keys->gravity[0]) ? scenario->gravity : keys->gravity;
  const flg_robot_options options = {.name = keys->origin.name,
                                     .integrator = &flg_integrators[keys->integrator],
                                     .gravity = flg_vec3_load(gravity)};
  flg_robot_subsystem *subsystem = &simulation->subsystems[index];
  if (flg_robot_subsystem_build(subsystem, model, &options, mistakes) != FLG_OK) return;
  set_values(subsystem, &keys->initial, true, &simulation->region, mistakes);
  set_values(subsystem, &keys->initial_velocity, false, &simulation->region, mistakes);
  flg_robot_normalise(&subsystem->robot, flg_robot_subsystem_positions(subsystem));
}

static void load_steps(flg_simulation *simulation, const flg_scenario *scenario, int index,
                       flg_mistakes *mistakes) {
  const flg_subsystem_keys *keys = (const flg_subsystem_keys *)scenario->subsystems.items + index;
  const double step = isnan(keys->step) ? scenario->time.macro : keys->step;
  const int64_t count = flg_steps_in(scenario->time.macro, step, "a step", "the macro step",
                                     keys->origin.place, mistakes);
  if (count > 1000000000) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "step: %g s is too small for a macro step of %g s", step, scenario->time.macro);
  }
  simulation->micro_steps[index] = (int)count;
}

static void load_signals(flg_simulation *simulation, const flg_scenario *scenario,
                         flg_mistakes *mistakes) {
  for (int k = 0; k < scenario->record.count; k++) {
    const flg_origin *name = &scenario->record.items[k];
    flg_signal *signal = &simulation->signals[k];
    const flg_status status = flg_recorded_find(
        &simulation->recorded[k], signal, name->name, name->place, simulation->subsystems,
        simulation->subsystem_count, &simulation->region, mistakes);
    if (status == FLG_OK) simulation->width += signal->width;
  }
  simulation->signal_count = scenario->record.count;
}

static bool lay_out(flg_simulation *simulation, const flg_scenario *scenario) {
  flg_region *region = &simulation->region;
  const size_t parts = (size_t)scenario->subsystems.count;
  const size_t signals = (size_t)scenario->record.count;
  simulation->subsystems = flg_region_take(region, parts, sizeof *simulation->subsystems);
  simulation->micro_steps = flg_region_take(region, parts, sizeof *simulation->micro_steps);
  simulation->signals = flg_region_take(region, signals, sizeof *simulation->signals);
  simulation->recorded = flg_region_take(region, signals, sizeof *simulation->recorded);
  return !region->failed;
}

static void load(flg_simulation *simulation, const char *path, const char *const *overrides,
                 int override_count, flg_mistakes *mistakes) {
  flg_region *region = &simulation->region;
  flg_scenario scenario = {0};
  flg_scenario_read(&scenario, path, overrides, override_count, region, mistakes);
  if (mistakes->count > 0 || !lay_out(simulation, &scenario)) return;
  size_t length;
  simulation->name = scenario.name;
  simulation->text =
      flg_file_read(region, path, FLG_YAML_MAX_FILE_BYTES, (flg_place){0}, &length, mistakes);
  simulation->macro = scenario.time.macro;
  simulation->macro_steps = flg_steps_in(scenario.time.end, scenario.time.macro, "a macro step",
                                         "the time", scenario.time.origin.place, mistakes);
  simulation->subsystem_count = scenario.subsystems.count;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    load_steps(simulation, &scenario, k, mistakes);
    load_subsystem(simulation, &scenario, k, mistakes);
  }
  if (mistakes->count == 0) load_signals(simulation, &scenario, mistakes);
  if (mistakes->count == 0) flg_simulation_start(simulation);
}

flg_status flg_simulation_load(flg_simulation **simulation, const char *path,
                               const char *const *overrides, int override_count,
                               flg_mistakes *mistakes) {
  flg_simulation *loaded = calloc(1, sizeof *loaded);
  if (loaded == NULL) {
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  load(loaded, path, overrides, override_count, mistakes);
  if (loaded->region.failed && mistakes->count == 0) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){.file = path}, "no memory left");
  }
  if (mistakes->count > 0) {
    flg_simulation_release(loaded);
    return mistakes->status;
  }
  *simulation = loaded;
  return FLG_OK;
}
