/* plugin_subsystem.h - a subsystem that a user's shared library supplies (flange/plugin.h).
 *
 * The library has ports of its own. Each end of an interface is an outer port on one of them: its
 * frame may be turned against that of the port, and several may share a port.
 *
 * What it answers is not trusted: what no mechanical system has is refused at set-up, and numbers
 * that are not finite end the simulation.
 */
#ifndef FLG_PLUGIN_SUBSYSTEM_H
#define FLG_PLUGIN_SUBSYSTEM_H

#include "contract/subsystem.h"
#include "plugin/plugin_library.h"

typedef struct flg_plugged_subsystem flg_plugged_subsystem;

typedef struct flg_plugin_outer_port {
  int port;
  flg_mat3 turn; /* of its frame, in that of the port */
} flg_plugin_outer_port;

/* Set-up: opens the library and makes an instance, which has no outer ports yet; setup->name and
 * path are borrowed. Release as a subsystem. */
flg_status flg_plugged_subsystem_build(flg_subsystem *subsystem, const char *path,
                                       const flg_plugin_setup *setup, flg_error *error);
/* Set-up, once: where others are joined to it. */
flg_status flg_plugged_subsystem_join(flg_plugged_subsystem *plugin,
                                      const flg_plugin_outer_port *outer_ports, int count,
                                      flg_error *error);
/* The plug-in that it is, or NULL if it is something else. */
flg_plugged_subsystem *flg_subsystem_plugin(const flg_subsystem *subsystem);

const flg_plugin_library *flg_plugged_subsystem_library(const flg_plugged_subsystem *plugin);
/* The argument of the library's own functions. */
void *flg_plugged_subsystem_instance(const flg_plugged_subsystem *plugin);
const char *flg_plugged_subsystem_path(const flg_plugged_subsystem *plugin);
/* Names of its own ports (count). */
const char *const *flg_plugged_subsystem_ports(const flg_plugged_subsystem *plugin, int *count);
/* Where one of its own ports is now. */
flg_moving_frame flg_plugged_subsystem_frame(const flg_plugged_subsystem *plugin, int port);
/* One of the outer ports that it was joined with. */
const flg_plugin_outer_port *flg_plugged_subsystem_outer_port(const flg_plugged_subsystem *plugin,
                                                              int outer_port);
/* Shapes on its ports (count), as they were checked. */
const flg_plugin_shape *flg_plugged_subsystem_shapes(const flg_plugged_subsystem *plugin,
                                                     int *count);
/* Where a shape is in the frame of its port. */
flg_pose flg_plugin_shape_pose(const flg_plugin_shape *shape);
/* True if impulses and displacements move it at once. */
bool flg_plugged_subsystem_yields(const flg_plugged_subsystem *plugin);

#endif
