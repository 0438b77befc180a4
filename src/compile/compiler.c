#include "compile/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/library_mark.h"

/* declared here because POSIX asks programs to, and no header has to */
extern char **environ;

enum { MOST_WORDS = 64, COMMAND_TEXT = 1024, PATH_TEXT = 4096, SAID_TEXT = 200 };

/* Asked for, else CC as make and most build systems read it, else the name that POSIX systems
 * have. */
const char *flg_compiler_command(const flg_compiler_options *options) {
  if (options->command != NULL && options->command[0] != '\0') return options->command;
  const char *given = getenv("CC");
  return given != NULL && given[0] != '\0' ? given : "cc";
}

/* words of a command line; commands hold spaces where they have arguments */
typedef struct command {
  char text[COMMAND_TEXT];
  char flags[COMMAND_TEXT];
  char march[COMMAND_TEXT];
  char *words[MOST_WORDS];
  int count;
} command;

/* spawn takes words that could change, and changes none */
static void add_word(command *of, const char *word) {
  if (of->count + 1 < MOST_WORDS) memcpy(&of->words[of->count++], &word, sizeof word);
}

/* no contraction: the same bits on every processor; -s: no symbols */
const char *flg_compiler_flags(void) {
  return "-std=c11 -O2 -fPIC -shared -fvisibility=hidden -ffp-contract=off -fno-math-errno "
         "-fno-trapping-math -fno-ident -s";
}

/* all words of a text, which is cut into them */
static void add_words(command *of, char *text) {
  char *rest = NULL;
  for (char *word = strtok_r(text, " \t", &rest); word != NULL;
       word = strtok_r(NULL, " \t", &rest)) {
    add_word(of, word);
  }
}

static void compiler_fill(command *of, const flg_compiler_options *options, const char *source,
                          const char *library) {
  of->count = 0;
  snprintf(of->text, sizeof of->text, "%s", flg_compiler_command(options));
  snprintf(of->flags, sizeof of->flags, "%s", flg_compiler_flags());
  add_words(of, of->text);
  add_words(of, of->flags);
  if (options->march != NULL) {
    snprintf(of->march, sizeof of->march, "-march=%s", options->march);
    add_word(of, of->march);
  }
  add_word(of, "-o");
  add_word(of, library);
  add_word(of, source);
  add_word(of, "-lm");
  of->words[of->count] = NULL;
}

/* --- calling it ---------------------------------------------------------------------------------
 */

/* its output goes to a file without a name, from which the message is taken if it fails */
/* posix_spawn, not fork: a fork of a process with threads may call almost nothing before exec. */
static int spawn(const command *of, int said) {
  posix_spawn_file_actions_t actions;
  pid_t child = 0;
  int status = 0;
  if (posix_spawn_file_actions_init(&actions) != 0) return -1;
  posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, said, STDOUT_FILENO);
  const int failed = posix_spawnp(&child, of->words[0], &actions, NULL, of->words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    errno = failed;
    return -1;
  }
  /* signals of the terminal interrupt the wait, not the compiler */
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* the first line with the word error, or the first at all */
static void first_words(FILE *said, char *text, size_t capacity) {
  char line[SAID_TEXT];
  text[0] = '\0';
  rewind(said);
  while (fgets(line, sizeof line, said) != NULL) {
    const bool tells = strstr(line, "error") != NULL || strstr(line, "No space") != NULL;
    if (text[0] == '\0' || tells) snprintf(text, capacity, "%s", line);
    if (tells) break;
  }
  text[strcspn(text, "\n")] = '\0';
}

/* Where a command is missing, some posix_spawnp fail, and others let the child exit with 127. */
static flg_status call_compiler(const command *of, flg_error *error) {
  char words[SAID_TEXT];
  FILE *said = tmpfile();
  if (said == NULL) {
    return flg_fail(error, FLG_ERR_OUTPUT, "no temporary file for the compiler: %s",
                    strerror(errno));
  }
  const int code = spawn(of, fileno(said));
  const int reason = errno;
  first_words(said, words, sizeof words);
  fclose(said);
  if (code == 0) return FLG_OK;
  if (code < 0 || code == 127) {
    return flg_fail(error, FLG_ERR_MISSING,
                    "the compiler '%s' cannot be called (%s); install one (apt-get install gcc) or "
                    "name it in the environment: CC=clang",
                    of->words[0], code < 0 ? strerror(reason) : words);
  }
  return flg_fail(error, FLG_ERR_OUTPUT, "the compiler '%s' failed with code %d: %s", of->words[0],
                  code, words);
}

flg_status flg_compiler_run(const flg_compiler_options *options, const char *source,
                            const char *library, uint64_t key, flg_error *error) {
  char unfinished[PATH_TEXT];
  command of;
  const int length =
      snprintf(unfinished, sizeof unfinished, "%s.%ld.part", library, (long)getpid());
  if (length < 0 || (size_t)length >= sizeof unfinished) {
    return flg_fail(error, FLG_ERR_INPUT, "the path of library '%s' is too long", library);
  }
  /* Tried before the compiler runs: 'cannot be written' is a better message than what a linker
   * says. */
  FILE *place = fopen(unfinished, "wb");
  if (place == NULL || fclose(place) != 0) {
    return flg_fail(error, FLG_ERR_OUTPUT, "'%s' cannot be written: %s", library, strerror(errno));
  }
  compiler_fill(&of, options, source, unfinished);
  flg_status status = call_compiler(&of, error);
  /* The mark says that the file is whole (library_mark.h); only then it gets its name, by one
   * rename: other processes see the old library or the new one, never half of one. */
  if (status == FLG_OK &&
      (!flg_library_mark_add(unfinished, key) || rename(unfinished, library) != 0)) {
    status =
        flg_fail(error, FLG_ERR_OUTPUT, "'%s' cannot be written: %s", library, strerror(errno));
  }
  if (status != FLG_OK) unlink(unfinished);
  return status;
}
