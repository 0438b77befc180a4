/* sample.h - robots put together in a few lines, for tests and benchmarks. Needs no cmocka. */
#ifndef FLG_TESTS_SAMPLE_H
#define FLG_TESTS_SAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dynamics/dynamics.h"

typedef struct sample_name {
  char text[16];
} sample_name;

/* A model that grows body by body, each with the joint that carries it; then a robot and its
 * dynamics. Everything that fails ends the program. */
typedef struct sample {
  int capacity;
  flg_model model;
  sample_name *names; /* b0, j0, b1, j1, ... */
  flg_mistakes mistakes;
  flg_region region;
  flg_robot robot;
  flg_dynamics *dynamics;
} sample;

static inline _Noreturn void sample_give_up(const char *what) {
  fprintf(stderr, "sample: %s\n", what);
  exit(70);
}

static inline void sample_require(int condition, const char *what) {
  if (!condition) sample_give_up(what);
}

static inline sample *sample_build(int capacity) {
  sample *s = calloc(1, sizeof *s);
  if (s == NULL) sample_give_up("no memory");
  s->capacity = capacity;
  s->names = calloc(2 * (size_t)capacity, sizeof *s->names);
  s->model.name = s->model.file = "sample";
  s->model.bodies = calloc((size_t)capacity, sizeof *s->model.bodies);
  s->model.joints = calloc((size_t)capacity, sizeof *s->model.joints);
  sample_require(s->names && s->model.bodies && s->model.joints, "no memory");
  return s;
}

static inline void sample_release(sample *s) {
  flg_region_release(&s->region);
  free(s->names);
  free(s->model.bodies);
  free(s->model.joints);
  free(s);
}

/* A body on the parent body (or FLG_WORLD) by a joint at the given place, axis z; returns its
 * index, which is also that of its joint. Mass 1, unit inertia; change both in the model. */
static inline int sample_add(sample *s, int parent, flg_joint_kind kind, flg_pose origin) {
  const int k = s->model.body_count;
  sample_require(k < s->capacity, "too many bodies");
  snprintf(s->names[2 * k].text, sizeof s->names[0].text, "b%d", k);
  snprintf(s->names[2 * k + 1].text, sizeof s->names[0].text, "j%d", k);
  s->model.body_count = s->model.joint_count = k + 1;
  s->model.bodies[k] = (flg_body){.name = s->names[2 * k].text,
                                  .place = {"sample", 2 * k + 1, 1},
                                  .mass = 1,
                                  .inertia = {1, 1, 1, 0, 0, 0}};
  s->model.joints[k] = (flg_joint){.name = s->names[2 * k + 1].text,
                                   .place = {"sample", 2 * k + 2, 1},
                                   .kind = kind,
                                   .parent = parent,
                                   .child = k,
                                   .origin = origin,
                                   .axis = {0, 0, 1},
                                   .axis2 = {0, 1, 0},
                                   .lower = -INFINITY,
                                   .upper = INFINITY,
                                   .effort_limit = INFINITY,
                                   .speed_limit = INFINITY,
                                   .mimic = {.joint = -1}};
  return k;
}

static inline flg_pose sample_shift(double x, double y, double z) {
  return (flg_pose){.rotation = flg_mat3_identity(), .position = {x, y, z}};
}

static inline flg_pose sample_turn_x(double angle) {
  return (flg_pose){.rotation = flg_mat3_from_axis((flg_vec3){1, 0, 0}, sin(angle), cos(angle))};
}

/* The robot and its dynamics, once the model is complete. */
static inline void sample_finish(sample *s) {
  s->region = (flg_region){0};
  const flg_status status = flg_robot_build(&s->robot, &s->model, &s->region, &s->mistakes);
  sample_require(status == FLG_OK, s->mistakes.list[0].message);
  sample_require(flg_dynamics_build(&s->dynamics, &s->robot, &s->region, NULL) == FLG_OK,
                 "dynamics");
}

/* --- the arm of examples/ssrms ------------------------------------------------------------------
 */

enum { ARM_LINKS = 7 };

/* A solid cylinder of 0.3 m diameter and 2700 kg/m3 from the frame's origin to `end`. */
static inline void sample_cylinder(flg_body *body, flg_vec3 end) {
  const double length = flg_vec3_norm(end), radius = 0.15;
  const double mass = 2700 * 3.14159265358979323846 * radius * radius * length;
  const double across = mass * (3 * radius * radius + length * length) / 12;
  const double along = mass * radius * radius / 2;
  body->mass = mass;
  body->centre = flg_vec3_scale(end, 0.5);
  body->inertia = flg_sym3_add_scaled(flg_sym3_diagonal(across), along - across,
                                      flg_sym3_outer(flg_vec3_normalise(end)));
}

/* Seven revolute joints about z; Tz(.38) Rz1 Rx90 Tz(.635) Rz2 Rx90 Tz(.504) Rz3 Tx(6.85) Rz4
 * Tx(6.85) Rz5 Tz(.504) Rx90 Rz6 Tz(.635) Rx-90 Rz7 Tz(.38). Each link is a cylinder along the
 * translation after its joint; turns between a joint and its translation go into the next joint's
 * placement. */
static inline sample *sample_arm_model(void) {
  const double quarter = 3.14159265358979323846 / 2;
  const struct arm_joint {
    double before;  /* turn about x between joint and translation */
    flg_vec3 shift; /* the translation after the joint */
    double after;   /* turn about x after the translation */
  } rows[ARM_LINKS] = {{quarter, {0, 0, .635}, 0}, {quarter, {0, 0, .504}, 0},
                       {0, {6.85, 0, 0}, 0},       {0, {6.85, 0, 0}, 0},
                       {0, {0, 0, .504}, quarter}, {0, {0, 0, .635}, -quarter},
                       {0, {0, 0, .38}, 0}};
  sample *s = sample_build(ARM_LINKS);
  flg_pose origin = sample_shift(0, 0, .38);
  for (int k = 0; k < ARM_LINKS; k++) {
    const int body = sample_add(s, k - 1, FLG_JOINT_REVOLUTE, origin);
    const flg_pose before = sample_turn_x(rows[k].before), after = sample_turn_x(rows[k].after);
    sample_cylinder(&s->model.bodies[body], flg_mat3_apply(&before.rotation, rows[k].shift));
    const flg_pose shift = {.rotation = flg_mat3_identity(), .position = rows[k].shift};
    const flg_pose moved = flg_pose_compose(&before, &shift);
    origin = flg_pose_compose(&moved, &after);
  }
  return s;
}

static inline sample *sample_arm(void) {
  sample *s = sample_arm_model();
  sample_finish(s);
  return s;
}

#endif
