#include "compose/coupled_system.h"

#include <math.h>
#include <string.h>

#include "base/input_limits.h"
#include "component/assembly_contract.h"
#include "compose/assemblies.h"
#include "compose/interface_elements.h"
#include "compose/interface_potential.h"
#include "compose/plugins.h"
#include "forces/force.h"
#include "robot/robot_coupled.h"
#include "robot/robot_friction.h"

/* where things of the whole are in the subsystems */
typedef struct split {
  const flg_loader *loader;
  flg_simulation *simulation;
  const flg_component *whole;
  flg_anchor
      *outer_ports; /* (4 interfaces) all ends, subsystem by subsystem: those of one follow */
  int *counts;      /* (subsystems) how many each has */
} split;

static int subsystem_of_name(const split *of, const char *name) {
  return FLG_SEEK(&of->loader->subsystem_names, of->simulation->parts, of->simulation->part_count,
                  name);
}

/* the outermost group that a body is in is its subsystem */
static int subsystem_of_group(const split *of, int group) {
  if (group == FLG_TOP) return -1;
  while (of->whole->groups[group].parent != FLG_TOP) group = of->whole->groups[group].parent;
  return subsystem_of_name(of, of->whole->groups[group].name);
}

/* Bodies and robots of a subsystem follow each other in the whole, in the order that they have when
 * it is read alone: an index there is one here, less the first. */
static int first_body(const split *of, int subsystem) {
  for (int k = 0; k < of->whole->body_count; k++) {
    if (subsystem_of_group(of, of->whole->bodies[k].group) == subsystem) return k;
  }
  return 0;
}

static int subsystem_of_robot(const split *of, int robot) {
  const flg_component_robot *known = &of->whole->robots[robot];
  return known->group == FLG_TOP ? subsystem_of_name(of, known->name)
                                 : subsystem_of_group(of, known->group);
}

static int first_robot(const split *of, int subsystem) {
  for (int k = 0; k < of->whole->robot_count; k++) {
    if (subsystem_of_robot(of, k) == subsystem) return k;
  }
  return 0;
}

/* the subsystem of an anchor, and the anchor as it is there; -1: the ground */
static int localise_interfaces(const split *of, flg_anchor *anchor) {
  if (anchor->robot >= 0) {
    const int subsystem = subsystem_of_robot(of, anchor->robot);
    anchor->robot -= first_robot(of, subsystem);
    return subsystem;
  }
  if (anchor->body == FLG_WORLD) return -1;
  const int subsystem = subsystem_of_group(of, of->whole->bodies[anchor->body].group);
  anchor->body -= first_body(of, subsystem);
  return subsystem;
}

/* a new port on the subsystem of an anchor */
static void take_end(const split *of, const flg_anchor *anchor, flg_anchor *local,
                     flg_interface_end *to) {
  *local = *anchor;
  const int subsystem = localise_interfaces(of, local);
  *to = (flg_interface_end){.subsystem = subsystem, .pose = local->pose};
  if (subsystem >= 0) to->port = of->counts[subsystem]++;
}

/* the two frames of a joint */
static void take_ends(const split *of, const flg_component_joint *joint, flg_anchor *anchors,
                      flg_interface *interface) {
  for (int e = 0; e < 2; e++) {
    take_end(of, &joint->end[e], &anchors[e], &interface->anchors[e]);
    interface->end[e] = interface->anchors[e];
  }
  interface->anchor_count = 2;
  const flg_constraint_traits *traits = &flg_constraint_kinds[joint->kind];
  interface->rows = traits->rows - traits->sums; /* the last is an element */
  if (interface->end[0].subsystem != interface->end[1].subsystem) return;
  flg_mistake_add(of->loader->mistakes, FLG_ERR_INPUT, joint->place,
                  "interface '%s' joins a subsystem with itself; that is a joint of its own",
                  joint->name);
}

/* the frames of two coordinates */
static void take_teeth(const split *of, const int coordinates[2], flg_anchor *anchors,
                       flg_interface *interface) {
  for (int k = 0; k < 2; k++) {
    const flg_component_coordinate *from = &of->whole->coordinates[coordinates[k]];
    for (int e = 0; e < 2; e++) {
      take_end(of, &from->end[e], &anchors[2 * k + e], &interface->anchors[2 * k + e]);
    }
  }
  for (int e = 0; e < 2; e++) interface->end[e] = (flg_interface_end){.subsystem = -1};
  interface->anchor_count = FLG_INTERFACE_ANCHORS_MAX;
}

/* as a joint that holds nothing: a distance has no rows between frames */
static void take_bushing(const split *of, const flg_component_element *bushing, flg_anchor *anchors,
                         flg_interface *interface) {
  const flg_component_joint loose = {.name = bushing->name,
                                     .place = bushing->place,
                                     .kind = FLG_CONSTRAINT_DISTANCE,
                                     .end = {bushing->end[0], bushing->end[1]}};
  interface->kind = loose.kind, interface->word = bushing->kind->name;
  take_ends(of, &loose, anchors, interface);
}

/* its places, each with a new port on its subsystem, and what it carries */
static void take_interface(const split *of, const flg_component_joint_keys *keys,
                           flg_anchor *anchors, flg_interface *interface) {
  const flg_component_joint *joint = flg_compose_interface_joint(of->whole, keys->origin.name);
  const flg_component_element *bushing =
      flg_compose_interface_bushing(of->whole, keys->origin.name);
  const flg_constraint_kind kind = (flg_constraint_kind)keys->kind;
  *interface = (flg_interface){
      .name = keys->origin.name, .word = flg_constraint_kind_name(kind), .kind = kind};
  if (bushing != NULL) {
    take_bushing(of, bushing, anchors, interface);
  } else if (flg_constraint_kinds[keys->kind].couples) {
    take_teeth(of, flg_compose_interface_teeth(of->whole, interface->name), anchors, interface);
  } else {
    take_ends(of, joint, anchors, interface);
  }
  flg_compose_elements(of->whole, interface, of->loader->region);
}

/* elements are numbered through */
static void number_elements(flg_simulation *simulation) {
  int count = 0;
  for (int k = 0; k < simulation->interface_count; k++) {
    flg_interface *interface = &simulation->interfaces[k];
    for (int i = 0; i < interface->element_count; i++) {
      interface->elements[i].number = count++;
      interface->elements[i].interface = k;
    }
  }
}

/* interfaces are what the whole has that belongs to no subsystem */
static bool find_interfaces(split *of) {
  flg_simulation *simulation = of->simulation;
  const flg_component_joint_keys *keys = of->loader->scenario->interfaces.items;
  const size_t most = (size_t)of->loader->scenario->interfaces.count;
  const size_t count = FLG_INTERFACE_ANCHORS_MAX * most;
  flg_region *region = of->loader->region;
  simulation->interfaces = flg_region_take(region, most, sizeof *simulation->interfaces);
  flg_anchor *anchors = flg_region_take(region, count, sizeof *anchors);
  of->counts = flg_region_take(region, (size_t)simulation->part_count, sizeof *of->counts);
  of->outer_ports = flg_region_take(region, count, sizeof *of->outer_ports);
  if (region->failed) return false;
  for (int k = 0; k < (int)most; k++) {
    take_interface(of, &keys[k], anchors + FLG_INTERFACE_ANCHORS_MAX * k,
                   &simulation->interfaces[simulation->interface_count++]);
  }
  number_elements(simulation);
  int *first = flg_region_take(region, (size_t)simulation->part_count, sizeof *first);
  if (region->failed || of->loader->mistakes->count > 0) return false;
  for (int k = 1; k < simulation->part_count; k++) first[k] = first[k - 1] + of->counts[k - 1];
  for (int k = 0; k < simulation->interface_count; k++) {
    const flg_interface *interface = &simulation->interfaces[k];
    for (int e = 0; e < interface->anchor_count; e++) {
      const flg_interface_end *to = &interface->anchors[e];
      if (to->subsystem < 0) continue;
      of->outer_ports[first[to->subsystem] + to->port] = anchors[FLG_INTERFACE_ANCHORS_MAX * k + e];
    }
  }
  return true;
}

/* --- subsystems ---------------------------------------------------------------------------------
 */

/* Steps of stages have no model of what sticks to try: friction there is a secant. */
static void tell_creep(const flg_loader *loader, const flg_robot_subsystem *robot,
                       const char *name) {
  flg_some_names joints = {0};
  if (!robot->rubs || flg_integrator_kicks(robot->integrator)) return;
  for (int k = 0; k < robot->model->joint_count; k++) {
    if (robot->model->joints[k].friction > 0)
      flg_some_names_add(&joints, robot->model->joints[k].name);
  }
  flg_notice_add(loader->notices, name,
                 "friction of %s creeps in coupled rk4 steps where it should stick, and lets go "
                 "late; leapfrog and semi-implicit steps are exact",
                 flg_some_names_text(&joints));
}

/* Models of a component have frictions inside of its robots as dampers, which no blow opens. */
static void tell_held_blows(const flg_loader *loader, const flg_subsystem *subsystem,
                            const char *name) {
  const flg_assembly *assembly = flg_subsystem_assembly(subsystem);
  flg_some_names robots = {0};
  if (loader->mistakes->count > 0 || assembly == NULL) return;
  const flg_component *component = flg_assembly_component(assembly);
  for (int k = 0; k < component->robot_count; k++) {
    const flg_robot_subsystem *robot = flg_subsystem_robot(flg_assembly_guest(assembly, k));
    if (robot != NULL && robot->rubs) flg_some_names_add(&robots, component->robots[k].name);
  }
  if (robots.count == 0) return;
  flg_notice_add(loader->notices, name,
                 "joint friction of %s may hold a blow from another subsystem that it cannot hold; "
                 "a robot that is a subsystem of its own, or 'scheme: monolithic', lets go",
                 flg_some_names_text(&robots));
}

static void open_robot(const split *of, const flg_subsystem_keys *keys,
                       const flg_anchor *outer_ports, int count, flg_subsystem *subsystem) {
  flg_compose_robot(of->loader, keys, outer_ports, count, subsystem);
  flg_compose_check_memory(of->loader);
  if (of->loader->mistakes->count > 0) return;
  flg_robot_subsystem *robot = flg_subsystem_robot(subsystem);
  flg_link_anchor *anchors = flg_region_take(of->loader->region, (size_t)count, sizeof *anchors);
  if (anchors == NULL) return;
  for (int k = 0; k < count; k++) {
    anchors[k] = (flg_link_anchor){FLG_WORLD, flg_placement_pose(&keys->placement)};
    if (outer_ports[k].body == FLG_WORLD) {
      anchors[k].pose = flg_pose_compose(&anchors[k].pose, &outer_ports[k].pose);
    } else {
      anchors[k] = flg_robot_anchor(&robot->robot, outer_ports[k].body, &outer_ports[k].pose, NULL);
    }
  }
  flg_error error;
  flg_robot_friction_join(robot);
  tell_creep(of->loader, robot, keys->origin.name);
  if (flg_robot_ports_build(robot, anchors, count, &error) == FLG_OK) return;
  flg_mistake_add(of->loader->mistakes, error.status, keys->origin.place, "%s", error.message);
}

/* whether there is an interface without a plug-in */
static bool has_whole(const flg_loader *loader) {
  const flg_component_joint_keys *keys = loader->scenario->interfaces.items;
  for (int k = 0; k < loader->scenario->interfaces.count; k++) {
    if (!flg_compose_joins_plugin(loader, &keys[k])) return true;
  }
  return false;
}

/* of: of the larger one */
static void start_subsystem(const split *of, int index, const flg_assembly *larger) {
  const flg_subsystem *subsystem = &of->simulation->subsystems[index];
  flg_assembly *assembly = flg_subsystem_assembly(subsystem);
  flg_robot_subsystem *robot = flg_subsystem_robot(subsystem);
  if (assembly != NULL) {
    flg_assembly_follow(assembly, larger, first_body(of, index), first_robot(of, index));
  } else if (robot != NULL) {
    flg_assembly_lead(larger, first_robot(of, index), robot->q, robot->v);
  }
}

/* All start as they do when they are solved as one: interfaces closed, velocities on them. Plug-ins
 * start where they are; no other subsystem is moved on their account. */
static void start_split(const split *of) {
  flg_subsystem whole = {0};
  if (has_whole(of->loader)) flg_compose_whole(of->loader, &whole);
  const flg_assembly *larger = whole.ops == NULL ? NULL : flg_subsystem_assembly(&whole);
  const flg_subsystem_keys *keys = of->loader->scenario->subsystems.items;
  split without = *of;
  if (larger != NULL) without.whole = flg_assembly_component(larger);
  for (int k = 0; k < of->simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &of->simulation->subsystems[k];
    if (larger != NULL && keys[k].plugin == NULL) start_subsystem(&without, k, larger);
    subsystem->ops->refresh(subsystem->self, 0);
  }
  flg_subsystem_release(&whole);
  if (of->loader->mistakes->count == 0) flg_compose_check_ends_meet(of->loader, of->simulation);
}

/* first of all, since their libraries know where their ports are */
static void open_plugins(const flg_loader *loader, flg_simulation *simulation) {
  const flg_subsystem_keys *keys = loader->scenario->subsystems.items;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    if (keys[k].plugin != NULL) flg_compose_plugin(loader, &keys[k], &simulation->subsystems[k]);
  }
}

/* Each subsystem of a coupling is given a model of all others, at all of its ports. */
static bool check_coupled(const split *of) {
  const flg_coupling_keys *keys = &of->loader->scenario->coupling;
  const double most = flg_input_limit_value(FLG_LIMIT_COUPLED),
               most_ports = flg_input_limit_value(FLG_LIMIT_PORTS);
  const int count = of->simulation->subsystem_count;
  if (flg_coupling_schemes[keys->scheme]->is_whole) return true;
  if (count > most) {
    flg_mistake_add(of->loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "the coupling has %d subsystems, and gives each of them a model of all others; "
                    "%.0f are coupled, or more with --limit %s=%d, or any number with 'scheme: "
                    "monolithic'",
                    count, most, flg_input_limit_name(FLG_LIMIT_COUPLED), count);
    return false;
  }
  for (int k = 0; k < count; k++) {
    if (of->counts[k] <= most_ports) continue;
    flg_mistake_add(of->loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "%d ends of interfaces are on subsystem '%s', and all count in its model; %.0f "
                    "are coupled, or more with --limit %s=%d, or any number with 'scheme: "
                    "monolithic'",
                    of->counts[k], of->simulation->parts[k].name, most_ports,
                    flg_input_limit_name(FLG_LIMIT_PORTS), of->counts[k]);
    return false;
  }
  return true;
}

void flg_compose_coupled(const flg_loader *loader, flg_simulation *simulation) {
  split of = {.loader = loader, .simulation = simulation};
  const flg_subsystem_keys *keys = loader->scenario->subsystems.items;
  simulation->subsystem_count = simulation->part_count;
  for (int k = 0; k < simulation->part_count; k++) {
    simulation->parts[k] = (flg_part){.name = keys[k].origin.name, .subsystem = k, .prefix = ""};
  }
  open_plugins(loader, simulation);
  if (loader->mistakes->count > 0) return;
  of.whole = flg_compose_joined(loader, simulation->subsystems);
  if (of.whole == NULL || !find_interfaces(&of) || !check_coupled(&of)) return;
  const flg_anchor *outer_ports = of.outer_ports;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    if (flg_compose_plugin_touches(&simulation->subsystems[k])) {
      flg_compose_touching_plugin(loader, &keys[k], outer_ports, of.counts[k],
                                  &simulation->subsystems[k]);
      simulation->parts[k].prefix = keys[k].origin.name;
    } else if (keys[k].plugin != NULL) {
      flg_compose_plugin_outer_ports(loader, &keys[k], outer_ports, of.counts[k],
                                     &simulation->subsystems[k]);
    } else if (flg_compose_is_component(loader, &keys[k])) {
      flg_compose_component(loader, &keys[k], outer_ports, of.counts[k],
                            &simulation->subsystems[k]);
      tell_held_blows(loader, &simulation->subsystems[k], keys[k].origin.name);
    } else {
      open_robot(&of, &keys[k], outer_ports, of.counts[k], &simulation->subsystems[k]);
    }
    outer_ports += of.counts[k];
  }
  flg_compose_check_memory(loader);
  if (loader->mistakes->count == 0 && !loader->apart) start_split(&of);
}

/* --- coupling -----------------------------------------------------------------------------------
 */

/* the subsystems in their order, as flg_check_couplings found them; NULL if none is given */
static const int *order_of_subsystems(const flg_loader *loader, const flg_simulation *simulation) {
  const flg_texts *names = &loader->scenario->coupling.order;
  if (names->count == 0) return NULL;
  int *order = flg_region_take(loader->region, (size_t)names->count, sizeof *order);
  for (int k = 0; k < names->count && order != NULL; k++) {
    const char *name = names->items[k].name;
    order[k] = flg_part_find(simulation, name, strlen(name))->subsystem;
  }
  return order;
}

/* what is meant where the scenario does not say: as its reference of keys has it */
static const double FEEDBACK = 0.3, STIFFNESS = 1e7;

void flg_compose_coupling(const flg_loader *loader, flg_simulation *simulation) {
  const flg_coupling_keys *keys = &loader->scenario->coupling;
  const flg_coupling_scheme *scheme = flg_coupling_schemes[keys->scheme];
  if (scheme->is_whole) return;
  const double stiffness = isnan(keys->stiffness) ? STIFFNESS : keys->stiffness;
  const flg_coupling_options options = {
      .scheme = scheme,
      .form = (flg_coupling_form)keys->form,
      .reconcile = (flg_reconcile)keys->reconcile,
      .pose = (flg_pose_sync)keys->pose,
      .feedback = isnan(keys->feedback) ? FEEDBACK : keys->feedback,
      .reverse = keys->causality == 1,
      .contacts = (flg_rest_contacts)keys->contacts,
      .contact_points = keys->capacity,
      .elastic = (flg_elastic_model)keys->elastic,
      .stiffness = stiffness,
      .damping = isnan(keys->damping) ? 1e-4 * stiffness : keys->damping,
      .order = order_of_subsystems(loader, simulation),
      .potential = flg_compose_potential(loader, simulation)};
  const flg_coupled_system system = {.subsystems = simulation->subsystems,
                                     .micro_steps = simulation->micro_steps,
                                     .subsystem_count = simulation->subsystem_count,
                                     .interfaces = simulation->interfaces,
                                     .interface_count = simulation->interface_count,
                                     .macro = simulation->macro};
  flg_error error;
  if (loader->mistakes->count > 0) return;
  if (flg_coupling_build(&simulation->coupling, &system, &options, &error) == FLG_OK) {
    flg_compose_check_yielding(loader, simulation);
  } else {
    flg_mistake_add(loader->mistakes, error.status, keys->origin.place, "%s", error.message);
  }
}
