/* compose.h - from definitions to a system that is ready to run: names resolved, interfaces closed,
 * start poses found. Files, programs and other languages all come through here.
 */
#ifndef FLG_COMPOSE_H
#define FLG_COMPOSE_H

#include "assembly/assembly.h"
#include "cosim/simulation.h"
#include "define/scenario.h"
#include "define/source.h"
#include "robot/robot_subsystem.h"

typedef struct flg_compose_options {
  bool undriven;  /* controllers do nothing, and the files that they name need not be there: it may
                     be them that are about to be made */
  bool assemble;  /* joints that are open at the start are closed */
  bool unreduced; /* bodies that joints fix to each other stay on their own, whatever `reduce` says
                   */
  bool compiles;  /* all subsystems that can be are compiled (compiled.h) */
  bool stepless; /* the steps are made up, since a component was read without a scenario: nothing is
                    reported of steps that are too long */
  bool other_scheme; /* than the scenario's: options that it does not use are not reported */
  bool apart; /* subsystems that interfaces join are not solved as one, whatever the scheme */
} flg_compose_options;

/* Set-up: fills an empty simulation with all that the scenario defines; its memory is in the
 * simulation's region, and the scenario must lie there, too. All that is wrong goes to mistakes. */
void flg_compose(flg_simulation *simulation, const flg_scenario *scenario, flg_source source,
                 flg_compose_options options, flg_mistakes *mistakes);

/* The subsystem of a name, which is a robot; NULL for a name: the only one. NULL with a mistake if
 * there is none, or if it is something else. */
flg_subsystem *flg_compose_subsystem(const flg_simulation *simulation, const char *name,
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
bool flg_compose_follower(const flg_simulation *simulation, const char *name, flg_place place,
                          flg_follower *found, flg_mistakes *mistakes);

#endif
