#include "io/srdf.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "text/document.h"
#include "text/xml.h"

enum { BASE_NUMBERS = 7 };

typedef struct maker {
  flg_model *model;
  flg_region *region;
  flg_growing maps;   /* flg_value_map */
  flg_growing values; /* flg_value, of the configuration in hand */
} maker;

/* --- configurations ----------------------------------------------------------------------------
 */

/* x y z w of a quaternion becomes w x y z */
static void turn_quaternion(double *numbers) {
  const double w = numbers[BASE_NUMBERS - 1];
  memmove(numbers + 4, numbers + 3, 3 * sizeof *numbers);
  numbers[3] = w;
}

static const char *srdf_base_name(const flg_model *model) {
  for (int k = 0; k < model->joint_count; k++) {
    const flg_joint *joint = &model->joints[k];
    if (joint->parent == FLG_WORLD && joint->kind == FLG_JOINT_FLOATING) return joint->name;
  }
  return NULL;
}

/* the name in the model, or NULL: it has no such joint with so many positions */
static const char *joint_for(const flg_model *model, const char *name, int count) {
  const int joint = name == NULL ? -1 : flg_model_joint(model, name);
  if (joint < 0) return count == BASE_NUMBERS ? srdf_base_name(model) : NULL;
  return flg_joint_kind_positions(model->joints[joint].kind) == count ? model->joints[joint].name
                                                                      : NULL;
}

static void add_value(maker *make, const flg_element *from) {
  flg_mistakes unread = {0};
  double numbers[BASE_NUMBERS];
  const char *name = flg_element_text(from, "name");
  const int count = flg_element_numbers(from, "value", 1, numbers, &unread) ? 1
                    : flg_element_numbers(from, "value", BASE_NUMBERS, numbers, &unread)
                        ? BASE_NUMBERS
                        : 0;
  const char *joint = count == 0 ? NULL : joint_for(make->model, name, count);
  if (joint == NULL) return;
  double *kept = flg_region_take(make->region, (size_t)count, sizeof *kept);
  flg_value *value = flg_growing_add(&make->values, sizeof *value, make->region);
  if (kept == NULL || value == NULL) return;
  memcpy(kept, numbers, (size_t)count * sizeof *kept);
  if (count == BASE_NUMBERS) turn_quaternion(kept);
  *value = (flg_value){{joint, from->place}, {count, kept}};
}

static bool is_named(const flg_element *state, const char *name) {
  const char *own = flg_element_text(state, "name");
  return own != NULL && strcmp(own, name) == 0;
}

/* states of one name are those of groups: an arm and its hand */
static void add_configuration(maker *make, const flg_element *first) {
  const char *name = flg_element_text(first, "name");
  const flg_value_map *maps = make->maps.items;
  if (name == NULL || FLG_FIND(maps, make->maps.count, name) >= 0) return;
  make->values = (flg_growing){0};
  for (const flg_element *state = first; state != NULL; state = flg_element_again(state)) {
    const flg_element *joint = is_named(state, name) ? flg_element_child(state, "joint") : NULL;
    for (; joint != NULL; joint = flg_element_again(joint)) add_value(make, joint);
  }
  flg_value_map *map = flg_growing_add(&make->maps, sizeof *map, make->region);
  if (map == NULL) return;
  *map = (flg_value_map){{name, first->place}, {make->values.count, make->values.items}};
}

/* --- rotors ------------------------------------------------------------------------------------
 */

static void read_rotors(const flg_element *params, const char *file, flg_model *model,
                        flg_notices *notices) {
  flg_mistakes unread = {0};
  flg_some_names driven = {0};
  const flg_element *from = flg_element_child(params, "joint");
  for (; from != NULL; from = flg_element_again(from)) {
    const char *name = flg_element_text(from, "name");
    const int joint = name == NULL ? -1 : flg_model_joint(model, name);
    double inertia, ratio = 1;
    if (joint < 0 || flg_joint_kind_velocities(model->joints[joint].kind) != 1 ||
        !flg_element_numbers(from, "mass", 1, &inertia, &unread) || !(inertia >= 0)) {
      continue;
    }
    flg_element_numbers(from, "gear_ratio", 1, &ratio, &unread);
    if (!isfinite(inertia * ratio * ratio)) continue;
    model->joints[joint].armature = inertia * ratio * ratio;
    flg_some_names_add(&driven, name);
  }
  if (driven.count == 0) return;
  flg_notice_add(notices, model->file, "%d joint%s (%s): inertia of the rotor from %s",
                 driven.count, driven.count == 1 ? "" : "s", flg_some_names_text(&driven), file);
}

/* --- the file ----------------------------------------------------------------------------------
 */

/* NULL: there is none */
static const char *srdf_find_file(const char *path, flg_region *region) {
  static const char *const folders[] = {"", "../srdf/", "../config/"};
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  const char *dot = strrchr(name, '.');
  const int stem = (int)(dot == NULL ? strlen(name) : (size_t)(dot - name));
  for (int k = 0; k < (int)(sizeof folders / sizeof folders[0]); k++) {
    const char *file = flg_region_format(region, "%.*s%s%.*s.srdf", (int)(name - path), path,
                                         folders[k], stem, name);
    if (file != NULL && access(file, R_OK) == 0) return file;
  }
  return NULL;
}

static const flg_element *parse_srdf(const char *file, flg_model *model, flg_notices *notices) {
  flg_mistakes mistakes = {0};
  size_t length = 0;
  const char *text = flg_file_read(notices->region, file, FLG_LIMIT_TEXT, (flg_place){.file = file},
                                   &length, &mistakes);
  const flg_element *root =
      text == NULL ? NULL : flg_xml_parse(notices->region, file, text, length, &mistakes);
  if (mistakes.status == FLG_ERR_MEMORY) {
    notices->region->failed = true; /* the file is not passed over for a fault of its own */
  } else if (root == NULL) {
    flg_notice_add(notices, model->file, "%s is passed over: %s", file, mistakes.list[0].message);
  }
  return root;
}

void flg_srdf_read(const char *path, flg_model *model, flg_notices *notices) {
  const char *file = srdf_find_file(path, notices->region);
  const flg_element *root = file == NULL ? NULL : parse_srdf(file, model, notices);
  if (root == NULL) return;
  maker make = {.model = model, .region = notices->region};
  const flg_element *state = flg_element_child(root, "group_state");
  for (; state != NULL; state = flg_element_again(state)) add_configuration(&make, state);
  model->configurations = (flg_items){make.maps.count, make.maps.items};
  const flg_element *rotors = flg_element_child(root, "rotor_params");
  if (rotors != NULL) read_rotors(rotors, file, model, notices);
}
