#include "model/model.h"

#include <string.h>

/* made of the list in the header: names, sizes and the enumeration cannot fall apart */
static const struct kind_entry {
  const char *name;
  int velocities, positions, displacements;
} KINDS[FLG_JOINT_KIND_COUNT] = {
#define KIND_ENTRY(kind, name, velocities, positions, displacements) \
  [kind] = {name, velocities, positions, displacements},
    FLG_JOINT_KIND_LIST(KIND_ENTRY)};

const char *flg_joint_kind_name(flg_joint_kind kind) {
  return KINDS[kind].name;
}

int flg_joint_kind_velocities(flg_joint_kind kind) {
  return KINDS[kind].velocities;
}

int flg_joint_kind_displacements(flg_joint_kind kind) {
  return KINDS[kind].displacements;
}

int flg_joint_kind_positions(flg_joint_kind kind) {
  return KINDS[kind].positions;
}

static const struct shape_entry {
  const char *name;
  int sizes;
  bool has_values;
} SHAPES[FLG_SHAPE_KIND_COUNT] = {
#define SHAPE_ENTRY(kind, name, sizes, has_values) [kind] = {name, sizes, has_values},
    FLG_SHAPE_KIND_LIST(SHAPE_ENTRY)};

const char *flg_shape_kind_name(flg_shape_kind kind) {
  return SHAPES[kind].name;
}

int flg_shape_kind_sizes(flg_shape_kind kind) {
  return SHAPES[kind].sizes;
}

bool flg_shape_kind_has_values(flg_shape_kind kind) {
  return SHAPES[kind].has_values;
}

void flg_model_index(flg_model *model, flg_region *region) {
  model->body_names = FLG_INDEX(model->bodies, model->body_count, region);
  model->joint_names = FLG_INDEX(model->joints, model->joint_count, region);
  model->frame_names = FLG_INDEX(model->frames, model->frame_count, region);
}

int flg_model_body(const flg_model *model, const char *name) {
  if (strcmp(name, "world") == 0) return FLG_WORLD;
  const int body = FLG_SEEK(&model->body_names, model->bodies, model->body_count, name);
  /* -1 is the world, so that an unknown body needs another number. */
  return body < 0 ? -2 : body;
}

int flg_model_joint(const flg_model *model, const char *name) {
  return FLG_SEEK(&model->joint_names, model->joints, model->joint_count, name);
}

int flg_model_frame(const flg_model *model, const char *name) {
  return FLG_SEEK(&model->frame_names, model->frames, model->frame_count, name);
}
