#include "base/clock.h"

#include <time.h>

double flg_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  static const double NANOSECOND = 1e-9; /* [s] */
  return (double)now.tv_sec + NANOSECOND * (double)now.tv_nsec;
}
