#include "macro/potential.h"

#include "contract/contact_objects.h"

/* whether shape A or B of a contact (end: 0, 1) is what an item names */
static bool is_at(const flg_potential_item *item, const flg_subsystem *subsystem, int shape,
                  uint64_t key, int end) {
  if (item->shape != shape) return false;
  if (item->point < 0) return true;
  const flg_touched on = subsystem->ops->touched(subsystem->self, shape);
  return flg_contact_point_number(on.shape, key, end) == item->point;
}

/* Either shape of the contact may be named; without a list every contact counts. */
bool flg_potential_has(const flg_potential *potential, const flg_subsystem *subsystem, int index,
                       const flg_contact *contact) {
  if (potential == NULL) return true;
  for (int k = 0; k < potential->count; k++) {
    const flg_potential_item *item = &potential->items[k];
    if (item->subsystem != index) continue;
    if (is_at(item, subsystem, contact->shape_a, contact->key, 0)) return true;
    if (is_at(item, subsystem, contact->shape_b, contact->key, 1)) return true;
  }
  return false;
}
