/* snapshot.c - a simulation's state as bytes: the clock, what is known of interfaces, then the
 * state of every subsystem. The hash is of what steps depend on: the first two are not. */
#include <string.h>

#include "cosim/simulation.h"
#include "flange/hash.h"

/* the subsystems, and last what the coupling remembers */
static int pieces_of(const flg_simulation *simulation) {
  return simulation->subsystem_count + (simulation->coupling != NULL);
}

static flg_subsystem_state state_of(const flg_simulation *simulation, int index) {
  if (index == simulation->subsystem_count) {
    flg_subsystem_state state = {0};
    state.values = flg_coupling_state(simulation->coupling, &state.count);
    return state;
  }
  const flg_subsystem *subsystem = &simulation->subsystems[index];
  return subsystem->ops->state(subsystem->self);
}

static size_t bytes_of(flg_subsystem_state state) {
  return (size_t)state.count * sizeof *state.values;
}

static size_t telemetry_bytes(const flg_simulation *simulation) {
  return (size_t)simulation->telemetry_count * sizeof *simulation->telemetry;
}

size_t flg_simulation_state_bytes(const flg_simulation *simulation) {
  size_t bytes = sizeof simulation->clock + telemetry_bytes(simulation);
  for (int k = 0; k < pieces_of(simulation); k++) bytes += bytes_of(state_of(simulation, k));
  return bytes;
}

void flg_simulation_save(const flg_simulation *simulation, void *state) {
  unsigned char *to = state;
  memcpy(to, &simulation->clock, sizeof simulation->clock);
  to += sizeof simulation->clock;
  if (simulation->telemetry_count > 0) {
    memcpy(to, simulation->telemetry, telemetry_bytes(simulation));
    to += telemetry_bytes(simulation);
  }
  for (int k = 0; k < pieces_of(simulation); k++) {
    const flg_subsystem_state from = state_of(simulation, k);
    memcpy(to, from.values, bytes_of(from));
    to += bytes_of(from);
  }
}

void flg_simulation_restore(flg_simulation *simulation, const void *state) {
  const unsigned char *from = state;
  memcpy(&simulation->clock, from, sizeof simulation->clock);
  from += sizeof simulation->clock;
  if (simulation->telemetry_count > 0) {
    memcpy(simulation->telemetry, from, telemetry_bytes(simulation));
    from += telemetry_bytes(simulation);
  }
  for (int k = 0; k < pieces_of(simulation); k++) {
    const flg_subsystem_state to = state_of(simulation, k);
    memcpy(to.values, from, bytes_of(to));
    from += bytes_of(to);
  }
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    subsystem->ops->refresh(subsystem->self, flg_simulation_time(simulation));
  }
}

uint64_t flg_simulation_hash(const flg_simulation *simulation) {
  uint64_t hash = flg_hash(FLG_HASH_SEED, &simulation->clock.done, sizeof simulation->clock.done);
  for (int k = 0; k < pieces_of(simulation); k++) {
    const flg_subsystem_state state = state_of(simulation, k);
    hash = flg_hash(hash, state.values, bytes_of(state));
  }
  return hash;
}
