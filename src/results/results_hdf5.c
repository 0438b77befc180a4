/* Results as HDF5, readable by any version since 1.8. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_reserve.h"
#include "flange/version.h"
#include "results/hdf5_library.h"
#include "results/hdf5_printing.h"
#include "results/ordered_file.h"
#include "results/results_format.h"

/* A chunk: 16 KiB a signal, less if there are so many that short runs would be mostly padding. */
enum { MAX_CHUNK_BYTES = 16 << 10, MIN_CHUNK_BYTES = 4 << 10, CHUNKS_BYTES = 4 << 20 };

/* Metadata in memory: a header and B-tree nodes a signal; the most that HDF5 takes. */
enum { SET_METADATA_BYTES = 12 << 10, MAX_METADATA_BYTES = 128 << 20 };

typedef struct column_set {
  hid_t dataset;
  size_t first, width; /* of its columns in a row */
  int rank;            /* 1: a scalar, 2 */
} column_set;

typedef struct hdf5_file {
  flg_ordered_file *ordered;
  hid_t id;
  hid_t text; /* type of strings: UTF-8 of any length */
  char *path;
  size_t columns;    /* 1 + w */
  hsize_t rows;      /* so far */
  column_set list;   /* of the list: no dataset if there is none */
  hsize_t list_rows; /* so far */
  int set_count;     /* signals, and time as the last one */
  column_set sets[];
} hdf5_file;

/* ---- errors ---- */

static flg_status memory_fail(const char *path, flg_error *error) {
  return flg_fail(error, FLG_ERR_MEMORY, "No memory is left for the results file '%s'.", path);
}

/* what HDF5 was asked to do, and what it says of it */
static flg_status hdf5_fail(const char *path, const char *task, const char *object,
                            flg_error *error) {
  if (flg_hdf5_lacks_memory()) return memory_fail(path, error);
  return flg_fail(error, FLG_ERR_OUTPUT, "The results file '%s': HDF5 cannot %s%s: %s.", path, task,
                  object, flg_hdf5_reason());
}

/* ---- what is there before the first row ---- */

static bool texts_put(const hdf5_file *file, hid_t object, const char *name,
                      const char *const *texts, int count) {
  const hsize_t size = (hsize_t)count;
  const hid_t space = count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
  const hid_t attribute = H5Acreate2(object, name, file->text, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool is_put = attribute >= 0 && H5Awrite(attribute, file->text, texts) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  return is_put;
}

static bool hdf5_text_put(const hdf5_file *file, hid_t object, const char *name, const char *text) {
  if (text == NULL) text = "";
  return texts_put(file, object, name, &text, 0);
}

static bool components_put(const hdf5_file *file, hid_t object, const flg_signal *signal) {
  if (signal->components == NULL) return true;
  return texts_put(file, object, "components", signal->components, signal->width);
}

static hsize_t chunk_rows(size_t width, int set_count) {
  size_t bytes = CHUNKS_BYTES / (size_t)set_count;
  if (bytes > MAX_CHUNK_BYTES) bytes = MAX_CHUNK_BYTES;
  if (bytes < MIN_CHUNK_BYTES) bytes = MIN_CHUNK_BYTES;
  hsize_t rows = 16;
  while (2 * rows * width * sizeof(double) <= bytes) rows *= 2;
  return rows;
}

/* no times of change: equal runs give equal files */
static hid_t dataset_create(hid_t file, const char *name, int rank, size_t width, hsize_t rows) {
  const hsize_t size[2] = {0, width}, limit[2] = {H5S_UNLIMITED, width}, chunk[2] = {rows, width};
  const hid_t space = H5Screate_simple(rank, size, limit);
  const hid_t links = H5Pcreate(H5P_LINK_CREATE), layout = H5Pcreate(H5P_DATASET_CREATE);
  hid_t dataset = -1;
  if (space >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
      H5Pset_char_encoding(links, H5T_CSET_UTF8) >= 0 && H5Pset_chunk(layout, rank, chunk) >= 0 &&
      H5Pset_obj_track_times(layout, 0) >= 0) {
    dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, links, layout, H5P_DEFAULT);
  }
  if (links >= 0) H5Pclose(links);
  if (layout >= 0) H5Pclose(layout);
  if (space >= 0) H5Sclose(space);
  return dataset;
}

static bool set_create(hdf5_file *file, column_set *set, const flg_signal *signal) {
  set->width = (size_t)signal->width;
  set->rank = signal->components == NULL && signal->width == 1 ? 1 : 2;
  set->dataset = dataset_create(file->id, signal->name, set->rank, set->width,
                                chunk_rows(set->width, file->set_count));
  return set->dataset >= 0 && hdf5_text_put(file, set->dataset, "unit", signal->unit) &&
         components_put(file, set->dataset, signal);
}

static flg_status sets_create(hdf5_file *file, const flg_results_header *header, flg_error *error) {
  const flg_signal time = {.name = "time", .unit = "s", .width = 1};
  size_t column = 1;
  for (int k = 0; k < file->set_count; k++) {
    const bool is_time = k == header->signal_count;
    const flg_signal *signal = is_time ? &time : &header->signals[k];
    file->sets[k].first = is_time ? 0 : column;
    if (!set_create(file, &file->sets[k], signal)) {
      return hdf5_fail(file->path, "create the signal ", signal->name, error);
    }
    column += file->sets[k].width;
  }
  return FLG_OK;
}

static flg_status list_create(hdf5_file *file, const flg_results_header *header, flg_error *error) {
  if (header->list == NULL || set_create(file, &file->list, header->list)) return FLG_OK;
  return hdf5_fail(file->path, "create the list ", header->list->name, error);
}

static flg_status attributes_put(const hdf5_file *file, const flg_results_header *header,
                                 flg_error *error) {
  if (hdf5_text_put(file, file->id, "flange_version", FLG_VERSION) &&
      hdf5_text_put(file, file->id, "name", header->name) &&
      hdf5_text_put(file, file->id, "scenario", header->scenario) &&
      hdf5_text_put(file, file->id, "status", "running") &&
      (header->scene == NULL || (hdf5_text_put(file, file->id, "scene", header->scene) &&
                                 hdf5_text_put(file, file->id, "summary", NULL))) &&
      (header->legend == NULL || hdf5_text_put(file, file->id, "legend", header->legend)) &&
      (header->created == NULL || hdf5_text_put(file, file->id, "created", header->created))) {
    return FLG_OK;
  }
  return hdf5_fail(file->path, "write the attributes of ", "the file", error);
}

/* ---- rows ---- */

static flg_status file_commit(hdf5_file *file, flg_error *error) {
  if (H5Fflush(file->id, H5F_SCOPE_GLOBAL) < 0) {
    return hdf5_fail(file->path, "write to ", "the file", error);
  }
  return flg_ordered_file_commit(file->ordered, error);
}

/* a set out of a table (count x columns), after the rows that it has */
static bool set_append(const column_set *set, hsize_t rows_before, const double *rows, size_t count,
                       size_t columns) {
  const hsize_t extent[2] = {rows_before + count, set->width}, start[2] = {rows_before, 0};
  const hsize_t block[2] = {count, set->width};
  const hsize_t table[2] = {count, columns}, corner[2] = {0, set->first};
  if (H5Dset_extent(set->dataset, extent) < 0) return false;
  const hid_t there = H5Dget_space(set->dataset), here = H5Screate_simple(2, table, NULL);
  const bool is_put =
      H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, block, NULL) >= 0 &&
      H5Sselect_hyperslab(here, H5S_SELECT_SET, corner, NULL, block, NULL) >= 0 &&
      H5Dwrite(set->dataset, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, rows) >= 0;
  if (there >= 0) H5Sclose(there);
  if (here >= 0) H5Sclose(here);
  return is_put;
}

static flg_status sets_append(hdf5_file *file, int first, int end, const double *rows, size_t count,
                              flg_error *error) {
  for (int k = first; k < end; k++) {
    if (set_append(&file->sets[k], file->rows, rows, count, file->columns)) continue;
    return hdf5_fail(file->path, "append rows to ", "the file", error);
  }
  return file_commit(file, error);
}

static flg_status hdf5_append(void *opened, const double *rows, size_t count, flg_error *error) {
  hdf5_file *file = opened;
  if (!flg_memory_reserve(FLG_HDF5_ROWS_BYTES)) return memory_fail(file->path, error);
  const flg_hdf5_printing host = flg_hdf5_printing_stop();
  const int time = file->set_count - 1;
  flg_status status = time > 0 ? sets_append(file, 0, time, rows, count, error) : FLG_OK;
  if (status == FLG_OK) status = sets_append(file, time, time + 1, rows, count, error);
  if (status == FLG_OK) file->rows += count;
  flg_hdf5_printing_resume(&host);
  return status;
}

static flg_status hdf5_append_list(void *opened, const double *entries, size_t count,
                                   flg_error *error) {
  hdf5_file *file = opened;
  if (!flg_memory_reserve(FLG_HDF5_ROWS_BYTES)) return memory_fail(file->path, error);
  const flg_hdf5_printing host = flg_hdf5_printing_stop();
  flg_status status = FLG_OK;
  if (!set_append(&file->list, file->list_rows, entries, count, file->list.width)) {
    status = hdf5_fail(file->path, "append to the list of ", "the file", error);
  }
  if (status == FLG_OK) status = file_commit(file, error);
  if (status == FLG_OK) file->list_rows += count;
  flg_hdf5_printing_resume(&host);
  return status;
}

/* ---- life ---- */

/* If HDF5 will not let go of the file, neither can we: its driver may still be called at exit. */
static flg_status file_release(hdf5_file *file, bool ends, flg_error *error) {
  flg_status status = FLG_OK;
  if (file->text >= 0) H5Tclose(file->text);
  if (file->id >= 0 && H5Fclose(file->id) < 0) {
    status = hdf5_fail(file->path, "close ", "the file", error);
  } else {
    status = flg_ordered_file_close(file->ordered, ends, error);
  }
  free(file->path);
  free(file);
  return status;
}

static hdf5_file *file_allocate(const char *path, const flg_results_header *header) {
  const size_t set_count = (size_t)header->signal_count + 1;
  hdf5_file *file = calloc(1, sizeof *file + set_count * sizeof(column_set));
  char *copy = strdup(path);
  if (file == NULL || copy == NULL) {
    free(file);
    free(copy);
    return NULL;
  }
  file->id = file->text = -1;
  file->path = copy;
  file->columns = flg_results_columns(header);
  file->set_count = (int)set_count;
  return file;
}

/* HDF5 keeps 2 MiB of metadata unless told more; all of ours has to fit, for it is all in use */
static bool cache_size(hid_t access, int set_count) {
  H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
  if (H5Pget_mdc_config(access, &config) < 0) return false;
  size_t bytes = (size_t)set_count * SET_METADATA_BYTES;
  if (bytes <= config.initial_size) return true;
  if (bytes > MAX_METADATA_BYTES) bytes = MAX_METADATA_BYTES;
  config.set_initial_size = 1;
  config.initial_size = config.min_size = bytes;
  if (config.max_size < bytes) config.max_size = bytes;
  return H5Pset_mdc_config(access, &config) >= 0;
}

static flg_status file_create(hdf5_file *file, bool writes_over, flg_error *error) {
  const size_t needed = FLG_HDF5_OPEN_BYTES + (size_t)file->set_count * SET_METADATA_BYTES;
  if (!flg_memory_reserve(needed)) return memory_fail(file->path, error);
  const flg_status status = flg_ordered_file_open(&file->ordered, file->path, writes_over, error);
  if (status != FLG_OK) return status;
  const hid_t access = flg_ordered_file_access(file->ordered);
  if (access >= 0) {
    if (cache_size(access, file->set_count))
      file->id = H5Fcreate(file->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
  }
  file->text = H5Tcopy(H5T_C_S1);
  if (file->id >= 0 && file->text >= 0 && H5Tset_size(file->text, H5T_VARIABLE) >= 0 &&
      H5Tset_cset(file->text, H5T_CSET_UTF8) >= 0) {
    return FLG_OK;
  }
  return hdf5_fail(file->path, "create ", "the file", error);
}

static flg_status file_fill(hdf5_file *file, const flg_results_header *header, flg_error *error) {
  flg_status status = file_create(file, header->writes_over, error);
  if (status == FLG_OK) status = attributes_put(file, header, error);
  if (status == FLG_OK) status = list_create(file, header, error);
  if (status == FLG_OK) status = sets_create(file, header, error);
  if (status == FLG_OK) status = file_commit(file, error);
  return status == FLG_OK ? flg_ordered_file_publish(file->ordered, error) : status;
}

static flg_status hdf5_open(void **opened, const char *path, const flg_results_header *header,
                            flg_error *error) {
  flg_status status = flg_hdf5_open(error);
  if (status != FLG_OK) return status;
  hdf5_file *file = file_allocate(path, header);
  if (file == NULL) return memory_fail(path, error);
  const flg_hdf5_printing host = flg_hdf5_printing_stop();
  status = file_fill(file, header, error);
  if (status == FLG_OK) {
    *opened = file;
  } else {
    file_release(file, false, NULL);
  }
  flg_hdf5_printing_resume(&host);
  return status;
}

/* of an attribute that is there */
static flg_status text_change(hdf5_file *file, const char *name, const char *text,
                              flg_error *error) {
  const hid_t attribute = H5Aopen(file->id, name, H5P_DEFAULT);
  const bool is_put = attribute >= 0 && H5Awrite(attribute, file->text, &text) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (!is_put) return hdf5_fail(file->path, "write to the file its ", name, error);
  return file_commit(file, error);
}

static flg_status hdf5_summarise(void *opened, const char *summary, flg_error *error) {
  hdf5_file *file = opened;
  const flg_hdf5_printing host = flg_hdf5_printing_stop();
  flg_status status = FLG_OK;
  if (H5Aexists(file->id, "summary") > 0) status = text_change(file, "summary", summary, error);
  flg_hdf5_printing_resume(&host);
  return status;
}

static flg_status hdf5_close(void *opened, const char *status, flg_error *error) {
  hdf5_file *file = opened;
  const flg_hdf5_printing host = flg_hdf5_printing_stop();
  flg_status outcome = status == NULL ? FLG_OK : text_change(file, "status", status, error);
  const bool ends = status != NULL && outcome == FLG_OK;
  const flg_status released = file_release(file, ends, outcome == FLG_OK ? error : NULL);
  if (outcome == FLG_OK) outcome = released;
  flg_hdf5_printing_resume(&host);
  return outcome;
}

const flg_results_format flg_results_hdf5 = {.open = hdf5_open,
                                             .append = hdf5_append,
                                             .append_list = hdf5_append_list,
                                             .summarise = hdf5_summarise,
                                             .close = hdf5_close};
