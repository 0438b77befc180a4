#include "model/robot.h"

/* where in the positions of a link its quaternion begins, -1 if it has none */
static int quaternion_of(const flg_link *link) {
  if (link->kind == FLG_JOINT_BALL) return 0;
  return link->kind == FLG_JOINT_FLOATING ? 3 : -1;
}

/* Only links on the world know where the robot stands: all others are relative to their parents. */
void flg_robot_place(flg_robot *robot, const flg_pose *pose) {
  for (int k = 0; k < robot->link_count; k++) {
    flg_link *link = &robot->links[k];
    if (link->parent == FLG_WORLD) link->placement = flg_pose_compose(pose, &link->placement);
  }
  for (int k = 0; k < robot->body_count; k++) {
    flg_link_anchor *anchor = &robot->anchors[k];
    if (anchor->link == FLG_WORLD) anchor->pose = flg_pose_compose(pose, &anchor->pose);
  }
}

/* All zeros but for quaternions: 0 0 0 0 is no rotation, 1 0 0 0 is the identity. */
void flg_robot_zero(const flg_robot *robot, double *q) {
  for (int k = 0; k < robot->position_count; k++) q[k] = 0;
  for (int i = 0; i < robot->link_count; i++) {
    const int offset = quaternion_of(&robot->links[i]);
    if (offset >= 0) q[robot->links[i].position + offset] = 1;
  }
}

static flg_quat load_quaternion(const double *from) {
  return (flg_quat){from[0], from[1], from[2], from[3]};
}

static void store_quaternion(flg_quat q, double *to) {
  to[0] = q.w;
  to[1] = q.x;
  to[2] = q.y;
  to[3] = q.z;
}

void flg_robot_integrate(const flg_robot *robot, const double *q, const double *v, double h,
                         double *q_next) {
  const int n = robot->position_count;
  if (n == robot->velocity_count) { /* no quaternion */
    for (int k = 0; k < n; k++) q_next[k] = q[k] + h * v[k];
    return;
  }
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    const int offset = quaternion_of(link), straight = offset >= 0 ? offset : link->velocity_count;
    const double *from = q + link->position, *speed = v + link->velocity;
    double *to = q_next + link->position;
    for (int k = 0; k < straight; k++) to[k] = from[k] + h * speed[k];
    if (offset < 0) continue;
    /* Turned about w exactly (exponential map): the norm stays 1 however long the step is. */
    const flg_vec3 w = flg_vec3_load(speed + offset);
    store_quaternion(flg_quat_integrate_body(load_quaternion(from + offset), w, h), to + offset);
  }
  for (int i = 0; i < robot->flex_count; i++) {
    const flg_flex *flex = &robot->flexes[i];
    const double *from = q + flex->position, *speed = v + flex->velocity;
    for (int k = 0; k < flex->body.modes; k++) {
      q_next[flex->position + k] = from[k] + h * speed[k];
    }
  }
}

/* q' rather than q: adaptive integration sees quaternions as plain numbers and needs their
 * rates. */
void flg_robot_rate(const flg_robot *robot, const double *q, const double *v, double *rate) {
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    const int offset = quaternion_of(link), straight = offset >= 0 ? offset : link->velocity_count;
    const double *from = q + link->position, *speed = v + link->velocity;
    double *to = rate + link->position;
    for (int k = 0; k < straight; k++) to[k] = speed[k];
    if (offset < 0) continue;
    const double *w = speed + offset;
    const flg_quat half = {0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
    store_quaternion(flg_quat_multiply(load_quaternion(from + offset), half), to + offset);
  }
  for (int i = 0; i < robot->flex_count; i++) {
    const flg_flex *flex = &robot->flexes[i];
    for (int k = 0; k < flex->body.modes; k++) rate[flex->position + k] = v[flex->velocity + k];
  }
}

void flg_robot_normalise(const flg_robot *robot, double *q) {
  for (int i = 0; i < robot->link_count; i++) {
    const int offset = quaternion_of(&robot->links[i]);
    if (offset < 0) continue;
    double *own = q + robot->links[i].position + offset;
    store_quaternion(flg_quat_normalise(load_quaternion(own)), own);
  }
}
