#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "flange/hash.h"
#include "model/model.h"

static const double INERTIA_TOLERANCE = 1e-9;  /* of the largest principal moment */
static const double ROTATION_TOLERANCE = 1e-6; /* of R^T R - 1: files round their angles */
static const double PARALLEL_TOLERANCE = 1e-6; /* of the sine between two axes */

/* --- names -------------------------------------------------------------------------------------
 */

/* Bodies, joints or frames, as far as their names go. */
typedef struct named {
  const char *name; /* NULL: none, as shapes may have */
  flg_place place;
} named;

typedef named name_getter(const flg_model *model, int index);

static named body_name(const flg_model *model, int index) {
  return (named){model->bodies[index].name, model->bodies[index].place};
}

static named joint_name(const flg_model *model, int index) {
  return (named){model->joints[index].name, model->joints[index].place};
}

static named frame_name(const flg_model *model, int index) {
  return (named){model->frames[index].name, model->frames[index].place};
}

/* The index of the same name in the table, or -1 after the new one was put in. Open addressing;
 * the size is a power of two, and half of the table stays empty. */
static int find_or_insert(int *table, size_t size, const flg_model *model, name_getter *get,
                          int index) {
  const char *name = get(model, index).name;
  size_t at = (size_t)flg_hash(FLG_HASH_SEED, name, strlen(name)) & (size - 1);
  for (; table[at] != 0; at = (at + 1) & (size - 1)) {
    if (strcmp(get(model, table[at] - 1).name, name) == 0) return table[at] - 1;
  }
  table[at] = index + 1;
  return -1;
}

static void check_names(const flg_model *model, const char *what, name_getter *get, int count,
                        flg_mistakes *mistakes) {
  size_t size = 2;
  while (size < 2 * (size_t)count) size *= 2;
  int *table = calloc(size, sizeof *table);
  if (table == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){.file = model->file},
                    "there is no memory to compare %d names", count);
    return;
  }
  for (int k = 0; k < count; k++) {
    const named own = get(model, k);
    if (own.name == NULL || own.name[0] == '\0') {
      flg_mistake_add(mistakes, FLG_ERR_INPUT, own.place, "a %s has no name", what);
      continue;
    }
    const int other = find_or_insert(table, size, model, get, k);
    if (other < 0) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, own.place,
                    "there are two of %s '%s': the other stands in line %d", what, own.name,
                    get(model, other).place.line);
  }
  free(table);
}

/* --- values ------------------------------------------------------------------------------------
 */

static bool is_finite_vector(flg_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_finite_sym(flg_sym3 s) {
  return isfinite(s.xx) && isfinite(s.yy) && isfinite(s.zz) && isfinite(s.xy) && isfinite(s.xz) &&
         isfinite(s.yz);
}

/* A proper rotation and a finite position. */
static bool is_pose(const flg_pose *pose) {
  const flg_mat3 product = flg_mat3_multiply_transposed(&pose->rotation, &pose->rotation);
  const flg_mat3 one = flg_mat3_identity();
  for (int k = 0; k < 9; k++) {
    if (!(fabs(product.m[k] - one.m[k]) <= ROTATION_TOLERANCE)) return false;
  }
  const flg_vec3 x = flg_mat3_column(&pose->rotation, 0), y = flg_mat3_column(&pose->rotation, 1);
  const flg_vec3 z = flg_mat3_column(&pose->rotation, 2);
  return flg_vec3_dot(flg_vec3_cross(x, y), z) > 0 && is_finite_vector(pose->position);
}

static void check_inertia(const flg_body *body, flg_mistakes *mistakes) {
  if (!is_finite_sym(body->inertia)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "the inertia of body '%s' is not finite", body->name);
    return;
  }
  double moment[3];
  flg_sym3_eigenvalues(body->inertia, moment);
  const double slack = INERTIA_TOLERANCE * fmax(fabs(moment[0]), fabs(moment[2]));
  if (moment[0] < -slack) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "the inertia of body '%s' is not positive: its principal moments are %g, %g "
                    "and %g kg m^2",
                    body->name, moment[0], moment[1], moment[2]);
  } else if (moment[0] + moment[1] < moment[2] - slack) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "the inertia of body '%s' belongs to no mass: of its principal moments %g, %g "
                    "and %g kg m^2 the largest exceeds the sum of the others",
                    body->name, moment[0], moment[1], moment[2]);
  } else if (body->mass == 0 && moment[2] > 0) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "body '%s' has an inertia (up to %g kg m^2), but no mass", body->name,
                    moment[2]);
  }
}

static void check_body(const flg_body *body, flg_mistakes *mistakes) {
  if (body->name != NULL && strcmp(body->name, "world") == 0) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, body->place,
                    "no body may be called 'world': that is the name of the ground");
  }
  if (!(body->mass >= 0) || !isfinite(body->mass)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "the mass of body '%s' is %g kg, but must be positive", body->name, body->mass);
  }
  if (!is_finite_vector(body->centre)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "the centre of mass of body '%s' is not finite", body->name);
  }
  check_inertia(body, mistakes);
}

/* --- joints ------------------------------------------------------------------------------------
 */

static bool needs_axis(flg_joint_kind kind) {
  return kind != FLG_JOINT_FIXED && kind != FLG_JOINT_BALL && kind != FLG_JOINT_FLOATING;
}

static bool has_length(flg_vec3 axis) {
  return is_finite_vector(axis) && flg_vec3_norm(axis) > 0;
}

static void check_axes(const flg_joint *joint, flg_mistakes *mistakes) {
  if (needs_axis(joint->kind) && !has_length(joint->axis)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, joint->place,
                    "the axis of joint '%s' is (%g, %g, %g), which has no direction", joint->name,
                    joint->axis.x, joint->axis.y, joint->axis.z);
    return;
  }
  if (joint->kind != FLG_JOINT_UNIVERSAL) return;
  const flg_vec3 normal =
      flg_vec3_cross(flg_vec3_normalise(joint->axis), flg_vec3_normalise(joint->axis2));
  if (!(flg_vec3_norm(normal) > PARALLEL_TOLERANCE)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, joint->place,
                    "the two axes of universal joint '%s' are parallel or have no length",
                    joint->name);
  }
}

static void check_not_negative(const flg_joint *joint, const char *what, double value,
                               flg_mistakes *mistakes) {
  if (value >= 0) return;
  flg_mistake_add(mistakes, FLG_ERR_PHYSICS, joint->place, "the %s of joint '%s' is %g, below zero",
                  what, joint->name, value);
}

static void check_numbers(const flg_joint *joint, flg_mistakes *mistakes) {
  if (!is_pose(&joint->origin)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, joint->place,
                    "the origin of joint '%s' is not a place in space: its rotation must be one, "
                    "and all numbers finite",
                    joint->name);
  }
  if (joint->kind == FLG_JOINT_SCREW && !isfinite(joint->pitch)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, joint->place, "the pitch of joint '%s' is %g",
                    joint->name, joint->pitch);
  }
  if (!(joint->lower <= joint->upper)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, joint->place,
                    "the limits of joint '%s' are the wrong way round: %g to %g", joint->name,
                    joint->lower, joint->upper);
  }
  check_not_negative(joint, "damping", joint->damping, mistakes);
  check_not_negative(joint, "friction", joint->friction, mistakes);
  check_not_negative(joint, "effort limit", joint->effort_limit, mistakes);
  check_not_negative(joint, "speed limit", joint->speed_limit, mistakes);
}

static void check_mimic(const flg_model *model, const flg_joint *joint, flg_mistakes *mistakes) {
  const int followed = joint->mimic.joint;
  if (followed == -1) return;
  if (followed < 0 || followed >= model->joint_count) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place,
                    "joint '%s' follows a joint that is not in the model", joint->name);
    return;
  }
  const flg_joint *leader = &model->joints[followed];
  const char *why = NULL;
  if (leader == joint)
    why = "which is itself";
  else if (leader->mimic.joint != -1)
    why = "which follows another: follow that one";
  else if (flg_joint_kind_positions(leader->kind) != 1)
    why = "which does not have one coordinate";
  else if (flg_joint_kind_positions(joint->kind) != 1)
    why = "but does not have one coordinate";
  else if (!isfinite(joint->mimic.multiplier) || !isfinite(joint->mimic.offset))
    why = "with a multiplier or an offset that is not finite";
  if (why == NULL) return;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place, "joint '%s' follows joint '%s', %s",
                  joint->name, leader->name, why);
}

static void check_joint(const flg_model *model, const flg_joint *joint, flg_mistakes *mistakes) {
  if ((int)joint->kind < 0 || joint->kind >= FLG_JOINT_KIND_COUNT) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place, "joint '%s' is of no known kind",
                    joint->name);
    return;
  }
  check_axes(joint, mistakes);
  check_numbers(joint, mistakes);
  check_mimic(model, joint, mistakes);
}

/* --- shapes and frames -------------------------------------------------------------------------
 */

static void check_values(const flg_shape *shape, flg_mistakes *mistakes) {
  const char *name = shape->name == NULL ? "without a name" : shape->name;
  const int count = shape->value_count, columns = shape->columns;
  if (shape->kind == FLG_SHAPE_POINTS && (count < 3 || count % 3 != 0)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, shape->place,
                    "values: the points %s have %d numbers; expected x, y, z of each", name, count);
  }
  if (shape->kind == FLG_SHAPE_HEIGHT_FIELD &&
      (columns < 2 || count < 2 * columns || count % columns != 0)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, shape->place,
                    "values: the height-field %s has %d heights in rows of %d; expected at least "
                    "two full rows of two",
                    name, count, columns);
  }
  for (int k = 0; k < count; k++) {
    if (isfinite(shape->values[k])) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, shape->place,
                    "values: number %d of the shape %s is not finite", k + 1, name);
    return;
  }
}

static void check_shape(const flg_model *model, const flg_shape *shape, flg_mistakes *mistakes) {
  const char *name = shape->name == NULL ? "without a name" : shape->name;
  if (!flg_model_has_body(model, shape->body)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, shape->place,
                    "the shape %s is on no body of the model", name);
  }
  if (!is_pose(&shape->pose)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, shape->place,
                    "the pose of the shape %s is not a place in space", name);
  }
  for (int k = 0; k < flg_shape_kind_sizes(shape->kind); k++) {
    const double size = shape->size[k];
    /* a mesh may be mirrored by a negative scale, and a capsule be a sphere */
    const bool good = shape->kind == FLG_SHAPE_MESH                ? size != 0
                      : shape->kind == FLG_SHAPE_CAPSULE && k == 1 ? size >= 0
                                                                   : size > 0;
    if (good && isfinite(size)) continue;
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, shape->place,
                    "the shape %s has the size %g, but must have a positive one", name, size);
  }
  check_values(shape, mistakes);
}

static void check_frame(const flg_model *model, const flg_frame *frame, flg_mistakes *mistakes) {
  if (!flg_model_has_body(model, frame->body)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, frame->place, "frame '%s' is on no body of the model",
                    frame->name);
  }
  if (!is_pose(&frame->pose)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, frame->place,
                    "the pose of frame '%s' is not a place in space", frame->name);
  }
}

void flg_model_check(const flg_model *model, flg_mistakes *mistakes) {
  check_names(model, "body", body_name, model->body_count, mistakes);
  check_names(model, "joint", joint_name, model->joint_count, mistakes);
  check_names(model, "frame", frame_name, model->frame_count, mistakes);
  for (int k = 0; k < model->body_count; k++) check_body(&model->bodies[k], mistakes);
  for (int k = 0; k < model->joint_count; k++) check_joint(model, &model->joints[k], mistakes);
  for (int k = 0; k < model->shape_count; k++) check_shape(model, &model->shapes[k], mistakes);
  for (int k = 0; k < model->frame_count; k++) check_frame(model, &model->frames[k], mistakes);
}
