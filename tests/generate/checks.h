/* checks.h - what must hold of every mechanism: pairs that move alike, and invariants. */
#ifndef FLG_GENERATE_CHECKS_H
#define FLG_GENERATE_CHECKS_H

#include "chance.h"
#include "mechanism.h"
#include "run.h"

/* TOLD: a run ended early with a message, a status and an exit code of its own. That is no wrong
 * answer, but only few may. */
typedef enum judgement { PASSED, FAILED, SKIPPED, TOLD } judgement;

typedef struct verdict {
  judgement judgement;
  double off, allowed; /* what was measured, and the most that passes; 0, 0: not a number */
  char text[480];      /* why it failed or was skipped */
  const char *rule;    /* what made it pass or be skipped that is no plain bound; NULL: nothing */
} verdict;

/* What one run answers for several checks: all of them hold, or each has to be tried alone. */
typedef struct shared_answer {
  bool known, holds;
  double off, allowed;
} shared_answer;

/* One check on one mechanism. `other` is the second of the pair: what failed is written from both.
 */
typedef struct experiment {
  const mechanism *machine;
  unsigned features;
  const outcome *plain; /* of the mechanism as it is */
  chance from;
  mechanism first, other; /* first: where the pair is not of the mechanism as it is */
  bool has_first, has_other;
  bool said; /* a run of the pair ended early, or was not solved, and says so */
  outcome seen;
  /* what several checks share, found when the first asks */
  bool one_by_one; /* nothing is shared: each check runs its own */
  shared_answer same_bits, alike;
  bool has_exact;
  outcome exact; /* the co-simulated mechanism, solved as one */
} experiment;

typedef struct check {
  const char *name, *meaning;
  verdict (*judge)(experiment *trial);
} check;

/* What a check of this name draws; the same whoever asks. */
chance chance_of(const mechanism *machine, const char *name);

extern const check CHECKS[];
extern const int CHECK_COUNT;

/* A mechanism that fails today, and why: it is left out, and counted. check NULL: all. */
typedef struct known_seed {
  uint64_t seed;
  const char *check, *defect;
} known_seed;

extern const known_seed SEEDS[];
extern const int SEED_COUNT;

verdict passed(double off, double allowed);
verdict skipped(const char *reason);
verdict told(const char *message);
/* The same, decided by a rule that is counted. */
verdict by_rule(const char *rule, verdict of);
verdict failed(double off, double allowed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* off <= allowed, which NaN is not */
verdict judge_bound(double off, double allowed, const char *what);

/* Pairs have to agree to rounding, whatever steps err by and rounding grows to: for seeds that do.
 */
extern bool strict;

/* touchy.c */
/* The largest difference of runs whose numbers differ by 1e-12, 1e-10 and 1e-8 of themselves, if
 * that is 10,000 times as much; 0: nothing grows. It may be larger if it is `enough`. */
double touchiness(const mechanism *machine, const outcome *plain, double enough);
/* A failure by no more than ten times that is rounding: skipped. `plain` is a run of `machine`. */
verdict excuse(const mechanism *machine, const outcome *plain, verdict of);

/* invariants.c */
verdict check_momentum(experiment *trial);
verdict check_spin(experiment *trial);
verdict check_energy(experiment *trial);
verdict check_closure(experiment *trial);
verdict check_contacts(experiment *trial);

#endif
