/* controllers.c - a controller from its keys: which joints, which curve, which gains. */
#include <string.h>

#include "compose/plugins.h"
#include "define/model_definition.h"

/* one controller in the making */
typedef struct maker {
  const flg_loader *loader;
  const flg_controller_keys *keys;
  const flg_robot_subsystem *subsystem;
  const flg_table *table; /* of its file; NULL: none */
  int *positions, *velocities;
  int *joints; /* (count) of the model */
  int count;
} maker;

static void complain_of_controller(const maker *make, const char *what) {
  flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, make->keys->origin.place,
                  "controller '%s' %s", make->keys->origin.name, what);
}

static void *controllers_take(const maker *make, size_t count, size_t bytes) {
  return flg_region_take(make->loader->region, count, bytes);
}

static bool has_one_coordinate(const maker *make, int joint) {
  return flg_joint_kind_velocities(make->subsystem->model->joints[joint].kind) == 1;
}

static void drive(maker *make, int joint) {
  const flg_robot *robot = &make->subsystem->robot;
  const flg_link *link = &robot->links[robot->joint_links[joint]];
  make->joints[make->count] = joint;
  make->positions[make->count] = link->position;
  make->velocities[make->count++] = link->velocity;
}

static void drive_named(maker *make, const char *name, flg_place place) {
  const int joint = flg_compose_joint(make->loader, make->subsystem, name, place);
  if (joint < 0) return;
  if (!has_one_coordinate(make, joint)) {
    flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, place,
                    "joint '%s' has several coordinates; controllers drive joints with one", name);
    return;
  }
  const flg_robot *robot = &make->subsystem->robot;
  for (int k = 0; k < make->count; k++) {
    if (make->velocities[k] != robot->links[robot->joint_links[joint]].velocity) continue;
    flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, place,
                    "joint '%s' stands twice in this controller", name);
    return;
  }
  drive(make, joint);
}

/* named joints, else the columns of the file, else all that can be driven */
static void choose_joints(maker *make) {
  const flg_controller_keys *keys = make->keys;
  const int columns = make->table == NULL ? 0 : (int)make->table->columns - 1;
  const int all = make->subsystem->model->joint_count;
  const int most = keys->joints.count > 0 ? keys->joints.count
                   : make->table != NULL  ? columns
                                          : all;
  make->positions = controllers_take(make, (size_t)most, sizeof *make->positions);
  make->velocities = controllers_take(make, (size_t)most, sizeof *make->velocities);
  make->joints = controllers_take(make, (size_t)most, sizeof *make->joints);
  if (make->positions == NULL || make->velocities == NULL || make->joints == NULL) return;
  if (keys->joints.count > 0) {
    for (int k = 0; k < keys->joints.count; k++) {
      drive_named(make, keys->joints.items[k].name, keys->joints.items[k].place);
    }
  } else if (make->table != NULL) {
    for (int k = 0; k < columns; k++) {
      drive_named(make, make->table->names[k + 1],
                  (flg_place){.file = keys->file, .line = 1, .column = 1});
    }
  } else {
    for (int joint = 0; joint < all; joint++) {
      if (make->subsystem->robot.joint_links[joint] >= 0 && has_one_coordinate(make, joint)) {
        drive(make, joint);
      }
    }
  }
}

static void controller_read_table(maker *make) {
  const flg_source *from = &make->loader->source;
  make->table = from->ops->table(from->self, make->keys->file, make->keys->origin.place);
  if (make->table == NULL || strcmp(make->table->names[0], "time") == 0) return;
  flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT,
                  (flg_place){.file = make->keys->file, .line = 1, .column = 1},
                  "the first column is '%s'; expected time", make->table->names[0]);
}

static const char *joint_name(const maker *make, int k) {
  return make->subsystem->model->joints[make->joints[k]].name;
}

/* the columns of the driven joints, row by row */
static void curve_from_table(const maker *make, flg_curve *curve) {
  const flg_table *table = make->table;
  const size_t rows = table->rows, width = (size_t)make->count;
  double *times = controllers_take(make, rows, sizeof *times),
         *values = controllers_take(make, rows * width, sizeof *values);
  if (times == NULL || values == NULL) return;
  for (size_t k = 0; k < width; k++) {
    const ptrdiff_t column = flg_table_column(table, joint_name(make, (int)k));
    if (column < 1) {
      flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, (flg_place){.file = make->keys->file},
                      "there is no column '%s' after the time", joint_name(make, (int)k));
      return;
    }
    for (size_t row = 0; row < rows; row++) {
      values[row * width + k] = table->values[row * table->columns + (size_t)column];
    }
  }
  for (size_t row = 0; row < rows; row++) times[row] = table->values[row * table->columns];
  *curve = (flg_curve){.kind = (flg_curve_kind)make->keys->interpolation,
                       .knots = (int)rows,
                       .width = make->count,
                       .times = times,
                       .values = values};
}

static void curve_from_points(const maker *make, flg_curve *curve) {
  const flg_point_keys *points = make->keys->points.items;
  const size_t knots = (size_t)make->keys->points.count, width = (size_t)make->count;
  double *times = controllers_take(make, knots, sizeof *times),
         *values = controllers_take(make, knots * width, sizeof *values);
  if (times == NULL || values == NULL) return;
  for (size_t k = 0; k < knots; k++) {
    if ((size_t)points[k].position.count != width) {
      flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, points[k].origin.place,
                      "position: controller '%s' drives %zu joints, found %d numbers",
                      make->keys->origin.name, width, points[k].position.count);
      return;
    }
    if (k > 0 && !(points[k].at > points[k - 1].at)) {
      flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, points[k].origin.place,
                      "at: %g s does not come after the point before, at %g s", points[k].at,
                      points[k - 1].at);
      return;
    }
    times[k] = points[k].at;
    memcpy(values + k * width, points[k].position.values, width * sizeof *values);
  }
  *curve = (flg_curve){.kind = FLG_CURVE_QUINTIC,
                       .knots = (int)knots,
                       .width = make->count,
                       .times = times,
                       .values = values};
}

static void curve_at_rest(const maker *make, const double *q, flg_curve *curve) {
  double *time = controllers_take(make, 1, sizeof *time);
  double *values = controllers_take(make, (size_t)make->count, sizeof *values);
  if (time == NULL || values == NULL) return;
  for (int k = 0; k < make->count; k++) values[k] = q[make->positions[k]];
  *curve = (flg_curve){.knots = 1, .width = make->count, .times = time, .values = values};
}

static void make_spline(const maker *make, flg_curve *curve) {
  const size_t knots = (size_t)curve->knots;
  double *curvatures = controllers_take(make, knots * (size_t)curve->width, sizeof *curvatures);
  double *work = controllers_take(make, 2 * knots, sizeof *work);
  if (curvatures == NULL || work == NULL) return;
  /* motions start and end at rest; forces need not */
  const bool motion = make->keys->kind != FLG_CONTROLLER_TABLE;
  flg_curve_prepare(curve, motion ? FLG_SPLINE_AT_REST : FLG_SPLINE_FREE, curvatures, work);
  curve->kind = FLG_CURVE_SPLINE;
  curve->curvatures = curvatures;
}

static void make_curve(const maker *make, const double *q, flg_curve *curve) {
  const bool trajectory = make->keys->kind != FLG_CONTROLLER_TABLE;
  if (make->table != NULL) {
    curve_from_table(make, curve);
    const bool spline = trajectory || make->keys->interpolation == FLG_CURVE_SPLINE;
    if (spline && curve->values != NULL) make_spline(make, curve);
  } else if (make->keys->points.count > 0) {
    curve_from_points(make, curve);
  } else {
    curve_at_rest(make, q, curve);
  }
}

/* one number for all joints, or one for each */
static double *spread_over_joints(const maker *make, const flg_numbers *numbers, const char *key) {
  double *gains = controllers_take(make, (size_t)make->count, sizeof *gains);
  if (gains == NULL) return NULL;
  if (numbers->count != 1 && numbers->count != make->count) {
    flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, make->keys->origin.place,
                    "%s: controller '%s' needs one number, or one for each of its %d joints; found "
                    "%d",
                    key, make->keys->origin.name, make->count, numbers->count);
    return gains;
  }
  for (int k = 0; k < make->count; k++) gains[k] = numbers->values[numbers->count == 1 ? 0 : k];
  return gains;
}

static void make_gains(const maker *make, flg_controller *controller) {
  const flg_controller_keys *keys = make->keys;
  if (controller->kind == FLG_CONTROLLER_PD) {
    controller->stiffness = spread_over_joints(make, &keys->stiffness, "stiffness");
    controller->damping = spread_over_joints(make, &keys->damping, "damping");
  } else if (controller->kind == FLG_CONTROLLER_COMPUTED ||
             controller->kind == FLG_CONTROLLER_FEED) {
    double *frequency = spread_over_joints(make, &keys->frequency, "frequency");
    double *ratio = spread_over_joints(make, &keys->damping_ratio, "damping_ratio");
    if (frequency == NULL || ratio == NULL) return;
    for (int k = 0; k < make->count; k++) {
      ratio[k] *= 2 * frequency[k];
      frequency[k] *= frequency[k];
    }
    controller->stiffness = frequency, controller->damping = ratio;
  }
}

/* kinds that know the dynamics of the robot can know of more */
static bool knows_dynamics(int kind) {
  return kind == FLG_CONTROLLER_COMPUTED || kind == FLG_CONTROLLER_FEED ||
         kind == FLG_CONTROLLER_GRAVITY;
}

static void complain_of_payload(const maker *make, const char *what) {
  flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, make->keys->payload.origin.place,
                  "payload of controller '%s': %s", make->keys->origin.name, what);
}

static void make_payload(const maker *make, flg_controller *controller) {
  const flg_payload_keys *keys = &make->keys->payload;
  const flg_robot *robot = &make->subsystem->robot;
  if (keys->body == NULL && keys->mass == 0) return;
  const int body = keys->body == NULL ? -1 : flg_model_body(make->subsystem->model, keys->body);
  if (!knows_dynamics(make->keys->kind)) {
    complain_of_payload(make, "only computed-torque, feed-forward and gravity know masses");
  } else if (body < 0) {
    complain_of_payload(make, "give the body of the robot that carries it");
  } else if (keys->mass == 0) {
    complain_of_payload(make, "give its mass");
  }
  if (body < 0) return;
  const flg_pose centre = {flg_mat3_identity(), flg_vec3_load(keys->centre)};
  controller->payload =
      (flg_payload){.frame = flg_robot_anchor(robot, body, &centre, NULL), .mass = keys->mass};
  if (keys->inertia.count == 0) return;
  const flg_origin of = {.name = keys->body, .place = keys->origin.place};
  controller->payload.inertia = flg_inertia_of_keys(&keys->inertia, &of, make->loader->mistakes);
}

static void controller_make_force(const maker *make, flg_controller *controller) {
  const flg_controller_keys *keys = make->keys;
  const flg_model *model = make->subsystem->model;
  const int body = keys->body == NULL ? -1 : flg_model_body(model, keys->body);
  if ((keys->kind == FLG_CONTROLLER_FORCE) != (keys->body != NULL)) {
    complain_of_controller(make, "needs both 'kind: force' and 'body', or neither");
  } else if (keys->body != NULL && body < 0) {
    flg_mistake_add(make->loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "controller '%s': the robot has no body '%s'", keys->origin.name, keys->body);
  }
  if (body < 0) return;
  const flg_pose point = {flg_mat3_identity(), flg_vec3_load(keys->at)};
  controller->point = flg_robot_anchor(&make->subsystem->robot, body, &point, NULL);
  controller->push = (flg_spatial){flg_vec3_load(keys->force), flg_vec3_load(keys->moment)};
}

void flg_compose_controller(const flg_loader *loader, const flg_controller_keys *keys,
                            const flg_robot_subsystem *subsystem, const double *q,
                            flg_controller *controller) {
  maker make = {.loader = loader, .keys = keys, .subsystem = subsystem};
  const int before = loader->mistakes->count;
  if (loader->undriven) {
    *controller = (flg_controller){.name = keys->origin.name};
    return;
  }
  if (keys->kind == FLG_CONTROLLER_TABLE && keys->file == NULL) {
    complain_of_controller(&make, "is a table and needs a file");
  } else if ((keys->kind == FLG_CONTROLLER_PLUGIN) != (keys->plugin != NULL)) {
    complain_of_controller(&make, "needs both 'kind: plugin' and 'plugin', or neither");
  } else if (keys->plugin != NULL && (keys->file != NULL || keys->points.count > 0)) {
    complain_of_controller(&make,
                           "is a plug-in and takes no points and no file; give it 'parameters'");
  } else if (keys->file != NULL && keys->points.count > 0) {
    complain_of_controller(&make, "has points and a file; give one of them");
  } else if (keys->file != NULL) {
    controller_read_table(&make);
  }
  if (loader->mistakes->count == before) choose_joints(&make);
  *controller = (flg_controller){.name = keys->origin.name,
                                 .kind = (flg_controller_kind)keys->kind,
                                 .enabled = keys->enabled,
                                 .sample = keys->sample,
                                 .count = make.count,
                                 .positions = make.positions,
                                 .velocities = make.velocities};
  if (loader->mistakes->count == before) make_curve(&make, q, &controller->curve);
  if (loader->mistakes->count == before) make_gains(&make, controller);
  if (loader->mistakes->count == before) make_payload(&make, controller);
  if (loader->mistakes->count == before) controller_make_force(&make, controller);
  if (loader->mistakes->count == before && keys->plugin != NULL) {
    controller->plugin =
        flg_compose_plugin_controller(loader, keys, subsystem->options.gravity, make.count);
  }
}

/* of all kinds, gravity is the one that needs nothing but a file */
void flg_compose_followed(const flg_loader *loader, const char *path,
                          const flg_robot_subsystem *subsystem, flg_controller *followed) {
  const flg_loader driven = {.scenario = loader->scenario,
                             .source = loader->source,
                             .region = loader->region,
                             .mistakes = loader->mistakes};
  const flg_controller_keys keys = {
      .origin = {.name = "trajectory"}, .kind = FLG_CONTROLLER_GRAVITY, .file = path};
  flg_compose_controller(&driven, &keys, subsystem, subsystem->q, followed);
}
