/* race.h - the same work by several programs, in turns, so that all of them meet the same machine.
 *
 * A round is a batch of calls of each racer; what counts is the smallest time of a call and the
 * median over all rounds. Each racer gives a line on standard output,
 *
 *     CASE, WORK, RACER, UNIT, MIN, MEDIAN, MARK, AGAINST, COUNTS, REMARK
 *
 * between tabs, which scripts/bench makes tables of. MARK: what Flange aims at, the ratio to the
 * fastest peer or to the one that AGAINST names; 0: nothing. COUNTS is 0 for a peer that does not
 * solve the problem and is compared with no one.
 */
#ifndef FLG_BENCH_RACE_H
#define FLG_BENCH_RACE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "stopwatch.h"

enum { RACE_MOST = 10, RACE_MOST_ROUNDS = 501 };
static const double RACE_BATCH = 1e-3; /* [s] */

typedef struct racer {
  const char *name; /* of Flange: begins with it */
  void (*run)(void *of);
  void *of;
  void (*start)(void *of); /* before each batch, not measured; NULL: nothing */
  double mark;
  const char *against; /* the peer that the mark is for, NULL: the fastest */
  char remark[100];    /* shown in the table, for example the largest gap */
  bool fails;          /* does not solve the problem */
  int parts;           /* a call does so many equal pieces of work, whose time is told; 0: one */
} racer;

/* How a race is run: 31 rounds of batches of a millisecond of CPU time by default. */
typedef struct race_terms {
  int rounds, calls; /* calls of a batch, 0: as many as fill RACE_BATCH */
  double (*clock)(void);
} race_terms;

static inline race_terms race_default(void) {
  return (race_terms){.rounds = 31, .clock = worked};
}

/* --- lines ------------------------------------------------------------------------------------ */

static FILE *race_lines;      /* where lines go, NULL: standard output */
static FILE *race_complaints; /* NULL: standard error */

/* What peers print goes nowhere from here on. */
static inline void race_silence_peers(void) {
  race_lines = fdopen(dup(STDOUT_FILENO), "w");
  race_complaints = fdopen(dup(STDERR_FILENO), "w");
  if (race_lines == NULL || race_complaints == NULL) abort();
  if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) {
    abort();
  }
}

static inline int race_order(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Times [s] of one racer over all rounds; sorts them. */
static inline void race_tell(const char *letter, const char *work, const racer *one, double *times,
                             int rounds) {
  FILE *to = race_lines == NULL ? stdout : race_lines;
  qsort(times, (size_t)rounds, sizeof *times, race_order);
  fprintf(to, "%s\t%s\t%s\tus\t%.5g\t%.5g\t%g\t%s\t%d\t%s\n", letter, work, one->name,
          1e6 * times[0], 1e6 * times[rounds / 2], one->mark,
          one->against == NULL ? "-" : one->against, !one->fails, one->remark);
  fflush(to);
}

/* One figure that is no time of a call; `mark` is in its unit. */
static inline void race_figure(const char *letter, const char *work, const char *name,
                               const char *unit, double value, double mark, const char *remark) {
  FILE *to = race_lines == NULL ? stdout : race_lines;
  fprintf(to, "%s\t%s\t%s\t%s\t%.5g\t%.5g\t%g\t-\t1\t%s\n", letter, work, name, unit, value, value,
          mark, remark);
  fflush(to);
}

/* --- races ------------------------------------------------------------------------------------ */

static inline double race_batch(const racer *one, int calls, double (*clock)(void)) {
  if (one->start != NULL) one->start(one->of);
  const double start = clock();
  for (int k = 0; k < calls; k++) one->run(one->of);
  return (clock() - start) / calls;
}

/* how many calls fill a batch; the calls also warm up */
static inline int race_calls(const racer *one, const race_terms *terms) {
  int calls = terms->calls > 0 ? terms->calls : 1;
  double spent = race_batch(one, calls, terms->clock) * calls;
  while (terms->calls == 0 && calls < 1 << 20 && spent < RACE_BATCH) {
    calls *= 2;
    spent = race_batch(one, calls, terms->clock) * calls;
  }
  return calls;
}

static inline void race_by(const race_terms *terms, const char *letter, const char *work,
                           const racer *racers, int count) {
  static double times[RACE_MOST][RACE_MOST_ROUNDS];
  int calls[RACE_MOST];
  if (count > RACE_MOST || terms->rounds > RACE_MOST_ROUNDS) abort();
  for (int k = 0; k < count; k++) calls[k] = race_calls(&racers[k], terms);
  for (int round = 0; round < terms->rounds; round++) {
    for (int k = 0; k < count; k++) {
      const int pieces = racers[k].parts > 0 ? racers[k].parts : 1;
      times[k][round] = race_batch(&racers[k], calls[k], terms->clock) / pieces;
    }
  }
  for (int k = 0; k < count; k++) race_tell(letter, work, &racers[k], times[k], terms->rounds);
}

static inline void race(const char *letter, const char *work, const racer *racers, int count) {
  const race_terms terms = race_default();
  race_by(&terms, letter, work, racers, count);
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
  fprintf(race_complaints == NULL ? stderr : race_complaints,
          "%s: %s finds something else, by %.1e of the largest value\n", work, name,
          difference / scale);
  exit(1);
}

#endif
