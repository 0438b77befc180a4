/* The two-mass oscillator, examples/oscillator: against the closed form, and couplings over H. */
#include "check.h"
#include "coupling_marks.h"

static const char path[] = "examples/oscillator/oscillator.yaml";

/* x(t) of both masses by the eigenvectors of the stiffness [110 -100; -100 1100], unit masses */
static void closed_form(double t, double x[2]) {
  const double mean = (110. + 1100.) / 2, half = (1100. - 110.) / 2;
  const double root = sqrt(half * half + 1e4);
  x[0] = x[1] = 0;
  for (int k = 0; k < 2; k++) {
    const double value = mean + (k == 0 ? -root : root);
    double e[2] = {100, 110 - value};
    const double length = hypot(e[0], e[1]);
    e[0] /= length, e[1] /= length;
    const double speed = 100 * e[0] - 100 * e[1], omega = sqrt(value);
    for (int i = 0; i < 2; i++) x[i] += e[i] * speed / omega * sin(omega * t);
  }
}

static marked_run oscillate(const char *macro, const char *end, const char *coupling,
                            double share) {
  char first[OVERRIDE_TEXT], second[OVERRIDE_TEXT], left[OVERRIDE_TEXT], right[OVERRIDE_TEXT];
  snprintf(first, sizeof first, "time={macro: %s, end: %s}", macro, end);
  snprintf(second, sizeof second, "coupling={%s}", coupling);
  snprintf(left, sizeof left, "subsystems.left.parameters={share: %g}", share);
  snprintf(right, sizeof right, "subsystems.right.parameters={share: %g}", share);
  return run_marked(path, (const char *[]){first, second, left, right, NULL});
}

static void monolithic_agrees_with_the_closed_form(void **state) {
  (void)state;
  double x[2];
  closed_form(10, x);
  assert_near(x[0], -4.460797486, 1e-9);
  assert_near(x[1], -0.964932839, 1e-9);
  marked_run run =
      oscillate("1/100", "10", "scheme: monolithic, integrator: rk4, step: 1/2000", 0.5);
  const double *last = run.values + (size_t)(run.rows - 1) * (size_t)run.width;
  print_message("oscillator, monolithic rk4: %.9f %.9f\n", last[0], last[3] - 40);
  assert_near(last[0], x[0], 7e-7);
  assert_near(last[3] - 40, x[1], 1e-6);
  free(run.values);
}

/* largest error of both masses over the amplitude of the first; infinite if it diverged */
static double error_of(const char *macro, const char *end, const char *coupling, double share,
                       const marked_run *exact) {
  marked_run run = oscillate(macro, end, coupling, share);
  const mark first = compare_marked(&run, exact, 0, 3), second = compare_marked(&run, exact, 3, 3);
  const double error =
      run.diverged_at >= 0 ? (double)INFINITY : flg_larger(first.max, second.max) / first.amplitude;
  print_message("  %9.2e", error);
  free(run.values);
  return error;
}

typedef struct oscillator_row {
  double sequential, parallel, hold, extrapolate;
} oscillator_row;

static oscillator_row errors_at(const char *macro, const char *end, double share) {
  marked_run exact = oscillate(macro, end, "scheme: monolithic, step: 1/5000", share);
  /* "1/500" is 2 ms */
  print_message("oscillator over %s s, share %g, H %g ms:", end, share, 1000. / atoi(macro + 2));
  const oscillator_row row = {error_of(macro, end, "scheme: sequential", share, &exact),
                              error_of(macro, end, "scheme: parallel", share, &exact),
                              error_of(macro, end, "scheme: hold", share, &exact),
                              error_of(macro, end, "scheme: extrapolate", share, &exact)};
  print_message("\n");
  free(exact.values);
  return row;
}

/* Signals: the side that gives forces must be the lighter one, and even then much energy is lost.
 * The rows are those of docs/coupling.md, which scripts/check-figures compares. */
static void models_of_the_rest_hold_where_signals_fail(void **state) {
  (void)state;
  static const char *const macros[] = {"1/2500", "1/1000", "1/500", "1/200", "1/100"};
  enum { MILLISECOND = 1, TEN_MILLISECONDS = 4 };
  oscillator_row at_millisecond = {0};
  for (int k = 0; k < 5; k++) {
    const oscillator_row even = errors_at(macros[k], "10", 0.5),
                         uneven = errors_at(macros[k], "10", 0.7);
    assert_true(isfinite(even.sequential) && isfinite(uneven.sequential));
    assert_true(isfinite(even.parallel) && isfinite(uneven.parallel));
    assert_true(even.hold > 30 * even.sequential);
    assert_true(isinf(uneven.hold) && isinf(uneven.extrapolate) && isinf(even.extrapolate));
    if (k == MILLISECOND) {
      at_millisecond = even;
      assert_true(even.sequential < 1e-5 && uneven.sequential < 1e-5);
    }
    if (k == TEN_MILLISECONDS) { /* ten times the macro step: order 3 */
      assert_near(log10(even.sequential / at_millisecond.sequential), 3.1, 0.3);
      assert_near(log10(even.parallel / at_millisecond.parallel), 3.1, 0.3);
    }
  }
}

/* Steps of 1/800 s of rattle, on both sides and in the reference. Measured: 1.8e-5, 2.9e-6, 1.2e-7
 * of the amplitude; with displacements of H/3 of what was missed, 1.6e-4, 1.4e-4, 9.2e-5. */
static void errors_fall_with_the_macro_step_also_near_the_micro_step(void **state) {
  (void)state;
  static const char *const macros[] = {"1/100", "1/200", "1/400"};
  static const double bounds[] = {3e-5, 5e-6, 2e-7};
  for (int k = 0; k < 3; k++) {
    char time[OVERRIDE_TEXT];
    snprintf(time, sizeof time, "time={macro: %s, end: 2}", macros[k]);
    const char *overrides[] = {time,
                               "subsystems.left.step=1/800",
                               "subsystems.right.step=1/800",
                               "subsystems.left.integrator=rattle",
                               "subsystems.right.integrator=rattle",
                               "coupling={scheme: parallel}",
                               NULL};
    marked_run run = run_marked(path, overrides);
    overrides[5] = "coupling={scheme: monolithic, step: 1/800, integrator: rattle}";
    marked_run exact = run_marked(path, overrides);
    const mark first = compare_marked(&run, &exact, 0, 3);
    print_message("rattle, H %s: %.2e\n", macros[k], first.max / first.amplitude);
    assert_true(first.max <= bounds[k] * first.amplitude);
    free(run.values), free(exact.values);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(monolithic_agrees_with_the_closed_form),
      cmocka_unit_test(models_of_the_rest_hold_where_signals_fail),
      cmocka_unit_test(errors_fall_with_the_macro_step_also_near_the_micro_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
