#include "io/urdf.h"

#include <time.h>

#include "check.h"
#include "model/robot.h"
#include "text/xml.h"

static flg_mistakes mistakes;

static void read_text(flg_model *model, flg_region *region, const char *text) {
  mistakes = (flg_mistakes){0};
  *model = (flg_model){0};
  const flg_element *root = flg_xml_parse(region, "a.urdf", text, strlen(text), &mistakes);
  if (root != NULL)
    flg_model_from_element(model, "a.urdf", (flg_reading){.inertia = FLG_INERTIA_STRICT}, root,
                           region, &mistakes);
}

static flg_model read_good(flg_region *region, const char *text) {
  flg_model model;
  read_text(&model, region, text);
  if (mistakes.count > 0) {
    fail_msg("line %d: %s", mistakes.list[0].line, mistakes.list[0].message);
  }
  return model;
}

/* the first of `count` mistakes is in that line and says so */
static void assert_mistake(const char *text, int count, int line, const char *words) {
  flg_region region = {0};
  flg_model model;
  read_text(&model, &region, text);
  if (mistakes.count == 0) fail_msg("no mistake in %s", text);
  if (strstr(mistakes.list[0].message, words) == NULL) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(mistakes.list[0].line, line);
  assert_int_equal(mistakes.count, count);
  flg_region_release(&region);
}

/* what flg_robot_build finds, with its line */
static void assert_unbuildable(const char *text, int line, const char *words) {
  flg_region region = {0};
  const flg_model model = read_good(&region, text);
  flg_region built = {0};
  flg_robot robot;
  assert_int_not_equal(flg_robot_build(&robot, &model, &built, &mistakes), FLG_OK);
  if (strstr(mistakes.list[0].message, words) == NULL) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(mistakes.list[0].line, line);
  flg_region_release(&built);
  flg_region_release(&region);
}

#define INERTIAL                                                                 \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIAL "</link>\n"
#define JOINT(name, type, from, to, more)                                                       \
  "<joint name='" name "' type='" type "'><parent link='" from "'/><child link='" to "'/>" more \
  "</joint>\n"
#define ROBOT(inside) "<robot name='r'>\n" inside "</robot>"

static const char everything[] = ROBOT(
    "<material name='red'><color rgba='1 0 0 1'/></material>\n"
    "<link name='base'>\n"
    "  <inertial><origin xyz='0.1 0.2 0.3' rpy='0 0 1.5707963267948966'/><mass value='2'/>\n"
    "    <inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/></inertial>\n"
    "  <visual name='case'><origin xyz='1 2 3'/><geometry><box size='1 2 3'/></geometry>\n"
    "    <material name='red'/></visual>\n"
    "  <visual><geometry><mesh filename='a.stl' scale='1 -1 2'/></geometry>\n"
    "    <material name='blue'/></visual>\n"
    "  <collision><geometry><cylinder radius='0.1' length='0.2'/></geometry></collision>\n"
    "  <collision><geometry><sphere radius='0.3'/></geometry></collision>\n"
    "  <collision><geometry><capsule radius='0.4' length='0.5'/></geometry></collision>\n"
    "</link>\n"
    "<link name='arm'>" INERTIAL
    "<visual><geometry><sphere radius='1'/></geometry>"
    "<material name='blue'><color rgba='0 0 1 0.5'/><texture filename='x.png'/></material>"
    "</visual></link>\n"
    LINK("slider") LINK("table") LINK("ship") LINK("wheel")
    "<link name='tool'/>\n"
    JOINT("elbow", "revolute", "base", "arm",
          "<origin xyz='1 0 0' rpy='0 0 0'/><axis xyz='0 2 0'/>"
          "<limit lower='-1' upper='2' effort='30' velocity='4'/>"
          "<dynamics damping='0.5' friction='0.25'/><mimic joint='rail' multiplier='2' offset='1'/>"
          "<calibration rising='0'/><safety_controller k_velocity='1'/>")
    JOINT("rail", "prismatic", "arm", "slider", "<limit upper='1' effort='1' velocity='1'/>")
    JOINT("plane", "planar", "slider", "table", "<axis xyz='0 0 3'/>")
    JOINT("sea", "floating", "table", "ship", "<axis xyz='0 1 0'/>")
    JOINT("spin", "continuous", "ship", "wheel", "<limit lower='0' upper='0' effort='1' velocity='2'/>")
    JOINT("mount", "fixed", "wheel", "tool", "<origin xyz='0 0 1'/>")
    "<transmission name='t'><type>x</type></transmission>\n"
    "<gazebo reference='base'><kp>1</kp></gazebo>\n"
    "<unknown><link/></unknown>\n");

static void links_have_their_inertias_in_their_own_axes(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_good(&region, everything);
  const flg_body *base = &model.bodies[0];
  assert_string_equal(model.name, "r");
  assert_int_equal(model.body_count, 7);
  assert_string_equal(base->name, "base");
  assert_int_equal(base->place.line, 3);
  assert_true(base->mass == 2 && base->centre.x == 0.1 && base->centre.z == 0.3);
  /* a quarter turn about z: x' = y, y' = -x */
  assert_near(base->inertia.xx, 2, 1e-15);
  assert_near(base->inertia.yy, 1, 1e-15);
  assert_near(base->inertia.zz, 2.5, 1e-15);
  assert_near(base->inertia.xy, -0.1, 1e-15);
  assert_near(base->inertia.xz, -0.3, 1e-15);
  assert_near(base->inertia.yz, 0.2, 1e-15);
  assert_true(model.bodies[6].mass == 0);
  flg_region_release(&region);
}

static void shapes_have_their_sizes_and_colours(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_good(&region, everything);
  const struct {
    flg_shape_kind kind;
    bool collision;
    double size[3];
  } expected[] = {{FLG_SHAPE_BOX, false, {1, 2, 3}},         {FLG_SHAPE_MESH, false, {1, -1, 2}},
                  {FLG_SHAPE_CYLINDER, true, {0.1, 0.2, 1}}, {FLG_SHAPE_SPHERE, true, {0.3, 1, 1}},
                  {FLG_SHAPE_CAPSULE, true, {0.4, 0.5, 1}},  {FLG_SHAPE_SPHERE, false, {1, 1, 1}}};
  assert_int_equal(model.shape_count, 6);
  for (int k = 0; k < 6; k++) {
    assert_int_equal(model.shapes[k].kind, expected[k].kind);
    assert_int_equal(model.shapes[k].collision, expected[k].collision);
    assert_int_equal(model.shapes[k].body, k < 5 ? 0 : 1);
    assert_true(max_difference(model.shapes[k].size, expected[k].size, 3) == 0);
  }
  assert_string_equal(model.shapes[0].name, "case");
  assert_null(model.shapes[1].name);
  assert_string_equal(model.shapes[1].mesh, "a.stl");
  assert_int_equal(model.shapes[1].place.line, 8);
  assert_true(model.shapes[0].pose.position.y == 2);
  assert_true(max_difference(model.shapes[0].colour, (double[]){1, 0, 0, 1}, 4) == 0);
  /* a material that a later visual defines */
  assert_true(max_difference(model.shapes[1].colour, (double[]){0, 0, 1, 0.5}, 4) == 0);
  assert_true(isnan(model.shapes[2].colour[0]));
  flg_region_release(&region);
}

static void joints_have_their_kinds_limits_and_leaders(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_good(&region, everything);
  const flg_joint *joint = model.joints;
  const flg_joint_kind kinds[] = {FLG_JOINT_REVOLUTE, FLG_JOINT_PRISMATIC,  FLG_JOINT_PLANAR,
                                  FLG_JOINT_FLOATING, FLG_JOINT_CONTINUOUS, FLG_JOINT_FIXED,
                                  FLG_JOINT_FIXED};
  assert_int_equal(model.joint_count, 7);
  for (int k = 0; k < 7; k++) {
    assert_int_equal(joint[k].kind, kinds[k]);
    assert_int_equal(joint[k].child, k < 6 ? k + 1 : 0);
    assert_int_equal(joint[k].parent, k < 6 ? k : FLG_WORLD);
  }
  assert_true(joint[0].axis.x == 0 && joint[0].axis.y == 1 && joint[0].origin.position.x == 1);
  assert_true(joint[0].lower == -1 && joint[0].upper == 2);
  assert_true(joint[0].effort_limit == 30 && joint[0].speed_limit == 4);
  assert_true(joint[0].damping == 0.5 && joint[0].friction == 0.25);
  assert_int_equal(joint[0].mimic.joint, 1);
  assert_true(joint[0].mimic.multiplier == 2 && joint[0].mimic.offset == 1);
  assert_true(joint[1].axis.x == 1); /* the axis of URDF where none is given */
  assert_true(joint[1].lower == 0 && joint[1].upper == 1 && joint[1].mimic.joint == -1);
  assert_true(joint[2].axis.z == 1);
  assert_true(isinf(joint[4].lower) && isinf(joint[4].upper) && joint[4].speed_limit == 2);
  assert_true(isinf(joint[3].effort_limit));
  flg_region_release(&region);
}

static void the_root_is_fixed_to_the_ground(void **state) {
  (void)state;
  flg_region region = {0};
  flg_model model = read_good(&region, everything);
  assert_string_equal(model.joints[6].name, "ground");
  model =
      read_good(&region, ROBOT(LINK("a") LINK("b") JOINT("ground", "continuous", "a", "b", "")));
  assert_string_equal(model.joints[1].name, "ground2");
  assert_int_equal(model.joints[1].child, 0);
  flg_region_release(&region);
}

static void a_root_called_world_is_the_ground(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_good(
      &region, ROBOT(LINK("a") "<link name='world'><visual><geometry><box size='9 9 1'/></geometry>"
                               "</visual></link>\n" JOINT("j", "floating", "world", "a", "")));
  assert_int_equal(model.body_count, 1);
  assert_int_equal(model.joint_count, 1);
  assert_int_equal(model.joints[0].parent, FLG_WORLD);
  assert_int_equal(model.shapes[0].body, FLG_WORLD);
  flg_region_release(&region);
}

static void a_bare_link_at_the_end_is_also_a_port(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_good(&region, everything);
  assert_int_equal(model.frame_count, 1);
  assert_string_equal(model.frames[0].name, "tool");
  assert_int_equal(model.frames[0].body, 6);
  assert_true(model.frames[0].port);
  flg_region_release(&region);
}

static void limits_may_be_left_out(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_good(
      &region, ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "revolute", "a", "b", "")
                         JOINT("k", "revolute", "b", "c", "<limit effort='5' velocity='6'/>")));
  assert_true(isinf(model.joints[0].lower) && isinf(model.joints[0].effort_limit));
  assert_true(isinf(model.joints[1].lower) && isinf(model.joints[1].upper));
  assert_true(model.joints[1].effort_limit == 5);
  flg_region_release(&region);
}

static void mistakes_are_told_with_their_lines(void **state) {
  (void)state;
  const struct {
    const char *text;
    int line;
    const char *words;
  } cases[] = {
      {"<sdf/>", 1, "expected <robot> at the top, found <sdf>"},
      {ROBOT(""), 1, "the robot has no links"},
      {ROBOT("<link name='world'/>"), 1, "no links besides the ground"},
      {ROBOT("<link/>"), 2, "'name' of <link> is missing"},
      {ROBOT("<link name=''/>"), 2, "'name' of <link> is empty"},
      {ROBOT("<xacro:macro name='x'/>" LINK("a")), 2, "run the file through xacro"},
      {ROBOT("<link name='a'>\n<inertial><mass value='1'/></inertial></link>"), 3, "no <inertia>"},
      {ROBOT("<link name='a'><inertial>\n<inertia ixx='1' iyy='1' izz='1'/></inertial></link>"), 2,
       "no <mass>"},
      {ROBOT("<link name='a'><inertial>\n<mass value='heavy'/>"
             "<inertia ixx='1' iyy='1' izz='1'/></inertial></link>"),
       3, "'heavy' is not a number"},
      {ROBOT("<link name='a'><inertial><mass value='1'/>\n<inertia ixx='1' iyy='1'/></inertial>"
             "</link>"),
       3, "'izz' of <inertia> is missing"},
      {ROBOT("<link name='a'>" INERTIAL "\n" INERTIAL "</link>"), 3, "second <inertial>"},
      {ROBOT("<link name='a'><inertial><mass value='1'/>\n"
             "<inertia ixx='1' iyy='1' izz='3'/></inertial></link>"),
       2, "the inertia of body 'a' belongs to no mass"},
      {ROBOT("<link name='a'><inertial><mass value='-1'/>\n"
             "<inertia ixx='1' iyy='1' izz='1'/></inertial></link>"),
       2, "the mass of body 'a' is -1"},
      {ROBOT("<link name='a'><visual>\n<origin xyz='1 2'/><geometry><box size='1 1 1'/></geometry>"
             "</visual></link>"),
       3, "xyz of <origin>: '1 2' is not 3 numbers"},
      {ROBOT("<link name='a'>\n<visual/></link>"), 3, "<visual> has no <geometry>"},
      {ROBOT("<link name='a'><visual>\n<geometry/></visual></link>"), 3, "<geometry> is empty"},
      {ROBOT("<link name='a'><visual><geometry>\n<cilinder/></geometry></visual></link>"), 3,
       "did you mean 'cylinder'?"},
      {ROBOT("<link name='a'><visual><geometry>\n<cone/></geometry></visual></link>"), 3,
       "expected a box, cylinder, sphere, capsule or mesh"},
      {ROBOT("<link name='a'><visual><geometry>\n<plane/></geometry></visual></link>"), 3,
       "a geometry <plane> is not known"},
      {ROBOT(
           "<link name='a'><visual><geometry>\n<cylinder radius='1'/></geometry></visual></link>"),
       3, "'length' of <cylinder> is missing"},
      {ROBOT("<link name='a'><visual><geometry>\n<box/></geometry></visual></link>"), 3,
       "'size' of <box> is missing"},
      {ROBOT("<link name='a'><visual><geometry>\n<mesh/></geometry></visual></link>"), 3,
       "'filename' of <mesh> is missing"},
      {ROBOT("<link name='a'><visual><geometry>\n<sphere radius='-1'/></geometry></visual></link>"),
       3, "must have a positive one"},
      {ROBOT("<material name='m'>\n<color rgba='1 0 0'/></material>" LINK("a")), 3,
       "rgba of <color>: '1 0 0' is not 4 numbers"},
      {ROBOT("<material name='m'>\n<color rgba='255 0 0 1'/></material>" LINK("a")), 3,
       "255 is not between 0 and 1"},
      {ROBOT(LINK("a") LINK("b") JOINT("j", "revolvte", "a", "b", "")), 4,
       "did you mean 'revolute'?"},
      {ROBOT(LINK("a") LINK("b") JOINT("j", "ball", "a", "b", "")), 4, "expected fixed, revolute"},
      {ROBOT(LINK("base") LINK("b") JOINT("j", "fixed", "bsae", "b", "")), 4,
       "there is no link 'bsae'; did you mean 'base'?"},
      {ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "world", "b", "")), 4,
       "there is no link 'world'"},
      {ROBOT(LINK("a") "<joint name='j' type='fixed'>\n<child link='a'/></joint>"), 3,
       "<joint> has no <parent>"},
      {ROBOT(LINK("a") "<joint name='j' type='fixed'><parent link='a'/>\n<child/></joint>"), 4,
       "'link' of <child> is missing"},
      {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "\n<axis xyz='0 0 0'/>")), 4,
       "has no direction"},
      {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "\n<limit lower='1'/>")), 4,
       "the wrong way round"},
      {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "\n<mimic/>")), 5,
       "'joint' of <mimic> is missing"},
      {ROBOT(LINK("a") LINK("a")), 3, "two of body 'a': the other stands in line 2"},
      {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "b", "")
                 JOINT("j", "fixed", "b", "c", "")),
       6, "two of joint 'j': the other stands in line 5"},
      {ROBOT(LINK("a") LINK("b")), 3, "'b' is the child of no joint, and neither is 'a'"},
      {ROBOT(LINK("world")), 1, "no links besides the ground"},
      {ROBOT(LINK("world") LINK("a") JOINT("j", "fixed", "world", "a", "")), 2, "has no mass"},
      {ROBOT("<link name='world'/>" LINK("a") JOINT("j", "fixed", "a", "world", "")), 3,
       "is the ground and cannot move"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    assert_mistake(cases[k].text, 1, cases[k].line, cases[k].words);
  }
}

static void all_mistakes_are_told_at_once(void **state) {
  (void)state;
  assert_mistake(ROBOT("<link/>\n" LINK("b") JOINT("j", "hinge", "x", "b", "<origin xyz='a'/>")), 4,
                 2, "'name' of <link>");
}

static void what_cannot_be_built_is_told_with_its_line(void **state) {
  (void)state;
  assert_unbuildable(ROBOT(LINK("a") "<link name='b'/>\n" JOINT("j", "continuous", "a", "b", "")),
                     3, "body 'b' has no mass");
  assert_unbuildable(ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "b", "c", "")
                               JOINT("k", "continuous", "c", "b", "")),
                     6, "closes a loop");
  assert_unbuildable(
      ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "a", "b", "")
                JOINT("k", "continuous", "a", "c", "") JOINT("l", "continuous", "b", "c", "")),
      7, "body 'c' has two parents");
}

static void a_lack_of_memory_is_told_wherever_it_shows(void **state) {
  (void)state;
  size_t limit = 0;
  do {
    flg_region region = {.limit = limit += 64};
    flg_model model;
    read_text(&model, &region, everything);
    assert_int_equal(mistakes.count > 0, region.failed);
    flg_region_release(&region);
  } while (mistakes.count > 0);
  assert_true(limit > 1000);
}

/* --- slips that others take, too ----------------------------------------------------------- */

static flg_model read_with_rule(flg_region *region, flg_inertia_rule rule, const char *text) {
  flg_model model = {0};
  mistakes = (flg_mistakes){0};
  const flg_element *root = flg_xml_parse(region, "a.urdf", text, strlen(text), &mistakes);
  if (root != NULL)
    flg_model_from_element(&model, "a.urdf", (flg_reading){.inertia = rule}, root, region,
                           &mistakes);
  return model;
}

static void slips_are_told_and_taken_as_others_take_them(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"<robot>" LINK("a") "</robot>", "a.urdf: <robot> has no name"},
      {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<axis/>")),
       "has no xyz; it is taken as 1 0 0"},
      {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<mimic joint='k'/>")),
       "joint 'j' mimics 'k', which is not there: it moves freely"},
      {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<limit effort='-1'/>")),
       "the effort limit of joint 'j' is -1, below zero: it has none"},
      {ROBOT("<link name='a'><visual><geometry><box size='1 0 1'/></geometry></visual></link>"),
       "1 shape of link 'a' of size 0 left out"},
      {ROBOT("<link name='a'><visual><geometry><box size='1 1 1'/></geometry>"
             "<material name='x'/><material name='y'/></visual></link>"),
       "link 'a' has a <visual> with two materials; the first counts"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    flg_region region = {0};
    const flg_model model = read_with_rule(&region, FLG_INERTIA_AUTO, cases[k].text);
    if (mistakes.count > 0) fail_msg("%s: %s", cases[k].words, mistakes.list[0].message);
    assert_int_equal(model.notice_count, 1);
    if (strstr(model.notices[0], cases[k].words) == NULL) fail_msg("%s", model.notices[0]);
    flg_region_release(&region);
  }
}

/* --- rotors, and tags that have no effect ----------------------------------------------------- */

#define DRIVE(joint, inside) "<transmission><joint name='" joint "'/>" inside "</transmission>"

static void rotors_have_the_inertia_that_joints_feel(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double armature;
  } cases[] = {
      {JOINT("j", "revolute", "a", "b", "<dynamics armature='0.2'/>"), 0.2},
      {JOINT("j", "prismatic", "a", "b", "")
           DRIVE("j",
                 "<actuator><drake:rotor_inertia value='2e-4'/><drake:gear_ratio "
                 "value='50'/></actuator>"),
       0.5},
      {JOINT("j", "continuous", "a", "b", "")
           DRIVE("j",
                 "<actuator><rotorInertia>3e-5</rotorInertia>"
                 "<mechanicalReduction> -100 </mechanicalReduction></actuator>"),
       0.3},
      {JOINT("j", "revolute", "a", "b", "") DRIVE("j", "<motorInertia>0.1</motorInertia>"), 0.1},
      /* no one feels it */
      {JOINT("j", "fixed", "a", "b", "") DRIVE("j", "<motorInertia>0.1</motorInertia>"), 0},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char text[1000];
    snprintf(text, sizeof text, ROBOT(LINK("a") LINK("b") "%s"), cases[k].text);
    flg_region region = {0};
    const flg_model model = read_good(&region, text);
    assert_near(model.joints[0].armature, cases[k].armature, 1e-15);
    assert_int_equal(model.notice_count, 0);
    flg_region_release(&region);
  }
  assert_mistake(
      ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<dynamics armature='-1'/>")), 1,
      4, "armature");
}

static void tags_without_effect_are_named_in_one_line(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_good(
      &region,
      ROBOT("<link name='a'/><link name='b'>" INERTIAL "<contact/></link>" JOINT(
          "j", "revolute", "a", "b",
          "<safety_controller/>") "<gazebo/><gazebo/>" DRIVE("j",
                                                             "<actuator><mechanicalReduction>50</"
                                                             "mechanicalReduction></actuator>")));
  assert_int_equal(model.notice_count, 1);
  assert_string_equal(model.notices[0],
                      "a.urdf: tags without effect: <contact> (1), <safety_controller> (1), "
                      "<transmission> (1), <gazebo> (2)");
  flg_region_release(&region);
}

static void a_base_that_floats_carries_what_stood_on_the_world(void **state) {
  (void)state;
  static const char text[] =
      ROBOT("<link name='world'/>" LINK("a") LINK("b") JOINT("base", "revolute", "a", "b", "")
                JOINT("on", "fixed", "world", "a", "<origin xyz='1 0 0'/>"));
  flg_region region = {0};
  flg_model model = {0};
  mistakes = (flg_mistakes){0};
  const flg_element *root = flg_xml_parse(&region, "a.urdf", text, strlen(text), &mistakes);
  flg_model_from_element(&model, "a.urdf", (flg_reading){.floats = true}, root, &region, &mistakes);
  assert_int_equal(mistakes.count, 0);
  assert_int_equal(model.joints[1].kind, FLG_JOINT_FLOATING);
  assert_string_equal(model.joints[1].name, "base2"); /* another joint has the name */
  assert_near(model.joints[1].origin.position.x, 1, 0);
  flg_region_release(&region);
}

#define THIN "<inertial><mass value='1'/><inertia ixx='0' iyy='0' izz='3e-6'/></inertial>"

/* one sentence for all links that move, and none for what is welded to the ground */
static void inertias_that_no_body_has_are_repaired_or_trusted(void **state) {
  (void)state;
  static const char text[] = ROBOT("<link name='base'>" THIN "</link><link name='arm'>" THIN
                                   "</link>" JOINT("j", "revolute", "base", "arm", ""));
  flg_region region = {0};
  flg_model model = read_with_rule(&region, FLG_INERTIA_AUTO, text);
  assert_int_equal(mistakes.count, 0);
  assert_int_equal(model.notice_count, 1);
  assert_non_null(strstr(model.notices[0], "the inertia of 1 link ('arm') belongs to no body"));
  assert_near(model.bodies[1].inertia.xx, 1.5e-6, 1e-18);
  assert_near(model.bodies[1].inertia.zz, 3e-6, 1e-18);
  model = read_with_rule(&region, FLG_INERTIA_TRUST, text);
  assert_true(mistakes.count == 0 && model.notice_count == 0);
  assert_true(model.bodies[1].inertia.xx == 0);
  read_with_rule(&region, FLG_INERTIA_STRICT, text);
  assert_int_equal(mistakes.count, 2);
  flg_region_release(&region);
}

static void links_without_mass_get_that_of_their_shapes(void **state) {
  (void)state;
  static const char text[] = ROBOT(LINK(
      "base") "<link name='arm'>"
              "<visual><geometry><sphere radius='9'/></geometry></visual>"
              "<collision><origin xyz='0 0 1'/><geometry><box size='0.1 0.2 "
              "0.3'/></geometry></collision>"
              "</link>" JOINT("j", "revolute", "base", "arm", ""));
  flg_region region = {0};
  const flg_model model = read_with_rule(&region, FLG_INERTIA_FROM_SHAPES, text);
  const flg_body *arm = &model.bodies[1];
  assert_int_equal(mistakes.count, 0);
  assert_near(arm->mass, 6, 1e-12);
  assert_near(arm->centre.z, 1, 1e-12);
  assert_near(arm->inertia.xx, 6 * (0.04 + 0.09) / 12, 1e-12);
  assert_non_null(strstr(model.notices[0], "1 link without mass ('arm') got that of their shapes"));
  assert_near(model.bodies[0].mass, 1, 0); /* as the file says */
  flg_region_release(&region);
}

/* seconds of processor time for a chain of so many links */
static double seconds_to_read(int links) {
  char *text = malloc((size_t)links * 400 + 100), *at = text;
  at += sprintf(at, "<robot name='chain'>\n");
  for (int k = 0; k < links; k++) {
    at += sprintf(at, "<link name='link%d'>" INERTIAL "</link>\n", k);
    if (k == 0) continue;
    at += sprintf(at,
                  "<joint name='joint%d' type='continuous'><parent link='link%d'/>"
                  "<child link='link%d'/></joint>\n",
                  k, k - 1, k);
  }
  sprintf(at, "</robot>");
  flg_region region = {0};
  const clock_t start = clock();
  const flg_model model = read_good(&region, text);
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  assert_int_equal(model.body_count, links);
  flg_region_release(&region);
  free(text);
  return seconds;
}

static void time_to_read_grows_with_the_number_of_links(void **state) {
  (void)state;
  double least[2] = {INFINITY, INFINITY};
  for (int k = 0; k < 3; k++) {
    least[0] = flg_smaller(least[0], seconds_to_read(5000));
    least[1] = flg_smaller(least[1], seconds_to_read(40000));
  }
  /* 8 if linear, 64 if quadratic */
  if (least[1] > 20 * least[0]) fail_msg("%g s, then %g s", least[0], least[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slips_are_told_and_taken_as_others_take_them),
      cmocka_unit_test(rotors_have_the_inertia_that_joints_feel),
      cmocka_unit_test(tags_without_effect_are_named_in_one_line),
      cmocka_unit_test(a_base_that_floats_carries_what_stood_on_the_world),
      cmocka_unit_test(inertias_that_no_body_has_are_repaired_or_trusted),
      cmocka_unit_test(links_without_mass_get_that_of_their_shapes),
      cmocka_unit_test(links_have_their_inertias_in_their_own_axes),
      cmocka_unit_test(shapes_have_their_sizes_and_colours),
      cmocka_unit_test(joints_have_their_kinds_limits_and_leaders),
      cmocka_unit_test(the_root_is_fixed_to_the_ground),
      cmocka_unit_test(a_root_called_world_is_the_ground),
      cmocka_unit_test(a_bare_link_at_the_end_is_also_a_port),
      cmocka_unit_test(limits_may_be_left_out),
      cmocka_unit_test(mistakes_are_told_with_their_lines),
      cmocka_unit_test(all_mistakes_are_told_at_once),
      cmocka_unit_test(what_cannot_be_built_is_told_with_its_line),
      cmocka_unit_test(a_lack_of_memory_is_told_wherever_it_shows),
      cmocka_unit_test(time_to_read_grows_with_the_number_of_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
