/* The projections of cone.h, and sweeps of projected Gauss-Seidel over contacts. */
#include <math.h>

#include "complementarity/cone.h"
#include "math/dense.h"
#include "math/larger.h"

/* normal and tangents of one contact are coupled; more turns gain little while others still move */
enum { LOCAL_SWEEPS = 3 };

static size_t packed_index(int i, int j, int n) {
  return (size_t)i + (size_t)j * (size_t)n;
}

/* A step along -w and its projection are the same at a solution; rho, one over the diagonal of a
 * row, makes that step one of Newton for the row alone. */
flg_sliding flg_cone_slide(const flg_cone *cone, const flg_friction_contact *contact,
                           const double *z, const double *w) {
  const int n = contact->normal;
  flg_sliding at_contact = {.radius = z[n] > 0 ? contact->coefficient * z[n] : 0,
                            .open = !(z[n] - flg_cone_rho(cone, n) * w[n] > 0)};
  for (int j = 0; j < 2; j++) {
    const int row = contact->tangent[j];
    if (row >= 0) at_contact.y[j] = z[row] - flg_cone_rho(cone, row) * w[row];
  }
  at_contact.length = flg_length(at_contact.y[0], at_contact.y[1]);
  return at_contact;
}

/* Changes times roots of the diagonal have one unit for all rows, so that the largest is one
 * number; sigma is how large impulses are in it. */
double flg_cone_deviation(const flg_cone *cone, const double *z, const double *w, double *change) {
  const flg_rows *rows = &cone->rows;
  double sigma = flg_rows_magnitude(rows, z), largest = 0;
  if (!(sigma > 0)) sigma = 1; /* no impulses, no velocities: nothing deviates */
  for (int i = 0; i < rows->n; i++) {
    change[i] =
        flg_clip(z[i] - flg_cone_rho(cone, i) * w[i], rows->lower[i], rows->upper[i]) - z[i];
  }
  for (int k = 0; k < cone->contact_count; k++) {
    const flg_friction_contact *contact = &cone->contacts[k];
    const flg_sliding s = flg_cone_slide(cone, contact, z, w);
    const double shrink = s.length > s.radius ? s.radius / s.length : 1; /* onto the disk */
    for (int j = 0; j < 2; j++) {
      const int row = contact->tangent[j];
      if (row >= 0) change[row] = shrink * s.y[j] - z[row];
    }
  }
  for (int i = 0; i < rows->n; i++) {
    const double size = fabs(change[i]) * rows->root[i] / sigma;
    largest = flg_larger(largest, size);
  }
  return largest == largest ? largest : HUGE_VAL; /* NaN would pass comparisons */
}

/* what an impulse that is off does to its row: change times diagonal; rounding is told apart */
static void add_speed(double change, double root, double rounding, flg_speeds *speeds) {
  const double off = fabs(change) * root, speed = off * root;
  speeds->all = flg_larger(speeds->all, speed);
  speeds->beyond = flg_larger(speeds->beyond, off <= rounding ? 0 : speed);
}

/* In velocities, as residuals in impulses say little where masses differ by orders of magnitude. */
flg_speeds flg_cone_speeds(const flg_cone *cone, const double *z, const double *w) {
  const flg_rows *rows = &cone->rows;
  const double rounding = flg_rows_rounding(rows, z);
  flg_speeds speeds = {0, 0};
  for (int i = 0; i < rows->n; i++) {
    if (cone->contact_count > 0 && cone->solver->owner[i] >= 0) continue;
    const double y = z[i] - flg_cone_rho(cone, i) * w[i];
    add_speed(flg_clip(y, rows->lower[i], rows->upper[i]) - z[i], rows->root[i], rounding, &speeds);
  }
  for (int k = 0; k < cone->contact_count; k++) {
    const flg_friction_contact *contact = &cone->contacts[k];
    const int n = contact->normal;
    const double y = z[n] - flg_cone_rho(cone, n) * w[n];
    const flg_sliding s = flg_cone_slide(cone, contact, z, w);
    const double shrink = s.length > s.radius ? s.radius / s.length : 1;
    add_speed((y > 0 ? y : 0) - z[n], rows->root[n], rounding, &speeds);
    for (int j = 0; j < 2; j++) {
      const int row = contact->tangent[j];
      if (row >= 0) add_speed(shrink * s.y[j] - z[row], rows->root[row], rounding, &speeds);
    }
  }
  return speeds;
}

static flg_cone cone_of(flg_complementarity *solver, const flg_rows *rows,
                        const flg_friction *friction) {
  return (flg_cone){.solver = solver,
                    .rows = *rows,
                    .contact_count = friction->count,
                    .contacts = friction->contacts,
                    .weight = 1};
}

double flg_cone_residual(flg_complementarity *solver, const flg_rows *rows,
                         const flg_friction *friction, const double *z, const double *w) {
  const flg_cone cone = cone_of(solver, rows, friction);
  return flg_cone_deviation(&cone, z, w, solver->last);
}

flg_speeds flg_cone_speeds_of(flg_complementarity *solver, const flg_rows *rows,
                              const flg_friction *friction, const double *z, const double *w) {
  const flg_cone cone = cone_of(solver, rows, friction);
  return flg_cone_speeds(&cone, z, w);
}

/* w follows z, so that the next row of a sweep sees what this one has done */
static void move_cone_row(const flg_cone *cone, int i, double value, double *z, double *w) {
  const double change = value - z[i];
  if (change == 0) return;
  z[i] = value;
  flg_dense_apply(cone->rows.n, 1, 1, cone->rows.a + packed_index(0, i, cone->rows.lda),
                  cone->rows.lda, &change, w);
}

/* the contact alone, all others held: normal and disk in turns */
/* Normal, then tangents within the radius that it gives; a few turns, since each changes the
 * other. */
static void relax_contact_in_cone(const flg_cone *cone, const flg_friction_contact *contact,
                                  double *z, double *w) {
  const int n = contact->normal;
  for (int k = 0; k < LOCAL_SWEEPS; k++) {
    const double normal = z[n] - flg_cone_rho(cone, n) * w[n];
    move_cone_row(cone, n, normal > 0 ? normal : 0, z, w);
    const int both = contact->tangent[1] >= 0;
    const double weight = both ? 0.5 : 1; /* no more than 1 / the larger eigenvalue */
    double y[2] = {0, 0};
    for (int j = 0; j <= both; j++) {
      const int row = contact->tangent[j];
      y[j] = z[row] - weight * flg_cone_rho(cone, row) * w[row];
    }
    const double length = flg_length(y[0], y[1]), radius = contact->coefficient * z[n];
    const double shrink = length > radius ? radius / length : 1;
    for (int j = 0; j <= both; j++) move_cone_row(cone, contact->tangent[j], shrink * y[j], z, w);
  }
}

/* the same by the exact solution of one contact, where it has two tangents and a solution */
static void solve_contact(const flg_cone *cone, const flg_friction_contact *contact, double *z,
                          double *w) {
  const int row[3] = {contact->normal, contact->tangent[0], contact->tangent[1]};
  double a[9], q[3], local[3];
  if (row[2] < 0) {
    relax_contact_in_cone(cone, contact, z, w);
    return;
  }
  /* the velocities without this contact's own impulses */
  for (int i = 0; i < 3; i++) q[i] = w[row[i]];
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      a[i + 3 * j] = cone->rows.a[packed_index(row[i], row[j], cone->rows.lda)];
      q[i] -= a[i + 3 * j] * z[row[j]];
    }
  }
  /* jammed contacts have no solution on their own: a relaxation still moves them the right way */
  if (!flg_cone_local(a, q, contact->coefficient, local)) {
    relax_contact_in_cone(cone, contact, z, w);
    return;
  }
  for (int i = 0; i < 3; i++) move_cone_row(cone, row[i], local[i], z, w);
}

static void sweep(const flg_cone *cone, int exact, double *z, double *w) {
  const flg_rows *rows = &cone->rows;
  for (int i = 0; i < rows->n; i++) {
    if (cone->solver->owner[i] >= 0) continue;
    const double value = z[i] - flg_cone_rho(cone, i) * w[i];
    move_cone_row(cone, i, flg_clip(value, rows->lower[i], rows->upper[i]), z, w);
  }
  for (int k = 0; k < cone->contact_count; k++) {
    (exact ? solve_contact : relax_contact_in_cone)(cone, &cone->contacts[k], z, w);
  }
}

void flg_cone_sweep(const flg_cone *cone, int sweeps, int exact, double *z, double *w) {
  for (int k = 0; k < sweeps; k++) sweep(cone, exact, z, w);
}
