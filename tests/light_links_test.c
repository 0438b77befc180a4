/* Links that hardly have inertia, held by the damping of their joints: when a heavy joint before
 * them meets its end, they are thrown as far as damping lets them, however their robot is joined to
 * others. */
#include <math.h>

#include "scenarios.h"

/* a head whose mass is a point: about the line to it nothing but damping resists */
static const char robot[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  arm: {mass: 5, centre: [0.3, 0, 0], inertia: [0.1, 0.2, 0.2]}\n"
    "  neck: {mass: 0.1, inertia: [1e-9, 1e-9, 1e-9]}\n"
    "  nape: {mass: 0.1, inertia: [1e-9, 1e-9, 1e-9]}\n"
    "  head: {mass: 1.3, centre: [0.02, 0.01, 0.11], inertia: [1e-9, 1e-9, 1e-9]}\n"
    "joints:\n"
    "  hip: {kind: revolute, child: arm, axis: [0, 1, 0], limits: {lower: -1, upper: 0.6}}\n"
    "  pitch: {kind: revolute, parent: arm, child: neck, at: [0.8, 0, 0.1], axis: [0, 1, 0],\n"
    "    damping: 1, limits: {lower: -0.9, upper: 0.9}}\n"
    "  roll: {kind: revolute, parent: neck, child: nape, at: [0.01, 0, 0], axis: [1, 0, 0],\n"
    "    damping: 1, limits: {lower: -0.9, upper: 0.9}}\n"
    "  yaw: {kind: revolute, parent: nape, child: head, axis: [0, 0, 1], damping: 1,\n"
    "    limits: {lower: -0.9, upper: 0.9}}\n";

static const char load[] =
    "flange-component: 1\nbodies: {crate: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
    "ports: {ring: {body: crate}}\n";

static void run_with(const char *scheme, const char *integrator, int steps, int macro_steps,
                     double values[4]) {
  char scenario[700];
  flg_error error = {0};
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: 0.6, macro: 1/%d}\nsubsystems:\n"
           "  robot: {model: robot.yaml, step: 1/%d, integrator: %s}\n"
           "  load: {model: model.yaml, step: 1/%d, assemble: true}\n"
           "interfaces: {grip: {between: [robot/arm, load/ring], joint: weld}}\n"
           "coupling: {scheme: %s}\n"
           "record: [robot/hip.position, robot/pitch.position, robot/roll.position,\n"
           "  robot/yaw.position]\n",
           macro_steps, steps, integrator, steps, scheme);
  flg_simulation *simulation = load_three_texts(scenario, load, robot);
  if (run_and_judge(simulation, &error) != FLG_OK) fail_msg("%s: %s", scheme, error.message);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

static void run(const char *scheme, const char *integrator, int steps, double values[4]) {
  run_with(scheme, integrator, steps, 100, values);
}

static void light_links_are_thrown_as_damping_lets_them(void **state) {
  (void)state;
  double exact[4], values[4];
  run("sequential", "semi-implicit", 8000, exact);
  static const char *const schemes[] = {"sequential", "parallel"};
  for (int k = 0; k < 4; k++) {
    run(schemes[k % 2], "leapfrog", k < 2 ? 1000 : 2000, values);
    for (int i = 0; i < 3; i++) assert_near(values[i], exact[i], 2e-3);
  }
}

/* What is given back at communication points belongs to the macro step before: without the dampers,
 * which had that long to resist, light links would turn by 4e-4 rad at H = 1/100 s. */
static void dampers_resist_what_is_given_back(void **state) {
  (void)state;
  double fine[4], coarse[4];
  static const char *const schemes[] = {"sequential", "parallel", "neighbour"};
  for (int k = 0; k < 3; k++) {
    run_with(schemes[k], "leapfrog", 1000, 1000, fine);
    run_with(schemes[k], "leapfrog", 1000, 50, coarse);
    for (int i = 0; i < 4; i++) assert_near(coarse[i], fine[i], 1e-5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(light_links_are_thrown_as_damping_lets_them),
      cmocka_unit_test(dampers_resist_what_is_given_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
