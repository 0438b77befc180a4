#include "robot/robot_stiffness.h"

#include <math.h>
#include <string.h>

#include "base/region.h"

enum { ITERATIONS = 30 };     /* of the power method: a few per cent do not matter */
enum { MOST_ITERATED = 100 }; /* controllers of a robot: each costs as much as 60 steps */
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

/* Of one controller: between the largest entry on the diagonal of M^-1 diag(gain), and their sum.
 */
typedef struct gain_bounds {
  double least, most;
} gain_bounds;

static gain_bounds bound_gain(const flg_controller *controller, const double *gain,
                              const double *diagonal) {
  gain_bounds bounds = {0};
  for (int k = 0; k < controller->count; k++) {
    const double own = gain[k] * diagonal[controller->velocities[k]];
    bounds.least = fmax(bounds.least, own);
    bounds.most += own;
  }
  return bounds;
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

/* Of a controller in steps of h. */
typedef struct holding {
  bool by_samples; /* an effort that is held acts like that of a semi-implicit step as long */
  double period;
  flg_integrator_kind kind;
} holding;

static holding hold_of(const flg_robot_subsystem *robot, const flg_controller *controller,
                       double h) {
  const bool by_samples = controller->sample > h;
  return (holding){by_samples, by_samples ? controller->sample : h,
                   by_samples ? FLG_INTEGRATOR_SEMI_IMPLICIT : robot->options.integrator.kind};
}

/* Scratch for judging all controllers of a robot. */
typedef struct judge {
  const flg_robot_subsystem *robot;
  double h, slack;
  double *x;        /* (2 velocities) work space */
  double *diagonal; /* (velocities) of M^-1 */
  int iterated;     /* controllers so far that took the power method */
} judge;

static bool is_too_large(const judge *of, const holding *held, gains found) {
  return held->period > of->slack * longest_stable_period(found, held->kind);
}

static gains find_pd_gains(judge *of, const flg_controller *controller, const holding *held) {
  const double *k = controller->stiffness, *c = controller->damping;
  const gain_bounds stiffness = bound_gain(controller, k, of->diagonal),
                    damping = bound_gain(controller, c, of->diagonal);
  const gains most = {stiffness.most, damping.most};
  if (controller->count == 1 || !is_too_large(of, held, most)) return most;
  if (of->iterated++ >= MOST_ITERATED) return (gains){stiffness.least, damping.least};
  return (gains){largest_gain(of->robot, controller, k, of->x),
                 largest_gain(of->robot, controller, c, of->x)};
}

static gains find_gains(judge *of, const flg_controller *controller, const holding *held) {
  const int count = controller->count;
  if (controller->kind == FLG_CONTROLLER_PD) return find_pd_gains(of, controller, held);
  if (controller->kind == FLG_CONTROLLER_COMPUTED) { /* inverse dynamics: M^-1 M */
    return (gains){most_of_values(controller->stiffness, count),
                   most_of_values(controller->damping, count)};
  }
  return (gains){0};
}

static void tell_gains(judge *of, const flg_controller *controller, flg_notices *notices) {
  const holding held = hold_of(of->robot, controller, of->h);
  const gains found = find_gains(of, controller, &held);
  if (!is_too_large(of, &held, found)) return;
  flg_notice_add(notices, of->robot->options.name,
                 "the gains of controller '%s' are too large for %s of %.3g s, which will not be "
                 "stable: take %s of at most %.2g s, or smaller gains",
                 controller->name, held.by_samples ? "samples" : "steps", held.period,
                 held.by_samples ? "samples" : "steps", longest_stable_period(found, held.kind));
}

static bool has_pd(const flg_robot_subsystem *robot) {
  for (int k = 0; k < robot->controller_count; k++) {
    if (robot->controllers[k].kind == FLG_CONTROLLER_PD) return true;
  }
  return false;
}

/* of M^-1; flexible robots: one solve for each coordinate */
static bool find_diagonal(judge *of, flg_region *region) {
  const flg_robot *model = &of->robot->robot;
  const int count = model->velocity_count;
  of->diagonal = flg_region_take(region, (size_t)count + 1, sizeof *of->diagonal);
  double *scatters = flg_region_take(region, 36 * (size_t)model->link_count + 1, sizeof *scatters);
  if (of->diagonal == NULL || scatters == NULL) return false;
  if (model->flex_count == 0) {
    flg_dynamics_diagonal(of->robot->dynamics, scatters, of->diagonal);
    return true;
  }
  for (int k = 0; k < count; k++) {
    memset(of->x, 0, (size_t)count * sizeof *of->x);
    of->x[k] = 1;
    flg_dynamics_solve(of->robot->dynamics, of->x, of->x);
    of->diagonal[k] = of->x[k];
  }
  return true;
}

flg_status flg_robot_tell_stiffness(flg_robot_subsystem *robot, double h, double slack,
                                    flg_notices *notices) {
  flg_region region = {0};
  const bool adapts = robot->options.integrator.kind == FLG_INTEGRATOR_ADAPTIVE;
  judge of = {.robot = robot, .h = h, .slack = slack};
  of.x = flg_region_take(&region, 2 * (size_t)robot->robot.velocity_count + 1, sizeof *of.x);
  /* at the start pose: M changes with the pose, which the slack of the caller allows for */
  flg_dynamics_kinematics(robot->dynamics, robot->q, robot->v);
  flg_dynamics_factor(robot->dynamics, robot->locked);
  const bool has_memory = of.x != NULL && (!has_pd(robot) || find_diagonal(&of, &region));
  for (int k = 0; k < robot->controller_count && has_memory; k++) {
    const flg_controller *controller = &robot->controllers[k];
    if (!controller->enabled || (adapts && !(controller->sample > 0))) continue;
    tell_gains(&of, controller, notices);
  }
  flg_region_release(&region);
  return has_memory ? FLG_OK : FLG_ERR_MEMORY;
}
