#include "compose/assemblies.h"

#include <math.h>
#include <string.h>

#include "compose/contact_options.h"
#include "compose/making.h"
#include "compose/plugins.h"
#include "flatten/component_builder.h"
#include "flatten/stations.h"

bool flg_compose_is_component(const flg_loader *loader, const flg_subsystem_keys *keys) {
  return loader->source.ops->is_component(loader->source.self, keys->model);
}

/* one component file by itself, and what is around it */
static void build_alone(const flg_loader *loader, const flg_component_use *use,
                        flg_component *component) {
  *component = (flg_component){.name = use->path, .file = use->path};
  flg_component_builder *build = flg_component_builder_begin(use->path, use->path, loader->source,
                                                             loader->region, loader->mistakes);
  if (build == NULL) return;
  flg_component_builder_fill(build, use);
  flg_component_builder_surround(build, use->around);
  flg_component_builder_finish(build, component);
}

/* --- how it steps -------------------------------------------------------------------------------
 */

static flg_scheme scheme_of(const flg_loader *loader, flg_stepping stepping,
                            const flg_origin *origin) {
  switch (stepping) {
    case FLG_STEPPING_RK4:
      return FLG_SCHEME_RK4;
    case FLG_STEPPING_SEMI_IMPLICIT:
      return FLG_SCHEME_SEMI_IMPLICIT;
    case FLG_STEPPING_ADAPTIVE:
    case FLG_STEPPING_LEAPFROG:
      flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, origin->place,
                      "integrator: %s is for robots on their own; '%s' has joints to close: "
                      "take rattle, rk4 or semi-implicit",
                      flg_stepping_words[stepping], origin->name);
      return FLG_SCHEME_RATTLE;
    case FLG_STEPPING_AUTO:
    case FLG_STEPPING_RATTLE:
    default:
      return FLG_SCHEME_RATTLE;
  }
}

/* --- plug-ins -----------------------------------------------------------------------------------
 */

static const flg_subsystem_keys *component_keys_of(const flg_loader *loader, int subsystem) {
  return (const flg_subsystem_keys *)loader->scenario->subsystems.items + subsystem;
}

/* the group that stands in for a subsystem, and the first body in it */
static flg_subsystem_insert insert_of(const flg_making *make, int subsystem) {
  const flg_component *component = make->component;
  const flg_origin *origin = &component_keys_of(make->loader, subsystem)->origin;
  flg_subsystem_insert insert = {.subsystem = &make->loaded[subsystem], .place = origin->place};
  while (strcmp(component->groups[insert.group].name, origin->name) != 0) insert.group++;
  while (component->bodies[insert.first_body].group != insert.group) insert.first_body++;
  return insert;
}

static void insert_plugins(flg_making *make) {
  const int count = make->loader->scenario->subsystems.count;
  flg_subsystem_insert *list = flg_region_take(make->loader->region, (size_t)count, sizeof *list);
  for (int k = 0; k < count && list != NULL; k++) {
    if (make->loaded[k].ops == NULL) continue;
    list[make->options.insert_count++] = insert_of(make, k);
  }
  make->options.inserts = list;
}

static void refuse_assembly_key(const flg_loader *loader, const flg_subsystem_keys *keys,
                                const char *key, int count, const char *instead) {
  if (count == 0) return;
  flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                  "subsystem '%s' is a component and takes no key '%s'; %s", keys->origin.name, key,
                  instead);
}

static void refuse_keys_of_robots(const flg_loader *loader, const flg_subsystem_keys *keys) {
  const char *start = "its file says where bodies and robots start",
             *robots = "its file says it of robots in it";
  refuse_assembly_key(
      loader, keys, "base", keys->robot.base == FLG_BASE_FLOATING,
      "its bodies float but for joints and 'fixed: true', and robots in it have the key");
  refuse_assembly_key(loader, keys, "armature", keys->robot.armature.count, robots);
  refuse_assembly_key(loader, keys, "configurations", keys->robot.configurations.count, robots);
  refuse_assembly_key(loader, keys, "initial", keys->robot.initial.count, start);
  refuse_assembly_key(loader, keys, "initial_velocity", keys->robot.initial_velocity.count, start);
  refuse_assembly_key(loader, keys, "controllers", keys->controllers.count,
                      "make the robot that it drives a subsystem and join the two by an interface");
  refuse_assembly_key(loader, keys, "forces", keys->forces.count, "its file has forces of its own");
  refuse_assembly_key(loader, keys, "flexible", keys->robot.flexible.count,
                      "its file says it of bodies and robots in it");
}

static flg_coordinates coordinates_of(const flg_loader *loader, const flg_subsystem_keys *keys) {
  return loader->unreduced ? FLG_COORDINATES_ABSOLUTE : (flg_coordinates)keys->coordinates;
}

static flg_component_use use_of(const flg_subsystem_keys *keys) {
  return (flg_component_use){.path = keys->model,
                             .asked_at = keys->origin.place,
                             .pose = flg_placement_pose(&keys->placement),
                             .parameters = keys->parameters};
}

void flg_compose_component(const flg_loader *loader, const flg_subsystem_keys *keys,
                           const flg_anchor *outer_ports, int outer_port_count,
                           flg_subsystem *subsystem) {
  const int before = loader->mistakes->count;
  flg_component *component = flg_region_take(loader->region, 1, sizeof *component);
  if (component == NULL) return;
  refuse_keys_of_robots(loader, keys);
  const flg_surroundings around = flg_compose_surroundings(loader, keys);
  flg_component_use use = use_of(keys);
  use.around = &around;
  build_alone(loader, &use, component);
  flg_component_add_stations(component, outer_ports, outer_port_count, loader->region);
  flg_making make = {
      .loader = loader,
      .origin = keys->origin,
      .assemble = keys->assemble,
      .coordinates = coordinates_of(loader, keys),
      .start = {.geometry = keys->geometry_tolerance,
                .strict = keys->strict,
                .notices = loader->notices},
      .component = component,
      .contacts = flg_compose_contacts_options(loader, keys),
      .options = {.scheme = scheme_of(loader, (flg_stepping)keys->integrator, &keys->origin),
                  .adapts = keys->integrator == FLG_STEPPING_AUTO,
                  .leaps = loader->leaps,
                  .norm = (flg_norm)keys->projection,
                  .form = (flg_elimination_form)keys->elimination,
                  .gravity = flg_compose_gravity(loader, keys),
                  .reduces = keys->reduce == FLG_REDUCE_AUTO && !loader->unreduced,
                  .outer_ports = outer_ports,
                  .outer_port_count = outer_port_count}};
  make.step = isnan(keys->step) ? loader->scenario->time.macro : keys->step;
  if (loader->mistakes->count > before || !flg_making_welds(&make)) return;
  flg_making_run(&make, subsystem);
  while (flg_making_is_stiff(&make, subsystem)) flg_making_run(&make, subsystem);
  flg_making_compile(&make, keys, subsystem);
}

/* --- a plug-in that touches ---------------------------------------------------------------------
 */

static flg_component *surround_plugin(const flg_loader *loader, const flg_subsystem_keys *keys,
                                      const flg_subsystem *plugin) {
  const int before = loader->mistakes->count;
  const char *file = flg_plugged_subsystem_path(flg_subsystem_plugin(plugin));
  flg_component *component = flg_region_take(loader->region, 1, sizeof *component);
  flg_component_builder *builder = flg_component_builder_begin(
      keys->origin.name, file, loader->source, loader->region, loader->mistakes);
  if (component == NULL || builder == NULL) return NULL;
  const flg_surroundings around = flg_compose_surroundings(loader, keys);
  const flg_port_list ports = flg_compose_plugin_list(loader, keys, flg_subsystem_plugin(plugin));
  flg_component_builder_add_ports(builder, &keys->origin, &ports);
  flg_component_builder_surround(builder, &around);
  flg_component_builder_finish(builder, component);
  return loader->mistakes->count == before ? component : NULL;
}

void flg_compose_touching_plugin(const flg_loader *loader, const flg_subsystem_keys *keys,
                                 const flg_anchor *outer_ports, int outer_port_count,
                                 flg_subsystem *subsystem) {
  flg_subsystem *plugin = flg_region_take(loader->region, 1, sizeof *plugin);
  flg_subsystem_insert *insert = flg_region_take(loader->region, 1, sizeof *insert);
  if (plugin == NULL || insert == NULL) return;
  *plugin = *subsystem, *subsystem = (flg_subsystem){0};
  *insert = (flg_subsystem_insert){.subsystem = plugin, .place = keys->origin.place};
  flg_compose_plugin_ports(loader, keys, plugin);
  flg_making make = {.loader = loader,
                     .origin = keys->origin,
                     .component = surround_plugin(loader, keys, plugin),
                     .coordinates = FLG_COORDINATES_ABSOLUTE,
                     .contacts = flg_compose_contacts_options(loader, keys),
                     .options = flg_assembly_default()};
  make.options.scheme = FLG_SCHEME_SEMI_IMPLICIT;
  make.options.inserts = insert, make.options.insert_count = 1;
  make.options.outer_ports = outer_ports, make.options.outer_port_count = outer_port_count;
  if (make.component != NULL) flg_making_run(&make, subsystem);
  if (subsystem->ops == NULL) flg_subsystem_release(plugin);
}

/* --- all subsystems as one ----------------------------------------------------------------------
 */

static void add_subsystem(const flg_loader *loader, const flg_subsystem_keys *keys,
                          const flg_subsystem *loaded, flg_component_builder *builder) {
  if (keys->plugin != NULL) {
    if (loaded == NULL) return;
    const flg_port_list ports = flg_compose_plugin_list(loader, keys, flg_subsystem_plugin(loaded));
    flg_component_builder_add_ports(builder, &keys->origin, &ports);
    return;
  }
  if (flg_compose_is_component(loader, keys)) {
    refuse_keys_of_robots(loader, keys);
    const flg_component_use use = use_of(keys);
    flg_component_builder_add_file(builder, &keys->origin, &use);
    return;
  }
  const flg_component_robot_keys robot = {.origin = keys->origin,
                                          .model = keys->model,
                                          .placement = keys->placement,
                                          .robot = keys->robot};
  flg_component_builder_add_robot(builder, &robot);
}

/* gears last, since they may name other interfaces */
static void add_interfaces(const flg_loader *loader, bool with_plugins,
                           flg_component_builder *builder) {
  const flg_scenario *scenario = loader->scenario;
  const flg_component_joint_keys *keys = scenario->interfaces.items;
  for (int gears = 0; gears < 2; gears++) {
    for (int k = 0; k < scenario->interfaces.count; k++) {
      if (!with_plugins && flg_compose_joins_plugin(loader, &keys[k])) continue;
      const bool gear = flg_constraint_kinds[keys[k].kind].couples;
      if (gear == (gears == 1)) flg_component_builder_add_joint(builder, &keys[k]);
    }
  }
}

/* the gravity of its subsystem, for each body that has none of its own */
static void set_gravity(const flg_loader *loader, flg_component *component) {
  for (int k = 0; k < component->body_count; k++) {
    flg_component_body *body = &component->bodies[k];
    if (isnan(body->gravity.x))
      body->gravity = flg_compose_gravity_around(loader, component, body->group);
  }
}

/* of robots on their own: there, leapfrog is what auto is here */
static bool is_said(int stepping) {
  return stepping != FLG_STEPPING_AUTO && stepping != FLG_STEPPING_LEAPFROG;
}

/* what the subsystems say of a choice, if all that say something say the same */
static flg_stepping stepping_of_all(const flg_scenario *scenario) {
  if (scenario->coupling.integrator != FLG_STEPPING_AUTO) {
    return (flg_stepping)scenario->coupling.integrator;
  }
  const flg_subsystem_keys *keys = scenario->subsystems.items;
  int agreed = FLG_STEPPING_AUTO;
  for (int k = 0; k < scenario->subsystems.count; k++) {
    if (!is_said(keys[k].integrator)) continue;
    if (agreed != FLG_STEPPING_AUTO && agreed != keys[k].integrator) return FLG_STEPPING_AUTO;
    agreed = keys[k].integrator;
  }
  return (flg_stepping)agreed;
}

static double step_of_all(const flg_scenario *scenario) {
  double step = scenario->coupling.step;
  const flg_subsystem_keys *keys = scenario->subsystems.items;
  for (int k = 0; k < scenario->subsystems.count && isnan(scenario->coupling.step); k++) {
    step = fmin(step, keys[k].step); /* of a number and NaN, the number */
  }
  return step;
}

/* joint if one asks for it and none for absolute ones */
static flg_coordinates coordinates_of_all(const flg_loader *loader) {
  const flg_subsystem_keys *keys = loader->scenario->subsystems.items;
  flg_coordinates agreed = FLG_COORDINATES_AUTO;
  for (int k = 0; k < loader->scenario->subsystems.count; k++) {
    const flg_coordinates own = coordinates_of(loader, &keys[k]);
    if (own == FLG_COORDINATES_ABSOLUTE) return own;
    if (own == FLG_COORDINATES_JOINT) agreed = own;
  }
  return agreed;
}

/* options that any of the subsystems asks for */
static flg_making gather_options(const flg_loader *loader) {
  const flg_scenario *scenario = loader->scenario;
  const bool is_whole = flg_coupling_schemes[scenario->coupling.scheme]->is_whole;
  flg_making make = {.loader = loader,
                     .origin = {scenario->name, scenario->coupling.origin.place},
                     .joined = true,
                     .start = {.notices = loader->notices},
                     .options = flg_assembly_default()};
  make.options.reduces = is_whole && !loader->unreduced;
  /* where subsystems stay apart it finds their start alone */
  make.coordinates = is_whole ? coordinates_of_all(loader) : FLG_COORDINATES_ABSOLUTE;
  const flg_subsystem_keys *keys = scenario->subsystems.items;
  for (int k = 0; k < scenario->subsystems.count; k++) {
    make.assemble |= keys[k].assemble;
    if (keys[k].reduce == FLG_REDUCE_NONE) make.options.reduces = false;
    make.start.strict |= keys[k].strict;
    make.start.geometry = fmax(make.start.geometry, keys[k].geometry_tolerance);
    if (keys[k].projection != FLG_NORM_MASS) make.options.norm = FLG_NORM_EUCLIDEAN;
    if (keys[k].elimination != FLG_FORM_ADMITTANCE) make.options.form = FLG_FORM_ROOT;
  }
  const flg_stepping stepping = stepping_of_all(scenario);
  make.options.scheme = scheme_of(loader, stepping, &make.origin);
  /* otherwise it takes no step */
  make.options.adapts = stepping == FLG_STEPPING_AUTO || !is_whole;
  make.contacts = flg_compose_contacts_of_all(loader);
  make.options.gravity = flg_vec3_load(scenario->gravity);
  return make;
}

flg_component *flg_compose_joined(const flg_loader *loader, const flg_subsystem *loaded) {
  const flg_scenario *scenario = loader->scenario;
  const int before = loader->mistakes->count;
  flg_component *component = flg_region_take(loader->region, 1, sizeof *component);
  flg_component_builder *builder =
      flg_component_builder_begin(scenario->name, scenario->origin.place.file, loader->source,
                                  loader->region, loader->mistakes);
  if (component == NULL || builder == NULL) return NULL;
  const flg_subsystem_keys *keys = scenario->subsystems.items;
  for (int k = 0; k < scenario->subsystems.count; k++) {
    const flg_surroundings around = flg_compose_surroundings(loader, &keys[k]);
    add_subsystem(loader, &keys[k], loaded == NULL ? NULL : &loaded[k], builder);
    flg_component_builder_surround(builder, &around);
  }
  add_interfaces(loader, loaded != NULL, builder);
  flg_component_builder_finish(builder, component);
  if (loader->mistakes->count > before) return NULL;
  set_gravity(loader, component);
  return component;
}

static bool component_has_plugins(const flg_loader *loader) {
  for (int k = 0; k < loader->scenario->subsystems.count; k++) {
    if (component_keys_of(loader, k)->plugin != NULL) return true;
  }
  return false;
}

static void release_plugins(const flg_loader *loader, flg_subsystem *loaded) {
  for (int k = 0; k < loader->scenario->subsystems.count && loaded != NULL; k++) {
    flg_subsystem_release(&loaded[k]);
  }
}

/* NULL with a mistake */
static flg_subsystem *load_plugins(const flg_loader *loader) {
  const int count = loader->scenario->subsystems.count, before = loader->mistakes->count;
  flg_subsystem *loaded = flg_region_take(loader->region, (size_t)count, sizeof *loaded);
  for (int k = 0; k < count && loaded != NULL; k++) {
    if (component_keys_of(loader, k)->plugin == NULL) continue;
    flg_compose_plugin(loader, component_keys_of(loader, k), &loaded[k]);
    if (loaded[k].ops != NULL)
      flg_compose_plugin_ports(loader, component_keys_of(loader, k), &loaded[k]);
  }
  if (loader->mistakes->count == before) return loaded;
  release_plugins(loader, loaded);
  return NULL;
}

static void make_whole(flg_making *make, flg_subsystem *subsystem) {
  const flg_loader *loader = make->loader;
  if (component_has_plugins(loader)) {
    make->loaded = load_plugins(loader);
    if (make->loaded == NULL) return;
  }
  make->component = flg_compose_joined(loader, make->loaded);
  if (make->component != NULL && make->loaded != NULL) insert_plugins(make);
  if (make->component != NULL && flg_making_welds(make)) flg_making_run(make, subsystem);
  if (subsystem->ops == NULL) release_plugins(loader, make->loaded);
}

double flg_compose_whole(const flg_loader *loader, flg_subsystem *subsystem) {
  flg_making make = gather_options(loader);
  const double step = step_of_all(loader->scenario);
  if (!loader->is_coupled) make.step = isnan(step) ? loader->scenario->time.macro : step;
  make_whole(&make, subsystem);
  while (flg_making_is_stiff(&make, subsystem)) {
    make.options.inserts = NULL, make.options.insert_count = 0;
    make_whole(&make, subsystem);
  }
  flg_compose_check_memory(loader);
  if (!loader->is_coupled) flg_making_compile(&make, NULL, subsystem);
  return step;
}
