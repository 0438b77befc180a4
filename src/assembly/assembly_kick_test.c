/* Components that can touch step by rattle: order 2 and energy that stays between hits, rest that
 * is rest, hits that give nothing. */
#include "scenarios.h"

/* a double pendulum of rods in the plane y = 0; its outer rod carries a ball of 0.1 m */
static const char pendulum[] =
    "flange-component: 1\n"
    "bodies:\n"
    "  a: {mass: 1, at: [0.5, 0, 0], inertia: [0.01, 0.09, 0.09]}\n"
    "  b: {mass: 1, at: [1.5, 0, 0], inertia: [0.01, 0.09, 0.09], angular_velocity: [0, 3, 0],\n"
    "    shapes: [{kind: sphere, size: 0.1, at: [0.5, 0, 0], collision: true, restitution: 1,\n"
    "      friction: 0}]}\n"
    "joints:\n"
    "  j: {kind: revolute, between: [world, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  k: {kind: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0]}\n";

/* a wall beside its plane, so near that a contact is looked at in every step */
#define WALL          "ground: {shapes: [{kind: plane, at: [0, -0.1001, 0], turn: [-90 deg, 0, 0]}]}\n"
#define FLOOR(height) "ground: {shapes: [{kind: plane, at: [0, 0, " height "]}]}\n"

static flg_energy energy_of(const char *scenario, const char *model, double *values) {
  flg_simulation *simulation = load_texts(scenario, model);
  run_to_end(simulation);
  const flg_energy energy = flg_simulation_energy(simulation);
  if (values != NULL) flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
  return energy;
}

static void tip_at(const char *step, const char *more, double tip[3]) {
  char text[600];
  snprintf(text, sizeof text,
           "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 0.5, macro: 0.5}\n"
           "subsystems: {m: {model: model.yaml, step: %s}}\nrecord: [m/b.position]\n%s",
           step, more);
  final_values(text, pendulum, tip);
}

static void pendulum_beside_a_wall_is_of_order_two(void **state) {
  (void)state;
  double exact[3], error[2];
  char text[600];
  snprintf(text, sizeof text,
           "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 0.5, macro: 0.5}\n"
           "subsystems: {m: {model: model.yaml, step: 1/8000, integrator: rk4}}\n"
           "record: [m/b.position]\n");
  final_values(text, pendulum, exact);
  for (int k = 0; k < 2; k++) {
    double tip[3];
    tip_at(k == 0 ? "1/500" : "1/1000", WALL, tip);
    error[k] = hypot(tip[0] - exact[0], tip[2] - exact[2]);
    assert_true(fabs(tip[1]) < 1e-12);
  }
  print_message("off by %.2g, %.2g m: order %.2f\n", error[0], error[1], log2(error[0] / error[1]));
  assert_near(log2(error[0] / error[1]), 2, 1e-4);
}

/* Away from everything, a step is bit for bit what it is without shapes. */
static void floor_that_is_far_changes_no_bit(void **state) {
  (void)state;
  double with[3], without[3];
  tip_at("1/500", FLOOR("-2.5"), with);
  tip_at("1/500", "", without);
  assert_memory_equal(with, without, sizeof with);
}

#define LONG(more)                                                     \
  "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 20, macro: 1/200}\n" \
  "subsystems: {m: {model: model.yaml, step: 1/1000}}\n" more

/* They lost 3.8 J in 10 s. */
static void pendulums_that_can_touch_keep_their_energy(void **state) {
  (void)state;
  static const char *const cases[] = {LONG(WALL), LONG(FLOOR("-2.5"))};
  for (int k = 0; k < 2; k++) {
    const flg_energy energy = energy_of(cases[k], pendulum, NULL);
    print_message("energy %.6g J: %.2g .. %.2g\n", energy.initial, energy.least - energy.initial,
                  energy.most - energy.initial);
    assert_true(energy.most - energy.initial < 5e-3 && energy.least - energy.initial > -5e-3);
    assert_true(fabs(energy.final - energy.initial) < 5e-3);
  }
}

/* hits on a floor may lose, and never gain more than what there is between them */
static void pendulum_that_hits_the_floor_gains_nothing(void **state) {
  (void)state;
  static const char *const cases[] = {LONG(FLOOR("-1.8")), LONG(FLOOR("-1.2")), LONG(FLOOR("-2"))};
  for (int k = 0; k < 3; k++) {
    const flg_energy energy = energy_of(cases[k], pendulum, NULL);
    print_message("energy %.6g J: %.2g .. %.2g\n", energy.initial, energy.least - energy.initial,
                  energy.most - energy.initial);
    assert_true(energy.most - energy.initial < 5e-3);
  }
}

#define BOX(state)                                                                   \
  "flange-component: 1\nbodies:\n  box: {mass: 2, inertia: [0.1, 0.2, 0.25], " state \
  ",\n"                                                                              \
  "    shapes: [{kind: box, size: [0.4, 0.3, 0.2], collision: true, friction: 0.5}]}\n"

/* v^2/(2 mu g), and to the last digit: forces are constant */
static void box_slides_as_far_as_it_should(void **state) {
  (void)state;
  double end[6];
  final_values(
      "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/10}\n"
      "subsystems: {m: {model: model.yaml, step: 1/1000}}\n" FLOOR(
          "0") "record: [m/box.position, m/box.velocity]\n",
      BOX("at: [0, 0, 0.1], velocity: [2, 0, 0]"), end);
  print_message("slid %.9f m\n", end[0]);
  assert_near(end[0], 4 / (2 * 0.5 * 9.81), 1e-6);
  assert_near(end[2], 0.1, 1e-12);
  for (int k = 3; k < 6; k++) assert_near(end[k], 0, 5e-14); /* rounding of 2 m/s: 6e-15 */
}

static void box_at_rest_stays_at_rest(void **state) {
  (void)state;
  double end[6];
  final_values(
      "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 2, macro: 1/10}\n"
      "subsystems: {m: {model: model.yaml, step: 1/1000}}\n" FLOOR(
          "0") "record: [m/box.position, m/box.velocity]\n",
      BOX("at: [0, 0, 0.1]"), end);
  assert_near(end[2], 0.1, 1e-14);
  for (int k = 3; k < 6; k++) assert_near(end[k], 0, 1e-14);
}

/* thrown and tumbling: momentum and energy to rounding, until it lands */
static void thrown_box_flies_exactly(void **state) {
  (void)state;
  double end[6];
  const flg_energy energy = energy_of(
      "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/10}\n"
      "subsystems: {m: {model: model.yaml, step: 1/200}}\n" FLOOR(
          "0") "record: [m/box.position, m/box.velocity]\n",
      BOX("at: [0, 0, 6], velocity: [1, 2, 3], angular_velocity: [3, 5, -2]"), end);
  const double there[6] = {1, 2, 6 + 3 - 9.81 / 2, 1, 2, 3 - 9.81};
  for (int k = 0; k < 6; k++) assert_near(end[k], there[k], 1e-12);
  assert_near(energy.most, energy.initial, 4e-13 * energy.initial);
  assert_near(energy.least, energy.initial, 1e-12 * energy.initial);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_beside_a_wall_is_of_order_two),
      cmocka_unit_test(floor_that_is_far_changes_no_bit),
      cmocka_unit_test(pendulums_that_can_touch_keep_their_energy),
      cmocka_unit_test(pendulum_that_hits_the_floor_gains_nothing),
      cmocka_unit_test(box_slides_as_far_as_it_should),
      cmocka_unit_test(box_at_rest_stays_at_rest),
      cmocka_unit_test(thrown_box_flies_exactly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
