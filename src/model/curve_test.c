#include "model/curve.h"

#include "check.h"

static const double times[] = {0, 1, 3, 4};
static const double values[] = {0, 10, 2, 10, -1, 20, 5, 0}; /* two columns */

static flg_curve curve_of(flg_curve_kind kind) {
  return (flg_curve){.kind = kind, .knots = 4, .width = 2, .times = times, .values = values};
}

static void every_curve_meets_its_knots_and_rests_outside(void **state) {
  (void)state;
  double curvatures[8], work[8];
  for (int kind = FLG_CURVE_HELD; kind <= FLG_CURVE_QUINTIC; kind++) {
    flg_curve curve = curve_of((flg_curve_kind)kind);
    if (kind == FLG_CURVE_SPLINE) {
      flg_curve_prepare(&curve, FLG_SPLINE_AT_REST, curvatures, work);
      curve.curvatures = curvatures;
    }
    double value[2], rate[2], acceleration[2];
    for (int k = 0; k < 4; k++) {
      flg_curve_evaluate(&curve, times[k], value, rate, acceleration);
      assert_near(value[0], values[2 * k], 1e-14);
      assert_near(value[1], values[2 * k + 1], 1e-14);
    }
    flg_curve_evaluate(&curve, 99, value, rate, acceleration);
    assert_true(value[0] == 5 && rate[0] == 0 && acceleration[0] == 0);
    flg_curve_evaluate(&curve, -1, value, NULL, NULL);
    assert_true(value[0] == 0 && value[1] == 10);
  }
}

static void derivatives_are_those_of_the_value(void **state) {
  (void)state;
  double curvatures[8], work[8];
  for (int kind = FLG_CURVE_LINEAR; kind <= FLG_CURVE_QUINTIC; kind++) {
    flg_curve curve = curve_of((flg_curve_kind)kind);
    flg_curve_prepare(&curve, FLG_SPLINE_AT_REST, curvatures, work);
    curve.curvatures = curvatures;
    for (double t = 0.05; t < 4; t += 0.1) {
      const double h = 1e-5;
      double before[2], now[2], after[2], rate[2], acceleration[2];
      flg_curve_evaluate(&curve, t - h, before, NULL, NULL);
      flg_curve_evaluate(&curve, t, now, rate, acceleration);
      flg_curve_evaluate(&curve, t + h, after, NULL, NULL);
      assert_near(rate[0], (after[0] - before[0]) / (2 * h), 4e-8);
      assert_near(acceleration[0], (after[0] - 2 * now[0] + before[0]) / (h * h), 6e-4);
    }
  }
}

static void a_spline_starts_and_ends_at_rest_and_has_no_kinks(void **state) {
  (void)state;
  double curvatures[8], work[8];
  flg_curve curve = curve_of(FLG_CURVE_SPLINE);
  flg_curve_prepare(&curve, FLG_SPLINE_AT_REST, curvatures, work);
  curve.curvatures = curvatures;
  double value[2], rate[2], left[2], right[2], left_bend[2], right_bend[2];
  flg_curve_evaluate(&curve, 0, value, rate, NULL);
  assert_near(rate[0], 0, 1e-12);
  flg_curve_evaluate(&curve, 4 - 1e-9, value, rate, NULL);
  assert_near(rate[0], 0, 1e-7); /* 1e-9 before the end, by its curvature */
  flg_curve_evaluate(&curve, 3 - 1e-5, value, left, left_bend);
  flg_curve_evaluate(&curve, 3 + 1e-5, value, right, right_bend);
  assert_near(left[0], right[0], 1e-3);
  assert_near(left_bend[0], right_bend[0], 1e-3);
}

static void a_free_spline_through_a_cubic_is_the_cubic(void **state) {
  (void)state;
  const double knots[] = {0, 1, 2.5, 3, 3.2};
  double values_at[5], curvatures[5], work[10];
  for (int count = 4; count <= 5; count++) {
    for (int k = 0; k < count; k++) values_at[k] = 1 + knots[k] * (2 + knots[k] * (knots[k] - 3));
    flg_curve curve = {FLG_CURVE_SPLINE, count, 1, knots, values_at, curvatures};
    flg_curve_prepare(&curve, FLG_SPLINE_FREE, curvatures, work);
    for (double t = 0; t < 3; t += 0.1) {
      double value, rate;
      flg_curve_evaluate(&curve, t, &value, &rate, NULL);
      assert_near(value, 1 + t * (2 + t * (t - 3)), 1e-13);
      assert_near(rate, 2 + t * (3 * t - 6), 1e-12);
    }
  }
}

static void a_free_spline_through_few_knots_is_the_line_between_them(void **state) {
  (void)state;
  const double knots[] = {0, 1, 2.5}, line[] = {1, 3, 6};
  double curvatures[3], work[6], value;
  for (int count = 2; count <= 3; count++) {
    flg_curve curve = {FLG_CURVE_SPLINE, count, 1, knots, line, curvatures};
    flg_curve_prepare(&curve, FLG_SPLINE_FREE, curvatures, work);
    flg_curve_evaluate(&curve, 0.5, &value, NULL, NULL);
    assert_near(value, 2, 1e-14);
  }
}

static void a_quintic_rests_at_its_knots(void **state) {
  (void)state;
  const flg_curve curve = curve_of(FLG_CURVE_QUINTIC);
  double value[2], rate[2], acceleration[2];
  flg_curve_evaluate(&curve, 2, value, rate, acceleration);
  assert_near(value[0], 0.5, 1e-14); /* half way between 2 and -1 */
  assert_near(rate[0], 1.875 * -3 / 2, 1e-14);
  flg_curve_evaluate(&curve, 1 + 1e-7, value, rate, acceleration);
  assert_near(rate[0], 0, 1e-12);
  assert_near(acceleration[0], 0, 2e-5);
}

static void a_rounded_time_meets_its_knot(void **state) {
  (void)state;
  const flg_curve curve = curve_of(FLG_CURVE_HELD);
  double value[2];
  flg_curve_evaluate(&curve, 1 - 1e-9, value, NULL, NULL);
  assert_true(value[0] == 2);
  flg_curve_evaluate(&curve, 1 - 1e-3, value, NULL, NULL);
  assert_true(value[0] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_curve_meets_its_knots_and_rests_outside),
      cmocka_unit_test(derivatives_are_those_of_the_value),
      cmocka_unit_test(a_spline_starts_and_ends_at_rest_and_has_no_kinks),
      cmocka_unit_test(a_free_spline_through_a_cubic_is_the_cubic),
      cmocka_unit_test(a_free_spline_through_few_knots_is_the_line_between_them),
      cmocka_unit_test(a_quintic_rests_at_its_knots),
      cmocka_unit_test(a_rounded_time_meets_its_knot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
