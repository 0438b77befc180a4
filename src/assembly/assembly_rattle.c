/* RATTLE, on rotations.
 *
 *     p* = p + h/2 f(q) + G(q)^T l        q+ = q moved by p*, l such that g(q+) = 0
 *     p+ = p* + h/2 f(q+) + G(q+)^T m     m such that G(q+) v+ = 0
 *
 * p: momenta of bodies, in world axes, so that a free body keeps them exactly; how bodies turn in a
 * step is in parts/bodies_free_step.c. Robots, whose mass matrix depends on q, take
 *
 *     v* = v + h/2 a(q, v)      q+ = q (+) h v*      v+ = v* + h/2 a(q+, v* + (v* - v))
 *
 * in their place (parts/part.c): order 2, not symplectic. Forces that depend on velocities are
 * treated likewise. Masses of flexible links change with every swing: where there are some, those
 * of all robots turn by the mean velocities, a(q, v*) and a(q+, v*), as momentum asks for:
 *
 *     M(q) (v* - v) + M(q+) (v+ - v*) + h c(v*) = M(q+) v+ - M(q) v     with q+ - q = h v*
 *
 * for c = M' v* of a mass that is linear in q.
 *
 * Steps in which something may touch, or a joint of a robot end, are taken apart (assembly_kick.c).
 */
#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_planar.h"
#include "assembly/assembly_signals.h"
#include "math/larger.h"

enum { CLOSE_STEPS_MAX = 100 };
enum { FORESEEN = 2 }; /* times that mean velocities are improved: each adds a power of h */
/* Corrections that leave more than this of the error are given up: close to singular poses soon,
 * because they do not lead on there. Elsewhere late: what takes their place is another step, and
 * which of both is taken must not depend on rounding at a rate that is common. */
static const double SLOW = 0.3, SLOWEST = 0.8;
/* Rows with smaller pivots ask for rounding over their pivot: the root form has such rows, the
 * other leaves them out. Larger ones take part, however close to a singular pose: without them
 * nothing opposes the forces of the first half in their directions, and what these move is lost as
 * energy when positions are projected. */
static const double LOST = 1e-10;

/* --- the first half -----------------------------------------------------------------------------
 * Mean velocities of the step are in stage_v.
 */

/* q+ of everything */
static bool fly_all(flg_assembly *assembly, double h) {
  assembly->scratch.spun = NULL;
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    const int spun = parts->ops->free_step->fly(parts, h, assembly->state.q + parts->position,
                                                assembly->scratch.stage_v + parts->velocity,
                                                assembly->scratch.stage_q + parts->position);
    if (spun < 0) continue;
    assembly->scratch.spun = parts->ops->label(parts, spun).name;
    return false;
  }
  return true;
}

/* the first push */
static void push_first(flg_assembly *assembly, double h) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    parts->ops->free_step->set_off(parts, h, assembly->state.v + parts->velocity,
                                   assembly->scratch.stage_v + parts->velocity);
  }
}

/* momenta and velocities before any correction are remembered */
static void rattle_remember(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    assembly->model.sets[k]->ops->free_step->remember(assembly->model.sets[k]);
  }
  memcpy(assembly->scratch.sum_v, assembly->scratch.stage_v,
         (size_t)assembly->model.velocity_count * sizeof(double));
}

/* the impulses of the last solve; change: what they do to velocities, NULL: stage_v has it */
static void add_row_impulses(flg_assembly *assembly, const double *change) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    parts->ops->free_step->push(parts, change == NULL ? NULL : change + parts->velocity,
                                assembly->scratch.stage_v + parts->velocity);
  }
  flg_watch_note(assembly, 1, 1, 0);
}

/* one more impulse on everything, with the factors of q: towards the joints at the free step's end
 */
static flg_status rattle_correct(flg_assembly *assembly, double h) {
  const bool is_forceless = assembly->scratch.mode.is_forceless;
  const flg_aim aim = {.left = 1 / h, .soft = is_forceless ? FLG_SOFT_REST : FLG_SOFT_CLOSE};
  const flg_status status = flg_assembly_solve(assembly, NULL, aim, assembly->scratch.change);
  if (status != FLG_OK) return status;
  add_row_impulses(assembly, assembly->scratch.change);
  flg_soft_collect(assembly, false);
  flg_signals_kick(assembly, false);
  flg_limits_collect(assembly);
  return FLG_OK;
}

/* of joints, limits and springs; or of joints alone, where there are no forces */
static flg_status push_joints(flg_assembly *assembly, double h) {
  double *v = assembly->scratch.stage_v;
  const flg_aim joints = {.bias = h / 2, .soft = FLG_SOFT_RATE, .rate = 1, .rise = h / 2};
  return assembly->scratch.mode.is_forceless
             ? flg_assembly_solve(assembly, v, joints, v)
             : flg_limits_push(assembly, assembly->state.q, h / 2, h, v);
}

/* the first impulses, with the factors of q */
static flg_status rattle_set_off(flg_assembly *assembly, double h) {
  push_first(assembly, h);
  const flg_status status = push_joints(assembly, h);
  if (status != FLG_OK) return status;
  assembly->scratch.elapsed = h;
  add_row_impulses(assembly, NULL);
  flg_soft_collect(assembly, true);
  flg_signals_kick(assembly, true);
  flg_limits_collect(assembly);
  rattle_remember(assembly);
  return FLG_OK;
}

/* with rows that are chosen, or with frozen ones where they do */
static flg_status factor_again(flg_assembly *assembly, const double *q, bool is_frozen) {
  return is_frozen ? flg_assembly_factor(assembly, q, FLG_PIVOTS_CHOOSE)
                   : flg_assembly_factor_anew(assembly, q);
}

/* The step begins again, without the rows that are lost at q: their directions have turned by the
 * end of the free step. */
static flg_status set_off_again(flg_assembly *assembly, double h, bool is_frozen) {
  const double least = assembly->scratch.factors.least;
  const bool is_singular = least < LOST;
  flg_watch_recall(assembly);
  if (!assembly->scratch.mode.is_forceless) flg_limits_forget(assembly);
  assembly->scratch.elapsed = 0;
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  if (is_singular) flg_assembly_tolerate(assembly, fmin(100 * least, LOST));
  flg_status status = factor_again(assembly, assembly->state.q, is_frozen);
  if (status == FLG_OK) status = rattle_set_off(assembly, h);
  if (status == FLG_OK && is_singular) {
    if (!fly_all(assembly, h)) return FLG_ERR_DIVERGED;
    flg_assembly_place_left(assembly, assembly->scratch.stage_q);
    status = rattle_correct(assembly, h);
  }
  flg_assembly_tolerate(assembly, 0);
  return status;
}

/* The free step with the first impulses alone, and factors where it ends. */
static flg_status reach_end(flg_assembly *assembly, double h, bool is_frozen) {
  const flg_status status = set_off_again(assembly, h, is_frozen);
  if (status != FLG_OK) return status;
  if (!fly_all(assembly, h)) return FLG_ERR_DIVERGED;
  flg_assembly_place_rows(assembly, assembly->scratch.stage_q, assembly->scratch.stage_v);
  return factor_again(assembly, assembly->scratch.stage_q, is_frozen);
}

/* what positions were moved by at the end of the free step, momenta have to follow */
static void rattle_follow(flg_assembly *assembly, const double *moved, double h) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    parts->ops->free_step->follow(parts, moved + parts->velocity, h,
                                  assembly->scratch.stage_v + parts->velocity);
  }
}

/* Where corrections with the factors of q do not close the joints (q is close to a singular pose,
 * or the step is long), they are taken back: positions are projected at the free step's end, and
 * momenta follow. By factors of frozen rows close to a singular pose they are not tried: there it
 * would be up to rounding whether they close. */
static flg_status project_free_step(flg_assembly *assembly, double h) {
  double *moved = assembly->scratch.rate_v;
  const bool is_frozen = flg_plan_is_frozen(assembly->scratch.plan);
  const bool is_steep = assembly->scratch.factors.is_steep;
  flg_status status = reach_end(assembly, h, is_frozen);
  /* between poses that are not close to a singular one, rows that were left out may count */
  if (status == FLG_OK && is_frozen && !is_steep && !assembly->scratch.factors.is_steep) {
    status = reach_end(assembly, h, false);
  }
  if (status == FLG_OK) {
    status =
        flg_assembly_project(assembly, assembly->scratch.stage_q, assembly->scratch.stage_v, moved);
  }
  if (status == FLG_OK) rattle_follow(assembly, moved, h);
  return status;
}

/* Impulses at the start such that the free step ends on all joints; *open: what is left of them
 * there, NAN: not known. */
static flg_status close_free_step(flg_assembly *assembly, double h, double *open) {
  double before = INFINITY;
  *open = NAN;
  flg_watch_remember(assembly);
  if (assembly->scratch.factors.is_steep) return project_free_step(assembly, h);
  const double slow = flg_assembly_is_near_singular(assembly) ? SLOW : SLOWEST;
  flg_status status = rattle_set_off(assembly, h);
  for (int k = 0; k < CLOSE_STEPS_MAX && status == FLG_OK; k++) {
    if (!fly_all(assembly, h)) break; /* impulses of rows that are nearly redundant have no bound */
    /* velocities at the end of the step are foreseen by inertias there */
    const bool is_pushed = assembly->model.force_count > 0 || assembly->model.signals != NULL;
    const bool is_free = assembly->model.row_count == 0;
    if (!is_free || is_pushed) flg_assembly_place_left(assembly, assembly->scratch.stage_q);
    if (is_free) return FLG_OK;
    const double soft = assembly->scratch.mode.is_forceless ? 0 : flg_soft_left(assembly);
    *open = flg_assembly_left(assembly);
    const double left = flg_larger(*open, soft);
    if (left <= flg_assembly_enough(assembly) && soft == 0) return FLG_OK;
    const bool is_slow = !(left < slow * before);
    if (is_slow && left <= flg_assembly_bearable(assembly)) return FLG_OK;
    if (is_slow) break;
    before = left;
    status = rattle_correct(assembly, h);
  }
  *open = NAN;
  return status == FLG_OK ? project_free_step(assembly, h) : status;
}

/* Mean velocities of the step as far as they are known before it: under joints, without limits. */
static flg_status rattle_foresee(flg_assembly *assembly, double h) {
  double *v = assembly->scratch.sum_v;
  push_first(assembly, h);
  const flg_aim joints = {.bias = h / 2, .soft = FLG_SOFT_RATE, .rate = 1, .rise = h / 2};
  const flg_status status = flg_assembly_solve(assembly, assembly->scratch.stage_v, joints, v);
  assembly->scratch.mode.mean = v;
  return status;
}

/* --- the second half ----------------------------------------------------------------------------
 */

/* Velocities at the end for forces that depend on them: as far again from the start as the first
 * impulses led. Corrections of the free step are left out: near singular poses they are no motion.
 */
static void rattle_look_ahead(const flg_assembly *assembly, double *aimed) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    parts->ops->free_step->look_ahead(parts, assembly->state.v + parts->velocity,
                                      aimed + parts->velocity);
  }
}

static void push_second(flg_assembly *assembly, double h) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    parts->ops->free_step->arrive(parts, h, assembly->scratch.stage_v + parts->velocity,
                                  assembly->state.v + parts->velocity);
  }
}

/* Positions that were closed with the factors of a pose farther away may not do where the step has
 * led: close to a singular pose, they are closed again. Velocities will be brought there, too. */
static flg_status factor_second(flg_assembly *assembly, const double *ahead, double open) {
  flg_status status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  if (status != FLG_OK) return status;
  /* which limits count depends on the factors */
  if (isnan(open) || assembly->state.limits.count > 0) open = flg_assembly_left(assembly);
  if (open <= flg_assembly_enough(assembly)) return FLG_OK;
  status = flg_assembly_project(assembly, assembly->state.q, ahead, NULL);
  flg_assembly_place_rows(assembly, assembly->state.q, ahead);
  return status == FLG_OK ? flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE)
                          : status;
}

/* to the end of the free step, with the velocities that are foreseen there */
static void rattle_arrive(flg_assembly *assembly, double *ahead) {
  memcpy(assembly->state.q, assembly->scratch.stage_q,
         (size_t)assembly->model.position_count * sizeof(double));
  rattle_look_ahead(assembly, ahead);
  flg_assembly_place_still(assembly, assembly->state.q, ahead);
}

/* forces and factors of the first half */
static flg_status push_off(flg_assembly *assembly, double time, double h) {
  const bool bends = flg_assembly_bends(assembly);
  if (bends) flg_assembly_bend(assembly, h);
  flg_status status = flg_assembly_forces(assembly, time, assembly->state.q, assembly->state.v);
  if (status != FLG_OK) return status;
  assembly->scratch.mode.is_damped = bends;
  status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  if (!bends || status != FLG_OK) return status;
  for (int k = 0; k < FORESEEN && status == FLG_OK; k++) {
    status = rattle_foresee(assembly, h);
    if (status == FLG_OK)
      status = flg_assembly_forces(assembly, time, assembly->state.q, assembly->state.v);
  }
  return status;
}

/* from now on masses are those of the parts alone; elastic forces are still those of the middle */
static void straighten(flg_assembly *assembly, double h) {
  if (!assembly->scratch.mode.is_damped) return;
  flg_assembly_unbend(assembly);
  assembly->scratch.mode.lead = -h / 2, assembly->scratch.mode.mean = assembly->scratch.stage_v;
}

static flg_status rattle_step(flg_assembly *assembly, double time, double h) {
  double *q = assembly->state.q, *v = assembly->state.v,
         *ahead = assembly->scratch.sum_v /* as remembered */, open;
  assembly->scratch.kick = h / 2, assembly->scratch.horizon = h;
  assembly->scratch.phase = FLG_PHASE_FIRST;
  flg_assembly_begin(assembly);
  flg_soft_depart(assembly);
  flg_signals_begin(assembly, time, h);
  flg_status status = push_off(assembly, time, h);
  if (status != FLG_OK) return status;
  flg_assembly_depart(assembly);
  flg_watch_pull(assembly, h / 2);
  status = close_free_step(assembly, h, &open);
  if (status != FLG_OK) return status;
  straighten(assembly, h);
  rattle_arrive(assembly, ahead);
  flg_soft_arrive(assembly);
  assembly->scratch.phase = FLG_PHASE_SECOND;
  flg_signals_enter(assembly, 3);
  status = flg_assembly_forces(assembly, time + h, q, ahead);
  if (status != FLG_OK) return status;
  flg_watch_pull(assembly, h / 2);
  status = factor_second(assembly, ahead, open);
  if (status != FLG_OK) return status;
  push_second(assembly, h);
  status = flg_limits_push(assembly, q, 0, 0, v);
  flg_limits_note(assembly, h);
  flg_watch_note(assembly, 1, 0, 1);
  flg_assembly_keep_angles(assembly);
  if (status == FLG_OK) flg_assembly_arrive(assembly, time, h);
  return status == FLG_OK ? flg_signals_end(assembly) : status;
}

flg_status flg_assembly_rattle(flg_assembly *assembly, double time, double h) {
  bool is_near = false;
  flg_status status = flg_assembly_touch_near(assembly, h, &is_near);
  if (status != FLG_OK) return status;
  const bool is_taken = !is_near && (flg_assembly_step_by_code(assembly, time, h, &status) ||
                                     flg_planar_step(assembly, time, h));
  if (is_taken) return status;
  if (assembly->model.code.step != NULL) assembly->model.code.declined++;
  /* damping that stops what it acts on would throw it back here; a kick has it at its end */
  const bool kicks = is_near || flg_assembly_stops(assembly, h);
  if (is_near) status = flg_assembly_touch_guard(assembly, h / 2);
  if (status != FLG_OK) return status;
  status = kicks ? flg_assembly_kick(assembly, time, h) : rattle_step(assembly, time, h);
  flg_assembly_unbend(assembly);
  return status;
}

/* --- without forces -----------------------------------------------------------------------------
 */

static flg_status rattle_let_go(flg_assembly *assembly, const double *q, const double *v) {
  flg_assembly_unload(assembly);
  return flg_assembly_gather(assembly, 0, q, v);
}

static flg_status rattle_drift(flg_assembly *assembly, double h) {
  double *q = assembly->state.q, *v = assembly->state.v,
         *ahead = assembly->scratch.sum_v /* as remembered */, open;
  const bool bends = flg_assembly_bends(assembly);
  flg_status status = rattle_let_go(assembly, q, v);
  for (int k = 0; k < FORESEEN && bends && status == FLG_OK; k++) {
    status = rattle_foresee(assembly, h);
    if (status == FLG_OK) status = rattle_let_go(assembly, q, v);
  }
  if (status == FLG_OK) status = close_free_step(assembly, h, &open);
  if (status != FLG_OK) return status;
  if (bends) assembly->scratch.mode.mean = assembly->scratch.stage_v;
  rattle_arrive(assembly, ahead);
  status = rattle_let_go(assembly, q, ahead);
  assembly->scratch.mode.mean = NULL;
  if (status == FLG_OK) status = factor_second(assembly, ahead, open);
  if (status != FLG_OK) return status;
  push_second(assembly, h);
  status = flg_assembly_solve(assembly, v, (flg_aim){.soft = FLG_SOFT_RATE, .rate = 1}, v);
  flg_watch_note(assembly, 1, 0, 1);
  return status;
}

flg_status flg_assembly_fly(flg_assembly *assembly, double h, double *q, double *v) {
  const bool flies = flg_assembly_flies(assembly);
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    double *own_q = q + parts->position, *own_v = v + parts->velocity;
    flg_status status = FLG_OK;
    if (parts->ops->advance != NULL) {
      status = parts->ops->advance(parts, h, own_q, own_v);
    } else if (flies && parts->ops->fly != NULL) {
      parts->ops->fly(parts, h, own_q, own_v);
    } else {
      parts->ops->displace(parts, own_q, own_v, h, own_q);
    }
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

void flg_assembly_shift(flg_assembly *assembly, const double *by, double *q, double *v) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    double *own_q = q + parts->position;
    if (parts->ops->shift != NULL) {
      parts->ops->shift(parts, by + parts->velocity, own_q, v + parts->velocity);
    } else {
      parts->ops->displace(parts, own_q, by + parts->velocity, 1, own_q);
    }
  }
}

bool flg_assembly_is_loose(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    if (!assembly->model.sets[k]->ops->floats) return false;
  }
  return assembly->model.row_set_count == 0;
}

flg_status flg_assembly_coast(flg_assembly *assembly, double h) {
  if (flg_assembly_is_loose(assembly)) {
    return flg_assembly_fly(assembly, h, assembly->state.q, assembly->state.v);
  }
  assembly->scratch.mode.is_forceless = true;
  const flg_status status = rattle_drift(assembly, h);
  assembly->scratch.mode.is_forceless = false;
  return status;
}
