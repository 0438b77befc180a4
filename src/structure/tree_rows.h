/* tree_rows.h - coordinates that are sums of the joint coordinates of trees, with constant factors.
 *
 *     dc/dt = sum over links (slide_k s_k' + turn_k t_k')
 *
 * An angle or a slide between two bodies is such a sum if all joints on the way from one to the
 * other turn about, or slide along, axes parallel to its own. Set-up, pure functions.
 */
#ifndef FLG_STRUCTURE_TREE_ROWS_H
#define FLG_STRUCTURE_TREE_ROWS_H

#include "structure/trees.h"

/* Adds the factors of a coordinate, times `factor`, to slide and turn (links of all trees). False
 * if they are not constant: both are then of no use. */
bool flg_tree_row_add(const flg_trees *trees, const flg_structure *structure,
                      const flg_component *component, int coordinate, double factor, double *slide,
                      double *turn);

#endif
