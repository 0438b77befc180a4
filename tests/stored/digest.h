/* digest.h - all numbers that a run gives, as 64 bits and a few sums. */
#ifndef FLG_STORED_DIGEST_H
#define FLG_STORED_DIGEST_H

#include <stdint.h>
#include <stdio.h>

#include "flange/simulation.h"
#include "math/spatial.h"
#include "random.h"

/* DIGEST_KINDS: in the bits alone. */
typedef enum kind { PLACES, SPEEDS, FORCES, OTHERS, DIGEST_KINDS } kind;

/* A weight between 1 and 2 for each number tells two numbers apart that change by as much. */
typedef struct digest {
  uint64_t bits;              /* of all numbers, in their order; the sign of zero does not count */
  double sums[DIGEST_KINDS];  /* of numbers times weights, by their units */
  double sizes[DIGEST_KINDS]; /* of their absolute values; not stored */
  int steps;                  /* macro steps that were done */
  flg_status status;          /* of the last */
  random_source weights;      /* of the next numbers; not stored */
} digest;

extern const char *const KIND_NAMES[DIGEST_KINDS];

digest digest_begin(void);
void add_number(digest *to, kind in, double value);
void add_numbers(digest *to, kind in, int count, const double *values);
void add_vector(digest *to, kind in, flg_vec3 value);
void add_spatial(digest *to, kind in, flg_spatial value);
void add_pose(digest *to, const flg_pose *pose);
/* Whole numbers count in the bits: statuses, iterations, what was found how often. */
void add_count(digest *to, int64_t count);

/* A few macro steps of a simulation: all quantities that can be recorded, and how the run went.
 * is_pushed: forces act on its bodies, and models of these count, too (pushes.h). */
void follow(flg_simulation *simulation, int steps, bool is_pushed, digest *to);

/* The largest change of a sum, relative to its size; the kind in which it is. */
double change(const digest *now, const digest *stored, kind *in);

#endif
