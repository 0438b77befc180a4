/* Results as comma-separated values (RFC 4180, with `#` comments around the table). */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "flange/version.h"
#include "results/results_file.h"
#include "results/results_format.h"

enum { TEXT_BYTES = 64 << 10, NUMBER_BYTES = FLG_NUMBER_TEXT + 1 /* its separator */ };

typedef struct csv_file {
  flg_results_file on_disk;
  size_t columns;
  char *path;
  size_t used, capacity; /* of text: lines on their way */
  char *text;
} csv_file;

/* ---- text on its way ---- */

static flg_status text_hand_over(csv_file *file, flg_error *error) {
  const flg_status status = flg_results_file_put(&file->on_disk, file->text, file->used, error);
  if (status == FLG_OK) file->used = 0;
  return status;
}

/* room for more text in one piece; grows while the header is written only */
static bool text_reserve(csv_file *file, size_t bytes) {
  if (file->capacity - file->used >= bytes) return true;
  size_t capacity = file->capacity;
  while (capacity - file->used < bytes) capacity *= 2;
  char *text = realloc(file->text, capacity);
  if (text == NULL) return false;
  file->text = text;
  file->capacity = capacity;
  return true;
}

static bool text_add(csv_file *file, const char *bytes, size_t count) {
  if (!text_reserve(file, count)) return false;
  memcpy(file->text + file->used, bytes, count);
  file->used += count;
  return true;
}

static bool text_put(csv_file *file, const char *text) {
  return text_add(file, text, strlen(text));
}

/* ---- the lines before the rows ---- */

static bool comment_put(csv_file *file, const char *label, const char *text) {
  return text == NULL || (text_put(file, "# ") && text_put(file, label) &&
                          text_add(file, text, strcspn(text, "\r\n")) && text_put(file, "\n"));
}

static bool lines_put(csv_file *file, const char *label, const char *text) {
  if (text == NULL) return true;
  if (!text_put(file, label)) return false;
  while (*text != '\0') {
    const size_t length = strcspn(text, "\r\n");
    if (!text_put(file, "#   ") || !text_add(file, text, length) || !text_put(file, "\n")) {
      return false;
    }
    text += length;
    text += *text == '\r';
    text += *text == '\n';
  }
  return true;
}

static bool quoted_put(csv_file *file, const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '"' && !text_put(file, "\"")) return false;
    if (!text_add(file, text, 1)) return false;
  }
  return true;
}

static bool needs_quotes(const char *text) {
  return strpbrk(text, ",;\t\"") != NULL || text[0] == ' ' || text[0] == '#';
}

static bool field_put(csv_file *file, const flg_signal *signal, int k) {
  char number[12];
  const bool is_scalar = signal->components == NULL && signal->width == 1;
  const char *component = is_scalar ? "" : flg_signal_component(signal, k, number);
  const char *unit = signal->unit == NULL ? "" : signal->unit;
  const bool is_quoted =
      needs_quotes(signal->name) || needs_quotes(component) || needs_quotes(unit);
  const char *parts[] = {
      is_quoted ? ",\"" : ",",     signal->name, is_scalar ? "" : ".",      component,
      unit[0] == '\0' ? "" : " [", unit,         unit[0] == '\0' ? "" : "]"};
  bool is_put = text_put(file, parts[0]);
  for (int part = 1; part < 7 && is_put; part++) {
    is_put = is_quoted ? quoted_put(file, parts[part]) : text_put(file, parts[part]);
  }
  return is_put && (!is_quoted || text_put(file, "\""));
}

static bool header_put(csv_file *file, const flg_results_header *header) {
  if (!comment_put(file, "flange ", FLG_VERSION) || !comment_put(file, "name: ", header->name) ||
      !comment_put(file, "created: ", header->created) ||
      !lines_put(file, "# scenario:\n", header->scenario) ||
      !lines_put(file, "# legend:\n", header->legend) || !text_put(file, "time [s]")) {
    return false;
  }
  for (int s = 0; s < header->signal_count; s++) {
    for (int k = 0; k < header->signals[s].width; k++) {
      if (!field_put(file, &header->signals[s], k)) return false;
    }
  }
  return text_put(file, "\n") && text_reserve(file, file->columns * NUMBER_BYTES);
}

/* ---- rows ---- */

static void row_put(csv_file *file, const double *row) {
  char *text = file->text + file->used;
  for (size_t k = 0; k < file->columns; k++) {
    text += strlen(flg_number_write(row[k], text));
    *text++ = k + 1 < file->columns ? ',' : '\n';
  }
  file->used = (size_t)(text - file->text);
}

static flg_status csv_append(void *opened, const double *rows, size_t count, flg_error *error) {
  csv_file *file = opened;
  flg_status status = FLG_OK;
  for (size_t k = 0; k < count && status == FLG_OK; k++) {
    if (file->capacity - file->used < file->columns * NUMBER_BYTES) {
      status = text_hand_over(file, error);
    }
    if (status == FLG_OK) row_put(file, rows + k * file->columns);
  }
  return status == FLG_OK ? text_hand_over(file, error) : status;
}

/* ---- life ---- */

static void csv_release(csv_file *file) {
  free(file->path);
  free(file->text);
  free(file);
}

static csv_file *csv_allocate(const char *path, size_t columns) {
  csv_file *file = calloc(1, sizeof *file);
  if (file == NULL) return NULL;
  file->columns = columns;
  file->capacity = TEXT_BYTES;
  file->text = malloc(TEXT_BYTES);
  file->path = strdup(path);
  if (file->text != NULL && file->path != NULL) return file;
  csv_release(file);
  return NULL;
}

static flg_status csv_open(void **opened, const char *path, const flg_results_header *header,
                           flg_error *error) {
  csv_file *file = csv_allocate(path, flg_results_columns(header));
  if (file == NULL || !header_put(file, header)) {
    if (file != NULL) csv_release(file);
    return flg_fail(error, FLG_ERR_MEMORY, "No memory is left for the results file '%s'.", path);
  }
  flg_status status =
      flg_results_file_open(&file->on_disk, file->path, NULL, header->writes_over, error);
  if (status == FLG_OK) status = text_hand_over(file, error);
  if (status == FLG_OK) status = flg_results_file_publish(&file->on_disk, error);
  if (status == FLG_OK) {
    *opened = file;
    return FLG_OK;
  }
  if (file->on_disk.descriptor >= 0) (void)flg_results_file_close(&file->on_disk, false, NULL);
  csv_release(file);
  return status;
}

static flg_status csv_close(void *opened, const char *status, flg_error *error) {
  csv_file *file = opened;
  flg_status outcome = FLG_OK;
  file->used = 0;
  if (status != NULL) {
    outcome = comment_put(file, "status: ", status)
                  ? text_hand_over(file, error)
                  : flg_fail(error, FLG_ERR_MEMORY, "No memory is left to end '%s'.", file->path);
  }
  const flg_status ended = flg_results_file_close(
      &file->on_disk, status != NULL && outcome == FLG_OK, outcome == FLG_OK ? error : NULL);
  if (outcome == FLG_OK) outcome = ended;
  csv_release(file);
  return outcome;
}

const flg_results_format flg_results_csv = {
    .open = csv_open, .append = csv_append, .close = csv_close};
