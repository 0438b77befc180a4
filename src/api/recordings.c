#include "flange/recordings.h"

#include <stdlib.h>
#include <string.h>

#include "api/api_inner.h"
#include "results/recording.h"
#include "results/results.h"
#include "viewer/scene_results.h"

struct flg_writer {
  flg_results *results;
  const flg_simulation *simulation; /* whose rows it takes; NULL: the program's own */
  flg_scene *scene;                 /* what a viewer needs besides; NULL: nothing */
  int64_t rows;                     /* written so far */
  int width;
  double *values; /* (width) */
};

struct flg_reader {
  flg_recording recording;
};

/* --- writing -------------------------------------------------------------------------------------
 */

static bool ends_in(const char *path, const char *end) {
  const size_t length = strlen(path), tail = strlen(end);
  return length >= tail && strcmp(path + length - tail, end) == 0;
}

static int recording_width_of(const flg_signal *signals, int count) {
  int width = 0;
  for (int k = 0; k < count; k++) width += signals[k].width;
  return width;
}

static flg_status open_writer(flg_writer **writer, const char *path,
                              const flg_results_header *header, const flg_simulation *simulation,
                              flg_error *error) {
  flg_writer *made = calloc(1, sizeof *made);
  const int width = recording_width_of(header->signals, header->signal_count);
  if (made != NULL) made->values = calloc((size_t)width + 1, sizeof *made->values);
  if (made == NULL || made->values == NULL) {
    free(made);
    return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for a writer.");
  }
  made->simulation = simulation, made->width = width;
  const flg_status status = flg_results_open(&made->results, path, header, error);
  if (status != FLG_OK) {
    free(made->values);
    free(made);
    return status;
  }
  *writer = made;
  return FLG_OK;
}

static flg_status check_open(flg_writer *const *writer, const char *path, flg_error *error) {
  const flg_status status = flg_api_present(writer, "writer", error);
  return status == FLG_OK ? flg_api_present(path, "path", error) : status;
}

/* opens the file and writes the first row; the scene (may be NULL) is the writer's from then on */
static flg_status open_of_simulation(flg_writer **writer, const char *path,
                                     flg_simulation *simulation, flg_scene *scene,
                                     flg_error *error) {
  flg_results_header header = {.name = simulation->name,
                               .scenario = simulation->text,
                               .signals = simulation->signals,
                               .signal_count = simulation->signal_count};
  flg_signal *all = NULL;
  flg_writer *made = NULL;
  flg_status status = FLG_OK;
  if (scene != NULL) status = flg_scene_announce(scene, &header, &all, error);
  if (status == FLG_OK) status = open_writer(&made, path, &header, simulation, error);
  free(all);
  if (made != NULL) {
    made->scene = scene;
    status = flg_writer_record(made, simulation, error);
    if (status != FLG_OK) made->scene = NULL;
  }
  if (status != FLG_OK) {
    (void)flg_writer_close(made, NULL, NULL);
    return status;
  }
  *writer = made;
  return FLG_OK;
}

flg_status flg_writer_open(flg_writer **writer, const char *path, flg_simulation *simulation,
                           flg_error *error) {
  flg_status status = check_open(writer, path, error);
  if (status == FLG_OK) status = flg_api_present(simulation, "simulation", error);
  return status == FLG_OK ? open_of_simulation(writer, path, simulation, NULL, error) : status;
}

flg_status flg_writer_open_view(flg_writer **writer, const char *path, flg_simulation *simulation,
                                flg_error *error) {
  flg_status status = check_open(writer, path, error);
  if (status == FLG_OK) status = flg_api_present(simulation, "simulation", error);
  if (status == FLG_OK && ends_in(path, ".csv")) {
    status =
        flg_fail(error, FLG_ERR_USAGE, "'%s': tables have no place for a view; .h5 has.", path);
  }
  flg_scene *scene = NULL;
  if (status == FLG_OK) status = flg_scene_build(&scene, simulation, error);
  if (status == FLG_OK) status = open_of_simulation(writer, path, simulation, scene, error);
  if (status != FLG_OK) flg_scene_release(scene);
  return status;
}

flg_status flg_writer_open_signals(flg_writer **writer, const char *path, const char *name,
                                   const flg_signal *signals, int count, flg_error *error) {
  const flg_status status = check_open(writer, path, error);
  if (status != FLG_OK) return status;
  if (count < 1 || signals == NULL) {
    return flg_fail(error, FLG_ERR_USAGE, "A file has at least one signal, not %d.", count);
  }
  for (int k = 0; k < count; k++) {
    if (signals[k].name != NULL && signals[k].width >= 1 &&
        signals[k].width <= FLG_SIGNAL_MAX_WIDTH) {
      continue;
    }
    return flg_fail(error, FLG_ERR_USAGE,
                    "Signal %d has no name, or %d numbers; 1 to %d are expected.", k,
                    signals[k].width, FLG_SIGNAL_MAX_WIDTH);
  }
  const flg_results_header header = {.name = name, .signals = signals, .signal_count = count};
  return open_writer(writer, path, &header, NULL, error);
}

flg_status flg_writer_record(flg_writer *writer, flg_simulation *simulation, flg_error *error) {
  if (writer == NULL) return flg_api_present(writer, "writer", error);
  if (simulation == NULL) return flg_api_present(simulation, "simulation", error);
  if (writer->simulation != simulation) {
    return flg_fail(error, FLG_ERR_USAGE, "This writer was opened for another simulation.");
  }
  flg_simulation_record(simulation, writer->values);
  if (writer->scene != NULL) {
    double *seen = writer->values + flg_simulation_width(simulation);
    const flg_status status =
        flg_scene_store(writer->scene, writer->results, writer->rows, seen, error);
    if (status != FLG_OK) return status;
  }
  writer->rows++;
  return flg_results_write(writer->results, flg_simulation_time(simulation), writer->values, error);
}

flg_status flg_writer_row(flg_writer *writer, double time, const double *values, int count,
                          flg_error *error) {
  flg_status status = flg_api_present(writer, "writer", error);
  if (status == FLG_OK) status = flg_api_present(values, "values", error);
  if (status == FLG_OK && writer->scene != NULL) {
    status = flg_fail(error, FLG_ERR_USAGE,
                      "Rows of a file with a view are written by flg_writer_record.");
  }
  if (status == FLG_OK) status = flg_api_width(count, writer->width, "a row", error);
  return status == FLG_OK ? flg_results_write(writer->results, time, values, error) : status;
}

flg_status flg_writer_close(flg_writer *writer, const char *status, flg_error *error) {
  if (writer == NULL) return FLG_OK;
  const flg_status ended = flg_results_close(writer->results, status, error);
  flg_scene_release(writer->scene);
  free(writer->values);
  free(writer);
  return ended;
}

/* --- reading -------------------------------------------------------------------------------------
 */

flg_status flg_reader_open(flg_reader **reader, const char *path, flg_error *error) {
  flg_status status = flg_api_present(reader, "reader", error);
  if (status == FLG_OK) status = flg_api_present(path, "path", error);
  if (status != FLG_OK) return status;
  flg_reader *made = calloc(1, sizeof *made);
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for a reader.");
  status = ends_in(path, ".csv") ? flg_recording_open_csv(&made->recording, path, error)
                                 : flg_recording_open(&made->recording, path, error);
  if (status != FLG_OK) {
    flg_reader_close(made);
    return status;
  }
  *reader = made;
  return FLG_OK;
}

void flg_reader_close(flg_reader *reader) {
  if (reader == NULL) return;
  flg_recording_release(&reader->recording);
  free(reader);
}

int64_t flg_reader_rows(const flg_reader *reader) {
  return reader == NULL ? 0 : reader->recording.rows;
}

const char *flg_reader_status(const flg_reader *reader) {
  return reader == NULL ? NULL : reader->recording.status;
}

const char *flg_reader_scenario(const flg_reader *reader) {
  return reader == NULL ? NULL : reader->recording.scenario;
}

const flg_signal *flg_reader_signals(const flg_reader *reader, int *count) {
  if (count != NULL) *count = reader == NULL ? 0 : reader->recording.signal_count;
  return reader == NULL || count == NULL ? NULL : reader->recording.signals;
}

int flg_reader_find(const flg_reader *reader, const char *name) {
  if (reader == NULL || name == NULL) return -2;
  if (strcmp(name, "time") == 0) return FLG_RECORDING_TIME;
  const int found = flg_recording_find(&reader->recording, name);
  return found < 0 ? -2 : found;
}

flg_status flg_reader_read(const flg_reader *reader, int signal, int64_t first, int64_t count,
                           double *values, flg_error *error) {
  flg_status status = flg_api_present(reader, "reader", error);
  if (status == FLG_OK) status = flg_api_present(values, "values", error);
  if (status != FLG_OK) return status;
  const flg_recording *recording = &reader->recording;
  if (signal < FLG_RECORDING_TIME || signal >= recording->signal_count) {
    return flg_fail(error, FLG_ERR_USAGE, "There is no signal %d: there are %d, and -1 for time.",
                    signal, recording->signal_count);
  }
  if (first < 0 || count < 0 || first > recording->rows || count > recording->rows - first) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "There are no %lld rows from row %lld on: the file has %lld.", (long long)count,
                    (long long)first, (long long)recording->rows);
  }
  if (count == 0) return FLG_OK;
  return recording->read(recording, signal, first, count, 1, values, error);
}
