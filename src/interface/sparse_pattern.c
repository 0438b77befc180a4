#include "interface/sparse_pattern.h"

enum { MOST = FLG_SPARSE_DEGREE_MAX, NONE = -1 };

/* --- the order of elimination -------------------------------------------------------------------
 * Blocks that are left, and which of them are coupled by what went before. Blocks that are coupled
 * with as many rows are a list; the next to go is the first of those with the fewest.
 */

typedef struct elimination {
  int count;
  const int *rows;      /* (blocks) NULL: 1 each */
  int *degree;          /* (blocks) of those that are left */
  int *weight;          /* (blocks) rows of those */
  int (*near)[MOST];    /* (blocks) coupled blocks that are left */
  int *next, *previous; /* (blocks) in the list of its weight */
  int head[MOST * FLG_SPARSE_ROWS_MAX + 1];
  int *order; /* (blocks) as they go */
} elimination;

static int *sparse_pattern_take(flg_region *region, int count) {
  return flg_region_take(region, (size_t)count, sizeof(int));
}

static int rows_of_block(const elimination *e, int block) {
  return e->rows == NULL ? 1 : e->rows[block];
}

/* Lists by weight, doubly linked: a block moves from one to another in constant time, however many
 * blocks there are. */
static void list_block(elimination *e, int block) {
  const int weight = e->weight[block], after = e->head[weight];
  e->next[block] = after, e->previous[block] = NONE;
  if (after != NONE) e->previous[after] = block;
  e->head[weight] = block;
}

static void unlist_block(elimination *e, int block) {
  const int before = e->previous[block], after = e->next[block];
  if (before != NONE) {
    e->next[before] = after;
  } else {
    e->head[e->weight[block]] = after;
  }
  if (after != NONE) e->previous[after] = before;
}

/* Bodies with very many joints would make dense blocks: those are left to the plan, false. */
static bool couple(elimination *e, int a, int b) {
  for (int k = 0; k < e->degree[a]; k++) {
    if (e->near[a][k] == b) return true;
  }
  if (e->degree[a] == MOST) return false;
  e->near[a][e->degree[a]++] = b;
  e->weight[a] += rows_of_block(e, b);
  return true;
}

static void forget(elimination *e, int block, int gone) {
  int left = 0;
  for (int k = 0; k < e->degree[block]; k++) {
    if (e->near[block][k] != gone) e->near[block][left++] = e->near[block][k];
  }
  if (left < e->degree[block]) e->weight[block] -= rows_of_block(e, gone);
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

/* Minimum degree, with rows as weights (Markowitz 1957, Tinney and Walker 1967): the block with the
 * fewest coupled rows goes next, which keeps fill-in small on chains, ladders and grids. Ties go to
 * the block that was listed last, so that the order is the same on every machine. */
static bool find_order(elimination *e) {
  for (int k = 0; k <= MOST * FLG_SPARSE_ROWS_MAX; k++) e->head[k] = NONE;
  for (int k = e->count - 1; k >= 0; k--) list_block(e, k);
  for (int k = 0; k < e->count; k++) {
    int weight = 0;
    while (e->head[weight] == NONE) weight++;
    const int block = e->head[weight];
    unlist_block(e, block);
    e->order[k] = block;
    if (!eliminate_block(e, block)) return false;
  }
  return true;
}

/* Symmetric: each pair is entered from both of its blocks. */
static bool begin_pattern(elimination *e, int blocks, const int *rows, int pair_count,
                          const int *pairs, flg_region *region) {
  *e = (elimination){.count = blocks,
                     .rows = rows,
                     .degree = sparse_pattern_take(region, blocks),
                     .weight = sparse_pattern_take(region, blocks),
                     .near = flg_region_take(region, (size_t)blocks, sizeof *e->near),
                     .next = sparse_pattern_take(region, blocks),
                     .previous = sparse_pattern_take(region, blocks),
                     .order = sparse_pattern_take(region, blocks)};
  if (region->failed) return false;
  for (int k = 0; k < 2 * pair_count; k += 2) {
    if (pairs[k] == pairs[k + 1]) continue;
    if (!couple(e, pairs[k], pairs[k + 1]) || !couple(e, pairs[k + 1], pairs[k])) return false;
  }
  return true;
}

/* --- the pattern --------------------------------------------------------------------------------
 */

/* Insertion: a column has some ten rows at most. In ascending order, so that factors and solves run
 * through memory in one direction. */
static void sort_rows(int *list, int count) {
  for (int k = 1; k < count; k++) {
    const int value = list[k];
    int at = k;
    for (; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
    list[at] = value;
  }
}

static void measure_pattern(flg_sparse_pattern *m, const elimination *e) {
  m->count = e->count;
  for (int k = 0; k < e->count; k++) {
    m->entry_count += e->degree[k];
    m->target_count += e->degree[k] * (e->degree[k] - 1) / 2;
  }
}

static void write_pattern_columns(const elimination *e, const int *place, int *first, int *row) {
  int at = 0;
  for (int k = 0; k < e->count; k++) {
    const int block = e->order[k];
    first[k] = at;
    for (int i = 0; i < e->degree[block]; i++) row[at++] = place[e->near[block][i]];
    sort_rows(row + first[k], at - first[k]);
  }
  first[e->count] = at;
}

/* Where each product of two entries goes is known now: factors look nothing up. */
static void write_targets(const flg_sparse_pattern *m, int *target) {
  for (int k = 0; k < m->count; k++) {
    for (int a = m->first[k]; a < m->first[k + 1]; a++) {
      for (int b = a + 1; b < m->first[k + 1]; b++) {
        *target++ = flg_sparse_pattern_find(m, m->row[b], m->row[a]);
      }
    }
  }
}

int flg_sparse_pattern_find(const flg_sparse_pattern *pattern, int one, int other) {
  const int low = one < other ? one : other, high = one < other ? other : one;
  for (int e = pattern->first[low]; e < pattern->first[low + 1]; e++) {
    if (pattern->row[e] == high) return e;
  }
  return NONE;
}

static bool sparse_pattern_lay_out(flg_sparse_pattern *m, const elimination *e,
                                   flg_region *region) {
  measure_pattern(m, e);
  int *place = sparse_pattern_take(region, m->count),
      *first = sparse_pattern_take(region, m->count + 1);
  int *below = sparse_pattern_take(region, m->count);
  int *row = sparse_pattern_take(region, m->entry_count),
      *target = sparse_pattern_take(region, m->target_count);
  if (region->failed) return false;
  m->place = place, m->first = first, m->below = below, m->row = row, m->target = target;
  for (int k = 0; k < m->count; k++) place[e->order[k]] = k;
  write_pattern_columns(e, place, first, row);
  for (int k = 0; k < m->count; k++) below[k] = first[k + 1] - first[k];
  write_targets(m, target);
  return true;
}

bool flg_sparse_pattern_build(flg_sparse_pattern *pattern, int count, const int *rows,
                              int pair_count, const int *pairs, flg_region *region) {
  flg_region work = {0};
  elimination e;
  *pattern = (flg_sparse_pattern){0};
  const bool is_ordered =
      begin_pattern(&e, count, rows, pair_count, pairs, &work) && find_order(&e);
  const bool is_built = is_ordered && sparse_pattern_lay_out(pattern, &e, region);
  if (work.failed) region->failed = true;
  flg_region_release(&work);
  return is_built;
}
