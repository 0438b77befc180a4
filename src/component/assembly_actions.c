#include "component/assembly_actions.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "base/closest.h"
#include "math/larger.h"

/* --- targets ------------------------------------------------------------------------------------
 * One number for two: whose it is (0: the component's, else a part's), and which one there.
 */

static int owners_of(const flg_assembly *assembly) {
  return assembly->model.part_count + 1;
}

/* the subsystem that a part of the plan is; NULL: none */
static const flg_subsystem *subsystem_of_part(const flg_assembly *assembly, int part) {
  const flg_parts *parts = flg_assembly_set_of(assembly, &part);
  return parts->ops->subsystem == NULL ? NULL : parts->ops->subsystem(parts, part);
}

static bool is_weld_action(flg_action action) {
  return action == FLG_ACTION_WELD || action == FLG_ACTION_RELEASE;
}

static bool is_switch_action(flg_action action) {
  return action == FLG_ACTION_ENABLE || action == FLG_ACTION_DISABLE;
}

/* the part of the plan with events of its own whose path the path goes through, and what is left
 * of it; -1: none */
static int find_part_with_events(const flg_assembly *assembly, const char *path,
                                 const char **rest) {
  for (int k = 0; k < assembly->model.part_count; k++) {
    const flg_subsystem *subsystem = subsystem_of_part(assembly, k);
    if (subsystem == NULL || subsystem->ops->actions == 0) continue;
    const size_t length = strlen(subsystem->name);
    if (strncmp(path, subsystem->name, length) != 0 || path[length] != '/') continue;
    *rest = path + length + 1;
    return k;
  }
  return -1;
}

static flg_status aim_at_load(const flg_assembly *assembly, const char *path, int *target,
                              flg_error *error) {
  const flg_component *component = assembly->model.component;
  const int load = flg_component_find_load(component, path);
  if (load >= 0) {
    *target = load * owners_of(assembly);
    return FLG_OK;
  }
  flg_closest closest = flg_closest_begin(error == NULL ? NULL : path);
  FLG_OFFER(&closest, component->loads, component->load_count);
  char hint[FLG_HINT_TEXT];
  return flg_fail(error, FLG_ERR_INPUT, "'%s' has no force or controller '%s'%s",
                  assembly->model.options.name, path, flg_closest_text(&closest, hint));
}

static flg_status aim_at_weld(const flg_assembly *assembly, const char *path, int *target,
                              flg_error *error) {
  const int weld = flg_weld_find(assembly, path);
  if (weld < 0) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' has no weld '%s'", assembly->model.options.name,
                    path);
  }
  *target = weld * owners_of(assembly);
  return FLG_OK;
}

static flg_status refuse_joint(const flg_assembly *assembly, const char *path, flg_error *error) {
  const char *name = assembly->model.options.name;
  if (flg_component_find_joint(assembly->model.component, path) >= 0) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "joint '%s' of '%s' is one between bodies; only joints of robots can be locked "
                    "or set",
                    path, name);
  }
  flg_closest closest = flg_closest_begin(error == NULL ? NULL : path);
  for (int k = 0; k < assembly->model.part_count && closest.written != NULL; k++) {
    const flg_subsystem *subsystem = subsystem_of_part(assembly, k);
    if (subsystem != NULL) flg_closest_offer(&closest, subsystem->name);
  }
  char hint[FLG_HINT_TEXT];
  return flg_fail(error, FLG_ERR_INPUT, "'%s' has no robot with a joint '%s'%s", name, path,
                  flg_closest_text(&closest, hint));
}

flg_status flg_assembly_aim(const void *self, flg_action action, const char *path, int value_count,
                            int *target, flg_error *error) {
  const flg_assembly *assembly = self;
  if (is_weld_action(action)) return aim_at_weld(assembly, path, target, error);
  const char *rest = NULL;
  const int part = find_part_with_events(assembly, path, &rest);
  if (part < 0 && is_switch_action(action)) return aim_at_load(assembly, path, target, error);
  if (part < 0) return refuse_joint(assembly, path, error);
  int own = 0;
  const flg_status status =
      flg_subsystem_aim(subsystem_of_part(assembly, part), action, rest, value_count, &own, error);
  if (status == FLG_OK) *target = own * owners_of(assembly) + part + 1;
  return status;
}

int flg_assembly_guest_target(const flg_assembly *assembly, int target, int robot) {
  const flg_owner owner = flg_assembly_owner(assembly, robot, 0);
  const bool is_own = target % owners_of(assembly) == owner.of->first + owner.part + 1;
  return is_own ? target / owners_of(assembly) : -1;
}

/* --- setting joints -----------------------------------------------------------------------------
 */

/* what is set */
typedef struct setting {
  flg_assembly *assembly;
  int part; /* of the plan */
  flg_action action;
  int target;
  const double *values;
} setting;

/* positions, velocities and angles stand first in the state */
static size_t bytes_in_motion(const flg_assembly *assembly) {
  return (size_t)(assembly->state.force_states - assembly->state.numbers) * sizeof(double);
}

/* velocities that joints cannot follow are off them by about as much as they are; others by
 * rounding
 */
static const double ALONG = 1e-8;

static bool moves_along(flg_assembly *assembly) {
  const flg_status status = flg_assembly_project_velocities(assembly);
  return status == FLG_OK && flg_assembly_slip(assembly) <= ALONG;
}

/* joints that are pinned keep their values, and all other bodies follow them */
static bool try_to_set(const setting *set) {
  const flg_subsystem *subsystem = subsystem_of_part(set->assembly, set->part);
  subsystem->ops->act(subsystem->self, set->action, set->target, set->values);
  const bool done = (set->action == FLG_ACTION_SET_VELOCITY ||
                     flg_assembly_close(set->assembly, NULL) == FLG_OK) &&
                    moves_along(set->assembly);
  if (!done)
    memcpy(set->assembly->state.numbers, set->assembly->scratch.before,
           bytes_in_motion(set->assembly));
  return done;
}

bool flg_assembly_pin(void *self, int target, bool pinned) {
  const flg_assembly *assembly = self;
  bool changed = false;
  for (int k = 0; k < assembly->model.part_count; k++) {
    const flg_subsystem *subsystem = subsystem_of_part(assembly, k);
    const bool is_meant = target < 0 || target % owners_of(assembly) == k + 1;
    if (subsystem == NULL || subsystem->ops->pin == NULL || !is_meant) continue;
    const int own = target < 0 ? -1 : target / owners_of(assembly);
    changed = subsystem->ops->pin(subsystem->self, own, pinned) || changed;
  }
  return changed;
}

/* If no motion of the other bodies allows that, other joints that events of this time have set
 * change, too, and then this one. */
static void set_joint(const setting *set) {
  flg_assembly *assembly = set->assembly;
  const int target = set->target * owners_of(assembly) + set->part + 1;
  memcpy(assembly->scratch.before, assembly->state.numbers, bytes_in_motion(assembly));
  const bool is_new = flg_assembly_pin(assembly, target, true);
  bool done = try_to_set(set);
  if (!done && flg_assembly_pin(assembly, -1, false)) {
    flg_assembly_pin(assembly, target, true);
    done = try_to_set(set);
  }
  if (is_new || !done) flg_assembly_pin(assembly, target, false);
  if (!done) try_to_set(set);
}

/* --- acting -------------------------------------------------------------------------------------
 */

static void act_on_part(flg_assembly *assembly, int part, flg_action action, int target,
                        const double *values) {
  if (action == FLG_ACTION_SET || action == FLG_ACTION_SET_VELOCITY) {
    set_joint(&(setting){assembly, part, action, target, values});
    return;
  }
  const flg_subsystem *subsystem = subsystem_of_part(assembly, part);
  subsystem->ops->act(subsystem->self, action, target, values);
  /* a lock stops the robot as if it were alone, and then all that hangs on it: the nearest
   * velocity of a part of a space is the nearest there to the nearest of the space */
  if (action == FLG_ACTION_LOCK) flg_assembly_settle(assembly);
}

void flg_assembly_act(void *self, flg_action action, int target, const double *values) {
  flg_assembly *assembly = self;
  const int owner = target % owners_of(assembly), own = target / owners_of(assembly);
  if (action == FLG_ACTION_WELD) {
    flg_weld_close(assembly, own);
  } else if (action == FLG_ACTION_RELEASE) {
    flg_weld_open(assembly, own);
  } else if (owner == 0) {
    flg_assembly_enable_load(assembly, own, action == FLG_ACTION_ENABLE);
  } else {
    act_on_part(assembly, owner - 1, action, own, values);
  }
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->resample != NULL) parts->ops->resample(parts);
  }
}
