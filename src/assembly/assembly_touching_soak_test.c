/* Bodies at rest for a long time, and a large heap. */
#include "touching_runs.h"

static void a_box_stays_for_an_hour(void **state) {
  (void)state;
  assert_true(run_box(3600) < 3e-10); /* 4e-11 m of rounding in 216,000 steps */
}

static void a_tower_stands_for_ten_minutes(void **state) {
  (void)state;
  assert_true(run_tower(600) < 5e-6); /* the slop of the lowest boxes */
}

static void two_hundred_boxes_come_to_rest(void **state) {
  (void)state;
  assert_true(run_heap(200, 5, 6) < 4e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_stays_for_an_hour),
      cmocka_unit_test(a_tower_stands_for_ten_minutes),
      cmocka_unit_test(two_hundred_boxes_come_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
