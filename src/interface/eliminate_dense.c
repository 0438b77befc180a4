/* Elimination of any size: the equations of eliminate.h, line by line. */
#include <string.h>

#include "interface/eliminate_inner.h"
#include "math/dense.h"

/* how many of the listed rows follow each other, from `start` on: G is taken by such runs */
static int run_length(const int *rows, int count, int start) {
  int end = start + 1;
  while (end < count && rows[end] == rows[end - 1] + 1) end++;
  return end - start;
}

/* P_c = H_c(:, touched) G_c^T, both models one under the other: P (n x m) = H G^T */
static void form_dense_products(const flg_elimination *e, const double *const H[2], double *P) {
  const int m = e->shape.constraints, n = flg_shape_rows(&e->shape);
  memset(P, 0, (size_t)n * (size_t)m * sizeof(double));
  for (int c = 0; c < 2; c++) {
    const int rows = e->shape.rows[c], count = e->shape.touched[c];
    for (int j = 0, run; j < count; j += run) {
      run = run_length(e->touched[c], count, j);
      const double *columns = H[c] + (size_t)e->touched[c][j] * (size_t)rows;
      const double *weights = e->G[c] + (size_t)j * (size_t)m;
      flg_dense_multiply_right_transposed(rows, m, run, 1, columns, rows, weights, m, P, n);
    }
    P += rows;
  }
}

/* S = G P, lower triangle (m x m) */
static void form_schur(const flg_elimination *e, const double *P, double *S) {
  const int m = e->shape.constraints, n = flg_shape_rows(&e->shape);
  memset(S, 0, (size_t)m * (size_t)m * sizeof(double));
  for (int c = 0; c < 2; c++) {
    const int count = e->shape.touched[c];
    for (int k = 0, run; k < count; k += run) {
      run = run_length(e->touched[c], count, k);
      const double *G = e->G[c] + (size_t)k * (size_t)m, *rows = P + e->touched[c][k];
      for (int j = 0; j < m; j++) {
        flg_dense_apply(m - j, run, 1, G + j, m, rows + (size_t)j * (size_t)n,
                        S + j + (size_t)j * (size_t)m);
      }
    }
    P += e->shape.rows[c];
  }
}

void flg_eliminate_soften(const flg_elimination *e, double *S) {
  const size_t m = (size_t)e->shape.constraints;
  for (size_t i = 0; i < m; i++) S[i + i * m] += e->compliance[i];
}

/* With rows of the last choice first: they are those of a step before, mostly still good, and need
 * no search. Where a pivot has become too small, rows are chosen again, which is counted. */
static flg_status factor_schur(flg_elimination *e, flg_pivots pivots, const double *S) {
  const int m = e->shape.constraints;
  const double tolerance = e->shape.tolerance;
  if (pivots == FLG_PIVOTS_FROZEN) {
    if (flg_pivoted_cholesky_refactor(e->rank, e->order, S, m, e->scale, tolerance, e->lower, m) ==
        e->rank) {
      return FLG_OK;
    }
    e->rechosen = 1;
  }
  const int rank = flg_pivoted_cholesky_factor(m, S, m, e->scale, tolerance, e->order, e->lower, m);
  if (rank == FLG_PIVOT_FAILED) return FLG_ERR_DIVERGED;
  e->rank = rank;
  return FLG_OK;
}

/* V^T = P_(keep,p) L^-T (k x rank) */
static void form_outward(const flg_elimination *e, const double *P) {
  const int m = e->shape.constraints, n = flg_shape_rows(&e->shape), k = flg_shape_kept(&e->shape);
  for (int j = 0; j < e->rank; j++) {
    const double *from = P + (size_t)e->order[j] * (size_t)n;
    double *to = e->outward + (size_t)j * (size_t)k;
    for (int i = 0; i < e->shape.kept[0]; i++) *to++ = from[e->kept[0][i]];
    from += e->shape.rows[0];
    for (int i = 0; i < e->shape.kept[1]; i++) *to++ = from[e->kept[1][i]];
  }
  flg_dense_solve_right(k, e->rank, e->lower, m, e->outward, k);
}

/* H_keep (k x k): diagonal blocks from both models */
static void gather_kept_dense(const flg_elimination *e, const double *const H[2], double *H_out) {
  const int k = flg_shape_kept(&e->shape);
  memset(H_out, 0, (size_t)k * (size_t)k * sizeof(double));
  double *block = H_out;
  for (int c = 0; c < 2; c++) {
    const size_t rows = (size_t)e->shape.rows[c];
    const int *kept = e->kept[c];
    for (int j = 0; j < e->shape.kept[c]; j++) {
      const double *from = H[c] + (size_t)kept[j] * rows;
      double *to = block + (size_t)j * (size_t)k;
      for (int i = 0; i < e->shape.kept[c]; i++) to[i] = from[kept[i]];
    }
    block += (size_t)e->shape.kept[c] * ((size_t)k + 1);
  }
}

/* Apart from `keep`: which rows are kept may depend on contacts, and be known only after this. */
flg_status flg_eliminate_dense_select(flg_elimination *e, flg_pivots pivots,
                                      const double *const H[2]) {
  const int m = e->shape.constraints, n = flg_shape_rows(&e->shape);
  double *P = e->work, *S = P + (size_t)n * (size_t)m;
  if (m == 0) return FLG_OK;
  form_dense_products(e, H, P);
  form_schur(e, P, S);
  if (e->shape.soft) flg_eliminate_soften(e, S);
  return factor_schur(e, pivots, S);
}

void flg_eliminate_dense_keep(flg_elimination *e, const double *const H[2], double *H_out) {
  const int k = flg_shape_kept(&e->shape);
  gather_kept_dense(e, H, H_out);
  if (e->shape.constraints == 0) return;
  form_outward(e, e->work);
  flg_dense_downdate_outer(k, e->rank, e->outward, k, H_out, k);
}

flg_status flg_eliminate_dense(flg_elimination *e, flg_pivots pivots, const double *const H[2],
                               double *H_out) {
  const flg_status status = flg_eliminate_dense_select(e, pivots, H);
  if (status == FLG_OK) flg_eliminate_dense_keep(e, H, H_out);
  return status;
}
