/* soft_cones.h - contacts that yield, each like a spring under it, with Coulomb's cone:
 *
 *     w = W z + q + Y (z - z0)      z_n >= 0, w_n >= 0, z_n w_n = 0,   |z_t| <= mu z_n against w_t
 *
 * Y is one positive number for all rows of a contact. Then z is known where W z is: with y =
 * z0 - (W z + q)/Y
 *
 *     z_n = max(0, y_n)     z_t = y_t, or on the disk of mu z_n where it is longer
 *
 * and with W = V^T V (V: rank x n) only p = V z is to be found, as many numbers as bodies have ways
 * to move: p - V z(p) = 0, by Newton steps. Up to FLG_SOFT_MOST rows, on the stack.
 */
#ifndef FLG_COMPLEMENTARITY_SOFT_CONES_H
#define FLG_COMPLEMENTARITY_SOFT_CONES_H

#include <stdbool.h>

#include "complementarity/complementarity.h"

enum { FLG_SOFT_MOST = 36 };

typedef struct flg_soft_cones {
  int n, rank, contact_count;
  const flg_friction_contact *contacts; /* with two tangents each; other rows push */
  unsigned char is_alone[FLG_SOFT_MOST];
  double v[FLG_SOFT_MOST * FLG_SOFT_MOST]; /* columns of `rank`, one a row */
} flg_soft_cones;

/* V of W (n x n, column-major). False: too many rows, or no numbers. */
bool flg_soft_cones_load(flg_soft_cones *soft, int n, const double *w, int leading,
                         int contact_count, const flg_friction_contact *contacts);
/* From z on: z (n) for q, Y and z0 (n each), to rounding of W z by Y. The number of Newton steps,
 * or -1: they are caught, and z is as it was. */
int flg_soft_cones_solve(const flg_soft_cones *soft, const double *q, const double *yields,
                         const double *z0, double *z);
/* The same by way of springs that yield more, which are easier to find; z may be any. */
int flg_soft_cones_seek(const flg_soft_cones *soft, const double *q, const double *yields,
                        const double *z0, double *z);

#endif
