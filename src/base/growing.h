/* growing.h - arrays in a region that grow while an input is read. */
#ifndef FLG_GROWING_H
#define FLG_GROWING_H

#include <string.h>

#include "base/region.h"

/* Starts as {0}. Elements move when it grows: keep their numbers, not their addresses. */
typedef struct flg_growing {
  void *items;
  int count, capacity;
} flg_growing;

/* A new element at the end, zeroed; NULL if the region has failed. */
static inline void *flg_growing_add(flg_growing *list, size_t element_bytes, flg_region *region) {
  if (list->count == list->capacity) {
    const int capacity = list->capacity == 0 ? 8 : 2 * list->capacity;
    void *larger = flg_region_take(region, (size_t)capacity, element_bytes);
    if (larger == NULL) return NULL;
    if (list->count > 0) memcpy(larger, list->items, (size_t)list->count * element_bytes);
    list->items = larger;
    list->capacity = capacity;
  }
  return (unsigned char *)list->items + (size_t)list->count++ * element_bytes;
}

#endif
