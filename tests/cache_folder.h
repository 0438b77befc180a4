/* cache_folder.h - a user's cache of their own for tests that compile models. */
#ifndef FLG_TESTS_CACHE_FOLDER_H
#define FLG_TESTS_CACHE_FOLDER_H

#include <dirent.h>

#include "files.h"

static test_folder cache; /* XDG_CACHE_HOME, while tests of a group run */

static inline int open_cache(void **state) {
  (void)state;
  cache = make_folder();
  return setenv("XDG_CACHE_HOME", cache.path, 1);
}

static inline const char *cache_path(const char *name) {
  static char path[400];
  snprintf(path, sizeof path, "%s/flange%s%s", cache.path, name[0] == '\0' ? "" : "/", name);
  return path;
}

/* how many files lie in it; `last` (256 bytes) gets the name of one, if it is not NULL */
static inline int count_cached(char *last) {
  DIR *folder = opendir(cache_path(""));
  int count = 0;
  if (folder == NULL) return 0;
  for (const struct dirent *file; (file = readdir(folder)) != NULL;) {
    if (file->d_name[0] == '.') continue;
    if (last != NULL) snprintf(last, 256, "%s", file->d_name);
    count++;
  }
  closedir(folder);
  return count;
}

static inline void empty_cache(void) {
  char name[256];
  while (count_cached(name) > 0) assert_int_equal(unlink(cache_path(name)), 0);
}

static inline int close_cache(void **state) {
  (void)state;
  empty_cache();
  rmdir(cache_path(""));
  remove_folder(&cache);
  return unsetenv("XDG_CACHE_HOME");
}

#endif
