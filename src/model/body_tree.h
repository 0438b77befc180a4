/* body_tree.h - bodies of a model in the order in which they hang on each other.
 *
 * Set-up, inside of flg_robot_build. No recursion: a chain may be as long as memory allows.
 */
#ifndef FLG_BODY_TREE_H
#define FLG_BODY_TREE_H

#include "base/region.h"
#include "model/model.h"

typedef struct flg_body_tree {
  int count;    /* bodies that hang on the world, directly or through others */
  int *order;   /* (bodies) these, parents first, every branch in one piece */
  int *carrier; /* (bodies) the joint whose child a body is, -1 if none */
  int *first;   /* (bodies + 1) the first joint on a body, at [0] of the world; -1 if none */
  int *next;    /* (joints) the next joint on the same body, in the order of the model */
  int *stack;   /* (bodies) to be visited */
} flg_body_tree;

/* Sorts the bodies. Joints without a body, bodies with several parents or none, and loops are
 * mistakes. */
flg_status flg_body_tree_build(flg_body_tree *tree, const flg_model *model, flg_region *region,
                               flg_mistakes *mistakes);

#endif
