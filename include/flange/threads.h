/* threads.h - a pool of threads for the loops and the tree walks of a step.
 *
 *     flg_threads_for         body(context, index) for each index 0 .. count-1
 *     flg_threads_walk_up     body(context, node), every node after all of its children
 *     flg_threads_walk_down   body(context, node), every node after its parent
 *
 * Each index or node is handed to the body exactly once, by any of the threads. A body writes only
 * what belongs to its own index, and reads only what was there before the call or what belongs to
 * nodes it comes after: the result is then bitwise the same for any number of threads.
 *
 * Set-up calls can fail and say why. Step calls neither fail nor allocate, and take no lock unless
 * a thread has gone to sleep for want of work. When a call returns, all bodies have returned, and
 * the caller sees what they wrote.
 *
 * There may be several pools; each serves one caller at a time, and so does a tree. A call from
 * inside a body runs in the thread that makes it, whichever pool it names.
 */
#ifndef FLG_THREADS_H
#define FLG_THREADS_H

#include <stddef.h>

#include "flange/arena.h"
#include "flange/status.h"

/* threads of a pool, at most */
enum { FLG_THREADS_MAX = 256 };

/* A pool of threads. */
typedef struct flg_threads flg_threads;
/* What is done with an index or a node. */
typedef void flg_threads_body(void *context, int index);

/* Set-up: a pool of count threads, the caller included; 0: one for each core. With 1, everything
 * runs in the caller. The threads take no signals but their own faults, and keep the floating-point
 * mode (rounding, flush to zero) of the thread that builds them. Release with flg_threads_release.
 */
FLG_API flg_status flg_threads_build(flg_threads **threads, int count, flg_error *error);
/* Set-up: ends the threads and frees the pool; NULL is allowed. */
FLG_API void flg_threads_release(flg_threads *threads);
/* Threads of the pool, the caller included; 1 for NULL. */
FLG_API int flg_threads_count(const flg_threads *threads);

/* A forest whose walks are shared out in tasks: small subtrees are put together, long branches
 * cut. The fields are for the walks alone. */
typedef struct flg_tree {
  int count;      /* nodes */
  int task_count; /* pieces of work */
  int leaf_count; /* tasks that no other hangs on: the ways down through the tasks */
  int first_root; /* the list of tasks without a parent; -1 if there are none */
  int *order;     /* nodes, task by task, parents first    (count),      in the arena */
  struct flg_tree_task
      *tasks;                /* tasks, parents first                  (task_count), in the arena */
  struct flg_tree_way *ways; /* where ways up begin, and a ready list (leaf_count), in the arena */
} flg_tree;

/* Set-up: bytes that a build for count nodes takes from the arena; 0 if count is negative. */
FLG_API size_t flg_tree_bytes(int count);
/* Set-up: parent[i] is the index of i's parent, or -1 for a root; any order, any number of roots,
 * count 0 allowed. FLG_ERR_RANGE if a parent is not a node, or a node is its own ancestor; a failed
 * call changes nothing but *error. The array is not needed afterwards. */
FLG_API flg_status flg_tree_build(flg_tree *tree, const int *parent, int count, flg_arena *arena,
                                  flg_error *error);

/* Step: body(context, index) for each index. threads may be NULL: everything runs in the caller. */
FLG_API void flg_threads_for(flg_threads *threads, int count, flg_threads_body *body,
                             void *context);
/* Step: the same for nodes of a tree, each after all of its children. */
FLG_API void flg_threads_walk_up(flg_threads *threads, const flg_tree *tree, flg_threads_body *body,
                                 void *context);
/* Step: the same, each after its parent. */
FLG_API void flg_threads_walk_down(flg_threads *threads, const flg_tree *tree,
                                   flg_threads_body *body, void *context);

#endif
