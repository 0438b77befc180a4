/* build.h - a mechanism as calls of the library, in place of files. */
#ifndef FLG_GENERATE_BUILD_H
#define FLG_GENERATE_BUILD_H

#include "flange/simulation.h"
#include "mechanism.h"

/* As flg_simulation_load does with the files of the mechanism. */
flg_status build_by_calls(const mechanism *machine, flg_simulation **simulation,
                          flg_mistakes *mistakes);

#endif
