/* hash.h - 64 bits that tell two states apart: bitwise equal states have equal hashes.
 *
 * FNV-1a over the bytes. Chain several blocks by passing the last result as the seed.
 * Only blocks without padding may be hashed: arrays of doubles or integers.
 */
#ifndef FLG_HASH_H
#define FLG_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "flange/status.h"

/* The start value of a hash. */
#define FLG_HASH_SEED UINT64_C(0xcbf29ce484222325)

/* The hash of count bytes; callable at any time, allocates nothing. */
uint64_t flg_hash(uint64_t seed, const void *bytes, size_t count);

#endif
