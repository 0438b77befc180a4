/* stopwatch.h - seconds on a clock that only goes forward. */
#ifndef FLG_BENCH_STOPWATCH_H
#define FLG_BENCH_STOPWATCH_H

#include <time.h>

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
