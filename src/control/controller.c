#include "control/controller.h"

#include <string.h>

/* where an evaluation works */
typedef struct work {
  double *value, *rate, *acceleration; /* of the curve (velocities at most) */
  double *a, *f;                       /* for inverse dynamics (velocities) */
} work;

size_t flg_controller_scratch(const flg_robot *robot) {
  return 5 * (size_t)robot->velocity_count;
}

static work lay_out(const flg_robot *robot, double *scratch) {
  const int n = robot->velocity_count;
  return (work){scratch, scratch + n, scratch + 2 * n, scratch + 3 * n, scratch + 4 * n};
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

static void evaluate_pd(const flg_controller *controller, const work *at, double time,
                        const double *q, const double *v, double *f) {
  flg_curve_evaluate(&controller->curve, time, at->value, at->rate, NULL);
  for (int k = 0; k < controller->count; k++) {
    f[controller->velocities[k]] += feedback(controller, at, k, q, v);
  }
}

/* adds only on the coordinates that it drives */
static void add_inverse(const flg_controller *controller, flg_dynamics *dynamics, const work *at,
                        const double *q, const double *v, flg_vec3 gravity, double *f) {
  flg_dynamics_inverse(dynamics, q, v, at->a, gravity, NULL, at->f);
  for (int k = 0; k < controller->count; k++) {
    f[controller->velocities[k]] += at->f[controller->velocities[k]];
  }
}

static void evaluate_plugin(const flg_controller *controller, const work *at, double time,
                            const double *q, const double *v, double *f) {
  for (int k = 0; k < controller->count; k++) {
    at->value[k] = q[controller->positions[k]];
    at->rate[k] = v[controller->velocities[k]];
  }
  memset(at->f, 0, (size_t)controller->count * sizeof *f);
  flg_plugin_controller_evaluate(controller->plugin, time, at->value, at->rate, at->f);
  for (int k = 0; k < controller->count; k++) f[controller->velocities[k]] += at->f[k];
}

void flg_controller_evaluate(const flg_controller *controller, flg_dynamics *dynamics,
                             const flg_robot *robot, flg_vec3 gravity, double time, const double *q,
                             const double *v, double *scratch, double *f) {
  const work at = lay_out(robot, scratch);
  const size_t bytes = (size_t)robot->velocity_count * sizeof *v;
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
