/* The laws of frictions and stops, and their rows. */
#include "assembly/assembly_limits.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "assembly/assembly_limits_inner.h"
#include "math/larger.h"

/* of impulses that cancel, what rounding leaves */
static const double ROUNDING = 1e-9;

/* --- set-up -------------------------------------------------------------------------------------
 */

int flg_limits_count(const flg_component *component) {
  return component->friction_count + component->stop_count;
}

void flg_limits_couple(const flg_component *component, int coordinate, int of[2],
                       double factor[2]) {
  const flg_component_coordinate *from = &component->coordinates[coordinate];
  of[0] = coordinate, of[1] = -1;
  factor[0] = 1, factor[1] = 0;
  if (from->kind != FLG_COORDINATE_SUM) return;
  memcpy(of, from->of, sizeof from->of);
  memcpy(factor, from->factor, sizeof from->factor);
}

/* Each limit is a row set of one row, laid out whether it is closed or not: which ones are closed
 * changes from step to step, memory does not. */
static void add_limit(flg_assembly *assembly, flg_limit limit) {
  const int row_set = assembly->model.row_set_count++;
  flg_row_set *made = &assembly->model.row_sets[row_set];
  *made = (flg_row_set){.kind = FLG_CONSTRAINT_DISTANCE,
                        .rows = 1,
                        .force = -1,
                        .anchor = {{.port = -1}, {.port = -1}}};
  flg_limits_couple(assembly->model.component, limit.coordinate, made->coordinate, made->factor);
  limit.row_set = row_set;
  limit.carrier = limit.carrier_force = -1;
  assembly->state.limits.list[assembly->state.limits.count++] = limit;
}

/* where the load of a gear is found, and what it does to the coordinate of its friction */
/* Friction of a gear grows with the load that it carries: the reaction of its joint, spring or
 * stop. */
static void find_carrier(flg_assembly *assembly, const flg_component_friction *friction,
                         flg_limit *limit) {
  const int index = friction->carrier_index;
  int of[2] = {-1, -1}, force;
  double factor[2] = {0, 0};
  switch (friction->carrier) {
    case FLG_CARRIER_JOINT:
      limit->carrier = index;
      memcpy(of, assembly->model.row_sets[index].coordinate, sizeof of);
      memcpy(factor, assembly->model.row_sets[index].factor, sizeof factor);
      break;
    case FLG_CARRIER_SPRING:
      force = flg_forces_first(assembly->model.component, &flg_spring_kind) + index;
      limit->carrier = assembly->model.forces[force].row_set;
      if (limit->carrier < 0) limit->carrier_force = force;
      flg_limits_couple(assembly->model.component, assembly->model.forces[force].coordinate, of,
                        factor);
      break;
    case FLG_CARRIER_STOP:
      limit->carrier =
          assembly->state.limits.first + assembly->model.component->friction_count + index;
      flg_limits_couple(assembly->model.component,
                        assembly->model.component->stops[index].coordinate, of, factor);
      break;
    case FLG_CARRIER_NONE:
      return;
  }
  limit->carrier_part = of[0] == limit->coordinate ? factor[0] : factor[1];
}

void flg_limits_make(flg_assembly *assembly) {
  const flg_component *component = assembly->model.component;
  flg_limits *limits = &assembly->state.limits;
  limits->first = assembly->model.row_set_count;
  const size_t count = (size_t)flg_limits_count(component);
  limits->list = flg_region_take(&assembly->model.region, count, sizeof *limits->list);
  limits->before = flg_region_take(&assembly->model.region, count, sizeof *limits->before);
  limits->from = flg_region_take(&assembly->model.region, (size_t)assembly->model.velocity_count,
                                 sizeof *limits->from);
  limits->travel = flg_region_take(&assembly->model.region, (size_t)assembly->model.velocity_count,
                                   sizeof *limits->travel);
  if (assembly->model.region.failed) return;
  for (int k = 0; k < component->friction_count; k++) {
    const flg_component_friction *friction = &component->frictions[k];
    add_limit(assembly, (flg_limit){.friction = k,
                                    .stop = -1,
                                    .coordinate = friction->coordinate,
                                    .damps = !flg_friction_sticks(friction)});
    find_carrier(assembly, friction, &limits->list[limits->count - 1]);
  }
  for (int k = 0; k < component->stop_count; k++) {
    add_limit(assembly,
              (flg_limit){.friction = -1, .stop = k, .coordinate = component->stops[k].coordinate});
  }
}

void flg_limits_place(flg_assembly *assembly, int row_set, const flg_graph_joint *joint) {
  if (row_set < assembly->state.limits.first) return;
  flg_limit *limit = &assembly->state.limits.list[row_set - assembly->state.limits.first];
  limit->ends = joint->ends;
  memcpy(limit->end, joint->end, sizeof limit->end);
}

/* --- modes --------------------------------------------------------------------------------------
 */

static int limit_mode(const flg_assembly *assembly, const flg_limit *limit) {
  return (int)assembly->state.limits.states[limit - assembly->state.limits.list].mode;
}

/* a stop is closed at one of its ends, a friction while it sticks */
bool flg_limit_closes(const flg_limit *limit, int mode) {
  return limit->stop >= 0 ? mode != 0 : mode == 0;
}

double flg_limit_value(const flg_assembly *assembly, const flg_limit *limit) {
  return assembly->model.coordinates[limit->coordinate].row.value;
}

double flg_limit_end(const flg_assembly *assembly, const flg_limit *limit, int side) {
  const flg_component_stop *stop = &assembly->model.component->stops[limit->stop];
  return side < 0 ? stop->lower : stop->upper;
}

double flg_limit_gap(const flg_assembly *assembly, const flg_limit *limit, int side) {
  return flg_stop_gap(&assembly->model.component->stops[limit->stop], side,
                      flg_limit_value(assembly, limit));
}

/* Displacements are compared in parts of the assembly's length, angles in radians. */
double flg_limit_unit(const flg_assembly *assembly, const flg_limit *limit) {
  return assembly->model.row_sets[limit->row_set].displacements & 1u ? assembly->model.length : 1;
}

static double fastest_coordinate(const flg_parts *parts, const double *v, double length) {
  const flg_part_ops *ops = parts->ops;
  double most = 0;
  for (int k = 0; k < parts->velocity_count; k++) {
    const bool is_linear = ops->is_linear != NULL && ops->is_linear(parts, k);
    most = flg_larger(most, is_linear ? fabs(v[k]) / length : fabs(v[k]));
  }
  return most;
}

double flg_limits_fastest(const flg_assembly *assembly) {
  double most = 0;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    most = flg_larger(most, fastest_coordinate(parts, assembly->state.v + parts->velocity,
                                               assembly->model.length));
  }
  return most;
}

void flg_limits_start(flg_assembly *assembly) {
  flg_limits *limits = &assembly->state.limits;
  const double fastest = limits->count > 0 ? flg_limits_fastest(assembly) : 0;
  for (int k = 0; k < limits->count; k++) {
    const flg_limit *limit = &limits->list[k];
    flg_limit_state *state = &limits->states[k];
    const double rate = assembly->model.row_sets[limit->row_set].rate[0];
    state->closed_at = flg_limit_value(assembly, limit);
    state->mode = 0;
    if (limit->stop >= 0) continue;
    state->mode = flg_friction_start(&assembly->model.component->frictions[limit->friction], rate,
                                     fastest * flg_limit_unit(assembly, limit));
  }
}

/* whether any is held elsewhere than at its end, and is now to be held closer to it */
static bool move_out(flg_assembly *assembly) {
  flg_limits *limits = &assembly->state.limits;
  bool any = false;
  for (int k = 0; k < limits->count; k++) {
    const flg_limit *limit = &limits->list[k];
    flg_limit_state *state = &limits->states[k];
    limits->list[k].met = limits->list[k].thrown = false;
    if (limit->stop < 0 || state->mode == 0) continue;
    const double end = flg_limit_end(assembly, limit, (int)state->mode);
    if (state->closed_at == end) continue;
    const double passed = fabs(state->closed_at - end);
    state->closed_at = passed < FLG_LIMIT_TOUCHES * flg_limit_unit(assembly, limit)
                           ? end
                           : state->closed_at + FLG_LIMIT_TAKEN_OUT * (end - state->closed_at);
    any = true;
  }
  return any;
}

flg_status flg_limits_begin(flg_assembly *assembly) {
  if (!move_out(assembly)) return FLG_OK;
  /* Positions alone move and no time passes: implicit elements take no part, whatever the last
   * step was. */
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.mode.span = 0;
  assembly->scratch.elapsed = 0;
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  flg_status status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK)
    status = flg_assembly_project(assembly, assembly->state.q, assembly->state.v, NULL);
  flg_assembly_keep_angles(assembly);
  return status;
}

/* --- rows ---------------------------------------------------------------------------------------
 */

static const flg_limit *limit_of(const flg_assembly *assembly, int row_set) {
  return &assembly->state.limits.list[row_set - assembly->state.limits.first];
}

bool flg_limit_is_closed(const flg_assembly *assembly, int row_set) {
  const flg_limits *limits = &assembly->state.limits;
  const flg_limit *limit = limit_of(assembly, row_set);
  if (limits->idle || (limits->arriving && limit->arrives)) return false;
  if (limits->joined && limit->thrown) return true;
  return flg_limit_closes(limit, limit_mode(assembly, limit));
}

double flg_limit_constant(const flg_assembly *assembly, int row_set) {
  const flg_limit *limit = limit_of(assembly, row_set);
  return assembly->state.limits.states[row_set - assembly->state.limits.first].closed_at +
         assembly->model.coordinates[limit->coordinate].origin;
}

/* of the row, as if nothing held the bodies that it acts on */
static double free_admittance(const flg_assembly *assembly, const flg_limit *limit) {
  const flg_plan_joint *view = &assembly->model.row_sets[limit->row_set].view;
  double sum = 0;
  for (int e = 0; e < limit->ends; e++) {
    const flg_graph_port end = limit->end[e];
    if (end.part == FLG_GROUND) continue;
    double row[FLG_PORT_NUMBERS];
    for (int j = 0; j < FLG_PORT_NUMBERS; j++) row[j] = view->side[e][j * view->leading];
    int part = end.part;
    const flg_parts *parts = flg_assembly_set_of(assembly, &part);
    sum += parts->ops->mobility(parts, part, end.port, row);
  }
  return sum;
}

/* Viscous friction of a row: `after` of it by the rate that a solve leads to, `before` of it by a
 * rate that is known. */
typedef struct viscous {
  double after, before, rate;
} viscous;

/* The rate in the middle of a step of rattle, at its end: velocities there are foreseen. */
static double mean_limit_rate(const flg_assembly *assembly, const flg_limit *limit) {
  return (assembly->model.coordinates[limit->coordinate].start_rate +
          assembly->model.row_sets[limit->row_set].rate[0]) /
         2;
}

/* Of rattle, what counts is the rate in the middle of the step: that of the free step between both
 * kicks, or the mean of both ends of a kick. Friction that stops what it acts on within the step
 * would throw it back: so much of it counts by the rate at its end (as in assembly_soft.c). */
static viscous viscous_of(const flg_assembly *assembly, const flg_limit *limit) {
  const double factor = assembly->model.component->frictions[limit->friction].viscous;
  const double rate = assembly->model.row_sets[limit->row_set].rate[0];
  const flg_soft_phase phase = assembly->scratch.phase;
  if (assembly->scratch.kick == 0) return (viscous){0, factor, rate};
  const bool is_plain = phase == FLG_PHASE_FIRST || phase == FLG_PHASE_MODEL ||
                        assembly->model.options.scheme != FLG_SCHEME_RATTLE;
  if (is_plain || !(factor > 0)) return (viscous){factor, 0, 0};
  const double x = assembly->scratch.horizon * factor * free_admittance(assembly, limit);
  const double stops = x * x / (x * x + 1);
  if (phase == FLG_PHASE_COAST) return (viscous){factor * stops, 0, 0};
  if (phase == FLG_PHASE_WHOLE) {
    return (viscous){factor * (1 + stops) / 2, factor * (1 - stops) / 2, rate};
  }
  return (viscous){factor * stops, factor * (1 - stops), mean_limit_rate(assembly, limit)};
}

static double limit_slack(const flg_assembly *assembly, int row_set) {
  return flg_assembly_slack(assembly, &assembly->model.row_sets[row_set], 0);
}

/* viscous friction that a row takes implicitly; less is slack */
static double limits_damping_of(const flg_assembly *assembly, const flg_limit *limit) {
  const flg_limits *limits = &assembly->state.limits;
  if (limit->stop >= 0 || limits->idle || assembly->scratch.mode.is_unit) return 0;
  const double damping = assembly->scratch.kick * viscous_of(assembly, limit).after;
  return damping * limit_slack(assembly, limit->row_set) > 1 ? damping : 0;
}

double flg_limit_compliance(const flg_assembly *assembly, int row_set) {
  if (flg_limit_is_closed(assembly, row_set)) {
    return assembly->state.limits.yields
               ? FLG_LIMIT_YIELD * free_admittance(assembly, limit_of(assembly, row_set))
               : 0;
  }
  const double damping = limits_damping_of(assembly, limit_of(assembly, row_set));
  return damping > 0 ? 1 / damping : limit_slack(assembly, row_set);
}

/* impulse of an open row besides what it takes implicitly */
static double given(const flg_assembly *assembly, const flg_limit *limit) {
  if (limit->stop >= 0) return limit->given;
  const double rate = assembly->model.row_sets[limit->row_set].rate[0];
  const int direction = limit_mode(assembly, limit);
  const flg_component_friction *friction = &assembly->model.component->frictions[limit->friction];
  const double load = assembly->state.limits.states[limit - assembly->state.limits.list].load;
  double effort = -direction * flg_friction_bound_in_motion(friction, load, direction, rate);
  const viscous part = viscous_of(assembly, limit);
  effort -= part.before * part.rate;
  return assembly->state.limits.kick * effort;
}

double flg_limit_side(const flg_assembly *assembly, int row_set, double left, double bias, bool law,
                      double ahead) {
  const flg_limit *limit = limit_of(assembly, row_set);
  const flg_row_set *row = &assembly->model.row_sets[row_set];
  if (assembly->state.limits.joined && limit->thrown) return row->rate[0];
  if (flg_limit_is_closed(assembly, row_set)) {
    double target = left == 0 ? limit->target : 0;           /* not of positions */
    if (ahead > 0) target = (target - row->rate[0]) / ahead; /* it is reached in that time */
    return target - left * row->left[0] - bias * row->bias[0];
  }
  if (assembly->state.limits.idle) return 0;
  const double compliance = row->view.compliance[0];
  const bool damps = limits_damping_of(assembly, limit) > 0;
  if (!law) return damps ? row->rate[0] * (left == 0) : compliance * limit->given;
  const double before = damps && ahead > 0 ? row->rate[0] / ahead : 0;
  return compliance * given(assembly, limit) - (damps ? bias * row->bias[0] : 0) - before;
}

/* --- looking ------------------------------------------------------------------------------------
 */

void flg_limits_collect(flg_assembly *assembly) {
  for (int k = 0; k < assembly->state.limits.count; k++) {
    flg_limit *limit = &assembly->state.limits.list[k];
    limit->impulse += assembly->model.row_sets[limit->row_set].view.reactions[0];
    if (limit->carrier < 0) continue;
    limit->carried += assembly->model.row_sets[limit->carrier].view.reactions[0];
  }
}

void flg_limits_forget(flg_assembly *assembly) {
  for (int k = 0; k < assembly->state.limits.count; k++) {
    assembly->state.limits.list[k].impulse = assembly->state.limits.list[k].carried = 0;
  }
}

static bool was_met(const flg_assembly *assembly, int row_set) {
  return row_set >= assembly->state.limits.first && limit_of(assembly, row_set)->met;
}

/* the load follows that of the step, by as much as keeps losses from swinging */
static void note_limit_load(flg_assembly *assembly, const flg_limit *limit, double time) {
  if (limit->carrier < 0 && limit->carrier_force < 0) return;
  if (was_met(assembly, limit->carrier)) return;
  const double share = assembly->model.component->frictions[limit->friction].efficiency;
  double *load = &assembly->state.limits.states[limit - assembly->state.limits.list].load;
  const double effort = limit->carrier >= 0 ? limit->carried / time
                                            : flg_assembly_effort(assembly, limit->carrier_force);
  *load += share * (limit->carrier_part * effort - *load);
}

void flg_limits_note(flg_assembly *assembly, double time) {
  flg_limits_collect(assembly);
  for (int k = 0; k < assembly->state.limits.count; k++) {
    flg_limit *limit = &assembly->state.limits.list[k];
    limit->effort = limit->impulse / time;
    limit->added = 0;
    note_limit_load(assembly, limit, time);
    limit->impulse = limit->carried = 0;
  }
}

/* after this the law of a closed limit holds for what pushed it in a step of h and for the impulse
 * of the last solve, so many times */
static bool gives_way(const flg_assembly *assembly, const flg_limit *limit, flg_limit_state *state,
                      double pushed, double times, double h) {
  const double projected = times * assembly->model.row_sets[limit->row_set].view.reactions[0];
  const double held = pushed + projected, rounding = ROUNDING * (fabs(pushed) + fabs(projected));
  if (!flg_limit_closes(limit, (int)state->mode)) return false;
  if (limit->stop >= 0) {
    if (!(state->mode * held > rounding)) return false;
    state->mode = 0;
    return true;
  }
  const int way = held < 0 ? 1 : -1; /* in which it would move */
  const flg_component_friction *friction = &assembly->model.component->frictions[limit->friction];
  if (!(fabs(held) > h * flg_friction_bound_at_rest(friction, state->load, way) + rounding)) {
    return false;
  }
  state->mode = way;
  return true;
}

static bool change_limits(flg_assembly *assembly, double share, double times, double h) {
  bool any = false;
  for (int k = 0; k < assembly->state.limits.count; k++) {
    flg_limit *limit = &assembly->state.limits.list[k];
    flg_limit_state *state = &assembly->state.limits.states[k];
    const double pushed = share > 0 ? share * limit->effort + limit->added : 0;
    if (limit->damps || !gives_way(assembly, limit, state, pushed, times, h)) continue;
    limit->switches++;
    any = true;
  }
  return any;
}

bool flg_limits_reopen(flg_assembly *assembly, double h) {
  return change_limits(assembly, h, 1, h);
}

bool flg_limits_part(flg_assembly *assembly, double h) {
  /* two halves of a step without forces, each closed by impulses at both of its ends */
  static const double SOLVES = 4;
  return change_limits(assembly, h, SOLVES, h);
}

void flg_limits_add(flg_assembly *assembly) {
  for (int k = 0; k < assembly->state.limits.count; k++) {
    flg_limit *limit = &assembly->state.limits.list[k];
    limit->added += assembly->model.row_sets[limit->row_set].view.reactions[0];
  }
}

bool flg_limits_bear(flg_assembly *assembly, double h) {
  flg_limits *limits = &assembly->state.limits;
  const size_t bytes = (size_t)limits->count * sizeof *limits->states;
  memcpy(limits->before, limits->states, bytes);
  if (!change_limits(assembly, 0, 1, h)) return true;
  for (int k = 0; k < limits->count; k++) {
    const bool is_friction = limits->list[k].stop < 0;
    if (!is_friction || limits->before[k].mode == limits->states[k].mode) continue;
    limits->list[k].let_go = (int)limits->states[k].mode;
  }
  return false;
}

bool flg_limits_release(flg_assembly *assembly, double h) {
  flg_limits *limits = &assembly->state.limits;
  bool any = false;
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    const double pushed = h * limit->effort + limit->added;
    if (limit->stop < 0 || !gives_way(assembly, limit, &limits->states[k], pushed, 1, h)) continue;
    limit->switches++;
    any = true;
  }
  return any;
}

bool flg_limits_push_back(const flg_assembly *assembly) {
  const flg_limits *limits = &assembly->state.limits;
  for (int k = 0; k < limits->count; k++) {
    if (limits->list[k].stop >= 0 && limits->states[k].mode != 0) return true;
  }
  return false;
}
