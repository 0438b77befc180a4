/* interface_potential.h - the contacts that a user wants to stay open in models, by name. */
#ifndef FLG_COMPOSE_INTERFACE_POTENTIAL_H
#define FLG_COMPOSE_INTERFACE_POTENTIAL_H

#include "compose/robots.h"
#include "cosim/simulation.h"
#include "macro/potential.h"

/* From `coupling.potential`: `sub/body`, `sub/body/shape` or `sub/body/shape/point`, once
 * subsystems are loaded. NULL where nothing is said; names that nothing has become mistakes. */
const flg_potential *flg_compose_potential(const flg_loader *loader,
                                           const flg_simulation *simulation);

#endif
