/* What files say of signals: mistakes with their places, and components wired through inputs and
 * outputs. */
#include "files.h"
#include "signals.h"

/* --- what cannot be ----------------------------------------------------------------------------
 */

static void expect_mistake(const char *text, int line, int column, const char *message) {
  plant p;
  plant_read(&p, text);
  const flg_mistakes *found = &p.mistakes;
  for (int k = 0; k < found->count && k < FLG_MISTAKES_LISTED; k++) {
    const bool here = line == 0 || (found->list[k].line == line && found->list[k].column == column);
    if (here && strstr(found->list[k].message, message) != NULL) {
      plant_drop(&p);
      return;
    }
  }
  for (int k = 0; k < found->count && k < FLG_MISTAKES_LISTED; k++) {
    print_error("%d:%d: %s\n", found->list[k].line, found->list[k].column, found->list[k].message);
  }
  plant_drop(&p);
  fail_msg("expected at %d:%d: %s", line, column, message);
}

#define SIGNALS CART "signals:\n"

static void circles_are_refused_by_name(void **state) {
  (void)state;
  expect_mistake(SIGNALS "  a: {value: b + 1}\n  b: {value: 2*c}\n  c: {value: a}\n", 0, 0,
                 "in a circle: a -> b -> c -> a; sample or filter one of them");
  expect_mistake(SIGNALS "  a: {value: 1 + a}\n", 5, 3, "in a circle: a -> a;");
  expect_mistake(CART
                 "motors: {m: {on: rail, voltage: -m.current, resistance: 1, "
                 "torque_constant: 1}}\n",
                 0, 0, "in a circle: m -> m;");
  expect_mistake(SIGNALS "  f: {kind: filter, input: g, time_constant: 1}\n  g: {value: f.rate}\n",
                 0, 0, "in a circle: f -> g -> f");
  /* states and samples break them */
  plant p;
  plant_read(&p, SIGNALS
             "  a: {value: b + f}\n  b: {value: 2*a, sample: 1}\n"
             "  f: {kind: filter, input: a, time_constant: 1}\n"
             "  i: {value: 1 - m.current}\n"
             "motors: {m: {on: rail, voltage: i, resistance: 1, inductance: 1e-3, "
             "torque_constant: 1}}\n");
  plant_expect_good(&p);
  plant_drop(&p);
}

static void mistakes_say_what_to_do(void **state) {
  (void)state;
  expect_mistake(SIGNALS "  p: {value: 2*raill}\n", 5, 16,
                 "there is no signal or parameter 'raill'; did you mean 'rail'?");
  expect_mistake(SIGNALS "  p: {value: rail.speed}\n", 5, 14, "has .position and .velocity");
  expect_mistake(SIGNALS "  p: {value: q.rate}\n  q: {value: time}\n", 5, 14,
                 "sources and filters have a .rate");
  expect_mistake(SIGNALS "  p: {kind: sine}\n", 5, 3, "key 'frequency' is missing");
  expect_mistake(SIGNALS "  p: {value: 1, kp: 3}\n", 5, 3, "key 'kp' is not for the kind formula");
  expect_mistake(SIGNALS "  p: {kind: ramp}\n", 5, 3, "needs one of the keys 'slope' and 'to'");
  expect_mistake(SIGNALS "  p: {kind: constant, value: time}\n", 5, 30, "its kind is formula");
  expect_mistake(SIGNALS "  p: {kind: table}\n", 5, 3, "one of the keys 'points' and 'file'");
  expect_mistake(SIGNALS "  sin: {value: 1}\n", 5, 3, "not as functions are");
  expect_mistake(SIGNALS "  time: {value: 1}\n", 5, 3, "the time itself");
  expect_mistake(SIGNALS "  rail: {value: 1}\n", 5, 3, "stands twice");
  expect_mistake(SIGNALS "  p: {value: 1, limit: [2, 1]}\n", 5, 3, "the first is the lower one");
  expect_mistake(SIGNALS "  p: {value: 1, limit: -1}\n", 5, 3, "limit is one number of 0 or more");
  expect_mistake(SIGNALS "  p: {kind: pid, input: 2*rail, kd: 1}\n", 5, 3,
                 "give it a filter or a sample period");
  expect_mistake(SIGNALS "  p: {kind: pid, input: 2*rail, ki: 1, windup: back-calculation}\n", 5, 3,
                 "tracking time");
  expect_mistake(CART "parameters: {k: 1}\nsignals: {k: {value: 1}}\n", 5, 11, "a parameter");
  expect_mistake(CART "motors: {m: {on: rial, voltage: 1, resistance: 1, torque_constant: 1}}\n", 4,
                 10, "did you mean 'rail'");
  expect_mistake(CART "motors: {m: {on: rail, voltage: m, resistance: 1, torque_constant: 1}}\n", 4,
                 33, ".current, .torque and .voltage");
  expect_mistake(CART "motors: {m: {on: rail, voltage: 1, resistance: 0, torque_constant: 1}}\n", 4,
                 10, "no resistance and no inductance");
  expect_mistake(CART
                 "motors: {m: {on: rail, voltage: 1, resistance: 1, torque_constant: 1, "
                 "back_emf: -1}}\n",
                 4, 10, "would drive itself");
  expect_mistake(CART "inputs: {u: {}}\n", 4, 10, "nothing is connected");
  expect_mistake(CART "outputs: [2*rail]\n", 4, 11, "make it a signal");
  expect_mistake(CART "signals: {a: {value: inner/x}}\n", 0, 0, "no signal or parameter 'inner'");
}

/* as a spring between two ends is the distance of these, one on a joint is the joint's coordinate
 */
static void springs_on_a_coordinate_are_read_as_it(void **state) {
  (void)state;
  plant p;
  plant_build(&p,
              CART
              "springs: {k: {on: rail, stiffness: 100, rest: 0.2}, s: {on: k, stiffness: 5}}\n"
              "signals: {x: {value: 2*k}, y: {value: k.position + s}, v: {value: 3*k.velocity}}\n",
              FLG_SCHEME_RK4, 1e-3);
  plant_run(&p, 100);
  const double x = plant_position(&p, 0), v = plant_rate(&p, 0);
  assert_true(fabs(x) > 1e-2 && fabs(v) > 1e-2);
  assert_near(plant_signal(&p, "x"), 2 * x, 1e-15);
  assert_near(plant_signal(&p, "y"), 2 * x, 1e-15);
  assert_near(plant_signal(&p, "v"), 3 * v, 1e-14);
  plant_drop(&p);
}

/* --- components in components ------------------------------------------------------------------
 */

static const char *drive_text =
    "flange-component: 1\n"
    "parameters: {R: 2, stall: 10}\n"
    "bodies: {rotor: {mass: 1, inertia: [1, 1, 0.5]}}\n"
    "joints: {axle: {kind: revolute, between: [world, rotor]}}\n"
    "inputs: {wish: {}, extra: {default: 1}}\n"
    "signals: {speed: {kind: filter, input: axle.velocity, time_constant: 0.01},\n"
    "          u: {value: stall*(wish - axle) + wish.rate + extra}}\n"
    "motors: {m: {on: axle, voltage: u, resistance: =R, torque_constant: 1}}\n"
    "outputs: [axle, axle.velocity, speed, m.current]\n";

static void components_are_wired_through_inputs_and_outputs(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "drive.yaml", drive_text);
  make_file(&folder, "pair.yaml",
            "flange-component: 1\n"
            "inputs: {way: {default: 3}}\n"
            "components:\n"
            "  a: {file: drive.yaml, inputs: {wish: way}}\n"
            "  b: {file: drive.yaml, inputs: {wish: 2*a/axle.velocity/1, extra: a/m.current}}\n"
            "outputs: [a/axle, b/speed]\n");
  const char *top = make_file(&folder, "top.yaml",
                              "flange-component: 1\n"
                              "components: {p: {file: pair.yaml, inputs: {way: goal}}}\n"
                              "signals:\n"
                              "  goal: {kind: ramp, slope: 2}\n"
                              "  seen: {value: p/a/axle + 10*p/b/speed}\n");
  plant p;
  plant_read_file(&p, top);
  for (int k = 0; k < p.mistakes.count; k++) print_message("%s\n", p.mistakes.list[k].message);
  /* the rate of `2*...` is not known, and b asks for it */
  assert_int_equal(p.mistakes.count, 1);
  assert_non_null(strstr(p.mistakes.list[0].message, "needs the rate of 'p/b/wish'"));
  plant_drop(&p);
  make_file(&folder, "pair2.yaml",
            "flange-component: 1\n"
            "inputs: {way: {default: 3}}\n"
            "components:\n"
            "  a: {file: drive.yaml, inputs: {wish: way}}\n"
            "  b: {file: drive.yaml, inputs: {wish: a/axle, extra: a/m.current}}\n"
            "outputs: [a/axle, b/speed]\n");
  top = make_file(&folder, "top2.yaml",
                  "flange-component: 1\n"
                  "components: {p: {file: pair2.yaml, inputs: {way: goal}}}\n"
                  "signals:\n"
                  "  goal: {kind: ramp, slope: 2}\n"
                  "  seen: {value: p/a/axle + 10*p/b/speed}\n");
  plant_read_file(&p, top);
  plant_start(&p, FLG_SCHEME_RK4, 1e-2);
  for (int k = 0; k < 100; k++) {
    plant_run(&p, 1);
    const double t = p.steps * p.h, a = plant_position(&p, 0), b = plant_position(&p, 1);
    const double wa = plant_rate(&p, 0), wb = plant_rate(&p, 1);
    const double ua = 10 * (2 * t - a) + 2 + 1, ia = (ua - wa) / 2;
    const double ub = 10 * (a - b) + wa + ia, ib = (ub - wb) / 2;
    assert_near(plant_signal(&p, "p/a/m.voltage"), ua, 1e-11);
    assert_near(plant_signal(&p, "p/a/m.current"), ia, 1e-11);
    assert_near(plant_signal(&p, "p/b/m.voltage"), ub, 1e-11);
    assert_near(plant_signal(&p, "p/b/m.current"), ib, 1e-11);
    assert_near(plant_signal(&p, "seen"), a + 10 * plant_signal(&p, "p/b/speed"), 1e-12);
  }
  plant_drop(&p);
  remove_folder(&folder);
}

static void insides_stay_hidden(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "drive.yaml", drive_text);
  const char *path = make_file(&folder, "top.yaml",
                               "flange-component: 1\n"
                               "components: {d: {file: drive.yaml, inputs: {wisch: 1}}}\n"
                               "signals: {x: {value: d/u}}\n");
  plant p;
  plant_read_file(&p, path);
  assert_int_equal(p.mistakes.count, 2);
  assert_non_null(strstr(p.mistakes.list[0].message, "'d/u' is no output"));
  assert_non_null(strstr(p.mistakes.list[1].message, "has no input 'wisch'; did you mean 'wish'?"));
  plant_drop(&p);
  /* of a file that cannot be read nothing else is told */
  plant_read(&p,
             "flange-component: 1\ncomponents: {d: {file: no.yaml, inputs: {wisch: 1}}}\n"
             "signals: {x: {value: 2*d/u}}\n");
  assert_int_equal(p.mistakes.count, 1);
  assert_non_null(strstr(p.mistakes.list[0].message, "no.yaml"));
  plant_drop(&p);
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(circles_are_refused_by_name),
      cmocka_unit_test(mistakes_say_what_to_do),
      cmocka_unit_test(springs_on_a_coordinate_are_read_as_it),
      cmocka_unit_test(components_are_wired_through_inputs_and_outputs),
      cmocka_unit_test(insides_stay_hidden),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
