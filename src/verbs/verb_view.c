/* flange view - results in a browser, served on loopback. */
#include <stdlib.h>
#include <sysexits.h>

#include "cli/console.h"
#include "cli/guard.h"
#include "cli/interrupts.h"
#include "cli/page.h"
#include "verbs/verbs.h"
#include "viewer/server.h"

static flg_status serve(const flg_arguments *arguments, const flg_page_data *data, int port,
                        flg_error *error) {
  flg_server *server = NULL;
  flg_status status = flg_server_open(&server, &flg_tool_page, data, port, error);
  if (status != FLG_OK) return status;
  flg_interrupts_listen();
  char address[40];
  snprintf(address, sizeof address, "http://127.0.0.1:%d/", flg_server_port(server));
  if (arguments->json) {
    flg_json json = flg_console_json("view");
    flg_console_outcome_json(&json, FLG_OK, NULL);
    flg_json_put(&json, "address:s port:d", address, flg_server_port(server));
    flg_json_end(&json);
  } else {
    printf("view: %s (Ctrl-C to stop)\n", address);
  }
  (void)fflush(stdout); /* judged when the tool ends */
  status = flg_server_run(server, &flg_interrupted, error);
  flg_server_release(server);
  return status;
}

static flg_status read_port(const flg_arguments *arguments, int *port, flg_error *error) {
  const char *text = flg_arguments_value(arguments, "port");
  char *end = NULL;
  const long number = text == NULL ? 0 : strtol(text, &end, 10);
  *port = (int)number;
  if (text == NULL || (end != text && *end == '\0' && number >= 0 && number <= 65535)) {
    return FLG_OK;
  }
  return flg_fail(error, FLG_ERR_USAGE, "--port '%s' is no port; expected 0 to 65535", text);
}

/* A broken file is reported before there is a server, which cannot run in a copy. */
static int try_to_open(const flg_arguments *arguments) {
  flg_error error = {0};
  for (int k = 0; k < arguments->positional_count; k++) {
    flg_recording recording = {0};
    const flg_status status = flg_recording_open(&recording, arguments->positionals[k], &error);
    flg_recording_release(&recording);
    if (status != FLG_OK) return flg_console_fail(arguments, &error);
  }
  return EX_OK;
}

static int serve_results(const flg_arguments *arguments) {
  const int count = arguments->positional_count;
  flg_recording *recordings = calloc((size_t)count, sizeof *recordings);
  flg_error error = {0};
  int port = 0;
  flg_status status = flg_page_check(&flg_tool_page, &error);
  if (status == FLG_OK) status = read_port(arguments, &port, &error);
  if (status == FLG_OK && recordings == NULL) {
    status = flg_fail(&error, FLG_ERR_MEMORY, "There is no memory left.");
  }
  for (int k = 0; k < count && status == FLG_OK; k++) {
    status = flg_recording_open(&recordings[k], arguments->positionals[k], &error);
  }
  const flg_page_data data = {.recordings = recordings, .count = count, .is_served = true};
  if (status == FLG_OK) status = serve(arguments, &data, port, &error);
  for (int k = 0; k < count && recordings != NULL; k++) flg_recording_release(&recordings[k]);
  free(recordings);
  return status == FLG_OK ? EX_OK : flg_console_fail(arguments, &error);
}

static int run_view(const flg_arguments *arguments) {
  const int code = flg_guard_run(arguments, try_to_open);
  return code == EX_OK ? serve_results(arguments) : code;
}

static const flg_option options[] = {
    {"port", 0, "N", "Listen on this port (default: any that is free)"},
};

const flg_verb flg_verb_view = {
    .name = "view",
    .summary = "show results in a browser, served on loopback",
    .positional = "RESULTS.h5 [MORE.h5...]",
    .least = 1,
    .most = FLG_ARGUMENTS_MAX,
    .description =
        "Serves the page of 'flange report' on 127.0.0.1 and prints its address, which a browser\n"
        "on this machine opens. Long recordings are handed out in pieces as they are looked at.\n"
        "Ctrl-C ends it.\n\n"
        "example: flange view capture.h5",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_view,
};
