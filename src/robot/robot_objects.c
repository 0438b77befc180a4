#include "robot/robot_objects.h"

#include <stdio.h>
#include <string.h>

#include "contract/contact_objects.h"
#include "model/beam.h"
#include "robot/robot_contacts_inner.h"
#include "robot/robot_subsystem.h"

enum { JOINT_POSITION, JOINT_VELOCITY, JOINT_EFFORT, JOINT_QUANTITIES };
static const flg_quantity energy_quantity = {NULL, "J", 1, NULL};

/* ---- set-up ---- */

/* of "body/marker", 0 for those on the ground */
static size_t path_bytes(const flg_model *model, const flg_frame *frame) {
  if (frame->body == FLG_WORLD) return 0;
  return strlen(model->bodies[frame->body].name) + strlen(frame->name) + 2;
}

/* names of markers: "body/marker" of those on bodies, and "marker" of all */
static int marker_count(const flg_model *model, size_t *text_bytes) {
  int count = 0;
  *text_bytes = 0;
  for (int k = 0; k < model->frame_count; k++) {
    const size_t bytes = path_bytes(model, &model->frames[k]);
    *text_bytes += bytes;
    count += bytes > 0 ? 2 : 1;
  }
  return count;
}

/* names of flexible bodies: "body/tip", then "body/elastic" */
static size_t flexible_count(const flg_model *model, size_t *text_bytes) {
  size_t count = 0;
  *text_bytes = 0;
  for (int k = 0; k < model->body_count; k++) {
    if (model->bodies[k].flexible == NULL) continue;
    count++, *text_bytes += 2 * strlen(model->bodies[k].name) + sizeof "/tip" + sizeof "/elastic";
  }
  return count;
}

size_t flg_robot_objects_bytes(const flg_model *model) {
  size_t text, more;
  const size_t markers = (size_t)marker_count(model, &text);
  const size_t joints = (size_t)model->joint_count, flexible = flexible_count(model, &more);
  const size_t count = (size_t)model->body_count + joints + markers + 2 * flexible + 2;
  return flg_arena_bytes(count, sizeof(flg_object)) +
         flg_arena_bytes(JOINT_QUANTITIES * joints, sizeof(flg_quantity)) +
         flg_arena_bytes(markers + flexible, sizeof(flg_mount)) + flg_arena_bytes(text, 1) +
         flg_arena_bytes(2 * flexible, sizeof(flg_quantity)) + flg_arena_bytes(more, 1);
}

static void describe_joint(const flg_joint *joint, flg_quantity *quantities) {
  static const char *const words[] = {"position", "velocity", "effort"};
  static const char *const turns[] = {"rad", "rad/s", "N m"}, *const slides[] = {"m", "m/s", "N"};
  const flg_joint_kind kind = joint->kind;
  const bool mixed = kind == FLG_JOINT_CYLINDRICAL || kind == FLG_JOINT_PLANAR ||
                     kind == FLG_JOINT_BALL || kind == FLG_JOINT_FLOATING;
  for (int k = 0; k < JOINT_QUANTITIES; k++) {
    quantities[k].word = words[k];
    quantities[k].unit = mixed ? "" : (kind == FLG_JOINT_PRISMATIC ? slides : turns)[k];
    quantities[k].width =
        k == JOINT_POSITION ? flg_joint_kind_positions(kind) : flg_joint_kind_velocities(kind);
  }
}

static void add(flg_robot_objects *objects, const char *path, const flg_quantity *quantities,
                int quantity_count) {
  objects->list[objects->count++] = (flg_object){path, quantities, quantity_count, false};
}

static void add_joints(flg_robot_objects *objects, const flg_model *model, flg_arena *arena) {
  flg_quantity *quantities =
      flg_arena_take(arena, JOINT_QUANTITIES * (size_t)model->joint_count, sizeof *quantities);
  objects->first_joint = objects->count;
  for (int k = 0; k < model->joint_count; k++, quantities += JOINT_QUANTITIES) {
    const flg_joint *joint = &model->joints[k];
    describe_joint(joint, quantities);
    add(objects, joint->name, quantities, joint->kind == FLG_JOINT_FIXED ? 0 : JOINT_QUANTITIES);
  }
}

static void add_markers(flg_robot_objects *objects, const flg_model *model, const flg_robot *robot,
                        flg_arena *arena) {
  size_t bytes, more;
  const size_t count = (size_t)marker_count(model, &bytes) + flexible_count(model, &more);
  flg_mount *mount = objects->markers = flg_arena_take(arena, count, sizeof *mount);
  char *text = flg_arena_take(arena, bytes, 1);
  objects->first_marker = objects->count;
  for (int k = 0; k < model->frame_count; k++) {
    const flg_frame *frame = &model->frames[k];
    const size_t length = path_bytes(model, frame);
    flg_mount at = {FLG_WORLD, frame->pose};
    if (length > 0) {
      at = flg_robot_mount(robot, frame->body, &frame->pose, NULL);
      snprintf(text, length, "%s/%s", model->bodies[frame->body].name, frame->name);
      add(objects, text, flg_frame_quantities, FLG_FRAME_QUANTITIES);
      *mount++ = at, text += length;
    }
    add(objects, frame->name, flg_frame_quantities, FLG_FRAME_QUANTITIES);
    objects->list[objects->count - 1].is_alias = length > 0;
    *mount++ = at;
  }
}

/* Tips are markers, after the others; the end of a beam has a node. */
static void add_tips(flg_robot_objects *objects, const flg_model *model, const flg_robot *robot,
                     char **text) {
  flg_mount *mount = objects->markers + (objects->count - objects->first_marker);
  for (int k = 0; k < model->body_count; k++) {
    const flg_modal_body *of = model->bodies[k].flexible;
    if (of == NULL || of->line == NULL) continue;
    const flg_pose end = flg_beam_line_end(of->line);
    *mount++ = flg_robot_mount(robot, k, &end, NULL);
    add(objects, *text, flg_frame_quantities, FLG_FRAME_QUANTITIES);
    *text += sprintf(*text, "%s/tip", model->bodies[k].name) + 1;
  }
}

static void add_flexible(flg_robot_objects *objects, const flg_model *model, const flg_robot *robot,
                         flg_arena *arena) {
  size_t bytes;
  const size_t count = flexible_count(model, &bytes);
  flg_quantity *quantities = flg_arena_take(arena, 2 * count, sizeof *quantities);
  char *text = flg_arena_take(arena, bytes, 1);
  add_tips(objects, model, robot, &text);
  objects->first_elastic = objects->count;
  for (int k = 0; k < model->body_count; k++) {
    const flg_modal_body *of = model->bodies[k].flexible;
    if (of == NULL) continue;
    quantities[0] = (flg_quantity){"position", "", of->modes, NULL};
    quantities[1] = (flg_quantity){"velocity", "", of->modes, NULL};
    add(objects, text, quantities, 2);
    text += sprintf(text, "%s/elastic", model->bodies[k].name) + 1;
    quantities += 2;
  }
}

void flg_robot_objects_build(flg_robot_objects *objects, const flg_model *model,
                             const flg_robot *robot, flg_arena *arena) {
  size_t text;
  const int count = model->body_count + model->joint_count + marker_count(model, &text) +
                    2 * (int)flexible_count(model, &text) + 2;
  *objects =
      (flg_robot_objects){.list = flg_arena_take(arena, (size_t)count, sizeof *objects->list)};
  for (int k = 0; k < model->body_count; k++) {
    add(objects, model->bodies[k].name, flg_frame_quantities, FLG_FRAME_QUANTITIES);
  }
  add_joints(objects, model, arena);
  objects->momentum = objects->count;
  add(objects, "momentum", flg_momentum_quantities, FLG_MOMENTUM_QUANTITIES);
  add_markers(objects, model, robot, arena);
  add_flexible(objects, model, robot, arena);
  objects->energy = objects->count;
  add(objects, "energy", &energy_quantity, 1);
}

static void add_shape(flg_robot_objects *objects, const char *path, int shape, int point) {
  int *at = objects->touching[objects->count - objects->contacts - 1];
  at[0] = shape, at[1] = point;
  add(objects, path, flg_touch_quantities, point < 0 ? FLG_TOUCH_QUANTITIES : FLG_TOUCH_POINTS);
}

/* "body/shape", and "body/shape/point" of those that have a name */
static void add_shapes(flg_robot_subsystem *robot) {
  flg_region *region = &robot->touch->region;
  for (int k = 0; k < robot->touch->shapes.count; k++) {
    const flg_touched touched = flg_robot_touched(robot, k);
    const flg_shape *shape = touched.shape;
    if (shape->name == NULL) continue;
    const char *path = flg_region_format(region, "%s/%s", touched.body, shape->name);
    add_shape(&robot->objects, path, k, -1);
    for (int i = 0; shape->point_names != NULL && i < shape->value_count / 3; i++) {
      if (shape->point_names[i] == NULL) continue;
      add_shape(&robot->objects, flg_region_format(region, "%s/%s", path, shape->point_names[i]), k,
                i);
    }
  }
}

static size_t count_touched(const flg_robot_subsystem *robot) {
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
  const size_t before = (size_t)objects->count, more = count_touched(robot);
  flg_object *list = flg_region_take(region, before + 1 + more, sizeof *list);
  objects->touching = flg_region_take(region, more, sizeof *objects->touching);
  if (region->failed) return;
  memcpy(list, objects->list, before * sizeof *list);
  objects->list = list;
  for (int k = 0; k < touch->shapes.count; k++) {
    const int body = touch->shape_bodies[k];
    if (body != FLG_WORLD) list[body].quantity_count = FLG_TOUCHED_QUANTITIES;
  }
  objects->contacts = objects->count;
  add(objects, "contacts", flg_contacts_quantities, FLG_CONTACTS_QUANTITIES);
  add_shapes(robot);
}

void flg_robot_objects_place(flg_robot_objects *objects, const flg_pose *pose) {
  const int count = objects->first_elastic - objects->first_marker;
  for (int k = 0; k < count; k++) {
    flg_mount *marker = &objects->markers[k];
    if (marker->link == FLG_WORLD) marker->pose = flg_pose_compose(pose, &marker->pose);
  }
}

/* ---- step ---- */

static void read_frame(const flg_robot_subsystem *subsystem, const flg_mount *frame, int quantity,
                       double *values) {
  const flg_moving_frame moving = {flg_dynamics_frame_pose(subsystem->dynamics, frame),
                                   flg_dynamics_frame_velocity(subsystem->dynamics, frame)};
  flg_frame_read(&moving, quantity, values);
}

static void read_touch(const flg_robot_subsystem *subsystem, const int at[2], int quantity,
                       double *values) {
  const flg_touch_view view = flg_contacts_touch(subsystem->touch->contacts, at[0],
                                                 flg_robot_touched(subsystem, at[0]).shape, at[1]);
  flg_touch_read(&view, quantity, values);
}

static void read_joint(const flg_robot_subsystem *subsystem, int joint, int quantity,
                       double *values) {
  const flg_link *link = &subsystem->robot.links[subsystem->robot.joint_links[joint]];
  const double *from = quantity == JOINT_POSITION   ? subsystem->q + link->position
                       : quantity == JOINT_VELOCITY ? subsystem->v + link->velocity
                                                    : subsystem->actuation + link->velocity;
  const int count = quantity == JOINT_POSITION ? flg_joint_kind_positions(link->kind)
                                               : flg_joint_kind_velocities(link->kind);
  memcpy(values, from, (size_t)count * sizeof *values);
}

void flg_robot_objects_read(const flg_robot_subsystem *subsystem, int object, int quantity,
                            double *values) {
  const flg_robot_objects *objects = &subsystem->objects;
  if (object > objects->energy && object > objects->contacts) {
    read_touch(subsystem, objects->touching[object - objects->contacts - 1], quantity, values);
  } else if (object > objects->energy) {
    flg_contacts_read(flg_robot_contacts_view(subsystem), quantity, values);
  } else if (object == objects->momentum) {
    flg_momentum_read(flg_dynamics_momentum(subsystem->dynamics), quantity, values);
  } else if (object == objects->energy) {
    values[0] = flg_robot_subsystem_energy(subsystem);
  } else if (object >= objects->first_elastic) {
    const flg_flex *flex = &subsystem->robot.flexes[object - objects->first_elastic];
    const double *from =
        quantity == JOINT_POSITION ? subsystem->q + flex->position : subsystem->v + flex->velocity;
    memcpy(values, from, (size_t)flex->body.modes * sizeof *values);
  } else if (object >= objects->first_marker) {
    read_frame(subsystem, &objects->markers[object - objects->first_marker], quantity, values);
  } else if (object >= objects->first_joint) {
    read_joint(subsystem, object - objects->first_joint, quantity, values);
  } else if (quantity == FLG_CONTACT_FORCE) {
    flg_vec3_store(flg_robot_contact_force(subsystem, object), values);
  } else {
    read_frame(subsystem, &subsystem->robot.mounts[object], quantity, values);
  }
}
