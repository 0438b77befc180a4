/* curve.h - several quantities over time, through given knots: torque tables and trajectories.
 *
 *     held      the value of the last knot
 *     linear    straight lines
 *     spline    cubic, two times continuously differentiable; at its ends at rest, or free
 *     quintic   from rest to rest between neighbouring knots: v = a = 0 at each
 *
 * Before the first knot and after the last the curve rests at that knot. A time that misses a knot
 * by a millionth of its interval meets it: times that come from files are rounded.
 */
#ifndef FLG_CURVE_H
#define FLG_CURVE_H

#include <stddef.h>

typedef enum flg_curve_kind {
  FLG_CURVE_HELD,
  FLG_CURVE_LINEAR,
  FLG_CURVE_SPLINE,
  FLG_CURVE_QUINTIC
} flg_curve_kind;

typedef struct flg_curve {
  flg_curve_kind kind;
  int knots, width;
  const double *times;      /* (knots), increasing [s] */
  const double *values;     /* (knots x width), row by row */
  const double *curvatures; /* of a spline: second derivatives (knots x width); else NULL */
} flg_curve;

typedef enum flg_spline_ends {
  FLG_SPLINE_AT_REST, /* slope 0: a motion from rest to rest */
  FLG_SPLINE_FREE     /* the first two intervals share one cubic, the last two as well */
} flg_spline_ends;

/* Set-up: second derivatives of the spline through the knots. work: 2 * knots numbers. */
void flg_curve_prepare(const flg_curve *curve, flg_spline_ends ends, double *curvatures,
                       double *work);
/* Step: value (width) at a time, with its first and second derivative where not NULL. */
void flg_curve_evaluate(const flg_curve *curve, double time, double *value, double *rate,
                        double *acceleration);

#endif
