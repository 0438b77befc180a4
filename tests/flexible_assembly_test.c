/* Flexible bodies in components: steps of rattle that take elastic forces implicitly. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "math/larger.h"
#include "scenarios.h"

/* An arm of two links that swings in a plane: a rod on pins, which bends, and a bob. */
static const char scenario[] =
    "flange: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {end: %s, macro: 1/50}\n"
    "subsystems:\n"
    "  p: {model: model.yaml, step: %s, integrator: %s}\n"
    "record: [p/bob.position, p/energy]\n";

static const char component[] =
    "flange-component: 1\n"
    "bodies:\n"
    "  bob: {at: [2, 0, 0], mass: 5, centre: [0.5, 0, 0], inertia: [0.1, 0.2, 0.3]}\n"
    "robots:\n"
    "  rod: {model: robot.yaml}\n"
    "joints:\n"
    "  top: {kind: revolute, between: [world, rod/start], axis: [0, 1, 0]}\n"
    "  pin: {kind: revolute, between: [rod/end, bob], axis: [0, 1, 0]}\n";

static const char rod[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  rod: {flexible: {end: [2, 0, 0], section: {diameter: 0.03}, young: %s, density: 2700,\n"
    "                   bending: 2, ends: pinned-pinned, damping: %s}}\n"
    "joints: {free: {kind: floating, child: rod}}\n"
    "ports: {start: {body: rod}, end: {body: rod, at: [2, 0, 0]}}\n";

static const char rigid_rod[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  rod: {mass: 3.817035074111599, centre: [1, 0, 0],\n"
    "        inertia: [4.2941644583755487e-4, 1.2725597329267848, 1.2725597329267848]}\n"
    "joints: {free: {kind: floating, child: rod}}\n"
    "ports: {start: {body: rod}, end: {body: rod, at: [2, 0, 0]}}\n";

/* the same as one robot, which takes steps of leapfrog */
static const char tree[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  rod: {flexible: {end: [2, 0, 0], section: {diameter: 0.03}, young: 70e9, density: 2700,\n"
    "                   bending: 2, ends: pinned-pinned}}\n"
    "  bob: {mass: 5, centre: [0.5, 0, 0], inertia: [0.1, 0.2, 0.3]}\n"
    "joints:\n"
    "  top: {kind: revolute, child: rod, axis: [0, 1, 0]}\n"
    "  pin: {kind: revolute, parent: rod, child: bob, at: [2, 0, 0], axis: [0, 1, 0]}\n";

enum { X = 0, Z = 2, ENERGY = 3, VALUES = 4 };

typedef struct swing {
  const char *end, *step, *integrator, *young, *damping;
} swing;

static flg_simulation *swing_load(swing of) {
  char text[1024], robot[1024];
  snprintf(text, sizeof text, scenario, of.end, of.step, of.integrator);
  snprintf(robot, sizeof robot, rod, of.young, of.damping);
  return load_three_texts(text, component, of.young == NULL ? rigid_rod : robot);
}

static void swing_end(swing of, double values[VALUES]) {
  flg_simulation *simulation = swing_load(of);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

static double apart(const double *a, const double *b) {
  return hypot(a[X] - b[X], a[Z] - b[Z]);
}

static void steps_that_are_chosen_are_of_order_two(void **state) {
  (void)state;
  double end[3][VALUES], exact[VALUES];
  const char *const steps[] = {"1/4800", "1/9600", "1/19200"};
  for (int k = 0; k < 3; k++) {
    swing_end((swing){"0.6", steps[k], "auto", "70e9", "0"}, end[k]);
  }
  swing_end((swing){"0.6", "1/76800", "auto", "70e9", "0"}, exact);
  for (int k = 0; k < 2; k++) {
    const double ratio = apart(end[k], exact) / apart(end[k + 1], exact);
    assert_true(ratio > 3.5 && ratio < 4.6);
  }
  assert_true(apart(end[2], exact) < 1e-6);
}

static void a_mechanism_moves_as_the_robot_of_its_links(void **state) {
  (void)state;
  double closed[VALUES], joined[VALUES];
  char text[1024];
  swing_end((swing){"2", "1/9600", "auto", "70e9", "0"}, closed);
  snprintf(text, sizeof text, scenario, "2", "1/9600", "leapfrog");
  final_values(text, tree, joined);
  assert_true(apart(closed, joined) < 1e-7);
}

/* some 50 J are exchanged, again and again; the highest mode has w h = 2.3 */
static void energy_stays_without_damping(void **state) {
  (void)state;
  double values[VALUES], most = 0;
  flg_error error;
  flg_simulation *simulation = swing_load((swing){"10", "1/600", "auto", "70e9", "0"});
  while (!flg_simulation_ended(simulation)) {
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
    flg_simulation_record(simulation, values);
    most = flg_larger(most, fabs(values[ENERGY]));
  }
  flg_simulation_release(simulation);
  assert_true(most < 2e-3);
}

static void damping_takes_energy_at_any_step(void **state) {
  (void)state;
  const char *const steps[] = {"1/50", "1/600", "1/6000"}, *const shares[] = {"0.02", "1", "50"};
  for (int k = 0; k < 9; k++) {
    double values[VALUES];
    swing_end((swing){"2", steps[k % 3], "auto", "7e11", shares[k / 3]}, values);
    assert_true(values[ENERGY] < 0.5 && values[ENERGY] > -20);
  }
}

static void a_stiff_rod_is_a_rigid_one(void **state) {
  (void)state;
  double stiff[VALUES], rigid[VALUES];
  swing_end((swing){"2", "1/600", "auto", "70e20", "0"}, stiff);
  swing_end((swing){"2", "1/600", "auto", NULL, "0"}, rigid);
  assert_true(apart(stiff, rigid) < 1e-11);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_that_are_chosen_are_of_order_two),
      cmocka_unit_test(a_mechanism_moves_as_the_robot_of_its_links),
      cmocka_unit_test(energy_stays_without_damping),
      cmocka_unit_test(damping_takes_energy_at_any_step),
      cmocka_unit_test(a_stiff_rod_is_a_rigid_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
