/* chance.h - what a seed decides: numbers, directions, frames and masses. */
#ifndef FLG_GENERATE_CHANCE_H
#define FLG_GENERATE_CHANCE_H

#include <stdbool.h>

#include "math/rotation.h"
#include "random.h"

typedef random_source chance;

/* A source of its own for each purpose: what one check draws does not move what another draws. */
static inline chance chance_for(uint64_t seed, uint64_t purpose) {
  chance mixed = {.state = seed * UINT64_C(0xd1342543de82ef95) + purpose};
  random_bits(&mixed);
  return mixed;
}

/* true in `share` of all cases */
static inline bool happens(chance *from, double share) {
  return random_uniform(from, 0, 1) < share;
}

static inline double log_uniform(chance *from, double low, double high) {
  return low * pow(high / low, random_uniform(from, 0, 1));
}

static inline flg_vec3 random_point(chance *from, double reach) {
  const double x = random_uniform(from, -reach, reach), y = random_uniform(from, -reach, reach);
  return (flg_vec3){x, y, random_uniform(from, -reach, reach)};
}

/* along an axis in one of three cases, else anywhere */
static inline flg_mat3 random_axes(chance *from) {
  static const double quarter = 1.57079632679489661923;
  const bool aligned = happens(from, 0.33);
  double angles[3];
  for (int k = 0; k < 3; k++) {
    const int turns = random_integer(from, 0, 3);
    const double angle = random_uniform(from, -3, 3);
    angles[k] = aligned ? quarter * turns : angle;
  }
  return flg_mat3_from_roll_pitch_yaw(angles);
}

static inline flg_pose random_pose(chance *from, double reach) {
  const flg_vec3 at = random_point(from, reach);
  return (flg_pose){.position = at, .rotation = random_axes(from)};
}

#endif
