/* larger.h - maximum and minimum that keep NaN.
 *
 * C's fmax and fmin drop NaN, and so does `if (!(x <= most)) most = x`, which the next number takes
 * back: a figure that says how far something is off would pass as 0. These are for such figures. */
#ifndef FLG_MATH_LARGER_H
#define FLG_MATH_LARGER_H

#include <stdbool.h>

/* The larger of the two; NaN if either is NaN. */
static inline double flg_larger(double a, double b) {
  return a >= b || a != a ? a : b;
}

/* The smaller of the two; NaN if either is NaN. */
static inline double flg_smaller(double a, double b) {
  return a <= b || a != a ? a : b;
}

/* True if `a` takes the place of `most` as the largest so far: if it is larger, or the first NaN.
 */
static inline bool flg_exceeds(double a, double most) {
  return most == most && !(a <= most);
}

#endif
