/* Which frictions stick and which stops are touched: principal pivoting with the plan's factors. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_limits_inner.h"
#include "math/larger.h"
#include "model/limit.h"

/* solves without progress before rows change one at a time; in all so many, and so many a row */
enum { PATIENCE = 5, SOLVES_MIN = 100, SOLVES_A_ROW = 30 };
/* what rounding leaves of a rate, in units of the last place of the largest velocity */
static const double ROUNDING = 64 * DBL_EPSILON;

/* closed rows are further from their rates than this, in units of that: they contradict others */
static const double CONTRADICTION = 1e4;

typedef enum level { LEVEL_PUSH, LEVEL_ACCELERATION, LEVEL_IMPACT } level;

/* What is solved again and again until all laws hold. */
typedef struct search {
  flg_assembly *assembly;
  level level;
  flg_aim aim;
  const double *q;
  double reach; /* for how long rates last [s], 0: only what touches is stopped */
  double *y;
  double tolerance; /* of a rate */
  bool stale;       /* the set has changed since the plan was factored */
} search;

/* --- solutions ----------------------------------------------------------------------------------
 */

/* G y of a row */
static double rate_of(const flg_assembly *assembly, const flg_limit *limit) {
  const flg_plan_joint *view = &assembly->closings[limit->closing].view;
  double sum = 0;
  for (int e = 0; e < limit->ends; e++) {
    if (limit->end[e].part == FLG_GROUND) continue;
    const double *motion =
        assembly->views[limit->end[e].part].motion + FLG_PORT_NUMBERS * limit->end[e].port;
    for (int j = 0; j < FLG_PORT_NUMBERS; j++) sum += view->side[e][j * view->leading] * motion[j];
  }
  return sum;
}

static double largest_bias(const flg_assembly *assembly) {
  double most = 0;
  for (int k = 0; k < assembly->part_count; k++) {
    const flg_plan_part *view = &assembly->views[k];
    for (int i = 0; i < view->rows; i++) most = flg_larger(most, fabs(view->bias[i]));
  }
  return most;
}

static flg_status solve(search *in) {
  flg_assembly *assembly = in->assembly;
  flg_limits *limits = &assembly->limits;
  flg_status status = FLG_OK;
  if (in->stale) {
    in->stale = false;
    flg_assembly_drop_factors(assembly);
    status = flg_assembly_factor(assembly, in->q, FLG_PIVOTS_CHOOSE);
  }
  if (status != FLG_OK) return status;
  status = in->level == LEVEL_ACCELERATION
               ? flg_assembly_accelerate(assembly, in->y)
               : flg_assembly_solve_touching(assembly, limits->from, in->aim, in->y);
  if (status != FLG_OK) return status;
  in->tolerance = ROUNDING * assembly->extent * largest_bias(assembly);
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    if (in->level == LEVEL_ACCELERATION) limits->noise = in->tolerance;
    limit->rate =
        rate_of(assembly, limit) + in->aim.bias * assembly->closings[limit->closing].bias[0];
  }
  return FLG_OK;
}

/* --- laws: the mode that a limit should have ----------------------------------------------------
 */

static int judge_friction(const search *in, const flg_limit *limit, int mode) {
  const flg_assembly *assembly = in->assembly;
  const flg_plan_joint *view = &assembly->closings[limit->closing].view;
  if (limit->damps) return mode;
  if (mode == 0) {
    const double impulse = view->reactions[0], kick = assembly->limits.kick;
    const int direction = impulse < 0 ? 1 : -1; /* in which it would move */
    const double bound = limit->broken ? flg_limit_bound_in_motion(assembly, limit, direction)
                                       : flg_limit_bound_at_rest(assembly, limit, direction);
    return fabs(impulse) > kick * bound + in->tolerance / view->scale[0] ? direction : 0;
  }
  if (in->level == LEVEL_ACCELERATION && limit->start_mode != 0) return mode;
  const bool turns = mode * limit->rate < -in->tolerance;
  return !turns ? mode : in->level == LEVEL_IMPACT ? -mode : 0;
}

static bool hits(const search *in, const flg_limit *limit, int side) {
  const flg_assembly *assembly = in->assembly;
  if (in->level == LEVEL_ACCELERATION) {
    return limit->start_mode == side && side * limit->rate > in->tolerance;
  }
  const double gap = flg_limit_gap(assembly, limit, side);
  if (gap <= FLG_LIMIT_TOUCHES * assembly->extent) return side * limit->rate > in->tolerance;
  return (side * limit->rate - in->tolerance) * in->reach > gap;
}

static int judge_stop(const search *in, const flg_limit *limit, int mode) {
  const flg_plan_joint *view = &in->assembly->closings[limit->closing].view;
  if (mode == 0) return hits(in, limit, -1) ? -1 : hits(in, limit, 1) ? 1 : 0;
  const bool pulls = mode * view->reactions[0] > in->tolerance / view->scale[0];
  return pulls ? 0 : mode;
}

/* --- changing over ------------------------------------------------------------------------------
 */

static double positive(double value) {
  return value > 0 ? value : 0;
}

/* how a stop is met: it throws back, or the way that is left takes the whole step */
static void decide(const search *in, flg_limit *limit, int side) {
  const flg_assembly *assembly = in->assembly;
  const double before = assembly->closings[limit->closing].rate[0];
  const double gap = positive(flg_limit_gap(assembly, limit, side));
  const double speed = flg_stop_thrown(&assembly->component->stops[limit->stop], side, gap, before,
                                       limit->rate, assembly->limits.kick);
  limit->side = side;
  limit->met_bounces =
      in->level == LEVEL_PUSH && side * before > 0 && speed > fabs(limit->rate - before);
  limit->met_target = in->reach > 0 ? side * gap / in->reach : 0;
  if (limit->met_bounces) limit->met_target = -side * speed;
}

static void meet(const search *in, flg_limit *limit, flg_limit_state *state, int side) {
  const flg_assembly *assembly = in->assembly;
  const double gap = flg_limit_gap(assembly, limit, side);
  limit->met = true;
  state->held = gap < -FLG_LIMIT_TOUCHES * assembly->extent ? flg_limit_value(assembly, limit)
                                                            : flg_limit_end(assembly, limit, side);
  if (limit->side != side) decide(in, limit, side);
  limit->target = limit->met_target;
  limit->bounces = limit->met_bounces;
}

static void change(search *in, int index, int mode) {
  flg_assembly *assembly = in->assembly;
  flg_limit *limit = &assembly->limits.list[index];
  flg_limit_state *state = &assembly->limits.states[index];
  in->stale |= flg_limit_closes(limit, mode) != flg_limit_closes(limit, (int)state->mode);
  state->mode = mode;
  limit->target = 0;
  limit->bounces = false;
  if (limit->stop >= 0 && mode != 0) meet(in, limit, state, mode);
  if (limit->stop < 0 && mode == 0) state->held = flg_limit_value(assembly, limit);
}

/* closed, but others hold it elsewhere */
static bool contradicts(const search *in, const flg_limit *limit, int mode) {
  return flg_limit_closes(limit, mode) && !in->assembly->limits.yields &&
         fabs(limit->rate - limit->target) > CONTRADICTION * in->tolerance &&
         flg_plan_is_redundant(in->assembly->plan, limit->closing, 0) != 0;
}

/* all that break their law, or only the first of them; how many there were */
static int revise(search *in, bool only_first) {
  flg_limits *limits = &in->assembly->limits;
  int count = 0;
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    const int mode = (int)limits->states[k].mode;
    const int wanted =
        limit->stop >= 0 ? judge_stop(in, limit, mode) : judge_friction(in, limit, mode);
    if (contradicts(in, limit, mode)) return limits->count + 1;
    if (wanted == mode) continue;
    if (count == 0 || !only_first) change(in, k, wanted);
    limit->broken |= count == 0 && only_first && wanted != 0;
    count++;
  }
  return count;
}

/* --- the search ---------------------------------------------------------------------------------
 */

/* All that are wrong change while that makes progress; else one at a time, until fewer are wrong
 * than ever before (Judice and Pires). 0: all laws hold. */
static flg_status pivot(search *in, int most, bool patient, int *wrong) {
  int best = INT_MAX, patience = PATIENCE;
  for (int k = 0; k < most && (patient || patience > 0); k++) {
    const flg_status status = solve(in);
    if (status != FLG_OK) return status;
    *wrong = revise(in, patience == 0);
    if (*wrong == 0) return FLG_OK;
    if (*wrong < best) {
      best = *wrong, patience = PATIENCE;
    } else if (patience > 0) {
      patience--;
    }
  }
  return FLG_OK;
}

/* with hard rows if that is easy, else with rows that yield; then with the set as it is */
static flg_status pivot_all(search *in) {
  flg_limits *limits = &in->assembly->limits;
  const int most = SOLVES_MIN + SOLVES_A_ROW * limits->count;
  int wrong = 0;
  flg_status status = pivot(in, most, false, &wrong);
  if (status != FLG_OK || wrong == 0) return status;
  limits->yields = in->stale = true;
  status = pivot(in, most, true, &wrong);
  limits->unsolved += wrong > 0;
  limits->yields = false;
  in->stale = true;
  return status == FLG_OK ? solve(in) : status;
}

/* what was thrown back is apart again, and keeps the impulse that did it */
static flg_status throw_back(search *in) {
  flg_limits *limits = &in->assembly->limits;
  bool any = false;
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    if (!limit->bounces) continue;
    limit->given = in->assembly->closings[limit->closing].view.reactions[0];
    limit->bounces = false;
    limit->thrown = true;
    limit->target = 0;
    limit->switches++;
    limits->states[k].mode = limit->start_mode = 0;
    in->stale = any = true;
  }
  return any ? solve(in) : FLG_OK;
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
    limit->switches += (int)limits->states[k].mode != limit->start_mode;
    limit->target = limit->given = 0;
  }
}

static flg_status find(search *in, double kick) {
  flg_limits *limits = &in->assembly->limits;
  open_search(limits, kick);
  flg_status status = pivot_all(in);
  /* after an impact, positions come first */
  if (status == FLG_OK && in->level != LEVEL_IMPACT) status = throw_back(in);
  close_search(limits);
  return status;
}

/* --- for the schemes ----------------------------------------------------------------------------
 */

flg_status flg_limits_push(flg_assembly *assembly, const double *q, double bias, double reach,
                           double *v) {
  const flg_aim aim = {.bias = bias, .soft = FLG_SOFT_LAW, .rate = 1, .rise = bias};
  if (assembly->limits.count == 0) return flg_assembly_solve_touching(assembly, v, aim, v);
  memcpy(assembly->limits.from, v, (size_t)assembly->velocity_count * sizeof *v);
  search in = {assembly, LEVEL_PUSH, aim, q, reach, v, 0, false};
  return find(&in, assembly->kick);
}

flg_status flg_limits_accelerate(flg_assembly *assembly, const double *q, double *a) {
  if (assembly->limits.count == 0) return flg_assembly_accelerate(assembly, a);
  search in = {assembly, LEVEL_ACCELERATION, {.bias = 1}, q, 0, a, 0, false};
  return find(&in, 1);
}

/* --- the end of a step that did not push --------------------------------------------------------
 */

/* A stop that was passed. With restitution all is as if it had been thrown back when it was hit,
 * and pulled on since: place and rate. */
static bool land_on(flg_assembly *assembly, flg_limit *limit, flg_limit_state *state, int side) {
  const double gap = flg_limit_gap(assembly, limit, side), h = assembly->elapsed;
  const double rate = assembly->closings[limit->closing].rate[0];
  if (!(gap < 0 && side * rate > 0)) return false;
  const double pull = (rate - limit->rate) / h, since = fmin(h, -side * gap / rate);
  const double hit = rate - pull * since;
  const double back = -assembly->component->stops[limit->stop].restitution * hit;
  const double most = 2 * h * fmax(fabs(limit->rate), fabs(rate));
  limit->bounces = -side * back > h * fabs(pull);
  state->mode = side;
  const bool passed_before = -gap > most;
  state->held =
      passed_before ? flg_limit_value(assembly, limit) : flg_limit_end(assembly, limit, side);
  if (!limit->bounces) return true;
  if (!passed_before) state->held += since * (back + pull * since / 2);
  limit->target = back + pull * since;
  return true;
}

/* whether anything changed */
static bool land(flg_assembly *assembly, int index, double tolerance) {
  flg_limit *limit = &assembly->limits.list[index];
  flg_limit_state *state = &assembly->limits.states[index];
  if (limit->stop >= 0) {
    return state->mode == 0 &&
           (land_on(assembly, limit, state, -1) || land_on(assembly, limit, state, 1));
  }
  const double rate = assembly->closings[limit->closing].rate[0];
  if (limit->damps || !(state->mode * rate < -tolerance)) return false;
  state->mode = 0;
  limit->arrives = true;
  return true;
}

/* what has changed by the end of the step; stops: whether one of them was hit */
static bool land_all(flg_assembly *assembly, bool *stops) {
  flg_limits *limits = &assembly->limits;
  double most = 0;
  for (int k = 0; k < assembly->velocity_count; k++) most = flg_larger(most, fabs(assembly->v[k]));
  const double tolerance = ROUNDING * assembly->extent * most + assembly->elapsed * limits->noise;
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

/* A hit is over in no time: what sticks can add no more than it does in a step. */
flg_status flg_limits_land(flg_assembly *assembly, double h) {
  flg_limits *limits = &assembly->limits;
  if (limits->count == 0) return FLG_OK;
  for (int k = 0; k < limits->count; k++) { /* before the step, to compare with */
    limits->list[k].rate = assembly->measures[limits->list[k].coordinate].start_rate;
  }
  assembly->elapsed = h;
  flg_assembly_place_rows(assembly, assembly->q, assembly->v);
  bool stops = false;
  limits->arriving = land_all(assembly, &stops);
  if (!stops) return FLG_OK; /* what sticks now is still open in the factors, as it should be */
  limits->arriving = false;
  memcpy(limits->from, assembly->v, (size_t)assembly->velocity_count * sizeof(double));
  const flg_aim aim = {.soft = FLG_SOFT_RATE, .rate = 1};
  search in = {assembly, LEVEL_IMPACT, aim, assembly->q, 0, assembly->v, 0, true};
  const flg_status status = find(&in, h);
  if (status == FLG_OK) flg_watch_note(assembly, 1, 0.5, 0.5);
  limits->arriving = true;
  flg_assembly_drop_factors(assembly);
  return status == FLG_OK ? flg_assembly_factor(assembly, assembly->q, FLG_PIVOTS_CHOOSE) : status;
}

bool flg_limits_arrive(flg_assembly *assembly) {
  flg_limits *limits = &assembly->limits;
  const bool any = limits->arriving;
  for (int k = 0; k < limits->count && limits->arriving; k++) {
    flg_limit *limit = &limits->list[k];
    if (limit->arrives) limits->states[k].held = flg_limit_value(assembly, limit);
    if (limit->bounces) limits->states[k].mode = 0, limit->thrown = true;
    limit->switches += limit->bounces;
    limit->arrives = limit->bounces = false;
  }
  limits->arriving = false;
  if (any) flg_assembly_drop_factors(assembly); /* even if nothing had to be moved */
  return any;
}
