/* What drives a robot, against closed forms: controllers, forces, limits, locks, events. */
#include "allocations.h"
#include "scenarios.h"

static const char cart[] =
    "flange-model: 1\n"
    "bodies: {cart: {mass: 2}, pole: {mass: 1, centre: [0, 0, 1]}}\n"
    "joints:\n"
    "  rail: {kind: prismatic, child: cart, axis: [1, 0, 0]}\n"
    "  hinge: {kind: revolute, parent: cart, child: pole, axis: [0, 1, 0]}\n";

static const char slider[] =
    "flange-model: 1\n"
    "bodies: {cart: {mass: 2}}\n"
    "joints: {rail: {kind: prismatic, child: cart, axis: [1, 0, 0], limits: {effort: 10}}}\n";

#define HEAD "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 0.01}\n"

static void pd_control_is_a_damped_spring(void **state) {
  (void)state;
  double values[2];
  final_values(HEAD
               "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.001,\n"
               "  initial_velocity: {rail: 0.1},\n"
               "  controllers: {c: {kind: pd, stiffness: 50, damping: 4}}}}\n"
               "record: [a/rail.position, a/rail.velocity]\n",
               slider, values);
  /* m x'' + d x' + k x = 0, x(0) = 0, x'(0) = 0.1 */
  const double decay = 4 / (2 * 2.0), w = sqrt(50 / 2.0 - decay * decay);
  assert_near(values[0], 0.1 / w * exp(-decay) * sin(w), 2e-11);
  assert_near(values[1], 0.1 * exp(-decay) * (cos(w) - decay / w * sin(w)), 2e-11);
}

static void effort_limits_hold(void **state) {
  (void)state;
  double values[2];
  final_values(HEAD
               "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.01,\n"
               "  controllers: {c: {kind: pd, stiffness: 1e6, damping: 0,\n"
               "    points: [{at: -2, position: 1000}, {at: -1, position: 1000}]}}}}\n"
               "record: [a/rail.position, a/rail.effort]\n",
               slider, values);
  assert_near(values[0], 0.5 * 10 / 2.0, 1e-12); /* 10 N on 2 kg for 1 s */
  assert_near(values[1], 10, 0);
}

static void computed_torque_follows_its_trajectory(void **state) {
  (void)state;
  double values[2];
  final_values(HEAD
               "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.001,\n"
               "  controllers: {c: {kind: computed-torque, frequency: 5,\n"
               "    points: [{at: 0, position: [0, 0]}, {at: 2, position: [3, 2]}]}}}}\n"
               "record: [a/rail.position, a/hinge.position]\n",
               cart, values);
  assert_near(values[0], 1.5, 1e-10); /* half way */
  assert_near(values[1], 1.0, 1e-10);
}

static void gravity_compensation_holds_the_robot_up(void **state) {
  (void)state;
  double values[2];
  final_values(HEAD
               "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.001,\n"
               "  initial: {hinge: 0.7}, controllers: {g: {kind: gravity}}}}\n"
               "record: [a/hinge.position, a/hinge.velocity]\n",
               cart, values);
  assert_near(values[0], 0.7, 1e-13);
  assert_near(values[1], 0, 1e-13);
}

static void a_push_accelerates_and_an_event_ends_it(void **state) {
  (void)state;
  double values[1];
  final_values(HEAD
               "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.01,\n"
               "  forces: {f: {body: cart, force: [6, 0, 0], enabled: false}}}}\n"
               "events: [{at: 0.5, disable: a/f}, {at: 0.25, enable: a/f}]\n"
               "record: [a/rail.position]\n",
               slider, values);
  assert_near(values[0], 0.5 * 3 * 0.0625 + 0.75 * 0.5, 1e-12);
}

/* a controller that is sampled gives the same forces whatever the steps are */
static double position_with_step(const char *step) {
  char text[600];
  double values[1];
  snprintf(text, sizeof text,
           HEAD
           "subsystems: {a: {model: model.yaml, integrator: rk4, step: %s,\n"
           "  initial: {rail: 0.01}, controllers: {c: {kind: pd, stiffness: 200, damping: 20, "
           "sample: 0.05, points: [{at: 0, position: 0}]}}}}\n"
           "record: [a/rail.position]\n",
           step);
  final_values(text, slider, values);
  return values[0];
}

static void a_sampled_controller_holds_between_its_samples(void **state) {
  (void)state;
  /* exact: x+ = x + T v + T^2/2 u, v+ = v + T u, u = -(k x + d v)/m, 20 samples */
  double x = 0.01, v = 0;
  for (int k = 0; k < 20; k++) {
    const double u = -(200 * x + 20 * v) / 2, T = 0.05;
    x += T * v + 0.5 * T * T * u;
    v += T * u;
  }
  assert_near(position_with_step("0.01"), x, 1e-13);
  assert_near(position_with_step("0.001"), x, 1e-13);
  assert_near(position_with_step("0.0025"), x, 1e-13);
}

static void a_table_drives_from_a_file(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *file = make_file(&folder, "f.csv", "time [s],rail [N]\n0,2\n0.5,4\n1,0\n");
  double held[1], linear[1];
  char text[600];
  for (int k = 0; k < 2; k++) {
    snprintf(text, sizeof text,
             HEAD
             "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.01,\n"
             "  controllers: {c: {kind: table, file: %s, interpolation: %s, sample: %s}}}}\n"
             "record: [a/rail.velocity]\n",
             file, k == 0 ? "held" : "linear", k == 0 ? "0.01" : "0");
    final_values(text, slider, k == 0 ? held : linear);
  }
  assert_near(held[0], (2 * 0.5 + 4 * 0.5) / 2, 1e-12);
  assert_near(linear[0], (3 * 0.5 + 2 * 0.5) / 2, 1e-12);
  remove_folder(&folder);
}

static void locking_takes_velocities_to_the_nearest_in_the_mass_norm(void **state) {
  (void)state;
  double values[3];
  final_values(
      "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.5, macro: 0.25}\n"
      "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.001,\n"
      "  initial_velocity: {rail: 1, hinge: 2}}}\n"
      "events: [{at: 0, lock: a/hinge}]\n"
      "record: [a/rail.velocity, a/hinge.velocity, a/hinge.position]\n",
      cart, values);
  /* upright: M = [3, 1; 1, 1]; momentum along the rail 3*1 + 1*2 = 5 stays: 5/3 */
  assert_near(values[0], 5.0 / 3, 1e-14);
  assert_near(values[1], 0, 0);
  assert_near(values[2], 0, 0);
}

static void an_unlocked_joint_moves_again(void **state) {
  (void)state;
  double values[2];
  final_values(HEAD
               "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.001,\n"
               "  initial: {hinge: 1}}}\n"
               "events: [{at: 0, lock: [a/hinge, a/rail]}, {at: 0.9, unlock: a/hinge}]\n"
               "record: [a/hinge.velocity, a/rail.position]\n",
               cart, values);
  /* falls for 0.1 s about a fixed rail: w' = 9.81 sin(th), th = 1 */
  assert_near(values[0], 9.81 * sin(1) * 0.1 + 9.81 * 9.81 * sin(1) * cos(1) * 1e-3 / 6, 2e-4);
  assert_near(values[1], 0, 0);
}

static void events_set_positions_and_velocities(void **state) {
  (void)state;
  double values[2];
  final_values(HEAD
               "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.01}}\n"
               "events: [{at: 0.5, set: {a/rail: 7}, set_velocity: {a/rail: 2}}]\n"
               "record: [a/rail.position, a/rail.velocity]\n",
               slider, values);
  assert_near(values[0], 8, 1e-12);
  assert_near(values[1], 2, 1e-13);
}

/* two wheels on a common axis, the second geared to turn twice as fast the other way */
static const char gears[] =
    "flange-model: 1\n"
    "bodies: {one: {mass: 1, inertia: [3, 3, 3]}, two: {mass: 1, inertia: [0.5, 0.5, 0.5]}}\n"
    "joints:\n"
    "  fast: {kind: continuous, child: two, at: [1, 0, 0],\n"
    "    mimic: {joint: slow, multiplier: -2, offset: 0.25}}\n"
    "  slow: {kind: continuous, child: one}\n";

static void a_joint_that_mimics_another_is_geared_to_it(void **state) {
  (void)state;
  double values[4];
  final_values(HEAD
               "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.01,\n"
               "  forces: {f: {body: one, moment: [0, 0, 10]}}}}\n"
               "record: [a/slow.position, a/slow.velocity, a/fast.position, a/fast.velocity]\n",
               gears, values);
  const double acceleration =
      10 / (3 + 4 * 0.5); /* the geared inertia counts with its ratio squared */
  assert_near(values[0], 0.5 * acceleration, 1e-12);
  assert_near(values[1], acceleration, 1e-12);
  assert_near(values[2], -2 * values[0] + 0.25, 1e-12);
  assert_near(values[3], -2 * values[1], 1e-12);
}

static void a_follower_keeps_up_with_velocities_and_events(void **state) {
  (void)state;
  double values[4];
  final_values(HEAD
               "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.01,\n"
               "  initial_velocity: {slow: 0.1}}}\n"
               "events: [{at: 0.5, set: {a/slow: 3}, set_velocity: {a/slow: 1}}]\n"
               "record: [a/slow.position, a/slow.velocity, a/fast.position, a/fast.velocity]\n",
               gears, values);
  assert_near(values[0], 3.5, 1e-12);
  assert_near(values[1], 1, 1e-12);
  assert_near(values[2], -2 * 3.5 + 0.25, 1e-12);
  assert_near(values[3], -2, 1e-12);
}

static void a_locked_joint_takes_no_velocity(void **state) {
  (void)state;
  double values[2];
  final_values(HEAD
               "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.01}}\n"
               "events: [{at: 0, lock: a/rail}, {at: 0.5, set_velocity: {a/rail: 5}}]\n"
               "record: [a/rail.position, a/rail.velocity]\n",
               slider, values);
  assert_true(values[0] == 0 && values[1] == 0);
}

static void a_sampled_controller_sees_an_event_of_its_sample_time(void **state) {
  (void)state;
  double values[1];
  final_values(
      "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.2, macro: 0.1}\n"
      "subsystems: {a: {model: model.yaml, integrator: rk4, step: 0.01, controllers:\n"
      "  {c: {kind: pd, stiffness: 2, damping: 0, sample: 0.1, points: [{at: 0, position: 0}]}}}}\n"
      "events: [{at: 0.1, set: {a/rail: 1}}]\n"
      "record: [a/rail.velocity]\n",
      slider, values);
  assert_near(values[0], -2.0 / 2 * 0.1, 1e-13);
}

/* 3 N of dry friction on 2 kg */
static const char rubbing[] =
    "flange-model: 1\n"
    "bodies: {cart: {mass: 2}}\n"
    "joints: {rail: {kind: prismatic, child: cart, axis: [1, 0, 0], friction: 3}}\n";

static void dry_friction_stops_and_holds_with_every_integrator(void **state) {
  (void)state;
  const char *integrators[] = {"semi-implicit", "rk4", "adaptive"};
  for (int k = 0; k < 3; k++) {
    char text[600];
    double values[2];
    snprintf(text, sizeof text,
             "flange: 1\ntime: {end: 3, macro: 0.1}\n"
             "subsystems: {a: {model: model.yaml, integrator: %s, step: 0.001,\n"
             "  initial_velocity: {rail: 2}, forces: {f: {body: cart, force: [2.9, 0, 0],\n"
             "  enabled: false}}}}\n"
             "events: [{at: 2, enable: a/f}]\n"
             "record: [a/rail.position, a/rail.velocity]\n",
             integrators[k]);
    final_values(text, rubbing, values);
    assert_near(values[0], 2 * 2 / (2 * 1.5), 5e-3); /* v^2 / (2 F/m) */
    assert_near(values[1], 0, 1e-9);
  }
}

static void driven_steps_allocate_nothing(void **state) {
  (void)state;
  const char *integrators[] = {"semi-implicit", "rk4", "adaptive"};
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(
        text, sizeof text,
        HEAD
        "subsystems: {a: {model: model.yaml, step: 0.001, integrator: %s,\n"
        "  forces: {f: {body: cart, force: [6, 0, 0]}},\n"
        "  controllers: {g: {kind: gravity}, c: {kind: computed-torque, frequency: 5,\n"
        "    sample: 0.01, points: [{at: 0, position: [0, 0]}, {at: 2, position: [3, 2]}]}}}}\n"
        "events: [{at: 0.5, lock: a/hinge}]\n"
        "record: [a/rail.position]\n",
        integrators[k]);
    flg_simulation *simulation = load_texts(text, cart);
    double values[1];
    allocations_begin();
    while (!flg_simulation_ended(simulation)) {
      flg_simulation_step(simulation, NULL);
      flg_simulation_record(simulation, values);
    }
    const long count = allocations_end();
    flg_simulation_release(simulation);
    if (!allocations_counted()) skip();
    assert_int_equal(count, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pd_control_is_a_damped_spring),
      cmocka_unit_test(effort_limits_hold),
      cmocka_unit_test(computed_torque_follows_its_trajectory),
      cmocka_unit_test(gravity_compensation_holds_the_robot_up),
      cmocka_unit_test(a_push_accelerates_and_an_event_ends_it),
      cmocka_unit_test(a_sampled_controller_holds_between_its_samples),
      cmocka_unit_test(a_table_drives_from_a_file),
      cmocka_unit_test(locking_takes_velocities_to_the_nearest_in_the_mass_norm),
      cmocka_unit_test(an_unlocked_joint_moves_again),
      cmocka_unit_test(events_set_positions_and_velocities),
      cmocka_unit_test(a_joint_that_mimics_another_is_geared_to_it),
      cmocka_unit_test(a_follower_keeps_up_with_velocities_and_events),
      cmocka_unit_test(a_locked_joint_takes_no_velocity),
      cmocka_unit_test(a_sampled_controller_sees_an_event_of_its_sample_time),
      cmocka_unit_test(dry_friction_stops_and_holds_with_every_integrator),
      cmocka_unit_test(driven_steps_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
