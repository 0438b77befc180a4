#include "robot/robot_actions.h"

#include <math.h>
#include <string.h>

#include "base/closest.h"

int flg_robot_joint_find(const char *owner, const flg_model *model, const flg_robot *robot,
                         const char *name, flg_error *error) {
  /* Fixed joints have no link: there is nothing to set or to lock. */
  const int *links = robot->joint_links;
  const int joint = flg_model_joint(model, name);
  if (joint >= 0 && links[joint] >= 0) return joint;
  flg_closest closest = flg_closest_begin(error == NULL ? NULL : name);
  for (int k = 0; k < model->joint_count && closest.written != NULL; k++) {
    if (links[k] >= 0) flg_closest_offer(&closest, model->joints[k].name);
  }
  char hint[FLG_HINT_TEXT];
  flg_fail(error, FLG_ERR_INPUT, "'%s' has no moving joint '%s'%s", owner, name,
           flg_closest_text(&closest, hint));
  return -1;
}

flg_status flg_robot_joint_fits(const flg_model *model, int joint, bool positions, int count,
                                flg_error *error) {
  const flg_joint *of = &model->joints[joint];
  const int needed =
      positions ? flg_joint_kind_positions(of->kind) : flg_joint_kind_velocities(of->kind);
  /* A follower has no value of its own: the next projection would overwrite it. */
  if (of->mimic.joint >= 0) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "joint '%s' follows another joint; give a value for that one", of->name);
  }
  if (count == needed) return FLG_OK;
  return flg_fail(error, FLG_ERR_INPUT, "joint '%s' has %d %s, found %d", of->name, needed,
                  positions ? "positions" : "velocities", count);
}

static bool is_robot_switch(flg_action action) {
  return action == FLG_ACTION_ENABLE || action == FLG_ACTION_DISABLE;
}

static flg_status aim_at_switch(const flg_robot_subsystem *subsystem, const char *name, int *target,
                                flg_error *error) {
  const int controller = flg_robot_subsystem_controller(subsystem, name);
  const int push = flg_robot_subsystem_push(subsystem, name);
  if (controller < 0 && push < 0) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' has no controller or force '%s'",
                    subsystem->options.name, name);
  }
  /* Controllers and forces share one row of numbers, so that an event needs a single target. */
  *target = controller >= 0 ? controller : subsystem->controller_count + push;
  return FLG_OK;
}

flg_status flg_robot_aim(const void *self, flg_action action, const char *path, int value_count,
                         int *target, flg_error *error) {
  const flg_robot_subsystem *subsystem = self;
  if (is_robot_switch(action)) return aim_at_switch(subsystem, path, target, error);
  const int joint = flg_robot_joint_find(subsystem->options.name, subsystem->model,
                                         &subsystem->robot, path, error);
  if (joint < 0) return FLG_ERR_INPUT;
  if (action == FLG_ACTION_SET || action == FLG_ACTION_SET_VELOCITY) {
    const bool positions = action == FLG_ACTION_SET;
    const flg_status status =
        flg_robot_joint_fits(subsystem->model, joint, positions, value_count, error);
    if (status != FLG_OK) return status;
  }
  *target = joint;
  return FLG_OK;
}

/* controllers are numbered before forces */
bool flg_robot_action_switches_controller(const flg_robot_subsystem *subsystem, flg_action action,
                                          int target) {
  return is_robot_switch(action) && target < subsystem->controller_count;
}

static void enable(flg_robot_subsystem *subsystem, int target, bool enabled) {
  const int push = target - subsystem->controller_count;
  if (push < 0) {
    flg_robot_subsystem_enable_controller(subsystem, target, enabled);
  } else {
    flg_robot_subsystem_enable_push(subsystem, push, enabled);
  }
}

static bool pin_joint(flg_robot_subsystem *subsystem, int joint, bool pinned) {
  const flg_robot *robot = &subsystem->robot;
  const int number = robot->joint_links[joint];
  bool changed = false;
  if (number < 0) return false;
  const flg_link *link = &robot->links[number];
  for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
    /* a joint that is locked stays so, whatever is pinned */
    const bool changes = pinned ? !isinf(subsystem->locked[k]) : subsystem->pinned[k] > 0;
    if (!changes) continue;
    subsystem->locked[k] = pinned ? INFINITY : 0;
    subsystem->pinned[k] = pinned;
    changed = true;
  }
  return changed;
}

bool flg_robot_pin(void *self, int target, bool pinned) {
  flg_robot_subsystem *subsystem = self;
  if (target >= 0) return pin_joint(subsystem, target, pinned);
  bool changed = false;
  for (int k = 0; k < subsystem->model->joint_count; k++) {
    changed = pin_joint(subsystem, k, pinned) || changed;
  }
  return changed;
}

static void set(flg_robot_subsystem *subsystem, int joint, bool positions, const double *values) {
  const flg_robot *robot = &subsystem->robot;
  const flg_link *link = &robot->links[robot->joint_links[joint]];
  double *to = positions ? subsystem->q + link->position : subsystem->v + link->velocity;
  const int count =
      positions ? flg_joint_kind_positions(link->kind) : flg_joint_kind_velocities(link->kind);
  /* Followers and quaternions have to fit the new values before anything is computed with them. */
  memcpy(to, values, (size_t)count * sizeof *to);
  flg_robot_subsystem_settle(subsystem);
}

void flg_robot_act(void *self, flg_action action, int target, const double *values) {
  flg_robot_subsystem *subsystem = self;
  switch (action) {
    case FLG_ACTION_LOCK:
    case FLG_ACTION_UNLOCK:
      flg_robot_pin(subsystem, -1, false); /* a brake acts on the whole robot */
      flg_robot_subsystem_lock(subsystem, target, action == FLG_ACTION_LOCK);
      break;
    case FLG_ACTION_ENABLE:
    case FLG_ACTION_DISABLE:
      enable(subsystem, target, action == FLG_ACTION_ENABLE);
      break;
    case FLG_ACTION_SET:
    case FLG_ACTION_SET_VELOCITY:
    case FLG_ACTION_COUNT:
    default:
      set(subsystem, target, action == FLG_ACTION_SET, values);
      break;
  }
  /* Sampled controllers decide again: what they had decided belongs to the state before the
   * event. */
  flg_robot_subsystem_resample(subsystem);
}
