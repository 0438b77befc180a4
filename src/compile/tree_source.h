/* tree_source.h - C of steps of rk4 of a component in joint coordinates (tree_terms.h), as straight
 * lines of code. tree_step.h is what all have in common.
 */
#ifndef FLG_COMPILE_TREE_SOURCE_H
#define FLG_COMPILE_TREE_SOURCE_H

#include <stdio.h>

#include "compile/emit.h"
#include "compile/tree_terms.h"

/* A whole source, whose library supplies steps and nothing else; the region holds work space. */
void flg_tree_source_write(const flg_tree_terms *of, const char *name, flg_region *region,
                           FILE *out);
/* Tables of its signals, find_signals, find_accelerations, and steps, which other sources have,
 * too.
 */
void flg_tree_source_write_steps(const flg_tree_terms *of, flg_region *region, FILE *out);
/* A function of plain numbers, with the arrays of trees up to input_count. */
void flg_tree_source_emit(const flg_tree_terms *of, flg_emit_function function, int input_count,
                          flg_region *region, FILE *out);

#endif
