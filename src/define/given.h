/* given.h - numbers that a file may leave out.
 *
 * A number that a file does not give is NaN in its definition. */
#ifndef FLG_DEFINE_GIVEN_H
#define FLG_DEFINE_GIVEN_H

#include <math.h>

static inline double flg_given_or(double value, double otherwise) {
  return isnan(value) ? otherwise : value;
}

#endif
