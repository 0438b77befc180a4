/* Additions to the model of a robot by the keys of its subsystem. */
#include <string.h>

#include "base/closest.h"
#include "define/flexible_definition.h"
#include "define/robot_definition.h"

flg_reading flg_robot_reading(const flg_robot_keys *keys) {
  return (flg_reading){(flg_inertia_rule)keys->inertia, keys->base == FLG_BASE_FLOATING};
}

/* --- armature ----------------------------------------------------------------------------------
 */

static void give_one(const flg_value *value, flg_model *model, flg_mistakes *mistakes) {
  const flg_origin *origin = &value->origin;
  const int index = flg_model_joint(model, origin->name);
  if (index >= 0 && flg_joint_kind_velocities(model->joints[index].kind) == 1 &&
      value->numbers.count == 1) {
    model->joints[index].armature = value->numbers.values[0];
    return;
  }
  char hint[FLG_HINT_TEXT];
  flg_closest closest = flg_closest_while_listed(origin->name, mistakes);
  FLG_OFFER(&closest, model->joints, index < 0 ? model->joint_count : 0);
  flg_mistake_add(mistakes, FLG_ERR_INPUT, origin->place, "armature: %s '%s'%s",
                  index < 0                   ? "there is no joint"
                  : value->numbers.count != 1 ? "one number belongs to joint"
                                              : "only joints with one coordinate have one, not",
                  origin->name, flg_closest_text(&closest, hint));
}

/* the joints that were read are those of others, too */
static void give_armature(const flg_items *armature, flg_model *model, flg_region *region,
                          flg_mistakes *mistakes) {
  const size_t count = (size_t)model->joint_count;
  const flg_value *values = armature->items;
  flg_joint *joints = flg_region_take(region, count, sizeof *joints);
  if (armature->count == 0 || joints == NULL) return;
  memcpy(joints, model->joints, count * sizeof *joints);
  model->joints = joints;
  for (int k = 0; k < armature->count; k++) {
    if (values[k].origin.name == NULL) {
      flg_model_give_armature(model, values[k].numbers.values[0]);
    } else {
      give_one(&values[k], model, mistakes);
    }
  }
}

/* --- configurations ----------------------------------------------------------------------------
 */

/* after those of the model, which they stand for where names are the same */
static void add_configurations(const flg_items *more, flg_model *model, flg_region *region) {
  const flg_items *own = &model->configurations;
  if (more->count == 0) return;
  flg_value_map *all =
      flg_region_take(region, (size_t)own->count + (size_t)more->count, sizeof *all);
  if (all == NULL) return;
  if (own->count > 0) memcpy(all, own->items, (size_t)own->count * sizeof *all);
  memcpy(all + own->count, more->items, (size_t)more->count * sizeof *all);
  model->configurations = (flg_items){own->count + more->count, all};
}

bool flg_robot_initial(const flg_robot_keys *keys, const flg_model *model, flg_items *initial) {
  const flg_value *values = keys->initial.items;
  const flg_value_map *maps = model->configurations.items;
  const bool is_word = keys->initial.count == 1 && values->numbers.count == 0;
  *initial = keys->initial;
  if (!is_word) return true;
  *initial = (flg_items){0};
  if (strcmp(values->origin.name, FLG_CONFIGURATION_ZERO) == 0) return true;
  for (int k = model->configurations.count - 1; k >= 0; k--) {
    if (strcmp(maps[k].origin.name, values->origin.name) != 0) continue;
    *initial = maps[k].values;
    return true;
  }
  return false;
}

flg_model *flg_robot_overlay(const flg_robot_keys *keys, const flg_model *read, flg_region *region,
                             flg_mistakes *mistakes) {
  const int before = mistakes->count;
  flg_model *model = flg_region_take(region, 1, sizeof *model);
  if (model == NULL) return NULL;
  *model = *read;
  give_armature(&keys->armature, model, region, mistakes);
  add_configurations(&keys->configurations, model, region);
  flg_flexible_overlay(&keys->flexible, model, region, mistakes);
  return mistakes->count == before ? model : NULL;
}
