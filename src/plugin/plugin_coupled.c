/* plugin_coupled.c - a plug-in joined to others: outer ports on the ports of the library. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plugin/plugin_inner.h"

enum { PORT_ROWS = FLG_PLUGIN_PORT_ROWS };

bool flg_plugin_is_finite(const double *values, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (!isfinite(values[k])) return false;
  }
  return true;
}

/* --- looking ------------------------------------------------------------------------------------
 */

flg_mat3 flg_plugin_rotation(const double r[9]) {
  return (flg_mat3){{r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]}};
}

flg_moving_frame flg_plugged_subsystem_frame(const flg_plugged_subsystem *plugin, int port) {
  flg_plugin_frame frame = {{0}, {0}, {0}};
  plugin->plugin.subsystem.frame(plugin->instance, port, &frame);
  flg_moving_frame moving = {.velocity = flg_spatial_load(frame.velocity)};
  moving.pose.position = flg_vec3_load(frame.position);
  moving.pose.rotation = flg_plugin_rotation(frame.rotation);
  return moving;
}

static int plugin_ports(const void *self) {
  const flg_plugged_subsystem *plugin = self;
  return plugin->outer_port_count;
}

static flg_moving_frame plugin_frame(const void *self, int port) {
  const flg_plugged_subsystem *plugin = self;
  const flg_plugin_outer_port *outer_port = &plugin->outer_ports[port];
  flg_moving_frame moving = flg_plugged_subsystem_frame(plugin, outer_port->port);
  moving.pose.rotation = flg_mat3_multiply(&moving.pose.rotation, &outer_port->turn);
  return moving;
}

const flg_plugin_outer_port *flg_plugged_subsystem_outer_port(const flg_plugged_subsystem *plugin,
                                                              int outer_port) {
  return &plugin->outer_ports[outer_port];
}

bool flg_plugged_subsystem_yields(const flg_plugged_subsystem *plugin) {
  return plugin->plugin.subsystem.impulse != NULL;
}

/* --- the model ----------------------------------------------------------------------------------
 */

static void plugin_say(char *text, const char *sentence) {
  snprintf(text, FLG_PLUGIN_TEXT, "%s", sentence);
}

flg_status flg_plugin_reduce(flg_plugged_subsystem *plugin, double time, double tau, char *text) {
  const size_t n = PORT_ROWS * (size_t)plugin->port_count;
  flg_interface_model_resize(plugin->model, (int)n); /* zeros */
  memset(plugin->velocity_bias, 0, n * sizeof *plugin->velocity_bias);
  flg_plugin_model model = {.size = sizeof model,
                            .turning = plugin->velocity_bias,
                            .admittance = flg_interface_model_admittance(plugin->model),
                            .bias = flg_interface_model_bias(plugin->model),
                            .velocity = flg_interface_model_velocity(plugin->model)};
  if (plugin->plugin.subsystem.reduce(plugin->instance, time, tau, &model, text) != 0) {
    text[FLG_PLUGIN_TEXT - 1] = '\0';
    if (text[0] == '\0') plugin_say(text, "it gives no model of its ports, and does not say why");
    return FLG_ERR_DIVERGED;
  }
  const bool finite =
      flg_plugin_is_finite(model.admittance, n * n) && flg_plugin_is_finite(model.bias, n) &&
      flg_plugin_is_finite(plugin->velocity_bias, n) && flg_plugin_is_finite(model.velocity, n);
  if (!finite) plugin_say(text, "the model of its ports is not finite");
  if (!finite || flg_plugin_spoils_arithmetic(text)) return FLG_ERR_DIVERGED;
#ifndef NDEBUG /* costs as much as small models themselves */
  flg_error wrong;
  if (flg_interface_model_check(plugin->model, &wrong) != FLG_OK) {
    snprintf(text, FLG_PLUGIN_TEXT,
             "the admittance D of its ports is not symmetric and semidefinite (%.150s)",
             wrong.message);
    return FLG_ERR_DIVERGED;
  }
#endif
  return FLG_OK;
}

static void copy_rows(const double *from, int port, double *to, int outer_port) {
  memcpy(to + PORT_ROWS * outer_port, from + PORT_ROWS * port, PORT_ROWS * sizeof *to);
}

/* The rows of some ports of the last reduction: velocities, and where asked for biases and how the
 * ports answer to forces on each other. */
static void copy_model(const flg_plugged_subsystem *plugin, const flg_plugin_outer_port *ports,
                       int count, bool biases, bool answers, flg_interface_model *model) {
  flg_interface_model *from = plugin->model;
  const size_t n = (size_t)from->rows, m = (size_t)model->rows;
  for (int k = 0; k < count; k++) {
    const int p = ports[k].port;
    copy_rows(flg_interface_model_velocity(from), p, flg_interface_model_velocity(model), k);
    if (biases) copy_rows(flg_interface_model_bias(from), p, flg_interface_model_bias(model), k);
    for (int j = 0; j < PORT_ROWS * count && answers; j++) {
      const int q = PORT_ROWS * ports[j / PORT_ROWS].port + j % PORT_ROWS;
      copy_rows(flg_interface_model_admittance(from) + (size_t)q * n, p,
                flg_interface_model_admittance(model) + (size_t)j * m, k);
    }
  }
}

static flg_status complain_of_plugin(flg_plugged_subsystem *plugin, double time, const char *text) {
  snprintf(plugin->complaint, sizeof plugin->complaint, "plug-in '%s' at t = %.6g s: %s",
           plugin->plugin.name, time, text);
  return FLG_ERR_DIVERGED;
}

static const char *plugin_complaint(const void *self) {
  const flg_plugged_subsystem *plugin = self;
  return plugin->complaint;
}

/* Without impulse and displace it stands still where sides are brought together at once (tau is 0):
 * the other side does it all. */
static flg_status plugin_reduce(void *self, double time, double tau, flg_interface_model *model) {
  flg_plugged_subsystem *plugin = self;
  char text[FLG_PLUGIN_TEXT] = "";
  flg_status status = flg_interface_model_resize(model, PORT_ROWS * plugin->outer_port_count);
  if (status != FLG_OK || plugin->outer_port_count == 0) return status;
  status = flg_plugin_reduce(plugin, time, tau, text);
  plugin->complaint[0] = '\0';
  if (status != FLG_OK) return complain_of_plugin(plugin, time, text);
  copy_model(plugin, plugin->outer_ports, plugin->outer_port_count, tau > 0,
             tau > 0 || flg_plugged_subsystem_yields(plugin), model);
  return FLG_OK;
}

static int port_of(const flg_plugged_subsystem *plugin, const char *name) {
  return FLG_FIND(plugin->port_names, plugin->port_count, name);
}

flg_status flg_plugin_open_probe(void *self, const char *const *paths, int count, int *number,
                                 flg_error *error) {
  flg_plugged_subsystem *plugin = self;
  flg_plugin_probe probe = {.count = count};
  probe.ports = flg_region_take(&plugin->region, (size_t)count, sizeof *probe.ports);
  for (int k = 0; k < count && probe.ports != NULL; k++) {
    probe.ports[k].port = port_of(plugin, paths[k]);
    if (probe.ports[k].port >= 0) continue;
    return flg_fail(error, FLG_ERR_INPUT, "plug-in '%s' has no port '%s'", plugin->plugin.name,
                    paths[k]);
  }
  flg_plugin_probe *made = NULL;
  if (probe.ports != NULL) made = flg_growing_add(&plugin->probes, sizeof *made, &plugin->region);
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a model");
  *made = probe;
  *number = plugin->probes.count - 1;
  return FLG_OK;
}

flg_status flg_plugin_probe_ports(void *self, int number, double time, double tau,
                                  flg_interface_model *model) {
  flg_plugged_subsystem *plugin = self;
  const flg_plugin_probe *probe = (const flg_plugin_probe *)plugin->probes.items + number;
  char text[FLG_PLUGIN_TEXT] = "";
  flg_status status = flg_interface_model_resize(model, PORT_ROWS * probe->count);
  if (status == FLG_OK) status = flg_plugin_reduce(plugin, time, tau, text);
  if (status != FLG_OK) return status;
  copy_model(plugin, probe->ports, probe->count, true, true, model);
  return FLG_OK;
}

static flg_status plugin_velocity_bias(void *self, double *to) {
  const flg_plugged_subsystem *plugin = self;
  for (int k = 0; k < plugin->outer_port_count; k++) {
    copy_rows(plugin->velocity_bias, plugin->outer_ports[k].port, to, k);
  }
  return FLG_OK;
}

static bool plugin_uses_start_rows(const void *self) {
  const flg_plugged_subsystem *plugin = self;
  return (plugin->plugin.subsystem.flags & FLG_PLUGIN_LOOKS_BACK) != 0;
}

static bool plugin_is_rigid(const void *self) {
  const flg_plugged_subsystem *plugin = self;
  return (plugin->plugin.subsystem.flags & FLG_PLUGIN_RIGID) != 0;
}

/* --- moving -------------------------------------------------------------------------------------
 */

/* what acts on outer ports, port by port of the library */
static const double *gather_port_impulses(flg_plugged_subsystem *plugin,
                                          const double *on_outer_ports) {
  memset(plugin->impulses, 0, PORT_ROWS * (size_t)plugin->port_count * sizeof(double));
  for (int k = 0; k < plugin->outer_port_count; k++) {
    double *to = plugin->impulses + PORT_ROWS * plugin->outer_ports[k].port;
    for (int i = 0; i < PORT_ROWS; i++) to[i] += on_outer_ports[PORT_ROWS * k + i];
  }
  return plugin->impulses;
}

static flg_status plugin_coupled_push(void *self, double time, double h, int index,
                                      const double *impulses, flg_error *error) {
  return flg_plugin_step(self, time + index * h, h, gather_port_impulses(self, impulses), error);
}

static flg_status move_plugin(flg_plugged_subsystem *plugin,
                              void (*by)(void *instance, const double *numbers),
                              const double *numbers) {
  char text[FLG_PLUGIN_TEXT];
  if (by != NULL) by(plugin->instance, gather_port_impulses(plugin, numbers));
  const flg_plugin_state *state = &plugin->state;
  const bool spoils = flg_plugin_spoils_arithmetic(text);
  if (!spoils && flg_plugin_is_finite(state->values, (size_t)state->motion)) return FLG_OK;
  if (!spoils) plugin_say(text, "impulses or displacements make its state NaN or infinite");
  snprintf(plugin->complaint, sizeof plugin->complaint, "plug-in '%s': %s", plugin->plugin.name,
           text);
  return FLG_ERR_DIVERGED;
}

static void plugin_set_impulse_step(void *self, double h) {
  const flg_plugged_subsystem *plugin = self;
  if (plugin->plugin.subsystem.set_impulse_step != NULL)
    plugin->plugin.subsystem.set_impulse_step(plugin->instance, h);
}

static flg_status plugin_impulse(void *self, const double *impulses) {
  flg_plugged_subsystem *plugin = self;
  return move_plugin(plugin, plugin->plugin.subsystem.impulse, impulses);
}

static flg_status plugin_coupled_displace(void *self, const double *x) {
  flg_plugged_subsystem *plugin = self;
  return move_plugin(plugin, plugin->plugin.subsystem.displace, x);
}

const flg_coupled_ops flg_plugin_coupled_ops = {.ports = plugin_ports,
                                                .frame = plugin_frame,
                                                .reduce = plugin_reduce,
                                                .complaint = plugin_complaint,
                                                .velocity_bias = plugin_velocity_bias,
                                                .uses_start_rows = plugin_uses_start_rows,
                                                .is_rigid = plugin_is_rigid,
                                                .push = plugin_coupled_push,
                                                .set_impulse_step = plugin_set_impulse_step,
                                                .impulse = plugin_impulse,
                                                .displace = plugin_coupled_displace};
