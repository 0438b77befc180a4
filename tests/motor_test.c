/* DC motors on bodies, against what circuit theory says. */
#include <complex.h>

#include "component/assembly_contract.h"
#include "signals.h"

/* --- a rotor on a hinge ------------------------------------------------------------------------
 */

typedef struct rotor {
  double inertia, resistance, inductance, constant, voltage, speed, current;
} rotor;

static const char *rotor_text(const rotor *of) {
  static char text[1000];
  snprintf(text, sizeof text,
           "flange-component: 1\n"
           "bodies: {rotor: {mass: 1, inertia: [%.17g, %.17g, %.17g], "
           "angular_velocity: [0, 0, %.17g]}}\n"
           "joints: {hinge: {kind: revolute, between: [world, rotor]}}\n"
           "motors: {m: {on: hinge, voltage: %.17g, resistance: %.17g, inductance: %.17g, "
           "torque_constant: %.17g, current: %.17g}}\n",
           of->inertia, of->inertia, of->inertia, of->speed, of->voltage, of->resistance,
           of->inductance, of->constant, of->current);
  return text;
}

/* i and w at a time: eigenvalues a, b of [-R/L, -k/L; k/J, 0], about the steady state (0, V/k) */
static void answer(const rotor *of, double time, double *current, double *speed) {
  const double R = of->resistance, L = of->inductance, k = of->constant, J = of->inertia;
  const double complex root = csqrt(R * R / (4 * L * L) - k * k / (J * L));
  const double complex a = -R / (2 * L) + root, b = -R / (2 * L) - root;
  const double complex ea = cexp(a * time), eb = cexp(b * time);
  const double complex slope = (ea - eb) / (a - b), base = ea - slope * a;
  const double i = of->current, w = of->speed - of->voltage / k;
  *current = creal((base - slope * R / L) * i - slope * k / L * w);
  *speed = of->voltage / k + creal(slope * k / J * i + base * w);
}

/* error of the speed, relative to V/k, and of the current, relative to its largest */
static double error_at(const rotor *of, flg_scheme scheme, double h, double time) {
  plant p;
  double current, speed, i_end, w_end;
  plant_build(&p, rotor_text(of), scheme, h);
  plant_run_until(&p, time);
  current = plant_signal(&p, "m.current");
  speed = plant_rate(&p, 0);
  plant_drop(&p);
  answer(of, time, &i_end, &w_end);
  return flg_larger(fabs(speed - w_end) / fabs(of->voltage / of->constant),
                    fabs(current - i_end) / fabs(of->voltage / of->resistance));
}

static const rotor real_poles = {
    .inertia = 2e-3, .resistance = 1.5, .inductance = 5e-3, .constant = 0.1, .voltage = 12};
static const rotor complex_poles = {.inertia = 1e-4,
                                    .resistance = 0.5,
                                    .inductance = 10e-3,
                                    .constant = 0.1,
                                    .voltage = 12,
                                    .speed = 20,
                                    .current = 1};

static void a_free_rotor_runs_up_as_its_two_eigenvalues_say(void **state) {
  (void)state;
  static const double most[FLG_SCHEME_COUNT] = {2e-5, 1e-9, 1e-2};
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    print_message("%s:", SCHEMES[s]);
    for (double time = 0.01; time < 0.3; time *= 3) {
      const double one = error_at(&real_poles, (flg_scheme)s, 2e-4, time);
      const double other = error_at(&complex_poles, (flg_scheme)s, 2e-4, time);
      print_message(" %.1e %.1e", one, other);
      assert_true(one < most[s] && other < 10 * most[s]);
    }
    print_message("\n");
  }
}

static void schemes_have_their_orders(void **state) {
  (void)state;
  static const double order[FLG_SCHEME_COUNT] = {2, 4, 1};
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    const double coarse = error_at(&complex_poles, (flg_scheme)s, 1e-3, 0.05);
    const double fine = error_at(&complex_poles, (flg_scheme)s, 5e-4, 0.05);
    print_message("%s: order %.2f\n", SCHEMES[s], log2(coarse / fine));
    assert_near(log2(coarse / fine), order[s], 0.3);
  }
}

static void a_locked_rotor_has_the_current_of_a_coil(void **state) {
  (void)state;
  rotor locked = real_poles;
  locked.inertia = 1e12;
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    plant p;
    plant_build(&p, rotor_text(&locked), (flg_scheme)s, 1e-3);
    for (int k = 0; k < 20; k++) {
      plant_run(&p, 1);
      const double t = p.steps * p.h, R = locked.resistance;
      const double i = locked.voltage / R * (1 - exp(-t * R / locked.inductance));
      assert_near(plant_signal(&p, "m.current"), i, 1e-12 * locked.voltage / R);
      assert_near(plant_signal(&p, "m.torque"), locked.constant * i, 1e-12);
      assert_true(plant_signal(&p, "m.voltage") == locked.voltage);
    }
    /* and turns with all of its impulse: J w = k int i dt */
    const double t = p.steps * p.h, T = locked.inductance / locked.resistance;
    const double charge = locked.voltage / locked.resistance * (t - T * (1 - exp(-t / T)));
    const double speed = locked.constant * charge / locked.inertia;
    assert_near(plant_rate(&p, 0), speed, 1e-10 * speed);
    plant_drop(&p);
  }
}

static void in_the_end_it_turns_without_current(void **state) {
  (void)state;
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    plant p;
    plant_build(&p, rotor_text(&real_poles), (flg_scheme)s, 1e-3);
    plant_run_until(&p, 12);
    assert_near(plant_rate(&p, 0), real_poles.voltage / real_poles.constant, 1e-9);
    assert_near(plant_signal(&p, "m.current"), 0, 1e-9);
    plant_drop(&p);
  }
}

static void a_short_circuit_brakes(void **state) {
  (void)state;
  rotor braked = real_poles;
  braked.voltage = 0, braked.speed = 100;
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    plant p;
    double i, w;
    plant_build(&p, rotor_text(&braked), (flg_scheme)s, 1e-4);
    plant_run_until(&p, 0.2);
    answer(&braked, 0.2, &i, &w);
    assert_true(i < 0 && w < 60);
    assert_near(plant_rate(&p, 0), w, 100 * (s == FLG_SCHEME_SEMI_IMPLICIT ? 4e-4 : 5e-7));
    assert_near(plant_signal(&p, "m.current"), i, s == FLG_SCHEME_SEMI_IMPLICIT ? 1e-3 : 1e-6);
    plant_drop(&p);
  }
}

/* --- stiff ones --------------------------------------------------------------------------------
 */

/* w = V/k (1 - exp(-t k^2 / (J R))) */
static double stiff_error(double inductance, flg_scheme scheme, double h, double time) {
  rotor stiff = real_poles;
  plant p;
  stiff.inductance = inductance;
  plant_build(&p, rotor_text(&stiff), scheme, h);
  plant_run_until(&p, time);
  const double k = stiff.constant, rate = k * k / (stiff.inertia * stiff.resistance);
  const double speed = stiff.voltage / k * (1 - exp(-rate * time));
  const double error = fabs(plant_rate(&p, 0) - speed) * k / stiff.voltage;
  const double current = (stiff.voltage - k * speed) / stiff.resistance;
  assert_near(plant_signal(&p, "m.current"), current, 5e-3 * stiff.voltage / stiff.resistance);
  plant_drop(&p);
  return error;
}

static void an_inductance_does_not_bound_the_step(void **state) {
  (void)state;
  static const double most[FLG_SCHEME_COUNT] = {1e-6, 1e-6, 2e-3};
  static const double inductances[] = {0, 1e-12, 1e-9};
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    for (int k = 0; k < 3; k++) {
      const double error = stiff_error(inductances[k], (flg_scheme)s, 1e-3, 0.3);
      print_message("%s, L = %g: %.1e\n", SCHEMES[s], inductances[k], error);
      assert_true(error < most[s]);
    }
  }
}

/* whatever L is, from a coil that the step resolves to none */
static void every_inductance_is_right(void **state) {
  (void)state;
  static const double most[FLG_SCHEME_COUNT] = {2e-6, 3e-6, 3e-3};
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    double worst = 0, at = 0;
    for (double L = 1e-2; L > 1e-7; L /= 1.5) {
      rotor of = real_poles;
      of.inductance = L;
      const double error = error_at(&of, (flg_scheme)s, 1e-3, 0.05);
      if (flg_exceeds(error, worst)) worst = error, at = L;
    }
    print_message("%s: at most %.1e, at L = %g\n", SCHEMES[s], worst, at);
    assert_true(worst < most[s]);
  }
}

/* a rotor that stands still after a tenth of a step */
static void a_rotor_that_is_too_light_for_the_step_stays_bounded(void **state) {
  (void)state;
  rotor light = real_poles;
  light.inertia = 1e-6, light.inductance = 1e-6;
  static const flg_scheme schemes[] = {FLG_SCHEME_RATTLE, FLG_SCHEME_SEMI_IMPLICIT};
  for (int s = 0; s < 2; s++) {
    plant p;
    plant_build(&p, rotor_text(&light), schemes[s], 1e-3);
    for (int k = 0; k < 1000; k++) {
      plant_run(&p, 1);
      assert_true(fabs(plant_rate(&p, 0)) < 2.01 * light.voltage / light.constant);
    }
    assert_near(plant_rate(&p, 0), light.voltage / light.constant, 1e-11);
    plant_drop(&p);
  }
}

/* --- a motor on a pendulum, limits -------------------------------------------------------------
 */

static const char *pendulum_text =
    "flange-component: 1\n"
    "bodies: {rod: {mass: 0.5, inertia: [0.01, 0.01, 0.01], at: [0.3, 0.1, 0]}}\n"
    "joints: {hinge: {kind: revolute, between: [world, rod], at: [0, 0, 0]}}\n"
    "signals:\n"
    "  wanted: {kind: sine, amplitude: 4, frequency: 1.3, phase: 0.4}\n"
    "  smooth: {kind: filter, input: wanted - hinge.velocity, time_constant: 0.05}\n"
    "  sharp: {kind: pid, input: hinge, target: smooth, kp: 3, ki: 5, kd: 0.4}\n"
    "motors: {m: {on: hinge, voltage: sharp + wanted.rate*0.1, resistance: 2, inductance: 0.02,\n"
    "             torque_constant: 0.5}}\n";

/* motors that pull on ropes, whose directions turn with the swing; four bars, with all their joints
 */
static const char *ropes_text =
    "flange-component: 1\n"
    "bodies:\n"
    "  a: {mass: 0.5, inertia: [0.01, 0.01, 0.01], at: [0, 0.5, 0]}\n"
    "  b: {mass: 0.4, inertia: [0.01, 0.01, 0.01], at: [0.5, 1, 0]}\n"
    "  c: {mass: 0.5, inertia: [0.01, 0.01, 0.01], at: [1, 0.5, 0]}\n"
    "joints:\n"
    "  wa: {kind: revolute, between: [world, a], at: [0, 0, 0]}\n"
    "  ab: {kind: revolute, between: [a, b], at: [0, 1, 0]}\n"
    "  bc: {kind: revolute, between: [b, c], at: [1, 1, 0]}\n"
    "  wc: {kind: revolute, between: [world, c], at: [1, 0, 0]}\n"
    "markers: {post: {body: world, at: [2, 1.5, 0]}, other: {body: world, at: [-1, 0.5, 0]}}\n"
    "sensors:\n"
    "  rope: {measure: distance, between: [post, b]}\n"
    "  line: {measure: distance, between: [other, b]}\n"
    "signals: {pull: {kind: sine, amplitude: 20, frequency: 1, phase: 0.3}}\n"
    "motors:\n"
    "  m: {on: rope, voltage: pull, resistance: 2, inductance: 0.05, torque_constant: 1.5}\n"
    "  n: {on: line, voltage: pull, resistance: 0.3, torque_constant: 0.4, back_emf: 0.8}\n"
    "efforts: {sharp: {on: wa, effort: -5*wa - wc.velocity}, smooth: {on: ab, effort: 0}}\n";

enum { SEEN = 4 };

static void run_for_a_second(const char *text, flg_scheme scheme, double h, double seen[SEEN]) {
  plant p;
  plant_build(&p, text, scheme, h);
  plant_run_until(&p, 1);
  seen[0] = plant_position(&p, 0), seen[1] = plant_signal(&p, "m.current");
  seen[2] = plant_signal(&p, "smooth"), seen[3] = plant_signal(&p, "sharp");
  plant_drop(&p);
}

static void check_orders(const char *text) {
  static const double order[FLG_SCHEME_COUNT] = {2, 4, 1};
  double exact[SEEN], seen[SEEN];
  run_for_a_second(text, FLG_SCHEME_RK4, 1. / 4096, exact);
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    const double coarsest = s == FLG_SCHEME_RK4 ? 1. / 128 : 1. / 512;
    run_for_a_second(text, (flg_scheme)s, coarsest, seen);
    const double coarse = max_difference(seen, exact, SEEN);
    run_for_a_second(text, (flg_scheme)s, coarsest / 2, seen);
    const double fine = max_difference(seen, exact, SEEN);
    print_message("%s: %.1e, order %.2f\n", SCHEMES[s], fine, log2(coarse / fine));
    assert_near(log2(coarse / fine), order[s], 0.35);
  }
}

static void orders_hold_with_controllers_and_gravity(void **state) {
  (void)state;
  check_orders(pendulum_text);
}

static void orders_hold_on_coordinates_that_turn(void **state) {
  (void)state;
  check_orders(ropes_text);
}

static void voltages_stay_within_their_limits(void **state) {
  (void)state;
  plant p;
  plant_build(&p,
              "flange-component: 1\n"
              "bodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\n"
              "joints: {rail: {kind: prismatic, between: [world, cart]}}\n"
              "motors:\n"
              "  a: {on: rail, voltage: 100*sin(7*time), limit: 12, resistance: 1,\n"
              "      torque_constant: 0.1, back_emf: 0.2}\n"
              "  b: {on: rail, voltage: 100*sin(7*time), limit: [-1, 3], resistance: 1,\n"
              "      torque_constant: 0}\n"
              "efforts: {e: {on: rail, effort: 5*cos(time), limit: [-4, 4]}}\n",
              FLG_SCHEME_RK4, 0.01);
  for (int k = 1; k < 200; k++) {
    plant_run(&p, 1);
    const double wish = 100 * sin(7 * p.steps * p.h);
    assert_near(plant_signal(&p, "a.voltage"), fmax(-12, fmin(12, wish)), 1e-12);
    assert_near(plant_signal(&p, "b.voltage"), fmax(-1, fmin(3, wish)), 1e-12);
    assert_near(plant_signal(&p, "e.effort"), fmax(-4, fmin(4, 5 * cos(p.steps * p.h))), 1e-12);
    assert_near(plant_signal(&p, "a.current"),
                plant_signal(&p, "a.voltage") - 0.2 * plant_rate(&p, 0), 1e-12);
  }
  assert_string_equal(flg_assembly_signal_view(p.assembly, 1).unit, "N");
  plant_drop(&p);
}

/* the model that others are given says what a step will do: w+ = w + tau r + D L */
static void a_model_of_a_rotor_knows_its_motor(void **state) {
  (void)state;
  static const double inductances[] = {0, 1e-9, 1e-3, 0.1};
  for (int k = 0; k < 4; k++) {
    rotor of = real_poles;
    plant p;
    flg_subsystem part;
    flg_error error;
    of.inductance = inductances[k], of.speed = 30, of.current = k == 0 ? 0 : 2;
    plant_read(&p, rotor_text(&of));
    const flg_anchor outer_port = {.robot = -1, .body = 0, .pose = flg_pose_identity()};
    flg_assembly_options options = flg_assembly_default();
    options.scheme = FLG_SCHEME_SEMI_IMPLICIT;
    options.outer_ports = &outer_port, options.outer_port_count = 1;
    flg_assembly_build(&p.assembly, &p.component, NULL, &options, &p.mistakes);
    plant_expect_good(&p);
    assert_int_equal(flg_assembly_register(p.assembly, "rotor", &part, &error), FLG_OK);
    flg_interface_model *model;
    void *memory = malloc(flg_interface_model_bytes(6));
    assert_int_equal(flg_interface_model_build(memory, 6, 6, &model, &error), FLG_OK);
    const double tau = 2e-3, impulses[6] = {0, 0, 0, 0, 0, 1e-3};
    assert_int_equal(part.ops->coupled->reduce(part.self, 0, tau, model), FLG_OK);
    const double expected = flg_interface_model_velocity(model)[5] +
                            tau * flg_interface_model_bias(model)[5] +
                            flg_interface_model_admittance(model)[35] * impulses[5];
    assert_int_equal(part.ops->coupled->push(part.self, 0, tau, 0, impulses, &error), FLG_OK);
    flg_assembly_refresh(p.assembly, tau);
    assert_near(plant_rate(&p, 0), expected, 1e-11);
    free(memory);
    plant_drop(&p);
  }
}

/* a constant effort does what a preload does */
static void efforts_push_the_second_end(void **state) {
  (void)state;
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    plant p;
    plant_build(&p,
                "flange-component: 1\n"
                "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\n"
                "joints: {rail: {kind: prismatic, between: [world, cart]}}\n"
                "efforts: {e: {on: rail, effort: 6}}\n",
                (flg_scheme)s, 0.01);
    plant_run_until(&p, 1);
    assert_near(plant_rate(&p, 0), 3, 1e-12);
    plant_drop(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_rotor_runs_up_as_its_two_eigenvalues_say),
      cmocka_unit_test(schemes_have_their_orders),
      cmocka_unit_test(a_locked_rotor_has_the_current_of_a_coil),
      cmocka_unit_test(in_the_end_it_turns_without_current),
      cmocka_unit_test(a_short_circuit_brakes),
      cmocka_unit_test(an_inductance_does_not_bound_the_step),
      cmocka_unit_test(every_inductance_is_right),
      cmocka_unit_test(a_rotor_that_is_too_light_for_the_step_stays_bounded),
      cmocka_unit_test(orders_hold_with_controllers_and_gravity),
      cmocka_unit_test(orders_hold_on_coordinates_that_turn),
      cmocka_unit_test(voltages_stay_within_their_limits),
      cmocka_unit_test(a_model_of_a_rotor_knows_its_motor),
      cmocka_unit_test(efforts_push_the_second_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
