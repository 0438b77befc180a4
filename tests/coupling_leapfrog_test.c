/* Fast arms whose last link is far lighter than what is welded to it: the forces that the load asks
 * for must be those of where leapfrog applies them, the middle of the step. */
#include "check.h"
#include "coupling_marks.h"
#include "files.h"

static const char arm[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  upper: {mass: 2, centre: [0, 0, -0.2], inertia: [0.03, 0.03, 0.005]}\n"
    "  lower: {mass: 1, centre: [0, 0, -0.2], inertia: [0.015, 0.015, 0.003]}\n"
    "  wrist: {mass: 0.005, centre: [0, 0, -0.03], inertia: [2e-6, 2e-6, 2e-6]}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [0, 0, -0.4], axis: [1, 0, 0]}\n"
    "  turn: {kind: revolute, parent: lower, child: wrist, at: [0, 0, -0.4], axis: [0, 1, 0]}\n"
    "ports: {tool: {body: wrist, at: [0, 0, -0.06]}}\n";

static const char load[] =
    "flange-component: 1\n"
    "bodies: {crate: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
    "ports: {ring: {body: crate}}\n";

static const char scenario[] =
    "flange: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {end: 1, macro: 1/100}\n"
    "subsystems:\n"
    "  robot: {model: arm.yaml, step: 1/1000, integrator: leapfrog,\n"
    "    initial: {shoulder: 1.2, elbow: 0.7, turn: 0.5}}\n"
    "  load: {model: load.yaml, step: 1/1000, assemble: true}\n"
    "interfaces: {grip: {between: [robot/tool, load/ring], joint: weld}}\n"
    "record: [load/crate.position]\n";

static marked_run run_arm(const char *path, const char *speeds, const char *scheme,
                          const char *macro) {
  char first[OVERRIDE_TEXT], second[OVERRIDE_TEXT], third[OVERRIDE_TEXT];
  snprintf(first, sizeof first, "subsystems.robot.initial_velocity=%s", speeds);
  snprintf(second, sizeof second, "coupling.scheme=%s", scheme);
  snprintf(third, sizeof third, "time.macro=%s", macro);
  return run_marked(path, (const char *[]){first, second, third, NULL});
}

/* the farthest that the load is from where it is when all is solved as one [m] */
static double error_of(const char *path, const char *speeds, const char *scheme,
                       const char *macro) {
  marked_run run = run_arm(path, speeds, scheme, macro);
  marked_run exact = run_arm(path, speeds, "monolithic", macro);
  assert_true(run.diverged_at < 0 && exact.diverged_at < 0);
  const double error = compare_marked(&run, &exact, 0, 3).max;
  print_message("%s, %s, H = %s s: %.2e m\n", speeds, scheme, macro, error);
  free(run.values);
  free(exact.values);
  return error;
}

static void light_wrists_carry_heavy_loads(void **state) {
  (void)state;
  static const struct {
    const char *speeds;
    double most[2]; /* [m] at H = 1/100 and 1/200 s, half more than measured */
  } cases[] = {{"{shoulder: 6, elbow: 8, turn: 30}", {1.4e-3, 5.3e-4}},
               {"{shoulder: 10, elbow: 15, turn: 50}", {8.3e-3, 3.7e-3}},
               {"{shoulder: 15, elbow: 20, turn: 80}", {4.8e-2, 2.4e-2}}};
  static const char *const macros[] = {"1/100", "1/200"}, *const schemes[] = {"sequential",
                                                                              "parallel"};
  test_folder folder = make_folder();
  make_file(&folder, "arm.yaml", arm);
  make_file(&folder, "load.yaml", load);
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 4; i++) {
      const double error = error_of(path, cases[k].speeds, schemes[i / 2], macros[i % 2]);
      assert_true(error < cases[k].most[i % 2]);
    }
  }
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(light_wrists_carry_heavy_loads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
