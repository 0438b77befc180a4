#include "assembly/assembly_signals.h"

#include <math.h>
#include <string.h>

#include "base/tolerances.h"

enum { SAMPLE, VALUE, RATE, FIRST, SECOND, THIRD }; /* what a sampled block holds */

/* --- values ------------------------------------------------------------------------------------
 */

static double within_limit(const flg_signals *signals, double value, const double limit[2]) {
  if (signals->is_unlimited) return value;
  return value < limit[0] ? limit[0] : value > limit[1] ? limit[1] : value;
}

static double signals_read(const flg_signals *signals, const flg_formula *formula) {
  return formula->count == 0 ? 0 : flg_formula_evaluate(formula, signals->values);
}

static double rate_at(const flg_signals *signals, int number) {
  return number < 0 ? 0 : signals->values[number];
}

/* what the integral of a pid grows by, beside ki e, when its output u was cut to v */
/* Back calculation (Astrom and Rundqwist 1989) or clamping: the integral stops while it would push
 * further into the limit. */
static double unwind(const flg_block *block, double e, double u, double v) {
  const double growth = block->ki * e;
  if (block->windup == FLG_WINDUP_BACK_CALCULATION) return (v - u) / block->tracking;
  return (u - v) * growth > 0 ? -growth : 0;
}

static double run_pid(const flg_signals *signals, const flg_running_block *own, const double *s,
                      double *rest) {
  const flg_block *block = own->block;
  const double e = signals_read(signals, &own->target) - signals_read(signals, &own->input);
  double u = block->kp * e + signals_read(signals, &own->feed_forward);
  if (own->derivative >= 0) {
    u += block->kd * (e - s[own->derivative]) / block->derivative_filter;
    rest[own->derivative] = e / block->derivative_filter;
  } else if (block->kd != 0) {
    u += block->kd * (rate_at(signals, own->rate[1]) - rate_at(signals, own->rate[0]));
  }
  if (own->integral >= 0) u += s[own->integral];
  const double v = within_limit(signals, u, block->limit);
  if (own->integral >= 0) rest[own->integral] = block->ki * e + unwind(block, e, u, v);
  return v;
}

static double run_filter(const flg_signals *signals, const flg_running_block *own, const double *s,
                         double *rest, double *rate) {
  const flg_block *block = own->block;
  const double u = signals_read(signals, &own->input), *x = s + own->state;
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
      return within_limit(signals, signals_read(signals, &own->input), own->block->limit);
    case FLG_BLOCK_INPUT:
      return signals_read(signals, &own->input);
    case FLG_BLOCK_PID:
      return run_pid(signals, own, s, rest);
    case FLG_BLOCK_FILTER:
      return run_filter(signals, own, s, rest, rate);
    default:
      return flg_block_source(own->block, signals->values[0], edge, rate);
  }
}

double flg_signals_speed(const flg_assembly *assembly, const flg_motor *motor) {
  return assembly->model.coordinates[motor->coordinate].row.rate;
}

static void run_motor(flg_assembly *assembly, int index, const double *s, double *rest) {
  const flg_signals *signals = assembly->model.signals;
  const flg_running_motor *own = &signals->motors[index];
  const flg_motor *motor = own->motor;
  double *value = signals->values + signals->first_motor + 3 * index;
  const double voltage = within_limit(signals, signals_read(signals, &own->voltage), motor->limit);
  const double left = voltage - motor->back_emf * flg_signals_speed(assembly, motor);
  value[0] = own->state < 0 ? left / motor->resistance : s[own->state];
  value[1] = motor->torque_constant * value[0];
  value[2] = voltage;
  if (own->state >= 0) rest[own->state] = left / motor->inductance;
}

/* what is known before anything is computed: time, coordinates, states */
static void set_known(flg_assembly *assembly, double time, const double *s) {
  const flg_signals *signals = assembly->model.signals;
  double *values = signals->values;
  values[0] = time;
  for (int k = 0; k < assembly->model.coordinate_count; k++) {
    values[1 + 2 * k] = assembly->model.coordinates[k].row.value;
    values[2 + 2 * k] = assembly->model.coordinates[k].row.rate;
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

/* Keeps the first node that has no value though all that was measured has one, until it has one
 * again: a step may have been tried and taken back. */
static void note_value(flg_assembly *assembly, int node, double value) {
  flg_signals *signals = assembly->model.signals;
  if (isfinite(value)) {
    if (signals->undefined == node) signals->undefined = -1;
    return;
  }
  if (signals->undefined >= 0) return;
  for (int k = 0; k < 1 + 2 * assembly->model.coordinate_count; k++) {
    if (!isfinite(signals->values[k])) return;
  }
  signals->undefined = node;
  signals->undefined_at = signals->values[0];
}

static void run_node(flg_assembly *assembly, int node, double edge, const double *s, double *rest) {
  flg_signals *signals = assembly->model.signals;
  const int block_count = signals->block_count, motor_count = signals->motor_count;
  const double *result;
  if (node < block_count) {
    const flg_running_block *own = &signals->blocks[node];
    double *value = signals->values + signals->first_block + 2 * node;
    if (own->held == NULL) value[0] = run_block(signals, own, edge, s, rest, &value[1]);
    if (own->given != NULL) value[0] = *own->given, value[1] = 0;
    result = value;
  } else if (node < block_count + motor_count) {
    run_motor(assembly, node - block_count, s, rest);
    result = signals->values + signals->first_motor + 3 * (node - block_count) + 2;
  } else {
    const int k = node - block_count - motor_count;
    double *value = signals->values + signals->first_effort + k;
    *value = within_limit(signals, signals_read(signals, &signals->efforts[k]),
                          assembly->model.component->efforts[k].limit);
    result = value;
  }
  note_value(assembly, node, *result);
}

void flg_signals_evaluate(flg_assembly *assembly, double time, double edge, const double *s,
                          double *rest) {
  const flg_signals *signals = assembly->model.signals;
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
  const double e = signals_read(signals, &own->target) - signals_read(signals, &own->input);
  const double T = block->sample, F = block->derivative_filter;
  if (is_first) *last = e;
  *slope = (F * *slope + block->kd * (e - *last)) / (F + T);
  *last = e;
  const double u = block->kp * e + *integral + *slope + signals_read(signals, &own->feed_forward);
  const double v = within_limit(signals, u, block->limit);
  *integral += T * (block->ki * e + unwind(block, e, u, v));
  return v;
}

/* a period with the input that is there now */
static double sample_filter(const flg_signals *signals, const flg_running_block *own,
                            double *rate) {
  const flg_block *block = own->block;
  const double u = signals_read(signals, &own->input), T = block->time_constant;
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
    *value = run_block(signals, own, FLG_SAMPLE_SLACK * own->block->sample, NULL, NULL, rate);
  }
}

static double sample_due(const flg_running_block *own, double time) {
  if (own->held == NULL) return -1;
  const double sample = floor(time / own->block->sample + FLG_SAMPLE_SLACK);
  return sample == own->held[SAMPLE] ? -1 : sample;
}

/* in the order of the data flow, so that one sampled block sees the new value of the other */
void flg_signals_sample(flg_assembly *assembly, double time) {
  flg_signals *signals = assembly->model.signals;
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
    if (own == NULL || sample < 0) {
      run_node(assembly, node, FLG_ROUNDED_TIME * time, signals->state, signals->rest[0]);
      continue;
    }
    double *value = signals->values + signals->first_block + 2 * node;
    signals->values[0] = sample * own->block->sample;
    take_sample(signals, own, own->held[SAMPLE] < 0);
    signals->values[0] = time;
    own->held[SAMPLE] = sample;
    value[0] = own->held[VALUE], value[1] = own->held[RATE];
    note_value(assembly, node, value[0]);
  }
}

void flg_signals_held(const flg_signals *signals, int block, double held[2]) {
  held[0] = signals->blocks[block].held[VALUE], held[1] = signals->blocks[block].held[RATE];
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
  flg_signals *signals = assembly->model.signals;
  if (signals == NULL) return;
  if (state == NULL) state = signals->state;
  signals->state = state;
  signals->undefined = -1;
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
      state[own->derivative] =
          signals_read(signals, &own->target) - signals_read(signals, &own->input);
    }
    run_node(assembly, node, 0, state, signals->rest[0]);
  }
}

const char *flg_signals_lost(const flg_assembly *assembly) {
  const flg_signals *signals = assembly->model.signals;
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

const char *flg_signals_undefined(const flg_assembly *assembly, double *time) {
  const flg_signals *signals = assembly->model.signals;
  if (signals == NULL || signals->undefined < 0) return NULL;
  const int node = signals->undefined, motor = node - signals->block_count;
  *time = signals->undefined_at;
  if (motor < 0) return signals->blocks[node].block->name;
  if (motor < signals->motor_count) return signals->motors[motor].motor->name;
  return assembly->model.component->efforts[motor - signals->motor_count].name;
}

/* --- looking -----------------------------------------------------------------------------------
 */

void flg_signals_look(flg_assembly *assembly, double time) {
  flg_signals *signals = assembly->model.signals;
  if (signals == NULL) return;
  flg_signals_evaluate(assembly, time, FLG_ROUNDED_TIME * time, signals->state, signals->rest[0]);
}

flg_assembly_signal flg_assembly_signal_view(const flg_assembly *assembly, int index) {
  static const char *const words[3] = {"current", "torque", "voltage"};
  const flg_component *component = assembly->model.component;
  const flg_signals *signals = assembly->model.signals;
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
