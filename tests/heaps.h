/* heaps.h - boxes, balls and floors put together by hand, for tests and benchmarks of assemblies
 * with contacts. Needs no cmocka.
 */
#ifndef FLG_TESTS_HEAPS_H
#define FLG_TESTS_HEAPS_H

#include "contacts/contacts.h"
#include "pieces.h"

/* room for so many shapes, all of one surface */
static inline void shapes_new(parts *to, int capacity, double friction, double restitution) {
  flg_component *c = &to->component;
  c->shapes = calloc((size_t)capacity, sizeof *c->shapes);
  c->surfaces.surfaces = calloc(1, sizeof *c->surfaces.surfaces);
  c->surfaces.surfaces[0] =
      (flg_surface){.name = "all", .friction = friction, .restitution = restitution};
  c->surfaces.surface_count = 1;
}

static inline void shapes_drop(parts *of) {
  free(of->component.shapes), free(of->component.surfaces.surfaces);
}

static inline flg_shape *add_shape(parts *to, int body, flg_shape_kind kind, double x, double y,
                                   double z) {
  flg_component *c = &to->component;
  flg_shape *shape = &c->shapes[c->shape_count++];
  *shape = (flg_shape){.place = {"parts.yaml", c->shape_count, 1},
                       .body = body,
                       .collision = true,
                       .kind = kind,
                       .size = {x, y, z},
                       .pose = flg_pose_identity(),
                       .surface = 1};
  return shape;
}

static inline flg_shape *add_floor(parts *to) {
  return add_shape(to, FLG_WORLD, FLG_SHAPE_PLANE, 1, 1, 1);
}

static inline int add_box(parts *to, double mass, flg_vec3 size, flg_vec3 at, flg_quat turn) {
  const double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z;
  const flg_sym3 inertia = {mass / 12 * (y + z), mass / 12 * (x + z), mass / 12 * (x + y), 0, 0, 0};
  const int body = add_body(to, mass, inertia, at, turn);
  add_shape(to, body, FLG_SHAPE_BOX, size.x, size.y, size.z);
  return body;
}

static inline int add_ball(parts *to, double mass, double radius, flg_vec3 at) {
  const int body =
      add_body(to, mass, flg_sym3_diagonal(0.4 * mass * radius * radius), at, flg_quat_identity());
  add_shape(to, body, FLG_SHAPE_SPHERE, radius, 1, 1);
  return body;
}

/* cubes of 10 cm on each other */
static inline parts *tower_of(int count) {
  parts *p = parts_new(count);
  shapes_new(p, count + 1, 0.5, 0);
  add_floor(p);
  for (int k = 0; k < count; k++) {
    add_box(p, 1, vec(0.1, 0.1, 0.1), vec(0, 0, 0.05 + 0.1 * k), flg_quat_identity());
  }
  return p;
}

static inline double noise(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0 - 0.5;
}

/* boxes of 8 to 12 cm, dropped in layers of `side` by `side`, turned at random */
static inline parts *heap_of(int count, int side) {
  parts *p = parts_new(count);
  shapes_new(p, count + 1, 0.5, 0);
  add_floor(p);
  unsigned seed = 1;
  for (int k = 0; k < count; k++) {
    const int layer = k / (side * side), i = k % side, j = k / side % side;
    const flg_vec3 size =
        vec(0.1 + 0.04 * noise(&seed), 0.1 + 0.04 * noise(&seed), 0.1 + 0.04 * noise(&seed));
    const flg_vec3 at = vec(0.22 * (i - side / 2.) + 0.02 * noise(&seed),
                            0.22 * (j - side / 2.) + 0.02 * noise(&seed), 0.15 + 0.22 * layer);
    const flg_quat turn = flg_quat_exp(vec(noise(&seed), noise(&seed), noise(&seed)));
    add_box(p, 1000 * size.x * size.y * size.z, size, at, turn);
  }
  return p;
}

static inline flg_assembly_options touching_options(void) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = FLG_SCHEME_SEMI_IMPLICIT;
  options.gravity = vec(0, 0, -9.81);
  return options;
}

#endif
