#include "cli/pace.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "cli/interrupts.h"

static const double SHORTEST = 1e-9; /* that the clock tells [s]: the first bin */
enum { BINS_TO_DOUBLE = 16 };

flg_pace flg_pace_begin(double period) {
  const double now = flg_clock();
  return (flg_pace){.period = period, .start = now, .begun = now, .margin_min = INFINITY};
}

/* a signal ends the sleep; it may be one that does not ask to stop */
static void sleep_until(double due) {
  const double whole = floor(due);
  const struct timespec until = {(time_t)whole, (long)(1e9 * (due - whole))};
  while (flg_interrupted == 0 &&
         clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
}

static void count_wait(flg_pace *pace, double late) {
  const double place = BINS_TO_DOUBLE * log2(fmax(late, SHORTEST) / SHORTEST);
  const int bin = place < FLG_PACE_BINS - 1 ? (int)place : FLG_PACE_BINS - 1;
  pace->bins[bin]++;
  pace->waits++;
  pace->jitter = fmax(pace->jitter, late);
}

void flg_pace_wait(flg_pace *pace) {
  const double due = pace->start + (double)++pace->steps * pace->period, done = flg_clock();
  const double margin = 1 - (done - pace->begun) / pace->period;
  pace->margin_min = fmin(pace->margin_min, margin);
  pace->margin_sum += margin;
  if (done > due) {
    pace->overruns++;
  } else {
    sleep_until(due);
    if (flg_interrupted == 0) count_wait(pace, flg_clock() - due);
  }
  pace->begun = flg_clock();
}

double flg_pace_jitter(const flg_pace *pace, double share) {
  int64_t seen = 0;
  for (int k = 0; k < FLG_PACE_BINS; k++) {
    seen += pace->bins[k];
    if (seen == 0 || (double)seen < share * (double)pace->waits) continue;
    return fmin(SHORTEST * exp2((k + 1.0) / BINS_TO_DOUBLE), pace->jitter);
  }
  return NAN; /* there was no wait */
}
