/* soft_cones.h - contacts that yield, each like a spring under it, with Coulomb's cone:
 *
 *     w = W z + q + Y (z - z0)      z_n >= 0, w_n >= 0, z_n w_n = 0,   |z_t| <= mu z_n against w_t
 *
 * Y is one positive number for all rows of a contact. Then z is known where W z is: with y =
 * z0 - (W z + q)/Y
 *
 *     z_n = max(0, y_n)     z_t = y_t, or on the disk of mu z_n where it is longer
 *
 * and with W = V^T V (a column of V for each row) only p = V z is to be found, six numbers of each
 * body: p - V z(p) = 0, by Newton steps, whose equations tie bodies that touch (body_blocks.h).
 * Where these are caught, radii mu z_n are given for a while: then the problem is convex, and
 * Newton steps with a search along them find its solution from anywhere. On the stack, of which up
 * to half a megabyte is taken.
 */
#ifndef FLG_COMPLEMENTARITY_SOFT_CONES_H
#define FLG_COMPLEMENTARITY_SOFT_CONES_H

#include <stdbool.h>

#include "complementarity/body_blocks.h"
#include "complementarity/complementarity.h"

/* Most rows, and numbers p: those of bodies, and of the ground, which stay 0. */
enum { FLG_SOFT_MOST = 960, FLG_SOFT_FREEDOMS = 6 * FLG_BLOCKS_BODIES + 6 };

/* A contact, or a row that pushes alone. */
typedef struct flg_soft_touch {
  int row, rows;      /* its first row, and 3 or 1 */
  int places[2];      /* of its bodies in p */
  double coefficient; /* mu */
} flg_soft_touch;

typedef struct flg_soft_cones {
  int n, rank, touch_count;
  flg_soft_touch touches[FLG_SOFT_MOST];
  /* Columns of V: four numbers of the first body, four of the second, two of the first, two */
  double v[12 * FLG_SOFT_MOST];
  flg_body_blocks steps; /* of Newton steps */
} flg_soft_cones;

/* V of rows between bodies; the three rows of a contact lie side by side and have the same bodies,
 * or none. False: too many of them, or no numbers. */
bool flg_soft_cones_load(flg_soft_cones *soft, int n, const flg_sparse_rows *sparse,
                         int contact_count, const flg_friction_contact *contacts);
/* of p: |p - V z|; rounding of z leaves a tenth of that */
#define FLG_SOFT_SOLVED 1e-10
/* From z on: z (n) for q, Y and z0 (n each; may be z), until |p - V z| is `enough` of |p|. The
 * number of Newton steps, or -1: they are caught, and z is as it was. */
int flg_soft_cones_solve(flg_soft_cones *soft, const double *q, const double *yields,
                         const double *z0, double enough, double *z);

#endif
