/* recorded_signals.h - what a scenario records: names, and patterns that stand for several. */
#ifndef FLG_COMPOSE_RECORDED_SIGNALS_H
#define FLG_COMPOSE_RECORDED_SIGNALS_H

#include "cosim/simulation.h"
#include "define/scenario.h"

/* Set-up: false with a mistake where there are more patterns than are read. */
bool flg_compose_check_record(const flg_scenario *scenario, flg_mistakes *mistakes);
/* Set-up: finds all signals that the scenario records, each once. */
void flg_compose_signals(flg_simulation *simulation, const flg_scenario *scenario,
                         flg_mistakes *mistakes);

/* (joints) Whether the scenario records the force or moment of a joint of a component; prefix: what
 * comes before their names. NULL without memory. */
bool *flg_compose_asked(const flg_scenario *scenario, const flg_component *component,
                        const char *prefix, flg_region *region);

#endif
