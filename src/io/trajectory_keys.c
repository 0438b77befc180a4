#include "io/trajectory_keys.h"

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

static const flg_field around_fields[] = {
    {"point", FLG_FIELD_VECTOR, offsetof(flg_around_keys, point), "on the line, in world axes",
     .size = 3, .unit = "m"},
    {"axis", FLG_FIELD_VECTOR, offsetof(flg_around_keys, axis), "direction of the line", .size = 3},
    {"angle", FLG_FIELD_NUMBER, offsetof(flg_around_keys, angle), "by which the frame turns",
     .unit = "rad"},
};
static const flg_section around_section = {
    "turn around a line",    "The frame turns as one piece about a line that stands in the world.",
    sizeof(flg_around_keys), around_fields,
    COUNT(around_fields),    .example = "{point: [1, 0, 0], axis: [0, 1, 0], angle: 45 deg}"};

static const flg_field target_fields[] = {
    {"at", FLG_FIELD_NUMBER, offsetof(flg_target_keys, at), "when it is there, at rest", true,
     .range = FLG_RANGE_NOT_NEGATIVE, .unit = "s"},
    {"position", FLG_FIELD_VECTOR, offsetof(flg_target_keys, position),
     "of the frame in world axes; if absent it is kept", .size = 3, .unit = "m"},
    {"turn", FLG_FIELD_VECTOR, offsetof(flg_target_keys, turn),
     "roll, pitch, yaw of the frame in world axes; if absent its orientation is kept", .size = 3,
     .unit = "rad"},
    {"relative", FLG_FIELD_FLAG, offsetof(flg_target_keys, relative),
     "position and turn are added to those at the start of the path", .fallback = "false"},
    {"around", FLG_FIELD_SECTION, offsetof(flg_target_keys, around),
     "instead of position and turn: a turn about a line", .section = &around_section},
    {"joints", FLG_FIELD_NUMBERS, offsetof(flg_target_keys, joints),
     "instead of all of these: a position for each joint with one coordinate that mimics none, in "
     "the model's order, rad or m"},
};
static const flg_section target_section = {
    "target",
    "Where the frame is at a time. It comes there on a straight line and by the shortest turn, or "
    "joint by joint, with a quintic in time from rest to rest. A target with nothing but a time is "
    "a rest.",
    sizeof(flg_target_keys),
    target_fields,
    COUNT(target_fields),
    .example = "{at: 2, position: [1, 0, 0.5]}"};

static const flg_field trajectory_fields[] = {
    {"flange-trajectory", FLG_FIELD_INTEGER, offsetof(flg_trajectory_keys, version),
     "version of the format", true, .range = FLG_RANGE_BETWEEN, .least = 1, .most = 1},
    {"subsystem", FLG_FIELD_TEXT, offsetof(flg_trajectory_keys, subsystem),
     "of the scenario; if absent: the only one"},
    {"frame", FLG_FIELD_TEXT, offsetof(flg_trajectory_keys, frame),
     "that follows the path: a port, a marker or a body of the model", true},
    {"position_only", FLG_FIELD_FLAG, offsetof(flg_trajectory_keys, position_only),
     "the orientation of the frame does not matter", .fallback = "false"},
    {"sample", FLG_FIELD_NUMBER, offsetof(flg_trajectory_keys, sample),
     "interval between two rows of the trajectory", .range = FLG_RANGE_POSITIVE, .unit = "s",
     .fallback = "1/60"},
    {"start", FLG_FIELD_VALUES, offsetof(flg_trajectory_keys, start),
     "positions at time 0 by joint, rad or m; those of the scenario for joints that are not named"},
    {"lock", FLG_FIELD_TEXTS, offsetof(flg_trajectory_keys, lock),
     "joints that stay as they start"},
    {"path", FLG_FIELD_LIST, offsetof(flg_trajectory_keys, path), "targets, one after the other",
     true, .size = 1, .section = &target_section},
};
const flg_section flg_trajectory_section = {
    "trajectory",
    "A file of targets says where a tool shall be, and when; `flange trajectory` makes positions "
    "of joints of it.",
    sizeof(flg_trajectory_keys),
    trajectory_fields,
    COUNT(trajectory_fields),
    .example = "{flange-trajectory: 1, frame: tool, path: [{at: 2, position: [1, 0, 0.5]}]}"};
