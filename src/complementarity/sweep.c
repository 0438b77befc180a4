/* Projected Gauss-Seidel: each row, and each contact with friction, in turn goes to where it would
 * be if the others stood still. Dense matrices keep w up to date; sparse rows keep u, what all
 * impulses together do to the bodies. */
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/dense.h"

/* w_i before row i moves */
static inline double see_box_row(const flg_rows *rows, int i, const double *z, const double *w) {
  return rows->blocks != NULL ? flg_sparse_see(rows, i, z[i]) : w[i];
}

static inline void move_box_row(const flg_rows *rows, int i, double value, double *z, double *w) {
  const double change = value - z[i];
  if (change == 0) return;
  z[i] = value;
  if (rows->blocks != NULL) {
    flg_sparse_push(rows, i, change);
  } else {
    const double *column = rows->a + (size_t)i * (size_t)rows->lda;
    flg_dense_apply(rows->n, 1, 1, column, rows->lda, &change, w);
  }
}

/* A row without a diagonal cannot be moved by itself: it goes to the bound that w asks for. */
static inline double relaxed(const flg_rows *rows, int i, double z, double w) {
  const double a = rows->reference[i];
  if (a > 0) return flg_clip(z - w / a, rows->lower[i], rows->upper[i]);
  if (w == 0) return z;
  const double bound = w > 0 ? rows->lower[i] : rows->upper[i];
  return fabs(bound) < HUGE_VAL ? bound : z;
}

static void relax(const flg_rows *rows, int i, double *z, double *w) {
  move_box_row(rows, i, relaxed(rows, i, z[i], see_box_row(rows, i, z, w)), z, w);
}

/* both tangents at once, on the disk; step: 1 / the larger eigenvalue of their block */
/* A projected gradient step on two rows at once: their block need not be a multiple of the
 * identity. */
static void relax_disk(const flg_rows *rows, const int *tangent, double radius, double step,
                       double *z, double *w) {
  const double x = z[tangent[0]] - step * see_box_row(rows, tangent[0], z, w);
  const double y = z[tangent[1]] - step * see_box_row(rows, tangent[1], z, w);
  const double length2 = x * x + y * y;
  const double shrink = length2 > radius * radius ? radius / sqrt(length2) : 1;
  move_box_row(rows, tangent[0], shrink * x, z, w);
  move_box_row(rows, tangent[1], shrink * y, z, w);
}

/* Normal first: the box of the tangents follows from it. */
static void relax_box(flg_complementarity *solver, const flg_rows *rows,
                      const flg_friction *friction, int k, double *z, double *w) {
  const flg_friction_contact *contact = &friction->contacts[k];
  relax(rows, contact->normal, z, w);
  flg_friction_bound(solver, 1, contact, z, 1);
  if (friction->is_cone && contact->tangent[1] >= 0) {
    relax_disk(rows, contact->tangent, solver->upper[contact->tangent[0]],
               solver->curvature[4 * k + 3], z, w);
    return;
  }
  for (int j = 0; j < 2; j++) {
    if (contact->tangent[j] >= 0) relax(rows, contact->tangent[j], z, w);
  }
}

/* Once a solve, not once a sweep: the larger eigenvalue of the tangents' 2 x 2 block bounds the
 * step that a projected gradient may take. */
static void prepare_contact(const flg_rows *rows, const flg_friction_contact *contact,
                            double *own) {
  const int n = contact->normal, *t = contact->tangent;
  const double a = rows->reference[t[0]], b = rows->reference[t[1]];
  const double c = flg_rows_element(rows, t[0], t[1]);
  const double largest = 0.5 * (a + b) + hypot(0.5 * (a - b), c);
  own[0] = rows->reference[n] > 0 ? 1 / rows->reference[n] : 0;
  own[1] = flg_rows_element(rows, t[0], n), own[2] = flg_rows_element(rows, t[1], n);
  own[3] = largest > 0 ? 1 / largest : 0;
}

void flg_sweep_prepare(const flg_complementarity *solver, const flg_rows *rows,
                       flg_friction *friction) {
  if (friction == NULL || !friction->is_cone) return;
  for (int k = 0; k < friction->count; k++) {
    const flg_friction_contact *contact = &friction->contacts[k];
    if (contact->tangent[1] >= 0) prepare_contact(rows, contact, solver->curvature + 4 * k);
  }
  friction->in_blocks = flg_cones_are_in_blocks(rows, friction);
}

/* dense rows keep w, sparse ones the motion of bodies: both are brought up to date with the
 * start z */
void flg_sweep_start(const flg_rows *rows, const double *z, double *w) {
  if (rows->blocks != NULL) {
    flg_sparse_gather(rows, z);
  } else {
    flg_rows_apply(rows, z, w);
  }
}

/* Rows without friction (joint ends, stops) before contacts, in a fixed order: Gauss-Seidel depends
 * on it. */
void flg_sweep(flg_complementarity *solver, const flg_rows *rows, const flg_friction *friction,
               double *z, double *w) {
  for (int i = 0; i < rows->n; i++) {
    if (friction == NULL || solver->owner[i] < 0) relax(rows, i, z, w);
  }
  for (int k = 0; friction != NULL && k < friction->count; k++) {
    relax_box(solver, rows, friction, k, z, w);
  }
}
