/* scenario.h - what a scenario file says: which systems run, for how long, and what is recorded. */
#ifndef FLG_SCENARIO_H
#define FLG_SCENARIO_H

#include "io/schema.h"

typedef struct flg_time_keys {
  flg_origin origin;
  double end;   /* [s] */
  double macro; /* communication and output interval [s] */
} flg_time_keys;

typedef struct flg_subsystem_keys {
  flg_origin origin; /* name: of the subsystem */
  const char *model; /* file */
  double step;       /* [s], NaN: the macro step */
  int integrator;    /* index into flg_integrators */
  double gravity[3]; /* [m/s^2], NaNs: that of the scenario */
  flg_items initial; /* of flg_value: positions by joint */
  flg_items initial_velocity;
} flg_subsystem_keys;

typedef struct flg_scenario {
  flg_origin origin;
  int version;
  const char *name;
  double gravity[3];
  flg_time_keys time;
  flg_items subsystems; /* of flg_subsystem_keys */
  flg_texts record;     /* signals */
} flg_scenario;

/* The keys of a scenario file. */
extern const flg_section flg_scenario_section;

/* Reads a scenario with overrides `key.key=value`; texts and arrays lie in the region. */
void flg_scenario_read(flg_scenario *scenario, const char *path, const char *const *overrides,
                       int override_count, flg_region *region, flg_mistakes *mistakes);

#endif
