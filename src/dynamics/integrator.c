#include "dynamics/integrator.h"

#include <string.h>

const char *const flg_integrator_names[] = {"semi-implicit", "rk4", NULL};

static void step_semi_implicit(const flg_robot *robot, flg_acceleration *acceleration, void *system,
                               double time, double h, double *q, double *v, double *scratch) {
  double *a = scratch;
  acceleration(system, time, q, v, a);
  for (int i = 0; i < robot->velocity_count; i++) v[i] += h * a[i];
  flg_robot_integrate(robot, q, v, h, q);
}

/* out = base + factor slope */
static void advance(const double *base, double factor, const double *slope, int count,
                    double *out) {
  for (int i = 0; i < count; i++) out[i] = base[i] + factor * slope[i];
}

static void step_rk4(const flg_robot *robot, flg_acceleration *acceleration, void *system,
                     double time, double h, double *q, double *v, double *scratch) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  const int nq = robot->position_count, nv = robot->velocity_count;
  double *q_stage = scratch, *v_stage = q_stage + nq;
  double *rate = v_stage + nv, *a = rate + nq;
  double *q_sum = a + nv, *v_sum = q_sum + nq;
  memcpy(q_stage, q, (size_t)nq * sizeof *q), memcpy(q_sum, q, (size_t)nq * sizeof *q);
  memcpy(v_stage, v, (size_t)nv * sizeof *v), memcpy(v_sum, v, (size_t)nv * sizeof *v);
  for (int s = 0; s < 4; s++) {
    if (s > 0) {
      advance(q, node[s] * h, rate, nq, q_stage);
      advance(v, node[s] * h, a, nv, v_stage);
      flg_robot_normalise(robot, q_stage);
    }
    acceleration(system, time + node[s] * h, q_stage, v_stage, a);
    flg_robot_rate(robot, q_stage, v_stage, rate);
    advance(q_sum, weight[s] * h, rate, nq, q_sum);
    advance(v_sum, weight[s] * h, a, nv, v_sum);
  }
  flg_robot_normalise(robot, q_sum);
  memcpy(q, q_sum, (size_t)nq * sizeof *q);
  memcpy(v, v_sum, (size_t)nv * sizeof *v);
}

const flg_integrator flg_integrators[FLG_INTEGRATOR_COUNT] = {
    {"semi-implicit", 1, step_semi_implicit},
    {"rk4", 4, step_rk4},
};

size_t flg_integrator_scratch(const flg_robot *robot) {
  return 3 * ((size_t)robot->position_count + (size_t)robot->velocity_count);
}
