#include "flange/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { MOST_THREADS = 8, MOST_INDICES = 1000 };

static flg_threads *pool_of(int count) {
  flg_threads *threads = NULL;
  flg_error error = {0};
  if (flg_threads_build(&threads, count, &error) != FLG_OK) fail_msg("%s", error.message);
  return threads;
}

static void rest(long nanoseconds) {
  nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

/* ------------------------------------------------------------------ the loop */

typedef struct tally {
  int visits[MOST_INDICES];
} tally;

static void count_visit(void *context, int index) {
  ((tally *)context)->visits[index]++;
}

static void loop_visits_each_index_once(void **state) {
  (void)state;
  const int counts[] = {0, 1, 2, 7, 16, 17, MOST_INDICES};
  for (int width = 1; width <= MOST_THREADS; width++) {
    flg_threads *threads = pool_of(width);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
      tally seen = {{0}};
      flg_threads_for(threads, counts[k], count_visit, &seen);
      for (int i = 0; i < MOST_INDICES; i++) assert_int_equal(seen.visits[i], i < counts[k]);
    }
    flg_threads_release(threads);
  }
}

static void loop_over_a_negative_count_does_nothing(void **state) {
  (void)state;
  flg_threads *threads = pool_of(2);
  flg_threads_for(threads, -3, count_visit, NULL);
  flg_threads_release(threads);
}

static void loop_without_a_pool_runs_in_the_caller(void **state) {
  (void)state;
  tally seen = {{0}};
  flg_threads_for(NULL, 3, count_visit, &seen);
  assert_true(seen.visits[0] == 1 && seen.visits[1] == 1 && seen.visits[2] == 1);
  assert_int_equal(flg_threads_count(NULL), 1);
}

static void note_thread(void *context, int index) {
  ((pthread_t *)context)[index] = pthread_self();
}

static void pool_of_one_runs_everything_in_the_caller(void **state) {
  (void)state;
  flg_threads *threads = pool_of(1);
  pthread_t ran_in[50];
  flg_threads_for(threads, 50, note_thread, ran_in);
  for (int k = 0; k < 50; k++) assert_true(pthread_equal(ran_in[k], pthread_self()));
  flg_threads_release(threads);
}

/* Each of as many bodies as threads waits for all the others: only a pool whose workers all come
 * gets through. */
static void meet_all_others(void *context, int index) {
  (void)index;
  atomic_int *missing = context;
  atomic_fetch_sub(missing, 1);
  while (atomic_load(missing) > 0) rest(1000);
}

static void all_threads_come_to_work_even_out_of_sleep(void **state) {
  (void)state;
  flg_threads *threads = pool_of(4);
  for (int round = 0; round < 20; round++) {
    rest(2000000);
    atomic_int missing = 4;
    flg_threads_for(threads, 4, meet_all_others, &missing);
    assert_int_equal(atomic_load(&missing), 0);
  }
  flg_threads_release(threads);
}

static void add_index(void *context, int index) {
  ((int64_t *)context)[index] += index;
}

static void many_small_loops_back_to_back_lose_nothing(void **state) {
  (void)state;
  const int widths[] = {2, 4}, rounds = 100000, count = 4;
  for (int k = 0; k < 2; k++) {
    flg_threads *threads = pool_of(widths[k]);
    int64_t sums[4] = {0};
    for (int round = 0; round < rounds; round++) flg_threads_for(threads, count, add_index, sums);
    for (int i = 0; i < count; i++) assert_int_equal(sums[i], (int64_t)i * rounds);
    flg_threads_release(threads);
  }
}

/* Rests around the time that threads spin before they sleep, where a wake-up could be lost. */
static void loops_with_rests_of_all_lengths_lose_nothing(void **state) {
  (void)state;
  random_source source = {1};
  flg_threads *threads = pool_of(3);
  int64_t sums[6] = {0};
  const int rounds = 3000;
  for (int round = 0; round < rounds; round++) {
    flg_threads_for(threads, 6, add_index, sums);
    for (volatile int spin = random_integer(&source, 0, 20000); spin > 0;) spin = spin - 1;
  }
  for (int i = 0; i < 6; i++) assert_int_equal(sums[i], (int64_t)i * rounds);
  flg_threads_release(threads);
}

/* ------------------------------------------------------------------ several pools */

typedef struct nest {
  flg_threads *inner;
  int visits[8][8];
  bool same_thread[8];
} nest;

typedef struct nest_row {
  int *visits;
  pthread_t thread;
  bool same_thread;
} nest_row;

static void visit_inner(void *context, int index) {
  nest_row *row = context;
  row->visits[index]++;
  row->same_thread = row->same_thread && pthread_equal(row->thread, pthread_self());
}

static void visit_outer(void *context, int index) {
  nest *nested = context;
  nest_row row = {nested->visits[index], pthread_self(), true};
  flg_threads_for(nested->inner, 8, visit_inner, &row);
  nested->same_thread[index] = row.same_thread;
}

static void check_nest(flg_threads *outer, flg_threads *inner) {
  nest nested = {.inner = inner};
  flg_threads_for(outer, 8, visit_outer, &nested);
  for (int i = 0; i < 8; i++) {
    assert_true(nested.same_thread[i]);
    for (int j = 0; j < 8; j++) assert_int_equal(nested.visits[i][j], 1);
  }
}

static void calls_from_inside_a_body_run_in_its_thread(void **state) {
  (void)state;
  flg_threads *outer = pool_of(3), *inner = pool_of(2);
  check_nest(outer, outer);
  check_nest(outer, inner);
  check_nest(outer, NULL);
  atomic_int missing = 3; /* and calls after that are shared out again */
  flg_threads_for(outer, 3, meet_all_others, &missing);
  flg_threads_release(inner);
  flg_threads_release(outer);
}

static void *use_a_pool_of_its_own(void *argument) {
  int64_t *sums = argument;
  flg_threads *threads = NULL;
  if (flg_threads_build(&threads, 2, NULL) != FLG_OK) return NULL;
  for (int round = 0; round < 1000; round++) flg_threads_for(threads, 4, add_index, sums);
  flg_threads_release(threads);
  return NULL;
}

static void pools_of_different_callers_do_not_meet(void **state) {
  (void)state;
  int64_t sums[3][4] = {{0}};
  pthread_t callers[3];
  for (int k = 0; k < 3; k++) {
    assert_int_equal(pthread_create(&callers[k], NULL, use_a_pool_of_its_own, sums[k]), 0);
  }
  for (int k = 0; k < 3; k++) pthread_join(callers[k], NULL);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 4; i++) assert_int_equal(sums[k][i], 1000 * i);
  }
}

/* ------------------------------------------------------------------ building */

static void pool_can_be_built_and_released_again_and_again(void **state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    flg_threads *threads = pool_of(1 + round % 4);
    assert_int_equal(flg_threads_count(threads), 1 + round % 4);
    tally seen = {{0}};
    if (round % 3 != 0) flg_threads_for(threads, 5, count_visit, &seen);
    flg_threads_release(threads);
  }
  flg_threads_release(NULL);
}

static void pool_of_zero_has_a_thread_for_each_core(void **state) {
  (void)state;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  flg_threads *threads = pool_of(0);
  assert_int_equal(flg_threads_count(threads), cores < FLG_THREADS_MAX ? cores : FLG_THREADS_MAX);
  flg_threads_release(threads);
}

static void counts_out_of_range_are_refused(void **state) {
  (void)state;
  const int counts[] = {-1, FLG_THREADS_MAX + 1};
  for (int k = 0; k < 2; k++) {
    flg_threads *threads = NULL;
    flg_error error = {0};
    assert_int_equal(flg_threads_build(&threads, counts[k], &error), FLG_ERR_RANGE);
    assert_null(threads);
    char value[16];
    snprintf(value, sizeof value, " %d ", counts[k]);
    assert_non_null(strstr(error.message, value));
  }
}

static void note_mask(void *context, int index) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  ((int *)context)[index] = sigismember(&mask, SIGINT) + 2 * sigismember(&mask, SIGSEGV);
}

static void note_mask_once_all_are_here(void *context, int index) {
  static atomic_int missing = 3;
  meet_all_others(&missing, index);
  note_mask(context, index);
}

static void workers_leave_signals_to_the_threads_of_the_user(void **state) {
  (void)state;
  flg_threads *threads = pool_of(3);
  int masks[3], own;
  flg_threads_for(threads, 3, note_mask_once_all_are_here, masks);
  note_mask(&own, 0);
  assert_int_equal(own, 0);
  assert_int_equal(masks[0] + masks[1] + masks[2], 2); /* SIGINT blocked in two, SIGSEGV in none */
  flg_threads_release(threads);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__linux__)
static void build_says_how_many_threads_the_system_gave(void **state) {
  (void)state;
  skip(); /* sanitizers need address space themselves */
}
#else
static rlim_t address_space_in_use(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  char line[100] = "";
  assert_non_null(fgets(line, sizeof line, file));
  fclose(file);
  return (rlim_t)strtoul(line, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void build_says_how_many_threads_the_system_gave(void **state) {
  (void)state;
  struct rlimit before;
  getrlimit(RLIMIT_AS, &before);
  const rlim_t limit = address_space_in_use() + (rlim_t)100 * 1024 * 1024;
  setrlimit(RLIMIT_AS, &(struct rlimit){limit, before.rlim_max});
  flg_threads *threads = NULL;
  flg_error error = {0};
  const flg_status status = flg_threads_build(&threads, FLG_THREADS_MAX, &error);
  setrlimit(RLIMIT_AS, &before);
  assert_int_equal(status, FLG_ERR_MEMORY);
  assert_null(threads);
  assert_non_null(strstr(error.message, " of 256 threads"));
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loop_visits_each_index_once),
      cmocka_unit_test(loop_over_a_negative_count_does_nothing),
      cmocka_unit_test(loop_without_a_pool_runs_in_the_caller),
      cmocka_unit_test(pool_of_one_runs_everything_in_the_caller),
      cmocka_unit_test(all_threads_come_to_work_even_out_of_sleep),
      cmocka_unit_test(many_small_loops_back_to_back_lose_nothing),
      cmocka_unit_test(loops_with_rests_of_all_lengths_lose_nothing),
      cmocka_unit_test(calls_from_inside_a_body_run_in_its_thread),
      cmocka_unit_test(pools_of_different_callers_do_not_meet),
      cmocka_unit_test(pool_can_be_built_and_released_again_and_again),
      cmocka_unit_test(pool_of_zero_has_a_thread_for_each_core),
      cmocka_unit_test(counts_out_of_range_are_refused),
      cmocka_unit_test(workers_leave_signals_to_the_threads_of_the_user),
      cmocka_unit_test(build_says_how_many_threads_the_system_gave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
