/* load_coupled.h - subsystems that interfaces join, each on its own with its ports open. */
#ifndef FLG_LOAD_COUPLED_H
#define FLG_LOAD_COUPLED_H

#include "compose/load_robot.h"
#include "cosim/simulation.h"

/* Finds where interfaces join the subsystems, exactly as when all are solved as one; then loads
 * each subsystem. */
void flg_load_coupled(const flg_loader *loader, flg_simulation *simulation);
/* Then what brings them together, once steps are known; nothing where all is solved as one. */
void flg_load_coupling(const flg_loader *loader, flg_simulation *simulation);

#endif
