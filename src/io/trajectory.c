#include "io/trajectory.h"

#include <math.h>
#include <string.h>

#include "base/closest.h"
#include "base/tolerances.h"
#include "compose/robots.h"
#include "io/load.h"
#include "io/trajectory_keys.h"
#include "text/document.h"

static const double MOST_SAMPLES = 1e15;

/* one trajectory in the making */
typedef struct maker {
  flg_loader loader;
  flg_simulation *simulation;
  flg_robot_subsystem *subsystem;
  const flg_trajectory_keys *keys;
  flg_trajectory *trajectory;
  int *joints;  /* (count) of the model */
  bool *locked; /* (joints of the model) */
} maker;

static void complain_of_trajectory(const maker *make, flg_place place, const char *what) {
  flg_mistake_add(make->loader.mistakes, FLG_ERR_INPUT, place, "%s", what);
}

static void *trajectory_take(const maker *make, size_t count, size_t bytes) {
  return flg_region_take(make->loader.region, count, bytes);
}

/* ---- joints ---- */

static bool trajectory_choose_joints(maker *make) {
  const flg_robot_subsystem *subsystem = make->subsystem;
  const size_t most = (size_t)subsystem->model->joint_count;
  int *positions = trajectory_take(make, most, sizeof(int)),
      *velocities = trajectory_take(make, most, sizeof(int));
  make->joints = trajectory_take(make, most, sizeof *make->joints);
  make->locked = trajectory_take(make, most, sizeof *make->locked);
  if (make->loader.region->failed) return false;
  int count = 0;
  for (int joint = 0; joint < subsystem->model->joint_count; joint++) {
    const int link = subsystem->robot.joint_links[joint];
    if (link < 0 || subsystem->robot.links[link].velocity_count != 1) continue;
    if (subsystem->model->joints[joint].mimic.joint >= 0) continue;
    make->joints[count] = joint;
    positions[count] = subsystem->robot.links[link].position;
    velocities[count++] = subsystem->robot.links[link].velocity;
  }
  make->trajectory->count = count;
  make->trajectory->positions = positions;
  make->trajectory->velocities = velocities;
  return true;
}

static void lock_joints(const maker *make) {
  const flg_texts *names = &make->keys->lock;
  for (int k = 0; k < names->count; k++) {
    const flg_origin *name = &names->items[k];
    const int joint = flg_compose_joint(&make->loader, make->subsystem, name->name, name->place);
    if (joint >= 0) make->locked[joint] = true;
  }
}

/* whether a joint may be there */
static void check_limits(const maker *make, int joint, double at, flg_place place) {
  const flg_joint *about = &make->subsystem->model->joints[joint];
  if (at >= about->lower && at <= about->upper) return;
  flg_mistake_add(make->loader.mistakes, FLG_ERR_INPUT, place,
                  "joint '%s' cannot be at %.9g; its limits are %.9g and %.9g", about->name, at,
                  about->lower, about->upper);
}

static bool trajectory_load_start(const maker *make) {
  const flg_robot_subsystem *subsystem = make->subsystem;
  const size_t count = (size_t)subsystem->robot.position_count;
  double *q = trajectory_take(make, count, sizeof *q);
  double *from = trajectory_take(make, count, sizeof *from);
  if (q == NULL || from == NULL) return false;
  memcpy(q, subsystem->q, count * sizeof *q);
  flg_compose_values(&make->loader, subsystem, &make->keys->start, true, q);
  flg_robot_normalise(&subsystem->robot, q);
  flg_mimics_place(subsystem->model, &subsystem->robot, q);
  for (int k = 0; k < make->trajectory->count; k++) {
    check_limits(make, make->joints[k], q[make->trajectory->positions[k]],
                 make->keys->origin.place);
  }
  make->trajectory->q = q;
  make->trajectory->path.from = from;
  return true;
}

/* ---- the frame ---- */

static void unknown_frame(const maker *make) {
  const flg_model *model = make->subsystem->model;
  const int count = model->body_count + model->frame_count;
  const char **words = trajectory_take(make, (size_t)count, sizeof *words);
  if (words == NULL) return;
  for (int k = 0; k < model->body_count; k++) words[k] = model->bodies[k].name;
  for (int k = 0; k < model->frame_count; k++) words[model->body_count + k] = model->frames[k].name;
  char hint[FLG_HINT_TEXT];
  flg_mistake_add(make->loader.mistakes, FLG_ERR_INPUT, make->keys->origin.place,
                  "frame: '%s' has no port, marker or body '%s'%s", make->subsystem->options.name,
                  make->keys->frame, flg_closest_hint(make->keys->frame, words, count, hint));
}

static bool trajectory_find_frame(const maker *make, flg_link_anchor *anchor) {
  const flg_model *model = make->subsystem->model;
  const int frame = flg_model_frame(model, make->keys->frame);
  const int body = frame < 0 ? flg_model_body(model, make->keys->frame) : model->frames[frame].body;
  if (body < FLG_WORLD) {
    unknown_frame(make);
    return false;
  }
  const int link = body == FLG_WORLD ? FLG_WORLD : make->subsystem->robot.anchors[body].link;
  if (link == FLG_WORLD) {
    complain_of_trajectory(make, make->keys->origin.place,
                           "frame: no joint moves it; name one that moves");
    return false;
  }
  const flg_robot *robot = &make->subsystem->robot;
  *anchor = robot->anchors[body];
  if (frame >= 0) *anchor = flg_robot_anchor(robot, body, &model->frames[frame].pose, NULL);
  return true;
}

/* ---- targets ---- */

static void load_joints(const maker *make, const flg_target_keys *keys, flg_leg *leg) {
  const flg_trajectory *trajectory = make->trajectory;
  if (keys->joints.count != trajectory->count) {
    flg_mistake_add(make->loader.mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "joints: '%s' has %d joints with one coordinate, found %d numbers",
                    make->subsystem->options.name, trajectory->count, keys->joints.count);
    return;
  }
  leg->kind = FLG_LEG_JOINTS;
  leg->targets = keys->joints.values;
  for (int k = 0; k < trajectory->count; k++) {
    const double now = trajectory->q[trajectory->positions[k]], then = keys->joints.values[k];
    check_limits(make, make->joints[k], then, keys->origin.place);
    if (!make->locked[make->joints[k]] || now == then) continue;
    flg_mistake_add(make->loader.mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "joints: joint '%s' is locked at %.9g and cannot go to %.9g",
                    make->subsystem->model->joints[make->joints[k]].name, now, then);
  }
}

static void load_arc(const maker *make, const flg_around_keys *keys, flg_leg *leg) {
  leg->kind = FLG_LEG_ARC;
  leg->pivot = flg_vec3_load(keys->point);
  leg->axis = flg_vec3_load(keys->axis);
  leg->angle = keys->angle;
  if (isnan(keys->point[0]) || isnan(keys->angle) || !(flg_vec3_norm(leg->axis) > 0)) {
    complain_of_trajectory(make, keys->origin.place,
                           "around: needs a point, an axis that is not zero, and an angle");
  }
}

static void load_line(const flg_target_keys *keys, flg_leg *leg) {
  leg->kind = FLG_LEG_LINE;
  leg->moves = !isnan(keys->position[0]), leg->turns = !isnan(keys->turn[0]);
  leg->relative = keys->relative;
  leg->position = flg_vec3_load(keys->position);
  leg->rotation = flg_mat3_from_roll_pitch_yaw(keys->turn);
}

static void load_leg(const maker *make, const flg_target_keys *keys, flg_leg *leg) {
  const flg_around_keys *around = &keys->around;
  const bool line = !isnan(keys->position[0]) || !isnan(keys->turn[0]);
  const bool arc = !isnan(around->point[0]) || !isnan(around->axis[0]) || !isnan(around->angle);
  const bool joints = keys->joints.count > 0;
  leg->arrival = keys->at;
  if (line + arc + joints > 1) {
    complain_of_trajectory(
        make, keys->origin.place,
        "a target has position and turn, or around, or joints; give one of these");
  } else if (joints) {
    load_joints(make, keys, leg);
  } else if (arc) {
    load_arc(make, around, leg);
  } else {
    load_line(keys, leg);
  }
}

static bool load_legs(const maker *make) {
  const flg_target_keys *keys = make->keys->path.items;
  const int count = make->keys->path.count;
  flg_leg *legs = trajectory_take(make, (size_t)count, sizeof *legs);
  if (legs == NULL) return false;
  for (int k = 0; k < count; k++) {
    load_leg(make, &keys[k], &legs[k]);
    if (k == 0 || keys[k].at > keys[k - 1].at) continue;
    flg_mistake_add(make->loader.mistakes, FLG_ERR_INPUT, keys[k].origin.place,
                    "at: %g s does not come after the target before, at %g s", keys[k].at,
                    keys[k - 1].at);
  }
  make->trajectory->path.legs = legs;
  make->trajectory->path.leg_count = count;
  return true;
}

/* ---- all of it ---- */

static void build_path(const maker *make) {
  const flg_robot_subsystem *subsystem = make->subsystem;
  flg_trajectory *trajectory = make->trajectory;
  flg_tool_path *path = &trajectory->path;
  flg_reach_options options = {.position_only = make->keys->position_only, .locked = make->locked};
  flg_error error;
  if (!trajectory_find_frame(make, &options.frame)) return;
  const flg_status status =
      flg_inverse_kinematics_build(&path->kinematics, subsystem->model, &subsystem->robot,
                                   subsystem->dynamics, &options, make->loader.region, &error);
  if (status != FLG_OK) {
    flg_mistake_add(make->loader.mistakes, status, make->keys->origin.place, "%s", error.message);
    return;
  }
  path->name = make->keys->frame;
  path->model = subsystem->model;
  path->robot = &subsystem->robot;
  path->count = trajectory->count;
  path->positions = trajectory->positions;
}

static void make_trajectory(maker *make) {
  const flg_mistakes *mistakes = make->loader.mistakes;
  flg_trajectory *trajectory = make->trajectory;
  const flg_subsystem *part = flg_compose_subsystem(
      make->simulation, make->keys->subsystem, make->keys->origin.place, make->loader.mistakes);
  if (part == NULL) return;
  make->subsystem = flg_subsystem_robot(part);
  if (!trajectory_choose_joints(make)) return;
  lock_joints(make);
  if (!trajectory_load_start(make) || !load_legs(make)) return;
  build_path(make);
  if (mistakes->count > 0) return;
  const double end = trajectory->path.legs[trajectory->path.leg_count - 1].arrival;
  trajectory->subsystem = make->subsystem;
  trajectory->sample = make->keys->sample;
  trajectory->samples =
      1 + (int64_t)fmin(ceil(end / trajectory->sample - FLG_TIME_SLACK), MOST_SAMPLES);
  flg_tool_path_begin(&trajectory->path, trajectory->q);
}

flg_status flg_trajectory_read(flg_trajectory *trajectory, flg_simulation *simulation,
                               const char *file, const char *const *overrides, int override_count,
                               flg_mistakes *mistakes) {
  flg_region *region = &simulation->region;
  flg_trajectory_keys keys = {0};
  *trajectory = (flg_trajectory){0};
  const flg_node *root =
      flg_document_read(region, file, (flg_place){0}, overrides, override_count, mistakes);
  if (root != NULL) flg_schema_read(&flg_trajectory_section, root, &keys, region, mistakes);
  maker make = {.loader = {.region = region, .mistakes = mistakes},
                .simulation = simulation,
                .keys = &keys,
                .trajectory = trajectory};
  if (mistakes->count == 0) make_trajectory(&make);
  if (region->failed && mistakes->count == 0) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){.file = file}, "no memory left");
  }
  return mistakes->count == 0 ? FLG_OK : mistakes->status;
}

flg_status flg_trajectory_step(flg_trajectory *trajectory, double *joints, flg_error *error) {
  const double time = (double)trajectory->done * trajectory->sample;
  const flg_status status = flg_tool_path_go(&trajectory->path, time, trajectory->q, error);
  if (status != FLG_OK) return status;
  trajectory->done++;
  for (int k = 0; k < trajectory->count; k++) {
    joints[k] = trajectory->q[trajectory->positions[k]];
  }
  return FLG_OK;
}
