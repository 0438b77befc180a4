/* small_factor.h - factor and products of the fast paths, on sets of up to 16 rows.
 *
 *     A_FF = L D L^T        F the bits of sm->active
 *
 * in columns of a fixed leading dimension, on the caller's stack; inlined into functions with wide
 * vectors.
 */
#ifndef FLG_COMPLEMENTARITY_SMALL_FACTOR_H
#define FLG_COMPLEMENTARITY_SMALL_FACTOR_H

#include "complementarity/solver.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

enum { MOST = FLG_COMPLEMENTARITY_SMALL, LANES = 4, PATIENCE = 3, ROUNDS = 24 };

typedef struct small {
  double l[MOST * (MOST + 1)]; /* columns of L D, the last one the right-hand side */
  double inverse[MOST];        /* of D */
  double z[MOST], w[MOST];
  double z_slack[MOST], w_slack[MOST];
  int order[MOST];
  unsigned active, upper, fixed; /* sets of rows */
} small;

static inline unsigned bit(int i) {
  return 1U << i;
}

/* A_FF and -force_F into columns of MOST, filled up with zeros to whole vectors */
FLG_SMALL int gather(const flg_rows *rows, small *sm, const double *force) {
  int m = 0;
  for (unsigned left = sm->active; left != 0; left &= left - 1) {
    sm->order[m++] = __builtin_ctz(left);
  }
  const int padded = (m + LANES - 1) / LANES * LANES;
  double *x = sm->l + MOST * m;
  for (int j = 0; j < m; j++) {
    const double *a = rows->a + (size_t)sm->order[j] * (size_t)rows->lda;
    double *column = sm->l + MOST * j;
    for (int i = j; i < m; i++) column[i] = a[sm->order[i]];
    for (int i = m; i < padded; i++) column[i] = 0;
    for (int i = j / LANES * LANES; i < j; i++) column[i] = 0;
    x[j] = -force[sm->order[j]];
  }
  for (int i = m; i < padded; i++) x[i] = 0;
  return m;
}

/* Elimination to the right, the right-hand side with it; 0 if a row is dependent. Whole vectors are
 * subtracted: what that leaves over the diagonal is never read. */
FLG_SMALL int eliminate(const flg_rows *rows, small *sm, int m, double tolerance) {
  const int last = (m + LANES - 1) / LANES * LANES;
  double *restrict x = sm->l + MOST * m;
  for (int k = 0; k < m; k++) {
    const double *restrict pivot = sm->l + MOST * k;
    if (!(pivot[k] > tolerance * rows->reference[sm->order[k]])) return 0;
    const double inverse = sm->inverse[k] = 1 / pivot[k], load = x[k] * inverse;
    for (int j = k + 1; j < m; j++) {
      double *restrict column = sm->l + MOST * j;
      const double weight = pivot[j] * inverse;
      x[j] -= pivot[j] * load;
      for (int i = j / LANES * LANES; i < last; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) column[i + lane] -= pivot[i + lane] * weight;
      }
    }
  }
  return 1;
}

FLG_SMALL void substitute_back(small *sm, int m) {
  double *x = sm->l + MOST * m;
  for (int k = m - 1; k >= 0; k--) {
    const double *pivot = sm->l + MOST * k;
    double sum = x[k];
    for (int i = k + 1; i < m; i++) sum -= pivot[i] * x[i];
    x[k] = sum * sm->inverse[k];
    sm->z[sm->order[k]] = x[k];
  }
}

/* w = q + A z over the columns where z is not zero */
FLG_SMALL void apply(const flg_rows *rows, small *sm) {
  for (int i = 0; i < rows->n; i++) sm->w[i] = rows->q[i];
  for (int j = 0; j < rows->n; j++) {
    const double *a = rows->a + (size_t)j * (size_t)rows->lda, weight = sm->z[j];
    if (weight == 0) continue;
    for (int i = 0; i < rows->n; i++) sm->w[i] += a[i] * weight;
  }
}

/* Which of the violating rows change sides: all, or the last one when that stopped to help. */
FLG_SMALL unsigned rows_to_change(unsigned set, int *best, int *patience) {
  const int count = __builtin_popcount(set);
  if (count < *best) {
    *best = count, *patience = PATIENCE;
    return set;
  }
  return (*patience)-- > 0 ? set : 1U << (31 - __builtin_clz(set));
}

#endif
