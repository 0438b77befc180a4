/* One contact with Coulomb's cone, exactly: it opens, sticks, or slides along the angle at which
 * the slip is opposite to the friction. */
#include <math.h>

#include "complementarity/solver.h"
#include "math/larger.h"

enum { ANGLES = 48, BISECTIONS = 60 };

typedef struct local {
  const double *a, *q; /* (3 x 3) column-major, (3) */
  double mu;
} local;

/* sliding at the given angle: z with w_n = 0; *along is w_t in the direction of friction, which
 * must not be positive. Returns w_t across it, which must be zero. */
/* On the cone's rim friction is mu times the normal along one angle: two equations are fulfilled by
 * construction, and the third, no slip across, is a function of the angle alone. */
static double slide(const local *c, double angle, double z[3], double *along) {
  const double x = cos(angle), y = sin(angle), mu = c->mu;
  const double resistance = c->a[0] + mu * (c->a[3] * x + c->a[6] * y);
  z[0] = resistance > 0 ? -c->q[0] / resistance : -1;
  z[1] = mu * z[0] * x, z[2] = mu * z[0] * y;
  const double u = c->q[1] + c->a[1] * z[0] + c->a[4] * z[1] + c->a[7] * z[2];
  const double v = c->q[2] + c->a[2] * z[0] + c->a[5] * z[1] + c->a[8] * z[2];
  *along = u * x + v * y;
  return v * x - u * y;
}

/* Bisection, not Newton: the function has poles where the contact jams. */
static int bisect(const local *c, double from, double to, double z[3]) {
  double along, low = slide(c, from, z, &along);
  for (int k = 0; k < BISECTIONS; k++) {
    const double middle = 0.5 * (from + to), value = slide(c, middle, z, &along);
    if (!(z[0] >= 0)) return 0;
    if ((value < 0) == (low < 0)) {
      from = middle, low = value;
    } else {
      to = middle;
    }
  }
  return along <= 0;
}

static const double STOPPED = 1e-12; /* of the largest free speed: three rows are solved to less */

static int sticks(const local *c, double z[3]) {
  double m[9];
  for (int k = 0; k < 9; k++) m[k] = c->a[k];
  for (int k = 0; k < 3; k++) z[k] = -c->q[k];
  flg_lu_solve(3, m, z);
  double left = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    const double w = c->q[i] + c->a[i] * z[0] + c->a[i + 3] * z[1] + c->a[i + 6] * z[2];
    left = flg_larger(left, fabs(w)), size = flg_larger(size, fabs(c->q[i]));
  }
  return left <= STOPPED * size && z[0] >= 0 && hypot(z[1], z[2]) <= c->mu * z[0];
}

/* Open, then sticking, then sliding: the cheapest question first. Changes of sign are looked for
 * between 48 angles. */
int flg_cone_local(const double a[9], const double q[3], double mu, double z[3]) {
  const local c = {a, q, mu};
  if (q[0] >= 0) {
    z[0] = z[1] = z[2] = 0;
    return 1;
  }
  if (sticks(&c, z)) return 1;
  const double step = 2 * 3.14159265358979323846 / ANGLES;
  double along, before = slide(&c, 0, z, &along);
  int valid = z[0] >= 0;
  for (int k = 1; k <= ANGLES; k++) {
    const double value = slide(&c, k * step, z, &along);
    const int still = z[0] >= 0, crossed = (value < 0) != (before < 0);
    if (valid && still && crossed && bisect(&c, (k - 1) * step, k * step, z)) return 1;
    before = value, valid = still;
  }
  return 0;
}
