#include "interface/sparse_pairs.h"

#include <float.h>
#include <string.h>

#include "math/six.h"
#include "math/wide_vectors.h"

enum { MOST = FLG_SPARSE_DEGREE_MAX, NONE = -1 };

/* --- the order of elimination -------------------------------------------------------------------
 * Blocks that are left, and which of them are coupled by what went before. Blocks of one degree are
 * a list; the next to go is the first of the shortest.
 */

typedef struct elimination {
  int count;
  int *degree;          /* (blocks) */
  int (*near)[MOST];    /* (blocks) coupled blocks that are left */
  int *next, *previous; /* (blocks) in the list of its degree */
  int head[MOST + 1];
  int *order; /* (blocks) as they go */
} elimination;

static int *take(flg_region *region, int count) {
  return flg_region_take(region, (size_t)count, sizeof(int));
}

static void list_block(elimination *e, int block) {
  const int degree = e->degree[block], after = e->head[degree];
  e->next[block] = after, e->previous[block] = NONE;
  if (after != NONE) e->previous[after] = block;
  e->head[degree] = block;
}

static void unlist_block(elimination *e, int block) {
  const int before = e->previous[block], after = e->next[block];
  if (before != NONE) {
    e->next[before] = after;
  } else {
    e->head[e->degree[block]] = after;
  }
  if (after != NONE) e->previous[after] = before;
}

static bool couple(elimination *e, int a, int b) {
  for (int k = 0; k < e->degree[a]; k++) {
    if (e->near[a][k] == b) return true;
  }
  if (e->degree[a] == MOST) return false;
  e->near[a][e->degree[a]++] = b;
  return true;
}

static void forget(elimination *e, int block, int gone) {
  int left = 0;
  for (int k = 0; k < e->degree[block]; k++) {
    if (e->near[block][k] != gone) e->near[block][left++] = e->near[block][k];
  }
  e->degree[block] = left;
}

/* those that it was coupled with are now coupled with each other */
static bool eliminate_block(elimination *e, int block) {
  const int *near = e->near[block], count = e->degree[block];
  for (int k = 0; k < count; k++) {
    unlist_block(e, near[k]);
    forget(e, near[k], block);
  }
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < count; i++) {
      if (i != k && !couple(e, near[k], near[i])) return false;
    }
  }
  for (int k = 0; k < count; k++) list_block(e, near[k]);
  return true;
}

static bool find_order(elimination *e) {
  for (int k = 0; k <= MOST; k++) e->head[k] = NONE;
  for (int k = e->count - 1; k >= 0; k--) list_block(e, k);
  for (int k = 0; k < e->count; k++) {
    int degree = 0;
    while (e->head[degree] == NONE) degree++;
    const int block = e->head[degree];
    unlist_block(e, block);
    e->order[k] = block;
    if (!eliminate_block(e, block)) return false;
  }
  return true;
}

static bool begin(elimination *e, int blocks, int pair_count, const int *pairs,
                  flg_region *region) {
  *e = (elimination){.count = blocks,
                     .degree = take(region, blocks),
                     .near = flg_region_take(region, (size_t)blocks, sizeof *e->near),
                     .next = take(region, blocks),
                     .previous = take(region, blocks),
                     .order = take(region, blocks)};
  if (region->failed) return false;
  for (int k = 0; k < 2 * pair_count; k += 2) {
    if (pairs[k] == pairs[k + 1]) continue;
    if (!couple(e, pairs[k], pairs[k + 1]) || !couple(e, pairs[k + 1], pairs[k])) return false;
  }
  return true;
}

/* --- the pattern --------------------------------------------------------------------------------
 */

static void sort(int *list, int count) {
  for (int k = 1; k < count; k++) {
    const int value = list[k];
    int at = k;
    for (; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
    list[at] = value;
  }
}

static void measure(flg_sparse_pairs *m, const elimination *e) {
  m->count = e->count;
  for (int k = 0; k < e->count; k++) {
    m->entry_count += e->degree[k];
    m->target_count += e->degree[k] * (e->degree[k] - 1) / 2;
  }
}

static void write_columns(const elimination *e, const int *place, int *first, int *row) {
  int at = 0;
  for (int k = 0; k < e->count; k++) {
    const int block = e->order[k];
    first[k] = at;
    for (int i = 0; i < e->degree[block]; i++) row[at++] = place[e->near[block][i]];
    sort(row + first[k], at - first[k]);
  }
  first[e->count] = at;
}

static void write_targets(const flg_sparse_pairs *m, int *target) {
  for (int k = 0; k < m->count; k++) {
    for (int a = m->first[k]; a < m->first[k + 1]; a++) {
      for (int b = a + 1; b < m->first[k + 1]; b++) {
        *target++ = flg_sparse_pairs_find(m, m->row[b], m->row[a]);
      }
    }
  }
}

int flg_sparse_pairs_find(const flg_sparse_pairs *matrix, int one, int other) {
  const int low = one < other ? one : other, high = one < other ? other : one;
  for (int e = matrix->first[low]; e < matrix->first[low + 1]; e++) {
    if (matrix->row[e] == high) return e;
  }
  return NONE;
}

static bool lay_out(flg_sparse_pairs *m, const elimination *e, flg_region *region) {
  measure(m, e);
  int *place = take(region, m->count), *first = take(region, m->count + 1);
  int *below = take(region, m->count);
  int *row = take(region, m->entry_count), *target = take(region, m->target_count);
  m->diagonal = flg_region_take(region, 3 * (size_t)m->count, sizeof(double));
  m->whole = flg_region_take(region, 3 * (size_t)m->count, sizeof(double));
  m->entry = flg_region_take(region, 4 * (size_t)m->entry_count, sizeof(double));
  if (region->failed) return false;
  m->place = place, m->first = first, m->below = below, m->row = row, m->target = target;
  for (int k = 0; k < m->count; k++) place[e->order[k]] = k;
  write_columns(e, place, first, row);
  for (int k = 0; k < m->count; k++) below[k] = first[k + 1] - first[k];
  write_targets(m, target);
  return true;
}

bool flg_sparse_pairs_build(flg_sparse_pairs *matrix, int count, int pair_count, const int *pairs,
                            flg_region *region) {
  flg_region work = {0};
  elimination e;
  *matrix = (flg_sparse_pairs){0};
  const bool is_ordered = begin(&e, count, pair_count, pairs, &work) && find_order(&e);
  const bool is_built = is_ordered && lay_out(matrix, &e, region);
  if (work.failed) region->failed = true;
  flg_region_release(&work);
  return is_built;
}

double flg_sparse_pairs_flops(const flg_sparse_pairs *matrix) {
  return 6.0 * matrix->count + 14.0 * matrix->entry_count + 8.0 * matrix->target_count;
}

/* --- step ---------------------------------------------------------------------------------------
 */

/* D^-1 in the place of D */
FLG_SMALL bool invert(const double whole[3], double tolerance, double d[3]) {
  const double first = d[0];
  if (!(first > tolerance * whole[0] && whole[0] > 0 && first <= DBL_MAX)) return false;
  const double above = 1 / first, share = d[1] * above, second = d[2] - d[1] * share;
  if (!(second > tolerance * whole[2] && whole[2] > 0 && second <= DBL_MAX)) return false;
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
  const int *target = matrix->target, *row = matrix->row, *below = matrix->below;
  const int *end = below + matrix->count;
  double *diagonal = matrix->diagonal, *whole = matrix->whole, *d = diagonal;
  block *entry = (block *)matrix->entry, *entries = entry;
  memcpy(whole, diagonal, 3 * (size_t)matrix->count * sizeof *diagonal);
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
  const int n = matrix->count, *below = matrix->below, *row = matrix->row;
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
