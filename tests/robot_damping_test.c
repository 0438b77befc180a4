/* Joints of robots whose damping stops in less than a step what they move: a light drum on a rod
 * that carries a load, solved as one. */
#include "cosim/simulation.h"
#include "math/larger.h"
#include "scenarios.h"

/* a drum of 1e-6 kg m^2 whose bearing has 1 N m s/rad: a step of 1 ms is a thousand times too long
 */
static const char ROBOT[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  rod: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.08, 0.08]}\n"
    "  drum: {mass: 0.1, centre: [0, 0.01, 0], inertia: [1e-6, 1e-6, 1e-6]}\n"
    "joints:\n"
    "  pivot: {kind: revolute, parent: world, child: rod, axis: [0, 1, 0], damping: 0.1}\n"
    "  bearing: {kind: revolute, parent: rod, child: drum, at: [1, 0, 0], axis: [1, 0, 0], "
    "damping: "
    "1}\n";
static const char LOAD[] =
    "flange-component: 1\n"
    "bodies: {crate: {mass: 2, inertia: [0.02, 0.02, 0.02]}}\n"
    "ports: {ring: {body: crate}}\n";
static const char SCENARIO[] =
    "flange: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {end: 1, macro: 1/100}\n"
    "subsystems:\n"
    "  robot: {model: robot.yaml, step: 1/%d, initial_velocity: {bearing: %g}}\n"
    "  load: {model: load.yaml, step: 1/%d, assemble: true}\n"
    "interfaces: {grip: {between: [robot/rod, load/ring], joint: weld, at: [1, 0, 0]}}\n"
    "coupling: {scheme: monolithic, integrator: %s}\n"
    "record: [robot/pivot.position, robot/bearing.position]\n";

/* both angles at the end; energy does not grow on the way */
static void swing(const char *integrator, int steps, double rate, double angles[2]) {
  test_folder folder = make_folder();
  char scenario[1000];
  snprintf(scenario, sizeof scenario, SCENARIO, steps, rate, steps, integrator);
  make_file(&folder, "robot.yaml", ROBOT), make_file(&folder, "load.yaml", LOAD);
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  flg_simulation *simulation = NULL;
  flg_mistakes mistakes = {0};
  flg_error error = {0};
  if (flg_simulation_load(&simulation, path, NULL, 0, &mistakes) != FLG_OK)
    fail_msg("%s", mistakes.list[0].message);
  const double start = flg_simulation_energy(simulation).initial;
  while (!flg_simulation_ended(simulation)) {
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
    assert_true(flg_simulation_energy(simulation).final <= start + 1e-3);
  }
  flg_simulation_record(simulation, angles);
  flg_simulation_release(simulation);
  remove_folder(&folder);
}

static void what_stops_in_less_than_a_step_is_not_thrown_back(void **state) {
  (void)state;
  static const char *const integrators[] = {"rattle", "semi-implicit"};
  for (int k = 0; k < 2; k++) {
    for (int moving = 0; moving < 2; moving++) {
      double coarse[2], fine[2];
      swing(integrators[k], 1000, 20 * moving, coarse);
      swing(integrators[k], 16000, 20 * moving, fine);
      printf("%s: pivot %.6f and %.6f, bearing %.6f and %.6f rad\n", integrators[k], coarse[0],
             fine[0], coarse[1], fine[1]);
      assert_near(coarse[0], fine[0], 5e-3);
      assert_near(coarse[1], fine[1], 0.03);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_stops_in_less_than_a_step_is_not_thrown_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
