/* events.h - the events of a scenario, bound to the subsystems that they are about. */
#ifndef FLG_COMPOSE_EVENTS_H
#define FLG_COMPOSE_EVENTS_H

#include "compose/robots.h"
#include "cosim/simulation.h"

/* Fills the simulation's events, sorted by time. */
void flg_compose_events(const flg_loader *loader, flg_simulation *simulation);

#endif
