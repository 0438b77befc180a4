/* Checks of the signals of a component. */
#include <math.h>

#include "model/checked.h"

/* --- formulas ------------------------------------------------------------------------------ */

/* Only these blocks know the rate of their value without differences between steps. */
static bool block_check_has_rate(const flg_component *component, int index) {
  const flg_block *block = &component->blocks[index];
  if (block->kind != FLG_BLOCK_INPUT) {
    return flg_block_is_source(block) || block->kind == FLG_BLOCK_FILTER;
  }
  return flg_formula_rate(component, &block->input) != FLG_RATE_UNKNOWN;
}

static void check_rates(const flg_checked *own, const flg_formula *formula) {
  for (int k = 0; k < formula->count; k++) {
    if (formula->steps[k].operation != FLG_FORMULA_VARIABLE) continue;
    const flg_variable signal = flg_variable_unpack(formula->steps[k].count);
    if (signal.kind != FLG_VARIABLE_RATE || block_check_has_rate(own->component, signal.index))
      continue;
    flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                    "%s '%s' needs the rate of '%s', which is not known; sources, filters and what "
                    "is connected to them have one",
                    own->what, own->head.name, own->component->blocks[signal.index].name);
  }
}

/* --- blocks -------------------------------------------------------------------------------- */

static void check_curve(const flg_checked *own, const flg_curve *curve) {
  if (curve->knots < 1) flg_checked_tell(own, "has no points");
  for (int k = 1; k < curve->knots; k++) {
    if (curve->times[k] > curve->times[k - 1]) continue;
    flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                    "signal '%s' has a point at %g s after one at %g s", own->head.name,
                    curve->times[k], curve->times[k - 1]);
    return;
  }
}

static void check_source(const flg_checked *own, const flg_block *block) {
  const bool is_late = block->kind == FLG_BLOCK_RAMP && !(block->until >= block->at);
  if (block->kind == FLG_BLOCK_TABLE || block->kind == FLG_BLOCK_QUINTIC) {
    check_curve(own, &block->curve);
  }
  if (is_late) flg_checked_tell(own, "ends before it starts");
}

static void check_pid(const flg_checked *own, const flg_block *block) {
  const flg_component *component = own->component;
  if (block->windup == FLG_WINDUP_BACK_CALCULATION) {
    flg_checked_positive(own, "tracking time", block->tracking);
  }
  /* Sampled and filtered derivatives are formed from values: they need no rate of the input. */
  if (block->kd == 0 || block->sample > 0 || block->derivative_filter > 0) return;
  if (flg_formula_rate(component, &block->input) != FLG_RATE_UNKNOWN &&
      flg_formula_rate(component, &block->target) != FLG_RATE_UNKNOWN) {
    return;
  }
  flg_checked_tell(
      own,
      "has a derivative of a signal whose rate is not known; give it a filter or a sample "
      "period");
}

/* false: it has no input */
static bool check_block(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_block *block = &component->blocks[index];
  const flg_checked own = {component, "signal", {block->name, block->place}, mistakes};
  flg_checked_limit(&own, block->limit);
  if (flg_block_is_source(block)) {
    check_source(&own, block);
    return true;
  }
  if (block->input.count > 0) return true;
  flg_checked_tell(&own, block->kind == FLG_BLOCK_INPUT
                             ? "is an input, but nothing is connected to it"
                             : "has no input");
  return false;
}

/* once all blocks are known to have inputs */
static void check_block_deeply(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_block *block = &component->blocks[index];
  const flg_checked own = {component, "signal", {block->name, block->place}, mistakes};
  check_rates(&own, &block->input);
  check_rates(&own, &block->target);
  check_rates(&own, &block->feed_forward);
  if (block->kind == FLG_BLOCK_PID) check_pid(&own, block);
  /* A time constant of zero would be no filter, and its state would have an infinite rate. */
  if (block->kind == FLG_BLOCK_FILTER) {
    flg_checked_positive(&own, "time constant", block->time_constant);
  }
}

/* --- what they drive ----------------------------------------------------------------------- */

/* the signal of a motor or an effort, from 0 on */
static const flg_formula *drive_formula(const flg_component *component, int index,
                                        flg_checked *own) {
  /* Motors and efforts are numbered in one row: both have one formula to check. */
  own->component = component;
  if (index < component->motor_count) {
    const flg_motor *motor = &component->motors[index];
    own->what = "motor", own->head = (flg_part_head){motor->name, motor->place};
    return &motor->voltage;
  }
  const flg_effort *effort = &component->efforts[index - component->motor_count];
  own->what = "effort", own->head = (flg_part_head){effort->name, effort->place};
  return &effort->effort;
}

/* --- all of it ----------------------------------------------------------------------------- */

static void check_flow(const flg_component *component, flg_mistakes *mistakes) {
  flg_region region = {0};
  const size_t count = (size_t)flg_signal_node_count(component);
  int *order = flg_region_take(&region, count, sizeof *order);
  if (order != NULL) flg_signal_sort(component, order, &region, mistakes);
  if (region.failed) flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  flg_region_release(&region);
}

void flg_component_check_signals(const flg_component *component, flg_mistakes *mistakes) {
  const flg_component *c = component;
  const int before = mistakes->count;
  bool connected = true;
  flg_part_check_names("signal", c->blocks, sizeof *c->blocks, c->block_count, mistakes);
  for (int k = 0; k < c->block_count; k++) connected = check_block(c, k, mistakes) && connected;
  flg_checked own = {.mistakes = mistakes};
  const int drives = c->motor_count + c->effort_count;
  if (!connected) return;
  for (int k = 0; k < c->block_count; k++) check_block_deeply(c, k, mistakes);
  for (int k = 0; k < drives; k++) {
    const flg_formula *signal = drive_formula(c, k, &own);
    check_rates(&own, signal);
  }
  if (mistakes->count == before && flg_signal_node_count(c) > 0) check_flow(c, mistakes);
}
