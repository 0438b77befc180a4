/* Ends of joints between light links that carry a load: co-simulated, the robot hits them, leaves
 * them and rests on them as if it were solved as one with its load. */
#include "check.h"
#include "scenarios.h"

/* the last links have a tenth of the mass of the load, and less of its inertia */
static const char arm[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  upper: {mass: 5, centre: [0.3, 0, 0], inertia: [0.02, 0.2, 0.2]}\n"
    "  lower: {mass: 2, centre: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05]}\n"
    "  wrist: {mass: 0.05, centre: [0.02, 0, 0], inertia: [2e-5, 2e-5, 2e-5]}\n"
    "  disc: {mass: 0.02, centre: [0.01, 0, 0], inertia: [2e-6, 1e-6, 1e-6]}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [0.6, 0, 0], axis: [0, 1, 0.1]}\n"
    "  bend: {kind: revolute, parent: lower, child: wrist, at: [0.4, 0, 0], axis: [0, 0.3, 1],\n"
    "    limits: {lower: -0.4, upper: 0.5}}\n"
    "  roll: {kind: revolute, parent: wrist, child: disc, at: [0.05, 0, 0], axis: [1, 0, 0]}\n"
    "ports: {end: {body: disc, at: [0.05, 0, 0]}}\n";
static const char load[] =
    "flange-component: 1\nbodies: {crate: {mass: 1, inertia: [0.01, 0.01, 0.01], centre: [0.02, "
    "0.03, 0]}}\nports: {ring: {body: crate}}\n";

#define SCENARIO                                                                      \
  "flange: 1\ntime: {end: 0.2, macro: %s}\n"                                          \
  "subsystems:\n"                                                                     \
  "  arm: {model: robot.yaml, step: 1/1000, initial_velocity: {bend: %s, roll: 9}}\n" \
  "  load: {model: model.yaml, step: 1/1000, assemble: true}\n"                       \
  "interfaces: {grip: {between: [arm/end, load/ring], joint: weld}}\n"                \
  "coupling: {scheme: %s}\nrecord: [load/crate.position, arm/bend.position]\n"

static double run(const char *scheme, const char *macro, const char *speed, double *values) {
  char scenario[800];
  snprintf(scenario, sizeof scenario, SCENARIO, macro, speed, scheme);
  flg_simulation *simulation = load_three_texts(scenario, load, arm);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  const flg_energy energy = flg_simulation_energy(simulation);
  flg_simulation_release(simulation);
  return energy.most - energy.initial;
}

/* hits take energy, and ends give none; where it is then is where it would be solved as one */
static void a_load_on_light_links_hits_ends_in_every_scheme(void **state) {
  (void)state;
  static const char *const schemes[] = {"sequential", "parallel"}, *const speeds[] = {"15", "-12"};
  for (int k = 0; k < 4; k++) {
    double expected[4], found[4];
    run("monolithic", "1/1000", speeds[k / 2], expected);
    static const char *const macros[] = {"1/1000", "1/200", "1/100"};
    /* about twice what is measured; with ends held as they were it is off by 0.13 and 0.016 */
    static const double bounds[2][3] = {{5e-4, 0.1, 0.1}, {5e-4, 1e-3, 0.01}};
    for (int m = 0; m < 3; m++) {
      const double grown = run(schemes[k % 2], macros[m], speeds[k / 2], found);
      const double off = max_difference(found, expected, 4);
      print_message("%s, bend at %s rad/s, macro step %s s: off by %.3g, energy grows by %.3g J\n",
                    schemes[k % 2], speeds[k / 2], macros[m], off, grown);
      assert_true(off < bounds[k / 2][m]);
      assert_true(grown < 0.1);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_load_on_light_links_hits_ends_in_every_scheme),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
