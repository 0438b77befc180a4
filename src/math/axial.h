/* axial.h - symmetric matrices that a turn about an axis n leaves as they are,
 *
 *     S = a 1 + d n n^T        R S R^T = a 1 + d (R n) (R n)^T
 *
 * as inertias of rods, discs, gears and rotors are. Turning one takes the turn of its axis alone.
 */
#ifndef FLG_AXIAL_H
#define FLG_AXIAL_H

#include <stdbool.h>

#include "math/mat3.h"

typedef struct flg_axial {
  double across, more; /* a, d */
  flg_vec3 axis;       /* n, a unit vector */
} flg_axial;

/* Set-up: true if a matrix that is positive definite is one, but for rounding. */
bool flg_axial_find(flg_sym3 s, flg_axial *axial);
/* Set-up: the inverse of one. */
flg_axial flg_axial_inverse(const flg_axial *axial);

/* Step: with its axis turned to n. */
static inline flg_sym3 flg_axial_along(const flg_axial *axial, flg_vec3 n) {
  const flg_vec3 share = flg_vec3_scale(n, axial->more);
  return (flg_sym3){.xx = axial->across + share.x * n.x,
                    .yy = axial->across + share.y * n.y,
                    .zz = axial->across + share.z * n.z,
                    .xy = share.x * n.y,
                    .xz = share.x * n.z,
                    .yz = share.y * n.z};
}

#endif
