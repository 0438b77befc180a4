#include "contact/hull.h"

#include "check.h"

enum { MOST = 4000 };

static flg_vec3 points[MOST];

static flg_hull built(int count, flg_region *region) {
  flg_hull hull;
  flg_error error;
  if (flg_hull_build(&hull, points, count, region, &error) != FLG_OK) fail_msg("%s", error.message);
  return hull;
}

/* The normal of a polygon that is flat but for rounding is that of its area vector: of all its
 * corners, about its middle. */
static void assert_normal_of_area(const flg_hull *hull, int face) {
  const int first = hull->face_start[face], length = hull->face_start[face + 1] - first;
  flg_vec3 middle = {0, 0, 0}, area = {0, 0, 0};
  for (int k = 0; k < length; k++) {
    const flg_vec3 corner = hull->vertices[hull->face_vertices[first + k]];
    middle = flg_vec3_add_scaled(middle, 1.0 / length, corner);
  }
  for (int k = 0; k < length; k++) {
    const flg_vec3 p = hull->vertices[hull->face_vertices[first + k]];
    const flg_vec3 q = hull->vertices[hull->face_vertices[first + (k + 1) % length]];
    area = flg_vec3_add(area,
                        flg_vec3_cross(flg_vec3_subtract(p, middle), flg_vec3_subtract(q, middle)));
  }
  /* long thin faces of random points know their normal to fewer digits */
  const double extent = hull->extent, size = flg_vec3_norm(area);
  const flg_vec3 off = flg_vec3_add_scaled(hull->normals[face], -1 / size, area);
  assert_near(flg_vec3_norm(off) * size / (extent * extent), 0, 2e-15);
}

/* No point is outside, every corner is a point, every edge has two faces, V - E + F = 2, and faces
 * are convex and run counter-clockwise. */
static void assert_hull(const flg_hull *hull, int count) {
  const int edges = hull->face_start[hull->face_count] / 2;
  assert_int_equal(hull->vertex_count - edges + hull->face_count, 2);
  for (int f = 0; f < hull->face_count; f++) {
    const flg_vec3 n = hull->normals[f];
    assert_near(flg_vec3_norm(n), 1, 1e-15);
    assert_normal_of_area(hull, f);
    for (int k = 0; k < count; k++) {
      assert_true(flg_vec3_dot(n, points[k]) - hull->offsets[f] <= 1e-8 * hull->extent);
    }
    const int first = hull->face_start[f], length = hull->face_start[f + 1] - first;
    for (int k = 0; k < length; k++) {
      const flg_vec3 p = hull->vertices[hull->face_vertices[first + k]];
      const flg_vec3 q = hull->vertices[hull->face_vertices[first + (k + 1) % length]];
      const flg_vec3 r = hull->vertices[hull->face_vertices[first + (k + 2) % length]];
      const flg_vec3 turn = flg_vec3_cross(flg_vec3_subtract(q, p), flg_vec3_subtract(r, q));
      assert_true(flg_vec3_dot(turn, n) >= -1e-14 * hull->extent * hull->extent);
    }
  }
}

/* The support is that of all the points, in any direction. */
static void assert_supports(const flg_hull *hull, int count, random_source *source) {
  for (int k = 0; k < 50; k++) {
    const flg_vec3 d = {random_uniform(source, -1, 1), random_uniform(source, -1, 1),
                        random_uniform(source, -1, 1)};
    double highest = -HUGE_VAL;
    for (int j = 0; j < count; j++) highest = flg_larger(highest, flg_vec3_dot(points[j], d));
    const int start = random_integer(source, 0, hull->vertex_count - 1);
    const int found = flg_hull_support(hull, d, start);
    assert_near(flg_vec3_dot(hull->vertices[found], d), highest, 2e-10 * hull->extent);
  }
}

/* The hull of the points is that of a box. */
static void assert_box(int count) {
  flg_region region = {0};
  const flg_hull hull = built(count, &region);
  assert_int_equal(hull.vertex_count, 8);
  assert_int_equal(hull.face_count, 6);
  assert_hull(&hull, count);
  flg_region_release(&region);
}

static void subdivided_box_has_eight_corners_and_six_faces(void **state) {
  (void)state;
  int count = 0;
  for (int i = 0; i <= 8; i++) {
    for (int j = 0; j <= 8; j++) {
      for (int k = 0; k <= 8; k++) {
        points[count++] = (flg_vec3){0.1 * i - 0.3, 0.2 * j, 0.3 * k + 7};
      }
    }
  }
  assert_box(count);
}

static void random_clouds_are_enclosed(void **state) {
  (void)state;
  random_source source = {3};
  for (int repeat = 0; repeat < REPEATS(400); repeat++) {
    const int count = random_integer(&source, 4, repeat % 20 == 0 ? 1000 : 60);
    const double flat = repeat % 3 == 0 ? 1e-3 : 1;
    for (int k = 0; k < count; k++) {
      points[k] = (flg_vec3){random_uniform(&source, -1, 1), random_uniform(&source, -1, 1),
                             flat * random_uniform(&source, -1, 1)};
      /* on a sphere, so that all are corners */
      if (repeat % 3 == 1) points[k] = flg_vec3_normalise(points[k]);
      /* duplicates */
      if (repeat % 5 == 0 && k > 10) points[k] = points[k - random_integer(&source, 1, 10)];
    }
    flg_region region = {0};
    const flg_hull hull = built(count, &region);
    assert_hull(&hull, count);
    assert_supports(&hull, count, &source);
    flg_region_release(&region);
  }
}

/* Corners that are off a little more than rounding, by what a file leaves of numbers. */
static void bent_boxes_have_the_mean_normals_of_their_faces(void **state) {
  (void)state;
  random_source source = {9};
  for (int repeat = 0; repeat < 50; repeat++) {
    for (int k = 0; k < 8; k++) {
      points[k] = (flg_vec3){k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
      const flg_vec3 off = {random_uniform(&source, -1, 1), random_uniform(&source, -1, 1),
                            random_uniform(&source, -1, 1)};
      points[k] = flg_vec3_add_scaled(points[k], 1e-10, off);
    }
    flg_region region = {0};
    const flg_hull hull = built(8, &region);
    assert_int_equal(hull.face_count, 6);
    assert_hull(&hull, 8);
    flg_region_release(&region);
  }
}

/* Corners of a turned box, with points on its faces and edges that are off by rounding. */
static void turned_boxes_with_points_on_faces_stay_boxes(void **state) {
  (void)state;
  random_source source = {4};
  for (int repeat = 0; repeat < REPEATS(400); repeat++) {
    const double c = cos(repeat), s = sin(repeat);
    const int count = 200;
    for (int k = 0; k < count; k++) {
      flg_vec3 p = {random_uniform(&source, -1, 1), random_uniform(&source, -1, 1),
                    random_uniform(&source, -1, 1)};
      if (k < 8) p = (flg_vec3){k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
      if (k % 3 != 0) p.x = p.x > 0 ? 1 : -1;
      if (k % 4 == 0) p.y = p.y > 0 ? 1 : -1;
      const flg_vec3 q = {c * p.x - s * p.y, s * p.x + c * p.y, p.z};
      points[count - 1 - k] = (flg_vec3){q.x, c * q.y - s * q.z, s * q.y + c * q.z};
    }
    assert_box(count);
  }
}

/* Eight points near each other on each face, off it by less than what is flat: the plane through
 * three of them is no plane of the box, which only large triangles know. */
static void clusters_on_faces_leave_boxes_as_they_are(void **state) {
  (void)state;
  random_source source = {6};
  for (int repeat = 0; repeat < 400; repeat++) {
    int count = 0;
    for (int face = 0; face < 6; face++) {
      const double u = random_uniform(&source, -0.9, 0.9), v = random_uniform(&source, -0.9, 0.9);
      for (int k = 0; k < 8; k++) {
        double p[3];
        p[face / 2] = (face % 2 ? 1 : -1) * (1 + random_uniform(&source, 0, 8e-9));
        p[(face / 2 + 1) % 3] = u + random_uniform(&source, -1e-3, 1e-3);
        p[(face / 2 + 2) % 3] = v + random_uniform(&source, -1e-3, 1e-3);
        points[count++] = flg_vec3_load(p);
      }
    }
    for (int k = 0; k < 8; k++) {
      points[count++] = (flg_vec3){k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
    }
    assert_box(count);
  }
}

/* Domes on the faces of a box, lower than what counts as flat. */
static void boxes_with_low_domes_are_enclosed(void **state) {
  (void)state;
  random_source source = {11};
  enum { DOMES = 12, ON_EACH = 8, COUNT = 8 + DOMES * ON_EACH };
  for (int repeat = 0; repeat < 1000; repeat++) {
    for (int k = 0; k < 8; k++)
      points[k] = (flg_vec3){k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
    for (int k = 0; k < DOMES * ON_EACH; k++) {
      static flg_vec3 middle;
      if (k % ON_EACH == 0) middle.x = random_uniform(&source, -0.8, 0.8);
      if (k % ON_EACH == 0) middle.y = random_uniform(&source, -0.8, 0.8);
      const double x = random_uniform(&source, -1, 1), y = random_uniform(&source, -1, 1);
      const double u = middle.x + 0.005 * x, v = middle.y + 0.005 * y;
      const int face = k / ON_EACH % 6;
      const double w = (face & 1 ? 1 : -1) * (1 + 1e-9 * (1 - (x * x + y * y) / 2));
      points[8 + k] = face < 2   ? (flg_vec3){u, v, w}
                      : face < 4 ? (flg_vec3){v, w, u}
                                 : (flg_vec3){w, u, v};
    }
    flg_region region = {0};
    const flg_hull hull = built(COUNT, &region);
    assert_supports(&hull, COUNT, &source);
    flg_region_release(&region);
  }
}

/* As a CAD program writes a cylinder to a file of single precision. */
static void cylinder_in_single_precision_is_enclosed(void **state) {
  (void)state;
  random_source source = {5};
  int count = 0;
  for (int k = 0; k < 128; k++) {
    for (int end = 0; end < 2; end++) {
      const double angle = 2 * acos(-1) * k / 128;
      points[count++] = (flg_vec3){(double)(float)(1.7 * cos(angle)),
                                   (double)(float)(1.7 * sin(angle)), end ? 0.5 : -0.25};
    }
  }
  flg_region region = {0};
  const flg_hull hull = built(count, &region);
  assert_int_equal(hull.vertex_count, count);
  assert_hull(&hull, count);
  assert_supports(&hull, count, &source);
  flg_region_release(&region);
}

static void points_without_volume_are_refused(void **state) {
  (void)state;
  flg_region region = {0};
  flg_hull hull;
  flg_error error;
  for (int k = 0; k < 16; k++) points[k] = (flg_vec3){k % 4, k / 4, k % 4 + k / 4};
  assert_int_equal(flg_hull_build(&hull, points, 16, &region, &error), FLG_ERR_PHYSICS);
  assert_non_null(strstr(error.message, "in a plane"));
  assert_int_equal(flg_hull_build(&hull, points, 3, &region, &error), FLG_ERR_RANGE);
  for (int k = 0; k < 16; k++) points[k] = (flg_vec3){1, 2, 3};
  assert_int_equal(flg_hull_build(&hull, points, 16, &region, &error), FLG_ERR_PHYSICS);
  points[3].y = NAN;
  assert_int_equal(flg_hull_build(&hull, points, 16, &region, &error), FLG_ERR_RANGE);
  assert_int_equal(region.bytes, 0);
  flg_region_release(&region);
}

/* a pyramid of 0.1 m with one corner far away: all of its triangles are in one plane to 1e-8 of
 * its extent, or it is a hull with corners and faces */
static void needles_have_a_volume_or_are_refused(void **state) {
  (void)state;
  for (double far = 1; far < 1e12; far *= 3) {
    flg_region region = {0};
    flg_hull hull;
    flg_error error;
    points[0] = (flg_vec3){-0.005, -0.05, 0}, points[1] = (flg_vec3){0.05, -0.05, 0};
    points[2] = (flg_vec3){far, 0.05, 0}, points[3] = (flg_vec3){-0.5, 0.05, 0};
    points[4] = (flg_vec3){0, 0, -0.1};
    const flg_status status = flg_hull_build(&hull, points, 5, &region, &error);
    if (status == FLG_OK) {
      assert_true(hull.vertex_count >= 4 && hull.face_count >= 4);
    } else {
      assert_int_equal(status, FLG_ERR_PHYSICS);
      assert_true(far > 1e5);
    }
    flg_region_release(&region);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(subdivided_box_has_eight_corners_and_six_faces),
      cmocka_unit_test(random_clouds_are_enclosed),
      cmocka_unit_test(bent_boxes_have_the_mean_normals_of_their_faces),
      cmocka_unit_test(turned_boxes_with_points_on_faces_stay_boxes),
      cmocka_unit_test(boxes_with_low_domes_are_enclosed),
      cmocka_unit_test(clusters_on_faces_leave_boxes_as_they_are),
      cmocka_unit_test(cylinder_in_single_precision_is_enclosed),
      cmocka_unit_test(points_without_volume_are_refused),
      cmocka_unit_test(needles_have_a_volume_or_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
