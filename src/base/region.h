/* region.h - memory that grows while something is set up, and goes away all at once: syntax trees,
 * names, tables, robots, plans, assemblies, couplings. Steps take nothing from it.
 *
 * Pieces of 32 bytes and more start on a 64-byte boundary. Under AddressSanitizer a gap follows
 * each piece, so that running over the end of an array is caught.
 */
#ifndef FLG_REGION_H
#define FLG_REGION_H

#include <stdbool.h>
#include <stddef.h>

#include "flange/status.h"

typedef struct flg_region {
  struct flg_region_chunk *newest; /* chunks of the system's memory, linked */
  struct flg_region_debt *debts;   /* what is to be done when it goes */
  size_t left;                     /* bytes left in the newest */
  size_t bytes;                    /* bytes handed out so far */
  size_t limit;                    /* refuses to hand out more than this; 0: no limit */
  bool failed;                     /* some request could not be met: what was built has holes */
} flg_region;

/* Zeroed memory, aligned for any object, or NULL with `failed` set. A region starts as {0}. */
void *flg_region_take(flg_region *region, size_t count, size_t element_bytes);
/* The same for intermediate results: nothing is promised about what they hold, so that large tables
 * which are rarely used cost no pages until they are. Under AddressSanitizer they hold NaN. */
void *flg_region_take_scratch(flg_region *region, size_t count, size_t element_bytes);
/* FLG_ERR_MEMORY with a sentence if some request could not be met; what: what it was for. */
flg_status flg_region_check(const flg_region *region, const char *what, flg_error *error);
/* A copy of length bytes of text, terminated. */
const char *flg_region_text(flg_region *region, const char *text, size_t length);
/* As by printf. */
const char *flg_region_format(flg_region *region, const char *format, ...) FLG_PRINTF(2, 3);
/* Calls settle(what) when the region is released, before its memory goes, the newest first: for
 * what holds more than memory. At once if there is no memory to remember it; `failed` is then set.
 */
void flg_region_owe(flg_region *region, void (*settle)(void *what), void *what);
/* Frees everything and makes the region as new. */
void flg_region_release(flg_region *region);

#endif
