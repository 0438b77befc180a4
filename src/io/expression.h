/* expression.h - numbers that are computed from parameters: =mass*length^2/12.
 *
 *     sum      product { (+|-) product }
 *     product  sign { (*|/) sign }
 *     sign     [+|-] sign  |  power
 *     power    primary [^ sign]                  -2^2 = -4, 2^3^2 = 2^9
 *     primary  number | pi | parameter | function(sum, ...) | (sum)
 *
 * Functions: sqrt sin cos tan atan2 abs min max; angles in rad.
 */
#ifndef FLG_EXPRESSION_H
#define FLG_EXPRESSION_H

#include <stdbool.h>

#include "io/node.h"

enum { FLG_EXPRESSION_MAX_DEPTH = 64 };

typedef struct flg_parameter {
  const char *name;
  double value;
} flg_parameter;

typedef struct flg_parameters {
  const flg_parameter *items;
  int count;
} flg_parameters;

/* What is wrong with an expression, and at which character (from 0). */
typedef struct flg_expression_fault {
  int offset;
  char message[200];
} flg_expression_fault;

/* Evaluates the text (without its '='). Returns true with a finite *value, or false with *fault. */
bool flg_expression_evaluate(const char *text, flg_parameters parameters, double *value,
                             flg_expression_fault *fault);
/* Whether a parameter may have that name: a letter or _, then letters, digits and _, and nothing
 * that means something else in an expression. */
bool flg_expression_allows_name(const char *name);

/* Whether the text of a scalar is to be computed. */
bool flg_node_is_expression(const flg_node *node);
/* Its value; false with a mistake at the place of the character. */
bool flg_node_evaluate(const flg_node *node, flg_parameters parameters, double *value,
                       flg_mistakes *mistakes);
/* Puts numbers, exact to the last bit, in place of all expressions of a tree. Those that are wrong
 * become 1, after a mistake. */
void flg_node_compute(flg_node *root, flg_parameters parameters, flg_region *region,
                      flg_mistakes *mistakes);

#endif
