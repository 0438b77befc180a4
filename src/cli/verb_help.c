/* flange help - help on a verb, and the same tables as a man page or a completion script. */
#include <sysexits.h>

#include "cli/help.h"
#include "cli/verbs.h"

static int run(const flg_arguments *arguments) {
  if (flg_arguments_has(arguments, "man")) {
    flg_help_man(stdout);
  } else if (flg_arguments_has(arguments, "completion")) {
    flg_help_completion(stdout);
  } else if (arguments->positional_count == 0) {
    flg_help_overview(stdout);
  } else {
    const flg_verb *verb = flg_verb_find(arguments->positionals[0]);
    if (verb == NULL) {
      fprintf(stderr, "flange help: there is no verb '%s'\n", arguments->positionals[0]);
      return EX_USAGE;
    }
    flg_help_verb(verb, stdout);
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
    .description = "Shows what a verb does and which options it takes.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
