/* pieces.h - bodies of a component that are known to be rigidly connected, and the joints between
 * such pieces. The inside of structure.h.
 */
#ifndef FLG_STRUCTURE_PIECES_H
#define FLG_STRUCTURE_PIECES_H

#include "structure/blocks.h"
#include "structure/linkage.h"

enum { FLG_PIECE_GROUND = 0 };

/* Node 0 is the ground, node 1 + k body k. */
typedef struct flg_pieces {
  const flg_component *component;
  const bool *is_asked; /* (joints) these are not used to connect bodies; NULL: all are */
  int node_count;
  double length; /* of the component: its largest distance [m] */
  int *parent;   /* (nodes) of a forest: nodes of one tree are one piece */
  bool failed;   /* memory was short: what was found is not all */
  int *number;   /* (nodes) scratch: -1, but while a block is numbered */
} flg_pieces;

/* Joints between pieces, as a graph. */
typedef struct flg_piece_graph {
  int count;
  flg_edge *edges; /* (count) nodes that stand for pieces */
  int *joints;     /* (count) of the component */
} flg_piece_graph;

bool flg_pieces_make(flg_pieces *pieces, const flg_component *component, flg_region *region);
/* The node of an end of a joint; -1: a robot, a point mass or a port, which are no pieces. */
int flg_pieces_node(const flg_pieces *pieces, const flg_anchor *anchor);
/* The first node of the piece that a node belongs to. */
int flg_pieces_of(const flg_pieces *pieces, int node);
/* True if they were two. */
bool flg_pieces_unite(flg_pieces *pieces, int a, int b);
/* All joints that hold two pieces, without those that are asked for; false without memory. */
bool flg_pieces_graph(const flg_pieces *pieces, flg_piece_graph *graph, flg_region *region);
/* The joints between each two pieces as a block; false without memory. */
bool flg_pieces_pairs(const flg_piece_graph *graph, flg_blocks *pairs, flg_region *region);
/* A joint between pieces; piece: numbers that it has in a linkage. */
flg_linkage_joint flg_pieces_joint(const flg_pieces *pieces, int joint, const int piece[2]);
/* True if it is not closed at the start, to rounding. */
bool flg_pieces_joint_is_open(const flg_pieces *pieces, int joint);

/* Finds what is rigidly connected (rigid.c); false without memory. */
bool flg_pieces_find_rigid(flg_pieces *pieces);
/* True if the last of some joints between two pieces asks for nothing that the others do not ask
 * for, wherever they let the pieces move; false without memory, which `failed` tells. */
bool flg_pieces_repeats(flg_pieces *pieces, const flg_piece_graph *graph, const int *edges,
                        int count);

#endif
