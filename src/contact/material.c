#include "contact/material.h"

#include <math.h>

flg_material flg_material_default(void) {
  return (flg_material){.friction = 0.5, .restitution = 0};
}

/* All pairs are worked out once: a step looks one up. Geometric mean of friction and the larger
 * restitution, as most engines have it; a pair that is given replaces both. */
flg_status flg_material_table_build(flg_material_table *table, const flg_material *materials,
                                    int count, const flg_material_pair *pairs, int pair_count,
                                    flg_region *region, flg_error *error) {
  if (count > FLG_MATERIALS_MAX) {
    return flg_fail(error, FLG_ERR_RANGE, "There are %d materials, expected 1 to %d.", count,
                    FLG_MATERIALS_MAX);
  }
  flg_material *made = flg_region_take(region, (size_t)count * (size_t)count, sizeof *made);
  if (made == NULL) return flg_region_check(region, "materials", error);
  for (int j = 0; j < count; j++) {
    for (int i = 0; i < count; i++) {
      const flg_material *p = &materials[i], *q = &materials[j];
      made[i + count * j].friction = i == j ? p->friction : sqrt(p->friction * q->friction);
      made[i + count * j].restitution = fmax(p->restitution, q->restitution);
    }
  }
  for (int k = 0; k < pair_count; k++) {
    made[pairs[k].first + count * pairs[k].second] = pairs[k].values;
    made[pairs[k].second + count * pairs[k].first] = pairs[k].values;
  }
  *table = (flg_material_table){.count = count, .pairs = made};
  return FLG_OK;
}
