/* load_events.h - the events of a scenario, bound to the subsystems that they are about. */
#ifndef FLG_LOAD_EVENTS_H
#define FLG_LOAD_EVENTS_H

#include "compose/load_robot.h"
#include "cosim/simulation.h"

/* Fills the simulation's events, sorted by time. */
void flg_load_events(const flg_loader *loader, flg_simulation *simulation);

#endif
