#include "dynamics/sine.h"

#include "check.h"

/* errors in units of the last place of the true value, which long double knows to 11 bits more */
static double units_off(double actual, long double expected) {
  const double place = nextafter(fabs((double)expected), 2) - fabs((double)expected);
  return fabs((double)((long double)actual - expected)) / place;
}

static void assert_close(double angle) {
  double sine, cosine;
  flg_sines(&angle, 1, &sine, &cosine);
  if (units_off(sine, sinl(angle)) <= 1.1 && units_off(cosine, cosl(angle)) <= 1.1) return;
  print_error("the sine or cosine of %.17g is off by %g, %g units\n", angle,
              units_off(sine, sinl(angle)), units_off(cosine, cosl(angle)));
  fail();
}

static void sines_are_right_to_the_last_place(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < 200000; k++) {
    assert_close(random_uniform(&source, -4, 4));
    assert_close(random_uniform(&source, -1e4, 1e4));
    assert_close(random_uniform(&source, -FLG_SINE_LIMIT, FLG_SINE_LIMIT));
  }
}

/* where the reduction cancels most: doubles next to multiples of a quarter turn */
static void sines_next_to_quarter_turns_keep_their_digits(void **state) {
  (void)state;
  for (int n = -2000; n <= 2000; n++) {
    const double angle = n * 1.57079632679489661923;
    if (n == 0) continue;
    assert_close(angle);
    assert_close(nextafter(angle, 1e9));
    assert_close(nextafter(angle, -1e9));
  }
}

static void sines_of_zero_and_tiny_angles_are_exact(void **state) {
  (void)state;
  const double angles[3] = {0, 1e-300, -1e-9};
  double sines[3], cosines[3];
  flg_sines(angles, 3, sines, cosines);
  for (int k = 0; k < 3; k++) assert_true(sines[k] == angles[k] && cosines[k] == 1);
}

static void huge_angles_go_to_libm_and_others_do_not_notice(void **state) {
  (void)state;
  const double angles[5] = {1e22, 1, NAN, -INFINITY, 2};
  double sines[5], cosines[5], alone[2];
  flg_sines(angles, 5, sines, cosines);
  assert_true(sines[0] == sin(1e22) && cosines[0] == cos(1e22));
  assert_true(isnan(sines[2]) && isnan(cosines[2]) && isnan(sines[3]) && isnan(cosines[3]));
  flg_sines(angles + 1, 1, &alone[0], &alone[1]);
  assert_true(sines[1] == alone[0] && cosines[1] == alone[1]);
  flg_sines(angles + 4, 1, &alone[0], &alone[1]);
  assert_true(sines[4] == alone[0] && cosines[4] == alone[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sines_are_right_to_the_last_place),
      cmocka_unit_test(sines_next_to_quarter_turns_keep_their_digits),
      cmocka_unit_test(sines_of_zero_and_tiny_angles_are_exact),
      cmocka_unit_test(huge_angles_go_to_libm_and_others_do_not_notice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
