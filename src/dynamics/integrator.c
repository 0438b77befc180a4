#include "dynamics/integrator.h"

#include <string.h>

#include "dynamics/adaptive.h"

struct flg_integrator {
  flg_integrator_kind kind;
  flg_integrated system;
  double *scratch;        /* 3 (positions + velocities) */
  flg_adaptive *adaptive; /* NULL unless of that kind */
};

const char *const flg_integrator_names[] = {"semi-implicit", "rk4", "adaptive", NULL};

flg_integrator_options flg_integrator_default(void) {
  return (flg_integrator_options){FLG_INTEGRATOR_SEMI_IMPLICIT, 1e-10, 1e-12};
}

static size_t scratch_count(const flg_robot *robot) {
  return 3 * ((size_t)robot->position_count + (size_t)robot->velocity_count);
}

size_t flg_integrator_bytes(const flg_robot *robot) {
  return flg_arena_bytes(1, sizeof(flg_integrator)) +
         flg_arena_bytes(scratch_count(robot), sizeof(double));
}

flg_status flg_integrator_build(flg_integrator **integrator, const flg_integrator_options *options,
                                const flg_integrated *system, flg_arena *arena, flg_error *error) {
  const size_t bytes = flg_integrator_bytes(system->robot);
  if (bytes > flg_arena_left(arena)) {
    return flg_fail(error, FLG_ERR_MEMORY, "An integrator needs %zu bytes, %zu are left.", bytes,
                    flg_arena_left(arena));
  }
  flg_adaptive *adaptive = NULL;
  if (options->kind == FLG_INTEGRATOR_ADAPTIVE) {
    const flg_status status = flg_adaptive_build(&adaptive, options, system, error);
    if (status != FLG_OK) return status;
  }
  flg_integrator *built = flg_arena_take(arena, 1, sizeof *built);
  built->kind = options->kind;
  built->system = *system;
  built->scratch = flg_arena_take(arena, scratch_count(system->robot), sizeof(double));
  built->adaptive = adaptive;
  *integrator = built;
  return FLG_OK;
}

void flg_integrator_release(flg_integrator *integrator) {
  if (integrator != NULL) flg_adaptive_release(integrator->adaptive);
}

bool flg_integrator_is_implicit(const flg_integrator *integrator) {
  return integrator->kind == FLG_INTEGRATOR_SEMI_IMPLICIT;
}

static void step_semi_implicit(const flg_integrated *system, double time, double h, double *q,
                               double *v, double *scratch) {
  double *a = scratch;
  system->acceleration(system->system, time, q, v, a);
  for (int i = 0; i < system->robot->velocity_count; i++) v[i] += h * a[i];
  flg_robot_integrate(system->robot, q, v, h, q);
}

/* out = base + factor slope */
static void advance(const double *base, double factor, const double *slope, int count,
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
      advance(q, node[s] * h, rate, nq, q_stage);
      advance(v, node[s] * h, a, nv, v_stage);
      flg_robot_normalise(robot, q_stage);
    }
    system->acceleration(system->system, time + node[s] * h, q_stage, v_stage, a);
    flg_robot_rate(robot, q_stage, v_stage, rate);
    advance(q_sum, weight[s] * h, rate, nq, q_sum);
    advance(v_sum, weight[s] * h, a, nv, v_sum);
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
      step_semi_implicit(system, time, h, q, v, integrator->scratch);
      return FLG_OK;
  }
}
