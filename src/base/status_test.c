#include "flange/status.h"

#include "check.h"

static void fail_fills_the_error_and_returns_the_status(void **state) {
  (void)state;
  flg_error error = {0};
  assert_int_equal(flg_fail(&error, FLG_ERR_PHYSICS, "Mass %d of '%s' is %g.", 3, "arm", -1.5),
                   FLG_ERR_PHYSICS);
  assert_int_equal(error.status, FLG_ERR_PHYSICS);
  assert_string_equal(error.message, "Mass 3 of 'arm' is -1.5.");
}

static void fail_without_an_error_only_returns_the_status(void **state) {
  (void)state;
  assert_int_equal(flg_fail(NULL, FLG_ERR_RANGE, "Nobody reads this."), FLG_ERR_RANGE);
}

static void an_error_can_be_put_into_a_longer_sentence(void **state) {
  (void)state;
  flg_error error = {0};
  flg_fail(&error, FLG_ERR_INPUT, "The mass is missing.");
  flg_fail(&error, error.status, "In 'arm.yaml': %s", error.message);
  assert_string_equal(error.message, "In 'arm.yaml': The mass is missing.");
  assert_int_equal(error.status, FLG_ERR_INPUT);
}

/* "Bodies " and so many characters of the given UTF-8 bytes, cut by the call. */
static void fill(flg_error *error, const char *character, int padding) {
  char text[4 * sizeof error->message];
  size_t length = 0;
  for (int k = 0; k < padding; k++) text[length++] = 'x';
  while (length < 2 * sizeof error->message) {
    memcpy(text + length, character, strlen(character));
    length += strlen(character);
  }
  text[length] = '\0';
  flg_fail(error, FLG_ERR_INPUT, "%s", text);
}

static void long_messages_end_after_a_whole_character(void **state) {
  (void)state;
  const char *characters[] = {"a", "\xc3\xa9", "\xe2\x9f\x82", "\xf0\x9f\xa4\x96"};
  for (int bytes = 1; bytes <= 4; bytes++) {
    for (int padding = 0; padding < bytes; padding++) {
      flg_error error;
      memset(&error, '#', sizeof error);
      fill(&error, characters[bytes - 1], padding);
      const size_t length = strlen(error.message), whole = length - strlen("...");
      assert_in_range(length, sizeof error.message - 4, sizeof error.message - 1);
      assert_string_equal(error.message + whole, "...");
      assert_int_equal((whole - (size_t)padding) % (size_t)bytes, 0);
    }
  }
}

static void messages_that_just_fit_are_kept_whole(void **state) {
  (void)state;
  flg_error error;
  const int longest = (int)sizeof error.message - 1;
  flg_fail(&error, FLG_ERR_INPUT, "%*d", longest, 7);
  assert_int_equal(strlen(error.message), longest);
  assert_int_equal(error.message[longest - 1], '7');
  flg_fail(&error, FLG_ERR_INPUT, "%*d", longest + 1, 7);
  assert_int_equal(strlen(error.message), longest);
  assert_string_equal(error.message + longest - 3, "...");
}

static void bytes_that_are_no_text_do_no_harm(void **state) {
  (void)state;
  flg_error error;
  fill(&error, "\x80", 0); /* characters that never begin */
  assert_string_equal(error.message, "...");
}

static void messages_that_cannot_be_formatted_show_their_format(void **state) {
  (void)state;
  flg_error error;
  flg_fail(&error, FLG_ERR_INPUT, "The name is '%ls'.", L"\x9f82"); /* not in the "C" locale */
  assert_string_equal(error.message, "The name is '%ls'.");
}

static void every_status_has_words(void **state) {
  (void)state;
  for (int status = 0; status < FLG_STATUS_COUNT; status++) {
    const char *text = flg_status_text((flg_status)status);
    assert_non_null(text);
    assert_true(text[0] != '\0');
    assert_string_not_equal(text, "unknown status");
  }
  assert_string_equal(flg_status_text(FLG_OK), "success");
  assert_string_equal(flg_status_text(FLG_STATUS_COUNT), "unknown status");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fail_fills_the_error_and_returns_the_status),
      cmocka_unit_test(fail_without_an_error_only_returns_the_status),
      cmocka_unit_test(an_error_can_be_put_into_a_longer_sentence),
      cmocka_unit_test(long_messages_end_after_a_whole_character),
      cmocka_unit_test(messages_that_just_fit_are_kept_whole),
      cmocka_unit_test(bytes_that_are_no_text_do_no_harm),
      cmocka_unit_test(messages_that_cannot_be_formatted_show_their_format),
      cmocka_unit_test(every_status_has_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
