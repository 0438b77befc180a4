#include "io/joint_values.h"

#include <string.h>

#include "base/closest.h"
#include "subsystem/mimic.h"

int flg_jointed_find(const flg_jointed *jointed, const char *name, flg_place place) {
  const flg_model *model = jointed->model;
  const int joint = flg_model_joint(model, name);
  if (joint >= 0 && jointed->robot->joint_links[joint] >= 0) return joint;
  const char **words = flg_region_take(jointed->region, (size_t)model->joint_count, sizeof *words);
  if (words == NULL) return -1;
  for (int k = 0; k < model->joint_count; k++) words[k] = model->joints[k].name;
  char hint[FLG_HINT_TEXT];
  flg_mistake_add(jointed->mistakes, FLG_ERR_INPUT, place, "'%s' has no moving joint '%s'%s",
                  jointed->name, name, flg_closest_hint(name, words, model->joint_count, hint));
  return -1;
}

bool flg_jointed_fits(const flg_jointed *jointed, int joint, bool positions,
                      const flg_numbers *numbers, flg_place place) {
  const flg_joint *known = &jointed->model->joints[joint];
  const int count =
      positions ? flg_joint_kind_positions(known->kind) : flg_joint_kind_velocities(known->kind);
  if (known->mimic.joint >= 0) {
    flg_mistake_add(jointed->mistakes, FLG_ERR_INPUT, place,
                    "joint '%s' follows another joint; give a value for that one", known->name);
    return false;
  }
  if (numbers->count == count) return true;
  flg_mistake_add(jointed->mistakes, FLG_ERR_INPUT, place, "joint '%s' has %d %s, found %d",
                  known->name, count, positions ? "positions" : "velocities", numbers->count);
  return false;
}

void flg_jointed_values(const flg_jointed *jointed, const flg_items *items, bool positions,
                        double *to) {
  const flg_value *values = items->items;
  for (int k = 0; k < items->count; k++) {
    const flg_numbers *numbers = &values[k].numbers;
    const flg_place place = values[k].origin.place;
    const int joint = flg_jointed_find(jointed, values[k].origin.name, place);
    if (joint < 0 || !flg_jointed_fits(jointed, joint, positions, numbers, place)) continue;
    const flg_link *link = &jointed->robot->links[jointed->robot->joint_links[joint]];
    memcpy(to + (positions ? link->position : link->velocity), numbers->values,
           (size_t)numbers->count * sizeof *to);
  }
}

void flg_jointed_start(const flg_jointed *jointed, const flg_items *initial,
                       const flg_items *initial_velocity, double *q, double *v) {
  flg_robot_zero(jointed->robot, q);
  memset(v, 0, (size_t)jointed->robot->velocity_count * sizeof *v);
  flg_jointed_values(jointed, initial, true, q);
  flg_jointed_values(jointed, initial_velocity, false, v);
  flg_robot_normalise(jointed->robot, q);
  flg_mimics_place(jointed->model, jointed->robot, q);
}
