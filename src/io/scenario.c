#include "io/scenario.h"

#include "dynamics/integrator.h"
#include "io/document.h"

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

static const flg_field time_fields[] = {
    {"end", FLG_FIELD_NUMBER, offsetof(flg_time_keys, end), "when the simulation ends", true,
     .range = FLG_RANGE_POSITIVE, .unit = "s"},
    {"macro", FLG_FIELD_NUMBER, offsetof(flg_time_keys, macro),
     "interval of communication and of output; divides the end evenly", .range = FLG_RANGE_POSITIVE,
     .unit = "s", .fallback = "1/60"},
};
static const flg_section time_section = {"time section", "How long, and in which steps.",
                                         sizeof(flg_time_keys), time_fields, COUNT(time_fields)};

static const flg_field subsystem_fields[] = {
    {"model", FLG_FIELD_FILE, offsetof(flg_subsystem_keys, model), "its model file", true},
    {"step", FLG_FIELD_NUMBER, offsetof(flg_subsystem_keys, step),
     "its own micro step, which divides the macro step evenly; the macro step if absent",
     .range = FLG_RANGE_POSITIVE, .unit = "s"},
    {"integrator", FLG_FIELD_CHOICE, offsetof(flg_subsystem_keys, integrator),
     "semi-implicit: Euler, order 1, keeps energy bounded; rk4: Runge-Kutta, order 4",
     .choices = flg_integrator_names, .fallback = "semi-implicit"},
    {"gravity", FLG_FIELD_VECTOR, offsetof(flg_subsystem_keys, gravity),
     "its own gravity, if it differs from that of the scenario", .size = 3, .unit = "m/s^2"},
    {"initial", FLG_FIELD_VALUES, offsetof(flg_subsystem_keys, initial),
     "positions at the start by joint, rad or m; 0 for those that are not named"},
    {"initial_velocity", FLG_FIELD_VALUES, offsetof(flg_subsystem_keys, initial_velocity),
     "velocities at the start by joint, rad/s or m/s"},
};
static const flg_section subsystem_section = {
    "subsystem", "A part with a model, a state and a step of its own.", sizeof(flg_subsystem_keys),
    subsystem_fields, COUNT(subsystem_fields)};

static const flg_field scenario_fields[] = {
    {"flange", FLG_FIELD_INTEGER, offsetof(flg_scenario, version), "version of the format", true,
     .range = FLG_RANGE_BETWEEN, .least = 1, .most = 1},
    {"name", FLG_FIELD_TEXT, offsetof(flg_scenario, name), "for people; stored in the results"},
    {"gravity", FLG_FIELD_VECTOR, offsetof(flg_scenario, gravity), "in world axes", .size = 3,
     .unit = "m/s^2", .fallback = "[0, 0, -9.81]"},
    {"time", FLG_FIELD_SECTION, offsetof(flg_scenario, time), "how long, and in which steps", true,
     .section = &time_section},
    {"subsystems", FLG_FIELD_MAP, offsetof(flg_scenario, subsystems), "the parts by name", true,
     .size = 1, .section = &subsystem_section},
    {"record", FLG_FIELD_TEXTS, offsetof(flg_scenario, record),
     "signals: sub/body.position, sub/body.orientation, sub/body.velocity, "
     "sub/body/marker.position, sub/joint.position, sub/joint.velocity, sub/energy"},
};
const flg_section flg_scenario_section = {
    "scenario",
    "A scenario file says which parts are simulated, for how long, and what is recorded. "
    "`include: other.yaml` adds the keys of another file.",
    sizeof(flg_scenario), scenario_fields, COUNT(scenario_fields)};

void flg_scenario_read(flg_scenario *scenario, const char *path, const char *const *overrides,
                       int override_count, flg_region *region, flg_mistakes *mistakes) {
  const flg_node *root =
      flg_document_read(region, path, (flg_place){0}, overrides, override_count, mistakes);
  if (root == NULL) return;
  flg_schema_read(&flg_scenario_section, root, scenario, region, mistakes);
  if (scenario->name == NULL) scenario->name = path;
}
