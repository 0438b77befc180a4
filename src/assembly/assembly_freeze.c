/* Rows of joints chosen once, at set-up, for all steps to come.
 *
 * A choice is a property of the mechanism: rows that others repeat do so wherever the joints are
 * closed, but for singular poses. The choice is of the start, and does not depend on what came
 * since: a run that goes on from a snapshot takes the same steps.
 */
#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "parts/bodies.h"

/* A start that is singular has fewer independent rows than other poses: they are looked for so far
 * away, of the length of the system, or in rad. */
static const double AWAY = 0.1;

/* rigid bodies that are joined to each other, and to nothing else */
static bool is_plain(const flg_assembly *assembly) {
  const struct flg_assembly_model *model = &assembly->model;
  return model->options.form == FLG_FORM_ADMITTANCE && model->set_count == 1 &&
         model->sets[0]->ops->flight == &flg_bodies_flight && model->outlet_count == 0 &&
         model->rigid_count > 0 && assembly->state.welds.count == 0;
}

static flg_status choose(flg_assembly *assembly, const double *q, int *rank) {
  flg_assembly_place_rows(assembly, q, assembly->state.v);
  const flg_status status = flg_assembly_factor_anew(assembly, q);
  *rank = flg_plan_totals_view(assembly->scratch.plan).rank;
  return status;
}

/* some motion that joints allow, as if drawn; its largest number */
static flg_status draw_motion(flg_assembly *assembly, double *v, double *most) {
  for (int k = 0; k < assembly->model.velocity_count; k++) v[k] = sin(1.7 * k + 1);
  const flg_status status = flg_assembly_solve(assembly, v, (flg_aim){0}, v);
  *most = 0;
  for (int k = 0; k < assembly->model.velocity_count; k++) {
    const double size = fabs(v[k]) / (k % FLG_BODY_VELOCITIES < 3 ? assembly->model.length : 1);
    if (size > *most) *most = size;
  }
  return status;
}

/* Where that motion leads to; false if it leads nowhere. After choose. */
static bool move_away(flg_assembly *assembly, double *q) {
  double *v = assembly->scratch.stage_v, most;
  if (draw_motion(assembly, v, &most) != FLG_OK || !(most > 0)) return false;
  flg_assembly_displace(assembly, assembly->state.q, v, AWAY / most, q);
  return flg_assembly_project(assembly, q, assembly->state.v, NULL) == FLG_OK;
}

static flg_status freeze(flg_assembly *assembly) {
  double *q = assembly->scratch.stage_q;
  int here, there = 0;
  flg_status status = choose(assembly, assembly->state.q, &here);
  if (status != FLG_OK) return FLG_OK; /* steps will say so */
  const bool has_moved =
      move_away(assembly, q) && choose(assembly, q, &there) == FLG_OK && there > here;
  if (!has_moved) status = choose(assembly, assembly->state.q, &here);
  return status == FLG_OK ? flg_plan_freeze(assembly->scratch.plan) : FLG_OK;
}

flg_status flg_assembly_freeze(flg_assembly *assembly) {
  if (!is_plain(assembly)) return FLG_OK;
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.elapsed = 0;
  assembly->state.limits.idle = true;
  const flg_status status = freeze(assembly);
  assembly->state.limits.idle = false;
  assembly->scratch.factors.last = false;
  for (int k = 0; k < assembly->model.closing_count; k++) {
    assembly->model.closings[k].view = flg_plan_joint_view(assembly->scratch.plan, k);
  }
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  return status;
}
