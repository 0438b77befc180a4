/* Contacts that stick or are open as they were the last time, in one piece on the stack.
 *
 *     A_FF z_F = -q_F          F: rows of contacts that stuck
 *
 * by Cholesky with pivoting on rows with a diagonal of 1, A_FF = L L^T. Where rows depend on others
 * (bodies on more points than they need) the shortest z is taken, L (L^T L)^-2 L^T (-q): it shares
 * the load out, far from the rims of the cones, and does not depend on the past; and if that will
 * not do, the one nearest to the last z that the pivots can make. It is the answer where normals
 * push, tangents are inside of their cones and no other row comes in; else the other methods start.
 */
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

/* x = z_F / s_F, and all else of F, measured by s; lanes past the active rows are zero. */
typedef struct sticking {
  int n, active_count, rank;
  int order[MOST];  /* (active_count) F */
  int pivots[MOST]; /* (rank) in F */
  unsigned char position[MOST];
  double s[MOST], root[MOST], z[MOST], w[MOST]; /* by row; root: 1/s */
  double a[MOST * MOST];                        /* (F x F) columns of MOST */
  double l[MOST * MOST];                        /* (F x rank) columns of MOST */
  double q[MOST], x[MOST], y[MOST];             /* (F) y = a x + q */
  double rest[MOST];                            /* (F) of the diagonal */
  double inverse[MOST];                         /* (rank) 1/l of the pivots */
  int even;                                     /* x is the shortest */
  double sigma, residual;
  double fastest; /* |w| of active rows */
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

/* the rows of a contact are measured alike, by their mean: no direction is preferred */
static int take_scales(const flg_complementarity_matrix *matrix, int contact_count,
                       const flg_friction_contact *contacts, sticking *at) {
  for (int i = 0; i < at->n; i++) {
    const double a = matrix->dense[i + (size_t)i * (size_t)matrix->leading];
    if (!(a >= DBL_MIN && a <= DBL_MAX)) return 0;
    at->w[i] = a;
  }
  for (int k = 0; k < contact_count; k++) {
    const int n = contacts[k].normal, a = contacts[k].tangent[0], b = contacts[k].tangent[1];
    at->w[n] = at->w[a] = at->w[b] = (at->w[n] + at->w[a] + at->w[b]) / 3;
  }
  for (int i = 0; i < at->n; i++) at->root[i] = sqrt(at->w[i]), at->s[i] = 1 / at->root[i];
  return 1;
}

/* --- F; `all` vectors hold a column of it ---------------------------------------------------- */

FLG_SMALL quad *lanes(double *values) {
  return (quad *)values;
}

/* a column of A by s_i s_j; all rows in their order go in vectors */
FLG_SMALL void take_column(const double *source, const double *s, int j, const sticking *at,
                           double *column) {
  const int m = at->active_count, whole = m == at->n ? m / LANES : 0;
  for (int i = 0; i < whole; i++) {
    ((quad *)column)[i] = ((const quad *)source)[i] * ((const quad *)s)[i] * s[j];
  }
  for (int i = LANES * whole; i < m; i++) column[i] = source[at->order[i]] * s[i] * s[j];
}

FLG_SMALL void take_rows(const int all, const flg_complementarity_matrix *matrix, const double *q,
                         sticking *at) {
  const int m = at->active_count;
  double s[MOST];
  for (int i = 0; i < m; i++) s[i] = at->s[at->order[i]];
  for (int i = 0; i < all; i++) lanes(at->q)[i] = lanes(at->rest)[i] = (quad){0};
  for (int j = 0; j < m; j++) {
    const double *source = matrix->dense + (size_t)at->order[j] * (size_t)matrix->leading;
    double *column = at->a + MOST * j;
    for (int i = LANES * (all - 1); i < LANES * all; i++) column[i] = 0;
    take_column(source, s, j, at, column);
    at->rest[j] = column[j];
    at->q[j] = q[at->order[j]] * s[j];
  }
}

/* y = a x + q */
FLG_SMALL void find_velocities(const int all, sticking *at) {
  for (int i = 0; i < all; i++) {
    quad sum = lanes(at->q)[i];
    for (int k = 0; k < at->active_count; k++) sum += lanes(at->a + MOST * k)[i] * at->x[k];
    lanes(at->y)[i] = sum;
  }
}

/* the first pivot with the largest rest; -1: all others depend */
FLG_SMALL int choose(const int all, const sticking *at) {
  quad most = ((const quad *)at->rest)[0];
  for (int i = 1; i < all; i++) {
    const quad other = ((const quad *)at->rest)[i];
    for (int k = 0; k < LANES; k++) most[k] = other[k] > most[k] ? other[k] : most[k];
  }
  const double a = most[0] > most[1] ? most[0] : most[1];
  const double b = most[2] > most[3] ? most[2] : most[3], largest = a > b ? a : b;
  if (!(largest > NO_PIVOT)) return -1;
  int i = 0;
  while (at->rest[i] != largest) i++;
  return i;
}

FLG_SMALL void add_column(const int all, int pivot, sticking *at) {
  double *column = at->l + MOST * at->rank;
  const double root = 1 / sqrt(at->rest[pivot]);
  for (int i = 0; i < all; i++) {
    quad sum = lanes(at->a + MOST * pivot)[i];
    for (int k = 0; k < at->rank; k++) {
      sum -= lanes(at->l + MOST * k)[i] * at->l[MOST * k + pivot];
    }
    sum *= root;
    lanes(column)[i] = sum;
    lanes(at->rest)[i] -= sum * sum;
  }
  at->rest[pivot] = 0;
  at->inverse[at->rank] = root;
  at->pivots[at->rank++] = pivot;
}

FLG_SMALL double dot(const int all, double *a, double *b) {
  quad sum = {0};
  for (int i = 0; i < all; i++) sum += lanes(a)[i] * lanes(b)[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* x = the shortest that takes y to zero; 0 where rounding does not let */
FLG_SMALL int share_out(const int all, sticking *at) {
  const int r = at->rank;
  double gram[MOST * MOST], c[MOST];
  for (int j = 0; j < r; j++) {
    c[j] = -dot(all, at->l + MOST * j, at->q);
    for (int i = j; i < r; i++) gram[i + r * j] = dot(all, at->l + MOST * i, at->l + MOST * j);
  }
  if (flg_dense_cholesky(r, gram, r) < r) return 0;
  flg_dense_cholesky_solve(r, gram, r, c);
  flg_dense_cholesky_solve(r, gram, r, c);
  for (int i = 0; i < all; i++) {
    quad sum = {0};
    for (int j = 0; j < r; j++) sum += lanes(at->l + MOST * j)[i] * c[j];
    lanes(at->x)[i] = sum;
  }
  return 1;
}

/* x += what takes y of the pivots to zero */
FLG_SMALL void correct(sticking *at) {
  double c[MOST];
  for (int k = 0; k < at->rank; k++) {
    const double *row = at->l + at->pivots[k];
    c[k] = -at->y[at->pivots[k]];
    for (int j = 0; j < k; j++) c[k] -= row[MOST * j] * c[j];
    c[k] *= at->inverse[k];
  }
  for (int k = at->rank - 1; k >= 0; k--) {
    const double *column = at->l + MOST * k;
    for (int j = k + 1; j < at->rank; j++) c[k] -= column[at->pivots[j]] * c[j];
    c[k] *= at->inverse[k];
    at->x[at->pivots[k]] += c[k];
  }
}

FLG_SMALL void solve_short(const int all, const flg_complementarity_matrix *matrix, const double *q,
                           sticking *at) {
  at->rank = 0;
  take_rows(all, matrix, q, at);
  for (int pivot = choose(all, at); pivot >= 0; pivot = choose(all, at)) {
    add_column(all, pivot, at);
  }
  at->even = at->rank == at->active_count || share_out(all, at);
  if (at->rank == at->active_count || !at->even) {
    for (int i = 0; i < all; i++) lanes(at->x)[i] = (quad){0};
  }
  find_velocities(all, at);
  correct(at);
  find_velocities(all, at);
}

/* with the shortest x */
FLG_WIDE_VECTORS static void cone_stick_solve(const flg_complementarity_matrix *matrix,
                                              const double *q, sticking *at) {
  switch (quads(at->active_count)) {
    case 1:
      solve_short(1, matrix, q, at);
      break;
    case 2:
      solve_short(2, matrix, q, at);
      break;
    case 3:
      solve_short(3, matrix, q, at);
      break;
    default:
      solve_short(quads(at->active_count), matrix, q, at);
  }
}

/* after it, near to the last z */
static void solve_near(const double *last, sticking *at) {
  const int all = quads(at->active_count);
  for (int k = 0; k < at->active_count; k++) at->x[k] = last[at->order[k]] * at->root[at->order[k]];
  find_velocities(all, at);
  correct(at);
  find_velocities(all, at);
}

/* --- judging it ------------------------------------------------------------------------------ */

/* z and w of all rows */
static void spread_to_rows(const flg_complementarity_matrix *matrix, const double *q,
                           sticking *at) {
  for (int i = 0; i < at->n; i++) at->z[i] = 0, at->w[i] = q[i];
  for (int k = 0; k < at->active_count; k++) at->z[at->order[k]] = at->x[k] * at->s[at->order[k]];
  for (int k = 0; k < at->active_count && at->active_count < at->n; k++) {
    const double *column = matrix->dense + (size_t)at->order[k] * (size_t)matrix->leading;
    for (int i = 0; i < at->n; i++) at->w[i] += column[i] * at->z[at->order[k]];
  }
  for (int k = 0; k < at->active_count; k++)
    at->w[at->order[k]] = at->y[k] * at->root[at->order[k]];
}

/* y = z - s^2 w of a row */
static double target_of_row(const sticking *at, int row) {
  return at->z[row] - at->s[row] * at->s[row] * at->w[row];
}

static int is_in_cone(const flg_friction_contact *contact, const sticking *at) {
  const double radius = contact->coefficient * target_of_row(at, contact->normal);
  const double a = target_of_row(at, contact->tangent[0]),
               b = target_of_row(at, contact->tangent[1]);
  return a * a + b * b <= radius * radius;
}

/* 1 if no row changes sides; what is left of w is the residual */
static int stays(int contact_count, const flg_friction_contact *contacts, const double *q,
                 sticking *at) {
  double left = 0, sigma = 0, poison = 0, fastest = 0;
  for (int i = 0; i < at->n; i++) {
    const double force = fabs(q[i]) * at->s[i], load = fabs(at->z[i]) * at->root[i];
    const double speed = fabs(at->w[i]) * at->s[i];
    const int active = at->position[i] == FLG_ROW_ACTIVE;
    poison += 0 * speed + 0 * load;
    sigma = force > sigma ? force : sigma;
    sigma = load > sigma ? load : sigma;
    left = active && speed > left ? speed : left;
    fastest = active && fabs(at->w[i]) > fastest ? fabs(at->w[i]) : fastest;
  }
  at->fastest = fastest;
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
    if (at->position[i] == FLG_ROW_ACTIVE ? !(target_of_row(at, i) > 0) : !(at->w[i] >= 0))
      return 0;
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

static int is_solved(const flg_complementarity_options *options,
                     const flg_complementarity_matrix *matrix, const double *q, int contact_count,
                     const flg_friction_contact *contacts, sticking *at) {
  spread_to_rows(matrix, q, at);
  return stays(contact_count, contacts, q, at) && signs_hold(contact_count, contacts, at) &&
         at->residual <= ENOUGH * options->tolerance;
}

/* it is large, and filled as far as it is read */
static void begin_sticking(const flg_complementarity_matrix *matrix, sticking *at) {
  at->n = matrix->n;
}

int flg_cone_stick(const flg_complementarity_options *options,
                   const flg_complementarity_matrix *matrix, const double *q, int contact_count,
                   const flg_friction_contact *contacts, unsigned char *states, double *z,
                   double *w, flg_complementarity_statistics *statistics) {
  sticking at;
  begin_sticking(matrix, &at);
  if (matrix->dense == NULL || matrix->scale != NULL || at.n < 1 || at.n > MOST || states == NULL ||
      !take_positions(contact_count, contacts, states, &at) || at.active_count == 0 ||
      !take_scales(matrix, contact_count, contacts, &at))
    return 0;
  cone_stick_solve(matrix, q, &at);
  if (!is_solved(options, matrix, q, contact_count, contacts, &at)) {
    if (at.rank == at.active_count) return 0;
    solve_near(z, &at);
    at.even = 0;
    if (!is_solved(options, matrix, q, contact_count, contacts, &at)) return 0;
  }
  for (int i = 0; i < at.n; i++) z[i] = at.z[i], w[i] = at.w[i];
  classify(options, contact_count, contacts, &at, states);
  if (statistics != NULL) {
    *statistics = (flg_complementarity_statistics){.outcome = FLG_OUTCOME_SOLVED,
                                                   .method = FLG_METHOD_SMALL,
                                                   .iterations = 1,
                                                   .dependent_rows = at.active_count - at.rank,
                                                   .even = at.even,
                                                   .residual = at.residual,
                                                   .speed = at.fastest,
                                                   .excess = at.fastest};
  }
  return 1;
}
