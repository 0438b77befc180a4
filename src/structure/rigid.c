/* Pieces that cannot move relative to each other, found block by block. A block of two pieces is
 * rigid if its rows have rank six. In larger ones pieces are compared in all free motions. What was
 * found becomes one piece, and blocks are looked at again: they are smaller now. */
#include <math.h>
#include <string.h>

#include "structure/pieces.h"
#include "structure/structure.h"

enum { NUMBERS = 6, POSES = 3, TRIES = 4, ROUNDS_MAX = 1000 };

/* Joints that are further open at the start than rounding say nothing of other poses [lengths]. */
static const double CLOSED = 1e-10;
/* A motion that rows with a smaller pivot forbid is in doubt: geometry with few decimals forbids
 * what was meant to move (a door on three hinges), until frames of joints are moved
 * (assembly_fit.c). */
static const double CLEAR = 0.01;
/* Free motions have length 1; two pieces move alike if they differ by rounding alone, which has
 * been divided by the least pivot. */
static const double ALIKE = 1e-7;
/* How far the first try moves, as a motion [rad, or lengths]. */
static const double STRIDE = 0.2;

/* A block as a linkage; its pieces are numbered from 0. */
typedef struct block {
  flg_linkage linkage;
  flg_linkage_joint *joints;
  int *nodes; /* (pieces) what they are in the component */
  int *alike; /* (pieces) the first piece that moves the same way, so far */
  double *motions, *motion;
  unsigned seed;
} block;

/* --- a block ------------------------------------------------------------------------------------
 */

/* the number of a node in the block, which is given one if it has none yet */
static int number_in_block(block *b, const flg_pieces *pieces, int node) {
  int *numbers = pieces->number;
  if (numbers[node] < 0) {
    b->nodes[b->linkage.piece_count] = node;
    numbers[node] = b->linkage.piece_count++;
  }
  return numbers[node];
}

/* False without memory, or if there are `most` pieces or more. */
static bool fill_block(block *b, const flg_pieces *pieces, const flg_piece_graph *graph,
                       const int *edges, int count, int most, flg_region *region) {
  *b = (block){.joints = flg_region_take(region, (size_t)count, sizeof *b->joints),
               .nodes = flg_region_take(region, (size_t)most + 1, sizeof *b->nodes),
               .seed = 1};
  if (region->failed) return false;
  for (int k = 0; k < count && b->linkage.piece_count < most; k++) {
    const flg_edge *edge = &graph->edges[edges[k]];
    const int piece[2] = {number_in_block(b, pieces, edge->node[0]),
                          number_in_block(b, pieces, edge->node[1])};
    b->joints[k] = flg_pieces_joint(pieces, graph->joints[edges[k]], piece);
  }
  const int piece_count = b->linkage.piece_count;
  for (int k = 0; k < piece_count; k++) pieces->number[b->nodes[k]] = -1;
  if (piece_count >= most) return false;
  if (!flg_linkage_make(&b->linkage, piece_count, b->joints, count, region)) return false;
  const size_t n = (size_t)b->linkage.velocities;
  b->alike = flg_region_take(region, (size_t)piece_count, sizeof *b->alike);
  b->motions = flg_region_take(region, n * n, sizeof(double));
  b->motion = flg_region_take(region, n, sizeof(double));
  return !region->failed;
}

static bool move_alike(const block *b, int piece, int other) {
  const int n = b->linkage.velocities, count = n - b->linkage.rank;
  for (int k = 0; k < count; k++) {
    const double *motion = b->motions + (size_t)k * (size_t)n;
    for (int i = 0; i < NUMBERS; i++) {
      const double first = piece == 0 ? 0 : motion[NUMBERS * (piece - 1) + i];
      const double second = other == 0 ? 0 : motion[NUMBERS * (other - 1) + i];
      if (fabs(first - second) > ALIKE) return false;
    }
  }
  return true;
}

/* Parts pieces that were alike so far and are not in this pose; how many still are like others. */
static int part_unlike_pieces(block *b, flg_region *region) {
  const int count = b->linkage.piece_count;
  int *next = flg_region_take(region, (size_t)count, sizeof *next), found = 0;
  if (next == NULL) return 0;
  for (int p = 0; p < count; p++) {
    next[p] = p;
    for (int q = 0; q < p && next[p] == p; q++) {
      if (next[q] == q && b->alike[q] == b->alike[p] && move_alike(b, q, p)) next[p] = q;
    }
    found += next[p] != p;
  }
  memcpy(b->alike, next, (size_t)count * sizeof *next);
  return found;
}

/* --- other poses --------------------------------------------------------------------------------
 */

static double draw_number(block *b) {
  b->seed = b->seed * 1103515245u + 12345u;
  return (double)(b->seed >> 16 & 0x7fff) / 0x4000 - 1;
}

/* any free motion, of length 1 */
static void draw_free_motion(block *b) {
  const int n = b->linkage.velocities, count = n - b->linkage.rank;
  double sum = 0;
  memset(b->motion, 0, (size_t)n * sizeof(double));
  for (int k = 0; k < count; k++) {
    const double share = draw_number(b);
    for (int i = 0; i < n; i++)
      b->motion[i] += share * b->motions[(size_t)k * (size_t)n + (size_t)i];
  }
  for (int i = 0; i < n; i++) sum += b->motion[i] * b->motion[i];
  for (int i = 0; i < n && sum > 0; i++) b->motion[i] /= sqrt(sum);
}

/* the next pose, factored there; false if none is found, or it has another rank: then the start is
 * singular, or this pose is, and says nothing */
static bool step_to_pose(block *b, flg_region *region) {
  flg_linkage *linkage = &b->linkage;
  const size_t count = (size_t)linkage->piece_count;
  flg_pose *before = flg_region_take(region, count, sizeof *before);
  if (before == NULL) return false;
  memcpy(before, linkage->moved, count * sizeof *before);
  const int rank = linkage->rank;
  draw_free_motion(b);
  double stride = STRIDE;
  for (int k = 0; k < TRIES; k++) {
    memcpy(linkage->moved, before, count * sizeof *before);
    flg_linkage_move(linkage, b->motion, stride);
    stride /= 4;
    if (!flg_linkage_close(linkage)) continue;
    if (linkage->rank == rank) flg_linkage_motions(linkage, b->motions);
    return linkage->rank == rank;
  }
  return false;
}

/* factored at the start; false if the joints are open there, or what they hold is in doubt */
static bool factor_linkage_start(flg_linkage *linkage) {
  return flg_linkage_factor(linkage) && flg_linkage_left(linkage) <= CLOSED &&
         linkage->least >= CLEAR;
}

/* True if pieces are alike in all poses that were found; they are in b->alike. */
static bool find_alike(block *b, flg_region *region) {
  flg_linkage *linkage = &b->linkage;
  if (!factor_linkage_start(linkage)) return false;
  linkage->rank_most = linkage->rank;
  flg_linkage_motions(linkage, b->motions);
  const bool is_rigid = linkage->rank == linkage->velocities;
  if (part_unlike_pieces(b, region) == 0 || is_rigid) return is_rigid;
  for (int k = 0; k < POSES; k++) {
    if (!step_to_pose(b, region) || part_unlike_pieces(b, region) == 0) return false;
  }
  return true;
}

/* --- joints that repeat others ------------------------------------------------------------------
 */

typedef struct repeating {
  const flg_pieces *pieces;
  const flg_piece_graph *graph;
  const int *edges;
  flg_region *region;
} repeating;

/* the first joints as a block, factored; false: without memory, or see above */
static bool take_first(const repeating *r, int count, block *b) {
  if (!fill_block(b, r->pieces, r->graph, r->edges, count, 3, r->region)) return false;
  return factor_linkage_start(&b->linkage);
}

static bool repeats(const repeating *r, int count) {
  block without, with;
  if (!take_first(r, count - 1, &without) || !take_first(r, count, &with)) return false;
  flg_linkage *linkage = &with.linkage;
  if (linkage->rank != without.linkage.rank) return false;
  linkage->rank_most = linkage->rank;
  flg_linkage_motions(linkage, with.motions);
  for (int k = 0; k < POSES; k++) {
    if (!step_to_pose(&with, r->region)) return false;
  }
  return true;
}

bool flg_pieces_repeats(flg_pieces *pieces, const flg_piece_graph *graph, const int *edges,
                        int count) {
  flg_region region = {0};
  const repeating r = {.pieces = pieces, .graph = graph, .edges = edges, .region = &region};
  const bool found = repeats(&r, count);
  pieces->failed |= region.failed;
  flg_region_release(&region);
  return found;
}

/* --- all blocks ---------------------------------------------------------------------------------
 */

typedef struct sweep {
  flg_pieces *pieces;
  flg_piece_graph graph;
  int most; /* pieces of a block */
  bool changed;
} sweep;

static void look_at_edges(sweep *r, const int *edges, int count) {
  flg_region region = {0};
  block b;
  const flg_component_joint *first = &r->pieces->component->joints[r->graph.joints[edges[0]]];
  if (count == 1 && first->kind != FLG_CONSTRAINT_WELD) return;
  if (fill_block(&b, r->pieces, &r->graph, edges, count, r->most, &region) &&
      find_alike(&b, &region)) {
    for (int p = 0; p < b.linkage.piece_count; p++) {
      r->changed |= flg_pieces_unite(r->pieces, b.nodes[p], b.nodes[b.alike[p]]);
    }
  }
  r->pieces->failed |= region.failed;
  flg_region_release(&region);
}

static void look_at_all(sweep *r, const flg_blocks *blocks, int most) {
  r->most = most;
  for (int k = 0; k < blocks->count; k++) {
    look_at_edges(r, blocks->edges + blocks->first[k], blocks->first[k + 1] - blocks->first[k]);
  }
}

/* pairs of pieces first, which are cheap and make blocks smaller; false without memory */
static bool look_once(sweep *r, flg_region *region) {
  flg_blocks blocks;
  if (!flg_pieces_graph(r->pieces, &r->graph, region)) return false;
  if (!flg_pieces_pairs(&r->graph, &blocks, region)) return false;
  look_at_all(r, &blocks, 3);
  if (r->changed) return true;
  if (!flg_blocks_find(&blocks, r->pieces->node_count, r->graph.edges, r->graph.count, region)) {
    return false;
  }
  look_at_all(r, &blocks, FLG_STRUCTURE_PIECES_MAX + 1);
  return true;
}

bool flg_pieces_find_rigid(flg_pieces *pieces) {
  sweep r = {.pieces = pieces, .changed = true};
  bool is_found = true;
  for (int k = 0; k < ROUNDS_MAX && r.changed && is_found; k++) {
    flg_region scratch = {0};
    r.changed = false;
    is_found = look_once(&r, &scratch) && !pieces->failed;
    flg_region_release(&scratch);
  }
  return is_found;
}
