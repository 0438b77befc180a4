/* height_field.c - shapes over heights on a grid.
 *
 * Each cell is two triangles. Two kinds of points are found:
 *
 *   - the nearest points of a triangle and the shape, if they are apart, and if no neighbouring
 *     triangle is nearer there: so that edges inside of smooth ground catch nothing;
 *   - what of the shape's faces and corners is straight over or under a triangle, with its gap
 *     along the triangle's normal; at edges and corners of triangles only where the ground bends
 *     down, so that flat ground is touched as a plane is.
 *
 * A point (or sphere) that is under the ground has the nearest point of the surface, exactly.
 */
#include "contact/manifold.h"

static const flg_vec3 UP = {0, 0, 1};

/* of the size, of areas of its square, and of distances: what is nearer is the same */
static const double ROUNDING = 1e-9;
static const double SAME_NORMAL = 1 - 1e-9;  /* cosine: of two points in one place */
static const double FACE_NORMAL = 1 - 1e-12; /* cosine: the normal is that of the triangle */
static const double OVER = 1e-12;            /* of the size: a gap that is none */

typedef struct search {
  const flg_height_field *field;
  const flg_core *core;
  double margin;
  int first_column, last_column, first_row, last_row; /* cells */
} search;

typedef struct ground_triangle {
  flg_core core;
  flg_vec3 normal; /* unit, up */
  int column[3], row[3];
} ground_triangle;

static flg_vec3 grid_point(const flg_height_field *f, int column, int row) {
  return (flg_vec3){column * f->spacing_x, row * f->spacing_y,
                    f->heights[column + f->columns * row]};
}

static bool is_of_field(const flg_height_field *f, int column, int row) {
  return column >= 0 && row >= 0 && column < f->columns && row < f->rows;
}

static ground_triangle triangle_at(const flg_height_field *f, int column, int row, int upper) {
  ground_triangle t = {.column = {column, column + 1, column + 1}, .row = {row, row, row + 1}};
  if (upper) t.column[1] = column + 1, t.column[2] = column, t.row[1] = t.row[2] = row + 1;
  flg_vec3 p[3];
  for (int k = 0; k < 3; k++) p[k] = grid_point(f, t.column[k], t.row[k]);
  t.core = flg_core_triangle(p[0], p[1], p[2]);
  t.core.number = 2 * (column + (f->columns - 1) * row) + upper;
  t.normal = flg_vec3_normalise(
      flg_vec3_cross(flg_vec3_subtract(p[1], p[0]), flg_vec3_subtract(p[2], p[0])));
  return t;
}

/* The cell that holds x, of cells of that width; at the border the last one. */
static int cell_of(double x, double width, int cells) {
  const double at = floor(x / width);
  return !(at > 0) ? 0 : at > cells - 1 ? cells - 1 : (int)at;
}

static bool is_over(const flg_height_field *f, flg_vec3 p) {
  return p.x >= 0 && p.y >= 0 && p.x <= (f->columns - 1) * f->spacing_x &&
         p.y <= (f->rows - 1) * f->spacing_y;
}

/* How far a point is above the ground, along z; infinite where there is none. */
static double height_over(const flg_height_field *f, flg_vec3 p) {
  if (!is_over(f, p)) return HUGE_VAL;
  const int column = cell_of(p.x, f->spacing_x, f->columns - 1);
  const int row = cell_of(p.y, f->spacing_y, f->rows - 1);
  const double u = p.x / f->spacing_x - column, v = p.y / f->spacing_y - row;
  const double *h = f->heights + column + f->columns * row;
  const double corner = h[0], across = h[1 + f->columns], side = v > u ? h[f->columns] : h[1];
  const double least = fmin(u, v), most = fmax(u, v);
  return p.z - (corner + (most - least) * (side - corner) + least * (across - corner));
}

static void set_window(search *s, flg_vec3 lower, flg_vec3 upper, double around) {
  const flg_height_field *f = s->field;
  s->first_column = cell_of(lower.x - around, f->spacing_x, f->columns - 1);
  s->last_column = cell_of(upper.x + around, f->spacing_x, f->columns - 1);
  s->first_row = cell_of(lower.y - around, f->spacing_y, f->rows - 1);
  s->last_row = cell_of(upper.y + around, f->spacing_y, f->rows - 1);
}

/* --- whether a neighbour is nearer ----------------------------------------------------------- */

static bool rises(const flg_height_field *f, int column, int row, flg_vec3 q, flg_vec3 n) {
  if (!is_of_field(f, column, row)) return false;
  const flg_vec3 d = flg_vec3_subtract(grid_point(f, column, row), q);
  return flg_vec3_dot(d, n) > ROUNDING * flg_vec3_norm(d);
}

static bool corner_is_nearest(const flg_height_field *f, const ground_triangle *t, int corner,
                              flg_vec3 q, flg_vec3 n) {
  static const int steps[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
  for (int k = 0; k < 6; k++) {
    const int column = t->column[corner] + steps[k][0], row = t->row[corner] + steps[k][1];
    if (rises(f, column, row, q, n)) return false;
  }
  return true;
}

/* The two triangles at an edge make a parallelogram: the corner beyond is p + q - opposite, but
 * for the diagonal, where the same holds. */
static void find_beyond(const ground_triangle *t, int opposite, int *column, int *row) {
  const int i = (opposite + 1) % 3, j = (opposite + 2) % 3;
  *column = t->column[i] + t->column[j] - t->column[opposite];
  *row = t->row[i] + t->row[j] - t->row[opposite];
}

static bool edge_is_nearest(const flg_height_field *f, const ground_triangle *t, int opposite,
                            flg_vec3 q, flg_vec3 n) {
  int column, row;
  find_beyond(t, opposite, &column, &row);
  return !rises(f, column, row, q, n);
}

/* On which corners of the triangle a point is, seen along a direction: three inside, two on an
 * edge, one. */
static int find_corners(const ground_triangle *t, flg_vec3 seen, flg_vec3 q, int at[3]) {
  int count = 0;
  for (int k = 0; k < 3; k++) {
    const flg_vec3 u = flg_vec3_subtract(t->core.corners[(k + 1) % 3], q);
    const flg_vec3 v = flg_vec3_subtract(t->core.corners[(k + 2) % 3], q);
    const double weight = flg_vec3_dot(seen, flg_vec3_cross(u, v));
    if (weight > ROUNDING * t->core.size * t->core.size) at[count++] = k;
  }
  return count;
}

/* True if the nearest point of the triangle is the nearest one also among its neighbours. */
static bool is_nearest(const flg_height_field *f, const ground_triangle *t,
                       const flg_approach *approach) {
  const flg_vec3 q = approach->a, n = approach->normal;
  int at[3];
  const int count = find_corners(t, t->normal, q, at);
  if (count == 1) return corner_is_nearest(f, t, at[0], q, n);
  if (count == 2) return edge_is_nearest(f, t, 3 - at[0] - at[1], q, n);
  return true;
}

/* --- what the ground is around edges and corners ---------------------------------------------- */

/* True if the ground bends down along an edge, or ends there. */
static bool is_ridge(const flg_height_field *f, const ground_triangle *t, int opposite) {
  int column, row;
  find_beyond(t, opposite, &column, &row);
  if (!is_of_field(f, column, row)) return true;
  const flg_vec3 d =
      flg_vec3_subtract(grid_point(f, column, row), t->core.corners[(opposite + 1) % 3]);
  return flg_vec3_dot(d, t->normal) < -ROUNDING * flg_vec3_norm(d);
}

/* Along how many of the three lines of the grid through a corner the ground bends down there, or
 * ends. */
static int count_bends(const flg_height_field *f, int column, int row) {
  static const int steps[3][2] = {{1, 0}, {1, 1}, {0, 1}};
  const flg_vec3 p = grid_point(f, column, row);
  int bends = 0;
  for (int k = 0; k < 3; k++) {
    const int dx = steps[k][0], dy = steps[k][1];
    const bool ends =
        !is_of_field(f, column + dx, row + dy) || !is_of_field(f, column - dx, row - dy);
    if (ends) {
      bends++;
      continue;
    }
    const flg_vec3 u = flg_vec3_subtract(grid_point(f, column + dx, row + dy), p);
    const flg_vec3 v = flg_vec3_subtract(grid_point(f, column - dx, row - dy), p);
    bends += u.z + v.z < -ROUNDING * (flg_vec3_norm(u) + flg_vec3_norm(v));
  }
  return bends;
}

/* True if a point is straight over or under the triangle. */
static bool is_in_column(const ground_triangle *t, flg_vec3 p) {
  const double slack = -ROUNDING * t->core.size * t->core.size;
  for (int k = 0; k < 3; k++) {
    const flg_vec3 u = t->core.corners[k], v = t->core.corners[(k + 1) % 3];
    if ((v.x - u.x) * (p.y - u.y) - (v.y - u.y) * (p.x - u.x) < slack) return false;
  }
  return true;
}

/* --- points ---------------------------------------------------------------------------------- */

/* The point that meets the ground in the same place with the same normal, or -1. */
static int same_place(const flg_manifold *manifold, const flg_contact_point *point, double size) {
  for (int k = 0; k < manifold->count; k++) {
    const flg_contact_point *other = &manifold->points[k];
    const double apart = flg_vec3_norm(flg_vec3_subtract(other->a, point->a));
    if (apart <= ROUNDING * size && flg_vec3_dot(other->normal, point->normal) > SAME_NORMAL)
      return k;
  }
  return -1;
}

/* A shared edge or corner counts once, for the triangle that comes first, with what is deepest. */
static void drop_repeated(flg_manifold *manifold, int first, double size) {
  const int count = manifold->count;
  manifold->count = first;
  for (int k = first; k < count; k++) {
    const flg_contact_point point = manifold->points[k];
    const int same = same_place(manifold, &point, size);
    if (same < 0) {
      manifold->points[manifold->count++] = point;
    } else if (point.gap < manifold->points[same].gap) {
      manifold->points[same] = point;
    }
  }
}

/* Where they touch, the direction means nothing. */
static bool is_touching(const ground_triangle *t, const flg_approach *approach) {
  return fabs(approach->gap) <= ROUNDING * t->core.size;
}

static void use_face_normal(flg_approach *approach, const ground_triangle *t) {
  if (is_touching(t, approach) || flg_vec3_dot(approach->normal, t->normal) > FACE_NORMAL) {
    approach->normal = t->normal;
  }
}

static void point_over_triangle(const search *s, const ground_triangle *t, flg_manifold *manifold) {
  flg_approach approach;
  flg_approach_cores(&t->core, s->core, HUGE_VAL, &approach);
  if (approach.gap - s->core->radius >= s->margin) return;
  use_face_normal(&approach, t);
  if (!is_touching(t, &approach) && !is_nearest(s->field, t, &approach)) return;
  const int first = manifold->count;
  flg_manifold_add_nearest(manifold, first, &t->core, s->core, &approach, s->margin);
  drop_repeated(manifold, first, t->core.size);
}

/* --- solids ---------------------------------------------------------------------------------- */

/* The lowest point of the shape along the normal, if it is over the triangle. */
static void add_lowest(const search *s, const ground_triangle *t, flg_manifold *manifold,
                       int first) {
  flg_approach approach = {.normal = t->normal};
  approach.b = flg_core_support(s->core, flg_vec3_negate(t->normal), &approach.vertex_b);
  if (!is_in_column(t, approach.b)) return;
  const flg_vec3 d = flg_vec3_subtract(approach.b, t->core.corners[0]);
  approach.gap = flg_vec3_dot(d, t->normal);
  approach.a = flg_vec3_add_scaled(approach.b, -approach.gap, t->normal);
  flg_manifold_add_nearest(manifold, first, &t->core, s->core, &approach, s->margin);
}

/* Over the ground a point has to be over the triangle also along its normal: the plane of the
 * triangle goes on where the ground does not. */
static void drop_beside(const search *s, const ground_triangle *t, flg_manifold *manifold,
                        int first) {
  const int count = manifold->count;
  manifold->count = first;
  for (int k = first; k < count; k++) {
    const flg_contact_point point = manifold->points[k];
    const bool over = point.gap + s->core->radius > OVER * t->core.size;
    if (!over || is_in_column(t, point.a)) manifold->points[manifold->count++] = point;
  }
}

/* True if the shape, which goes straight on over a border of the triangle, comes no nearer to the
 * ground there than on one side or the other: points of flat ground and of hollows are none. */
static bool is_passed(const search *s, const ground_triangle *t, const flg_contact_point *point) {
  const int type = (int)(point->key >> 28 & 7);
  if (type == FLG_CODE_FACE || type == FLG_CODE_NEAREST) return false;
  const flg_vec3 q = flg_vec3_add_scaled(point->b, s->core->radius, point->normal);
  int at[3];
  const int count = find_corners(t, UP, q, at);
  if (count == 2) return !is_ridge(s->field, t, 3 - at[0] - at[1]);
  if (count != 1) return false;
  const int bends = count_bends(s->field, t->column[at[0]], t->row[at[0]]);
  /* a face goes on along all lines, an edge of the shape along one that may be between them */
  return type < FLG_CODE_EDGE ? bends < 3 : bends == 0;
}

static void drop_passed(const search *s, const ground_triangle *t, flg_manifold *manifold,
                        int first) {
  const int count = manifold->count;
  manifold->count = first;
  for (int k = first; k < count; k++) {
    const flg_contact_point point = manifold->points[k];
    if (!is_passed(s, t, &point)) manifold->points[manifold->count++] = point;
  }
}

/* The feature of the shape that faces the triangle; of a line both ends, however steep it is. */
static void lower_feature(const flg_core *core, flg_vec3 normal, flg_feature *feature) {
  flg_vec3 down = flg_vec3_negate(normal);
  if (core->kind == FLG_CORE_SEGMENT) {
    down = flg_vec3_perpendicular(flg_mat3_column(&core->pose.rotation, 2));
  }
  flg_core_feature(core, down, feature);
}

static void solid_over_triangle(const search *s, const ground_triangle *t, flg_manifold *manifold) {
  const double cutoff = s->margin + s->core->radius;
  const int first = manifold->count;
  flg_approach approach;
  if (!flg_approach_cores(&t->core, s->core, cutoff, &approach)) return;
  flg_feature ground, shape;
  flg_core_feature(&t->core, t->normal, &ground);
  lower_feature(s->core, t->normal, &shape);
  flg_manifold_clip(manifold, &t->core, s->core, true, &ground, &shape, UP, t->normal, s->margin);
  add_lowest(s, t, manifold, first);
  drop_beside(s, t, manifold, first);
  /* from the back a triangle is seen only through the ground, or from beside the field */
  const double height = height_over(s->field, approach.b);
  const bool front = flg_vec3_dot(approach.normal, t->normal) > 0 || isinf(height);
  if (height > 0 && front && !is_touching(t, &approach) && is_nearest(s->field, t, &approach)) {
    flg_manifold_add_nearest(manifold, first, &t->core, s->core, &approach, s->margin);
  }
  drop_passed(s, t, manifold, first);
  drop_repeated(manifold, first, t->core.size);
}

/* A corner of the shape, over or under the triangle of its column. */
static void add_corner(const search *s, flg_vec3 p, int vertex, flg_manifold *manifold) {
  const flg_height_field *f = s->field;
  if (!is_over(f, p)) return;
  if (manifold->count == FLG_MANIFOLD_MOST) flg_manifold_thin(manifold, 24, s->core->size, false);
  const int column = cell_of(p.x, f->spacing_x, f->columns - 1);
  const int row = cell_of(p.y, f->spacing_y, f->rows - 1);
  const bool upper = p.y / f->spacing_y - row > p.x / f->spacing_x - column;
  const ground_triangle t = triangle_at(f, column, row, upper);
  flg_contact_point point = {.b = p, .normal = t.normal};
  point.gap = flg_vec3_dot(flg_vec3_subtract(p, t.core.corners[0]), t.normal);
  if (!(point.gap - s->core->radius < s->margin)) return;
  point.a = flg_vec3_add_scaled(p, -point.gap, t.normal);
  point.key = flg_contact_key((uint32_t)(8 * t.core.number + FLG_CODE_FACE),
                              (uint32_t)(8 * vertex + FLG_CODE_VERTEX));
  flg_manifold_add(manifold, &t.core, s->core, point);
}

/* All corners of the shape: one that is under the ground counts, whichever face it belongs to. Of
 * a cylinder the points of its rims that stand for them. */
static void add_shape_corners(const search *s, flg_manifold *manifold) {
  const flg_core *core = s->core;
  if (core->kind == FLG_CORE_HULL) {
    for (int k = 0; k < core->hull->vertex_count; k++) {
      const flg_vec3 p = flg_pose_apply(&core->pose, core->hull->vertices[k]);
      if (height_over(s->field, p) < 0) add_corner(s, p, k, manifold);
    }
    return;
  }
  const flg_vec3 axis = flg_mat3_column(&core->pose.rotation, 2);
  const bool line = core->kind == FLG_CORE_SEGMENT;
  for (int side = 0; side < (line ? 1 : 2); side++) {
    flg_feature ends;
    flg_core_feature(
        core, line ? flg_vec3_perpendicular(axis) : flg_vec3_scale(axis, side ? 1 : -1), &ends);
    for (int k = 0; k < ends.count; k++) {
      if (height_over(s->field, ends.points[k]) < 0) {
        add_corner(s, ends.points[k], ends.vertices[k], manifold);
      }
    }
  }
}

/* --- all triangles --------------------------------------------------------------------------- */

typedef void triangle_visit(const search *s, const ground_triangle *t, flg_manifold *manifold);

static void visit(const search *s, triangle_visit *with, flg_manifold *manifold) {
  for (int row = s->first_row; row <= s->last_row; row++) {
    for (int column = s->first_column; column <= s->last_column; column++) {
      for (int upper = 0; upper < 2; upper++) {
        const ground_triangle t = triangle_at(s->field, column, row, upper);
        /* a triangle can add as many points as a face clipped by it has corners */
        if (manifold->count > FLG_MANIFOLD_MOST / 2)
          flg_manifold_thin(manifold, 24, t.core.size, false);
        with(s, &t, manifold);
      }
    }
  }
}

/* A ridge may stick into the side of a shape that has no corner under the ground: then the way out
 * of the triangles, each by itself, has to do. */
static void way_out_of_triangle(const search *s, const ground_triangle *t, flg_manifold *manifold) {
  flg_approach approach;
  if (!flg_approach_cores(&t->core, s->core, s->margin + s->core->radius, &approach)) return;
  if (!(approach.gap < 0)) return;
  if (flg_vec3_dot(approach.normal, t->normal) < 0 || approach.normal.z <= 0) {
    approach.normal = t->normal; /* up and out, not through */
    approach.b = flg_vec3_add_scaled(approach.a, approach.gap, t->normal);
  }
  flg_manifold_add_nearest(manifold, manifold->count, &t->core, s->core, &approach, s->margin);
}

static bool is_overlap_found(const search *s, const flg_manifold *manifold) {
  for (int k = 0; k < manifold->count; k++) {
    if (manifold->points[k].gap + s->core->radius <= 0) return true;
  }
  return false;
}

static void solid_over_field(const search *s, flg_manifold *manifold) {
  const double size = s->core->size;
  visit(s, solid_over_triangle, manifold);
  if (manifold->count > FLG_MANIFOLD_MOST / 2) flg_manifold_thin(manifold, 24, size, false);
  add_shape_corners(s, manifold);
  drop_repeated(manifold, 0, size);
  if (!is_overlap_found(s, manifold)) visit(s, way_out_of_triangle, manifold);
}

/* A point under the ground: the nearest point of the surface is no farther than straight up. */
static void point_under_ground(search *s, double depth, flg_manifold *manifold) {
  const flg_vec3 p = s->core->pose.position;
  flg_approach best = {.gap = HUGE_VAL};
  ground_triangle under = {.normal = {0, 0, 1}};
  set_window(s, p, p, depth);
  for (int row = s->first_row; row <= s->last_row; row++) {
    for (int column = s->first_column; column <= s->last_column; column++) {
      for (int upper = 0; upper < 2; upper++) {
        const ground_triangle t = triangle_at(s->field, column, row, upper);
        flg_approach approach;
        flg_approach_cores(&t.core, s->core, HUGE_VAL, &approach);
        if (approach.gap < best.gap) best = approach, under = t;
      }
    }
  }
  best.normal = flg_vec3_negate(best.normal);
  use_face_normal(&best, &under);
  best.gap = -best.gap;
  flg_manifold_add_nearest(manifold, manifold->count, &under.core, s->core, &best, s->margin);
}

void flg_manifold_field(flg_manifold *manifold, const flg_height_field *field, const flg_core *core,
                        flg_vec3 lower, flg_vec3 upper, double margin) {
  search s = {.field = field, .core = core, .margin = margin};
  if (lower.z - margin > field->highest) return;
  set_window(&s, lower, upper, fmax(margin, 0));
  if (core->kind != FLG_CORE_POINT) {
    solid_over_field(&s, manifold);
    return;
  }
  const double height = height_over(field, core->pose.position);
  if (height >= 0) {
    visit(&s, point_over_triangle, manifold);
  } else {
    point_under_ground(&s, -height, manifold);
  }
}
