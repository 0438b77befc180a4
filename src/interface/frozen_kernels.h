/* frozen_kernels.h - the operations of frozen rows (frozen_rows.h) on blocks of numbers: of
 * frozen_rows_step.c, and text of generated files (compile/), which so have the same bits.
 *
 * Loops over numbers of a joint have constant lengths: functions are in line, and called by the
 * number of rows (1 to 6) or of room (2, 4 or 6).
 */
#ifndef FLG_INTERFACE_FROZEN_KERNELS_H
#define FLG_INTERFACE_FROZEN_KERNELS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "math/six.h"

enum { FLG_FROZEN_MOST = 6, FLG_FROZEN_PORT = 6 }; /* rows of a joint, numbers of a body */

/* --- columns ------------------------------------------------------------------------------------
 */

/* A column of 2, 4 or 6 numbers as vectors; only what there is is computed. */
typedef struct flg_column {
  flg_four four;
  flg_two two;
} flg_column;

FLG_SMALL bool flg_column_has_four(int room) {
  return room >= 4;
}

FLG_SMALL bool flg_column_has_two(int room) {
  return room != 4;
}

FLG_SMALL void flg_column_load(int room, const double *from, flg_column *to) {
  if (flg_column_has_four(room)) to->four = *(const flg_four *)from;
  if (flg_column_has_two(room)) to->two = *(const flg_two *)(from + room - 2);
}

FLG_SMALL void flg_column_store(int room, const flg_column *from, double *to) {
  if (flg_column_has_four(room)) *(flg_four *)to = from->four;
  if (flg_column_has_two(room)) *(flg_two *)(to + room - 2) = from->two;
}

/* to = factor * from */
FLG_SMALL void flg_column_set(int room, double factor, const double *from, flg_column *to) {
  if (flg_column_has_four(room)) to->four = *(const flg_four *)from * factor;
  if (flg_column_has_two(room)) to->two = *(const flg_two *)(from + room - 2) * factor;
}

/* to += factor * from */
FLG_SMALL void flg_column_add(int room, double factor, const double *from, flg_column *to) {
  if (flg_column_has_four(room)) to->four += *(const flg_four *)from * factor;
  if (flg_column_has_two(room)) to->two += *(const flg_two *)(from + room - 2) * factor;
}

/* to -= factor * from */
FLG_SMALL void flg_column_subtract(int room, double factor, const double *from, flg_column *to) {
  if (flg_column_has_four(room)) to->four -= *(const flg_four *)from * factor;
  if (flg_column_has_two(room)) to->two -= *(const flg_two *)(from + room - 2) * factor;
}

FLG_SMALL double flg_column_dot(int room, const double *from, const flg_column *with) {
  flg_two sum = {0, 0};
  if (flg_column_has_two(room)) sum = *(const flg_two *)(from + room - 2) * with->two;
  if (flg_column_has_four(room)) {
    const flg_four products = *(const flg_four *)from * with->four;
    sum += (flg_two){products[0], products[1]} + (flg_two){products[2], products[3]};
  }
  return sum[0] + sum[1];
}

FLG_SMALL int flg_frozen_room(int rows) {
  return rows + rows % 2;
}

/* calls with the number of rows as a constant */
#define FLG_BY_ROWS(function, rows, ...) \
  switch (rows) {                        \
    case 1:                              \
      function(1, __VA_ARGS__);          \
      break;                             \
    case 2:                              \
      function(2, __VA_ARGS__);          \
      break;                             \
    case 3:                              \
      function(3, __VA_ARGS__);          \
      break;                             \
    case 4:                              \
      function(4, __VA_ARGS__);          \
      break;                             \
    case 5:                              \
      function(5, __VA_ARGS__);          \
      break;                             \
    default:                             \
      function(6, __VA_ARGS__);          \
      break;                             \
  }

/* the same with the room of another block besides */
#define FLG_BY_BOTH(function, room, rows, ...)           \
  switch (room) {                                        \
    case 2:                                              \
      FLG_BY_ROWS(function, rows, 2, __VA_ARGS__) break; \
    case 4:                                              \
      FLG_BY_ROWS(function, rows, 4, __VA_ARGS__) break; \
    default:                                             \
      FLG_BY_ROWS(function, rows, 6, __VA_ARGS__) break; \
  }

/* --- S ------------------------------------------------------------------------------------------
 */

/* G W */
FLG_SMALL void flg_frozen_weigh(int rows, const double *W, const double *G, double *lever) {
  const int room = flg_frozen_room(rows);
#pragma GCC unroll 3
  for (int r = 0; r < 3; r++) {
    flg_column moved;
    flg_column_set(room, W[0], G + r * room, &moved);
    flg_column_store(room, &moved, lever + r * room);
  }
#pragma GCC unroll 3
  for (int r = 3; r < FLG_FROZEN_PORT; r++) {
    flg_column moved;
    flg_column_set(room, W[3 + r * FLG_FROZEN_PORT], G + 3 * room, &moved);
    flg_column_add(room, W[4 + r * FLG_FROZEN_PORT], G + 4 * room, &moved);
    flg_column_add(room, W[5 + r * FLG_FROZEN_PORT], G + 5 * room, &moved);
    flg_column_store(room, &moved, lever + r * room);
  }
}

/* ... of a flat body: linear across n, angular along it */
FLG_SMALL void flg_frozen_flatten_side(int rows, const double n[3], double *lever) {
  const int room = flg_frozen_room(rows);
  flg_column across, about, moved;
  flg_column_set(room, n[0], lever, &across);
  flg_column_set(room, n[0], lever + 3 * room, &about);
#pragma GCC unroll 2
  for (int r = 1; r < 3; r++) {
    flg_column_add(room, n[r], lever + r * room, &across);
    flg_column_add(room, n[r], lever + (r + 3) * room, &about);
  }
  double along[2][FLG_FROZEN_MOST];
  flg_column_store(room, &across, along[0]), flg_column_store(room, &about, along[1]);
#pragma GCC unroll 3
  for (int r = 0; r < 3; r++) {
    flg_column_load(room, lever + r * room, &moved);
    flg_column_subtract(room, n[r], along[0], &moved);
    flg_column_store(room, &moved, lever + r * room);
    flg_column_set(room, n[r], along[1], &moved);
    flg_column_store(room, &moved, lever + (r + 3) * room);
  }
}

/* sum = or += three columns by factors that are `apart` from each other */
FLG_SMALL void flg_column_add_three(int room, const flg_column columns[3], const double *factors,
                                    int apart, bool adds, flg_column *sum) {
#pragma GCC unroll 3
  for (int r = 0; r < 3; r++) {
    const double factor = factors[r * apart];
    if (r == 0 && !adds) {
      if (flg_column_has_four(room)) sum->four = columns[0].four * factor;
      if (flg_column_has_two(room)) sum->two = columns[0].two * factor;
      continue;
    }
    if (flg_column_has_four(room)) sum->four += columns[r].four * factor;
    if (flg_column_has_two(room)) sum->two += columns[r].two * factor;
  }
}

/* to (room x rows) = G lever^T, or added to it; levers after `pushes` have no linear part */
FLG_SMALL void flg_frozen_multiply(int rows, int room, const double *G, const double *lever,
                                   int pushes, bool adds, double *to) {
  const int apart = flg_frozen_room(rows);
  flg_column columns[FLG_FROZEN_PORT];
#pragma GCC unroll 6
  for (int r = 0; r < FLG_FROZEN_PORT; r++) flg_column_load(room, G + r * room, &columns[r]);
#pragma GCC unroll 6
  for (int j = 0; j < rows; j++) {
    flg_column sum;
    if (adds) flg_column_load(room, to + j * room, &sum);
    if (j < pushes) {
      flg_column_add_three(room, columns, lever + j, apart, adds, &sum);
      flg_column_add_three(room, columns + 3, lever + j + 3 * apart, apart, true, &sum);
    } else {
      flg_column_add_three(room, columns + 3, lever + j + 3 * apart, apart, adds, &sum);
    }
    flg_column_store(room, &sum, to + j * room);
  }
}

/* --- factors ------------------------------------------------------------------------------------
 */

/* L of a diagonal block, then L^-1, by columns and by rows. own: what the diagonal of S was. */
FLG_SMALL void flg_frozen_factor_block(int rows, const double *S, const double *own, double sound,
                                       double *inverse, double *upper, double *least,
                                       bool *is_sound) {
  const int room = flg_frozen_room(rows);
  double L[FLG_FROZEN_MOST][FLG_FROZEN_MOST], over[FLG_FROZEN_MOST],
      M[FLG_FROZEN_MOST][FLG_FROZEN_MOST];
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
FLG_SMALL void flg_frozen_divide(int rows, int room, const double *upper, double *E) {
#pragma GCC unroll 6
  for (int j = rows - 1; j >= 0; j--) {
    const double *factor = upper + j * flg_frozen_room(rows);
    flg_column sum;
    flg_column_set(room, factor[j], E + j * room, &sum);
#pragma GCC unroll 6
    for (int k = 0; k < j; k++) flg_column_add(room, factor[k], E + k * room, &sum);
    flg_column_store(room, &sum, E + j * room);
  }
}

/* to (room x count) -= V U^T, V (room x rows), U (other x rows) */
FLG_SMALL void flg_frozen_downdate(int rows, int room, const double *V, const double *U, int other,
                                   int count, double *to) {
  flg_column columns[FLG_FROZEN_MOST];
#pragma GCC unroll 6
  for (int k = 0; k < rows; k++) flg_column_load(room, V + k * room, &columns[k]);
  for (int j = 0; j < count; j++) {
    flg_column sum;
    flg_column_load(room, to + j * room, &sum);
#pragma GCC unroll 6
    for (int k = 0; k < rows; k++) {
      const double factor = U[j + k * other];
      if (flg_column_has_four(room)) sum.four -= columns[k].four * factor;
      if (flg_column_has_two(room)) sum.two -= columns[k].two * factor;
    }
    flg_column_store(room, &sum, to + j * room);
  }
}

/* --- solve --------------------------------------------------------------------------------------
 */

/* to = triangle * x, both of a block */
FLG_SMALL void flg_frozen_multiply_triangle(int rows, const double *triangle, double *x) {
  const int room = flg_frozen_room(rows);
  flg_column sum;
  flg_column_set(room, x[0], triangle, &sum);
#pragma GCC unroll 6
  for (int k = 1; k < rows; k++) flg_column_add(room, x[k], triangle + k * room, &sum);
  flg_column_store(room, &sum, x);
}

/* x of a later block -= V x */
FLG_SMALL void flg_frozen_take_on(int rows, int room, const double *V, const double *x,
                                  double *to) {
  flg_column sum;
  flg_column_load(room, to, &sum);
#pragma GCC unroll 6
  for (int k = 0; k < rows; k++) flg_column_subtract(room, x[k], V + k * room, &sum);
  flg_column_store(room, &sum, to);
}

/* x -= V^T x of a later block */
FLG_SMALL void flg_frozen_take_back(int rows, int room, const double *V, const double *from,
                                    double *x) {
  flg_column known;
  flg_column_load(room, from, &known);
#pragma GCC unroll 6
  for (int k = 0; k < rows; k++) x[k] -= flg_column_dot(room, V + k * room, &known);
}

/* of two columns at once: sums of products side by side */
FLG_SMALL flg_two flg_column_dot_two(int room, const double *one, const double *other,
                                     const flg_column *with) {
  flg_two sum = {0, 0};
  if (flg_column_has_two(room)) {
    const flg_two a = *(const flg_two *)(one + room - 2) * with->two;
    const flg_two b = *(const flg_two *)(other + room - 2) * with->two;
    sum = (flg_two){a[0], b[0]} + (flg_two){a[1], b[1]};
  }
  if (flg_column_has_four(room)) {
    const flg_four a = *(const flg_four *)one * with->four;
    const flg_four b = *(const flg_four *)other * with->four;
    const flg_four pairs = (flg_four){a[0], b[0], a[2], b[2]} + (flg_four){a[1], b[1], a[3], b[3]};
    sum += (flg_two){pairs[0], pairs[1]} + (flg_two){pairs[2], pairs[3]};
  }
  return sum;
}

/* six numbers in the plane */
FLG_SMALL void flg_frozen_flatten(const double n[3], const double *from, double *to) {
  const double x = n[0], y = n[1], z = n[2]; /* `to` may be anywhere */
  const double across = x * from[0] + y * from[1] + z * from[2];
  const double about = x * from[3] + y * from[4] + z * from[5];
  const double in[3] = {from[0] - x * across, from[1] - y * across, from[2] - z * across};
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) to[i] = in[i];
  to[3] = x * about, to[4] = y * about, to[5] = z * about;
}

/* W^-1 of a turn that is out of the plane: W has n as a principal axis */
static void flg_frozen_resist_tilt(const double *W, const double tilt[3], double to[3]) {
  const double *a = W + 3 + 3 * FLG_FROZEN_PORT, *b = a + FLG_FROZEN_PORT, *c = b + FLG_FROZEN_PORT;
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

/* Rows that hold a flat body in its plane take all of b out of it; in: the share in the plane. */
FLG_SMALL void flg_frozen_hold_flat(const double *W, const double *b, const double *in, double *x) {
  const double lightness = W[0], tilt[3] = {b[3] - in[3], b[4] - in[4], b[5] - in[5]};
  const double held[3] = {x[0] - (b[0] - in[0]) / lightness, x[1] - (b[1] - in[1]) / lightness,
                          x[2] - (b[2] - in[2]) / lightness};
  double moment[3];
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) x[i] = held[i];
  if (tilt[0] == 0 && tilt[1] == 0 && tilt[2] == 0) return;
  flg_frozen_resist_tilt(W, tilt, moment);
  for (int i = 0; i < 3; i++) x[i + 3] -= moment[i];
}

/* sum -= G b of a body */
FLG_SMALL void flg_frozen_subtract_rate(int room, const double *b, const double *G,
                                        flg_column *sum) {
#pragma GCC unroll 6
  for (int r = 0; r < FLG_FROZEN_PORT; r++) flg_column_subtract(room, b[r], G + r * room, sum);
}

/* force += G^T l of a body */
FLG_SMALL void flg_frozen_push(int room, const double *G, const flg_column *l, double *force) {
#pragma GCC unroll 3
  for (int r = 0; r < FLG_FROZEN_PORT; r += 2) {
    *(flg_two *)(force + r) += flg_column_dot_two(room, G + r * room, G + (r + 1) * room, l);
  }
}

/* y = b + W x; 0 while all are finite */
FLG_SMALL double flg_frozen_move(const double *W, const double *b, const double *x, double *y) {
  double moved[FLG_FROZEN_PORT];
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) moved[i] = b[i] + W[0] * x[i];
#pragma GCC unroll 3
  for (int i = 3; i < FLG_FROZEN_PORT; i++) {
    moved[i] = b[i] + (W[i + 3 * FLG_FROZEN_PORT] * x[3] + W[i + 4 * FLG_FROZEN_PORT] * x[4] +
                       W[i + 5 * FLG_FROZEN_PORT] * x[5]);
  }
#pragma GCC unroll 6
  for (int i = 0; i < FLG_FROZEN_PORT; i++) y[i] = moved[i];
  return 0 * (((moved[0] + moved[1]) + (moved[2] + moved[3])) + (moved[4] + moved[5]));
}

#endif
