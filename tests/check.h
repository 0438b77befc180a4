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

/* Repeatable random numbers (splitmix64), the same on every machine. */
typedef struct random_source {
  uint64_t state;
} random_source;

static inline uint64_t random_bits(random_source *source) {
  uint64_t bits = source->state += UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
  return bits ^ (bits >> 31);
}

static inline double random_uniform(random_source *source, double low, double high) {
  return low + (high - low) * (double)(random_bits(source) >> 11) * 0x1p-53;
}

static inline int random_integer(random_source *source, int low, int high) {
  return low + (int)(random_bits(source) % (uint64_t)(high - low + 1));
}

#endif
