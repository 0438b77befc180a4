/* constraint.h - the rows of a joint between two frames A and B: child minus parent.
 *
 *     g(A, B) = 0      dg/dt = s_A . V_A + s_B . V_B      d2g/dt2 = s_A . a_A + s_B . a_B + bias
 *
 * as in coordinate.h, row by row. Units: m for displacements, rad (to first order) for rotations.
 * Of a screw these are the four rows of the cylindrical joint; the fifth, like those of distance,
 * gear and rack, is one of coordinates (coordinate.h), and the assembly of the joint adds it.
 *
 * Order: displacements of B's origin along x, y, z of A, as far as the joint holds them; then
 * x_A.z_B, y_A.z_B, y_A.x_B, or x_A.y_B of a universal joint. At the closed joint these are turns
 * of B about y, -x, z, and -z of the cross. Those of a spherical joint are along world axes.
 * Step calls: nothing is allocated, nothing fails.
 */
#ifndef FLG_CONSTRAINT_H
#define FLG_CONSTRAINT_H

#include "dynamics/constraint_row.h"
#include "dynamics/coordinate.h"

enum { FLG_CONSTRAINT_ROWS_MAX = 6 };

/* Returns how many rows were written; 0 for distance, gear and rack. */
int flg_constraint_evaluate(flg_constraint_kind kind, const flg_moving_frame end[2],
                            flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX]);
/* How many of them are displacements; the others are turns. */
int flg_constraint_displacements(flg_constraint_kind kind);
/* g alone, in the same order. */
int flg_constraint_measure(flg_constraint_kind kind, const flg_pose end[2],
                           double left[FLG_CONSTRAINT_ROWS_MAX]);

#endif
