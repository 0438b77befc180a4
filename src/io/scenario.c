#include "io/scenario.h"

#include "control/controller.h"
#include "coupling/coupling.h"
#include "io/flexible_keys.h"
#include "text/document.h"

static const flg_field time_fields[] = {
    FLG_KEY(flg_time_keys, end, NUMBER, "when the simulation ends", true,
            .range = FLG_RANGE_POSITIVE, .unit = "s"),
    FLG_KEY(flg_time_keys, macro, NUMBER,
            "interval of communication and of output; divides the end evenly",
            .range = FLG_RANGE_POSITIVE, .unit = "s", .fallback = "1/60"),
};
static const flg_section time_section =
    FLG_SECTION("time section", flg_time_keys, time_fields, "How long, and in which steps.",
                "{end: 10, macro: 1/60}");

static const flg_field point_fields[] = {
    FLG_KEY(flg_point_keys, at, NUMBER, "when", true, .unit = "s"),
    FLG_KEY(flg_point_keys, position, NUMBERS,
            "where, a number for each joint of the controller, rad or m", true),
};
static const flg_section point_section =
    FLG_SECTION("point", flg_point_keys, point_fields,
                "A point of a trajectory. Between two points every joint moves by a quintic, from "
                "rest to rest.",
                "{at: 1, position: [0.5, 0]}");

static const flg_field payload_fields[] = {
    FLG_KEY(flg_payload_keys, body, TEXT, "of the robot that carries it"),
    FLG_KEY(flg_payload_keys, mass, NUMBER, "how much", .range = FLG_RANGE_NOT_NEGATIVE,
            .unit = "kg", .fallback = "0"),
    FLG_KEY(flg_payload_keys, centre, VECTOR, "of mass, in the body's frame", .size = 3,
            .unit = "m", .fallback = "[0, 0, 0]"),
    FLG_KEY(flg_payload_keys, inertia, NUMBERS,
            "about that centre in the body's axes: xx, yy, zz, or xy, xz, yz besides; 0 if absent",
            .unit = "kg m^2"),
};
static const flg_section payload_section =
    FLG_SECTION("payload", flg_payload_keys, payload_fields,
                "What a robot carries besides its own links, as far as a controller knows.",
                "{body: tool, mass: 2}");

#define CONTROLLER_WORD(kind, name) name,
static const char *const controller_words[] = {FLG_CONTROLLER_LIST(CONTROLLER_WORD) NULL};
static const char *const interpolation_words[] = {"held", "linear", "spline", NULL};

static const flg_field controller_fields[] = {
    FLG_KEY(flg_controller_keys, kind, CHOICE,
            "table: forces from a file; pd: stiffness and damping about a trajectory; "
            "computed-torque: inverse dynamics with feedback; force: what pushes with a force at a "
            "point of a body; feed-forward: inverse dynamics of the trajectory as if nothing bent, "
            "and feedback by what drives feel at once, for flexible robots; gravity: holds the "
            "robot up; plugin: from a shared library of your own",
            true, .choices = controller_words),
    FLG_KEY(flg_controller_keys, enabled, FLAG, "from the start; events switch it",
            .fallback = "true"),
    FLG_KEY(flg_controller_keys, sample, NUMBER,
            "period, a whole number of steps: it computes at multiples of it and holds in between; "
            "0: it is continuous",
            .range = FLG_RANGE_NOT_NEGATIVE, .unit = "s", .fallback = "0"),
    FLG_KEY(flg_controller_keys, joints, TEXTS,
            "those that it drives, each with one coordinate; if absent: the columns of the file, "
            "or all"),
    FLG_KEY(flg_controller_keys, file, FILE,
            "CSV with a column time and one for each joint: forces of a table, positions of a "
            "trajectory"),
    FLG_KEY(flg_controller_keys, interpolation, CHOICE,
            "between the rows of the file; a trajectory is always a spline, from rest to rest",
            .choices = interpolation_words, .fallback = "held"),
    FLG_KEY(flg_controller_keys, points, LIST,
            "trajectory from point to point; without points and file it holds the initial position",
            .section = &point_section),
    FLG_KEY(flg_controller_keys, stiffness, NUMBERS,
            "pd: N m/rad or N/m, one for all or one for each joint",
            .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(flg_controller_keys, damping, NUMBERS,
            "pd: N m s/rad or N s/m, one for all or one for each joint",
            .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(flg_controller_keys, frequency, NUMBERS,
            "computed-torque, feed-forward: natural frequency of the error",
            .range = FLG_RANGE_NOT_NEGATIVE, .unit = "rad/s"),
    FLG_KEY(flg_controller_keys, damping_ratio, NUMBERS,
            "computed-torque, feed-forward: 1 is critical", .range = FLG_RANGE_NOT_NEGATIVE,
            .fallback = "1"),
    FLG_KEY(flg_controller_keys, payload, SECTION,
            "computed-torque, feed-forward, gravity: what the robot carries",
            .section = &payload_section),
    FLG_KEY(flg_controller_keys, body, TEXT, "force: the body of the robot that is to push"),
    FLG_KEY(flg_controller_keys, at, VECTOR, "force: with which point, in the body's frame",
            .size = 3, .unit = "m", .fallback = "[0, 0, 0]"),
    FLG_KEY(flg_controller_keys, force, VECTOR, "force: in world axes", .size = 3, .unit = "N",
            .fallback = "[0, 0, 0]"),
    FLG_KEY(flg_controller_keys, moment, VECTOR, "force: in world axes", .size = 3, .unit = "N m",
            .fallback = "[0, 0, 0]"),
    FLG_KEY(flg_controller_keys, plugin, FILE,
            "plugin: the shared library that supplies the controller (docs/plugins.md)"),
    FLG_KEY(flg_controller_keys, parameters, VALUES, "plugin: values for its parameters"),
};
static const flg_section controller_section =
    FLG_SECTION("controller", flg_controller_keys, controller_fields,
                "What drives joints. Several controllers add up; the joints' effort limits hold.",
                "{kind: pd, stiffness: 100, damping: 20}");

static const flg_field force_fields[] = {
    FLG_KEY(flg_force_keys, body, TEXT, "that it acts on", true),
    FLG_KEY(flg_force_keys, enabled, FLAG, "from the start; events switch it", .fallback = "true"),
    FLG_KEY(flg_force_keys, at, VECTOR, "where, in the body's frame", .size = 3, .unit = "m",
            .fallback = "[0, 0, 0]"),
    FLG_KEY(flg_force_keys, force, VECTOR, "in world axes", .size = 3, .unit = "N",
            .fallback = "[0, 0, 0]"),
    FLG_KEY(flg_force_keys, moment, VECTOR, "in world axes", .size = 3, .unit = "N m",
            .fallback = "[0, 0, 0]"),
};
static const flg_section force_section =
    FLG_SECTION("force", flg_force_keys, force_fields,
                "A force and a moment on a point of a body, constant in world axes.",
                "{body: tool, force: [10, 0, 0]}");

static const flg_field event_fields[] = {
    FLG_KEY(flg_event_keys, at, NUMBER, "when; it happens at the first macro step at or after",
            true, .range = FLG_RANGE_NOT_NEGATIVE, .unit = "s"),
    FLG_KEY(flg_event_keys, lock, TEXTS,
            "subsystem/joint: holds it where it is; velocities are projected in the mass norm"),
    FLG_KEY(flg_event_keys, unlock, TEXTS, "subsystem/joint: lets it go"),
    FLG_KEY(flg_event_keys, enable, TEXTS, "subsystem/controller or subsystem/force"),
    FLG_KEY(flg_event_keys, disable, TEXTS, "subsystem/controller or subsystem/force"),
    FLG_KEY(flg_event_keys, set, VALUES,
            "positions by subsystem/joint; other joints of the robot stay where they are, "
            "and all that hangs on them follows, if it can"),
    FLG_KEY(flg_event_keys, set_velocity, VALUES,
            "velocities by subsystem/joint; those of all else are projected in the mass norm"),
    FLG_KEY(flg_event_keys, weld, TEXTS,
            "two of subsystem/body, subsystem/body/marker, subsystem/port, of one component: holds "
            "them at their present relative pose; velocities are projected in the mass norm"),
    FLG_KEY(flg_event_keys, release, TEXTS,
            "the same two, or subsystem/name of the weld: lets them go"),
    FLG_KEY(flg_event_keys, name, TEXT, "of the weld; if absent body+body, as in effector+box"),
};
static const flg_section event_section =
    FLG_SECTION("event", flg_event_keys, event_fields, "Something that happens at a time.",
                "{at: 4, lock: arm/elbow}");

static const char *const norm_words[] = {"mass", "euclidean", NULL};
static const char *const form_words[] = {"admittance", "root", NULL};
static const char *const reduce_words[] = {"auto", "none", NULL};
static const char *const coordinates_words[] = {"auto", "absolute", "joint", NULL};

static const flg_field subsystem_fields[] = {
    FLG_KEY(flg_subsystem_keys, model, FILE,
            "its file: a robot (.urdf, or .yaml with the key flange-model) or a component (.yaml "
            "with the key flange-component)"),
    FLG_KEY(flg_subsystem_keys, plugin, FILE,
            "in place of a model: a shared library of your own that supplies the subsystem "
            "(docs/plugins.md)"),
    FLG_KEY(
        flg_subsystem_keys, compiled, FLAG,
        "of a model: C is generated for it and compiled, once for all runs, and its steps call "
        "that; what cannot be compiled is interpreted, and a warning says why (docs/compiled.md)",
        .fallback = "false"),
    FLG_PLACEMENT_FIELDS(flg_subsystem_keys, "where the model's own world is"),
    FLG_KEY(flg_subsystem_keys, parameters, VALUES,
            "values for parameters of a component or a plug-in; others have their defaults"),
    FLG_KEY(flg_subsystem_keys, assemble, FLAG,
            "joints that are open at the start are closed, by moving bodies as little as possible, "
            "and joints of robots only if bodies alone do not do",
            .fallback = "false"),
    FLG_KEY(flg_subsystem_keys, geometry_tolerance, NUMBER,
            "joints of a component that repeat each other, such as hinges of a door, but do not "
            "agree, since numbers were rounded: their frames are changed by as little as possible, "
            "up to this (in rad, and in m over the largest distance between a joint and a centre "
            "of mass), and a warning says by how much",
            .range = FLG_RANGE_NOT_NEGATIVE, .fallback = "1e-3"),
    FLG_KEY(flg_subsystem_keys, strict, FLAG,
            "geometry of a component that does not agree, and start velocities that do not fit its "
            "joints, are mistakes; else they are changed, and a warning says by how much",
            .fallback = "false"),
    FLG_KEY(flg_subsystem_keys, projection, CHOICE,
            "norm in which a component is brought back onto its joints after a step of rk4 or "
            "semi-implicit",
            .choices = norm_words, .fallback = "mass"),
    FLG_KEY(flg_subsystem_keys, elimination, CHOICE,
            "how the joints of a component are eliminated; root: by square roots, for mechanisms "
            "that rest close to singular poses: more digits, six times the work",
            .choices = form_words, .fallback = "admittance"),
    FLG_KEY(flg_subsystem_keys, reduce, CHOICE,
            "bodies of a component that its joints fix to each other are computed as one, and "
            "joints that only repeat others are left out, and what moves in one plane is stepped "
            "there; none: all are computed as the file has them, in space",
            .choices = reduce_words, .fallback = "auto"),
    FLG_KEY(flg_subsystem_keys, coordinates, CHOICE,
            "of a component: absolute: six for each body, and rows for all joints; joint: "
            "stretches of bodies without loops have the coordinates of their joints, and only "
            "joints that close loops have rows; auto: whichever needs fewer operations",
            .choices = coordinates_words, .fallback = "auto"),
    FLG_KEY(flg_subsystem_keys, step, NUMBER,
            "its own micro step, which divides the macro step evenly; the macro step if absent",
            .range = FLG_RANGE_POSITIVE, .unit = "s"),
    FLG_KEY(flg_subsystem_keys, integrator, CHOICE,
            "leapfrog: order 2, energy as the work of forces says, of robots; rattle: symplectic, "
            "order 2, of components; both with contacts and ends of joints; rk4: Runge-Kutta, "
            "order 4; adaptive: Runge-Kutta with error control inside each step, for references, "
            "of robots; semi-implicit: Euler, order 1; auto: leapfrog for robots and rattle for "
            "components, but semi-implicit for what can touch, and for components whose robots' "
            "joints end, in couplings other than sequential, parallel and neighbour, and with "
            "contacts: smooth or regularised, potential or form: mass",
            .choices = flg_stepping_words, .fallback = "auto"),
    FLG_KEY(flg_subsystem_keys, relative_tolerance, NUMBER, "of the adaptive integrator",
            .range = FLG_RANGE_BETWEEN, .least = 1e-15, .most = 0.1, .fallback = "1e-10"),
    FLG_KEY(flg_subsystem_keys, absolute_tolerance, NUMBER,
            "of the adaptive integrator: angles [rad], displacements by the length of the robot, "
            "and velocities by either in a swing of that length, in a second without gravity",
            .range = FLG_RANGE_POSITIVE, .fallback = "1e-12"),
    FLG_KEY(flg_subsystem_keys, gravity, VECTOR,
            "its own gravity, if it differs from that of the scenario", .size = 3, .unit = "m/s^2"),
    FLG_KEY(flg_subsystem_keys, controllers, MAP, "what drives its joints, by name",
            .section = &controller_section),
    FLG_KEY(flg_subsystem_keys, forces, MAP, "forces on its bodies, by name",
            .section = &force_section),
    FLG_ROBOT_FIELDS(flg_subsystem_keys),
    FLG_KEY(flg_subsystem_keys, contacts, SECTION,
            "how its contacts are solved, where that differs from the scenario",
            .section = &flg_subsystem_contacts_section),
};
static const flg_section subsystem_section = FLG_SECTION(
    "subsystem", flg_subsystem_keys, subsystem_fields,
    "A part with a model, a state and a step of its own.", "{model: arm.yaml, step: 1/600}");

static const char *const coupling_form_words[] = {"auto", "admittance", "mass", NULL};
static const char *const reconcile_words[] = {"auto", "none", "one", "both", NULL};
static const char *const pose_words[] = {"auto", "none", "resynchronise", "feedback", NULL};
#define REST_CONTACTS_WORD(kind, name) name,
static const char *const rest_contacts_words[] = {FLG_REST_CONTACTS_LIST(REST_CONTACTS_WORD) NULL};
static const char *const causality_words[] = {"first", "second", NULL};

static const flg_field interface_fields[] = {
    FLG_KEY_AT(flg_component_joint_keys, pair.between, "between", TEXTS,
               "two of: subsystem/port, subsystem/body of a robot, world; not of gear and rack",
               .size = 2),
    FLG_KEY_AT(flg_component_joint_keys, kind, "joint", CHOICE,
               "how they are joined: as joints of components, with their keys",
               .choices = flg_constraint_words, .aliases = flg_joint_aliases, .fallback = "weld"),
    FLG_KEY_AT(flg_component_joint_keys, pair.placement.at, "at", VECTOR,
               "where, in the world, at the start, if an end brings no frame of its own", .size = 3,
               .unit = "m"),
    FLG_KEY_AT(flg_component_joint_keys, pair.placement.turn, "turn", VECTOR,
               "roll, pitch, yaw of that frame", .size = 3, .unit = "rad"),
    FLG_KEY_AT(flg_component_joint_keys, pair.axis, "axis", VECTOR,
               "in the joint's frame, of any length", .size = 3, .fallback = "[0, 0, 1]"),
    FLG_KEY(flg_component_joint_keys, bushing, SECTION,
            "in place of a joint, which holds nothing then: springs and dampers in all six "
            "directions, relaxed where the frames of both ends meet",
            .section = &flg_interface_bushing_section),
    FLG_JOINT_KIND_FIELDS,
};
static const flg_section interface_section = FLG_SECTION(
    "interface", flg_component_joint_keys, interface_fields, "A joint between two subsystems.",
    "{between: [arm/tool, box/handle], joint: weld}");

static const char *const elastic_words[] = {"modal", "implicit", "constant",
                                            "paper", "literal",  NULL};

static const flg_field coupling_fields[] = {
    FLG_KEY(flg_coupling_keys, scheme, CHOICE,
            "how subsystems that interfaces join are brought together; all but monolithic let each "
            "advance with its own step",
            .choices = flg_coupling_words, .meanings = flg_coupling_helps,
            .fallback = "monolithic"),
    FLG_KEY(flg_coupling_keys, form, CHOICE,
            "of the rest's model: admittance, or its inverse, mass; auto: mass for paper-smooth "
            "and paper-regularised",
            .choices = coupling_form_words, .fallback = "auto"),
    FLG_KEY(flg_coupling_keys, reconcile, CHOICE,
            "after a parallel step the sides of an interface have applied different impulses: "
            "none: so be it; one: the later subsystem gets the difference; both: and velocities "
            "are projected; auto: both, for hold, extrapolate and the papers' schemes none",
            .choices = reconcile_words, .fallback = "auto"),
    FLG_KEY(flg_coupling_keys, pose, CHOICE,
            "what is done about the drift of poses at interfaces: none; resynchronise: they are "
            "brought together at communication points; feedback: on the rest's velocity; auto: "
            "resynchronise, for hold, extrapolate and the papers' schemes none",
            .choices = pose_words, .fallback = "auto"),
    FLG_KEY(flg_coupling_keys, feedback, NUMBER,
            "with `pose: feedback`: share of the drift that is taken back in a macro step; 0.3 if "
            "absent",
            .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1),
    FLG_KEY(flg_coupling_keys, causality, CHOICE,
            "hold, extrapolate: which end of an interface takes the motion of the other",
            .choices = causality_words, .fallback = "first"),
    FLG_KEY(
        flg_coupling_keys, order, TEXTS,
        "sequential: the subsystems, first to last; if absent: those with controllers that compute "
        "inside of a macro step or with flexible links, then those that can touch, then robots"),
    FLG_KEY(flg_coupling_keys, contacts, CHOICE,
            "what contacts of the rest may do inside of a macro step: nonsmooth: open, close, "
            "stick and slip; smooth: stay as they are. For comparison: opening: those that are "
            "closed may open; regularised: they are springs and dampers that act both ways",
            .choices = rest_contacts_words, .fallback = "nonsmooth"),
    FLG_KEY(
        flg_coupling_keys, capacity, INTEGER,
        "contact points of a subsystem and of all that it meets at one time, at most; 0: as many "
        "as their shapes can have, up to 1000, or up to 8 a body that can touch if that is more",
        .range = FLG_RANGE_BETWEEN, .least = 0, .most = 10000, .fallback = "0"),
    FLG_KEY(flg_coupling_keys, elastic, CHOICE,
            "elastic forces of flexible links in models of the rest: modal: elastic coordinates "
            "are states of the model, which advance with it (in admittance form; the papers' "
            "schemes take implicit). For comparison: implicit: forces at the end of the macro "
            "step, by the admittance of masses, dampers and springs together; constant: those at "
            "its start; paper: with effective stiffness and damping at the interface; literal: "
            "these alone, as printed in the paper",
            .choices = elastic_words, .fallback = "modal"),
    FLG_KEY(flg_coupling_keys, potential, TEXTS,
            "nonsmooth, opening: whose contacts may do so, as sub/body, sub/body/shape or "
            "sub/body/shape/point; all others stay closed or open over the macro step. If absent: "
            "all that are near enough to close in it"),
    FLG_KEY(flg_coupling_keys, stiffness, NUMBER, "regularised: of the springs; 1e7 if absent",
            .range = FLG_RANGE_POSITIVE, .unit = "N/m"),
    FLG_KEY(flg_coupling_keys, damping, NUMBER,
            "regularised: of the dampers; if absent: 1e-4 s times the stiffness",
            .range = FLG_RANGE_NOT_NEGATIVE, .unit = "N s/m"),
    FLG_KEY(flg_coupling_keys, step, NUMBER,
            "micro step of all that is solved as one; if absent: the shortest of the subsystems",
            .range = FLG_RANGE_POSITIVE, .unit = "s"),
    FLG_KEY(flg_coupling_keys, integrator, CHOICE,
            "as that of a subsystem; auto: what the subsystems say, if they agree and it is not "
            "leapfrog, else as auto of a component",
            .choices = flg_stepping_words, .fallback = "auto"),
};
const flg_section flg_coupling_section =
    FLG_SECTION("coupling section", flg_coupling_keys, coupling_fields,
                "How subsystems that interfaces join are brought together.", "{scheme: parallel}");

static const flg_field reference_fields[] = {
    FLG_KEY(flg_reference_keys, step, NUMBER,
            "its micro step; if absent: that of the coupling section, or the shortest of the "
            "subsystems",
            .range = FLG_RANGE_POSITIVE, .unit = "s"),
    FLG_KEY(flg_reference_keys, integrator, CHOICE,
            "as that of the coupling section, which it replaces unless it is auto",
            .choices = flg_stepping_words, .fallback = "auto"),
};
static const flg_section reference_section =
    FLG_SECTION("reference", flg_reference_keys, reference_fields,
                "The exact solution: monolithic, with a step of its own.", "{step: 1/6000}");

static const char *const micro_words[] = {"own", "same", NULL};

static const flg_field compare_fields[] = {
    FLG_KEY(flg_compare_keys, reference, SECTION, "what errors are measured against",
            .section = &reference_section),
    FLG_KEY(flg_compare_keys, couplings, TEXTS,
            "schemes, each with options of the coupling section if need be, as in 'parallel "
            "contacts=smooth'; if absent: sequential, parallel"),
    FLG_KEY(flg_compare_keys, macro, NUMBERS,
            "macro steps, each a whole number of the shortest; if absent: that of the time section",
            .range = FLG_RANGE_POSITIVE, .unit = "s"),
    FLG_KEY(flg_compare_keys, micro, CHOICE,
            "own: subsystems have their own micro steps; same: all have that of the reference, so "
            "that what the coupling does is all that differs",
            .choices = micro_words, .fallback = "own"),
};
static const flg_section compare_section =
    FLG_SECTION("compare section", flg_compare_keys, compare_fields,
                "Which couplings 'flange compare' runs, and against what.",
                "{couplings: [sequential, parallel]}");

static const flg_field scenario_fields[] = {
    FLG_KEY_AT(flg_scenario, version, "flange", INTEGER, "version of the format", true,
               .range = FLG_RANGE_BETWEEN, .least = 1, .most = 1),
    FLG_KEY(flg_scenario, name, TEXT, "for people; stored in the results"),
    FLG_KEY(flg_scenario, gravity, VECTOR, "in world axes", .size = 3, .unit = "m/s^2",
            .fallback = "[0, 0, -9.81]"),
    FLG_KEY(flg_scenario, time, SECTION, "how long, and in which steps", true,
            .section = &time_section),
    FLG_KEY(flg_scenario, subsystems, MAP, "the parts by name", true, .size = 1,
            .section = &subsystem_section),
    FLG_KEY(flg_scenario, interfaces, MAP, "joints between subsystems, by name",
            .section = &interface_section),
    FLG_KEY(flg_scenario, coupling, SECTION, "how joined subsystems are brought together",
            .section = &flg_coupling_section),
    FLG_KEY(flg_scenario, events, LIST, "what happens when", .section = &event_section),
    FLG_KEY(
        flg_scenario, record, TEXTS,
        "signals, or patterns: 'sub/*.position', '*.energy', all ('flange check --signals' lists "
        "all): sub/body.position, .orientation (quaternion w x y z), .velocity, .angular_velocity; "
        "the same of sub/body/marker and sub/marker; sub/joint.position, .velocity, .effort (of "
        "its controllers: without damping, friction and what holds a lock); sub/sensor.position, "
        ".velocity; sub/energy; sub/momentum.linear, .angular (about the world's origin); in "
        "components sub/joint.force, .moment (mean over the macro step, on the second end at its "
        "frame, in world axes; NaN where redundant joints leave them open). Of what can touch: "
        "sub/body.contact_force (N), sub/body/shape.force (means over the last micro step), .gap, "
        ".state (0 open, 1 sliding, 2 sticking), .points of shapes with a name, the first three "
        "also of sub/body/shape/point, and sub/contacts.count, .closed, .sliding, .penetration, "
        ".switches, .iterations, .residual, .unsolved of all. In components names are paths: "
        "sub/gearbox/disc.position. Of interfaces: wrist.force (mean over the macro step, on the "
        "second end, in world axes: N, N m; NaN where redundant rows leave it open), "
        "wrist.pose_error (m, rad), wrist.energy_residual (J), wrist.rank and wrist.condition of "
        "its rows' admittance. macro.wall_time (s). Rows show the state before the events of their "
        "time"),
    FLG_KEY(flg_scenario, compare, SECTION, "what 'flange compare' runs",
            .section = &compare_section),
    FLG_KEY(flg_scenario, ground, SECTION, "what every subsystem stands on",
            .section = &flg_ground_section),
    FLG_KEY(flg_scenario, materials, MAP,
            "what the ground, and shapes without a material, are made of, by name",
            .section = &flg_material_section),
    FLG_KEY(flg_scenario, contacts, SECTION, "how contacts are solved",
            .section = &flg_contacts_section),
};
const flg_section flg_scenario_section =
    FLG_SECTION("scenario", flg_scenario, scenario_fields,
                "A scenario file says which parts are simulated, for how long, and what is "
                "recorded. `include: other.yaml` adds the keys of another file.",
                "{flange: 1, time: {end: 10}, subsystems: {arm: {model: arm.yaml}}}");

static void resolve_flexible(const flg_scenario *scenario, flg_region *region,
                             flg_mistakes *mistakes) {
  const flg_subsystem_keys *subsystems = scenario->subsystems.items;
  for (int k = 0; k < scenario->subsystems.count; k++) {
    flg_flexible_keys *keys = subsystems[k].robot.flexible.items;
    for (int j = 0; j < subsystems[k].robot.flexible.count; j++) {
      flg_flexible_resolve(&keys[j], region, mistakes);
    }
  }
}

void flg_scenario_read(flg_scenario *scenario, const char *path, const char *const *overrides,
                       int override_count, flg_region *region, flg_mistakes *mistakes) {
  const flg_node *root =
      flg_document_read(region, path, (flg_place){0}, overrides, override_count, mistakes);
  if (root != NULL) flg_scenario_from_node(scenario, path, root, region, mistakes);
}

bool flg_scenario_refuse(const char *path, const flg_node *root, flg_mistakes *mistakes) {
  if (root->kind != FLG_NODE_MAP) return false; /* its reader says what is there */
  const bool is_model = flg_node_find(root, "flange-model") != NULL;
  if (!is_model && flg_node_find(root, "flange-component") == NULL) return false;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){.file = path},
                  "this is a %s, not a scenario; a scenario names it as the model of a "
                  "subsystem, and 'flange check' shows what is in it",
                  is_model ? "model" : "component");
  return true;
}

void flg_scenario_from_node(flg_scenario *scenario, const char *path, const flg_node *root,
                            flg_region *region, flg_mistakes *mistakes) {
  if (flg_scenario_refuse(path, root, mistakes)) return;
  flg_schema_read(&flg_scenario_section, root, scenario, region, mistakes);
  if (scenario->name == NULL) scenario->name = path;
  resolve_flexible(scenario, region, mistakes);
}
