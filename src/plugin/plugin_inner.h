/* plugin_inner.h - a plug-in from inside, for plugin_subsystem.c and plugin_coupled.c. */
#ifndef FLG_PLUGIN_INNER_H
#define FLG_PLUGIN_INNER_H

#include "base/growing.h"
#include "base/region.h"
#include "plugin/plugin_subsystem.h"

/* Ports in the order that a program asked for them. */
typedef struct flg_plugin_probe {
  flg_plugin_outer_port *ports; /* (count) not turned */
  int count;
} flg_plugin_probe;

struct flg_plugged_subsystem {
  flg_plugin_library plugin;
  void *instance;
  const char *path;
  uint64_t identity;
  flg_plugin_state state;
  const char *const *port_names; /* (port_count) */
  int port_count;
  flg_interface_model *model;         /* over its own ports; NULL without */
  double *velocity_bias;              /* (6 ports) of that model */
  double *impulses;                   /* (6 ports) work space */
  flg_plugin_outer_port *outer_ports; /* (outer_port_count) */
  int outer_port_count;
  flg_growing probes;       /* of flg_plugin_probe: ports that programs look at */
  flg_plugin_shape *shapes; /* (shape_count) */
  int shape_count;
  flg_object *objects;          /* (object_count) of signals, of ports, the energy */
  int *first_signals;           /* (objects) number of the first signal of an object, else -1 */
  int object_count, first_port; /* objects from this one on are ports */
  bool *is_asked;               /* (objects) its quantities are read */
  double *answer;               /* (widest quantity) work space */
  char complaint[2 * FLG_PLUGIN_TEXT]; /* of the last reduce; "": it did not fail */
  flg_region region;
};

extern const flg_coupled_ops flg_plugin_coupled_ops;
/* Operations open_probe and probe of the contract, of ports. */
flg_status flg_plugin_open_probe(void *self, const char *const *paths, int count, int *number,
                                 flg_error *error);
flg_status flg_plugin_probe_ports(void *self, int number, double time, double tau,
                                  flg_interface_model *model);

/* Step: a step of h from time on under impulses on its own ports. */
flg_status flg_plugin_step(flg_plugged_subsystem *plugin, double time, double h,
                           const double *impulses, flg_error *error);
/* Step: its model over its own ports into plugin->model. text (FLG_PLUGIN_TEXT bytes, empty):
 * why it failed. */
flg_status flg_plugin_reduce(flg_plugged_subsystem *plugin, double time, double tau, char *text);
/* From numbers row by row. */
flg_mat3 flg_plugin_rotation(const double rows[9]);
bool flg_plugin_is_finite(const double *values, size_t count);

#endif
