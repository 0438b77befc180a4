/* library_mark.h - bytes at the end of libraries that Flange has compiled: a hash of all before
 * them.
 *
 * Loaders do not read them. A library with a mark that does not fit was changed or damaged, and is
 * not loaded; other plug-ins have none. */
#ifndef FLG_PLUGIN_LIBRARY_MARK_H
#define FLG_PLUGIN_LIBRARY_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "flange/status.h"

typedef struct flg_library_mark {
  char magic[8];
  uint64_t key;     /* what the library was made from */
  uint64_t content; /* hash of all bytes before the mark */
} flg_library_mark;

typedef enum flg_library_state {
  FLG_LIBRARY_UNMARKED, /* or it cannot be read */
  FLG_LIBRARY_DAMAGED,
  FLG_LIBRARY_WHOLE
} flg_library_state;

/* Set-up: appends a mark; false with errno if the file cannot be written. */
bool flg_library_mark_add(const char *path, uint64_t key);
/* Set-up: what a file is by its mark; key: of the mark, if it is whole, may be NULL. */
flg_library_state flg_library_mark_read(const char *path, uint64_t *key);

#endif
