#include <string.h>

#include "model/part_check.h"

static const double PARALLEL_TOLERANCE = 1e-6; /* of the sine between two axes */

/* --- bodies ------------------------------------------------------------------------------------
 */

static void check_inertia(const flg_body *body, bool trusted, flg_mistakes *mistakes) {
  const flg_part_head head = {body->name, body->place};
  double moment[3];
  if (trusted) return;
  if (!flg_part_check_inertia(&head, body->inertia, moment, mistakes)) return;
  if (body->mass == 0 && moment[2] > 0) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "body '%s' has an inertia (up to %g kg m^2), but no mass", body->name,
                    moment[2]);
  }
}

static void check_model_body(const flg_body *body, bool trusted, flg_mistakes *mistakes) {
  if (body->name != NULL && strcmp(body->name, "world") == 0) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, body->place,
                    "no body may be called 'world': that is the name of the ground");
  }
  if (!(body->mass >= 0) || !isfinite(body->mass)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "the mass of body '%s' is %g kg, but must be positive", body->name, body->mass);
  }
  if (!flg_part_is_finite(body->centre)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "the centre of mass of body '%s' is not finite", body->name);
  }
  check_inertia(body, trusted, mistakes);
}

/* --- joints ------------------------------------------------------------------------------------
 */

static bool needs_axis(flg_joint_kind kind) {
  return kind != FLG_JOINT_FIXED && kind != FLG_JOINT_BALL && kind != FLG_JOINT_FLOATING;
}

/* Axes need no length of 1: they are normalised when the robot is compiled. */
static bool has_length(flg_vec3 axis) {
  return flg_part_is_finite(axis) && flg_vec3_norm(axis) > 0;
}

static void check_universal_axes(const flg_joint *joint, flg_mistakes *mistakes) {
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
  if (!flg_part_is_place(&joint->origin)) {
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
  check_not_negative(joint, "armature", joint->armature, mistakes);
  /* A rotor turns with one coordinate; of several, the model does not say which. */
  if (joint->armature > 0 && flg_joint_kind_velocities(joint->kind) != 1) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place,
                    "joint '%s' has an armature, but is %s: only joints with one coordinate have "
                    "one",
                    joint->name, flg_joint_kind_name(joint->kind));
  }
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
  /* Chains of followers are refused rather than resolved: each factor stays visible in the file. */
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

static void model_check_joint(const flg_model *model, const flg_joint *joint,
                              flg_mistakes *mistakes) {
  if ((int)joint->kind < 0 || joint->kind >= FLG_JOINT_KIND_COUNT) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place, "joint '%s' is of no known kind",
                    joint->name);
    return;
  }
  check_universal_axes(joint, mistakes);
  check_numbers(joint, mistakes);
  check_mimic(model, joint, mistakes);
}

/* --- flexible bodies ----------------------------------------------------------------------------
 */

/* of 1: shapes that move a section by less leave it where it is */
static const double SHAPE_ROUNDING = 1e-9;

/* Where the joint carries the body, its modes must not move it: the joint would hold the frame, and
 * no part of the body. A floating joint holds nothing. */
static void check_carried(const flg_joint *joint, const flg_body *body, flg_mistakes *mistakes) {
  enum { MODES = 64 };
  const flg_modal_body *flexible = body->flexible;
  flg_spatial shapes[MODES];
  flg_vec3 pairs[MODES * MODES];
  if (flexible == NULL || flexible->modes > MODES || joint->kind == FLG_JOINT_FLOATING) return;
  flg_modal_shapes(flexible, flg_modal_station(flexible, (flg_vec3){0, 0, 0}), shapes, pairs);
  for (int k = 0; k < flexible->modes; k++) {
    if (flg_vec3_norm(shapes[k].linear) <= SHAPE_ROUNDING) continue;
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "mode %d of flexible body '%s' moves the place where joint '%s' (%s) carries "
                    "it; take clamped-free or pinned-pinned ends, or a floating joint",
                    k + 1, body->name, joint->name, flg_joint_kind_name(joint->kind));
    return;
  }
}

void flg_model_check_flexible(const flg_model *model, flg_mistakes *mistakes) {
  for (int k = 0; k < model->joint_count; k++) {
    const flg_joint *joint = &model->joints[k];
    if (joint->child < 0 || joint->child >= model->body_count) continue;
    check_carried(joint, &model->bodies[joint->child], mistakes);
  }
}

/* --- frames ------------------------------------------------------------------------------------
 */

static void check_model_frame(const flg_model *model, const flg_frame *frame,
                              flg_mistakes *mistakes) {
  if (!flg_model_has_body(model, frame->body)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, frame->place, "frame '%s' is on no body of the model",
                    frame->name);
  }
  if (!flg_part_is_place(&frame->pose)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, frame->place,
                    "the pose of frame '%s' is not a place in space", frame->name);
  }
}

void flg_model_check(const flg_model *model, flg_mistakes *mistakes) {
  const flg_body *bodies = model->bodies;
  const flg_joint *joints = model->joints;
  const flg_frame *frames = model->frames;
  flg_part_check_names("body", bodies, sizeof *bodies, model->body_count, mistakes);
  flg_part_check_names("joint", joints, sizeof *joints, model->joint_count, mistakes);
  flg_part_check_names("frame", frames, sizeof *frames, model->frame_count, mistakes);
  for (int k = 0; k < model->body_count; k++) {
    check_model_body(&bodies[k], model->trusts_inertia, mistakes);
  }
  for (int k = 0; k < model->joint_count; k++) model_check_joint(model, &joints[k], mistakes);
  for (int k = 0; k < model->shape_count; k++) {
    flg_part_check_shape(&model->shapes[k], model->body_count, mistakes);
  }
  for (int k = 0; k < model->frame_count; k++) check_model_frame(model, &frames[k], mistakes);
  flg_model_check_flexible(model, mistakes);
}
