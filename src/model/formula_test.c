#include "model/formula.h"

#include "check.h"

/* variables x, y and motor/shaft.speed; the parameter two */
static bool find(const void *context, const char *name, flg_formula_step *step,
                 char message[FLG_FORMULA_MESSAGE]) {
  static const char *const known[] = {"x", "y", "motor/shaft.speed"};
  (void)context;
  *step = (flg_formula_step){.operation = FLG_FORMULA_NUMBER, .number = 2};
  if (strcmp(name, "two") == 0) return true;
  for (int k = 0; k < 3; k++) {
    *step = (flg_formula_step){.operation = FLG_FORMULA_VARIABLE, .count = k};
    if (strcmp(name, known[k]) == 0) return true;
  }
  snprintf(message, FLG_FORMULA_MESSAGE, "no '%s'", name);
  return false;
}

static bool is_part(const void *context, const char *path) {
  (void)context;
  return strcmp(path, "motor") == 0;
}

static const flg_formula_names names = {.find = find, .is_part = is_part};
static flg_region region;

static flg_formula compile(const char *text) {
  flg_formula formula = {0};
  flg_formula_fault fault;
  if (!flg_formula_compile(&formula, text, &names, &region, &fault)) {
    fail_msg("'%s' at %d: %s", text, fault.offset, fault.message);
  }
  return formula;
}

static double value_at(const char *text, double x, double y, double speed) {
  const flg_formula formula = compile(text);
  return flg_formula_evaluate(&formula, (const double[]){x, y, speed});
}

static void formulas_are_what_c_computes(void **state) {
  (void)state;
  random_source source = {7};
  for (int k = 0; k < 100; k++) {
    const double x = random_uniform(&source, -3, 3), y = random_uniform(&source, -3, 3);
    assert_true(value_at("x - y*x/2 + 1", x, y, 0) == x - y * x / 2 + 1);
    assert_true(value_at("-(590*(x - y) + 0.22*59*x)", x, y, 0) ==
                -(590 * (x - y) + 0.22 * 59 * x));
    assert_true(value_at("sqrt(x^two + y^2)", x, y, 0) == sqrt(pow(x, 2) + pow(y, 2)));
    assert_true(value_at("atan2(y, x) + sin(x)*cos(y) - tan(x)", x, y, 0) ==
                atan2(y, x) + sin(x) * cos(y) - tan(x));
    assert_true(value_at("min(x, y, 0) + max(x, y, 0)*2", x, y, 0) ==
                fmin(x, fmin(y, 0)) + fmax(x, fmax(y, 0)) * 2);
    assert_true(value_at("abs(x) + exp(y) + log(abs(x) + 1)", x, y, 0) ==
                fabs(x) + exp(y) + log(fabs(x) + 1));
    assert_true(value_at("sign(x)", x, y, 0) == (x > 0 ? 1 : -1));
  }
  assert_true(value_at("sign(x)", 0, 0, 0) == 0);
}

static void inverse_functions_lead_back(void **state) {
  (void)state;
  random_source source = {11};
  for (int k = 0; k < 100; k++) {
    const double x = random_uniform(&source, -1, 1), y = random_uniform(&source, 0.1, 3);
    assert_near(value_at("sin(asin(x))", x, y, 0), x, 1e-15);
    assert_near(value_at("asin(x) + acos(x) - pi/2", x, y, 0), 0, 1e-15);
    assert_near(value_at("atan(x/y) - atan2(x, y)", x, y, 0), 0, 1e-15);
    assert_near(value_at("cosh(x)^2 - sinh(x)^2", x, y, 0), 1, 1e-14);
    assert_near(value_at("tanh(x) - sinh(x)/cosh(x)", x, y, 0), 0, 1e-15);
    assert_near(value_at("10^log10(y)", x, y, 0), y, 1e-14);
    assert_near(value_at("hypot(x, y) - sqrt(x^2 + y^2)", x, y, 0), 0, 1e-15);
    assert_near(value_at("floor(10*x) + mod(10*x, 1)", x, y, 0), 10 * x, 1e-14);
    assert_true(value_at("ceil(10*x) + floor(-10*x)", x, y, 0) == 0);
    assert_true(fabs(value_at("round(10*x) - 10*x", x, y, 0)) <= 0.5);
    assert_true(value_at("mod(x, -y)", x, y, 0) <= 0);
  }
}

static void what_is_not_a_number_stays_so(void **state) {
  (void)state;
  static const char *const texts[] = {"min(asin(x), y)", "min(y, asin(x))", "max(y, 1, asin(x), 2)",
                                      "max(asin(x), y)", "log10(-x)",       "mod(x, y - y)",
                                      "acos(x)",         "sqrt(-x)",        "log(-x)",
                                      "sign(asin(x))",   "asin(x)^(y - y)", "y^asin(x)"};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    assert_true(isnan(value_at(texts[k], 2, 1, 0)));
  }
}

static void a_slash_is_a_path_only_inside_of_a_part(void **state) {
  (void)state;
  assert_true(value_at("motor/shaft.speed", 1, 2, 7) == 7);
  assert_true(value_at("2*motor/shaft.speed/x", 4, 2, 6) == 3);
  assert_true(value_at("x/y", 1, 2, 7) == 0.5);
  assert_true(value_at("x / y", 1, 2, 7) == 0.5);
  assert_true(value_at("x/2", 1, 2, 7) == 0.5);
  flg_formula formula;
  flg_formula_fault fault;
  assert_false(flg_formula_compile(&formula, "x + motor/shaft", &names, &region, &fault));
  assert_int_equal(fault.offset, 4);
  assert_string_equal(fault.message, "no 'motor/shaft'");
  assert_false(flg_formula_compile(&formula, "x/z", &names, &region, &fault));
  assert_int_equal(fault.offset, 2);
}

static void constants_are_computed_once(void **state) {
  (void)state;
  assert_int_equal(compile("two*3 + sqrt(16)").count, 1);
  assert_int_equal(compile("x + 2*3^2").count, 3);
  assert_int_equal(compile("(1 + 2)*x").count, 3);
  double value = 5;
  flg_formula_fault fault;
  assert_false(flg_formula_compute("1 + x", &names, &value, &fault));
  assert_true(value == 5);
  assert_true(flg_formula_compute("1 + two", &names, &value, &fault) && value == 3);
}

static void a_single_variable_is_known_as_one(void **state) {
  (void)state;
  const flg_formula y = compile("(+y)"), sum = compile("y+0"), number = compile("3");
  assert_int_equal(flg_formula_variable(&y), 1);
  assert_int_equal(flg_formula_variable(&sum), -1);
  assert_int_equal(flg_formula_variable(&number), -1);
  const flg_formula made = flg_formula_of_variable(2, &region);
  assert_int_equal(flg_formula_variable(&made), 2);
  const flg_formula four = flg_formula_of_number(4, &region);
  assert_true(flg_formula_evaluate(&four, NULL) == 4);
}

/* variables over time: polynomials of order 2 */
static flg_jet jet_at(double t, int variable) {
  static const double c[3][3] = {{0.7, 0.3, 0.2}, {0.4, -0.5, 0.3}, {2, 0, 0}};
  const double *a = c[variable];
  return (flg_jet){a[0] + t * (a[1] + t * a[2]), a[1] + 2 * t * a[2], 2 * a[2]};
}

static flg_jet jet_now(const void *context, int variable) {
  return jet_at(*(const double *)context, variable);
}

static double value_then(const flg_formula *formula, double t) {
  const double variables[] = {jet_at(t, 0).value, jet_at(t, 1).value, jet_at(t, 2).value};
  return flg_formula_evaluate(formula, variables);
}

static void derivatives_over_time_are_those_of_differences(void **state) {
  (void)state;
  static const char *const texts[] = {"x + 3*y - 2",
                                      "x*y",
                                      "x/y",
                                      "x^3",
                                      "x^y",
                                      "x^-2",
                                      "(-x)^3",
                                      "-x^2",
                                      "2^x",
                                      "sqrt(x)",
                                      "sin(3*x)",
                                      "cos(3*x)",
                                      "tan(x)",
                                      "asin(x)",
                                      "acos(x*y)",
                                      "atan(x/y)",
                                      "atan2(y, x)",
                                      "atan2(-y, -x)",
                                      "sinh(x)",
                                      "cosh(x)",
                                      "tanh(2*x)",
                                      "exp(-x*y)",
                                      "log(x)",
                                      "log10(x*y)",
                                      "hypot(x, y)",
                                      "abs(-x)",
                                      "sign(x)*y",
                                      "floor(3*x)*y",
                                      "ceil(x)",
                                      "round(x)",
                                      "mod(5*x, y)",
                                      "mod(-x, 2)",
                                      "min(x, y, 3)",
                                      "max(x, y, 0)",
                                      "motor/shaft.speed",
                                      "motor/shaft.speed^2*x + sqrt(motor/shaft.speed - 2)"};
  const double t = 0.1, h = 1e-4;
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    const flg_formula formula = compile(texts[k]);
    const flg_jet jet = flg_formula_jet(&formula, jet_now, &t);
    const double before = value_then(&formula, t - h), now = value_then(&formula, t);
    const double after = value_then(&formula, t + h);
    assert_near(jet.value, now, 1e-14 * (1 + fabs(now)));
    assert_near(jet.rate, (after - before) / (2 * h), 3e-8 * (1 + fabs(jet.rate)));
    assert_near(jet.rise, (after - 2 * now + before) / (h * h), 3e-7 * (1 + fabs(jet.rise)));
  }
}

static flg_jet zero_now(const void *context, int variable) {
  (void)context, (void)variable;
  return (flg_jet){0, 0, 0};
}

/* The sign of zero, and infinity, come through. */
static void values_over_time_are_those_of_the_formula(void **state) {
  (void)state;
  static const char *const texts[] = {"1/-x", "-(1/x)", "1/min(x, -x)", "1/max(-x, x)"};
  static const double zeros[8];
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    const flg_formula formula = compile(texts[k]);
    const double value = flg_formula_evaluate(&formula, zeros);
    assert_true(isinf(value));
    assert_true(flg_formula_jet(&formula, zero_now, NULL).value == value);
  }
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  static char text[8 * FLG_FORMULA_MAX_STEPS];
  flg_formula formula;
  flg_formula_fault fault;
  strcpy(text, "x");
  for (int k = 0; k < FLG_FORMULA_MAX_STEPS / 2; k++) strcat(text, "+x");
  assert_false(flg_formula_compile(&formula, text, &names, &region, &fault));
  assert_non_null(strstr(fault.message, "too long"));
  /* 9 levels of 8 arguments each keep 64 numbers waiting */
  text[0] = '\0';
  for (int k = 0; k < 9; k++) strcat(text, "max(x,x,x,x,x,x,x,");
  strcat(text, "x+y");
  for (int k = 0; k < 9; k++) strcat(text, ")");
  assert_false(flg_formula_compile(&formula, text, &names, &region, &fault));
  assert_non_null(strstr(fault.message, "too complicated"));
  assert_true(isnan(value_at("sqrt(x)", -1, 0, 0)));
}

static int drop(void **state) {
  (void)state;
  flg_region_release(&region);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_are_what_c_computes),
      cmocka_unit_test(inverse_functions_lead_back),
      cmocka_unit_test(what_is_not_a_number_stays_so),
      cmocka_unit_test(a_slash_is_a_path_only_inside_of_a_part),
      cmocka_unit_test(constants_are_computed_once),
      cmocka_unit_test(a_single_variable_is_known_as_one),
      cmocka_unit_test(derivatives_over_time_are_those_of_differences),
      cmocka_unit_test(values_over_time_are_those_of_the_formula),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, drop);
}
