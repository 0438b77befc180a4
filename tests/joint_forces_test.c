/* What joints of components carry, and momentum of subsystems: closed forms, in every scheme. */
#include "scenarios.h"

enum { VALUES_MOST = 40 };
static const char *const SCHEMES[] = {"rattle", "rk4", "semi-implicit"};

/* scenario: up to the integrator */
static void run_with(const char *integrator, const char *scenario, const char *model,
                     double values[VALUES_MOST]) {
  char text[800];
  snprintf(text, sizeof text, "%s%s}}\n", scenario, integrator);
  flg_simulation *simulation = load_texts(text, model);
  run_to_end(simulation);
  assert_true(flg_simulation_width(simulation) <= VALUES_MOST);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

static void assert_vector(const double *is, double x, double y, double z, double tolerance) {
  const double wanted[3] = {x, y, z};
  for (int k = 0; k < 3; k++) {
    if (!(fabs(is[k] - wanted[k]) <= tolerance)) {
      fail_msg("%g %g %g, not %g %g %g", is[0], is[1], is[2], x, y, z);
    }
  }
}

/* Two bodies in a row, clamped: each weld carries what hangs on it. */
static void welds_carry_the_weight_beyond_them(void **state) {
  (void)state;
  static const char model[] =
      "flange-component: 1\nbodies:\n"
      "  near: {mass: 2, at: [1, 0, 0], inertia: [.1, .1, .1]}\n"
      "  far: {mass: 3, at: [2, 0, 0], inertia: [.1, .1, .1]}\n"
      "joints:\n"
      "  wall: {kind: weld, between: [world, near], at: [0, 0, 0]}\n"
      "  mid: {kind: weld, between: [far, near], at: [1.5, 0, 0]}\n";
  static const char scenario[] =
      "flange: 1\ngravity: [0, -10, 0]\ntime: {end: .1, macro: 1/100}\n"
      "record: [m/wall.force, m/wall.moment, m/mid.force, m/mid.moment]\n"
      "subsystems: {m: {model: model.yaml, step: 1/1000, integrator: ";
  for (int k = 0; k < 3; k++) {
    double values[VALUES_MOST];
    run_with(SCHEMES[k], scenario, model, values);
    assert_vector(values, 0, 50, 0, 1e-9);
    assert_vector(values + 3, 0, 0, 2 * 10 * 1 + 3 * 10 * 2, 1e-9);
    assert_vector(values + 6, 0, -30, 0, 1e-9); /* on its second end, which is the near body */
    assert_vector(values + 9, 0, 0, -30 * 0.5, 1e-9);
  }
}

/* Rows that hold bodies flat carry all of it, from the first step on; nothing moves, so that
 * factors stay those of the start. */
static void hinges_carry_what_hangs_out_of_their_plane(void **state) {
  (void)state;
  static const char model[] =
      "flange-component: 1\nbodies:\n"
      "  lid: {mass: 2, inertia: [.1, .1, .1], at: [.5, 0, 0]}\n"
      "  flap: {mass: 1, inertia: [.1, .1, .1], at: [1.5, 0, 0]}\n"
      "joints:\n"
      "  wall: {kind: revolute, between: [world, lid], at: [0, 0, 0]}\n"
      "  mid: {kind: revolute, between: [lid, flap], at: [1, 0, 0]}\n"
      "springs: {s: {on: wall, stiffness: 10}}\n";
  static const char scenario[] =
      "flange: 1\ngravity: [0, 0, -10]\ntime: {end: 1/100, macro: 1/100}\n"
      "record: [m/wall.force, m/wall.moment, m/mid.force, m/mid.moment]\n"
      "subsystems: {m: {model: model.yaml, step: 1/1000, coordinates: absolute, integrator: ";
  for (int k = 0; k < 3; k++) {
    double values[VALUES_MOST];
    run_with(SCHEMES[k], scenario, model, values);
    assert_vector(values, 0, 0, 30, 1e-9);
    assert_vector(values + 3, 0, -10 * (2 * 0.5 + 1 * 1.5), 0, 1e-9);
    assert_vector(values + 6, 0, 0, 10, 1e-9);
    assert_vector(values + 9, 0, -10 * 0.5, 0, 1e-9);
  }
}

/* A pendulum that falls from the horizontal: |F| = 3 m g where it hangs, F = -m w^2 r + m g. */
static void pins_of_pendulums_pull_them_round(void **state) {
  (void)state;
  static const char model[] =
      "flange-component: 1\nbodies:\n"
      "  bob: {mass: 2, at: [0, -1, 0], inertia: [1e-9, 1e-9, 1e-9], velocity: [4.472135955, 0, "
      "0], "
      "angular_velocity: [0, 0, 4.472135955]}\n"
      "joints:\n  pin: {kind: revolute, between: [world, bob], at: [0, 0, 0]}\n";
  static const char scenario[] =
      "flange: 1\ngravity: [0, -10, 0]\ntime: {end: .0001, macro: .0001}\n"
      "record: [m/pin.force, m/pin.moment, m/momentum.linear, m/momentum.angular]\n"
      "subsystems: {m: {model: model.yaml, step: .0001, integrator: ";
  for (int k = 0; k < 3; k++) {
    double values[VALUES_MOST];
    run_with(SCHEMES[k], scenario, model, values);
    assert_vector(values, 0, 60, 0, 0.05);
    assert_vector(values + 3, 0, 0, 0, 1e-4);
    assert_vector(values + 6, 2 * 4.472135955, 0, 0, 0.01);
    assert_vector(values + 9, 0, 0, 2 * 4.472135955, 1e-3);
  }
}

/* Two hinges share the weight of a door in a way that nobody knows; across, it is a couple. */
static void forces_that_redundant_joints_share_are_no_numbers(void **state) {
  (void)state;
  static const char model[] =
      "flange-component: 1\nbodies:\n  door: {mass: 20, at: [.5, 0, 1], inertia: [6, 8, 2]}\n"
      "joints:\n"
      "  low: {kind: revolute, between: [world, door], at: [0, 0, .5], axis: [0, 0, 1]}\n"
      "  top: {kind: spherical, between: [world, door], at: [0, 0, 1.5]}\n";
  static const char scenario[] =
      "flange: 1\ngravity: [0, 0, -10]\ntime: {end: .1, macro: 1/100}\n"
      "record: [m/low.force, m/top.force]\n"
      "subsystems: {m: {model: model.yaml, step: 1/1000, integrator: ";
  for (int k = 0; k < 3; k++) {
    double values[VALUES_MOST];
    run_with(SCHEMES[k], scenario, model, values);
    assert_true(isnan(values[2]) && isnan(values[5]));
  }
}

/* Robots have momentum, alone and in a scenario that is solved as one. */
static void momentum_of_a_falling_robot_is_its_weight_times_time(void **state) {
  (void)state;
  static const char robot[] =
      "flange-model: 1\nbodies:\n"
      "  a: {mass: 3, centre: [.1, 0, 0], inertia: [.1, .2, .3]}\n"
      "  b: {mass: 1, centre: [0, .2, 0], inertia: [.1, .1, .1]}\n"
      "joints:\n  free: {kind: floating, child: a}\n"
      "  elbow: {kind: revolute, parent: a, child: b, at: [1, 0, 0], axis: [0, 1, 1]}\n";
  static const char scenario[] =
      "flange: 1\ngravity: [0, -10, 0]\ntime: {end: .5, macro: 1/100}\n"
      "record: [m/momentum.linear]\n"
      "subsystems: {m: {model: model.yaml, step: 1/1000, integrator: ";
  static const char *const steps[] = {"leapfrog", "rk4"};
  for (int k = 0; k < 2; k++) {
    double values[VALUES_MOST];
    run_with(steps[k], scenario, robot, values);
    assert_vector(values, 0, -20, 0, 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(welds_carry_the_weight_beyond_them),
      cmocka_unit_test(hinges_carry_what_hangs_out_of_their_plane),
      cmocka_unit_test(pins_of_pendulums_pull_them_round),
      cmocka_unit_test(forces_that_redundant_joints_share_are_no_numbers),
      cmocka_unit_test(momentum_of_a_falling_robot_is_its_weight_times_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
