/* flange plot - recorded signals over time as a picture, without a browser. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "base/closest.h"
#include "base/growing.h"
#include "cli/console.h"
#include "cli/output_file.h"
#include "cli/verbs.h"
#include "results/recording.h"
#include "viewer/plot.h"

/* files, and the curves that are drawn of them */
typedef struct session {
  const flg_arguments *arguments;
  flg_recording *files; /* (file_count) */
  double **times;       /* (file_count) */
  int file_count;
  flg_growing curves;
  int colour_count;
  flg_region region;
  flg_error error;
} session;

static bool is_file(const char *word) {
  const char *dot = strrchr(word, '.');
  return dot != NULL && (strcasecmp(dot, ".h5") == 0 || strcasecmp(dot, ".hdf5") == 0);
}

static flg_status no_memory(session *run) {
  return flg_fail(&run->error, FLG_ERR_MEMORY, "There is no memory left.");
}

static flg_status open_files(session *run) {
  const flg_arguments *arguments = run->arguments;
  int count = 1;
  while (count < arguments->positional_count && is_file(arguments->positionals[count])) count++;
  run->files = flg_region_take(&run->region, (size_t)count, sizeof *run->files);
  run->times = flg_region_take(&run->region, (size_t)count, sizeof *run->times);
  if (run->region.failed) return no_memory(run);
  for (int k = 0; k < count; k++) {
    flg_recording *file = &run->files[run->file_count++];
    flg_status status = flg_recording_open(file, arguments->positionals[k], &run->error);
    if (status != FLG_OK) return status;
    run->times[k] = flg_region_take(&run->region, (size_t)file->rows + 1, sizeof **run->times);
    if (run->times[k] == NULL) return no_memory(run);
    status = file->read(file, FLG_RECORDING_TIME, 0, file->rows, 1, run->times[k], &run->error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

/* the number of a component by its name; -1 if there is none */
static int component_named(const flg_signal *signal, const char *name) {
  for (int k = 0; k < signal->width; k++) {
    char number[12];
    snprintf(number, sizeof number, "%d", k);
    const char *known = signal->components == NULL ? number : signal->components[k];
    if (strcmp(known, name) == 0) return k;
  }
  return -1;
}

/* `signal`, or `signal.component`; component -1: all of them */
static int find_signal(session *run, const flg_recording *file, const char *name, int *component) {
  const char *dot = strrchr(name, '.');
  *component = -1;
  int signal = flg_recording_find(file, name);
  if (signal >= 0 || dot == NULL) return signal;
  const char *head = flg_region_text(&run->region, name, (size_t)(dot - name));
  signal = head == NULL ? -1 : flg_recording_find(file, head);
  if (signal < 0) return -1;
  *component = component_named(&file->signals[signal], dot + 1);
  return *component < 0 ? -1 : signal;
}

static flg_status no_signal(session *run, const flg_recording *file, const char *name) {
  flg_closest closest = flg_closest_begin(name);
  for (int k = 0; k < file->signal_count; k++) {
    if (file->signals[k].name[0] != '@') flg_closest_offer(&closest, file->signals[k].name);
  }
  char hint[FLG_HINT_TEXT];
  return flg_fail(&run->error, FLG_ERR_USAGE, "there is no signal '%s' in '%s'%s", name, file->path,
                  closest.word == NULL ? "; 'flange plot FILE --list' names them"
                                       : flg_closest_text(&closest, hint));
}

/* "U.position.x", and of which run it is if there are several */
static const char *label_of(session *run, const flg_recording *file, const flg_signal *signal,
                            int component) {
  char number[12];
  snprintf(number, sizeof number, "%d", component);
  const char *part = signal->components == NULL ? number : signal->components[component];
  const char *slash = strrchr(file->path, '/');
  const bool alone = signal->width == 1 && signal->components == NULL;
  return flg_region_format(&run->region, "%s%s%s%s%s", signal->name, alone ? "" : ".",
                           alone ? "" : part, run->file_count > 1 ? ", " : "",
                           run->file_count == 1 ? ""
                           : slash == NULL      ? file->path
                                                : slash + 1);
}

static flg_status add_signal(session *run, int index, const char *name, int first_colour,
                             int *colours) {
  const flg_recording *file = &run->files[index];
  int component;
  const int found = find_signal(run, file, name, &component);
  if (found < 0) return no_signal(run, file, name);
  const flg_signal *signal = &file->signals[found];
  const size_t width = (size_t)signal->width;
  double *values = flg_region_take(&run->region, (size_t)file->rows * width + 1, sizeof *values);
  if (values == NULL) return no_memory(run);
  const flg_status status = file->read(file, found, 0, file->rows, 1, values, &run->error);
  if (status != FLG_OK) return status;
  *colours = 0;
  for (int k = 0; k < signal->width; k++) {
    if (component >= 0 && k != component) continue;
    flg_curve *curve = flg_growing_add(&run->curves, sizeof *curve, &run->region);
    if (curve == NULL) return no_memory(run);
    *curve = (flg_curve){.label = label_of(run, file, signal, k),
                         .unit = signal->unit,
                         .times = run->times[index],
                         .values = values + k,
                         .count = file->rows,
                         .stride = signal->width,
                         .is_dash = index > 0,
                         .colour = first_colour + (*colours)++};
  }
  return FLG_OK;
}

static flg_status add_signals(session *run) {
  const flg_arguments *arguments = run->arguments;
  if (run->file_count == arguments->positional_count) {
    return flg_fail(&run->error, FLG_ERR_USAGE,
                    "plot needs the names of signals; 'flange plot FILE --list' names them");
  }
  for (int k = run->file_count; k < arguments->positional_count; k++) {
    int colours = 0;
    for (int file = 0; file < run->file_count; file++) {
      const flg_status status =
          add_signal(run, file, arguments->positionals[k], run->colour_count, &colours);
      if (status != FLG_OK) return status;
    }
    run->colour_count += colours;
  }
  return FLG_OK;
}

static void list_signals(const session *run) {
  const flg_recording *file = &run->files[0];
  for (int k = 0; k < file->signal_count; k++) {
    const flg_signal *signal = &file->signals[k];
    if (signal->name[0] == '@') continue;
    printf("%s%s%s%s", signal->name, signal->unit[0] == '\0' ? "" : " [", signal->unit,
           signal->unit[0] == '\0' ? "" : "]");
    for (int c = 0; c < signal->width && signal->components != NULL; c++) {
      printf(" %s", signal->components[c]);
    }
    printf("\n");
  }
}

static flg_status draw(session *run) {
  const char *path = flg_arguments_value(run->arguments, "output");
  const char *title = flg_arguments_value(run->arguments, "title");
  flg_status status = add_signals(run);
  if (status != FLG_OK) return status;
  FILE *out = flg_output_open(path, &run->error);
  if (out == NULL) return run->error.status;
  flg_plot_write(run->curves.items, run->curves.count, title == NULL ? run->files[0].name : title,
                 out);
  status = flg_output_close(out, path, &run->error);
  if (status != FLG_OK) return status;
  if (!run->arguments->json) {
    flg_output_tell("plot", path);
    return FLG_OK;
  }
  flg_json json = flg_console_json("plot");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_json_text(&json, "output", path);
  flg_json_number(&json, "curves", run->curves.count);
  flg_json_number(&json, "rows", (double)run->files[0].rows);
  flg_json_end(&json);
  return FLG_OK;
}

static int run(const flg_arguments *arguments) {
  session run = {.arguments = arguments};
  flg_status status = FLG_OK;
  if (arguments->json && flg_arguments_value(arguments, "output") == NULL) {
    status = flg_fail(&run.error, FLG_ERR_USAGE, "plot --json needs -o FILE.svg");
  }
  if (status == FLG_OK) status = open_files(&run);
  if (status == FLG_OK && flg_arguments_has(arguments, "list")) {
    list_signals(&run);
  } else if (status == FLG_OK) {
    status = draw(&run);
  }
  for (int k = 0; k < run.file_count; k++) flg_recording_release(&run.files[k]);
  flg_region_release(&run.region);
  return status == FLG_OK ? EX_OK : flg_console_fail(arguments, &run.error);
}

static const flg_option options[] = {
    {"output", 'o', "FILE", "Write the picture to FILE.svg (default: standard output)"},
    {"title", 0, "TEXT", "Above the picture (default: the name of the scenario)"},
    {"list", 0, NULL, "Print the names of all signals and their components instead"},
};

const flg_verb flg_verb_plot = {
    .name = "plot",
    .summary = "draw recorded signals as SVG",
    .positional = "RESULTS.h5 [MORE.h5...] NAME...",
    .least = 1,
    .most = FLG_ARGUMENTS_MAX,
    .description =
        "Draws signals that a run recorded over time: axes with units, a legend, a panel for each\n"
        "unit. A name is that of a signal, all of whose components are drawn, or of one component\n"
        "as in hand/box/U.position.z. Further files are drawn over the first with broken lines.\n\n"
        "example: flange run capture.yaml -o capture.h5\n"
        "         flange plot capture.h5 hand/box/U.position -o u.svg",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
