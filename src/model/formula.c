#include "model/formula.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "base/number.h"
#include "math/identity.h"

typedef enum opcode {
  NUMBER = FLG_FORMULA_NUMBER,
  VARIABLE = FLG_FORMULA_VARIABLE,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  POWER,
  NEGATE,
  FIRST_FUNCTION, /* those of the table, in its order, from here */
} opcode;

enum { MOST_ARGUMENTS = 8 };

/* --- functions ----------------------------------------------------------------------------- */

static double sign_of(double x) {
  return (x > 0) - (x < 0);
}

/* has the sign of the divisor, so that angles and phases go on through 0 */
static double modulo(double x, double divisor) {
  const double rest = fmod(x, divisor);
  return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

/* NaN if one of them is NaN */
static double least_of(const double *x, int count) {
  double least = x[0];
  for (int k = 1; k < count; k++) least = x[k] < least || isnan(x[k]) ? x[k] : least;
  return least;
}

static double most_of(const double *x, int count) {
  double most = x[0];
  for (int k = 1; k < count; k++) most = x[k] > most || isnan(x[k]) ? x[k] : most;
  return most;
}

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
  d[0] = sign_of(x), d[1] = 0;
}

/* a function of one number, of two, or of any number of them */
typedef struct function {
  const char *name;
  double (*of_one)(double x);
  double (*of_two)(double x, double y);
  double (*of_all)(const double *x, int count);
  const char *arguments; /* what two numbers mean */
  bool (*allows)(double x);
  const char *domain;                              /* the numbers that it allows, NULL: all */
  void (*derive)(double x, double y, double d[2]); /* NULL: constant from jump to jump */
} function;

static const function functions[] = {
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
    {"sign", .of_one = sign_of},
    {"floor", .of_one = floor},
    {"ceil", .of_one = ceil},
    {"round", .of_one = round},
    {"mod", .of_two = modulo, .arguments = "x, divisor"},
    {"min", .of_all = least_of},
    {"max", .of_all = most_of},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

const char *flg_formula_word(int index) {
  if (index < FUNCTIONS) return functions[index].name;
  return index == FUNCTIONS ? "pi" : NULL;
}

/* --- evaluation ---------------------------------------------------------------------------- */

static double call(const function *of, const double *x, int count) {
  if (of->of_one != NULL) return of->of_one(x[0]);
  return of->of_two != NULL ? of->of_two(x[0], x[1]) : of->of_all(x, count);
}

static double apply(opcode operation, const double *x, int count) {
  switch (operation) {
    case ADD:
      return x[0] + x[1];
    case SUBTRACT:
      return x[0] - x[1];
    case MULTIPLY:
      return x[0] * x[1];
    case DIVIDE:
      return x[0] / x[1];
    case POWER:
      return pow(x[0], x[1]);
    case NEGATE:
      return -x[0];
    default:
      return call(&functions[operation - FIRST_FUNCTION], x, count);
  }
}

double flg_formula_evaluate(const flg_formula *formula, const double *variables) {
  double stack[FLG_FORMULA_MAX_STACK];
  int top = 0;
  stack[0] = 0;
  for (int k = 0; k < formula->count; k++) {
    const flg_formula_step *step = &formula->steps[k];
    if (step->operation == NUMBER) {
      stack[top++] = step->number;
    } else if (step->operation == VARIABLE) {
      stack[top++] = variables[step->count];
    } else {
      top -= step->count;
      stack[top] = apply((opcode)step->operation, stack + top, step->count);
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
static flg_jet chain(flg_jet x, double y, const double d[2]) {
  if (stands_still(x)) return constant_jet(y);
  return (flg_jet){y, d[0] * x.rate, d[1] * x.rate * x.rate + d[0] * x.rise};
}

/* a x + b y */
static flg_jet combine(double a, flg_jet x, double b, flg_jet y) {
  return (flg_jet){a * x.value + b * y.value, a * x.rate + b * y.rate, a * x.rise + b * y.rise};
}

static flg_jet multiply(flg_jet x, flg_jet y) {
  return (flg_jet){x.value * y.value, x.rate * y.value + x.value * y.rate,
                   x.rise * y.value + 2 * x.rate * y.rate + x.value * y.rise};
}

static flg_jet divide(flg_jet x, flg_jet y) {
  flg_jet z = {.value = x.value / y.value};
  z.rate = (x.rate - z.value * y.rate) / y.value;
  z.rise = (x.rise - 2 * z.rate * y.rate - z.value * y.rise) / y.value;
  return z;
}

static flg_jet raise_to(flg_jet x, flg_jet y) {
  const double value = pow(x.value, y.value), n = y.value;
  double d[2];
  if (stands_still(y)) { /* the base may be negative, or zero */
    d[0] = n == 0 ? 0 : n * pow(x.value, n - 1);
    d[1] = n == 0 || n == 1 ? 0 : n * (n - 1) * pow(x.value, n - 2);
    return chain(x, value, d);
  }
  derive_log(x.value, 0, d);
  const flg_jet exponent = multiply(y, chain(x, log(x.value), d));
  return chain(exponent, value, (const double[2]){value, value});
}

/* of y and x: (x y' - y x') / r^2 is its rate */
static flg_jet turn(flg_jet y, flg_jet x) {
  const double square = x.value * x.value + y.value * y.value;
  flg_jet angle = {.value = atan2(y.value, x.value)};
  if (stands_still(x) && stands_still(y)) return angle;
  const double growth = 2 * (x.value * x.rate + y.value * y.rate);
  angle.rate = (x.value * y.rate - y.value * x.rate) / square;
  angle.rise = (x.value * y.rise - y.value * x.rise - angle.rate * growth) / square;
  return angle;
}

static flg_jet jet_of_two(const function *of, flg_jet x, flg_jet y) {
  if (of->of_two == atan2) return turn(x, y);
  const double value = of->of_two(x.value, y.value);
  if (of->of_two == modulo) { /* x less a whole number of divisors */
    const flg_jet rest = combine(1, x, -(x.value - value) / y.value, y);
    return (flg_jet){value, rest.rate, rest.rise};
  }
  double d[2];
  const flg_jet square = combine(1, multiply(x, x), 1, multiply(y, y));
  derive_sqrt(square.value, value, d);
  return chain(square, value, d);
}

static flg_jet jet_of_call(const function *of, const flg_jet *x, int count) {
  double d[2] = {0, 0};
  if (of->of_one != NULL) {
    const double value = of->of_one(x[0].value);
    if (of->derive != NULL) of->derive(x[0].value, value, d);
    return chain(x[0], value, d);
  }
  if (of->of_two != NULL) return jet_of_two(of, x[0], x[1]);
  double values[MOST_ARGUMENTS];
  for (int k = 0; k < count; k++) values[k] = x[k].value;
  const double chosen = of->of_all(values, count);
  for (int k = 0; k < count; k++) {
    if (values[k] == chosen) return x[k];
  }
  return constant_jet(chosen);
}

static flg_jet jet_of(opcode operation, const flg_jet *x, int count) {
  switch (operation) {
    case ADD:
      return combine(1, x[0], 1, x[1]);
    case SUBTRACT:
      return combine(1, x[0], -1, x[1]);
    case MULTIPLY:
      return multiply(x[0], x[1]);
    case DIVIDE:
      return divide(x[0], x[1]);
    case POWER:
      return raise_to(x[0], x[1]);
    case NEGATE:
      return combine(-1, x[0], 0, x[0]);
    default:
      return jet_of_call(&functions[operation - FIRST_FUNCTION], x, count);
  }
}

flg_jet flg_formula_jet(const flg_formula *formula, flg_jet_read *of, const void *context) {
  flg_jet stack[FLG_FORMULA_MAX_STACK];
  int top = 0;
  stack[0] = constant_jet(0);
  for (int k = 0; k < formula->count; k++) {
    const flg_formula_step *step = &formula->steps[k];
    if (step->operation == NUMBER) {
      stack[top++] = constant_jet(step->number);
    } else if (step->operation == VARIABLE) {
      stack[top++] = of(context, step->count);
    } else {
      top -= step->count;
      stack[top] = jet_of((opcode)step->operation, stack + top, step->count);
      top++;
    }
  }
  return stack[0];
}

/* --- the compiler -------------------------------------------------------------------------- */

typedef struct parser {
  const char *text, *at;
  const flg_formula_names *names;
  int depth;
  bool failed;
  flg_formula_fault *fault;
  int count;
  flg_formula_step steps[FLG_FORMULA_MAX_STEPS];
} parser;

static void parse_sum(parser *parse);
static void parse_sign(parser *parse);

static void fail(parser *parse, const char *at, const char *format, ...) FLG_PRINTF(3, 4);

/* the first fault counts; what is read after it has no meaning */
static void fail(parser *parse, const char *at, const char *format, ...) {
  if (parse->failed) return;
  parse->failed = true;
  parse->fault->offset = (int)(at - parse->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(parse->fault->message, sizeof parse->fault->message, format, arguments);
  va_end(arguments);
}

static void add(parser *parse, const char *at, flg_formula_step step) {
  if (parse->failed) return;
  if (step.operation == NUMBER && !isfinite(step.number)) {
    fail(parse, at, "the result is not a finite number");
  } else if (parse->count == FLG_FORMULA_MAX_STEPS) {
    fail(parse, at, "the expression is too long; at most %d numbers, names and operators are read",
         FLG_FORMULA_MAX_STEPS);
  } else {
    parse->steps[parse->count++] = step;
  }
}

static bool is_constant(const parser *parse, int count) {
  for (int k = parse->count - count; k < parse->count; k++) {
    if (parse->steps[k].operation != NUMBER) return false;
  }
  return true;
}

/* an operation on what the last `count` pieces of code leave; done at once if they are numbers */
static void operate(parser *parse, const char *at, opcode operation, int count) {
  if (parse->failed) return;
  if (!is_constant(parse, count)) {
    add(parse, at, (flg_formula_step){.operation = (int)operation, .count = count});
    return;
  }
  double x[MOST_ARGUMENTS] = {0};
  parse->count -= count;
  for (int k = 0; k < count; k++) x[k] = parse->steps[parse->count + k].number;
  const function *named =
      operation < FIRST_FUNCTION ? NULL : &functions[operation - FIRST_FUNCTION];
  if (operation == DIVIDE && x[1] == 0) {
    fail(parse, at, "this divides by zero");
  } else if (named != NULL && named->allows != NULL && !named->allows(x[0])) {
    fail(parse, at, "%s takes numbers %s, found %.6g: the result is not a finite number",
         named->name, named->domain, x[0]);
  } else {
    add(parse, at, (flg_formula_step){.operation = NUMBER, .number = apply(operation, x, count)});
  }
}

static char peek(parser *parse) {
  parse->at += strspn(parse->at, " \t\n");
  return *parse->at;
}

static bool take(parser *parse, char wanted) {
  if (parse->failed || peek(parse) != wanted) return false;
  parse->at++;
  return true;
}

/* --- functions and names ------------------------------------------------------------------- */

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int word_length(const char *text) {
  int length = 0;
  if (!is_letter(text[0])) return 0;
  while (is_letter(text[length]) || (text[length] >= '0' && text[length] <= '9')) length++;
  return length;
}

bool flg_formula_allows_name(const char *name) {
  const int length = word_length(name);
  if (length == 0 || name[length] != '\0') return false;
  const char *word;
  for (int k = 0; (word = flg_formula_word(k)) != NULL; k++) {
    if (strcmp(name, word) == 0) return false;
  }
  return true;
}

static int parse_arguments(parser *parse) {
  int count = 0;
  do {
    if (count == MOST_ARGUMENTS) {
      fail(parse, parse->at, "at most %d numbers are taken here", MOST_ARGUMENTS);
      return count;
    }
    parse_sum(parse);
    count++;
  } while (take(parse, ','));
  if (!take(parse, ')')) fail(parse, parse->at, "expected ')'");
  return count;
}

static void tell_unknown(parser *parse, const char *name, const char *at) {
  flg_closest closest = flg_closest_begin(name);
  for (int k = 0; k < FUNCTIONS; k++) flg_closest_offer(&closest, functions[k].name);
  char hint[FLG_HINT_TEXT];
  fail(parse, at, "there is no function '%.40s'%s", name, flg_closest_text(&closest, hint));
}

static void parse_call(parser *parse, const char *name, const char *at) {
  const int count = parse_arguments(parse);
  if (parse->failed) return;
  int found = 0;
  while (found < FUNCTIONS && strcmp(name, functions[found].name) != 0) found++;
  if (found == FUNCTIONS) {
    tell_unknown(parse, name, at);
  } else if (functions[found].of_two != NULL && count != 2) {
    fail(parse, at, "%s takes 2 numbers (%s), found %d", name, functions[found].arguments, count);
  } else if (functions[found].of_one != NULL && count != 1) {
    fail(parse, at, "%s takes 1 number, found %d", name, count);
  }
  operate(parse, at, (opcode)(FIRST_FUNCTION + found), count);
}

enum { LONGEST_WORD = 64, LONGEST_PATH = 256 };

/* how far a name goes: a word, then with paths .word and, inside of parts, /word */
static int name_length(const parser *parse, const char *at, char name[], int capacity) {
  int length = word_length(at);
  for (;;) {
    if (length >= capacity) return length;
    memcpy(name, at, (size_t)length);
    name[length] = '\0';
    if (parse->names->is_part == NULL) return length;
    const int next = word_length(at + length + (at[length] != '\0'));
    const bool inner =
        at[length] == '/' && next > 0 && parse->names->is_part(parse->names->context, name);
    if (next == 0 || (at[length] != '.' && !inner)) return length;
    length += 1 + next;
  }
}

static void parse_name(parser *parse) {
  const char *at = parse->at;
  char name[LONGEST_PATH];
  const int most = parse->names->is_part == NULL ? LONGEST_WORD : LONGEST_PATH;
  const int length = name_length(parse, at, name, most);
  if (length >= most) {
    fail(parse, at, "the name is too long");
    return;
  }
  parse->at += length;
  flg_formula_step step = {.operation = NUMBER, .number = 3.14159265358979323846};
  char message[FLG_FORMULA_MESSAGE];
  if (take(parse, '(')) {
    parse_call(parse, name, at);
  } else if (strcmp(name, "pi") == 0 ||
             parse->names->find(parse->names->context, name, &step, message)) {
    add(parse, at, step);
  } else {
    fail(parse, at, "%s", message);
  }
}

/* --- the grammar --------------------------------------------------------------------------- */

static void parse_number(parser *parse) {
  double value;
  const char *at = parse->at, *end = flg_number_parse(at, &value);
  if (end == NULL) {
    fail(parse, at, "this is not a number");
    return;
  }
  parse->at = end;
  add(parse, at, (flg_formula_step){.operation = NUMBER, .number = value});
}

static void parse_primary(parser *parse) {
  const char next = peek(parse);
  const char *at = parse->at;
  if (take(parse, '(')) {
    parse_sum(parse);
    if (!take(parse, ')')) fail(parse, parse->at, "expected ')'");
  } else if (is_letter(next)) {
    parse_name(parse);
  } else if (next == '.' || (next >= '0' && next <= '9')) {
    parse_number(parse);
  } else if (next == '\0') {
    fail(parse, at, "the expression ends too early");
  } else {
    fail(parse, at, "expected a number, a name or '('");
  }
}

static void parse_power(parser *parse) {
  parse_primary(parse);
  const char *at = parse->at;
  if (!take(parse, '^')) return;
  parse_sign(parse);
  operate(parse, at, POWER, 2);
}

/* every recursion passes here */
static void parse_sign(parser *parse) {
  if (parse->depth == FLG_FORMULA_MAX_DEPTH) {
    fail(parse, parse->at, "nested too deeply; at most %d levels are read", FLG_FORMULA_MAX_DEPTH);
    return;
  }
  parse->depth++;
  peek(parse);
  const char *at = parse->at;
  if (take(parse, '-')) {
    parse_sign(parse);
    operate(parse, at, NEGATE, 1);
  } else if (take(parse, '+')) {
    parse_sign(parse);
  } else {
    parse_power(parse);
  }
  parse->depth--;
}

/* operands of one level with one of two operators between them */
static void parse_chain(parser *parse, void (*operand)(parser *), const char signs[2],
                        const opcode operations[2]) {
  operand(parse);
  for (;;) {
    peek(parse);
    const char *at = parse->at;
    const int which = take(parse, signs[0]) ? 0 : take(parse, signs[1]) ? 1 : -1;
    if (which < 0) return;
    operand(parse);
    operate(parse, at, operations[which], 2);
  }
}

static void parse_product(parser *parse) {
  parse_chain(parse, parse_sign, "*/", (const opcode[]){MULTIPLY, DIVIDE});
}

static void parse_sum(parser *parse) {
  parse_chain(parse, parse_product, "+-", (const opcode[]){ADD, SUBTRACT});
}

static void check_stack(parser *parse) {
  int top = 0, most = 0;
  for (int k = 0; k < parse->count; k++) {
    const flg_formula_step *step = &parse->steps[k];
    top += step->operation == NUMBER || step->operation == VARIABLE ? 1 : 1 - step->count;
    if (top > most) most = top;
  }
  if (most > FLG_FORMULA_MAX_STACK) {
    fail(parse, parse->text, "the expression is too complicated; split it up");
  }
}

static bool run(parser *parse, const char *text, const flg_formula_names *names,
                flg_formula_fault *fault) {
  parse->text = parse->at = text;
  parse->names = names;
  parse->fault = fault;
  parse->depth = parse->count = 0;
  parse->failed = false;
  parse_sum(parse);
  if (peek(parse) != '\0') fail(parse, parse->at, "expected an operator here, or the end");
  if (!parse->failed) check_stack(parse);
  return !parse->failed;
}

/* --- what comes out ------------------------------------------------------------------------ */

static flg_formula keep(const flg_formula_step *steps, int count, flg_region *region) {
  flg_formula_step *kept = flg_region_take(region, (size_t)count, sizeof *kept);
  if (kept == NULL) return (flg_formula){0};
  memcpy(kept, steps, (size_t)count * sizeof *kept);
  return (flg_formula){count, kept};
}

bool flg_formula_compile(flg_formula *formula, const char *text, const flg_formula_names *names,
                         flg_region *region, flg_formula_fault *fault) {
  parser parse;
  if (!run(&parse, text, names, fault)) return false;
  *formula = keep(parse.steps, parse.count, region);
  return true;
}

bool flg_formula_compute(const char *text, const flg_formula_names *names, double *value,
                         flg_formula_fault *fault) {
  parser parse;
  if (!run(&parse, text, names, fault)) return false;
  if (parse.count != 1 || parse.steps[0].operation != NUMBER) {
    fail(&parse, text, "this changes while the system runs; a constant is needed here");
    return false;
  }
  *value = parse.steps[0].number;
  return true;
}

uint64_t flg_formula_identity(const flg_formula *formula, uint64_t hash) {
  hash = flg_identity_integers(hash, &formula->count, 1);
  for (int k = 0; k < formula->count; k++) {
    const flg_formula_step *step = &formula->steps[k];
    const int numbers[] = {step->operation, step->count};
    hash = flg_identity_reals(flg_identity_integers(hash, numbers, 2), &step->number, 1);
  }
  return hash;
}

int flg_formula_variable(const flg_formula *formula) {
  const bool single = formula->count == 1 && formula->steps[0].operation == VARIABLE;
  return single ? formula->steps[0].count : -1;
}

flg_formula flg_formula_of_variable(int variable, flg_region *region) {
  return keep(&(flg_formula_step){.operation = VARIABLE, .count = variable}, 1, region);
}

flg_formula flg_formula_of_number(double number, flg_region *region) {
  return keep(&(flg_formula_step){.operation = NUMBER, .number = number}, 1, region);
}
