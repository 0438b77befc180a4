/* assemblies.h - components, and subsystems that interfaces join: as assemblies, ready to run.
 */
#ifndef FLG_COMPOSE_ASSEMBLIES_H
#define FLG_COMPOSE_ASSEMBLIES_H

#include "component/assembly_freedom.h"
#include "compose/robots.h"

/* True if the model of a subsystem is a component; false if it cannot be read. */
bool flg_compose_is_component(const flg_loader *loader, const flg_subsystem_keys *keys);
/* A subsystem whose model is a component, with outer ports (outer_port_count) to be joined to
 * others. */
void flg_compose_component(const flg_loader *loader, const flg_subsystem_keys *keys,
                           const flg_anchor *outer_ports, int outer_port_count,
                           flg_subsystem *subsystem);
/* A plug-in with shapes becomes the only part of an assembly, which closes its contacts; paths in
 * it begin with the name of the subsystem. */
void flg_compose_touching_plugin(const flg_loader *loader, const flg_subsystem_keys *keys,
                                 const flg_anchor *outer_ports, int outer_port_count,
                                 flg_subsystem *subsystem);
/* All subsystems of the scenario and the interfaces between them as one component, each a group of
 * that name and the interfaces joints at the top; NULL with mistakes. loaded (subsystems): plug-ins
 * are loaded there, and bodies stand in for their ports; NULL: they are left out, with their
 * interfaces. */
flg_component *flg_compose_joined(const flg_loader *loader, const flg_subsystem *loaded);
/* The same without plug-ins, ready to run. Returns its step [s], NaN if none is given. */
double flg_compose_whole(const flg_loader *loader, flg_subsystem *subsystem);

#endif
