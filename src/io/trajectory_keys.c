#include "io/trajectory_keys.h"

static const flg_field around_fields[] = {
    FLG_KEY(flg_around_keys, point, VECTOR, "on the line, in world axes", .size = 3, .unit = "m"),
    FLG_KEY(flg_around_keys, axis, VECTOR, "direction of the line", .size = 3),
    FLG_KEY(flg_around_keys, angle, NUMBER, "by which the frame turns", .unit = "rad"),
};
static const flg_section around_section =
    FLG_SECTION("turn around a line", flg_around_keys, around_fields,
                "The frame turns as one piece about a line that stands in the world.",
                "{point: [1, 0, 0], axis: [0, 1, 0], angle: 45 deg}");

static const flg_field target_fields[] = {
    FLG_KEY(flg_target_keys, at, NUMBER, "when it is there, at rest", true,
            .range = FLG_RANGE_NOT_NEGATIVE, .unit = "s"),
    FLG_KEY(flg_target_keys, position, VECTOR, "of the frame in world axes; if absent it is kept",
            .size = 3, .unit = "m"),
    FLG_KEY(flg_target_keys, turn, VECTOR,
            "roll, pitch, yaw of the frame in world axes; if absent its orientation is kept",
            .size = 3, .unit = "rad"),
    FLG_KEY(flg_target_keys, relative, FLAG,
            "position and turn are added to those at the start of the path", .fallback = "false"),
    FLG_KEY(flg_target_keys, around, SECTION, "instead of position and turn: a turn about a line",
            .section = &around_section),
    FLG_KEY(flg_target_keys, joints, NUMBERS,
            "instead of all of these: a position for each joint with one coordinate that mimics "
            "none, in the model's order, rad or m"),
};
static const flg_section target_section =
    FLG_SECTION("target", flg_target_keys, target_fields,
                "Where the frame is at a time. It comes there on a straight line and by the "
                "shortest turn, or joint by joint, with a quintic in time from rest to rest. A "
                "target with nothing but a time is a rest.",
                "{at: 2, position: [1, 0, 0.5]}");

static const flg_field trajectory_fields[] = {
    FLG_KEY_AT(flg_trajectory_keys, version, "flange-trajectory", INTEGER, "version of the format",
               true, .range = FLG_RANGE_BETWEEN, .least = 1, .most = 1),
    FLG_KEY(flg_trajectory_keys, subsystem, TEXT, "of the scenario; if absent: the only one"),
    FLG_KEY(flg_trajectory_keys, frame, TEXT,
            "that follows the path: a port, a marker or a body of the model", true),
    FLG_KEY(flg_trajectory_keys, position_only, FLAG,
            "the orientation of the frame does not matter", .fallback = "false"),
    FLG_KEY(flg_trajectory_keys, sample, NUMBER, "interval between two rows of the trajectory",
            .range = FLG_RANGE_POSITIVE, .unit = "s", .fallback = "1/60"),
    FLG_KEY(flg_trajectory_keys, start, VALUES,
            "positions at time 0 by joint, rad or m; those of the scenario for joints that are not "
            "named"),
    FLG_KEY(flg_trajectory_keys, lock, TEXTS, "joints that stay as they start"),
    FLG_KEY(flg_trajectory_keys, path, LIST, "targets, one after the other", true, .size = 1,
            .section = &target_section),
};
const flg_section flg_trajectory_section =
    FLG_SECTION("trajectory", flg_trajectory_keys, trajectory_fields,
                "A file of targets says where a tool shall be, and when; `flange trajectory` makes "
                "positions of joints of it.",
                "{flange-trajectory: 1, frame: tool, path: [{at: 2, position: [1, 0, 0.5]}]}");
