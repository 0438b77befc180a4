/* signal_list.h - all signals that a simulation can record, and patterns that stand for several.
 *
 *     arm*.position    '*' stands for any letters, also for none and for slashes
 *     *.energy         a dot before the last word also matches arm/energy
 *     all              everything
 *
 * An object that has several names (marker and body/marker) is listed once, by the longer one.
 * Patterns leave out macro.wall_time, which is another at each run.
 */
#ifndef FLG_SIGNAL_LIST_H
#define FLG_SIGNAL_LIST_H

#include "base/growing.h"
#include "flange/simulation.h"

/* Set-up: flg_signal of all, subsystems first, then interfaces and the clock. Memory that is
 * missing leaves region->failed. */
flg_growing flg_signal_list(const flg_simulation *simulation, flg_region *region);
/* True if a name of `record` is a pattern. */
bool flg_signal_is_pattern(const char *name);
/* True if the pattern stands for a signal of that name. */
bool flg_signal_matches(const char *pattern, const char *name);

#endif
