/* eigenpairs.h - vibration modes: K x = value M x with symmetric K and positive definite M.
 *
 * By LAPACK. Set-up: work space is allocated.
 */
#ifndef FLG_MATH_EIGENPAIRS_H
#define FLG_MATH_EIGENPAIRS_H

#include "flange/status.h"

/* K and M (n x n, column-major, without gaps). The values ascend; the columns of K become the
 * vectors, X^T M X = 1; M is destroyed. FLG_ERR_DIVERGED if M is not positive definite or a number
 * is not finite. FLG_ERR_MISSING: there is no LAPACK (lapack.h). FLG_ERR_MEMORY. */
flg_status flg_eigenpairs(int n, double *K, double *M, double *values);

#endif
