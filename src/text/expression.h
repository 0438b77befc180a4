/* expression.h - numbers that are computed from parameters: =mass*length^2/12.
 * The grammar is that of model/formula.h; names are parameters.
 */
#ifndef FLG_EXPRESSION_H
#define FLG_EXPRESSION_H

#include <stdbool.h>

#include "base/name_index.h"
#include "model/formula.h"
#include "text/node.h"

typedef struct flg_parameter {
  const char *name;
  double value;
} flg_parameter;

typedef struct flg_parameters {
  const flg_parameter *items;
  int count;
  const flg_name_index *index; /* of all of the file, the first `count` are known; NULL: of none */
} flg_parameters;

/* Evaluates the text (without its '='). Returns true with a finite *value, or false with *fault. */
bool flg_expression_evaluate(const char *text, flg_parameters parameters, double *value,
                             flg_formula_fault *fault);

/* True if the text of a scalar is to be computed. */
bool flg_node_is_expression(const flg_node *node);
/* Its value; false with a mistake at the place of the character. */
bool flg_node_evaluate(const flg_node *node, flg_parameters parameters, double *value,
                       flg_mistakes *mistakes);
/* Puts numbers, exact to the last bit, in place of all expressions of a tree. Those that are wrong
 * become 1, after a mistake. */
void flg_node_compute(flg_node *root, flg_parameters parameters, flg_region *region,
                      flg_mistakes *mistakes);

#endif
