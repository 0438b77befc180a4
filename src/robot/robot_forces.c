#include "robot/robot_forces.h"

#include <math.h>
#include <string.h>

#include "base/tolerances.h"
#include "robot/robot_coupled.h"
#include "robot/robot_friction.h"

size_t flg_robot_drive_numbers(const flg_robot *robot) {
  return FLG_DRIVE_FORCES + (size_t)robot->velocity_count;
}

double *flg_robot_drive(const flg_robot_subsystem *subsystem, int controller) {
  return subsystem->drives + (size_t)controller * flg_robot_drive_numbers(&subsystem->robot);
}

static bool are_finite(const double *values, int count) {
  for (int k = 0; k < count; k++) {
    if (!isfinite(values[k])) return false;
  }
  return true;
}

/* Keeps the first controller that makes forces of a finite state which are not, until it makes
 * finite ones: a step may have been tried and taken back. */
static void note_forces(flg_robot_subsystem *subsystem, const flg_controller *controller,
                        double time, const double *q, const double *v, const double *f) {
  int k = 0;
  while (k < controller->count && isfinite(f[controller->velocities[k]])) k++;
  if (k == controller->count) {
    if (subsystem->lost == controller && subsystem->spoilt[0] == '\0') subsystem->lost = NULL;
    return;
  }
  if (subsystem->lost != NULL || !are_finite(q, subsystem->robot.position_count) ||
      !are_finite(v, subsystem->robot.velocity_count)) {
    return;
  }
  subsystem->lost = controller;
  subsystem->lost_force = f[controller->velocities[k]], subsystem->lost_at = time;
}

static void evaluate_controller(flg_robot_subsystem *subsystem, int index, double time,
                                const double *q, const double *v, double *f) {
  flg_controller made;
  const flg_controller *controller = &subsystem->controllers[index];
  flg_controller_evaluate(flg_robot_aimed(subsystem, index, &made), subsystem->dynamics,
                          &subsystem->robot, subsystem->options.gravity, time, q, v,
                          subsystem->scratch, f);
  note_forces(subsystem, controller, time, q, v, f);
  const bool told = subsystem->spoilt[0] != '\0';
  if (controller->plugin == NULL || !flg_plugin_spoils_arithmetic(subsystem->spoilt)) return;
  if (!told) subsystem->lost = controller, subsystem->lost_at = time;
}

void flg_robot_set_impulse_step(flg_robot_subsystem *subsystem, double h) {
  const flg_integrator *integrator = subsystem->integrator;
  subsystem->implicit = flg_integrator_kicks(integrator) ? h : 0;
  subsystem->is_midway = flg_integrator_lead(integrator, h) > 0;
}

void flg_robot_sample(flg_robot_subsystem *subsystem, double time) {
  for (int k = 0; k < subsystem->controller_count; k++) {
    const double period = subsystem->controllers[k].sample;
    double *drive = flg_robot_drive(subsystem, k);
    /* Continuous controllers are evaluated with the forces, at every stage of a step. */
    if (period == 0 || drive[FLG_DRIVE_ENABLED] == 0) continue;
    /* The slack: 0.3 / 0.1 is 2.9999999999999996, which must not be the second sample. */
    const double sample = floor(time / period + FLG_SAMPLE_SLACK);
    if (sample == drive[FLG_DRIVE_SAMPLE]) continue;
    drive[FLG_DRIVE_SAMPLE] = sample;
    double *forces = drive + FLG_DRIVE_FORCES;
    memset(forces, 0, (size_t)subsystem->robot.velocity_count * sizeof *forces);
    evaluate_controller(subsystem, k, sample * period, subsystem->q, subsystem->v, forces);
  }
}

/* Adds the mean of what a table will give in the time to come: it knows, so a model that is used
 * for longer than it holds a sample may know, too. effort is work space. */
static void foresee(flg_robot_subsystem *subsystem, int index, double time, double *f) {
  const flg_controller *controller = &subsystem->controllers[index];
  const double period = controller->sample, end = time + subsystem->foresight;
  const int n = subsystem->robot.velocity_count;
  double *forces = subsystem->effort;
  const double first = floor(time / period + FLG_SAMPLE_SLACK);
  for (int k = 0; (first + k) * period < end - FLG_SAMPLE_SLACK * period; k++) {
    const double sample = first + k;
    const double from = fmax(time, sample * period), to = fmin(end, (sample + 1) * period);
    memset(forces, 0, (size_t)n * sizeof *forces);
    evaluate_controller(subsystem, index, sample * period, subsystem->q, subsystem->v, forces);
    for (int j = 0; j < n; j++) f[j] += (to - from) / subsystem->foresight * forces[j];
  }
}

static bool is_foreseen(const flg_robot_subsystem *subsystem, int index) {
  const flg_controller *controller = &subsystem->controllers[index];
  return controller->kind == FLG_CONTROLLER_TABLE &&
         subsystem->foresight > (1 + FLG_SAMPLE_SLACK) * controller->sample;
}

bool flg_robot_samples_within(const flg_robot_subsystem *subsystem, double time) {
  for (int k = 0; k < subsystem->controller_count; k++) {
    if (subsystem->controllers[k].sample < (1 - FLG_SAMPLE_SLACK) * time) return true;
  }
  return false;
}

/* what is not a number stays so, and ends the simulation */
static double limited_force(double force, double most) {
  if (force > most) return most;
  return force < -most ? -most : force;
}

static void limit(const flg_robot_subsystem *subsystem) {
  for (int k = 0; k < subsystem->robot.velocity_count; k++) {
    subsystem->actuation[k] = limited_force(subsystem->actuation[k], subsystem->effort_limits[k]);
  }
}

void flg_robot_actuate(flg_robot_subsystem *subsystem, double time, const double *q,
                       const double *v) {
  const int n = subsystem->robot.velocity_count;
  double *f = subsystem->actuation;
  memset(f, 0, (size_t)n * sizeof *f);
  for (int k = 0; k < subsystem->controller_count; k++) {
    const double *drive = flg_robot_drive(subsystem, k);
    if (drive[FLG_DRIVE_ENABLED] == 0) continue;
    if (subsystem->controllers[k].sample == 0) {
      evaluate_controller(subsystem, k, time, q, v, f);
    } else if (is_foreseen(subsystem, k)) {
      foresee(subsystem, k, time, f);
    } else {
      for (int j = 0; j < n; j++) f[j] += drive[FLG_DRIVE_FORCES + j];
    }
  }
  /* Limits are those of the motors: forces from outside act on the joint itself, and are not
   * limited. */
  limit(subsystem);
  for (int j = 0; subsystem->applied != NULL && j < n; j++) f[j] += subsystem->applied[j];
  const double *efforts = flg_robot_efforts(subsystem);
  for (int j = 0; efforts != NULL && j < n; j++) f[j] += efforts[j];
}

/* Dry friction as -c v, c the secant of its law at v in a step of h: below the speed of creep it
 * grows in proportion. */
static double secant(const flg_robot_subsystem *subsystem, const flg_link *link, int k, double v,
                     double h) {
  const double friction = subsystem->model->joints[link->joint].friction;
  const double creep = h * flg_robot_creep(link, k - link->velocity, friction);
  const double speed = fmax(fabs(v), creep);
  return speed > 0 ? friction / speed : 0;
}

/* The part s of a step over which damping c is implicit: at its end, s = 1, it is stable however
 * stiff. In steps of mean velocities s = (1 + z)/(2 + z) with z = h c/m: 1/2 where it is soft, so
 * that the step stays of order 2, and v+ = v/(1 + z + z^2/2) of a mass m alone, which is e^-z to
 * that order and never turns around. m is that of the joint's own link: less than what resists. */
static double implicit_damping_share(const flg_robot_subsystem *subsystem, int k, double c) {
  if (!subsystem->is_midway) return 1;
  /* A step in two halves is symmetric only if damping acts by the mean of both velocities. */
  if (subsystem->is_halved) return 0.5;
  const double hc = subsystem->implicit * c, m = subsystem->inertias[k];
  return hc + m > 0 ? (m + hc) / (2 * m + hc) : 1;
}

void flg_robot_share_elastic(flg_robot_subsystem *subsystem) {
  const double h = subsystem->implicit;
  const bool is_held = subsystem->elastic_hold != FLG_ELASTIC_FREE;
  const flg_elastic_share share = {is_held                ? 0
                                   : subsystem->is_midway ? 0.5 * h
                                                          : h,
                                   is_held ? 0 : 0.25 * h * h};
  flg_dynamics_set_elastic(subsystem->dynamics, share);
}

/* Dry friction of a velocity in a step: -push - resistance w, w at the end of the step. */
typedef struct rub {
  double push, resistance;
} rub;

static rub rub_of(const flg_robot_subsystem *subsystem, const flg_link *link, int k, double end) {
  const double h = subsystem->implicit, friction = subsystem->frictions[k];
  if (!(friction > 0)) return (rub){0, 0};
  if (subsystem->has_open && flg_robot_friction_is_open(subsystem, k)) return (rub){0, 0};
  if (subsystem->has_loose && subsystem->loose[k] != 0) {
    return (rub){subsystem->loose[k] * friction, 0};
  }
  if (!subsystem->knows_slips) return (rub){0, h > 0 ? secant(subsystem, link, k, end, h) : 0};
  if (subsystem->slips[k] != 0) return (rub){subsystem->slips[k] * friction, 0};
  return (rub){0 - subsystem->held[k], h > 0 ? friction / (h * subsystem->creeps[k]) : 0};
}

/* Damping, and with an implicit step friction, as -c v, the part s of the step implicitly:
 * (M + s h c) a = f - c v. Friction is that at the end of the step, as far as that is known. */
void flg_robot_resist(flg_robot_subsystem *subsystem, const double *v, const double *mean) {
  const flg_robot *robot = &subsystem->robot;
  if (robot->flex_count > 0) flg_robot_share_elastic(subsystem);
  if (!subsystem->resists) {
    const size_t bytes = (size_t)robot->velocity_count * sizeof(double);
    memcpy(subsystem->effort, subsystem->actuation, bytes);
    memcpy(subsystem->added, subsystem->locked, bytes);
    return;
  }
  for (int i = 0; i < robot->flex_count; i++) {
    const flg_flex *flex = &robot->flexes[i];
    for (int k = flex->velocity; k < flex->velocity + flex->body.modes; k++) {
      subsystem->effort[k] = subsystem->actuation[k], subsystem->added[k] = subsystem->locked[k];
    }
  }
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      const double end = 2 * mean[k] - v[k], c = link->damping;
      const rub dry = rub_of(subsystem, link, k, end);
      const double part = implicit_damping_share(subsystem, k, c) * c + dry.resistance;
      subsystem->effort[k] = subsystem->actuation[k] - dry.push - (c + dry.resistance) * v[k];
      subsystem->added[k] = subsystem->locked[k] + subsystem->implicit * part;
    }
  }
}

/* With m the inertia of the joint's own link: h c z/(1 + z), z = h c/m. What models miss of an arm
 * with light dampers has not been resisted by them, and would be made up for in part; light links
 * between strong dampers would be thrown about by M^-1. */
void flg_robot_damp(flg_robot_subsystem *subsystem, double h) {
  const flg_robot *robot = &subsystem->robot;
  memcpy(subsystem->added, subsystem->locked, (size_t)robot->velocity_count * sizeof(double));
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    const double hc = h * link->damping;
    for (int k = link->velocity; k < link->velocity + link->velocity_count && hc > 0; k++) {
      subsystem->added[k] += hc * hc / (subsystem->inertias[k] + hc);
    }
  }
}

void flg_robot_rub_begin(flg_robot_subsystem *subsystem, double h) {
  const flg_robot *robot = &subsystem->robot;
  memset(subsystem->rubbing, 0, (size_t)robot->velocity_count * sizeof(double));
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      subsystem->rubbing[k] = secant(subsystem, link, k, subsystem->v[k], h);
    }
  }
}

void flg_robot_rub_end(flg_robot_subsystem *subsystem, double h) {
  for (int k = 0; k < subsystem->robot.velocity_count; k++) {
    subsystem->rubbing[k] = subsystem->locked[k] + h * subsystem->rubbing[k];
  }
  flg_robot_project(subsystem, subsystem->rubbing);
}

/* M v into effort; added is lost */
static void find_momentum(flg_robot_subsystem *subsystem) {
  double *at_rest = subsystem->added;
  memset(at_rest, 0, (size_t)subsystem->robot.velocity_count * sizeof(double));
  flg_dynamics_inverse(subsystem->dynamics, subsystem->q, at_rest, subsystem->v, (flg_vec3){0},
                       NULL, subsystem->effort);
}

/* (M + diag(added)) v = p, p in effort */
static void take_momentum(flg_robot_subsystem *subsystem, const double *added) {
  flg_dynamics_set_elastic(subsystem->dynamics, (flg_elastic_share){0, 0});
  flg_dynamics_factor(subsystem->dynamics, added);
  flg_dynamics_solve(subsystem->dynamics, subsystem->effort, subsystem->v);
  flg_mimics_project(&subsystem->mimics, subsystem->dynamics, subsystem->v);
}

void flg_robot_project(flg_robot_subsystem *subsystem, const double *added) {
  find_momentum(subsystem);
  take_momentum(subsystem, added);
}

void flg_robot_project_resisting(flg_robot_subsystem *subsystem) {
  const int n = subsystem->robot.velocity_count;
  double *added = subsystem->rubbing;
  flg_robot_resist(subsystem, subsystem->v, subsystem->v);
  memcpy(added, subsystem->added, (size_t)n * sizeof *added);
  find_momentum(subsystem);
  for (int k = 0; k < n; k++) {
    if (!isinf(added[k])) subsystem->effort[k] += added[k] * subsystem->v[k];
  }
  take_momentum(subsystem, added);
}

/* Elastic forces; of a model that looks ahead, those in the middle of its time. */
static void add_elastic_forces(flg_robot_subsystem *subsystem, const double *q, const double *v) {
  const flg_robot *robot = &subsystem->robot;
  flg_robot_elastic_force(robot, q, v, subsystem->effort);
  if (subsystem->elastic_lead != 0) {
    flg_robot_stiffness_force(robot, subsystem->elastic_lead, v, subsystem->effort);
  }
}

static void robot_forces_push(const flg_robot_subsystem *subsystem, const double *q,
                              const double *v) {
  flg_dynamics *dynamics = subsystem->dynamics;
  bool placed = false;
  for (int k = 0; k < subsystem->push_count; k++) {
    if (subsystem->push_flags[k] == 0) continue;
    if (!placed) flg_dynamics_move(dynamics, q, v);
    placed = true;
    flg_dynamics_frame_force(dynamics, &subsystem->pushes[k].frame, subsystem->pushes[k].force,
                             subsystem->effort);
  }
  if (subsystem->inputs.wrench_count == 0) return;
  if (!placed) flg_dynamics_move(dynamics, q, v);
  flg_robot_add_wrenches(subsystem, subsystem->effort);
}

void flg_robot_effort(flg_robot_subsystem *subsystem, double time, const double *q, const double *v,
                      const double *mean) {
  flg_robot_actuate(subsystem, time, q, mean);
  flg_robot_resist(subsystem, v, mean);
  const bool is_left = subsystem->elastic_hold == FLG_ELASTIC_LEFT;
  if (subsystem->robot.flex_count > 0 && !is_left) add_elastic_forces(subsystem, q, v);
  robot_forces_push(subsystem, q, mean);
}

void flg_robot_acceleration(void *system, double time, const double *q, const double *v,
                            const double *mean, double *a) {
  flg_robot_subsystem *subsystem = system;
  flg_robot_effort(subsystem, time, q, v, mean);
  const bool is_pushed = subsystem->ports.is_pushed;
  /* where it is known how the robot moves by itself, the answer to the ports alone is cheaper */
  const bool at_once = is_pushed && subsystem->robot.flex_count == 0 &&
                       !flg_dynamics_has_answers(subsystem->dynamics, q, mean);
  const flg_spatial *pushes = at_once ? flg_robot_ports_on_links(subsystem) : NULL;
  flg_dynamics_forward(subsystem->dynamics, q, mean, subsystem->effort, subsystem->options.gravity,
                       pushes, subsystem->added, a);
  if (is_pushed && !at_once) flg_robot_ports_add_answer(subsystem, a);
  flg_mimics_project(&subsystem->mimics, subsystem->dynamics, a);
}

/* --- by generated code --------------------------------------------------------------------------
 */

static bool any_locked(const flg_robot_subsystem *subsystem) {
  for (int k = 0; k < subsystem->robot.velocity_count; k++) {
    if (isinf(subsystem->locked[k])) return true;
  }
  return false;
}

/* forces on ports as forces on coordinates, besides all others */
static const double *with_ports(flg_robot_subsystem *subsystem, const double *q, const double *v) {
  double *f = subsystem->accelerator.forces;
  const flg_robot_ports *at = &subsystem->ports;
  if (!at->is_pushed) return subsystem->effort;
  memcpy(f, subsystem->effort, (size_t)subsystem->robot.velocity_count * sizeof *f);
  flg_dynamics_move(subsystem->dynamics, q, v);
  for (int k = 0; k < at->count; k++) {
    const flg_spatial force = flg_spatial_load(at->forces + 6 * k);
    flg_dynamics_frame_force(subsystem->dynamics, &at->anchors[k], force, f);
  }
  return f;
}

/* A coupling has asked for a model, or kicked, where the step begins: factors are known there, and
 * the interpreter needs no others. */
static bool is_factored(const flg_robot_subsystem *subsystem) {
  return subsystem->ports.is_pushed && flg_integrator_uses_start_rows(subsystem->integrator);
}

void flg_robot_step_acceleration(void *system, double time, const double *q, const double *v,
                                 const double *mean, double *a) {
  flg_robot_subsystem *subsystem = system;
  flg_robot_accelerator *quick = &subsystem->accelerator;
  if (quick->accelerate == NULL || any_locked(subsystem) || is_factored(subsystem)) {
    quick->declined++;
    flg_robot_acceleration(system, time, q, v, mean, a);
    return;
  }
  quick->taken++;
  flg_robot_effort(subsystem, time, q, v, mean);
  quick->accelerate(quick->instance, q, mean, with_ports(subsystem, q, mean), subsystem->added, a);
}
