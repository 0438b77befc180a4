/* Plug-ins that touch: a body of a library bounces, skids and rolls as the same body of a file
 * does, alone and joined to others in every scheme. */
#include "cosim/simulation.h"
#include "plugins.h"
#include "scenarios.h"

enum { MOST = 40 };

/* ---- pairs that must agree ---- */

/* mass, radius or edge, friction, restitution, velocity and spin at the start */
typedef struct sample {
  bool is_cube;
  bool rest_is_first; /* of the ends of its interface */
  double mass, size, friction, restitution, velocity[3], spin[3];
  const char *turn; /* of the body */
} sample;

static const char rod[] =
    "flange-component: 1\nbodies: {rod: {mass: 0.5, inertia: [0.01, 0.01, 0.001],\n"
    "  at: [0, 0, 0.3], velocity: [%g, %g, %g],\n"
    "  shapes: [{kind: points, values: [0, 0, 0.3], friction: 0.3, restitution: 0.6}]}}\n"
    "ports: {low: {body: rod, at: [0, 0, -0.3]}}\n";

static void write_rod(test_folder *folder, const sample *of) {
  char text[1000];
  snprintf(text, sizeof text, rod, of->velocity[0], of->velocity[1], of->velocity[2]);
  make_file(folder, "rod.yaml", text);
}

static void write_body(test_folder *folder, const sample *of) {
  const double inertia = of->mass * of->size * of->size * (of->is_cube ? 1 / 6.0 : 0.4);
  char text[2000], size[100];
  snprintf(size, sizeof size, of->is_cube ? "[%g, %g, %g]" : "%g", of->size, of->size, of->size);
  snprintf(text, sizeof text,
           "flange-component: 1\nbodies:\n  centre:\n    mass: %.17g\n"
           "    inertia: [%.17g, %.17g, %.17g]\n    turn: %s\n    velocity: [%g, %g, %g]\n"
           "    angular_velocity: [%g, %g, %g]\n"
           "    shapes: [{kind: %s, size: %s, name: skin, friction: %g, restitution: %g}]\n"
           "ports: {middle: {body: centre}}\n",
           of->mass, inertia, inertia, inertia, of->turn, of->velocity[0], of->velocity[1],
           of->velocity[2], of->spin[0], of->spin[1], of->spin[2], of->is_cube ? "box" : "sphere",
           size, of->friction, of->restitution);
  make_file(folder, "body.yaml", text);
}

/* the body, as a file or as a library */
static void print_body(const sample *of, bool is_library, char *text, size_t size) {
  if (!is_library) {
    snprintf(text, size,
             "{model: body.yaml, integrator: semi-implicit, step: 1/600, at: [0, 0, 0.5]}");
    return;
  }
  snprintf(text, size,
           "{plugin: " PLUGIN("body") ", step: 1/600, at: [0, 0, 0.5], turn: %s,\n"
           "    parameters: {mass: %.17g, size: %g, cube: %d, friction: %g, restitution: %g,\n"
           "      velocity: [%g, %g, %g], spin: [%g, %g, %g]}}",
           of->turn, of->mass, of->size, of->is_cube, of->friction, of->restitution,
           of->velocity[0], of->velocity[1], of->velocity[2], of->spin[0], of->spin[1],
           of->spin[2]);
}

/* scheme NULL: alone */
static void print_scenario(const sample *of, bool is_library, const char *scheme, const char *joint,
                           char *text, size_t size) {
  char body[1000], rest[1000] = "";
  const char *end = is_library ? "body/centre" : "body/middle";
  print_body(of, is_library, body, sizeof body);
  if (scheme != NULL) {
    snprintf(rest, sizeof rest,
             "  rest: {model: rod.yaml, integrator: semi-implicit, step: 1/600, at: [0, 0, 0.5]}\n"
             "interfaces: {hook: {between: [%s, %s], joint: %s}}\n"
             "coupling: {scheme: %s}\n",
             of->rest_is_first ? "rest/low" : end, of->rest_is_first ? end : "rest/low", joint,
             scheme);
  }
  snprintf(text, size,
           "flange: 1\ntime: {end: 1, macro: 1/60}\nsubsystems:\n  body: %s\n%s"
           "ground: {shapes: [{kind: plane, friction: 0.3, restitution: 0.6}]}\n"
           "record: [body/centre.position, body/centre.velocity, body/centre.angular_velocity,\n"
           "  body/centre/skin.force, body/contacts.closed, body/energy%s]\n",
           body, rest, scheme == NULL ? "" : ", rest/rod.position, hook.force");
}

static flg_simulation *load(const sample *of, bool is_library, const char *scheme,
                            const char *joint) {
  test_folder folder = make_folder();
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  char text[4000];
  print_scenario(of, is_library, scheme, joint, text, sizeof text);
  write_rod(&folder, of);
  write_body(&folder, of);
  const char *path = make_file(&folder, "scenario.yaml", text);
  flg_simulation *simulation = NULL;
  if (flg_simulation_load(&simulation, path, NULL, 0, &mistakes) != FLG_OK) {
    fail_msg("%s\n%s", mistakes.list[0].message, text);
  }
  remove_folder(&folder);
  return simulation;
}

/* how many values there are */
static int run(const sample *of, bool is_library, const char *scheme, const char *joint,
               double *values) {
  flg_simulation *simulation = load(of, is_library, scheme, joint);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
  return scheme == NULL ? 14 : 20;
}

static double difference(const sample *of, const char *scheme, const char *joint) {
  double file[MOST], library[MOST];
  const int count = run(of, false, scheme, joint, file);
  assert_int_equal(run(of, true, scheme, joint, library), count);
  return max_difference(file, library, count);
}

static const sample ball = {.mass = 2,
                            .size = 0.1,
                            .friction = 0.3,
                            .restitution = 0.6,
                            .velocity = {1, 0.2, 0},
                            .spin = {2, -1, 3},
                            .turn = "[0, 0, 0]"};

/* ---- tests ---- */

static void a_ball_alone_is_that_of_a_file(void **state) {
  (void)state;
  const sample samples[] = {
      ball,
      {.mass = 0.3, .size = 0.2, .velocity = {0, -2, 1}, .turn = "[1, 0, 0]"}, /* slides, lands */
      {.mass = 5,
       .size = 0.05,
       .friction = 1,
       .restitution = 0.9,
       .spin = {0, 40, 0},
       .turn = "[0, 0, 2]"},
      {.is_cube = true,
       .mass = 1,
       .size = 0.1,
       .friction = 0.4,
       .restitution = 0.3,
       .velocity = {0.5, 0, 0},
       .spin = {1, 2, 0.5},
       .turn = "[0.3, 0.2, 0.1]"}};
  for (size_t k = 0; k < sizeof samples / sizeof samples[0]; k++) {
    const double error = difference(&samples[k], NULL, NULL);
    print_message("sample %zu: %.2g\n", k, error);
    assert_true(error < 1e-8); /* each hit of an edge magnifies rounding */
  }
}

/* all that run for long at this macro step */
static void a_ball_is_joined_as_that_of_a_file(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic",
                                        "sequential",
                                        "sequential, order: [rest, body]",
                                        "sequential, pose: feedback",
                                        "parallel",
                                        "parallel, reconcile: both",
                                        "neighbour",
                                        "jacobi",
                                        "paper-nonsmooth"};
  sample swapped = ball;
  swapped.friction = 0.6, swapped.restitution = 0.2, swapped.mass = 0.7;
  for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; k++) {
    const double errors[] = {difference(&ball, schemes[k], "spherical"),
                             difference(&swapped, schemes[k], "spherical")};
    print_message("%s: %.2g, %.2g\n", schemes[k], errors[0], errors[1]);
    assert_true(errors[0] < 1e-8 && errors[1] < 1e-8);
  }
}

/* a body whose rod is a part of it: nothing turns on its own */
static void a_cube_is_welded_as_that_of_a_file(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential", "parallel"};
  const sample cube = {.is_cube = true,
                       .mass = 2,
                       .size = 0.1,
                       .friction = 0.3,
                       .restitution = 0.6,
                       .velocity = {1, 0.2, 0},
                       .turn = "[0, 0, 0]"};
  for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; k++) {
    const double error = difference(&cube, schemes[k], "weld");
    print_message("%s: %.2g\n", schemes[k], error);
    assert_true(error < 1e-8);
  }
}

/* It tumbles along under its rod, whichever end of the joint stands first. */
static void a_cube_is_joined_as_that_of_a_file(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential",
                                        "sequential, order: [rest, body]", "parallel",
                                        "parallel, reconcile: both"};
  static const char *const joints[] = {"spherical", "revolute"};
  sample cube = {.is_cube = true,
                 .mass = 2,
                 .size = 0.1,
                 .friction = 0.3,
                 .restitution = 0.2,
                 .velocity = {0.3, 0.1, 0},
                 .turn = "[0, 0, 0]"};
  for (size_t k = 0; k < 2 * (sizeof schemes / sizeof schemes[0]); k++) {
    cube.rest_is_first = k % 2 == 1;
    for (int j = 0; j < 2; j++) {
      const double error = difference(&cube, schemes[k / 2], joints[j]);
      print_message("%s, %s%s: %.2g\n", schemes[k / 2], joints[j],
                    cube.rest_is_first ? ", ends swapped" : "", error);
      assert_true(error < 2e-13);
    }
  }
}

/* A library may push its bodies in any way, a body of a file only falls and rubs: alone, and as a
 * part of the whole. */
static void energy_of_a_library_has_no_law(void **state) {
  (void)state;
  static const char *const schemes[] = {NULL, "monolithic"};
  for (int k = 0; k < 4; k++) {
    const bool is_library = k % 2 == 1;
    flg_simulation *simulation = load(&ball, is_library, schemes[k / 2], "weld");
    assert_int_equal(flg_subsystem_energy_law(&simulation->subsystems[0]),
                     is_library ? FLG_ENERGY_DRIVEN : FLG_ENERGY_FALLS);
    flg_simulation_release(simulation);
  }
}

#define ALONE(library, more)                                                  \
  "flange: 1\ntime: {end: 1, macro: 0.05}\nsubsystems: {a: {plugin: " library \
  "}}\nground: {shapes: [{kind: plane}]}\n" more

static void shapes_that_cannot_be_are_told(void **state) {
  (void)state;
  static const struct {
    const char *scenario, *sentence;
  } faults[] = {{ALONE(PLUGIN("faulty16"), ""), "lacks the function 'impulse'"},
                {ALONE(PLUGIN("faulty17"), ""), "a shape is on a port that does not exist"},
                {ALONE(PLUGIN("faulty18"), ""), "a shape is of a kind that does not exist"},
                {ALONE(PLUGIN("faulty19"), ""), "its shapes do not tell their size"},
                {ALONE(PLUGIN("faulty20"), ""), "has no rotation matrix"},
                {ALONE(PLUGIN("faulty21"), ""), "there is no material 'cheese'"},
                {ALONE(PLUGIN("faulty22"), ""), "size"},
                {ALONE(PLUGIN("body") ", parameters: {friction: -1}", ""),
                 "Friction must be a number that is not negative"}};
  for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
    const char *text = mistakes_of(faults[k].scenario, NULL);
    if (strstr(text, faults[k].sentence) == NULL) fail_msg("%s: '%s'", faults[k].sentence, text);
  }
  assert_string_equal(
      mistakes_of(ALONE(PLUGIN("faulty21"), "materials: {cheese: {friction: 0.1}}\n"), NULL), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_alone_is_that_of_a_file),
      cmocka_unit_test(a_ball_is_joined_as_that_of_a_file),
      cmocka_unit_test(a_cube_is_welded_as_that_of_a_file),
      cmocka_unit_test(a_cube_is_joined_as_that_of_a_file),
      cmocka_unit_test(energy_of_a_library_has_no_law),
      cmocka_unit_test(shapes_that_cannot_be_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
