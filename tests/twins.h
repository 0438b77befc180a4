/* twins.h - a robot in joint coordinates, and the same mechanism as bodies in absolute coordinates
 * with a joint for each of the robot's. */
#ifndef FLG_TESTS_TWINS_H
#define FLG_TESTS_TWINS_H

#include "parts.h"
#include "random_tree.h"
#include "robot/robot_part.h"

static const flg_vec3 GRAVITY = {1, -2, -9.81}; /* no axis of anything */

/* at rest, all joints at zero; its own steps leave nothing but rounding */
static inline void build_robot(flg_robot_subsystem *robot, const flg_model *model) {
  flg_mistakes mistakes = {0};
  flg_error error = {0};
  flg_robot_options options = {.name = "robot", .gravity = GRAVITY};
  options.integrator = flg_integrator_default();
  options.integrator.kind = FLG_INTEGRATOR_ADAPTIVE;
  options.integrator.relative = options.integrator.absolute = 1e-13;
  flg_robot_subsystem_build(robot, model, &options, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(flg_robot_subsystem_equip(robot, NULL, 0, NULL, 0, &error), FLG_OK);
}

/* far from zero and moving */
static inline void shake_robot(random_source *source, flg_robot_subsystem *robot) {
  random_position(source, &robot->robot, robot->q);
  random_numbers(source, 1, robot->v, robot->robot.velocity_count);
  flg_mimics_place(robot->model, &robot->robot, robot->q);
  flg_robot_subsystem_settle(robot);
  flg_robot_subsystem_refresh(robot, 0);
}

static const flg_constraint_kind TWIN_KINDS[FLG_JOINT_KIND_COUNT] = {
    [FLG_JOINT_FIXED] = FLG_CONSTRAINT_WELD,
    [FLG_JOINT_REVOLUTE] = FLG_CONSTRAINT_REVOLUTE,
    [FLG_JOINT_CONTINUOUS] = FLG_CONSTRAINT_REVOLUTE,
    [FLG_JOINT_PRISMATIC] = FLG_CONSTRAINT_PRISMATIC,
    [FLG_JOINT_CYLINDRICAL] = FLG_CONSTRAINT_CYLINDRICAL,
    [FLG_JOINT_SCREW] = FLG_CONSTRAINT_SCREW,
    [FLG_JOINT_UNIVERSAL] = FLG_CONSTRAINT_UNIVERSAL,
    [FLG_JOINT_PLANAR] = FLG_CONSTRAINT_PLANAR,
    [FLG_JOINT_BALL] = FLG_CONSTRAINT_SPHERICAL,
    [FLG_JOINT_FLOATING] = FLG_CONSTRAINT_KIND_COUNT /* none */};

/* a universal joint of a component has its axes at right angles */
static inline void square_axes(flg_model *model) {
  for (int k = 0; k < model->joint_count; k++) {
    flg_joint *joint = &model->joints[k];
    joint->axis2 = flg_vec3_normalise(flg_vec3_cross(joint->axis, joint->axis2));
  }
}

/* z along the axis; of a universal joint x along the first and y along the second */
static inline flg_pose joint_axes(const flg_joint *joint) {
  if (joint->kind != FLG_JOINT_UNIVERSAL) return frame_along(vec(0, 0, 0), joint->axis);
  const flg_vec3 z = flg_vec3_cross(joint->axis, joint->axis2);
  return (flg_pose){flg_mat3_from_columns(joint->axis, joint->axis2, z), {0, 0, 0}};
}

static inline int add_twin_joint(parts *to, int first, const flg_joint *from,
                                 flg_constraint_kind kind) {
  flg_component_joint *joint = &to->component.joints[to->component.joint_count];
  const flg_pose axes = joint_axes(from);
  const int parent = from->parent == FLG_WORLD ? FLG_WORLD : first + from->parent;
  *joint = (flg_component_joint){.name = "joint",
                                 .group = FLG_TOP,
                                 .kind = kind,
                                 .end = {{-1, parent, flg_pose_compose(&from->origin, &axes)},
                                         {-1, first + from->child, axes}},
                                 .constant = kind == FLG_CONSTRAINT_SCREW ? from->pitch : 0};
  add_own_coordinates(to, joint);
  return to->component.joint_count++;
}

static inline void add_twin_body(parts *to, const flg_robot_subsystem *robot, int index) {
  const flg_body *body = &robot->model->bodies[index];
  const flg_link_anchor *anchor = &robot->robot.anchors[index];
  to->component.bodies[to->component.body_count++] =
      (flg_component_body){.name = body->name,
                           .group = FLG_TOP,
                           .mass = body->mass,
                           .centre = body->centre,
                           .inertia = body->inertia,
                           .gravity = {NAN, NAN, NAN},
                           .pose = flg_dynamics_frame_pose(robot->dynamics, anchor),
                           .velocity = flg_dynamics_frame_velocity(robot->dynamics, anchor)};
}

/* the bodies of a robot where it is now, with its joints; returns the first of them. Joints of the
 * component are in the order of the robot's, but for floating ones, which need none. */
static inline int add_twin(parts *to, const flg_robot_subsystem *robot) {
  const int first = to->component.body_count;
  for (int k = 0; k < robot->model->body_count; k++) add_twin_body(to, robot, k);
  for (int k = 0; k < robot->model->joint_count; k++) {
    const flg_joint *joint = &robot->model->joints[k];
    if (joint->kind == FLG_JOINT_FLOATING) continue;
    add_twin_joint(to, first, joint, TWIN_KINDS[joint->kind]);
  }
  return first;
}

/* largest difference of two poses, in position and in any element of the rotation */
static inline double pose_difference(flg_pose a, flg_pose b) {
  const double left = flg_vec3_norm(flg_vec3_subtract(a.position, b.position));
  return flg_larger(left,
                    max_difference((const double *)&a.rotation, (const double *)&b.rotation, 9));
}

static inline flg_pose body_pose(const flg_assembly *assembly, int robot, int body) {
  const flg_anchor anchor = {robot, body, flg_pose_identity()};
  return flg_assembly_pose(assembly, &anchor);
}

/* of all bodies of a robot from their twins; after refresh of both */
static inline double twin_difference(const flg_robot_subsystem *robot, const flg_assembly *assembly,
                                     int first) {
  double most = 0;
  for (int k = 0; k < robot->model->body_count; k++) {
    const flg_pose pose = flg_dynamics_frame_pose(robot->dynamics, &robot->robot.anchors[k]);
    most = flg_larger(most, pose_difference(pose, body_pose(assembly, -1, first + k)));
  }
  return most;
}

static inline flg_assembly_options rk4_options(void) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = FLG_SCHEME_RK4;
  options.gravity = GRAVITY;
  return options;
}

static inline void advance_to(flg_assembly *assembly, double end, double h) {
  assert_int_equal(flg_assembly_advance(assembly, 0, h, 0, (int)lround(end / h)), FLG_OK);
  flg_assembly_refresh(assembly, end);
}

#endif
