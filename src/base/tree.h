/* tree.h - the inside of flg_tree: tasks, each a few nodes that one thread walks in one go. */
#ifndef FLG_BASE_TREE_H
#define FLG_BASE_TREE_H

#include <stdatomic.h>

#include "base/walk.h"

enum { FLG_TREE_NONE = -1 };

typedef struct flg_tree_task {
  int first, count;   /* its nodes: order[first .. first + count - 1], parents first */
  int parent;         /* the task it hangs on; its nodes' parents are all in there, or in itself */
  int child, sibling; /* the tasks that hang on it: the tallest, then a list of the others */
  int children;       /* their number */
  int height;         /* nodes on the longest way down from here, counting whole tasks */
  atomic_int waiting; /* children not yet done on the way up; `children` between walks */
} flg_tree_task;

/* A task without children begins a way up, which goes on as far as no other child is waited for.
 * A way down begins at a root or at any child but the tallest, and goes on to the tallest: there
 * are as many. */
typedef struct flg_tree_way {
  int leaf;         /* where way k up begins: the longest way to a root comes first */
  atomic_int ready; /* where way k down begins, once it may; FLG_TREE_NONE before, and between */
} flg_tree_way;

#endif
