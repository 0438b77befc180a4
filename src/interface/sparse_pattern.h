/* sparse_pattern.h - which blocks of a sparse symmetric matrix are filled, and in which order they
 * go.
 *
 * The order of elimination is found once, at set-up: the next block to go is the one that is
 * coupled with the fewest rows. With it comes every place that a product is subtracted from, so
 * that a factorisation is a list of products. Blocks go by their *place* in that order; an entry is
 * a block below the diagonal, and has the rows of the later one. Chains and trees have as many
 * entries as blocks; where blocks fill up, the build says so.
 */
#ifndef FLG_INTERFACE_SPARSE_PATTERN_H
#define FLG_INTERFACE_SPARSE_PATTERN_H

#include <stdbool.h>

#include "base/region.h"

enum {
  FLG_SPARSE_DEGREE_MAX = 24, /* blocks that one may be coupled with while it goes */
  FLG_SPARSE_ROWS_MAX = 6     /* of a block */
};

typedef struct flg_sparse_pattern {
  int count;         /* n, of blocks */
  int entry_count;   /* of the factor */
  int target_count;  /* products of two entries of one column */
  const int *place;  /* (n) of each block of the caller */
  const int *first;  /* (n + 1) by place: where columns start ... */
  const int *below;  /* (n) ... and how many entries they have */
  const int *row;    /* (entry_count) place of each entry's rows, ascending in a column */
  const int *target; /* (target_count) entry that each product is subtracted from */
} flg_sparse_pattern;

/* Set-up: pairs of coupled blocks, (pair_count) times two; pairs may repeat. rows: (n) of each
 * block, NULL: all have as many. False if a block is coupled with too many others, or there is no
 * memory (region->failed). */
bool flg_sparse_pattern_build(flg_sparse_pattern *pattern, int count, const int *rows,
                              int pair_count, const int *pairs, flg_region *region);
/* Set-up: the number of the entry between two places, -1: there is none. */
int flg_sparse_pattern_find(const flg_sparse_pattern *pattern, int one, int other);

#endif
