/* tile.h - whether a matrix is symmetric to the last bit, by tiles of 4 x 4. */
#ifndef FLG_COMPLEMENTARITY_TILE_H
#define FLG_COMPLEMENTARITY_TILE_H

#include <stdint.h>
#include <string.h>

#include "math/dense_small.h"

typedef double flg_tile_numbers __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t flg_tile_bits __attribute__((vector_size(32), aligned(8), may_alias));

FLG_SMALL void flg_tile_load(const double *four, flg_tile_bits *bits) {
  memcpy(bits, four, sizeof *bits);
}

/* Adds the bits in which the tile at `upper` and the transposed one at `lower` differ. */
FLG_SMALL void flg_tile_compare(int lda, const double *upper, const double *lower,
                                flg_tile_bits *differences) {
  flg_tile_bits a, b, c, d, l0, l1, l2, l3;
  const ptrdiff_t next = lda;
  flg_tile_load(upper, &a), flg_tile_load(upper + next, &b);
  flg_tile_load(upper + 2 * next, &c), flg_tile_load(upper + 3 * next, &d);
  flg_tile_load(lower, &l0), flg_tile_load(lower + next, &l1);
  flg_tile_load(lower + 2 * next, &l2), flg_tile_load(lower + 3 * next, &l3);
  const flg_tile_bits e = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const flg_tile_bits f = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const flg_tile_bits g = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const flg_tile_bits h = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  *differences |= __builtin_shufflevector(e, g, 0, 1, 4, 5) ^ l0;
  *differences |= __builtin_shufflevector(f, h, 0, 1, 4, 5) ^ l1;
  *differences |= __builtin_shufflevector(e, g, 2, 3, 6, 7) ^ l2;
  *differences |= __builtin_shufflevector(f, h, 2, 3, 6, 7) ^ l3;
}

/* Adds 0 times each number of a tile: NaN where one of them is not finite. */
FLG_SMALL void flg_tile_poison(int lda, const double *tile, flg_tile_numbers *poison) {
  const ptrdiff_t next = lda;
  for (int k = 0; k < 4; k++) *poison += 0 * *(const flg_tile_numbers *)(tile + k * next);
}

#endif
