#include "flange/mistakes.h"

#include "check.h"

static void a_mistake_is_told_with_what_is_known_of_its_place(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  flg_mistake_add(&mistakes, FLG_ERR_INPUT, (flg_place){"a.yaml", 3, 7}, "too %s", "long");
  flg_mistake_add(&mistakes, FLG_ERR_MISSING, (flg_place){.file = "b.yaml"}, "gone");
  flg_mistake_add(&mistakes, FLG_ERR_RANGE, (flg_place){0}, "none left");
  char text[200];
  flg_mistake_text(&mistakes.list[0], text, sizeof text);
  assert_string_equal(text, "a.yaml:3:7: too long");
  flg_mistake_text(&mistakes.list[1], text, sizeof text);
  assert_string_equal(text, "b.yaml: gone");
  flg_mistake_text(&mistakes.list[2], text, sizeof text);
  assert_string_equal(text, "none left");
  flg_error error;
  assert_int_equal(flg_mistakes_error(&mistakes, &error), FLG_ERR_INPUT);
  assert_string_equal(error.message, "a.yaml:3:7: too long (and 2 more)");
}

static void more_mistakes_than_there_is_room_for_are_counted(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  for (int k = 0; k < FLG_MISTAKES_LISTED + 10; k++) {
    flg_mistake_add(&mistakes, FLG_ERR_INPUT, (flg_place){"a", k + 1, 1}, "no");
  }
  assert_int_equal(mistakes.count, FLG_MISTAKES_LISTED + 10);
  assert_int_equal(mistakes.list[FLG_MISTAKES_LISTED - 1].line, FLG_MISTAKES_LISTED);
}

static void a_long_path_keeps_its_end(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  char path[1000];
  memset(path, 'x', sizeof path);
  strcpy(path + 990, "/end.yaml");
  flg_mistake_add(&mistakes, FLG_ERR_INPUT, (flg_place){path, 1, 1}, "no");
  const char *file = mistakes.list[0].file;
  assert_memory_equal(file, "...", 3);
  assert_string_equal(file + strlen(file) - 9, "/end.yaml");
}

static void a_lack_of_memory_outweighs_what_may_follow_from_it(void **state) {
  (void)state;
  flg_mistakes mistakes = {0};
  flg_mistake_add(&mistakes, FLG_ERR_INPUT, (flg_place){0}, "no such body");
  flg_mistake_add(&mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  flg_mistake_add(&mistakes, FLG_ERR_INPUT, (flg_place){0}, "no such joint");
  assert_int_equal(mistakes.status, FLG_ERR_MEMORY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mistake_is_told_with_what_is_known_of_its_place),
      cmocka_unit_test(more_mistakes_than_there_is_room_for_are_counted),
      cmocka_unit_test(a_long_path_keeps_its_end),
      cmocka_unit_test(a_lack_of_memory_outweighs_what_may_follow_from_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
