#include "base/region.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct flg_region_chunk {
  struct flg_region_chunk *older;
  size_t capacity;
  bool is_clear; /* came from the system as zeros */
  max_align_t memory[];
} chunk;

struct flg_region_debt {
  struct flg_region_debt *older;
  void (*settle)(void *what);
  void *what;
};

enum { ALIGNMENT = _Alignof(max_align_t), CHUNK_BYTES = 1 << 16 };

/* Large pieces get pages that the system clears when they are first used: what is never used costs
 * neither time nor memory. */
static bool add_chunk(flg_region *region, size_t bytes) {
  const bool is_large = bytes > CHUNK_BYTES;
  const size_t capacity = is_large ? bytes : CHUNK_BYTES;
  chunk *fresh = is_large ? calloc(1, sizeof(chunk) + capacity) : malloc(sizeof(chunk) + capacity);
  if (fresh == NULL) return false;
  fresh->is_clear = is_large;
  fresh->older = region->newest;
  fresh->capacity = capacity;
  region->newest = fresh;
  region->left = capacity;
  return true;
}

static bool has_room(flg_region *region, size_t bytes) {
  if (region->limit != 0 && bytes > region->limit - region->bytes) return false;
  return bytes <= region->left || add_chunk(region, bytes);
}

void *flg_region_take(flg_region *region, size_t count, size_t element_bytes) {
  const size_t most = SIZE_MAX / 2;
  size_t bytes = element_bytes != 0 && count > most / element_bytes ? most : count * element_bytes;
  bytes = (bytes / ALIGNMENT + 1) * ALIGNMENT; /* never 0: every piece has an address */
  if (bytes >= most || !has_room(region, bytes)) {
    region->failed = true;
    return NULL;
  }
  unsigned char *end = (unsigned char *)region->newest->memory + region->newest->capacity;
  unsigned char *piece = end - region->left;
  region->left -= bytes;
  region->bytes += bytes;
  return region->newest->is_clear ? piece : memset(piece, 0, bytes);
}

const char *flg_region_text(flg_region *region, const char *text, size_t length) {
  char *copy = flg_region_take(region, length + 1, 1);
  if (copy != NULL) memcpy(copy, text, length);
  return copy;
}

const char *flg_region_format(flg_region *region, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  char *text = length < 0 ? NULL : flg_region_take(region, (size_t)length + 1, 1);
  if (text != NULL) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

void flg_region_owe(flg_region *region, void (*settle)(void *what), void *what) {
  struct flg_region_debt *debt = flg_region_take(region, 1, sizeof *debt);
  if (debt == NULL) {
    settle(what);
    return;
  }
  *debt = (struct flg_region_debt){.older = region->debts, .settle = settle, .what = what};
  region->debts = debt;
}

void flg_region_release(flg_region *region) {
  for (struct flg_region_debt *debt = region->debts; debt != NULL; debt = debt->older) {
    debt->settle(debt->what);
  }
  for (chunk *next, *old = region->newest; old != NULL; old = next) {
    next = old->older;
    free(old);
  }
  *region = (flg_region){.limit = region->limit};
}
