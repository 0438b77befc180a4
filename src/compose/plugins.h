/* plugins.h - subsystems and controllers of users' shared libraries, from what scenarios say.
 */
#ifndef FLG_COMPOSE_PLUGINS_H
#define FLG_COMPOSE_PLUGINS_H

#include "compose/robots.h"
#include "cosim/simulation.h"
#include "flatten/component_builder.h"
#include "plugin/plugin_subsystem.h"

/* A mistake for each subsystem that has neither a model nor a plug-in, or both. */
void flg_compose_check_models(const flg_loader *loader);
/* Opens the library and makes the subsystem, ready to run. */
void flg_compose_plugin(const flg_loader *loader, const flg_subsystem_keys *keys,
                        flg_subsystem *subsystem);
/* Its ports and shapes, which stand in for it in a component. */
flg_port_list flg_compose_plugin_list(const flg_loader *loader, const flg_subsystem_keys *keys,
                                      const flg_plugged_subsystem *plugin);
/* True if a subsystem is a plug-in with shapes. */
bool flg_compose_plugin_touches(const flg_subsystem *subsystem);
/* True if an interface has an end on a plug-in. */
bool flg_compose_joins_plugin(const flg_loader *loader, const flg_component_joint_keys *interface);
/* Where interfaces join it: bodies of the anchors are its ports. */
void flg_compose_plugin_outer_ports(const flg_loader *loader, const flg_subsystem_keys *keys,
                                    const flg_anchor *outer_ports, int count,
                                    const flg_subsystem *subsystem);
/* The same of all its ports, each once. */
void flg_compose_plugin_ports(const flg_loader *loader, const flg_subsystem_keys *keys,
                              const flg_subsystem *subsystem);
/* Mistakes for interfaces of plug-ins whose ends are apart at the start. */
void flg_compose_check_ends_meet(const flg_loader *loader, const flg_simulation *simulation);
/* A mistake for each plug-in that the coupling, which is built, asks too much of. */
void flg_compose_check_yielding(const flg_loader *loader, const flg_simulation *simulation);
/* The controller that a library makes for joint_count joints; it is released with the region. NULL
 * with a mistake. */
const flg_plugged_controller *flg_compose_plugin_controller(const flg_loader *loader,
                                                            const flg_controller_keys *keys,
                                                            flg_vec3 gravity, int joint_count);

#endif
