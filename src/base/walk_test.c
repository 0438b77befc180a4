/* The two walks: every node once, in order, and with the same bits for any number of threads. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "base/walk.h"
#include "check.h"

enum { MOST_THREADS = 8 };

static flg_threads *pools[MOST_THREADS + 1]; /* pools[n] has n threads */

static int build_pools(void **state) {
  (void)state;
  for (int width = 1; width <= MOST_THREADS; width++) {
    if (flg_threads_build(&pools[width], width, NULL) != FLG_OK) return -1;
  }
  return 0;
}

static int release_pools(void **state) {
  (void)state;
  for (int width = 1; width <= MOST_THREADS; width++) flg_threads_release(pools[width]);
  return 0;
}

/* ------------------------------------------------------------------ forests with values */

typedef struct forest {
  int count;
  atomic_int clock;         /* stamps given so far */
  int *parent;              /* (count) */
  int *first_child, *next;  /* lists of children, ascending   (count) */
  double *load, *up, *down; /* given; summed from below; from above   (count) */
  int *stamp, *visits;      /* (count) */
  flg_region region;
  flg_tree tree;
} forest;

static void *array_of(int count, size_t element_bytes) {
  void *array = calloc((size_t)count + 1, element_bytes);
  assert_non_null(array);
  return array;
}

static void build_forest(forest *f, int count) {
  *f = (forest){.count = count};
  f->parent = array_of(count, sizeof(int));
  f->first_child = array_of(count, sizeof(int));
  f->next = array_of(count, sizeof(int));
  f->load = array_of(count, sizeof(double));
  f->up = array_of(count, sizeof(double));
  f->down = array_of(count, sizeof(double));
  f->stamp = array_of(count, sizeof(int));
  f->visits = array_of(count, sizeof(int));
  f->region = (flg_region){0};
}

/* Once the parents are set. */
static void grow(forest *f, random_source *source) {
  for (int node = 0; node < f->count; node++) {
    f->load[node] = random_uniform(source, -1, 1);
    f->first_child[node] = -1;
  }
  for (int node = f->count - 1; node >= 0; node--) {
    if (f->parent[node] < 0) continue;
    f->next[node] = f->first_child[f->parent[node]];
    f->first_child[f->parent[node]] = node;
  }
  flg_error error = {0};
  if (flg_tree_build(&f->tree, f->parent, f->count, &f->region, &error) != FLG_OK) {
    fail_msg("%s", error.message);
  }
}

static void release_forest(forest *f) {
  void *arrays[] = {f->parent, f->first_child, f->next,  f->load,
                    f->up,     f->down,        f->stamp, f->visits};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) free(arrays[k]);
  flg_region_release(&f->region);
}

/* reach 1: a chain; small: long and thin; large: short and bushy */
static void build_random_forest(forest *f, random_source *source, int count, int reach) {
  build_forest(f, count);
  for (int node = 0; node < count; node++) {
    const int farthest = node > reach ? node - reach : -1;
    f->parent[node] = node == 0 ? -1 : random_integer(source, farthest, node - 1);
  }
  grow(f, source);
}

/* ------------------------------------------------------------------ order */

static void stamp_node(void *context, int node) {
  forest *f = context;
  f->visits[node]++;
  f->stamp[node] = atomic_fetch_add(&f->clock, 1);
}

static void check_stamps(forest *f, bool upwards) {
  assert_int_equal(atomic_load(&f->clock), f->count);
  for (int node = 0; node < f->count; node++) {
    assert_int_equal(f->visits[node], 1);
    f->visits[node] = 0;
    const int parent = f->parent[node];
    if (parent >= 0) assert_true((f->stamp[node] < f->stamp[parent]) == upwards);
  }
  atomic_store(&f->clock, 0);
}

static void check_order(forest *f, flg_threads *threads) {
  flg_threads_walk_up(threads, &f->tree, stamp_node, f);
  check_stamps(f, true);
  flg_threads_walk_down(threads, &f->tree, stamp_node, f);
  check_stamps(f, false);
}

static void walks_visit_each_node_once_and_in_order(void **state) {
  (void)state;
  random_source source = {3};
  const int reaches[] = {1, 2, 8, 50, 100000};
  for (int round = 0; round < 60; round++) {
    forest f;
    const int most = round % 10 == 0 ? 6000 : 600;
    build_random_forest(&f, &source, random_integer(&source, 0, most), reaches[round % 5]);
    for (int width = 1; width <= MOST_THREADS; width++) check_order(&f, pools[width]);
    release_forest(&f);
  }
}

static void walks_over_an_empty_tree_do_nothing(void **state) {
  (void)state;
  random_source source = {1};
  forest f;
  build_random_forest(&f, &source, 0, 1);
  check_order(&f, pools[2]);
  release_forest(&f);
}

static void walks_without_a_pool_run_in_the_caller(void **state) {
  (void)state;
  random_source source = {2};
  forest f;
  build_random_forest(&f, &source, 1000, 5);
  check_order(&f, NULL);
  release_forest(&f);
}

static int chain(int node) {
  return node - 1;
}

static int chains_joined(int node) { /* three, so that ways meet */
  if (node == 0) return -1;
  return node <= 3 ? 0 : node - 3;
}

static int star(int node) {
  return node == 0 ? -1 : 0;
}

static void check_shape(int (*parent_of)(int node), int count) {
  random_source source = {5};
  forest f;
  build_forest(&f, count);
  for (int node = 0; node < count; node++) f.parent[node] = parent_of(node);
  grow(&f, &source);
  for (int width = 1; width <= 4; width++) check_order(&f, pools[width]);
  release_forest(&f);
}

static void deep_chains_need_no_deep_stack(void **state) {
  (void)state;
  check_shape(chain, 100000);
  check_shape(chains_joined, 100000);
}

static void wide_stars_are_walked(void **state) {
  (void)state;
  check_shape(star, 100000);
}

/* ------------------------------------------------------------------ results */

/* Sums whose bits depend on the order of summation: children are taken in ascending order. */
static void sum_node(void *context, int node) {
  forest *f = context;
  double sum = f->load[node];
  for (int child = f->first_child[node]; child >= 0; child = f->next[child]) {
    sum += 0.7 * f->up[child] + sin(f->up[child]);
  }
  f->up[node] = sum;
}

static void spread_node(void *context, int node) {
  forest *f = context;
  const double above = f->parent[node] < 0 ? 1 : f->down[f->parent[node]];
  f->down[node] = f->up[node] - cos(above) / 3;
}

static uint64_t results_of(forest *f, flg_threads *threads) {
  for (int node = 0; node < f->count; node++) f->up[node] = f->down[node] = (double)NAN;
  flg_threads_walk_up(threads, &f->tree, sum_node, f);
  flg_threads_walk_down(threads, &f->tree, spread_node, f);
  const size_t bytes = (size_t)f->count * sizeof(double);
  return flg_hash(flg_hash(FLG_HASH_SEED, f->up, bytes), f->down, bytes);
}

static void sums_have_the_same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  random_source source = {11};
  const int reaches[] = {2, 10, 200, 100000};
  for (int round = 0; round < 40; round++) {
    forest f;
    const int most = round % 8 == 0 ? 8000 : 700;
    build_random_forest(&f, &source, random_integer(&source, 1, most), reaches[round % 4]);
    const uint64_t expected = results_of(&f, NULL);
    for (int width = 1; width <= MOST_THREADS; width++) {
      for (int again = 0; again < 3; again++) {
        assert_true(results_of(&f, pools[width]) == expected);
      }
    }
    release_forest(&f);
  }
}

static void small_walks_back_to_back_lose_nothing(void **state) {
  (void)state;
  random_source source = {13};
  forest f;
  build_random_forest(&f, &source, 20, 6);
  const uint64_t expected = results_of(&f, NULL);
  for (int round = 0; round < 5000; round++) {
    assert_true(results_of(&f, pools[2 + round % 2]) == expected);
  }
  release_forest(&f);
}

/* Bodies long enough that threads without work fall asleep inside the walk. */
static void rest_and_stamp(void *context, int node) {
  nanosleep(&(struct timespec){.tv_nsec = 100000 * (1 + node % 3)}, NULL);
  stamp_node(context, node);
}

static void threads_that_sleep_inside_a_walk_are_woken(void **state) {
  (void)state;
  random_source source = {17};
  forest f;
  build_random_forest(&f, &source, 100, 4);
  for (int round = 0; round < 3; round++) {
    flg_threads_walk_up(pools[4], &f.tree, rest_and_stamp, &f);
    check_stamps(&f, true);
    flg_threads_walk_down(pools[4], &f.tree, rest_and_stamp, &f);
    check_stamps(&f, false);
  }
  release_forest(&f);
}

/* ------------------------------------------------------------------ walks inside bodies */

static void walk_forest(void *context, int index) {
  forest *f = (forest *)context + index;
  flg_threads_walk_up(pools[3], &f->tree, sum_node, f);
  flg_threads_walk_down(pools[3], &f->tree, spread_node, f);
}

static void walks_from_inside_a_body_run_in_its_thread(void **state) {
  (void)state;
  random_source source = {19};
  forest forests[6];
  uint64_t expected[6];
  for (int k = 0; k < 6; k++) {
    build_random_forest(&forests[k], &source, 900, 10);
    expected[k] = results_of(&forests[k], NULL);
  }
  flg_threads_for(pools[3], 6, walk_forest, forests);
  for (int k = 0; k < 6; k++) {
    const size_t bytes = (size_t)forests[k].count * sizeof(double);
    const uint64_t up = flg_hash(FLG_HASH_SEED, forests[k].up, bytes);
    assert_true(flg_hash(up, forests[k].down, bytes) == expected[k]);
    release_forest(&forests[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walks_visit_each_node_once_and_in_order),
      cmocka_unit_test(walks_over_an_empty_tree_do_nothing),
      cmocka_unit_test(walks_without_a_pool_run_in_the_caller),
      cmocka_unit_test(deep_chains_need_no_deep_stack),
      cmocka_unit_test(wide_stars_are_walked),
      cmocka_unit_test(sums_have_the_same_bits_for_any_number_of_threads),
      cmocka_unit_test(small_walks_back_to_back_lose_nothing),
      cmocka_unit_test(threads_that_sleep_inside_a_walk_are_woken),
      cmocka_unit_test(walks_from_inside_a_body_run_in_its_thread),
  };
  return cmocka_run_group_tests(tests, build_pools, release_pools);
}
