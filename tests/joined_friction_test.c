/* Dry friction of the joints of robots that are solved as one with others, in components and by
 * `monolithic`: closed forms, and the same robot by itself. */
#include <math.h>

#include "check.h"
#include "scenarios.h"

enum { TEXT = 1500 };

static void run_texts(const char *scenario, const char *model, const char *robot, double *values) {
  flg_error error;
  flg_simulation *simulation = load_three_texts(scenario, model, robot);
  if (run_and_judge(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

/* --- at its bound -------------------------------------------------------------------------------
 */

/* How a robot `a` and a box are solved as one. */
typedef struct host {
  const char *subsystems, *ports, *joint; /* ports: of the box, or what joins both */
} host;

#define ROBOT "  a: {model: robot.yaml, step: 1/1000}\n"
#define OTHER "  c: {model: model.yaml, step: 1/1000}\n"
#define INTERFACE(ends) \
  "interfaces: {w: {between: [" ends "], joint: weld}}\ncoupling: {scheme: monolithic}\n"
#define PORT "ports: {p: {body: b}}\n"

static const host hosts[] = {
    {ROBOT OTHER INTERFACE("a/tip, c/p"), PORT, "a/j"},
    {ROBOT OTHER INTERFACE("c/p, a/tip"), PORT, "a/j"},
    {OTHER ROBOT INTERFACE("a/tip, c/p"), PORT, "a/j"},
    {OTHER,
     "robots: {a: {model: robot.yaml}}\n"
     "joints: {w: {kind: weld, between: [a/bob, b]}}\n",
     "c/a/j"},
};
enum { HOSTS = sizeof hosts / sizeof *hosts };

/* an arm of 1 m about y, with a box at its end */
static void hold_arm(const host *in, const char *axis, double mass, double friction,
                     double values[2]) {
  char scenario[TEXT], model[TEXT], robot[TEXT];
  snprintf(robot, sizeof robot,
           "flange-model: 1\nbodies: {bob: {mass: 1, centre: [0.5, 0, 0], inertia: [0.1, 0.1, "
           "0.1]}}\njoints: {j: {kind: revolute, child: bob, axis: [%s], friction: %.17g}}\n"
           "ports: {tip: {body: bob, at: [1, 0, 0]}}\n",
           axis, friction);
  snprintf(model, sizeof model,
           "flange-component: 1\nbodies: {b: {mass: %g, inertia: [0.2, 0.2, 0.2], at: [1, 0, "
           "0]}}\n%s",
           mass, in->ports);
  snprintf(
      scenario, sizeof scenario,
      "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/200}\nsubsystems:\n%srecord: "
      "[%s.position, %s.velocity]\n",
      in->subsystems, in->joint, in->joint);
  run_texts(scenario, model, robot, values);
}

/* to both sides, by a share of the load, with boxes of other masses than the arm's 1 kg */
static void joints_come_loose_at_their_bound(void **state) {
  (void)state;
  const double masses[] = {2, 2e-3, 2e3};
  for (int k = 0; k < HOSTS * 2 * 3; k++) {
    const double mass = masses[k / HOSTS / 2], load = 9.81 * (0.5 + mass);
    const double inertia = 0.35 + mass + 0.2, way = k / HOSTS % 2 == 0 ? 1 : -1;
    const char *axis = way > 0 ? "0, 1, 0" : "0, -1, 0";
    for (double part = 1e-8; part < 2e-3; part *= 100) {
      double values[2];
      hold_arm(&hosts[k % HOSTS], axis, mass, load * (1 + part), values);
      assert_true(values[0] == 0 && values[1] == 0);
      hold_arm(&hosts[k % HOSTS], axis, mass, load * (1 - part), values);
      const double speed = load * part / inertia;
      /* the load goes down by the square of the angle */
      const double less = load / inertia * speed * speed / 40;
      assert_near(values[1], way * speed, 2 * less + 1e-6 * speed + 1e-11);
      assert_near(values[0], way * speed / 2, less + 2e-3 * speed);
    }
  }
}

/* --- ends ---------------------------------------------------------------------------------------
 */

/* Two links turn as one, with 1 rad/s, until the first one meets its end: the second one goes on,
 * with the momentum that it has about its joint, until friction has stopped it. Half of the second
 * one is another subsystem. */
static void hits_on_ends_let_joints_slip(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential", "parallel"};
  const double inertia = 2 * 0.09 + 0.1; /* about j */
  const double speed = (2 * 0.3 * (0.5 + 0.3) + 0.1) / inertia;
  for (int k = 0; k < 6; k++) {
    const double way = k % 2 == 0 ? 1 : -1;
    char scenario[TEXT], robot[TEXT], box[TEXT];
    snprintf(robot, sizeof robot,
             "flange-model: 1\nbodies: {a: {mass: 1, centre: [0.2, 0, 0], inertia: [0.1, 0.1, "
             "0.1]}, b: {mass: 1, centre: [0.3, 0, 0], inertia: [0.05, 0.05, 0.05]}}\njoints:\n"
             "  i: {kind: revolute, child: a, axis: [0, 0, %g], limits: {lower: -1, upper: 0.1}}\n"
             "  j: {kind: revolute, parent: a, child: b, at: [0.5, 0, 0], axis: [0, 0, %g], "
             "friction: 4}\nports: {tip: {body: b, at: [0.3, 0, 0]}}\n",
             way, way);
    snprintf(box, sizeof box,
             "flange-component: 1\nbodies: {b: {mass: 1, inertia: [0.05, 0.05, 0.05], at: [0.8, "
             "0, 0], velocity: [0, %g, 0], angular_velocity: [0, 0, %g]}}\nports: {p: {body: b}}\n",
             0.8 * way, way);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 1/500}\nsubsystems:\n"
             "  a: {model: robot.yaml, step: 1/1000, initial_velocity: {i: 1}}\n"
             "  c: {model: model.yaml, step: 1/1000}\n"
             "interfaces: {w: {between: [a/tip, c/p], joint: weld}}\ncoupling: {scheme: %s}\n"
             "record: [a/j.position, a/j.velocity]\n",
             schemes[k / 2]);
    double values[2];
    run_texts(scenario, box, robot, values);
    const double angle = 0.5 * inertia * speed * speed / 4;
    print_message("%s: %.6f rad, %.6f by hand\n", schemes[k / 2], values[0], angle);
    assert_near(values[1], 0, 1e-14);
    assert_near(values[0], angle, 2e-3 * speed);
  }
}

/* A flywheel of another subsystem, on an arm that friction holds, meets the end of its joint: both
 * turn as one, with the momentum that it had, until friction has stopped them. */
static void hits_in_one_subsystem_let_joints_of_another_slip(void **state) {
  (void)state;
  static const char *const couplings[] = {"scheme: monolithic", "scheme: sequential, order: [a, c]",
                                          "scheme: sequential, order: [c, a]", "scheme: sequential",
                                          "scheme: parallel"};
  const double inertia = 0.5 + 2 * 0.25 + 2 * 0.2, speed = 0.2 * 6 / inertia, friction = 2;
  for (int k = 0; k < 20; k++) {
    const double way = k % 2 == 0 ? 1 : -1;
    /* parallel leapfrog steps tell that they cannot close the interface after the hit */
    const char *integrator = k / 2 % 2 == 0 && k < 16 ? "leapfrog" : "semi-implicit";
    char scenario[TEXT], robot[TEXT], wheel[TEXT];
    snprintf(robot, sizeof robot,
             "flange-model: 1\nbodies: {a: {mass: 1, inertia: [0.3, 0.3, 0.5]}}\n"
             "joints: {i: {kind: revolute, child: a, axis: [0, 0, %g], friction: %g}}\n"
             "ports: {tip: {body: a, at: [0.5, 0, 0]}}\n",
             way, friction);
    snprintf(wheel, sizeof wheel,
             "flange-model: 1\nbodies: {hub: {mass: 1, inertia: [0.1, 0.1, 0.2]}, w: {mass: 1, "
             "inertia: [0.1, 0.1, 0.2]}}\njoints:\n  f: {kind: floating, child: hub, at: [0.5, 0, "
             "0]}\n  j: {kind: revolute, parent: hub, child: w, axis: [0, 0, %g], limits: {lower: "
             "-1, upper: 0.1001}}\nports: {p: {body: hub}}\n",
             way);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 1/500}\nsubsystems:\n"
             "  a: {model: robot.yaml, step: 1/1000, integrator: %s}\n"
             "  c: {model: model.yaml, step: 1/1000, integrator: %s, initial_velocity: {j: 6}}\n"
             "interfaces: {w: {between: [a/tip, c/p], joint: weld}}\ncoupling: {%s}\n"
             "record: [a/i.position, a/i.velocity, c/j.velocity]\n",
             integrator, integrator, couplings[k / 4]);
    double values[3];
    run_texts(scenario, wheel, robot, values);
    const double angle = 0.5 * inertia * speed * speed / friction;
    print_message("%s, %s: %.6f rad, %.6f by hand\n", couplings[k / 4], integrator, values[0],
                  angle);
    assert_near(values[1], 0, 1e-7);
    assert_near(values[2], 0, 1e-11);
    assert_near(values[0], angle, 4e-3 * speed);
  }
}

/* --- where joints turn --------------------------------------------------------------------------
 */

/* A bead on an arm that the wheel of another subsystem turns: friction holds it up to m r w^2. */
static void a_bead_slides_on_an_arm_that_is_turned_too_fast(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential", "parallel"};
  static const char wheel[] =
      "flange-component: 1\nbodies: {wheel: {mass: 1, inertia: [1e6, 1e6, 1e6],\n"
      "  angular_velocity: [0, 0, 3]}}\n"
      "joints: {hub: {kind: revolute, between: [world, wheel], axis: [0, 0, 1]}}\n"
      "ports: {p: {body: wheel}}\n";
  for (int k = 0; k < 12; k++) {
    char robot[TEXT], scenario[TEXT];
    const char *integrator = k < 6 ? "leapfrog" : "semi-implicit", *scheme = schemes[k / 2 % 3];
    const double friction = k % 2 == 0 ? 8.9 : 9.1; /* 9 N hold it */
    snprintf(robot, sizeof robot,
             "flange-model: 1\nbodies:\n  arm: {mass: 1, inertia: [1, 1, 1]}\n"
             "  bead: {mass: 2, inertia: [1e-3, 1e-3, 1e-3]}\njoints:\n"
             "  hub: {kind: revolute, child: arm, axis: [0, 0, 1]}\n"
             "  slide: {kind: prismatic, parent: arm, child: bead, at: [0.5, 0, 0], axis: [1, 0, "
             "0], friction: %g}\nports: {p: {body: arm}}\n",
             friction);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.4, macro: 0.002}\nsubsystems:\n"
             "  x: {model: robot.yaml, step: 0.001, initial_velocity: {hub: 3}, integrator: %s}\n"
             "  y: {model: model.yaml, step: 0.001}\n"
             "interfaces: {cut: {between: [x/p, y/p], joint: weld}}\ncoupling: {scheme: %s}\n"
             "record: [x/slide.position]\n",
             integrator, scheme);
    double last;
    run_texts(scenario, wheel, robot, &last);
    /* r'' = 9 r - friction / 2 */
    const double rest = friction / 18, r = friction < 9 ? (0.5 - rest) * (cosh(1.2) - 1) : 0;
    assert_near(last, r, friction < 9 ? 1e-4 : 1e-9);
  }
}

/* --- the robot by itself ------------------------------------------------------------------------
 */

#define CHAIN                                                                                     \
  "flange-model: 1\nbodies:\n"                                                                    \
  "  a: {mass: 3, centre: [0.4, 0.1, 0], inertia: [0.2, 0.3, 0.4]}\n"                             \
  "  b: {mass: 2, centre: [0.3, 0, 0.1], inertia: [0.1, 0.2, 0.15]}\n"                            \
  "  c: {mass: 0.5, centre: [0.2, 0.05, 0], inertia: [0.02, 0.01, 0.03]}\n%s"                     \
  "joints:\n"                                                                                     \
  "  j1: {kind: revolute, child: a, axis: [0, 1, 0.2], friction: 18, limits: {lower: -1, upper: " \
  "0.5}}\n"                                                                                       \
  "  j2: {kind: spherical, parent: a, child: b, at: [0.8, 0, 0], friction: 3}\n"                  \
  "  j3: {kind: prismatic, parent: b, child: c, at: [0.6, 0, 0], axis: [0.2, 0, 1], friction: "   \
  "2, limits: {lower: -0.1, upper: 0.2}}\n"

/* Joints stick, slip and end; a plate on the last link is a link, or a body that is joined to it.
 */
static void robots_move_as_they_do_by_themselves(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential", "parallel"};
  char robot[TEXT], whole[TEXT];
  snprintf(whole, sizeof whole, CHAIN "  w: {kind: fixed, parent: c, child: d, at: [0.2, 0, 0]}\n",
           "  d: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n");
  snprintf(robot, sizeof robot, CHAIN "ports: {p: {body: c, at: [0.2, 0, 0]}}\n", "");
  for (int k = 0; k < 6; k++) {
    const char *scheme = schemes[k / 2];
    const int steps = k % 2 == 0 ? 1000 : 4000;
    double alone[6], joined[6];
    char scenario[TEXT];
    snprintf(scenario, sizeof scenario,
             "flange: 1\ntime: {end: 1.5, macro: 1/500}\nsubsystems: {a: {model: model.yaml, step: "
             "1/%d, integrator: semi-implicit}}\nrecord: [a/j1.position, a/j2.position, "
             "a/j3.position]\n",
             steps);
    run_texts(scenario, whole, NULL, alone);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ntime: {end: 1.5, macro: 1/500}\nsubsystems:\n"
             "  a: {model: robot.yaml, step: 1/%d, integrator: semi-implicit}\n"
             "  c: {model: model.yaml, step: 1/%d, integrator: semi-implicit}\n"
             "interfaces: {w: {between: [a/p, c/p], joint: weld}}\ncoupling: {scheme: %s}\n"
             "record: [a/j1.position, a/j2.position, a/j3.position]\n",
             steps, steps, scheme);
    run_texts(scenario,
              "flange-component: 1\nbodies: {d: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [1.6, 0, "
              "0]}}\nports: {p: {body: d}}\n",
              robot, joined);
    print_message("%s, %d: %.2e\n", scheme, steps, max_difference(alone, joined, 6));
    assert_true(max_difference(alone, joined, 6) < 3 / (double)steps);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_come_loose_at_their_bound),
      cmocka_unit_test(hits_on_ends_let_joints_slip),
      cmocka_unit_test(hits_in_one_subsystem_let_joints_of_another_slip),
      cmocka_unit_test(a_bead_slides_on_an_arm_that_is_turned_too_fast),
      cmocka_unit_test(robots_move_as_they_do_by_themselves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
