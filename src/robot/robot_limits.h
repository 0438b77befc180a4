/* robot_limits.h - which joints of a robot end, and when that matters.
 *
 * Ends (lower, upper) are those of joints with one coordinate. An end that may be reached in a step
 * of h is a stop without bounce (contacts.h), with a row that both ends of its joint share:
 *
 *     gap < 0.001 l + 2 h (|v| + |v + h a|)      l: 1 rad, or the way between the ends
 *
 * For whoever steps robots: robot_contacts.h, assembly_ends.h.
 */
#ifndef FLG_ROBOT_LIMITS_H
#define FLG_ROBOT_LIMITS_H

#include "contacts/contacts.h"
#include "robot/robot_subsystem.h"

typedef struct flg_robot_limit {
  int joint;              /* of the model */
  int position, velocity; /* in q and v */
  double lower, upper;    /* one of them may be infinite */
  double length;          /* of what counts as small [rad, m]; 0: that of the contacts */
} flg_robot_limit;

/* Set-up, on a robot that is where it starts: how many of its joints end; none if it ignores that.
 * limits: (joints of the model). Mistakes: joints that start outside of their range. */
int flg_robot_limits_find(const flg_robot_subsystem *robot, flg_robot_limit *limits,
                          flg_mistakes *mistakes);
uint64_t flg_robot_limits_identity(const flg_robot_limit *limits, int count, uint64_t seed);

/* Step: how near an end has to be, with the joint's velocity before the step and after it. */
double flg_robot_limit_reach(const flg_robot_limit *limit, double h, double before, double after);
/* Step: the ends of a joint at q that are nearer than that, as stops (up to 2); how many there are.
 * at: block, row, and the number of the lower end; that of the upper one comes after it. */
int flg_robot_limit_stops(const flg_robot_limit *limit, double q, double reach,
                          const flg_touch_stop *at, flg_touch_stop *stops);

#endif
