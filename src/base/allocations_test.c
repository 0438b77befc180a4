/* That loops and walks allocate nothing, and that tests/allocations.c would notice. */
#include "allocations.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/walk.h"
#include "check.h"

enum { COUNT = 3000 };

static void skip_unless_counted(void) {
  if (!allocations_counted()) skip();
}

static void builds_that_do_not_count_say_so(void **state) {
  (void)state;
  allocations_begin();
  free(malloc(10)); // NOLINT(bugprone-unused-return-value)
  if (!allocations_counted()) assert_int_equal(allocations_end(), 0);
}

static void each_way_to_allocate_is_counted(void **state) {
  (void)state;
  skip_unless_counted();
  void *volatile blocks[6] = {0}; /* volatile: the compiler may not leave the calls out */
  allocations_begin();
  blocks[0] = malloc(10);
  blocks[1] = calloc(2, 10);
  blocks[2] = aligned_alloc(64, 128);
  void *aligned = NULL;
  const int refused = posix_memalign(&aligned, 3, 10);
  const int given = posix_memalign(&aligned, 256, 10);
  blocks[3] = aligned;
  blocks[4] = realloc(NULL, 10);
  blocks[5] = strdup("by the C library");
  const long allocated = allocations_end();
  for (int k = 0; k < 6; k++) free(blocks[k]);
  const long freed = allocations_end() - allocated;
  free(NULL);
  assert_int_equal(allocations_end(), allocated + freed);
  assert_true(refused != 0 && given == 0 && (uintptr_t)aligned % 256 == 0);
  assert_int_equal(allocated, 6);
  assert_int_equal(freed, 6);
}

static void *allocate_in_a_thread(void *argument) {
  (void)argument;
  for (int k = 0; k < 1000; k++) {
    void *volatile block = malloc(16); // cppcheck-suppress unusedAllocatedMemory
    free(block);
  }
  return NULL;
}

static void allocations_of_all_threads_are_counted(void **state) {
  (void)state;
  skip_unless_counted();
  pthread_t threads[4];
  allocations_begin();
  for (int k = 0; k < 4; k++) pthread_create(&threads[k], NULL, allocate_in_a_thread, NULL);
  for (int k = 0; k < 4; k++) pthread_join(threads[k], NULL);
  assert_in_range(allocations_end(), 8000, 8100); /* starting a thread may take a few */
}

static void touch(void *context, int index) {
  ((double *)context)[index] += 1;
}

static void loops_and_walks_allocate_nothing(void **state) {
  (void)state;
  skip_unless_counted();
  static double values[COUNT];
  static int parent[COUNT];
  for (int node = 0; node < COUNT; node++) parent[node] = node == 0 ? -1 : (node - 1) / 3;
  flg_threads *threads = NULL;
  flg_region region = {0};
  flg_tree tree;
  assert_int_equal(flg_threads_build(&threads, 3, NULL), FLG_OK);
  assert_int_equal(flg_tree_build(&tree, parent, COUNT, &region, NULL), FLG_OK);
  allocations_begin();
  for (int round = 0; round < 100; round++) {
    flg_threads_for(threads, COUNT, touch, values);
    flg_threads_walk_up(threads, &tree, touch, values);
    flg_threads_walk_down(threads, &tree, touch, values);
  }
  assert_int_equal(allocations_end(), 0);
  for (int k = 0; k < COUNT; k++) assert_true(values[k] == 300);
  flg_region_release(&region);
  flg_threads_release(threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(builds_that_do_not_count_say_so),
      cmocka_unit_test(each_way_to_allocate_is_counted),
      cmocka_unit_test(allocations_of_all_threads_are_counted),
      cmocka_unit_test(loops_and_walks_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
