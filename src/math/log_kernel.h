/* log_kernel.h - the rotation vector of a rotation, in line: of rotation.c, and text of generated
 * files (compile/), which so have the same bits. */
#ifndef FLG_MATH_LOG_KERNEL_H
#define FLG_MATH_LOG_KERNEL_H

#include <math.h>

#include "math/rotation.h"

/* Each of the four candidates is 4 q times one component of q; the longest has no cancellation
 * (Shepperd 1978). */
static inline flg_quat flg_quat_from_matrix_kernel(const flg_mat3 *rotation) {
  const double *m = rotation->m;
  const double xx = m[0], yy = m[4], zz = m[8], trace = xx + yy + zz;
  const double x = m[5] - m[7], y = m[6] - m[2], z = m[1] - m[3];
  const double xy = m[1] + m[3], xz = m[2] + m[6], yz = m[5] + m[7];
  flg_quat q;
  if (trace >= xx && trace >= yy && trace >= zz) {
    q = (flg_quat){1 + trace, x, y, z};
  } else if (xx >= yy && xx >= zz) {
    q = (flg_quat){x, 1 + xx - yy - zz, xy, xz};
  } else if (yy >= zz) {
    q = (flg_quat){y, xy, 1 + yy - xx - zz, yz};
  } else {
    q = (flg_quat){z, xz, yz, 1 + zz - xx - yy};
  }
  return flg_quat_normalise(q);
}

static inline flg_vec3 flg_quat_log_kernel(flg_quat q) {
  const flg_vec3 v = {q.x, q.y, q.z};
  const double sine = flg_vec3_norm(v);
  /* of q and -q the one with w >= 0 is the shorter way round */
  const double half_angle = atan2(sine, fabs(q.w)), sign = q.w < 0 ? -1 : 1;
  const double factor = sine == 0 ? (q.w == 0 ? 0 : 2 / fabs(q.w)) : 2 * half_angle / sine;
  return flg_vec3_scale(v, sign * factor);
}

#endif
