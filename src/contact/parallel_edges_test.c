/* Boxes that touch with parallel edges: the normal is between the faces of both, the same for
 * either order and from every side; and there are two points, where the shared stretch ends. */
#include "contact/distance.h"
#include "contact/test_shapes.h"

/* Two boxes tilted about y; the upper edge of A is under the lower one of B. */
typedef struct roofs {
  flg_contact_shape a, b;
  double tilt_a, tilt_b; /* 0 .. 90 degrees */
  double shift;          /* of B along the edges */
  flg_vec3 apart;        /* from A's edge to B's */
} roofs;

static flg_pose tilted(double angle) {
  const flg_vec3 y = {0, 1, 0};
  return (flg_pose){.rotation = flg_mat3_from_axis(y, sin(angle), cos(angle))};
}

static test_pair pair_of(const roofs *r) {
  test_pair p = {r->a, r->b, tilted(r->tilt_a), tilted(r->tilt_b)};
  /* tilted towards x, the edge that was on the left is on top */
  const flg_vec3 top = flg_mat3_apply(&p.pose_a.rotation, (flg_vec3){-r->a.half.x, 0, r->a.half.z});
  const flg_vec3 low = flg_mat3_apply(&p.pose_b.rotation, (flg_vec3){r->b.half.x, 0, -r->b.half.z});
  p.pose_b.position = flg_vec3_add(flg_vec3_subtract(top, low), r->apart);
  p.pose_b.position.y += r->shift;
  return p;
}

/* Angles of normals from z towards x: A's faces have tilt and tilt - 90 degrees, and B's, turned
 * around, the same. Those that both can have are between the larger lower and the smaller upper
 * one; the mean is half way. */
static flg_vec3 mean_normal(const roofs *r) {
  const double quarter = 1.5707963267948966;
  const double low = fmax(r->tilt_a, r->tilt_b) - quarter, high = fmin(r->tilt_a, r->tilt_b);
  return (flg_vec3){sin(0.5 * (low + high)), 0, cos(0.5 * (low + high))};
}

static flg_contact_shape any_box(random_source *source) {
  flg_contact_shape box = {.kind = FLG_CONTACT_BOX};
  flg_vec3 lengths = {random_uniform(source, 0.1, 0.6), random_uniform(source, 0.1, 0.6),
                      random_uniform(source, 0.1, 0.6)};
  assert_int_equal(flg_contact_shape_box(&box, lengths, NULL), FLG_OK);
  return box;
}

static roofs any_roofs(random_source *source) {
  const double eighth = 0.78539816339744831;
  const bool alike = random_integer(source, 0, 2) == 0;
  roofs r = {.tilt_a = alike ? eighth : random_uniform(source, 0.1, 1.4)};
  r.tilt_b = alike ? eighth : random_uniform(source, 0.1, 1.4);
  r.a = any_box(source), r.b = any_box(source);
  r.shift = random_uniform(source, -0.9, 0.9) * fmin(r.a.half.y, r.b.half.y);
  return r;
}

/* Both, seen from elsewhere: turned, and mirrored or not. A mirror is x -> -x, which boxes do not
 * see: it turns the axes of their poses. */
typedef struct view {
  flg_mat3 turn;
  flg_vec3 move;
  bool mirrored;
} view;

static flg_pose seen(const view *v, const flg_pose *pose) {
  flg_pose q = *pose;
  for (int j = 0; j < 3 && v->mirrored; j++) {
    q.rotation.m[3 * j] = -q.rotation.m[3 * j];
    for (int i = 0; i < 3 && j == 0; i++) q.rotation.m[i] = -q.rotation.m[i];
  }
  if (v->mirrored) q.position.x = -q.position.x;
  const flg_pose whole = {v->turn, v->move};
  return flg_pose_compose(&whole, &q);
}

static flg_vec3 seen_direction(const view *v, flg_vec3 n) {
  if (v->mirrored) n.x = -n.x;
  return flg_mat3_apply(&v->turn, n);
}

static void check_pair(const test_pair *p, const view *v, flg_vec3 normal, double gap, double most,
                       int count) {
  const flg_pose a = seen(v, &p->pose_a), b = seen(v, &p->pose_b);
  const flg_vec3 n = seen_direction(v, normal);
  for (int order = 0; order < 2; order++) {
    flg_contact_point points[FLG_CONTACT_POINTS_MAX];
    const int found = order == 0
                          ? flg_contact_distance(&p->a, &a, &p->b, &b, 1e-6 + fabs(gap), points)
                          : flg_contact_distance(&p->b, &b, &p->a, &a, 1e-6 + fabs(gap), points);
    assert_int_equal(found, count);
    for (int k = 0; k < found; k++) {
      const flg_vec3 is = order == 0 ? points[k].normal : flg_vec3_negate(points[k].normal);
      assert_near(flg_vec3_norm(flg_vec3_subtract(is, n)), 0, 1e-6);
      assert_near(points[k].gap, gap, most);
    }
  }
}

static view any_view(random_source *source) {
  return (view){random_rotation(source), random_vector(source, 2), random_integer(source, 0, 1)};
}

static void edges_that_touch_have_the_mean_normal(void **state) {
  (void)state;
  static const double depths[] = {0, 1e-12, -1e-12, 1e-10, -1e-10, 1e-9, -1e-9};
  random_source source = {17};
  for (int k = 0; k < REPEATS(3000); k++) {
    roofs r = any_roofs(&source);
    const view v = any_view(&source);
    const double angle = random_uniform(&source, -3, 3), depth = depths[k % 7];
    r.apart = (flg_vec3){depth * sin(angle), 0, depth * cos(angle)};
    const test_pair p = pair_of(&r);
    check_pair(&p, &v, mean_normal(&r), 0, 2e-9, 2);
  }
}

/* exactly half way, where faces of 45 degrees see the same */
static void roofs_that_overlap_evenly_are_pushed_straight_up(void **state) {
  (void)state;
  random_source source = {18};
  const view plain = {flg_mat3_identity(), {0, 0, 0}, false},
             mirrored = {plain.turn, plain.move, true};
  for (int k = 0; k < REPEATS(300); k++) {
    roofs r = any_roofs(&source);
    const double depth = pow(10, random_uniform(&source, -8, -4.5));
    r.tilt_a = r.tilt_b = 0.78539816339744831;
    r.apart = (flg_vec3){0, 0, -depth};
    const test_pair p = pair_of(&r);
    check_pair(&p, k % 2 ? &mirrored : &plain, (flg_vec3){0, 0, 1}, -depth * sqrt(0.5), 1e-9, 2);
  }
}

/* apart, along the line between them: as far as that is between the faces */
static void edges_that_are_apart_have_the_line_between_them(void **state) {
  (void)state;
  random_source source = {19};
  for (int k = 0; k < REPEATS(3000); k++) {
    roofs r = any_roofs(&source);
    const view v = any_view(&source);
    const flg_vec3 mean = mean_normal(&r);
    const double half = 0.5 * (1.5707963267948966 - fabs(r.tilt_a - r.tilt_b));
    const double angle = atan2(mean.x, mean.z) + random_uniform(&source, -0.8, 0.8) * half;
    const flg_vec3 n = {sin(angle), 0, cos(angle)};
    const double gap = pow(10, random_uniform(&source, -6, -2));
    r.apart = flg_vec3_scale(n, gap);
    const test_pair p = pair_of(&r);
    flg_contact_point points[FLG_CONTACT_POINTS_MAX];
    const flg_pose a = seen(&v, &p.pose_a), b = seen(&v, &p.pose_b);
    const int count = flg_contact_distance(&p.a, &a, &p.b, &b, gap * (1 + 1e-9), points);
    /* nearly along a face the points are those of the face */
    const double facing = fmin(fabs(angle - (atan2(mean.x, mean.z) - half)),
                               fabs(angle - (atan2(mean.x, mean.z) + half)));
    if (facing < 0.1) continue;
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++) {
      assert_near(points[i].gap, gap, 6e-14);
      assert_near(flg_vec3_norm(flg_vec3_subtract(points[i].normal, seen_direction(&v, n))), 0,
                  3e-9);
    }
  }
}

/* where the edges end: of the shorter one, or one of each */
static void points_are_the_ends_of_what_the_edges_share(void **state) {
  (void)state;
  random_source source = {20};
  for (int k = 0; k < REPEATS(500); k++) {
    const roofs r = any_roofs(&source);
    const test_pair p = pair_of(&r);
    flg_contact_point points[FLG_CONTACT_POINTS_MAX];
    assert_int_equal(flg_contact_distance(&p.a, &p.pose_a, &p.b, &p.pose_b, 1e-6, points), 2);
    const double low = fmax(-r.a.half.y, r.shift - r.b.half.y);
    const double high = fmin(r.a.half.y, r.shift + r.b.half.y);
    assert_near(flg_smaller(points[0].a.y, points[1].a.y), low, 1e-14);
    assert_near(flg_larger(points[0].a.y, points[1].a.y), high, 1e-14);
  }
}

/* Capsules and cylinders along an edge lie on two points, too. */
static void round_shapes_along_an_edge_lie_on_two_points(void **state) {
  (void)state;
  random_source source = {22};
  for (int k = 0; k < REPEATS(1000); k++) {
    roofs r = any_roofs(&source);
    const view v = any_view(&source);
    const double angle = r.tilt_a - 0.78539816339744831 + random_uniform(&source, -0.6, 0.6);
    const flg_vec3 n = {sin(angle), 0, cos(angle)}, x = {1, 0, 0};
    const double radius = random_uniform(&source, 0.05, 0.2),
                 gap = random_uniform(&source, -1e-3, 1e-3);
    const double length = random_uniform(&source, 0.1, 0.4);
    const flg_status status = k % 2 ? flg_contact_shape_capsule(&r.b, radius, length, NULL)
                                    : flg_contact_shape_cylinder(&r.b, radius, length, NULL);
    assert_int_equal(status, FLG_OK);
    test_pair p = {r.a, r.b, tilted(r.tilt_a), {.rotation = flg_mat3_from_axis(x, 1, 0)}};
    const flg_vec3 top = flg_mat3_apply(&p.pose_a.rotation, (flg_vec3){-r.a.half.x, 0, r.a.half.z});
    p.pose_b.position = flg_vec3_add_scaled(top, radius + gap, n);
    check_pair(&p, &v, n, gap, k % 2 ? 1e-12 : 1e-9, 2);
  }
}

/* Capsules that lie nearly along each other: which of both is named first decides nothing. */
static void capsules_nearly_along_each_other_touch_at_points_of_both(void **state) {
  (void)state;
  random_source source = {23};
  const flg_vec3 y = {0, 1, 0}, x = {1, 0, 0};
  for (int k = 0; k < REPEATS(1000); k++) {
    const double radii[] = {random_uniform(&source, 0.05, 0.3), random_uniform(&source, 0.05, 0.3)};
    const double across = random_uniform(&source, -4.9e-3, 4.9e-3);
    const double tilt = k % 2 ? 0 : random_uniform(&source, -1e-3, 1e-3);
    const flg_mat3 about_y = flg_mat3_from_axis(y, sin(across), cos(across)),
                   about_x = flg_mat3_from_axis(x, sin(tilt), cos(tilt));
    test_pair p = {.pose_a.rotation = flg_mat3_identity(),
                   .pose_b.rotation = flg_mat3_multiply(&about_y, &about_x)};
    p.a.kind = p.b.kind = FLG_CONTACT_CAPSULE;
    assert_int_equal(
        flg_contact_shape_capsule(&p.a, radii[0], random_uniform(&source, 0.2, 0.8), NULL), FLG_OK);
    assert_int_equal(
        flg_contact_shape_capsule(&p.b, radii[1], random_uniform(&source, 0.2, 0.8), NULL), FLG_OK);
    p.pose_b.position = (flg_vec3){random_uniform(&source, -1e-3, 1e-3), radii[0] + radii[1],
                                   random_uniform(&source, -0.1, 0.1)};
    const view v = any_view(&source);
    const flg_pose a = seen(&v, &p.pose_a), b = seen(&v, &p.pose_b);
    flg_contact_point points[FLG_CONTACT_POINTS_MAX], others[FLG_CONTACT_POINTS_MAX];
    const int count = flg_contact_distance(&p.a, &a, &p.b, &b, 0.01, points);
    assert_int_equal(flg_contact_distance(&p.b, &b, &p.a, &a, 0.01, others), count);
    assert_in_range(count, 2, 3);
    for (int i = 0; i < count; i++) {
      double nearest = HUGE_VAL;
      for (int j = 0; j < count; j++) {
        const double off = flg_vec3_norm(flg_vec3_subtract(points[i].a, others[j].b)) +
                           flg_vec3_norm(flg_vec3_subtract(points[i].b, others[j].a));
        nearest = flg_smaller(nearest, off);
      }
      assert_near(nearest, 0, 1e-12);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_that_touch_have_the_mean_normal),
      cmocka_unit_test(roofs_that_overlap_evenly_are_pushed_straight_up),
      cmocka_unit_test(edges_that_are_apart_have_the_line_between_them),
      cmocka_unit_test(points_are_the_ends_of_what_the_edges_share),
      cmocka_unit_test(round_shapes_along_an_edge_lie_on_two_points),
      cmocka_unit_test(capsules_nearly_along_each_other_touch_at_points_of_both),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
