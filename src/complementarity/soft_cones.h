/* soft_cones.h - contacts that yield, each like a spring under it, with Coulomb's cone:
 *
 *     w = W z + q + Y (z - z0)      z_n >= 0, w_n >= 0, z_n w_n = 0,   |z_t| <= mu z_n against w_t
 *
 * Y is one positive number for all rows of a contact. Then z is known where W z is: with y =
 * z0 - (W z + q)/Y
 *
 *     z_n = max(0, y_n)     z_t = y_t, or on the disk of mu z_n where it is longer
 *
 * and with W = V^T V (a column of V for each row) only p = V z is to be found, as many numbers as
 * bodies have ways to move: p - V z(p) = 0, by Newton steps. Where these are caught, radii mu z_n
 * are given for a while: then the problem is convex, and Newton steps with a search along them find
 * its solution from anywhere. On the stack, of which up to half a megabyte is taken.
 */
#ifndef FLG_COMPLEMENTARITY_SOFT_CONES_H
#define FLG_COMPLEMENTARITY_SOFT_CONES_H

#include <stdbool.h>

#include "complementarity/complementarity.h"

/* Most rows, and numbers p; most rows of a W that is told. */
enum { FLG_SOFT_MOST = 640, FLG_SOFT_FREEDOMS = 192, FLG_SOFT_DENSE = 36 };

typedef struct flg_soft_cones {
  int n, rank, contact_count;
  const flg_friction_contact *contacts; /* with two tangents each; other rows push */
  unsigned char is_alone[FLG_SOFT_MOST];
  /* Columns of V: `sides` pieces of `width` numbers each, which begin at starts[] in p. */
  int sides, width;
  int starts[2 * FLG_SOFT_MOST]; /* -1: no piece */
  double v[12 * FLG_SOFT_MOST];
} flg_soft_cones;

/* V of W (n x n, column-major). False: too many rows or too high a rank, or no numbers. */
bool flg_soft_cones_load(flg_soft_cones *soft, int n, const double *w, int leading,
                         int contact_count, const flg_friction_contact *contacts);
/* The same of rows between bodies: six numbers p of each, and twelve of V a row. */
bool flg_soft_cones_load_bodies(flg_soft_cones *soft, int n, const flg_sparse_rows *sparse,
                                int contact_count, const flg_friction_contact *contacts);
/* From z on: z (n) for q, Y and z0 (n each; may be z), to rounding of W z by Y. The number of
 * Newton steps, or -1: they are caught, and z is as it was. */
int flg_soft_cones_solve(const flg_soft_cones *soft, const double *q, const double *yields,
                         const double *z0, double *z);

#endif
