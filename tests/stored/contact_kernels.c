/* Shapes of all kinds in all kinds of poses: points, scenes of many, hulls of clouds, boxes that
 * overlap. */
#include "base/hash.h"
#include "contact/contact_scene.h"
#include "contact/test_shapes.h"
#include "stored/kernels.h"

enum { PAIRS = 150, COLUMNS = 6, ROWS = 5, MEMBERS = 60, BOXES = 300, FOUND = BOXES * BOXES / 2 };

static void add_points(digest *to, const flg_contact_point *points, int count) {
  add_count(to, count);
  for (int k = 0; k < count; k++) {
    add_vector(to, PLACES, points[k].a), add_vector(to, PLACES, points[k].b);
    add_vector(to, OTHERS, points[k].normal), add_number(to, PLACES, points[k].gap);
    add_count(to, (int64_t)points[k].key);
  }
}

/* with few and many points, in both orders */
static void add_pair(random_source *source, const test_pair *p, digest *to) {
  static flg_contact_point points[FLG_CONTACT_SET_MAX + FLG_CONTACT_POINTS_MAX];
  const double margin = random_uniform(source, 0, 0.3);
  const int spread = random_integer(source, FLG_CONTACT_SPREAD, FLG_CONTACT_SPREAD_MAX);
  int count = flg_contact_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, margin, points);
  add_points(to, points, count);
  count = flg_contact_distance_spread(&p->b, &p->pose_b, &p->a, &p->pose_a, margin, spread, points);
  add_points(to, points, count);
}

static const flg_contact_kind KINDS[] = {
    FLG_CONTACT_PLANE,    FLG_CONTACT_SPHERE, FLG_CONTACT_CAPSULE, FLG_CONTACT_BOX,
    FLG_CONTACT_CYLINDER, FLG_CONTACT_CONVEX, FLG_CONTACT_POINTS};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static void run_pairs(random_source *source, digest *to) {
  test_world *world = make_world(random_bits(source));
  for (int k = 0; k < PAIRS; k++) {
    test_pair p = {
        .a = random_shape(world, KINDS[random_integer(source, 0, KIND_COUNT - 2)]),
        .b = random_shape(world, KINDS[random_integer(source, 1, KIND_COUNT - 1)]),
    };
    place(&p, (pose_kind)(k % POSE_KINDS), source);
    add_pair(source, &p, to);
  }
  drop_world(world);
}

/* hills, now and then flat */
static flg_contact_shape draw_field(random_source *source, double *heights,
                                    flg_height_field *field) {
  flg_contact_shape shape;
  const double rough = random_integer(source, 0, 4) == 0 ? 0 : random_uniform(source, 0, 0.4);
  for (int k = 0; k < COLUMNS * ROWS; k++) heights[k] = random_uniform(source, -rough, rough);
  *field = (flg_height_field){COLUMNS, ROWS, 0.4, 0.5, 0, 0, heights};
  assert_int_equal(flg_contact_shape_height_field(&shape, field, NULL), FLG_OK);
  return shape;
}

static void run_fields(random_source *source, digest *to) {
  double heights[COLUMNS * ROWS];
  flg_height_field field;
  test_world *world = make_world(random_bits(source));
  for (int k = 0; k < PAIRS; k++) {
    test_pair p = {.a = draw_field(source, heights, &field)};
    p.b = random_shape(world, KINDS[random_integer(source, 1, KIND_COUNT - 1)]);
    p.pose_a = p.pose_b = flg_pose_identity();
    if (k % 3 == 0) p.pose_a.rotation = random_rotation(source);
    p.pose_b.rotation =
        k % 4 == 0 ? grid_rotation(source, 0.78539816339744828) : random_rotation(source);
    const flg_vec3 over = {random_uniform(source, -0.2, 2.2), random_uniform(source, -0.2, 2.2),
                           random_uniform(source, -0.5, 1)};
    p.pose_b.position = flg_pose_apply(&p.pose_a, over);
    add_pair(source, &p, to);
  }
  drop_world(world);
}

/* a cloud of shapes on a plane and hills, some of which move */
static void run_scenes(random_source *source, digest *to) {
  static flg_contact_shape kinds[MEMBERS + 2];
  static flg_scene_shape shapes[MEMBERS + 2];
  flg_pose poses[MEMBERS];
  flg_spatial moves[MEMBERS];
  double heights[COLUMNS * ROWS];
  flg_height_field field;
  flg_region region = {0};
  flg_material_table table;
  const flg_material surfaces[2] = {flg_material_default(), {0.2, 0.5}};
  test_world *world = make_world(random_bits(source));
  const int bodies = random_integer(source, 2, MEMBERS);
  const double wide = random_uniform(source, 0.5, 3);
  for (int k = 0; k < bodies; k++) {
    kinds[k] = random_shape(world, KINDS[1 + k % (KIND_COUNT - 1)]);
    shapes[k] = flg_scene_shape_default(&kinds[k], k);
    shapes[k].material = k % 2, shapes[k].family = random_integer(source, 0, 9) == 0;
    shapes[k].pose = (flg_pose){random_rotation(source), random_vector(source, 0.2)};
    poses[k] = (flg_pose){random_rotation(source), random_vector(source, wide)};
    moves[k] = (flg_spatial){random_vector(source, 0.2), random_vector(source, 0.2)};
  }
  flg_contact_shape_plane(&kinds[bodies]);
  kinds[bodies + 1] = draw_field(source, heights, &field);
  for (int k = bodies; k < bodies + 2; k++) {
    shapes[k] = flg_scene_shape_default(&kinds[k], FLG_WORLD);
    shapes[k].pose.position.z = -wide;
  }
  assert_int_equal(flg_material_table_build(&table, surfaces, 2, NULL, 0, &region, NULL), FLG_OK);
  const flg_scene_input input = {.shapes = shapes,
                                 .materials = &table,
                                 .shape_count = bodies + 2,
                                 .body_count = bodies,
                                 .pair_capacity = 4000,
                                 .contact_capacity = 20000};
  flg_contact_scene *scene = NULL;
  assert_int_equal(flg_contact_scene_build(&scene, &input, &region, NULL), FLG_OK);
  add_count(to, flg_contact_scene_most(scene, 100000));
  for (int turn = 0; turn < 4; turn++) {
    const flg_contact *found;
    int count, pairs, points;
    add_count(to, flg_contact_scene_detect(scene, poses, turn % 2 == 0 ? moves : NULL, 0.02 * turn,
                                           &found, &count));
    for (int k = 0; k < count; k++) {
      const flg_contact *of = &found[k];
      const int64_t names[] = {of->body_a, of->body_b, of->shape_a, of->shape_b, (int64_t)of->key};
      const double numbers[] = {of->gap, of->friction, of->restitution, of->round_a.radius,
                                of->round_b.radius};
      for (int i = 0; i < 5; i++) add_count(to, names[i]);
      add_vector(to, PLACES, of->point_a), add_vector(to, PLACES, of->point_b);
      add_vector(to, OTHERS, of->normal), add_vector(to, OTHERS, of->tangent1);
      add_vector(to, OTHERS, of->round_a.along), add_vector(to, OTHERS, of->round_b.along);
      add_numbers(to, PLACES, 5, numbers);
    }
    add_count(to, flg_contact_scene_needs(scene, &pairs, &points));
    add_count(to, pairs), add_count(to, points);
    for (int k = 0; k < bodies; k += 5)
      add_number(to, PLACES, flg_contact_scene_gap(scene, k, -1, 10));
    for (int k = 0; k < bodies; k++)
      poses[k].position = flg_vec3_add(poses[k].position, moves[k].linear);
  }
  flg_region_release(&region), drop_world(world);
}

static void run_hulls(random_source *source, digest *to) {
  for (int k = 0; k < 12; k++) {
    flg_vec3 cloud[CLOUD];
    flg_hull hull;
    flg_region region = {0};
    random_cloud(source, k, cloud);
    if (k % 4 == 3) { /* many points of a grid in one plane, and twice the same */
      for (int i = 0; i < CLOUD; i++)
        cloud[i] = (flg_vec3){0.1 * (i % 3), 0.1 * (i / 3 % 3), i < 9 ? 0 : 0.2 * (i % 2)};
    }
    const flg_status status = flg_hull_build(&hull, cloud, CLOUD, &region, NULL);
    add_count(to, status);
    if (status == FLG_OK) {
      add_vector(to, PLACES, hull.centre), add_number(to, PLACES, hull.extent);
      for (int i = 0; i < hull.vertex_count; i++) add_vector(to, PLACES, hull.vertices[i]);
      for (int f = 0; f < hull.face_count; f++) {
        add_vector(to, OTHERS, hull.normals[f]), add_number(to, PLACES, hull.offsets[f]);
        for (int i = hull.face_start[f]; i < hull.face_start[f + 1]; i++)
          add_count(to, hull.face_vertices[i]);
      }
      for (int i = 0; i < hull.near_start[hull.vertex_count]; i++)
        add_count(to, hull.near_vertices[i]);
    }
    flg_region_release(&region);
  }
}

static void run_boxes(random_source *source, digest *to) {
  static flg_bounds boxes[BOXES];
  static flg_pair pairs[FOUND];
  flg_region region = {0};
  flg_broad_phase phase;
  assert_int_equal(flg_broad_phase_build(&phase, BOXES, &region, NULL), FLG_OK);
  for (int turn = 0; turn < 6; turn++) {
    const int count = turn == 0 ? 5 : random_integer(source, 1, BOXES);
    const double size = turn % 2 == 0 ? 0.3 : 0.1;
    int found;
    for (int k = 0; k < count; k++) {
      boxes[k].lower = random_vector(source, 1);
      boxes[k].upper = flg_vec3_add(boxes[k].lower, (flg_vec3){size, size * (k % 3), size});
      if (k % 40 == 7) boxes[k].lower.z = -HUGE_VAL;
    }
    phase.endless_apart = turn == 3;
    add_count(to, flg_broad_phase_pairs(&phase, boxes, count, NULL, NULL, pairs, FOUND, &found));
    for (int k = 0; k < found; k++) add_count(to, pairs[k].a), add_count(to, pairs[k].b);
  }
  flg_region_release(&region);
}

const kernel contact_kernels[] = {{"pairs", run_pairs, 20},   {"fields", run_fields, 10},
                                  {"scenes", run_scenes, 12}, {"hulls", run_hulls, 4},
                                  {"boxes", run_boxes, 3},    {NULL, NULL, 0}};
