/* flange plot - recorded signals and tables as a picture, without a browser. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "cli/console.h"
#include "cli/output_file.h"
#include "cli/plot_columns.h"
#include "text/quantity.h"
#include "verbs/verbs.h"
#include "viewer/plot.h"

/* Of the largest time: rows that are nearer are at the same time. */
static const double SAME_TIME = 1e-9;

/* files, and the curves that are drawn of them */
typedef struct session {
  const flg_arguments *arguments;
  flg_plot plot;
  flg_plot_file *files; /* (file_count) references last */
  int file_count, reference_count;
  bool splits; /* each column has a panel of its own, in which runs have colours */
  flg_growing curves;
  int column_count; /* so far, of one file */
  flg_region region;
  flg_error error;
} session;

static flg_status no_memory_for_plot(session *run) {
  return flg_fail(&run->error, FLG_ERR_MEMORY, "There is no memory left.");
}

static const char *option(const session *run, const char *name) {
  return flg_arguments_value(run->arguments, name);
}

/* --- files ----------------------------------------------------------------------------------- */

static flg_status open_file(session *run, const char *path, bool is_reference) {
  flg_plot_file *file = &run->files[run->file_count++];
  file->is_reference = is_reference;
  run->reference_count += is_reference;
  return flg_plot_file_open(file, path, &run->region, &run->error);
}

static flg_status open_files(session *run) {
  const flg_arguments *arguments = run->arguments;
  const char *references[FLG_ARGUMENTS_MAX], *labels[FLG_ARGUMENTS_MAX];
  const int reference_count = flg_arguments_values(arguments, "reference", references);
  const int label_count = flg_arguments_values(arguments, "label", labels);
  int count = 1;
  while (count < arguments->positional_count && flg_plot_is_file(arguments->positionals[count])) {
    count++;
  }
  run->files =
      flg_region_take(&run->region, (size_t)count + (size_t)reference_count, sizeof *run->files);
  if (run->files == NULL) return no_memory_for_plot(run);
  flg_status status = FLG_OK;
  for (int k = 0; k < count && status == FLG_OK; k++) {
    status = open_file(run, arguments->positionals[k], false);
  }
  for (int k = 0; k < reference_count && status == FLG_OK; k++) {
    status = open_file(run, references[k], true);
  }
  if (status != FLG_OK) return status;
  if (label_count > run->file_count) {
    return flg_fail(&run->error, FLG_ERR_USAGE, "there are %d labels for %d files", label_count,
                    run->file_count);
  }
  for (int k = 0; k < label_count; k++) run->files[k].label = labels[k];
  return FLG_OK;
}

/* --- columns --------------------------------------------------------------------------------- */

static flg_status verb_plot_find(session *run, const flg_plot_file *file, const char *name,
                                 flg_growing *columns, bool *is_norm) {
  return flg_plot_columns_find(file, name, columns, is_norm, &run->region, &run->error);
}

/* what is drawn along x, in place of the times */
static flg_status take_x(session *run, flg_plot_file *file, const char *name) {
  flg_growing columns = {0};
  bool is_norm;
  flg_status status = verb_plot_find(run, file, name, &columns, &is_norm);
  if (status == FLG_OK && is_norm) {
    status = flg_plot_columns_join(&columns, name, file->recording.rows, &run->region, &run->error);
  }
  if (status != FLG_OK) return status;
  const flg_plot_column *column = columns.items;
  if (columns.count != 1) {
    return flg_fail(&run->error, FLG_ERR_USAGE,
                    "'%s' has %d components: --x takes one of them, as in '%s'", name,
                    columns.count, column->name);
  }
  file->x = column->values;
  run->plot.x_label = flg_region_format(&run->region, column->unit[0] == '\0' ? "%s%s" : "%s [%s]",
                                        name, column->unit);
  return run->plot.x_label == NULL ? no_memory_for_plot(run) : FLG_OK;
}

/* The distance of values from those of the reference at the same times; NaN where it has none. */
static void subtract(const flg_plot_file *file, const flg_plot_file *from, double *values,
                     const double *exact) {
  const int64_t rows = file->recording.rows, count = from->recording.rows;
  const double slack = rows == 0 ? 0 : SAME_TIME * fmax(1, fabs(file->x[rows - 1]));
  for (int64_t k = 0, j = 0; k < rows; k++) {
    while (j < count && from->x[j] < file->x[k] - slack) j++;
    const bool is_there = j < count && from->x[j] <= file->x[k] + slack;
    values[k] = is_there ? fabs(values[k] - exact[j]) : (double)NAN;
  }
}

static flg_status take_errors(session *run, const flg_plot_file *file, const char *name,
                              const flg_growing *columns) {
  const flg_plot_file *reference = &run->files[run->file_count - run->reference_count];
  flg_growing exact = {0};
  bool is_norm;
  const flg_status status = verb_plot_find(run, reference, name, &exact, &is_norm);
  if (status != FLG_OK) return status;
  if (exact.count != columns->count) {
    return flg_fail(&run->error, FLG_ERR_USAGE, "'%s' has %d components in '%s', and %d in '%s'",
                    name, columns->count, file->recording.path, exact.count,
                    reference->recording.path);
  }
  const flg_plot_column *own = columns->items, *other = exact.items;
  for (int c = 0; c < exact.count; c++) subtract(file, reference, own[c].values, other[c].values);
  return FLG_OK;
}

static const char *axis_label(session *run, const flg_plot_column *column) {
  const char *label = option(run, "y-label"), *unit = column->unit;
  if (label != NULL) return label;
  if (!run->splits) return unit[0] == '\0' ? "no unit" : unit;
  return flg_region_format(&run->region, "%s%s%s%s", column->name, unit[0] == '\0' ? "" : " [",
                           unit, unit[0] == '\0' ? "" : "]");
}

static const char *plot_label_of(session *run, const flg_plot_file *file, const char *column) {
  if (run->splits) return file->label;
  if (run->file_count == 1) return column;
  return flg_region_format(&run->region, "%s, %s", column, file->label);
}

static flg_status add_curve(session *run, int index, const flg_plot_column *column, int number) {
  const flg_plot_file *file = &run->files[index];
  flg_curve *curve = flg_growing_add(&run->curves, sizeof *curve, &run->region);
  const char *axis = axis_label(run, column), *label = plot_label_of(run, file, column->name);
  if (run->region.failed) return no_memory_for_plot(run);
  *curve = (flg_curve){.label = label,
                       .axis = axis,
                       .x = file->x,
                       .values = column->values,
                       .count = file->recording.rows,
                       .stride = 1,
                       .colour = file->is_reference ? FLG_CURVE_REFERENCE
                                 : run->splits      ? index
                                                    : number,
                       .is_dash = !run->splits && index > 0};
  return FLG_OK;
}

static flg_status add_name(session *run, int index, const char *name, int *count) {
  const flg_plot_file *file = &run->files[index];
  flg_growing columns = {0};
  bool is_norm;
  flg_status status = verb_plot_find(run, file, name, &columns, &is_norm);
  if (status == FLG_OK && flg_arguments_has(run->arguments, "error")) {
    status = take_errors(run, file, name, &columns);
  }
  if (status == FLG_OK && is_norm) {
    status = flg_plot_columns_join(&columns, name, file->recording.rows, &run->region, &run->error);
  }
  const flg_plot_column *list = columns.items;
  for (int c = 0; c < columns.count && status == FLG_OK; c++) {
    status = add_curve(run, index, &list[c], run->column_count + c);
  }
  *count = columns.count;
  return status;
}

/* of each name the columns of all files, errors without those of the references */
static flg_status add_named(session *run, const char *name) {
  const bool errors = flg_arguments_has(run->arguments, "error");
  const int files = run->file_count - (errors ? run->reference_count : 0);
  int count = 0;
  flg_status status = FLG_OK;
  for (int file = 0; file < files && status == FLG_OK; file++) {
    status = add_name(run, file, name, &count);
  }
  run->column_count += count;
  return status;
}

/* the columns of a table need no names */
static flg_status add_all_columns(session *run) {
  const flg_recording *table = &run->files[0].recording;
  const char *x = option(run, "x");
  if (table->x_name == NULL) {
    return flg_fail(&run->error, FLG_ERR_USAGE,
                    "plot needs the names of signals; 'flange plot FILE --list' names them");
  }
  if (table->signal_count == 0) {
    return flg_fail(&run->error, FLG_ERR_USAGE,
                    "'%s' has one column; plot needs one to draw and one to draw it over",
                    table->path);
  }
  flg_status status = FLG_OK;
  for (int k = 0; k < table->signal_count && status == FLG_OK; k++) {
    const char *name = table->signals[k].name;
    if (x == NULL || strcmp(x, name) != 0) status = add_named(run, name);
  }
  return status;
}

static flg_status add_curves(session *run) {
  const flg_arguments *arguments = run->arguments;
  const int first = run->file_count - run->reference_count;
  const char *x = option(run, "x");
  flg_status status = FLG_OK;
  if (flg_arguments_has(arguments, "error") && run->reference_count == 0) {
    return flg_fail(&run->error, FLG_ERR_USAGE, "--error needs --reference FILE");
  }
  if (first == arguments->positional_count) status = add_all_columns(run);
  for (int k = first; k < arguments->positional_count && status == FLG_OK; k++) {
    status = add_named(run, arguments->positionals[k]);
  }
  /* errors are found by times */
  for (int k = 0; k < run->file_count && status == FLG_OK && x != NULL; k++) {
    const double *times = run->files[k].x;
    status = take_x(run, &run->files[k], x);
    flg_curve *curves = run->curves.items;
    for (int c = 0; c < run->curves.count && status == FLG_OK; c++) {
      if (curves[c].x == times) curves[c].x = run->files[k].x;
    }
  }
  return status;
}

/* --- options --------------------------------------------------------------------------------- */

static flg_status plot_wrong(session *run, const char *name, const char *value, const char *like) {
  return flg_fail(&run->error, FLG_ERR_USAGE, "--%s is '%s'; it takes %s", name, value, like);
}

/* "LOW,HIGH"; either may be missing */
static flg_status read_range(session *run, const char *name, bool is_log, double range[2]) {
  const char *text = option(run, name);
  if (text == NULL) return FLG_OK;
  const char *comma = strchr(text, ',');
  const char *parts[2] = {
      comma == NULL ? NULL : flg_region_text(&run->region, text, (size_t)(comma - text)),
      comma == NULL ? NULL : comma + 1};
  for (int k = 0; k < 2; k++) {
    if (parts[k] == NULL) return plot_wrong(run, name, text, "LOW,HIGH, as in 0,2.5 or 1e-6,");
    if (parts[k][0] == '\0') continue;
    if (flg_quantity_parse(parts[k], NULL, &range[k]) != NULL || !isfinite(range[k])) {
      return plot_wrong(run, name, text, "LOW,HIGH, as in 0,2.5 or 1e-6,");
    }
    if (is_log && range[k] <= 0) return plot_wrong(run, name, text, "numbers over 0 on a log axis");
  }
  return range[0] >= range[1] ? plot_wrong(run, name, text, "a LOW that is below HIGH") : FLG_OK;
}

static flg_status read_size(session *run) {
  enum { LEAST = 50, LEAST_WIDTH = 200, MOST = 10000 };
  const char *text = option(run, "size");
  double size[2];
  if (text == NULL) return FLG_OK;
  const char *rest = flg_number_parse(text, &size[0]);
  rest = rest != NULL && *rest == 'x' ? flg_number_parse(rest + 1, &size[1]) : NULL;
  if (rest == NULL || *rest != '\0' || !(size[0] >= LEAST_WIDTH && size[0] <= MOST) ||
      !(size[1] >= LEAST && size[1] <= MOST)) {
    return plot_wrong(run, "size", text,
                      "WIDTHxHEIGHT of the picture and of a panel in pixels, as in 760x220");
  }
  run->plot.width = size[0], run->plot.height = size[1];
  return FLG_OK;
}

static flg_status read_columns(session *run) {
  enum { MOST = 12 };
  const char *text = option(run, "columns");
  double count;
  if (text == NULL) return FLG_OK;
  const char *rest = flg_number_parse(text, &count);
  if (rest == NULL || *rest != '\0' || !(count >= 1 && count <= MOST) || count != floor(count)) {
    return plot_wrong(run, "columns", text, "a whole number from 1 to 12");
  }
  run->plot.columns = (int)count;
  return FLG_OK;
}

static flg_status read_log(session *run) {
  const char *text = option(run, "log");
  if (text == NULL) return FLG_OK;
  run->plot.log_x = strchr(text, 'x') != NULL;
  run->plot.log_y = strchr(text, 'y') != NULL;
  const size_t known = (size_t)run->plot.log_x + (size_t)run->plot.log_y;
  return known == strlen(text) && known > 0 ? FLG_OK : plot_wrong(run, "log", text, "x, y or xy");
}

static const char *label_of_x(session *run) {
  const flg_recording *first = &run->files[0].recording;
  if (first->x_name == NULL) return run->plot.x_label;
  return flg_region_format(&run->region, first->x_unit[0] == '\0' ? "%s%s" : "%s [%s]",
                           first->x_name, first->x_unit);
}

static flg_status read_options(session *run) {
  flg_status status = read_log(run);
  if (status == FLG_OK) status = read_size(run);
  if (status == FLG_OK) status = read_columns(run);
  if (status == FLG_OK) status = read_range(run, "x-range", run->plot.log_x, run->plot.x_range);
  if (status == FLG_OK) status = read_range(run, "y-range", run->plot.log_y, run->plot.y_range);
  if (status != FLG_OK) return status;
  const char *title = option(run, "title");
  run->plot.title = title == NULL ? run->files[0].recording.name : title;
  run->plot.has_points = flg_arguments_has(run->arguments, "points");
  run->plot.x_label = label_of_x(run);
  /* broken lines tell two files apart, not three */
  run->splits =
      flg_arguments_has(run->arguments, "split") || run->file_count > 2 || run->reference_count > 0;
  run->plot.is_shared = run->splits && option(run, "y-label") == NULL;
  return run->plot.x_label == NULL ? no_memory_for_plot(run) : FLG_OK;
}

/* --- the verb -------------------------------------------------------------------------------- */

static void list_plot_signals(const session *run) {
  const flg_recording *file = &run->files[0].recording;
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

static flg_status draw_plot(session *run) {
  const char *path = option(run, "output");
  flg_status status = add_curves(run);
  if (status != FLG_OK) return status;
  if (option(run, "x-label") != NULL) run->plot.x_label = option(run, "x-label");
  FILE *out = flg_output_open(path, FLG_KIND_PICTURE, &run->error);
  if (out == NULL) return run->error.status;
  flg_plot_write(&run->plot, run->curves.items, run->curves.count, out);
  status = flg_output_close(out, path, &run->error);
  if (status != FLG_OK) return status;
  if (!run->arguments->json) {
    flg_output_tell("plot", path);
    return FLG_OK;
  }
  flg_json json = flg_console_json("plot");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_json_put(&json, "output:s curves:d rows:g", path, run->curves.count,
               (double)run->files[0].recording.rows);
  flg_json_end(&json);
  return FLG_OK;
}

static int run_plot(const flg_arguments *arguments) {
  session run = {.arguments = arguments, .plot = flg_plot_default()};
  flg_status status = FLG_OK;
  if (arguments->json && option(&run, "output") == NULL) {
    status = flg_fail(&run.error, FLG_ERR_USAGE, "plot --json needs -o FILE.svg");
  }
  if (status == FLG_OK) status = open_files(&run);
  if (status == FLG_OK) status = read_options(&run);
  if (status == FLG_OK && flg_arguments_has(arguments, "list")) {
    list_plot_signals(&run);
  } else if (status == FLG_OK) {
    status = draw_plot(&run);
  }
  for (int k = 0; k < run.file_count; k++) flg_recording_release(&run.files[k].recording);
  flg_region_release(&run.region);
  return status == FLG_OK ? EX_OK : flg_console_fail(arguments, &run.error);
}

static const flg_option options[] = {
    {"output", 'o', "FILE", "Write the picture to FILE.svg (default: standard output)"},
    {"title", 0, "TEXT", "Above the picture (default: the name of the scenario)"},
    {"label", 0, "TEXT", "What a file is called in legends; one for each, references last"},
    {"reference", 0, "FILE", "Another run, drawn wide and pale under the others"},
    {"error", 0, NULL, "Draw the distance from the reference at common times instead"},
    {"x", 0, "NAME", "A signal with one component in place of the time"},
    {"log", 0, "AXES", "Logarithmic axes: x, y or xy"},
    {"x-range", 0, "LOW,HIGH", "What is shown along x; either may be left out"},
    {"y-range", 0, "LOW,HIGH", "The same along y, of all panels"},
    {"x-label", 0, "TEXT", "What stands at the axis of x"},
    {"y-label", 0, "TEXT", "What stands at the axis of y; all curves are then in one panel"},
    {"split", 0, NULL, "A panel for each component; with three files or a reference that is so"},
    {"columns", 0, "N", "Panels side by side (default: 1)"},
    {"size", 0, "WxH", "Width of the picture and height of a panel (default: 760x220)"},
    {"points", 0, NULL, "Mark the values themselves"},
    {"list", 0, NULL, "Print the names of all signals and their components instead"},
};

const flg_verb flg_verb_plot = {
    .name = "plot",
    .summary = "draw recorded signals and tables as SVG",
    .positional = "RESULTS [MORE...] NAME...",
    .reads_results = true,
    .least = 1,
    .most = FLG_ARGUMENTS_MAX,
    .description =
        "Draws signals that a run recorded over time: axes with units, a legend, a panel for each\n"
        "unit. A name is that of a signal, all of whose components are drawn, of one component as\n"
        "in hand/box/U.position.z, or of their norm as in hand/box/U.position.norm. A second file\n"
        "is drawn over the first with broken lines; with three or with a reference each has a\n"
        "colour, and each component a panel. Files are results (.h5) or tables (.csv), whose\n"
        "first column is drawn along x, and which need no names.\n\n"
        "example: flange run capture.yaml -o capture.h5\n"
        "         flange plot capture.h5 hand/box/U.position -o u.svg\n"
        "         flange plot a.h5 b.h5 --reference exact.h5 --error --log y box.position.norm",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_plot,
};
