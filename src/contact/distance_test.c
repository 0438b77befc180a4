#include "contact/distance.h"

#include "contact/test_shapes.h"

enum { POSES = 10000 };

static const flg_contact_kind SOLIDS[] = {FLG_CONTACT_SPHERE, FLG_CONTACT_CAPSULE, FLG_CONTACT_BOX,
                                          FLG_CONTACT_CYLINDER, FLG_CONTACT_CONVEX};
enum { SOLID_COUNT = sizeof SOLIDS / sizeof SOLIDS[0] };

typedef struct found {
  int count;
  flg_contact_point points[FLG_CONTACT_POINTS_MAX];
  flg_contact_point deepest;
} found;

static found look_at(const test_pair *p, double margin) {
  found f = {.count = 0};
  f.count = flg_contact_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, margin, f.points);
  for (int k = 0; k < f.count; k++) {
    if (k == 0 || f.points[k].gap < f.deepest.gap) f.deepest = f.points[k];
  }
  return f;
}

static void say(const test_pair *p, const char *what, int pose, double by) {
  fail_msg("%s and %s, pose %d (kind %d): %s, by %g", flg_contact_kind_name(p->a.kind),
           flg_contact_kind_name(p->b.kind), pose, pose % POSE_KINDS, what, by);
}

static double exactness(const test_pair *p) {
  const bool flat_a = p->a.kind != FLG_CONTACT_CYLINDER, flat_b = p->b.kind != FLG_CONTACT_CYLINDER;
  return flat_a && flat_b ? 1e-12 : 1e-9;
}

/* What holds for every point. */
static void check_points(const test_pair *p, const found *f, double margin, int pose) {
  for (int k = 0; k < f->count; k++) {
    const flg_contact_point *q = &f->points[k];
    const flg_vec3 d = flg_vec3_subtract(q->b, q->a);
    const flg_vec3 off = flg_vec3_add_scaled(d, -q->gap, q->normal);
    if (!(fabs(flg_vec3_norm(q->normal) - 1) < 1e-14)) say(p, "the normal is no unit", pose, 0);
    if (!(flg_vec3_norm(off) < 1e-13)) say(p, "b - a is not gap n", pose, flg_vec3_norm(off));
    if (!(q->gap < margin)) say(p, "beyond the margin", pose, q->gap);
    const double a = outside_by(&p->a, &p->pose_a, q->a), b = outside_by(&p->b, &p->pose_b, q->b);
    /* Further points of lines that are not quite parallel may be off by the angle squared. Round
     * shapes with one centre have rings of answers, and a point from somewhere on them. */
    const double place = pose % POSE_KINDS == CONCENTRIC ? 0.1 : 1e-6;
    const double loose = q->key == f->deepest.key ? place : 0.006;
    if (!(fabs(a) < loose)) say(p, "a is not on the surface", pose, a);
    if (!(fabs(b) < loose)) say(p, "b is not on the surface", pose, b);
    if (k > 0 && q->key <= f->points[k - 1].key) say(p, "keys are not in order", pose, 0);
  }
}

/* The direction proves that the gap is not less; points of that distance that it is not more. */
static void check_deepest(const test_pair *p, const found *f, int pose) {
  const double tolerance = exactness(p), gap = f->deepest.gap;
  const double seen = separation(p, f->deepest.normal);
  /* the distance is flat in the normal: where it is exact, the normal may be off by its root */
  if (!(fabs(seen - gap) < 5e-9)) say(p, "the normal does not see the gap", pose, seen - gap);
  if (gap >= 0) return;
  const double most = search_all(p);
  if (!(most - gap < tolerance)) say(p, "another direction is shorter", pose, most - gap);
}

static void gaps_and_normals_are_those_of_a_search(void **state) {
  const flg_contact_kind *kinds = *state;
  const flg_contact_kind a = kinds[0], b = kinds[1];
  const double margin = 1;
  test_world *world = make_world(1);
  for (int k = 0; k < REPEATS(POSES); k++) {
    test_pair p = {random_shape(world, a), random_shape(world, b)};
    place(&p, (pose_kind)(k % POSE_KINDS), &world->source);
    const found f = look_at(&p, margin);
    if (f.count == 0) say(&p, "no points", k, 0);
    const int most = flg_contact_points_most(&p.a, &p.b);
    if (f.count > FLG_CONTACT_SPREAD + 1 || f.count > most) say(&p, "too many points", k, f.count);
    check_points(&p, &f, margin, k);
    check_deepest(&p, &f, k);
  }
  drop_world(world);
}

static void gaps_over_planes_are_those_of_supports(void **state) {
  (void)state;
  test_world *world = make_world(2);
  const flg_vec3 up = {0, 0, 1};
  for (int i = 0; i < SOLID_COUNT; i++) {
    for (int k = 0; k < REPEATS(POSES); k++) {
      test_pair p = {random_shape(world, FLG_CONTACT_PLANE), random_shape(world, SOLIDS[i])};
      place(&p, (pose_kind)(k % POSE_KINDS), &world->source);
      const found f = look_at(&p, 1);
      const flg_vec3 n = flg_mat3_apply(&p.pose_a.rotation, up);
      const double low =
          -height_in(&p.b, &p.pose_b, flg_vec3_negate(n)) - flg_vec3_dot(n, p.pose_a.position);
      assert_true(f.count > 0 && f.count <= flg_contact_points_most(&p.a, &p.b));
      check_points(&p, &f, 1, k);
      assert_near(f.deepest.gap, low, 2e-13);
      for (int j = 0; j < f.count; j++) {
        assert_near(flg_vec3_norm(flg_vec3_subtract(f.points[j].normal, n)), 0, 1e-15);
      }
    }
  }
  drop_world(world);
}

/* Each point of the set against a brute-force search of its own, as a ball of no size. */
static void points_of_sets_touch_by_themselves(void **state) {
  (void)state;
  test_world *world = make_world(3);
  for (int i = 0; i < SOLID_COUNT; i++) {
    for (int k = 0; k < REPEATS(POSES); k++) {
      test_pair p = {random_shape(world, SOLIDS[i]), random_shape(world, FLG_CONTACT_POINTS)};
      place(&p, (pose_kind)(k % POSE_KINDS), &world->source);
      flg_contact_point points[SET_POINTS + FLG_CONTACT_POINTS_MAX];
      const int count = flg_contact_distance(&p.a, &p.pose_a, &p.b, &p.pose_b, 2, points);
      const flg_vec3 *set = p.b.points;
      assert_int_equal(count, SET_POINTS);
      const int j = k % SET_POINTS;
      const flg_contact_point *q = &points[j];
      p.b.points = &set[j], p.b.point_count = 1;
      const flg_vec3 at = flg_pose_apply(&p.pose_b, set[j]);
      assert_near(flg_vec3_norm(flg_vec3_subtract(q->b, at)), 0, 1e-14);
      const double tolerance = exactness(&p), seen = separation(&p, q->normal);
      if (!(fabs(seen - q->gap) < tolerance)) say(&p, "the normal sees another gap", k, seen);
      const double off = outside_by(&p.a, &p.pose_a, q->a);
      if (!(fabs(off) < 100 * tolerance)) say(&p, "a is off", k, off);
      const double most = q->gap < 0 ? search_all(&p) : q->gap;
      if (!(most - q->gap < tolerance)) say(&p, "another direction is shorter", k, most - q->gap);
    }
  }
  drop_world(world);
}

static void points_of_sets_over_planes_are_their_heights(void **state) {
  (void)state;
  test_world *world = make_world(4);
  for (int k = 0; k < REPEATS(POSES); k++) {
    test_pair p = {random_shape(world, FLG_CONTACT_PLANE), random_shape(world, FLG_CONTACT_POINTS)};
    flg_contact_point points[SET_POINTS + FLG_CONTACT_POINTS_MAX];
    p.pose_a = (flg_pose){random_rotation(&world->source), random_vector(&world->source, 1)};
    p.pose_b = (flg_pose){random_rotation(&world->source), random_vector(&world->source, 1)};
    const int count = flg_contact_distance(&p.a, &p.pose_a, &p.b, &p.pose_b, 0.1, points);
    int under = 0;
    for (int j = 0; j < SET_POINTS; j++) {
      const flg_vec3 at = flg_pose_apply(&p.pose_b, p.b.points[j]);
      const double height = flg_pose_apply_inverse(&p.pose_a, at).z;
      if (!(height < 0.1)) continue;
      assert_true(under < count);
      assert_near(points[under].gap, height, 1e-14);
      assert_near(flg_vec3_norm(flg_vec3_subtract(points[under].b, at)), 0, 1e-14);
      under++;
    }
    assert_int_equal(count, under);
  }
  drop_world(world);
}

/* d gap / d (position of B) = n, wherever the gap has a derivative. */
static void normals_are_gradients_of_the_gap(void **state) {
  (void)state;
  test_world *world = make_world(5);
  const double h = 1e-5;
  for (int i = 0; i < SOLID_COUNT; i++) {
    for (int j = i; j < SOLID_COUNT; j++) {
      int smooth = 0, all = 0;
      for (int k = 0; k < REPEATS(1000); k++) {
        test_pair p = {random_shape(world, SOLIDS[i]), random_shape(world, SOLIDS[j])};
        place(&p, ANYHOW, &world->source);
        const found f = look_at(&p, 1);
        for (int axis = 0; axis < 3; axis++) {
          const flg_vec3 e = {axis == 0, axis == 1, axis == 2}, at = p.pose_b.position;
          double gaps[2];
          for (int side = 0; side < 2; side++) {
            p.pose_b.position = flg_vec3_add_scaled(at, side ? h : -h, e);
            gaps[side] = look_at(&p, 2).deepest.gap;
          }
          p.pose_b.position = at;
          all++;
          /* a kink, where the nearest feature changes: seen by the second difference */
          if (fabs(gaps[0] + gaps[1] - 2 * f.deepest.gap) > 5e-8 * h / 1e-5) continue;
          smooth++;
          const double slope = (gaps[1] - gaps[0]) / (2 * h);
          if (!(fabs(slope - flg_vec3_dot(f.deepest.normal, e)) < 1e-2 * h / 1e-5)) {
            say(&p, "the normal is no gradient", k, slope - flg_vec3_dot(f.deepest.normal, e));
          }
        }
      }
      assert_true(smooth > all / 2);
    }
  }
  drop_world(world);
}

/* Axes that cross, or a point beside an axis: the normal is perpendicular to the axes as exactly
 * where they nearly meet as where they are far apart, and so is the gap. */
static void normals_beside_axes_are_as_exact_where_these_nearly_meet(void **state) {
  (void)state;
  random_source source = {8};
  for (int k = 0; k < REPEATS(POSES); k++) {
    const bool is_ball = k % 2 == 0;
    const flg_mat3 turn = random_rotation(&source);
    const flg_vec3 u = flg_mat3_column(&turn, 2), n = flg_mat3_column(&turn, 0);
    const double angle = random_uniform(&source, 0.1, 3), apart = pow(10, -12 * (k % 7) / 6.0);
    const flg_mat3 about = flg_mat3_from_axis(n, sin(angle), cos(angle));
    const flg_mat3 other = flg_mat3_multiply(&about, &turn);
    const flg_vec3 v = flg_mat3_column(&other, 2), at = random_vector(&source, 1);
    test_pair p = {.pose_a = {turn, at}, .pose_b = {other, at}};
    assert_int_equal(flg_contact_shape_capsule(&p.a, 0.1, 2, NULL), FLG_OK);
    assert_int_equal(is_ball ? flg_contact_shape_sphere(&p.b, 0.2, NULL)
                             : flg_contact_shape_capsule(&p.b, 0.2, 2, NULL),
                     FLG_OK);
    flg_vec3 *to = &p.pose_b.position;
    *to = flg_vec3_add_scaled(*to, random_uniform(&source, -0.9, 0.9), u);
    if (!is_ball) *to = flg_vec3_add_scaled(*to, random_uniform(&source, -0.9, 0.9), v);
    *to = flg_vec3_add_scaled(*to, apart, n);
    const found f = look_at(&p, 2);
    assert_int_equal(f.count, 1);
    assert_near(f.deepest.gap, apart - 0.3, 1e-14);
    assert_near(flg_vec3_dot(f.deepest.normal, u), 0, 1e-15);
    if (!is_ball) assert_near(flg_vec3_dot(f.deepest.normal, v), 0, 1e-15);
    if (!is_ball) assert_near(flg_vec3_dot(f.deepest.normal, n), 1, 4e-15);
  }
}

static void swapping_the_shapes_turns_the_normals_around(void **state) {
  (void)state;
  test_world *world = make_world(6);
  for (int i = 0; i <= SOLID_COUNT; i++) {
    for (int j = 0; j < SOLID_COUNT; j++) {
      const flg_contact_kind kind = i < SOLID_COUNT ? SOLIDS[i] : FLG_CONTACT_PLANE;
      for (int k = 0; k < REPEATS(1000); k++) {
        test_pair p = {random_shape(world, kind), random_shape(world, SOLIDS[j])};
        place(&p, (pose_kind)(k % POSE_KINDS), &world->source);
        const test_pair q = {p.b, p.a, p.pose_b, p.pose_a};
        const found f = look_at(&p, 0.5), g = look_at(&q, 0.5);
        if (kind == SOLIDS[j]) {
          /* which of several equal ones is found may differ, but not how deep it is */
          if (f.count == 0 && g.count == 0) continue;
          assert_near(g.deepest.gap, f.deepest.gap, kind == FLG_CONTACT_CYLINDER ? 1e-12 : 1e-14);
          /* edges and corners that touch have the mean of what their faces see */
          const bool touch = kind == FLG_CONTACT_BOX && fabs(f.deepest.gap) < 1e-8;
          assert_near(separation(&p, flg_vec3_negate(g.deepest.normal)), f.deepest.gap,
                      touch ? 5e-9 : 1e-12);
          const flg_vec3 both = flg_vec3_add(f.deepest.normal, g.deepest.normal);
          if (touch) assert_near(flg_vec3_norm(both), 0, 1e-13);
          continue;
        }
        assert_int_equal(f.count, g.count);
        for (int m = 0; m < f.count; m++) {
          assert_memory_equal(&f.points[m].a, &g.points[m].b, sizeof(flg_vec3));
          assert_memory_equal(&f.points[m].b, &g.points[m].a, sizeof(flg_vec3));
          assert_true(f.points[m].gap == g.points[m].gap);
          assert_true(f.points[m].normal.x == -g.points[m].normal.x &&
                      f.points[m].normal.y == -g.points[m].normal.y &&
                      f.points[m].normal.z == -g.points[m].normal.z);
        }
      }
    }
  }
  drop_world(world);
}

static void shapes_beyond_the_margin_have_no_points(void **state) {
  (void)state;
  test_world *world = make_world(7);
  for (int i = 0; i < SOLID_COUNT; i++) {
    for (int j = i; j < SOLID_COUNT; j++) {
      for (int k = 0; k < REPEATS(500); k++) {
        test_pair p = {random_shape(world, SOLIDS[i]), random_shape(world, SOLIDS[j])};
        place(&p, (pose_kind)(k % POSE_KINDS), &world->source);
        const double gap = look_at(&p, 1).deepest.gap;
        if (fabs(gap) < 1e-9) continue;
        assert_int_equal(look_at(&p, gap - 1e-10).count, 0);
        assert_true(look_at(&p, gap + 1e-10).count > 0);
      }
    }
  }
  drop_world(world);
}

/* Where supports walk uphill from corner to corner. */
static void hulls_of_many_corners_are_no_less_exact(void **state) {
  (void)state;
  enum { CLOUD_OF_MANY = 400 };
  static flg_vec3 cloud[CLOUD_OF_MANY];
  test_world *world = make_world(10);
  flg_region region = {0};
  flg_hull hull;
  for (int k = 0; k < CLOUD_OF_MANY; k++) {
    const flg_vec3 n = random_direction(&world->source);
    cloud[k] = (flg_vec3){0.5 * n.x, 0.3 * n.y, 0.4 * n.z};
  }
  assert_int_equal(flg_hull_build(&hull, cloud, CLOUD_OF_MANY, &region, NULL), FLG_OK);
  assert_int_equal(hull.vertex_count, CLOUD_OF_MANY);
  for (int k = 0; k < REPEATS(POSES); k++) {
    test_pair p = {random_shape(world, SOLIDS[k % SOLID_COUNT]), {.kind = FLG_CONTACT_CONVEX}};
    flg_contact_shape_convex(&p.b, &hull);
    place(&p, (pose_kind)(k / SOLID_COUNT % POSE_KINDS), &world->source);
    const found f = look_at(&p, 1);
    assert_true(f.count > 0);
    check_points(&p, &f, 1, k / SOLID_COUNT);
    const double gap = f.deepest.gap, seen = separation(&p, f.deepest.normal);
    if (!(fabs(seen - gap) < 5e-9)) say(&p, "the normal does not see the gap", k, seen - gap);
    /* its faces, and a climb from the best of them */
    double best = -HUGE_VAL;
    flg_vec3 found_axis = f.deepest.normal;
    for (int m = 0; m < hull.face_count && gap < 0; m++) {
      const flg_vec3 n = flg_mat3_apply(&p.pose_b.rotation, hull.normals[m]);
      offer_axis(&p, n, &best, &found_axis);
    }
    if (gap < 0) best = flg_larger(best, climb(&p, found_axis, 0.1, 1e-5));
    if (!(best - gap < exactness(&p))) say(&p, "another direction is shorter", k, best - gap);
  }
  flg_region_release(&region);
  drop_world(world);
}

/* Millimetres or kilometres: no tolerance is absolute. Powers of two do not even change a bit. */
static void sizes_scale_the_gaps_to_the_last_bit(void **state) {
  (void)state;
  test_world *world = make_world(9);
  for (int k = 0; k < REPEATS(3000); k++) {
    const int i = k % SOLID_COUNT, j = k / SOLID_COUNT % SOLID_COUNT;
    const double scale = k % 2 ? 1024 : 1.0 / 1024;
    test_pair p = {random_shape(world, SOLIDS[i]), random_shape(world, SOLIDS[j])};
    if (p.a.kind == FLG_CONTACT_CONVEX || p.b.kind == FLG_CONTACT_CONVEX) continue;
    place(&p, (pose_kind)(k / 25 % POSE_KINDS), &world->source);
    const found f = look_at(&p, 1);
    flg_contact_shape *shapes[2] = {&p.a, &p.b};
    flg_pose *poses[2] = {&p.pose_a, &p.pose_b};
    for (int m = 0; m < 2; m++) {
      shapes[m]->half = flg_vec3_scale(shapes[m]->half, scale);
      shapes[m]->radius *= scale;
      poses[m]->position = flg_vec3_scale(poses[m]->position, scale);
    }
    const found g = look_at(&p, scale);
    assert_int_equal(f.count, g.count);
    for (int m = 0; m < f.count; m++) {
      assert_true(g.points[m].gap == scale * f.points[m].gap);
      assert_true(g.points[m].key == f.points[m].key);
      assert_memory_equal(&g.points[m].normal, &f.points[m].normal, sizeof(flg_vec3));
    }
  }
  drop_world(world);
}

static void poses_that_are_no_numbers_have_no_points(void **state) {
  (void)state;
  test_world *world = make_world(8);
  for (int i = 0; i < SOLID_COUNT; i++) {
    for (int j = 0; j < SOLID_COUNT; j++) {
      test_pair p = {random_shape(world, SOLIDS[i]), random_shape(world, SOLIDS[j])};
      place(&p, DEEP, &world->source);
      p.pose_b.position.y = NAN;
      assert_int_equal(look_at(&p, 1).count, 0);
      p.pose_b.position.y = 0, p.pose_a.rotation.m[4] = NAN;
      assert_int_equal(look_at(&p, 1).count, 0);
    }
  }
  drop_world(world);
}

enum { PAIR_COUNT = SOLID_COUNT * (SOLID_COUNT + 1) / 2, OTHER_COUNT = 9 };

/* One test for each pair of solids. */
static void list_pairs(flg_contact_kind pairs[][2], char names[][64], struct CMUnitTest *tests) {
  for (int i = 0, k = 0; i < SOLID_COUNT; i++) {
    for (int j = i; j < SOLID_COUNT; j++, k++) {
      pairs[k][0] = SOLIDS[i], pairs[k][1] = SOLIDS[j];
      snprintf(names[k], sizeof names[k], "gaps_and_normals_of_%s_and_%s_are_those_of_a_search",
               flg_contact_kind_name(SOLIDS[i]), flg_contact_kind_name(SOLIDS[j]));
      tests[k] = (struct CMUnitTest){.name = names[k],
                                     .test_func = gaps_and_normals_are_those_of_a_search,
                                     .initial_state = pairs[k]};
    }
  }
}

int main(void) {
  static flg_contact_kind pairs[PAIR_COUNT][2];
  static char names[PAIR_COUNT][64];
  struct CMUnitTest tests[PAIR_COUNT + OTHER_COUNT] = {
      cmocka_unit_test(gaps_over_planes_are_those_of_supports),
      cmocka_unit_test(points_of_sets_touch_by_themselves),
      cmocka_unit_test(points_of_sets_over_planes_are_their_heights),
      cmocka_unit_test(normals_are_gradients_of_the_gap),
      cmocka_unit_test(normals_beside_axes_are_as_exact_where_these_nearly_meet),
      cmocka_unit_test(swapping_the_shapes_turns_the_normals_around),
      cmocka_unit_test(shapes_beyond_the_margin_have_no_points),
      cmocka_unit_test(hulls_of_many_corners_are_no_less_exact),
      cmocka_unit_test(sizes_scale_the_gaps_to_the_last_bit),
      cmocka_unit_test(poses_that_are_no_numbers_have_no_points),
  };
  list_pairs(pairs, names, tests + OTHER_COUNT);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
