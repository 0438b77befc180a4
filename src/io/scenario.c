#include "io/scenario.h"

#include "control/controller.h"
#include "coupling/coupling.h"
#include "io/flexible_keys.h"
#include "text/document.h"

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

static const flg_field time_fields[] = {
    {"end", FLG_FIELD_NUMBER, offsetof(flg_time_keys, end), "when the simulation ends", true,
     .range = FLG_RANGE_POSITIVE, .unit = "s"},
    {"macro", FLG_FIELD_NUMBER, offsetof(flg_time_keys, macro),
     "interval of communication and of output; divides the end evenly", .range = FLG_RANGE_POSITIVE,
     .unit = "s", .fallback = "1/60"},
};
static const flg_section time_section = {
    "time section",     "How long, and in which steps.",    sizeof(flg_time_keys), time_fields,
    COUNT(time_fields), .example = "{end: 10, macro: 1/60}"};

static const flg_field point_fields[] = {
    {"at", FLG_FIELD_NUMBER, offsetof(flg_point_keys, at), "when", true, .unit = "s"},
    {"position", FLG_FIELD_NUMBERS, offsetof(flg_point_keys, position),
     "where, a number for each joint of the controller, rad or m", true},
};
static const flg_section point_section = {
    "point",
    "A point of a trajectory. Between two points every joint moves by a quintic, from rest "
    "to rest.",
    sizeof(flg_point_keys),
    point_fields,
    COUNT(point_fields),
    .example = "{at: 1, position: [0.5, 0]}"};

static const flg_field payload_fields[] = {
    {"body", FLG_FIELD_TEXT, offsetof(flg_payload_keys, body), "of the robot that carries it"},
    {"mass", FLG_FIELD_NUMBER, offsetof(flg_payload_keys, mass), "how much",
     .range = FLG_RANGE_NOT_NEGATIVE, .unit = "kg", .fallback = "0"},
    {"centre", FLG_FIELD_VECTOR, offsetof(flg_payload_keys, centre), "of mass, in the body's frame",
     .size = 3, .unit = "m", .fallback = "[0, 0, 0]"},
    {"inertia", FLG_FIELD_NUMBERS, offsetof(flg_payload_keys, inertia),
     "about that centre in the body's axes: xx, yy, zz, or xy, xz, yz besides; 0 if absent",
     .unit = "kg m^2"},
};
static const flg_section payload_section = {
    "payload",
    "What a robot carries besides its own links, as far as a controller knows.",
    sizeof(flg_payload_keys),
    payload_fields,
    COUNT(payload_fields),
    .example = "{body: tool, mass: 2}"};

#define CONTROLLER_WORD(kind, name) name,
static const char *const controller_words[] = {FLG_CONTROLLER_LIST(CONTROLLER_WORD) NULL};
static const char *const interpolation_words[] = {"held", "linear", "spline", NULL};

static const flg_field controller_fields[] = {
    {"kind", FLG_FIELD_CHOICE, offsetof(flg_controller_keys, kind),
     "table: forces from a file; pd: stiffness and damping about a trajectory; computed-torque: "
     "inverse dynamics with feedback; force: what pushes with a force at a point of a body; "
     "feed-forward: inverse dynamics of the trajectory as if "
     "nothing "
     "bent, and feedback by what drives feel at once, for flexible robots; gravity: holds the "
     "robot up; plugin: from a shared library "
     "of "
     "your own",
     true, .choices = controller_words},
    {"enabled", FLG_FIELD_FLAG, offsetof(flg_controller_keys, enabled),
     "from the start; events switch it", .fallback = "true"},
    {"sample", FLG_FIELD_NUMBER, offsetof(flg_controller_keys, sample),
     "period, a whole number of steps: it computes at multiples of it and holds in between; 0: it "
     "is "
     "continuous",
     .range = FLG_RANGE_NOT_NEGATIVE, .unit = "s", .fallback = "0"},
    {"joints", FLG_FIELD_TEXTS, offsetof(flg_controller_keys, joints),
     "those that it drives, each with one coordinate; if absent: the columns of the file, or all"},
    {"file", FLG_FIELD_FILE, offsetof(flg_controller_keys, file),
     "CSV with a column time and one for each joint: forces of a table, positions of a trajectory"},
    {"interpolation", FLG_FIELD_CHOICE, offsetof(flg_controller_keys, interpolation),
     "between the rows of the file; a trajectory is always a spline, from rest to rest",
     .choices = interpolation_words, .fallback = "held"},
    {"points", FLG_FIELD_LIST, offsetof(flg_controller_keys, points),
     "trajectory from point to point; without points and file it holds the initial position",
     .section = &point_section},
    {"stiffness", FLG_FIELD_NUMBERS, offsetof(flg_controller_keys, stiffness),
     "pd: N m/rad or N/m, one for all or one for each joint", .range = FLG_RANGE_NOT_NEGATIVE},
    {"damping", FLG_FIELD_NUMBERS, offsetof(flg_controller_keys, damping),
     "pd: N m s/rad or N s/m, one for all or one for each joint", .range = FLG_RANGE_NOT_NEGATIVE},
    {"frequency", FLG_FIELD_NUMBERS, offsetof(flg_controller_keys, frequency),
     "computed-torque, feed-forward: natural frequency of the error",
     .range = FLG_RANGE_NOT_NEGATIVE, .unit = "rad/s"},
    {"damping_ratio", FLG_FIELD_NUMBERS, offsetof(flg_controller_keys, damping_ratio),
     "computed-torque, feed-forward: 1 is critical", .range = FLG_RANGE_NOT_NEGATIVE,
     .fallback = "1"},
    {"payload", FLG_FIELD_SECTION, offsetof(flg_controller_keys, payload),
     "computed-torque, feed-forward, gravity: what the robot carries", .section = &payload_section},
    {"body", FLG_FIELD_TEXT, offsetof(flg_controller_keys, body),
     "force: the body of the robot that is to push"},
    {"at", FLG_FIELD_VECTOR, offsetof(flg_controller_keys, at),
     "force: with which point, in the body's frame", .size = 3, .unit = "m",
     .fallback = "[0, 0, 0]"},
    {"force", FLG_FIELD_VECTOR, offsetof(flg_controller_keys, force), "force: in world axes",
     .size = 3, .unit = "N", .fallback = "[0, 0, 0]"},
    {"moment", FLG_FIELD_VECTOR, offsetof(flg_controller_keys, moment), "force: in world axes",
     .size = 3, .unit = "N m", .fallback = "[0, 0, 0]"},
    {"plugin", FLG_FIELD_FILE, offsetof(flg_controller_keys, plugin),
     "plugin: the shared library that supplies the controller (docs/plugins.md)"},
    {"parameters", FLG_FIELD_VALUES, offsetof(flg_controller_keys, parameters),
     "plugin: values for its parameters"},
};
static const flg_section controller_section = {
    "controller",
    "What drives joints. Several controllers add up; the joints' effort limits hold.",
    sizeof(flg_controller_keys),
    controller_fields,
    COUNT(controller_fields),
    .example = "{kind: pd, stiffness: 100, damping: 20}"};

static const flg_field force_fields[] = {
    {"body", FLG_FIELD_TEXT, offsetof(flg_force_keys, body), "that it acts on", true},
    {"enabled", FLG_FIELD_FLAG, offsetof(flg_force_keys, enabled),
     "from the start; events switch it", .fallback = "true"},
    {"at", FLG_FIELD_VECTOR, offsetof(flg_force_keys, at), "where, in the body's frame", .size = 3,
     .unit = "m", .fallback = "[0, 0, 0]"},
    {"force", FLG_FIELD_VECTOR, offsetof(flg_force_keys, force), "in world axes", .size = 3,
     .unit = "N", .fallback = "[0, 0, 0]"},
    {"moment", FLG_FIELD_VECTOR, offsetof(flg_force_keys, moment), "in world axes", .size = 3,
     .unit = "N m", .fallback = "[0, 0, 0]"},
};
static const flg_section force_section = {
    "force",
    "A force and a moment on a point of a body, constant in world axes.",
    sizeof(flg_force_keys),
    force_fields,
    COUNT(force_fields),
    .example = "{body: tool, force: [10, 0, 0]}"};

static const flg_field event_fields[] = {
    {"at", FLG_FIELD_NUMBER, offsetof(flg_event_keys, at),
     "when; it happens at the first macro step at or after", true, .range = FLG_RANGE_NOT_NEGATIVE,
     .unit = "s"},
    {"lock", FLG_FIELD_TEXTS, offsetof(flg_event_keys, lock),
     "subsystem/joint: holds it where it is; velocities are projected in the mass norm"},
    {"unlock", FLG_FIELD_TEXTS, offsetof(flg_event_keys, unlock), "subsystem/joint: lets it go"},
    {"enable", FLG_FIELD_TEXTS, offsetof(flg_event_keys, enable),
     "subsystem/controller or subsystem/force"},
    {"disable", FLG_FIELD_TEXTS, offsetof(flg_event_keys, disable),
     "subsystem/controller or subsystem/force"},
    {"set", FLG_FIELD_VALUES, offsetof(flg_event_keys, set), "positions by subsystem/joint"},
    {"set_velocity", FLG_FIELD_VALUES, offsetof(flg_event_keys, set_velocity),
     "velocities by subsystem/joint"},
    {"weld", FLG_FIELD_TEXTS, offsetof(flg_event_keys, weld),
     "two of subsystem/body, subsystem/body/marker, subsystem/port, of one component: holds them "
     "at "
     "their present relative pose; velocities are projected in the mass norm"},
    {"release", FLG_FIELD_TEXTS, offsetof(flg_event_keys, release),
     "the same two, or subsystem/name of the weld: lets them go"},
    {"name", FLG_FIELD_TEXT, offsetof(flg_event_keys, name),
     "of the weld; if absent body+body, as in effector+box"},
};
static const flg_section event_section = {"event",
                                          "Something that happens at a time.",
                                          sizeof(flg_event_keys),
                                          event_fields,
                                          COUNT(event_fields),
                                          .example = "{at: 4, lock: arm/elbow}"};

static const char *const norm_words[] = {"mass", "euclidean", NULL};
static const char *const form_words[] = {"admittance", "root", NULL};
static const char *const reduce_words[] = {"auto", "none", NULL};
static const char *const coordinates_words[] = {"auto", "absolute", "joint", NULL};

static const flg_field subsystem_fields[] = {
    {"model", FLG_FIELD_FILE, offsetof(flg_subsystem_keys, model),
     "its file: a robot (.urdf, or .yaml with the key flange-model) or a component (.yaml with the "
     "key flange-component)"},
    {"plugin", FLG_FIELD_FILE, offsetof(flg_subsystem_keys, plugin),
     "in place of a model: a shared library of your own that supplies the subsystem "
     "(docs/plugins.md)"},
    {"compiled", FLG_FIELD_FLAG, offsetof(flg_subsystem_keys, compiled),
     "of a model: C is generated for it and compiled, once for all runs, and its steps call that; "
     "what cannot be compiled is interpreted, and a warning says why (docs/compiled.md)",
     .fallback = "false"},
    FLG_PLACEMENT_FIELDS(flg_subsystem_keys, "where the model's own world is"),
    {"parameters", FLG_FIELD_VALUES, offsetof(flg_subsystem_keys, parameters),
     "values for parameters of a component or a plug-in; others have their defaults"},
    {"assemble", FLG_FIELD_FLAG, offsetof(flg_subsystem_keys, assemble),
     "joints that are open at the start are closed, by moving bodies as little as possible, and "
     "joints of robots only if bodies alone do not do",
     .fallback = "false"},
    {"geometry_tolerance", FLG_FIELD_NUMBER, offsetof(flg_subsystem_keys, geometry_tolerance),
     "joints of a component that repeat each other, such as hinges of a door, but do not agree, "
     "since numbers were rounded: their frames are changed by as little as possible, up to this "
     "(in rad, and in m over the largest distance between a joint and a centre of mass), and a "
     "warning says by how much",
     .range = FLG_RANGE_NOT_NEGATIVE, .fallback = "1e-3"},
    {"strict", FLG_FIELD_FLAG, offsetof(flg_subsystem_keys, strict),
     "geometry of a component that does not agree, and start velocities that do not fit its "
     "joints, "
     "are mistakes; else they are changed, and a warning says by how much",
     .fallback = "false"},
    {"projection", FLG_FIELD_CHOICE, offsetof(flg_subsystem_keys, projection),
     "norm in which a component is brought back onto its joints after a step of rk4 or "
     "semi-implicit",
     .choices = norm_words, .fallback = "mass"},
    {"elimination", FLG_FIELD_CHOICE, offsetof(flg_subsystem_keys, elimination),
     "how the joints of a component are eliminated; root: by square roots, for mechanisms that "
     "rest "
     "close to singular poses: more digits, six times the work",
     .choices = form_words, .fallback = "admittance"},
    {"reduce", FLG_FIELD_CHOICE, offsetof(flg_subsystem_keys, reduce),
     "bodies of a component that its joints fix to each other are computed as one, and joints that "
     "only repeat others are left out, and what moves in one plane is stepped there; none: all are "
     "computed as the file has them, in space",
     .choices = reduce_words, .fallback = "auto"},
    {"coordinates", FLG_FIELD_CHOICE, offsetof(flg_subsystem_keys, coordinates),
     "of a component: absolute: six for each body, and rows for all joints; joint: stretches of "
     "bodies without loops have the coordinates of their joints, and only joints that close loops "
     "have rows; auto: whichever needs fewer operations",
     .choices = coordinates_words, .fallback = "auto"},
    {"step", FLG_FIELD_NUMBER, offsetof(flg_subsystem_keys, step),
     "its own micro step, which divides the macro step evenly; the macro step if absent",
     .range = FLG_RANGE_POSITIVE, .unit = "s"},
    {"integrator", FLG_FIELD_CHOICE, offsetof(flg_subsystem_keys, integrator),
     "leapfrog: order 2, energy as the work of forces says, of robots; rattle: symplectic, order "
     "2, "
     "of components; both with contacts and ends of joints; rk4: Runge-Kutta, order 4; adaptive: "
     "Runge-Kutta with error control inside each step, for references, of robots; semi-implicit: "
     "Euler, order 1; auto: leapfrog for robots and rattle for components, but semi-implicit for "
     "what can touch, and for components whose robots' joints end, in couplings other than "
     "sequential, parallel and neighbour, and with contacts: smooth or regularised, potential or "
     "form: mass",
     .choices = flg_stepping_words, .fallback = "auto"},
    {"relative_tolerance", FLG_FIELD_NUMBER, offsetof(flg_subsystem_keys, relative_tolerance),
     "of the adaptive integrator", .range = FLG_RANGE_BETWEEN, .least = 1e-15, .most = 0.1,
     .fallback = "1e-10"},
    {"absolute_tolerance", FLG_FIELD_NUMBER, offsetof(flg_subsystem_keys, absolute_tolerance),
     "of the adaptive integrator: angles [rad], displacements by the length of the robot, and "
     "velocities by either in a swing of that length, in a second without gravity",
     .range = FLG_RANGE_POSITIVE, .fallback = "1e-12"},
    {"gravity", FLG_FIELD_VECTOR, offsetof(flg_subsystem_keys, gravity),
     "its own gravity, if it differs from that of the scenario", .size = 3, .unit = "m/s^2"},
    {"controllers", FLG_FIELD_MAP, offsetof(flg_subsystem_keys, controllers),
     "what drives its joints, by name", .section = &controller_section},
    {"forces", FLG_FIELD_MAP, offsetof(flg_subsystem_keys, forces), "forces on its bodies, by name",
     .section = &force_section},
    FLG_ROBOT_FIELDS(flg_subsystem_keys),
    {"contacts", FLG_FIELD_SECTION, offsetof(flg_subsystem_keys, contacts),
     "how its contacts are solved, where that differs from the scenario",
     .section = &flg_subsystem_contacts_section},
};
static const flg_section subsystem_section = {"subsystem",
                                              "A part with a model, a state and a step of its own.",
                                              sizeof(flg_subsystem_keys),
                                              subsystem_fields,
                                              COUNT(subsystem_fields),
                                              .example = "{model: arm.yaml, step: 1/600}"};

static const char *const coupling_form_words[] = {"auto", "admittance", "mass", NULL};
static const char *const reconcile_words[] = {"auto", "none", "one", "both", NULL};
static const char *const pose_words[] = {"auto", "none", "resynchronise", "feedback", NULL};
#define REST_CONTACTS_WORD(kind, name) name,
static const char *const rest_contacts_words[] = {FLG_REST_CONTACTS_LIST(REST_CONTACTS_WORD) NULL};
static const char *const causality_words[] = {"first", "second", NULL};

static const flg_field interface_fields[] = {
    {"between", FLG_FIELD_TEXTS, offsetof(flg_component_joint_keys, pair.between),
     "two of: subsystem/port, subsystem/body of a robot, world; not of gear and rack", .size = 2},
    {"joint", FLG_FIELD_CHOICE, offsetof(flg_component_joint_keys, kind),
     "how they are joined: as joints of components, with their keys",
     .choices = flg_constraint_words, .aliases = flg_joint_aliases, .fallback = "weld"},
    {"at", FLG_FIELD_VECTOR, offsetof(flg_component_joint_keys, pair.placement.at),
     "where, in the world, at the start, if an end brings no frame of its own", .size = 3,
     .unit = "m"},
    {"turn", FLG_FIELD_VECTOR, offsetof(flg_component_joint_keys, pair.placement.turn),
     "roll, pitch, yaw of that frame", .size = 3, .unit = "rad"},
    {"axis", FLG_FIELD_VECTOR, offsetof(flg_component_joint_keys, pair.axis),
     "in the joint's frame, of any length", .size = 3, .fallback = "[0, 0, 1]"},
    {"bushing", FLG_FIELD_SECTION, offsetof(flg_component_joint_keys, bushing),
     "in place of a joint, which holds nothing then: springs and dampers in all six directions, "
     "relaxed where the frames of both ends meet",
     .section = &flg_interface_bushing_section},
    FLG_JOINT_KIND_FIELDS,
};
static const flg_section interface_section = {
    "interface",
    "A joint between two subsystems.",
    sizeof(flg_component_joint_keys),
    interface_fields,
    COUNT(interface_fields),
    .example = "{between: [arm/tool, box/handle], joint: weld}"};

static const char *const elastic_words[] = {"modal", "implicit", "constant",
                                            "paper", "literal",  NULL};

static const flg_field coupling_fields[] = {
    {"scheme", FLG_FIELD_CHOICE, offsetof(flg_coupling_keys, scheme),
     "how subsystems that interfaces join are brought together; all but monolithic let each "
     "advance "
     "with its own step",
     .choices = flg_coupling_words, .meanings = flg_coupling_helps, .fallback = "monolithic"},
    {"form", FLG_FIELD_CHOICE, offsetof(flg_coupling_keys, form),
     "of the rest's model: admittance, or its inverse, mass; auto: mass for paper-smooth and "
     "paper-regularised",
     .choices = coupling_form_words, .fallback = "auto"},
    {"reconcile", FLG_FIELD_CHOICE, offsetof(flg_coupling_keys, reconcile),
     "after a parallel step the sides of an interface have applied different impulses: none: so be "
     "it; one: the later subsystem gets the difference; both: and velocities are projected; auto: "
     "both, for hold, extrapolate and the papers' schemes none",
     .choices = reconcile_words, .fallback = "auto"},
    {"pose", FLG_FIELD_CHOICE, offsetof(flg_coupling_keys, pose),
     "what is done about the drift of poses at interfaces: none; resynchronise: they are brought "
     "together at communication points; feedback: on the rest's velocity; auto: resynchronise, for "
     "hold, extrapolate and the papers' schemes none",
     .choices = pose_words, .fallback = "auto"},
    {"feedback", FLG_FIELD_NUMBER, offsetof(flg_coupling_keys, feedback),
     "with `pose: feedback`: share of the drift that is taken back in a macro step; 0.3 if absent",
     .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1},
    {"causality", FLG_FIELD_CHOICE, offsetof(flg_coupling_keys, causality),
     "hold, extrapolate: which end of an interface takes the motion of the other",
     .choices = causality_words, .fallback = "first"},
    {"order", FLG_FIELD_TEXTS, offsetof(flg_coupling_keys, order),
     "sequential: the subsystems, first to last; if absent: those with controllers that compute "
     "inside of a macro step or with flexible links, then those that can touch, then robots"},
    {"contacts", FLG_FIELD_CHOICE, offsetof(flg_coupling_keys, contacts),
     "what contacts of the rest may do inside of a macro step: nonsmooth: open, close, stick and "
     "slip; smooth: stay as they are. For comparison: opening: those that are closed may open; "
     "regularised: they are springs and dampers that act both ways",
     .choices = rest_contacts_words, .fallback = "nonsmooth"},
    {"elastic", FLG_FIELD_CHOICE, offsetof(flg_coupling_keys, elastic),
     "elastic forces of flexible links in models of the rest: modal: elastic coordinates are "
     "states "
     "of the model, which advance with it (in admittance form; the papers' schemes take implicit). "
     "For comparison: implicit: forces at the end of the macro step, by the admittance of masses, "
     "dampers and springs together; constant: those at its start; paper: with effective stiffness "
     "and damping at the interface; literal: these alone, as printed in the paper",
     .choices = elastic_words, .fallback = "modal"},
    {"potential", FLG_FIELD_TEXTS, offsetof(flg_coupling_keys, potential),
     "nonsmooth, opening: whose contacts may do so, as sub/body, sub/body/shape or "
     "sub/body/shape/point; all others stay closed or open over the macro step. If absent: all "
     "that are near enough to close in it"},
    {"stiffness", FLG_FIELD_NUMBER, offsetof(flg_coupling_keys, stiffness),
     "regularised: of the springs; 1e7 if absent", .range = FLG_RANGE_POSITIVE, .unit = "N/m"},
    {"damping", FLG_FIELD_NUMBER, offsetof(flg_coupling_keys, damping),
     "regularised: of the dampers; if absent: 1e-4 s times the stiffness",
     .range = FLG_RANGE_NOT_NEGATIVE, .unit = "N s/m"},
    {"step", FLG_FIELD_NUMBER, offsetof(flg_coupling_keys, step),
     "micro step of all that is solved as one; if absent: the shortest of the subsystems",
     .range = FLG_RANGE_POSITIVE, .unit = "s"},
    {"integrator", FLG_FIELD_CHOICE, offsetof(flg_coupling_keys, integrator),
     "as that of a subsystem; auto: what the subsystems say, if they agree and it is not leapfrog, "
     "else as auto of a component",
     .choices = flg_stepping_words, .fallback = "auto"},
};
const flg_section flg_coupling_section = {
    "coupling section",        "How subsystems that interfaces join are brought together.",
    sizeof(flg_coupling_keys), coupling_fields,
    COUNT(coupling_fields),    .example = "{scheme: parallel}"};

static const flg_field reference_fields[] = {
    {"step", FLG_FIELD_NUMBER, offsetof(flg_reference_keys, step),
     "its micro step; if absent: that of the coupling section, or the shortest of the subsystems",
     .range = FLG_RANGE_POSITIVE, .unit = "s"},
    {"integrator", FLG_FIELD_CHOICE, offsetof(flg_reference_keys, integrator),
     "as that of the coupling section, which it replaces unless it is auto",
     .choices = flg_stepping_words, .fallback = "auto"},
};
static const flg_section reference_section = {
    "reference",
    "The exact solution: monolithic, with a step of its own.",
    sizeof(flg_reference_keys),
    reference_fields,
    COUNT(reference_fields),
    .example = "{step: 1/6000}"};

static const char *const micro_words[] = {"own", "same", NULL};

static const flg_field compare_fields[] = {
    {"reference", FLG_FIELD_SECTION, offsetof(flg_compare_keys, reference),
     "what errors are measured against", .section = &reference_section},
    {"couplings", FLG_FIELD_TEXTS, offsetof(flg_compare_keys, couplings),
     "schemes, each with options of the coupling section if need be, as in 'parallel "
     "contacts=smooth'; if absent: sequential, parallel"},
    {"macro", FLG_FIELD_NUMBERS, offsetof(flg_compare_keys, macro),
     "macro steps, each a whole number of the shortest; if absent: that of the time section",
     .range = FLG_RANGE_POSITIVE, .unit = "s"},
    {"micro", FLG_FIELD_CHOICE, offsetof(flg_compare_keys, micro),
     "own: subsystems have their own micro steps; same: all have that of the reference, so that "
     "what the coupling does is all that differs",
     .choices = micro_words, .fallback = "own"},
};
static const flg_section compare_section = {
    "compare section",        "Which couplings 'flange compare' runs, and against what.",
    sizeof(flg_compare_keys), compare_fields,
    COUNT(compare_fields),    .example = "{couplings: [sequential, parallel]}"};

static const flg_field scenario_fields[] = {
    {"flange", FLG_FIELD_INTEGER, offsetof(flg_scenario, version), "version of the format", true,
     .range = FLG_RANGE_BETWEEN, .least = 1, .most = 1},
    {"name", FLG_FIELD_TEXT, offsetof(flg_scenario, name), "for people; stored in the results"},
    {"gravity", FLG_FIELD_VECTOR, offsetof(flg_scenario, gravity), "in world axes", .size = 3,
     .unit = "m/s^2", .fallback = "[0, 0, -9.81]"},
    {"time", FLG_FIELD_SECTION, offsetof(flg_scenario, time), "how long, and in which steps", true,
     .section = &time_section},
    {"subsystems", FLG_FIELD_MAP, offsetof(flg_scenario, subsystems), "the parts by name", true,
     .size = 1, .section = &subsystem_section},
    {"interfaces", FLG_FIELD_MAP, offsetof(flg_scenario, interfaces),
     "joints between subsystems, by name", .section = &interface_section},
    {"coupling", FLG_FIELD_SECTION, offsetof(flg_scenario, coupling),
     "how joined subsystems are brought together", .section = &flg_coupling_section},
    {"events", FLG_FIELD_LIST, offsetof(flg_scenario, events), "what happens when",
     .section = &event_section},
    {"record", FLG_FIELD_TEXTS, offsetof(flg_scenario, record),
     "signals, or patterns: 'sub/*.position', '*.energy', all ('flange check --signals' lists "
     "all): "
     "sub/body.position, .orientation (quaternion w x y z), .velocity, .angular_velocity; "
     "the same of sub/body/marker and sub/marker; sub/joint.position, .velocity, .effort (of its "
     "controllers: "
     "without damping, friction and what holds a lock); sub/sensor.position, .velocity; "
     "sub/energy; sub/momentum.linear, .angular (about the world's origin); in components "
     "sub/joint.force, .moment (mean over the macro step, on the second end at its frame, in world "
     "axes; NaN where redundant joints leave them open). Of what can "
     "touch: sub/body.contact_force (N), sub/body/shape.force (means over the last micro step), "
     ".gap, "
     ".state (0 open, 1 sliding, 2 sticking), .points of shapes with a name, the first three also "
     "of sub/body/shape/point, and sub/contacts.count, "
     ".closed, .sliding, .penetration, .switches, .iterations, .residual, .unsolved of all. In "
     "components names are paths: sub/gearbox/disc.position. Of interfaces: "
     "wrist.force (mean over the macro step, on the second end, in world axes: N, N m; NaN where "
     "redundant rows leave it open), wrist.pose_error (m, rad), wrist.energy_residual (J), "
     "wrist.rank and wrist.condition of its rows' admittance. macro.wall_time (s). Rows show "
     "the state before the events of their time"},
    {"compare", FLG_FIELD_SECTION, offsetof(flg_scenario, compare), "what 'flange compare' runs",
     .section = &compare_section},
    {"ground", FLG_FIELD_SECTION, offsetof(flg_scenario, ground), "what every subsystem stands on",
     .section = &flg_ground_section},
    {"materials", FLG_FIELD_MAP, offsetof(flg_scenario, materials),
     "what the ground, and shapes without a material, are made of, by name",
     .section = &flg_material_section},
    {"contacts", FLG_FIELD_SECTION, offsetof(flg_scenario, contacts), "how contacts are solved",
     .section = &flg_contacts_section},
};
const flg_section flg_scenario_section = {
    "scenario",
    "A scenario file says which parts are simulated, for how long, and what is recorded. "
    "`include: other.yaml` adds the keys of another file.",
    sizeof(flg_scenario),
    scenario_fields,
    COUNT(scenario_fields),
    .example = "{flange: 1, time: {end: 10}, subsystems: {arm: {model: arm.yaml}}}"};

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
