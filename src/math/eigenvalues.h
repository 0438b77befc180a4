/* eigenvalues.h - eigenvalues of small symmetric matrices, in steps.
 *
 * By Householder's tridiagonal form and QL steps with implicit shifts (Golub and Van Loan, 8.3):
 * errors are of the order of rounding times the largest eigenvalue. Small ones of a matrix with a
 * condition over 1e12 are known by their order alone.
 */
#ifndef FLG_MATH_EIGENVALUES_H
#define FLG_MATH_EIGENVALUES_H

#include "flange/status.h"

enum { FLG_EIGENVALUES_MAX = 12 }; /* rows */

/* The n eigenvalues of a symmetric matrix (n x n, column-major, without gaps), in no order. Reads
 * both triangles and destroys them. FLG_ERR_RANGE for other sizes than 0 .. FLG_EIGENVALUES_MAX;
 * FLG_ERR_DIVERGED if something is not finite. */
flg_status flg_eigenvalues_symmetric(int n, double *matrix, double *values);

#endif
