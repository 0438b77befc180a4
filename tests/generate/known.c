/* What is known to fail today. Each line names the defect; lines go as defects are mended. */
#include "checks.h"

const known_defect KNOWN[] = {
    {"momentum", HAS_ROBOT | HAS_SEMI_IMPLICIT,
     "semi-implicit steps in joint coordinates keep momentum to order 1 alone"},
};
const int KNOWN_COUNT = (int)(sizeof KNOWN / sizeof *KNOWN);

const known_seed SEEDS[] = {
    {59, "coupled", "a stop inside of a subsystem throws back that subsystem alone"},
    {219, "coupled", "the same"},
    {59, "scaled", "which redundant rows of a co-simulated ring count depends on units"},
    {127, "momentum", "a co-simulated robot that floats, in leapfrog steps"},
    {395, "momentum", "the same"},
};
const int SEED_COUNT = (int)(sizeof SEEDS / sizeof *SEEDS);
