/* Pairs of boxes that overlap: boxes are sorted along a curve that fills space, so that neighbours
 * in the order are near each other, and a tree of boxes over that order is searched. It is built
 * from nothing in every step: the result depends on the boxes alone, not on earlier steps. */
#include "contact/broad_phase.h"

#include <string.h>

enum { FEW = 24 }; /* boxes that are compared faster than sorted */
enum { CODE_BITS = 10, BUCKETS = 1 << CODE_BITS, PASSES = 3, STACK = 128 };

/* 2 n + 64 nodes: levels are halves, rounded up, at most 32 of them. */
flg_status flg_broad_phase_build(flg_broad_phase *phase, int capacity, flg_region *region,
                                 flg_error *error) {
  const size_t n = (size_t)capacity;
  if (capacity < 1 || capacity > FLG_BROAD_PHASE_MAX) {
    return flg_fail(error, FLG_ERR_RANGE, "There are %d shapes, expected 1 to %d.", capacity,
                    FLG_BROAD_PHASE_MAX);
  }
  *phase = (flg_broad_phase){.capacity = capacity};
  phase->endless = flg_region_take(region, n, sizeof(int));
  phase->order = flg_region_take(region, n, sizeof(int));
  phase->spare = flg_region_take(region, n, sizeof(int));
  phase->codes = flg_region_take(region, n, sizeof(uint32_t));
  phase->spare_codes = flg_region_take(region, n, sizeof(uint32_t));
  phase->nodes = flg_region_take(region, 2 * n + 64, sizeof(flg_bounds));
  return flg_region_check(region, "shapes", error);
}

/* --- the order along the curve --------------------------------------------------------------- */

static bool is_endless(const flg_bounds *box) {
  return isinf(box->lower.x) || isinf(box->lower.y) || isinf(box->lower.z) || isinf(box->upper.x) ||
         isinf(box->upper.y) || isinf(box->upper.z);
}

static flg_vec3 centre_of(const flg_bounds *box) {
  return flg_vec3_scale(flg_vec3_add(box->lower, box->upper), 0.5);
}

static void join_bounds(flg_bounds *to, const flg_bounds *box) {
  to->lower = (flg_vec3){fmin(to->lower.x, box->lower.x), fmin(to->lower.y, box->lower.y),
                         fmin(to->lower.z, box->lower.z)};
  to->upper = (flg_vec3){fmax(to->upper.x, box->upper.x), fmax(to->upper.y, box->upper.y),
                         fmax(to->upper.z, box->upper.z)};
}

/* Planes have boxes without end, which would make every box of the tree endless: they stand apart.
 */
static void sort_out_planes(flg_broad_phase *phase, const flg_bounds *boxes, int count) {
  phase->finite = phase->infinite = 0;
  for (int k = 0; k < count; k++) {
    if (is_endless(&boxes[k])) {
      phase->endless[phase->infinite++] = k;
    } else {
      phase->order[phase->finite++] = k;
    }
  }
}

/* Two zero bits before each of the ten. */
static uint32_t spread_bits(uint32_t x) {
  x = (x | x << 16) & 0x030000ff;
  x = (x | x << 8) & 0x0300f00f;
  x = (x | x << 4) & 0x030c30c3;
  return (x | x << 2) & 0x09249249;
}

/* one of 1024 cells along an axis; NaN is in the first */
static uint32_t cell(double x, double low, double scale) {
  const double at = (x - low) * scale;
  return at > 0 ? at < BUCKETS - 1 ? (uint32_t)at : BUCKETS - 1 : 0;
}

/* Morton codes: the bits of the three cells by turns. All axes have the same scale, so that cells
 * are cubes, and what is near in space is mostly near in the code. */
static void find_codes(flg_broad_phase *phase, const flg_bounds *boxes) {
  flg_bounds all = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  for (int k = 0; k < phase->finite; k++) {
    const flg_vec3 c = centre_of(&boxes[phase->order[k]]);
    const flg_bounds point = {c, c};
    join_bounds(&all, &point);
  }
  const flg_vec3 size = flg_vec3_subtract(all.upper, all.lower);
  const double longest = fmax(size.x, fmax(size.y, size.z));
  const double scale = longest > 0 ? BUCKETS / longest : 0;
  for (int k = 0; k < phase->finite; k++) {
    const flg_vec3 c = centre_of(&boxes[phase->order[k]]);
    phase->codes[k] = spread_bits(cell(c.x, all.lower.x, scale)) << 2 |
                      spread_bits(cell(c.y, all.lower.y, scale)) << 1 |
                      spread_bits(cell(c.z, all.lower.z, scale));
  }
}

/* By ten bits at a time, from the lowest on; equal codes stay in the order of their numbers. */
static void sort_codes(flg_broad_phase *phase) {
  for (int pass = 0; pass < PASSES; pass++) {
    int starts[BUCKETS + 1] = {0};
    const int shift = CODE_BITS * pass;
    for (int k = 0; k < phase->finite; k++) {
      starts[(phase->codes[k] >> shift & (BUCKETS - 1)) + 1]++;
    }
    for (int k = 0; k < BUCKETS; k++) starts[k + 1] += starts[k];
    for (int k = 0; k < phase->finite; k++) {
      const int to = starts[phase->codes[k] >> shift & (BUCKETS - 1)]++;
      phase->spare[to] = phase->order[k];
      phase->spare_codes[to] = phase->codes[k];
    }
    memcpy(phase->order, phase->spare, (size_t)phase->finite * sizeof *phase->order);
    memcpy(phase->codes, phase->spare_codes, (size_t)phase->finite * sizeof *phase->codes);
  }
}

/* --- the tree -------------------------------------------------------------------------------- */

/* Each level has half the boxes of the one below, each around two neighbours of it. */
static void raise_tree(flg_broad_phase *phase, const flg_bounds *boxes) {
  int level = 0, start = 0, count = phase->finite;
  for (int k = 0; k < count; k++) phase->nodes[k] = boxes[phase->order[k]];
  phase->level_start[0] = 0, phase->level_count[0] = count;
  while (count > 1) {
    const flg_bounds *below = phase->nodes + start;
    const int half = (count + 1) / 2;
    start += count;
    for (int k = 0; k < half; k++) {
      phase->nodes[start + k] = below[2 * k];
      if (2 * k + 1 < count) join_bounds(&phase->nodes[start + k], &below[2 * k + 1]);
    }
    count = half;
    phase->level_start[++level] = start, phase->level_count[level] = count;
  }
  phase->levels = phase->finite > 0 ? level + 1 : 0;
}

/* closed intervals: boxes that only touch count, and NaN never does */
static bool overlap(const flg_bounds *p, const flg_bounds *q) {
  return p->lower.x <= q->upper.x && q->lower.x <= p->upper.x && p->lower.y <= q->upper.y &&
         q->lower.y <= p->upper.y && p->lower.z <= q->upper.z && q->lower.z <= p->upper.z;
}

typedef struct listing {
  flg_pair_filter *filter;
  const void *context;
  flg_pair *pairs;
  int capacity, count;
} listing;

/* counts on where there is no room, so that the message can say how much would be enough */
static void offer_pair(listing *list, int a, int b) {
  if (list->filter != NULL && !list->filter(list->context, a, b)) return;
  if (list->count < list->capacity) list->pairs[list->count] = (flg_pair){a, b};
  list->count++;
}

/* All boxes of a higher number that overlap box a, in the order of the tree. */
static void query(const flg_broad_phase *phase, const flg_bounds *boxes, int a, listing *list) {
  struct {
    int level, index;
  } stack[STACK] = {{phase->levels - 1, 0}};
  const flg_bounds box = boxes[a];
  int depth = phase->levels > 0 ? 1 : 0;
  while (depth > 0) {
    const int level = stack[--depth].level, index = stack[depth].index;
    if (!overlap(&box, &phase->nodes[phase->level_start[level] + index])) continue;
    if (level == 0) {
      if (phase->order[index] > a) offer_pair(list, a, phase->order[index]);
      continue;
    }
    const int first = 2 * index;
    if (first + 1 < phase->level_count[level - 1]) {
      stack[depth].level = level - 1, stack[depth++].index = first + 1;
    }
    stack[depth].level = level - 1, stack[depth++].index = first;
  }
}

/* Boxes without end have their pairs by comparing; with a lower number than the other's, here. */
static void query_endless(const flg_broad_phase *phase, const flg_bounds *boxes, int count, int a,
                          listing *list) {
  if (is_endless(&boxes[a])) {
    const int others = phase->endless_apart ? phase->finite : count;
    for (int k = 0; k < others; k++) {
      const int b = phase->endless_apart ? phase->order[k] : k;
      if (b > a && overlap(&boxes[a], &boxes[b])) offer_pair(list, a, b);
    }
    return;
  }
  query(phase, boxes, a, list);
  for (int k = 0; k < phase->infinite; k++) {
    const int b = phase->endless[k];
    if (b > a && overlap(&boxes[a], &boxes[b])) offer_pair(list, a, b);
  }
}

/* --- sorting the pairs of one box ------------------------------------------------------------ */

static void sift(flg_pair *pairs, int root, int count) {
  const flg_pair moved = pairs[root];
  for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && pairs[child + 1].b > pairs[child].b) child++;
    if (pairs[child].b <= moved.b) break;
    pairs[root] = pairs[child];
    root = child;
  }
  pairs[root] = moved;
}

/* Heap sort in place. Pairs come in the order of their numbers, whatever the tree looked like: the
 * order of contacts, and with it every bit of a step, must not depend on the search. */
static void sort_pairs(flg_pair *pairs, int count) {
  for (int k = count / 2 - 1; k >= 0; k--) sift(pairs, k, count);
  for (int end = count - 1; end > 0; end--) {
    const flg_pair last = pairs[end];
    pairs[end] = pairs[0];
    pairs[0] = last;
    sift(pairs, 0, end);
  }
}

static void compare_all(const flg_bounds *boxes, int count, listing *list) {
  for (int a = 0; a < count; a++) {
    for (int b = a + 1; b < count; b++) {
      if (overlap(&boxes[a], &boxes[b])) offer_pair(list, a, b);
    }
  }
}

static void search_tree(flg_broad_phase *phase, const flg_bounds *boxes, int count, listing *list) {
  sort_out_planes(phase, boxes, count);
  find_codes(phase, boxes);
  sort_codes(phase);
  raise_tree(phase, boxes);
  for (int a = 0; a < count; a++) {
    const int first = list->count < list->capacity ? list->count : list->capacity;
    query_endless(phase, boxes, count, a, list);
    const int end = list->count < list->capacity ? list->count : list->capacity;
    sort_pairs(list->pairs + first, end - first);
  }
}

flg_status flg_broad_phase_pairs(flg_broad_phase *phase, const flg_bounds *boxes, int count,
                                 flg_pair_filter *filter, const void *context, flg_pair *pairs,
                                 int pair_capacity, int *pair_count) {
  if (count < 0 || count > phase->capacity) return FLG_ERR_RANGE;
  listing list = {.filter = filter, .context = context, .pairs = pairs, .capacity = pair_capacity};
  if (count <= FEW) {
    compare_all(boxes, count, &list);
  } else {
    search_tree(phase, boxes, count, &list);
  }
  *pair_count = list.count;
  return list.count > pair_capacity ? FLG_ERR_CAPACITY : FLG_OK;
}
