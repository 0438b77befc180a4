/* weld_rows.h - a weld between ports of two subsystems, as plans of eliminations take it: all of
 * one port moves with all of the other, so that any six rows will do, and those in axes of the
 * world are the cheapest (eliminate.h).
 *
 *     g_i = (p_0 - p_1)_i,   g_(3+i) = angle_i      d = p_0 - p_1, angle [rad] from port 1 to port
 * 0, to first order v_0 - v_1 - w_1 x d = 0,   w_0 - w_1 = 0      0: the end that is of the first
 * model (flg_plan_joint.first)
 */
#ifndef FLG_MACRO_WELD_ROWS_H
#define FLG_MACRO_WELD_ROWS_H

#include "dynamics/constraint.h"
#include "macro/interface.h"

enum { FLG_WELD_ROWS = 6 };

/* True if plans have these rows of an interface: welds to the ground, and those that carry
 * elements, are like others. */
bool flg_interface_is_plain_weld(const flg_interface *interface);
/* Step: the rows, without left and rate. */
void flg_weld_rows(const flg_moving_frame end[2], int first,
                   flg_constraint_row rows[FLG_WELD_ROWS]);
/* Step: what is left of them [m, rad]. */
void flg_weld_measure(const flg_pose end[2], int first, double left[FLG_WELD_ROWS]);

#endif
