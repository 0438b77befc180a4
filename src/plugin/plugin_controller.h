/* plugin_controller.h - a controller that a user's shared library supplies. */
#ifndef FLG_PLUGIN_CONTROLLER_H
#define FLG_PLUGIN_CONTROLLER_H

#include "plugin/plugin_library.h"

typedef struct flg_plugged_controller {
  flg_plugin_library plugin;
  void *instance;
  uint64_t identity; /* of the library and what the instance is made from */
} flg_plugged_controller;

/* Set-up. Release with flg_plugged_controller_release. */
flg_status flg_plugged_controller_build(flg_plugged_controller *controller, const char *path,
                                        const flg_plugin_setup *setup, flg_error *error);
void flg_plugged_controller_release(flg_plugged_controller *controller);

/* Step: forces from positions and velocities of the joints that it drives. */
void flg_plugged_controller_evaluate(const flg_plugged_controller *controller, double time,
                                     const double *positions, const double *velocities,
                                     double *efforts);

#endif
