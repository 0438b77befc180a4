/* same_model.h - whether two models are the same, field by field. */
#ifndef FLG_TESTS_SAME_MODEL_H
#define FLG_TESTS_SAME_MODEL_H

#include "check.h"
#include "model/model.h"

/* Infinities and NaNs are the same as themselves; files round rotations in the last bits. */
static inline void assert_same_number(double actual, double expected) {
  if (actual == expected || (isnan(actual) && isnan(expected))) return;
  const double size = fabs(expected) > 1 ? fabs(expected) : 1;
  assert_near(actual, expected, 1e-15 * size);
}

static inline void assert_same_numbers(const double *actual, const double *expected, int count) {
  for (int k = 0; k < count; k++) assert_same_number(actual[k], expected[k]);
}

static inline void assert_same_vector(flg_vec3 actual, flg_vec3 expected) {
  assert_same_number(actual.x, expected.x);
  assert_same_number(actual.y, expected.y);
  assert_same_number(actual.z, expected.z);
}

static inline void assert_same_pose(const flg_pose *actual, const flg_pose *expected) {
  assert_same_numbers(actual->rotation.m, expected->rotation.m, 9);
  assert_same_vector(actual->position, expected->position);
}

static inline void assert_same_body(const flg_body *actual, const flg_body *expected) {
  const flg_sym3 I = actual->inertia, J = expected->inertia;
  assert_string_equal(actual->name, expected->name);
  assert_same_number(actual->mass, expected->mass);
  assert_same_vector(actual->centre, expected->centre);
  assert_same_numbers((double[]){I.xx, I.yy, I.zz, I.xy, I.xz, I.yz},
                      (double[]){J.xx, J.yy, J.zz, J.xy, J.xz, J.yz}, 6);
}

static inline void assert_same_joint(const flg_joint *actual, const flg_joint *expected) {
  assert_string_equal(actual->name, expected->name);
  assert_int_equal(actual->kind, expected->kind);
  assert_int_equal(actual->parent, expected->parent);
  assert_int_equal(actual->child, expected->child);
  assert_same_pose(&actual->origin, &expected->origin);
  assert_same_vector(actual->axis, expected->axis);
  assert_same_vector(actual->axis2, expected->axis2);
  assert_same_number(actual->pitch, expected->pitch);
  assert_same_number(actual->damping, expected->damping);
  assert_same_number(actual->friction, expected->friction);
  assert_same_number(actual->lower, expected->lower);
  assert_same_number(actual->upper, expected->upper);
  assert_same_number(actual->effort_limit, expected->effort_limit);
  assert_same_number(actual->speed_limit, expected->speed_limit);
  assert_int_equal(actual->mimic.joint, expected->mimic.joint);
  if (expected->mimic.joint < 0) return;
  assert_same_number(actual->mimic.multiplier, expected->mimic.multiplier);
  assert_same_number(actual->mimic.offset, expected->mimic.offset);
}

static inline void assert_same_text(const char *actual, const char *expected) {
  assert_int_equal(actual == NULL, expected == NULL);
  if (expected != NULL) assert_string_equal(actual, expected);
}

/* The names of meshes are not compared: they depend on the file that the model was read from. */
static inline void assert_same_shape(const flg_shape *actual, const flg_shape *expected) {
  assert_same_text(actual->name, expected->name);
  assert_int_equal(actual->body, expected->body);
  assert_int_equal(actual->collision, expected->collision);
  assert_int_equal(actual->kind, expected->kind);
  assert_same_numbers(actual->size, expected->size, flg_shape_kind_sizes(expected->kind));
  assert_int_equal(actual->value_count, expected->value_count);
  assert_int_equal(actual->columns, expected->columns);
  assert_same_numbers(actual->values, expected->values, expected->value_count);
  assert_same_pose(&actual->pose, &expected->pose);
  assert_int_equal(actual->mesh == NULL, expected->mesh == NULL);
  assert_same_numbers(actual->colour, expected->colour, 4);
}

static inline void assert_same_frame(const flg_frame *actual, const flg_frame *expected) {
  assert_string_equal(actual->name, expected->name);
  assert_int_equal(actual->body, expected->body);
  assert_int_equal(actual->port, expected->port);
  assert_same_pose(&actual->pose, &expected->pose);
}

static inline void assert_same_model(const flg_model *actual, const flg_model *expected) {
  assert_string_equal(actual->name, expected->name);
  assert_int_equal(actual->body_count, expected->body_count);
  assert_int_equal(actual->joint_count, expected->joint_count);
  assert_int_equal(actual->shape_count, expected->shape_count);
  assert_int_equal(actual->frame_count, expected->frame_count);
  for (int k = 0; k < expected->body_count; k++) {
    assert_same_body(&actual->bodies[k], &expected->bodies[k]);
  }
  for (int k = 0; k < expected->joint_count; k++) {
    assert_same_joint(&actual->joints[k], &expected->joints[k]);
  }
  for (int k = 0; k < expected->shape_count; k++) {
    assert_same_shape(&actual->shapes[k], &expected->shapes[k]);
  }
  for (int k = 0; k < expected->frame_count; k++) {
    assert_same_frame(&actual->frames[k], &expected->frames[k]);
  }
}

#endif
