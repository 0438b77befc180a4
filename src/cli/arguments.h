/* arguments.h - the command line by tables: they parse it, and print help, man page and completion.
 */
#ifndef FLG_ARGUMENTS_H
#define FLG_ARGUMENTS_H

#include <stdbool.h>

#include "base/log.h"
#include "flange/threads.h"

typedef struct flg_option {
  const char *name;          /* without the dashes */
  char letter;               /* short form, 0: none */
  const char *argument;      /* what follows it, NULL: nothing does; "[=X]": may follow as =X */
  const char *help;          /* one sentence, no full stop */
  const char *const *values; /* words that its argument may be or begin with, NULL at the end;
                                NULL: anything */
} flg_option;

enum { FLG_ARGUMENTS_MAX = 256 };

typedef struct flg_arguments {
  const struct flg_verb *verb;
  int positional_count;
  const char *positionals[FLG_ARGUMENTS_MAX];
  int given_count;
  struct flg_given {
    const flg_option *option;
    const char *value; /* NULL of a flag */
  } given[FLG_ARGUMENTS_MAX];
  bool json; /* machine-readable result on stdout */
  flg_log log;
} flg_arguments;

typedef struct flg_verb {
  const char *name;
  const char *summary;    /* one line */
  const char *positional; /* "SCENARIO", "" if there is none */
  int least, most;        /* how many positionals */
  bool reads_file;        /* they are files, and `-` is standard input */
  bool reads_results;     /* they are results, on which a library may crash (guard.h) */
  const char *description;
  const flg_option *options; /* its own; those that every verb takes come on top */
  int option_count;
  int (*run)(const flg_arguments *arguments); /* returns the exit code */
} flg_verb;

/* Options that every verb takes. */
extern const flg_option flg_common_options[];
extern const int flg_common_option_count;

/* Parses what follows the verb; FLG_ERR_USAGE with a sentence on what is wrong. */
flg_status flg_arguments_parse(flg_arguments *arguments, const flg_verb *verb, int count,
                               char *const *words, flg_error *error);
/* True if an option was given; its last value (NULL if not given). */
bool flg_arguments_has(const flg_arguments *arguments, const char *option);
const char *flg_arguments_value(const flg_arguments *arguments, const char *option);
/* All values of a repeated option, in order; returns how many. */
int flg_arguments_values(const flg_arguments *arguments, const char *option,
                         const char *values[FLG_ARGUMENTS_MAX]);
/* The threads that --threads asks for, or `fallback` of them; 0: one on each core. */
flg_status flg_arguments_threads(const flg_arguments *arguments, int fallback,
                                 flg_threads **threads, flg_error *error);

#endif
