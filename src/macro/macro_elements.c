#include "macro/macro_elements.h"

#include <math.h>
#include <string.h>

#include "base/tolerances.h"
#include "limits/limit.h"
#include "limits/search.h"
#include "math/larger.h"
#include "model/spring.h"

enum { PORT_ROWS = 6 };
/* z at which springs are half implicit (4: where the explicit rule is no longer stable), and the
 * same of damping */
static const double STIFF = 4, VISCOUS = 1;
/* ... and with `implicit: true`, as in components */
static const double RESOLVED = 1;
static const double SOLVED = 1e-12; /* of the largest velocity: what solves leave of rates */

/* --- set-up -------------------------------------------------------------------------------------
 */

/* whether the rest has rows for all anchors, wherever they are not on the ground */
static bool is_between_others(const flg_interface *interface, int index,
                              const flg_rest_model *rest) {
  for (int k = 0; k < interface->anchor_count; k++) {
    const bool moves = interface->anchors[k].subsystem >= 0;
    if (moves && flg_rest_model_anchor_row(rest, index, k) < 0) return false;
  }
  return true;
}

static bool is_met(const flg_interface *interface, int index, int viewer, const bool *driven,
                   const flg_rest_model *rest, bool has_rows) {
  if (interface->element_count == 0) return false;
  if (flg_interface_is_on(interface, viewer)) return driven == NULL || !driven[index];
  return has_rows && is_between_others(interface, index, rest);
}

/* whether anything of the viewer's own is closed: else the forces of others are not needed */
static bool has_own(int viewer, const flg_interface *interfaces, int count, const bool *driven) {
  for (int k = 0; k < count; k++) {
    const flg_interface *interface = &interfaces[k];
    if (interface->element_count == 0 || !flg_interface_is_on(interface, viewer)) continue;
    if (driven == NULL || !driven[k]) return true;
  }
  return false;
}

static void anchor_interface(flg_macro_interface *met, const flg_interface *interface, int index,
                             int viewer, const flg_rest_model *rest) {
  *met = (flg_macro_interface){.interface = interface, .index = index};
  for (int k = 0; k < interface->anchor_count; k++) {
    const flg_interface_end *anchor = &interface->anchors[k];
    const bool is_own = anchor->subsystem == viewer;
    met->anchors[k] =
        (flg_macro_anchor){.port = is_own ? anchor->port : -1,
                           .row = is_own ? -1 : flg_rest_model_anchor_row(rest, index, k),
                           .frame = {.pose = anchor->pose}};
  }
}

static bool may_change(const flg_element *element) {
  const bool plays = element->kind == FLG_ELEMENT_SPRING && element->spring->slack > 0;
  return element->kind == FLG_ELEMENT_FRICTION || element->kind == FLG_ELEMENT_STOP || plays;
}

static void macro_elements_lay_out(flg_macro_elements *elements, const flg_rest_model *rest,
                                   int own_rows, flg_region *region) {
  const size_t interfaces = (size_t)elements->interface_count, count = (size_t)elements->count;
  elements->interfaces = flg_region_take(region, interfaces, sizeof *elements->interfaces);
  elements->list = flg_region_take(region, count, sizeof *elements->list);
  elements->motion[0] = flg_region_take(region, (size_t)own_rows, sizeof(double));
  elements->motion[1] = flg_region_take(region, (size_t)flg_rest_model_rows(rest), sizeof(double));
}

void flg_macro_elements_build(flg_macro_elements *elements, int viewer,
                              const flg_interface *interfaces, int interface_count,
                              const bool *driven, const flg_rest_model *rest, int joint_rows,
                              int own_rows, int steps_most, flg_region *region) {
  const bool has_rows = joint_rows > 0 || has_own(viewer, interfaces, interface_count, driven);
  if (region != NULL && elements->count > 0) {
    macro_elements_lay_out(elements, rest, own_rows, region);
    if (region->failed) return;
  }
  elements->interface_count = elements->count = 0;
  elements->first = joint_rows;
  for (int k = 0; k < interface_count; k++) {
    const flg_interface *interface = &interfaces[k];
    if (!is_met(interface, k, viewer, driven, rest, has_rows)) continue;
    const int index = elements->interface_count++;
    if (region != NULL) {
      anchor_interface(&elements->interfaces[index], interface, k, viewer, rest);
    }
    for (int i = 0; i < interface->element_count; i++, elements->count++) {
      elements->has_limits |= may_change(&interface->elements[i]);
      if (region == NULL) continue;
      elements->list[elements->count] = (flg_macro_element){
          .element = &interface->elements[i],
          .interface = index,
          .row = joint_rows + elements->count,
          .hits = flg_region_take(region, (size_t)steps_most, sizeof(flg_macro_hit))};
    }
  }
}

const flg_macro_element *flg_macro_elements_find(const flg_macro_elements *elements,
                                                 const flg_element *element) {
  for (int k = 0; k < elements->count; k++) {
    if (elements->list[k].element == element) return &elements->list[k];
  }
  return NULL;
}

/* --- where they are -----------------------------------------------------------------------------
 */

void flg_macro_elements_face(flg_macro_elements *elements, const flg_subsystem *subsystems,
                             const flg_element_state *states) {
  elements->yields = elements->took_hits = false;
  for (int k = 0; k < elements->interface_count; k++) {
    flg_macro_interface *met = &elements->interfaces[k];
    for (int i = 0; i < met->interface->anchor_count; i++) {
      met->anchors[i].frame = flg_interface_anchor_frame(&met->interface->anchors[i], subsystems);
    }
  }
  for (int k = 0; k < elements->count; k++) {
    flg_macro_element *met = &elements->list[k];
    const flg_interface *interface = elements->interfaces[met->interface].interface;
    flg_element_row row;
    met->state = states[met->element->number];
    flg_element_measure(met->element, interface, subsystems, met->state.near, &row);
    met->value = row.value;
    met->sum = met->work = 0;
    met->was_hit = false;
  }
}

/* frames as they are now; those of the rest stand where they have gone to */
static void move_anchors(flg_macro_elements *elements, const flg_elements_stage *stage) {
  const flg_subsystem *subsystem = stage->subsystem;
  const double *u = flg_interface_model_velocity(stage->rest);
  for (int k = 0; k < elements->interface_count; k++) {
    flg_macro_interface *met = &elements->interfaces[k];
    for (int i = 0; i < met->interface->anchor_count; i++) {
      flg_macro_anchor *anchor = &met->anchors[i];
      if (anchor->port >= 0) {
        anchor->frame = subsystem->ops->coupled->frame(subsystem->self, anchor->port);
      } else if (anchor->row >= 0) {
        anchor->frame.velocity = flg_spatial_load(u + anchor->row);
      }
    }
  }
}

void flg_macro_elements_begin(flg_macro_elements *elements, int index) {
  elements->step = index;
  for (int k = 0; k < elements->count; k++) {
    flg_macro_element *met = &elements->list[k];
    met->hit = met->given = met->hits[index] = (flg_macro_hit){0};
  }
}

void flg_macro_elements_take_hits(flg_macro_elements *elements, int steps,
                                  const flg_macro_elements *from, int from_steps) {
  for (int k = 0; k < elements->count; k++) {
    flg_macro_element *met = &elements->list[k];
    const flg_macro_element *other = flg_macro_elements_find(from, met->element);
    if (other == NULL || met->given.side != 0) continue;
    /* its steps that begin in ours, in times of which a macro step has steps x from_steps */
    const int start = elements->step * from_steps, end = start + from_steps;
    for (int i = (start + steps - 1) / steps; i * steps < end && met->given.side == 0; i++) {
      met->given = other->hits[i];
    }
    elements->took_hits |= met->given.side != 0;
  }
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* The column of G in which the first of six rows of a model stands. */
static int column_of_row(const flg_elimination *e, int side, int row) {
  int column = 0;
  while (e->touched[side][column] != row) column += PORT_ROWS;
  return column;
}

static void write_element_side(const flg_elimination *e, int side, int row, int first,
                               flg_spatial with) {
  const size_t m = (size_t)e->shape.constraints;
  double numbers[PORT_ROWS];
  flg_spatial_store(with, numbers);
  double *G = e->G[side] + row + m * (size_t)column_of_row(e, side, first);
  for (size_t j = 0; j < PORT_ROWS; j++) G[m * j] += numbers[j];
}

static void clear_element_row(const flg_elimination *e, int row) {
  const int m = e->shape.constraints;
  for (int side = 0; side < 2; side++) {
    for (int j = 0; j < e->shape.touched[side]; j++) {
      e->G[side][row + (size_t)j * (size_t)m] = 0;
    }
  }
}

/* side . D side over the anchors on one model */
static double yield_of_anchors(const flg_macro_interface *met, const flg_element_row *row,
                               flg_interface_model *model, bool is_own) {
  const double *D = flg_interface_model_admittance(model);
  const size_t n = (size_t)model->rows;
  double sum = 0;
  for (int a = 0; a < met->interface->anchor_count; a++) {
    const int i = is_own ? PORT_ROWS * met->anchors[a].port : met->anchors[a].row;
    double left[PORT_ROWS];
    flg_spatial_store(row->side[a], left);
    for (int b = 0; b < met->interface->anchor_count && i >= 0; b++) {
      const int j = is_own ? PORT_ROWS * met->anchors[b].port : met->anchors[b].row;
      double right[PORT_ROWS];
      flg_spatial_store(row->side[b], right);
      for (size_t q = 0; q < PORT_ROWS && j >= 0; q++) {
        const double *column = D + (size_t)i + ((size_t)j + q) * n;
        for (int p = 0; p < PORT_ROWS; p++) sum += left[p] * column[p] * right[q];
      }
    }
  }
  return sum;
}

/* what pivots are measured by, as of joints (rest_model.h) */
static double pivot_scale_of_row(const flg_macro_interface *met, const flg_element_row *row,
                                 const flg_elements_stage *stage) {
  double sum = 0;
  for (int k = 0; k < met->interface->anchor_count; k++) {
    const flg_macro_anchor *anchor = &met->anchors[k];
    const flg_spatial side = row->side[k];
    if (anchor->port >= 0) sum += flg_side_scale(side, flg_port_yield(stage->own, anchor->port));
    if (anchor->row < 0) continue;
    sum += flg_side_scale(side, flg_port_yield(stage->rest, anchor->row / PORT_ROWS));
  }
  return sum;
}

/* sums of both kinds, as of a rack, are displacements */
static bool has_displacement(const flg_element_row *row, int anchors) {
  for (int k = 0; k < anchors; k++) {
    if (flg_vec3_dot(row->side[k].linear, row->side[k].linear) > 0) return true;
  }
  return false;
}

/* G t: how free motion changes the rate */
static double turn_of_anchors(const flg_macro_interface *met, const flg_element_row *row,
                              const flg_elements_stage *stage) {
  double sum = 0;
  for (int k = 0; k < met->interface->anchor_count; k++) {
    const flg_macro_anchor *anchor = &met->anchors[k];
    const double *t = anchor->port >= 0  ? stage->turns[0] + PORT_ROWS * anchor->port
                      : anchor->row >= 0 ? stage->turns[1] + anchor->row
                                         : NULL;
    if (t != NULL) sum += flg_spatial_dot(row->side[k], flg_spatial_load(t));
  }
  return sum;
}

/* The difference of w+ and G y+. Kicks leave y+ at the end of the step: there joints are closed,
 * and springs have rates as they are at the kick. */
static double bias_of_element(const flg_macro_elements *elements, const flg_macro_element *met,
                              const flg_element_row *row, const flg_elements_stage *stage) {
  if (elements->uses_start_rows) return 0;
  if (!elements->leaps) return elements->h * row->bias;
  const flg_macro_interface *at = &elements->interfaces[met->interface];
  const bool springs = met->element->kind == FLG_ELEMENT_SPRING;
  return elements->h / 2 * (springs ? -turn_of_anchors(at, row, stage) : row->bias);
}

static void place_macro_element(const flg_macro_elements *elements, flg_macro_element *met,
                                const flg_elements_stage *stage) {
  const flg_macro_interface *at = &elements->interfaces[met->interface];
  const flg_elimination *e = stage->elimination;
  flg_moving_frame frames[FLG_INTERFACE_ANCHORS_MAX];
  flg_element_row row;
  for (int k = 0; k < at->interface->anchor_count; k++) frames[k] = at->anchors[k].frame;
  flg_element_evaluate(met->element, frames, met->state.near, &row);
  memcpy(met->state.near, row.part, sizeof row.part);
  met->rate = row.rate;
  met->is_displacement = has_displacement(&row, at->interface->anchor_count);
  met->yield =
      yield_of_anchors(at, &row, stage->own, true) + yield_of_anchors(at, &row, stage->rest, false);
  met->bias = bias_of_element(elements, met, &row, stage);
  e->scale[met->row] = pivot_scale_of_row(at, &row, stage);
  clear_element_row(e, met->row);
  for (int k = 0; k < at->interface->anchor_count; k++) {
    const flg_macro_anchor *anchor = &at->anchors[k];
    if (anchor->port >= 0)
      write_element_side(e, 0, met->row, PORT_ROWS * anchor->port, row.side[k]);
    if (anchor->row >= 0) write_element_side(e, 1, met->row, anchor->row, row.side[k]);
  }
}

void flg_macro_elements_place(flg_macro_elements *elements, const flg_elements_stage *stage) {
  move_anchors(elements, stage);
  elements->length = fmax(flg_model_length(stage->own, stage->own->length),
                          flg_model_length(stage->rest, stage->rest->length));
  for (int k = 0; k < elements->count; k++) {
    flg_macro_element *met = &elements->list[k];
    place_macro_element(elements, met, stage);
    met->is_slack = met->is_broken = false;
    /* where forces of a micro step are found again, a stop is met as it was at first */
    const bool is_met = met->hit.side != 0 && met->state.mode == met->hit.side;
    met->bounces = is_met && met->hit.as.bounces;
    met->aim = is_met ? met->hit.as.target : 0;
  }
}

/* --- laws ---------------------------------------------------------------------------------------
 */

/* 0: as explicit as the step is, 1: implicit; z of order h^2 */
static double implicit_element_share(double z, double half, bool is_implicit) {
  return is_implicit ? 1 : z / (z + half);
}

/* what a spring takes of both ends of a step alike: with start rows as semi-implicit steps do
 * (assembly_soft.c) */
static double spring_evenness(const flg_macro_elements *elements,
                              const flg_component_spring *spring, double f) {
  return elements->uses_start_rows && !spring->implicit ? 0 : (1 - f) / 4;
}

static void push_spring(const flg_macro_elements *elements, flg_macro_element *met) {
  const flg_component_spring *spring = met->element->spring;
  const double h = elements->h, away = met->value - met->element->rest;
  met->push = h * spring->preload, met->resist = 0;
  if (met->is_slack || !flg_spring_acts(spring, away)) return;
  const double k = spring->stiffness, d = spring->damping;
  const double damped = h * d * met->yield;
  const double f =
      implicit_element_share(h * h * k * met->yield, spring->implicit ? RESOLVED : STIFF,
                             spring->implicit && spring->slack > 0);
  const double g = implicit_element_share(damped * damped, VISCOUS, spring->implicit);
  const double even = spring_evenness(elements, spring, f);
  const double before = elements->uses_start_rows ? 1 - g : (1 - g) / 2;
  const double back = elements->uses_start_rows ? -even : even;
  met->push += h * flg_spring_effort(spring, away, before * met->rate) - h * spring->preload -
               h * h * k * back * met->rate;
  met->resist = h * h * k * (even + f) + h * d * (1 - before);
}

static void push_friction(const flg_macro_elements *elements, flg_macro_element *met) {
  const flg_component_friction *friction = met->element->friction;
  const int direction = (int)met->state.mode;
  met->push = 0;
  if (flg_friction_sticks(friction)) {
    met->push = -direction * elements->h *
                flg_friction_bound_in_motion(friction, met->state.load, direction, met->rate);
  }
  const double damped = elements->h * friction->viscous * met->yield;
  const double before = elements->uses_start_rows
                            ? 0
                            : (1 - implicit_element_share(damped * damped, VISCOUS, false)) / 2;
  met->push -= elements->h * friction->viscous * before * met->rate;
  met->resist = elements->h * friction->viscous * (1 - before);
}

static bool is_element_closed(const flg_macro_element *met) {
  return flg_element_is_closed(met->element, (int)met->state.mode);
}

/* compliance and right-hand side of a row that is not closed: G y + C l = gamma */
static double soften_row(const flg_macro_elements *elements, flg_macro_element *met, double slack,
                         bool is_kick, double *gamma) {
  met->push = met->resist = 0;
  if (met->element->kind == FLG_ELEMENT_SPRING) push_spring(elements, met);
  if (met->element->kind == FLG_ELEMENT_FRICTION) push_friction(elements, met);
  const double compliance = met->resist * slack > 1 ? 1 / met->resist : slack;
  *gamma = met->push * compliance - met->bias;
  if (is_kick) *gamma = compliance < slack ? met->rate : 0; /* soft rows push from where they are */
  return compliance;
}

bool flg_macro_elements_aim(flg_macro_elements *elements, const flg_elements_stage *stage,
                            bool is_kick) {
  const flg_elimination *e = stage->elimination;
  bool changes = false;
  for (int k = 0; k < elements->count; k++) {
    flg_macro_element *met = &elements->list[k];
    double compliance = elements->yields ? FLG_LIMIT_YIELD * fmax(met->yield, 0) : 0;
    double gamma = is_kick ? 0 : met->aim - met->bias;
    const double slack = FLG_LIMIT_SLACK * e->scale[met->row];
    if (!is_element_closed(met)) compliance = soften_row(elements, met, slack, is_kick, &gamma);
    if (met->element->kind == FLG_ELEMENT_RIGID) compliance = 0;
    changes |= e->compliance[met->row] != compliance;
    e->compliance[met->row] = compliance;
    e->gamma[met->row] = gamma;
  }
  return changes;
}

/* --- after a solve ------------------------------------------------------------------------------
 */

/* y = b + H x of both models */
static void find_stage_motion(const flg_macro_elements *elements, const flg_elements_stage *stage) {
  flg_interface_model *const models[2] = {stage->own, stage->rest};
  for (int c = 0; c < 2; c++) {
    const size_t n = (size_t)models[c]->rows;
    const double *D = flg_interface_model_admittance(models[c]), *x = stage->forces[c];
    double *y = elements->motion[c];
    memcpy(y, stage->bias[c], n * sizeof *y);
    for (size_t j = 0; j < n; j++) {
      if (x[j] == 0) continue;
      for (size_t i = 0; i < n; i++) y[i] += D[i + j * n] * x[j];
    }
  }
}

static double rate_of(const flg_macro_elements *elements, const flg_elimination *e, int row) {
  const size_t m = (size_t)e->shape.constraints;
  double sum = 0;
  for (int c = 0; c < 2; c++) {
    for (int j = 0; j < e->shape.touched[c]; j++) {
      sum += e->G[c][(size_t)row + (size_t)j * m] * elements->motion[c][e->touched[c][j]];
    }
  }
  return sum;
}

/* Rows that others hold have but rounding for rates: that of all velocities of both models, of
 * which turns displace by the length. */
static void find_noise(flg_macro_elements *elements, const flg_elements_stage *stage) {
  const int rows[2] = {stage->own->rows, stage->rest->rows};
  const double length = elements->length;
  double most[2] = {0, 0};
  for (int c = 0; c < 2; c++) {
    for (int k = 0; k < rows[c]; k++) {
      double *of = &most[k % PORT_ROWS / 3];
      *of = flg_larger(*of, flg_larger(fabs(stage->bias[c][k]), fabs(elements->motion[c][k])));
    }
  }
  elements->noise[0] = SOLVED * flg_larger(most[0], length * most[1]);
  elements->noise[1] = length > 0 ? elements->noise[0] / length : SOLVED * most[1];
}

void flg_macro_elements_see(flg_macro_elements *elements, const flg_elements_stage *stage,
                            bool is_kick) {
  find_stage_motion(elements, stage);
  find_noise(elements, stage);
  for (int k = 0; k < elements->count; k++) {
    flg_macro_element *met = &elements->list[k];
    met->impulse = stage->reactions[met->row];
    met->after = rate_of(elements, stage->elimination, met->row) + (is_kick ? 0 : met->bias);
  }
}

/* the rate with which it has gone on in the step */
static double mean_element_rate(const flg_macro_elements *elements, const flg_macro_element *met) {
  return elements->uses_start_rows ? met->after : (met->rate + met->after) / 2;
}

/* what the last solve has found of a friction or a stop */
static flg_limit_seen look_at_element(const flg_macro_elements *elements,
                                      const flg_macro_element *met) {
  const double rounding =
      elements->noise[met->is_displacement ? 0 : 1] +
      FLG_RATE_ROUNDING * (fabs(met->rate) + fabs(met->after) + fabs(met->impulse * met->yield));
  return (flg_limit_seen){.mode = (int)met->state.mode,
                          .value = met->value,
                          .before = met->rate,
                          .after = met->after,
                          .travel = mean_element_rate(elements, met),
                          .impulse = met->impulse,
                          .load = met->state.load,
                          .is_broken = met->is_broken,
                          .kick = elements->h,
                          .duration = elements->h,
                          .near = FLG_LIMIT_TOUCHES * (met->is_displacement ? elements->length : 1),
                          .rounding = {rounding, rounding / met->yield}};
}

/* The rate after which the way that is left is used up, or none of it is left to go on with: what
 * is passed then is moved out at the communication point. */
static double landing_rate(const flg_macro_elements *elements, const flg_macro_element *met,
                           int side, double gap) {
  if (!(gap > 0)) return 0;
  if (elements->uses_start_rows) return side * gap / elements->h;
  const double rate = 2 * gap / elements->h - side * met->rate;
  return rate > 0 ? side * rate : 0;
}

int flg_macro_element_mode(const flg_macro_element *met) {
  return met->element->kind == FLG_ELEMENT_SPRING ? met->is_slack : (int)met->state.mode;
}

/* Closed, but other rows of the same coordinate hold it elsewhere, so that it was left out: a
 * friction does not stick where a stop throws back. */
static bool element_contradicts(const flg_macro_elements *elements, const flg_macro_element *met,
                                const flg_limit_seen *seen) {
  return is_element_closed(met) && !elements->yields &&
         fabs(met->after - met->aim) > FLG_CONTRADICTION * seen->rounding[0];
}

int flg_macro_elements_judge(const flg_macro_elements *elements, int index) {
  const flg_macro_element *met = &elements->list[index];
  const flg_component_spring *spring = met->element->spring;
  const flg_limit_seen seen = look_at_element(elements, met);
  if (may_change(met->element) && element_contradicts(elements, met, &seen))
    return FLG_LIMIT_CONTRADICTS;
  if (met->given.side != 0) return met->given.side;
  if (met->element->kind != FLG_ELEMENT_SPRING) return flg_element_judge(met->element, &seen);
  return met->is_slack || /* with play it does not pull */
         (spring->slack > 0 &&
          flg_spring_stretch(spring, met->value - met->element->rest) * met->impulse > 0);
}

void flg_macro_elements_change(flg_macro_elements *elements, int index, int mode, bool is_alone) {
  flg_macro_element *met = &elements->list[index];
  if (met->element->kind == FLG_ELEMENT_SPRING) {
    met->is_slack = mode != 0;
    return;
  }
  met->state.mode = mode;
  met->aim = 0, met->bounces = false, met->hit = (flg_macro_hit){0};
  met->is_broken |= is_alone && mode != 0;
  if (met->element->kind != FLG_ELEMENT_STOP || mode == 0) return;
  const flg_limit_seen seen = look_at_element(elements, met);
  const double gap = flg_stop_gap(met->element->stop, mode, met->value);
  const flg_stop_response as =
      met->given.side == mode
          ? met->given.as
          : flg_stop_meet(met->element->stop, &seen, mode, landing_rate(elements, met, mode, gap));
  met->was_hit = true, met->hit = (flg_macro_hit){mode, as};
  met->bounces = as.bounces, met->aim = as.target;
}

bool flg_macro_elements_bear(flg_macro_elements *elements, const double *reactions) {
  bool all = true;
  for (int k = 0; k < elements->count; k++) {
    flg_macro_element *met = &elements->list[k];
    if (!is_element_closed(met) || met->given.side != 0) continue;
    flg_limit_seen seen = look_at_element(elements, met);
    seen.impulse = reactions[met->row];
    const int mode = flg_element_judge(met->element, &seen);
    if (mode == seen.mode) continue;
    met->state.mode = mode, met->is_broken |= met->element->kind == FLG_ELEMENT_FRICTION;
    all = false;
  }
  return all;
}

/* --- what they have done ------------------------------------------------------------------------
 */

/* the load follows that of the step, by as much as keeps losses from swinging */
static void note_element_load(flg_macro_elements *elements, flg_macro_element *met) {
  const flg_element *element = met->element;
  if (element->kind != FLG_ELEMENT_FRICTION || element->carrier < 0) return;
  const flg_interface *interface = elements->interfaces[met->interface].interface;
  const flg_macro_element *carrier =
      flg_macro_elements_find(elements, &interface->elements[element->carrier]);
  if (carrier == NULL || carrier->was_hit) return; /* a blow is no load */
  const double effort = carrier->impulse / elements->h;
  met->state.load +=
      element->friction->efficiency * (element->carrier_part * effort - met->state.load);
}

void flg_macro_elements_note(flg_macro_elements *elements, bool is_kick) {
  for (int k = 0; k < elements->count; k++) {
    flg_macro_element *met = &elements->list[k];
    met->sum += met->impulse;
    met->work += met->impulse * met->rate;
    if (is_kick) continue;
    met->hits[elements->step] = met->hit;
    met->value += elements->h * mean_element_rate(elements, met);
    if (met->bounces) met->state.mode = 0;
    note_element_load(elements, met);
  }
}

void flg_macro_elements_advance(flg_macro_elements *elements, const double *u, double h) {
  for (int k = 0; k < elements->interface_count; k++) {
    flg_macro_interface *met = &elements->interfaces[k];
    for (int i = 0; i < met->interface->anchor_count; i++) {
      flg_macro_anchor *anchor = &met->anchors[i];
      if (anchor->row < 0) continue;
      flg_pose *pose = &anchor->frame.pose;
      const flg_spatial v = flg_spatial_load(u + anchor->row);
      const flg_mat3 turn = flg_quat_to_matrix(flg_quat_exp(flg_vec3_scale(v.angular, h)));
      pose->position = flg_vec3_add_scaled(pose->position, h, v.linear);
      pose->rotation = flg_mat3_multiply(&turn, &pose->rotation);
    }
  }
}
