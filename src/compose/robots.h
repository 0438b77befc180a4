/* robots.h - a robot with its controllers and forces, from what the scenario says of it. */
#ifndef FLG_COMPOSE_ROBOTS_H
#define FLG_COMPOSE_ROBOTS_H

#include "base/notices.h"
#include "define/scenario.h"
#include "define/source.h"
#include "robot/robot_subsystem.h"

/* where what is read goes, and what is wrong with it */
typedef struct flg_loader {
  const flg_scenario *scenario;
  flg_source source;                 /* of the files that it names */
  const struct flg_weld_list *welds; /* of its events (compose/welds.h); NULL: none */
  flg_name_index subsystem_names, interface_names;
  flg_region *region;
  flg_mistakes *mistakes;
  flg_notices *notices; /* what the user should know besides; may be NULL */
  bool undriven;   /* controllers keep their names and do nothing; their files need not exist */
  bool assemble;   /* joints that are open at the start are closed */
  bool apart;      /* interfaces are not closed at the start */
  bool unreduced;  /* bodies that joints fix to each other stay on their own */
  bool compiles;   /* all subsystems that can be are compiled, whatever they say */
  bool stepless;   /* there is no scenario that says how long steps are */
  bool is_coupled; /* subsystems are joined by a coupling, not solved as one ... */
  bool leaps;      /* ... which closes contacts in kicks at the middle of steps (macro_leap.c) */
} flg_loader;

/* A mistake if there was no memory for something in the region: what has holes is not used. */
void flg_compose_check_memory(const flg_loader *loader);
/* The moving joint of a name, or -1 with a mistake. */
int flg_compose_joint(const flg_loader *loader, const flg_robot_subsystem *subsystem,
                      const char *name, flg_place place);
/* Positions (else velocities) of flg_value items by joint, into q (or v). */
void flg_compose_values(const flg_loader *loader, const flg_robot_subsystem *subsystem,
                        const flg_items *items, bool positions, double *to);
/* Reads the model and builds the robot, ready to run; its memory is in the region. Outlets: where
 * others will be joined to it. */
void flg_compose_robot(const flg_loader *loader, const flg_subsystem_keys *keys,
                       const flg_anchor *outer_ports, int outer_port_count,
                       flg_subsystem *subsystem);
/* Builds a robot from a model that was read, ready to run. */
void flg_compose_robot_model(const flg_loader *loader, const flg_subsystem_keys *keys,
                             const flg_model *model, flg_robot_subsystem *robot);
/* One controller; q: the initial positions. */
void flg_compose_controller(const flg_loader *loader, const flg_controller_keys *keys,
                            const flg_robot_subsystem *subsystem, const double *q,
                            flg_controller *controller);
/* The joints of a trajectory file and, as its curve, the spline through their positions: what a
 * controller with that file would follow. */
void flg_compose_followed(const flg_loader *loader, const char *path,
                          const flg_robot_subsystem *subsystem, flg_controller *followed);

#endif
