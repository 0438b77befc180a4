#include "dynamics/integrator.h"

#include <math.h>
#include <string.h>

#include "dynamics/adaptive.h"
#include "math/larger.h"

struct flg_integrator {
  flg_integrator_kind kind;
  flg_integrated system;
  double *scratch;        /* 3 (positions + velocities) */
  flg_adaptive *adaptive; /* NULL unless of that kind */
};

/* of leapfrog: what may be wrong with a velocity after a step because of its mean, of its size;
 * with 1e-9 nothing else comes out, at twice the cost */
static const double SETTLED = 1e-6;
enum { REPEATS_MAX = 16 };

const char *const flg_integrator_names[] = {"semi-implicit", "rk4", "adaptive", "leapfrog", NULL};

/* of the adaptive one: a reference for runs that are right to six digits, and rounding below it */
static const double RELATIVE = 1e-10, ABSOLUTE = 1e-12;

flg_integrator_options flg_integrator_default(void) {
  return (flg_integrator_options){FLG_INTEGRATOR_SEMI_IMPLICIT, RELATIVE, ABSOLUTE};
}

static size_t scratch_count(const flg_robot *robot) {
  return 3 * ((size_t)robot->position_count + (size_t)robot->velocity_count);
}

flg_status flg_integrator_build(flg_integrator **integrator, const flg_integrator_options *options,
                                const flg_integrated *system, flg_region *region,
                                flg_error *error) {
  flg_integrator *built = flg_region_take(region, 1, sizeof *built);
  double *scratch = flg_region_take(region, scratch_count(system->robot), sizeof *scratch);
  if (region->failed) return flg_region_check(region, "an integrator", error);
  flg_adaptive *adaptive = NULL;
  if (options->kind == FLG_INTEGRATOR_ADAPTIVE) {
    const flg_status status = flg_adaptive_build(&adaptive, options, system, error);
    if (status != FLG_OK) return status;
  }
  *built = (flg_integrator){
      .kind = options->kind, .system = *system, .scratch = scratch, .adaptive = adaptive};
  *integrator = built;
  return FLG_OK;
}

void flg_integrator_release(flg_integrator *integrator) {
  if (integrator != NULL) flg_adaptive_release(integrator->adaptive);
}

bool flg_integrator_uses_start_rows(const flg_integrator *integrator) {
  return integrator->kind == FLG_INTEGRATOR_SEMI_IMPLICIT;
}

bool flg_integrator_kicks(const flg_integrator *integrator) {
  return flg_integrator_uses_start_rows(integrator) || integrator->kind == FLG_INTEGRATOR_LEAPFROG;
}

double flg_integrator_lead(const flg_integrator *integrator, double h) {
  return integrator->kind == FLG_INTEGRATOR_LEAPFROG ? 0.5 * h : 0;
}

/* --- kicks --------------------------------------------------------------------------------------
 */

typedef struct mean_velocity {
  const flg_robot *robot;
  const double *v, *struck; /* struck: NULL: nothing is */
  double h, *mean;
  double spin;      /* sum of all angular velocities of joints, a radian a step at most */
  bool is_inertial; /* as in flg_kick_guess */
} mean_velocity;

/* Takes v + h/2 a for the mean of some coordinates. True if it was that already, compared with
 * `size` besides their own: the next repeat would change it by `rate` of what this one did. */
static inline bool renew_mean_part(const mean_velocity *of, int first, int count, double rate,
                                   double size, const double *a) {
  double change = 0;
  for (int k = first; k < first + count; k++) {
    const double struck = of->struck == NULL ? 0 : of->struck[k];
    const double next = of->v[k] + 0.5 * (of->h * a[k] + struck);
    change += fabs(next - of->mean[k]), size += fabs(next) + fabs(of->v[k]);
    of->mean[k] = next;
  }
  return rate * change <= SETTLED * size;
}

/* At least the fastest angular velocity: a step turns something by h times this, and forces of
 * velocities change by as much of what velocities do. */
static double fastest_spin(const mean_velocity *of) {
  double sum = 0;
  for (int i = 0; i < of->robot->link_count; i++) {
    const flg_link *link = &of->robot->links[i];
    for (int k = link->displacement_count; k < link->velocity_count; k++) {
      sum += fabs(of->mean[link->velocity + k]);
    }
  }
  return sum;
}

/* radius of gyration about the link's frame: elastic rates compare with what a spin makes of it */
static double radius_of_gyration(const flg_link *link) {
  const flg_sym3 I = link->inertia.rotation;
  return sqrt((I.xx + I.yy + I.zz) / (2 * link->inertia.mass));
}

/* Joint by joint, displacements and turns apart: metres and radians do not compare. An error of an
 * angular mean compares with the spin, too: it changes inertia's forces on all joints by h of
 * itself, of what the spin makes them, so one of SETTLED/h does no harm, not even at a joint that
 * stands still. Other forces may depend on that joint alone. */
static bool renew_mean(const mean_velocity *of, double rate, const double *a) {
  const double spin = of->is_inertial ? of->spin : 0;
  bool is_settled = true;
  for (int i = 0; i < of->robot->link_count; i++) {
    const flg_link *link = &of->robot->links[i];
    const int slides = link->displacement_count, turns = link->velocity_count - slides;
    const int first = link->velocity, end = first + link->velocity_count;
    if (!renew_mean_part(of, first, slides, rate, 0, a)) is_settled = false;
    if (!renew_mean_part(of, first + slides, turns, rate, spin, a)) is_settled = false;
    if (link->elastic_count == 0) continue;
    const double speed = of->spin * radius_of_gyration(link);
    if (!renew_mean_part(of, end, link->elastic_count, rate, speed, a)) is_settled = false;
  }
  return is_settled;
}

void flg_integrator_kick(flg_integrator *integrator, double time, double h, const double *q,
                         const double *v, const flg_kick_guess *guess, double *free) {
  const flg_integrated *system = &integrator->system;
  const int count = system->robot->velocity_count;
  const double at = time + flg_integrator_lead(integrator, h);
  const bool repeats = integrator->kind == FLG_INTEGRATOR_LEAPFROG;
  double *a = free, *mean = integrator->scratch;
  memcpy(mean, v, (size_t)count * sizeof *v);
  for (int k = 0; guess != NULL && k < count; k++) {
    mean[k] += 0.5 * (guess->gain[k] + guess->struck[k]);
  }
  mean_velocity of = {system->robot, v, guess == NULL ? NULL : guess->struck, h,
                      mean,          0, guess != NULL && guess->is_inertial};
  if (repeats) of.spin = flg_smaller(fastest_spin(&of), 1 / h);
  const double rate = h * of.spin;
  const bool is_good = guess != NULL && guess->is_good;
  system->acceleration(system->system, at, q, v, mean, a);
  for (int k = 0; repeats && k < REPEATS_MAX; k++) {
    if (renew_mean(&of, rate, a) && (is_good || k > 0)) break;
    system->acceleration(system->system, at, q, v, mean, a);
  }
  for (int i = 0; i < count; i++) free[i] = v[i] + h * a[i];
}

void flg_integrator_kick_again(flg_integrator *integrator, double time, double h, const double *q,
                               const double *v, double *free) {
  const flg_integrated *system = &integrator->system;
  const double at = time + flg_integrator_lead(integrator, h);
  system->acceleration(system->system, at, q, v, integrator->scratch, free);
  for (int i = 0; i < system->robot->velocity_count; i++) free[i] = v[i] + h * free[i];
}

static void step_kicking(flg_integrator *integrator, double time, double h, double *q, double *v) {
  const flg_robot *robot = integrator->system.robot;
  double *free = integrator->scratch + robot->velocity_count;
  const double lead = flg_integrator_lead(integrator, h);
  if (lead > 0) flg_robot_integrate(robot, q, v, lead, q);
  flg_integrator_kick(integrator, time, h, q, v, NULL, free);
  memcpy(v, free, (size_t)robot->velocity_count * sizeof *v);
  flg_robot_integrate(robot, q, v, h - lead, q);
}

/* --- Runge-Kutta --------------------------------------------------------------------------------
 */

/* out = base + factor slope */
static void integrator_advance(const double *base, double factor, const double *slope, int count,
                               double *out) {
  for (int i = 0; i < count; i++) out[i] = base[i] + factor * slope[i];
}

static void step_rk4(const flg_integrated *system, double time, double h, double *q, double *v,
                     double *scratch) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  const flg_robot *robot = system->robot;
  const int nq = robot->position_count, nv = robot->velocity_count;
  double *q_stage = scratch, *v_stage = q_stage + nq;
  double *rate = v_stage + nv, *a = rate + nq;
  double *q_sum = a + nv, *v_sum = q_sum + nq;
  memcpy(q_stage, q, (size_t)nq * sizeof *q), memcpy(q_sum, q, (size_t)nq * sizeof *q);
  memcpy(v_stage, v, (size_t)nv * sizeof *v), memcpy(v_sum, v, (size_t)nv * sizeof *v);
  for (int s = 0; s < 4; s++) {
    if (s > 0) {
      integrator_advance(q, node[s] * h, rate, nq, q_stage);
      integrator_advance(v, node[s] * h, a, nv, v_stage);
      flg_robot_normalise(robot, q_stage);
    }
    system->acceleration(system->system, time + node[s] * h, q_stage, v_stage, v_stage, a);
    flg_robot_rate(robot, q_stage, v_stage, rate);
    integrator_advance(q_sum, weight[s] * h, rate, nq, q_sum);
    integrator_advance(v_sum, weight[s] * h, a, nv, v_sum);
  }
  flg_robot_normalise(robot, q_sum);
  memcpy(q, q_sum, (size_t)nq * sizeof *q);
  memcpy(v, v_sum, (size_t)nv * sizeof *v);
}

flg_status flg_integrator_step(flg_integrator *integrator, double time, double h, double *q,
                               double *v) {
  const flg_integrated *system = &integrator->system;
  switch (integrator->kind) {
    case FLG_INTEGRATOR_RK4:
      step_rk4(system, time, h, q, v, integrator->scratch);
      return FLG_OK;
    case FLG_INTEGRATOR_ADAPTIVE:
      return flg_adaptive_step(integrator->adaptive, time, h, q, v);
    default:
      step_kicking(integrator, time, h, q, v);
      return FLG_OK;
  }
}

void flg_integrator_watch(flg_integrator *integrator, const volatile int *stop) {
  if (integrator->kind == FLG_INTEGRATOR_ADAPTIVE) flg_adaptive_watch(integrator->adaptive, stop);
}
