/* random.h - random numbers for tests that can be repeated. */
#ifndef FLG_TESTS_RANDOM_H
#define FLG_TESTS_RANDOM_H

#include <stdint.h>

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
