#include "base/region.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

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

enum { ALIGNMENT = _Alignof(max_align_t), LINE = 64, WIDE = 32 };
enum { FIRST_BYTES = 1 << 12, CHUNK_BYTES = 1 << 16 };

#ifdef HAS_ASAN
enum { GAP = 64 };
#define POISON(address, bytes)   ASAN_POISON_MEMORY_REGION(address, bytes)
#define UNPOISON(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#else
enum { GAP = 0 };
#define POISON(address, bytes)   ((void)(address), (void)(bytes))
#define UNPOISON(address, bytes) ((void)(address), (void)(bytes))
#endif

/* Chunks grow with the region. Large pieces get pages that the system clears when they are first
 * used, and scratch is not cleared at all: what is never used costs neither time nor memory. */
static bool add_chunk(flg_region *region, size_t bytes, bool is_scratch) {
  const bool clears = bytes > CHUNK_BYTES && !is_scratch;
  size_t capacity = region->bytes < FIRST_BYTES ? FIRST_BYTES : region->bytes;
  if (capacity > CHUNK_BYTES) capacity = CHUNK_BYTES;
  if (capacity < bytes) capacity = bytes;
  chunk *fresh = clears ? calloc(1, sizeof(chunk) + capacity) : malloc(sizeof(chunk) + capacity);
  if (fresh == NULL) return false;
  *fresh = (chunk){.older = region->newest, .capacity = capacity, .is_clear = clears};
  POISON(fresh->memory, capacity);
  region->newest = fresh;
  region->left = capacity;
  return true;
}

static bool has_room(flg_region *region, size_t bytes, bool is_scratch) {
  if (region->limit != 0 && bytes > region->limit - region->bytes) return false;
  return bytes <= region->left || add_chunk(region, bytes, is_scratch);
}

/* not cleared; `failed` is set if there is none */
static unsigned char *take_piece(flg_region *region, size_t count, size_t element_bytes,
                                 bool is_scratch) {
  const size_t most = SIZE_MAX / 2;
  const bool is_endless = element_bytes != 0 && count > most / element_bytes;
  const size_t owned = is_endless ? most : count * element_bytes;
  const size_t bytes = (owned / ALIGNMENT + 1) * ALIGNMENT; /* never 0: it has an address */
  const size_t alignment = owned < WIDE ? ALIGNMENT : LINE;
  if (is_endless || !has_room(region, bytes + GAP + alignment - ALIGNMENT, is_scratch)) {
    region->failed = true;
    return NULL;
  }
  unsigned char *end = (unsigned char *)region->newest->memory + region->newest->capacity;
  unsigned char *piece = end - region->left;
  piece += (alignment - (uintptr_t)piece % alignment) % alignment;
  region->left = (size_t)(end - piece) - bytes - GAP;
  region->bytes += bytes;
  UNPOISON(piece, owned);
  return piece;
}

void *flg_region_take(flg_region *region, size_t count, size_t element_bytes) {
  unsigned char *piece = take_piece(region, count, element_bytes, false);
  if (piece == NULL || region->newest->is_clear) return piece;
  return memset(piece, 0, count * element_bytes);
}

void *flg_region_take_scratch(flg_region *region, size_t count, size_t element_bytes) {
  unsigned char *piece = take_piece(region, count, element_bytes, true);
#ifdef HAS_ASAN
  if (piece != NULL) memset(piece, 0xff, count * element_bytes);
#endif
  return piece;
}

flg_status flg_region_check(const flg_region *region, const char *what, flg_error *error) {
  if (!region->failed) return FLG_OK;
  return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for %s.", what);
}

const char *flg_region_text(flg_region *region, const char *text, size_t length) {
  char *copy = (char *)take_piece(region, length + 1, 1, false);
  if (copy == NULL) return NULL;
  memcpy(copy, text, length);
  copy[length] = '\0';
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
    UNPOISON(old->memory, old->capacity);
    free(old);
  }
  *region = (flg_region){.limit = region->limit};
}
