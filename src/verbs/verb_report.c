/* flange report - results as one HTML page: plots and an animated view in space. */
#include <stdlib.h>
#include <sysexits.h>

#include "cli/console.h"
#include "cli/output_file.h"
#include "cli/page.h"
#include "verbs/verbs.h"

static flg_status write_report(const flg_page_data *data, const char *path, flg_error *error) {
  FILE *out = flg_output_open(path, FLG_KIND_PAGE, error);
  if (out == NULL) return error->status;
  const flg_status status = flg_report_write(&flg_tool_page, data, out, error);
  const flg_status closed = flg_output_close(out, path, status == FLG_OK ? error : NULL);
  return status == FLG_OK ? closed : status;
}

static void print_report_json(const flg_page_data *data, const char *path) {
  flg_json json = flg_console_json("report");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_json_put(&json, "output:s recordings:d", path, data->count);
  if (data->recordings != NULL) {
    flg_json_put(&json, "rows:g pose_every:g", (double)data->recordings[0].rows,
                 (double)flg_page_thin(data, &data->recordings[0]).poses);
  }
  flg_json_end(&json);
}

static int run_report(const flg_arguments *arguments) {
  const char *path = flg_arguments_value(arguments, "output");
  const int count = arguments->positional_count;
  flg_recording *recordings = calloc((size_t)count, sizeof *recordings);
  flg_error error = {0};
  flg_status status = flg_page_check(&flg_tool_page, &error);
  if (status == FLG_OK && path == NULL) {
    status = flg_fail(&error, FLG_ERR_USAGE, "report needs -o FILE.html");
  }
  if (status == FLG_OK && recordings == NULL) {
    status = flg_fail(&error, FLG_ERR_MEMORY, "There is no memory left.");
  }
  for (int k = 0; k < count && status == FLG_OK; k++) {
    status = flg_recording_open(&recordings[k], arguments->positionals[k], &error);
  }
  const flg_page_data data = {.recordings = recordings, .count = count};
  if (status == FLG_OK) status = write_report(&data, path, &error);
  if (status == FLG_OK && arguments->json) {
    print_report_json(&data, path);
  } else if (status == FLG_OK) {
    printf("report: %s\n", path);
  }
  for (int k = 0; k < count && recordings != NULL; k++) flg_recording_release(&recordings[k]);
  free(recordings);
  return status == FLG_OK ? EX_OK : flg_console_fail(arguments, &error);
}

static const flg_option options[] = {
    {"output", 'o', "FILE", "Write the page to FILE.html"},
};

const flg_verb flg_verb_report = {
    .name = "report",
    .summary = "write results as one HTML page, with plots and a view in space",
    .positional = "RESULTS.h5 [MORE.h5...]",
    .reads_results = true,
    .least = 1,
    .most = FLG_ARGUMENTS_MAX,
    .description =
        "Writes one HTML file that needs no network: an animated view of all bodies, contacts and\n"
        "interfaces, plots of every recorded signal, energy, rank and condition, and a summary.\n"
        "Further files are laid over the first: the reference of all errors is the monolithic one\n"
        "among them, and it is drawn as a ghost.\n\n"
        "example: flange run capture.yaml -o capture.h5\n"
        "         flange run capture.yaml --coupling monolithic -o exact.h5\n"
        "         flange report capture.h5 exact.h5 -o capture.html",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_report,
};
