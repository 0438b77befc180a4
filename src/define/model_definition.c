#include "define/model_definition.h"

#include <math.h>
#include <string.h>

#define SHAPE_WORD(kind, name, sizes, has_values) name,
const char *const flg_shape_words[] = {FLG_SHAPE_KIND_LIST(SHAPE_WORD) NULL};
const char *const flg_joint_aliases[][2] = {{"fixed", "weld"},          {"weld", "fixed"},
                                            {"ball", "spherical"},      {"spherical", "ball"},
                                            {"continuous", "revolute"}, {NULL, NULL}};
enum { COLLISION_AUTO, COLLISION_TRUE, COLLISION_FALSE };

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

/* True if a shape is for contact. */
static bool collides(const flg_shape_keys *keys, flg_mistakes *mistakes) {
  const bool says_how = keys->material != NULL || !isnan(keys->friction) ||
                        !isnan(keys->restitution) || keys->group != NULL ||
                        keys->collides.count > 0;
  if (keys->collision == COLLISION_FALSE && says_how) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "collision: it is false, but material, friction, restitution, group and "
                    "collides are about contact; leave one or the other out");
  }
  if (keys->collision != COLLISION_AUTO) return keys->collision == COLLISION_TRUE;
  return says_how || keys->kind == FLG_SHAPE_PLANE ||
         flg_shape_kind_has_values((flg_shape_kind)keys->kind);
}

/* Points with names, as values. */
static void take_points(const flg_shape_keys *keys, flg_shape *shape, flg_region *region,
                        flg_mistakes *mistakes) {
  const flg_value *points = keys->points.items;
  const size_t count = (size_t)keys->points.count;
  if (keys->kind != FLG_SHAPE_POINTS || keys->values.count > 0) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "points: they are for shapes of the kind points, in place of values");
    return;
  }
  double *values = flg_region_take(region, 3 * count, sizeof *values);
  const char **names = flg_region_take(region, count, sizeof *names);
  if (values == NULL || names == NULL) return;
  for (size_t k = 0; k < count; k++) {
    names[k] = points[k].origin.name;
    if (points[k].numbers.count == 3) {
      memcpy(values + 3 * k, points[k].numbers.values, 3 * sizeof *values);
    } else {
      flg_mistake_add(mistakes, FLG_ERR_INPUT, points[k].origin.place,
                      "points: '%s' has %d numbers, expected x, y, z", names[k],
                      points[k].numbers.count);
    }
  }
  shape->values = values, shape->value_count = (int)(3 * count);
  shape->point_names = names;
}

static const char *meaning_of_size(int kind) {
  switch ((flg_shape_kind)kind) {
    case FLG_SHAPE_BOX:
      return " (its lengths along x, y and z)";
    case FLG_SHAPE_CYLINDER:
    case FLG_SHAPE_CAPSULE:
      return " (its radius and its length along z)";
    case FLG_SHAPE_SPHERE:
      return " (its radius)";
    case FLG_SHAPE_HEIGHT_FIELD:
      return " (its spacing in x and in y)";
    default:
      return "";
  }
}

flg_shape flg_shape_of_keys(const flg_shape_keys *keys, int body, flg_region *region,
                            flg_mistakes *mistakes) {
  flg_shape shape = {.name = keys->name,
                     .place = keys->origin.place,
                     .body = body,
                     .collision = collides(keys, mistakes),
                     .kind = (flg_shape_kind)keys->kind,
                     .size = {1, 1, 1},
                     .pose = flg_placement_pose(&keys->placement),
                     .mesh = keys->mesh,
                     .colour = {NAN, NAN, NAN, NAN},
                     .values = keys->values.values,
                     .value_count = keys->values.count,
                     .columns = keys->columns};
  shape.is_undecided = keys->collision == COLLISION_AUTO && !shape.collision;
  if (keys->points.count > 0) take_points(keys, &shape, region, mistakes);
  if (keys->values.count > 0 && !flg_shape_kind_has_values(shape.kind)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "values: a %s has none; only points and a height-field do",
                    flg_shape_words[keys->kind]);
  }
  const int sizes = flg_shape_kind_sizes(shape.kind);
  const bool scaled_mesh = keys->kind == FLG_SHAPE_MESH && keys->size.count == 0;
  if (keys->size.count != sizes && !scaled_mesh) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "size: a %s has %d number%s%s, found %d", flg_shape_words[keys->kind], sizes,
                    sizes == 1 ? "" : "s", meaning_of_size(keys->kind), keys->size.count);
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
