/* Factors of bodies that only welds of events hold (interface/plan_wholes.h): in steps, and in the
 * models of couplings. Where joints are closed, or reactions asked for, rows are eliminated. */
#include "assembly/assembly_contacts.h"

void flg_wholes_build(flg_assembly *assembly) {
  const struct flg_assembly_model *model = &assembly->model;
  const int welds = assembly->state.welds.count;
  if (welds == 0 || model->set_count != 1 || model->sets[0]->ops->weigh == NULL) return;
  assembly->scratch.members = flg_region_take(&assembly->model.region, (size_t)model->part_count,
                                              sizeof *assembly->scratch.members);
  assembly->scratch.are_wholes = model->options.scheme == FLG_SCHEME_SEMI_IMPLICIT &&
                                 model->coordinate_count == 0 && model->row_set_count <= welds &&
                                 flg_plan_may_be_wholes(assembly->scratch.plan);
}

/* of each part the first of its whole; NULL: rows have to be eliminated */
static const int *wholes_firsts(flg_assembly *assembly) {
  if (!assembly->scratch.are_wholes || !flg_assembly_flies(assembly) ||
      assembly->scratch.mode.is_unit || assembly->scratch.factors.tolerance > 0)
    return NULL;
  return flg_welds_firsts(assembly);
}

bool flg_assembly_is_of_wholes(flg_assembly *assembly) {
  return wholes_firsts(assembly) != NULL;
}

static void wholes_weigh(flg_assembly *assembly, const int *firsts) {
  const flg_parts *parts = assembly->model.sets[0];
  for (int k = 0; k < parts->count; k++) {
    assembly->scratch.members[k].first = firsts[k];
    parts->ops->weigh(parts, k, &assembly->scratch.members[k]);
  }
}

flg_status flg_wholes_factor(flg_assembly *assembly) {
  wholes_weigh(assembly, wholes_firsts(assembly));
  return flg_plan_factor_wholes(assembly->scratch.plan, assembly->scratch.members);
}

const flg_plan_member *flg_wholes_members(flg_assembly *assembly) {
  const int *firsts = flg_assembly_flies(assembly) ? flg_welds_wholes(assembly) : NULL;
  if (firsts == NULL) return NULL;
  if (!flg_plan_is_of_wholes(assembly->scratch.plan)) {
    wholes_weigh(assembly, firsts);
    flg_plan_members_gather(assembly->scratch.members, assembly->model.part_count);
  }
  return assembly->scratch.members;
}

void flg_wholes_aim(flg_assembly *assembly, bool swings) {
  const flg_parts *parts = assembly->model.sets[0];
  flg_plan_swing(assembly->scratch.plan, swings);
  for (int k = 0; k < parts->count && swings; k++) {
    parts->ops->weigh(parts, k, &assembly->scratch.members[k]);
  }
}
