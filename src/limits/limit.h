/* limit.h - the laws of frictions and stops on a coordinate c with rate w: the one place that knows
 * them (component.h says what they are). Which of them act is found by a search (search.h).
 *
 *     friction   mode 0: it sticks, w = 0, |l| <= kick * bound at rest
 *                mode d = -1, 1: it slips that way, l = - d kick * bound in motion, d w >= 0
 *     stop       mode 0: apart, l = 0, no end is passed in the step
 *                mode d = -1, 1: at its lower or upper end, w = target, l pushes: d l <= 0
 */
#ifndef FLG_LIMITS_LIMIT_H
#define FLG_LIMITS_LIMIT_H

#include <math.h>

#include "model/component.h"

/* The loss of a gear while c moves in a direction (-1, 1), its carrier working on c with `load`. */
static inline double flg_friction_losses(const flg_component_friction *friction, double load,
                                         int direction) {
  if (friction->carrier == FLG_CARRIER_NONE) return 0;
  const bool drives = direction * load < 0; /* c drives the gear */
  return (drives ? 1 / friction->efficiency - 1 : 1 - friction->efficiency) * fabs(load);
}

/* The most that holds c at rest against a motion in that direction [N or N m]. */
static inline double flg_friction_bound_at_rest(const flg_component_friction *friction, double load,
                                                int direction) {
  return friction->stiction + flg_friction_losses(friction, load, direction);
}

/* The friction that resists a motion with that rate, without the viscous part [N or N m]. */
static inline double flg_friction_bound_in_motion(const flg_component_friction *friction,
                                                  double load, int direction, double rate) {
  const double ratio = rate / friction->stribeck;
  const double level = friction->stribeck > 0 ? exp(-ratio * ratio) : 0;
  return friction->coulomb + level * (friction->stiction - friction->coulomb) +
         flg_friction_losses(friction, load, direction);
}

/* One that has no bound at rest only damps. */
static inline bool flg_friction_sticks(const flg_component_friction *friction) {
  return friction->stiction > 0 || friction->carrier != FLG_CARRIER_NONE;
}

/* The way that is left to an end, -1: the lower, 1: the upper; negative: it is passed. */
static inline double flg_stop_gap(const flg_component_stop *stop, int side, double value) {
  return side < 0 ? value - stop->lower : stop->upper - value;
}

/* Square of the speed by which the way to a stop is faster at its end, that is still `gap` away
 * from what has the rate `before`, and would have the rate `free` after `time`. */
static inline double flg_stop_gained(int side, double gap, double before, double free,
                                     double time) {
  return 2 * side * (free - before) / time * (gap > 0 ? gap : 0);
}

/* Speed with which a stop throws back, at the stop, what is `gained` away from it. */
static inline double flg_stop_bounce(const flg_component_stop *stop, double before, double gained) {
  const double square = before * before + gained;
  return square > 0 ? stop->restitution * sqrt(square) : 0;
}

/* The same where it is now, as if both ways were flown: else the gap would add energy at every
 * hit. */
static inline double flg_stop_thrown(double bounce, double gained) {
  const double square = bounce * bounce - gained;
  return square > 0 ? sqrt(square) : 0;
}

/* --- judging: the mode that a law asks for, after a solve --- */

/* times the scale of a row (what it yields if no joint holds it): the compliance of a row that
 * takes no part, or has a given impulse */
#define FLG_LIMIT_SLACK 1e30
/* of what a closed row yields if nothing else holds it, by how much it yields in a search: more
 * than where it counts as redundant */
#define FLG_LIMIT_YIELD 1e-7
/* of a stop that is passed, what is taken out in a step */
#define FLG_LIMIT_TAKEN_OUT 0.2
/* of the length of the system, or of 1 rad: a stop this near to its end touches it */
#define FLG_LIMIT_TOUCHES 1e-12
/* of the fastest rate of its kind in the system: a friction that is slower at the start rests.
 * Velocities of files are rounded, and velocities that joints keep are solved for */
#define FLG_FRICTION_RESTS 1e-9

/* The results of a solve for a limit. */
typedef struct flg_limit_seen {
  int mode;
  double value;          /* c before the step */
  double before, after;  /* w before and after the step */
  double travel;         /* the rate at which c goes on in it */
  double impulse;        /* l */
  double load;           /* of a gear */
  bool is_broken;        /* a friction that was let slip alone: only its bound in motion counts */
  double kick, duration; /* for how long bounds push, and rates last [s]; duration 0: not at all */
  double near;           /* a stop this near is touched [m, rad] */
  double rounding[2];    /* of rates and of impulses */
} flg_limit_seen;

/* How a stop is met: it throws back, or the way that is left is used up. */
typedef struct flg_stop_response {
  bool is_blow; /* faster than what forces add in a step */
  bool bounces;
  double target; /* w after the step */
} flg_stop_response;

int flg_friction_judge(const flg_component_friction *friction, const flg_limit_seen *seen);
int flg_stop_judge(const flg_component_stop *stop, const flg_limit_seen *seen);
/* The stop is at a side (-1, 1) now; landing: w with which the way that is left is used up. */
flg_stop_response flg_stop_meet(const flg_component_stop *stop, const flg_limit_seen *seen,
                                int side, double landing);
/* The mode of a friction whose coordinate starts with that rate; fastest: of the system [m/s or
 * rad/s, as the rate]. */
int flg_friction_start(const flg_component_friction *friction, double rate, double fastest);

#endif
