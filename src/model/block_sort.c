/* The data flow of signals: which blocks, motors and efforts come before which. */
#include <stdint.h>
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

/* --- the order ---------------------------------------------------------------------------------
 * As if the nodes were gone through again and again, and each taken as soon as nothing that it
 * wishes for is left; if that takes none, one that has what it needs. Each node waits for one other
 * at a time, so that the work is in proportion to the formulas.
 */

/* nodes that could be taken, the one with the least key first: round << 32 | node */
typedef struct queue {
  int64_t *keys;
  int count;
} queue;

typedef struct sorting {
  const flg_component *component;
  int count;
  bool *placed;         /* (count) */
  queue ready[2];       /* by WISH, by NEED */
  int *waiting[2];      /* (count) the first that waits for this node, -1: none */
  int *next_waiting[2]; /* (count) the next that waits for the same */
} sorting;

static void queue_add(queue *of, int64_t key) {
  int at = of->count++;
  for (; at > 0 && of->keys[(at - 1) / 2] > key; at = (at - 1) / 2) {
    of->keys[at] = of->keys[(at - 1) / 2];
  }
  of->keys[at] = key;
}

static int64_t queue_take(queue *of) {
  const int64_t least = of->keys[0], last = of->keys[--of->count];
  int at = 0;
  for (int child = 1; child < of->count; child = 2 * at + 1) {
    if (child + 1 < of->count && of->keys[child + 1] < of->keys[child]) child++;
    if (of->keys[child] >= last) break;
    of->keys[at] = of->keys[child];
    at = child;
  }
  of->keys[at] = last;
  return least;
}

/* enters the node where it waits, or among those that are ready in that round */
static void look_at_node(sorting *of, int node, int level, int64_t round) {
  const int other = node_waits_for(of->component, node, of->placed, level == 0 ? WISH : NEED);
  if (other < 0) {
    queue_add(&of->ready[level], round << 32 | node);
  } else {
    of->next_waiting[level][node] = of->waiting[level][other];
    of->waiting[level][other] = node;
  }
}

/* those after `after` can still be taken in this round */
static void place_node(sorting *of, int placed, int after, int64_t round) {
  of->placed[placed] = true;
  for (int level = 0; level < 2; level++) {
    for (int node = of->waiting[level][placed], next; node >= 0; node = next) {
      next = of->next_waiting[level][node];
      look_at_node(of, node, level, level == 0 ? round + (node <= after) : 0);
    }
  }
}

/* the next one, -1: all that are left need each other */
static int next_node(sorting *of, int64_t *round) {
  for (int level = 0; level < 2; level++) {
    while (of->ready[level].count > 0) {
      const int64_t key = queue_take(&of->ready[level]);
      const int node = (int)(key & INT32_MAX);
      if (of->placed[node]) continue;
      if (level == 0) *round = key >> 32;
      place_node(of, node, level == 0 ? node : of->count, *round);
      return node;
    }
  }
  return -1;
}

static bool begin_sorting(sorting *of, flg_region *region) {
  const size_t count = (size_t)of->count;
  of->placed = flg_region_take(region, count, sizeof *of->placed);
  for (int level = 0; level < 2; level++) {
    of->ready[level].keys = flg_region_take(region, count, sizeof *of->ready[level].keys);
    of->waiting[level] = flg_region_take(region, count, sizeof(int));
    of->next_waiting[level] = flg_region_take(region, count, sizeof(int));
  }
  if (region->failed) return false;
  for (int level = 0; level < 2; level++) {
    for (int k = 0; k < of->count; k++) of->waiting[level][k] = -1;
    for (int k = 0; k < of->count; k++) look_at_node(of, k, level, 0);
  }
  return true;
}

bool flg_signal_sort(const flg_component *component, int *order, flg_region *region,
                     flg_mistakes *mistakes) {
  sorting of = {.component = component, .count = flg_signal_node_count(component)};
  int64_t round = 0;
  if (!begin_sorting(&of, region)) return false;
  for (int done = 0; done < of.count; done++) {
    order[done] = next_node(&of, &round);
    if (order[done] >= 0) continue;
    int left = 0;
    while (of.placed[left]) left++;
    tell_circle(component, of.placed, left, mistakes);
    return false;
  }
  return true;
}
