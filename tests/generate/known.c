/* What is known to fail today. Each line names the defect; lines go as defects are mended. */
#include "checks.h"

static const char SOFT[] =
    "springs, friction and stops of interfaces act only where all is solved as one";
static const char MANY[] = "several subsystems that touch creep or fail";
static const char RING[] = "rings of subsystems err by much at long macro steps";
static const char EVENT[] = "events in co-simulated runs";

const known_defect KNOWN[] = {
    {NULL, HAS_COSIMULATION | HAS_SOFT_CUT, SOFT},
    {NULL, HAS_COSIMULATION | HAS_MANY_TOUCH, MANY},
    {NULL, HAS_COSIMULATION | HAS_CUT_LOOP, RING},
    {NULL, HAS_COSIMULATION | HAS_EVENT, EVENT},
    {"coupled", HAS_COSIMULATION | HAS_DRIVE, "drives in co-simulated runs"},
    {"momentum", HAS_ROBOT, "the default steps of robots are of order 1"},
    {"scaled", HAS_CONTACT, "contacts have lengths of their own, in metres"},
};
const int KNOWN_COUNT = (int)(sizeof KNOWN / sizeof *KNOWN);

const known_seed SEEDS[] = {
    {8, "renamed", "bouncing stops and backlash: the order of joints decides"},
    {373, "renamed", "bouncing stops and contacts: the order of joints decides"},
    {751, NULL, "a hinge with a stiff spring on 1e-6 of the mass cannot be closed"},
    {799, NULL, "stops and a weld"},
    {838, "renamed", "contacts and a soft interface, solved as one"},
    {861, "resume", "friction of joints in a co-simulated run"},
    {965, NULL, "a weld that comes and goes"},
};
const int SEED_COUNT = (int)(sizeof SEEDS / sizeof *SEEDS);
