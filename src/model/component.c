#include "model/component.h"

#include <string.h>

static const struct constraint_entry {
  const char *name;
  int rows, coordinates;
} CONSTRAINTS[FLG_CONSTRAINT_KIND_COUNT] = {
#define CONSTRAINT_ENTRY(kind, name, rows, coordinates) [kind] = {name, rows, coordinates},
    FLG_CONSTRAINT_KIND_LIST(CONSTRAINT_ENTRY)};

const char *flg_constraint_kind_name(flg_constraint_kind kind) {
  return CONSTRAINTS[kind].name;
}

int flg_constraint_kind_rows(flg_constraint_kind kind) {
  return CONSTRAINTS[kind].rows;
}

int flg_constraint_kind_coordinates(flg_constraint_kind kind) {
  return CONSTRAINTS[kind].coordinates;
}

const char *flg_coordinate_kind_name(flg_coordinate_kind kind) {
  static const char *const NAMES[FLG_COORDINATE_KIND_COUNT] = {
#define COORDINATE_NAME(kind, name) [kind] = (name),
      FLG_COORDINATE_KIND_LIST(COORDINATE_NAME)};
  return NAMES[kind];
}

int flg_component_find_body(const flg_component *component, const char *path) {
  for (int k = 0; k < component->body_count; k++) {
    if (strcmp(component->bodies[k].name, path) == 0) return k;
  }
  return -1;
}

int flg_component_find_joint(const flg_component *component, const char *path) {
  for (int k = 0; k < component->joint_count; k++) {
    if (strcmp(component->joints[k].name, path) == 0) return k;
  }
  return -1;
}

int flg_component_find_frame(const flg_component *component, const char *path) {
  for (int k = 0; k < component->frame_count; k++) {
    if (strcmp(component->frames[k].name, path) == 0) return k;
  }
  return -1;
}
