/* parameters.h - numbers that a component file asks for, and its tree with them put in. */
#ifndef FLG_PARAMETERS_H
#define FLG_PARAMETERS_H

#include "base/given.h"
#include "text/expression.h"

/* One use of a file. */
typedef struct flg_parameter_use {
  const char *path;       /* of the file */
  flg_place asked_at;     /* where it is used */
  const flg_items *given; /* of flg_value */
  bool is_first;          /* mistakes in what the file declares are reported */
  flg_region *region;
  flg_mistakes *mistakes;
} flg_parameter_use;

/* The values of all parameters that the tree of a file declares. Mistakes leave the value 1. */
flg_parameters flg_parameters_of(const flg_parameter_use *use, const flg_node *root);
/* A copy of the tree without expressions, or NULL without memory. */
flg_node *flg_parameters_apply(const flg_parameter_use *use, const flg_node *root,
                               flg_parameters parameters);

#endif
