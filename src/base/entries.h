/* entries.h - whether a table of operations has all entries that will be called. */
#ifndef FLG_BASE_ENTRIES_H
#define FLG_BASE_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct flg_entry {
  const char *name;
  bool is_there; /* or is not called */
} flg_entry;

/* The name of the first that is missing; NULL: none is. */
static inline const char *flg_entries_missing(const flg_entry *entries, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (!entries[k].is_there) return entries[k].name;
  }
  return NULL;
}

#define FLG_ENTRIES_MISSING(entries) \
  flg_entries_missing(entries, sizeof(entries) / sizeof((entries)[0]))

#endif
