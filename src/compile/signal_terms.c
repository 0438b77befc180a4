#include "compile/signal_terms.h"

#include <math.h>
#include <string.h>

#include "model/formula_inner.h"

typedef struct signal_builder {
  flg_terms *graph;
  const flg_signals *signals;
  const flg_assembly *assembly;
  const flg_signal_inputs *inputs;
  flg_signal_terms *made;
  flg_term *samples; /* (5 held) what sampled blocks hold after their samples; NULL: as they are */
  bool is_refused;
} signal_builder;

/* --- formulas -----------------------------------------------------------------------------------
 */

/* FLG_CALL_COUNT: it is none of them */
static flg_term_call call_named(const char *name) {
  int k = 0;
  while (k < FLG_CALL_COUNT && strcmp(flg_term_call_name((flg_term_call)k), name) != 0) k++;
  return (flg_term_call)k;
}

/* Functions that formulas know and generated code does not are refused: no component is compiled in
 * part. */
static flg_term apply_function(signal_builder *of, int function, const flg_term *x, int count) {
  const char *name = flg_formula_functions[function].name;
  if (strcmp(name, "sqrt") == 0) return flg_terms_root(of->graph, x[0]);
  const flg_term_call call = call_named(name);
  if (call == FLG_CALL_COUNT) {
    of->is_refused = true;
    return 0;
  }
  if (flg_formula_functions[function].of_all == NULL)
    return flg_terms_call(of->graph, call, x[0], count > 1 ? x[1] : x[0]);
  flg_term most = x[0];
  for (int k = 1; k < count; k++) most = flg_terms_call(of->graph, call, most, x[k]);
  return most;
}

static flg_term apply_operation(signal_builder *of, const flg_formula_step *step,
                                const flg_term *x) {
  switch (step->operation) {
    case FLG_FORMULA_ADD:
      return flg_terms_add(of->graph, x[0], x[1]);
    case FLG_FORMULA_SUBTRACT:
      return flg_terms_subtract(of->graph, x[0], x[1]);
    case FLG_FORMULA_MULTIPLY:
      return flg_terms_multiply(of->graph, x[0], x[1]);
    case FLG_FORMULA_DIVIDE:
      return flg_terms_divide(of->graph, x[0], x[1]);
    case FLG_FORMULA_POWER:
      return flg_terms_call(of->graph, FLG_CALL_pow, x[0], x[1]);
    case FLG_FORMULA_NEGATE:
      return flg_terms_negate(of->graph, x[0]);
    default:
      return apply_function(of, step->operation - FLG_FORMULA_FIRST_FUNCTION, x, step->count);
  }
}

/* A coordinate that is no sum and no distance has no term (tree_terms.c): its readers are
 * refused. */
static flg_term read_signal(signal_builder *of, int number) {
  const flg_term term = of->made->values[number];
  if (term < 0) of->is_refused = true;
  return term < 0 ? 0 : term;
}

/* Formulas are stored in postfix form, as the interpreter runs them (model/formula_run.c). */
static flg_term formula_term(signal_builder *of, const flg_formula *formula) {
  flg_term stack[FLG_FORMULA_MAX_STACK] = {0};
  int top = 0;
  for (int k = 0; k < formula->count; k++) {
    const flg_formula_step *step = &formula->steps[k];
    if (step->operation == FLG_FORMULA_NUMBER) {
      stack[top++] = flg_terms_constant(of->graph, step->number);
    } else if (step->operation == FLG_FORMULA_VARIABLE) {
      stack[top++] = read_signal(of, step->count);
    } else {
      top -= step->count;
      stack[top] = apply_operation(of, step, &stack[top]);
      top++;
    }
  }
  return formula->count == 0 ? 0 : stack[0];
}

/* --- blocks -------------------------------------------------------------------------------------
 */

/* limits that are infinite cost nothing */
static flg_term cut_term(flg_terms *graph, flg_term value, const double limit[2]) {
  if (isfinite(limit[0]))
    value = flg_terms_call(graph, FLG_CALL_at_least, value, flg_terms_constant(graph, limit[0]));
  if (isfinite(limit[1]))
    value = flg_terms_call(graph, FLG_CALL_at_most, value, flg_terms_constant(graph, limit[1]));
  return value;
}

static flg_term scaled_term(flg_terms *graph, double factor, flg_term a) {
  return flg_terms_multiply(graph, flg_terms_constant(graph, factor), a);
}

static flg_term over_term(flg_terms *graph, flg_term a, double divisor) {
  return flg_terms_divide(graph, a, flg_terms_constant(graph, divisor));
}

static flg_term state_term(const signal_builder *of, int state) {
  return flg_terms_input(of->graph, of->inputs->states, state);
}

/* what the integral grows by besides ki e, when the output u was cut to v */
static flg_term unwind_term(flg_terms *graph, const flg_block *block, flg_term e, flg_term u,
                            flg_term v) {
  const flg_term growth = scaled_term(graph, block->ki, e);
  if (block->windup == FLG_WINDUP_BACK_CALCULATION)
    return over_term(graph, flg_terms_subtract(graph, v, u), block->tracking);
  const flg_term product = flg_terms_multiply(graph, flg_terms_subtract(graph, u, v), growth);
  return u == v ? 0 : flg_terms_call(graph, FLG_CALL_opposing, product, growth);
}

static flg_term rate_term(signal_builder *of, int number) {
  return number < 0 ? 0 : read_signal(of, number);
}

static flg_term pid_term(signal_builder *of, const flg_running_block *own) {
  flg_terms *graph = of->graph;
  const flg_block *block = own->block;
  const flg_term target = formula_term(of, &own->target);
  const flg_term e = flg_terms_subtract(graph, target, formula_term(of, &own->input));
  flg_term u =
      flg_terms_add(graph, scaled_term(graph, block->kp, e), formula_term(of, &own->feed_forward));
  /* a filtered derivative has a state of its own; without a filter the rate of the signals is
   * known */
  if (own->derivative >= 0) {
    const flg_term lag = flg_terms_subtract(graph, e, state_term(of, own->derivative));
    const flg_term slope =
        over_term(graph, scaled_term(graph, block->kd, lag), block->derivative_filter);
    u = flg_terms_add(graph, u, slope);
    of->made->rest[own->derivative] = over_term(graph, e, block->derivative_filter);
  } else if (block->kd != 0) {
    const flg_term slope =
        flg_terms_subtract(graph, rate_term(of, own->rate[1]), rate_term(of, own->rate[0]));
    u = flg_terms_add(graph, u, scaled_term(graph, block->kd, slope));
  }
  if (own->integral >= 0) u = flg_terms_add(graph, u, state_term(of, own->integral));
  /* The integral sees both u and v: anti-windup needs to know how much of the output was cut
   * off. */
  const flg_term v = cut_term(graph, u, block->limit);
  if (own->integral >= 0) {
    of->made->rest[own->integral] =
        flg_terms_add(graph, scaled_term(graph, block->ki, e), unwind_term(graph, block, e, u, v));
  }
  return v;
}

/* The output is the state itself, so it is known before the input is: loops through a filter are no
 * algebraic loops. */
static flg_term filter_term(signal_builder *of, const flg_running_block *own, flg_term *rate) {
  flg_terms *graph = of->graph;
  const flg_block *block = own->block;
  const flg_term u = formula_term(of, &own->input), x = state_term(of, own->state);
  const flg_term fed = over_term(graph, u, block->time_constant);
  const bool is_first = block->order == 1;
  of->made->rest[own->state] = is_first ? fed : 0;
  if (!is_first) of->made->rest[own->state + 1] = fed;
  *rate =
      over_term(graph, is_first ? flg_terms_subtract(graph, u, x) : state_term(of, own->state + 1),
                block->time_constant);
  return x;
}

/* --- samples ------------------------------------------------------------------------------------
 */

enum { HELD_VALUE, HELD_RATE, HELD_FIRST, HELD_SECOND, HELD_THIRD, HELD };
enum { IS_DUE, IS_FIRST, SAMPLE_TIME, SOURCE_VALUE, SOURCE_RATE, DUE };

static flg_term picked(flg_terms *graph, flg_term is_due, flg_term now, flg_term before) {
  return flg_terms_add(graph, flg_terms_call(graph, FLG_CALL_taken, is_due, now),
                       flg_terms_call(graph, FLG_CALL_kept, is_due, before));
}

/* F: the time constant of its derivative's filter, T: the period */
static void sample_pid_term(signal_builder *of, const flg_running_block *own, flg_term is_first,
                            flg_term *held) {
  flg_terms *graph = of->graph;
  const flg_block *block = own->block;
  const double T = block->sample, F = block->derivative_filter;
  const flg_term target = formula_term(of, &own->target);
  const flg_term e = flg_terms_subtract(graph, target, formula_term(of, &own->input));
  const flg_term last = picked(graph, is_first, e, held[HELD_THIRD]);
  const flg_term rise = scaled_term(graph, block->kd, flg_terms_subtract(graph, e, last));
  const flg_term slope =
      over_term(graph, flg_terms_add(graph, scaled_term(graph, F, held[HELD_SECOND]), rise), F + T);
  flg_term u = flg_terms_add(graph, scaled_term(graph, block->kp, e), held[HELD_FIRST]);
  u = flg_terms_add(graph, u, slope);
  u = flg_terms_add(graph, u, formula_term(of, &own->feed_forward));
  const flg_term v = cut_term(graph, u, block->limit);
  const flg_term growth =
      flg_terms_add(graph, scaled_term(graph, block->ki, e), unwind_term(graph, block, e, u, v));
  held[HELD_FIRST] = flg_terms_add(graph, held[HELD_FIRST], scaled_term(graph, T, growth));
  held[HELD_SECOND] = slope, held[HELD_THIRD] = e, held[HELD_VALUE] = v;
}

/* a period with the input that is there now */
static void sample_filter_term(signal_builder *of, const flg_running_block *own, flg_term *held) {
  flg_terms *graph = of->graph;
  const flg_block *block = own->block;
  const double(*phi)[4] = own->decay.whole;
  const double T = block->time_constant;
  const flg_term u = formula_term(of, &own->input), x[2] = {held[HELD_FIRST], held[HELD_SECOND]};
  flg_term *to = held + HELD_FIRST;
  if (block->order == 1) {
    const flg_term fed = over_term(graph, scaled_term(graph, block->sample * phi[1][0], u), T);
    to[0] = flg_terms_add(graph, scaled_term(graph, phi[0][0], x[0]), fed);
    held[HELD_RATE] = over_term(graph, flg_terms_subtract(graph, u, to[0]), T);
  } else {
    for (int i = 0; i < 2; i++) {
      const flg_term fed =
          over_term(graph, scaled_term(graph, block->sample * phi[1][i + 2], u), T);
      const flg_term carried = flg_terms_add(graph, scaled_term(graph, phi[0][i], x[0]),
                                             scaled_term(graph, phi[0][i + 2], x[1]));
      to[i] = flg_terms_add(graph, carried, fed);
    }
    held[HELD_RATE] = over_term(graph, to[1], T);
  }
  held[HELD_VALUE] = to[0];
}

static int number_held(const signal_builder *of, int block) {
  int k = 0;
  while (of->made->held[k] != block) k++;
  return k;
}

/* Formulas of a block that is sampled have the time of its sample (assembly_signals.c). */
static void take_sample_term(signal_builder *of, int index, flg_term *value) {
  flg_terms *graph = of->graph;
  const flg_running_block *own = &of->signals->blocks[index];
  const int number = number_held(of, index);
  flg_term due[DUE], before[HELD], held[HELD], *clock = of->made->values;
  for (int k = 0; k < DUE; k++) due[k] = flg_terms_input(graph, of->inputs->due, DUE * number + k);
  before[0] = value[0], before[1] = value[1];
  for (int k = HELD_FIRST; k < HELD; k++) {
    before[k] = flg_terms_input(graph, of->inputs->memory, 3 * number + k - HELD_FIRST);
  }
  memcpy(held, before, sizeof held);
  const flg_term now = clock[0];
  clock[0] = due[SAMPLE_TIME];
  if (own->block->kind == FLG_BLOCK_PID) {
    sample_pid_term(of, own, due[IS_FIRST], held);
  } else if (own->block->kind == FLG_BLOCK_FILTER) {
    sample_filter_term(of, own, held);
  } else if (flg_block_is_source(own->block)) {
    held[HELD_VALUE] = due[SOURCE_VALUE], held[HELD_RATE] = due[SOURCE_RATE];
  } else {
    const flg_term sum = formula_term(of, &own->input);
    const bool is_cut = own->block->kind == FLG_BLOCK_FORMULA;
    held[HELD_VALUE] = is_cut ? cut_term(graph, sum, own->block->limit) : sum;
    held[HELD_RATE] = 0;
  }
  clock[0] = now;
  flg_term *to = of->samples + (size_t)HELD * (size_t)number;
  for (int k = 0; k < HELD; k++) to[k] = picked(graph, due[IS_DUE], held[k], before[k]);
  value[0] = to[HELD_VALUE], value[1] = to[HELD_RATE];
}

/* --- in their order -----------------------------------------------------------------------------
 */

static void run_block_term(signal_builder *of, int index) {
  const flg_running_block *own = &of->signals->blocks[index];
  flg_term *value = of->made->values + of->signals->first_block + 2 * index;
  if (own->held != NULL && of->samples != NULL) take_sample_term(of, index, value);
  /* sampled blocks and functions of time */
  if (own->held != NULL || flg_block_is_source(own->block)) return; /* known from the start */
  value[1] = 0;
  switch (own->block->kind) {
    case FLG_BLOCK_FORMULA:
      value[0] = cut_term(of->graph, formula_term(of, &own->input), own->block->limit);
      break;
    case FLG_BLOCK_INPUT:
      value[0] = formula_term(of, &own->input);
      break;
    case FLG_BLOCK_PID:
      value[0] = pid_term(of, own);
      break;
    case FLG_BLOCK_FILTER:
      value[0] = filter_term(of, own, &value[1]);
      break;
    default:
      of->is_refused = true;
      break;
  }
}

/* --- motors and efforts -------------------------------------------------------------------------
 */

/* Without inductance the current follows the voltage at once: it is no state. */
static void run_motor_term(signal_builder *of, int index) {
  flg_terms *graph = of->graph;
  const flg_running_motor *own = &of->signals->motors[index];
  const flg_motor *motor = own->motor;
  flg_term *value = of->made->values + of->signals->first_motor + 3 * index;
  const flg_term voltage = cut_term(graph, formula_term(of, &own->voltage), motor->limit);
  const flg_term speed = read_signal(of, 2 + 2 * motor->coordinate);
  const flg_term left =
      flg_terms_subtract(graph, voltage, scaled_term(graph, motor->back_emf, speed));
  value[0] =
      own->state < 0 ? over_term(graph, left, motor->resistance) : state_term(of, own->state);
  value[1] = scaled_term(graph, motor->torque_constant, value[0]);
  value[2] = voltage;
  of->made->flows[index] = value[0];
  if (own->state >= 0) of->made->rest[own->state] = over_term(graph, left, motor->inductance);
}

static void run_effort_term(signal_builder *of, int index) {
  const flg_term value = cut_term(of->graph, formula_term(of, &of->signals->efforts[index]),
                                  of->assembly->model.component->efforts[index].limit);
  of->made->values[of->signals->first_effort + index] = value;
  of->made->flows[of->signals->motor_count + index] = value;
}

static void run_node_term(signal_builder *of, int node) {
  const int blocks = of->signals->block_count, motors = of->signals->motor_count;
  if (node < blocks) {
    run_block_term(of, node);
  } else if (node < blocks + motors) {
    run_motor_term(of, node - blocks);
  } else {
    run_effort_term(of, node - blocks - motors);
  }
}

/* --- what is known before anything is computed --------------------------------------------------
 */

static void know_pair(const signal_builder *of, int array, int index, flg_term *value) {
  value[0] = flg_terms_input(of->graph, array, 2 * index);
  value[1] = flg_terms_input(of->graph, array, 2 * index + 1);
}

/* What does not depend on other signals at this moment comes first, as in the interpreter: blocks
 * may then read it in any order. */
static void know_block(signal_builder *of, int index) {
  const flg_running_block *own = &of->signals->blocks[index];
  flg_term *value = of->made->values + of->signals->first_block + 2 * index;
  if (own->held != NULL) {
    of->made->held[of->made->held_count] = index;
    know_pair(of, of->inputs->held, of->made->held_count++, value);
  } else if (flg_block_is_source(own->block)) {
    of->made->sources[of->made->source_count] = index;
    know_pair(of, of->inputs->sources, of->made->source_count++, value);
  } else if (own->state >= 0) {
    value[0] = state_term(of, own->state);
    if (own->block->order == 2)
      value[1] = over_term(of->graph, state_term(of, own->state + 1), own->block->time_constant);
  }
}

static void know_signals(signal_builder *of, const flg_term *value, const flg_term *rate) {
  const flg_signals *signals = of->signals;
  flg_term *values = of->made->values;
  values[0] = flg_terms_input(of->graph, of->inputs->clock, 0);
  for (int k = 0; k < of->assembly->model.coordinate_count; k++) {
    values[1 + 2 * k] = value[k], values[2 + 2 * k] = rate[k];
  }
  for (int k = 0; k < signals->block_count; k++) know_block(of, k);
  for (int k = 0; k < signals->motor_count; k++) {
    const flg_running_motor *own = &signals->motors[k];
    flg_term *motor = values + signals->first_motor + 3 * k;
    if (own->state < 0) continue;
    motor[0] = state_term(of, own->state);
    motor[1] = scaled_term(of->graph, own->motor->torque_constant, motor[0]);
  }
}

/* in the order that the interpreter has found: readers after what they read */
static bool run_signal_terms(signal_builder *of, const flg_term *value, const flg_term *rate) {
  know_signals(of, value, rate);
  for (int k = 0; k < of->signals->node_count; k++) run_node_term(of, of->signals->order[k]);
  return !of->is_refused;
}

static bool take_signal_terms(const flg_signals *from, flg_signal_terms *signals,
                              flg_region *region) {
  const int count = from->first_effort + from->effort_count;
  *signals = (flg_signal_terms){0};
  signals->values = flg_region_take(region, (size_t)count, sizeof(flg_term));
  signals->rest = flg_region_take(region, (size_t)from->state_count, sizeof(flg_term));
  signals->flows = flg_region_take(region, (size_t)from->motor_count + (size_t)from->effort_count,
                                   sizeof(flg_term));
  signals->sources = flg_region_take(region, (size_t)from->block_count, sizeof(int));
  signals->held = flg_region_take(region, (size_t)from->block_count, sizeof(int));
  return !region->failed;
}

bool flg_signal_terms_build(flg_signal_terms *signals, flg_terms *graph,
                            const flg_assembly *assembly, const flg_term *value,
                            const flg_term *rate, const flg_signal_inputs *inputs,
                            flg_region *region) {
  const flg_signals *from = assembly->model.signals;
  *signals = (flg_signal_terms){0};
  if (from == NULL) return true;
  signal_builder of = {graph, from, assembly, inputs, signals, NULL, false};
  return take_signal_terms(from, signals, region) && run_signal_terms(&of, value, rate) &&
         !region->failed;
}

flg_term *flg_signal_samples_build(const flg_signal_terms *signals, flg_terms *graph,
                                   const flg_assembly *assembly, const flg_term *value,
                                   const flg_term *rate, const flg_signal_inputs *inputs,
                                   flg_region *region) {
  const flg_signals *from = assembly->model.signals;
  flg_signal_terms made; /* what its readers see changes with the samples */
  flg_term *samples =
      flg_region_take(region, (size_t)HELD * (size_t)signals->held_count, sizeof *samples);
  if (from == NULL || region->failed) return samples;
  signal_builder of = {graph, from, assembly, inputs, &made, samples, false};
  const bool is_known = take_signal_terms(from, &made, region) &&
                        run_signal_terms(&of, value, rate) && !region->failed;
  return is_known ? samples : NULL;
}
