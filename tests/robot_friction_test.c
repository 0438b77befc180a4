/* Dry friction of robots' joints: it sticks up to its bound and no further, with every integrator,
 * and moves as the same tree does as a component. */
#include <math.h>

#include "check.h"
#include "scenarios.h"

static const char *const integrators[] = {"leapfrog", "semi-implicit", "rk4", "adaptive"};

/* 1 kg at 1 m on a level arm, turned about y by gravity; 0.1 kg m^2 of its own */
static void hold_arm(double friction, double gravity, const char *integrator, double values[2]) {
  char scenario[500], model[500];
  snprintf(model, sizeof model,
           "flange-model: 1\nbodies: {bob: {mass: 1, centre: [1, 0, 0], inertia: [0.1, 0.1, "
           "0.1]}}\njoints: {j: {kind: revolute, child: bob, axis: [0, 1, 0], friction: %.17g}}\n",
           friction);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: [0, 0, %.17g]\ntime: {end: 1, macro: 1/100}\nsubsystems: {a: "
           "{model: model.yaml, step: 1/1000, integrator: %s}}\nrecord: [a/j.position, "
           "a/j.velocity]\n",
           gravity, integrator);
  final_values(scenario, model, values);
}

/* to both sides, by a share of the load: below its bound a joint rests exactly, above it what is
 * left of the load accelerates it from the first step on */
static void joints_come_loose_at_their_bound(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    const double gravity = k % 2 == 0 ? -9.81 : 9.81;
    const char *integrator = integrators[k / 2];
    double values[2];
    for (double part = 1e-9; part < 0.1; part *= 10) {
      hold_arm(9.81 * (1 + part), gravity, integrator, values);
      assert_true(values[0] == 0 && values[1] == 0);
      hold_arm(9.81 * (1 - part), gravity, integrator, values);
      const double pull = (gravity < 0 ? 9.81 : -9.81) * part / 1.1;
      /* the load goes down by the square of the angle, (pull t^2 / 2)^2 / 2 */
      const double less = 9.81 / 1.1 * pull * pull / 40;
      assert_near(values[1], pull, 2 * less + 1e-10 + 1e-13 / part);
      assert_near(values[0], pull / 2, less + fabs(pull) * 1e-3);
    }
  }
}

/* --- robots and components ----------------------------------------------------------------------
 */

static const char robot[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  a: {mass: 3, centre: [0.4, 0.1, 0], inertia: [0.2, 0.3, 0.4]}\n"
    "  b: {mass: 2, centre: [0.3, 0, 0.1], inertia: [0.1, 0.2, 0.15]}\n"
    "  c: {mass: 0.5, centre: [0.2, 0.05, 0], inertia: [0.02, 0.01, 0.03]}\n"
    "joints:\n"
    "  j1: {kind: revolute, child: a, axis: [0, 1, 0.2], friction: 18}\n"
    "  j2: {kind: revolute, parent: a, child: b, at: [0.8, 0, 0], axis: [0, 1, 0], friction: 3}\n"
    "  j3: {kind: prismatic, parent: b, child: c, at: [0.6, 0, 0], axis: [0.2, 0, 1], friction: "
    "2}\n";

static const char component[] =
    "flange-component: 1\n"
    "bodies:\n"
    "  a: {mass: 3, centre: [0.4, 0.1, 0], inertia: [0.2, 0.3, 0.4]}\n"
    "  b: {mass: 2, centre: [0.3, 0, 0.1], inertia: [0.1, 0.2, 0.15], at: [0.8, 0, 0]}\n"
    "  c: {mass: 0.5, centre: [0.2, 0.05, 0], inertia: [0.02, 0.01, 0.03], at: [1.4, 0, 0]}\n"
    "joints:\n"
    "  j1: {kind: revolute, between: [world, a], axis: [0, 1, 0.2], friction: {coulomb: 18}}\n"
    "  j2: {kind: revolute, between: [a, b], at: [0.8, 0, 0], axis: [0, 1, 0], friction: {coulomb: "
    "3}}\n"
    "  j3: {kind: prismatic, between: [b, c], at: [1.4, 0, 0], axis: [0.2, 0, 1], friction: "
    "{coulomb: 2}}\n";

static void swing(const char *model, const char *integrator, int steps, double values[6]) {
  char scenario[500];
  snprintf(
      scenario, sizeof scenario,
      "flange: 1\ntime: {end: 2, macro: 1/50}\nsubsystems: {a: {model: model.yaml, step: 1/%d, "
      "integrator: %s}}\nrecord: [a/j1.position, a/j2.position, a/j3.position, "
      "a/j1.velocity, a/j2.velocity, a/j3.velocity]\n",
      steps, integrator);
  final_values(scenario, model, values);
}

/* joints stick and come loose several times; both rk4 have the same equations, the others differ by
 * what their steps err */
static void robots_and_components_move_alike(void **state) {
  (void)state;
  static const struct {
    const char *robot, *component;
    double bound;
  } pairs[] = {{"rk4", "rk4", 3e-5},
               {"adaptive", "rk4", 1e-2},
               {"leapfrog", "rattle", 5e-3},
               {"semi-implicit", "semi-implicit", 2e-2}};
  for (int steps = 1000; steps <= 4000; steps *= 2) {
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
      double ours[6], theirs[6];
      swing(robot, pairs[k].robot, steps, ours);
      swing(component, pairs[k].component, steps, theirs);
      print_message("%d, %s: %.2e\n", steps, pairs[k].robot, max_difference(ours, theirs, 6));
      assert_true(max_difference(ours, theirs, 6) < pairs[k].bound);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_come_loose_at_their_bound),
      cmocka_unit_test(robots_and_components_move_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
