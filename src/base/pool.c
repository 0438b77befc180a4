#include "base/pool.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct flg_pool_chunk {
  struct flg_pool_chunk *older;
  size_t capacity;
  max_align_t memory[];
} chunk;

enum { ALIGNMENT = _Alignof(max_align_t), CHUNK_BYTES = 1 << 16 };

static bool add_chunk(flg_pool *pool, size_t bytes) {
  const size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
  chunk *fresh = malloc(sizeof(chunk) + capacity);
  if (fresh == NULL) return false;
  fresh->older = pool->newest;
  fresh->capacity = capacity;
  pool->newest = fresh;
  pool->left = capacity;
  return true;
}

static bool has_room(flg_pool *pool, size_t bytes) {
  if (pool->limit != 0 && bytes > pool->limit - pool->bytes) return false;
  return bytes <= pool->left || add_chunk(pool, bytes);
}

void *flg_pool_take(flg_pool *pool, size_t count, size_t element_bytes) {
  const size_t most = SIZE_MAX / 2;
  size_t bytes = element_bytes != 0 && count > most / element_bytes ? most : count * element_bytes;
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes >= most || !has_room(pool, bytes)) {
    pool->failed = true;
    return NULL;
  }
  unsigned char *end = (unsigned char *)pool->newest->memory + pool->newest->capacity;
  unsigned char *piece = end - pool->left;
  pool->left -= bytes;
  pool->bytes += bytes;
  return memset(piece, 0, bytes);
}

const char *flg_pool_text(flg_pool *pool, const char *text, size_t length) {
  char *copy = flg_pool_take(pool, length + 1, 1);
  if (copy != NULL) memcpy(copy, text, length);
  return copy;
}

const char *flg_pool_format(flg_pool *pool, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  char *text = length < 0 ? NULL : flg_pool_take(pool, (size_t)length + 1, 1);
  if (text != NULL) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

void flg_pool_release(flg_pool *pool) {
  for (chunk *next, *old = pool->newest; old != NULL; old = next) {
    next = old->older;
    free(old);
  }
  *pool = (flg_pool){.limit = pool->limit};
}
