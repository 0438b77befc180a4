/* limit.h - the laws of frictions and stops on a coordinate c with rate w: the one place that knows
 * them (component.h says what they are). Which of them act is found by whoever solves.
 */
#ifndef FLG_LIMIT_H
#define FLG_LIMIT_H

#include <math.h>

#include "model/component.h"

/* What a gear loses while c moves in a direction (-1, 1), its carrier working on c with `load`. */
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

/* What resists a motion with that rate, without the viscous part [N or N m]. */
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

/* Speed with which a stop throws back what is still `gap` away, comes with the rate `before` and
 * would have the rate `free` after `time`, as if both ways were flown: else the gap would add
 * energy at every hit. */
static inline double flg_stop_thrown(const flg_component_stop *stop, int side, double gap,
                                     double before, double free, double time) {
  const double e = stop->restitution, way = gap > 0 ? gap : 0;
  const double gained = 2 * side * (free - before) / time * way;
  const double square = e * e * (before * before + gained) - gained;
  return square > 0 ? sqrt(square) : 0;
}

#endif
