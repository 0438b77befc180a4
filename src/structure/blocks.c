/* Depth-first search with a stack of its own (Hopcroft and Tarjan 1973): the edges that were seen
 * since a node was left form a block if nothing below it leads further up. */
#include "structure/blocks.h"

enum { NONE = -1 };

typedef struct search {
  const flg_edge *edges;
  flg_blocks *blocks;
  int *start, *around; /* edges around each node */
  int *next;           /* by node: where in `around` it goes on */
  int *entered;        /* by node: number in the order of the search, 0: not yet */
  int *low;            /* by node: the first node that can be reached from below it */
  int *by;             /* by node: the edge that the search came by */
  int *stack, depth;   /* nodes */
  int *seen, seen_count;
  int clock, listed;
} search;

/* Counting sort: edges around each node lie together, without a list for each. */
static void list_edges(search *s, int node_count, int edge_count) {
  for (int k = 0; k < 2 * edge_count; k++) s->start[s->edges[k / 2].node[k % 2] + 1]++;
  for (int k = 0; k < node_count; k++) s->start[k + 1] += s->start[k];
  for (int k = 0; k < node_count; k++) s->next[k] = s->start[k];
  for (int k = 0; k < 2 * edge_count; k++)
    s->around[s->next[s->edges[k / 2].node[k % 2]]++] = k / 2;
  for (int k = 0; k < node_count; k++) s->next[k] = s->start[k];
}

/* numbers grow in the order of entering: a smaller one is further up */
static void enter_node(search *s, int node, int by) {
  s->entered[node] = s->low[node] = ++s->clock;
  s->by[node] = by;
  s->stack[s->depth++] = node;
}

/* the edges since `edge` are a block */
static void close_block(search *s, int edge) {
  flg_blocks *blocks = s->blocks;
  int last = NONE;
  while (last != edge) {
    last = s->seen[--s->seen_count];
    blocks->edges[s->listed++] = last;
  }
  blocks->first[++blocks->count] = s->listed;
}

static int other_node(const search *s, int edge, int node) {
  const flg_edge *of = &s->edges[edge];
  return of->node[0] == node ? of->node[1] : of->node[0];
}

/* An edge to a node that was entered later was seen from there already. */
static void follow_edge(search *s, int node, int edge) {
  const int other = other_node(s, edge, node);
  if (edge == s->by[node]) return;
  if (s->entered[other] == 0) {
    s->seen[s->seen_count++] = edge;
    enter_node(s, other, edge);
  } else if (s->entered[other] < s->entered[node]) {
    s->seen[s->seen_count++] = edge;
    if (s->entered[other] < s->low[node]) s->low[node] = s->entered[other];
  }
}

/* Nothing below leads above `above`: all edges since are one block, and `above` is a cut node. */
static void leave_node(search *s, int node) {
  s->depth--;
  if (s->by[node] == NONE) return;
  const int above = other_node(s, s->by[node], node);
  if (s->low[node] < s->low[above]) s->low[above] = s->low[node];
  if (s->low[node] >= s->entered[above]) close_block(s, s->by[node]);
}

static int *blocks_take(flg_region *region, int count) {
  return flg_region_take(region, (size_t)count, sizeof(int));
}

/* With a stack instead of recursion: chains of 100,000 bodies would overflow that of the
 * process. */
bool flg_blocks_find(flg_blocks *blocks, int node_count, const flg_edge *edges, int edge_count,
                     flg_region *region) {
  *blocks = (flg_blocks){.first = blocks_take(region, edge_count + 1),
                         .edges = blocks_take(region, edge_count)};
  search s = {.edges = edges,
              .blocks = blocks,
              .start = blocks_take(region, node_count + 1),
              .around = blocks_take(region, 2 * edge_count),
              .next = blocks_take(region, node_count),
              .entered = blocks_take(region, node_count),
              .low = blocks_take(region, node_count),
              .by = blocks_take(region, node_count),
              .stack = blocks_take(region, node_count),
              .seen = blocks_take(region, edge_count)};
  if (region->failed) return false;
  list_edges(&s, node_count, edge_count);
  for (int root = 0; root < node_count; root++) {
    if (s.entered[root] == 0) enter_node(&s, root, NONE);
    while (s.depth > 0) {
      const int node = s.stack[s.depth - 1];
      if (s.next[node] < s.start[node + 1]) {
        follow_edge(&s, node, s.around[s.next[node]++]);
      } else {
        leave_node(&s, node);
      }
    }
  }
  return true;
}
