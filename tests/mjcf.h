/* mjcf.h - a sample robot handed to MuJoCo, with the same order of positions and velocities.
 *
 * Joints that MuJoCo lacks are made of several: cylindrical slide + hinge, universal two hinges,
 * planar two slides + hinge, floating three slides + ball. Only screws have no counterpart.
 * For a free joint MuJoCo's positions are the world's: floating bodies on an unturned, unmoved
 * origin on the world become one.
 */
#ifndef FLG_TESTS_MJCF_H
#define FLG_TESTS_MJCF_H

#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <string.h>

#include "sample.h"

typedef struct mjcf_text {
  char *text;
  size_t length, capacity;
} mjcf_text;

static inline void mjcf_put(mjcf_text *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void mjcf_put(mjcf_text *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  out->length +=
      (size_t)vsnprintf(out->text + out->length, out->capacity - out->length, format, arguments);
  va_end(arguments);
  sample_require(out->length < out->capacity, "the MJCF text is too long");
}

static inline void mjcf_vector(mjcf_text *out, const char *name, flg_vec3 v) {
  mjcf_put(out, " %s=\"%.17g %.17g %.17g\"", name, v.x, v.y, v.z);
}

static inline void mjcf_joint(mjcf_text *out, const char *type, flg_vec3 axis, double armature) {
  mjcf_put(out, "<joint type=\"%s\" armature=\"%.17g\"", type, armature);
  mjcf_vector(out, "axis", axis);
  mjcf_put(out, "/>");
}

/* the joint's inner x and y at zero, in the child's axes: what a planar joint slides along */
static inline flg_vec3 mjcf_inner_axis(const sample *s, int body, int k) {
  const flg_mat3 back = flg_mat3_transpose(&s->robot.anchors[body].pose.rotation);
  return flg_mat3_column(&back, k);
}

static inline int mjcf_is_free(const flg_joint *joint) {
  const flg_mat3 one = flg_mat3_identity();
  return joint->kind == FLG_JOINT_FLOATING && joint->parent == FLG_WORLD &&
         memcmp(&joint->origin.rotation, &one, sizeof one) == 0 &&
         flg_vec3_norm(joint->origin.position) == 0;
}

static inline void mjcf_joints(mjcf_text *out, const sample *s, int body) {
  const flg_joint *joint = &s->model.joints[body];
  const flg_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  switch (joint->kind) {
    case FLG_JOINT_FIXED:
      break;
    case FLG_JOINT_PRISMATIC:
      mjcf_joint(out, "slide", joint->axis, joint->armature);
      break;
    case FLG_JOINT_CYLINDRICAL:
      mjcf_joint(out, "slide", joint->axis, joint->armature);
      mjcf_joint(out, "hinge", joint->axis, joint->armature);
      break;
    case FLG_JOINT_UNIVERSAL:
      mjcf_joint(out, "hinge", joint->axis, joint->armature);
      mjcf_joint(out, "hinge", joint->axis2, joint->armature);
      break;
    case FLG_JOINT_PLANAR:
      mjcf_joint(out, "slide", mjcf_inner_axis(s, body, 0), joint->armature);
      mjcf_joint(out, "slide", mjcf_inner_axis(s, body, 1), joint->armature);
      mjcf_joint(out, "hinge", joint->axis, joint->armature);
      break;
    case FLG_JOINT_FLOATING:
      if (mjcf_is_free(joint)) {
        mjcf_put(out, "<joint type=\"free\"/>");
        break;
      }
      mjcf_joint(out, "slide", x, joint->armature);
      mjcf_joint(out, "slide", y, joint->armature);
      mjcf_joint(out, "slide", z, joint->armature);
      mjcf_put(out, "<joint type=\"ball\"/>");
      break;
    case FLG_JOINT_BALL:
      mjcf_put(out, "<joint type=\"ball\"/>");
      break;
    default:
      mjcf_joint(out, "hinge", joint->axis, joint->armature);
  }
}

/* R^T I R is diagonal after a few sweeps of Jacobi rotations. MuJoCo's own stop at angles of 1e-6,
 * so it is handed the principal axes. */
static inline flg_mat3 mjcf_principal_axes(flg_sym3 inertia, double moments[3]) {
  flg_mat3 R = flg_mat3_identity();
  for (int sweep = 0; sweep < 12; sweep++) {
    for (int axis = 0; axis < 3; axis++) {
      const flg_mat3 back = flg_mat3_transpose(&R);
      const flg_mat3 I = flg_sym3_full(flg_sym3_rotate(inertia, &back));
      const int p = (axis + 1) % 3, q = (axis + 2) % 3;
      const double twice = 2 * I.m[p + 3 * q], apart = I.m[p + 3 * p] - I.m[q + 3 * q];
      const double angle = twice == 0 ? 0 : 0.5 * atan(twice / apart);
      double unit[3] = {0};
      unit[axis] = 1;
      const flg_mat3 turn = flg_mat3_from_axis(flg_vec3_load(unit), sin(angle), cos(angle));
      R = flg_mat3_multiply(&R, &turn);
    }
  }
  const flg_mat3 back = flg_mat3_transpose(&R);
  const flg_sym3 I = flg_sym3_rotate(inertia, &back);
  moments[0] = I.xx, moments[1] = I.yy, moments[2] = I.zz;
  return R;
}

static inline void mjcf_quat(mjcf_text *out, const flg_mat3 *rotation) {
  const flg_quat q = flg_quat_from_matrix(rotation);
  mjcf_put(out, " quat=\"%.17g %.17g %.17g %.17g\"", q.w, q.x, q.y, q.z);
}

static inline void mjcf_inertia(mjcf_text *out, const flg_body *body) {
  double moments[3];
  const flg_mat3 axes = mjcf_principal_axes(body->inertia, moments);
  mjcf_put(out, "<inertial mass=\"%.17g\"", body->mass);
  mjcf_vector(out, "pos", body->centre);
  mjcf_vector(out, "diaginertia", flg_vec3_load(moments));
  mjcf_quat(out, &axes);
  mjcf_put(out, "/>");
}

/* Collision shapes, with the first surface's friction or none; boxes and planes. */
static inline void mjcf_shapes(mjcf_text *out, const sample *s, int body) {
  for (int k = 0; k < s->model.shape_count; k++) {
    const flg_shape *shape = &s->model.shapes[k];
    const bool is_box = shape->kind == FLG_SHAPE_BOX;
    if (shape->body != body || !shape->collision) continue;
    const double mu = shape->surface > 0 ? s->model.surfaces.surfaces[0].friction : 0;
    sample_require(is_box || shape->kind == FLG_SHAPE_PLANE, "no such shape for MuJoCo");
    mjcf_put(out, "<geom type=\"%s\" condim=\"%d\" friction=\"%.17g 0 0\"",
             is_box ? "box" : "plane", mu > 0 ? 3 : 1, mu);
    mjcf_vector(out, "size",
                is_box ? flg_vec3_scale(flg_vec3_load(shape->size), 0.5) : (flg_vec3){0, 0, 1});
    mjcf_vector(out, "pos", shape->pose.position);
    mjcf_quat(out, &shape->pose.rotation);
    mjcf_put(out, "/>");
  }
}

/* Bodies nest as deep as the tree. */
static inline void mjcf_bodies(mjcf_text *out, const sample *s, int parent) {
  for (int k = 0; k < s->model.body_count; k++) {
    const flg_joint *joint = &s->model.joints[k];
    if (joint->parent != parent) continue;
    mjcf_put(out, "<body");
    mjcf_quat(out, &joint->origin.rotation);
    mjcf_vector(out, "pos", joint->origin.position);
    mjcf_put(out, ">");
    mjcf_joints(out, s, k);
    mjcf_inertia(out, &s->model.bodies[k]);
    mjcf_shapes(out, s, k);
    mjcf_bodies(out, s, k);
    mjcf_put(out, "</body>\n");
  }
}

/* The model as MuJoCo reads it; release with mj_deleteModel. */
static inline mjModel *mjcf_model(const sample *s, flg_vec3 gravity) {
  static mjVFS files; /* too large for a stack */
  mjcf_text out = {.capacity = 4096 + 1024 * (size_t)s->model.body_count};
  out.text = malloc(out.capacity);
  sample_require(out.text != NULL, "no memory");
  mjcf_put(&out, "<mujoco><compiler angle=\"radian\" fusestatic=\"%s\"/><option",
           s->model.shape_count > 0 ? "true" : "false"); /* quicker, but not to the last digit */
  mjcf_vector(&out, "gravity", gravity);
  mjcf_put(&out, "/><worldbody>");
  mjcf_shapes(&out, s, FLG_WORLD);
  mjcf_bodies(&out, s, FLG_WORLD);
  mjcf_put(&out, "</worldbody></mujoco>");
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "sample.xml", (int)out.length);
  memcpy(files.filedata[0], out.text, out.length);
  char message[1000] = "";
  mjModel *model = mj_loadXML("sample.xml", &files, message, sizeof message);
  mj_deleteVFS(&files);
  free(out.text);
  sample_require(model != NULL, message);
  return model;
}

#endif
