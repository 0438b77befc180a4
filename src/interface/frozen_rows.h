/* frozen_rows.h - all joints of rigid bodies solved at once, by rows that were chosen beforehand.
 *
 *     S = G W G^T + C = L L^T      chosen rows of all joints, one block a joint
 *     S l = gamma - G b            reactions
 *     y = b + W G^T l              W of a body: 1/m, and I^-1
 *
 * Two joints are coupled in S where they share a body. Bodies carry few joints, so that S is
 * sparse; which of its blocks fill up, and in which order they go, is known when the rows are
 * (sparse_pattern.h). Where a plan carries matrices of 6 rows for every open port up its tree, this
 * has numbers for rows alone.
 *
 * Rows are frozen: nothing is chosen in a step. Two checks tell where that choice no longer holds,
 * and both fail with NaN:
 *     pivots      0 < 1/d < limit, in proportion to the row's own diagonal in S (its free
 *                 admittance): rows that were independent are not any more, or all but
 *     residuals   of rows that were left out, after a solve whose right-hand sides all rows fulfil:
 *                 rows that were redundant are not any more
 * Callers ask for both; where one fails, the plan chooses rows by its tree (plan.h).
 *
 * Flat bodies. Joints may hold a body in a plane with normal n, a principal axis, whatever pushes.
 * Rows that hold it there (the displacement along n, both tilts) ask for nothing that moves, and
 * are decoupled from all others: they are left out, and y, W and forces are those in the plane. A
 * hinge is then two rows instead of five.
 *
 * A block has room for an even number of rows, so that columns are whole vectors; a row of zeros
 * fills an odd one up. Memory is laid out at set-up. Steps allocate nothing.
 */
#ifndef FLG_INTERFACE_FROZEN_ROWS_H
#define FLG_INTERFACE_FROZEN_ROWS_H

#include "interface/sparse_pattern.h"

enum { FLG_FROZEN_ENDS_MAX = 4, FLG_FROZEN_ROWS_MAX = FLG_SPARSE_ROWS_MAX };

/* A rigid body: arrays of the caller, of six numbers [linear; angular] each. */
typedef struct flg_frozen_body {
  const double *admittance; /* W (6 x 6): 1/m on the diagonal, then a block I^-1 */
  const double *bias;       /* b */
  double *force;            /* G^T l */
  double *motion;           /* y */
  double normal[3];         /* of a flat body; zeros: it moves in space */
  double *flat;             /* of the build: b in its plane, NULL: it is not flat */
} flg_frozen_body;

/* A joint. G is laid out by the build, where the caller writes it: element (i, j) of side s is
 * side[s][i + j * leading]. */
typedef struct flg_frozen_joint {
  int rows, ends;
  int body[FLG_FROZEN_ENDS_MAX];     /* -1: the ground */
  double *side[FLG_FROZEN_ENDS_MAX]; /* zero at first; NULL for the ground */
  int leading;
  const double *gamma;      /* (rows) */
  const double *compliance; /* (rows) NULL: none */
  double *reactions;        /* (rows) 0 of rows that were left out */
  unsigned chosen;          /* bit i: row i is */
  unsigned turns;           /* bit i: row i of every side has a linear part of zeros */
  bool straight;            /* linear parts of the others are unit vectors at right angles */
} flg_frozen_joint;

typedef struct flg_frozen_rows flg_frozen_rows;

/* Set-up: bodies and joints are copied, other arrays are the caller's. NULL if some block is
 * coupled with too many others, a joint has too many rows, or there is no memory (region->failed).
 */
flg_frozen_rows *flg_frozen_rows_build(const flg_frozen_body *bodies, int body_count,
                                       const flg_frozen_joint *joints, int joint_count,
                                       flg_region *region);
/* With its sides. */
const flg_frozen_joint *flg_frozen_rows_joint(const flg_frozen_rows *rows, int joint);
/* Known beforehand: multiplications and additions of factor and solve; rows, and how many are
 * chosen. */
double flg_frozen_rows_flops(const flg_frozen_rows *rows);
int flg_frozen_rows_count(const flg_frozen_rows *rows);
int flg_frozen_rows_rank(const flg_frozen_rows *rows);

/* Step: L from G, W and C. False if a pivot is not more than sound times its row's diagonal. */
bool flg_frozen_rows_factor(flg_frozen_rows *rows, double sound);
/* The least pivot of the last factor, in proportion as above. */
double flg_frozen_rows_least(const flg_frozen_rows *rows);
/* Step: reactions, forces and motions. False if a number is not finite. */
bool flg_frozen_rows_solve(flg_frozen_rows *rows);
/* Step, after factor: the blocks of S^-1 where S or its factor have some, in time proportional to
 * their number; and the block (rows x rows, column-major) of a joint all of whose rows are chosen,
 * false: some are not. */
void flg_frozen_rows_invert(flg_frozen_rows *rows);
bool flg_frozen_rows_inverse(const flg_frozen_rows *rows, int joint, double *block);
/* Step, after solve: whether rows that were left out are fulfilled, to `share` of the largest
 * number in y and b. Displacements are compared with turns over the length of the system [m]. */
bool flg_frozen_rows_agree(const flg_frozen_rows *rows, double share, double length);

#endif
