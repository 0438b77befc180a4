#include "robot/robot_friction.h"

#include <math.h>
#include <string.h>

#include "base/tolerances.h"
#include "limits/limit.h"
#include "limits/search.h"
#include "robot/robot_contacts_inner.h"
#include "robot/robot_ends.h"
#include "robot/robot_forces.h"

/* Of the creep that secants leave (robot.h): what sticks creeps by no more, 1e-9 of the speed that
 * friction takes from a joint in a step. Less would be lost in the rounding of what else the joint
 * does. */
static const double STICKS = 3e-5;

void flg_robot_friction_build(flg_robot_subsystem *robot) {
  for (int i = 0; i < robot->robot.link_count; i++) {
    const flg_link *link = &robot->robot.links[i];
    for (int k = 0; k < link->velocity_count; k++) {
      const double friction = robot->model->joints[link->joint].friction;
      robot->frictions[link->velocity + k] = friction;
      robot->creeps[link->velocity + k] = STICKS * flg_robot_creep(link, k, friction);
    }
  }
}

/* whether a kick knows all that acts on joints */
static bool is_free(const flg_robot_subsystem *robot, double h) {
  const struct flg_robot_touch *touch = robot->touch;
  if (!robot->rubs || robot->ports.count > 0) return false;
  return touch == NULL || (touch->port_count == 0 && !flg_robot_is_near_end(robot, h));
}

/* --- the search ---------------------------------------------------------------------------------
 */

typedef struct kicks {
  flg_robot_subsystem *robot;
  double time, h;
  const flg_kick_guess *guess;
  double *free;
} kicks;

static flg_status kick(void *host) {
  const kicks *of = host;
  flg_robot_subsystem *robot = of->robot;
  flg_integrator_kick(robot->integrator, of->time, of->h, robot->q, robot->v, of->guess, of->free);
  return FLG_OK;
}

static int mode_of(const void *host, int index) {
  return (int)((const kicks *)host)->robot->slips[index];
}

static int judge(const void *host, int index) {
  const kicks *of = host;
  const flg_robot_subsystem *robot = of->robot;
  const double bound = robot->frictions[index], after = of->free[index];
  if (!(bound > 0) || isinf(robot->locked[index])) return mode_of(host, index);
  const flg_component_friction friction = {.coulomb = bound, .stiction = bound};
  const flg_limit_seen seen = {
      .mode = mode_of(host, index),
      .before = robot->v[index],
      .after = after,
      .travel = after,
      .impulse = -bound * after / robot->creeps[index],
      .kick = of->h,
      .rounding = {FLG_RATE_ROUNDING * fabs(robot->v[index]), FLG_RATE_ROUNDING * of->h * bound}};
  return flg_friction_judge(&friction, &seen);
}

static void change(void *host, int index, int mode, bool is_alone) {
  (void)is_alone;
  ((const kicks *)host)->robot->slips[index] = mode;
}

/* what sticks yields by its creep, always */
static void yield(void *host, bool yields) {
  (void)host, (void)yields;
}

static const flg_limit_ops ops = {kick, mode_of, judge, change, yield};

/* what is faster than it may creep slips */
static void start(flg_robot_subsystem *robot, double h) {
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    const double v = robot->v[k];
    const bool sticks = !(robot->frictions[k] > 0) || fabs(v) <= h * robot->creeps[k];
    robot->slips[k] = sticks ? 0 : v > 0 ? 1 : -1;
  }
}

/* what sticks is at rest: what it crept is taken out */
static void rest(const kicks *of) {
  const flg_robot_subsystem *robot = of->robot;
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    if (robot->frictions[k] > 0 && robot->slips[k] == 0) of->free[k] = 0;
  }
}

/* false: no set was found, and free is that of secants */
static bool find(kicks *of) {
  flg_robot_subsystem *robot = of->robot;
  bool is_solved;
  start(robot, of->h);
  robot->knows_slips = true;
  (void)flg_limits_search(&ops, of, robot->robot.velocity_count, &is_solved);
  robot->knows_slips = false;
  if (is_solved) {
    rest(of);
  } else {
    (void)kick(of);
  }
  return is_solved;
}

void flg_robot_friction_kick(flg_robot_subsystem *robot, double time, double h,
                             const flg_kick_guess *guess, double *free) {
  kicks of = {robot, time, h, guess, free};
  if (is_free(robot, h)) {
    (void)find(&of);
  } else {
    (void)kick(&of);
  }
}

/* --- stages -------------------------------------------------------------------------------------
 */

/* what sticks from the start is locked; what comes to rest in the step slips on until then */
static void hold(flg_robot_subsystem *robot, double h) {
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    const double v = robot->v[k];
    robot->rubbing[k] = 0;
    if (!(robot->frictions[k] > 0) || robot->slips[k] != 0 || isinf(robot->locked[k])) continue;
    if (fabs(v) > h * robot->creeps[k]) {
      robot->slips[k] = v > 0 ? 1 : -1;
      continue;
    }
    robot->v[k] = 0;
    robot->locked[k] = robot->rubbing[k] = INFINITY;
  }
}

void flg_robot_friction_begin(flg_robot_subsystem *robot, double time, double h) {
  kicks of = {robot, time, h, NULL, robot->trees.free};
  robot->knows_slips = false;
  if (!is_free(robot, h)) {
    flg_robot_rub_begin(robot, h);
    return;
  }
  robot->implicit = h;
  robot->knows_slips = find(&of);
  robot->implicit = 0;
  if (robot->knows_slips) {
    hold(robot, h);
  } else {
    flg_robot_rub_begin(robot, h);
  }
}

/* stops what turned round; rubbing: infinite where it was held */
static void stop(flg_robot_subsystem *robot) {
  bool any = false;
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    if (isinf(robot->rubbing[k])) robot->locked[k] = 0;
    const bool turned = robot->slips[k] * robot->v[k] < 0;
    any = any || turned;
    robot->rubbing[k] = turned || isinf(robot->rubbing[k]) ? (double)INFINITY : robot->locked[k];
  }
  if (any) flg_robot_project(robot, robot->rubbing);
}

void flg_robot_friction_end(flg_robot_subsystem *robot, double h) {
  if (!robot->knows_slips) {
    flg_robot_rub_end(robot, h);
    return;
  }
  robot->knows_slips = false;
  stop(robot);
}
