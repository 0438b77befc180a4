/* pattern_source.h - C that factors a sparse matrix of a fixed pattern (interface/sparse_pairs.h),
 * and solves with it.
 *
 * Columns have a shape: how many entries they have, how far below the diagonal these lie, and which
 * entries their products go to, counted from the column's own. Where a sequence of shapes repeats,
 * as in a ladder, the code is a loop over one sequence, whose offsets are constants; what does not
 * repeat is straight-line code. planar_rows.h has the operations.
 */
#ifndef FLG_COMPILE_PATTERN_SOURCE_H
#define FLG_COMPILE_PATTERN_SOURCE_H

#include <stdio.h>

#include "interface/sparse_pattern.h"

/* Columns that repeat: `period` of them, `repeats` times from `first` on. */
typedef struct flg_column_run {
  int first, period, repeats;
} flg_column_run;

/* Where blocks are not of one size: numbers are counted from the start of their array. */
typedef struct flg_pattern_layout {
  const int *kinds;    /* (columns) those with the same number are of one size, and alike */
  const int *block_at; /* (columns) */
  const int *entry_at; /* (entries + 1) */
} flg_pattern_layout;

typedef struct flg_pattern_source {
  const flg_sparse_pattern *pattern;
  const flg_pattern_layout *layout; /* NULL: all are of one size */
  int *targets;                     /* (columns) the first of each */
  int run_count;
  flg_column_run *runs; /* (run_count) in order */
  int operations;       /* on blocks, that the code spells out */
} flg_pattern_source;

/* Set-up: finds the runs. layout may be NULL. False: no memory. */
bool flg_pattern_source_find(flg_pattern_source *of, const flg_sparse_pattern *pattern,
                             const flg_pattern_layout *layout, flg_region *region);
/* The functions factor_flat and solve_flat; not with a layout. */
void flg_pattern_source_write(const flg_pattern_source *of, FILE *out);

#endif
