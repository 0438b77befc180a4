/* Components through the loader: the same mechanisms written in different ways move alike. */
#include "cosim/simulation.h"
#include "scenarios.h"

/* A file for a scenario; the list ends with a name of NULL. */
typedef struct text_file {
  const char *name, *text;
} text_file;

enum { VALUES = 64 };

/* Loads a scenario with files beside it. */
static flg_simulation *load_files(const char *scenario, const text_file *files) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  test_folder folder = make_folder();
  for (; files->name != NULL; files++) make_file(&folder, files->name, files->text);
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) {
    fail_msg("%s:%d: %s", mistakes.list[0].file, mistakes.list[0].line, mistakes.list[0].message);
  }
  return simulation;
}

/* Runs a scenario with files beside it; returns how many values its last row has. */
static int run_files(const char *scenario, const text_file *files, double values[VALUES]) {
  flg_simulation *simulation = load_files(scenario, files);
  run_to_end(simulation);
  const int width = flg_simulation_width(simulation);
  assert_true(width <= VALUES);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
  return width;
}

/* --- two ways to write a mechanism -------------------------------------------------------------
 * A double pendulum in space: two skew axes, centres of mass off them, full inertias. */

#define UPPER "mass: 1.5, centre: [0.4, 0.1, -0.2], inertia: [0.2, 0.3, 0.25, 0.02, -0.01, 0.03]"
#define LOWER "mass: 0.8, centre: [0.1, -0.3, 0.2], inertia: [0.1, 0.08, 0.12, 0.01, 0.02, -0.01]"

static const text_file as_robot = {
    "robot.yaml",
    "flange-model: 1\n"
    "bodies:\n"
    "  upper: {" UPPER
    "}\n"
    "  lower: {" LOWER
    "}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0.2], damping: 0.1}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [1, 0, 0], axis: [1, 1, 0]}\n"
    "ports:\n"
    "  tip: {body: lower, at: [0.5, 0, 0.1]}\n"};

static const text_file as_component = {
    "component.yaml",
    "flange-component: 1\n"
    "bodies:\n"
    "  upper: {" UPPER
    "}\n"
    "  lower: {" LOWER
    ", at: [1, 0, 0]}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, between: [world, upper], axis: [0, 1, 0.2], damping: 0.1}\n"
    "  elbow: {kind: revolute, between: [upper, lower], at: [1, 0, 0], axis: [1, 1, 0]}\n"
    "ports:\n"
    "  tip: {body: lower, at: [0.5, 0, 0.1]}\n"};

static void a_mechanism_moves_alike_in_joint_and_in_absolute_coordinates(void **state) {
  (void)state;
  const text_file files[] = {as_robot, as_component, {NULL, NULL}};
  double values[VALUES];
  const int width = run_files(
      "flange: 1\n"
      "time: {end: 1, macro: 0.5}\n"
      "subsystems:\n"
      "  r: {model: robot.yaml, integrator: adaptive, relative_tolerance: 1e-12}\n"
      "  c: {model: component.yaml, integrator: rk4, step: 1/1000}\n"
      "record: [r/shoulder.position, r/elbow.velocity, r/lower/tip.position, "
      "r/lower/tip.velocity,\n"
      "  r/energy, c/shoulder.position, c/elbow.velocity, c/lower/tip.position,\n"
      "  c/lower/tip.velocity, c/energy]\n",
      files, values);
  assert_int_equal(width, 18);
  assert_true(fabs(values[0]) > 0.5); /* it does move */
  assert_true(max_difference(values, values + 9, 9) < 1e-9);
}

/* Six turns between two rows, of joints that no step reads: one with its ends swapped. */
static void angles_of_joint_coordinates_count_turns(void **state) {
  (void)state;
  const text_file files[] = {
      {"spin.yaml",
       "flange-component: 1\n"
       "bodies:\n"
       "  a: {mass: 1, inertia: [0.1, 0.1, 0.2], at: [0.5, 0, 0], velocity: [0, 20, 0],\n"
       "    angular_velocity: [0, 0, 40]}\n"
       "  b: {mass: 1, inertia: [0.1, 0.1, 0.2], at: [1.5, 0, 0], velocity: [0, 60, 0],\n"
       "    angular_velocity: [0, 0, 40]}\n"
       "joints:\n"
       "  low: {kind: revolute, between: [a, world], axis: [0, 0.1, 1]}\n"
       "  high: {kind: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"},
      {NULL, NULL}};
  double values[2][VALUES];
  for (int k = 0; k < 2; k++) {
    char scenario[400];
    snprintf(scenario, sizeof scenario,
             "flange: 1\n"
             "time: {end: 1, macro: 1}\n"
             "subsystems: {s: {model: spin.yaml, step: 1/5000, coordinates: %s}}\n"
             "record: [s/low.position, s/high.position]\n",
             k == 0 ? "absolute" : "joint");
    assert_int_equal(run_files(scenario, files, values[k]), 2);
  }
  assert_true(fabs(values[0][0]) > 30);
  assert_true(max_difference(values[0], values[1], 2) < 5e-10);
}

/* --- robots inside of components ---------------------------------------------------------------
 */

static const text_file arm = {
    "arm.yaml",
    "flange-model: 1\n"
    "bodies:\n"
    "  upper: {mass: 1, centre: [0.5, 0, 0], inertia: [1e-3, 1/12, 1/12]}\n"
    "  lower: {mass: 1, centre: [0.5, 0, 0], inertia: [1e-3, 1/12, 1/12]}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [1, 0, 0], axis: [0, 1, 0]}\n"
    "ports:\n"
    "  hand: {body: lower, at: [1, 0, 0]}\n"};

static const text_file slot_of_arm = {
    "slot.yaml",
    "flange-component: 1\n"
    "robots:\n"
    "  arm: {model: arm.yaml, initial: {shoulder: -45 deg, elbow: 90 deg}}\n"
    "joints:\n"
    "  slot: {kind: point-on-line, between: [world, arm/hand], at: [0, 0, 0], axis: [1, 0, 0]}\n"};

static const text_file slot_of_bodies = {
    "bodies.yaml",
    "flange-component: 1\n"
    "parameters: {s: =sqrt(2)/4}\n"
    "bodies:\n"
    "  upper: {mass: 1, at: [=s, 0, =s], turn: [0, -45 deg, 0], inertia: [1e-3, 1/12, 1/12]}\n"
    "  lower: {mass: 1, at: [=3*s, 0, =s], turn: [0, 45 deg, 0], inertia: [1e-3, 1/12, 1/12]}\n"
    "markers:\n"
    "  hand: {body: lower, at: [0.5, 0, 0]}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, between: [world, upper], axis: [0, 1, 0]}\n"
    "  elbow: {kind: revolute, between: [upper, lower], at: [=2*s, 0, =2*s], axis: [0, 1, 0]}\n"
    "  slot: {kind: point-on-line, between: [world, hand], at: [0, 0, 0], axis: [1, 0, 0]}\n"};

static void check_slots(const char *integrator, double tolerance) {
  const text_file files[] = {arm, slot_of_arm, slot_of_bodies, {NULL, NULL}};
  char scenario[600];
  double values[VALUES];
  snprintf(scenario, sizeof scenario,
           "flange: 1\n"
           "time: {end: 0.6, macro: 0.1}\n"
           "subsystems:\n"
           "  a: {model: slot.yaml, integrator: %s, step: 1/2000}\n"
           "  b: {model: bodies.yaml, integrator: %s, step: 1/2000}\n"
           "record: [a/arm/elbow.position, a/arm/hand.position, a/slot.position, a/energy,\n"
           "  b/elbow.position, b/hand.position, b/slot.position, b/energy]\n",
           integrator, integrator);
  assert_int_equal(run_files(scenario, files, values), 12);
  values[6] += acos(0); /* its angle counts from the start */
  assert_true(max_difference(values, values + 6, 6) < tolerance);
  assert_near(values[3], 0, 1e-13); /* in the slot */
  assert_near(values[1], values[4], 1e-11);
  assert_near(values[5], 2 * 9.81 * sqrt(2) / 4, tolerance); /* as at the start */
}

static void a_robot_with_a_closed_loop_moves_as_the_bodies_it_is_made_of(void **state) {
  (void)state;
  check_slots("rk4", 1e-8);
  check_slots("rattle", 1e-4);
}

/* a robot and its subsystem may have the same name */
static void a_robot_inside_of_a_component_starts_where_its_file_says(void **state) {
  (void)state;
  const text_file files[] = {arm, slot_of_arm, as_component, {NULL, NULL}};
  const char *apart =
      "flange: 1\n"
      "time: {end: 0.3, macro: 0.1}\n"
      "subsystems: {arm: {model: slot.yaml, step: 0.001}}\n"
      "record: [arm/arm/elbow.position]\n";
  const char *joined =
      "flange: 1\n"
      "time: {end: 0.3, macro: 0.1}\n"
      "subsystems: {arm: {model: slot.yaml, step: 0.001}, c: {model: component.yaml}}\n"
      "interfaces: {end: {between: [world, c/tip], joint: spherical}}\n"
      "record: [arm/arm/elbow.position]\n";
  double first[VALUES], second[VALUES];
  run_files(apart, files, first);
  run_files(joined, files, second);
  assert_near(first[0], second[0], 1e-12);
  assert_true(first[0] > 0.5 && first[0] < acos(0));
}

/* it takes place and speed of the hand of the robot, which stays as the user has it */
static void a_tool_that_is_assembled_leaves_its_robot_alone(void **state) {
  (void)state;
  const text_file tool = {"tool.yaml",
                          "flange-component: 1\n"
                          "bodies: {palm: {mass: 9, inertia: [1, 1, 1], at: [0, 2, 0]}}\n"
                          "ports: {mount: {body: palm}}\n"};
  const text_file files[] = {arm, tool, {NULL, NULL}};
  flg_simulation *simulation = load_files(
      "flange: 1\n"
      "time: {end: 1}\n"
      "subsystems:\n"
      "  arm: {model: arm.yaml, initial: {shoulder: -0.5, elbow: 1},\n"
      "    initial_velocity: {shoulder: 2, elbow: -3}}\n"
      "  tool: {model: tool.yaml, assemble: true}\n"
      "interfaces: {flange: {between: [arm/hand, tool/mount]}}\n"
      "record: [arm/shoulder.position, arm/elbow.position, arm/shoulder.velocity,\n"
      "  arm/elbow.velocity, tool/palm.position, tool/palm.velocity, tool/palm.angular_velocity]\n",
      files);
  double values[VALUES];
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
  const double c = cos(0.5), s = sin(0.5);
  /* the elbow is at (c, s), the hand as far below it; turns about y go from z to x */
  const double expected[] = {-0.5, 1, 2, -3, 2 * c, 0, 0, 2 * s + s, 0, -2 * c + c, 0, -1, 0};
  for (int k = 0; k < 13; k++) assert_near(values[k], expected[k], 1e-13);
}

/* --- where subsystems are, and what pulls at them ----------------------------------------------
 */

static const text_file carrier = {"carrier.yaml",
                                  "flange-component: 1\n"
                                  "robots:\n"
                                  "  robot: {model: robot.yaml}\n"
                                  "components:\n"
                                  "  inner: {file: component.yaml}\n"};

/* all in its own frame, with gravity as seen from there */
static void check_turned(const char *model, const char *path, const char *more) {
  const text_file files[] = {as_robot, as_component, carrier, {NULL, NULL}};
  char scenario[900];
  double values[VALUES];
  snprintf(scenario, sizeof scenario,
           "flange: 1\n"
           "gravity: [0, 0, -9.81]\n"
           "time: {end: 0.5, macro: 0.1}\n"
           "subsystems:\n"
           "  turned: {model: %s, at: [1, 2, 3], turn: [90 deg, 0, 0], step: 1/500}\n"
           "  upright: {model: %s, gravity: [0, -9.81, 0], step: 1/500}\n"
           "  other: {model: component.yaml, gravity: [0, 0, 0], at: [9, 9, 9], step: 1/500}\n"
           "%s"
           "record: [turned/%s.position, upright/%s.position, turned/energy, upright/energy]\n",
           model, model, more, path, path);
  assert_int_equal(run_files(scenario, files, values), 8);
  /* a point (x, y, z) of the one is at (1 + x, 2 - z, 3 + y) of the other */
  assert_near(values[0], 1 + values[3], 1e-11);
  assert_near(values[1], 2 - values[5], 1e-11);
  assert_near(values[2], 3 + values[4], 1e-12);
  assert_true(fabs(values[3] - 1.5) > 0.05);
}

static void a_turned_subsystem_falls_as_one_with_turned_gravity(void **state) {
  (void)state;
  const char *join = "interfaces: {end: {between: [world, other/tip], joint: spherical}}\n";
  check_turned("robot.yaml", "lower/tip", "");
  check_turned("component.yaml", "lower/tip", "");
  check_turned("carrier.yaml", "robot/lower/tip", "");
  check_turned("carrier.yaml", "inner/lower/tip", "");
  check_turned("robot.yaml", "lower/tip", join);
  check_turned("component.yaml", "lower/tip", join);
  check_turned("carrier.yaml", "robot/lower/tip", join);
  check_turned("carrier.yaml", "inner/lower/tip", join);
}

/* --- interfaces --------------------------------------------------------------------------------
 * Two bodies in subsystems of their own, joined by an interface; and both in one component. */

typedef struct joined {
  const char *kind;
  const char *keys;  /* besides kind; the ends are a/port and b/port */
  const char *own_a; /* the joint of a with the world */
  const char *own_b; /* of b */
} joined;

#define PORTS "between: [a/port, b/port]"
static const joined kinds[] = {
    {"weld", PORTS, "kind: spherical", "kind: planar"},
    {"revolute", PORTS ", axis: [0, 1, 0], stiffness: 20, damping: 1", "kind: spherical", ""},
    {"prismatic", PORTS ", axis: [1, 1, 0]", "kind: spherical", ""},
    {"cylindrical", PORTS ", axis: [1, 0, 0]", "kind: spherical", ""},
    {"spherical", PORTS, "kind: revolute", ""},
    {"universal", PORTS ", axis: [0, 1, 0], axis2: [0, 0, 1]", "kind: revolute", ""},
    {"planar", PORTS ", axis: [0, 1, 1]", "kind: spherical", ""},
    {"point-on-line", PORTS ", axis: [0, 1, 0]", "kind: revolute", ""},
    {"distance", "between: [a/far, b/port], length: 1", "kind: revolute", ""},
    {"screw", PORTS ", axis: [1, 0, 0], pitch: 0.1", "kind: spherical", ""},
    {"gear", "drive: [world, a/port], driven: [world, b/port], ratio: -2", "kind: revolute",
     "kind: revolute"},
    {"rack", "drive: [world, a/port], driven: [world, b/port], radius: 0.5, driven_axis: [0, 0, 1]",
     "kind: revolute", "kind: prismatic"},
};

static void write_body(const char *own, double spin, char text[800]) {
  char joint[120] = "";
  if (own[0] != '\0') {
    snprintf(joint, sizeof joint, "joints: {own: {%s, between: [world, body], at: [0, 0, 0]}}\n",
             own);
  }
  snprintf(
      text, 800,
      "flange-component: 1\n"
      "bodies:\n"
      "  body: {mass: 1.5, centre: [0.1, 0.2, 0.1], inertia: [0.2, 0.3, 0.25, 0.02, 0, 0.01],\n"
      "    angular_velocity: [0, 0, %g]}\n"
      "ports:\n"
      "  port: {body: body, at: [0.5, 0, 0]}\n"
      "  far: {body: body, at: [0.5, 0, 1]}\n"
      "%s",
      spin, joint);
}

static void check_interface(const joined *of) {
  char a[800], b[800], whole[800], scenario[900];
  double apart[VALUES], together[VALUES];
  write_body(of->own_a, 0.5, a);
  write_body(of->own_b, 0, b);
  snprintf(whole, sizeof whole,
           "flange-component: 1\n"
           "components: {a: {file: a.yaml}, b: {file: b.yaml}}\n"
           "joints: {i: {kind: %s, %s}}\n",
           of->kind, of->keys);
  const text_file files[] = {{"a.yaml", a}, {"b.yaml", b}, {"whole.yaml", whole}, {NULL, NULL}};
  snprintf(
      scenario, sizeof scenario,
      "flange: 1\n"
      "time: {end: 0.2, macro: 0.1}\n"
      "subsystems: {a: {model: a.yaml, step: 1/1000, coordinates: absolute}, b: {model: b.yaml}}\n"
      "interfaces: {i: {joint: %s, %s}}\n"
      "record: [a/port.position, b/port.position, a/port.orientation, b/port.orientation,\n"
      "  a/far.position, a/energy, b/energy]\n",
      of->kind, of->keys);
  assert_int_equal(run_files(scenario, files, apart), 19);
  assert_int_equal(
      run_files("flange: 1\n"
                "time: {end: 0.2, macro: 0.1}\n"
                "subsystems: {all: {model: whole.yaml, step: 1/1000, coordinates: absolute}}\n"
                "record: [all/a/port.position, all/b/port.position, all/a/port.orientation,\n"
                "  all/b/port.orientation, all/a/far.position, all/a/energy, all/b/energy]\n",
                files, together),
      19);
  if (!(max_difference(apart, together, 19) < 1e-10)) fail_msg("interface %s", of->kind);
  if (strcmp(of->kind, "weld") == 0 || strcmp(of->kind, "spherical") == 0) {
    assert_true(max_difference(apart, apart + 3, 3) < 1e-10);
  }
  if (strcmp(of->kind, "weld") == 0) assert_true(max_difference(apart + 6, apart + 10, 4) < 1e-10);
  if (strcmp(of->kind, "distance") == 0) {
    const double *p = apart + 3, *q = apart + 14;
    assert_near(hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]), 1, 1e-11);
  }
}

static void interfaces_of_all_kinds_join_as_joints_of_components_do(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) check_interface(&kinds[k]);
}

/* --- energies ----------------------------------------------------------------------------------
 */

static const text_file nested = {
    "nested.yaml",
    "flange-component: 1\n"
    "components:\n"
    "  left: {file: carrier.yaml}\n"
    "  right: {file: component.yaml, at: [0, 3, 0]}\n"
    "bodies:\n"
    "  ball: {mass: 2, inertia: [1, 1, 1], at: [0, 5, 0], velocity: [1, 0, 0]}\n"
    "ports:\n"
    "  eye: {body: ball}\n"
    "springs:\n"
    "  rope: {between: [right/tip, ball], stiffness: 100, preload: 3}\n"};

/* bodies, springs and robots belong to the innermost component that holds them */
static void energies_of_parts_add_up_to_that_of_the_whole(void **state) {
  (void)state;
  const text_file files[] = {as_robot, as_component, carrier, nested, {NULL, NULL}};
  double values[VALUES];
  flg_simulation *simulation = load_files(
      "flange: 1\n"
      "time: {end: 0.4, macro: 0.1}\n"
      "subsystems:\n"
      "  r: {model: robot.yaml, at: [0, 9, 0]}\n"
      "  n: {model: nested.yaml, step: 1/1000}\n"
      "interfaces: {i: {between: [r/tip, n/eye], joint: distance}}\n"
      "record: [r/energy, n/energy, n/left/energy, n/right/energy, n/left/inner/energy,\n"
      "  n/left/robot/energy, n/rope.position, n/rope.effort, n/ball.velocity,\n"
      "  n/ball.angular_velocity, n/ball.position]\n",
      files);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  const double whole = flg_simulation_energy(simulation).final;
  flg_simulation_release(simulation);
  assert_near(whole, values[0] + values[1], 1e-10);
  assert_near(values[2], values[4] + values[5], 1e-11);
  const double stretch = (3 - values[7]) / 100; /* effort = preload - stiffness stretch */
  const double rope = 50 * stretch * stretch - 3 * values[6];
  const double *v = values + 8, *w = values + 11, *x = values + 14;
  const double ball = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] +
                      (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / 2 + 2 * 9.81 * x[2];
  assert_near(values[1], values[2] + values[3] + rope + ball, 1e-10);
  assert_true(fabs(values[0]) > 0.1 && fabs(values[2]) > 0.1 && fabs(values[3]) > 0.1);
}

/* What a run may expect of the energy: it stays only where nothing drives, rubs, hits or damps. */
static void energy_stays_only_where_nothing_takes_or_gives_it(void **state) {
  (void)state;
  static const struct {
    const char *what, *shapes;
    flg_energy_law law;
  } cases[] = {
      {"", "", FLG_ENERGY_STAYS},
      {"springs: {s: {between: [world, a], stiffness: 5, length: 1}}\n", "", FLG_ENERGY_STAYS},
      {"springs: {s: {between: [world, a], stiffness: 5, length: 1, damping: 0.1}}\n", "",
       FLG_ENERGY_FALLS},
      {"", ", shapes: [{kind: sphere, size: 0.1, collision: true}]", FLG_ENERGY_FALLS},
      {"efforts: {e: {on: j, effort: 2}}\n", "", FLG_ENERGY_DRIVEN},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char component[800];
    snprintf(component, sizeof component,
             "flange-component: 1\nbodies:\n"
             "  a: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]%s}\n"
             "  b: {mass: 1, inertia: [1, 1, 1], at: [2, 0, 0]%s}\n"
             "joints: {j: {kind: revolute, between: [world, a], axis: [0, 0, 1]}}\n%s",
             cases[k].shapes, cases[k].shapes, cases[k].what);
    flg_simulation *simulation = load_texts(
        "flange: 1\ntime: {end: 1, macro: 1/100}\n"
        "subsystems: {s: {model: model.yaml}}\n",
        component);
    assert_int_equal(flg_subsystem_energy_law(&simulation->subsystems[0]), cases[k].law);
    flg_simulation_release(simulation);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mechanism_moves_alike_in_joint_and_in_absolute_coordinates),
      cmocka_unit_test(angles_of_joint_coordinates_count_turns),
      cmocka_unit_test(a_robot_with_a_closed_loop_moves_as_the_bodies_it_is_made_of),
      cmocka_unit_test(a_robot_inside_of_a_component_starts_where_its_file_says),
      cmocka_unit_test(a_tool_that_is_assembled_leaves_its_robot_alone),
      cmocka_unit_test(a_turned_subsystem_falls_as_one_with_turned_gravity),
      cmocka_unit_test(interfaces_of_all_kinds_join_as_joints_of_components_do),
      cmocka_unit_test(energy_stays_only_where_nothing_takes_or_gives_it),
      cmocka_unit_test(energies_of_parts_add_up_to_that_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
