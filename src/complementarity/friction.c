/* Functions that both kinds of friction use. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/wide_vectors.h"

/* a row belongs to one contact: projections of two would fight over it */
static int own_row(flg_complementarity *solver, int n, int row, int contact) {
  if (row < 0 || row >= n || solver->owner[row] >= 0) return 0;
  solver->owner[row] = contact;
  return 1;
}

/* NaN and infinity fail the comparisons, and so do rows out of range or used twice. */
static int contact_is_sound(flg_complementarity *solver, int n, const flg_friction_contact *contact,
                            int k) {
  const double mu = contact->coefficient;
  if (!(mu >= 0 && mu <= DBL_MAX)) return 0;
  if (!own_row(solver, n, contact->normal, k) || !own_row(solver, n, contact->tangent[0], k))
    return 0;
  return contact->tangent[1] == -1 || own_row(solver, n, contact->tangent[1], k);
}

/* The box that the normal impulse of now allows; it is renewed as normals change. */
void flg_friction_bound(flg_complementarity *solver, int contact_count,
                        const flg_friction_contact *contacts, const double *z, int friction) {
  for (int k = 0; k < contact_count; k++) {
    const double normal = friction ? z[contacts[k].normal] : 0;
    const double bound = normal > 0 ? contacts[k].coefficient * normal : 0;
    for (int j = 0; j < 2; j++) {
      const int row = contacts[k].tangent[j];
      if (row >= 0) solver->lower[row] = -bound, solver->upper[row] = bound;
    }
  }
}

/* Lemke's method pivots on bounds that are in proportion to normals: it has to know which. */
void flg_friction_couple(flg_complementarity *solver, int n, int contact_count,
                         const flg_friction_contact *contacts, double part) {
  for (int i = 0; i < n; i++) solver->normal[i] = -1, solver->normals[i] = 0;
  for (int k = 0; k < contact_count; k++) {
    for (int j = 0; j < 2; j++) {
      const int row = contacts[k].tangent[j];
      if (row < 0) continue;
      solver->normal[row] = contacts[k].normal;
      solver->normals[row] = part * contacts[k].coefficient;
    }
  }
}

/* Owners first: they say which rows are tangents, whose bounds follow from normals and not from the
 * caller. */
flg_complementarity_outcome flg_friction_load(flg_complementarity *solver,
                                              const flg_complementarity_matrix *matrix,
                                              const double *q, int contact_count,
                                              const flg_friction_contact *contacts,
                                              flg_rows *rows) {
  const int n = matrix->n;
  if (n < 0 || n > solver->capacity || contact_count < 0) return FLG_OUTCOME_BAD_INPUT;
  for (int i = 0; i < n; i++) solver->owner[i] = -1;
  for (int k = 0; k < contact_count; k++) {
    if (!contact_is_sound(solver, n, &contacts[k], k)) return FLG_OUTCOME_BAD_INPUT;
  }
  for (int i = 0; i < n; i++) solver->lower[i] = 0, solver->upper[i] = HUGE_VAL;
  flg_friction_bound(solver, contact_count, contacts, NULL, 0);
  return flg_rows_load(solver, matrix, q, solver->lower, solver->upper, rows);
}

/* Of the largest scaled speed: less is rounding, and rows that move by it stay. */
static const double OPENS = 1e-9;

/* All contacts separate without any impulse: z = 0 is the solution, and no method has to be
 * called. */
int flg_friction_opens(const flg_complementarity_matrix *matrix, const flg_rows *rows) {
  double largest = 0;
  if (matrix->stays) return 0;
  for (int i = 0; i < rows->n; i++) {
    const double speed = fabs(rows->q[i]) * rows->s[i];
    largest = speed > largest ? speed : largest;
  }
  for (int i = 0; i < rows->n; i++) {
    const int pushes = rows->upper[i] > rows->lower[i]; /* tangents cannot, without normals */
    if (pushes && !(rows->q[i] * rows->s[i] > OPENS * largest)) return 0;
  }
  return rows->n > 0;
}

static const double NO_PIVOT = 1e-13; /* of the largest element of the matrix */

/* rows of the system and of its right-hand side */
static void swap_system_rows(int n, double *a, double *x, int i, int k) {
  double *first = a + (size_t)i * (size_t)n, *second = a + (size_t)k * (size_t)n;
  for (int j = 0; j < n && i != k; j++) {
    const double keep = first[j];
    first[j] = second[j], second[j] = keep;
  }
  const double keep = x[i];
  x[i] = x[k], x[k] = keep;
}

/* Partial pivoting: matrices with friction are neither symmetric nor definite. */
static int largest_below(int n, const double *a, int k) {
  int row = k;
  double most = -1;
  for (int i = k; i < n; i++) {
    const double size = fabs(a[(size_t)i * (size_t)n + (size_t)k]);
    if (size > most) row = i, most = size;
  }
  return row;
}

FLG_WIDE_VECTORS
static void eliminate_column(int n, double *a, double *x, int k) {
  const double *restrict pivot = a + (size_t)k * (size_t)n;
  const double inverse = 1 / pivot[k];
  for (int i = k + 1; i < n; i++) {
    double *restrict row = a + (size_t)i * (size_t)n;
    const double weight = row[k] * inverse;
    if (weight == 0) continue;
    for (int j = k + 1; j < n; j++) row[j] -= weight * pivot[j];
    x[i] -= weight * x[k];
  }
}

static double largest_of(int n, const double *a) {
  double largest = 0;
  for (size_t k = 0; k < (size_t)n * (size_t)n; k++) {
    const double size = fabs(a[k]);
    largest = size > largest ? size : largest;
  }
  return largest;
}

/* Redundant contacts make the matrix singular: columns without a pivot get 0, which is one of the
 * solutions, and a bounded one. */
void flg_lu_solve(int n, double *a, double *x) {
  const double nothing = NO_PIVOT * largest_of(n, a);
  for (int k = 0; k < n; k++) {
    double *pivot = a + (size_t)k * (size_t)n + (size_t)k;
    swap_system_rows(n, a, x, largest_below(n, a, k), k);
    if (fabs(*pivot) > nothing) {
      eliminate_column(n, a, x, k);
    } else {
      *pivot = 0;
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *row = a + (size_t)k * (size_t)n;
    for (int j = k + 1; j < n; j++) x[k] -= row[j] * x[j];
    x[k] = row[k] == 0 ? 0 : x[k] / row[k];
  }
}
