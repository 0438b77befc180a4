/* The scheme jacobi: its order in H, its limit, and where it fails. */
#include "check.h"
#include "coupling_marks.h"

static const char oscillator[] = "examples/oscillator/oscillator.yaml";

static marked_run oscillate(const char *scheme, const char *macro, double share) {
  char first[OVERRIDE_TEXT], second[OVERRIDE_TEXT], left[OVERRIDE_TEXT], right[OVERRIDE_TEXT];
  snprintf(first, sizeof first, "time={macro: %s, end: 4}", macro);
  snprintf(second, sizeof second, "coupling={scheme: %s}", scheme);
  snprintf(left, sizeof left, "subsystems.left.parameters={share: %g}", share);
  snprintf(right, sizeof right, "subsystems.right.parameters={share: %g}", share);
  return run_marked(oscillator, (const char *[]){first, second, left, right, NULL});
}

/* largest distance of both masses in two runs, over the amplitude of the first mass */
static double distance(const char *scheme, const char *other, const char *macro, double share) {
  marked_run run = oscillate(scheme, macro, share), from = oscillate(other, macro, share);
  assert_true(run.diverged_at < 0 && from.diverged_at < 0);
  const mark first = compare_marked(&run, &from, 0, 3), second = compare_marked(&run, &from, 3, 3);
  const double error = flg_larger(first.max, second.max) / first.amplitude;
  print_message("share %g, H = %s s, %s from %s: %.2e\n", share, macro, scheme, other, error);
  free(run.values);
  free(from.values);
  return error;
}

static void errors_shrink_with_the_fourth_power_of_the_macro_step(void **state) {
  (void)state;
  const double errors[] = {distance("jacobi", "monolithic", "1/100", 0.5),
                           distance("jacobi", "monolithic", "1/200", 0.5),
                           distance("jacobi", "monolithic", "1/500", 0.5)};
  assert_near(log2(errors[0] / errors[1]), 4, 0.1);
  assert_near(log2(errors[1] / errors[2]) / log2(2.5), 4, 5e-2);
}

static void macro_steps_as_short_as_micro_steps_leave_no_error(void **state) {
  (void)state;
  assert_true(distance("jacobi", "parallel", "1/5000", 0.5) < 1e-12);
  assert_true(distance("jacobi", "monolithic", "1/5000", 0.5) < 1e-12);
  assert_true(distance("parallel", "monolithic", "1/5000", 0.5) < 1e-12);
}

/* by itself the right side has 33, 105 and 1049 rad/s */
static void light_sides_on_stiff_springs_need_short_macro_steps(void **state) {
  (void)state;
  const double errors[] = {distance("jacobi", "monolithic", "1/200", 0.5),
                           distance("jacobi", "monolithic", "1/200", 0.9),
                           distance("jacobi", "monolithic", "1/200", 0.999)};
  assert_true(errors[1] > 5 * errors[0] && errors[2] > 100 * errors[1]);
  assert_true(distance("parallel", "monolithic", "1/200", 0.5) < 1e-5);
  assert_true(distance("parallel", "monolithic", "1/100", 0.5) < 1e-4);
  assert_true(distance("parallel", "monolithic", "1/200", 0.9) < 3e-5);
  assert_true(distance("parallel", "monolithic", "1/200", 0.999) < 3e-5);
  assert_true(distance("jacobi", "monolithic", "1/5000", 0.999) < 1e-10);
}

static void nonlinear_arms_are_followed_as_by_parallel(void **state) {
  (void)state;
  const char *const overrides[][3] = {{"coupling={scheme: jacobi}", NULL},
                                      {"coupling={scheme: monolithic, step: 1/600}", NULL}};
  marked_run run = run_marked("examples/wrist/wrist.yaml", overrides[0]);
  marked_run exact = run_marked("examples/wrist/wrist.yaml", overrides[1]);
  assert_true(run.diverged_at < 0);
  const double error = compare_marked(&run, &exact, 0, 3).max;
  print_message("wrist: %.2e m\n", error);
  assert_true(error < 4e-4);
  free(run.values);
  free(exact.values);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_shrink_with_the_fourth_power_of_the_macro_step),
      cmocka_unit_test(macro_steps_as_short_as_micro_steps_leave_no_error),
      cmocka_unit_test(light_sides_on_stiff_springs_need_short_macro_steps),
      cmocka_unit_test(nonlinear_arms_are_followed_as_by_parallel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
