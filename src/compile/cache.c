#include "compile/cache.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "plugin/library_mark.h"

/* --- keys ---------------------------------------------------------------------------------------
 */

/* With its end: 'ab', 'c' and 'a', 'bc' are different keys. */
static uint64_t chain_text(uint64_t hash, const char *text) {
  return flg_hash(hash, text, strlen(text) + 1);
}

/* size and time of a program: another compiler under the same name makes other libraries */
static bool chain_program(const char *path, uint64_t *hash) {
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  const int64_t facts[3] = {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
  *hash = flg_hash(*hash, facts, sizeof facts);
  return true;
}

/* a word of the command, if it is a program: the first of that name in PATH, as the system finds it
 */
static void chain_word(const char *word, size_t length, uint64_t *hash) {
  char path[FLG_SOURCE_PATH];
  snprintf(path, sizeof path, "%.*s", (int)length, word);
  if (strchr(path, '/') != NULL) {
    (void)chain_program(path, hash);
    return;
  }
  const char *folder = getenv("PATH");
  while (folder != NULL && *folder != '\0') {
    const size_t count = strcspn(folder, ":");
    snprintf(path, sizeof path, "%.*s/%.*s", (int)count, folder, (int)length, word);
    if (chain_program(path, hash)) return;
    folder += count + (folder[count] == ':');
  }
}

/* All words are tried as programs: in 'ccache gcc' the second one makes the code. */
static uint64_t chain_compiler(uint64_t hash, const char *command) {
  hash = chain_text(hash, command);
  for (const char *word = command; *word != '\0';) {
    const size_t length = strcspn(word, " \t");
    if (length > 0) chain_word(word, length, &hash);
    word += length + (word[length] != '\0');
  }
  return hash;
}

/* Everything that the library depends on. The source has the version of Flange in it, and the texts
 * of the runtime, so a new release never finds a library of an old one. */
static uint64_t cache_key_of(const flg_compiler_options *compiler, const char *source,
                             size_t length) {
  uint64_t hash = flg_hash(FLG_HASH_SEED, source, length);
  hash = chain_compiler(hash, flg_compiler_command(compiler));
  hash = chain_text(hash, flg_compiler_flags());
  return chain_text(hash, compiler->march == NULL ? "" : compiler->march);
}

/* --- the folder ---------------------------------------------------------------------------------
 */

static bool cache_join(char to[FLG_SOURCE_PATH], const char *folder, const char *name) {
  const int length = snprintf(to, FLG_SOURCE_PATH, "%s/%s", folder, name);
  return length > 0 && length < FLG_SOURCE_PATH;
}

/* all folders of a path; those that are there are left as they are */
/* Only the user may enter what is made here: S_IRWXU. */
static bool make_folders(const char *path) {
  char part[FLG_SOURCE_PATH];
  snprintf(part, sizeof part, "%s", path);
  for (char *at = part + 1;; at++) {
    if (*at != '/' && *at != '\0') continue;
    const bool is_last = *at == '\0';
    *at = '\0';
    if (mkdir(part, S_IRWXU) != 0 && errno != EEXIST) return false;
    if (is_last) return true;
    *at = '/';
  }
}

/* The folder belongs to the user, and no other user may write to it: code is loaded from it. */
static flg_status check_owner(const char *path, flg_error *error) {
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
    return flg_fail(error, FLG_ERR_OUTPUT, "'%s' is no folder", path);
  }
  if (info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return FLG_OK;
  return flg_fail(error, FLG_ERR_OUTPUT, "others can write to '%s'", path);
}

static flg_status open_folder(char folder[FLG_SOURCE_PATH], flg_error *error) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  /* the XDG specification ignores paths that are not absolute, and so do we */
  const bool has_cache = cache != NULL && cache[0] == '/', has_home = home != NULL && *home == '/';
  if (!has_cache && !has_home) {
    return flg_fail(error, FLG_ERR_OUTPUT, "neither XDG_CACHE_HOME nor HOME names a folder");
  }
  if (!cache_join(folder, has_cache ? cache : home, has_cache ? "flange" : ".cache/flange")) {
    return flg_fail(error, FLG_ERR_OUTPUT, "the path of the cache is too long");
  }
  if (make_folders(folder)) return check_owner(folder, error);
  return flg_fail(error, FLG_ERR_OUTPUT, "'%s' cannot be made: %s", folder, strerror(errno));
}

/* --- making -------------------------------------------------------------------------------------
 */

typedef struct recipe {
  const flg_compiler_options *compiler;
  const char *source;
  size_t length;
  uint64_t key;
} recipe;

static flg_status copy_source(void *context, const char *name, FILE *out, flg_mistakes *mistakes) {
  const recipe *of = context;
  (void)name, (void)mistakes; /* what cannot be written is reported by the caller */
  (void)fwrite(of->source, 1, of->length, out);
  return FLG_OK;
}

/* Several runs may want the same library at once. Each makes its own, and the last rename stays:
 * their contents are the same, so no lock is needed. */
/* under a name that no other thread or process has, then renamed */
static flg_status cache_make(recipe *of, const char *path, flg_mistakes *mistakes) {
  static atomic_uint number;
  char unfinished[FLG_SOURCE_PATH], kept[FLG_SOURCE_PATH];
  const int length = snprintf(unfinished, sizeof unfinished, "%s.%ld.%u", path, (long)getpid(),
                              atomic_fetch_add(&number, 1));
  if (length < 0 || length >= (int)sizeof unfinished) {
    return flg_mistake_add(mistakes, FLG_ERR_OUTPUT, (flg_place){0}, "'%s' is too long", path);
  }
  const flg_library library = {.output = unfinished, .compiler = *of->compiler, .key = of->key};
  flg_status status = flg_library_make(&library, copy_source, of, kept, mistakes);
  if (status != FLG_OK) return status;
  if (rename(unfinished, path) == 0) return FLG_OK;
  status = flg_mistake_add(mistakes, FLG_ERR_OUTPUT, (flg_place){0}, "'%s' cannot be written: %s",
                           path, strerror(errno));
  unlink(unfinished);
  return status;
}

/* the whole library of that key */
static bool is_whole(const char *path, uint64_t key) {
  uint64_t found = 0;
  return flg_library_mark_read(path, &found) == FLG_LIBRARY_WHOLE && found == key;
}

/* in the cache; else the error says why not */
static flg_status find_in_cache(recipe *of, flg_cached_library *found, flg_error *error) {
  char folder[FLG_SOURCE_PATH], name[64];
  flg_mistakes mistakes = {0};
  flg_status status = open_folder(folder, error);
  if (status != FLG_OK) return status;
  snprintf(name, sizeof name, "%016llx.so", (unsigned long long)of->key);
  if (!cache_join(found->path, folder, name)) {
    return flg_fail(error, FLG_ERR_OUTPUT, "the path of the cache is too long");
  }
  found->was_there = is_whole(found->path, of->key);
  if (found->was_there) return FLG_OK;
  status = cache_make(of, found->path, &mistakes);
  return status == FLG_OK ? FLG_OK : flg_mistakes_error(&mistakes, error);
}

/* Without a cache (a read-only home, a full disk) a run still works: the library lies in a
 * temporary folder until it is loaded. */
static flg_status cache_make_apart(recipe *of, flg_cached_library *found, flg_mistakes *mistakes) {
  const char *place = getenv("TMPDIR");
  snprintf(found->temporary, sizeof found->temporary, "%s/flange-library-XXXXXX",
           place != NULL && place[0] != '\0' ? place : "/tmp");
  if (mkdtemp(found->temporary) == NULL) {
    const flg_status status = flg_mistake_add(mistakes, FLG_ERR_OUTPUT, (flg_place){0},
                                              "no temporary folder can be made at '%s': %s",
                                              found->temporary, strerror(errno));
    found->temporary[0] = '\0';
    return status;
  }
  if (!cache_join(found->path, found->temporary, "part.so")) return FLG_ERR_OUTPUT;
  const flg_status status = cache_make(of, found->path, mistakes);
  if (status != FLG_OK) flg_cache_leave(found);
  return status;
}

static flg_status cache_find(recipe *of, const char *about, flg_cached_library *found,
                             flg_notices *notices, flg_mistakes *mistakes) {
  flg_error error;
  flg_status status = find_in_cache(of, found, &error);
  if (status == FLG_OK) return FLG_OK;
  if (status == FLG_ERR_MISSING) { /* a compiler: nothing else would help */
    return flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
  }
  status = cache_make_apart(of, found, mistakes);
  if (status != FLG_OK) return status;
  flg_notice_add(notices, about,
                 "the compiled library is not kept, and will be made again by the next run: %s",
                 error.message);
  return FLG_OK;
}

/* The source is written to memory first: its hash says whether there is anything to compile. */
flg_status flg_cache_find(const flg_compiler_options *compiler, const char *about,
                          flg_source_writer *write, void *context, flg_cached_library *found,
                          flg_notices *notices, flg_mistakes *mistakes) {
  char *text = NULL;
  recipe of = {.compiler = compiler};
  *found = (flg_cached_library){.was_there = false};
  FILE *out = open_memstream(&text, &of.length);
  if (out == NULL) {
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  flg_status status = write(context, "compiled", out, mistakes);
  if (fclose(out) != 0 && status == FLG_OK) {
    status = flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  of.source = text;
  if (status == FLG_OK) {
    of.key = cache_key_of(compiler, of.source, of.length);
    status = cache_find(&of, about, found, notices, mistakes);
  }
  free(text);
  return status;
}

/* A loaded library stays mapped although its file is gone. */
void flg_cache_leave(flg_cached_library *found) {
  if (found->temporary[0] == '\0') return;
  unlink(found->path);
  rmdir(found->temporary);
  found->temporary[0] = '\0';
}
