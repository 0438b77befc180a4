/* Friction, stops and teeth of gears in files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "component_read.h"
#include "text/yaml.h"

static flg_mistakes mistakes;
static flg_region region;
static flg_component component;

static void read_joints(const char *joints) {
  char text[2000];
  snprintf(text, sizeof text,
           "flange-component: 1\n"
           "bodies:\n"
           "  rod: {mass: 1, inertia: [1, 1, 1]}\n"
           "  disc: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}\n"
           "joints: {r: {kind: revolute, between: [world, rod]},\n"
           "         d: {kind: revolute, between: [world, disc]},\n"
           "         p: {kind: prismatic, between: [rod, disc]},\n"
           "         %s}\n",
           joints);
  flg_region_release(&region);
  mistakes = (flg_mistakes){0};
  const flg_component_use use = {.path = "text.yaml", .pose = flg_pose_identity()};
  flg_node *root = flg_yaml_parse(&region, "text.yaml", text, strlen(text), &mistakes);
  assert_non_null(root);
  component_read(&component, &use, root, &region, &mistakes);
}

static void read_well(const char *joints) {
  read_joints(joints);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
}

static void expect(const char *joints, const char *message) {
  read_joints(joints);
  if (mistakes.count == 1 && strstr(mistakes.list[0].message, message) != NULL) return;
  for (int k = 0; k < mistakes.count; k++) print_error("%s\n", mistakes.list[k].message);
  fail_msg("expected: %s", message);
}

static void joints_have_friction(void **state) {
  (void)state;
  read_well("a: {kind: revolute, between: [rod, disc], friction: {coulomb: 2}}");
  assert_int_equal(component.friction_count, 1);
  const flg_component_friction *friction = &component.frictions[0];
  assert_string_equal(friction->name, "a");
  assert_int_equal(friction->coordinate, component.joints[3].coordinate[0]);
  assert_int_equal(friction->carrier, FLG_CARRIER_NONE);
  assert_near(friction->coulomb, 2, 0);
  assert_near(friction->stiction, 2, 0);
  assert_near(friction->stribeck, 0, 0);
  assert_near(friction->viscous, 0, 0);
  read_well(
      "a: {kind: revolute, between: [rod, disc], friction: {coulomb: 1, stiction: 3, stribeck: "
      "0.1, viscous: 4}}");
  assert_near(component.frictions[0].stiction, 3, 0);
  assert_near(component.frictions[0].stribeck, 0.1, 0);
  assert_near(component.frictions[0].viscous, 4, 0);
  read_well("a: {kind: revolute, between: [rod, disc], friction: {coulomb: 0}}");
  assert_int_equal(component.friction_count, 0);
}

static void joints_have_stops(void **state) {
  (void)state;
  read_well("a: {kind: revolute, between: [rod, disc], stops: {lower: -10 deg, restitution: 0.5}}");
  assert_int_equal(component.stop_count, 1);
  const flg_component_stop *stop = &component.stops[0];
  assert_string_equal(stop->name, "a");
  assert_near(stop->lower, -0.17453292519943295, 1e-16);
  assert_true(isinf(stop->upper) && stop->upper > 0);
  assert_near(stop->restitution, 0.5, 0);
}

static void gears_have_teeth(void **state) {
  (void)state;
  read_well("g: {kind: gear, drive: r, driven: d, ratio: 4, backlash: 0.1, restitution: 0.2}");
  assert_int_equal(component.joint_count, 3);
  assert_int_equal(component.stop_count, 1);
  const flg_component_coordinate *sum = &component.coordinates[component.stops[0].coordinate];
  assert_int_equal(sum->kind, FLG_COORDINATE_SUM);
  assert_string_equal(sum->name, "g");
  assert_int_equal(sum->of[0], component.joints[0].coordinate[0]);
  assert_int_equal(sum->of[1], component.joints[1].coordinate[0]);
  assert_near(sum->factor[0], 1, 0);
  assert_near(sum->factor[1], -4, 0);
  assert_near(component.stops[0].lower, -0.05, 0);
  assert_near(component.stops[0].upper, 0.05, 0);
  assert_near(component.stops[0].restitution, 0.2, 0);
}

static void gears_may_be_springs(void **state) {
  (void)state;
  read_well(
      "g: {kind: rack, drive: r, driven: p, radius: 0.1, stiffness: 100, damping: 2, backlash: "
      "0.02, efficiency: 0.9, implicit: true}");
  assert_int_equal(component.joint_count, 3);
  assert_int_equal(component.stop_count, 0);
  assert_int_equal(component.spring_count, 1);
  const flg_component_spring *spring = &component.springs[0];
  assert_near(spring->stiffness, 100, 0);
  assert_near(spring->damping, 2, 0);
  assert_near(spring->slack, 0.01, 0);
  assert_true(spring->implicit);
  assert_int_equal(component.friction_count, 1);
  assert_int_equal(component.frictions[0].carrier, FLG_CARRIER_SPRING);
  assert_int_equal(component.frictions[0].coordinate, component.joints[0].coordinate[0]);
  assert_near(component.frictions[0].efficiency, 0.9, 0);
}

static void gears_have_losses(void **state) {
  (void)state;
  read_well("g: {kind: gear, drive: r, driven: d, ratio: 4, efficiency: 0.7, backlash: 0}");
  assert_int_equal(component.joint_count, 4);
  assert_int_equal(component.friction_count, 1);
  assert_int_equal(component.frictions[0].carrier, FLG_CARRIER_JOINT);
  assert_int_equal(component.frictions[0].carrier_index, 3);
  read_well("g: {kind: gear, drive: r, driven: d, ratio: 4, efficiency: 1}");
  assert_int_equal(component.friction_count, 0);
  read_well("g: {kind: gear, drive: r, driven: d, ratio: 4, efficiency: 0.7, backlash: 0.1}");
  assert_int_equal(component.frictions[0].carrier, FLG_CARRIER_STOP);
}

static void mistakes_are_told(void **state) {
  (void)state;
  expect("a: {kind: spherical, between: [rod, disc], friction: {coulomb: 1}}",
         "key 'friction' is not for the kind spherical");
  expect("a: {kind: cylindrical, between: [rod, disc], stops: {lower: 1}}",
         "key 'stops' is not for the kind cylindrical");
  expect("a: {kind: revolute, between: [rod, disc], backlash: 1}",
         "key 'backlash' is not for the kind revolute");
  expect("a: {kind: revolute, between: [rod, disc], efficiency: 0.5}",
         "key 'efficiency' is not for the kind revolute");
  expect("a: {kind: gear, drive: r, driven: d, ratio: 2, friction: {coulomb: 1}}",
         "key 'friction' is not for the kind gear");
  expect("a: {kind: gear, drive: r, driven: d, ratio: 2, damping: 1}",
         "key 'damping' needs 'stiffness'");
  expect("a: {kind: gear, drive: r, driven: d, ratio: 2, stiffness: 1, restitution: 0.5}",
         "key 'restitution' is for a 'backlash' without 'stiffness'");
  expect("a: {kind: gear, drive: r, driven: d, ratio: 2, efficiency: 0}", "'0' is out of range");
  expect("a: {kind: revolute, between: [rod, disc], friction: {coulomb: 2, stiction: 1}}",
         "the stiction of friction 'a' is 1, but must be at least the Coulomb effort");
  expect("a: {kind: revolute, between: [rod, disc], stops: {lower: 2, upper: 1}}",
         "stop 'a' is from 2 to 1, but its lower end must be less");
  expect("a: {kind: revolute, between: [rod, disc], friction: {column: 2}}", "has no key 'column'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_have_friction), cmocka_unit_test(joints_have_stops),
      cmocka_unit_test(gears_have_teeth),     cmocka_unit_test(gears_may_be_springs),
      cmocka_unit_test(gears_have_losses),    cmocka_unit_test(mistakes_are_told),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  flg_region_release(&region);
  return failed;
}
