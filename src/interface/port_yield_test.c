/* Lengths of models, and what their ports yield, in any unit. */
#include "interface/port_yield.h"

#include "check.h"

enum { ROWS = 6 };

/* one port that yields alike in all directions: linear [1/kg], angular [1/(kg m^2)] */
static void fill_port(double D[ROWS * ROWS], double linear, double angular) {
  for (int k = 0; k < ROWS * ROWS; k++) D[k] = 0;
  for (int k = 0; k < ROWS; k++) D[k * (ROWS + 1)] = k < 3 ? linear : angular;
}

static void a_length_is_the_same_in_any_unit(void **state) {
  (void)state;
  for (int power = -60; power <= 60; power += 10) {
    double D[ROWS * ROWS];
    const double unit = ldexp(1, power);
    fill_port(D, 2, 8 / (unit * unit));
    assert_true(flg_port_yield_length(ROWS, D, unit) == 0.5 * unit);
    const flg_yield yield = flg_port_yield_of(ROWS, D, 0, unit);
    assert_true(yield.linear == 2);
    assert_true(yield.angular == 8 / (unit * unit));
  }
}

/* a slide of a plug-in, which turns by rounding: the length of the system counts */
static void what_yields_by_rounding_alone_has_no_length(void **state) {
  (void)state;
  for (int power = -60; power <= 60; power += 10) {
    double D[ROWS * ROWS];
    const double unit = ldexp(1, power);
    fill_port(D, 2, 1e-17 / (unit * unit));
    assert_true(flg_port_yield_length(ROWS, D, unit) == 0);
    assert_true(flg_port_yield_of(ROWS, D, 0, unit).angular == 2 / (unit * unit));
    fill_port(D, 1e-17, 8 / (unit * unit));
    assert_true(flg_port_yield_length(ROWS, D, unit) == 0);
    assert_true(flg_port_yield_of(ROWS, D, 0, unit).linear == 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_length_is_the_same_in_any_unit),
      cmocka_unit_test(what_yields_by_rounding_alone_has_no_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
