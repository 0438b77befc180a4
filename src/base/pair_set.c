#include "base/pair_set.h"

#include <stdlib.h>

#include "base/growing.h"

void flg_pair_set_add(flg_pair_set *set, int a, int b, flg_region *region) {
  flg_growing list = {set->pairs, set->count, set->capacity};
  int *pair = flg_growing_add(&list, sizeof(int[2]), region);
  if (pair == NULL) return;
  pair[0] = a < b ? a : b, pair[1] = a < b ? b : a;
  *set = (flg_pair_set){list.items, list.count, list.capacity};
}

static int compare_pairs(const void *a, const void *b) {
  const int *first = a, *second = b;
  const int k = first[0] == second[0];
  return (first[k] > second[k]) - (first[k] < second[k]);
}

void flg_pair_set_sort(flg_pair_set *set) {
  int kept = 0;
  if (set->count > 0) qsort(set->pairs, (size_t)set->count, sizeof *set->pairs, compare_pairs);
  for (int k = 0; k < set->count; k++) {
    if (kept > 0 && compare_pairs(set->pairs[kept - 1], set->pairs[k]) == 0) continue;
    set->pairs[kept][0] = set->pairs[k][0], set->pairs[kept++][1] = set->pairs[k][1];
  }
  set->count = kept;
}

bool flg_pair_set_has(const flg_pair_set *set, int a, int b) {
  const int pair[2] = {a < b ? a : b, a < b ? b : a};
  if (set->count == 0) return false;
  return bsearch(pair, set->pairs, (size_t)set->count, sizeof *set->pairs, compare_pairs) != NULL;
}
