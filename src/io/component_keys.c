#include "io/component_keys.h"
#include "io/flexible_keys.h"

static const char *const coordinate_words[] = {"distance", "slide", "angle", NULL};

#define IN_THE_COMPONENT "where its frame is in that of the component, at the start"

static const flg_field body_fields[] = {
    FLG_MASS_FIELDS(flg_component_body_keys, "of no consequence if it is fixed"),
    FLG_PLACEMENT_FIELDS(flg_component_body_keys, IN_THE_COMPONENT),
    FLG_KEY(flg_component_body_keys, velocity, VECTOR,
            "of its origin at the start, in the component's axes", .size = 3, .unit = "m/s",
            .fallback = "[0, 0, 0]"),
    FLG_KEY(flg_component_body_keys, angular_velocity, VECTOR,
            "at the start, in the component's axes", .size = 3, .unit = "rad/s",
            .fallback = "[0, 0, 0]"),
    FLG_KEY(flg_component_body_keys, fixed, FLAG, "to the ground", .fallback = "false"),
    FLG_KEY(
        flg_component_body_keys, point, FLAG,
        "a point mass at its centre: it has no inertia, does not turn, and has no axes for joints",
        .fallback = "false"),
    FLG_KEY(flg_component_body_keys, gravity, VECTOR,
            "its own gravity in world axes, if it differs from that of the subsystem", .size = 3,
            .unit = "m/s^2"),
    FLG_KEY(flg_component_body_keys, shapes, LIST, "what it looks like and touches with",
            .section = &flg_shape_section),
    FLG_KEY(flg_component_body_keys, flexible, SECTION,
            "it deforms (docs/flexible.md); one without mass gets that of its beam",
            .section = &flg_flexible_section),
    FLG_KEY(flg_component_body_keys, elastic, NUMBERS,
            "elastic coordinates of a flexible body at the start; 0 if absent"),
    FLG_KEY(flg_component_body_keys, elastic_velocity, NUMBERS, "and their rates"),
};
static const flg_section body_section =
    FLG_SECTION("component body", flg_component_body_keys, body_fields,
                "A body that moves freely, but for joints.", "{mass: 2, inertia: [0.1, 0.1, 0.2]}");

static const flg_field robot_fields[] = {
    FLG_KEY(flg_component_robot_keys, model, FILE, "its model file, .urdf or .yaml",
            .required = true),
    FLG_PLACEMENT_FIELDS(flg_component_robot_keys,
                         "where the model's world is in the component's frame"),
    FLG_ROBOT_FIELDS(flg_component_robot_keys),
};
static const flg_section robot_section =
    FLG_SECTION("component robot", flg_component_robot_keys, robot_fields,
                "An articulated part, in joint coordinates.", "{model: arm.urdf}");

static const flg_field inner_fields[] = {
    FLG_KEY(flg_inner_component_keys, file, FILE,
            "its component file; a file can be used any number of times", .required = true),
    FLG_PLACEMENT_FIELDS(flg_inner_component_keys, IN_THE_COMPONENT),
    FLG_KEY(flg_inner_component_keys, parameters, VALUES,
            "values for parameters of the file; others have their defaults"),
    FLG_KEY(flg_inner_component_keys, inputs, SIGNALS,
            "signals of this component for the inputs of the file; others have their defaults"),
};
static const flg_section inner_section =
    FLG_SECTION("inner component", flg_inner_component_keys, inner_fields,
                "Another component as a part. Only its ports and outputs are seen from outside.",
                "{file: wheel.yaml}");

static const flg_field joint_fields[] = {
    FLG_KEY(flg_component_joint_keys, kind, CHOICE, "what it does", .required = true,
            .choices = flg_constraint_words, .aliases = flg_joint_aliases),
    FLG_KEY_AT(flg_component_joint_keys, pair.between, "between", TEXTS, FLG_ENDS_HELP, .size = 2),
    FLG_PAIR_FIELDS(
        flg_component_joint_keys,
        "direction in its frame that becomes z of the joint, of any length; of a universal "
        "joint: the axis that is fixed in the first body"),
    FLG_JOINT_KIND_FIELDS,
};
/* The keys of a joint in it. */
static const flg_section joint_section =
    FLG_SECTION("component joint", flg_component_joint_keys, joint_fields,
                "What holds two ends together. The first end is the reference; angles and slides "
                "are of the second end, about and along z of the first.",
                "{kind: revolute, between: [world, arm], axis: [0, 1, 0]}");

static const flg_field sensor_fields[] = {
    FLG_KEY(flg_component_sensor_keys, measure, CHOICE,
            "distance: between the origins; slide: of the second end along z of the first; angle: "
            "about z",
            .required = true, .choices = coordinate_words),
    FLG_KEY_AT(flg_component_sensor_keys, pair.between, "between", TEXTS, FLG_ENDS_HELP,
               .required = true, .size = 2),
    FLG_PAIR_FIELDS(flg_component_sensor_keys,
                    "direction in its frame that becomes z of both ends, of any length"),
};
static const flg_section sensor_section =
    FLG_SECTION("sensor", flg_component_sensor_keys, sensor_fields,
                "A number between two ends, to record or to act on.",
                "{measure: distance, between: [left, right]}");

#define FRAME_FIELDS                                                                          \
  FLG_KEY_AT(flg_component_frame_keys, placement.at, "at", VECTOR,                            \
             "where its frame is on the body; its origin if absent", .size = 3, .unit = "m"), \
      FLG_KEY_AT(flg_component_frame_keys, placement.turn, "turn", VECTOR,                    \
                 "roll, pitch, yaw of its frame; 0 if absent", .size = 3, .unit = "rad")

static const flg_field port_fields[] = {
    FLG_KEY(flg_component_frame_keys, body, TEXT,
            "what it is fixed to: a body, world, or robot/body"),
    FLG_KEY(flg_component_frame_keys, of, TEXT,
            "in place of `body`: component/port or robot/port, handed on"),
    FRAME_FIELDS,
};
static const flg_section port_section =
    FLG_SECTION("component port", flg_component_frame_keys, port_fields,
                "Where the component is joined to others.", "{body: arm, at: [0.5, 0, 0]}");

static const flg_field marker_fields[] = {
    FLG_KEY(flg_component_frame_keys, body, TEXT,
            "what it is fixed to: a body, world, or robot/body", .required = true),
    FRAME_FIELDS,
};
static const flg_section marker_section =
    FLG_SECTION("component marker", flg_component_frame_keys, marker_fields,
                "A frame on a body, to join or to look at.", "{body: arm, at: [0.5, 0, 0]}");

/* maps of elements between two frames */
#define LISTED_FIELD(word, key, help)                                                 \
  {key, FLG_FIELD_MAP, offsetof(flg_component_keys, listed[FLG_LISTED_##word]), help, \
   .section = &flg_##word##_section},

static const flg_field component_fields[] = {
    FLG_KEY_AT(flg_component_keys, version, "flange-component", INTEGER, "version of the format",
               .required = true, .range = FLG_RANGE_BETWEEN, .least = 1, .most = 1),
    FLG_KEY(flg_component_keys, name, TEXT, "for people"),
    FLG_KEY(flg_component_keys, parameters, VALUES,
            "numbers by name with their defaults, which may use those before them; ~: the file "
            "that uses this one must give it"),
    FLG_KEY(flg_component_keys, bodies, MAP, "bodies by name", .section = &body_section),
    FLG_KEY(flg_component_keys, robots, MAP, "articulated parts by name",
            .section = &robot_section),
    FLG_KEY(flg_component_keys, components, MAP, "other components by name",
            .section = &inner_section),
    FLG_KEY(flg_component_keys, joints, MAP, "joints by name", .section = &joint_section),
    FLG_KEY(flg_component_keys, springs, MAP, "springs by name", .section = &flg_spring_section),
    FLG_KEY(flg_component_keys, forces, MAP, "forces and efforts by name",
            .section = &flg_force_section),
    FLG_KEY(flg_component_keys, sensors, MAP, "sensors by name", .section = &sensor_section),
    FLG_KEY(flg_component_keys, signals, MAP, "sources, formulas, controllers and filters by name",
            .section = &flg_signal_section),
    FLG_KEY(flg_component_keys, motors, MAP, "motors by name", .section = &flg_motor_section),
    FLG_KEY(flg_component_keys, efforts, MAP, "efforts that signals drive, by name",
            .section = &flg_effort_section),
    FLG_KEY(flg_component_keys, inputs, MAP,
            "signals by name that the file which uses this one connects",
            .section = &flg_input_section),
    FLG_KEY(flg_component_keys, outputs, TEXTS,
            "signals that the file which uses this one can name: NAME/OUTPUT"),
    FLG_KEY(flg_component_keys, ports, MAP, "where it is joined to others",
            .section = &port_section),
    FLG_KEY(flg_component_keys, markers, MAP, "frames on bodies", .section = &marker_section),
    FLG_KEY(flg_component_keys, shapes, LIST, "what stands on the ground, in the component's frame",
            .section = &flg_shape_section),
    FLG_KEY(flg_component_keys, materials, MAP, "what shapes are made of, by name",
            .section = &flg_material_section),
    FLG_KEY(flg_component_keys, contacts, SECTION, "which shapes touch, and how",
            .section = &flg_touching_section),
    FLG_LISTED_FORCE_LIST(LISTED_FIELD)};
const flg_section flg_component_section = FLG_SECTION(
    "component", flg_component_keys, component_fields,
    "A system of bodies, robots and other components. Any number may be computed, as in "
    "`=mass*length^2/12`: + - * / ^, parentheses, sqrt, sin, cos, tan, asin, acos, atan, atan2, "
    "sinh, cosh, tanh, exp, log, log10, hypot, abs, sign, floor, ceil, round, mod, min, max, pi "
    "and the parameters; with commas in quotes. Names have no `/` and no `.`. A signal is an "
    "expression as well, but without the `=`, and its names are those of the signals, too: `time`; "
    "NAME, NAME.velocity of a joint, sensor or spring (NAME.angle, NAME.slide.velocity where it "
    "has both); NAME of a signal, and NAME.rate of a source or filter; NAME.current, NAME.torque, "
    "NAME.voltage of a motor; NAME of an effort; COMPONENT/OUTPUT, without blanks.",
    "{flange-component: 1, bodies: {ball: {mass: 2, inertia: [0.1, 0.1, 0.1]}}}");
