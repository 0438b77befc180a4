/* Contacts that stick or are open as they were the last time, in one piece on the stack.
 *
 *     A_FF z_F = -q_F          F: rows of contacts that stuck
 *
 * by Cholesky with pivoting on rows with a diagonal of 1, A_FF = L L^T. Where rows depend on others
 * (bodies on more points than they need) the shortest z is taken, L (L^T L)^-2 L^T (-q): it shares
 * the load out, far from the rims of the cones, and does not depend on the past; and if that will
 * not do, the one nearest to the last z that the pivots can make. It is the answer where normals
 * push, tangents are inside of their cones and nobody else comes in; else the others begin anew. */
#include <float.h>
#include <math.h>

#include "complementarity/solver.h"
#include "math/dense.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

enum { MOST = FLG_COMPLEMENTARITY_TABLEAU, LANES = 4 };

static const double ENOUGH = 0.01;    /* of the tolerance */
static const double NO_PIVOT = 1e-10; /* of rows with a diagonal of 1 */

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Arrays of rows; lanes past n, and past the active rows, are zero. */
typedef struct sticking {
  int n, active_count, rank;
  int order[MOST];  /* (active_count) F */
  int pivots[MOST]; /* (rank) in F */
  unsigned char position[MOST];
  double s[MOST], z[MOST], w[MOST], q[MOST];
  double rest[MOST];     /* (F) of the diagonal */
  double l[MOST * MOST]; /* (F x rank) columns of MOST */
  double sigma, residual;
} sticking;

static int quads(int count) {
  return (count + LANES - 1) / LANES;
}

/* closed; rows that hardly leave or slide are near enough */
static int stands(unsigned char state) {
  return (state & FLG_ROW_POTENTIAL) || (state & FLG_ROW_POSITION) == FLG_ROW_ACTIVE;
}

/* 1 if the three rows of a contact are there, and stick together or are all open */
static int take_contact(const flg_friction_contact *contact, const unsigned char *states,
                        sticking *at) {
  const int rows[3] = {contact->normal, contact->tangent[0], contact->tangent[1]};
  const int closed = stands(states[contact->normal]);
  for (int j = 0; j < 3; j++) {
    if (at->position[rows[j]] != FLG_ROW_NEW) return 0;
    if (states[rows[j]] == FLG_ROW_NEW || (closed && !stands(states[rows[j]]))) return 0;
    at->position[rows[j]] = closed ? FLG_ROW_ACTIVE : FLG_ROW_LOWER;
  }
  return 1;
}

static int take_positions(int contact_count, const flg_friction_contact *contacts,
                          const unsigned char *states, sticking *at) {
  for (int i = 0; i < at->n; i++) at->position[i] = FLG_ROW_NEW;
  for (int k = 0; k < contact_count; k++) {
    const flg_friction_contact *contact = &contacts[k];
    const unsigned n = (unsigned)at->n;
    if ((unsigned)contact->normal >= n || (unsigned)contact->tangent[0] >= n ||
        (unsigned)contact->tangent[1] >= n || !(contact->coefficient >= 0) ||
        !take_contact(contact, states, at))
      return 0;
  }
  at->active_count = 0;
  for (int i = 0; i < at->n; i++) {
    if (at->position[i] == FLG_ROW_NEW) { /* of no contact */
      if (states[i] == FLG_ROW_NEW) return 0;
      at->position[i] = stands(states[i]) ? FLG_ROW_ACTIVE : FLG_ROW_LOWER;
    }
    if (at->position[i] == FLG_ROW_ACTIVE) at->order[at->active_count++] = i;
  }
  return 1;
}

/* both tangents of a contact are measured alike, as in cone_friction.c */
static int take_scales(const flg_complementarity_matrix *matrix, const double *q, int contact_count,
                       const flg_friction_contact *contacts, sticking *at) {
  for (int i = 0; i < LANES * quads(at->n); i++) at->s[i] = at->z[i] = at->q[i] = 0;
  for (int i = 0; i < at->n; i++) {
    const double a = matrix->dense[i + (size_t)i * (size_t)matrix->leading];
    if (!(a >= DBL_MIN && a <= DBL_MAX)) return 0;
    at->s[i] = 1 / sqrt(a);
    at->q[i] = q[i];
  }
  for (int k = 0; k < contact_count; k++) {
    const int a = contacts[k].tangent[0], b = contacts[k].tangent[1];
    at->s[a] = at->s[b] = at->s[a] < at->s[b] ? at->s[a] : at->s[b];
  }
  return 1;
}

/* w = A z + q, columns of rows that push */
FLG_SMALL void find_velocities(const flg_complementarity_matrix *matrix, sticking *at) {
  const int whole = at->n / LANES, all = quads(at->n);
  for (int i = 0; i < all; i++) ((quad *)at->w)[i] = ((const quad *)at->q)[i];
  for (int k = 0; k < at->active_count; k++) {
    const double *column = matrix->dense + (size_t)at->order[k] * (size_t)matrix->leading;
    const double z = at->z[at->order[k]];
    for (int i = 0; i < whole; i++) ((quad *)at->w)[i] += ((const quad *)column)[i] * z;
    for (int i = LANES * whole; i < at->n; i++) at->w[i] += column[i] * z;
  }
}

/* the pivot with the largest rest; -1: all others depend */
static int choose(const sticking *at) {
  int best = -1;
  double most = NO_PIVOT;
  for (int i = 0; i < at->active_count; i++) {
    if (at->rest[i] > most) best = i, most = at->rest[i];
  }
  return best;
}

FLG_SMALL void add_column(const flg_complementarity_matrix *matrix, int pivot, sticking *at) {
  const int m = at->active_count, row = at->order[pivot];
  const double *source = matrix->dense + (size_t)row * (size_t)matrix->leading;
  double *column = at->l + MOST * at->rank;
  const double root = 1 / sqrt(at->rest[pivot]), scale = at->s[row];
  for (int i = 0; i < m; i++) column[i] = source[at->order[i]] * at->s[at->order[i]] * scale;
  for (int i = m; i < LANES * quads(m); i++) column[i] = 0;
  for (int k = 0; k < at->rank; k++) {
    const double *other = at->l + MOST * k;
    const double weight = other[pivot];
    for (int i = 0; i < quads(m); i++) ((quad *)column)[i] -= ((const quad *)other)[i] * weight;
  }
  for (int i = 0; i < quads(m); i++) {
    ((quad *)column)[i] *= root;
    ((quad *)at->rest)[i] -= ((quad *)column)[i] * ((quad *)column)[i];
  }
  at->rest[pivot] = 0;
  at->pivots[at->rank++] = pivot;
}

/* rows with a shared scale have a diagonal under 1 */
FLG_SMALL void factor(const flg_complementarity_matrix *matrix, sticking *at) {
  at->rank = 0;
  for (int i = 0; i < LANES * quads(at->active_count); i++) at->rest[i] = 0;
  for (int i = 0; i < at->active_count; i++) {
    const int row = at->order[i];
    at->rest[i] =
        matrix->dense[row + (size_t)row * (size_t)matrix->leading] * at->s[row] * at->s[row];
  }
  for (int pivot = choose(at); pivot >= 0; pivot = choose(at)) add_column(matrix, pivot, at);
}

FLG_SMALL double dot(const double *a, const double *b, int count) {
  quad sum = {0};
  for (int i = 0; i < count; i++) sum += ((const quad *)a)[i] * ((const quad *)b)[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* z = the shortest that takes w of F to zero, if rank is less than rows */
FLG_SMALL void share_out(sticking *at) {
  const int m = at->active_count, r = at->rank, all = quads(m);
  double gram[MOST * MOST], x[MOST], b[MOST] = {0};
  for (int i = 0; i < m; i++) b[i] = -at->q[at->order[i]] * at->s[at->order[i]];
  for (int j = 0; j < r; j++) {
    x[j] = dot(at->l + MOST * j, b, all);
    for (int i = j; i < r; i++) gram[i + r * j] = dot(at->l + MOST * i, at->l + MOST * j, all);
  }
  if (flg_dense_cholesky(r, gram, r) < r) return;
  flg_dense_cholesky_solve(r, gram, r, x);
  flg_dense_cholesky_solve(r, gram, r, x);
  for (int i = 0; i < all; i++) ((quad *)b)[i] = (quad){0};
  for (int j = 0; j < r; j++) {
    for (int i = 0; i < all; i++) ((quad *)b)[i] += ((quad *)(at->l + MOST * j))[i] * x[j];
  }
  for (int i = 0; i < m; i++) at->z[at->order[i]] = b[i] * at->s[at->order[i]];
}

/* z += what takes w of the pivots to zero */
FLG_SMALL void correct(sticking *at) {
  double x[MOST];
  for (int k = 0; k < at->rank; k++) {
    const int row = at->order[at->pivots[k]];
    x[k] = -at->w[row] * at->s[row];
    for (int j = 0; j < k; j++) x[k] -= at->l[MOST * j + at->pivots[k]] * x[j];
    x[k] /= at->l[MOST * k + at->pivots[k]];
  }
  for (int k = at->rank - 1; k >= 0; k--) {
    for (int j = k + 1; j < at->rank; j++) x[k] -= at->l[MOST * k + at->pivots[j]] * x[j];
    x[k] /= at->l[MOST * k + at->pivots[k]];
    at->z[at->order[at->pivots[k]]] += x[k] * at->s[at->order[at->pivots[k]]];
  }
}

/* y = z - s^2 w of a row */
static double target(const sticking *at, int row) {
  return at->z[row] - at->s[row] * at->s[row] * at->w[row];
}

static int is_in_cone(const flg_friction_contact *contact, const sticking *at) {
  const double radius = contact->coefficient * target(at, contact->normal);
  const double a = target(at, contact->tangent[0]), b = target(at, contact->tangent[1]);
  return a * a + b * b <= radius * radius;
}

/* 1 if nobody changes sides; what is left of w is the residual */
static int stays(int contact_count, const flg_friction_contact *contacts, sticking *at) {
  double left = 0, sigma = 0, poison = 0;
  for (int i = 0; i < at->n; i++) {
    const double force = fabs(at->q[i]) * at->s[i], load = fabs(at->z[i]) / at->s[i];
    const double speed = fabs(at->w[i]) * at->s[i];
    const int active = at->position[i] == FLG_ROW_ACTIVE;
    poison += 0 * speed + 0 * load;
    sigma = force > sigma ? force : sigma;
    sigma = load > sigma ? load : sigma;
    left = active && speed > left ? speed : left;
  }
  at->sigma = sigma > 0 ? sigma : 1;
  at->residual = left / at->sigma;
  for (int k = 0; k < contact_count; k++) {
    if (at->position[contacts[k].normal] != FLG_ROW_ACTIVE) continue;
    if (!is_in_cone(&contacts[k], at)) return 0;
  }
  return poison == 0;
}

/* normals, and rows that are no contact's: push or leave */
static int signs_hold(int contact_count, const flg_friction_contact *contacts, const sticking *at) {
  unsigned char tangent[MOST] = {0};
  for (int k = 0; k < contact_count; k++) {
    tangent[contacts[k].tangent[0]] = tangent[contacts[k].tangent[1]] = 1;
  }
  for (int i = 0; i < at->n; i++) {
    if (tangent[i]) continue;
    if (at->position[i] == FLG_ROW_ACTIVE ? !(target(at, i) > 0) : !(at->w[i] >= 0)) return 0;
  }
  return 1;
}

/* as flg_run_classify has them */
static void classify(const flg_complementarity_options *options, int contact_count,
                     const flg_friction_contact *contacts, const sticking *at,
                     unsigned char *states) {
  const double near = options->potential_tolerance * at->sigma;
  for (int i = 0; i < at->n; i++) {
    const int active = at->position[i] == FLG_ROW_ACTIVE;
    const int potential = active ? at->z[i] <= near * at->s[i] : fabs(at->w[i]) * at->s[i] <= near;
    states[i] = (unsigned char)(at->position[i] | (potential ? FLG_ROW_POTENTIAL : 0));
  }
  for (int k = 0; k < contact_count; k++) {
    const double radius = contacts[k].coefficient * at->z[contacts[k].normal];
    for (int j = 0; j < 2; j++) {
      const int i = contacts[k].tangent[j];
      if (at->position[i] != FLG_ROW_ACTIVE) continue;
      const int potential = radius - fabs(at->z[i]) <= near * at->s[i];
      states[i] = (unsigned char)(FLG_ROW_ACTIVE | (potential ? FLG_ROW_POTENTIAL : 0));
    }
  }
}

static int is_solved(const flg_complementarity_options *options, int contact_count,
                     const flg_friction_contact *contacts, sticking *at) {
  return stays(contact_count, contacts, at) && signs_hold(contact_count, contacts, at) &&
         at->residual <= ENOUGH * options->tolerance;
}

/* with the shortest z, or near to the last */
FLG_WIDE_VECTORS static void solve(const flg_complementarity_matrix *matrix, const double *last,
                                   sticking *at) {
  if (last == NULL) {
    factor(matrix, at);
    if (at->rank < at->active_count) share_out(at);
  }
  for (int i = 0; i < at->active_count && last != NULL; i++) {
    at->z[at->order[i]] = last[at->order[i]];
  }
  find_velocities(matrix, at);
  correct(at);
  find_velocities(matrix, at);
}

int flg_cone_stick(const flg_complementarity_options *options,
                   const flg_complementarity_matrix *matrix, const double *q, int contact_count,
                   const flg_friction_contact *contacts, unsigned char *states, double *z,
                   double *w, flg_complementarity_statistics *statistics) {
  sticking at;
  at.n = matrix->n;
  if (matrix->dense == NULL || matrix->scale != NULL || at.n < 1 || at.n > MOST || states == NULL ||
      !take_positions(contact_count, contacts, states, &at) ||
      !take_scales(matrix, q, contact_count, contacts, &at))
    return 0;
  solve(matrix, NULL, &at);
  if (!is_solved(options, contact_count, contacts, &at)) {
    if (at.rank == at.active_count) return 0;
    solve(matrix, z, &at);
    if (!is_solved(options, contact_count, contacts, &at)) return 0;
  }
  for (int i = 0; i < at.n; i++) z[i] = at.z[i], w[i] = at.w[i];
  classify(options, contact_count, contacts, &at, states);
  if (statistics != NULL) {
    *statistics = (flg_complementarity_statistics){.outcome = FLG_OUTCOME_SOLVED,
                                                   .method = FLG_METHOD_SMALL,
                                                   .iterations = 1,
                                                   .dependent_rows = at.active_count - at.rank,
                                                   .residual = at.residual};
  }
  return 1;
}
