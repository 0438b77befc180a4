#include "model/part_check.h"

#include <string.h>

#include "base/name_index.h"

static const double INERTIA_TOLERANCE = 1e-9;  /* of the largest principal moment */
static const double ROTATION_TOLERANCE = 1e-6; /* of R^T R - 1: files round their angles */

bool flg_part_is_place(const flg_pose *pose) {
  const flg_mat3 product = flg_mat3_multiply_transposed(&pose->rotation, &pose->rotation);
  const flg_mat3 one = flg_mat3_identity();
  for (int k = 0; k < 9; k++) {
    if (!(fabs(product.m[k] - one.m[k]) <= ROTATION_TOLERANCE)) return false;
  }
  /* R^T R = 1 holds for mirrored axes too: only right-handed ones are a rotation. */
  const flg_vec3 x = flg_mat3_column(&pose->rotation, 0), y = flg_mat3_column(&pose->rotation, 1);
  const flg_vec3 z = flg_mat3_column(&pose->rotation, 2);
  return flg_vec3_dot(flg_vec3_cross(x, y), z) > 0 && flg_part_is_finite(pose->position);
}

/* --- names -------------------------------------------------------------------------------------
 */

/* Copied, as the parts are of many types. */
static flg_part_head head_of(const void *parts, size_t part_bytes, int index) {
  flg_part_head head;
  memcpy(&head, (const char *)parts + (size_t)index * part_bytes, sizeof head);
  return head;
}

void flg_part_check_names(const char *what, const void *parts, size_t part_bytes, int count,
                          flg_mistakes *mistakes) {
  /* An index of names: comparing each with each grows with the square of their number. */
  flg_region region = {0};
  flg_name_index index = {0};
  for (int k = 0; k < count && !region.failed; k++) {
    const flg_part_head own = head_of(parts, part_bytes, k);
    if (own.name == NULL || own.name[0] == '\0') {
      flg_mistake_add(mistakes, FLG_ERR_INPUT, own.place, "a %s has no name", what);
      continue;
    }
    const int other = flg_name_index_add(&index, own.name, k, &region);
    if (other == FLG_NAME_UNKNOWN) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, own.place,
                    "there are two of %s '%s': the other stands in line %d", what, own.name,
                    head_of(parts, part_bytes, other).place.line);
  }
  if (region.failed) {
    const flg_place file = {.file = head_of(parts, part_bytes, 0).place.file};
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, file, "there is no memory to compare %d names",
                    count);
  }
  flg_region_release(&region);
}

/* --- values ------------------------------------------------------------------------------------
 */

static bool is_finite_sym(flg_sym3 s) {
  return isfinite(s.xx) && isfinite(s.yy) && isfinite(s.zz) && isfinite(s.xy) && isfinite(s.xz) &&
         isfinite(s.yz);
}

bool flg_part_check_inertia(const flg_part_head *body, flg_sym3 inertia, double moment[3],
                            flg_mistakes *mistakes) {
  if (!is_finite_sym(inertia)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "the inertia of body '%s' is not finite", body->name);
    return false;
  }
  flg_sym3_eigenvalues(inertia, moment);
  if (!isfinite(moment[0] + moment[1] + moment[2])) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place, "the inertia of body '%s' is too large",
                    body->name);
    return false;
  }
  const double slack = INERTIA_TOLERANCE * fmax(fabs(moment[0]), fabs(moment[2]));
  if (moment[0] < -slack) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "the inertia of body '%s' is not positive: its principal moments are %g, %g "
                    "and %g kg m^2",
                    body->name, moment[0], moment[1], moment[2]);
    return false;
  }
  /* The triangle inequality of moments holds for every distribution of mass. */
  if (moment[0] + moment[1] < moment[2] - slack) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "the inertia of body '%s' belongs to no mass: of its principal moments %g, %g "
                    "and %g kg m^2 the largest exceeds the sum of the others",
                    body->name, moment[0], moment[1], moment[2]);
    return false;
  }
  return true;
}

/* A mesh may be mirrored by a negative scale, and a capsule be a sphere. */
static bool part_check_is_size(const flg_shape *shape, int index) {
  const double size = shape->size[index];
  if (!isfinite(size)) return false;
  if (shape->kind == FLG_SHAPE_MESH) return size != 0;
  return shape->kind == FLG_SHAPE_CAPSULE && index == 1 ? size >= 0 : size > 0;
}

static void part_check_values(const flg_shape *shape, const char *name, flg_mistakes *mistakes) {
  const int count = shape->value_count, columns = shape->columns;
  if (shape->kind == FLG_SHAPE_POINTS && (count < 3 || count % 3 != 0)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, shape->place,
                    "values: the points %s have %d numbers; expected x, y, z of each", name, count);
  }
  if (shape->kind == FLG_SHAPE_HEIGHT_FIELD &&
      (columns < 2 || count < 2 * columns || count % columns != 0)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, shape->place,
                    "values: the height-field %s has %d heights in rows of %d; expected at least "
                    "two full rows of two",
                    name, count, columns);
  }
  /* One message is enough: a table that is broken has many such numbers. */
  for (int k = 0; k < count; k++) {
    if (isfinite(shape->values[k])) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, shape->place,
                    "values: number %d of the shape %s is not finite", k + 1, name);
    return;
  }
}

void flg_part_check_shape(const flg_shape *shape, int body_count, flg_mistakes *mistakes) {
  const char *name = shape->name == NULL ? "without a name" : shape->name;
  if (shape->body < FLG_WORLD || shape->body >= body_count) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, shape->place,
                    "the shape %s is on no body of the model", name);
  }
  if (!flg_part_is_place(&shape->pose)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, shape->place,
                    "the pose of the shape %s is not a place in space", name);
  }
  for (int k = 0; k < flg_shape_kind_sizes(shape->kind); k++) {
    if (part_check_is_size(shape, k)) continue;
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, shape->place,
                    "the shape %s has the size %g, but must have a positive one", name,
                    shape->size[k]);
  }
  part_check_values(shape, name, mistakes);
}
