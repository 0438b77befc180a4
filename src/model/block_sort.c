/* The data flow of signals: which blocks, motors and efforts come before which. */
#include <stdio.h>
#include <string.h>

#include "model/component.h"

/* A sampled block holds its last value: it may be read before it is computed, at the cost of one
 * sample of delay. That is a wish; anything else is a need. */
typedef enum need { NO_NEED, WISH, NEED } need;

int flg_signal_node_count(const flg_component *component) {
  return component->block_count + component->motor_count + component->effort_count;
}

static const char *block_sort_name_of(const flg_component *component, int node) {
  if (node < component->block_count) return component->blocks[node].name;
  node -= component->block_count;
  if (node < component->motor_count) return component->motors[node].name;
  return component->efforts[node - component->motor_count].name;
}

/* the node that makes a signal, and whether it must have been computed before the signal is read */
static need need_of(const flg_component *component, int variable, int *node) {
  variable = flg_variable_source(component, variable);
  if (variable < 0) return NO_NEED;
  const flg_variable signal = flg_variable_unpack(variable);
  switch (signal.kind) {
    case FLG_VARIABLE_VALUE:
    case FLG_VARIABLE_RATE: {
      const flg_block *block = &component->blocks[signal.index];
      /* The value of a filter is a state, known before the step: filters break circles. */
      const bool is_state = block->kind == FLG_BLOCK_FILTER &&
                            (signal.kind == FLG_VARIABLE_VALUE || block->order == 2);
      *node = signal.index;
      return block->sample > 0 ? WISH : is_state ? NO_NEED : NEED;
    }
    case FLG_VARIABLE_CURRENT:
    case FLG_VARIABLE_TORQUE:
    case FLG_VARIABLE_VOLTAGE: {
      const flg_motor *motor = &component->motors[signal.index];
      *node = component->block_count + signal.index;
      /* With inductance the current is a state, too. */
      return signal.kind == FLG_VARIABLE_VOLTAGE || motor->inductance == 0 ? NEED : NO_NEED;
    }
    case FLG_VARIABLE_EFFORT:
      *node = component->block_count + component->motor_count + signal.index;
      return NEED;
    default:
      return NO_NEED;
  }
}

/* a node that a formula still waits for, -1: none */
static int waits_for(const flg_component *component, const flg_formula *formula, const bool *placed,
                     need least) {
  for (int k = 0; k < formula->count; k++) {
    int node = -1;
    if (formula->steps[k].operation != FLG_FORMULA_VARIABLE) continue;
    const need found = need_of(component, formula->steps[k].count, &node);
    if (found >= least && !placed[node]) return node;
  }
  return -1;
}

static int waits_for_rate(const flg_component *component, const flg_formula *formula,
                          const bool *placed, need least) {
  int node = -1;
  const int rate = flg_formula_rate(component, formula);
  if (rate < 0 || need_of(component, rate, &node) < least) return -1;
  return placed[node] ? -1 : node;
}

static int block_waits_for(const flg_component *component, const flg_block *block,
                           const bool *placed, need least) {
  const bool is_pid = block->kind == FLG_BLOCK_PID;
  const bool takes_rates = is_pid && block->kd != 0 && block->derivative_filter == 0;
  if (flg_block_is_source(block)) return -1;
  int node = waits_for(component, &block->input, placed, least);
  if (node < 0 && is_pid) node = waits_for(component, &block->target, placed, least);
  if (node < 0 && is_pid) node = waits_for(component, &block->feed_forward, placed, least);
  if (node < 0 && takes_rates) node = waits_for_rate(component, &block->input, placed, least);
  if (node < 0 && takes_rates) node = waits_for_rate(component, &block->target, placed, least);
  return node;
}

static int node_waits_for(const flg_component *component, int node, const bool *placed,
                          need least) {
  if (node < component->block_count) {
    return block_waits_for(component, &component->blocks[node], placed, least);
  }
  node -= component->block_count;
  const flg_formula *formula = node < component->motor_count
                                   ? &component->motors[node].voltage
                                   : &component->efforts[node - component->motor_count].effort;
  return waits_for(component, formula, placed, least);
}

/* every node that is left waits for another one: following them leads into a circle */
static void tell_circle(const flg_component *component, const bool *placed, int node,
                        flg_mistakes *mistakes) {
  const int count = flg_signal_node_count(component);
  /* After as many steps as there are nodes it is on the circle, wherever it started. */
  for (int k = 0; k < count; k++) node = node_waits_for(component, node, placed, NEED);
  char text[400] = "";
  size_t length = 0;
  const int start = node;
  do {
    const int added = snprintf(text + length, sizeof text - length, "%s -> ",
                               block_sort_name_of(component, node));
    length += (size_t)added;
    node = node_waits_for(component, node, placed, NEED);
  } while (node != start && length < sizeof text - 100);
  const flg_place place = node < component->block_count ? component->blocks[node].place
                                                        : (flg_place){.file = component->file};
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                  "signals need each other in a circle: %s%s; sample or filter one of them", text,
                  block_sort_name_of(component, start));
}

bool flg_signal_sort(const flg_component *component, bool *placed, int *order,
                     flg_mistakes *mistakes) {
  const int count = flg_signal_node_count(component);
  int done = 0, before = -1;
  memset(placed, 0, (size_t)count * sizeof *placed);
  while (done < count) {
    /* those that have all they wish for; if there is none, one that has what it needs */
    const need least = done > before ? WISH : NEED;
    before = done;
    for (int node = 0; node < count && (least == WISH || done == before); node++) {
      if (placed[node] || node_waits_for(component, node, placed, least) >= 0) continue;
      placed[node] = true;
      order[done++] = node;
    }
    if (least == WISH || done > before) continue;
    int left = 0;
    while (placed[left]) left++;
    tell_circle(component, placed, left, mistakes);
    return false;
  }
  return true;
}
