/* The convex hull of points, by quickhull: from a first tetrahedron on, the point that is farthest
 * outside of a triangle is added, and the triangles that it sees are replaced by a cone to it. Each
 * point that is still outside stands on the list of one triangle that it is above. */
#include "contact/hull.h"

#include "base/region.h"
#include "contact/hull_inner.h"

enum { SCAN_MOST = 48 };

static void set_triangle_plane(const hull_builder *b, flg_face *t) {
  const flg_vec3 p = b->points[t->corners[0]];
  const flg_vec3 u = flg_vec3_subtract(b->points[t->corners[1]], p);
  const flg_vec3 v = flg_vec3_subtract(b->points[t->corners[2]], p);
  t->normal = flg_vec3_normalise(flg_vec3_cross(u, v));
  t->offset = flg_vec3_dot(t->normal, p);
}

/* --- the first tetrahedron ------------------------------------------------------------------- */

static double coordinate(flg_vec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Far corners make a first tetrahedron with clear planes: heights over thin ones are rounding. */
static void widest_pair(const hull_builder *b, int pair[2]) {
  double widest = -1;
  for (int axis = 0; axis < 3; axis++) {
    int low = 0, high = 0;
    for (int k = 1; k < b->count; k++) {
      const double x = coordinate(b->points[k], axis);
      if (x < coordinate(b->points[low], axis)) low = k;
      if (x > coordinate(b->points[high], axis)) high = k;
    }
    const double width = coordinate(b->points[high], axis) - coordinate(b->points[low], axis);
    if (width > widest) widest = width, pair[0] = low, pair[1] = high;
  }
}

/* ten times the tolerance: a tetrahedron has to be clearly not flat */
static int farthest_from_line(const hull_builder *b, int p, int q) {
  const flg_vec3 along = flg_vec3_normalise(flg_vec3_subtract(b->points[q], b->points[p]));
  double farthest = 10 * b->tolerance;
  int found = FLG_NO_FACE;
  for (int k = 0; k < b->count; k++) {
    const flg_vec3 d = flg_vec3_subtract(b->points[k], b->points[p]);
    const double distance = flg_vec3_norm(flg_vec3_cross(along, d));
    if (distance > farthest) farthest = distance, found = k;
  }
  return found;
}

static int farthest_from_plane(const hull_builder *b, const flg_face *t) {
  double farthest = 10 * b->tolerance;
  int found = FLG_NO_FACE;
  for (int k = 0; k < b->count; k++) {
    const double distance = fabs(hull_height(b, t, k));
    if (distance > farthest) farthest = distance, found = k;
  }
  return found;
}

/* Puts a point on the list of the triangle, among those given, that it is farthest above. */
static void give_away(hull_builder *b, int point, const int *triangles, int count) {
  double highest = b->tolerance;
  int best = FLG_NO_FACE;
  for (int k = 0; k < count; k++) {
    const double h = hull_height(b, &b->grown.faces[triangles[k]], point);
    if (h > highest) highest = h, best = triangles[k];
  }
  if (best == FLG_NO_FACE) return;
  const bool is_first = b->grown.faces[best].list == FLG_NO_FACE;
  if (is_first || highest > b->highest[best]) b->highest[best] = highest;
  b->next[point] = b->grown.faces[best].list;
  b->grown.faces[best].list = point;
}

/* False: all points are on a line or in a plane, but for rounding. Normals look outwards. */
/* Oriented so that normals look outwards: the fourth corner is below the first triangle. */
static bool start_hull(hull_builder *b) {
  int corners[4] = {0};
  widest_pair(b, corners);
  corners[2] = farthest_from_line(b, corners[0], corners[1]);
  if (corners[2] == FLG_NO_FACE) return false;
  flg_face base = {.corners = {corners[0], corners[1], corners[2]}};
  set_triangle_plane(b, &base);
  corners[3] = farthest_from_plane(b, &base);
  if (corners[3] == FLG_NO_FACE) return false;
  if (hull_height(b, &base, corners[3]) > 0) {
    const int swap = corners[1];
    corners[1] = corners[2], corners[2] = swap;
  }
  static const int all[4] = {0, 1, 2, 3};
  flg_polytope_start(&b->grown, corners[0], corners[1], corners[2], corners[3]);
  for (int k = 0; k < 4; k++) set_triangle_plane(b, &b->grown.faces[k]);
  for (int k = 0; k < b->count; k++) give_away(b, k, all, 4);
  return true;
}

/* --- growing --------------------------------------------------------------------------------- */

/* The farthest point is a corner of the hull for certain, nearer ones may not be. */
static int farthest_outside(const hull_builder *b, const flg_face *t) {
  int best = t->list;
  double highest = hull_height(b, t, best);
  for (int k = b->next[best]; k != FLG_NO_FACE; k = b->next[k]) {
    const double h = hull_height(b, t, k);
    if (h > highest) highest = h, best = k;
  }
  return best;
}

/* Takes a point off the list of a triangle. */
static void forget_point(hull_builder *b, flg_face *t, int point) {
  int *link = &t->list;
  while (*link != point) link = &b->next[*link];
  *link = b->next[point];
}

/* The triangles of the region give their points to the cone and are free. */
static void drop_region(hull_builder *b) {
  for (int j = 0; j < b->grown.region_count; j++) {
    for (int k = b->grown.faces[b->grown.region[j]].list; k != FLG_NO_FACE;) {
      const int after = b->next[k];
      give_away(b, k, b->grown.stack, b->grown.horizon_count);
      k = after;
    }
    flg_polytope_free(&b->grown, b->grown.region[j]);
  }
}

/* A point with a spoilt horizon is left out, and judged at the end. */
static void add_hull_point(hull_builder *b, int seed) {
  flg_polytope *grown = &b->grown;
  const int eye = farthest_outside(b, &grown->faces[seed]);
  forget_point(b, &grown->faces[seed], eye);
  flg_polytope_see(grown, seed, b->points[eye], b->tolerance);
  if (flg_polytope_has_loop(grown)) {
    flg_polytope_raise(grown, eye);
    for (int k = 0; k < grown->horizon_count; k++) {
      set_triangle_plane(b, &grown->faces[grown->stack[k]]);
    }
    drop_region(b);
  } else {
    for (int j = 0; j < grown->region_count; j++) grown->faces[grown->region[j]].seen = false;
  }
}

/* Adds points that are as high as the level, over each triangle one. False: there are none. */
static bool grow_above(hull_builder *b, double level) {
  bool grown = false;
  /* A dead triangle's list is that of the free ones: only living ones count. */
  for (int k = 0; k < b->grown.face_count; k++) {
    if (!b->grown.faces[k].alive || b->grown.faces[k].list == FLG_NO_FACE) continue;
    if (b->highest[k] < level) continue;
    add_hull_point(b, k);
    grown = true;
  }
  return grown;
}

/* High points come first: a low one, near a plane that still lacks its far corners, would make
 * triangles with them so thin that their normals are rounding, and that hide points. */
static void grow_hull(hull_builder *b) {
  double level = b->extent;
  while (level > 0) {
    if (grow_above(b, level)) continue;
    level = level > b->tolerance ? level / 4 : 0;
  }
}

/* --- set-up ---------------------------------------------------------------------------------- */

static double extent_of_points(const flg_vec3 *points, int count) {
  double extent = 0;
  for (int axis = 0; axis < 3; axis++) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int k = 0; k < count; k++) {
      const double x = coordinate(points[k], axis);
      if (!isfinite(x)) return NAN;
      low = fmin(low, x), high = fmax(high, x);
    }
    extent = fmax(extent, high - low);
  }
  return extent;
}

/* At most 2 n - 4 triangles are alive and as many are replaced at a time: 4 n and some suffice. */
static bool take_scratch(hull_builder *b, flg_region *region) {
  const size_t n = (size_t)b->count, most = 4 * n + 16;
  b->grown.faces = flg_region_take(region, most, sizeof *b->grown.faces);
  b->next = flg_region_take(region, n, sizeof *b->next);
  b->highest = flg_region_take(region, most, sizeof *b->highest);
  b->grown.stack = flg_region_take(region, most, sizeof *b->grown.stack);
  b->grown.region = flg_region_take(region, most, sizeof *b->grown.region);
  b->grown.horizon = flg_region_take(region, most, sizeof *b->grown.horizon);
  b->grown.starts = flg_region_take(region, n, sizeof *b->grown.starts);
  b->face_of = flg_region_take(region, most, sizeof *b->face_of);
  b->loop_next = flg_region_take(region, n, sizeof *b->loop_next);
  b->loops = flg_region_take(region, 3 * most, sizeof *b->loops);
  b->loop_start = flg_region_take(region, most + 1, sizeof *b->loop_start);
  b->normals = flg_region_take(region, most, sizeof *b->normals);
  b->uses = flg_region_take(region, n, sizeof *b->uses);
  return !region->failed;
}

static flg_status build_hull_in(flg_hull *hull, hull_builder *b, flg_region *scratch,
                                flg_region *region, flg_error *error) {
  if (!take_scratch(b, scratch)) {
    return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for a convex hull of %d points.",
                    b->count);
  }
  if (!start_hull(b)) {
    return flg_fail(error, FLG_ERR_PHYSICS,
                    "The %d points of a convex shape lie in a plane; it needs a volume.", b->count);
  }
  grow_hull(b);
  return flg_hull_finish(hull, b, region, error);
}

flg_status flg_hull_build(flg_hull *hull, const flg_vec3 *points, int count, flg_region *region,
                          flg_error *error) {
  if (count < 4 || count > FLG_HULL_POINTS_MAX) {
    return flg_fail(error, FLG_ERR_RANGE, "A convex shape has %d points, expected 4 to %d.", count,
                    FLG_HULL_POINTS_MAX);
  }
  const double extent = extent_of_points(points, count);
  if (!isfinite(extent)) {
    return flg_fail(error, FLG_ERR_RANGE, "A point of a convex shape is not a finite number.");
  }
  hull_builder b = {.points = points,
                    .count = count,
                    .extent = extent,
                    .tolerance = FLG_HULL_TOLERANCE * extent,
                    .grown.free_face = FLG_NO_FACE};
  flg_region scratch = {0};
  const flg_status status = build_hull_in(hull, &b, &scratch, region, error);
  flg_region_release(&scratch);
  return status;
}

/* --- use ------------------------------------------------------------------------------------- */

static int scan(const flg_hull *hull, flg_vec3 direction) {
  int best = 0;
  double highest = flg_vec3_dot(hull->vertices[0], direction);
  for (int k = 1; k < hull->vertex_count; k++) {
    const double h = flg_vec3_dot(hull->vertices[k], direction);
    if (h > highest) highest = h, best = k;
  }
  return best;
}

int flg_hull_support(const flg_hull *hull, flg_vec3 direction, int from) {
  if (hull->vertex_count <= SCAN_MOST) return scan(hull, direction);
  double highest = flg_vec3_dot(hull->vertices[from], direction);
  for (int at = FLG_NO_FACE; at != from;) {
    at = from;
    for (int k = hull->near_start[at]; k < hull->near_start[at + 1]; k++) {
      const double h = flg_vec3_dot(hull->vertices[hull->near_vertices[k]], direction);
      if (h > highest) highest = h, from = hull->near_vertices[k];
    }
  }
  return from;
}
