/* The matrix W of contact rows and parts of it: dense for small islands, and for large ones as rows
 * between bodies, W = J M^-1 J^T, which is applied without being formed. */
#include <string.h>

#include "contacts/contact_law_inner.h"

/* --- dense ----------------------------------------------------------------------------------- */

static void apply_dense(const flg_touch_problem *problem, const double *x, double *y) {
  const int n = problem->row_count;
  for (int j = 0; j < n; j++) {
    const double *column = problem->admittance + (size_t)j * (size_t)n, weight = x[j];
    if (weight == 0) continue;
    for (int i = 0; i < n; i++) y[i] += column[i] * weight;
  }
}

/* Rows law->rows of W. normals_apart: elements between normals and other rows are left out, so that
 * friction is solved for with normal impulses that are given. */
static flg_complementarity_matrix dense_part(flg_contact_law *law, const flg_touch_problem *problem,
                                             int count, bool normals_apart) {
  const size_t n = (size_t)problem->row_count;
  for (int j = 0; j < count; j++) {
    const double *column = problem->admittance + (size_t)law->rows[j] * n;
    double *to = law->part + (size_t)j * (size_t)count;
    for (int i = 0; i < count; i++) {
      const bool apart = normals_apart && i != j && (i % 3 == 0 || j % 3 == 0);
      to[i] = apart ? 0 : column[law->rows[i]];
    }
  }
  return (flg_complementarity_matrix){.n = count, .dense = law->part, .leading = count};
}

/* --- rows between bodies --------------------------------------------------------------------- */

/* M^-1 f of a body */
static void matrix_answer(const double *inverse_mass, const double *f, double *u) {
  for (int i = 0; i < 6; i++) u[i] = 0;
  for (int j = 0; j < 6; j++) {
    for (int i = 0; i < 6; i++) u[i] += inverse_mass[i + 6 * j] * f[j];
  }
}

/* y += W x by way of the bodies: forces J^T x, velocities M^-1 of them, and J of these; the cost
 * grows with the number of rows, not with its square */
static void apply_sparse(flg_contact_law *law, const flg_touch_problem *problem, const double *x,
                         double *y) {
  const flg_sparse_rows *sparse = problem->sparse;
  const size_t bodies = (size_t)sparse->body_count;
  double *f = law->motion, *u = law->motion + 6 * bodies;
  memset(f, 0, 6 * bodies * sizeof *f);
  for (int k = 0; k < 2 * problem->row_count; k++) {
    if (sparse->body[k] < 0 || x[k / 2] == 0) continue;
    const double *j = sparse->jacobian + (size_t)6 * (size_t)k;
    for (int i = 0; i < 6; i++) f[6 * sparse->body[k] + i] += j[i] * x[k / 2];
  }
  for (size_t b = 0; b < bodies; b++)
    matrix_answer(sparse->inverse_mass + 36 * b, f + 6 * b, u + 6 * b);
  for (size_t b = 0; b < bodies && sparse->links != NULL; b++)
    flg_sparse_follow(sparse->links, (int)b, f + 6 * b, u);
  for (int k = 0; k < 2 * problem->row_count; k++) {
    if (sparse->body[k] < 0) continue;
    const double *j = sparse->jacobian + (size_t)6 * (size_t)k;
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += j[i] * u[6 * sparse->body[k] + i];
    y[k / 2] += sum;
  }
}

/* W_ii */
static double own_answer_sparse(const flg_sparse_rows *sparse, int row) {
  double sum = 0;
  for (int k = 2 * row; k < 2 * row + 2; k++) {
    double u[6];
    if (sparse->body[k] < 0) continue;
    const double *j = sparse->jacobian + (size_t)6 * (size_t)k;
    matrix_answer(sparse->inverse_mass + (size_t)36 * (size_t)sparse->body[k], j, u);
    for (int i = 0; i < 6; i++) sum += j[i] * u[i];
  }
  /* joints make one body move under a force on the other */
  const int a = sparse->body[2 * row], b = sparse->body[2 * row + 1];
  if (sparse->links == NULL || a < 0 || b < 0) return sum;
  const double *j = sparse->jacobian + (size_t)12 * (size_t)row;
  return sum + 2 * flg_sparse_between(sparse->links, a, j, b, j + 6);
}

/* The same with rows: a normal that stands apart acts on no body, and has its W_ii as softness. */
static flg_complementarity_matrix sparse_part(flg_contact_law *law,
                                              const flg_touch_problem *problem, int count,
                                              bool normals_apart) {
  const flg_sparse_rows *from = problem->sparse;
  law->sparse = (flg_sparse_rows){.body_count = from->body_count,
                                  .body = law->body,
                                  .jacobian = law->jacobian,
                                  .inverse_mass = from->inverse_mass,
                                  .links = from->links,
                                  .softness = normals_apart ? law->softness : NULL};
  for (int k = 0; k < count; k++) {
    const int row = law->rows[k];
    const bool apart = normals_apart && k % 3 == 0;
    law->body[2 * k] = apart ? -1 : from->body[2 * row];
    law->body[2 * k + 1] = apart ? -1 : from->body[2 * row + 1];
    law->softness[k] = apart ? own_answer_sparse(from, row) : 0;
    memcpy(law->jacobian + (size_t)12 * (size_t)k, from->jacobian + (size_t)12 * (size_t)row,
           12 * sizeof(double));
  }
  return (flg_complementarity_matrix){.n = count, .sparse = &law->sparse};
}

/* --- either ---------------------------------------------------------------------------------- */

void flg_touch_apply(flg_contact_law *law, const flg_touch_problem *problem, const double *x,
                     double *y) {
  if (problem->admittance != NULL) {
    apply_dense(problem, x, y);
  } else {
    apply_sparse(law, problem, x, y);
  }
}

flg_complementarity_matrix flg_touch_part(flg_contact_law *law, const flg_touch_problem *problem,
                                          int count, bool normals_apart) {
  return problem->admittance != NULL ? dense_part(law, problem, count, normals_apart)
                                     : sparse_part(law, problem, count, normals_apart);
}

/* W + diag(yields): contacts on springs of that compliance */
void flg_touch_soften(flg_contact_law *law, const flg_complementarity_matrix *part,
                      const double *yields) {
  const size_t n = (size_t)part->n;
  for (size_t i = 0; i < n; i++) {
    if (part->dense != NULL) {
      law->part[i * (n + 1)] += yields[i];
    } else {
      law->softness[i] += yields[i];
    }
  }
  law->sparse.softness = law->softness;
}

double flg_touch_own(const flg_touch_problem *problem, int row) {
  if (problem->admittance == NULL) return own_answer_sparse(problem->sparse, row);
  return problem->admittance[(size_t)row * (size_t)(problem->row_count + 1)];
}

flg_complementarity_matrix flg_touch_all(const flg_touch_problem *problem) {
  return (flg_complementarity_matrix){.n = problem->row_count,
                                      .dense = problem->admittance,
                                      .leading = problem->row_count,
                                      .sparse = problem->sparse,
                                      .before = problem->before,
                                      .stays = problem->stays};
}
