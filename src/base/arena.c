#include "base/arena.h"

#include "base/measure.h"
#include "base/scratch.h"

#include <assert.h>
#include <stdint.h>
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
#define POISON(address, bytes)   ASAN_POISON_MEMORY_REGION(address, bytes)
#define UNPOISON(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#else
#define POISON(address, bytes)   ((void)(address), (void)(bytes))
#define UNPOISON(address, bytes) ((void)(address), (void)(bytes))
#endif

enum { ALIGNMENT = FLG_ARENA_ALIGNMENT, GAP = 64 };

size_t flg_arena_bytes(size_t count, size_t element_bytes) {
  if (element_bytes != 0 && count > SIZE_MAX / element_bytes) return SIZE_MAX;
  const size_t bytes = count * element_bytes;
  if (bytes > SIZE_MAX - GAP - ALIGNMENT) return SIZE_MAX;
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + GAP;
}

size_t flg_arena_left(const flg_arena *arena) {
  if (arena == NULL || arena->used > arena->capacity) return 0;
  return arena->capacity - arena->used;
}

#ifdef HAS_ASAN
static void spoil(unsigned char *piece, size_t bytes) {
  memset(piece, 0xff, bytes);
}
#else
static void spoil(const unsigned char *piece, size_t bytes) {
  (void)piece, (void)bytes;
}
#endif

void *flg_arena_take_scratch(flg_arena *arena, size_t count, size_t element_bytes) {
  assert((uintptr_t)arena->base % ALIGNMENT == 0);
  const size_t bytes = flg_arena_bytes(count, element_bytes);
  if (bytes == SIZE_MAX || bytes > flg_arena_left(arena)) return NULL;
  if (flg_arena_measures(arena)) {
    arena->used += bytes;
    return NULL;
  }
  unsigned char *piece = (unsigned char *)arena->base + arena->used;
  UNPOISON(piece, bytes);
  spoil(piece, bytes);
  const size_t owned = count * element_bytes;
  POISON(piece + owned, bytes - owned);
  arena->used += bytes;
  return piece;
}

void *flg_arena_take(flg_arena *arena, size_t count, size_t element_bytes) {
  if (arena == NULL) return NULL;
  void *piece = flg_arena_take_scratch(arena, count, element_bytes);
  if (piece != NULL) memset(piece, 0, count * element_bytes);
  return piece;
}

void flg_arena_open_gaps(const flg_arena *arena) {
  UNPOISON(arena->base, arena->used);
}

void flg_arena_rewind(flg_arena *arena, size_t used) {
  if (arena == NULL || used >= arena->used) return; /* also an arena without memory */
  POISON((unsigned char *)arena->base + used, arena->used - used);
  arena->used = used;
}

flg_status flg_arena_build(flg_arena *arena, size_t capacity, flg_error *error) {
  if (arena == NULL) return flg_fail(error, FLG_ERR_USAGE, "The arena is NULL.");
  const size_t bytes = flg_arena_bytes(capacity, 1);
  void *block = bytes == SIZE_MAX ? NULL : aligned_alloc(ALIGNMENT, bytes);
  if (block == NULL) {
    return flg_fail(error, FLG_ERR_MEMORY, "The system has no %zu bytes of memory left.", capacity);
  }
  POISON(block, bytes);
  *arena = (flg_arena){.base = block, .capacity = capacity};
  return FLG_OK;
}

void flg_arena_release(flg_arena *arena) {
  if (arena == NULL) return;
  if (arena->base != NULL) UNPOISON(arena->base, flg_arena_bytes(arena->capacity, 1));
  free(arena->base);
  *arena = (flg_arena){0};
}
