#include "complementarity/soft_cones.h"

#include <math.h>
#include <string.h>

#include "math/larger.h"
#include "math/six.h"
#include "math/wide_vectors.h"

enum { STEPS = 60, GIVEN_STEPS = 8, SEARCH_STEPS = 20, LENGTHS = 3, BODY = 6, ROW = 12 };
static const double NO_PIVOT = 1e-13; /* of M^-1_ii: rounding */
static const double SMALL = 1e-9;     /* of p: a step that is taken as it is */
static const double NEARER = 0.1;     /* of a step's length: by so much |F| falls at least */
/* The deviation, by p, at which given radii are renewed: more digits are of no use. */
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
  flg_soft_cones *soft;
  const double *q, *yields, *z0;
  const double *radii; /* (touch_count); NULL: mu z_n */
} problem;

/* --- V --------------------------------------------------------------------------------------- */

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

/* where number c of the first or second body is in a column */
static inline int place_of(int side, int c) {
  return c < 4 ? 4 * side + c : 4 + 2 * side + c;
}

static void load_row(const flg_sparse_rows *sparse, const double *factors, int row, double *v) {
  memset(v, 0, sizeof(double) * ROW);
  for (int s = 0; s < 2; s++) {
    const int body = sparse->body[2 * row + s];
    if (body < 0) continue;
    const double *j = sparse->jacobian + (size_t)BODY * (size_t)(2 * row + s);
    const double *l = factors + (ptrdiff_t)BODY * BODY * body;
    for (int c = 0; c < BODY; c++) {
      double sum = 0;
      for (int i = c; i < BODY; i++) sum += j[i] * l[i + BODY * c];
      v[place_of(s, c)] = sum;
    }
  }
}

static void add_soft_touch(flg_soft_cones *soft, const flg_sparse_rows *sparse, int row, int rows,
                           double coefficient) {
  flg_soft_touch *made = &soft->touches[soft->touch_count++];
  *made = (flg_soft_touch){row, rows, {soft->rank, soft->rank}, coefficient};
  for (int k = 2 * row; k < 2 * (row + rows); k++) {
    if (sparse->body[k] >= 0) made->places[k % 2] = BODY * sparse->body[k];
  }
}

/* contacts, and rows that are of none */
static void list_touches(flg_soft_cones *soft, const flg_sparse_rows *sparse, int contact_count,
                         const flg_friction_contact *contacts) {
  unsigned char is_alone[FLG_SOFT_MOST];
  memset(is_alone, 1, sizeof is_alone);
  soft->touch_count = 0;
  for (int k = 0; k < contact_count; k++) {
    const int row = contacts[k].normal;
    is_alone[row] = is_alone[row + 1] = is_alone[row + 2] = 0;
    add_soft_touch(soft, sparse, row, 3, contacts[k].coefficient);
  }
  for (int i = 0; i < soft->n; i++) {
    if (is_alone[i]) add_soft_touch(soft, sparse, i, 1, 0);
  }
}

static bool plan_steps(flg_soft_cones *soft, int body_count) {
  uint64_t touching[FLG_BLOCKS_BODIES] = {0};
  for (int k = 0; k < soft->touch_count; k++) {
    const int a = soft->touches[k].places[0] / BODY, b = soft->touches[k].places[1] / BODY;
    if (a == body_count || b == body_count) continue;
    touching[a] |= (uint64_t)1 << b, touching[b] |= (uint64_t)1 << a;
  }
  return flg_body_blocks_plan(&soft->steps, body_count, touching);
}

bool flg_soft_cones_load(flg_soft_cones *soft, int n, const flg_sparse_rows *sparse,
                         int contact_count, const flg_friction_contact *contacts) {
  double factors[FLG_SOFT_FREEDOMS * BODY];
  const int bodies = sparse->body_count;
  if (n > FLG_SOFT_MOST || bodies > FLG_BLOCKS_BODIES || sparse->links != NULL) return false;
  for (int b = 0; b < bodies; b++) {
    if (!factor_body(sparse->inverse_mass + (ptrdiff_t)36 * b, factors + (ptrdiff_t)36 * b))
      return false;
  }
  soft->n = n, soft->rank = BODY * bodies;
  for (int i = 0; i < n; i++) load_row(sparse, factors, i, soft->v + (ptrdiff_t)ROW * i);
  list_touches(soft, sparse, contact_count, contacts);
  return plan_steps(soft, bodies);
}

/* --- pairs of bodies ---------------------------------------------------------------------------
 */

/* twelve numbers of two bodies, as columns of V have them */
typedef struct pair {
  flg_four first, second, rest;
} pair;

FLG_SMALL void load_pair(const double *p, const int *places, pair *to) {
  const double *a = p + places[0], *b = p + places[1];
  to->first = *(const flg_four *)a, to->second = *(const flg_four *)b;
  to->rest =
      __builtin_shufflevector(*(const flg_two *)(a + 4), *(const flg_two *)(b + 4), 0, 1, 2, 3);
}

/* what the ground gets is forgotten */
FLG_SMALL void store_pair(const pair *from, const int *places, double *p) {
  double *a = p + places[0], *b = p + places[1];
  *(flg_four *)a = from->first, *(flg_four *)b = from->second;
  *(flg_two *)(a + 4) = __builtin_shufflevector(from->rest, from->rest, 0, 1);
  *(flg_two *)(b + 4) = __builtin_shufflevector(from->rest, from->rest, 2, 3);
}

FLG_SMALL double pair_dot(const double *v, const pair *p) {
  const flg_four *at = (const flg_four *)v;
  const flg_four sum = at[0] * p->first + at[1] * p->second + at[2] * p->rest;
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* to += factor * v */
FLG_SMALL void pair_add(double factor, const double *v, pair *to) {
  const flg_four *at = (const flg_four *)v;
  to->first += at[0] * factor, to->second += at[1] * factor, to->rest += at[2] * factor;
}

FLG_SMALL const double *soft_column(const flg_soft_cones *soft, int row) {
  return soft->v + (ptrdiff_t)ROW * row;
}

/* p += V_i z over the rows of a touch */
FLG_SMALL void add_to_pair(const flg_soft_cones *soft, const flg_soft_touch *touch, double factor,
                           const double *z, double *p) {
  pair sum;
  load_pair(p, touch->places, &sum);
  for (int i = touch->row; i < touch->row + touch->rows; i++)
    pair_add(factor * z[i], soft_column(soft, i), &sum);
  store_pair(&sum, touch->places, p);
}

static void stand_on_ground(const flg_soft_cones *soft, double *p) {
  memset(p + soft->rank, 0, sizeof(double) * BODY);
}

/* --- impulses ----------------------------------------------------------------------------------
 */

FLG_SMALL double radius_of_cone(const problem *of, int k, const double *z) {
  const flg_soft_touch *touch = &of->soft->touches[k];
  return of->radii != NULL ? of->radii[k] : touch->coefficient * z[touch->row];
}

/* y to z, of a touch */
FLG_SMALL void find_impulses(const problem *of, int k, const double *y, double *z) {
  const flg_soft_touch *touch = &of->soft->touches[k];
  const int n = touch->row;
  z[n] = y[n] > 0 ? y[n] : 0;
  if (touch->rows == 1) return;
  const double radius = radius_of_cone(of, k, z),
               length2 = y[n + 1] * y[n + 1] + y[n + 2] * y[n + 2];
  const double shrink = length2 > radius * radius ? radius / sqrt(length2) : 1;
  z[n + 1] = shrink * y[n + 1], z[n + 2] = shrink * y[n + 2];
}

FLG_SMALL double length_of(int n, const double *x) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += x[j] * x[j];
  return sqrt(sum);
}

/* z and F of y and p; knows_y: y is not found first */
FLG_SMALL void measure_any(const problem *of, bool knows_y, state *at) {
  const flg_soft_cones *soft = of->soft;
  memcpy(at->rest, at->p, sizeof(double) * (size_t)(soft->rank + BODY));
  for (int k = 0; k < soft->touch_count; k++) {
    const flg_soft_touch *touch = &soft->touches[k];
    pair moved;
    if (!knows_y) load_pair(at->p, touch->places, &moved);
    for (int i = touch->row; i < touch->row + touch->rows && !knows_y; i++)
      at->y[i] = of->z0[i] - (of->q[i] + pair_dot(soft_column(soft, i), &moved)) / of->yields[i];
    find_impulses(of, k, at->y, at->z);
    if (at->z[touch->row] > 0 || of->radii != NULL) add_to_pair(soft, touch, -1, at->z, at->rest);
  }
  at->left = length_of(soft->rank, at->rest);
}

FLG_WIDE_VECTORS
static void measure_soft(const problem *of, state *at) {
  measure_any(of, false, at);
}

FLG_WIDE_VECTORS
static void measure_again(const problem *of, state *at) {
  measure_any(of, true, at);
}

/* --- Newton steps ------------------------------------------------------------------------------
 */

/* (dz/dy) Y^-1 times the columns of a contact that slides */
FLG_SMALL void turn_sliding(const problem *of, const flg_soft_touch *touch, const state *at,
                            double radius, double length, double give, pair *to) {
  const int n = touch->row;
  const double u[2] = {at->y[n + 1] / length, at->y[n + 2] / length};
  const double along = of->radii == NULL ? give * touch->coefficient : 0;
  const double aside = give * radius / length;
  const double *normal = soft_column(of->soft, n), *a = soft_column(of->soft, n + 1),
               *b = soft_column(of->soft, n + 2);
  for (int j = 0; j < 2; j++) {
    const double across = aside * (j == 0 ? -u[1] : u[0]);
    to[1 + j] = (pair){{0}, {0}, {0}};
    pair_add(along * u[j], normal, &to[1 + j]);
    pair_add(-across * u[1], a, &to[1 + j]);
    pair_add(across * u[0], b, &to[1 + j]);
  }
}

/* the same of any touch; how many of its rows there are: from the first, or from the second on */
FLG_SMALL void turn_columns(const problem *of, int k, const state *at, pair to[3]) {
  const flg_soft_touch *touch = &of->soft->touches[k];
  const int n = touch->row;
  const double give = 1 / of->yields[n], *y = at->y;
  for (int i = 0; i < touch->rows; i++) {
    to[i] = (pair){{0}, {0}, {0}};
    if (i > 0 || y[n] > 0) pair_add(give, soft_column(of->soft, n + i), &to[i]);
  }
  if (touch->rows == 1) return;
  const double radius = radius_of_cone(of, k, at->z);
  const double length = sqrt(y[n + 1] * y[n + 1] + y[n + 2] * y[n + 2]);
  if (length > radius) turn_sliding(of, touch, at, radius, length, give, to);
}

/* one body of a pair */
FLG_SMALL void pair_side(const pair *from, int side, flg_six *to) {
  to->four = side == 0 ? from->first : from->second;
  to->two = (flg_two){from->rest[2 * side], from->rest[2 * side + 1]};
}

/* K += V_i T_i^T over the rows of a touch, of two of its bodies */
FLG_SMALL void add_to_block(int rows, const double *v, int s, const pair *turned, int t,
                            double *block) {
  flg_six columns[3];
  for (int i = 0; i < rows; i++) pair_side(&turned[i], t, &columns[i]);
  for (int r = 0; r < BODY; r++) {
    flg_six sum;
    flg_six_load(block + BODY * r, &sum);
    for (int i = 0; i < rows; i++) {
      const double factor = v[ROW * i + place_of(s, r)];
      sum.four += columns[i].four * factor, sum.two += columns[i].two * factor;
    }
    flg_six_store(&sum, block + BODY * r);
  }
}

/* what a touch adds to K = 1 + V (dz/dy) Y^-1 V^T */
FLG_SMALL void add_to_steps(const problem *of, int k, const state *at) {
  flg_soft_cones *soft = of->soft;
  const flg_soft_touch *touch = &soft->touches[k];
  const bool is_open = touch->rows == 1 || !(radius_of_cone(of, k, at->z) > 0);
  pair turned[3];
  if (!(at->y[touch->row] > 0) && is_open) return;
  turn_columns(of, k, at, turned);
  for (int s = 0; s < 2; s++) {
    for (int t = 0; t < 2; t++) {
      const int row = touch->places[s], column = touch->places[t];
      if (row == soft->rank || column == soft->rank) continue;
      double *block = flg_body_block(&soft->steps, row / BODY, column / BODY);
      if (touch->rows == 3) { /* in the compiler's sight */
        add_to_block(3, soft_column(soft, touch->row), s, turned, t, block);
      } else {
        add_to_block(1, soft_column(soft, touch->row), s, turned, t, block);
      }
    }
  }
}

FLG_WIDE_VECTORS
static void fill_steps(const problem *of, const state *at) {
  for (int k = 0; k < of->soft->touch_count; k++) add_to_steps(of, k, at);
}

/* K^-1 of -F */
static void find_soft_step(const problem *of, const state *at, double *step) {
  flg_soft_cones *soft = of->soft;
  flg_body_blocks_reset(&soft->steps);
  fill_steps(of, at);
  for (int j = 0; j < soft->rank; j++) step[j] = -at->rest[j];
  flg_body_blocks_solve(&soft->steps, step);
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
  return at->left <= part * length_of(rank, at->p);
}

/* the numbers that there are */
static void copy_soft_state(const flg_soft_cones *soft, const state *from, state *to) {
  const size_t p = (size_t)(soft->rank + BODY) * sizeof(double);
  const size_t z = (size_t)soft->n * sizeof(double);
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
    memcpy(trial.p, at->p, (size_t)(of->soft->rank + BODY) * sizeof(double));
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
  double y[FLG_SOFT_MOST], along[FLG_SOFT_MOST];
  double slope, bend; /* of |p|^2/2: p d, d d */
} line;

/* the slope of what is least at the solution, at a length */
static double slope_at(const problem *of, const line *on, double length) {
  const flg_soft_cones *soft = of->soft;
  double y[FLG_SOFT_MOST], z[FLG_SOFT_MOST], slope = on->slope + length * on->bend;
  for (int i = 0; i < soft->n; i++) y[i] = on->y[i] - length * on->along[i] / of->yields[i];
  for (int k = 0; k < soft->touch_count; k++) {
    const flg_soft_touch *touch = &soft->touches[k];
    find_impulses(of, k, y, z);
    for (int i = touch->row; i < touch->row + touch->rows; i++) slope -= on->along[i] * z[i];
  }
  return slope;
}

FLG_WIDE_VECTORS
static void lay_line(const problem *of, const state *at, const double *step, line *on) {
  const flg_soft_cones *soft = of->soft;
  on->slope = on->bend = 0;
  for (int j = 0; j < soft->rank; j++)
    on->slope += at->p[j] * step[j], on->bend += step[j] * step[j];
  memcpy(on->y, at->y, (size_t)soft->n * sizeof(double));
  for (int k = 0; k < soft->touch_count; k++) {
    const flg_soft_touch *touch = &soft->touches[k];
    pair moved;
    load_pair(step, touch->places, &moved);
    for (int i = touch->row; i < touch->row + touch->rows; i++)
      on->along[i] = pair_dot(soft_column(soft, i), &moved);
  }
}

/* The length at which the convex function is least along the step, or the whole step, where it
 * still falls there. */
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
  double radii[FLG_SOFT_MOST], step[FLG_SOFT_FREEDOMS];
  problem given = *of;
  for (int k = 0; k < of->soft->touch_count; k++) radii[k] = radius_of_cone(of, k, at->z);
  given.radii = radii;
  stand_on_ground(of->soft, step);
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

/* d = (dz/dy) d of a touch */
static void follow_touch(const flg_soft_touch *touch, const double *y, const double *z, double *d) {
  const int n = touch->row;
  if (!(y[n] > 0)) memset(d + n, 0, sizeof *d * (size_t)touch->rows);
  if (!(y[n] > 0) || touch->rows == 1) return;
  const double radius = touch->coefficient * z[n];
  const double length = sqrt(y[n + 1] * y[n + 1] + y[n + 2] * y[n + 2]);
  if (length <= radius) return;
  const double u[2] = {y[n + 1] / length, y[n + 2] / length};
  const double across = (u[0] * d[n + 2] - u[1] * d[n + 1]) * radius / length;
  const double forward = touch->coefficient * d[n];
  d[n + 1] = forward * u[0] - across * u[1], d[n + 2] = forward * u[1] + across * u[0];
}

/* p, where contacts are open, stick and slide as z says that they do: there y is near z. */
static void start_at_states(const problem *of, const double *z, state *at) {
  const flg_soft_cones *soft = of->soft;
  const size_t bytes = (size_t)soft->n * sizeof *z;
  double d[FLG_SOFT_MOST];
  memcpy(at->y, z, bytes), memcpy(at->z, z, bytes);
  for (int i = 0; i < soft->n; i++) d[i] = of->z0[i] - of->q[i] / of->yields[i] - z[i];
  memset(at->rest, 0, (size_t)(soft->rank + BODY) * sizeof(double));
  for (int k = 0; k < soft->touch_count; k++) {
    follow_touch(&soft->touches[k], z, z, d);
    add_to_pair(soft, &soft->touches[k], -1, z, at->rest);
    add_to_pair(soft, &soft->touches[k], -1, d, at->rest);
  }
  stand_on_ground(soft, at->p);
  find_soft_step(of, at, at->p);
  measure_soft(of, at);
}

/* p = V z, or where its states lead to, if that is nearer */
static void start_soft(const problem *of, const double *z, state *at) {
  const flg_soft_cones *soft = of->soft;
  state other;
  memset(at->p, 0, (size_t)(soft->rank + BODY) * sizeof(double));
  for (int k = 0; k < soft->touch_count; k++) add_to_pair(soft, &soft->touches[k], 1, z, at->p);
  stand_on_ground(soft, at->p);
  measure_soft(of, at);
  if (z == of->z0) return; /* springs that are a little stiffer: states may be others */
  start_at_states(of, z, &other);
  if (other.left < at->left) copy_soft_state(soft, &other, at);
}

int flg_soft_cones_solve(flg_soft_cones *soft, const double *q, const double *yields,
                         const double *z0, double enough, double *z) {
  const problem of = {soft, q, yields, z0, NULL};
  double step[FLG_SOFT_FREEDOMS];
  state at;
  start_soft(&of, z, &at);
  for (int k = 0; k < STEPS; k++) {
    if (is_step_within(soft->rank, &at, enough)) {
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
