/* material.h - friction and restitution of two materials that touch.
 *
 * A pair that is listed has the values it is listed with. For all others
 *
 *     friction     sqrt(mu_1 mu_2)     between the two, and none where one has none
 *     restitution  max(e_1, e_2)       a ball that bounces does so on every floor
 *
 * Tables that were measured pair by pair should be given as pairs: no rule on single materials can
 * reproduce them.
 */
#ifndef FLG_CONTACT_MATERIAL_H
#define FLG_CONTACT_MATERIAL_H

#include "base/region.h"

enum { FLG_MATERIALS_MAX = 1000 };

typedef struct flg_material {
  double friction;    /* >= 0 */
  double restitution; /* 0..1 */
} flg_material;

typedef struct flg_material_pair {
  int first, second; /* materials, in any order; may be the same */
  flg_material values;
} flg_material_pair;

typedef struct flg_material_table {
  int count;
  flg_material *pairs; /* (count x count), symmetric, in the region */
} flg_material_table;

/* Friction 0.5, restitution 0. */
flg_material flg_material_default(void);
/* Set-up. FLG_ERR_RANGE: a value or a number of a material is out of its range, or a pair is listed
 * twice. */
flg_status flg_material_table_build(flg_material_table *table, const flg_material *materials,
                                    int count, const flg_material_pair *pairs, int pair_count,
                                    flg_region *region, flg_error *error);
/* The laws between two materials of the table. */
static inline flg_material flg_material_between(const flg_material_table *table, int first,
                                                int second) {
  return table->pairs[first + table->count * second];
}

#endif
