#include "component/assembly_inputs.h"

#include <string.h>

#include "assembly/assembly_signals.h"
#include "base/closest.h"
#include "component/assembly_actions.h"
#include "component/assembly_objects.h"

/* --- frames -------------------------------------------------------------------------------------
 */

/* what stands after "name/"; NULL: something else stands before it */
static const char *rest_below_name(const char *path, const char *name) {
  const size_t length = strlen(name);
  return strncmp(path, name, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* a body of a robot, or a marker on one, as "body", "marker" or "body/marker" */
static bool find_in_model(const flg_model *model, const char *path, flg_anchor *anchor) {
  anchor->body = flg_model_body(model, path);
  if (anchor->body >= 0) return true;
  for (int k = 0; k < model->frame_count; k++) {
    const flg_frame *frame = &model->frames[k];
    if (frame->body == FLG_WORLD) continue;
    const char *rest = rest_below_name(path, model->bodies[frame->body].name);
    if (strcmp(rest == NULL ? path : rest, frame->name) != 0) continue;
    anchor->body = frame->body, anchor->pose = frame->pose;
    return true;
  }
  return false;
}

/* a robot that stands for one flexible body has the name of that body */
static bool find_in_robots(const flg_assembly *assembly, const char *path, flg_anchor *anchor) {
  const flg_component *component = assembly->model.component;
  for (int k = 0; k < component->robot_count; k++) {
    const flg_component_robot *robot = &component->robots[k];
    *anchor = (flg_anchor){.robot = k, .body = 0, .pose = flg_pose_identity()};
    if (robot->is_body && strcmp(path, robot->name) == 0) return true;
    const char *rest = rest_below_name(path, robot->name);
    if (rest != NULL && find_in_model(robot->model, rest, anchor)) return true;
  }
  return false;
}

/* Names that can be recorded first, then all bodies and markers inside of robots, which have no
 * objects. */
flg_status flg_assembly_find_anchor(const flg_assembly *assembly, const char *path,
                                    flg_part_anchor *part_anchor, flg_error *error) {
  const flg_assembly_objects *objects = assembly->model.objects;
  flg_closest closest = flg_closest_begin(path);
  flg_anchor anchor;
  for (int k = 0; k < objects->count; k++) {
    if (objects->sources[k].kind != FLG_SOURCE_FRAME) continue;
    *part_anchor = objects->sources[k].anchor;
    if (strcmp(objects->list[k].path, path) == 0) return FLG_OK;
    flg_closest_offer(&closest, objects->list[k].path);
  }
  if (find_in_robots(assembly, path, &anchor)) {
    *part_anchor = flg_assembly_anchor(assembly, &anchor);
    return FLG_OK;
  }
  char hint[FLG_HINT_TEXT];
  return flg_fail(error, FLG_ERR_INPUT, "'%s' has no body, marker or port '%s'%s",
                  assembly->model.options.name, path, flg_closest_text(&closest, hint));
}

/* --- opening ------------------------------------------------------------------------------------
 */

/* A joint's own coordinates, else a sensor: an effort acts on what is measured. */
static flg_status find_input_coordinates(const flg_assembly *assembly, const char *path,
                                         flg_assembly_input *input, flg_error *error) {
  const flg_component *component = assembly->model.component;
  const int joint = flg_component_find_joint(component, path);
  const int own =
      joint < 0 ? 0 : flg_constraint_kinds[component->joints[joint].kind].coordinate_count;
  for (int i = 0; i < own; i++) input->coordinate[i] = component->joints[joint].coordinate[i];
  input->width = own;
  for (int k = 0; k < component->coordinate_count && own == 0; k++) {
    if (strcmp(component->coordinates[k].name, path) != 0) continue;
    input->coordinate[0] = k, input->width = 1;
  }
  if (input->width > 0) return FLG_OK;
  return flg_fail(error, FLG_ERR_INPUT,
                  joint < 0 ? "'%s' has no joint or sensor '%s'"
                            : "'%s': joint '%s' has no coordinate that an effort could push",
                  assembly->model.options.name, path);
}

static flg_status find_signal(const flg_assembly *assembly, const char *path,
                              flg_assembly_input *input, flg_error *error) {
  const flg_signals *signals = assembly->model.signals;
  const char *name = assembly->model.options.name;
  flg_closest closest = flg_closest_begin(path);
  input->width = 1;
  for (input->index = 0; signals != NULL && input->index < signals->block_count; input->index++) {
    const flg_running_block *own = &signals->blocks[input->index];
    flg_closest_offer(&closest, own->block->name);
    if (strcmp(own->block->name, path) != 0) continue;
    /* a signal with a state would be overwritten by its next step */
    if (own->held == NULL && own->state < 0) return FLG_OK;
    return flg_fail(error, FLG_ERR_INPUT,
                    "signal '%s' of '%s' is a filter or sampled, so that it keeps its value: "
                    "write to its input instead",
                    path, name);
  }
  char hint[FLG_HINT_TEXT];
  return flg_fail(error, FLG_ERR_INPUT, "'%s' has no signal '%s'%s", name, path,
                  flg_closest_text(&closest, hint));
}

/* the robot in it that the path goes through has such inputs; false: none has */
/* Efforts and targets of robots are theirs: the rest of the path is looked up there. */
static bool find_guest(const flg_assembly *assembly, const char *path, flg_assembly_input *input,
                       flg_status *status, flg_error *error) {
  if (input->kind != FLG_INPUT_EFFORT && input->kind != FLG_INPUT_TARGET) return false;
  for (int k = 0; k < assembly->model.component->robot_count; k++) {
    const char *rest = rest_below_name(path, assembly->model.component->robots[k].name);
    if (rest == NULL) continue;
    const flg_subsystem *guest = flg_assembly_guest(assembly, k);
    if (guest->ops->open_input == NULL) return false;
    input->guest = guest;
    *status =
        guest->ops->open_input(guest->self, input->kind, rest, &input->index, &input->width, error);
    return true;
  }
  return false;
}

static flg_status assembly_inputs_find(const flg_assembly *assembly, const char *path,
                                       flg_assembly_input *input, flg_error *error) {
  flg_status status = FLG_OK;
  if (find_guest(assembly, path, input, &status, error)) return status;
  switch (input->kind) {
    case FLG_INPUT_EFFORT:
      return find_input_coordinates(assembly, path, input, error);
    case FLG_INPUT_WRENCH:
      input->width = FLG_PORT_NUMBERS;
      return flg_assembly_find_anchor(assembly, path, &input->anchor, error);
    case FLG_INPUT_SIGNAL:
      return find_signal(assembly, path, input, error);
    default:
      return flg_fail(error, FLG_ERR_INPUT, "'%s' has no robot with a controller '%s'",
                      assembly->model.options.name, path);
  }
}

/* steps look at coordinates that something works on */
static void use_coordinates(flg_assembly *assembly, const flg_assembly_input *input) {
  for (int i = 0; i < 2; i++) {
    int of[2];
    double factor[2];
    if (input->coordinate[i] < 0) continue;
    flg_limits_couple(assembly->model.component, input->coordinate[i], of, factor);
    for (int s = 0; s < 2; s++) {
      if (of[s] < 0) continue;
      assembly->model.coordinates[of[s]].is_read = true;
      if (assembly->model.coordinates[of[s]].is_used) continue;
      assembly->model.coordinates[of[s]].is_used = true;
      assembly->model.used_count++;
      assembly->scratch.stamps.angles = assembly->scratch.stamps.angle_values = 0;
    }
  }
}

flg_status flg_assembly_open_input(void *self, flg_input_kind kind, const char *path, int *number,
                                   int *width, flg_error *error) {
  flg_assembly *assembly = self;
  flg_assembly_input input = {.kind = kind, .coordinate = {-1, -1}};
  const flg_status status = assembly_inputs_find(assembly, path, &input, error);
  if (status != FLG_OK) return status;
  flg_region *region = &assembly->model.region;
  flg_assembly_inputs *inputs = &assembly->model.inputs;
  flg_assembly_input *made = NULL;
  input.values = flg_region_take(region, (size_t)input.width, sizeof(double));
  if (input.values != NULL) {
    made = flg_growing_add(&inputs->list, sizeof *made, region);
  }
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for an input");
  use_coordinates(assembly, &input);
  *made = input;
  *number = inputs->list.count - 1, *width = input.width;
  /* coordinates that are used now are not known yet */
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  return FLG_OK;
}

/* --- writing ------------------------------------------------------------------------------------
 */

void flg_assembly_write_input(void *self, int number, double time, const double *values) {
  flg_assembly *assembly = self;
  flg_assembly_input *input = (flg_assembly_input *)assembly->model.inputs.list.items + number;
  input->is_given = values != NULL;
  if (values != NULL) memcpy(input->values, values, (size_t)input->width * sizeof *values);
  if (input->guest != NULL) {
    input->guest->ops->write_input(input->guest->self, input->index, time, values);
  } else if (input->kind == FLG_INPUT_SIGNAL) {
    assembly->model.signals->blocks[input->index].given = values == NULL ? NULL : input->values;
  }
}
