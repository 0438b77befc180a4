#include "interface/eliminate.h"

#include <float.h>
#include <string.h>

#include "interface/eliminate_inner.h"
#include "interface/interface_model.h"
#include "math/dense.h"
#include "math/larger.h"
#include "math/pivoted_qr.h"

static size_t product_of_counts(int a, int b) {
  return (size_t)a * (size_t)b;
}

/* a leading dimension is never 0 */
static int leading(int rows) {
  return rows > 0 ? rows : 1;
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

/* --- set-up ------------------------------------------------------------------------------------
 */

/* whole ports: runs of 6 rows that start at a multiple of 6 */
static int is_made_of_ports(int count, const int *rows) {
  if (count % FLG_PORT_ROWS != 0) return 0;
  for (int i = 0; i < count; i++) {
    const int start = rows[i - i % FLG_PORT_ROWS];
    if (start % FLG_PORT_ROWS != 0 || rows[i] != start + i % FLG_PORT_ROWS) return 0;
  }
  return 1;
}

/* Rows in whole ports of six are read by blocks with loops of fixed length (eliminate_small.c),
 * without lists of indices and calls of BLAS, which cost more than the work of one joint. */
int flg_elimination_is_small(const flg_elimination_shape *shape, const int *const touched[2],
                             const int *const kept[2]) {
  if (shape->form != FLG_FORM_ADMITTANCE || shape->constraints > FLG_SMALL_CONSTRAINTS) return 0;
  if (flg_shape_rows(shape) > FLG_SMALL_ROWS) return 0;
  for (int c = 0; c < 2; c++) {
    if (shape->rows[c] % FLG_PORT_ROWS != 0) return 0;
    if (!is_made_of_ports(shape->touched[c], touched[c])) return 0;
    if (!is_made_of_ports(shape->kept[c], kept[c])) return 0;
  }
  return 1;
}

/* scratch of the way that will be taken */
static size_t work_of(const flg_elimination_shape *shape, int small) {
  const int m = shape->constraints, n = flg_shape_rows(shape), k = flg_shape_kept(shape);
  if (small) return 0;
  if (shape->form == FLG_FORM_ADMITTANCE) return product_of_counts(n, m) + product_of_counts(m, m);
  const int widest = larger(m, k), tall = flg_shape_coordinates(shape);
  return product_of_counts(tall, m) + product_of_counts(tall, k) + (size_t)widest +
         (size_t)flg_pivoted_qr_workspace(tall, widest);
}

/* Three pools, so that a plan can lay out all its eliminations in three arrays: indices, inputs
 * that callers write, and factors that each step computes. */
flg_elimination_sizes flg_elimination_measure(const flg_elimination_shape *shape, int small) {
  const int m = shape->constraints, q = flg_shape_touched(shape), k = flg_shape_kept(shape);
  const int index_work = shape->form == FLG_FORM_ROOT ? m + larger(m, k) : 0;
  return (flg_elimination_sizes){
      .indices = (size_t)q + (size_t)k + (size_t)m + (size_t)index_work,
      .inputs = product_of_counts(m, q) + (size_t)m * (shape->soft ? 3 : 2),
      .factors = product_of_counts(m, m) + product_of_counts(k, m) + 2 * (size_t)m +
                 work_of(shape, small)};
}

/* hands out `count` elements of an array that is laid out by walking over it */
static int *next_indices(int **at, int count) {
  int *piece = *at;
  *at += count;
  return piece;
}

static double *next_values(double **at, size_t count) {
  double *piece = *at;
  *at += count;
  return piece;
}

static const int *copied_list(int **at, const int *list, int count) {
  int *piece = next_indices(at, count);
  if (count > 0) memcpy(piece, list, (size_t)count * sizeof(int));
  return piece;
}

void flg_elimination_attach(flg_elimination *elimination, const flg_elimination_shape *shape,
                            int small, const int *const touched[2], const int *const kept[2],
                            int *indices, double *inputs, double *factors) {
  const int m = shape->constraints, k = flg_shape_kept(shape);
  flg_elimination e = {.shape = *shape, .small = small};
  for (int c = 0; c < 2; c++) {
    e.touched[c] = copied_list(&indices, touched[c], shape->touched[c]);
    e.kept[c] = copied_list(&indices, kept[c], shape->kept[c]);
    e.G[c] = next_values(&inputs, product_of_counts(m, shape->touched[c]));
  }
  e.order = next_indices(&indices, m);
  e.index_work = indices;
  e.gamma = next_values(&inputs, (size_t)m);
  e.scale = next_values(&inputs, (size_t)m);
  if (shape->soft) e.compliance = inputs;
  e.lower = next_values(&factors, product_of_counts(m, m));
  e.outward = next_values(&factors, product_of_counts(k, m));
  e.shift = next_values(&factors, (size_t)m);
  e.selected = next_values(&factors, (size_t)m);
  e.work = factors;
  *elimination = e;
}

flg_status flg_elimination_build(flg_elimination *elimination, const flg_elimination_shape *shape,
                                 const int *const touched[2], const int *const kept[2],
                                 flg_region *region, flg_error *error) {
  const int most = FLG_INTERFACE_ROWS_MAX;
  if (shape->constraints > most || shape->rows[0] > most || shape->rows[1] > most) {
    return flg_fail(error, FLG_ERR_RANGE,
                    "an elimination of %d rows from models of %d and %d rows: over %d",
                    shape->constraints, shape->rows[0], shape->rows[1], most);
  }
  /* the dense path needs the most, so that its sizes do for either */
  const flg_elimination_sizes sizes = flg_elimination_measure(shape, 0);
  int *indices = flg_region_take(region, sizes.indices, sizeof(int));
  double *inputs = flg_region_take(region, sizes.inputs, sizeof(double));
  double *factors = flg_region_take(region, sizes.factors, sizeof(double));
  if (region->failed) return flg_region_check(region, "an elimination", error);
  flg_elimination_attach(elimination, shape, flg_elimination_is_small(shape, touched, kept),
                         touched, kept, indices, inputs, factors);
  return FLG_OK;
}

/* Symmetric results count once where only one triangle is computed. The small path computes H_out
 * by blocks of 6 columns, from the diagonal block on. */
static double flops_of_downdate(double k, double m, int small) {
  return small ? m * k * (k + FLG_PORT_ROWS) : m * k * (k + 1);
}

double flg_elimination_flops(const flg_elimination_shape *shape, int small) {
  const double m = shape->constraints, q = flg_shape_touched(shape), k = flg_shape_kept(shape);
  double products = 0;
  for (int c = 0; c < 2; c++) products += 2.0 * shape->rows[c] * shape->touched[c] * m;
  const double right_hand_sides = 2 * (2 * m * q + m * m + 2 * k * m);
  if (shape->form == FLG_FORM_ROOT) { /* QR of J (m columns), its Q on W (k), and its compression */
    const double tall = flg_shape_coordinates(shape);
    return products + 2 * tall * m * m + 4 * tall * m * k + 2 * tall * k * k + right_hand_sides;
  }
  const double choleskys = m * (m + 1) * (2 * m + 1) / 6;
  return products + q * m * (m + 1) + choleskys + k * m * m + flops_of_downdate(k, m, small) +
         right_hand_sides;
}

/* --- step --------------------------------------------------------------------------------------
 */

static int is_welded(const flg_elimination *e) {
  return e->shape.weld && e->small;
}

/* 1 if none is negative, NaN or infinite */
static int are_magnitudes(int count, const double *values) {
  for (int i = 0; i < count; i++) {
    if (!(values[i] >= 0 && values[i] <= DBL_MAX)) return 0;
  }
  return 1;
}

/* also those that are left out: back-substitution multiplies them by zero */
static int are_rows_valid(const flg_elimination *e) {
  const int m = e->shape.constraints;
  if (!are_magnitudes(m, e->scale)) return 0;
  if (e->shape.soft && !are_magnitudes(m, e->compliance)) return 0;
  return flg_are_finite(product_of_counts(m, e->shape.touched[0]), e->G[0]) &&
         flg_are_finite(product_of_counts(m, e->shape.touched[1]), e->G[1]);
}

/* all rows are a frozen set like others */
static flg_pivots freeze_all(flg_elimination *e, flg_pivots pivots) {
  if (pivots != FLG_PIVOTS_ALL) return pivots;
  for (int i = 0; i < e->shape.constraints; i++) e->order[i] = i;
  e->rank = e->shape.constraints;
  return FLG_PIVOTS_FROZEN;
}

/* Factors alone: which rows are kept is said after it (flg_elimination_keep), as where contacts
 * depend on the solution. */
flg_status flg_elimination_select(flg_elimination *elimination, flg_pivots pivots,
                                  const double *const matrix[2]) {
  flg_elimination *e = elimination;
  e->rechosen = 0, e->shape.kept[0] = e->shape.kept[1] = 0;
  if (e->shape.form == FLG_FORM_ROOT) return FLG_ERR_RANGE;
  if (is_welded(e) && pivots == FLG_PIVOTS_ALL) { /* what is not finite is not sound, either */
    if (flg_eliminate_weld_all(e, matrix)) return FLG_OK;
    e->rechosen = 1, pivots = FLG_PIVOTS_CHOOSE;
  }
  if (!are_rows_valid(e)) return FLG_ERR_DIVERGED;
  if (is_welded(e)) return flg_eliminate_weld_select(e, pivots, matrix);
  pivots = freeze_all(e, pivots);
  return e->small ? flg_eliminate_small_select(e, pivots, matrix)
                  : flg_eliminate_dense_select(e, pivots, matrix);
}

void flg_elimination_keep(flg_elimination *elimination, const int *const kept[2],
                          const int count[2], const double *const matrix[2], double *matrix_out) {
  flg_elimination *e = elimination;
  for (int c = 0; c < 2; c++) e->kept[c] = kept[c], e->shape.kept[c] = count[c];
  if (is_welded(e)) {
    flg_eliminate_weld_keep(e, matrix, matrix_out);
  } else if (e->small) {
    flg_eliminate_small_keep(e, matrix, matrix_out);
  } else {
    flg_eliminate_dense_keep(e, matrix, matrix_out);
  }
}

/* All rows, as long as they are sound: there is nothing to choose. Of a weld that is open for now
 * they are zero. */
static flg_status factor_weld(flg_elimination *e, flg_pivots pivots, const double *const matrix[2],
                              double *matrix_out) {
  flg_status status = FLG_OK;
  if (e->G[0][0] == 0) {
    e->rank = 0;
  } else if (pivots == FLG_PIVOTS_FROZEN || !flg_eliminate_weld_all(e, matrix)) {
    e->rechosen = pivots == FLG_PIVOTS_ALL;
    if (!are_rows_valid(e)) return FLG_ERR_DIVERGED;
    if (pivots == FLG_PIVOTS_ALL) pivots = FLG_PIVOTS_CHOOSE;
    status = flg_eliminate_weld_select(e, pivots, matrix);
  }
  if (status == FLG_OK) flg_eliminate_weld_keep(e, matrix, matrix_out);
  return status;
}

flg_status flg_elimination_factor(flg_elimination *elimination, flg_pivots pivots,
                                  const double *const matrix[2], double *matrix_out) {
  elimination->rechosen = 0;
  if (is_welded(elimination)) return factor_weld(elimination, pivots, matrix, matrix_out);
  pivots = freeze_all(elimination, pivots);
  if (!are_rows_valid(elimination)) return FLG_ERR_DIVERGED;
  if (elimination->shape.form == FLG_FORM_ROOT) {
    return flg_eliminate_root(elimination, pivots, matrix, matrix_out);
  }
  return elimination->small ? flg_eliminate_small(elimination, pivots, matrix, matrix_out)
                            : flg_eliminate_dense(elimination, pivots, matrix, matrix_out);
}

/* Pivots are squares of the diagonal of L; each counts by the scale of its row, so that the answer
 * has no unit. */
double flg_elimination_least(const flg_elimination *elimination) {
  const flg_elimination *e = elimination;
  double least = 1;
  for (int i = 0; i < e->rank; i++) {
    const double root = e->lower[product_of_counts(i, e->shape.constraints + 1)];
    least = flg_smaller(least, root * root / e->scale[e->order[i]]);
  }
  return least;
}

/* residual_p = (gamma - G b)_p, in the order of the pivots */
static void select_residual(const flg_elimination *e, const double *const bias[2],
                            double *residual) {
  const int m = e->shape.constraints;
  for (int i = 0; i < e->rank; i++) residual[i] = e->gamma[e->order[i]];
  for (int c = 0; c < 2; c++) {
    const double *G = e->G[c];
    for (int j = 0; j < e->shape.touched[c]; j++) {
      const double b = bias[c][e->touched[c][j]];
      for (int i = 0; i < e->rank; i++) residual[i] -= G[e->order[i] + product_of_counts(j, m)] * b;
    }
  }
}

flg_status flg_elimination_refresh(flg_elimination *elimination, const double *const bias[2],
                                   double *bias_out) {
  const flg_elimination *e = elimination;
  if (is_welded(e)) return flg_eliminate_weld_refresh(elimination, bias, bias_out);
  if (e->small) return flg_eliminate_small_refresh(elimination, bias, bias_out);
  const int k = flg_shape_kept(&e->shape), m = e->shape.constraints;
  /* t = L^-1 (gamma - G b)_p and b_out = b_keep + V^T t: the factors stay, a new right-hand side
   * costs two products */
  double *t = e->shift;
  select_residual(e, bias, t);
  flg_dense_solve_lower(e->rank, e->lower, leading(m), t);
  if (!flg_are_finite((size_t)e->rank, t) || !flg_are_finite((size_t)m, e->gamma)) {
    return FLG_ERR_DIVERGED;
  }
  double *out = bias_out;
  for (int c = 0; c < 2; c++) {
    for (int i = 0; i < e->shape.kept[c]; i++) *out++ = bias[c][e->kept[c][i]];
  }
  flg_dense_apply(k, e->rank, 1, e->outward, k, t, bias_out);
  return FLG_OK;
}

/* l_p = L^-T (t - V x_keep), other l = 0 */
static void find_reactions(const flg_elimination *e, const double *x_keep, double *reactions) {
  const int k = flg_shape_kept(&e->shape), m = e->shape.constraints, rank = e->rank;
  double *selected = e->selected;
  memcpy(selected, e->shift, (size_t)rank * sizeof(double));
  if (x_keep != NULL) flg_dense_apply_transposed(k, rank, -1, e->outward, k, x_keep, selected);
  flg_dense_solve_lower_transposed(rank, e->lower, leading(m), selected);
  memset(reactions, 0, (size_t)m * sizeof(double));
  for (int i = 0; i < rank; i++) reactions[e->order[i]] = selected[i];
}

void flg_elimination_back(const flg_elimination *elimination, const double *x_keep,
                          double *reactions, double *const x[2]) {
  const flg_elimination *e = elimination;
  if (is_welded(e)) {
    flg_eliminate_weld_back(e, x_keep, reactions, x);
    return;
  }
  if (e->small) {
    flg_eliminate_small_back(e, x_keep, reactions, x);
    return;
  }
  const int m = e->shape.constraints;
  find_reactions(e, x_keep, reactions);
  /* x = x_keep + G^T l: forces from above on kept rows, and reactions on touched ones; a row may be
   * both */
  const double *kept = x_keep;
  for (int c = 0; c < 2; c++) {
    if (e->shape.rows[c] == 0) continue;
    memset(x[c], 0, (size_t)e->shape.rows[c] * sizeof(double));
    for (int i = 0; i < e->shape.kept[c] && x_keep != NULL; i++) x[c][e->kept[c][i]] = *kept++;
    for (int j = 0; j < e->shape.touched[c]; j++) {
      double sum = 0;
      for (int i = 0; i < m; i++) sum += e->G[c][i + product_of_counts(j, m)] * reactions[i];
      x[c][e->touched[c][j]] += sum;
    }
  }
}
