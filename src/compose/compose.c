#include "compose/compose.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_watch.h"
#include "base/closest.h"
#include "base/input_limits.h"
#include "component/assembly_contract.h"
#include "component/assembly_start.h"
#include "compose/assemblies.h"
#include "compose/contact_options.h"
#include "compose/coupled_system.h"
#include "compose/coupling_options.h"
#include "compose/events.h"
#include "compose/plugins.h"
#include "compose/recorded_signals.h"
#include "compose/welds.h"
#include "robot/robot_stiffness.h"

/* Micro steps in a macro step at most. Couplings keep what each of them did, and are not
 * interrupted inside of a macro step. */
enum { MICRO_STEPS_MOST = 1000000000, COUPLED_STEPS_MOST = 100000 };

/* micro steps of `step` (NaN: one) in a macro step */
static int count_steps(const flg_scenario *scenario, double step, int most, flg_place place,
                       flg_mistakes *mistakes) {
  const double own = isnan(step) ? scenario->time.macro : step;
  const int64_t count =
      flg_steps_in(scenario->time.macro, own, "a step", "the macro step", place, mistakes);
  if (count <= most) return (int)count;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                  "step: %g s is too small for a macro step of %g s, which has at most %d steps%s",
                  own, scenario->time.macro, most,
                  most == COUPLED_STEPS_MOST ? " in a coupling" : "");
  return 0;
}

/* what is said of a subsystem besides its model */
static void check_subsystem_keys(const flg_subsystem_keys *keys, double step,
                                 flg_mistakes *mistakes) {
  const flg_controller_keys *controllers = keys->controllers.items;
  for (int k = 0; k < keys->controllers.count; k++) {
    if (controllers[k].sample == 0) continue;
    flg_steps_in(controllers[k].sample, step, "a step", "the sample period",
                 controllers[k].origin.place, mistakes);
  }
  if (strpbrk(keys->origin.name, "/.") != NULL) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "the name '%s' of a subsystem may not hold '/' or '.': signals such as "
                    "name/body.position are made of it",
                    keys->origin.name);
  }
}

/* each subsystem on its own */
static void load_apart(const flg_loader *loader, flg_simulation *simulation) {
  const flg_scenario *scenario = loader->scenario;
  simulation->subsystem_count = scenario->subsystems.count;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem_keys *keys = (const flg_subsystem_keys *)scenario->subsystems.items + k;
    simulation->micro_steps[k] =
        count_steps(scenario, keys->step, MICRO_STEPS_MOST, keys->origin.place, loader->mistakes);
    check_subsystem_keys(keys, isnan(keys->step) ? scenario->time.macro : keys->step,
                         loader->mistakes);
    simulation->parts[k] = (flg_part){.name = keys->origin.name, .subsystem = k, .prefix = ""};
    if (keys->plugin != NULL) {
      flg_compose_plugin(loader, keys, &simulation->subsystems[k]);
      if (flg_compose_plugin_touches(&simulation->subsystems[k])) {
        flg_compose_touching_plugin(loader, keys, NULL, 0, &simulation->subsystems[k]);
        simulation->parts[k].prefix = keys->origin.name;
      }
    } else if (flg_compose_is_component(loader, keys)) {
      flg_compose_component(loader, keys, NULL, 0, &simulation->subsystems[k]);
    } else {
      flg_compose_robot(loader, keys, NULL, 0, &simulation->subsystems[k]);
    }
  }
}

/* each on its own, brought together at interfaces */
static void load_coupled(const flg_loader *loader, flg_simulation *simulation) {
  const flg_scenario *scenario = loader->scenario;
  flg_compose_coupled(loader, simulation);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem_keys *keys = (const flg_subsystem_keys *)scenario->subsystems.items + k;
    simulation->micro_steps[k] =
        count_steps(scenario, keys->step, COUPLED_STEPS_MOST, keys->origin.place, loader->mistakes);
    check_subsystem_keys(keys, isnan(keys->step) ? scenario->time.macro : keys->step,
                         loader->mistakes);
  }
  if (loader->mistakes->count == 0 && !loader->region->failed) {
    flg_compose_coupling(loader, simulation);
  }
  if (simulation->coupling != NULL) simulation->telemetry_count = simulation->interface_count;
}

/* all that interfaces join, as one */
static void load_together(const flg_loader *loader, flg_simulation *simulation) {
  const flg_scenario *scenario = loader->scenario;
  simulation->subsystem_count = 1;
  const double step = flg_compose_whole(loader, &simulation->subsystems[0]);
  simulation->micro_steps[0] = count_steps(scenario, step, MICRO_STEPS_MOST,
                                           scenario->coupling.origin.place, loader->mistakes);
  for (int k = 0; k < scenario->subsystems.count; k++) {
    const flg_subsystem_keys *keys = (const flg_subsystem_keys *)scenario->subsystems.items + k;
    check_subsystem_keys(keys, isnan(step) ? scenario->time.macro : step, loader->mistakes);
    simulation->parts[k] =
        (flg_part){.name = keys->origin.name, .subsystem = 0, .prefix = keys->origin.name};
  }
  if (loader->mistakes->count == 0 && flg_telemetry_watch(simulation) != FLG_OK) {
    flg_mistake_add(loader->mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
}

/* of one subsystem */
static flg_status tell_stiff(flg_simulation *simulation, int index) {
  const flg_subsystem *subsystem = &simulation->subsystems[index];
  flg_assembly *assembly = flg_subsystem_assembly(subsystem);
  flg_robot_subsystem *robot = flg_subsystem_robot(subsystem);
  const double h = simulation->macro / simulation->micro_steps[index];
  const double slack = simulation->coupling == NULL ? 1.01 : 3;
  const int told = simulation->notices.texts.count;
  flg_status status = FLG_OK;
  if (robot != NULL) status = flg_robot_tell_stiffness(robot, h, slack, &simulation->notices);
  if (assembly != NULL) {
    status = flg_assembly_tell_stiffness(assembly, h, slack, &simulation->notices);
    double grown = 0;
    const bool is_told = simulation->notices.texts.count > told; /* steps are unstable anyhow */
    if (status == FLG_OK && !is_told) {
      status = flg_assembly_tell_signals(assembly, h, simulation->coupling == NULL ? 1 : slack,
                                         &simulation->notices, &grown);
    }
    simulation->growth = fmax(simulation->growth, grown * simulation->micro_steps[index]);
  }
  simulation->is_stiff = simulation->is_stiff || simulation->notices.texts.count > told;
  return status;
}

/* Springs and controllers that steps cannot follow. What is joined to a subsystem makes its springs
 * slower: only springs that are much too fast are reported. */
static void tell_stiffness(flg_simulation *simulation, flg_mistakes *mistakes) {
  for (int k = 0; k < simulation->subsystem_count; k++) {
    if (tell_stiff(simulation, k) == FLG_OK) continue;
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
}

/* Which forces are unique, and how interfaces that are solved as one answer, may take a solve of
 * the whole for each joint. */
static void tell_probes(flg_simulation *simulation) {
  const double most = flg_input_limit_value(FLG_LIMIT_PROBES);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_assembly *assembly = flg_subsystem_assembly(&simulation->subsystems[k]);
    int count = assembly == NULL ? 0 : flg_assembly_asked_forces(assembly);
    if (simulation->coupling == NULL && simulation->telemetry_count > count) {
      count = simulation->telemetry_count;
    }
    if (count <= most) continue;
    flg_notice_add(
        &simulation->notices, simulation->subsystems[k].name,
        "where rows of joints are redundant, or many bodies are joined to one, forces, "
        "rank and condition of %.0f of its %d joints are looked for, as this takes long; "
        "others are NaN; all are with --limit %s=%d",
        most, count, flg_input_limit_name(FLG_LIMIT_PROBES), count);
  }
}

/* Contacts that shapes of all subsystems can have. */
typedef struct touching {
  bool fixed, moves;        /* some can touch, and do not move, or do */
  flg_some_names undecided; /* bodies that move, with shapes of which nothing is said */
  const char *last;
} touching;

static void look_at_shape(touching *seen, const flg_shape *shape, bool is_fixed, const char *body) {
  if (shape->collision) {
    seen->fixed |= is_fixed, seen->moves |= !is_fixed;
  } else if (shape->is_undecided && !is_fixed && body != seen->last) {
    flg_some_names_add(&seen->undecided, body);
    seen->last = body;
  }
}

static void look_at_assembly(touching *seen, const flg_assembly *assembly) {
  const flg_component *component = flg_assembly_component(assembly);
  for (int k = 0; k < component->shape_count; k++) {
    const flg_shape *shape = &component->shapes[k];
    const bool is_world = shape->robot == 0 && shape->body == FLG_WORLD;
    const flg_component_body *body =
        is_world || shape->robot > 0 ? NULL : &component->bodies[shape->body];
    const char *robot = shape->robot > 0 ? component->robots[shape->robot - 1].name : "world";
    look_at_shape(seen, shape, is_world || (body != NULL && body->fixed),
                  body != NULL ? body->name : robot);
  }
}

static void look_at_robot(touching *seen, const flg_model *model) {
  for (int k = 0; k < model->shape_count; k++) {
    const flg_shape *shape = &model->shapes[k];
    const bool is_fixed = shape->body == FLG_WORLD;
    look_at_shape(seen, shape, is_fixed, is_fixed ? "world" : model->bodies[shape->body].name);
  }
}

/* A ground is there to be touched: where nothing that moves can, and shapes do not say why, bodies
 * would fall through it without a word. */
static void tell_untouched(flg_simulation *simulation) {
  touching seen = {0};
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_assembly *assembly = flg_subsystem_assembly(&simulation->subsystems[k]);
    const flg_robot_subsystem *robot = flg_subsystem_robot(&simulation->subsystems[k]);
    if (assembly != NULL) look_at_assembly(&seen, assembly);
    if (robot != NULL) look_at_robot(&seen, robot->model);
  }
  if (!seen.fixed || seen.moves || seen.undecided.count == 0) return;
  flg_notice_add(&simulation->notices, simulation->name,
                 "nothing that moves can touch the ground: shapes of %s are only to be seen; "
                 "'collision: true' or a material lets them touch, 'collision: false' ends this "
                 "warning",
                 flg_some_names_text(&seen.undecided));
}

static bool compose_lay_out(flg_simulation *simulation, const flg_scenario *scenario) {
  flg_region *region = &simulation->region;
  const size_t parts = (size_t)scenario->subsystems.count;
  const int interfaces = scenario->interfaces.count;
  simulation->subsystems = flg_region_take(region, parts, sizeof *simulation->subsystems);
  simulation->micro_steps = flg_region_take(region, parts, sizeof *simulation->micro_steps);
  simulation->advanced = flg_region_take(region, parts, sizeof *simulation->advanced);
  simulation->parts = flg_region_take(region, parts, sizeof *simulation->parts);
  simulation->telemetry = flg_region_take(region, (size_t)interfaces, sizeof(flg_telemetry));
  simulation->asked = flg_region_take(region, (size_t)interfaces, 1);
  simulation->interface_names = flg_region_take(region, (size_t)interfaces, sizeof(char *));
  if (region->failed) return false;
  const flg_component_joint_keys *keys = scenario->interfaces.items;
  for (int k = 0; k < interfaces; k++) simulation->interface_names[k] = keys[k].origin.name;
  simulation->interface_name_count = interfaces;
  simulation->interface_index = FLG_INDEX(simulation->interface_names, interfaces, region);
  simulation->part_names = FLG_INDEX((const flg_subsystem_keys *)scenario->subsystems.items,
                                     scenario->subsystems.count, region);
  return !region->failed;
}

void flg_compose(flg_simulation *simulation, const flg_scenario *scenario, flg_source source,
                 flg_compose_options options, flg_mistakes *mistakes) {
  const bool is_whole = flg_coupling_schemes[scenario->coupling.scheme]->is_whole && !options.apart;
  if (!compose_lay_out(simulation, scenario)) return;
  const flg_weld_list welds = flg_compose_list_welds(scenario, &simulation->region);
  if (simulation->region.failed) return;
  const flg_loader loader = {.scenario = scenario,
                             .source = source,
                             .welds = &welds,
                             .subsystem_names = simulation->part_names,
                             .interface_names = simulation->interface_index,
                             .region = &simulation->region,
                             .mistakes = mistakes,
                             .notices = &simulation->notices,
                             .undriven = options.undriven,
                             .assemble = options.assemble,
                             .apart = options.apart,
                             .unreduced = options.unreduced,
                             .compiles = options.compiles,
                             .stepless = options.stepless,
                             .is_coupled = scenario->interfaces.count > 0 && !is_whole,
                             .leaps = flg_compose_leaps(&scenario->coupling)};
  flg_compose_check_models(&loader);
  if (!flg_compose_check_record(scenario, mistakes) || mistakes->count > 0) return;
  simulation->name = scenario->name;
  simulation->is_apart = options.apart;
  simulation->macro = scenario->time.macro;
  simulation->macro_steps = flg_steps_in(scenario->time.end, scenario->time.macro, "a macro step",
                                         "the time", scenario->time.origin.place, mistakes);
  simulation->part_count = scenario->subsystems.count;
  if (scenario->interfaces.count == 0) {
    load_apart(&loader, simulation);
  } else if (is_whole) {
    load_together(&loader, simulation);
  } else {
    load_coupled(&loader, simulation);
  }
  if (simulation->region.failed) return; /* what is not there is not asked */
  if (!options.other_scheme && !options.stepless) flg_compose_tell_unused(&loader);
  if (mistakes->count == 0) flg_compose_check_pairs(&loader);
  if (mistakes->count == 0) flg_compose_events(&loader, simulation);
  if (mistakes->count == 0) flg_compose_signals(simulation, scenario, mistakes);
  if (mistakes->count == 0) tell_probes(simulation);
  if (mistakes->count == 0 && !options.stepless) tell_stiffness(simulation, mistakes);
  if (mistakes->count == 0) tell_untouched(simulation);
  if (mistakes->count == 0) flg_simulation_start(simulation);
  if (mistakes->count == 0) flg_simulation_keep_start(simulation);
}

/* --- parts that are asked for by name ---------------------------------------------------------
 */

static const flg_part *only_part(const flg_simulation *simulation, flg_place place,
                                 flg_mistakes *mistakes) {
  if (simulation->part_count == 1) return &simulation->parts[0];
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                  "the scenario has %d subsystems; say which is meant", simulation->part_count);
  return NULL;
}

static const flg_part *part_named(const flg_simulation *simulation, const char *name,
                                  flg_place place, flg_mistakes *mistakes) {
  const flg_part *part = flg_part_find(simulation, name, strlen(name));
  if (part != NULL) return part;
  char hint[FLG_HINT_TEXT];
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place, "there is no subsystem '%s' in the scenario%s",
                  name, flg_part_hint(simulation, name, mistakes, hint));
  return NULL;
}

static const flg_part *find_named_part(const flg_simulation *simulation, const char *name,
                                       flg_place place, flg_mistakes *mistakes) {
  return name == NULL ? only_part(simulation, place, mistakes)
                      : part_named(simulation, name, place, mistakes);
}

flg_subsystem *flg_compose_subsystem(const flg_simulation *simulation, const char *name,
                                     flg_place place, flg_mistakes *mistakes) {
  const flg_part *part = find_named_part(simulation, name, place, mistakes);
  if (part == NULL) return NULL;
  flg_subsystem *subsystem = flg_part_subsystem(simulation, part);
  if (flg_subsystem_robot(subsystem) != NULL) return subsystem;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                  "subsystem '%s' is no robot of its own; trajectories and their forces need one",
                  part->name);
  return NULL;
}

bool flg_compose_follower(const flg_simulation *simulation, const char *name, flg_place place,
                          flg_follower *found, flg_mistakes *mistakes) {
  const flg_part *part = find_named_part(simulation, name, place, mistakes);
  if (part == NULL) return false;
  const flg_subsystem *subsystem = flg_part_subsystem(simulation, part);
  *found = (flg_follower){.subsystem = part->subsystem,
                          .assembly = flg_subsystem_assembly(subsystem),
                          .subject = flg_subsystem_robot(subsystem)};
  if (found->assembly != NULL) {
    found->robot = flg_component_find_robot(flg_assembly_component(found->assembly), part->name);
    if (found->robot >= 0) {
      found->subject = flg_subsystem_robot(flg_assembly_guest(found->assembly, found->robot));
    }
  }
  if (found->subject != NULL) return true;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                  "subsystem '%s' is no robot; trajectories and their forces need one", part->name);
  return false;
}
