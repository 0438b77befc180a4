/* S of frozen rows, its factors, and solves with them.
 *
 * What functions need of a block they take from it first: vectors may alias anything.
 */
#include <math.h>
#include <string.h>

#include "interface/frozen_kernels.h"
#include "interface/frozen_rows_inner.h"
#include "math/larger.h"
#include "math/wide_vectors.h"

_Static_assert((int)FLG_FROZEN_MOST == (int)FLG_FROZEN_ROWS_MAX, "rows of a joint");

typedef flg_frozen_block block;
typedef flg_frozen_entry entry;
typedef flg_frozen_side side;

// NOLINTBEGIN(readability-function-size): switches by rows and by room count as branches of short
// functions

/* --- S ------------------------------------------------------------------------------------------
 */

/* the chosen rows of a side */
FLG_SMALL void gather_side(int rows, const int *row, int leading, const double *from, double *G) {
  const int room = flg_frozen_room(rows);
#pragma GCC unroll 6
  for (int r = 0; r < FLG_FROZEN_PORT; r++) {
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) G[i + r * room] = from[row[i] + r * leading];
  }
}

/* the share of one body in a diagonal block. Where linear parts of rows are unit vectors at right
 * angles, theirs is 1/m on the diagonal, without products. */
FLG_SMALL void add_body(int rows, const block *of, const side *at, const flg_frozen_body *body,
                        bool adds) {
  const int room = flg_frozen_room(rows), pushes = of->pushes;
  double *diagonal = of->diagonal;
  if (!of->is_straight || body->flat != NULL) {
    flg_frozen_multiply(rows, room, at->G, at->lever, pushes, adds, diagonal);
    return;
  }
  flg_frozen_multiply(rows, room, at->G, at->lever, 0, adds, diagonal);
  for (int i = 0; i < pushes; i++) diagonal[i * (room + 1)] += body->admittance[0];
}

FLG_SMALL void place_block(int rows, const flg_frozen_body *bodies, const block *of) {
  const flg_frozen_joint *joint = of->joint;
  double *diagonal = of->diagonal;
  const double *compliance = joint->compliance;
  const int room = flg_frozen_room(rows), count = of->side_count, leading = joint->leading;
  int row[FLG_FROZEN_MOST];
  for (int i = 0; i < rows; i++) row[i] = of->row[i];
  const side *at = of->side;
  for (int s = 0; s < count; s++, at++) {
    double *G = at->G, *lever = at->lever;
    const double *from = at->from, *W = bodies[at->body].admittance;
    if (from != NULL) gather_side(rows, row, leading, from, G);
    flg_frozen_weigh(rows, W, G, lever);
    if (bodies[at->body].flat != NULL)
      flg_frozen_flatten_side(rows, bodies[at->body].normal, lever);
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
    FLG_BY_ROWS(place_block, of->rows, bodies, of)
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
      FLG_BY_BOTH(flg_frozen_multiply, of->room, of->rows, G, lever, pushes, true, to)
    } else {
      FLG_BY_BOTH(flg_frozen_multiply, of->room, of->rows, G, lever, pushes, false, to)
    }
  }
}

/* --- factors ------------------------------------------------------------------------------------
 */

/* what a block that goes leaves of one that it is coupled with */
FLG_SMALL void take_off(int rows, int room, const double *upper, double *E, const block *later) {
  double *diagonal = later->diagonal;
  const int count = later->rows;
  flg_frozen_divide(rows, room, upper, E);
  flg_frozen_downdate(rows, room, E, E, room, count, diagonal);
}

/* ... and of what couples those */
FLG_SMALL const int *eliminate(const entry *entries, const block *of, const entry *first, int below,
                               const int *target) {
  const int rows = of->rows;
  const double *upper = of->upper;
  for (int a = 0; a < below; a++) {
    double *E = first[a].numbers;
    const block *later = first[a].later;
    FLG_BY_BOTH(take_off, later->room, rows, upper, E, later)
  }
  for (int a = 0; a < below; a++) {
    const double *U = first[a].numbers;
    const int other = first[a].later->room, count = first[a].later->rows;
    for (int b = a + 1; b < below; b++) {
      const double *V = first[b].numbers;
      double *to = entries[*target++].numbers;
      FLG_BY_BOTH(flg_frozen_downdate, first[b].later->room, rows, V, U, other, count, to)
    }
  }
  return target;
}

/* L of a block. own: what the diagonal of S was. */
FLG_SMALL void factor_one(int rows, const block *of, double sound, double *least, bool *is_sound) {
  flg_frozen_factor_block(rows, of->diagonal, of->x, sound, of->inverse, of->upper, least,
                          is_sound);
}

FLG_WIDE_VECTORS
static bool factor_all(flg_frozen_rows *f, double sound) {
  const int *target = f->pattern.target, *below = f->pattern.below;
  const entry *entries = f->entries, *first = entries;
  double least = 1;
  bool is_sound = true;
  for (const block *of = f->blocks, *end = of + f->block_count; of < end; of++) {
    FLG_BY_ROWS(factor_one, of->rows, of, sound, &least, &is_sound)
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
  const int room = flg_frozen_room(rows), *row = of->row, count = of->side_count;
  const double *gamma = of->joint->gamma;
  double *x = of->x, wanted[FLG_FROZEN_MOST] = {0};
  const side *at = of->side;
  flg_column sum;
#pragma GCC unroll 6
  for (int i = 0; i < rows; i++) wanted[i] = gamma[row[i]];
  flg_column_load(room, wanted, &sum);
  for (int s = 0; s < count; s++, at++) {
    const flg_frozen_body *body = &bodies[at->body];
    const double *b = body->flat != NULL ? body->flat : body->bias, *G = at->G;
    flg_frozen_subtract_rate(room, b, G, &sum);
  }
  flg_column_store(room, &sum, x);
}

/* reactions, and G^T l */
FLG_SMALL void push(int rows, const flg_frozen_body *bodies, const block *of) {
  const int room = flg_frozen_room(rows), *row = of->row, count = of->side_count;
  const flg_frozen_joint *joint = of->joint;
  double *reactions = joint->reactions;
  const double *x = of->x;
  const side *at = of->side;
  flg_column l;
  flg_column_load(room, x, &l);
  if (joint->rows > rows) { /* in line: there are few */
#pragma GCC unroll 6
    for (int i = 0; i < FLG_FROZEN_MOST; i++) {
      if (i < joint->rows) reactions[i] = 0;
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < rows; i++) reactions[row[i]] = x[i];
  for (int s = 0; s < count; s++, at++) {
    double *force = bodies[at->body].force;
    const double *G = at->G;
    flg_frozen_push(room, G, &l, force);
  }
}

/* y = b + W x; 0 while all are finite */
FLG_SMALL double move(const flg_frozen_body *body) {
  const double *W = body->admittance, *b = body->flat != NULL ? body->flat : body->bias;
  if (body->flat != NULL) flg_frozen_flatten(body->normal, body->force, body->force);
  const double lost = flg_frozen_move(W, b, body->force, body->motion);
  if (body->flat != NULL) flg_frozen_hold_flat(W, body->bias, body->flat, body->force);
  return lost;
}

FLG_WIDE_VECTORS
static void go_forward(const flg_frozen_rows *f) {
  const int *below = f->pattern.below;
  const entry *at = f->entries;
  for (const block *of = f->blocks, *end = of + f->block_count; of < end; of++) {
    const int rows = of->rows;
    double *x = of->x;
    FLG_BY_ROWS(flg_frozen_multiply_triangle, rows, of->inverse, x)
    for (int left = *below++; left > 0; left--, at++) {
      double *to = at->later->x;
      FLG_BY_BOTH(flg_frozen_take_on, at->later->room, rows, at->numbers, x, to)
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
      FLG_BY_BOTH(flg_frozen_take_back, at->later->room, rows, at->numbers, at->later->x, x)
    }
    FLG_BY_ROWS(flg_frozen_multiply_triangle, rows, of->upper, x)
    FLG_BY_ROWS(push, rows, bodies, of)
  }
}

FLG_WIDE_VECTORS
static void aim_all(const flg_frozen_rows *f) {
  const flg_frozen_body *bodies = f->bodies;
  for (const block *of = f->blocks, *end = of + f->block_count; of < end; of++) {
    FLG_BY_ROWS(aim, of->rows, bodies, of)
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

FLG_WIDE_VECTORS
static void begin_solve(const flg_frozen_rows *f) {
  for (const flg_frozen_body *of = f->bodies, *end = of + f->body_count; of < end; of++) {
    double *force = of->force;
#pragma GCC unroll 6
    for (int i = 0; i < FLG_FROZEN_PORT; i++) force[i] = 0;
    if (of->flat != NULL) flg_frozen_flatten(of->normal, of->bias, of->flat);
  }
}

bool flg_frozen_rows_solve(flg_frozen_rows *rows) {
  begin_solve(rows);
  aim_all(rows);
  go_forward(rows);
  go_back(rows);
  return move_all(rows);
}

/* of six numbers, the largest: displacements over the length, and turns */
FLG_SMALL double largest(const double *of, double length) {
  double way = 0, turn = 0;
#pragma GCC unroll 3
  for (int j = 0; j < FLG_FROZEN_PORT / 2; j++) way = flg_larger(way, fabs(of[j]));
#pragma GCC unroll 3
  for (int j = 3; j < FLG_FROZEN_PORT; j++) turn = flg_larger(turn, fabs(of[j]));
  return flg_larger(way / length, turn);
}

/* true if the row is one of displacements */
FLG_SMALL bool slides(const flg_frozen_joint *joint, int row) {
  if (joint->turns >> row & 1) return false;
  if (joint->straight) return true;
  for (int e = 0; e < joint->ends; e++) {
    if (joint->body[e] < 0) continue;
    const double *G = joint->side[e] + row;
    for (int j = 0; j < 3; j++) {
      if (G[j * joint->leading] != 0) return true;
    }
  }
  return false;
}

/* the largest of G y - gamma among rows of a joint that were left out: all its rows at once */
FLG_SMALL void add_residual(int rows, const flg_frozen_body *bodies, const flg_frozen_spare *of,
                            double length, double *most) {
  const flg_frozen_joint *joint = of->joint;
  const int room = flg_frozen_room(rows), count = of->count;
  double left[FLG_FROZEN_MOST] = {0};
  flg_column sum;
#pragma GCC unroll 6
  for (int i = 0; i < rows; i++) left[i] = -joint->gamma[i];
  flg_column_load(room, left, &sum);
  for (int e = 0; e < joint->ends; e++) {
    if (joint->body[e] < 0) continue;
    const double *G = joint->side[e], *y = bodies[joint->body[e]].motion;
#pragma GCC unroll 6
    for (int j = 0; j < FLG_FROZEN_PORT; j++) flg_column_add(room, y[j], G + j * room, &sum);
  }
  flg_column_store(room, &sum, left);
  for (int k = 0; k < count; k++) {
    const double size = fabs(left[of->row[k]]);
    *most = flg_larger(*most, slides(joint, of->row[k]) ? size / length : size);
  }
}

FLG_WIDE_VECTORS
static double largest_residual(const flg_frozen_rows *f, double length) {
  double most = 0;
  for (const flg_frozen_spare *of = f->spares, *end = of + f->spare_joint_count; of < end; of++) {
    FLG_BY_ROWS(add_residual, of->joint->rows, f->bodies, of, length, &most)
  }
  return most;
}

bool flg_frozen_rows_agree(const flg_frozen_rows *rows, double share, double length) {
  const double most = largest_residual(rows, length);
  double size = 0;
  if (most == 0) return true; /* without looking further */
  for (int k = 0; k < rows->body_count && !(most <= share * size); k++) {
    const flg_frozen_body *body = &rows->bodies[k];
    size = flg_larger(size, largest(body->motion, length) + largest(body->bias, length));
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
