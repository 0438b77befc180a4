/* joint_range.h - joints inside of a part that end, and when that matters.
 *
 * An end that may be reached in a step of h is a stop without bounce among the contacts of its host
 * (contacts.h), with a row that both ends of its joint share:
 *
 *     gap < 0.001 l + 2 h (|v| + |v + h a|)      l: 1 rad, or the way between the ends
 */
#ifndef FLG_LIMITS_JOINT_RANGE_H
#define FLG_LIMITS_JOINT_RANGE_H

#include <stdint.h>

#include "contacts/contacts.h"

typedef struct flg_joint_range {
  const char *name;
  flg_place place;
  int joint;              /* of the model */
  int position, velocity; /* in q and v */
  double lower, upper;    /* one of them may be infinite */
  double length;          /* of what counts as small [rad, m]; 0: that of the contacts */
} flg_joint_range;

uint64_t flg_joint_ranges_identity(const flg_joint_range *ranges, int count, uint64_t seed);

/* Step: how near an end has to be, with the joint's velocity before the step and after it. */
double flg_joint_range_travel(const flg_joint_range *range, double h, double before, double after);
/* Step: the ends of a joint at q that are nearer than that, as stops (up to 2); how many there are.
 * at: block, row, and the number of the lower end; that of the upper one comes after it. */
int flg_joint_range_stops(const flg_joint_range *range, double q, double travel,
                          const flg_touch_stop *at, flg_touch_stop *stops);

#endif
