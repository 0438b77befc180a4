#include "flange/state.h"

#include <string.h>

#include "api/api_inner.h"
#include "base/hash.h"
#include "results/checkpoint.h"

/* In front of the numbers: whose they are, and that they are as they were written. */
typedef struct heading {
  uint64_t magic, identity, bytes, hash;
} heading;

static const uint64_t MAGIC = UINT64_C(0x31657461745f676c); /* "lg_state1" of little endians */

/* It does not change, and is kept with the handles if there are some. */
static uint64_t identity_of(const flg_simulation *simulation) {
  struct flg_access *access = simulation->access;
  if (access == NULL) return flg_simulation_identity(simulation);
  if (!access->has_identity) access->identity = flg_simulation_identity(simulation);
  access->has_identity = true;
  return access->identity;
}

size_t flg_state_bytes(const flg_simulation *simulation) {
  return simulation == NULL ? 0 : sizeof(heading) + flg_simulation_state_bytes(simulation);
}

static flg_status check_state_block(const flg_simulation *simulation, const void *state,
                                    size_t bytes, flg_error *error) {
  if (flg_api_idle(simulation, error) != FLG_OK ||
      flg_api_present(state, "state", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  const size_t needed = flg_state_bytes(simulation);
  if (bytes == needed) return FLG_OK;
  return flg_fail(error, FLG_ERR_USAGE,
                  "A state of this simulation has %zu bytes, the block has %zu. Is it of another "
                  "system, or were inputs opened since?",
                  needed, bytes);
}

flg_status flg_state_get(const flg_simulation *simulation, void *state, size_t bytes,
                         flg_error *error) {
  const flg_status status = check_state_block(simulation, state, bytes, error);
  if (status != FLG_OK) return status;
  unsigned char *numbers = (unsigned char *)state + sizeof(heading);
  flg_simulation_save(simulation, numbers);
  const heading head = {MAGIC, identity_of(simulation), bytes,
                        flg_hash(FLG_HASH_SEED, numbers, bytes - sizeof(heading))};
  memcpy(state, &head, sizeof head);
  return FLG_OK;
}

flg_status flg_state_set(flg_simulation *simulation, const void *state, size_t bytes,
                         flg_error *error) {
  const flg_status status = check_state_block(simulation, state, bytes, error);
  if (status != FLG_OK) return status;
  const unsigned char *numbers = (const unsigned char *)state + sizeof(heading);
  heading head;
  memcpy(&head, state, sizeof head);
  if (head.magic != MAGIC || head.bytes != bytes) {
    return flg_fail(error, FLG_ERR_INPUT, "This block holds no state of a simulation.");
  }
  if (head.identity != identity_of(simulation)) {
    return flg_fail(error, FLG_ERR_INPUT, "This is the state of another system.");
  }
  if (head.hash != flg_hash(FLG_HASH_SEED, numbers, bytes - sizeof(heading))) {
    return flg_fail(error, FLG_ERR_INPUT, "The bytes of this state were changed.");
  }
  flg_simulation_restore(simulation, numbers);
  return FLG_OK;
}

flg_status flg_state_reset(flg_simulation *simulation, flg_error *error) {
  if (flg_api_idle(simulation, error) != FLG_OK) return FLG_ERR_USAGE;
  flg_simulation_rewind(simulation);
  return FLG_OK;
}

static flg_status check_state_path(const flg_simulation *simulation, const char *path,
                                   flg_error *error) {
  const flg_status status = flg_api_idle(simulation, error);
  return status == FLG_OK ? flg_api_present(path, "path", error) : status;
}

flg_status flg_state_save(const flg_simulation *simulation, const char *path, flg_error *error) {
  const flg_status status = check_state_path(simulation, path, error);
  return status == FLG_OK ? flg_checkpoint_write(simulation, path, error) : status;
}

flg_status flg_state_restore(flg_simulation *simulation, const char *path, flg_error *error) {
  const flg_status status = check_state_path(simulation, path, error);
  return status == FLG_OK ? flg_checkpoint_read(simulation, path, error) : status;
}
