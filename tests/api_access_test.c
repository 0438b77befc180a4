/* Handles of a running simulation (flange/access.h) and its states (flange/state.h): an input gives
 * the same motion as the same thing said in the scenario, for robots, components and both joined.
 */
#include "flange/access.h"

#include "allocations.h"
#include "flange/state.h"
#include "scenarios.h"

static const char arm[] =
    "flange-model: 1\n"
    "bodies: {upper: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]},\n"
    "  lower: {mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}\n"
    "joints: {shoulder: {kind: revolute, child: upper, axis: [0, 1, 0], damping: 0.2},\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [1, 0, 0], axis: [0, 0, 1]}}\n"
    "markers: {tip: {body: lower, at: [1, 0.2, 0.1]}}\n"
    "ports: {end: {body: lower, at: [1, 0, 0]}}\n";

#define BOX_MODEL(more)                                                                          \
  "flange-component: 1\n"                                                                        \
  "bodies: {box: {mass: 3, inertia: [0.1, 0.2, 0.3], at: [2, 0, 0]},\n"                          \
  "  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [2, 0, -1]}}\n"                               \
  "joints: {hinge: {kind: revolute, between: [box, ball], at: [2, 0, -0.5], axis: [0, 1, 0]}}\n" \
  "markers: {corner: {body: box, at: [0.1, 0.2, 0.3]}}\n"                                        \
  "ports: {mount: {body: box}}\n" more

static const char box[] = BOX_MODEL("");
/* with a force on a corner of the box, and on the ball */
#define PUSH "force: [3, -2, 25], moment: [0.5, 0.3, -0.2]"
static const char cornered[] =
    BOX_MODEL("forces: {push: {body: box, at: [0.1, 0.2, 0.3], " PUSH "}}\n");
static const char pushed[] = BOX_MODEL("forces: {push: {body: ball, " PUSH "}}\n");

#define HEAD        "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/50}\n"
#define ALONE(more) HEAD "subsystems: {arm: {model: robot.yaml, step: 1/100" more "}}\n"
#define BOX(more)   HEAD "subsystems: {hand: {model: model.yaml, step: 1/100" more "}}\n"
#define JOINED(scheme, arms, hands)                              \
  HEAD "subsystems: {arm: {model: robot.yaml, step: 1/100" arms  \
       "},\n"                                                    \
       "  hand: {model: model.yaml, step: 1/100" hands           \
       "}}\n"                                                    \
       "interfaces: {wrist: {between: [arm/end, hand/mount]}}\n" \
       "coupling: {scheme: " scheme "}\n"

static flg_simulation *load(const char *scenario) {
  return load_three_texts(scenario, box, arm);
}

static flg_input find_input(flg_simulation *simulation, const char *name) {
  flg_input input;
  flg_error error;
  if (flg_input_find(simulation, name, &input, &error) != FLG_OK) fail_msg("%s", error.message);
  return input;
}

static void read_named(flg_simulation *simulation, const char *name, double *values, int count) {
  flg_output output;
  flg_error error;
  if (flg_output_find(simulation, name, &output, &error) != FLG_OK) fail_msg("%s", error.message);
  assert_int_equal(flg_output_read(simulation, output, values, count, &error), FLG_OK);
}

/* the largest difference of positions and orientations of a frame after the run */
static double difference(flg_simulation *one, flg_simulation *other, const char *frame) {
  double values[2][7];
  char name[80];
  flg_simulation *both[2] = {one, other};
  for (int k = 0; k < 2; k++) {
    snprintf(name, sizeof name, "%s.position", frame);
    read_named(both[k], name, values[k], 3);
    snprintf(name, sizeof name, "%s.orientation", frame);
    read_named(both[k], name, values[k] + 3, 4);
  }
  return max_difference(values[0], values[1], 7);
}

/* A wrench that is written acts as a force of the scenario or of its component does. */
static void compare_wrench(const char *said, const char *model, const char *plain, const char *name,
                           const char *frame) {
  const double wrench[6] = {3, -2, 25, 0.5, 0.3, -0.2};
  flg_simulation *one = load_three_texts(said, model, arm), *other = load(plain);
  const flg_input input = find_input(other, name);
  flg_error error;
  assert_int_equal(flg_input_width(other, input), 6);
  assert_int_equal(flg_input_write(other, input, wrench, 6, &error), FLG_OK);
  run_to_end(one);
  run_to_end(other);
  assert_near(difference(one, other, frame), 0, 1e-12);
  flg_simulation_release(one);
  flg_simulation_release(other);
}

#define FORCE(body, at) ", forces: {push: {body: " body ", at: " at ", " PUSH "}}"

static void wrench_on_a_robot_acts_as_a_force_of_the_scenario(void **state) {
  (void)state;
  compare_wrench(ALONE(FORCE("lower", "[1, 0.2, 0.1]")), NULL, ALONE(""), "arm/tip.wrench",
                 "arm/lower");
  compare_wrench(ALONE(FORCE("upper", "[0, 0, 0]")), NULL, ALONE(""), "arm/upper.wrench",
                 "arm/lower");
  compare_wrench(ALONE(FORCE("lower", "[1, 0.2, 0.1]") ", integrator: rk4"), NULL,
                 ALONE(", integrator: rk4"), "arm/lower/tip.wrench", "arm/lower");
  compare_wrench(JOINED("monolithic", FORCE("lower", "[1, 0.2, 0.1]"), ""), box,
                 JOINED("monolithic", "", ""), "arm/tip.wrench", "hand/ball");
  compare_wrench(JOINED("sequential", FORCE("lower", "[1, 0.2, 0.1]"), ""), box,
                 JOINED("sequential", "", ""), "arm/tip.wrench", "hand/ball");
}

static void wrench_on_a_body_acts_as_a_force_of_its_component(void **state) {
  (void)state;
  static const char *const integrators[] = {BOX(""), BOX(", integrator: rk4"),
                                            BOX(", integrator: semi-implicit")};
  static const char *const schemes[] = {JOINED("monolithic", "", ""), JOINED("sequential", "", ""),
                                        JOINED("parallel", "", "")};
  for (int k = 0; k < 3; k++) {
    compare_wrench(integrators[k], cornered, integrators[k], "hand/corner.wrench", "hand/ball");
    compare_wrench(integrators[k], pushed, integrators[k], "hand/ball.wrench", "hand/box");
    compare_wrench(schemes[k], pushed, schemes[k], "hand/ball.wrench", "hand/ball");
  }
}

/* a torque on a hinge is a moment on one body and the opposite one on the other */
static void effort_on_a_joint_is_a_pair_of_moments(void **state) {
  (void)state;
  static const char *const integrators[] = {", integrator: rattle", ", integrator: rk4",
                                            ", integrator: semi-implicit"};
  for (int k = 0; k < 3; k++) {
    char text[400];
    snprintf(text, sizeof text,
             HEAD "subsystems: {hand: {model: model.yaml, step: 1/200%s, gravity: [0, 0, 0]}}\n",
             integrators[k]);
    flg_simulation *one = load(text), *other = load(text);
    const flg_input effort = find_input(one, "hand/hinge.effort");
    const flg_input on[2] = {find_input(other, "hand/box.wrench"),
                             find_input(other, "hand/ball.wrench")};
    /* about y of the world, which the axis of the hinge is all along */
    const double torque = 0.7, moments[2][6] = {{0, 0, 0, 0, -0.7, 0}, {0, 0, 0, 0, 0.7, 0}};
    flg_error error;
    assert_int_equal(flg_input_write(one, effort, &torque, 1, &error), FLG_OK);
    for (int e = 0; e < 2; e++) {
      assert_int_equal(flg_input_write(other, on[e], moments[e], 6, &error), FLG_OK);
    }
    run_to_end(one);
    run_to_end(other);
    double angle;
    read_named(one, "hand/hinge.position", &angle, 1);
    assert_true(fabs(angle) > 0.1);
    assert_near(difference(one, other, "hand/ball"), 0, 1e-11);
    flg_simulation_release(one);
    flg_simulation_release(other);
  }
}

/* One torque in all of these: on the joint of a robot alone, in an assembly, and by a table. */
static void effort_on_a_robot_is_that_of_a_table(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *table = make_file(&folder, "torques.csv", "time,shoulder\n0,1.5\n2,1.5\n");
  char with[700];
  const char *const forms[] = {ALONE("%s"), JOINED("monolithic", "%s", ""),
                               JOINED("sequential", "%s", "")};
  for (int k = 0; k < 3; k++) {
    char controller[200], plain[600];
    snprintf(controller, sizeof controller,
             ", controllers: {push: {kind: table, joints: [shoulder], file: %s}}", table);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(with, sizeof with, forms[k], controller);
    snprintf(plain, sizeof plain, forms[k], "");
#pragma GCC diagnostic pop
    flg_simulation *one = load(with), *other = load(plain);
    const flg_input input = find_input(other, "arm/shoulder.effort");
    const double torque = 1.5;
    flg_error error;
    assert_int_equal(flg_input_write(other, input, &torque, 1, &error), FLG_OK);
    run_to_end(one);
    run_to_end(other);
    assert_near(difference(one, other, "arm/lower"), 0, 1e-12);
    double effort;
    read_named(other, "arm/shoulder.effort", &effort, 1);
    assert_near(effort, 1.5, 0);
    flg_simulation_release(one);
    flg_simulation_release(other);
  }
  remove_folder(&folder);
}

#define PD(points)                                                                               \
  ", controllers: {servo: {kind: pd, stiffness: 90, damping: 12, sample: 1/50, points: [" points \
  "]}}"

static void target_of_a_controller_is_held(void **state) {
  (void)state;
  flg_simulation *one = load(ALONE(PD("{at: 0, position: [0.4, -0.3]}")));
  flg_simulation *other = load(ALONE(PD("{at: 0, position: [0, 0]}, {at: 1, position: [1, 1]}")));
  const flg_input input = find_input(other, "arm/servo.target");
  const double target[2] = {0.4, -0.3};
  flg_error error;
  assert_int_equal(flg_input_width(other, input), 2);
  assert_int_equal(flg_input_write(other, input, target, 2, &error), FLG_OK);
  run_to_end(one);
  run_to_end(other);
  assert_near(difference(one, other, "arm/lower"), 0, 0);
  flg_simulation_release(one);
  flg_simulation_release(other);
}

#define DRIVEN(more)                                                              \
  "flange-component: 1\n"                                                         \
  "bodies: {wheel: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"                        \
  "joints: {axle: {kind: revolute, between: [world, wheel]}}\n"                   \
  "inputs: {speed: {default: " more                                               \
  "}}\n"                                                                          \
  "signals: {control: {kind: pid, input: axle.velocity, target: speed, kp: 2}}\n" \
  "efforts: {drive: {on: axle, effort: control}}\n"

static void signal_is_what_was_written(void **state) {
  (void)state;
  static const char scenario[] =
      HEAD "subsystems: {cart: {model: model.yaml, step: 1/100, integrator: rk4}}\n";
  flg_simulation *one = load_texts(scenario, DRIVEN("3")),
                 *other = load_texts(scenario, DRIVEN("0"));
  const flg_input input = find_input(other, "cart/speed");
  const double speed = 3;
  flg_error error;
  assert_int_equal(flg_input_write(other, input, &speed, 1, &error), FLG_OK);
  run_to_end(one);
  run_to_end(other);
  assert_near(difference(one, other, "cart/wheel"), 0, 0);
  double rate;
  read_named(one, "cart/axle.velocity", &rate, 1);
  assert_true(rate > 2.9);
  flg_simulation_release(one);
  flg_simulation_release(other);
}

static void trigger_does_what_an_event_does(void **state) {
  (void)state;
  flg_simulation *one = load(ALONE(
      "") "events: [{at: 0.2, lock: arm/elbow},\n"
          "  {at: 0.4, set_velocity: {arm/shoulder: 0.3}}]\n");
  flg_simulation *other = load(ALONE(""));
  flg_trigger lock, set;
  flg_error error;
  const double speed = 0.3;
  assert_int_equal(flg_trigger_find(other, "lock", "arm/elbow", 0, &lock, &error), FLG_OK);
  assert_int_equal(flg_trigger_find(other, "set_velocity", "arm/shoulder", 1, &set, &error),
                   FLG_OK);
  run_to_end(one);
  while (!flg_simulation_ended(other)) {
    const int64_t done = flg_simulation_macro_steps(other);
    if (done == 10) assert_int_equal(flg_trigger_fire(other, lock, NULL, 0, &error), FLG_OK);
    if (done == 20) assert_int_equal(flg_trigger_fire(other, set, &speed, 1, &error), FLG_OK);
    assert_int_equal(flg_simulation_step(other, &error), FLG_OK);
  }
  assert_near(difference(one, other, "arm/lower"), 0, 0);
  assert_int_equal(flg_simulation_hash(one), flg_simulation_hash(other));
  flg_simulation_release(one);
  flg_simulation_release(other);
}

/* welded and released by hand, as by the events of another run */
static void weld_is_made_by_hand(void **state) {
  (void)state;
  static const char loose[] =
      "flange-component: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]},\n"
      "  b: {mass: 2, inertia: [1, 1, 1], at: [1, 0, 0], angular_velocity: [0, 0, 1]}}\n";
#define WELD(first, second)                                 \
  HEAD "subsystems: {hand: {model: model.yaml}}\nevents:\n" \
       "  - {at: " first                                    \
       ", weld: [hand/a, hand/b], name: grip}\n"            \
       "  - {at: " second ", release: hand/grip}\n"
  flg_simulation *one = load_texts(WELD("0.2", "0.6"), loose);
  flg_simulation *other = load_texts(WELD("100", "200"), loose);
  flg_trigger weld, release;
  flg_error error;
  assert_int_equal(flg_trigger_find(other, "weld", "hand/grip", 0, &weld, &error), FLG_OK);
  assert_int_equal(flg_trigger_find(other, "release", "hand/grip", 0, &release, &error), FLG_OK);
  run_to_end(one);
  while (!flg_simulation_ended(other)) {
    const int64_t done = flg_simulation_macro_steps(other);
    if (done == 10) assert_int_equal(flg_trigger_fire(other, weld, NULL, 0, &error), FLG_OK);
    if (done == 30) assert_int_equal(flg_trigger_fire(other, release, NULL, 0, &error), FLG_OK);
    assert_int_equal(flg_simulation_step(other, &error), FLG_OK);
  }
  assert_near(difference(one, other, "hand/b"), 0, 0);
  flg_simulation_release(one);
  flg_simulation_release(other);
}

/* a state holds what was written, and a step after it has the same bits */
static void state_goes_on_bit_for_bit(void **state) {
  (void)state;
  static const char *const scenarios[] = {ALONE(PD("{at: 0, position: [0.4, -0.3]}")),
                                          JOINED("monolithic", "", ""),
                                          JOINED("sequential", "", ""), JOINED("parallel", "", "")};
  for (int k = 0; k < 4; k++) {
    flg_simulation *one = load(scenarios[k]);
    const flg_input input = find_input(one, "arm/shoulder.effort");
    flg_error error;
    double torque = 2;
    assert_int_equal(flg_input_write(one, input, &torque, 1, &error), FLG_OK);
    for (int i = 0; i < 10; i++) assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
    const size_t bytes = flg_state_bytes(one);
    void *saved = malloc(bytes);
    assert_int_equal(flg_state_get(one, saved, bytes, &error), FLG_OK);
    for (int i = 0; i < 10; i++) assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
    const uint64_t hash = flg_simulation_hash(one);
    torque = -1;
    assert_int_equal(flg_input_write(one, input, &torque, 1, &error), FLG_OK);
    assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
    assert_int_equal(flg_state_set(one, saved, bytes, &error), FLG_OK);
    assert_int_equal(flg_input_read(one, input, &torque, 1, &error), FLG_OK);
    assert_near(torque, 2, 0);
    assert_near(flg_simulation_time(one), 0.2, 1e-15);
    for (int i = 0; i < 10; i++) assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
    assert_int_equal(flg_simulation_hash(one), hash);
    free(saved);
    flg_simulation_release(one);
  }
}

static void reset_starts_anew(void **state) {
  (void)state;
  flg_simulation *one = load(JOINED("sequential", "", "")),
                 *other = load(JOINED("sequential", "", ""));
  const flg_input input = find_input(one, "hand/ball.wrench");
  const double wrench[6] = {1, 2, 3, 0, 0, 0};
  flg_error error;
  assert_int_equal(flg_input_write(one, input, wrench, 6, &error), FLG_OK);
  run_to_end(one);
  assert_int_equal(flg_state_reset(one, &error), FLG_OK);
  assert_near(flg_simulation_time(one), 0, 0);
  run_to_end(one);
  run_to_end(other);
  assert_near(difference(one, other, "hand/ball"), 0, 0);
  flg_simulation_release(one);
  flg_simulation_release(other);
}

static void state_survives_in_a_file(void **state) {
  (void)state;
  test_folder folder = make_folder();
  flg_simulation *one = load(ALONE("")), *other = load(ALONE(""));
  flg_error error;
  const char *path = make_file(&folder, "state", "");
  for (int i = 0; i < 10; i++) assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
  assert_int_equal(flg_state_save(one, path, &error), FLG_OK);
  if (flg_state_restore(other, path, &error) != FLG_OK) fail_msg("%s", error.message);
  assert_int_equal(flg_simulation_hash(one), flg_simulation_hash(other));
  remove_folder(&folder);
  flg_simulation_release(one);
  flg_simulation_release(other);
}

/* a box that rests on four corners is pressed by its weight */
static void contacts_carry_the_weight(void **state) {
  (void)state;
  flg_simulation *one =
      load_texts(HEAD
                 "subsystems: {heap: {model: model.yaml, step: 1/200}}\n"
                 "ground: {shapes: [{kind: plane}]}\n",
                 "flange-component: 1\n"
                 "bodies: {brick: {mass: 2, inertia: [1, 1, 1], at: [0, 0, 0.5],\n"
                 "  shapes: [{kind: box, size: [1, 1, 1], collision: true, name: hull}]}}\n");
  flg_touch_point points[32];
  char text[FLG_SHAPE_TEXT];
  flg_error error;
  int count;
  assert_int_equal(flg_touch_list(one, points, 32, &count, &error), FLG_ERR_USAGE);
  assert_true(flg_touch_most(one) >= 4);
  run_to_end(one);
  assert_int_equal(flg_touch_list(one, points, 32, &count, &error), FLG_OK);
  double sum = 0;
  for (int k = 0; k < count; k++) {
    sum -= points[k].force[2]; /* on the ground, which comes second */
    assert_int_equal(points[k].state, FLG_TOUCH_STICKING);
    assert_near(points[k].position[2], 0, 1e-13);
  }
  assert_int_equal(count, 4);
  assert_near(sum, 2 * 9.81, 1e-11);
  assert_int_equal(flg_touch_shape(one, points[0].shapes[0], text, &error), FLG_OK);
  assert_string_equal(text, "heap/brick/hull");
  assert_int_equal(flg_touch_list(one, points, 2, &count, &error), FLG_ERR_CAPACITY);
  assert_int_equal(count, 2);
  flg_simulation_release(one);
}

static void driving_a_step_allocates_nothing(void **state) {
  (void)state;
  flg_simulation *one = load(JOINED("monolithic", PD("{at: 0, position: [0.4, -0.3]}"), ""));
  const flg_input effort = find_input(one, "arm/shoulder.effort");
  const flg_input wrench = find_input(one, "hand/ball.wrench");
  const flg_input target = find_input(one, "arm/servo.target");
  flg_output angle;
  flg_trigger lock;
  flg_error error;
  assert_int_equal(flg_output_find(one, "arm/shoulder.position", &angle, &error), FLG_OK);
  assert_int_equal(flg_trigger_find(one, "lock", "arm/elbow", 0, &lock, &error), FLG_OK);
  void *saved = malloc(flg_state_bytes(one));
  assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
  allocations_begin();
  for (int k = 0; k < 20; k++) {
    double values[6] = {0.1, 0, 0, 0, 0, 0};
    assert_int_equal(flg_output_read(one, angle, values, 1, &error), FLG_OK);
    assert_int_equal(flg_input_write(one, effort, values, 1, &error), FLG_OK);
    assert_int_equal(flg_input_write(one, wrench, values, 6, &error), FLG_OK);
    assert_int_equal(flg_input_write(one, target, values, 2, &error), FLG_OK);
    if (k == 10) assert_int_equal(flg_trigger_fire(one, lock, NULL, 0, &error), FLG_OK);
    assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
    assert_int_equal(flg_state_get(one, saved, flg_state_bytes(one), &error), FLG_OK);
    assert_int_equal(flg_state_set(one, saved, flg_state_bytes(one), &error), FLG_OK);
  }
  assert_int_equal(flg_state_reset(one, &error), FLG_OK);
  assert_int_equal(allocations_end(), 0);
  free(saved);
  flg_simulation_release(one);
}

/* numbers, vectors and computed ones, of robots and of components, in any order */
static void many_at_once_are_as_one_by_one(void **state) {
  (void)state;
  static const char *const read[] = {
      "hand/box.position",     "arm/elbow.position",  "arm/energy",         "arm/end.orientation",
      "arm/shoulder.velocity", "arm/shoulder.effort", "arm/elbow.position", "hand/ball.position"};
  static const char *const written[] = {"hand/ball.wrench", "arm/elbow.effort", "arm/servo.target",
                                        "arm/elbow.effort"};
  enum { READ = 8, WRITTEN = 4, NUMBERS = 15, WIDTH = 10 };
  const double values[WIDTH] = {1, 2, 3, 4, 5, 6, 0.7, 0.2, -0.1, 0.4};
  const char *const schemes[] = {JOINED("monolithic", PD("{at: 0, position: [0.4, -0.3]}"), ""),
                                 JOINED("sequential", PD("{at: 0, position: [0.4, -0.3]}"), "")};
  for (int s = 0; s < 2; s++) {
    flg_simulation *both[2] = {load(schemes[s]), load(schemes[s])};
    double found[2][NUMBERS];
    flg_error error;
    for (int i = 0; i < 2; i++) {
      flg_input inputs[WRITTEN];
      flg_output outputs[READ];
      for (int k = 0; k < WRITTEN; k++) inputs[k] = find_input(both[i], written[k]);
      if (i == 0) {
        assert_int_equal(flg_input_write_many(both[i], inputs, WRITTEN, values, WIDTH, &error),
                         FLG_OK);
      }
      for (int k = 0, at = 0; k < WRITTEN && i == 1; at += flg_input_width(both[i], inputs[k++])) {
        const int width = flg_input_width(both[i], inputs[k]);
        assert_int_equal(flg_input_write(both[i], inputs[k], values + at, width, &error), FLG_OK);
      }
      for (int k = 0; k < 5; k++) assert_int_equal(flg_simulation_step(both[i], &error), FLG_OK);
      for (int k = 0, at = 0; k < READ; at += flg_output_signal(both[i], outputs[k++])->width) {
        assert_int_equal(flg_output_find(both[i], read[k], &outputs[k], &error), FLG_OK);
        const int width = flg_output_signal(both[i], outputs[k])->width;
        assert_int_equal(flg_output_read(both[i], outputs[k], found[i] + at, width, &error),
                         FLG_OK);
      }
      if (i == 0) {
        assert_int_equal(flg_output_read_many(both[i], outputs, READ, found[i], NUMBERS, &error),
                         FLG_OK);
      }
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    assert_true(flg_simulation_hash(both[0]) == flg_simulation_hash(both[1]));
    for (int i = 0; i < 2; i++) flg_simulation_release(both[i]);
  }
}

/* a million micro steps of the space station arm, with what is read and written between them */
static void million_steps_allocate_nothing(void **state) {
  (void)state;
  enum { JOINTS = 7 };
  static flg_mistakes mistakes;
  const char *const settings[] = {"time.end=2000", "events=[]", "subsystems.arm.controllers={}",
                                  "subsystems.arm.integrator=semi-implicit"};
  flg_simulation *one = NULL;
  flg_output motion[2 * JOINTS];
  flg_input efforts[JOINTS];
  flg_error error;
  assert_int_equal(flg_simulation_load(&one, "examples/ssrms/poses.yaml", settings, 4, &mistakes),
                   FLG_OK);
  for (int k = 0; k < JOINTS; k++) {
    char name[40];
    snprintf(name, sizeof name, "arm/joint%d.position", k + 1);
    assert_int_equal(flg_output_find(one, name, &motion[k], &error), FLG_OK);
    snprintf(name, sizeof name, "arm/joint%d.velocity", k + 1);
    assert_int_equal(flg_output_find(one, name, &motion[JOINTS + k], &error), FLG_OK);
    snprintf(name, sizeof name, "arm/joint%d.effort", k + 1);
    efforts[k] = find_input(one, name);
  }
  allocations_begin();
  for (int i = 0; i < REPEATS(100000); i++) {
    double read[2 * JOINTS], torques[JOINTS];
    flg_status status = flg_output_read_many(one, motion, 2 * JOINTS, read, 2 * JOINTS, &error);
    for (int k = 0; k < JOINTS; k++) torques[k] = -0.5 * read[JOINTS + k] - 0.01 * read[k];
    if (status == FLG_OK) {
      status = flg_input_write_many(one, efforts, JOINTS, torques, JOINTS, &error);
    }
    if (status == FLG_OK) status = flg_simulation_step(one, &error);
    if (status != FLG_OK) fail_msg("%s", error.message);
  }
  assert_int_equal(allocations_end(), 0);
  assert_true(flg_simulation_micro_steps(one) >= REPEATS(100000) * INT64_C(10));
  flg_simulation_release(one);
}

static void names_that_mean_nothing_are_told(void **state) {
  (void)state;
  flg_simulation *one = load(JOINED("monolithic", PD("{at: 0, position: [0.4, -0.3]}"), ""));
  flg_input input;
  flg_output output;
  flg_trigger trigger;
  flg_error error;
  assert_int_equal(flg_input_find(one, "arm/sholder.effort", &input, &error), FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "did you mean 'shoulder'"));
  assert_int_equal(flg_input_find(one, "arms/shoulder.effort", &input, &error), FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "did you mean 'arm'"));
  assert_int_equal(flg_input_find(one, "arm/shoulder.position", &input, &error), FLG_ERR_INPUT);
  assert_int_equal(flg_input_find(one, "arm", &input, &error), FLG_ERR_INPUT);
  assert_int_equal(flg_input_find(one, "arm/serva.target", &input, &error), FLG_ERR_INPUT);
  assert_int_equal(flg_input_find(one, "hand/nothing", &input, &error), FLG_ERR_INPUT);
  assert_int_equal(flg_input_find(one, "hand/balls.wrench", &input, &error), FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "ball"));
  assert_int_equal(flg_output_find(one, "arm/shoulder.posture", &output, &error), FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "position, velocity, effort"));
  assert_int_equal(flg_trigger_find(one, "lok", "arm/elbow", 0, &trigger, &error), FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "did you mean 'lock'"));
  assert_int_equal(flg_trigger_find(one, "lock", "arm/elbov", 0, &trigger, &error), FLG_ERR_INPUT);
  int count;
  assert_non_null(flg_output_list(one, &count));
  assert_true(count > 20);
  flg_simulation_release(one);
}

static void simulation_keeps_nothing_of_its_caller(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  char text[] =
      "flange: 1\ntime: {end: 1}\nsubsystems: {a: {model: models/double-pendulum.yaml}}\n";
  char path[] = "examples/pendulum/nameless.yaml", override[] = "record=[a/energy]";
  const char *const overrides[] = {override};
  flg_simulation *one = NULL;
  assert_int_equal(flg_simulation_load_text(&one, text, path, overrides, 1, &mistakes), FLG_OK);
  memset(text, 'x', sizeof text - 1);
  memset(path, 'x', sizeof path - 1);
  memset(override, 'x', sizeof override - 1);
  assert_string_equal(flg_simulation_name(one), "examples/pendulum/nameless.yaml");
  assert_string_equal(flg_simulation_signals(one)->name, "a/energy");
  assert_non_null(strstr(flg_simulation_text(one), "flange: 1"));
  flg_simulation_release(one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simulation_keeps_nothing_of_its_caller),
      cmocka_unit_test(wrench_on_a_robot_acts_as_a_force_of_the_scenario),
      cmocka_unit_test(wrench_on_a_body_acts_as_a_force_of_its_component),
      cmocka_unit_test(effort_on_a_joint_is_a_pair_of_moments),
      cmocka_unit_test(effort_on_a_robot_is_that_of_a_table),
      cmocka_unit_test(target_of_a_controller_is_held),
      cmocka_unit_test(signal_is_what_was_written),
      cmocka_unit_test(trigger_does_what_an_event_does),
      cmocka_unit_test(weld_is_made_by_hand),
      cmocka_unit_test(state_goes_on_bit_for_bit),
      cmocka_unit_test(reset_starts_anew),
      cmocka_unit_test(state_survives_in_a_file),
      cmocka_unit_test(contacts_carry_the_weight),
      cmocka_unit_test(driving_a_step_allocates_nothing),
      cmocka_unit_test(many_at_once_are_as_one_by_one),
      cmocka_unit_test(million_steps_allocate_nothing),
      cmocka_unit_test(names_that_mean_nothing_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
