#include "plugin/library_mark.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

enum { BLOCK = 4096 };

static const char MAGIC[8] = "FLGmark";

/* of the first so many bytes; false if there are fewer */
static bool hash_bytes(FILE *file, long length, uint64_t *hash) {
  unsigned char bytes[BLOCK];
  *hash = FLG_HASH_SEED;
  while (length > 0) {
    const size_t wanted = length < BLOCK ? (size_t)length : BLOCK;
    if (fread(bytes, 1, wanted, file) != wanted) return false;
    *hash = flg_hash(*hash, bytes, wanted);
    length -= (long)wanted;
  }
  return true;
}

static long length_of_file(FILE *file) {
  if (fseek(file, 0, SEEK_END) != 0) return -1;
  const long length = ftell(file);
  rewind(file);
  return length;
}

bool flg_library_mark_add(const char *path, uint64_t key) {
  FILE *file = fopen(path, "r+b");
  if (file == NULL) return false;
  const long length = length_of_file(file);
  flg_library_mark at = {.key = key};
  memcpy(at.magic, MAGIC, sizeof MAGIC);
  const bool is_written = length >= 0 && hash_bytes(file, length, &at.content) &&
                          fseek(file, 0, SEEK_END) == 0 && fwrite(&at, sizeof at, 1, file) == 1;
  return fclose(file) == 0 && is_written;
}

static flg_library_state read_mark(FILE *file, flg_library_mark *at) {
  const long length = length_of_file(file) - (long)sizeof *at;
  uint64_t content = 0;
  if (length < 0 || !hash_bytes(file, length, &content) || fread(at, sizeof *at, 1, file) != 1 ||
      memcmp(at->magic, MAGIC, sizeof MAGIC) != 0) {
    return FLG_LIBRARY_UNMARKED;
  }
  return at->content == content ? FLG_LIBRARY_WHOLE : FLG_LIBRARY_DAMAGED;
}

flg_library_state flg_library_mark_read(const char *path, uint64_t *key) {
  flg_library_mark at = {.key = 0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) return FLG_LIBRARY_UNMARKED;
  const flg_library_state state = read_mark(file, &at);
  fclose(file);
  if (key != NULL && state == FLG_LIBRARY_WHOLE) *key = at.key;
  return state;
}
