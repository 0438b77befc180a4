/* Compiled robots in scenarios: alone and coupled they move as their models do. */
#include "compile/robot_library.h"
#include "io/model_file.h"
#include "scenarios.h"

enum { VALUES = 9 };

/* three joints, damped; a slide in between */
#define ARM(friction)                                                                       \
  "flange-model: 1\nbodies:\n"                                                              \
  "  post: {mass: 3, centre: [0, 0, 0.2], inertia: [0.1, 0.1, 0.05]}\n"                     \
  "  boom: {mass: 2, centre: [0.5, 0, 0.1], inertia: [0.02, 0.2, 0.2]}\n"                   \
  "  ram: {mass: 1, centre: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}\n"                    \
  "joints:\n"                                                                               \
  "  yaw: {kind: revolute, child: post, axis: [0, 0, 1], damping: 0.3}\n"                   \
  "  lift: {kind: revolute, parent: post, child: boom, at: [0, 0, 0.4], axis: [0, 1, 0],\n" \
  "    damping: 0.5" friction                                                               \
  "}\n"                                                                                     \
  "  reach: {kind: prismatic, parent: boom, child: ram, at: [1, 0, 0], axis: [1, 0, 0],\n"  \
  "    damping: 4}\n"                                                                       \
  "ports: {tip: {body: ram, at: [0.5, 0, 0]}}\n"
static const char smooth[] = ARM(""), rubbing[] = ARM(", friction: 0.1");
static const char *arm = smooth;

static const char load[] =
    "flange-component: 1\nbodies: {load: {mass: 2, inertia: [0.2, 0.1, 0.3], at: [1.5, 0, 0.4]}}\n"
    "ports: {eye: {body: load}}\n";

#define SCENARIO_BY(step, first, rest)                                                       \
  "flange: 1\ntime: {end: 0.5, macro: 0.01}\ngravity: [0, 0.5, -9.81]\nsubsystems:\n  arm: " \
  "{" first ", step: " step "}\n" rest "record: [arm/tip.position, arm/tip.velocity"
#define SCENARIO(first, rest) SCENARIO_BY("0.002", first, rest)
#define MODEL                 "model: robot.yaml, integrator: semi-implicit"
#define LOAD                  "  load: {model: model.yaml, step: 0.001, integrator: semi-implicit}\n"
#define KNOT(joint, coupling)                                            \
  LOAD "interfaces: {knot: {between: [arm/tip, load/eye], joint: " joint \
       "}}\n"                                                            \
       "coupling: {" coupling "}\n"

static const char *library; /* of the arm */

static int compile_arm(void **state) {
  (void)state;
  static test_folder folder;
  static flg_mistakes mistakes;
  static char name[96];
  flg_region region = {0};
  flg_model model;
  folder = make_folder();
  const char *text = make_file(&folder, "arm.yaml", arm);
  flg_model_read(&model, text, (flg_reading){.inertia = FLG_INERTIA_AUTO}, (flg_place){0}, &region,
                 &mistakes);
  snprintf(name, sizeof name, "%s.so", folder.path);
  const flg_robot_library made_of = {.source = {.model = &model}, .library = {.output = name}};
  flg_robot_library_made made;
  if (mistakes.count == 0) flg_robot_library_build(&made_of, &made, &mistakes);
  flg_region_release(&region);
  remove_folder(&folder);
  library = name;
  return mistakes.count;
}

static int remove_library(void **state) {
  (void)state;
  return unlink(library);
}

static int compile_smooth(void **state) {
  arm = smooth;
  return compile_arm(state);
}

static int compile_rubbing(void **state) {
  arm = rubbing;
  return compile_arm(state);
}

/* the last values of a run; `@` in the scenario is the library */
static void run(const char *scenario, const char *option, double *values) {
  char text[4000];
  const char *mark = strchr(scenario, '@');
  const size_t start = mark == NULL ? strlen(scenario) : (size_t)(mark - scenario);
  snprintf(text, sizeof text, "%.*s%s%s%s", (int)start, scenario, mark == NULL ? "" : library,
           mark == NULL ? "" : mark + 1, option);
  flg_simulation *simulation = load_three_texts(text, load, arm);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

static double difference(const char *compiled, const char *interpreted, const char *tail) {
  double ours[VALUES], theirs[VALUES];
  run(compiled, tail, ours);
  run(interpreted, tail, theirs);
  const double off = max_difference(ours, theirs, 6);
  print_message("compiled against interpreted: %.3g\n", off);
  return off;
}

static void alone_it_moves_as_its_model(void **state) {
  (void)state;
  /* the same steps with other orders of sums */
  assert_near(difference(SCENARIO("plugin: @", ""), SCENARIO(MODEL, ""), "]\n"), 0, 1e-14);
}

static void turned_and_moved_it_moves_as_its_model(void **state) {
  (void)state;
#define ELSEWHERE ", at: [1, 2, 3], turn: [0.3, -0.2, 1]"
  assert_near(difference(SCENARIO("plugin: @" ELSEWHERE, ""), SCENARIO(MODEL ELSEWHERE, ""), "]\n"),
              0, 1e-14);
}

static void parameters_are_its_start(void **state) {
  (void)state;
  assert_near(difference(SCENARIO("plugin: @, parameters: {positions: [0.1, -0.2, 0.3], "
                                  "velocities: [0.5, 0, -0.1]}",
                                  ""),
                         SCENARIO(MODEL ", initial: {yaw: 0.1, lift: -0.2, reach: 0.3}, "
                                        "initial_velocity: {yaw: 0.5, reach: -0.1}",
                                  ""),
                         "]\n"),
              0, 8e-15);
}

static void in_each_scheme_it_moves_as_its_model(void **state) {
  (void)state;
#define PAIR(joint, coupling) \
  { SCENARIO("plugin: @", KNOT(joint, coupling)), SCENARIO(MODEL, KNOT(joint, coupling)) }
  static const char *const pairs[][2] = {
      PAIR("weld", "scheme: sequential, order: [arm, load]"),
      PAIR("weld", "scheme: sequential, order: [load, arm]"),
      PAIR("spherical", "scheme: sequential, order: [arm, load], pose: feedback"),
      PAIR("weld", "scheme: parallel"),
      PAIR("revolute", "scheme: parallel, reconcile: both"),
      PAIR("weld", "scheme: neighbour")};
  for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
    assert_near(difference(pairs[k][0], pairs[k][1], "]\n"), 0, 8e-14);
  }
}

#define WHOLE(step) "scheme: monolithic, integrator: semi-implicit, step: " step

/* A model is asked again where friction comes loose, a library cannot be: some two steps late. */
static void dry_friction_of_what_is_joined_tends_to_that_of_the_model(void **state) {
  (void)state;
#define FIRST KNOT("weld", "scheme: sequential, order: [arm, load]")
#define PAIR_BY(step) \
  { SCENARIO_BY(step, "plugin: @", FIRST), SCENARIO_BY(step, MODEL, FIRST) }
  static const char *const pairs[][2] = {PAIR_BY("0.002"), PAIR_BY("0.001"),
                                         PAIR("weld", WHOLE("0.002")),
                                         PAIR("weld", WHOLE("0.001"))};
  for (int k = 0; k < 4; k += 2) {
    const double coarse = difference(pairs[k][0], pairs[k][1], "]\n");
    const double fine = difference(pairs[k + 1][0], pairs[k + 1][1], "]\n");
    assert_near(coarse, 0, 0.1);
    assert_true(fine < 0.6 * coarse);
  }
}

/* A library is displaced with the rows of where it is, a robot with those of the step's start. */
static void solved_as_one_it_tends_to_its_model(void **state) {
  (void)state;
  static const char *const pairs[][2] = {PAIR("weld", WHOLE("0.002")),
                                         PAIR("weld", WHOLE("0.001"))};
  const double coarse = difference(pairs[0][0], pairs[0][1], "]\n");
  const double fine = difference(pairs[1][0], pairs[1][1], "]\n");
  assert_near(coarse, 0, 2e-5);
  assert_true(fine < 0.3 * coarse);
}

#define RUBBING(test) cmocka_unit_test_setup_teardown(test, compile_rubbing, remove_library)
#define SMOOTH(test)  cmocka_unit_test_setup_teardown(test, compile_smooth, remove_library)

int main(void) {
  const struct CMUnitTest tests[] = {
      RUBBING(alone_it_moves_as_its_model),
      RUBBING(turned_and_moved_it_moves_as_its_model),
      RUBBING(parameters_are_its_start),
      SMOOTH(in_each_scheme_it_moves_as_its_model),
      RUBBING(dry_friction_of_what_is_joined_tends_to_that_of_the_model),
      SMOOTH(solved_as_one_it_tends_to_its_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
