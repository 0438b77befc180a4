/* Flexible bodies of components: anywhere along them something can be joined, push, or touch. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "scenarios.h"

#define BEAM                                                                                      \
  "flexible: {start: [-1, 0, 0], end: [1, 0, 0], section: {kind: rectangle, size: [0.05, 0.02]}," \
  " young: 70e9, density: 2700, bending: 3, ends: free-free}"
#define BALLS                                                                       \
  "shapes: [{kind: sphere, size: [0.02], at: [-1, 0, 0], name: left, material: m}," \
  " {kind: sphere, size: [0.02], name: middle, material: m},"                       \
  " {kind: sphere, size: [0.02], at: [1, 0, 0], name: right, material: m}]"
#define MATERIAL "materials: {m: {friction: 0.3, restitution: 0.5}}\n"

/* --- contacts -----------------------------------------------------------------------------------
 * A beam drops on the ground, its right end first, and slides.
 */

static const char drop[] =
    "flange: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {end: %s, macro: 1/300}\n"
    "ground: {shapes: [{kind: plane, material: f}]}\n"
    "materials: {f: {friction: 0.3, restitution: 0.5}}\n"
    "subsystems: {b: {model: model.yaml, step: %s, integrator: %s%s}}\n"
    "record: [b/beam.position, b/energy, b/beam/elastic.position]\n";

static const char body[] =
    "flange-component: 1\n"
    "bodies: {beam: {at: [0, 0, 0.5], turn: [0, 0.3, 0], velocity: [1, 0, 0], " BEAM ", " BALLS
    "}}\n" MATERIAL;

static const char robot[] =
    "flange-model: 1\n"
    "bodies: {beam: {" BEAM ", " BALLS
    "}}\n"
    "joints: {free: {kind: floating, child: beam}}\n" MATERIAL;

static const char start[] =
    ", initial: {free: [0, 0, 0.5, 0.98877107793604, 0, 0.14943813247359922, 0]},"
    " initial_velocity: {free: [1, 0, 0, 0, 0, 0]}";

enum { ENERGY = 3, VALUES = 10 };

static flg_simulation *drop_load(const char *end, const char *step, const char *integrator,
                                 bool is_body) {
  char text[1024];
  snprintf(text, sizeof text, drop, end, step, integrator, is_body ? "" : start);
  return load_texts(text, is_body ? body : robot);
}

static void a_beam_that_drops_does_what_it_does_as_a_robot(void **state) {
  (void)state;
  static const struct {
    const char *end, *step, *integrators[2];
    double most;
  } cases[] = {{"0.6", "1/1200", {"semi-implicit", "semi-implicit"}, 1e-8},
               {"0.34", "1/9600", {"auto", "auto"}, 1e-4}};
  for (int k = 0; k < 2; k++) {
    double values[2][VALUES];
    for (int i = 0; i < 2; i++) {
      flg_simulation *simulation =
          drop_load(cases[k].end, cases[k].step, cases[k].integrators[i], i == 0);
      run_to_end(simulation);
      flg_simulation_record(simulation, values[i]);
      flg_simulation_release(simulation);
    }
    assert_true(max_difference(values[0], values[1], ENERGY) < cases[k].most);
    assert_true(max_difference(values[0] + ENERGY + 1, values[1] + ENERGY + 1, 6) < cases[k].most);
    assert_true(values[0][ENERGY] < 27); /* of 29.187 J: it has hit */
  }
}

/* of 29 J; the fastest mode is resolved */
static void contacts_add_no_energy(void **state) {
  (void)state;
  double values[VALUES], before = INFINITY;
  flg_error error;
  flg_simulation *simulation = drop_load("2", "1/2400", "auto", true);
  while (!flg_simulation_ended(simulation)) {
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
    flg_simulation_record(simulation, values);
    assert_true(values[ENERGY] < before + 1e-3);
    before = values[ENERGY];
  }
  flg_simulation_release(simulation);
  assert_true(before < 2); /* it lies there: 1.0586 J are its height */
}

/* --- flights ------------------------------------------------------------------------------------
 */

static void a_beam_that_flies_keeps_momentum_and_energy(void **state) {
  (void)state;
  static const char scenario[] =
      "flange: 1\n"
      "gravity: [0, 0, 0]\n"
      "time: {end: 3, macro: 1/60}\n"
      "subsystems: {b: {model: model.yaml, step: 1/600}}\n"
      "record: [b/energy, b/momentum.linear, b/momentum.angular]\n";
  static const char flying[] =
      "flange-component: 1\n"
      "bodies: {beam: {velocity: [1, 0, 0.2], angular_velocity: [0.2, -1.2, 0.3],"
      " elastic: [0.002, 0.0001, 0, 0.005, 0.0008, 0.0003], " BEAM "}}\n";
  double first[7], values[7];
  flg_simulation *simulation = load_texts(scenario, flying);
  flg_simulation_record(simulation, first);
  flg_error error;
  while (!flg_simulation_ended(simulation)) {
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
    flg_simulation_record(simulation, values);
    assert_near(values[0], first[0], 2e-3);               /* of 5 J */
    assert_true(max_difference(values, first, 7) < 5e-3); /* of 5.5 kg m/s, 2 kg m^2/s */
  }
  flg_simulation_release(simulation);
}

/* --- stations -----------------------------------------------------------------------------------
 */

#define CANTILEVER                                                                                \
  "flexible: {end: [2, 0, 0], section: {diameter: 0.05}, young: 70e9, density: 2700, bending: 4," \
  " damping: 0.3}"

static const char rest[] =
    "flange: 1\n"
    "gravity: [0, 0, 0]\n"
    "time: {end: 8, macro: 1/60}\n"
    "subsystems: {c: {model: model.yaml, step: 1/600}}\n"
    "record: [c/beam/tip.position]\n";

/* a force P at a of a beam of length L that is held at its start: P a^2 (3 L - a)/(6 E I) */
static void a_force_anywhere_bends_as_the_closed_form(void **state) {
  (void)state;
  const double EI = 70e9 * 3.14159265358979 * pow(0.05, 4) / 64, L = 2, P = 100;
  for (int k = 1; k <= 4; k++) {
    char model[1024];
    const double a = 0.5 * k;
    double tip[3];
    snprintf(model, sizeof model,
             "flange-component: 1\n"
             "bodies: {beam: {" CANTILEVER
             "}}\n"
             "joints: {hold: {kind: weld, between: [world, beam]}}\n"
             "forces: {f: {body: beam, at: [%g, 0, 0], force: [0, 0, -100]}}\n",
             a);
    final_values(rest, model, tip);
    assert_near(tip[2], -P * a * a * (3 * L - a) / (6 * EI), 1e-3 * 0.0124);
  }
}

/* the same by a body that hangs on the middle, on a joint that is placed in the world */
static void a_joint_anywhere_holds_its_section(void **state) {
  (void)state;
  static const char model[] =
      "flange-component: 1\n"
      "bodies:\n"
      "  beam: {" CANTILEVER
      "}\n"
      "  weight: {at: [1, 0, -0.1], mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "joints:\n"
      "  hold: {kind: weld, between: [world, beam]}\n"
      "  clip: {kind: weld, between: [beam, weight], at: [1, 0, 0]}\n"
      "forces: {f: {body: weight, force: [0, 0, -100]}}\n";
  double tip[3];
  final_values(rest, model, tip);
  assert_near(tip[2], -0.003880349, 1e-5);
}

/* A beam that is bent at the start is joined where it is then: its end stands at 0.05 m. */
static void joints_meet_a_beam_that_starts_bent(void **state) {
  (void)state;
  static const char model[] =
      "flange-component: 1\n"
      "bodies:\n"
      "  beam: {elastic: [0.05, 0], flexible: {end: [2, 0, 0], section: {diameter: 0.05},"
      " young: 70e9, density: 2700, bending: [2, 0]}}\n"
      "  weight: {at: [1.9992737846, 0.05, 0], mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "markers: {end: {body: beam, at: [2, 0, 0]}, eye: {body: weight}}\n"
      "joints:\n"
      "  hold: {kind: weld, between: [world, beam]}\n"
      "  pin: {kind: revolute, between: [%s]%s}\n";
  static const char scenario[] =
      "flange: 1\n"
      "gravity: [0, 0, 0]\n"
      "time: {end: 0.5, macro: 1/60}\n"
      "subsystems: {c: {model: model.yaml, step: 1/600}}\n"
      "record: [c/beam/tip.position, c/weight.position]\n";
  static const char *const ends[][2] = {{"end, weight", ""},
                                        {"weight, beam", ", at: [1.9992737846, 0.05, 0]"},
                                        {"beam, weight", ", at: [1.9992737846, 0.05, 0]"}};
  double values[3][6];
  for (int k = 0; k < 3; k++) {
    char text[1024];
    snprintf(text, sizeof text, model, ends[k][0], ends[k][1]);
    final_values(scenario, text, values[k]);
    assert_true(max_difference(values[k], values[0], 6) < 1e-4); /* joined up to 1e-5 m elsewhere */
  }
}

/* Bodies that are joined overlap at will. What is welded to the end of a beam is one with it: what
 * hangs on that by a hinge overlaps the beam, too, and stays at rest; without the weld it is pushed
 * out. */
static void neighbours_of_what_is_welded_to_a_beam_may_overlap_it(void **state) {
  (void)state;
  static const char model[] =
      "flange-component: 1\n"
      "bodies:\n"
      "  beam: {" BEAM
      ", shapes: [{kind: sphere, size: [0.1], at: [1, 0, 0], material: m}]}\n"
      "  hand: {at: [1, 0, 0], mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "  finger: {at: [1, 0, 0.15], mass: 1, inertia: [0.01, 0.01, 0.01],\n"
      "    shapes: [{kind: sphere, size: [0.1], material: m}]}\n"
      "joints:\n"
      "  hold: {kind: weld, between: [world, beam]}\n"
      "  grip: {kind: weld, between: [%s], at: [1, 0, 0]}\n"
      "  knuckle: {kind: revolute, between: [%s], at: [1, 0, 0], axis: [0, 1, 0]}\n" MATERIAL;
  static const char scenario[] =
      "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.1, macro: 1/60}\n"
      "subsystems: {c: {model: model.yaml, step: 1/600}}\nrecord: [c/finger.position]\n";
  static const char *const ends[][2] = {{"beam, hand", "hand, finger"},
                                        {"hand, beam", "finger, hand"},
                                        {"world, hand", "hand, finger"}};
  for (int k = 0; k < 3; k++) {
    char text[1200];
    double place[3];
    snprintf(text, sizeof text, model, ends[k][0], ends[k][1]);
    final_values(scenario, text, place);
    const double moved = hypot(hypot(place[0] - 1, place[1]), place[2] - 0.15);
    if (k < 2) assert_near(moved, 0, 1e-15);
    if (k == 2) assert_true(moved > 0.01);
  }
}

/* --- couplings ----------------------------------------------------------------------------------
 */

static void a_boom_is_coupled_as_it_is_joined(void **state) {
  (void)state;
  static const char scenario[] =
      "flange: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "time: {end: 1, macro: 1/60}\n"
      "coupling: {scheme: %s}\n"
      "subsystems:\n"
      "  boom: {model: model.yaml, step: 1/600}\n"
      "  load: {model: robot.yaml, step: 1/600, at: [3, 0, 0]}\n"
      "interfaces: {hook: {joint: revolute, between: [boom/tip, load/load], axis: [0, 1, 0]}}\n"
      "record: [load/load.position]\n";
  static const char boom[] =
      "flange-component: 1\n"
      "bodies: {boom: {flexible: {end: [3, 0, 0], section: {kind: tube, diameter: 0.1, wall: "
      "0.005},"
      " young: 70e9, density: 2700, bending: 2, twist: 1, damping: 0.01}}}\n"
      "joints: {hold: {kind: revolute, between: [world, boom], axis: [0, 1, 0]}}\n"
      "springs: {s: {stiffness: 2e4, damping: 50, on: hold}}\n"
      "ports: {tip: {body: boom, at: [3, 0, 0]}}\n";
  static const char load[] =
      "flange-model: 1\n"
      "bodies: {load: {mass: 20, centre: [0, 0, -0.5], inertia: [1, 1, 0.5]}}\n"
      "joints: {free: {kind: floating, child: load}}\n";
  static const char *const schemes[] = {"monolithic", "sequential", "parallel"};
  double values[3][3];
  for (int k = 0; k < 3; k++) {
    char text[1024];
    snprintf(text, sizeof text, scenario, schemes[k]);
    flg_simulation *simulation = load_three_texts(text, boom, load);
    run_to_end(simulation);
    flg_simulation_record(simulation, values[k]);
    flg_simulation_release(simulation);
    assert_true(max_difference(values[k], values[0], 3) < 1e-3); /* of 0.14 m that it sinks */
  }
}

/* --- mistakes -----------------------------------------------------------------------------------
 */

static void wrong_bodies_are_told(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"fixed: true, " BEAM, "a flexible body cannot be fixed; weld it to world"},
      {"point: true, " BEAM, "a point mass cannot be flexible"},
      {"elastic: [1, 2], " BEAM, "has 6 elastic coordinates, found 2"},
      {"flexible: {end: [1, 0, 0], young: 1e9, density: 1, bending: 1}", "needs its diameter"}};
  for (int k = 0; k < 4; k++) {
    static flg_mistakes mistakes;
    mistakes = (flg_mistakes){0};
    test_folder folder = make_folder();
    char text[1024];
    snprintf(text, sizeof text, "flange-component: 1\nbodies: {beam: {%s}}\n", cases[k][0]);
    make_file(&folder, "model.yaml", text);
    const char *path = make_file(&folder, "scenario.yaml",
                                 "flange: 1\ntime: {end: 1, macro: 1}\n"
                                 "subsystems: {b: {model: model.yaml}}\n");
    flg_simulation *simulation = NULL;
    flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
    remove_folder(&folder);
    assert_null(simulation);
    assert_non_null(strstr(mistakes.list[0].message, cases[k][1]));
    assert_int_equal(mistakes.list[0].line, 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_beam_that_drops_does_what_it_does_as_a_robot),
      cmocka_unit_test(contacts_add_no_energy),
      cmocka_unit_test(a_beam_that_flies_keeps_momentum_and_energy),
      cmocka_unit_test(a_force_anywhere_bends_as_the_closed_form),
      cmocka_unit_test(a_joint_anywhere_holds_its_section),
      cmocka_unit_test(joints_meet_a_beam_that_starts_bent),
      cmocka_unit_test(neighbours_of_what_is_welded_to_a_beam_may_overlap_it),
      cmocka_unit_test(a_boom_is_coupled_as_it_is_joined),
      cmocka_unit_test(wrong_bodies_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
