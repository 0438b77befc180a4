#include "text/quantity.h"

#include "check.h"

static void quantities_are_read_as_users_write_them(void **state) {
  (void)state;
  const struct {
    const char *text, *unit;
    double value;
  } cases[] = {
      {"3", NULL, 3},
      {"-1.5e-3", "m", -1.5e-3},
      {"+2.", "m", 2},
      {".5", "m", 0.5},
      {"1/60", "s", 1.0 / 60},
      {" 1 / 4 ", "s", 0.25},
      {"2 m", "m", 2},
      {"1/2 kg", "kg", 0.5},
      {"180 deg", "rad", 3.14159265358979323846},
      {"90deg", NULL, 1.57079632679489661923},
      {"180 deg/s", "rad/s", 3.14159265358979323846},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    double value = NAN;
    assert_null(flg_quantity_parse(cases[k].text, cases[k].unit, &value));
    assert_near(value, cases[k].value, 1e-15);
  }
}

static void what_is_no_quantity_is_told_why(void **state) {
  (void)state;
  const struct {
    const char *text, *unit, *wrong;
  } cases[] = {
      {"", "m", "is not a number"},
      {"abc", "m", "is not a number"},
      {"nan", "m", "is not a number"},
      {"inf", "m", "is not a number"},
      {"0x10", "m", "is not a number"},
      {"1/0", "s", "divides by zero"},
      {"1/", "s", "has no number after '/'"},
      {"1/x", "s", "has no number after '/'"},
      {"45 deg", "m", "has an unexpected unit or trailing text"},
      {"1 2", "m", "has an unexpected unit or trailing text"},
      {"1/2/3", "m", "has an unexpected unit or trailing text"},
      {"1e400", "m", "is too large for a number"},
      {"1e300/1e-300", "m", "is too large for a number"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    double value;
    const char *wrong = flg_quantity_parse(cases[k].text, cases[k].unit, &value);
    assert_non_null(wrong);
    assert_string_equal(wrong, cases[k].wrong);
  }
}

static void angles_are_written_in_degrees_where_that_is_exact(void **state) {
  (void)state;
  const double right = 1.5707963267948966;
  char text[FLG_NUMBER_TEXT];
  assert_string_equal(flg_angle_write(right, text), "90 deg");
  assert_string_equal(flg_angle_write(-right / 3, text), "-30 deg");
  assert_string_equal(flg_angle_write(0, text), "0");
  assert_string_equal(flg_angle_write(0.1, text), "0.1");
  assert_string_equal(flg_angle_write(1.5708, text), "1.5708");
  for (int k = -720; k <= 720; k++) {
    const double angle = k * right / 180;
    double back = NAN;
    assert_null(flg_quantity_parse(flg_angle_write(angle, text), "rad", &back));
    assert_true(back == angle);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantities_are_read_as_users_write_them),
      cmocka_unit_test(what_is_no_quantity_is_told_why),
      cmocka_unit_test(angles_are_written_in_degrees_where_that_is_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
