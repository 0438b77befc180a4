#include "subsystem/assembly_watch.h"

#include <math.h>
#include <string.h>

#include "interface/plan_probe.h"
#include "math/larger.h"
#include "subsystem/assembly_inner.h"

/* --- set-up -------------------------------------------------------------------------------------
 */

flg_status flg_assembly_watch(flg_assembly *assembly, const int *joints, int count) {
  flg_watch *watches = flg_region_take(&assembly->region, (size_t)count, sizeof *watches);
  double *work =
      flg_region_take(&assembly->region, (size_t)flg_plan_probe_work(assembly->plan), sizeof *work);
  if (watches == NULL || work == NULL) return FLG_ERR_MEMORY;
  for (int k = 0; k < count; k++) watches[k] = (flg_watch){.joint = joints[k]};
  assembly->watches = watches, assembly->watch_count = count, assembly->probe_work = work;
  return FLG_OK;
}

/* --- reactions ----------------------------------------------------------------------------------
 */

static bool has_force(const flg_closing *closing) {
  return closing->kind != FLG_CONSTRAINT_GEAR && closing->kind != FLG_CONSTRAINT_RACK;
}

/* the end of the plan's joint that a side of the joint is, -1: the ground; a distance is a row of
 * its coordinate */
static int end_of(const flg_closing *closing, int side) {
  return closing->kind == FLG_CONSTRAINT_DISTANCE ? closing->measure_end[0][side]
                                                  : closing->seat_end[side];
}

/* G^T l on the second end, at its frame; from the first if the second is on the ground */
static flg_spatial force_of(const flg_closing *closing, const double *l) {
  const int side = end_of(closing, 1) >= 0 ? 1 : 0, end = end_of(closing, side);
  double sum[FLG_PORT_NUMBERS] = {0};
  if (end < 0) return (flg_spatial){{0}, {0}};
  for (int j = 0; j < FLG_PORT_NUMBERS; j++) {
    const double *column = closing->view.side[end] + (size_t)j * (size_t)closing->view.leading;
    for (int i = 0; i < closing->rows; i++) sum[j] += column[i] * l[i];
  }
  flg_spatial force = flg_spatial_scale(flg_spatial_load(sum), side == 1 ? 1 : -1);
  if (closing->kind == FLG_CONSTRAINT_DISTANCE)
    force.angular = (flg_vec3){0}; /* through the frame */
  return closing->kind == FLG_CONSTRAINT_DISTANCE ? force
                                                  : flg_spatial_shift_force(force, closing->reach);
}

/* G y of a row, as the last solve has it */
static double rate_made(const flg_assembly *assembly, const flg_closing *closing, int row) {
  double sum = 0;
  for (int e = 0; e < closing->ends; e++) {
    const double *motion =
        assembly->views[closing->port[e].part].motion + FLG_PORT_NUMBERS * closing->port[e].port;
    for (int j = 0; j < FLG_PORT_NUMBERS; j++) {
      sum += closing->view.side[e][row + j * closing->view.leading] * motion[j];
    }
  }
  return sum;
}

void flg_watch_begin(flg_assembly *assembly) {
  for (int k = 0; k < assembly->watch_count; k++) {
    assembly->watches[k].sum = (flg_watch_sum){.impulse = {{0}, {0}}};
  }
}

void flg_watch_note(flg_assembly *assembly, double share, double placed, double made) {
  for (int k = 0; k < assembly->watch_count; k++) {
    flg_watch *watch = &assembly->watches[k];
    const flg_closing *closing = &assembly->closings[watch->joint];
    const double *l = closing->view.reactions;
    if (has_force(closing)) {
      watch->sum.impulse = flg_spatial_add_scaled(watch->sum.impulse, share, force_of(closing, l));
    }
    for (int i = 0; i < closing->rows; i++) {
      double rate = placed * closing->rate[i];
      if (made != 0) rate += made * rate_made(assembly, closing, i);
      watch->sum.work += share * l[i] * rate;
    }
  }
}

void flg_watch_remember(flg_assembly *assembly) {
  for (int k = 0; k < assembly->watch_count; k++) {
    assembly->watches[k].remembered = assembly->watches[k].sum;
  }
}

void flg_watch_recall(flg_assembly *assembly) {
  for (int k = 0; k < assembly->watch_count; k++) {
    assembly->watches[k].sum = assembly->watches[k].remembered;
  }
}

/* --- looking ------------------------------------------------------------------------------------
 */

/* whether a row is one of displacements: those of frames come first (constraint.h) */
static bool is_displacement(const flg_closing *closing, int row) {
  const bool last = row == closing->rows - 1;
  if (closing->kind == FLG_CONSTRAINT_GEAR) return false;
  if (last && closing->coordinate[0] >= 0) return true;
  return row < flg_constraint_displacements(closing->kind);
}

flg_watched flg_assembly_watched(const flg_assembly *assembly, int index) {
  const flg_watch *watch = &assembly->watches[index];
  const flg_closing *closing = &assembly->closings[watch->joint];
  flg_watched watched = {.impulse = watch->sum.impulse, .work = watch->sum.work};
  if (!has_force(closing)) {
    watched.impulse = flg_spatial_scale((flg_spatial){{1, 1, 1}, {1, 1, 1}}, NAN);
  }
  for (int i = 0; i < closing->rows; i++) {
    double *to = &watched.apart[is_displacement(closing, i) ? 0 : 1];
    *to = hypot(*to, closing->left[i]);
  }
  return watched;
}

bool flg_assembly_is_redundant(const flg_assembly *assembly) {
  const flg_plan_totals totals = flg_plan_totals_view(assembly->plan);
  return totals.rank < totals.rows;
}

/* Factors of joints alone: springs, motors and limits take no part. Where there are none of them,
 * those that the last step left may do. */
static flg_status factor(flg_assembly *assembly) {
  const bool alone = assembly->closing_count == assembly->joint_count;
  if (!alone) assembly->kick = assembly->horizon = 0, assembly->is_factored = false;
  if (alone && flg_assembly_knows_factors(assembly, assembly->q)) return FLG_OK;
  assembly->limits.idle = true;
  flg_assembly_place_rows(assembly, assembly->q, assembly->v);
  const flg_status status = flg_assembly_factor(assembly, assembly->q, FLG_PIVOTS_CHOOSE);
  assembly->limits.idle = false;
  if (!alone) assembly->is_factored = false;
  return status;
}

/* most that a row of displacements could yield, or one of turns */
static double scale_of(const flg_closing *closing, const flg_plan_probe *probe, bool linear) {
  double most = 0;
  for (int i = 0; i < closing->rows; i++) {
    if (is_displacement(closing, i) == linear) most = flg_larger(most, probe->scale[i]);
  }
  return most;
}

static void find_unique(const flg_closing *closing, const flg_plan_probe *probe,
                        bool unique[FLG_PORT_NUMBERS]) {
  double c[FLG_PORT_NUMBERS][FLG_CONSTRAINT_ROWS_MAX];
  for (int i = 0; i < closing->rows; i++) {
    double unit[FLG_CONSTRAINT_ROWS_MAX] = {0}, force[FLG_PORT_NUMBERS];
    unit[i] = 1;
    flg_spatial_store(force_of(closing, unit), force);
    for (int j = 0; j < FLG_PORT_NUMBERS; j++) c[j][i] = force[j];
  }
  for (int j = 0; j < FLG_PORT_NUMBERS; j++) {
    unique[j] = flg_plan_probe_is_unique(probe, c[j], scale_of(closing, probe, j < 3));
  }
}

flg_status flg_assembly_watched_rows(flg_assembly *assembly, int index, flg_watched_rows *rows) {
  const int joint = assembly->watches[index].joint;
  flg_plan_probe probe;
  flg_status status = factor(assembly);
  if (status != FLG_OK) return status;
  status = flg_plan_probe_joint(assembly->plan, joint, &probe, assembly->probe_work,
                                assembly->options.threads);
  if (status != FLG_OK) return status;
  *rows = (flg_watched_rows){.rows = probe.rows, .rank = probe.rank};
  memcpy(rows->inverse, probe.inverse, sizeof probe.inverse);
  find_unique(&assembly->closings[joint], &probe, rows->is_unique);
  return FLG_OK;
}
