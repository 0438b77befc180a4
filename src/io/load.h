/* load.h - simulations from scenario files, for those who do something else with them than run. */
#ifndef FLG_LOAD_H
#define FLG_LOAD_H

#include "cosim/simulation.h"
#include "subsystem/assembly.h"

typedef struct flg_load_options {
  bool undriven;  /* controllers do nothing, and the files that they name need not be there: it may
                     be them that are about to be made */
  bool assemble;  /* joints that are open at the start are closed */
  bool apart;     /* subsystems that interfaces join are not solved as one, whatever the scheme */
  bool compare;   /* what only a comparison would find is checked, too */
  bool component; /* the file of a component will do: it stands alone, without gravity */
} flg_load_options;

/* As flg_simulation_load. */
flg_status flg_simulation_load_as(flg_simulation **simulation, const char *path,
                                  const char *const *overrides, int override_count,
                                  flg_load_options options, flg_mistakes *mistakes);
/* The subsystem of a name, which is a robot; NULL for a name: the only one. NULL with a mistake if
 * there is none, or if it is something else. */
flg_subsystem *flg_load_subsystem(const flg_simulation *simulation, const char *name,
                                  flg_place place, flg_mistakes *mistakes);

/* A robot that is a subsystem of the scenario, and where it runs. */
typedef struct flg_follower {
  int subsystem;          /* of the simulation */
  flg_assembly *assembly; /* that this is, if it was joined to others; else NULL */
  int robot;              /* of the assembly */
  flg_robot_subsystem *subject;
} flg_follower;

/* The same, of robots on their own and of those that are solved as one with others. false with a
 * mistake. */
bool flg_load_follower(const flg_simulation *simulation, const char *name, flg_place place,
                       flg_follower *found, flg_mistakes *mistakes);

#endif
