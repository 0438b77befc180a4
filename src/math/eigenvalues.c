#include "math/eigenvalues.h"

#include <float.h>
#include <math.h>

enum { STEPS_MAX = 30 }; /* of one eigenvalue; two or three are usual */

/* --- to tridiagonal form ------------------------------------------------------------------------
 */

/* v of the reflection that takes x (m) to `to` times the first unit vector, in place of x; returns
 * 2/(v.v), or 0 if there is nothing to do */
static double reflect_to_axis(int m, double *x, double *to) {
  double tail = 0;
  for (int i = 1; i < m; i++) tail += x[i] * x[i];
  *to = x[0];
  if (tail == 0) return 0;
  const double norm = sqrt(x[0] * x[0] + tail);
  /* The sign that does not cancel in x[0] - to. */
  *to = x[0] > 0 ? -norm : norm;
  x[0] -= *to;
  return 2 / (x[0] * x[0] + tail);
}

/* A - v q^T - q v^T for the trailing A (m x m) in a matrix of n rows, q = p - (beta v.p/2) v with
 * p = beta A v */
static void turn_over(int m, double *a, int n, const double *v, double beta) {
  double q[FLG_EIGENVALUES_MAX] = {0}, along = 0;
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) q[i] += a[i + j * n] * (beta * v[j]);
  }
  for (int i = 0; i < m; i++) along += 0.5 * beta * v[i] * q[i];
  for (int i = 0; i < m; i++) q[i] -= along * v[i];
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) a[i + j * n] -= v[i] * q[j] + q[i] * v[j];
  }
}

/* diagonal (n) and what stands beside it (n - 1) */
static void make_tridiagonal(int n, double *a, double *diagonal, double *beside) {
  for (int k = 0; k + 1 < n; k++) {
    const int m = n - k - 1;
    double *v = a + (k + 1) + k * n;
    const double beta = reflect_to_axis(m, v, &beside[k]);
    diagonal[k] = a[k + k * n];
    if (beta != 0) turn_over(m, a + (k + 1) * (n + 1), n, v, beta);
  }
  if (n > 0) diagonal[n - 1] = a[n * n - 1];
}

/* --- QL steps -----------------------------------------------------------------------------------
 */

/* from `first` on: the last row of a block that nothing connects to the next */
static int block_end(int n, int first, const double *diagonal, const double *beside) {
  int k = first;
  while (k + 1 < n && fabs(beside[k]) > DBL_EPSILON * (fabs(diagonal[k]) + fabs(diagonal[k + 1]))) {
    k++;
  }
  return k;
}

/* the eigenvalue of the first two rows that is nearer to the first */
static double shift_of(const double *diagonal, const double *beside) {
  /* Wilkinson's shift: steps then converge with the third power, also where eigenvalues are equal.
   */
  const double half = (diagonal[1] - diagonal[0]) / (2 * beside[0]);
  const double root = sqrt(half * half + 1);
  return diagonal[0] - beside[0] / (half + (half < 0 ? -root : root));
}

/* One step on the rows first .. last: from below, rotations chase what the shift left beside the
 * diagonal up to the first row. */
static void ql_step(int first, int last, double *diagonal, double *beside) {
  double g = diagonal[last] - shift_of(diagonal + first, beside + first);
  double sine = 1, cosine = 1, moved = 0;
  for (int i = last - 1; i >= first; i--) {
    const double f = sine * beside[i], b = cosine * beside[i], r = sqrt(f * f + g * g);
    if (i + 1 < last) beside[i + 1] = r;
    if (r == 0) { /* it has come apart already */
      diagonal[i + 1] -= moved;
      return;
    }
    sine = f / r, cosine = g / r;
    g = diagonal[i + 1] - moved;
    const double t = (diagonal[i] - g) * sine + 2 * cosine * b;
    moved = sine * t;
    diagonal[i + 1] = g + moved;
    g = cosine * t - b;
  }
  diagonal[first] -= moved;
  beside[first] = g;
}

flg_status flg_eigenvalues_symmetric(int n, double *matrix, double *values) {
  double beside[FLG_EIGENVALUES_MAX] = {0}, sum = 0;
  if (n < 0 || n > FLG_EIGENVALUES_MAX) return FLG_ERR_RANGE;
  /* Comparisons with NaN are false: the loops below would end at once, with FLG_OK. */
  for (int k = 0; k < n * n; k++) sum += matrix[k] * 0;
  if (sum != 0) return FLG_ERR_DIVERGED; /* NaN, too */
  make_tridiagonal(n, matrix, values, beside);
  for (int first = 0; first < n; first++) {
    for (int step = 0;; step++) {
      const int last = block_end(n, first, values, beside);
      if (last == first) break;
      if (step == STEPS_MAX) return FLG_ERR_DIVERGED;
      ql_step(first, last, values, beside);
    }
  }
  return FLG_OK;
}
