#include "model/block.h"

#include <math.h>

#include "model/component.h"

/* Formulas know variables as plain numbers; the kind is the remainder, so that each kind counts
 * from 0. */
int flg_variable_pack(flg_variable signal) {
  return signal.index * FLG_VARIABLE_KIND_COUNT + (int)signal.kind;
}

flg_variable flg_variable_unpack(int variable) {
  return (flg_variable){(flg_variable_kind)(variable % FLG_VARIABLE_KIND_COUNT),
                        variable / FLG_VARIABLE_KIND_COUNT};
}

const char *flg_block_kind_name(flg_block_kind kind) {
  static const char *const NAMES[FLG_BLOCK_KIND_COUNT] = {
#define BLOCK_NAME(kind, name) [kind] = (name),
      FLG_BLOCK_KIND_LIST(BLOCK_NAME)};
  return NAMES[kind];
}

/* --- sources ------------------------------------------------------------------------------- */

/* sources are the first kinds of the list, by its order in the header */
bool flg_block_is_source(const flg_block *block) {
  return block->kind < FLG_BLOCK_FORMULA;
}

static double ramp(const flg_block *block, double time, double edge, double *rate) {
  const double now = time + edge;
  *rate = now >= block->at && now < block->until ? block->slope : 0;
  /* The value is continuous, only the rate jumps: so edge decides the rate and not the value. */
  const double since = fmin(time, block->until) - block->at;
  return block->from + block->slope * fmax(since, 0);
}

static double sine(const flg_block *block, double time, double *rate) {
  const double omega = 2 * 3.14159265358979323846 * block->frequency;
  const double angle = omega * time + block->phase;
  *rate = block->amplitude * omega * cos(angle);
  return block->offset + block->amplitude * sin(angle);
}

/* values of held curves jump, and so do the slopes of straight lines */
static double block_along(const flg_curve *curve, double time, double edge, double *rate) {
  double value = 0, unused;
  const bool held = curve->kind == FLG_CURVE_HELD;
  flg_curve_evaluate(curve, held ? time + edge : time, &value, rate, NULL);
  if (curve->kind == FLG_CURVE_LINEAR) flg_curve_evaluate(curve, time + edge, &unused, rate, NULL);
  return value;
}

double flg_block_source(const flg_block *block, double time, double edge, double *rate) {
  double unused;
  if (rate == NULL) rate = &unused;
  *rate = 0;
  switch (block->kind) {
    case FLG_BLOCK_CONSTANT:
      return block->from;
    case FLG_BLOCK_STEP:
      return time + edge >= block->at ? block->to : block->from;
    case FLG_BLOCK_RAMP:
      return ramp(block, time, edge, rate);
    case FLG_BLOCK_SINE:
      return sine(block, time, rate);
    default:
      return block_along(&block->curve, time, edge, rate);
  }
}

/* --- rates --------------------------------------------------------------------------------- */

/* inputs lead inwards through at most all blocks */
static int block_rate_of(const flg_component *component, const flg_formula *formula, int left) {
  const int variable = flg_formula_variable(formula);
  if (variable < 0) {
    const bool constant =
        formula->count == 0 ||
        (formula->count == 1 && formula->steps[0].operation == FLG_FORMULA_NUMBER);
    return constant ? FLG_RATE_ZERO : FLG_RATE_UNKNOWN;
  }
  const flg_variable signal = flg_variable_unpack(variable);
  if (signal.kind == FLG_VARIABLE_POSITION) {
    return flg_variable_pack((flg_variable){FLG_VARIABLE_VELOCITY, signal.index});
  }
  /* left == 0: inputs are connected in a loop, which is reported elsewhere. */
  if (signal.kind != FLG_VARIABLE_VALUE || left == 0) return FLG_RATE_UNKNOWN;
  const flg_block *block = &component->blocks[signal.index];
  if (block->kind == FLG_BLOCK_INPUT) return block_rate_of(component, &block->input, left - 1);
  if (!flg_block_is_source(block) && block->kind != FLG_BLOCK_FILTER) return FLG_RATE_UNKNOWN;
  return flg_variable_pack((flg_variable){FLG_VARIABLE_RATE, signal.index});
}

int flg_formula_rate(const flg_component *component, const flg_formula *formula) {
  return block_rate_of(component, formula, component->block_count);
}

int flg_variable_source(const flg_component *component, int variable) {
  const flg_variable signal = flg_variable_unpack(variable);
  if (signal.kind != FLG_VARIABLE_RATE) return variable;
  const flg_block *block = &component->blocks[signal.index];
  return block->kind == FLG_BLOCK_INPUT ? flg_formula_rate(component, &block->input) : variable;
}
