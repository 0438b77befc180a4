/* main.c - flange VERB ...: finds the verb, parses its arguments, runs it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/closest.h"
#include "base/input_file.h"
#include "cli/console.h"
#include "cli/guard.h"
#include "cli/memory_watch.h"
#include "cli/standard_input.h"
#include "flange/version.h"
#include "verbs/help.h"
#include "verbs/verbs.h"

const flg_verb *const flg_verbs[] = {&flg_verb_run,        &flg_verb_compare, &flg_verb_analyze,
                                     &flg_verb_trajectory, &flg_verb_inverse, &flg_verb_report,
                                     &flg_verb_view,       &flg_verb_plot,    &flg_verb_new,
                                     &flg_verb_check,      &flg_verb_convert, &flg_verb_compile,
                                     &flg_verb_schema,     &flg_verb_help,    NULL};

const flg_verb *flg_verb_find(const char *name) {
  for (const flg_verb *const *verb = flg_verbs; *verb != NULL; verb++) {
    if (strcmp((*verb)->name, name) == 0) return *verb;
  }
  return NULL;
}

/* before anything is parsed: failures are JSON, too */
static bool asks_for_json(int count, char *const *words) {
  for (int k = 0; k < count; k++) {
    if (strcmp(words[k], "--json") == 0) return true;
    if (strcmp(words[k], "--") == 0) return false;
  }
  return false;
}

static int unknown_verb(const char *name, bool json) {
  const char *names[16];
  char hint[FLG_HINT_TEXT];
  flg_error error;
  int count = 0;
  while (flg_verbs[count] != NULL) names[count] = flg_verbs[count]->name, count++;
  flg_closest_hint(name, names, count, hint);
  flg_fail(&error, FLG_ERR_USAGE, "there is no verb '%s'%s", name,
           hint[0] == '\0' ? "; see 'flange --help'" : hint);
  return flg_console_finish(flg_console_fail_verb(NULL, json, &error));
}

static int run_verb(const flg_verb *verb, int count, char *const *words) {
  flg_arguments arguments;
  flg_error error;
  if (flg_arguments_parse(&arguments, verb, count, words, &error) != FLG_OK) {
    return flg_console_finish(
        flg_console_fail_verb(verb->name, asks_for_json(count, words), &error));
  }
  if (flg_arguments_has(&arguments, "help")) {
    flg_help_verb(verb, stdout);
    return flg_console_finish(EX_OK);
  }
  arguments.log.sink = flg_console_log;
  (void)flg_inputs_keep(); /* without memory the tool has ended */
  if (verb->reads_file && !flg_standard_input(&arguments, &error)) {
    return flg_console_finish(flg_console_fail(&arguments, &error));
  }
  if (verb->reads_results) return flg_guard_run(&arguments, verb->run);
  return flg_console_finish(verb->run(&arguments));
}

/* A file that is opened later must not get the number of a stream that the caller has closed: what
 * is printed would go into it. Standard input and output stay as useless as they were. */
static bool claim_streams(void) {
  static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", modes[stream]) != stream) return false;
  }
  return true;
}

int main(int count, char **words) {
  if (!claim_streams()) return EX_OSERR;
  if (count < 2) {
    flg_help_overview(stderr);
    return EX_USAGE;
  }
  if (strcmp(words[1], "--version") == 0) {
    printf("flange %s\n", FLG_VERSION);
    return flg_console_finish(EX_OK);
  }
  if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0) {
    flg_help_overview(stdout);
    return flg_console_finish(EX_OK);
  }
  const flg_verb *verb = flg_verb_find(words[1]);
  flg_memory_watch(verb == NULL ? NULL : verb->name, asks_for_json(count - 1, words + 1));
  if (verb == NULL) return unknown_verb(words[1], asks_for_json(count - 1, words + 1));
  return run_verb(verb, count - 2, words + 2);
}
