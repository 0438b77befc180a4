#include "text/xml.h"

#include "check.h"

static flg_mistakes mistakes;

static flg_element *parse(flg_region *region, const char *text) {
  mistakes = (flg_mistakes){0};
  return flg_xml_parse(region, "a.xml", text, strlen(text), &mistakes);
}

/* the one mistake that a text has, as `line:column: message` */
static void assert_mistake(const char *text, int line, int column, const char *words) {
  flg_region region = {0};
  assert_null(parse(&region, text));
  assert_int_equal(mistakes.count, 1);
  if (strstr(mistakes.list[0].message, words) == NULL) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(mistakes.list[0].line, line);
  assert_int_equal(mistakes.list[0].column, column);
  flg_region_release(&region);
}

static void every_element_knows_where_it_was_written(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_element *root = parse(&region,
                                  "<?xml version='1.0'?>\n<!-- < a comment -->\n<robot name='r'>\n"
                                  "  <link\n    name='a'\n    rest='b'/><link name='c'>\n"
                                  "  </link>\n</robot>\n");
  assert_int_equal(mistakes.count, 0);
  assert_string_equal(root->name, "robot");
  assert_int_equal(root->place.line, 3);
  assert_int_equal(root->place.column, 1);
  const flg_element *a = flg_element_child(root, "link"), *c = flg_element_again(a);
  assert_int_equal(a->place.line, 4);
  assert_int_equal(a->place.column, 3);
  assert_int_equal(a->attribute_count, 2);
  assert_string_equal(flg_element_text(a, "rest"), "b");
  assert_int_equal(c->place.line, 6);
  assert_int_equal(c->place.column, 15);
  assert_null(flg_element_again(c));
  assert_null(flg_element_child(root, "joint"));
  flg_region_release(&region);
}

static void characters_are_decoded_and_prefixes_kept(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_element *root = parse(&region,
                                  "<r a='&lt;&amp;&#65;&quot;' x:b='2' c='B\xc3\xbc"
                                  "chse'><x:y/><![CDATA[<z>]]></r>");
  assert_int_equal(mistakes.count, 0);
  assert_string_equal(flg_element_text(root, "a"), "<&A\"");
  assert_string_equal(flg_element_text(root, "c"),
                      "B\xc3\xbc"
                      "chse");
  assert_null(flg_element_text(root, "b"));
  assert_non_null(flg_element_child(root, "x:y"));
  assert_null(root->first->next);
  flg_region_release(&region);
}

static void all_is_read_as_utf_8_whatever_it_says_of_itself(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_element *root =
      parse(&region, "<?xml version='1.0' encoding='ISO-8859-1'?>\n<r>\n  <s a='\xc3\xbc'/>\n</r>");
  assert_int_equal(mistakes.count, 0);
  assert_int_equal(root->first->place.line, 3);
  assert_string_equal(flg_element_text(root->first, "a"), "\xc3\xbc");
  root = parse(&region, "\xef\xbb\xbf<r/>"); /* with a byte order mark */
  assert_int_equal(mistakes.count, 0);
  assert_string_equal(root->name, "r");
  flg_region_release(&region);
}

static void what_is_not_xml_is_told_with_its_place(void **state) {
  (void)state;
  assert_mistake("", 0, 0, "the file is empty");
  assert_mistake("\n\n", 3, 1, "not XML");
  assert_mistake("hello", 1, 1, "not XML");
  assert_mistake("<r>\n  <a>\n</r>", 3, 3, "mismatched tag, inside of <a> on line 2");
  assert_mistake("<r>\n  <a/>\n", 3, 1, "inside of <r> on line 1");
  assert_mistake("<r a='1' a='2'/>", 1, 10, "duplicate attribute");
  assert_mistake("<r>\n<a b=c/></r>", 2, 6, "not XML");
  assert_mistake("<r/>\n<r/>", 2, 1, "not XML");
  assert_mistake("<r a='&nothing;'/>", 1, 1, "undefined entity");
}

static void document_types_and_their_entities_are_refused(void **state) {
  (void)state;
  assert_mistake("<!DOCTYPE r>\n<r/>", 1, 1, "document type");
  assert_mistake("<?xml version='1.0'?>\n<!DOCTYPE r SYSTEM 'http://127.0.0.1/r.dtd'>\n<r/>", 2, 1,
                 "document type");
  assert_mistake("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n<r a='&x;'>&x;</r>", 1, 1,
                 "document type");
  assert_mistake(
      "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>\n"
      "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>]>\n"
      "<r a='&d;&d;&d;&d;'/>",
      1, 1, "document type");
}

static void deep_nesting_is_refused(void **state) {
  (void)state;
  char text[30001];
  for (int k = 0; k < 10000; k++) memcpy(text + 3 * k, "<a>", 3);
  text[30000] = '\0';
  assert_mistake(text, 1, 64 * 3 + 1, "nested too deeply");
}

static void thousands_of_attributes_are_refused(void **state) {
  (void)state;
  enum { COUNT = 1001 };
  enum { ATTRIBUTE_TEXT = 20 };
  char text[ATTRIBUTE_TEXT * COUNT + 20] = "<r\n";
  for (int k = 0; k < COUNT; k++) snprintf(text + strlen(text), ATTRIBUTE_TEXT, " a%d=''", k);
  strcat(text, "/>");
  assert_mistake(text, 1, 1, "more than 1000 attributes");
  /* signs that belong to no attribute do no harm */
  memset(text, '=', sizeof text);
  memcpy(text, "<r><!--", 7);
  strcpy(text + sizeof text - 12, "--></r>");
  flg_region region = {0};
  assert_non_null(parse(&region, text));
  flg_region_release(&region);
}

static void binary_junk_is_refused(void **state) {
  (void)state;
  flg_region region = {0};
  mistakes = (flg_mistakes){0};
  assert_null(flg_xml_parse(&region, "a.xml", "<r>\n\0\x7f</r>", 10, &mistakes));
  assert_int_equal(mistakes.count, 1);
  assert_int_equal(mistakes.list[0].line, 2);
  flg_region_release(&region);
}

static void a_lack_of_memory_is_told(void **state) {
  (void)state;
  flg_region region = {.limit = 300};
  assert_null(parse(&region, "<r><a b='c'/><a b='c'/><a b='c'/><a b='c'/><a b='c'/></r>"));
  assert_int_equal(mistakes.count, 1);
  assert_non_null(strstr(mistakes.list[0].message, "no memory left"));
  flg_region_release(&region);
}

static void numbers_are_read_whatever_stands_between_them(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_element *root = parse(&region,
                                  "<r a=' 1\n-2e-3\t+.5 ' b='1 2' c='1,2,3' d='' e='1 2 x'"
                                  " f='0x10' g='nan' h='1e999' i='7'/>");
  double v[3] = {9, 9, 9};
  assert_true(flg_element_numbers(root, "a", 3, v, &mistakes));
  assert_true(v[0] == 1 && v[1] == -2e-3 && v[2] == 0.5);
  assert_false(flg_element_numbers(root, "absent", 3, v, &mistakes));
  assert_int_equal(mistakes.count, 0);
  const char *wrong[] = {"b", "c", "d", "e"};
  for (int k = 0; k < 4; k++) assert_false(flg_element_numbers(root, wrong[k], 3, v, &mistakes));
  assert_int_equal(mistakes.count, 4);
  const char *wrong_alone[] = {"a", "d", "f", "g", "h"};
  for (int k = 0; k < 5; k++) {
    assert_false(flg_element_numbers(root, wrong_alone[k], 1, v, &mistakes));
  }
  assert_int_equal(mistakes.count, 9);
  assert_true(v[0] == 1 && v[1] == -2e-3 && v[2] == 0.5);
  assert_true(flg_element_need_number(root, "i", v, &mistakes) && v[0] == 7);
  assert_false(flg_element_need_number(root, "absent", v, &mistakes));
  assert_non_null(strstr(mistakes.list[9].message, "'absent' of <r> is missing"));
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_element_knows_where_it_was_written),
      cmocka_unit_test(characters_are_decoded_and_prefixes_kept),
      cmocka_unit_test(all_is_read_as_utf_8_whatever_it_says_of_itself),
      cmocka_unit_test(what_is_not_xml_is_told_with_its_place),
      cmocka_unit_test(document_types_and_their_entities_are_refused),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(thousands_of_attributes_are_refused),
      cmocka_unit_test(binary_junk_is_refused),
      cmocka_unit_test(a_lack_of_memory_is_told),
      cmocka_unit_test(numbers_are_read_whatever_stands_between_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
