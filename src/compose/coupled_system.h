/* coupled_system.h - subsystems that interfaces join, each on its own with its ports open. */
#ifndef FLG_COMPOSE_COUPLED_SYSTEM_H
#define FLG_COMPOSE_COUPLED_SYSTEM_H

#include "compose/robots.h"
#include "cosim/simulation.h"

/* Finds where interfaces join the subsystems, exactly as when all are solved as one; then loads
 * each subsystem. */
void flg_compose_coupled(const flg_loader *loader, flg_simulation *simulation);
/* Then what brings them together, once steps are known; nothing where all is solved as one. */
void flg_compose_coupling(const flg_loader *loader, flg_simulation *simulation);

#endif
