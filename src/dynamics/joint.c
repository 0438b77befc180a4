#include "dynamics/joint.h"

static flg_spatial axis_of_slide(flg_vec3 axis) {
  return (flg_spatial){.linear = axis};
}

static flg_spatial axis_of_turn(flg_vec3 axis) {
  return (flg_spatial){.angular = axis};
}

/* by position k, an angle */
static flg_mat3 turn_about_z(const flg_mat3 *joint_frame, const flg_joint_state *at, int k) {
  return flg_joint_turn_about_z(joint_frame, at->sines[k], at->cosines[k]);
}

/* One function a kind instead of a general matrix S: most entries of S are zeros. */
typedef void joint_kernel(const flg_link *link, const flg_mat3 *joint_frame,
                          const flg_joint_state *at, flg_joint_motion *motion,
                          flg_coordinate *coordinates);

/* a flexible link that is clamped to its parent */
static void move_fixed(const flg_link *link, const flg_mat3 *joint_frame, const flg_joint_state *at,
                       flg_joint_motion *motion, flg_coordinate *coordinates) {
  (void)link, (void)at, (void)coordinates;
  motion->rotation = *joint_frame;
}

static void move_prismatic(const flg_link *link, const flg_mat3 *joint_frame,
                           const flg_joint_state *at, flg_joint_motion *motion,
                           flg_coordinate *coordinates) {
  (void)link;
  const flg_vec3 axis = flg_mat3_column(joint_frame, 2);
  motion->rotation = *joint_frame;
  motion->travel = flg_vec3_scale(axis, at->q[0]);
  coordinates[0].direction = axis_of_slide(axis);
}

static void move_cylindrical(const flg_link *link, const flg_mat3 *joint_frame,
                             const flg_joint_state *at, flg_joint_motion *motion,
                             flg_coordinate *coordinates) {
  (void)link;
  const flg_vec3 axis = flg_mat3_column(joint_frame, 2);
  motion->rotation = turn_about_z(joint_frame, at, 1);
  motion->travel = flg_vec3_scale(axis, at->q[0]);
  coordinates[0].direction = axis_of_slide(axis);
  coordinates[1].direction = axis_of_turn(axis);
}

static void move_screw(const flg_link *link, const flg_mat3 *joint_frame, const flg_joint_state *at,
                       flg_joint_motion *motion, flg_coordinate *coordinates) {
  const flg_vec3 axis = flg_mat3_column(joint_frame, 2);
  motion->rotation = turn_about_z(joint_frame, at, 0);
  motion->travel = flg_vec3_scale(axis, link->pitch * at->q[0]);
  coordinates[0].direction = (flg_spatial){flg_vec3_scale(axis, link->pitch), axis};
}

/* The second axis is carried round by the first. */
static void move_universal(const flg_link *link, const flg_mat3 *joint_frame,
                           const flg_joint_state *at, flg_joint_motion *motion,
                           flg_coordinate *coordinates) {
  const flg_mat3 cross = turn_about_z(joint_frame, at, 0);
  const flg_mat3 second = flg_mat3_from_axis(link->axis2, at->sines[1], at->cosines[1]);
  const flg_vec3 axis = flg_mat3_column(joint_frame, 2),
                 axis2 = flg_mat3_apply(&cross, link->axis2);
  motion->rotation = flg_mat3_multiply(&cross, &second);
  /* S changes with the joint itself: the first rate carries the second axis, S' v = v0 v1 (axis x
   * axis2) */
  motion->intrinsic = flg_vec3_scale(flg_vec3_cross(axis, axis2), at->v[0] * at->v[1]);
  coordinates[0].direction = axis_of_turn(axis);
  coordinates[1].direction = axis_of_turn(axis2);
}

static void move_planar(const flg_link *link, const flg_mat3 *joint_frame,
                        const flg_joint_state *at, flg_joint_motion *motion,
                        flg_coordinate *coordinates) {
  (void)link;
  const flg_vec3 x = flg_mat3_column(joint_frame, 0), y = flg_mat3_column(joint_frame, 1);
  motion->rotation = turn_about_z(joint_frame, at, 2);
  motion->travel = flg_vec3_add_scaled(flg_vec3_scale(x, at->q[0]), at->q[1], y);
  coordinates[0].direction = axis_of_slide(x);
  coordinates[1].direction = axis_of_slide(y);
  coordinates[2].direction = axis_of_turn(flg_mat3_column(joint_frame, 2));
}

/* Velocities are in the child's axes, which turn with it: S v changes by w x S v, and w x w is zero
 * but for the parent's part, which the drift has. */
static void move_ball(const flg_link *link, const flg_mat3 *joint_frame, const flg_joint_state *at,
                      flg_joint_motion *motion, flg_coordinate *coordinates) {
  (void)link;
  const flg_quat turn = flg_quat_normalise((flg_quat){at->q[0], at->q[1], at->q[2], at->q[3]});
  const flg_mat3 rotation = flg_quat_to_matrix(turn);
  motion->rotation = flg_mat3_multiply(joint_frame, &rotation);
  for (int k = 0; k < 3; k++) {
    coordinates[k].direction = axis_of_turn(flg_mat3_column(&motion->rotation, k));
  }
}

static void move_floating(const flg_link *link, const flg_mat3 *joint_frame,
                          const flg_joint_state *at, flg_joint_motion *motion,
                          flg_coordinate *coordinates) {
  const flg_joint_state ball = {.q = at->q + 3, .v = at->v + 3};
  move_ball(link, joint_frame, &ball, motion, coordinates + 3);
  motion->travel = flg_mat3_apply(joint_frame, flg_vec3_load(at->q));
  for (int k = 0; k < 3; k++)
    coordinates[k].direction = axis_of_slide(flg_mat3_column(joint_frame, k));
}

/* but for turns, which kinematics.c has in lanes */
static joint_kernel *const KERNELS[FLG_JOINT_KIND_COUNT] = {
    [FLG_JOINT_FIXED] = move_fixed,
    [FLG_JOINT_PRISMATIC] = move_prismatic,
    [FLG_JOINT_CYLINDRICAL] = move_cylindrical,
    [FLG_JOINT_SCREW] = move_screw,
    [FLG_JOINT_UNIVERSAL] = move_universal,
    [FLG_JOINT_PLANAR] = move_planar,
    [FLG_JOINT_BALL] = move_ball,
    [FLG_JOINT_FLOATING] = move_floating,
};

flg_joint_motion flg_joint_move(const flg_link *link, const flg_mat3 *joint_frame,
                                const flg_joint_state *at, flg_coordinate *coordinates) {
  flg_joint_motion motion = {.travel = {0, 0, 0}};
  KERNELS[link->kind](link, joint_frame, at, &motion, coordinates);
  for (int k = 0; k < link->velocity_count; k++) {
    motion.speed = flg_spatial_add_scaled(motion.speed, at->v[k], coordinates[k].direction);
  }
  return motion;
}
