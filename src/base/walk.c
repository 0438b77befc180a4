/* Both walks are lists of ways through the tasks, taken by tickets.
 *
 * Up: a way begins at a task without children, and the thread that finishes the last child of a
 * task goes on with that task. No thread ever waits: what is ready is being worked on, or is a leaf
 * that no thread has taken yet.
 *
 * Down: the thread that finishes a task goes on with its tallest child, and puts the others on the
 * list of ready ways. A thread waits only if nothing is ready.
 */
#include "base/pool.h"
#include "base/tree.h"

/* The counters are apart from each other, and from what all read. */
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
typedef struct walk_job {
  flg_threads *threads;
  const flg_tree *tree;
  flg_threads_body *body;
  void *context;
  _Alignas(FLG_CACHE_LINE) atomic_int ticket; /* the next way to take */
  _Alignas(FLG_CACHE_LINE) atomic_int listed; /* ways down that are on the ready list */
} walk_job;

static int take_ticket(walk_job *job) {
  return atomic_fetch_add_explicit(&job->ticket, 1, memory_order_relaxed);
}

/* Nodes are ordered parents first: forwards is down, backwards is up. */
static void walk_nodes_down(const walk_job *job, int first, int count) {
  const int *node = job->tree->order + first;
  for (int k = 0; k < count; k++) job->body(job->context, node[k]);
}

static void walk_nodes_up(const walk_job *job, int first, int count) {
  const int *node = job->tree->order + first;
  for (int k = count - 1; k >= 0; k--) job->body(job->context, node[k]);
}

/* The parent, if all its children are done now; its count is then made ready for the next walk. */
static int released_parent(const flg_tree *tree, int task) {
  const int parent = tree->tasks[task].parent;
  if (parent < 0) return FLG_TREE_NONE;
  flg_tree_task *waiter = &tree->tasks[parent];
  if (atomic_fetch_sub_explicit(&waiter->waiting, 1, memory_order_acq_rel) > 1) {
    return FLG_TREE_NONE;
  }
  atomic_store_explicit(&waiter->waiting, waiter->children, memory_order_relaxed);
  return parent;
}

static void work_up(void *argument) {
  walk_job *job = argument;
  const flg_tree *tree = job->tree;
  for (int way; (way = take_ticket(job)) < tree->leaf_count;) {
    for (int task = tree->ways[way].leaf; task >= 0; task = released_parent(tree, task)) {
      walk_nodes_up(job, tree->tasks[task].first, tree->tasks[task].count);
    }
  }
}

static void list_ready(walk_job *job, int task) {
  if (task < 0) return;
  for (; task >= 0; task = job->tree->tasks[task].sibling) {
    const int way = atomic_fetch_add_explicit(&job->listed, 1, memory_order_relaxed);
    atomic_store(&job->tree->ways[way].ready, task);
  }
  flg_bell_ring(&job->threads->ready);
}

/* The first task of a way down, as soon as it is listed; its place is then empty again. */
static int await_ready(walk_job *job, int way) {
  flg_threads *threads = job->threads;
  atomic_int *ready = &job->tree->ways[way].ready;
  flg_bell_wait(&threads->ready, ready, FLG_TREE_NONE, threads->spins);
  const int task = atomic_load_explicit(ready, memory_order_acquire);
  atomic_store_explicit(ready, FLG_TREE_NONE, memory_order_relaxed);
  return task;
}

static void work_down(void *argument) {
  walk_job *job = argument;
  const flg_tree_task *tasks = job->tree->tasks;
  for (int way; (way = take_ticket(job)) < job->tree->leaf_count;) {
    for (int task = await_ready(job, way); task >= 0; task = tasks[task].child) {
      walk_nodes_down(job, tasks[task].first, tasks[task].count);
      if (tasks[task].child >= 0) list_ready(job, tasks[tasks[task].child].sibling);
    }
  }
}

/* With a single way there is nothing to share. */
static bool is_inline(const walk_job *job) {
  return job->tree->leaf_count <= 1 || flg_pool_is_inline(job->threads);
}

void flg_threads_walk_up(flg_threads *threads, const flg_tree *tree, flg_threads_body *body,
                         void *context) {
  if (tree == NULL || body == NULL) return;
  walk_job job = {.threads = threads, .tree = tree, .body = body, .context = context};
  if (is_inline(&job)) {
    walk_nodes_up(&job, 0, tree->count);
  } else {
    flg_pool_run(threads, work_up, &job);
  }
}

void flg_threads_walk_down(flg_threads *threads, const flg_tree *tree, flg_threads_body *body,
                           void *context) {
  if (tree == NULL || body == NULL) return;
  walk_job job = {.threads = threads, .tree = tree, .body = body, .context = context};
  if (is_inline(&job)) {
    walk_nodes_down(&job, 0, tree->count);
  } else {
    list_ready(&job, tree->first_root);
    flg_pool_run(threads, work_down, &job);
  }
}
