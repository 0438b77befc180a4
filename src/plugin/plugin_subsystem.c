#include "plugin/plugin_subsystem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/frame_quantities.h"
#include "math/identity.h"
#include "plugin/plugin_inner.h"

enum {
  PORT_ROWS = FLG_PLUGIN_PORT_ROWS,
  MOST_PORTS = 256,
  MOST_SHAPES = 10000,
  MOST_WIDTH = 1000000
};

/* of the first version of shapes */
static const size_t SHAPE_BYTES =
    offsetof(flg_plugin_shape, material) + sizeof((flg_plugin_shape *)NULL)->material;
/* how far a rotation may be from one: files and single precision have so many digits */
static const double SQUARE = 1e-6;
/* later, by what libraries may lose that turn frames step by step */
static const double DRIFTED = 1e-3;
static const flg_quantity energy_quantity = {NULL, "J", 1, NULL};

/* --- stepping -----------------------------------------------------------------------------------
 */

flg_status flg_plugin_step(flg_plugged_subsystem *plugin, double time, double h,
                           const double *impulses, flg_error *error) {
  char text[FLG_PLUGIN_TEXT] = "";
  if (plugin->plugin.subsystem.step(plugin->instance, time, h, impulses, text) != 0) {
    text[sizeof text - 1] = '\0';
    return flg_fail(error, FLG_ERR_DIVERGED, "plug-in '%s' at t = %.6g s: %s", plugin->plugin.name,
                    time, text[0] == '\0' ? "its step fails, and it does not say why" : text);
  }
  if (flg_plugin_spoils_arithmetic(text)) {
    return flg_fail(error, FLG_ERR_DIVERGED, "plug-in '%s' at t = %.6g s: %s", plugin->plugin.name,
                    time, text);
  }
  if (flg_plugin_is_finite(plugin->state.values, (size_t)plugin->state.motion)) return FLG_OK;
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "plug-in '%s' has made numbers that are not finite after t = %.6g s; is its step "
                  "of %.6g s too long?",
                  plugin->plugin.name, time, h);
}

static flg_status plugin_subsystem_advance(void *self, double time, double h, int first, int count,
                                           flg_error *error) {
  flg_plugged_subsystem *plugin = self;
  flg_status status = FLG_OK;
  memset(plugin->impulses, 0, PORT_ROWS * (size_t)plugin->port_count * sizeof(double));
  for (int k = first; k < first + count && status == FLG_OK; k++) {
    status = flg_plugin_step(plugin, time + k * h, h, plugin->impulses, error);
  }
  return status;
}

/* it answers from its state at all times */
static void plugin_subsystem_refresh(void *self, double time) {
  (void)self, (void)time;
}

/* --- telling ------------------------------------------------------------------------------------
 */

static double plugin_subsystem_energy(const void *self) {
  const flg_plugged_subsystem *plugin = self;
  return plugin->plugin.subsystem.energy(plugin->instance);
}

static flg_subsystem_state plugin_state(const void *self) {
  const flg_plugged_subsystem *plugin = self;
  const flg_plugin_state *own = &plugin->state;
  return (flg_subsystem_state){.values = own->values, .count = own->count, .motion = own->motion};
}

static uint64_t plugin_identity(const void *self, uint64_t seed) {
  const flg_plugged_subsystem *plugin = self;
  return flg_identity(seed, "u", plugin->identity);
}

static const flg_object *plugin_objects(const void *self, int *count) {
  const flg_plugged_subsystem *plugin = self;
  *count = plugin->object_count;
  return plugin->objects;
}

static void plugin_read(const void *self, int object, int quantity, double *values) {
  const flg_plugged_subsystem *plugin = self;
  if (object == plugin->object_count - 1) {
    values[0] = plugin_subsystem_energy(self);
  } else if (object >= plugin->first_port) {
    const flg_moving_frame moving =
        flg_plugged_subsystem_frame(plugin, object - plugin->first_port);
    flg_frame_read(&moving, quantity, values);
  } else {
    plugin->plugin.subsystem.read(plugin->instance, plugin->first_signals[object] + quantity,
                                  values);
  }
}

static flg_status ask(void *self, int object, int quantity) {
  flg_plugged_subsystem *plugin = self;
  (void)quantity;
  plugin->is_asked[object] = true;
  return FLG_OK;
}

/* a quantity of an object that is read and has a number that is not finite; NULL: none has */
static const flg_quantity *plugin_find_lost(const flg_plugged_subsystem *plugin, int index) {
  const flg_object *object = &plugin->objects[index];
  if (!plugin->is_asked[index]) return NULL;
  for (int k = 0; k < object->quantity_count; k++) {
    const flg_quantity *quantity = &object->quantities[k];
    plugin_read(plugin, index, k, plugin->answer);
    if (!flg_plugin_is_finite(plugin->answer, (size_t)quantity->width)) return quantity;
  }
  return NULL;
}

static bool is_rotation(const flg_mat3 *r, double slack) {
  for (int i = 0; i < 3; i++) {
    const flg_vec3 a = flg_mat3_column(r, i), b = flg_mat3_column(r, (i + 1) % 3);
    const flg_vec3 c = flg_vec3_subtract(flg_vec3_cross(a, b), flg_mat3_column(r, (i + 2) % 3));
    if (!(fabs(flg_vec3_dot(a, a) - 1) < slack && flg_vec3_norm(c) < slack)) return false;
  }
  return true;
}

/* a rotation, and all numbers finite */
static bool is_frame(const flg_moving_frame *frame, double slack) {
  double numbers[PORT_ROWS];
  flg_spatial_store(frame->velocity, numbers);
  return is_rotation(&frame->pose.rotation, slack) &&
         isfinite(flg_vec3_norm(frame->pose.position)) && flg_plugin_is_finite(numbers, PORT_ROWS);
}

/* what others meet at its ports: where these are, and how they answered last */
static flg_status check_joined(const flg_plugged_subsystem *plugin, double time, flg_error *error) {
  if (plugin->complaint[0] != '\0') {
    return flg_fail(error, FLG_ERR_DIVERGED, "%s", plugin->complaint);
  }
  for (int k = 0; k < plugin->outer_port_count; k++) {
    const int port = plugin->outer_ports[k].port;
    const flg_moving_frame frame = flg_plugged_subsystem_frame(plugin, port);
    if (is_frame(&frame, DRIFTED)) continue;
    return flg_fail(
        error, FLG_ERR_DIVERGED,
        "plug-in '%s' tells a frame of port '%s' that is not finite, or has no rotation "
        "matrix, at t = %.6g s",
        plugin->plugin.name, plugin->port_names[port], time);
  }
  flg_error wrong;
  if (plugin->outer_port_count == 0) return FLG_OK;
  if (flg_interface_model_check(plugin->model, &wrong) == FLG_OK) return FLG_OK;
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "plug-in '%s' tells an admittance D of its ports that is not symmetric and "
                  "semidefinite before t = %.6g s (%.150s)",
                  plugin->plugin.name, time, wrong.message);
}

/* what the library tells, of a state that is finite */
static flg_status plugin_subsystem_check(const void *self, double time, flg_error *error) {
  const flg_plugged_subsystem *plugin = self;
  const char *name = plugin->plugin.name;
  char text[FLG_PLUGIN_TEXT];
  if (!flg_plugin_is_finite(plugin->state.values, (size_t)plugin->state.motion)) return FLG_OK;
  const double told = plugin_subsystem_energy(plugin);
  if (!isfinite(told)) {
    return flg_fail(error, FLG_ERR_DIVERGED, "plug-in '%s' reports an energy of %g J at t = %.6g s",
                    name, told, time);
  }
  for (int k = 0; k < plugin->object_count; k++) {
    const flg_quantity *lost = plugin_find_lost(plugin, k);
    if (lost == NULL) continue;
    return flg_fail(
        error, FLG_ERR_DIVERGED,
        "plug-in '%s' reports a number of '%s%s%s' that is NaN or infinite at t = %.6g s", name,
        plugin->objects[k].path, lost->word == NULL ? "" : ".",
        lost->word == NULL ? "" : lost->word, time);
  }
  if (check_joined(plugin, time, error) != FLG_OK) return FLG_ERR_DIVERGED;
  if (!flg_plugin_spoils_arithmetic(text)) return FLG_OK;
  return flg_fail(error, FLG_ERR_DIVERGED, "plug-in '%s' at t = %.6g s: %s", name, time, text);
}

static void plugin_release(void *self) {
  flg_plugged_subsystem *plugin = self;
  if (plugin->instance != NULL) plugin->plugin.subsystem.destroy(plugin->instance);
  flg_region_release(&plugin->region);
  flg_plugin_close(&plugin->plugin);
  free(plugin);
}

static const flg_subsystem_ops plugin_ops = {.kind = "plug-in",
                                             .advance = plugin_subsystem_advance,
                                             .refresh = plugin_subsystem_refresh,
                                             .energy = plugin_subsystem_energy,
                                             .state = plugin_state,
                                             .identity = plugin_identity,
                                             .objects = plugin_objects,
                                             .read = plugin_read,
                                             .ask = ask,
                                             .check = plugin_subsystem_check,
                                             .open_probe = flg_plugin_open_probe,
                                             .probe = flg_plugin_probe_ports,
                                             .release = plugin_release,
                                             .coupled = &flg_plugin_coupled_ops};

/* --- set-up -------------------------------------------------------------------------------------
 */

static flg_status refuse_plugin(const flg_plugged_subsystem *plugin, const char *what,
                                flg_error *error) {
  return flg_fail(error, FLG_ERR_INPUT, "plug-in '%s' cannot be used: %s", plugin->plugin.name,
                  what);
}

static flg_status plugin_out_of_memory(flg_error *error) {
  return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a plug-in");
}

static flg_status take_state(flg_plugged_subsystem *plugin, flg_error *error) {
  plugin->state = plugin->plugin.subsystem.state(plugin->instance);
  const flg_plugin_state *own = &plugin->state;
  if (own->values == NULL || own->count < 1 || own->motion < 1 || own->motion > own->count) {
    return refuse_plugin(plugin, "its state is empty, or holds less than its motion", error);
  }
  if (!flg_plugin_is_finite(own->values, (size_t)own->motion)) {
    return refuse_plugin(plugin, "its state is not finite at the start", error);
  }
  return isfinite(plugin_subsystem_energy(plugin))
             ? FLG_OK
             : refuse_plugin(plugin, "its energy is not finite", error);
}

static flg_status check_ports(flg_plugged_subsystem *plugin, flg_error *error) {
  char text[FLG_PLUGIN_TEXT] = "";
  for (int k = 0; k < plugin->port_count; k++) {
    const flg_moving_frame frame = flg_plugged_subsystem_frame(plugin, k);
    if (plugin->port_names[k] == NULL) return refuse_plugin(plugin, "a port has no name", error);
    if (is_frame(&frame, SQUARE)) continue;
    return flg_fail(error, FLG_ERR_INPUT,
                    "plug-in '%s' cannot be used: the frame of port '%s' is not finite, or has no "
                    "rotation matrix",
                    plugin->plugin.name, plugin->port_names[k]);
  }
  if (flg_plugin_reduce(plugin, 0, 0, text) != FLG_OK) {
    return refuse_plugin(plugin, text, error);
  }
  flg_error wrong;
  if (flg_interface_model_check(plugin->model, &wrong) == FLG_OK) return FLG_OK;
  return flg_fail(error, FLG_ERR_INPUT,
                  "plug-in '%s' cannot be used: the admittance D of its ports is not symmetric and "
                  "semidefinite (%s)",
                  plugin->plugin.name, wrong.message);
}

static flg_status take_ports(flg_plugged_subsystem *plugin, flg_error *error) {
  const flg_plugin_subsystem *table = &plugin->plugin.subsystem;
  if (table->ports == NULL) return FLG_OK;
  plugin->port_names = table->ports(plugin->instance, &plugin->port_count);
  const int count = plugin->port_count;
  if (count == 0) return FLG_OK;
  if (count < 0 || count > MOST_PORTS || plugin->port_names == NULL) {
    plugin->port_count = 0;
    return refuse_plugin(plugin, "it says that it has no port at all, or more than 256", error);
  }
  const int rows = PORT_ROWS * count;
  void *memory = flg_region_take(&plugin->region, flg_interface_model_bytes(rows), 1);
  plugin->impulses = flg_region_take(&plugin->region, (size_t)rows, sizeof(double));
  plugin->velocity_bias = flg_region_take(&plugin->region, (size_t)rows, sizeof(double));
  if (plugin->region.failed) return plugin_out_of_memory(error);
  const flg_status status = flg_interface_model_build(memory, rows, rows, &plugin->model, error);
  return status == FLG_OK ? check_ports(plugin, error) : status;
}

static bool is_turned(const flg_plugin_shape *shape) {
  for (int i = 0; i < 9; i++) {
    if (shape->rotation[i] != 0) return true;
  }
  return false;
}

flg_pose flg_plugin_shape_pose(const flg_plugin_shape *shape) {
  flg_pose pose = {flg_mat3_identity(), flg_vec3_load(shape->position)};
  if (is_turned(shape)) pose.rotation = flg_plugin_rotation(shape->rotation);
  return pose;
}

/* what is wrong with a shape; NULL: nothing that contacts would not tell themselves */
static const char *fault_of(const flg_plugged_subsystem *plugin, const flg_plugin_shape *shape) {
  const flg_pose pose = flg_plugin_shape_pose(shape);
  const bool has_points = shape->kind == FLG_PLUGIN_POINTS;
  if (shape->kind < FLG_PLUGIN_BOX || shape->kind > FLG_PLUGIN_POINTS) {
    return "a shape is of a kind that does not exist";
  }
  if (shape->port < 0 || shape->port >= plugin->port_count) {
    return "a shape is on a port that does not exist";
  }
  if (!isfinite(flg_vec3_norm(pose.position)) || !is_rotation(&pose.rotation, SQUARE)) {
    return "the pose of a shape is not finite, or has no rotation matrix";
  }
  if (has_points != (shape->point_count > 0) || has_points != (shape->points != NULL)) {
    return "a shape of points has none, or another shape has points";
  }
  return NULL;
}

static flg_status plugin_take_shapes(flg_plugged_subsystem *plugin, flg_error *error) {
  const flg_plugin_subsystem *table = &plugin->plugin.subsystem;
  int count = 0;
  const flg_plugin_shape *given =
      table->shapes == NULL ? NULL : table->shapes(plugin->instance, &count);
  if (count < 0 || count > MOST_SHAPES || (count > 0 && given == NULL)) {
    return refuse_plugin(plugin, "the list of its shapes is missing, or has more than 10000",
                         error);
  }
  if (count > 0 && given->size < SHAPE_BYTES) {
    return refuse_plugin(plugin, "its shapes do not tell their size", error);
  }
  plugin->shapes = flg_region_take(&plugin->region, (size_t)count, sizeof *plugin->shapes);
  if (plugin->shapes == NULL) return plugin_out_of_memory(error);
  const char *from = (const char *)given;
  for (int k = 0; k < count; k++) {
    flg_plugin_shape *shape = &plugin->shapes[k];
    flg_plugin_take_table(shape, sizeof *shape, from, given->size);
    const char *fault = fault_of(plugin, shape);
    if (fault != NULL) return refuse_plugin(plugin, fault, error);
    from += given->size;
  }
  plugin->shape_count = count;
  return FLG_OK;
}

static void add_object(flg_plugged_subsystem *plugin, const char *path,
                       const flg_quantity *quantities, int count, int first_signal) {
  plugin->first_signals[plugin->object_count] = first_signal;
  plugin->objects[plugin->object_count++] = (flg_object){path, quantities, count, false};
}

/* signals of one path, which follow each other, are one object */
static void plugin_add_signals(flg_plugged_subsystem *plugin, const flg_plugin_signal *signals,
                               int count, flg_quantity *quantities) {
  for (int k = 0, first = 0; k < count; k++) {
    quantities[k] = (flg_quantity){signals[k].quantity, signals[k].unit, signals[k].width, NULL};
    const bool last = k + 1 == count || strcmp(signals[k].path, signals[k + 1].path) != 0;
    if (!last) continue;
    add_object(plugin, signals[first].path, quantities + first, k + 1 - first, first);
    first = k + 1;
  }
}

static bool are_signals(const flg_plugin_signal *signals, int count) {
  if (count < 0 || (count > 0 && signals == NULL)) return false;
  for (int k = 0; k < count; k++) {
    if (signals[k].path == NULL || signals[k].unit == NULL) return false;
    if (signals[k].width < 1 || signals[k].width > MOST_WIDTH) return false;
  }
  return true;
}

static size_t widest_signal(const flg_plugin_signal *signals, int count) {
  int most = 9; /* orientations of ports */
  for (int k = 0; k < count; k++) most = signals[k].width > most ? signals[k].width : most;
  return (size_t)most;
}

static flg_status take_signals(flg_plugged_subsystem *plugin, flg_error *error) {
  const flg_plugin_subsystem *table = &plugin->plugin.subsystem;
  flg_region *region = &plugin->region;
  int count = 0;
  const flg_plugin_signal *signals =
      table->signals == NULL ? NULL : table->signals(plugin->instance, &count);
  if (!are_signals(signals, count)) {
    return refuse_plugin(plugin, "one of its signals has no path, no unit or no width", error);
  }
  const size_t most = (size_t)count + (size_t)plugin->port_count + 1;
  plugin->objects = flg_region_take(region, most, sizeof *plugin->objects);
  plugin->first_signals = flg_region_take(region, most, sizeof *plugin->first_signals);
  plugin->is_asked = flg_region_take(region, most, sizeof *plugin->is_asked);
  plugin->answer = flg_region_take(region, widest_signal(signals, count), sizeof *plugin->answer);
  flg_quantity *quantities = flg_region_take(region, (size_t)count, sizeof *quantities);
  if (region->failed) return plugin_out_of_memory(error);
  plugin_add_signals(plugin, signals, count, quantities);
  plugin->first_port = plugin->object_count;
  for (int k = 0; k < plugin->port_count; k++) {
    add_object(plugin, plugin->port_names[k], flg_frame_quantities, FLG_FRAME_QUANTITIES, -1);
  }
  add_object(plugin, "energy", &energy_quantity, 1, -1);
  return FLG_OK;
}

static flg_status plugin_subsystem_fill(flg_plugged_subsystem *plugin,
                                        const flg_plugin_setup *setup, flg_error *error) {
  flg_status status = flg_plugin_open(&plugin->plugin, plugin->path, error);
  if (status != FLG_OK) return status;
  const flg_plugin_subsystem *table = &plugin->plugin.subsystem;
  if (!plugin->plugin.has_subsystem) {
    return flg_fail(error, FLG_ERR_INPUT, "plug-in '%s' supplies no subsystem", plugin->path);
  }
  plugin->identity = flg_plugin_identity(&plugin->plugin, setup);
  plugin->instance = flg_plugin_create(&plugin->plugin, table->create, setup, error);
  if (plugin->instance == NULL) return FLG_ERR_INPUT;
  /* never NULL, also without ports */
  plugin->impulses = flg_region_take(&plugin->region, 1, sizeof(double));
  if (plugin->impulses == NULL) return plugin_out_of_memory(error);
  status = take_state(plugin, error);
  if (status == FLG_OK) status = take_ports(plugin, error);
  if (status == FLG_OK) status = plugin_take_shapes(plugin, error);
  return status == FLG_OK ? take_signals(plugin, error) : status;
}

flg_status flg_plugged_subsystem_build(flg_subsystem *subsystem, const char *path,
                                       const flg_plugin_setup *setup, flg_error *error) {
  flg_plugged_subsystem *plugin = calloc(1, sizeof *plugin);
  if (plugin == NULL) return plugin_out_of_memory(error);
  plugin->path = path;
  flg_status status = plugin_subsystem_fill(plugin, setup, error);
  if (status == FLG_OK) {
    status = flg_subsystem_build(subsystem, setup->name, &plugin_ops, plugin, error);
  }
  if (status != FLG_OK) plugin_release(plugin);
  return status;
}

flg_status flg_plugged_subsystem_join(flg_plugged_subsystem *plugin,
                                      const flg_plugin_outer_port *outer_ports, int count,
                                      flg_error *error) {
  plugin->outer_ports = flg_region_take(&plugin->region, (size_t)count, sizeof *outer_ports);
  if (plugin->outer_ports == NULL) return plugin_out_of_memory(error);
  if (count > 0) memcpy(plugin->outer_ports, outer_ports, (size_t)count * sizeof *outer_ports);
  plugin->outer_port_count = count;
  return FLG_OK;
}

flg_plugged_subsystem *flg_subsystem_plugin(const flg_subsystem *subsystem) {
  return subsystem->ops == &plugin_ops ? subsystem->self : NULL;
}

const flg_plugin_library *flg_plugged_subsystem_library(const flg_plugged_subsystem *plugin) {
  return &plugin->plugin;
}

void *flg_plugged_subsystem_instance(const flg_plugged_subsystem *plugin) {
  return plugin->instance;
}

const char *flg_plugged_subsystem_path(const flg_plugged_subsystem *plugin) {
  return plugin->path;
}

const char *const *flg_plugged_subsystem_ports(const flg_plugged_subsystem *plugin, int *count) {
  *count = plugin->port_count;
  return plugin->port_names;
}

const flg_plugin_shape *flg_plugged_subsystem_shapes(const flg_plugged_subsystem *plugin,
                                                     int *count) {
  *count = plugin->shape_count;
  return plugin->shapes;
}
