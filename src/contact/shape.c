#include "contact/shape.h"

#define KIND_NAME(kind, name) name,
static const char *const NAMES[] = {FLG_CONTACT_KIND_LIST(KIND_NAME)};

const char *flg_contact_kind_name(flg_contact_kind kind) {
  return (unsigned)kind < FLG_CONTACT_KIND_COUNT ? NAMES[kind] : "unknown kind";
}

/* A core with a margin around it: distances are those of cores, less the radii. */
static flg_contact_shape rounded_shape(flg_contact_kind kind, flg_vec3 half, double radius) {
  return (flg_contact_shape){
      .kind = kind, .half = half, .radius = radius, .upper = half, .lower = flg_vec3_negate(half)};
}

static bool is_size(double size) {
  return size > 0 && isfinite(size);
}

static flg_status refuse_size(flg_error *error, flg_contact_kind kind, const char *what,
                              double size) {
  return flg_fail(error, FLG_ERR_RANGE, "The %s of a %s is %g; it must be positive and finite.",
                  what, NAMES[kind], size);
}

/* the half space below z = 0: turned ones touch in every direction, so it has no bounds */
void flg_contact_shape_plane(flg_contact_shape *shape) {
  *shape = (flg_contact_shape){.kind = FLG_CONTACT_PLANE,
                               .lower = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
                               .upper = {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
}

flg_status flg_contact_shape_sphere(flg_contact_shape *shape, double radius, flg_error *error) {
  if (!is_size(radius)) return refuse_size(error, FLG_CONTACT_SPHERE, "radius", radius);
  /* a point with a margin */
  *shape = rounded_shape(FLG_CONTACT_SPHERE, (flg_vec3){0, 0, 0}, radius);
  return FLG_OK;
}

flg_status flg_contact_shape_capsule(flg_contact_shape *shape, double radius, double length,
                                     flg_error *error) {
  if (!is_size(radius)) return refuse_size(error, FLG_CONTACT_CAPSULE, "radius", radius);
  if (length != 0 && !is_size(length))
    return refuse_size(error, FLG_CONTACT_CAPSULE, "length", length);
  /* a segment with a margin */
  *shape = rounded_shape(FLG_CONTACT_CAPSULE, (flg_vec3){0, 0, 0.5 * length}, radius);
  return FLG_OK;
}

flg_status flg_contact_shape_box(flg_contact_shape *shape, flg_vec3 lengths, flg_error *error) {
  if (!is_size(lengths.x)) return refuse_size(error, FLG_CONTACT_BOX, "length in x", lengths.x);
  if (!is_size(lengths.y)) return refuse_size(error, FLG_CONTACT_BOX, "length in y", lengths.y);
  if (!is_size(lengths.z)) return refuse_size(error, FLG_CONTACT_BOX, "length in z", lengths.z);
  *shape = rounded_shape(FLG_CONTACT_BOX, flg_vec3_scale(lengths, 0.5), 0);
  return FLG_OK;
}

flg_status flg_contact_shape_cylinder(flg_contact_shape *shape, double radius, double length,
                                      flg_error *error) {
  if (!is_size(radius)) return refuse_size(error, FLG_CONTACT_CYLINDER, "radius", radius);
  if (!is_size(length)) return refuse_size(error, FLG_CONTACT_CYLINDER, "length", length);
  *shape = rounded_shape(FLG_CONTACT_CYLINDER, (flg_vec3){radius, radius, 0.5 * length}, 0);
  return FLG_OK;
}

/* bounds in the frame of the shape; the broad phase turns them */
static void bound_points(flg_contact_shape *shape, const flg_vec3 *points, int count) {
  shape->lower = shape->upper = points[0];
  for (int k = 1; k < count; k++) {
    const flg_vec3 p = points[k];
    shape->lower =
        (flg_vec3){fmin(shape->lower.x, p.x), fmin(shape->lower.y, p.y), fmin(shape->lower.z, p.z)};
    shape->upper =
        (flg_vec3){fmax(shape->upper.x, p.x), fmax(shape->upper.y, p.y), fmax(shape->upper.z, p.z)};
  }
}

/* The hull is borrowed, and lives as long as the shape. */
void flg_contact_shape_convex(flg_contact_shape *shape, const flg_hull *hull) {
  *shape = (flg_contact_shape){.kind = FLG_CONTACT_CONVEX, .hull = hull};
  bound_points(shape, hull->vertices, hull->vertex_count);
}

/* Points are borrowed, not copied: sets belong to the model. */
flg_status flg_contact_shape_points(flg_contact_shape *shape, const flg_vec3 *points, int count,
                                    flg_error *error) {
  if (count < 1 || count > FLG_CONTACT_SET_MAX) {
    return flg_fail(error, FLG_ERR_RANGE, "A set has %d points, expected 1 to %d.", count,
                    FLG_CONTACT_SET_MAX);
  }
  for (int k = 0; k < count; k++) {
    if (isfinite(points[k].x) && isfinite(points[k].y) && isfinite(points[k].z)) continue;
    return flg_fail(error, FLG_ERR_RANGE, "Point %d of a set is not finite.", k + 1);
  }
  *shape = (flg_contact_shape){.kind = FLG_CONTACT_POINTS, .points = points, .point_count = count};
  bound_points(shape, points, count);
  return FLG_OK;
}

/* Heights are checked once, here: no step has to look for NaN. */
static flg_status check_field(const flg_height_field *field, flg_error *error) {
  if (field->columns < 2 || field->columns > FLG_HEIGHT_FIELD_MAX || field->rows < 2 ||
      field->rows > FLG_HEIGHT_FIELD_MAX) {
    return flg_fail(error, FLG_ERR_RANGE,
                    "A height field has %d columns and %d rows; expected 2 to %d of each.",
                    field->columns, field->rows, FLG_HEIGHT_FIELD_MAX);
  }
  if (!is_size(field->spacing_x)) {
    return refuse_size(error, FLG_CONTACT_HEIGHT_FIELD, "spacing in x", field->spacing_x);
  }
  if (!is_size(field->spacing_y)) {
    return refuse_size(error, FLG_CONTACT_HEIGHT_FIELD, "spacing in y", field->spacing_y);
  }
  for (int k = 0; k < field->columns * field->rows; k++) {
    if (isfinite(field->heights[k])) continue;
    return flg_fail(error, FLG_ERR_RANGE,
                    "The height in column %d, row %d of a height field is not finite.",
                    k % field->columns + 1, k / field->columns + 1);
  }
  return FLG_OK;
}

flg_status flg_contact_shape_height_field(flg_contact_shape *shape, flg_height_field *field,
                                          flg_error *error) {
  const flg_status status = check_field(field, error);
  if (status != FLG_OK) return status;
  field->lowest = field->highest = field->heights[0];
  for (int k = 1; k < field->columns * field->rows; k++) {
    field->lowest = fmin(field->lowest, field->heights[k]);
    field->highest = fmax(field->highest, field->heights[k]);
  }
  const double x = (field->columns - 1) * field->spacing_x;
  const double y = (field->rows - 1) * field->spacing_y;
  *shape = (flg_contact_shape){.kind = FLG_CONTACT_HEIGHT_FIELD,
                               .field = field,
                               /* solid below: what has sunk in is still found */
                               .lower = {0, 0, -HUGE_VAL},
                               .upper = {x, y, field->highest}};
  return FLG_OK;
}

static flg_status points_of_model(flg_contact_shape *shape, const flg_shape *from,
                                  flg_region *region, flg_error *error) {
  const int count = from->value_count / 3;
  flg_vec3 *points = flg_region_take(region, (size_t)count, sizeof *points);
  if (points == NULL) return flg_region_check(region, "points", error);
  for (int k = 0; k < count; k++) {
    const double *at = from->values + 3 * (size_t)k;
    points[k] = flg_vec3_load(at);
  }
  return flg_contact_shape_points(shape, points, count, error);
}

static flg_status field_of_model(flg_contact_shape *shape, const flg_shape *from,
                                 flg_region *region, flg_error *error) {
  flg_height_field *field = flg_region_take(region, 1, sizeof *field);
  if (field == NULL) return flg_region_check(region, "a height field", error);
  *field = (flg_height_field){.columns = from->columns,
                              .rows = from->columns > 0 ? from->value_count / from->columns : 0,
                              .spacing_x = from->size[0],
                              .spacing_y = from->size[1],
                              .heights = from->values};
  return flg_contact_shape_height_field(shape, field, error);
}

flg_status flg_contact_shape_of_model(flg_contact_shape *shape, const flg_shape *from,
                                      flg_region *region, flg_error *error) {
  const double *size = from->size;
  switch (from->kind) {
    case FLG_SHAPE_BOX:
      return flg_contact_shape_box(shape, flg_vec3_load(size), error);
    case FLG_SHAPE_CYLINDER:
      return flg_contact_shape_cylinder(shape, size[0], size[1], error);
    case FLG_SHAPE_SPHERE:
      return flg_contact_shape_sphere(shape, size[0], error);
    case FLG_SHAPE_CAPSULE:
      return flg_contact_shape_capsule(shape, size[0], size[1], error);
    case FLG_SHAPE_PLANE:
      flg_contact_shape_plane(shape);
      return FLG_OK;
    case FLG_SHAPE_POINTS:
      return points_of_model(shape, from, region, error);
    case FLG_SHAPE_HEIGHT_FIELD:
      return field_of_model(shape, from, region, error);
    default:
      return flg_fail(error, FLG_ERR_RANGE,
                      "The shape %s is a %s, whose hull has to be built from its vertices first.",
                      from->name == NULL ? "without a name" : from->name,
                      flg_shape_kind_name(from->kind));
  }
}

/* A bound that is infinite in its own frame is so in every direction that sees it. */
static double reach(double factor, double bound) {
  return factor == 0 ? 0 : factor * bound;
}

/* Along a world axis a box reaches farthest at the corner that the signs of the row choose. */
static void bound_row(const double row[3], const flg_contact_shape *shape, double *low,
                      double *high) {
  const double lower[3] = {shape->lower.x, shape->lower.y, shape->lower.z};
  const double upper[3] = {shape->upper.x, shape->upper.y, shape->upper.z};
  for (int k = 0; k < 3; k++) {
    const bool along = row[k] > 0;
    *low += reach(row[k], along ? lower[k] : upper[k]);
    *high += reach(row[k], along ? upper[k] : lower[k]);
  }
}

void flg_contact_shape_bounds(const flg_contact_shape *shape, const flg_pose *pose, flg_vec3 *lower,
                              flg_vec3 *upper) {
  double low[3], high[3];
  flg_vec3_store(pose->position, low);
  flg_vec3_store(pose->position, high);
  if (shape->kind == FLG_CONTACT_PLANE) {
    *lower = shape->lower, *upper = shape->upper;
    return;
  }
  for (int k = 0; k < 3; k++) {
    const double *m = pose->rotation.m;
    const double row[3] = {m[k], m[3 + k], m[6 + k]};
    bound_row(row, shape, &low[k], &high[k]);
    low[k] -= shape->radius,
        high[k] += shape->radius; /* the margin is the same in all directions */
  }
  *lower = flg_vec3_load(low), *upper = flg_vec3_load(high);
}
