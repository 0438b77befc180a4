/* emit.h - C functions from the terms of a graph.
 *
 *     static void NAME(const T *restrict q, ..., T *restrict a, ...) { ... }
 *
 * One statement a node, each computed once. Functions of more than FLG_EMIT_STATEMENTS are cut into
 * parts, which hand numbers on in an array; so compilers take time in proportion to the length.
 */
#ifndef FLG_COMPILE_EMIT_H
#define FLG_COMPILE_EMIT_H

#include <stdio.h>

#include "compile/graph.h"

enum { FLG_EMIT_STATEMENTS = 400 };

/* A number that the function writes: element `index` of one of the output arrays. */
typedef struct flg_emit_output {
  flg_term term;
  int array, index;
} flg_emit_output;

typedef struct flg_emit_function {
  const char *name;
  const char *type;           /* of numbers: "double", or a vector of them */
  const char *const *inputs;  /* (input_count) names of arrays, by number; NULL: not given */
  const char *const *outputs; /* (output_count) likewise */
  int input_count, output_count;
  const flg_emit_output *results; /* (result_count) */
  int result_count;
} flg_emit_function;

/* Writes the function; the region holds work space. Returns how many statements it has. */
int flg_emit(const flg_terms *graph, const flg_emit_function *function, flg_region *region,
             FILE *out);
/* A number as C reads it back to the same bits. */
void flg_emit_number(double value, FILE *out);

#endif
