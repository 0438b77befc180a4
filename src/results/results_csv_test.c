#include <locale.h>
#include <unistd.h>

#include "check.h"
#include "flange/version.h"
#include "results/results.h"
#include "text/csv.h"

static char path[60];

static const char *const xy[] = {"x", "y"};
static const flg_signal signals[] = {
    {"hand/U.position", "m", 2, xy}, {"joints", "rad", 2, NULL}, {"say \"a,b\"", "", 1, NULL}};
static const flg_results_header header = {.name = "small",
                                          .scenario = "flange: 1\r\n\n# note\nlast",
                                          .created = "2026-01-02",
                                          .signals = signals,
                                          .signal_count = 3};

static void file_write(const double *rows, int count) {
  flg_results *results = NULL;
  assert_int_equal(flg_results_open(&results, path, &header, NULL), FLG_OK);
  for (; count > 0; count--, rows += 6) {
    assert_int_equal(flg_results_write(results, rows[0], rows + 1, NULL), FLG_OK);
  }
  assert_int_equal(flg_results_close(results, "complete", NULL), FLG_OK);
}

static const char *file_text(void) {
  static char text[4000];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

static void file_reads_as_people_expect(void **state) {
  (void)state;
  const double rows[] = {0, 0.1, -0.0, 1e100, 1.0 / 3, 100000};
  file_write(rows, 1);
  assert_string_equal(file_text(),
                      "# flange " FLG_VERSION
                      "\n"
                      "# name: small\n"
                      "# created: 2026-01-02\n"
                      "# scenario:\n"
                      "#   flange: 1\n"
                      "#   \n"
                      "#   # note\n"
                      "#   last\n"
                      "time [s],hand/U.position.x [m],hand/U.position.y [m],joints.0 [rad],"
                      "joints.1 [rad],\"say \"\"a,b\"\"\"\n"
                      "0,0.1,-0,1e+100,0.3333333333333333,100000\n"
                      "# status: complete\n");
}

static void names_and_units_come_back_through_the_reader(void **state) {
  (void)state;
  const double rows[] = {0, 1, 2, 3, 4, 5};
  file_write(rows, 1);
  flg_csv_table table;
  assert_int_equal(flg_csv_read(path, NULL, &table, NULL), FLG_OK);
  assert_string_equal(table.names[1], "hand/U.position.x");
  assert_string_equal(table.units[1], "m");
  assert_string_equal(table.names[5], "say \"a,b\"");
  assert_string_equal(table.units[5], "");
  flg_csv_release(&table);
}

static void values_that_are_not_finite_are_written_by_name(void **state) {
  (void)state;
  const double rows[] = {0, (double)NAN, -(double)NAN, HUGE_VAL, -HUGE_VAL, 5e-324};
  file_write(rows, 1);
  assert_non_null(strstr(file_text(), "\n0,nan,nan,inf,-inf,4.94065645841247e-324\n"));
}

/* skipped where no locale with a decimal comma is installed */
static void decimal_comma_of_the_locale_changes_nothing(void **state) {
  (void)state;
  const locale_t comma = newlocale(LC_NUMERIC_MASK, "de_DE.UTF-8", (locale_t)0);
  if (comma == (locale_t)0) {
    print_message("skipped: the locale de_DE.UTF-8 is not installed\n");
    skip();
  }
  const locale_t before = uselocale(comma);
  const double rows[] = {0.5, 1.5, 1.0 / 3, 0, 0, 0};
  file_write(rows, 1);
  uselocale(before);
  freelocale(comma);
  assert_non_null(strstr(file_text(), "\n0.5,1.5,0.3333333333333333,0,0,0\n"));
}

static void device_without_room_is_told(void **state) {
  (void)state;
  unlink(path);
  assert_int_equal(symlink("/dev/full", path), 0);
  flg_results *results = NULL;
  flg_error error = {0};
  const flg_status status = flg_results_open(&results, path, &header, &error);
  unlink(path);
  assert_int_equal(status, FLG_ERR_OUTPUT);
  assert_non_null(strstr(error.message, "No space left on device"));
  assert_non_null(strstr(error.message, path));
}

static int path_make(void **state) {
  (void)state;
  snprintf(path, sizeof path, "/tmp/flange-results-%ld.csv", (long)getpid());
  return 0;
}

static int path_remove(void **state) {
  (void)state;
  unlink(path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(file_reads_as_people_expect),
      cmocka_unit_test(names_and_units_come_back_through_the_reader),
      cmocka_unit_test(values_that_are_not_finite_are_written_by_name),
      cmocka_unit_test(decimal_comma_of_the_locale_changes_nothing),
      cmocka_unit_test(device_without_room_is_told),
  };
  return cmocka_run_group_tests(tests, path_make, path_remove);
}
