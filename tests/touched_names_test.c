/* What can touch has the name of its body, and of the robot that the body belongs to. */
#include "check.h"
#include "scenarios.h"

static const char scene[] =
    "flange-component: 1\nbodies: {box: {mass: 1, inertia: [1, 1, 1], at: [3, 0, 1],\n"
    "  shapes: [{kind: sphere, name: skin, size: [0.1], friction: 0.3}]}}\n"
    "robots: {first: {model: robot.yaml}, second: {model: robot.yaml, at: [1, 0, 0]}}\n"
    "shapes: [{kind: plane, name: floor, friction: 0.3}]\n";
static const char arm[] =
    "flange-model: 1\nbodies:\n"
    "  upper: {mass: 1, inertia: [1, 1, 1]}\n"
    "  lower: {mass: 1, inertia: [1, 1, 1],\n"
    "    shapes: [{kind: sphere, name: tip, size: [0.1], friction: 0.3}]}\n"
    "joints:\n  a: {kind: revolute, child: upper, at: [0, 0, 1], axis: [0, 1, 0]}\n"
    "  b: {kind: revolute, parent: upper, child: lower, at: [0, 0, 1], axis: [0, 1, 0]}\n";

static void shapes_have_the_names_of_their_bodies(void **state) {
  (void)state;
  flg_simulation *simulation = load_three_texts(
      "flange: 1\ntime: {end: 0.1, macro: 0.01}\nsubsystems: {s: {model: model.yaml}}\n", scene,
      arm);
  const flg_subsystem *subsystem = &simulation->subsystems[0];
  static const char *const robots[] = {"first", "second"};
  int found = 0, own = 0;
  for (int k = 0; k < flg_touched_count(subsystem); k++) {
    const flg_touched on = subsystem->ops->touched(subsystem->self, k);
    own += strcmp(on.body, "box") == 0 && on.robot == NULL;
    if (strcmp(on.body, "lower") != 0) continue;
    assert_true(found < 2);
    assert_string_equal(on.robot, robots[found++]);
  }
  assert_int_equal(found, 2);
  assert_int_equal(own, 1);
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_have_the_names_of_their_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
