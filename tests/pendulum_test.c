/* The first example against the Lagrange equations of a planar double pendulum, written down here
 * by hand in two absolute angles and integrated apart; and a proof that stepping allocates nothing.
 */
#include "allocations.h"
#include "check.h"
#include "flange/simulation.h"

static const char *const DOUBLE = "examples/pendulum/pendulum.yaml";
static const char *const DRY = "examples/pendulum/friction.yaml";
static const char *const SIMPLE = "examples/pendulum/simple.yaml";

/* T = 1/2 a w1^2 + 1/2 b w2^2 + k w1 w2 cos(t1 - t2),  V = -g (m c + m L) sin t1 - g m c sin t2 */
static void double_pendulum_rate(const double y[4], double rate[4]) {
  const double m = 1, L = 1, c = 0.5, g = 9.81, inertia = (1 + 0.05 * 0.05) / 12;
  const double b = inertia + m * c * c, a = b + m * L * L, k = m * L * c;
  const double C = cos(y[0] - y[1]), S = sin(y[0] - y[1]);
  const double p = -k * S * y[3] * y[3] + g * (m * c + m * L) * cos(y[0]);
  const double q = k * S * y[2] * y[2] + g * m * c * cos(y[1]);
  const double determinant = a * b - k * C * k * C;
  rate[0] = y[2], rate[1] = y[3];
  rate[2] = (b * p - k * C * q) / determinant, rate[3] = (a * q - k * C * p) / determinant;
}

static void integrate(double y[4], double h, int steps) {
  for (int n = 0; n < steps; n++) {
    const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double rate[4] = {0}, sum[4] = {0};
    for (int s = 0; s < 4; s++) {
      double stage[4];
      for (int i = 0; i < 4; i++) stage[i] = y[i] + node[s] * h * rate[i];
      double_pendulum_rate(stage, rate);
      for (int i = 0; i < 4; i++) sum[i] += weight[s] * rate[i];
    }
    for (int i = 0; i < 4; i++) y[i] += h * sum[i];
  }
}

static flg_simulation *load(const char *path, const char *override) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_simulation *simulation = NULL;
  if (flg_simulation_load(&simulation, path, &override, override == NULL ? 0 : 1, &mistakes)) {
    fail_msg("%s", mistakes.list[0].message);
  }
  return simulation;
}

static void run_to_end(flg_simulation *simulation) {
  while (!flg_simulation_ended(simulation)) {
    assert_int_equal(flg_simulation_step(simulation, NULL), FLG_OK);
  }
}

static void the_double_pendulum_follows_its_lagrange_equations(void **state) {
  (void)state;
  flg_simulation *simulation = load(DOUBLE, NULL);
  run_to_end(simulation);
  double y[4] = {0}, values[6];
  integrate(y, 3.0 / 30000, 30000);
  assert_int_equal(flg_simulation_width(simulation), 6);
  flg_simulation_record(simulation, values);
  assert_near(values[0], y[0], 1e-9);
  assert_near(values[1], y[1] - y[0], 1e-9);
  assert_near(values[2], cos(y[0]) + cos(y[1]), 1e-9);
  assert_near(values[4], -sin(y[0]) - sin(y[1]), 1e-9);
  flg_simulation_release(simulation);
}

static double error_of(const char *step) {
  flg_simulation *simulation = load(DOUBLE, step);
  run_to_end(simulation);
  double y[4] = {0}, values[6];
  integrate(y, 3.0 / 30000, 30000);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
  return hypot(values[0] - y[0], values[1] - (y[1] - y[0]));
}

static void runge_kutta_converges_with_order_four(void **state) {
  (void)state;
  const double ratio =
      error_of("subsystems.pendulum.step=1/800") / error_of("subsystems.pendulum.step=1/1600");
  assert_near(log2(ratio), 4, 0.3);
}

static void the_simple_pendulum_has_the_period_of_the_elliptic_integral(void **state) {
  (void)state;
  /* amplitude 90 degrees: T = 4 K(sin 45 deg) sqrt(l/g), by the arithmetic-geometric mean */
  double a = 1, b = sqrt(0.5);
  for (int k = 0; k < 8; k++) {
    const double next = 0.5 * (a + b);
    b = sqrt(a * b), a = next;
  }
  const double period = 2 * 3.14159265358979323846 / a / sqrt(9.81);
  char end[128], step[128];
  snprintf(end, sizeof end, "time={end: %.17g, macro: %.17g}", period, period / 1000);
  snprintf(step, sizeof step, "subsystems.pendulum.step=%.17g", period / 4000);
  const char *overrides[] = {end, step};
  static flg_mistakes mistakes;
  flg_simulation *simulation = NULL;
  assert_int_equal(flg_simulation_load(&simulation, SIMPLE, overrides, 2, &mistakes), FLG_OK);
  run_to_end(simulation);
  double values[4];
  flg_simulation_record(simulation, values);
  assert_near(values[0], -1, 1e-10);
  assert_near(values[1], 0, 1e-11);
  flg_simulation_release(simulation);
}

static void stepping_and_recording_allocate_nothing(void **state) {
  (void)state;
  flg_simulation *simulation = load(DOUBLE, NULL);
  double values[6];
  allocations_begin();
  while (!flg_simulation_ended(simulation)) {
    flg_simulation_step(simulation, NULL);
    flg_simulation_record(simulation, values);
  }
  const long count = (long)allocations_end();
  flg_simulation_release(simulation);
  if (!allocations_counted()) skip();
  assert_int_equal(count, 0);
}

static void the_same_run_has_the_same_hash(void **state) {
  (void)state;
  flg_simulation *one = load(DOUBLE, NULL), *two = load(DOUBLE, NULL);
  assert_true(flg_simulation_hash(one) == flg_simulation_hash(two));
  run_to_end(one);
  assert_true(flg_simulation_hash(one) != flg_simulation_hash(two));
  run_to_end(two);
  assert_true(flg_simulation_hash(one) == flg_simulation_hash(two));
  flg_simulation_release(one);
  flg_simulation_release(two);
}

/* A horizontal rod of 1 m with 1 kg at its end, under 0.4 m/s^2, with 0.5 N m of friction: it
 * sticks. How far it has turned after 2 s, and how fast it turns. */
static double creep_of(const char *step, double *speed) {
  flg_mistakes mistakes = {0};
  flg_simulation *simulation = NULL;
  const char *const settings[] = {"gravity=[0, 0, -0.4]", "time.end=2", step,
                                  "subsystems.pendulum.initial={hinge: 90 deg}",
                                  "subsystems.pendulum.integrator=semi-implicit"};
  if (flg_simulation_load(&simulation, DRY, settings, 5, &mistakes)) {
    fail_msg("%s", mistakes.list[0].message);
  }
  run_to_end(simulation);
  double values[3];
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
  *speed = fabs(values[1]);
  return fabs(values[0] - asin(1));
}

static void a_joint_that_sticks_stays(void **state) {
  (void)state;
  static const char *const steps[] = {"subsystems.pendulum.step=1/100",
                                      "subsystems.pendulum.step=1/10000"};
  for (int k = 0; k < 2; k++) {
    double speed;
    assert_true(creep_of(steps[k], &speed) == 0);
    assert_true(speed == 0);
  }
}

static void a_run_that_diverges_says_when_and_who(void **state) {
  (void)state;
  flg_simulation *simulation =
      load(DOUBLE, "subsystems.pendulum.initial_velocity={shoulder: 1e100, elbow: -1e100}");
  flg_error error = {0};
  flg_status status = FLG_OK;
  while (status == FLG_OK && !flg_simulation_ended(simulation)) {
    status = flg_simulation_step(simulation, &error);
  }
  assert_int_equal(status, FLG_ERR_DIVERGED);
  assert_non_null(strstr(error.message, "'pendulum' diverged at t = 0.01 s"));
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_double_pendulum_follows_its_lagrange_equations),
      cmocka_unit_test(runge_kutta_converges_with_order_four),
      cmocka_unit_test(the_simple_pendulum_has_the_period_of_the_elliptic_integral),
      cmocka_unit_test(stepping_and_recording_allocate_nothing),
      cmocka_unit_test(the_same_run_has_the_same_hash),
      cmocka_unit_test(a_joint_that_sticks_stays),
      cmocka_unit_test(a_run_that_diverges_says_when_and_who),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
