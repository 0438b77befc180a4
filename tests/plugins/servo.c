/* A controller as a plug-in: f = stiffness (target - q) - damping v, on every joint that it drives;
 * `fail: 1` makes it answer with what is not a number, `fail: 2` leaves another rounding mode. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flange/plugin.h"

typedef struct servo {
  int count;
  double stiffness, damping, target, fail;
} servo;

static void *create(const flg_plugin_setup *setup, char *text) {
  servo *made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->count = setup->joint_count;
  for (int k = 0; k < setup->parameter_count; k++) {
    const flg_plugin_parameter *parameter = &setup->parameters[k];
    double *to = strcmp(parameter->name, "stiffness") == 0 ? &made->stiffness
                 : strcmp(parameter->name, "damping") == 0 ? &made->damping
                 : strcmp(parameter->name, "target") == 0  ? &made->target
                 : strcmp(parameter->name, "fail") == 0    ? &made->fail
                                                           : NULL;
    if (to == NULL) {
      snprintf(text, FLG_PLUGIN_TEXT, "there is no parameter '%s'", parameter->name);
      free(made);
      return NULL;
    }
    *to = parameter->values[0];
  }
  return made;
}

static void evaluate(void *instance, double time, const double *positions, const double *velocities,
                     double *efforts) {
  const servo *of = instance;
  for (int k = 0; k < of->count; k++) {
    efforts[k] = of->stiffness * (of->target - positions[k]) + of->damping * (0 - velocities[k]);
    if (of->fail == 1 && time > 0.1) efforts[k] = NAN;
    if (of->fail == 2 && time > 0.1) fesetround(FE_DOWNWARD);
  }
}

const flg_plugin *flg_plugin_v1(void) {
  static const flg_plugin_controller controller = {
      .size = sizeof controller, .create = create, .destroy = free, .evaluate = evaluate};
  static const flg_plugin plugin = {
      .abi = FLG_PLUGIN_ABI, .size = sizeof plugin, .name = "servo", .controller = &controller};
  return &plugin;
}
