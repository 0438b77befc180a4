/* Coupled components and robots that touch: steps that leap. Closed forms of sliding legs, order 2
 * of legs that spin, and with whatever a component or an interface may have; hits on a plate that a
 * coupling holds. */
#include <string.h>

#include "check.h"
#include "flange/define.h"
#include "math/larger.h"
#include "scenarios.h"

enum { NUMBERS = 9 };

#define LEG(x, start)                                                         \
  "flange-component: 1\nbodies:\n"                                            \
  "  leg: {mass: 2, at: [" x ", 0, 0.1], inertia: [0.05, 0.06, 0.07], " start \
  "\n    shapes: [{kind: sphere, size: 0.1, collision: true, friction: 0.2}]}\nports:\n"

#define SLIDING(x) LEG(x, "")
static const char sliding[2][400] = {SLIDING("0.3") "  p: {body: leg, at: [-0.3, 0, 0.1]}\n",
                                     SLIDING("-0.3") "  p: {body: leg, at: [0.3, 0, 0.1]}\n"};
static const char spinning[2][400] = {
    LEG("0.3", "velocity: [0.2, 1.5, 0], angular_velocity: [0, 0, 5],") "  p: {body: leg, at: "
                                                                        "[-0.3, 0, 0.1]}\n",
    LEG("-0.3", "velocity: [0.2, -1.5, 0], angular_velocity: [0, 0, 5],") "  p: {body: leg, at: "
                                                                          "[0.3, 0, 0.1]}\n"};

typedef struct run_case {
  const char *scheme, *joint, *ends, *more, *gravity;
  double friction;
  int steps[2]; /* a second, of both; a macro step has five of the first */
} run_case;

static flg_simulation *load_legs(const char legs[2][400], const run_case *c) {
  char text[1200];
  snprintf(text, sizeof text,
           "flange: 1\ngravity: %s\ntime: {end: 0.5, macro: 5/%d}\nsubsystems:\n"
           "  a: {model: model.yaml, step: 1/%d%s}\n  b: {model: robot.yaml, step: 1/%d%s}\n"
           "interfaces: {i: {between: %s, joint: %s}}\ncoupling: {scheme: %s}\n"
           "ground: {shapes: [{kind: plane, friction: %g}]}\n"
           "record: [a/leg.position, b/leg.position, a/leg.velocity]\n",
           c->gravity, c->steps[0], c->steps[0], c->more, c->steps[1], c->more, c->ends, c->joint,
           c->scheme, c->friction);
  return load_three_texts(text, legs[0], legs[1]);
}

static void run_legs(const char legs[2][400], const run_case *c, double *end) {
  flg_simulation *simulation = load_legs(legs, c);
  run_to_end(simulation);
  flg_simulation_record(simulation, end);
  flg_simulation_release(simulation);
}

#define RATTLE ", integrator: rattle"
static const char *const schemes[2] = {"sequential", "parallel"};
static const char *const joints[3] = {"weld", "revolute", "spherical"};
static const char *const ends[2] = {"[a/p, b/p]", "[b/p, a/p]"};

/* (g - mu n) t^2 / 2, whatever the steps of both */
static void legs_slide_as_the_closed_form_says(void **state) {
  (void)state;
  double most = 0;
  for (int k = 0; k < 48; k++) {
    /* on balls alone, legs would tip under friction */
    const double friction = k / 12 % 2 == 0 || k / 4 % 3 == 2 ? 0 : 0.2;
    const run_case c = {schemes[k % 2], joints[k / 4 % 3], ends[k / 2 % 2],           RATTLE,
                        "[4, 0, -9]",   friction,          {500, k < 24 ? 500 : 1500}};
    double end[NUMBERS];
    run_legs(sliding, &c, end);
    most = flg_larger(most, fabs(end[0] - 0.3 - (4 - 9 * friction) / 8));
    most = flg_larger(most, fabs(end[6] - (4 - 9 * friction) / 2));
    most = flg_larger(most, fabs(end[2] - 0.1));
  }
  print_message("48 ways to slide: off by %.2g\n", most);
  assert_true(most < 1e-12);
}

static void spinning_legs_are_of_order_two(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    double exact[NUMBERS], error[2];
    run_case c = {"monolithic", joints[k / 2], ends[0], "", "[0.5, 0.2, -9.81]", 0, {8000, 8000}};
    run_legs(spinning, &c, exact);
    c.scheme = schemes[k % 2], c.more = RATTLE;
    for (int s = 0; s < 2; s++) {
      double end[NUMBERS];
      c.steps[0] = c.steps[1] = 500 << s;
      run_legs(spinning, &c, end);
      error[s] = 0;
      for (int i = 0; i < NUMBERS; i++) error[s] = flg_larger(error[s], fabs(end[i] - exact[i]));
    }
    print_message("%s, %s: %.2g, %.2g\n", c.scheme, c.joint, error[0], error[1]);
    assert_true(error[0] < 3e-4);
    assert_near(error[0] / error[1], 4, 0.3);
  }
}

/* --- order 2 with all that pushes ---------------------------------------------------------------
 */

#define SPINNING LEG("0.3", "velocity: [0, 1.5, 0], angular_velocity: [0, 0, 5],")
#define ONE_LEG  SPINNING "  p: {body: leg, at: [-0.3, 0, 0.1]}\n"
/* what the leg hangs on; it does not touch, and pushes through in plain steps of rattle */
#define BASE                                                                                    \
  "flange-component: 1\nbodies: {base: {mass: 3, at: [0, 0, 0.3], inertia: [0.1, 0.1, 0.1]}}\n" \
  "ports: {p: {body: base, at: [0, 0, -0.1]}}\njoints:\n"                                       \
  "  j: {kind: prismatic, between: [world, base], at: [0, 0, 0.2], axis: [1, 0, 0]"
/* a load that tips over the leg: the hinge presses the leg down while nothing else pushes */
#define TALL                                                                                      \
  "flange-component: 1\nbodies: {base: {mass: 3, at: [0.2, 0, 0.5], inertia: [0.1, 0.1, 0.1]}}\n" \
  "ports: {p: {body: base, at: [-0.2, 0, -0.3]}}\n"
/* a double pendulum that carries a load; a wall is so near that it is looked at in every step */
#define ARM                                                                               \
  "flange-component: 1\nports: {p: {body: leg, at: [0.5, 0, 0]}}\nbodies:\n"              \
  "  a: {mass: 1, at: [0.5, 0, 0], inertia: [0.01, 0.09, 0.09]}\n"                        \
  "  leg: {mass: 1, at: [1.5, 0, 0], inertia: [0.01, 0.09, 0.09],\n"                      \
  "    shapes: [{kind: sphere, size: 0.1, at: [0.5, 0, 0], collision: true}]}\njoints:\n" \
  "  j: {kind: revolute, between: [world, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"          \
  "  k: {kind: revolute, between: [a, leg], at: [1, 0, 0], axis: [0, 1, 0]"
#define FLOOR "{kind: plane, friction: 0}"
#define WALL  "{kind: plane, at: [0, -0.1001, 0], turn: [-90 deg, 0, 0]}"
/* the same as a robot; and one whose foot slides over the floor while it turns */
#define ROBOT(j, k)                                                                     \
  "flange-model: 1\nports: {p: {body: leg, at: [1, 0, 0]}}\nbodies:\n"                  \
  "  a: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.09, 0.09]}\n"                  \
  "  leg: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.09, 0.09],\n"                \
  "    shapes: [{kind: sphere, size: 0.1, at: [1, 0, 0], collision: true}]}\njoints:\n" \
  "  j: {kind: revolute, child: a, axis: [0, 1, 0]" j                                   \
  "}\n"                                                                                 \
  "  k: {kind: revolute, parent: a, child: leg, at: [1, 0, 0], axis: [0, 1, 0]" k "}\n"
#define FOOT(mu)                                                                   \
  "flange-model: 1\nports: {p: {body: leg, at: [1, 0, 0]}}\nbodies:\n"             \
  "  a: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.09, 0.09]}\n"             \
  "  leg: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.09, 0.09]}\n"           \
  "  c: {mass: 0.3, inertia: [0.001, 0.001, 0.001],\n"                             \
  "    shapes: [{kind: sphere, size: 0.1, collision: true, friction: " mu          \
  "}]}\njoints:\n"                                                                 \
  "  j: {kind: revolute, child: a, axis: [0, 0, 1]}\n"                             \
  "  k: {kind: revolute, parent: a, child: leg, at: [1, 0, 0], axis: [0, 0, 1]}\n" \
  "  z: {kind: prismatic, parent: leg, child: c, at: [0.7, 0, 0], axis: [0, 0, 1]}\n"
#define ROUGH "{kind: plane, at: [0, 0, -0.1], friction: 0.3}"
#define MOVES ", initial_velocity: {j: 2, k: -1}"
static const char load[] =
    "flange-component: 1\nports: {p: {body: base, at: [-0.3, 0, 0]}}\n"
    "bodies: {base: {mass: 0.5, at: [2.3, 0, 0], inertia: [0.01, 0.02, 0.02]}}\n";

static const struct {
  const char *model, *other, *interface, *ground;
  const char *start; /* of a robot; NULL: it is none */
} pushed[] = {
    {ONE_LEG, BASE "}\n", "joint: revolute", FLOOR},
    {ONE_LEG, BASE "}\n", "joint: revolute, stiffness: 30", FLOOR},
    {ONE_LEG, BASE "}\n", "joint: revolute, stiffness: 30, damping: 0.5", FLOOR},
    {ONE_LEG, BASE "}\n", "joint: revolute, friction: {coulomb: 0.3}", FLOOR},
    {ONE_LEG, BASE "}\n", "joint: revolute, friction: {viscous: 0.3}", FLOOR},
    {ONE_LEG, BASE ", stiffness: 200, damping: 3}\n", "joint: revolute", FLOOR},
    {ONE_LEG, TALL, "joint: revolute, axis: [0, 1, 0]", FLOOR},
    {ARM "}\n", load, "joint: revolute, axis: [0, 1, 0]", WALL},
    {ARM ", stiffness: 20, damping: 5}\n", load, "joint: weld", WALL},
    {ARM ", stiffness: 20, damping: 5, implicit: true}\n", load, "joint: weld", WALL},
    {ARM ", friction: {coulomb: 0.5, viscous: 1}}\n", load, "joint: weld", WALL},
    {ARM "}\nefforts: {e: {on: j, effort: 20*sin(3*time) - 3*j.velocity}}\n", load,
     "joint: revolute, axis: [0, 1, 0]", WALL},
    {ARM "}\nmotors: {m: {on: j, voltage: 9 - 4*j, resistance: 0.5, inductance: 0.02,\n"
         "  torque_constant: 1}}\n",
     load, "joint: weld", WALL},
    {ARM "}\nsignals: {u: {kind: pid, input: j, target: 0.5, kp: 40, ki: 5, kd: 4}}\n"
         "efforts: {e: {on: j, effort: u}}\n",
     load, "joint: weld", WALL},
    {ARM "}\nsignals: {w: {kind: sine, amplitude: 0.5, frequency: 0.5}}\n"
         "motions: {m: {on: j, follows: w}}\n",
     load, "joint: weld", WALL},
    {ROBOT("", ""), load, "joint: revolute, axis: [0, 1, 0]", WALL, MOVES},
    {ROBOT("", ""), load, "joint: weld", WALL, MOVES},
    {ROBOT(", damping: 2", ", damping: 1"), load, "joint: weld", WALL, MOVES},
    {ROBOT("", ""), load, "joint: revolute, axis: [0, 1, 0], stiffness: 10, damping: 0.5", WALL,
     MOVES},
    {FOOT("0"), load, "joint: revolute", ROUGH, MOVES},
    {FOOT("0.3"), load, "joint: revolute", ROUGH, MOVES},
};

static void run_pushed(int k, const char *scheme, const char *between, int steps, double *end) {
  char text[1000];
  const bool is_robot = pushed[k].start != NULL;
  snprintf(text, sizeof text,
           "flange: 1\ngravity: [0.5, 0, -9.81]\ntime: {end: 0.25, macro: 5/%d}\nsubsystems:\n"
           "  a: {model: model.yaml, step: 1/%d%s}\n  b: {model: robot.yaml, step: 1/%d}\n"
           "interfaces: {i: {between: %s, %s}}\ncoupling: {scheme: %s}\n"
           "ground: {shapes: [%s]}\nrecord: [a/leg.position, b/base.position, a/leg.velocity]\n",
           steps, steps, is_robot ? pushed[k].start : "", steps, between, pushed[k].interface,
           scheme, pushed[k].ground);
  flg_simulation *simulation = load_three_texts(text, pushed[k].model, pushed[k].other);
  run_to_end(simulation);
  flg_simulation_record(simulation, end);
  flg_simulation_release(simulation);
}

static double off_by(const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < NUMBERS; i++) most = flg_larger(most, fabs(a[i] - b[i]));
  return most;
}

static void whatever_pushes_is_of_order_two(void **state) {
  (void)state;
  for (int k = 0; k < (int)(sizeof pushed / sizeof *pushed); k++) {
    double exact[NUMBERS];
    run_pushed(k, "monolithic", ends[0], 8000, exact);
    for (int c = 0; c < 4; c++) {
      double end[2][NUMBERS];
      for (int s = 0; s < 2; s++) run_pushed(k, schemes[c % 2], ends[c / 2], 500 << s, end[s]);
      const double error[2] = {off_by(end[0], exact), off_by(end[1], exact)};
      print_message("%d, %s, %s: %.2g, %.2g\n", k, schemes[c % 2], ends[c / 2], error[0], error[1]);
      assert_true(error[0] < 2e-4);
      assert_true(error[0] > 3.3 * error[1]);
    }
  }
}

/* steps of a quarter: 16 times less, 8.7 where friction turns (the last) */
static void what_touches_is_of_order_two_when_solved_as_one(void **state) {
  (void)state;
  for (int k = 0; k < (int)(sizeof pushed / sizeof *pushed); k++) {
    double exact[NUMBERS], end[2][NUMBERS];
    run_pushed(k, "sequential", ends[0], 16000, exact);
    for (int s = 0; s < 2; s++) run_pushed(k, "monolithic", ends[0], 500 << 2 * s, end[s]);
    const double error[2] = {off_by(end[0], exact), off_by(end[1], exact)};
    print_message("%d, solved as one: %.2g, %.2g\n", k, error[0], error[1]);
    assert_true(error[0] < 4e-4);
    assert_true(error[0] > 8 * error[1]);
  }
}

static void leaping_legs_resume_bit_for_bit(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const run_case c = {schemes[k], "weld", ends[0], RATTLE, "[0.5, 0, -9.81]", 0.3, {500, 500}};
    resume_bit_for_bit(load_legs(spinning, &c), load_legs(spinning, &c));
  }
}

/* a ball falls on a plate that a spring of another component carries, and stays there */
static void ball_lands_on_a_coupled_plate(void **state) {
  (void)state;
  static const char plate[] =
      "flange-component: 1\nbodies:\n"
      "  plate: {mass: 3, inertia: [0.2, 0.2, 0.3],\n"
      "    shapes: [{kind: box, size: [1, 1, 0.1], collision: true}]}\n"
      "  ball: {mass: 0.5, at: [0.2, 0.1, 0.6], velocity: [0.1, 0, 0],\n"
      "    inertia: [0.002, 0.002, 0.002], shapes: [{kind: sphere, size: 0.1, collision: true}]}\n"
      "ports: {p: {body: plate, at: [0, 0, -0.05]}}\n";
  static const char base[] =
      "flange-component: 1\nbodies: {base: {mass: 4, at: [0, 0, -0.2], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {z: {kind: prismatic, between: [world, base], at: [0, 0, -0.2], axis: [0, 0, 1],\n"
      "  stiffness: 2000}}\nports: {p: {body: base, at: [0, 0, 0.15]}}\n";
  static const char *const forms[3] = {"monolithic", "sequential", "parallel"};
  double end[3][6];
  for (int k = 0; k < 3; k++) {
    char text[700];
    snprintf(text, sizeof text,
             "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/200}\nsubsystems:\n"
             "  a: {model: model.yaml, step: 1/1000%s}\n  b: {model: robot.yaml, step: 1/1000}\n"
             "interfaces: {i: {between: [a/p, b/p], joint: weld}}\ncoupling: {scheme: %s}\n"
             "record: [a/ball.position, a/plate.position]\n",
             k == 0 ? "" : RATTLE, forms[k]);
    flg_simulation *simulation = load_three_texts(text, plate, base);
    run_to_end(simulation);
    flg_simulation_record(simulation, end[k]);
    flg_simulation_release(simulation);
    print_message("%s: ball at %.5f, plate at %.5f m\n", forms[k], end[k][2], end[k][5]);
  }
  for (int i = 0; i < 6; i++) {
    assert_near(end[1][i], end[0][i], 3e-5);
    assert_near(end[2][i], end[0][i], 3e-5);
  }
}

/* --- what they are not for ----------------------------------------------------------------------
 */

#define NAMED(leg) leg "  p: {body: leg, at: [-0.3, 0, 0.1]}\n"

/* two legs, both by rattle; in memory, so that mistakes can be looked at */
static flg_status load_refused(const char *model, const char *interface, const char *coupling,
                               flg_mistakes *mistakes) {
  char text[600];
  snprintf(text, sizeof text,
           "flange: 1\ntime: {end: 0.1, macro: 1/100}\nsubsystems:\n"
           "  a: {model: one, step: 1/1000, integrator: rattle}\n"
           "  b: {model: other, step: 1/1000, integrator: rattle}\n"
           "interfaces: {i: {between: [a/p, b/p], %s}}\ncoupling: {%s}\n"
           "ground: {shapes: [{kind: plane}]}\n",
           interface, coupling);
  flg_definition *system = NULL, *one = NULL, *other = NULL;
  flg_simulation *simulation = NULL;
  flg_error error;
  assert_int_equal(flg_definition_read(&system, FLG_DEFINE_SYSTEM, "legs", text, mistakes), FLG_OK);
  assert_int_equal(flg_definition_read(&one, FLG_DEFINE_COMPONENT, "one", model, mistakes), FLG_OK);
  assert_int_equal(flg_definition_read(&other, FLG_DEFINE_COMPONENT, "other", sliding[1], mistakes),
                   FLG_OK);
  assert_int_equal(flg_define_part(system, one, &error), FLG_OK);
  assert_int_equal(flg_define_part(system, other, &error), FLG_OK);
  const flg_status status = flg_definition_simulate(system, NULL, 0, &simulation, mistakes);
  flg_simulation_release(simulation);
  flg_definition_release(system), flg_definition_release(one), flg_definition_release(other);
  return status;
}

static void what_cannot_leap_is_refused(void **state) {
  (void)state;
  static const char leg[] = NAMED(SLIDING("0.3"));
  static const struct {
    const char *model, *interface, *coupling;
  } refused[] = {
      {leg, "joint: weld", "scheme: hold"},
      {leg, "joint: weld", "scheme: sequential, contacts: smooth"},
      {leg, "joint: weld", "scheme: parallel, contacts: regularised"},
  };
  flg_mistakes mistakes;
  assert_int_equal(load_refused(leg, "joint: weld", "scheme: sequential", &mistakes), FLG_OK);
  for (int k = 0; k < (int)(sizeof refused / sizeof *refused); k++) {
    assert_int_not_equal(
        load_refused(refused[k].model, refused[k].interface, refused[k].coupling, &mistakes),
        FLG_OK);
    print_message("%s\n", mistakes.list[0].message);
    assert_non_null(strstr(mistakes.list[0].message, "integrator: semi-implicit"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(legs_slide_as_the_closed_form_says),
      cmocka_unit_test(spinning_legs_are_of_order_two),
      cmocka_unit_test(whatever_pushes_is_of_order_two),
      cmocka_unit_test(what_touches_is_of_order_two_when_solved_as_one),
      cmocka_unit_test(leaping_legs_resume_bit_for_bit),
      cmocka_unit_test(ball_lands_on_a_coupled_plate),
      cmocka_unit_test(what_cannot_leap_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
