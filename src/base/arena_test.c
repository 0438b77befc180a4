#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/measure.h"
#include "check.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

static flg_arena arena_of(size_t capacity) {
  flg_arena arena = {0};
  flg_error error = {0};
  if (flg_arena_build(&arena, capacity, &error) != FLG_OK) fail_msg("%s", error.message);
  return arena;
}

static void a_piece_takes_whole_lines_and_a_gap(void **state) {
  (void)state;
  const struct {
    size_t count, element_bytes, expected;
  } cases[] = {{0, 8, 64}, {5, 0, 64}, {1, 1, 128}, {8, 8, 128}, {9, 8, 192}, {64, 2, 192}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    assert_int_equal(flg_arena_bytes(cases[k].count, cases[k].element_bytes), cases[k].expected);
  }
}

static void pieces_are_aligned_apart_and_zero(void **state) {
  (void)state;
  random_source source = {1};
  flg_arena arena = arena_of(100000);
  const unsigned char *end = arena.base;
  for (int k = 0; k < 100; k++) {
    const size_t count = (size_t)random_integer(&source, 0, 100), used = arena.used;
    unsigned char *piece = flg_arena_take(&arena, count, 3);
    assert_non_null(piece);
    assert_int_equal((uintptr_t)piece % FLG_ARENA_ALIGNMENT, 0);
    assert_int_equal(arena.used - used, flg_arena_bytes(count, 3));
    if (k > 0) assert_true(piece >= end + 64);
    for (size_t i = 0; i < 3 * count; i++) assert_int_equal(piece[i], 0);
    memset(piece, 0xff, 3 * count);
    end = piece + 3 * count;
  }
  flg_arena_release(&arena);
}

/* A layout that was measured fits, and one piece more does not. */
static void what_was_measured_fits_exactly(void **state) {
  (void)state;
  flg_arena arenas[2] = {flg_arena_measure()};
  for (int k = 0; k < 2; k++) {
    for (size_t count = 0; count < 50; count++) {
      const void *piece = flg_arena_take(&arenas[k], count, 7);
      assert_true((piece != NULL) == (k == 1));
    }
    if (k == 0) arenas[1] = arena_of(arenas[0].used);
  }
  assert_null(flg_arena_take(&arenas[1], 0, 1));
  assert_null(flg_arena_take(&arenas[0], SIZE_MAX / 2, 7));
  assert_int_equal(arenas[0].used, arenas[1].used);
  flg_arena_release(&arenas[1]);
}

static void rewinding_gives_the_same_memory_again_and_zeroed(void **state) {
  (void)state;
  flg_arena arena = arena_of(1000);
  int *kept = flg_arena_take(&arena, 4, sizeof *kept);
  kept[3] = 42;
  const size_t mark = arena.used;
  int *first = flg_arena_take(&arena, 50, sizeof *first);
  memset(first, 0xff, 50 * sizeof *first);
  flg_arena_rewind(&arena, mark);
  assert_int_equal(arena.used, mark);
  int *second = flg_arena_take(&arena, 60, sizeof *second);
  assert_ptr_equal(second, first);
  for (int k = 0; k < 60; k++) assert_int_equal(second[k], 0);
  assert_int_equal(kept[3], 42);
  flg_arena_release(&arena);
}

static void an_arena_is_full_to_the_last_byte(void **state) {
  (void)state;
  flg_arena arena = arena_of(flg_arena_bytes(10, 8) + flg_arena_bytes(3, 4));
  assert_non_null(flg_arena_take(&arena, 10, 8));
  assert_non_null(flg_arena_take(&arena, 3, 4));
  assert_int_equal(flg_arena_left(&arena), 0);
  assert_null(flg_arena_take(&arena, 0, 1));
  flg_arena_release(&arena);
}

static void take_fails_cleanly_for_every_smaller_arena(void **state) {
  (void)state;
  for (size_t capacity = 0; capacity < flg_arena_bytes(20, 8); capacity++) {
    flg_arena arena = arena_of(capacity);
    assert_null(flg_arena_take(&arena, 20, 8));
    assert_int_equal(arena.used, 0);
    assert_int_equal(flg_arena_left(&arena), capacity);
    flg_arena_release(&arena);
  }
}

static void sizes_that_overflow_are_refused(void **state) {
  (void)state;
  const size_t counts[][2] = {{SIZE_MAX, 1},      {SIZE_MAX, 8},        {SIZE_MAX / 8 + 1, 8},
                              {SIZE_MAX - 64, 1}, {SIZE_MAX, SIZE_MAX}, {2, SIZE_MAX}};
  flg_arena arena = arena_of(1000);
  flg_arena endless = {.base = arena.base, .capacity = SIZE_MAX};
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
    assert_true(flg_arena_bytes(counts[k][0], counts[k][1]) == SIZE_MAX);
    assert_null(flg_arena_take(&arena, counts[k][0], counts[k][1]));
    assert_null(flg_arena_take(&endless, counts[k][0], counts[k][1]));
  }
  assert_true(arena.used == 0 && endless.used == 0);
  flg_arena_release(&arena);
}

static void an_arena_without_memory_gives_nothing(void **state) {
  (void)state;
  flg_arena arena = {0};
  assert_null(flg_arena_take(&arena, 0, 0));
  flg_arena_rewind(&arena, 0);
  assert_int_equal(flg_arena_left(&arena), 0);
  flg_arena_release(&arena);
}

static void build_refuses_what_the_system_lacks(void **state) {
  (void)state;
  const size_t capacities[] = {SIZE_MAX, SIZE_MAX - 100};
  for (int k = 0; k < 2; k++) {
    flg_arena arena = {.used = 7};
    flg_error error = {0};
    assert_int_equal(flg_arena_build(&arena, capacities[k], &error), FLG_ERR_MEMORY);
    assert_true(arena.used == 7 && arena.base == NULL);
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%zu bytes", capacities[k]);
    assert_non_null(strstr(error.message, bytes));
  }
}

static void release_leaves_an_empty_arena(void **state) {
  (void)state;
  flg_arena arena = arena_of(100);
  flg_arena_release(&arena);
  assert_true(arena.base == NULL && arena.capacity == 0 && arena.used == 0);
  flg_arena_release(&arena);
}

#ifdef HAS_ASAN

static bool poisoned(const void *address) {
  return __asan_address_is_poisoned(address) != 0;
}

static void only_what_is_taken_may_be_touched(void **state) {
  (void)state;
  flg_arena arena = arena_of(1000);
  assert_true(poisoned(arena.base));
  for (size_t count = 1; count < 70; count++) {
    const size_t mark = arena.used;
    unsigned char *piece = flg_arena_take(&arena, count, 1), *end = (unsigned char *)arena.base;
    for (size_t k = 0; k < count; k++) assert_false(poisoned(piece + k));
    for (end += arena.used; end > piece + count; end--) assert_true(poisoned(end - 1));
    flg_arena_rewind(&arena, mark);
    for (size_t k = 0; k < count; k++) assert_true(poisoned(piece + k));
  }
  flg_arena_release(&arena);
}

#else

static void only_what_is_taken_may_be_touched(void **state) {
  (void)state;
  skip(); /* needs AddressSanitizer */
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_piece_takes_whole_lines_and_a_gap),
      cmocka_unit_test(pieces_are_aligned_apart_and_zero),
      cmocka_unit_test(what_was_measured_fits_exactly),
      cmocka_unit_test(rewinding_gives_the_same_memory_again_and_zeroed),
      cmocka_unit_test(an_arena_is_full_to_the_last_byte),
      cmocka_unit_test(take_fails_cleanly_for_every_smaller_arena),
      cmocka_unit_test(sizes_that_overflow_are_refused),
      cmocka_unit_test(an_arena_without_memory_gives_nothing),
      cmocka_unit_test(build_refuses_what_the_system_lacks),
      cmocka_unit_test(release_leaves_an_empty_arena),
      cmocka_unit_test(only_what_is_taken_may_be_touched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
