/* beam_shape.h - the functions that a beam deforms by, along its axis from 0 to 1.
 *
 * Families of functions, numbered from 1 on, of unit size:
 *     clamped-free    bending: f(0) = f'(0) = 0, f(1) = 1    axial, twist: sin((n - 1/2) pi x)
 *     pinned-pinned   sin(n pi x)
 *     free-free       bending: f(0) = 1, momentum and angular momentum zero
 *                     axial, twist: cos(n pi x)
 *     polynomial      x^n, numbered from 0 on
 *
 * The bending functions are the modes of a uniform Euler-Bernoulli beam with these ends, written
 * with decaying exponentials alone, so that high modes keep their digits.
 */
#ifndef FLG_BEAM_SHAPE_H
#define FLG_BEAM_SHAPE_H

#include <stdbool.h>

typedef enum flg_beam_ends {
  FLG_BEAM_CLAMPED_FREE,
  FLG_BEAM_PINNED_PINNED,
  FLG_BEAM_FREE_FREE,
  FLG_BEAM_POLYNOMIAL,
  FLG_BEAM_ENDS_COUNT
} flg_beam_ends;

/* A function and its first two derivatives by x. */
typedef struct flg_beam_value {
  double value, slope, curvature;
} flg_beam_value;

/* Set-up: the function at x, from 0 to 1; bends: for bending, otherwise for axial motion and twist.
 */
flg_beam_value flg_beam_function(flg_beam_ends ends, int number, bool bends, double x);

#endif
