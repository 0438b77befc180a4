/* test_friction.h - random contacts for the tests of friction, and Coulomb's law written a second
 * time.
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

/* One contact that opens, sticks or slides, in z and w (3): by the cone, or each tangent by itself
 */
static inline void draw_contact(random_source *source, double mu, int is_cone, double *z,
                                double *w) {
  const int side = random_integer(source, 0, 3); /* opens, sticks, slides, slides */
  for (int j = 0; j < 3; j++) z[j] = 0, w[j] = random_uniform(source, j == 0 ? 0 : -1, 1);
  if (side == 0) return;
  z[0] = random_uniform(source, 0, 1), w[0] = 0;
  const double angle = random_uniform(source, -3, 3), slip = random_uniform(source, 0, 1);
  const double part = side == 1 ? random_uniform(source, 0, 1) : 1;
  for (int j = 1; j < 3; j++) {
    const int slides = is_cone ? side > 1 : random_integer(source, 0, 2) > 0;
    const double box_part = slides ? random_integer(source, 0, 1) * 2 - 1 : 2 * part - 1;
    const double direction = is_cone ? part * (j == 1 ? cos(angle) : sin(angle)) : box_part;
    z[j] = mu * z[0] * direction;
    w[j] = slides ? -slip * direction : 0;
  }
}

/* q = w - A z of known impulses and velocities: solvable even where the bodies are wedged */
static inline void make_known_contacts(random_source *source, int count, int freedom, int is_cone,
                                       contact_problem *c) {
  double z[LARGEST];
  make_contacts(source, count, freedom, c);
  for (int k = 0; k < count; k++) {
    draw_contact(source, c->contacts[k].coefficient, is_cone, z + 3 * k, c->p.q + 3 * k);
  }
  for (int j = 0; j < c->p.n; j++) {
    for (int i = 0; i < c->p.n; i++) c->p.q[i] -= *entry(&c->p, i, j) * z[j];
  }
}

typedef flg_status (*friction_solver)(flg_complementarity *, const flg_complementarity_matrix *,
                                      const double *, int, const flg_friction_contact *,
                                      unsigned char *, double *, double *,
                                      flg_complementarity_statistics *);

/* the bounds of a box around the normals in z */
static inline void bound_tangents(contact_problem *c, const double *z) {
  for (int k = 0; k < c->count; k++) {
    const double bound = c->contacts[k].coefficient * flg_larger(z[c->contacts[k].normal], 0);
    for (int j = 0; j < 2; j++) {
      const int row = c->contacts[k].tangent[j];
      if (row >= 0) c->p.lower[row] = -bound, c->p.upper[row] = bound;
    }
  }
}

/* Coulomb's law contact by contact: largest violation, in scaled variables, by the largest of them
 */
static inline double coulomb_violation(contact_problem *c, const double *z) {
  double worst = 0, size = 0, x[LARGEST], y[LARGEST], root[LARGEST];
  for (int i = 0; i < c->p.n; i++) root[i] = sqrt(*entry(&c->p, i, i));
  for (int k = 0; k < c->count; k++) { /* both tangents by the larger of their scales */
    const int *t = c->contacts[k].tangent;
    root[t[0]] = root[t[1]] = flg_larger(root[t[0]], root[t[1]]);
  }
  for (int i = 0; i < c->p.n; i++) {
    double w = c->p.q[i];
    for (int j = 0; j < c->p.n; j++) w += *entry(&c->p, i, j) * z[j];
    x[i] = z[i] * root[i], y[i] = w / root[i];
    size = flg_larger(size, flg_larger(fabs(x[i]), fabs(c->p.q[i]) / root[i]));
  }
  for (int k = 0; k < c->count; k++) {
    const int n = c->contacts[k].normal, t = c->contacts[k].tangent[0];
    const int u = c->contacts[k].tangent[1];
    const double radius = c->contacts[k].coefficient * z[n] * root[t], slip = hypot(y[t], y[u]);
    worst = flg_larger(worst, flg_larger(-x[n], -y[n]));
    worst = flg_larger(worst, flg_smaller(fabs(x[n]), fabs(y[n])));
    worst = flg_larger(worst, hypot(x[t], x[u]) - radius);
    /* dissipation is as large as it can be */
    const double lost = radius * slip + x[t] * y[t] + x[u] * y[u];
    worst = flg_larger(worst, flg_smaller(fabs(lost) / flg_larger(size, radius), slip));
  }
  return worst / size;
}

/* Rows 1e4 apart: each normal and each pair of tangents by 0.01 to 100, coefficients as they are.
 * It is still a motion of bodies that pushes. */
static inline void scale_contacts(random_source *source, contact_problem *c) {
  double factor[LARGEST];
  for (int k = 0; k < c->count; k++) {
    factor[3 * k] = pow(10, random_uniform(source, -2, 2));
    factor[3 * k + 1] = factor[3 * k + 2] = pow(10, random_uniform(source, -2, 2));
  }
  for (int j = 0; j < c->p.n; j++) {
    for (int i = 0; i <= j; i++) {
      *entry(&c->p, j, i) *= factor[i] * factor[j];
      *entry(&c->p, i, j) = *entry(&c->p, j, i);
    }
    c->p.q[j] *= factor[j];
  }
}

static inline void make_friction(random_source *source, int is_cone, long k, contact_problem *c) {
  const int contacts = random_integer(source, 1, k % 5 == 0 ? CONTACTS : 6);
  const int freedom = random_integer(source, 3, 3 * contacts + 3);
  if (k % 3 == 1) {
    make_known_contacts(source, contacts, freedom, is_cone, c);
  } else {
    make_contacts(source, contacts, freedom, c);
    if (k % 3 == 2) scale_contacts(source, c);
  }
}

/* Every one of them has a solution: velocities of bodies do (Lemke's method proves it for the box),
 * and known impulses are one. All are solved, and fulfil the law as it is written here. */
static inline void solve_random_contacts(int is_cone, long count, uint64_t seed) {
  static contact_problem c;
  const flg_complementarity_options options = flg_complementarity_default();
  const friction_solver solve = is_cone ? flg_complementarity_cone : flg_complementarity_box;
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {seed};
  for (long k = 0; k < count; k++) {
    double z[LARGEST], w[LARGEST];
    flg_complementarity_statistics statistics;
    make_friction(&source, is_cone, k, &c);
    const flg_complementarity_matrix matrix = matrix_of_problem(&c.p);
    const flg_status status =
        solve(made.solver, &matrix, c.p.q, c.count, c.contacts, NULL, z, w, &statistics);
    bound_tangents(&c, z);
    const double violation = is_cone ? coulomb_violation(&c, z) : residual_of(&c.p, z, 0);
    if (status == FLG_OK && violation < (is_cone ? 1e-8 : 1e-9) && statistics.residual < 1e-9)
      continue;
    print_error("problem %ld, %d contacts: %s by %s after %d iterations, violation %g\n", k,
                c.count, flg_complementarity_outcome_text(statistics.outcome),
                flg_complementarity_method_name(statistics.method), statistics.iterations,
                violation);
    fail();
  }
  drop_solver(&made);
}

#endif
