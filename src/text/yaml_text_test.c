#include "text/yaml_text.h"

#include "check.h"
#include "text/yaml.h"

static void assert_written(const char *text, const char *expected) {
  flg_region region = {0};
  assert_string_equal(flg_yaml_text(&region, text), expected);
  flg_region_release(&region);
}

static void words_and_paths_stand_without_quotes(void **state) {
  (void)state;
  assert_written("elbow", "elbow");
  assert_written("left arm", "left arm");
  assert_written("../meshes/arm-2.stl", "../meshes/arm-2.stl");
  assert_written("/meshes/a.stl", "/meshes/a.stl");
  assert_written("_x1", "_x1");
}

static void what_could_be_mistaken_is_quoted(void **state) {
  (void)state;
  assert_written("", "\"\"");
  assert_written("true", "\"true\"");
  assert_written("No", "\"No\"");
  assert_written("12", "\"12\"");
  assert_written(".5", "\".5\"");
  assert_written("-a", "\"-a\"");
  assert_written("a ", "\"a \"");
  assert_written("a: b", "\"a: b\"");
  assert_written("a\"\\", "\"a\\\"\\\\\"");
  assert_written("tab\there", "\"tab\\u0009here\"");
  assert_written(
      "B\xc3\xbc"
      "chse",
      "\"B\xc3\xbc"
      "chse\"");
}

/* as a key and as a value of a flow map */
static void assert_reads_back(const char *text) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_region region = {0};
  const char *written = flg_yaml_text(&region, text);
  const char *yaml = flg_region_format(&region, "%s: {%s: %s}\n", written, written, written);
  const flg_node *root = flg_yaml_parse(&region, "text", yaml, strlen(yaml), &mistakes);
  if (mistakes.count > 0) fail_msg("%s: %s", yaml, mistakes.list[0].message);
  assert_string_equal(root->first->key, text);
  assert_string_equal(root->first->first->key, text);
  assert_string_equal(root->first->first->text, text);
  flg_region_release(&region);
}

static void every_text_reads_back_as_it_was(void **state) {
  (void)state;
  const char *texts[] = {"a",
                         "a b",
                         "a#b",
                         "a #b",
                         "<<",
                         "- a",
                         "? a",
                         "[a, b]",
                         "{a}",
                         "'a'",
                         "*a",
                         "&a",
                         "!a",
                         "%a",
                         "@a",
                         "`a",
                         "a:",
                         ":a",
                         "|",
                         ">",
                         "~",
                         "line\nbreak",
                         "\xc2\x85",
                         "\xc2\x80",
                         "\xe2\x80\xa8",
                         "\xef\xbb\xbf",
                         "\xef\xbf\xbf",
                         "\xf0\x9f\xa4\x96",
                         "\xe2\x82\xac",
                         "null",
                         "package://arm/a b.stl",
                         "...",
                         "---",
                         ". a",
                         "./",
                         "/"};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) assert_reads_back(texts[k]);
  for (int c = 1; c < 0x80; c++) assert_reads_back((const char[]){(char)c, '\0'});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_and_paths_stand_without_quotes),
      cmocka_unit_test(what_could_be_mistaken_is_quoted),
      cmocka_unit_test(every_text_reads_back_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
