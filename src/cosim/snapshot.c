/* snapshot.c - a simulation's state as bytes: the clock, then the state of every subsystem. */
#include <string.h>

#include "cosim/simulation.h"
#include "flange/hash.h"

static size_t state_bytes(const flg_robot_subsystem *subsystem) {
  return (size_t)subsystem->state_count * sizeof *subsystem->state;
}

size_t flg_simulation_state_bytes(const flg_simulation *simulation) {
  size_t bytes = sizeof simulation->clock;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    bytes += state_bytes(&simulation->subsystems[k]);
  }
  return bytes;
}

void flg_simulation_save(const flg_simulation *simulation, void *state) {
  unsigned char *to = state;
  memcpy(to, &simulation->clock, sizeof simulation->clock);
  to += sizeof simulation->clock;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_robot_subsystem *subsystem = &simulation->subsystems[k];
    memcpy(to, subsystem->state, state_bytes(subsystem));
    to += state_bytes(subsystem);
  }
}

void flg_simulation_restore(flg_simulation *simulation, const void *state) {
  const unsigned char *from = state;
  memcpy(&simulation->clock, from, sizeof simulation->clock);
  from += sizeof simulation->clock;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    flg_robot_subsystem *subsystem = &simulation->subsystems[k];
    memcpy(subsystem->state, from, state_bytes(subsystem));
    from += state_bytes(subsystem);
    flg_robot_subsystem_refresh(subsystem, flg_simulation_time(simulation));
  }
}

uint64_t flg_simulation_hash(const flg_simulation *simulation) {
  uint64_t hash = flg_hash(FLG_HASH_SEED, &simulation->clock.done, sizeof simulation->clock.done);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_robot_subsystem *subsystem = &simulation->subsystems[k];
    hash = flg_hash(hash, subsystem->state, state_bytes(subsystem));
  }
  return hash;
}
