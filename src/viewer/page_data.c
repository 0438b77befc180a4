#include "viewer/page_data.h"

#include <stdlib.h>
#include <string.h>

#include "flange/version.h"
#include "text/json.h"

bool flg_page_is_pose(const flg_signal *signal) {
  return strcmp(signal->name, "@view/poses") == 0;
}

static double bytes_of_recording(const flg_recording *recording, bool poses) {
  double width = poses ? 0 : 1; /* time */
  for (int k = 0; k < recording->signal_count; k++) {
    if (flg_page_is_pose(&recording->signals[k]) == poses) width += recording->signals[k].width;
  }
  return width * (double)recording->rows * (double)sizeof(double);
}

static int64_t thin(const flg_page_data *data, bool poses) {
  double bytes = 0;
  for (int k = 0; k < data->count; k++) bytes += bytes_of_recording(&data->recordings[k], poses);
  return 1 + (int64_t)(bytes / FLG_PAGE_REPORT_BYTES);
}

flg_page_thinning flg_page_thin(const flg_page_data *data, const flg_recording *recording) {
  (void)recording;
  if (data->is_served) return (flg_page_thinning){1, 1};
  flg_page_thinning thinning = {.signals = thin(data, false)};
  const int64_t poses = thin(data, true);
  thinning.poses = (poses + thinning.signals - 1) / thinning.signals * thinning.signals;
  return thinning;
}

static const char *file_name(const char *path) {
  const char *slash = path == NULL ? NULL : strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static void write_signal(const flg_signal *signal, int64_t every, flg_json *json) {
  flg_json_put(json, "{ name:s unit:s width:d every:g", signal->name,
               signal->unit == NULL ? "" : signal->unit, signal->width, (double)every);
  if (signal->components != NULL) {
    flg_json_put(json, "components[");
    for (int k = 0; k < signal->width; k++) flg_json_put(json, ":s", signal->components[k]);
    flg_json_put(json, "]");
  }
  flg_json_put(json, "}");
}

static void write_recording(const flg_page_data *data, int index, flg_json *json) {
  const flg_recording *of = &data->recordings[index];
  const flg_page_thinning thinning = flg_page_thin(data, of);
  flg_json_put(json,
               "{ file:s label:s name:s version:s status:s scene:s summary:s scenario:s rows:g "
               "every:g signals[",
               file_name(of->path), data->labels == NULL ? NULL : data->labels[index], of->name,
               of->version, of->status, of->scene, of->summary, index == 0 ? of->scenario : "",
               (double)of->rows, (double)thinning.signals);
  for (int k = 0; k < of->signal_count; k++) {
    const bool pose = flg_page_is_pose(&of->signals[k]);
    write_signal(&of->signals[k], pose ? thinning.poses : thinning.signals, json);
  }
  flg_json_put(json, "] list{ width:d rows:g } }", of->list.width, (double)of->list_rows);
}

static void write_page_data(const flg_page_data *data, FILE *out) {
  flg_json json = flg_json_begin(out);
  flg_json_put(&json, "flange:s served:b comparison:s recordings[", FLG_VERSION, data->is_served,
               data->comparison);
  for (int k = 0; k < data->count; k++) write_recording(data, k, &json);
  flg_json_put(&json, "]");
  flg_json_end(&json);
}

/* `<` is in texts alone, where it may be written by its number */
static void copy_safely(const char *text, FILE *out) {
  for (; *text != '\0'; text++) {
    if (*text == '<') {
      fputs("\\u003c", out);
    } else {
      fputc(*text, out);
    }
  }
}

flg_status flg_page_data_write(const flg_page_data *data, FILE *out, flg_error *error) {
  char *text = NULL;
  size_t size;
  FILE *memory = open_memstream(&text, &size);
  if (memory != NULL) {
    write_page_data(data, memory);
    if (fclose(memory) == 0 && text != NULL) {
      copy_safely(text, out);
      free(text);
      return FLG_OK;
    }
  }
  free(text);
  return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for the page.");
}
