/* pivoted_cholesky.h - which rows of a redundant set are independent, and the factor on them.
 *
 *     S_pp = L L^T          p = order[0..rank), chosen among the n rows
 *
 * S (n x n) is symmetric and positive semidefinite; its lower triangle is read. Row i is judged
 * against scale[i] > 0, the value that S_ii would have if nothing blocked the row (its free
 * admittance): what is left of S_ii after the rows already chosen must exceed
 * tolerance * scale[i]. Among those the row with the largest ratio is taken, the first one of
 * equals. A row with scale 0 is never chosen. scale = NULL stands for the diagonal of S.
 *
 * The choice belongs to a state that fulfils the constraints; at nearby states the same rows are
 * factorised again as they are (`refactor`), and chosen again when that fails.
 *
 * Step calls: nothing is allocated. L (column-major, leading dimension ldl) must not overlap S.
 * Only the lower triangle of L is written. Sums have one fixed order, as in dense.h.
 */
#ifndef FLG_MATH_PIVOTED_CHOLESKY_H
#define FLG_MATH_PIVOTED_CHOLESKY_H

/* of a row's free admittance: rounding leaves 1e-13 of redundant rows where masses differ by 1e3,
 * and rows of a linkage keep as much up to 1e-4 rad from a singular pose */
#define FLG_PIVOT_TOLERANCE 1e-8

enum { FLG_PIVOT_FAILED = -1 };

/* Chooses and factorises. Returns the rank, or FLG_PIVOT_FAILED if S or scale holds NaN, infinity
 * or a negative scale; then order and L are as they were. order (n) becomes a permutation, the
 * chosen rows first. L (n x n): rows below the rank hold L_21 of the rows that were not chosen and,
 * on the diagonal, what is left of their S_ii. */
int flg_pivoted_cholesky_factor(int n, const double *s, int lds, const double *scale,
                                double tolerance, int *order, double *l, int ldl);

/* Factorises on the given rows, in the given order: L (rank x rank). Returns rank, or less: the
 * number of the pivot that is not over its tolerance (or is NaN); choose again then. The result is
 * to the last bit that of flg_pivoted_cholesky_factor with the same order. */
int flg_pivoted_cholesky_refactor(int rank, const int *order, const double *s, int lds,
                                  const double *scale, double tolerance, double *l, int ldl);

#endif
