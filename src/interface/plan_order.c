/* Pieces are sets of parts, joined until none has a neighbour. Groups are worked off from the
 * innermost outwards, each with the joints that lie in it and in none of its groups; a group that
 * is not connected is handed on in several pieces.
 *
 * A round takes time in proportion to the joints that are still open in the group. A balanced round
 * leaves at most half of the pieces that have neighbours, so that all rounds together are linear
 * where joints vanish as fast as pieces do, on chains and trees. */
#include "interface/plan_order.h"

#include <string.h>

typedef struct joining {
  const flg_graph *graph;
  flg_plan_merge *merges;
  int merge_count;
  int *up;   /* (parts) a part of the same piece, nearer to its representative */
  int *node; /* (parts) the node that a representative stands for */
  /* the joints of one group, and the pieces at their ends, as a graph in compressed rows */
  int *edge;      /* (2 joints) ends: representatives; those of a group side by side */
  int *place;     /* (parts) where a representative stands in `piece`; valid if piece says so */
  int *piece;     /* (parts) representatives, as the edges name them */
  int *first;     /* (parts + 1) of its neighbours */
  int *neighbour; /* (2 joints) places in `piece` */
  int *partner;   /* (parts) by place: matched with, or reached from */
  int *queue;     /* (parts) places */
  int piece_count;
} joining;

/* --- pieces ------------------------------------------------------------------------------------
 */

static int representative(const joining *j, int part) {
  int *up = j->up;
  while (up[part] != part) part = up[part] = up[up[part]];
  return part;
}

static void reduce_part(joining *j, int part) {
  j->merges[j->merge_count] = (flg_plan_merge){{j->node[part], FLG_PLAN_NONE}};
  j->node[part] = j->graph->part_count + j->merge_count++;
}

static void join_pieces(joining *j, int a, int b) {
  const int low = a < b ? a : b, high = a < b ? b : a;
  j->merges[j->merge_count] = (flg_plan_merge){{j->node[low], j->node[high]}};
  j->node[low] = j->graph->part_count + j->merge_count++;
  j->up[high] = low;
}

/* --- the graph of one round --------------------------------------------------------------------
 */

static int place_of(joining *j, int piece) {
  int *place = &j->place[piece];
  if (*place >= j->piece_count || j->piece[*place] != piece) {
    *place = j->piece_count++;
    j->piece[*place] = piece;
  }
  return *place;
}

/* Drops edges inside a piece; the others then name representatives. Returns how many are left. */
static int shrink_edges(const joining *j, int *edge, int count) {
  int left = 0;
  for (int k = 0; k < count; k++) {
    const int a = representative(j, edge[2 * k]), b = representative(j, edge[2 * k + 1]);
    if (a == b) continue;
    edge[2 * left] = a, edge[2 * left + 1] = b;
    left++;
  }
  return left;
}

static void collect_neighbours(joining *j, const int *edge, int count) {
  j->piece_count = 0;
  for (int k = 0; k < 2 * count; k++) (void)place_of(j, edge[k]);
  memset(j->first, 0, ((size_t)j->piece_count + 1) * sizeof(int));
  for (int k = 0; k < 2 * count; k++) j->first[place_of(j, edge[k]) + 1]++;
  for (int p = 0; p < j->piece_count; p++) j->first[p + 1] += j->first[p];
  memcpy(j->queue, j->first, (size_t)j->piece_count * sizeof(int)); /* where the next one goes */
  for (int k = 0; k < count; k++) {
    const int a = place_of(j, edge[2 * k]), b = place_of(j, edge[2 * k + 1]);
    j->neighbour[j->queue[a]++] = b;
    j->neighbour[j->queue[b]++] = a;
  }
}

/* --- balanced ----------------------------------------------------------------------------------
 */

static int has_one_neighbour(const joining *j, int p) {
  for (int k = j->first[p] + 1; k < j->first[p + 1]; k++) {
    if (j->neighbour[k] != j->neighbour[j->first[p]]) return 0;
  }
  return 1;
}

/* the neighbour with the fewest joints, the first of equals; unmatched ones only, or any */
static int lightest_neighbour(const joining *j, int p, int only_unmatched) {
  int best = FLG_PLAN_NONE, least = 0;
  for (int k = j->first[p]; k < j->first[p + 1]; k++) {
    const int other = j->neighbour[k], joints = j->first[other + 1] - j->first[other];
    if (only_unmatched && j->partner[other] != FLG_PLAN_NONE) continue;
    if (best == FLG_PLAN_NONE || joints < least) best = other, least = joints;
  }
  return best;
}

static void match(joining *j, int p) {
  if (j->partner[p] != FLG_PLAN_NONE) return;
  const int other = lightest_neighbour(j, p, 1);
  if (other == FLG_PLAN_NONE) return;
  j->partner[p] = other, j->partner[other] = p;
  join_pieces(j, representative(j, j->piece[p]), representative(j, j->piece[other]));
}

/* Ends of branches first: they only get smaller by being joined. Who finds no partner has only
 * matched neighbours, and joins one of them. */
static void join_by_matching(joining *j) {
  for (int p = 0; p < j->piece_count; p++) j->partner[p] = FLG_PLAN_NONE;
  for (int p = 0; p < j->piece_count; p++) {
    if (has_one_neighbour(j, p)) match(j, p);
  }
  for (int p = 0; p < j->piece_count; p++) match(j, p);
  for (int p = 0; p < j->piece_count; p++) {
    if (j->partner[p] != FLG_PLAN_NONE) continue;
    const int other = lightest_neighbour(j, p, 0);
    join_pieces(j, representative(j, j->piece[p]), representative(j, j->piece[other]));
  }
}

/* --- sequential --------------------------------------------------------------------------------
 */

/* All that is connected with `start`, nearest first, from `from` in the queue on; partner becomes
 * the place from which each was reached. Returns the end of the queue. */
static int queue_component(joining *j, int start, int from) {
  int end = from;
  j->partner[start] = start;
  j->queue[end++] = start;
  for (int at = from; at < end; at++) {
    const int p = j->queue[at];
    for (int k = j->first[p]; k < j->first[p + 1]; k++) {
      const int other = j->neighbour[k];
      if (j->partner[other] != FLG_PLAN_NONE) continue;
      j->partner[other] = p;
      j->queue[end++] = other;
    }
  }
  return end;
}

/* farthest first, each to where it was reached from */
static void join_by_distance(joining *j) {
  int end = 0;
  for (int p = 0; p < j->piece_count; p++) j->partner[p] = FLG_PLAN_NONE;
  for (int p = 0; p < j->piece_count; p++) {
    if (j->partner[p] == FLG_PLAN_NONE) end = queue_component(j, p, end);
  }
  for (int at = end - 1; at >= 0; at--) {
    const int p = j->queue[at], towards = j->partner[p];
    if (towards == p) continue;
    join_pieces(j, representative(j, j->piece[p]), representative(j, j->piece[towards]));
  }
}

/* --- groups ------------------------------------------------------------------------------------
 */

static void join_group(joining *j, flg_plan_order order, int *edge, int count) {
  while ((count = shrink_edges(j, edge, count)) > 0) {
    collect_neighbours(j, edge, count);
    if (order == FLG_PLAN_SEQUENTIAL) {
      join_by_distance(j);
    } else {
      join_by_matching(j);
    }
  }
}

/* the innermost group around both; groups around a group have smaller numbers */
static int common_group(const flg_graph *graph, int a, int b) {
  while (a != b) {
    if (a > b) {
      a = graph->group_parent[a];
    } else {
      b = graph->group_parent[b];
    }
  }
  return a;
}

static int is_inner(const flg_graph_joint *joint) {
  return joint->end[1].part == FLG_GROUND || joint->end[0].part == joint->end[1].part;
}

static int group_of(const flg_graph *graph, const flg_graph_joint *joint) {
  return common_group(graph, graph->parts[joint->end[0].part].group,
                      graph->parts[joint->end[1].part].group);
}

/* Edges sorted by group: those of group g at start[g + 1] .. start[g + 2] - 1; no group is -1. */
static void sort_edges(joining *j, int *start) {
  const flg_graph *graph = j->graph;
  for (int k = 0; k < graph->joint_count; k++) {
    if (!is_inner(&graph->joints[k])) start[group_of(graph, &graph->joints[k]) + 2]++;
  }
  for (int g = 0; g <= graph->group_count; g++) start[g + 1] += start[g];
  for (int k = 0; k < graph->joint_count; k++) {
    const flg_graph_joint *joint = &graph->joints[k];
    if (is_inner(joint)) continue;
    int *edge = &j->edge[2 * start[group_of(graph, joint) + 1]++];
    edge[0] = joint->end[0].part, edge[1] = joint->end[1].part;
  }
  for (int g = graph->group_count; g >= 0; g--) start[g + 1] = start[g];
  start[0] = 0;
}

static int *take(flg_region *region, int count) {
  return flg_region_take(region, (size_t)count, sizeof(int));
}

static joining begin(const flg_graph *graph, flg_region *region, flg_plan_merge *merges) {
  const int parts = graph->part_count, joints = graph->joint_count;
  joining j = {.graph = graph, .merges = merges};
  j.up = take(region, parts), j.node = take(region, parts);
  j.edge = take(region, 2 * joints), j.neighbour = take(region, 2 * joints);
  j.place = take(region, parts), j.piece = take(region, parts);
  j.first = take(region, parts + 1);
  j.partner = take(region, parts), j.queue = take(region, parts);
  return j;
}

/* Parts with inner joints are reduced first, and parts without joints too: what comes out at a root
 * has outer ports and contacts only. */
static void reduce_parts(joining *j, const unsigned char *is_joined) {
  const flg_graph *graph = j->graph;
  for (int p = 0; p < graph->part_count; p++) {
    j->up[p] = j->node[p] = p;
    if (!is_joined[p]) reduce_part(j, p);
  }
  for (int k = 0; k < graph->joint_count; k++) {
    const int part = graph->joints[k].end[0].part;
    if (is_inner(&graph->joints[k]) && j->node[part] == part) reduce_part(j, part);
  }
}

/* --- numbers ------------------------------------------------------------------------------------
 */

/* the children of a merge that are merges themselves go on the stack */
static int push_children(const flg_plan_merge *merge, int parts, int *stack, int top) {
  for (int c = 0; c < 2; c++) {
    if (merge->child[c] >= parts) stack[top++] = merge->child[c] - parts;
  }
  return top;
}

/* Renumbers the merges so that each follows right after what is below it: rounds number them by
 * level, and a walk would jump through memory. A preorder from the roots, backwards, is such an
 * order. */
static void sort_merges(joining *j, int *number, int *stack, flg_plan_merge *old) {
  const int count = j->merge_count, parts = j->graph->part_count;
  int next = count, top = 0;
  memcpy(old, j->merges, (size_t)count * sizeof *old);
  for (int e = 0; e < count; e++) number[e] = FLG_PLAN_NONE;
  for (int e = count - 1; e >= 0; e--) { /* children come first: an unnumbered one is a root */
    if (number[e] != FLG_PLAN_NONE) continue;
    for (stack[top++] = e; top > 0;) {
      const int merge = stack[--top];
      number[merge] = --next;
      top = push_children(&old[merge], parts, stack, top);
    }
  }
  for (int e = 0; e < count; e++) {
    flg_plan_merge *merge = &j->merges[number[e]];
    *merge = old[e];
    for (int c = 0; c < 2; c++) {
      if (merge->child[c] >= parts) merge->child[c] = parts + number[merge->child[c] - parts];
    }
  }
}

int flg_plan_order_merges(const flg_graph *graph, flg_plan_order order, flg_region *region,
                          flg_plan_merge *merges) {
  joining j = begin(graph, region, merges);
  int *start = take(region, graph->group_count + 3);
  unsigned char *is_joined = flg_region_take(region, (size_t)graph->part_count, 1);
  int *number = take(region, 2 * graph->part_count), *stack = take(region, 2 * graph->part_count);
  flg_plan_merge *old = flg_region_take(region, 2 * (size_t)graph->part_count, sizeof *old);
  if (region->failed) return -1;
  for (int k = 0; k < graph->joint_count; k++) {
    const flg_graph_joint *joint = &graph->joints[k];
    if (!is_inner(joint)) is_joined[joint->end[0].part] = is_joined[joint->end[1].part] = 1;
  }
  reduce_parts(&j, is_joined);
  sort_edges(&j, start);
  for (int g = graph->group_count; g >= 0;
       g--) { /* group g - 1: inner groups have larger numbers */
    join_group(&j, order, j.edge + 2 * start[g], start[g + 1] - start[g]);
  }
  sort_merges(&j, number, stack, old);
  return j.merge_count;
}
