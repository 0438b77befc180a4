#include "contract/subsystem.h"

#include "base/entries.h"

static const char *missing_subsystem_entry(const flg_subsystem_ops *ops) {
  const flg_entry entries[] = {
      {"kind", ops->kind != NULL},
      {"advance", ops->advance != NULL},
      {"refresh", ops->refresh != NULL},
      {"energy", ops->energy != NULL},
      {"state", ops->state != NULL},
      {"identity", ops->identity != NULL},
      {"objects", ops->objects != NULL},
      {"read", ops->read != NULL},
      {"release", ops->release != NULL},
      {"aim", ops->actions == 0 || ops->aim != NULL},
      {"act", ops->actions == 0 || ops->act != NULL},
      {"write_input", ops->open_input == NULL || ops->write_input != NULL},
      {"probe", ops->open_probe == NULL || ops->probe != NULL},
      {"touched", ops->contacts == NULL || ops->touched != NULL},
      {"contacts",
       ops->coupled == NULL || ops->coupled->touch_ports == NULL || ops->contacts != NULL}};
  return FLG_ENTRIES_MISSING(entries);
}

/* of those that a master calls, some of them only with others */
static const char *missing_coupled_entry(const flg_coupled_ops *ops) {
  if (ops == NULL) return NULL;
  const bool touches = ops->touch_ports != NULL;
  const flg_entry entries[] = {
      {"coupled.ports", ops->ports != NULL},
      {"coupled.frame", ops->frame != NULL},
      {"coupled.reduce", ops->reduce != NULL},
      {"coupled.push", ops->push != NULL},
      {"coupled.impulse", ops->impulse != NULL},
      {"coupled.displace", ops->displace != NULL},
      {"coupled.turning", ops->uses_start_rows == NULL || ops->velocity_bias != NULL},
      {"coupled.leaps", ops->leaps == NULL || (ops->velocity_bias != NULL && ops->leap != NULL &&
                                               ops->reduce_kick != NULL)},
      {"coupled.looks_back", ops->reduce_plain == NULL || ops->uses_start_rows != NULL},
      {"coupled.coasts", ops->coasts == NULL || ops->reduce_plain != NULL},
      {"coupled.contacts", !touches || ops->contacts != NULL},
      {"coupled.touch_ports", ops->contacts == NULL || touches},
      {"coupled.elastic",
       !(ops->hold_elastic != NULL || ops->elastic_count != NULL) || ops->elastic != NULL},
      {"coupled.reduce_elastic", ops->elastic_count == NULL || ops->reduce_elastic != NULL}};
  return FLG_ENTRIES_MISSING(entries);
}

flg_status flg_subsystem_build(flg_subsystem *subsystem, const char *name,
                               const flg_subsystem_ops *ops, void *self, flg_error *error) {
  const char *missing = missing_subsystem_entry(ops);
  if (missing == NULL) missing = missing_coupled_entry(ops->coupled);
  if (missing != NULL) {
    return flg_fail(error, FLG_ERR_RANGE, "Subsystem '%s' cannot be used: '%s' is missing in it.",
                    name, missing);
  }
  *subsystem = (flg_subsystem){.name = name, .ops = ops, .self = self};
  return FLG_OK;
}

flg_energy_law flg_subsystem_energy_law(const flg_subsystem *subsystem) {
  const flg_subsystem_ops *ops = subsystem->ops;
  const bool is_known = ops != NULL && ops->energy_law != NULL;
  return is_known ? ops->energy_law(subsystem->self) : FLG_ENERGY_DRIVEN;
}

void flg_subsystem_release(flg_subsystem *subsystem) {
  if (subsystem->ops != NULL) subsystem->ops->release(subsystem->self);
  *subsystem = (flg_subsystem){0};
}

flg_status flg_subsystem_aim(const flg_subsystem *subsystem, flg_action action, const char *path,
                             int value_count, int *target, flg_error *error) {
  static const char *const deeds[FLG_ACTION_COUNT] = {"lock joints",
                                                      "unlock joints",
                                                      "enable controllers or forces",
                                                      "disable controllers or forces",
                                                      "set positions",
                                                      "set velocities",
                                                      "weld bodies",
                                                      "release bodies"};
  const flg_subsystem_ops *ops = subsystem->ops;
  if ((ops->actions & 1u << action) == 0) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' cannot %s", subsystem->name, deeds[action]);
  }
  return ops->aim(subsystem->self, action, path, value_count, target, error);
}

int flg_touched_count(const flg_subsystem *subsystem) {
  const flg_subsystem_ops *ops = subsystem->ops;
  const flg_contacts *contacts = ops->contacts == NULL ? NULL : ops->contacts(subsystem->self);
  return contacts == NULL ? 0 : flg_contacts_shape_count(contacts);
}

const char *flg_subsystem_complaint(const flg_subsystem *subsystem) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const char *said = ops->complaint == NULL ? "" : ops->complaint(subsystem->self);
  return said[0] == '\0' ? "its model is no longer finite" : said;
}
