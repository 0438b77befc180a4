/* rolling.h - where round surfaces touch while their bodies turn. */
#ifndef FLG_COUPLING_ROLLING_H
#define FLG_COUPLING_ROLLING_H

#include "contact/contact_scene.h"

/* How fast the arm of a contact changes, from a body's frame to the point that touches, as the body
 * turns: points of round surfaces stay where their normal is (normal: as rows of the body have it).
 */
static inline flg_vec3 flg_arm_rate(const flg_round *round, flg_vec3 normal, flg_vec3 arm,
                                    flg_vec3 spin) {
  const flg_vec3 along = round->along, rate = flg_vec3_cross(spin, arm);
  if (!(round->radius > 0)) return rate;
  const flg_vec3 turn = flg_vec3_cross(spin, normal);
  if (!(flg_vec3_dot(along, along) > 0)) return flg_vec3_add_scaled(rate, round->radius, turn);
  return flg_vec3_add_scaled(rate, round->radius * flg_vec3_dot(along, turn), along);
}

#endif
