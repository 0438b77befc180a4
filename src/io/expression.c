#include "io/expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "base/number.h"

typedef struct parser {
  const char *text, *at;
  flg_parameters parameters;
  int depth;
  bool failed;
  flg_expression_fault *fault;
} parser;

static double parse_sum(parser *parse);
static double parse_sign(parser *parse);

static double fail(parser *parse, const char *at, const char *format, ...) FLG_PRINTF(3, 4);

/* the first fault counts; what is read after it has no meaning, and 1 does no more harm */
static double fail(parser *parse, const char *at, const char *format, ...) {
  if (parse->failed) return 1;
  parse->failed = true;
  parse->fault->offset = (int)(at - parse->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(parse->fault->message, sizeof parse->fault->message, format, arguments);
  va_end(arguments);
  return 1;
}

static double finite(parser *parse, const char *at, double value) {
  return isfinite(value) ? value : fail(parse, at, "the result is not a finite number");
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

enum { MOST_ARGUMENTS = 8 };

typedef double function_of_one(double);

static const struct {
  const char *name;
  function_of_one *of_one;
} simple[] = {{"sqrt", sqrt}, {"sin", sin}, {"cos", cos}, {"tan", tan}, {"abs", fabs}};

static const char *const known[] = {"sqrt",  "sin", "cos", "tan", "abs",
                                    "atan2", "min", "max", "pi"};
enum { SIMPLE = sizeof simple / sizeof simple[0], KNOWN = sizeof known / sizeof known[0] };

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int word_length(const char *text) {
  int length = 0;
  if (!is_letter(text[0])) return 0;
  while (is_letter(text[length]) || (text[length] >= '0' && text[length] <= '9')) length++;
  return length;
}

bool flg_expression_allows_name(const char *name) {
  const int length = word_length(name);
  if (length == 0 || name[length] != '\0') return false;
  for (int k = 0; k < KNOWN; k++) {
    if (strcmp(name, known[k]) == 0) return false;
  }
  return true;
}

static int parse_arguments(parser *parse, double arguments[MOST_ARGUMENTS]) {
  int count = 0;
  do {
    if (count == MOST_ARGUMENTS) {
      fail(parse, parse->at, "at most %d numbers are taken here", MOST_ARGUMENTS);
      return count;
    }
    arguments[count++] = parse_sum(parse);
  } while (take(parse, ','));
  if (!take(parse, ')')) fail(parse, parse->at, "expected ')'");
  return count;
}

static double apply(parser *parse, const char *name, const char *at) {
  double arguments[MOST_ARGUMENTS] = {0};
  const int count = parse_arguments(parse, arguments);
  if (parse->failed) return 1;
  for (int k = 0; k < SIMPLE; k++) {
    if (strcmp(name, simple[k].name) != 0) continue;
    if (count != 1) return fail(parse, at, "%s takes 1 number, found %d", name, count);
    return finite(parse, at, simple[k].of_one(arguments[0]));
  }
  if (strcmp(name, "atan2") == 0) {
    if (count != 2) return fail(parse, at, "atan2 takes 2 numbers (y, x), found %d", count);
    return atan2(arguments[0], arguments[1]);
  }
  const bool least = strcmp(name, "min") == 0;
  if (!least && strcmp(name, "max") != 0) {
    char hint[FLG_HINT_TEXT];
    return fail(parse, at, "there is no function '%.40s'%s", name,
                flg_closest_hint(name, known, KNOWN, hint));
  }
  for (int k = 1; k < count; k++) {
    arguments[0] = least ? fmin(arguments[0], arguments[k]) : fmax(arguments[0], arguments[k]);
  }
  return arguments[0];
}

enum { MOST_WORDS = 256 };

static double look_up(parser *parse, const char *name, const char *at) {
  if (strcmp(name, "pi") == 0) return 3.14159265358979323846;
  const flg_parameter *items = parse->parameters.items;
  for (int k = 0; k < parse->parameters.count; k++) {
    if (strcmp(items[k].name, name) == 0) return items[k].value;
  }
  const char *words[KNOWN + MOST_WORDS];
  int count = 0;
  for (; count < parse->parameters.count && count < MOST_WORDS; count++) {
    words[count] = items[count].name;
  }
  for (int k = 0; k < KNOWN; k++) words[count++] = known[k];
  char hint[FLG_HINT_TEXT];
  return fail(parse, at, "there is no parameter '%.40s'%s", name,
              flg_closest_hint(name, words, count, hint));
}

static double parse_word(parser *parse, int length) {
  const char *at = parse->at;
  char name[64];
  if (length >= (int)sizeof name) return fail(parse, at, "the name is too long");
  memcpy(name, at, (size_t)length);
  name[length] = '\0';
  parse->at += length;
  return take(parse, '(') ? apply(parse, name, at) : look_up(parse, name, at);
}

/* --- the grammar --------------------------------------------------------------------------- */

static double parse_number(parser *parse) {
  double value;
  const char *at = parse->at, *end = flg_number_parse(at, &value);
  if (end == NULL) return fail(parse, at, "this is not a number");
  parse->at = end;
  return finite(parse, at, value);
}

static double parse_primary(parser *parse) {
  const char next = peek(parse);
  const char *at = parse->at;
  if (take(parse, '(')) {
    const double value = parse_sum(parse);
    if (!take(parse, ')')) fail(parse, parse->at, "expected ')'");
    return value;
  }
  const int length = word_length(at);
  if (length > 0) return parse_word(parse, length);
  if (next == '.' || (next >= '0' && next <= '9')) return parse_number(parse);
  if (next == '\0') return fail(parse, at, "the expression ends too early");
  return fail(parse, at, "expected a number, a name or '('");
}

static double parse_power(parser *parse) {
  const double base = parse_primary(parse);
  const char *at = parse->at;
  if (!take(parse, '^')) return base;
  const double exponent = parse_sign(parse);
  return finite(parse, at, pow(base, exponent));
}

/* every recursion passes here */
static double parse_sign(parser *parse) {
  if (parse->depth == FLG_EXPRESSION_MAX_DEPTH) {
    return fail(parse, parse->at, "nested too deeply; at most %d levels are read",
                FLG_EXPRESSION_MAX_DEPTH);
  }
  parse->depth++;
  double value;
  if (take(parse, '-')) {
    value = -parse_sign(parse);
  } else if (take(parse, '+')) {
    value = parse_sign(parse);
  } else {
    value = parse_power(parse);
  }
  parse->depth--;
  return value;
}

static double parse_product(parser *parse) {
  double value = parse_sign(parse);
  for (;;) {
    peek(parse);
    const char *at = parse->at;
    if (take(parse, '*')) {
      value = finite(parse, at, value * parse_sign(parse));
    } else if (take(parse, '/')) {
      const double divisor = parse_sign(parse);
      if (divisor == 0) return fail(parse, at, "this divides by zero");
      value = finite(parse, at, value / divisor);
    } else {
      return value;
    }
  }
}

static double parse_sum(parser *parse) {
  double value = parse_product(parse);
  for (;;) {
    peek(parse);
    const char *at = parse->at;
    if (take(parse, '+')) {
      value = finite(parse, at, value + parse_product(parse));
    } else if (take(parse, '-')) {
      value = finite(parse, at, value - parse_product(parse));
    } else {
      return value;
    }
  }
}

bool flg_expression_evaluate(const char *text, flg_parameters parameters, double *value,
                             flg_expression_fault *fault) {
  parser parse = {.text = text, .at = text, .parameters = parameters, .fault = fault};
  const double result = parse_sum(&parse);
  if (peek(&parse) != '\0') fail(&parse, parse.at, "expected an operator here, or the end");
  if (parse.failed) return false;
  *value = result;
  return true;
}

/* --- in a tree ----------------------------------------------------------------------------- */

bool flg_node_is_expression(const flg_node *node) {
  return node->kind == FLG_NODE_SCALAR && node->text[0] == '=';
}

bool flg_node_evaluate(const flg_node *node, flg_parameters parameters, double *value,
                       flg_mistakes *mistakes) {
  flg_expression_fault fault;
  if (flg_expression_evaluate(node->text + 1, parameters, value, &fault)) return true;
  flg_place place = node->value_place;
  /* after the '='; not known in text that goes over lines */
  if (place.column > 0 && strchr(node->text, '\n') == NULL) place.column += fault.offset + 1;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place, "in '%.80s': %s", node->text, fault.message);
  return false;
}

/* recursion is as deep as the document, which the YAML reader bounds */
void flg_node_compute(flg_node *root, flg_parameters parameters, flg_region *region,
                      flg_mistakes *mistakes) {
  if (flg_node_is_expression(root)) {
    double value = 1;
    char text[FLG_NUMBER_TEXT];
    flg_node_evaluate(root, parameters, &value, mistakes);
    flg_number_write(value, text);
    const char *kept = flg_region_text(region, text, strlen(text));
    if (kept != NULL) root->text = kept;
    root->quoted = false;
  }
  for (flg_node *child = root->first; child != NULL; child = child->next) {
    flg_node_compute(child, parameters, region, mistakes);
  }
}
