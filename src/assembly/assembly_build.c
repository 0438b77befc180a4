/* An assembly from a component: its state, where it starts, and the order in which all is made. */
#include <math.h>

#include "assembly/assembly_build.h"
#include "assembly/assembly_contacts.h"
#include "assembly/assembly_inner_friction.h"
#include "assembly/assembly_planar.h"
#include "assembly/assembly_signals.h"
#include "math/larger.h"
#include "parts/kinds.h"

static void *build_take(flg_assembly *assembly, int count, size_t element) {
  return flg_region_take(&assembly->model.region, (size_t)count, element);
}

static double *build_take_numbers(flg_assembly *assembly, int count) {
  return build_take(assembly, count, sizeof(double));
}

/* --- state --------------------------------------------------------------------------------------
 */

static int count_force_states(const flg_assembly *assembly) {
  int count = 0;
  for (int k = 0; k < assembly->model.force_count; k++) {
    count += assembly->model.forces[k].force.kind->state_count;
  }
  return count;
}

/* returns what comes after them */
static double *place_force_states(const flg_assembly *assembly) {
  double *state = assembly->state.force_states;
  for (int k = 0; k < assembly->model.force_count; k++) {
    assembly->model.forces[k].force.state = state;
    state += assembly->model.forces[k].force.kind->state_count;
  }
  return state;
}

/* The state is one block, so that a snapshot is a memcpy. Positions and velocities come first: they
 * are what must stay finite. Memories of limits, welds and contacts come last. */
static void lay_out_state(flg_assembly *assembly) {
  const int nq = assembly->model.position_count, nv = assembly->model.velocity_count;
  assembly->model.state_count =
      nq + nv + assembly->model.angle_count + count_force_states(assembly);
  for (int k = 0; k < assembly->model.set_count; k++) {
    assembly->model.state_count += assembly->model.sets[k]->other_count;
  }
  flg_signals_lay_out(assembly);
  if (assembly->model.signals != NULL) {
    assembly->model.state_count +=
        assembly->model.signals->state_count + assembly->model.signals->held_count;
  }
  const int limits = assembly->state.limits.count * (int)(sizeof(flg_limit_state) / sizeof(double));
  const int welds = assembly->state.welds.count * (int)(sizeof(flg_weld_state) / sizeof(double));
  const int contacts = flg_assembly_touch_numbers(assembly);
  assembly->model.state_count += welds + limits + contacts;
  assembly->state.numbers = build_take_numbers(assembly, assembly->model.state_count);
  if (assembly->model.options.scheme == FLG_SCHEME_RATTLE) {
    assembly->scratch.kept = build_take_numbers(assembly, assembly->model.state_count);
    assembly->scratch.kept_limits =
        build_take(assembly, assembly->state.limits.count, sizeof(flg_limit));
  }
  double **const pieces[] = {&assembly->scratch.stage_q, &assembly->scratch.sum_q,
                             &assembly->scratch.rate_q, &assembly->scratch.factors.q,
                             &assembly->scratch.placed_q};
  double **const speeds[] = {&assembly->scratch.stage_v, &assembly->scratch.sum_v,
                             &assembly->scratch.rate_v, &assembly->scratch.change,
                             &assembly->scratch.placed_v};
  for (size_t k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
    *pieces[k] = build_take_numbers(assembly, nq);
  }
  for (size_t k = 0; k < sizeof speeds / sizeof speeds[0]; k++) {
    *speeds[k] = build_take_numbers(assembly, nv);
  }
  assembly->scratch.factors.locked = build_take_numbers(assembly, assembly->model.locked_count);
  assembly->scratch.factors.welds =
      build_take(assembly, assembly->state.welds.count, sizeof(flg_weld_state));
  assembly->state.welds.placed =
      build_take(assembly, assembly->state.welds.count, sizeof(flg_weld_state));
  assembly->state.welds.grouped =
      build_take(assembly, assembly->state.welds.count, sizeof(flg_weld_state));
  assembly->state.welds.wholes = build_take(assembly, assembly->model.part_count, sizeof(int));
  assembly->scratch.before = build_take_numbers(assembly, nq + nv + assembly->model.angle_count);
  assembly->scratch.start_v = build_take_numbers(assembly, nv);
  assembly->state.q = assembly->state.numbers;
  assembly->state.v = assembly->state.q + nq;
  assembly->state.angles = assembly->state.v + nv;
  assembly->state.force_states = assembly->state.angles + assembly->model.angle_count;
  if (assembly->model.region.failed) return;
  double *memory = assembly->state.numbers + assembly->model.state_count - contacts;
  assembly->state.limits.states = (flg_limit_state *)(memory - limits);
  assembly->state.welds.states = (flg_weld_state *)(memory - limits - welds);
  flg_assembly_touch_remember(assembly, memory);
}

/* what is measured from the start: phases of gears and screws, sums, lengths of relaxed springs */
static void take_start(flg_assembly *assembly) {
  const flg_component *component = assembly->model.component;
  for (int k = 0; k < assembly->model.coordinate_count; k++) {
    flg_running_coordinate *running = &assembly->model.coordinates[k];
    if (running->kind != FLG_COORDINATE_SUM) continue;
    running->origin = flg_assembly_read(assembly, k)->value;
    running->row.value = 0;
  }
  for (int k = 0; k < assembly->model.joint_count; k++) {
    flg_row_set *row_set = &assembly->model.row_sets[k];
    row_set->constant = component->joints[k].constant;
    if (row_set->kind == FLG_CONSTRAINT_DISTANCE) continue; /* files say it */
    row_set->constant = 0;
    for (int s = 0; s < 2; s++) {
      if (row_set->coordinate[s] < 0) continue;
      row_set->constant +=
          row_set->factor[s] * assembly->model.coordinates[row_set->coordinate[s]].row.value;
    }
  }
  flg_assembly_start_forces(assembly);
}

/* How far parts and joints are from the origin, and joints from centres of mass. Where nothing has
 * a distance, there is no length that rounding could be a part of: 1. */
static double build_length_of(const flg_assembly *assembly) {
  double most = 0;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    const double own = parts->ops->extent(parts, assembly->state.q + parts->position);
    if (!isinf(own)) most = flg_larger(most, own);
  }
  for (int k = 0; k < assembly->model.rigid_count; k++) {
    for (int s = 0; s < 2; s++) {
      most = fmax(most, flg_vec3_norm(assembly->model.row_sets[k].anchor[s].pose.position));
    }
  }
  return most > 0 ? most : 1;
}

/* The admittance of a body whose mass is the mean of all, by their logarithms, and whose inertia is
 * that of its mass at the length of the system. 1 without bodies: robots have rows of their own. */
static flg_yield build_yield_of(const flg_assembly *assembly) {
  const flg_component *component = assembly->model.component;
  const double length = assembly->model.length;
  double sum = 0;
  int count = 0;
  for (int k = 0; k < component->body_count; k++) {
    if (component->bodies[k].mass > 0) sum += log2(component->bodies[k].mass), count++;
  }
  /* a power of two, so that units that are powers of two change no digit */
  const double linear = count == 0 ? 1 : exp2(-floor(sum / count + 0.5));
  return (flg_yield){linear, linear / (length * length)};
}

/* Parts are placed twice: values of coordinates at the start are needed for what is measured from
 * there, and rows and forces then depend on these. */
static void build_start(flg_assembly *assembly) {
  double *rest = place_force_states(assembly);
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    parts->ops->start(parts, assembly->state.q + parts->position,
                      assembly->state.v + parts->velocity, rest);
    rest += parts->other_count;
  }
  assembly->model.length = build_length_of(assembly);
  assembly->model.yield = build_yield_of(assembly);
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  flg_assembly_keep_angles(assembly);
  flg_assembly_start_tree_angles(assembly);
  take_start(assembly);
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  flg_signals_start(assembly, rest);
  flg_limits_start(assembly);
}

/* --- build --------------------------------------------------------------------------------------
 */

flg_assembly_options flg_assembly_default(void) {
  return (flg_assembly_options){.name = "assembly"};
}

/* The order follows from what depends on what: row sets open ports on parts, shapes open further
 * ones, the plan needs all ports, parts get memory for them after it, and the state needs the sizes
 * of all. A region that failed makes the rest do nothing, and is reported once. */
static flg_status build_lay_out(flg_assembly *assembly, const flg_part_guests *guests,
                                flg_mistakes *mistakes, flg_error *error) {
  flg_assembly_make_parts(assembly, guests);
  flg_status status = FLG_OK;
  for (int k = 0; k < assembly->model.set_count && status == FLG_OK; k++) {
    status = flg_part_ops_check(assembly->model.sets[k]->ops, error);
  }
  if (status != FLG_OK) return status;
  if (!assembly->model.region.failed) status = flg_assembly_check_parts(assembly, mistakes);
  if (status != FLG_OK) return status;
  if (!assembly->model.region.failed) flg_assembly_make_row_sets(assembly);
  if (!assembly->model.region.failed) status = flg_assembly_touch_find(assembly, mistakes);
  if (status == FLG_OK && !assembly->model.region.failed)
    status = flg_assembly_make_plan(assembly, error);
  if (status != FLG_OK) return status;
  if (!assembly->model.region.failed) {
    flg_assembly_equip_parts(assembly);
    flg_assembly_take_views(assembly);
    flg_inner_frictions_find(assembly);
    flg_assembly_sort_groups(assembly);
    flg_wholes_build(assembly);
    flg_alone_build(assembly);
    status = flg_assembly_touch_build(assembly, error);
    if (status != FLG_OK) return status;
    if (!assembly->model.region.failed) lay_out_state(assembly);
  }
  if (assembly->model.region.failed) {
    return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for %d bodies",
                    assembly->model.component->body_count);
  }
  build_start(assembly);
  assembly->model.planar = flg_planar_build(assembly);
  if (assembly->model.region.failed) {
    return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a plane");
  }
  return FLG_OK;
}

flg_status flg_assembly_build(flg_assembly **assembly, const flg_component *component,
                              const flg_part_guests *guests, const flg_assembly_options *options,
                              flg_mistakes *mistakes) {
  const int before = mistakes->count;
  flg_region region = {0};
  flg_assembly *made = flg_region_take(&region, 1, sizeof *made);
  flg_error error = {0};
  flg_status status = FLG_ERR_MEMORY;
  if (made != NULL) {
    *made = (flg_assembly){
        .model.options = *options,
        .model.component = component,
        .model.region = region,
        .scratch.mode = {.threads = options->threads, .is_root = options->form == FLG_FORM_ROOT}};
    status = build_lay_out(made, guests, mistakes, &error);
    if (status == FLG_OK) {
      *assembly = made;
      return FLG_OK;
    }
    region = made->model.region;
    flg_assembly_touch_release(made);
    flg_plan_release(made->scratch.plan);
  }
  if (mistakes->count == before) { /* mistakes say what is wrong, if there are any */
    flg_mistake_add(mistakes, status, (flg_place){.file = component->file}, "%s", error.message);
  }
  flg_region_release(&region);
  return status;
}

void flg_assembly_release(flg_assembly *assembly) {
  if (assembly == NULL) return;
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->release != NULL) parts->ops->release(parts);
  }
  flg_assembly_touch_release(assembly);
  flg_plan_release(assembly->scratch.plan);
  flg_region region = assembly->model.region;
  flg_region_release(&region);
}
