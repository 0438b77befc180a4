#include <string.h>

#include "flatten/component_build.h"

/* a new shape, all zero, of a body with that path; NULL: no memory */
static flg_shape *add_body_shape(flg_component_builder *build, const char *path, flg_place place) {
  flg_shape *shape = flg_build_add(build, &build->shapes, sizeof *shape, "shapes", place);
  const char **known = flg_growing_add(&build->shape_paths, sizeof *known, build->region);
  if (shape == NULL || known == NULL) return NULL;
  *known = path;
  return shape;
}

static const char *path_of(const flg_component_builder *build, const flg_scope *scope, int body,
                           int robot) {
  const flg_component_body *bodies = build->bodies.items;
  const flg_component_robot *robots = build->robots.items;
  if (robot > 0) return robots[robot - 1].name;
  return body == FLG_WORLD ? flg_build_path(build, scope, "world") : bodies[body].name;
}

/* NULL: no memory */
static flg_shape *build_shape(flg_component_builder *build, const char *path,
                              const flg_shape_keys *keys, int body) {
  flg_shape *shape = add_body_shape(build, path, keys->origin.place);
  if (shape == NULL) return NULL;
  *shape = flg_shape_of_keys(keys, body, build->region, build->mistakes);
  flg_surface_table_shape(&build->surfaces, keys, shape);
  shape->family = build->family;
  return shape;
}

void flg_build_shapes(flg_component_builder *build, const flg_scope *scope, const flg_items *items,
                      int body, int robot) {
  const flg_shape_keys *keys = items->items;
  const char *path = items->count > 0 ? path_of(build, scope, body, robot) : "";
  for (int k = 0; k < items->count; k++) {
    flg_shape *shape = build_shape(build, path, &keys[k], body);
    if (shape == NULL) return;
    if (body == FLG_WORLD) shape->pose = flg_pose_compose(&scope->pose, &shape->pose);
    shape->robot = robot;
  }
}

void flg_build_port_shape(flg_component_builder *build, const flg_scope *scope,
                          const flg_port_shape *of, int body) {
  flg_shape *shape = build_shape(build, path_of(build, scope, body, 0), &of->keys, body);
  if (shape != NULL) shape->pose = of->pose;
}

/* The ground of its model is that of the component, where the robot stands. */
static void take_shape(const flg_component_robot *robot, int number, int family, flg_shape *shape) {
  shape->family = family;
  if (shape->body != FLG_WORLD) {
    shape->robot = number + 1;
  } else {
    shape->pose = flg_pose_compose(&robot->pose, &shape->pose);
  }
}

void flg_build_robot_shapes(flg_component_builder *build, int robot) {
  const flg_component_robot *of = &((const flg_component_robot *)build->robots.items)[robot];
  const flg_model *model = of->model;
  const int first = build->shapes.count;
  for (int k = 0; k < model->shape_count; k++) {
    const int body = model->shapes[k].body;
    const char *path = flg_region_format(build->region, "%s/%s", of->name,
                                         body == FLG_WORLD ? "world" : model->bodies[body].name);
    flg_shape *shape = path == NULL ? NULL : add_body_shape(build, path, model->shapes[k].place);
    if (shape == NULL) return;
    *shape = model->shapes[k];
    take_shape(of, robot, build->family, shape);
  }
  flg_shape *shapes = build->shapes.items; /* NULL: there are none at all */
  flg_surface_table_merge(&build->surfaces, &model->surfaces,
                          shapes == NULL ? NULL : shapes + first, model->shape_count, first);
}

/* --- pairs that touch ------------------------------------------------------------------------ */

void flg_build_contacts(flg_component_builder *build, const flg_scope *scope,
                        const flg_touching_keys *keys) {
  flg_surface_table_touching(&build->surfaces, keys,
                             &(flg_named_shapes){build->shapes.items, build->shape_paths.items,
                                                 build->shapes.count, scope->prefix});
}

void flg_component_builder_surround(flg_component_builder *builder,
                                    const flg_surroundings *surroundings) {
  const flg_scope world = {.prefix = "", .group = FLG_TOP, .pose = flg_pose_identity()};
  flg_surface_table_materials(&builder->surfaces, surroundings->materials);
  flg_build_shapes(builder, &world, surroundings->ground, FLG_WORLD, 0);
  flg_surface_table_pairs(&builder->surfaces, surroundings->pairs, true);
  const flg_origin material = {surroundings->material, surroundings->place};
  const int usual =
      material.name == NULL ? 0 : flg_surface_table_need(&builder->surfaces, &material);
  flg_shape *shapes = builder->shapes.items;
  for (int k = builder->family_first; k < builder->shapes.count; k++) {
    if (shapes[k].surface == 0) shapes[k].surface = usual;
  }
  builder->family++;
  builder->family_first = builder->shapes.count;
}
