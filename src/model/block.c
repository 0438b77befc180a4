#include "model/block.h"

#include "model/component.h"
#include "model/source_kernels.h"

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

double flg_block_source(const flg_block *block, double time, double edge, double *rate) {
  double unused;
  return flg_source_value(block, time, edge, rate == NULL ? &unused : rate);
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
