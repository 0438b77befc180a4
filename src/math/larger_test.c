#include "math/larger.h"
#include "check.h"

static void numbers_are_compared(void **state) {
  (void)state;
  assert_true(flg_larger(1, 2) == 2 && flg_larger(2, 1) == 2 && flg_larger(-1, -1) == -1);
  assert_true(flg_smaller(1, 2) == 1 && flg_smaller(2, 1) == 1 && flg_smaller(-1, -1) == -1);
  assert_true(flg_larger(-HUGE_VAL, 0) == 0 && flg_larger(HUGE_VAL, 0) == HUGE_VAL);
  assert_true(flg_smaller(-HUGE_VAL, 0) == -HUGE_VAL && flg_smaller(HUGE_VAL, 0) == 0);
}

static void nan_is_kept_from_either_side(void **state) {
  (void)state;
  const double nan = (double)NAN;
  assert_true(isnan(flg_larger(nan, 1)) && isnan(flg_larger(1, nan)));
  assert_true(isnan(flg_smaller(nan, 1)) && isnan(flg_smaller(1, nan)));
  assert_true(isnan(flg_larger(nan, nan)) && isnan(flg_smaller(nan, nan)));
}

static void the_first_nan_exceeds_all(void **state) {
  (void)state;
  const double nan = (double)NAN;
  assert_true(flg_exceeds(2, 1) && !flg_exceeds(1, 1) && !flg_exceeds(1, 2));
  assert_true(flg_exceeds(nan, 1) && flg_exceeds(nan, HUGE_VAL));
  assert_true(!flg_exceeds(1, nan) && !flg_exceeds(nan, nan) && !flg_exceeds(HUGE_VAL, nan));
}

static void nan_anywhere_in_an_array_makes_its_difference_nan(void **state) {
  (void)state;
  const double fine[3] = {0, 1, 2};
  for (int k = 0; k < 3; k++) {
    double off[3] = {0.25, 1, 2};
    assert_true(max_difference(off, fine, 3) == 0.25);
    off[k] = NAN;
    assert_true(isnan(max_difference(off, fine, 3)) && isnan(max_difference(fine, off, 3)));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_compared),
      cmocka_unit_test(nan_is_kept_from_either_side),
      cmocka_unit_test(the_first_nan_exceeds_all),
      cmocka_unit_test(nan_anywhere_in_an_array_makes_its_difference_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
