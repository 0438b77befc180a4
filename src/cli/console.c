#include "cli/console.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "flange/version.h"

enum { EXIT_INTERRUPTED = 130 }; /* as a shell reports a process that Ctrl-C has ended */

void flg_console_log(void *user, flg_log_level level, const char *message) {
  (void)user;
  fprintf(stderr, "flange: %s: %s\n", flg_log_level_name(level), message);
}

static int listed(const flg_mistakes *mistakes) {
  return mistakes->count < FLG_MISTAKES_LISTED ? mistakes->count : FLG_MISTAKES_LISTED;
}

void flg_console_mistakes(const flg_mistakes *mistakes) {
  char text[FLG_MISTAKE_TEXT];
  for (int k = 0; k < listed(mistakes); k++) {
    flg_mistake_text(&mistakes->list[k], text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
  const int hidden = mistakes->count - listed(mistakes);
  if (hidden > 0) fprintf(stderr, "and %d more mistakes\n", hidden);
}

void flg_console_mistakes_list(const flg_mistakes *mistakes, const char *key, flg_json *json) {
  flg_json_put(json, "*[", key);
  for (int k = 0; k < listed(mistakes); k++) {
    const flg_mistake *mistake = &mistakes->list[k];
    flg_json_put(json, "{ file:s line:d column:d message:s }", mistake->file, mistake->line,
                 mistake->column, mistake->message);
  }
  flg_json_put(json, "]");
}

flg_json flg_console_json(const char *verb) {
  flg_json json = flg_json_begin(stdout);
  flg_json_put(&json, "flange{ version:s json:d verb:s }", FLG_VERSION, FLG_CONSOLE_JSON_VERSION,
               verb);
  return json;
}

const char *flg_console_status_word(flg_status status) {
  if (status == FLG_OK) return "complete";
  if (status == FLG_ERR_INTERRUPTED) return "interrupted";
  if (status == FLG_ERR_UNSOLVED) return "unsolved";
  return status == FLG_ERR_DIVERGED ? "diverged" : "error";
}

/* `message` is what `error` was called once */
void flg_console_outcome_json(flg_json *json, flg_status status, const char *error) {
  flg_json_put(json, "status:s", flg_console_status_word(status));
  if (error == NULL) return;
  flg_json_put(json, "error:s message:s", error, error);
}

int flg_console_refuse(const flg_arguments *arguments, const flg_mistakes *mistakes) {
  flg_console_mistakes(mistakes);
  if (arguments->json) {
    char text[FLG_MISTAKE_TEXT];
    flg_mistake_text(&mistakes->list[0], text, sizeof text);
    flg_json json = flg_console_json(arguments->verb->name);
    flg_console_outcome_json(&json, mistakes->status, text);
    flg_console_mistakes_list(mistakes, "errors", &json);
    flg_json_end(&json);
  }
  return flg_console_mistakes_code(mistakes);
}

int flg_console_fail_verb(const char *verb, bool json, const flg_error *error) {
  fprintf(stderr, "flange%s%s: %s\n", verb == NULL ? "" : " ", verb == NULL ? "" : verb,
          error->message);
  if (json) {
    flg_json out = flg_console_json(verb);
    flg_console_outcome_json(&out, error->status, error->message);
    flg_json_end(&out);
  }
  return flg_console_exit_code(error->status);
}

int flg_console_fail(const flg_arguments *arguments, const flg_error *error) {
  return flg_console_fail_verb(arguments->verb->name, arguments->json, error);
}

int flg_console_mistakes_code(const flg_mistakes *mistakes) {
  const char *file = mistakes->count == 0 ? "" : mistakes->list[0].file;
  const bool is_option = strncmp(file, "--", 2) == 0 && strncmp(file, "--set ", 6) != 0;
  if (is_option && mistakes->status == FLG_ERR_INPUT) return EX_USAGE;
  return flg_console_exit_code(mistakes->status);
}

int flg_console_exit_code(flg_status status) {
  switch (status) {
    case FLG_OK:
      return EX_OK;
    case FLG_ERR_USAGE:
      return EX_USAGE;
    case FLG_ERR_MISSING:
      return EX_NOINPUT;
    case FLG_ERR_OUTPUT:
      return EX_CANTCREAT;
    case FLG_ERR_MEMORY:
      return EX_OSERR;
    case FLG_ERR_DIVERGED:
    case FLG_ERR_UNSOLVED:
      return EX_SOFTWARE;
    case FLG_ERR_INTERRUPTED:
      return EXIT_INTERRUPTED;
    default:
      return EX_DATAERR;
  }
}

int flg_console_finish(int exit_code) {
  /* whatever a sentence before it was about */
  if (exit_code == EX_OSERR) fprintf(stderr, "flange: out of memory\n");
  if (fflush(stdout) == 0 && !ferror(stdout)) return exit_code;
  fprintf(stderr, "flange: cannot write to standard output: %s\n", strerror(errno));
  /* a verb that noticed it said that its output cannot be created */
  return exit_code == EX_OK || exit_code == EX_CANTCREAT ? EX_IOERR : exit_code;
}
