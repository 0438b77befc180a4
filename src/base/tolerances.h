/* tolerances.h - tolerances that several sources share. Those of one source stand in it, named and
 * with their reason; docs/tolerances.md has all of them (scripts/tolerances writes it).
 *
 * A tolerance is a part of a scale of the system, never a number of metres, kilograms or seconds:
 *     length   of an assembly (its model), of a robot (flg_robot_length), of a touch (flg_touch)
 *     mass     what a joint moves (flg_link_load), what a port or a row yields (flg_port_yield_of)
 *     time     the micro step h, the macro step H, the period of a sample
 */
#ifndef FLG_TOLERANCES_H
#define FLG_TOLERANCES_H

#include <float.h>

/* of a period: a time that was rounded, or is a sum of steps, meets its sample */
#define FLG_SAMPLE_SLACK 1e-6
/* of a step or of a leg: times are multiples of it, and off by some units in the last place */
#define FLG_TIME_SLACK 1e-9
/* of the largest velocity: what rounding leaves of a rate after a solve */
#define FLG_RATE_ROUNDING (64 * DBL_EPSILON)
/* in units of that: a closed row that is further from its rate contradicts others */
#define FLG_CONTRADICTION 1e4

#endif
