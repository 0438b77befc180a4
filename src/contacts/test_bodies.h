/* test_bodies.h - the smallest host of contacts: free bodies in absolute coordinates.
 *
 * Each body is a block of six rows at its centre of mass, stepped by semi-implicit Euler. Spheres
 * and boxes, a floor.
 */
#ifndef FLG_SUBSYSTEM_TEST_BODIES_H
#define FLG_SUBSYSTEM_TEST_BODIES_H

#include "check.h"
#include "contacts/contacts.h"

enum { BODIES_MAX = 1100 };

typedef struct test_body {
  double mass;
  flg_vec3 inertia; /* about its own axes */
  flg_quat attitude;
  flg_vec3 position, velocity, spin;
} test_body;

typedef struct test_bodies {
  int count, shape_count;
  flg_vec3 gravity;
  test_body bodies[BODIES_MAX];
  flg_contact_shape forms[BODIES_MAX + 1];
  flg_scene_shape shapes[BODIES_MAX + 1];
  flg_touch_place places[BODIES_MAX];
  flg_material material;
  flg_material_table table;
  flg_contacts *contacts;
  double *memory;
  flg_pose poses[BODIES_MAX];
  flg_spatial velocities[BODIES_MAX];
  flg_touch_block blocks[BODIES_MAX];
  double admittance[BODIES_MAX][36], before[BODIES_MAX][6], free[BODIES_MAX][6];
  double impulses[BODIES_MAX][6], moves[BODIES_MAX][6];
} test_bodies;

static inline test_bodies *bodies_new(double friction, double restitution) {
  test_bodies *all = calloc(1, sizeof *all);
  assert_non_null(all);
  all->material = (flg_material){friction, restitution};
  all->table = (flg_material_table){1, &all->material};
  all->gravity = (flg_vec3){0, 0, -9.81};
  return all;
}

static inline void bodies_shape(test_bodies *all, int body) {
  const int k = all->shape_count++;
  all->shapes[k] = flg_scene_shape_default(&all->forms[k], body);
}

static inline test_body *bodies_add(test_bodies *all, double mass, flg_vec3 inertia,
                                    flg_vec3 position) {
  const int k = all->count++;
  all->bodies[k] = (test_body){
      .mass = mass, .inertia = inertia, .attitude = flg_quat_identity(), .position = position};
  all->places[k] = (flg_touch_place){k, 0};
  bodies_shape(all, k);
  return &all->bodies[k];
}

static inline test_body *bodies_sphere(test_bodies *all, double mass, double radius,
                                       flg_vec3 position) {
  const double i = 0.4 * mass * radius * radius;
  flg_contact_shape_sphere(&all->forms[all->shape_count], radius, NULL);
  return bodies_add(all, mass, (flg_vec3){i, i, i}, position);
}

static inline test_body *bodies_box(test_bodies *all, double mass, flg_vec3 lengths,
                                    flg_vec3 position) {
  const double x = lengths.x * lengths.x, y = lengths.y * lengths.y, z = lengths.z * lengths.z;
  const double m = mass / 12;
  flg_contact_shape_box(&all->forms[all->shape_count], lengths, NULL);
  return bodies_add(all, mass, (flg_vec3){m * (y + z), m * (x + z), m * (x + y)}, position);
}

static inline void bodies_floor(test_bodies *all) {
  flg_contact_shape_plane(&all->forms[all->shape_count]);
  bodies_shape(all, FLG_WORLD);
}

static inline void bodies_build(test_bodies *all, const flg_contacts_options *options) {
  const flg_scene_input scene = {.shapes = all->shapes,
                                 .materials = &all->table,
                                 .shape_count = all->shape_count,
                                 .body_count = all->count};
  flg_error error = {.status = FLG_OK};
  const flg_status status =
      flg_contacts_build(&all->contacts, &scene, all->places, all->count, 0, options, &error);
  if (status != FLG_OK) print_error("%s\n", error.message);
  assert_int_equal(status, FLG_OK);
  all->memory = calloc((size_t)flg_contacts_numbers(all->contacts), sizeof(double));
  assert_non_null(all->memory);
  flg_contacts_remember(all->contacts, all->memory);
  for (int k = 0; k < all->count; k++) {
    all->blocks[k] = (flg_touch_block){
        6, all->admittance[k], all->before[k], all->free[k], all->impulses[k], all->moves[k]};
  }
}

static inline void bodies_drop(test_bodies *all) {
  flg_contacts_release(all->contacts);
  free(all->memory);
  free(all);
}

/* diag(1/m, I^-1), and the free velocities; spins without gyroscopic terms if spherical */
static inline void bodies_load(test_bodies *all, int k, double h) {
  const test_body *body = &all->bodies[k];
  const flg_mat3 r = flg_quat_to_matrix(body->attitude);
  const flg_vec3 i = body->inertia;
  const flg_vec3 inner = flg_mat3_apply_transposed(&r, body->spin);
  const flg_vec3 momentum = {i.x * inner.x, i.y * inner.y, i.z * inner.z};
  const flg_vec3 torque = flg_vec3_cross(momentum, inner);
  const flg_vec3 rate =
      flg_mat3_apply(&r, (flg_vec3){torque.x / i.x, torque.y / i.y, torque.z / i.z});
  double *d = all->admittance[k];
  memset(d, 0, sizeof all->admittance[k]);
  for (int j = 0; j < 3; j++) {
    const double unit[3] = {j == 0, j == 1, j == 2};
    const flg_vec3 u = flg_mat3_apply_transposed(&r, flg_vec3_load(unit));
    const flg_vec3 column = flg_mat3_apply(&r, (flg_vec3){u.x / i.x, u.y / i.y, u.z / i.z});
    d[7 * j] = 1 / body->mass;
    flg_vec3_store(column, d + 21 + 6 * j);
  }
  all->velocities[k] = (flg_spatial){body->velocity, body->spin};
  all->poses[k] = (flg_pose){r, body->position};
  flg_spatial_store(all->velocities[k], all->before[k]);
  flg_vec3_store(flg_vec3_add_scaled(body->velocity, h, all->gravity), all->free[k]);
  flg_vec3_store(flg_vec3_add_scaled(body->spin, h, rate), all->free[k] + 3);
}

static inline flg_spatial bodies_answer(const double *d, const double *x) {
  double y[6] = {0};
  for (int j = 0; j < 6; j++) {
    for (int i = 0; i < 6; i++) y[i] += d[i + 6 * j] * x[j];
  }
  return flg_spatial_load(y);
}

static inline void bodies_move(test_bodies *all, int k, double h) {
  test_body *body = &all->bodies[k];
  const double *d = all->admittance[k];
  const flg_spatial after =
      flg_spatial_add(flg_spatial_load(all->free[k]), bodies_answer(d, all->impulses[k]));
  const flg_spatial way =
      flg_spatial_add(flg_spatial_scale(after, h), bodies_answer(d, all->moves[k]));
  body->velocity = after.linear, body->spin = after.angular;
  body->position = flg_vec3_add(body->position, way.linear);
  body->attitude = flg_quat_normalise(flg_quat_integrate_world(body->attitude, way.angular, 1));
}

static inline flg_status bodies_try(test_bodies *all, double h) {
  flg_error error = {.status = FLG_OK};
  for (int k = 0; k < all->count; k++) bodies_load(all, k, h);
  flg_status status = flg_contacts_find(all->contacts, all->poses, all->velocities, h, &error);
  if (status != FLG_OK) print_error("%s\n", error.message);
  if (status == FLG_OK) status = flg_contacts_close(all->contacts, all->blocks, NULL, NULL, 0, h);
  for (int k = 0; k < all->count && status == FLG_OK; k++) bodies_move(all, k, h);
  return status;
}

static inline void bodies_step(test_bodies *all, double h) {
  assert_int_equal(bodies_try(all, h), FLG_OK);
}

static inline double body_energy(const test_bodies *all, const test_body *body) {
  const flg_mat3 r = flg_quat_to_matrix(body->attitude);
  const flg_vec3 w = flg_mat3_apply_transposed(&r, body->spin), i = body->inertia;
  return 0.5 * body->mass * flg_vec3_dot(body->velocity, body->velocity) +
         0.5 * (i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z) -
         body->mass * flg_vec3_dot(all->gravity, body->position);
}

#endif
