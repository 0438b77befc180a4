/* graph.h - expressions that become straight-line C: a graph in which equal terms are one node.
 *
 * Terms are made from inputs and constants by +, -, *, / and square roots. While they are made,
 *
 *     constants are folded        2 * 3 -> 6       2 * (3 * x) -> 6 * x
 *     zeros and ones vanish       0 * x -> 0       1 * x -> x         x + 0 -> x
 *     signs move outwards         (-a) * b -> -(a * b)                a + (-b) -> a - b
 *     equal terms are shared      a * b and b * a are one node
 *
 * Sums are not reordered otherwise, so that rounding stays that of the formula that was written.
 * A term is the number of its node; operands come before what is made of them, so ascending numbers
 * are an order in which all can be computed. Set-up alone; memory comes from a region, and a region
 * that has failed gives term 0, the constant zero.
 */
#ifndef FLG_COMPILE_GRAPH_H
#define FLG_COMPILE_GRAPH_H

#include "base/growing.h"

typedef int flg_term;

typedef enum flg_term_kind {
  FLG_TERM_CONSTANT,
  FLG_TERM_INPUT,
  FLG_TERM_ADD,
  FLG_TERM_SUBTRACT,
  FLG_TERM_MULTIPLY,
  FLG_TERM_DIVIDE,
  FLG_TERM_NEGATE,
  FLG_TERM_ROOT
} flg_term_kind;

typedef struct flg_term_node {
  flg_term_kind kind;
  int first, second; /* operands; of inputs: number of the array, index in it */
  double value;      /* of a constant */
} flg_term_node;

typedef struct flg_terms {
  flg_growing nodes; /* of flg_term_node */
  int *buckets;      /* (bucket_count) numbers of nodes + 1, 0: free */
  size_t bucket_count;
  flg_region *region;
} flg_terms;

/* An empty graph but for the constant zero, which is term 0. */
void flg_terms_begin(flg_terms *graph, flg_region *region);
const flg_term_node *flg_terms_node(const flg_terms *graph, flg_term term);

flg_term flg_terms_constant(flg_terms *graph, double value);
/* Element `index` of an array that the generated function is given. */
flg_term flg_terms_input(flg_terms *graph, int array, int index);
flg_term flg_terms_add(flg_terms *graph, flg_term a, flg_term b);
flg_term flg_terms_subtract(flg_terms *graph, flg_term a, flg_term b);
flg_term flg_terms_multiply(flg_terms *graph, flg_term a, flg_term b);
flg_term flg_terms_divide(flg_terms *graph, flg_term a, flg_term b);
flg_term flg_terms_negate(flg_terms *graph, flg_term a);
flg_term flg_terms_root(flg_terms *graph, flg_term a);

#endif
