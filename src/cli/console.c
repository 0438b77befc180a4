#include "cli/console.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

enum { EXIT_INTERRUPTED = 130 }; /* as a shell reports a process that Ctrl-C has ended */

void flg_console_log(void *user, flg_log_level level, const char *message) {
  (void)user;
  fprintf(stderr, "flange: %s: %s\n", flg_log_level_name(level), message);
}

static int listed(const flg_mistakes *mistakes) {
  return mistakes->count < FLG_MISTAKES_LISTED ? mistakes->count : FLG_MISTAKES_LISTED;
}

void flg_console_mistakes(const flg_mistakes *mistakes) {
  char text[sizeof(flg_mistake) + 32];
  for (int k = 0; k < listed(mistakes); k++) {
    flg_mistake_text(&mistakes->list[k], text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
  const int hidden = mistakes->count - listed(mistakes);
  if (hidden > 0) fprintf(stderr, "and %d more mistakes\n", hidden);
}

void flg_console_mistakes_list(const flg_mistakes *mistakes, const char *key, flg_json *json) {
  flg_json_open(json, key, '[');
  for (int k = 0; k < listed(mistakes); k++) {
    const flg_mistake *mistake = &mistakes->list[k];
    flg_json_open(json, NULL, '{');
    flg_json_text(json, "file", mistake->file);
    flg_json_number(json, "line", mistake->line);
    flg_json_number(json, "column", mistake->column);
    flg_json_text(json, "message", mistake->message);
    flg_json_close(json);
  }
  flg_json_close(json);
}

void flg_console_mistakes_json(const flg_mistakes *mistakes) {
  flg_json json = flg_json_begin(stdout);
  flg_json_text(&json, "status", "error");
  flg_console_mistakes_list(mistakes, "errors", &json);
  flg_json_end(&json);
}

int flg_console_refuse(const flg_mistakes *mistakes, bool json) {
  flg_console_mistakes(mistakes);
  if (json) flg_console_mistakes_json(mistakes);
  return flg_console_exit_code(mistakes->status);
}

int flg_console_exit_code(flg_status status) {
  switch (status) {
    case FLG_OK:
      return EX_OK;
    case FLG_ERR_MISSING:
      return EX_NOINPUT;
    case FLG_ERR_OUTPUT:
      return EX_CANTCREAT;
    case FLG_ERR_MEMORY:
      return EX_OSERR;
    case FLG_ERR_DIVERGED:
      return EX_SOFTWARE;
    case FLG_ERR_INTERRUPTED:
      return EXIT_INTERRUPTED;
    default:
      return EX_DATAERR;
  }
}

int flg_console_finish(int exit_code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return exit_code;
  fprintf(stderr, "flange: cannot write to standard output: %s\n", strerror(errno));
  return exit_code == EX_OK ? EX_IOERR : exit_code;
}
