/* scratch.h - pieces of an arena for intermediate results.
 *
 * As flg_arena_take, but nothing is promised about what they hold: large tables that are rarely
 * used cost no pages until they are. Under AddressSanitizer they hold NaN. */
#ifndef FLG_SCRATCH_H
#define FLG_SCRATCH_H

#include "base/arena.h"

void *flg_arena_take_scratch(flg_arena *arena, size_t count, size_t element_bytes);

/* The gaps of a block that is not the arena's own may be used again: by the caller, whose it is. */
void flg_arena_open_gaps(const flg_arena *arena);

#endif
