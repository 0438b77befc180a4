#include "compose/assemblies.h"

#include <math.h>
#include <string.h>

#include "component/assembly_contract.h"
#include "component/assembly_freedom.h"
#include "component/assembly_start.h"
#include "compose/compiled.h"
#include "compose/contact_options.h"
#include "compose/plugins.h"
#include "compose/recorded_signals.h"
#include "compose/welds.h"
#include "flatten/component_builder.h"
#include "flatten/joint_values.h"
#include "flatten/stations.h"
#include "forces/force.h"
#include "robot/robot_part.h"
#include "structure/trees.h"

/* Of the length of the system, or of 1 rad: joints that are open by less at the start are closed
 * without a word, since files have so many digits. Of the fastest velocity: velocities that leave
 * the joints by less follow them. */
static const double ROUNDED = 1e-5;

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

/* what a whole is made with, besides its component */
typedef struct making {
  const flg_loader *loader;
  flg_origin origin;
  flg_assembly_options options;
  flg_contacts_options contacts;
  bool assemble;
  flg_coordinates coordinates;
  flg_start_options start;
  bool joined; /* all subsystems are in it, each under its name; else one of them, and no name */
  const flg_component *component;
  flg_robot_subsystem *robots;
  double step;           /* [s]; 0: it takes none */
  flg_subsystem *loaded; /* plug-ins, by the number of their subsystem; NULL: none */
} making;

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

/* of the scenario, if a subsystem has none of its own */
static flg_vec3 assembly_gravity_of(const flg_loader *loader, const flg_subsystem_keys *keys) {
  return flg_vec3_load(isnan(keys->gravity[0]) ? loader->scenario->gravity : keys->gravity);
}

/* --- robots -------------------------------------------------------------------------------------
 */

static const flg_subsystem_keys *assembly_named(const flg_loader *loader, const char *name) {
  const flg_subsystem_keys *keys = loader->scenario->subsystems.items;
  for (int k = 0; k < loader->scenario->subsystems.count; k++) {
    if (strcmp(keys[k].origin.name, name) == 0) return &keys[k];
  }
  return NULL;
}

/* the subsystem that a group belongs to, among those that are joined */
static const flg_subsystem_keys *subsystem_around(const flg_loader *loader,
                                                  const flg_component *component, int group) {
  while (component->groups[group].parent != FLG_TOP) group = component->groups[group].parent;
  return assembly_named(loader, component->groups[group].name);
}

static flg_vec3 gravity_around(const flg_loader *loader, const flg_component *component,
                               int group) {
  return assembly_gravity_of(loader, subsystem_around(loader, component, group));
}

/* One that is a subsystem brings controllers and forces; one inside of a component has neither. */
static void load_robot(const making *make, int index) {
  const flg_component_robot *robot = &make->component->robots[index];
  const bool is_inside = make->joined && robot->group != FLG_TOP;
  const flg_vec3 g = robot->gravity != NULL ? *robot->gravity
                     : is_inside ? gravity_around(make->loader, make->component, robot->group)
                                 : make->options.gravity;
  flg_subsystem_keys keys = {.origin = {robot->name, robot->place},
                             .gravity = {g.x, g.y, g.z},
                             .robot = robot->setup->robot};
  if (make->joined && robot->group == FLG_TOP) {
    keys = *assembly_named(make->loader, robot->name);
  }
  keys.integrator = FLG_STEPPING_SEMI_IMPLICIT; /* the whole steps, not the robot */
  flg_compose_robot_model(make->loader, &keys, robot->model, &make->robots[index]);
}

static bool load_robots(making *make) {
  const int count = make->component->robot_count, before = make->loader->mistakes->count;
  make->robots = flg_region_take(make->loader->region, (size_t)count, sizeof *make->robots);
  if (make->robots == NULL) return false;
  for (int k = 0; k < count; k++) load_robot(make, k);
  return make->loader->mistakes->count == before;
}

static void release_robots(const making *make) {
  for (int k = 0; k < make->component->robot_count && make->robots != NULL; k++) {
    flg_robot_subsystem_release(&make->robots[k]);
  }
}

/* --- joints at the start ------------------------------------------------------------------------
 */

/* all that are open, each with its place in the file */
static void complain_of_open(const making *make, const flg_assembly *assembly) {
  for (int k = 0; k < make->component->joint_count; k++) {
    const flg_component_joint *joint = &make->component->joints[k];
    const flg_closure left = flg_assembly_joint_closure(assembly, k);
    if (left.share <= ROUNDED) continue;
    flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, joint->place,
                    "joint '%s' is open by %.3g (m or rad) at (%.4g, %.4g, %.4g) at the start; "
                    "move its bodies, or give the subsystem 'assemble: true' ('flange check "
                    "--assemble' shows what that would move)",
                    joint->name, left.position, left.where.x, left.where.y, left.where.z);
  }
}

/* held: 0, or infinite where a joint stays */
static void hold_robots(const making *make, double held) {
  for (int k = 0; k < make->component->robot_count; k++) {
    const flg_robot_subsystem *robot = &make->robots[k];
    /* a flexible body moves, but does not bend */
    const int first = make->component->robots[k].is_body ? 6 : 0;
    for (int i = first; i < robot->robot.velocity_count; i++) robot->locked[i] = held;
  }
}

/* Whether bodies alone can close the joints; robots are then where the user wants them. If not, all
 * is as it was. */
static bool close_around_robots(const making *make, flg_assembly *assembly) {
  int count;
  double *state = flg_assembly_state(assembly, &count);
  double *before = flg_region_take(make->loader->region, (size_t)count, sizeof *before);
  if (before == NULL) return false;
  memcpy(before, state, (size_t)count * sizeof *state);
  hold_robots(make, INFINITY);
  const bool closed =
      flg_assembly_close(assembly, NULL) == FLG_OK && flg_assembly_slip(assembly) <= ROUNDED;
  hold_robots(make, 0);
  if (!closed) memcpy(state, before, (size_t)count * sizeof *state);
  return closed;
}

/* positions and velocities of all robots, one after the other; NULL: no memory */
static double *read_robots(const making *make, const flg_assembly *assembly) {
  size_t count = 0;
  for (int k = 0; k < make->component->robot_count; k++) {
    const flg_robot *robot = &make->robots[k].robot;
    count += (size_t)(robot->position_count + robot->velocity_count);
  }
  double *values = flg_region_take(make->loader->region, count, sizeof *values), *to = values;
  for (int k = 0; k < make->component->robot_count && values != NULL; k++) {
    const flg_robot *robot = &make->robots[k].robot;
    flg_assembly_lead(assembly, k, to, to + robot->position_count);
    to += robot->position_count + robot->velocity_count;
  }
  return values;
}

/* by their velocities (said) before joints were closed: the joint that was changed most */
static flg_joint_change changed_joint(const making *make, const double *said, const double *now) {
  flg_joint_change most = {0};
  for (int k = 0; k < make->component->robot_count && said != NULL && now != NULL; k++) {
    const flg_robot *robot = &make->robots[k].robot;
    const flg_component_robot *of = &make->component->robots[k];
    said += robot->position_count, now += robot->position_count;
    for (int j = 0; j < robot->link_count && !of->is_body; j++) {
      const flg_link *link = &robot->links[j];
      for (int i = link->velocity; i < link->velocity + link->velocity_count; i++) {
        if (!(fabs(now[i] - said[i]) > fabs(most.now - most.said))) continue;
        most = (flg_joint_change){flg_region_format(make->loader->region, "%s/%s", of->name,
                                                    of->model->joints[link->joint].name),
                                  said[i], now[i]};
      }
    }
    said += robot->velocity_count, now += robot->velocity_count;
  }
  return most;
}

static flg_status close_as_said(const making *make, flg_assembly *assembly, flg_error *error) {
  flg_status status = flg_assembly_start_frames(assembly, &make->start, error);
  if (status != FLG_OK) return status;
  const double *said = read_robots(make, assembly);
  flg_start_options start = make->start;
  if (make->component->robot_count == 0 || !close_around_robots(make, assembly)) {
    status = flg_assembly_close(assembly, error);
    if (status == FLG_OK) start.joint = changed_joint(make, said, read_robots(make, assembly));
  }
  if (status == FLG_OK) status = flg_assembly_start_velocities(assembly, &start, error);
  if (status != FLG_OK) return status;
  status = flg_assembly_freeze(assembly);
  return status == FLG_OK ? status : flg_fail(error, status, "there is no memory for the joints");
}

static void close_start_joints(const making *make, flg_assembly *assembly) {
  flg_error error;
  flg_assembly_refresh(assembly, 0);
  if (!make->assemble && !make->loader->assemble) complain_of_open(make, assembly);
  if (make->loader->mistakes->count > 0) return;
  if (close_as_said(make, assembly, &error) == FLG_OK) return;
  flg_mistake_add(make->loader->mistakes, error.status, make->origin.place, "%s", error.message);
}

/* --- making -------------------------------------------------------------------------------------
 */

/* --- plug-ins -----------------------------------------------------------------------------------
 */

static const flg_subsystem_keys *component_keys_of(const flg_loader *loader, int subsystem) {
  return (const flg_subsystem_keys *)loader->scenario->subsystems.items + subsystem;
}

/* the group that stands in for a subsystem, and the first body in it */
static flg_subsystem_insert insert_of(const making *make, int subsystem) {
  const flg_component *component = make->component;
  const flg_origin *origin = &component_keys_of(make->loader, subsystem)->origin;
  flg_subsystem_insert insert = {.subsystem = &make->loaded[subsystem], .place = origin->place};
  while (strcmp(component->groups[insert.group].name, origin->name) != 0) insert.group++;
  while (component->bodies[insert.first_body].group != insert.group) insert.first_body++;
  return insert;
}

static void insert_plugins(making *make) {
  const int count = make->loader->scenario->subsystems.count;
  flg_subsystem_insert *list = flg_region_take(make->loader->region, (size_t)count, sizeof *list);
  for (int k = 0; k < count && list != NULL; k++) {
    if (make->loaded[k].ops == NULL) continue;
    list[make->options.insert_count++] = insert_of(make, k);
  }
  make->options.inserts = list;
}

/* false with mistakes */
static bool load_welds(making *make) {
  const int before = make->loader->mistakes->count;
  flg_compose_welds(make->loader, make->component, make->joined ? NULL : make->origin.name,
                    &make->options);
  return make->loader->mistakes->count == before;
}

/* Bodies become one unless the force of a joint between them is recorded; those of interfaces are
 * always known. */
static void ask_forces(making *make) {
  const flg_component *component = make->component;
  flg_region *region = make->loader->region;
  const char *prefix = make->joined ? "" : flg_region_format(region, "%s/", make->origin.name);
  if (prefix == NULL) return;
  if (!make->options.reduces && make->coordinates == FLG_COORDINATES_ABSOLUTE) return;
  bool *is_asked = flg_compose_asked(make->loader->scenario, component, prefix, region);
  for (int k = 0; k < component->joint_count && make->joined && is_asked != NULL; k++) {
    is_asked[k] |= component->joints[k].group == FLG_TOP;
  }
  make->options.is_asked = is_asked;
}

/* with the options that there are; mistakes tell if it fails */
static void make_subsystem_assembly(making *make, flg_subsystem *subsystem) {
  flg_assembly *assembly = NULL;
  flg_error error;
  const bool is_loaded = load_robots(make);
  const flg_part_guests guests = flg_robot_guests(make->robots);
  if (!is_loaded || flg_assembly_build(&assembly, make->component, &guests, &make->options,
                                       make->loader->mistakes) != FLG_OK) {
    release_robots(make);
    return;
  }
  if (flg_assembly_register(assembly, make->origin.name, subsystem, &error) == FLG_OK) {
    close_start_joints(make, assembly);
  } else {
    flg_mistake_add(make->loader->mistakes, error.status, make->origin.place, "%s", error.message);
  }
}

static bool can_hit(const flg_component *component) {
  for (int k = 0; k < flg_forces_count(component); k++) {
    const flg_force_kind *kind = flg_forces_at(component, k).kind;
    if (kind == &flg_stop_kind || kind == &flg_friction_kind) return true;
  }
  for (int k = 0; k < component->shape_count; k++) {
    if (component->shapes[k].collision) return true;
  }
  return false;
}

/* Whether steps are as good in joint coordinates: those of rattle are the same, those of rk4 are of
 * the same order. Others, and those with hits, keep
 * momentum there to their order, and depend on where trees begin; models of what is joined to
 * others err more. */
static bool steps_alike(const making *make) {
  return make->options.scheme != FLG_SCHEME_SEMI_IMPLICIT && make->options.outer_port_count == 0 &&
         !can_hit(make->component);
}

/* Plug-ins are handed over when an assembly is built, which can be done but once. Implicit springs
 * of co-simulated components are solved more often in absolute coordinates. */
static bool may_have_trees(const making *make) {
  const bool is_stiff_and_joined =
      make->options.stiff != NULL && make->options.outer_port_count > 0;
  return make->coordinates != FLG_COORDINATES_ABSOLUTE && make->options.insert_count == 0 &&
         !is_stiff_and_joined && make->options.norm == FLG_NORM_MASS &&
         make->component->joint_count > 0 &&
         (make->coordinates == FLG_COORDINATES_JOINT || steps_alike(make));
}

/* Flops of passes over the links of a tree take about twice as long as those of frozen rows. */
static const double GAIN = 0.5;

/* Whether no joint has rows, and nothing floats: rk4 keeps the momentum of what floats to its order
 * alone in joint coordinates. Steps then need no projection, and are not dearer even of one body.
 */
static bool is_held_by_coordinates(const flg_assembly *assembly) {
  const flg_trees *trees = flg_assembly_trees(assembly);
  for (int k = 0; k < trees->first[trees->count]; k++) {
    if (trees->links[k].joint == FLG_NO_JOINT) return false;
  }
  return !flg_assembly_has_rows(assembly);
}

/* whether another assembly of the same component takes its place */
static bool is_better(const making *make, const flg_assembly *one, const flg_assembly *other) {
  if (flg_assembly_trees(other)->count == 0) return false;
  /* frames that were moved were moved by as little as possible, in absolute coordinates */
  if (flg_assembly_was_fitted(one)) return false;
  if (make->coordinates == FLG_COORDINATES_JOINT) return true;
  if (make->options.scheme == FLG_SCHEME_RK4) return is_held_by_coordinates(other);
  return flg_assembly_flops(other) < GAIN * flg_assembly_flops(one);
}

/* The same in joint coordinates, if these are asked for, or cheaper. What there is to tell of the
 * start was reported. */
static void try_trees(const making *make, flg_subsystem *subsystem) {
  flg_mistakes unread = {0};
  flg_subsystem other = {0};
  flg_loader quiet = *make->loader;
  making again = *make;
  quiet.mistakes = &unread, quiet.notices = NULL;
  again.loader = &quiet, again.start.notices = NULL;
  again.options.has_trees = true;
  make_subsystem_assembly(&again, &other);
  if (unread.status == FLG_ERR_MEMORY) { /* other coordinates would give other results */
    flg_mistake_add(make->loader->mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  const bool is_made = other.ops != NULL && unread.count == 0;
  if (is_made &&
      is_better(make, flg_subsystem_assembly(subsystem), flg_subsystem_assembly(&other))) {
    flg_subsystem_release(subsystem);
    *subsystem = other;
  } else if (other.ops != NULL) {
    flg_subsystem_release(&other);
  }
}

static void make_assembly(making *make, flg_subsystem *subsystem) {
  const int before = make->loader->mistakes->count;
  make->options.name = make->origin.name;
  make->options.contacts = &make->contacts;
  ask_forces(make);
  make_subsystem_assembly(make, subsystem);
  const bool is_made = subsystem->ops != NULL && make->loader->mistakes->count == before;
  if (is_made && may_have_trees(make)) try_trees(make, subsystem);
}

/* Springs that are stiff for steps are found class by class: of such a range (16, of eigenvalues).
 */
enum { CLASSES_MAX = 12 };

/* True if the assembly has springs that are stiff for its steps: it is released, and to be made
 * again with these as rows. */
static bool is_stiff(making *make, flg_subsystem *subsystem) {
  flg_assembly *assembly = subsystem->ops == NULL ? NULL : flg_subsystem_assembly(subsystem);
  if (assembly == NULL || !(make->step > 0) || make->loader->stepless) return false;
  if (make->loader->mistakes->count > 0) return false;
  const int count = flg_forces_count(make->component);
  bool *stiff = flg_region_take(make->loader->region, (size_t)count, sizeof *stiff), any = false;
  if (stiff == NULL ||
      flg_assembly_find_stiff(assembly, make->step, stiff, &any, make->loader->notices) != FLG_OK) {
    flg_mistake_add(make->loader->mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
    return false;
  }
  if (!any) return false;
  for (int k = 0; k < count && make->options.stiff != NULL; k++) {
    stiff[k] = stiff[k] || make->options.stiff[k];
  }
  flg_subsystem_release(subsystem);
  *subsystem = (flg_subsystem){0};
  make->options.stiff = stiff;
  return true;
}

/* keys: of one subsystem; NULL: of all */
static void compile_steps(const making *make, const flg_subsystem_keys *keys,
                          const flg_subsystem *subsystem) {
  if (subsystem->ops == NULL || make->loader->mistakes->count > 0) return;
  flg_compose_compiled_component(make->loader, keys, flg_subsystem_assembly(subsystem), make->step);
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
  making make = {
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
                  .gravity = assembly_gravity_of(loader, keys),
                  .reduces = keys->reduce == FLG_REDUCE_AUTO && !loader->unreduced,
                  .outer_ports = outer_ports,
                  .outer_port_count = outer_port_count}};
  make.step = isnan(keys->step) ? loader->scenario->time.macro : keys->step;
  if (loader->mistakes->count > before || !load_welds(&make)) return;
  make_assembly(&make, subsystem);
  for (int k = 0; k < CLASSES_MAX && is_stiff(&make, subsystem); k++) {
    make_assembly(&make, subsystem);
  }
  compile_steps(&make, keys, subsystem);
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
  making make = {.loader = loader,
                 .origin = keys->origin,
                 .component = surround_plugin(loader, keys, plugin),
                 .coordinates = FLG_COORDINATES_ABSOLUTE,
                 .contacts = flg_compose_contacts_options(loader, keys),
                 .options = flg_assembly_default()};
  make.options.scheme = FLG_SCHEME_SEMI_IMPLICIT;
  make.options.inserts = insert, make.options.insert_count = 1;
  make.options.outer_ports = outer_ports, make.options.outer_port_count = outer_port_count;
  if (make.component != NULL) make_assembly(&make, subsystem);
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
    if (isnan(body->gravity.x)) body->gravity = gravity_around(loader, component, body->group);
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
static making gather_options(const flg_loader *loader) {
  const flg_scenario *scenario = loader->scenario;
  const bool is_whole = flg_coupling_schemes[scenario->coupling.scheme]->is_whole;
  making make = {.loader = loader,
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

static void make_whole(making *make, flg_subsystem *subsystem) {
  const flg_loader *loader = make->loader;
  if (component_has_plugins(loader)) {
    make->loaded = load_plugins(loader);
    if (make->loaded == NULL) return;
  }
  make->component = flg_compose_joined(loader, make->loaded);
  if (make->component != NULL && make->loaded != NULL) insert_plugins(make);
  if (make->component != NULL && load_welds(make)) make_assembly(make, subsystem);
  if (subsystem->ops == NULL) release_plugins(loader, make->loaded);
}

double flg_compose_whole(const flg_loader *loader, flg_subsystem *subsystem) {
  making make = gather_options(loader);
  const double step = step_of_all(loader->scenario);
  if (!loader->is_coupled) make.step = isnan(step) ? loader->scenario->time.macro : step;
  make_whole(&make, subsystem);
  for (int k = 0; k < CLASSES_MAX && is_stiff(&make, subsystem); k++) {
    make.options.inserts = NULL, make.options.insert_count = 0;
    make_whole(&make, subsystem);
  }
  if (!loader->is_coupled) compile_steps(&make, NULL, subsystem);
  return step;
}
