/* Libraries of components with springs, dampers, bushings and loads against the interpreter. */
#include "component_library.h"

enum { VALUES = 13 };

/* --- machines -----------------------------------------------------------------------------------
 */

static const char springs[] =
    "springs:\n"
    "  s: {between: [world, rod], stiffness: 40, damping: 1, length: 0.5}\n"
    "  t: {on: d, stiffness: 3, damping: 0.2}\n"
    "  u: {on: a, preload: 0.4, stiffness: 1, rest: 0.3}\n";
static const char bushings[] =
    "bushings:\n"
    "  m: {between: [world, rocker], at: [1.5, 0.3, 0.4], stiffness: [30, 20, 10],\n"
    "    damping: [0.1, 0.2, 0.3], angular_stiffness: [1, 2, 3], angular_damping: [0, 0.1, 0]}\n"
    "  n: {between: [crank, rocker], stiffness: [3, 2, 1], damping: [0.3, 0, 0.1]}\n";
static const char loads[] =
    "forces:\n"
    "  w: {body: rod, force: [1, 2, 3]}\n"
    "  z: {body: crank, at: [0.1, 0, 0], force: [1, 2, 0.3], moment: [0.1, 0.2, 0.3], axes: body}\n"
    "  o: {body: rod, force: [100, 0, 0], enabled: false}\n"
    "  e: {on: a, effort: 2}\n"
    "  f: {on: d, effort: -1}\n";

/* lengths times `scale`, mirrored in y if `hand` is -1, bodies in their order or backwards */
typedef struct machine {
  double scale, hand;
  bool is_backwards;
  const char *forces, *more;
} machine;

static const char *write_machine(const machine *of) {
  static char text[3000];
  static const char *const names[3] = {"crank", "rod", "rocker"};
  static const double numbers[3][7] = {{0.02, 0.01, 0.02, 0, 0.15, 0, 1},
                                       {0.01, 0.1, 0.1, 0.75, 0.6, 0.2, 0.5},
                                       {0.2, 0.01, 0.2, 1.5, 0.45, 0.4, 2}};
  const double s = of->scale, y = of->scale * of->hand;
  char *to = text + sprintf(text, "flange-component: 1\nbodies:\n");
  for (int k = 0; k < 3; k++) {
    const int b = of->is_backwards ? 2 - k : k;
    const double *n = numbers[b];
    to += sprintf(to, "  %s: {mass: %g, inertia: [%g, %g, %g], at: [%g, %g, %g]}\n", names[b], n[6],
                  s * s * n[0], s * s * n[1], s * s * n[2], s * n[3], y * n[4], s * n[5]);
  }
  sprintf(to,
          "joints:\n"
          "  a: {kind: revolute, between: [world, crank], at: [0, 0, 0]}\n"
          "  b: {kind: spherical, between: [crank, rod], at: [0, %g, 0]}\n"
          "  c: {kind: universal, between: [rod, rocker], at: [%g, %g, %g], axis: [0, 1, 0], "
          "axis2: [0, 0, 1]}\n"
          "  d: {kind: revolute, between: [rocker, world], at: [%g, 0, %g], axis: [0.2, %g, 1]}\n"
          "ports: {tip: {body: rod, at: [0.1, 0, 0]}, pin: {body: rocker}}\n%s%s",
          0.3 * y, 1.5 * s, 0.9 * y, 0.4 * s, 1.5 * s, 0.4 * s, 0.1 * of->hand, of->forces,
          of->more == NULL ? "" : of->more);
  return text;
}

/* bodies that springs and bushings alone hold, and a sum of two coordinates with a spring on it */
static const char loose[] =
    "flange-component: 1\nbodies:\n"
    "  top: {mass: 2, centre: [0.1, 0, 0.2], inertia: [0.2, 0.3, 0.4], at: [1.2, 0.1, 0.4],\n"
    "    velocity: [0.3, 1, 2], angular_velocity: [3, 0.1, 5]}\n"
    "  plate: {mass: 1, inertia: [0.1, 0.1, 0.2], at: [0, 1, 0], angular_velocity: [1, 2, 3]}\n"
    "springs: {s: {between: [top, plate], stiffness: 20, damping: 0.1, length: 1}}\n"
    "bushings: {m: {between: [world, plate], stiffness: [9, 9, 9], angular_stiffness: [1, 1, 1]}}\n"
    "forces: {w: {body: top, force: [0, 0, 20]}}\n"
    "ports: {tip: {body: top, at: [0, 0, -0.3]}, pin: {body: plate, at: [1, 0.1, 0]}}\n";

/* in a plane; the spring winds the wheel up over several turns, another acts on a slide */
static const char wound[] =
    "flange-component: 1\nbodies:\n"
    "  wheel: {mass: 1, inertia: [0.1, 0.1, 0.05], at: [0, 0, 0], angular_velocity: [0, 0, 60]}\n"
    "  sledge: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [1, 0, 0]}\n"
    "joints:\n"
    "  hub: {kind: revolute, between: [world, wheel], at: [0, 0, 0]}\n"
    "  rail: {kind: prismatic, between: [world, sledge], at: [1, 0, 0], axis: [1, 0, 0]}\n"
    "springs:\n"
    "  coil: {on: hub, stiffness: 0.5, damping: 0.01, rest: 0}\n"
    "  pad: {on: rail, stiffness: 30, damping: 0.5}\n"
    "  wire: {between: [wheel, sledge], stiffness: 2, length: 0.8}\n"
    "ports: {tip: {body: sledge}, pin: {body: wheel, at: [0.2, 0, 0]}}\n";

/* arms of equal length that fall flat, where they could go on in two ways */
static const char flat[] =
    "flange-component: 1\nbodies:\n"
    "  crank: {mass: 1, centre: [0.5, 0, 0], inertia: [0.02, 0.1, 0.1]}\n"
    "  rod: {mass: 1, centre: [1, 0, 0], inertia: [0.02, 0.3, 0.3], at: [0, 0, 1]}\n"
    "  rocker: {mass: 1, centre: [0, 0, 0.5], inertia: [0.1, 0.1, 0.02], at: [2, 0, 0]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [world, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  b: {kind: revolute, between: [crank, rod], at: [0, 0, 1], axis: [0, 1, 0]}\n"
    "  c: {kind: revolute, between: [rod, rocker], at: [2, 0, 1], axis: [0, 1, 0]}\n"
    "  d: {kind: revolute, between: [rocker, world], at: [2, 0, 0], axis: [0, 1, 0]}\n"
    "springs: {s: {on: a, stiffness: 0.3, damping: 0.01}}\n"
    "ports: {tip: {body: rod}, pin: {body: rod, at: [1, 0, 0]}}\n";

static const char load[] =
    "flange-component: 1\nbodies: {load: {mass: 2, inertia: [0.2, 0.1, 0.3], at: [0.85, 0.6, "
    "0.2]}}\n"
    "ports: {eye: {body: load}}\n";

/* --- making and running -------------------------------------------------------------------------
 */

static char library[128];

/* chosen: of the signals below, 0 or all */
static flg_status compile_with(const char *text, const char *const *chosen, int count,
                               flg_mistakes *mistakes) {
  name_library(library, sizeof library);
  return make_component_library(
      text, (flg_mechanism_source){.signals = chosen, .signal_count = count}, library, mistakes);
}

static flg_status compile(const char *text, flg_mistakes *mistakes) {
  return compile_with(text, NULL, 0, mistakes);
}

static void must_compile(const char *text) {
  static flg_mistakes mistakes;
  if (compile(text, &mistakes) != FLG_OK) fail_msg("%s", mistakes.list[0].message);
}

/* how it runs: steps, keys of the subsystem, and what follows it in the scenario */
typedef struct way {
  int rate;
  double end;
  const char *keys, *rest;
} way;

static void run(const char *text, const way *how, bool is_compiled, double *values) {
  char scenario[3000];
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: %g, macro: 0.01}\ngravity: [0.3, -9.81, 0.2]\nsubsystems:\n"
           "  a: {%s%s, step: 1/%d%s}\n%s"
           "record: [a/tip.position, a/tip.velocity, a/pin.position, a/pin.velocity, a/energy]\n",
           how->end, is_compiled ? "plugin: " : "model: model.yaml, coordinates: absolute",
           is_compiled ? library : "", how->rate, how->keys, how->rest);
  flg_simulation *simulation = load_three_texts(scenario, text, load);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

/* of positions and velocities, and of energies by the size of these */
static double difference(const char *text, const way *how) {
  double ours[VALUES], theirs[VALUES];
  run(text, how, true, ours);
  run(text, how, false, theirs);
  const double off = max_difference(ours, theirs, VALUES - 1);
  print_message("%g s of 1/%d s%s: %.3g, %.3g J of %.3g\n", how->end, how->rate, how->keys, off,
                fabs(ours[VALUES - 1] - theirs[VALUES - 1]), theirs[VALUES - 1]);
  assert_near(ours[VALUES - 1], theirs[VALUES - 1],
              1e-13 * fmax(1, fabs(theirs[VALUES - 1])) + 100 * off);
  return off;
}

/* --- tests --------------------------------------------------------------------------------------
 */

static const way plain = {1000, 0.5, "", ""};
static const way moved = {1000, 0.1, ", at: [1, 2, 3], turn: [0.3, -0.2, 1]", ""};

/* the same bits: forces are found by the interpreter's kernels, in its order */
static void machines_and_their_neighbours_move_as_interpreted(void **state) {
  (void)state;
  const machine machines[] = {
      {1, 1, false, springs, NULL}, {1, -1, true, bushings, loads}, {3, 1, false, springs, loads}};
  for (size_t k = 0; k < sizeof machines / sizeof machines[0]; k++) {
    const char *text = write_machine(&machines[k]);
    must_compile(text);
    assert_true(difference(text, &plain) == 0);
    assert_true(difference(text, &(way){200, 0.5, "", ""}) == 0);
    assert_near(difference(text, &moved), 0, 4e-14);
    unlink(library);
  }
}

static void bodies_without_joints_move_as_interpreted(void **state) {
  (void)state;
  must_compile(loose);
  assert_near(difference(loose, &plain), 0, 1e-13); /* other sums, the same terms */
  assert_near(difference(loose, &moved), 0, 4e-14);
  unlink(library);
}

/* angles count turns, over ten of them */
static void springs_on_angles_wind_up_as_interpreted(void **state) {
  (void)state;
  must_compile(wound);
  assert_near(difference(wound, &(way){1000, 2, "", ""}), 0, 2e-14);
  assert_near(difference(wound, &moved), 0, 1e-12);
  unlink(library);
}

static void flat_poses_are_passed_as_interpreted(void **state) {
  (void)state;
  must_compile(flat);
  assert_true(difference(flat, &(way){1000, 5, "", ""}) == 0);
  assert_true(difference(flat, &(way){2000, 5, "", ""}) == 0);
  unlink(library);
}

static void coupled_they_move_as_interpreted(void **state) {
  (void)state;
#define COUPLED(joint, coupling)                               \
  "  b: {model: robot.yaml, step: 0.001}\n"                    \
  "interfaces: {knot: {between: [a/tip, b/eye], joint: " joint \
  "}}\n"                                                       \
  "coupling: {" coupling "}\n"
  static const char *const rests[] = {
      COUPLED("weld", "scheme: sequential, order: [a, b], pose: none"),
      COUPLED("weld", "scheme: sequential, order: [b, a], pose: none"),
      COUPLED("spherical", "scheme: parallel, pose: none")};
  const char *text = write_machine(&(machine){1, 1, false, springs, bushings});
  must_compile(text);
  for (size_t k = 0; k < sizeof rests / sizeof rests[0]; k++) {
    assert_near(difference(text, &(way){1000, 0.1, "", rests[k]}), 0, 4e-15);
    assert_near(difference(text, &(way){500, 0.1, "", rests[k]}), 0, 4e-15);
  }
  unlink(library);
}

static void resumed_runs_have_the_same_bits(void **state) {
  (void)state;
  char scenario[1000];
  must_compile(wound);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: 0.6, macro: 0.02}\nsubsystems:\n"
           "  a: {plugin: %s, step: 0.002}\n  b: {plugin: %s, step: 0.001, at: [0, 0, 1]}\n"
           "record: [a/energy, b/energy]\n",
           library, library);
  resume_bit_for_bit(load_texts(scenario, NULL), load_texts(scenario, NULL));
  unlink(library);
}

static const char *const told[] = {
    "rod.position", "d.position", "rod.orientation", "tip.velocity",    "rocker.angular_velocity",
    "d.velocity",   "s.effort",   "s.position",      "u.effort",        "m.displacement",
    "m.rotation",   "m.force",    "m.moment",        "rocker.velocity", "tip.position"};
enum { TOLD = sizeof told / sizeof told[0], TOLD_VALUES = 36 };

static void read_told(const char *text, const char *keys, bool is_compiled, double *values) {
  char scenario[2000];
  char *to = scenario + sprintf(scenario,
                                "flange: 1\ntime: {end: 0.1, macro: 0.01}\nsubsystems:\n"
                                "  a: {%s%s, step: 0.001%s}\nrecord: [",
                                is_compiled ? "plugin: " : "model: model.yaml",
                                is_compiled ? library : "", keys);
  for (int k = 0; k < TOLD; k++) to += sprintf(to, "%sa/%s", k == 0 ? "" : ", ", told[k]);
  sprintf(to, "]\n");
  final_values(scenario, text, values);
}

/* Forces are stiffnesses of some 30 N/m times what rounding moves. */
static void chosen_signals_are_those_of_the_interpreter(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  static const char *const keys[] = {"", ", at: [1, 2, 3], turn: [0.3, -0.2, 1]"};
  double ours[TOLD_VALUES], theirs[TOLD_VALUES];
  const char *text = write_machine(&(machine){1, 1, false, springs, bushings});
  if (compile_with(text, told, TOLD, &mistakes) != FLG_OK) {
    fail_msg("%s", mistakes.list[0].message);
  }
  for (int k = 0; k < 2; k++) {
    read_told(text, keys[k], true, ours);
    read_told(text, keys[k], false, theirs);
    const double off = max_difference(ours, theirs, TOLD_VALUES);
    print_message("signals%s: %.3g\n", keys[k], off);
    assert_near(off, 0, 3e-13);
  }
  unlink(library);
}

static void signals_that_no_library_tells_are_named(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  static const char *const wrong[] = {"d.force", "nobody.position", "rod", "rod.colour"};
  const char *text = write_machine(&(machine){1, 1, false, springs, NULL});
  assert_int_not_equal(compile_with(text, wrong, 4, &mistakes), FLG_OK);
  assert_int_equal(mistakes.count, 4);
  assert_non_null(strstr(mistakes.list[0].message, "signal 'd.force' is none of a library"));
  unlink(library);
}

/* In the model they would be rows of the joints' matrix from half of the stable step on: here that
 * of one mass, h^2 k = 4 m. */
static void steps_that_are_too_long_are_refused(void **state) {
  (void)state;
  static const char bouncer[] =
      "flange-component: 1\nbodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {rail: {kind: prismatic, between: [world, ball]}}\n"
      "springs: {s: {on: rail, stiffness: 10000}}\n"; /* stable up to 0.02 s */
  char scenario[1000], said[1000];
  flg_error error;
  must_compile(bouncer);
  for (int k = 0; k < 2; k++) {
    const double h = k == 0 ? 0.00999 : 0.0101;
    snprintf(scenario, sizeof scenario,
             "flange: 1\ntime: {end: %g, macro: %g}\n"
             "subsystems: {a: {plugin: %s}}\n",
             5 * h, h, library);
    flg_simulation *simulation = load_texts(scenario, NULL);
    const flg_status status = run_and_judge(simulation, &error);
    snprintf(said, sizeof said, "%s", status == FLG_OK ? "" : error.message);
    flg_simulation_release(simulation);
    assert_int_equal(status == FLG_OK, k == 0);
  }
  if (strstr(said, "too long for its springs and dampers: take steps of at most 0.01 s") == NULL) {
    fail_msg("%s", said);
  }
  unlink(library);
}

static void what_is_implicit_is_refused(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  assert_int_not_equal(
      compile("flange-component: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
              "bushings: {m: {between: [world, a], stiffness: [1, 1, 1], implicit: true}}\n",
              &mistakes),
      FLG_OK);
  assert_non_null(strstr(mistakes.list[0].message, "'m' cannot be compiled: elements that are "));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(machines_and_their_neighbours_move_as_interpreted),
      cmocka_unit_test(bodies_without_joints_move_as_interpreted),
      cmocka_unit_test(springs_on_angles_wind_up_as_interpreted),
      cmocka_unit_test(flat_poses_are_passed_as_interpreted),
      cmocka_unit_test(coupled_they_move_as_interpreted),
      cmocka_unit_test(resumed_runs_have_the_same_bits),
      cmocka_unit_test(chosen_signals_are_those_of_the_interpreter),
      cmocka_unit_test(signals_that_no_library_tells_are_named),
      cmocka_unit_test(steps_that_are_too_long_are_refused),
      cmocka_unit_test(what_is_implicit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
