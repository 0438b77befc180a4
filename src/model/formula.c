#include "model/formula.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "base/number.h"
#include "math/identity.h"
#include "model/formula_inner.h"

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

static void formula_fail(parser *parse, const char *at, const char *format, ...) FLG_PRINTF(3, 4);

/* the first fault counts; what is read after it has no meaning */
static void formula_fail(parser *parse, const char *at, const char *format, ...) {
  if (parse->failed) return;
  parse->failed = true;
  parse->fault->offset = (int)(at - parse->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(parse->fault->message, sizeof parse->fault->message, format, arguments);
  va_end(arguments);
}

static void formula_add(parser *parse, const char *at, flg_formula_step step) {
  if (parse->failed) return;
  if (step.operation == FLG_FORMULA_NUMBER && !isfinite(step.number)) {
    formula_fail(parse, at, "the result is not a finite number");
  } else if (parse->count == FLG_FORMULA_MAX_STEPS) {
    formula_fail(parse, at,
                 "the expression is too long; at most %d numbers, names and operators are read",
                 FLG_FORMULA_MAX_STEPS);
  } else {
    parse->steps[parse->count++] = step;
  }
}

/* Only literal numbers are folded: variables change while the system runs. */
static bool is_constant_tail(const parser *parse, int count) {
  for (int k = parse->count - count; k < parse->count; k++) {
    if (parse->steps[k].operation != FLG_FORMULA_NUMBER) return false;
  }
  return true;
}

/* an operation on what the last `count` pieces of code leave; done at once if they are numbers */
static void operate(parser *parse, const char *at, flg_formula_operation operation, int count) {
  if (parse->failed) return;
  /* Constants are computed here: faults such as a division by zero are then reported with their
   * column, before a run starts. */
  if (!is_constant_tail(parse, count)) {
    formula_add(parse, at, (flg_formula_step){.operation = (int)operation, .count = count});
    return;
  }
  double x[FLG_FORMULA_MOST_ARGUMENTS] = {0};
  parse->count -= count;
  for (int k = 0; k < count; k++) x[k] = parse->steps[parse->count + k].number;
  const flg_formula_function *named =
      operation < FLG_FORMULA_FIRST_FUNCTION
          ? NULL
          : &flg_formula_functions[operation - FLG_FORMULA_FIRST_FUNCTION];
  if (operation == FLG_FORMULA_DIVIDE && x[1] == 0) {
    formula_fail(parse, at, "this divides by zero");
    /* The C library would return NaN, and the user would not learn which number was wrong. */
  } else if (named != NULL && named->allows != NULL && !named->allows(x[0])) {
    formula_fail(parse, at, "%s takes numbers %s, found %.6g: the result is not a finite number",
                 named->name, named->domain, x[0]);
  } else {
    formula_add(parse, at,
                (flg_formula_step){.operation = FLG_FORMULA_NUMBER,
                                   .number = flg_formula_apply(operation, x, count)});
  }
}

/* Line breaks are blanks too: YAML folds long texts over several lines. */
static char peek(parser *parse) {
  parse->at += strspn(parse->at, " \t\n");
  return *parse->at;
}

static bool formula_take(parser *parse, char wanted) {
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

/* A signal called like a function or constant could not be told from it in formulas. */
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
    if (count == FLG_FORMULA_MOST_ARGUMENTS) {
      formula_fail(parse, parse->at, "at most %d numbers are taken here",
                   FLG_FORMULA_MOST_ARGUMENTS);
      return count;
    }
    parse_sum(parse);
    count++;
  } while (formula_take(parse, ','));
  if (!formula_take(parse, ')')) formula_fail(parse, parse->at, "expected ')'");
  return count;
}

/* Most unknown names are misspelled: the message offers the closest function. */
static void formula_tell_unknown(parser *parse, const char *name, const char *at) {
  flg_closest closest = flg_closest_begin(name);
  for (int k = 0; k < FLG_FORMULA_FUNCTIONS; k++)
    flg_closest_offer(&closest, flg_formula_functions[k].name);
  char hint[FLG_HINT_TEXT];
  formula_fail(parse, at, "there is no function '%.40s'%s", name, flg_closest_text(&closest, hint));
}

static void parse_call(parser *parse, const char *name, const char *at) {
  const int count = parse_arguments(parse);
  if (parse->failed) return;
  int found = 0;
  while (found < FLG_FORMULA_FUNCTIONS && strcmp(name, flg_formula_functions[found].name) != 0)
    found++;
  if (found == FLG_FORMULA_FUNCTIONS) {
    formula_tell_unknown(parse, name, at);
  } else if (flg_formula_functions[found].of_two != NULL && count != 2) {
    formula_fail(parse, at, "%s takes 2 numbers (%s), found %d", name,
                 flg_formula_functions[found].arguments, count);
  } else if (flg_formula_functions[found].of_one != NULL && count != 1) {
    formula_fail(parse, at, "%s takes 1 number, found %d", name, count);
  }
  operate(parse, at, (flg_formula_operation)(FLG_FORMULA_FIRST_FUNCTION + found), count);
}

/* Names are copied for the look-up onto the stack: no memory is taken while a formula is read. */
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
    formula_fail(parse, at, "the name is too long");
    return;
  }
  parse->at += length;
  /* pi, unless find puts another step in its place */
  flg_formula_step step = {.operation = FLG_FORMULA_NUMBER, .number = 3.14159265358979323846};
  char message[FLG_FORMULA_MESSAGE];
  if (formula_take(parse, '(')) {
    parse_call(parse, name, at);
  } else if (strcmp(name, "pi") == 0 ||
             parse->names->find(parse->names->context, name, &step, message)) {
    formula_add(parse, at, step);
  } else {
    formula_fail(parse, at, "%s", message);
  }
}

/* --- the grammar --------------------------------------------------------------------------- */

/* Not strtod: that depends on the locale, and takes hexadecimal numbers and infinities. */
static void parse_number(parser *parse) {
  double value;
  const char *at = parse->at, *end = flg_number_parse(at, &value);
  if (end == NULL) {
    formula_fail(parse, at, "this is not a number");
    return;
  }
  parse->at = end;
  formula_add(parse, at, (flg_formula_step){.operation = FLG_FORMULA_NUMBER, .number = value});
}

static void parse_primary(parser *parse) {
  const char next = peek(parse);
  const char *at = parse->at;
  if (formula_take(parse, '(')) {
    parse_sum(parse);
    if (!formula_take(parse, ')')) formula_fail(parse, parse->at, "expected ')'");
  } else if (is_letter(next)) {
    parse_name(parse);
  } else if (next == '.' || (next >= '0' && next <= '9')) {
    parse_number(parse);
  } else if (next == '\0') {
    formula_fail(parse, at, "the expression ends too early");
  } else {
    formula_fail(parse, at, "expected a number, a name or '('");
  }
}

/* The exponent is a sign again: 2^-1 and 2^3^2 = 2^(3^2) are read as in mathematics. */
static void parse_power(parser *parse) {
  parse_primary(parse);
  const char *at = parse->at;
  if (!formula_take(parse, '^')) return;
  parse_sign(parse);
  operate(parse, at, FLG_FORMULA_POWER, 2);
}

/* every recursion passes here */
static void parse_sign(parser *parse) {
  if (parse->depth == FLG_FORMULA_MAX_DEPTH) {
    formula_fail(parse, parse->at, "nested too deeply; at most %d levels are read",
                 FLG_FORMULA_MAX_DEPTH);
    return;
  }
  parse->depth++;
  peek(parse);
  const char *at = parse->at;
  if (formula_take(parse, '-')) {
    parse_sign(parse);
    operate(parse, at, FLG_FORMULA_NEGATE, 1);
  } else if (formula_take(parse, '+')) {
    parse_sign(parse);
  } else {
    parse_power(parse);
  }
  parse->depth--;
}

/* operands of one level with one of two operators between them */
static void parse_chain(parser *parse, void (*operand)(parser *), const char signs[2],
                        const flg_formula_operation operations[2]) {
  operand(parse);
  for (;;) {
    peek(parse);
    const char *at = parse->at;
    const int which = formula_take(parse, signs[0]) ? 0 : formula_take(parse, signs[1]) ? 1 : -1;
    if (which < 0) return;
    operand(parse);
    operate(parse, at, operations[which], 2);
  }
}

/* Operands are signs rather than powers, so that 2 * -3 needs no brackets. */
static void parse_product(parser *parse) {
  parse_chain(parse, parse_sign, "*/",
              (const flg_formula_operation[]){FLG_FORMULA_MULTIPLY, FLG_FORMULA_DIVIDE});
}

static void parse_sum(parser *parse) {
  parse_chain(parse, parse_product, "+-",
              (const flg_formula_operation[]){FLG_FORMULA_ADD, FLG_FORMULA_SUBTRACT});
}

/* Evaluation in steps has a stack of fixed size and does not test it. */
static void check_stack(parser *parse) {
  int top = 0, most = 0;
  for (int k = 0; k < parse->count; k++) {
    const flg_formula_step *step = &parse->steps[k];
    top += step->operation == FLG_FORMULA_NUMBER || step->operation == FLG_FORMULA_VARIABLE
               ? 1
               : 1 - step->count;
    if (top > most) most = top;
  }
  if (most > FLG_FORMULA_MAX_STACK) {
    formula_fail(parse, parse->text, "the expression is too complicated; split it up");
  }
}

static bool formula_run(parser *parse, const char *text, const flg_formula_names *names,
                        flg_formula_fault *fault) {
  parse->text = parse->at = text;
  parse->names = names;
  parse->fault = fault;
  parse->depth = parse->count = 0;
  parse->failed = false;
  parse_sum(parse);
  if (peek(parse) != '\0') formula_fail(parse, parse->at, "expected an operator here, or the end");
  if (!parse->failed) check_stack(parse);
  return !parse->failed;
}

/* --- what comes out ------------------------------------------------------------------------ */

/* Steps are parsed into an array of the parser; only those that are used stay. */
static flg_formula formula_keep(const flg_formula_step *steps, int count, flg_region *region) {
  flg_formula_step *kept = flg_region_take(region, (size_t)count, sizeof *kept);
  if (kept == NULL) return (flg_formula){0};
  memcpy(kept, steps, (size_t)count * sizeof *kept);
  return (flg_formula){count, kept};
}

bool flg_formula_compile(flg_formula *formula, const char *text, const flg_formula_names *names,
                         flg_region *region, flg_formula_fault *fault) {
  parser parse;
  if (!formula_run(&parse, text, names, fault)) return false;
  *formula = formula_keep(parse.steps, parse.count, region);
  return true;
}

bool flg_formula_compute(const char *text, const flg_formula_names *names, double *value,
                         flg_formula_fault *fault) {
  parser parse;
  if (!formula_run(&parse, text, names, fault)) return false;
  if (parse.count != 1 || parse.steps[0].operation != FLG_FORMULA_NUMBER) {
    formula_fail(&parse, text, "this changes while the system runs; a constant is needed here");
    return false;
  }
  *value = parse.steps[0].number;
  return true;
}

/* Every step counts: restored states are refused where a formula has changed. */
uint64_t flg_formula_identity(const flg_formula *formula, uint64_t hash) {
  hash = flg_identity(hash, "i", formula->count);
  for (int k = 0; k < formula->count; k++) {
    const flg_formula_step *step = &formula->steps[k];
    hash = flg_identity(hash, "iir", (int)step->operation, step->count, step->number);
  }
  return hash;
}

/* A formula that is a single variable passes its rate on (flg_formula_rate); others do not. */
int flg_formula_variable(const flg_formula *formula) {
  const bool single = formula->count == 1 && formula->steps[0].operation == FLG_FORMULA_VARIABLE;
  return single ? formula->steps[0].count : -1;
}

flg_formula flg_formula_of_variable(int variable, flg_region *region) {
  return formula_keep(&(flg_formula_step){.operation = FLG_FORMULA_VARIABLE, .count = variable}, 1,
                      region);
}

flg_formula flg_formula_of_number(double number, flg_region *region) {
  return formula_keep(&(flg_formula_step){.operation = FLG_FORMULA_NUMBER, .number = number}, 1,
                      region);
}
