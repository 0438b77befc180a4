/* port_yield.h - how much a port yields at most: what pivots of rows are judged by.
 *
 * A part blocks directions by its own joints exactly, but for rounding: a row on its own would be
 * judged by that rounding. So displacements and turns of a port are judged together, over the
 * length that the model itself has: of all its ports,
 *
 *     length^2 = most linear yield / most angular yield
 *
 * which makes the answer the same in any unit of length.
 */
#ifndef FLG_PORT_YIELD_H
#define FLG_PORT_YIELD_H

typedef struct flg_yield {
  double linear, angular; /* [1/kg], [1/(kg m^2)] */
} flg_yield;

/* Step: of one of the n/6 ports of a model with the admittance D (n x n). length: of the system
 * [m], for models that have none of their own; 0 is not known, and taken for 1. */
flg_yield flg_port_yield_of(int n, const double *D, int port, double length);
/* of the free admittance of a row: joints that block it leave 1e-14 by rounding, in loops, and up
 * to here no digit of what is left is right */
#define FLG_BLOCKED 1e-12
/* Step: zeros in three rows and columns of D (n x n), from `row` on: the displacements or the turns
 * of a port. Where joints block all three, so that no pivot is compared with rounding. */
void flg_port_clear(int n, double *D, int row);
/* Step: the same of displacements that are rounding of turns, at ports on the axes of hinges; of
 * all ports of a robot of that length [m]. */
void flg_port_clear_arms(int n, double *D, double length);
/* Step: that length [m]; 0 where the model does not turn, or turns alone, but for rounding, which
 * is judged by the length of the system [m]. */
double flg_port_yield_length(int n, const double *D, double length);

#endif
