#include "macro/macro_elastic.h"

#include <string.h>

#include "math/dense.h"

static double *macro_elastic_take(flg_region *region, size_t count) {
  return flg_region_take(region, count, sizeof(double));
}

static void macro_elastic_lay_out(flg_macro_elastic *elastic, flg_region *region) {
  const size_t n = (size_t)elastic->rows, all = (size_t)elastic->all;
  elastic->block.stiffness = macro_elastic_take(region, n * n);
  elastic->block.damping = macro_elastic_take(region, n * n);
  elastic->block.deflections = macro_elastic_take(region, n);
  elastic->factor = macro_elastic_take(region, n * n);
  elastic->system = macro_elastic_take(region, n * n);
  elastic->through = macro_elastic_take(region, all * n);
  elastic->plain = macro_elastic_take(region, all);
  elastic->forces = macro_elastic_take(region, n);
  elastic->numbers = macro_elastic_take(region, n);
}

void flg_macro_elastic_build(flg_macro_elastic *elastic, const flg_rest_model *rest,
                             flg_region *region) {
  const int rows = flg_rest_model_elastic_rows(rest);
  *elastic = (flg_macro_elastic){.rows = rows, .all = rows > 0 ? flg_rest_model_rows(rest) : 0};
  macro_elastic_lay_out(elastic, region);
}

/* b -= W R^-1 L^T b_e */
static void share_bias(const flg_macro_elastic *elastic, double *b) {
  const int n = elastic->rows, all = elastic->all;
  double *y = elastic->numbers;
  memset(y, 0, (size_t)n * sizeof *y);
  flg_dense_apply_transposed(n, n, 1, elastic->factor, n, b + (all - n), y);
  flg_dense_solve_lower(n, elastic->system, n, y);
  flg_dense_apply(all, n, -1, elastic->through, all, y, b);
}

/* L, with zeros above it */
static bool factor_share(flg_macro_elastic *elastic, double share, double h) {
  const int n = elastic->rows;
  const flg_elastic_block *of = &elastic->block;
  /* Elastic forces of the rest are implicit: with explicit ones its fastest mode would bound the
   * micro step. */
  for (int k = 0; k < n * n; k++) {
    elastic->factor[k] = share * of->damping[k] + 0.25 * h * h * of->stiffness[k];
  }
  const bool is_done = flg_dense_cholesky(n, elastic->factor, n) == n;
  /* Products below read whole columns: what Cholesky leaves above the diagonal must not count. */
  for (int j = 1; j < n; j++) memset(elastic->factor + j * n, 0, (size_t)j * sizeof(double));
  return is_done;
}

/* W and R */
static bool factor_system(flg_macro_elastic *elastic, const double *D) {
  const int n = elastic->rows, all = elastic->all, first = all - n;
  double *W = elastic->through, *R = elastic->system;
  memset(W, 0, (size_t)all * (size_t)n * sizeof *W);
  memset(R, 0, (size_t)n * (size_t)n * sizeof *R);
  flg_dense_multiply(all, n, n, 1, D + (size_t)first * (size_t)all, all, elastic->factor, n, W,
                     all);
  flg_dense_multiply_left_transposed(n, n, n, 1, elastic->factor, n, W + first, all, R, n);
  /* 1 + L^T D L is definite, even where D is singular. */
  for (int k = 0; k < n; k++) R[k * (n + 1)] += 1;
  if (flg_dense_cholesky(n, R, n) < n) return false;
  flg_dense_solve_right(all, n, R, n, W, all);
  return true;
}

flg_status flg_macro_elastic_begin(flg_macro_elastic *elastic, double h, flg_elastic_rule rule,
                                   flg_interface_model *rest, double *velocity_bias) {
  const int all = elastic->all;
  double *D = flg_interface_model_admittance(rest), *s = flg_interface_model_bias(rest);
  if (elastic->rows == 0) return FLG_OK;
  elastic->lead = rule == FLG_ELASTIC_MIDWAY ? 0.5 * h : 0;
  const double share = rule == FLG_ELASTIC_FROM_START ? h : 0.5 * h;
  if (!factor_share(elastic, share, h)) return FLG_ERR_DIVERGED;
  if (!factor_system(elastic, D)) return FLG_ERR_DIVERGED;
  flg_dense_downdate_outer(all, elastic->rows, elastic->through, all, D, all);
  share_bias(elastic, s);
  if (velocity_bias != NULL) share_bias(elastic, velocity_bias);
  memcpy(elastic->plain, s, (size_t)all * sizeof *s);
  return FLG_OK;
}

void flg_macro_elastic_bend(flg_macro_elastic *elastic, flg_interface_model *rest) {
  const int n = elastic->rows, all = elastic->all, first = all - n;
  const flg_elastic_block *of = &elastic->block;
  const double *rates = flg_interface_model_velocity(rest) + first;
  const double *D = flg_interface_model_admittance(rest) + (size_t)first * (size_t)all;
  double *s = flg_interface_model_bias(rest), *f = elastic->forces, *at = elastic->numbers;
  if (n == 0) return;
  for (int k = 0; k < n; k++) at[k] = of->deflections[k] + elastic->lead * rates[k];
  memset(f, 0, (size_t)n * sizeof *f);
  flg_dense_apply(n, n, -1, of->stiffness, n, at, f);
  flg_dense_apply(n, n, -1, of->damping, n, rates, f);
  memcpy(s, elastic->plain, (size_t)all * sizeof *s);
  flg_dense_apply(all, n, 1, D, all, f, s);
}

void flg_macro_elastic_move(flg_macro_elastic *elastic, const double *u, double h) {
  u += elastic->all - elastic->rows;
  for (int k = 0; k < elastic->rows; k++) elastic->block.deflections[k] += h * u[k];
}
