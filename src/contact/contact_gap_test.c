/* Gaps of shapes that are far from all others, against closed forms, in any unit of length, and
 * without a change of the contacts that were found. */
#include "contact/contact_scene.h"
#include "contact/test_shapes.h"

enum { BALL, BRICK, PAIR_OF_POINTS, FLOOR, HILL, SHAPES, BODIES = 3 };

typedef struct yard {
  flg_contact_shape kinds[SHAPES];
  flg_scene_shape shapes[SHAPES];
  flg_pose poses[BODIES];
  flg_vec3 corners[2];
  double heights[9];
  flg_height_field field;
  flg_material material;
  flg_material_table table;
  flg_region region;
  flg_contact_scene *scene;
} yard;

static flg_pose pose_at(double unit, double x, double y, double z) {
  return (flg_pose){flg_mat3_identity(), {unit * x, unit * y, unit * z}};
}

/* a ball, a brick and two points over a floor, and a hill with its peak at (101, 1, 0.5) */
static void make_yard(yard *y, double unit) {
  static const double hill[9] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0};
  flg_error error;
  memset(y, 0, sizeof *y);
  y->corners[0] = (flg_vec3){unit * 0.2, unit * 0.2, -unit * 0.2};
  y->corners[1] = (flg_vec3){-unit * 0.2, -unit * 0.2, unit * 0.2};
  for (int k = 0; k < 9; k++) y->heights[k] = unit * hill[k];
  y->field = (flg_height_field){3, 3, unit, unit, 0, 0, y->heights};
  assert_int_equal(flg_contact_shape_sphere(&y->kinds[BALL], unit * 0.25, NULL), FLG_OK);
  assert_int_equal(flg_contact_shape_box(&y->kinds[BRICK], (flg_vec3){unit, unit, unit}, NULL),
                   FLG_OK);
  assert_int_equal(flg_contact_shape_points(&y->kinds[PAIR_OF_POINTS], y->corners, 2, NULL),
                   FLG_OK);
  flg_contact_shape_plane(&y->kinds[FLOOR]);
  assert_int_equal(flg_contact_shape_height_field(&y->kinds[HILL], &y->field, NULL), FLG_OK);
  for (int k = 0; k < SHAPES; k++)
    y->shapes[k] = flg_scene_shape_default(&y->kinds[k], k < BODIES ? k : FLG_WORLD);
  y->shapes[FLOOR].pose = pose_at(unit, 0, 0, -50);
  y->shapes[HILL].pose = pose_at(unit, 100, 0, 0);
  y->poses[BALL] = pose_at(unit, 3, 0, 0);
  y->poses[BRICK] = pose_at(unit, -1, 0, 0);
  y->poses[PAIR_OF_POINTS] = pose_at(unit, 0, 40, 0);
  y->material = flg_material_default();
  assert_int_equal(flg_material_table_build(&y->table, &y->material, 1, NULL, 0, &y->region, NULL),
                   FLG_OK);
  const flg_scene_input input = {
      .shapes = y->shapes, .materials = &y->table, .shape_count = SHAPES, .body_count = BODIES};
  if (flg_contact_scene_build(&y->scene, &input, &y->region, &error) != FLG_OK)
    fail_msg("%s", error.message);
}

static int detect_in(yard *y, double margin, const flg_contact **contacts) {
  int count;
  assert_int_equal(flg_contact_scene_detect(y->scene, y->poses, NULL, margin, contacts, &count),
                   FLG_OK);
  return count;
}

static double gap_of(const yard *y, int shape, int point) {
  return flg_contact_scene_gap(y->scene, shape, point, HUGE_VAL);
}

static void far_gaps_are_distances(void **state) {
  (void)state;
  const flg_contact *contacts;
  yard y;
  make_yard(&y, 1);
  assert_int_equal(detect_in(&y, 0.01, &contacts), 0);
  const double apart = 3 - 0.25 - -0.5; /* ball and brick, along x */
  assert_near(gap_of(&y, BALL, -1), apart, 1e-14);
  assert_near(gap_of(&y, BRICK, -1), apart, 1e-14);
  /* the corner (-0.2, 39.8, 0.2) is over the face y = 0.5 of the brick but for 0.3 in x */
  const double beside = hypot(-0.2 + 0.5, 39.8 - 0.5);
  const double ball = sqrt(3.2 * 3.2 + 39.8 * 39.8 + 0.2 * 0.2) - 0.25;
  assert_near(gap_of(&y, PAIR_OF_POINTS, -1), fmin(beside, ball), 1e-13);
  assert_near(gap_of(&y, PAIR_OF_POINTS, 1), fmin(beside, ball), 1e-13);
  /* the other corner, (0.2, 40.2, -0.2) */
  assert_near(gap_of(&y, PAIR_OF_POINTS, 0),
              fmin(hypot(0.7, 39.7), sqrt(2.8 * 2.8 + 40.2 * 40.2 + 0.04) - 0.25), 1e-13);
  /* the edge x = 100 of the field is nearest to the ball */
  assert_near(gap_of(&y, HILL, -1), 97 - 0.25, 1e-12);
  assert_near(gap_of(&y, FLOOR, -1), 50 - 0.5, 1e-13);
  flg_region_release(&y.region);
}

static void gaps_scale_with_the_unit_of_length(void **state) {
  (void)state;
  const double units[] = {1.0 / 1048576, 1024};
  const flg_contact *contacts;
  yard y, other;
  make_yard(&y, 1);
  detect_in(&y, 0.01, &contacts);
  for (int u = 0; u < 2; u++) {
    make_yard(&other, units[u]);
    detect_in(&other, units[u] * 0.01, &contacts);
    for (int k = 0; k < SHAPES; k++) {
      assert_true(gap_of(&other, k, -1) == units[u] * gap_of(&y, k, -1));
    }
    flg_region_release(&other.region);
  }
  flg_region_release(&y.region);
}

static void a_look_leaves_the_contacts_that_were_found(void **state) {
  (void)state;
  const flg_contact *contacts;
  yard y;
  make_yard(&y, 1);
  y.poses[BALL] = pose_at(1, -0.26, 0, 0); /* 0.01 deep in the brick */
  const int count = detect_in(&y, 0.01, &contacts);
  assert_int_equal(count, 1);
  const flg_contact found = contacts[0];
  for (int k = 0; k < SHAPES; k++) (void)gap_of(&y, k, -1);
  assert_memory_equal(&contacts[0].normal, &found.normal, sizeof found.normal);
  assert_true(contacts[0].gap == found.gap && contacts[0].key == found.key);
  /* what was found is the least there is, and is given back as it is */
  assert_true(flg_contact_scene_gap(y.scene, BALL, -1, found.gap) == found.gap);
  flg_region_release(&y.region);
}

static void a_shape_that_may_touch_nothing_keeps_the_most(void **state) {
  (void)state;
  const flg_contact *contacts;
  flg_error error;
  yard y;
  make_yard(&y, 1);
  for (int k = 0; k < SHAPES; k++) y.shapes[k].collides = 2;
  y.shapes[BALL].group = y.shapes[BRICK].group = 1;
  const flg_scene_input input = {
      .shapes = y.shapes, .materials = &y.table, .shape_count = SHAPES, .body_count = BODIES};
  assert_int_equal(flg_contact_scene_build(&y.scene, &input, &y.region, &error), FLG_OK);
  detect_in(&y, 0.01, &contacts);
  assert_true(isinf(gap_of(&y, BALL, -1)));
  flg_region_release(&y.region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(far_gaps_are_distances),
      cmocka_unit_test(gaps_scale_with_the_unit_of_length),
      cmocka_unit_test(a_look_leaves_the_contacts_that_were_found),
      cmocka_unit_test(a_shape_that_may_touch_nothing_keeps_the_most),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
