/* Steps of rattle in which something may touch, or a joint of a robot end.
 *
 *     half a step without forces       joints closed by their own impulses (flg_assembly_coast)
 *     a kick: v+ = P(v + h M^-1 f)     joints, limits and contacts at once, where things are then
 *     half a step without forces
 *
 * Each part keeps momentum and the energy that is its own, and all do not know the direction of
 * time: order 2 between two hits. From kick to kick it is a row of semi-implicit steps: rules of
 * contacts for a step of these hold here (contact_law.h). States between kicks are half way between
 * positions that do not overlap; but those after a hit that comes later than half of a step are
 * already on the way back.
 */
#include "assembly/assembly_contacts.h"
#include "assembly/assembly_signals.h"

/* at q and v, with the factors there */
static flg_status kick_place(flg_assembly *assembly) {
  flg_assembly_begin(assembly);
  return flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
}

static flg_status kick_push(flg_assembly *assembly, double time, double h) {
  double *q = assembly->state.q, *v = assembly->state.v;
  flg_assembly_set_impulse_step(assembly, h);
  flg_status status = flg_assembly_forces(assembly, time, q, v);
  if (status != FLG_OK) return status;
  flg_watch_pull(assembly, h);
  assembly->scratch.mode.is_damped = flg_assembly_resists(assembly);
  if (assembly->scratch.mode.is_damped)
    status = flg_assembly_factor(assembly, q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) status = flg_assembly_touch_look(assembly, h);
  if (status != FLG_OK) return status;
  flg_assembly_accelerate_free(assembly, assembly->scratch.stage_v);
  for (int k = 0; k < assembly->model.velocity_count; k++) v[k] += h * assembly->scratch.stage_v[k];
  status = flg_limits_push(assembly, q, 0, h, v);
  flg_limits_note(assembly, h);
  flg_watch_note(assembly, 1, 0.5, 0.5);
  return status == FLG_OK ? flg_assembly_touch_move(assembly, q, v) : status;
}

/* what contacts moved may have left joints open a little */
static flg_status push_and_close(flg_assembly *assembly, double time, double h) {
  assembly->scratch.mode.is_coasting = true;
  flg_status status = kick_push(assembly, time, h);
  assembly->scratch.mode.is_coasting = assembly->scratch.mode.is_damped = false;
  flg_assembly_set_impulse_step(assembly, 0);
  if (status != FLG_OK || flg_assembly_is_loose(assembly)) return status;
  status = flg_assembly_project(assembly, assembly->state.q, assembly->state.v, NULL);
  if (status != FLG_OK) return status;
  flg_limits_arrive(assembly);
  return kick_place(assembly);
}

flg_status flg_assembly_kick(flg_assembly *assembly, double time, double h) {
  assembly->scratch.kick = assembly->scratch.horizon = h;
  assembly->scratch.phase = FLG_PHASE_WHOLE;
  if (flg_assembly_bends(assembly)) assembly->scratch.mode.bends = h;
  flg_status status = flg_assembly_is_loose(assembly) ? FLG_OK : kick_place(assembly);
  if (status == FLG_OK) status = flg_assembly_coast(assembly, h / 2);
  assembly->scratch.clock = time + h / 2;
  if (status == FLG_OK) status = kick_place(assembly);
  if (status == FLG_OK) status = push_and_close(assembly, time + h / 2, h);
  if (status == FLG_OK) status = flg_assembly_coast(assembly, h / 2);
  if (status != FLG_OK) return status;
  if (assembly->model.coordinate_count > 0)
    flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  flg_assembly_keep_angles(assembly);
  return FLG_OK;
}
