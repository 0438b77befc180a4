#include "contact/core.h"

#include <string.h>

/* The points of a rim that stand for it: sixteen around, the same on both caps. */
#define C1 0.9238795325112867 /* cos(pi/8) */
#define C2 0.7071067811865476 /* cos(pi/4) */
#define C3 0.3826834323650898 /* cos(3 pi/8) */
static const double RIM[FLG_RIM_POINTS][2] = {
    {1, 0},  {C1, C3},   {C2, C2},   {C3, C1},   {0, 1},  {-C3, C1}, {-C2, C2}, {-C1, C3},
    {-1, 0}, {-C1, -C3}, {-C2, -C2}, {-C3, -C1}, {0, -1}, {C3, -C1}, {C2, -C2}, {C1, -C3}};

/* Round shapes are a core with a margin: spheres are points, capsules segments. Distances of cores
 * have no curved surfaces, and converge in a few steps. */
flg_core flg_core_of(const flg_contact_shape *shape, const flg_pose *pose) {
  static const flg_core_kind kinds[FLG_CONTACT_KIND_COUNT] = {
      [FLG_CONTACT_CAPSULE] = FLG_CORE_SEGMENT,
      [FLG_CONTACT_BOX] = FLG_CORE_BOX,
      [FLG_CONTACT_CYLINDER] = FLG_CORE_CYLINDER,
      [FLG_CONTACT_CONVEX] = FLG_CORE_HULL};
  flg_core core = {.kind = kinds[shape->kind],
                   .half = shape->half,
                   .hull = shape->hull,
                   .pose = *pose,
                   .radius = shape->radius};
  if (core.kind == FLG_CORE_SEGMENT && core.half.z == 0) core.kind = FLG_CORE_POINT;
  core.size = core.kind == FLG_CORE_HULL ? core.hull->extent
                                         : fmax(core.half.x, fmax(core.half.y, core.half.z));
  return core;
}

flg_core flg_core_point(flg_vec3 at, double radius) {
  return (flg_core){.kind = FLG_CORE_POINT,
                    .pose = {.rotation = flg_mat3_identity(), .position = at},
                    .radius = radius};
}

flg_core flg_core_triangle(flg_vec3 p, flg_vec3 q, flg_vec3 r) {
  const double size =
      fmax(flg_vec3_norm(flg_vec3_subtract(q, p)), flg_vec3_norm(flg_vec3_subtract(r, p)));
  return (flg_core){
      .kind = FLG_CORE_TRIANGLE, .corners = {p, q, r}, .pose = flg_pose_identity(), .size = size};
}

flg_vec3 flg_core_centre(const flg_core *core) {
  if (core->kind == FLG_CORE_HULL) return flg_pose_apply(&core->pose, core->hull->centre);
  if (core->kind != FLG_CORE_TRIANGLE) return core->pose.position;
  const flg_vec3 *p = core->corners;
  return flg_vec3_scale(flg_vec3_add(p[0], flg_vec3_add(p[1], p[2])), 1.0 / 3);
}

/* --- supports -------------------------------------------------------------------------------- */

static flg_vec3 box_corner(flg_vec3 half, int corner) {
  return (flg_vec3){corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y,
                    corner & 4 ? half.z : -half.z};
}

/* An exact circle, not its polygon: rolling is then smooth. */
static flg_vec3 cylinder_support(flg_vec3 half, flg_vec3 d, int *vertex) {
  const double across = sqrt(d.x * d.x + d.y * d.y);
  *vertex = d.z > 0;
  /* straight along the axis, any point of the rim is as good */
  const double scale = across > 0 ? half.x / across : 0;
  return (flg_vec3){across > 0 ? scale * d.x : half.x, scale * d.y, d.z > 0 ? half.z : -half.z};
}

static flg_vec3 triangle_support(const flg_vec3 corners[3], flg_vec3 d, int *vertex) {
  const double h[3] = {flg_vec3_dot(corners[0], d), flg_vec3_dot(corners[1], d),
                       flg_vec3_dot(corners[2], d)};
  *vertex = h[0] >= h[1] ? (h[0] >= h[2] ? 0 : 2) : (h[1] >= h[2] ? 1 : 2);
  return corners[*vertex];
}

/* Corners are numbered by the signs of their coordinates: features are known again by these
 * numbers. */
static flg_vec3 local_support(const flg_core *core, flg_vec3 d, int *vertex) {
  switch (core->kind) {
    case FLG_CORE_SEGMENT:
      *vertex = d.z > 0;
      return (flg_vec3){0, 0, *vertex ? core->half.z : -core->half.z};
    case FLG_CORE_BOX:
      *vertex = (d.x > 0) | (d.y > 0) << 1 | (d.z > 0) << 2;
      return box_corner(core->half, *vertex);
    case FLG_CORE_CYLINDER:
      return cylinder_support(core->half, d, vertex);
    case FLG_CORE_HULL:
      *vertex = flg_hull_support(core->hull, d, *vertex);
      return core->hull->vertices[*vertex];
    default:
      *vertex = 0;
      return (flg_vec3){0, 0, 0};
  }
}

flg_vec3 flg_core_support(const flg_core *core, flg_vec3 direction, int *vertex) {
  if (core->kind == FLG_CORE_TRIANGLE) return triangle_support(core->corners, direction, vertex);
  if (core->kind == FLG_CORE_POINT) {
    *vertex = 0;
    return core->pose.position;
  }
  const flg_vec3 d = flg_mat3_apply_transposed(&core->pose.rotation, direction);
  return flg_pose_apply(&core->pose, local_support(core, d, vertex));
}

/* --- features, in the core's frame ----------------------------------------------------------- */

static void add_feature_point(flg_feature *feature, flg_vec3 point, int vertex) {
  feature->points[feature->count] = point;
  feature->vertices[feature->count++] = vertex;
}

static void segment_feature(const flg_core *core, flg_vec3 d, flg_feature *feature) {
  const double steep = 0.1; /* over 6 degrees from lying flat it touches with one end */
  if (d.z > -steep) add_feature_point(feature, (flg_vec3){0, 0, core->half.z}, 1);
  if (d.z < steep) add_feature_point(feature, (flg_vec3){0, 0, -core->half.z}, 0);
}

/* The face that looks most along d, its corners counter-clockwise from outside. */
static void box_feature(const flg_core *core, flg_vec3 d, flg_feature *feature) {
  const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
  const int axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  const double along[3] = {d.x, d.y, d.z};
  const int up = along[axis] > 0;
  const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = up << axis;
  const int ring[4] = {base, base | u, base | u | v, base | v};
  double normal[3] = {0};
  normal[axis] = up ? 1 : -1;
  feature->normal = flg_vec3_load(normal);
  feature->face = 2 * axis + up;
  for (int k = 0; k < 4; k++) {
    const int corner = ring[up ? k : 3 - k];
    add_feature_point(feature, box_corner(core->half, corner), corner);
  }
}

/* The cap as a polygon of fixed points of the rim, or a line of the side. */
static void cylinder_feature(const flg_core *core, flg_vec3 d, flg_feature *feature) {
  const flg_vec3 half = core->half;
  const double across = sqrt(d.x * d.x + d.y * d.y);
  if (across > fabs(d.z)) {
    const double x = half.x * d.x / across, y = half.x * d.y / across;
    add_feature_point(feature, (flg_vec3){x, y, -half.z}, 0);
    add_feature_point(feature, (flg_vec3){x, y, half.z}, 1);
    return;
  }
  const int up = d.z > 0;
  feature->normal = (flg_vec3){0, 0, up ? 1 : -1};
  feature->face = up;
  for (int k = 0; k < FLG_RIM_POINTS; k++) {
    const int at = up ? k : FLG_RIM_POINTS - 1 - k;
    const flg_vec3 p = {half.x * RIM[at][0], half.x * RIM[at][1], up ? half.z : -half.z};
    add_feature_point(feature, p, 2 + at + up * FLG_RIM_POINTS);
  }
}

/* Of a face with more corners than a feature holds, evenly spread ones. */
/* All faces are tried: a search from a guess could end at a face beside it where two are nearly
 * alike. */
static void hull_feature(const flg_core *core, flg_vec3 d, flg_feature *feature) {
  const flg_hull *hull = core->hull;
  int best = 0;
  double most = -2;
  for (int f = 0; f < hull->face_count; f++) {
    const double along = flg_vec3_dot(hull->normals[f], d);
    if (along > most) most = along, best = f;
  }
  const int start = hull->face_start[best], length = hull->face_start[best + 1] - start;
  const int count = length < FLG_FEATURE_MOST / 2 ? length : FLG_FEATURE_MOST / 2;
  feature->normal = hull->normals[best];
  feature->face = best;
  for (int k = 0; k < count; k++) {
    const int vertex = hull->face_vertices[start + (int)((long)k * length / count)];
    add_feature_point(feature, hull->vertices[vertex], vertex);
  }
}

/* Both sides count: triangles of a field are met from above and, by what has sunk in, from
 * below. */
static void triangle_feature(const flg_core *core, flg_vec3 d, flg_feature *feature) {
  const flg_vec3 *p = core->corners;
  const flg_vec3 normal = flg_vec3_normalise(
      flg_vec3_cross(flg_vec3_subtract(p[1], p[0]), flg_vec3_subtract(p[2], p[0])));
  const bool front = flg_vec3_dot(normal, d) >= 0;
  feature->normal = front ? normal : flg_vec3_negate(normal);
  feature->face = front;
  for (int k = 0; k < 3; k++) add_feature_point(feature, p[front ? k : 2 - k], front ? k : 2 - k);
}

/* In the core's own frame, where its numbers are constants; only the result is turned. */
void flg_core_feature(const flg_core *core, flg_vec3 direction, flg_feature *feature) {
  feature->count = feature->face = 0;
  feature->normal = (flg_vec3){0, 0, 0};
  if (core->kind == FLG_CORE_TRIANGLE) {
    triangle_feature(core, direction, feature);
    return;
  }
  const flg_vec3 d = flg_mat3_apply_transposed(&core->pose.rotation, direction);
  if (core->kind == FLG_CORE_SEGMENT) segment_feature(core, d, feature);
  if (core->kind == FLG_CORE_BOX) box_feature(core, d, feature);
  if (core->kind == FLG_CORE_CYLINDER) cylinder_feature(core, d, feature);
  if (core->kind == FLG_CORE_HULL) hull_feature(core, d, feature);
  if (core->kind == FLG_CORE_POINT) add_feature_point(feature, (flg_vec3){0, 0, 0}, 0);
  feature->normal = flg_mat3_apply(&core->pose.rotation, feature->normal);
  for (int k = 0; k < feature->count; k++) {
    feature->points[k] = flg_pose_apply(&core->pose, feature->points[k]);
  }
}
