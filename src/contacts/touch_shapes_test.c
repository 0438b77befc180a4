#include "contacts/touch_shapes.h"

#include "check.h"

static flg_shape shape_of(flg_shape_kind kind, int body, double x, double y, double z) {
  return (flg_shape){.kind = kind,
                     .body = body,
                     .collision = true,
                     .size = {x, y, z},
                     .pose = flg_pose_identity()};
}

static void shapes_to_be_seen_are_left_out_and_pairs_renumbered(void **state) {
  (void)state;
  flg_shape shapes[] = {
      shape_of(FLG_SHAPE_PLANE, FLG_WORLD, 1, 1, 1), shape_of(FLG_SHAPE_BOX, 0, 1, 1, 1),
      shape_of(FLG_SHAPE_SPHERE, 0, 0.5, 1, 1), shape_of(FLG_SHAPE_CAPSULE, 1, 0.5, 1, 1)};
  shapes[1].collision = false;
  shapes[2].family = 3, shapes[2].group = 4, shapes[2].collides = 5;
  shapes[3].pose.position.y = 7;
  int apart[][2] = {{0, 1}, {3, 2}};
  const flg_surfaces surfaces = {.apart = apart, .apart_count = 2};
  flg_touch_shapes touch;
  assert_int_equal(flg_touch_shapes_build(&touch, shapes, 4, &surfaces, NULL), FLG_OK);
  assert_int_equal(touch.count, 3);
  assert_int_equal(touch.sources[1], 2);
  assert_int_equal(touch.shapes[0].body, FLG_WORLD);
  assert_int_equal(touch.shapes[1].shape->kind, FLG_CONTACT_SPHERE);
  assert_int_equal(touch.shapes[1].family, 3);
  assert_int_equal(touch.shapes[1].group, 4);
  assert_int_equal(touch.shapes[1].collides, 5);
  assert_true(touch.shapes[2].group != 0 && touch.shapes[2].collides == UINT32_MAX);
  assert_true(touch.shapes[2].pose.position.y == 7);
  assert_int_equal(touch.apart_count, 1);
  assert_int_equal(touch.apart[0][0], 1);
  assert_int_equal(touch.apart[0][1], 2);
  flg_touch_shapes_release(&touch);
}

/* in either order, and one by one: of four balls the first may touch those that are left */
static void pairs_apart_are_no_partners(void **state) {
  (void)state;
  flg_shape shapes[4];
  int movers[4] = {0, 1, 2, 3};
  for (int k = 0; k < 4; k++) shapes[k] = shape_of(FLG_SHAPE_SPHERE, k, 1, 1, 1);
  for (int turned = 0; turned < 2; turned++) {
    int apart[][2] = {{0, 1}, {0, 2}, {0, 3}};
    if (turned) {
      for (int k = 0; k < 3; k++) apart[k][0] = k + 1, apart[k][1] = 0;
    }
    for (int count = 0; count <= 3; count++) {
      const flg_surfaces surfaces = {.apart = apart, .apart_count = count};
      flg_touch_shapes touch;
      flg_region region = {0};
      assert_int_equal(flg_touch_shapes_build(&touch, shapes, 4, &surfaces, NULL), FLG_OK);
      assert_int_equal(flg_touch_shapes_partner(&touch, movers, 0), count < 3 ? count + 1 : -1);
      assert_int_equal(flg_touch_shapes_partner(&touch, movers, 1), count < 1 ? 0 : 2);
      assert_int_equal(flg_touch_shapes_partner(&touch, movers, 3), count < 3 ? 0 : 1);
      for (int k = 0; k < 4; k++) movers[k] = k;
      flg_touch_shapes_keep(&touch, movers, &region);
      assert_int_equal(touch.count, count < 3 ? 4 : 3);
      assert_int_equal(touch.apart_count, count < 3 ? count : 0);
      for (int k = 0; k < touch.apart_count; k++)
        assert_true(touch.apart[k][0] == 0 && touch.apart[k][1] == k + 1);
      flg_touch_shapes_release(&touch);
      flg_region_release(&region);
    }
  }
}

/* Few numbers of everything, so that whatever keeps shapes apart comes often. */
static void draw_shapes(random_source *source, flg_touch_shapes *touch, flg_contact_shape *forms,
                        int *movers, flg_region *region) {
  static const flg_contact_kind kinds[] = {FLG_CONTACT_PLANE, FLG_CONTACT_SPHERE,
                                           FLG_CONTACT_POINTS, FLG_CONTACT_HEIGHT_FIELD};
  const int pieces = 1 + (int)random_uniform(source, 0, 6);
  for (int k = 0; k < touch->count; k++) {
    flg_scene_shape *shape = &touch->shapes[k];
    forms[k].kind = kinds[(int)random_uniform(source, 0, 4)];
    *shape = flg_scene_shape_default(&forms[k], 0);
    shape->family = (int)random_uniform(source, 0, 2);
    shape->group = UINT32_C(1) << (int)random_uniform(source, 0, 3);
    shape->collides =
        random_uniform(source, 0, 1) < 0.5 ? UINT32_MAX : (uint32_t)random_uniform(source, 0, 8);
    shape->piece = (int)random_uniform(source, 0, pieces + 1);
    shape->owner = (int)random_uniform(source, 0, 3);
    movers[k] = (int)random_uniform(source, 0, 4) - 2;
    touch->sources[k] = k;
  }
  for (int k = 0; k < pieces; k++) {
    flg_pair_set_add(&touch->pieces_apart, 1 + (int)random_uniform(source, 0, pieces),
                     1 + (int)random_uniform(source, 0, pieces), region);
  }
  flg_pair_set_sort(&touch->pieces_apart);
  for (int k = 0; k < touch->apart_count; k++) touch->apart[k][0] = 0, touch->apart[k][1] = 1 + k;
}

/* A look at all pairs says the same. */
static void shapes_without_a_partner_are_left_out(void **state) {
  (void)state;
  enum { MOST = 12, CASES = REPEATS(4000) };
  random_source source = {11};
  int left_out = 0;
  for (int i = 0; i < CASES; i++) {
    flg_region region = {0};
    flg_scene_shape shapes[MOST];
    flg_contact_shape forms[MOST] = {0};
    int sources[MOST], movers[MOST], apart[MOST][2], wanted[MOST], count = 0;
    flg_touch_shapes touch = {.shapes = shapes, .sources = sources, .apart = apart};
    touch.count = 2 + (int)random_uniform(&source, 0, MOST - 2);
    touch.apart_count = (int)random_uniform(&source, 0, touch.count);
    draw_shapes(&source, &touch, forms, movers, &region);
    for (int k = 0; k < touch.count; k++) {
      if (flg_touch_shapes_partner(&touch, movers, k) >= 0) wanted[count++] = k;
    }
    left_out += touch.count - count;
    flg_touch_shapes_keep(&touch, movers, &region);
    assert_int_equal(touch.count, count);
    for (int k = 0; k < count; k++) assert_int_equal(touch.sources[k], wanted[k]);
    flg_region_release(&region);
  }
  assert_true(left_out > CASES);
}

static void surfaces_are_counted_from_the_usual_one(void **state) {
  (void)state;
  flg_shape shapes[] = {shape_of(FLG_SHAPE_SPHERE, 0, 1, 1, 1),
                        shape_of(FLG_SHAPE_SPHERE, 1, 1, 1, 1)};
  shapes[1].surface = 2;
  flg_surface list[] = {{.name = "ice", .friction = 0.04, .restitution = 0.1},
                        {.name = "rubber", .friction = 0.81, .restitution = 0.5}};
  flg_surface_pair pairs[] = {{.first = 1, .second = 2, .friction = 0.3, .restitution = 0.2}};
  const flg_surfaces surfaces = {
      .surfaces = list, .surface_count = 2, .pairs = pairs, .pair_count = 1};
  flg_touch_shapes touch;
  assert_int_equal(flg_touch_shapes_build(&touch, shapes, 2, &surfaces, NULL), FLG_OK);
  assert_int_equal(touch.shapes[0].material, 0);
  assert_int_equal(touch.shapes[1].material, 2);
  const flg_material usual = flg_material_between(&touch.materials, 0, 0);
  const flg_material listed = flg_material_between(&touch.materials, 2, 1);
  const flg_material mixed = flg_material_between(&touch.materials, 0, 2);
  assert_true(usual.friction == 0.5 && usual.restitution == 0);
  assert_true(listed.friction == 0.3 && listed.restitution == 0.2);
  assert_near(mixed.friction, sqrt(0.5 * 0.81), 1e-15);
  assert_true(mixed.restitution == 0.5);
  flg_touch_shapes_release(&touch);
}

static void meshes_become_the_hull_of_their_vertices(void **state) {
  (void)state;
  double corners[9 * 3];
  for (int k = 0; k < 8; k++) {
    for (int axis = 0; axis < 3; axis++) corners[3 * k + axis] = (k >> axis & 1) == 0 ? -1 : 1;
  }
  corners[24] = 0.1, corners[25] = 0.2, corners[26] = 0.3; /* inside */
  flg_shape shape = shape_of(FLG_SHAPE_MESH, 0, 1, 1, 1);
  shape.values = corners, shape.value_count = 27;
  const flg_surfaces none = {0};
  flg_touch_shapes touch;
  assert_int_equal(flg_touch_shapes_build(&touch, &shape, 1, &none, NULL), FLG_OK);
  const flg_contact_shape *kind = touch.shapes[0].shape;
  assert_int_equal(kind->kind, FLG_CONTACT_CONVEX);
  assert_int_equal(kind->hull->vertex_count, 8);
  assert_int_equal(kind->hull->face_count, 6);
  flg_touch_shapes_release(&touch);
}

static void mistakes_are_all_told_with_their_places(void **state) {
  (void)state;
  flg_shape shapes[] = {shape_of(FLG_SHAPE_SPHERE, 0, -1, 1, 1),
                        shape_of(FLG_SHAPE_MESH, 0, 1, 1, 1), shape_of(FLG_SHAPE_BOX, 0, 1, 1, 1)};
  const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  shapes[0].place = (flg_place){"a.yaml", 3, 5};
  shapes[1].values = flat, shapes[1].value_count = 12;
  flg_surface list[] = {{.friction = -1, .restitution = 2}};
  const flg_surfaces surfaces = {.surfaces = list, .surface_count = 1};
  flg_touch_shapes touch;
  static flg_mistakes mistakes;
  assert_int_equal(flg_touch_shapes_build(&touch, shapes, 3, &surfaces, &mistakes), FLG_ERR_RANGE);
  assert_int_equal(mistakes.count, 4);
  assert_int_equal(mistakes.list[0].line, 3);
  assert_non_null(strstr(mistakes.list[2].message, "Friction"));
  assert_non_null(strstr(mistakes.list[3].message, "Restitution"));
  shapes[0].size[0] = 1, shapes[1].values = NULL, shapes[2].surface = 2;
  memset(&mistakes, 0, sizeof mistakes);
  list[0] = (flg_surface){.friction = 1};
  assert_int_equal(flg_touch_shapes_build(&touch, shapes, 3, &surfaces, &mistakes), FLG_ERR_RANGE);
  assert_int_equal(mistakes.count, 1); /* a mesh that was not read touches nothing */
}

static void nothing_that_touches_is_allowed(void **state) {
  (void)state;
  const flg_surfaces none = {0};
  flg_touch_shapes touch;
  assert_int_equal(flg_touch_shapes_build(&touch, NULL, 0, &none, NULL), FLG_OK);
  assert_int_equal(touch.count, 0);
  flg_touch_shapes_release(&touch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_to_be_seen_are_left_out_and_pairs_renumbered),
      cmocka_unit_test(pairs_apart_are_no_partners),
      cmocka_unit_test(shapes_without_a_partner_are_left_out),
      cmocka_unit_test(surfaces_are_counted_from_the_usual_one),
      cmocka_unit_test(meshes_become_the_hull_of_their_vertices),
      cmocka_unit_test(mistakes_are_all_told_with_their_places),
      cmocka_unit_test(nothing_that_touches_is_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
