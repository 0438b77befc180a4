/* How a forest becomes tasks. Let a node be *light* if its subtree has at most `grain` nodes, and
 * in the *trunk* otherwise.
 *
 *   - Trunk nodes: a branch of the trunk is cut into lengths of grain nodes, and at its forks.
 *   - Light subtrees: those that hang on the same length of trunk are put together, up to grain
 *     nodes a task. Light trees of the forest likewise.
 *
 * Nothing of the forest's parallelism is lost but within grain nodes, and the number of tasks is
 * at most 6 count/grain + 1: there are at most count/(grain + 1) tips of the trunk, twice as many
 * forked-off branches, and count/grain cuts; of the tasks of light subtrees on one length of trunk
 * any two neighbours hold more than grain nodes.
 */
#include "base/tree.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* With 256 tasks the last ones still find all threads at work, and the 100 ns that a task costs
 * vanish in the time of 64 nodes. Below 512 nodes each is a task: its body may be heavy. */
enum { TASKS_WANTED = 256, GRAIN_MAX = 64 };

static int grain_of(int count) {
  const int grain = count / TASKS_WANTED;
  if (grain < 1) return 1;
  return grain < GRAIN_MAX ? grain : GRAIN_MAX;
}

static int task_limit(int count) {
  const int64_t limit = (int64_t)6 * count / grain_of(count) + 1;
  return limit < count ? (int)limit : count;
}

/* The state of building a tree. */
typedef struct layout {
  const int *parent;
  int count, grain;
  flg_tree_task *tasks;
  int task_count;
  int *sorted; /* nodes, parents first                                      (count) */
  int *weight; /* nodes in the subtree                                      (count) */
  int *forks;  /* children; once sorted, children in the trunk              (count) */
  int *task;   /* the task of a node                                        (count) */
  int *open;   /* the task of light subtrees being filled, for each task that they hang on, shifted
                  by one: open[0] is for roots                              (task_limit + 1) */
} layout;

static flg_status check_parents(const int *parent, int count, flg_error *error) {
  for (int node = 0; node < count; node++) {
    if (parent[node] >= FLG_TREE_NONE && parent[node] < count) continue;
    return flg_fail(error, FLG_ERR_RANGE,
                    "The parent of node %d is %d, which is neither one of the %d nodes nor -1.",
                    node, parent[node], count);
  }
  return FLG_OK;
}

/* Strips leaves from the forest until none are left, last to first into `sorted`. What cannot be
 * stripped lies on a cycle. */
static flg_status sort_nodes(layout *plan, flg_error *error) {
  int *children = plan->forks, *last = plan->sorted + plan->count, stripped = 0;
  for (int node = 0; node < plan->count; node++) {
    if (plan->parent[node] >= 0) children[plan->parent[node]]++;
  }
  for (int node = 0; node < plan->count; node++) {
    if (children[node] == 0) last[-++stripped] = node;
  }
  for (int k = 1; k <= stripped; k++) {
    const int parent = plan->parent[last[-k]];
    if (parent >= 0 && --children[parent] == 0) last[-++stripped] = parent;
  }
  if (stripped == plan->count) return FLG_OK;
  int node = 0;
  while (children[node] == 0) node++;
  return flg_fail(error, FLG_ERR_RANGE,
                  "Node %d of the tree is its own ancestor, by way of its parent %d.", node,
                  plan->parent[node]);
}

static bool in_trunk(const layout *plan, int node) {
  return plan->weight[node] > plan->grain;
}

/* After sorting, when `forks` is all zero again. */
static void weigh_nodes(layout *plan) {
  for (int k = plan->count - 1; k >= 0; k--) {
    const int node = plan->sorted[k], parent = plan->parent[node];
    plan->weight[node]++;
    if (parent < 0) continue;
    plan->weight[parent] += plan->weight[node];
    plan->forks[parent] += in_trunk(plan, node);
  }
}

static int new_task(layout *plan, int parent) {
  const int task = plan->task_count++;
  plan->tasks[task].parent = parent;
  plan->open[task + 1] = FLG_TREE_NONE;
  return task;
}

static int task_of_trunk(layout *plan, int node) {
  const int parent = plan->parent[node];
  int task = parent < 0 ? FLG_TREE_NONE : plan->task[parent];
  if (task < 0 || plan->forks[parent] > 1 || plan->tasks[task].count >= plan->grain) {
    task = new_task(plan, task);
  }
  plan->tasks[task].count++;
  return task;
}

static int task_of_light(layout *plan, int node) {
  const int parent = plan->parent[node];
  if (parent >= 0 && !in_trunk(plan, parent)) return plan->task[parent];
  const int home = parent < 0 ? FLG_TREE_NONE : plan->task[parent];
  int task = plan->open[home + 1];
  if (task < 0 || plan->tasks[task].count + plan->weight[node] > plan->grain) {
    task = plan->open[home + 1] = new_task(plan, home);
  }
  plan->tasks[task].count += plan->weight[node]; /* the whole subtree will come */
  return task;
}

static void share_out(layout *plan) {
  plan->open[0] = FLG_TREE_NONE;
  for (int k = 0; k < plan->count; k++) {
    const int node = plan->sorted[k];
    plan->task[node] = in_trunk(plan, node) ? task_of_trunk(plan, node) : task_of_light(plan, node);
  }
  assert(plan->task_count <= task_limit(plan->count));
}

/* Lists nodes task by task, keeping parents first within each. */
static void order_nodes(const layout *plan, int *order) {
  for (int task = 1; task < plan->task_count; task++) {
    plan->tasks[task].first = plan->tasks[task - 1].first + plan->tasks[task - 1].count;
  }
  int *next = plan->open; /* not needed any more */
  for (int task = 0; task < plan->task_count; task++) next[task] = plan->tasks[task].first;
  for (int k = 0; k < plan->count; k++)
    order[next[plan->task[plan->sorted[k]]]++] = plan->sorted[k];
}

/* Puts task at the head of a list if it is taller than the head, else second. */
static void insert(flg_tree_task *tasks, int *head, int task) {
  if (*head < 0 || tasks[task].height > tasks[*head].height) {
    tasks[task].sibling = *head;
    *head = task;
  } else {
    tasks[task].sibling = tasks[*head].sibling;
    tasks[*head].sibling = task;
  }
}

static void link_tasks(flg_tree *tree) {
  flg_tree_task *tasks = tree->tasks;
  for (int t = 0; t < tree->task_count; t++) tasks[t].child = FLG_TREE_NONE;
  for (int t = tree->task_count - 1; t >= 0; t--) { /* children first */
    flg_tree_task *task = &tasks[t];
    task->height = task->count + (task->child < 0 ? 0 : tasks[task->child].height);
    atomic_init(&task->waiting, task->children);
    if (task->parent >= 0) tasks[task->parent].children++;
    insert(tasks, task->parent < 0 ? &tree->first_root : &tasks[task->parent].child, t);
  }
}

/* Tasks without children, by the length of their way to a root: a counting sort. `depth` and
 * `start` have count and count + 1 elements; all lengths are 1 to count. */
static void list_ways(flg_tree *tree, int *depth, int *start) {
  const flg_tree_task *tasks = tree->tasks;
  for (int k = 0; k <= tree->count; k++) start[k] = 0;
  for (int t = 0; t < tree->task_count; t++) {
    depth[t] = tasks[t].count + (tasks[t].parent < 0 ? 0 : depth[tasks[t].parent]);
    if (tasks[t].children == 0) start[tree->count - depth[t]]++;
  }
  for (int k = 0, sum = 0; k <= tree->count; k++) {
    const int same = start[k];
    start[k] = sum;
    sum += same;
  }
  for (int t = 0; t < tree->task_count; t++) {
    if (tasks[t].children != 0) continue;
    const int way = start[tree->count - depth[t]]++;
    tree->ways[way].leaf = t;
    atomic_init(&tree->ways[way].ready, FLG_TREE_NONE);
  }
}

static int count_leaves(const flg_tree *tree) {
  int leaves = 0;
  for (int t = 0; t < tree->task_count; t++) leaves += tree->tasks[t].children == 0;
  return leaves;
}

static flg_status tree_lay_out(flg_tree *tree, layout *plan, flg_region *region, flg_error *error) {
  const size_t nodes = (size_t)plan->count, tasks = (size_t)task_limit(plan->count);
  flg_tree made = {.count = plan->count, .first_root = FLG_TREE_NONE};
  made.order = flg_region_take(region, nodes, sizeof *made.order);
  made.tasks = plan->tasks = flg_region_take(region, tasks, sizeof *made.tasks);
  made.ways = flg_region_take(region, tasks, sizeof *made.ways);
  if (region->failed) return flg_region_check(region, "a tree", error);
  weigh_nodes(plan);
  share_out(plan);
  order_nodes(plan, made.order);
  made.task_count = plan->task_count;
  link_tasks(&made);
  made.leaf_count = count_leaves(&made);
  list_ways(&made, plan->weight, plan->sorted);
  *tree = made;
  return FLG_OK;
}

flg_status flg_tree_build(flg_tree *tree, const int *parent, int count, flg_region *region,
                          flg_error *error) {
  if (tree == NULL || region == NULL || (parent == NULL && count > 0)) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "A tree lacks its place, its parents or its region: NULL.");
  }
  if (count < 0) return flg_fail(error, FLG_ERR_RANGE, "A tree cannot have %d nodes.", count);
  flg_status status = check_parents(parent, count, error);
  if (status != FLG_OK) return status;
  layout plan = {.parent = parent, .count = count, .grain = grain_of(count)};
  const size_t nodes = (size_t)count;
  flg_region scratch = {0};
  plan.sorted = flg_region_take(&scratch, nodes + 1, sizeof(int)); /* also for count + 1 lengths */
  plan.weight = flg_region_take(&scratch, nodes, sizeof(int));
  plan.forks = flg_region_take(&scratch, nodes, sizeof(int));
  plan.task = flg_region_take(&scratch, nodes, sizeof(int));
  plan.open = flg_region_take(&scratch, nodes + 1, sizeof(int));
  status = flg_region_check(&scratch, "a tree", error);
  if (status == FLG_OK) status = sort_nodes(&plan, error);
  if (status == FLG_OK) status = tree_lay_out(tree, &plan, region, error);
  flg_region_release(&scratch);
  return status;
}
