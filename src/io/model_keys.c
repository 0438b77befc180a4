#include "io/model_keys.h"

static const char *const collision_words[] = {"auto", "true", "false", NULL};

static const flg_field shape_fields[] = {
    FLG_KEY(flg_shape_keys, kind, CHOICE, "what it is", .required = true,
            .choices = flg_shape_words),
    FLG_KEY(flg_shape_keys, size, NUMBERS,
            "box: lengths; cylinder, capsule: radius, length along z; sphere: radius; mesh: scale; "
            "height-field: spacing in x, in y",
            .unit = "m"),
    FLG_KEY(flg_shape_keys, values, NUMBERS,
            "points: x, y, z of each; height-field: heights, row after row along x", .unit = "m"),
    FLG_KEY(flg_shape_keys, points, VALUES,
            "points with names, in place of values: {U: [x, y, z], ...}", .unit = "m"),
    FLG_KEY(flg_shape_keys, columns, INTEGER, "height-field: heights in a row", .fallback = "0"),
    FLG_PLACEMENT_FIELDS(flg_shape_keys, "where its frame is on the body"),
    FLG_KEY(flg_shape_keys, name, TEXT, "to refer to it"),
    FLG_KEY(flg_shape_keys, mesh, FILE, "file of a mesh, or package://NAME/FILE"),
    FLG_KEY(flg_shape_keys, collision, CHOICE,
            "true: for contact; false: only to be seen; auto: true for planes, height-fields and "
            "points, and where a key below is given",
            .choices = collision_words, .fallback = "auto"),
    FLG_KEY(flg_shape_keys, material, TEXT,
            "of the file's materials; if absent: friction 0.5, restitution 0, or what the scenario "
            "says"),
    FLG_KEY(flg_shape_keys, friction, NUMBER, "in place of a material: coefficient of its own",
            .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(flg_shape_keys, restitution, NUMBER, "in place of a material: its own",
            .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1),
    FLG_KEY(flg_shape_keys, group, TEXT, "any word: what it is, for `collides` of others"),
    FLG_KEY(flg_shape_keys, collides, TEXTS,
            "groups that it touches, and no others; if absent: all. Both shapes have to agree"),
    FLG_KEY(flg_shape_keys, colour, NUMBERS, "red, green, blue, opacity", .size = 4,
            .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1),
};
const flg_section flg_shape_section = {"shape",
                                       "What a body looks like, or touches with.",
                                       sizeof(flg_shape_keys),
                                       shape_fields,
                                       (int)(sizeof shape_fields / sizeof shape_fields[0]),
                                       .example = "{kind: box, size: [1, 1, 1]}"};
