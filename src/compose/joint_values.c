#include "compose/joint_values.h"

#include <string.h>

#include "dynamics/mimic.h"
#include "robot/robot_actions.h"

int flg_jointed_find(const flg_jointed *jointed, const char *name, flg_place place) {
  flg_error error;
  const int joint =
      flg_robot_joint_find(jointed->name, jointed->model, jointed->robot, name, &error);
  if (joint < 0) flg_mistake_add(jointed->mistakes, FLG_ERR_INPUT, place, "%s", error.message);
  return joint;
}

static bool fits(const flg_jointed *jointed, int joint, bool positions, const flg_value *value) {
  flg_error error;
  const flg_status status =
      flg_robot_joint_fits(jointed->model, joint, positions, value->numbers.count, &error);
  if (status == FLG_OK) return true;
  flg_mistake_add(jointed->mistakes, status, value->origin.place, "%s", error.message);
  return false;
}

/* the flexible link of a body with that name, NULL: none */
static const flg_flex *flex_of(const flg_jointed *jointed, const char *name) {
  const int body = flg_model_body(jointed->model, name);
  if (body < 0 || jointed->model->bodies[body].flexible == NULL) return NULL;
  const flg_link *link = &jointed->robot->links[jointed->robot->mounts[body].link];
  return &jointed->robot->flexes[link->flex];
}

static void take_elastic(const flg_jointed *jointed, const flg_flex *flex, const flg_value *value,
                         bool positions, double *to) {
  const int modes = flex->body.modes;
  if (value->numbers.count != modes) {
    flg_mistake_add(jointed->mistakes, FLG_ERR_INPUT, value->origin.place,
                    "flexible body '%s' has %d elastic coordinates, found %d", value->origin.name,
                    modes, value->numbers.count);
    return;
  }
  memcpy(to + (positions ? flex->position : flex->velocity), value->numbers.values,
         (size_t)modes * sizeof *to);
}

void flg_jointed_values(const flg_jointed *jointed, const flg_items *items, bool positions,
                        double *to) {
  const flg_value *values = items->items;
  for (int k = 0; k < items->count; k++) {
    const flg_numbers *numbers = &values[k].numbers;
    const flg_place place = values[k].origin.place;
    const flg_flex *flex = flex_of(jointed, values[k].origin.name);
    if (flex != NULL) {
      take_elastic(jointed, flex, &values[k], positions, to);
      continue;
    }
    const int joint = flg_jointed_find(jointed, values[k].origin.name, place);
    if (joint < 0 || !fits(jointed, joint, positions, &values[k])) continue;
    const flg_link *link = &jointed->robot->links[jointed->robot->joint_links[joint]];
    memcpy(to + (positions ? link->position : link->velocity), numbers->values,
           (size_t)numbers->count * sizeof *to);
  }
}

static bool is_given(const flg_items *items, const char *name) {
  const flg_value *values = items->items;
  for (int k = 0; k < items->count; k++) {
    if (strcmp(values[k].origin.name, name) == 0) return true;
  }
  return false;
}

/* Joints of one coordinate whose range leaves zero out start at its nearest end; `moved` names
 * those whose start `initial` does not give. */
static void start_within_limits(const flg_jointed *jointed, const flg_items *initial, double *q,
                                flg_some_names *moved) {
  for (int k = 0; k < jointed->model->joint_count; k++) {
    const flg_joint *joint = &jointed->model->joints[k];
    if (flg_joint_kind_positions(joint->kind) != 1 || joint->mimic.joint >= 0) continue;
    if (joint->lower <= 0 && joint->upper >= 0) continue;
    q[jointed->robot->links[jointed->robot->joint_links[k]].position] =
        joint->lower > 0 ? joint->lower : joint->upper;
    if (moved != NULL && !is_given(initial, joint->name)) flg_some_names_add(moved, joint->name);
  }
}

void flg_jointed_start(const flg_jointed *jointed, const flg_items *initial,
                       const flg_items *initial_velocity, double *q, double *v,
                       flg_some_names *moved) {
  flg_robot_zero(jointed->robot, q);
  if (!jointed->ignores_limits) start_within_limits(jointed, initial, q, moved);
  memset(v, 0, (size_t)jointed->robot->velocity_count * sizeof *v);
  flg_jointed_values(jointed, initial, true, q);
  flg_jointed_values(jointed, initial_velocity, false, v);
  flg_robot_normalise(jointed->robot, q);
  flg_mimics_place(jointed->model, jointed->robot, q);
}
