#include "plugin/plugin_controller.h"

flg_status flg_plugged_controller_build(flg_plugged_controller *controller, const char *path,
                                        const flg_plugin_setup *setup, flg_error *error) {
  flg_plugged_controller built = {0};
  flg_status status = flg_plugin_open(&built.plugin, path, error);
  if (status != FLG_OK) return status;
  if (!built.plugin.has_controller) {
    status = flg_fail(error, FLG_ERR_INPUT, "plug-in '%s' supplies no controller", path);
  } else {
    built.instance = flg_plugin_create(&built.plugin, built.plugin.controller.create, setup, error);
    if (built.instance == NULL) status = FLG_ERR_INPUT;
  }
  if (status == FLG_OK) {
    built.identity = flg_plugin_identity(&built.plugin, setup);
    *controller = built;
  } else {
    flg_plugin_close(&built.plugin);
  }
  return status;
}

void flg_plugged_controller_release(flg_plugged_controller *controller) {
  if (controller->instance != NULL) controller->plugin.controller.destroy(controller->instance);
  flg_plugin_close(&controller->plugin);
  *controller = (flg_plugged_controller){0};
}

void flg_plugged_controller_evaluate(const flg_plugged_controller *controller, double time,
                                     const double *positions, const double *velocities,
                                     double *efforts) {
  controller->plugin.controller.evaluate(controller->instance, time, positions, velocities,
                                         efforts);
}
