/* hull_faces.c - triangles that lie in one plane become one polygon, and polygons the hull. */
#include "contact/hull_inner.h"
#include "math/larger.h"

/* --- polygons -------------------------------------------------------------------------------- */

/* By heights over the plane, not by angles: normals of small triangles are rounding. */
static bool in_plane(const hull_builder *b, const flg_face *plane, const flg_face *t) {
  if (flg_vec3_dot(plane->normal, t->normal) < 0.9) return false;
  for (int k = 0; k < 3; k++) {
    if (fabs(hull_height(b, plane, t->corners[k])) > FLG_HULL_FLATNESS * b->extent) return false;
  }
  return true;
}

/* the area itself is never needed */
static double doubled_area(const hull_builder *b, const flg_face *t) {
  const flg_vec3 p = b->points[t->corners[0]];
  return flg_vec3_norm(flg_vec3_cross(flg_vec3_subtract(b->points[t->corners[1]], p),
                                      flg_vec3_subtract(b->points[t->corners[2]], p)));
}

/* Triangles in the plane of the seed, connected with it; returns how many. */
static int flood_plane(hull_builder *b, int seed, int face) {
  int count = 0, depth = 0;
  b->grown.stack[depth++] = seed;
  b->face_of[seed] = face;
  while (depth > 0) {
    const int index = b->grown.stack[--depth];
    b->grown.region[count++] = index;
    for (int k = 0; k < 3; k++) {
      const int beyond = b->grown.faces[index].neighbours[k];
      if (b->face_of[beyond] != FLG_NO_FACE) continue;
      if (!in_plane(b, &b->grown.faces[seed], &b->grown.faces[beyond])) continue;
      b->face_of[beyond] = face;
      b->grown.stack[depth++] = beyond;
    }
  }
  return count;
}

/* The border of the region as one loop of corners; 0 if it is not one loop. */
static int trace_border(hull_builder *b, int region_count, int face, int *loop) {
  int edges = 0, first = FLG_NO_FACE;
  for (int j = 0; j < region_count; j++) {
    const flg_face *t = &b->grown.faces[b->grown.region[j]];
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

static void add_face(hull_builder *b, int seed) {
  const int face = b->face_count;
  int *loop = b->loops + b->loop_start[face];
  const int region_count = flood_plane(b, seed, face);
  int length = trace_border(b, region_count, face, loop);
  if (length == 0) {
    /* not a disk, which only rounding can make: the seed stays alone, the others come later */
    for (int k = 0; k < region_count; k++) b->face_of[b->grown.region[k]] = FLG_NO_FACE;
    b->face_of[seed] = face;
    for (length = 0; length < 3; length++) loop[length] = b->grown.faces[seed].corners[length];
  }
  for (int k = 0; k < length; k++) b->uses[loop[k]]++;
  b->normals[face] = b->grown.faces[seed].normal;
  b->loop_start[face + 1] = b->loop_start[face] + length;
  b->face_count++;
}

/* The largest triangle of a plane knows its direction best, so the faces grow from large to small:
 * in rounds of falling area, which needs no sorting. */
static void find_faces(hull_builder *b) {
  double largest = 0;
  for (int k = 0; k < b->grown.face_count; k++) {
    b->face_of[k] = FLG_NO_FACE;
    if (b->grown.faces[k].alive) largest = flg_larger(largest, doubled_area(b, &b->grown.faces[k]));
  }
  for (int round = 0; round <= 40; round++) {
    const double least = round == 40 ? -1 : largest * ldexp(1, -round - 1);
    for (int k = 0; k < b->grown.face_count; k++) {
      const flg_face *t = &b->grown.faces[k];
      if (!t->alive || b->face_of[k] != FLG_NO_FACE || doubled_area(b, t) < least) continue;
      add_face(b, k);
    }
  }
}

/* --- the result ------------------------------------------------------------------------------ */

/* A corner of two faces only lies on the edge between them. */
static bool is_corner(const hull_builder *b, int point) {
  return b->uses[point] >= 3;
}

static int count_corners(const hull_builder *b) {
  int count = 0;
  for (int k = 0; k < b->count; k++) count += is_corner(b, k);
  return count;
}

static int kept_length(const hull_builder *b, int face) {
  int length = 0;
  for (int k = b->loop_start[face]; k < b->loop_start[face + 1]; k++) {
    length += is_corner(b, b->loops[k]);
  }
  return length;
}

/* The sum over a fan: one long thin triangle cannot spoil it. */
static flg_vec3 polygon_normal(const flg_hull *hull, int face, flg_vec3 otherwise) {
  const int *corners = hull->face_vertices + hull->face_start[face];
  const int count = hull->face_start[face + 1] - hull->face_start[face];
  const flg_vec3 base = hull->vertices[corners[0]];
  flg_vec3 area = {0, 0, 0};
  for (int k = 1; k + 1 < count; k++) {
    area =
        flg_vec3_add(area, flg_vec3_cross(flg_vec3_subtract(hull->vertices[corners[k]], base),
                                          flg_vec3_subtract(hull->vertices[corners[k + 1]], base)));
  }
  return flg_vec3_norm(area) > 0 ? flg_vec3_normalise(area) : otherwise;
}

static void set_planes(flg_hull *hull, const hull_builder *b, const int *kept) {
  for (int f = 0; f < hull->face_count; f++) {
    const flg_vec3 normal = polygon_normal(hull, f, b->normals[kept[f]]);
    /* the highest corner: all of the face is inside of its half space */
    double offset = -HUGE_VAL;
    for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; k++) {
      offset = flg_larger(offset, flg_vec3_dot(normal, hull->vertices[hull->face_vertices[k]]));
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

static void copy_corners(flg_hull *hull, const hull_builder *b, int *index_of) {
  for (int k = 0; k < b->count; k++) {
    if (!is_corner(b, k)) continue;
    index_of[k] = hull->vertex_count;
    hull->vertices[hull->vertex_count++] = b->points[k];
    hull->centre = flg_vec3_add(hull->centre, b->points[k]);
  }
  hull->centre = flg_vec3_scale(hull->centre, 1.0 / hull->vertex_count);
}

static void copy_faces(flg_hull *hull, const hull_builder *b, const int *index_of, int *kept) {
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

/* Counted first, then taken: faces and corners are fewer than triangles and points. */
static flg_status hull_faces_lay_out(flg_hull *hull, hull_builder *b, flg_region *region,
                                     flg_error *error) {
  const size_t corners = (size_t)count_corners(b);
  size_t faces = 0, edges = 0;
  for (int f = 0; f < b->face_count; f++) {
    const int length = kept_length(b, f);
    if (length >= 3) faces++, edges += (size_t)length;
  }
  if (corners < 4 || faces < 4) { /* all of its triangles fell into the planes of a few */
    return flg_fail(
        error, FLG_ERR_PHYSICS,
        "The %d points of a convex shape lie nearly in a plane or on a line; it needs a "
        "volume.",
        b->count);
  }
  flg_hull made = {.extent = b->extent};
  made.vertices = flg_region_take(region, corners, sizeof *made.vertices);
  made.normals = flg_region_take(region, faces, sizeof *made.normals);
  made.offsets = flg_region_take(region, faces, sizeof *made.offsets);
  made.face_start = flg_region_take(region, faces + 1, sizeof *made.face_start);
  made.face_vertices = flg_region_take(region, edges, sizeof *made.face_vertices);
  made.near_start = flg_region_take(region, corners + 1, sizeof *made.near_start);
  made.near_vertices = flg_region_take(region, edges, sizeof *made.near_vertices);
  if (region->failed) return flg_region_check(region, "a convex hull", error);
  copy_corners(&made, b, b->grown.starts);
  copy_faces(&made, b, b->grown.starts, b->grown.stack);
  set_planes(&made, b, b->grown.stack);
  set_neighbours(&made);
  *hull = made;
  return FLG_OK;
}

/* Points that rounding left outside, and by how much. */
/* An independent check of the result: all points against all faces. */
static double worst_outside(const flg_hull *hull, const hull_builder *b) {
  double worst = 0;
  for (int f = 0; f < hull->face_count; f++) {
    for (int k = 0; k < b->count; k++) {
      worst = flg_larger(worst, flg_vec3_dot(hull->normals[f], b->points[k]) - hull->offsets[f]);
    }
  }
  return worst;
}

flg_status flg_hull_finish(flg_hull *hull, hull_builder *b, flg_region *region, flg_error *error) {
  find_faces(b);
  flg_hull made = {.vertex_count = 0};
  const flg_status status = hull_faces_lay_out(&made, b, region, error);
  if (status != FLG_OK) return status;
  const double worst = worst_outside(&made, b);
  if (!(worst <= 10 * FLG_HULL_FLATNESS * b->extent)) {
    return flg_fail(error, FLG_ERR_PHYSICS,
                    "The convex hull of %d points cannot be found: one stays %g m outside.",
                    b->count, worst);
  }
  *hull = made;
  return FLG_OK;
}
