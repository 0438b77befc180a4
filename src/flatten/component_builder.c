#include "flatten/component_builder.h"

#include <stdio.h>
#include <string.h>

#include "base/input_limits.h"
#include "flatten/component_build.h"
#include "flatten/stations.h"

/* --- lists and names ----------------------------------------------------------------------- */

void *flg_build_add(flg_component_builder *build, flg_growing *list, size_t bytes, const char *what,
                    flg_place place) {
  const double most = flg_input_limit_value(FLG_LIMIT_OBJECTS);
  if (build->full) return NULL;
  if (build->object_count++ < most) return flg_growing_add(list, bytes, build->region);
  build->full = true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place,
                  "there are more than %.0f objects in all, with these %s; more are read with "
                  "--limit %s=%.0f",
                  most, what, flg_input_limit_name(FLG_LIMIT_OBJECTS), 2 * most);
  return NULL;
}

const char *flg_build_path(const flg_component_builder *build, const flg_scope *scope,
                           const char *name) {
  if (scope->prefix[0] == '\0') return name;
  const char *path = flg_region_format(build->region, "%s%s", scope->prefix, name);
  return path == NULL ? "" : path;
}

bool flg_build_name_check(const flg_component_builder *build, const flg_origin *name) {
  const char *wrong = NULL;
  if (name->name[0] == '\0') wrong = "a name cannot be empty";
  if (strpbrk(name->name, "/.") != NULL) wrong = "names have no '/' and no '.'";
  if (strcmp(name->name, "world") == 0) wrong = "'world' is the ground; choose another name";
  if (wrong == NULL) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, name->place, "'%s': %s", name->name, wrong);
  return false;
}

static void tell_taken(const flg_component_builder *build, const flg_origin *name,
                       const char *kinds) {
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, name->place,
                  "'%s' stands twice: %s have different names", name->name, kinds);
}

void flg_build_enter_part(flg_component_builder *build, const flg_origin *name, const char *path,
                          flg_named_part part) {
  flg_named_part *entry = flg_growing_add(&build->parts, sizeof *entry, build->region);
  if (entry == NULL) return;
  *entry = part;
  const int number = build->parts.count - 1;
  if (flg_name_index_add(&build->by_part, path, number, build->region) == FLG_NAME_UNKNOWN) return;
  tell_taken(build, name, "bodies, robots and components");
}

void flg_build_enter_point(flg_component_builder *build, const flg_origin *name, const char *path,
                           flg_point point) {
  flg_point *entry = flg_growing_add(&build->points, sizeof *entry, build->region);
  if (entry == NULL) return;
  *entry = point;
  const int number = build->points.count - 1;
  if (flg_name_index_add(&build->by_point, path, number, build->region) == FLG_NAME_UNKNOWN) return;
  tell_taken(build, name, "bodies, ports and markers");
}

void flg_build_enter_mover(flg_component_builder *build, const flg_origin *name, const char *path,
                           const flg_component_mover *mover) {
  if (!flg_build_name_check(build, name)) return;
  flg_component_mover *entry = flg_growing_add(&build->movers, sizeof *entry, build->region);
  if (entry == NULL) return;
  *entry = *mover;
  const int number = build->movers.count - 1;
  if (flg_name_index_add(&build->by_mover, path, number, build->region) == FLG_NAME_UNKNOWN) return;
  tell_taken(build, name, "joints, springs, forces, sensors, motors and signals");
}

/* --- files --------------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static bool is_recursive(const flg_component_builder *build, const flg_scope *outer,
                         const flg_component_file *file, flg_place place) {
  const flg_scope *scope = outer;
  while (scope != NULL && scope->file != file) scope = scope->outer;
  if (scope == NULL) return false;
  /* from the inside out, as the scopes are linked */
  char chain[240] = "";
  const char *end = base_name(file->path);
  for (const flg_scope *on = outer; on != scope->outer; on = on->outer) {
    char longer[240];
    snprintf(longer, sizeof longer, "%.40s -> %.180s", base_name(on->file->path),
             chain[0] == '\0' ? end : chain);
    memcpy(chain, longer, sizeof chain);
  }
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "'%s' uses itself: %s; break the loop",
                  file->path, chain);
  return true;
}

/* --- what is in a component ---------------------------------------------------------------- */

static void add_inner(flg_component_builder *build, const flg_scope *outer, const flg_origin *name,
                      const flg_component_use *use);

static void build_parts(flg_component_builder *build, const flg_scope *scope,
                        const flg_component_keys *keys) {
  flg_surface_table_materials(&build->surfaces, &keys->materials);
  flg_build_shapes(build, scope, &keys->shapes, FLG_WORLD, 0);
  const flg_component_body_keys *bodies = keys->bodies.items;
  for (int k = 0; k < keys->bodies.count; k++) flg_build_body(build, scope, &bodies[k]);
  const flg_component_robot_keys *robots = keys->robots.items;
  for (int k = 0; k < keys->robots.count; k++) flg_build_robot(build, scope, &robots[k]);
  const flg_inner_component_keys *inner = keys->components.items;
  for (int k = 0; k < keys->components.count && !build->full; k++) {
    const flg_pose placement = flg_placement_pose(&inner[k].placement);
    const flg_component_use use = {.path = inner[k].file,
                                   .asked_at = inner[k].origin.place,
                                   .pose = flg_pose_compose(&scope->pose, &placement),
                                   .parameters = inner[k].parameters};
    if (use.path != NULL) add_inner(build, scope, &inner[k].origin, &use);
  }
  const flg_component_frame_keys *ports = keys->ports.items, *markers = keys->markers.items;
  for (int k = 0; k < keys->ports.count; k++) flg_build_frame(build, scope, &ports[k], true);
  for (int k = 0; k < keys->markers.count; k++) flg_build_frame(build, scope, &markers[k], false);
}

static void build_joints(flg_component_builder *build, const flg_scope *scope,
                         const flg_component_keys *keys) {
  const flg_component_joint_keys *joints = keys->joints.items;
  int *numbers = flg_region_take(build->region, (size_t)keys->joints.count, sizeof *numbers);
  if (numbers == NULL) return;
  for (int k = 0; k < keys->joints.count; k++) {
    numbers[k] = flg_build_joint(build, scope, &joints[k]);
  }
  const flg_component_sensor_keys *sensors = keys->sensors.items;
  for (int k = 0; k < keys->sensors.count; k++) flg_build_sensor(build, scope, &sensors[k]);
  for (int k = 0; k < keys->joints.count; k++) {
    if (numbers[k] != -1) flg_build_gear(build, scope, &joints[k], numbers[k]);
  }
}

static const flg_component_keys *build_file(flg_component_builder *build, flg_scope *scope,
                                            const flg_component_use *use) {
  const flg_source *from = &build->source;
  const flg_component_keys *keys =
      from->ops->component(from->self, scope->file, &use->parameters, use->asked_at);
  const int before = build->mistakes->count;
  if (keys == NULL) return NULL;
  scope->parameters = keys->parameters;
  const flg_value *parameters = keys->parameters.items;
  for (int k = 0; k < keys->parameters.count; k++) {
    flg_name_index_add(&scope->by_parameter, parameters[k].origin.name, k, build->region);
  }
  build_parts(build, scope, keys);
  build_joints(build, scope, keys);
  flg_build_springs(build, scope, &keys->springs);
  const int first_element = build->elements.count;
  for (int k = 0; k < FLG_LISTED_COUNT; k++) {
    flg_build_listed(build, scope, flg_listed_kinds[k], &keys->listed[k]);
  }
  const flg_component_force_keys *forces = keys->forces.items;
  for (int k = 0; k < keys->forces.count; k++) flg_build_force(build, scope, &forces[k]);
  flg_build_signals(build, scope, keys, first_element);
  flg_build_contacts(build, scope, &keys->contacts);
  /* its mistakes need not be reported again for every use */
  if (build->mistakes->count > before) scope->file->broken = true;
  return keys;
}

static bool component_is_usable(const flg_component_builder *build, const flg_scope *outer,
                                const flg_component_file *file, flg_place place) {
  if (file == NULL || file->broken) return false;
  if (is_recursive(build, outer, file, place)) return false;
  if (outer == NULL || outer->depth < FLG_COMPONENT_MAX_DEPTH) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "components are nested more than %d deep",
                  FLG_COMPONENT_MAX_DEPTH);
  return false;
}

static int add_group(flg_component_builder *build, const flg_scope *outer, const flg_origin *name,
                     const char *path) {
  flg_component_group *group =
      flg_build_add(build, &build->groups, sizeof *group, "components", name->place);
  bool *told = flg_growing_add(&build->told, sizeof *told, build->region);
  if (group == NULL || told == NULL) return -1;
  *group = (flg_component_group){.name = path, .place = name->place, .parent = outer->group};
  const int index = build->groups.count - 1;
  flg_build_enter_part(build, name, path, (flg_named_part){FLG_PART_GROUP, index});
  return index;
}

static flg_component_file *component_find_file(const flg_component_builder *build,
                                               const flg_component_use *use) {
  return build->source.ops->file(build->source.self, use->path, use->asked_at);
}

static void add_inner(flg_component_builder *build, const flg_scope *outer, const flg_origin *name,
                      const flg_component_use *use) {
  if (!flg_build_name_check(build, name)) return;
  const int before = build->mistakes->count;
  const char *path = flg_build_path(build, outer, name->name);
  const int group = add_group(build, outer, name, path);
  flg_component_file *file = group < 0 ? NULL : component_find_file(build, use);
  const char *prefix = flg_region_format(build->region, "%s/", path);
  if (group < 0 || prefix == NULL) return;
  flg_scope scope = {.outer = outer,
                     .prefix = prefix,
                     .group = group,
                     .depth = outer->depth + 1,
                     .pose = use->pose,
                     .file = file};
  const bool usable = component_is_usable(build, outer, file, name->place);
  if (usable) build_file(build, &scope, use);
  ((bool *)build->told.items)[group] = !usable || build->mistakes->count > before;
}

/* --- the builder --------------------------------------------------------------------------- */

flg_component_builder *flg_component_builder_begin(const char *name, const char *file,
                                                   flg_source source, flg_region *region,
                                                   flg_mistakes *mistakes) {
  flg_component_builder *build = flg_region_take(region, 1, sizeof *build);
  if (build == NULL) return NULL;
  *build =
      (flg_component_builder){.name = name,
                              .file = file,
                              .source = source,
                              .region = region,
                              .mistakes = mistakes,
                              .mistakes_before = mistakes->count,
                              .surfaces = {.region = region, .mistakes = mistakes},
                              .top = {.prefix = "", .group = FLG_TOP, .pose = flg_pose_identity()}};
  return build;
}

void flg_component_builder_fill(flg_component_builder *builder, const flg_component_use *use) {
  flg_component_file *file = component_find_file(builder, use);
  if (!component_is_usable(builder, NULL, file, use->asked_at)) return;
  builder->top.file = file;
  builder->top.pose = use->pose;
  const flg_component_keys *keys = build_file(builder, &builder->top, use);
  if (keys != NULL && keys->name != NULL) builder->name = keys->name;
}

void flg_component_builder_add_file(flg_component_builder *builder, const flg_origin *name,
                                    const flg_component_use *use) {
  add_inner(builder, &builder->top, name, use);
}

void flg_component_builder_add_robot(flg_component_builder *builder,
                                     const flg_component_robot_keys *keys) {
  flg_build_robot(builder, &builder->top, keys);
}

static void add_port(flg_component_builder *build, const flg_scope *scope, const flg_origin *name,
                     const flg_pose *pose) {
  const char *path = flg_build_path(build, scope, name->name);
  flg_component_body *body =
      flg_build_add(build, &build->bodies, sizeof *body, "bodies", name->place);
  flg_component_frame *frame =
      flg_build_add(build, &build->frames, sizeof *frame, "ports and markers", name->place);
  if (body == NULL || frame == NULL || !flg_build_name_check(build, name)) return;
  *body = (flg_component_body){.name = path,
                               .place = name->place,
                               .group = scope->group,
                               .is_port = true,
                               .mass = 1,
                               .inertia = {.xx = 1, .yy = 1, .zz = 1},
                               .pose = *pose};
  const flg_anchor anchor = {
      .robot = -1, .body = build->bodies.count - 1, .pose = flg_pose_identity()};
  *frame = (flg_component_frame){
      .name = path, .place = name->place, .group = scope->group, .port = true, .anchor = anchor};
  flg_build_enter_point(build, name, path,
                        (flg_point){.body = -1, .frame = build->frames.count - 1});
}

void flg_component_builder_add_ports(flg_component_builder *builder, const flg_origin *name,
                                     const flg_port_list *ports) {
  if (!flg_build_name_check(builder, name)) return;
  const int group = add_group(builder, &builder->top, name, name->name);
  const char *prefix = flg_region_format(builder->region, "%s/", name->name);
  if (group < 0 || prefix == NULL) return;
  const flg_scope scope = {.outer = &builder->top, .prefix = prefix, .group = group, .depth = 1};
  const int first = builder->bodies.count;
  for (int k = 0; k < ports->count; k++) {
    const flg_origin port = {ports->names[k], name->place};
    add_port(builder, &scope, &port, &ports->poses[k]);
  }
  if (builder->bodies.count - first != ports->count) return;
  if (ports->shape_count > 0) flg_surface_table_materials(&builder->surfaces, ports->materials);
  for (int k = 0; k < ports->shape_count; k++) {
    flg_build_port_shape(builder, &scope, &ports->shapes[k], first + ports->shapes[k].port);
  }
}

void flg_component_builder_add_joint(flg_component_builder *builder,
                                     const flg_component_joint_keys *keys) {
  if (flg_bushing_is_given(&keys->bushing)) {
    flg_build_interface_bushing(builder, &builder->top, keys);
    return;
  }
  const int joint = flg_build_joint(builder, &builder->top, keys);
  if (joint != -1) flg_build_gear(builder, &builder->top, keys, joint);
}

/* True if two shapes for contact are on bodies that move apart. */
static bool component_may_touch(const flg_component *component, const flg_shape *a,
                                const flg_shape *b) {
  if (a->family != b->family) return false;
  if (a->robot != b->robot) return true;
  if (a->robot > 0 && !component->robots[a->robot - 1].self_collision) return false;
  return a->body != b->body;
}

/* The first shape for contact of the same family; every other shape of the family that can touch
 * something moves apart from it, or from one that does. */
static const flg_shape *first_of_family(const flg_component *component, const flg_shape *of) {
  const flg_shape *shape = component->shapes;
  while (!shape->collision || shape->family != of->family) shape++;
  return shape;
}

/* Meshes that can touch nothing need not be there, nor be of a kind that is read. */
static void component_read_meshes(const flg_component_builder *build, flg_component *component) {
  for (int k = 0; k < component->shape_count; k++) {
    const flg_shape *shape = &component->shapes[k];
    if (!shape->collision) continue;
    if (!component_may_touch(component, first_of_family(component, shape), shape)) continue;
    build->source.ops->read_meshes(build->source.self, component->shapes, component->shape_count);
    return;
  }
}

static void component_builder_check(const flg_component_builder *build, flg_component *component) {
  if (build->region->failed) {
    flg_mistake_add(build->mistakes, FLG_ERR_MEMORY, (flg_place){.file = build->file},
                    "no memory left to read the component");
  }
  if (build->mistakes->count > build->mistakes_before) return;
  flg_component_check(component, build->mistakes);
  flg_forces_check(component, build->mistakes);
  if (build->mistakes->count == build->mistakes_before) component_read_meshes(build, component);
}

#define HAND_OVER(what) .what##s = build->what##s.items, .what##_count = build->what##s.count

void flg_component_builder_finish(flg_component_builder *builder, flg_component *component) {
  const flg_component_builder *build = builder;
  *component = (flg_component){.name = build->name,
                               .file = build->file,
                               HAND_OVER(group),
                               .bodies = build->bodies.items,
                               .body_count = build->bodies.count,
                               HAND_OVER(robot),
                               HAND_OVER(coordinate),
                               HAND_OVER(joint),
                               HAND_OVER(spring),
                               HAND_OVER(friction),
                               HAND_OVER(stop),
                               HAND_OVER(load),
                               HAND_OVER(element),
                               HAND_OVER(frame),
                               HAND_OVER(shape),
                               HAND_OVER(block),
                               HAND_OVER(motor),
                               HAND_OVER(effort),
                               .surfaces = flg_surface_table_view(&build->surfaces)};
  flg_component_find_stations(component, build->region);
  flg_component_index(component, build->region);
  component_builder_check(build, component);
}
