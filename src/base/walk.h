/* walk.h - trees whose nodes the threads of a pool walk, up or down.
 *
 *     flg_threads_walk_up     body(context, node), every node after all of its children
 *     flg_threads_walk_down   body(context, node), every node after its parent
 *
 * A body reads what belongs to nodes it comes after, and writes only what is its own node's: the
 * result is then bitwise the same for any number of threads. A tree serves one caller at a time.
 */
#ifndef FLG_BASE_WALK_H
#define FLG_BASE_WALK_H

#include "base/region.h"
#include "flange/threads.h"

/* A forest whose walks are shared out in tasks: small subtrees are put together, long branches
 * cut. The fields are for the walks alone. */
typedef struct flg_tree {
  int count;      /* nodes */
  int task_count; /* pieces of work */
  int leaf_count; /* tasks that no other hangs on: the ways down through the tasks */
  int first_root; /* the list of tasks without a parent; -1 if there are none */
  int *order;     /* nodes, task by task, parents first    (count),      in the region */
  struct flg_tree_task
      *tasks;                /* tasks, parents first                  (task_count), in the region */
  struct flg_tree_way *ways; /* where ways up begin, and a ready list (leaf_count), in the region */
} flg_tree;

/* Set-up: parent[i] is the index of i's parent, or -1 for a root; any order, any number of roots,
 * count 0 allowed. FLG_ERR_RANGE if a parent is not a node, or a node is its own ancestor; a failed
 * call changes nothing but *error. The array is not needed afterwards. */
flg_status flg_tree_build(flg_tree *tree, const int *parent, int count, flg_region *region,
                          flg_error *error);

/* Step: body(context, node) for each node, after all of its children. threads may be NULL. */
void flg_threads_walk_up(flg_threads *threads, const flg_tree *tree, flg_threads_body *body,
                         void *context);
/* Step: the same, each after its parent. */
void flg_threads_walk_down(flg_threads *threads, const flg_tree *tree, flg_threads_body *body,
                           void *context);

#endif
