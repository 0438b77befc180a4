/* formula.h - an expression, compiled once and evaluated often: 2*p - sqrt(q^2 + 1).
 *
 *     sum      product { (+|-) product }
 *     product  sign { (*|/) sign }
 *     sign     [+|-] sign  |  power
 *     power    primary [^ sign]                  -2^2 = -4, 2^3^2 = 2^9
 *     primary  number | pi | name | function(sum, ...) | (sum)
 *
 * Functions: sqrt sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 hypot abs sign
 * floor ceil round mod min max; angles in rad; mod has the sign of its divisor. A name is a word;
 * where names have paths, it is part/part/word.word as well, without blanks: `a/b` is a path if a
 * is a part, and a quotient otherwise.
 *
 * Code: steps in reverse Polish order, without pointers. What is constant is computed when the
 * formula is compiled; an expression without variables is one number.
 */
#ifndef FLG_FORMULA_H
#define FLG_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/region.h"

enum {
  FLG_FORMULA_MAX_DEPTH = 64,   /* of nesting */
  FLG_FORMULA_MAX_STEPS = 1024, /* of code, and of what waits while it is compiled */
  FLG_FORMULA_MAX_STACK = 64,   /* numbers that wait while it is evaluated */
  FLG_FORMULA_MESSAGE = 200
};

typedef struct flg_formula_step {
  int operation; /* of formula.c; FLG_FORMULA_NUMBER and FLG_FORMULA_VARIABLE are for all */
  int count;     /* of arguments; of a variable: which */
  double number;
} flg_formula_step;

enum { FLG_FORMULA_NUMBER, FLG_FORMULA_VARIABLE };

typedef struct flg_formula {
  int count; /* 0: there is none */
  flg_formula_step *steps;
} flg_formula;

/* A mistake in an expression, and its character (from 0). */
typedef struct flg_formula_fault {
  int offset;
  char message[FLG_FORMULA_MESSAGE];
} flg_formula_fault;

/* Meanings of the names in an expression. */
typedef struct flg_formula_names {
  const void *context;
  /* Makes a number or a variable of a name; false with a message if there is no such name. */
  bool (*find)(const void *context, const char *name, flg_formula_step *step,
               char message[FLG_FORMULA_MESSAGE]);
  /* True if the path leads to an object with names inside; NULL: names are words. */
  bool (*is_part)(const void *context, const char *path);
} flg_formula_names;

/* Set-up: compiles a text; the code lies in the region. False with *fault; a region without memory
 * gives a formula of no steps. */
bool flg_formula_compile(flg_formula *formula, const char *text, const flg_formula_names *names,
                         flg_region *region, flg_formula_fault *fault);
/* Set-up: the finite number that a text without variables stands for. */
bool flg_formula_compute(const char *text, const flg_formula_names *names, double *value,
                         flg_formula_fault *fault);
/* Step: the value; not finite where mathematics has none. */
double flg_formula_evaluate(const flg_formula *formula, const double *variables);

/* A number over time, with its first two derivatives. */
typedef struct flg_jet {
  double value, rate, rise;
} flg_jet;

/* The value and the derivatives of a variable. */
typedef flg_jet flg_jet_read(const void *context, int variable);
/* Step: the formula over time, by the rules of differentiation. Kinks and jumps (abs, sign, floor,
 * ceil, round, mod, min, max) count as smooth on the side where the number is. */
flg_jet flg_formula_jet(const flg_formula *formula, flg_jet_read *of, const void *context);

/* A hash chained with the formula. */
uint64_t flg_formula_identity(const flg_formula *formula, uint64_t hash);

/* The variable that the formula consists of, -1: it is something else. */
int flg_formula_variable(const flg_formula *formula);
/* Set-up: a formula that is one variable, or one number. */
flg_formula flg_formula_of_variable(int variable, flg_region *region);
flg_formula flg_formula_of_number(double number, flg_region *region);

/* True if something may have that name in an expression: a letter or _, then letters, digits and _,
 * and no function nor pi. */
bool flg_formula_allows_name(const char *name);
/* The words that mean something in every expression, from index 0 on; NULL after the last. */
const char *flg_formula_word(int index);

#endif
