/* dense.h - matrix products, factorisations and triangular solves.
 *
 * Column-major: element (i, j) of a matrix A with leading dimension lda >= max(1, rows) is
 * a[i + j*lda]. Sizes may be 0. What is written must not overlap what is read, unless said so.
 * The caller owns all arrays; nothing is allocated or locked here below the crossover, nothing
 * outside the named part of a matrix is written.
 *
 * Every sum is taken in one fixed order, so that results are repeatable to the last bit, on every
 * machine. Only work of more than FLG_DENSE_CROSSOVER^3 multiplications goes to BLAS or LAPACK
 * (lapack.h), which are repeatable on one machine with one number of threads.
 *
 * Factorisations return how many columns they finished: n is success, anything less is the number
 * (from 0) of the column that failed. NaN and infinity fail like a pivot that is not positive.
 */
#ifndef FLG_MATH_DENSE_H
#define FLG_MATH_DENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { FLG_DENSE_CROSSOVER = 192 };

/* 1 if all elements are finite. */
int flg_dense_is_finite(int rows, int columns, const double *a, int lda);
/* The same for the lower triangle of A (n x n). */
int flg_dense_lower_is_finite(int n, const double *a, int lda);
/* Copies the lower triangle of A (n x n) to its upper one. */
void flg_dense_mirror(int n, double *a, int lda);

/* y += alpha A x            A (rows x columns), x (columns), y (rows) */
void flg_dense_apply(int rows, int columns, double alpha, const double *a, int lda, const double *x,
                     double *y);
/* y += A x                  the same where x is zero but for the given ones (count) of its numbers,
 *                           ascending: the same bits, for half of the work where half are zero */
void flg_dense_apply_some(int rows, int count, const int *given, const double *a, int lda,
                          const double *x, double *y);
/* y += alpha A^T x          A (rows x columns), x (rows), y (columns) */
void flg_dense_apply_transposed(int rows, int columns, double alpha, const double *a, int lda,
                                const double *x, double *y);

/* C += alpha A B            A (rows x inner), B (inner x columns), C (rows x columns) */
void flg_dense_multiply(int rows, int columns, int inner, double alpha, const double *a, int lda,
                        const double *b, int ldb, double *c, int ldc);
/* C += alpha A^T B          A (inner x rows), B (inner x columns), C (rows x columns) */
void flg_dense_multiply_left_transposed(int rows, int columns, int inner, double alpha,
                                        const double *a, int lda, const double *b, int ldb,
                                        double *c, int ldc);
/* C += alpha A B^T          A (rows x inner), B (columns x inner), C (rows x columns) */
void flg_dense_multiply_right_transposed(int rows, int columns, int inner, double alpha,
                                         const double *a, int lda, const double *b, int ldb,
                                         double *c, int ldc);
/* C -= W W^T                W (n x inner), C (n x n): lower triangle read, both triangles written,
 *                           C symmetric to the last bit */
void flg_dense_downdate_outer(int n, int inner, const double *w, int ldw, double *c, int ldc);

/* A = L L^T                 A (n x n) symmetric positive definite; in place, lower triangle read
 *                           and written; after a failure it is spoilt, but finite if A was. */
int flg_dense_cholesky(int n, double *a, int lda);
/* L L^T x = b               in place in x (n) */
void flg_dense_cholesky_solve(int n, const double *l, int ldl, double *x);

/* A = L D L^T               A (n x n) symmetric, need not be definite, but its leading blocks must
 *                           be regular (no pivoting). L below the diagonal, its unit diagonal not
 *                           stored, D on the diagonal. work (n). Otherwise like the Cholesky. */
int flg_dense_ldlt(int n, double *a, int lda, double *work);
/* L D L^T x = b             in place in x (n) */
void flg_dense_ldlt_solve(int n, const double *a, int lda, double *x);

/* Triangular solves in place in x (n). L is the lower and R the upper triangle, read with its
 * diagonal, which must not hold zeros. */
void flg_dense_solve_lower(int n, const double *l, int ldl, double *x);            /* L x = b   */
void flg_dense_solve_lower_transposed(int n, const double *l, int ldl, double *x); /* L^T x = b */
void flg_dense_solve_upper(int n, const double *r, int ldr, double *x);            /* R x = b   */
void flg_dense_solve_upper_transposed(int n, const double *r, int ldr, double *x); /* R^T x = b */

/* X L^T = B                 in place in B (rows x n) */
void flg_dense_solve_right(int rows, int n, const double *l, int ldl, double *b, int ldb);

/* True if all numbers are 0. */
static inline bool flg_dense_is_zero(const double *numbers, size_t count) {
  size_t k = 0;
  while (k < count && numbers[k] == 0) k++;
  return k == count;
}

/* Copies count numbers over those that are kept; whether any bit has changed. For what is computed
 * again only where its inputs have changed. */
static inline bool flg_dense_renew(double *kept, const double *from, size_t count) {
  if (memcmp(kept, from, count * sizeof *kept) == 0) return false;
  memcpy(kept, from, count * sizeof *kept);
  return true;
}

#endif
