/* Coordinates that follow functions of time (src/forces/motion.c). */
#include <stdio.h>

#include "math/larger.h"
#include "scenarios.h"

enum { TEXT = 4000, VALUES = 32, EFFORTS = 100 };

static flg_simulation *load(const char *component, const char *integrator, double h, double end,
                            const char *record) {
  char scenario[TEXT];
  snprintf(scenario, sizeof scenario,
           "flange: 1\n"
           "time: {end: %.17g, macro: %.17g}\n"
           "subsystems:\n"
           "  c: {model: model.yaml, integrator: %s, step: %.17g}\n"
           "record: [%s]\n",
           end, h, integrator, h, record);
  return load_texts(scenario, component);
}

/* last values of a run of one component `c` */
static void run(const char *component, const char *integrator, double h, double end,
                const char *record, double values[VALUES]) {
  flg_simulation *simulation = load(component, integrator, h, end, record);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

static const char *const INTEGRATORS[3] = {"rk4", "rattle", "semi-implicit"};
#define HEAD "flange-component: 1\nbodies:\n"

/* --- a driven pendulum ------------------------------------------------------------------------ */

static const char pendulum[] = HEAD
    "  rod: {mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"
    "joints:\n  hinge: {kind: revolute, between: [world, rod], axis: [0, 1, 0]}\n"
    "motions:\n  drive: {on: hinge, follows: '0.3 + 0.8*sin(3*time)'}\n";

/* moment about the hinge, which z up and the angle about y make I f'' - m g l cos f */
static double torque(double t) {
  return 0.7 * -7.2 * sin(3 * t) - 2 * 9.81 * 0.5 * cos(0.3 + 0.8 * sin(3 * t));
}

/* mean over a step that ends at t */
static double mean_torque(double t, double h) {
  return (torque(t - h) + 4 * torque(t - h / 2) + torque(t)) / 6;
}

static void a_pendulum_follows_and_its_torque_is_that_of_the_closed_form(void **state) {
  (void)state;
  static const double order[3] = {3.5, 1.8, 0.8};
  for (int k = 0; k < 3; k++) {
    double error[2];
    for (int i = 0; i < 2; i++) {
      const double h = 0.02 / (1 << i);
      double v[VALUES];
      run(pendulum, INTEGRATORS[k], h, 1,
          "c/hinge.position, c/hinge.velocity, c/drive.effort, c/drive.position", v);
      assert_near(v[0], 0.3 + 0.8 * sin(3), 1e-12);
      assert_near(v[1], 2.4 * cos(3), 1e-12);
      assert_near(v[3], v[0], 1e-15);
      error[i] = fabs(v[2] - mean_torque(1, h));
    }
    assert_true(error[1] < (k == 0 ? 1e-5 : k == 1 ? 1e-2 : 0.1));
    assert_true(log2(error[0] / error[1]) > order[k]);
  }
}

/* energy changes by the work of the motion: its effort times its way */
static void energy_is_the_work_of_the_motion(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double h = 1e-3;
    flg_simulation *simulation =
        load(pendulum, INTEGRATORS[k], h, 1, "c/energy, c/drive.position, c/drive.effort");
    double before[VALUES], after[VALUES], start = 0, work = 0;
    flg_error error;
    flg_simulation_record(simulation, before);
    start = before[0];
    while (!flg_simulation_ended(simulation)) {
      assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
      flg_simulation_record(simulation, after);
      work += after[2] * (after[1] - before[1]);
      memcpy(before, after, sizeof before);
    }
    assert_near(before[0] - start, work, k == 2 ? 2e-2 : 1e-5);
    flg_simulation_release(simulation);
  }
}

/* --- what hangs on a motion ------------------------------------------------------------------- */

/* a pendulum of angle a below a carriage at x = f(t) = 0.2 sin(4 t): with the angle about y,
 *     (I + m l^2) a'' = m l (g cos a + f'' sin a) */
static const char carriage[] = HEAD
    "  cart: {mass: 3, inertia: [0.1, 0.1, 0.1]}\n"
    "  rod: {mass: 1.5, centre: [0.4, 0, 0], inertia: [0.01, 0.08, 0.08]}\n"
    "joints:\n"
    "  rail: {kind: prismatic, between: [world, cart], axis: [1, 0, 0]}\n"
    "  pin: {kind: revolute, between: [cart, rod], axis: [0, 1, 0]}\n"
    "signals:\n  way: {kind: sine, amplitude: 0.2, frequency: =2/pi}\n"
    "motions:\n  shake: {on: rail, follows: way}\n";

static void swing(double t, const double y[2], double dy[2]) {
  const double inertia = 0.08 + 1.5 * 0.16, pull = -0.2 * 16 * sin(4 * t);
  dy[0] = y[1];
  dy[1] = 1.5 * 0.4 * (9.81 * cos(y[0]) + pull * sin(y[0])) / inertia;
}

static double exact_swing(double end) {
  const int steps = 20000;
  const double h = end / steps;
  double y[2] = {0, 0};
  for (int k = 0; k < steps; k++) {
    double d[4][2], z[2];
    swing(k * h, y, d[0]);
    for (int i = 0; i < 2; i++) z[i] = y[i] + h / 2 * d[0][i];
    swing(k * h + h / 2, z, d[1]);
    for (int i = 0; i < 2; i++) z[i] = y[i] + h / 2 * d[1][i];
    swing(k * h + h / 2, z, d[2]);
    for (int i = 0; i < 2; i++) z[i] = y[i] + h * d[2][i];
    swing(k * h + h, z, d[3]);
    for (int i = 0; i < 2; i++) y[i] += h / 6 * (d[0][i] + 2 * (d[1][i] + d[2][i]) + d[3][i]);
  }
  return y[0];
}

/* the cart is set off by f'(0) at the start, as an impulse through its centre: the rod is not */
static void what_hangs_on_it_moves_with_the_order_of_the_scheme(void **state) {
  (void)state;
  const double exact = exact_swing(1);
  static const double order[3] = {3.7, 1.8, 0.8};
  for (int k = 0; k < 3; k++) {
    double error[2], v[VALUES];
    for (int i = 0; i < 2; i++) {
      run(carriage, INTEGRATORS[k], 0.01 / (1 << i), 1, "c/pin.position, c/rail.position", v);
      error[i] = fabs(v[0] - exact);
      assert_near(v[1], 0.2 * sin(4), 1e-12);
    }
    assert_true(error[1] < (k == 0 ? 1e-7 : k == 1 ? 1e-3 : 0.1));
    assert_true(log2(error[0] / error[1]) > order[k]);
  }
}

/* --- what can be followed --------------------------------------------------------------------- */

#define SLIDER                                                                       \
  HEAD "  cart: {mass: 3, inertia: [0.1, 0.1, 0.1]}\n"                               \
       "joints:\n"                                                                   \
       "  rail: {kind: prismatic, between: [world, cart], axis: [1, 0, 0]%s}\n"      \
       "signals:\n"                                                                  \
       "  table: {kind: table, interpolation: spline, points: [{at: 0, value: 0},"   \
       " {at: 0.4, value: 0.3}, {at: 1, value: 0.1}]}\n"                             \
       "  line: {kind: table, points: [{at: 0, value: 0}, {at: 0.5, value: 0.5}]}\n" \
       "  jump: {kind: step, at: 0.5, to: 1}\n"                                      \
       "  move: {kind: quintic, points: [{at: 0, value: 0}, {at: 1, value: 0.5}]}\n" \
       "  sum: {value: 2*move + 0.1*time^2}\n"                                       \
       "  slow: {kind: filter, input: move, time_constant: 0.1}\n"                   \
       "motions:\n  drive: {on: %s, follows: %s}\n"

static void tables_formulas_and_signals_are_followed(void **state) {
  (void)state;
  static const struct {
    const char *signal;
    double value, rate;
  } cases[] = {
      {"move", 0.25, 0.9375},            /* half way: the quintic is fastest, 15/8 of the mean */
      {"sum", 0.525, 1.975},             /* 2 * 0.25 + 0.1 / 4, and its rate */
      {"'exp(-time)*cos(2*time)'", 0, 0} /* by the closed form below */
  };
  char model[TEXT];
  double v[VALUES];
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) {
      snprintf(model, sizeof model, SLIDER, "", "rail", cases[k].signal);
      run(model, INTEGRATORS[i], 0.01, 0.5, "c/rail.position, c/rail.velocity", v);
      const double value = k == 2 ? exp(-0.5) * cos(1) : cases[k].value;
      const double rate = k == 2 ? -exp(-0.5) * (cos(1) + 2 * sin(1)) : cases[k].rate;
      assert_near(v[0], value, 1e-12);
      assert_near(v[1], rate, 1e-11);
    }
  }
  snprintf(model, sizeof model, SLIDER, "", "rail", "table");
  run(model, "rattle", 0.01, 0.4, "c/rail.position", v);
  assert_near(v[0], 0.3, 1e-12);
  snprintf(model, sizeof model, SLIDER, "", "rail", "line"); /* a kink stops it by an impulse */
  run(model, "rattle", 0.01, 1, "c/rail.position, c/rail.velocity", v);
  assert_near(v[0], 0.5, 1e-12);
  assert_near(v[1], 0, 1e-12);
}

static void what_is_no_function_of_time_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *on, *signal, *message;
  } cases[] = {{"rail", "jump", "motion 'drive' follows signal 'jump', which jumps"},
               {"rail", "slow", "motion 'drive' follows signal 'slow', which has a state"},
               {"rail", "rail", "motion 'drive' follows a coordinate"},
               {"rail", "nothing", "nothing"},
               {"road", "move", "road"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    static flg_mistakes mistakes;
    char model[TEXT];
    mistakes = (flg_mistakes){0};
    snprintf(model, sizeof model, SLIDER, "", cases[k].on, cases[k].signal);
    test_folder folder = make_folder();
    make_file(&folder, "model.yaml", model);
    const char *path = make_file(&folder, "scenario.yaml",
                                 "flange: 1\ntime: {end: 1, macro: 1}\n"
                                 "subsystems:\n  c: {model: model.yaml}\n");
    flg_simulation *simulation = NULL;
    flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
    remove_folder(&folder);
    assert_null(simulation);
    assert_int_equal(mistakes.list[0].line, 14);
    if (strstr(mistakes.list[0].message, cases[k].message) == NULL) {
      fail_msg("%s", mistakes.list[0].message);
    }
  }
}

/* springs, friction and gears of the coordinate are felt by the motion */
static void a_spring_on_the_coordinate_adds_to_the_effort(void **state) {
  (void)state;
  char model[TEXT];
  double v[VALUES], w[VALUES];
  snprintf(model, sizeof model, SLIDER, "", "rail", "move");
  run(model, "rk4", 0.001, 0.5, "c/drive.effort", v);
  snprintf(model, sizeof model, SLIDER, ", stiffness: 100, friction: {coulomb: 7}", "rail", "move");
  run(model, "rk4", 0.001, 0.5, "c/drive.effort", w);
  assert_near(w[0] - v[0], 100 * 0.25 + 7, 0.1);
}

/* --- couplings --- */

/* effort at all macro steps of a driven rod with a load at its tip, which is another subsystem */
static int efforts_with(const char *scheme, const char *integrator, const char *joint,
                        double efforts[EFFORTS]) {
  static const char rod[] =
      "flange-component: 1\nbodies: {rod: {mass: 2, inertia: [0.01, 0.2, 0.2], at: [0.5, 0, 0]}}\n"
      "joints: {hinge: {kind: revolute, between: [world, rod], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
      "motions: {drive: {on: hinge, follows: '0.8*sin(3*time)'}}\n"
      "ports: {tip: {body: rod, at: [0.5, 0, 0]}}\n";
  static const char load[] =
      "flange-component: 1\n"
      "bodies: {load: {mass: 5, inertia: [0.1, 0.1, 0.1], at: [1, 0, -0.3]}}\n"
      "ports: {grip: {body: load, at: [0, 0, 0.3]}}\n";
  char scenario[TEXT];
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 0.5, macro: 0.005}\nsubsystems:\n"
           "  c: {model: model.yaml, step: 0.001, integrator: %s}\n"
           "  d: {model: robot.yaml, step: 0.001, integrator: %s}\n"
           "interfaces: {cut: {between: [c/tip, d/grip], joint: %s}}\n"
           "coupling: {scheme: %s, integrator: %s}\nrecord: [c/drive.effort]\n",
           integrator, integrator, joint, scheme, integrator);
  flg_simulation *simulation = load_three_texts(scenario, rod, load);
  flg_error error;
  int count = 0;
  while (!flg_simulation_ended(simulation)) {
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
    assert_true(count < EFFORTS);
    flg_simulation_record(simulation, &efforts[count++]);
  }
  flg_simulation_release(simulation);
  return count;
}

/* what interfaces do at communication points is felt by the motion, too */
static void a_motion_carries_what_hangs_on_an_interface(void **state) {
  (void)state;
  static const char *const joints[] = {"weld", "spherical"}, *const schemes[] = {"sequential",
                                                                                 "parallel"};
  for (int k = 0; k < 2 * 2 * 3; k++) {
    double whole[EFFORTS], cut[EFFORTS], most = 0, off = 0;
    const char *joint = joints[k % 2], *scheme = schemes[k / 2 % 2], *by = INTEGRATORS[k / 4];
    const int count = efforts_with("monolithic", by, joint, whole);
    assert_int_equal(efforts_with(scheme, by, joint, cut), count);
    for (int i = 0; i < count; i++) {
      most = flg_larger(most, fabs(whole[i]));
      off = flg_larger(off, fabs(cut[i] - whole[i]));
    }
    print_message("%s, %s, %s: effort off by %.1e of %.1f N m\n", joint, scheme, by, off, most);
    assert_true(off < 1e-3 * most);
  }
}

/* --- robots and contacts ---------------------------------------------------------------------- */

static void joints_of_robots_follow_by_a_sensor(void **state) {
  (void)state;
  const char *scenario =
      "flange: 1\ntime: {end: 1, macro: 0.01}\n"
      "subsystems:\n  c: {model: model.yaml, integrator: rk4, step: 0.01}\n"
      "record: [c/turn.position, c/arm/hinge.velocity, c/drive.effort]\n";
  const char *model =
      "flange-component: 1\nrobots:\n  arm: {model: robot.yaml}\n"
      "sensors:\n  turn: {measure: angle, between: [world, arm/rod], axis: [0, 1, 0]}\n"
      "motions:\n  drive: {on: turn, follows: '0.3 + 0.8*sin(3*time)'}\n";
  const char *robot =
      "flange-model: 1\nbodies:\n"
      "  rod: {mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"
      "joints:\n  hinge: {kind: revolute, child: rod, axis: [0, 1, 0]}\n";
  double v[VALUES];
  flg_simulation *simulation = load_three_texts(scenario, model, robot);
  run_to_end(simulation);
  flg_simulation_record(simulation, v);
  flg_simulation_release(simulation);
  assert_near(v[0], 0.3 + 0.8 * sin(3), 1e-10);
  assert_near(v[1], 2.4 * cos(3), 1e-13);
  assert_near(v[2], mean_torque(1, 0.01), 2e-7);
}

/* a pusher drives a box over the ground: steps in which something touches follow, too */
static void a_pusher_follows_while_it_pushes(void **state) {
  (void)state;
  const char *model = HEAD
      "  push: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [-1, 0, 0.5], shapes:"
      " [{kind: box, size: [0.2, 0.2, 0.2], friction: 0}]}\n"
      "  box: {mass: 2, inertia: [0.3, 0.3, 0.3], at: [0, 0, 0.5], shapes:"
      " [{kind: box, size: [1, 1, 1], friction: 0.4}]}\n"
      "shapes: [{kind: box, size: [20, 20, 1], at: [0, 0, -0.5], friction: 0.4}]\n"
      "joints:\n  rail: {kind: prismatic, between: [world, push], axis: [1, 0, 0]}\n"
      "motions:\n  drive: {on: rail, follows: '0.5*time^2'}\n";
  for (int k = 1; k < 3; k++) {
    double v[VALUES];
    run(model, INTEGRATORS[k], 0.002, 1.5, "c/rail.position, c/rail.velocity, c/box.position", v);
    assert_near(v[0], 1.125, 1e-13);
    assert_near(v[1], 1.5, 1e-13);
    assert_near(v[2], -1 + 1.125 + 0.1 + 0.5, 5e-5);
  }
}

#define TABLE                                                                                    \
  HEAD "  table: {mass: 5, inertia: [1, 1, 1], shapes: [{kind: box, size: [4, 4, 0.1], at: [0, " \
       "0, -0.05], friction: 0.9}]}\n"                                                           \
       "  box: {mass: 0.5, inertia: [0.01, 0.01, 0.01], at: [0, 0, 0.05], shapes: [{kind: box, " \
       "size: [0.3, 0.2, 0.1], friction: 0.9}]}\n"                                               \
       "ports: {under: {body: table, at: [0, 0, -0.1]}}\n"

/* 0.3 s in steps of h, with a bob that hangs under the table: how far the box has slipped on it,
 * and what the motion pushes with, less the exact mean over the last step */
static void ride(const char *scheme, double h, double off[2]) {
  static const char model[] = TABLE
      "joints: {rail: {kind: prismatic, between: [world, table], axis: [1, 0, 0]}}\n"
      "motions: {drive: {on: rail, follows: '0.1*(1 - cos(6*time))'}}\n";
  static const char bob[] =
      "flange-component: 1\n"
      "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, 0, -0.1]}}\n"
      "ports: {top: {body: b}}\n";
  char text[TEXT];
  snprintf(text, sizeof text,
           "flange: 1\n"
           "time: {end: 0.3, macro: %.17g}\n"
           "subsystems: {c: {model: model.yaml}, bob: {model: robot.yaml}}\n"
           "interfaces: {hook: {between: [c/under, bob/top]}}\n"
           "coupling: {scheme: %s}\n"
           "record: [c/box.position, c/table.position, c/drive.effort]\n",
           h, scheme);
  double v[VALUES];
  flg_simulation *simulation = load_three_texts(text, model, bob);
  run_to_end(simulation);
  flg_simulation_record(simulation, v);
  flg_simulation_release(simulation);
  off[0] = fabs(v[0] - v[3]);
  off[1] = fabs(v[6] - 7.5 * 0.6 * (sin(6 * 0.3) - sin(6 * (0.3 - h))) / h);
}

static void what_sticks_to_a_driven_table_rides_with_order_2(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential", "parallel"};
  for (int k = 0; k < 3; k++) {
    double coarse[2], fine[2];
    ride(schemes[k], 0.002, coarse);
    ride(schemes[k], 0.001, fine);
    print_message("%s: slips by %.1e m, effort off by %.1e N\n", schemes[k], fine[0], fine[1]);
    assert_near(fine[0], 0, 1e-6);
    assert_near(fine[1], 0, 2e-5);
    for (int i = 0; i < 2; i++) assert_true(coarse[i] > 3.5 * fine[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_follows_and_its_torque_is_that_of_the_closed_form),
      cmocka_unit_test(energy_is_the_work_of_the_motion),
      cmocka_unit_test(what_hangs_on_it_moves_with_the_order_of_the_scheme),
      cmocka_unit_test(tables_formulas_and_signals_are_followed),
      cmocka_unit_test(what_is_no_function_of_time_is_refused),
      cmocka_unit_test(a_spring_on_the_coordinate_adds_to_the_effort),
      cmocka_unit_test(a_motion_carries_what_hangs_on_an_interface),
      cmocka_unit_test(joints_of_robots_follow_by_a_sensor),
      cmocka_unit_test(a_pusher_follows_while_it_pushes),
      cmocka_unit_test(what_sticks_to_a_driven_table_rides_with_order_2),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
