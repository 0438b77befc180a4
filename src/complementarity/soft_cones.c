#include "complementarity/soft_cones.h"

#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/larger.h"
#include "math/pivoted_cholesky.h"
#include "math/wide_vectors.h"

enum { STEPS = 60, GIVEN_STEPS = 8, SEARCH_STEPS = 20, LENGTHS = 3, BODY = 6 };
static const double NO_PIVOT = 1e-13; /* of W_ii: rounding */
static const double SMALL = 1e-9;     /* of p: a step that is taken as it is */
static const double SOLVED = 1e-10;   /* of p: |F|; rounding of z leaves a tenth of that */
static const double NEARER = 0.1;     /* of a step's length: by so much |F| falls at least */
/* What is left of given radii, by p, when they are renewed: more digits are of no use. */
static const double GIVEN_ENOUGH = 1e-4;
/* Of the slope at the start of a search: an end that is as good as flat. And the part of a bracket
 * that a guess keeps from its ends. */
static const double FLAT = 0.05, MARGIN = 0.05;

/* p, y(p), z(p), and F = p - V z(p) */
typedef struct state {
  double p[FLG_SOFT_FREEDOMS], rest[FLG_SOFT_FREEDOMS];
  double y[FLG_SOFT_MOST], z[FLG_SOFT_MOST];
  double left; /* |F| */
} state;

typedef struct problem {
  const flg_soft_cones *soft;
  const double *q, *yields, *z0;
  const double *radii; /* (contact_count); NULL: mu z_n */
} problem;

/* --- V --------------------------------------------------------------------------------------- */

static void name_rows(flg_soft_cones *soft, int n, int contact_count,
                      const flg_friction_contact *contacts) {
  soft->n = n, soft->contact_count = contact_count, soft->contacts = contacts;
  memset(soft->is_alone, 1, (size_t)n);
  for (int k = 0; k < contact_count; k++) {
    soft->is_alone[contacts[k].normal] = 0;
    for (int j = 0; j < 2; j++) soft->is_alone[contacts[k].tangent[j]] = 0;
  }
}

bool flg_soft_cones_load(flg_soft_cones *soft, int n, const double *w, int leading,
                         int contact_count, const flg_friction_contact *contacts) {
  double factor[FLG_SOFT_DENSE * FLG_SOFT_DENSE];
  int order[FLG_SOFT_DENSE];
  if (n > FLG_SOFT_DENSE) return false;
  const int rank = flg_pivoted_cholesky_factor(n, w, leading, NULL, NO_PIVOT, order, factor, n);
  if (rank < 0 || rank * n > 12 * FLG_SOFT_MOST) return false;
  soft->rank = soft->width = rank, soft->sides = 1;
  for (int k = 0; k < n; k++) {
    double *to = soft->v + (size_t)order[k] * (size_t)rank;
    for (int j = 0; j < rank; j++) to[j] = j <= k ? factor[k + (size_t)j * (size_t)n] : 0;
    soft->starts[k] = 0;
  }
  name_rows(soft, n, contact_count, contacts);
  return true;
}

/* L of M^-1 = L L^T (6 x 6, column-major); columns without a pivot are zero. False: no numbers. */
static bool factor_body(const double *m, double *l) {
  memset(l, 0, sizeof(double) * BODY * BODY);
  for (int j = 0; j < BODY; j++) {
    double pivot = m[7 * j];
    for (int k = 0; k < j; k++) pivot -= l[j + BODY * k] * l[j + BODY * k];
    if (!(pivot < HUGE_VAL)) return false;
    if (!(pivot > NO_PIVOT * m[7 * j])) continue;
    const double root = sqrt(pivot);
    for (int i = j; i < BODY; i++) {
      double sum = m[i + BODY * j];
      for (int k = 0; k < j; k++) sum -= l[i + BODY * k] * l[j + BODY * k];
      l[i + BODY * j] = sum / root;
    }
  }
  return true;
}

bool flg_soft_cones_load_bodies(flg_soft_cones *soft, int n, const flg_sparse_rows *sparse,
                                int contact_count, const flg_friction_contact *contacts) {
  double l[FLG_SOFT_FREEDOMS * BODY];
  const int bodies = sparse->body_count;
  if (n > FLG_SOFT_MOST || BODY * bodies > FLG_SOFT_FREEDOMS || sparse->links != NULL) return false;
  for (int b = 0; b < bodies; b++) {
    if (!factor_body(sparse->inverse_mass + (size_t)36 * (size_t)b, l + (size_t)36 * (size_t)b))
      return false;
  }
  soft->rank = BODY * bodies, soft->width = BODY, soft->sides = 2;
  for (int k = 0; k < 2 * n; k++) {
    const int body = sparse->body[k];
    soft->starts[k] = body < 0 ? -1 : BODY * body;
    if (body < 0) continue;
    const double *j = sparse->jacobian + (size_t)BODY * (size_t)k, *own = l + 36 * (size_t)body;
    double *to = soft->v + (size_t)BODY * (size_t)k;
    for (int c = 0; c < BODY; c++) {
      to[c] = 0;
      for (int i = c; i < BODY; i++) to[c] += j[i] * own[i + BODY * c];
    }
  }
  name_rows(soft, n, contact_count, contacts);
  return true;
}

/* V_i p */
static inline double along_row(const flg_soft_cones *soft, int row, const double *p) {
  double sum = 0;
  for (int k = soft->sides * row; k < soft->sides * (row + 1); k++) {
    const double *v = soft->v + (size_t)k * (size_t)soft->width;
    if (soft->starts[k] < 0) continue;
    const double *at = p + soft->starts[k];
    if (soft->width == BODY) {
      for (int j = 0; j < BODY; j++) sum += v[j] * at[j];
    } else {
      for (int j = 0; j < soft->width; j++) sum += v[j] * at[j];
    }
  }
  return sum;
}

/* p += V_i z */
static inline void add_column(const flg_soft_cones *soft, int row, double z, double *p) {
  for (int k = soft->sides * row; k < soft->sides * (row + 1); k++) {
    const double *v = soft->v + (size_t)k * (size_t)soft->width;
    if (soft->starts[k] < 0) continue;
    double *at = p + soft->starts[k];
    for (int j = 0; j < soft->width; j++) at[j] += v[j] * z;
  }
}

/* --- impulses ----------------------------------------------------------------------------------
 */

static inline double radius_of_cone(const problem *of, int k, const double *z) {
  const flg_friction_contact *contact = &of->soft->contacts[k];
  return of->radii != NULL ? of->radii[k] : contact->coefficient * z[contact->normal];
}

/* y to z */
static inline void find_impulses(const problem *of, const double *y, double *z) {
  const flg_soft_cones *soft = of->soft;
  for (int i = 0; i < soft->n; i++) z[i] = y[i] > 0 ? y[i] : 0;
  for (int k = 0; k < soft->contact_count; k++) {
    const int *t = soft->contacts[k].tangent;
    const double radius = radius_of_cone(of, k, z);
    const double length = sqrt(y[t[0]] * y[t[0]] + y[t[1]] * y[t[1]]);
    const double shrink = length > radius ? radius / length : 1;
    for (int j = 0; j < 2; j++) z[t[j]] = shrink * y[t[j]];
  }
}

/* z and F of at->y and p */
static inline void measure_again(const problem *of, state *at) {
  const int n = of->soft->n, rank = of->soft->rank;
  find_impulses(of, at->y, at->z);
  memcpy(at->rest, at->p, (size_t)rank * sizeof(double));
  for (int i = 0; i < n; i++) {
    if (at->z[i] != 0) add_column(of->soft, i, -at->z[i], at->rest);
  }
  at->left = 0;
  for (int j = 0; j < rank; j++) at->left += at->rest[j] * at->rest[j];
  at->left = sqrt(at->left);
}

FLG_WIDE_VECTORS
static void measure_soft(const problem *of, state *at) {
  for (int i = 0; i < of->soft->n; i++)
    at->y[i] = of->z0[i] - (of->q[i] + along_row(of->soft, i, at->p)) / of->yields[i];
  measure_again(of, at);
}

/* --- Newton steps ------------------------------------------------------------------------------
 */

/* K += a b^T by a factor, of one piece each, in K's rows from i and columns from j on */
static inline void add_soft_outer(int rank, int width, double factor, const double *a,
                                  const double *b, double *k) {
  for (int i = 0; i < width; i++) {
    const double weight = factor * a[i];
    for (int j = 0; j < width; j++) k[(size_t)i * (size_t)rank + (size_t)j] += weight * b[j];
  }
}

/* K += a b^T by a factor; a, b: columns laid out as those of V of this row */
static inline void add_soft_product(const flg_soft_cones *soft, int row, double factor,
                                    const double *a, const double *b, double *k) {
  const int *starts = soft->starts + soft->sides * row;
  const int rank = soft->rank, width = soft->width;
  for (int s = 0; s < soft->sides; s++) {
    for (int t = 0; t < soft->sides; t++) {
      if (starts[s] < 0 || starts[t] < 0) continue;
      double *to = k + (size_t)starts[s] * (size_t)rank + (size_t)starts[t];
      if (width == BODY) { /* in the compiler's sight */
        add_soft_outer(rank, BODY, factor, a + BODY * s, b + BODY * t, to);
      } else {
        add_soft_outer(rank, width, factor, a, b, to);
      }
    }
  }
}

static inline const double *soft_column(const flg_soft_cones *soft, int row) {
  return soft->v + (size_t)row * (size_t)(soft->sides * soft->width);
}

/* what the tangents of a contact that slides add to K */
static inline void add_sliding(const problem *of, int c, const state *at, double radius,
                               double length, double *k) {
  const flg_soft_cones *soft = of->soft;
  const flg_friction_contact *contact = &soft->contacts[c];
  const int n = contact->normal, *t = contact->tangent;
  const double give = 1 / of->yields[n];
  const double u[2] = {at->y[t[0]] / length, at->y[t[1]] / length};
  double forward[FLG_SOFT_FREEDOMS], aside[FLG_SOFT_FREEDOMS];
  const double *a = soft_column(soft, t[0]), *b = soft_column(soft, t[1]);
  for (int j = 0; j < soft->sides * soft->width; j++) {
    forward[j] = u[0] * a[j] + u[1] * b[j], aside[j] = u[0] * b[j] - u[1] * a[j];
  }
  if (of->radii == NULL)
    add_soft_product(soft, n, give * contact->coefficient, forward, soft_column(soft, n), k);
  add_soft_product(soft, n, give * radius / length, aside, aside, k);
}

/* what a contact adds to K = 1 + V (dz/dy) Y^-1 V^T */
static inline void add_contact(const problem *of, int c, const state *at, double *k) {
  const flg_soft_cones *soft = of->soft;
  const int n = soft->contacts[c].normal, *t = soft->contacts[c].tangent;
  const double give = 1 / of->yields[n], radius = radius_of_cone(of, c, at->z), *y = at->y;
  const double length = sqrt(y[t[0]] * y[t[0]] + y[t[1]] * y[t[1]]);
  if (y[n] > 0) add_soft_product(soft, n, give, soft_column(soft, n), soft_column(soft, n), k);
  if (!(radius > 0)) return;
  if (length > radius) {
    add_sliding(of, c, at, radius, length, k);
    return;
  }
  for (int j = 0; j < 2; j++)
    add_soft_product(soft, t[j], give, soft_column(soft, t[j]), soft_column(soft, t[j]), k);
}

/* K^-1 of -F */
FLG_WIDE_VECTORS
static void find_soft_step(const problem *of, const state *at, double *step) {
  const flg_soft_cones *soft = of->soft;
  const int rank = soft->rank;
  double k[FLG_SOFT_FREEDOMS * FLG_SOFT_FREEDOMS];
  memset(k, 0, (size_t)rank * (size_t)rank * sizeof(double));
  for (int j = 0; j < rank; j++) k[(size_t)j * (size_t)(rank + 1)] = 1, step[j] = -at->rest[j];
  for (int i = 0; i < soft->n; i++) {
    if (soft->is_alone[i] && at->y[i] > 0)
      add_soft_product(soft, i, 1 / of->yields[i], soft_column(soft, i), soft_column(soft, i), k);
  }
  for (int c = 0; c < soft->contact_count; c++) add_contact(of, c, at, k);
  flg_lu_solve(rank, k, step);
}

static bool is_small(int rank, const double *step, const double *p) {
  double moved = 0, size = 0;
  for (int j = 0; j < rank; j++) {
    moved = flg_larger(moved, fabs(step[j])), size = flg_larger(size, fabs(p[j]));
  }
  return moved <= SMALL * size;
}

/* |F| by |p| */
static bool is_step_within(int rank, const state *at, double part) {
  double size = 0;
  for (int j = 0; j < rank; j++) size += at->p[j] * at->p[j];
  return at->left <= part * sqrt(size);
}

/* the numbers that there are */
static void copy_soft_state(const flg_soft_cones *soft, const state *from, state *to) {
  const size_t p = (size_t)soft->rank * sizeof(double), z = (size_t)soft->n * sizeof(double);
  memcpy(to->p, from->p, p), memcpy(to->rest, from->rest, p);
  memcpy(to->y, from->y, z), memcpy(to->z, from->z, z);
  to->left = from->left;
}

static void move_soft(const problem *of, double length, const double *step, state *at) {
  for (int j = 0; j < of->soft->rank; j++) at->p[j] += length * step[j];
  measure_soft(of, at);
}

/* The longest of the step and its halves that brings p nearer. False: none does. */
static bool take_soft_step(const problem *of, const double *step, state *at) {
  state trial;
  for (int h = 0; h < LENGTHS; h++) {
    const double length = ldexp(1, -h);
    memcpy(trial.p, at->p, (size_t)of->soft->rank * sizeof(double));
    move_soft(of, length, step, &trial);
    if (!(trial.left < (1 - NEARER * length) * at->left)) continue;
    copy_soft_state(of->soft, &trial, at);
    return true;
  }
  return false;
}

/* --- given radii -------------------------------------------------------------------------------
 */

/* A step in p, and in y; a: its length */
typedef struct line {
  int n; /* rows */
  double y[FLG_SOFT_MOST], along[FLG_SOFT_MOST];
  double slope, bend; /* of |p|^2/2: p d, d d */
} line;

/* the slope of what is least at the solution, at a length */
static double slope_at(const problem *of, const line *on, double length) {
  double y[FLG_SOFT_MOST], z[FLG_SOFT_MOST], slope = on->slope + length * on->bend;
  for (int i = 0; i < on->n; i++) y[i] = on->y[i] - length * on->along[i] / of->yields[i];
  find_impulses(of, y, z);
  for (int i = 0; i < on->n; i++) slope -= on->along[i] * z[i];
  return slope;
}

static void lay_line(const problem *of, const state *at, const double *step, line *on) {
  on->n = of->soft->n, on->slope = on->bend = 0;
  for (int j = 0; j < of->soft->rank; j++)
    on->slope += at->p[j] * step[j], on->bend += step[j] * step[j];
  for (int i = 0; i < on->n; i++) on->y[i] = at->y[i], on->along[i] = along_row(of->soft, i, step);
}

/* The length at which the convex function is least along the step, or the whole step, where it
 * still falls there. */
FLG_WIDE_VECTORS
static double find_step_length(const problem *of, const state *at, const double *step) {
  line on;
  lay_line(of, at, step, &on);
  const double first = slope_at(of, &on, 0);
  double low = 0, high = 1, falls = first, rises = slope_at(of, &on, 1);
  if (!(rises > 0)) return 1;
  for (int k = 0; k < SEARCH_STEPS; k++) {
    const double width = high - low, guess = low + width * falls / (falls - rises);
    const double length = fmin(fmax(guess, low + MARGIN * width), high - MARGIN * width);
    const double slope = slope_at(of, &on, length);
    if (!(fabs(slope) > FLAT * fabs(first))) return length;
    if (slope > 0) {
      high = length, rises = slope;
    } else {
      low = length, falls = slope;
    }
  }
  return low > 0 ? low : high;
}

/* Near the solution of the radii that at->z has. */
static void walk_radii(const problem *of, state *at) {
  double radii[FLG_SOFT_MOST / 3], step[FLG_SOFT_FREEDOMS];
  problem given = *of;
  for (int k = 0; k < of->soft->contact_count; k++) radii[k] = radius_of_cone(of, k, at->z);
  given.radii = radii;
  measure_again(&given, at);
  for (int k = 0; k < GIVEN_STEPS; k++) {
    find_soft_step(&given, at, step);
    if (is_small(of->soft->rank, step, at->p)) break;
    move_soft(&given, find_step_length(&given, at, step), step, at);
    if (is_step_within(of->soft->rank, at, GIVEN_ENOUGH)) break;
  }
  measure_again(of, at);
}

/* --- from the start to the end -----------------------------------------------------------------
 */

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
  const double forward = contact->coefficient * d[n];
  d[t[0]] = forward * u[0] - across * u[1], d[t[1]] = forward * u[1] + across * u[0];
}

/* p, where contacts are open, stick and slide as z says that they do: there y is near z. */
static void start_at_states(const problem *of, const double *z, state *at) {
  const flg_soft_cones *soft = of->soft;
  double d[FLG_SOFT_MOST];
  memcpy(at->y, z, (size_t)soft->n * sizeof *z), memcpy(at->z, z, (size_t)soft->n * sizeof *z);
  for (int i = 0; i < soft->n; i++) d[i] = of->z0[i] - of->q[i] / of->yields[i] - z[i];
  for (int i = 0; i < soft->n; i++) d[i] = soft->is_alone[i] && !(z[i] > 0) ? 0 : d[i];
  for (int k = 0; k < soft->contact_count; k++) follow_contact(&soft->contacts[k], z, z, d);
  memset(at->rest, 0, (size_t)soft->rank * sizeof(double));
  for (int i = 0; i < soft->n; i++) add_column(soft, i, -z[i] - d[i], at->rest);
  find_soft_step(of, at, at->p);
  measure_soft(of, at);
}

/* p = V z, or where its states lead to, if that is nearer */
static void start_soft(const problem *of, const double *z, state *at) {
  state other;
  memset(at->p, 0, (size_t)of->soft->rank * sizeof(double));
  for (int i = 0; i < of->soft->n; i++) add_column(of->soft, i, z[i], at->p);
  measure_soft(of, at);
  if (z == of->z0) return; /* springs that are a little stiffer: states may be others */
  start_at_states(of, z, &other);
  if (other.left < at->left) copy_soft_state(of->soft, &other, at);
}

int flg_soft_cones_solve(const flg_soft_cones *soft, const double *q, const double *yields,
                         const double *z0, double *z) {
  const problem of = {soft, q, yields, z0, NULL};
  double step[FLG_SOFT_FREEDOMS];
  state at;
  start_soft(&of, z, &at);
  for (int k = 0; k < STEPS; k++) {
    if (is_step_within(soft->rank, &at, SOLVED)) {
      memcpy(z, at.z, (size_t)soft->n * sizeof *z);
      return k;
    }
    find_soft_step(&of, &at, step);
    if (is_small(soft->rank, step, at.p)) {
      move_soft(&of, 1, step, &at);
    } else if (!take_soft_step(&of, step, &at)) {
      walk_radii(&of, &at);
    }
  }
  return -1;
}
