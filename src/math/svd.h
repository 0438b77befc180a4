/* svd.h - singular values and vectors, for analysis.
 *
 *     A = U diag(s) V^T     A (rows x columns), s_0 >= s_1 >= ... >= 0, count = min(rows, columns)
 *
 * By LAPACK, with the caller's workspace. Column-major, as dense.h. Not for steps.
 */
#ifndef FLG_MATH_SVD_H
#define FLG_MATH_SVD_H

#include "flange/status.h"

/* How many doubles of work a decomposition of that size needs. */
int flg_svd_workspace(int rows, int columns);
/* Destroys A. singular (count), u (rows x count), vt = V^T (count x columns), work (as above).
 * u = vt = NULL: singular values only. FLG_ERR_DIVERGED, and nothing changed, if A holds NaN or
 * infinity; also if LAPACK does not converge. FLG_ERR_MISSING, FLG_ERR_MEMORY: flg_lapack_open
 * fails. */
flg_status flg_svd_factor(int rows, int columns, double *a, int lda, double *singular, double *u,
                          int ldu, double *vt, int ldvt, double *work);
/* How many singular values exceed tolerance times the largest. */
int flg_svd_rank(int count, const double *singular, double tolerance);
/* Largest over smallest; infinity if the smallest is zero, 1 if there are none. */
double flg_svd_condition(int count, const double *singular);

#endif
