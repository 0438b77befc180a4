/* state.h - the state of a simulation, in memory and in files.
 *
 *     size_t bytes = flg_state_bytes(simulation);
 *     void *state = malloc(bytes);
 *     flg_state_get(simulation, state, bytes, &error);
 *     ... steps ...
 *     flg_state_set(simulation, state, bytes, &error);       back where it was, bit for bit
 *
 * A state is one block of bytes without pointers: the clock, all subsystems, the coupling and the inputs that were
 * opened so far (flange/access.h). It fits simulations of the same system with the same inputs, in this process or
 * another of the same kind of machine; others refuse it.
 */
#ifndef FLG_STATE_H
#define FLG_STATE_H

#include <stddef.h>

#include "flange/simulation.h"

/* --- states
 * Owns: the caller. When: between steps. Fails: status, FLG_ERR_INPUT for a state that this simulation cannot have,
 * FLG_ERR_MISSING and FLG_ERR_OUTPUT for files; 0. */

/* Bytes that a state takes. They grow when inputs are opened. */
FLG_API size_t flg_state_bytes(const flg_simulation *simulation);
/* Writes the state into a block. @param state (bytes), aligned as by malloc @param bytes flg_state_bytes */
FLG_API flg_status flg_state_get(const flg_simulation *simulation, void *state, size_t bytes, flg_error *error);
/* Puts a state back that flg_state_get wrote; goes on from there bit for bit. FLG_ERR_INPUT if it is of another system,
 * or if its bytes were changed. @param state (bytes), aligned as by malloc @param bytes flg_state_bytes */
FLG_API flg_status flg_state_set(flg_simulation *simulation, const void *state, size_t bytes, flg_error *error);
/* Back to the start: time 0, the state that was built, no input written. */
FLG_API flg_status flg_state_reset(flg_simulation *simulation, flg_error *error);
/* Set-up: saves the state in a file, as `flange run --checkpoint` does: the file is the old one or the new one, whole.
 */
FLG_API flg_status flg_state_save(const flg_simulation *simulation, const char *path, flg_error *error);
/* Set-up: restores a state from such a file. */
FLG_API flg_status flg_state_restore(flg_simulation *simulation, const char *path, flg_error *error);

#endif
