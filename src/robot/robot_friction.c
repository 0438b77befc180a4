#include "robot/robot_friction.h"

#include <math.h>
#include <string.h>

#include "base/tolerances.h"
#include "limits/limit.h"
#include "limits/search.h"
#include "robot/robot_contacts_inner.h"
#include "robot/robot_forces.h"
#include "robot/robot_step.h"

/* Of the creep that secants leave (robot.h): what sticks creeps by no more, 1e-9 of the speed that
 * friction takes from a joint in a step. Less would be lost in the rounding of what else the joint
 * does. */
static const double STICKS = 3e-5;
/* The same of robots that can touch, 1e-6 of that speed: how links yield spans so many powers of
 * ten in the equations of contacts, which are solved to 1e-9 or so. */
static const double STICKS_TOUCHING = 0.03;

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

void flg_robot_friction_touch(flg_robot_subsystem *robot) {
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    robot->creeps[k] *= STICKS_TOUCHING / STICKS;
  }
}

/* whether a kick knows all that acts on joints */
static bool is_free(const flg_robot_subsystem *robot) {
  return robot->rubs && robot->ports.count == 0;
}

/* --- the search ---------------------------------------------------------------------------------
 */

typedef struct kicks {
  flg_robot_subsystem *robot;
  double time, h;
  const flg_kick_guess *guess;
  double *free;
  double *after;    /* with contacts and ends; free, where there are none to close */
  flg_error *error; /* of the last solve */
} kicks;

static flg_status kick(void *host) {
  const kicks *of = host;
  flg_robot_subsystem *robot = of->robot;
  flg_integrator_kick(robot->integrator, of->time, of->h, robot->q, robot->v, of->guess, of->free);
  if (of->after == of->free) return FLG_OK;
  const flg_status status = flg_robot_contacts_close(robot, of->time, of->h, of->error);
  if (status == FLG_OK) flg_robot_contacts_after(robot, of->after);
  return status;
}

static int mode_of(const void *host, int index) {
  return (int)((const kicks *)host)->robot->slips[index];
}

static int judge(const void *host, int index) {
  const kicks *of = host;
  const flg_robot_subsystem *robot = of->robot;
  const double bound = robot->frictions[index], after = of->after[index];
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

void flg_robot_friction_rest(const flg_robot_subsystem *robot, double *v) {
  if (!robot->rests) return;
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    if (robot->frictions[k] > 0 && robot->slips[k] == 0) v[k] = 0;
  }
}

/* Without a set that keeps all laws it is a kick with secants. */
static flg_status find(kicks *of) {
  flg_robot_subsystem *robot = of->robot;
  bool is_solved = false;
  start(robot, of->h);
  robot->knows_slips = true;
  const flg_status status = flg_limits_search(&ops, of, robot->robot.velocity_count, &is_solved);
  robot->knows_slips = false;
  robot->rests = status == FLG_OK && is_solved;
  if (!robot->rests) return kick(of);
  flg_robot_friction_rest(robot, of->free);
  return FLG_OK;
}

static flg_status kick_rubbing(kicks *of) {
  of->robot->rests = false;
  return is_free(of->robot) ? find(of) : kick(of);
}

void flg_robot_friction_kick(flg_robot_subsystem *robot, double time, double h,
                             const flg_kick_guess *guess, double *free) {
  (void)kick_rubbing(&(kicks){robot, time, h, guess, free, free, NULL});
}

flg_status flg_robot_friction_close(flg_robot_subsystem *robot, double time, double h, double *free,
                                    flg_error *error) {
  kicks of = {robot, time, h, flg_robot_guess(robot), free, robot->touch->after, error};
  return kick_rubbing(&of);
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
  kicks of = {robot, time, h, NULL, robot->trees.free, robot->trees.free, NULL};
  robot->knows_slips = false;
  if (!is_free(robot)) {
    flg_robot_rub_begin(robot, h);
    return;
  }
  robot->implicit = h;
  (void)find(&of);
  robot->knows_slips = robot->rests;
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
