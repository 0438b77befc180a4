#include "verbs/help.h"

#include <string.h>

#include "flange/version.h"
#include "verbs/verbs.h"

static const char *const exit_codes[][2] = {
    {"0", "success"},
    {"64", "the command line is wrong"},
    {"65", "an input file has mistakes"},
    {"66", "an input file cannot be read"},
    {"70", "the simulation diverged; the results so far are kept"},
    {"71", "the system has no memory left"},
    {"73", "the results cannot be created or written"},
    {"74", "standard output cannot be written"},
    {"130", "Ctrl-C; the results so far are kept"},
};
enum { EXIT_CODES = sizeof exit_codes / sizeof exit_codes[0] };

void flg_help_overview(FILE *out) {
  fprintf(out,
          "Flange simulates mechanical systems that are built from parts, and couples parts that\n"
          "were modelled apart.\n\n"
          "usage: flange VERB [arguments]\n\n");
  for (const flg_verb *const *verb = flg_verbs; *verb != NULL; verb++) {
    fprintf(out, "  %-10s %s\n", (*verb)->name, (*verb)->summary);
  }
  fprintf(out, "\n'flange VERB --help' prints more on a verb, 'flange --version' the version.\n");
}

static void option_head(const flg_option *option, char *text, size_t capacity) {
  char letter[8] = "    ";
  if (option->letter != 0) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  const char *argument = option->argument == NULL ? "" : option->argument;
  const char *space = argument[0] == '\0' || argument[0] == '[' ? "" : " ";
  snprintf(text, capacity, "%s--%s%s%s", letter, option->name, space, argument);
}

enum { HELP_COLUMN = 30, HELP_WIDTH = 100 };

/* "a, b or c", in lines that begin under the help of the option */
static void print_value_names(const char *const *values, FILE *out) {
  int column = HELP_WIDTH;
  for (const char *const *word = values; *word != NULL; word++) {
    const char *after = word[1] == NULL ? "" : word[2] == NULL ? " or" : ",";
    const int width = (int)(strlen(*word) + strlen(after)) + 1;
    if (column + width > HELP_WIDTH) {
      fprintf(out, "%s%*s", word == values ? "" : "\n", HELP_COLUMN, "");
      column = HELP_COLUMN;
    }
    fprintf(out, " %s%s", *word, after);
    column += width;
  }
  fputc('\n', out);
}

static void print_options(const flg_option *options, int count, FILE *out) {
  char head[64];
  for (int k = 0; k < count; k++) {
    option_head(&options[k], head, sizeof head);
    fprintf(out, "  %-28s %s%s\n", head, options[k].help, options[k].values == NULL ? "" : ":");
    if (options[k].values != NULL) print_value_names(options[k].values, out);
  }
}

void flg_help_verb(const flg_verb *verb, FILE *out) {
  fprintf(out, "usage: flange %s%s%s [options]\n\n%s\n\noptions:\n", verb->name,
          verb->positional[0] == '\0' ? "" : " ", verb->positional, verb->description);
  print_options(verb->options, verb->option_count, out);
  print_options(flg_common_options, flg_common_option_count, out);
}

/* text for troff: backslashes and dashes escaped, no line starting with a dot */
static void man_text(const char *text, FILE *out) {
  bool line_start = true;
  for (const char *c = text; *c != '\0'; c++) {
    if (line_start && (*c == '.' || *c == '\'')) fputs("\\&", out);
    if (*c == '\\') {
      fputs("\\e", out);
    } else if (*c == '-') {
      fputs("\\-", out);
    } else {
      fputc(*c, out);
    }
    line_start = *c == '\n';
  }
  fputc('\n', out);
}

static void man_options(const flg_option *options, int count, FILE *out) {
  char head[64];
  for (int k = 0; k < count; k++) {
    option_head(&options[k], head, sizeof head);
    fputs(".TP\n.B ", out);
    man_text(head + strspn(head, " "), out);
    man_text(options[k].help, out);
    for (const char *const *word = options[k].values; word != NULL && *word != NULL; word++) {
      fputs(".br\n", out);
      man_text(*word, out);
    }
  }
}

static void man_verb(const flg_verb *verb, FILE *out) {
  fprintf(out, ".SS flange %s %s\n", verb->name, verb->positional);
  man_text(verb->summary, out);
  fputs(".PP\n.nf\n", out); /* descriptions are laid out by hand */
  man_text(verb->description, out);
  fputs(".fi\n", out);
  man_options(verb->options, verb->option_count, out);
}

void flg_help_man(FILE *out) {
  fprintf(out, ".TH FLANGE 1 \"\" \"flange %s\" \"User commands\"\n", FLG_VERSION);
  fputs(
      ".SH NAME\nflange \\- simulate mechanical systems built from parts\n"
      ".SH SYNOPSIS\n.B flange\n.I VERB\n[arguments]\n"
      ".SH DESCRIPTION\nFlange simulates mechanical systems that are built from parts, and couples "
      "parts that were modelled apart.\n.SH VERBS\n",
      out);
  for (const flg_verb *const *verb = flg_verbs; *verb != NULL; verb++) man_verb(*verb, out);
  fputs(".SH OPTIONS OF EVERY VERB\n", out);
  man_options(flg_common_options, flg_common_option_count, out);
  fputs(".SH EXIT STATUS\n", out);
  for (int k = 0; k < EXIT_CODES; k++) {
    fprintf(out, ".TP\n.B %s\n", exit_codes[k][0]);
    man_text(exit_codes[k][1], out);
  }
}

static void completion_options(const flg_option *options, int count, FILE *out) {
  for (int k = 0; k < count; k++) fprintf(out, " --%s", options[k].name);
}

/* after an option with known words: these */
static void completion_values(const flg_verb *verb, FILE *out) {
  for (int k = 0; k < verb->option_count; k++) {
    const flg_option *option = &verb->options[k];
    if (option->values == NULL) continue;
    fprintf(out, "    %s:--%s", verb->name, option->name);
    if (option->letter != 0) fprintf(out, " | %s:-%c", verb->name, option->letter);
    fputs(") values=\"", out);
    for (const char *const *word = option->values; *word != NULL; word++) {
      fprintf(out, "%s%s", word == option->values ? "" : " ", *word);
    }
    fputs("\" ;;\n", out);
  }
}

void flg_help_completion(FILE *out) {
  fputs(
      "# bash completion for flange\n_flange() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} options= values=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    mapfile -t COMPREPLY < <(compgen -W \"",
      out);
  for (const flg_verb *const *verb = flg_verbs; *verb != NULL; verb++) {
    fprintf(out, "%s ", (*verb)->name);
  }
  fputs("--help --version\" -- \"$word\")\n    return\n  fi\n  case $verb in\n", out);
  for (const flg_verb *const *verb = flg_verbs; *verb != NULL; verb++) {
    fprintf(out, "    %s) options=\"", (*verb)->name);
    completion_options((*verb)->options, (*verb)->option_count, out);
    completion_options(flg_common_options, flg_common_option_count, out);
    fputs("\" ;;\n", out);
  }
  fputs("  esac\n  case $verb:${COMP_WORDS[COMP_CWORD - 1]} in\n", out);
  for (const flg_verb *const *verb = flg_verbs; *verb != NULL; verb++) {
    completion_values(*verb, out);
  }
  fputs(
      "  esac\n"
      "  if [ -n \"$values\" ]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n    return\n  fi\n"
      "  case $word in\n"
      "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\") ;;\n"
      "    *) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
      "  esac\n}\ncomplete -o filenames -F _flange flange\n",
      out);
}
