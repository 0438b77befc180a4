#include "base/pair_set.h"

#include "check.h"

/* A table of all pairs says the same. */
static void pairs_are_found_in_either_order_and_once(void **state) {
  (void)state;
  enum { NUMBERS = 20, CASES = REPEATS(200) };
  random_source source = {3};
  for (int i = 0; i < CASES; i++) {
    flg_region region = {0};
    flg_pair_set set = {0};
    bool listed[NUMBERS][NUMBERS] = {{false}};
    int different = 0;
    const int count = (int)random_uniform(&source, 0, 100);
    for (int k = 0; k < count; k++) {
      const int a = (int)random_uniform(&source, 0, NUMBERS);
      const int b = (int)random_uniform(&source, 0, NUMBERS);
      different += !listed[a][b];
      listed[a][b] = listed[b][a] = true;
      flg_pair_set_add(&set, a, b, &region);
    }
    flg_pair_set_sort(&set);
    assert_int_equal(set.count, different);
    for (int k = 0; k < NUMBERS * NUMBERS; k++) {
      assert_int_equal(flg_pair_set_has(&set, k / NUMBERS, k % NUMBERS),
                       listed[k / NUMBERS][k % NUMBERS]);
    }
    flg_region_release(&region);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_found_in_either_order_and_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
