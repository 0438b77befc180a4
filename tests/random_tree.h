/* random_tree.h - trees of every shape and kind of joint, with states to put them in. */
#ifndef FLG_TESTS_RANDOM_TREE_H
#define FLG_TESTS_RANDOM_TREE_H

#include "check.h"
#include "sample.h"

static inline flg_vec3 random_vector(random_source *source, double size) {
  return (flg_vec3){random_uniform(source, -size, size), random_uniform(source, -size, size),
                    random_uniform(source, -size, size)};
}

/* Uniform on the sphere, but for a ball around the origin that is never hit. */
static inline flg_vec3 random_direction(random_source *source) {
  for (;;) {
    const flg_vec3 v = random_vector(source, 1);
    const double square = flg_vec3_dot(v, v);
    if (square > 0.01 && square < 1) return flg_vec3_normalise(v);
  }
}

static inline flg_mat3 random_rotation(random_source *source) {
  const double angle = random_uniform(source, -3, 3);
  return flg_mat3_from_axis(random_direction(source), sin(angle), cos(angle));
}

static inline flg_pose random_pose(random_source *source) {
  return (flg_pose){.rotation = random_rotation(source), .position = random_vector(source, 1)};
}

/* The inertia of an ellipsoid in any attitude. */
static inline void random_body(random_source *source, flg_body *body) {
  const double x = random_uniform(source, 0.1, 1), y = random_uniform(source, 0.1, 1);
  const double z = random_uniform(source, 0.1, 1), mass = random_uniform(source, 0.2, 5);
  const flg_mat3 attitude = random_rotation(source);
  const flg_sym3 own = {
      mass * (y * y + z * z) / 5, mass * (x * x + z * z) / 5, mass * (x * x + y * y) / 5, 0, 0, 0};
  body->mass = mass;
  body->centre = random_vector(source, 0.5);
  body->inertia = flg_sym3_rotate(own, &attitude);
}

/* Bodies on random parents by joints of the given kinds. */
static inline sample *random_tree(random_source *source, int count, const flg_joint_kind *kinds,
                                  int kind_count) {
  sample *s = sample_build(count);
  for (int k = 0; k < count; k++) {
    /* half of them chains, so that trees are deep as well as wide */
    const int low = random_integer(source, 0, 1) ? k - 1 : -1;
    const int parent = random_integer(source, low, k - 1);
    const flg_joint_kind kind = kinds[random_integer(source, 0, kind_count - 1)];
    const int body = sample_add(s, parent, kind, random_pose(source));
    flg_joint *joint = &s->model.joints[body];
    joint->axis = random_direction(source);
    joint->axis2 = random_direction(source);
    joint->pitch = random_uniform(source, -0.5, 0.5);
    random_body(source, &s->model.bodies[body]);
    /* every other joint that may have a rotor */
    if (flg_joint_kind_velocities(kind) == 1 && k % 2 == 0) joint->armature = 0.1 * (k + 1);
  }
  sample_finish(s);
  return s;
}

static const flg_joint_kind ALL_KINDS[] = {
    FLG_JOINT_REVOLUTE, FLG_JOINT_CONTINUOUS, FLG_JOINT_PRISMATIC, FLG_JOINT_CYLINDRICAL,
    FLG_JOINT_SCREW,    FLG_JOINT_UNIVERSAL,  FLG_JOINT_PLANAR,    FLG_JOINT_BALL,
    FLG_JOINT_FLOATING, FLG_JOINT_FIXED};
enum { ALL_KIND_COUNT = sizeof ALL_KINDS / sizeof ALL_KINDS[0] };

/* A tree of at most SCENE_BODIES bodies in a random state, with accelerations, forces and frames.
 */
enum { SCENE_BODIES = 12, SCENE_SIZE = 7 * SCENE_BODIES, SCENE_FRAMES = 3 };

typedef struct scene {
  sample *s;
  int n; /* velocities */
  double q[SCENE_SIZE], v[SCENE_SIZE], a[SCENE_SIZE], f[SCENE_SIZE];
  flg_spatial external[SCENE_BODIES];
  flg_link_anchor frames[SCENE_FRAMES];
} scene;

static inline void random_numbers(random_source *source, double size, double *to, int count) {
  for (int k = 0; k < count; k++) to[k] = random_uniform(source, -size, size);
}

/* Far from zero: a long step with a random velocity. */
static inline void random_position(random_source *source, const flg_robot *robot, double *q) {
  double *v = calloc((size_t)robot->velocity_count + 1, sizeof *v);
  random_numbers(source, 2, v, robot->velocity_count);
  flg_robot_zero(robot, q);
  flg_robot_integrate(robot, q, v, 1, q);
  free(v);
}

static inline scene random_scene(random_source *source, const flg_joint_kind *kinds,
                                 int kind_count) {
  const int bodies = random_integer(source, 1, SCENE_BODIES);
  scene x = {.s = random_tree(source, bodies, kinds, kind_count)};
  x.n = x.s->robot.velocity_count;
  random_position(source, &x.s->robot, x.q);
  random_numbers(source, 2, x.v, x.n);
  random_numbers(source, 5, x.a, x.n);
  random_numbers(source, 50, x.f, x.n);
  for (int i = 0; i < x.s->robot.link_count; i++) {
    x.external[i] = (flg_spatial){random_vector(source, 10), random_vector(source, 10)};
  }
  for (int k = 0; k < SCENE_FRAMES; k++) {
    const int link = random_integer(source, -1, x.s->robot.link_count - 1);
    x.frames[k] = (flg_link_anchor){link, random_pose(source)};
  }
  return x;
}

/* Of any kind, and with at least one velocity. */
static inline scene random_moving_scene(random_source *source) {
  for (;;) {
    scene x = random_scene(source, ALL_KINDS, ALL_KIND_COUNT);
    if (x.n > 0) return x;
    sample_release(x.s);
  }
}

/* Largest magnitude; NaN if any is. */
static inline double largest_of(const double *a, int count) {
  double size = 0;
  for (int k = 0; k < count; k++) size = flg_larger(size, fabs(a[k]));
  return size;
}

/* largest |a_k - b_k| over largest |b_k| */
static inline double relative_difference(const double *a, const double *b, int count) {
  const double scale = largest_of(b, count);
  return max_difference(a, b, count) / (scale > 0 ? scale : 1);
}

#endif
