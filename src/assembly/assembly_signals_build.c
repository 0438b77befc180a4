/* Signals of an assembly, laid out: which number is which, and what has a state. */
#include <string.h>

#include "assembly/assembly_signals.h"

/* --- numbers of signals ------------------------------------------------------------------------
 */

/* One array of numbers for all signals: formulas read it by number, without a lookup by kind. */
static int signal_number(const flg_signals *signals, flg_variable signal) {
  const int k = signal.index;
  switch (signal.kind) {
    case FLG_VARIABLE_TIME:
      return 0;
    case FLG_VARIABLE_POSITION:
      return 1 + 2 * k;
    case FLG_VARIABLE_VELOCITY:
      return 2 + 2 * k;
    case FLG_VARIABLE_VALUE:
      return signals->first_block + 2 * k;
    case FLG_VARIABLE_RATE:
      return signals->first_block + 2 * k + 1;
    case FLG_VARIABLE_EFFORT:
      return signals->first_effort + k;
    default:
      return signals->first_motor + 3 * k + (int)(signal.kind - FLG_VARIABLE_CURRENT);
  }
}

/* a copy of a formula whose variables are numbers of signals */
static flg_formula localise(flg_assembly *assembly, const flg_formula *from) {
  flg_formula formula = {from->count, NULL};
  if (from->count == 0) return formula;
  formula.steps =
      flg_region_take(&assembly->model.region, (size_t)from->count, sizeof *formula.steps);
  if (formula.steps == NULL) return (flg_formula){0};
  memcpy(formula.steps, from->steps, (size_t)from->count * sizeof *formula.steps);
  for (int k = 0; k < formula.count; k++) {
    flg_formula_step *step = &formula.steps[k];
    if (step->operation != FLG_FORMULA_VARIABLE) continue;
    const int source = flg_variable_source(assembly->model.component, step->count);
    /* the rate of an input that is connected to a constant is 0 */
    if (source < 0) {
      *step = (flg_formula_step){.operation = FLG_FORMULA_NUMBER};
    } else {
      step->count = signal_number(assembly->model.signals, flg_variable_unpack(source));
    }
  }
  return formula;
}

static int localise_rate(const flg_assembly *assembly, const flg_formula *formula) {
  const int rate = flg_formula_rate(assembly->model.component, formula);
  return rate < 0 ? -1 : signal_number(assembly->model.signals, flg_variable_unpack(rate));
}

static void mark_formula(flg_assembly *assembly, const flg_formula *formula) {
  for (int k = 0; k < formula->count; k++) {
    if (formula->steps[k].operation != FLG_FORMULA_VARIABLE) continue;
    const flg_variable signal = flg_variable_unpack(formula->steps[k].count);
    if (signal.kind == FLG_VARIABLE_POSITION || signal.kind == FLG_VARIABLE_VELOCITY) {
      assembly->model.coordinates[signal.index].is_used = true;
      assembly->model.coordinates[signal.index].is_read = true;
    }
  }
}

void flg_signals_mark_used(flg_assembly *assembly) {
  const flg_component *component = assembly->model.component;
  for (int k = 0; k < component->block_count; k++) {
    mark_formula(assembly, &component->blocks[k].input);
    mark_formula(assembly, &component->blocks[k].target);
    mark_formula(assembly, &component->blocks[k].feed_forward);
  }
  for (int k = 0; k < component->motor_count; k++) {
    mark_formula(assembly, &component->motors[k].voltage);
  }
  for (int k = 0; k < component->effort_count; k++) {
    mark_formula(assembly, &component->efforts[k].effort);
  }
}

/* --- set-up ------------------------------------------------------------------------------------
 */

static int add_states(flg_signals *signals, int count, const double A[4]) {
  flg_decay *decay = &signals->decays[signals->decay_count++];
  *decay = (flg_decay){.first = signals->state_count, .count = count};
  memcpy(decay->A, A, sizeof decay->A);
  signals->state_count += count;
  return decay->first;
}

/* T x' = y, T y' = u - x - 2 damping y; or T x' = u - x */
static void filter_matrix(const flg_block *block, double A[4]) {
  const double rate = 1 / block->time_constant;
  A[0] = block->order == 1 ? -rate : 0;
  A[1] = -rate, A[2] = rate, A[3] = -2 * block->damping * rate;
}

/* A filter that runs at samples has an exact solution over one sample, found here once (phi
 * functions, math/exponential.h). */
static void equip_sampled(flg_signals *signals, flg_running_block *own) {
  const flg_block *block = own->block;
  own->held = signals->state; /* not NULL; its place comes later */
  signals->held_count += FLG_HELD_NUMBERS;
  if (block->kind != FLG_BLOCK_FILTER) return;
  double Z[4];
  filter_matrix(block, Z);
  for (int i = 0; i < 4; i++) Z[i] *= block->sample;
  flg_phi(block->order, Z, own->decay.whole);
}

static void equip_continuous(flg_signals *signals, flg_running_block *own) {
  const flg_block *block = own->block;
  double A[4] = {0};
  if (block->kind == FLG_BLOCK_FILTER) {
    filter_matrix(block, A);
    own->state = add_states(signals, block->order, A);
  }
  if (block->kind != FLG_BLOCK_PID) return;
  if (block->ki != 0) own->integral = add_states(signals, 1, A);
  if (block->kd == 0 || block->derivative_filter == 0) return;
  A[0] = -1 / block->derivative_filter;
  own->derivative = add_states(signals, 1, A);
}

static void equip_block(flg_assembly *assembly, int index) {
  flg_signals *signals = assembly->model.signals;
  const flg_block *block = &assembly->model.component->blocks[index];
  flg_running_block *own = &signals->blocks[index];
  *own = (flg_running_block){
      .block = block,
      .input = localise(assembly, &block->input),
      .target = localise(assembly, &block->target),
      .feed_forward = localise(assembly, &block->feed_forward),
      .rate = {localise_rate(assembly, &block->input), localise_rate(assembly, &block->target)},
      .integral = -1,
      .derivative = -1,
      .state = -1};
  (block->sample > 0 ? equip_sampled : equip_continuous)(signals, own);
}

static void equip_motor(flg_assembly *assembly, int index) {
  flg_signals *signals = assembly->model.signals;
  const flg_motor *motor = &assembly->model.component->motors[index];
  flg_running_motor *own = &signals->motors[index];
  const int first = flg_forces_first(assembly->model.component, &flg_motor_kind);
  const flg_running_force *force = &assembly->model.forces[first + index];
  *own = (flg_running_motor){.motor = motor,
                             .voltage = localise(assembly, &motor->voltage),
                             .state = -1,
                             .decay = -1,
                             .row_set = force->row_set,
                             .law = force->force.own};
  if (motor->inductance == 0) return;
  own->decay = signals->decay_count;
  own->state = add_states(signals, 1, (const double[4]){-motor->resistance / motor->inductance});
}

/* --- velocities --------------------------------------------------------------------------------
 */

/* With inductance a current is a state: velocities reach it through its derivative alone, not at
 * once. */
static bool is_rate(const flg_signals *signals, int number) {
  if (number > 0 && number < signals->first_block) return number % 2 == 0;
  if (number < signals->first_motor || number >= signals->first_effort) return false;
  const int index = number - signals->first_motor; /* current, torque, voltage */
  return index % 3 < 2 && signals->motors[index / 3].state < 0;
}

static bool signals_build_has_rate(const flg_signals *signals, const flg_formula *formula) {
  for (int k = 0; k < formula->count; k++) {
    const flg_formula_step *step = &formula->steps[k];
    if (step->operation == FLG_FORMULA_VARIABLE && is_rate(signals, step->count)) return true;
  }
  return false;
}

static bool block_has_rate(const flg_signals *signals, const flg_running_block *own) {
  if (own->held != NULL) return false;
  return signals_build_has_rate(signals, &own->input) ||
         signals_build_has_rate(signals, &own->target) ||
         signals_build_has_rate(signals, &own->feed_forward) || is_rate(signals, own->rate[0]) ||
         is_rate(signals, own->rate[1]);
}

/* Where velocities act on efforts at once, a kick has to repeat with better ones
 * (assembly_kick.c). */
static bool signals_feel_rates(const flg_signals *signals) {
  for (int k = 0; k < signals->block_count; k++) {
    if (block_has_rate(signals, &signals->blocks[k])) return true;
  }
  for (int k = 0; k < signals->motor_count; k++) {
    if (signals_build_has_rate(signals, &signals->motors[k].voltage)) return true;
  }
  for (int k = 0; k < signals->effort_count; k++) {
    if (signals_build_has_rate(signals, &signals->efforts[k])) return true;
  }
  return false;
}

/* --- lay-out -----------------------------------------------------------------------------------
 */

static bool take_lists(flg_assembly *assembly) {
  const flg_component *component = assembly->model.component;
  flg_signals *signals = assembly->model.signals;
  flg_region *region = &assembly->model.region;
  const size_t nodes = (size_t)flg_signal_node_count(component);
  const size_t states = 2 * (size_t)component->block_count + (size_t)component->motor_count;
  signals->order = flg_region_take(region, nodes, sizeof *signals->order);
  signals->blocks =
      flg_region_take(region, (size_t)component->block_count, sizeof *signals->blocks);
  signals->motors =
      flg_region_take(region, (size_t)component->motor_count, sizeof *signals->motors);
  signals->efforts =
      flg_region_take(region, (size_t)component->effort_count, sizeof *signals->efforts);
  signals->decays = flg_region_take(region, states, sizeof *signals->decays);
  signals->values = flg_region_take(
      region, (size_t)signals->first_effort + (size_t)component->effort_count, sizeof(double));
  for (int k = 0; k < 4; k++) {
    signals->rest[k] = flg_region_take(region, states, sizeof(double));
    signals->stage[k] = flg_region_take(region, states, sizeof(double));
  }
  if (region->failed) return false;
  flg_mistakes unused = {0}; /* a component that was checked has no circles */
  flg_region scratch = {0};
  const bool is_sorted = flg_signal_sort(component, signals->order, &scratch, &unused);
  if (scratch.failed) region->failed = true;
  flg_region_release(&scratch);
  return is_sorted;
}

void flg_signals_lay_out(flg_assembly *assembly) {
  const flg_component *component = assembly->model.component;
  if (flg_signal_node_count(component) == 0) return;
  flg_signals *signals = flg_region_take(&assembly->model.region, 1, sizeof *signals);
  if (signals == NULL) return;
  assembly->model.signals = signals;
  signals->node_count = flg_signal_node_count(component);
  signals->block_count = component->block_count;
  signals->motor_count = component->motor_count;
  signals->effort_count = component->effort_count;
  signals->first_block = 1 + 2 * component->coordinate_count;
  signals->first_motor = signals->first_block + 2 * component->block_count;
  signals->first_effort = signals->first_motor + 3 * component->motor_count;
  if (!take_lists(assembly)) return;
  signals->state = signals->values;
  signals->lost = signals->undefined = -1;
  for (int k = 0; k < component->block_count; k++) equip_block(assembly, k);
  for (int k = 0; k < component->motor_count; k++) equip_motor(assembly, k);
  for (int k = 0; k < component->effort_count; k++) {
    signals->efforts[k] = localise(assembly, &component->efforts[k].effort);
  }
  signals->feels_rates = !assembly->model.region.failed && signals_feel_rates(signals);
}
