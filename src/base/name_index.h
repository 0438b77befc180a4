/* name_index.h - finds one of many names in constant time, for inputs with thousands of them.
 *
 * Set-up only. The names are borrowed; the table grows in the region that is handed in.
 */
#ifndef FLG_NAME_INDEX_H
#define FLG_NAME_INDEX_H

#include "base/region.h"

/* Open addressing, at most half full; starts as {0}. */
typedef struct flg_name_index {
  size_t slot_count; /* a power of two */
  int count;         /* names in it */
  struct flg_name_slot {
    const char *name; /* NULL: free */
    int number;
  } * slots;
} flg_name_index;

enum { FLG_NAME_UNKNOWN = -1 };

/* Enters a name with its number, 0 or more. Returns FLG_NAME_UNKNOWN if the name is new, else the
 * number under which it was entered first, and changes nothing. Without memory the region has
 * failed, and the name is not entered. */
int flg_name_index_add(flg_name_index *index, const char *name, int number, flg_region *region);
/* The number of a name, or FLG_NAME_UNKNOWN. */
int flg_name_index_find(const flg_name_index *index, const char *name);

#endif
