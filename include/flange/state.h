/* state.h - the state of a simulation, in memory and in files.
 *
 *     size_t bytes = flg_state_bytes(simulation);
 *     void *state = malloc(bytes);
 *     flg_state_get(simulation, state, bytes, &error);
 *     ... steps ...
 *     flg_state_set(simulation, state, bytes, &error);       back where it was, bit for bit
 *
 * A state is one block of bytes without pointers: the clock, all subsystems, the coupling and the
 * inputs that were opened so far (flange/access.h). It fits simulations of the same system with the
 * same inputs, in this process or another of the same kind of machine; others refuse it.
 *
 * In all functions: between steps only, from one thread at a time; blocks belong to the caller. A
 * failed call returns a status, puts a sentence into *error (may be NULL) and leaves the simulation
 * as it was: FLG_ERR_USAGE for NULL and for blocks of another size, FLG_ERR_INPUT for a state that
 * this simulation cannot have, FLG_ERR_MISSING and FLG_ERR_OUTPUT for files.
 */
#ifndef FLG_STATE_H
#define FLG_STATE_H

#include <stddef.h>

#include "flange/simulation.h"

/* Bytes that a state takes; 0 for NULL. They grow when inputs are opened. */
FLG_API size_t flg_state_bytes(const flg_simulation *simulation);
/* Writes the state into a block. Allocates nothing. @param state (bytes), aligned as by malloc
 * @param bytes flg_state_bytes */
FLG_API flg_status flg_state_get(const flg_simulation *simulation, void *state, size_t bytes,
                                 flg_error *error);
/* Puts a state back that flg_state_get wrote; goes on from there bit for bit. Allocates nothing.
 * FLG_ERR_INPUT if it is of another system, or if its bytes were changed. @param state (bytes),
 * aligned as by malloc @param bytes flg_state_bytes */
FLG_API flg_status flg_state_set(flg_simulation *simulation, const void *state, size_t bytes,
                                 flg_error *error);
/* Back to the start: time 0, the state that was built, no input written. Allocates nothing. */
FLG_API flg_status flg_state_reset(flg_simulation *simulation, flg_error *error);
/* Saves the state in a file, as `flange run --checkpoint` does: the file is the old one or the new
 * one, whole. */
FLG_API flg_status flg_state_save(const flg_simulation *simulation, const char *path,
                                  flg_error *error);
/* Restores a state from such a file. */
FLG_API flg_status flg_state_restore(flg_simulation *simulation, const char *path,
                                     flg_error *error);

#endif
