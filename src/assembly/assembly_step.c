/* Schemes that step freely and then project: Runge-Kutta and semi-implicit Euler. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_inner_friction.h"
#include "assembly/assembly_signals.h"
#include "math/six.h"
#include "math/wide_vectors.h"

void flg_assembly_begin(flg_assembly *assembly) {
  assembly->scratch.elapsed = 0;
  if (flg_assembly_is_of_wholes(assembly)) { /* there are no rows, and no coordinates */
    flg_assembly_place_parts(assembly, assembly->state.q, assembly->state.v);
    return;
  }
  if (flg_assembly_knows_factors(assembly, assembly->state.q)) {
    flg_assembly_place(assembly, assembly->state.q,
                       assembly->state.v); /* the rows stand where they were */
  } else {
    flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  }
  flg_assembly_start_rates(assembly);
}

/* row sets besides rigid joints, which close by their rows alone */
static bool asks_for_rates(const flg_assembly *assembly) {
  return assembly->model.coordinate_count > 0 || assembly->model.watch_count > 0 ||
         assembly->model.row_set_count > assembly->model.rigid_count;
}

bool flg_assembly_begin_plain(flg_assembly *assembly) {
  if (asks_for_rates(assembly) || !flg_assembly_knows_motion(assembly, assembly->state.q)) {
    flg_assembly_begin(assembly);
    return false;
  }
  assembly->scratch.elapsed = 0;
  flg_assembly_place_parts(assembly, assembly->state.q, assembly->state.v);
  return true;
}

/* --- projection ---------------------------------------------------------------------------------
 */

/* In the Euclidean norm, with factors for it; the rows stay those that were chosen. */
static flg_status project_euclidean(flg_assembly *assembly) {
  assembly->scratch.mode.is_unit = true;
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  flg_status status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_FROZEN);
  if (status == FLG_OK)
    status = flg_assembly_project(assembly, assembly->state.q, assembly->state.v, NULL);
  if (status == FLG_OK) {
    const bool changed = flg_limits_arrive(assembly);
    flg_assembly_carry(assembly);
    flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
    status = flg_assembly_factor(assembly, assembly->state.q,
                                 changed ? FLG_PIVOTS_CHOOSE : FLG_PIVOTS_FROZEN);
  }
  if (status == FLG_OK) {
    status = flg_assembly_solve(assembly, assembly->state.v,
                                (flg_aim){.soft = FLG_SOFT_RATE, .rate = 1}, assembly->state.v);
  }
  if (status == FLG_OK) status = flg_assembly_take_velocities(assembly);
  assembly->scratch.mode.is_unit = false;
  return status;
}

static flg_status solve_velocities(flg_assembly *assembly, const double *from) {
  const flg_status status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  if (status != FLG_OK) return status;
  return flg_assembly_solve(assembly, from, (flg_aim){.soft = FLG_SOFT_RATE, .rate = 1},
                            assembly->state.v);
}

/* whether any limit, or friction inside of a part, does */
static bool change_any_limit(flg_assembly *assembly, double h) {
  const bool limits = flg_limits_reopen(assembly, h);
  return flg_inner_frictions_reopen(assembly, assembly->state.v) || limits;
}

/* Velocities onto the joints. In a semi-implicit step this is the share of joints that turn, in a
 * step of stages it stops what has come to rest. */
static flg_status project_velocities(flg_assembly *assembly, double h) {
  double *from = assembly->state.limits.from, *v = assembly->state.v;
  if (assembly->state.limits.count == 0 && !assembly->scratch.inner.are_known)
    return solve_velocities(assembly, v);
  const bool pushes = assembly->model.options.scheme == FLG_SCHEME_SEMI_IMPLICIT;
  memcpy(from, v, (size_t)assembly->model.velocity_count * sizeof *from);
  flg_status status = solve_velocities(assembly, v);
  bool again = status == FLG_OK && !pushes && flg_limits_turn(assembly, h);
  while (status == FLG_OK && (again || (pushes && change_any_limit(assembly, h)))) {
    status = solve_velocities(assembly, from);
    again = status == FLG_OK && again && flg_limits_rest_again(assembly);
  }
  if (status == FLG_OK && pushes) flg_limits_add(assembly);
  if (status == FLG_OK) flg_inner_frictions_rest(assembly, v);
  flg_limits_forget_turns(assembly);
  return status;
}

static flg_status project_mass(flg_assembly *assembly, double h) {
  flg_status status = flg_assembly_project(assembly, assembly->state.q, assembly->state.v, NULL);
  if (status != FLG_OK) return status;
  flg_limits_arrive(assembly);
  flg_assembly_carry(assembly);
  flg_assembly_place_still(assembly, assembly->state.q, assembly->state.v);
  const double kinetic = flg_assembly_kinetic_energy(assembly);
  status = project_velocities(assembly, h);
  if (status != FLG_OK) return status;
  flg_watch_note(assembly, 1, 0.5, 0.5);
  status = flg_assembly_take_velocities(assembly);
  if (status == FLG_OK) flg_assembly_note_wear(assembly, kinetic);
  return status;
}

/* Bodies that only touch each other: no joint holds any, or welds of events alone that are open. */
static bool step_is_free(const flg_assembly *assembly) {
  const int row_sets = assembly->model.row_set_count;
  if (!flg_assembly_flies(assembly) || row_sets > assembly->state.welds.count) return false;
  for (int k = 0; k < row_sets; k++) {
    if (flg_weld_holds(assembly, k)) return false;
  }
  return row_sets == 0 || assembly->model.watch_count == 0;
}

/* coordinates are all that there is to bring up to date */
static flg_status place_free(flg_assembly *assembly) {
  if (assembly->model.coordinate_count > 0)
    flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  return FLG_OK;
}

/* Bodies that have flown as one: velocities are closed, and so are positions but for rounding,
 * which is taken out before it adds up. */
static flg_status finish_wholes(flg_assembly *assembly) {
  const flg_status status =
      flg_assembly_project(assembly, assembly->state.q, assembly->state.v, NULL);
  assembly->scratch.mode.members = NULL;
  return status == FLG_OK ? place_free(assembly) : status;
}

static flg_status finish_by_norm(flg_assembly *assembly, double h) {
  const bool is_mass = assembly->model.options.norm == FLG_NORM_MASS;
  return is_mass ? project_mass(assembly, h) : project_euclidean(assembly);
}

flg_status flg_assembly_finish(flg_assembly *assembly, double h) {
  assembly->scratch.elapsed = h;
  assembly->scratch.mode.span = 0; /* what is closed now takes no time */
  const flg_status status = assembly->scratch.mode.members != NULL ? finish_wholes(assembly)
                            : step_is_free(assembly)               ? place_free(assembly)
                                                                   : finish_by_norm(assembly, h);
  flg_assembly_keep_angles(assembly);
  return status == FLG_OK ? flg_signals_end(assembly) : status;
}

/* --- Runge-Kutta --------------------------------------------------------------------------------
 */

/* Stages lie off the joints, by about h^2, and at an angle a from a singular pose accelerations
 * grow by that over a. A step that comes or goes so close that its pivots change over it takes
 * accelerations where stages are projected to: those of the same motion, continued off the joints
 * in another way, so that the order stays. */
static const double FAR = 0.5625; /* the angle has changed by a quarter in half a step */

static bool is_close(const flg_assembly *assembly, double least) {
  return !(fmin(assembly->scratch.factors.least, least) >
           FAR * fmax(assembly->scratch.factors.least, least));
}

/* positions of a stage onto the joints, then its velocities; placed and factored there */
static flg_status hold_stage(flg_assembly *assembly) {
  double *q = assembly->scratch.stage_q, *v = assembly->scratch.stage_v;
  flg_status status = flg_assembly_project(assembly, q, v, NULL);
  if (status != FLG_OK) return status;
  flg_assembly_place_rows(assembly, q, v);
  status = flg_assembly_factor(assembly, q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) {
    status = flg_assembly_solve(assembly, v, (flg_aim){.soft = FLG_SOFT_RATE, .rate = 1}, v);
  }
  flg_assembly_place_rows(assembly, q, v);
  return status;
}

/* factors of a stage after the first; whether it is held, and those that follow */
static flg_status factor_stage(flg_assembly *assembly, double least, bool *is_held) {
  const bool was_frozen = flg_plan_is_frozen(assembly->scratch.plan);
  const flg_status status =
      flg_assembly_factor(assembly, assembly->scratch.stage_q, FLG_PIVOTS_FROZEN);
  if (status != FLG_OK) return status;
  const bool is_other = was_frozen != (bool)flg_plan_is_frozen(assembly->scratch.plan);
  *is_held = *is_held || is_other || is_close(assembly, least); /* pivots of others tell nothing */
  return *is_held ? hold_stage(assembly) : FLG_OK;
}

/* accelerations at a stage, and the rates of its positions; weight: of the stage [s] */
static flg_status step_evaluate(flg_assembly *assembly, double time, const double *q,
                                const double *v, double weight, flg_pivots pivots) {
  const flg_status status = flg_assembly_forces(assembly, time, q, v);
  if (status != FLG_OK) return status;
  flg_watch_pull(assembly, weight);
  flg_assembly_rate(assembly, q, v, assembly->scratch.rate_q);
  return pivots == FLG_PIVOTS_CHOOSE ? flg_limits_accelerate(assembly, q, assembly->scratch.rate_v)
                                     : flg_assembly_accelerate(assembly, assembly->scratch.rate_v);
}

/* sum += weight * rates; stage = start + share * rates, if there is another stage */
/* four at a time, in whatever way it is compiled */
FLG_WIDE_VECTORS
static void advance_numbers(int count, const double *start, const double *rate, double weight,
                            double share, double *sum, double *stage) {
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    const flg_four r = *(const flg_four *)(rate + k);
    *(flg_four *)(sum + k) += r * weight;
    *(flg_four *)(stage + k) = *(const flg_four *)(start + k) + r * share;
  }
  for (; k < count; k++) {
    sum[k] += weight * rate[k];
    stage[k] = start[k] + share * rate[k];
  }
}

static void advance_parts_stage(flg_assembly *assembly, double weight, double share) {
  const struct flg_assembly_scratch *at = &assembly->scratch;
  advance_numbers(assembly->model.position_count, assembly->state.q, at->rate_q, weight, share,
                  at->sum_q, at->stage_q);
  advance_numbers(assembly->model.velocity_count, assembly->state.v, at->rate_v, weight, share,
                  at->sum_v, at->stage_v);
}

/* Accelerations of the first stage. drop: rows with less left of their pivots take no part in it,
 * but in the others. */
static flg_status start_stages(flg_assembly *assembly, double time, double weight, double drop) {
  const double *q = assembly->state.q, *v = assembly->state.v;
  flg_signals_enter(assembly, 0);
  if (drop > 0) flg_assembly_tolerate(assembly, drop);
  flg_status status = flg_assembly_factor(assembly, q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) status = step_evaluate(assembly, time, q, v, weight, FLG_PIVOTS_CHOOSE);
  flg_assembly_depart(assembly);
  if (status != FLG_OK || drop == 0) return status;
  flg_watch_note(assembly, weight, 1, 0);
  flg_assembly_tolerate(assembly, 0);
  return flg_assembly_factor(assembly, q, FLG_PIVOTS_CHOOSE);
}

/* All stages of a step from q and v, which stay; the sums are its changes. If the start turns out
 * to be too close to a singular pose for its own accelerations, *drop says for which pivots. */
static flg_status run_stages(flg_assembly *assembly, double time, double h, double *drop) {
  static const double nodes[4] = {0, 0.5, 0.5, 1}, weights[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  const double *q = assembly->scratch.stage_q, *v = assembly->scratch.stage_v;
  memset(assembly->scratch.sum_q, 0, (size_t)assembly->model.position_count * sizeof(double));
  memset(assembly->scratch.sum_v, 0, (size_t)assembly->model.velocity_count * sizeof(double));
  flg_status status = start_stages(assembly, time, h * weights[0], *drop);
  if (status != FLG_OK) return status;
  const double least = assembly->scratch.factors.least;
  bool is_held = false;
  if (*drop == 0) flg_watch_note(assembly, h * weights[0], 1, 0);
  advance_parts_stage(assembly, h * weights[0], h * nodes[1]);
  for (int stage = 1; stage < 4; stage++) {
    assembly->scratch.elapsed = nodes[stage] * h;
    flg_assembly_place_stage(assembly, q, v);
    status = factor_stage(assembly, least, &is_held);
    if (status != FLG_OK) return status;
    if (is_held && *drop == 0 && least < FLG_SINGULAR) {
      *drop = flg_assembly_singular(least);
      return FLG_OK;
    }
    flg_signals_enter(assembly, stage);
    status = step_evaluate(assembly, time + nodes[stage] * h, q, v, h * weights[stage],
                           FLG_PIVOTS_FROZEN);
    if (status != FLG_OK) return status;
    flg_watch_note(assembly, h * weights[stage], 1, 0);
    advance_parts_stage(assembly, h * weights[stage], stage < 3 ? h * nodes[stage + 1] : 0);
  }
  return FLG_OK;
}

flg_status flg_assembly_rk4(flg_assembly *assembly, double time, double h) {
  double drop = 0;
  if (flg_assembly_stages_by_code(assembly, time, h)) return FLG_OK;
  assembly->scratch.kick = assembly->scratch.horizon =
      0; /* nothing is implicit, though a model may have been made before */
  assembly->state.limits.step = h;
  flg_watch_remember(assembly);
  flg_assembly_begin(assembly);
  flg_signals_begin(assembly, time, h);
  flg_status status = run_stages(assembly, time, h, &drop);
  if (status == FLG_OK && drop > 0) {
    flg_watch_recall(assembly);
    assembly->scratch.elapsed = 0;
    flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
    status = run_stages(assembly, time, h, &drop);
  }
  if (status != FLG_OK) return status;
  for (int k = 0; k < assembly->model.position_count; k++)
    assembly->state.q[k] += assembly->scratch.sum_q[k];
  for (int k = 0; k < assembly->model.velocity_count; k++)
    assembly->state.v[k] += assembly->scratch.sum_v[k];
  flg_assembly_normalise(assembly, assembly->state.q);
  flg_limits_note(assembly, 1);
  status = flg_limits_land(assembly, h);
  if (status == FLG_OK) status = flg_assembly_finish(assembly, h);
  if (status == FLG_OK) flg_assembly_arrive(assembly, time, h);
  return status;
}

/* --- semi-implicit Euler ------------------------------------------------------------------------
 */

/* q and v after the push */
static flg_status step_fly(flg_assembly *assembly, double h) {
  double *q = assembly->state.q, *v = assembly->state.v;
  assembly->scratch.mode.members = flg_wholes_members(assembly);
  const flg_status status = flg_assembly_fly(assembly, h, q, v);
  return status == FLG_OK ? flg_assembly_touch_move(assembly, q, v) : status;
}

/* v under all forces and joints of the step */
static flg_status assembly_step_push(flg_assembly *assembly, double h, bool is_factored,
                                     double *v) {
  const double *q = assembly->state.q;
  flg_status status = FLG_OK;
  if (!is_factored) status = flg_assembly_factor_motion(assembly, q);
  if (status == FLG_OK) status = flg_assembly_touch_look(assembly, h);
  if (status != FLG_OK) return status;
  flg_assembly_accelerate_free(assembly, assembly->scratch.stage_v);
  for (int k = 0; k < assembly->model.velocity_count; k++) v[k] += h * assembly->scratch.stage_v[k];
  return flg_limits_push(assembly, q, 0, h, v);
}

static flg_status step_move(flg_assembly *assembly, double h, bool is_factored) {
  flg_status status = assembly_step_push(assembly, h, is_factored, assembly->state.v);
  if (status != FLG_OK) return status;
  flg_limits_note(assembly, h);
  flg_watch_note(assembly, 1, 0.5, 0.5);
  status = step_fly(assembly, h);
  return status == FLG_OK ? flg_assembly_finish(assembly, h) : status;
}

/* Forces of the step; whether its factors are those that there are. */
static flg_status step_gather(flg_assembly *assembly, double time, double h, bool *is_known) {
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.mode.span = h;
  assembly->scratch.phase = FLG_PHASE_WHOLE;
  *is_known = flg_assembly_begin_plain(assembly);
  flg_signals_begin(assembly, time, h);
  flg_inner_frictions_begin(assembly, time, h);
  const flg_status status =
      flg_assembly_forces(assembly, time, assembly->state.q, assembly->state.v);
  *is_known = *is_known && !flg_assembly_resists(assembly);
  return status;
}

flg_status flg_assembly_semi_implicit(flg_assembly *assembly, double time, double h) {
  bool is_known;
  flg_status status = FLG_OK;
  if (flg_alone_step(assembly, time, h, &status)) return status;
  status = step_gather(assembly, time, h, &is_known);
  if (status == FLG_OK) flg_watch_pull(assembly, h);
  assembly->scratch.mode.is_damped = flg_assembly_resists(assembly);
  if (status == FLG_OK) status = step_move(assembly, h, is_known);
  assembly->scratch.mode.is_damped = false;
  flg_inner_frictions_end(assembly);
  return status;
}

flg_status flg_assembly_try_push(flg_assembly *assembly, double time, double h) {
  double *v = assembly->scratch.sum_v;
  bool is_known;
  flg_status status = step_gather(assembly, time, h, &is_known);
  memcpy(v, assembly->state.v, (size_t)assembly->model.velocity_count * sizeof *v);
  assembly->scratch.mode.is_damped = flg_assembly_resists(assembly);
  if (status == FLG_OK) status = assembly_step_push(assembly, h, is_known, v);
  assembly->scratch.mode.is_damped = false;
  flg_inner_frictions_end(assembly);
  return status;
}
