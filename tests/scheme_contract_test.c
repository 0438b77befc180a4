/* What every scheme of coupling/scheme.h owes: a whole table; the same bits for any number of
 * threads, run by run, and from a snapshot on; and nothing from the heap. */
#include "allocations.h"
#include "check.h"
#include "coupling/scheme.h"
#include "coupling_chains.h"
#include "coupling_marks.h"

enum { STEPS = 24, THREADS_MAX = 8 };

/* all but the first, monolithic, which couples nothing */
static const char *const *const schemes = flg_coupling_words + 1;
enum { SCHEME_COUNT = FLG_COUPLING_COUNT - 1 };

static void tables_are_whole_and_have_names_of_their_own(void **state) {
  (void)state;
  flg_error error;
  for (int k = 0; k < FLG_COUPLING_COUNT; k++) {
    assert_int_equal(flg_coupling_scheme_check(flg_coupling_schemes[k], &error), FLG_OK);
    assert_true(flg_coupling_schemes[k]->is_whole == (k == 0));
    assert_string_equal(flg_coupling_words[k], flg_coupling_schemes[k]->name);
    for (int i = 0; i < k; i++) assert_string_not_equal(schemes[k - 1], flg_coupling_words[i]);
  }
}

static void tables_that_lack_an_entry_are_refused(void **state) {
  (void)state;
  flg_error error;
  flg_coupling_scheme lacking[] = {flg_coupling_parallel, flg_coupling_hold, flg_coupling_hold,
                                   flg_coupling_sequential, flg_coupling_parallel};
  lacking[0].face = NULL;
  lacking[1].drive = NULL;
  lacking[2].owner = NULL;
  lacking[3].runs_in_order = false;
  lacking[4].gives_back = false;
  static const char *const entries[] = {"'face'", "'drive'", "'owner'", "'runs_in_order'",
                                        "'gives_back'"};
  for (int k = 0; k < 5; k++) {
    assert_int_equal(flg_coupling_scheme_check(&lacking[k], &error), FLG_ERR_RANGE);
    assert_non_null(strstr(error.message, entries[k]));
  }
}

static flg_simulation *load_chain(const char *scheme, bool is_robots, const char *more) {
  const double masses[] = {1, 2, 0.5, 1, 3};
  char override[OVERRIDE_TEXT];
  snprintf(override, sizeof override, "coupling.scheme=%s", scheme);
  test_folder folder = make_folder();
  const char *path = make_chain(&folder, &(chain_spec){5, masses, is_robots, CHAIN_LINE});
  flg_simulation *simulation =
      load_with(path, (const char *[]){override, "time.macro=0.001", more, NULL});
  remove_folder(&folder);
  return simulation;
}

/* schemes that are there for comparison may diverge: the same bits, too */
static void run(flg_simulation *simulation, int steps) {
  flg_error error;
  flg_status status = FLG_OK;
  for (int k = 0; k < steps && status == FLG_OK; k++) {
    status = flg_simulation_step(simulation, &error);
  }
  assert_true(status == FLG_OK || status == FLG_ERR_DIVERGED);
}

static uint64_t hash_with(const char *scheme, bool is_robots, int threads) {
  flg_threads *shared = NULL;
  flg_error error;
  if (threads > 0) assert_int_equal(flg_threads_build(&shared, threads, &error), FLG_OK);
  flg_simulation *simulation = load_chain(scheme, is_robots, NULL);
  flg_simulation_share(simulation, shared);
  run(simulation, STEPS);
  const uint64_t hash = flg_simulation_hash(simulation);
  flg_simulation_release(simulation);
  flg_threads_release(shared);
  return hash;
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  for (int s = 0; s < SCHEME_COUNT; s++) {
    for (int r = 0; r < 2; r++) {
      const uint64_t expected = hash_with(schemes[s], r == 1, 0);
      for (int k = 0; k <= THREADS_MAX; k++) {
        assert_true(hash_with(schemes[s], r == 1, k) == expected);
      }
    }
  }
}

static void snapshots_go_on_bit_for_bit(void **state) {
  (void)state;
  static const char *const poses[] = {"coupling.pose=auto", "coupling.pose=feedback"};
  for (int s = 0; s < 2 * SCHEME_COUNT; s++) {
    flg_simulation *simulation = load_chain(schemes[s / 2], s % 2 == 1, poses[s % 2]);
    void *middle = malloc(flg_simulation_state_bytes(simulation));
    assert_non_null(middle);
    run(simulation, STEPS / 2);
    flg_simulation_save(simulation, middle);
    run(simulation, STEPS / 2);
    const uint64_t expected = flg_simulation_hash(simulation);
    flg_simulation_restore(simulation, middle);
    run(simulation, STEPS / 2);
    assert_true(flg_simulation_hash(simulation) == expected);
    flg_simulation_release(simulation);
    simulation = load_chain(schemes[s / 2], s % 2 == 1, poses[s % 2]);
    flg_simulation_restore(simulation, middle);
    run(simulation, STEPS / 2);
    assert_true(flg_simulation_hash(simulation) == expected);
    flg_simulation_release(simulation);
    free(middle);
  }
}

/* Every macro step is made twice: by the simulation that goes on, and by one that has never made a
 * step and is put where the first was. */
static void check_every_step(const char *path, const char *scheme, const char *more, int steps) {
  char override[OVERRIDE_TEXT];
  snprintf(override, sizeof override, "coupling.scheme=%s", scheme);
  const char *const overrides[] = {override, more, NULL};
  flg_simulation *going = load_with(path, overrides);
  void *before = malloc(flg_simulation_state_bytes(going));
  assert_non_null(before);
  flg_error error;
  flg_status status = FLG_OK;
  for (int k = 0; k < steps && status == FLG_OK; k++) {
    flg_simulation_save(going, before);
    flg_simulation *put = load_with(path, overrides);
    flg_simulation_restore(put, before);
    assert_true(flg_simulation_hash(put) == flg_simulation_hash(going));
    status = flg_simulation_step(going, &error);
    assert_int_equal(flg_simulation_step(put, &error), status);
    if (flg_simulation_hash(put) != flg_simulation_hash(going)) {
      fail_msg("%s, %s: other bits in macro step %d", path, scheme, k);
    }
    flg_simulation_release(put);
  }
  free(before);
  flg_simulation_release(going);
}

static void every_macro_step_can_be_resumed(void **state) {
  (void)state;
  for (int s = 0; s < SCHEME_COUNT; s++) {
    check_every_step("examples/wrist/wrist.yaml", schemes[s], NULL, REPEATS(30));
    check_every_step("examples/wrist/wrist.yaml", schemes[s], "coupling.pose=feedback",
                     REPEATS(20));
    check_every_step("examples/oscillator/oscillator.yaml", schemes[s], NULL, REPEATS(20));
    check_every_step("examples/flexible-arm/wrist.yaml", schemes[s], NULL, REPEATS(20));
  }
}

static void steps_take_nothing_from_the_heap(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  for (int s = 0; s < 2 * SCHEME_COUNT; s++) {
    flg_simulation *simulation = load_chain(schemes[s / 2], s % 2 == 1, NULL);
    allocations_begin();
    run(simulation, STEPS);
    assert_int_equal(allocations_end(), 0);
    flg_simulation_release(simulation);
  }
}

static void events_take_nothing_from_the_heap(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  flg_simulation *simulation = load_with("examples/wrist/wrist.yaml", NULL);
  allocations_begin();
  run(simulation, 120);
  assert_int_equal(allocations_end(), 0);
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_are_whole_and_have_names_of_their_own),
      cmocka_unit_test(tables_that_lack_an_entry_are_refused),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(snapshots_go_on_bit_for_bit),
      cmocka_unit_test(every_macro_step_can_be_resumed),
      cmocka_unit_test(steps_take_nothing_from_the_heap),
      cmocka_unit_test(events_take_nothing_from_the_heap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
