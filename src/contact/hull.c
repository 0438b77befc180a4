/* The convex hull of points, by quickhull: from a first tetrahedron on, the point that is farthest
 * outside of a triangle is added, and the triangles that it sees are replaced by a cone to it. Each
 * point that is still outside stands on the list of one triangle that it is above. */
#include "contact/hull.h"

#include "base/region.h"
#include "contact/hull_inner.h"

enum { SCAN_MOST = 48 };

static void set_triangle_plane(const hull_builder *b, hull_triangle *t) {
  const flg_vec3 p = b->points[t->corners[0]];
  const flg_vec3 u = flg_vec3_subtract(b->points[t->corners[1]], p);
  const flg_vec3 v = flg_vec3_subtract(b->points[t->corners[2]], p);
  t->normal = flg_vec3_normalise(flg_vec3_cross(u, v));
  t->offset = flg_vec3_dot(t->normal, p);
}

/* Triangles that are gone are used again first: no more are alive at a time than 2 n - 4. */
static int new_triangle(hull_builder *b, int p, int q, int r) {
  int index = b->free_triangle;
  if (index == HULL_NONE) {
    index = b->triangle_count++;
  } else {
    b->free_triangle = b->triangles[index].outside;
  }
  hull_triangle *t = &b->triangles[index];
  *t = (hull_triangle){.corners = {p, q, r},
                       .neighbours = {HULL_NONE, HULL_NONE, HULL_NONE},
                       .outside = HULL_NONE,
                       .alive = true};
  set_triangle_plane(b, t);
  return index;
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
  int found = HULL_NONE;
  for (int k = 0; k < b->count; k++) {
    const flg_vec3 d = flg_vec3_subtract(b->points[k], b->points[p]);
    const double distance = flg_vec3_norm(flg_vec3_cross(along, d));
    if (distance > farthest) farthest = distance, found = k;
  }
  return found;
}

static int farthest_from_plane(const hull_builder *b, const hull_triangle *t) {
  double farthest = 10 * b->tolerance;
  int found = HULL_NONE;
  for (int k = 0; k < b->count; k++) {
    const double distance = fabs(hull_height(b, t, k));
    if (distance > farthest) farthest = distance, found = k;
  }
  return found;
}

/* neighbours run along a common edge in opposite directions */
static void join_triangle_edges(hull_triangle *triangles, int s, int t) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      if (triangles[s].corners[i] != triangles[t].corners[(j + 1) % 3]) continue;
      if (triangles[s].corners[(i + 1) % 3] != triangles[t].corners[j]) continue;
      triangles[s].neighbours[i] = t;
      triangles[t].neighbours[j] = s;
    }
  }
}

/* Puts a point on the list of the triangle, among those given, that it is farthest above. */
static void give_away(hull_builder *b, int point, const int *triangles, int count) {
  double highest = b->tolerance;
  int best = HULL_NONE;
  for (int k = 0; k < count; k++) {
    const double h = hull_height(b, &b->triangles[triangles[k]], point);
    if (h > highest) highest = h, best = triangles[k];
  }
  if (best == HULL_NONE) return;
  b->next[point] = b->triangles[best].outside;
  b->triangles[best].outside = point;
}

/* False: all points are on a line or in a plane, but for rounding. Normals look outwards. */
/* Oriented so that normals look outwards: the fourth corner is below the first triangle. */
static bool start_hull(hull_builder *b) {
  int corners[4] = {0};
  widest_pair(b, corners);
  corners[2] = farthest_from_line(b, corners[0], corners[1]);
  if (corners[2] == HULL_NONE) return false;
  hull_triangle base = {.corners = {corners[0], corners[1], corners[2]}};
  set_triangle_plane(b, &base);
  corners[3] = farthest_from_plane(b, &base);
  if (corners[3] == HULL_NONE) return false;
  if (hull_height(b, &base, corners[3]) > 0) {
    const int swap = corners[1];
    corners[1] = corners[2], corners[2] = swap;
  }
  const int p = corners[0], q = corners[1], r = corners[2], s = corners[3];
  const int all[4] = {new_triangle(b, p, q, r), new_triangle(b, q, p, s), new_triangle(b, r, q, s),
                      new_triangle(b, p, r, s)};
  for (int i = 0; i < 4; i++) {
    for (int j = i + 1; j < 4; j++) join_triangle_edges(b->triangles, all[i], all[j]);
  }
  for (int k = 0; k < b->count; k++) give_away(b, k, all, 4);
  return true;
}

/* --- growing --------------------------------------------------------------------------------- */

/* The farthest point is a corner of the hull for certain, nearer ones may not be. */
static int farthest_outside(const hull_builder *b, const hull_triangle *t) {
  int best = t->outside;
  double highest = hull_height(b, t, best);
  for (int k = b->next[best]; k != HULL_NONE; k = b->next[k]) {
    const double h = hull_height(b, t, k);
    if (h > highest) highest = h, best = k;
  }
  return best;
}

/* The triangles that the eye sees, connected from the seed: region; and the edges around them. */
static int find_seen_triangles(hull_builder *b, int seed, int eye) {
  int region_count = 0, depth = 0;
  b->horizon_count = 0;
  b->stack[depth++] = seed;
  b->triangles[seed].seen = true;
  while (depth > 0) {
    const int index = b->stack[--depth];
    const hull_triangle *t = &b->triangles[index];
    b->region[region_count++] = index;
    for (int k = 0; k < 3; k++) {
      hull_triangle *beyond = &b->triangles[t->neighbours[k]];
      if (beyond->seen) continue;
      if (hull_height(b, beyond, eye) > b->tolerance) {
        beyond->seen = true;
        b->stack[depth++] = t->neighbours[k];
      }
    }
  }
  for (int j = 0; j < region_count; j++) {
    const hull_triangle *t = &b->triangles[b->region[j]];
    for (int k = 0; k < 3; k++) {
      if (b->triangles[t->neighbours[k]].seen) continue;
      b->horizon[b->horizon_count++] =
          (horizon_edge){t->corners[k], t->corners[(k + 1) % 3], t->neighbours[k]};
    }
  }
  return region_count;
}

/* Whether the horizon is one loop that meets no point twice. Rounding among nearly coplanar
 * triangles can make it otherwise; such a point is left out, and judged at the end. */
static bool is_horizon_loop(hull_builder *b) {
  for (int k = 0; k < b->horizon_count; k++) b->starts[b->horizon[k].from] = k;
  int at = 0, length = 0;
  do {
    at = b->starts[b->horizon[at].to];
    length++;
  } while (at != 0 && length <= b->horizon_count);
  return length == b->horizon_count;
}

static void replace_neighbour(hull_triangle *t, int from, int to, int with) {
  for (int k = 0; k < 3; k++) {
    if (t->corners[k] == to && t->corners[(k + 1) % 3] == from) t->neighbours[k] = with;
  }
}

/* A cone of triangles from the horizon to the eye, listed in stack. */
static void raise_triangle_cone(hull_builder *b, int eye) {
  for (int k = 0; k < b->horizon_count; k++) {
    const horizon_edge *edge = &b->horizon[k];
    const int index = new_triangle(b, edge->from, edge->to, eye);
    b->triangles[index].neighbours[0] = edge->beyond;
    replace_neighbour(&b->triangles[edge->beyond], edge->from, edge->to, index);
    b->starts[edge->from] = index;
    b->stack[k] = index;
  }
  for (int k = 0; k < b->horizon_count; k++) {
    hull_triangle *t = &b->triangles[b->stack[k]];
    const int after = b->starts[b->horizon[k].to];
    t->neighbours[1] = after;
    b->triangles[after].neighbours[2] = b->stack[k];
  }
}

/* Takes a point off the list of a triangle. */
static void forget_point(hull_builder *b, hull_triangle *t, int point) {
  int *link = &t->outside;
  while (*link != point) link = &b->next[*link];
  *link = b->next[point];
}

/* The triangles of the region give their points to the cone and are free. */
static void drop_region(hull_builder *b, int region_count) {
  for (int j = 0; j < region_count; j++) {
    hull_triangle *t = &b->triangles[b->region[j]];
    for (int k = t->outside; k != HULL_NONE;) {
      const int after = b->next[k];
      give_away(b, k, b->stack, b->horizon_count);
      k = after;
    }
    t->alive = t->seen = false;
    t->outside = b->free_triangle;
    b->free_triangle = b->region[j];
  }
}

static void add_hull_point(hull_builder *b, int seed) {
  const int eye = farthest_outside(b, &b->triangles[seed]);
  forget_point(b, &b->triangles[seed], eye);
  const int region_count = find_seen_triangles(b, seed, eye);
  if (is_horizon_loop(b)) {
    raise_triangle_cone(b, eye);
    drop_region(b, region_count);
  } else {
    for (int j = 0; j < region_count; j++) b->triangles[b->region[j]].seen = false;
  }
}

static void grow_hull(hull_builder *b) {
  /* A dead triangle's list is that of the free ones: only living ones count. */
  for (bool grown = true; grown;) {
    grown = false;
    for (int k = 0; k < b->triangle_count; k++) {
      if (!b->triangles[k].alive || b->triangles[k].outside == HULL_NONE) continue;
      add_hull_point(b, k);
      grown = true;
    }
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
  b->triangles = flg_region_take(region, most, sizeof *b->triangles);
  b->next = flg_region_take(region, n, sizeof *b->next);
  b->stack = flg_region_take(region, most, sizeof *b->stack);
  b->region = flg_region_take(region, most, sizeof *b->region);
  b->horizon = flg_region_take(region, most, sizeof *b->horizon);
  b->starts = flg_region_take(region, n, sizeof *b->starts);
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
                    .free_triangle = HULL_NONE};
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
  for (int at = HULL_NONE; at != from;) {
    at = from;
    for (int k = hull->near_start[at]; k < hull->near_start[at + 1]; k++) {
      const double h = flg_vec3_dot(hull->vertices[hull->near_vertices[k]], direction);
      if (h > highest) highest = h, from = hull->near_vertices[k];
    }
  }
  return from;
}
