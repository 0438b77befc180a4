/* checkpoint.h - a simulation's state in a file, to go on from later, bit for bit.
 *
 * A file holds a magic word, the version of the format and of Flange, the identity of the system
 * and the state, and a hash over all of it. It is written beside its name and then moved there:
 * whatever happens, the file is the old one or the new one, whole. It is read back by the same kind
 * of machine.
 */
#ifndef FLG_CHECKPOINT_H
#define FLG_CHECKPOINT_H

#include "flange/simulation.h"

flg_status flg_checkpoint_write(const flg_simulation *simulation, const char *path,
                                flg_error *error);
/* The same again and again, by one run alone: *claim, -1 at first, holds a lock on the file until
 * it is closed. FLG_ERR_OUTPUT if another run holds one. */
flg_status flg_checkpoint_keep(const flg_simulation *simulation, const char *path, int *claim,
                               flg_error *error);
/* Refuses, with the reason, what is no checkpoint, damaged, of another version or another system.
 */
flg_status flg_checkpoint_read(flg_simulation *simulation, const char *path, flg_error *error);

#endif
