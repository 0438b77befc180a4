/* pair_set.h - which of many pairs of numbers are listed, in any order of the two: a sorted list
 * that is searched by halves. Set-up: what it is made of grows; then it is only asked.
 */
#ifndef FLG_PAIR_SET_H
#define FLG_PAIR_SET_H

#include <stdbool.h>

#include "base/region.h"

/* Starts as {0}. */
typedef struct flg_pair_set {
  int (*pairs)[2]; /* (count) the smaller number first; sorted after flg_pair_set_sort */
  int count, capacity;
} flg_pair_set;

/* Numbers are 0 or more. Without memory the region has failed. */
void flg_pair_set_add(flg_pair_set *set, int a, int b, flg_region *region);
/* After the last add: sorts the pairs, and leaves out those that are there already. */
void flg_pair_set_sort(flg_pair_set *set);
bool flg_pair_set_has(const flg_pair_set *set, int a, int b);

#endif
