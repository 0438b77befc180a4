#include "contacts/contact_identity.h"

#include "math/identity.h"

/* with their number: two lists one after the other cannot be taken for one */
static uint64_t hash_vectors(uint64_t hash, const flg_vec3 *vectors, int count) {
  hash = flg_identity(hash, "i", count);
  for (int k = 0; k < count; k++) hash = flg_identity(hash, "v", vectors[k]);
  return hash;
}

static uint64_t hash_field(uint64_t hash, const flg_height_field *field) {
  return flg_identity(hash, "ii rr R", field->columns, field->rows, field->spacing_x,
                      field->spacing_y, field->heights, field->columns * field->rows);
}

/* the shape itself, not its file: a mesh under another name is the same */
static uint64_t hash_shape(uint64_t hash, const flg_scene_shape *placed) {
  const flg_contact_shape *shape = placed->shape;
  hash = flg_identity(hash, "iiii ii u vr", (int)shape->kind, placed->body, placed->material,
                      placed->family, placed->piece, placed->owner,
                      (uint64_t)placed->group << 32 | placed->collides, shape->half, shape->radius);
  if (shape->hull != NULL) {
    hash = hash_vectors(hash, shape->hull->vertices, shape->hull->vertex_count);
  }
  if (shape->field != NULL) hash = hash_field(hash, shape->field);
  hash = hash_vectors(hash, shape->points, shape->point_count);
  return flg_identity(hash, "p", &placed->pose);
}

/* the table of pairs: what files say in several ways has one result */
static uint64_t hash_materials(uint64_t hash, const flg_material_table *table) {
  hash = flg_identity(hash, "i", table->count);
  for (int k = 0; k < table->count * table->count; k++) {
    hash = flg_identity(hash, "rr", table->pairs[k].friction, table->pairs[k].restitution);
  }
  return hash;
}

/* Options that change results. Numbers of threads are none of them. */
static uint64_t hash_contact_options(uint64_t hash, const flg_contacts_options *options) {
  const flg_contact_law_options *law = &options->law;
  const flg_complementarity_options *solver = &law->solver;
  return flg_identity(hash, "iiiiiii rrrrr", (int)law->friction, (int)law->impact,
                      options->capacity, options->dense_limit, (int)solver->method,
                      solver->direct_limit, solver->iterations, law->correction, law->slop,
                      solver->tolerance, solver->pivot_tolerance, solver->potential_tolerance);
}

uint64_t flg_contact_identity(uint64_t hash, const flg_touch_shapes *touch,
                              const flg_contacts_options *options) {
  hash = hash_contact_options(hash, options);
  hash = flg_identity(hash, "i", touch->count);
  for (int k = 0; k < touch->count; k++) hash = hash_shape(hash, &touch->shapes[k]);
  for (int k = 0; k < touch->apart_count; k++) hash = flg_identity(hash, "I", touch->apart[k], 2);
  const flg_pair_set *pieces = &touch->pieces_apart;
  hash = flg_identity(hash, "i", pieces->count);
  for (int k = 0; k < pieces->count; k++) hash = flg_identity(hash, "I", pieces->pairs[k], 2);
  return hash_materials(hash, &touch->materials);
}
