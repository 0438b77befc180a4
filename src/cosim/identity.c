/* identity.c - 64 bits over all that a run depends on besides its state. */
#include <string.h>

#include "base/hash.h"
#include "cosim/simulation.h"

static uint64_t hash_event(uint64_t hash, const flg_event *event) {
  const int numbers[] = {(int)event->action, event->target, event->value_count};
  const char *name = event->subsystem->name;
  hash = flg_hash(hash, name, strlen(name) + 1);
  hash = flg_hash(hash, &event->at, sizeof event->at);
  hash = flg_hash(hash, numbers, sizeof numbers);
  return flg_hash(hash, event->values, (size_t)event->value_count * sizeof *event->values);
}

uint64_t flg_simulation_identity(const flg_simulation *simulation) {
  if (simulation == NULL) return 0;
  uint64_t hash = flg_hash(FLG_HASH_SEED, &simulation->macro, sizeof simulation->macro);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    hash = flg_hash(hash, &simulation->micro_steps[k], sizeof simulation->micro_steps[k]);
    hash = subsystem->ops->identity(subsystem->self, hash);
  }
  if (simulation->coupling != NULL) hash = flg_coupling_identity(simulation->coupling, hash);
  for (int k = 0; k < simulation->event_count; k++) hash = hash_event(hash, &simulation->events[k]);
  return hash;
}
