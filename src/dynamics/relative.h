/* relative.h - how a frame B moves against a frame A, as coordinates and joints need it. Also text
 * of generated files (compile/).
 *
 * d = p_B - p_A, u = d', w_A and w_B the angular velocities; a row is [linear; angular] on both.
 */
#ifndef FLG_DYNAMICS_RELATIVE_H
#define FLG_DYNAMICS_RELATIVE_H

#include "math/spatial.h"

/* Where a frame is and how it moves: its origin, in world axes. */
typedef struct flg_moving_frame {
  flg_pose pose;
  flg_spatial velocity;
} flg_moving_frame;

static inline flg_vec3 flg_relative_offset(const flg_moving_frame end[2]) {
  return flg_vec3_subtract(end[1].pose.position, end[0].pose.position);
}

static inline flg_vec3 flg_relative_velocity(const flg_moving_frame end[2]) {
  return flg_vec3_subtract(end[1].velocity.linear, end[0].velocity.linear);
}

/* The origin of B in axes that turn with A. For any direction e that is fixed in A,
 *     g = e.d      g' = e.(u - w_A x d)
 *     g'' = e.(a_B - a_A) + (e x d).alpha_A + e.(w_A x (w_A x d - 2 u)) */
typedef struct flg_sight {
  flg_vec3 offset, rate, bias; /* what e is multiplied with */
} flg_sight;

static inline flg_sight flg_relative_sight(const flg_moving_frame end[2]) {
  const flg_vec3 w = end[0].velocity.angular;
  const flg_vec3 d = flg_relative_offset(end), u = flg_relative_velocity(end);
  const flg_vec3 turning = flg_vec3_cross(w, d);
  return (flg_sight){d, flg_vec3_subtract(u, turning),
                     flg_vec3_cross(w, flg_vec3_add_scaled(turning, -2, u))};
}

/* How B turns against A. */
typedef struct flg_turn {
  flg_vec3 rate;     /* w = w_B - w_A */
  flg_vec3 gyration; /* w x w_A */
} flg_turn;

static inline flg_turn flg_relative_turn(const flg_moving_frame end[2]) {
  const flg_vec3 w_a = end[0].velocity.angular;
  const flg_vec3 w = flg_vec3_subtract(end[1].velocity.angular, w_a);
  return (flg_turn){w, flg_vec3_cross(w, w_a)};
}

/* Gradients of a displacement along e, and of a turn about n. */
static inline void flg_relative_push(flg_vec3 e, flg_vec3 offset, flg_spatial side[2]) {
  side[0] = (flg_spatial){flg_vec3_negate(e), flg_vec3_cross(e, offset)};
  side[1] = (flg_spatial){.linear = e};
}

static inline void flg_relative_twist(flg_vec3 n, flg_spatial side[2]) {
  side[0] = (flg_spatial){.angular = flg_vec3_negate(n)};
  side[1] = (flg_spatial){.angular = n};
}

#endif
