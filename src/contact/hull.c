#include "contact/hull.h"

#include <stdbool.h>

#include "base/region.h"

enum { NONE = -1, SCAN_MOST = 48 };

/* A triangle of the growing hull. neighbours[k] lies beyond the edge corners[k], corners[k+1]. */
typedef struct triangle {
  int corners[3], neighbours[3];
  flg_vec3 normal;
  double offset;
  int outside; /* list of the points over it, linked by `next` */
  bool alive, seen;
} triangle;

typedef struct horizon_edge {
  int from, to, beyond; /* the triangle on the far side */
} horizon_edge;

typedef struct builder {
  const flg_vec3 *points;
  int count;
  double extent, tolerance;
  triangle *triangles;
  int triangle_count, free_triangle;
  int *next;                /* (count) of the lists of outside points */
  int *stack, *region;      /* (triangles) */
  horizon_edge *horizon;    /* (triangles) */
  int horizon_count;
  int *starts;              /* (count) the new triangle whose horizon edge starts at a point */
  /* polygons */
  int *face_of;             /* (triangles) */
  int *loop_next;           /* (count) */
  int *loops, *loop_start;  /* (6 count), (2 count + 1) */
  flg_vec3 *normals;        /* (2 count) */
  int face_count;
  int *uses;                /* (count) how many faces have the point as a corner */
} builder;

static double height(const builder *b, const triangle *t, int point) {
  return flg_vec3_dot(t->normal, b->points[point]) - t->offset;
}

static void set_plane(const builder *b, triangle *t) {
  const flg_vec3 p = b->points[t->corners[0]];
  const flg_vec3 u = flg_vec3_subtract(b->points[t->corners[1]], p);
  const flg_vec3 v = flg_vec3_subtract(b->points[t->corners[2]], p);
  t->normal = flg_vec3_normalise(flg_vec3_cross(u, v));
  t->offset = flg_vec3_dot(t->normal, p);
}

static int new_triangle(builder *b, int p, int q, int r) {
  int index = b->free_triangle;
  if (index == NONE) {
    index = b->triangle_count++;
  } else {
    b->free_triangle = b->triangles[index].outside;
  }
  triangle *t = &b->triangles[index];
  *t = (triangle){.corners = {p, q, r}, .neighbours = {NONE, NONE, NONE}, .outside = NONE,
                  .alive = true};
  set_plane(b, t);
  return index;
}

/* --- the first tetrahedron ------------------------------------------------------------------- */

static double coordinate(flg_vec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void widest_pair(const builder *b, int pair[2]) {
  double widest = -1;
  for (int axis = 0; axis < 3; axis++) {
    int low = 0, high = 0;
    for (int k = 1; k < b->count; k++) {
      const double x = coordinate(b->points[k], axis);
      if (x < coordinate(b->points[low], axis)) low = k;
      if (x > coordinate(b->points[high], axis)) high = k;
    }
    const double width =
        coordinate(b->points[high], axis) - coordinate(b->points[low], axis);
    if (width > widest) widest = width, pair[0] = low, pair[1] = high;
  }
}

static int farthest_from_line(const builder *b, int p, int q) {
  const flg_vec3 along =
      flg_vec3_normalise(flg_vec3_subtract(b->points[q], b->points[p]));
  double farthest = 10 * b->tolerance;
  int found = NONE;
  for (int k = 0; k < b->count; k++) {
    const flg_vec3 d = flg_vec3_subtract(b->points[k], b->points[p]);
    const double distance = flg_vec3_norm(flg_vec3_cross(along, d));
    if (distance > farthest) farthest = distance, found = k;
  }
  return found;
}

static int farthest_from_plane(const builder *b, const triangle *t) {
  double farthest = 10 * b->tolerance;
  int found = NONE;
  for (int k = 0; k < b->count; k++) {
    const double distance = fabs(height(b, t, k));
    if (distance > farthest) farthest = distance, found = k;
  }
  return found;
}

static void join_edges(triangle *triangles, int s, int t) {
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
static void give_away(builder *b, int point, const int *triangles, int count) {
  double highest = b->tolerance;
  int best = NONE;
  for (int k = 0; k < count; k++) {
    const double h = height(b, &b->triangles[triangles[k]], point);
    if (h > highest) highest = h, best = triangles[k];
  }
  if (best == NONE) return;
  b->next[point] = b->triangles[best].outside;
  b->triangles[best].outside = point;
}

static bool start(builder *b) {
  int corners[4] = {0};
  widest_pair(b, corners);
  corners[2] = farthest_from_line(b, corners[0], corners[1]);
  if (corners[2] == NONE) return false;
  triangle base = {.corners = {corners[0], corners[1], corners[2]}};
  set_plane(b, &base);
  corners[3] = farthest_from_plane(b, &base);
  if (corners[3] == NONE) return false;
  if (height(b, &base, corners[3]) > 0) {
    const int swap = corners[1];
    corners[1] = corners[2], corners[2] = swap;
  }
  const int p = corners[0], q = corners[1], r = corners[2], s = corners[3];
  const int all[4] = {new_triangle(b, p, q, r), new_triangle(b, q, p, s),
                      new_triangle(b, r, q, s), new_triangle(b, p, r, s)};
  for (int i = 0; i < 4; i++) {
    for (int j = i + 1; j < 4; j++) join_edges(b->triangles, all[i], all[j]);
  }
  for (int k = 0; k < b->count; k++) give_away(b, k, all, 4);
  return true;
}

/* --- growing --------------------------------------------------------------------------------- */

static int farthest_outside(const builder *b, const triangle *t) {
  int best = t->outside;
  double highest = height(b, t, best);
  for (int k = b->next[best]; k != NONE; k = b->next[k]) {
    const double h = height(b, t, k);
    if (h > highest) highest = h, best = k;
  }
  return best;
}

/* The triangles that the eye sees, connected from the seed: region; and the edges around them. */
static int see(builder *b, int seed, int eye) {
  int region_count = 0, depth = 0;
  b->horizon_count = 0;
  b->stack[depth++] = seed;
  b->triangles[seed].seen = true;
  while (depth > 0) {
    const int index = b->stack[--depth];
    const triangle *t = &b->triangles[index];
    b->region[region_count++] = index;
    for (int k = 0; k < 3; k++) {
      triangle *beyond = &b->triangles[t->neighbours[k]];
      if (beyond->seen) continue;
      if (height(b, beyond, eye) > b->tolerance) {
        beyond->seen = true;
        b->stack[depth++] = t->neighbours[k];
      }
    }
  }
  for (int j = 0; j < region_count; j++) {
    const triangle *t = &b->triangles[b->region[j]];
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
static bool is_loop(builder *b) {
  for (int k = 0; k < b->horizon_count; k++) b->starts[b->horizon[k].from] = k;
  int at = 0, length = 0;
  do {
    at = b->starts[b->horizon[at].to];
    length++;
  } while (at != 0 && length <= b->horizon_count);
  return length == b->horizon_count;
}

static void replace_neighbour(triangle *t, int from, int to, int with) {
  for (int k = 0; k < 3; k++) {
    if (t->corners[k] == to && t->corners[(k + 1) % 3] == from) t->neighbours[k] = with;
  }
}

/* A cone of triangles from the horizon to the eye, listed in stack. */
static void raise_cone(builder *b, int eye) {
  for (int k = 0; k < b->horizon_count; k++) {
    const horizon_edge *edge = &b->horizon[k];
    const int index = new_triangle(b, edge->from, edge->to, eye);
    b->triangles[index].neighbours[0] = edge->beyond;
    replace_neighbour(&b->triangles[edge->beyond], edge->from, edge->to, index);
    b->starts[edge->from] = index;
    b->stack[k] = index;
  }
  for (int k = 0; k < b->horizon_count; k++) {
    triangle *t = &b->triangles[b->stack[k]];
    const int after = b->starts[b->horizon[k].to];
    t->neighbours[1] = after;
    b->triangles[after].neighbours[2] = b->stack[k];
  }
}

/* Takes a point off the list of a triangle. */
static void forget_point(builder *b, triangle *t, int point) {
  int *link = &t->outside;
  while (*link != point) link = &b->next[*link];
  *link = b->next[point];
}

/* The triangles of the region give their points to the cone and are free. */
static void drop_region(builder *b, int region_count) {
  for (int j = 0; j < region_count; j++) {
    triangle *t = &b->triangles[b->region[j]];
    for (int k = t->outside; k != NONE;) {
      const int after = b->next[k];
      give_away(b, k, b->stack, b->horizon_count);
      k = after;
    }
    t->alive = t->seen = false;
    t->outside = b->free_triangle;
    b->free_triangle = b->region[j];
  }
}

static void add_point(builder *b, int seed) {
  const int eye = farthest_outside(b, &b->triangles[seed]);
  forget_point(b, &b->triangles[seed], eye);
  const int region_count = see(b, seed, eye);
  if (is_loop(b)) {
    raise_cone(b, eye);
    drop_region(b, region_count);
  } else {
    for (int j = 0; j < region_count; j++) b->triangles[b->region[j]].seen = false;
  }
}

static void grow(builder *b) {
  /* A dead triangle's list is that of the free ones: only living ones count. */
  for (bool grown = true; grown;) {
    grown = false;
    for (int k = 0; k < b->triangle_count; k++) {
      if (!b->triangles[k].alive || b->triangles[k].outside == NONE) continue;
      add_point(b, k);
      grown = true;
    }
  }
}

/* --- polygons -------------------------------------------------------------------------------- */

static bool in_plane(const builder *b, const triangle *plane, const triangle *t) {
  if (flg_vec3_dot(plane->normal, t->normal) < 0.9) return false;
  for (int k = 0; k < 3; k++) {
    if (fabs(height(b, plane, t->corners[k])) > FLG_HULL_FLATNESS * b->extent) return false;
  }
  return true;
}

static double doubled_area(const builder *b, const triangle *t) {
  const flg_vec3 p = b->points[t->corners[0]];
  return flg_vec3_norm(flg_vec3_cross(flg_vec3_subtract(b->points[t->corners[1]], p),
                                      flg_vec3_subtract(b->points[t->corners[2]], p)));
}

/* Triangles in the plane of the seed, connected with it; returns how many. */
static int flood_plane(builder *b, int seed, int face) {
  int count = 0, depth = 0;
  b->stack[depth++] = seed;
  b->face_of[seed] = face;
  while (depth > 0) {
    const int index = b->stack[--depth];
    b->region[count++] = index;
    for (int k = 0; k < 3; k++) {
      const int beyond = b->triangles[index].neighbours[k];
      if (b->face_of[beyond] != NONE) continue;
      if (!in_plane(b, &b->triangles[seed], &b->triangles[beyond])) continue;
      b->face_of[beyond] = face;
      b->stack[depth++] = beyond;
    }
  }
  return count;
}

/* The border of the region as one loop of corners; 0 if it is not one loop. */
static int trace_border(builder *b, int region_count, int face, int *loop) {
  int edges = 0, first = NONE;
  for (int j = 0; j < region_count; j++) {
    const triangle *t = &b->triangles[b->region[j]];
    for (int k = 0; k < 3; k++) {
      if (b->face_of[t->neighbours[k]] == face) continue;
      first = t->corners[k];
      b->loop_next[first] = t->corners[(k + 1) % 3];
      edges++;
    }
  }
  int length = 0;
  for (int at = first; length < edges; at = b->loop_next[at]) {
    if (length > 0 && at == first) return 0;
    loop[length++] = at;
  }
  return length > 0 && b->loop_next[loop[length - 1]] == first ? length : 0;
}

static void add_face(builder *b, int seed) {
  const int face = b->face_count;
  int *loop = b->loops + b->loop_start[face];
  const int region_count = flood_plane(b, seed, face);
  int length = trace_border(b, region_count, face, loop);
  if (length == 0) {
    /* not a disk, which only rounding can make: the seed stays alone, the others come later */
    for (int k = 0; k < region_count; k++) b->face_of[b->region[k]] = NONE;
    b->face_of[seed] = face;
    for (length = 0; length < 3; length++) loop[length] = b->triangles[seed].corners[length];
  }
  for (int k = 0; k < length; k++) b->uses[loop[k]]++;
  b->normals[face] = b->triangles[seed].normal;
  b->loop_start[face + 1] = b->loop_start[face] + length;
  b->face_count++;
}

/* The largest triangle of a plane knows its direction best, so the faces grow from large to small:
 * in rounds of falling area, which needs no sorting. */
static void find_faces(builder *b) {
  double largest = 0;
  for (int k = 0; k < b->triangle_count; k++) {
    b->face_of[k] = NONE;
    if (b->triangles[k].alive) largest = fmax(largest, doubled_area(b, &b->triangles[k]));
  }
  for (int round = 0; round <= 40; round++) {
    const double least = round == 40 ? -1 : largest * ldexp(1, -round - 1);
    for (int k = 0; k < b->triangle_count; k++) {
      const triangle *t = &b->triangles[k];
      if (!t->alive || b->face_of[k] != NONE || doubled_area(b, t) < least) continue;
      add_face(b, k);
    }
  }
}

/* --- the result ------------------------------------------------------------------------------ */

/* A corner of two faces only lies on the edge between them. */
static bool is_corner(const builder *b, int point) {
  return b->uses[point] >= 3;
}

static int count_corners(const builder *b) {
  int count = 0;
  for (int k = 0; k < b->count; k++) count += is_corner(b, k);
  return count;
}

static int kept_length(const builder *b, int face) {
  int length = 0;
  for (int k = b->loop_start[face]; k < b->loop_start[face + 1]; k++) {
    length += is_corner(b, b->loops[k]);
  }
  return length;
}

static flg_vec3 polygon_normal(const flg_hull *hull, int face, flg_vec3 otherwise) {
  const int *corners = hull->face_vertices + hull->face_start[face];
  const int count = hull->face_start[face + 1] - hull->face_start[face];
  const flg_vec3 base = hull->vertices[corners[0]];
  flg_vec3 area = {0, 0, 0};
  for (int k = 1; k + 1 < count; k++) {
    area = flg_vec3_add(
        area, flg_vec3_cross(flg_vec3_subtract(hull->vertices[corners[k]], base),
                             flg_vec3_subtract(hull->vertices[corners[k + 1]], base)));
  }
  return flg_vec3_norm(area) > 0 ? flg_vec3_normalise(area) : otherwise;
}

static void set_planes(flg_hull *hull, const builder *b, const int *kept) {
  for (int f = 0; f < hull->face_count; f++) {
    const flg_vec3 normal = polygon_normal(hull, f, b->normals[kept[f]]);
    double offset = -HUGE_VAL;
    for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; k++) {
      offset = fmax(offset, flg_vec3_dot(normal, hull->vertices[hull->face_vertices[k]]));
    }
    hull->normals[f] = normal;
    hull->offsets[f] = offset;
  }
}

/* Each edge is met twice, once from each side: an edge of a face gives its start a neighbour. */
static void set_neighbours(flg_hull *hull) {
  const int edges = hull->face_start[hull->face_count];
  for (int k = 0; k < edges; k++) hull->near_start[hull->face_vertices[k] + 1]++;
  for (int v = 0; v < hull->vertex_count; v++) hull->near_start[v + 1] += hull->near_start[v];
  int at = 0;
  for (int f = 0; f < hull->face_count; f++) {
    const int first = at, end = hull->face_start[f + 1];
    for (; at < end; at++) {
      const int v = hull->face_vertices[at];
      hull->near_vertices[hull->near_start[v]++] =
          hull->face_vertices[at + 1 < end ? at + 1 : first];
    }
  }
  for (int v = hull->vertex_count; v > 0; v--) hull->near_start[v] = hull->near_start[v - 1];
  hull->near_start[0] = 0;
}

static void copy_corners(flg_hull *hull, const builder *b, int *index_of) {
  for (int k = 0; k < b->count; k++) {
    if (!is_corner(b, k)) continue;
    index_of[k] = hull->vertex_count;
    hull->vertices[hull->vertex_count++] = b->points[k];
    hull->centre = flg_vec3_add(hull->centre, b->points[k]);
  }
  hull->centre = flg_vec3_scale(hull->centre, 1.0 / hull->vertex_count);
}

static void copy_faces(flg_hull *hull, const builder *b, const int *index_of, int *kept) {
  int length = 0;
  for (int f = 0; f < b->face_count; f++) {
    if (kept_length(b, f) < 3) continue;
    for (int k = b->loop_start[f]; k < b->loop_start[f + 1]; k++) {
      if (is_corner(b, b->loops[k])) hull->face_vertices[length++] = index_of[b->loops[k]];
    }
    kept[hull->face_count++] = f;
    hull->face_start[hull->face_count] = length;
  }
}

static flg_status lay_out(flg_hull *hull, builder *b, flg_arena *arena, flg_error *error) {
  const size_t used = arena->used, corners = (size_t)count_corners(b);
  size_t faces = 0, edges = 0;
  for (int f = 0; f < b->face_count; f++) {
    const int length = kept_length(b, f);
    if (length >= 3) faces++, edges += (size_t)length;
  }
  flg_hull made = {.extent = b->extent};
  made.vertices = flg_arena_take(arena, corners, sizeof *made.vertices);
  made.normals = flg_arena_take(arena, faces, sizeof *made.normals);
  made.offsets = flg_arena_take(arena, faces, sizeof *made.offsets);
  made.face_start = flg_arena_take(arena, faces + 1, sizeof *made.face_start);
  made.face_vertices = flg_arena_take(arena, edges, sizeof *made.face_vertices);
  made.near_start = flg_arena_take(arena, corners + 1, sizeof *made.near_start);
  made.near_vertices = flg_arena_take(arena, edges, sizeof *made.near_vertices);
  if (made.near_vertices == NULL || made.near_start == NULL) {
    flg_arena_rewind(arena, used);
    return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for a convex hull of %d points.",
                    b->count);
  }
  copy_corners(&made, b, b->starts);
  copy_faces(&made, b, b->starts, b->stack);
  set_planes(&made, b, b->stack);
  set_neighbours(&made);
  *hull = made;
  return FLG_OK;
}

/* --- set-up ---------------------------------------------------------------------------------- */

size_t flg_hull_bytes(int count) {
  if (count < 4 || count > FLG_HULL_POINTS_MAX) return 0;
  const size_t n = (size_t)count;
  return flg_arena_bytes(n, sizeof(flg_vec3)) + flg_arena_bytes(2 * n, sizeof(flg_vec3)) +
         flg_arena_bytes(2 * n, sizeof(double)) + 2 * flg_arena_bytes(2 * n + 1, sizeof(int)) +
         2 * flg_arena_bytes(6 * n, sizeof(int));
}

static double extent_of(const flg_vec3 *points, int count) {
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

static bool take_scratch(builder *b, flg_region *region) {
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

/* What rounding left outside, and by how much. */
static double worst_outside(const flg_hull *hull, const builder *b) {
  double worst = 0;
  for (int f = 0; f < hull->face_count; f++) {
    for (int k = 0; k < b->count; k++) {
      worst = fmax(worst, flg_vec3_dot(hull->normals[f], b->points[k]) - hull->offsets[f]);
    }
  }
  return worst;
}

static flg_status build_in(flg_hull *hull, builder *b, flg_region *region, flg_arena *arena,
                           flg_error *error) {
  if (!take_scratch(b, region)) {
    return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for a convex hull of %d points.",
                    b->count);
  }
  if (!start(b)) {
    return flg_fail(error, FLG_ERR_PHYSICS,
                    "The %d points of a convex shape lie in a plane; it needs a volume.",
                    b->count);
  }
  grow(b);
  find_faces(b);
  const size_t used = arena->used;
  flg_hull made;
  const flg_status status = lay_out(&made, b, arena, error);
  if (status != FLG_OK) return status;
  const double worst = worst_outside(&made, b);
  if (!(worst <= 10 * FLG_HULL_FLATNESS * b->extent)) {
    flg_arena_rewind(arena, used);
    return flg_fail(error, FLG_ERR_PHYSICS,
                    "The convex hull of %d points cannot be found: one stays %g m outside.",
                    b->count, worst);
  }
  *hull = made;
  return FLG_OK;
}

flg_status flg_hull_build(flg_hull *hull, const flg_vec3 *points, int count, flg_arena *arena,
                          flg_error *error) {
  if (flg_hull_bytes(count) == 0) {
    return flg_fail(error, FLG_ERR_RANGE, "A convex shape has %d points, expected 4 to %d.", count,
                    FLG_HULL_POINTS_MAX);
  }
  const double extent = extent_of(points, count);
  if (!isfinite(extent)) {
    return flg_fail(error, FLG_ERR_RANGE, "A point of a convex shape is not a finite number.");
  }
  builder b = {.points = points, .count = count, .extent = extent,
               .tolerance = FLG_HULL_TOLERANCE * extent, .free_triangle = NONE};
  flg_region region = {0};
  const flg_status status = build_in(hull, &b, &region, arena, error);
  flg_region_release(&region);
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
  for (int at = NONE; at != from;) {
    at = from;
    for (int k = hull->near_start[at]; k < hull->near_start[at + 1]; k++) {
      const double h = flg_vec3_dot(hull->vertices[hull->near_vertices[k]], direction);
      if (h > highest) highest = h, from = hull->near_vertices[k];
    }
  }
  return from;
}
