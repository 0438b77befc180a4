/* Elimination where models are made of whole ports and few rows are closed: the joints of bodies.
 *
 * The equations are those of eliminate.h. Rows come in blocks of 12 or 6, whose sums stay in
 * registers: `block` is called with a constant length and inlined. All intermediates are on the
 * stack.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "interface/eliminate_inner.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

enum {
  PORT = FLG_PORT_ROWS,
  WIDE = 2 * FLG_PORT_ROWS,
  MOST = FLG_SMALL_CONSTRAINTS,
  ROWS = FLG_SMALL_ROWS
};

/* calls with the number of rows as a constant */
#define OF_SIZE(call, e, ...)       \
  switch ((e)->shape.constraints) { \
    case 0:                         \
      break;                        \
    case 1:                         \
      call(e, 1, __VA_ARGS__);      \
      break;                        \
    case 2:                         \
      call(e, 2, __VA_ARGS__);      \
      break;                        \
    case 3:                         \
      call(e, 3, __VA_ARGS__);      \
      break;                        \
    case 4:                         \
      call(e, 4, __VA_ARGS__);      \
      break;                        \
    case 5:                         \
      call(e, 5, __VA_ARGS__);      \
      break;                        \
    default:                        \
      call(e, 6, __VA_ARGS__);      \
      break;                        \
  }

/* y (length) = start - or + sum_j A(:, j) x_j: sign * x_j is exact, so the order is all that counts
 */
FLG_SMALL void block(int length, int columns, const double *restrict a, int lda,
                     const double *restrict x, int stride, double sign, double *restrict y) {
  double sum[WIDE];
#pragma GCC unroll 12
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): rows are a multiple of 6
  for (int i = 0; i < length; i++) sum[i] = y[i];
  for (int j = 0; j < columns; j++) {
    const double weight = sign * x[j * stride];
#pragma GCC unroll 12
    for (int i = 0; i < length; i++) sum[i] += a[i + j * lda] * weight;
  }
#pragma GCC unroll 12
  for (int i = 0; i < length; i++) y[i] = sum[i];
}

/* y (rows, a multiple of 6) += sign * A x */
FLG_SMALL void add_columns(int rows, int columns, const double *a, int lda, const double *x,
                           int stride, double sign, double *y) {
  int i = 0;
  for (; i + WIDE <= rows; i += WIDE) block(WIDE, columns, a + i, lda, x, stride, sign, y + i);
  if (i < rows) block(PORT, columns, a + i, lda, x, stride, sign, y + i);
}

/* P_c (n_c x m, leading dimension n) = H_c(:, touched) G_c^T */
FLG_SMALL void form_products(const flg_elimination *e, int c, const double *H, double *P, int n) {
  const int m = e->shape.constraints, rows = e->shape.rows[c];
  for (int j = 0; j < m; j++) {
    double *column = P + j * n;
    for (int i = 0; i < rows; i++) column[i] = 0;
    for (int k = 0; k < e->shape.touched[c]; k += PORT) {
      const double *columns = H + e->touched[c][k] * rows, *weights = e->G[c] + k * m + j;
      add_columns(rows, PORT, columns, rows, weights, m, 1, column);
    }
  }
}

/* S += G_c P_c(touched, :), lower triangle; m is constant here */
FLG_SMALL void add_schur(const flg_elimination *e, int c, int m, const double *P, int n,
                         double *S) {
  for (int k = 0; k < e->shape.touched[c]; k += PORT) {
    const double *G = e->G[c] + k * m, *rows = P + e->touched[c][k];
#pragma GCC unroll 6
    for (int j = 0; j < m; j++) {
#pragma GCC unroll 6
      for (int r = 0; r < PORT; r++) {
        const double weight = rows[r + j * n];
#pragma GCC unroll 6
        for (int i = j; i < m; i++) S[i + j * m] += G[i + r * m] * weight;
      }
    }
  }
}

FLG_SMALL void form_schur(const flg_elimination *e, int m, const double *P, int n, double *S) {
  double sum[MOST * MOST] = {0};
  add_schur(e, 0, m, P, n, sum);
  add_schur(e, 1, m, P + e->shape.rows[0], n, sum);
#pragma GCC unroll 6
  for (int j = 0; j < m; j++) {
#pragma GCC unroll 6
    for (int i = j; i < m; i++) S[i + j * m] = S[j + i * m] = sum[i + j * m];
  }
}

/* --- pivots ------------------------------------------------------------------------------------
 */

/* Column k of L from what is left of S (m x m, in the order of the pivots, both triangles), and its
 * share taken off the rest. Chosen and frozen sets come here alike: the same order, the same bits.
 */
FLG_SMALL void take_pivot(int m, int k, double *left, double *L) {
  const double root = sqrt(left[k + k * m]), inverse = 1 / root;
  double column[MOST] = {0};
  L[k + k * m] = root;
  for (int i = k + 1; i < m; i++) L[i + k * m] = column[i] = left[i + k * m] * inverse;
  for (int j = k + 1; j < m; j++) {
    for (int i = k + 1; i < m; i++) left[i + j * m] -= column[i] * column[j];
  }
}

FLG_SMALL int is_pivot(double left, double scale, double tolerance) {
  return scale > 0 && left > tolerance * scale && left <= DBL_MAX;
}

/* the row from k on with the most left in proportion to its scale, the first of equals; m if none
 */
FLG_SMALL int best_row(int m, int k, const double *left, const double *scale, const int *order,
                       double tolerance) {
  int best = m;
  double best_ratio = 0;
  for (int i = k; i < m; i++) {
    const double rest = left[i + i * m], free = scale[order[i]];
    if (!is_pivot(rest, free, tolerance)) continue;
    const double ratio = rest / free;
    const int first = ratio == best_ratio && best < m && order[i] < order[best];
    if (ratio > best_ratio || first) best = i, best_ratio = ratio;
  }
  return best;
}

static void swap_values(double *a, double *b) {
  const double swapped = *a;
  *a = *b;
  *b = swapped;
}

/* exchanges rows and columns k and p of what is left, and rows of the known columns of L */
static void exchange_small_rows(int m, int k, int p, double *left, double *L, int *order) {
  if (p == k) return;
  const int row = order[k];
  order[k] = order[p];
  order[p] = row;
  for (int j = 0; j < m; j++) swap_values(&left[k + j * m], &left[p + j * m]);
  for (int i = 0; i < m; i++) swap_values(&left[i + k * m], &left[i + p * m]);
  for (int j = 0; j < k; j++) swap_values(&L[k + j * m], &L[p + j * m]);
}

/* the rank */
static int choose_small_rows(int m, const double *S, const double *scale, double tolerance,
                             int *order, double *L) {
  double left[MOST * MOST];
  memcpy(left, S, (size_t)m * (size_t)m * sizeof(double));
  for (int i = 0; i < m; i++) order[i] = i;
  for (int k = 0; k < m; k++) {
    const int best = best_row(m, k, left, scale, order, tolerance);
    if (best == m) return k;
    exchange_small_rows(m, k, best, left, L, order);
    take_pivot(m, k, left, L);
  }
  return m;
}

/* how many of the frozen rows are still independent; m is constant here. The operations on the
 * lower triangle are those of take_pivot. */
FLG_SMALL void refactor(const flg_elimination *e, int m, const double *S, int *rank) {
  double left[MOST][MOST];
#pragma GCC unroll 6
  for (int j = 0; j < m; j++) {
#pragma GCC unroll 6
    for (int i = j; i < m; i++) left[i][j] = S[e->order[i] + e->order[j] * m];
  }
#pragma GCC unroll 6
  for (int k = 0; k < m; k++) {
    *rank = k;
    if (k == e->rank) return;
    if (!is_pivot(left[k][k], e->scale[e->order[k]], e->shape.tolerance)) return;
    const double root = sqrt(left[k][k]), inverse = 1 / root;
    e->lower[k + k * m] = root;
#pragma GCC unroll 6
    for (int i = k + 1; i < m; i++) e->lower[i + k * m] = left[i][k] *= inverse;
#pragma GCC unroll 6
    for (int j = k + 1; j < m; j++) {
#pragma GCC unroll 6
      for (int i = j; i < m; i++) left[i][j] -= left[i][k] * left[j][k];
    }
  }
  *rank = m;
}

FLG_SMALL flg_status factor_schur(flg_elimination *e, flg_pivots pivots, const double *S) {
  const int m = e->shape.constraints;
  if (pivots == FLG_PIVOTS_FROZEN) {
    int rank = 0;
    OF_SIZE(refactor, e, S, &rank)
    if (rank == e->rank) return FLG_OK;
    e->rechosen = 1;
  }
  if (!flg_are_finite((size_t)m * (size_t)m, S)) return FLG_ERR_DIVERGED;
  e->rank = choose_small_rows(m, S, e->scale, e->shape.tolerance, e->order, e->lower);
  return FLG_OK;
}

/* --- what goes out -----------------------------------------------------------------------------
 */

/* V^T = P_(keep,p) L^-T (k x rank), column by column */
FLG_SMALL void form_outward(const flg_elimination *e, const double *P, int n) {
  const int m = e->shape.constraints, k = flg_shape_kept(&e->shape);
  for (int j = 0; j < e->rank; j++) {
    double *column = e->outward + j * k, *to = column;
    const double *from = P + e->order[j] * n;
    for (int c = 0; c < 2; c++) {
      for (int i = 0; i < e->shape.kept[c]; i += PORT, to += PORT) {
        memcpy(to, from + e->kept[c][i], PORT * sizeof(double));
      }
      from += e->shape.rows[c];
    }
    add_columns(k, j, e->outward, k, e->lower + j, m, -1, column);
    const double inverse = 1 / e->lower[j + j * m];
    for (int i = 0; i < k; i++) column[i] *= inverse;
  }
}

/* H_keep: rows from the diagonal block on of each block of 6 columns */
FLG_SMALL void gather_kept(const flg_elimination *e, int c, const double *H, int k,
                           double *diagonal) {
  const int rows = e->shape.rows[c], count = e->shape.kept[c];
  for (int j = 0; j < count; j++) {
    const double *from = H + (e->kept[c][j - j % PORT] + j % PORT) * rows;
    double *to = diagonal + j * k;
    for (int i = j - j % PORT; i < count; i += PORT) {
      memcpy(to + i, from + e->kept[c][i], PORT * sizeof(double));
    }
  }
}

/* H_out = H_keep - V^T V. Within a diagonal block (i, j) and (j, i) see the same operations, so
 * that the result is exactly symmetric. */
FLG_SMALL void form_admittance(const flg_elimination *e, const double *const H[2], double *H_out) {
  const int k = flg_shape_kept(&e->shape), k0 = e->shape.kept[0];
  gather_kept(e, 0, H[0], k, H_out);
  gather_kept(e, 1, H[1], k, H_out + k0 * (k + 1));
  for (int j = 0; j < k0; j++) {
    for (int i = k0; i < k; i++) H_out[i + j * k] = 0;
  }
  for (int j = 0; j < k; j++) {
    const int top = j - j % PORT;
    add_columns(k - top, e->rank, e->outward + top, k, e->outward + j, k, -1, H_out + top + j * k);
  }
  flg_mirror_blocks(k, H_out);
}

/* P (n x m) and L */
FLG_SMALL flg_status select_rows(flg_elimination *e, flg_pivots pivots, const double *const H[2],
                                 double *P) {
  double S[MOST * MOST];
  const int n = flg_shape_rows(&e->shape);
  if (e->shape.constraints == 0) return FLG_OK;
  form_products(e, 0, H[0], P, n);
  form_products(e, 1, H[1], P + e->shape.rows[0], n);
  OF_SIZE(form_schur, e, P, n, S)
  if (e->shape.soft) flg_eliminate_soften(e, S);
  return factor_schur(e, pivots, S);
}

FLG_SMALL void keep_rows(const flg_elimination *e, const double *const H[2], const double *P,
                         double *H_out) {
  if (e->shape.constraints > 0) form_outward(e, P, flg_shape_rows(&e->shape));
  form_admittance(e, H, H_out);
}

FLG_WIDE_VECTORS
flg_status flg_eliminate_small(flg_elimination *e, flg_pivots pivots, const double *const H[2],
                               double *H_out) {
  double P[ROWS * MOST];
  const flg_status status = select_rows(e, pivots, H, P);
  if (status == FLG_OK) keep_rows(e, H, P, H_out);
  return status;
}

FLG_WIDE_VECTORS
flg_status flg_eliminate_small_select(flg_elimination *e, flg_pivots pivots,
                                      const double *const H[2]) {
  return select_rows(e, pivots, H, e->work);
}

FLG_WIDE_VECTORS
void flg_eliminate_small_keep(flg_elimination *e, const double *const H[2], double *H_out) {
  keep_rows(e, H, e->work, H_out);
}

FLG_WIDE_VECTORS
flg_status flg_eliminate_small_schur(flg_elimination *e, flg_pivots pivots, const double *S) {
  return factor_schur(e, pivots, S);
}

/* --- right-hand sides --------------------------------------------------------------------------
 * As eliminate.c has them, by whole ports; m is constant here.
 */

/* gamma - G b */
FLG_SMALL void find_residual(const flg_elimination *e, int m, const double *const bias[2],
                             double *residual) {
#pragma GCC unroll 6
  for (int i = 0; i < m; i++) residual[i] = e->gamma[i];
  for (int c = 0; c < 2; c++) {
    for (int k = 0; k < e->shape.touched[c]; k += PORT) {
      const double *G = e->G[c] + k * m, *b = bias[c] + e->touched[c][k];
#pragma GCC unroll 6
      for (int r = 0; r < PORT; r++) {
#pragma GCC unroll 6
        for (int i = 0; i < m; i++) residual[i] -= G[i + r * m] * b[r];
      }
    }
  }
}

/* t = L^-1 (gamma - G b)_p */
FLG_SMALL void shift_rows(const flg_elimination *e, int m, const double *const bias[2]) {
  double residual[MOST], left[MOST];
  find_residual(e, m, bias, residual);
#pragma GCC unroll 6
  for (int i = 0; i < m; i++) left[i] = residual[e->order[i]];
#pragma GCC unroll 6
  for (int j = 0; j < m; j++) {
    if (j == e->rank) return;
    const double t = e->shift[j] = left[j] / e->lower[j + j * m];
#pragma GCC unroll 6
    for (int i = j + 1; i < m; i++) left[i] -= e->lower[i + j * m] * t;
  }
}

/* G^T l on the ports that are touched */
FLG_SMALL void spread_reactions(const flg_elimination *e, int m, const double *reactions,
                                double *const x[2]) {
  for (int c = 0; c < 2; c++) {
    for (int k = 0; k < e->shape.touched[c]; k += PORT) {
      const double *G = e->G[c] + k * m;
      double *to = x[c] + e->touched[c][k];
#pragma GCC unroll 6
      for (int r = 0; r < PORT; r++) {
        double sum = 0;
#pragma GCC unroll 6
        for (int i = 0; i < m; i++) sum += G[i + r * m] * reactions[i];
        to[r] += sum;
      }
    }
  }
}

FLG_WIDE_VECTORS
flg_status flg_eliminate_small_refresh(flg_elimination *e, const double *const bias[2],
                                       double *bias_out) {
  const int k = flg_shape_kept(&e->shape);
  OF_SIZE(shift_rows, e, bias)
  if (!flg_are_finite((size_t)e->rank, e->shift) ||
      !flg_are_finite((size_t)e->shape.constraints, e->gamma)) {
    return FLG_ERR_DIVERGED;
  }
  double *out = bias_out;
  for (int c = 0; c < 2; c++) {
    for (int i = 0; i < e->shape.kept[c]; i += PORT, out += PORT) {
      memcpy(out, bias[c] + e->kept[c][i], PORT * sizeof *out);
    }
  }
  add_columns(k, e->rank, e->outward, k, e->shift, 1, 1, bias_out);
  return FLG_OK;
}

/* a . b, rows a multiple of 6: six sums side by side */
FLG_SMALL double dot(int rows, const double *a, const double *b) {
  double part[PORT] = {0};
  for (int i = 0; i < rows; i += PORT) {
#pragma GCC unroll 6
    for (int r = 0; r < PORT; r++) part[r] += a[i + r] * b[i + r];
  }
  return ((part[0] + part[1]) + (part[2] + part[3])) + (part[4] + part[5]);
}

/* l_p = L^-T (t - V x_keep), other l = 0; where nothing pushes on the rows that stay, x_keep is
 * NULL
 */
FLG_SMALL void find_reactions(const flg_elimination *e, int m, const double *x_keep,
                              double *reactions) {
  const int k = flg_shape_kept(&e->shape);
  double *l = e->selected;
#pragma GCC unroll 6
  for (int i = 0; i < m; i++) reactions[i] = 0;
#pragma GCC unroll 6
  for (int j = m - 1; j >= 0; j--) {
    if (j >= e->rank) continue;
    double left = e->shift[j];
    if (x_keep != NULL) left -= dot(k, e->outward + j * k, x_keep);
#pragma GCC unroll 6
    for (int i = j + 1; i < m; i++) {
      if (i < e->rank) left -= e->lower[i + j * m] * l[i];
    }
    l[j] = left / e->lower[j + j * m];
    reactions[e->order[j]] = l[j];
  }
}

FLG_WIDE_VECTORS
void flg_eliminate_small_back(const flg_elimination *e, const double *x_keep, double *reactions,
                              double *const x[2]) {
  OF_SIZE(find_reactions, e, x_keep, reactions)
  const double *kept = x_keep;
  for (int c = 0; c < 2; c++) {
    for (int i = 0; i < e->shape.rows[c]; i++) x[c][i] = 0;
    for (int i = 0; i < e->shape.kept[c] && x_keep != NULL; i += PORT, kept += PORT) {
      memcpy(x[c] + e->kept[c][i], kept, PORT * sizeof *kept);
    }
  }
  OF_SIZE(spread_reactions, e, reactions, x)
}
