#include "math/mat3.h"

enum { MAX_SWEEPS = 30 }; /* converges quadratically: five are enough for any finite matrix */

/* one Jacobi rotation in the plane (p, q): makes s[p][q] zero */
static void annihilate(double s[3][3], int p, int q) {
  if (s[p][q] == 0) return;
  const int other = 3 - p - q;
  const double theta = (s[q][q] - s[p][p]) / (2 * s[p][q]);
  /* The smaller of both angles: the diagonal stays in its order, and sweeps converge. */
  const double tangent = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
  const double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
  s[p][p] -= tangent * s[p][q];
  s[q][q] += tangent * s[p][q];
  s[p][q] = s[q][p] = 0;
  const double first = s[other][p], second = s[other][q];
  s[other][p] = s[p][other] = cosine * first - sine * second;
  s[other][q] = s[q][other] = sine * first + cosine * second;
}

static void order_pair(double *low, double *high) {
  if (*low <= *high) return;
  const double swapped = *low;
  *low = *high;
  *high = swapped;
}

void flg_sym3_eigenvalues(flg_sym3 s, double eigenvalues[3]) {
  double a[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
  /* off-diagonal elements that no longer change the diagonal are as good as zero */
  for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const double diagonal = fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]);
    const double rest = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
    if (diagonal + rest == diagonal) break;
    annihilate(a, 0, 1);
    annihilate(a, 0, 2);
    annihilate(a, 1, 2);
  }
  /* NaN must not be sorted away: comparisons with it are false, and two good values could come out.
   */
  const double poison = 0 * (a[0][0] + a[1][1] + a[2][2] + s.xy + s.xz + s.yz);
  for (int k = 0; k < 3; k++) eigenvalues[k] = a[k][k] + poison;
  order_pair(&eigenvalues[0], &eigenvalues[1]);
  order_pair(&eigenvalues[1], &eigenvalues[2]);
  order_pair(&eigenvalues[0], &eigenvalues[1]);
}
