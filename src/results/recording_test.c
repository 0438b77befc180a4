/* Results are read again as they were written; what is no results file is refused with a reason. */
#include "results/recording.h"

#include <hdf5.h>

#include "files.h"
#include "results/results.h"

enum { ROWS = 1000, WIDTH = 3, LIST = 2 };

static test_folder folder;
static flg_error error;
static flg_recording recording;

static int setup(void **state) {
  (void)state;
  folder = make_folder();
  return 0;
}

static int teardown(void **state) {
  (void)state;
  flg_recording_release(&recording);
  remove_folder(&folder);
  return 0;
}

static double value_at(int row, int column) {
  return sin(row) * 1e3 + column / 7.0;
}

/* a list with as many entries at a row as its number modulo 3 */
static int write_rows(flg_results *results, int rows) {
  int entries = 0;
  for (int k = 0; k < rows; k++) {
    double values[1 + WIDTH];
    for (int j = 0; j <= WIDTH; j++) values[j] = value_at(k, j);
    for (int j = 0; j < k % 3; j++, entries++) {
      const double entry[LIST] = {k, j};
      assert_int_equal(flg_results_add(results, entry, &error), FLG_OK);
    }
    assert_int_equal(flg_results_write(results, 0.25 * k, values, &error), FLG_OK);
  }
  return entries;
}

static const char *write_file(const char *name, int *entries) {
  static const char *const xyz[] = {"x", "y", "z"}, *const words[] = {"row", "what"};
  static const flg_signal list = {"@view/contacts", NULL, LIST, words};
  const flg_signal signals[] = {{"arm/energy", "J", 1, NULL}, {"arm/tool.position", "m", 3, xyz}};
  const flg_results_header header = {.name = "a <b>",
                                     .scenario = "flange: 1\n",
                                     .scene = "{\"version\": 1}",
                                     .signals = signals,
                                     .signal_count = 2,
                                     .list = &list};
  const char *path = make_file(&folder, name, "");
  flg_results *results;
  assert_int_equal(flg_results_open(&results, path, &header, &error), FLG_OK);
  *entries = write_rows(results, ROWS);
  assert_int_equal(flg_results_summarise(results, "{\"coupling\": \"hold\"}", &error), FLG_OK);
  assert_int_equal(flg_results_close(results, "complete", &error), FLG_OK);
  return path;
}

static void results_are_read_again(void **state) {
  (void)state;
  int entries;
  const char *path = write_file("a.h5", &entries);
  assert_int_equal(flg_recording_open(&recording, path, &error), FLG_OK);
  assert_string_equal(recording.name, "a <b>");
  assert_string_equal(recording.status, "complete");
  assert_string_equal(recording.scene, "{\"version\": 1}");
  assert_string_equal(recording.summary, "{\"coupling\": \"hold\"}");
  assert_int_equal(recording.rows, ROWS);
  assert_int_equal(recording.signal_count, 2);
  const int tool = flg_recording_find(&recording, "arm/tool.position");
  assert_true(tool >= 0);
  assert_int_equal(flg_recording_find(&recording, "arm/none"), -1);
  const flg_signal *signal = &recording.signals[tool];
  assert_int_equal(signal->width, 3);
  assert_string_equal(signal->unit, "m");
  assert_string_equal(signal->components[2], "z");
  double values[5 * WIDTH], times[5];
  assert_int_equal(recording.read(&recording, tool, 100, 5, 7, values, &error), FLG_OK);
  assert_int_equal(recording.read(&recording, FLG_RECORDING_TIME, 100, 5, 7, times, &error),
                   FLG_OK);
  for (int k = 0; k < 5; k++) {
    assert_true(times[k] == 0.25 * (100 + 7 * k));
    for (int j = 0; j < WIDTH; j++) {
      assert_true(values[WIDTH * k + j] == value_at(100 + 7 * k, 1 + j));
    }
  }
}

static void the_list_has_all_entries_in_order(void **state) {
  (void)state;
  int entries;
  const char *path = write_file("a.h5", &entries);
  assert_int_equal(flg_recording_open(&recording, path, &error), FLG_OK);
  assert_int_equal(recording.list.width, LIST);
  assert_int_equal(recording.list_rows, entries);
  double *list = calloc((size_t)entries * LIST, sizeof *list);
  assert_non_null(list);
  assert_int_equal(recording.read(&recording, FLG_RECORDING_LIST, 0, entries, 1, list, &error),
                   FLG_OK);
  int at = 0;
  for (int k = 0; k < ROWS; k++) {
    for (int j = 0; j < k % 3; j++, at++) {
      assert_true(list[LIST * at] == k && list[LIST * at + 1] == j);
    }
  }
  free(list);
}

static void csv_leaves_the_list_out(void **state) {
  (void)state;
  int entries;
  write_file("a.csv", &entries);
  assert_true(entries > 0);
}

static void assert_refused(const char *path, flg_status status, const char *part) {
  assert_int_equal(flg_recording_open(&recording, path, &error), status);
  if (strstr(error.message, part) == NULL) fail_msg("%s", error.message);
  flg_recording_release(&recording);
}

static void what_is_no_results_file_is_refused(void **state) {
  (void)state;
  assert_refused("/no/such/file.h5", FLG_ERR_MISSING, "No such file");
  assert_refused(make_file(&folder, "text.h5", "time [s],a\n"), FLG_ERR_INPUT, "not HDF5");
  const char *path = make_file(&folder, "other.h5", "");
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0);
  H5Fclose(file);
  assert_refused(path, FLG_ERR_INPUT, "it has no times");
}

/* What a full disk leaves behind gives a reason. Spoilt metadata is not tried: HDF5 1.10 itself
 * does not survive it. */
static void cut_files_are_refused(void **state) {
  (void)state;
  int entries;
  const char *path = write_file("a.h5", &entries);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  static char bytes[1 << 20];
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  const char *other = make_file(&folder, "cut.h5", "");
  for (int k = 1; k < 20; k++) {
    file = fopen(other, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size * (size_t)k / 20, file), size * (size_t)k / 20);
    fclose(file);
    assert_refused(other, FLG_ERR_INPUT, "no results file");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(results_are_read_again, setup, teardown),
      cmocka_unit_test_setup_teardown(the_list_has_all_entries_in_order, setup, teardown),
      cmocka_unit_test_setup_teardown(csv_leaves_the_list_out, setup, teardown),
      cmocka_unit_test_setup_teardown(what_is_no_results_file_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(cut_files_are_refused, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
