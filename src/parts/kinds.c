#include "parts/kinds.h"

#include "base/entries.h"

/* the last takes what others leave */
const flg_part_kind *const flg_part_kinds[] = {&flg_points_kind, &flg_bodies_kind, NULL};

int flg_part_kind_of(const flg_component_body *body) {
  int kind = 0;
  while (flg_part_kinds[kind + 1] != NULL && !flg_part_kinds[kind]->takes(body)) kind++;
  return kind;
}

static const char *missing_in_free_step(const flg_part_free_step *free_step) {
  if (free_step == NULL) return NULL;
  const flg_entry entries[] = {{"free_step.set_off", free_step->set_off != NULL},
                               {"free_step.push", free_step->push != NULL},
                               {"free_step.remember", free_step->remember != NULL},
                               {"free_step.fly", free_step->fly != NULL},
                               {"free_step.follow", free_step->follow != NULL},
                               {"free_step.look_ahead", free_step->look_ahead != NULL},
                               {"free_step.arrive", free_step->arrive != NULL}};
  return FLG_ENTRIES_MISSING(entries);
}

static const char *missing_part_entry(const flg_part_ops *ops) {
  const bool steps = ops->advance != NULL;
  const bool is_inside = ops->links != NULL, ends = ops->ends != NULL;
  const bool rubs = ops->frictions != NULL;
  /* An entry is needed only where another one says that it will be called. */
  const bool takes_all = ops->free_step != NULL && ops->rate != NULL; /* rattle, rk4 */
  const flg_entry entries[] = {{"kind", ops->kind != NULL},
                               {"anchor", ops->anchor != NULL},
                               {"ports", ops->open == NULL || ops->ports != NULL},
                               {"start", ops->start != NULL},
                               {"slice", ops->slice != NULL},
                               {"label", ops->label != NULL},
                               {"extent", ops->extent != NULL},
                               {"parent", !is_inside || ops->parent != NULL},
                               {"touches_itself", !is_inside || ops->touches_itself != NULL},
                               {"place", ops->place != NULL},
                               {"displace", ops->displace != NULL},
                               {"load", ops->load != NULL},
                               {"push", ops->push != NULL},
                               {"accelerate", ops->accelerate != NULL},
                               {"fill", ops->fill != NULL},
                               {"see", ops->see != NULL},
                               {"collect", ops->collect != NULL},
                               {"pull_back", ops->pull_back != NULL},
                               {"mobility", ops->mobility != NULL},
                               {"energy", ops->energy != NULL},
                               {"kinetic_energy", ops->kinetic_energy != NULL},
                               {"carry", !steps || ops->carry != NULL},
                               {"take_velocities", !steps || ops->take_velocities != NULL},
                               {"arrive", (ops->depart == NULL) == (ops->arrive == NULL)},
                               {"spin_changes", ops->turn == NULL || ops->spin_changes != NULL},
                               {"body_name", ops->is_body == NULL || ops->body_name != NULL},
                               {"refused_schemes", takes_all || ops->refused_schemes != NULL},
                               {"ends_most", !ends || ops->ends_most != NULL},
                               {"know_frictions", !rubs || ops->know_frictions != NULL},
                               {"resist", !rubs || ops->resist != NULL},
                               {"gather", !rubs || ops->gather != NULL},
                               {"locked", !ends || ops->locked != NULL},
                               {"respond", !ends || ops->respond != NULL}};
  return FLG_ENTRIES_MISSING(entries);
}

flg_status flg_part_ops_check(const flg_part_ops *ops, flg_error *error) {
  const char *missing = missing_part_entry(ops);
  if (missing == NULL) missing = missing_in_free_step(ops->free_step);
  if (missing == NULL) return FLG_OK;
  return flg_fail(error, FLG_ERR_RANGE, "Parts of the kind '%s' cannot be used: '%s' is missing.",
                  ops->kind == NULL ? "" : ops->kind, missing);
}
