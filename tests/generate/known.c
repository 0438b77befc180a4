/* What is known to fail today. Each line names the defect; lines go as defects are mended. */
#include "checks.h"

const known_seed SEEDS[] = {
    {59, "scaled", "which redundant rows of a co-simulated ring count depends on units"},
};
const int SEED_COUNT = (int)(sizeof SEEDS / sizeof *SEEDS);
