/* test_friction.h - random contacts for the tests of friction, and Coulomb's law written anew.
 */
#ifndef FLG_COMPLEMENTARITY_TEST_FRICTION_H
#define FLG_COMPLEMENTARITY_TEST_FRICTION_H

#include "complementarity/test_problems.h"

enum { CONTACTS = 20 };

typedef struct contact_problem {
  random_problem p;
  int count;
  flg_friction_contact contacts[CONTACTS];
} contact_problem;

/* rows [normal, tangent, tangent] of `count` contacts on `freedom` degrees of freedom that move
 * with a random velocity */
static inline void make_contacts(random_source *source, int count, int freedom,
                                 contact_problem *c) {
  static double v[LARGEST * LARGEST];
  double velocity[LARGEST];
  const int n = 3 * count;
  c->count = count, c->p.n = n;
  fill_random(source, freedom * n, v);
  fill_gram(&c->p, freedom, v);
  fill_random(source, freedom, velocity);
  for (int i = 0; i < n; i++) {
    c->p.q[i] = 0;
    for (int k = 0; k < freedom; k++) c->p.q[i] += v[k + i * freedom] * velocity[k];
    c->p.lower[i] = 0, c->p.upper[i] = HUGE_VAL;
  }
  for (int k = 0; k < count; k++) {
    c->contacts[k] =
        (flg_friction_contact){3 * k, {3 * k + 1, 3 * k + 2}, random_uniform(source, 0, 1)};
  }
}

/* the bounds of a box around the normals in z */
static inline void bound_tangents(contact_problem *c, const double *z) {
  for (int k = 0; k < c->count; k++) {
    const double bound = c->contacts[k].coefficient * fmax(z[c->contacts[k].normal], 0);
    for (int j = 0; j < 2; j++) {
      c->p.lower[c->contacts[k].tangent[j]] = -bound;
      c->p.upper[c->contacts[k].tangent[j]] = bound;
    }
  }
}

/* Coulomb's law contact by contact: largest violation, in units of q */
static inline double coulomb_violation(contact_problem *c, const double *z) {
  double worst = 0, size = 0, w[LARGEST];
  for (int i = 0; i < c->p.n; i++) {
    w[i] = c->p.q[i];
    for (int j = 0; j < c->p.n; j++) w[i] += *entry(&c->p, i, j) * z[j];
    size = fmax(size, fmax(fabs(z[i]), fabs(c->p.q[i])));
  }
  for (int k = 0; k < c->count; k++) {
    const int n = c->contacts[k].normal, t = c->contacts[k].tangent[0];
    const int u = c->contacts[k].tangent[1];
    const double radius = c->contacts[k].coefficient * z[n], slip = hypot(w[t], w[u]);
    worst = fmax(worst, fmax(-z[n], -w[n]));
    worst = fmax(worst, fmin(fabs(z[n]), fabs(w[n])));
    worst = fmax(worst, hypot(z[t], z[u]) - radius);
    /* dissipation is as large as it can be */
    const double lost = radius * slip + z[t] * w[t] + z[u] * w[u];
    worst = fmax(worst, fmin(fabs(lost), slip));
  }
  return worst / size;
}

#endif
