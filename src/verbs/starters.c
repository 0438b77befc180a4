#include "verbs/starters.h"

#include <stddef.h>

/* --- pendulum ------------------------------------------------------------------------------------
 */

static const char pendulum_scenario[] =
    "# A double pendulum that falls. Run it: flange run pendulum.yaml -o pendulum.h5\n"
    "flange: 1                          # version of the format\n"
    "name: pendulum\n"
    "gravity: [0, 0, -9.81]             # m/s^2; SI units everywhere\n"
    "time: {end: 5, macro: 1/100}       # 5 s, a row of results every 10 ms\n"
    "\n"
    "subsystems:\n"
    "  pendulum:\n"
    "    model: models/pendulum.yaml\n"
    "    step: 1/1000                   # divides the macro step evenly\n"
    "    initial: {shoulder: 30 deg}    # joints that are not named start at 0\n"
    "\n"
    "record:                            # 'flange check --signals pendulum.yaml' lists all\n"
    "  - pendulum/*.position\n"
    "  - pendulum/energy\n";

static const char pendulum_model[] =
    "# Two links, with the joints that hold them. Frames of bodies lie in their joints.\n"
    "flange-model: 1\n"
    "bodies:\n"
    "  upper:\n"
    "    mass: 1                        # kg\n"
    "    centre: [0.5, 0, 0]            # of mass, m\n"
    "    inertia: [0.001, 0.084, 0.084] # about the centre, kg m^2\n"
    "    shapes: [{kind: capsule, size: [0.04, 1], at: [0.5, 0, 0], turn: [0, 90 deg, 0]}]\n"
    "  lower:\n"
    "    mass: 1\n"
    "    centre: [0.5, 0, 0]\n"
    "    inertia: [0.001, 0.084, 0.084]\n"
    "    shapes: [{kind: capsule, size: [0.03, 1], at: [0.5, 0, 0], turn: [0, 90 deg, 0]}]\n"
    "joints:                            # without a parent: on the ground\n"
    "  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [1, 0, 0], axis: [0, 1, 0]}\n"
    "markers:                           # points to record or to join\n"
    "  tip: {body: lower, at: [1, 0, 0]}\n";

/* --- arm -----------------------------------------------------------------------------------------
 */

static const char arm_model[] =
    "# Three joints: base about z, shoulder and elbow about y. A URDF file can stand in its "
    "place.\n"
    "flange-model: 1\n"
    "bodies:\n"
    "  column:\n"
    "    mass: 4\n"
    "    centre: [0, 0, 0.2]\n"
    "    inertia: [0.06, 0.06, 0.02]\n"
    "    shapes: [{kind: cylinder, size: [0.08, 0.4], at: [0, 0, 0.2]}]   # what reports draw\n"
    "  upper:\n"
    "    mass: 3\n"
    "    centre: [0.25, 0, 0]\n"
    "    inertia: [0.004, 0.065, 0.065]\n"
    "    shapes: [{kind: capsule, size: [0.05, 0.5], at: [0.25, 0, 0], turn: [0, 90 deg, 0]}]\n"
    "  lower:\n"
    "    mass: 2\n"
    "    centre: [0.2, 0, 0]\n"
    "    inertia: [0.002, 0.028, 0.028]\n"
    "    shapes: [{kind: capsule, size: [0.04, 0.4], at: [0.2, 0, 0], turn: [0, 90 deg, 0]}]\n"
    "joints:\n"
    "  base: {kind: revolute, child: column, axis: [0, 0, 1], damping: 0.5}\n"
    "  shoulder:\n"
    "    {kind: revolute, parent: column, child: upper, at: [0, 0, 0.4], axis: [0, 1, 0], "
    "damping: 0.5,\n"
    "     limits: {lower: -120 deg, upper: 120 deg, effort: 100}}   # effort: N m at most\n"
    "  elbow:\n"
    "    {kind: revolute, parent: upper, child: lower, at: [0.5, 0, 0], axis: [0, 1, 0], "
    "damping: 0.2,\n"
    "     limits: {lower: -150 deg, upper: 150 deg, effort: 60}}\n"
    "ports:                             # where other parts are joined, and tools sit\n"
    "  tool: {body: lower, at: [0.4, 0, 0]}\n";

static const char arm_scenario[] =
    "# An arm that moves between poses under control. Run it: flange run arm.yaml -o arm.h5\n"
    "flange: 1\n"
    "name: arm\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {end: 4, macro: 1/100}\n"
    "\n"
    "subsystems:\n"
    "  arm:\n"
    "    model: models/arm.yaml         # or a robot: model: my-robot.urdf\n"
    "    step: 1/1000\n"
    "    initial: {shoulder: -60 deg, elbow: 90 deg}\n"
    "    controllers:\n"
    "      hold:\n"
    "        kind: computed-torque      # knows the model; 'pd' does not\n"
    "        sample: 1/500              # s between two samples\n"
    "        frequency: 10              # rad/s, of what is left of an error\n"
    "        points:                    # joints in the order of the model\n"
    "          - {at: 0, position: [0, -60 deg, 90 deg]}\n"
    "          - {at: 1.5, position: [45 deg, -30 deg, 60 deg]}\n"
    "          - {at: 2, position: [45 deg, -30 deg, 60 deg]}\n"
    "          - {at: 3.5, position: [0, -60 deg, 90 deg]}\n"
    "\n"
    "record:\n"
    "  - arm/*.position                 # of all joints, bodies and ports\n"
    "  - arm/base.effort\n"
    "  - arm/shoulder.effort\n"
    "  - arm/energy\n";

/* --- coupled -------------------------------------------------------------------------------------
 */

static const char coupled_scenario[] =
    "# An arm and a payload, modelled apart, joined by an interface, each with its own step.\n"
    "#   flange run coupled.yaml -o coupled.h5       co-simulated as `coupling` says\n"
    "#   flange compare coupled.yaml                 what each coupling costs in accuracy and "
    "time\n"
    "flange: 1\n"
    "name: coupled\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {end: 2, macro: 1/60}        # subsystems exchange models of each other at 60 Hz\n"
    "\n"
    "subsystems:\n"
    "  arm:\n"
    "    model: models/arm.yaml\n"
    "    step: 1/480\n"
    "    initial: {shoulder: -60 deg, elbow: 90 deg}\n"
    "    limits: ignored                # it falls and swings; 'enforced' keeps joints in range\n"
    "  payload:\n"
    "    model: models/payload.yaml\n"
    "    step: 1/480\n"
    "    assemble: true                 # put it where its port meets the arm's\n"
    "\n"
    "interfaces:\n"
    "  wrist: {between: [arm/tool, payload/handle], joint: fixed}\n"
    "\n"
    "coupling: {scheme: sequential}     # or monolithic: as one, exactly; parallel\n"
    "\n"
    "record: [payload/box.position, arm/elbow.position, wrist.force]\n"
    "\n"
    "compare: {couplings: [sequential, parallel], macro: [1/60, 1/120, 1/240]}\n";

static const char payload_model[] =
    "# A component: bodies where they are at the start, joints between them, ports to the "
    "outside.\n"
    "flange-component: 1\n"
    "bodies:\n"
    "  box:\n"
    "    mass: 1.5\n"
    "    inertia: [0.01, 0.01, 0.01]\n"
    "    at: [0.1, 0, 0]                # its centre of mass is its origin\n"
    "    shapes: [{kind: box, size: [0.2, 0.15, 0.15]}]\n"
    "ports:\n"
    "  handle: {body: box, at: [-0.1, 0, 0]}\n";

const flg_starter flg_starters[] = {
    {"pendulum",
     "a double pendulum that falls",
     {{"pendulum.yaml", pendulum_scenario}, {"models/pendulum.yaml", pendulum_model}},
     "flange report pendulum.h5 -o pendulum.html"},
    {"arm",
     "an arm with three joints that moves between poses under control",
     {{"arm.yaml", arm_scenario}, {"models/arm.yaml", arm_model}},
     "flange report arm.h5 -o arm.html"},
    {"coupled",
     "an arm and a payload, modelled apart and joined by an interface",
     {{"coupled.yaml", coupled_scenario},
      {"models/arm.yaml", arm_model},
      {"models/payload.yaml", payload_model}},
     "flange compare coupled.yaml"},
    {NULL, NULL, {{NULL, NULL}}, NULL},
};
