/* race.h - the same work by several programs, in turns, so that all of them meet the same machine.
 *
 * A round is a batch of calls of each, about a millisecond long; what counts is the smallest time
 * of a call and the median over all rounds. Times are those that the process was at work. For each
 * racer a line goes to standard output,
 *
 *     CASE <tab> WORK <tab> RACER <tab> MIN <tab> MEDIAN       times of one call [us]
 *
 * which scripts/bench makes tables of. The first racer is Flange.
 */
#ifndef FLG_BENCH_RACE_H
#define FLG_BENCH_RACE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stopwatch.h"

enum { RACE_ROUNDS = 31, RACE_MOST = 8 };
static const double RACE_BATCH = 1e-3; /* [s] */

typedef struct racer {
  const char *name;
  void (*run)(void *of);
  void *of;
  void (*start)(void *of); /* before each batch, not measured; NULL: nothing */
} racer;

static inline double race_batch(const racer *one, int calls) {
  if (one->start != NULL) one->start(one->of);
  const double start = worked();
  for (int k = 0; k < calls; k++) one->run(one->of);
  return (worked() - start) / calls;
}

/* how many calls fill a batch; the calls also warm up */
static inline int race_calls(const racer *one) {
  int calls = 1;
  while (calls < 1 << 20 && race_batch(one, calls) * calls < RACE_BATCH) calls *= 2;
  return calls;
}

static inline int race_order(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline void race(const char *letter, const char *work, const racer *racers, int count) {
  static double times[RACE_MOST][RACE_ROUNDS];
  int calls[RACE_MOST];
  if (count > RACE_MOST) abort();
  for (int k = 0; k < count; k++) calls[k] = race_calls(&racers[k]);
  for (int round = 0; round < RACE_ROUNDS; round++) {
    for (int k = 0; k < count; k++) times[k][round] = race_batch(&racers[k], calls[k]);
  }
  for (int k = 0; k < count; k++) {
    qsort(times[k], RACE_ROUNDS, sizeof times[k][0], race_order);
    printf("%s\t%s\t%s\t%.5g\t%.5g\n", letter, work, racers[k].name, 1e6 * times[k][0],
           1e6 * times[k][RACE_ROUNDS / 2]);
  }
  fflush(stdout);
}

/* Ends the program unless what a peer found is what we found: largest difference over largest
 * value. */
static inline void race_same(const char *work, const char *name, const double *ours,
                             const double *theirs, int count, double tolerance) {
  double difference = 0, scale = 0;
  for (int k = 0; k < count; k++) {
    difference = flg_larger(difference, fabs(ours[k] - theirs[k]));
    scale = flg_larger(scale, fabs(ours[k]));
  }
  if (difference <= tolerance * scale) return;
  fprintf(stderr, "%s: %s finds something else, by %.1e of the largest value\n", work, name,
          difference / scale);
  exit(1);
}

#endif
