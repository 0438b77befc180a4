#include "base/number.h"

#include <locale.h>

#include "check.h"

static void written_numbers_read_back_to_the_same_bits(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < 100000; k++) {
    const uint64_t bits = random_bits(&source);
    double value, back;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    char text[FLG_NUMBER_TEXT];
    const char *end = flg_number_parse(flg_number_write(value, text), &back);
    assert_true(end != NULL && *end == '\0');
    assert_memory_equal(&back, &value, sizeof value);
  }
}

static void numbers_are_written_as_short_as_possible(void **state) {
  (void)state;
  char text[FLG_NUMBER_TEXT];
  assert_string_equal(flg_number_write(0.1, text), "0.1");
  assert_string_equal(flg_number_write(-3, text), "-3");
  assert_string_equal(flg_number_write(1.0 / 3, text), "0.3333333333333333");
  assert_string_equal(flg_number_write(NAN, text), "nan");
  assert_string_equal(flg_number_write(-INFINITY, text), "-inf");
}

static void what_is_no_decimal_number_is_refused(void **state) {
  (void)state;
  const char *texts[] = {"", "-", "x1", "nan", "inf", "0x10", " 1", "+-1", ".", "e5"};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    double value;
    assert_null(flg_number_parse(texts[k], &value));
  }
}

static void a_decimal_comma_of_the_host_changes_nothing(void **state) {
  (void)state;
  const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
  bool set = false;
  for (size_t k = 0; k < sizeof names / sizeof names[0] && !set; k++) {
    set = setlocale(LC_NUMERIC, names[k]) != NULL;
  }
  char text[FLG_NUMBER_TEXT];
  double value = 0;
  flg_number_parse("1.5", &value);
  assert_true(value == 1.5);
  assert_string_equal(flg_number_write(2.5, text), "2.5");
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_numbers_read_back_to_the_same_bits),
      cmocka_unit_test(numbers_are_written_as_short_as_possible),
      cmocka_unit_test(what_is_no_decimal_number_is_refused),
      cmocka_unit_test(a_decimal_comma_of_the_host_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
