#include "robot/robot_friction.h"

#include <math.h>
#include <string.h>

#include "limits/search.h"
#include "robot/robot_contacts_inner.h"
#include "robot/robot_ends.h"
#include "robot/robot_forces.h"
#include "robot/robot_step.h"

/* Of the creep that secants leave (robot.h): what sticks creeps by no more, 1e-9 of the speed that
 * friction takes from a joint in a step. Less would be lost in the rounding of what else the joint
 * does. */
static const double STICKS = 3e-5;
/* The same of robots that can touch or are joined to others, 1e-6 of that speed: how links yield
 * spans so many powers of ten in the equations of contacts and interfaces, which are solved to 1e-9
 * or so. */
static const double STICKS_JOINED = 0.03;

/* The velocity that friction takes from a joint in a step, in units of the creep of secants: 1 /
 * CREEP of model/robot.c. */
static const double STOPS = 3e4;

static void find_creeps(flg_robot_subsystem *robot, double sticks) {
  for (int i = 0; i < robot->robot.link_count; i++) {
    const flg_link *link = &robot->robot.links[i];
    for (int k = 0; k < link->velocity_count; k++) {
      const double friction = robot->model->joints[link->joint].friction;
      robot->frictions[link->velocity + k] = friction;
      robot->creeps[link->velocity + k] = sticks * flg_robot_creep(link, k, friction);
    }
  }
}

void flg_robot_friction_build(flg_robot_subsystem *robot) {
  find_creeps(robot, STICKS);
}

void flg_robot_friction_join(flg_robot_subsystem *robot) {
  find_creeps(robot, STICKS_JOINED);
}

flg_inner_friction flg_robot_friction_of(flg_robot_subsystem *robot, int velocity) {
  return (flg_inner_friction){velocity, robot->frictions[velocity], robot->creeps[velocity],
                              &robot->slips[velocity], &robot->held[velocity]};
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

static flg_status kick_robot(void *host) {
  const kicks *of = host;
  flg_robot_subsystem *robot = of->robot;
  const bool closes = of->after != of->free;
  if (!closes || !flg_robot_kick_at_ends(robot, of->time, of->h, of->free)) {
    flg_integrator_kick(robot->integrator, of->time, of->h, robot->q, robot->v, of->guess,
                        of->free);
  }
  if (!closes) return FLG_OK;
  const flg_status status = flg_robot_contacts_close(robot, of->time, of->h, of->error);
  if (status == FLG_OK) flg_robot_contacts_after(robot, of->after);
  return status;
}

static int mode_of_friction(const void *host, int index) {
  return (int)((const kicks *)host)->robot->slips[index];
}

static int judge_joint_friction(const void *host, int index) {
  const kicks *of = host;
  flg_robot_subsystem *robot = of->robot;
  if (!(robot->frictions[index] > 0) || isinf(robot->locked[index]))
    return mode_of_friction(host, index);
  const flg_inner_friction friction = flg_robot_friction_of(robot, index);
  return flg_inner_friction_judge(&friction, robot->v[index], of->after[index], of->h);
}

static void change_friction(void *host, int index, int mode, bool is_alone) {
  (void)is_alone;
  ((const kicks *)host)->robot->slips[index] = mode;
}

/* what sticks yields by its creep, always */
static void yield_by_creep(void *host, bool yields) {
  (void)host, (void)yields;
}

static const flg_limit_ops ops = {kick_robot, mode_of_friction, judge_joint_friction,
                                  change_friction, yield_by_creep};

static void start_frictions(flg_robot_subsystem *robot, double h) {
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    const flg_inner_friction friction = flg_robot_friction_of(robot, k);
    robot->slips[k] = flg_inner_friction_start(&friction, robot->v[k], h);
  }
}

void flg_robot_friction_rest(const flg_robot_subsystem *robot, double *v) {
  if (!robot->rests) return;
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    if (robot->frictions[k] > 0 && robot->slips[k] == 0) v[k] = 0;
  }
}

/* for those that it is joined to: what friction has done in a step that is not taken back */
static void note_step(const kicks *of) {
  flg_robot_subsystem *robot = of->robot;
  for (int k = 0; k < robot->robot.velocity_count && !robot->is_tried; k++) {
    const flg_inner_friction friction = flg_robot_friction_of(robot, k);
    if (!(friction.bound > 0)) continue;
    if (robot->slips[k] != 0) robot->let_go[k] = robot->slips[k];
    robot->rubbed[k] = robot->slips[k] != 0
                           ? -robot->slips[k] * of->h * friction.bound
                           : flg_inner_friction_impulse(&friction, of->after[k], of->h);
  }
}

/* Without a set that keeps all laws it is a kick with secants. */
static flg_status find_friction(kicks *of) {
  flg_robot_subsystem *robot = of->robot;
  bool is_solved = false;
  start_frictions(robot, of->h);
  robot->knows_slips = true;
  const flg_status status = flg_limits_search(&ops, of, robot->robot.velocity_count, &is_solved);
  robot->knows_slips = false;
  robot->rests = status == FLG_OK && is_solved;
  if (!robot->rests) return kick_robot(of);
  note_step(of);
  flg_robot_friction_rest(robot, of->free);
  return FLG_OK;
}

static bool is_as_wanted(const flg_robot_subsystem *robot) {
  const size_t bytes = (size_t)robot->robot.velocity_count * sizeof(double);
  return memcmp(robot->wanted, robot->slips, bytes) == 0;
}

/* with the set that the model of this step had; which set the laws ask for after it */
static flg_status kick_as_modelled(kicks *of) {
  flg_robot_subsystem *robot = of->robot;
  robot->knows_slips = true;
  const flg_status status = kick_robot(of);
  robot->knows_slips = false;
  if (status != FLG_OK) return status;
  for (int k = 0; k < robot->robot.velocity_count; k++)
    robot->wanted[k] = judge_joint_friction(of, k);
  robot->rests = true;
  note_step(of);
  flg_robot_friction_rest(robot, of->free);
  return FLG_OK;
}

static flg_status kick_rubbing(kicks *of) {
  of->robot->rests = false;
  if (!of->robot->rubs || of->robot->has_secants) return kick_robot(of);
  if (!of->robot->has_slips) return find_friction(of);
  const flg_status status = kick_as_modelled(of);
  /* models that never agree would let friction push on */
  return status != FLG_OK || of->robot->is_tried || is_as_wanted(of->robot) ? status
                                                                            : find_friction(of);
}

/* --- models -------------------------------------------------------------------------------------
 */

bool flg_robot_friction_is_modelled(const flg_robot_subsystem *robot, double time) {
  return robot->has_slips && robot->slips_time == time;
}

void flg_robot_friction_model(flg_robot_subsystem *robot, double time, double h) {
  if (!robot->rubs || !flg_integrator_kicks(robot->integrator)) return;
  if (!flg_robot_friction_is_modelled(robot, time)) start_frictions(robot, h);
  robot->slips_time = time;
  robot->has_slips = robot->knows_slips = true;
}

bool flg_robot_friction_differs(flg_robot_subsystem *robot) {
  if (!robot->has_slips || is_as_wanted(robot)) return false;
  memcpy(robot->slips, robot->wanted, (size_t)robot->robot.velocity_count * sizeof(double));
  return true;
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

/* --- models for longer --------------------------------------------------------------------------
 */

bool flg_robot_friction_is_loose(const flg_robot_subsystem *robot) {
  return robot->rubs && robot->loose_time == robot->model_time &&
         robot->loose_tau == robot->model_tau;
}

void flg_robot_friction_foresee(flg_robot_subsystem *robot, double time, double tau) {
  const size_t bytes = (size_t)robot->robot.velocity_count * sizeof(double);
  if (!robot->rubs) return;
  robot->model_time = time, robot->model_tau = tau;
  robot->has_loose = flg_robot_friction_is_loose(robot);
  if (!robot->has_loose) memset(robot->loose, 0, bytes);
  memset(robot->let_go, 0, bytes);
}

/* A joint that is so slow that friction stops it within tau has a secant that holds it against any
 * blow. It is right where the joint comes to rest. */
static double way_until_rest(const flg_robot_subsystem *robot, int k, double v) {
  const double creep = robot->model_tau * robot->creeps[k] / STICKS_JOINED;
  if (fabs(v) <= creep) return robot->let_go[k];
  return fabs(v) < STOPS * creep ? robot->slips[k] : 0;
}

int flg_robot_friction_loosen(flg_robot_subsystem *robot, const double *v) {
  int count = 0;
  for (int k = 0; k < robot->robot.velocity_count && robot->rubs; k++) {
    const double way =
        robot->loose[k] != 0 || !(robot->frictions[k] > 0) ? 0 : way_until_rest(robot, k, v[k]);
    if (way == 0) continue;
    robot->loose[k] = way;
    count++;
  }
  if (count > 0) robot->loose_time = robot->model_time, robot->loose_tau = robot->model_tau;
  return count;
}

static double secant_creep(const flg_robot_subsystem *robot, int k) {
  return robot->implicit * robot->creeps[k] / STICKS_JOINED;
}

/* what slips has the friction of its step, and no more */
bool flg_robot_friction_is_open(const flg_robot_subsystem *robot, int velocity) {
  return robot->wanted[velocity] != 0 || fabs(robot->v[velocity]) > secant_creep(robot, velocity);
}

void flg_robot_friction_close_all(flg_robot_subsystem *robot) {
  memset(robot->wanted, 0, (size_t)robot->robot.velocity_count * sizeof(double));
}

/* what the secant of a joint does about a change of its speed */
static double resistance_to(const flg_robot_subsystem *robot, int k, double dv) {
  if (!(robot->frictions[k] > 0) || robot->loose[k] != 0) return 0;
  if (flg_robot_friction_is_open(robot, k)) return 0;
  return -robot->implicit * robot->frictions[k] * dv / secant_creep(robot, k);
}

bool flg_robot_friction_gives_way(flg_robot_subsystem *robot, const double *dv) {
  bool any = false;
  for (int k = 0; k < robot->robot.velocity_count && robot->rubs && robot->implicit > 0; k++) {
    const double more = resistance_to(robot, k, dv[k]), held = robot->rubbed[k] + more;
    const flg_inner_friction friction = flg_robot_friction_of(robot, k);
    const int way = more == 0 ? 0 : flg_inner_friction_hold(&friction, held, robot->implicit);
    if (way == 0) continue;
    robot->wanted[k] = robot->let_go[k] = way;
    any = true;
  }
  return any;
}

void flg_robot_friction_note(flg_robot_subsystem *robot, const double *dv) {
  for (int k = 0; k < robot->robot.velocity_count && robot->rubs && robot->implicit > 0; k++) {
    robot->rubbed[k] += resistance_to(robot, k, dv[k]);
  }
}

/* --- stages -------------------------------------------------------------------------------------
 */

/* what sticks from the start is locked; what comes to rest in the step slips on until then */
static void hold_sticking(flg_robot_subsystem *robot, double h) {
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
  if (robot->ports.count > 0) {
    flg_robot_rub_begin(robot, h);
    return;
  }
  robot->implicit = h;
  (void)find_friction(&of);
  robot->knows_slips = robot->rests;
  robot->implicit = 0;
  if (robot->knows_slips) {
    hold_sticking(robot, h);
  } else {
    flg_robot_rub_begin(robot, h);
  }
}

/* stops what turned round; rubbing: infinite where it was held */
static void stop_reversed(flg_robot_subsystem *robot) {
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
  stop_reversed(robot);
}
