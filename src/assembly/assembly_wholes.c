/* Factors of bodies that only welds of events hold (interface/plan_wholes.h): in steps, and in the
 * models of couplings. Where joints are closed, or reactions asked for, rows are eliminated. */
#include "assembly/assembly_contacts.h"

void flg_wholes_build(flg_assembly *assembly) {
  const struct flg_assembly_model *model = &assembly->model;
  if (model->options.scheme != FLG_SCHEME_SEMI_IMPLICIT || assembly->state.welds.count == 0 ||
      model->set_count != 1 || model->sets[0]->ops->weigh == NULL || model->coordinate_count > 0 ||
      model->row_set_count > assembly->state.welds.count ||
      !flg_plan_may_be_wholes(assembly->scratch.plan))
    return;
  assembly->scratch.members = flg_region_take(&assembly->model.region, (size_t)model->part_count,
                                              sizeof *assembly->scratch.members);
}

/* of each part the first of its whole; NULL: rows have to be eliminated */
static const int *wholes_firsts(flg_assembly *assembly) {
  if (assembly->scratch.members == NULL || !flg_assembly_flies(assembly) ||
      assembly->scratch.mode.is_unit || assembly->scratch.factors.tolerance > 0)
    return NULL;
  return flg_welds_firsts(assembly);
}

bool flg_assembly_is_of_wholes(flg_assembly *assembly) {
  return wholes_firsts(assembly) != NULL;
}

flg_status flg_wholes_factor(flg_assembly *assembly) {
  const flg_parts *parts = assembly->model.sets[0];
  const int *firsts = wholes_firsts(assembly);
  for (int k = 0; k < parts->count; k++) {
    flg_plan_member *member = &assembly->scratch.members[k];
    member->first = firsts[k];
    parts->ops->weigh(parts, k, member);
  }
  return flg_plan_factor_wholes(assembly->scratch.plan, assembly->scratch.members);
}

void flg_wholes_aim(flg_assembly *assembly, bool swings) {
  const flg_parts *parts = assembly->model.sets[0];
  flg_plan_swing(assembly->scratch.plan, swings);
  for (int k = 0; k < parts->count && swings; k++) {
    parts->ops->weigh(parts, k, &assembly->scratch.members[k]);
  }
}
