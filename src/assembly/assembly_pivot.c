/* Which frictions stick and which stops are touched: principal pivoting with the plan's factors. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_inner_friction.h"
#include "assembly/assembly_limits_inner.h"
#include "base/tolerances.h"
#include "limits/search.h"
#include "math/larger.h"

/* A friction whose rate forces reverse sticks for the rest of the step, which is within the error
 * of a step; what needs so many times the friction to stop is a blow. */
static const double BLOW = 100;

/* Times that forces on what sticks inside of parts are corrected in a solve. Each leaves 1e-6 m of
 * its creep, of what is joined to it and m times heavier. */
enum { HOLDS_MAX = 30 };

typedef enum level { LEVEL_PUSH, LEVEL_ACCELERATION, LEVEL_IMPACT } level;

/* The solve that is repeated until all laws hold. */
typedef struct search {
  flg_assembly *assembly;
  level level;
  flg_aim aim;
  const double *q;
  double duration; /* for how long rates last [s], 0: only what touches is stopped */
  double *y;
  double tolerance; /* of rates, by the unit of their limit */
  bool stale;       /* the set has changed since the plan was factored */
  double rest;      /* rates before the step that are rounding, the same */
  bool renews;      /* ... and so have forces inside of parts */
} search;

/* --- solutions ----------------------------------------------------------------------------------
 */

/* G y of a row */
static double pivot_rate_of(const flg_assembly *assembly, const flg_limit *limit) {
  const flg_plan_joint *view = &assembly->model.row_sets[limit->row_set].view;
  double sum = 0;
  for (int e = 0; e < limit->ends; e++) {
    if (limit->end[e].part == FLG_GROUND) continue;
    const double *motion =
        assembly->scratch.views[limit->end[e].part].motion + FLG_PORT_NUMBERS * limit->end[e].port;
    for (int j = 0; j < FLG_PORT_NUMBERS; j++) sum += view->side[e][j * view->leading] * motion[j];
  }
  return sum;
}

/* of turns, and of displacements over the length of the system */
static double largest_bias(const flg_assembly *assembly) {
  double linear = 0, angular = 0;
  for (int k = 0; k < assembly->model.part_count; k++) {
    const flg_plan_part *view = &assembly->scratch.views[k];
    for (int i = 0; i < view->rows; i++) {
      double *most = i % FLG_PORT_NUMBERS < 3 ? &linear : &angular;
      *most = flg_larger(*most, fabs(view->bias[i]));
    }
  }
  return flg_larger(linear / assembly->model.length, angular);
}

/* with the set as it is */
static flg_status solve_once(search *in) {
  flg_assembly *assembly = in->assembly;
  double *from = assembly->state.limits.from;
  flg_status status = FLG_OK;
  if (in->renews) status = flg_inner_frictions_renew(assembly, from);
  if (in->stale && status == FLG_OK)
    status = flg_assembly_factor(assembly, in->q, FLG_PIVOTS_CHOOSE);
  in->renews = in->stale = false;
  if (status != FLG_OK) return status;
  return in->level == LEVEL_ACCELERATION
             ? flg_assembly_accelerate(assembly, in->y)
             : flg_assembly_solve_touching(assembly, from, in->aim, in->y);
}

/* again, until what sticks inside of parts is still */
static flg_status pivot_solve(void *host) {
  search *in = host;
  flg_assembly *assembly = in->assembly;
  flg_limits *limits = &assembly->state.limits;
  flg_status status = solve_once(in);
  for (int k = 0; k < HOLDS_MAX && status == FLG_OK; k++) {
    if (!flg_inner_frictions_hold(assembly, in->y)) break;
    in->renews = true;
    status = solve_once(in);
  }
  if (status != FLG_OK) return status;
  in->tolerance = FLG_RATE_ROUNDING * largest_bias(assembly);
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    if (in->level == LEVEL_ACCELERATION) limits->noise = in->tolerance;
    limit->rate = pivot_rate_of(assembly, limit) +
                  in->aim.bias * assembly->model.row_sets[limit->row_set].bias[0];
  }
  return FLG_OK;
}

static double rounding_of_rates(const flg_assembly *assembly) {
  return FLG_RATE_ROUNDING * flg_limits_fastest(assembly);
}

/* --- laws ---------------------------------------------------------------------------------------
 */

/* what the last solve has found of a limit */
static flg_limit_seen pivot_see(const search *in, const flg_limit *limit) {
  const flg_assembly *assembly = in->assembly;
  const flg_row_set *row = &assembly->model.row_sets[limit->row_set];
  const flg_limit_state *state =
      &assembly->state.limits.states[limit - assembly->state.limits.list];
  const double unit = flg_limit_unit(assembly, limit), tolerance = in->tolerance * unit;
  return (flg_limit_seen){.mode = (int)state->mode,
                          .value = flg_limit_value(assembly, limit),
                          .before = row->rate[0],
                          .after = limit->rate,
                          .travel = limit->rate,
                          .impulse = row->view.reactions[0],
                          .load = state->load,
                          .is_broken = limit->broken,
                          .kick = assembly->state.limits.kick,
                          .duration = in->duration,
                          .near = FLG_LIMIT_TOUCHES * unit,
                          .rounding = {tolerance, tolerance / row->view.scale[0]}};
}

/* Accelerations do not turn what slips already, unless others have stopped it: what is left of its
 * rate then is rounding. An impact turns it around. */
static int judge_friction(const search *in, const flg_limit *limit, const flg_limit_seen *seen) {
  const double rounded = in->rest + in->assembly->state.limits.step * in->tolerance;
  const bool slips = fabs(seen->before) > rounded * flg_limit_unit(in->assembly, limit);
  const bool keeps = in->level == LEVEL_ACCELERATION && limit->start_mode != 0 && slips;
  if (seen->mode != 0 && keeps) return seen->mode;
  const int wanted =
      flg_friction_judge(&in->assembly->model.component->frictions[limit->friction], seen);
  return seen->mode != 0 && wanted == 0 && in->level == LEVEL_IMPACT ? -seen->mode : wanted;
}

/* accelerations close what was closed before */
static int judge_stop(const search *in, const flg_limit *limit, flg_limit_seen seen) {
  if (in->level == LEVEL_ACCELERATION) seen.near = (double)INFINITY;
  const int wanted = flg_stop_judge(&in->assembly->model.component->stops[limit->stop], &seen);
  return in->level == LEVEL_ACCELERATION && wanted != limit->start_mode ? 0 : wanted;
}

/* closed, but others hold it elsewhere */
static bool pivot_contradicts(const search *in, const flg_limit *limit,
                              const flg_limit_seen *seen) {
  return flg_limit_closes(limit, seen->mode) && !in->assembly->state.limits.yields &&
         fabs(limit->rate - limit->target) > FLG_CONTRADICTION * seen->rounding[0] &&
         flg_plan_is_redundant(in->assembly->scratch.plan, limit->row_set, 0) != 0;
}

/* of frictions inside of parts, which come after the limits of the assembly; -1: it is no such */
static int inner_of(const search *in, int index) {
  return index < in->assembly->state.limits.count ? -1 : index - in->assembly->state.limits.count;
}

static int pivot_judge(const void *host, int index) {
  const search *in = host;
  const int inner = inner_of(in, index);
  if (inner >= 0) return flg_inner_friction_wanted(in->assembly, inner, in->y);
  const flg_limit *limit = &in->assembly->state.limits.list[index];
  const flg_limit_seen seen = pivot_see(in, limit);
  if (pivot_contradicts(in, limit, &seen)) return FLG_LIMIT_CONTRADICTS;
  return limit->stop >= 0 ? judge_stop(in, limit, seen) : judge_friction(in, limit, &seen);
}

static int pivot_mode_of(const void *host, int index) {
  const search *in = host;
  const int inner = inner_of(in, index);
  return inner >= 0 ? (int)*in->assembly->scratch.inner.list[inner].mode
                    : (int)in->assembly->state.limits.states[index].mode;
}

/* --- changing over ------------------------------------------------------------------------------
 */

/* how a stop is met, once in a search */
static void decide(const search *in, flg_limit *limit, int side) {
  const flg_component_stop *stop = &in->assembly->model.component->stops[limit->stop];
  flg_limit_seen seen = pivot_see(in, limit);
  if (in->level != LEVEL_PUSH) seen.before = 0; /* nothing is thrown back */
  const double gap = flg_stop_gap(stop, side, seen.value);
  const double landing = in->duration > 0 && gap > 0 ? side * gap / in->duration : 0;
  limit->side = side;
  limit->met_as = flg_stop_meet(stop, &seen, side, landing);
}

static void pivot_meet(const search *in, flg_limit *limit, flg_limit_state *state, int side) {
  const flg_assembly *assembly = in->assembly;
  const double gap = flg_limit_gap(assembly, limit, side);
  limit->met = true;
  state->closed_at = gap < -FLG_LIMIT_TOUCHES * flg_limit_unit(assembly, limit)
                         ? flg_limit_value(assembly, limit)
                         : flg_limit_end(assembly, limit, side);
  if (limit->side != side) decide(in, limit, side);
  limit->target = limit->met_as.target;
  limit->bounces = limit->met_as.bounces;
}

static void pivot_change(void *host, int index, int mode, bool is_alone) {
  search *in = host;
  flg_assembly *assembly = in->assembly;
  const int inner = inner_of(in, index);
  if (inner >= 0) {
    *assembly->scratch.inner.list[inner].mode = mode;
    *assembly->scratch.inner.list[inner].held = 0;
    in->stale = in->renews = true;
    return;
  }
  flg_limit *limit = &assembly->state.limits.list[index];
  flg_limit_state *state = &assembly->state.limits.states[index];
  in->stale |= flg_limit_closes(limit, mode) != flg_limit_closes(limit, (int)state->mode);
  state->mode = mode;
  limit->target = 0;
  limit->bounces = false;
  if (limit->stop >= 0 && mode != 0) pivot_meet(in, limit, state, mode);
  if (limit->stop < 0 && mode == 0) state->closed_at = flg_limit_value(assembly, limit);
  if (flg_limit_closes(limit, mode)) {
    /* contacts move bodies by this row before it is placed again */
    assembly->model.row_sets[limit->row_set].left[0] =
        flg_limit_value(assembly, limit) - state->closed_at;
  }
  limit->broken |= is_alone && mode != 0;
}

static void pivot_yield(void *host, bool yields) {
  search *in = host;
  in->assembly->state.limits.yields = yields;
  in->stale = true;
}

static const flg_limit_ops ops = {pivot_solve, pivot_mode_of, pivot_judge, pivot_change,
                                  pivot_yield};

/* --- the search ---------------------------------------------------------------------------------
 */

/* what was thrown back is apart again, and keeps the impulse that did it */
static flg_status throw_back(search *in) {
  flg_limits *limits = &in->assembly->state.limits;
  bool any = false;
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    if (!limit->bounces) continue;
    limit->given = in->assembly->model.row_sets[limit->row_set].view.reactions[0];
    limit->bounces = false;
    limit->thrown = true;
    limits->blows++;
    limit->target = 0;
    limit->switches++;
    limits->states[k].mode = limit->start_mode = 0;
    in->stale = any = true;
  }
  return any ? pivot_solve(in) : FLG_OK;
}

static void open_search(flg_limits *limits, double kick) {
  limits->kick = kick;
  for (int k = 0; k < limits->count; k++) {
    limits->list[k].start_mode = (int)limits->states[k].mode;
    limits->list[k].given = 0;
    limits->list[k].broken = false;
    limits->list[k].side = 0;
  }
}

static void close_search(flg_limits *limits) {
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    const int mode = (int)limits->states[k].mode;
    limit->switches += mode != limit->start_mode;
    limits->blows += limit->stop >= 0 && mode != 0 && mode == limit->side && limit->met_as.is_blow;
    limit->target = limit->given = 0;
  }
}

/* Frictions inside of parts whose modes are not found are damping, as in a step that knows none. */
static flg_status search_all(search *in, bool *is_solved) {
  flg_assembly *assembly = in->assembly;
  const int limits = assembly->state.limits.count;
  const int inner = assembly->scratch.inner.are_known ? assembly->scratch.inner.count : 0;
  flg_status status = flg_limits_search(&ops, in, limits + inner, is_solved);
  if (inner == 0 || status != FLG_OK || *is_solved) return status;
  flg_inner_frictions_give_up(assembly);
  in->stale = in->renews = true;
  return flg_limits_search(&ops, in, limits, is_solved);
}

/* whether stops are on their way to an end in this step, and rest there from its start on now */
static bool rest_at_ends(flg_limits *limits) {
  bool any = false;
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    if (limit->stop < 0 || limits->states[k].mode == 0 || limit->bounces || limit->target == 0) {
      continue;
    }
    limit->target = limit->met_as.target = 0;
    any = true;
  }
  return any;
}

/* positions, by what was travelled faster than velocities are now */
static void go_to_ends(const search *in) {
  flg_assembly *assembly = in->assembly;
  flg_limits *limits = &assembly->state.limits;
  for (int k = 0; k < assembly->model.velocity_count; k++) limits->travel[k] -= in->y[k];
  flg_assembly_displace(assembly, assembly->state.q, limits->travel, in->duration,
                        assembly->state.q);
  for (int k = 0; k < limits->count; k++) {
    const flg_limit *limit = &limits->list[k];
    if (limit->stop >= 0 && limits->states[k].mode != 0) {
      assembly->model.row_sets[limit->row_set].left[0] = 0; /* until it is placed again */
    }
  }
}

/* Velocities at the end of a whole step are projected without contacts, which have to bear their
 * share of a landing: positions go with the velocities that use up the way to the end, and those
 * that stay are found again, with contacts, as of one hit. */
static flg_status land_at_once(search *in, bool *is_solved) {
  flg_assembly *assembly = in->assembly;
  flg_limits *limits = &assembly->state.limits;
  const bool is_whole = in->level == LEVEL_PUSH && assembly->scratch.phase == FLG_PHASE_WHOLE;
  if (!is_whole || assembly->model.touch == NULL) return FLG_OK;
  memcpy(limits->travel, in->y, (size_t)assembly->model.velocity_count * sizeof *in->y);
  if (!rest_at_ends(limits)) return FLG_OK;
  bool is_again;
  const flg_status status = search_all(in, &is_again);
  *is_solved = *is_solved && is_again;
  if (status == FLG_OK) go_to_ends(in);
  return status;
}

static flg_status pivot_find(search *in, double kick) {
  flg_limits *limits = &in->assembly->state.limits;
  open_search(limits, kick);
  bool is_solved;
  flg_status status = search_all(in, &is_solved);
  if (status == FLG_OK) status = land_at_once(in, &is_solved);
  limits->unsolved += !is_solved;
  if (status == FLG_OK && flg_inner_frictions_settle(in->assembly, in->y, limits->from)) {
    status = solve_once(in);
  }
  /* after an impact, positions come first */
  if (status == FLG_OK && in->level != LEVEL_IMPACT) status = throw_back(in);
  close_search(limits);
  return status;
}

/* --- for the schemes ----------------------------------------------------------------------------
 */

flg_status flg_limits_push(flg_assembly *assembly, const double *q, double bias, double duration,
                           double *v) {
  const flg_aim aim = {.bias = bias, .soft = FLG_SOFT_LAW, .rate = 1, .rise = bias};
  if (assembly->state.limits.count == 0 && !assembly->scratch.inner.are_known)
    return flg_assembly_solve_touching(assembly, v, aim, v);
  memcpy(assembly->state.limits.from, v, (size_t)assembly->model.velocity_count * sizeof *v);
  search in = {assembly, LEVEL_PUSH, aim, q, duration, v, .stale = false};
  const flg_status status = pivot_find(&in, assembly->scratch.kick);
  flg_inner_frictions_rest(assembly, v);
  return status;
}

flg_status flg_limits_accelerate(flg_assembly *assembly, const double *q, double *a) {
  if (assembly->state.limits.count == 0) return flg_assembly_accelerate(assembly, a);
  search in = {
      assembly, LEVEL_ACCELERATION, {.bias = 1}, q, 0, a, .rest = rounding_of_rates(assembly)};
  return pivot_find(&in, 1);
}

/* --- the end of a step that did not push --------------------------------------------------------
 */

/* A stop that was passed. With restitution all is as if it had been thrown back when it was hit,
 * and pulled on since: place and rate. */
static bool land_on(flg_assembly *assembly, flg_limit *limit, flg_limit_state *state, int side) {
  const double gap = flg_limit_gap(assembly, limit, side), h = assembly->scratch.elapsed;
  const double rate = assembly->model.row_sets[limit->row_set].rate[0];
  if (!(gap < 0 && side * rate > 0)) return false;
  const double pull = (rate - limit->rate) / h, since = fmin(h, -side * gap / rate);
  const double hit = rate - pull * since;
  const double back = -assembly->model.component->stops[limit->stop].restitution * hit;
  const double most = 2 * h * fmax(fabs(limit->rate), fabs(rate));
  limit->bounces = -side * back > h * fabs(pull);
  assembly->state.limits.blows += side * hit > h * fabs(pull);
  state->mode = side;
  const bool passed_before = -gap > most;
  state->closed_at =
      passed_before ? flg_limit_value(assembly, limit) : flg_limit_end(assembly, limit, side);
  if (!limit->bounces) return true;
  if (!passed_before) state->closed_at += since * (back + pull * since / 2);
  limit->target = back + pull * since;
  return true;
}

/* whether anything changed */
static bool land(flg_assembly *assembly, int index, double tolerance) {
  flg_limit *limit = &assembly->state.limits.list[index];
  flg_limit_state *state = &assembly->state.limits.states[index];
  if (limit->stop >= 0) {
    return state->mode == 0 &&
           (land_on(assembly, limit, state, -1) || land_on(assembly, limit, state, 1));
  }
  const double rate = assembly->model.row_sets[limit->row_set].rate[0];
  if (limit->damps || !(state->mode * rate < -tolerance * flg_limit_unit(assembly, limit)))
    return false;
  state->mode = 0;
  limit->arrives = true;
  limit->late = fabs(rate) / (fabs(rate) + fabs(limit->rate));
  return true;
}

/* what has changed by the end of the step; stops: whether one of them was hit */
static bool land_all(flg_assembly *assembly, bool *stops) {
  flg_limits *limits = &assembly->state.limits;
  const double tolerance = rounding_of_rates(assembly) + assembly->scratch.elapsed * limits->noise;
  bool any = false;
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    if (!land(assembly, k, tolerance)) continue;
    limit->switches += !limit->bounces;
    *stops |= limit->stop >= 0;
    any = true;
  }
  return any;
}

/* Hits are instantaneous: what sticks can add no more than its bound times h, as in a step. */
flg_status flg_limits_land(flg_assembly *assembly, double h) {
  flg_limits *limits = &assembly->state.limits;
  if (limits->count == 0) return FLG_OK;
  for (int k = 0; k < limits->count; k++) { /* before the step, to compare with */
    limits->list[k].rate = assembly->model.coordinates[limits->list[k].coordinate].start_rate;
  }
  assembly->scratch.elapsed = h;
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  bool stops = false;
  limits->arriving = land_all(assembly, &stops);
  if (!stops) return FLG_OK; /* what sticks now is still open in the factors, as it should be */
  limits->arriving = false;
  flg_limits_forget_turns(assembly); /* the search decides on frictions, too */
  memcpy(limits->from, assembly->state.v, (size_t)assembly->model.velocity_count * sizeof(double));
  const flg_aim aim = {.soft = FLG_SOFT_RATE, .rate = 1};
  search in = {assembly, LEVEL_IMPACT, aim, assembly->state.q, 0, assembly->state.v, .stale = true};
  const flg_status status = pivot_find(&in, h);
  if (status == FLG_OK) flg_watch_note(assembly, 1, 0.5, 0.5);
  limits->arriving = true;
  return status == FLG_OK ? flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE)
                          : status;
}

bool flg_limits_arrive(flg_assembly *assembly) {
  flg_limits *limits = &assembly->state.limits;
  const bool any = limits->arriving;
  for (int k = 0; k < limits->count && limits->arriving; k++) {
    flg_limit *limit = &limits->list[k];
    if (limit->arrives) limits->states[k].closed_at = flg_limit_value(assembly, limit);
    if (limit->bounces) limits->states[k].mode = 0, limit->thrown = true;
    limit->switches += limit->bounces;
    limit->arrives = limit->bounces = false;
  }
  limits->arriving = false;
  return any;
}

/* --- what reversed under a blow -----------------------------------------------------------------
 */

/* Forces of the step were constant: what would stop a friction now is what pulled it since it
 * reversed, with the friction that still pushed as before. Stiction and friction together hold as
 * much in that time. */
static double most_held(const flg_assembly *assembly, int index, int way, double h) {
  const flg_limit *limit = &assembly->state.limits.list[index];
  const flg_component_friction *friction = &assembly->model.component->frictions[limit->friction];
  const double load = assembly->state.limits.states[index].load;
  return h * limit->late *
         (flg_friction_bound_at_rest(friction, load, way) +
          flg_friction_bound_in_motion(friction, load, way, 0));
}

/* it slips on, and friction pushes back since it reversed */
static void pivot_turn(flg_assembly *assembly, int index, int way, double h) {
  flg_limit *limit = &assembly->state.limits.list[index];
  flg_limit_state *state = &assembly->state.limits.states[index];
  const flg_component_friction *friction = &assembly->model.component->frictions[limit->friction];
  state->mode = way;
  limit->given =
      -way * 2 * h * limit->late * flg_friction_bound_in_motion(friction, state->load, way, 0);
}

/* Judged together, by work: where rows repeat each other, one of them may have the impulse of all.
 */
bool flg_limits_turn(flg_assembly *assembly, double h) {
  const flg_limits *limits = &assembly->state.limits;
  double needed = 0, held = 0;
  for (int k = 0; k < limits->count; k++) {
    const flg_row_set *row = &assembly->model.row_sets[limits->list[k].row_set];
    const double rate = row->rate[0]; /* before the projection */
    if (!(limits->list[k].late > 0) || limits->states[k].mode != 0) continue;
    needed -= row->view.reactions[0] * rate;
    held += most_held(assembly, k, rate > 0 ? 1 : -1, h) * fabs(rate);
  }
  if (!(needed > BLOW * held)) return false;
  for (int k = 0; k < limits->count; k++) {
    const double rate = assembly->model.row_sets[limits->list[k].row_set].rate[0];
    if (limits->list[k].late > 0 && limits->states[k].mode == 0) {
      pivot_turn(assembly, k, rate > 0 ? 1 : -1, h);
    }
  }
  return true;
}

bool flg_limits_rest_again(flg_assembly *assembly) {
  const flg_limits *limits = &assembly->state.limits;
  bool any = false;
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    flg_limit_state *state = &limits->states[k];
    if (!(limit->late > 0) || !(state->mode * pivot_rate_of(assembly, limit) < 0)) continue;
    state->mode = limit->given = 0;
    any = true;
  }
  return any;
}

void flg_limits_forget_turns(flg_assembly *assembly) {
  for (int k = 0; k < assembly->state.limits.count; k++) {
    assembly->state.limits.list[k].late = assembly->state.limits.list[k].given = 0;
  }
}
