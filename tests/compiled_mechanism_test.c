/* Compiled components of rigid bodies and joints against the interpreter. */
#include "assembly/assembly.h"
#include "compile/robot_library.h"
#include "component/assembly_contract.h"
#include "io/load.h"
#include "scenarios.h"

enum { VALUES = 12 };

/* a four-bar in space, with a weight that swings on it; three rows are redundant */
static const char four_bar[] =
    "flange-component: 1\nbodies:\n"
    "  crank: {mass: 1, centre: [0, 0, 0.5], inertia: [0.1, 0.1, 0.02]}\n"
    "  rod: {mass: 2, centre: [1, 0, 0], inertia: [0.05, 0.4, 0.4], at: [0, 0, 1]}\n"
    "  rocker: {mass: 1.5, centre: [0, 0, 0.5], inertia: [0.2, 0.2, 0.03], at: [2, 0, 0]}\n"
    "  weight: {mass: 3, inertia: [0.2, 0.3, 0.4], at: [1.2, 0.1, 0.4]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [world, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  b: {kind: revolute, between: [crank, rod], at: [0, 0, 1], axis: [0, 1, 0]}\n"
    "  c: {kind: revolute, between: [rod, rocker], at: [2, 0, 1], axis: [0, 1, 0]}\n"
    "  d: {kind: revolute, between: [rocker, world], at: [2, 0, 0], axis: [0, 1, 0]}\n"
    "  e: {kind: spherical, between: [rod, weight], at: [1, 0, 1]}\n"
    "ports: {tip: {body: weight, at: [0, 0, -0.3]}, pin: {body: rod, at: [1, 0.1, 0]}}\n";

/* joints of the other kinds, and a cluster: hub and rim are one body */
static const char kinds[] =
    "flange-component: 1\nbodies:\n"
    "  hub: {mass: 2, inertia: [0.2, 0.3, 0.2], at: [0, 0, 1]}\n"
    "  rim: {mass: 1, inertia: [0.1, 0.15, 0.1], at: [0.3, 0, 1]}\n"
    "  ram: {mass: 1, inertia: [0.1, 0.2, 0.1], at: [1, 0, 1], velocity: [0.2, 0, 0]}\n"
    "  fork: {mass: 1, inertia: [0.1, 0.1, 0.2], at: [1.5, 0.2, 1]}\n"
    "  disc: {mass: 2, inertia: [0.3, 0.3, 0.5], at: [1.5, 0.2, 0.5]}\n"
    "  bead: {mass: 0.5, inertia: [0.02, 0.01, 0.03], at: [2, 0, 0]}\n"
    "joints:\n"
    "  swing: {kind: cylindrical, between: [world, hub], at: [0, 0, 1], axis: [0, 1, 0]}\n"
    "  bolt: {kind: weld, between: [hub, rim], at: [0.2, 0, 1]}\n"
    "  slide: {kind: prismatic, between: [rim, ram], at: [0.5, 0, 1], axis: [1, 0, 0]}\n"
    "  cross: {kind: universal, between: [ram, fork], at: [1.3, 0, 1], axis: [1, 0, 0], axis2: "
    "[0, 1, 0]}\n"
    "  table: {kind: planar, between: [fork, disc], at: [1.5, 0.2, 0.7], axis: [0, 0, 1]}\n"
    "  wire: {kind: point-on-line, between: [disc, bead], at: [2, 0, 0], axis: [0.6, 0, 0.8]}\n"
    "ports: {tip: {body: bead, at: [0.1, 0, 0]}, pin: {body: rim}}\n";

static const char load[] =
    "flange-component: 1\nbodies: {load: {mass: 2, inertia: [0.2, 0.1, 0.3], at: [1.2, 0.1, "
    "0.1]}}\n"
    "ports: {eye: {body: load}}\n";

/* nothing holds its bodies */
static const char free_bodies[] =
    "flange-component: 1\nbodies:\n"
    "  top: {mass: 2, centre: [0.1, 0, 0.2], inertia: [0.2, 0.3, 0.4], at: [1.2, 0.1, 0.4],\n"
    "    velocity: [0.3, 1, 2], angular_velocity: [3, 0.1, 5]}\n"
    "  plate: {mass: 1, inertia: [0.1, 0.1, 0.2], at: [0, 1, 0], angular_velocity: [1, 2, 3]}\n"
    "ports: {tip: {body: top, at: [0, 0, -0.3]}, pin: {body: plate, at: [1, 0.1, 0]}}\n";

static char library[128];

/* --- making and running -------------------------------------------------------------------------
 */

static flg_status compile(const char *text, flg_mistakes *mistakes) {
  flg_simulation *simulation = NULL;
  flg_mechanism_library_made made;
  const flg_load_options options = {.component = true};
  const flg_library to = {.output = library};
  test_folder folder = make_folder();
  *mistakes = (flg_mistakes){0};
  const char *path = make_file(&folder, "part.yaml", text);
  snprintf(library, sizeof library, "%s.so", folder.path);
  flg_status status = flg_simulation_load_as(&simulation, path, NULL, 0, options, mistakes);
  remove_folder(&folder);
  if (status != FLG_OK) return status;
  const flg_assembly *assembly = flg_subsystem_assembly(&simulation->subsystems[0]);
  status = flg_mechanism_library_build(
      &(flg_mechanism_source){.component = flg_assembly_component(assembly)}, &to, &made, mistakes);
  flg_simulation_release(simulation);
  return status;
}

static void must_compile(const char *text) {
  static flg_mistakes mistakes;
  if (compile(text, &mistakes) != FLG_OK) fail_msg("%s", mistakes.list[0].message);
}

/* the last values of a scenario around the library, or around the model of the text */
static void run(const char *text, bool is_compiled, const char *keys, const char *rest,
                double *values) {
  const char *end = rest[0] == '\0' ? "0.3" : "0.1";
  char scenario[3000];
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: %s, macro: 0.01}\ngravity: [0.3, 0.2, -9.81]\nsubsystems:\n"
           "  a: {%s%s, step: 0.001%s}\n%s"
           "record: [a/tip.position, a/tip.velocity, a/pin.position, a/pin.velocity]\n",
           end, is_compiled ? "plugin: " : "model: model.yaml", is_compiled ? library : "", keys,
           rest);
  flg_simulation *simulation = load_three_texts(scenario, text, load);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

static double difference(const char *text, const char *keys, const char *rest) {
  double ours[VALUES], theirs[VALUES];
  run(text, true, keys, rest, ours);
  run(text, false, keys, rest, theirs);
  const double off = max_difference(ours, theirs, VALUES);
  print_message("compiled against interpreted: %.3g\n", off);
  return off;
}

/* --- tests --------------------------------------------------------------------------------------
 */

static void redundant_joints_move_as_interpreted(void **state) {
  (void)state;
  must_compile(four_bar);
  assert_true(difference(four_bar, "", "") == 0); /* the interpreter's bits */
  assert_near(difference(four_bar, ", at: [1, 2, 3], turn: [0.3, -0.2, 1]", ""), 0, 2e-13);
  unlink(library);
}

static void all_kinds_of_joints_move_as_interpreted(void **state) {
  (void)state;
  must_compile(kinds);
  assert_true(difference(kinds, "", "") == 0);
  unlink(library);
}

static void free_bodies_move_as_interpreted(void **state) {
  (void)state;
  must_compile(free_bodies);
  assert_near(difference(free_bodies, "", ""), 0, 2e-14); /* other sums, the same terms */
  /* weights in other axes round otherwise, by half a bit of velocities a step, 300 times */
  assert_near(difference(free_bodies, ", at: [1, 2, 3], turn: [0.3, -0.2, 1]", ""), 0, 1e-13);
  unlink(library);
}

/* Where poses are brought together, joints are closed to a tolerance: over h it is a velocity. */
static void coupled_it_moves_as_interpreted(void **state) {
  (void)state;
#define COUPLED(joint, coupling)                               \
  "  b: {model: robot.yaml, step: 0.001}\n"                    \
  "interfaces: {knot: {between: [a/tip, b/eye], joint: " joint \
  "}}\n"                                                       \
  "coupling: {" coupling "}\n"
  static const char *const rests[] = {
      COUPLED("weld", "scheme: sequential, order: [a, b], pose: none"),
      COUPLED("weld", "scheme: sequential, order: [b, a], pose: none"),
      COUPLED("spherical", "scheme: parallel, pose: none"), COUPLED("weld", "scheme: parallel")};
  must_compile(four_bar);
  for (size_t k = 0; k < sizeof rests / sizeof rests[0]; k++) {
    const bool moves_poses = strstr(rests[k], "pose: none") == NULL;
    assert_near(difference(four_bar, "", rests[k]), 0, moves_poses ? 1e-8 : 2e-15);
  }
  unlink(library);
}

/* a four-bar of equal arms that falls flat: there it could go on in two ways */
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
    "ports: {pin: {body: rod, at: [1, 0, 0]}}\n";

/* crank and rod of one length: the slider passes the axis of the crank */
static const char slider_crank[] =
    "flange-component: 1\nbodies:\n"
    "  crank: {mass: 1, inertia: [0.01, 0.08, 0.08], at: [0.3, 0.4, 0],\n"
    "    angular_velocity: [0, 0, 4], velocity: [-1.6, 1.2, 0]}\n"
    "  rod: {mass: 1, inertia: [0.01, 0.08, 0.08], at: [0.9, 0.4, 0],\n"
    "    angular_velocity: [0, 0, -4], velocity: [-4.8, 1.2, 0]}\n"
    "  slider: {mass: 0.5, inertia: [0.01, 0.01, 0.01], at: [1.2, 0, 0], velocity: [-6.4, 0, 0]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [world, crank], at: [0, 0, 0]}\n"
    "  b: {kind: revolute, between: [crank, rod], at: [0.6, 0.8, 0]}\n"
    "  c: {kind: revolute, between: [rod, slider], at: [1.2, 0, 0]}\n"
    "  d: {kind: prismatic, between: [world, slider], at: [1.2, 0, 0], axis: [1, 0, 0]}\n"
    "ports: {pin: {body: slider}}\n";

/* the same with other masses: it comes closer to the pose, and turns other ways */
static const char flat_uneven[] =
    "flange-component: 1\nbodies:\n"
    "  crank: {mass: 2, centre: [0.5, 0, 0], inertia: [0.02, 0.1, 0.1]}\n"
    "  rod: {mass: 1, centre: [1, 0, 0], inertia: [0.02, 0.3, 0.3], at: [0, 0, 1]}\n"
    "  rocker: {mass: 0.5, centre: [0, 0, 0.5], inertia: [0.1, 0.1, 0.02], at: [2, 0, 0]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [world, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  b: {kind: revolute, between: [crank, rod], at: [0, 0, 1], axis: [0, 1, 0]}\n"
    "  c: {kind: revolute, between: [rod, rocker], at: [2, 0, 1], axis: [0, 1, 0]}\n"
    "  d: {kind: revolute, between: [rocker, world], at: [2, 0, 0], axis: [0, 1, 0]}\n"
    "ports: {pin: {body: rod, at: [1, 0, 0]}}\n";

static void run_past(const char *model, int rate, const char *keys, bool is_compiled,
                     double *values) {
  char scenario[1000];
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: 5, macro: 0.01}\ngravity: [0, -9.81, -9.81]\n"
           "subsystems: {a: {%s%s, step: 1/%d%s}}\nrecord: [a/pin.position, a/energy%s]\n",
           is_compiled ? "plugin: " : "model: model.yaml", is_compiled ? library : "", rate, keys,
           is_compiled ? ", a/fallbacks" : "");
  final_values(scenario, model, values);
}

/* how far from the interpreter it is after 5 s with so many steps a second */
static double pass(const char *model, int rate, const char *keys) {
  double ours[5], theirs[4];
  run_past(model, rate, keys, true, ours);
  run_past(model, rate, keys, false, theirs);
  const double off = max_difference(ours, theirs, 3);
  print_message("1/%d s: %.3g m, %.3g J, fallbacks %g\n", rate, off, fabs(ours[3] - theirs[3]),
                ours[4]);
  assert_in_range((int)ours[4], 1, 100);
  assert_near(ours[3], theirs[3], off == 0 ? 1e-13 : 1e-7);
  return off;
}

/* There one bit of a mass moves the interpreter by 5e-10 m and more. */
static void singular_poses_are_passed_bit_for_bit(void **state) {
  (void)state;
  static const char *const models[] = {flat, flat_uneven, slider_crank};
  static const int rates[] = {200, 1000, 2000, 4000};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    must_compile(models[k]);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
      assert_true(pass(models[k], rates[i], "") == 0);
    }
    unlink(library);
  }
}

/* the library steps in axes of its model, the interpreter in those of the world: rounding differs
 */
static void moved_libraries_pass_singular_poses_as_interpreted(void **state) {
  (void)state;
#define QUARTER ", turn: [0, 0, 1.5707963267948966]"
  must_compile(flat);
  assert_near(pass(flat, 1000, ", at: [1, 2, 3]"), 0, 1e-8);
  assert_near(pass(flat, 1000, ", turn: [0.3, -0.2, 1]"), 0, 1e-10);
  /* whether steps in the plane are sound does not depend on axes: 1e-6 m where it did */
  assert_near(pass(flat, 1000, QUARTER), 0, 1e-10);
  assert_near(pass(flat, 2000, QUARTER), 0, 1e-10);
  unlink(library);
  must_compile(flat_uneven);
  assert_near(pass(flat_uneven, 1000, QUARTER), 0, 1e-9);
  assert_near(pass(flat_uneven, 2000, QUARTER), 0, 1e-9);
  unlink(library);
}

/* factors that were kept from the last step are used only where it ended */
static void resumed_runs_have_the_same_bits(void **state) {
  (void)state;
  static const char *const models[] = {four_bar, kinds, flat, slider_crank};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    char scenario[1000];
    must_compile(models[k]);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ntime: {end: 0.6, macro: 0.02}\ngravity: [0, -9.81, -9.81]\n"
             "subsystems: {a: {plugin: %s, step: 0.002}}\nrecord: [a/energy]\n",
             library);
    resume_bit_for_bit(load_texts(scenario, NULL), load_texts(scenario, NULL));
    unlink(library);
  }
}

/* a ladder of unequal four-bars: cranks on the ground, tops joined by couplers */
static void write_ladder(int count, char *text) {
  char *to = text + sprintf(text, "flange-component: 1\nbodies:\n");
#define FOOT(k) ((k) + 0.2 * sin(k))
#define TOP(k)  (1 + 0.1 * sin(1.7 * (k)))
  for (int k = 0; k <= count; k++) {
    const double m = 1 + 0.3 * sin(k), I = m * TOP(k) * TOP(k) / 12;
    to +=
        sprintf(to, "  c%d: {mass: %.17g, inertia: [%.17g, 1e-3, %.17g], at: [%.17g, %.17g, 0]}\n",
                k, m, I, I, FOOT(k), TOP(k) / 2);
  }
  for (int k = 0; k < count; k++) {
    const double m = 1 + 0.3 * cos(k), run = FOOT(k + 1) - FOOT(k), rise = TOP(k + 1) - TOP(k);
    const double I = m * (run * run + rise * rise) / 12;
    to += sprintf(to,
                  "  r%d: {mass: %.17g, inertia: [1e-3, %.17g, %.17g], at: [%.17g, %.17g, 0], "
                  "turn: [0, 0, %.17g]}\n",
                  k, m, I, I, FOOT(k) + run / 2, TOP(k) + rise / 2, atan2(rise, run));
  }
  to += sprintf(to, "joints:\n");
  for (int k = 0; k <= count; k++) {
    to += sprintf(to, "  f%d: {kind: revolute, between: [world, c%d], at: [%.17g, 0, 0]}\n", k, k,
                  FOOT(k));
  }
  for (int k = 0; k < 2 * count; k++) {
    const int rod = k / 2, crank = rod + k % 2;
    to += sprintf(to, "  t%d: {kind: revolute, between: [r%d, c%d], at: [%.17g, %.17g, 0]}\n", k,
                  rod, crank, FOOT(crank), TOP(crank));
  }
}

static void a_thousand_unequal_four_bars_take_less_than_a_megabyte(void **state) {
  (void)state;
  char *text = malloc(1 << 20);
  assert_non_null(text);
  write_ladder(1000, text);
  must_compile(text);
  free(text);
  FILE *file = fopen(library, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  fclose(file);
  print_message("1,000 four-bars: %ld bytes\n", bytes);
  assert_in_range(bytes, 100000, 999999);
  unlink(library);
}

static void what_is_not_supported_is_named(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  static const struct {
    const char *text, *sentence;
  } cases[] = {{"flange-component: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                "joints: {h: {kind: revolute, between: [world, a]}}\n"
                "signals: {w: {kind: sine, amplitude: 1, frequency: 1}}\n"
                "motions: {m: {on: h, follows: w}}\n",
                "'w' cannot be compiled: signals are compiled with '--integrator rk4' alone"},
               {"flange-component: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1],\n"
                "  shapes: [{kind: sphere, size: [0.5], collision: true}]}}\n",
                "its shapes can touch others, and contacts are not compiled"},
               {"flange-component: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 1]}}\n"
                "joints: {d: {kind: distance, between: [world, a]}}\n",
                "'d' cannot be compiled: joints of kind distance are not"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    assert_int_not_equal(compile(cases[k].text, &mistakes), FLG_OK);
    if (strstr(mistakes.list[0].message, cases[k].sentence) == NULL) {
      fail_msg("'%s' is not in '%s'", cases[k].sentence, mistakes.list[0].message);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(redundant_joints_move_as_interpreted),
      cmocka_unit_test(all_kinds_of_joints_move_as_interpreted),
      cmocka_unit_test(free_bodies_move_as_interpreted),
      cmocka_unit_test(coupled_it_moves_as_interpreted),
      cmocka_unit_test(singular_poses_are_passed_bit_for_bit),
      cmocka_unit_test(moved_libraries_pass_singular_poses_as_interpreted),
      cmocka_unit_test(resumed_runs_have_the_same_bits),
      cmocka_unit_test(a_thousand_unequal_four_bars_take_less_than_a_megabyte),
      cmocka_unit_test(what_is_not_supported_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
