#include "base/name_index.h"

#include <time.h>

#include "base/given.h"
#include "check.h"
#include "random.h"

static void every_name_is_found_under_its_number(void **state) {
  (void)state;
  flg_region region = {0};
  flg_name_index index = {0};
  assert_int_equal(flg_name_index_find(&index, "anything"), FLG_NAME_UNKNOWN);
  for (int k = 0; k < 10000; k++) {
    const char *name = flg_region_format(&region, "link%d", k);
    assert_int_equal(flg_name_index_add(&index, name, k, &region), FLG_NAME_UNKNOWN);
  }
  for (int k = 0; k < 10000; k++) {
    char name[16];
    snprintf(name, sizeof name, "link%d", k);
    assert_int_equal(flg_name_index_find(&index, name), k);
  }
  assert_int_equal(flg_name_index_find(&index, "link10000"), FLG_NAME_UNKNOWN);
  assert_int_equal(index.count, 10000);
  flg_region_release(&region);
}

static void the_first_of_two_equal_names_stays(void **state) {
  (void)state;
  flg_region region = {0};
  flg_name_index index = {0};
  flg_name_index_add(&index, "elbow", 3, &region);
  assert_int_equal(flg_name_index_add(&index, "elbow", 7, &region), 3);
  assert_int_equal(flg_name_index_find(&index, "elbow"), 3);
  assert_int_equal(index.count, 1);
  flg_region_release(&region);
}

static void without_memory_the_index_keeps_what_it_has(void **state) {
  (void)state;
  flg_region region = {.limit = 600};
  flg_name_index index = {0};
  char names[64][16];
  for (int k = 0; k < 64; k++) {
    snprintf(names[k], sizeof names[k], "n%d", k);
    flg_name_index_add(&index, names[k], k, &region);
  }
  assert_true(region.failed);
  for (int k = 0; k < index.count; k++) assert_int_equal(flg_name_index_find(&index, names[k]), k);
  assert_int_equal(flg_name_index_find(&index, names[63]), FLG_NAME_UNKNOWN);
  flg_region_release(&region);
}

/* Names that share beginnings, are beginnings of each other, or differ in one bit of one letter, in
 * any order: against a plain search. */
static void names_are_told_apart_however_alike(void **state) {
  (void)state;
  enum { COUNT = 3000, LONGEST = 12 };
  static const char letters[] = {'a', 'b', 'c', 'q', 1, (char)0x80, (char)0xff};
  static char names[COUNT][LONGEST + 1];
  const char *items[COUNT];
  int count = 0;
  flg_region region = {0};
  flg_name_index index = {0};
  random_source source = {1};
  for (int k = 0; k < COUNT; k++) {
    const size_t length = (size_t)random_integer(&source, 0, LONGEST);
    for (size_t i = 0; i < length; i++)
      names[k][i] = letters[random_bits(&source) % sizeof letters];
    const int known = FLG_FIND(items, count, names[k]);
    assert_int_equal(flg_name_index_find(&index, names[k]), known);
    assert_int_equal(flg_name_index_add(&index, names[k], count, &region), known);
    if (known < 0) items[count++] = names[k];
  }
  assert_int_equal(index.count, count);
  for (int k = 0; k < count; k++) assert_int_equal(flg_name_index_find(&index, items[k]), k);
  flg_region_release(&region);
}

/* "a", "aa", "aaa" ... and short names beside them: no way through the tree is longer than the name
 * that is looked for */
static void long_names_do_not_delay_short_ones(void **state) {
  (void)state;
  enum { LONGEST = 20000, OFTEN = 300000 };
  char *all = malloc(LONGEST + 1);
  assert_non_null(all);
  memset(all, 'a', LONGEST), all[LONGEST] = '\0';
  flg_region region = {0};
  flg_name_index index = {0};
  for (int k = 0; k < LONGEST; k++) flg_name_index_add(&index, all + k, k, &region);
  const clock_t start = clock();
  for (int k = 0; k < OFTEN; k++) {
    assert_int_equal(flg_name_index_find(&index, "A"), FLG_NAME_UNKNOWN);
    assert_int_equal(flg_name_index_find(&index, "aa"), LONGEST - 2);
  }
  assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 2);
  flg_region_release(&region);
  free(all);
}

static void an_index_of_items_is_as_a_search(void **state) {
  (void)state;
  const char *items[] = {"hip", "knee", "ankle"}, *more[] = {"hip", "knee", "ankle", "toe"};
  flg_region region = {0};
  const flg_name_index index = FLG_INDEX(items, 3, &region);
  assert_int_equal(FLG_SEEK(&index, items, 3, "ankle"), 2);
  assert_int_equal(FLG_SEEK(&index, items, 3, "toe"), -1);
  assert_int_equal(FLG_SEEK(&index, more, 4, "toe"), 3);
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_name_is_found_under_its_number),
      cmocka_unit_test(the_first_of_two_equal_names_stays),
      cmocka_unit_test(names_are_told_apart_however_alike),
      cmocka_unit_test(long_names_do_not_delay_short_ones),
      cmocka_unit_test(an_index_of_items_is_as_a_search),
      cmocka_unit_test(without_memory_the_index_keeps_what_it_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
