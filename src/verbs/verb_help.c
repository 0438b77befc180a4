/* flange help - help on a verb, and the same tables as a man page or a completion script. */
#include <sysexits.h>

#include "cli/console.h"
#include "verbs/help.h"
#include "verbs/verbs.h"

static void print_values_json(const char *const *values, flg_json *json) {
  flg_json_put(json, "values[");
  for (; *values != NULL; values++) flg_json_put(json, ":s", *values);
  flg_json_put(json, "]");
}

static void help_print_options(const flg_option *options, int count, flg_json *json) {
  for (int k = 0; k < count; k++) {
    const char letter[2] = {options[k].letter, '\0'};
    flg_json_put(json, "{ name:s letter:s argument:s help:s", options[k].name,
                 options[k].letter == 0 ? NULL : letter, options[k].argument, options[k].help);
    if (options[k].values != NULL) print_values_json(options[k].values, json);
    flg_json_put(json, "}");
  }
}

static void print_verb(const flg_verb *verb, flg_json *json) {
  flg_json_put(json, "{ name:s summary:s positional:s description:s options[", verb->name,
               verb->summary, verb->positional, verb->description);
  help_print_options(verb->options, verb->option_count, json);
  help_print_options(flg_common_options, flg_common_option_count, json);
  flg_json_put(json, "] }");
}

/* one verb, or NULL: all of them */
static void print_help_json(const flg_verb *one) {
  flg_json json = flg_console_json("help");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_json_put(&json, "verbs[");
  for (const flg_verb *const *verb = flg_verbs; *verb != NULL; verb++) {
    if (one == NULL || *verb == one) print_verb(*verb, &json);
  }
  flg_json_put(&json, "]");
  flg_json_end(&json);
}

static int print_topic(const flg_arguments *arguments) {
  const bool is_whole = arguments->positional_count == 0;
  const flg_verb *verb = is_whole ? NULL : flg_verb_find(arguments->positionals[0]);
  if (verb == NULL && !is_whole) {
    flg_error error;
    flg_fail(&error, FLG_ERR_USAGE, "there is no verb '%s'", arguments->positionals[0]);
    return flg_console_fail(arguments, &error);
  }
  if (arguments->json) {
    print_help_json(verb);
  } else if (is_whole) {
    flg_help_overview(stdout);
  } else {
    flg_help_verb(verb, stdout);
  }
  return EX_OK;
}

static int run_help(const flg_arguments *arguments) {
  const bool is_script =
      flg_arguments_has(arguments, "man") || flg_arguments_has(arguments, "completion");
  if (is_script && arguments->json) {
    flg_error error;
    flg_fail(&error, FLG_ERR_USAGE, "the man page and the completion are not JSON");
    return flg_console_fail(arguments, &error);
  }
  if (flg_arguments_has(arguments, "man")) {
    flg_help_man(stdout);
  } else if (flg_arguments_has(arguments, "completion")) {
    flg_help_completion(stdout);
  } else {
    return print_topic(arguments);
  }
  return EX_OK;
}

static const flg_option options[] = {
    {"man", 0, NULL, "Print the man page, in troff"},
    {"completion", 0, NULL, "Print the bash completion script"},
};

const flg_verb flg_verb_help = {
    .name = "help",
    .summary = "help on a verb; man page and bash completion",
    .positional = "[VERB]",
    .most = 1,
    .description = "Shows the purpose of a verb and its options.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_help,
};
