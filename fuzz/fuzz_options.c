/* Any bytes are the words of a command line, one a line: they are taken, or there is a sentence on
 * what is wrong. What was taken is what the words say. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS_MAX = 600 };

static const flg_option options[] = {{"output", 'o', "FILE", "a value"},
                                     {"set", 's', "KEY=VALUE", "repeated"},
                                     {"real-time", 0, "[=FACTOR]", "a value or none"},
                                     {"force", 'f', NULL, "a flag"},
                                     {"threads", 0, "N", "a number"}};
static const flg_verb verbs[] = {{.name = "run",
                                  .positional = "FILE",
                                  .least = 1,
                                  .most = 1,
                                  .options = options,
                                  .option_count = 5},
                                 {.name = "plot",
                                  .positional = "FILE..",
                                  .least = 0,
                                  .most = FLG_ARGUMENTS_MAX,
                                  .options = options,
                                  .option_count = 2},
                                 {.name = "help", .positional = "", .least = 0, .most = 0}};

static void demand(int holds) {
  if (!holds) abort();
}

static int split(char *text, char *words[WORDS_MAX]) {
  int count = 0;
  for (char *word = text; word != NULL && count < WORDS_MAX; count++) {
    words[count] = word;
    word = strchr(word, '\n');
    if (word != NULL) *word++ = '\0';
  }
  return count;
}

static void check(const flg_arguments *arguments) {
  const flg_verb *verb = arguments->verb;
  const bool asks = flg_arguments_has(arguments, "help");
  demand(asks || arguments->positional_count >= verb->least);
  demand(asks || arguments->positional_count <= verb->most);
  for (int k = 0; k < arguments->given_count; k++) {
    const struct flg_given *given = &arguments->given[k];
    const char *values[FLG_ARGUMENTS_MAX];
    demand(flg_arguments_has(arguments, given->option->name));
    demand(flg_arguments_values(arguments, given->option->name, values) > 0);
    demand(given->option->argument != NULL || given->value == NULL);
    demand(given->option->argument == NULL || given->option->argument[0] == '[' ||
           given->value != NULL);
  }
  flg_error error = {.status = FLG_OK};
  flg_threads *threads = NULL;
  /* no threads are started for the sake of a number */
  if (flg_arguments_has(arguments, "threads")) return;
  demand(flg_arguments_threads(arguments, 1, &threads, &error) == FLG_OK);
  flg_threads_release(threads);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *words[WORDS_MAX], *text = malloc(size + 1);
  demand(text != NULL);
  for (size_t k = 0; k < sizeof verbs / sizeof verbs[0]; k++) {
    memcpy(text, data, size);
    text[size] = '\0';
    const int count = split(text, words);
    flg_arguments arguments;
    flg_error error = {.status = FLG_OK};
    const flg_status status = flg_arguments_parse(&arguments, &verbs[k], count, words, &error);
    demand(status == FLG_OK || (status == FLG_ERR_USAGE && error.message[0] != '\0'));
    if (status == FLG_OK) check(&arguments);
  }
  free(text);
  return 0;
}
