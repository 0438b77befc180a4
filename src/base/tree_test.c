#include "base/tree.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "check.h"

enum { SMALL = 7 };

static void build_fails_cleanly_without_memory(void **state) {
  (void)state;
  const int parent[SMALL] = {-1, 0, 0, 1, 1, 2, 2};
  flg_region whole = {0};
  flg_tree tree = {.count = -5};
  assert_int_equal(flg_tree_build(&tree, parent, SMALL, &whole, NULL), FLG_OK);
  for (size_t limit = 1; limit < whole.bytes; limit++) {
    flg_region region = {.limit = limit};
    flg_error error = {0};
    tree.count = -5;
    assert_int_equal(flg_tree_build(&tree, parent, SMALL, &region, &error), FLG_ERR_MEMORY);
    assert_true(tree.count == -5 && error.message[0] != '\0');
    flg_region_release(&region);
  }
  flg_region_release(&whole);
}

static void check_refused(const int *parent, int count, const char *expected) {
  flg_region region = {0};
  flg_tree tree = {.count = -5};
  flg_error error = {0};
  assert_int_equal(flg_tree_build(&tree, parent, count, &region, &error), FLG_ERR_RANGE);
  assert_true(tree.count == -5 && region.bytes == 0);
  assert_string_equal(error.message, expected);
}

static void parents_that_are_no_nodes_are_named(void **state) {
  (void)state;
  check_refused((const int[]){-1, 0, 3}, 3,
                "The parent of node 2 is 3, which is neither one of the 3 nodes nor -1.");
  check_refused((const int[]){-1, -2, 0}, 3,
                "The parent of node 1 is -2, which is neither one of the 3 nodes nor -1.");
  check_refused((const int[]){INT_MIN}, 1,
                "The parent of node 0 is -2147483648, which is neither one of the 1 nodes nor -1.");
}

static void cycles_are_refused_with_a_node_on_them(void **state) {
  (void)state;
  check_refused((const int[]){0}, 1,
                "Node 0 of the tree is its own ancestor, by way of its parent 0.");
  /* 0 and 1 hang on the cycle 2 -> 4 -> 3 -> 2, but are not on it */
  check_refused((const int[]){1, 2, 4, 2, 3, -1}, 6,
                "Node 2 of the tree is its own ancestor, by way of its parent 4.");
}

static void negative_counts_are_refused(void **state) {
  (void)state;
  check_refused(NULL, -1, "A tree cannot have -1 nodes.");
}

/* ------------------------------------------------------------------ tasks of any forest */

typedef struct forest {
  int count;
  int *parent;
  flg_region region;
  flg_tree tree;
} forest;

/* reach 1: chains; reach count: shallow. The numbering is shuffled, so that parents may follow. */
static forest random_forest(random_source *source, int count, int reach) {
  forest f = {.count = count, .parent = calloc((size_t)count + 1, sizeof(int))};
  int *name = calloc((size_t)count + 1, sizeof *name);
  for (int k = 0; k < count; k++) {
    const int other = random_integer(source, 0, k);
    name[k] = name[other];
    name[other] = k;
  }
  for (int k = 0; k < count; k++) {
    const int nearest = k - 1, farthest = k > reach ? k - reach : -1;
    f.parent[name[k]] = -1;
    const int chosen = k == 0 ? -1 : random_integer(source, farthest, nearest);
    if (chosen >= 0) f.parent[name[k]] = name[chosen];
  }
  free(name);
  f.region = (flg_region){0};
  assert_int_equal(flg_tree_build(&f.tree, f.parent, count, &f.region, NULL), FLG_OK);
  return f;
}

static void release_forest(forest *f) {
  flg_region_release(&f->region);
  free(f->parent);
}

/* Where each node stands in the order, and in which task. */
static void locate(const flg_tree *tree, int *place, int *task) {
  for (int node = 0; node < tree->count; node++) place[node] = -1;
  int next = 0;
  for (int t = 0; t < tree->task_count; t++) {
    assert_int_equal(tree->tasks[t].first, next);
    next += tree->tasks[t].count;
    for (int k = tree->tasks[t].first; k < next; k++) {
      assert_int_equal(place[tree->order[k]], -1);
      place[tree->order[k]] = k;
      task[tree->order[k]] = t;
    }
  }
  assert_int_equal(next, tree->count);
}

static void check_nodes(const forest *f, const int *place, const int *task) {
  for (int node = 0; node < f->count; node++) {
    const int parent = f->parent[node], own = task[node];
    if (parent >= 0) assert_true(place[parent] < place[node]);
    const int parent_task = parent < 0 ? FLG_TREE_NONE : task[parent];
    if (parent_task != own) assert_int_equal(parent_task, f->tree.tasks[own].parent);
  }
}

static int check_children(const flg_tree *tree, int first, int parent) {
  int children = 0;
  for (int t = first; t >= 0; t = tree->tasks[t].sibling, children++) {
    assert_int_equal(tree->tasks[t].parent, parent);
    assert_true(tree->tasks[t].height <= tree->tasks[first].height);
  }
  return children;
}

static void check_tasks(const flg_tree *tree) {
  int leaves = 0, children = check_children(tree, tree->first_root, FLG_TREE_NONE);
  for (int t = 0; t < tree->task_count; t++) {
    const flg_tree_task *task = &tree->tasks[t];
    assert_int_equal(check_children(tree, task->child, t), task->children);
    assert_int_equal(atomic_load(&task->waiting), task->children);
    assert_true(task->parent < t && task->count > 0);
    children += task->children;
    leaves += task->children == 0;
  }
  assert_int_equal(children, tree->task_count);
  assert_int_equal(leaves, tree->leaf_count);
}

static int way_to_root(const flg_tree *tree, int task) {
  int nodes = 0;
  for (; task >= 0; task = tree->tasks[task].parent) nodes += tree->tasks[task].count;
  return nodes;
}

static void check_ways(const flg_tree *tree) {
  for (int k = 0; k < tree->leaf_count; k++) {
    assert_int_equal(tree->tasks[tree->ways[k].leaf].children, 0);
    assert_int_equal(atomic_load(&tree->ways[k].ready), FLG_TREE_NONE);
    if (k == 0) continue;
    assert_true(way_to_root(tree, tree->ways[k].leaf) <= way_to_root(tree, tree->ways[k - 1].leaf));
  }
}

static void tasks_of_random_forests_are_sound(void **state) {
  (void)state;
  random_source source = {7};
  for (int round = 0; round < 300; round++) {
    const int count = random_integer(&source, 0, round % 10 == 0 ? 20000 : 1500);
    const int reaches[] = {1, 2, 5, 100, count + 1};
    forest f = random_forest(&source, count, reaches[round % 5]);
    int *place = calloc((size_t)count + 1, sizeof(int));
    int *task = calloc((size_t)count + 1, sizeof(int));
    locate(&f.tree, place, task);
    check_nodes(&f, place, task);
    check_tasks(&f.tree);
    check_ways(&f.tree);
    free(task);
    free(place);
    release_forest(&f);
  }
}

/* ------------------------------------------------------------------ how work is grouped */

static flg_tree tree_of(flg_region *region, int (*parent_of)(int node), int count) {
  *region = (flg_region){0};
  int *parent = malloc((size_t)count * sizeof *parent);
  for (int node = 0; node < count; node++) parent[node] = parent_of(node);
  flg_tree tree = {0};
  assert_int_equal(flg_tree_build(&tree, parent, count, region, NULL), FLG_OK);
  free(parent);
  return tree;
}

static int binary(int node) {
  return node == 0 ? -1 : (node - 1) / 2;
}

static int chain(int node) {
  return node - 1;
}

static int star(int node) {
  return node == 0 ? -1 : 0;
}

static int lonely(int node) {
  (void)node;
  return -1;
}

static int caterpillar(int node) { /* a spine of every ninth node, each with eight leaves */
  if (node == 0) return -1;
  return node % 9 == 0 ? node - 9 : node - node % 9;
}

static void in_a_small_tree_each_node_is_a_task(void **state) {
  (void)state;
  flg_region region;
  const flg_tree tree = tree_of(&region, binary, 255);
  assert_true(tree.task_count == 255 && tree.leaf_count == 128);
  flg_region_release(&region);
}

static void in_a_large_tree_nodes_are_put_together(void **state) {
  (void)state;
  const struct {
    int (*parent_of)(int node);
    int most_tasks, fewest_leaves;
  } cases[] = {
      {binary, 100000 / 31, 1500}, /* subtrees of 63 nodes, and what is above them */
      {chain, 100000 / 64 + 2, 1},     {star, 100000 / 64 + 2, 1500},
      {lonely, 100000 / 64 + 2, 1500}, {caterpillar, 100000 / 64 + 400, 1300},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    flg_region region;
    const flg_tree tree = tree_of(&region, cases[k].parent_of, 100000);
    assert_in_range(tree.task_count, 1, cases[k].most_tasks);
    assert_in_range(tree.leaf_count, cases[k].fewest_leaves, tree.task_count);
    flg_region_release(&region);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(build_fails_cleanly_without_memory),
      cmocka_unit_test(parents_that_are_no_nodes_are_named),
      cmocka_unit_test(cycles_are_refused_with_a_node_on_them),
      cmocka_unit_test(negative_counts_are_refused),
      cmocka_unit_test(tasks_of_random_forests_are_sound),
      cmocka_unit_test(in_a_small_tree_each_node_is_a_task),
      cmocka_unit_test(in_a_large_tree_nodes_are_put_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
