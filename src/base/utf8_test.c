#include "base/utf8.h"

#include "check.h"

static int length_of(const char *text) {
  return flg_utf8_length(text, text + strlen(text));
}

static void characters_have_one_to_four_bytes(void **state) {
  (void)state;
  assert_int_equal(length_of("a"), 1);
  assert_int_equal(length_of("\xc3\xa4"), 2);
  assert_int_equal(length_of("\xe2\x82\xac"), 3);
  assert_int_equal(length_of("\xf0\x9f\x98\x80"), 4);
  assert_int_equal(length_of("\xef\xbb\xbf"), 3);
}

static void what_is_not_a_character_has_no_length(void **state) {
  (void)state;
  const char *texts[] = {"\x01",         "\t",           "\x7f",
                         "\x80",         "\xc0\x80",     "\xc3",
                         "\xe0\x8a\x41", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                         "\xff"};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    assert_int_equal(length_of(texts[k]), 0);
  }
  assert_int_equal(flg_utf8_length("", ""), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(characters_have_one_to_four_bytes),
      cmocka_unit_test(what_is_not_a_character_has_no_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
