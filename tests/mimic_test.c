/* Joints that follow others, in every scheme: robots with a gear of their own, joined to a load,
 * against the same robot with the load inside, which is solved in joint coordinates alone. */
#include "check.h"
#include "scenarios.h"

/* a finger of two joints, the second geared to the first, and a slide that goes with both */
#define FINGER(more)                                                                         \
  "flange-model: 1\n"                                                                        \
  "bodies:\n"                                                                                \
  "  near: {mass: 0.8, centre: [0.2, 0, 0], inertia: [0.001, 0.02, 0.02]}\n"                 \
  "  far: {mass: 0.5, centre: [0.1, 0.02, 0], inertia: [0.002, 0.01, 0.012]}\n"              \
  "  tip: {mass: 0.2, centre: [0, 0, 0.03], inertia: [0.001, 0.001, 0.001]}\n" more          \
  "joints:\n"                                                                                \
  "  knuckle: {kind: revolute, child: near, axis: [0, 1, 0.3], damping: 0.05}\n"             \
  "  bend: {kind: revolute, parent: near, child: far, at: [0.4, 0, 0], axis: [0.2, 1, 0],\n" \
  "    mimic: {joint: knuckle, multiplier: -1.5, offset: 0.2}}\n"                            \
  "  slide: {kind: prismatic, parent: far, child: tip, at: [0.2, 0, 0], axis: [1, 0, 0],\n"  \
  "    mimic: {joint: knuckle, multiplier: 0.1, offset: 0}}\n"

static const char finger[] = FINGER("") "ports: {end: {body: tip, at: [0.05, 0, 0]}}\n";
static const char loaded[] =
    FINGER("  crate: {mass: 2, inertia: [0.01, 0.02, 0.03], centre: [0.1, 0.05, 0]}\n")
    "  grip: {kind: fixed, parent: tip, child: crate, at: [0.05, 0, 0]}\n";
static const char load[] =
    "flange-component: 1\nbodies: {crate: {mass: 2, inertia: [0.01, 0.02, 0.03], "
    "centre: [0.1, 0.05, 0]}}\nports: {ring: {body: crate}}\n";

#define RUN(macro) "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 0.4, macro: " macro "}\n"
#define START      "initial: {knuckle: 0.3}, initial_velocity: {knuckle: 1}"
#define JOINED(scheme, macro, integrator)                                   \
  RUN(macro)                                                                \
  "subsystems:\n  arm: {model: robot.yaml, step: 1/2000, " START integrator \
  "}\n"                                                                     \
  "  load: {model: model.yaml, step: 1/2000, assemble: true}\n"             \
  "interfaces: {grip: {between: [arm/end, load/ring], joint: weld}}\n"      \
  "coupling: {scheme: " scheme                                              \
  "}\n"                                                                     \
  "record: [load/crate.position, load/crate.velocity, arm/knuckle.position, arm/bend.position]\n"

static void final_joined(const char *scenario, double values[8]) {
  flg_simulation *simulation = load_three_texts(scenario, load, finger);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

static void final_alone(double values[8]) {
  flg_simulation *simulation = load_three_texts(
      RUN("1/100") "subsystems: {arm: {model: robot.yaml, step: 1/20000, integrator: rk4, " START
                   "}}\nrecord: [arm/crate.position, arm/crate.velocity, arm/knuckle.position, "
                   "arm/bend.position]\n",
      NULL, loaded);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

/* bounds: about five times what is measured */
static void a_geared_robot_carries_a_load_in_every_scheme(void **state) {
  (void)state;
  static const struct {
    const char *name, *scenario;
    double bound;
  } cases[] = {
      {"monolithic", JOINED("monolithic", "1/100", ""), 7e-6},
      {"monolithic rk4", JOINED("monolithic", "1/100", ", integrator: rk4"), 4e-12},
      {"sequential", JOINED("sequential", "1/100", ""), 1.5e-4},
      {"parallel", JOINED("parallel", "1/100", ""), 1.5e-4},
      {"sequential, H = h", JOINED("sequential", "1/2000", ""), 7e-6},
      {"parallel, H = h", JOINED("parallel", "1/2000", ""), 7e-6},
  };
  double expected[8], found[8];
  final_alone(expected);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    final_joined(cases[k].scenario, found);
    const double off = max_difference(found, expected, 8);
    print_message("%s: %.3g\n", cases[k].name, off);
    assert_true(off < cases[k].bound);
    assert_near(found[7], -1.5 * found[6] + 0.2, 1e-12); /* the gear */
  }
}

/* a torque on a joint that follows, by the gear: multiplier times as much on the one that leads */
static void controllers_on_a_follower_act_through_its_gear(void **state) {
  (void)state;
  static const char *const drives[][2] = {
      {"bend", "[{at: 0, position: [0.4]}, {at: 1, position: [-0.1]}], stiffness: 3, damping: 1"},
      {"knuckle",
       /* (q - 0.2) / -1.5, stiffness and damping times 1.5^2 */
       "[{at: 0, position: [-0.13333333333333333]}, {at: 1, position: [0.2]}], stiffness: 6.75, "
       "damping: 2.25"}};
  double found[2][8];
  for (int k = 0; k < 2; k++) {
    char scenario[700];
    snprintf(scenario, sizeof scenario,
             RUN("1/100") "subsystems: {arm: {model: robot.yaml, step: 1/2000, " START
                          ", controllers: {c: {kind: pd, joints: [%s], points: %s}}}}\nrecord: "
                          "[arm/crate.position, arm/crate.velocity, arm/knuckle.position, "
                          "arm/bend.position]\n",
             drives[k][0], drives[k][1]);
    flg_simulation *simulation = load_three_texts(scenario, NULL, loaded);
    run_to_end(simulation);
    flg_simulation_record(simulation, found[k]);
    flg_simulation_release(simulation);
  }
  assert_true(max_difference(found[0], found[1], 8) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_geared_robot_carries_a_load_in_every_scheme),
      cmocka_unit_test(controllers_on_a_follower_act_through_its_gear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
