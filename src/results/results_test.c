/* What holds for results in every format: rows come back bitwise, killed runs leave readable files,
 * and full disks are told. */
#include "results/results.h"

#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "text/csv.h"

#ifndef KILLS
#define KILLS 20 /* of each format; more by hand */
#endif

enum { COLUMNS = 8, PATH_BYTES = 200, MAX_READ_ROWS = 400000 };

static const char *const extensions[] = {"csv", "h5"};
static const char *const xyz[] = {"x", "y", "z"};
static const flg_signal signals[] = {{"hand/box/U.position", "m", 3, xyz},
                                     {"hand/energy", "J", 1, NULL},
                                     {"arm.position", "rad", 2, NULL},
                                     {"odd, \"name\"", NULL, 1, NULL}};
static const flg_results_header header = {.name = "capture",
                                          .scenario = "flange: 1\nname: capture\n",
                                          .signals = signals,
                                          .signal_count = 4};

static flg_results *left_open; /* not a leak: what a host that gives up leaves behind */
static char folder[] = "/tmp/flange-results-XXXXXX";

static const char *path_of(const char *extension) {
  static char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/run.%s", folder, extension);
  return path;
}

/* column c of row k; column 0 is the time. Bits of all kinds, the same whenever asked. */
static double value_of(size_t k, int c) {
  if (c == 0) return (double)k / 60;
  random_source source = {k * COLUMNS + (size_t)c};
  if (c == 1) return (double)random_integer(&source, -50, 50) / 10;
  const double scale = c == 2 ? 1e300 : c == 3 ? 1e-310 : 1;
  return random_uniform(&source, -1, 1) * scale;
}

static flg_status row_write(flg_results *results, size_t k, flg_error *error) {
  double values[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) values[c] = value_of(k, c);
  return flg_results_write(results, values[0], values + 1, error);
}

/* ---- reading back by other means ---- */

/* rows, of which there are `rows`, and how it ended ("": it did not); true if it could be read */
typedef struct reading {
  size_t rows;
  double *values; /* (rows x COLUMNS) */
  char status[40];
} reading;

static bool csv_load(const char *path, reading *read) {
  const flg_csv_options options = {
      .allow_no_rows = true, .drop_torn_line = true, .allow_nonfinite = true};
  flg_csv_table table;
  flg_error error = {0};
  if (flg_csv_read(path, &options, &table, &error) != FLG_OK) {
    print_message("%s\n", error.message);
    return false;
  }
  assert_int_equal(table.columns, COLUMNS);
  read->rows = table.rows;
  memcpy(read->values, table.values, table.rows * COLUMNS * sizeof(double));
  const char *status = strstr(table.comments, "\nstatus: ");
  if (status != NULL) sscanf(status, "\nstatus: %39s", read->status);
  flg_csv_release(&table);
  return true;
}

/* the first `rows` rows of a dataset into the columns from `column` */
static bool dataset_load(hid_t file, const char *name, int column, reading *read) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  if (dataset < 0) return false;
  const hid_t there = H5Dget_space(dataset);
  hsize_t size[2] = {0, 1};
  H5Sget_simple_extent_dims(there, size, NULL);
  if (column == 0) read->rows = size[0];
  const hsize_t start[2] = {0, column}, block[2] = {read->rows, size[1]}, zero[2] = {0, 0};
  const hsize_t table[2] = {read->rows, COLUMNS};
  const hid_t here = H5Screate_simple(2, table, NULL);
  bool is_read = size[0] >= read->rows;
  if (is_read && read->rows > 0) {
    H5Sselect_hyperslab(there, H5S_SELECT_SET, zero, NULL, block, NULL);
    H5Sselect_hyperslab(here, H5S_SELECT_SET, start, NULL, block, NULL);
    is_read = H5Dread(dataset, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, read->values) >= 0;
  }
  H5Sclose(here);
  H5Sclose(there);
  H5Dclose(dataset);
  return is_read;
}

static void text_load(hid_t file, const char *name, char *text, size_t size) {
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT), type = H5Aget_type(attribute);
  char *loaded = NULL;
  if (H5Aread(attribute, type, &loaded) >= 0 && loaded != NULL) snprintf(text, size, "%s", loaded);
  H5free_memory(loaded);
  H5Tclose(type);
  H5Aclose(attribute);
}

static bool hdf5_load(const char *path, reading *read) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return false;
  int column = 1;
  bool is_read = dataset_load(file, "time", 0, read);
  for (int s = 0; s < header.signal_count; s++) {
    is_read = is_read && dataset_load(file, signals[s].name, column, read);
    column += signals[s].width;
  }
  text_load(file, "status", read->status, sizeof read->status);
  if (strcmp(read->status, "running") == 0) read->status[0] = '\0';
  H5Fclose(file);
  return is_read;
}

static bool results_load(const char *path, reading *read) {
  static double values[(size_t)MAX_READ_ROWS * COLUMNS];
  *read = (reading){.values = values};
  const char *extension = strrchr(path, '.');
  return strcmp(extension, ".csv") == 0 ? csv_load(path, read) : hdf5_load(path, read);
}

/* reads, and compares every row with what was written */
static reading check_file(const char *path) {
  reading read;
  if (!results_load(path, &read)) fail_msg("%s cannot be read", path);
  for (size_t k = 0; k < read.rows; k++) {
    for (int c = 0; c < COLUMNS; c++) {
      const double expected = value_of(k, c);
      assert_memory_equal(&read.values[k * COLUMNS + (size_t)c], &expected, sizeof expected);
    }
  }
  return read;
}

/* ---- the tests ---- */

static void rows_come_back_bitwise_and_in_order(void **state) {
  (void)state;
  static const size_t counts[] = {0, 1, 5000, 20000};
  for (size_t format = 0; format < 2; format++) {
    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
      const char *path = path_of(extensions[format]);
      flg_results *results = NULL;
      assert_int_equal(flg_results_open(&results, path, &header, NULL), FLG_OK);
      for (size_t k = 0; k < counts[n]; k++) {
        assert_int_equal(row_write(results, k, NULL), FLG_OK);
        if (k % 777 == 0) assert_int_equal(flg_results_flush(results, NULL), FLG_OK);
      }
      assert_int_equal(flg_results_close(results, "complete", NULL), FLG_OK);
      const reading read = check_file(path);
      assert_int_equal(read.rows, counts[n]);
      assert_string_equal(read.status, "complete");
    }
  }
}

static void rows_reach_the_file_within_about_a_second(void **state) {
  (void)state;
  const struct timespec wait = {.tv_sec = 1, .tv_nsec = 50000000};
  for (size_t format = 0; format < 2; format++) {
    const char *path = path_of(extensions[format]);
    flg_results *results = NULL;
    assert_int_equal(flg_results_open(&results, path, &header, NULL), FLG_OK);
    assert_int_equal(row_write(results, 0, NULL), FLG_OK);
    assert_int_equal(check_file(path).rows, 0);
    nanosleep(&wait, NULL);
    assert_int_equal(row_write(results, 1, NULL), FLG_OK);
    const reading read = check_file(path);
    assert_int_equal(read.rows, 2);
    assert_string_equal(read.status, "");
    assert_int_equal(flg_results_close(results, "interrupted", NULL), FLG_OK);
    assert_string_equal(check_file(path).status, "interrupted");
  }
}

static void run_closed_without_a_status_is_not_whole(void **state) {
  (void)state;
  for (size_t format = 0; format < 2; format++) {
    const char *path = path_of(extensions[format]);
    flg_results *results = NULL;
    assert_int_equal(flg_results_open(&results, path, &header, NULL), FLG_OK);
    assert_int_equal(row_write(results, 0, NULL), FLG_OK);
    assert_int_equal(flg_results_close(results, NULL, NULL), FLG_OK);
    const reading read = check_file(path);
    assert_int_equal(read.rows, 1);
    assert_string_equal(read.status, "");
  }
  assert_int_equal(flg_results_close(NULL, "complete", NULL), FLG_OK);
}

static void equal_runs_give_equal_files(void **state) {
  (void)state;
  for (size_t format = 0; format < 2; format++) {
    char bytes[2][100000];
    size_t size[2] = {0};
    for (int run = 0; run < 2; run++) {
      const char *path = path_of(extensions[format]);
      flg_results *results = NULL;
      assert_int_equal(flg_results_open(&results, path, &header, NULL), FLG_OK);
      for (size_t k = 0; k < 100; k++) assert_int_equal(row_write(results, k, NULL), FLG_OK);
      assert_int_equal(flg_results_close(results, "complete", NULL), FLG_OK);
      FILE *file = fopen(path, "rb");
      assert_non_null(file);
      size[run] = fread(bytes[run], 1, sizeof bytes[run], file);
      fclose(file);
    }
    assert_true(size[0] == size[1] && size[0] > 1000);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
  }
}

static void check_open_fails(const char *path, const flg_results_header *given, flg_status status,
                             const char *reason) {
  flg_results *results = NULL;
  flg_error error = {0};
  assert_int_equal(flg_results_open(&results, path, given, &error), status);
  assert_null(results);
  if (strstr(error.message, reason) == NULL) fail_msg("'%s' lacks '%s'", error.message, reason);
}

static void paths_that_cannot_be_written_are_told_at_open(void **state) {
  (void)state;
  check_open_fails("run.txt", &header, FLG_ERR_USAGE, "expected .csv, .h5 or .hdf5");
  check_open_fails("run", &header, FLG_ERR_USAGE, "'run' has no known extension");
  check_open_fails(".csv", &header, FLG_ERR_USAGE, "extension");
  for (size_t format = 0; format < 2; format++) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/nowhere/run.%s", extensions[format]);
    check_open_fails(path, &header, FLG_ERR_OUTPUT, "its folder does not exist");
    snprintf(path, sizeof path, "%s/folder.%s", folder, extensions[format]);
    assert_int_equal(mkdir(path, 0777), 0);
    check_open_fails(path, &header, FLG_ERR_OUTPUT, "it is a folder");
    snprintf(path, sizeof path, "/proc/version/run.%s", extensions[format]);
    check_open_fails(path, &header, FLG_ERR_OUTPUT, "Not a directory");
  }
}

/* root may write anywhere, so a child gives up that right first */
static void missing_permission_is_told_at_open(void **state) {
  (void)state;
  for (size_t format = 0; format < 2; format++) {
    const char *path = path_of(extensions[format]);
    unlink(path);
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      flg_results *results = NULL;
      flg_error error = {0};
      const bool is_plain = geteuid() != 0 || setuid(65534) == 0;
      const int mode = chmod(folder, 0555);
      (void)mode;
      const bool is_refused = flg_results_open(&results, path, &header, &error) == FLG_ERR_OUTPUT &&
                              strstr(error.message, "Permission denied") != NULL &&
                              strstr(error.message, path) != NULL;
      _exit(is_plain && is_refused ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    chmod(folder, 0700);
    assert_int_equal(status, 0);
  }
}

static void other_files_are_left_as_they_are(void **state) {
  (void)state;
  for (size_t format = 0; format < 2; format++) {
    const char *path = path_of(extensions[format]);
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputs("time [s],torque [N m]\n0,1\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    check_open_fails(path, &header, FLG_ERR_OUTPUT, "holds no results; it is left as it is");
    struct stat information;
    assert_true(stat(path, &information) == 0 && information.st_size == 26);
    assert_false(flg_results_may_replace(path));
    flg_results_header over = header;
    over.writes_over = true;
    flg_results *results = NULL;
    assert_int_equal(flg_results_open(&results, path, &over, NULL), FLG_OK);
    assert_int_equal(flg_results_close(results, "complete", NULL), FLG_OK);
    assert_true(flg_results_may_replace(path));
  }
}

/* locks belong to processes */
static void a_file_has_one_writer(void **state) {
  (void)state;
  for (size_t format = 0; format < 2; format++) {
    const char *path = path_of(extensions[format]);
    flg_results *results = NULL;
    assert_int_equal(flg_results_open(&results, path, &header, NULL), FLG_OK);
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      flg_results *second = NULL;
      flg_error error = {0};
      const flg_status opened = flg_results_open(&second, path, &header, &error);
      _exit(opened == FLG_ERR_OUTPUT && strstr(error.message, "another run") != NULL ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(flg_results_close(results, "complete", NULL), FLG_OK);
  }
}

static void signals_that_would_spoil_the_file_are_refused(void **state) {
  (void)state;
  static const char *const holes[] = {"x", ""};
  static const struct {
    flg_signal signal;
    const char *reason;
  } cases[] = {{{NULL, NULL, 1, NULL}, "cannot be called ''"},
               {{"", NULL, 1, NULL}, "cannot be called ''"},
               {{"time", NULL, 1, NULL}, "other than 'time'"},
               {{"a//b", NULL, 1, NULL}, "'a//b'"},
               {{"a/../b", NULL, 1, NULL}, "'a/../b'"},
               {{"/a", NULL, 1, NULL}, "'/a'"},
               {{"a/", NULL, 1, NULL}, "'a/'"},
               {{"a\nb", NULL, 1, NULL}, "one line"},
               {{"a", "m]", 1, NULL}, "bracket"},
               {{"a", "m", 0, NULL}, "width 0"},
               {{"a", "m", 2, holes}, "Component 1"}};
  for (size_t format = 0; format < 2; format++) {
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
      const flg_results_header given = {.signals = &cases[k].signal, .signal_count = 1};
      check_open_fails(path_of(extensions[format]), &given, FLG_ERR_RANGE, cases[k].reason);
    }
    const flg_signal twice[] = {{"b", NULL, 1, NULL}, {"a", NULL, 1, NULL}, {"b", NULL, 1, NULL}};
    const flg_results_header given = {.signals = twice, .signal_count = 3};
    check_open_fails(path_of(extensions[format]), &given, FLG_ERR_RANGE,
                     "'b' is to be recorded twice");
  }
}

/* ---- killed runs ---- */

/* writes until killed; after each flush tells how many rows are safe */
static void run_forever(const char *path, int report) {
  flg_results *results = NULL;
  if (flg_results_open(&results, path, &header, NULL) != FLG_OK) _exit(1);
  for (size_t k = 0; k < MAX_READ_ROWS; k++) {
    if (row_write(results, k, NULL) != FLG_OK) _exit(1);
    if (k % 97 != 0) continue;
    const size_t safe = k + 1;
    if (flg_results_flush(results, NULL) != FLG_OK) _exit(1);
    if (write(report, &safe, sizeof safe) != (ssize_t)sizeof safe) _exit(1);
  }
  _exit(1);
}

/* kills a writer some microseconds after its first rows; rows that it had said to be safe */
static size_t run_and_kill(const char *path, long microseconds) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  (void)fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) run_forever(path, ends[1]);
  close(ends[1]);
  size_t safe = 0, next;
  assert_int_equal(read(ends[0], &next, sizeof next), sizeof next);
  const struct timespec wait = {.tv_nsec = microseconds * 1000};
  nanosleep(&wait, NULL);
  kill(child, SIGKILL);
  do safe = next;
  while (read(ends[0], &next, sizeof next) == (ssize_t)sizeof next);
  close(ends[0]);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  return safe;
}

static void killed_runs_leave_readable_files(void **state) {
  (void)state;
  random_source source = {(uint64_t)time(NULL)};
  for (size_t format = 0; format < 2; format++) {
    for (int k = 0; k < KILLS; k++) {
      const char *path = path_of(extensions[format]);
      const size_t safe = run_and_kill(path, random_integer(&source, 0, 60000));
      const reading read = check_file(path);
      assert_string_equal(read.status, "");
      if (read.rows < safe) fail_msg("%s: %zu rows of %zu", path, read.rows, safe);
    }
  }
}

/* ---- full disks ---- */

/* writes rows until one fails or all are written; the first failure */
static flg_status run_until_failure(const char *path, size_t rows, flg_error *error) {
  flg_results *results = NULL;
  flg_status status = flg_results_open(&results, path, &header, error);
  if (status != FLG_OK) return status;
  for (size_t k = 0; k < rows && status == FLG_OK; k++) {
    status = row_write(results, k, error);
    if (status == FLG_OK && k % 100 == 0) status = flg_results_flush(results, error);
  }
  const flg_status repeated = flg_results_write(results, 0, (double[COLUMNS]){0}, NULL);
  if (status != FLG_OK) assert_int_equal(repeated, status);
  const flg_status closed = flg_results_close(results, "complete", status == FLG_OK ? error : NULL);
  if (status != FLG_OK) assert_int_equal(closed, status);
  return closed;
}

/* A limit on the size of files fails the writes past it, wherever in the run that falls. */
static void limit_on_file_size_fails_cleanly_wherever_it_is(void **state) {
  (void)state;
  struct rlimit old;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  for (size_t format = 0; format < 2; format++) {
    for (rlim_t size = 0; size < 160000; size += size < 3000 ? 101 : 1511) {
      const char *path = path_of(extensions[format]);
      flg_error error = {0};
      unlink(path);
      const struct rlimit limit = {.rlim_cur = size, .rlim_max = old.rlim_max};
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
      const flg_status status = run_until_failure(path, 2000, &error);
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
      assert_int_equal(status, FLG_ERR_OUTPUT);
      assert_non_null(strstr(error.message, path));
      assert_non_null(strstr(error.message, "File too large"));
      if (size > 30000) {
        const reading read = check_file(path);
        assert_string_equal(read.status, "");
        assert_true(read.rows > 0 || size < 150000);
      }
    }
  }
  signal(SIGXFSZ, handler);
}

/* in a child, with its exit and all that HDF5 does there: it must end well, in time and in silence
 */
static void check_full_disk(const char *path, const char *printed, bool is_closed) {
  (void)fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(30);
    const int descriptor = open(printed, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(descriptor, 1);
    dup2(descriptor, 2);
    flg_error error = {0};
    flg_results *results = NULL;
    bool is_told = false;
    if (is_closed) {
      is_told = run_until_failure(path, 100000, &error) == FLG_ERR_OUTPUT;
    } else if (flg_results_open(&results, path, &header, &error) == FLG_OK) {
      for (size_t k = 0; k < 100000 && !is_told; k++) is_told = row_write(results, k, &error) != 0;
      left_open = results;
    }
    is_told = is_told && (is_closed || left_open != NULL) &&
              strstr(error.message, "No space left on device") != NULL;
    exit(is_told ? 0 : 1); /* NOLINT(concurrency-mt-unsafe): there is one thread */
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  struct stat information;
  assert_int_equal(stat(printed, &information), 0);
  assert_int_equal(information.st_size, 0);
}

static void full_disk_is_told_without_a_word_from_hdf5(void **state) {
  (void)state;
  char disk[PATH_BYTES], path[PATH_BYTES + 20], printed[PATH_BYTES];
  snprintf(disk, sizeof disk, "%s/disk", folder);
  snprintf(printed, sizeof printed, "%s/printed", folder);
  assert_int_equal(mkdir(disk, 0777), 0);
  if (mount("none", disk, "tmpfs", 0, "size=256k") != 0) {
    print_message("skipped: only root may mount a small disk to fill\n");
    rmdir(disk);
    skip();
  }
  for (int k = 0; k < 4; k++) {
    snprintf(path, sizeof path, "%s/run.%s", disk, extensions[k / 2]);
    check_full_disk(path, printed, k % 2 == 0);
    const reading read = check_file(path);
    assert_string_equal(read.status, "");
    if (k % 2 == 0) assert_true(read.rows > 0);
    unlink(path);
  }
}

static int folder_make(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL;
}

static int folder_remove(void **state) {
  (void)state;
  static const char *const names[] = {"disk",       "run.csv",   "run.h5",
                                      "folder.csv", "folder.h5", "printed"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, names[k]);
    if (k == 0) umount(path); /* if it was mounted */
    (void)remove(path);
  }
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_come_back_bitwise_and_in_order),
      cmocka_unit_test(rows_reach_the_file_within_about_a_second),
      cmocka_unit_test(run_closed_without_a_status_is_not_whole),
      cmocka_unit_test(equal_runs_give_equal_files),
      cmocka_unit_test(paths_that_cannot_be_written_are_told_at_open),
      cmocka_unit_test(missing_permission_is_told_at_open),
      cmocka_unit_test(other_files_are_left_as_they_are),
      cmocka_unit_test(a_file_has_one_writer),
      cmocka_unit_test(signals_that_would_spoil_the_file_are_refused),
      cmocka_unit_test(killed_runs_leave_readable_files),
      cmocka_unit_test(limit_on_file_size_fails_cleanly_wherever_it_is),
      cmocka_unit_test(full_disk_is_told_without_a_word_from_hdf5),
  };
  return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
