/* six.h - six numbers of a port as two vectors, in functions that are compiled for wide ones.
 *
 * By pointers: vectors by value would have another calling convention where there are none so wide.
 * All are in line. Arrays need no alignment. Each element sees the operations that a loop would
 * have.
 */
#ifndef FLG_MATH_SIX_H
#define FLG_MATH_SIX_H

#include "math/dense_small.h"

typedef double flg_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double flg_two __attribute__((vector_size(16), aligned(8), may_alias));

typedef struct flg_six {
  flg_four four;
  flg_two two;
} flg_six;

FLG_SMALL void flg_six_load(const double from[6], flg_six *to) {
  to->four = *(const flg_four *)from;
  to->two = *(const flg_two *)(from + 4);
}

FLG_SMALL void flg_six_store(const flg_six *from, double to[6]) {
  *(flg_four *)to = from->four;
  *(flg_two *)(to + 4) = from->two;
}

/* to += factor * from */
FLG_SMALL void flg_six_add(double factor, const double from[6], flg_six *to) {
  to->four += *(const flg_four *)from * factor;
  to->two += *(const flg_two *)(from + 4) * factor;
}

/* to -= factor * from */
FLG_SMALL void flg_six_subtract(double factor, const double from[6], flg_six *to) {
  to->four -= *(const flg_four *)from * factor;
  to->two -= *(const flg_two *)(from + 4) * factor;
}

FLG_SMALL void flg_six_scale(double factor, flg_six *by) {
  by->four *= factor;
  by->two *= factor;
}

/* a . b */
FLG_SMALL double flg_six_dot(const flg_six *a, const double b[6]) {
  const flg_four four = a->four * *(const flg_four *)b;
  const flg_two two = a->two * *(const flg_two *)(b + 4);
  return ((four[0] + two[0]) + (four[1] + two[1])) + (four[2] + four[3]);
}

#endif
