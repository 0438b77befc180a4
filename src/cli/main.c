/* main.c - flange VERB ...: finds the verb, parses its arguments, runs it. */
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/closest.h"
#include "cli/console.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "flange/version.h"

const flg_verb *const flg_verbs[] = {
    &flg_verb_run,   &flg_verb_compare, &flg_verb_analyze, &flg_verb_trajectory, &flg_verb_inverse,
    &flg_verb_check, &flg_verb_convert, &flg_verb_schema,  &flg_verb_help,       NULL};

const flg_verb *flg_verb_find(const char *name) {
  for (const flg_verb *const *verb = flg_verbs; *verb != NULL; verb++) {
    if (strcmp((*verb)->name, name) == 0) return *verb;
  }
  return NULL;
}

static int unknown_verb(const char *name) {
  const char *names[16];
  int count = 0;
  while (flg_verbs[count] != NULL) names[count] = flg_verbs[count]->name, count++;
  const char *close = flg_closest_word(name, names, count);
  fprintf(stderr, "flange: there is no verb '%s'", name);
  if (close != NULL) fprintf(stderr, "; did you mean '%s'?", close);
  fprintf(stderr, "%s\n", close == NULL ? "; see 'flange --help'" : "");
  return EX_USAGE;
}

static int run_verb(const flg_verb *verb, int count, char *const *words) {
  flg_arguments arguments;
  flg_error error;
  if (flg_arguments_parse(&arguments, verb, count, words, &error) != FLG_OK) {
    fprintf(stderr, "flange %s: %s\n", verb->name, error.message);
    return EX_USAGE;
  }
  if (flg_arguments_has(&arguments, "help")) {
    flg_help_verb(verb, stdout);
    return flg_console_finish(EX_OK);
  }
  arguments.log.sink = flg_console_log;
  return flg_console_finish(verb->run(&arguments));
}

int main(int count, char **words) {
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
  if (verb == NULL) return unknown_verb(words[1]);
  return run_verb(verb, count - 2, words + 2);
}
