/* blocks.h - the blocks (biconnected components) of a graph.
 *
 * Two edges are in the same block if they are on a loop. Every edge is in exactly one block; nodes
 * where blocks meet are in several. Linear time, not recursive.
 */
#ifndef FLG_STRUCTURE_BLOCKS_H
#define FLG_STRUCTURE_BLOCKS_H

#include "base/region.h"

typedef struct flg_edge {
  int node[2]; /* not the same */
} flg_edge;

typedef struct flg_blocks {
  int count;
  int *first; /* (count + 1) of each block in `edges` */
  int *edges; /* (edge_count) numbers of edges, block by block */
} flg_blocks;

/* Set-up, in the region; false without memory. */
bool flg_blocks_find(flg_blocks *blocks, int node_count, const flg_edge *edges, int edge_count,
                     flg_region *region);

#endif
