#include "limits/joint_range.h"

#include <math.h>

#include "math/identity.h"

/* An end that is nearer than this part of the length of its joint has a row in any case. */
static const double NEAR = 1e-3;

uint64_t flg_joint_ranges_identity(const flg_joint_range *ranges, int count, uint64_t seed) {
  uint64_t hash = seed;
  for (int k = 0; k < count; k++) {
    hash = flg_identity(hash, "irr", ranges[k].joint, ranges[k].lower, ranges[k].upper);
  }
  return hash;
}

/* Twice the way of both rates: a stop that is hit within the step has its row before it is passed.
 */
double flg_joint_range_travel(const flg_joint_range *range, double h, double before, double after) {
  return NEAR * range->length + 2 * h * (fabs(before) + fabs(after));
}

int flg_joint_range_stops(const flg_joint_range *range, double q, double travel,
                          const flg_touch_stop *at, flg_touch_stop *stops) {
  const double gaps[2] = {q - range->lower, range->upper - q};
  int count = 0;
  for (int k = 0; k < 2; k++) {
    if (!(gaps[k] < travel)) continue;
    flg_touch_stop *stop = &stops[count++];
    *stop = *at;
    stop->sign = k == 0 ? 1 : -1, stop->gap = gaps[k], stop->number = at->number + k;
    stop->length = range->length;
  }
  return count;
}
