/* What is known to fail today. Each line names the defect; lines go as defects are mended. */
#include "checks.h"

const known_defect KNOWN[] = {
    {"coupled", HAS_COSIMULATION | HAS_STOPS,
     "stops inside of a subsystem throw back that subsystem alone, not all that is joined to it"},
    {"momentum", HAS_ROBOT, "the default steps of robots are of order 1"},
};
const int KNOWN_COUNT = (int)(sizeof KNOWN / sizeof *KNOWN);

const known_seed SEEDS[] = {
    {8, "renamed", "bouncing stops and backlash: when factors are renewed decides"},
    {373, NULL, "heavy bodies on light joints: when factors are renewed decides"},
    {372, "scaled", "steps of a robot on the ground end where a sum of m and rad is small"},
    {445, "turned", "hits of three bodies with friction are solved to 1e-8, and it grows"},
    {965, NULL,
     "light links that stretch under heavy ones within a step: how they are named decides"},
    {751, NULL, "a hinge with a stiff spring on 1e-6 of the mass cannot be closed"},
    {650, "renamed", "bouncing stops in co-simulated subsystems: the order of ends decides"},
    {59, "scaled", "a stop inside of a co-simulated subsystem, on the edge between two steps"},
    {618, "energy", "nothing moves: all energy is rounding"},
};
const int SEED_COUNT = (int)(sizeof SEEDS / sizeof *SEEDS);
