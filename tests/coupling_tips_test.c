/* Two double pendulums that stand on the ground and are pinned tip to tip: a loop through the
 * ground in one plane, in which three of the five rows of the pin are redundant. At the start the
 * lower bars are in line. */
#include "check.h"
#include "coupling_marks.h"

static const char pendulum[] =
    "flange-model: 1\nname: double pendulum\nbodies:\n"
    "  upper: {mass: 1, centre: [0.5, 0, 0], inertia: [0.0004, 0.0835, 0.0835]}\n"
    "  lower: {mass: 1, centre: [0.5, 0, 0], inertia: [0.0004, 0.0835, 0.0835]}\n"
    "joints:\n  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [1, 0, 0], axis: [0, 1, 0]}\n"
    "markers: {tip: {body: lower, at: [1, 0, 0]}}\n";
static const char scenario[] =
    "flange: 1\nname: tips\ngravity: [0, 0, -9.81]\ntime: {end: 5, macro: 1/60}\nsubsystems:\n"
    "  left: {model: pendulum.yaml, step: 1/600, integrator: semi-implicit,\n"
    "    initial: {shoulder: 90 deg, elbow: -90 deg}}\n"
    "  right: {model: pendulum.yaml, step: 1/600, integrator: semi-implicit,\n"
    "    at: [2.1736, 0, -0.01519],\n"
    "    turn: [0, 0, 180 deg], initial: {shoulder: 80 deg, elbow: -80 deg}}\n"
    "interfaces:\n"
    "  pin: {between: [left/lower, right/lower], joint: revolute, at: [1, 0, -1],\n"
    "    axis: [0, 1, 0]}\n"
    "record: [left/lower/tip.position]\ncoupling: {integrator: semi-implicit}\n";

static const char *make_tips(test_folder *folder) {
  *folder = make_folder();
  make_file(folder, "pendulum.yaml", pendulum);
  return make_file(folder, "tips.yaml", scenario);
}

/* they fall, keep their energy, and methods that share no step agree */
static void pinned_robots_fall(void **state) {
  (void)state;
  test_folder folder;
  const char *path = make_tips(&folder);
  static const char *const integrators[] = {"coupling={scheme: monolithic, integrator: rk4}",
                                            "coupling={scheme: monolithic, integrator: rattle}"};
  marked_run run[2];
  for (int k = 0; k < 2; k++) {
    run[k] = run_marked(path, (const char *[]){integrators[k], NULL});
    assert_true(run[k].diverged_at < 0);
    assert_near(run[k].energy.final, run[k].energy.initial, 1e-4);
  }
  const mark off = compare_marked(&run[1], &run[0], 0, 3);
  print_message("tips: they fall by %.3f m, rattle is off rk4 by %.1e m\n", off.amplitude, off.max);
  assert_true(off.amplitude > 0.6);
  assert_true(off.max < 1e-3);
  for (int k = 0; k < 2; k++) free(run[k].values);
  remove_folder(&folder);
}

static double error_of(const char *path, const char *macro, const char *scheme) {
  char first[OVERRIDE_TEXT], second[OVERRIDE_TEXT];
  snprintf(first, sizeof first, "time.macro=%s", macro);
  snprintf(second, sizeof second, "coupling.scheme=%s", scheme);
  marked_run run = run_marked(path, (const char *[]){first, second, NULL});
  marked_run exact = run_marked(path, (const char *[]){first, "coupling.scheme=monolithic", NULL});
  const mark off = compare_marked(&run, &exact, 0, 3);
  assert_true(run.diverged_at < 0);
  free(run.values), free(exact.values);
  return off.max;
}

static void loops_through_the_ground_hold(void **state) {
  (void)state;
  test_folder folder;
  const char *path = make_tips(&folder);
  static const char *const schemes[] = {"parallel", "sequential"};
  static const char *const macros[] = {"1/30", "1/60", "1/120", "1/600"};
  static const double bounds[] = {1.2e-2, 4e-3, 1.2e-3, 3e-4}; /* [m] */
  for (int s = 0; s < 2; s++) {
    print_message("tips, H 1/30, 1/60, 1/120, 1/600 s, %-10s:", schemes[s]);
    for (int k = 0; k < 4; k++) {
      const double error = error_of(path, macros[k], schemes[s]);
      print_message(" %.2e", error);
      assert_true(error < bounds[k]);
    }
    print_message(" m\n");
  }
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pinned_robots_fall),
      cmocka_unit_test(loops_through_the_ground_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
