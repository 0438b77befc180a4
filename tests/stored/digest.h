/* digest.h - all numbers that a run gives, as 64 bits and a few sums. */
#ifndef FLG_STORED_DIGEST_H
#define FLG_STORED_DIGEST_H

#include <stdint.h>
#include <stdio.h>

#include "flange/simulation.h"

typedef enum kind { PLACES, SPEEDS, FORCES, OTHERS, DIGEST_KINDS } kind;

/* A weight between 1 and 2 for each number tells two numbers apart that change by as much. */
typedef struct digest {
  uint64_t bits;              /* of all numbers, in their order; the sign of zero does not count */
  double sums[DIGEST_KINDS];  /* of numbers times weights, by their units */
  double sizes[DIGEST_KINDS]; /* of their absolute values; not stored */
  int steps;                  /* macro steps that were done */
  flg_status status;          /* of the last */
} digest;

extern const char *const KIND_NAMES[DIGEST_KINDS];

/* A few macro steps of a simulation: all quantities that can be recorded, and how the run went. */
void follow(flg_simulation *simulation, int steps, digest *to);

/* The largest change of a sum, relative to its size; the kind in which it is. */
double change(const digest *now, const digest *stored, kind *in);

#endif
