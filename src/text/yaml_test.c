#include "text/yaml.h"

#include "check.h"

static flg_mistakes mistakes;

static flg_node *parse(flg_region *region, const char *text) {
  mistakes = (flg_mistakes){0};
  return flg_yaml_parse(region, "a.yaml", text, strlen(text), &mistakes);
}

/* the one mistake that a text has, as `line:column: message` */
static void assert_mistake(const char *text, int line, int column, const char *words) {
  flg_region region = {.limit = 8 << 20};
  parse(&region, text);
  assert_int_equal(mistakes.count, 1);
  assert_int_equal(mistakes.list[0].line, line);
  assert_int_equal(mistakes.list[0].column, column);
  if (strstr(mistakes.list[0].message, words) == NULL) fail_msg("%s", mistakes.list[0].message);
  flg_region_release(&region);
}

static void every_node_knows_where_it_was_written(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_node *root = parse(&region, "a: 1\nb: {c: [x, 'y']}\n");
  assert_int_equal(mistakes.count, 0);
  assert_int_equal(root->kind, FLG_NODE_MAP);
  const flg_node *b = flg_node_find(root, "b"), *c = flg_node_find(b, "c");
  assert_int_equal(b->place.line, 2);
  assert_int_equal(b->place.column, 1);
  assert_int_equal(b->value_place.column, 4);
  assert_int_equal(flg_node_count(c), 2);
  assert_string_equal(c->first->text, "x");
  assert_false(c->first->quoted);
  assert_true(c->first->next->quoted);
  assert_int_equal(c->first->next->place.column, 13);
  flg_region_release(&region);
}

static void empty_values_stand_where_their_key_or_list_does(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_node *root = parse(&region, "a: 1\nb:\nc: [x, ]\nd:\n  -\n  - 2\n");
  assert_int_equal(mistakes.count, 0);
  const flg_node *b = flg_node_find(root, "b"), *d = flg_node_find(root, "d");
  assert_string_equal(b->text, "");
  assert_int_equal(b->value_place.line, 2);
  assert_int_equal(b->value_place.column, 1);
  assert_string_equal(d->first->text, "");
  assert_int_equal(d->first->value_place.line, 5);
  flg_region_release(&region);
}

static void an_alias_is_a_copy_of_its_anchor(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_node *root = parse(&region, "a: &x {k: 5}\nb: *x\n");
  assert_int_equal(mistakes.count, 0);
  assert_string_equal(flg_node_find(flg_node_find(root, "b"), "k")->text, "5");
  flg_region_release(&region);
}

static void mistakes_are_told_with_their_place(void **state) {
  (void)state;
  assert_mistake("a: 1\na: 2\n", 2, 1, "stands twice");
  assert_mistake("a: [1, 2\nb: 3\n", 3, 1, "not YAML");
  assert_mistake("a: b: c\n", 1, 5, "not YAML");
  assert_mistake("a: 1\n---\nb: 2\n", 2, 1, "one document");
  assert_mistake("a: *x\n", 1, 5, "no anchor");
  assert_mistake("a: &a [*a]\n", 1, 9, "contains itself");
  assert_mistake("? [a]\n: b\n", 1, 3, "must be a word");
  assert_mistake("a: &x 1\n*x : 2\n", 2, 2, "cannot be a key");
}

static void an_empty_text_has_no_document(void **state) {
  (void)state;
  flg_region region = {0};
  assert_null(parse(&region, ""));
  assert_null(parse(&region, "# only a comment\n"));
  assert_int_equal(mistakes.count, 0);
  flg_region_release(&region);
}

static void deep_nesting_is_refused(void **state) {
  (void)state;
  char text[5001];
  memset(text, '[', 5000);
  text[5000] = '\0';
  assert_mistake(text, 1, 65, "nested too deeply");
}

static void aliases_cannot_exhaust_the_memory(void **state) {
  (void)state;
  assert_mistake(
      "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
      "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
      "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
      0, 0, "no memory left");
}

static void binary_junk_is_refused(void **state) {
  (void)state;
  flg_region region = {0};
  mistakes = (flg_mistakes){0};
  assert_null(flg_yaml_parse(&region, "a.yaml", "a\0b\x7f\x01", 5, &mistakes));
  assert_int_equal(mistakes.count, 1);
  flg_region_release(&region);
}

/* a: &a [1, 1, ...], b: &b [*a, *a, ...], ...: ten of ten of ten */
static void aliases_that_multiply_are_refused(void **state) {
  (void)state;
  flg_region region = {0};
  char text[1000] = "x0: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int k = 1; k < 9; k++) {
    snprintf(text + strlen(text), sizeof text - strlen(text), "x%d: &x%d [*x%d", k, k, k - 1);
    for (int i = 1; i < 10; i++) {
      snprintf(text + strlen(text), sizeof text - strlen(text), ", *x%d", k - 1);
    }
    strcat(text, "]\n");
  }
  parse(&region, text);
  assert_int_equal(mistakes.count, 1);
  assert_non_null(strstr(mistakes.list[0].message, "more than 4e+06 values"));
  assert_true((double)region.bytes < 2e9);
  flg_region_release(&region);
}

/* every alias is one level deeper than the one before */
static void aliases_do_not_nest_without_end(void **state) {
  (void)state;
  flg_region region = {0};
  char text[4000] = "x0: &x0 [1]\n";
  for (int k = 1; k < 100; k++) {
    snprintf(text + strlen(text), sizeof text - strlen(text), "x%d: &x%d [*x%d]\n", k, k, k - 1);
  }
  parse(&region, text);
  assert_int_equal(mistakes.count, 1);
  assert_non_null(strstr(mistakes.list[0].message, "nested too deeply"));
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_node_knows_where_it_was_written),
      cmocka_unit_test(empty_values_stand_where_their_key_or_list_does),
      cmocka_unit_test(an_alias_is_a_copy_of_its_anchor),
      cmocka_unit_test(mistakes_are_told_with_their_place),
      cmocka_unit_test(an_empty_text_has_no_document),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(aliases_cannot_exhaust_the_memory),
      cmocka_unit_test(aliases_that_multiply_are_refused),
      cmocka_unit_test(aliases_do_not_nest_without_end),
      cmocka_unit_test(binary_junk_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
