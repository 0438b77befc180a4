/* broad_phase.h - which of many boxes overlap.
 *
 * The boxes are put in the order of a space-filling curve (Morton codes of their centres), and a
 * tree of boxes is laid over that order in each call: n log n, whatever moved. Boxes without
 * end (of planes and height fields) are compared with all others, or with those that have ends
 * alone, and so is each of a handful.
 *
 * The pairs come sorted by (a, b), a < b: the order depends on the numbers of the boxes alone.
 * Memory is the caller's; a step allocates nothing.
 */
#ifndef FLG_CONTACT_BROAD_PHASE_H
#define FLG_CONTACT_BROAD_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/region.h"
#include "math/vec3.h"

enum { FLG_BROAD_PHASE_MAX = 1 << 20 };

typedef struct flg_bounds {
  flg_vec3 lower, upper;
} flg_bounds;

typedef struct flg_pair {
  int a, b; /* a < b */
} flg_pair;

/* True if the pair is wanted. */
typedef bool flg_pair_filter(const void *context, int a, int b);

typedef struct flg_broad_phase {
  int capacity;          /* boxes */
  int finite, infinite;  /* boxes of the last call */
  bool endless_apart;    /* set by callers whose filter refuses two boxes without end */
  int *endless;          /* (capacity) those without end */
  uint32_t *codes;       /* (capacity) of the boxes in `order` */
  int *order, *spare;    /* (capacity) boxes along the curve; for sorting */
  uint32_t *spare_codes; /* (capacity) for sorting */
  flg_bounds *nodes;     /* (2 capacity + 64) all levels of the tree, from the leaves up */
  int level_start[32], level_count[32], levels;
} flg_broad_phase;

/* Set-up: for that many boxes, 1..FLG_BROAD_PHASE_MAX. */
flg_status flg_broad_phase_build(flg_broad_phase *phase, int capacity, flg_region *region,
                                 flg_error *error);
/* Step: all pairs of overlapping boxes (touching ones too) that the filter (NULL: none) lets pass.
 * count <= capacity of the build. *pair_count is what there is; FLG_ERR_CAPACITY if that is more
 * than pair_capacity, the first of which are in pairs, FLG_ERR_RANGE if count is too large. Boxes
 * with NaN overlap nothing. */
flg_status flg_broad_phase_pairs(flg_broad_phase *phase, const flg_bounds *boxes, int count,
                                 flg_pair_filter *filter, const void *context, flg_pair *pairs,
                                 int pair_capacity, int *pair_count);

#endif
