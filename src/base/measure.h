/* measure.h - how many bytes a layout takes of an arena.
 *
 * A layout is written once, as a function that takes pieces from an arena, and called twice: with
 * an arena that measures, whose pieces are all NULL, and then with one of that size.
 */
#ifndef FLG_MEASURE_H
#define FLG_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Its `used` is the sum of what was taken. */
static inline flg_arena flg_arena_measure(void) {
  return (flg_arena){.capacity = SIZE_MAX};
}

static inline bool flg_arena_measures(const flg_arena *arena) {
  return arena->base == NULL && arena->capacity == SIZE_MAX;
}

#endif
