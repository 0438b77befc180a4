#include "cli/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "base/input_limits.h"

const flg_option flg_common_options[] = {
    {"json", 0, NULL, "Print the result as JSON on standard output"},
    {"log-level", 0, "LEVEL", "How much to tell: error, warning, info or debug (default: warning)"},
    {"limit", 0, "NAME=NUMBER",
     "Read more than is usual of text, table or mesh [MiB], or more values, includes, objects, "
     "patterns, apart, coupled, ports, models, drives, rows or probes"},
    {"help", 'h', NULL, "Show this help"},
};
const int flg_common_option_count = sizeof flg_common_options / sizeof flg_common_options[0];

static const flg_option *option_at(const flg_verb *verb, int index) {
  if (index < verb->option_count) return &verb->options[index];
  index -= verb->option_count;
  return index < flg_common_option_count ? &flg_common_options[index] : NULL;
}

/* the option of a name or letter; length is that of the name */
static const flg_option *arguments_find(const flg_verb *verb, const char *name, size_t length,
                                        char letter) {
  const flg_option *option;
  for (int k = 0; (option = option_at(verb, k)) != NULL; k++) {
    if (letter != 0 && option->letter == letter) return option;
    if (letter == 0 && strlen(option->name) == length && strncmp(option->name, name, length) == 0) {
      return option;
    }
  }
  return NULL;
}

static flg_status unknown_argument(const flg_verb *verb, const char *word, flg_error *error) {
  const char *names[FLG_ARGUMENTS_MAX];
  int count = 0;
  for (const flg_option *option; (option = option_at(verb, count)) != NULL;) {
    names[count++] = option->name;
  }
  const char *close = flg_closest_word(word + strspn(word, "-"), names, count);
  if (close != NULL) {
    return flg_fail(error, FLG_ERR_USAGE, "There is no option '%s'; did you mean '--%s'?", word,
                    close);
  }
  return flg_fail(error, FLG_ERR_USAGE, "There is no option '%s'; see 'flange %s --help'.", word,
                  verb->name);
}

/* the words that are still to be read */
typedef struct cursor {
  char *const *words;
  int count, at;
} cursor;

static flg_status take_command_option(flg_arguments *arguments, cursor *from, flg_error *error) {
  const char *word = from->words[from->at++];
  const bool is_long = word[1] == '-';
  const char *name = is_long ? word + 2 : word + 1;
  const size_t length = strcspn(name, "=");
  const flg_option *option = arguments_find(arguments->verb, name, length, is_long ? 0 : name[0]);
  if (option == NULL) return unknown_argument(arguments->verb, word, error);
  /* --name=value, -nvalue, or the next word */
  const char *rest = is_long ? (name[length] == '=' ? name + length + 1 : NULL)
                             : (name[1] != '\0' ? name + 1 : NULL);
  if (option->argument == NULL && rest != NULL) {
    return flg_fail(error, FLG_ERR_USAGE, "Option '--%s' takes no value, found '%s'.", option->name,
                    rest);
  }
  if (option->argument != NULL && rest == NULL && option->argument[0] != '[') {
    if (from->at == from->count) {
      return flg_fail(error, FLG_ERR_USAGE, "Option '--%s' needs a value: --%s %s.", option->name,
                      option->name, option->argument);
    }
    rest = from->words[from->at++];
  }
  if (arguments->given_count == FLG_ARGUMENTS_MAX) {
    return flg_fail(error, FLG_ERR_USAGE, "More than %d options are too many.", FLG_ARGUMENTS_MAX);
  }
  arguments->given[arguments->given_count++] = (struct flg_given){option, rest};
  return FLG_OK;
}

static flg_status take_words(flg_arguments *arguments, cursor from, flg_error *error) {
  bool options = true;
  while (from.at < from.count) {
    const char *word = from.words[from.at];
    if (options && strcmp(word, "--") == 0) {
      options = false;
      from.at++;
    } else if (options && word[0] == '-' && word[1] != '\0') {
      const flg_status status = take_command_option(arguments, &from, error);
      if (status != FLG_OK) return status;
    } else if (arguments->positional_count == FLG_ARGUMENTS_MAX) {
      return flg_fail(error, FLG_ERR_USAGE, "More than %d arguments are too many.",
                      FLG_ARGUMENTS_MAX);
    } else {
      arguments->positionals[arguments->positional_count++] = word;
      from.at++;
    }
  }
  return FLG_OK;
}

static flg_status check_count(const flg_arguments *arguments, flg_error *error) {
  const flg_verb *verb = arguments->verb;
  const int count = arguments->positional_count;
  if (count < verb->least) {
    return flg_fail(error, FLG_ERR_USAGE, "'flange %s' needs %s; see 'flange %s --help'.",
                    verb->name, verb->positional, verb->name);
  }
  if (count > verb->most) {
    return flg_fail(error, FLG_ERR_USAGE, "'flange %s' does not know what to do with '%s'.",
                    verb->name, arguments->positionals[verb->most]);
  }
  return FLG_OK;
}

flg_status flg_arguments_parse(flg_arguments *arguments, const flg_verb *verb, int count,
                               char *const *words, flg_error *error) {
  *arguments = (flg_arguments){.verb = verb, .log.level = FLG_LOG_WARNING};
  const cursor all = {.words = words, .count = count};
  flg_status status = take_words(arguments, all, error);
  if (status != FLG_OK) return status;
  arguments->json = flg_arguments_has(arguments, "json");
  const char *level = flg_arguments_value(arguments, "log-level");
  if (level != NULL && flg_log_level_parse(level, &arguments->log.level, error) != FLG_OK) {
    return error->status = FLG_ERR_USAGE;
  }
  const char *limits[FLG_ARGUMENTS_MAX];
  const int limit_count = flg_arguments_values(arguments, "limit", limits);
  for (int k = 0; k < limit_count && status == FLG_OK; k++) {
    status = flg_input_limit_set(limits[k], error);
  }
  if (status != FLG_OK || flg_arguments_has(arguments, "help")) return status;
  return check_count(arguments, error);
}

bool flg_arguments_has(const flg_arguments *arguments, const char *option) {
  for (int k = 0; k < arguments->given_count; k++) {
    if (strcmp(arguments->given[k].option->name, option) == 0) return true;
  }
  return false;
}

int flg_arguments_values(const flg_arguments *arguments, const char *option,
                         const char *values[FLG_ARGUMENTS_MAX]) {
  int count = 0;
  for (int k = 0; k < arguments->given_count; k++) {
    if (strcmp(arguments->given[k].option->name, option) != 0) continue;
    values[count++] = arguments->given[k].value;
  }
  return count;
}

const char *flg_arguments_value(const flg_arguments *arguments, const char *option) {
  const char *values[FLG_ARGUMENTS_MAX];
  const int count = flg_arguments_values(arguments, option, values);
  return count == 0 ? NULL : values[count - 1];
}

flg_status flg_arguments_threads(const flg_arguments *arguments, int fallback,
                                 flg_threads **threads, flg_error *error) {
  const char *text = flg_arguments_value(arguments, "threads");
  char *end = NULL;
  const long count = text == NULL ? fallback : strtol(text, &end, 10);
  if (text != NULL && (end == text || *end != '\0' || count < 0 || count > FLG_THREADS_MAX)) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "--threads '%s' is no number of threads; expected 1 to %d, or 0 for one on "
                    "each core.",
                    text, FLG_THREADS_MAX);
  }
  return flg_threads_build(threads, (int)count, error);
}
