/* Steps of rattle in which something may touch, or a joint of a robot end.
 *
 *     half a step without forces       joints closed by their own impulses (flg_assembly_coast)
 *     a kick: v+ = P(v + h M^-1 f)     joints, limits and contacts at once, where things are then
 *     half a step without forces
 *
 * Forces that need velocities have the mean of those before and after the kick, which is tried for
 * that.
 *
 * Each part keeps momentum and the energy that is its own, and all do not know the direction of
 * time: order 2 between two hits. From kick to kick it is a row of semi-implicit steps: rules of
 * contacts for a step of these hold here (contact_law.h), with the mean velocities from kick to
 * kick: joints change velocities in free motion, too, and a contact that was still right after a
 * kick would sink until the next, by order 1 (flg_contacts_lean). Couplings have contacts that are
 * still after the kick. States between kicks are half way between positions that do not overlap;
 * but those after a hit that comes later than half of a step are already on the way back.
 */
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_signals.h"

/* at q and v, with the factors there */
static flg_status kick_place(flg_assembly *assembly) {
  flg_assembly_begin(assembly);
  return flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
}

/* v under all that acts in h, with the forces that there are: joints, limits and contacts */
static flg_status kick_push_parts(flg_assembly *assembly, double h, double *v) {
  double *q = assembly->state.q;
  flg_status status = FLG_OK;
  assembly->scratch.mode.is_damped = flg_assembly_resists(assembly);
  if (assembly->scratch.mode.is_damped)
    status = flg_assembly_factor(assembly, q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) status = flg_assembly_touch_look(assembly, h);
  if (status != FLG_OK) return status;
  flg_assembly_accelerate_free(assembly, assembly->scratch.stage_v);
  for (int k = 0; k < assembly->model.velocity_count; k++) v[k] += h * assembly->scratch.stage_v[k];
  return flg_limits_push(assembly, q, 0, h, v);
}

static flg_status kick_push(flg_assembly *assembly, double h) {
  double *v = assembly->state.v;
  flg_status status = kick_push_parts(assembly, h, v);
  if (status != FLG_OK) return status;
  flg_signals_kick(assembly, true);
  flg_limits_note(assembly, h);
  flg_watch_note(assembly, 1, 0.5, 0.5);
  status = flg_signals_end(assembly); /* with the impulses of motors */
  return status == FLG_OK ? flg_assembly_touch_move(assembly, assembly->state.q, v) : status;
}

/* --- forces -------------------------------------------------------------------------------------
 */

/* a damper that is no row */
static bool damps(const flg_assembly *assembly, int force) {
  const flg_running_force *own = &assembly->model.forces[force];
  flg_law law[FLG_FORCE_ROWS_MAX];
  double value[FLG_FORCE_ROWS_MAX], rate[FLG_FORCE_ROWS_MAX];
  if (own->row_set >= 0 || own->force.kind->law == NULL || own->force.kind->target != NULL) {
    return false;
  }
  const int rows = flg_assembly_law(assembly, force, law, value, rate);
  for (int i = 0; i < rows; i++) {
    if (law[i].damping > 0) return true;
  }
  return false;
}

static bool forces_feel_rates(const flg_assembly *assembly) {
  if (assembly->model.signals != NULL && assembly->model.signals->feels_rates) return true;
  for (int k = 0; k < assembly->model.force_count; k++) {
    if (damps(assembly, k)) return true;
  }
  return false;
}

/* a push that is made and taken back: v is where it led */
static flg_status try_push(flg_assembly *assembly, double h, double *v) {
  flg_limits *limits = &assembly->state.limits;
  flg_contacts *contacts = assembly->model.touch == NULL ? NULL : assembly->model.touch->contacts;
  flg_contacts_totals totals = {0};
  const long unsolved = limits->unsolved;
  const size_t bytes = (size_t)assembly->model.state_count * sizeof(double);
  const size_t limit_bytes = (size_t)limits->count * sizeof *limits->list;
  memcpy(assembly->scratch.kept, assembly->state.numbers, bytes);
  if (limit_bytes > 0) memcpy(assembly->scratch.kept_limits, limits->list, limit_bytes);
  if (contacts != NULL) totals = flg_contacts_take_totals(contacts);
  memcpy(v, assembly->state.v, (size_t)assembly->model.velocity_count * sizeof *v);
  const flg_status status = kick_push_parts(assembly, h, v);
  assembly->scratch.mode.is_damped = false;
  if (contacts != NULL) flg_contacts_put_totals(contacts, totals);
  if (limit_bytes > 0) memcpy(limits->list, assembly->scratch.kept_limits, limit_bytes);
  memcpy(assembly->state.numbers, assembly->scratch.kept, bytes);
  limits->unsolved = unsolved;
  return status;
}

/* Forces that need velocities have the mean of those before the push and those that it leads to. */
static flg_status kick_foresee(flg_assembly *assembly, double time, double h) {
  double *mean = assembly->scratch.sum_v;
  flg_status status = try_push(assembly, h, mean);
  if (status != FLG_OK) return status;
  for (int k = 0; k < assembly->model.velocity_count; k++)
    mean[k] = (mean[k] + assembly->state.v[k]) / 2;
  flg_assembly_place(assembly, assembly->state.q, mean);
  status = flg_assembly_forces(assembly, time, assembly->state.q, mean);
  flg_watch_pull(assembly, h);
  return status == FLG_OK ? kick_place(assembly) : status;
}

static flg_status kick_gather(flg_assembly *assembly, double time, double h) {
  const flg_status status =
      flg_assembly_forces(assembly, time, assembly->state.q, assembly->state.v);
  if (status == FLG_OK && forces_feel_rates(assembly)) return kick_foresee(assembly, time, h);
  flg_watch_pull(assembly, h);
  return status;
}

/* --- the step -----------------------------------------------------------------------------------
 */

/* what contacts moved may have left joints open a little */
static flg_status push_and_close(flg_assembly *assembly, double time, double h) {
  flg_assembly_set_impulse_step(assembly, h);
  assembly->scratch.mode.is_coasting = true;
  flg_status status = kick_gather(assembly, time, h);
  if (status == FLG_OK) status = kick_push(assembly, h);
  assembly->scratch.mode.is_coasting = assembly->scratch.mode.is_damped = false;
  flg_assembly_set_impulse_step(assembly, 0);
  if (status != FLG_OK || flg_assembly_is_loose(assembly)) return status;
  status = flg_assembly_project(assembly, assembly->state.q, assembly->state.v, NULL);
  if (status != FLG_OK) return status;
  flg_limits_arrive(assembly);
  return FLG_OK;
}

flg_status flg_assembly_try_kick(flg_assembly *assembly, double time, double h) {
  double *v = assembly->scratch.sum_v;
  assembly->scratch.kick = assembly->scratch.horizon = h;
  assembly->scratch.phase = FLG_PHASE_WHOLE;
  flg_watch_remember(assembly);
  flg_status status = kick_place(assembly);
  flg_assembly_set_impulse_step(assembly, h);
  assembly->scratch.mode.is_coasting = true;
  if (status == FLG_OK) status = kick_gather(assembly, time + h / 2, h);
  memcpy(v, assembly->state.v, (size_t)assembly->model.velocity_count * sizeof *v);
  if (status == FLG_OK) status = kick_push_parts(assembly, h, v);
  assembly->scratch.mode.is_coasting = assembly->scratch.mode.is_damped = false;
  flg_assembly_set_impulse_step(assembly, 0);
  flg_watch_recall(assembly);
  return status;
}

static flg_status coast_parts(flg_assembly *assembly, double h) {
  assembly->scratch.phase = FLG_PHASE_COAST;
  flg_status status = flg_assembly_is_loose(assembly) ? FLG_OK : kick_place(assembly);
  if (assembly->scratch.leans) flg_assembly_touch_depart(assembly);
  if (status == FLG_OK) status = flg_assembly_coast(assembly, h);
  return status;
}

/* what is sampled, and states of signals in the middle */
static void begin_signals(flg_assembly *assembly, double time, double h) {
  if (assembly->model.signals == NULL) return;
  flg_assembly_begin(assembly);
  flg_signals_begin(assembly, time, h);
  flg_signals_set_off(assembly, time);
}

flg_status flg_assembly_to_kick(flg_assembly *assembly, double time, double h) {
  assembly->scratch.kick = assembly->scratch.horizon = h;
  assembly->scratch.kick_start = time, assembly->scratch.kick_step = h;
  if (flg_assembly_bends(assembly)) assembly->scratch.mode.bends = h;
  begin_signals(assembly, time, h);
  const flg_status status = coast_parts(assembly, h / 2);
  assembly->scratch.clock = time + h / 2;
  return status;
}

/* again from the kick on, with the limits that are closed now */
static flg_status coast_again(flg_assembly *assembly, double h) {
  flg_limits *limits = &assembly->state.limits;
  const size_t bytes = (size_t)limits->count * sizeof *limits->states;
  memcpy(limits->before, limits->states, bytes);
  memcpy(assembly->state.numbers, assembly->scratch.kept,
         (size_t)assembly->model.state_count * sizeof(double));
  memcpy(limits->states, limits->before, bytes);
  flg_watch_recall(assembly);
  return coast_parts(assembly, h);
}

/* Rows of stops and frictions that are closed hold in free motion, too, where joints turn: with the
 * kick, by no more than their laws allow. */
static flg_status coast_and_part(flg_assembly *assembly, double h) {
  if (assembly->state.limits.count == 0) return coast_parts(assembly, h / 2);
  memcpy(assembly->scratch.kept, assembly->state.numbers,
         (size_t)assembly->model.state_count * sizeof(double));
  flg_watch_remember(assembly);
  flg_status status = coast_parts(assembly, h / 2);
  while (status == FLG_OK && flg_limits_part(assembly, h)) status = coast_again(assembly, h / 2);
  return status;
}

flg_status flg_assembly_from_kick(flg_assembly *assembly, double time, double h) {
  assembly->scratch.phase = FLG_PHASE_WHOLE;
  flg_status status = kick_place(assembly);
  if (status == FLG_OK) status = push_and_close(assembly, time + h / 2, h);
  if (status == FLG_OK) status = coast_and_part(assembly, h);
  assembly->scratch.kick_start = NAN;
  if (status != FLG_OK) return status;
  if (assembly->model.coordinate_count > 0)
    flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  flg_assembly_keep_angles(assembly);
  return FLG_OK;
}

flg_status flg_assembly_kick(flg_assembly *assembly, double time, double h) {
  assembly->scratch.leans = true;
  flg_status status = flg_assembly_to_kick(assembly, time, h);
  if (status == FLG_OK) status = flg_assembly_from_kick(assembly, time, h);
  assembly->scratch.leans = false;
  return status;
}
