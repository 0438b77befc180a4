/* Joints of a robot that rest on their end, while a load hangs on it that is modelled apart. */
#include <math.h>

#include "check.h"
#include "coupling_marks.h"

static const char arm[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  link: {mass: 1, centre: [0.3, 0, 0], inertia: [0.01, 0.03, 0.03]}\n"
    "  tip: {}\n"
    "joints:\n"
    "  hinge: {kind: revolute, child: link, axis: [0, 1, 0], at: [0, 0, 1],\n"
    "          limits: {lower: -1, upper: 0.7}}\n"
    "  end: {kind: fixed, parent: link, child: tip, at: [0.6, 0, 0]}\n";
static const char load[] =
    "flange-component: 1\n"
    "bodies: {mass: {mass: 2, inertia: [0.01, 0.01, 0.01], at: [0.6, 0, 1]}}\n"
    "ports: {grip: {body: mass}}\n";
static const char scenario[] =
    "flange: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {end: 2, macro: 1/100}\n"
    "subsystems:\n"
    "  arm: {model: arm.yaml, step: 1/500, integrator: semi-implicit}\n"
    "  load: {model: load.yaml, step: 1/500, integrator: semi-implicit}\n"
    "interfaces: {wrist: {between: [arm/tip, load/grip], joint: weld}}\n"
    "record: [arm/hinge.position, arm/hinge.velocity, load/mass.position]\n";

static marked_run fall_with(const char *coupling) {
  test_folder folder = make_folder();
  char override[OVERRIDE_TEXT];
  snprintf(override, sizeof override, "coupling.scheme=%s", coupling);
  make_file(&folder, "arm.yaml", arm);
  make_file(&folder, "load.yaml", load);
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  marked_run run = run_marked(path, (const char *[]){override, NULL});
  remove_folder(&folder);
  assert_true(run.diverged_at < 0);
  return run;
}

static void a_load_comes_to_rest_where_the_joint_ends(void **state) {
  (void)state;
  static const char *const couplings[] = {"parallel", "sequential"};
  marked_run whole = fall_with("monolithic");
  const double *there = whole.values + (size_t)(whole.rows - 1) * (size_t)whole.width;
  assert_near(there[0], 0.7, 1e-6);
  for (int k = 0; k < 2; k++) {
    marked_run run = fall_with(couplings[k]);
    const double *end = run.values + (size_t)(run.rows - 1) * (size_t)run.width;
    print_message("%s: %.9f rad, %.1e rad/s\n", couplings[k], end[0], end[1]);
    assert_near(end[0], 0.7, 1e-13);
    assert_near(end[1], 0, 1e-12);
    for (int i = 2; i < 5; i++) assert_near(end[i], there[i], 5e-7);
    free(run.values);
  }
  free(whole.values);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_load_comes_to_rest_where_the_joint_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
