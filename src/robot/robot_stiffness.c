#include "robot/robot_stiffness.h"

#include <math.h>
#include <string.h>

#include "base/region.h"

enum { ITERATIONS = 30 }; /* of the power method: a few per cent do not matter */
static const double EXPECTED =
    1.25; /* measured: 1.6 is the limit of h c in leapfrog steps, not 2 */

typedef struct gains {
  double stiffness, damping; /* largest eigenvalues [1/s^2], [1/s] */
} gains;

static double norm_of_values(const double *x, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

/* of M^-1 diag(gain), with the factors of M; x (velocities): work space */
/* The power method: only products with M^-1 are needed, by the factors that a step has anyway. */
static double largest_gain(const flg_robot_subsystem *robot, const flg_controller *controller,
                           const double *gain, double *x) {
  const int count = robot->robot.velocity_count;
  double found = 0;
  for (int k = 0; k < count; k++) x[k] = 1 + 0.01 * k; /* no mode is likely to be orthogonal */
  for (int i = 0; i < ITERATIONS; i++) {
    const double before = norm_of_values(x, count);
    if (!(before > 0) || !isfinite(before)) return before;
    for (int k = 0; k < count; k++) x[k] /= before;
    double *pushed = x + count;
    memset(pushed, 0, (size_t)count * sizeof *pushed);
    for (int k = 0; k < controller->count; k++) {
      const int at = controller->velocities[k];
      pushed[at] = gain[k] * x[at];
    }
    flg_dynamics_solve(robot->dynamics, pushed, x);
    found = norm_of_values(x, count);
  }
  return found;
}

static double most_of_values(const double *values, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, values[k]);
  return most;
}

static gains find_gains(const flg_robot_subsystem *robot, const flg_controller *controller,
                        double *x) {
  const int count = controller->count;
  if (controller->kind == FLG_CONTROLLER_PD) {
    return (gains){largest_gain(robot, controller, controller->stiffness, x),
                   largest_gain(robot, controller, controller->damping, x)};
  }
  if (controller->kind == FLG_CONTROLLER_COMPUTED) { /* inverse dynamics: M^-1 M */
    return (gains){most_of_values(controller->stiffness, count),
                   most_of_values(controller->damping, count)};
  }
  return (gains){0};
}

/* the longest stable period [s] */
/* rk4 is stable to 2.83 on the imaginary and 2.78 on the real axis. Semi-implicit steps of x'' = -c
 * x' - k x are stable for h^2 k + 2 h c < 4, whose root in h this is. */
static double longest_stable_period(gains of, flg_integrator_kind kind) {
  if (kind == FLG_INTEGRATOR_RK4) return fmin(2.83 / sqrt(of.stiffness), 2.78 / of.damping);
  /* leapfrog takes damping with the velocity that it expects in the middle of the step */
  const double c = of.damping * (kind == FLG_INTEGRATOR_LEAPFROG ? EXPECTED : 1);
  return 4 / (c + sqrt(c * c + 4 * of.stiffness));
}

/* Held between samples, an effort acts like that of a semi-implicit step as long as the sample. */
static void tell_gains(const flg_robot_subsystem *robot, const flg_controller *controller, double h,
                       double slack, gains of, flg_notices *notices) {
  const bool is_held = controller->sample > h;
  const double period = is_held ? controller->sample : h;
  const flg_integrator_kind kind = robot->options.integrator.kind;
  const double most = longest_stable_period(of, is_held ? FLG_INTEGRATOR_SEMI_IMPLICIT : kind);
  if (!(period > slack * most)) return;
  flg_notice_add(notices, robot->options.name,
                 "the gains of controller '%s' are too large for %s of %.3g s, which will not be "
                 "stable: take %s of at most %.2g s, or smaller gains",
                 controller->name, is_held ? "samples" : "steps", period,
                 is_held ? "samples" : "steps", most);
}

flg_status flg_robot_tell_stiffness(flg_robot_subsystem *robot, double h, double slack,
                                    flg_notices *notices) {
  flg_region region = {0};
  const bool adapts = robot->options.integrator.kind == FLG_INTEGRATOR_ADAPTIVE;
  double *x = flg_region_take(&region, 2 * (size_t)robot->robot.velocity_count + 1, sizeof *x);
  if (x == NULL) return FLG_ERR_MEMORY;
  /* at the start pose: M changes with the pose, which the slack of the caller allows for */
  flg_dynamics_kinematics(robot->dynamics, robot->q, robot->v);
  flg_dynamics_factor(robot->dynamics, robot->locked);
  for (int k = 0; k < robot->controller_count; k++) {
    const flg_controller *controller = &robot->controllers[k];
    if (!controller->enabled || (adapts && !(controller->sample > 0))) continue;
    tell_gains(robot, controller, h, slack, find_gains(robot, controller, x), notices);
  }
  flg_region_release(&region);
  return FLG_OK;
}
