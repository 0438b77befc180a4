/* making.h - an assembly made of a component: robots are loaded, joints closed at the start, and
 * coordinates and springs chosen for its steps. Set-up only; mistakes tell what fails. */
#ifndef FLG_COMPOSE_MAKING_H
#define FLG_COMPOSE_MAKING_H

#include "component/assembly_start.h"
#include "compose/robots.h"

/* what a whole is made with, besides its component */
typedef struct flg_making {
  const flg_loader *loader;
  flg_origin origin;
  flg_assembly_options options;
  flg_contacts_options contacts;
  bool assemble;
  flg_coordinates coordinates;
  flg_start_options start;
  bool joined; /* all subsystems are in it, each under its name; else one of them, and no name */
  const flg_component *component;
  flg_robot_subsystem *robots;
  double step;           /* [s]; 0: it takes none */
  int classes;           /* of stiff springs that were found so far */
  flg_subsystem *loaded; /* plug-ins, by the number of their subsystem; NULL: none */
} flg_making;

/* Of a subsystem: its own gravity, or that of the scenario; of a group among those that are joined:
 * that of the subsystem around it. */
flg_vec3 flg_compose_gravity(const flg_loader *loader, const flg_subsystem_keys *keys);
flg_vec3 flg_compose_gravity_around(const flg_loader *loader, const flg_component *component,
                                    int group);
/* The welds of its events, into the options; false with mistakes. */
bool flg_making_welds(flg_making *make);
/* The subsystem, in the coordinates that were asked for, or in those that are cheaper. */
void flg_making_run(flg_making *make, flg_subsystem *subsystem);
/* True if the assembly has springs that are stiff for its steps: it is released, and to be made
 * again with these as rows. */
bool flg_making_is_stiff(flg_making *make, flg_subsystem *subsystem);
/* Generated code for its steps, where it is wanted. keys: of one subsystem; NULL: of all. */
void flg_making_compile(const flg_making *make, const flg_subsystem_keys *keys,
                        const flg_subsystem *subsystem);

#endif
