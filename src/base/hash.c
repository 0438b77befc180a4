#include "base/hash.h"

static const uint64_t PRIME = UINT64_C(0x100000001b3);

uint64_t flg_hash(uint64_t seed, const void *bytes, size_t count) {
  if (bytes == NULL) return seed;
  const unsigned char *byte = bytes;
  uint64_t hash = seed;
  for (size_t k = 0; k < count; k++) hash = (hash ^ byte[k]) * PRIME;
  return hash;
}
