/* The layout of an HDF5 results file, its manners towards the host, and that it is valid after each
 * single write: not only at the moments that a killed run happens to hit. */
#include <fcntl.h>
#include <hdf5.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "flange/version.h"
#include "results/results.h"

enum { WIDTH = 16, PAGE_BYTES = 4096 };

static char path[60], image_path[70];

/* ---- every write of the library, recorded by standing in for the system's own ---- */

typedef struct write_record {
  off_t offset;
  size_t size;
  unsigned char *bytes;
  size_t safe_rows; /* flushed before it */
} write_record;

static write_record records[20000];
static size_t record_count, safe_rows;
static bool is_recording;

static void record(off_t offset, size_t size, const void *bytes) {
  if (!is_recording) return;
  assert_true(record_count < sizeof records / sizeof records[0]);
  write_record *added = &records[record_count++];
  *added = (write_record){.offset = offset, .size = size, .safe_rows = safe_rows};
  added->bytes = malloc(size);
  assert_non_null(added->bytes);
  memcpy(added->bytes, bytes, size);
}

/* a killed process may have its write stopped between pages */
static void record_pages(off_t offset, size_t size, const void *bytes) {
  const unsigned char *byte = bytes;
  while (size > 0) {
    const size_t room = PAGE_BYTES - (size_t)offset % PAGE_BYTES, piece = size < room ? size : room;
    record(offset, piece, byte);
    offset += (off_t)piece;
    byte += piece;
    size -= piece;
  }
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  record_pages(offset, size, bytes);
  if (lseek(descriptor, offset, SEEK_SET) != offset) return -1;
  return write(descriptor, bytes, size);
}

static int replay(int image, const write_record *next) {
  return lseek(image, next->offset, SEEK_SET) == next->offset &&
                 write(image, next->bytes, next->size) == (ssize_t)next->size
             ? 0
             : -1;
}

/* ---- a run, and looking at what it left ---- */

static double value_of(size_t row, size_t column) {
  random_source source = {row * WIDTH + column};
  return random_uniform(&source, -1, 1);
}

static void rows_write(flg_results *results, size_t first, size_t count) {
  double values[WIDTH];
  for (size_t k = first; k < first + count; k++) {
    for (size_t c = 0; c < WIDTH; c++) values[c] = value_of(k, c);
    assert_int_equal(flg_results_write(results, (double)k, values, NULL), FLG_OK);
  }
  assert_int_equal(flg_results_flush(results, NULL), FLG_OK);
  safe_rows = first + count;
}

static size_t dataset_rows(hid_t dataset) {
  const hid_t space = H5Dget_space(dataset);
  hsize_t size[2] = {0};
  assert_true(H5Sget_simple_extent_dims(space, size, NULL) >= 1);
  H5Sclose(space);
  return size[0];
}

/* rows [first, first + count) of a dataset */
static void dataset_read(hid_t dataset, size_t width, size_t first, size_t count, double *values) {
  const hsize_t start[2] = {first, 0}, block[2] = {count, width};
  const hid_t there = H5Dget_space(dataset), here = H5Screate_simple(2, block, NULL);
  H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, block, NULL);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, values) >= 0);
  H5Sclose(there);
  H5Sclose(here);
}

static void check_rows(hid_t time, hid_t signal, size_t first, size_t count) {
  double times[64], values[64 * WIDTH];
  dataset_read(time, 1, first, count, times);
  dataset_read(signal, WIDTH, first, count, values);
  for (size_t k = 0; k < count; k++) {
    assert_true(times[k] == (double)(first + k));
    for (size_t c = 0; c < WIDTH; c++) assert_true(values[k * WIDTH + c] == value_of(first + k, c));
  }
}

/* the last rows, and some others anywhere */
static void check_image(const write_record *last, random_source *source) {
  const hid_t file = H5Fopen(image_path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t time = H5Dopen2(file, "time", H5P_DEFAULT),
              signal = H5Dopen2(file, "a/b", H5P_DEFAULT);
  assert_true(time >= 0 && signal >= 0);
  const size_t rows = dataset_rows(time);
  assert_true(rows >= last->safe_rows && dataset_rows(signal) >= rows);
  if (rows >= 64) {
    check_rows(time, signal, rows - 64, 64);
    for (int k = 0; k < 3; k++) {
      check_rows(time, signal, (size_t)random_integer(source, 0, (int)rows - 64), 64);
    }
  }
  H5Dclose(time);
  H5Dclose(signal);
  H5Fclose(file);
}

/* Long enough for the B-tree of the chunks to split its root, and then two leaves. */
static void file_is_valid_after_every_single_write(void **state) {
  (void)state;
  const flg_signal signal = {"a/b", "m", WIDTH, NULL};
  const flg_results_header header = {.signals = &signal, .signal_count = 1};
  flg_results *results = NULL;
  assert_int_equal(flg_results_open(&results, path, &header, NULL), FLG_OK);
  const int file = open(path, O_RDONLY), image = open(image_path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  unsigned char start[1 << 16];
  const ssize_t size = read(file, start, sizeof start);
  assert_true(size > 0 && size < (ssize_t)sizeof start);
  assert_int_equal(write(image, start, (size_t)size), size);
  close(file);
  is_recording = true;
  const size_t chunks = 200, chunk_rows = 128, step = 300;
  for (size_t k = 0; k < chunks * chunk_rows; k += step) rows_write(results, k, step);
  assert_int_equal(flg_results_close(results, NULL, NULL), FLG_OK);
  is_recording = false;
  random_source source = {3};
  for (size_t k = 0; k < record_count; k++) {
    assert_int_equal(replay(image, &records[k]), 0);
    check_image(&records[k], &source);
    free(records[k].bytes);
  }
  assert_true(record_count > 500);
  close(image);
}

/* ---- layout and manners ---- */

static void text_read(hid_t object, const char *name, int index, char *text, size_t size) {
  char *texts[3] = {NULL};
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
  assert_true(H5Aread(attribute, type, (void *)texts) >= 0);
  snprintf(text, size, "%s", texts[index]);
  for (int k = 0; k < 3; k++) H5free_memory(texts[k]);
  H5Tclose(type);
  H5Aclose(attribute);
}

static void check_text(hid_t object, const char *name, int index, const char *expected) {
  static char text[200000];
  text_read(object, name, index, text, sizeof text);
  assert_string_equal(text, expected);
}

static const char *const xyz[] = {"x", "y", "z"};

static void signals_lie_at_their_paths_with_units_and_components(void **state) {
  (void)state;
  static char scenario[150000]; /* more than the 64 KiB of an attribute */
  memset(scenario, 's', sizeof scenario - 1);
  const flg_signal signals[] = {{"hand/box/U.position", "m", 3, xyz},
                                {"hand/energy", NULL, 1, NULL}};
  const flg_results_header header = {.name = "\xc3\xbc",
                                     .scenario = scenario,
                                     .created = "today",
                                     .signals = signals,
                                     .signal_count = 2};
  flg_results *results = NULL;
  assert_int_equal(flg_results_open(&results, path, &header, NULL), FLG_OK);
  const double values[] = {1, 2, 3, 4};
  assert_int_equal(flg_results_write(results, 0.5, values, NULL), FLG_OK);
  assert_int_equal(flg_results_close(results, "diverged", NULL), FLG_OK);

  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t position = H5Dopen2(file, "/hand/box/U.position", H5P_DEFAULT);
  const hid_t energy = H5Dopen2(file, "/hand/energy", H5P_DEFAULT);
  const hid_t time = H5Dopen2(file, "/time", H5P_DEFAULT), space = H5Dget_space(energy);
  check_text(file, "flange_version", 0, FLG_VERSION);
  check_text(file, "name", 0, "\xc3\xbc");
  check_text(file, "scenario", 0, scenario);
  check_text(file, "created", 0, "today");
  check_text(file, "status", 0, "diverged");
  check_text(position, "unit", 0, "m");
  check_text(position, "components", 2, "z");
  check_text(energy, "unit", 0, "");
  check_text(time, "unit", 0, "s");
  assert_int_equal(H5Aexists(energy, "components"), 0);
  assert_int_equal(H5Sget_simple_extent_ndims(space), 1);
  double read[3];
  dataset_read(position, 3, 0, 1, read);
  assert_memory_equal(read, values, sizeof read);
  H5Sclose(space);
  H5Fclose(file);
  H5Dclose(position);
  H5Dclose(energy);
  H5Dclose(time);
}

static int complaints;

static herr_t complain(hid_t stack, void *data) {
  (void)stack, (void)data;
  complaints++;
  return 0;
}

static void signal_inside_a_signal_is_told_and_leaves_the_hosts_error_printing_alone(void **state) {
  (void)state;
  H5E_auto2_t before, after;
  void *data_before, *data_after;
  H5Eget_auto2(H5E_DEFAULT, &before, &data_before);
  H5Eset_auto2(H5E_DEFAULT, complain, &complaints);
  const flg_signal signals[] = {{"arm", "m", 1, NULL}, {"arm/joint", "m", 1, NULL}};
  const flg_results_header header = {.signals = signals, .signal_count = 2};
  flg_results *results = NULL;
  flg_error error = {0};
  assert_int_equal(flg_results_open(&results, path, &header, &error), FLG_ERR_OUTPUT);
  assert_non_null(strstr(error.message, "HDF5 cannot create the signal arm/joint: "));
  assert_non_null(strstr(error.message, path));
  H5Eget_auto2(H5E_DEFAULT, &after, &data_after);
  H5Eset_auto2(H5E_DEFAULT, before, data_before);
  assert_true(after == complain && data_after == &complaints);
  assert_int_equal(complaints, 0);
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void device_is_refused(void **state) {
  (void)state;
  unlink(path);
  assert_int_equal(symlink("/dev/full", path), 0);
  flg_results *results = NULL;
  flg_error error = {0};
  const flg_results_header header = {.signal_count = 0};
  const flg_status status = flg_results_open(&results, path, &header, &error);
  unlink(path);
  assert_int_equal(status, FLG_ERR_OUTPUT);
  assert_non_null(strstr(error.message, "is a device or a pipe"));
}

static int paths_make(void **state) {
  (void)state;
  snprintf(path, sizeof path, "/tmp/flange-results-%ld.h5", (long)getpid());
  snprintf(image_path, sizeof image_path, "/tmp/flange-image-%ld.h5", (long)getpid());
  return 0;
}

static int paths_remove(void **state) {
  (void)state;
  unlink(path);
  unlink(image_path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(file_is_valid_after_every_single_write),
      cmocka_unit_test(signals_lie_at_their_paths_with_units_and_components),
      cmocka_unit_test(signal_inside_a_signal_is_told_and_leaves_the_hosts_error_printing_alone),
      cmocka_unit_test(device_is_refused),
  };
  return cmocka_run_group_tests(tests, paths_make, paths_remove);
}
