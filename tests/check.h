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

/* How often a random test repeats: all of it in release, a part where sanitizers slow it down. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REPEATS(count) ((count) / 8 + 1)
#else
#define REPEATS(count) (count)
#endif

/* Fails with both values and their difference unless |actual - expected| <= tolerance. */
#define assert_near(actual, expected, tolerance) \
  check_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

static inline void check_near(double actual, double expected, double tolerance, const char *what,
                              const char *file, int line) {
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
