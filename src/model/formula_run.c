/* Formulas at work: their functions, values, and derivatives over time. */
#include <math.h>

#include "model/formula_inner.h"

/* --- functions ----------------------------------------------------------------------------- */

static double formula_run_sign_of(double x) {
  return isnan(x) ? x : (x > 0) - (x < 0);
}

/* pow(NaN, 0) and pow(1, NaN) are 1: a lost signal would look like a good one. */
static double formula_run_power(double x, double exponent) {
  return isnan(x) || isnan(exponent) ? (double)NAN : pow(x, exponent);
}

/* has the sign of the divisor, so that angles and phases go on through 0 */
static double modulo(double x, double divisor) {
  const double rest = fmod(x, divisor);
  return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

/* fmin would drop it, and a lost signal would look like a good one. */
/* NaN if one of them is NaN */
static double least_argument(const double *x, int count) {
  double least = x[0];
  for (int k = 1; k < count; k++) least = x[k] < least || isnan(x[k]) ? x[k] : least;
  return least;
}

static double formula_run_most_of(const double *x, int count) {
  double most = x[0];
  for (int k = 1; k < count; k++) most = x[k] > most || isnan(x[k]) ? x[k] : most;
  return most;
}

/* Domains are reported when a file is read, where an argument is a constant; in a step the result
 * is NaN. */
static bool is_not_negative(double x) {
  return x >= 0;
}

static bool is_positive(double x) {
  return x > 0;
}

static bool is_of_sine(double x) {
  return x >= -1 && x <= 1;
}

/* first and second derivative d at x, where the function is y */
static void derive_sqrt(double x, double y, double d[2]) {
  /* From the value y, which is known already, where the derivative can be written with it: a root,
   * an exponential and a hyperbolic function fewer. */
  d[0] = 1 / (2 * y), d[1] = -1 / (4 * x * y);
}

static void derive_sin(double x, double y, double d[2]) {
  d[0] = cos(x), d[1] = -y;
}

static void derive_cos(double x, double y, double d[2]) {
  d[0] = -sin(x), d[1] = -y;
}

static void derive_tan(double x, double y, double d[2]) {
  (void)x;
  d[0] = 1 + y * y, d[1] = 2 * y * d[0];
}

static void derive_asin(double x, double y, double d[2]) {
  (void)y;
  d[0] = 1 / sqrt(1 - x * x), d[1] = x * d[0] * d[0] * d[0];
}

static void derive_acos(double x, double y, double d[2]) {
  derive_asin(x, y, d);
  d[0] = -d[0], d[1] = -d[1];
}

static void derive_atan(double x, double y, double d[2]) {
  (void)y;
  d[0] = 1 / (1 + x * x), d[1] = -2 * x * d[0] * d[0];
}

static void derive_sinh(double x, double y, double d[2]) {
  d[0] = cosh(x), d[1] = y;
}

static void derive_cosh(double x, double y, double d[2]) {
  d[0] = sinh(x), d[1] = y;
}

static void derive_tanh(double x, double y, double d[2]) {
  (void)x;
  d[0] = 1 - y * y, d[1] = -2 * y * d[0];
}

static void derive_exp(double x, double y, double d[2]) {
  (void)x;
  d[0] = d[1] = y;
}

static void derive_log(double x, double y, double d[2]) {
  (void)y;
  d[0] = 1 / x, d[1] = -d[0] * d[0];
}

static void derive_log10(double x, double y, double d[2]) {
  derive_log(x, y, d);
  d[0] *= 0.43429448190325182765, d[1] *= 0.43429448190325182765;
}

static void derive_abs(double x, double y, double d[2]) {
  (void)y;
  /* at the corner: the mean of both slopes */
  d[0] = formula_run_sign_of(x), d[1] = 0;
}

const flg_formula_function flg_formula_functions[FLG_FORMULA_FUNCTIONS] = {
    {"sqrt", .of_one = sqrt, .derive = derive_sqrt, .allows = is_not_negative,
     .domain = "of at least 0"},
    {"sin", .of_one = sin, .derive = derive_sin},
    {"cos", .of_one = cos, .derive = derive_cos},
    {"tan", .of_one = tan, .derive = derive_tan},
    {"asin", .of_one = asin, .derive = derive_asin, .allows = is_of_sine, .domain = "from -1 to 1"},
    {"acos", .of_one = acos, .derive = derive_acos, .allows = is_of_sine, .domain = "from -1 to 1"},
    {"atan", .of_one = atan, .derive = derive_atan},
    {"atan2", .of_two = atan2, .arguments = "y, x"},
    {"sinh", .of_one = sinh, .derive = derive_sinh},
    {"cosh", .of_one = cosh, .derive = derive_cosh},
    {"tanh", .of_one = tanh, .derive = derive_tanh},
    {"exp", .of_one = exp, .derive = derive_exp},
    {"log", .of_one = log, .derive = derive_log, .allows = is_positive, .domain = "greater than 0"},
    {"log10", .of_one = log10, .derive = derive_log10, .allows = is_positive,
     .domain = "greater than 0"},
    {"hypot", .of_two = hypot, .arguments = "x, y"},
    {"abs", .of_one = fabs, .derive = derive_abs},
    {"sign", .of_one = formula_run_sign_of},
    {"floor", .of_one = floor},
    {"ceil", .of_one = ceil},
    {"round", .of_one = round},
    {"mod", .of_two = modulo, .arguments = "x, divisor"},
    {"min", .of_all = least_argument},
    {"max", .of_all = formula_run_most_of},
};
const char *flg_formula_word(int index) {
  if (index < FLG_FORMULA_FUNCTIONS) return flg_formula_functions[index].name;
  return index == FLG_FORMULA_FUNCTIONS ? "pi" : NULL;
}

/* --- evaluation ---------------------------------------------------------------------------- */

static double call_function(const flg_formula_function *of, const double *x, int count) {
  if (of->of_one != NULL) return of->of_one(x[0]);
  return of->of_two != NULL ? of->of_two(x[0], x[1]) : of->of_all(x, count);
}

double flg_formula_apply(flg_formula_operation operation, const double *x, int count) {
  switch (operation) {
    case FLG_FORMULA_ADD:
      return x[0] + x[1];
    case FLG_FORMULA_SUBTRACT:
      return x[0] - x[1];
    case FLG_FORMULA_MULTIPLY:
      return x[0] * x[1];
    case FLG_FORMULA_DIVIDE:
      return x[0] / x[1];
    case FLG_FORMULA_POWER:
      return formula_run_power(x[0], x[1]);
    case FLG_FORMULA_NEGATE:
      return -x[0];
    default:
      return call_function(&flg_formula_functions[operation - FLG_FORMULA_FIRST_FUNCTION], x,
                           count);
  }
}

/* Postfix form on a stack of fixed size, whose depth was checked when the formula was parsed: no
 * recursion and no allocation in a step. */
double flg_formula_evaluate(const flg_formula *formula, const double *variables) {
  double stack[FLG_FORMULA_MAX_STACK];
  int top = 0;
  stack[0] = 0;
  for (int k = 0; k < formula->count; k++) {
    const flg_formula_step *step = &formula->steps[k];
    if (step->operation == FLG_FORMULA_NUMBER) {
      stack[top++] = step->number;
    } else if (step->operation == FLG_FORMULA_VARIABLE) {
      stack[top++] = variables[step->count];
    } else {
      top -= step->count;
      stack[top] =
          flg_formula_apply((flg_formula_operation)step->operation, stack + top, step->count);
      top++;
    }
  }
  return stack[0];
}

/* --- over time ----------------------------------------------------------------------------- */

static flg_jet constant_jet(double value) {
  return (flg_jet){value, 0, 0};
}

static bool stands_still(flg_jet x) {
  return x.rate == 0 && x.rise == 0;
}

/* y(x) with the derivatives d at x; of a constant where they do not exist, too */
/* At the edge of a domain derivatives are infinite: infinity times a rate of 0 would be NaN. */
static flg_jet chain(flg_jet x, double y, const double d[2]) {
  if (stands_still(x)) return constant_jet(y);
  return (flg_jet){y, d[0] * x.rate, d[1] * x.rate * x.rate + d[0] * x.rise};
}

/* a x + b y */
static flg_jet combine(double a, flg_jet x, double b, flg_jet y) {
  return (flg_jet){a * x.value + b * y.value, a * x.rate + b * y.rate, a * x.rise + b * y.rise};
}

/* Leibniz: (x y)'' = x'' y + 2 x' y' + x y'' */
static flg_jet formula_run_multiply(flg_jet x, flg_jet y) {
  return (flg_jet){x.value * y.value, x.rate * y.value + x.value * y.rate,
                   x.rise * y.value + 2 * x.rate * y.rate + x.value * y.rise};
}

/* From z y = x, differentiated twice: no power of y is formed, which could overflow. */
static flg_jet formula_run_divide(flg_jet x, flg_jet y) {
  flg_jet z = {.value = x.value / y.value};
  z.rate = (x.rate - z.value * y.rate) / y.value;
  z.rise = (x.rise - 2 * z.rate * y.rate - z.value * y.rise) / y.value;
  return z;
}

static flg_jet raise_to(flg_jet x, flg_jet y) {
  const double value = formula_run_power(x.value, y.value), n = y.value;
  double d[2];
  /* log(x) of a base that is not positive does not exist, though x^2 does. */
  if (stands_still(y)) { /* the base may be negative, or zero */
    d[0] = n == 0 ? 0 : n * pow(x.value, n - 1);
    d[1] = n == 0 || n == 1 ? 0 : n * (n - 1) * pow(x.value, n - 2);
    return chain(x, value, d);
  }
  derive_log(x.value, 0, d);
  const flg_jet exponent = formula_run_multiply(y, chain(x, log(x.value), d));
  return chain(exponent, value, (const double[2]){value, value});
}

/* of y and x: (x y' - y x') / r^2 is its rate */
static flg_jet formula_run_turn(flg_jet y, flg_jet x) {
  const double square = x.value * x.value + y.value * y.value;
  flg_jet angle = {.value = atan2(y.value, x.value)};
  if (stands_still(x) && stands_still(y)) return angle;
  const double growth = 2 * (x.value * x.rate + y.value * y.rate);
  angle.rate = (x.value * y.rate - y.value * x.rate) / square;
  angle.rise = (x.value * y.rise - y.value * x.rise - angle.rate * growth) / square;
  return angle;
}

static flg_jet jet_of_two(const flg_formula_function *of, flg_jet x, flg_jet y) {
  if (of->of_two == atan2) return formula_run_turn(x, y);
  const double value = of->of_two(x.value, y.value);
  /* Between its jumps the remainder has the slope of x; jumps have none. */
  if (of->of_two == modulo) { /* x less a whole number of divisors */
    const flg_jet rest = combine(1, x, -(x.value - value) / y.value, y);
    return (flg_jet){value, rest.rate, rest.rise};
  }
  double d[2];
  const flg_jet square = combine(1, formula_run_multiply(x, x), 1, formula_run_multiply(y, y));
  derive_sqrt(square.value, value, d);
  return chain(square, value, d);
}

static flg_jet jet_of_call(const flg_formula_function *of, const flg_jet *x, int count) {
  double d[2] = {0, 0};
  if (of->of_one != NULL) {
    const double value = of->of_one(x[0].value);
    if (of->derive != NULL) of->derive(x[0].value, value, d);
    return chain(x[0], value, d);
  }
  if (of->of_two != NULL) return jet_of_two(of, x[0], x[1]);
  double values[FLG_FORMULA_MOST_ARGUMENTS];
  for (int k = 0; k < count; k++) values[k] = x[k].value;
  const double chosen = of->of_all(values, count);
  /* Of equal values the first counts: which of them goes on as the least is known only later. */
  for (int k = 0; k < count; k++) {
    if (values[k] == chosen) return (flg_jet){chosen, x[k].rate, x[k].rise};
  }
  return constant_jet(chosen);
}

static flg_jet jet_of(flg_formula_operation operation, const flg_jet *x, int count) {
  switch (operation) {
    case FLG_FORMULA_ADD:
      return combine(1, x[0], 1, x[1]);
    case FLG_FORMULA_SUBTRACT:
      return combine(1, x[0], -1, x[1]);
    case FLG_FORMULA_MULTIPLY:
      return formula_run_multiply(x[0], x[1]);
    case FLG_FORMULA_DIVIDE:
      return formula_run_divide(x[0], x[1]);
    case FLG_FORMULA_POWER:
      return raise_to(x[0], x[1]);
    case FLG_FORMULA_NEGATE:
      return (flg_jet){-x[0].value, -x[0].rate, -x[0].rise};
    default:
      return jet_of_call(&flg_formula_functions[operation - FLG_FORMULA_FIRST_FUNCTION], x, count);
  }
}

flg_jet flg_formula_jet(const flg_formula *formula, flg_jet_read *of, const void *context) {
  flg_jet stack[FLG_FORMULA_MAX_STACK];
  int top = 0;
  stack[0] = constant_jet(0);
  for (int k = 0; k < formula->count; k++) {
    const flg_formula_step *step = &formula->steps[k];
    if (step->operation == FLG_FORMULA_NUMBER) {
      stack[top++] = constant_jet(step->number);
    } else if (step->operation == FLG_FORMULA_VARIABLE) {
      stack[top++] = of(context, step->count);
    } else {
      top -= step->count;
      stack[top] = jet_of((flg_formula_operation)step->operation, stack + top, step->count);
      top++;
    }
  }
  return stack[0];
}
