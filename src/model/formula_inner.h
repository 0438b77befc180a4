/* formula_inner.h - the code of formulas: what formula.c compiles and formula_run.c evaluates. */
#ifndef FLG_FORMULA_INNER_H
#define FLG_FORMULA_INNER_H

#include "model/formula.h"

typedef enum flg_formula_operation {
  FLG_FORMULA_ADD = FLG_FORMULA_VARIABLE + 1,
  FLG_FORMULA_SUBTRACT,
  FLG_FORMULA_MULTIPLY,
  FLG_FORMULA_DIVIDE,
  FLG_FORMULA_POWER,
  FLG_FORMULA_NEGATE,
  FLG_FORMULA_FIRST_FUNCTION, /* those of the table, in its order, from here */
} flg_formula_operation;

enum { FLG_FORMULA_MOST_ARGUMENTS = 8, FLG_FORMULA_FUNCTIONS = 23 };

/* a function of one number, of two, or of any number of them */
typedef struct flg_formula_function {
  const char *name;
  double (*of_one)(double x);
  double (*of_two)(double x, double y);
  double (*of_all)(const double *x, int count);
  const char *arguments; /* what two numbers mean */
  bool (*allows)(double x);
  const char *domain;                              /* the numbers that it allows, NULL: all */
  void (*derive)(double x, double y, double d[2]); /* NULL: constant from jump to jump */
} flg_formula_function;

extern const flg_formula_function flg_formula_functions[FLG_FORMULA_FUNCTIONS];

/* An operation on numbers. */
double flg_formula_apply(flg_formula_operation operation, const double *x, int count);

#endif
