/* Robots whose base floats, and rotors in their joints: closed forms, and every scheme against the
 * same robot with all its loads inside, in joint coordinates. */
#include "check.h"
#include "scenarios.h"

#define BODIES                                                               \
  "flange-model: 1\n"                                                        \
  "bodies:\n"                                                                \
  "  hull: {mass: 8, centre: [0.1, 0, 0.2], inertia: [0.9, 1.1, 0.7]}\n"     \
  "  upper: {mass: 1.5, centre: [0.4, 0, 0], inertia: [0.01, 0.08, 0.09]}\n" \
  "  lower: {mass: 0.7, centre: [0.3, 0.02, 0], inertia: [0.014, 0.05, 0.06]}\n"
#define JOINTS(rotors)                                                                             \
  "joints:\n"                                                                                      \
  "  mount: {kind: fixed, child: hull, at: [0.2, 0, 0.5], turn: [0.4, 0, 0.3]}\n"                  \
  "  shoulder: {kind: revolute, parent: hull, child: upper, at: [0.3, 0, 0],\n"                    \
  "    axis: [0, 1, 0.2]" rotors                                                                   \
  "}\n"                                                                                            \
  "  elbow: {kind: revolute, parent: upper, child: lower, at: [0.8, 0, 0], axis: [0, 1, 0]" rotors \
  "}\n"
#define ROTORS ", armature: 0.35"

static const char arm[] =
    BODIES JOINTS("") "ports: {end: {body: lower, at: [0.6, 0, 0]}}\n"
                      "configurations: {home: {shoulder: 0.5, elbow: -0.9}}\n";
static const char driven_arm[] =
    BODIES JOINTS(ROTORS) "ports: {end: {body: lower, at: [0.6, 0, 0]}}\n"
                          "configurations: {home: {shoulder: 0.5, elbow: -0.9}}\n";
#define CRATE "{mass: 2, inertia: [0.03, 0.02, 0.04], centre: [0.1, 0.05, 0]}"
#define LOADED(rotors) \
  BODIES "  crate: " CRATE "\n" JOINTS(rotors)                             \
      "  grip: {kind: fixed, parent: lower, child: crate, at: [0.6, 0, 0]}\n" \
      "configurations: {home: {shoulder: 0.5, elbow: -0.9}}\n"
static const char load[] =
    "flange-component: 1\nbodies: {crate: " CRATE "}\nports: {ring: {body: crate}}\n";

#define RUN(gravity, macro) "flange: 1\ngravity: " gravity "\ntime: {end: 0.5, macro: " macro "}\n"
#define DOWN                "[0, 0, -9.81]"
#define NOWHERE             "[0, 0, 0]"
#define START                                                              \
  "base: floating, at: [1, 2, 3], turn: [0.2, -0.5, 0.7], initial: home, " \
  "velocity: [0.4, -0.2, 1], angular_velocity: [0.3, 0.5, -0.8], "         \
  "initial_velocity: {shoulder: 1, elbow: -2}"

static void final_of(const char *scenario, const char *model, const char *robot, double *values) {
  flg_simulation *simulation = load_three_texts(scenario, model, robot);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

/* --- a base that floats ------------------------------------------------------------------------
 */

/* at rest in itself it falls as one, from where it was put */
static void a_floating_robot_falls_freely(void **state) {
  (void)state;
  static const char *const integrators[] = {"leapfrog", "semi-implicit", "rk4", "adaptive"};
  for (size_t k = 0; k < sizeof integrators / sizeof integrators[0]; k++) {
    char scenario[600];
    snprintf(scenario, sizeof scenario,
             RUN(DOWN, "1/100") "subsystems: {arm: {model: robot.yaml, base: floating, "
                                "integrator: %s, step: 1/1000,\n"
                                "  at: [1, 2, 3], velocity: [0.5, 0, 2]}}\n"
                                "record: [arm/hull.position, arm/hull.velocity, arm/elbow.position]"
                                "\n",
             integrators[k]);
    double found[7];
    final_of(scenario, NULL, arm, found);
    /* semi-implicit Euler falls with the velocities of the ends of steps */
    const double late = k == 1 ? 9.81 * 0.5 * 0.5e-3 : 0;
    const double fallen = 3.5 + 2 * 0.5 - 0.5 * 9.81 * 0.25 - late;
    const double expected[7] = {1.2 + 0.25, 2, fallen, 0.5, 0, 2 - 9.81 * 0.5, 0};
    assert_near(max_difference(found, expected, 7), 0, 1e-11);
  }
}

/* velocities are given in the model's axes, which `turn` turns */
static void it_starts_as_it_is_told(void **state) {
  (void)state;
  double found[12];
  flg_simulation *simulation = load_three_texts(
      RUN(NOWHERE, "1/100") "subsystems: {arm: {model: robot.yaml, base: floating, at: [1, 2, 3],\n"
                            "  turn: [0, 0, 90 deg], velocity: [1, 0, 3], angular_velocity: [0, 2, "
                            "0], initial: home}}\n"
                            "record: [arm/hull.position, arm/hull.velocity, "
                            "arm/hull.angular_velocity, arm/shoulder.position, "
                            "arm/elbow.position]\n",
      NULL, arm);
  flg_simulation_record(simulation, found);
  const double expected[11] = {1, 2.2, 3.5, 0, 1, 3, -2, 0, 0, 0.5, -0.9};
  assert_near(max_difference(found, expected, 11), 0, 1e-14);
  flg_simulation_release(simulation);
}

static void it_keeps_its_momentum(void **state) {
  (void)state;
  static const char *const robots[] = {arm, driven_arm};
  for (int k = 0; k < 2; k++) {
    flg_simulation *simulation = load_three_texts(
        RUN(NOWHERE,
            "1/10") "subsystems: {arm: {model: robot.yaml, step: 1/2000, integrator: rk4, " START
                    "}}\nrecord: [arm/momentum.linear, arm/momentum.angular, arm/energy]\n",
        NULL, robots[k]);
    double before[7], after[7];
    flg_simulation_record(simulation, before);
    run_to_end(simulation);
    flg_simulation_record(simulation, after);
    assert_near(max_difference(after, before, 7), 0, 2e-11);
    flg_simulation_release(simulation);
  }
}

/* the same three bodies in absolute coordinates, joined by joints */
static void it_moves_as_the_same_bodies_of_a_component(void **state) {
  (void)state;
  static const char bodies[] =
      "flange-component: 1\n"
      "bodies:\n"
      "  hull: {mass: 8, centre: [0.1, 0, 0.2], inertia: [0.9, 1.1, 0.7], at: [0.2, 0, 0.5],\n"
      "    velocity: [0.4, -0.2, 1], angular_velocity: [0.3, 0.5, -0.8]}\n"
      "  upper: {mass: 1.5, centre: [0.4, 0, 0], inertia: [0.01, 0.08, 0.09], at: [0.5, 0, 0.5],\n"
      /* v + w x r */
      "    velocity: [0.4, -0.44, 0.85], angular_velocity: [0.3, 0.5, -0.8]}\n"
      "joints:\n"
      "  shoulder: {kind: revolute, between: [hull, upper], at: [0.5, 0, 0.5], axis: [0, 1, "
      "0.2]}\n";
  static const char robot[] =
      "flange-model: 1\n"
      "bodies:\n"
      "  hull: {mass: 8, centre: [0.1, 0, 0.2], inertia: [0.9, 1.1, 0.7]}\n"
      "  upper: {mass: 1.5, centre: [0.4, 0, 0], inertia: [0.01, 0.08, 0.09]}\n"
      "joints:\n"
      "  mount: {kind: fixed, child: hull, at: [0.2, 0, 0.5]}\n"
      "  shoulder: {kind: revolute, parent: hull, child: upper, at: [0.3, 0, 0],\n"
      "    axis: [0, 1, 0.2]}\n";
  double one[6], other[6];
  final_of(RUN(DOWN, "1/100") "subsystems: {a: {model: robot.yaml, base: floating, integrator: rk4,"
                              " step: 1/2000,\n"
                              "  velocity: [0.4, -0.2, 1], angular_velocity: [0.3, 0.5, -0.8]}}\n"
                              "record: [a/upper.position, a/upper.velocity]\n",
           NULL, robot, one);
  final_of(RUN(DOWN, "1/100") "subsystems: {a: {model: model.yaml, integrator: rk4, step: 1/2000}}\n"
                              "record: [a/upper.position, a/upper.velocity]\n",
           bodies, NULL, other);
  assert_near(max_difference(one, other, 6), 0, 1e-12);
}

/* --- every scheme ------------------------------------------------------------------------------
 */

#define JOINED(scheme, macro, more)                                    \
  RUN(DOWN, macro)                                                     \
  "subsystems:\n  arm: {model: robot.yaml, step: 1/2000, " START more  \
  "}\n"                                                                \
  "  load: {model: model.yaml, step: 1/2000, assemble: true}\n"        \
  "interfaces: {grip: {between: [arm/end, load/ring], joint: weld}}\n" \
  "coupling: {scheme: " scheme                                         \
  "}\n"                                                                \
  "record: [load/crate.position, arm/hull.position, arm/shoulder.position, arm/elbow.position]\n"

static void it_carries_a_load_in_every_scheme(void **state) {
  (void)state;
  static const struct {
    const char *name, *scenario;
    double bound; /* about five times what is measured */
  } cases[] = {
      {"monolithic", JOINED("monolithic", "1/100", ""), 2e-5},
      {"monolithic rk4", JOINED("monolithic", "1/100", ", integrator: rk4"), 1e-10},
      {"sequential", JOINED("sequential", "1/100", ""), 2e-4},
      {"parallel", JOINED("parallel", "1/100", ""), 2e-4},
      {"sequential, H = h", JOINED("sequential", "1/2000", ""), 2e-5},
      {"parallel, H = h", JOINED("parallel", "1/2000", ""), 2e-5},
  };
  static const struct {
    const char *alone, *loaded;
  } robots[] = {{arm, LOADED("")}, {driven_arm, LOADED(ROTORS)}};
  for (int r = 0; r < 2; r++) {
    double expected[8], found[8];
    final_of(RUN(DOWN, "1/100") "subsystems: {arm: {model: robot.yaml, step: 1/20000, integrator: "
                                "rk4, " START "}}\nrecord: [arm/crate.position, "
                                "arm/hull.position, arm/shoulder.position, arm/elbow.position]\n",
             NULL, robots[r].loaded, expected);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
      final_of(cases[k].scenario, load, robots[r].alone, found);
      const double off = max_difference(found, expected, 8);
      print_message("%s%s: %.3g\n", cases[k].name, r == 0 ? "" : " with rotors", off);
      assert_true(off < cases[k].bound);
    }
  }
}

/* inside of a component, with the load welded on by a joint of it */
static void it_floats_inside_of_a_component(void **state) {
  (void)state;
  static const char whole[] =
      "flange-component: 1\nrobots: {arm: {model: robot.yaml, " START "}}\nbodies: {crate: " CRATE
      "}\nports: {ring: {body: crate}}\n"
      "joints: {grip: {kind: weld, between: [arm/end, ring]}}\n";
  double expected[8], found[8];
  final_of(RUN(DOWN, "1/100") "subsystems: {arm: {model: robot.yaml, step: 1/5000, integrator: "
                              "rk4, " START "}}\nrecord: [arm/crate.position, arm/hull.position, "
                              "arm/shoulder.position, arm/elbow.position]\n",
           NULL, LOADED(ROTORS), expected);
  final_of(RUN(DOWN, "1/100") "subsystems: {a: {model: model.yaml, step: 1/5000, integrator: rk4, "
                              "assemble: true}}\nrecord: [a/crate.position, a/arm/hull.position, "
                              "a/arm/shoulder.position, a/arm/elbow.position]\n",
           whole, driven_arm, found);
  assert_near(max_difference(found, expected, 8), 0, 5e-11);
}

/* --- rotors ------------------------------------------------------------------------------------
 */

/* small swings have omega^2 = m g l/(I + A), I about the joint: a period later it is back */
static void a_rotor_slows_a_pendulum_down(void **state) {
  (void)state;
  const double inertia = 2 * 0.49 + 0.03, rotor = 0.8, pi = acos(-1);
  const double period = 2 * pi * sqrt((inertia + rotor) / (2 * 9.81 * 0.7));
  static const char *const integrators[] = {"leapfrog", "semi-implicit", "rk4", "adaptive"};
  for (size_t k = 0; k < sizeof integrators / sizeof integrators[0]; k++) {
    char scenario[600];
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: %.17g, macro: %.17g}\n"
             "subsystems: {a: {model: robot.yaml, initial: {pivot: 1e-4}, integrator: %s}}\n"
             "record: [a/pivot.position, a/pivot.velocity, a/energy]\n",
             period, period / 20000, integrators[k]);
    double found[3];
    final_of(scenario, NULL,
             "flange-model: 1\nbodies: {bob: {mass: 2, centre: [0, 0, -0.7], inertia: [0.02, 0.03, "
             "0.02]}}\njoints: {pivot: {kind: revolute, child: bob, axis: [0, 1, 0], "
             "armature: 0.8}}\n",
             found);
    assert_near(found[0], 1e-4, 1e-13);
    assert_near(found[1], 0, 1e-10);
    /* it has its energy of the start: m g l (1 - cos) above the lowest */
    assert_near(found[2], -2 * 9.81 * 0.7 * cos(1e-4), 1e-12);
  }
}

/* a link without mass is moved by its rotor alone: A a = tau */
static void a_rotor_moves_a_link_without_mass(void **state) {
  (void)state;
  double found[2];
  final_of(
      "flange: 1\ntime: {end: 1, macro: 1/100}\n"
      "subsystems: {a: {model: robot.yaml, armature: {spin: 0.25},\n"
      "  forces: {push: {body: dial, moment: [0, 0, 0.5]}}}}\n"
      "record: [a/spin.position, a/spin.velocity]\n",
      NULL,
      "flange-model: 1\nbodies: {dial: {mass: 0}}\n"
      "joints: {spin: {kind: continuous, child: dial}}\n",
      found);
  assert_near(found[0], 1, 1e-12);
  assert_near(found[1], 2, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_floating_robot_falls_freely),
      cmocka_unit_test(it_starts_as_it_is_told),
      cmocka_unit_test(it_keeps_its_momentum),
      cmocka_unit_test(it_moves_as_the_same_bodies_of_a_component),
      cmocka_unit_test(it_carries_a_load_in_every_scheme),
      cmocka_unit_test(it_floats_inside_of_a_component),
      cmocka_unit_test(a_rotor_slows_a_pendulum_down),
      cmocka_unit_test(a_rotor_moves_a_link_without_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
