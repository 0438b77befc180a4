/* console.h - how the tool speaks: messages on stderr, exit codes as in sysexits.h. */
#ifndef FLG_CONSOLE_H
#define FLG_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "cli/arguments.h"
#include "flange/mistakes.h"
#include "text/json.h"

/* Grows with every change of a key that a reader of --json could trip over. */
enum { FLG_CONSOLE_JSON_VERSION = 1 };

/* A sink for flg_log: `flange: warning: ...` on stderr. */
void flg_console_log(void *user, flg_log_level level, const char *message);
/* Prints all mistakes, a line each, and how many there are beyond those listed. */
void flg_console_mistakes(const flg_mistakes *mistakes);
enum { FLG_MISTAKE_TEXT = sizeof(flg_mistake) + 32 }; /* room for one of them */
/* The same as a list of {file, line, column, message} under a key of an object that is open. */
void flg_console_mistakes_list(const flg_mistakes *mistakes, const char *key, flg_json *json);
/* Starts the object of --json on stdout: which program, version and verb (NULL: none) speak. */
flg_json flg_console_json(const char *verb);
/* The keys of every outcome: status, and where `error` is not NULL what went wrong. */
void flg_console_outcome_json(flg_json *json, flg_status status, const char *error);
/* "complete", "unsolved", "interrupted", "diverged" or "error". */
const char *flg_console_status_word(flg_status status);
/* Tells mistakes, and with --json an object with status, error and errors[]; the exit code. */
int flg_console_refuse(const flg_arguments *arguments, const flg_mistakes *mistakes);
/* The same of one sentence. */
int flg_console_fail(const flg_arguments *arguments, const flg_error *error);
int flg_console_fail_verb(const char *verb, bool json, const flg_error *error);
/* The exit code for a status, and for mistakes: those on the command line are EX_USAGE. What --set
 * says is part of the scenario. */
int flg_console_exit_code(flg_status status);
int flg_console_mistakes_code(const flg_mistakes *mistakes);
/* The ending of a noun of which there are so many: "" for one, else "s". */
static inline const char *flg_plural(int64_t count) {
  return count == 1 ? "" : "s";
}
/* Flushes stdout; EX_IOERR in place of success if what was printed could not be written. */
int flg_console_finish(int exit_code);

#endif
