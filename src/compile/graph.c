#include "compile/graph.h"

#include <math.h>
#include <stdint.h>

#include "base/hash.h"

enum { FIRST_BUCKETS = 256 };

const flg_term_node *flg_terms_node(const flg_terms *graph, flg_term term) {
  static const flg_term_node zero = {.kind = FLG_TERM_CONSTANT};
  if (graph->nodes.count == 0) return &zero; /* without memory: what is built is thrown away */
  return (const flg_term_node *)graph->nodes.items + term;
}

/* --- one node for equal terms -------------------------------------------------------------------
 */

/* Compared by value, not by bits: constants are never -0 (flg_terms_constant), and a constant that
 * is NaN never finds itself, so it stays a node of its own, which is harmless. */
static bool graph_is_same(const flg_term_node *a, const flg_term_node *b) {
  return a->kind == b->kind && a->first == b->first && a->second == b->second &&
         a->value == b->value;
}

/* Field by field: a hash of the whole struct would include its padding, whose bytes are
 * undefined. */
static size_t bucket_of(const flg_terms *graph, const flg_term_node *node) {
  uint64_t hash = flg_hash(FLG_HASH_SEED, &node->kind, sizeof node->kind);
  hash = flg_hash(hash, &node->first, sizeof node->first);
  hash = flg_hash(hash, &node->second, sizeof node->second);
  hash = flg_hash(hash, &node->value, sizeof node->value);
  return (size_t)hash & (graph->bucket_count - 1);
}

/* where the node is, or would be */
static int *graph_find(const flg_terms *graph, const flg_term_node *node) {
  size_t at = bucket_of(graph, node);
  while (graph->buckets[at] != 0 &&
         !graph_is_same(flg_terms_node(graph, graph->buckets[at] - 1), node)) {
    at = (at + 1) & (graph->bucket_count - 1);
  }
  return &graph->buckets[at];
}

/* At most half full: linear probing stays short. The old table stays in the region; the tables
 * before the last one are together no larger than it. */
static void graph_widen(flg_terms *graph) {
  const size_t count = graph->bucket_count == 0 ? FIRST_BUCKETS : 2 * graph->bucket_count;
  int *buckets = flg_region_take(graph->region, count, sizeof *buckets);
  if (buckets == NULL) return;
  graph->buckets = buckets, graph->bucket_count = count;
  for (int k = 0; k < graph->nodes.count; k++) *graph_find(graph, flg_terms_node(graph, k)) = k + 1;
}

static flg_term graph_take(flg_terms *graph, flg_term_node node) {
  if (2 * (size_t)graph->nodes.count >= graph->bucket_count) graph_widen(graph);
  if (graph->region->failed) return 0;
  int *place = graph_find(graph, &node);
  if (*place != 0) return *place - 1;
  flg_term_node *made = flg_growing_add(&graph->nodes, sizeof node, graph->region);
  if (made == NULL) return 0;
  *made = node;
  *place = graph->nodes.count;
  return graph->nodes.count - 1;
}

void flg_terms_begin(flg_terms *graph, flg_region *region) {
  *graph = (flg_terms){.region = region};
  (void)flg_terms_constant(graph, 0);
}

/* --- leaves -------------------------------------------------------------------------------------
 */

flg_term flg_terms_constant(flg_terms *graph, double value) {
  const double plain = value == 0 ? 0 : value; /* -0 is 0 */
  return graph_take(graph, (flg_term_node){.kind = FLG_TERM_CONSTANT, .value = plain});
}

flg_term flg_terms_input(flg_terms *graph, int array, int index) {
  return graph_take(graph,
                    (flg_term_node){.kind = FLG_TERM_INPUT, .first = array, .second = index});
}

static bool is_constant_term(const flg_terms *graph, flg_term term) {
  return flg_terms_node(graph, term)->kind == FLG_TERM_CONSTANT;
}

static bool is_value(const flg_terms *graph, flg_term term, double value) {
  return is_constant_term(graph, term) && flg_terms_node(graph, term)->value == value;
}

static double graph_value_of(const flg_terms *graph, flg_term term) {
  return flg_terms_node(graph, term)->value;
}

static bool is_negated(const flg_terms *graph, flg_term term) {
  return flg_terms_node(graph, term)->kind == FLG_TERM_NEGATE;
}

/* of a negated term: what it negates */
static flg_term inner(const flg_terms *graph, flg_term term) {
  return flg_terms_node(graph, term)->first;
}

/* operands of what commutes, in one order */
static flg_term take_pair(flg_terms *graph, flg_term_kind kind, flg_term a, flg_term b) {
  const bool swap = a > b && (kind == FLG_TERM_ADD || kind == FLG_TERM_MULTIPLY);
  return graph_take(graph,
                    (flg_term_node){.kind = kind, .first = swap ? b : a, .second = swap ? a : b});
}

/* --- sums ---------------------------------------------------------------------------------------
 */

/* Signs move outwards, where most of them meet another sign and cancel. A difference is turned
 * round and a constant factor takes the sign itself: both cost no operation. */
flg_term flg_terms_negate(flg_terms *graph, flg_term a) {
  const flg_term_node node = *flg_terms_node(graph, a);
  if (node.kind == FLG_TERM_CONSTANT) return flg_terms_constant(graph, -node.value);
  if (node.kind == FLG_TERM_NEGATE) return node.first;
  if (node.kind == FLG_TERM_SUBTRACT) return flg_terms_subtract(graph, node.second, node.first);
  if (node.kind == FLG_TERM_MULTIPLY && is_constant_term(graph, node.first)) {
    return flg_terms_multiply(graph, flg_terms_constant(graph, -graph_value_of(graph, node.first)),
                              node.second);
  }
  return graph_take(graph, (flg_term_node){.kind = FLG_TERM_NEGATE, .first = a});
}

flg_term flg_terms_add(flg_terms *graph, flg_term a, flg_term b) {
  if (is_constant_term(graph, a) && is_constant_term(graph, b)) {
    return flg_terms_constant(graph, graph_value_of(graph, a) + graph_value_of(graph, b));
  }
  if (is_value(graph, a, 0)) return b;
  if (is_value(graph, b, 0)) return a;
  if (is_negated(graph, b)) return flg_terms_subtract(graph, a, inner(graph, b));
  if (is_negated(graph, a)) return flg_terms_subtract(graph, b, inner(graph, a));
  return take_pair(graph, FLG_TERM_ADD, a, b);
}

flg_term flg_terms_subtract(flg_terms *graph, flg_term a, flg_term b) {
  if (is_constant_term(graph, a) && is_constant_term(graph, b)) {
    return flg_terms_constant(graph, graph_value_of(graph, a) - graph_value_of(graph, b));
  }
  if (a == b) return 0;
  if (is_value(graph, b, 0)) return a;
  if (is_value(graph, a, 0)) return flg_terms_negate(graph, b);
  if (is_negated(graph, b)) return flg_terms_add(graph, a, inner(graph, b));
  if (is_negated(graph, a)) {
    return flg_terms_negate(graph, flg_terms_add(graph, inner(graph, a), b));
  }
  return take_pair(graph, FLG_TERM_SUBTRACT, a, b);
}

/* --- products -----------------------------------------------------------------------------------
 */

/* c * x, the constant first, as a constant has the smaller number or is made so */
static flg_term graph_scale(flg_terms *graph, flg_term constant, flg_term x) {
  const double c = graph_value_of(graph, constant);
  const flg_term_node of = *flg_terms_node(graph, x);
  if (c == 0) return 0;
  if (c == 1) return x;
  if (c == -1) return flg_terms_negate(graph, x);
  if (of.kind == FLG_TERM_CONSTANT) return flg_terms_constant(graph, c * of.value);
  if (of.kind == FLG_TERM_NEGATE)
    return graph_scale(graph, flg_terms_constant(graph, -c), of.first);
  if (of.kind == FLG_TERM_MULTIPLY && is_constant_term(graph, of.first)) {
    return graph_scale(graph, flg_terms_constant(graph, c * graph_value_of(graph, of.first)),
                       of.second);
  }
  return graph_take(graph,
                    (flg_term_node){.kind = FLG_TERM_MULTIPLY, .first = constant, .second = x});
}

flg_term flg_terms_multiply(flg_terms *graph, flg_term a, flg_term b) {
  if (is_constant_term(graph, a)) return graph_scale(graph, a, b);
  if (is_constant_term(graph, b)) return graph_scale(graph, b, a);
  if (is_negated(graph, a)) {
    return flg_terms_negate(graph, flg_terms_multiply(graph, inner(graph, a), b));
  }
  if (is_negated(graph, b)) {
    return flg_terms_negate(graph, flg_terms_multiply(graph, a, inner(graph, b)));
  }
  return take_pair(graph, FLG_TERM_MULTIPLY, a, b);
}

/* A division by a constant is not made a product with 1 / b: that would round once more than the
 * formula */
flg_term flg_terms_divide(flg_terms *graph, flg_term a, flg_term b) {
  if (is_value(graph, a, 0)) return 0;
  if (is_value(graph, b, 1)) return a;
  if (is_constant_term(graph, a) && is_constant_term(graph, b)) {
    return flg_terms_constant(graph, graph_value_of(graph, a) / graph_value_of(graph, b));
  }
  if (is_negated(graph, a)) {
    return flg_terms_negate(graph, flg_terms_divide(graph, inner(graph, a), b));
  }
  return take_pair(graph, FLG_TERM_DIVIDE, a, b);
}

flg_term flg_terms_root(flg_terms *graph, flg_term a) {
  if (is_constant_term(graph, a)) return flg_terms_constant(graph, sqrt(graph_value_of(graph, a)));
  return graph_take(graph, (flg_term_node){.kind = FLG_TERM_ROOT, .first = a});
}

/* --- calls --------------------------------------------------------------------------------------
 */

const char *flg_term_call_name(flg_term_call function) {
#define CALL_NAME(name, arguments) #name,
  static const char *const names[] = {FLG_TERM_CALL_LIST(CALL_NAME)};
  return names[function];
}

int flg_term_call_arguments(flg_term_call function) {
#define CALL_ARGUMENTS(name, arguments) arguments,
  static const int counts[] = {FLG_TERM_CALL_LIST(CALL_ARGUMENTS)};
  return counts[function];
}

/* One argument: the second repeats the first, so that equal calls are equal nodes. */
flg_term flg_terms_call(flg_terms *graph, flg_term_call function, flg_term first, flg_term second) {
  const bool is_one = flg_term_call_arguments(function) == 1;
  return graph_take(graph, (flg_term_node){.kind = FLG_TERM_CALL,
                                           .first = first,
                                           .second = is_one ? first : second,
                                           .value = function});
}
