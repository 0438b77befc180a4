#include "math/exponential.h"

#include <math.h>
#include <string.h>

#include "math/larger.h"

/* Taylor's series of what is scaled below 1/2: 18 terms leave 1e-22 */
enum { TERMS = 18, ROOM = FLG_PHI_COUNT * FLG_PHI_SIZE_MAX };

static void multiply(int n, const double *a, const double *b, double *to) {
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[i + k * n] * b[k + j * n];
      to[i + j * n] = sum;
    }
  }
}

/* The largest sum of a row bounds all eigenvalues, which say how often to halve. */
static double largest_row_sum(int n, const double *Z) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(Z[i + j * n]);
    most = flg_larger(most, sum);
  }
  return most;
}

/* e^B, where B = [Z 1 0 0; 0 0 1 0; 0 0 0 1; 0 0 0 0] has phi_0 .. phi_3 in its first row; all sums
 * are of one sign where Z is a negative number, so nothing cancels in the squarings */
void flg_phi(int n, const double *Z,
             double phi[FLG_PHI_COUNT][FLG_PHI_SIZE_MAX * FLG_PHI_SIZE_MAX]) {
  const int m = FLG_PHI_COUNT * n;
  const size_t bytes = (size_t)(m * m) * sizeof(double);
  double B[ROOM * ROOM] = {0}, sum[ROOM * ROOM] = {0}, product[ROOM * ROOM] = {0};
  const int squarings = (int)fmax(0, ceil(log2(fmax(largest_row_sum(n, Z), 1)))) + 1;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) B[i + j * m] = ldexp(Z[i + j * n], -squarings);
    for (int k = 0; k + 1 < FLG_PHI_COUNT; k++) {
      /* Powers of two: the scaling is exact. */
      B[k * n + j + ((k + 1) * n + j) * m] = ldexp(1, -squarings);
    }
  }
  for (int i = 0; i < m; i++) sum[i + i * m] = 1;
  for (int term = TERMS; term > 0; term--) { /* Horner: 1 + B/1 (1 + B/2 (1 + ...)) */
    multiply(m, B, sum, product);
    for (int i = 0; i < m * m; i++) sum[i] = product[i] / term;
    for (int i = 0; i < m; i++) sum[i + i * m] += 1;
  }
  for (int k = 0; k < squarings; k++) {
    multiply(m, sum, sum, product);
    memcpy(sum, product, bytes);
  }
  for (int k = 0; k < FLG_PHI_COUNT; k++) {
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < n; i++) phi[k][i + j * n] = sum[i + (k * n + j) * m];
    }
  }
}
