#include "contact/manifold.h"
#include "contact/test_shapes.h"

/* Hills of 6 x 5 cells against all of their triangles, one by one. */
enum { COLUMNS = 7, ROWS = 6, POSES = 10000, TRIANGLES = 2 * (COLUMNS - 1) * (ROWS - 1) };

typedef struct ground {
  double heights[COLUMNS * ROWS];
  flg_height_field field;
  flg_contact_shape shape;
  flg_vec3 triangles[TRIANGLES][3];
} ground;

static flg_vec3 grid(const ground *g, int column, int row) {
  return (flg_vec3){0.4 * column, 0.5 * row, g->heights[column + COLUMNS * row]};
}

static void make_ground(ground *g, random_source *source, double rough) {
  for (int k = 0; k < COLUMNS * ROWS; k++) g->heights[k] = random_uniform(source, -rough, rough);
  g->field = (flg_height_field){
      .columns = COLUMNS, .rows = ROWS, .spacing_x = 0.4, .spacing_y = 0.5, .heights = g->heights};
  assert_int_equal(flg_contact_shape_height_field(&g->shape, &g->field, NULL), FLG_OK);
  int count = 0;
  for (int row = 0; row < ROWS - 1; row++) {
    for (int column = 0; column < COLUMNS - 1; column++) {
      const flg_vec3 p = grid(g, column, row), q = grid(g, column + 1, row);
      const flg_vec3 r = grid(g, column + 1, row + 1), s = grid(g, column, row + 1);
      const flg_vec3 both[2][3] = {{p, q, r}, {p, r, s}};
      memcpy(g->triangles[count], both, sizeof both);
      count += 2;
    }
  }
}

/* Height over the ground along z, by the triangle that is under the point; NAN beside the field. */
static double height_above(const ground *g, flg_vec3 p) {
  for (int k = 0; k < TRIANGLES; k++) {
    const flg_vec3 *t = g->triangles[k];
    const flg_vec3 n = flg_vec3_cross(flg_vec3_subtract(t[1], t[0]), flg_vec3_subtract(t[2], t[0]));
    bool inside = true;
    for (int j = 0; j < 3; j++) {
      const flg_vec3 a = t[j], b = t[(j + 1) % 3];
      inside = inside && (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) >= -1e-12;
    }
    if (inside) return flg_vec3_dot(n, flg_vec3_subtract(p, t[0])) / n.z;
  }
  return NAN;
}

static flg_vec3 nearest_on_segment(flg_vec3 p, flg_vec3 a, flg_vec3 b) {
  const flg_vec3 u = flg_vec3_subtract(b, a), d = flg_vec3_subtract(p, a);
  return flg_vec3_add_scaled(a, fmax(0, fmin(1, flg_vec3_dot(d, u) / flg_vec3_dot(u, u))), u);
}

static double apart(flg_vec3 p, flg_vec3 q) {
  return flg_vec3_norm(flg_vec3_subtract(p, q));
}

static flg_vec3 nearest_on_triangle(flg_vec3 p, const flg_vec3 t[3]) {
  const flg_vec3 n = flg_vec3_normalise(
      flg_vec3_cross(flg_vec3_subtract(t[1], t[0]), flg_vec3_subtract(t[2], t[0])));
  flg_vec3 best = t[0];
  bool inside = true;
  for (int k = 0; k < 3; k++) {
    const flg_vec3 a = t[k], b = t[(k + 1) % 3], q = nearest_on_segment(p, a, b);
    if (apart(p, q) < apart(p, best)) best = q;
    const flg_vec3 inward = flg_vec3_cross(n, flg_vec3_subtract(b, a));
    inside = inside && flg_vec3_dot(inward, flg_vec3_subtract(p, a)) >= 0;
  }
  if (!inside) return best;
  return flg_vec3_add_scaled(p, -flg_vec3_dot(n, flg_vec3_subtract(p, t[0])), n);
}

static double distance_to_triangle(flg_vec3 p, const flg_vec3 t[3]) {
  return apart(p, nearest_on_triangle(p, t));
}

static flg_pose somewhere(random_source *source, double low, double high) {
  return (flg_pose){random_rotation(source),
                    {random_uniform(source, 0.3, 2.1), random_uniform(source, 0.3, 2.2),
                     random_uniform(source, low, high)}};
}

static int deepest_of(const flg_contact_point *points, int count) {
  int best = 0;
  for (int k = 1; k < count; k++) best = points[k].gap < points[best].gap ? k : best;
  return best;
}

/* Of points and spheres the signed distance to the surface, whether they are over or under it. */
static void spheres_and_points_have_their_signed_distance(void **state) {
  (void)state;
  random_source source = {1};
  static ground g;
  const flg_vec3 origin = {0, 0, 0};
  for (int k = 0; k < REPEATS(POSES); k++) {
    if (k % 100 == 0) make_ground(&g, &source, k % 200 == 0 ? 0.05 : 0.4);
    const double radius = k % 2 ? random_uniform(&source, 0.01, 0.4) : 0;
    flg_contact_shape ball;
    if (k % 2) {
      assert_int_equal(flg_contact_shape_sphere(&ball, radius, NULL), FLG_OK);
    } else {
      assert_int_equal(flg_contact_shape_points(&ball, &origin, 1, NULL), FLG_OK);
    }
    const flg_pose home = {random_rotation(&source), random_vector(&source, 1)};
    flg_pose inner = somewhere(&source, -0.5, 0.7);
    /* on a corner of the grid, straight over an edge, or on the surface */
    if (k % 5 == 0) inner.position.x = 0.8;
    if (k % 10 == 0) inner.position.y = 1;
    if (k % 7 == 0) inner.position.z -= height_above(&g, inner.position);
    const flg_pose pose = flg_pose_compose(&home, &inner);
    flg_contact_point points[FLG_CONTACT_POINTS_MAX];
    const int count = flg_contact_distance(&g.shape, &home, &ball, &pose, 3, points);
    double least = HUGE_VAL;
    for (int t = 0; t < TRIANGLES; t++) {
      least = flg_smaller(least, distance_to_triangle(inner.position, g.triangles[t]));
    }
    const double height = height_above(&g, inner.position);
    const double expected = (height < 0 ? -least : least) - radius;
    assert_true(count > 0);
    const flg_contact_point *p = &points[deepest_of(points, count)];
    assert_near(p->gap, expected, 2e-12);
    assert_near(
        flg_vec3_norm(flg_vec3_add_scaled(flg_vec3_subtract(p->b, p->a), -p->gap, p->normal)), 0,
        1e-13);
    assert_near(height_above(&g, flg_pose_apply_inverse(&home, p->a)), 0, 1e-13);
    const flg_vec3 centre = flg_vec3_add_scaled(p->b, radius, p->normal);
    assert_near(flg_vec3_norm(flg_vec3_subtract(centre, pose.position)), 0, 1e-12);
  }
}

/* Separation of the shape from a triangle along n. */
static double over_triangle(const flg_contact_shape *s, const flg_pose *pose, const flg_vec3 t[3],
                            flg_vec3 n) {
  const double top =
      flg_larger(flg_vec3_dot(n, t[0]), flg_larger(flg_vec3_dot(n, t[1]), flg_vec3_dot(n, t[2])));
  return -height_in(s, pose, flg_vec3_negate(n)) - top;
}

static double clamped(double x, double limit) {
  return fmax(-limit, fmin(limit, x));
}

static flg_vec3 nearest_on_hull(const flg_hull *hull, flg_vec3 p) {
  flg_vec3 best = hull->vertices[0];
  for (int f = 0; f < hull->face_count; f++) {
    const int *v = hull->face_vertices + hull->face_start[f];
    for (int k = 1; k + 1 < hull->face_start[f + 1] - hull->face_start[f]; k++) {
      const flg_vec3 t[3] = {hull->vertices[v[0]], hull->vertices[v[k]], hull->vertices[v[k + 1]]};
      const flg_vec3 q = nearest_on_triangle(p, t);
      if (apart(p, q) < apart(p, best)) best = q;
    }
  }
  return best;
}

/* The point of a shape nearest to one outside of it. */
static flg_vec3 nearest_on_shape(const flg_contact_shape *s, const flg_pose *pose, flg_vec3 world) {
  const flg_vec3 p = flg_pose_apply_inverse(pose, world);
  const double across = sqrt(p.x * p.x + p.y * p.y);
  flg_vec3 q = {0, 0, clamped(p.z, s->half.z)};
  if (s->kind == FLG_CONTACT_CAPSULE)
    q = flg_vec3_add_scaled(q, s->radius / apart(p, q), flg_vec3_subtract(p, q));
  if (s->kind == FLG_CONTACT_BOX) q.x = clamped(p.x, s->half.x), q.y = clamped(p.y, s->half.y);
  if (s->kind == FLG_CONTACT_CYLINDER) {
    const double scale = across > s->half.x ? s->half.x / across : 1;
    q.x = scale * p.x, q.y = scale * p.y;
  }
  if (s->kind == FLG_CONTACT_CONVEX) q = nearest_on_hull(s->hull, p);
  return flg_pose_apply(pose, q);
}

/* From one to the other and back, by nearest points: comes down to the distance of two convex
 * things. Ends at once where a direction proves that they are far enough. */
static double distance_apart(const flg_contact_shape *s, const flg_pose *pose, const flg_vec3 t[3],
                             flg_vec3 guess, double enough) {
  const flg_vec3 n = flg_vec3_normalise(
      flg_vec3_cross(flg_vec3_subtract(t[1], t[0]), flg_vec3_subtract(t[2], t[0])));
  if (over_triangle(s, pose, t, guess) >= enough) return enough;
  if (over_triangle(s, pose, t, n) >= enough) return enough;
  flg_vec3 p = flg_vec3_scale(flg_vec3_add(t[0], flg_vec3_add(t[1], t[2])), 1.0 / 3);
  double far = HUGE_VAL;
  for (int k = 0; k < 60; k++) {
    if (outside_by(s, pose, p) <= 0) return 0;
    const flg_vec3 q = nearest_on_shape(s, pose, p);
    const flg_vec3 d = flg_vec3_normalise(flg_vec3_subtract(q, p));
    if (over_triangle(s, pose, t, d) >= enough) return enough;
    p = nearest_on_triangle(q, t);
    far = apart(p, q);
  }
  return far;
}

/* Random places in the shape, for a look whether any is under the ground. */
static bool is_under(const ground *g, const flg_contact_shape *s, const flg_pose *pose,
                     random_source *source, int tries) {
  for (int k = 0; k < tries; k++) {
    const flg_vec3 p = own_support(s, random_direction(source));
    const double height = height_above(g, flg_pose_apply(pose, p));
    if (height < -1e-9) return true;
  }
  return false;
}

/* Whether nearest points, to and fro, come together on some triangle. */
static bool meets_triangle(const ground *g, const flg_contact_shape *s, const flg_pose *pose) {
  for (int t = 0; t < TRIANGLES; t++) {
    if (distance_apart(s, pose, g->triangles[t], (flg_vec3){0, 0, 1}, 1e-3) < 1e-3) return true;
  }
  return false;
}

static void check_solid(test_world *world, flg_contact_kind kind) {
  static ground g;
  random_source *source = &world->source;
  const flg_pose home = flg_pose_identity();
  int separate = 0;
  for (int k = 0, done = 0; done < REPEATS(POSES); k++) {
    if (k % 100 == 0) make_ground(&g, source, k % 300 == 0 ? 0 : k % 200 == 0 ? 0.02 : 0.3);
    const flg_contact_shape s = random_shape(world, kind);
    flg_pose pose = somewhere(source, -0.1, 1.2);
    if (k % 3 == 0) pose.rotation = grid_rotation(source, 0.7853981633974483);
    flg_vec3 lower, upper;
    flg_contact_shape_bounds(&s, &pose, &lower, &upper);
    if (lower.x < 0 || lower.y < 0 || upper.x > 2.4 || upper.y > 2.5) continue;
    done++;
    flg_contact_point points[FLG_CONTACT_POINTS_MAX];
    const int count = flg_contact_distance(&g.shape, &home, &s, &pose, 3, points);
    if (count == 0) fail_msg("%s, pose %d: no points", flg_contact_kind_name(kind), k);
    const flg_contact_point *p = &points[deepest_of(points, count)];
    for (int j = 0; j < count; j++) {
      assert_near(flg_vec3_norm(points[j].normal), 1, 1e-14);
      assert_true(points[j].normal.z > 0);
      const flg_vec3 to = flg_vec3_add_scaled(points[j].a, points[j].gap, points[j].normal);
      assert_near(apart(to, points[j].b), 0, 1e-13);
      assert_true(outside_by(&s, &pose, points[j].b) < 1e-9);
      if (points[j].gap > 1e-9) assert_near(height_above(&g, points[j].a), 0, 1e-13);
    }
    if (p->gap > 1e-9) {
      separate++;
      /* points of that distance: it is not more; every triangle is as far: it is not less */
      assert_near(height_above(&g, p->a), 0, 1e-13);
      assert_true(outside_by(&s, &pose, p->b) < 1e-9);
      for (int t = 0; t < TRIANGLES; t++) {
        const double far = distance_apart(&s, &pose, g.triangles[t], p->normal, p->gap - 1e-9);
        if (far < p->gap - 1e-9) {
          fail_msg("%s, pose %d: gap %g, but triangle %d is at %g", flg_contact_kind_name(kind), k,
                   p->gap, t, far);
        }
      }
      assert_false(is_under(&g, &s, &pose, source, 20));
    } else if (p->gap < -1e-9) {
      /* a point of the shape is under the ground, or one of the ground is in the shape */
      const bool sunk = outside_by(&s, &pose, p->b) < 1e-9 && height_above(&g, p->b) < 1e-9;
      const bool pierced = outside_by(&s, &pose, p->a) < 1e-9 && height_above(&g, p->a) < 1e-9;
      assert_true(sunk || pierced || meets_triangle(&g, &s, &pose));
    }
  }
  assert_true(separate > REPEATS(POSES) / 8);
}

static void capsules_are_as_far_as_the_nearest_triangle(void **state) {
  (void)state;
  test_world *world = make_world(11);
  check_solid(world, FLG_CONTACT_CAPSULE);
  drop_world(world);
}

static void boxes_are_as_far_as_the_nearest_triangle(void **state) {
  (void)state;
  test_world *world = make_world(12);
  check_solid(world, FLG_CONTACT_BOX);
  drop_world(world);
}

static void cylinders_are_as_far_as_the_nearest_triangle(void **state) {
  (void)state;
  test_world *world = make_world(13);
  check_solid(world, FLG_CONTACT_CYLINDER);
  drop_world(world);
}

static void convex_shapes_are_as_far_as_the_nearest_triangle(void **state) {
  (void)state;
  test_world *world = make_world(14);
  check_solid(world, FLG_CONTACT_CONVEX);
  drop_world(world);
}

/* Whether a point is where the shape crosses an edge of a cell, or over a corner of one. */
static bool is_of_grid(const flg_contact_point *point) {
  const int type = (int)(point->key >> 28 & 7);
  return type != FLG_CODE_FACE && type != FLG_CODE_NEAREST;
}

/* Flat ground is a plane, for what is over it, however the cells are cut. */
static void flat_fields_are_planes(void **state) {
  (void)state;
  static const flg_contact_kind kinds[] = {FLG_CONTACT_SPHERE, FLG_CONTACT_CAPSULE, FLG_CONTACT_BOX,
                                           FLG_CONTACT_CYLINDER, FLG_CONTACT_CONVEX};
  test_world *world = make_world(15);
  static ground g;
  flg_contact_shape plane;
  flg_contact_shape_plane(&plane);
  make_ground(&g, &world->source, 0);
  for (int k = 0; k < REPEATS(POSES); k++) {
    const flg_pose home = {random_rotation(&world->source), random_vector(&world->source, 1)};
    const flg_contact_shape s = random_shape(world, kinds[k % 5]);
    flg_pose inner = {random_rotation(&world->source), {1.2, 1.25, 0}};
    if (k % 3 == 0) inner.rotation = grid_rotation(&world->source, 1.5707963267948966);
    const double low = height_in(&s, &inner, (flg_vec3){0, 0, -1});
    /* deep only where the lowest point is surely over the field */
    inner.position.z = low + random_uniform(&world->source, -0.05, 0.05);
    flg_vec3 lower, upper;
    flg_contact_shape_bounds(&s, &inner, &lower, &upper);
    if (lower.x < 0 || lower.y < 0 || upper.x > 2.4 || upper.y > 2.5) continue;
    const flg_pose pose = flg_pose_compose(&home, &inner);
    flg_contact_point field[FLG_CONTACT_POINTS_MAX], flat[FLG_CONTACT_POINTS_MAX];
    const int m = flg_contact_distance(&g.shape, &home, &s, &pose, 0.1, field);
    const int n = flg_contact_distance(&plane, &home, &s, &pose, 0.1, flat);
    assert_true(m > 0 && n > 0);
    const flg_contact_point *p = &field[deepest_of(field, m)], *q = &flat[deepest_of(flat, n)];
    if (!(fabs(p->gap - q->gap) < 1e-12)) {
      fail_msg("%s, pose %d: %g over the field, %g over the plane", flg_contact_kind_name(s.kind),
               k, p->gap, q->gap);
    }
    for (int j = 0; j < m; j++) {
      assert_near(flg_vec3_norm(flg_vec3_subtract(field[j].normal, q->normal)), 0, 1e-9);
    }
    /* such points would be hit before the corners beside them now and then */
    for (int j = 0; j < m; j++) assert_false(is_of_grid(&field[j]));
  }
  drop_world(world);
}

/* A beam across a ridge is touched by the ridge, and across a valley by its ends alone. */
static void ridges_are_touched_and_valleys_are_not(void **state) {
  (void)state;
  for (int valley = 0; valley < 2; valley++) {
    const double middle = valley ? -0.2 : 0.2, heights[3 * 2] = {0, middle, 0, 0, middle, 0};
    flg_height_field bent = {
        .columns = 3, .rows = 2, .spacing_x = 1, .spacing_y = 1, .heights = heights};
    flg_contact_shape field, beam;
    assert_int_equal(flg_contact_shape_height_field(&field, &bent, NULL), FLG_OK);
    assert_int_equal(flg_contact_shape_capsule(&beam, 0.1, 0.4, NULL), FLG_OK);
    const flg_pose home = flg_pose_identity();
    const flg_pose across = {flg_mat3_from_axis((flg_vec3){0, 1, 0}, 1, 0),
                             {1, 0.4, valley ? 0 : 0.31}};
    flg_contact_point points[FLG_CONTACT_POINTS_MAX];
    const int count = flg_contact_distance(&field, &home, &beam, &across, 0.2, points);
    int in_middle = 0;
    for (int k = 0; k < count; k++) in_middle += fabs(points[k].a.x - 1) < 1e-9;
    assert_true(count > 0);
    assert_int_equal(in_middle > 0, !valley);
  }
}

/* More corners under the ground than a contact can hold: the deepest is among the points. */
static void hulls_of_many_corners_have_their_deepest(void **state) {
  (void)state;
  enum { MANY = 1000 };
  static flg_vec3 cloud[MANY];
  static ground g;
  random_source source = {17};
  flg_region region = {0};
  flg_hull hull;
  flg_contact_shape shape;
  make_ground(&g, &source, 0);
  for (int k = 0; k < MANY; k++) cloud[k] = flg_vec3_scale(random_direction(&source), 0.5);
  assert_int_equal(flg_hull_build(&hull, cloud, MANY, &region, NULL), FLG_OK);
  flg_contact_shape_convex(&shape, &hull);
  const flg_pose home = flg_pose_identity();
  for (int k = 0; k < 50; k++) {
    const flg_pose pose = {random_rotation(&source),
                           {1.2, 1.25, random_uniform(&source, -0.3, 0.5)}};
    const double low = -height_in(&shape, &pose, (flg_vec3){0, 0, -1});
    flg_contact_point points[FLG_CONTACT_POINTS_MAX];
    const int count = flg_contact_distance(&g.shape, &home, &shape, &pose, 0.1, points);
    assert_true(count > 0);
    assert_near(points[deepest_of(points, count)].gap, low, 1e-12);
  }
  flg_region_release(&region);
}

/* A ball that rolls over flat ground meets no edge of a cell. */
static void edges_inside_of_flat_ground_catch_nothing(void **state) {
  (void)state;
  static ground g;
  random_source source = {16};
  flg_contact_shape ball;
  make_ground(&g, &source, 0);
  assert_int_equal(flg_contact_shape_sphere(&ball, 0.2, NULL), FLG_OK);
  const flg_pose home = flg_pose_identity();
  for (int k = 0; k < 1000; k++) {
    const flg_pose pose = {flg_mat3_identity(), {0.3 + 0.0018 * k, 0.2 + 0.002 * k, 0.199}};
    flg_contact_point points[FLG_CONTACT_POINTS_MAX];
    assert_int_equal(flg_contact_distance(&g.shape, &home, &ball, &pose, 0.05, points), 1);
    assert_near(points[0].normal.z, 1, 1e-15);
    assert_near(points[0].gap, -0.001, 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spheres_and_points_have_their_signed_distance),
      cmocka_unit_test(capsules_are_as_far_as_the_nearest_triangle),
      cmocka_unit_test(boxes_are_as_far_as_the_nearest_triangle),
      cmocka_unit_test(cylinders_are_as_far_as_the_nearest_triangle),
      cmocka_unit_test(convex_shapes_are_as_far_as_the_nearest_triangle),
      cmocka_unit_test(flat_fields_are_planes),
      cmocka_unit_test(ridges_are_touched_and_valleys_are_not),
      cmocka_unit_test(hulls_of_many_corners_have_their_deepest),
      cmocka_unit_test(edges_inside_of_flat_ground_catch_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
