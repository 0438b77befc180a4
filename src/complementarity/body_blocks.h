/* body_blocks.h - equations over bodies: a matrix of 6 x 6 blocks, one for each two bodies that
 * touch, and those that elimination adds. Bodies go in the order of least degree, so that towers
 * and small heaps add next to none.
 */
#ifndef FLG_COMPLEMENTARITY_BODY_BLOCKS_H
#define FLG_COMPLEMENTARITY_BODY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLG_BLOCKS_BODIES = 64, FLG_BLOCKS_MOST = 1024, FLG_BLOCK = 36 };

typedef struct flg_body_blocks {
  int body_count, block_count;
  int products;                                   /* of blocks, in an elimination */
  unsigned char order[FLG_BLOCKS_BODIES];         /* as they are eliminated */
  uint64_t later[FLG_BLOCKS_BODIES];              /* of a body: those after it that it is tied to */
  short at[FLG_BLOCKS_BODIES][FLG_BLOCKS_BODIES]; /* [row][column]: number of a block */
  double blocks[FLG_BLOCKS_MOST * FLG_BLOCK];     /* row-major each */
} flg_body_blocks;

/* Places blocks, of bodies that touch those in the bits of touching (body_count). False: too many
 * bodies, or blocks. */
bool flg_body_blocks_plan(flg_body_blocks *of, int body_count, const uint64_t *touching);
/* The matrix becomes 1. */
void flg_body_blocks_reset(flg_body_blocks *of);
/* Of two bodies that touch, or twice the same. */
static inline double *flg_body_block(flg_body_blocks *of, int row, int column) {
  return of->blocks + (ptrdiff_t)FLG_BLOCK * of->at[row][column];
}
/* x (6 body_count) becomes A^-1 x, and A is spoilt. Rows change places within their body only;
 * where these have no pivot, unknowns become 0. */
void flg_body_blocks_solve(flg_body_blocks *of, double *x);

#endif
