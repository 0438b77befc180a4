#include "io/model_keys.h"

#include <math.h>
#include <string.h>

#include "io/mesh_file.h"

#define SHAPE_WORD(kind, name, sizes) name,
static const char *const shape_words[] = {FLG_SHAPE_KIND_LIST(SHAPE_WORD) NULL};

static const flg_field shape_fields[] = {
    {"kind", FLG_FIELD_CHOICE, offsetof(flg_shape_keys, kind), "what it is", .required = true,
     .choices = shape_words},
    {"size", FLG_FIELD_NUMBERS, offsetof(flg_shape_keys, size),
     "box: lengths; cylinder, capsule: radius, length along z; sphere: radius; mesh: scale; "
     "height-field: spacing in x, in y",
     .unit = "m"},
    {"values", FLG_FIELD_NUMBERS, offsetof(flg_shape_keys, values),
     "points: x, y, z of each; height-field: heights, row after row along x", .unit = "m"},
    {"columns", FLG_FIELD_INTEGER, offsetof(flg_shape_keys, columns),
     "height-field: heights in a row", .fallback = "0"},
    FLG_PLACEMENT_FIELDS(flg_shape_keys, "where its frame is on the body"),
    {"name", FLG_FIELD_TEXT, offsetof(flg_shape_keys, name), "to refer to it"},
    {"mesh", FLG_FIELD_FILE, offsetof(flg_shape_keys, mesh),
     "file of a mesh, or package://NAME/FILE"},
    {"collision", FLG_FIELD_FLAG, offsetof(flg_shape_keys, collision),
     "true: for contact; false: only to be seen", .fallback = "false"},
    {"colour", FLG_FIELD_NUMBERS, offsetof(flg_shape_keys, colour), "red, green, blue, opacity",
     .size = 4, .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1},
};
const flg_section flg_shape_section = {"shape", "What a body looks like, or touches with.",
                                       sizeof(flg_shape_keys), shape_fields,
                                       (int)(sizeof shape_fields / sizeof shape_fields[0])};

flg_pose flg_placement_pose(const flg_placement_keys *keys) {
  flg_pose pose = flg_pose_identity();
  if (!isnan(keys->turn[0])) pose.rotation = flg_mat3_from_roll_pitch_yaw(keys->turn);
  if (!isnan(keys->at[0])) pose.position = flg_vec3_load(keys->at);
  return pose;
}

flg_sym3 flg_inertia_of_keys(const flg_numbers *numbers, const flg_origin *of,
                             flg_mistakes *mistakes) {
  const double *values = numbers->values;
  const bool full = numbers->count == 6;
  if (numbers->count != 3 && !full) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, of->place,
                    "inertia: body '%s' has %d numbers, expected 3 (xx, yy, zz) or 6 (and xy, xz, "
                    "yz)",
                    of->name, numbers->count);
    return (flg_sym3){0};
  }
  flg_sym3 inertia = {.xx = values[0], .yy = values[1], .zz = values[2]};
  if (full) inertia.xy = values[3], inertia.xz = values[4], inertia.yz = values[5];
  return inertia;
}

/* one that lies in a package, or else beside the file */
static const char *mesh_of(const flg_shape_keys *keys, flg_region *region) {
  const bool is_address = strstr(keys->mesh, "://") != NULL;
  return is_address ? flg_mesh_path(region, keys->origin.place.file, keys->mesh) : keys->mesh;
}

/* Whether a kind is given by values, which the others must not have. */
static bool has_values(int kind) {
  return kind == FLG_SHAPE_POINTS || kind == FLG_SHAPE_HEIGHT_FIELD;
}

flg_shape flg_shape_of_keys(const flg_shape_keys *keys, int body, flg_region *region,
                            flg_mistakes *mistakes) {
  flg_shape shape = {.name = keys->name,
                     .place = keys->origin.place,
                     .body = body,
                     .collision = keys->collision,
                     .kind = (flg_shape_kind)keys->kind,
                     .size = {1, 1, 1},
                     .pose = flg_placement_pose(&keys->placement),
                     .mesh = keys->mesh == NULL ? NULL : mesh_of(keys, region),
                     .colour = {NAN, NAN, NAN, NAN},
                     .values = keys->values.values,
                     .value_count = keys->values.count,
                     .columns = keys->columns};
  if (keys->values.count > 0 && !has_values(keys->kind)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "values: a %s has none; only points and a height-field do",
                    shape_words[keys->kind]);
  }
  const int sizes = flg_shape_kind_sizes(shape.kind);
  const bool scaled_mesh = keys->kind == FLG_SHAPE_MESH && keys->size.count == 0;
  if (keys->size.count != sizes && !scaled_mesh) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "size: a %s has %d numbers, found %d", shape_words[keys->kind], sizes,
                    keys->size.count);
    return shape;
  }
  if (keys->kind == FLG_SHAPE_MESH && keys->mesh == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "key 'mesh' is missing: a mesh needs a file");
  }
  for (int k = 0; k < keys->size.count; k++) shape.size[k] = keys->size.values[k];
  for (int k = 0; k < 4 && keys->colour.count == 4; k++) shape.colour[k] = keys->colour.values[k];
  return shape;
}
