#include "cli/standard_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/document.h"

/* by their ends models are told apart; XML starts with '<', and YAML cannot */
static const char *name_of_input(const char *text, size_t length) {
  size_t at = 0;
  while (at < length && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') at++;
  return at < length && text[at] == '<' ? "<stdin>.urdf" : "<stdin>";
}

/* all of it, kept until the program ends; NULL with a sentence */
static char *read_all(size_t *length, flg_error *error) {
  const double most = FLG_MIB * flg_input_limit_value(FLG_LIMIT_TEXT);
  size_t capacity = 1 << 16;
  char *text = malloc(capacity);
  *length = 0;
  while (text != NULL) {
    *length += fread(text + *length, 1, capacity - *length, stdin);
    if (*length < capacity) break;
    if ((double)*length > most) {
      free(text);
      flg_fail(error, FLG_ERR_INPUT,
               "<stdin> has more than %.0f MiB, the most that is read without `--limit text=MIB`.",
               most / FLG_MIB);
      return NULL;
    }
    char *more = realloc(text, capacity *= 2);
    if (more == NULL) free(text);
    text = more;
  }
  if (text == NULL) flg_fail(error, FLG_ERR_MEMORY, "There is no memory left to read <stdin>.");
  if (text == NULL || !ferror(stdin)) return text;
  free(text);
  flg_fail(error, FLG_ERR_MISSING, "cannot read <stdin> to its end");
  return NULL;
}

bool flg_standard_input(flg_arguments *arguments, flg_error *error) {
  const char *name = NULL;
  for (int k = 0; k < arguments->positional_count; k++) {
    if (strcmp(arguments->positionals[k], "-") != 0) continue;
    if (name == NULL) {
      size_t length;
      static char *text; /* for as long as the program runs */
      text = read_all(&length, error);
      if (text == NULL) return false;
      name = name_of_input(text, length);
      flg_file_provide(name, text, length);
    }
    arguments->positionals[k] = name;
  }
  return true;
}
