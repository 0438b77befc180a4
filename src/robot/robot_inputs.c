#include "robot/robot_inputs.h"

#include <math.h>
#include <string.h>

#include "base/closest.h"
#include "base/tolerances.h"
#include "robot/robot_actions.h"
#include "robot/robot_coupled.h"
#include "robot/robot_forces.h"

enum { WRENCH_NUMBERS = 6 };

static const flg_robot_input *inputs_of(const flg_robot_subsystem *subsystem) {
  return subsystem->inputs.list.items;
}

/* --- finding ------------------------------------------------------------------------------------
 */

static flg_status find_joint(const flg_robot_subsystem *subsystem, const char *path,
                             flg_robot_input *input, flg_error *error) {
  const flg_robot *robot = &subsystem->robot;
  /* Efforts act on velocities: a joint with three of them takes three numbers. */
  const int joint =
      flg_robot_joint_find(subsystem->options.name, subsystem->model, robot, path, error);
  if (joint < 0) return FLG_ERR_INPUT;
  const flg_link *link = &robot->links[robot->joint_links[joint]];
  input->index = link->velocity, input->width = link->velocity_count;
  return FLG_OK;
}

static bool has_trajectory(const flg_controller *controller) {
  return controller->kind == FLG_CONTROLLER_PD || controller->kind == FLG_CONTROLLER_COMPUTED ||
         controller->kind == FLG_CONTROLLER_FEED;
}

static flg_status find_controller(const flg_robot_subsystem *subsystem, const char *path,
                                  flg_robot_input *input, flg_error *error) {
  char hint[FLG_HINT_TEXT];
  flg_closest closest = flg_closest_begin(path);
  input->index = flg_robot_subsystem_controller(subsystem, path);
  for (int k = 0; k < subsystem->controller_count; k++) {
    flg_closest_offer(&closest, subsystem->controllers[k].name);
  }
  if (input->index < 0) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' has no controller '%s'%s", subsystem->options.name,
                    path, flg_closest_text(&closest, hint));
  }
  const flg_controller *controller = &subsystem->controllers[input->index];
  if (!has_trajectory(controller)) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "controller '%s' of '%s' follows no positions, so it has no target; pd, "
                    "computed-torque and feed-forward do",
                    path, subsystem->options.name);
  }
  input->width = controller->count;
  return FLG_OK;
}

/* bodies and markers of the objects that can be recorded */
static flg_status robot_find_frame(const flg_robot_subsystem *subsystem, const char *path,
                                   flg_link_anchor *anchor, flg_error *error) {
  const flg_robot_objects *objects = &subsystem->objects;
  char hint[FLG_HINT_TEXT];
  flg_closest closest = flg_closest_begin(path);
  for (int k = 0; k < objects->first_elastic; k++) {
    /* Objects between bodies and markers are joints, which have no frame to push at. */
    const bool is_body = k < subsystem->model->body_count;
    if (!is_body && k < objects->first_marker) continue;
    *anchor = is_body ? subsystem->robot.anchors[k] : objects->markers[k - objects->first_marker];
    if (strcmp(objects->list[k].path, path) == 0) return FLG_OK;
    flg_closest_offer(&closest, objects->list[k].path);
  }
  return flg_fail(error, FLG_ERR_INPUT, "'%s' has no body, marker or port '%s'%s",
                  subsystem->options.name, path, flg_closest_text(&closest, hint));
}

static flg_status robot_inputs_find(const flg_robot_subsystem *subsystem, const char *path,
                                    flg_robot_input *input, flg_error *error) {
  switch (input->kind) {
    case FLG_INPUT_EFFORT:
      return find_joint(subsystem, path, input, error);
    case FLG_INPUT_TARGET:
      return find_controller(subsystem, path, input, error);
    case FLG_INPUT_WRENCH:
      input->width = WRENCH_NUMBERS;
      return robot_find_frame(subsystem, path, &input->frame, error);
    default:
      return flg_fail(error, FLG_ERR_INPUT,
                      "'%s' is a robot, which has no signals that can be written; it takes "
                      "joint.effort, controller.target and body.wrench",
                      subsystem->options.name);
  }
}

static flg_status robot_inputs_lay_out(flg_robot_subsystem *subsystem, flg_robot_input *input) {
  flg_robot_inputs *inputs = &subsystem->inputs;
  const size_t velocities = (size_t)subsystem->robot.velocity_count;
  input->values = flg_region_take(&inputs->region, (size_t)input->width, sizeof(double));
  /* One sum for all efforts, made with the first: robots without inputs do not pay for it. */
  if (input->kind == FLG_INPUT_EFFORT && inputs->efforts == NULL) {
    inputs->efforts = flg_region_take(&inputs->region, velocities, sizeof(double));
  }
  return inputs->region.failed ? FLG_ERR_MEMORY : FLG_OK;
}

flg_status flg_robot_open_input(void *self, flg_input_kind kind, const char *path, int *number,
                                int *width, flg_error *error) {
  flg_robot_subsystem *subsystem = self;
  flg_robot_inputs *inputs = &subsystem->inputs;
  flg_robot_input input = {.kind = kind};
  const flg_status status = robot_inputs_find(subsystem, path, &input, error);
  if (status != FLG_OK) return status;
  flg_robot_input *made = NULL;
  if (robot_inputs_lay_out(subsystem, &input) == FLG_OK) {
    made = flg_growing_add(&inputs->list, sizeof *made, &inputs->region);
  }
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for an input");
  *made = input;
  *number = inputs->list.count - 1, *width = input.width;
  return FLG_OK;
}

void flg_robot_inputs_release(flg_robot_subsystem *subsystem) {
  flg_robot_ports *probes = subsystem->inputs.probes.items;
  for (int k = 0; k < subsystem->inputs.probes.count; k++) flg_region_release(&probes[k].region);
  flg_region_release(&subsystem->inputs.region);
  subsystem->inputs = (flg_robot_inputs){0};
}

/* --- writing ------------------------------------------------------------------------------------
 */

/* several inputs may push one joint: their sum is formed again, so that no rounding of old values
 * stays */
static void sum_efforts(const flg_robot_subsystem *subsystem) {
  const flg_robot_inputs *inputs = &subsystem->inputs;
  const flg_robot_input *list = inputs->list.items;
  memset(inputs->efforts, 0, (size_t)subsystem->robot.velocity_count * sizeof(double));
  for (int k = 0; k < inputs->list.count; k++) {
    if (list[k].kind != FLG_INPUT_EFFORT || !list[k].is_given) continue;
    double *to = inputs->efforts + list[k].index;
    for (int i = 0; i < list[k].width; i++) to[i] += list[k].values[i];
  }
}

/* the sample of this time was taken when the state was read: with what is now written it is another
 */
static void sample_again(flg_robot_subsystem *subsystem, int controller, double time) {
  const double period = subsystem->controllers[controller].sample;
  double *drive = flg_robot_drive(subsystem, controller);
  const bool is_now = fabs(drive[FLG_DRIVE_SAMPLE] * period - time) <= FLG_SAMPLE_SLACK * period;
  if (period > 0 && is_now) drive[FLG_DRIVE_SAMPLE] = -1;
}

void flg_robot_write_input(void *self, int number, double time, const double *values) {
  flg_robot_subsystem *subsystem = self;
  flg_robot_input *input = (flg_robot_input *)subsystem->inputs.list.items + number;
  /* The count tells steps without wrenches from others, which then skip them. */
  const int more = (values != NULL) - input->is_given;
  input->is_given = values != NULL;
  for (int k = 0; k < input->width && values != NULL; k++) input->values[k] = values[k];
  if (input->kind == FLG_INPUT_EFFORT) subsystem->inputs.is_stale = true;
  if (input->kind == FLG_INPUT_WRENCH) subsystem->inputs.wrench_count += more;
  if (input->kind == FLG_INPUT_TARGET) sample_again(subsystem, input->index, time);
}

const double *flg_robot_efforts(flg_robot_subsystem *subsystem) {
  flg_robot_inputs *inputs = &subsystem->inputs;
  if (inputs->is_stale) sum_efforts(subsystem);
  inputs->is_stale = false;
  return inputs->efforts;
}

/* --- acting -------------------------------------------------------------------------------------
 */

const flg_controller *flg_robot_aimed(const flg_robot_subsystem *subsystem, int index,
                                      flg_controller *made) {
  static const double start = 0;
  const flg_robot_input *inputs = inputs_of(subsystem);
  /* From the last on: where several inputs aim one controller, the latest counts. */
  for (int k = subsystem->inputs.list.count - 1; k >= 0; k--) {
    if (inputs[k].kind != FLG_INPUT_TARGET || inputs[k].index != index || !inputs[k].is_given) {
      continue;
    }
    *made = subsystem->controllers[index];
    /* A target from outside is a curve of one knot: controllers know curves alone. */
    made->curve = (flg_curve){.kind = FLG_CURVE_HELD,
                              .knots = 1,
                              .width = inputs[k].width,
                              .times = &start,
                              .values = inputs[k].values};
    return made;
  }
  return &subsystem->controllers[index];
}

void flg_robot_add_wrenches(const flg_robot_subsystem *subsystem, double *f) {
  const flg_robot_input *inputs = inputs_of(subsystem);
  for (int k = 0; k < subsystem->inputs.list.count; k++) {
    if (inputs[k].kind != FLG_INPUT_WRENCH || !inputs[k].is_given) continue;
    flg_dynamics_frame_force(subsystem->dynamics, &inputs[k].frame,
                             flg_spatial_load(inputs[k].values), f);
  }
}

/* --- looking ------------------------------------------------------------------------------------
 * Frames that are looked at are ports for as long as that takes.
 */

/* ports with these anchors, in place of those that it has; contacts are left out */
static flg_status build_ports(flg_robot_subsystem *subsystem, const flg_link_anchor *anchors,
                              int count, flg_robot_ports *made, flg_error *error) {
  const flg_robot_ports own = subsystem->ports;
  const flg_status status = flg_robot_ports_build(subsystem, anchors, count, error);
  *made = subsystem->ports;
  made->count = count, made->touch_count = 0;
  subsystem->ports = own;
  return status;
}

flg_status flg_robot_open_probe(void *self, const char *const *paths, int count, int *number,
                                flg_error *error) {
  flg_robot_subsystem *subsystem = self;
  flg_robot_inputs *inputs = &subsystem->inputs;
  flg_link_anchor *anchors = flg_region_take(&inputs->region, (size_t)count, sizeof *anchors);
  flg_status status = FLG_OK;
  for (int k = 0; k < count && status == FLG_OK && anchors != NULL; k++) {
    status = robot_find_frame(subsystem, paths[k], &anchors[k], error);
  }
  if (status != FLG_OK) return status;
  flg_robot_ports *made = NULL;
  if (anchors != NULL) made = flg_growing_add(&inputs->probes, sizeof *made, &inputs->region);
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a model");
  status = build_ports(subsystem, anchors, count, made, error);
  if (status != FLG_OK) inputs->probes.count--;
  *number = inputs->probes.count - 1;
  return status;
}

flg_status flg_robot_probe(void *self, int number, double time, double tau,
                           flg_interface_model *model) {
  flg_robot_subsystem *subsystem = self;
  flg_robot_ports *probe = (flg_robot_ports *)subsystem->inputs.probes.items + number;
  const flg_robot_ports own = subsystem->ports;
  subsystem->ports = *probe;
  const flg_status status = flg_robot_coupled_ops.reduce(subsystem, time, tau, model);
  *probe = subsystem->ports;
  subsystem->ports = own;
  return status;
}
