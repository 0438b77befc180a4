/* check.h - cmocka with its own prerequisites, and the comparisons that numerical tests need. */
#ifndef FLG_TESTS_CHECK_H
#define FLG_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/larger.h"
#include "random.h"

/* How often a random test repeats: all of it in release, a part where sanitizers slow it down,
 * unless FLANGE_WHOLE is on, as in soak runs. */
#if !defined(FLANGE_WHOLE) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define REPEATS(count) ((count) / 8 + 1)
#else
#define REPEATS(count) (count)
#endif

/* Fails with both values and their difference unless |actual - expected| <= tolerance. */
#define assert_near(actual, expected, tolerance) \
  check_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

/* With FLANGE_BOUNDS in the environment a test tells at its end how much of the tolerance of each
 * assert_near was used at most: bounds are tied to what is measured. */
typedef struct used_bound {
  const char *what;
  int line;
  double tolerance, share;
} used_bound;
static used_bound used_bounds[512];
static int used_bound_count;

static inline void print_bounds(void) {
  for (int k = 0; k < used_bound_count; k++) {
    const used_bound *of = &used_bounds[k];
    printf("bound at line %d: %.2g of %.2g, %s\n", of->line, of->share, of->tolerance, of->what);
  }
}

static inline void note_bound(double off, double tolerance, const char *what, int line) {
  int k = 0;
  while (k < used_bound_count && (used_bounds[k].line != line || used_bounds[k].what != what)) k++;
  if (k == 512 || tolerance <= 0) return;
  if (used_bound_count == 0) atexit(print_bounds);
  if (k == used_bound_count) used_bounds[used_bound_count++] = (used_bound){what, line, 0, 0};
  if (!flg_exceeds(off / tolerance, used_bounds[k].share) && used_bounds[k].tolerance > 0) return;
  used_bounds[k].share = off / tolerance, used_bounds[k].tolerance = tolerance;
}

static inline void check_near(double actual, double expected, double tolerance, const char *what,
                              const char *file, int line) {
  static int is_noted = -1;
  if (is_noted < 0) is_noted = getenv("FLANGE_BOUNDS") != NULL;
  if (is_noted) note_bound(fabs(actual - expected), tolerance, what, line);
  if (fabs(actual - expected) <= tolerance) return;
  print_error("%s is %.17g, not %.17g: off by %.3g, more than %.3g\n", what, actual, expected,
              actual - expected, tolerance);
  _fail(file, line);
}

/* Largest |a_i - b_i| of two arrays; NaN if any is. */
static inline double max_difference(const double *a, const double *b, int count) {
  double largest = 0;
  for (int k = 0; k < count; k++) {
    const double difference = fabs(a[k] - b[k]);
    largest = flg_larger(largest, difference);
  }
  return largest;
}

#endif
