#include "complementarity/body_blocks.h"

#include <math.h>
#include <string.h>

#include "math/six.h"
#include "math/wide_vectors.h"

enum { BODY = 6 };
static const double NO_PIVOT = 1e-13; /* of the largest element of the block: rounding */

/* --- the order ------------------------------------------------------------------------------- */

static int bits_in(uint64_t bits) {
  return __builtin_popcountll(bits);
}

/* takes the lowest of them away */
static int next_bit(uint64_t *bits) {
  const int lowest = __builtin_ctzll(*bits);
  *bits &= *bits - 1;
  return lowest;
}

/* Minimum degree: as in interface/sparse_pattern.c, here on at most 64 bodies, so that sets are one
 * word, and not empty. */
static int least_degree(uint64_t left, const int *degrees) {
  int least = next_bit(&left);
  while (left != 0) {
    const int body = next_bit(&left);
    if (degrees[body] < degrees[least]) least = body;
  }
  return least;
}

/* blocks above and below the diagonal: matrices of friction are not symmetric */
static bool place_blocks(flg_body_blocks *of, int body) {
  uint64_t later = of->later[body];
  if (of->block_count + 1 + 2 * bits_in(later) > FLG_BLOCKS_MOST) return false;
  of->at[body][body] = (short)of->block_count++;
  while (later != 0) {
    const int other = next_bit(&later);
    of->at[body][other] = (short)of->block_count++;
    of->at[other][body] = (short)of->block_count++;
  }
  return true;
}

bool flg_body_blocks_plan(flg_body_blocks *of, int body_count, const uint64_t *touching) {
  uint64_t tied[FLG_BLOCKS_BODIES], left = 0;
  int degrees[FLG_BLOCKS_BODIES];
  if (body_count > FLG_BLOCKS_BODIES) return false;
  for (int b = 0; b < body_count; b++) {
    left |= (uint64_t)1 << b;
    tied[b] = touching[b] & ~((uint64_t)1 << b), degrees[b] = bits_in(tied[b]);
  }
  of->body_count = body_count, of->block_count = of->products = 0;
  for (int k = 0; k < body_count; k++) {
    const int body = least_degree(left, degrees);
    left &= ~((uint64_t)1 << body);
    const uint64_t later = tied[body] & left;
    of->order[k] = (unsigned char)body, of->later[body] = later;
    if (!place_blocks(of, body)) return false;
    of->products += (1 + degrees[body]) * degrees[body];
    for (uint64_t rest = later; rest != 0;) {
      const int other = next_bit(&rest);
      tied[other] |= later & ~((uint64_t)1 << other);
      degrees[other] = bits_in(tied[other] & left);
    }
  }
  return true;
}

/* 1 on the diagonal: the matrix is identity plus what contacts add */
void flg_body_blocks_reset(flg_body_blocks *of) {
  memset(of->blocks, 0, sizeof(double) * FLG_BLOCK * (size_t)of->block_count);
  for (int b = 0; b < of->body_count; b++) {
    for (int i = 0; i < BODY; i++) flg_body_block(of, b, b)[(BODY + 1) * i] = 1;
  }
}

/* --- elimination ----------------------------------------------------------------------------- */

/* pivots are chosen inside of a block alone: the pattern of blocks stays as planned */
static inline int largest_in_block(const double *a, int k) {
  int row = k;
  for (int i = k + 1; i < BODY; i++) {
    if (fabs(a[BODY * i + k]) > fabs(a[BODY * row + k])) row = i;
  }
  return row;
}

static inline void exchange_lines(double *a, int stride, int next, int i, int k) {
  for (int j = 0; j < BODY; j++) {
    const double keep = a[stride * i + next * j];
    a[stride * i + next * j] = a[stride * k + next * j], a[stride * k + next * j] = keep;
  }
}

/* row k by its pivot, and out of all others */
FLG_SMALL void sweep_out(double *a, int k, double inverse) {
  flg_six row;
  a[(BODY + 1) * k] = 1;
  flg_six_load(a + BODY * k, &row);
  flg_six_scale(inverse, &row);
  flg_six_store(&row, a + BODY * k);
  for (int i = 0; i < BODY; i++) {
    flg_six other;
    if (i == k) continue;
    const double weight = a[BODY * i + k];
    a[BODY * i + k] = 0;
    flg_six_load(a + BODY * i, &other);
    flg_six_subtract(weight, a + BODY * k, &other);
    flg_six_store(&other, a + BODY * i);
  }
}

/* in place, by Gauss and Jordan */
/* A pivot that is rounding leaves its direction out: a singular block still gives a step. */
FLG_SMALL void invert_block(double *a) {
  int rows[BODY];
  double largest = 0;
  for (int i = 0; i < FLG_BLOCK; i++) largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
  for (int k = 0; k < BODY; k++) {
    rows[k] = largest_in_block(a, k);
    if (rows[k] != k) exchange_lines(a, BODY, 1, rows[k], k);
    const double pivot = a[(BODY + 1) * k];
    sweep_out(a, k, fabs(pivot) > NO_PIVOT * largest ? 1 / pivot : 0);
  }
  for (int k = BODY - 1; k >= 0; k--) {
    if (rows[k] != k) exchange_lines(a, 1, BODY, rows[k], k);
  }
}

/* b = a b */
FLG_SMALL void multiply_block(const double *a, double *b) {
  flg_six made[BODY];
  for (int i = 0; i < BODY; i++) {
    made[i] = (flg_six){{0}, {0}};
    for (int k = 0; k < BODY; k++) flg_six_add(a[BODY * i + k], b + BODY * k, &made[i]);
  }
  for (int i = 0; i < BODY; i++) flg_six_store(&made[i], b + BODY * i);
}

/* c -= a b */
FLG_SMALL void subtract_blocks(const double *a, const double *b, double *c) {
  for (int i = 0; i < BODY; i++) {
    flg_six row;
    flg_six_load(c + BODY * i, &row);
    for (int k = 0; k < BODY; k++) flg_six_subtract(a[BODY * i + k], b + BODY * k, &row);
    flg_six_store(&row, c + BODY * i);
  }
}

/* y -= a x */
FLG_SMALL void subtract_from(const double *a, const double *x, double *y) {
  flg_six from;
  flg_six_load(x, &from);
  for (int i = 0; i < BODY; i++) y[i] -= flg_six_dot(&from, a + BODY * i);
}

/* Its rows by the inverse of its own block, and out of the rows of those after it. */
FLG_SMALL void eliminate_body(flg_body_blocks *of, int body, double *x) {
  double *own = flg_body_block(of, body, body), *mine = x + (ptrdiff_t)BODY * body;
  double pushed[BODY] = {0};
  invert_block(own);
  subtract_from(own, mine, pushed);
  for (int i = 0; i < BODY; i++) mine[i] = -pushed[i];
  for (uint64_t columns = of->later[body]; columns != 0;)
    multiply_block(own, flg_body_block(of, body, next_bit(&columns)));
  for (uint64_t rows = of->later[body]; rows != 0;) {
    const int row = next_bit(&rows);
    const double *below = flg_body_block(of, row, body);
    subtract_from(below, mine, x + (ptrdiff_t)BODY * row);
    for (uint64_t columns = of->later[body]; columns != 0;) {
      const int column = next_bit(&columns);
      subtract_blocks(below, flg_body_block(of, body, column), flg_body_block(of, row, column));
    }
  }
}

FLG_WIDE_VECTORS
void flg_body_blocks_solve(flg_body_blocks *of, double *x) {
  for (int k = 0; k < of->body_count; k++) eliminate_body(of, of->order[k], x);
  for (int k = of->body_count - 1; k >= 0; k--) {
    const int body = of->order[k];
    for (uint64_t columns = of->later[body]; columns != 0;) {
      const int column = next_bit(&columns);
      subtract_from(flg_body_block(of, body, column), x + (ptrdiff_t)BODY * column,
                    x + (ptrdiff_t)BODY * body);
    }
  }
}
