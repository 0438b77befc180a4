/* scratch.h - pieces of an arena for intermediate results.
 *
 * As flg_arena_take, but nothing is promised about what they hold: large tables that are rarely
 * used cost no pages until they are. Under AddressSanitizer they hold NaN. */
#ifndef FLG_SCRATCH_H
#define FLG_SCRATCH_H

#include "flange/arena.h"

void *flg_arena_take_scratch(flg_arena *arena, size_t count, size_t element_bytes);

#endif
