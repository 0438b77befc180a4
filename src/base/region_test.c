#include "base/region.h"

#include "check.h"

static void pieces_are_zeroed_aligned_and_apart(void **state) {
  (void)state;
  flg_region region = {0};
  for (size_t bytes = 0; bytes < 3000; bytes += 7) {
    unsigned char *piece = flg_region_take(&region, bytes, 1);
    assert_non_null(piece);
    assert_int_equal((uintptr_t)piece % _Alignof(max_align_t), 0);
    for (size_t k = 0; k < bytes; k++) {
      assert_int_equal(piece[k], 0);
      piece[k] = 0xff;
    }
  }
  flg_region_release(&region);
  assert_null(region.newest);
}

static void arrays_start_on_cache_lines(void **state) {
  (void)state;
  flg_region region = {0};
  for (size_t count = 4; count < 9000; count += 1 + count / 3) {
    assert_int_equal((uintptr_t)flg_region_take(&region, count, sizeof(double)) % 64, 0);
    assert_int_equal((uintptr_t)flg_region_take_scratch(&region, count, sizeof(double)) % 64, 0);
    (void)flg_region_take(&region, count % 3, 1);
  }
  assert_int_equal(flg_region_check(&region, "numbers", NULL), FLG_OK);
  flg_region_release(&region);
}

static void large_pieces_get_a_chunk_of_their_own(void **state) {
  (void)state;
  flg_region region = {0};
  unsigned char *large = flg_region_take(&region, 1000000, 8);
  assert_non_null(large);
  large[7999999] = 1;
  flg_region_release(&region);
}

static void what_cannot_be_had_fails_once_and_for_all_to_see(void **state) {
  (void)state;
  flg_region region = {.limit = 1000};
  assert_non_null(flg_region_take(&region, 500, 1));
  assert_false(region.failed);
  assert_null(flg_region_take(&region, 600, 1));
  assert_true(region.failed);
  assert_null(flg_region_take(&region, SIZE_MAX, 16));
  flg_error error = {0};
  assert_int_equal(flg_region_check(&region, "a robot", &error), FLG_ERR_MEMORY);
  assert_string_equal(error.message, "There is no memory for a robot.");
  flg_region_release(&region);
  assert_false(region.failed);
}

static void texts_are_copied_and_formatted(void **state) {
  (void)state;
  flg_region region = {0};
  assert_string_equal(flg_region_text(&region, "abcdef", 3), "abc");
  assert_string_equal(flg_region_format(&region, "%s/%d", "x", 12), "x/12");
  flg_region_release(&region);
}

static void settle(void *what) {
  *(int *)what = *(int *)what * 10 + 1;
}

static void settle_otherwise(void *what) {
  *(int *)what = *(int *)what * 10 + 2;
}

static void debts_are_settled_once_the_newest_first(void **state) {
  (void)state;
  flg_region region = {0};
  int history = 0;
  flg_region_owe(&region, settle, &history);
  flg_region_owe(&region, settle_otherwise, &history);
  assert_int_equal(history, 0);
  flg_region_release(&region);
  assert_int_equal(history, 21);
  flg_region_release(&region);
  assert_int_equal(history, 21);
}

static void debts_that_cannot_be_remembered_are_settled_at_once(void **state) {
  (void)state;
  flg_region region = {.limit = 8};
  int history = 0;
  flg_region_owe(&region, settle, &history);
  assert_int_equal(history, 1);
  assert_true(region.failed);
  flg_region_release(&region);
  assert_int_equal(history, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
      cmocka_unit_test(arrays_start_on_cache_lines),
      cmocka_unit_test(large_pieces_get_a_chunk_of_their_own),
      cmocka_unit_test(what_cannot_be_had_fails_once_and_for_all_to_see),
      cmocka_unit_test(texts_are_copied_and_formatted),
      cmocka_unit_test(debts_are_settled_once_the_newest_first),
      cmocka_unit_test(debts_that_cannot_be_remembered_are_settled_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
