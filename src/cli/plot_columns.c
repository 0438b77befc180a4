#include "cli/plot_columns.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/closest.h"
#include "results/results_format.h"

static flg_status no_memory_for_columns(flg_error *error) {
  return flg_fail(error, FLG_ERR_MEMORY, "There is no memory left.");
}

/* --- files ----------------------------------------------------------------------------------- */

static bool column_ends_in(const char *word, const char *ending) {
  const char *dot = strrchr(word, '.');
  return dot != NULL && strcasecmp(dot, ending) == 0;
}

bool flg_plot_is_file(const char *word) {
  return column_ends_in(word, ".h5") || column_ends_in(word, ".hdf5") ||
         column_ends_in(word, ".csv");
}

flg_status flg_plot_file_open(flg_plot_file *file, const char *path, flg_region *region,
                              flg_error *error) {
  flg_recording *recording = &file->recording;
  const char *slash = strrchr(path, '/');
  file->label = slash == NULL ? path : slash + 1;
  const flg_status status = column_ends_in(path, ".csv")
                                ? flg_recording_open_csv(recording, path, error)
                                : flg_recording_open(recording, path, error);
  if (status != FLG_OK) return status;
  file->x = flg_region_take(region, (size_t)recording->rows + 1, sizeof *file->x);
  if (file->x == NULL) return no_memory_for_columns(error);
  return recording->read(recording, FLG_RECORDING_TIME, 0, recording->rows, 1, file->x, error);
}

/* --- columns --------------------------------------------------------------------------------- */

typedef struct search {
  const flg_plot_file *file;
  flg_growing *columns;
  flg_region *region;
  flg_error *error;
} search;

/* where components have units of their own, the signal has none */
static const char *column_unit_of(const flg_signal *signal, int component) {
  static const char *const units[][2] = {{"fx", "N"},      {"fy", "N"},       {"fz", "N"},
                                         {"mx", "N m"},    {"my", "N m"},     {"mz", "N m"},
                                         {"angle", "rad"}, {"distance", "m"}, {"slide", "m"}};
  if (signal->unit != NULL && signal->unit[0] != '\0') return signal->unit;
  const char *dot = strrchr(signal->name, '.');
  const char *part = signal->components != NULL ? signal->components[component]
                     : dot == NULL              ? ""
                                                : dot + 1;
  for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
    if (strcmp(part, units[k][0]) == 0) return units[k][1];
  }
  return "";
}

static flg_status add_column(const search *in, int index, int component, const double *all) {
  const flg_recording *from = &in->file->recording;
  const flg_signal *signal = &from->signals[index];
  char number[12];
  const bool is_scalar = signal->width == 1 && signal->components == NULL;
  const char *part = is_scalar ? "" : flg_signal_component(signal, component, number);
  flg_plot_column *column = flg_growing_add(in->columns, sizeof *column, in->region);
  double *values = flg_region_take(in->region, (size_t)from->rows + 1, sizeof *values);
  if (column == NULL || values == NULL) return no_memory_for_columns(in->error);
  for (int64_t k = 0; k < from->rows; k++) values[k] = all[k * signal->width + component];
  *column = (flg_plot_column){
      .name = flg_region_format(in->region, "%s%s%s", signal->name, is_scalar ? "" : ".", part),
      .unit = column_unit_of(signal, component),
      .values = values};
  return FLG_OK;
}

/* one component, or all of them (-1) */
static flg_status add_signal_column(const search *in, int index, int component) {
  const flg_recording *from = &in->file->recording;
  const flg_signal *signal = &from->signals[index];
  const size_t count = (size_t)from->rows * (size_t)signal->width;
  double *all = flg_region_take(in->region, count + 1, sizeof *all);
  if (all == NULL) return no_memory_for_columns(in->error);
  flg_status status = from->read(from, index, 0, from->rows, 1, all, in->error);
  for (int k = 0; k < signal->width && status == FLG_OK; k++) {
    if (component < 0 || k == component) status = add_column(in, index, k, all);
  }
  return status;
}

static int component_named(const flg_signal *signal, const char *name) {
  for (int k = 0; k < signal->width; k++) {
    char number[12];
    if (strcmp(flg_signal_component(signal, k, number), name) == 0) return k;
  }
  return -1;
}

/* all signals "name.x"; how many there are */
static flg_status add_prefixed(const search *in, const char *name, size_t length, int *count) {
  const flg_recording *from = &in->file->recording;
  flg_status status = FLG_OK;
  *count = 0;
  for (int k = 0; k < from->signal_count && status == FLG_OK; k++) {
    const char *other = from->signals[k].name;
    if (strncmp(other, name, length) != 0 || other[length] != '.' ||
        strchr(other + length + 1, '.') != NULL) {
      continue;
    }
    status = add_signal_column(in, k, -1);
    ++*count;
  }
  return status;
}

static flg_status no_signal(const search *in, const char *name) {
  const flg_recording *file = &in->file->recording;
  flg_closest closest = flg_closest_begin(name);
  for (int k = 0; k < file->signal_count; k++) {
    if (file->signals[k].name[0] != '@') flg_closest_offer(&closest, file->signals[k].name);
  }
  char hint[FLG_HINT_TEXT];
  return flg_fail(in->error, FLG_ERR_USAGE, "there is no signal '%s' in '%s'%s", name, file->path,
                  closest.word == NULL ? "; 'flange plot FILE --list' names them"
                                       : flg_closest_text(&closest, hint));
}

flg_status flg_plot_columns_find(const flg_plot_file *file, const char *name, flg_growing *columns,
                                 bool *is_norm, flg_region *region, flg_error *error) {
  const search in = {file, columns, region, error};
  const flg_recording *from = &file->recording;
  const char *dot = strrchr(name, '.');
  *is_norm = false;
  int index = flg_recording_find(from, name), count;
  if (index >= 0) return add_signal_column(&in, index, -1);
  flg_status status = add_prefixed(&in, name, strlen(name), &count);
  if (status != FLG_OK || count > 0) return status;
  if (dot == NULL) return no_signal(&in, name);
  const size_t length = (size_t)(dot - name);
  const char *head = flg_region_text(region, name, length);
  if (head == NULL) return no_memory_for_columns(error);
  *is_norm = strcmp(dot + 1, "norm") == 0;
  index = flg_recording_find(from, head);
  if (index >= 0 && *is_norm) return add_signal_column(&in, index, -1);
  const int component = index < 0 ? -1 : component_named(&from->signals[index], dot + 1);
  if (component >= 0) return add_signal_column(&in, index, component);
  if (*is_norm) {
    status = add_prefixed(&in, name, length, &count);
    if (status != FLG_OK || count > 0) return status;
  }
  return no_signal(&in, name);
}

flg_status flg_plot_columns_join(flg_growing *columns, const char *name, int64_t rows,
                                 flg_region *region, flg_error *error) {
  flg_plot_column *list = columns->items;
  double *norms = flg_region_take(region, (size_t)rows + 1, sizeof *norms);
  if (norms == NULL) return no_memory_for_columns(error);
  for (int c = 0; c < columns->count; c++) {
    if (strcmp(list[c].unit, list[0].unit) != 0) {
      return flg_fail(error, FLG_ERR_USAGE,
                      "'%s' has no meaning: its components are in '%s' and '%s'", name,
                      list[0].unit, list[c].unit);
    }
    for (int64_t k = 0; k < rows; k++) norms[k] = hypot(norms[k], list[c].values[k]);
  }
  list[0] = (flg_plot_column){name, list[0].unit, norms};
  columns->count = 1;
  return FLG_OK;
}
