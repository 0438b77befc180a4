/* Newton steps on all rows of a problem with cones at once: the zero of z - projection(z - rho w).
 * In scaled variables x = z / s, with B = S A S, a row of its Jacobian is weight B_i (w_i = 0), a
 * unit row (at a bound), or what belongs to a contact that slides. */
#include <math.h>
#include <string.h>

#include "complementarity/cone.h"

enum { HALVINGS = 12 };

static double *newton_row(const flg_cone *cone, int i) {
  return cone->solver->newton + (size_t)i * (size_t)cone->rows.n;
}

/* target += factor B_i. A little softness keeps steps short along directions that A does not
 * resist, where contacts share a load in any way. */
static void add_newton_row(const flg_cone *cone, int i, double factor, double *target) {
  const flg_rows *rows = &cone->rows;
  const double *column = rows->a + (size_t)i * (size_t)rows->lda, part = factor * rows->s[i];
  for (int j = 0; j < rows->n; j++) target[j] += part * column[j] * rows->s[j];
  target[i] += factor * cone->softness;
}

static void set_row(const flg_cone *cone, int i, int is_equation) {
  double *row = newton_row(cone, i);
  memset(row, 0, (size_t)cone->rows.n * sizeof *row);
  if (is_equation) {
    add_newton_row(cone, i, cone->weight, row);
  } else {
    row[i] = 1;
  }
}

/* Sliding: z_t - r u, u = y_t/|y_t|; du = (I - u u^T) dy / |y_t|, dr = mu dz_n. */
static void set_sliding(const flg_cone *cone, const flg_friction_contact *contact,
                        const flg_sliding *s) {
  const int both = contact->tangent[1] >= 0, n = contact->normal;
  const double u[2] = {s->y[0] / s->length, s->y[1] / s->length}, ratio = s->radius / s->length;
  for (int a = 0; a <= both; a++) {
    const int t = contact->tangent[a];
    set_row(cone, t, 0);
    newton_row(cone, t)[n] -= contact->coefficient * u[a] * cone->rows.s[n] * cone->rows.root[t];
    for (int b = 0; b <= both; b++) {
      const double across = ratio * ((a == b) - u[a] * u[b]);
      newton_row(cone, t)[contact->tangent[b]] -= across;
      add_newton_row(cone, contact->tangent[b], across * cone->weight, newton_row(cone, t));
    }
  }
}

static void fill_jacobian(const flg_cone *cone, const double *z, const double *w) {
  const flg_rows *rows = &cone->rows;
  for (int i = 0; i < rows->n; i++) {
    const double y = z[i] - flg_cone_rho(cone, i) * w[i];
    if (cone->solver->owner[i] < 0 || cone->contacts[cone->solver->owner[i]].normal == i)
      set_row(cone, i, y > rows->lower[i] && y < rows->upper[i]);
  }
  for (int k = 0; k < cone->contact_count; k++) {
    const flg_friction_contact *contact = &cone->contacts[k];
    const flg_sliding s = flg_cone_slide(cone, contact, z, w);
    if (!s.open && s.length > s.radius) {
      set_sliding(cone, contact, &s);
      continue;
    }
    for (int j = 0; j < 2; j++) {
      if (contact->tangent[j] >= 0) set_row(cone, contact->tangent[j], !s.open);
    }
  }
}

/* The merit that a step must lower: the deviation, or the sum of squares, in which the largest of
 * many rows may rise on the way. */
static double merit(const flg_cone *cone, double deviation, const double *change) {
  if (!cone->by_squares) return deviation;
  double sum = 0;
  for (int i = 0; i < cone->rows.n; i++) {
    const double part = change[i] * cone->rows.root[i];
    sum += part * part;
  }
  return sum;
}

int flg_cone_newton(const flg_cone *cone, flg_run *run) {
  flg_complementarity *solver = cone->solver;
  double *change = solver->step;
  const double before = merit(cone, run->residual, change);
  const flg_rows *rows = &cone->rows;
  double *x = solver->work, *trial = solver->trial, *w = solver->product, *fresh = solver->last;
  fill_jacobian(cone, run->z, run->w);
  for (int i = 0; i < rows->n; i++) x[i] = change[i] * rows->root[i];
  flg_lu_solve(rows->n, solver->newton, x);
  for (int k = 0; k < HALVINGS; k++) {
    const double length = ldexp(1, -k);
    for (int i = 0; i < rows->n; i++) trial[i] = run->z[i] + length * rows->s[i] * x[i];
    flg_rows_apply(rows, trial, w);
    const double found = flg_cone_deviation(cone, trial, w, fresh);
    if (!(merit(cone, found, fresh) < before)) continue;
    run->residual = found;
    memcpy(run->z, trial, (size_t)rows->n * sizeof *trial);
    memcpy(run->w, w, (size_t)rows->n * sizeof *w);
    memcpy(change, fresh, (size_t)rows->n * sizeof *change);
    return 1;
  }
  return 0;
}
