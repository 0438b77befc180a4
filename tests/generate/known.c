/* What is known to fail today. Each line names the defect; lines go as defects are mended. */
#include "checks.h"

const known_defect KNOWN[] = {
    {"momentum", HAS_ROBOT | HAS_SEMI_IMPLICIT,
     "semi-implicit steps in joint coordinates keep momentum to order 1 alone"},
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
    {59, "coupled", "a stop inside of a subsystem throws back that subsystem alone"},
    {219, "coupled", "the same"},
    {127, "momentum", "a co-simulated robot that floats, in leapfrog steps"},
    {395, "momentum", "the same"},
    {59, "scaled", "a stop inside of a co-simulated subsystem, on the edge between two steps"},
    {618, "energy", "nothing moves: all energy is rounding"},
};
const int SEED_COUNT = (int)(sizeof SEEDS / sizeof *SEEDS);
