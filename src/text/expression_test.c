#include "text/expression.h"

#include "check.h"
#include "text/yaml.h"

static const flg_parameter known[] = {{"length", 2}, {"mass", 3}, {"l2", 5}, {"_half", -1}};
static flg_name_index known_names;
static const flg_parameters parameters = {known, 4, &known_names};

static double value_of(const char *text) {
  double value = NAN;
  flg_formula_fault fault;
  if (!flg_expression_evaluate(text, parameters, &value, &fault)) {
    fail_msg("'%s' at %d: %s", text, fault.offset, fault.message);
  }
  return value;
}

static void expect_fault(const char *text, int offset, const char *message) {
  double value = 7;
  flg_formula_fault fault = {.offset = -1};
  if (flg_expression_evaluate(text, parameters, &value, &fault)) {
    fail_msg("'%s' is %g, not wrong", text, value);
  }
  if (strstr(fault.message, message) == NULL || fault.offset != offset) {
    fail_msg("'%s' at %d: %s", text, fault.offset, fault.message);
  }
  assert_true(value == 7);
}

static void operators_bind_as_in_mathematics(void **state) {
  (void)state;
  assert_true(value_of("1+2*3") == 7);
  assert_true(value_of("(1+2)*3") == 9);
  assert_true(value_of("10-4-3") == 3);
  assert_true(value_of("24/4/3") == 2);
  assert_true(value_of("2^3^2") == 512);
  assert_true(value_of("-2^2") == -4);
  assert_true(value_of("2^-1") == 0.5);
  assert_true(value_of("2*-3") == -6);
  assert_true(value_of("- - +3") == 3);
  assert_true(value_of("(-2)^2") == 4);
  assert_true(value_of(" 1e-4 + .5\t") == 0.5001);
  assert_true(value_of("2*3^2") == 18);
}

static void functions_are_those_of_mathematics(void **state) {
  (void)state;
  assert_true(value_of("sqrt(9)") == 3);
  assert_true(value_of("sin(pi/2)") == 1);
  assert_true(value_of("cos(0)") == 1);
  assert_near(value_of("tan(pi/4)"), 1, 1e-15);
  assert_near(value_of("atan2(1, -1)"), 3 * value_of("pi") / 4, 1e-15);
  assert_true(value_of("abs(-3)+abs(3)") == 6);
  assert_true(value_of("min(3, 1, 2)") == 1);
  assert_true(value_of("max(3, (1), max(5, 2))") == 5);
  assert_near(value_of("sin(0.3)^2 + cos(0.3)^2"), 1, 1e-15);
}

static void parameters_go_by_name(void **state) {
  (void)state;
  assert_true(value_of("mass*length^2/12") == 1);
  assert_true(value_of("l2+_half") == 4);
}

static void faults_name_the_character(void **state) {
  (void)state;
  expect_fault("", 0, "ends too early");
  expect_fault("1+", 2, "ends too early");
  expect_fault("1+*2", 2, "expected a number, a name or '('");
  expect_fault("(1", 2, "expected ')'");
  expect_fault("1)", 1, "expected an operator");
  expect_fault("2length", 1, "expected an operator");
  expect_fault("1 / (length - 2)", 2, "divides by zero");
  expect_fault("2*lenght", 2, "there is no parameter 'lenght'; did you mean 'length'?");
  expect_fault("sqr(2)", 0, "there is no function 'sqr'; did you mean 'sqrt'?");
  expect_fault("sqrt", 0, "there is no parameter 'sqrt'");
  expect_fault("1+sqrt(-1)", 2, "not a finite number");
  expect_fault("1+sqrt(-1)", 2, "sqrt takes numbers of at least 0, found -1");
  expect_fault("2*asin(length)", 2, "asin takes numbers from -1 to 1, found 2");
  expect_fault("acos(-1.5)", 0, "acos takes numbers from -1 to 1, found -1.5");
  expect_fault("log(0)", 0, "log takes numbers greater than 0, found 0");
  expect_fault("log10(-2)", 0, "log10 takes numbers greater than 0, found -2");
  expect_fault("mod(1, 0)", 0, "not a finite number");
  expect_fault("cosh(1000)", 0, "not a finite number");
  expect_fault("hypot(1)", 0, "hypot takes 2 numbers (x, y), found 1");
  expect_fault("arcsin(1)", 0, "there is no function 'arcsin'; did you mean 'asin'?");
  expect_fault("10^400", 2, "not a finite number");
  expect_fault("1e400", 0, "not a finite number");
  expect_fault("1e300*1e300", 5, "not a finite number");
  expect_fault("(-1)^0.5", 4, "not a finite number");
  expect_fault("sin(1, 2)", 0, "sin takes 1 number, found 2");
  expect_fault("atan2(1)", 0, "atan2 takes 2 numbers");
  expect_fault("sin(1", 5, "expected ')'");
  expect_fault("sin()", 4, "expected a number");
  expect_fault("max(1,2,3,4,5,6,7,8,9)", 20, "at most 8 numbers");
  expect_fault("length mass", 7, "expected an operator");
  expect_fault("0x10", 0, "not a number");
  expect_fault("a23456789012345678901234567890123456789012345678901234567890123456789", 0,
               "too long");
}

static void nesting_is_bounded(void **state) {
  (void)state;
  char text[4000];
  for (int kind = 0; kind < 3; kind++) {
    memset(text, "(-2"[kind], sizeof text - 1);
    for (size_t k = 1; kind == 2 && k < sizeof text; k += 2) text[k] = '^';
    text[sizeof text - 1] = '\0';
    double value;
    flg_formula_fault fault;
    assert_false(flg_expression_evaluate(text, parameters, &value, &fault));
    assert_non_null(strstr(fault.message, "nested too deeply; at most 64 levels"));
  }
}

static void names_of_parameters_are_words(void **state) {
  (void)state;
  assert_true(flg_formula_allows_name("length"));
  assert_true(flg_formula_allows_name("_a9"));
  assert_false(flg_formula_allows_name("9a"));
  assert_false(flg_formula_allows_name("a b"));
  assert_false(flg_formula_allows_name(""));
  assert_false(flg_formula_allows_name("pi"));
  assert_false(flg_formula_allows_name("sqrt"));
  assert_false(flg_formula_allows_name("asin"));
  assert_true(flg_formula_allows_name("arcsin"));
}

static flg_mistakes mistakes;

static void a_tree_is_computed_in_place_and_to_the_last_bit(void **state) {
  (void)state;
  flg_region region = {0};
  mistakes = (flg_mistakes){0};
  const char *text = "a: =1/3\nb: [=length, {c: \"=max(mass, 1)\"}]\nd: plain\n";
  flg_node *root = flg_yaml_parse(&region, "a.yaml", text, strlen(text), &mistakes);
  flg_node_compute(root, parameters, &region, &mistakes);
  assert_int_equal(mistakes.count, 0);
  assert_true(strtod(flg_node_find(root, "a")->text, NULL) == 1.0 / 3);
  assert_string_equal(flg_node_find(root, "b")->first->text, "2");
  assert_string_equal(flg_node_find(root, "b")->first->next->first->text, "3");
  assert_string_equal(flg_node_find(root, "d")->text, "plain");
  flg_region_release(&region);
}

static void mistakes_in_a_tree_have_the_column_of_the_character(void **state) {
  (void)state;
  flg_region region = {0};
  mistakes = (flg_mistakes){0};
  const char *text = "a: =1+y\nb: [0, \"=2/0\"]\n";
  flg_node *root = flg_yaml_parse(&region, "a.yaml", text, strlen(text), &mistakes);
  flg_node_compute(root, parameters, &region, &mistakes);
  assert_int_equal(mistakes.count, 2);
  assert_int_equal(mistakes.list[0].line, 1);
  assert_int_equal(mistakes.list[0].column, 7);
  assert_string_equal(mistakes.list[0].message, "in '=1+y': there is no parameter 'y'");
  assert_int_equal(mistakes.list[1].line, 2);
  assert_int_equal(mistakes.list[1].column, 11);
  assert_string_equal(mistakes.list[1].message, "in '=2/0': this divides by zero");
  assert_string_equal(flg_node_find(root, "a")->text, "1");
  flg_region_release(&region);
}

static flg_region names;

static int enter_names(void **state) {
  (void)state;
  for (int k = 0; k < parameters.count; k++) {
    flg_name_index_add(&known_names, known[k].name, k, &names);
  }
  return names.failed;
}

static int drop_names(void **state) {
  (void)state;
  flg_region_release(&names);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_bind_as_in_mathematics),
      cmocka_unit_test(functions_are_those_of_mathematics),
      cmocka_unit_test(parameters_go_by_name),
      cmocka_unit_test(faults_name_the_character),
      cmocka_unit_test(nesting_is_bounded),
      cmocka_unit_test(names_of_parameters_are_words),
      cmocka_unit_test(a_tree_is_computed_in_place_and_to_the_last_bit),
      cmocka_unit_test(mistakes_in_a_tree_have_the_column_of_the_character),
  };
  return cmocka_run_group_tests(tests, enter_names, drop_names);
}
