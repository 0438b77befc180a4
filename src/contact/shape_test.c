#include "contact/test_shapes.h"

static void bounds_are_the_supports_along_the_axes(void **state) {
  (void)state;
  static const flg_contact_kind kinds[] = {FLG_CONTACT_SPHERE, FLG_CONTACT_CAPSULE,
                                           FLG_CONTACT_BOX,    FLG_CONTACT_CYLINDER,
                                           FLG_CONTACT_CONVEX, FLG_CONTACT_POINTS};
  test_world *world = make_world(40);
  for (int k = 0; k < REPEATS(6000); k++) {
    const flg_contact_shape s = random_shape(world, kinds[k % 6]);
    const flg_pose pose = {random_rotation(&world->source), random_vector(&world->source, 2)};
    flg_vec3 lower, upper;
    flg_contact_shape_bounds(&s, &pose, &lower, &upper);
    double low[3], high[3];
    flg_vec3_store(lower, low), flg_vec3_store(upper, high);
    for (int axis = 0; axis < 3; axis++) {
      const flg_vec3 e = {axis == 0, axis == 1, axis == 2};
      const double top = height_in(&s, &pose, e),
                   bottom = -height_in(&s, &pose, flg_vec3_negate(e));
      assert_true(high[axis] >= top - 1e-14 && low[axis] <= bottom + 1e-14);
      /* tight for what is a box or swept over a line, within the box around the others */
      if (kinds[k % 6] == FLG_CONTACT_CYLINDER || k % 6 >= 4) continue;
      assert_near(high[axis], top, 1e-14);
      assert_near(low[axis], bottom, 1e-14);
    }
  }
  drop_world(world);
}

static void bounds_of_grounds_are_endless(void **state) {
  (void)state;
  flg_contact_shape plane, ground;
  double heights[] = {1, 2, 3, 4, 5, 6};
  flg_height_field field = {
      .columns = 3, .rows = 2, .spacing_x = 2, .spacing_y = 0.5, .heights = heights};
  flg_vec3 lower, upper;
  const flg_pose pose = {flg_mat3_identity(), {10, 20, 30}};
  flg_contact_shape_plane(&plane);
  flg_contact_shape_bounds(&plane, &pose, &lower, &upper);
  assert_true(lower.x == -HUGE_VAL && upper.z == HUGE_VAL);
  assert_int_equal(flg_contact_shape_height_field(&ground, &field, NULL), FLG_OK);
  flg_contact_shape_bounds(&ground, &pose, &lower, &upper);
  assert_true(lower.x == 10 && upper.x == 14 && lower.y == 20 && upper.y == 20.5);
  assert_true(lower.z == -HUGE_VAL && upper.z == 36);
}

/* a peak in the middle of a field whose columns and rows are not equally wide */
static void peaks_are_where_the_spacing_says(void **state) {
  (void)state;
  double heights[] = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  flg_height_field field = {
      .columns = 3, .rows = 3, .spacing_x = 4, .spacing_y = 8, .heights = heights};
  flg_contact_shape ground, ball;
  flg_contact_point points[FLG_CONTACT_POINTS_MAX];
  const flg_pose home = {flg_mat3_identity(), {0, 0, 0}};
  assert_int_equal(flg_contact_shape_height_field(&ground, &field, NULL), FLG_OK);
  assert_int_equal(flg_contact_shape_sphere(&ball, 0.25, NULL), FLG_OK);
  const flg_pose over = {flg_mat3_identity(), {4, 8, 1.5}};
  assert_true(flg_contact_distance(&ground, &home, &ball, &over, 2, points) > 0);
  assert_near(points[0].gap, 0.25, 1e-14);
}

static void shapes_of_models_are_compiled(void **state) {
  (void)state;
  const double values[] = {0, 0, 0, 1, 2, 3};
  const flg_shape models[] = {
      {.kind = FLG_SHAPE_BOX, .size = {1, 2, 3}},
      {.kind = FLG_SHAPE_CYLINDER, .size = {0.5, 2}},
      {.kind = FLG_SHAPE_SPHERE, .size = {0.5}},
      {.kind = FLG_SHAPE_CAPSULE, .size = {0.5, 2}},
      {.kind = FLG_SHAPE_PLANE},
      {.kind = FLG_SHAPE_POINTS, .values = values, .value_count = 6},
      {.kind = FLG_SHAPE_HEIGHT_FIELD,
       .size = {1, 1},
       .values = values,
       .value_count = 6,
       .columns = 3},
  };
  const flg_contact_kind kinds[] = {
      FLG_CONTACT_BOX,   FLG_CONTACT_CYLINDER, FLG_CONTACT_SPHERE,      FLG_CONTACT_CAPSULE,
      FLG_CONTACT_PLANE, FLG_CONTACT_POINTS,   FLG_CONTACT_HEIGHT_FIELD};
  flg_region region = {0};
  flg_error error;
  flg_contact_shape shapes[7];
  for (int k = 0; k < 7; k++) {
    assert_int_equal(flg_contact_shape_of_model(&shapes[k], &models[k], &region, &error), FLG_OK);
    assert_int_equal(shapes[k].kind, kinds[k]);
  }
  assert_true(shapes[0].half.z == 1.5 && shapes[1].half.z == 1 && shapes[3].half.z == 1);
  assert_int_equal(shapes[5].point_count, 2);
  assert_true(shapes[5].points[1].z == 3);
  assert_true(shapes[6].field->rows == 2 && shapes[6].field->highest == 3);
  flg_shape mesh = {.name = "hood", .kind = FLG_SHAPE_MESH, .size = {1, 1, 1}};
  assert_int_equal(flg_contact_shape_of_model(shapes, &mesh, &region, &error), FLG_ERR_RANGE);
  assert_non_null(strstr(error.message, "hood is a mesh"));
  mesh.kind = FLG_SHAPE_BOX, mesh.size[1] = 0;
  assert_int_equal(flg_contact_shape_of_model(shapes, &mesh, &region, &error), FLG_ERR_RANGE);
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_are_the_supports_along_the_axes),
      cmocka_unit_test(bounds_of_grounds_are_endless),
      cmocka_unit_test(peaks_are_where_the_spacing_says),
      cmocka_unit_test(shapes_of_models_are_compiled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
