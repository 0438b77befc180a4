/* console.h - how the tool speaks: messages on stderr, exit codes as in sysexits.h. */
#ifndef FLG_CONSOLE_H
#define FLG_CONSOLE_H

#include <stdbool.h>

#include "flange/log.h"
#include "flange/mistakes.h"
#include "io/json.h"

/* A sink for flg_log: `flange: warning: ...` on stderr. */
void flg_console_log(void *user, flg_log_level level, const char *message);
/* Prints all mistakes, a line each, and how many there are beyond those listed. */
void flg_console_mistakes(const flg_mistakes *mistakes);
/* The same as an object on stdout: status and errors[]. */
void flg_console_mistakes_json(const flg_mistakes *mistakes);
/* The same as a list of {file, line, column, message} under a key of an object that is open. */
void flg_console_mistakes_list(const flg_mistakes *mistakes, const char *key, flg_json *json);
/* Both as they are asked for; returns the exit code. */
int flg_console_refuse(const flg_mistakes *mistakes, bool json);
/* The exit code for a status. */
int flg_console_exit_code(flg_status status);
/* Flushes stdout; turns success into EX_IOERR if what was printed could not be written. */
int flg_console_finish(int exit_code);

#endif
