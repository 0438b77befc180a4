/* An assembly from a component: its state, where it starts, and the order in which all is made. */
#include <math.h>

#include "assembly/assembly_build.h"
#include "assembly/assembly_contacts.h"
#include "assembly/assembly_objects.h"
#include "assembly/assembly_signals.h"
#include "math/larger.h"
#include "parts/kinds.h"

static void *take(flg_assembly *assembly, int count, size_t element) {
  return flg_region_take(&assembly->region, (size_t)count, element);
}

static double *take_numbers(flg_assembly *assembly, int count) {
  return take(assembly, count, sizeof(double));
}

/* --- state --------------------------------------------------------------------------------------
 */

static int count_force_states(const flg_assembly *assembly) {
  int count = 0;
  for (int k = 0; k < assembly->force_count; k++) {
    count += assembly->forces[k].force.kind->state_count;
  }
  return count;
}

/* returns what comes after them */
static double *place_force_states(const flg_assembly *assembly) {
  double *state = assembly->force_states;
  for (int k = 0; k < assembly->force_count; k++) {
    assembly->forces[k].force.state = state;
    state += assembly->forces[k].force.kind->state_count;
  }
  return state;
}

static void lay_out_state(flg_assembly *assembly) {
  const int nq = assembly->position_count, nv = assembly->velocity_count;
  assembly->state_count = nq + nv + assembly->angle_count + count_force_states(assembly);
  for (int k = 0; k < assembly->set_count; k++) {
    assembly->state_count += assembly->sets[k]->other_count;
  }
  flg_signals_lay_out(assembly);
  if (assembly->signals != NULL) {
    assembly->state_count += assembly->signals->state_count + assembly->signals->held_count;
  }
  const int limits = assembly->limits.count * (int)(sizeof(flg_limit_state) / sizeof(double));
  const int welds = assembly->welds.count * (int)(sizeof(flg_weld_state) / sizeof(double));
  const int contacts = flg_assembly_touch_numbers(assembly);
  assembly->state_count += welds + limits + contacts;
  assembly->state = take_numbers(assembly, assembly->state_count);
  double **const pieces[] = {&assembly->stage_q, &assembly->sum_q, &assembly->rate_q,
                             &assembly->factors.q, &assembly->placed_q};
  double **const speeds[] = {&assembly->stage_v, &assembly->sum_v, &assembly->rate_v,
                             &assembly->change, &assembly->placed_v};
  for (size_t k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
    *pieces[k] = take_numbers(assembly, nq);
  }
  for (size_t k = 0; k < sizeof speeds / sizeof speeds[0]; k++) {
    *speeds[k] = take_numbers(assembly, nv);
  }
  assembly->factors.held = take_numbers(assembly, assembly->held_count);
  assembly->factors.welds = take(assembly, assembly->welds.count, sizeof(flg_weld_state));
  assembly->welds.placed = take(assembly, assembly->welds.count, sizeof(flg_weld_state));
  assembly->before = take_numbers(assembly, nq + nv + assembly->angle_count);
  assembly->start_v = take_numbers(assembly, nv);
  assembly->q = assembly->state;
  assembly->v = assembly->q + nq;
  assembly->angles = assembly->v + nv;
  assembly->force_states = assembly->angles + assembly->angle_count;
  if (assembly->region.failed) return;
  double *memory = assembly->state + assembly->state_count - contacts;
  assembly->limits.states = (flg_limit_state *)(memory - limits);
  assembly->welds.states = (flg_weld_state *)(memory - limits - welds);
  flg_assembly_touch_remember(assembly, memory);
}

/* what is measured from the start: phases of gears and screws, sums, lengths of relaxed springs */
static void take_start(flg_assembly *assembly) {
  const flg_component *component = assembly->component;
  for (int k = 0; k < assembly->measure_count; k++) {
    flg_measure *measure = &assembly->measures[k];
    if (measure->kind != FLG_COORDINATE_SUM) continue;
    measure->origin = measure->row.value;
    measure->row.value = 0;
  }
  for (int k = 0; k < assembly->joint_count; k++) {
    flg_closing *closing = &assembly->closings[k];
    closing->constant = component->joints[k].constant;
    if (closing->kind == FLG_CONSTRAINT_DISTANCE) continue; /* files say it */
    closing->constant = 0;
    for (int s = 0; s < 2; s++) {
      if (closing->coordinate[s] < 0) continue;
      closing->constant +=
          closing->factor[s] * assembly->measures[closing->coordinate[s]].row.value;
    }
  }
  flg_assembly_start_forces(assembly);
}

/* of all parts; INFINITY: anywhere */
static double farthest(const flg_assembly *assembly) {
  double most = 0;
  for (int k = 0; k < assembly->set_count; k++) {
    const flg_parts *parts = assembly->sets[k];
    most = flg_larger(most, parts->ops->extent(parts, assembly->q + parts->position));
  }
  return most;
}

static double extent_of(const flg_assembly *assembly) {
  double most = 1;
  for (int k = 0; k < assembly->set_count; k++) {
    const flg_parts *parts = assembly->sets[k];
    const double own = parts->ops->extent(parts, assembly->q + parts->position);
    if (!isinf(own)) most = flg_larger(most, own);
  }
  return most;
}

/* How far joints are from the origin and from centres of mass, up to the extent. */
static double length_of(const flg_assembly *assembly) {
  double most = farthest(assembly);
  for (int k = 0; k < assembly->rigid_count; k++) {
    for (int s = 0; s < 2; s++) {
      most = fmax(most, flg_vec3_norm(assembly->closings[k].seat[s].pose.position));
    }
  }
  return most > 0 && most < assembly->extent ? most : assembly->extent;
}

static void start(flg_assembly *assembly) {
  double *rest = place_force_states(assembly);
  for (int k = 0; k < assembly->set_count; k++) {
    flg_parts *parts = assembly->sets[k];
    parts->ops->start(parts, assembly->q + parts->position, assembly->v + parts->velocity, rest);
    rest += parts->other_count;
  }
  assembly->extent = extent_of(assembly);
  assembly->length = length_of(assembly);
  flg_assembly_place(assembly, assembly->q, assembly->v);
  flg_assembly_keep_angles(assembly);
  take_start(assembly);
  flg_assembly_place(assembly, assembly->q, assembly->v);
  flg_signals_start(assembly, rest);
  flg_limits_start(assembly);
}

/* --- build --------------------------------------------------------------------------------------
 */

flg_assembly_options flg_assembly_default(void) {
  return (flg_assembly_options){.name = "assembly"};
}

static flg_status lay_out(flg_assembly *assembly, flg_robot_subsystem *robots,
                          flg_mistakes *mistakes, flg_error *error) {
  flg_assembly_make_parts(assembly, robots);
  flg_status status = FLG_OK;
  for (int k = 0; k < assembly->set_count && status == FLG_OK; k++) {
    status = flg_part_ops_check(assembly->sets[k]->ops, error);
  }
  if (status != FLG_OK) return status;
  if (!assembly->region.failed) status = flg_assembly_check_parts(assembly, mistakes);
  if (status != FLG_OK) return status;
  if (!assembly->region.failed) flg_assembly_make_closings(assembly);
  if (!assembly->region.failed) status = flg_assembly_touch_find(assembly, mistakes);
  if (status == FLG_OK && !assembly->region.failed)
    status = flg_assembly_make_plan(assembly, error);
  if (status != FLG_OK) return status;
  if (!assembly->region.failed) {
    flg_assembly_equip_parts(assembly);
    flg_assembly_take_views(assembly);
    status = flg_assembly_touch_build(assembly, error);
    if (status != FLG_OK) return status;
    lay_out_state(assembly);
  }
  if (assembly->region.failed) {
    return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for %d bodies",
                    assembly->component->body_count);
  }
  start(assembly);
  return flg_assembly_objects_build(assembly, error);
}

flg_status flg_assembly_build(flg_assembly **assembly, const flg_component *component,
                              flg_robot_subsystem *robots, const flg_assembly_options *options,
                              flg_mistakes *mistakes) {
  const int before = mistakes->count;
  flg_region region = {0};
  flg_assembly *made = flg_region_take(&region, 1, sizeof *made);
  flg_error error = {0};
  flg_status status = FLG_ERR_MEMORY;
  if (made != NULL) {
    *made = (flg_assembly){
        .options = *options,
        .component = component,
        .region = region,
        .mode = {.threads = options->threads, .is_root = options->form == FLG_FORM_ROOT}};
    status = lay_out(made, robots, mistakes, &error);
    if (status == FLG_OK) {
      *assembly = made;
      return FLG_OK;
    }
    region = made->region;
    flg_assembly_touch_release(made);
    flg_plan_release(made->plan);
  }
  if (mistakes->count == before) { /* mistakes say what is wrong, if there are any */
    flg_mistake_add(mistakes, status, (flg_place){.file = component->file}, "%s", error.message);
  }
  flg_region_release(&region);
  return status;
}

void flg_assembly_release(flg_assembly *assembly) {
  if (assembly == NULL) return;
  for (int k = 0; k < assembly->set_count; k++) {
    flg_parts *parts = assembly->sets[k];
    if (parts->ops->release != NULL) parts->ops->release(parts);
  }
  flg_assembly_touch_release(assembly);
  flg_plan_release(assembly->plan);
  flg_region region = assembly->region;
  flg_region_release(&region);
}
