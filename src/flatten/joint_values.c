#include "flatten/joint_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "dynamics/mimic.h"
#include "robot/robot_actions.h"

int flg_jointed_find(const flg_jointed *jointed, const char *name, flg_place place) {
  flg_error error = {.status = FLG_OK};
  const int joint = flg_robot_joint_find(jointed->name, jointed->model, jointed->robot, name,
                                         flg_error_if_listed(&error, jointed->mistakes));
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
  const flg_link *link = &jointed->robot->links[jointed->robot->anchors[body].link];
  return &jointed->robot->flexes[link->flex];
}

static void joint_take_elastic(const flg_jointed *jointed, const flg_flex *flex,
                               const flg_value *value, bool positions, double *to) {
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
      joint_take_elastic(jointed, flex, &values[k], positions, to);
      continue;
    }
    const int joint = flg_jointed_find(jointed, values[k].origin.name, place);
    if (joint < 0 || !fits(jointed, joint, positions, &values[k])) continue;
    const flg_link *link = &jointed->robot->links[jointed->robot->joint_links[joint]];
    memcpy(to + (positions ? link->position : link->velocity), numbers->values,
           (size_t)numbers->count * sizeof *to);
  }
}

static bool is_joint_given(const flg_items *items, const char *name) {
  const flg_value *values = items->items;
  return FLG_FIND(values, items->count, name) >= 0;
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
    if (moved != NULL && !is_joint_given(initial, joint->name))
      flg_some_names_add(moved, joint->name);
  }
}

/* --- named configurations ----------------------------------------------------------------------
 */

static void tell_configurations(const flg_jointed *jointed, const flg_value *word) {
  const flg_items *known = &jointed->model->configurations;
  const flg_value_map *maps = known->items;
  flg_closest closest = flg_closest_begin(word->origin.name);
  flg_some_names names = {0};
  flg_closest_offer(&closest, FLG_CONFIGURATION_ZERO);
  for (int k = 0; k < known->count; k++) {
    flg_closest_offer(&closest, maps[k].origin.name);
    flg_some_names_add(&names, maps[k].origin.name);
  }
  flg_some_names_add(&names, FLG_CONFIGURATION_ZERO);
  char hint[FLG_HINT_TEXT] = "";
  if (closest.word != NULL) snprintf(hint, sizeof hint, "did you mean '%s'? ", closest.word);
  flg_mistake_add(jointed->mistakes, FLG_ERR_INPUT, word->origin.place,
                  "initial: '%s' has no configuration '%s'; %sthere %s %s. More are written as "
                  "'configurations: {%s: {joint: position}}', or in an SRDF file beside a URDF "
                  "file of the same name",
                  jointed->name, word->origin.name, hint, names.count == 1 ? "is" : "are",
                  flg_some_names_text(&names), word->origin.name);
}

/* --- the start ---------------------------------------------------------------------------------
 */

/* the link that floats on the world, NULL: none does */
static const flg_link *joint_base_of(const flg_robot *robot) {
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    if (link->parent == FLG_WORLD && link->kind == FLG_JOINT_FLOATING) return link;
  }
  return NULL;
}

/* false also where it is not given */
static bool joint_is_motion(const double *velocity) {
  return fabs(velocity[0]) + fabs(velocity[1]) + fabs(velocity[2]) > 0;
}

/* velocities of the base are in the model's axes; v has them in the joint's, and the child's */
static void start_base(const flg_jointed *jointed, const flg_robot_keys *keys, const double *q,
                       double *v) {
  const flg_link *base = joint_base_of(jointed->robot);
  if (base == NULL) return;
  if (joint_is_motion(keys->velocity)) {
    const flg_vec3 own = flg_vec3_load(keys->velocity);
    flg_vec3_store(flg_mat3_apply_transposed(&base->placement.rotation, own), v + base->velocity);
  }
  if (joint_is_motion(keys->angular_velocity)) {
    const double *at = q + base->position + 3;
    const flg_quat turn = {at[0], at[1], at[2], at[3]};
    const flg_vec3 own = flg_vec3_load(keys->angular_velocity);
    const flg_vec3 seen = flg_mat3_apply_transposed(&base->placement.rotation, own);
    flg_vec3_store(flg_quat_rotate(flg_quat_conjugate(turn), seen), v + base->velocity + 3);
  }
}

static void check_base(const flg_jointed *jointed, const flg_robot_keys *keys) {
  const bool moves = joint_is_motion(keys->velocity) || joint_is_motion(keys->angular_velocity);
  if (!moves || joint_base_of(jointed->robot) != NULL) return;
  flg_mistake_add(jointed->mistakes, FLG_ERR_INPUT, jointed->place,
                  "velocity: the base of '%s' is fixed to the world; 'base: floating' lets it move",
                  jointed->name);
}

void flg_jointed_start(const flg_jointed *jointed, const flg_robot_keys *keys, double *q, double *v,
                       flg_some_names *moved) {
  flg_items initial;
  if (!flg_robot_initial(keys, jointed->model, &initial)) {
    tell_configurations(jointed, keys->initial.items);
  }
  flg_robot_zero(jointed->robot, q);
  if (!jointed->ignores_limits) start_within_limits(jointed, &initial, q, moved);
  memset(v, 0, (size_t)jointed->robot->velocity_count * sizeof *v);
  flg_jointed_values(jointed, &initial, true, q);
  flg_jointed_values(jointed, &keys->initial_velocity, false, v);
  flg_robot_normalise(jointed->robot, q);
  check_base(jointed, keys);
  start_base(jointed, keys, q, v);
  flg_mimics_place(jointed->model, jointed->robot, q);
}
