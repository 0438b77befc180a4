#include <string.h>

#include "dynamics/flex.h"
#include "dynamics/joint.h"
#include "dynamics/sine.h"
#include "dynamics/wide.h"
#include "math/dense.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

/* Velocity and drift from the parent's velocity and the joint's u, w and intrinsic part. */
FLG_SMALL void carry_velocity(const flg_motion *parent, flg_spatial speed, flg_vec3 intrinsic,
                              flg_motion *own) {
  const flg_vec3 w = parent->velocity.angular, u = speed.linear;
  const flg_vec3 relative = flg_vec3_add(flg_vec3_cross(w, own->arm), u);
  own->velocity.linear = flg_vec3_add(parent->velocity.linear, relative);
  own->velocity.angular = flg_vec3_add(w, speed.angular);
  own->drift.linear = flg_vec3_cross(w, flg_vec3_add(relative, u)); /* w x (w x arm) + 2 w x u */
  own->drift.angular = flg_vec3_add(flg_vec3_cross(w, speed.angular), intrinsic);
}

/* A link on a joint that is no turn. */
FLG_SMALL void move_link(flg_dynamics *dynamics, int i, const double *q, const double *v) {
  const flg_link *link = &dynamics->robot->links[i];
  const flg_motion *parent = &dynamics->motions[link->parent];
  flg_motion *own = &dynamics->motions[i];
  flg_coordinate *coordinates = dynamics->coordinates + link->velocity;
  const int p = link->position;
  const flg_joint_state at = {q + p, v + link->velocity, dynamics->sines + p,
                              dynamics->cosines + p};
  const flg_mat3 joint_frame = flg_mat3_multiply(&parent->rotation, &link->placement.rotation);
  own->arm = flg_mat3_apply(&parent->rotation, link->placement.position);
  const flg_joint_motion joint = flg_joint_move(link, &joint_frame, &at, coordinates);
  own->rotation = joint.rotation;
  own->arm = flg_vec3_add(own->arm, joint.travel); /* a slide makes the arm longer */
  carry_velocity(parent, joint.speed, joint.intrinsic, own);
  own->position = flg_vec3_add(parent->position, own->arm);
}

/* One that does not turn about an axis: a node, or a link on another joint. */
FLG_SMALL void move_other(flg_dynamics *dynamics, int i, const double *q, const double *v) {
  if (dynamics->robot->links[i].node < 0) {
    move_link(dynamics, i, q, v);
  } else if (!flg_flex_sleeps(dynamics, i)) {
    flg_flex_ride(dynamics, i, q, v);
  }
}

/* The same where only velocities changed. */
FLG_SMALL void hurry_other(flg_dynamics *dynamics, int i, const double *q, const double *v) {
  if (dynamics->robot->links[i].node < 0) {
    move_link(dynamics, i, q, v);
  } else if (!flg_flex_sleeps(dynamics, i)) {
    flg_flex_ride_on(dynamics, i, v);
  }
}

/* --- rigid links in wide vectors ----------------------------------------------------------------
 */

/* A link as its children see it: columns of R, position, velocity. */
typedef struct wide_motion {
  flg_three x, y, z, position;
  flg_wide_spatial velocity;
} wide_motion;

FLG_SMALL wide_motion wide_motion_of(const flg_motion *from) {
  const double *m = from->rotation.m;
  return (wide_motion){flg_three_load(m), flg_three_load(m + 3), flg_three_load(m + 6),
                       flg_three_load(&from->position.x), flg_wide_load(&from->velocity)};
}

/* From the parent's motion, which becomes the link's: all that velocities make. Numbers that follow
 * each other in memory are stored in their order. */
FLG_SMALL void carry_wide(wide_motion *at, flg_three arm, flg_three turn, flg_motion *own) {
  const flg_three w = at->velocity.angular, relative = flg_three_cross(w, arm);
  at->velocity.linear += relative;
  at->velocity.angular += turn;
  flg_three_store_over(at->velocity.linear, &own->velocity.linear.x);
  flg_three_store_over(at->velocity.angular, &own->velocity.angular.x);
  flg_three_store_over(arm, &own->arm.x);
  flg_three_store_over(flg_three_cross(w, relative), &own->drift.linear.x);
  own->drift.angular = flg_three_vector(flg_three_cross(w, turn));
}

FLG_SMALL void move_turn(const flg_link *link, double sine, double cosine, double v,
                         wide_motion *at, flg_coordinate *coordinate, flg_motion *own) {
  const flg_mat3 *placed = &link->placement.rotation;
  const flg_three arm = flg_three_combine(at->x, at->y, at->z, link->placement.position);
  const flg_three x = flg_three_combine(at->x, at->y, at->z, flg_mat3_column(placed, 0)),
                  y = flg_three_combine(at->x, at->y, at->z, flg_mat3_column(placed, 1)),
                  axis = flg_three_combine(at->x, at->y, at->z, flg_mat3_column(placed, 2));
  at->x = x * cosine + y * sine;
  at->y = y * cosine - x * sine;
  at->z = axis;
  at->position += arm;
  flg_three_store_over(at->x, own->rotation.m);
  flg_three_store_over(at->y, own->rotation.m + 3);
  flg_three_store_over(at->z, own->rotation.m + 6);
  flg_three_store_over(at->position, &own->position.x);
  carry_wide(at, arm, axis * v, own);
  coordinate->direction.linear = (flg_vec3){0};
  coordinate->direction.angular = flg_three_vector(axis);
}

/* The parent of most links comes just before them, and its motion is still in registers. */
FLG_WIDE_VECTORS static void move_wide(flg_dynamics *dynamics, const double *q, const double *v) {
  const flg_robot *robot = dynamics->robot;
  flg_motion *motions = dynamics->motions;
  wide_motion at = wide_motion_of(&motions[FLG_WORLD]);
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    if (!flg_joint_is_turn(link->kind)) {
      move_other(dynamics, i, q, v);
      if (link->flex >= 0) flg_flex_deform(dynamics, link->flex, q);
      at = wide_motion_of(&motions[i]);
      continue;
    }
    if (link->parent != i - 1) at = wide_motion_of(&motions[link->parent]);
    const int p = link->position, k = link->velocity;
    move_turn(link, dynamics->sines[p], dynamics->cosines[p], v[k], &at, &dynamics->coordinates[k],
              &motions[i]);
    if (link->flex >= 0) flg_flex_deform(dynamics, link->flex, q);
  }
}

FLG_WIDE_VECTORS static void hurry_wide(flg_dynamics *dynamics, const double *q, const double *v) {
  const flg_robot *robot = dynamics->robot;
  flg_motion *motions = dynamics->motions;
  wide_motion at;
  at.velocity = flg_wide_load(&motions[FLG_WORLD].velocity);
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    const int k = link->velocity;
    if (!flg_joint_is_turn(link->kind)) {
      hurry_other(dynamics, i, q, v);
      at.velocity = flg_wide_load(&motions[i].velocity);
      continue;
    }
    if (link->parent != i - 1) at.velocity = flg_wide_load(&motions[link->parent].velocity);
    const flg_three axis = flg_three_load(&dynamics->coordinates[k].direction.angular.x);
    carry_wide(&at, flg_three_load(&motions[i].arm.x), axis * v[k], &motions[i]);
  }
}

static void move_links(flg_dynamics *dynamics, const double *q, const double *v) {
  /* of all joints at once: vector code */
  flg_sines(q, dynamics->robot->position_count, dynamics->sines, dynamics->cosines);
  move_wide(dynamics, q, v);
}

/* Steps ask for the same state again and again: what is known of it is kept, and of new velocities
 * alone only what they change is computed. */
void flg_dynamics_move(flg_dynamics *dynamics, const double *q, const double *v) {
  const flg_robot *robot = dynamics->robot;
  flg_dynamics_known *known = &dynamics->known;
  const bool is_new =
      flg_dense_renew(known->q, q, (size_t)robot->position_count) || !known->motions;
  const bool is_faster = flg_dense_renew(known->v, v, (size_t)robot->velocity_count);
  if (!is_new && !is_faster) return;
  (is_new ? move_links : hurry_wide)(dynamics, q, v);
  if (is_new) known->factors = false; /* masses depend on positions alone */
  known->motions = true;
  known->biases = known->pulls = known->answers = false;
}

/* accelerations of links that joints have while theirs are zero */
FLG_WIDE_VECTORS static void find_biases(const flg_dynamics *dynamics) {
  flg_spatial *biases = dynamics->biases;
  flg_wide_spatial own = flg_wide_load(&biases[FLG_WORLD]);
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    const int parent = dynamics->robot->links[i].parent;
    if (parent != i - 1) own = flg_wide_load(&biases[parent]);
    flg_wide_carry(&own, &dynamics->motions[i]);
    flg_wide_store(&own, &biases[i]);
  }
}

void flg_dynamics_kinematics(flg_dynamics *dynamics, const double *q, const double *v) {
  flg_dynamics_move(dynamics, q, v);
  if (!dynamics->known.biases) find_biases(dynamics);
  dynamics->known.biases = true;
}

flg_pose flg_dynamics_link_pose(const flg_dynamics *dynamics, int link) {
  flg_flex_see(dynamics, link);
  const flg_motion *motion = &dynamics->motions[link];
  return (flg_pose){.rotation = motion->rotation, .position = motion->position};
}

flg_spatial flg_dynamics_link_velocity(const flg_dynamics *dynamics, int link) {
  flg_flex_see(dynamics, link);
  return dynamics->motions[link].velocity;
}

const flg_moving_frame *flg_dynamics_link_frame(const flg_dynamics *dynamics, int link) {
  flg_flex_see(dynamics, link);
  return &dynamics->motions[link].frame;
}

/* --- frames on links ---------------------------------------------------------------------------
 */

/* from the link's origin to the frame's, in world axes */
static flg_vec3 offset_of(const flg_dynamics *dynamics, const flg_link_anchor *frame) {
  flg_flex_see(dynamics, frame->link);
  return flg_mat3_apply(&dynamics->motions[frame->link].rotation, frame->pose.position);
}

/* the acceleration of the frame's origin: that of the link's, as a rigid body turns */
static flg_spatial accelerate_frame(const flg_dynamics *dynamics, const flg_link_anchor *frame,
                                    flg_spatial acceleration) {
  const flg_vec3 offset = offset_of(dynamics, frame);
  const flg_vec3 w = dynamics->motions[frame->link].velocity.angular;
  flg_spatial moved = flg_spatial_shift_motion(acceleration, offset);
  moved.linear = flg_vec3_add(moved.linear, flg_vec3_cross(w, flg_vec3_cross(w, offset)));
  return moved;
}

flg_pose flg_dynamics_frame_pose(const flg_dynamics *dynamics, const flg_link_anchor *frame) {
  const flg_pose pose = flg_dynamics_link_pose(dynamics, frame->link);
  return flg_pose_compose(&pose, &frame->pose);
}

flg_spatial flg_dynamics_frame_velocity(const flg_dynamics *dynamics,
                                        const flg_link_anchor *frame) {
  const flg_vec3 offset = offset_of(dynamics, frame);
  return flg_spatial_shift_motion(dynamics->motions[frame->link].velocity, offset);
}

flg_spatial flg_dynamics_frame_bias(const flg_dynamics *dynamics, const flg_link_anchor *frame) {
  flg_flex_see(dynamics, frame->link);
  return accelerate_frame(dynamics, frame, dynamics->biases[frame->link]);
}

flg_spatial flg_dynamics_frame_acceleration(const flg_dynamics *dynamics,
                                            const flg_link_anchor *frame) {
  flg_flex_see(dynamics, frame->link);
  flg_spatial total = dynamics->motions[frame->link].acceleration;
  /* gravity stands in the recursion as an acceleration of the ground upwards */
  total.linear = flg_vec3_add(total.linear, dynamics->gravity);
  return accelerate_frame(dynamics, frame, total);
}

/* Only joints between the world and the link move the frame: other columns stay 0. */
void flg_dynamics_frame_jacobian(const flg_dynamics *dynamics, const flg_link_anchor *frame,
                                 double *J) {
  const flg_robot *robot = dynamics->robot;
  for (size_t k = 0; k < 6 * (size_t)robot->velocity_count; k++) J[k] = 0;
  flg_vec3 offset = offset_of(dynamics, frame);
  for (int i = frame->link; i != FLG_WORLD; i = robot->links[i].parent) {
    const flg_link *link = &robot->links[i];
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      const flg_spatial direction = dynamics->coordinates[k].direction;
      flg_spatial_store(flg_spatial_shift_motion(direction, offset), J + 6 * (size_t)k);
    }
    if (link->node >= 0) flg_flex_columns(dynamics, i, offset, J);
    offset = flg_vec3_add(offset, dynamics->motions[i].arm);
  }
}

/* J x without J */
flg_spatial flg_dynamics_frame_motion(const flg_dynamics *dynamics, const flg_link_anchor *frame,
                                      const double *x) {
  const flg_robot *robot = dynamics->robot;
  flg_vec3 offset = offset_of(dynamics, frame);
  flg_spatial moved = {0};
  for (int i = frame->link; i != FLG_WORLD; i = robot->links[i].parent) {
    const flg_link *link = &robot->links[i];
    flg_spatial own = {0};
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      own = flg_spatial_add_scaled(own, x[k], dynamics->coordinates[k].direction);
    }
    if (link->node >= 0) own = flg_flex_carried(dynamics, i, x);
    moved = flg_spatial_add(moved, flg_spatial_shift_motion(own, offset));
    offset = flg_vec3_add(offset, dynamics->motions[i].arm);
  }
  return moved;
}

flg_spatial flg_dynamics_link_force(const flg_dynamics *dynamics, const flg_link_anchor *frame,
                                    flg_spatial force) {
  return flg_spatial_shift_force(force, flg_vec3_negate(offset_of(dynamics, frame)));
}

/* J^T force without J: the force is carried from joint to joint towards the world */
void flg_dynamics_frame_force(const flg_dynamics *dynamics, const flg_link_anchor *frame,
                              flg_spatial force, double *f) {
  const flg_robot *robot = dynamics->robot;
  flg_spatial carried = flg_dynamics_link_force(dynamics, frame, force);
  for (int i = frame->link; i != FLG_WORLD; i = robot->links[i].parent) {
    const flg_link *link = &robot->links[i];
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      f[k] += flg_spatial_dot(dynamics->coordinates[k].direction, carried);
    }
    if (link->node >= 0) flg_flex_load(dynamics, i, carried, f);
    carried = flg_spatial_shift_force(carried, flg_vec3_negate(dynamics->motions[i].arm));
  }
}
