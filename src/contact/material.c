#include "contact/material.h"

#include <math.h>
#include <stdbool.h>

flg_material flg_material_default(void) {
  return (flg_material){.friction = 0.5, .restitution = 0};
}

static bool is_material(const flg_material *m) {
  return m->friction >= 0 && isfinite(m->friction) && m->restitution >= 0 && m->restitution <= 1;
}

static flg_status check_values(const flg_material *m, const char *what, int number,
                               flg_error *error) {
  if (is_material(m)) return FLG_OK;
  return flg_fail(error, FLG_ERR_RANGE,
                  "%s %d has friction %g and restitution %g; friction must not be negative, and "
                  "restitution be between 0 and 1.",
                  what, number + 1, m->friction, m->restitution);
}

/* quadratic, on tables of some ten pairs */
static flg_status check_pair(const flg_material_pair *pairs, int at, int count, flg_error *error) {
  const flg_material_pair *pair = &pairs[at];
  if (pair->first < 0 || pair->first >= count || pair->second < 0 || pair->second >= count) {
    return flg_fail(error, FLG_ERR_RANGE, "Pair %d names the materials %d and %d of %d.", at + 1,
                    pair->first + 1, pair->second + 1, count);
  }
  for (int k = 0; k < at; k++) {
    const bool same = pairs[k].first == pair->first && pairs[k].second == pair->second;
    const bool turned = pairs[k].first == pair->second && pairs[k].second == pair->first;
    if (!same && !turned) continue;
    return flg_fail(error, FLG_ERR_RANGE, "The materials %d and %d are listed twice as a pair.",
                    pair->first + 1, pair->second + 1);
  }
  return check_values(&pair->values, "Pair", at, error);
}

static flg_status material_check(const flg_material *materials, int count,
                                 const flg_material_pair *pairs, int pair_count, flg_error *error) {
  flg_status status = FLG_OK;
  if (count < 1 || count > FLG_MATERIALS_MAX) {
    return flg_fail(error, FLG_ERR_RANGE, "There are %d materials, expected 1 to %d.", count,
                    FLG_MATERIALS_MAX);
  }
  for (int k = 0; k < count && status == FLG_OK; k++) {
    status = check_values(&materials[k], "Material", k, error);
  }
  for (int k = 0; k < pair_count && status == FLG_OK; k++) {
    status = check_pair(pairs, k, count, error);
  }
  return status;
}

/* All pairs are worked out once: a step looks one up. Geometric mean of friction and the larger
 * restitution, as most engines have it; a pair that is given replaces both. */
flg_status flg_material_table_build(flg_material_table *table, const flg_material *materials,
                                    int count, const flg_material_pair *pairs, int pair_count,
                                    flg_region *region, flg_error *error) {
  const flg_status status = material_check(materials, count, pairs, pair_count, error);
  if (status != FLG_OK) return status;
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
