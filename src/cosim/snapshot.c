/* A simulation's state as bytes: the clock, then the state of every subsystem. */
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

/* what the state is a state of: numbers one by one, since structs have padding */
static uint64_t hash_link(uint64_t hash, const flg_link *link) {
  const int numbers[] = {link->parent, (int)link->kind, link->position, link->velocity};
  hash = flg_hash(hash, numbers, sizeof numbers);
  hash = flg_hash(hash, &link->placement, sizeof link->placement);
  hash = flg_hash(hash, &link->inertia, sizeof link->inertia);
  const double rest[] = {link->axis2.x, link->axis2.y, link->axis2.z, link->pitch, link->damping};
  return flg_hash(hash, rest, sizeof rest);
}

static uint64_t hash_subsystem(uint64_t hash, const flg_robot_subsystem *subsystem) {
  const flg_robot_options *options = &subsystem->options;
  const int numbers[] = {subsystem->state_count, subsystem->controller_count, subsystem->push_count,
                         (int)options->integrator.kind};
  const double reals[] = {options->gravity.x, options->gravity.y, options->gravity.z,
                          options->integrator.relative, options->integrator.absolute};
  hash = flg_hash(hash, options->name, strlen(options->name));
  hash = flg_hash(hash, numbers, sizeof numbers);
  hash = flg_hash(hash, reals, sizeof reals);
  for (int i = 0; i < subsystem->robot.link_count; i++) {
    hash = hash_link(hash, &subsystem->robot.links[i]);
  }
  return hash;
}

uint64_t flg_simulation_identity(const flg_simulation *simulation) {
  uint64_t hash = flg_hash(FLG_HASH_SEED, &simulation->macro, sizeof simulation->macro);
  hash = flg_hash(hash, &simulation->event_count, sizeof simulation->event_count);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    hash = flg_hash(hash, &simulation->micro_steps[k], sizeof simulation->micro_steps[k]);
    hash = hash_subsystem(hash, &simulation->subsystems[k]);
  }
  return hash;
}
