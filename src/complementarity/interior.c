/* Contacts that are badly scaled: heavy bodies on light ones, many contacts on few freedoms. An
 * interior-point method on cones in scaled variables x = z/s, y = w s, B = S A S = V^T V,
 *
 *     y = B x + b + e_n mu |y_t|      x in K, y in K*, x'y = 0          (De Saxce)
 *
 * with the steps of Nesterov and Todd, and Mehrotra's corrector; mu |y_t| follows the iterations. V
 * (rank x n) is the pivoted Cholesky factor of B, so that a step solves
 *
 *     (V^T V + H) dx = g     dx = H^-1 (g - V^T t),   (1 + V H^-1 V^T) t = V H^-1 g
 *
 * with H in blocks of a contact each, and U for V^T where contacts slide. The matrix in brackets is
 * never singular by V: many more contacts than freedoms, and masses that are 1e9 apart, are no
 * harder than others. Of all answers the one in the middle is found, which shares loads out evenly.
 *
 * With e_n mu |y_t| the problem is not convex, and where many contacts change their slip together
 * the way may end before. Then mu |y_t| is given: that problem is convex, its way always ends at an
 * answer, and the slip of that answer is what is given next (Cadoux), until it stays.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "complementarity/cone.h"
#include "math/dense.h"
#include "math/larger.h"
#include "math/wide_vectors.h"

enum { STEPS = 80, PATIENCE = 12, POLISHES = 3, NEWTON_MOST = 240, FREEDOMS = 3 };
enum { REFINEMENTS = 1, FIXES = 40, FIXES_IDLE = 8, GIVEN_PATIENCE = 4 };

static const double NO_PIVOT = 1e-13;                /* of rows with a diagonal of 1 */
static const double TO_THE_RIM = 0.99;               /* of the way there */
static const double ENOUGH = 0.1;                    /* of the tolerance, by the largest speed */
static const double BALANCE = 0.1;                   /* of gap by rest at the start, at least */
static const double NEARER = 0.7;                    /* of the gap: a step that helps */
static const double NO_GAP = 1e-18, NO_REST = 1e-13; /* ends of convex problems, by the unit */
static const double SMOOTH = 1e-8;                   /* slip that has no direction, by the unit */
static const double ONE = 1;
static const double NO_WAY = 1e-8; /* of a step: where less is free, it is stuck at the rim */
static const double LEAST = 1e-12; /* friction coefficients under this are none */

/* of x to start with: where A hardly resists, it will be large */
static const double sizes[] = {1, 1e4};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

typedef flg_interior_part part;

typedef struct interior {
  flg_complementarity *solver;
  flg_cone cone;
  int rank, part_count;
  part *parts;
  bool is_lift_given;
  double unit;                 /* of x and y: the largest |q_i| s_i */
  double *v;                   /* (rank x n), columns of n */
  double *k;                   /* (rank x rank) */
  double *x, *y;               /* (n) */
  double *rest;                /* (n) y - (B x + b + shift) */
  double *g, *dx, *dy, *fresh; /* (n) */
  double *t, *row;             /* (rank) */
} interior;

/* --- the parts ------------------------------------------------------------------------------- */

static int is_row_free(const interior *in, int row) {
  return row >= 0 && flg_rows_element(&in->cone.rows, row, row) >= DBL_MIN;
}

static void add_cone_part(interior *in, int normal, const int *tangents, double slope) {
  part *to = &in->parts[in->part_count++];
  *to = (part){.rows = {normal}, .count = 1, .slope = 1};
  if (tangents == NULL || !(slope > LEAST)) return;
  for (int j = 0; j < 2; j++) {
    if (is_row_free(in, tangents[j])) to->rows[to->count++] = tangents[j];
  }
  if (to->count > 1) to->slope = slope;
}

/* Rows that A does not move stay at zero. */
static void list_cone_parts(interior *in) {
  const flg_rows *rows = &in->cone.rows;
  in->part_count = 0;
  for (int i = 0; i < rows->n; i++) {
    if (in->solver->owner[i] < 0 && is_row_free(in, i)) add_cone_part(in, i, NULL, 0);
  }
  for (int k = 0; k < in->cone.contact_count; k++) {
    const flg_friction_contact *contact = &in->cone.contacts[k];
    if (!is_row_free(in, contact->normal)) continue;
    const double ratio = rows->s[contact->normal] * rows->root[contact->tangent[0]];
    add_cone_part(in, contact->normal, contact->tangent, contact->coefficient * ratio);
  }
}

/* rows of a part, the normal by a factor: T x has the slope, T^-1 y its inverse */
static void read_cone_part(const part *p, const double *x, double factor, double a[FREEDOMS]) {
  for (int j = 0; j < p->count; j++) a[j] = x[p->rows[j]];
  for (int j = p->count; j < FREEDOMS; j++) a[j] = 0;
  a[0] *= factor;
}

static void write_cone_part(const part *p, const double a[FREEDOMS], double factor, double *x) {
  for (int j = 0; j < p->count; j++) x[p->rows[j]] = a[j] * (j == 0 ? factor : 1);
}

/* T x and T^-1 y */
static void read_both(const part *p, const double *x, const double *y, double a[FREEDOMS],
                      double c[FREEDOMS]) {
  read_cone_part(p, x, p->slope, a), read_cone_part(p, y, 1 / p->slope, c);
}

/* --- the scaling: W c = W^-1 a = lambda ------------------------------------------------------- */

/* sqrt(a_0^2 - |a_1|^2) */
static double cone_depth(const double a[FREEDOMS]) {
  const double side = flg_length(a[1], a[2]);
  return sqrt(fmax(DBL_MIN, (a[0] - side) * (a[0] + side)));
}

/* (2 v v' - J) u by a factor; flipped: J v for v */
static void reflect_in_cone(const part *p, int flipped, double factor, double u[FREEDOMS]) {
  if (p->count == 1) {
    u[0] *= factor;
    return;
  }
  const double sign = flipped ? -1 : 1, *v = p->v;
  const double along = 2 * (v[0] * u[0] + sign * (v[1] * u[1] + v[2] * u[2]));
  u[0] = factor * (along * v[0] - u[0]);
  for (int j = 1; j < FREEDOMS; j++) u[j] = factor * (along * sign * v[j] + u[j]);
}

static void scale_cone_part(const part *p, double u[FREEDOMS]) {
  reflect_in_cone(p, 0, p->eta, u);
}

static void unscale(const part *p, double u[FREEDOMS]) {
  reflect_in_cone(p, 1, 1 / p->eta, u);
}

static void find_scaling(const double *x, const double *y, part *p) {
  double a[FREEDOMS], c[FREEDOMS], w[FREEDOMS];
  read_both(p, x, y, a, c);
  if (p->count == 1) {
    p->eta = sqrt(a[0] / c[0]), p->lambda[0] = sqrt(a[0] * c[0]);
    return;
  }
  const double deep_a = cone_depth(a), deep_c = cone_depth(c);
  double product = 0;
  for (int j = 0; j < FREEDOMS; j++) product += a[j] / deep_a * (c[j] / deep_c);
  const double gamma = sqrt(0.5 * (1 + product));
  for (int j = 0; j < FREEDOMS; j++) {
    const double mirrored = j == 0 ? c[j] : -c[j];
    w[j] = 0.5 * (a[j] / deep_a + mirrored / deep_c) / gamma;
  }
  const double length = sqrt(2 * (w[0] + 1));
  for (int j = 0; j < FREEDOMS; j++) p->v[j] = (w[j] + (j == 0)) / length;
  p->eta = sqrt(deep_a / deep_c);
  memcpy(p->lambda, c, sizeof c);
  scale_cone_part(p, p->lambda);
}

/* x = H^-1 g = T^-1 W W T^-1 g of a part */
static void soften_cone_part(const part *p, const double *g, double *x) {
  double u[FREEDOMS];
  read_cone_part(p, g, 1 / p->slope, u);
  scale_cone_part(p, u), scale_cone_part(p, u);
  write_cone_part(p, u, 1 / p->slope, x);
}

/* g = H x = T W^-1 W^-1 T x of a part */
static void harden(const part *p, const double *x, double *g) {
  double u[FREEDOMS];
  read_cone_part(p, x, p->slope, u);
  unscale(p, u), unscale(p, u);
  write_cone_part(p, u, p->slope, g);
}

/* --- the matrix ------------------------------------------------------------------------------ */

FLG_WIDE_VECTORS
static double dot_of_rows(int count, const double *restrict a, const double *restrict b) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += a[k] * b[k];
  return sum;
}

static double *interior_column(const interior *in, int row) {
  return in->v + (size_t)row * (size_t)in->cone.rows.n;
}

/* V, pivot by pivot; what is left of the diagonal is in g */
static void interior_factor(interior *in) {
  const flg_rows *rows = &in->cone.rows;
  double *left = in->g;
  /* tangents of a contact share a scale: the diagonal is not all ones */
  for (int i = 0; i < rows->n; i++)
    left[i] = is_row_free(in, i) ? flg_rows_element(rows, i, i) * rows->s[i] * rows->s[i] : 0;
  for (in->rank = 0; in->rank < rows->n; in->rank++) {
    int pivot = 0;
    for (int i = 1; i < rows->n; i++) pivot = left[i] > left[pivot] ? i : pivot;
    if (!(left[pivot] > NO_PIVOT)) return;
    const double *source = rows->a + (size_t)pivot * (size_t)rows->lda,
                 *own = interior_column(in, pivot);
    const double inverse = 1 / sqrt(left[pivot]), root = sqrt(left[pivot]);
    for (int i = 0; i < rows->n; i++) {
      double *to = interior_column(in, i);
      const double b = source[i] * rows->s[i] * rows->s[pivot];
      to[in->rank] = left[i] > 0 ? (b - dot_of_rows(in->rank, to, own)) * inverse : 0;
      left[i] -= to[in->rank] * to[in->rank];
    }
    interior_column(in, pivot)[in->rank] = root;
    left[pivot] = 0;
  }
}

/* Row j of a part as B' has it: where a contact slides, the normal is lifted by what its tangents
 * see. */
static void lift_row(const interior *in, const part *p, int j, double *to) {
  memcpy(to, interior_column(in, p->rows[j]), (size_t)in->rank * sizeof(double));
  for (int k = 1; k < p->count && j == 0; k++)
    flg_dense_apply(in->rank, 1, p->slip[k - 1], interior_column(in, p->rows[k]), in->rank, &ONE,
                    to);
}

/* k += a b^T, rows of `rank` */
FLG_WIDE_VECTORS
static void add_outer_of_part(int rank, const double *restrict a, const double *restrict b,
                              double *restrict k) {
  for (int i = 0; i < rank; i++) {
    const double weight = a[i];
    double *restrict to = k + (size_t)i * (size_t)rank;
    for (int j = 0; j < rank; j++) to[j] += weight * b[j];
  }
}

/* V_p H_p^-1 U_p^T of a part */
static void add_part_to_steps(const interior *in, const part *p) {
  const int rank = in->rank;
  for (int j = 0; j < p->count; j++) {
    double unit[FREEDOMS] = {0};
    unit[j] = j == 0 ? 1 / p->slope : 1;
    scale_cone_part(p, unit), scale_cone_part(p, unit);
    unit[0] /= p->slope;
    memset(in->t, 0, (size_t)rank * sizeof(double));
    for (int i = 0; i < p->count; i++)
      flg_dense_apply(rank, 1, unit[i], interior_column(in, p->rows[i]), rank, &ONE, in->t);
    lift_row(in, p, j, in->row);
    add_outer_of_part(rank, in->t, in->row, in->k);
  }
}

/* L U of k by rows, the larger pivots first; 0 where there is none */
FLG_WIDE_VECTORS
static int factor_lu(int rank, double *restrict k, int *order) {
  for (int j = 0; j < rank; j++) {
    int pivot = j;
    for (int i = j + 1; i < rank; i++)
      pivot = fabs(k[(size_t)i * rank + j]) > fabs(k[(size_t)pivot * rank + j]) ? i : pivot;
    order[j] = pivot;
    double *top = k + (size_t)j * (size_t)rank, *other = k + (size_t)pivot * (size_t)rank;
    for (int c = 0; c < rank && pivot != j; c++) {
      const double keep = top[c];
      top[c] = other[c], other[c] = keep;
    }
    if (!(fabs(top[j]) > 0 && fabs(top[j]) < HUGE_VAL)) return 0;
    const double inverse = 1 / top[j];
    for (int i = j + 1; i < rank; i++) {
      double *restrict row = k + (size_t)i * (size_t)rank;
      const double weight = row[j] *= inverse;
      for (int c = j + 1; c < rank; c++) row[c] -= weight * top[c];
    }
  }
  return 1;
}

static void solve_lu(int rank, const double *k, const int *order, double *x) {
  for (int j = 0; j < rank; j++) {
    const double keep = x[j];
    x[j] = x[order[j]], x[order[j]] = keep;
  }
  for (int i = 1; i < rank; i++) x[i] -= dot_of_rows(i, k + (size_t)i * (size_t)rank, x);
  for (int i = rank - 1; i >= 0; i--) {
    const double *row = k + (size_t)i * (size_t)rank;
    x[i] = (x[i] - dot_of_rows(rank - i - 1, row + i + 1, x + i + 1)) / row[i];
  }
}

/* 1 + V H^-1 U^T, factored; 0 where that cannot be */
static int factor_steps(interior *in) {
  const int rank = in->rank;
  memset(in->k, 0, (size_t)rank * (size_t)rank * sizeof(double));
  for (int i = 0; i < rank; i++) in->k[(size_t)i * (size_t)(rank + 1)] = 1;
  for (int n = 0; n < in->part_count; n++) {
    find_scaling(in->x, in->y, &in->parts[n]);
    add_part_to_steps(in, &in->parts[n]);
  }
  return factor_lu(rank, in->k, in->solver->pivots);
}

/* --- steps ----------------------------------------------------------------------------------- */

/* g -= U t of a part */
static void take_seen(const interior *in, const part *p) {
  for (int j = p->count - 1; j >= 0; j--) {
    const double seen = dot_of_rows(in->rank, interior_column(in, p->rows[j]), in->t);
    in->g[p->rows[j]] -= seen;
    if (j > 0) in->g[p->rows[0]] -= p->slip[j - 1] * seen;
  }
}

/* dx += (U V + H)^-1 g; g is used up */
static void add_solution(const interior *in) {
  const int n = in->cone.rows.n, rank = in->rank;
  memset(in->t, 0, (size_t)rank * sizeof(double));
  for (int k = 0; k < in->part_count; k++) {
    const part *p = &in->parts[k];
    soften_cone_part(p, in->g, in->fresh);
    for (int j = 0; j < p->count; j++) {
      const int row = p->rows[j];
      flg_dense_apply(rank, 1, 1, interior_column(in, row), n, &in->fresh[row], in->t);
    }
  }
  solve_lu(rank, in->k, in->solver->pivots, in->t);
  for (int k = 0; k < in->part_count; k++) {
    const part *p = &in->parts[k];
    take_seen(in, p);
    soften_cone_part(p, in->g, in->fresh);
    for (int j = 0; j < p->count; j++) in->dx[p->rows[j]] += in->fresh[p->rows[j]];
  }
}

/* W^-1 d + rest of a part, which dy holds */
static void load_part(const interior *in, const part *p) {
  double u[FREEDOMS];
  read_cone_part(p, in->dy, 1, u);
  unscale(p, u);
  write_cone_part(p, u, p->slope, in->g);
  for (int j = 0; j < p->count; j++) in->g[p->rows[j]] += in->rest[p->rows[j]];
}

/* g = what dx leaves of the equation */
static void find_left(const interior *in) {
  const int n = in->cone.rows.n, rank = in->rank;
  memset(in->t, 0, (size_t)rank * sizeof(double));
  for (int k = 0; k < in->part_count; k++) {
    for (int j = 0; j < in->parts[k].count; j++) {
      const int row = in->parts[k].rows[j];
      flg_dense_apply(rank, 1, 1, interior_column(in, row), n, &in->dx[row], in->t);
    }
  }
  for (int k = 0; k < in->part_count; k++) {
    const part *p = &in->parts[k];
    load_part(in, p);
    harden(p, in->dx, in->fresh);
    for (int j = 0; j < p->count; j++) in->g[p->rows[j]] -= in->fresh[p->rows[j]];
    take_seen(in, p);
  }
}

/* dx, dy of W^-1 da + W dc = d, which dy holds part by part. Where x and y are far apart, dx is the
 * difference of large numbers: what is left is solved for again. */
static void find_interior_step(const interior *in) {
  memset(in->dx, 0, (size_t)in->cone.rows.n * sizeof(double));
  for (int k = 0; k < in->part_count; k++) load_part(in, &in->parts[k]);
  add_solution(in);
  for (int k = 0; k < REFINEMENTS; k++) find_left(in), add_solution(in);
  for (int k = 0; k < in->part_count; k++) {
    const part *p = &in->parts[k];
    double a[FREEDOMS], d[FREEDOMS];
    read_cone_part(p, in->dx, p->slope, a), read_cone_part(p, in->dy, 1, d);
    unscale(p, a);
    for (int j = 0; j < FREEDOMS; j++) d[j] -= a[j];
    unscale(p, d);
    write_cone_part(p, d, p->slope, in->dy);
  }
}

/* how far lambda may go along d, 1/that */
static double steepness(const part *p, const double d[FREEDOMS]) {
  const double *l = p->lambda;
  if (p->count == 1) return -d[0] / l[0];
  const double deep = cone_depth(l);
  const double head = (l[0] * d[0] - l[1] * d[1] - l[2] * d[2]) / deep;
  const double weight = (head + d[0]) / (l[0] / deep + 1) / deep;
  return (flg_length(d[1] - weight * l[1], d[2] - weight * l[2]) - head) / deep;
}

/* 1 / the longest step that leaves x and y inside */
static double steepest(const interior *in) {
  double most = 0;
  for (int k = 0; k < in->part_count; k++) {
    const part *p = &in->parts[k];
    double a[FREEDOMS], c[FREEDOMS];
    read_both(p, in->dx, in->dy, a, c);
    unscale(p, a), scale_cone_part(p, c);
    const double first = steepness(p, a), second = steepness(p, c);
    most = first > most ? first : most;
    most = second > most ? second : most;
  }
  return most;
}

/* u of lambda o u = d */
static void divide(const part *p, double d[FREEDOMS]) {
  const double *l = p->lambda;
  if (p->count == 1) {
    d[0] /= l[0];
    return;
  }
  const double deep = cone_depth(l);
  const double first = (l[0] * d[0] - l[1] * d[1] - l[2] * d[2]) / deep / deep;
  for (int j = 1; j < FREEDOMS; j++) d[j] = (d[j] - first * l[j]) / l[0];
  d[0] = first;
}

/* target e - lambda o lambda - (W^-1 da) o (W dc), divided by lambda, into dy */
static void correct(const interior *in, double target) {
  for (int k = 0; k < in->part_count; k++) {
    const part *p = &in->parts[k];
    const double *l = p->lambda;
    double a[FREEDOMS], c[FREEDOMS], d[FREEDOMS];
    read_both(p, in->dx, in->dy, a, c);
    unscale(p, a), scale_cone_part(p, c);
    d[0] = target;
    for (int j = 0; j < p->count; j++) d[0] -= l[j] * l[j] + a[j] * c[j];
    for (int j = 1; j < FREEDOMS; j++)
      d[j] = p->count == 1 ? 0 : -(2 * l[0] * l[j] + a[0] * c[j] + c[0] * a[j]);
    divide(p, d);
    write_cone_part(p, d, 1, in->dy);
  }
}

static double gap_of(const interior *in) {
  double sum = 0;
  for (int k = 0; k < in->part_count; k++) {
    for (int j = 0; j < in->parts[k].count; j++) {
      const int row = in->parts[k].rows[j];
      sum += in->x[row] * in->y[row];
    }
  }
  return sum / in->part_count;
}

/* d = -lambda */
static void aim_at_zero(const interior *in) {
  for (int k = 0; k < in->part_count; k++) {
    const part *p = &in->parts[k];
    for (int j = 0; j < p->count; j++) in->dy[p->rows[j]] = -p->lambda[j];
  }
}

/* least: of the gap that the step may aim at; x'y must not vanish before y fits B x */
static int interior_step(const interior *in, double gap, double least) {
  aim_at_zero(in);
  find_interior_step(in);
  const double reach = fmin(1, 1 / steepest(in)), left = 1 - reach;
  correct(in, fmax(left * left * left * gap, least));
  find_interior_step(in);
  const double most = steepest(in), way = fmin(1, TO_THE_RIM / most);
  if (!(way > NO_WAY)) return 0;
  for (int k = 0; k < in->part_count; k++) {
    for (int j = 0; j < in->parts[k].count; j++) {
      const int row = in->parts[k].rows[j];
      in->x[row] += way * in->dx[row];
      in->y[row] += way * in->dy[row];
    }
  }
  return 1;
}

/* --- the way --------------------------------------------------------------------------------- */

/* z and w of x, and what y is off; the speed that is left. Slip lifts the normal in y. */
static flg_speeds measure_interior(const interior *in) {
  flg_complementarity *solver = in->solver;
  const flg_rows *rows = &in->cone.rows;
  const double inverse = 1 / in->unit;
  memset(solver->z, 0, (size_t)rows->n * sizeof(double));
  for (int k = 0; k < in->part_count; k++) {
    for (int j = 0; j < in->parts[k].count; j++) {
      const int row = in->parts[k].rows[j];
      solver->z[row] = in->unit * in->x[row] * rows->s[row];
    }
  }
  flg_rows_apply(rows, solver->z, solver->w);
  for (int k = 0; k < in->part_count; k++) {
    part *p = &in->parts[k];
    double slip[FREEDOMS] = {0};
    for (int j = 0; j < p->count; j++) {
      slip[j] = solver->w[p->rows[j]] * rows->s[p->rows[j]] * inverse;
      in->rest[p->rows[j]] = in->y[p->rows[j]] - slip[j];
    }
    if (p->count == 1) continue;
    const double length = flg_length(slip[1], p->count > 2 ? slip[2] : 0);
    in->rest[p->rows[0]] -= in->is_lift_given ? p->lift : p->slope * length;
    for (int j = 1; j < p->count; j++)
      p->slip[j - 1] = in->is_lift_given ? 0 : p->slope * slip[j] / (length + SMOOTH);
  }
  return flg_cone_speeds(&in->cone, solver->z, solver->w);
}

static void keep_best_interior(const interior *in, flg_speeds found, flg_speeds *best) {
  if (!(found.all < best->all)) return;
  *best = found;
  memcpy(in->solver->best_z, in->solver->z, (size_t)in->cone.rows.n * sizeof(double));
}

static void start_interior(const interior *in, double size) {
  for (int k = 0; k < in->part_count; k++) {
    for (int j = 0; j < in->parts[k].count; j++) {
      in->x[in->parts[k].rows[j]] = j == 0 ? size : 0;
      in->y[in->parts[k].rows[j]] = j == 0;
    }
  }
}

/* how far y is from B x + b and the lift */
static double widest_gap(const interior *in) {
  double most = 0;
  for (int k = 0; k < in->part_count; k++) {
    for (int j = 0; j < in->parts[k].count; j++)
      most = flg_larger(most, fabs(in->rest[in->parts[k].rows[j]]));
  }
  return most;
}

static void walk_interior(interior *in, double size, double enough, flg_run *run,
                          flg_speeds *best) {
  double least_gap = HUGE_VAL, least_rest = HUGE_VAL, first = 0;
  int idle = 0;
  start_interior(in, size);
  for (int k = 0; k < STEPS && idle < PATIENCE; k++) {
    const double before = best->all, gap = gap_of(in);
    keep_best_interior(in, measure_interior(in), best);
    const double rest = widest_gap(in);
    const int nearer = gap < NEARER * least_gap || rest < NEARER * least_rest;
    idle = best->all < before || nearer ? 0 : idle + 1;
    least_gap = fmin(least_gap, gap), least_rest = fmin(least_rest, rest);
    if (k == 0 && rest > 0) first = BALANCE * gap / rest;
    if (best->all <= enough || !factor_steps(in) || !interior_step(in, gap, first * rest)) return;
    run->iterations++;
  }
}

/* Sets the lift of normals by the slip of w, from now on. */
static void give_lift(interior *in, const double *w) {
  const flg_rows *rows = &in->cone.rows;
  in->is_lift_given = true;
  for (int k = 0; k < in->part_count; k++) {
    part *p = &in->parts[k];
    double slip[2] = {0, 0};
    for (int j = 1; j < p->count; j++) slip[j - 1] = w[p->rows[j]] * rows->s[p->rows[j]] / in->unit;
    p->lift = p->count > 1 ? p->slope * flg_length(slip[0], slip[1]) : 0;
  }
}

/* Newton steps from the best, for the last digits */
static void polish_interior(interior *in, double enough, flg_run *run, flg_speeds *best) {
  flg_complementarity *solver = in->solver;
  /* of rows with a diagonal of 1: less each time, since softness costs as many digits */
  static const double softness[POLISHES] = {1e-10, 1e-12, 1e-13};
  if (in->cone.rows.n > NEWTON_MOST) return;
  for (int k = 0; k < POLISHES && best->beyond > enough; k++) {
    memcpy(run->z, solver->best_z, (size_t)in->cone.rows.n * sizeof(double));
    flg_rows_apply(&in->cone.rows, run->z, run->w);
    run->residual = flg_cone_deviation(&in->cone, run->z, run->w, solver->step);
    in->cone.softness = softness[k];
    for (int j = 0; j < 4 && best->beyond > enough && flg_cone_newton(&in->cone, run); j++) {
      run->iterations++;
      keep_best_interior(in, flg_cone_speeds(&in->cone, run->z, run->w), best);
    }
  }
}

/* The way of a convex problem, to its end; z and w are those of the end. */
static void walk_convex(interior *in, double enough, flg_run *run, flg_speeds *best) {
  double least_gap = HUGE_VAL, least_rest = HUGE_VAL, first = 0;
  int idle = 0;
  start_interior(in, 1);
  for (int k = 0; k < STEPS && idle < GIVEN_PATIENCE && best->all > enough; k++) {
    const double gap = gap_of(in);
    keep_best_interior(in, measure_interior(in), best);
    const double rest = widest_gap(in);
    idle = gap < NEARER * least_gap || rest < NEARER * least_rest ? 0 : idle + 1;
    least_gap = fmin(least_gap, gap), least_rest = fmin(least_rest, rest);
    if (k == 0 && rest > 0) first = BALANCE * gap / rest;
    if ((gap < NO_GAP && rest < NO_REST) || !factor_steps(in) ||
        !interior_step(in, gap, first * rest))
      break;
    run->iterations++;
  }
  keep_best_interior(in, measure_interior(in), best);
}

/* Convex problems, one after the other, each with the slip of the last. */
static void fix_slip(interior *in, double enough, flg_run *run, flg_speeds *best) {
  flg_complementarity *solver = in->solver;
  int idle = 0;
  memcpy(solver->z, solver->best_z, (size_t)in->cone.rows.n * sizeof(double));
  flg_rows_apply(&in->cone.rows, solver->z, solver->w);
  give_lift(in, solver->w);
  for (int k = 0; k < FIXES && idle < FIXES_IDLE && best->beyond > enough; k++) {
    const double before = best->beyond;
    walk_convex(in, enough, run, best);
    give_lift(in, solver->w);
    polish_interior(in, enough, run, best);
    idle = best->beyond < NEARER * before ? 0 : idle + 1;
  }
  in->is_lift_given = false;
}

static flg_complementarity_outcome interior_solve(interior *in, flg_run *run) {
  flg_complementarity *solver = in->solver;
  const flg_rows *rows = &in->cone.rows;
  flg_speeds best = {HUGE_VAL, HUGE_VAL};
  double speed = 0;
  in->parts = solver->parts, in->v = solver->l, in->k = solver->newton;
  in->x = solver->step, in->y = solver->trial, in->rest = solver->product, in->g = solver->last;
  in->dx = solver->normals, in->dy = solver->best_w, in->t = solver->work;
  in->row = solver->w, in->fresh = solver->curvature;
  in->unit = 0;
  for (int i = 0; i < rows->n; i++) {
    in->unit = fmax(in->unit, fabs(rows->q[i]) * rows->s[i]);
    speed = fmax(speed, fabs(rows->q[i]));
  }
  if (in->unit < DBL_MIN) in->unit = 1;
  memset(solver->best_z, 0, (size_t)rows->n * sizeof(double));
  list_cone_parts(in);
  interior_factor(in);
  const double exact = ENOUGH * solver->options.tolerance * speed;
  const double bearable = fmax(exact, rows->left); /* not worth another way */
  const double enough = in->cone.is_brief ? bearable : exact;
  for (int k = 0; k < SIZES && in->part_count > 0 && best.beyond > bearable; k++) {
    walk_interior(in, sizes[k], enough, run, &best);
    polish_interior(in, enough, run, &best);
  }
  if (in->part_count > 0 && best.beyond > bearable) fix_slip(in, bearable, run, &best);
  memcpy(run->z, solver->best_z, (size_t)rows->n * sizeof(double));
  flg_rows_apply(rows, run->z, run->w);
  run->residual = flg_cone_deviation(&in->cone, run->z, run->w, solver->step);
  return run->residual <= solver->options.tolerance ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}

flg_status flg_complementarity_interior(flg_complementarity *solver,
                                        const flg_complementarity_matrix *matrix, const double *q,
                                        int contact_count, const flg_friction_contact *contacts,
                                        unsigned char *states, double *z, double *w,
                                        flg_complementarity_statistics *statistics) {
  interior in = {.solver = solver,
                 .cone = {.solver = solver,
                          .contact_count = contact_count,
                          .contacts = contacts,
                          .weight = 1,
                          .is_brief = matrix->brief}};
  flg_run run = {
      .z = solver->z, .w = solver->w, .position = solver->position, .residual = HUGE_VAL};
  flg_complementarity_outcome outcome =
      flg_friction_load(solver, matrix, q, contact_count, contacts, &in.cone.rows);
  if (outcome == FLG_OUTCOME_SOLVED && flg_rows_are_iterated(solver, &in.cone.rows))
    outcome = FLG_OUTCOME_BAD_INPUT;
  if (outcome == FLG_OUTCOME_SOLVED) {
    flg_cone_share_scales(&in.cone);
    outcome = interior_solve(&in, &run);
  }
  return flg_cone_answer(&in.cone, &run, outcome, FLG_METHOD_INTERIOR, states, z, w, statistics);
}
