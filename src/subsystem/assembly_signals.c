#include "subsystem/assembly_signals.h"

#include <math.h>
#include <string.h>

/* a rounded time meets its sample, or the jump of a source */
static const double SAMPLE_SLACK = 1e-6;
static const double START_SLACK = 1e-9; /* [s] */

enum { SAMPLE, VALUE, RATE, FIRST, SECOND, THIRD }; /* what a sampled block holds */

/* --- numbers of signals ------------------------------------------------------------------------
 */

static int number_of(const flg_signals *signals, flg_variable signal) {
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
  formula.steps = flg_region_take(&assembly->region, (size_t)from->count, sizeof *formula.steps);
  if (formula.steps == NULL) return (flg_formula){0};
  memcpy(formula.steps, from->steps, (size_t)from->count * sizeof *formula.steps);
  for (int k = 0; k < formula.count; k++) {
    flg_formula_step *step = &formula.steps[k];
    if (step->operation != FLG_FORMULA_VARIABLE) continue;
    const int source = flg_variable_source(assembly->component, step->count);
    if (source < 0) {
      *step = (flg_formula_step){.operation = FLG_FORMULA_NUMBER};
    } else {
      step->count = number_of(assembly->signals, flg_variable_unpack(source));
    }
  }
  return formula;
}

static int localise_rate(const flg_assembly *assembly, const flg_formula *formula) {
  const int rate = flg_formula_rate(assembly->component, formula);
  return rate < 0 ? -1 : number_of(assembly->signals, flg_variable_unpack(rate));
}

static void mark_formula(flg_assembly *assembly, const flg_formula *formula) {
  for (int k = 0; k < formula->count; k++) {
    if (formula->steps[k].operation != FLG_FORMULA_VARIABLE) continue;
    const flg_variable signal = flg_variable_unpack(formula->steps[k].count);
    if (signal.kind == FLG_VARIABLE_POSITION || signal.kind == FLG_VARIABLE_VELOCITY) {
      assembly->measures[signal.index].is_used = true;
    }
  }
}

void flg_signals_mark_used(flg_assembly *assembly) {
  const flg_component *component = assembly->component;
  for (int k = 0; k < component->block_count; k++) {
    mark_formula(assembly, &component->blocks[k].input);
    mark_formula(assembly, &component->blocks[k].target);
    mark_formula(assembly, &component->blocks[k].feed_forward);
  }
  for (int k = 0; k < component->motor_count; k++) {
    mark_formula(assembly, &component->motors[k].voltage);
    assembly->measures[component->motors[k].coordinate].is_used = true;
  }
  for (int k = 0; k < component->effort_count; k++) {
    mark_formula(assembly, &component->efforts[k].effort);
    assembly->measures[component->efforts[k].coordinate].is_used = true;
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
  flg_signals *signals = assembly->signals;
  const flg_block *block = &assembly->component->blocks[index];
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
  flg_signals *signals = assembly->signals;
  const flg_motor *motor = &assembly->component->motors[index];
  flg_running_motor *own = &signals->motors[index];
  *own = (flg_running_motor){.motor = motor,
                             .voltage = localise(assembly, &motor->voltage),
                             .state = -1,
                             .decay = -1,
                             .soft = assembly->motor_closings[index] >= 0};
  if (motor->inductance == 0) return;
  own->decay = signals->decay_count;
  own->state = add_states(signals, 1, (const double[4]){-motor->resistance / motor->inductance});
}

static bool take_lists(flg_assembly *assembly) {
  const flg_component *component = assembly->component;
  flg_signals *signals = assembly->signals;
  flg_region *region = &assembly->region;
  const size_t nodes = (size_t)flg_signal_node_count(component);
  const size_t states = 2 * (size_t)component->block_count + (size_t)component->motor_count;
  bool *placed = flg_region_take(region, nodes, sizeof *placed);
  signals->order = flg_region_take(region, nodes, sizeof *signals->order);
  signals->blocks =
      flg_region_take(region, (size_t)component->block_count, sizeof *signals->blocks);
  signals->motors =
      flg_region_take(region, (size_t)component->motor_count, sizeof *signals->motors);
  signals->efforts =
      flg_region_take(region, (size_t)component->effort_count, sizeof *signals->efforts);
  signals->decays = flg_region_take(region, states, sizeof *signals->decays);
  signals->values = flg_region_take(
      region, (size_t)(signals->first_effort + component->effort_count), sizeof(double));
  for (int k = 0; k < 4; k++) {
    signals->rest[k] = flg_region_take(region, states, sizeof(double));
    signals->stage[k] = flg_region_take(region, states, sizeof(double));
  }
  if (region->failed) return false;
  flg_mistakes unused = {0}; /* a component that was checked has no circles */
  return flg_signal_sort(component, placed, signals->order, &unused);
}

void flg_signals_lay_out(flg_assembly *assembly) {
  const flg_component *component = assembly->component;
  if (flg_signal_node_count(component) == 0) return;
  flg_signals *signals = flg_region_take(&assembly->region, 1, sizeof *signals);
  if (signals == NULL) return;
  assembly->signals = signals;
  signals->node_count = flg_signal_node_count(component);
  signals->block_count = component->block_count;
  signals->motor_count = component->motor_count;
  signals->effort_count = component->effort_count;
  signals->first_block = 1 + 2 * component->coordinate_count;
  signals->first_motor = signals->first_block + 2 * component->block_count;
  signals->first_effort = signals->first_motor + 3 * component->motor_count;
  if (!take_lists(assembly)) return;
  signals->state = signals->values;
  signals->lost = -1;
  for (int k = 0; k < component->block_count; k++) equip_block(assembly, k);
  for (int k = 0; k < component->motor_count; k++) equip_motor(assembly, k);
  for (int k = 0; k < component->effort_count; k++) {
    signals->efforts[k] = localise(assembly, &component->efforts[k].effort);
  }
}

/* --- values ------------------------------------------------------------------------------------
 */

static double limited(double value, const double limit[2]) {
  return value < limit[0] ? limit[0] : value > limit[1] ? limit[1] : value;
}

static double read(const flg_signals *signals, const flg_formula *formula) {
  return formula->count == 0 ? 0 : flg_formula_evaluate(formula, signals->values);
}

static double rate_at(const flg_signals *signals, int number) {
  return number < 0 ? 0 : signals->values[number];
}

/* what the integral of a pid grows by, beside ki e, when its output u was cut to v */
static double unwind(const flg_block *block, double e, double u, double v) {
  const double growth = block->ki * e;
  if (block->windup == FLG_WINDUP_BACK_CALCULATION) return (v - u) / block->tracking;
  return (u - v) * growth > 0 ? -growth : 0;
}

static double run_pid(const flg_signals *signals, const flg_running_block *own, const double *s,
                      double *rest) {
  const flg_block *block = own->block;
  const double e = read(signals, &own->target) - read(signals, &own->input);
  double u = block->kp * e + read(signals, &own->feed_forward);
  if (own->derivative >= 0) {
    u += block->kd * (e - s[own->derivative]) / block->derivative_filter;
    rest[own->derivative] = e / block->derivative_filter;
  } else if (block->kd != 0) {
    u += block->kd * (rate_at(signals, own->rate[1]) - rate_at(signals, own->rate[0]));
  }
  if (own->integral >= 0) u += s[own->integral];
  const double v = limited(u, block->limit);
  if (own->integral >= 0) rest[own->integral] = block->ki * e + unwind(block, e, u, v);
  return v;
}

static double run_filter(const flg_signals *signals, const flg_running_block *own, const double *s,
                         double *rest, double *rate) {
  const flg_block *block = own->block;
  const double u = read(signals, &own->input), *x = s + own->state;
  const bool first = block->order == 1;
  rest[own->state] = first ? u / block->time_constant : 0;
  if (!first) rest[own->state + 1] = u / block->time_constant;
  *rate = (first ? u - x[0] : x[1]) / block->time_constant;
  return x[0];
}

static double run_block(const flg_signals *signals, const flg_running_block *own, double edge,
                        const double *s, double *rest, double *rate) {
  *rate = 0;
  switch (own->block->kind) {
    case FLG_BLOCK_FORMULA:
      return limited(read(signals, &own->input), own->block->limit);
    case FLG_BLOCK_INPUT:
      return read(signals, &own->input);
    case FLG_BLOCK_PID:
      return run_pid(signals, own, s, rest);
    case FLG_BLOCK_FILTER:
      return run_filter(signals, own, s, rest, rate);
    default:
      return flg_block_source(own->block, signals->values[0], edge, rate);
  }
}

double flg_signals_speed(const flg_assembly *assembly, const flg_motor *motor) {
  return assembly->measures[motor->coordinate].row.rate;
}

static void run_motor(flg_assembly *assembly, int index, const double *s, double *rest) {
  const flg_signals *signals = assembly->signals;
  const flg_running_motor *own = &signals->motors[index];
  const flg_motor *motor = own->motor;
  double *value = signals->values + signals->first_motor + 3 * index;
  const double voltage = limited(read(signals, &own->voltage), motor->limit);
  const double left = voltage - motor->back_emf * flg_signals_speed(assembly, motor);
  value[0] = own->state < 0 ? left / motor->resistance : s[own->state];
  value[1] = motor->torque_constant * value[0];
  value[2] = voltage;
  if (own->state >= 0) rest[own->state] = left / motor->inductance;
}

/* what is known before anything is computed: time, coordinates, states */
static void set_known(flg_assembly *assembly, double time, const double *s) {
  const flg_signals *signals = assembly->signals;
  double *values = signals->values;
  values[0] = time;
  for (int k = 0; k < assembly->measure_count; k++) {
    values[1 + 2 * k] = assembly->measures[k].row.value;
    values[2 + 2 * k] = assembly->measures[k].row.rate;
  }
  for (int k = 0; k < signals->block_count; k++) {
    const flg_running_block *own = &signals->blocks[k];
    double *value = values + signals->first_block + 2 * k;
    if (own->held != NULL) {
      value[0] = own->held[VALUE], value[1] = own->held[RATE];
    } else if (own->state >= 0) {
      value[0] = s[own->state];
      if (own->block->order == 2) value[1] = s[own->state + 1] / own->block->time_constant;
    }
  }
  for (int k = 0; k < signals->motor_count; k++) {
    const flg_running_motor *own = &signals->motors[k];
    double *value = values + signals->first_motor + 3 * k;
    if (own->state < 0) continue;
    value[0] = s[own->state], value[1] = own->motor->torque_constant * value[0];
  }
}

static void run_node(flg_assembly *assembly, int node, double edge, const double *s, double *rest) {
  flg_signals *signals = assembly->signals;
  const int block_count = signals->block_count, motor_count = signals->motor_count;
  if (node < block_count) {
    const flg_running_block *own = &signals->blocks[node];
    double *value = signals->values + signals->first_block + 2 * node;
    if (own->held == NULL) value[0] = run_block(signals, own, edge, s, rest, &value[1]);
  } else if (node < block_count + motor_count) {
    run_motor(assembly, node - block_count, s, rest);
  } else {
    const int k = node - block_count - motor_count;
    const double effort = read(signals, &signals->efforts[k]);
    signals->values[signals->first_effort + k] =
        limited(effort, assembly->component->efforts[k].limit);
  }
}

void flg_signals_evaluate(flg_assembly *assembly, double time, double edge, const double *s,
                          double *rest) {
  const flg_signals *signals = assembly->signals;
  set_known(assembly, time, s);
  for (int k = 0; k < signals->node_count; k++) {
    run_node(assembly, signals->order[k], edge, s, rest);
  }
}

/* --- sampled blocks ----------------------------------------------------------------------------
 */

static double sample_pid(const flg_signals *signals, const flg_running_block *own, bool is_first) {
  const flg_block *block = own->block;
  double *integral = &own->held[FIRST], *slope = &own->held[SECOND], *last = &own->held[THIRD];
  const double e = read(signals, &own->target) - read(signals, &own->input);
  const double T = block->sample, F = block->derivative_filter;
  if (is_first) *last = e;
  *slope = (F * *slope + block->kd * (e - *last)) / (F + T);
  *last = e;
  const double u = block->kp * e + *integral + *slope + read(signals, &own->feed_forward);
  const double v = limited(u, block->limit);
  *integral += T * (block->ki * e + unwind(block, e, u, v));
  return v;
}

/* a period with the input that is there now */
static double sample_filter(const flg_signals *signals, const flg_running_block *own,
                            double *rate) {
  const flg_block *block = own->block;
  const double u = read(signals, &own->input), T = block->time_constant;
  const double(*phi)[4] = own->decay.whole;
  double *x = &own->held[FIRST];
  if (block->order == 1) {
    x[0] = phi[0][0] * x[0] + block->sample * phi[1][0] * u / T;
    *rate = (u - x[0]) / T;
    return x[0];
  }
  const double before[2] = {x[0], x[1]};
  for (int i = 0; i < 2; i++) {
    x[i] =
        phi[0][i] * before[0] + phi[0][i + 2] * before[1] + block->sample * phi[1][i + 2] * u / T;
  }
  *rate = x[1] / T;
  return x[0];
}

static void take_sample(const flg_signals *signals, const flg_running_block *own, bool is_first) {
  double *value = &own->held[VALUE], *rate = &own->held[RATE];
  if (own->block->kind == FLG_BLOCK_PID) {
    *value = sample_pid(signals, own, is_first);
  } else if (own->block->kind == FLG_BLOCK_FILTER) {
    *value = sample_filter(signals, own, rate);
  } else {
    *value = run_block(signals, own, SAMPLE_SLACK * own->block->sample, NULL, NULL, rate);
  }
}

static double sample_due(const flg_running_block *own, double time) {
  if (own->held == NULL) return -1;
  const double sample = floor(time / own->block->sample + SAMPLE_SLACK);
  return sample == own->held[SAMPLE] ? -1 : sample;
}

/* in the order of the data flow, so that one sampled block sees the new value of the other */
void flg_signals_sample(flg_assembly *assembly, double time) {
  flg_signals *signals = assembly->signals;
  bool is_due = false;
  for (int k = 0; k < signals->block_count && !is_due; k++) {
    is_due = sample_due(&signals->blocks[k], time) >= 0;
  }
  if (!is_due) return;
  set_known(assembly, time, signals->state);
  for (int k = 0; k < signals->node_count; k++) {
    const int node = signals->order[k];
    const flg_running_block *own = node < signals->block_count ? &signals->blocks[node] : NULL;
    const double sample = own == NULL ? -1 : sample_due(own, time);
    if (sample < 0) {
      run_node(assembly, node, START_SLACK, signals->state, signals->rest[0]);
      continue;
    }
    double *value = signals->values + signals->first_block + 2 * node;
    signals->values[0] = sample * own->block->sample;
    take_sample(signals, own, own->held[SAMPLE] < 0);
    signals->values[0] = time;
    own->held[SAMPLE] = sample;
    value[0] = own->held[VALUE], value[1] = own->held[RATE];
  }
}

/* --- the start ---------------------------------------------------------------------------------
 */

static void start_block(const flg_signals *signals, const flg_running_block *own) {
  const double initial = own->block->initial;
  if (own->held != NULL) {
    memset(own->held, 0, FLG_HELD_NUMBERS * sizeof *own->held);
    own->held[SAMPLE] = -1;
    own->held[FIRST] = initial;
    if (own->block->kind == FLG_BLOCK_FILTER) own->held[VALUE] = initial;
  }
  if (own->integral >= 0) signals->state[own->integral] = initial;
  if (own->state >= 0) signals->state[own->state] = initial;
}

void flg_signals_start(flg_assembly *assembly, double *state) {
  flg_signals *signals = assembly->signals;
  if (signals == NULL) return;
  signals->state = state;
  memset(state, 0, (size_t)signals->state_count * sizeof *state);
  double *held = state + signals->state_count;
  for (int k = 0; k < signals->block_count; k++) {
    flg_running_block *own = &signals->blocks[k];
    if (own->held != NULL) own->held = held, held += FLG_HELD_NUMBERS;
    start_block(signals, own);
  }
  for (int k = 0; k < signals->motor_count; k++) {
    const flg_running_motor *own = &signals->motors[k];
    if (own->state >= 0) state[own->state] = own->motor->current;
  }
  /* derivatives start from rest: their filters are where their errors are */
  set_known(assembly, 0, state);
  for (int k = 0; k < signals->node_count; k++) {
    const int node = signals->order[k];
    const flg_running_block *own = node < signals->block_count ? &signals->blocks[node] : NULL;
    if (own != NULL && own->derivative >= 0) {
      state[own->derivative] = read(signals, &own->target) - read(signals, &own->input);
    }
    run_node(assembly, node, START_SLACK, state, signals->rest[0]);
  }
}

const char *flg_signals_lost(const flg_assembly *assembly) {
  const flg_signals *signals = assembly->signals;
  if (signals == NULL || signals->lost < 0) return NULL;
  const int lost = signals->lost;
  for (int k = 0; k < signals->motor_count; k++) {
    if (signals->motors[k].state == lost) return signals->motors[k].motor->name;
  }
  for (int k = 0; k < signals->block_count; k++) {
    const flg_running_block *own = &signals->blocks[k];
    const bool is_filter = own->state >= 0 && lost - own->state < own->block->order;
    if (own->integral == lost || own->derivative == lost || (is_filter && lost >= own->state)) {
      return own->block->name;
    }
  }
  return NULL;
}

/* --- looking -----------------------------------------------------------------------------------
 */

void flg_signals_look(flg_assembly *assembly, double time) {
  flg_signals *signals = assembly->signals;
  if (signals == NULL) return;
  flg_signals_evaluate(assembly, time, START_SLACK, signals->state, signals->rest[0]);
}

int flg_assembly_signal_count(const flg_assembly *assembly) {
  const flg_signals *signals = assembly->signals;
  if (signals == NULL) return 0;
  return signals->block_count + 3 * signals->motor_count + signals->effort_count;
}

flg_assembly_signal flg_assembly_signal_view(const flg_assembly *assembly, int index) {
  static const char *const words[3] = {"current", "torque", "voltage"};
  const flg_component *component = assembly->component;
  const flg_signals *signals = assembly->signals;
  if (index < signals->block_count) {
    return (flg_assembly_signal){component->blocks[index].name, "value", "",
                                 signals->values[signals->first_block + 2 * index]};
  }
  index -= signals->block_count;
  const bool is_motor = index < 3 * signals->motor_count;
  const int effort = index - 3 * signals->motor_count;
  const int coordinate =
      is_motor ? component->motors[index / 3].coordinate : component->efforts[effort].coordinate;
  const bool turns = component->coordinates[coordinate].kind == FLG_COORDINATE_ANGLE;
  const char *push = turns ? "N m" : "N";
  if (!is_motor) {
    return (flg_assembly_signal){component->efforts[effort].name, "effort", push,
                                 signals->values[signals->first_effort + effort]};
  }
  const char *const units[3] = {"A", push, "V"};
  return (flg_assembly_signal){component->motors[index / 3].name, words[index % 3],
                               units[index % 3], signals->values[signals->first_motor + index]};
}
