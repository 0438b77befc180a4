#include "robot/robot_limits.h"

#include <math.h>
#include <stdio.h>

#include "math/identity.h"

/* Of the length of a joint's range: a start that is further outside is a mistake; rounded angles
 * are not. */
static const double OUTSIDE = 1e-3;
/* An end that is nearer than this part of it has a row in any case. */
static const double NEAR = 1e-3;

/* Angles have 1 rad, slides the way between their ends. */
static double length_of(const flg_joint *joint) {
  const double range = joint->upper - joint->lower;
  if (joint->kind != FLG_JOINT_PRISMATIC) return 1;
  return isfinite(range) ? range : 0;
}

static bool has_end(const flg_joint *joint) {
  return flg_joint_kind_velocities(joint->kind) == 1 &&
         flg_joint_kind_positions(joint->kind) == 1 &&
         (isfinite(joint->lower) || isfinite(joint->upper));
}

static void check_start(const flg_robot_subsystem *robot, const flg_robot_limit *limit,
                        flg_mistakes *mistakes) {
  const flg_joint *joint = &robot->model->joints[limit->joint];
  const double q = robot->q[limit->position];
  const double outside = OUTSIDE * (limit->length > 0 ? limit->length : 1);
  if (q >= limit->lower - outside && q <= limit->upper + outside) return;
  const double angle = q * acos(-1) / 180;
  char degrees[64] = "";
  if (joint->kind != FLG_JOINT_PRISMATIC && angle >= limit->lower && angle <= limit->upper) {
    snprintf(degrees, sizeof degrees, " (degrees are written '%.6g deg')", q);
  }
  flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place,
                  "joint '%s' of '%s' starts at %.6g%s, outside of its limits %.6g .. %.6g; give "
                  "another 'initial:', or write 'limits: ignored'",
                  joint->name, robot->options.name, q, degrees, limit->lower, limit->upper);
}

int flg_robot_limits_find(const flg_robot_subsystem *robot, flg_robot_limit *limits,
                          flg_mistakes *mistakes) {
  int count = 0;
  if (robot->options.ignores_limits) return 0;
  for (int k = 0; k < robot->model->joint_count; k++) {
    const flg_joint *joint = &robot->model->joints[k];
    if (!has_end(joint)) continue;
    const flg_link *link = &robot->robot.links[robot->robot.joint_links[k]];
    limits[count] = (flg_robot_limit){
        k, link->position, link->velocity, joint->lower, joint->upper, length_of(joint)};
    check_start(robot, &limits[count++], mistakes);
  }
  return count;
}

uint64_t flg_robot_limits_identity(const flg_robot_limit *limits, int count, uint64_t seed) {
  uint64_t hash = seed;
  for (int k = 0; k < count; k++) {
    const double ends[] = {limits[k].lower, limits[k].upper};
    hash = flg_identity_reals(flg_identity_integers(hash, &limits[k].joint, 1), ends, 2);
  }
  return hash;
}

double flg_robot_limit_reach(const flg_robot_limit *limit, double h, double before, double after) {
  return NEAR * limit->length + 2 * h * (fabs(before) + fabs(after));
}

int flg_robot_limit_stops(const flg_robot_limit *limit, double q, double reach,
                          const flg_touch_stop *at, flg_touch_stop *stops) {
  const double gaps[2] = {q - limit->lower, limit->upper - q};
  int count = 0;
  for (int k = 0; k < 2; k++) {
    if (!(gaps[k] < reach)) continue;
    flg_touch_stop *stop = &stops[count++];
    *stop = *at;
    stop->sign = k == 0 ? 1 : -1, stop->gap = gaps[k], stop->number = at->number + k;
    stop->length = limit->length;
  }
  return count;
}
