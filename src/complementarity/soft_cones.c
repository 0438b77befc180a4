#include "complementarity/soft_cones.h"

#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/larger.h"
#include "math/pivoted_cholesky.h"
#include "math/wide_vectors.h"

/* Newton steps, and how often one is halved; it may be worse than the last, not than all of these
 */
enum { STEPS = 12, HALVINGS = 10, MEMORY = 4 };
/* By how much springs yield more in the first of several solves, and from one to the next: a power
 * of two, so that the last are those that are asked for. */
static const double SOFTEST = 512, LESS_SOFT = 0.125;
static const double NO_PIVOT = 1e-13; /* of W_ii: rounding */
static const double SMALL = 1e-9;     /* of p: a step after which rounding alone is left */

/* p, z(p), and F = p - V z(p) */
typedef struct state {
  double p[FLG_SOFT_MOST], z[FLG_SOFT_MOST], rest[FLG_SOFT_MOST];
  double left; /* |F| */
} state;

typedef struct problem {
  const flg_soft_cones *soft;
  const double *q, *yields, *z0;
} problem;

bool flg_soft_cones_load(flg_soft_cones *soft, int n, const double *w, int leading,
                         int contact_count, const flg_friction_contact *contacts) {
  double factor[FLG_SOFT_MOST * FLG_SOFT_MOST];
  int order[FLG_SOFT_MOST];
  if (n > FLG_SOFT_MOST) return false;
  const int rank = flg_pivoted_cholesky_factor(n, w, leading, NULL, NO_PIVOT, order, factor, n);
  if (rank < 0) return false;
  soft->n = n, soft->rank = rank, soft->contact_count = contact_count, soft->contacts = contacts;
  for (int k = 0; k < n; k++) {
    double *to = soft->v + (size_t)order[k] * (size_t)rank;
    for (int j = 0; j < rank; j++) to[j] = j <= k ? factor[k + (size_t)j * (size_t)n] : 0;
  }
  memset(soft->is_alone, 1, (size_t)n);
  for (int k = 0; k < contact_count; k++) {
    soft->is_alone[contacts[k].normal] = 0;
    for (int j = 0; j < 2; j++) soft->is_alone[contacts[k].tangent[j]] = 0;
  }
  return true;
}

static inline const double *column(const flg_soft_cones *soft, int row) {
  return soft->v + (size_t)row * (size_t)soft->rank;
}

/* y of a row */
static inline double yielded(const problem *of, int row, const double *p) {
  const double *v = column(of->soft, row);
  double sum = of->q[row];
  for (int j = 0; j < of->soft->rank; j++) sum += v[j] * p[j];
  return of->z0[row] - sum / of->yields[row];
}

static inline void find_impulses(const problem *of, const double *p, double *y, double *z) {
  const flg_soft_cones *soft = of->soft;
  for (int i = 0; i < soft->n; i++) {
    y[i] = yielded(of, i, p);
    z[i] = y[i] > 0 ? y[i] : 0;
  }
  for (int k = 0; k < soft->contact_count; k++) {
    const int n = soft->contacts[k].normal, *t = soft->contacts[k].tangent;
    const double radius = soft->contacts[k].coefficient * z[n];
    const double length = sqrt(y[t[0]] * y[t[0]] + y[t[1]] * y[t[1]]);
    const double shrink = length > radius ? radius / length : 1;
    for (int j = 0; j < 2; j++) z[t[j]] = shrink * y[t[j]];
  }
}

FLG_WIDE_VECTORS
static void measure(const problem *of, double *y, state *at) {
  const int n = of->soft->n, rank = of->soft->rank;
  find_impulses(of, at->p, y, at->z);
  memcpy(at->rest, at->p, (size_t)rank * sizeof(double));
  at->left = 0;
  for (int i = 0; i < n; i++) {
    const double *v = column(of->soft, i);
    for (int j = 0; j < rank; j++) at->rest[j] -= v[j] * at->z[i];
  }
  for (int j = 0; j < rank; j++) at->left += at->rest[j] * at->rest[j];
  at->left = sqrt(at->left);
}

/* K += a b^T by a factor */
static inline void add_outer(int rank, double factor, const double *a, const double *b, double *k) {
  for (int i = 0; i < rank; i++) {
    const double weight = factor * a[i];
    for (int j = 0; j < rank; j++) k[(size_t)i * (size_t)rank + j] += weight * b[j];
  }
}

/* d = (dz/dy) d of a contact */
static void follow_contact(const flg_friction_contact *contact, const double *y, const double *z,
                           double *d) {
  const int n = contact->normal, *t = contact->tangent;
  const double radius = contact->coefficient * z[n];
  const double length = sqrt(y[t[0]] * y[t[0]] + y[t[1]] * y[t[1]]);
  if (!(y[n] > 0)) d[n] = d[t[0]] = d[t[1]] = 0;
  if (!(y[n] > 0) || length <= radius) return;
  const double u[2] = {y[t[0]] / length, y[t[1]] / length};
  const double across = (u[0] * d[t[1]] - u[1] * d[t[0]]) * radius / length;
  const double along = contact->coefficient * d[n];
  d[t[0]] = along * u[0] - across * u[1], d[t[1]] = along * u[1] + across * u[0];
}

/* what a contact adds to 1 + V (dz/dy) Y^-1 V^T */
static inline void add_contact(const problem *of, const flg_friction_contact *contact,
                               const double *y, const double *z, double *k) {
  const flg_soft_cones *soft = of->soft;
  const int n = contact->normal, *t = contact->tangent, rank = soft->rank;
  const double give = 1 / of->yields[n], radius = contact->coefficient * z[n];
  const double length = sqrt(y[t[0]] * y[t[0]] + y[t[1]] * y[t[1]]);
  if (!(y[n] > 0)) return;
  add_outer(rank, give, column(soft, n), column(soft, n), k);
  if (length <= radius) {
    for (int j = 0; j < 2; j++) add_outer(rank, give, column(soft, t[j]), column(soft, t[j]), k);
    return;
  }
  const double u[2] = {y[t[0]] / length, y[t[1]] / length};
  double along[FLG_SOFT_MOST], across[FLG_SOFT_MOST];
  const double *a = column(soft, t[0]), *b = column(soft, t[1]);
  for (int j = 0; j < rank; j++) {
    along[j] = u[0] * a[j] + u[1] * b[j], across[j] = u[0] * b[j] - u[1] * a[j];
  }
  add_outer(rank, give * contact->coefficient, along, column(soft, n), k);
  add_outer(rank, give * radius / length, across, across, k);
}

FLG_WIDE_VECTORS
static void find_step(const problem *of, const double *y, const state *at, double *step) {
  const flg_soft_cones *soft = of->soft;
  const int rank = soft->rank;
  double k[FLG_SOFT_MOST * FLG_SOFT_MOST];
  memset(k, 0, (size_t)rank * (size_t)rank * sizeof(double));
  for (int j = 0; j < rank; j++) k[(size_t)j * (size_t)(rank + 1)] = 1, step[j] = -at->rest[j];
  for (int i = 0; i < soft->n; i++) {
    if (soft->is_alone[i] && y[i] > 0)
      add_outer(rank, 1 / of->yields[i], column(soft, i), column(soft, i), k);
  }
  for (int c = 0; c < soft->contact_count; c++) add_contact(of, &soft->contacts[c], y, at->z, k);
  flg_lu_solve(rank, k, step);
}

/* p, where contacts are open, stick and slide as z says that they do: there y is near z. */
static void start(const problem *of, double *y, state *at) {
  const flg_soft_cones *soft = of->soft;
  double d[FLG_SOFT_MOST];
  memcpy(y, at->z, (size_t)soft->n * sizeof *y);
  for (int i = 0; i < soft->n; i++) d[i] = of->z0[i] - of->q[i] / of->yields[i] - y[i];
  for (int i = 0; i < soft->n; i++) d[i] = soft->is_alone[i] && !(y[i] > 0) ? 0 : d[i];
  for (int k = 0; k < soft->contact_count; k++) follow_contact(&soft->contacts[k], y, at->z, d);
  memset(at->rest, 0, (size_t)soft->rank * sizeof(double));
  for (int i = 0; i < soft->n; i++) {
    const double *v = column(soft, i);
    for (int j = 0; j < soft->rank; j++) at->rest[j] -= v[j] * (at->z[i] + d[i]);
  }
  find_step(of, y, at, at->p);
  measure(of, y, at);
}

/* The longest of the step and its halves that brings p nearer than the worst of the last few was;
 * y of it. */
static bool take_step(const problem *of, const double *step, double worst, double *y, state *at) {
  state trial = {.left = 0};
  for (int h = 0; h < HALVINGS; h++) {
    const double length = ldexp(1, -h);
    for (int j = 0; j < of->soft->rank; j++) trial.p[j] = at->p[j] + length * step[j];
    measure(of, y, &trial);
    if (!(trial.left < worst)) continue;
    *at = trial;
    return true;
  }
  return false;
}

static bool is_small(int rank, const double *step, const double *p) {
  double moved = 0, size = 0;
  for (int j = 0; j < rank; j++) {
    moved = flg_larger(moved, fabs(step[j])), size = flg_larger(size, fabs(p[j]));
  }
  return moved <= SMALL * size;
}

/* Where the step is small, it is the last. */
static int steps_to_end(const problem *of, double *y, state *at) {
  double step[FLG_SOFT_MOST], last[MEMORY];
  for (int k = 0; k < STEPS; k++) {
    double worst = last[k % MEMORY] = at->left;
    find_step(of, y, at, step);
    if (is_small(of->soft->rank, step, at->p)) {
      for (int j = 0; j < of->soft->rank; j++) at->p[j] += step[j];
      measure(of, y, at);
      return k + 1;
    }
    for (int i = 0; i < MEMORY && i <= k; i++) worst = flg_larger(worst, last[i]);
    if (!take_step(of, step, worst, y, at)) return -1;
  }
  return -1;
}

/* From at->z on. */
static int solve_from(const problem *of, state *at) {
  double y[FLG_SOFT_MOST];
  start(of, y, at);
  return steps_to_end(of, y, at);
}

int flg_soft_cones_solve(const flg_soft_cones *soft, const double *q, const double *yields,
                         const double *z0, double *z) {
  const problem of = {soft, q, yields, z0};
  state at = {.left = 0};
  memcpy(at.z, z, (size_t)soft->n * sizeof(double));
  const int steps = solve_from(&of, &at);
  if (steps >= 0) memcpy(z, at.z, (size_t)soft->n * sizeof(double));
  return steps;
}

int flg_soft_cones_seek(const flg_soft_cones *soft, const double *q, const double *yields,
                        const double *z0, double *z) {
  double softer[FLG_SOFT_MOST];
  int steps = 0, taken = 0;
  for (double times = SOFTEST; times >= 1 && taken >= 0; times *= LESS_SOFT, steps += taken) {
    for (int i = 0; i < soft->n; i++) softer[i] = times * yields[i];
    taken = flg_soft_cones_solve(soft, q, softer, z0, z);
  }
  return taken < 0 ? -1 : steps;
}
