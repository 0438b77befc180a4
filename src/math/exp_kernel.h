/* exp_kernel.h - the rotation by a rotation vector, in line: of rotation.c, and text of generated
 * files (compile/), which so have the same bits. */
#ifndef FLG_MATH_EXP_KERNEL_H
#define FLG_MATH_EXP_KERNEL_H

#include <math.h>

#include "math/rotation.h"

/* of an angle: below it five terms of both series are exact to rounding, also where the square
 * underflows */
#define FLG_EXP_SMALL_SQUARE 1e-2

static inline flg_quat flg_quat_exp_kernel(flg_vec3 rotation_vector) {
  const double square = flg_vec3_dot(rotation_vector, rotation_vector);
  double factor, cosine; /* sin(angle/2)/angle, cos(angle/2) */
  if (square < FLG_EXP_SMALL_SQUARE) {
    const double s = square / 4;
    factor = 0.5 - s * (1. / 12) * (1 - s * (1. / 20) * (1 - s * (1. / 42) * (1 - s * (1. / 72))));
    cosine = 1 - s * (1. / 2) * (1 - s * (1. / 12) * (1 - s * (1. / 30) * (1 - s * (1. / 56))));
  } else {
    const double angle = sqrt(square);
    factor = sin(angle / 2) / angle, cosine = cos(angle / 2);
  }
  const flg_vec3 v = flg_vec3_scale(rotation_vector, factor);
  return (flg_quat){cosine, v.x, v.y, v.z};
}

#endif
