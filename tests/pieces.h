/* pieces.h - components put together by hand, for tests and benchmarks of assemblies. Needs no
 * cmocka.
 *
 * Everything is given in world axes at the start, as in CAD: a joint sits at a point with an axis,
 * and is fixed to both of its bodies where they are.
 */
#ifndef FLG_TESTS_PIECES_H
#define FLG_TESTS_PIECES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assembly/assembly.h"

typedef struct parts {
  flg_component component;
  int capacity;
} parts;

static inline parts *parts_new(int capacity) {
  parts *made = calloc(1, sizeof *made);
  flg_component *c = &made->component;
  made->capacity = capacity;
  c->name = "parts", c->file = "parts.yaml";
  c->groups = calloc((size_t)capacity, sizeof *c->groups);
  c->bodies = calloc((size_t)capacity, sizeof *c->bodies);
  c->robots = calloc((size_t)capacity, sizeof *c->robots);
  c->coordinates = calloc(2 * (size_t)capacity, sizeof *c->coordinates);
  c->joints = calloc(2 * (size_t)capacity, sizeof *c->joints);
  c->springs = calloc((size_t)capacity, sizeof *c->springs);
  c->loads = calloc((size_t)capacity, sizeof *c->loads);
  return made;
}

static inline void parts_drop(parts *of) {
  flg_component *c = &of->component;
  free(c->groups), free(c->bodies), free(c->robots), free(c->coordinates);
  free(c->joints), free(c->springs), free(c->loads), free(of);
}

static inline flg_vec3 vec(double x, double y, double z) {
  return (flg_vec3){x, y, z};
}

/* a body whose frame is its centre of mass, with axes turned by `turn` */
static inline int add_body(parts *to, double mass, flg_sym3 inertia, flg_vec3 at, flg_quat turn) {
  flg_component_body *body = &to->component.bodies[to->component.body_count];
  *body = (flg_component_body){.name = "body",
                               .group = FLG_TOP,
                               .mass = mass,
                               .inertia = inertia,
                               .gravity = {NAN, NAN, NAN},
                               .pose = {flg_quat_to_matrix(turn), at}};
  return to->component.body_count++;
}

/* a slender rod between two points, with a little thickness */
static inline int add_rod(parts *to, double mass, flg_vec3 from, flg_vec3 end) {
  const flg_vec3 along = flg_vec3_subtract(end, from);
  const double length = flg_vec3_norm(along), across = mass * length * length / 12;
  const flg_vec3 x = flg_vec3_scale(along, 1 / length);
  const flg_sym3 inertia = flg_sym3_add_scaled(flg_sym3_diagonal(across), -across * 0.999,
                                               flg_sym3_outer(x)); /* in world axes */
  const flg_vec3 middle = flg_vec3_scale(flg_vec3_add(from, end), 0.5);
  return add_body(to, mass, inertia, middle, flg_quat_identity());
}

/* a frame in the world, fixed to a body where that is at the start */
static inline flg_anchor anchor_at(const parts *of, int body, const flg_pose *frame) {
  flg_anchor anchor = {.robot = -1, .body = body, .pose = *frame};
  if (body == FLG_WORLD) return anchor;
  const flg_pose inverse = flg_pose_inverse(&of->component.bodies[body].pose);
  anchor.pose = flg_pose_compose(&inverse, frame);
  return anchor;
}

/* z along the axis, x given or any */
static inline flg_pose frame_along(flg_vec3 at, flg_vec3 axis) {
  const flg_vec3 z = flg_vec3_normalise(axis);
  const flg_vec3 x = flg_vec3_normalise(flg_vec3_perpendicular(z));
  return (flg_pose){flg_mat3_from_columns(x, flg_vec3_cross(z, x), z), at};
}

static inline int add_coordinate(parts *to, flg_coordinate_kind kind, flg_anchor a, flg_anchor b) {
  flg_component *c = &to->component;
  c->coordinates[c->coordinate_count] = (flg_component_coordinate){
      .name = "coordinate", .group = FLG_TOP, .kind = kind, .end = {a, b}};
  return c->coordinate_count++;
}

/* the coordinates that belong to a joint of this kind */
static inline void add_own_coordinates(parts *to, flg_component_joint *joint) {
  const flg_anchor a = joint->end[0], b = joint->end[1];
  joint->coordinate[0] = joint->coordinate[1] = -1;
  switch (joint->kind) {
    case FLG_CONSTRAINT_REVOLUTE:
      joint->coordinate[0] = add_coordinate(to, FLG_COORDINATE_ANGLE, a, b);
      break;
    case FLG_CONSTRAINT_PRISMATIC:
    case FLG_CONSTRAINT_POINT_ON_LINE:
      joint->coordinate[0] = add_coordinate(to, FLG_COORDINATE_SLIDE, a, b);
      break;
    case FLG_CONSTRAINT_CYLINDRICAL:
    case FLG_CONSTRAINT_SCREW:
      joint->coordinate[0] = add_coordinate(to, FLG_COORDINATE_SLIDE, a, b);
      joint->coordinate[1] = add_coordinate(to, FLG_COORDINATE_ANGLE, a, b);
      break;
    case FLG_CONSTRAINT_DISTANCE:
      joint->coordinate[0] = add_coordinate(to, FLG_COORDINATE_DISTANCE, a, b);
      break;
    default:
      break;
  }
}

static inline int add_joint_frame(parts *to, flg_constraint_kind kind, int a, int b,
                                  const flg_pose *frame) {
  flg_component_joint *joint = &to->component.joints[to->component.joint_count];
  *joint = (flg_component_joint){.name = "joint", .group = FLG_TOP, .kind = kind};
  joint->end[0] = anchor_at(to, a, frame), joint->end[1] = anchor_at(to, b, frame);
  add_own_coordinates(to, joint);
  return to->component.joint_count++;
}

static inline int add_joint(parts *to, flg_constraint_kind kind, int a, int b, flg_vec3 at,
                            flg_vec3 axis) {
  const flg_pose frame = frame_along(at, axis);
  return add_joint_frame(to, kind, a, b, &frame);
}

/* factor0 * angle (or slide) + factor1 * ... stays as it is */
static inline int add_gear(parts *to, int first, double factor0, int second, double factor1) {
  flg_component_joint *joint = &to->component.joints[to->component.joint_count];
  *joint = (flg_component_joint){.name = "gear",
                                 .group = FLG_TOP,
                                 .kind = FLG_CONSTRAINT_GEAR,
                                 .coordinate = {first, second},
                                 .factor = {factor0, factor1}};
  return to->component.joint_count++;
}

static inline flg_component_spring *add_spring(parts *to, int coordinate, double stiffness,
                                               double damping, double rest) {
  flg_component_spring *spring = &to->component.springs[to->component.spring_count++];
  *spring = (flg_component_spring){.name = "spring",
                                   .group = FLG_TOP,
                                   .coordinate = coordinate,
                                   .stiffness = stiffness,
                                   .damping = damping,
                                   .rest = rest};
  return spring;
}

/* between two points of bodies */
static inline flg_component_spring *add_strut(parts *to, int a, flg_vec3 from, int b, flg_vec3 end,
                                              double stiffness, double damping, double rest) {
  const flg_pose at_a = {flg_mat3_identity(), from}, at_b = {flg_mat3_identity(), end};
  const int distance =
      add_coordinate(to, FLG_COORDINATE_DISTANCE, anchor_at(to, a, &at_a), anchor_at(to, b, &at_b));
  return add_spring(to, distance, stiffness, damping, rest);
}

/* where a point that was at `start` in the world is now, carried by a body */
static inline flg_vec3 point_of(const flg_assembly *assembly, const parts *of, int body,
                                flg_vec3 start) {
  const flg_pose frame = {flg_mat3_identity(), start};
  const flg_anchor anchor = anchor_at(of, body, &frame);
  return flg_assembly_pose(assembly, &anchor).position;
}

#endif
