/* All that interfaces join is one assembly (compose/assemblies.h): there is nothing to couple.
 */
#include "coupling/scheme.h"

const flg_coupling_scheme flg_coupling_monolithic = {
    .name = "monolithic",
    .help = "all that interfaces join is solved as one, exactly",
    .is_whole = true};
