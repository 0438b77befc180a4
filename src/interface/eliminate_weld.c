/* Elimination of a weld, G_0 = 1 and G_1 = -[1 -[d]x; 0 1] (eliminate.h): S and V from blocks of H
 * as they are, and d x the angular columns of H_1. Blocks are 6 x 6: a port of one and a port of
 * the other. Where rows are redundant, which is rare, right-hand sides are left to
 * eliminate_small.c.
 */
#include <string.h>

#include "interface/eliminate_inner.h"
#include "math/dense.h"
#include "math/six.h"
#include "math/wide_vectors.h"

enum { PORT = FLG_PORT_ROWS, BLOCK = PORT * PORT };

/* where row a of G_1 has weights other than -1, and which */
typedef struct lever {
  int b, c;
  double at_b, at_c;
} lever;

FLG_SMALL lever lever_of(const flg_elimination *e, int a) {
  const int b = 3 + (a + 1) % 3, c = 3 + (a + 2) % 3;
  return (lever){b, c, e->G[1][a + b * PORT], e->G[1][a + c * PORT]};
}

/* --- factors -----------------------------------------------------------------------------------
 */

/* P = A G_1^T (6 x 6), of a block of H_1 in columns of `leading` */
FLG_SMALL void form_product(const flg_elimination *e, const double *A, int leading, double *P) {
#pragma GCC unroll 6
  for (int j = 0; j < PORT; j++) {
    flg_six column = {{0}, {0}};
    if (j < 3) {
      const lever arm = lever_of(e, j);
      flg_six_add(arm.at_b, A + arm.b * leading, &column);
      flg_six_add(arm.at_c, A + arm.c * leading, &column);
    }
    flg_six_subtract(1, A + j * leading, &column);
    flg_six_store(&column, P + j * PORT);
  }
}

/* S = H_0 + G_1 P of the ports that are welded, lower triangle */
FLG_SMALL void form_schur(const flg_elimination *e, const double *const H[2], double *S) {
  const int n = e->shape.rows[0], other = e->shape.rows[1];
  const double *own = H[0] + e->touched[0][0] * (n + 1);
  double P[BLOCK];
  form_product(e, H[1] + e->touched[1][0] * (other + 1), other, P);
#pragma GCC unroll 6
  for (int j = 0; j < PORT; j++) {
#pragma GCC unroll 6
    for (int i = j; i < PORT; i++) {
      S[i + j * PORT] = own[i + j * n] - P[i + j * PORT];
      if (i >= 3) continue;
      const lever arm = lever_of(e, i);
      S[i + j * PORT] += arm.at_b * P[arm.b + j * PORT] + arm.at_c * P[arm.c + j * PORT];
    }
  }
  for (int i = 0; i < PORT && e->shape.soft; i++) S[i * (PORT + 1)] += e->compliance[i];
}

FLG_WIDE_VECTORS
int flg_eliminate_weld_all(flg_elimination *e, const double *const H[2]) {
  double *L = e->lower;
  form_schur(e, H, L);
  int sound = flg_small_cholesky6(L) == PORT;
#pragma GCC unroll 6
  for (int i = 0; i < PORT; i++) {
    const double root = L[i * (PORT + 1)];
    sound &= (e->scale[i] > 0) & (root * root > e->shape.tolerance * e->scale[i]);
    e->order[i] = i;
  }
  e->rank = PORT;
  return sound;
}

FLG_WIDE_VECTORS
flg_status flg_eliminate_weld_select(flg_elimination *e, flg_pivots pivots,
                                     const double *const H[2]) {
  double S[BLOCK];
  form_schur(e, H, S);
  flg_dense_mirror(PORT, S, PORT);
  return flg_eliminate_small_schur(e, pivots, S);
}

/* V^T = P_p L^-T: six rows of it, of a port of model c that stays, in columns of k; A: the block of
 * H_c between this port and the one that is welded */
FLG_SMALL void form_outward(const flg_elimination *e, int rank, int c, const double *A, int k,
                            double *V) {
  double P[BLOCK];
  if (c == 1) form_product(e, A, e->shape.rows[1], P);
  const double *from = c == 1 ? P : A;
  const int leading = c == 1 ? PORT : e->shape.rows[0];
#pragma GCC unroll 6
  for (int j = 0; j < rank; j++) {
    flg_six column;
    flg_six_load(from + e->order[j] * leading, &column);
#pragma GCC unroll 6
    for (int i = 0; i < j; i++) flg_six_subtract(e->lower[j + i * PORT], V + i * k, &column);
    flg_six_scale(1 / e->lower[j + j * PORT], &column);
    flg_six_store(&column, V + j * k);
  }
}

/* one block of H_out = H_keep - V^T V; A: that of H_keep, NULL: zero */
FLG_SMALL void form_block(int rank, int k, const double *A, int leading, const double *V,
                          const double *W, double *to) {
  for (int j = 0; j < PORT; j++) {
    flg_six column = {{0}, {0}};
    if (A != NULL) flg_six_load(A + j * leading, &column);
#pragma GCC unroll 6
    for (int i = 0; i < rank; i++) flg_six_subtract(W[j + i * k], V + i * k, &column);
    flg_six_store(&column, to + j * k);
  }
}

/* which model, and from which row on, the port at `row` of those that stay is */
FLG_SMALL int side_of(const flg_elimination *e, int row, int *from) {
  const int c = row >= e->shape.kept[0];
  *from = e->kept[c][c ? row - e->shape.kept[0] : row];
  return c;
}

/* rows of H_out from a port to the diagonal */
FLG_SMALL void form_rows(const flg_elimination *e, int rank, const double *const H[2], int row,
                         double *H_out) {
  const int k = flg_shape_kept(&e->shape);
  int from, to;
  const int c = side_of(e, row, &from), n = e->shape.rows[c];
  for (int j = 0; j <= row; j += PORT) {
    const double *A = side_of(e, j, &to) == c ? H[c] + from + to * n : NULL;
    form_block(rank, k, A, n, e->outward + row, e->outward + j, H_out + row + j * k);
  }
}

FLG_SMALL void keep(const flg_elimination *e, int rank, const double *const H[2], double *H_out) {
  const int k = flg_shape_kept(&e->shape);
  for (int row = 0; row < k; row += PORT) {
    int from;
    const int c = side_of(e, row, &from);
    const double *A = H[c] + from + e->touched[c][0] * e->shape.rows[c];
    form_outward(e, rank, c, A, k, e->outward + row);
    form_rows(e, rank, H, row, H_out);
  }
  flg_mirror_blocks(k, H_out);
}

FLG_WIDE_VECTORS
void flg_eliminate_weld_keep(flg_elimination *e, const double *const H[2], double *H_out) {
  if (e->rank == PORT) {
    keep(e, PORT, H, H_out);
  } else {
    keep(e, e->rank, H, H_out);
  }
}

/* --- right-hand sides --------------------------------------------------------------------------
 */

/* (gamma - G b)_p */
FLG_SMALL void find_residual(const flg_elimination *e, const double *const bias[2], double *to) {
  const double *own = bias[0] + e->touched[0][0], *other = bias[1] + e->touched[1][0];
  double residual[PORT];
#pragma GCC unroll 6
  for (int i = 0; i < PORT; i++) {
    residual[i] = (e->gamma[i] - own[i]) + other[i];
    if (i >= 3) continue;
    const lever arm = lever_of(e, i);
    residual[i] -= arm.at_b * other[arm.b] + arm.at_c * other[arm.c];
  }
#pragma GCC unroll 6
  for (int i = 0; i < PORT; i++) to[i] = residual[e->order[i]];
}

FLG_WIDE_VECTORS
flg_status flg_eliminate_weld_refresh(flg_elimination *e, const double *const bias[2],
                                      double *bias_out) {
  const int k = flg_shape_kept(&e->shape);
  if (e->rank < PORT) return flg_eliminate_small_refresh(e, bias, bias_out);
  find_residual(e, bias, e->shift);
  flg_small_solve_lower(PORT, e->lower, PORT, e->shift);
  if (!flg_are_finite(PORT, e->shift) || !flg_are_finite(PORT, e->gamma)) return FLG_ERR_DIVERGED;
  for (int row = 0; row < k; row += PORT) {
    int from;
    flg_six sum;
    const int c = side_of(e, row, &from);
    flg_six_load(bias[c] + from, &sum);
#pragma GCC unroll 6
    for (int j = 0; j < PORT; j++) flg_six_add(e->shift[j], e->outward + row + j * k, &sum);
    flg_six_store(&sum, bias_out + row);
  }
  return FLG_OK;
}

/* l_p = L^-T (t - V x_keep) */
FLG_SMALL void find_reactions(const flg_elimination *e, const double *x_keep, double *reactions) {
  const int k = flg_shape_kept(&e->shape);
#pragma GCC unroll 6
  for (int j = 0; j < PORT; j++) {
    e->selected[j] = e->shift[j];
    for (int row = 0; row < k && x_keep != NULL; row += PORT) {
      flg_six x;
      flg_six_load(x_keep + row, &x);
      e->selected[j] -= flg_six_dot(&x, e->outward + row + j * k);
    }
  }
  flg_small_solve_lower_transposed(PORT, e->lower, PORT, e->selected);
#pragma GCC unroll 6
  for (int i = 0; i < PORT; i++) reactions[e->order[i]] = e->selected[i];
}

/* G^T l */
FLG_SMALL void spread_reactions(const flg_elimination *e, const double *l, double *own,
                                double *other) {
  double force[PORT];
#pragma GCC unroll 6
  for (int i = 0; i < PORT; i++) own[i] += l[i], force[i] = -l[i];
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) {
    const lever arm = lever_of(e, i);
    force[arm.b] += arm.at_b * l[i];
    force[arm.c] += arm.at_c * l[i];
  }
#pragma GCC unroll 6
  for (int i = 0; i < PORT; i++) other[i] += force[i];
}

FLG_WIDE_VECTORS
void flg_eliminate_weld_back(const flg_elimination *e, const double *x_keep, double *reactions,
                             double *const x[2]) {
  if (e->rank < PORT) {
    flg_eliminate_small_back(e, x_keep, reactions, x);
    return;
  }
  find_reactions(e, x_keep, reactions);
  for (int c = 0; c < 2; c++) memset(x[c], 0, (size_t)e->shape.rows[c] * sizeof(double));
  for (int row = 0; row < flg_shape_kept(&e->shape) && x_keep != NULL; row += PORT) {
    int from;
    const int c = side_of(e, row, &from);
    memcpy(x[c] + from, x_keep + row, PORT * sizeof *x_keep);
  }
  spread_reactions(e, reactions, x[0] + e->touched[0][0], x[1] + e->touched[1][0]);
}
