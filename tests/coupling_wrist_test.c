/* The rigid wrist, examples/wrist: two joints lock on the way, after which the arm yields at the
 * interface in five directions only. */
#include "check.h"
#include "coupling_marks.h"

static const char path[] = "examples/wrist/wrist.yaml";

/* more: another override, or NULL */
static marked_run wrist(const char *macro, const char *scheme, const char *more) {
  char first[OVERRIDE_TEXT], second[OVERRIDE_TEXT];
  snprintf(first, sizeof first, "time.macro=%s", macro);
  snprintf(second, sizeof second, "coupling.scheme=%s", scheme);
  return run_marked(path, (const char *[]){first, second, more, NULL});
}

/* largest error of the interface's position [mm], against monolithic with that step */
static double miss(const marked_run *run, const char *macro, const char *step) {
  marked_run reference = wrist(macro, "monolithic", step);
  const mark off = compare_marked(run, &reference, 0, 3);
  free(reference.values);
  return 1e3 * off.max;
}

static void stay_within(const char *macro, const char *scheme, double fine, double same) {
  marked_run run = wrist(macro, scheme, NULL);
  const double of_fine = miss(&run, macro, "coupling.step=1/6000");
  const double of_same = miss(&run, macro, "coupling.step=1/600");
  print_message("wrist H %s %-10s: %.3f mm of 1/6000, %.3f mm of 1/600\n", macro, scheme, of_fine,
                of_same);
  assert_true(run.diverged_at < 0);
  assert_true(of_fine <= fine);
  assert_true(of_same <= same);
  free(run.values);
}

static void sequential_and_parallel_stay_within_a_millimetre(void **state) {
  (void)state;
  stay_within("1/60", "sequential", 1, 0.6);
  stay_within("1/60", "parallel", 1, 0.6);
  stay_within("1/30", "sequential", 1, 0.6);
  stay_within("1/30", "parallel", 1, 0.6);
}

/* the steps of the effector are those of the arm: what is left is the coupling alone */
static void equal_steps_come_within_hundredths(void **state) {
  (void)state;
  static const char *const schemes[] = {"sequential", "parallel"};
  static const double bounds[] = {0.005, 0.005}; /* [mm] */
  for (int k = 0; k < 2; k++) {
    char scheme[OVERRIDE_TEXT];
    snprintf(scheme, sizeof scheme, "coupling.scheme=%s", schemes[k]);
    const char *overrides[] = {scheme, "subsystems.effector.step=1/600",
                               "subsystems.effector.integrator=semi-implicit", NULL};
    marked_run run = run_marked(path, overrides);
    const double off = miss(&run, "1/60", "coupling.step=1/600");
    print_message("wrist, equal steps, %-10s: %.4f mm\n", schemes[k], off);
    assert_true(off <= bounds[k]);
    free(run.values);
  }
}

static void accurate_steps_show_micrometres(void **state) {
  (void)state;
  static const char *const schemes[] = {"sequential", "parallel"};
  static const double bounds[] = {0.004, 0.004}; /* [mm] */
  marked_run exact = run_marked(path, (const char *[]){"coupling={scheme: monolithic, step: 1/600, "
                                                       "integrator: rk4}",
                                                       NULL});
  for (int k = 0; k < 2; k++) {
    marked_run run = wrist("1/60", schemes[k], "subsystems.arm.integrator=rk4");
    const mark off = compare_marked(&run, &exact, 0, 3);
    print_message("wrist, rk4 and rattle, %-10s: %.4f mm\n", schemes[k], 1e3 * off.max);
    assert_true(1e3 * off.max <= bounds[k]);
    free(run.values);
  }
  free(exact.values);
}

/* one run in the papers' form; whether it fails */
static bool mass_fails(const char *gravity) {
  char override[OVERRIDE_TEXT];
  snprintf(override, sizeof override, "gravity=[0, 0, %s]", gravity);
  marked_run mass = wrist("1/60", "paper-smooth", override);
  free(mass.values);
  if (mass.diverged_at < 0) return false;
  print_message("wrist, paper-smooth: %s\n", mass.error.message);
  assert_true(mass.diverged_at > 1.5);
  assert_non_null(strstr(mass.error.message, "'wrist'"));
  assert_int_equal(mass.rows, (int)(mass.diverged_at * 60 + 0.5));
  return true;
}

/* The papers' form needs the inverse of a matrix of rank 5. Rounding decides how soon that fails,
 * mostly within two seconds of the lock: it is asked for runs that differ by no more than that. */
static void effective_masses_fail_after_the_lock(void **state) {
  (void)state;
  static const char *const hardly_any[] = {"0", "1e-12", "-1e-12", "2e-12", "-2e-12", "3e-12"};
  int failed = 0;
  for (int k = 0; k < 6; k++) failed += mass_fails(hardly_any[k]);
  assert_true(failed >= 4);
  marked_run admittance = wrist("1/60", "paper-smooth", "coupling.form=admittance");
  assert_true(admittance.diverged_at < 0);
  assert_true(miss(&admittance, "1/60", "coupling.step=1/6000") < 2);
  free(admittance.values);
}

static void signals_fail_at_once(void **state) {
  (void)state;
  static const char *const schemes[] = {"hold", "extrapolate"};
  for (int k = 0; k < 2; k++) {
    marked_run run = wrist("1/60", schemes[k], NULL);
    print_message("wrist, %s: %s\n", schemes[k], run.error.message);
    assert_true(run.diverged_at > 0 && run.diverged_at < 0.5);
    free(run.values);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequential_and_parallel_stay_within_a_millimetre),
      cmocka_unit_test(equal_steps_come_within_hundredths),
      cmocka_unit_test(accurate_steps_show_micrometres),
      cmocka_unit_test(effective_masses_fail_after_the_lock),
      cmocka_unit_test(signals_fail_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
