/* Plug-ins: what they may do, what is done about what they do wrong, and the example of them. */
#include "cosim/simulation.h"
#include "plugin/plugin_subsystem.h"
#include "plugins.h"
#include "scenarios.h"

enum { ROWS = 6 };

static void run_into(const char *scenario, const char *model, const char *sentence) {
  flg_simulation *simulation = load_texts(scenario, model);
  flg_error error = {0};
  flg_status status = FLG_OK;
  while (status == FLG_OK && !flg_simulation_ended(simulation)) {
    status = flg_simulation_step(simulation, &error);
  }
  assert_int_equal(status, FLG_ERR_DIVERGED);
  if (strstr(error.message, sentence) == NULL) fail_msg("'%s'", error.message);
  flg_simulation_release(simulation);
}

static void assert_mistake(const char *scenario, const char *model, const char *sentence) {
  const char *text = mistakes_of(scenario, model);
  if (strstr(text, sentence) == NULL) fail_msg("'%s' is not in '%s'", sentence, text);
}

/* ---- what is wrong with libraries ---- */

#define ALONE(library) \
  "flange: 1\ntime: {end: 1, macro: 0.05}\nsubsystems: {a: {plugin: " library "}}\n"

static void libraries_that_cannot_be_used_are_told_apart(void **state) {
  (void)state;
  assert_string_equal(mistakes_of(ALONE(PLUGIN("faulty0")), NULL), "");
  assert_mistake(ALONE("./missing.so"), NULL, "there is no plug-in");
  assert_mistake(ALONE("./scenario.yaml"), NULL, "is no shared library that can be loaded");
  assert_mistake(ALONE(PLUGIN("servo")), NULL, "supplies no subsystem");
  static const struct {
    const char *scenario, *sentence;
  } faults[] = {
      {ALONE(PLUGIN("faulty1")), "was made for version 7 of the interface, this is version 1"},
      {ALONE(PLUGIN("faulty2")), "does not export the function flg_plugin_v1"},
      {ALONE(PLUGIN("faulty3")), "returns no table"},
      {ALONE(PLUGIN("faulty4")), "lacks the function 'step'"},
      {ALONE(PLUGIN("faulty5")), "lacks the function 'displace'"},
      {ALONE(PLUGIN("faulty6")), "its state is empty"},
      {ALONE(PLUGIN("faulty7")), "its state is not finite at the start"},
      {ALONE(PLUGIN("faulty8")), "the admittance D of its ports is not symmetric"},
      {ALONE(PLUGIN("faulty9")), "the frame of port 'port' is not finite, or has no rotation"},
      {ALONE(PLUGIN("faulty10")), "it does not know itself"},
  };
  for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
    assert_mistake(faults[k].scenario, NULL, faults[k].sentence);
  }
}

static void tables_of_older_libraries_end_where_they_end(void **state) {
  (void)state;
  flg_simulation *simulation = load_texts(ALONE(PLUGIN("faulty14")), NULL);
  assert_false(flg_plugged_subsystem_yields(flg_subsystem_plugin(&simulation->subsystems[0])));
  flg_simulation_release(simulation);
}

static void what_goes_wrong_on_the_way_ends_the_simulation(void **state) {
  (void)state;
  run_into(ALONE(PLUGIN("faulty12")), NULL, "the mass is tired");
  run_into(ALONE(PLUGIN("faulty13")), NULL, "not finite");
}

#define TOLD(fault, signal) ALONE(PLUGIN("faulty" fault)) "record: [a/" signal "]\n"

/* the state is finite all along: the library is named, not the step */
static void answers_that_are_no_numbers_end_the_simulation(void **state) {
  (void)state;
  run_into(ALONE(PLUGIN("faulty23")), NULL,
           "Subsystem 'a': plug-in 'faulty' reports an energy of nan J at t = 0.2 s");
  run_into(TOLD("24", "load.heat"), NULL,
           "reports a number of 'load.heat' that is NaN or infinite");
  run_into(TOLD("25", "port.velocity"), NULL, "reports a number of 'port.position' that is NaN");
  run_into(ALONE(PLUGIN("faulty26")), NULL, "leaves the processor rounding in another direction");
}

static void answers_that_nobody_reads_are_not_asked_for(void **state) {
  (void)state;
  double value;
  final_values(TOLD("24", "speed"), NULL, &value);
  assert_true(value == 1);
}

/* ---- what is wrong with scenarios ---- */

/* a free ball of 2 kg that flies towards the plug-in's mass, from where it is joined to it on */
static const char ball[] =
    "flange-model: 1\nbodies: {ball: {mass: 2, inertia: [1, 1, 1]}}\n"
    "joints: {sky: {kind: floating, child: ball}}\nports: {centre: {body: ball}}\n";
#define JOINED(library, more, joint, coupling) \
  MEETING(library, more, joint, coupling)      \
  "record: [ball/ball.position, ball/ball.velocity, mass/port.position, mass/port.velocity]\n"
#define MEETING(library, more, joint, coupling)                                            \
  "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 0.05}\nsubsystems:\n"              \
  "  ball: {model: model.yaml, step: 0.01, initial_velocity: {sky: [1, 2, 0, 0, 0, 0]}}\n" \
  "  mass: {plugin: " library ", step: 0.01" more                                          \
  "}\n"                                                                                    \
  "interfaces: {hook: {between: [ball/centre, mass/" joint "}}\ncoupling: {" coupling "}\n"
#define FREE_MASS PLUGIN("faulty0")
#define HOOK      "port], joint: spherical"

static void scenarios_that_cannot_be_are_told(void **state) {
  (void)state;
  assert_mistake(JOINED(FREE_MASS, "", HOOK, "integrator: rattle"), ball,
                 "subsystem 'mass' takes steps of its own, to which only semi-implicit ones can be "
                 "joined; use the integrator semi-implicit");
  assert_mistake(JOINED(FREE_MASS, "", "prot], joint: spherical", "scheme: sequential"), ball,
                 "no port 'prot'; its ports are port");
  assert_mistake(JOINED(FREE_MASS, ", at: [0, 0, 0.25]", HOOK, "scheme: sequential"), ball,
                 "its ends are 0.25 m and 0 rad apart at the start");
  assert_mistake(JOINED(FREE_MASS, ", initial: {x: 1}", HOOK, "scheme: sequential"), ball,
                 "takes no key 'initial'");
  assert_mistake(JOINED(FREE_MASS, ", model: model.yaml", HOOK, "scheme: sequential"), ball,
                 "has a model and a plug-in");
  assert_mistake("flange: 1\ntime: {end: 1}\nsubsystems: {a: {step: 1/60}}\n", NULL,
                 "key 'model' is missing");
  assert_mistake(ALONE(PLUGIN("mass_spring") ", parameters: {weight: 3}"), NULL,
                 "there is no parameter 'weight'; there are masses");
}

static void schemes_that_give_impulses_back_need_one_who_takes_them(void **state) {
  (void)state;
  assert_mistake(JOINED(FREE_MASS, "", HOOK, "scheme: parallel"), ball,
                 "scheme parallel gives impulses back, which plug-in 'mass' cannot take");
  assert_string_equal(
      mistakes_of(JOINED(FREE_MASS, "", HOOK, "scheme: parallel, reconcile: none"), ball), "");
}

/* ---- mechanics ---- */

/* Two masses of 2 kg that are joined while one of them moves go on with half its velocity. The
 * spherical joint is at the ball's centre, so it does not turn. */
static void joined_masses_share_their_momentum(void **state) {
  (void)state;
  double values[12];
  final_values(JOINED(FREE_MASS, "", HOOK, "scheme: sequential"), ball, values);
  const double velocity[3] = {0.5, 1, 0};
  for (int i = 0; i < 3; i++) {
    assert_near(values[3 + i], velocity[i], 1e-12);
    assert_near(values[9 + i], velocity[i], 1e-12);
    assert_near(values[i], values[6 + i], 1e-12); /* the ball is brought to the mass */
  }
}

#define ONE_MASS                                                                                 \
  JOINED(PLUGIN("mass_spring"), ", parameters: {masses: 1, mass: 2}", "head], joint: spherical", \
         "scheme: monolithic")

/* The same, solved as one: at the start robots move as the user says, and others with them. */
static void a_mass_that_is_solved_as_one_starts_with_the_robot(void **state) {
  (void)state;
  static char text[2000];
  double values[12];
  snprintf(text, sizeof text, "%s", ONE_MASS);
  for (char *port = text; (port = strstr(port, "mass/port")) != NULL; port++) {
    memcpy(port, "mass/head", 9);
  }
  final_values(text, ball, values);
  const double expected[12] = {1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
  assert_true(max_difference(values, expected, 12) < 1e-12);
}

/* The library is driven in its micro steps, and asked for a model at communication points. */
static void a_model_that_fails_on_the_way_ends_the_simulation(void **state) {
  (void)state;
  run_into(JOINED(PLUGIN("faulty11"), "", HOOK, "scheme: sequential"), ball,
           "'mass': plug-in 'faulty' at t = 0.11 s: the model of its ports is not finite");
  run_into(JOINED(PLUGIN("faulty15"), "", HOOK, "scheme: sequential"), ball,
           "'mass': plug-in 'faulty' at t = 0.11 s: it does not know itself");
  run_into(JOINED(PLUGIN("faulty15"), "", HOOK, "scheme: hold"), ball, "it does not know itself");
  run_into(JOINED(PLUGIN("faulty11"), "", HOOK, "scheme: monolithic"), ball,
           "'mass': plug-in 'faulty' at t = 0.11 s: the model of its ports is not finite");
  run_into(JOINED(PLUGIN("faulty15"), "", HOOK, "scheme: monolithic"), ball,
           "'mass': plug-in 'faulty' at t = 0.11 s: it does not know itself");
}

/* though a ball needs no rotation, and schemes may take a wrong model for a soft one */
static void ports_are_looked_at_in_every_scheme(void **state) {
  (void)state;
  run_into(MEETING(PLUGIN("faulty25"), "", HOOK, "scheme: sequential"), ball,
           "plug-in 'faulty' tells a frame of port 'port' that is not finite");
  run_into(MEETING(PLUGIN("faulty25"), "", HOOK, "scheme: monolithic"), ball,
           "plug-in 'faulty' tells a frame of port 'port' that is not finite");
  run_into(MEETING(PLUGIN("faulty27"), "", HOOK, "scheme: sequential"), ball,
           "not symmetric and semidefinite");
  run_into(MEETING(PLUGIN("faulty27"), "", HOOK, "scheme: monolithic"), ball,
           "not symmetric and semidefinite");
}

#define LINE(scheme) \
  "flange: 1\ngravity: [1, 0, -9.81]\ntime: {end: 1, macro: 0.1}\n"                       \
  "subsystems: {a: {plugin: " PLUGIN(                                                      \
      "mass_spring") ", step: 0.01, at: [1, 2, 3],\n"                                      \
                     "  parameters: {masses: 1, mass: 2}}}\n"                              \
                     "interfaces: {line: {between: [world, a/head], joint: point-on-line, " \
                     "axis: [1, 0, 0]}}\n"                                                 \
                     "coupling: {scheme: " scheme                                          \
                     "}\nrecord: [a/mass0.position, a/head.velocity]\n"

/* On a line along x the only mass falls with 1 m/s^2, not with 9.81: closed form of the stepping.
 */
static void a_mass_slides_along_a_line_in_the_world(void **state) {
  (void)state;
  static const char *const lines[] = {LINE("sequential"), LINE("monolithic")};
  for (int i = 0; i < 2; i++) {
    double values[6];
    final_values(lines[i], NULL, values);
    const double expected[6] = {1 + 0.01 * 0.01 * 100 * 101 / 2, 2, 3, 1, 0, 0};
    for (int k = 0; k < 6; k++) assert_near(values[k], expected[k], 1e-12);
  }
}

#define SWING "subsystems: {pendulum: {step: 0.01, "
#define WITH_BALL(order, scheme)                                                    \
  "},\n  ball: {model: model.yaml, step: 0.005,\n"                                  \
  "    initial: {sky: [-0.644217687237691, 0, -0.764842187284489, 1, 0, 0, 0]}}}\n" \
  "flange: 1\ntime: {end: 1, macro: 0.02}\n"                                        \
  "interfaces: {tie: {between: [pendulum/tip, ball/centre], joint: spherical}}\n"   \
  "coupling: {scheme: " scheme order "}\nrecord: [ball/ball.position, ball/ball.velocity]\n"
#define PENDULUM_LIBRARY SWING "plugin: " PLUGIN("pendulum")
#define PENDULUM_ROBOT \
  SWING "model: pendulum.yaml, integrator: semi-implicit, initial: {hinge: 0.7}"

static const char rod[] =
    "flange-model: 1\nbodies: {bob: {mass: 2, centre: [0, 0, -1], inertia: [1, 1, 1]}}\n"
    "joints: {hinge: {kind: revolute, child: bob, axis: [0, 1, 0]}}\n"
    "ports: {tip: {body: bob, at: [0, 0, -1]}}\n";

static void final_with_rod(const char *scenario, double *values) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  test_folder folder = make_folder();
  make_file(&folder, "model.yaml", ball);
  make_file(&folder, "pendulum.yaml", rod);
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

/* Its rows turn: what it tells of them is used as it is of the robot, first, last and at once. */
static void a_library_is_met_as_a_robot_that_answers_the_same(void **state) {
  (void)state;
  static const char *const pairs[3][2] = {
      {PENDULUM_LIBRARY WITH_BALL(", order: [pendulum, ball]", "sequential"),
       PENDULUM_ROBOT WITH_BALL(", order: [pendulum, ball]", "sequential")},
      {PENDULUM_LIBRARY WITH_BALL(", order: [ball, pendulum]", "sequential"),
       PENDULUM_ROBOT WITH_BALL(", order: [ball, pendulum]", "sequential")},
      {PENDULUM_LIBRARY WITH_BALL("", "parallel"), PENDULUM_ROBOT WITH_BALL("", "parallel")}};
  for (int k = 0; k < 3; k++) {
    double library[6], robot[6];
    final_with_rod(pairs[k][0], library);
    final_with_rod(pairs[k][1], robot);
    print_message("library against robot: %.3g\n", max_difference(library, robot, 6));
    assert_true(max_difference(library, robot, 6) < 1e-10);
  }
}

/* Solved as one: a library is displaced with the rows of where it is, a robot with those of the
 * step's start, so both differ by h^2. */
static void a_library_that_is_solved_as_one_tends_to_the_robot(void **state) {
  (void)state;
  static const char *const pairs[2][2] = {
      {PENDULUM_LIBRARY WITH_BALL(", step: 0.005", "monolithic"),
       PENDULUM_ROBOT WITH_BALL(", integrator: semi-implicit, step: 0.005", "monolithic")},
      {PENDULUM_LIBRARY WITH_BALL(", step: 0.0025", "monolithic"),
       PENDULUM_ROBOT WITH_BALL(", integrator: semi-implicit, step: 0.0025", "monolithic")}};
  double off[2];
  for (int k = 0; k < 2; k++) {
    double library[6], robot[6];
    final_with_rod(pairs[k][0], library);
    final_with_rod(pairs[k][1], robot);
    off[k] = max_difference(library, robot, 6);
    print_message("library against robot, solved as one: %.3g\n", off[k]);
  }
  assert_true(off[0] < 1e-4);
  assert_true(off[1] < 0.3 * off[0]);
}

/* ---- the ports ---- */

typedef struct shaken {
  flg_simulation *simulation;
  const flg_coupled_ops *ops;
  void *self;
  flg_interface_model *model;
  double memory[2000];
} shaken;

/* a chain in motion, with two outer ports on its port, the second turned */
static void shake(shaken *of, int outer_ports) {
  of->simulation = load_texts(plugin_chain, NULL);
  const flg_subsystem *subsystem = &of->simulation->subsystems[0];
  const flg_mat3 turn = {{0, 1, 0, -1, 0, 0, 0, 0, 1}};
  const flg_plugin_outer_port list[2] = {{0, flg_mat3_identity()}, {0, turn}};
  assert_int_equal(
      flg_plugged_subsystem_join(flg_subsystem_plugin(subsystem), list, outer_ports, NULL), FLG_OK);
  of->ops = subsystem->ops->coupled, of->self = subsystem->self;
  assert_true(flg_interface_model_bytes(ROWS * outer_ports) <= sizeof of->memory);
  assert_int_equal(flg_interface_model_build(of->memory, ROWS * outer_ports, ROWS * outer_ports,
                                             &of->model, NULL),
                   FLG_OK);
  const double kick[2 * ROWS] = {1, -2, 0.5};
  for (int k = 0; k < 5; k++) {
    assert_int_equal(of->ops->push(of->self, 0, 0.01, k, kick, NULL), FLG_OK);
  }
}

static void assert_port_velocity(const shaken *of, const double *expected) {
  double velocity[ROWS];
  flg_spatial_store(of->ops->frame(of->self, 0).velocity, velocity);
  assert_true(max_difference(velocity, expected, ROWS) < 1e-12);
}

/* w + tau r + D L by hand */
static void foretell(const shaken *of, double tau, const double *impulses, double *to) {
  const int n = of->model->rows;
  for (int i = 0; i < ROWS; i++) {
    to[i] =
        flg_interface_model_velocity(of->model)[i] + tau * flg_interface_model_bias(of->model)[i];
    for (int j = 0; j < n; j++) {
      to[i] += flg_interface_model_admittance(of->model)[i + n * j] * impulses[j];
    }
  }
}

static void the_model_foretells_what_impulses_do(void **state) {
  (void)state;
  const double impulses[2 * ROWS] = {0.3, 0.1, -0.7, 0, 0, 0, -0.2, 0.4, 0.9, 0, 0, 0};
  for (int outer_ports = 1; outer_ports <= 2; outer_ports++) {
    static shaken of;
    double expected[ROWS];
    shake(&of, outer_ports);
    assert_int_equal(of.ops->ports(of.self), outer_ports);
    assert_int_equal(of.ops->reduce(of.self, 0.05, 0.01, of.model), FLG_OK);
    assert_int_equal(flg_interface_model_check(of.model, NULL), FLG_OK);
    foretell(&of, 0.01, impulses, expected);
    assert_int_equal(of.ops->push(of.self, 0.05, 0.01, 0, impulses, NULL), FLG_OK);
    assert_port_velocity(&of, expected);

    assert_int_equal(of.ops->reduce(of.self, 0.06, 0, of.model), FLG_OK);
    foretell(&of, 0, impulses, expected);
    assert_int_equal(of.ops->impulse(of.self, impulses), FLG_OK);
    assert_port_velocity(&of, expected);

    const flg_vec3 before = of.ops->frame(of.self, 0).pose.position;
    memset(flg_interface_model_velocity(of.model), 0, ROWS * sizeof(double));
    foretell(&of, 0, impulses, expected);
    assert_int_equal(of.ops->displace(of.self, impulses), FLG_OK);
    const flg_vec3 moved = flg_vec3_subtract(of.ops->frame(of.self, 0).pose.position, before);
    assert_true(flg_vec3_norm(flg_vec3_subtract(moved, flg_vec3_load(expected))) < 1e-12);
    flg_simulation_release(of.simulation);
  }
}

static void outer_ports_turn_their_frames(void **state) {
  (void)state;
  static shaken of;
  shake(&of, 2);
  const flg_mat3 turned = of.ops->frame(of.self, 1).pose.rotation;
  assert_near(flg_mat3_column(&turned, 0).y, 1, 1e-15);
  flg_simulation_release(of.simulation);
}

static void parameters_and_placement_are_part_of_the_identity(void **state) {
  (void)state;
  static const char *const lines[] = {"", ", parameters: {mass: 2}", ", at: [0, 0, 1]"};
  uint64_t seen[3];
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(text, sizeof text, "flange: 1\ntime: {end: 1}\nsubsystems: {a: {plugin: %s%s}}\n",
             PLUGIN("mass_spring"), lines[k]);
    flg_simulation *simulation = load_texts(text, NULL);
    seen[k] = flg_simulation_identity(simulation);
    flg_simulation_release(simulation);
  }
  assert_true(seen[0] != seen[1] && seen[0] != seen[2] && seen[1] != seen[2]);
}

/* ---- controllers ---- */

static const char pendulum[] =
    "flange-model: 1\nbodies: {bob: {mass: 1, centre: [0, 0, -1], inertia: [1, 1, 1]}}\n"
    "joints: {hinge: {kind: revolute, child: bob, axis: [0, 1, 0], limits: {effort: 9}}}\n";
#define DRIVEN(controller)                                                               \
  "flange: 1\ntime: {end: 2, macro: 0.05}\nsubsystems:\n  a: {model: model.yaml, step: " \
  "0.01, initial: {hinge: 1}, controllers: {c: {" controller                             \
  "}}}\nrecord: "                                                                        \
  "[a/hinge.position, a/hinge.velocity, a/hinge.effort]\n"
#define SERVO(parameters) "kind: plugin, plugin: " PLUGIN("servo") ", parameters: {" parameters "}"

static void a_controller_from_a_library_is_as_good_as_ours(void **state) {
  (void)state;
  static const char *const pairs[2][2] = {
      {DRIVEN(SERVO("stiffness: 30, damping: 2, target: 0.5")),
       DRIVEN("kind: pd, stiffness: 30, damping: 2, points: [{at: 0, position: [0.5]}]")},
      {DRIVEN(SERVO("stiffness: 30, damping: 2, target: 0.5") ", sample: 0.05"),
       DRIVEN("kind: pd, stiffness: 30, damping: 2, points: [{at: 0, position: [0.5]}], sample: "
              "0.05")}};
  for (int k = 0; k < 2; k++) {
    double theirs[3], ours[3];
    final_values(pairs[k][0], pendulum, theirs);
    final_values(pairs[k][1], pendulum, ours);
    assert_memory_equal(theirs, ours, sizeof ours);
  }
}

static void controllers_that_cannot_be_used_are_told(void **state) {
  (void)state;
  assert_mistake(DRIVEN(SERVO("gain: 1")), pendulum, "there is no parameter 'gain'");
  assert_mistake(DRIVEN("kind: plugin, plugin: " PLUGIN("faulty0")), pendulum,
                 "supplies no controller");
  assert_mistake(DRIVEN("kind: plugin"), pendulum, "needs both 'kind: plugin' and 'plugin'");
  assert_mistake(DRIVEN("kind: plugin, plugin: ./missing.so"), pendulum, "there is no plug-in");
  assert_mistake(DRIVEN(SERVO("target: 1") ", points: [{at: 0, position: [0.5]}]"), pendulum,
                 "takes no points and no file");
}

/* also where the effort is limited */
static void forces_that_are_no_numbers_end_the_simulation(void **state) {
  (void)state;
  static const char *const integrators[] = {"rk4", "leapfrog", "semi-implicit", "adaptive"};
  for (int k = 0; k < 4; k++) {
    static char text[1000];
    snprintf(text, sizeof text, "%s", DRIVEN(SERVO("fail: 1")));
    char *tail = strstr(text, "initial");
    char rest[800];
    snprintf(rest, sizeof rest, "%s", tail);
    snprintf(tail, 900, "integrator: %s, %s", integrators[k], rest);
    run_into(text, pendulum, "Subsystem 'a': controller 'c' gives a force of nan at t = 0.1");
  }
  run_into(DRIVEN(SERVO("fail: 1") ", sample: 0.05"), pendulum, "controller 'c' gives a force of");
  run_into(DRIVEN(SERVO("fail: 2")), pendulum,
           "the plug-in of controller 'c' at t = 0.105 s: it leaves the processor rounding");
}

/* ---- the example ---- */

static void final_of_file(const char *path, const char *const *overrides, int count,
                          double *values) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_simulation *simulation = NULL;
  if (flg_simulation_load(&simulation, path, overrides, count, &mistakes) != FLG_OK) {
    fail_msg("%s", mistakes.list[0].message);
  }
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

/* The arm with the chain of the plug-in, against the same as a component solved as one by RK4: what
 * is left falls in proportion to the steps, and the two sides stay together. */
static void the_example_converges_to_its_twin(void **state) {
  (void)state;
  static const char *const exact[] = {"time.end=1.5", "coupling.step=1/960",
                                      "coupling.integrator=rk4"};
  static const char *const steps[2][5] = {
      {"time.end=1.5", "subsystems.chain.plugin=" PLUGIN("mass_spring"), "time.macro=1/120",
       "subsystems.arm.step=1/960", "subsystems.chain.step=1/960"},
      {"time.end=1.5", "subsystems.chain.plugin=" PLUGIN("mass_spring"), "time.macro=1/240",
       "subsystems.arm.step=1/1920", "subsystems.chain.step=1/1920"}};
  double twin[9], own[2][9], error[2];
  final_of_file("examples/own-subsystem/twin.yaml", exact, 3, twin);
  for (int k = 0; k < 2; k++) {
    final_of_file("examples/own-subsystem/own-subsystem.yaml", steps[k], 5, own[k]);
    assert_true(max_difference(own[k], own[k] + 3, 3) < 1e-9);
    error[k] = max_difference(own[k], twin, 9);
    print_message("plug-in against twin: %.3g m\n", error[k]);
  }
  assert_true(error[0] < 2e-3);
  assert_true(error[1] < 0.6 * error[0]);
}

/* Solved as one with the arm, the chain of the plug-in moves as the same chain of bodies does. */
static void the_example_solved_as_one_is_its_twin(void **state) {
  (void)state;
  static const char *const bodies[] = {"time.end=0.5", "coupling.integrator=semi-implicit"};
  static const char *const library[] = {"time.end=0.5",
                                        "subsystems.chain.plugin=" PLUGIN("mass_spring"),
                                        "coupling={scheme: monolithic, step: 1/960}"};
  double twin[9], own[9];
  final_of_file("examples/own-subsystem/twin.yaml", bodies, 2, twin);
  final_of_file("examples/own-subsystem/own-subsystem.yaml", library, 3, own);
  print_message("plug-in against twin, solved as one: %.3g m\n", max_difference(own, twin, 9));
  assert_true(max_difference(own, twin, 9) < 1e-10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(libraries_that_cannot_be_used_are_told_apart),
      cmocka_unit_test(tables_of_older_libraries_end_where_they_end),
      cmocka_unit_test(what_goes_wrong_on_the_way_ends_the_simulation),
      cmocka_unit_test(answers_that_are_no_numbers_end_the_simulation),
      cmocka_unit_test(answers_that_nobody_reads_are_not_asked_for),
      cmocka_unit_test(scenarios_that_cannot_be_are_told),
      cmocka_unit_test(schemes_that_give_impulses_back_need_one_who_takes_them),
      cmocka_unit_test(joined_masses_share_their_momentum),
      cmocka_unit_test(a_mass_that_is_solved_as_one_starts_with_the_robot),
      cmocka_unit_test(a_model_that_fails_on_the_way_ends_the_simulation),
      cmocka_unit_test(ports_are_looked_at_in_every_scheme),
      cmocka_unit_test(a_mass_slides_along_a_line_in_the_world),
      cmocka_unit_test(a_library_is_met_as_a_robot_that_answers_the_same),
      cmocka_unit_test(a_library_that_is_solved_as_one_tends_to_the_robot),
      cmocka_unit_test(the_model_foretells_what_impulses_do),
      cmocka_unit_test(outer_ports_turn_their_frames),
      cmocka_unit_test(parameters_and_placement_are_part_of_the_identity),
      cmocka_unit_test(a_controller_from_a_library_is_as_good_as_ours),
      cmocka_unit_test(controllers_that_cannot_be_used_are_told),
      cmocka_unit_test(forces_that_are_no_numbers_end_the_simulation),
      cmocka_unit_test(the_example_converges_to_its_twin),
      cmocka_unit_test(the_example_solved_as_one_is_its_twin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
