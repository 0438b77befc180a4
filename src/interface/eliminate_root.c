/* Elimination in square-root form: Z with H = Z Z^T, by QR with column pivoting.
 *
 *     J = (G Z)^T scaled by rows of G:  J P = Q R      rank = number of |R_kk| over the tolerance
 *     L = R^T unscaled;   Q^T Z_keep^T = [V; Z_out^T]   (vsd-components, Eq. 9 and the QR below it)
 *
 * S = J^T J is never formed, so that its small pivots keep their digits. With soft rows J is
 * [(G Z)^T; sqrt(C)] and Z_keep^T becomes [Z_keep^T; 0]: J^T J = G H G^T + C, and all else stays.
 * Z_out is made square: zero columns where it is too narrow, compressed by another QR where it is
 * too wide.
 */
#include <math.h>
#include <string.h>

#include "interface/eliminate_inner.h"
#include "math/dense.h"
#include "math/pivoted_qr.h"

typedef struct workspace {
  double *J;    /* (n x m); here n is the rows of both models, and m more if rows may be soft */
  double *W;    /* (n x k): Z_keep^T, then [V; Z_out^T] */
  double *tau;  /* (max(m, k)) */
  double *qr;   /* for flg_pivoted_qr */
  int *columns; /* (m): which row of G is column j of J */
  int *order;   /* (max(m, k)): where the QR has moved the columns */
} workspace;

static workspace workspace_of(const flg_elimination *e) {
  const size_t m = (size_t)e->shape.constraints, n = (size_t)flg_shape_coordinates(&e->shape);
  const size_t k = (size_t)flg_shape_kept(&e->shape), widest = m > k ? m : k;
  double *J = e->work, *W = J + n * m, *tau = W + n * k;
  return (workspace){J, W, tau, tau + widest, e->index_work, e->index_work + m};
}

static double weight_of(const flg_elimination *e, int row) {
  const double scale = e->scale[row];
  return scale == 0 ? 0 : 1 / sqrt(scale);
}

/* J (n x count) = [(G Z)^T; sqrt(C)] for the rows of G that `columns` names, each scaled */
static void form_root_products(const flg_elimination *e, const double *const Z[2],
                               const workspace *w, int count) {
  const int m = e->shape.constraints, n = flg_shape_coordinates(&e->shape);
  memset(w->J, 0, (size_t)n * (size_t)count * sizeof(double));
  int top = 0;
  for (int c = 0; c < 2; c++) {
    const int rows = e->shape.rows[c];
    for (int k = 0; k < e->shape.touched[c]; k++) {
      const double *row = Z[c] + e->touched[c][k];
      for (int j = 0; j < count; j++) {
        const double g = e->G[c][w->columns[j] + (size_t)k * (size_t)m];
        double *column = w->J + top + (size_t)j * (size_t)n;
        for (int i = 0; i < rows; i++) column[i] += g * row[(size_t)i * (size_t)rows];
      }
    }
    top += rows;
  }
  for (int j = 0; j < count; j++) {
    const int row = w->columns[j];
    const double weight = weight_of(e, row);
    double *column = w->J + (size_t)j * (size_t)n;
    if (e->shape.soft) column[top + row] = sqrt(e->compliance[row]);
    for (int i = 0; i < n; i++) column[i] *= weight;
  }
}

/* QR of the named rows; the number of pivots over the tolerance, or FLG_QR_FAILED */
static int factor_named(const flg_elimination *e, const double *const Z[2], const workspace *w,
                        int count) {
  const int n = flg_shape_coordinates(&e->shape), most = n < count ? n : count;
  form_root_products(e, Z, w, count);
  if (flg_pivoted_qr_factor(n, count, w->J, n, 0, w->tau, w->order, w->qr) == FLG_QR_FAILED) {
    return FLG_QR_FAILED;
  }
  int rank = 0;
  while (rank < most && fabs(w->J[rank + (size_t)rank * (size_t)n]) > e->shape.tolerance) rank++;
  return rank;
}

/* Selects rows and factors them. A frozen set stays a set: its order may change. */
static flg_status select_rows(flg_elimination *e, flg_pivots pivots, const double *const Z[2],
                              const workspace *w) {
  const int m = e->shape.constraints;
  int count = pivots == FLG_PIVOTS_FROZEN ? e->rank : m;
  for (int i = 0; i < m; i++) w->columns[i] = pivots == FLG_PIVOTS_FROZEN ? e->order[i] : i;
  int rank = factor_named(e, Z, w, count);
  if (rank != FLG_QR_FAILED && rank < count && pivots == FLG_PIVOTS_FROZEN) {
    e->rechosen = 1;
    count = m;
    for (int i = 0; i < m; i++) w->columns[i] = i;
    rank = factor_named(e, Z, w, count);
  }
  if (rank == FLG_QR_FAILED) return FLG_ERR_DIVERGED;
  for (int i = 0; i < m; i++) e->order[i] = w->columns[i < count ? w->order[i] : i];
  e->rank = rank;
  return FLG_OK;
}

/* L = R^T, without the scale. R's diagonal may be negative; L then is, and that is as good. */
static void form_lower(const flg_elimination *e, const workspace *w) {
  const int m = e->shape.constraints, n = flg_shape_coordinates(&e->shape);
  for (int i = 0; i < e->rank; i++) {
    const double root = sqrt(e->scale[e->order[i]]);
    for (int j = 0; j <= i; j++) {
      e->lower[i + (size_t)j * (size_t)m] = w->J[j + (size_t)i * (size_t)n] * root;
    }
  }
}

/* W = Z_keep^T (n x k), of both models; 0 where rows are soft */
static void gather_kept_root(const flg_elimination *e, const double *const Z[2], double *W) {
  const int n = flg_shape_coordinates(&e->shape), k = flg_shape_kept(&e->shape);
  memset(W, 0, (size_t)n * (size_t)k * sizeof(double));
  int top = 0;
  for (int c = 0; c < 2; c++) {
    const int rows = e->shape.rows[c];
    for (int j = 0; j < e->shape.kept[c]; j++, W += n) {
      const double *row = Z[c] + e->kept[c][j];
      for (int i = 0; i < rows; i++) W[top + i] = row[(size_t)i * (size_t)rows];
    }
    top += rows;
  }
}

/* Z_out (k x k) from the rows of W (n x k) after the first `rank` */
static flg_status form_root(const flg_elimination *e, const workspace *w, double *Z_out) {
  const int n = flg_shape_coordinates(&e->shape), k = flg_shape_kept(&e->shape);
  const int columns = n - e->rank, is_wide = columns > k;
  double *rest = w->W + e->rank;
  if (is_wide && flg_pivoted_qr_factor(columns, k, rest, n, 0, w->tau, w->order, w->qr) < 0) {
    return FLG_ERR_DIVERGED;
  }
  memset(Z_out, 0, (size_t)k * (size_t)k * sizeof(double));
  for (int i = 0; i < k; i++) {
    const int row = is_wide ? w->order[i] : i, count = is_wide ? i + 1 : columns;
    for (int j = 0; j < count; j++) {
      Z_out[row + (size_t)j * (size_t)k] = rest[j + (size_t)i * (size_t)n];
    }
  }
  return FLG_OK;
}

flg_status flg_eliminate_root(flg_elimination *e, flg_pivots pivots, const double *const Z[2],
                              double *Z_out) {
  const workspace w = workspace_of(e);
  const int n = flg_shape_coordinates(&e->shape), k = flg_shape_kept(&e->shape);
  const flg_status status = select_rows(e, pivots, Z, &w);
  if (status != FLG_OK) return status;
  form_lower(e, &w);
  gather_kept_root(e, Z, w.W);
  flg_pivoted_qr_apply_transposed(n, e->rank, w.J, n, w.tau, k, w.W, n);
  for (int j = 0; j < e->rank; j++) {
    for (int i = 0; i < k; i++) {
      e->outward[i + (size_t)j * (size_t)k] = w.W[j + (size_t)i * (size_t)n];
    }
  }
  return form_root(e, &w, Z_out);
}
