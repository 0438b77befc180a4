#include "io/model_keys.h"

static const char *const collision_words[] = {"auto", "true", "false", NULL};

static const flg_field shape_fields[] = {
    {"kind", FLG_FIELD_CHOICE, offsetof(flg_shape_keys, kind), "what it is", .required = true,
     .choices = flg_shape_words},
    {"size", FLG_FIELD_NUMBERS, offsetof(flg_shape_keys, size),
     "box: lengths; cylinder, capsule: radius, length along z; sphere: radius; mesh: scale; "
     "height-field: spacing in x, in y",
     .unit = "m"},
    {"values", FLG_FIELD_NUMBERS, offsetof(flg_shape_keys, values),
     "points: x, y, z of each; height-field: heights, row after row along x", .unit = "m"},
    {"points", FLG_FIELD_VALUES, offsetof(flg_shape_keys, points),
     "points with names, in place of values: {U: [x, y, z], ...}", .unit = "m"},
    {"columns", FLG_FIELD_INTEGER, offsetof(flg_shape_keys, columns),
     "height-field: heights in a row", .fallback = "0"},
    FLG_PLACEMENT_FIELDS(flg_shape_keys, "where its frame is on the body"),
    {"name", FLG_FIELD_TEXT, offsetof(flg_shape_keys, name), "to refer to it"},
    {"mesh", FLG_FIELD_FILE, offsetof(flg_shape_keys, mesh),
     "file of a mesh, or package://NAME/FILE"},
    {"collision", FLG_FIELD_CHOICE, offsetof(flg_shape_keys, collision),
     "true: for contact; false: only to be seen; auto: true for planes, height-fields and points, "
     "and where a key below is given",
     .choices = collision_words, .fallback = "auto"},
    {"material", FLG_FIELD_TEXT, offsetof(flg_shape_keys, material),
     "of the file's materials; if absent: friction 0.5, restitution 0, or what the scenario says"},
    {"friction", FLG_FIELD_NUMBER, offsetof(flg_shape_keys, friction),
     "in place of a material: coefficient of its own", .range = FLG_RANGE_NOT_NEGATIVE},
    {"restitution", FLG_FIELD_NUMBER, offsetof(flg_shape_keys, restitution),
     "in place of a material: its own", .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1},
    {"group", FLG_FIELD_TEXT, offsetof(flg_shape_keys, group),
     "any word: what it is, for `collides` of others"},
    {"collides", FLG_FIELD_TEXTS, offsetof(flg_shape_keys, collides),
     "groups that it touches, and no others; if absent: all. Both shapes have to agree"},
    {"colour", FLG_FIELD_NUMBERS, offsetof(flg_shape_keys, colour), "red, green, blue, opacity",
     .size = 4, .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1},
};
const flg_section flg_shape_section = {"shape",
                                       "What a body looks like, or touches with.",
                                       sizeof(flg_shape_keys),
                                       shape_fields,
                                       (int)(sizeof shape_fields / sizeof shape_fields[0]),
                                       .example = "{kind: box, size: [1, 1, 1]}"};
