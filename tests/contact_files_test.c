/* What files say of contacts: in models, components and scenarios, and what becomes of it. */
#include "component_read.h"
#include "cosim/touching.h"
#include "files.h"
#include "io/load.h"
#include "io/model_write.h"
#include "io/model_yaml.h"
#include "text/yaml.h"

static flg_mistakes mistakes;
static flg_region region;

static void start(void) {
  flg_region_release(&region);
  mistakes = (flg_mistakes){0};
}

static int finish(void **state) {
  (void)state;
  start();
  return 0;
}

static void expect_no_mistake(void) {
  if (mistakes.count == 0) return;
  fail_msg("%s:%d: %s", mistakes.list[0].file, mistakes.list[0].line, mistakes.list[0].message);
}

static void expect_mistake(int line, const char *part) {
  assert_true(mistakes.count > 0);
  assert_int_equal(mistakes.list[0].line, line);
  if (strstr(mistakes.list[0].message, part) == NULL) fail_msg("%s", mistakes.list[0].message);
}

static flg_component read_component(const char *text) {
  start();
  flg_component component = {0};
  const flg_component_use use = {.path = "text.yaml", .pose = flg_pose_identity()};
  flg_node *root = flg_yaml_parse(&region, "text.yaml", text, strlen(text), &mistakes);
  assert_non_null(root);
  component_read(&component, &use, root, &region, &mistakes);
  return component;
}

static flg_model read_model(const char *text, size_t length) {
  flg_model model = {0};
  flg_node *root = flg_yaml_parse(&region, "text.yaml", text, length, &mistakes);
  assert_non_null(root);
  flg_model_from_node(&model, "text.yaml", false, root, &region, &mistakes);
  return model;
}

static const char everything[] =
    "flange-component: 1\n"
    "materials: {ice: {friction: 0.05}, rubber: {friction: 0.8, restitution: 0.5}}\n"
    "bodies:\n"
    "  sled:\n"
    "    mass: 1\n"
    "    inertia: [1, 1, 1]\n"
    "    shapes:\n"
    "      - {kind: box, size: [1, 1, 1], name: hull, material: ice, group: sleds}\n"
    "      - {kind: sphere, size: 1, friction: 0.3}\n"
    "      - {kind: sphere, size: 1, friction: 0.3, collides: [floors, sleds]}\n"
    "      - {kind: sphere, size: 2}\n"
    "      - {kind: points, points: {U: [1, 2, 3], V: [4, 5, 6]}}\n"
    "  tyre:\n"
    "    mass: 1\n"
    "    inertia: [1, 1, 1]\n"
    "    shapes: [{kind: sphere, size: 1, material: rubber}]\n"
    "shapes: [{kind: plane, group: floors, at: [0, 0, 1]}]\n"
    "contacts:\n"
    "  pairs: [{between: [rubber, ice], friction: 0.1}]\n"
    "  apart: [[sled/hull, tyre], [world, tyre]]\n";

static void shapes_have_surfaces_groups_and_names_of_points(void **state) {
  (void)state;
  const flg_component component = read_component(everything);
  expect_no_mistake();
  const flg_shape *shapes = component.shapes; /* the ground first */
  assert_int_equal(component.shape_count, 7);
  assert_int_equal(shapes[0].body, FLG_WORLD);
  assert_true(shapes[0].collision && shapes[0].pose.position.z == 1);
  assert_true(shapes[1].collision && shapes[1].surface == 1);
  assert_true(shapes[2].collision && shapes[2].surface == 3 && shapes[3].surface == 3);
  assert_int_equal(shapes[3].collides, shapes[0].group | shapes[1].group);
  assert_true(shapes[0].group != shapes[1].group);
  assert_false(shapes[4].collision);
  assert_true(shapes[5].collision && shapes[5].value_count == 6 && shapes[5].values[4] == 5);
  assert_string_equal(shapes[5].point_names[1], "V");
  const flg_surfaces *surfaces = &component.surfaces;
  assert_int_equal(surfaces->surface_count, 3);
  assert_int_equal(surfaces->pair_count, 1);
  assert_true(surfaces->pairs[0].friction == 0.1 && surfaces->pairs[0].restitution == 0.5);
  assert_int_equal(surfaces->apart_count, 2);
  const int expected[2][2] = {{1, 6}, {0, 6}};
  assert_memory_equal(surfaces->apart, expected, sizeof expected);
}

static void models_are_written_as_they_were_read(void **state) {
  (void)state;
  const char *text =
      "flange-model: 1\n"
      "materials: {ice: {friction: 0.05}, 'a, b': {friction: 0.8, restitution: 0.5}}\n"
      "bodies:\n"
      "  a:\n"
      "    mass: 1\n"
      "    inertia: [1, 1, 1]\n"
      "    shapes:\n"
      "      - {kind: box, size: [1, 1, 1], name: hull, material: ice, group: one}\n"
      "      - {kind: sphere, size: 1, restitution: 0.3, collides: [one, two]}\n"
      "      - {kind: points, points: {U: [1, 2, 3], 'V w': [4, 5, 6]}}\n"
      "      - {kind: plane, collision: false}\n"
      "  b: {mass: 1, inertia: [1, 1, 1], shapes: [{kind: sphere, size: 1, collision: true}]}\n"
      "joints: {f: {kind: floating, child: a}, g: {kind: floating, child: b}}\n"
      "shapes: [{kind: plane, material: 'a, b'}]\n"
      "contacts:\n"
      "  pairs: [{between: [ice, 'a, b'], friction: 0.1}, {between: [ice, ice], friction: 0}]\n"
      "  apart: [[a, b], [a/hull, world]]\n";
  start();
  const flg_model model = read_model(text, strlen(text));
  expect_no_mistake();
  char *written[2] = {NULL, NULL};
  size_t length[2];
  flg_model again = model;
  for (int k = 0; k < 2; k++) {
    FILE *out = open_memstream(&written[k], &length[k]);
    assert_int_equal(flg_model_write_yaml(&again, out, NULL, NULL), FLG_OK);
    fclose(out);
    again = read_model(written[k], length[k]);
    expect_no_mistake();
  }
  assert_string_equal(written[0], written[1]);
  assert_int_equal(again.surfaces.apart_count, model.surfaces.apart_count);
  assert_int_equal(again.surfaces.pair_count, 2);
  assert_true(again.surfaces.pairs[0].restitution == 0.5);
  for (int k = 0; k < model.shape_count; k++) {
    assert_int_equal(again.shapes[k].collision, model.shapes[k].collision);
    assert_int_equal(again.shapes[k].collides, model.shapes[k].collides);
  }
  assert_string_equal(again.shapes[3].point_names[1], "V w");
  free(written[0]);
  free(written[1]);
}

static void mistakes_say_what_to_write(void **state) {
  (void)state;
  static const struct {
    const char *shape, *rest, *part;
    int line;
  } cases[] = {
      {"kind: sphere, size: 1, material: rubbr", "", "did you mean 'rubber'", 3},
      {"kind: sphere, size: 1, material: rubber, friction: 1", "", "either a material or", 3},
      {"kind: sphere, size: 1, collision: false, friction: 1", "", "leave one or the other", 3},
      {"kind: sphere, size: 1, restitution: 1.5", "", "out of range", 3},
      {"kind: sphere, size: 1, points: {U: [1, 2, 3]}", "", "of the kind points", 3},
      {"kind: points, points: {U: [1, 2]}", "", "has 2 numbers", 3},
      {"kind: plane", "contacts: {apart: [[a, c]]}\n", "no shape 'c'", 4},
      {"kind: plane", "contacts: {apart: [[a]]}\n", "pairs of texts", 4},
      {"kind: plane", "contacts: {pairs: [{between: [rubber, ice]}]}\n", "no material 'ice'", 4},
      {"kind: plane", "contacts: {pairs: [{between: [rubber]}]}\n", "at least 2", 4},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char text[600];
    snprintf(text, sizeof text,
             "flange-component: 1\nmaterials: {rubber: {friction: 1}}\n"
             "bodies: {a: {mass: 1, inertia: [1, 1, 1], shapes: [{%s}]}}\n%s",
             cases[k].shape, cases[k].rest);
    read_component(text);
    expect_mistake(cases[k].line, cases[k].part);
  }
}

static void groups_are_bits_and_run_out(void **state) {
  (void)state;
  char text[4000] =
      "flange-component: 1\nbodies:\n  a:\n    mass: 1\n    inertia: [1, 1, 1]\n    shapes:\n";
  for (int k = 0; k < FLG_SHAPE_GROUPS + 1; k++) {
    char line[80];
    snprintf(line, sizeof line, "      - {kind: sphere, size: 1, group: g%d}\n", k);
    strcat(text, line);
  }
  read_component(text);
  expect_mistake(7 + FLG_SHAPE_GROUPS, "one too many");
}

/* --- scenarios ------------------------------------------------------------------------------- */

static const char box_urdf[] =
    "<robot name='box'><link name='base'/><link name='box'>"
    "<inertial><mass value='2'/>"
    "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision name='case'><geometry><mesh filename='box.obj' scale='1 1 2'/></geometry>"
    "</collision></link>"
    "<joint name='free' type='floating'><parent link='base'/><child link='box'/></joint></robot>";
static const char box_obj[] =
    "v -1 -1 -.5\nv 1 -1 -.5\nv -1 1 -.5\nv 1 1 -.5\nv -1 -1 .5\nv 1 -1 .5\nv -1 1 .5\nv 1 1 .5\n";
static const char ball_yaml[] =
    "flange-component: 1\n"
    "bodies:\n"
    "  ball: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0.5],\n"
    "    shapes: [{kind: sphere, size: 0.5, collision: true}]}\n"
    "ports: {p: {body: ball}}\n";

static flg_simulation *load(const char *scenario) {
  test_folder folder = make_folder();
  start();
  make_file(&folder, "box.urdf", box_urdf);
  make_file(&folder, "box.obj", box_obj);
  make_file(&folder, "ball.yaml", ball_yaml);
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  remove_folder(&folder);
  return simulation;
}

static int contacts_at(flg_simulation *simulation, double time, flg_touching *list) {
  flg_error error;
  while (flg_simulation_time(simulation) < time - 1e-9) {
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  }
  return flg_touching_list(simulation, list);
}

/* a URDF without a word of contact, on the ground of the scenario, wherever its own world is */
static void a_robot_stands_on_the_ground_of_the_scenario(void **state) {
  (void)state;
  flg_simulation *simulation = load(
      "flange: 1\ntime: {end: 1, macro: 0.1}\n"
      "materials: {ice: {friction: 0.05}, steel: {friction: 0.4}}\n"
      "contacts: {pairs: [{between: [ice, steel], friction: 0.02}]}\n"
      "ground: {shapes: [{kind: plane, name: floor, material: steel}]}\n"
      "subsystems:\n"
      "  b: {model: box.urdf, step: 1/100, at: [0, 0, 5], turn: [0.1, 0.2, 0],\n"
      "    contacts: {material: ice}, initial: {free: [0, 0, 0, 1, 0, 0, 0]}}\n");
  expect_no_mistake();
  flg_touching list[100];
  char name[FLG_TOUCHING_NAME];
  assert_int_equal(flg_touching_list(simulation, list), 0);
  flg_simulation_release(simulation);
  simulation = load(
      "flange: 1\ntime: {end: 1, macro: 0.1}\n"
      "materials: {ice: {friction: 0.05}, steel: {friction: 0.4}}\n"
      "contacts: {pairs: [{between: [ice, steel], friction: 0.02}]}\n"
      "ground: {shapes: [{kind: plane, name: floor, material: steel}]}\n"
      "subsystems:\n"
      "  b: {model: box.urdf, step: 1/100, at: [0, 0, 5],\n"
      "    contacts: {material: ice}, initial: {free: [0, 0, -4, 1, 0, 0, 0]}}\n");
  expect_no_mistake();
  assert_int_equal(contacts_at(simulation, 0.2, list), 4);
  double press = 0;
  for (int k = 0; k < 4; k++) press += list[k].press;
  assert_near(press, 2 * 9.81, 1e-12);
  assert_true(list[0].contact->friction == 0.02);
  assert_string_equal(flg_touching_name(simulation, 0, list[0].shapes[0], name), "b/box/case");
  assert_string_equal(flg_touching_name(simulation, 0, list[0].shapes[1], name), "b/world/floor");
  flg_simulation_release(simulation);
}

/* joined and solved as one: each has the ground, and they do not have each other */
static void subsystems_touch_the_ground_and_not_each_other(void **state) {
  (void)state;
  flg_simulation *simulation = load(
      "flange: 1\ntime: {end: 1, macro: 0.1}\n"
      "ground: {shapes: [{kind: plane}]}\n"
      "subsystems:\n"
      "  one: {model: ball.yaml, step: 1/100}\n"
      "  two: {model: ball.yaml, step: 1/100, at: [0.9, 0, 0]}\n"
      "interfaces: {j: {between: [one/p, two/p], joint: distance}}\n");
  expect_no_mistake();
  assert_int_equal(simulation->subsystem_count, 1);
  flg_touching list[100];
  char name[FLG_TOUCHING_NAME];
  assert_int_equal(contacts_at(simulation, 0.1, list), 2);
  for (int k = 0; k < 2; k++) {
    const int ball = list[k].contact->normal.z > 0;
    assert_near(list[k].press, 9.81, 1e-9);
    assert_string_equal(flg_touching_name(simulation, 0, list[k].shapes[ball], name),
                        k == 0 ? "one/ball" : "two/ball");
    flg_touching_name(simulation, 0, list[k].shapes[1 - ball], name);
    assert_string_equal(name, "world");
  }
  flg_simulation_release(simulation);
}

static void integrators_without_contacts_are_refused(void **state) {
  (void)state;
  const char *head = "flange: 1\ntime: {end: 1}\nground: {shapes: [{kind: plane}]}\nsubsystems:\n";
  static const struct {
    const char *subsystem, *part;
    int line;
  } cases[] = {
      {"  b: {model: ball.yaml, integrator: rk4}\n",
       "contacts need 'integrator: rattle' or 'semi-implicit'", 4},
      {"  b: {model: box.urdf, integrator: rk4}\n", "'box' can touch the ground", 1},
      {"  b: {model: box.urdf, contacts: {material: ice}}\n", "no material 'ice'", 5},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char text[400];
    snprintf(text, sizeof text, "%s%s", head, cases[k].subsystem);
    assert_null(load(text));
    expect_mistake(cases[k].line, cases[k].part);
  }
}

/* what a watch sees of a ball that lands and sticks */
static void changes_are_told_once(void **state) {
  (void)state;
  flg_simulation *simulation = load(
      "flange: 1\ntime: {end: 1, macro: 0.1}\nground: {shapes: [{kind: plane, at: [0, 0, -0.1]}]}\n"
      "subsystems: {b: {model: ball.yaml, step: 1/100}}\n");
  expect_no_mistake();
  flg_touching lists[2][100];
  flg_touching_watch watch = {.before = lists[0], .now = lists[1]};
  flg_touching_event event;
  int count = 0;
  for (int k = 0; k < 10; k++) {
    flg_touching_look(&watch, simulation);
    while (flg_touching_next(&watch, &event)) {
      count++;
      assert_string_equal(event.what, "closed");
      assert_near(event.time, 0.2, 1e-12); /* sqrt(2 * 0.1 / 9.81) = 0.143 s */
    }
    assert_int_equal(flg_simulation_step(simulation, NULL), FLG_OK);
  }
  assert_int_equal(count, 1);
  flg_contact_outcome outcome;
  assert_true(flg_simulation_contacts(simulation, &outcome));
  assert_int_equal(outcome.switches, 1);
  assert_int_equal(outcome.inside_macro_step, 1);
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(shapes_have_surfaces_groups_and_names_of_points, finish),
      cmocka_unit_test_teardown(models_are_written_as_they_were_read, finish),
      cmocka_unit_test_teardown(mistakes_say_what_to_write, finish),
      cmocka_unit_test_teardown(groups_are_bits_and_run_out, finish),
      cmocka_unit_test_teardown(a_robot_stands_on_the_ground_of_the_scenario, finish),
      cmocka_unit_test_teardown(subsystems_touch_the_ground_and_not_each_other, finish),
      cmocka_unit_test_teardown(integrators_without_contacts_are_refused, finish),
      cmocka_unit_test_teardown(changes_are_told_once, finish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
