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

/* --- with ends and contacts ---------------------------------------------------------------------
 */

static void run_joint(const char *model, const char *gravity, const char *integrator,
                      const char *start, double values[2]) {
  char scenario[500];
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: %s\ntime: {end: 1, macro: 1/100}\nsubsystems: {a: {model: "
           "model.yaml, step: 1/1000, integrator: %s%s}}\nrecord: "
           "[a/j.position, a/j.velocity]\n",
           gravity, integrator, start);
  final_values(scenario, model, values);
}

/* 1 kg at 1 m on a level arm that rubs, and a slider on it which rests on its end */
static void joints_come_loose_at_their_bound_near_an_end(void **state) {
  (void)state;
  const double load = 9.81 + 9.81, inertia = 1.1 + 0.6;
  for (int k = 0; k < 8; k++) {
    const double part = k % 2 == 0 ? 1e-6 : 1e-3;
    double values[2];
    for (int side = -1; side <= 1; side += 2) {
      char model[700];
      snprintf(model, sizeof model,
               "flange-model: 1\nbodies: {bob: {mass: 1, centre: [1, 0, 0], inertia: [0.1, 0.1, "
               "0.1]}, w: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
               "joints:\n  j: {kind: revolute, child: bob, axis: [0, 1, 0], friction: %.17g}\n"
               "  k: {kind: prismatic, parent: bob, child: w, at: [0.5, 0, 0], axis: [0, 0, 1], "
               "limits: {lower: 0, upper: 1}}\n",
               load * (1 + side * part));
      run_joint(model, "[0, 0, -9.81]", integrators[k / 2], "", values);
      const double speed = side > 0 ? 0 : load * part / inertia;
      if (side > 0) assert_true(values[0] == 0 && values[1] == 0);
      /* the load goes down by the square of the angle */
      assert_near(values[1], speed, 0.4 * speed * speed + 1e-10);
      assert_near(values[0], speed / 2, 10 * speed * speed + 2e-3 * speed);
    }
  }
}

/* a post on a slider that rubs stands on the ground, which rubs, too; gravity pulls aside */
static void joints_come_loose_at_their_bound_in_contact(void **state) {
  (void)state;
  const double load = 6 - 0.1 * 2 * 9.81;
  for (int k = 0; k < 8; k++) {
    const double part = k % 2 == 0 ? 1e-6 : 1e-3, way = k / 2 % 2 == 0 ? 1 : -1;
    for (int side = -1; side <= 1; side += 2) {
      char model[800], gravity[60];
      double values[2];
      snprintf(model, sizeof model,
               "flange-model: 1\nbodies:\n  x: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n  z: {mass: 2, "
               "inertia: [0.1, 0.1, 0.1], shapes: [{kind: sphere, size: 0.1, friction: 0.1}]}\n"
               "shapes: [{kind: plane, at: [0, 0, -0.1], friction: 0.1}]\njoints:\n"
               "  j: {kind: prismatic, child: x, axis: [1, 0, 0], friction: %.17g}\n"
               "  k: {kind: prismatic, parent: x, child: z, axis: [0, 0, 1]}\n",
               load * (1 + side * part));
      snprintf(gravity, sizeof gravity, "[%g, 0, -9.81]", 2 * way);
      run_joint(model, gravity, integrators[k / 4], "", values);
      const double speed = side > 0 ? 0 : way * load * part / 3;
      if (side > 0) assert_true(values[0] == 0 && values[1] == 0);
      assert_near(values[1], speed, 1e-13);
      assert_near(values[0], speed / 2, 2e-3 * fabs(speed) + 1e-11);
    }
  }
}

/* Two links turn as one, with 1 rad/s, until the first one meets its end: the second one goes on,
 * with the momentum that it has about its joint, until friction has stopped it. */
static void hits_on_ends_let_joints_slip(void **state) {
  (void)state;
  const double inertia = 2 * 0.09 + 0.1; /* about j */
  const double speed = (2 * 0.3 * (0.5 + 0.3) + 0.1) / inertia;
  for (int k = 0; k < 4; k++) {
    double values[2];
    run_joint(
        "flange-model: 1\nbodies: {a: {mass: 1, centre: [0.2, 0, 0], inertia: [0.1, 0.1, "
        "0.1]}, b: {mass: 2, centre: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}}\njoints:\n"
        "  i: {kind: revolute, child: a, axis: [0, 0, 1], limits: {lower: -1, upper: 0.1}}\n"
        "  j: {kind: revolute, parent: a, child: b, at: [0.5, 0, 0], axis: [0, 0, 1], "
        "friction: 4}\n",
        "[0, 0, 0]", integrators[k], ", initial_velocity: {i: 1}", values);
    const double way = 0.5 * inertia * speed * speed / 4;
    print_message("%s: %.6f rad, %.6f by hand\n", integrators[k], values[0], way);
    assert_true(values[1] == 0);
    assert_near(values[0], way, 2e-3 * speed);
  }
}

/* --- joined -------------------------------------------------------------------------------------
 */

static void hold_joined(double friction, const char *scheme, const char *integrator,
                        const char *ends, double values[2]) {
  static const char box[] =
      "flange-component: 1\nbodies: {b: {mass: 2, inertia: [0.2, 0.2, 0.2], at: [1, 0, 0]}}\n"
      "ports: {p: {body: b}}\n";
  char scenario[600], model[400];
  snprintf(model, sizeof model,
           "flange-model: 1\nbodies: {bob: {mass: 1, centre: [0.5, 0, 0], inertia: [0.1, 0.1, "
           "0.1]}}\njoints: {j: {kind: revolute, child: bob, axis: [0, 1, 0], friction: %.17g}}\n"
           "ports: {tip: {body: bob, at: [1, 0, 0]}}\n",
           friction);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/200}\nsubsystems:\n"
           "  a: {model: robot.yaml, step: 1/1000, integrator: %s}\n"
           "  c: {model: model.yaml, step: 1/1000}\n"
           "interfaces: {w: {between: [%s], joint: weld}}\ncoupling: {scheme: %s}\n"
           "record: [a/j.position, a/j.velocity]\n",
           integrator, ends, scheme);
  flg_simulation *simulation = load_three_texts(scenario, box, model);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

/* 1 kg on a level arm, and 2 kg of another subsystem welded to its end */
static void joints_come_loose_at_their_bound_in_couplings(void **state) {
  (void)state;
  static const char *const schemes[] = {"sequential", "parallel"};
  static const char *const ends[] = {"a/tip, c/p", "c/p, a/tip"};
  const double load = 9.81 * (0.5 + 2), inertia = 0.35 + 2.2;
  for (int k = 0; k < 8; k++) {
    const char *scheme = schemes[k / 4], *integrator = integrators[k / 2 % 2];
    for (double part = 1e-5; part < 2e-3; part *= 10) {
      double values[2];
      hold_joined(load * (1 + part), scheme, integrator, ends[k % 2], values);
      assert_near(values[1], 0, 1e-7);
      assert_near(values[0], 0, 3e-6);
      hold_joined(load * (1 - part), scheme, integrator, ends[k % 2], values);
      const double speed = load * part / inertia;
      assert_near(values[1], speed, speed * (3e-3 * part / 1e-3 + 1e-4));
      assert_near(values[0], speed / 2, 2e-6 + 3e-3 * speed);
    }
  }
}

/* friction creeps there: it is said before a run, and of these alone */
static void coupled_steps_of_stages_are_warned_of(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    char scenario[500];
    snprintf(scenario, sizeof scenario,
             "flange: 1\ntime: {end: 1, macro: 1/200}\nsubsystems:\n"
             "  a: {model: robot.yaml, step: 1/1000, integrator: %s}\n"
             "  c: {model: model.yaml, step: 1/1000}\n"
             "interfaces: {w: {between: [a/tip, c/p], joint: weld}}\n"
             "coupling: {scheme: sequential}\n",
             integrators[k]);
    flg_simulation *simulation = load_three_texts(
        scenario,
        "flange-component: 1\nbodies: {b: {mass: 2, inertia: [0.2, 0.2, 0.2]}}\n"
        "ports: {p: {body: b}}\n",
        "flange-model: 1\nbodies: {bob: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {j: {kind: revolute, child: bob, friction: 1}}\nports: {tip: {body: bob}}\n");
    const char *notice = flg_simulation_notice(simulation, 0);
    if (k < 2) assert_null(notice);
    if (k == 2) assert_non_null(strstr(notice, "a: friction of 'j' creeps in coupled rk4 steps"));
    flg_simulation_release(simulation);
  }
}

/* robots in components that are coupled: friction there is a damper in models */
static void blows_that_coupled_components_hold_are_warned_of(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential"};
  for (int k = 0; k < 2; k++) {
    char scenario[400];
    snprintf(scenario, sizeof scenario,
             "flange: 1\ntime: {end: 1, macro: 1/200}\nsubsystems:\n"
             "  a: {model: model.yaml, step: 1/1000}\n  c: {model: model.yaml, step: 1/1000}\n"
             "interfaces: {w: {between: [a/p, c/p], joint: weld}}\ncoupling: {scheme: %s}\n",
             schemes[k]);
    flg_simulation *simulation = load_three_texts(
        scenario,
        "flange-component: 1\nrobots: {r: {model: robot.yaml}}\nports: {p: {body: r/bob}}\n",
        "flange-model: 1\nbodies: {bob: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {j: {kind: revolute, child: bob, friction: 1}}\n");
    const char *notice = flg_simulation_notice(simulation, 0);
    if (k == 0) assert_null(notice);
    if (k == 1) assert_non_null(strstr(notice, "a: joint friction of 'r' may hold a blow"));
    flg_simulation_release(simulation);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_come_loose_at_their_bound),
      cmocka_unit_test(robots_and_components_move_alike),
      cmocka_unit_test(joints_come_loose_at_their_bound_near_an_end),
      cmocka_unit_test(joints_come_loose_at_their_bound_in_contact),
      cmocka_unit_test(hits_on_ends_let_joints_slip),
      cmocka_unit_test(joints_come_loose_at_their_bound_in_couplings),
      cmocka_unit_test(coupled_steps_of_stages_are_warned_of),
      cmocka_unit_test(blows_that_coupled_components_hold_are_warned_of),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
