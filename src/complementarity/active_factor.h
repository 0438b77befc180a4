/* active_factor.h - Cholesky factor on the active rows, brought up to date row by row.
 *
 *     A_FF = L L^T          F = order[0..count)
 *
 * A row whose pivot, what is left of A_ii after the rows before it, does not exceed
 * tolerance * reference[i] is dependent on them and is not taken. A negative pivot alone proves
 * nothing, since it may be rounding: A is called indefinite only when the direction d that belongs
 * to the pivot has d'Ad clearly under zero, calculated from A. Step calls: no allocation.
 */
#ifndef FLG_COMPLEMENTARITY_ACTIVE_FACTOR_H
#define FLG_COMPLEMENTARITY_ACTIVE_FACTOR_H

#include "complementarity/solver.h"

typedef struct flg_active_factor {
  const flg_rows *rows;
  double tolerance;
  double *l; /* (n x n), lower triangle */
  int *order, count;
  double *work;   /* (2 n) */
  int indefinite; /* a direction was found that A pushes along */
  double left;    /* pivot of the last row that was tried */
} flg_active_factor;

flg_active_factor flg_active_factor_on(flg_complementarity *solver, const flg_rows *rows);
/* Appends row i if it is independent: 1, else 0; then the column of L stays in L's row `count`,
 * that is L l = A_Fi. With force, any positive pivot will do. */
int flg_active_factor_add(flg_active_factor *factor, int i, int force);
/* Takes out order[place]. */
void flg_active_factor_remove(flg_active_factor *factor, int place);
/* Makes F the rows with position FLG_ROW_ACTIVE, those that are independent, by few changes or
 * from the start. inside (n) becomes 1 for those in F. Returns how many were left out. */
int flg_active_factor_update(flg_active_factor *factor, const unsigned char *position,
                             unsigned char *inside);
/* L L^T x = b in place, x (count) in the order of F. */
void flg_active_factor_solve(const flg_active_factor *factor, double *x);

#endif
