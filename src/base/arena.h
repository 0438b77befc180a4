/* arena.h - one block of the caller's memory, handed out piece by piece.
 *
 * Every piece is zeroed, starts on a 64-byte boundary and is followed by a gap of 64 bytes that
 * no array owns (poisoned under AddressSanitizer, so that running over the end of an array is
 * caught). Pieces are given back all at once, by rewinding to an earlier `used`.
 *
 *     size first:   bytes = flg_arena_bytes(n, sizeof(double)) + ...
 *     then lay out: x = flg_arena_take(&arena, n, sizeof(double))
 *
 * Set-up only: nothing is taken from an arena while stepping.
 */
#ifndef FLG_ARENA_H
#define FLG_ARENA_H

#include <stddef.h>

#include "flange/status.h"

/* [bytes] that pieces start on a multiple of */
enum { FLG_ARENA_ALIGNMENT = 64 };

/* A block of memory and how much of it was handed out. */
typedef struct flg_arena {
  void *base;      /* the caller's block, on a 64-byte boundary; may be NULL if capacity is 0 */
  size_t capacity; /* its bytes */
  size_t used;     /* bytes handed out so far, gaps included */
} flg_arena;

/* Bytes that a piece of count elements takes, its gap included; SIZE_MAX if that overflows. A sum
 * of such sizes may wrap: bound the counts before. */
size_t flg_arena_bytes(size_t count, size_t element_bytes);
/* Bytes that are left. */
size_t flg_arena_left(const flg_arena *arena);
/* A zeroed piece, or NULL (and nothing taken) if it does not fit. */
void *flg_arena_take(flg_arena *arena, size_t count, size_t element_bytes);
/* Gives back all that was taken since `used` was as given. */
void flg_arena_rewind(flg_arena *arena, size_t used);

/* Set-up: an arena on a fresh block from the system; release it with flg_arena_release. */
flg_status flg_arena_build(flg_arena *arena, size_t capacity, flg_error *error);
/* Set-up: gives the block back to the system, and makes the arena empty. */
void flg_arena_release(flg_arena *arena);

#endif
