/* Modes of a friction inside of a part, at the start of a step and after a solve. */
#include "limits/inner_friction.h"

#include "check.h"

static const double H = 1e-3;

static void it_slips_the_way_it_moves(void **state) {
  (void)state;
  double mode = 0, held = 0;
  const flg_inner_friction friction = {.bound = 2, .creep = 1e-3, .mode = &mode, .held = &held};
  const flg_inner_friction none = {.bound = 0, .creep = 0, .mode = &mode, .held = &held};
  assert_int_equal(flg_inner_friction_start(&friction, 0.1, H), 1);
  assert_int_equal(flg_inner_friction_start(&friction, -0.1, H), -1);
  assert_int_equal(flg_inner_friction_start(&friction, 0.5e-6, H), 0); /* below its creep */
  assert_int_equal(flg_inner_friction_start(&none, 0.1, H), 0);
}

static void it_holds_impulses_up_to_its_bound(void **state) {
  (void)state;
  double mode = 0, held = 0;
  const flg_inner_friction friction = {.bound = 2, .creep = 1e-3, .mode = &mode, .held = &held};
  assert_int_equal(flg_inner_friction_hold(&friction, 1.99 * H, H), 0);
  assert_int_equal(flg_inner_friction_hold(&friction, -1.99 * H, H), 0);
  /* it comes loose against the impulse that it can no longer hold */
  assert_int_equal(flg_inner_friction_hold(&friction, 2.01 * H, H), -1);
  assert_int_equal(flg_inner_friction_hold(&friction, -2.01 * H, H), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_slips_the_way_it_moves),
      cmocka_unit_test(it_holds_impulses_up_to_its_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
