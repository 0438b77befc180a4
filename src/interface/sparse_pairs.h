/* sparse_pairs.h - L D L^T of a sparse positive definite matrix in blocks of two rows, whose
 * pattern stays the same.
 *
 *     A = L D L^T      L unit lower triangular, D diagonal, both of 2 x 2 blocks        n blocks
 *
 * Two rows are what a hinge has in a plane. Fewer are filled up with a 1 on the diagonal, more take
 * several blocks. Two blocks are coupled or not: a block of numbers or of zeros. The order of
 * elimination is found once, at set-up (interface/sparse_pattern.h).
 *
 * Numbers are three of each diagonal block [a b; b c], and four of each entry, by columns. The
 * caller writes A there; factor replaces it by D^-1 and L. Blocks go by their *place*, the order of
 * elimination; an entry has the rows of the later one.
 *
 * No pivots are chosen. A factor is good while each pivot is positive, and more than the tolerance
 * times its row's diagonal in A; comparisons fail with NaN, too. Steps allocate nothing.
 */
#ifndef FLG_INTERFACE_SPARSE_PAIRS_H
#define FLG_INTERFACE_SPARSE_PAIRS_H

#include "interface/sparse_pattern.h"

typedef struct flg_sparse_pairs {
  flg_sparse_pattern pattern;
  double *diagonal; /* (3 n) by place */
  double *entry;    /* (4 entry_count) */
  double *whole;    /* (3 n) the diagonal of A */
} flg_sparse_pairs;

/* Set-up: pairs of coupled blocks, (pair_count) times two; pairs may repeat. False if a block is
 * coupled with too many others, or there is no memory (region->failed). */
bool flg_sparse_pairs_build(flg_sparse_pairs *matrix, int count, int pair_count, const int *pairs,
                            flg_region *region);
/* Set-up: multiplications of one factorisation. */
double flg_sparse_pairs_flops(const flg_sparse_pairs *matrix);

/* Step: false if a pivot is not over the tolerance times what A has there. */
bool flg_sparse_pairs_factor(flg_sparse_pairs *matrix, double tolerance);
/* Step: x = A^-1 x (2 n), by place. */
void flg_sparse_pairs_solve(const flg_sparse_pairs *matrix, double *x);

#endif
