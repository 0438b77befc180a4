/* stopwatch.h - seconds on a clock that only goes forward, and those that the program was at work.
 */
#ifndef FLG_BENCH_STOPWATCH_H
#define FLG_BENCH_STOPWATCH_H

#include <time.h>

#include "math/larger.h"

static inline double read_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double now(void) {
  return read_clock(CLOCK_MONOTONIC);
}

/* where others share the machine */
static inline double worked(void) {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
