#include "results/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "results/results_format.h"

enum {
  BUFFER_BYTES = 256 << 10,
  MIN_ROWS = 128,
  MAX_ROWS = 4096,
  LIST_ENTRIES = 4096,
  NUMBER_LENGTH = 12,
  REASON_BYTES = 100
};
static const double FLUSH_SECONDS = 1;

static const struct {
  const char *extension;
  const flg_results_format *format;
} formats[] = {
    {".csv", &flg_results_csv}, {".h5", &flg_results_hdf5}, {".hdf5", &flg_results_hdf5}};

struct flg_results {
  const flg_results_format *format;
  void *file;             /* of the format */
  size_t columns;         /* 1 + w */
  size_t count, capacity; /* rows in the buffer, and how many it holds */
  double *list;           /* (LIST_ENTRIES x list_width) entries that wait; NULL: there is none */
  size_t list_width, list_count;
  struct timespec last_flush;
  flg_error failure; /* the first one; FLG_OK as long as all is well */
  double rows[];     /* (capacity x columns) */
};

static const flg_results_format *format_find(const char *path) {
  if (strcmp(path, "-") == 0) return &flg_results_csv;
  const size_t length = strlen(path);
  for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
    const size_t tail = strlen(formats[k].extension);
    if (length > tail && strcasecmp(path + length - tail, formats[k].extension) == 0) {
      return formats[k].format;
    }
  }
  return NULL;
}

const char *flg_signal_component(const flg_signal *signal, int k, char *number) {
  if (signal->components != NULL) return signal->components[k];
  snprintf(number, NUMBER_LENGTH, "%d", k);
  return number;
}

size_t flg_results_columns(const flg_results_header *header) {
  size_t columns = 1;
  for (int k = 0; k < header->signal_count; k++) columns += (size_t)header->signals[k].width;
  return columns;
}

/* ---- the header: what would spoil a file in either format is refused ---- */

static bool is_one_line(const char *text) {
  for (; *text != '\0'; text++) {
    if ((unsigned char)*text < ' ' || *text == 0x7f) return false;
  }
  return true;
}

/* parts between slashes are names, not "", "." or ".." */
static bool is_path(const char *name) {
  while (true) {
    const size_t length = strcspn(name, "/");
    if (length == 0 || (length <= 2 && strspn(name, ".") >= length)) return false;
    if (name[length] == '\0') return true;
    name += length + 1;
  }
}

static flg_status components_check(const flg_signal *signal, flg_error *error) {
  if (signal->width < 1 || signal->width > FLG_SIGNAL_MAX_WIDTH) {
    return flg_fail(error, FLG_ERR_RANGE, "The signal '%s' has width %d, not 1 to %d.",
                    signal->name, signal->width, FLG_SIGNAL_MAX_WIDTH);
  }
  for (int k = 0; signal->components != NULL && k < signal->width; k++) {
    const char *component = signal->components[k];
    if (component != NULL && component[0] != '\0' && is_one_line(component)) continue;
    return flg_fail(error, FLG_ERR_RANGE,
                    "Component %d of the signal '%s' has no name, or one with a line break.", k,
                    signal->name);
  }
  return FLG_OK;
}

static flg_status signal_check(const flg_signal *signal, flg_error *error) {
  const char *name = signal->name;
  if (name == NULL || !is_one_line(name) || !is_path(name) || strcmp(name, "time") == 0) {
    return flg_fail(error, FLG_ERR_RANGE,
                    "A signal cannot be called '%s'; expected names with '/' between them, on one "
                    "line, other than 'time'.",
                    name == NULL ? "" : name);
  }
  if (signal->unit != NULL && (!is_one_line(signal->unit) || strpbrk(signal->unit, "[]"))) {
    return flg_fail(error, FLG_ERR_RANGE,
                    "The unit '%s' of the signal '%s' has a bracket or a line break.", signal->unit,
                    name);
  }
  return components_check(signal, error);
}

static int name_order(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static flg_status names_check(const flg_results_header *header, flg_error *error) {
  const size_t count = (size_t)header->signal_count;
  const char **names = malloc((count + 1) * sizeof *names);
  if (names == NULL) return flg_fail(error, FLG_ERR_MEMORY, "No memory for %zu names.", count);
  for (size_t k = 0; k < count; k++) names[k] = header->signals[k].name;
  qsort(names, count, sizeof *names, name_order);
  flg_status status = FLG_OK;
  for (size_t k = 1; k < count && status == FLG_OK; k++) {
    if (strcmp(names[k - 1], names[k]) != 0) continue;
    status = flg_fail(error, FLG_ERR_RANGE, "The signal '%s' is to be recorded twice.", names[k]);
  }
  free(names);
  return status;
}

static flg_status header_check(const flg_results_header *header, flg_error *error) {
  if (header->signal_count < 0 || header->signal_count > FLG_RESULTS_MAX_SIGNALS) {
    return flg_fail(error, FLG_ERR_RANGE, "%d signals are to be recorded, not 0 to %d.",
                    header->signal_count, FLG_RESULTS_MAX_SIGNALS);
  }
  for (int k = 0; k < header->signal_count; k++) {
    const flg_status status = signal_check(&header->signals[k], error);
    if (status != FLG_OK) return status;
  }
  if (header->list != NULL) {
    const flg_status status = signal_check(header->list, error);
    if (status != FLG_OK) return status;
  }
  return names_check(header, error);
}

/* ---- rows ---- */

static flg_results *results_allocate(size_t columns) {
  size_t capacity = BUFFER_BYTES / (columns * sizeof(double));
  if (capacity < MIN_ROWS) capacity = MIN_ROWS;
  if (capacity > MAX_ROWS) capacity = MAX_ROWS;
  flg_results *results = malloc(sizeof *results + capacity * columns * sizeof(double));
  if (results == NULL) return NULL;
  *results = (flg_results){.columns = columns, .capacity = capacity};
  clock_gettime(CLOCK_MONOTONIC, &results->last_flush);
  return results;
}

static bool list_allocate(flg_results *results, const flg_results_header *header) {
  if (header->list == NULL || results->format->append_list == NULL) return true;
  results->list_width = (size_t)header->list->width;
  results->list = malloc(LIST_ENTRIES * results->list_width * sizeof(double));
  return results->list != NULL;
}

static void results_free(flg_results *results) {
  if (results == NULL) return;
  free(results->list);
  free(results);
}

flg_status flg_results_open(flg_results **results, const char *path,
                            const flg_results_header *header, flg_error *error) {
  const flg_results_format *format = format_find(path);
  if (format == NULL) {
    return flg_fail(
        error, FLG_ERR_USAGE,
        "The results file '%s' has no known extension; expected .csv, .h5 or .hdf5, or - for "
        "CSV on standard output.",
        path);
  }
  flg_status status = header_check(header, error);
  if (status != FLG_OK) return status;
  flg_results *opened = results_allocate(flg_results_columns(header));
  if (opened != NULL) opened->format = format;
  if (opened == NULL || !list_allocate(opened, header)) {
    results_free(opened);
    return flg_fail(error, FLG_ERR_MEMORY, "No memory is left for the results of '%s'.", path);
  }
  status = format->open(&opened->file, path, header, error);
  if (status == FLG_OK) {
    *results = opened;
  } else {
    results_free(opened);
  }
  return status;
}

static bool flush_is_due(flg_results *results) {
  if (results->count == results->capacity) return true;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds = (double)(now.tv_sec - results->last_flush.tv_sec) +
                         1e-9 * (double)(now.tv_nsec - results->last_flush.tv_nsec);
  return seconds >= FLUSH_SECONDS;
}

static flg_status failure_repeat(const flg_results *results, flg_error *error) {
  if (results->failure.status == FLG_OK) return FLG_OK;
  return flg_fail(error, results->failure.status, "%s", results->failure.message);
}

/* the list goes first: a reader never sees a row without its entries */
static void list_flush(flg_results *results) {
  if (results->failure.status != FLG_OK || results->list_count == 0) return;
  results->format->append_list(results->file, results->list, results->list_count,
                               &results->failure);
  results->list_count = 0;
}

flg_status flg_results_add(flg_results *results, const double *values, flg_error *error) {
  if (results->list == NULL) return failure_repeat(results, error);
  memcpy(results->list + results->list_count * results->list_width, values,
         results->list_width * sizeof *values);
  if (++results->list_count == LIST_ENTRIES) list_flush(results);
  return failure_repeat(results, error);
}

flg_status flg_results_summarise(flg_results *results, const char *summary, flg_error *error) {
  const bool is_put = results->failure.status == FLG_OK && results->format->summarise != NULL;
  if (is_put) results->format->summarise(results->file, summary, &results->failure);
  return failure_repeat(results, error);
}

flg_status flg_results_flush(flg_results *results, flg_error *error) {
  list_flush(results);
  if (results->failure.status == FLG_OK && results->count > 0) {
    results->format->append(results->file, results->rows, results->count, &results->failure);
    results->count = 0;
  }
  clock_gettime(CLOCK_MONOTONIC, &results->last_flush);
  return failure_repeat(results, error);
}

flg_status flg_results_write(flg_results *results, double time, const double *values,
                             flg_error *error) {
  if (results->failure.status != FLG_OK) return failure_repeat(results, error);
  double *row = results->rows + results->count * results->columns;
  row[0] = time;
  if (results->columns > 1) memcpy(row + 1, values, (results->columns - 1) * sizeof *values);
  results->count++;
  return flush_is_due(results) ? flg_results_flush(results, error) : FLG_OK;
}

flg_status flg_results_close(flg_results *results, const char *status, flg_error *error) {
  if (results == NULL) return FLG_OK;
  const bool is_well = flg_results_flush(results, error) == FLG_OK;
  flg_error failure = {.status = FLG_OK};
  results->format->close(results->file, is_well ? status : NULL, &failure);
  flg_status outcome = failure_repeat(results, error);
  if (is_well && failure.status != FLG_OK) {
    outcome = flg_fail(error, failure.status, "%s", failure.message);
  }
  results_free(results);
  return outcome;
}
