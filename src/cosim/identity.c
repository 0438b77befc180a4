/* identity.c - 64 bits over all that a run depends on besides its state. */
#include "math/identity.h"
#include "base/hash.h"
#include "cosim/simulation.h"

static uint64_t hash_event(uint64_t hash, const flg_event *event) {
  return flg_identity(hash, "tr iiiR", event->subsystem->name, event->at, (int)event->action,
                      event->target, event->value_count, event->values, event->value_count);
}

uint64_t flg_simulation_identity(const flg_simulation *simulation) {
  if (simulation == NULL) return 0;
  uint64_t hash = flg_identity(FLG_HASH_SEED, "r", simulation->macro);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    hash = flg_identity(hash, "i", simulation->micro_steps[k]);
    hash = subsystem->ops->identity(subsystem->self, hash);
  }
  if (simulation->coupling != NULL) hash = flg_coupling_identity(simulation->coupling, hash);
  for (int k = 0; k < simulation->event_count; k++) hash = hash_event(hash, &simulation->events[k]);
  return hash;
}
