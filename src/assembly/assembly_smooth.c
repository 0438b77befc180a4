/* Steps by generated code of what has frictions and stops: those in which nothing sticks, turns
 * back, or comes near an end. The code has no rows for limits; what slips is a force. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "assembly/assembly_limits_inner.h"

/* A step is smooth if every way to an end is so many times what was travelled, and every slip so
 * many times its change: by far, so that the search of a step with rows finds nothing to close. */
static const double APART = 2;

/* c and its rate, where parts are placed */
static const flg_coordinate_row *smooth_see(const flg_assembly *assembly, const flg_limit *limit) {
  return &assembly->model.coordinates[limit->coordinate].row;
}

/* Viscous friction is partly implicit, and losses follow the reaction of a row. */
bool flg_limits_are_forces(const flg_component *component) {
  for (int k = 0; k < component->friction_count; k++) {
    const flg_component_friction *friction = &component->frictions[k];
    if (friction->viscous != 0 || friction->carrier != FLG_CARRIER_NONE) return false;
  }
  return true;
}

bool flg_limits_depart(flg_assembly *assembly) {
  const flg_limits *limits = &assembly->state.limits;
  if (limits->count == 0) return true;
  for (int k = 0; k < limits->count; k++) {
    if (flg_limit_closes(&limits->list[k], (int)limits->states[k].mode)) return false;
  }
  assembly->scratch.elapsed = 0;
  flg_assembly_place_loads(assembly, assembly->state.q, assembly->state.v);
  flg_assembly_start_rates(assembly);
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    limit->from = smooth_see(assembly, limit)->value;
    limit->slipped[0] = limit->slipped[1] = 0;
    limit->impulse = limit->carried = 0;
  }
  return true;
}

double flg_limit_slip(flg_assembly *assembly, int index) {
  flg_limit *limit = &assembly->state.limits.list[index];
  const flg_limit_state *state = &assembly->state.limits.states[index];
  if (limit->stop >= 0) return 0;
  const int way = (int)state->mode;
  const double effort =
      -way * flg_friction_bound_in_motion(&assembly->model.component->frictions[limit->friction],
                                          state->load, way, smooth_see(assembly, limit)->rate);
  limit->slipped[assembly->scratch.phase == FLG_PHASE_SECOND] = assembly->scratch.kick * effort;
  return effort;
}

static bool is_apart(const flg_assembly *assembly, const flg_limit *limit, double h) {
  const flg_component_stop *stop = &assembly->model.component->stops[limit->stop];
  const flg_coordinate_row *now = smooth_see(assembly, limit);
  const double start = assembly->model.coordinates[limit->coordinate].start_rate;
  const double way = fabs(now->value - limit->from) + h * fmax(fabs(start), fabs(now->rate));
  for (int side = -1; side <= 1; side += 2) {
    const double least =
        fmin(flg_stop_gap(stop, side, limit->from), flg_stop_gap(stop, side, now->value));
    if (!(least > APART * way + FLG_LIMIT_TOUCHES * flg_limit_unit(assembly, limit))) return false;
  }
  return true;
}

static bool goes_on(const flg_assembly *assembly, const flg_limit *limit, double mode) {
  const double before = mode * assembly->model.coordinates[limit->coordinate].start_rate;
  const double after = mode * smooth_see(assembly, limit)->rate;
  return limit->damps || fmin(before, after) > APART * fabs(after - before);
}

bool flg_limits_arrive_smoothly(flg_assembly *assembly, double h) {
  flg_limits *limits = &assembly->state.limits;
  if (limits->count == 0) return true;
  /* else the code has moved the angles of the state */
  assembly->scratch.elapsed = assembly->model.code.is_pushed ? h : 0;
  flg_assembly_place_loads(assembly, assembly->state.q, assembly->state.v);
  for (int k = 0; k < limits->count; k++) {
    const flg_limit *limit = &limits->list[k];
    const bool is_smooth = limit->stop >= 0 ? is_apart(assembly, limit, h)
                                            : goes_on(assembly, limit, limits->states[k].mode);
    if (!is_smooth) return false;
  }
  for (int k = 0; k < limits->count; k++) {
    flg_limit *limit = &limits->list[k];
    limit->effort = (limit->slipped[0] + limit->slipped[1]) / h;
    limit->added = 0;
  }
  return true;
}
