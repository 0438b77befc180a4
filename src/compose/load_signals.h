/* load_signals.h - what a scenario records: names, and patterns that stand for several. */
#ifndef FLG_LOAD_SIGNALS_H
#define FLG_LOAD_SIGNALS_H

#include "compose/scenario.h"
#include "cosim/simulation.h"

/* Set-up: finds all signals that the scenario records, each once. */
void flg_load_signals(flg_simulation *simulation, const flg_scenario *scenario,
                      flg_mistakes *mistakes);

#endif
