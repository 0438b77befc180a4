#include "results/recording.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/given.h"
#include "base/growing.h"
#include "base/input_file.h"
#include "base/memory_reserve.h"
#include "results/hdf5_library.h"
#include "results/hdf5_printing.h"
#include "results/results.h"

enum { TEXT_MAX = 64 << 20, NAME_MAX_BYTES = 4096 };
static const char contact_list[] = "@view/contacts";

/* a dataset (rows x width) of numbers */
typedef struct column_set {
  hid_t dataset;
  int rank;
  int64_t rows;
} column_set;

typedef struct recording_file {
  hid_t id;
  column_set time, list;
  column_set *sets; /* (signals) */
} recording_file;

typedef struct reader {
  flg_recording *to;
  recording_file *file;
  flg_growing signals, sets;
  flg_error *error;
} reader;

static flg_status recording_memory_fail(const char *path, flg_error *error) {
  return flg_fail(error, FLG_ERR_MEMORY, "There is no memory to read '%s'.", path);
}

static flg_status refuse_recording(const flg_recording *recording, const char *why,
                                   flg_error *error) {
  if (flg_hdf5_lacks_memory()) return recording_memory_fail(recording->path, error);
  return flg_fail(error, FLG_ERR_INPUT, "'%s' is no results file of 'flange run -o FILE.h5': %s.",
                  recording->path, why);
}

/* ---- texts ---- */

/* a string of any length, or an array of `count` of them; false if the attribute is none */
static bool recording_read_texts(hid_t object, const char *name, int count, const char **texts,
                                 flg_region *region) {
  if (H5Aexists(object, name) <= 0) return false;
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  char **read = calloc((size_t)count, sizeof *read);
  bool is_read = read != NULL && type >= 0 && H5Tis_variable_str(type) > 0 &&
                 H5Sget_simple_extent_npoints(space) == count &&
                 H5Aread(attribute, type, read) >= 0;
  for (int k = 0; k < count && is_read; k++) {
    const char *text = read[k] == NULL ? "" : read[k];
    const size_t length = strlen(text);
    texts[k] = length > TEXT_MAX ? NULL : flg_region_text(region, text, length);
  }
  for (int k = 0; k < count && is_read; k++) {
    H5free_memory(read[k]);
    is_read = texts[k] != NULL;
  }
  free(read);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (attribute >= 0) H5Aclose(attribute);
  return is_read;
}

static const char *read_hdf5_text(hid_t object, const char *name, flg_region *region) {
  const char *text = "";
  return recording_read_texts(object, name, 1, &text, region) ? text : "";
}

/* ---- datasets ---- */

/* false: not numbers, or of a shape that results do not have */
static bool open_set(hid_t file, const char *path, column_set *set, int *width) {
  *set = (column_set){.dataset = H5Dopen2(file, path, H5P_DEFAULT)};
  if (set->dataset < 0) return false;
  const hid_t space = H5Dget_space(set->dataset), type = H5Dget_type(set->dataset);
  hsize_t size[2] = {0, 1};
  set->rank = H5Sget_simple_extent_ndims(space);
  bool is_set = H5Tget_class(type) == H5T_FLOAT && (set->rank == 1 || set->rank == 2) &&
                H5Sget_simple_extent_dims(space, size, NULL) == set->rank && size[1] >= 1 &&
                size[1] <= FLG_SIGNAL_MAX_WIDTH && size[0] <= INT64_MAX / 8 / FLG_SIGNAL_MAX_WIDTH;
  H5Sclose(space);
  H5Tclose(type);
  set->rows = (int64_t)size[0];
  *width = (int)size[1];
  if (!is_set) H5Dclose(set->dataset), set->dataset = -1;
  return is_set;
}

static flg_signal recording_describe(const column_set *set, const char *name, int width,
                                     flg_region *region) {
  flg_signal signal = {.name = flg_region_text(region, name, strlen(name)),
                       .unit = read_hdf5_text(set->dataset, "unit", region),
                       .width = width};
  const char **components = flg_region_take(region, (size_t)width, sizeof *components);
  if (components != NULL &&
      recording_read_texts(set->dataset, "components", width, components, region)) {
    signal.components = components;
  }
  return signal;
}

/* one object of the file; others than datasets of numbers are passed over */
static herr_t recording_visit(hid_t group, const char *name, const H5O_info_t *information,
                              void *context) {
  reader *read = context;
  flg_region *region = &read->to->region;
  column_set set;
  int width;
  if (information->type != H5O_TYPE_DATASET || strcmp(name, "time") == 0) return 0;
  if (strlen(name) > NAME_MAX_BYTES || !open_set(group, name, &set, &width)) return 0;
  if (strcmp(name, contact_list) == 0) {
    read->file->list = set;
    read->to->list = recording_describe(&set, name, width, region);
    read->to->list_rows = set.rows;
    return 0;
  }
  if (set.rows < read->to->rows || read->signals.count == FLG_RESULTS_MAX_SIGNALS) {
    H5Dclose(set.dataset);
    return 0;
  }
  flg_signal *signal = flg_growing_add(&read->signals, sizeof *signal, region);
  column_set *kept = flg_growing_add(&read->sets, sizeof *kept, region);
  if (signal == NULL || kept == NULL) return -1;
  *kept = set;
  *signal = recording_describe(&set, name, width, region);
  return signal->name == NULL ? -1 : 0;
}

static herr_t visit_all(hid_t file, reader *read) {
#if H5_VERSION_GE(1, 12, 0)
  return H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, recording_visit, read, H5O_INFO_BASIC);
#else
  return H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, recording_visit, read);
#endif
}

static flg_status read_layout(reader *read) {
  flg_recording *to = read->to;
  recording_file *file = read->file;
  int width;
  if (!open_set(file->id, "time", &file->time, &width) || file->time.rank != 1) {
    return refuse_recording(to, "it has no times", read->error);
  }
  to->rows = file->time.rows;
  to->name = read_hdf5_text(file->id, "name", &to->region);
  to->version = read_hdf5_text(file->id, "flange_version", &to->region);
  to->status = read_hdf5_text(file->id, "status", &to->region);
  to->scene = read_hdf5_text(file->id, "scene", &to->region);
  to->summary = read_hdf5_text(file->id, "summary", &to->region);
  to->scenario = read_hdf5_text(file->id, "scenario", &to->region);
  if (to->version[0] == '\0') return refuse_recording(to, "it does not say so", read->error);
  const herr_t visited = visit_all(file->id, read);
  if (to->region.failed || flg_hdf5_lacks_memory())
    return recording_memory_fail(to->path, read->error);
  if (visited < 0) return refuse_recording(to, flg_hdf5_reason(), read->error);
  to->signals = read->signals.items, to->signal_count = read->signals.count;
  file->sets = read->sets.items;
  return FLG_OK;
}

/* ---- values ---- */

static const column_set *set_of_signal(const flg_recording *recording, int signal) {
  const recording_file *file = recording->source;
  return signal == FLG_RECORDING_TIME   ? &file->time
         : signal == FLG_RECORDING_LIST ? &file->list
                                        : &file->sets[signal];
}

static flg_status read_rows_hdf5(const flg_recording *recording, int signal, int64_t first,
                                 int64_t count, int64_t every, double *values, flg_error *error) {
  const column_set *set = set_of_signal(recording, signal);
  const int width = signal == FLG_RECORDING_TIME   ? 1
                    : signal == FLG_RECORDING_LIST ? recording->list.width
                                                   : recording->signals[signal].width;
  if (count == 0) return FLG_OK;
  if (!flg_memory_reserve(FLG_HDF5_ROWS_BYTES))
    return recording_memory_fail(recording->path, error);
  const hsize_t start[2] = {(hsize_t)first, 0}, stride[2] = {(hsize_t)every, 1};
  const hsize_t block[2] = {(hsize_t)count, (hsize_t)width};
  const flg_hdf5_printing host = flg_hdf5_printing_stop();
  const hid_t there = H5Dget_space(set->dataset), here = H5Screate_simple(2, block, NULL);
  const bool is_read =
      H5Sselect_hyperslab(there, H5S_SELECT_SET, start, stride, block, NULL) >= 0 &&
      H5Dread(set->dataset, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, values) >= 0;
  flg_status status = FLG_OK;
  if (!is_read && flg_hdf5_lacks_memory()) {
    status = recording_memory_fail(recording->path, error);
  } else if (!is_read) {
    status = flg_fail(error, FLG_ERR_INPUT, "'%s' cannot be read: %s.", recording->path,
                      flg_hdf5_reason());
  }
  if (there >= 0) H5Sclose(there);
  if (here >= 0) H5Sclose(here);
  flg_hdf5_printing_resume(&host);
  return status;
}

/* ---- life ---- */

static void close_file(void *opened) {
  recording_file *file = opened;
  const flg_hdf5_printing host = flg_hdf5_printing_stop();
  if (file->id >= 0) H5Fclose(file->id);
  flg_hdf5_printing_resume(&host);
}

/* with all that is open in it at once */
static hid_t open_to_read(const char *path) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  const hid_t id = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  return id;
}

static flg_status open_quietly(flg_recording *recording, recording_file *file, flg_error *error) {
  file->id = open_to_read(recording->path);
  if (file->id < 0) return refuse_recording(recording, "it is not HDF5, or broken", error);
  reader read = {.to = recording, .file = file, .error = error};
  return read_layout(&read);
}

flg_status flg_recording_open(flg_recording *recording, const char *path, flg_error *error) {
  *recording = (flg_recording){.read = read_rows_hdf5};
  flg_region *region = &recording->region;
  recording->path = flg_region_text(region, path, strlen(path));
  recording_file *file = flg_region_take(region, 1, sizeof *file);
  if (recording->path == NULL || file == NULL) {
    return recording_memory_fail(path, error);
  }
  const char *reason = NULL;
  if (!flg_memory_reserve(FLG_HDF5_OPEN_BYTES)) return recording_memory_fail(path, error);
  FILE *tried = flg_input_open(path, &reason);
  if (tried == NULL) {
    return flg_fail(error, FLG_ERR_MISSING, "The results file '%s' cannot be read: %s.", path,
                    reason);
  }
  fclose(tried);
  flg_status status = flg_hdf5_open(error);
  if (status != FLG_OK) return status;
  file->id = -1;
  recording->source = file;
  flg_region_owe(region, close_file, file);
  const flg_hdf5_printing host = flg_hdf5_printing_stop();
  status = open_quietly(recording, file, error);
  flg_hdf5_printing_resume(&host);
  return status;
}

void flg_recording_release(flg_recording *recording) {
  flg_region_release(&recording->region);
  *recording = (flg_recording){0};
}

int flg_recording_find(const flg_recording *recording, const char *name) {
  return FLG_FIND(recording->signals, recording->signal_count, name);
}
