/* pressures.h - forces on points over time, from a table: what contacts are to do. */
#ifndef FLG_COMPOSE_PRESSURES_H
#define FLG_COMPOSE_PRESSURES_H

#include "compose/robots.h"
#include "cosim/inverse.h"

/* Reads a CSV with a column `time` and columns such as `hand/U.z [N]`: a force in world axes on a
 * body, marker or port of the assembly, on straight lines between the rows; components that have no
 * column are 0. All lies in the region of the loader. */
void flg_compose_pressures(const flg_loader *loader, const char *path, const flg_assembly *assembly,
                           flg_pressures *pressures);

#endif
