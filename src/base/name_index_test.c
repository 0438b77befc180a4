#include "base/name_index.h"

#include "check.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_name_is_found_under_its_number),
      cmocka_unit_test(the_first_of_two_equal_names_stays),
      cmocka_unit_test(without_memory_the_index_keeps_what_it_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
