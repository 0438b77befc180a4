/* Signals as functions of time, with their derivatives. */
#include <math.h>
#include <stdio.h>

#include "model/component.h"

typedef struct moment {
  const flg_component *component;
  double time;
} moment;

static flg_jet jet_of_source(const flg_block *block, double time) {
  flg_jet jet = {0, 0, 0};
  if (block->kind == FLG_BLOCK_TABLE || block->kind == FLG_BLOCK_QUINTIC) {
    flg_curve_evaluate(&block->curve, time, &jet.value, &jet.rate, &jet.rise);
    return jet;
  }
  /* Steps, ramps and constants have no second derivative between their corners. */
  jet.value = flg_block_source(block, time, 0, &jet.rate);
  if (block->kind != FLG_BLOCK_SINE) return jet;
  const double omega = 2 * 3.14159265358979323846 * block->frequency;
  jet.rise = -omega * omega * (jet.value - block->offset);
  return jet;
}

/* beyond a limit it stands still */
static flg_jet within(flg_jet jet, const double limit[2]) {
  if (jet.value < limit[0]) return (flg_jet){limit[0], 0, 0};
  return jet.value > limit[1] ? (flg_jet){limit[1], 0, 0} : jet;
}

static flg_jet read_variable(const void *context, int variable) {
  const moment *at = context;
  const flg_variable signal = flg_variable_unpack(variable);
  if (signal.kind == FLG_VARIABLE_TIME) return (flg_jet){at->time, 1, 0};
  /* refused beforehand (flg_formula_not_of_time); NaN, should a caller not have asked */
  if (signal.kind != FLG_VARIABLE_VALUE) return (flg_jet){(double)NAN, 0, 0};
  const flg_block *block = &at->component->blocks[signal.index];
  if (flg_block_is_source(block)) return jet_of_source(block, at->time);
  return within(flg_formula_jet(&block->input, read_variable, at), block->limit);
}

flg_jet flg_formula_over_time(const flg_component *component, const flg_formula *formula,
                              double time) {
  const moment at = {component, time};
  return flg_formula_jet(formula, read_variable, &at);
}

/* --- what is none ----------------------------------------------------------------------------- */

static bool jumps(const flg_block *block) {
  return block->kind == FLG_BLOCK_STEP || block->sample > 0 ||
         (block->kind == FLG_BLOCK_TABLE && block->curve.kind == FLG_CURVE_HELD);
}

/* Formulas inside of each other, and in all, each as often as it is computed: a signal that is
 * twice itself, thirty times over, would take hours. */
enum { DEEPEST = 100, MOST_FORMULAS = 10000 };

typedef struct walk {
  const flg_component *component;
  int left; /* formulas that may still be looked at */
  char *text;
} walk;

/* depth: a circle, which is reported elsewhere, is as deep as there are blocks */
static const char *find_other(walk *of, const flg_formula *formula, int depth) {
  if (depth > of->component->block_count) return NULL;
  if (depth > DEEPEST) return "signals of signals that are more than 100 deep";
  if (--of->left < 0) return "more than 10,000 signals of signals";
  for (int k = 0; k < formula->count; k++) {
    if (formula->steps[k].operation != FLG_FORMULA_VARIABLE) continue;
    const flg_variable signal = flg_variable_unpack(formula->steps[k].count);
    if (signal.kind == FLG_VARIABLE_TIME) continue;
    if (signal.kind != FLG_VARIABLE_VALUE) return "a coordinate, a motor, an effort or a rate";
    const flg_block *block = &of->component->blocks[signal.index];
    const bool is_plain = block->kind == FLG_BLOCK_FORMULA || block->kind == FLG_BLOCK_INPUT;
    if (jumps(block) || (!flg_block_is_source(block) && !is_plain)) {
      snprintf(of->text, FLG_FORMULA_MESSAGE, "signal '%.80s', which %s", block->name,
               jumps(block) ? "jumps" : "has a state");
      return of->text;
    }
    if (flg_block_is_source(block)) continue;
    const char *wrong = find_other(of, &block->input, depth + 1);
    if (wrong != NULL) return wrong;
  }
  return NULL;
}

const char *flg_formula_not_of_time(const flg_component *component, const flg_formula *formula,
                                    char text[FLG_FORMULA_MESSAGE]) {
  return find_other(&(walk){component, MOST_FORMULAS, text}, formula, 0);
}
