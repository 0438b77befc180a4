#include "control/controller.h"

#include <string.h>

#include "math/dense.h"

/* where an evaluation works */
typedef struct work {
  double *value, *rate, *acceleration; /* of the curve (velocities at most) */
  double *a, *f;                       /* for inverse dynamics (velocities) */
  double *v, *q;                       /* of a motion that is wanted (velocities), (positions) */
  double *yield;                       /* (M^-1)_dd (driven x driven) */
} work;

size_t flg_controller_scratch(const flg_robot *robot, const flg_controller *controllers,
                              int count) {
  size_t driven = 0;
  for (int k = 0; k < count; k++) {
    if ((size_t)controllers[k].count > driven) driven = (size_t)controllers[k].count;
  }
  return 6 * (size_t)robot->velocity_count + (size_t)robot->position_count + driven * driven;
}

static work controller_lay_out(const flg_robot *robot, double *scratch) {
  const int n = robot->velocity_count;
  work at = {scratch, scratch + n, scratch + 2 * n, scratch + 3 * n, scratch + 4 * n};
  at.v = scratch + 5 * n;
  at.q = at.v + n;
  at.yield = at.q + robot->position_count;
  return at;
}

/* kp (q_d - q) + kd (v_d - v) of coordinate k, after the curve is evaluated */
static double feedback(const flg_controller *controller, const work *at, int k, const double *q,
                       const double *v) {
  return controller->stiffness[k] * (at->value[k] - q[controller->positions[k]]) +
         controller->damping[k] * (at->rate[k] - v[controller->velocities[k]]);
}

static void evaluate_table(const flg_controller *controller, const work *at, double time,
                           double *f) {
  flg_curve_evaluate(&controller->curve, time, at->value, NULL, NULL);
  for (int k = 0; k < controller->count; k++) f[controller->velocities[k]] += at->value[k];
}

/* gains on joint coordinates: no model is needed */
static void evaluate_pd(const flg_controller *controller, const work *at, double time,
                        const double *q, const double *v, double *f) {
  flg_curve_evaluate(&controller->curve, time, at->value, at->rate, NULL);
  for (int k = 0; k < controller->count; k++) {
    f[controller->velocities[k]] += feedback(controller, at, k, q, v);
  }
}

/* f += what moves the payload as the last inverse dynamics moved the robot */
/* A payload that the controller knows of and the model has not: its weight and inertia are asked of
 * the drives. */
static void carry_payload(const flg_payload *payload, flg_dynamics *dynamics, flg_vec3 gravity,
                          double *f) {
  if (payload->mass == 0) return;
  const flg_pose pose = flg_dynamics_frame_pose(dynamics, &payload->frame);
  const flg_vec3 spin = flg_dynamics_frame_velocity(dynamics, &payload->frame).angular;
  const flg_spatial a = flg_dynamics_frame_acceleration(dynamics, &payload->frame);
  const flg_sym3 inertia = flg_sym3_rotate(payload->inertia, &pose.rotation);
  const flg_vec3 gyroscopic = flg_vec3_cross(spin, flg_sym3_apply(inertia, spin));
  const flg_spatial force = {flg_vec3_scale(flg_vec3_subtract(a.linear, gravity), payload->mass),
                             flg_vec3_add(flg_sym3_apply(inertia, a.angular), gyroscopic)};
  flg_dynamics_frame_force(dynamics, &payload->frame, force, f);
}

/* adds only on the coordinates that it drives */
static void add_inverse(const flg_controller *controller, flg_dynamics *dynamics, const work *at,
                        const double *q, const double *v, flg_vec3 gravity, double *f) {
  flg_dynamics_inverse(dynamics, q, v, at->a, gravity, NULL, at->f);
  carry_payload(&controller->payload, dynamics, gravity, at->f);
  for (int k = 0; k < controller->count; k++) {
    f[controller->velocities[k]] += at->f[controller->velocities[k]];
  }
}

/* --- feed-forward -------------------------------------------------------------------------------
 */

/* The wanted motion of the driven joints, all others at rest where they are, links straight. */
static void want(const flg_controller *controller, const flg_robot *robot, const double *q,
                 const work *at) {
  memcpy(at->q, q, (size_t)robot->position_count * sizeof *q);
  memset(at->v, 0, (size_t)robot->velocity_count * sizeof *q);
  for (int i = 0; i < robot->flex_count; i++) {
    const flg_flex *flex = &robot->flexes[i];
    memset(at->q + flex->position, 0, (size_t)flex->body.modes * sizeof *q);
  }
  for (int k = 0; k < controller->count; k++) {
    at->q[controller->positions[k]] = at->value[k];
    at->v[controller->velocities[k]] = at->rate[k];
    at->a[controller->velocities[k]] = at->acceleration[k];
  }
}

/* how the driven joints yield to forces on themselves, all else free: (M^-1)_dd */
/* Columns of M^-1 by the factors of forward dynamics: no mass matrix is formed. */
static void find_yield(const flg_controller *controller, flg_dynamics *dynamics,
                       const flg_robot *robot, const work *at) {
  const int count = controller->count;
  for (int j = 0; j < count; j++) {
    memset(at->f, 0, (size_t)robot->velocity_count * sizeof *at->f);
    at->f[controller->velocities[j]] = 1;
    flg_dynamics_solve(dynamics, at->f, at->f);
    for (int i = 0; i < count; i++) at->yield[i + count * j] = at->f[controller->velocities[i]];
  }
}

/* f += M_h times the feedback */
/* The mass that driven joints feel while all others, and elastic modes, are free to move: gains
 * then mean the same frequencies in every pose. */
static void add_feedback(const flg_controller *controller, flg_dynamics *dynamics,
                         const flg_robot *robot, const work *at, const double *q, const double *v,
                         double *f) {
  const int count = controller->count;
  double *back = at->acceleration;
  for (int k = 0; k < count; k++) back[k] = feedback(controller, at, k, q, v);
  flg_dynamics_move(dynamics, q, v);
  flg_dynamics_set_elastic(dynamics, (flg_elastic_share){0, 0});
  flg_dynamics_factor(dynamics, NULL);
  find_yield(controller, dynamics, robot, at);
  if (!flg_dense_cholesky(count, at->yield, count)) return; /* not finite: forces will not be */
  flg_dense_cholesky_solve(count, at->yield, count, back);
  for (int k = 0; k < count; k++) f[controller->velocities[k]] += back[k];
}

/* Inverse dynamics of the wanted motion, not of the measured one: sensors do not reach the large
 * terms. */
static void evaluate_feed(const flg_controller *controller, flg_dynamics *dynamics,
                          const flg_robot *robot, const work *at, flg_vec3 gravity, double time,
                          const double *q, const double *v, double *f) {
  flg_curve_evaluate(&controller->curve, time, at->value, at->rate, at->acceleration);
  want(controller, robot, q, at);
  add_inverse(controller, dynamics, at, at->q, at->v, gravity, f);
  add_feedback(controller, dynamics, robot, at, q, v, f);
}

static void evaluate_force(const flg_controller *controller, flg_dynamics *dynamics,
                           const flg_robot *robot, const work *at, const double *q, const double *v,
                           double *f) {
  memset(at->f, 0, (size_t)robot->velocity_count * sizeof *f);
  flg_dynamics_move(dynamics, q, v);
  flg_dynamics_frame_force(dynamics, &controller->point, controller->push, at->f);
  for (int k = 0; k < controller->count; k++) {
    f[controller->velocities[k]] += at->f[controller->velocities[k]];
  }
}

/* Plug-ins see the joints they drive, in the order in which they were named. */
static void evaluate_plugin(const flg_controller *controller, const work *at, double time,
                            const double *q, const double *v, double *f) {
  for (int k = 0; k < controller->count; k++) {
    at->value[k] = q[controller->positions[k]];
    at->rate[k] = v[controller->velocities[k]];
  }
  memset(at->f, 0, (size_t)controller->count * sizeof *f);
  flg_plugged_controller_evaluate(controller->plugin, time, at->value, at->rate, at->f);
  for (int k = 0; k < controller->count; k++) f[controller->velocities[k]] += at->f[k];
}

void flg_controller_evaluate(const flg_controller *controller, flg_dynamics *dynamics,
                             const flg_robot *robot, flg_vec3 gravity, double time, const double *q,
                             const double *v, double *scratch, double *f) {
  const work at = controller_lay_out(robot, scratch);
  const size_t bytes = (size_t)robot->velocity_count * sizeof *v;
  /* joints that are not driven are taken for not accelerated */
  memset(at.a, 0, bytes);
  switch (controller->kind) {
    case FLG_CONTROLLER_TABLE:
      evaluate_table(controller, &at, time, f);
      break;
    case FLG_CONTROLLER_PD:
      evaluate_pd(controller, &at, time, q, v, f);
      break;
    case FLG_CONTROLLER_COMPUTED:
      flg_curve_evaluate(&controller->curve, time, at.value, at.rate, at.acceleration);
      for (int k = 0; k < controller->count; k++) {
        at.a[controller->velocities[k]] = at.acceleration[k] + feedback(controller, &at, k, q, v);
      }
      add_inverse(controller, dynamics, &at, q, v, gravity, f);
      break;
    case FLG_CONTROLLER_FEED:
      evaluate_feed(controller, dynamics, robot, &at, gravity, time, q, v, f);
      break;
    case FLG_CONTROLLER_FORCE:
      evaluate_force(controller, dynamics, robot, &at, q, v, f);
      break;
    case FLG_CONTROLLER_PLUGIN:
      evaluate_plugin(controller, &at, time, q, v, f);
      break;
    case FLG_CONTROLLER_GRAVITY:
    default:
      memset(at.rate, 0, bytes); /* at rest */
      add_inverse(controller, dynamics, &at, q, at.rate, gravity, f);
      break;
  }
}
