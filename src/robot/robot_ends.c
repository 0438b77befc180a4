/* Joints that rest on an end of their range, in models of what comes next. */
#include "robot/robot_ends.h"

#include <math.h>
#include <string.h>

#include "robot/robot_contacts_inner.h"
#include "robot/robot_forces.h"
#include "robot/robot_step.h"

/* a joint that rests on an end is off by rounding alone */
static const double ROUNDED = 1e-12;
/* of a velocity: what an end leaves of it was foreseen */
static const double SAME = 1e-6;
/* of the way of a step: an end that is farther away is not reached, whatever comes from outside */
static const double REACH = 4;

typedef struct flg_robot_touch touching;

/* but for rounding: below 0, above 1, or -1 */
static int end_reached(const flg_joint_range *limit, double q) {
  /* q may be many turns away from zero: then its own rounding is the larger one. */
  const double near = ROUNDED * fmax(limit->length, fabs(q));
  return q <= limit->lower + near ? 0 : q >= limit->upper - near ? 1 : -1;
}

/* Steps of several stages close ends only where they must: a push may be of long ago. */
static bool is_at_end(const flg_robot_subsystem *robot, const flg_joint_range *limit) {
  return flg_integrator_kicks(robot->integrator) ||
         end_reached(limit, robot->q[limit->position]) >= 0;
}

static bool has_pushed(const touching *touch, const flg_joint_range *limit) {
  return flg_contacts_stop_pushed(touch->contacts, 2 * limit->joint) ||
         flg_contacts_stop_pushed(touch->contacts, 2 * limit->joint + 1);
}

void flg_robot_hold_ends(flg_robot_subsystem *robot) {
  touching *touch = robot->touch;
  for (int k = 0; touch != NULL && k < touch->limit_count; k++) {
    const flg_joint_range *limit = &touch->limits[k];
    double *locked = &robot->locked[limit->velocity];
    /* The result of a tried step counts; without one, joints that pushed in the last step stay at
     * rest. */
    const bool rests = touch->knows_ends ? touch->ends[k].pushes
                                         : is_at_end(robot, limit) && has_pushed(touch, limit);
    touch->resting[k] = !isinf(*locked) && rests;
    if (touch->resting[k]) *locked = INFINITY;
  }
}

void flg_robot_let_go_of_ends(flg_robot_subsystem *robot) {
  touching *touch = robot->touch;
  for (int k = 0; touch != NULL && k < touch->limit_count; k++) {
    if (touch->resting[k]) robot->locked[touch->limits[k].velocity] = 0;
    touch->resting[k] = false;
  }
}

void flg_robot_forget_ends(flg_robot_subsystem *robot) {
  if (robot->touch != NULL) robot->touch->knows_ends = false;
}

bool flg_robot_has_ends(const flg_robot_subsystem *robot) {
  return robot->touch != NULL && robot->touch->limit_count > 0;
}

/* The range of a joint, or 1 rad, or the length of the robot if that is more. */
static double size_of_range(const flg_robot_subsystem *robot, const flg_joint_range *limit) {
  const bool slides = robot->model->joints[limit->joint].kind == FLG_JOINT_PRISMATIC;
  const double least = slides ? flg_robot_length(&robot->robot) : 1;
  return fmax(limit->upper - limit->lower, least);
}

double flg_robot_past_ends(const flg_robot_subsystem *robot, const char **joint) {
  const touching *touch = robot->touch;
  double most = 0;
  for (int k = 0; touch != NULL && k < touch->limit_count; k++) {
    const flg_joint_range *limit = &touch->limits[k];
    /* As a share of the range: radians and metres of several joints are compared. */
    const double q = robot->q[limit->position], past = fmax(limit->lower - q, q - limit->upper);
    if (!(past > 0)) continue;
    const double share = past / size_of_range(robot, limit);
    if (!(share > most)) continue; /* also where the range has one end */
    most = share;
    if (joint != NULL) *joint = limit->name;
  }
  return most;
}

bool flg_robot_is_near_end(const flg_robot_subsystem *robot, double h) {
  const touching *touch = robot->touch;
  for (int k = 0; touch != NULL && k < touch->limit_count; k++) {
    const flg_joint_range *limit = &touch->limits[k];
    const double q = robot->q[limit->position], v = robot->v[limit->velocity];
    const double gap = fmin(q - limit->lower, limit->upper - q);
    /* A locked joint does not reach its end. */
    if (isinf(robot->locked[limit->velocity])) continue;
    if (gap <= REACH * h * fabs(v) || has_pushed(touch, limit)) return true;
  }
  return false;
}

void flg_robot_note_ends(flg_robot_subsystem *robot) {
  touching *touch = robot->touch;
  for (int k = 0; k < touch->limit_count; k++) {
    const flg_joint_range *limit = &touch->limits[k];
    const bool rests = touch->knows_ends ? touch->ends[k].pushes
                                         : is_at_end(robot, limit) && has_pushed(touch, limit);
    const double speed = touch->knows_ends ? touch->ends[k].speed : robot->v[limit->velocity];
    touch->ends[k] = (flg_joint_end){rests, speed};
  }
}

bool flg_robot_ends_differ(flg_robot_subsystem *robot, double h) {
  touching *touch = robot->touch;
  bool differs = false;
  for (int k = 0; k < touch->limit_count; k++) {
    const flg_joint_range *limit = &touch->limits[k];
    const flg_joint_end was = touch->ends[k],
                        is = {has_pushed(touch, limit), robot->v[limit->velocity]};
    /* Speeds near zero differ by rounding: what moves a joint by less than ROUNDED in h is no
     * difference. */
    const double size = SAME * (fabs(was.speed) + fabs(is.speed)) + ROUNDED * limit->length / h;
    if (was.pushes != is.pushes || (is.pushes && fabs(was.speed - is.speed) > size)) {
      differs = true;
    }
    touch->ends[k] = is;
  }
  touch->knows_ends = true;
  return differs;
}

bool flg_robot_stop_at_ends(flg_robot_subsystem *robot) {
  const touching *touch = robot->touch;
  bool stops = false;
  if (touch == NULL || !touch->knows_ends) return false;
  for (int k = 0; k < touch->limit_count; k++) {
    if (!touch->resting[k]) continue;
    robot->v[touch->limits[k].velocity] -= touch->ends[k].speed;
    stops = true;
  }
  if (!stops) return false;
  /* The velocities without the ends' speeds, made consistent with locked joints; then those are
   * put back. */
  flg_robot_project_resisting(robot);
  for (int k = 0; k < touch->limit_count; k++) {
    if (touch->resting[k]) robot->v[touch->limits[k].velocity] = touch->ends[k].speed;
  }
  return true;
}

/* Forces on ports may be much more than a joint bears without its end: velocities after forces
 * alone are then no measure of those in between. */
bool flg_robot_kick_at_ends(flg_robot_subsystem *robot, double time, double h, double *free) {
  touching *touch = robot->touch;
  const flg_kick_guess *known = flg_robot_guess(robot);
  double *struck = touch->response;
  const int n = robot->robot.velocity_count;
  if (known == NULL || !touch->knows_ends) return false;
  flg_robot_hold_ends(robot);
  memcpy(struck, robot->v, (size_t)n * sizeof *struck);
  const bool stops = flg_robot_stop_at_ends(robot);
  for (int k = 0; k < n; k++) {
    const double left = robot->v[k];
    robot->v[k] = struck[k];
    struck[k] = left - struck[k];
  }
  const flg_kick_guess guess = {false, known->is_inertial, known->gain, struck};
  if (stops) {
    flg_integrator_kick(robot->integrator, time, h, robot->q, robot->v, &guess, free);
  }
  flg_robot_let_go_of_ends(robot);
  if (stops) flg_integrator_kick_again(robot->integrator, time, h, robot->q, robot->v, free);
  return stops;
}

int flg_robot_foresee_ends(const flg_robot_subsystem *robot, double *before) {
  const touching *touch = robot->touch;
  if (touch == NULL) return 0;
  double *memory = before + robot->state_count - flg_contacts_numbers(touch->contacts);
  int count = 0;
  if (!flg_contacts_is_new(memory)) return 0;
  for (int k = 0; k < touch->limit_count; k++) {
    const flg_joint_range *limit = &touch->limits[k];
    const int end = end_reached(limit, before[robot->q - robot->state + limit->position]);
    if (end < 0) continue;
    count += flg_contacts_add_stop(touch->contacts, 2 * limit->joint + end, memory);
  }
  return count;
}
