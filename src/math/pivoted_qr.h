/* pivoted_qr.h - QR factorisation with column pivoting, rank, and least squares.
 *
 *     A P = Q R             A (rows x columns), R upper trapezoidal, |R_00| >= |R_11| >= ...
 *
 * Column k of A P is column order[k] of A. Q is kept as reflectors: Q = H_0 H_1 ..., where
 * H_k = 1 - tau[k] v v^T, v = (1, a[k+1.., k]); count = min(rows, columns) of them. The rank is the
 * number of leading |R_kk| over tolerance * |R_00|. To solve with R alone hand the leading
 * (rank x rank) block of the factor to flg_dense_solve_upper and its transposed form.
 *
 * The caller owns all arrays; nothing is allocated. Column-major, as dense.h. Values between 1e-150
 * and 1e150 keep full precision. Sizes with rows * columns * count over FLG_QR_CROSSOVER^3 go to
 * LAPACK (lapack.h).
 */
#ifndef FLG_MATH_PIVOTED_QR_H
#define FLG_MATH_PIVOTED_QR_H

enum { FLG_QR_CROSSOVER = 128, FLG_QR_FAILED = -1 };

/* How many doubles of work a factorisation of that size needs. */
int flg_pivoted_qr_workspace(int rows, int columns);
/* In place in A. tau (count), order (columns), work (as above). Returns the rank, or FLG_QR_FAILED
 * and nothing changed if A holds NaN or infinity. */
int flg_pivoted_qr_factor(int rows, int columns, double *a, int lda, double tolerance, double *tau,
                          int *order, double *work);
/* B := Q^T B, with the first `reflectors` of the factor; B (rows x columns). */
void flg_pivoted_qr_apply_transposed(int rows, int reflectors, const double *a, int lda,
                                     const double *tau, int columns, double *b, int ldb);
/* B := Q B. */
void flg_pivoted_qr_apply(int rows, int reflectors, const double *a, int lda, const double *tau,
                          int columns, double *b, int ldb);
/* x (columns) with |A x - b| least and zeros for the columns beyond the rank. b (rows) is spent:
 * what it holds from the rank on has the length of the residual. */
void flg_pivoted_qr_solve(int rows, int columns, int rank, const double *a, int lda,
                          const double *tau, const int *order, double *b, double *x);

#endif
