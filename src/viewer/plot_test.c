/* Pictures: round ticks, peaks that survive, gaps, text that cannot break out; and base64. */
#include "viewer/plot.h"

#include "check.h"
#include "viewer/base64.h"
#include "viewer/svg.h"

static char picture[1 << 20];

static const char *draw_as(const flg_plot *plot, const flg_curve *curves, int count) {
  FILE *out = fmemopen(picture, sizeof picture, "w");
  assert_non_null(out);
  flg_plot_write(plot, curves, count, out);
  assert_int_equal(fclose(out), 0);
  return picture;
}

static const char *draw(const flg_curve *curves, int count, const char *title) {
  flg_plot plot = flg_plot_default();
  plot.title = title;
  return draw_as(&plot, curves, count);
}

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) count++;
  return count;
}

static void ticks_are_round(void **state) {
  (void)state;
  static const struct {
    double low, high, first, step;
  } cases[] = {
      {0, 12, 0, 2}, {-0.3, 0.37, -0.2, 0.2}, {1e-9, 7e-9, 1e-9, 1e-9}, {980, 1020, 980, 10}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const flg_ticks ticks = flg_ticks_over(cases[k].low, cases[k].high, 6);
    assert_near(ticks.first, cases[k].first, 1e-12 * fabs(cases[k].high));
    assert_near(ticks.step, cases[k].step, 1e-12 * fabs(cases[k].high));
    assert_true(ticks.first + (ticks.count - 1) * ticks.step <= cases[k].high * (1 + 1e-9));
    assert_true(ticks.count >= 2 && ticks.count <= 7);
  }
  char text[32];
  const flg_ticks ticks = flg_ticks_over(-0.3, 0.37, 6);
  assert_string_equal(flg_ticks_text(&ticks, 1, text), "0.0");
}

static void a_constant_has_ticks(void **state) {
  (void)state;
  const flg_ticks ticks = flg_ticks_over(3, 3, 6);
  assert_true(ticks.count >= 1 && ticks.step > 0);
}

static void units_have_panels_of_their_own(void **state) {
  (void)state;
  const double times[] = {0, 1, 2}, values[] = {1, 2, 3};
  const flg_curve curves[] = {{"a", "m", times, values, 3, 1, 0, false},
                              {"b", "N", times, values, 3, 1, 1, false},
                              {"c", "m", times, values, 3, 1, 2, true}};
  const char *text = draw(curves, 3, "three");
  assert_int_equal(count_of(text, "class=\"ink\""), 2);
  assert_int_equal(count_of(text, ">time [s]<"), 1);
  assert_int_equal(count_of(text, "line c2 dash"), 2); /* legend and curve */
}

/* a single row in a million is seen */
static void peaks_are_drawn(void **state) {
  (void)state;
  enum { COUNT = 1000000 };
  double *times = malloc(COUNT * sizeof *times), *values = calloc(COUNT, sizeof *values);
  assert_true(times != NULL && values != NULL);
  for (int k = 0; k < COUNT; k++) times[k] = k;
  values[123457] = 5;
  const flg_curve curve = {"a", "m", times, values, COUNT, 1, 0, false};
  const char *text = draw(&curve, 1, "peak");
  assert_true(strlen(text) < 100000);
  /* 5 of -0.25 .. 5.25, in a panel of 220 that begins at 52: y = 62.0 */
  assert_non_null(strstr(text, " 62.0 "));
  free(times), free(values);
}

static void gaps_stay_gaps(void **state) {
  (void)state;
  const double times[] = {0, 1, 2, 3, 4}, values[] = {1, 2, NAN, 2, INFINITY};
  const flg_curve curve = {"a", "", times, values, 5, 1, 0, false};
  const char *text = draw(&curve, 1, "gap");
  const char *path = strstr(strstr(text, "line c0\" d=\"") + 1, "line c0\" d=\"");
  assert_non_null(path);
  assert_int_equal(count_of(path, "M"), 2);
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "inf"));
}

static void text_is_escaped(void **state) {
  (void)state;
  const double times[] = {0, 1}, values[] = {1, 2};
  const flg_curve curve = {"<script>&", "m", times, values, 2, 1, 0, false};
  const char *text = draw(&curve, 1, "</svg>");
  assert_null(strstr(text, "<script"));
  assert_int_equal(count_of(text, "</svg>"), 1);
}

static void empty_recordings_are_drawn(void **state) {
  (void)state;
  const flg_curve curve = {"a", "m", NULL, NULL, 0, 1, 0, false};
  const char *text = draw(&curve, 1, "nothing");
  assert_null(strstr(text, "nan"));
}

static void logarithmic_axes_have_decades(void **state) {
  (void)state;
  const double x[] = {1, 10, 100, 1000}, values[] = {1e-4, 0, -1, 1e2};
  const flg_curve curve = {"a", "m", x, values, 4, 1, 0, false};
  flg_plot plot = flg_plot_default();
  plot.log_x = plot.log_y = true;
  const char *text = draw_as(&plot, &curve, 1);
  assert_non_null(strstr(text, ">1e-4<"));
  assert_non_null(strstr(text, ">1e2<"));
  assert_non_null(strstr(text, ">100<"));
  assert_int_equal(count_of(text, "<circle"), 2); /* each alone between gaps */
  assert_null(strstr(text, "nan"));
}

/* a run that runs away leaves the frame, the reference does not become a line */
static void references_set_the_scale(void **state) {
  (void)state;
  const double x[] = {0, 1, 2}, exact[] = {0, 1, 0}, wild[] = {0, 2, 1e300};
  const flg_curve curves[] = {{"wild", "m", x, wild, 3, 1, 0, false},
                              {"exact", "m", x, exact, 3, 1, FLG_CURVE_REFERENCE, false}};
  flg_plot plot = flg_plot_default();
  const char *text = draw_as(&plot, curves, 2);
  assert_non_null(strstr(text, ">4<"));
  assert_null(strstr(text, ">5<"));
  assert_non_null(strstr(text, "line wide"));
  assert_true(strlen(text) < 10000);
  plot.y_range[0] = -2, plot.y_range[1] = 2;
  assert_non_null(strstr(draw_as(&plot, curves, 2), ">-2<"));
}

static void panels_stand_in_columns(void **state) {
  (void)state;
  const double x[] = {0, 1}, values[] = {1, 2};
  const flg_curve curves[] = {{"a", "x [m]", x, values, 2, 1, 0, false},
                              {"a", "y [m]", x, values, 2, 1, 0, false},
                              {"a", "z [m]", x, values, 2, 1, 0, false}};
  flg_plot plot = flg_plot_default();
  plot.columns = 2;
  plot.is_shared = true;
  const char *text = draw_as(&plot, curves, 3);
  assert_int_equal(count_of(text, "class=\"ink\""), 3);
  assert_int_equal(count_of(text, ">time [s]<"), 2); /* under the lowest of each column */
  assert_int_equal(count_of(text, ">a<"), 1);
}

static void single_values_and_odd_names_are_drawn(void **state) {
  (void)state;
  const double x[] = {3}, values[] = {7};
  const flg_curve curve = {
      "Gr\xc3\xb6\xc3\x9f"
      "e \"b\" \xff",
      "m",
      x,
      values,
      1,
      1,
      0,
      false};
  const char *text = draw(&curve, 1, "");
  assert_int_equal(count_of(text, "<circle"), 1);
  assert_non_null(strstr(text,
                         "Gr\xc3\xb6\xc3\x9f"
                         "e \"b\" ?")); /* no UTF-8: no XML */
}

static void base64_is_that_of_the_standard(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"f", "Zg=="},         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},       {"foob", "Zm9vYg=="},
                                         {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char text[16] = "";
    const size_t size = strlen(cases[k][0]);
    flg_base64_encode(cases[k][0], size, text);
    assert_int_equal(flg_base64_length(size), strlen(cases[k][1]));
    assert_string_equal(text, cases[k][1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ticks_are_round),
      cmocka_unit_test(a_constant_has_ticks),
      cmocka_unit_test(units_have_panels_of_their_own),
      cmocka_unit_test(peaks_are_drawn),
      cmocka_unit_test(gaps_stay_gaps),
      cmocka_unit_test(text_is_escaped),
      cmocka_unit_test(empty_recordings_are_drawn),
      cmocka_unit_test(logarithmic_axes_have_decades),
      cmocka_unit_test(references_set_the_scale),
      cmocka_unit_test(panels_stand_in_columns),
      cmocka_unit_test(single_values_and_odd_names_are_drawn),
      cmocka_unit_test(base64_is_that_of_the_standard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
