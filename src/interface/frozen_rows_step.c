/* S of frozen rows, its factors, and solves with them.
 *
 * Loops over numbers of a joint have constant lengths: functions are in line, and called by the
 * number of rows (1 to 6) or of room (2, 4 or 6). What they need of a block they take from it
 * first: vectors may alias anything.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "interface/frozen_rows_inner.h"
#include "math/larger.h"
#include "math/six.h"
#include "math/wide_vectors.h"

enum { MOST = FLG_FROZEN_ROWS_MAX, PORT = 6 };

typedef flg_frozen_block block;
typedef flg_frozen_entry entry;
typedef flg_frozen_side side;

/* --- columns ------------------------------------------------------------------------------------
 */

/* A column of 2, 4 or 6 numbers as vectors; only what there is is computed. */
typedef struct column {
  flg_four four;
  flg_two two;
} column;

FLG_SMALL bool has_four(int room) {
  return room >= 4;
}

FLG_SMALL bool has_two(int room) {
  return room != 4;
}

FLG_SMALL void load(int room, const double *from, column *to) {
  if (has_four(room)) to->four = *(const flg_four *)from;
  if (has_two(room)) to->two = *(const flg_two *)(from + room - 2);
}

FLG_SMALL void store(int room, const column *from, double *to) {
  if (has_four(room)) *(flg_four *)to = from->four;
  if (has_two(room)) *(flg_two *)(to + room - 2) = from->two;
}

/* to = factor * from */
FLG_SMALL void set(int room, double factor, const double *from, column *to) {
  if (has_four(room)) to->four = *(const flg_four *)from * factor;
  if (has_two(room)) to->two = *(const flg_two *)(from + room - 2) * factor;
}

/* to += factor * from */
FLG_SMALL void add(int room, double factor, const double *from, column *to) {
  if (has_four(room)) to->four += *(const flg_four *)from * factor;
  if (has_two(room)) to->two += *(const flg_two *)(from + room - 2) * factor;
}

/* to -= factor * from */
FLG_SMALL void subtract(int room, double factor, const double *from, column *to) {
  if (has_four(room)) to->four -= *(const flg_four *)from * factor;
  if (has_two(room)) to->two -= *(const flg_two *)(from + room - 2) * factor;
}

FLG_SMALL double dot(int room, const double *from, const column *with) {
  flg_two sum = {0, 0};
  if (has_two(room)) sum = *(const flg_two *)(from + room - 2) * with->two;
  if (has_four(room)) {
    const flg_four products = *(const flg_four *)from * with->four;
    sum += (flg_two){products[0], products[1]} + (flg_two){products[2], products[3]};
  }
  return sum[0] + sum[1];
}

FLG_SMALL int room_of(int rows) {
  return rows + rows % 2;
}

// NOLINTBEGIN(readability-function-size): the switches of these two count as branches of short
// functions
/* calls with the number of rows as a constant */
#define BY_ROWS(function, rows, ...) \
  switch (rows) {                    \
    case 1:                          \
      function(1, __VA_ARGS__);      \
      break;                         \
    case 2:                          \
      function(2, __VA_ARGS__);      \
      break;                         \
    case 3:                          \
      function(3, __VA_ARGS__);      \
      break;                         \
    case 4:                          \
      function(4, __VA_ARGS__);      \
      break;                         \
    case 5:                          \
      function(5, __VA_ARGS__);      \
      break;                         \
    default:                         \
      function(6, __VA_ARGS__);      \
      break;                         \
  }

/* the same with the room of another block besides */
#define BY_BOTH(function, room, rows, ...)           \
  switch (room) {                                    \
    case 2:                                          \
      BY_ROWS(function, rows, 2, __VA_ARGS__) break; \
    case 4:                                          \
      BY_ROWS(function, rows, 4, __VA_ARGS__) break; \
    default:                                         \
      BY_ROWS(function, rows, 6, __VA_ARGS__) break; \
  }

/* --- S ------------------------------------------------------------------------------------------
 */

/* the chosen rows of a side */
FLG_SMALL void gather_side(int rows, const int *row, int leading, const double *from, double *G) {
  const int room = room_of(rows);
#pragma GCC unroll 6
  for (int r = 0; r < PORT; r++) {
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) G[i + r * room] = from[row[i] + r * leading];
  }
}

/* G W */
FLG_SMALL void weigh_side(int rows, const double *W, const double *G, double *lever) {
  const int room = room_of(rows);
#pragma GCC unroll 3
  for (int r = 0; r < 3; r++) {
    column moved;
    set(room, W[0], G + r * room, &moved);
    store(room, &moved, lever + r * room);
  }
#pragma GCC unroll 3
  for (int r = 3; r < PORT; r++) {
    column moved;
    set(room, W[3 + r * PORT], G + 3 * room, &moved);
    add(room, W[4 + r * PORT], G + 4 * room, &moved);
    add(room, W[5 + r * PORT], G + 5 * room, &moved);
    store(room, &moved, lever + r * room);
  }
}

/* ... of a flat body: linear across n, angular along it */
FLG_SMALL void flatten_side(int rows, const double n[3], double *lever) {
  const int room = room_of(rows);
  column across, about, moved;
  set(room, n[0], lever, &across);
  set(room, n[0], lever + 3 * room, &about);
#pragma GCC unroll 2
  for (int r = 1; r < 3; r++) {
    add(room, n[r], lever + r * room, &across);
    add(room, n[r], lever + (r + 3) * room, &about);
  }
  double along[2][MOST];
  store(room, &across, along[0]), store(room, &about, along[1]);
#pragma GCC unroll 3
  for (int r = 0; r < 3; r++) {
    load(room, lever + r * room, &moved);
    subtract(room, n[r], along[0], &moved);
    store(room, &moved, lever + r * room);
    set(room, n[r], along[1], &moved);
    store(room, &moved, lever + (r + 3) * room);
  }
}

/* sum = or += three columns by factors that are `apart` from each other */
FLG_SMALL void add_three(int room, const column columns[3], const double *factors, int apart,
                         bool adds, column *sum) {
#pragma GCC unroll 3
  for (int r = 0; r < 3; r++) {
    const double factor = factors[r * apart];
    if (r == 0 && !adds) {
      if (has_four(room)) sum->four = columns[0].four * factor;
      if (has_two(room)) sum->two = columns[0].two * factor;
      continue;
    }
    if (has_four(room)) sum->four += columns[r].four * factor;
    if (has_two(room)) sum->two += columns[r].two * factor;
  }
}

/* to (room x rows) = G lever^T, or added to it; levers after `pushes` have no linear part */
FLG_SMALL void multiply(int rows, int room, const double *G, const double *lever, int pushes,
                        bool adds, double *to) {
  const int apart = room_of(rows);
  column columns[PORT];
#pragma GCC unroll 6
  for (int r = 0; r < PORT; r++) load(room, G + r * room, &columns[r]);
#pragma GCC unroll 6
  for (int j = 0; j < rows; j++) {
    column sum;
    if (adds) load(room, to + j * room, &sum);
    if (j < pushes) {
      add_three(room, columns, lever + j, apart, adds, &sum);
      add_three(room, columns + 3, lever + j + 3 * apart, apart, true, &sum);
    } else {
      add_three(room, columns + 3, lever + j + 3 * apart, apart, adds, &sum);
    }
    store(room, &sum, to + j * room);
  }
}

/* the share of one body in a diagonal block. Where linear parts of rows are unit vectors at right
 * angles, theirs is 1/m on the diagonal, without products. */
FLG_SMALL void add_body(int rows, const block *of, const side *at, const flg_frozen_body *body,
                        bool adds) {
  const int room = room_of(rows), pushes = of->pushes;
  double *diagonal = of->diagonal;
  if (!of->is_straight || body->flat != NULL) {
    multiply(rows, room, at->G, at->lever, pushes, adds, diagonal);
    return;
  }
  multiply(rows, room, at->G, at->lever, 0, adds, diagonal);
  for (int i = 0; i < pushes; i++) diagonal[i * (room + 1)] += body->admittance[0];
}

FLG_SMALL void place_block(int rows, const flg_frozen_body *bodies, const block *of) {
  const flg_frozen_joint *joint = of->joint;
  double *diagonal = of->diagonal;
  const double *compliance = joint->compliance;
  const int room = room_of(rows), count = of->side_count, leading = joint->leading;
  int row[MOST];
  for (int i = 0; i < rows; i++) row[i] = of->row[i];
  const side *at = of->side;
  for (int s = 0; s < count; s++, at++) {
    double *G = at->G, *lever = at->lever;
    const double *from = at->from, *W = bodies[at->body].admittance;
    if (from != NULL) gather_side(rows, row, leading, from, G);
    weigh_side(rows, W, G, lever);
    if (bodies[at->body].flat != NULL) flatten_side(rows, bodies[at->body].normal, lever);
    if (s == 0) {
      add_body(rows, of, at, &bodies[at->body], false);
    } else {
      add_body(rows, of, at, &bodies[at->body], true);
    }
  }
  if (compliance == NULL) return;
  for (int i = 0; i < rows; i++) diagonal[i * (room + 1)] += compliance[row[i]];
}

FLG_WIDE_VECTORS
static void place_all(const flg_frozen_rows *f) {
  const flg_frozen_body *bodies = f->bodies;
  for (const block *of = f->blocks, *end = of + f->block_count; of < end; of++) {
    BY_ROWS(place_block, of->rows, bodies, of)
  }
  for (int k = 0; k < f->fill_count; k++) {
    memset(f->fills[k], 0, f->fill_sizes[k] * sizeof(double));
  }
  const flg_frozen_coupling *of = f->couplings, *end = of + f->coupling_count;
  for (; of < end; of++) {
    const double *G = of->later->G, *lever = of->earlier->lever;
    const int pushes = of->pushes;
    double *to = of->entry;
    if (of->adds) {
      BY_BOTH(multiply, of->room, of->rows, G, lever, pushes, true, to)
    } else {
      BY_BOTH(multiply, of->room, of->rows, G, lever, pushes, false, to)
    }
  }
}

/* --- factors ------------------------------------------------------------------------------------
 */

/* L of a diagonal block, then L^-1, by columns and by rows. own: what the diagonal of S was. */
FLG_SMALL void factor_block(int rows, const block *of, double sound, double *least,
                            bool *is_sound) {
  const int room = room_of(rows);
  const double *own = of->x, *S = of->diagonal;
  double *inverse = of->inverse, *upper = of->upper;
  double L[MOST][MOST], over[MOST], M[MOST][MOST];
#pragma GCC unroll 6
  for (int j = 0; j < rows; j++) {
    double pivot = S[j * (room + 1)];
#pragma GCC unroll 6
    for (int k = 0; k < j; k++) pivot -= L[j][k] * L[j][k];
    if (!(pivot > sound * own[j] && pivot <= DBL_MAX)) {
      *is_sound = false;
      return;
    }
    if (pivot < *least * own[j]) *least = pivot / own[j];
    over[j] = 1 / sqrt(pivot);
#pragma GCC unroll 6
    for (int i = j + 1; i < rows; i++) {
      double sum = S[i + j * room];
#pragma GCC unroll 6
      for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      L[i][j] = sum * over[j];
    }
  }
#pragma GCC unroll 6
  for (int j = 0; j < rows; j++) {
#pragma GCC unroll 6
    for (int k = 0; k < j; k++) {
      double sum = 0;
#pragma GCC unroll 6
      for (int i = k; i < j; i++) sum -= L[j][i] * M[i][k];
      M[j][k] = sum * over[j];
    }
    M[j][j] = over[j];
  }
#pragma GCC unroll 6
  for (int j = 0; j < rows; j++) {
#pragma GCC unroll 6
    for (int k = 0; k <= j; k++) inverse[j + k * room] = upper[k + j * room] = M[j][k];
  }
}

/* V = E L^-T in place: the last column first */
FLG_SMALL void divide(int rows, int room, const double *upper, double *E) {
#pragma GCC unroll 6
  for (int j = rows - 1; j >= 0; j--) {
    const double *factor = upper + j * room_of(rows);
    column sum;
    set(room, factor[j], E + j * room, &sum);
#pragma GCC unroll 6
    for (int k = 0; k < j; k++) add(room, factor[k], E + k * room, &sum);
    store(room, &sum, E + j * room);
  }
}

/* to (room x count) -= V U^T, V (room x rows), U (other x rows) */
FLG_SMALL void downdate(int rows, int room, const double *V, const double *U, int other, int count,
                        double *to) {
  column columns[MOST];
#pragma GCC unroll 6
  for (int k = 0; k < rows; k++) load(room, V + k * room, &columns[k]);
  for (int j = 0; j < count; j++) {
    column sum;
    load(room, to + j * room, &sum);
#pragma GCC unroll 6
    for (int k = 0; k < rows; k++) {
      const double factor = U[j + k * other];
      if (has_four(room)) sum.four -= columns[k].four * factor;
      if (has_two(room)) sum.two -= columns[k].two * factor;
    }
    store(room, &sum, to + j * room);
  }
}

/* what a block that goes leaves of one that it is coupled with */
FLG_SMALL void take_off(int rows, int room, const double *upper, double *E, const block *later) {
  double *diagonal = later->diagonal;
  const int count = later->rows;
  divide(rows, room, upper, E);
  downdate(rows, room, E, E, room, count, diagonal);
}

/* ... and of what couples those */
FLG_SMALL const int *eliminate(const entry *entries, const block *of, const entry *first, int below,
                               const int *target) {
  const int rows = of->rows;
  const double *upper = of->upper;
  for (int a = 0; a < below; a++) {
    double *E = first[a].numbers;
    const block *later = first[a].later;
    BY_BOTH(take_off, later->room, rows, upper, E, later)
  }
  for (int a = 0; a < below; a++) {
    const double *U = first[a].numbers;
    const int other = first[a].later->room, count = first[a].later->rows;
    for (int b = a + 1; b < below; b++) {
      const double *V = first[b].numbers;
      double *to = entries[*target++].numbers;
      BY_BOTH(downdate, first[b].later->room, rows, V, U, other, count, to)
    }
  }
  return target;
}

FLG_WIDE_VECTORS
static bool factor_all(flg_frozen_rows *f, double sound) {
  const int *target = f->pattern.target, *below = f->pattern.below;
  const entry *entries = f->entries, *first = entries;
  double least = 1;
  bool is_sound = true;
  for (const block *of = f->blocks, *end = of + f->block_count; of < end; of++) {
    BY_ROWS(factor_block, of->rows, of, sound, &least, &is_sound)
    if (!is_sound) return false;
    target = eliminate(entries, of, first, *below, target);
    first += *below++;
  }
  f->least = least;
  return true;
}

bool flg_frozen_rows_factor(flg_frozen_rows *rows, double sound) {
  place_all(rows);
  /* right-hand sides are not in use yet */
  for (const block *of = rows->blocks, *end = of + rows->block_count; of < end; of++) {
    for (int i = 0; i < of->rows; i++) of->x[i] = of->diagonal[i * (of->room + 1)];
  }
  return factor_all(rows, sound);
}

/* --- solve --------------------------------------------------------------------------------------
 */

/* x = gamma - G b */
FLG_SMALL void aim(int rows, const flg_frozen_body *bodies, const block *of) {
  const int room = room_of(rows), *row = of->row, count = of->side_count;
  const double *gamma = of->joint->gamma;
  double *x = of->x, wanted[MOST] = {0};
  const side *at = of->side;
  column sum;
#pragma GCC unroll 6
  for (int i = 0; i < rows; i++) wanted[i] = gamma[row[i]];
  load(room, wanted, &sum);
  for (int s = 0; s < count; s++, at++) {
    const flg_frozen_body *body = &bodies[at->body];
    const double *b = body->flat != NULL ? body->flat : body->bias, *G = at->G;
#pragma GCC unroll 6
    for (int r = 0; r < PORT; r++) subtract(room, b[r], G + r * room, &sum);
  }
  store(room, &sum, x);
}

/* to = triangle * x, both of a block */
FLG_SMALL void multiply_triangle(int rows, const double *triangle, double *x) {
  const int room = room_of(rows);
  column sum;
  set(room, x[0], triangle, &sum);
#pragma GCC unroll 6
  for (int k = 1; k < rows; k++) add(room, x[k], triangle + k * room, &sum);
  store(room, &sum, x);
}

/* x of a later block -= V x */
FLG_SMALL void take_on(int rows, int room, const double *V, const double *x, double *to) {
  column sum;
  load(room, to, &sum);
#pragma GCC unroll 6
  for (int k = 0; k < rows; k++) subtract(room, x[k], V + k * room, &sum);
  store(room, &sum, to);
}

/* x -= V^T x of a later block */
FLG_SMALL void take_back(int rows, int room, const double *V, const double *from, double *x) {
  column known;
  load(room, from, &known);
#pragma GCC unroll 6
  for (int k = 0; k < rows; k++) x[k] -= dot(room, V + k * room, &known);
}

/* of two columns at once: sums of products side by side */
FLG_SMALL flg_two dot_two(int room, const double *one, const double *other, const column *with) {
  flg_two sum = {0, 0};
  if (has_two(room)) {
    const flg_two a = *(const flg_two *)(one + room - 2) * with->two;
    const flg_two b = *(const flg_two *)(other + room - 2) * with->two;
    sum = (flg_two){a[0], b[0]} + (flg_two){a[1], b[1]};
  }
  if (has_four(room)) {
    const flg_four a = *(const flg_four *)one * with->four;
    const flg_four b = *(const flg_four *)other * with->four;
    const flg_four pairs = (flg_four){a[0], b[0], a[2], b[2]} + (flg_four){a[1], b[1], a[3], b[3]};
    sum += (flg_two){pairs[0], pairs[1]} + (flg_two){pairs[2], pairs[3]};
  }
  return sum;
}

/* reactions, and G^T l */
FLG_SMALL void push(int rows, const flg_frozen_body *bodies, const block *of) {
  const int room = room_of(rows), *row = of->row, count = of->side_count;
  const flg_frozen_joint *joint = of->joint;
  double *reactions = joint->reactions;
  const double *x = of->x;
  const side *at = of->side;
  column l;
  load(room, x, &l);
  if (joint->rows > rows) memset(reactions, 0, (size_t)joint->rows * sizeof *reactions);
#pragma GCC unroll 6
  for (int i = 0; i < rows; i++) reactions[row[i]] = x[i];
  for (int s = 0; s < count; s++, at++) {
    double *force = bodies[at->body].force;
    const double *G = at->G;
#pragma GCC unroll 3
    for (int r = 0; r < PORT; r += 2) {
      *(flg_two *)(force + r) += dot_two(room, G + r * room, G + (r + 1) * room, &l);
    }
  }
}

/* six numbers in the plane */
FLG_SMALL void flatten(const double n[3], const double *from, double *to) {
  const double across = n[0] * from[0] + n[1] * from[1] + n[2] * from[2];
  const double about = n[0] * from[3] + n[1] * from[4] + n[2] * from[5];
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) to[i] = from[i] - n[i] * across, to[i + 3] = n[i] * about;
}

/* W^-1 of a turn that is out of the plane: W has n as a principal axis */
static void resist_tilt(const double *W, const double tilt[3], double to[3]) {
  const double *a = W + 3 + 3 * PORT, *b = a + PORT, *c = b + PORT;
  const double bc[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2],
                        b[0] * c[1] - b[1] * c[0]};
  const double ca[3] = {c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2],
                        c[0] * a[1] - c[1] * a[0]};
  const double ab[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                        a[0] * b[1] - a[1] * b[0]};
  const double scale = 1 / (a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2]);
  to[0] = scale * (tilt[0] * bc[0] + tilt[1] * bc[1] + tilt[2] * bc[2]);
  to[1] = scale * (tilt[0] * ca[0] + tilt[1] * ca[1] + tilt[2] * ca[2]);
  to[2] = scale * (tilt[0] * ab[0] + tilt[1] * ab[1] + tilt[2] * ab[2]);
}

/* What holds a flat body in its plane takes all that b has out of it. */
static void hold_flat(const flg_frozen_body *body) {
  const double *b = body->bias, *in = body->flat, *W = body->admittance;
  double *x = body->force, tilt[3], moment[3];
  for (int i = 0; i < 3; i++) {
    x[i] -= (b[i] - in[i]) / W[0];
    tilt[i] = b[i + 3] - in[i + 3];
  }
  if (tilt[0] == 0 && tilt[1] == 0 && tilt[2] == 0) return;
  resist_tilt(W, tilt, moment);
  for (int i = 0; i < 3; i++) x[i + 3] -= moment[i];
}

/* y = b + W x; 0 while all are finite */
FLG_SMALL double move(const flg_frozen_body *body) {
  const bool is_flat = body->flat != NULL;
  if (is_flat) flatten(body->normal, body->force, body->force);
  const double *W = body->admittance, *b = is_flat ? body->flat : body->bias, *x = body->force;
  double *y = body->motion, moved[PORT];
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) moved[i] = b[i] + W[0] * x[i];
#pragma GCC unroll 3
  for (int i = 3; i < PORT; i++) {
    moved[i] = b[i] + (W[i + 3 * PORT] * x[3] + W[i + 4 * PORT] * x[4] + W[i + 5 * PORT] * x[5]);
  }
#pragma GCC unroll 6
  for (int i = 0; i < PORT; i++) y[i] = moved[i];
  if (is_flat) hold_flat(body);
  return 0 * (((moved[0] + moved[1]) + (moved[2] + moved[3])) + (moved[4] + moved[5]));
}

FLG_WIDE_VECTORS
static void go_forward(const flg_frozen_rows *f) {
  const int *below = f->pattern.below;
  const entry *at = f->entries;
  for (const block *of = f->blocks, *end = of + f->block_count; of < end; of++) {
    const int rows = of->rows;
    double *x = of->x;
    BY_ROWS(multiply_triangle, rows, of->inverse, x)
    for (int left = *below++; left > 0; left--, at++) {
      double *to = at->later->x;
      BY_BOTH(take_on, at->later->room, rows, at->numbers, x, to)
    }
  }
}

FLG_WIDE_VECTORS
static void go_back(const flg_frozen_rows *f) {
  const flg_frozen_body *bodies = f->bodies;
  const int *below = f->pattern.below + f->block_count;
  const entry *at = f->entries + f->pattern.entry_count;
  for (const block *of = f->blocks + f->block_count; of-- > f->blocks;) {
    const int rows = of->rows;
    double *x = of->x;
    for (int left = *--below; left > 0; left--) {
      at--;
      BY_BOTH(take_back, at->later->room, rows, at->numbers, at->later->x, x)
    }
    BY_ROWS(multiply_triangle, rows, of->upper, x)
    BY_ROWS(push, rows, bodies, of)
  }
}

FLG_WIDE_VECTORS
static void aim_all(const flg_frozen_rows *f) {
  const flg_frozen_body *bodies = f->bodies;
  for (const block *of = f->blocks, *end = of + f->block_count; of < end; of++) {
    BY_ROWS(aim, of->rows, bodies, of)
  }
}

FLG_WIDE_VECTORS
static bool move_all(const flg_frozen_rows *f) {
  double lost = 0;
  for (const flg_frozen_body *of = f->bodies, *end = of + f->body_count; of < end; of++) {
    lost += move(of);
  }
  return lost == 0;
}

bool flg_frozen_rows_solve(flg_frozen_rows *rows) {
  for (int k = 0; k < rows->body_count; k++) {
    const flg_frozen_body *body = &rows->bodies[k];
    memset(body->force, 0, PORT * sizeof(double));
    if (body->flat != NULL) flatten(body->normal, body->bias, body->flat);
  }
  aim_all(rows);
  go_forward(rows);
  go_back(rows);
  return move_all(rows);
}

/* of six numbers, the largest */
FLG_SMALL double largest(const double *of) {
  double most = 0;
#pragma GCC unroll 6
  for (int j = 0; j < PORT; j++) most = flg_larger(most, fabs(of[j]));
  return most;
}

bool flg_frozen_rows_agree(const flg_frozen_rows *rows, double share, double least) {
  double most = 0, size = least;
  for (int k = 0; k < rows->spare_count; k++) {
    const flg_frozen_joint *joint = rows->spares[k].joint;
    const int row = rows->spares[k].row;
    double left = -joint->gamma[row];
    for (int e = 0; e < joint->ends; e++) {
      if (joint->body[e] < 0) continue;
      const flg_frozen_body *body = &rows->bodies[joint->body[e]];
      const double *G = joint->side[e] + row;
#pragma GCC unroll 6
      for (int j = 0; j < PORT; j++) left += G[j * joint->leading] * body->motion[j];
    }
    most = flg_larger(most, fabs(left));
  }
  if (most <= share * size) return true; /* without looking further */
  for (int k = 0; k < rows->body_count; k++) {
    const flg_frozen_body *body = &rows->bodies[k];
    size = flg_larger(size, largest(body->motion) + largest(body->bias));
  }
  return most <= share * size;
}

/* --- what is known ------------------------------------------------------------------------------
 */

const flg_frozen_joint *flg_frozen_rows_joint(const flg_frozen_rows *rows, int joint) {
  return &rows->joints[joint];
}

double flg_frozen_rows_flops(const flg_frozen_rows *rows) {
  return rows->flops;
}

int flg_frozen_rows_count(const flg_frozen_rows *rows) {
  return rows->count;
}

int flg_frozen_rows_rank(const flg_frozen_rows *rows) {
  return rows->rank;
}

double flg_frozen_rows_least(const flg_frozen_rows *rows) {
  return rows->least;
}
// NOLINTEND(readability-function-size)
