/* A macro run in mass form, as the papers on reduced interface models have it: the rest is an
 * effective mass M = (G E G^T + C)^-1 on the rows, C of soft ones (eliminate.h),
 *
 *     l = M (z - z*)                          z* velocities of the rest's rows for l = 0
 *     (1 + M S) l = M (gamma - y* - z*)       S = G D G^T and y* of our own
 *
 * The inverse is taken once a macro step, without pivots and without a look at its rank: where the
 * rest cannot move in some direction it is that of rounding. This is for comparison; the admittance
 * form has no inverse.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "macro/macro_run.h"
#include "math/dense.h"
#include "math/larger.h"

/* to (m x columns) += G A, G on the touched rows of A (n x columns) of one side */
static void add_row_products(const flg_elimination *e, int side, double factor, const double *A,
                             int n, int columns, double *to) {
  const size_t m = (size_t)e->shape.constraints;
  for (size_t j = 0; (int)j < columns; j++) {
    for (int k = 0; k < e->shape.touched[side]; k++) {
      const double value = factor * A[(size_t)e->touched[side][k] + j * (size_t)n];
      const double *G = e->G[side] + (size_t)k * m;
      for (size_t i = 0; i < m && value != 0; i++) to[i + j * m] += G[i] * value;
    }
  }
}

/* x += G^T l on the touched rows of one side */
static void spread_impulses(const flg_elimination *e, int side, const double *l, double *x) {
  const size_t m = (size_t)e->shape.constraints;
  for (int k = 0; k < e->shape.touched[side]; k++) {
    const double *G = e->G[side] + (size_t)k * m;
    for (size_t i = 0; i < m; i++) x[e->touched[side][k]] += G[i] * l[i];
  }
}

/* G A G^T (m x m) of one side, A (n x n), with G A (m x n) left in the work space */
static void onto_rows(const flg_macro_run *macro_run, int side, const double *A, int n,
                      double *to) {
  const flg_elimination *e = &macro_run->elimination;
  const size_t m = (size_t)macro_run->row_count;
  double *half = macro_run->mass_work; /* G A (m x n) */
  memset(half, 0, m * (size_t)n * sizeof *half);
  memset(to, 0, m * m * sizeof *to);
  add_row_products(e, side, 1, A, n, n, half);
  for (int k = 0; k < e->shape.touched[side]; k++) {
    const double *G = e->G[side] + (size_t)k * m;
    const double *column = half + (size_t)e->touched[side][k] * m;
    for (size_t j = 0; j < m; j++) {
      for (size_t i = 0; i < m && G[j] != 0; i++) to[i + j * m] += column[i] * G[j];
    }
  }
}

/* Rows that the rest's own joints block altogether are exact zeros: they yield by rounding, as
 * those do that are nearly blocked. */
static void yield_by_rounding(double *A, int m) {
  double most = 0;
  for (size_t k = 0; (int)k < m; k++) most = flg_larger(most, A[k + k * (size_t)m]);
  for (size_t k = 0; (int)k < m; k++) {
    if (A[k + k * (size_t)m] == 0) A[k + k * (size_t)m] = DBL_EPSILON * most;
  }
}

/* M, in place of G E G^T; false: it has none at all */
static bool invert_mass(const flg_macro_run *macro_run) {
  const int m = macro_run->row_count;
  const size_t size = (size_t)m * (size_t)m;
  double *M = macro_run->mass, *factors = macro_run->system;
  yield_by_rounding(M, m);
  memcpy(factors, M, size * sizeof *M);
  if (!flg_dense_ldlt(m, factors, m, macro_run->reactions)) return false;
  memset(M, 0, size * sizeof *M);
  for (int j = 0; j < m; j++) {
    M[j + (size_t)j * (size_t)m] = 1;
    flg_dense_ldlt_solve(m, factors, m, M + (size_t)j * (size_t)m);
  }
  return flg_dense_is_finite(m, m, M, m);
}

static void swap_numbers(double *a, double *b) {
  const double kept = *a;
  *a = *b, *b = kept;
}

static void swap_mass_rows(double *A, int columns, int m, int a, int b) {
  for (size_t j = 0; (int)j < columns; j++)
    swap_numbers(&A[a + j * (size_t)m], &A[b + j * (size_t)m]);
}

/* A X = B (m x columns) in place in X by Gauss, rows exchanged; A is spoilt */
static bool macro_mass_solve(double *A, double *X, int columns, int m) {
  for (int k = 0; k < m; k++) {
    int best = k;
    for (int i = k + 1; i < m; i++) {
      if (fabs(A[i + (size_t)k * (size_t)m]) > fabs(A[best + (size_t)k * (size_t)m])) best = i;
    }
    swap_mass_rows(A, m, m, k, best);
    swap_mass_rows(X, columns, m, k, best);
    const double pivot = A[k + (size_t)k * (size_t)m];
    if (!(fabs(pivot) > 0)) return false;
    for (int i = k + 1; i < m; i++) {
      const double factor = A[i + (size_t)k * (size_t)m] / pivot;
      for (int j = k; j < m; j++)
        A[i + (size_t)j * (size_t)m] -= factor * A[k + (size_t)j * (size_t)m];
      for (size_t j = 0; (int)j < columns; j++)
        X[(size_t)i + j * (size_t)m] -= factor * X[(size_t)k + j * (size_t)m];
    }
  }
  for (size_t j = 0; (int)j < columns; j++) flg_dense_solve_upper(m, A, m, X + j * (size_t)m);
  return flg_dense_is_finite(m, columns, X, m);
}

/* 1 + M S; M (gamma - y* - z*), and beside it -M G D for each row that is kept: how the forces
 * answer to what contacts do */
static void set_up_mass(const flg_macro_run *macro_run) {
  const flg_elimination *e = &macro_run->elimination;
  const int m = macro_run->row_count, n = macro_run->own->rows, t = e->shape.touched[0];
  double *half = macro_run->mass_work, *S = half + (size_t)m * (size_t)n, *missing = e->gamma;
  onto_rows(macro_run, 0, flg_interface_model_admittance(macro_run->own), n, S);
  memset(macro_run->system, 0, (size_t)m * (size_t)m * sizeof *S);
  for (int k = 0; k < m; k++) macro_run->system[k + (size_t)k * (size_t)m] = 1;
  flg_dense_multiply(m, m, m, 1, macro_run->mass, m, S, m, macro_run->system, m);
  for (int c = 0; c < 2; c++)
    add_row_products(e, c, -1, macro_run->bias[c], e->shape.rows[c], 1, missing);
  memset(macro_run->reactions, 0, (size_t)m * (size_t)(1 + n - t) * sizeof *S);
  flg_dense_apply(m, m, 1, macro_run->mass, m, missing, macro_run->reactions);
  flg_dense_multiply(m, n - t, m, -1, macro_run->mass, m, half + (size_t)t * (size_t)m, m,
                     macro_run->reactions + m, m);
}

/* our touch ports: y+ = b + H x, with l = l_0 + (dl/dx) x at the interfaces */
static void reduce_to_touch(const flg_macro_run *macro_run) {
  const flg_elimination *e = &macro_run->elimination;
  const int m = macro_run->row_count, n = macro_run->own->rows, t = e->shape.touched[0], k = n - t;
  const double *D = flg_interface_model_admittance(macro_run->own);
  const flg_macro_contacts *contacts = macro_run->contacts;
  double *pull = macro_run->mass_work; /* G^T l (t) */
  for (int j = -1; j < k; j++) {       /* b, then the columns of H */
    double *to = j < 0 ? contacts->b : contacts->H + (size_t)j * (size_t)k;
    const double *from = j < 0 ? macro_run->bias[0] + t : D + t + (size_t)(t + j) * (size_t)n;
    memcpy(to, from, (size_t)k * sizeof *to);
    memset(pull, 0, (size_t)t * sizeof *pull);
    spread_impulses(e, 0, macro_run->reactions + (size_t)(1 + j) * (size_t)m, pull);
    flg_dense_apply(k, t, 1, D + t, n, pull, to);
  }
}

flg_status flg_macro_run_meet_mass(flg_macro_run *macro_run, double h, flg_error *error) {
  const flg_elimination *e = &macro_run->elimination;
  const int m = macro_run->row_count, n = macro_run->own->rows, t = e->shape.touched[0];
  flg_macro_contacts *contacts = macro_run->contacts;
  double *l = macro_run->reactions;
  bool is_sound = true;
  if (!macro_run->has_mass) {
    onto_rows(macro_run, 1, flg_interface_model_admittance(macro_run->rest), macro_run->rest->rows,
              macro_run->mass);
    for (int k = 0; k < m && e->shape.soft; k++) {
      macro_run->mass[k + (size_t)k * (size_t)m] += e->compliance[k];
    }
    is_sound = macro_run->has_mass = invert_mass(macro_run);
  }
  if (is_sound) set_up_mass(macro_run);
  if (!is_sound || !macro_mass_solve(macro_run->system, l, 1 + n - t, m)) {
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "the rest has no effective mass at its interfaces: its admittance is singular "
                    "or no longer finite; 'form: admittance' does without");
  }
  for (int c = 0; c < 2; c++) {
    memset(macro_run->forces[c], 0, (size_t)e->shape.rows[c] * sizeof(double));
  }
  if (contacts != NULL) {
    reduce_to_touch(macro_run);
    const flg_status status = flg_macro_run_touch(macro_run, h, error);
    if (status != FLG_OK) return status;
    flg_dense_apply(m, n - t, 1, l + m, m, contacts->x, l);
    memcpy(macro_run->forces[0] + t, contacts->x, (size_t)(n - t) * sizeof(double));
  }
  for (int c = 0; c < 2; c++) spread_impulses(e, c, l, macro_run->forces[c]);
  return FLG_OK;
}
