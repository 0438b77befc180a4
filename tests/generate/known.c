/* What is known to fail today. Each line names the defect; lines go as defects are mended. */
#include "checks.h"

const known_seed SEEDS[] = {
    {0, "none", "seeds start at 1: there is nothing today"},
};
const int SEED_COUNT = (int)(sizeof SEEDS / sizeof *SEEDS);
