/* An HDF5 file with any groups, datasets and attributes, by the instructions that the bytes are, or
 * a table of any bytes (the first is c): both are results that can be read, or refused with a
 * sentence. The bytes of HDF5 itself are left to its library. */
#include <hdf5.h>
#include <stdbool.h>
#include <string.h>

#include "files.h"
#include "results/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS_MAX = 4, WIDTH_READ = 4096 };

typedef struct source {
  const uint8_t *data;
  size_t left;
} source;

static void demand(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static unsigned take(source *from) {
  if (from->left == 0) return 0;
  from->left--;
  return *from->data++;
}

/* ---- the file ---- */

static const char *const names[] = {"time", "a", "b/position", "b", "@view/contacts", "@view"};
static const char *const words[] = {"flange_version", "unit",    "components", "name",
                                    "status",         "summary", "scene",      "scenario"};

static hid_t take_type(source *from, bool *is_text) {
  const unsigned kind = take(from) % 6;
  *is_text = kind == 4;
  if (kind < 2) return H5Tcopy(H5T_NATIVE_DOUBLE);
  if (kind == 2) return H5Tcopy(H5T_NATIVE_FLOAT);
  if (kind == 3) return H5Tcopy(H5T_NATIVE_INT);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, kind == 4 ? H5T_VARIABLE : 1 + take(from) % 9);
  return type;
}

static hid_t take_space(source *from, hsize_t *count) {
  const int rank = (int)(take(from) % 4);
  hsize_t size[3] = {take(from) % 20, take(from) % 8, take(from) % 3};
  *count = 1;
  for (int k = 0; k < rank; k++) *count *= size[k];
  return rank == 0 && take(from) % 2 ? H5Screate(H5S_NULL) : H5Screate_simple(rank, size, NULL);
}

static void add_attribute(hid_t object, source *from) {
  bool is_text;
  hsize_t count;
  const char *name = words[take(from) % 8];
  const hid_t type = take_type(from, &is_text), space = take_space(from, &count);
  const hid_t made = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  char text[4] = {(char)take(from), (char)take(from), 'x', '\0'};
  const char *texts[20 * 8 * 3];
  for (int k = 0; k < 20 * 8 * 3; k++) texts[k] = text;
  if (made >= 0 && is_text) H5Awrite(made, type, texts);
  if (made >= 0) H5Aclose(made);
  H5Sclose(space);
  H5Tclose(type);
}

static void add_dataset(hid_t file, source *from) {
  bool is_text;
  hsize_t count;
  const char *name = names[take(from) % 6];
  const hid_t type = take_type(from, &is_text), space = take_space(from, &count);
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t made = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  for (unsigned k = take(from) % 3; made >= 0 && k > 0; k--) add_attribute(made, from);
  if (made >= 0) H5Dclose(made);
  H5Pclose(links);
  H5Sclose(space);
  H5Tclose(type);
}

static void add_link(hid_t file, source *from) {
  const char *to = names[take(from) % 6], *name = names[take(from) % 6];
  switch (take(from) % 3) {
    case 0:
      H5Lcreate_soft(to, file, name, H5P_DEFAULT, H5P_DEFAULT);
      break;
    case 1:
      H5Lcreate_hard(file, take(from) % 2 ? "/" : to, file, name, H5P_DEFAULT, H5P_DEFAULT);
      break;
    default:
      H5Lcreate_external("/dev/null", to, file, name, H5P_DEFAULT, H5P_DEFAULT);
  }
}

static void make_hdf5(const char *path, source *from) {
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  demand(file >= 0, "no file");
  while (from->left > 0) {
    const unsigned what = take(from) % 4;
    if (what == 0) add_attribute(file, from);
    if (what == 1) add_link(file, from);
    if (what > 1) add_dataset(file, from);
  }
  H5Fclose(file);
}

/* ---- reading ---- */

static void read_some(const flg_recording *recording, int signal, int width, int64_t rows) {
  flg_error error = {.status = FLG_OK};
  const int64_t count = rows < ROWS_MAX ? rows : ROWS_MAX;
  demand(width >= 1 && rows >= 0, "no width");
  if (width > WIDTH_READ) return;
  double *values = malloc(sizeof *values * ROWS_MAX * (size_t)width);
  demand(values != NULL, "no memory");
  const flg_status status = recording->read(recording, signal, 0, count, 1, values, &error);
  demand(status == FLG_OK || error.message[0] != '\0', "no sentence");
  if (rows > 0) recording->read(recording, signal, rows - 1, 1, 1, values, &error);
  free(values);
}

static void check(const flg_recording *recording) {
  demand(strlen(recording->version) + strlen(recording->status) + 1 > 0, "no texts");
  read_some(recording, FLG_RECORDING_TIME, 1, recording->rows);
  for (int k = 0; k < recording->signal_count; k++) {
    const flg_signal *signal = &recording->signals[k];
    demand(flg_recording_find(recording, signal->name) >= 0, "a signal without a name");
    for (int j = 0; signal->components != NULL && j < signal->width; j++) {
      demand(signal->components[j] != NULL, "a component without a name");
    }
    read_some(recording, k, signal->width, recording->rows);
  }
  if (recording->list.width > 0) {
    read_some(recording, FLG_RECORDING_LIST, recording->list.width, recording->list_rows);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *hdf5, *csv;
  if (size == 0) return 0;
  if (hdf5 == NULL) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hdf5 = name_file("results.h5"), csv = name_file("results.csv");
  }
  flg_recording recording;
  flg_error error = {.status = FLG_OK};
  flg_status status;
  if (data[0] == 'c') {
    write_file(csv, data + 1, size - 1);
    status = flg_recording_open_csv(&recording, csv, &error);
  } else {
    source from = {data + 1, size - 1};
    make_hdf5(hdf5, &from);
    status = flg_recording_open(&recording, hdf5, &error);
  }
  demand(status == FLG_OK || error.message[0] != '\0', "no sentence");
  if (status == FLG_OK) check(&recording);
  flg_recording_release(&recording);
  return 0;
}
