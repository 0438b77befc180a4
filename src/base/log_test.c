#include "base/log.h"

#include "check.h"

typedef struct heard {
  int count;
  flg_log_level level;
  char message[2000];
} heard;

static void listen(void *user, flg_log_level level, const char *message) {
  heard *last = user;
  last->count++;
  last->level = level;
  snprintf(last->message, sizeof last->message, "%s", message);
}

static void messages_reach_the_sink_formatted(void **state) {
  (void)state;
  heard last = {0};
  const flg_log log = {.level = FLG_LOG_INFO, .sink = listen, .user = &last};
  flg_log_write(&log, FLG_LOG_WARNING, "%d of %s", 3, "four");
  assert_int_equal(last.count, 1);
  assert_int_equal(last.level, FLG_LOG_WARNING);
  assert_string_equal(last.message, "3 of four");
}

static void messages_above_the_level_are_dropped(void **state) {
  (void)state;
  for (int level = 0; level < FLG_LOG_LEVEL_COUNT; level++) {
    heard last = {0};
    const flg_log log = {.level = (flg_log_level)level, .sink = listen, .user = &last};
    for (int k = 0; k < FLG_LOG_LEVEL_COUNT; k++) flg_log_write(&log, (flg_log_level)k, "hello");
    assert_int_equal(last.count, level + 1);
  }
}

static void without_a_sink_messages_vanish(void **state) {
  (void)state;
  const flg_log silent = {.level = FLG_LOG_DEBUG};
  flg_log_write(NULL, FLG_LOG_ERROR, "hello");
  flg_log_write(&silent, FLG_LOG_ERROR, "hello");
}

static void long_messages_are_cut_with_an_ellipsis(void **state) {
  (void)state;
  heard last = {0};
  const flg_log log = {.level = FLG_LOG_DEBUG, .sink = listen, .user = &last};
  flg_log_write(&log, FLG_LOG_DEBUG, "%1500d", 1);
  const size_t length = strlen(last.message);
  assert_true(length < 1500);
  assert_string_equal(last.message + length - 3, "...");
}

static void names_and_levels_map_to_each_other(void **state) {
  (void)state;
  for (int k = 0; k < FLG_LOG_LEVEL_COUNT; k++) {
    flg_log_level level = FLG_LOG_LEVEL_COUNT;
    assert_int_equal(flg_log_level_parse(flg_log_level_name((flg_log_level)k), &level, NULL),
                     FLG_OK);
    assert_int_equal(level, k);
  }
  assert_string_equal(flg_log_level_name(FLG_LOG_LEVEL_COUNT), "unknown");
}

static void unknown_names_are_answered_with_the_known_ones(void **state) {
  (void)state;
  const char *names[] = {"", "Error", "debugging", "unknown"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    flg_log_level level = FLG_LOG_INFO;
    flg_error error = {0};
    assert_int_equal(flg_log_level_parse(names[k], &level, &error), FLG_ERR_RANGE);
    assert_int_equal(level, FLG_LOG_INFO);
    assert_non_null(strstr(error.message, "error, warning, info or debug"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_reach_the_sink_formatted),
      cmocka_unit_test(messages_above_the_level_are_dropped),
      cmocka_unit_test(without_a_sink_messages_vanish),
      cmocka_unit_test(long_messages_are_cut_with_an_ellipsis),
      cmocka_unit_test(names_and_levels_map_to_each_other),
      cmocka_unit_test(unknown_names_are_answered_with_the_known_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
