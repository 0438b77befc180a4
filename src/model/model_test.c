#include "model/model.h"

#include "check.h"
#include "sample.h"

/* a chain of three bodies with nothing wrong */
static sample *good_model(void) {
  sample *s = sample_build(3);
  for (int k = 0; k < 3; k++) sample_add(s, k - 1, FLG_JOINT_REVOLUTE, sample_shift(1, 0, 0));
  return s;
}

static int mistakes_in(const flg_model *model, flg_mistakes *mistakes) {
  *mistakes = (flg_mistakes){0};
  flg_model_check(model, mistakes);
  return mistakes->count;
}

/* exactly one mistake, at that line, saying that */
static void assert_one_mistake(const flg_model *model, int line, const char *part) {
  static flg_mistakes found;
  assert_int_equal(mistakes_in(model, &found), 1);
  if (strstr(found.list[0].message, part) == NULL) {
    print_error("'%s' does not say '%s'\n", found.list[0].message, part);
    fail();
  }
  assert_int_equal(found.list[0].line, line);
  assert_string_equal(found.list[0].file, "sample");
}

static void kinds_have_names_and_counts(void **state) {
  (void)state;
  assert_string_equal(flg_joint_kind_name(FLG_JOINT_UNIVERSAL), "universal");
  assert_int_equal(flg_joint_kind_velocities(FLG_JOINT_FLOATING), 6);
  assert_int_equal(flg_joint_kind_positions(FLG_JOINT_FLOATING), 7);
  assert_int_equal(flg_joint_kind_positions(FLG_JOINT_FIXED), 0);
  assert_int_equal(flg_joint_kind_displacements(FLG_JOINT_PLANAR), 2);
  assert_int_equal(flg_joint_kind_displacements(FLG_JOINT_CYLINDRICAL), 1);
  assert_int_equal(flg_joint_kind_displacements(FLG_JOINT_SCREW), 0);
}

static void parts_are_found_by_name(void **state) {
  (void)state;
  sample *s = good_model();
  flg_frame frame = {.name = "tool"};
  s->model.frames = &frame;
  s->model.frame_count = 1;
  assert_int_equal(flg_model_body(&s->model, "b2"), 2);
  assert_int_equal(flg_model_body(&s->model, "world"), FLG_WORLD);
  assert_int_equal(flg_model_body(&s->model, "b3"), -2);
  assert_int_equal(flg_model_joint(&s->model, "j1"), 1);
  assert_int_equal(flg_model_joint(&s->model, "b1"), -1);
  assert_int_equal(flg_model_frame(&s->model, "tool"), 0);
  assert_int_equal(flg_model_frame(&s->model, "arm"), -1);
  sample_release(s);
}

static void good_models_pass(void **state) {
  (void)state;
  static flg_mistakes found;
  sample *s = good_model();
  flg_body *body = s->model.bodies;
  body[0].inertia = (flg_sym3){1, 1, 2, 0, 0, 0};    /* a disc: the triangle is flat */
  body[1].inertia = (flg_sym3){0, 3, 3, 0, 0, 0};    /* a rod */
  body[2].mass = 0, body[2].inertia = (flg_sym3){0}; /* a frame */
  s->model.joints[1].mimic = (flg_mimic){.joint = 0, .multiplier = -2};
  assert_int_equal(mistakes_in(&s->model, &found), 0);
  sample_release(s);
}

/* --- bodies ------------------------------------------------------------------------------------
 */

static void bodies_that_cannot_be_are_told(void **state) {
  (void)state;
  const struct body_case {
    double mass;
    flg_vec3 centre;
    flg_sym3 inertia;
    const char *part;
  } cases[] = {
      {-1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}, "the mass of body 'b1' is -1 kg"},
      {NAN, {0, 0, 0}, {1, 1, 1, 0, 0, 0}, "the mass of body 'b1' is nan kg"},
      {INFINITY, {0, 0, 0}, {1, 1, 1, 0, 0, 0}, "the mass of body 'b1' is inf kg"},
      {1, {0, NAN, 0}, {1, 1, 1, 0, 0, 0}, "the centre of mass of body 'b1' is not finite"},
      {1, {0, 0, 0}, {1, 1, NAN, 0, 0, 0}, "the inertia of body 'b1' is not finite"},
      {1, {0, 0, 0}, {1, 1, -1, 0, 0, 0}, "inertia of body 'b1' is not positive"},
      {1, {0, 0, 0}, {1, 1, 1, 2, 0, 0}, "inertia of body 'b1' is not positive"},
      {1, {0, 0, 0}, {1, 1, 2.1, 0, 0, 0}, "1, 1 and 2.1 kg m^2 the largest exceeds the sum"},
      {1, {0, 0, 0}, {2, 2, 3, 0, 0, 1.4}, "the largest exceeds the sum"},
      {0, {0, 0, 0}, {1, 1, 1, 0, 0, 0}, "body 'b1' has an inertia (up to 1 kg m^2), but no mass"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    sample *s = good_model();
    s->model.bodies[1].mass = cases[k].mass;
    s->model.bodies[1].centre = cases[k].centre;
    s->model.bodies[1].inertia = cases[k].inertia;
    assert_one_mistake(&s->model, 3, cases[k].part);
    sample_release(s);
  }
}

static void names_must_differ(void **state) {
  (void)state;
  sample *s = good_model();
  s->model.bodies[2].name = "b0";
  assert_one_mistake(&s->model, 5, "there are two of body 'b0': the other stands in line 1");
  s->model.bodies[2].name = "";
  assert_one_mistake(&s->model, 5, "a body has no name");
  s->model.bodies[2].name = NULL;
  assert_one_mistake(&s->model, 5, "a body has no name");
  s->model.bodies[2].name = "world";
  assert_one_mistake(&s->model, 5, "the name of the ground");
  s->model.bodies[2].name = "j1"; /* a joint may be called like a body */
  s->model.joints[1].name = "j0";
  assert_one_mistake(&s->model, 4, "there are two of joint 'j0': the other stands in line 2");
  sample_release(s);
}

/* --- joints ------------------------------------------------------------------------------------
 */

static void axes_must_point_somewhere(void **state) {
  (void)state;
  sample *s = good_model();
  flg_joint *joint = &s->model.joints[1];
  joint->axis = (flg_vec3){0, 0, 0};
  assert_one_mistake(&s->model, 4, "the axis of joint 'j1' is (0, 0, 0), which has no direction");
  joint->kind = FLG_JOINT_BALL; /* which has none */
  static flg_mistakes found;
  assert_int_equal(mistakes_in(&s->model, &found), 0);
  joint->kind = FLG_JOINT_UNIVERSAL;
  joint->axis = (flg_vec3){0, 0, 2};
  joint->axis2 = (flg_vec3){0, 0, -1};
  assert_one_mistake(&s->model, 4, "the two axes of universal joint 'j1' are parallel");
  sample_release(s);
}

static void joints_that_cannot_be_are_told(void **state) {
  (void)state;
  static const flg_joint good = {.kind = FLG_JOINT_SCREW, .axis = {0, 0, 1}, .upper = 1};
  flg_joint bad[9];
  for (int k = 0; k < 9; k++) bad[k] = good;
  bad[0].lower = 2;
  bad[1].upper = NAN;
  bad[2].damping = -1;
  bad[3].friction = NAN;
  bad[4].effort_limit = -2;
  bad[5].speed_limit = -3;
  bad[6].pitch = INFINITY;
  bad[7].origin.position.x = NAN;
  bad[8].kind = FLG_JOINT_KIND_COUNT;
  const char *parts[9] = {"the limits of joint 'j1' are the wrong way round: 2 to 1",
                          "the limits of joint 'j1' are the wrong way round: 0 to nan",
                          "the damping of joint 'j1' is -1, below zero",
                          "the friction of joint 'j1' is",
                          "the effort limit of joint 'j1' is -2",
                          "the speed limit of joint 'j1' is -3",
                          "the pitch of joint 'j1' is inf",
                          "the origin of joint 'j1' is not a place in space",
                          "joint 'j1' is of no known kind"};
  for (int k = 0; k < 9; k++) {
    sample *s = good_model();
    flg_joint *joint = &s->model.joints[1];
    bad[k].name = joint->name;
    bad[k].place = joint->place;
    bad[k].parent = joint->parent;
    bad[k].child = joint->child;
    bad[k].origin.rotation = flg_mat3_identity();
    bad[k].mimic.joint = -1;
    *joint = bad[k];
    assert_one_mistake(&s->model, 4, parts[k]);
    sample_release(s);
  }
}

static void origins_must_be_rotations(void **state) {
  (void)state;
  sample *s = good_model();
  flg_mat3 *rotation = &s->model.joints[2].origin.rotation;
  rotation->m[8] = -1; /* a mirror */
  assert_one_mistake(&s->model, 6, "is not a place in space");
  rotation->m[8] = 1.1;
  assert_one_mistake(&s->model, 6, "is not a place in space");
  sample_release(s);
}

static void followers_need_a_leader_like_them(void **state) {
  (void)state;
  sample *s = good_model();
  flg_joint *joint = s->model.joints;
  joint[1].mimic = (flg_mimic){.joint = 7, .multiplier = 1};
  assert_one_mistake(&s->model, 4, "joint 'j1' follows a joint that is not in the model");
  joint[1].mimic.joint = 1;
  assert_one_mistake(&s->model, 4, "joint 'j1' follows joint 'j1', which is itself");
  joint[1].mimic.joint = 0;
  joint[1].mimic.offset = NAN;
  assert_one_mistake(&s->model, 4, "with a multiplier or an offset that is not finite");
  joint[1].mimic.offset = 0;
  joint[2].mimic = (flg_mimic){.joint = 1, .multiplier = 1};
  assert_one_mistake(&s->model, 6, "joint 'j2' follows joint 'j1', which follows another");
  joint[2].mimic.joint = -1;
  joint[0].kind = FLG_JOINT_PLANAR;
  assert_one_mistake(&s->model, 4, "which does not have one coordinate");
  joint[0].kind = FLG_JOINT_REVOLUTE;
  joint[1].kind = FLG_JOINT_PLANAR;
  assert_one_mistake(&s->model, 4, "but does not have one coordinate");
  sample_release(s);
}

/* --- shapes and frames -------------------------------------------------------------------------
 */

static void shapes_and_frames_must_sit_on_bodies(void **state) {
  (void)state;
  sample *s = good_model();
  flg_shape box = {.name = "cover",
                   .place = {"sample", 8, 1},
                   .kind = FLG_SHAPE_BOX,
                   .size = {1, 1, 1},
                   .pose = sample_shift(0, 0, 0)};
  flg_frame frame = {.name = "tool", .place = {"sample", 9, 1}, .pose = sample_shift(0, 0, 0)};
  static flg_mistakes found;
  flg_shape *shape = s->model.shapes = &box;
  s->model.frames = &frame;
  s->model.shape_count = s->model.frame_count = 1;
  assert_int_equal(mistakes_in(&s->model, &found), 0);
  shape->body = 3;
  assert_one_mistake(&s->model, 8, "the shape cover is on no body");
  shape->body = 0, shape->size[2] = 0;
  assert_one_mistake(&s->model, 8, "the shape cover has the size 0");
  shape->kind = FLG_SHAPE_CAPSULE, shape->size[1] = 0; /* a sphere */
  assert_int_equal(mistakes_in(&s->model, &found), 0);
  shape->kind = FLG_SHAPE_MESH, shape->size[1] = shape->size[2] = -1; /* mirrored */
  assert_int_equal(mistakes_in(&s->model, &found), 0);
  double values[] = {0, 1, 2, 3, 4, 5};
  shape->values = values, shape->value_count = 6;
  shape->kind = FLG_SHAPE_POINTS;
  assert_int_equal(mistakes_in(&s->model, &found), 0);
  shape->value_count = 5;
  assert_one_mistake(&s->model, 8, "the points cover have 5 numbers");
  shape->kind = FLG_SHAPE_HEIGHT_FIELD, shape->size[0] = shape->size[1] = 1;
  shape->columns = 3;
  assert_one_mistake(&s->model, 8, "the height-field cover has 5 heights in rows of 3");
  shape->value_count = 6;
  assert_int_equal(mistakes_in(&s->model, &found), 0);
  values[4] = NAN;
  assert_one_mistake(&s->model, 8, "values: number 5 of the shape cover is not finite");
  shape->kind = FLG_SHAPE_PLANE, shape->value_count = 0;
  assert_int_equal(mistakes_in(&s->model, &found), 0);
  shape->pose.position.x = INFINITY, shape->name = NULL;
  assert_one_mistake(&s->model, 8, "the pose of the shape without a name is not a place");
  shape->pose.position.x = 0, frame.body = -2;
  assert_one_mistake(&s->model, 9, "frame 'tool' is on no body");
  frame.body = FLG_WORLD, frame.pose.position.x = NAN;
  assert_one_mistake(&s->model, 9, "the pose of frame 'tool' is not a place");
  sample_release(s);
}

static void all_mistakes_are_told_at_once(void **state) {
  (void)state;
  static flg_mistakes found;
  sample *s = good_model();
  s->model.bodies[0].mass = -1;
  s->model.bodies[1].name = "b2";
  s->model.joints[2].damping = -1;
  assert_int_equal(mistakes_in(&s->model, &found), 3);
  sample_release(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_have_names_and_counts),
      cmocka_unit_test(parts_are_found_by_name),
      cmocka_unit_test(good_models_pass),
      cmocka_unit_test(bodies_that_cannot_be_are_told),
      cmocka_unit_test(names_must_differ),
      cmocka_unit_test(axes_must_point_somewhere),
      cmocka_unit_test(joints_that_cannot_be_are_told),
      cmocka_unit_test(origins_must_be_rotations),
      cmocka_unit_test(followers_need_a_leader_like_them),
      cmocka_unit_test(shapes_and_frames_must_sit_on_bodies),
      cmocka_unit_test(all_mistakes_are_told_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
