#include "limits/limit.h"

int flg_friction_start(const flg_component_friction *friction, double rate, double fastest) {
  if (!flg_friction_sticks(friction)) return 1;
  return !(fabs(rate) > FLG_FRICTION_RESTS * fastest) ? 0 : rate > 0 ? 1 : -1;
}

int flg_friction_judge(const flg_component_friction *friction, const flg_limit_seen *seen) {
  if (!flg_friction_sticks(friction)) return seen->mode;
  /* Slip that has turned back within the step sticks first: which way it goes next is for the next
   * solve to say. */
  if (seen->mode != 0) return seen->mode * seen->after < -seen->rounding[0] ? 0 : seen->mode;
  const int direction = seen->impulse < 0 ? 1 : -1; /* in which it would move */
  const double bound =
      seen->is_broken ? flg_friction_bound_in_motion(friction, seen->load, direction, seen->before)
                      : flg_friction_bound_at_rest(friction, seen->load, direction);
  return fabs(seen->impulse) > seen->kick * bound + seen->rounding[1] ? direction : 0;
}

/* A stop that is touched acts by the rate; one that is still away only if the way in the step leads
 * past the end, so that a stop does not act at a distance. */
static bool hits(const flg_component_stop *stop, const flg_limit_seen *seen, int side) {
  const double gap = flg_stop_gap(stop, side, seen->value);
  if (gap <= seen->near) return side * seen->after > seen->rounding[0];
  return (side * seen->travel - seen->rounding[0]) * seen->duration > gap;
}

int flg_stop_judge(const flg_component_stop *stop, const flg_limit_seen *seen) {
  if (seen->mode == 0) return hits(stop, seen, -1) ? -1 : hits(stop, seen, 1) ? 1 : 0;
  const bool pulls = seen->mode * seen->impulse > seen->rounding[1];
  return pulls ? 0 : seen->mode;
}

flg_stop_response flg_stop_meet(const flg_component_stop *stop, const flg_limit_seen *seen,
                                int side, double landing) {
  const double gap = flg_stop_gap(stop, side, seen->value);
  const double gained = flg_stop_gained(side, gap, seen->before, seen->after, seen->kick);
  const double bounce = flg_stop_bounce(stop, seen->before, gained);
  const double speed = flg_stop_thrown(bounce, gained);
  /* A throw slower than what the forces add in a step is none: it would chatter at every step. What
   * forces alone would throw back on the way is none, either. */
  const double added = fabs(seen->after - seen->before);
  const bool bounces = side * seen->before > 0 && fmin(bounce, speed) > added;
  return (flg_stop_response){side * seen->before > added, bounces,
                             bounces ? -side * speed : landing};
}
