/* Pieces are sets of parts, joined until none has a neighbour. Groups are worked off from the
 * innermost outwards, each with the joints that lie in it and in none of its groups; a group that
 * is not connected is handed on in several pieces.
 *
 * A round takes time in proportion to the joints that are still open in the group. A balanced round
 * leaves at most half of the pieces that have neighbours, so that all rounds together are linear
 * where joints vanish as fast as pieces do, on chains and trees.
 *
 * A joint between two pieces can be closed by joining them. One between three or four only
 * connects: a piece follows it where it has no other joint, from end to end in the order of their
 * numbers. It counts as one between two as soon as its ends have come together so far. */
#include "interface/plan_order.h"

#include <string.h>

/* A joint that is still open: the pieces at its ends, each once. */
typedef struct tie {
  int count;
  int piece[FLG_JOINT_ENDS_MAX];
} tie;

/* pieces by place, and their neighbours in compressed rows */
typedef struct adjacency {
  int *first; /* (parts + 1) */
  int *other; /* places */
} adjacency;

typedef struct joining {
  const flg_graph *graph;
  flg_plan_merge *merges;
  int merge_count;
  int *up;    /* (parts) a part of the same piece, nearer to its representative */
  int *node;  /* (parts) the node that a representative stands for */
  tie *parts; /* (joints) that each joint has ends on */
  tie *ties;  /* (joints) those of a group side by side */
  /* the graph of one round: pieces are representatives, as the ties name them */
  int piece_count, is_any_wide;
  int *piece;      /* (parts) */
  int *place;      /* (parts) where a representative stands in `piece`; valid if piece says so */
  adjacency pairs; /* by joints between two pieces */
  adjacency wide;  /* by joints between more */
  int *partner;    /* (parts) by place: matched with, or reached from */
  int *queue;      /* (parts) places */
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

static int place_of_piece(joining *j, int piece) {
  int *place = &j->place[piece];
  if (*place >= j->piece_count || j->piece[*place] != piece) {
    *place = j->piece_count++;
    j->piece[*place] = piece;
  }
  return *place;
}

static void add_piece(tie *list, int piece) {
  for (int e = 0; e < list->count; e++) {
    if (list->piece[e] == piece) return;
  }
  list->piece[list->count++] = piece;
}

static void sort_pieces(tie *list) {
  for (int e = 1; e < list->count; e++) {
    const int piece = list->piece[e];
    int at = e;
    for (; at > 0 && list->piece[at - 1] > piece; at--) list->piece[at] = list->piece[at - 1];
    list->piece[at] = piece;
  }
}

/* Drops ties inside a piece; the others then name representatives. Returns how many are left. */
static int shrink_ties(const joining *j, tie *ties, int count) {
  int left = 0;
  for (int k = 0; k < count; k++) {
    tie shrunk = {0};
    for (int e = 0; e < ties[k].count; e++) {
      add_piece(&shrunk, representative(j, ties[k].piece[e]));
    }
    if (shrunk.count > 2) sort_pieces(&shrunk);
    if (shrunk.count > 1) ties[left++] = shrunk;
  }
  return left;
}

/* by ties between two pieces, or by those between more, each as a path */
static void collect_neighbours(joining *j, const tie *ties, int count, int is_wide,
                               adjacency *near) {
  int *first = near->first, *next = j->queue;
  memset(first, 0, ((size_t)j->piece_count + 1) * sizeof(int));
  for (int k = 0; k < count; k++) {
    if ((ties[k].count > 2) != is_wide) continue;
    for (int e = 0; e + 1 < ties[k].count; e++) {
      first[place_of_piece(j, ties[k].piece[e]) + 1]++;
      first[place_of_piece(j, ties[k].piece[e + 1]) + 1]++;
    }
  }
  for (int p = 0; p < j->piece_count; p++) first[p + 1] += first[p];
  memcpy(next, first, (size_t)j->piece_count * sizeof(int)); /* where the next one goes */
  for (int k = 0; k < count; k++) {
    if ((ties[k].count > 2) != is_wide) continue;
    for (int e = 0; e + 1 < ties[k].count; e++) {
      const int a = place_of_piece(j, ties[k].piece[e]),
                b = place_of_piece(j, ties[k].piece[e + 1]);
      near->other[next[a]++] = b;
      near->other[next[b]++] = a;
    }
  }
}

static void draw_round(joining *j, const tie *ties, int count) {
  j->piece_count = j->is_any_wide = 0;
  for (int k = 0; k < count; k++) {
    for (int e = 0; e < ties[k].count; e++) (void)place_of_piece(j, ties[k].piece[e]);
    if (ties[k].count > 2) j->is_any_wide = 1;
  }
  collect_neighbours(j, ties, count, 0, &j->pairs);
  if (j->is_any_wide) collect_neighbours(j, ties, count, 1, &j->wide);
}

/* --- balanced ----------------------------------------------------------------------------------
 */

static int has_pair(const joining *j, int p) {
  return j->pairs.first[p + 1] > j->pairs.first[p];
}

/* a piece looks to those with which it can close a joint; if there is none, to any other */
static const adjacency *neighbours_of_piece(const joining *j, int p) {
  return has_pair(j, p) ? &j->pairs : &j->wide;
}

static int has_one_neighbour(const joining *j, int p) {
  const adjacency *near = neighbours_of_piece(j, p);
  for (int k = near->first[p] + 1; k < near->first[p + 1]; k++) {
    if (near->other[k] != near->other[near->first[p]]) return 0;
  }
  return 1;
}

/* the neighbour with the fewest joints, the first of equals; unmatched ones only, or any */
static int lightest_neighbour(const joining *j, int p, int only_unmatched) {
  const adjacency *near = neighbours_of_piece(j, p);
  int best = FLG_PLAN_NONE, least = 0;
  for (int k = near->first[p]; k < near->first[p + 1]; k++) {
    const int other = near->other[k], joints = near->first[other + 1] - near->first[other];
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

/* Ends of branches first: they only get smaller by being joined. A branch without a partner has
 * only matched neighbours, and joins one of them. */
static void join_by_matching(joining *j) {
  for (int p = 0; p < j->piece_count; p++) j->partner[p] = FLG_PLAN_NONE;
  for (int p = 0; p < j->piece_count; p++) {
    if (has_pair(j, p) && has_one_neighbour(j, p)) match(j, p);
  }
  for (int p = 0; p < j->piece_count; p++) {
    if (has_pair(j, p)) match(j, p);
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

/* the neighbours of p that are not reached yet; the new end of the queue */
static int queue_neighbours(joining *j, const adjacency *near, int p, int end) {
  for (int k = near->first[p]; k < near->first[p + 1]; k++) {
    const int other = near->other[k];
    if (j->partner[other] != FLG_PLAN_NONE) continue;
    j->partner[other] = p;
    j->queue[end++] = other;
  }
  return end;
}

/* All that is connected with `start`, nearest first, from `from` in the queue on, by pairs as far
 * as they lead; partner becomes the place from which each was reached. Returns the end of the
 * queue.
 */
static int queue_component(joining *j, int start, int from) {
  int at = from, at_wide = from, end = from;
  j->partner[start] = start;
  j->queue[end++] = start;
  while (at < end || (at_wide < end && j->is_any_wide)) {
    if (at < end) {
      end = queue_neighbours(j, &j->pairs, j->queue[at++], end);
    } else {
      end = queue_neighbours(j, &j->wide, j->queue[at_wide++], end);
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

static void join_group(joining *j, flg_plan_order order, tie *ties, int count) {
  while ((count = shrink_ties(j, ties, count)) > 0) {
    draw_round(j, ties, count);
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

/* the parts of a joint; if it is only one, the joint is an inner one */
static tie tie_of(const flg_graph_joint *joint) {
  tie parts = {0};
  for (int e = 0; e < joint->ends; e++) {
    if (joint->end[e].part != FLG_GROUND) add_piece(&parts, joint->end[e].part);
  }
  return parts;
}

static int group_of(const flg_graph *graph, const tie *parts) {
  int group = graph->parts[parts->piece[0]].group;
  for (int e = 1; e < parts->count; e++) {
    group = common_group(graph, group, graph->parts[parts->piece[e]].group);
  }
  return group;
}

/* Ties sorted by group: those of group g at start[g + 1] .. start[g + 2] - 1; no group is -1. */
static void sort_ties(joining *j, int *start) {
  const flg_graph *graph = j->graph;
  for (int k = 0; k < graph->joint_count; k++) {
    if (j->parts[k].count > 1) start[group_of(graph, &j->parts[k]) + 2]++;
  }
  for (int g = 0; g <= graph->group_count; g++) start[g + 1] += start[g];
  for (int k = 0; k < graph->joint_count; k++) {
    const tie *parts = &j->parts[k];
    if (parts->count > 1) j->ties[start[group_of(graph, parts) + 1]++] = *parts;
  }
  for (int g = graph->group_count; g >= 0; g--) start[g + 1] = start[g];
  start[0] = 0;
}

static int *plan_order_take(flg_region *region, int count) {
  return flg_region_take(region, (size_t)count, sizeof(int));
}

/* two entries for each stretch of the path along a joint with more than two ends */
static int wide_room(const flg_graph *graph) {
  int room = 0;
  for (int k = 0; k < graph->joint_count; k++) {
    const int ends = graph->joints[k].ends;
    if (ends > 2) room += 2 * (ends - 1);
  }
  return room;
}

static joining begin_joining(const flg_graph *graph, flg_region *region, flg_plan_merge *merges) {
  const int parts = graph->part_count, joints = graph->joint_count;
  joining j = {.graph = graph, .merges = merges};
  j.up = plan_order_take(region, parts), j.node = plan_order_take(region, parts);
  j.parts = flg_region_take(region, (size_t)joints, sizeof(tie));
  j.ties = flg_region_take(region, (size_t)joints, sizeof(tie));
  j.place = plan_order_take(region, parts), j.piece = plan_order_take(region, parts);
  j.pairs = (adjacency){plan_order_take(region, parts + 1), plan_order_take(region, 2 * joints)};
  j.wide =
      (adjacency){plan_order_take(region, parts + 1), plan_order_take(region, wide_room(graph))};
  j.partner = plan_order_take(region, parts), j.queue = plan_order_take(region, parts);
  return j;
}

static void list_pieces(joining *j, unsigned char *is_joined) {
  for (int k = 0; k < j->graph->joint_count; k++) {
    const tie parts = j->parts[k] = tie_of(&j->graph->joints[k]);
    for (int e = 0; e < parts.count && parts.count > 1; e++) is_joined[parts.piece[e]] = 1;
  }
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
    if (j->parts[k].count == 1 && j->node[part] == part) reduce_part(j, part);
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
  joining j = begin_joining(graph, region, merges);
  int *start = plan_order_take(region, graph->group_count + 3);
  unsigned char *is_joined = flg_region_take(region, (size_t)graph->part_count, 1);
  int *number = plan_order_take(region, 2 * graph->part_count),
      *stack = plan_order_take(region, 2 * graph->part_count);
  flg_plan_merge *old = flg_region_take(region, 2 * (size_t)graph->part_count, sizeof *old);
  if (region->failed) return -1;
  list_pieces(&j, is_joined);
  reduce_parts(&j, is_joined);
  sort_ties(&j, start);
  /* group g - 1: inner groups have larger numbers */
  for (int g = graph->group_count; g >= 0; g--) {
    join_group(&j, order, j.ties + start[g], start[g + 1] - start[g]);
  }
  sort_merges(&j, number, stack, old);
  return j.merge_count;
}
