/* coupling_options.h - options of a coupling that its scheme does not use. */
#ifndef FLG_COMPOSE_COUPLING_OPTIONS_H
#define FLG_COMPOSE_COUPLING_OPTIONS_H

#include "compose/robots.h"

/* Adds a notice for each that the scenario gives, with the schemes that use it, or one for all
 * where there are no interfaces. */
void flg_compose_tell_unused(const flg_loader *loader);

#endif
