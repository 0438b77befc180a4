/* Which shapes can touch something at all, in time n log n.
 *
 * All shapes are listed by what they are, once for each group that they touch, and within that by
 * what keeps them apart: owner, piece, mover. Of those that a shape could meet, whatever is of its
 * own owner, piece or mover, or of a piece next to its own, lies together and is stepped over at
 * once. */
#include <stdlib.h>

#include "contacts/touch_shapes.h"

enum { FAMILY, GROUP, TARGET, KIND, OWNER, PIECE, MOVER, SHAPE, FIELDS };
enum { BITS = 32 };

typedef struct entry {
  int field[FIELDS];
} entry;

typedef struct finder {
  const flg_touch_shapes *touch;
  const int *movers;
  entry *entries; /* (count) sorted */
  size_t count;
  uint32_t groups; /* of all shapes */
  bool *is_listed; /* (shapes) some pair that is apart has it */
} finder;

/* as movers are compared: what does not move does not meet */
static int mover_of(const finder *f, int shape) {
  return f->movers[shape] < 0 ? -1 : f->movers[shape];
}

/* by the first fields */
static int compare_fields(const entry *a, const entry *b, int fields) {
  for (int k = 0; k < fields; k++) {
    if (a->field[k] != b->field[k]) return a->field[k] < b->field[k] ? -1 : 1;
  }
  return 0;
}

static int compare_entries(const void *a, const void *b) {
  return compare_fields(a, b, FIELDS);
}

/* the first entry from `low` on whose first fields are greater than these */
static size_t step_over(const finder *f, const entry *from, int fields, size_t low) {
  size_t high = f->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (compare_fields(&f->entries[middle], from, fields) <= 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* --- listing ------------------------------------------------------------------------------------
 */

static entry entry_of(const finder *f, int shape, int group, int target) {
  const flg_scene_shape *of = &f->touch->shapes[shape];
  return (entry){{of->family, group, target, (int)of->shape->kind, of->owner, of->piece,
                  mover_of(f, shape), shape}};
}

static bool has_bit(uint32_t bits, int bit) {
  return (bits >> bit & 1) != 0;
}

/* into f->entries, unless that is NULL; returns how many */
static size_t list_entries(const finder *f) {
  size_t count = 0;
  for (int k = 0; k < f->touch->count; k++) {
    const flg_scene_shape *shape = &f->touch->shapes[k];
    for (int group = 0; group < BITS; group++) {
      if (!has_bit(shape->group, group)) continue;
      for (int target = 0; target < BITS; target++) {
        if (!has_bit(shape->collides & f->groups, target)) continue;
        if (f->entries != NULL) f->entries[count] = entry_of(f, k, group, target);
        count++;
      }
    }
  }
  return count;
}

static bool prepare_finder(finder *f, flg_region *region) {
  const flg_touch_shapes *touch = f->touch;
  for (int k = 0; k < touch->count; k++) f->groups |= touch->shapes[k].group;
  f->count = list_entries(f);
  f->is_listed = flg_region_take(region, (size_t)touch->count, sizeof *f->is_listed);
  f->entries = flg_region_take(region, f->count, sizeof *f->entries);
  if (region->failed) return false;
  for (int k = 0; k < 2 * touch->apart_count; k++) f->is_listed[touch->apart[k / 2][k % 2]] = true;
  list_entries(f);
  if (f->count > 0) qsort(f->entries, f->count, sizeof *f->entries, compare_entries);
  return true;
}

/* --- looking ------------------------------------------------------------------------------------
 */

/* How many fields of an entry say that it cannot be met; 0: it can. */
static int fields_that_part(const finder *f, int shape, const entry *other) {
  const flg_scene_shape *of = &f->touch->shapes[shape];
  const int piece = other->field[PIECE];
  if (of->owner != 0 && of->owner == other->field[OWNER]) return OWNER + 1;
  if (of->piece != 0 && piece != 0 &&
      (of->piece == piece || flg_pair_set_has(&f->touch->pieces_apart, of->piece, piece))) {
    return PIECE + 1;
  }
  if (mover_of(f, shape) == other->field[MOVER]) return MOVER + 1;
  return flg_touch_shapes_are_listed(f->touch, shape, other->field[SHAPE]) ? FIELDS : 0;
}

/* of one kind, and one group that touches a group of the shape */
static bool finds_among(const finder *f, int shape, int group, int target, int kind) {
  const entry key = {{f->touch->shapes[shape].family, group, target, kind}};
  entry before = key;
  before.field[KIND]--;
  for (size_t at = step_over(f, &before, KIND + 1, 0);
       at < f->count && compare_fields(&f->entries[at], &key, KIND + 1) == 0;) {
    const int fields = fields_that_part(f, shape, &f->entries[at]);
    if (fields == 0) return true;
    at = step_over(f, &f->entries[at], fields, at);
  }
  return false;
}

static bool finds_in_groups(const finder *f, int shape, int group, int target) {
  for (int kind = 0; kind < FLG_CONTACT_KIND_COUNT; kind++) {
    const flg_contact_kind own = f->touch->shapes[shape].shape->kind;
    if (!flg_touch_kinds_meet(own, (flg_contact_kind)kind)) continue;
    if (finds_among(f, shape, group, target, kind)) return true;
  }
  return false;
}

static bool finds_partner(const finder *f, int shape) {
  const flg_scene_shape *of = &f->touch->shapes[shape];
  for (int group = 0; group < BITS; group++) {
    if (!has_bit(of->collides & f->groups, group)) continue;
    for (int target = 0; target < BITS; target++) {
      if (has_bit(of->group, target) && finds_in_groups(f, shape, group, target)) return true;
    }
  }
  return false;
}

/* True if the shape is as the one before: the answer is the same. */
static bool is_as_before(const finder *f, int shape) {
  if (shape == 0 || f->is_listed[shape] || f->is_listed[shape - 1]) return false;
  const flg_scene_shape *a = &f->touch->shapes[shape - 1], *b = &f->touch->shapes[shape];
  return a->family == b->family && a->group == b->group && a->collides == b->collides &&
         a->shape->kind == b->shape->kind && a->owner == b->owner && a->piece == b->piece &&
         mover_of(f, shape - 1) == mover_of(f, shape);
}

bool *flg_touch_partners_find(const flg_touch_shapes *touch, const int *movers,
                              flg_region *region) {
  finder f = {.touch = touch, .movers = movers};
  bool *meets = flg_region_take(region, (size_t)touch->count, sizeof *meets);
  if (meets == NULL || !prepare_finder(&f, region)) return NULL;
  for (int k = 0; k < touch->count; k++) {
    meets[k] = is_as_before(&f, k) ? meets[k - 1] : finds_partner(&f, k);
  }
  return meets;
}
