/* name_index.h - finds one of many names in time that grows with the length of the name alone, for
 * inputs with thousands of them.
 *
 * Set-up only. The names are borrowed; the index grows in the region that is handed in. It is a
 * tree over the bits in which names differ, not a table of hashes: files of others could be full of
 * names with one hash.
 */
#ifndef FLG_NAME_INDEX_H
#define FLG_NAME_INDEX_H

#include "base/region.h"

/* A name, and the fork that came with it, which is above it for ever. */
typedef struct flg_name_node {
  const char *name;
  int number;
  int child[2];       /* by the bit; k: the fork of node k, ~k: its name */
  size_t byte;        /* all names below agree up to it ... */
  unsigned char mask; /* ... and in the bits above this one */
} flg_name_node;

/* Starts as {0}. */
typedef struct flg_name_index {
  int count, capacity; /* names in it, and how many fit */
  int root;
  flg_name_node *nodes;
} flg_name_index;

enum { FLG_NAME_UNKNOWN = -1 };

/* Enters a name with its number, 0 or more. Returns FLG_NAME_UNKNOWN if the name is new, else the
 * number under which it was entered first, and changes nothing. Without memory the region has
 * failed, and the name is not entered. */
int flg_name_index_add(flg_name_index *index, const char *name, int number, flg_region *region);
/* The number of a name, or FLG_NAME_UNKNOWN. */
int flg_name_index_find(const flg_name_index *index, const char *name);
/* The same of a name that a text begins with. */
int flg_name_index_find_begin(const flg_name_index *index, const char *text, size_t length);
/* An index of items that begin with their names, by their places, and the place of one of them: as
 * flg_find_named of base/given.h, which searches where the index is not of so many items. */
flg_name_index flg_name_index_of(const void *items, size_t bytes, int count, flg_region *region);
int flg_name_index_seek(const flg_name_index *index, const void *items, size_t bytes, int count,
                        const char *name);
#define FLG_INDEX(items, count, region) flg_name_index_of(items, sizeof *(items), count, region)
#define FLG_SEEK(index, items, count, name) \
  flg_name_index_seek(index, items, sizeof *(items), count, name)

#endif
