#include "compose/plugins.h"

#include <math.h>
#include <string.h>

#include "macro/rest_model.h"
#include "math/larger.h"

/* of how far interfaces are from the origin, or of 1 rad: ends that are further apart at the start
 * do not meet */
static const double APART = 1e-6;

static const flg_subsystem_keys *keys_of(const flg_loader *loader, int subsystem) {
  return (const flg_subsystem_keys *)loader->scenario->subsystems.items + subsystem;
}

void flg_compose_check_models(const flg_loader *loader) {
  for (int k = 0; k < loader->scenario->subsystems.count; k++) {
    const flg_subsystem_keys *keys = keys_of(loader, k);
    if ((keys->model == NULL) != (keys->plugin == NULL)) continue;
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    keys->model == NULL ? "subsystem '%s': key 'model' is missing (or 'plugin')"
                                        : "subsystem '%s' has a model and a plug-in; give one",
                    keys->origin.name);
  }
}

/* --- making -------------------------------------------------------------------------------------
 */

static const flg_plugin_parameter *parameters_of(const flg_loader *loader, const flg_items *items) {
  flg_plugin_parameter *parameters =
      flg_region_take(loader->region, (size_t)items->count, sizeof *parameters);
  const flg_value *values = items->items;
  for (int k = 0; k < items->count && parameters != NULL; k++) {
    parameters[k] = (flg_plugin_parameter){.name = values[k].origin.name,
                                           .values = values[k].numbers.values,
                                           .count = values[k].numbers.count};
  }
  return parameters;
}

static flg_plugin_setup setup_of_plugin(const flg_origin *origin,
                                        const flg_plugin_parameter *parameters, int count,
                                        flg_vec3 gravity, flg_pose pose) {
  flg_plugin_setup setup = {.size = sizeof setup,
                            .name = origin->name,
                            .parameters = parameters,
                            .parameter_count = count};
  const flg_mat3 rows = flg_mat3_transpose(&pose.rotation); /* row by row */
  memcpy(setup.rotation, rows.m, sizeof setup.rotation);
  flg_vec3_store(gravity, setup.gravity);
  flg_vec3_store(pose.position, setup.position);
  return setup;
}

static void refuse_plugin_key(const flg_loader *loader, const flg_subsystem_keys *keys,
                              const char *key, int count) {
  if (count == 0) return;
  flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                  "subsystem '%s' is a plug-in and takes no key '%s'; give it 'parameters'",
                  keys->origin.name, key);
}

static void refuse_keys(const flg_loader *loader, const flg_subsystem_keys *keys) {
  refuse_plugin_key(loader, keys, "initial", keys->robot.initial.count);
  refuse_plugin_key(loader, keys, "initial_velocity", keys->robot.initial_velocity.count);
  refuse_plugin_key(loader, keys, "base", keys->robot.base == FLG_BASE_FLOATING);
  refuse_plugin_key(loader, keys, "armature", keys->robot.armature.count);
  refuse_plugin_key(loader, keys, "controllers", keys->controllers.count);
  refuse_plugin_key(loader, keys, "forces", keys->forces.count);
  refuse_plugin_key(loader, keys, "assemble", keys->assemble);
  refuse_plugin_key(loader, keys, "compiled", keys->compiled);
}

void flg_compose_plugin(const flg_loader *loader, const flg_subsystem_keys *keys,
                        flg_subsystem *subsystem) {
  const flg_plugin_parameter *parameters = parameters_of(loader, &keys->parameters);
  refuse_keys(loader, keys);
  if (parameters == NULL) return;
  const double *gravity = isnan(keys->gravity[0]) ? loader->scenario->gravity : keys->gravity;
  const flg_plugin_setup setup =
      setup_of_plugin(&keys->origin, parameters, keys->parameters.count, flg_vec3_load(gravity),
                      flg_placement_pose(&keys->placement));
  flg_error error;
  if (flg_plugged_subsystem_build(subsystem, keys->plugin, &setup, &error) == FLG_OK) return;
  flg_mistake_add(loader->mistakes, error.status, keys->origin.place, "subsystem '%s': %s",
                  keys->origin.name, error.message);
}

static void release_controller(void *controller) {
  flg_plugged_controller_release(controller);
}

static flg_status make_controller(const flg_loader *loader, const flg_controller_keys *keys,
                                  flg_vec3 gravity, int joint_count,
                                  flg_plugged_controller *controller, flg_error *error) {
  const flg_plugin_parameter *parameters = parameters_of(loader, &keys->parameters);
  flg_plugin_setup setup = setup_of_plugin(&keys->origin, parameters, keys->parameters.count,
                                           gravity, flg_pose_identity());
  setup.joint_count = joint_count;
  if (!loader->region->failed) {
    const flg_status status = flg_plugged_controller_build(controller, keys->plugin, &setup, error);
    if (status != FLG_OK) return status;
    flg_region_owe(loader->region, release_controller, controller);
  }
  return loader->region->failed ? flg_fail(error, FLG_ERR_MEMORY, "no memory left") : FLG_OK;
}

const flg_plugged_controller *flg_compose_plugin_controller(const flg_loader *loader,
                                                            const flg_controller_keys *keys,
                                                            flg_vec3 gravity, int joint_count) {
  flg_plugged_controller *controller = flg_region_take(loader->region, 1, sizeof *controller);
  flg_error error;
  if (make_controller(loader, keys, gravity, joint_count, controller, &error) == FLG_OK) {
    return controller;
  }
  flg_mistake_add(loader->mistakes, error.status, keys->origin.place, "controller '%s': %s",
                  keys->origin.name, error.message);
  return NULL;
}

/* --- what a component knows of it ---------------------------------------------------------------
 */

static const flg_shape_kind shape_kinds[] = {[FLG_PLUGIN_BOX] = FLG_SHAPE_BOX,
                                             [FLG_PLUGIN_CYLINDER] = FLG_SHAPE_CYLINDER,
                                             [FLG_PLUGIN_SPHERE] = FLG_SHAPE_SPHERE,
                                             [FLG_PLUGIN_CAPSULE] = FLG_SHAPE_CAPSULE,
                                             [FLG_PLUGIN_POINTS] = FLG_SHAPE_POINTS};

/* as a file would say it */
static flg_port_shape shape_of_plugin(const flg_plugin_shape *from, flg_place place) {
  const flg_shape_kind kind = shape_kinds[from->kind];
  return (flg_port_shape){
      .port = from->port,
      .pose = flg_plugin_shape_pose(from),
      .keys = {.origin = {from->name, place},
               .kind = kind,
               .name = from->name,
               .size = {.values = from->lengths, .count = flg_shape_kind_sizes(kind)},
               .values = {.values = from->points, .count = 3 * from->point_count},
               .placement = {{NAN, NAN, NAN}, {NAN, NAN, NAN}},
               .collision = 1,
               .material = from->material,
               .friction = from->has_surface != 0 ? from->friction : (double)NAN,
               .restitution = from->has_surface != 0 ? from->restitution : (double)NAN}};
}

flg_port_list flg_compose_plugin_list(const flg_loader *loader, const flg_subsystem_keys *keys,
                                      const flg_plugged_subsystem *plugin) {
  flg_port_list list = {.materials = &loader->scenario->materials};
  const flg_plugin_shape *from = flg_plugged_subsystem_shapes(plugin, &list.shape_count);
  list.names = flg_plugged_subsystem_ports(plugin, &list.count);
  flg_pose *poses = flg_region_take(loader->region, (size_t)list.count, sizeof *poses);
  flg_port_shape *shapes =
      flg_region_take(loader->region, (size_t)list.shape_count, sizeof *shapes);
  if (loader->region->failed) return (flg_port_list){0};
  for (int k = 0; k < list.count; k++) poses[k] = flg_plugged_subsystem_frame(plugin, k).pose;
  for (int k = 0; k < list.shape_count; k++)
    shapes[k] = shape_of_plugin(&from[k], keys->origin.place);
  list.poses = poses, list.shapes = shapes;
  return list;
}

bool flg_compose_plugin_touches(const flg_subsystem *subsystem) {
  const flg_plugged_subsystem *plugin =
      subsystem->ops == NULL ? NULL : flg_subsystem_plugin(subsystem);
  int count = 0;
  if (plugin != NULL) (void)flg_plugged_subsystem_shapes(plugin, &count);
  return count > 0;
}

/* --- joining ------------------------------------------------------------------------------------
 */

/* the name of the subsystem ends before one of the slashes */
static bool is_on_plugin(const flg_loader *loader, const flg_texts *ends) {
  for (int e = 0; e < ends->count; e++) {
    const char *end = ends->items[e].name;
    for (const char *at = strchr(end, '/'); at != NULL; at = strchr(at + 1, '/')) {
      const size_t length = (size_t)(at - end);
      const int k = flg_name_index_find_begin(&loader->subsystem_names, end, length);
      if (k >= 0 && keys_of(loader, k)->plugin != NULL) return true;
    }
  }
  return false;
}

bool flg_compose_joins_plugin(const flg_loader *loader, const flg_component_joint_keys *interface) {
  return is_on_plugin(loader, &interface->pair.between) ||
         is_on_plugin(loader, &interface->drive) || is_on_plugin(loader, &interface->driven);
}

void flg_compose_plugin_outer_ports(const flg_loader *loader, const flg_subsystem_keys *keys,
                                    const flg_anchor *outer_ports, int count,
                                    const flg_subsystem *subsystem) {
  flg_plugin_outer_port *made = flg_region_take(loader->region, (size_t)count, sizeof *made);
  if (made == NULL) return;
  for (int k = 0; k < count; k++) {
    made[k] = (flg_plugin_outer_port){outer_ports[k].body, outer_ports[k].pose.rotation};
  }
  flg_error error;
  flg_plugged_subsystem *plugin = flg_subsystem_plugin(subsystem);
  if (flg_plugged_subsystem_join(plugin, made, count, &error) == FLG_OK) return;
  flg_mistake_add(loader->mistakes, error.status, keys->origin.place, "%s", error.message);
}

void flg_compose_plugin_ports(const flg_loader *loader, const flg_subsystem_keys *keys,
                              const flg_subsystem *subsystem) {
  int count;
  (void)flg_plugged_subsystem_ports(flg_subsystem_plugin(subsystem), &count);
  flg_anchor *ports = flg_region_take(loader->region, (size_t)count, sizeof *ports);
  for (int k = 0; k < count && ports != NULL; k++) {
    ports[k] = (flg_anchor){.robot = -1, .body = k, .pose = flg_pose_identity()};
  }
  if (ports != NULL) flg_compose_plugin_outer_ports(loader, keys, ports, count, subsystem);
}

static bool is_at_plugin(const flg_interface *interface, const flg_loader *loader) {
  for (int e = 0; e < 2; e++) {
    const int subsystem = interface->end[e].subsystem;
    if (subsystem >= 0 && keys_of(loader, subsystem)->plugin != NULL) return true;
  }
  return false;
}

static flg_place place_of_interface(const flg_loader *loader, const flg_interface *interface) {
  const flg_component_joint_keys *keys = loader->scenario->interfaces.items;
  const int k =
      FLG_SEEK(&loader->interface_names, keys, loader->scenario->interfaces.count, interface->name);
  return k < 0 ? loader->scenario->origin.place : keys[k].origin.place;
}

void flg_compose_check_ends_meet(const flg_loader *loader, const flg_simulation *simulation) {
  const double away = flg_interfaces_extent(simulation->interfaces, simulation->interface_count,
                                            simulation->subsystems);
  const double length = away > 0 ? away : 1;
  for (int k = 0; k < simulation->interface_count; k++) {
    const flg_interface *interface = &simulation->interfaces[k];
    if (!is_at_plugin(interface, loader)) continue;
    double open[2];
    flg_interface_openings(interface, simulation->subsystems, open);
    if (open[0] <= APART * length && open[1] <= APART) continue;
    const flg_vec3 a = flg_interface_frame(interface, 0, simulation->subsystems).pose.position;
    const flg_vec3 b = flg_interface_frame(interface, 1, simulation->subsystems).pose.position;
    flg_mistake_add(
        loader->mistakes, FLG_ERR_INPUT, place_of_interface(loader, interface),
        "interface '%s': its ends are %.3g m and %.3g rad apart at the start; the first "
        "is at (%.9g, %.9g, %.9g), the second at (%.9g, %.9g, %.9g)",
        interface->name, open[0], open[1], a.x, a.y, a.z, b.x, b.y, b.z);
  }
}

/* --- coupling -----------------------------------------------------------------------------------
 */

void flg_compose_check_yielding(const flg_loader *loader, const flg_simulation *simulation) {
  const flg_coupling_options *options = flg_coupling_settings(simulation->coupling);
  if (!options->scheme->gives_back || options->reconcile == FLG_RECONCILE_NONE) return;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_plugged_subsystem *plugin = flg_subsystem_plugin(&simulation->subsystems[k]);
    if (plugin == NULL || flg_plugged_subsystem_yields(plugin)) continue;
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, loader->scenario->coupling.origin.place,
                    "scheme %s gives impulses back, which plug-in '%s' cannot take: it has no "
                    "functions impulse and displace. Take 'scheme: sequential', or 'reconcile: "
                    "none'",
                    options->scheme->name, simulation->subsystems[k].name);
  }
}
