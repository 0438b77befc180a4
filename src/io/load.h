/* load.h - simulations from scenario files, for uses other than a run. */
#ifndef FLG_LOAD_H
#define FLG_LOAD_H

#include "compose/compose.h"
#include "compose/pressures.h"
#include "text/node.h"

/* A tree that stands for a file. */
typedef struct flg_file_node {
  const char *path;
  const flg_node *root;
} flg_file_node;

typedef struct flg_load_options {
  flg_compose_options compose;
  const char *text;           /* of the scenario, in place of the file; NULL: it is read */
  size_t length;              /* of the text */
  const flg_node *root;       /* what the text says, as a tree; NULL: it is parsed */
  const flg_file_node *files; /* (file_count) models and components in place of files */
  int file_count;
  bool compare;   /* what only a comparison would find is checked, too */
  bool component; /* the file of a component will do: it stands alone, without gravity */
} flg_load_options;

/* The scenario alone, from the same sources. */
void flg_scenario_load_as(flg_scenario *scenario, const char *path, const char *const *overrides,
                          int override_count, const flg_load_options *options, flg_region *region,
                          flg_mistakes *mistakes);
/* As flg_simulation_load. */
flg_status flg_simulation_load_as(flg_simulation **simulation, const char *path,
                                  const char *const *overrides, int override_count,
                                  flg_load_options options, flg_mistakes *mistakes);
/* True if a file is that of a component; false if it cannot be read. A lack of memory is a mistake,
 * all others are left to the readers of the file. */
bool flg_file_is_component(const char *path, flg_region *region, flg_mistakes *mistakes);
/* The inputs of a controller of the robot that follows a trajectory file: its joints, and the
 * spline through their positions, in the simulation's region. */
void flg_followed_load(flg_controller *followed, flg_simulation *simulation, const char *path,
                       const flg_robot_subsystem *subsystem, flg_mistakes *mistakes);
/* Forces in place of contacts, from a CSV file; in the simulation's region. */
void flg_pressures_load(flg_pressures *pressures, flg_simulation *simulation, const char *path,
                        const flg_assembly *assembly, flg_mistakes *mistakes);

#endif
