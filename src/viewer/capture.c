#include "viewer/capture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flange/version.h"
#include "viewer/scene.h"

struct flg_capture {
  flg_simulation *simulation;
  flg_scene *scene;
  flg_signal *signals; /* (signal_count) those of the scenario, then those of the scene */
  int *columns;        /* (signal_count) where each begins in a row */
  int signal_count;
  size_t width;   /* numbers in a row: all signals */
  double *times;  /* (capacity) */
  double *values; /* (capacity x width) row by row */
  int64_t rows, capacity;
  double *contacts; /* (contact_capacity x FLG_SCENE_CONTACT) */
  int64_t contact_count, contact_capacity;
};

static bool capture_lay_out(flg_capture *capture) {
  int seen_count;
  const flg_simulation *simulation = capture->simulation;
  const flg_signal *seen = flg_scene_signals(capture->scene, &seen_count);
  const int told = flg_simulation_signal_count(simulation);
  capture->signal_count = told + seen_count;
  const size_t count = (size_t)capture->signal_count;
  capture->signals = malloc((count + 1) * sizeof *capture->signals);
  capture->columns = malloc((count + 1) * sizeof *capture->columns);
  if (capture->signals == NULL || capture->columns == NULL) return false;
  const flg_signal *first = flg_simulation_signals(simulation);
  for (int k = 0; k < capture->signal_count; k++) {
    capture->signals[k] = k < told ? first[k] : seen[k - told];
    capture->columns[k] = (int)capture->width;
    capture->width += (size_t)capture->signals[k].width;
  }
  capture->capacity =
      llround(flg_simulation_end(simulation) / flg_simulation_macro(simulation)) + 1;
  const size_t rows = (size_t)capture->capacity;
  if (rows > SIZE_MAX / sizeof(double) / (capture->width + 1)) return false;
  capture->times = malloc(rows * sizeof(double));
  capture->values = malloc(rows * capture->width * sizeof(double) + 1);
  return capture->times != NULL && capture->values != NULL;
}

flg_status flg_capture_build(flg_capture **capture, flg_simulation *simulation, flg_error *error) {
  flg_capture *built = calloc(1, sizeof *built);
  if (built == NULL) return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for the report.");
  built->simulation = simulation;
  flg_status status = flg_scene_build(&built->scene, simulation, error);
  if (status == FLG_OK && !capture_lay_out(built)) {
    status = flg_fail(error, FLG_ERR_MEMORY, "There is no memory for the report.");
  }
  if (status == FLG_OK) {
    flg_capture_take(built);
    *capture = built;
  } else {
    flg_capture_release(built);
  }
  return status;
}

void flg_capture_release(flg_capture *capture) {
  if (capture == NULL) return;
  flg_scene_release(capture->scene);
  free(capture->signals);
  free(capture->columns);
  free(capture->times);
  free(capture->values);
  free(capture->contacts);
  free(capture);
}

/* a picture without some contacts is better than none: no memory is no failure */
static void capture_take_contacts(flg_capture *capture) {
  int count;
  const double *entries = flg_scene_contacts(capture->scene, capture->rows, &count);
  while (capture->contact_count + count > capture->contact_capacity) {
    const int64_t more = capture->contact_capacity == 0 ? 256 : 2 * capture->contact_capacity;
    double *larger = realloc(capture->contacts, (size_t)more * FLG_SCENE_CONTACT * sizeof *larger);
    if (larger == NULL) return;
    capture->contacts = larger, capture->contact_capacity = more;
  }
  if (count == 0) return;
  memcpy(capture->contacts + capture->contact_count * FLG_SCENE_CONTACT, entries,
         (size_t)count * FLG_SCENE_CONTACT * sizeof *entries);
  capture->contact_count += count;
}

static bool capture_is_finite(const double *values, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += values[k] * 0;
  return sum == 0;
}

void flg_capture_take(flg_capture *capture) {
  if (capture->rows >= capture->capacity) return;
  double *row = capture->values + (size_t)capture->rows * capture->width;
  const int told = flg_simulation_width(capture->simulation);
  flg_simulation_record(capture->simulation, row);
  flg_scene_record(capture->scene, row + told);
  int count;
  const flg_signal *seen = flg_scene_signals(capture->scene, &count);
  if (count > 0 && strcmp(seen[0].name, "@view/poses") == 0 &&
      !capture_is_finite(row + told, seen[0].width)) {
    return;
  }
  capture_take_contacts(capture);
  capture->times[capture->rows++] = flg_simulation_time(capture->simulation);
}

static flg_status read_captured_rows(const flg_recording *recording, int signal, int64_t first,
                                     int64_t count, int64_t every, double *values,
                                     flg_error *error) {
  const flg_capture *capture = recording->source;
  const double *from = capture->values;
  size_t stride = capture->width, width = 1;
  (void)error;
  if (signal == FLG_RECORDING_TIME) {
    from = capture->times, stride = 1;
  } else if (signal == FLG_RECORDING_LIST) {
    from = capture->contacts, stride = width = FLG_SCENE_CONTACT;
  } else {
    from += capture->columns[signal], width = (size_t)capture->signals[signal].width;
  }
  for (int64_t k = 0; k < count; k++) {
    memcpy(values + (size_t)k * width, from + (size_t)(first + k * every) * stride,
           width * sizeof *values);
  }
  return FLG_OK;
}

flg_recording flg_capture_recording(const flg_capture *capture, const char *status) {
  return (flg_recording){.name = flg_simulation_name(capture->simulation),
                         .version = FLG_VERSION,
                         .status = status,
                         .scene = flg_scene_text(capture->scene),
                         .summary = "",
                         .scenario = flg_simulation_text(capture->simulation),
                         .rows = capture->rows,
                         .signals = capture->signals,
                         .signal_count = capture->signal_count,
                         .list = *flg_scene_list(capture->scene),
                         .list_rows = capture->contact_count,
                         .read = read_captured_rows,
                         .source = capture};
}
