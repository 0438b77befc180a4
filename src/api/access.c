#include "flange/access.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "api/api_inner.h"
#include "base/closest.h"
#include "cosim/signal_list.h"

/* --- what is the same for all ------------------------------------------------------------------
 */

struct flg_access *flg_access_of(flg_simulation *simulation) {
  static atomic_uint last;
  if (simulation->access == NULL) {
    simulation->access = flg_region_take(&simulation->region, 1, sizeof *simulation->access);
    if (simulation->access != NULL) simulation->access->serial = atomic_fetch_add(&last, 1) + 1;
  }
  return simulation->access;
}

void flg_api_refuse_null(const char *name, flg_error *error) {
  flg_fail(error, FLG_ERR_USAGE, "The argument '%s' is NULL.", name);
}

void flg_api_refuse_stepping(flg_error *error) {
  flg_fail(error, FLG_ERR_USAGE, "The simulation steps just now: this is for between steps.");
}

void flg_api_refuse_handle(const struct flg_access *access, uint32_t serial, int number,
                           const char *what, flg_error *error) {
  if (serial == 0) {
    flg_fail(error, FLG_ERR_USAGE, "The handle of this %s was never found.", what);
  } else if (access == NULL || serial != access->serial) {
    flg_fail(error, FLG_ERR_USAGE, "The handle of this %s belongs to another simulation.", what);
  } else {
    flg_fail(error, FLG_ERR_USAGE, "There is no %s with the number %d of this handle.", what,
             number);
  }
}

/* FLG_ERR_USAGE if there is no simulation, or a list without its items; `what` names them */
static flg_status check_list(const flg_simulation *simulation, const void *handles,
                             int handle_count, const char *what, flg_error *error) {
  if (flg_api_present(simulation, "simulation", error) != FLG_OK) return FLG_ERR_USAGE;
  if (handle_count < 0) {
    return flg_fail(error, FLG_ERR_USAGE, "There cannot be %d %s.", handle_count, what);
  }
  return handle_count == 0 ? FLG_OK : flg_api_present(handles, what, error);
}

/* FLG_ERR_USAGE if values of several handles are not as many as their widths together */
static flg_status check_widths(const double *values, int count, int64_t width, int handle_count,
                               const char *what, flg_error *error) {
  if (count != width) {
    return flg_fail(error, FLG_ERR_USAGE, "The %d %s have %lld numbers together, not %d.",
                    handle_count, what, (long long)width, count);
  }
  return count == 0 ? FLG_OK : flg_api_present(values, "values", error);
}

/* FLG_ERR_RANGE if a number for an input or an event is not finite */
static flg_status check_finite_input(const double *values, int count, const char *what,
                                     flg_error *error) {
  for (int k = 0; k < count; k++) {
    if (isfinite(values[k])) continue;
    return flg_fail(error, FLG_ERR_RANGE, "Number %d of %s is %g; it has to be finite.", k, what,
                    values[k]);
  }
  return FLG_OK;
}

flg_status flg_api_width(int count, int width, const char *of, flg_error *error) {
  if (count == width) return FLG_OK;
  return flg_fail(error, FLG_ERR_USAGE, "'%s' has %d numbers, not %d.", of, width, count);
}

flg_status flg_api_find_part(flg_simulation *simulation, const char *name,
                             const flg_subsystem **subsystem, const char **path, flg_error *error) {
  const char *slash = strchr(name, '/');
  if (slash == NULL || slash[1] == '\0') {
    return flg_fail(error, FLG_ERR_INPUT,
                    "'%s' names nothing inside of a subsystem; expected subsystem/name", name);
  }
  const flg_part *part = flg_part_find(simulation, name, (size_t)(slash - name));
  if (part == NULL) {
    char hint[FLG_HINT_TEXT];
    const char *written = flg_region_text(&simulation->region, name, (size_t)(slash - name));
    if (written == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a name");
    return flg_fail(error, FLG_ERR_INPUT, "there is no subsystem '%s'%s", written,
                    flg_part_hint(simulation, written, NULL, hint));
  }
  *subsystem = flg_part_subsystem(simulation, part);
  *path = flg_part_path(part, slash + 1, &simulation->region);
  if (*path == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a name");
  return FLG_OK;
}

/* what can be read is brought up to date */
static flg_status no_memory_for_access(flg_error *error) {
  return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a handle");
}

/* --- outputs ------------------------------------------------------------------------------------
 */

const flg_signal *flg_output_list(flg_simulation *simulation, int *count) {
  if (count != NULL) *count = 0;
  struct flg_access *access = simulation == NULL ? NULL : flg_access_of(simulation);
  if (access == NULL || count == NULL) return NULL;
  if (access->list == NULL) {
    const flg_growing list = flg_signal_list(simulation, &simulation->region);
    access->list = list.items, access->list_count = list.count;
  }
  *count = access->list_count;
  return access->list;
}

/* without the key of the scenario that messages on names begin with */
static flg_status tell_mistake(const flg_mistakes *mistakes, flg_error *error) {
  static const char key[] = "record: ";
  const char *text = mistakes->count == 0 ? "no memory left" : mistakes->list[0].message;
  if (strncmp(text, key, sizeof key - 1) == 0) text += sizeof key - 1;
  return flg_fail(error, mistakes->count == 0 ? FLG_ERR_MEMORY : mistakes->status, "%s", text);
}

flg_status flg_output_find(flg_simulation *simulation, const char *name, flg_output *output,
                           flg_error *error) {
  if (flg_api_idle(simulation, error) != FLG_OK || flg_api_present(name, "name", error) != FLG_OK ||
      flg_api_present(output, "output", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  flg_mistakes mistakes = {0};
  flg_region *region = &simulation->region;
  struct flg_access *access = flg_access_of(simulation);
  const char *kept = flg_region_text(region, name, strlen(name));
  flg_found_output found;
  if (access == NULL || kept == NULL) return no_memory_for_access(error);
  if (flg_recorded_find(&found.recorded, &found.signal, kept, (flg_place){0}, simulation, region,
                        &mistakes) != FLG_OK) {
    return tell_mistake(&mistakes, error);
  }
  flg_found_output *made = flg_growing_add(&access->outputs, sizeof *made, region);
  if (made == NULL) return no_memory_for_access(error);
  *made = found;
  *output = (flg_output){access->serial, access->outputs.count - 1};
  return FLG_OK;
}

static const flg_found_output *access_find_output(const flg_simulation *simulation,
                                                  flg_output output, flg_error *error) {
  if (flg_api_present(simulation, "simulation", error) != FLG_OK) return NULL;
  const struct flg_access *access = simulation->access;
  if (!flg_api_handle(access, output.simulation, output.number,
                      access == NULL ? 0 : access->outputs.count, "output", error)) {
    return NULL;
  }
  return (const flg_found_output *)access->outputs.items + output.number;
}

const flg_signal *flg_output_signal(const flg_simulation *simulation, flg_output output) {
  const flg_found_output *found = access_find_output(simulation, output, NULL);
  return found == NULL ? NULL : &found->signal;
}

flg_status flg_output_read(flg_simulation *simulation, flg_output output, double *values, int count,
                           flg_error *error) {
  const flg_found_output *found = access_find_output(simulation, output, error);
  if (found == NULL || flg_api_present(values, "values", error) != FLG_OK ||
      flg_api_width(count, found->signal.width, found->signal.name, error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  flg_recorded_read(&found->recorded, values);
  return FLG_OK;
}

flg_status flg_output_read_many(flg_simulation *simulation, const flg_output *outputs,
                                int output_count, double *values, int count, flg_error *error) {
  flg_status status = check_list(simulation, outputs, output_count, "outputs", error);
  if (status != FLG_OK) return status;
  int64_t width = 0;
  for (int k = 0; k < output_count; k++) {
    const flg_found_output *found = access_find_output(simulation, outputs[k], error);
    if (found == NULL) return FLG_ERR_USAGE;
    width += found->recorded.width;
  }
  status = check_widths(values, count, width, output_count, "outputs", error);
  if (status != FLG_OK || output_count == 0) return status;
  const flg_found_output *found = simulation->access->outputs.items;
  for (int k = 0; k < output_count; k++) {
    const flg_recorded *recorded = &found[outputs[k].number].recorded;
    flg_recorded_read(recorded, values);
    values += recorded->width;
  }
  return FLG_OK;
}

/* --- inputs -------------------------------------------------------------------------------------
 */

static const char *const input_words[FLG_INPUT_KIND_COUNT] = {[FLG_INPUT_EFFORT] = "effort",
                                                              [FLG_INPUT_TARGET] = "target",
                                                              [FLG_INPUT_WRENCH] = "wrench",
                                                              [FLG_INPUT_SIGNAL] = NULL};

/* the kind by the word after the last dot, which is cut off; a name without one is a signal */
static flg_status split_input(char *path, flg_input_kind *kind, flg_error *error) {
  char *dot = strrchr(path, '.');
  *kind = FLG_INPUT_SIGNAL;
  if (dot == NULL || strchr(dot, '/') != NULL) return FLG_OK;
  for (int k = 0; k < FLG_INPUT_SIGNAL; k++) {
    if (strcmp(dot + 1, input_words[k]) != 0) continue;
    *kind = (flg_input_kind)k, *dot = '\0';
    return FLG_OK;
  }
  return flg_fail(
      error, FLG_ERR_INPUT,
      "'%s' cannot be written; expected joint.effort, controller.target, body.wrench or "
      "the name of a signal",
      path);
}

flg_status flg_input_find(flg_simulation *simulation, const char *name, flg_input *input,
                          flg_error *error) {
  if (flg_api_idle(simulation, error) != FLG_OK || flg_api_present(name, "name", error) != FLG_OK ||
      flg_api_present(input, "input", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  const struct flg_access *access = flg_access_of(simulation);
  char *written = flg_region_take(&simulation->region, strlen(name) + 1, 1);
  const flg_subsystem *subsystem = NULL;
  const char *path = NULL;
  flg_input_kind kind = FLG_INPUT_SIGNAL;
  int index = 0;
  if (access == NULL || written == NULL) return no_memory_for_access(error);
  memcpy(written, name, strlen(name) + 1);
  flg_status status = split_input(written, &kind, error);
  if (status == FLG_OK) status = flg_api_find_part(simulation, written, &subsystem, &path, error);
  if (status == FLG_OK) status = flg_inputs_open(simulation, subsystem, kind, path, &index, error);
  if (status == FLG_OK) *input = (flg_input){access->serial, index};
  return status;
}

static const flg_opened_input *find_input(const flg_simulation *simulation, flg_input input,
                                          flg_error *error) {
  if (flg_api_present(simulation, "simulation", error) != FLG_OK ||
      !flg_api_handle(simulation->access, input.simulation, input.number, simulation->opened.count,
                      "input", error)) {
    return NULL;
  }
  return (const flg_opened_input *)simulation->opened.items + input.number;
}

int flg_input_width(const flg_simulation *simulation, flg_input input) {
  const flg_opened_input *found = find_input(simulation, input, NULL);
  return found == NULL ? 0 : found->width;
}

/* the input, if such values are for it; else NULL */
static const flg_opened_input *find_fitting(const flg_simulation *simulation, flg_input input,
                                            const double *values, int count, flg_error *error) {
  const flg_opened_input *found = find_input(simulation, input, error);
  if (found == NULL || flg_api_present(values, "values", error) != FLG_OK ||
      flg_api_width(count, found->width, "values of an input", error) != FLG_OK) {
    return NULL;
  }
  return found;
}

flg_status flg_input_write(flg_simulation *simulation, flg_input input, const double *values,
                           int count, flg_error *error) {
  if (flg_api_idle(simulation, error) != FLG_OK ||
      find_fitting(simulation, input, values, count, error) == NULL) {
    return FLG_ERR_USAGE;
  }
  const flg_status status = check_finite_input(values, count, "an input", error);
  if (status == FLG_OK)
    flg_inputs_write(simulation, input.number, flg_simulation_time(simulation), values);
  return status;
}

flg_status flg_input_write_many(flg_simulation *simulation, const flg_input *inputs,
                                int input_count, const double *values, int count,
                                flg_error *error) {
  flg_status status = flg_api_idle(simulation, error);
  if (status == FLG_OK) status = check_list(simulation, inputs, input_count, "inputs", error);
  if (status != FLG_OK) return status;
  int64_t width = 0;
  for (int k = 0; k < input_count; k++) {
    const flg_opened_input *found = find_input(simulation, inputs[k], error);
    if (found == NULL) return FLG_ERR_USAGE;
    width += found->width;
  }
  status = check_widths(values, count, width, input_count, "inputs", error);
  if (status == FLG_OK) status = check_finite_input(values, count, "the inputs", error);
  const double time = flg_simulation_time(simulation);
  for (int k = 0; k < input_count && status == FLG_OK; k++) {
    values += flg_inputs_write(simulation, inputs[k].number, time, values);
  }
  return status;
}

flg_status flg_input_read(const flg_simulation *simulation, flg_input input, double *values,
                          int count, flg_error *error) {
  const flg_opened_input *found = find_fitting(simulation, input, values, count, error);
  if (found == NULL) return FLG_ERR_USAGE;
  memcpy(values, simulation->inputs + found->first, (size_t)count * sizeof *values);
  return FLG_OK;
}

flg_status flg_input_clear(flg_simulation *simulation, flg_input input, flg_error *error) {
  if (flg_api_idle(simulation, error) != FLG_OK || find_input(simulation, input, error) == NULL) {
    return FLG_ERR_USAGE;
  }
  flg_inputs_withdraw(simulation, input.number);
  return FLG_OK;
}

/* --- triggers -----------------------------------------------------------------------------------
 */

static const char *const action_words[FLG_ACTION_COUNT] = {
    [FLG_ACTION_LOCK] = "lock",     [FLG_ACTION_UNLOCK] = "unlock",
    [FLG_ACTION_ENABLE] = "enable", [FLG_ACTION_DISABLE] = "disable",
    [FLG_ACTION_SET] = "set",       [FLG_ACTION_SET_VELOCITY] = "set_velocity",
    [FLG_ACTION_WELD] = "weld",     [FLG_ACTION_RELEASE] = "release"};

static flg_status find_action(const char *word, int count, flg_action *action, flg_error *error) {
  char hint[FLG_HINT_TEXT];
  int found = 0;
  while (found < FLG_ACTION_COUNT && strcmp(action_words[found], word) != 0) found++;
  if (found == FLG_ACTION_COUNT) {
    return flg_fail(error, FLG_ERR_INPUT, "no event can '%s'%s", word,
                    flg_closest_hint(word, action_words, FLG_ACTION_COUNT, hint));
  }
  *action = (flg_action)found;
  const bool sets = *action == FLG_ACTION_SET || *action == FLG_ACTION_SET_VELOCITY;
  if (sets ? count > 0 : count == 0) return FLG_OK;
  return flg_fail(error, FLG_ERR_USAGE, "'%s' sets %s, found %d.", word,
                  sets ? "one number or more" : "no numbers", count);
}

flg_status flg_trigger_find(flg_simulation *simulation, const char *action, const char *target,
                            int count, flg_trigger *trigger, flg_error *error) {
  if (flg_api_idle(simulation, error) != FLG_OK ||
      flg_api_present(action, "action", error) != FLG_OK ||
      flg_api_present(target, "target", error) != FLG_OK ||
      flg_api_present(trigger, "trigger", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  struct flg_access *access = flg_access_of(simulation);
  flg_found_trigger found = {.count = count};
  const char *path = NULL;
  if (access == NULL) return no_memory_for_access(error);
  flg_status status = find_action(action, count, &found.action, error);
  if (status == FLG_OK) {
    status = flg_api_find_part(simulation, target, &found.subsystem, &path, error);
  }
  if (status == FLG_OK) {
    status = flg_subsystem_aim(found.subsystem, found.action, path, count, &found.target, error);
  }
  if (status != FLG_OK) return status;
  flg_found_trigger *made = flg_growing_add(&access->triggers, sizeof *made, &simulation->region);
  if (made == NULL) return no_memory_for_access(error);
  *made = found;
  *trigger = (flg_trigger){access->serial, access->triggers.count - 1};
  return FLG_OK;
}

flg_status flg_trigger_fire(flg_simulation *simulation, flg_trigger trigger, const double *values,
                            int count, flg_error *error) {
  if (flg_api_idle(simulation, error) != FLG_OK) return FLG_ERR_USAGE;
  const struct flg_access *access = simulation->access;
  if (!flg_api_handle(access, trigger.simulation, trigger.number,
                      access == NULL ? 0 : access->triggers.count, "trigger", error)) {
    return FLG_ERR_USAGE;
  }
  const flg_found_trigger *found =
      (const flg_found_trigger *)access->triggers.items + trigger.number;
  if (flg_api_width(count, found->count, action_words[found->action], error) != FLG_OK ||
      (count > 0 && flg_api_present(values, "values", error) != FLG_OK)) {
    return FLG_ERR_USAGE;
  }
  flg_status status = check_finite_input(values, count, "an event", error);
  if (status != FLG_OK) return status;
  const flg_event event = {.action = found->action,
                           .subsystem = found->subsystem,
                           .target = found->target,
                           .value_count = count,
                           .values = values};
  status = flg_simulation_apply(simulation, &event, 1, flg_simulation_time(simulation), error);
  flg_simulation_refresh(simulation);
  return status;
}

/* --- contacts -----------------------------------------------------------------------------------
 */

/* shapes of all subsystems are numbered one after the other */
static int first_shape(const flg_simulation *simulation, int subsystem) {
  int first = 0;
  for (int k = 0; k < subsystem; k++) first += flg_touched_count(&simulation->subsystems[k]);
  return first;
}

int flg_touch_most(flg_simulation *simulation) {
  struct flg_access *access = simulation == NULL ? NULL : flg_access_of(simulation);
  if (access == NULL) return 0;
  const int most = flg_touching_most(simulation);
  if (access->touching == NULL && most > 0) {
    access->touching = flg_region_take(&simulation->region, (size_t)most, sizeof *access->touching);
    access->touching_most = access->touching == NULL ? 0 : most;
  }
  return access->touching_most;
}

static flg_touch_point access_point_of(const flg_touching *touching, int first) {
  const flg_contact *contact = touching->contact;
  flg_touch_point point = {.gap = contact->gap,
                           .pressure = touching->press,
                           .state = touching->state == FLG_CONTACT_OPEN      ? FLG_TOUCH_OPEN
                                    : touching->state == FLG_CONTACT_SLIDING ? FLG_TOUCH_SLIDING
                                                                             : FLG_TOUCH_STICKING,
                           .shapes = {first + touching->shapes[0], first + touching->shapes[1]}};
  flg_vec3_store(flg_vec3_scale(flg_vec3_add(contact->point_a, contact->point_b), 0.5),
                 point.position);
  flg_vec3_store(contact->normal, point.normal);
  flg_vec3_store(touching->force, point.force);
  return point;
}

flg_status flg_touch_list(const flg_simulation *simulation, flg_touch_point *points, int capacity,
                          int *count, flg_error *error) {
  if (flg_api_present(simulation, "simulation", error) != FLG_OK ||
      flg_api_present(count, "count", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  const struct flg_access *access = simulation->access;
  const bool is_ready = access != NULL && access->touching != NULL;
  *count = 0;
  if (!is_ready && flg_touching_most(simulation) == 0) return FLG_OK;
  if (!is_ready) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "Contacts are listed after flg_touch_most, which takes the memory for it.");
  }
  const int all = flg_touching_list(simulation, access->touching);
  const int kept = all < capacity ? all : capacity;
  if (kept > 0 && flg_api_present(points, "points", error) != FLG_OK) return FLG_ERR_USAGE;
  for (int k = 0; k < kept; k++) {
    points[k] = access_point_of(&access->touching[k],
                                first_shape(simulation, access->touching[k].subsystem));
  }
  *count = kept > 0 ? kept : 0;
  if (all <= capacity) return FLG_OK;
  return flg_fail(error, FLG_ERR_CAPACITY, "There are %d contact points, and room for %d.", all,
                  capacity);
}

flg_status flg_touch_shape(const flg_simulation *simulation, int shape, char text[FLG_SHAPE_TEXT],
                           flg_error *error) {
  if (flg_api_present(simulation, "simulation", error) != FLG_OK ||
      flg_api_present(text, "text", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  int left = shape;
  for (int k = 0; k < simulation->subsystem_count && left >= 0; k++) {
    const int own = flg_touched_count(&simulation->subsystems[k]);
    if (left < own) {
      flg_touching_name(simulation, k, left, text);
      return FLG_OK;
    }
    left -= own;
  }
  text[0] = '\0';
  return flg_fail(error, FLG_ERR_USAGE, "There is no shape %d.", shape);
}
