#include "contact/contact_scene.h"

#include <limits.h>

#include "allocations.h"
#include "base/hash.h"
#include "contact/test_shapes.h"

enum { BODIES = 300, EXTRA = 2, MOST = BODIES + EXTRA };

/* A heap of all kinds of shapes on a plane and beside a field. */
typedef struct heap {
  test_world *world;
  flg_contact_shape kinds[MOST];
  flg_scene_shape shapes[MOST];
  flg_pose poses[BODIES];
  double heights[16];
  flg_height_field field;
  flg_material materials[3];
  flg_material_table table;
  flg_region region;
  flg_scene_input input;
} heap;

static void make_heap(heap *h, uint64_t seed) {
  static const flg_contact_kind kinds[] = {FLG_CONTACT_SPHERE, FLG_CONTACT_CAPSULE,
                                           FLG_CONTACT_BOX,    FLG_CONTACT_CYLINDER,
                                           FLG_CONTACT_CONVEX, FLG_CONTACT_POINTS};
  memset(h, 0, sizeof *h);
  h->world = make_world(seed);
  random_source *source = &h->world->source;
  for (int k = 0; k < BODIES; k++) {
    h->kinds[k] = random_shape(h->world, kinds[k % 6]);
    h->shapes[k] = flg_scene_shape_default(&h->kinds[k], k);
    h->shapes[k].material = k % 3;
    h->shapes[k].pose = (flg_pose){random_rotation(source), random_vector(source, 0.2)};
    h->poses[k] = (flg_pose){random_rotation(source), random_vector(source, 2)};
  }
  flg_contact_shape_plane(&h->kinds[BODIES]);
  for (int k = 0; k < 16; k++) h->heights[k] = random_uniform(source, -0.3, 0.3);
  h->field = (flg_height_field){4, 4, 1, 1, 0, 0, h->heights};
  assert_int_equal(flg_contact_shape_height_field(&h->kinds[BODIES + 1], &h->field, NULL), FLG_OK);
  for (int k = BODIES; k < MOST; k++)
    h->shapes[k] = flg_scene_shape_default(&h->kinds[k], FLG_WORLD);
  h->materials[0] = flg_material_default();
  h->materials[1] = (flg_material){0.2, 0.5};
  h->materials[2] = (flg_material){0.8, 0.1};
  h->region = (flg_region){0};
  assert_int_equal(flg_material_table_build(&h->table, h->materials, 3, NULL, 0, &h->region, NULL),
                   FLG_OK);
  h->input = (flg_scene_input){.shapes = h->shapes,
                               .materials = &h->table,
                               .shape_count = MOST,
                               .body_count = BODIES,
                               .pair_capacity = 20000,
                               .contact_capacity = 80000};
}

static void drop_heap(heap *h) {
  flg_region_release(&h->region);
  drop_world(h->world);
}

static flg_contact_scene *scene_of(heap *h) {
  flg_contact_scene *scene = NULL;
  flg_error error;
  if (flg_contact_scene_build(&scene, &h->input, &h->region, &error) != FLG_OK) {
    fail_msg("%s", error.message);
  }
  return scene;
}

static int detect(flg_contact_scene *scene, const heap *h, double margin,
                  const flg_contact **contacts) {
  int count;
  assert_int_equal(flg_contact_scene_detect(scene, h->poses, NULL, margin, contacts, &count),
                   FLG_OK);
  return count;
}

static flg_pose pose_of(const heap *h, int shape) {
  const flg_scene_shape *s = &h->shapes[shape];
  return s->body == FLG_WORLD ? s->pose : flg_pose_compose(&h->poses[s->body], &s->pose);
}

/* --- motion ---------------------------------------------------------------------------------- */

/* Two cubes of 10 cm, 2 cm apart, their travels, and what corners of the first turn by, with the
 * frame of the first at that place in it; how many points there are. */
static int points_of_two(flg_vec3 travel_a, flg_vec3 travel_b, double turn, flg_vec3 frame) {
  static heap h;
  make_heap(&h, 30);
  flg_contact_shape cube;
  assert_int_equal(flg_contact_shape_box(&cube, (flg_vec3){0.1, 0.1, 0.1}, NULL), FLG_OK);
  for (int k = 0; k < 2; k++) {
    h.shapes[k] = flg_scene_shape_default(&cube, k);
    h.poses[k] = (flg_pose){h.poses[k].rotation, {0, 0, 0.12 * k}};
    h.poses[k].rotation = flg_quat_to_matrix(flg_quat_identity());
  }
  h.shapes[0].pose.position = flg_vec3_scale(frame, -1);
  h.poses[0].position = frame;
  h.input.shape_count = h.input.body_count = 2;
  flg_contact_scene *scene = scene_of(&h);
  const flg_vec3 angular = {0, 0, turn / flg_vec3_norm(cube.half)};
  const flg_vec3 linear = flg_vec3_add(travel_a, flg_vec3_cross(angular, frame));
  const flg_spatial motion[2] = {{linear, angular}, {travel_b, {0, 0, 0}}};
  const flg_contact *contacts;
  int count;
  assert_int_equal(flg_contact_scene_detect(scene, h.poses, motion, 1e-3, &contacts, &count),
                   FLG_OK);
  drop_heap(&h);
  return count;
}

static void what_comes_is_seen_ahead_and_what_falls_along_is_not(void **state) {
  (void)state;
  const flg_vec3 rest = {0, 0, 0}, down = {0, 0, -0.03}, slow = {0, 0, -0.005};
  const flg_vec3 frames[] = {{0, 0, 0}, {0.04, 0, -0.02}, {3, -4, 5}};
  for (int k = 0; k < 3; k++) {
    assert_int_equal(points_of_two(rest, rest, 0, frames[k]), 0);
    assert_int_equal(points_of_two(rest, down, 0, frames[k]), 4);
    assert_int_equal(points_of_two(down, down, 0, frames[k]), 0);
    assert_int_equal(points_of_two(rest, slow, 0, frames[k]), 0);
    assert_int_equal(points_of_two(rest, slow, 0.01, frames[k]), 0);
    assert_int_equal(points_of_two(rest, slow, 0.03, frames[k]), 4);
  }
}

enum { SOME = 20 };

/* The first bodies of it nearer to each other, with the plane and the field. */
static void take_some(heap *h) {
  for (int k = 0; k < SOME; k++) h->poses[k].position = flg_vec3_scale(h->poses[k].position, 0.8);
  for (int k = 0; k < EXTRA; k++) h->shapes[SOME + k] = h->shapes[BODIES + k];
  h->input.shape_count = SOME + EXTRA, h->input.body_count = SOME;
}

static void turn_some(heap *h, const flg_pose *by, flg_spatial *motion) {
  for (int k = 0; k < SOME; k++) {
    h->poses[k] = flg_pose_compose(by, &h->poses[k]);
    motion[k].linear = flg_mat3_apply(&by->rotation, motion[k].linear);
    motion[k].angular = flg_mat3_apply(&by->rotation, motion[k].angular);
  }
  for (int k = SOME; k < SOME + EXTRA; k++)
    h->shapes[k].pose = flg_pose_compose(by, &h->shapes[k].pose);
}

/* the first contact after k that is of another pair */
static int next_pair(const flg_contact *contacts, int count, int k) {
  const flg_contact *of = &contacts[k];
  while (k < count && contacts[k].shape_a == of->shape_a && contacts[k].shape_b == of->shape_b) k++;
  return k;
}

/* bounds of pairs that come near each other have axes, and pairs do not */
static void what_is_near_does_not_depend_on_axes(void **state) {
  (void)state;
  static heap h;
  static flg_spatial motion[SOME];
  for (int repeat = 0; repeat < 40; repeat++) {
    const flg_contact *plain, *turned;
    int count, turned_count, i = 0, j = 0;
    make_heap(&h, 40 + (uint64_t)repeat);
    take_some(&h);
    for (int k = 0; k < SOME; k++) {
      motion[k].linear = random_vector(&h.world->source, 0.1);
      motion[k].angular = random_vector(&h.world->source, 0.1);
    }
    assert_int_equal(flg_contact_scene_detect(scene_of(&h), h.poses, motion, 1e-3, &plain, &count),
                     FLG_OK);
    const flg_pose by = {random_rotation(&h.world->source), random_vector(&h.world->source, 1)};
    turn_some(&h, &by, motion);
    assert_int_equal(
        flg_contact_scene_detect(scene_of(&h), h.poses, motion, 1e-3, &turned, &turned_count),
        FLG_OK);
    assert_true(count > SOME);
    for (; i < count && j < turned_count; i = next_pair(plain, count, i)) {
      assert_true(plain[i].shape_a == turned[j].shape_a && plain[i].shape_b == turned[j].shape_b);
      j = next_pair(turned, turned_count, j);
    }
    assert_true(i == count && j == turned_count);
    drop_heap(&h);
  }
}

/* Every pair by itself, without a broad phase. */
static void contacts_are_those_of_all_pairs_in_their_order(void **state) {
  (void)state;
  static heap h;
  for (int repeat = 0; repeat < 3; repeat++) {
    make_heap(&h, 20 + (uint64_t)repeat);
    flg_contact_scene *scene = scene_of(&h);
    const flg_contact *contacts;
    const double margin = 0.02 * repeat;
    const int count = detect(scene, &h, margin, &contacts);
    int at = 0;
    for (int a = 0; a < MOST; a++) {
      for (int b = a + 1; b < MOST; b++) {
        const flg_pose pose_a = pose_of(&h, a), pose_b = pose_of(&h, b);
        flg_contact_point points[FLG_CONTACT_POINTS_MAX];
        const flg_material m =
            flg_material_between(&h.table, h.shapes[a].material, h.shapes[b].material);
        const int spread = m.restitution > 0 ? FLG_CONTACT_SPREAD_MAX : FLG_CONTACT_SPREAD;
        const int found = flg_contact_distance_spread(&h.kinds[a], &pose_a, &h.kinds[b], &pose_b,
                                                      margin, spread, points);
        for (int k = 0; k < found; k++, at++) {
          assert_true(at < count);
          const flg_contact *c = &contacts[at];
          assert_int_equal(c->shape_a, a);
          assert_int_equal(c->shape_b, b);
          assert_int_equal(c->body_a, h.shapes[a].body);
          assert_int_equal(c->body_b, h.shapes[b].body);
          assert_memory_equal(&c->point_a, &points[k].a, sizeof(flg_vec3));
          assert_memory_equal(&c->normal, &points[k].normal, sizeof(flg_vec3));
          assert_true(c->gap == points[k].gap && c->key == points[k].key);
          assert_true(c->friction == m.friction && c->restitution == m.restitution);
        }
      }
    }
    assert_int_equal(at, count);
    assert_true(count > 500);
    drop_heap(&h);
  }
}

static uint64_t hash_of(flg_contact_scene *scene, const heap *h) {
  const flg_contact *contacts;
  const int count = detect(scene, h, 0.05, &contacts);
  return flg_hash(FLG_HASH_SEED, contacts, (size_t)count * sizeof *contacts);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  static heap h;
  make_heap(&h, 30);
  const uint64_t alone = hash_of(scene_of(&h), &h);
  for (int count = 1; count <= 8; count++) {
    flg_threads *threads;
    assert_int_equal(flg_threads_build(&threads, count, NULL), FLG_OK);
    h.input.threads = threads;
    flg_contact_scene *scene = scene_of(&h);
    for (int repeat = 0; repeat < 3; repeat++) assert_true(hash_of(scene, &h) == alone);
    flg_threads_release(threads);
  }
  drop_heap(&h);
}

static void detection_allocates_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  static heap h;
  make_heap(&h, 31);
  flg_threads *threads;
  assert_int_equal(flg_threads_build(&threads, 2, NULL), FLG_OK);
  h.input.threads = threads;
  flg_contact_scene *scene = scene_of(&h);
  const flg_contact *contacts;
  int count;
  allocations_begin();
  flg_contact_scene_detect(scene, h.poses, NULL, 0.05, &contacts, &count);
  assert_int_equal(allocations_end(), 0);
  assert_true(count > 0);
  flg_threads_release(threads);
  drop_heap(&h);
}

static void too_little_room_is_told_with_what_is_needed(void **state) {
  (void)state;
  static heap h;
  make_heap(&h, 32);
  const flg_contact *contacts;
  int count, pairs, points;
  flg_contact_scene *scene = scene_of(&h);
  const int all = detect(scene, &h, 0.05, &contacts);
  flg_contact_scene_needs(scene, &pairs, &points);
  assert_int_equal(points, all);
  h.input.pair_capacity = pairs, h.input.contact_capacity = all;
  assert_int_equal(detect(scene_of(&h), &h, 0.05, &contacts), all);
  h.input.contact_capacity = all - 1;
  scene = scene_of(&h);
  assert_int_equal(flg_contact_scene_detect(scene, h.poses, NULL, 0.05, &contacts, &count),
                   FLG_ERR_CAPACITY);
  assert_int_equal(count, 0);
  flg_contact_scene_needs(scene, &pairs, &points);
  assert_int_equal(points, all);
  h.input.pair_capacity = 10;
  scene = scene_of(&h);
  assert_int_equal(flg_contact_scene_detect(scene, h.poses, NULL, 0.05, &contacts, &count),
                   FLG_ERR_CAPACITY);
  flg_contact_scene_needs(scene, &count, &points);
  assert_int_equal(count, pairs);
  assert_true(points >= all);
  assert_int_equal(flg_contact_scene_detect(scene, h.poses, NULL, -1, &contacts, &count),
                   FLG_ERR_RANGE);
  assert_int_equal(flg_contact_scene_detect(scene, h.poses, NULL, NAN, &contacts, &count),
                   FLG_ERR_RANGE);
  drop_heap(&h);
}

/* Four spheres in one place: who meets whom is up to the filters. */
static void filters_keep_shapes_apart(void **state) {
  (void)state;
  static heap h;
  make_heap(&h, 33);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(flg_contact_shape_sphere(&h.kinds[k], 1, NULL), FLG_OK);
    h.shapes[k] = flg_scene_shape_default(&h.kinds[k], k);
    h.poses[k] = flg_pose_identity();
  }
  const flg_contact *contacts;
  h.input.shape_count = 4, h.input.pair_capacity = h.input.contact_capacity = 0;
  assert_int_equal(detect(scene_of(&h), &h, 0, &contacts), 6);
  h.shapes[1].body = 0; /* 0 and 1 on one body */
  assert_int_equal(detect(scene_of(&h), &h, 0, &contacts), 5);
  const int shapes[][2] = {{3, 2}, {2, 1}};
  h.input.shapes_apart = shapes, h.input.shapes_apart_count = 1;
  assert_int_equal(detect(scene_of(&h), &h, 0, &contacts), 4);
  h.input.shapes_apart_count = 2;
  assert_int_equal(detect(scene_of(&h), &h, 0, &contacts), 3);
  assert_int_equal(contacts[0].shape_a, 0);
  assert_int_equal(contacts[0].shape_b, 2);
  h.shapes[0].group = 2, h.shapes[3].collides = 1; /* one side is enough */
  assert_int_equal(detect(scene_of(&h), &h, 0, &contacts), 2);
  h.shapes[2].body = FLG_WORLD, h.shapes[3].body = FLG_WORLD;
  assert_int_equal(detect(scene_of(&h), &h, 0, &contacts), 2);
  h.shapes[0].family = 1; /* left: 1 and 3 */
  assert_int_equal(detect(scene_of(&h), &h, 0, &contacts), 1);
  assert_int_equal(contacts[0].shape_a, 1);
  assert_int_equal(contacts[0].shape_b, 3);
  drop_heap(&h);
}

/* What couplings lay their memory out for. */
static void points_are_no_more_than_all_pairs_can_have(void **state) {
  (void)state;
  static heap h;
  make_heap(&h, 36);
  h.shapes[7].family = 1, h.shapes[8].body = h.shapes[9].body;
  long expected = 0;
  for (int a = 0; a < MOST; a++) {
    for (int b = a + 1; b < MOST; b++) {
      const bool are_points =
          h.kinds[a].kind == FLG_CONTACT_POINTS && h.kinds[b].kind == FLG_CONTACT_POINTS;
      const bool are_one = h.shapes[a].body == h.shapes[b].body; /* the ground is one, too */
      if (are_points || are_one || a == 7 || b == 7) continue;
      expected += flg_contact_points_most(&h.kinds[a], &h.kinds[b]);
    }
  }
  const flg_contact_scene *scene = scene_of(&h);
  assert_int_equal(flg_contact_scene_most(scene, INT_MAX), expected);
  assert_int_equal(flg_contact_scene_most(scene, (int)expected - 1), expected - 1);
  assert_int_equal(flg_contact_scene_most(scene, 0), 0);
  drop_heap(&h);
}

static void tangents_are_a_frame_and_follow_the_normal(void **state) {
  (void)state;
  random_source source = {34};
  for (int k = 0; k < 10000; k++) {
    flg_vec3 n = random_direction(&source), s, t, s2, t2;
    if (k % 3 == 0) n = (flg_vec3){k % 9 == 0, k % 9 == 3, k % 9 == 6};
    if (k % 2 == 0) n = flg_vec3_negate(n);
    flg_contact_tangents(n, &s, &t);
    assert_near(flg_vec3_dot(n, s), 0, 1e-15);
    assert_near(flg_vec3_norm(s), 1, 1e-15);
    assert_near(flg_vec3_norm(flg_vec3_subtract(flg_vec3_cross(n, s), t)), 0, 1e-15);
    if (fabs(fabs(n.z) - 0.83) < 1e-6) continue;
    const flg_vec3 near = flg_vec3_normalise(flg_vec3_add(n, random_vector(&source, 1e-8)));
    flg_contact_tangents(near, &s2, &t2);
    assert_near(flg_vec3_norm(flg_vec3_subtract(s, s2)), 0, 1e-7);
  }
}

static void scenes_without_shapes_or_memory_are_refused(void **state) {
  (void)state;
  static heap h;
  make_heap(&h, 35);
  flg_contact_scene *scene;
  flg_error error;
  h.input.shape_count = 0;
  assert_int_equal(flg_contact_scene_build(&scene, &h.input, &h.region, &error), FLG_ERR_RANGE);
  flg_region none = {.limit = 10000};
  h.input.shape_count = MOST;
  assert_int_equal(flg_contact_scene_build(&scene, &h.input, &none, &error), FLG_ERR_MEMORY);
  flg_region_release(&none);
  drop_heap(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_are_those_of_all_pairs_in_their_order),
      cmocka_unit_test(what_comes_is_seen_ahead_and_what_falls_along_is_not),
      cmocka_unit_test(what_is_near_does_not_depend_on_axes),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(detection_allocates_nothing),
      cmocka_unit_test(too_little_room_is_told_with_what_is_needed),
      cmocka_unit_test(filters_keep_shapes_apart),
      cmocka_unit_test(points_are_no_more_than_all_pairs_can_have),
      cmocka_unit_test(tangents_are_a_frame_and_follow_the_normal),
      cmocka_unit_test(scenes_without_shapes_or_memory_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
