/* recorded_signals.h - what a scenario records: names, and patterns that stand for several. */
#ifndef FLG_COMPOSE_RECORDED_SIGNALS_H
#define FLG_COMPOSE_RECORDED_SIGNALS_H

#include "cosim/simulation.h"
#include "define/scenario.h"

/* Set-up: finds all signals that the scenario records, each once. */
void flg_compose_signals(flg_simulation *simulation, const flg_scenario *scenario,
                         flg_mistakes *mistakes);

#endif
