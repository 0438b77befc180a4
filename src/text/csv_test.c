#include "text/csv.h"

#include <locale.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static flg_status parse(const char *text, const flg_csv_options *options, flg_csv_table *table,
                        flg_error *error) {
  return flg_csv_parse("t.csv", text, strlen(text), options, table, error);
}

static flg_csv_table table_of(const char *text) {
  flg_csv_table table = {0};
  flg_error error = {0};
  if (parse(text, NULL, &table, &error) != FLG_OK) print_error("%s\n", error.message);
  assert_non_null(table.memory);
  return table;
}

static void table_has_names_units_and_rows(void **state) {
  (void)state;
  flg_csv_table table = table_of("time [s],arm/joint1 [N m],plain\n0,1.5,-2\n0.5,2e3,.25\n");
  assert_int_equal(table.columns, 3);
  assert_int_equal(table.rows, 2);
  assert_string_equal(table.names[0], "time");
  assert_string_equal(table.units[0], "s");
  assert_string_equal(table.names[1], "arm/joint1");
  assert_string_equal(table.units[1], "N m");
  assert_string_equal(table.names[2], "plain");
  assert_string_equal(table.units[2], "");
  const double expected[] = {0, 1.5, -2, 0.5, 2e3, .25};
  assert_memory_equal(table.values, expected, sizeof expected);
  flg_csv_release(&table);
  assert_null(table.memory);
}

static void comments_blank_lines_mark_and_line_ends_make_no_difference(void **state) {
  (void)state;
  static const char *const texts[] = {
      "a,b\n1,2\n3,4\n",
      "a,b\r\n1,2\r\n3,4",
      "\xef\xbb\xbf# note\n\na , b\n\n  \n1 ,\t2\n  # more\n 3,4\n\n",
      "a;b\n1;2\n3;4\n",
      "a\tb\n1\t2\n3\t 4\n",
      "\"a\",\"b\"\n\"1\",2\n3,\"4\"\n",
  };
  const double expected[] = {1, 2, 3, 4};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    flg_csv_table table = table_of(texts[k]);
    assert_int_equal(table.rows, 2);
    assert_string_equal(table.names[0], "a");
    assert_string_equal(table.names[1], "b");
    assert_memory_equal(table.values, expected, sizeof expected);
    flg_csv_release(&table);
  }
}

static void comments_are_kept_without_their_marks(void **state) {
  (void)state;
  flg_csv_table table = table_of("# flange 1\n#   deeper\r\n#\na\n1\n# status: complete\n");
  assert_string_equal(table.comments, "flange 1\n  deeper\n\nstatus: complete\n");
  flg_csv_release(&table);
}

static void quoted_names_may_hold_separators_and_quotes(void **state) {
  (void)state;
  flg_csv_table table =
      table_of("t,\"a, \"\"b\"\"; c [m/s, mean]\",q[3],x[m],\"[odd]\"\n1,2,3,4,5\n");
  assert_string_equal(table.names[1], "a, \"b\"; c");
  assert_string_equal(table.units[1], "m/s, mean");
  assert_string_equal(table.names[2], "q[3]");
  assert_string_equal(table.names[3], "x");
  assert_string_equal(table.units[3], "m");
  assert_string_equal(table.names[4], "[odd]");
  flg_csv_release(&table);
}

static void mistakes_are_told_with_their_place(void **state) {
  (void)state;
  static const struct {
    const char *text, *place, *reason;
  } cases[] = {
      {"", "t.csv:1:1: ", "empty"},
      {"# only\n\n", "t.csv:1:1: ", "empty"},
      {"a,b\n", "t.csv:1:1: ", "no numbers"},
      {"1,2\n3,4\n", "t.csv:1:1: ", "holds numbers"},
      {"a,,b\n1,2,3\n", "t.csv:1:3: ", "no name"},
      {"a,b,\n1,2,3\n", "t.csv:1:5: ", "no name"},
      {"a,b,a\n1,2,3\n", "t.csv:1:1: ", "Columns 1 and 3 are both named 'a'"},
      {"a,\"b\n1,2\n", "t.csv:1:3: ", "does not end"},
      {"a,\"b\"c\n1,2\n", "t.csv:1:6: ", "closing quote"},
      {"a,b\xff\n1,2\n", "t.csv:1:4: ", "0xff"},
      {"a,b\n1,2\n3\n", "t.csv:3:2: ", "only 1 number; expected 2"},
      {"a,b\n1,2,3\n", "t.csv:2:5: ", "more than 2 numbers"},
      {"a,b\n1,2,\n", "t.csv:2:5: ", "more than 2 numbers"},
      {"a,b\n1,\n", "t.csv:2:3: ", "column 'b' is empty"},
      {"a;b\n1;2,5\n", "t.csv:2:3: ", "'2,5' in the column 'b' is not a number"},
      {"a\n0x10\n", "t.csv:2:1: ", "not a number"},
      {"a\n1e\n", "t.csv:2:1: ", "not a number"},
      {"a\n1e+\n", "t.csv:2:1: ", "not a number"},
      {"a\n.\n", "t.csv:2:1: ", "not a number"},
      {"a\n--1\n", "t.csv:2:1: ", "not a number"},
      {"a\n1 2\n", "t.csv:2:1: ", "'1 2'"},
      {"a\n1\n\n  nan\n", "t.csv:4:3: ", "not finite"},
      {"a\n-inf\n", "t.csv:2:1: ", "not finite"},
      {"a\n1e400\n", "t.csv:2:1: ", "too large"},
      {"a\n1\x01\n", "t.csv:2:1: ", "'1?'"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    flg_csv_table table = {.rows = 77};
    flg_error error = {0};
    assert_int_equal(parse(cases[k].text, NULL, &table, &error), FLG_ERR_INPUT);
    assert_int_equal(error.status, FLG_ERR_INPUT);
    assert_int_equal(table.rows, 77);
    if (strncmp(error.message, cases[k].place, strlen(cases[k].place)) != 0 ||
        strstr(error.message, cases[k].reason) == NULL) {
      fail_msg("case %zu: '%s' lacks '%s' or '%s'", k, error.message, cases[k].place,
               cases[k].reason);
    }
  }
}

static void zero_bytes_are_refused_as_binary(void **state) {
  (void)state;
  static const char text[] = "a,b\n1,2\n3,\0";
  flg_csv_table table;
  flg_error error = {0};
  assert_int_equal(flg_csv_parse("t", text, sizeof text - 1, NULL, &table, &error), FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "t:3:3: There is a zero byte"));
}

static void first_column_has_to_increase_if_asked(void **state) {
  (void)state;
  const flg_csv_options options = {.increasing = true, .allow_nonfinite = true};
  flg_csv_table table;
  flg_error error = {0};
  assert_int_equal(parse("t\n0\n0\n", NULL, &table, &error), FLG_OK);
  flg_csv_release(&table);
  assert_int_equal(parse("t,x\n0,1\n0.5,1\n0.5,1\n", &options, &table, &error), FLG_ERR_INPUT);
  assert_string_equal(error.message,
                      "t.csv:4:1: The column 't' does not increase: 0.5 comes after 0.5.");
  assert_int_equal(parse("t\n0\nnan\n", &options, &table, &error), FLG_ERR_INPUT);
  assert_int_equal(parse("t\nnan\n1\n", &options, &table, &error), FLG_ERR_INPUT);
  assert_int_equal(parse("t\n-1\n0\n1\n", &options, &table, &error), FLG_OK);
  flg_csv_release(&table);
}

static void options_allow_what_is_refused_else(void **state) {
  (void)state;
  const flg_csv_options options = {
      .allow_nonfinite = true, .allow_no_rows = true, .drop_torn_line = true};
  flg_csv_table table;
  assert_int_equal(parse("a,b\n", &options, &table, NULL), FLG_OK);
  assert_int_equal(table.rows, 0);
  flg_csv_release(&table);
  assert_int_equal(parse("a,b\nNaN,-Infinity\n1,2", &options, &table, NULL), FLG_OK);
  assert_int_equal(table.rows, 1);
  assert_true(isnan(table.values[0]) && table.values[1] == -HUGE_VAL);
  flg_csv_release(&table);
}

static void check_number(const char *text) {
  char line[1200];
  snprintf(line, sizeof line, "a\n%s\n", text);
  flg_csv_table table = table_of(line);
  const double expected = strtod(text, NULL);
  assert_memory_equal(table.values, &expected, sizeof expected);
  flg_csv_release(&table);
}

static void numbers_are_rounded_as_by_strtod(void **state) {
  (void)state;
  static const char *const texts[] = {"-0",
                                      "5.",
                                      ".5",
                                      "+1",
                                      "1e-400",
                                      "4.9406564584124654e-324",
                                      "1.7976931348623157e308",
                                      "9007199254740993",
                                      "123456789e22",
                                      "123456789e23",
                                      "0.1",
                                      "1e23",
                                      "18446744073709551616",
                                      "00000000000000000000000001.5",
                                      "0e99999999999"};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) check_number(texts[k]);
  random_source source = {1};
  for (int k = 0; k < 20000; k++) {
    char text[64];
    const double value = random_uniform(&source, -1, 1) * pow(10, random_integer(&source, -30, 30));
    snprintf(text, sizeof text, "%.*g", random_integer(&source, 1, 19), value);
    check_number(text);
  }
}

static void numbers_of_over_a_thousand_characters_are_refused(void **state) {
  (void)state;
  char text[1200] = "a\n0.";
  memset(text + 4, '3', 1100);
  flg_csv_table table;
  flg_error error = {0};
  assert_int_equal(parse(text, NULL, &table, &error), FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "too long"));
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
  flg_csv_table table = table_of("a\n0.12345678901234567\n");
  assert_true(table.values[0] == 0.12345678901234567);
  flg_csv_release(&table);
  uselocale(before);
  freelocale(comma);
}

static void files_that_cannot_be_read_are_told(void **state) {
  (void)state;
  flg_csv_table table;
  flg_error error = {0};
  assert_int_equal(flg_csv_read("/nowhere/x.csv", NULL, &table, &error), FLG_ERR_MISSING);
  assert_non_null(strstr(error.message, "/nowhere/x.csv"));
  assert_int_equal(flg_csv_read("/tmp", NULL, &table, &error), FLG_ERR_MISSING);
  assert_non_null(strstr(error.message, "folder"));
}

static void file_over_the_limit_is_refused_before_it_is_read(void **state) {
  (void)state;
  char path[] = "/tmp/flange-csv-XXXXXX";
  const int descriptor = mkstemp(path);
  assert_true(descriptor >= 0 && ftruncate(descriptor, ((off_t)256 << 20) + 1) == 0);
  close(descriptor);
  flg_csv_table table;
  flg_error error = {0};
  const flg_status status = flg_csv_read(path, NULL, &table, &error);
  unlink(path);
  assert_int_equal(status, FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "256 MiB"));
}

/* seconds to read a header and then the same line over and over, about that many bytes */
static double reading_time(const char *header, const char *line, size_t bytes) {
  char *text = malloc(bytes + strlen(header) + strlen(line) + 2);
  assert_non_null(text);
  size_t size = (size_t)sprintf(text, "%s", header);
  while (size < bytes) size += (size_t)sprintf(text + size, "%s", line);
  const clock_t before = clock();
  flg_csv_table table;
  assert_int_equal(flg_csv_parse("large", text, size, NULL, &table, NULL), FLG_OK);
  const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
  flg_csv_release(&table);
  free(text);
  return seconds;
}

static void time_to_read_grows_with_the_size_alone(void **state) {
  (void)state;
  static const struct {
    const char *header, *line;
  } cases[] = {
      {"a\n", "1\n"}, {"a,b,c\n", "0.12345678901234567,-1.5,2e-3\n"}, {"a\n1\n", "# comment\n\n"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const double small = reading_time(cases[k].header, cases[k].line, 1 << 20);
    const double large = reading_time(cases[k].header, cases[k].line, 16 << 20);
    assert_true(large < 16 * 8 * (small + 1e-3));
  }
}

static void many_names_are_compared_in_no_time(void **state) {
  (void)state;
  const size_t columns = 200000;
  char *text = malloc(columns * 16);
  assert_non_null(text);
  size_t size = 0;
  for (size_t k = 0; k < columns; k++) {
    size += (size_t)sprintf(text + size, "c%zu%c", k, k + 1 < columns ? ',' : '\n');
  }
  for (size_t k = 0; k < columns; k++) size += (size_t)sprintf(text + size, k == 0 ? "1" : ",1");
  flg_csv_table table;
  const clock_t before = clock();
  assert_int_equal(flg_csv_parse("wide", text, size, NULL, &table, NULL), FLG_OK);
  assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 10);
  assert_int_equal(table.columns, columns);
  flg_csv_release(&table);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_has_names_units_and_rows),
      cmocka_unit_test(comments_blank_lines_mark_and_line_ends_make_no_difference),
      cmocka_unit_test(comments_are_kept_without_their_marks),
      cmocka_unit_test(quoted_names_may_hold_separators_and_quotes),
      cmocka_unit_test(mistakes_are_told_with_their_place),
      cmocka_unit_test(zero_bytes_are_refused_as_binary),
      cmocka_unit_test(first_column_has_to_increase_if_asked),
      cmocka_unit_test(options_allow_what_is_refused_else),
      cmocka_unit_test(numbers_are_rounded_as_by_strtod),
      cmocka_unit_test(numbers_of_over_a_thousand_characters_are_refused),
      cmocka_unit_test(decimal_comma_of_the_locale_changes_nothing),
      cmocka_unit_test(files_that_cannot_be_read_are_told),
      cmocka_unit_test(file_over_the_limit_is_refused_before_it_is_read),
      cmocka_unit_test(time_to_read_grows_with_the_size_alone),
      cmocka_unit_test(many_names_are_compared_in_no_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
