#include "model/component.h"

#include "check.h"

enum { TOP, INNER, GROUPS };       /* groups */
enum { BASE, CRANK, ROD, BODIES }; /* bodies: the first is fixed */
enum { HINGE_ANGLE, ROD_ANGLE, SCREW_SLIDE, SCREW_ANGLE, ROPE, TEETH, COORDINATES };
enum { HINGE, ELBOW, BOLT, TENSION, WHEELS, JOINTS };

/* A component with something of everything and nothing wrong, in one block to be spoilt. */
typedef struct fixture {
  flg_component_group groups[GROUPS];
  flg_component_body bodies[BODIES];
  flg_body links[1];
  flg_model arm;
  flg_component_robot robots[1];
  flg_component_coordinate coordinates[COORDINATES];
  flg_component_joint joints[JOINTS];
  flg_component_frame frames[2];
  flg_shape shapes[1];
  flg_component component;
} fixture;

static flg_place line(int number) {
  return (flg_place){"sample", number, 1};
}

static flg_anchor on_body(int body) {
  return (flg_anchor){-1, body, flg_pose_identity()};
}

static flg_anchor on_robot(int body) {
  return (flg_anchor){0, body, flg_pose_identity()};
}

static flg_component_body good_body(const char *name, int number, bool fixed) {
  return (flg_component_body){.name = name,
                              .place = line(number),
                              .group = FLG_TOP,
                              .fixed = fixed,
                              .mass = 2,
                              .inertia = {1, 2, 3, 0, 0, 0}, /* a disc: the triangle is flat */
                              .gravity = {NAN, NAN, NAN},
                              .pose = flg_pose_identity()};
}

static flg_component_coordinate good_coordinate(flg_coordinate_kind kind, const char *name,
                                                flg_anchor a, flg_anchor b) {
  return (flg_component_coordinate){name, line(20), FLG_TOP, kind, {a, b}};
}

static flg_component_joint good_joint(flg_constraint_kind kind, const char *name, int number,
                                      int coordinate0, int coordinate1) {
  return (flg_component_joint){.name = name,
                               .place = line(number),
                               .group = FLG_TOP,
                               .kind = kind,
                               .end = {on_body(BASE), on_body(CRANK)},
                               .coordinate = {coordinate0, coordinate1}};
}

static void fill_joints(fixture *f) {
  flg_component_coordinate *c = f->coordinates;
  const flg_anchor base = on_body(BASE), crank = on_body(CRANK), rod = on_body(ROD);
  c[HINGE_ANGLE] = good_coordinate(FLG_COORDINATE_ANGLE, "hinge", base, crank);
  c[ROD_ANGLE] = good_coordinate(FLG_COORDINATE_ANGLE, "sensor", rod, on_body(FLG_WORLD));
  c[SCREW_SLIDE] = good_coordinate(FLG_COORDINATE_SLIDE, "bolt", base, crank);
  c[SCREW_ANGLE] = good_coordinate(FLG_COORDINATE_ANGLE, "bolt", base, crank);
  c[ROPE] = good_coordinate(FLG_COORDINATE_DISTANCE, "rope", rod, on_robot(0));
  c[TEETH] = (flg_component_coordinate){.name = "teeth",
                                        .place = line(21),
                                        .group = FLG_TOP,
                                        .kind = FLG_COORDINATE_SUM,
                                        .of = {HINGE_ANGLE, ROD_ANGLE},
                                        .factor = {1, -2}};
  f->joints[HINGE] = good_joint(FLG_CONSTRAINT_REVOLUTE, "hinge", 30, HINGE_ANGLE, -1);
  f->joints[ELBOW] = good_joint(FLG_CONSTRAINT_SPHERICAL, "in/elbow", 31, -1, -1);
  f->joints[BOLT] = good_joint(FLG_CONSTRAINT_SCREW, "bolt", 32, SCREW_SLIDE, SCREW_ANGLE);
  f->joints[TENSION] = good_joint(FLG_CONSTRAINT_DISTANCE, "tension", 33, ROPE, -1);
  f->joints[TENSION].constant = 0.5;
  f->joints[WHEELS] = good_joint(FLG_CONSTRAINT_GEAR, "wheels", 34, HINGE_ANGLE, ROD_ANGLE);
  f->joints[WHEELS].factor[0] = 1, f->joints[WHEELS].factor[1] = -3;
  f->joints[ELBOW].end[1] = on_robot(0);
}

static void fill_parts(fixture *f) {
  f->groups[TOP] = (flg_component_group){"in", line(1), FLG_TOP};
  f->groups[INNER] = (flg_component_group){"in/inner", line(2), TOP};
  f->bodies[BASE] = good_body("base", 10, true);
  f->bodies[CRANK] = good_body("crank", 11, false);
  f->bodies[ROD] = good_body("in/rod", 12, false);
  f->bodies[ROD].group = INNER;
  f->links[0] = (flg_body){.name = "tool", .mass = 1, .inertia = {1, 1, 1, 0, 0, 0}};
  f->arm = (flg_model){.name = "arm", .bodies = f->links, .body_count = 1};
  f->robots[0] = (flg_component_robot){.name = "arm",
                                       .place = line(15),
                                       .group = FLG_TOP,
                                       .model = &f->arm,
                                       .pose = flg_pose_identity()};
  f->frames[0] = (flg_component_frame){"flange", line(60), FLG_TOP, true, on_body(ROD)};
  f->frames[1] = (flg_component_frame){"in/flange", line(61), TOP, true, on_body(FLG_WORLD)};
  f->shapes[0] = (flg_shape){.place = line(70), .size = {1, 1, 1}, .pose = flg_pose_identity()};
}

static fixture *good_component(void) {
  static fixture f;
  f = (fixture){0};
  fill_parts(&f);
  fill_joints(&f);
  f.component = (flg_component){.name = "sample",
                                .file = "sample",
                                .groups = f.groups,
                                .bodies = f.bodies,
                                .robots = f.robots,
                                .coordinates = f.coordinates,
                                .joints = f.joints,
                                .frames = f.frames,
                                .shapes = f.shapes,
                                .group_count = GROUPS,
                                .body_count = BODIES,
                                .robot_count = 1,
                                .coordinate_count = COORDINATES,
                                .joint_count = JOINTS,
                                .frame_count = 2,
                                .shape_count = 1};
  return &f;
}

static int mistakes_in(const fixture *f, flg_mistakes *mistakes) {
  *mistakes = (flg_mistakes){0};
  flg_component_check(&f->component, mistakes);
  for (int k = 0; k < mistakes->count && k < FLG_MISTAKES_LISTED; k++) {
    if (strlen(mistakes->list[k].message) + 1 == sizeof mistakes->list[k].message) fail();
  }
  return mistakes->count;
}

/* exactly one mistake, at that line, saying that */
static void assert_one_mistake(const fixture *f, int number, const char *text) {
  static flg_mistakes found;
  const int count = mistakes_in(f, &found);
  if (count != 1 || strstr(found.list[0].message, text) == NULL || found.list[0].line != number) {
    print_error("not just '%s' in line %d, but\n", text, number);
    for (int k = 0; k < count; k++) {
      print_error("  %d: %s\n", found.list[k].line, found.list[k].message);
    }
    fail();
  }
  assert_string_equal(found.list[0].file, "sample");
}

/* --- names -------------------------------------------------------------------------------------
 */

static void kinds_have_names_and_counts(void **state) {
  (void)state;
  assert_string_equal(flg_constraint_kind_name(FLG_CONSTRAINT_POINT_ON_LINE), "point-on-line");
  assert_int_equal(flg_constraint_kinds[FLG_CONSTRAINT_WELD].rows, 6);
  assert_int_equal(flg_constraint_kinds[FLG_CONSTRAINT_SCREW].rows, 5);
  assert_int_equal(flg_constraint_kinds[FLG_CONSTRAINT_CYLINDRICAL].coordinate_count, 2);
  assert_int_equal(flg_constraint_kinds[FLG_CONSTRAINT_RACK].coordinate_count, 0);
  assert_string_equal(flg_coordinate_kind_name(FLG_COORDINATE_SLIDE), "slide");
}

static void parts_are_found_by_path(void **state) {
  (void)state;
  const flg_component *component = &good_component()->component;
  assert_int_equal(flg_component_find_joint(component, "wheels"), WHEELS);
  assert_int_equal(flg_component_find_joint(component, "base"), -1);
}

static void names_must_differ_within_a_kind(void **state) {
  (void)state;
  fixture *f = good_component();
  f->bodies[ROD].name = "base";
  assert_one_mistake(f, 12, "there are two of body 'base': the other stands in line 10");
  f->bodies[ROD].name = "hinge"; /* as a joint is called */
  f->joints[BOLT].name = "hinge";
  assert_one_mistake(f, 32, "there are two of joint 'hinge': the other stands in line 30");
  f->joints[BOLT].name = "bolt", f->frames[1].name = "flange";
  assert_one_mistake(f, 61, "there are two of frame 'flange'");
  f->frames[1].name = "in/flange", f->groups[INNER].name = "in";
  assert_one_mistake(f, 2, "there are two of component 'in'");
  f->groups[INNER].name = "";
  assert_one_mistake(f, 2, "a component has no name");
  f->groups[INNER].name = "in/inner", f->bodies[ROD].name = "in/world";
  assert_one_mistake(f, 12, "no body may be called 'world'");
}

/* --- bodies ------------------------------------------------------------------------------------
 */

static void good_components_pass(void **state) {
  (void)state;
  static flg_mistakes found;
  fixture *f = good_component();
  assert_int_equal(mistakes_in(f, &found), 0);
  f->bodies[CRANK].gravity = (flg_vec3){0, 0, -9.81};
  f->bodies[BASE].mass = 0, f->bodies[BASE].inertia = (flg_sym3){0}; /* fixed */
  f->joints[WHEELS].kind = FLG_CONSTRAINT_RACK;
  f->joints[WHEELS].coordinate[1] = SCREW_SLIDE; /* in either order */
  assert_int_equal(mistakes_in(f, &found), 0);
  f->joints[WHEELS].coordinate[0] = SCREW_SLIDE, f->joints[WHEELS].coordinate[1] = ROD_ANGLE;
  assert_int_equal(mistakes_in(f, &found), 0);
  f->component = (flg_component){.name = "empty"};
  assert_int_equal(mistakes_in(f, &found), 0);
}

static void bodies_that_cannot_move_are_told(void **state) {
  (void)state;
  const flg_sym3 fine = {1, 1, 1, 0, 0, 0};
  const struct body_case {
    double mass;
    flg_sym3 inertia;
    const char *text;
  } cases[] = {
      {0, fine, "the mass of body 'crank' is 0 kg, but what moves must have a positive one"},
      {-1, fine, "the mass of body 'crank' is -1 kg"},
      {1e-320, fine, "of 2.3e-308 kg at least"},
      {1, {1e308, 1e308, 1e308, 0, 0, 0}, "the inertia of body 'crank' is too large"},
      {1, {1e-320, 1e-320, 1e-320, 0, 0, 0}, "body 'crank' has no inertia about some axis"},
      {INFINITY, fine, "the mass of body 'crank' is inf kg"},
      {(double)NAN, fine, "the mass of body 'crank' is nan kg"},
      {1, {1, 1, (double)NAN, 0, 0, 0}, "the inertia of body 'crank' is not finite"},
      {1, {1, 1, -1, 0, 0, 0}, "the inertia of body 'crank' is not positive"},
      {1, {1, 1, 2.1, 0, 0, 0}, "the largest exceeds the sum of the others"},
      {1,
       {0, 1, 1, 0, 0, 0},
       "body 'crank' has no inertia about some axis: its principal moments "
       "are 0, 1 and 1 kg m^2"},
      {1, {1, 1, 2, 1, 0, 0}, "body 'crank' has no inertia about some axis"},
      {1, {0, 0, 0, 0, 0, 0}, "body 'crank' has no inertia about some axis"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    fixture *f = good_component();
    f->bodies[CRANK].mass = cases[k].mass;
    f->bodies[CRANK].inertia = cases[k].inertia;
    assert_one_mistake(f, 11, cases[k].text);
  }
}

static void thin_rods_may_move(void **state) {
  (void)state;
  static flg_mistakes found;
  fixture *f = good_component();
  f->bodies[CRANK].inertia = (flg_sym3){1e-10, 1, 1, 0, 0, 0};
  assert_int_equal(mistakes_in(f, &found), 0);
}

static void bodies_must_be_somewhere(void **state) {
  (void)state;
  fixture *f = good_component();
  f->bodies[CRANK].velocity.linear.x = INFINITY;
  assert_one_mistake(f, 11, "the velocity of body 'crank' is (inf, 0, 0)");
  f = good_component(), f->bodies[CRANK].velocity.angular.x = INFINITY;
  assert_one_mistake(f, 11, "the angular velocity of body 'crank'");
  f = good_component(), f->bodies[BASE].pose.rotation.m[0] = -1;
  assert_one_mistake(f, 10, "the pose of body 'base' is not a place in space");
  f = good_component(), f->robots[0].pose.position.x = NAN;
  assert_one_mistake(f, 15, "the pose of robot 'arm' is not a place in space");
}

/* --- joints ------------------------------------------------------------------------------------
 */

static void joints_need_two_ends_that_can_move(void **state) {
  (void)state;
  fixture *f = good_component();
  flg_anchor *end = f->joints[ELBOW].end;
  end[0] = end[1] = on_body(CRANK);
  assert_one_mistake(f, 31, "joint 'in/elbow' is between body 'crank' and itself");
  end[0] = end[1] = on_robot(0);
  assert_one_mistake(f, 31, "joint 'in/elbow' is between body 'tool' and itself");
  end[0] = on_body(FLG_WORLD), end[1] = on_body(BASE);
  assert_one_mistake(f, 31, "between 'world' and 'base', neither of which can move");
  end[0] = on_robot(FLG_WORLD);
  assert_one_mistake(f, 31, "between 'world' and 'base', neither of which can move");
  end[0] = on_body(0), end[1] = on_robot(0); /* the same number of another list */
  static flg_mistakes found;
  assert_int_equal(mistakes_in(f, &found), 0);
  end[1] = on_body(CRANK), end[0].pose.position.z = INFINITY;
  assert_one_mistake(f, 31, "the first frame of joint 'in/elbow' is not a place in space");
}

static void numbers_of_joints_must_make_sense(void **state) {
  (void)state;
  fixture *f = good_component();
  f->joints[TENSION].constant = 0;
  assert_one_mistake(f, 33, "the distance of joint 'tension' is 0 m, but must be positive");
  f->joints[TENSION].constant = NAN;
  assert_one_mistake(f, 33, "the distance of joint 'tension' is nan m");
}

/* their ends mean nothing, and may be anything */
static void gears_couple_what_fits(void **state) {
  (void)state;
  fixture *f = good_component();
  flg_component_joint *gear = &f->joints[WHEELS];
  gear->end[0] = gear->end[1] = on_body(99);
  gear->factor[1] = 0;
  assert_one_mistake(f, 34, "factor 2 of joint 'wheels' is 0, but must be a finite number other");
  gear->factor[1] = 1, gear->factor[0] = NAN;
  assert_one_mistake(f, 34, "factor 1 of joint 'wheels' is nan");
  gear->factor[0] = 1;
  gear->coordinate[1] = gear->coordinate[0];
  assert_one_mistake(f, 34, "joint 'wheels' couples the angle of 'hinge' with itself");
  gear->coordinate[1] = SCREW_SLIDE;
  assert_one_mistake(f, 34,
                     "couples the angle of 'hinge' with the slide of 'bolt', but must couple two "
                     "angles");
  gear->kind = FLG_CONSTRAINT_RACK, gear->coordinate[1] = ROD_ANGLE;
  assert_one_mistake(f, 34, "but must couple a slide with an angle");
}

/* --- coordinates, frames, shapes -----------------------------------------------
 */

static void sums_are_of_other_coordinates(void **state) {
  (void)state;
  fixture *f = good_component();
  f->coordinates[TEETH].of[1] = TEETH;
  assert_one_mistake(f, 21, "sum 'teeth' is one of sums");
  f = good_component(), f->coordinates[TEETH].factor[0] = 0;
  assert_one_mistake(f, 21, "the first factor of sum 'teeth' is 0");
  f = good_component(), f->coordinates[TEETH].factor[1] = NAN;
  assert_one_mistake(f, 21, "the second factor of sum 'teeth' is nan");
}

static void shapes_sit_on_bodies(void **state) {
  (void)state;
  fixture *f = good_component();
  f->shapes[0].body = BODIES;
  assert_one_mistake(f, 70, "the shape without a name is on no body");
  f = good_component(), f->shapes[0].size[1] = 0;
  assert_one_mistake(f, 70, "has the size 0");
}

static void all_mistakes_are_told_at_once(void **state) {
  (void)state;
  static flg_mistakes found;
  fixture *f = good_component();
  f->bodies[CRANK].mass = -1;
  f->bodies[ROD].name = "base";
  f->joints[TENSION].constant = -1;
  assert_int_equal(mistakes_in(f, &found), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_have_names_and_counts),
      cmocka_unit_test(parts_are_found_by_path),
      cmocka_unit_test(names_must_differ_within_a_kind),
      cmocka_unit_test(good_components_pass),
      cmocka_unit_test(bodies_that_cannot_move_are_told),
      cmocka_unit_test(thin_rods_may_move),
      cmocka_unit_test(bodies_must_be_somewhere),
      cmocka_unit_test(joints_need_two_ends_that_can_move),
      cmocka_unit_test(numbers_of_joints_must_make_sense),
      cmocka_unit_test(gears_couple_what_fits),
      cmocka_unit_test(sums_are_of_other_coordinates),
      cmocka_unit_test(shapes_sit_on_bodies),
      cmocka_unit_test(all_mistakes_are_told_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
