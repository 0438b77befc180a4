#include "base/closest.h"

#include "check.h"

static void slips_of_the_pen_are_understood(void **state) {
  (void)state;
  const char *words[] = {"position", "velocity", "energy", "at"};
  const struct {
    const char *written, *meant;
  } cases[] = {{"postion", "position"},
               {"positoin", "position"},
               {"velocty", "velocity"},
               {"enrgy", "energy"},
               {"at", "at"},
               {"energies", "energy"},
               {"colour", NULL},
               {"", NULL},
               {"xyz", NULL}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const char *closest = flg_closest_word(cases[k].written, words, 4);
    if (cases[k].meant == NULL) {
      assert_null(closest);
    } else {
      assert_non_null(closest);
      assert_string_equal(closest, cases[k].meant);
    }
  }
}

static void long_words_are_not_compared(void **state) {
  (void)state;
  char word[200];
  memset(word, 'a', 199);
  word[199] = '\0';
  const char *words[] = {"aaa"};
  assert_null(flg_closest_word(word, words, 1));
}

static void a_hint_names_the_close_word_or_is_empty(void **state) {
  (void)state;
  const char *words[] = {"shoulder", "elbow"};
  char text[FLG_HINT_TEXT];
  assert_string_equal(flg_closest_hint("elbwo", words, 2, text), "; did you mean 'elbow'?");
  assert_string_equal(flg_closest_hint("wheel", words, 2, text), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slips_of_the_pen_are_understood),
      cmocka_unit_test(long_words_are_not_compared),
      cmocka_unit_test(a_hint_names_the_close_word_or_is_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
