/* flange new - writes a small system to begin with. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "base/closest.h"
#include "cli/console.h"
#include "cli/output_file.h"
#include "verbs/starters.h"
#include "verbs/verbs.h"

enum { PATH_MOST = 4096 };

static const flg_starter *verb_new_find(const char *name, flg_error *error) {
  flg_closest closest = flg_closest_begin(name);
  for (const flg_starter *starter = flg_starters; starter->name != NULL; starter++) {
    if (strcmp(starter->name, name) == 0) return starter;
    flg_closest_offer(&closest, starter->name);
  }
  char hint[FLG_HINT_TEXT];
  flg_closest_text(&closest, hint);
  flg_fail(error, FLG_ERR_USAGE, "there is no '%s' to begin with%s", name,
           hint[0] == '\0' ? "; expected pendulum, arm or coupled" : hint);
  return NULL;
}

/* "folder/path"; false with a sentence if that is too long */
static bool join_path(const char *folder, const char *path, char text[PATH_MOST],
                      flg_error *error) {
  if (snprintf(text, PATH_MOST, "%s/%s", folder, path) < PATH_MOST) return true;
  flg_fail(error, FLG_ERR_USAGE, "The name '%s' is too long.", folder);
  return false;
}

/* one that is there is as good */
static bool make_folder(const char *path, flg_error *error) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return true;
  flg_fail(error, FLG_ERR_OUTPUT, "The folder '%s' cannot be made: %s.", path, strerror(errno));
  return false;
}

static bool is_path_free(const char *path, flg_error *error) {
  struct stat found;
  if (stat(path, &found) != 0) return true;
  flg_fail(error, FLG_ERR_OUTPUT, "'%s' is there already: choose another folder.", path);
  return false;
}

static bool write_file(const char *path, const char *text, flg_error *error) {
  FILE *file = flg_output_open(path, (flg_file_kind){"starter", ""}, error);
  if (file == NULL) return false;
  fputs(text, file);
  return flg_output_close(file, path, error) == FLG_OK;
}

/* nothing is written where a file is in the way */
static bool write_starter(const flg_starter *starter, const char *folder, flg_error *error) {
  char path[PATH_MOST];
  for (int k = 0; k < FLG_STARTER_FILES && starter->files[k].path != NULL; k++) {
    if (!join_path(folder, starter->files[k].path, path, error) || !is_path_free(path, error))
      return false;
  }
  if (!make_folder(folder, error)) return false;
  if (!join_path(folder, "models", path, error) || !make_folder(path, error)) return false;
  for (int k = 0; k < FLG_STARTER_FILES && starter->files[k].path != NULL; k++) {
    if (!join_path(folder, starter->files[k].path, path, error)) return false;
    if (!write_file(path, starter->files[k].text, error)) return false;
  }
  return true;
}

static void print_new_json(const flg_starter *starter, const char *folder) {
  flg_error error;
  char path[PATH_MOST];
  flg_json json = flg_console_json("new");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_json_put(&json, "files[");
  for (int k = 0; k < FLG_STARTER_FILES && starter->files[k].path != NULL; k++) {
    if (join_path(folder, starter->files[k].path, path, &error)) flg_json_put(&json, ":s", path);
  }
  flg_json_put(&json, "]");
  flg_json_end(&json);
}

static void print_new_text(const flg_starter *starter, const char *folder) {
  for (int k = 0; k < FLG_STARTER_FILES && starter->files[k].path != NULL; k++) {
    printf("written: %s/%s\n", folder, starter->files[k].path);
  }
  printf("next:\n  cd %s\n  flange run %s -o %s.h5\n  %s\n", folder, starter->files[0].path,
         starter->name, starter->next);
}

static int run_new(const flg_arguments *arguments) {
  const char *folder = arguments->positionals[1];
  flg_error error;
  const flg_starter *starter = verb_new_find(arguments->positionals[0], &error);
  if (starter == NULL || !write_starter(starter, folder, &error)) {
    return flg_console_fail(arguments, &error);
  }
  (arguments->json ? print_new_json : print_new_text)(starter, folder);
  return EX_OK;
}

const flg_verb flg_verb_new = {
    .name = "new",
    .summary = "write a small scenario with its models, to begin with",
    .positional = "pendulum|arm|coupled DIR",
    .least = 2,
    .most = 2,
    .description =
        "Writes a scenario and its models into the folder DIR, with comments that say what can be\n"
        "changed, and prints what to run next. A file that is there is not touched.\n\n"
        "  pendulum   a double pendulum that falls\n"
        "  arm        an arm with three joints that moves between poses under control\n"
        "  coupled    an arm and a payload, modelled apart and joined by an interface\n\n"
        "example: flange new coupled first",
    .run = run_new,
};
