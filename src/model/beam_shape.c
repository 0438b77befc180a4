#include "model/beam_shape.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { ROOT_STEPS = 50 };
static const double LAST_DIGITS = 1e-15; /* of the root: Newton ends where it only rounds */

/* cos b = sign/cosh b, from the root of cos b next to it (Newton) */
static double beam_shape_root_of(double sign, double start) {
  double b = start;
  for (int k = 0; k < ROOT_STEPS; k++) {
    const double inverse = 1 / cosh(b);
    const double change = (cos(b) - sign * inverse) / (-sin(b) + sign * inverse * tanh(b));
    b -= change;
    if (fabs(change) < LAST_DIGITS * b) break;
  }
  return b;
}

/* Set-up: the n-th wave number (times the length) of a beam that bends: the n-th positive root of
 * cos b cosh b = -1 (clamped-free) or 1 (free-free), n pi (pinned-pinned). Its frequency is
 * b^2 sqrt(EI / (mass per length * length^4)). */
static double wave_number(flg_beam_ends ends, int number) {
  switch (ends) {
    case FLG_BEAM_CLAMPED_FREE:
      return beam_shape_root_of(-1, (number - 0.5) * PI);
    case FLG_BEAM_FREE_FREE:
      return beam_shape_root_of(1, (number + 0.5) * PI);
    default:
      return number * PI;
  }
}

/* Shapes are scaled to 1 at an end: the coordinate of a mode is then the displacement there. */
static flg_beam_value scaled(flg_beam_value of, double factor) {
  return (flg_beam_value){factor * of.value, factor * of.slope, factor * of.curvature};
}

/* cosh bx + s cos bx - r (sinh bx + s sin bx), r so that the far end is free: s = -1 for a clamped
 * start, 1 for a free one. Of sinh and cosh, what grows starts from the far end. */
static flg_beam_value bending_shape(double b, double s, double x) {
  /* exp(-b) instead of cosh and sinh: these overflow at high wave numbers, and their difference
   * cancels. */
  const double decay = exp(-b);
  const double growing =
      -2 * s * (sin(b) - cos(b) + s * decay) / (1 - decay * decay - 2 * s * decay * sin(b));
  const double r = 1 - growing * decay;
  const double far = 0.5 * growing * exp(b * (x - 1)), near = 0.5 * (1 + r) * exp(-b * x);
  const double c = s * cos(b * x), d = s * sin(b * x);
  return (flg_beam_value){far + near + c - r * d, b * (far - near - d - r * c),
                          b * b * (far + near - c + r * d)};
}

/* a sine of the phase, which grows by b from 0 to 1 */
static flg_beam_value wave(double b, double phase, double x) {
  const double s = sin(b * x + phase), c = cos(b * x + phase);
  return (flg_beam_value){s, b * c, -b * b * s};
}

static flg_beam_value power(int n, double x) {
  return (flg_beam_value){pow(x, n), n > 0 ? n * pow(x, n - 1) : 0,
                          n > 1 ? n * (n - 1) * pow(x, n - 2) : 0};
}

flg_beam_value flg_beam_function(flg_beam_ends ends, int number, bool bends, double x) {
  switch (ends) {
    case FLG_BEAM_CLAMPED_FREE:
      if (!bends) return wave((number - 0.5) * PI, 0, x);
      /* its end is at 2 or -2 */
      return scaled(bending_shape(wave_number(ends, number), -1, x), number % 2 == 1 ? 0.5 : -0.5);
    case FLG_BEAM_FREE_FREE:
      if (!bends) return wave(number * PI, 0.5 * PI, x);
      return scaled(bending_shape(wave_number(ends, number), 1, x), 0.5);
    case FLG_BEAM_POLYNOMIAL:
      return power(number, x);
    case FLG_BEAM_PINNED_PINNED:
    case FLG_BEAM_ENDS_COUNT:
    default:
      return wave(number * PI, 0, x);
  }
}
