/* Shapes at rest: how many points, where, and whether they stay the same from step to step. */
#include "contact/test_shapes.h"

static const flg_pose HOME = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}};

typedef struct pair_points {
  int count;
  flg_contact_point list[FLG_CONTACT_POINTS_MAX];
} pair_points;

static pair_points look_at(const flg_contact_shape *a, const flg_pose *pose_a,
                           const flg_contact_shape *b, const flg_pose *pose_b, double margin) {
  pair_points p = {.count = 0};
  p.count = flg_contact_distance(a, pose_a, b, pose_b, margin, p.list);
  return p;
}

static flg_contact_shape box_of(double x, double y, double z) {
  flg_contact_shape shape;
  assert_int_equal(flg_contact_shape_box(&shape, (flg_vec3){x, y, z}, NULL), FLG_OK);
  return shape;
}

static flg_contact_shape cylinder_of(double radius, double length) {
  flg_contact_shape shape;
  assert_int_equal(flg_contact_shape_cylinder(&shape, radius, length, NULL), FLG_OK);
  return shape;
}

static flg_contact_shape capsule_of(double radius, double length) {
  flg_contact_shape shape;
  assert_int_equal(flg_contact_shape_capsule(&shape, radius, length, NULL), FLG_OK);
  return shape;
}

static flg_contact_shape plane_of(void) {
  flg_contact_shape shape;
  flg_contact_shape_plane(&shape);
  return shape;
}

static flg_pose pose_at(double x, double y, double z, flg_vec3 turn) {
  return (flg_pose){flg_quat_to_matrix(flg_quat_exp(turn)), {x, y, z}};
}

/* Small motions, as of one step to the next. */
static flg_pose shaken(const flg_pose *pose, random_source *source, double by) {
  const flg_mat3 turn = flg_quat_to_matrix(flg_quat_exp(random_vector(source, by)));
  return (flg_pose){flg_mat3_multiply(&turn, &pose->rotation),
                    flg_vec3_add(pose->position, random_vector(source, by))};
}

static void assert_same_keys(const pair_points *p, const pair_points *q) {
  assert_int_equal(p->count, q->count);
  for (int k = 0; k < p->count; k++) assert_true(p->list[k].key == q->list[k].key);
}

/* Any number of either pose that is NaN or infinite: no point, whatever the others are. */
static void poses_that_are_not_finite_have_no_points(void **state) {
  (void)state;
  const flg_contact_shape box = box_of(1, 1, 1);
  for (int k = 0; k < 48; k++) {
    flg_pose poses[2] = {HOME, pose_at(0.1, 0.2, 0.9, (flg_vec3){0, 0, 0.3})};
    assert_true(look_at(&box, &poses[0], &box, &poses[1], 1).count > 0);
    flg_pose *pose = &poses[k % 2];
    double *const places[3] = {&pose->position.x, &pose->position.y, &pose->position.z};
    const int number = k / 2 % 12;
    *(number < 9 ? &pose->rotation.m[number] : places[number - 9]) =
        k < 24 ? (double)NAN : (double)INFINITY;
    assert_int_equal(look_at(&box, &poses[0], &box, &poses[1], 1).count, 0);
  }
}

static void box_on_a_plane_stands_on_four_points(void **state) {
  (void)state;
  const flg_contact_shape plane = plane_of(), box = box_of(1, 2, 0.5);
  const flg_pose pose = pose_at(3, -4, 0.249, (flg_vec3){0, 0, 0.7});
  const pair_points p = look_at(&plane, &HOME, &box, &pose, 2);
  assert_int_equal(p.count, 4);
  for (int k = 0; k < 4; k++) {
    assert_near(p.list[k].gap, -0.001, 1e-15);
    assert_near(p.list[k].normal.z, 1, 0);
    const flg_vec3 local = flg_pose_apply_inverse(&pose, p.list[k].b);
    assert_near(fabs(local.x), 0.5, 1e-15);
    assert_near(fabs(local.y), 1, 1e-15);
  }
  random_source source = {1};
  for (int k = 0; k < 1000; k++) {
    const flg_pose next = shaken(&pose, &source, 1e-3);
    const pair_points q = look_at(&plane, &HOME, &box, &next, 0.1);
    assert_same_keys(&p, &q);
  }
}

/* Boxes of one height on each other, turned, overhanging: corners of the common area. */
static void box_on_a_box_stands_on_the_corners_of_what_they_share(void **state) {
  (void)state;
  const flg_contact_shape lower = box_of(2, 2, 1), upper = box_of(1, 1, 1);
  const struct {
    double x, y, turn;
    int count;
    double reach; /* largest |x| or |y| of a point */
  } cases[] = {{0, 0, 0, 4, 0.5},
               {0, 0, 0.3, 4, 0.625},
               {0.75, 0, 0, 4, 1},
               {0.9, 0.9, 0, 4, 1},
               {1, 0, 0.7853981633974483, 4, 1}};
  for (int k = 0; k < 5; k++) {
    const flg_pose pose = pose_at(cases[k].x, cases[k].y, 0.9999, (flg_vec3){0, 0, cases[k].turn});
    const pair_points p = look_at(&lower, &HOME, &upper, &pose, 0.01);
    assert_in_range(p.count, cases[k].count - 1, cases[k].count + 1);
    double reach = 0;
    for (int j = 0; j < p.count; j++) {
      assert_near(p.list[j].gap, -1e-4, 1e-14);
      assert_near(p.list[j].normal.z, 1, 1e-15);
      reach = flg_larger(reach, flg_larger(fabs(p.list[j].a.x), fabs(p.list[j].a.y)));
    }
    assert_near(reach, cases[k].reach, 3e-3);
  }
}

static void stacked_boxes_keep_their_keys_while_they_tremble(void **state) {
  (void)state;
  const flg_contact_shape lower = box_of(2, 2, 1), upper = box_of(1, 1, 1);
  random_source source = {2};
  const flg_pose pose = pose_at(0.2, 0.1, 1, (flg_vec3){0, 0, 0.4});
  const pair_points p = look_at(&lower, &HOME, &upper, &pose, 0.02);
  assert_int_equal(p.count, 4);
  for (int k = 0; k < 1000; k++) {
    const flg_pose next = shaken(&pose, &source, 1e-4);
    const pair_points q = look_at(&lower, &HOME, &upper, &next, 0.02);
    assert_same_keys(&p, &q);
  }
}

static void equal_boxes_on_each_other_keep_their_keys_while_they_tremble(void **state) {
  (void)state;
  const flg_contact_shape box = box_of(0.2, 0.2, 0.2);
  random_source source = {3};
  const flg_pose pose = pose_at(0, 0, 0.2, (flg_vec3){0, 0, 0});
  const pair_points p = look_at(&box, &HOME, &box, &pose, 0.02);
  assert_int_equal(p.count, 4);
  for (int k = 0; k < 1000; k++) {
    const flg_pose next = shaken(&pose, &source, 1e-9);
    const pair_points q = look_at(&box, &HOME, &box, &next, 0.02);
    assert_same_keys(&p, &q);
  }
}

/* gaps that are rounding, nearly: the normal stays that of the face */
static void boxes_that_hardly_touch_have_the_normal_of_a_face(void **state) {
  (void)state;
  const flg_contact_shape box = box_of(0.2, 0.2, 0.2);
  for (double gap = 1e-15; gap < 1e-3; gap *= 3) {
    const flg_pose pose = pose_at(0.01, 0, 0.2 + gap, (flg_vec3){1e-12, -1e-12, 0});
    const pair_points p = look_at(&box, &HOME, &box, &pose, 0.02);
    assert_true(p.count >= 1);
    for (int k = 0; k < p.count; k++) {
      assert_true(fabs(p.list[k].normal.x) < 1e-11 && fabs(p.list[k].normal.y) < 1e-11);
    }
  }
}

/* Two squares, one turned by an eighth, share an octagon: four of its corners, and the deepest. */
static void eight_corners_are_thinned_out_to_four(void **state) {
  (void)state;
  const flg_contact_shape box = box_of(1, 1, 1);
  const flg_pose pose = pose_at(0, 0, 0.999, (flg_vec3){0, 0, 0.7853981633974483});
  const pair_points p = look_at(&box, &HOME, &box, &pose, 0.01);
  assert_int_equal(p.count, 4);
  double least = HUGE_VAL;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < i; j++) {
      least = flg_smaller(least, flg_vec3_norm(flg_vec3_subtract(p.list[i].a, p.list[j].a)));
    }
  }
  assert_true(least > 0.5);
}

/* all eight where they are asked for: nearly, one may be the deepest of the others */
static void eight_corners_stop_what_comes_fast(void **state) {
  (void)state;
  const flg_contact_shape box = box_of(1, 1, 1);
  const flg_pose pose = pose_at(0, 0, 1.001, (flg_vec3){0, 0, 0.7853981633974483});
  pair_points p;
  p.count =
      flg_contact_distance_spread(&box, &HOME, &box, &pose, 0.01, FLG_CONTACT_SPREAD_MAX, p.list);
  assert_true(p.count >= FLG_CONTACT_SPREAD_MAX);
}

/* Edges cross, off the faces: the corners over a face are seen with its normal, where the margin is
 * as large as they are high, and the nearest point is as it was. */
static void corners_that_may_come_down_on_a_face_are_seen(void **state) {
  (void)state;
  const flg_contact_shape box = box_of(1, 1, 1);
  const flg_quat turn = flg_quat_multiply(flg_quat_exp((flg_vec3){0.2, 0.14, 0}),
                                          flg_quat_exp((flg_vec3){0, 0, 0.7853981633974483}));
  const flg_pose pose = {flg_quat_to_matrix(turn), {0.7, 0.5, 1.15}};
  const pair_points near = look_at(&box, &HOME, &box, &pose, 0.063);
  const pair_points far = look_at(&box, &HOME, &box, &pose, 0.5);
  double least = HUGE_VAL;
  int on_faces = 0;
  for (int k = 0; k < far.count; k++) {
    least = flg_smaller(least, far.list[k].gap);
    on_faces += flg_vec3_dot(far.list[k].normal, near.list[0].normal) < 1 - 1e-6;
  }
  assert_int_equal(near.count, 1);
  assert_true(on_faces >= 2);
  assert_near(least, near.list[0].gap, 1e-12);
}

static void cylinder_stands_on_points_around_its_rim(void **state) {
  (void)state;
  const flg_contact_shape plane = plane_of(), ground = box_of(4, 4, 1), can = cylinder_of(0.3, 1);
  const flg_pose pose = pose_at(0.2, 0.1, 0.499, (flg_vec3){0, 0, 0.3});
  const flg_pose below = pose_at(0, 0, -0.5, (flg_vec3){0, 0, 0});
  const pair_points on_plane = look_at(&plane, &HOME, &can, &pose, 0.01);
  const pair_points on_box = look_at(&ground, &below, &can, &pose, 0.01);
  for (int side = 0; side < 2; side++) {
    const pair_points *p = side ? &on_box : &on_plane;
    assert_true(p->count >= 3 && p->count <= 5);
    flg_vec3 middle = {0, 0, 0};
    for (int k = 0; k < p->count; k++) {
      assert_near(p->list[k].gap, -0.001, 1e-14);
      const flg_vec3 local = flg_pose_apply_inverse(&pose, p->list[k].b);
      assert_near(sqrt(local.x * local.x + local.y * local.y), 0.3, 1e-12);
      middle = flg_vec3_add_scaled(middle, 1.0 / p->count, local);
    }
    /* the axis stands between them */
    assert_true(sqrt(middle.x * middle.x + middle.y * middle.y) < 0.1);
  }
  random_source source = {3};
  for (int k = 0; k < 200; k++) {
    const flg_pose next = shaken(&pose, &source, 1e-5);
    const pair_points q = look_at(&plane, &HOME, &can, &next, 0.01);
    int same = 0;
    for (int i = 0; i < q.count; i++) {
      for (int j = 0; j < on_plane.count; j++) same += q.list[i].key == on_plane.list[j].key;
    }
    assert_true(same >= 4); /* the fifth is the deepest, wherever it is */
  }
}

/* Lying on a plane, a box and another cylinder; two points at the ends, whatever it has rolled. */
static void lying_cylinder_touches_along_its_side_while_it_rolls(void **state) {
  (void)state;
  const flg_contact_shape plane = plane_of(), ground = box_of(4, 4, 1), roll = cylinder_of(0.3, 1);
  const flg_pose below = pose_at(0, 0, -0.5, (flg_vec3){0, 0, 0});
  const flg_pose lying = pose_at(0, 0, 0, (flg_vec3){1.5707963267948966, 0, 0});
  pair_points first[2];
  for (int k = 0; k < 100; k++) {
    const double angle = 0.07 * k;
    const flg_mat3 turn = flg_quat_to_matrix(flg_quat_exp((flg_vec3){0, -angle, 0}));
    const flg_pose pose = {flg_mat3_multiply(&turn, &lying.rotation), {0.01 * angle, 0, 0.2999}};
    const pair_points now[2] = {look_at(&plane, &HOME, &roll, &pose, 0.01),
                                look_at(&ground, &below, &roll, &pose, 0.01)};
    for (int side = 0; side < 2; side++) {
      assert_int_equal(now[side].count, 2);
      assert_near(now[side].list[0].gap, -1e-4, 4e-14);
      assert_near(now[side].list[1].gap, -1e-4, 3e-14);
      assert_near(fabs(now[side].list[0].a.y - now[side].list[1].a.y), 1, 1e-9);
      assert_near(now[side].list[0].normal.z, 1, 2e-14);
      if (k == 0) first[side] = now[side];
      assert_same_keys(&now[side], &first[side]);
    }
  }
}

/* A coin on its rim: the lowest point is exact at every tilt. */
static void tilted_cylinder_has_its_lowest_point(void **state) {
  (void)state;
  const flg_contact_shape plane = plane_of(), coin = cylinder_of(1, 0.1);
  for (int k = 0; k < 500; k++) {
    const double tilt = pow(10, -10 + 0.02 * k), heading = 0.37 * k;
    const flg_vec3 turn = {tilt * cos(heading), tilt * sin(heading), 0};
    const flg_pose pose = pose_at(0, 0, 2, turn);
    const pair_points p = look_at(&plane, &HOME, &coin, &pose, 5);
    double least = HUGE_VAL;
    for (int j = 0; j < p.count; j++) least = flg_smaller(least, p.list[j].gap);
    const double low = sin(fmin(tilt, 3)) + 0.05 * fabs(cos(tilt));
    if (tilt < 1.57) assert_near(least, 2 - low, 2e-13);
  }
}

/* Which way it leans by next to nothing decides nothing: it stands on the same points of its rim.
 */
static void a_cylinder_that_stands_has_no_point_that_wanders(void **state) {
  (void)state;
  const flg_contact_shape grounds[] = {plane_of(), box_of(8, 8, 4)}, can = cylinder_of(1, 0.1);
  const flg_pose places[] = {HOME, pose_at(0, 0, -2, (flg_vec3){0, 0, 0})};
  for (int on = 0; on < 2; on++) {
    const flg_pose straight = pose_at(0, 0, 0.05, (flg_vec3){0, 0, 0});
    const pair_points still = look_at(&grounds[on], &places[on], &can, &straight, 0.01);
    for (int k = 0; k < 100; k++) {
      const double tilt = pow(10, -13 + 0.04 * k), heading = 0.37 * k;
      const flg_pose pose =
          pose_at(0, 0, 0.05, (flg_vec3){tilt * cos(heading), tilt * sin(heading), 0});
      const pair_points p = look_at(&grounds[on], &places[on], &can, &pose, 0.01);
      assert_same_keys(&p, &still);
      double least = HUGE_VAL;
      for (int j = 0; j < p.count; j++) least = flg_smaller(least, p.list[j].gap);
      assert_near(least, -tilt, 1e-12);
    }
  }
}

static void capsules_touch_along_parallel_axes_with_two_points(void **state) {
  (void)state;
  const flg_contact_shape plane = plane_of(), box = box_of(4, 4, 1), bar = capsule_of(0.1, 1);
  const flg_pose lying = pose_at(0.3, 0.2, 0.099, (flg_vec3){0, 1.5707963267948966, 0});
  const flg_pose above = pose_at(0.7, 0.2, 0.298, (flg_vec3){0, 1.5707963267948966, 0});
  const flg_pose below = pose_at(0, 0, -0.5, (flg_vec3){0, 0, 0});
  const pair_points on_plane = look_at(&plane, &HOME, &bar, &lying, 0.01);
  const pair_points on_box = look_at(&box, &below, &bar, &lying, 0.01);
  const pair_points on_bar = look_at(&bar, &lying, &bar, &above, 0.01);
  assert_int_equal(on_plane.count, 2);
  assert_int_equal(on_box.count, 2);
  assert_int_equal(on_bar.count, 2);
  for (int k = 0; k < 2; k++) {
    assert_near(on_plane.list[k].gap, -0.001, 1e-14);
    assert_near(on_box.list[k].gap, -0.001, 1e-14);
    assert_near(on_bar.list[k].gap, -0.001, 1e-14);
  }
  /* they run beside each other from 0.2 to 0.8 */
  const double x0 = on_bar.list[0].a.x, x1 = on_bar.list[1].a.x;
  assert_near(flg_smaller(x0, x1), 0.2, 1e-14);
  assert_near(flg_larger(x0, x1), 0.8, 1e-12);
}

static void prism_stands_on_its_base(void **state) {
  (void)state;
  flg_vec3 cloud[10];
  for (int k = 0; k < 10; k++) {
    const double angle = 1.2566370614359172 * (k / 2);
    cloud[k] = (flg_vec3){0.5 * cos(angle), 0.5 * sin(angle), k % 2 ? 1 : 0};
  }
  flg_region region = {0};
  flg_hull hull;
  flg_contact_shape prism;
  const flg_contact_shape ground = box_of(4, 4, 1), plane = plane_of();
  assert_int_equal(flg_hull_build(&hull, cloud, 10, &region, NULL), FLG_OK);
  flg_contact_shape_convex(&prism, &hull);
  const flg_pose below = pose_at(0, 0, -0.5, (flg_vec3){0, 0, 0});
  const flg_pose pose = pose_at(0.1, 0.2, -0.001, (flg_vec3){0, 0, 1});
  const pair_points on_box = look_at(&ground, &below, &prism, &pose, 0.01);
  const pair_points on_plane = look_at(&plane, &HOME, &prism, &pose, 0.01);
  assert_int_equal(on_box.count, 4);
  assert_int_equal(on_plane.count, 4);
  for (int k = 0; k < 4; k++) {
    assert_near(on_box.list[k].gap, -0.001, 1e-14);
    assert_near(on_plane.list[k].gap, -0.001, 1e-14);
  }
  flg_region_release(&region);
}

static void sizes_of_nothing_are_refused(void **state) {
  (void)state;
  flg_contact_shape shape;
  flg_error error;
  const double bad[] = {0, -1, NAN, HUGE_VAL};
  const flg_vec3 at[] = {{0, 0, NAN}};
  double heights[4] = {0, 0, 0, NAN};
  flg_height_field field = {
      .columns = 2, .rows = 2, .spacing_x = 1, .spacing_y = 1, .heights = heights};
  for (int k = 0; k < 4; k++) {
    const double x = bad[k];
    assert_int_equal(flg_contact_shape_sphere(&shape, x, &error), FLG_ERR_RANGE);
    assert_non_null(strstr(error.message, "radius of a sphere"));
    assert_int_equal(flg_contact_shape_capsule(&shape, x, 1, &error), FLG_ERR_RANGE);
    assert_int_equal(flg_contact_shape_cylinder(&shape, x, 1, &error), FLG_ERR_RANGE);
    assert_int_equal(flg_contact_shape_cylinder(&shape, 1, x, &error), FLG_ERR_RANGE);
    assert_int_equal(flg_contact_shape_box(&shape, (flg_vec3){x, 1, 1}, &error), FLG_ERR_RANGE);
    assert_int_equal(flg_contact_shape_box(&shape, (flg_vec3){1, x, 1}, &error), FLG_ERR_RANGE);
    assert_int_equal(flg_contact_shape_box(&shape, (flg_vec3){1, 1, x}, &error), FLG_ERR_RANGE);
    field.spacing_x = x;
    assert_int_equal(flg_contact_shape_height_field(&shape, &field, &error), FLG_ERR_RANGE);
    field.spacing_x = 1, field.spacing_y = x;
    assert_int_equal(flg_contact_shape_height_field(&shape, &field, &error), FLG_ERR_RANGE);
    field.spacing_y = 1;
  }
  assert_int_equal(flg_contact_shape_capsule(&shape, 1, -1, &error), FLG_ERR_RANGE);
  assert_int_equal(flg_contact_shape_capsule(&shape, 1, 0, &error), FLG_OK);
  assert_int_equal(flg_contact_shape_height_field(&shape, &field, &error), FLG_ERR_RANGE);
  assert_non_null(strstr(error.message, "column 2, row 2"));
  field.rows = 1;
  assert_int_equal(flg_contact_shape_height_field(&shape, &field, &error), FLG_ERR_RANGE);
  assert_int_equal(flg_contact_shape_points(&shape, at, 1, &error), FLG_ERR_RANGE);
  assert_int_equal(flg_contact_shape_points(&shape, at, 0, &error), FLG_ERR_RANGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_that_are_not_finite_have_no_points),
      cmocka_unit_test(box_on_a_plane_stands_on_four_points),
      cmocka_unit_test(box_on_a_box_stands_on_the_corners_of_what_they_share),
      cmocka_unit_test(stacked_boxes_keep_their_keys_while_they_tremble),
      cmocka_unit_test(equal_boxes_on_each_other_keep_their_keys_while_they_tremble),
      cmocka_unit_test(boxes_that_hardly_touch_have_the_normal_of_a_face),
      cmocka_unit_test(eight_corners_are_thinned_out_to_four),
      cmocka_unit_test(eight_corners_stop_what_comes_fast),
      cmocka_unit_test(corners_that_may_come_down_on_a_face_are_seen),
      cmocka_unit_test(cylinder_stands_on_points_around_its_rim),
      cmocka_unit_test(lying_cylinder_touches_along_its_side_while_it_rolls),
      cmocka_unit_test(tilted_cylinder_has_its_lowest_point),
      cmocka_unit_test(a_cylinder_that_stands_has_no_point_that_wanders),
      cmocka_unit_test(capsules_touch_along_parallel_axes_with_two_points),
      cmocka_unit_test(prism_stands_on_its_base),
      cmocka_unit_test(sizes_of_nothing_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
