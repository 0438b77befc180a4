/* `compiled: true`: steps by generated code are those of the interpreter, whatever else the robot
 * does. */
#include "cache_folder.h"
#include "cosim/simulation.h"
#include "flange/threads.h"
#include "robot/robot_subsystem.h"
#include "scenarios.h"

enum { VALUES = 13 };

/* damped, with dry friction, a slide that ends, a ball joint */
static const char arm[] =
    "flange-model: 1\nbodies:\n"
    "  foot: {mass: 4, centre: [0, 0, -0.05], inertia: [0.2, 0.2, 0.3]}\n"
    "  post: {mass: 3, centre: [0, 0, 0.2], inertia: [0.1, 0.1, 0.05]}\n"
    "  boom: {mass: 2, centre: [0.5, 0, 0.1], inertia: [0.02, 0.2, 0.2]}\n"
    "  ram: {mass: 1, centre: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02],\n"
    "    shapes: [{kind: sphere, size: [0.1], at: [0.5, 0, 0], collision: true}]}\n"
    "  hand: {mass: 0.5, centre: [0.1, 0, 0.05], inertia: [0.002, 0.003, 0.004]}\n"
    "joints:\n"
    "  mount: {kind: fixed, child: foot}\n"
    "  yaw: {kind: revolute, parent: foot, child: post, axis: [0, 0, 1], damping: 0.3}\n"
    "  lift: {kind: revolute, parent: post, child: boom, at: [0, 0, 0.4], axis: [0, 1, 0],\n"
    "    damping: 0.5, friction: 0.1}\n"
    "  reach: {kind: prismatic, parent: boom, child: ram, at: [1, 0, 0], axis: [1, 0, 0],\n"
    "    damping: 4, limits: {lower: -0.1, upper: 0.05}}\n"
    "  wrist: {kind: ball, parent: ram, child: hand, at: [0.5, 0, 0]}\n"
    "ports: {tip: {body: ram, at: [0.5, 0, 0]}}\n";

/* the same with two fingers, one of which follows the other */
#define FINGER(name, y)                                                \
  "  " name                                                            \
  ": {mass: 0.2, centre: [0.05, 0, 0], inertia: [1e-3, 1e-3, 1e-3],\n" \
  "    shapes: [{kind: sphere, size: [0.02], at: [0.1, " y ", 0], collision: true}]}\n"
static const char gripper[] =
    "flange-model: 1\nbodies:\n"
    "  foot: {mass: 4, centre: [0, 0, -0.05], inertia: [0.2, 0.2, 0.3]}\n"
    "  post: {mass: 3, centre: [0, 0, 0.2], inertia: [0.1, 0.1, 0.05]}\n"
    "  hand: {mass: 2, centre: [0.5, 0, 0.1], inertia: [0.02, 0.2, 0.2]}\n" FINGER("left", "0.01")
        FINGER("right", "-0.01") "joints:\n"
    "  mount: {kind: fixed, child: foot}\n"
    "  yaw: {kind: revolute, parent: foot, child: post, axis: [0, 0, 1], damping: 0.3}\n"
    "  reach: {kind: revolute, parent: post, child: hand, at: [0, 0, 0.4], axis: [0, 1, 0]}\n"
    "  close: {kind: revolute, parent: hand, child: left, at: [1, 0.1, 0], axis: [0, 0.3, 1],\n"
    "    damping: 0.01, limits: {lower: -0.5, upper: 0.4}}\n"
    "  follow: {kind: prismatic, parent: hand, child: right, at: [1, -0.1, 0], axis: [0, 1, 0],\n"
    "    mimic: {joint: close, multiplier: -0.2, offset: 0.01}}\n"
    "ports: {tip: {body: right, at: [0.5, 0.09, 0]}}\n";

static const char *robot = arm;

static const char load[] =
    "flange-component: 1\nbodies: {load: {mass: 2, inertia: [0.2, 0.1, 0.3], at: [1.5, 0, 0.4]}}\n"
    "ports: {eye: {body: load}}\n";

#define HEAD "flange: 1\ntime: {end: 0.5, macro: 0.01}\ngravity: [0, 0.5, -9.81]\n"
#define RECORD \
  "record: [arm/tip.position, arm/tip.velocity, arm/hand.angular_velocity, arm/reach.velocity]\n"
#define ALONE(keys) \
  HEAD "subsystems:\n  arm: {model: robot.yaml, step: 0.002, compiled: @" keys "}\n" RECORD

/* the scenario with `true` or `false` in place of @ */
static flg_simulation *load_as(const char *scenario, bool compiled) {
  char text[4000];
  const char *mark = strchr(scenario, '@');
  assert_non_null(mark);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - scenario), scenario,
           compiled ? "true" : "false", mark + 1);
  return load_three_texts(text, load, robot);
}

static flg_robot_accelerator counts_of(const flg_simulation *simulation) {
  return flg_subsystem_robot(&simulation->subsystems[0])->accelerator;
}

static flg_robot_accelerator run(const char *scenario, bool compiled, double *values) {
  flg_simulation *simulation = load_as(scenario, compiled);
  if (compiled) assert_null(flg_simulation_notice(simulation, 0));
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  const flg_robot_accelerator counts = counts_of(simulation);
  flg_simulation_release(simulation);
  return counts;
}

/* the difference at the end; all accelerations were compiled if nothing was declined */
static double differ(const char *scenario, int64_t *declined) {
  double ours[VALUES], theirs[VALUES];
  const flg_robot_accelerator counts = run(scenario, true, ours);
  assert_true(counts.taken > 0);
  if (declined != NULL) *declined = counts.declined;
  assert_int_equal(run(scenario, false, theirs).taken, 0);
  const double off = max_difference(ours, theirs, 10);
  print_message("compiled against interpreted: %.3g\n", off);
  return off;
}

static void every_integrator_steps_alike(void **state) {
  (void)state;
  static const char *const scenarios[] = {
      ALONE(""), ALONE(", integrator: semi-implicit"), ALONE(", integrator: rk4"),
      ALONE(", integrator: adaptive"), ALONE(", limits: ignored")};
  for (size_t k = 0; k < sizeof scenarios / sizeof scenarios[0]; k++) {
    int64_t declined = 0;
    /* the adaptive one holds joints that rest on an end; rounding decides where its own steps end,
     * so that it differs by its tolerance: 1.6e-11 to 5.8e-11, as tolerances vary a little; the
     * others differ by the order of sums */
    const bool is_adaptive = strstr(scenarios[k], "adaptive") != NULL;
    assert_near(differ(scenarios[k], &declined), 0, is_adaptive ? 1e-10 : 1e-13);
    if (!is_adaptive) assert_int_equal(declined, 0);
  }
}

static void other_poses_and_places_step_alike(void **state) {
  (void)state;
  static const char *const scenarios[] = {
      ALONE(", at: [1, 2, 3], turn: [0.3, -0.2, 1]"),
      ALONE(", turn: [3, 0.1, 0], initial: {yaw: 2, lift: -1.1, reach: 0.02}"),
      ALONE(", base: floating, velocity: [0.1, 0.2, 0.3], angular_velocity: [1, -0.5, 0.2]"),
      ALONE(", gravity: [1, 2, 3], initial_velocity: {yaw: -3, reach: 0.5}"),
      ALONE(", armature: {yaw: 0.5, lift: 0.2}")};
  for (size_t k = 0; k < sizeof scenarios / sizeof scenarios[0]; k++) {
    assert_near(differ(scenarios[k], NULL), 0, 1e-13);
  }
}

static void controllers_and_forces_act_on_it(void **state) {
  (void)state;
  assert_near(
      differ(ALONE(", controllers: {hold: {kind: pd, joints: [yaw, lift], stiffness: 200, "
                   "damping: 20, points: [{at: 0, position: [0.4, -0.3]}], sample: 0.01}},\n"
                   "    forces: {push: {body: ram, force: [3, -2, 5], at: [0.1, 0, 0]}}"),
             NULL),
      0, 3e-13);
}

/* It hits the ground at 0.13 s. From 0.26 s on, where the slide meets its end, rounding grows in
 * the interpreter, too: 1e-13 m/s^2 of gravity make 1e-4 m/s. */
static void what_it_touches_pushes_it(void **state) {
  (void)state;
  assert_near(
      differ("flange: 1\ntime: {end: 0.24, macro: 0.01}\ngravity: [0, 0.5, -9.81]\n"
             "ground: {shapes: [{kind: box, size: [6, 6, 1], at: [0, 0, -0.3], collision: true}]}\n"
             "subsystems:\n  arm: {model: robot.yaml, step: 0.002, compiled: @}\n" RECORD,
             NULL),
      0, 1e-12);
}

static void with_a_locked_joint_it_is_interpreted_and_counted(void **state) {
  (void)state;
  int64_t declined = 0;
  const double off = differ(HEAD
                            "subsystems:\n  arm: {model: robot.yaml, step: 0.002, compiled: @}\n"
                            "events: [{at: 0.1, lock: [arm/lift]}, {at: 0.3, unlock: [arm/lift]}]"
                            "\n" RECORD,
                            &declined);
  assert_near(off, 0, 5e-14);
  assert_true(declined >= 100); /* a step each in 0.2 s */
}

#define KNOT(joint, coupling)                                                \
  HEAD "subsystems:\n  arm: {model: robot.yaml, step: 0.002, compiled: @}\n" \
       "  load: {model: model.yaml, step: 0.001}\n"                          \
       "interfaces: {knot: {between: [arm/tip, load/eye], joint: " joint     \
       "}}\n"                                                                \
       "coupling: {" coupling "}\n" RECORD
#define TURNED(joint, coupling)                                              \
  HEAD "subsystems:\n  arm: {model: robot.yaml, step: 0.002, compiled: @}\n" \
       "  load: {model: model.yaml, step: 0.001}\n"                          \
       "interfaces: {knot: {between: [load/eye, arm/tip], joint: " joint     \
       "}}\n"                                                                \
       "coupling: {" coupling "}\n" RECORD

static void in_each_scheme_it_steps_alike(void **state) {
  (void)state;
  static const char *const scenarios[] = {
      KNOT("weld", "scheme: sequential, order: [arm, load]"),
      KNOT("weld", "scheme: sequential, order: [load, arm]"),
      TURNED("spherical", "scheme: sequential, order: [arm, load]"),
      KNOT("spherical", "scheme: parallel"),
      TURNED("weld", "scheme: parallel"),
      KNOT("weld", "scheme: neighbour")};
  for (size_t k = 0; k < sizeof scenarios / sizeof scenarios[0]; k++) {
    assert_near(differ(scenarios[k], NULL), 0, 8e-13);
  }
}

static void joints_that_follow_others_step_alike(void **state) {
  (void)state;
  static const char *const scenarios[] = {
      ALONE(""),
      ALONE(", integrator: semi-implicit"),
      ALONE(", integrator: rk4"),
      ALONE(", turn: [0.3, 1, 0], initial: {close: 0.3}"),
      ALONE(", base: floating, initial_velocity: {yaw: 3, close: -2}"),
      KNOT("spherical", "scheme: sequential, order: [arm, load]"),
      TURNED("weld", "scheme: parallel")};
  robot = gripper;
  for (size_t k = 0; k < sizeof scenarios / sizeof scenarios[0]; k++) {
    assert_near(differ(scenarios[k], NULL), 0, 4e-14);
  }
  robot = arm;
}

static flg_simulation *load_compiled(const char *scenario) {
  return load_as(scenario, true);
}

static void from_a_snapshot_it_goes_on_with_the_same_bits(void **state) {
  (void)state;
  resume_every_step(load_compiled, ALONE(""));
}

static uint64_t hash_with(int count) {
  static const char many[] = HEAD
      "subsystems:\n  a: {model: robot.yaml, step: 0.002, compiled: @}\n"
      "  b: {model: robot.yaml, step: 0.002, compiled: true, initial: {yaw: 1}}\n"
      "  c: {model: robot.yaml, step: 0.001, compiled: true, turn: [0.5, 0, 0]}\n"
      "  d: {model: robot.yaml, step: 0.002, compiled: true}\n"
      "record: [a/tip.position]\n";
  flg_threads *threads = NULL;
  flg_error error;
  flg_simulation *simulation = load_as(many, true);
  assert_int_equal(flg_threads_build(&threads, count, &error), FLG_OK);
  flg_simulation_share(simulation, threads);
  run_to_end(simulation);
  const uint64_t hash = flg_simulation_hash(simulation);
  flg_simulation_release(simulation);
  flg_threads_release(threads);
  return hash;
}

static void on_any_number_of_threads_bits_are_the_same(void **state) {
  (void)state;
  const uint64_t alone = hash_with(1);
  assert_true(hash_with(2) == alone);
  assert_true(hash_with(4) == alone);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_integrator_steps_alike),
      cmocka_unit_test(other_poses_and_places_step_alike),
      cmocka_unit_test(controllers_and_forces_act_on_it),
      cmocka_unit_test(what_it_touches_pushes_it),
      cmocka_unit_test(with_a_locked_joint_it_is_interpreted_and_counted),
      cmocka_unit_test(in_each_scheme_it_steps_alike),
      cmocka_unit_test(joints_that_follow_others_step_alike),
      cmocka_unit_test(from_a_snapshot_it_goes_on_with_the_same_bits),
      cmocka_unit_test(on_any_number_of_threads_bits_are_the_same)};
  return cmocka_run_group_tests(tests, open_cache, close_cache);
}
