/* graph.h - expressions that become straight-line C: a graph in which equal terms are one node.
 *
 * Terms are made from inputs and constants by +, -, *, /, square roots and calls of functions.
 * While they are made,
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
  FLG_TERM_ROOT,
  FLG_TERM_CALL
} flg_term_kind;

/* X(name, arguments): functions that generated code can call, as call_NAME (signal_calls.h). */
#define FLG_TERM_CALL_LIST(X) \
  X(sin, 1)                   \
  X(cos, 1)                   \
  X(tan, 1)                   \
  X(asin, 1)                  \
  X(acos, 1)                  \
  X(atan, 1)                  \
  X(sinh, 1)                  \
  X(cosh, 1)                  \
  X(tanh, 1)                  \
  X(exp, 1)                   \
  X(log, 1)                   \
  X(log10, 1)                 \
  X(abs, 1)                   \
  X(sign, 1)                  \
  X(floor, 1)                 \
  X(ceil, 1)                  \
  X(round, 1)                 \
  X(atan2, 2)                 \
  X(hypot, 2)                 \
  X(mod, 2)                   \
  X(min, 2)                   \
  X(max, 2)                   \
  X(pow, 2)                   \
  X(at_least, 2)              \
  X(at_most, 2)               \
  X(opposing, 2)              \
  X(stretch, 2)               \
  X(acts, 2)                  \
  X(taken, 2)                 \
  X(kept, 2)

#define FLG_TERM_CALL_ENUM(name, arguments) FLG_CALL_##name,
typedef enum flg_term_call { FLG_TERM_CALL_LIST(FLG_TERM_CALL_ENUM) FLG_CALL_COUNT } flg_term_call;

typedef struct flg_term_node {
  flg_term_kind kind;
  int first, second; /* operands; of inputs: number of the array, index in it */
  double value;      /* of a constant; of a call: its number */
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
/* second: of no consequence where the function has one argument. Calls are not folded. */
flg_term flg_terms_call(flg_terms *graph, flg_term_call function, flg_term first, flg_term second);
/* The name of a function, and how many arguments it has. */
const char *flg_term_call_name(flg_term_call function);
int flg_term_call_arguments(flg_term_call function);

#endif
