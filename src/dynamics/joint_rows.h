/* joint_rows.h - the rows of a joint (constraint.h), as ports of its two bodies see them, in parts
 * that are asked for one by one.
 *
 * Where the frames A and B of a joint are depends on positions alone: it is found once a state, and
 * so are what is left of the joint, g, and its rows G. Rates and biases follow velocities:
 *
 *     G_A v_A + G_B v_B = dg/dt        d2g/dt2 = G_A a_A + G_B a_B + bias
 *
 * v, a: of the ports, [linear; angular] in world axes. A port is at the origin of the link that a
 * frame is fixed to. Order and meaning of rows are those of constraint.h, to rounding. Step calls.
 */
#ifndef FLG_DYNAMICS_JOINT_ROWS_H
#define FLG_DYNAMICS_JOINT_ROWS_H

#include "dynamics/constraint.h"
#include "dynamics/joint_kernels.h"

/* Sight, and g; returns the number of rows. */
int flg_joint_rows_see(flg_constraint_kind kind, const flg_joint_anchor end[2],
                       flg_joint_sight *sight, double left[FLG_CONSTRAINT_ROWS_MAX]);
/* G: element (i, j) of a side is side[i + j * leading], all six columns; NULL: not asked for. */
void flg_joint_rows_write(flg_constraint_kind kind, const flg_joint_sight *sight,
                          double *const side[2], int leading);
/* dg/dt and bias, by the velocities of the ports. */
void flg_joint_rows_drift(flg_constraint_kind kind, const flg_joint_sight *sight,
                          const double left[FLG_CONSTRAINT_ROWS_MAX], const flg_spatial velocity[2],
                          double rate[FLG_CONSTRAINT_ROWS_MAX],
                          double bias[FLG_CONSTRAINT_ROWS_MAX]);

#endif
