#include "robot/robot_objects.h"

#include <string.h>

#include "contract/contact_objects.h"
#include "model/beam.h"
#include "robot/robot_contacts_inner.h"
#include "robot/robot_subsystem.h"

enum { JOINT_POSITION, JOINT_VELOCITY, JOINT_EFFORT, JOINT_QUANTITIES };
static const flg_quantity energy_quantity = {NULL, "J", 1, NULL};

/* ---- set-up ---- */

/* names of markers: "body/marker" of those on bodies, and "marker" of all */
/* Counted before anything is added: lists have one size and never grow. */
static int marker_count(const flg_model *model) {
  int count = model->frame_count;
  for (int k = 0; k < model->frame_count; k++) count += model->frames[k].body != FLG_WORLD;
  return count;
}

static int flexible_count(const flg_model *model) {
  int count = 0;
  for (int k = 0; k < model->body_count; k++) count += model->bodies[k].flexible != NULL;
  return count;
}

static void describe_joint(const flg_joint *joint, flg_quantity *quantities) {
  static const char *const words[] = {"position", "velocity", "effort"};
  static const char *const turns[] = {"rad", "rad/s", "N m"}, *const slides[] = {"m", "m/s", "N"};
  const flg_joint_kind kind = joint->kind;
  /* Coordinates in metres and radians stand in one signal: it has no unit. */
  const bool mixed = kind == FLG_JOINT_CYLINDRICAL || kind == FLG_JOINT_PLANAR ||
                     kind == FLG_JOINT_BALL || kind == FLG_JOINT_FLOATING;
  for (int k = 0; k < JOINT_QUANTITIES; k++) {
    quantities[k].word = words[k];
    quantities[k].unit = mixed ? "" : (kind == FLG_JOINT_PRISMATIC ? slides : turns)[k];
    quantities[k].width =
        k == JOINT_POSITION ? flg_joint_kind_positions(kind) : flg_joint_kind_velocities(kind);
  }
}

/* Numbers of objects are handles for callers: their order is fixed, and what is added later goes to
 * the end. */
static void add_robot_object(flg_robot_objects *objects, const char *path,
                             const flg_quantity *quantities, int quantity_count) {
  objects->list[objects->count++] = (flg_object){path, quantities, quantity_count, false};
}

static void add_robot_joints(flg_robot_objects *objects, const flg_model *model,
                             flg_quantity *quantities) {
  objects->first_joint = objects->count;
  for (int k = 0; k < model->joint_count; k++, quantities += JOINT_QUANTITIES) {
    const flg_joint *joint = &model->joints[k];
    describe_joint(joint, quantities);
    add_robot_object(objects, joint->name, quantities,
                     /* Fixed joints keep their number, so that objects and joints count alike,
                      * but have nothing to read. */
                     joint->kind == FLG_JOINT_FIXED ? 0 : JOINT_QUANTITIES);
  }
}

static void add_marker(flg_robot_objects *objects, const char *path, flg_link_anchor at,
                       bool is_alias) {
  objects->markers[objects->count - objects->first_marker] = at;
  add_robot_object(objects, path, flg_frame_quantities, FLG_FRAME_QUANTITIES);
  objects->list[objects->count - 1].is_alias = is_alias;
}

static void add_markers(flg_robot_objects *objects, const flg_model *model,
                        const flg_robot *robot) {
  objects->first_marker = objects->count;
  for (int k = 0; k < model->frame_count; k++) {
    const flg_frame *frame = &model->frames[k];
    const bool is_on_body = frame->body != FLG_WORLD;
    flg_link_anchor at = {FLG_WORLD, frame->pose};
    if (is_on_body) {
      const char *body = model->bodies[frame->body].name;
      at = flg_robot_anchor(robot, frame->body, &frame->pose, NULL);
      add_marker(objects, flg_region_format(&objects->region, "%s/%s", body, frame->name), at,
                 false);
    }
    /* The short name is an alias: lists show a marker once. */
    add_marker(objects, frame->name, at, is_on_body);
  }
}

/* Tips are markers, after the others; the end of a beam has a node. */
static void add_tips(flg_robot_objects *objects, const flg_model *model, const flg_robot *robot) {
  for (int k = 0; k < model->body_count; k++) {
    const flg_modal_body *of = model->bodies[k].flexible;
    if (of == NULL || of->line == NULL) continue;
    const flg_pose end = flg_beam_line_end(of->line);
    add_marker(objects, flg_region_format(&objects->region, "%s/tip", model->bodies[k].name),
               flg_robot_anchor(robot, k, &end, NULL), false);
  }
}

static void add_flexible(flg_robot_objects *objects, const flg_model *model,
                         flg_quantity *quantities) {
  objects->first_elastic = objects->count;
  for (int k = 0; k < model->body_count; k++) {
    const flg_modal_body *of = model->bodies[k].flexible;
    if (of == NULL) continue;
    quantities[0] = (flg_quantity){"position", "", of->modes, NULL};
    quantities[1] = (flg_quantity){"velocity", "", of->modes, NULL};
    add_robot_object(objects,
                     flg_region_format(&objects->region, "%s/elastic", model->bodies[k].name),
                     quantities, 2);
    quantities += 2;
  }
}

static void add_robot_objects(flg_robot_objects *objects, const flg_model *model,
                              const flg_robot *robot, flg_quantity *of_joints,
                              flg_quantity *of_bodies) {
  for (int k = 0; k < model->body_count; k++) {
    add_robot_object(objects, model->bodies[k].name, flg_frame_quantities, FLG_FRAME_QUANTITIES);
  }
  add_robot_joints(objects, model, of_joints);
  objects->momentum = objects->count;
  add_robot_object(objects, "momentum", flg_momentum_quantities, FLG_MOMENTUM_QUANTITIES);
  add_markers(objects, model, robot);
  add_tips(objects, model, robot);
  add_flexible(objects, model, of_bodies);
  objects->energy = objects->count;
  add_robot_object(objects, "energy", &energy_quantity, 1);
}

flg_status flg_robot_objects_build(flg_robot_objects *objects, const flg_model *model,
                                   const flg_robot *robot, flg_error *error) {
  const size_t joints = (size_t)model->joint_count, flexible = (size_t)flexible_count(model);
  const size_t markers = (size_t)marker_count(model) + flexible;
  const size_t count = (size_t)model->body_count + joints + markers + flexible + 2;
  flg_region *region = &objects->region;
  objects->list = flg_region_take(region, count, sizeof *objects->list);
  objects->markers = flg_region_take(region, markers, sizeof *objects->markers);
  flg_quantity *of_joints = flg_region_take(region, JOINT_QUANTITIES * joints, sizeof *of_joints);
  flg_quantity *of_bodies = flg_region_take(region, 2 * flexible, sizeof *of_bodies);
  /* Names are formatted while objects are added, so memory may run out in between: asked twice. */
  if (!region->failed) add_robot_objects(objects, model, robot, of_joints, of_bodies);
  if (!region->failed) return FLG_OK;
  return flg_fail(error, FLG_ERR_MEMORY,
                  "there is no memory for the names of its joints, bodies and signals");
}

static void add_touch_object(flg_robot_objects *objects, const char *path, int shape, int point) {
  int *at = objects->touching[objects->count - objects->contacts - 1];
  at[0] = shape, at[1] = point;
  add_robot_object(objects, path, flg_touch_quantities,
                   point < 0 ? FLG_TOUCH_QUANTITIES : FLG_TOUCH_POINTS);
}

/* "body/shape", and "body/shape/point" of those that have a name */
static void add_shapes(flg_robot_subsystem *robot) {
  flg_region *region = &robot->touch->region;
  for (int k = 0; k < robot->touch->shapes.count; k++) {
    const flg_touched touched = flg_robot_touched(robot, k);
    const flg_shape *shape = touched.shape;
    if (shape->name == NULL) continue;
    const char *path = flg_region_format(region, "%s/%s", touched.body, shape->name);
    add_touch_object(&robot->objects, path, k, -1);
    for (int i = 0; shape->point_names != NULL && i < shape->value_count / 3; i++) {
      if (shape->point_names[i] == NULL) continue;
      add_touch_object(&robot->objects,
                       flg_region_format(region, "%s/%s", path, shape->point_names[i]), k, i);
    }
  }
}

static size_t count_touched_shapes(const flg_robot_subsystem *robot) {
  size_t count = 0;
  for (int k = 0; k < robot->touch->shapes.count; k++) {
    const flg_shape *shape = flg_robot_touched(robot, k).shape;
    count += 1 + (shape->point_names != NULL ? (size_t)shape->value_count / 3 : 0);
  }
  return count;
}

void flg_robot_objects_touch(flg_robot_subsystem *robot) {
  flg_robot_objects *objects = &robot->objects;
  const struct flg_robot_touch *touch = robot->touch;
  flg_region *region = &robot->touch->region;
  if (touch->port_count == 0) return; /* ends of joints alone */
  const size_t before = (size_t)objects->count, more = count_touched_shapes(robot);
  flg_object *list = flg_region_take(region, before + 1 + more, sizeof *list);
  objects->touching = flg_region_take(region, more, sizeof *objects->touching);
  if (region->failed) return;
  /* Contacts are built after the other objects, and the list cannot grow: it is copied. */
  memcpy(list, objects->list, before * sizeof *list);
  objects->list = list;
  for (int k = 0; k < touch->shapes.count; k++) {
    const int body = touch->shape_bodies[k];
    if (body != FLG_WORLD) list[body].quantity_count = FLG_TOUCHED_QUANTITIES;
  }
  objects->contacts = objects->count;
  add_robot_object(objects, "contacts", flg_contacts_quantities, FLG_CONTACTS_QUANTITIES);
  add_shapes(robot);
}

void flg_robot_objects_place(flg_robot_objects *objects, const flg_pose *pose) {
  const int count = objects->first_elastic - objects->first_marker;
  for (int k = 0; k < count; k++) {
    flg_link_anchor *marker = &objects->markers[k];
    if (marker->link == FLG_WORLD) marker->pose = flg_pose_compose(pose, &marker->pose);
  }
}

/* ---- step ---- */

static void read_frame(const flg_robot_subsystem *subsystem, const flg_link_anchor *frame,
                       int quantity, double *values) {
  const flg_moving_frame moving = {flg_dynamics_frame_pose(subsystem->dynamics, frame),
                                   flg_dynamics_frame_velocity(subsystem->dynamics, frame)};
  flg_frame_read(&moving, quantity, values);
}

static void read_touch(const flg_robot_subsystem *subsystem, const int at[2], int quantity,
                       double *values) {
  flg_touch_read(subsystem->touch->contacts, at[0], flg_robot_touched(subsystem, at[0]).shape,
                 at[1], quantity, values);
}

/* A place instead of a copy: recording reads the state in each step without a call for each
 * signal. */
const double *flg_robot_objects_locate(const void *self, int object, int quantity) {
  const flg_robot_subsystem *subsystem = self;
  const flg_robot_objects *objects = &subsystem->objects;
  const flg_robot *robot = &subsystem->robot;
  int position = 0, velocity = 0;
  if (object >= objects->first_joint && object < objects->momentum) {
    const flg_link *link = &robot->links[robot->joint_links[object - objects->first_joint]];
    position = link->position, velocity = link->velocity;
  } else if (object >= objects->first_elastic && object < objects->energy) {
    const flg_flex *flex = &robot->flexes[object - objects->first_elastic];
    position = flex->position, velocity = flex->velocity;
  } else {
    return NULL;
  }
  return quantity == JOINT_POSITION   ? subsystem->q + position
         : quantity == JOINT_VELOCITY ? subsystem->v + velocity
                                      : subsystem->actuation + velocity;
}

void flg_robot_objects_read(const void *self, int object, int quantity, double *values) {
  const flg_robot_subsystem *subsystem = self;
  const flg_robot_objects *objects = &subsystem->objects;
  const double *from = flg_robot_objects_locate(subsystem, object, quantity);
  if (from != NULL) {
    const int width = objects->list[object].quantities[quantity].width;
    memcpy(values, from, (size_t)width * sizeof *values);
  } else if (object > objects->energy && object > objects->contacts) {
    read_touch(subsystem, objects->touching[object - objects->contacts - 1], quantity, values);
  } else if (object > objects->energy) {
    flg_contacts_read(flg_robot_contacts_view(subsystem), quantity, values);
  } else if (object == objects->momentum) {
    flg_momentum_read(flg_dynamics_momentum(subsystem->dynamics), quantity, values);
  } else if (object == objects->energy) {
    values[0] = flg_robot_subsystem_energy(subsystem);
  } else if (object >= objects->first_marker) {
    read_frame(subsystem, &objects->markers[object - objects->first_marker], quantity, values);
  } else if (quantity == FLG_CONTACT_FORCE) {
    flg_vec3_store(flg_robot_contact_force(subsystem, object), values);
  } else {
    read_frame(subsystem, &subsystem->robot.anchors[object], quantity, values);
  }
}
