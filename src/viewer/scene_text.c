/* scene_text.c - a scene as JSON, as docs/view.md has it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json.h"
#include "viewer/scene_inner.h"

enum { SCENE_VERSION = 1, VALUES_MAX = 200000 };

static void write_vector(flg_json *json, const char *key, flg_vec3 vector) {
  double values[3];
  flg_vec3_store(vector, values);
  flg_json_numbers(json, key, values, 3);
}

static void write_pose(flg_json *json, const char *key, const flg_pose *pose) {
  const flg_quat turn = flg_quat_from_matrix(&pose->rotation);
  const double values[FLG_SCENE_POSE] = {
      pose->position.x, pose->position.y, pose->position.z, turn.w, turn.x, turn.y, turn.z};
  flg_json_numbers(json, key, values, FLG_SCENE_POSE);
}

static void write_scene_shape(flg_json *json, const flg_scene_drawn *drawn) {
  const flg_shape *shape = drawn->shape;
  flg_json_open(json, NULL, '{');
  flg_json_text(json, "kind", flg_shape_kind_name(shape->kind));
  if (shape->name != NULL) flg_json_text(json, "name", shape->name);
  flg_json_flag(json, "collision", shape->collision);
  flg_json_numbers(json, "size", shape->size, flg_shape_kind_sizes(shape->kind));
  write_pose(json, "pose", &shape->pose);
  if (!isnan(shape->colour[0])) flg_json_numbers(json, "colour", shape->colour, 4);
  if (drawn->mesh >= 0) flg_json_number(json, "mesh", drawn->mesh);
  if (flg_shape_kind_has_values(shape->kind) && shape->value_count <= VALUES_MAX) {
    flg_json_numbers(json, "values", shape->values, shape->value_count);
    flg_json_number(json, "columns", shape->columns);
  }
  flg_json_close(json);
}

static void write_bend(const flg_scene_bend *bend, flg_json *json) {
  flg_json_open(json, "bend", '{');
  flg_json_number(json, "frame", bend->frame);
  flg_json_numbers(json, "at", &bend->rest_points->x, 3 * bend->count);
  if (flg_vec3_norm(bend->axis) > 0) write_vector(json, "axis", bend->axis);
  flg_json_close(json);
}

static void write_body(const flg_scene *scene, int index, flg_json *json) {
  const flg_scene_body *body = (const flg_scene_body *)scene->bodies.items + index;
  const flg_scene_drawn *drawn = scene->drawn.items;
  const double inertia[] = {body->inertia.xx, body->inertia.yy, body->inertia.zz,
                            body->inertia.xy, body->inertia.xz, body->inertia.yz};
  flg_json_open(json, NULL, '{');
  flg_json_text(json, "name", body->name);
  flg_json_text(json, "subsystem", body->subsystem);
  if (body->frame >= 0) flg_json_number(json, "frame", body->frame);
  if (body->frame < 0) write_pose(json, "pose", &body->pose);
  if (body->mass > 0) {
    flg_json_number(json, "mass", body->mass);
    write_vector(json, "centre", body->centre);
    flg_json_numbers(json, "inertia", inertia, 6);
  }
  if (body->bend.count > 0) write_bend(&body->bend, json);
  flg_json_open(json, "shapes", '[');
  for (int k = 0; k < scene->drawn.count; k++) {
    if (drawn[k].body == index) write_scene_shape(json, &drawn[k]);
  }
  flg_json_close(json);
  flg_json_close(json);
}

static void write_links(const flg_growing *list, const char *key, flg_json *json) {
  const flg_scene_link *links = list->items;
  flg_json_open(json, key, '[');
  for (int k = 0; k < list->count; k++) {
    flg_json_open(json, NULL, '{');
    flg_json_text(json, "name", links[k].name);
    flg_json_text(json, "kind", links[k].kind);
    flg_json_number(json, "a", links[k].end[0].body);
    flg_json_number(json, "b", links[k].end[1].body);
    write_vector(json, "at_a", links[k].end[0].pose.position);
    write_vector(json, "at_b", links[k].end[1].pose.position);
    write_vector(json, "axis", links[k].axis);
    flg_json_close(json);
  }
  flg_json_close(json);
}

static void write_wheel(const flg_scene_anchor *end, bool turns, double factor, flg_json *json) {
  flg_json_open(json, NULL, '{');
  flg_json_flag(json, "turns", turns);
  flg_json_number(json, "factor", factor);
  flg_json_open(json, "bodies", '[');
  for (int e = 0; e < 2; e++) flg_json_number(json, NULL, end[e].body);
  flg_json_close(json);
  flg_json_open(json, "poses", '[');
  for (int e = 0; e < 2; e++) write_pose(json, NULL, &end[e].pose);
  flg_json_close(json);
  flg_json_close(json);
}

static void write_gears(const flg_scene *scene, flg_json *json) {
  const flg_scene_gear *gears = scene->gears.items;
  flg_json_open(json, "gears", '[');
  for (int k = 0; k < scene->gears.count; k++) {
    flg_json_open(json, NULL, '{');
    flg_json_text(json, "name", gears[k].name);
    flg_json_open(json, "of", '[');
    for (int i = 0; i < 2; i++) {
      write_wheel(gears[k].of[i].end, gears[k].of[i].turns, gears[k].of[i].factor, json);
    }
    flg_json_close(json);
    flg_json_close(json);
  }
  flg_json_close(json);
}

static void write_markers(const flg_scene *scene, flg_json *json) {
  const flg_scene_marker *markers = scene->markers.items;
  flg_json_open(json, "markers", '[');
  for (int k = 0; k < scene->markers.count; k++) {
    flg_json_open(json, NULL, '{');
    flg_json_text(json, "name", markers[k].name);
    flg_json_flag(json, "port", markers[k].port);
    flg_json_number(json, "body", markers[k].at.body);
    write_pose(json, "pose", &markers[k].at.pose);
    flg_json_close(json);
  }
  flg_json_close(json);
}

/* the bodies that it joins, where they are known */
static void write_joined(const flg_scene_anchor end[2], flg_json *json) {
  if (end[0].body < 0 || end[1].body < 0) return;
  flg_json_number(json, "a", end[0].body);
  flg_json_number(json, "b", end[1].body);
  write_vector(json, "at_a", end[0].pose.position);
  write_vector(json, "at_b", end[1].pose.position);
}

static void write_interfaces(const flg_scene *scene, flg_json *json) {
  const flg_scene_interface *interfaces = scene->interfaces.items;
  const flg_scene_side *sides = scene->sides.items;
  flg_json_open(json, "interfaces", '[');
  for (int k = 0; k < scene->interfaces.count; k++) {
    flg_json_open(json, NULL, '{');
    flg_json_text(json, "name", interfaces[k].name);
    if (interfaces[k].frame >= 0) flg_json_number(json, "frame", interfaces[k].frame);
    write_joined(interfaces[k].end, json);
    flg_json_close(json);
  }
  flg_json_close(json);
  flg_json_open(json, "sides", '[');
  for (int k = 0; k < scene->sides.count; k++) {
    flg_json_open(json, NULL, '{');
    flg_json_number(json, "interface", sides[k].interface);
    flg_json_text(json, "subsystem", sides[k].subsystem->name);
    flg_json_close(json);
  }
  flg_json_close(json);
}

static void write_touched(const flg_scene *scene, flg_json *json) {
  const flg_simulation *simulation = scene->simulation;
  flg_json_open(json, "touching", '[');
  for (int k = 0; k < simulation->subsystem_count; k++) {
    for (int i = 0; i < flg_touched_count(&simulation->subsystems[k]); i++) {
      char name[FLG_TOUCHING_NAME];
      flg_json_text(json, NULL, flg_touching_name(simulation, k, i, name));
    }
  }
  flg_json_close(json);
}

static void write_meshes(const flg_scene *scene, flg_json *json) {
  const flg_scene_mesh *meshes = scene->meshes.items;
  flg_json_open(json, "meshes", '[');
  for (int k = 0; k < scene->meshes.count; k++) {
    flg_json_text(json, NULL, meshes[k].triangles);
  }
  flg_json_close(json);
}

static void write_steppers(const flg_simulation *simulation, flg_json *json) {
  flg_json_open(json, "integrators", '{');
  for (int k = 0; k < flg_simulation_stepper_count(simulation); k++) {
    flg_json_text(json, flg_simulation_stepper(simulation, k),
                  flg_simulation_integrator(simulation, k));
  }
  flg_json_close(json);
}

static void write_scene(const flg_scene *scene, FILE *out) {
  const flg_simulation *simulation = scene->simulation;
  flg_json json = flg_json_begin(out);
  flg_json_number(&json, "version", SCENE_VERSION);
  flg_json_text(&json, "coupling", flg_simulation_coupling(simulation));
  flg_json_number(&json, "macro", flg_simulation_macro(simulation));
  flg_json_number(&json, "end", flg_simulation_end(simulation));
  write_steppers(simulation, &json);
  flg_json_number(&json, "frames", scene->frames.count);
  flg_json_open(&json, "bodies", '[');
  for (int k = 0; k < scene->bodies.count; k++) write_body(scene, k, &json);
  flg_json_close(&json);
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
