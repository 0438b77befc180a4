#include "contacts/contact_identity.h"

#include "math/identity.h"

/* with their number: two lists one after the other cannot be taken for one */
static uint64_t hash_vectors(uint64_t hash, const flg_vec3 *vectors, int count) {
  hash = flg_identity_integers(hash, &count, 1);
  for (int k = 0; k < count; k++) hash = flg_identity_vector(hash, vectors[k]);
  return hash;
}

static uint64_t hash_field(uint64_t hash, const flg_height_field *field) {
  const int counts[] = {field->columns, field->rows};
  const double spacings[] = {field->spacing_x, field->spacing_y};
  hash = flg_identity_reals(flg_identity_integers(hash, counts, 2), spacings, 2);
  return flg_identity_reals(hash, field->heights, (size_t)field->columns * (size_t)field->rows);
}

/* the shape itself, not its file: a mesh under another name is the same */
static uint64_t hash_shape(uint64_t hash, const flg_scene_shape *placed) {
  const flg_contact_shape *shape = placed->shape;
  const int numbers[] = {(int)shape->kind, placed->body, placed->material, placed->family};
  hash = flg_identity_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  hash = flg_identity_bits(hash, (uint64_t)placed->group << 32 | placed->collides);
  hash = flg_identity_reals(flg_identity_vector(hash, shape->half), &shape->radius, 1);
  if (shape->hull != NULL) {
    hash = hash_vectors(hash, shape->hull->vertices, shape->hull->vertex_count);
  }
  if (shape->field != NULL) hash = hash_field(hash, shape->field);
  hash = hash_vectors(hash, shape->points, shape->point_count);
  return flg_identity_pose(hash, &placed->pose);
}

/* the table of pairs: what files say in several ways has one result */
static uint64_t hash_materials(uint64_t hash, const flg_material_table *table) {
  hash = flg_identity_integers(hash, &table->count, 1);
  for (int k = 0; k < table->count * table->count; k++) {
    const double values[] = {table->pairs[k].friction, table->pairs[k].restitution};
    hash = flg_identity_reals(hash, values, 2);
  }
  return hash;
}

/* Options that change results. Numbers of threads are none of them. */
static uint64_t hash_contact_options(uint64_t hash, const flg_contacts_options *options) {
  const flg_contact_law_options *law = &options->law;
  const flg_complementarity_options *solver = &law->solver;
  const int numbers[] = {(int)law->friction,   (int)law->impact,    options->capacity,
                         options->dense_limit, (int)solver->method, solver->direct_limit,
                         solver->iterations};
  const double reals[] = {law->correction, law->slop, solver->tolerance, solver->pivot_tolerance,
                          solver->potential_tolerance};
  hash = flg_identity_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  return flg_identity_reals(hash, reals, sizeof reals / sizeof reals[0]);
}

uint64_t flg_contact_identity(uint64_t hash, const flg_touch_shapes *touch,
                              const flg_contacts_options *options) {
  hash = hash_contact_options(hash, options);
  hash = flg_identity_integers(hash, &touch->count, 1);
  for (int k = 0; k < touch->count; k++) hash = hash_shape(hash, &touch->shapes[k]);
  for (int k = 0; k < touch->apart_count; k++)
    hash = flg_identity_integers(hash, touch->apart[k], 2);
  return hash_materials(hash, &touch->materials);
}
