/* A meeting in mass form, as the papers on reduced interface models have it (flexible-rim, Eq. 22;
 * nonsmooth-rim, Eq. 13): the rest is an effective mass M = (G E G^T)^-1 on the rows,
 *
 *     l = M (z - z*)                          z* velocities of the rest's rows while nobody pushes
 *     (1 + M S) l = M (gamma - y* - z*)       S = G D G^T and y* of our own
 *
 * The inverse is taken without pivots and without a look at its rank: where the rest cannot move in
 * some direction it is rounding. This is for comparison; the admittance form has no inverse.
 */
#include <math.h>
#include <string.h>

#include "cosim/meeting.h"
#include "math/dense.h"

/* G A G^T (m x m), A (n x n) */
static void onto_rows(const flg_meeting *meeting, const double *G, const double *A, double *to) {
  const int m = meeting->row_count, n = meeting->own->rows;
  double *half = meeting->mass_work; /* G A (m x n) */
  memset(half, 0, (size_t)m * (size_t)n * sizeof *half);
  memset(to, 0, (size_t)m * (size_t)m * sizeof *to);
  flg_dense_multiply(m, n, n, 1, G, m, A, n, half, m);
  flg_dense_multiply_right_transposed(m, m, n, 1, half, m, G, m, to, m);
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

static void swap_rows(double *A, double *x, int m, int a, int b) {
  for (int j = 0; j < m; j++) {
    const double kept = A[a + (size_t)j * (size_t)m];
    A[a + (size_t)j * (size_t)m] = A[b + (size_t)j * (size_t)m];
    A[b + (size_t)j * (size_t)m] = kept;
  }
  const double kept = x[a];
  x[a] = x[b], x[b] = kept;
}

/* A x = b by Gauss, rows exchanged; A is spoilt */
static bool solve(double *A, double *x, int m) {
  for (int k = 0; k < m; k++) {
    int best = k;
    for (int i = k + 1; i < m; i++) {
      if (fabs(A[i + (size_t)k * (size_t)m]) > fabs(A[best + (size_t)k * (size_t)m])) best = i;
    }
    swap_rows(A, x, m, k, best);
    const double pivot = A[k + (size_t)k * (size_t)m];
    if (!(fabs(pivot) > 0)) return false;
    for (int i = k + 1; i < m; i++) {
      const double factor = A[i + (size_t)k * (size_t)m] / pivot;
      for (int j = k; j < m; j++)
        A[i + (size_t)j * (size_t)m] -= factor * A[k + (size_t)j * (size_t)m];
      x[i] -= factor * x[k];
    }
  }
  flg_dense_solve_upper(m, A, m, x);
  return flg_dense_is_finite(m, 1, x, m);
}

/* 1 + M S, and M (gamma - y* - z*) into the reactions */
static void set_up(const flg_meeting *meeting) {
  const flg_elimination *e = &meeting->elimination;
  const int m = meeting->row_count, n = meeting->own->rows;
  double *S = meeting->mass_work + (size_t)m * (size_t)n, *missing = e->gamma;
  onto_rows(meeting, e->G[0], flg_interface_model_admittance(meeting->own), S);
  memset(meeting->system, 0, (size_t)m * (size_t)m * sizeof *S);
  for (int k = 0; k < m; k++) meeting->system[k + (size_t)k * (size_t)m] = 1;
  flg_dense_multiply(m, m, m, 1, meeting->mass, m, S, m, meeting->system, m);
  for (int c = 0; c < 2; c++) flg_dense_apply(m, n, -1, e->G[c], m, meeting->bias[c], missing);
  memset(meeting->reactions, 0, (size_t)m * sizeof *S);
  flg_dense_apply(m, m, 1, meeting->mass, m, missing, meeting->reactions);
}

flg_status flg_meeting_meet_mass(flg_meeting *meeting) {
  const flg_elimination *e = &meeting->elimination;
  const int m = meeting->row_count, n = meeting->own->rows;
  onto_rows(meeting, e->G[1], flg_interface_model_admittance(meeting->rest), meeting->mass);
  if (!invert(meeting)) return FLG_ERR_DIVERGED;
  set_up(meeting);
  if (!solve(meeting->system, meeting->reactions, m)) return FLG_ERR_DIVERGED;
  for (int c = 0; c < 2; c++) {
    memset(meeting->forces[c], 0, (size_t)n * sizeof(double));
    flg_dense_apply_transposed(m, n, 1, e->G[c], m, meeting->reactions, meeting->forces[c]);
  }
  return FLG_OK;
}
