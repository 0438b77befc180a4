#include "contact/distance.h"

#include "contact/manifold.h"

/* a sphere meets what is convex in one point */
static bool has_one_point(const flg_contact_shape *ball, const flg_contact_shape *other) {
  return ball->kind == FLG_CONTACT_SPHERE && other->kind != FLG_CONTACT_HEIGHT_FIELD &&
         other->kind != FLG_CONTACT_POINTS;
}

int flg_contact_points_most(const flg_contact_shape *a, const flg_contact_shape *b) {
  if (has_one_point(a, b) || has_one_point(b, a)) return 1;
  const int most = a->point_count > b->point_count ? a->point_count : b->point_count;
  return most > FLG_CONTACT_POINTS_MAX ? most : FLG_CONTACT_POINTS_MAX;
}

/* --- planes ---------------------------------------------------------------------------------- */

/* Corners of the feature that looks down, where they are near the plane, and the lowest point: of a
 * round shape the feature has none, and of a tilted one the lowest may be near alone. */
static void touch_plane(flg_manifold *manifold, const flg_core *core, double margin) {
  static const flg_vec3 up = {0, 0, 1}, down = {0, 0, -1};
  const flg_core ground = flg_core_point((flg_vec3){0, 0, 0}, 0);
  const int first = manifold->count;
  flg_feature feature;
  flg_core_feature(core, down, &feature);
  for (int k = 0; k < feature.count && core->kind != FLG_CORE_POINT; k++) {
    const flg_vec3 p = feature.points[k];
    if (!(p.z - core->radius < margin)) continue;
    const uint32_t corner = (uint32_t)(8 * feature.vertices[k] + FLG_CODE_VERTEX);
    const flg_contact_point point = {.a = {p.x, p.y, 0},
                                     .b = p,
                                     .normal = up,
                                     .gap = p.z,
                                     .key = flg_contact_key(FLG_CODE_FACE, corner)};
    flg_manifold_add(manifold, &ground, core, point);
  }
  flg_approach lowest = {.normal = up};
  lowest.b = flg_core_support(core, down, &lowest.vertex_b);
  lowest.a = (flg_vec3){lowest.b.x, lowest.b.y, 0};
  lowest.gap = lowest.b.z;
  flg_manifold_add_nearest(manifold, first, &ground, core, &lowest, margin);
}

/* --- pairs, in the frame of A ---------------------------------------------------------------- */

/* A pair, B's pose in A's frame. Kinds are in the order of the enumeration. */
typedef struct pair {
  const flg_contact_shape *a, *b;
  flg_pose pose;
  double margin;
  int spread;
} pair;

typedef int pair_function(const pair *p, flg_manifold *manifold, flg_contact_point *points);

/* Thins the manifold and hands it over. */
/* Sorted by keys: a contact is known again in the next step by its place and its key. */
static int finish_manifold(flg_manifold *manifold, int most, double size, bool has_faces,
                           flg_contact_point *points) {
  flg_manifold_thin(manifold, most, size, has_faces);
  flg_manifold_sort(manifold);
  for (int k = 0; k < manifold->count; k++) points[k] = manifold->points[k];
  return manifold->count;
}

/* of a point of a set, and whatever it meets */
static uint64_t point_key(int number) {
  return flg_contact_key(FLG_CODE_FACE, (uint32_t)(8 * number + FLG_CODE_VERTEX));
}

static int no_points(const pair *p, flg_manifold *manifold, flg_contact_point *points) {
  (void)p, (void)manifold, (void)points;
  return 0;
}

static int plane_pair(const pair *p, flg_manifold *manifold, flg_contact_point *points) {
  const flg_core core = flg_core_of(p->b, &p->pose);
  touch_plane(manifold, &core, p->margin);
  return finish_manifold(manifold, p->spread, core.size, true, points);
}

/* one point less than there is room for: the nearest one is kept beside the spread */
static int field_pair(const pair *p, flg_manifold *manifold, flg_contact_point *points) {
  const flg_core core = flg_core_of(p->b, &p->pose);
  flg_vec3 lower, upper;
  flg_contact_shape_bounds(p->b, &p->pose, &lower, &upper);
  flg_manifold_field(manifold, p->a->field, &core, lower, upper, p->margin);
  return finish_manifold(manifold, FLG_CONTACT_POINTS_MAX - 1, core.size + core.radius, false,
                         points);
}

/* Early: most pairs end here, with a distance and no manifold. */
static void core_points(const flg_core *a, const flg_core *b, double margin,
                        flg_manifold *manifold) {
  flg_approach approach;
  if (!flg_approach_cores(a, b, margin + a->radius + b->radius, &approach)) return;
  flg_manifold_build(manifold, a, b, &approach, margin);
}

static int core_pair(const pair *p, flg_manifold *manifold, flg_contact_point *points) {
  const flg_pose home = flg_pose_identity();
  const flg_core a = flg_core_of(p->a, &home), b = flg_core_of(p->b, &p->pose);
  core_points(&a, &b, p->margin, manifold);
  /* of a hull with many corners faces have some of them alone */
  const bool has_faces = a.kind != FLG_CORE_HULL && b.kind != FLG_CORE_HULL;
  return finish_manifold(manifold, p->spread, fmax(a.size, b.size), has_faces, points);
}

/* Each point of a set by itself: of those that it touches, the deepest. */
/* Points do not thin each other out: each has a name, and its own contact. */
static int set_pair(const pair *p, flg_manifold *manifold, flg_contact_point *points) {
  const flg_pose home = flg_pose_identity();
  const bool is_core = p->a->kind != FLG_CONTACT_HEIGHT_FIELD;
  const flg_core a = is_core ? flg_core_of(p->a, &home) : flg_core_point(home.position, 0);
  int count = 0;
  for (int k = 0; k < p->b->point_count; k++) {
    flg_core point = flg_core_point(flg_pose_apply(&p->pose, p->b->points[k]), 0);
    const flg_vec3 at = point.pose.position;
    point.number = k;
    manifold->count = 0;
    if (is_core) {
      core_points(&a, &point, p->margin, manifold);
    } else {
      flg_manifold_field(manifold, p->a->field, &point, at, at, p->margin);
    }
    if (manifold->count == 0) continue;
    int lowest = 0;
    for (int j = 1; j < manifold->count; j++) {
      if (manifold->points[j].gap < manifold->points[lowest].gap) lowest = j;
    }
    points[count] = manifold->points[lowest];
    points[count++].key = point_key(k);
  }
  return count;
}

/* --- the table ------------------------------------------------------------------------------- */

/* Kinds come in the order of the enumeration, so that half of the table is enough. Two shapes that
 * both lie on the ground (planes, fields), or are sets of points, do not touch each other. */
static pair_function *function_of(flg_contact_kind a, flg_contact_kind b) {
  if (a == b && (a == FLG_CONTACT_PLANE || a == FLG_CONTACT_POINTS)) return no_points;
  if (b == FLG_CONTACT_HEIGHT_FIELD) return no_points;
  if (b == FLG_CONTACT_POINTS) return set_pair;
  if (a == FLG_CONTACT_PLANE) return plane_pair;
  if (a == FLG_CONTACT_HEIGHT_FIELD) return field_pair;
  return core_pair;
}

/* A pose that has diverged makes no contact; the step tells of it. */
static bool is_finite(const flg_pose *pose) {
  double sum = pose->position.x + pose->position.y + pose->position.z;
  for (int k = 0; k < 9; k++) sum += pose->rotation.m[k];
  return isfinite(sum);
}

static void to_world(flg_contact_point *point, const flg_pose *pose) {
  point->a = flg_pose_apply(pose, point->a);
  point->b = flg_pose_apply(pose, point->b);
  point->normal = flg_mat3_apply(&pose->rotation, point->normal);
}

static void turn_point_around(flg_contact_point *point) {
  const flg_vec3 a = point->a;
  point->a = point->b, point->b = a;
  point->normal = flg_vec3_negate(point->normal);
  point->key = flg_contact_key_swapped(point->key);
}

/* Points of a set above a plane: in world axes at once. */
static int points_above(const flg_pose *plane, const flg_contact_shape *set, const flg_pose *pose,
                        double margin, flg_contact_point *points) {
  const flg_vec3 up = flg_mat3_column(&plane->rotation, 2);
  int count = 0;
  for (int k = 0; k < set->point_count; k++) {
    const flg_vec3 at = flg_pose_apply(pose, set->points[k]);
    const double gap = flg_vec3_dot(up, flg_vec3_subtract(at, plane->position));
    if (!(gap < margin)) continue;
    points[count++] = (flg_contact_point){.a = flg_vec3_add_scaled(at, -gap, up),
                                          .b = at,
                                          .normal = up,
                                          .gap = gap,
                                          .key = point_key(k)};
  }
  return count;
}

int flg_contact_distance_spread(const flg_contact_shape *a, const flg_pose *pose_a,
                                const flg_contact_shape *b, const flg_pose *pose_b, double margin,
                                int spread, flg_contact_point *points) {
  if (a->kind > b->kind) {
    const int count = flg_contact_distance_spread(b, pose_b, a, pose_a, margin, spread, points);
    for (int k = 0; k < count; k++) turn_point_around(&points[k]);
    return count;
  }
  if (!is_finite(pose_a) || !is_finite(pose_b)) return 0;
  if (a->kind == FLG_CONTACT_PLANE && b->kind == FLG_CONTACT_POINTS) {
    return points_above(pose_a, b, pose_b, margin, points);
  }
  const pair p = {
      .a = a,
      .b = b,
      .margin = margin,
      .spread = spread,
      .pose = {.rotation = flg_mat3_multiply_transposed(&pose_a->rotation, &pose_b->rotation),
               .position = flg_pose_apply_inverse(pose_a, pose_b->position)}};
  flg_manifold manifold;
  manifold.count = 0;
  const int count = function_of(a->kind, b->kind)(&p, &manifold, points);
  for (int k = 0; k < count; k++) to_world(&points[k], pose_a);
  return count;
}

int flg_contact_distance(const flg_contact_shape *a, const flg_pose *pose_a,
                         const flg_contact_shape *b, const flg_pose *pose_b, double margin,
                         flg_contact_point *points) {
  return flg_contact_distance_spread(a, pose_a, b, pose_b, margin, FLG_CONTACT_SPREAD, points);
}
