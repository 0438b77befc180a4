/* The plan of an assembly at work: factors, right-hand sides, projections. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_signals.h"
#include "math/larger.h"

/* Joints are closed when less than this is left of them (flg_assembly_left). */
static const double CLOSED = 1e-12;
/* Joints that hold the same agree no better than each was closed when it was made (welds of
 * events): corrections that lead no further end here. */
static const double AGREED = 1e-11;
/* Near a singular pose, at an angle a from it, what is left turns the directions in which the
 * joints let go by left / a^2, and velocities are bent by that: there it has to be rounding. The
 * least pivot is about a^2, or less. */
static const double NEAR = 1e-6;
static const double TIGHT = 1e-15;
/* Rounding allows less than TIGHT, but more than this. */
static const double ROUNDED = 2e-14;
/* ... and not worse than this in large systems */
static const double NEARLY_CLOSED = 1e-9;
/* With less than this left, redundant rows do not look independent: their pivots are about its
 * square. With more, rows have to exceed so many times that square. */
static const double FAINT = 1e-6, CLEAR = 100;
/* steps of Newton's method; factors are renewed when a step leaves more than this of the error */
enum { PROJECTIONS_MAX = 40 };
static const double SLOW = 0.2;

/* --- factor -------------------------------------------------------------------------------------
 */

static void solve_soften(flg_assembly *assembly) {
  for (int k = assembly->model.rigid_count; k < assembly->state.limits.first; k++) {
    flg_row_set *row_set = &assembly->model.row_sets[k];
    flg_law law[FLG_FORCE_ROWS_MAX];
    double value[FLG_FORCE_ROWS_MAX], rate[FLG_FORCE_ROWS_MAX];
    flg_assembly_law(assembly, row_set->force, law, value, rate);
    flg_soft_soften(assembly, row_set, law);
  }
  for (int k = assembly->state.limits.first; k < assembly->model.row_set_count; k++) {
    assembly->model.row_sets[k].view.compliance[0] = flg_limit_compliance(assembly, k);
  }
}

bool flg_assembly_bends(const flg_assembly *assembly) {
  if (assembly->model.options.scheme != FLG_SCHEME_RATTLE) return false;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->bends != NULL && parts->ops->bends(parts)) return true;
  }
  return false;
}

void flg_assembly_set_impulse_step(flg_assembly *assembly, double h) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->set_impulse_step != NULL) parts->ops->set_impulse_step(parts, h);
  }
}

void flg_assembly_bend(flg_assembly *assembly, double h) {
  flg_assembly_set_impulse_step(assembly, h);
  assembly->scratch.mode.bends = h, assembly->scratch.mode.lead = h / 2,
  assembly->scratch.mode.mean = NULL;
}

void flg_assembly_unbend(flg_assembly *assembly) {
  flg_part_mode *mode = &assembly->scratch.mode;
  if (mode->bends == 0 && mode->lead == 0) return;
  flg_assembly_set_impulse_step(assembly, 0);
  mode->bends = mode->lead = 0, mode->mean = NULL, mode->is_damped = false;
}

bool flg_assembly_resists(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->resists != NULL && parts->ops->resists(parts)) return true;
  }
  return false;
}

bool flg_assembly_stops(const flg_assembly *assembly, double h) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->stops != NULL && parts->ops->stops(parts, h)) return true;
  }
  return false;
}

/* Numbers of parts that factors depend on besides q: they are those that were kept, or are kept. */
static bool each_locked(const flg_assembly *assembly, bool keeps) {
  double *kept = assembly->scratch.factors.locked;
  for (int k = 0; k < assembly->model.set_count && assembly->model.locked_count > 0; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; i < parts->count && parts->ops->locked != NULL; i++) {
      int count;
      const double *locked = parts->ops->locked(parts, i, &count);
      if (keeps) {
        memcpy(kept, locked, (size_t)count * sizeof *locked);
      } else if (memcmp(kept, locked, (size_t)count * sizeof *locked) != 0) {
        return false;
      }
      kept += count;
    }
  }
  return true;
}

static bool are_of(const flg_assembly *assembly, const double *q) {
  return memcmp(assembly->scratch.factors.q, q,
                (size_t)assembly->model.position_count * sizeof *q) == 0;
}

/* Limits open and close rows; of other norms, damping and tolerances factors are for one use. */
static bool may_last(const flg_assembly *assembly) {
  return assembly->state.limits.count == 0 && !assembly->scratch.mode.is_unit &&
         !assembly->scratch.mode.is_damped && assembly->scratch.factors.tolerance == 0;
}

/* all that factors depend on: an event or a snapshot may change any of it between two steps */
bool flg_assembly_knows_motion(const flg_assembly *assembly, const double *q) {
  const flg_factors *factors = &assembly->scratch.factors;
  if (!factors->last || !may_last(assembly)) return false;
  if (!flg_welds_are_kept(assembly, factors->welds)) return false;
  const bool is_soft = assembly->model.rigid_count < assembly->model.row_set_count;
  if (is_soft && assembly->scratch.kick != factors->kick) return false;
  if (is_soft && assembly->scratch.horizon != factors->horizon) return false;
  const bool coasts = assembly->scratch.phase == FLG_PHASE_COAST;
  if (is_soft && coasts != (factors->phase == FLG_PHASE_COAST)) return false;
  if (assembly->model.even_count > 0 && (int)assembly->scratch.phase != factors->phase)
    return false;
  if (assembly->scratch.mode.bends != factors->bends) return false;
  return each_locked(assembly, false) && are_of(assembly, q);
}

bool flg_assembly_knows_factors(const flg_assembly *assembly, const double *q) {
  return !flg_plan_is_of_wholes(assembly->scratch.plan) && flg_assembly_knows_motion(assembly, q);
}

static void solve_keep_factors(flg_assembly *assembly, const double *q) {
  flg_factors *factors = &assembly->scratch.factors;
  factors->last = may_last(assembly);
  factors->kick = assembly->scratch.kick, factors->horizon = assembly->scratch.horizon;
  factors->bends = assembly->scratch.mode.bends;
  factors->phase = (int)assembly->scratch.phase;
  flg_welds_keep(assembly, factors->welds);
  each_locked(assembly, true);
  memcpy(factors->q, q, (size_t)assembly->model.position_count * sizeof *q);
}

void flg_assembly_note_rows(flg_assembly *assembly, const double *q) {
  if (assembly->scratch.factors.last) assembly->scratch.factors.last = are_of(assembly, q);
}

void flg_assembly_note_anchors(flg_assembly *assembly) {
  flg_stamps *stamps = &assembly->scratch.stamps;
  stamps->joints = stamps->welds = stamps->angles = stamps->angle_values = 0;
  assembly->scratch.factors.last = false;
}

void flg_assembly_tolerate(flg_assembly *assembly, double tolerance) {
  assembly->scratch.factors.tolerance = tolerance;
  flg_plan_tolerate(assembly->scratch.plan, tolerance);
}

static void add_scale(const flg_row_set *row_set, int end, flg_yield yield) {
  const double *side = row_set->view.side[end];
  const int leading = row_set->view.leading;
  for (int i = 0; i < row_set->rows; i++) {
    double squares[2] = {0, 0}; /* of displacements, of turns */
    for (int j = 0; j < FLG_PORT_NUMBERS; j++) {
      squares[j / 3] += side[i + j * leading] * side[i + j * leading];
    }
    row_set->view.scale[i] += yield.linear * squares[0] + yield.angular * squares[1];
  }
}

/* A robot blocks directions by its own joints, but for rounding: rows there would be measured by
 * that alone, and be closed with forces beyond measure. What counts is all that its port yields. */
static void scale_by_yield(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.rigid_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    for (int e = 0; e < row_set->ends; e++) {
      int part = row_set->port[e].part;
      const flg_parts *parts = flg_assembly_set_of(assembly, &part);
      if (parts->ops->yield == NULL) continue;
      add_scale(row_set, e, parts->ops->yield(parts, part, row_set->port[e].port));
    }
  }
}

static flg_status solve_fill(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_status status = assembly->model.sets[k]->ops->fill(assembly->model.sets[k]);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

static bool may_freeze(const flg_assembly *assembly) {
  const bool is_whole = !assembly->scratch.has_flat || assembly->model.watch_count == 0;
  return is_whole && assembly->scratch.factors.tolerance == 0;
}

/* By rows that were frozen at set-up, where they do; not where reactions are read, and
 * those out of a plane are left out; if a stage follows one that had them, rows of
 * the plan's own choice are those of another pose. */
static bool factor_frozen(flg_assembly *assembly, flg_pivots *pivots) {
  const bool was_frozen = flg_plan_is_frozen(assembly->scratch.plan);
  const bool may = *pivots == FLG_PIVOTS_CHOOSE ? may_freeze(assembly)
                                                : was_frozen && *pivots == FLG_PIVOTS_FROZEN;
  if (may && flg_plan_factor_frozen(assembly->scratch.plan)) return true;
  if (was_frozen) *pivots = FLG_PIVOTS_CHOOSE;
  return false;
}

static flg_status factor_tree(flg_assembly *assembly, flg_pivots pivots) {
  flg_threads *threads = assembly->model.options.threads;
  if (pivots == FLG_PIVOTS_CHOOSE && assembly->model.row_count > 0) {
    flg_plan_scale(assembly->scratch.plan, threads);
    scale_by_yield(assembly);
  }
  return flg_plan_factor_alone(assembly->scratch.plan, pivots, threads);
}

/* by frozen rows close to a singular pose, in steps that close joints to rounding there */
static bool factor_steep(flg_assembly *assembly) {
  return assembly->model.options.scheme == FLG_SCHEME_RATTLE && may_freeze(assembly) &&
         flg_plan_factor_steep(assembly->scratch.plan);
}

static flg_status rows_factor(flg_assembly *assembly, const double *q, flg_pivots pivots,
                              bool rechooses) {
  const bool is_chosen = pivots == FLG_PIVOTS_CHOOSE;
  assembly->scratch.factors.last = assembly->scratch.factors.is_steep = false;
  flg_status status = solve_fill(assembly);
  if (status != FLG_OK) return status;
  solve_soften(assembly);
  if (rechooses || !factor_frozen(assembly, &pivots)) {
    status = factor_tree(assembly, pivots);
    if (status == FLG_OK && is_chosen && !rechooses)
      assembly->scratch.factors.is_steep = factor_steep(assembly);
  }
  assembly->scratch.factors.number++;
  assembly->scratch.factors.is_chosen = is_chosen;
  if (status == FLG_OK && is_chosen) solve_keep_factors(assembly, q);
  if (status == FLG_OK) assembly->scratch.factors.least = flg_plan_least(assembly->scratch.plan);
  return status;
}

flg_status flg_assembly_factor(flg_assembly *assembly, const double *q, flg_pivots pivots) {
  if (flg_assembly_knows_factors(assembly, q)) return FLG_OK;
  return rows_factor(assembly, q, pivots, false);
}

flg_status flg_assembly_factor_motion(flg_assembly *assembly, const double *q) {
  if (!flg_assembly_is_of_wholes(assembly))
    return flg_assembly_factor(assembly, q, FLG_PIVOTS_CHOOSE);
  if (flg_assembly_knows_motion(assembly, q)) return FLG_OK;
  flg_status status = solve_fill(assembly);
  if (status == FLG_OK) status = flg_wholes_factor(assembly);
  assembly->scratch.factors.number++;
  assembly->scratch.factors.is_chosen = true, assembly->scratch.factors.least = 1;
  assembly->scratch.factors.last = false;
  if (status == FLG_OK) solve_keep_factors(assembly, q);
  return status;
}

flg_status flg_assembly_factor_anew(flg_assembly *assembly, const double *q) {
  if (flg_assembly_knows_factors(assembly, q) && !flg_plan_is_frozen(assembly->scratch.plan)) {
    return FLG_OK;
  }
  return rows_factor(assembly, q, FLG_PIVOTS_CHOOSE, true);
}

/* --- solve --------------------------------------------------------------------------------------
 */

/* Of accelerations: with w+ = w + horizon a the same law reads a + l / b = ... - w / horizon. */
static void aim_softly(const flg_assembly *assembly, const flg_row_set *row_set,
                       flg_softness soft) {
  flg_law law[FLG_FORCE_ROWS_MAX];
  double value[FLG_FORCE_ROWS_MAX], rate[FLG_FORCE_ROWS_MAX], *gamma = row_set->view.gamma;
  const bool is_law = soft == FLG_SOFT_LAW || soft == FLG_SOFT_FORCE;
  if (soft == FLG_SOFT_CLOSE && row_set->is_even) {
    flg_soft_close(assembly, row_set);
    return;
  }
  if (is_law) flg_assembly_law(assembly, row_set->force, law, value, rate);
  for (int i = 0; i < row_set->rows; i++) {
    gamma[i] = soft == FLG_SOFT_RATE ? row_set->rate[i] : 0;
    if (is_law) gamma[i] = flg_soft_side(assembly, row_set, &law[i], i);
    if (soft != FLG_SOFT_FORCE) continue;
    gamma[i] = assembly->scratch.horizon == 0
                   ? 0
                   : (gamma[i] - row_set->rate[i]) / assembly->scratch.horizon;
  }
}

static void aim_at_nothing(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    for (int i = 0; i < row_set->rows; i++) row_set->view.gamma[i] = 0;
  }
}

/* of a joint: -left g - bias G' v, in one loop for each of both that counts */
FLG_SMALL void aim_rows(int rows, const flg_row_set *row_set, flg_aim aim) {
  double *gamma = row_set->view.gamma;
  const double *left = row_set->left, *bias = row_set->bias;
  if (aim.left == 0) {
#pragma GCC unroll 5
    for (int i = 0; i < rows; i++) gamma[i] = aim.bias == 0 ? 0 : -aim.bias * bias[i];
  } else {
#pragma GCC unroll 5
    for (int i = 0; i < rows; i++) gamma[i] = -aim.left * left[i];
    for (int i = 0; i < rows && aim.bias != 0; i++) gamma[i] -= aim.bias * bias[i];
  }
}

/* Most joints are hinges, of five rows. */
static void aim_joint(const flg_row_set *row_set, flg_aim aim) {
  if (row_set->rows == 5) {
    aim_rows(5, row_set, aim);
  } else {
    aim_rows(row_set->rows, row_set, aim);
  }
}

static void aim_joints(flg_assembly *assembly, flg_aim aim) {
  if (assembly->model.row_count == 0) return;
  if (flg_plan_is_of_wholes(assembly->scratch.plan)) {
    flg_wholes_aim(assembly, aim.bias != 0);
    return;
  }
  if (aim.soft == FLG_SOFT_NOTHING) {
    aim_at_nothing(assembly);
    return;
  }
  for (int k = 0; k < assembly->model.rigid_count; k++) {
    aim_joint(&assembly->model.row_sets[k], aim);
  }
  for (int k = assembly->model.rigid_count - assembly->model.motion_count;
       k < assembly->model.rigid_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    row_set->view.gamma[0] += aim.rate * row_set->target.rate + aim.rise * row_set->target.rise;
  }
  for (int k = assembly->model.rigid_count; k < assembly->state.limits.first; k++) {
    aim_softly(assembly, &assembly->model.row_sets[k], aim.soft);
  }
  for (int k = assembly->state.limits.first; k < assembly->model.row_set_count; k++) {
    const bool is_force = aim.soft == FLG_SOFT_FORCE;
    assembly->model.row_sets[k].view.gamma[0] =
        flg_limit_side(assembly, k, aim.left, aim.bias, is_force || aim.soft == FLG_SOFT_LAW,
                       is_force ? assembly->scratch.horizon : 0);
  }
}

static void solve_collect(const flg_assembly *assembly, const double *from, double *y) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    parts->ops->collect(parts, from == NULL ? NULL : from + parts->velocity, y + parts->velocity);
  }
}

/* y without joints, as the plan sees it (NULL: zeros); turning: the share of J' v, as of G' v */
static void solve_see(const flg_assembly *assembly, const double *y, double bias_share) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    parts->ops->see(parts, y == NULL ? NULL : y + parts->velocity, bias_share);
  }
}

bool flg_assembly_has_jacobians(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    if (assembly->model.sets[k]->ops->has_jacobian) return true;
  }
  return false;
}

/* whether what joints do is read: by some parts, rattle, limits, motors or watches */
static bool asks_for_forces(const flg_assembly *assembly) {
  return flg_assembly_has_jacobians(assembly) || assembly->model.watch_count > 0 ||
         (assembly->model.options.scheme == FLG_SCHEME_RATTLE &&
          assembly->model.row_set_count > 0) ||
         assembly->model.row_set_count > assembly->model.rigid_count ||
         assembly->model.motion_count > 0;
}

/* Rates and accelerations at positions that are closed can fulfil all rows; corrections of
 * positions do so to first order alone. In steps of rattle, free steps that do not close tell of
 * rows that were left out, and rates at their end. */
static bool is_aim_judged(const flg_assembly *assembly, flg_aim aim) {
  const bool is_free_step = assembly->model.options.scheme == FLG_SCHEME_RATTLE && aim.bias != 0;
  return aim.left == 0 && assembly->scratch.factors.is_chosen && !is_free_step;
}

static flg_status solve_descend(flg_assembly *assembly, flg_aim aim) {
  flg_threads *threads = assembly->model.options.threads;
  flg_plan *plan = assembly->scratch.plan;
  const bool was_frozen = flg_plan_is_frozen(plan);
  flg_plan_judge(plan, is_aim_judged(assembly, aim) ? assembly->model.length : 0);
  const flg_status status =
      asks_for_forces(assembly) ? flg_plan_solve(plan, threads) : flg_plan_move(plan, threads);
  flg_plan_judge(plan, 0);
  if (was_frozen && !flg_plan_is_frozen(plan)) {
    /* the next step finds out by itself, as one that begins there does */
    assembly->scratch.factors.last = false;
    assembly->scratch.factors.least = flg_plan_least(plan);
    assembly->scratch.factors.number++;
  }
  return status;
}

flg_status flg_assembly_solve_under(flg_assembly *assembly, const double *from, flg_aim aim,
                                    flg_root_push *push, const double *x, double *y) {
  solve_see(assembly, from, aim.bias);
  aim_joints(assembly, aim);
  flg_status status = flg_plan_refresh(assembly->scratch.plan, assembly->model.options.threads);
  if (status == FLG_OK && push != NULL) status = push(assembly, x);
  if (status == FLG_OK) status = solve_descend(assembly, aim);
  if (status == FLG_OK) solve_collect(assembly, from, y);
  return status;
}

flg_status flg_assembly_solve(flg_assembly *assembly, const double *from, flg_aim aim, double *y) {
  return flg_assembly_solve_under(assembly, from, aim, NULL, NULL, y);
}

static void accelerate_free(const flg_assembly *assembly, bool flies, double *a) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    parts->ops->accelerate(parts, flies, a + parts->velocity);
  }
}

void flg_assembly_accelerate_free(const flg_assembly *assembly, double *a) {
  accelerate_free(assembly, flg_assembly_flies(assembly) || assembly->scratch.mode.is_coasting, a);
}

/* Right-hand sides of accelerations, and up to the roots; a: those without joints. Without what
 * velocities do it is as the step has it. */
static flg_status accelerate_roots(flg_assembly *assembly, double *a, flg_aim aim) {
  accelerate_free(assembly, flg_assembly_flies(assembly) && aim.bias == 0, a);
  solve_see(assembly, a, aim.bias);
  aim_joints(assembly, aim);
  return flg_plan_refresh(assembly->scratch.plan, assembly->model.options.threads);
}

flg_status flg_assembly_accelerate_roots(flg_assembly *assembly) {
  const bool is_forceless = assembly->scratch.mode.is_forceless;
  const flg_aim aim = {.bias = 1, .rise = 1, .soft = is_forceless ? FLG_SOFT_REST : FLG_SOFT_FORCE};
  return accelerate_roots(assembly, assembly->scratch.change, aim);
}

flg_status flg_assembly_accelerate_roots_plain(flg_assembly *assembly) {
  const flg_aim aim = {.rise = 1, .soft = FLG_SOFT_FORCE};
  return accelerate_roots(assembly, assembly->scratch.change, aim);
}

flg_status flg_assembly_accelerate(flg_assembly *assembly, double *a) {
  const flg_aim aim = {.bias = 1, .rise = 1, .soft = FLG_SOFT_LAW};
  flg_status status = accelerate_roots(assembly, a, aim);
  if (status == FLG_OK) status = solve_descend(assembly, aim);
  if (status == FLG_OK) solve_collect(assembly, a, a);
  return status;
}

/* --- projection of positions --------------------------------------------------------------------
 */

bool flg_assembly_is_near_singular(const flg_assembly *assembly) {
  return assembly->scratch.factors.is_steep || assembly->scratch.factors.least < NEAR;
}

double flg_assembly_enough(const flg_assembly *assembly) {
  /* of bodies that fly as one, velocities are not projected, and the rest is rounding */
  if (assembly->scratch.mode.members != NULL) return ROUNDED;
  return flg_assembly_is_near_singular(assembly) ? TIGHT : CLOSED;
}

double flg_assembly_bearable(const flg_assembly *assembly) {
  return flg_assembly_is_near_singular(assembly) ? ROUNDED : AGREED;
}

/* Factors for positions that joints are open at. The rows stay those that were chosen, unless these
 * do not lead on: where they were chosen, some of those that count here may have been redundant. */
static flg_status renew_factors(flg_assembly *assembly, const double *q, const double *v,
                                double left, bool is_renewed) {
  const bool chooses = left < FAINT || is_renewed;
  if (chooses && left >= FAINT) flg_assembly_tolerate(assembly, fmin(CLEAR * left * left, 0.01));
  flg_assembly_place_rows(assembly, q, v);
  const flg_status status =
      chooses && is_renewed
          ? flg_assembly_factor_anew(assembly, q)
          : flg_assembly_factor(assembly, q, chooses ? FLG_PIVOTS_CHOOSE : FLG_PIVOTS_FROZEN);
  flg_assembly_tolerate(assembly, 0);
  return status;
}

flg_status flg_assembly_project(flg_assembly *assembly, double *q, const double *v, double *moved) {
  double before = INFINITY;
  bool is_renewed = false;
  if (moved != NULL) memset(moved, 0, (size_t)assembly->model.velocity_count * sizeof *moved);
  for (int k = 0; k < PROJECTIONS_MAX; k++) {
    flg_assembly_place_left(assembly, q);
    const double left = flg_assembly_left(assembly);
    if (left <= flg_assembly_enough(assembly)) return FLG_OK;
    if (!isfinite(left)) return FLG_ERR_DIVERGED;
    const bool has_no_rows = flg_plan_is_of_wholes(assembly->scratch.plan) ||
                             (k == 0 && flg_assembly_is_of_wholes(assembly));
    if (left > SLOW * before || has_no_rows) {
      if (left <= flg_assembly_bearable(assembly) && !has_no_rows) return FLG_OK;
      if (left <= NEARLY_CLOSED && left >= before && is_renewed) return FLG_OK;
      const flg_status status = renew_factors(assembly, q, v, left, is_renewed || has_no_rows);
      if (status != FLG_OK) return status;
      is_renewed = true;
    }
    before = left;
    const flg_status status =
        flg_assembly_solve(assembly, NULL, (flg_aim){.left = 1}, assembly->scratch.change);
    if (status != FLG_OK) return status;
    flg_assembly_displace(assembly, q, assembly->scratch.change, 1, q);
    if (moved == NULL) continue;
    for (int i = 0; i < assembly->model.velocity_count; i++)
      moved[i] += assembly->scratch.change[i];
    flg_watch_note(assembly, 1 / assembly->scratch.horizon, 0,
                   0); /* momenta follow, over the step */
  }
  return before <= NEARLY_CLOSED ? FLG_OK : FLG_ERR_DIVERGED;
}
