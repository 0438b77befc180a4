#include "io/component_keys.h"
#include "io/flexible_keys.h"

#define COUNT FLG_COUNT

static const char *const coordinate_words[] = {"distance", "slide", "angle", NULL};

#define IN_THE_COMPONENT "where its frame is in that of the component, at the start"

static const flg_field body_fields[] = {
    FLG_MASS_FIELDS(flg_component_body_keys, "of no consequence if it is fixed"),
    FLG_PLACEMENT_FIELDS(flg_component_body_keys, IN_THE_COMPONENT),
    {"velocity", FLG_FIELD_VECTOR, offsetof(flg_component_body_keys, velocity),
     "of its origin at the start, in the component's axes", .size = 3, .unit = "m/s",
     .fallback = "[0, 0, 0]"},
    {"angular_velocity", FLG_FIELD_VECTOR, offsetof(flg_component_body_keys, angular_velocity),
     "at the start, in the component's axes", .size = 3, .unit = "rad/s", .fallback = "[0, 0, 0]"},
    {"fixed", FLG_FIELD_FLAG, offsetof(flg_component_body_keys, fixed), "to the ground",
     .fallback = "false"},
    {"point", FLG_FIELD_FLAG, offsetof(flg_component_body_keys, point),
     "a point mass at its centre: it has no inertia, does not turn, and has no axes for joints",
     .fallback = "false"},
    {"gravity", FLG_FIELD_VECTOR, offsetof(flg_component_body_keys, gravity),
     "its own gravity in world axes, if it differs from that of the subsystem", .size = 3,
     .unit = "m/s^2"},
    {"shapes", FLG_FIELD_LIST, offsetof(flg_component_body_keys, shapes),
     "what it looks like and touches with", .section = &flg_shape_section},
    {"flexible", FLG_FIELD_SECTION, offsetof(flg_component_body_keys, flexible),
     "it deforms (docs/flexible.md); one without mass gets that of its beam",
     .section = &flg_flexible_section},
    {"elastic", FLG_FIELD_NUMBERS, offsetof(flg_component_body_keys, elastic),
     "elastic coordinates of a flexible body at the start; 0 if absent"},
    {"elastic_velocity", FLG_FIELD_NUMBERS, offsetof(flg_component_body_keys, elastic_velocity),
     "and their rates"},
};
static const flg_section body_section = {"component body",
                                         "A body that moves freely, but for joints.",
                                         sizeof(flg_component_body_keys),
                                         body_fields,
                                         COUNT(body_fields),
                                         .example = "{mass: 2, inertia: [0.1, 0.1, 0.2]}"};

static const flg_field robot_fields[] = {
    {"model", FLG_FIELD_FILE, offsetof(flg_component_robot_keys, model),
     "its model file, .urdf or .yaml", .required = true},
    FLG_PLACEMENT_FIELDS(flg_component_robot_keys,
                         "where the model's world is in the component's frame"),
    FLG_ROBOT_FIELDS(flg_component_robot_keys),
};
static const flg_section robot_section = {"component robot",
                                          "An articulated part, in joint coordinates.",
                                          sizeof(flg_component_robot_keys),
                                          robot_fields,
                                          COUNT(robot_fields),
                                          .example = "{model: arm.urdf}"};

static const flg_field inner_fields[] = {
    {"file", FLG_FIELD_FILE, offsetof(flg_inner_component_keys, file),
     "its component file; a file can be used any number of times", .required = true},
    FLG_PLACEMENT_FIELDS(flg_inner_component_keys, IN_THE_COMPONENT),
    {"parameters", FLG_FIELD_VALUES, offsetof(flg_inner_component_keys, parameters),
     "values for parameters of the file; others have their defaults"},
    {"inputs", FLG_FIELD_SIGNALS, offsetof(flg_inner_component_keys, inputs),
     "signals of this component for the inputs of the file; others have their defaults"},
};
static const flg_section inner_section = {
    "inner component",
    "Another component as a part. Only its ports and outputs are seen from outside.",
    sizeof(flg_inner_component_keys),
    inner_fields,
    COUNT(inner_fields),
    .example = "{file: wheel.yaml}"};

static const flg_field joint_fields[] = {
    {"kind", FLG_FIELD_CHOICE, offsetof(flg_component_joint_keys, kind), "what it does",
     .required = true, .choices = flg_constraint_words, .aliases = flg_joint_aliases},
    {"between", FLG_FIELD_TEXTS, offsetof(flg_component_joint_keys, pair.between), FLG_ENDS_HELP,
     .size = 2},
    FLG_PAIR_FIELDS(
        flg_component_joint_keys,
        "direction in its frame that becomes z of the joint, of any length; of a universal "
        "joint: the axis that is fixed in the first body"),
    FLG_JOINT_KIND_FIELDS,
};
/* The keys of a joint in it. */
static const flg_section joint_section = {
    "component joint",
    "What holds two ends together. The first end is the reference; angles and slides are of the "
    "second end, about and along z of the first.",
    sizeof(flg_component_joint_keys),
    joint_fields,
    COUNT(joint_fields),
    .example = "{kind: revolute, between: [world, arm], axis: [0, 1, 0]}"};

static const flg_field sensor_fields[] = {
    {"measure", FLG_FIELD_CHOICE, offsetof(flg_component_sensor_keys, measure),
     "distance: between the origins; slide: of the second end along z of the first; angle: about z",
     .required = true, .choices = coordinate_words},
    {"between", FLG_FIELD_TEXTS, offsetof(flg_component_sensor_keys, pair.between), FLG_ENDS_HELP,
     .required = true, .size = 2},
    FLG_PAIR_FIELDS(flg_component_sensor_keys,
                    "direction in its frame that becomes z of both ends, of any length"),
};
static const flg_section sensor_section = {
    "sensor",
    "A number between two ends, to record or to act on.",
    sizeof(flg_component_sensor_keys),
    sensor_fields,
    COUNT(sensor_fields),
    .example = "{measure: distance, between: [left, right]}"};

#define FRAME_FIELDS                                                              \
  {"at",                                                                          \
   FLG_FIELD_VECTOR,                                                              \
   offsetof(flg_component_frame_keys, placement.at),                              \
   "where its frame is on the body; its origin if absent",                        \
   .size = 3,                                                                     \
   .unit = "m"},                                                                  \
  {                                                                               \
    "turn", FLG_FIELD_VECTOR, offsetof(flg_component_frame_keys, placement.turn), \
        "roll, pitch, yaw of its frame; 0 if absent", .size = 3, .unit = "rad"    \
  }

static const flg_field port_fields[] = {
    {"body", FLG_FIELD_TEXT, offsetof(flg_component_frame_keys, body),
     "what it is fixed to: a body, world, or robot/body"},
    {"of", FLG_FIELD_TEXT, offsetof(flg_component_frame_keys, of),
     "in place of `body`: component/port or robot/port, handed on"},
    FRAME_FIELDS,
};
static const flg_section port_section = {"component port",
                                         "Where the component is joined to others.",
                                         sizeof(flg_component_frame_keys),
                                         port_fields,
                                         COUNT(port_fields),
                                         .example = "{body: arm, at: [0.5, 0, 0]}"};

static const flg_field marker_fields[] = {
    {"body", FLG_FIELD_TEXT, offsetof(flg_component_frame_keys, body),
     "what it is fixed to: a body, world, or robot/body", .required = true},
    FRAME_FIELDS,
};
static const flg_section marker_section = {"component marker",
                                           "A frame on a body, to join or to look at.",
                                           sizeof(flg_component_frame_keys),
                                           marker_fields,
                                           COUNT(marker_fields),
                                           .example = "{body: arm, at: [0.5, 0, 0]}"};

/* maps of elements between two frames */
#define LISTED_FIELD(word, key, help)                                                 \
  {key, FLG_FIELD_MAP, offsetof(flg_component_keys, listed[FLG_LISTED_##word]), help, \
   .section = &flg_##word##_section},

static const flg_field component_fields[] = {
    {"flange-component", FLG_FIELD_INTEGER, offsetof(flg_component_keys, version),
     "version of the format", .required = true, .range = FLG_RANGE_BETWEEN, .least = 1, .most = 1},
    {"name", FLG_FIELD_TEXT, offsetof(flg_component_keys, name), "for people"},
    {"parameters", FLG_FIELD_VALUES, offsetof(flg_component_keys, parameters),
     "numbers by name with their defaults, which may use those before them; ~: the file that uses "
     "this one must give it"},
    {"bodies", FLG_FIELD_MAP, offsetof(flg_component_keys, bodies), "bodies by name",
     .section = &body_section},
    {"robots", FLG_FIELD_MAP, offsetof(flg_component_keys, robots), "articulated parts by name",
     .section = &robot_section},
    {"components", FLG_FIELD_MAP, offsetof(flg_component_keys, components),
     "other components by name", .section = &inner_section},
    {"joints", FLG_FIELD_MAP, offsetof(flg_component_keys, joints), "joints by name",
     .section = &joint_section},
    {"springs", FLG_FIELD_MAP, offsetof(flg_component_keys, springs), "springs by name",
     .section = &flg_spring_section},
    {"forces", FLG_FIELD_MAP, offsetof(flg_component_keys, forces), "forces and efforts by name",
     .section = &flg_force_section},
    {"sensors", FLG_FIELD_MAP, offsetof(flg_component_keys, sensors), "sensors by name",
     .section = &sensor_section},
    {"signals", FLG_FIELD_MAP, offsetof(flg_component_keys, signals),
     "sources, formulas, controllers and filters by name", .section = &flg_signal_section},
    {"motors", FLG_FIELD_MAP, offsetof(flg_component_keys, motors), "motors by name",
     .section = &flg_motor_section},
    {"efforts", FLG_FIELD_MAP, offsetof(flg_component_keys, efforts),
     "efforts that signals drive, by name", .section = &flg_effort_section},
    {"inputs", FLG_FIELD_MAP, offsetof(flg_component_keys, inputs),
     "signals by name that the file which uses this one connects", .section = &flg_input_section},
    {"outputs", FLG_FIELD_TEXTS, offsetof(flg_component_keys, outputs),
     "signals that the file which uses this one can name: NAME/OUTPUT"},
    {"ports", FLG_FIELD_MAP, offsetof(flg_component_keys, ports), "where it is joined to others",
     .section = &port_section},
    {"markers", FLG_FIELD_MAP, offsetof(flg_component_keys, markers), "frames on bodies",
     .section = &marker_section},
    {"shapes", FLG_FIELD_LIST, offsetof(flg_component_keys, shapes),
     "what stands on the ground, in the component's frame", .section = &flg_shape_section},
    {"materials", FLG_FIELD_MAP, offsetof(flg_component_keys, materials),
     "what shapes are made of, by name", .section = &flg_material_section},
    {"contacts", FLG_FIELD_SECTION, offsetof(flg_component_keys, contacts),
     "who touches whom, and how", .section = &flg_touching_section},
    FLG_LISTED_FORCE_LIST(LISTED_FIELD)};
const flg_section flg_component_section = {
    "component",
    "A system of bodies, robots and other components. Any number may be computed, as in "
    "`=mass*length^2/12`: + - * / ^, parentheses, sqrt, sin, cos, tan, asin, acos, atan, atan2, "
    "sinh, cosh, tanh, exp, log, log10, hypot, abs, sign, floor, ceil, round, mod, min, max, pi "
    "and "
    "the parameters; with commas in quotes. Names have no `/` and no `.`. A "
    "signal "
    "is an expression as well, but without the `=`, and its names are those of the signals, too: "
    "`time`; NAME, NAME.velocity of a joint, sensor or spring (NAME.angle, NAME.slide.velocity "
    "where "
    "it has both); NAME of a signal, and NAME.rate of a source or filter; NAME.current, "
    "NAME.torque, "
    "NAME.voltage of a motor; NAME of an effort; COMPONENT/OUTPUT, without blanks.",
    sizeof(flg_component_keys),
    component_fields,
    COUNT(component_fields),
    .example = "{flange-component: 1, bodies: {ball: {mass: 2, inertia: [0.1, 0.1, 0.1]}}}"};
