/* load_assembly.h - components, and subsystems that interfaces join: as assemblies, ready to run.
 */
#ifndef FLG_LOAD_ASSEMBLY_H
#define FLG_LOAD_ASSEMBLY_H

#include "io/load_robot.h"
#include "subsystem/assembly_freedom.h"

/* Whether a file is that of a component; false if it cannot be read. */
bool flg_load_is_component(const char *path, flg_region *region);
/* A subsystem whose model is a component. */
void flg_load_component(const flg_loader *loader, const flg_subsystem_keys *keys,
                        flg_subsystem *subsystem);
/* All subsystems of the scenario and the interfaces between them, as one: each is a group of that
 * name. Returns the step of it [s], NaN if none is given. */
double flg_load_whole(const flg_loader *loader, flg_subsystem *subsystem);

#endif
