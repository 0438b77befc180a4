/* Any text is a formula, or wrong at one of its characters. A formula has the same value by itself
 * and with its derivatives, and that of a formula without variables was computed beforehand. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formula.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds) {
  if (!holds) abort();
}

/* p, q, arm/p and arm/joint.velocity are variables, g is a number */
static bool find(const void *context, const char *name, flg_formula_step *step,
                 char message[FLG_FORMULA_MESSAGE]) {
  (void)context;
  static const char *const names[] = {"p", "q", "arm/p", "arm/joint.velocity"};
  for (int k = 0; k < 4; k++) {
    *step = (flg_formula_step){.operation = FLG_FORMULA_VARIABLE, .count = k};
    if (strcmp(name, names[k]) == 0) return true;
  }
  *step = (flg_formula_step){.operation = FLG_FORMULA_NUMBER, .number = 9.81};
  if (strcmp(name, "g") == 0) return true;
  snprintf(message, FLG_FORMULA_MESSAGE, "there is no '%.50s'", name);
  return false;
}

static bool is_part(const void *context, const char *path) {
  (void)context;
  return strcmp(path, "arm") == 0;
}

static flg_jet read_jet(const void *context, int variable) {
  const double *variables = context;
  return (flg_jet){variables[variable], 1, 0.5};
}

static void check(const flg_formula *formula) {
  static const double variables[][4] = {{0}, {1, -2, 0.5, 1e300}, {-0.1, 1e-300, 3, (double)NAN}};
  demand(formula->count > 0 && formula->count <= FLG_FORMULA_MAX_STEPS);
  for (int k = 0; k < 3; k++) {
    const double value = flg_formula_evaluate(formula, variables[k]);
    const flg_jet jet = flg_formula_jet(formula, read_jet, variables[k]);
    demand(value == jet.value || (isnan(value) && isnan(jet.value)));
    const int of = flg_formula_variable(formula);
    demand(of < 4 && (of < 0 || value == variables[k][of] || isnan(value)));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const flg_formula_names words = {.find = find}, paths = {.find = find, .is_part = is_part};
  char *text = malloc(size + 1);
  demand(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  for (int k = 0; k < 2; k++) {
    const flg_formula_names *names = k == 0 ? &words : &paths;
    flg_region region = {.limit = 16 << 20};
    flg_formula formula = {0};
    flg_formula_fault fault = {.offset = -1};
    double value = NAN;
    if (flg_formula_compile(&formula, text, names, &region, &fault)) {
      check(&formula);
    } else {
      demand(fault.offset >= 0 && (size_t)fault.offset <= strlen(text) && fault.message[0] != '\0');
    }
    if (flg_formula_compute(text, names, &value, &fault)) {
      demand(isfinite(value) && flg_formula_evaluate(&formula, NULL) == value);
    }
    flg_region_release(&region);
  }
  free(text);
  return 0;
}
