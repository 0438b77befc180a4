#include "assembly/assembly.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_limits_inner.h"
#include "assembly/assembly_signals.h"
#include "math/larger.h"

const flg_component *flg_assembly_component(const flg_assembly *assembly) {
  return assembly->model.component;
}

const flg_assembly_options *flg_assembly_settings(const flg_assembly *assembly) {
  return &assembly->model.options;
}

double *flg_assembly_state(const flg_assembly *assembly, int *count) {
  *count = assembly->model.state_count;
  return assembly->state.numbers;
}

/* --- stepping -----------------------------------------------------------------------------------
 */

/* Semi-implicit steps take damping of parts implicitly over h; the other schemes evaluate it. */
void flg_assembly_sample(flg_assembly *assembly, double time, double h) {
  const bool is_implicit = assembly->model.options.scheme == FLG_SCHEME_SEMI_IMPLICIT;
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->sample != NULL) parts->ops->sample(parts, time, is_implicit ? h : 0);
  }
}

static flg_status begin_step(flg_assembly *assembly, double time, double h) {
  assembly->scratch.clock = time, assembly->scratch.kick_start = NAN;
  flg_assembly_sample(assembly, time, h);
  flg_assembly_keep_speeds(assembly);
  return flg_limits_begin(assembly);
}

static void end_step(flg_assembly *assembly, double time, double h) {
  assembly->scratch.clock = time;
  flg_assembly_note_turns(assembly, h);
}

flg_status flg_assembly_try(flg_assembly *assembly, double time, double h) {
  static flg_status (*const step[FLG_SCHEME_COUNT])(flg_assembly *, double, double) = {
      flg_assembly_rattle, flg_assembly_rk4, flg_assembly_semi_implicit};
  const flg_status status = begin_step(assembly, time, h);
  return status == FLG_OK ? step[assembly->model.options.scheme](assembly, time, h) : status;
}

flg_status flg_assembly_advance(flg_assembly *assembly, double time, double h, int first,
                                int count) {
  assembly->scratch.spun = NULL;
  if (first == 0) flg_watch_begin(assembly);
  for (int k = first; k < first + count; k++) {
    assembly->scratch.is_first = k == 0;
    const flg_status status = flg_assembly_try(assembly, time + k * h, h);
    if (status != FLG_OK) return status;
    end_step(assembly, time + (k + 1) * h, h);
  }
  assembly->scratch.watched_time += count * h;
  flg_assembly_tell_passages(assembly);
  return FLG_OK;
}

flg_status flg_assembly_leap(flg_assembly *assembly, double time, double h, int index) {
  assembly->scratch.spun = NULL;
  if (index == 0) flg_watch_begin(assembly);
  flg_status status = begin_step(assembly, time + index * h, h);
  if (status != FLG_OK) return status;
  if (assembly->model.code.step != NULL) assembly->model.code.declined++;
  if (assembly->model.touch != NULL) assembly->model.touch->is_away = false;
  flg_assembly_begin(assembly);
  status = flg_assembly_touch_guard(assembly, h / 2);
  return status == FLG_OK ? flg_assembly_to_kick(assembly, time + index * h, h) : status;
}

flg_status flg_assembly_land(flg_assembly *assembly, double time, double h, int index) {
  const flg_status status = flg_assembly_from_kick(assembly, time + index * h, h);
  flg_assembly_unbend(assembly);
  if (status != FLG_OK) return status;
  end_step(assembly, time + (index + 1) * h, h);
  assembly->scratch.watched_time += h;
  flg_assembly_tell_passages(assembly);
  return FLG_OK;
}

/* Everything that is read is computed from the state again, and not kept from the last step: so a
 * restored state is read as the one that was saved. */
void flg_assembly_refresh(flg_assembly *assembly, double time) {
  assembly->scratch.elapsed = 0, assembly->scratch.clock = time;
  assembly->scratch.kick_start = NAN;
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->refresh != NULL) parts->ops->refresh(parts, time);
  }
  flg_watch_refresh(assembly);
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  flg_assembly_note_slip(assembly);
  flg_assembly_touch_recall(assembly);
  flg_signals_look(assembly, time);
}

void flg_assembly_carry(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->carry == NULL) continue;
    parts->ops->carry(parts, assembly->state.q + parts->position,
                      assembly->state.v + parts->velocity);
  }
}

flg_status flg_assembly_take_velocities(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->take_velocities == NULL) continue;
    const flg_status status = parts->ops->take_velocities(
        parts, assembly->state.q + parts->position, assembly->state.v + parts->velocity);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

/* In the mass norm, as an impulse: springs have none, and limits are idle, since their forces
 * are bounded. Frictions start again as the velocities say. */
flg_status flg_assembly_project_velocities(flg_assembly *assembly) {
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.elapsed = 0;
  assembly->state.limits.idle = true;
  flg_assembly_carry(assembly);
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  flg_status status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) {
    status =
        flg_assembly_solve(assembly, assembly->state.v, (flg_aim){.rate = 1}, assembly->state.v);
  }
  if (status == FLG_OK) status = flg_assembly_take_velocities(assembly);
  assembly->state.limits.idle = false;
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  flg_limits_start(assembly);
  return status;
}

flg_status flg_assembly_settle(flg_assembly *assembly) {
  flg_assembly_normalise(assembly, assembly->state.q);
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->settle != NULL) parts->ops->settle(parts);
  }
  return flg_assembly_project_velocities(assembly);
}

/* positions as they were: what is left there says more than where the search got lost */
static flg_status refuse_to_close(flg_assembly *assembly, flg_error *error) {
  flg_error cause;
  if (flg_assembly_check(assembly, 0, &cause) != FLG_OK) {
    return flg_fail(error, FLG_ERR_INPUT, "%s", cause.message);
  }
  char lost[FLG_BLAME_TEXT];
  const char *complaint = flg_assembly_complaint(assembly);
  if (complaint != NULL) return flg_fail(error, FLG_ERR_INPUT, "%s", complaint);
  if (flg_assembly_find_lost(assembly, lost)) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "%s has no finite place or speed after the joints of '%s' were closed", lost,
                    assembly->model.options.name);
  }
  memcpy(assembly->state.q, assembly->scratch.stage_q,
         (size_t)assembly->model.position_count * sizeof(double));
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  const flg_closure left = flg_assembly_closure(assembly);
  if (!(left.position > 0)) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "the joints of '%s' cannot be closed: numbers become NaN or infinite meanwhile",
                    assembly->model.options.name);
  }
  return flg_fail(error, FLG_ERR_INPUT,
                  "the joints of '%s' cannot be closed; joint '%s' is open widest, by %.3g (m or "
                  "rad)",
                  assembly->model.options.name, flg_assembly_joint_name(assembly, left.joint),
                  left.position);
}

/* Joints of the start: positions first, then velocities with the rows of these positions. */
flg_status flg_assembly_close(flg_assembly *assembly, flg_error *error) {
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.elapsed = 0;
  memcpy(assembly->scratch.stage_q, assembly->state.q,
         (size_t)assembly->model.position_count * sizeof(double));
  assembly->state.limits.idle = true;
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  flg_status status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK)
    status = flg_assembly_project(assembly, assembly->state.q, assembly->state.v, NULL);
  assembly->state.limits.idle = false;
  if (status == FLG_OK) {
    flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
    assembly->model.start_energy =
        flg_assembly_kinetic_energy(assembly) + flg_assembly_lost_in_trees(assembly);
    status = flg_assembly_project_velocities(assembly);
  }
  if (status != FLG_OK) return refuse_to_close(assembly, error);
  flg_assembly_keep_angles(assembly);
  flg_signals_start(assembly, NULL);
  return FLG_OK;
}

static void assembly_copy(double *to, const double *from, int count) {
  memcpy(to, from, (size_t)count * sizeof *to);
}

/* q and v of a part from those of one of the same kind in another assembly */
static void copy_part(const flg_assembly *from, const flg_parts *parts, int part, double *q,
                      double *v) {
  const flg_part_slice slice = parts->ops->slice(parts, part);
  assembly_copy(q, from->state.q + parts->position + slice.position, slice.position_count);
  assembly_copy(v, from->state.v + parts->velocity + slice.velocity, slice.velocity_count);
}

static void follow_part(flg_assembly *assembly, flg_owner here, const flg_assembly *larger,
                        flg_owner there) {
  if (here.of == NULL) return;
  const flg_part_slice slice = here.of->ops->slice(here.of, here.part);
  copy_part(larger, there.of, there.part, assembly->state.q + here.of->position + slice.position,
            assembly->state.v + here.of->velocity + slice.velocity);
}

/* a cluster follows its first body */
static void follow_body(flg_assembly *assembly, int body, const flg_assembly *larger, int there) {
  if (assembly->model.structure.lead[body] != body) return;
  if (flg_assembly_is_in_tree(assembly, body)) {
    flg_assembly_put_in_tree(assembly, body, larger, there);
    return;
  }
  follow_part(assembly, assembly->model.owners[body], larger, larger->model.owners[there]);
  flg_assembly_recentre(assembly, body, larger, there);
}

/* Subsystems of a coupling start where the assembly of all of them was closed, so that interfaces
 * are closed at the start in every scheme. */
void flg_assembly_follow(flg_assembly *assembly, const flg_assembly *larger, int first_body,
                         int first_robot) {
  const int bodies = assembly->model.component->body_count;
  for (int k = 0; k < bodies; k++) follow_body(assembly, k, larger, first_body + k);
  for (int k = bodies; k < assembly->model.owner_count; k++) {
    const int there = flg_assembly_owner_number(larger, first_robot + k - bodies, 0);
    follow_part(assembly, assembly->model.owners[k], larger, larger->model.owners[there]);
  }
  flg_assembly_follow_trees(assembly);
  flg_assembly_begin(assembly);
  flg_assembly_keep_angles(assembly);
  flg_signals_start(assembly, NULL);
}

void flg_assembly_lead(const flg_assembly *larger, int robot, double *q, double *v) {
  const flg_owner owner = flg_assembly_owner(larger, robot, 0);
  copy_part(larger, owner.of, owner.part, q, v);
}

const flg_subsystem *flg_assembly_guest(const flg_assembly *assembly, int robot) {
  const flg_owner owner = flg_assembly_owner(assembly, robot, 0);
  return owner.of->ops->subsystem(owner.of, owner.part);
}

void flg_assembly_enable_load(flg_assembly *assembly, int load, bool enabled) {
  const int first = flg_forces_first(assembly->model.component, &flg_load_kind);
  assembly->model.forces[first + load].force.state[0] = enabled;
}

flg_status flg_assembly_press(flg_assembly *assembly, const flg_anchor *frames, int count) {
  flg_pressure *made = flg_region_take(&assembly->model.region, (size_t)count, sizeof *made);
  if (made == NULL) return FLG_ERR_MEMORY;
  for (int k = 0; k < count; k++) {
    made[k] = (flg_pressure){.anchor = flg_assembly_anchor(assembly, &frames[k])};
  }
  assembly->model.pressures = made, assembly->model.pressure_count = count;
  return FLG_OK;
}

void flg_assembly_set_pressure(flg_assembly *assembly, int index, flg_vec3 force) {
  assembly->model.pressures[index].force = force;
}

/* --- closure ------------------------------------------------------------------------------------
 */

/* where messages say that a joint is open: at its second frame, or at that of its coordinate */
static flg_vec3 assembly_place_of(const flg_assembly *assembly, const flg_row_set *row_set) {
  const flg_part_anchor *anchor =
      row_set->coordinate[0] >= 0 ? &assembly->model.coordinates[row_set->coordinate[0]].anchor[1]
                                  : &row_set->anchor[1];
  return flg_part_anchor_frame(anchor).pose.position;
}

/* anything that is not a number is widest of all */
static bool is_wider(double a, double b) {
  return a > b || (isnan(a) && !isnan(b));
}

/* what a row is compared by: displacements with the length of the system, turns with 1 rad */
static double row_unit(const flg_assembly *assembly, const flg_row_set *row_set, int row) {
  return (row_set->displacements >> row & 1) != 0 ? assembly->model.length : 1;
}

flg_closure flg_assembly_joint_closure(const flg_assembly *assembly, int joint) {
  const flg_row_set *row_set = &assembly->model.row_sets[joint];
  flg_closure closure = {.joint = joint, .where = assembly_place_of(assembly, row_set)};
  for (int i = 0; i < row_set->rows; i++) {
    const double left = fabs(row_set->left[i]), rate = fabs(row_set->rate[i]);
    const double share = left / row_unit(assembly, row_set, i);
    if (is_wider(share, closure.share)) closure.share = share;
    if (is_wider(rate, closure.velocity)) closure.velocity = rate;
    if (is_wider(left, closure.position)) closure.position = left;
  }
  return closure;
}

flg_closure flg_assembly_closure(const flg_assembly *assembly) {
  flg_closure widest = {.joint = -1};
  double speed = 0;
  for (int k = 0; k < assembly->model.rigid_count; k++) {
    if (!flg_weld_holds(assembly, k)) continue;
    const flg_closure closure = flg_assembly_joint_closure(assembly, k);
    if (is_wider(closure.velocity, speed)) speed = closure.velocity;
    if (widest.joint < 0 || is_wider(closure.position, widest.position)) widest = closure;
  }
  widest.velocity = speed;
  return widest;
}

double flg_assembly_slip(const flg_assembly *assembly) {
  double most = 0;
  for (int k = 0; k < assembly->model.rigid_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    if (!flg_weld_holds(assembly, k)) continue;
    for (int i = 0; i < row_set->rows; i++) {
      most = flg_larger(most, fabs(row_set->rate[i]) / row_unit(assembly, row_set, i));
    }
  }
  return most == 0 ? 0 : most / flg_limits_fastest(assembly);
}

double flg_assembly_length(const flg_assembly *assembly) {
  return assembly->model.length;
}

const char *flg_assembly_joint_name(const flg_assembly *assembly, int joint) {
  if (joint < 0) return "";
  const int weld = joint - assembly->model.joint_count;
  const int force = assembly->model.row_sets[joint].force;
  if (force >= 0) return flg_force_head_of(&assembly->model.forces[force].force)->name;
  return weld < 0 ? assembly->model.component->joints[joint].name
                  : assembly->model.options.welds[weld].name;
}

/* --- looking ------------------------------------------------------------------------------------
 */

flg_pose flg_assembly_pose(const flg_assembly *assembly, const flg_anchor *anchor) {
  const flg_part_anchor part_anchor = flg_assembly_anchor(assembly, anchor);
  return flg_part_anchor_frame(&part_anchor).pose;
}

flg_spatial flg_assembly_velocity(const flg_assembly *assembly, const flg_anchor *anchor) {
  const flg_part_anchor part_anchor = flg_assembly_anchor(assembly, anchor);
  return flg_part_anchor_frame(&part_anchor).velocity;
}

double flg_assembly_kinetic_energy(const flg_assembly *assembly) {
  double sum = 0;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; i < parts->count; i++) sum += parts->ops->kinetic_energy(parts, i);
  }
  return sum;
}

double flg_assembly_energy(const flg_assembly *assembly) {
  return flg_assembly_group_energy(assembly, FLG_TOP);
}
