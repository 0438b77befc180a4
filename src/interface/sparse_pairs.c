#include "interface/sparse_pairs.h"

#include <float.h>
#include <string.h>

#include "math/six.h"
#include "math/wide_vectors.h"

bool flg_sparse_pairs_build(flg_sparse_pairs *matrix, int count, int pair_count, const int *pairs,
                            flg_region *region) {
  *matrix = (flg_sparse_pairs){0};
  flg_sparse_pattern *pattern = &matrix->pattern;
  if (!flg_sparse_pattern_build(pattern, count, NULL, pair_count, pairs, region)) return false;
  matrix->diagonal = flg_region_take(region, 3 * (size_t)count, sizeof(double));
  matrix->whole = flg_region_take(region, 3 * (size_t)count, sizeof(double));
  matrix->entry = flg_region_take(region, 4 * (size_t)pattern->entry_count, sizeof(double));
  return !region->failed;
}

double flg_sparse_pairs_flops(const flg_sparse_pairs *matrix) {
  const flg_sparse_pattern *pattern = &matrix->pattern;
  return 6.0 * pattern->count + 14.0 * pattern->entry_count + 8.0 * pattern->target_count;
}

/* --- step ---------------------------------------------------------------------------------------
 */

/* What others leave of two rows, D, has more than a part of what they are alone, W, in each
 * direction: D - part W is positive definite. That is so in whatever axes rows are written: which
 * steps are taken must not depend on these. */
FLG_SMALL bool is_sound(const double whole[3], double part, const double d[3]) {
  const double own = whole[0] * whole[2], mixed = d[1] - part * whole[1];
  const double first = d[0] - part * whole[0], second = d[2] - part * whole[2];
  return first > 0 && first * second > mixed * mixed &&
         own - whole[1] * whole[1] > part * own; /* nor do they depend on each other */
}

/* D^-1 in the place of D */
FLG_SMALL bool invert(const double whole[3], double tolerance, double d[3]) {
  if (!is_sound(whole, tolerance, d)) return false;
  const double above = 1 / d[0], share = d[1] * above, second = d[2] - d[1] * share;
  if (!(second > 0 && d[0] <= DBL_MAX && second <= DBL_MAX)) return false;
  d[2] = 1 / second, d[1] = -share * d[2], d[0] = above - share * d[1];
  return true;
}

/* A block by columns, and two rows of a vector. */
typedef struct block {
  flg_two column[2];
} block;

/* x d, d symmetric */
FLG_SMALL block multiply(const block *x, const double d[3]) {
  return (block){
      {x->column[0] * d[0] + x->column[1] * d[1], x->column[0] * d[1] + x->column[1] * d[2]}};
}

/* [a b; b c] -= x w^T, which is symmetric */
FLG_SMALL void subtract_square(const block *x, const block *w, double d[3]) {
  flg_two *first = (flg_two *)d;
  *first -= x->column[0] * w->column[0][0] + x->column[1] * w->column[1][0];
  d[2] -= x->column[0][1] * w->column[0][1] + x->column[1][1] * w->column[1][1];
}

FLG_SMALL void subtract_product(const block *x, const block *w, block *to) {
  to->column[0] -= x->column[0] * w->column[0][0] + x->column[1] * w->column[1][0];
  to->column[1] -= x->column[0] * w->column[0][1] + x->column[1] * w->column[1][1];
}

FLG_WIDE_VECTORS
bool flg_sparse_pairs_factor(flg_sparse_pairs *matrix, double tolerance) {
  const flg_sparse_pattern *pattern = &matrix->pattern;
  const int *target = pattern->target, *row = pattern->row, *below = pattern->below;
  const int *end = below + pattern->count;
  double *diagonal = matrix->diagonal, *whole = matrix->whole, *d = diagonal;
  block *entry = (block *)matrix->entry, *entries = entry;
  memcpy(whole, diagonal, 3 * (size_t)pattern->count * sizeof *diagonal);
  for (; below < end; below++, d += 3, whole += 3) {
    if (!invert(whole, tolerance, d)) return false;
    for (int left = *below - 1; left >= 0; left--, entry++) {
      const block w = multiply(entry, d);
      subtract_square(entry, &w, diagonal + 3 * *row++);
      for (int b = 1; b <= left; b++) subtract_product(entry + b, &w, &entries[*target++]);
      *entry = w;
    }
  }
  return true;
}

/* entries are taken in the order in which they stand: forwards, then backwards */
FLG_WIDE_VECTORS
void flg_sparse_pairs_solve(const flg_sparse_pairs *matrix, double *x) {
  const flg_sparse_pattern *pattern = &matrix->pattern;
  const int n = pattern->count, *below = pattern->below, *row = pattern->row;
  const block *entry = (const block *)matrix->entry;
  const double *d = matrix->diagonal + 3 * n;
  flg_two *all = (flg_two *)x, *at = all;
  for (; at < all + n; at++) {
    const flg_two y = *at;
    for (int left = *below++; left > 0; left--, entry++) {
      all[*row++] -= entry->column[0] * y[0] + entry->column[1] * y[1];
    }
  }
  while (at-- > all) {
    d -= 3;
    const flg_two y = *at;
    flg_two one = {d[0] * y[0], d[1] * y[1]}, other = {d[1] * y[0], d[2] * y[1]};
    for (int left = *--below; left > 0; left--) {
      const flg_two known = all[*--row];
      entry--;
      one -= entry->column[0] * known;
      other -= entry->column[1] * known;
    }
    *at = (flg_two){one[0] + one[1], other[0] + other[1]};
  }
}
