/* quad.h - 3-vectors in vector registers: one operation for x, y and z.
 *
 * The fourth number has no meaning: it is computed, never looked at, and may be anything. Vectors
 * go by pointer: compilers pass them by value in ways that depend on the processor.
 */
#ifndef FLG_MATH_QUAD_H
#define FLG_MATH_QUAD_H

#include "math/dense_small.h"
#include "math/mat3.h"

typedef double flg_quad __attribute__((vector_size(32), aligned(8)));

FLG_SMALL void flg_quad_load(flg_vec3 from, flg_quad *to) {
  *to = (flg_quad){from.x, from.y, from.z, 0};
}

FLG_SMALL flg_vec3 flg_quad_get(const flg_quad *from) {
  return (flg_vec3){(*from)[0], (*from)[1], (*from)[2]};
}

/* a x b */
FLG_SMALL void flg_quad_cross(const flg_quad *a, const flg_quad *b, flg_quad *to) {
  const flg_quad a1 = __builtin_shufflevector(*a, *a, 1, 2, 0, 3);
  const flg_quad b1 = __builtin_shufflevector(*b, *b, 1, 2, 0, 3);
  const flg_quad turned = *a * b1 - a1 * *b; /* z, x, y of it */
  *to = __builtin_shufflevector(turned, turned, 1, 2, 0, 3);
}

/* to = A v, by the columns of A (3 x 3) */
FLG_SMALL void flg_quad_apply(const flg_quad a[3], flg_vec3 v, flg_quad *to) {
  *to = a[0] * v.x + a[1] * v.y + a[2] * v.z;
}

FLG_SMALL void flg_quad_transpose(const flg_quad a[3], flg_quad to[3]) {
  const flg_quad low = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6); /* x x z z */
  const flg_quad high = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
  to[0] = __builtin_shufflevector(low, a[2], 0, 1, 4, 5);
  to[1] = __builtin_shufflevector(high, a[2], 0, 1, 5, 5);
  to[2] = __builtin_shufflevector(low, a[2], 2, 3, 6, 7);
}

#endif
