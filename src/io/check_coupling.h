/* check_coupling.h - what a scenario says of couplings, looked at before anything is built with it.
 */
#ifndef FLG_CHECK_COUPLING_H
#define FLG_CHECK_COUPLING_H

#include "coupling/coupling.h"
#include "io/compared_coupling.h"

/* True if these characters are the name of a scheme. */
bool flg_is_scheme(const char *name, size_t length);
/* The word for a scheme as it is known, or NULL with a mistake and the closest one. */
const char *flg_check_scheme(const char *name, flg_place place, flg_mistakes *mistakes);
/* Names that no run depends on, but a comparison: those under `order` and `compare`. */
void flg_check_couplings(const flg_scenario *scenario, flg_region *region, flg_mistakes *mistakes);
/* One entry of what a comparison runs, from the scenario or the command line; false with mistakes.
 */
bool flg_check_compared(const flg_scenario *scenario, const flg_origin *entry,
                        flg_compared_coupling *coupling, flg_region *region,
                        flg_mistakes *mistakes);
/* The step of the reference of a comparison [s], if the shortest macro step is this. */
double flg_check_reference_step(const flg_scenario *scenario, double shortest);
/* Macro steps (count, from long to short) of a comparison: the shortest divides all, each is a
 * whole number of all micro steps and divides the time. Mistakes name the nearest that are. */
void flg_check_macros(const flg_scenario *scenario, const double *macros, int count,
                      flg_place place, flg_mistakes *mistakes);

#endif
