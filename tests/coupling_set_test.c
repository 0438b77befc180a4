/* Events that set joints of a robot which interfaces join to others: joints have the values that
 * are set, and what hangs on them follows, whichever way the system is solved. */
#include "scenarios.h"

static const char arm[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  upper: {mass: 2, centre: [0.5, 0, 0], inertia: [4e-3, 1/6, 1/6]}\n"
    "  lower: {mass: 1, centre: [0.5, 0, 0], inertia: [2e-3, 1/12, 1/12]}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [1, 0, 0], axis: [0, 1, 0]}\n"
    "ports: {hand: {body: lower, at: [1, 0, 0]}}\n";

static const char load[] =
    "flange-component: 1\n"
    "bodies: {b: {mass: 2, inertia: [0.02, 0.02, 0.02], at: [=2*cos(0.5), 0, 0]}}\n"
    "ports: {mount: {body: b}}\n"
    "%s";

static const char *const schemes[] = {"monolithic", "sequential", "parallel", "neighbour"};

enum { SCHEMES = 4, NUMBERS = 10 };

/* more: of the load; values: both angles, both rates, place and velocity of the load */
static void run_with_event(const char *scheme, const char *event, const char *more,
                           double *values) {
  char text[1000], model[400];
  snprintf(model, sizeof model, load, more);
  snprintf(text, sizeof text,
           "flange: 1\n"
           "time: {end: 0.3, macro: 1/1000}\n"
           "subsystems:\n"
           "  arm: {model: robot.yaml, step: 1/1000, initial: {shoulder: -0.5, elbow: 1}}\n"
           "  load: {model: model.yaml, step: 1/1000, assemble: true}\n"
           "interfaces: {w: {between: [arm/hand, load/mount]}}\n"
           "coupling: {scheme: %s}\n"
           "events:\n"
           "%s"
           "record: [arm/shoulder.position, arm/elbow.position, arm/shoulder.velocity,\n"
           "  arm/elbow.velocity, load/b.position, load/b.velocity]\n",
           scheme, event);
  flg_simulation *simulation = load_three_texts(text, model, arm);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

static void schemes_agree(const char *event, double tolerance) {
  double expected[NUMBERS], values[NUMBERS];
  run_with_event(schemes[0], event, "", expected);
  for (int k = 1; k < SCHEMES; k++) {
    run_with_event(schemes[k], event, "", values);
    assert_true(max_difference(expected, values, NUMBERS) < tolerance);
  }
}

static void what_hangs_on_a_joint_follows_its_velocity(void **state) {
  (void)state;
  schemes_agree("  - {at: 0.2, set_velocity: {arm/elbow: 3}}\n", 5e-5);
  schemes_agree("  - {at: 0.2, set_velocity: {arm/elbow: 3, arm/shoulder: -1}}\n", 5e-5);
}

static void what_hangs_on_a_joint_follows_its_position(void **state) {
  (void)state;
  schemes_agree("  - {at: 0.2, set: {arm/elbow: 0.5}}\n", 5e-5);
  schemes_agree("  - {at: 0.2, set: {arm/shoulder: 0.4}}\n", 5e-5);
  schemes_agree(
      "  - {at: 0.2, set: {arm/elbow: 0.5}, set_velocity: {arm/elbow: 2}}\n"
      "  - {at: 0.2, set_velocity: {arm/shoulder: 1}}\n",
      5e-5);
}

/* 1 ms after the event: all that are set have moved on from their values alone */
static void all_joints_of_an_event_have_their_values(void **state) {
  (void)state;
  for (int k = 0; k < SCHEMES; k++) {
    double values[NUMBERS];
    run_with_event(schemes[k], "  - {at: 0.299, set: {arm/elbow: 0.5, arm/shoulder: 0.1}}\n", "",
                   values);
    assert_near(values[0], 0.1, 0.01);
    assert_near(values[1], 0.5, 0.01);
    run_with_event(schemes[k], "  - {at: 0.299, set_velocity: {arm/elbow: 2, arm/shoulder: 1}}\n",
                   "", values);
    assert_near(values[2], 1, 0.05);
    assert_near(values[3], 2, 0.05);
  }
}

/* The load runs on a rail through the hand, so that the elbow decides on the shoulder. */
static void joints_that_are_not_set_move_where_bodies_alone_cannot(void **state) {
  (void)state;
  static const char rail[] =
      "joints: {rail: {kind: point-on-line, between: [world, b], at: [=2*cos(0.5), 0, 0], axis: "
      "[0, 0, 1]}}\n";
  for (int k = 0; k < SCHEMES; k++) {
    double values[NUMBERS];
    run_with_event(schemes[k], "  - {at: 0.299, set: {arm/elbow: 0.9}}\n", rail, values);
    assert_near(values[1], 0.9, 0.01);
    assert_near(cos(values[0]) + cos(values[0] + values[1]), 2 * cos(0.5), 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_hangs_on_a_joint_follows_its_velocity),
      cmocka_unit_test(what_hangs_on_a_joint_follows_its_position),
      cmocka_unit_test(all_joints_of_an_event_have_their_values),
      cmocka_unit_test(joints_that_are_not_set_move_where_bodies_alone_cannot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
