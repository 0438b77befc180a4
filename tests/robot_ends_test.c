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

/* --- at communication points --- */

static const char hinge[] =
    "flange-model: 1\nbodies: {arm: {mass: 1, centre: [0.3, 0, 0], inertia: [0.01, 0.02, 0.02]}}\n"
    "joints: {hip: {kind: revolute, child: arm, axis: [0, 1, 0], limits: {lower: -1, upper: "
    "0.05}}}\n"
    "ports: {end: {body: arm, at: [0.6, 0, 0]}}\n";
static const char crate[] =
    "flange-component: 1\nbodies: {crate: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
    "ports: {ring: {body: crate}}\n";

static flg_simulation *load_hinge(const char *macro, const char *robot, const char *scheme) {
  char scenario[500];
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: 0.2, macro: %s}\nsubsystems:\n"
           "  robot: {model: robot.yaml, step: 1/1000, %s}\n"
           "  load: {model: model.yaml, step: 1/1000, assemble: true}\n"
           "interfaces: {grip: {between: [robot/end, load/ring], joint: weld}}\n"
           "coupling: {scheme: %s}\nrecord: [grip.pose_error]\n",
           macro, robot, scheme);
  return load_three_texts(scenario, crate, hinge);
}

/* nothing moves, and no model falls: else both sides would part by 0.6 mm in the first macro step
 */
static void what_starts_on_an_end_stays_there_from_the_first_macro_step(void **state) {
  (void)state;
  static const char *const schemes[] = {"sequential", "parallel", "neighbour"};
  for (int k = 0; k < 3; k++) {
    flg_simulation *simulation = load_hinge("1/50", "initial: {hip: 0.05}", schemes[k]);
    flg_error error;
    double apart[2]; /* m, rad */
    while (!flg_simulation_ended(simulation)) {
      assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
      flg_simulation_record(simulation, apart);
      assert_near(apart[0], 0, 1e-12);
      assert_near(apart[1], 0, 1e-12);
    }
    assert_int_equal(flg_simulation_judge(simulation, &error), FLG_OK);
    flg_simulation_release(simulation);
  }
}

/* Without forces in its first macro step the load falls by 0.2 m, and pulls the arm with it when
 * both are brought together. */
static void a_joint_that_is_put_past_its_end_is_told(void **state) {
  (void)state;
  flg_error error = {0};
  flg_simulation *simulation = load_hinge("1/5", "gravity: [0, 0, 0]", "jacobi");
  assert_int_equal(run_and_judge(simulation, &error), FLG_ERR_DIVERGED);
  assert_non_null(strstr(error.message, "joint 'hip' of 'robot' past its end"));
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_starts_on_an_end_stays_there_from_the_first_macro_step),
      cmocka_unit_test(a_joint_that_is_put_past_its_end_is_told),
      cmocka_unit_test(a_load_on_light_links_hits_ends_in_every_scheme),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
