/* A meeting in mass form, as the papers on reduced interface models have it: the rest is an
 * effective mass M = (G E G^T + C)^-1 on the rows, C of soft ones (eliminate.h),
 *
 *     l = M (z - z*)                          z* velocities of the rest's rows while nobody pushes
 *     (1 + M S) l = M (gamma - y* - z*)       S = G D G^T and y* of our own
 *
 * The inverse is taken once a macro step, without pivots and without a look at its rank: where the
 * rest cannot move in some direction it is rounding. This is for comparison; the admittance form
 * has no inverse.
 */
#include <math.h>
#include <string.h>

#include "coupling/meeting.h"
#include "math/dense.h"

/* to (m x columns) += G A, G on the touched rows of A (n x columns) of one side */
static void reach(const flg_elimination *e, int side, double factor, const double *A, int n,
                  int columns, double *to) {
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
static void spread(const flg_elimination *e, int side, const double *l, double *x) {
  const size_t m = (size_t)e->shape.constraints;
  for (int k = 0; k < e->shape.touched[side]; k++) {
    const double *G = e->G[side] + (size_t)k * m;
    for (size_t i = 0; i < m; i++) x[e->touched[side][k]] += G[i] * l[i];
  }
}

/* G A G^T (m x m) of one side, A (n x n), with G A (m x n) left in the work space */
static void onto_rows(const flg_meeting *meeting, int side, const double *A, int n, double *to) {
  const flg_elimination *e = &meeting->elimination;
  const size_t m = (size_t)meeting->row_count;
  double *half = meeting->mass_work; /* G A (m x n) */
  memset(half, 0, m * (size_t)n * sizeof *half);
  memset(to, 0, m * m * sizeof *to);
  reach(e, side, 1, A, n, n, half);
  for (int k = 0; k < e->shape.touched[side]; k++) {
    const double *G = e->G[side] + (size_t)k * m;
    const double *column = half + (size_t)e->touched[side][k] * m;
    for (size_t j = 0; j < m; j++) {
      for (size_t i = 0; i < m && G[j] != 0; i++) to[i + j * m] += column[i] * G[j];
    }
  }
}

/* M, in place of G E G^T; false: it has none at all */
static bool invert(const flg_meeting *meeting) {
  const int m = meeting->row_count;
  const size_t size = (size_t)m * (size_t)m;
  double *M = meeting->mass, *factors = meeting->system;
  memcpy(factors, M, size * sizeof *M);
  if (!flg_dense_ldlt(m, factors, m, meeting->reactions)) return false;
  memset(M, 0, size * sizeof *M);
  for (int j = 0; j < m; j++) {
    M[j + (size_t)j * (size_t)m] = 1;
    flg_dense_ldlt_solve(m, factors, m, M + (size_t)j * (size_t)m);
  }
  return flg_dense_is_finite(m, m, M, m);
}

static void swap(double *a, double *b) {
  const double kept = *a;
  *a = *b, *b = kept;
}

static void swap_rows(double *A, int columns, int m, int a, int b) {
  for (size_t j = 0; (int)j < columns; j++) swap(&A[a + j * (size_t)m], &A[b + j * (size_t)m]);
}

/* A X = B (m x columns) in place in X by Gauss, rows exchanged; A is spoilt */
static bool solve(double *A, double *X, int columns, int m) {
  for (int k = 0; k < m; k++) {
    int best = k;
    for (int i = k + 1; i < m; i++) {
      if (fabs(A[i + (size_t)k * (size_t)m]) > fabs(A[best + (size_t)k * (size_t)m])) best = i;
    }
    swap_rows(A, m, m, k, best);
    swap_rows(X, columns, m, k, best);
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
static void set_up(const flg_meeting *meeting) {
  const flg_elimination *e = &meeting->elimination;
  const int m = meeting->row_count, n = meeting->own->rows, t = e->shape.touched[0];
  double *half = meeting->mass_work, *S = half + (size_t)m * (size_t)n, *missing = e->gamma;
  onto_rows(meeting, 0, flg_interface_model_admittance(meeting->own), n, S);
  memset(meeting->system, 0, (size_t)m * (size_t)m * sizeof *S);
  for (int k = 0; k < m; k++) meeting->system[k + (size_t)k * (size_t)m] = 1;
  flg_dense_multiply(m, m, m, 1, meeting->mass, m, S, m, meeting->system, m);
  for (int c = 0; c < 2; c++) reach(e, c, -1, meeting->bias[c], e->shape.rows[c], 1, missing);
  memset(meeting->reactions, 0, (size_t)m * (size_t)(1 + n - t) * sizeof *S);
  flg_dense_apply(m, m, 1, meeting->mass, m, missing, meeting->reactions);
  flg_dense_multiply(m, n - t, m, -1, meeting->mass, m, half + (size_t)t * (size_t)m, m,
                     meeting->reactions + m, m);
}

/* our touch ports: y+ = b + H x, with l = l_0 + (dl/dx) x at the interfaces */
static void reduce_to_touch(const flg_meeting *meeting) {
  const flg_elimination *e = &meeting->elimination;
  const int m = meeting->row_count, n = meeting->own->rows, t = e->shape.touched[0], k = n - t;
  const double *D = flg_interface_model_admittance(meeting->own);
  const flg_meeting_contacts *contacts = meeting->contacts;
  double *pull = meeting->mass_work; /* G^T l (t) */
  for (int j = -1; j < k; j++) {     /* b, then the columns of H */
    double *to = j < 0 ? contacts->b : contacts->H + (size_t)j * (size_t)k;
    const double *from = j < 0 ? meeting->bias[0] + t : D + t + (size_t)(t + j) * (size_t)n;
    memcpy(to, from, (size_t)k * sizeof *to);
    memset(pull, 0, (size_t)t * sizeof *pull);
    spread(e, 0, meeting->reactions + (size_t)(1 + j) * (size_t)m, pull);
    flg_dense_apply(k, t, 1, D + t, n, pull, to);
  }
}

flg_status flg_meeting_meet_mass(flg_meeting *meeting, double h, flg_error *error) {
  const flg_elimination *e = &meeting->elimination;
  const int m = meeting->row_count, n = meeting->own->rows, t = e->shape.touched[0];
  flg_meeting_contacts *contacts = meeting->contacts;
  double *l = meeting->reactions;
  bool is_sound = true;
  if (!meeting->has_mass) {
    onto_rows(meeting, 1, flg_interface_model_admittance(meeting->rest), meeting->rest->rows,
              meeting->mass);
    for (int k = 0; k < m && e->shape.soft; k++) {
      meeting->mass[k + (size_t)k * (size_t)m] += e->compliance[k];
    }
    is_sound = meeting->has_mass = invert(meeting);
  }
  if (is_sound) set_up(meeting);
  if (!is_sound || !solve(meeting->system, l, 1 + n - t, m)) {
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "the rest has no effective mass at its interfaces: its admittance is singular "
                    "or no longer finite; 'form: admittance' does without");
  }
  for (int c = 0; c < 2; c++) {
    memset(meeting->forces[c], 0, (size_t)e->shape.rows[c] * sizeof(double));
  }
  if (contacts != NULL) {
    reduce_to_touch(meeting);
    const flg_status status = flg_meeting_touch(meeting, h, error);
    if (status != FLG_OK) return status;
    flg_dense_apply(m, n - t, 1, l + m, m, contacts->x, l);
    memcpy(meeting->forces[0] + t, contacts->x, (size_t)(n - t) * sizeof(double));
  }
  for (int c = 0; c < 2; c++) spread(e, c, l, meeting->forces[c]);
  return FLG_OK;
}
