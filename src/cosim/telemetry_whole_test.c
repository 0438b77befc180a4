/* Forces of interfaces where all is solved as one: statics, balances of momentum, other couplings.
 */
#include <math.h>
#include <stdlib.h>

#include "allocations.h"
#include "base/input_limits.h"
#include "cosim/simulation.h"
#include "files.h"

/* a box of 3 kg with a port off its centre, and its copy on a hinge with the ground */
static const char box_text[] =
    "flange-component: 1\n"
    "bodies: {box: {mass: 3, inertia: [0.01, 0.02, 0.025]}}\n"
    "ports: {top: {body: box, at: [0.2, 0, 0.3]}, low: {body: box, at: [0, 0, -0.3]}}\n";
static const char held_text[] =
    "flange-component: 1\n"
    "bodies: {base: {fixed: true, at: [0, 0, 1]}}\n"
    "ports: {hook: {body: base, at: [0.2, 0, 0]}}\n";

static flg_simulation *load_all(test_folder *folder, const char *text, const char *const *overrides,
                                int count) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  make_file(folder, "box.yaml", box_text);
  make_file(folder, "held.yaml", held_text);
  const char *path = make_file(folder, "scenario.yaml", text);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, overrides, count, &mistakes);
  remove_folder(folder);
  if (simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  return simulation;
}

static flg_simulation *load(const char *text, const char *override) {
  test_folder folder = make_folder();
  return load_all(&folder, text, &override, override == NULL ? 0 : 1);
}

static void advance(flg_simulation *simulation, int steps) {
  flg_error error;
  for (int k = 0; k < steps; k++) {
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  }
}

static const char *const integrators[] = {"coupling.integrator=rattle", "coupling.integrator=rk4",
                                          "coupling.integrator=semi-implicit"};
enum { INTEGRATORS = 3 };

/* --- statics ------------------------------------------------------------------------------------
 */

#define HANGING(first, second)                     \
  "flange: 1\n"                                    \
  "time: {end: 1, macro: 1/50}\n"                  \
  "subsystems:\n"                                  \
  "  held: {model: held.yaml, step: 1/200}\n"      \
  "  one: {model: box.yaml, at: [0, 0, 0.7]}\n"    \
  "  two: {model: box.yaml, at: [-0.2, 0, 0.1]}\n" \
  "interfaces:\n"                                  \
  "  upper: {between: [" first                     \
  "]}\n"                                           \
  "  lower: {between: [" second                    \
  "]}\n"                                           \
  "record: [upper.force, lower.force, upper.pose_error, lower.energy_residual, upper.rank]\n"

/* 3 kg and 6 kg hang on welds, whose moments hold them off the plumb line: the force is on the
 * second end, whichever that is */
static void welds_of_a_chain_at_rest_carry_its_weight(void **state) {
  (void)state;
  static const char *const texts[2] = {HANGING("held/hook, one/top", "one/low, two/top"),
                                       HANGING("one/top, held/hook", "two/top, one/low")};
  const double w = 9.81 * 3;
  /* c x F of the weights about the frames, centres at x = -0.2 and, of two, -0.4 from hook */
  const double expected[12] = {0, 0, 2 * w, 0, w * (0.2 + 0.4), 0, 0, 0, w, 0, w * 0.2, 0};
  for (int k = 0; k < 2 * INTEGRATORS; k++) {
    flg_simulation *simulation = load(texts[k % 2], integrators[k / 2]);
    double values[16];
    assert_int_equal(flg_simulation_width(simulation), 16);
    advance(simulation, 10);
    flg_simulation_record(simulation, values);
    for (int i = 0; i < 12; i++) {
      assert_near(values[i], k % 2 == 0 ? expected[i] : -expected[i], 2e-12);
    }
    for (int i = 12; i < 15; i++) assert_near(values[i], 0, 2e-14);
    assert_near(values[15], 6, 0);
    flg_simulation_release(simulation);
  }
}

/* --- motion -------------------------------------------------------------------------------------
 */

/* three boxes that tumble: on a ball, a hinge and a slider */
static const char tumbling[] =
    "flange: 1\n"
    "gravity: [9, 5, -2]\n"
    "time: {end: 1, macro: 1/50}\n"
    "subsystems:\n"
    "  held: {model: held.yaml, step: 1/200}\n"
    "  one: {model: box.yaml, at: [0, 0, 0.7]}\n"
    "  two: {model: box.yaml, at: [-0.2, 0, 0.1]}\n"
    "  three: {model: box.yaml, at: [-0.4, 0, -0.5]}\n"
    "interfaces:\n"
    "  ball: {between: [held/hook, one/top], joint: spherical}\n"
    "  hinge: {between: [one/low, two/top], joint: revolute, axis: [0, 1, 0.3]}\n"
    "  slide: {between: [two/low, three/top], joint: prismatic, axis: [1, 0, 1]}\n"
    "record: [ball.force, hinge.force, slide.force, one/box.velocity, two/box.velocity, "
    "three/box.velocity, ball.energy_residual, hinge.energy_residual, slide.energy_residual]\n";
enum { VELOCITIES = 18, RESIDUALS = 27, TUMBLING_WIDTH = 30 };

/* m (v+ - v) = H (F_above - F_below + m g), to the last digit, in each macro step */
static void forces_are_what_changes_the_momentum_of_each_body(void **state) {
  (void)state;
  const double H = 1. / 50, m = 3, g[3] = {9, 5, -2};
  for (int k = 0; k < INTEGRATORS; k++) {
    flg_simulation *simulation = load(tumbling, integrators[k]);
    double before[TUMBLING_WIDTH], values[TUMBLING_WIDTH], largest = 0;
    assert_int_equal(flg_simulation_width(simulation), TUMBLING_WIDTH);
    flg_simulation_record(simulation, before);
    for (int step = 0; step < 50; step++) {
      advance(simulation, 1);
      flg_simulation_record(simulation, values);
      for (int body = 0; body < 3; body++) {
        for (int i = 0; i < 3; i++) {
          const int v = VELOCITIES + 3 * body + i;
          const double below = body < 2 ? values[6 * (body + 1) + i] : 0;
          const double gained = m * (values[v] - before[v]) / H;
          assert_near(values[6 * body + i] - below + m * g[i], gained, 2e-10);
          largest = flg_larger(largest, fabs(values[6 * body + i]));
        }
      }
      memcpy(before, values, sizeof before);
    }
    assert_true(largest > 100); /* it does tumble */
    flg_simulation_release(simulation);
  }
}

/* the same with all that an interface may carry: it belongs to its force */
static const char carrying[] =
    "flange: 1\n"
    "gravity: [9, 5, -2]\n"
    "time: {end: 1, macro: 1/50}\n"
    "subsystems:\n"
    "  held: {model: held.yaml, step: 1/200}\n"
    "  one: {model: box.yaml, at: [0, 0, 0.7]}\n"
    "  two: {model: box.yaml, at: [-0.2, 0, 0.1]}\n"
    "  three: {model: box.yaml, at: [-0.4, 0, -0.5]}\n"
    "interfaces:\n"
    "  ball: {between: [held/hook, one/top], joint: revolute, axis: [0.2, 1, 0], stiffness: 20, "
    "damping: 0.1}\n"
    "  hinge: {between: [two/top, one/low], joint: revolute, axis: [0, 1, 0.3], stiffness: 30, "
    "implicit: true, friction: {coulomb: 0.5}}\n"
    "  slide: {between: [two/low, three/top], joint: prismatic, axis: [1, 0, 1], friction: "
    "{coulomb: 5}, stops: {lower: -0.05, upper: 0.1}}\n"
    "record: [ball.force, hinge.force, slide.force, one/box.velocity, two/box.velocity, "
    "three/box.velocity]\n";

static void what_interfaces_carry_belongs_to_their_force(void **state) {
  (void)state;
  const double H = 1. / 50, m = 3, g[3] = {9, 5, -2};
  for (int k = 0; k < INTEGRATORS; k++) {
    const bool is_rk4 = strstr(integrators[k], "rk4") != NULL; /* which has no implicit springs */
    const char *const overrides[] = {integrators[k], is_rk4 ? "interfaces.hinge.implicit=false"
                                                            : "interfaces.hinge.implicit=true"};
    test_folder folder = make_folder();
    flg_simulation *simulation = load_all(&folder, carrying, overrides, 2);
    double before[RESIDUALS], values[RESIDUALS];
    flg_simulation_record(simulation, before);
    for (int step = 0; step < 50; step++) {
      advance(simulation, 1);
      flg_simulation_record(simulation, values);
      for (int i = 6; i < 12; i++) values[i] = -values[i]; /* its ends are the other way round */
      for (int body = 0; body < 3; body++) {
        for (int i = 0; i < 3; i++) {
          const int v = VELOCITIES + 3 * body + i;
          const double below = body < 2 ? values[6 * (body + 1) + i] : 0;
          assert_near(values[6 * body + i] - below + m * g[i], m * (values[v] - before[v]) / H,
                      9e-11);
        }
      }
      memcpy(before, values, sizeof before);
    }
    flg_simulation_release(simulation);
  }
}

/* a gear with elastic or loose teeth is no joint: it has neither rows nor a frame, and acts */
static void elastic_and_loose_gears_join_subsystems(void **state) {
  (void)state;
  static const char *const teeth[3] = {"stiffness: 50", "stiffness: 50, backlash: 0.01",
                                       "backlash: 0.01"};
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 1/50}\n"
        "subsystems:\n"
        "  one: {model: disc.yaml, step: 1/2000}\n"
        "  two: {model: disc.yaml}\n"
        "interfaces: {mesh: {drive: [world, one/p], driven: [world, two/p], joint: gear, "
        "ratio: -2, axis: [0, 0, 1], %s}}\n"
        "record: [one/disc.angular_velocity, two/disc.angular_velocity, mesh.force, mesh.rank, "
        "mesh.pose_error]\n",
        teeth[k]);
    test_folder folder = make_folder();
    make_file(&folder, "disc.yaml",
              "flange-component: 1\n"
              "bodies: {disc: {mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, 1]}}\n"
              "joints: {pin: {kind: revolute, between: [world, disc], axis: [0, 0, 1]}}\n"
              "ports: {p: {body: disc}}\n");
    flg_simulation *simulation = load_all(&folder, text, NULL, 0);
    double values[15], least = 1;
    for (int step = 0; step < 50; step++) {
      advance(simulation, 1);
      flg_simulation_record(simulation, values);
      least = flg_smaller(least, values[2]);
      /* teeth push with x on the first and 2 x on the second: 2 w1 - w2 stays what it is */
      assert_near(2 * values[2] - values[5], 1, 3e-12);
    }
    assert_true(least < 0.7); /* slows down towards w1 = -2 w2 = 0.4 */
    for (int i = 6; i < 12; i++) assert_true(isnan(values[i]));
    assert_near(values[12], 0, 0);
    flg_simulation_release(simulation);
  }
}

/* a ball carries no moment, a hinge none about its axis, a slider no force along */
static void free_directions_carry_nothing(void **state) {
  (void)state;
  for (int k = 0; k < INTEGRATORS; k++) {
    flg_simulation *simulation = load(tumbling, integrators[k]);
    double values[TUMBLING_WIDTH];
    for (int step = 0; step < 50; step++) {
      advance(simulation, 1);
      flg_simulation_record(simulation, values);
      for (int i = 3; i < 6; i++) assert_near(values[i], 0, 1e-12);
    }
    flg_simulation_release(simulation);
  }
}

/* joints do no work; of what is left, projections take a part that shrinks with the step */
static void joints_do_no_work(void **state) {
  (void)state;
  const double bound[INTEGRATORS] = {1e-14, 1e-6, 0.1};
  for (int k = 0; k < INTEGRATORS; k++) {
    flg_simulation *simulation = load(tumbling, integrators[k]);
    for (int step = 0; step < 50; step++) advance(simulation, 1);
    for (int i = 0; i < 3; i++) {
      const flg_interface_outcome outcome = flg_simulation_interface(simulation, i);
      if (!(outcome.energy_residual < bound[k])) {
        fail_msg("%s %s: %g J", integrators[k], outcome.name, outcome.energy_residual);
      }
      assert_true(outcome.pose_drift < 1e-11);
      assert_true(outcome.is_unique);
    }
    flg_simulation_release(simulation);
  }
}

/* --- redundant rows -----------------------------------------------------------------------------
 */

/* two bars on hinges in a plane; the end of the second slides along a line in it, which holds it in
 * the plane once more */
static const char loop[] =
    "flange: 1\n"
    "time: {end: 0.5, macro: 1/50}\n"
    "subsystems:\n"
    "  held: {model: held.yaml, step: 1/200}\n"
    "  one: {model: box.yaml, at: [0, 0, 0.7]}\n"
    "  two: {model: box.yaml, at: [-0.2, 0, 0.1]}\n"
    "interfaces:\n"
    "  upper: {between: [held/hook, one/top], joint: revolute, axis: [0, 1, 0]}\n"
    "  middle: {between: [one/low, two/top], joint: revolute, axis: [0, 1, 0]}\n"
    "  lower: {between: [two/low, world], joint: point-on-line, axis: [1, 0, 0]}\n"
    "record: [upper.force, middle.force, lower.force, one/box.velocity]\n";

static void forces_that_redundant_rows_leave_open_are_not_told(void **state) {
  (void)state;
  flg_simulation *simulation = load(loop, NULL);
  double before[21], values[21];
  advance(simulation, 10);
  flg_simulation_record(simulation, before);
  advance(simulation, 1);
  flg_simulation_record(simulation, values);
  /* forces in the plane of the hinges are known, what goes across it is not */
  for (int i = 0; i < 12; i++)
    assert_int_equal(isnan(values[i]), i % 6 == 1 || i % 6 == 3 || i % 6 == 5);
  for (int i = 0; i < 3; i += 2) {
    const double gained = 3 * (values[18 + i] - before[18 + i]) * 50;
    assert_near(values[i] - values[6 + i] - (i == 2 ? 3 * 9.81 : 0), gained, 2e-12);
  }
  const flg_interface_outcome outcome = flg_simulation_interface(simulation, 0);
  assert_false(outcome.is_unique);
  assert_near(outcome.rank, 4, 0);
  assert_true(isinf(outcome.condition));
  flg_simulation_release(simulation);
}

/* what is not looked at may be open: all of its force is NaN, and no rank is known */
static void joints_beyond_the_limit_are_not_looked_at(void **state) {
  (void)state;
  flg_error error;
  assert_int_equal(flg_input_limit_set("probes=1", &error), FLG_OK);
  flg_simulation *simulation = load(loop, NULL);
  double values[21];
  advance(simulation, 10);
  flg_simulation_record(simulation, values);
  for (int i = 0; i < 18; i++) {
    assert_int_equal(isnan(values[i]), i > 5 || i % 6 == 1 || i % 6 == 3 || i % 6 == 5);
  }
  assert_near(flg_simulation_interface(simulation, 0).rank, 4, 0);
  assert_true(isnan(flg_simulation_interface(simulation, 1).rank));
  flg_simulation_release(simulation);
  assert_int_equal(flg_input_limit_set("probes=1000", &error), FLG_OK);
}

/* --- against co-simulation ----------------------------------------------------------------------
 */

/* with H = h and Euler steps a sequence of parts is the whole, but for rounding and robots'
 * Coriolis forces; so are its forces */
static void forces_agree_with_those_of_a_coupling(void **state) {
  (void)state;
  const char *overrides[] = {"coupling.scheme=monolithic",
                             "time.macro=1/600",
                             "time.end=1",
                             "coupling.step=1/600",
                             "subsystems.effector.step=1/600",
                             "subsystems.effector.integrator=semi-implicit",
                             "record=[wrist.force]"};
  flg_simulation *runs[2];
  for (int k = 0; k < 2; k++) {
    static flg_mistakes mistakes;
    mistakes = (flg_mistakes){0};
    if (flg_simulation_load(&runs[k], "examples/wrist/wrist.yaml", overrides, 7, &mistakes)) {
      fail_msg("%s", mistakes.list[0].message);
    }
    overrides[0] = "coupling.scheme=sequential";
  }
  double largest = 0, worst = 0, whole[6], coupled[6];
  for (int step = 0; step < 600; step++) {
    for (int k = 0; k < 2; k++) advance(runs[k], 1);
    flg_simulation_record(runs[0], whole);
    flg_simulation_record(runs[1], coupled);
    for (int i = 0; i < 6; i++) {
      largest = flg_larger(largest, fabs(whole[i]));
      worst = flg_larger(worst, fabs(whole[i] - coupled[i]));
    }
  }
  assert_true(largest > 20);
  if (!(worst < 1e-4 * largest)) fail_msg("%g of %g", worst, largest);
  for (int k = 0; k < 2; k++) flg_simulation_release(runs[k]);
}

/* --- what it leaves alone -----------------------------------------------------------------------
 */

static void looking_changes_no_bit_of_the_run(void **state) {
  (void)state;
  static const char *const texts[2] = {tumbling, loop};
  for (int k = 0; k < 2 * INTEGRATORS; k++) {
    flg_simulation *one = load(texts[k % 2], integrators[k / 2]);
    flg_simulation *two = load(texts[k % 2], integrators[k / 2]);
    two->telemetry_count = 0;
    advance(one, 20);
    advance(two, 20);
    assert_true(flg_simulation_hash(one) == flg_simulation_hash(two));
    flg_simulation_release(one);
    flg_simulation_release(two);
  }
}

static void a_step_allocates_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  flg_simulation *simulation = load(loop, NULL);
  advance(simulation, 1);
  allocations_begin();
  advance(simulation, 5);
  assert_int_equal(allocations_end(), 0);
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(welds_of_a_chain_at_rest_carry_its_weight),
      cmocka_unit_test(forces_are_what_changes_the_momentum_of_each_body),
      cmocka_unit_test(what_interfaces_carry_belongs_to_their_force),
      cmocka_unit_test(elastic_and_loose_gears_join_subsystems),
      cmocka_unit_test(free_directions_carry_nothing),
      cmocka_unit_test(joints_do_no_work),
      cmocka_unit_test(forces_that_redundant_rows_leave_open_are_not_told),
      cmocka_unit_test(joints_beyond_the_limit_are_not_looked_at),
      cmocka_unit_test(forces_agree_with_those_of_a_coupling),
      cmocka_unit_test(looking_changes_no_bit_of_the_run),
      cmocka_unit_test(a_step_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
