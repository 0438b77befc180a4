/* Rows of joints chosen once, at set-up, for all steps to come.
 *
 * A choice is a property of the mechanism: rows that others repeat do so wherever the joints are
 * closed, but for singular poses. The choice is of the start, and does not depend on what came
 * since: a run that goes on from a snapshot takes the same steps.
 */
#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "assembly/assembly_planar.h"
#include "component/assembly_start.h"
#include "parts/bodies.h"

/* A start that is singular has fewer independent rows than other poses: they are looked for so far
 * away, of the length of the system, or in rad. */
static const double AWAY = 0.1;

/* rigid bodies that are joined to each other, and to nothing else */
static bool is_plain(const flg_assembly *assembly) {
  const struct flg_assembly_model *model = &assembly->model;
  return model->options.form == FLG_FORM_ADMITTANCE && model->set_count == 1 &&
         model->sets[0]->ops->free_step == &flg_bodies_free_step && model->outer_port_count == 0 &&
         model->rigid_count > 0 && assembly->state.welds.count == 0;
}

static flg_status choose_frozen_rows(flg_assembly *assembly, const double *q, int *rank) {
  flg_assembly_place_rows(assembly, q, assembly->state.v);
  const flg_status status = flg_assembly_factor_anew(assembly, q);
  *rank = flg_plan_totals_view(assembly->scratch.plan).rank;
  return status;
}

/* some motion that joints allow, as if drawn; its largest number */
static flg_status draw_allowed_motion(flg_assembly *assembly, double *v, double *most) {
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
  if (draw_allowed_motion(assembly, v, &most) != FLG_OK || !(most > 0)) return false;
  flg_assembly_displace(assembly, assembly->state.q, v, AWAY / most, q);
  return flg_assembly_project(assembly, q, assembly->state.v, NULL) == FLG_OK;
}

/* D of a flat body in its plane */
static void flatten(flg_vec3 n, double *D) {
  const double about = flg_vec3_dot(n, (flg_vec3){D[21] * n.x + D[27] * n.y + D[33] * n.z,
                                                  D[22] * n.x + D[28] * n.y + D[34] * n.z,
                                                  D[23] * n.x + D[29] * n.y + D[35] * n.z});
  const double normal[3] = {n.x, n.y, n.z}, linear = D[0];
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      D[i + 6 * j] = linear * ((i == j) - normal[i] * normal[j]);
      D[i + 3 + 6 * (j + 3)] = about * normal[i] * normal[j];
    }
  }
}

/* Rows that are left where flat bodies stay in their plane; after choose, which has measured all
 * of them by what they could yield in space. */
static flg_status choose_flat(flg_assembly *assembly, const flg_vec3 *normals) {
  for (int k = 0; k < assembly->model.part_count; k++) {
    const bool is_flat = flg_vec3_dot(normals[k], normals[k]) > 0;
    if (is_flat) flatten(normals[k], assembly->scratch.views[k].matrix);
  }
  return flg_plan_factor_alone(assembly->scratch.plan, FLG_PIVOTS_CHOOSE, NULL);
}

/* the rows of a pose in general */
static flg_status choose_pose(flg_assembly *assembly) {
  double *q = assembly->scratch.stage_q;
  int here, there = 0;
  const flg_status status = choose_frozen_rows(assembly, assembly->state.q, &here);
  if (status != FLG_OK) return status;
  const bool has_moved =
      move_away(assembly, q) && choose_frozen_rows(assembly, q, &there) == FLG_OK && there > here;
  return has_moved ? FLG_OK : choose_frozen_rows(assembly, assembly->state.q, &here);
}

static flg_status freeze(flg_assembly *assembly, flg_region *work) {
  flg_vec3 *normals = flg_region_take(work, (size_t)assembly->model.part_count, sizeof *normals);
  if (work->failed) return FLG_ERR_MEMORY;
  int flat = 0;
  if (assembly->model.options.reduces) flat = flg_planar_find_flat(assembly, normals, work);
  flg_status status = choose_pose(assembly);
  if (status == FLG_OK && flat > 0) status = choose_flat(assembly, normals);
  if (status != FLG_OK) return FLG_OK; /* steps will say so */
  assembly->scratch.has_flat = flat > 0;
  status = flg_plan_freeze(assembly->scratch.plan, flat > 0 ? &normals[0].x : NULL);
  return work->failed ? FLG_ERR_MEMORY : status;
}

flg_status flg_assembly_freeze(flg_assembly *assembly) {
  if (!is_plain(assembly)) return FLG_OK;
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.elapsed = 0;
  assembly->state.limits.idle = true;
  flg_region work = {0};
  const flg_status status = freeze(assembly, &work);
  flg_region_release(&work);
  assembly->state.limits.idle = false;
  assembly->scratch.factors.last = false;
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    assembly->model.row_sets[k].view = flg_plan_joint_view(assembly->scratch.plan, k);
  }
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  return status;
}
