#include "assembly/assembly_watch.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "base/input_limits.h"
#include "interface/plan_probe.h"
#include "math/larger.h"

/* --- set-up -------------------------------------------------------------------------------------
 */

/* what came with a joint stands on its coordinate, under its name */
static bool is_of(const flg_component_joint *joint, int coordinate, const char *name) {
  return coordinate == joint->coordinate[0] && strcmp(name, joint->name) == 0;
}

static flg_watch watch_of(const flg_assembly *assembly, int index) {
  const flg_component *component = assembly->model.component;
  flg_watch watch = {.joint = index, .force = -1, .closed = {-1, -1, -1}};
  if (index == -1) return watch;
  if (index < 0) {
    watch.joint = -1, watch.is_between = true;
    watch.force = flg_watch_of_element(index);
    watch.closed[0] = assembly->model.forces[watch.force].row_set;
    if (watch.closed[0] >= 0) watch.force = -1;
    return watch;
  }
  const flg_component_joint *joint = &component->joints[index];
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_running_force *own = &assembly->model.forces[k];
    if (own->force.kind->law == NULL) continue;
    if (!is_of(joint, own->coordinate, flg_force_head_of(&own->force)->name)) continue;
    watch.closed[0] = own->row_set;
    if (own->row_set < 0) watch.force = k;
  }
  for (int k = 0; k < assembly->state.limits.count; k++) {
    const flg_limit *limit = &assembly->state.limits.list[k];
    const char *name = limit->stop < 0 ? component->frictions[limit->friction].name
                                       : component->stops[limit->stop].name;
    if (is_of(joint, limit->coordinate, name))
      watch.closed[limit->stop < 0 ? 1 : 2] = limit->row_set;
  }
  return watch;
}

/* room for more of them, before those that there are or after; it doubles, as they may be asked for
 * one by one */
static flg_watch *watch_make_room(flg_assembly *assembly, int count, bool before) {
  struct flg_assembly_model *model = &assembly->model;
  const int there = model->watch_count, needed = there + count;
  flg_watch *watches = model->watches;
  if (needed > model->watch_room || before) {
    model->watch_room = there > count ? 2 * there : needed;
    watches = flg_region_take(&model->region, (size_t)model->watch_room, sizeof *watches);
  }
  if (assembly->scratch.probe_work == NULL) {
    assembly->scratch.probe_work =
        flg_region_take(&model->region, (size_t)flg_plan_probe_work(assembly->scratch.plan),
                        sizeof *assembly->scratch.probe_work);
  }
  if (watches == NULL || assembly->scratch.probe_work == NULL) return NULL;
  if (there > 0 && watches != model->watches) {
    memcpy(watches + (before ? count : 0), model->watches, (size_t)there * sizeof *watches);
  }
  for (int k = 0; before && model->asked != NULL && k < model->component->joint_count; k++) {
    if (model->asked[k] > 0) model->asked[k] += count;
  }
  model->watches = watches, model->watch_count = needed;
  assembly->scratch.factors.last = false; /* they may lack rows that hold bodies flat */
  return before ? watches : watches + there;
}

flg_status flg_assembly_watch(flg_assembly *assembly, const int *joints, int count) {
  flg_watch *watches = watch_make_room(assembly, count, true);
  if (watches == NULL) return FLG_ERR_MEMORY;
  for (int k = 0; k < count; k++) watches[k] = watch_of(assembly, joints[k]);
  return FLG_OK;
}

static flg_watch *find_asked(const flg_assembly *assembly, int joint) {
  const int number = assembly->model.asked == NULL ? 0 : assembly->model.asked[joint];
  return number == 0 ? NULL : &assembly->model.watches[number - 1];
}

flg_status flg_assembly_ask_force(flg_assembly *assembly, int joint) {
  struct flg_assembly_model *model = &assembly->model;
  if (find_asked(assembly, joint) != NULL) return FLG_OK;
  if (model->asked == NULL) {
    model->asked = flg_region_take(&model->region, (size_t)model->component->joint_count,
                                   sizeof *model->asked);
  }
  flg_watch *watch = model->asked == NULL ? NULL : watch_make_room(assembly, 1, false);
  if (watch == NULL) return FLG_ERR_MEMORY;
  *watch = watch_of(assembly, joint);
  watch->is_asked = true;
  model->asked[joint] = model->watch_count;
  return FLG_OK;
}

/* --- reactions ----------------------------------------------------------------------------------
 */

static bool has_force(const flg_row_set *row_set) {
  return !flg_constraint_kinds[row_set->kind].couples;
}

/* the end of the plan's joint that a side of the joint is, -1: the ground; a distance is a row of
 * its coordinate, and so are most elements */
static int watch_end_of(const flg_row_set *row_set, int side) {
  const bool is_of_coordinate =
      flg_constraint_kinds[row_set->kind].is_of_points && row_set->coordinate[0] >= 0;
  return is_of_coordinate ? row_set->coordinate_end[0][side] : row_set->anchor_end[side];
}

/* G^T l on the second end, at the frame that `force_arm` leads to; from the first if the second is
 * on the ground */
static flg_spatial wrench_of(const flg_row_set *row_set, const double *l, flg_vec3 force_arm) {
  const int side = watch_end_of(row_set, 1) >= 0 ? 1 : 0, end = watch_end_of(row_set, side);
  double sum[FLG_PORT_NUMBERS] = {0};
  if (end < 0) return (flg_spatial){{0}, {0}};
  for (int j = 0; j < FLG_PORT_NUMBERS; j++) {
    const double *column = row_set->view.side[end] + (size_t)j * (size_t)row_set->view.leading;
    for (int i = 0; i < row_set->rows; i++) sum[j] += column[i] * l[i];
  }
  const flg_spatial force = flg_spatial_scale(flg_spatial_load(sum), side == 1 ? 1 : -1);
  return flg_spatial_shift_force(force, force_arm);
}

static flg_spatial row_set_force(const flg_row_set *row_set, const double *l) {
  flg_spatial force = wrench_of(row_set, l, row_set->force_arm);
  if (flg_constraint_kinds[row_set->kind].is_of_points) force.angular = (flg_vec3){0};
  return force;
}

/* what the element that is a force does to the second end, at its frame */
static flg_spatial pull_of(const flg_assembly *assembly, const flg_watch *watch) {
  double value[FLG_FORCE_ROWS_MAX];
  if (watch->is_between) return flg_assembly_force_between(assembly, watch->force, value);
  const int coordinate = assembly->model.component->joints[watch->joint].coordinate[0];
  return flg_spatial_scale(assembly->model.coordinates[coordinate].row.side[1],
                           flg_assembly_effort(assembly, watch->force));
}

static flg_spatial pull_of_row_sets(const flg_assembly *assembly, const flg_watch *watch) {
  flg_spatial sum = {{0}, {0}};
  for (int k = 0; k < 3; k++) {
    if (watch->closed[k] < 0) continue;
    const flg_row_set *row_set = &assembly->model.row_sets[watch->closed[k]];
    sum = flg_spatial_add(sum, wrench_of(row_set, row_set->view.reactions,
                                         assembly->model.row_sets[watch->joint].force_arm));
  }
  return sum;
}

/* G y of a row, as the last solve has it */
static double rate_made(const flg_assembly *assembly, const flg_row_set *row_set, int row) {
  double sum = 0;
  for (int e = 0; e < row_set->ends; e++) {
    const double *motion = assembly->scratch.views[row_set->port[e].part].motion +
                           FLG_PORT_NUMBERS * row_set->port[e].port;
    for (int j = 0; j < FLG_PORT_NUMBERS; j++) {
      sum += row_set->view.side[e][row + j * row_set->view.leading] * motion[j];
    }
  }
  return sum;
}

/* impulse of a prescribed coordinate in the macro step; and as it was remembered */
static double *motion_sum(const flg_assembly *assembly, int motion) {
  const int row_set = assembly->model.rigid_count - assembly->model.motion_count + motion;
  return assembly->model.forces[assembly->model.row_sets[row_set].force].force.own;
}

void flg_watch_begin(flg_assembly *assembly) {
  assembly->scratch.watched_time = 0;
  for (int k = 0; k < assembly->model.motion_count; k++) motion_sum(assembly, k)[0] = 0;
  for (int k = 0; k < assembly->model.watch_count; k++) {
    assembly->model.watches[k].sum = (flg_watch_sum){.impulse = {{0}, {0}}};
  }
}

void flg_watch_note(flg_assembly *assembly, double share, double placed, double made) {
  const int first = assembly->model.rigid_count - assembly->model.motion_count;
  for (int k = 0; k < assembly->model.motion_count; k++) {
    motion_sum(assembly, k)[0] += share * assembly->model.row_sets[first + k].view.reactions[0];
  }
  for (int k = 0; k < assembly->model.watch_count; k++) {
    flg_watch *watch = &assembly->model.watches[k];
    if (watch->is_between && watch->closed[0] >= 0) {
      const flg_row_set *soft = &assembly->model.row_sets[watch->closed[0]];
      watch->sum.impulse = flg_spatial_add_scaled(
          watch->sum.impulse, share, wrench_of(soft, soft->view.reactions, soft->force_arm));
    }
    if (watch->joint < 0) continue;
    const flg_row_set *row_set = &assembly->model.row_sets[watch->joint];
    const double *l = row_set->view.reactions;
    if (has_force(row_set)) {
      const flg_spatial force =
          flg_spatial_add(row_set_force(row_set, l), pull_of_row_sets(assembly, watch));
      watch->sum.impulse = flg_spatial_add_scaled(watch->sum.impulse, share, force);
    }
    for (int i = 0; i < row_set->rows; i++) {
      double rate = placed * row_set->rate[i];
      if (made != 0) rate += made * rate_made(assembly, row_set, i);
      watch->sum.work += share * l[i] * rate;
    }
  }
}

void flg_watch_pull(flg_assembly *assembly, double time) {
  for (int k = 0; k < assembly->model.watch_count; k++) {
    flg_watch *watch = &assembly->model.watches[k];
    if (watch->force < 0) continue;
    watch->sum.impulse = flg_spatial_add_scaled(watch->sum.impulse, time, pull_of(assembly, watch));
  }
}

void flg_watch_remember(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.motion_count; k++) {
    motion_sum(assembly, k)[1] = motion_sum(assembly, k)[0];
  }
  for (int k = 0; k < assembly->model.watch_count; k++) {
    assembly->model.watches[k].remembered = assembly->model.watches[k].sum;
  }
}

void flg_watch_recall(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.motion_count; k++) {
    motion_sum(assembly, k)[0] = motion_sum(assembly, k)[1];
  }
  for (int k = 0; k < assembly->model.watch_count; k++) {
    assembly->model.watches[k].sum = assembly->model.watches[k].remembered;
  }
}

/* --- looking ------------------------------------------------------------------------------------
 */

static bool is_displacement(const flg_row_set *row_set, int row) {
  return (row_set->displacements >> row & 1) != 0;
}

flg_watched flg_assembly_watched(const flg_assembly *assembly, int index) {
  const flg_watch *watch = &assembly->model.watches[index];
  const flg_row_set *row_set = watch->joint < 0 ? NULL : &assembly->model.row_sets[watch->joint];
  flg_watched watched = {.impulse = watch->sum.impulse, .work = watch->sum.work};
  if (!watch->is_between && (row_set == NULL || !has_force(row_set))) {
    watched.impulse = flg_spatial_scale((flg_spatial){{1, 1, 1}, {1, 1, 1}}, NAN);
  }
  if (row_set == NULL) return watched;
  for (int i = 0; i < row_set->rows; i++) {
    double *to = &watched.apart[is_displacement(row_set, i) ? 0 : 1];
    *to = hypot(*to, row_set->left[i]);
  }
  return watched;
}

bool flg_assembly_is_redundant(const flg_assembly *assembly) {
  const flg_plan_totals totals = flg_plan_totals_view(assembly->scratch.plan);
  return totals.rank < totals.rows;
}

/* Factors of joints alone: springs, motors and limits take no part. Where there are none of them,
 * those that the last step left may do. */
static flg_status watch_factor(flg_assembly *assembly) {
  const bool alone = assembly->model.row_set_count == assembly->model.joint_count;
  if (!alone) assembly->scratch.kick = assembly->scratch.horizon = 0;
  if (alone && flg_assembly_knows_factors(assembly, assembly->state.q)) return FLG_OK;
  assembly->state.limits.idle = true;
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  const flg_status status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  assembly->state.limits.idle = false;
  return status;
}

/* most that a row of displacements could yield, or one of turns */
static double watch_scale_of(const flg_row_set *row_set, const flg_plan_probe *probe, bool linear) {
  double most = 0;
  for (int i = 0; i < row_set->rows; i++) {
    if (is_displacement(row_set, i) == linear) most = flg_larger(most, probe->scale[i]);
  }
  return most;
}

static void find_unique(const flg_row_set *row_set, const flg_plan_probe *probe,
                        bool unique[FLG_PORT_NUMBERS]) {
  double c[FLG_PORT_NUMBERS][FLG_CONSTRAINT_ROWS_MAX];
  for (int i = 0; i < row_set->rows; i++) {
    double unit[FLG_CONSTRAINT_ROWS_MAX] = {0}, force[FLG_PORT_NUMBERS];
    unit[i] = 1;
    flg_spatial_store(row_set_force(row_set, unit), force);
    for (int j = 0; j < FLG_PORT_NUMBERS; j++) c[j][i] = force[j];
  }
  for (int j = 0; j < FLG_PORT_NUMBERS; j++) {
    unique[j] = flg_plan_probe_is_unique(probe, c[j], watch_scale_of(row_set, probe, j < 3));
  }
}

flg_status flg_assembly_watch_rows(flg_assembly *assembly) {
  const flg_status status = watch_factor(assembly);
  if (status != FLG_OK) return status;
  return flg_plan_probe_begin(assembly->scratch.plan, assembly->model.options.threads);
}

int flg_assembly_watched_most(const flg_assembly *assembly) {
  if (flg_plan_probe_is_short(assembly->scratch.plan)) return INT_MAX;
  return (int)fmin(flg_input_limit_value(FLG_LIMIT_PROBES), INT_MAX);
}

flg_status flg_assembly_watched_rows(flg_assembly *assembly, int index, flg_watched_rows *rows) {
  const int joint = assembly->model.watches[index].joint;
  flg_plan_probe probe;
  *rows = (flg_watched_rows){.rows = 0};
  if (joint < 0) return FLG_OK;
  const flg_status status =
      flg_plan_probe_joint(assembly->scratch.plan, joint, assembly->model.length, &probe,
                           assembly->scratch.probe_work, assembly->model.options.threads);
  if (status != FLG_OK) return status;
  *rows = (flg_watched_rows){.rows = probe.rows, .rank = probe.rank};
  memcpy(rows->inverse, probe.inverse, sizeof probe.inverse);
  find_unique(&assembly->model.row_sets[joint], &probe, rows->is_unique);
  return FLG_OK;
}

int flg_assembly_asked_forces(const flg_assembly *assembly) {
  int count = 0;
  for (int k = 0; k < assembly->model.watch_count; k++)
    count += assembly->model.watches[k].is_asked;
  return count;
}

/* What is not looked at counts as open. */
void flg_watch_refresh(flg_assembly *assembly) {
  const bool may_be_open =
      assembly->scratch.watched_time != 0 && flg_assembly_is_redundant(assembly);
  const bool begins = may_be_open && flg_assembly_asked_forces(assembly) > 0;
  const flg_status begun = begins ? flg_assembly_watch_rows(assembly) : FLG_OK;
  int left = begins ? flg_assembly_watched_most(assembly) : 0;
  for (int k = 0; k < assembly->model.watch_count; k++) {
    flg_watch *watch = &assembly->model.watches[k];
    if (!watch->is_asked) continue;
    flg_watched_rows rows;
    for (int i = 0; i < FLG_PORT_NUMBERS; i++) watch->is_open[i] = false;
    if (!may_be_open) continue;
    flg_status status = left-- > 0 ? begun : FLG_ERR_RANGE;
    if (status == FLG_OK) status = flg_assembly_watched_rows(assembly, k, &rows);
    for (int i = 0; i < FLG_PORT_NUMBERS; i++) {
      watch->is_open[i] = status != FLG_OK || !rows.is_unique[i];
    }
  }
}

void flg_assembly_joint_force(const flg_assembly *assembly, int joint, double force[6]) {
  const flg_watch *watch = find_asked(assembly, joint);
  for (int i = 0; i < FLG_PORT_NUMBERS; i++) force[i] = 0;
  if (watch == NULL || assembly->scratch.watched_time == 0) return;
  flg_spatial_store(flg_spatial_scale(watch->sum.impulse, 1 / assembly->scratch.watched_time),
                    force);
  for (int i = 0; i < FLG_PORT_NUMBERS; i++) {
    if (watch->is_open[i]) force[i] = NAN;
  }
}
