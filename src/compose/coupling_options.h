/* coupling_options.h - what options of a coupling mean to its scheme, and which it does not use. */
#ifndef FLG_COMPOSE_COUPLING_OPTIONS_H
#define FLG_COMPOSE_COUPLING_OPTIONS_H

#include "compose/robots.h"

/* Adds a notice for each that the scenario gives, with the schemes that use it, or one for all
 * where there are no interfaces. */
void flg_compose_tell_unused(const flg_loader *loader);
/* True if subsystems that can touch may have their forces in kicks (macro/macro_leap.c). */
bool flg_compose_leaps(const flg_coupling_keys *keys);

#endif
