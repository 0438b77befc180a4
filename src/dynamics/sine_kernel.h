/* sine_kernel.h - sine and cosine of one angle, for loops over many.
 *
 * Coefficients and the three parts of pi/2 are those of fdlibm (Sun Microsystems, 1993). No
 * branches and no integers: compilers make vectors of it. It needs nothing but math.h, because
 * compiled machines contain this text as well (compile/).
 */
#ifndef FLG_DYNAMICS_SINE_KERNEL_H
#define FLG_DYNAMICS_SINE_KERNEL_H

#include <math.h>

/* Angles larger than this go to libm. */
#define FLG_SINE_LIMIT 1e6 /* [rad] */

/* Adding this rounds to whole numbers: it is so large that its last bit counts ones. */
#define FLG_WHOLE 0x1.8p52

static inline double flg_nearest_integer(double x) {
  return (x + FLG_WHOLE) - FLG_WHOLE;
}

static inline void flg_sine_and_cosine(double angle, double *sine, double *cosine) {
  /* r + low = angle - n pi/2; n times the first two parts is exact up to the limit */
  const double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34, part3 = 0x1.3198a2e037073p-69;
  const double n = flg_nearest_integer(angle * 0x1.45f306dc9c883p-1);
  const double first = angle - n * part1, second = n * part2, rough = first - second;
  const double tail = ((first - rough) - second) - n * part3, r = rough + tail;
  const double low = (rough - r) + tail;

  const double z = r * r, zz = z * z;
  const double s = (-1.66666666666666324348e-01 + z * 8.33333333332248946124e-03) +
                   zz * ((-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +
                         zz * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10));
  const double c = (4.16666666666666019037e-02 + z * -1.38888888888741095749e-03) +
                   zz * ((2.48015872894767294178e-05 + z * -2.75573143513906633035e-07) +
                         zz * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  /* 1 - z/2 is rounded, and what it lost given back */
  const double half = 0.5 * z, near = 1 - half;
  const double sine_r = r + ((r * z) * s + low);
  const double cosine_r = near + (((1 - near) - half) + (zz * c - r * low));

  /* quarter turns m from -2 to 2; `even` is 1, 0, -1 and `odd` m where |m| is 1, else 0 */
  const double m = n - 4 * flg_nearest_integer(0.25 * n), size = fabs(m);
  const double even = 1 - size, odd = m * (2 - size);
  *sine = even * sine_r + odd * cosine_r;
  *cosine = even * cosine_r - odd * sine_r;
}

#endif
