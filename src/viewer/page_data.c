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
  flg_json_open(json, NULL, '{');
  flg_json_text(json, "name", signal->name);
  flg_json_text(json, "unit", signal->unit == NULL ? "" : signal->unit);
  flg_json_number(json, "width", signal->width);
  flg_json_number(json, "every", (double)every);
  if (signal->components != NULL) {
    flg_json_open(json, "components", '[');
    for (int k = 0; k < signal->width; k++) flg_json_text(json, NULL, signal->components[k]);
    flg_json_close(json);
  }
  flg_json_close(json);
}

static void write_recording(const flg_page_data *data, int index, flg_json *json) {
  const flg_recording *of = &data->recordings[index];
  const flg_page_thinning thinning = flg_page_thin(data, of);
  flg_json_open(json, NULL, '{');
  flg_json_text(json, "file", file_name(of->path));
  flg_json_text(json, "label", data->labels == NULL ? NULL : data->labels[index]);
  flg_json_text(json, "name", of->name);
  flg_json_text(json, "version", of->version);
  flg_json_text(json, "status", of->status);
  flg_json_text(json, "scene", of->scene);
  flg_json_text(json, "summary", of->summary);
  flg_json_text(json, "scenario", index == 0 ? of->scenario : "");
  flg_json_number(json, "rows", (double)of->rows);
  flg_json_number(json, "every", (double)thinning.signals);
  flg_json_open(json, "signals", '[');
  for (int k = 0; k < of->signal_count; k++) {
    const bool pose = flg_page_is_pose(&of->signals[k]);
    write_signal(&of->signals[k], pose ? thinning.poses : thinning.signals, json);
  }
  flg_json_close(json);
  flg_json_open(json, "list", '{');
  flg_json_number(json, "width", of->list.width);
  flg_json_number(json, "rows", (double)of->list_rows);
  flg_json_close(json);
  flg_json_close(json);
}

static void write_page_data(const flg_page_data *data, FILE *out) {
  flg_json json = flg_json_begin(out);
  flg_json_text(&json, "flange", FLG_VERSION);
  flg_json_flag(&json, "served", data->is_served);
  flg_json_text(&json, "comparison", data->comparison);
  flg_json_open(&json, "recordings", '[');
  for (int k = 0; k < data->count; k++) write_recording(data, k, &json);
  flg_json_close(&json);
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
