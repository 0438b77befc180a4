#include "base/name_index.h"

#include <string.h>

#include "base/hash.h"

enum { FIRST_SLOTS = 16 };

/* where the name is, or the free slot where it would be; there is one, as half of them are free */
static struct flg_name_slot *name_slot_of(const flg_name_index *index, const char *name) {
  const size_t last = index->slot_count - 1;
  size_t at = (size_t)flg_hash(FLG_HASH_SEED, name, strlen(name)) & last;
  while (index->slots[at].name != NULL && strcmp(index->slots[at].name, name) != 0) {
    at = (at + 1) & last;
  }
  return &index->slots[at];
}

static bool grow_index(flg_name_index *index, flg_region *region) {
  flg_name_index larger = {
      .slot_count = index->slot_count == 0 ? FIRST_SLOTS : 2 * index->slot_count,
      .count = index->count};
  larger.slots = flg_region_take(region, larger.slot_count, sizeof *larger.slots);
  if (larger.slots == NULL) return false;
  for (size_t k = 0; k < index->slot_count; k++) {
    if (index->slots[k].name != NULL)
      *name_slot_of(&larger, index->slots[k].name) = index->slots[k];
  }
  *index = larger;
  return true;
}

int flg_name_index_add(flg_name_index *index, const char *name, int number, flg_region *region) {
  if (2 * ((size_t)index->count + 1) > index->slot_count && !grow_index(index, region)) {
    return FLG_NAME_UNKNOWN;
  }
  struct flg_name_slot *slot = name_slot_of(index, name);
  if (slot->name != NULL) return slot->number;
  *slot = (struct flg_name_slot){name, number};
  index->count++;
  return FLG_NAME_UNKNOWN;
}

int flg_name_index_find(const flg_name_index *index, const char *name) {
  if (index->count == 0) return FLG_NAME_UNKNOWN;
  const struct flg_name_slot *slot = name_slot_of(index, name);
  return slot->name == NULL ? FLG_NAME_UNKNOWN : slot->number;
}
