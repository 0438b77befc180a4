#include "compose/making.h"

#include <math.h>
#include <string.h>

#include "component/assembly_contract.h"
#include "component/assembly_freedom.h"
#include "compose/compiled.h"
#include "compose/recorded_signals.h"
#include "compose/welds.h"
#include "flatten/component_builder.h"
#include "flatten/joint_values.h"
#include "forces/force.h"
#include "robot/robot_part.h"
#include "structure/trees.h"

/* Of the length of the system, or of 1 rad: joints that are open by less at the start are closed
 * without a word, since files have so many digits. Of the fastest velocity: velocities that leave
 * the joints by less follow them. */
static const double ROUNDED = 1e-5;

/* of the scenario, if a subsystem has none of its own */
flg_vec3 flg_compose_gravity(const flg_loader *loader, const flg_subsystem_keys *keys) {
  return flg_vec3_load(isnan(keys->gravity[0]) ? loader->scenario->gravity : keys->gravity);
}

/* --- robots -------------------------------------------------------------------------------------
 */

static const flg_subsystem_keys *assembly_named(const flg_loader *loader, const char *name) {
  const flg_subsystem_keys *keys = loader->scenario->subsystems.items;
  const int k = FLG_SEEK(&loader->subsystem_names, keys, loader->scenario->subsystems.count, name);
  return k < 0 ? NULL : &keys[k];
}

/* the subsystem that a group belongs to, among those that are joined */
static const flg_subsystem_keys *subsystem_around(const flg_loader *loader,
                                                  const flg_component *component, int group) {
  while (component->groups[group].parent != FLG_TOP) group = component->groups[group].parent;
  return assembly_named(loader, component->groups[group].name);
}

flg_vec3 flg_compose_gravity_around(const flg_loader *loader, const flg_component *component,
                                    int group) {
  return flg_compose_gravity(loader, subsystem_around(loader, component, group));
}

/* One that is a subsystem brings controllers and forces; one inside of a component has neither. */
static void load_robot(const flg_making *make, int index) {
  const flg_component_robot *robot = &make->component->robots[index];
  const bool is_inside = make->joined && robot->group != FLG_TOP;
  const flg_vec3 g = robot->gravity != NULL ? *robot->gravity
                     : is_inside
                         ? flg_compose_gravity_around(make->loader, make->component, robot->group)
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

static bool load_robots(flg_making *make) {
  const int count = make->component->robot_count, before = make->loader->mistakes->count;
  make->robots = flg_region_take(make->loader->region, (size_t)count, sizeof *make->robots);
  if (make->robots == NULL) return false;
  for (int k = 0; k < count; k++) load_robot(make, k);
  return make->loader->mistakes->count == before;
}

static void release_robots(const flg_making *make) {
  for (int k = 0; k < make->component->robot_count && make->robots != NULL; k++) {
    flg_robot_subsystem_release(&make->robots[k]);
  }
}

/* --- joints at the start ------------------------------------------------------------------------
 */

/* all that are open, each with its place in the file */
static void complain_of_open(const flg_making *make, const flg_assembly *assembly) {
  for (int k = 0; k < make->component->joint_count; k++) {
    const flg_component_joint *joint = &make->component->joints[k];
    const flg_closure left = flg_assembly_joint_closure(assembly, k);
    if (left.share <= ROUNDED) continue;
    flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, joint->place,
                    "joint '%s' is open by %.3g (m or rad) at (%.4g, %.4g, %.4g) at the start; "
                    "move its bodies, or give the subsystem 'assemble: true' ('flange check "
                    "--assemble' shows which bodies that would move)",
                    joint->name, left.position, left.where.x, left.where.y, left.where.z);
  }
}

/* held: 0, or infinite where a joint stays */
static void hold_robots(const flg_making *make, double held) {
  for (int k = 0; k < make->component->robot_count; k++) {
    const flg_robot_subsystem *robot = &make->robots[k];
    /* a flexible body moves, but does not bend */
    const int first = make->component->robots[k].is_body ? 6 : 0;
    for (int i = first; i < robot->robot.velocity_count; i++) robot->locked[i] = held;
  }
}

/* True if bodies alone can close the joints; robots are then where the user wants them. If not, all
 * is as it was. */
static bool close_around_robots(const flg_making *make, flg_assembly *assembly) {
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
static double *read_robots(const flg_making *make, const flg_assembly *assembly) {
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
static flg_joint_change changed_joint(const flg_making *make, const double *said,
                                      const double *now) {
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

static flg_status close_as_said(const flg_making *make, flg_assembly *assembly, flg_error *error) {
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

static void close_start_joints(const flg_making *make, flg_assembly *assembly) {
  flg_error error;
  flg_assembly_refresh(assembly, 0);
  if (!make->assemble && !make->loader->assemble) complain_of_open(make, assembly);
  if (make->loader->mistakes->count > 0) return;
  if (close_as_said(make, assembly, &error) == FLG_OK) return;
  flg_mistake_add(make->loader->mistakes, error.status, make->origin.place, "%s", error.message);
}

/* --- making -------------------------------------------------------------------------------------
 */

bool flg_making_welds(flg_making *make) {
  const int before = make->loader->mistakes->count;
  flg_compose_welds(make->loader, make->component, make->joined ? NULL : make->origin.name,
                    &make->options);
  return make->loader->mistakes->count == before;
}

/* Bodies become one unless the force of a joint between them is recorded; those of interfaces are
 * always known. */
static void ask_forces(flg_making *make) {
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
static void make_subsystem_assembly(flg_making *make, flg_subsystem *subsystem) {
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

/* True if steps are as good in joint coordinates: those of rattle are the same, those of rk4 are of
 * the same order. Others, and those with hits, keep
 * momentum there to their order, and depend on where trees begin; models of what is joined to
 * others err more. */
static bool steps_alike(const flg_making *make) {
  return make->options.scheme != FLG_SCHEME_SEMI_IMPLICIT && make->options.outer_port_count == 0 &&
         !can_hit(make->component);
}

/* Plug-ins are handed over when an assembly is built, which can be done but once. Implicit springs
 * of co-simulated components are solved more often in absolute coordinates. */
static bool may_have_trees(const flg_making *make) {
  const bool is_stiff_and_joined =
      make->options.stiff != NULL && make->options.outer_port_count > 0;
  return make->coordinates != FLG_COORDINATES_ABSOLUTE && make->options.insert_count == 0 &&
         !is_stiff_and_joined && make->options.norm == FLG_NORM_MASS &&
         make->component->joint_count > 0 &&
         (make->coordinates == FLG_COORDINATES_JOINT || steps_alike(make));
}

/* Flops of passes over the links of a tree take about twice as long as those of frozen rows. */
static const double GAIN = 0.5;

/* True if no joint has rows, and nothing floats: rk4 keeps the momentum of what floats to its order
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
static bool is_better(const flg_making *make, const flg_assembly *one, const flg_assembly *other) {
  if (flg_assembly_trees(other)->count == 0) return false;
  /* frames that were moved were moved by as little as possible, in absolute coordinates */
  if (flg_assembly_was_fitted(one)) return false;
  if (make->coordinates == FLG_COORDINATES_JOINT) return true;
  if (make->options.scheme == FLG_SCHEME_RK4) return is_held_by_coordinates(other);
  return flg_assembly_flops(other) < GAIN * flg_assembly_flops(one);
}

/* The same in joint coordinates, if these are asked for, or cheaper. What there is to tell of the
 * start was reported. */
static void try_trees(const flg_making *make, flg_subsystem *subsystem) {
  flg_mistakes unread = {0};
  flg_subsystem other = {0};
  flg_loader quiet = *make->loader;
  flg_making again = *make;
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

void flg_making_run(flg_making *make, flg_subsystem *subsystem) {
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

bool flg_making_is_stiff(flg_making *make, flg_subsystem *subsystem) {
  flg_assembly *assembly = subsystem->ops == NULL ? NULL : flg_subsystem_assembly(subsystem);
  if (assembly == NULL || !(make->step > 0) || make->loader->stepless) return false;
  if (make->classes++ == CLASSES_MAX) return false;
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

void flg_making_compile(const flg_making *make, const flg_subsystem_keys *keys,
                        const flg_subsystem *subsystem) {
  if (subsystem->ops == NULL || make->loader->mistakes->count > 0) return;
  flg_compose_compiled_component(make->loader, keys, flg_subsystem_assembly(subsystem), make->step);
}
