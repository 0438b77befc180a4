/* scene_text.c - a scene as JSON, as docs/view.md has it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json.h"
#include "viewer/scene_inner.h"

enum { SCENE_VERSION = 1, VALUES_MAX = 200000 };

static void scene_write_pose(flg_json *json, const char *key, const flg_pose *pose) {
  const flg_quat turn = flg_quat_from_matrix(&pose->rotation);
  const double values[FLG_SCENE_POSE] = {
      pose->position.x, pose->position.y, pose->position.z, turn.w, turn.x, turn.y, turn.z};
  flg_json_put(json, "*:v", key, values, FLG_SCENE_POSE);
}

static void write_scene_shape(flg_json *json, const flg_scene_drawn *drawn) {
  const flg_shape *shape = drawn->shape;
  flg_json_put(json, "{ kind:s", flg_shape_kind_name(shape->kind));
  if (shape->name != NULL) flg_json_put(json, "name:s", shape->name);
  flg_json_put(json, "collision:b size:v", shape->collision, shape->size,
               flg_shape_kind_sizes(shape->kind));
  scene_write_pose(json, "pose", &shape->pose);
  if (!isnan(shape->colour[0])) flg_json_put(json, "colour:v", shape->colour, 4);
  if (drawn->mesh >= 0) flg_json_put(json, "mesh:d", drawn->mesh);
  if (flg_shape_kind_has_values(shape->kind) && shape->value_count <= VALUES_MAX) {
    flg_json_put(json, "values:v columns:d", shape->values, shape->value_count, shape->columns);
  }
  flg_json_put(json, "}");
}

static void write_bend(const flg_scene_bend *bend, flg_json *json) {
  flg_json_put(json, "bend{ frame:d at:v", bend->frame, &bend->rest_points->x, 3 * bend->count);
  if (flg_vec3_norm(bend->axis) > 0) flg_json_put(json, "axis:v", &bend->axis.x, 3);
  flg_json_put(json, "}");
}

static void scene_write_body(const flg_scene *scene, int index, flg_json *json) {
  const flg_scene_body *body = (const flg_scene_body *)scene->bodies.items + index;
  const flg_scene_drawn *drawn = scene->drawn.items;
  const double inertia[] = {body->inertia.xx, body->inertia.yy, body->inertia.zz,
                            body->inertia.xy, body->inertia.xz, body->inertia.yz};
  flg_json_put(json, "{ name:s subsystem:s", body->name, body->subsystem);
  if (body->frame >= 0) flg_json_put(json, "frame:d", body->frame);
  if (body->frame < 0) scene_write_pose(json, "pose", &body->pose);
  if (body->mass > 0) {
    flg_json_put(json, "mass:g centre:v inertia:v", body->mass, &body->centre.x, 3, inertia, 6);
  }
  if (body->bend.count > 0) write_bend(&body->bend, json);
  flg_json_put(json, "shapes[");
  for (int k = 0; k < scene->drawn.count; k++) {
    if (drawn[k].body == index) write_scene_shape(json, &drawn[k]);
  }
  flg_json_put(json, "] }");
}

static void scene_write_ends(const flg_scene_anchor end[2], flg_json *json) {
  flg_json_put(json, "a:d b:d at_a:v at_b:v", end[0].body, end[1].body, &end[0].pose.position.x, 3,
               &end[1].pose.position.x, 3);
}

static void write_links(const flg_growing *list, const char *key, flg_json *json) {
  const flg_scene_link *links = list->items;
  flg_json_put(json, "*[", key);
  for (int k = 0; k < list->count; k++) {
    flg_json_put(json, "{ name:s kind:s", links[k].name, links[k].kind);
    scene_write_ends(links[k].end, json);
    flg_json_put(json, "axis:v }", &links[k].axis.x, 3);
  }
  flg_json_put(json, "]");
}

static void write_wheel(const flg_scene_anchor *end, bool turns, double factor, flg_json *json) {
  flg_json_put(json, "{ turns:b factor:g bodies[", turns, factor);
  for (int e = 0; e < 2; e++) flg_json_put(json, ":d", end[e].body);
  flg_json_put(json, "] poses[");
  for (int e = 0; e < 2; e++) scene_write_pose(json, NULL, &end[e].pose);
  flg_json_put(json, "] }");
}

static void write_gears(const flg_scene *scene, flg_json *json) {
  const flg_scene_gear *gears = scene->gears.items;
  flg_json_put(json, "gears[");
  for (int k = 0; k < scene->gears.count; k++) {
    flg_json_put(json, "{ name:s of[", gears[k].name);
    for (int i = 0; i < 2; i++) {
      write_wheel(gears[k].of[i].end, gears[k].of[i].turns, gears[k].of[i].factor, json);
    }
    flg_json_put(json, "] }");
  }
  flg_json_put(json, "]");
}

static void write_markers(const flg_scene *scene, flg_json *json) {
  const flg_scene_marker *markers = scene->markers.items;
  flg_json_put(json, "markers[");
  for (int k = 0; k < scene->markers.count; k++) {
    flg_json_put(json, "{ name:s port:b body:d", markers[k].name, markers[k].port,
                 markers[k].at.body);
    scene_write_pose(json, "pose", &markers[k].at.pose);
    flg_json_put(json, "}");
  }
  flg_json_put(json, "]");
}

static void write_interfaces(const flg_scene *scene, flg_json *json) {
  const flg_scene_interface *interfaces = scene->interfaces.items;
  const flg_scene_side *sides = scene->sides.items;
  flg_json_put(json, "interfaces[");
  for (int k = 0; k < scene->interfaces.count; k++) {
    flg_json_put(json, "{ name:s", interfaces[k].name);
    if (interfaces[k].frame >= 0) flg_json_put(json, "frame:d", interfaces[k].frame);
    /* the bodies that it joins, where they are known */
    const flg_scene_anchor *end = interfaces[k].end;
    if (end[0].body >= 0 && end[1].body >= 0) scene_write_ends(end, json);
    flg_json_put(json, "}");
  }
  flg_json_put(json, "] sides[");
  for (int k = 0; k < scene->sides.count; k++) {
    flg_json_put(json, "{ interface:d subsystem:s }", sides[k].interface, sides[k].subsystem->name);
  }
  flg_json_put(json, "]");
}

static void write_touched(const flg_scene *scene, flg_json *json) {
  const flg_simulation *simulation = scene->simulation;
  flg_json_put(json, "touching[");
  for (int k = 0; k < simulation->subsystem_count; k++) {
    for (int i = 0; i < flg_touched_count(&simulation->subsystems[k]); i++) {
      char name[FLG_TOUCHING_NAME];
      flg_json_put(json, ":s", flg_touching_name(simulation, k, i, name));
    }
  }
  flg_json_put(json, "]");
}

static void write_meshes(const flg_scene *scene, flg_json *json) {
  const flg_scene_mesh *meshes = scene->meshes.items;
  flg_json_put(json, "meshes[");
  for (int k = 0; k < scene->meshes.count; k++) {
    flg_json_put(json, ":s", meshes[k].triangles);
  }
  flg_json_put(json, "]");
}

static void write_steppers(const flg_simulation *simulation, flg_json *json) {
  flg_json_put(json, "integrators{");
  for (int k = 0; k < flg_simulation_stepper_count(simulation); k++) {
    flg_json_put(json, "*:s", flg_simulation_stepper(simulation, k),
                 flg_simulation_integrator(simulation, k));
  }
  flg_json_put(json, "}");
}

static void write_scene(const flg_scene *scene, FILE *out) {
  const flg_simulation *simulation = scene->simulation;
  flg_json json = flg_json_begin(out);
  flg_json_put(&json, "version:d coupling:s macro:g end:g", SCENE_VERSION,
               flg_simulation_coupling(simulation), flg_simulation_macro(simulation),
               flg_simulation_end(simulation));
  write_steppers(simulation, &json);
  flg_json_put(&json, "frames:d bodies[", scene->frames.count);
  for (int k = 0; k < scene->bodies.count; k++) scene_write_body(scene, k, &json);
  flg_json_put(&json, "]");
  write_links(&scene->joints, "joints", &json);
  write_links(&scene->springs, "springs", &json);
  write_gears(scene, &json);
  write_markers(scene, &json);
  write_interfaces(scene, &json);
  write_touched(scene, &json);
  write_meshes(scene, &json);
  flg_json_end(&json);
}

flg_status flg_scene_write(flg_scene *scene, flg_error *error) {
  size_t size = 0;
  FILE *out = open_memstream(&scene->text, &size);
  if (out != NULL) {
    write_scene(scene, out);
    if (fclose(out) == 0 && scene->text != NULL) return FLG_OK;
  }
  return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for the view.");
}
